// padic_opencl.h: any GPU with an OpenCL 1.2 driver. Include after padic.h; where
// PADIC_IMPLEMENTATION is defined for that, this file's functions are compiled, too.
// Nothing to link (but -ldl where the platform still wants it), no SDK: the driver is looked for
// when a context is made, and a machine without one is an ordinary answer.
//
//     padic_context_desc desc = PADIC_ZERO;
//     desc.backends[0] = padic_opencl();
//     padic_context_create(&desc, &context);
//
// padic_device_desc, as this backend reads it:
//
//     name, index      part of a device's name, and which of those that match; without a name GPUs
//                      with memory of their own come first, then other GPUs, then accelerators
//     flags            a CPU device serves only by name or with PADIC_DEVICE_ALLOW_CPU
//     native_queue     the engine's cl_command_queue, in order: all work goes there
//     native_context   its cl_context; work goes to a queue of our own unless native_queue is given
//     native_device    its cl_device_id
//     library_path     tried before the usual places
//
// What the engine gives is retained while the context lives, so its reference counts end as they
// began. padic_buffer_desc.native is a cl_mem of the same cl_context; it is used, not retained.
//
// PADIC_OPENCL_LINK: call the linked OpenCL library (its headers are included) instead of opening
// one, where a platform forbids that.
#ifndef PADIC_OPENCL_H
#define PADIC_OPENCL_H

#ifndef PADIC_HEADER
#error "include padic.h before padic_opencl.h"
#endif
#if PADIC_BACKEND_VERSION != 2u
#error "padic_opencl.h is for another version of padic.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

PADIC_API const padic_backend *padic_opencl(void);

#ifdef __cplusplus
}
#endif
#endif // PADIC_OPENCL_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_OPENCL_IMPLEMENTED)
#define PADIC_OPENCL_IMPLEMENTED

#include "padic_gpu.h"

#if defined(PADIC_OPENCL_LINK)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#endif
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sched.h>
#include <sys/select.h>
#ifndef PADIC_OPENCL_LINK
#include <dlfcn.h>
#endif
#endif

// room: src/gpu/opencl/interface.h
// ---- the driver's interface, declared here so that no SDK is needed

#ifdef _WIN32
#define PADICI_CL_CALL __stdcall
#else
#define PADICI_CL_CALL
#endif

typedef struct padici_cl_platform_ *padici_cl_platform;
typedef struct padici_cl_device_ *padici_cl_device;
typedef struct padici_cl_context_ *padici_cl_context;
typedef struct padici_cl_queue_ *padici_cl_queue;
typedef struct padici_cl_mem_ *padici_cl_mem;
typedef struct padici_cl_program_ *padici_cl_program;
typedef struct padici_cl_kernel_ *padici_cl_kernel;
typedef struct padici_cl_event_ *padici_cl_event;
typedef void(PADICI_CL_CALL *padici_cl_notify)(const char *, const void *, size_t, void *);
typedef void(PADICI_CL_CALL *padici_cl_built)(padici_cl_program, void *);

// (type, name, arguments); events of commands are written out as the three last ones.
#define PADICI_CL_FUNCTIONS(X)                                                                    \
    X(int32_t, GetPlatformIDs, (uint32_t, padici_cl_platform *, uint32_t *))                      \
    X(int32_t, GetPlatformInfo, (padici_cl_platform, uint32_t, size_t, void *, size_t *))         \
    X(int32_t, GetDeviceIDs,                                                                      \
      (padici_cl_platform, uint64_t, uint32_t, padici_cl_device *, uint32_t *))                   \
    X(int32_t, GetDeviceInfo, (padici_cl_device, uint32_t, size_t, void *, size_t *))             \
    X(padici_cl_context, CreateContext,                                                           \
      (const intptr_t *, uint32_t, const padici_cl_device *, padici_cl_notify, void *,            \
       int32_t *))                                                                                \
    X(int32_t, RetainContext, (padici_cl_context))                                                \
    X(int32_t, ReleaseContext, (padici_cl_context))                                               \
    X(int32_t, GetContextInfo, (padici_cl_context, uint32_t, size_t, void *, size_t *))           \
    X(padici_cl_queue, CreateCommandQueue,                                                        \
      (padici_cl_context, padici_cl_device, uint64_t, int32_t *))                                 \
    X(int32_t, RetainCommandQueue, (padici_cl_queue))                                             \
    X(int32_t, ReleaseCommandQueue, (padici_cl_queue))                                            \
    X(int32_t, GetCommandQueueInfo, (padici_cl_queue, uint32_t, size_t, void *, size_t *))        \
    X(padici_cl_mem, CreateBuffer, (padici_cl_context, uint64_t, size_t, void *, int32_t *))      \
    X(int32_t, ReleaseMemObject, (padici_cl_mem))                                                 \
    X(padici_cl_program, CreateProgramWithSource,                                                 \
      (padici_cl_context, uint32_t, const char **, const size_t *, int32_t *))                    \
    X(padici_cl_program, CreateProgramWithBinary,                                                 \
      (padici_cl_context, uint32_t, const padici_cl_device *, const size_t *,                     \
       const unsigned char **, int32_t *, int32_t *))                                             \
    X(int32_t, BuildProgram,                                                                      \
      (padici_cl_program, uint32_t, const padici_cl_device *, const char *, padici_cl_built,      \
       void *))                                                                                   \
    X(int32_t, GetProgramInfo, (padici_cl_program, uint32_t, size_t, void *, size_t *))           \
    X(int32_t, GetProgramBuildInfo,                                                               \
      (padici_cl_program, padici_cl_device, uint32_t, size_t, void *, size_t *))                  \
    X(int32_t, ReleaseProgram, (padici_cl_program))                                               \
    X(padici_cl_kernel, CreateKernel, (padici_cl_program, const char *, int32_t *))               \
    X(int32_t, ReleaseKernel, (padici_cl_kernel))                                                 \
    X(int32_t, SetKernelArg, (padici_cl_kernel, uint32_t, size_t, const void *))                  \
    X(int32_t, EnqueueNDRangeKernel,                                                              \
      (padici_cl_queue, padici_cl_kernel, uint32_t, const size_t *, const size_t *,               \
       const size_t *, uint32_t, const padici_cl_event *, padici_cl_event *))                     \
    X(int32_t, EnqueueReadBuffer,                                                                 \
      (padici_cl_queue, padici_cl_mem, uint32_t, size_t, size_t, void *, uint32_t,                \
       const padici_cl_event *, padici_cl_event *))                                               \
    X(int32_t, EnqueueWriteBuffer,                                                                \
      (padici_cl_queue, padici_cl_mem, uint32_t, size_t, size_t, const void *, uint32_t,          \
       const padici_cl_event *, padici_cl_event *))                                               \
    X(int32_t, EnqueueCopyBuffer,                                                                 \
      (padici_cl_queue, padici_cl_mem, padici_cl_mem, size_t, size_t, size_t, uint32_t,           \
       const padici_cl_event *, padici_cl_event *))                                               \
    X(int32_t, EnqueueFillBuffer,                                                                 \
      (padici_cl_queue, padici_cl_mem, const void *, size_t, size_t, size_t, uint32_t,            \
       const padici_cl_event *, padici_cl_event *))                                               \
    X(void *, EnqueueMapBuffer,                                                                   \
      (padici_cl_queue, padici_cl_mem, uint32_t, uint64_t, size_t, size_t, uint32_t,              \
       const padici_cl_event *, padici_cl_event *, int32_t *))                                    \
    X(int32_t, EnqueueUnmapMemObject,                                                             \
      (padici_cl_queue, padici_cl_mem, void *, uint32_t, const padici_cl_event *,                 \
       padici_cl_event *))                                                                        \
    X(int32_t, EnqueueMarkerWithWaitList,                                                         \
      (padici_cl_queue, uint32_t, const padici_cl_event *, padici_cl_event *))                    \
    X(int32_t, Flush, (padici_cl_queue))                                                          \
    X(int32_t, Finish, (padici_cl_queue))                                                         \
    X(int32_t, GetEventInfo, (padici_cl_event, uint32_t, size_t, void *, size_t *))               \
    X(int32_t, GetEventProfilingInfo, (padici_cl_event, uint32_t, size_t, void *, size_t *))      \
    X(int32_t, ReleaseEvent, (padici_cl_event))

typedef struct padici_cl_api {
#define PADICI_CL_MEMBER(type, name, arguments) type(PADICI_CL_CALL *name) arguments;
    PADICI_CL_FUNCTIONS(PADICI_CL_MEMBER)
#undef PADICI_CL_MEMBER
} padici_cl_api;

enum { // what of it is used
    PADICI_CL_PLATFORM_VERSION = 0x0901,
    PADICI_CL_PLATFORM_NAME = 0x0902,
    PADICI_CL_TYPE_CPU = 2,
    PADICI_CL_TYPE_GPU = 4,
    PADICI_CL_TYPE_ACCELERATOR = 8,
    PADICI_CL_DEVICE_TYPE = 0x1000,
    PADICI_CL_DEVICE_COMPUTE_UNITS = 0x1002,
    PADICI_CL_DEVICE_GROUP_SIZE = 0x1004,
    PADICI_CL_DEVICE_MAX_ALLOC = 0x1010,
    PADICI_CL_DEVICE_ALIGN_BITS = 0x1019,
    PADICI_CL_DEVICE_MEMORY = 0x101F,
    PADICI_CL_DEVICE_LOCAL = 0x1023,
    PADICI_CL_DEVICE_LITTLE = 0x1026,
    PADICI_CL_DEVICE_AVAILABLE = 0x1027,
    PADICI_CL_DEVICE_COMPILER = 0x1028,
    PADICI_CL_DEVICE_NAME = 0x102B,
    PADICI_CL_DEVICE_VENDOR = 0x102C,
    PADICI_CL_DEVICE_DRIVER = 0x102D,
    PADICI_CL_DEVICE_PROFILE = 0x102E,
    PADICI_CL_DEVICE_VERSION = 0x102F,
    PADICI_CL_DEVICE_EXTENSIONS = 0x1030,
    PADICI_CL_DEVICE_PLATFORM = 0x1031,
    PADICI_CL_DEVICE_UNIFIED = 0x1035,
    PADICI_CL_DEVICE_NV_MAJOR = 0x4000,
    PADICI_CL_DEVICE_NV_MINOR = 0x4001,
    PADICI_CL_DEVICE_NV_WARP = 0x4003,
    PADICI_CL_DEVICE_AMD_WAVE = 0x4043,
    PADICI_CL_CONTEXT_DEVICES = 0x1081,
    PADICI_CL_CONTEXT_PLATFORM = 0x1084,
    PADICI_CL_QUEUE_CONTEXT = 0x1090,
    PADICI_CL_QUEUE_DEVICE = 0x1091,
    PADICI_CL_QUEUE_PROPERTIES = 0x1093,
    PADICI_CL_QUEUE_OUT_OF_ORDER = 1,
    PADICI_CL_QUEUE_PROFILING = 2,
    PADICI_CL_MEM_READ_WRITE = 1,
    PADICI_CL_MEM_PINNED = 16, // ALLOC_HOST_PTR
    PADICI_CL_MAP_READ = 1,
    PADICI_CL_MAP_WRITE = 2,
    PADICI_CL_MAP_OVERWRITE = 4,
    PADICI_CL_PROGRAM_DEVICES = 0x1163,
    PADICI_CL_PROGRAM_BINARY_SIZES = 0x1165,
    PADICI_CL_PROGRAM_BINARIES = 0x1166,
    PADICI_CL_BUILD_LOG = 0x1183,
    PADICI_CL_EVENT_STATUS = 0x11D3,
    PADICI_CL_PROFILING_END = 0x1283,
    PADICI_CL_NOT_FOUND = -1,
    PADICI_CL_NO_DEVICE_MEMORY = -4,
    PADICI_CL_NO_RESOURCES = -5,
    PADICI_CL_NO_HOST_MEMORY = -6,
    PADICI_CL_BUILD_FAILED = -11,
    PADICI_CL_BAD_QUEUE = -36,
    PADICI_CL_BAD_BUFFER_SIZE = -61,
    PADICI_CL_NO_PLATFORM = -1001,
    PADICI_CL_NV_LOST = -9999
};

// room: src/gpu/opencl/handles.h
// ---- what the handles of the interface really are

#define PADICI_CL_BATCH 64u        // launches between two clFlush
#define PADICI_CL_DEVICES_MAX 64u  // looked at
#define PADICI_CL_PIECE 0x400000u  // bytes of a half of the ring
#define PADICI_CL_RING_FROM 65536u // bytes of a transfer that takes the ring, or maps

typedef struct padici_cl_built_program {
    struct padici_cl_built_program *next;
    const padici_program_text *text;
    padici_cl_program program;
    padici_cl_kernel *kernels; // NULL: the driver could not create it
    uint32_t missing;          // of them
    uint32_t fresh;            // built from source, to be stored
    uint32_t keyed;            // key holds
    padici_cache_key key;
} padici_cl_built_program;

typedef struct padici_cl_node { // one command
    padici_cl_kernel kernel;    // NULL: a copy, or a fill when `from` is 0
    size_t global[3], local[3];
    uint32_t dimensions, value;
    padic_mem to, from;
    size_t at, from_at, size;
} padici_cl_node;

typedef struct padici_cl_recording {
    struct padici_cl_recording *next;
    padici_cl_node *nodes;
    uint32_t count, capacity;
    padic_result result; // the first failure while recording
} padici_cl_recording;

typedef struct padici_cl_ring { // two halves of pinned memory that transfers go through
    padici_cl_mem mem;
    unsigned char *at;
    padici_cl_event busy[2]; // the transfer that each half is in; NULL: none
    uint32_t turn, refused;  // the next half; the driver has no such memory
} padici_cl_ring;

typedef struct padici_cl {
    padici_cl_api api;
    padic_env env;
    padici_cl_platform platform;
    padici_cl_device device;
    padici_cl_context context;
    padici_cl_queue queue;
    padic_device_info info;
    char compiler[64];    // version of the platform
    char *kernel_dir;     // a copy
    uint32_t lost, polls; // polls: its clFinish keeps a core busy
    uint32_t waiting, batch;     // commands since the last flush; how many make the next one
    padici_cl_built_program *programs;
    padici_cl_recording *recordings, *recording; // all; the open one
    padici_cl_event stamps[PADIC_TIME_SLOTS];
    padici_cl_ring ring;
} padici_cl;

// room: src/gpu/opencl/errors.c
// ---- errors

static const char *padici_cl_error_name(int32_t code)
{
    static const struct {
        int32_t code;
        const char *name;
    } names[] = {
        {-1, "device not found"},       {-2, "device not available"},
        {-3, "no compiler"},            {-4, "no device memory"},
        {-5, "out of resources"},       {-6, "out of host memory"},
        {-7, "profiling not available"},{-11, "build failed"},
        {-14, "a command failed"},      {-30, "invalid value"},
        {-33, "invalid device"},        {-34, "invalid context"},
        {-36, "invalid queue"},         {-38, "invalid buffer"},
        {-42, "invalid binary"},        {-43, "invalid build option"},
        {-45, "invalid executable"},    {-46, "no kernel of that name"},
        {-47, "invalid kernel text"},   {-48, "invalid kernel"},
        {-49, "invalid argument index"},{-50, "invalid argument"},
        {-51, "invalid argument size"}, {-52, "arguments not set"},
        {-54, "invalid group size"},    {-55, "invalid item size"},
        {-59, "invalid operation"},     {-61, "invalid buffer size"},
        {-1001, "no platform"},         {-9999, "the kernel was stopped"},
    };
    uint32_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code) return names[i].name;
    return "";
}

static void padici_cl_text_code(padici_text *text, int32_t code)
{
    const char *name = padici_cl_error_name(code);
    if (code < 0) padici_text_add(text, "-");
    padici_text_number(text, (uint64_t)(code < 0 ? -(int64_t)code : (int64_t)code), 1);
    if (name[0]) {
        padici_text_add(text, " (");
        padici_text_add(text, name);
        padici_text_add(text, ")");
    }
}

static padic_result padici_cl_say(const padici_cl *cl, padic_result result, const char *words,
                                  const char *more)
{
    padici_text text;
    if (!cl->env.message_size) return result;
    padici_text_begin(&text, cl->env.message, cl->env.message_size);
    padici_text_add(&text, "OpenCL: ");
    padici_text_add(&text, words);
    padici_text_add(&text, more);
    return result;
}

static padic_result padici_cl_lost(const padici_cl *cl)
{
    return padici_cl_say(cl, PADIC_ERROR_DEVICE_LOST,
                         "the device is lost: destroy the context and make a new one", "");
}

// The result for the driver's answer to a call, and its sentence.
static padic_result padici_cl_check(padici_cl *cl, const char *call, int32_t code)
{
    padic_result result = PADIC_ERROR_DEVICE;
    padici_text text;
    const char *more = "";
    if (!code) return PADIC_OK;
    switch (code) {
    case PADICI_CL_NO_DEVICE_MEMORY: result = PADIC_ERROR_MEMORY; break;
    case PADICI_CL_NO_HOST_MEMORY: result = PADIC_ERROR_MEMORY; break;
    case PADICI_CL_BAD_BUFFER_SIZE: result = PADIC_ERROR_LIMIT; break;
    case PADICI_CL_BUILD_FAILED: result = PADIC_ERROR_BUILD; break;
    case PADICI_CL_BAD_QUEUE:
        result = PADIC_ERROR_DEVICE_LOST;
        cl->lost = 1;
        more = "; the device is lost";
        break;
    default: break;
    }
    if (cl->env.message_size) {
        padici_text_begin(&text, cl->env.message, cl->env.message_size);
        padici_text_add(&text, "OpenCL: ");
        padici_text_add(&text, call);
        padici_text_add(&text, " answered ");
        padici_cl_text_code(&text, code);
        padici_text_add(&text, more);
    }
    return result;
}

// The answer of a wait. What a wait brings to light cannot be undone: the queue is done for.
static padic_result padici_cl_check_wait(padici_cl *cl, const char *call, int32_t code)
{
    padic_result result = padici_cl_check(cl, call, code);
    if (code == PADICI_CL_NO_RESOURCES || code == PADICI_CL_NV_LOST) {
        cl->lost = 1;
        result = PADIC_ERROR_DEVICE_LOST;
    }
    return result;
}

static padic_result padici_cl_no_memory(const padici_cl *cl)
{
    return padici_cl_say(cl, PADIC_ERROR_MEMORY, "out of host memory", "");
}

// room: src/gpu/opencl/loader.c
// ---- the loader. The library stays open when the device is closed: drivers keep threads.

#ifdef PADIC_OPENCL_LINK

static padic_result padici_cl_load(padici_cl *cl, const padic_device_desc *desc)
{
    (void)desc;
#define PADICI_CL_LINKED(type, name, arguments)                    \
    {                                                              \
        void (*function)(void) = (void (*)(void))cl##name;         \
        memcpy((void *)&cl->api.name, (const void *)&function, sizeof function); \
    }
    PADICI_CL_FUNCTIONS(PADICI_CL_LINKED)
#undef PADICI_CL_LINKED
    return PADIC_OK;
}

#else

static void *padici_cl_library(const char *path)
{
#ifdef _WIN32
    return (void *)LoadLibraryA(path);
#else
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
}

static int padici_cl_symbol(void *library, const char *name, void *function, size_t size)
{
#ifdef _WIN32
    FARPROC found = GetProcAddress((HMODULE)library, name);
#else
    void *found = dlsym(library, name);
#endif
    if (!found || size != sizeof found) return 0;
    memcpy(function, (const void *)&found, size);
    return 1;
}

// All functions of a library; the name of one that it lacks, or NULL.
static const char *padici_cl_functions(padici_cl_api *api, void *library)
{
#define PADICI_CL_FIND(type, name, arguments)                                       \
    if (!padici_cl_symbol(library, "cl" #name, (void *)&api->name, sizeof api->name)) \
        return "cl" #name;
    PADICI_CL_FUNCTIONS(PADICI_CL_FIND)
#undef PADICI_CL_FIND
    return NULL;
}

static padic_result padici_cl_load(padici_cl *cl, const padic_device_desc *desc)
{
#if defined(_WIN32) // from the system's folder only: the current one may be anybody's
    char system[300];
    const char *paths[2] = {desc->library_path, system};
    const UINT length = GetSystemDirectoryA(system, 280);
    if (!length || length >= 280) return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no driver", "");
    memcpy(system + length, "\\OpenCL.dll", 12);
#elif defined(__APPLE__)
    const char *paths[2] = {desc->library_path,
                            "/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#elif defined(__ANDROID__)
    const char *paths[2] = {desc->library_path, "libOpenCL.so"};
#else
    const char *paths[3] = {desc->library_path, "libOpenCL.so.1", "libOpenCL.so"};
#endif
    const char *lacks = NULL;
    uint32_t i;
    for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        void *library = paths[i] && paths[i][0] ? padici_cl_library(paths[i]) : NULL;
        if (!library) continue;
        lacks = padici_cl_functions(&cl->api, library);
        if (!lacks) return PADIC_OK;
    }
    if (lacks)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE,
                             "the library found is older than OpenCL 1.2: it lacks ", lacks);
    return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "not installed: there is no ",
                         paths[sizeof paths / sizeof paths[0] - 1]);
}

#endif

// room: src/gpu/opencl/queries.c
// Queries: what a device or a platform says about itself.

// A text of the driver's, cut to fit, without spaces around it. "" when it has none.
static void padici_cl_trim(char *words)
{
    char *from = words;
    size_t length;
    while (*from == ' ') from++;
    length = strlen(from);
    while (length && from[length - 1] == ' ') length--;
    memmove(words, from, length);
    words[length] = 0;
}

static void padici_cl_device_text(const padici_cl *cl, padici_cl_device device, uint32_t what,
                                  char *out, size_t size)
{
    char space[512]; // drivers refuse to fill less than they have
    size_t length = 0;
    memset(space, 0, sizeof space);
    out[0] = 0;
    if ((*cl->api.GetDeviceInfo)(device, what, sizeof space - 1, space, &length)) return;
    padici_cl_trim(space);
    length = strlen(space);
    if (length > size - 1) length = size - 1;
    memcpy(out, space, length);
    out[length] = 0;
}

static void padici_cl_platform_text(const padici_cl *cl, uint32_t what, char *out, size_t size)
{
    char space[512];
    size_t length = 0;
    memset(space, 0, sizeof space);
    out[0] = 0;
    if ((*cl->api.GetPlatformInfo)(cl->platform, what, sizeof space - 1, space, &length)) return;
    padici_cl_trim(space);
    length = strlen(space);
    if (length > size - 1) length = size - 1;
    memcpy(out, space, length);
    out[length] = 0;
}

// A number of the driver's, of 4 or 8 bytes (size_t, cl_uint, cl_ulong); 0 when it has none.
static uint64_t padici_cl_device_number(const padici_cl *cl, padici_cl_device device, uint32_t what)
{
    unsigned char space[8];
    size_t size = 0;
    uint32_t word;
    uint64_t number;
    memset(space, 0, sizeof space);
    if ((*cl->api.GetDeviceInfo)(device, what, sizeof space, space, &size)) return 0;
    memcpy(&word, space, 4);
    memcpy(&number, space, 8);
    return size == 8 ? number : size == 4 ? word : 0;
}

static int padici_cl_has_extension(const padici_cl *cl, padici_cl_device device, const char *name)
{
    const size_t length = strlen(name);
    size_t size = 0;
    char *words, *at;
    int found = 0;
    if ((*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_EXTENSIONS, 0, NULL, &size) || !size)
        return 0;
    words = (char *)padici_alloc(cl->env.allocator, size + 1, 1);
    if (!words) return 0;
    memset(words, 0, size + 1);
    if (!(*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_EXTENSIONS, size, words, NULL))
        for (at = strstr(words, name); at && !found; at = strstr(at + 1, name))
            found = (at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    padici_free(cl->env.allocator, words, size + 1);
    return found;
}

// room: src/gpu/opencl/choice.c
// The choice: which device of the machine, or of the engine, serves.

// Why a device cannot serve; NULL when it can.
static const char *padici_cl_unfit(const padici_cl *cl, padici_cl_device device)
{
    const int little = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_LITTLE) != 0;
    char text[64];
    if (!padici_cl_device_number(cl, device, PADICI_CL_DEVICE_AVAILABLE)) return "not available";
    if (!padici_cl_device_number(cl, device, PADICI_CL_DEVICE_COMPILER)) return "without compiler";
    if (little == PADICI_BIG_ENDIAN) return "of another byte order";
    padici_cl_device_text(cl, device, PADICI_CL_DEVICE_PROFILE, text, sizeof text);
    if (strcmp(text, "FULL_PROFILE")) return "of the embedded profile";
    padici_cl_device_text(cl, device, PADICI_CL_DEVICE_VERSION, text, sizeof text);
    if (strlen(text) < 10 || text[7] < '1' || text[7] > '9' || (text[7] == '1' && text[9] < '2'))
        return "older than OpenCL 1.2"; // the text is "OpenCL 1.2 ..."
#ifdef __APPLE__
    if (padici_cl_device_number(cl, device, PADICI_CL_DEVICE_TYPE) & PADICI_CL_TYPE_CPU)
        return "Apple's CPU device, which allows one item a group";
#endif
    return NULL;
}

typedef struct padici_cl_candidate {
    padici_cl_device device;
    padici_cl_platform platform;
    uint64_t memory;
    uint32_t rank; // the lower the better
} padici_cl_candidate;

typedef struct padici_cl_choice {
    const padic_device_desc *desc;
    uint32_t any_type;  // the caller said which device, so CPUs serve
    uint32_t count, seen;
    const char *unfit;  // why the last one that was refused was
    padici_cl_candidate list[PADICI_CL_DEVICES_MAX]; // best first
} padici_cl_choice;

// Adds a device to the list if it can serve and its name matches.
static void padici_cl_offer(const padici_cl *cl, padici_cl_choice *choice,
                            padici_cl_platform platform, padici_cl_device device)
{
    const uint64_t type = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_TYPE);
    const char *unfit = padici_cl_unfit(cl, device);
    padici_cl_candidate c;
    char name[256];
    uint32_t i;
    choice->seen++;
    if (unfit) {
        choice->unfit = unfit;
        return;
    }
    padici_cl_device_text(cl, device, PADICI_CL_DEVICE_NAME, name, sizeof name);
    if (choice->desc->name && !strstr(name, choice->desc->name)) return;
    c.device = device;
    c.platform = platform;
    c.memory = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_MEMORY);
    if (type & PADICI_CL_TYPE_GPU)
        c.rank = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_UNIFIED) ? 1 : 0;
    else if (type & PADICI_CL_TYPE_ACCELERATOR)
        c.rank = 2;
    else if (choice->any_type)
        c.rank = 3;
    else
        return;
    if (choice->count == PADICI_CL_DEVICES_MAX) return;
    for (i = choice->count++; i > 0; i--) { // behind its equals, so in the driver's order
        const padici_cl_candidate *before = &choice->list[i - 1];
        if (before->rank < c.rank || (before->rank == c.rank && before->memory >= c.memory)) break;
        choice->list[i] = *before;
    }
    choice->list[i] = c;
}

static padic_result padici_cl_pick(padici_cl *cl, const padici_cl_choice *choice)
{
    if (choice->desc->index < choice->count) {
        cl->device = choice->list[choice->desc->index].device;
        cl->platform = choice->list[choice->desc->index].platform;
        return PADIC_OK;
    }
    if (!choice->seen)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no platform has a device", "");
    if (choice->count)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "fewer devices match than `index` asks for",
                             "");
    if (choice->desc->name)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no device that can serve is called ",
                             choice->desc->name);
    if (choice->unfit)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no GPU; a device is ", choice->unfit);
    return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE,
                         "only CPU devices, slower than the CPU itself (PADIC_DEVICE_ALLOW_CPU)",
                         "");
}

// Any device of the machine.
static padic_result padici_cl_choose(padici_cl *cl, padici_cl_choice *choice)
{
    padici_cl_platform platforms[16];
    padici_cl_device devices[16];
    uint32_t platform_count = 0, p, d;
    int32_t code = (*cl->api.GetPlatformIDs)(16, platforms, &platform_count);
    if (code == PADICI_CL_NO_PLATFORM || (!code && !platform_count))
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE,
                             "there is a loader but no driver (no platform)", "");
    if (code) return padici_cl_check(cl, "clGetPlatformIDs", code);
    for (p = 0; p < platform_count && p < 16; p++) {
        uint32_t count = 0; // -1 is ordinary: a platform without a device
        code = (*cl->api.GetDeviceIDs)(platforms[p], 0xffffffffu, 16, devices, &count);
        for (d = 0; !code && d < count && d < 16; d++)
            padici_cl_offer(cl, choice, platforms[p], devices[d]);
    }
    return padici_cl_pick(cl, choice);
}

static padici_cl_platform padici_cl_platform_of(const padici_cl *cl, padici_cl_device device)
{
    padici_cl_platform platform = NULL;
    if ((*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_PLATFORM, sizeof platform, &platform,
                                 NULL))
        return NULL;
    return platform;
}

// One of the devices of the engine's context.
static padic_result padici_cl_choose_in_context(padici_cl *cl, padici_cl_choice *choice)
{
    padici_cl_device devices[PADICI_CL_DEVICES_MAX];
    size_t size = 0, d;
    int32_t code = (*cl->api.GetContextInfo)(cl->context, PADICI_CL_CONTEXT_DEVICES, sizeof devices,
                                             devices, &size);
    if (code) return padici_cl_check(cl, "clGetContextInfo", code);
    for (d = 0; d < size / sizeof devices[0]; d++)
        if (!choice->desc->native_device ||
            devices[d] == (padici_cl_device)choice->desc->native_device)
            padici_cl_offer(cl, choice, padici_cl_platform_of(cl, devices[d]), devices[d]);
    if (choice->desc->native_device && !choice->seen)
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT,
                             "native_device is not a device of native_context", "");
    return padici_cl_pick(cl, choice);
}

// Context and device of the engine's queue, which must be in order.
static padic_result padici_cl_adopt_queue(padici_cl *cl, const padic_device_desc *desc,
                                          padici_cl_choice *choice)
{
    padici_cl_queue queue = (padici_cl_queue)desc->native_queue;
    padici_cl_context context = NULL;
    padici_cl_device device = NULL;
    uint64_t properties = 0;
    int32_t code = (*cl->api.GetCommandQueueInfo)(queue, PADICI_CL_QUEUE_CONTEXT, sizeof context,
                                                  &context, NULL);
    if (!code)
        code = (*cl->api.GetCommandQueueInfo)(queue, PADICI_CL_QUEUE_DEVICE, sizeof device, &device,
                                              NULL);
    if (!code)
        code = (*cl->api.GetCommandQueueInfo)(queue, PADICI_CL_QUEUE_PROPERTIES, sizeof properties,
                                              &properties, NULL);
    if (code) return padici_cl_check(cl, "clGetCommandQueueInfo", code);
    if (properties & PADICI_CL_QUEUE_OUT_OF_ORDER)
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "native_queue is out of order", "");
    if ((desc->native_context && (padici_cl_context)desc->native_context != context) ||
        (desc->native_device && (padici_cl_device)desc->native_device != device))
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT,
                             "native_queue belongs to another context or device", "");
    code = (*cl->api.RetainContext)(context);
    if (code) return padici_cl_check(cl, "clRetainContext", code);
    cl->context = context;
    code = (*cl->api.RetainCommandQueue)(queue);
    if (code) return padici_cl_check(cl, "clRetainCommandQueue", code);
    cl->queue = queue;
    if (!(properties & PADICI_CL_QUEUE_PROFILING))
        cl->info.features &= ~(uint32_t)PADIC_FEATURE_TIME;
    choice->seen = 1;
    choice->unfit = padici_cl_unfit(cl, device);
    if (choice->unfit)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "the queue's device is ", choice->unfit);
    cl->device = device;
    cl->platform = padici_cl_platform_of(cl, device);
    return PADIC_OK;
}

// room: src/gpu/opencl/device.c
// A device with its context and queue: opened, described, closed.

// Device, context and queue: the engine's where it gave them, else our own.
static padic_result padici_cl_begin(padici_cl *cl, const padic_device_desc *desc)
{
    padici_cl_choice choice;
    intptr_t properties[3] = {PADICI_CL_CONTEXT_PLATFORM, 0, 0};
    padic_result result;
    int32_t code = 0;
    choice.desc = desc;
    choice.any_type = (desc->flags & PADIC_DEVICE_ALLOW_CPU) || desc->name ||
                      desc->native_context || desc->native_device;
    choice.count = choice.seen = 0;
    choice.unfit = NULL;
    if (desc->native_queue) return padici_cl_adopt_queue(cl, desc, &choice);
    if (desc->native_context) {
        padici_cl_context context = (padici_cl_context)desc->native_context;
        code = (*cl->api.RetainContext)(context);
        if (code) return padici_cl_check(cl, "clRetainContext", code);
        cl->context = context;
        result = padici_cl_choose_in_context(cl, &choice);
    } else if (desc->native_device) {
        padici_cl_device device = (padici_cl_device)desc->native_device;
        padici_cl_offer(cl, &choice, padici_cl_platform_of(cl, device), device);
        result = padici_cl_pick(cl, &choice);
    } else {
        result = padici_cl_choose(cl, &choice);
    }
    if (result) return result;
    if (!cl->context) {
        properties[1] = (intptr_t)cl->platform;
        cl->context = (*cl->api.CreateContext)(properties, 1, &cl->device, NULL, NULL, &code);
        if (code) return padici_cl_check(cl, "clCreateContext", code);
    }
    cl->queue = (*cl->api.CreateCommandQueue)(cl->context, cl->device, PADICI_CL_QUEUE_PROFILING,
                                              &code);
    if (code) {
        cl->queue = NULL;
        return padici_cl_check(cl, "clCreateCommandQueue", code);
    }
    return PADIC_OK;
}

static void padici_cl_arch(padici_cl *cl)
{
    padic_device_info *info = &cl->info;
    padici_text text;
    if (strstr(info->vendor, "NVIDIA")) {
        padici_text_begin(&text, info->arch, sizeof info->arch);
        padici_text_add(&text, "sm_");
        padici_text_number(
            &text, padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_NV_MAJOR), 1);
        padici_text_number(
            &text, padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_NV_MINOR), 1);
        info->subgroup =
            (uint32_t)padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_NV_WARP);
    } else if (strstr(info->vendor, "Advanced Micro Devices")) {
        uint32_t i; // the name is "gfx942:sramecc+:xnack-"
        if (!strncmp(info->name, "gfx", 3))
            for (i = 0; i + 1 < sizeof info->arch && info->name[i] && info->name[i] != ':'; i++)
                info->arch[i] = info->name[i];
        info->subgroup =
            (uint32_t)padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_AMD_WAVE);
    }
}

// What the device is; a query that fails leaves its field at 0, unknown.
static void padici_cl_describe(padici_cl *cl)
{
    padic_device_info *info = &cl->info;
    padici_cl_device d = cl->device;
    uint64_t group = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_GROUP_SIZE);
    padici_cl_device_text(cl, d, PADICI_CL_DEVICE_NAME, info->name, sizeof info->name);
    padici_cl_device_text(cl, d, PADICI_CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    padici_cl_device_text(cl, d, PADICI_CL_DEVICE_DRIVER, info->driver, sizeof info->driver);
    padici_cl_platform_text(cl, PADICI_CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    padici_cl_platform_text(cl, PADICI_CL_PLATFORM_VERSION, cl->compiler, sizeof cl->compiler);
    if (padici_cl_has_extension(cl, d, "cl_khr_fp64")) info->features |= PADIC_FEATURE_F64;
    if (padici_cl_has_extension(cl, d, "cl_khr_int64_base_atomics"))
        info->features |= PADIC_FEATURE_I64_ATOMICS;
    if (padici_cl_device_number(cl, d, PADICI_CL_DEVICE_UNIFIED))
        info->features |= PADIC_FEATURE_UNIFIED;
    info->features |= PADIC_FEATURE_RECORD;
    info->compute_units =
        (uint32_t)padici_cl_device_number(cl, d, PADICI_CL_DEVICE_COMPUTE_UNITS);
    info->max_group = group > 0xffffffffu ? 0xffffffffu : (uint32_t)group;
    info->alignment = (uint32_t)padici_cl_device_number(cl, d, PADICI_CL_DEVICE_ALIGN_BITS) / 8;
    info->memory = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_MEMORY);
    info->max_alloc = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_MAX_ALLOC);
    info->local_bytes = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_LOCAL);
    padici_cl_arch(cl);
    cl->polls = strstr(info->vendor, "NVIDIA") != NULL;
}

// The end of a marker put behind everything, by the device's clock; 0 when it gives none.
static uint64_t padici_cl_now(padici_cl *cl)
{
    padici_cl_event event = NULL;
    uint64_t now = 0;
    if ((*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &event)) return 0;
    if ((*cl->api.Finish)(cl->queue) ||
        (*cl->api.GetEventProfilingInfo)(event, PADICI_CL_PROFILING_END, sizeof now, &now, NULL))
        now = 0;
    (void)(*cl->api.ReleaseEvent)(event);
    return now;
}

// Whether the clock can be trusted: it must move. (rusticl's stands; Apple's is off by 125/3 on
// some chips.)
static void padici_cl_try_clock(padici_cl *cl)
{
    uint64_t first = 0;
    if (!(cl->info.features & PADIC_FEATURE_TIME)) return;
    if (!strstr(cl->info.platform, "Apple")) first = padici_cl_now(cl);
    if (!first || padici_cl_now(cl) <= first) cl->info.features &= ~(uint32_t)PADIC_FEATURE_TIME;
}

static void padici_cl_end(padici_cl *cl) // what has been made, in whatever state
{
    const padic_allocator *allocator = cl->env.allocator;
    if (cl->queue) (void)(*cl->api.ReleaseCommandQueue)(cl->queue);
    if (cl->context) (void)(*cl->api.ReleaseContext)(cl->context);
    if (cl->kernel_dir) padici_free(allocator, cl->kernel_dir, strlen(cl->kernel_dir) + 1);
    padici_free(allocator, cl, sizeof *cl);
}

static padic_result padici_cl_open(const padic_env *env, const padic_device_desc *desc,
                                   padic_device **out)
{
    padici_cl *cl = (padici_cl *)padici_alloc(env->allocator, sizeof *cl, 16);
    padic_result result;
    *out = NULL;
    if (!cl) return PADIC_ERROR_MEMORY;
    memset(cl, 0, sizeof *cl);
    cl->env = *env;
    cl->batch = 1;
    cl->info.features = PADIC_FEATURE_TIME;
    result = padici_cl_load(cl, desc);
    if (!result && desc->kernel_dir) {
        const size_t size = strlen(desc->kernel_dir) + 1;
        cl->kernel_dir = (char *)padici_alloc(env->allocator, size, 1);
        if (cl->kernel_dir) memcpy(cl->kernel_dir, desc->kernel_dir, size);
        if (!cl->kernel_dir) result = padici_cl_no_memory(cl);
    }
    if (!result) result = padici_cl_begin(cl, desc);
    if (result) {
        padici_cl_end(cl);
        return result;
    }
    padici_cl_describe(cl);
    padici_cl_try_clock(cl);
    *out = (padic_device *)(void *)cl;
    return PADIC_OK;
}

static void padici_cl_info(padic_device *device, padic_device_info *info)
{
    *info = ((padici_cl *)(void *)device)->info;
}

// room: src/gpu/opencl/waiting.c
// ---- waiting

#define PADICI_CL_YIELDS 2000u // about a millisecond before the first sleep

static void padici_cl_pause(uint32_t round)
{
#ifdef _WIN32
    Sleep(round < PADICI_CL_YIELDS ? 0 : 1);
#else
    struct timeval nap;
    if (round < PADICI_CL_YIELDS) {
        (void)sched_yield();
        return;
    }
    nap.tv_sec = 0;
    nap.tv_usec = 100;
    (void)select(0, NULL, NULL, NULL, &nap);
#endif
}

// Until a command that was flushed is done, by looking now and then; its status, 0 or an error.
static int32_t padici_cl_await(padici_cl *cl, padici_cl_event *event)
{
    int32_t status = 1, code = 0;
    uint32_t round;
    for (round = 0; status > 0 && !code; round += round < PADICI_CL_YIELDS) {
        code = (*cl->api.GetEventInfo)(*event, PADICI_CL_EVENT_STATUS, sizeof status, &status,
                                       NULL);
        if (status > 0 && !code) padici_cl_pause(round);
    }
    (void)(*cl->api.ReleaseEvent)(*event);
    *event = NULL;
    return code ? code : status;
}

// The same for everything queued: some drivers' own waits keep a core busy. Errors are left to the
// call that follows.
static void padici_cl_poll(padici_cl *cl)
{
    padici_cl_event event = NULL;
    if ((*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &event)) return;
    if ((*cl->api.Flush)(cl->queue))
        (void)(*cl->api.ReleaseEvent)(event);
    else
        (void)padici_cl_await(cl, &event);
}

static padic_result padici_cl_finish(padici_cl *cl)
{
    if (cl->polls) padici_cl_poll(cl);
    cl->waiting = 0;
    cl->batch = 1;
    return padici_cl_check_wait(cl, "clFinish", (*cl->api.Finish)(cl->queue));
}

// After a command. The device begins at once, later it gets its work in batches.
static padic_result padici_cl_queued(padici_cl *cl, const char *call, int32_t code)
{
    padic_result result = padici_cl_check(cl, call, code);
    if (result || ++cl->waiting < cl->batch) return result;
    cl->waiting = 0;
    if (cl->batch < PADICI_CL_BATCH) cl->batch *= 2;
    return padici_cl_check(cl, "clFlush", (*cl->api.Flush)(cl->queue));
}

// room: src/gpu/opencl/memory.c
// ---- memory

static padici_cl_mem padici_cl_mem_of(padic_mem mem)
{
    return (padici_cl_mem)(uintptr_t)mem.bits;
}

static padic_result padici_cl_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_mem mem;
    int32_t code = 0;
    padic_result result;
    uint64_t limit;
    out->bits = 0;
    if (cl->lost) return padici_cl_lost(cl);
    // Not left to the driver: NVIDIA's takes 2^61 bytes and fails when they are touched.
    limit = padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_MAX_ALLOC);
    if (size > (size_t)-1 || (limit && size > limit)) // 0: it did not say
        return padici_cl_say(cl, PADIC_ERROR_LIMIT, "a block above the device's max_alloc", "");
    mem = (*cl->api.CreateBuffer)(cl->context, PADICI_CL_MEM_READ_WRITE, (size_t)size, NULL, &code);
    // Drivers also call a device that is full out of resources.
    if (code == PADICI_CL_NO_RESOURCES) code = PADICI_CL_NO_DEVICE_MEMORY;
    result = padici_cl_check(cl, "clCreateBuffer", code);
    if (!result) out->bits = (uint64_t)(uintptr_t)mem;
    return result;
}

static void padici_cl_free(padic_device *device, padic_mem mem, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    (void)size;
    (void)(*cl->api.ReleaseMemObject)(padici_cl_mem_of(mem));
}

// A blocking transfer waited for all work before it, so what fails may be the work's fault.
static padic_result padici_cl_transferred(padici_cl *cl, const char *call, int32_t code)
{
    cl->waiting = 0;
    cl->batch = 1;
    if (code == PADICI_CL_NO_RESOURCES || code == PADICI_CL_NV_LOST) {
        padic_result result = padici_cl_finish(cl);
        if (result) return result;
    }
    return padici_cl_check(cl, call, code);
}

// 1: there is a ring. 0: the driver has no memory for it, so transfers go without.
static int padici_cl_ring_begin(padici_cl *cl)
{
    padici_cl_ring *ring = &cl->ring;
    int32_t code = 0;
    if (ring->at || ring->refused) return !ring->refused;
    ring->mem =
        (*cl->api.CreateBuffer)(cl->context, PADICI_CL_MEM_READ_WRITE | PADICI_CL_MEM_PINNED,
                                2 * PADICI_CL_PIECE, NULL, &code);
    if (code) ring->mem = NULL;
    if (!code)
        ring->at = (unsigned char *)(*cl->api.EnqueueMapBuffer)(
            cl->queue, ring->mem, 1, PADICI_CL_MAP_READ | PADICI_CL_MAP_WRITE, 0,
            2 * PADICI_CL_PIECE, 0, NULL, NULL, &code);
    if (!code) return 1;
    if (ring->mem) (void)(*cl->api.ReleaseMemObject)(ring->mem);
    ring->mem = NULL;
    ring->at = NULL;
    ring->refused = 1;
    return 0;
}

static void padici_cl_ring_end(padici_cl *cl)
{
    padici_cl_ring *ring = &cl->ring;
    uint32_t i;
    for (i = 0; i < 2; i++)
        if (ring->busy[i]) (void)(*cl->api.ReleaseEvent)(ring->busy[i]);
    if (ring->at && !cl->lost) {
        (void)(*cl->api.EnqueueUnmapMemObject)(cl->queue, ring->mem, ring->at, 0, NULL, NULL);
        (void)(*cl->api.Finish)(cl->queue);
    }
    if (ring->mem) (void)(*cl->api.ReleaseMemObject)(ring->mem);
}

// Returns when the last piece has been copied to the ring; the device fetches it later.
static padic_result padici_cl_upload_ring(padici_cl *cl, padici_cl_mem mem, size_t at,
                                          const unsigned char *from, size_t size)
{
    padici_cl_ring *ring = &cl->ring;
    int32_t code = 0;
    while (size) {
        const size_t piece = size < PADICI_CL_PIECE ? size : PADICI_CL_PIECE;
        unsigned char *half = ring->at + ring->turn * PADICI_CL_PIECE;
        if (ring->busy[ring->turn]) code = padici_cl_await(cl, &ring->busy[ring->turn]);
        if (code) return padici_cl_transferred(cl, "an earlier transfer", code);
        memcpy(half, from, piece);
        code = (*cl->api.EnqueueWriteBuffer)(cl->queue, mem, 0, at, piece, half, 0, NULL,
                                             &ring->busy[ring->turn]);
        if (code) {
            ring->busy[ring->turn] = NULL;
            return padici_cl_check(cl, "clEnqueueWriteBuffer", code);
        }
        code = (*cl->api.Flush)(cl->queue);
        if (code) return padici_cl_check(cl, "clFlush", code);
        ring->turn ^= 1;
        from += piece;
        at += piece;
        size -= piece;
    }
    cl->waiting = 0;
    return PADIC_OK;
}

// A piece is fetched while the one before is copied out.
static padic_result padici_cl_download_ring(padici_cl *cl, padici_cl_mem mem, size_t at,
                                            unsigned char *to, size_t size)
{
    padici_cl_ring *ring = &cl->ring;
    size_t asked = 0, done = 0;
    int32_t code = 0;
    while (done < size && !code) {
        if (asked < size) { // the queue is in order, so what the half held before is through
            const size_t piece = size - asked < PADICI_CL_PIECE ? size - asked : PADICI_CL_PIECE;
            padici_cl_event *busy = &ring->busy[ring->turn];
            if (*busy) (void)(*cl->api.ReleaseEvent)(*busy);
            *busy = NULL;
            code = (*cl->api.EnqueueReadBuffer)(cl->queue, mem, 0, at + asked, piece,
                                                ring->at + ring->turn * PADICI_CL_PIECE, 0, NULL,
                                                busy);
            if (code) {
                *busy = NULL;
                break;
            }
            code = (*cl->api.Flush)(cl->queue);
            asked += piece;
            ring->turn ^= 1;
        }
        if (!code && (asked == size || asked > done + PADICI_CL_PIECE)) {
            const size_t piece = asked - done < PADICI_CL_PIECE ? asked - done : PADICI_CL_PIECE;
            const uint32_t half = ring->turn ^ (asked - done <= PADICI_CL_PIECE);
            code = padici_cl_await(cl, &ring->busy[half]);
            if (!code) memcpy(to + done, ring->at + half * PADICI_CL_PIECE, piece);
            done += piece;
        }
    }
    return padici_cl_transferred(cl, "clEnqueueReadBuffer", code);
}

// Where device and host share their memory nothing is copied twice.
static padic_result padici_cl_transfer_mapped(padici_cl *cl, padici_cl_mem mem, size_t at,
                                              const void *from, void *to, size_t size)
{
    int32_t code = 0;
    void *place = (*cl->api.EnqueueMapBuffer)(
        cl->queue, mem, 1, from ? PADICI_CL_MAP_OVERWRITE : PADICI_CL_MAP_READ, at, size, 0, NULL,
        NULL, &code);
    if (code) return padici_cl_transferred(cl, "clEnqueueMapBuffer", code);
    if (from)
        memcpy(place, from, size);
    else
        memcpy(to, place, size);
    return padici_cl_transferred(
        cl, "clEnqueueUnmapMemObject",
        (*cl->api.EnqueueUnmapMemObject)(cl->queue, mem, place, 0, NULL, NULL));
}

static padic_result padici_cl_upload(padic_device *device, padic_mem mem, uint64_t at,
                                     const void *from, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    if (size >= PADICI_CL_RING_FROM && (cl->info.features & PADIC_FEATURE_UNIFIED))
        return padici_cl_transfer_mapped(cl, padici_cl_mem_of(mem), (size_t)at, from, NULL,
                                         (size_t)size);
    if (size >= PADICI_CL_RING_FROM && padici_cl_ring_begin(cl))
        return padici_cl_upload_ring(cl, padici_cl_mem_of(mem), (size_t)at,
                                     (const unsigned char *)from, (size_t)size);
    if (cl->polls) padici_cl_poll(cl);
    return padici_cl_transferred(
        cl, "clEnqueueWriteBuffer",
        (*cl->api.EnqueueWriteBuffer)(cl->queue, padici_cl_mem_of(mem), 1, (size_t)at, (size_t)size,
                                      from, 0, NULL, NULL));
}

static padic_result padici_cl_download(padic_device *device, padic_mem mem, uint64_t at, void *to,
                                       uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    if (size >= PADICI_CL_RING_FROM && (cl->info.features & PADIC_FEATURE_UNIFIED))
        return padici_cl_transfer_mapped(cl, padici_cl_mem_of(mem), (size_t)at, NULL, to,
                                         (size_t)size);
    if (size >= PADICI_CL_RING_FROM && padici_cl_ring_begin(cl))
        return padici_cl_download_ring(cl, padici_cl_mem_of(mem), (size_t)at, (unsigned char *)to,
                                       (size_t)size);
    if (cl->polls) padici_cl_poll(cl);
    return padici_cl_transferred(
        cl, "clEnqueueReadBuffer",
        (*cl->api.EnqueueReadBuffer)(cl->queue, padici_cl_mem_of(mem), 1, (size_t)at, (size_t)size,
                                     to, 0, NULL, NULL));
}

// room: src/gpu/opencl/commands.c
// ---- commands

static padic_result padici_cl_enqueue(padici_cl *cl, const padici_cl_node *n)
{
    if (n->kernel)
        return padici_cl_queued(cl, "clEnqueueNDRangeKernel",
                                (*cl->api.EnqueueNDRangeKernel)(cl->queue, n->kernel, n->dimensions,
                                                                NULL, n->global, n->local, 0, NULL,
                                                                NULL));
    if (n->from.bits)
        return padici_cl_queued(cl, "clEnqueueCopyBuffer",
                                (*cl->api.EnqueueCopyBuffer)(
                                    cl->queue, padici_cl_mem_of(n->from), padici_cl_mem_of(n->to),
                                    n->from_at, n->at, n->size, 0, NULL, NULL));
    return padici_cl_queued(cl, "clEnqueueFillBuffer",
                            (*cl->api.EnqueueFillBuffer)(cl->queue, padici_cl_mem_of(n->to),
                                                         &n->value, sizeof n->value, n->at, n->size,
                                                         0, NULL, NULL));
}

// Room for one more node of the open recording; NULL when there is no memory.
static padici_cl_node *padici_cl_node_new(padici_cl *cl)
{
    padici_cl_recording *r = cl->recording;
    if (r->count == r->capacity) {
        const uint32_t more = r->capacity ? r->capacity * 2 : 16;
        padici_cl_node *bigger = NULL;
        if (more > r->capacity && more < 0x1000000u)
            bigger = (padici_cl_node *)padici_alloc(cl->env.allocator, more * sizeof *bigger, 16);
        if (!bigger) return NULL;
        if (r->count) memcpy(bigger, r->nodes, r->count * sizeof *bigger);
        padici_free(cl->env.allocator, r->nodes, r->capacity * sizeof *bigger);
        r->nodes = bigger;
        r->capacity = more;
    }
    return &r->nodes[r->count++];
}

// Queues a copy or fill, or records it.
static padic_result padici_cl_command(padici_cl *cl, const padici_cl_node *node)
{
    padici_cl_node *recorded;
    if (!cl->recording) return padici_cl_enqueue(cl, node);
    recorded = padici_cl_node_new(cl);
    if (!recorded) return cl->recording->result = padici_cl_no_memory(cl);
    *recorded = *node;
    return PADIC_OK;
}

static padic_result padici_cl_copy(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                                   uint64_t from_at, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_node node;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    memset(&node, 0, sizeof node);
    node.to = to;
    node.from = from;
    node.at = (size_t)at;
    node.from_at = (size_t)from_at;
    node.size = (size_t)size;
    return padici_cl_command(cl, &node);
}

static padic_result padici_cl_fill(padic_device *device, padic_mem mem, uint64_t at, uint32_t value,
                                   uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_node node;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    memset(&node, 0, sizeof node);
    node.to = mem;
    node.at = (size_t)at;
    node.size = (size_t)size;
    node.value = value;
    return padici_cl_command(cl, &node);
}

static padic_result padici_cl_sync(padic_device *device)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    return cl->lost ? padici_cl_lost(cl) : padici_cl_finish(cl);
}

// room: src/gpu/opencl/programs.c
// ---- programs

static void padici_cl_log_lines(const padici_cl *cl, char *words) // one line a call
{
    while (*words) {
        char *end = words;
        int last;
        while (*end && *end != '\n' && *end != '\r') end++;
        last = !*end;
        *end = 0;
        if (end > words) padici_log_write(cl->env.log, PADIC_LOG_ERROR, 0, words);
        words = last ? end : end + 1;
    }
}

// The compiler's words: all to the log, the first of them into the message.
static padic_result padici_cl_build_failed(padici_cl *cl, const padici_cl_built_program *built,
                                           int32_t code)
{
    padic_result result = padici_cl_check(cl, "clBuildProgram", code);
    size_t size = 0;
    char *words = NULL;
    padici_text text;
    if (code != PADICI_CL_BUILD_FAILED && result != PADIC_ERROR_DEVICE) return result;
    if (!(*cl->api.GetProgramBuildInfo)(built->program, cl->device, PADICI_CL_BUILD_LOG, 0, NULL,
                                        &size) &&
        size)
        words = (char *)padici_alloc(cl->env.allocator, size + 1, 1);
    if (words) {
        memset(words, 0, size + 1);
        (void)(*cl->api.GetProgramBuildInfo)(built->program, cl->device, PADICI_CL_BUILD_LOG, size,
                                             words, NULL);
    }
    if (cl->env.message_size) {
        padici_text_begin(&text, cl->env.message, cl->env.message_size);
        padici_text_add(&text, "OpenCL: ");
        padici_text_add(&text, built->text->name);
        padici_text_add(&text, " does not compile: ");
        padici_cl_text_code(&text, code);
        padici_text_add(&text, ": ");
        if (words) padici_text_add(&text, words);
    }
    if (words) padici_cl_log_lines(cl, words);
    padici_free(cl->env.allocator, words, size + 1);
    return PADIC_ERROR_BUILD;
}

static void padici_cl_kernels_end(padici_cl *cl, padici_cl_built_program *built)
{
    uint32_t i;
    for (i = 0; i < built->text->kernel_count; i++)
        if (built->kernels[i]) (void)(*cl->api.ReleaseKernel)(built->kernels[i]);
    memset((void *)built->kernels, 0, built->text->kernel_count * sizeof *built->kernels);
    if (built->program) (void)(*cl->api.ReleaseProgram)(built->program);
    built->program = NULL;
    built->missing = 0;
}

static void padici_cl_program_end(padici_cl *cl, padici_cl_built_program *built)
{
    padici_cl_kernels_end(cl, built);
    padici_free(cl->env.allocator, (void *)built->kernels,
                built->text->kernel_count * sizeof *built->kernels);
    padici_free(cl->env.allocator, built, sizeof *built);
}

// Creates all kernels. One that the driver cannot create is left out: it alone falls back.
static padic_result padici_cl_kernels(padici_cl *cl, padici_cl_built_program *built)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < built->text->kernel_count; i++) {
        int32_t code = 0;
        built->kernels[i] =
            (*cl->api.CreateKernel)(built->program, built->text->kernels[i].name, &code);
        if (!code) continue;
        built->kernels[i] = NULL;
        built->missing++;
        result = padici_cl_check(cl, built->text->kernels[i].name, code);
        if (result == PADIC_ERROR_MEMORY) return result;
        padici_log_write(cl->env.log, PADIC_LOG_WARNING, 0, cl->env.message);
    }
    return built->missing && built->missing == built->text->kernel_count ? PADIC_ERROR_BUILD
                                                                         : PADIC_OK;
}

// From the cache; 0 when it is not there or the driver refuses it.
static int padici_cl_from_cache(padici_cl *cl, padici_cl_built_program *built, const char *options)
{
    void *payload = NULL;
    const unsigned char *binary;
    size_t size = 0;
    uint32_t kind = 0;
    int32_t status = 0, code = 0;
    if (!built->keyed ||
        !padici_cache_load(&cl->env, built->key.space, &kind, &payload, &size))
        return 0;
    binary = (const unsigned char *)payload;
    if (kind != PADICI_CACHE_OPENCL) code = 1;
    if (!code)
        built->program = (*cl->api.CreateProgramWithBinary)(cl->context, 1, &cl->device, &size,
                                                            &binary, &status, &code);
    if (code) built->program = NULL;
    if (!code) code = status;
    if (!code) code = (*cl->api.BuildProgram)(built->program, 1, &cl->device, options, NULL, NULL);
    if (!code && (padici_cl_kernels(cl, built) || built->missing)) code = 1;
    padici_cache_free(&cl->env, payload, size);
    if (!code) return 1;
    padici_cache_bad(&cl->env);
    padici_cl_kernels_end(cl, built);
    return 0;
}

static padic_result padici_cl_from_source(padici_cl *cl, padici_cl_built_program *built,
                                          const char *source, size_t size, const char *options)
{
    int32_t code = 0;
    built->program = (*cl->api.CreateProgramWithSource)(cl->context, 1, &source, &size, &code);
    if (code) {
        built->program = NULL;
        return padici_cl_check(cl, "clCreateProgramWithSource", code);
    }
    code = (*cl->api.BuildProgram)(built->program, 1, &cl->device, options, NULL, NULL);
    if (code) return padici_cl_build_failed(cl, built, code);
    built->fresh = 1;
    return padici_cl_kernels(cl, built);
}

// Never any option that lets the compiler round differently.
static int padici_cl_options(const padic_program_desc *desc, char *space, size_t size)
{
    padici_text text;
    uint32_t i;
    padici_text_begin(&text, space, size);
    padici_text_add(&text, "-cl-std=CL1.2");
    for (i = 0; i < desc->define_count; i++) {
        padici_text_add(&text, " -D");
        padici_text_add(&text, desc->defines[i]);
    }
    return text.left > 1;
}

static padici_cl_built_program *padici_cl_program_new(const padici_cl *cl,
                                                      const padici_program_text *text)
{
    padici_cl_built_program *built =
        (padici_cl_built_program *)padici_alloc(cl->env.allocator, sizeof *built, 16);
    const size_t size = text->kernel_count * sizeof *built->kernels;
    if (!built) return NULL;
    memset(built, 0, sizeof *built);
    built->text = text;
    built->kernels = (padici_cl_kernel *)padici_alloc(cl->env.allocator, size, 16);
    if (built->kernels) {
        memset((void *)built->kernels, 0, size);
        return built;
    }
    padici_free(cl->env.allocator, built, sizeof *built);
    return NULL;
}

static padic_result padici_cl_program_build(padici_cl *cl, const padic_program_desc *desc,
                                            padici_cl_built_program *built)
{
    padici_cache_program about;
    char options[1024];
    size_t size = 0;
    char *source = NULL;
    padic_result result;
    if (!padici_cl_options(desc, options, sizeof options))
        return padici_cl_say(cl, PADIC_ERROR_LIMIT, "the defines are too long for a program: ",
                             built->text->name);
    result = padici_gpu_source(&cl->env, cl->kernel_dir, desc->program, &source, &size);
    if (result) return result == PADIC_ERROR_MEMORY ? padici_cl_no_memory(cl) : result;
    memset(&about, 0, sizeof about);
    about.backend = "opencl";
    about.info = &cl->info;
    about.program = built->text->name;
    about.text_hash = padici_checksum(source, size, 0);
    about.defines = desc->defines;
    about.define_count = desc->define_count;
    about.options = options;
    about.compiler = cl->compiler;
    built->keyed = padici_cache_program_key(&built->key, &about) != 0;
    if (!padici_cl_from_cache(cl, built, options))
        result = padici_cl_from_source(cl, built, source, size, options);
    padici_free(cl->env.allocator, source, size + 1);
    return result;
}

static padic_result padici_cl_make_program(padic_device *device, const padic_program_desc *desc,
                                           padic_program **out)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_built_program *built;
    padic_result result;
    *out = NULL;
    if (cl->lost) return padici_cl_lost(cl);
    if (desc->program >= PADICI_PROGRAM_COUNT || padici_programs[desc->program].cuda)
        return padici_cl_say(cl, PADIC_ERROR_NOT_SUPPORTED, "no program of that number", "");
    built = padici_cl_program_new(cl, &padici_programs[desc->program]);
    if (!built) return padici_cl_no_memory(cl);
    result = padici_cl_program_build(cl, desc, built);
    if (result) {
        padici_cl_program_end(cl, built);
        return result;
    }
    built->next = cl->programs;
    cl->programs = built;
    *out = (padic_program *)(void *)built;
    return PADIC_OK;
}

// The binary for our device, one of several that the engine's context may have. NULL: none.
static void *padici_cl_binary(padici_cl *cl, const padici_cl_built_program *built, size_t *size)
{
    padici_cl_device devices[PADICI_CL_DEVICES_MAX];
    size_t sizes[PADICI_CL_DEVICES_MAX], bytes = 0, i, ours = PADICI_CL_DEVICES_MAX;
    unsigned char *places[PADICI_CL_DEVICES_MAX];
    memset((void *)places, 0, sizeof places);
    memset(sizes, 0, sizeof sizes);
    if ((*cl->api.GetProgramInfo)(built->program, PADICI_CL_PROGRAM_DEVICES, sizeof devices,
                                  devices, &bytes) ||
        (*cl->api.GetProgramInfo)(built->program, PADICI_CL_PROGRAM_BINARY_SIZES, sizeof sizes,
                                  sizes, NULL))
        return NULL;
    for (i = 0; i < bytes / sizeof devices[0]; i++)
        if (devices[i] == cl->device) ours = i;
    if (ours == PADICI_CL_DEVICES_MAX || !sizes[ours]) return NULL;
    *size = sizes[ours];
    places[ours] = (unsigned char *)padici_alloc(cl->env.allocator, *size, 16);
    if (places[ours] &&
        (*cl->api.GetProgramInfo)(built->program, PADICI_CL_PROGRAM_BINARIES,
                                  bytes / sizeof devices[0] * sizeof places[0], (void *)places,
                                  NULL)) {
        padici_free(cl->env.allocator, places[ours], *size);
        return NULL;
    }
    return places[ours];
}

// All kernels are there and gave the right answers: the binary may be stored.
static void padici_cl_keep(padic_device *device, padic_program *program)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_built_program *built = (padici_cl_built_program *)(void *)program;
    size_t size = 0;
    void *binary;
    if (!built->fresh || built->missing || !built->keyed || cl->lost) return;
    built->fresh = 0;
    if (!cl->env.cache || !cl->env.cache->store) return;
    binary = padici_cl_binary(cl, built, &size);
    if (!binary) return;
    padici_cache_store(&cl->env, built->key.space, PADICI_CACHE_OPENCL, binary, size);
    padici_free(cl->env.allocator, binary, size);
}

// room: src/gpu/opencl/launches.c
// ---- launches and recordings

static int32_t padici_cl_arguments(const padici_cl *cl, padici_cl_kernel kernel,
                                   const padic_launch *launch)
{
    int32_t code = 0;
    uint32_t i;
    for (i = 0; i < launch->mem_count && !code; i++) {
        padici_cl_mem mem = padici_cl_mem_of(launch->mem[i]);
        code = (*cl->api.SetKernelArg)(kernel, i, sizeof mem, &mem);
    }
    return code ? code
                : (*cl->api.SetKernelArg)(kernel, launch->mem_count, launch->params_size,
                                          launch->params);
}

static void padici_cl_shape(padici_cl_node *node, const padic_launch *launch)
{
    memset(node, 0, sizeof *node);
    node->global[0] = (size_t)launch->groups[0] * launch->group;
    node->global[1] = launch->groups[1];
    node->global[2] = launch->groups[2];
    node->local[0] = launch->group;
    node->local[1] = node->local[2] = 1;
    node->dimensions = launch->groups[2] > 1 ? 3 : launch->groups[1] > 1 ? 2 : 1;
}

// A node with a kernel of its own, whose arguments are set once for all replays.
static padic_result padici_cl_record_launch(padici_cl *cl, const padici_cl_built_program *built,
                                            const padic_launch *launch)
{
    padici_cl_node *node = padici_cl_node_new(cl);
    int32_t code = 0;
    if (!node) return cl->recording->result = padici_cl_no_memory(cl);
    padici_cl_shape(node, launch);
    node->kernel = (*cl->api.CreateKernel)(built->program,
                                           built->text->kernels[launch->kernel].name, &code);
    if (code) {
        cl->recording->count--;
        return cl->recording->result = padici_cl_check(cl, "clCreateKernel", code);
    }
    code = padici_cl_arguments(cl, node->kernel, launch);
    if (!code) return PADIC_OK;
    (void)(*cl->api.ReleaseKernel)(node->kernel);
    cl->recording->count--;
    return cl->recording->result = padici_cl_check(cl, "clSetKernelArg", code);
}

static padic_result padici_cl_launch(padic_device *device, const padic_launch *launch)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    const padici_cl_built_program *built =
        (const padici_cl_built_program *)(const void *)launch->program;
    padici_cl_node node;
    int32_t code;
    if (cl->lost) return padici_cl_lost(cl);
    if (!built->kernels[launch->kernel])
        return padici_cl_say(cl, PADIC_ERROR_BUILD, "the driver could not create ",
                             built->text->kernels[launch->kernel].name);
    if (cl->recording) return padici_cl_record_launch(cl, built, launch);
    padici_cl_shape(&node, launch);
    node.kernel = built->kernels[launch->kernel];
    code = padici_cl_arguments(cl, node.kernel, launch);
    if (code) return padici_cl_check(cl, "clSetKernelArg", code);
    return padici_cl_enqueue(cl, &node);
}

static void padici_cl_recording_end(padici_cl *cl, padici_cl_recording *r)
{
    padici_cl_recording **link = &cl->recordings;
    uint32_t i;
    while (*link && *link != r) link = &(*link)->next;
    if (*link) *link = r->next;
    for (i = 0; i < r->count; i++)
        if (r->nodes[i].kernel) (void)(*cl->api.ReleaseKernel)(r->nodes[i].kernel);
    padici_free(cl->env.allocator, r->nodes, r->capacity * sizeof *r->nodes);
    padici_free(cl->env.allocator, r, sizeof *r);
}

// BEGIN: commands are kept, not queued, until END returns them. END after a command that failed
// returns its error and nothing else. DROP ends *recording, or the open one.
static padic_result padici_cl_record(padic_device *device, int action, padic_recording **recording)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_recording *r = cl->recording;
    padic_result result;
    if (action == PADIC_RECORD_DROP) {
        if (recording && *recording) {
            r = (padici_cl_recording *)(void *)*recording;
            *recording = NULL;
        } else {
            cl->recording = NULL;
        }
        if (r) padici_cl_recording_end(cl, r);
        return PADIC_OK;
    }
    if (recording) *recording = NULL;
    if (cl->lost) return padici_cl_lost(cl);
    if (action == PADIC_RECORD_BEGIN) {
        if (r) return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "already recording", "");
        r = (padici_cl_recording *)padici_alloc(cl->env.allocator, sizeof *r, 16);
        if (!r) return padici_cl_no_memory(cl);
        memset(r, 0, sizeof *r);
        r->next = cl->recordings;
        cl->recordings = cl->recording = r;
        return PADIC_OK;
    }
    if (!r || !recording) return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "not recording", "");
    cl->recording = NULL;
    result = r->result;
    if (result)
        padici_cl_recording_end(cl, r);
    else
        *recording = (padic_recording *)(void *)r;
    return result;
}

static padic_result padici_cl_replay(padic_device *device, padic_recording *recording,
                                     uint32_t times)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    const padici_cl_recording *r = (const padici_cl_recording *)(const void *)recording;
    padic_result result = PADIC_OK;
    uint32_t t, i;
    if (cl->lost) return padici_cl_lost(cl);
    for (t = 0; t < times; t++)
        for (i = 0; i < r->count && !result; i++) result = padici_cl_enqueue(cl, &r->nodes[i]);
    return result;
}

// A stamp is the end of a marker in the queue, on the device's clock.
static padic_result padici_cl_time(padic_device *device, uint32_t slot, uint64_t *ns)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_event event = NULL;
    int32_t code;
    if (ns) *ns = 0;
    if (cl->lost) return padici_cl_lost(cl);
    if (!(cl->info.features & PADIC_FEATURE_TIME))
        return padici_cl_say(cl, PADIC_ERROR_NOT_SUPPORTED, "this queue has no trusted clock", "");
    if (slot >= PADIC_TIME_SLOTS || (ns && !cl->stamps[slot]))
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "no such time stamp", "");
    if (ns)
        return padici_cl_check(cl, "clGetEventProfilingInfo",
                               (*cl->api.GetEventProfilingInfo)(cl->stamps[slot],
                                                                PADICI_CL_PROFILING_END,
                                                                sizeof *ns, ns, NULL));
    code = (*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &event);
    if (code) return padici_cl_check(cl, "clEnqueueMarkerWithWaitList", code);
    if (cl->stamps[slot]) (void)(*cl->api.ReleaseEvent)(cl->stamps[slot]);
    cl->stamps[slot] = event;
    return PADIC_OK;
}

static void padici_cl_close(padic_device *device)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    uint32_t i;
    if (!cl->lost) (void)padici_cl_finish(cl);
    for (i = 0; i < PADIC_TIME_SLOTS; i++)
        if (cl->stamps[i]) (void)(*cl->api.ReleaseEvent)(cl->stamps[i]);
    padici_cl_ring_end(cl);
    while (cl->recordings) padici_cl_recording_end(cl, cl->recordings);
    while (cl->programs) {
        padici_cl_built_program *built = cl->programs;
        cl->programs = built->next;
        padici_cl_program_end(cl, built);
    }
    padici_cl_end(cl);
}

PADIC_API const padic_backend *padic_opencl(void)
{
    static const padic_backend opencl = {PADIC_BACKEND_VERSION,
                                         "opencl",
                                         padici_cl_open,
                                         padici_cl_close,
                                         padici_cl_info,
                                         padici_cl_alloc,
                                         padici_cl_free,
                                         padici_cl_upload,
                                         padici_cl_download,
                                         padici_cl_copy,
                                         padici_cl_fill,
                                         padici_cl_make_program,
                                         padici_cl_launch,
                                         padici_cl_sync,
                                         padici_cl_record,
                                         padici_cl_replay,
                                         padici_cl_time,
                                         NULL,
                                         0,
                                         padici_gpu_drive,
                                         padici_cl_keep};
    return &opencl;
}
// room: src/gpu/opencl/padic_opencl.in.h:90

#endif // PADIC_OPENCL_IMPLEMENTED
