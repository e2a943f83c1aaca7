// padic_cuda.h: NVIDIA GPUs by the CUDA driver and NVRTC, both opened at run time. Include after
// padic.h; where PADIC_IMPLEMENTATION is defined for that, this file's functions are compiled, too.
// No CUDA header and no link flag is needed (-ldl where the platform still wants it).
//
//     padic_context_desc desc = PADIC_ZERO;
//     desc.backends[0] = padic_cuda();
//     padic_context_create(&desc, &context);        // no GPU here: the CPU does it, one log line
//
// Kernels are compiled for the GPU that is there by NVRTC, which comes with the CUDA toolkit (11.1
// or later; 12 or 13 is best), not with the driver. Where it is missing, programs that were shipped
// as PTX serve (PADIC_CUDA_PTX, below), else the answer is NO_DEVICE.
//
// padic_device_desc:
//     name, index     part of a device's name; the index-th of those that match, best first
//     native_context  the engine's CUcontext; it stays the engine's. Without: the primary context
//     native_queue    the engine's CUstream (its context is found from it when native_context is
//                     NULL; the legacy stream is (void *)1). Without: a non-blocking one of our own
//     library_path    the driver, tried before libcuda.so.1, libcuda.so, nvcuda.dll
//     compiler_path   NVRTC, tried before libnvrtc.so, .so.13, .so.12, .so.11.2 and the DLLs'
//                     names, then lib64 or bin below CUDA_PATH (an environment variable)
// padic_buffer_desc.native is a CUdeviceptr. The context is pushed on entry to each call and popped
// before it returns, so an engine's current context stays as it was.
//
// A kernel that faults (DEVICE_LOST) mostly spoils CUDA for the whole process, the engine's own use
// included: a new context then gets NO_DEVICE here, and the next backend or the CPU goes on.
//
// What a recording holds is a CUDA graph. While an engine captures its own stream, launches, copies
// and fills become nodes of the engine's graph; calls that would break its capture are refused.
//
// PADIC_CUDA_PTX: define it as the name of a header that was written by
// backends/kernels/make_ptx.py with the oldest toolkit at hand, and its PTX is compiled in.
#ifndef PADIC_CUDA_H
#define PADIC_CUDA_H

#ifndef PADIC_HEADER
#error "include padic.h before padic_cuda.h"
#endif
#if PADIC_BACKEND_VERSION != 2
#error "padic_cuda.h was made for another version of padic.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

PADIC_API const padic_backend *padic_cuda(void);

#ifdef __cplusplus
}
#endif
#endif // PADIC_CUDA_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_CUDA_IMPLEMENTED)
#include "padic_gpu.h"
#define PADIC_CUDA_IMPLEMENTED

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef PADIC_CUDA_PTX
typedef struct padici_cuda_ptx_row { // a program that is compiled in
    const char *name;
    uint64_t hash;       // of its text
    const char *defines; // with spaces between
    const unsigned char *text;
    size_t size; // a 0 at the end counts
} padici_cuda_ptx_row;
#include PADIC_CUDA_PTX
#endif

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#define PADICI_CUDA_CALL __stdcall
#else
#include <dlfcn.h>
#define PADICI_CUDA_CALL
#endif

// room: src/gpu/cuda/loader.c
// -------------------------------------------------------------------------------------- >>loader

typedef uint64_t padici_cuda_pointer; // CUdeviceptr

// (name, parameters): functions of the driver; each returns a CUresult. Handles are void *.
#define PADICI_CUDA_REQUIRED(X)                                                                  \
    X(cuInit, (unsigned flags))                                                                  \
    X(cuDriverGetVersion, (int *version))                                                        \
    X(cuDeviceGetCount, (int *count))                                                            \
    X(cuDeviceGet, (int *device, int ordinal))                                                   \
    X(cuDeviceGetName, (char *name, int size, int device))                                       \
    X(cuDeviceTotalMem_v2, (size_t * size, int device))                                          \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                             \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))                                    \
    X(cuDevicePrimaryCtxRelease_v2, (int device))                                                \
    X(cuCtxPushCurrent_v2, (void *context))                                                      \
    X(cuCtxPopCurrent_v2, (void **context))                                                      \
    X(cuCtxGetDevice, (int *device))                                                             \
    X(cuModuleLoadData, (void **module, const void *image))                                      \
    X(cuModuleUnload, (void *module))                                                            \
    X(cuModuleGetFunction, (void **function, void *module, const char *name))                    \
    X(cuMemAlloc_v2, (padici_cuda_pointer * pointer, size_t size))                               \
    X(cuMemFree_v2, (padici_cuda_pointer pointer))                                               \
    X(cuMemcpyHtoDAsync_v2, (padici_cuda_pointer to, const void *from, size_t n, void *stream))  \
    X(cuMemcpyDtoHAsync_v2, (void *to, padici_cuda_pointer from, size_t n, void *stream))        \
    X(cuMemcpyDtoDAsync_v2,                                                                      \
      (padici_cuda_pointer to, padici_cuda_pointer from, size_t n, void *stream))                \
    X(cuMemsetD32Async, (padici_cuda_pointer to, unsigned value, size_t n, void *stream))        \
    X(cuLaunchKernel,                                                                            \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,          \
       unsigned bz, unsigned shared, void *stream, void **parameters, void **extra))             \
    X(cuStreamCreate, (void **stream, unsigned flags))                                           \
    X(cuStreamDestroy_v2, (void *stream))                                                        \
    X(cuStreamSynchronize, (void *stream))

// Without these a feature is missing: sentences, more local memory, pinned memory, borrowed
// streams, graphs, time.
#define PADICI_CUDA_OPTIONAL(X)                                                                  \
    X(cuGetErrorName, (int error, const char **name))                                            \
    X(cuFuncSetAttribute, (void *function, int attribute, int value))                            \
    X(cuMemGetInfo_v2, (size_t * idle, size_t *total))                                           \
    X(cuMemHostAlloc, (void **pointer, size_t size, unsigned flags))                             \
    X(cuMemFreeHost, (void *pointer))                                                            \
    X(cuPointerGetAttribute, (void *value, int attribute, padici_cuda_pointer pointer))          \
    X(cuStreamGetCtx, (void *stream, void **context))                                            \
    X(cuThreadExchangeStreamCaptureMode, (int *mode))                                            \
    X(cuStreamIsCapturing, (void *stream, int *status))                                          \
    X(cuStreamBeginCapture_v2, (void *stream, int mode))                                         \
    X(cuStreamEndCapture, (void *stream, void **graph))                                          \
    X(cuGraphInstantiateWithFlags, (void **made, void *graph, unsigned long long flags))         \
    X(cuGraphLaunch, (void *made, void *stream))                                                 \
    X(cuGraphExecDestroy, (void *made))                                                          \
    X(cuGraphDestroy, (void *graph))                                                             \
    X(cuEventCreate, (void **event, unsigned flags))                                             \
    X(cuEventDestroy_v2, (void *event))                                                          \
    X(cuEventRecord, (void *event, void *stream))                                                \
    X(cuEventSynchronize, (void *event))                                                         \
    X(cuEventElapsedTime, (float *ms, void *begin, void *end))

#define PADICI_NVRTC_REQUIRED(X)                                                                 \
    X(nvrtcVersion, (int *major, int *minor))                                                    \
    X(nvrtcCreateProgram, (void **program, const char *text, const char *name, int headers,      \
                           const char *const *header_texts, const char *const *header_names))    \
    X(nvrtcDestroyProgram, (void **program))                                                     \
    X(nvrtcCompileProgram, (void *program, int count, const char *const *options))               \
    X(nvrtcGetProgramLogSize, (void *program, size_t *size))                                     \
    X(nvrtcGetProgramLog, (void *program, char *log))                                            \
    X(nvrtcGetPTXSize, (void *program, size_t *size))                                            \
    X(nvrtcGetPTX, (void *program, char *text))

#define PADICI_NVRTC_OPTIONAL(X)                    /* from 11.1, and from 11.2 */              \
    X(nvrtcGetCUBINSize, (void *program, size_t *size))                                          \
    X(nvrtcGetCUBIN, (void *program, char *image))                                               \
    X(nvrtcGetNumSupportedArchs, (int *count))                                                   \
    X(nvrtcGetSupportedArchs, (int *archs))

#define PADICI_CUDA_FIELD(name, parameters) int(PADICI_CUDA_CALL *name) parameters;
#define PADICI_NVRTC_FIELD(name, parameters) int (*name) parameters;
typedef struct padici_cuda_api {
    PADICI_CUDA_REQUIRED(PADICI_CUDA_FIELD)
    PADICI_CUDA_OPTIONAL(PADICI_CUDA_FIELD)
} padici_cuda_api;
typedef struct padici_nvrtc_api {
    PADICI_NVRTC_REQUIRED(PADICI_NVRTC_FIELD)
    PADICI_NVRTC_OPTIONAL(PADICI_NVRTC_FIELD)
} padici_nvrtc_api;

typedef struct padici_cuda_symbol {
    const char *name;
    size_t at; // of its pointer in the struct
    int required;
} padici_cuda_symbol;

#define PADICI_CUDA_ROW(name, parameters) {#name, offsetof(padici_cuda_api, name), 1},
#define PADICI_CUDA_ROW_OPTIONAL(name, parameters) {#name, offsetof(padici_cuda_api, name), 0},
static const padici_cuda_symbol padici_cuda_symbols[] = {PADICI_CUDA_REQUIRED(
    PADICI_CUDA_ROW) PADICI_CUDA_OPTIONAL(PADICI_CUDA_ROW_OPTIONAL){NULL, 0, 0}};

#define PADICI_NVRTC_ROW(name, parameters) {#name, offsetof(padici_nvrtc_api, name), 1},
#define PADICI_NVRTC_ROW_OPTIONAL(name, parameters) {#name, offsetof(padici_nvrtc_api, name), 0},
static const padici_cuda_symbol padici_nvrtc_symbols[] = {PADICI_NVRTC_REQUIRED(
    PADICI_NVRTC_ROW) PADICI_NVRTC_OPTIONAL(PADICI_NVRTC_ROW_OPTIONAL){NULL, 0, 0}};

// A library by its path or name; NULL when it is not there. Libraries of the driver are never
// closed: they keep threads and exit handlers.
static void *padici_cuda_library(const char *name, int system_only)
{
#ifdef _WIN32
    void *library = NULL;
    // LOAD_LIBRARY_SEARCH_SYSTEM32: no driver from the folder of the program.
    HMODULE module = LoadLibraryExA(name, NULL, system_only ? 0x00000800 : 0);
    memcpy(&library, &module, sizeof library);
    return library;
#else
    (void)system_only;
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}

// Fills the struct of pointers. Returns the first required name that is missing, else NULL.
static const char *padici_cuda_resolve(void *library, const padici_cuda_symbol *symbols, void *api)
{
    for (; symbols->name; symbols++) {
#ifdef _WIN32
        HMODULE module;
        FARPROC found;
        memcpy(&module, &library, sizeof module);
        found = GetProcAddress(module, symbols->name);
#else
        void *found = dlsym(library, symbols->name);
#endif
        if (!found && symbols->required) return symbols->name;
        memcpy((char *)api + symbols->at, &found, sizeof found);
    }
    return NULL;
}

static void *padici_cuda_library_any(const char *path, const char *const *names, int system_only)
{
    void *library = path ? padici_cuda_library(path, 0) : NULL;
    for (; !library && *names; names++) library = padici_cuda_library(*names, system_only);
    return library;
}

// NVRTC below CUDA_PATH, where the loader does not look by itself.
static void *padici_nvrtc_below(void)
{
#ifdef _WIN32
    static const char *const ends[] = {"\\bin\\x64\\nvrtc64_130_0.dll", "\\bin\\nvrtc64_130_0.dll",
                                       "\\bin\\nvrtc64_120_0.dll", "\\bin\\nvrtc64_112_0.dll",
                                       NULL};
    char root[512];
    const DWORD length = GetEnvironmentVariableA("CUDA_PATH", root, sizeof root);
    if (!length || length >= sizeof root) return NULL;
#else
    static const char *const ends[] = {"/lib64/libnvrtc.so", NULL};
    const char *root = getenv("CUDA_PATH");
    if (!root || !*root) root = "/usr/local/cuda";
#endif
    {
        char path[600];
        void *library = NULL;
        uint32_t i;
        for (i = 0; ends[i] && !library; i++) {
            padici_text text;
            padici_text_begin(&text, path, sizeof path);
            padici_text_add(&text, root);
            padici_text_add(&text, ends[i]);
            library = padici_cuda_library(path, 0);
        }
        return library;
    }
}

// room: src/gpu/cuda/device.c
// -------------------------------------------------------------------------------------- >>device

#define PADICI_CUDA_RING (UINT64_C(4) << 20) // bytes of one of the two halves
#define PADICI_CUDA_SLOTS 65536u             // time stamps

typedef struct padici_cuda_image { // of the environment's allocator
    void *data;
    size_t size;
    uint32_t kind; // PADICI_CACHE_CUBIN, PADICI_CACHE_PTX
} padici_cuda_image;

typedef struct padici_cuda_program {
    struct padici_cuda_program *next;
    void *module;
    uint32_t program, kernel_count;
    uint32_t dynamic;        // bytes of local memory that each launch asks for: PD_DYNAMIC_BYTES
    padici_cuda_image image; // kept with its key for the cache, until keep()
    char *key;
} padici_cuda_program; // then void *functions[kernel_count], NULL for a kernel this variant lacks

typedef struct padici_cuda_recording {
    struct padici_cuda_recording *next;
    void *made; // CUgraphExec
} padici_cuda_recording;

// Pinned memory that uploads pass through: their source is free when the call returns, and the
// queue runs on. One half fills while the other's copies end.
typedef struct padici_cuda_ring {
    char *memory;
    uint64_t used; // of the half in use
    uint32_t half, busy[2];
    void *events[2];
} padici_cuda_ring;

// Stamps are events; times count from a base event, which moves on so that a float of milliseconds
// stays exact.
typedef struct padici_cuda_clock {
    void **events;
    uint64_t *sequence; // when it was stamped; 0: never
    uint32_t count, last;
    uint64_t stamps, base_sequence, base_ns;
    void *base, *spare;
} padici_cuda_clock;

typedef struct padici_cuda { // what a padic_device of this backend is
    padic_env env;
    char nothing[8]; // the message, when the environment has no room for one
    padici_cuda_api api;
    padici_nvrtc_api nvrtc;
    uint32_t is_open, has_nvrtc, retained, own_stream, lost;
    int device, driver, arch; // arch 90: compute capability 9.0
    int nvrtc_major, nvrtc_minor;
    int exact, virtual_arch; // NVRTC compiles for this chip; the best compute_ it has for it
    void *context, *stream;
    char *kernel_dir; // a copy
    padic_device_info info;
    padici_cuda_program *programs;
    padici_cuda_recording *recordings, *recording; // recording: open now
    padici_cuda_ring ring;
    padici_cuda_clock clock;
    uint32_t last_op;
} padici_cuda;

static void **padici_cuda_functions(padici_cuda_program *program)
{
    return (void **)(void *)(program + 1);
}

// Sentences.

static void padici_cuda_say(padici_cuda *cuda, padici_text *text)
{
    padici_text_begin(text, cuda->env.message, cuda->env.message_size);
    padici_text_add(text, "cuda: ");
}

static padic_result padici_cuda_fail(padici_cuda *cuda, padic_result result, const char *sentence)
{
    padici_text text;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, sentence);
    return result;
}

// Answers after which the driver's context is gone for good.
static int padici_cuda_is_lost(int error)
{
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719) ||
           error == 999;
}

static void padici_cuda_say_memory(padici_cuda *cuda, padici_text *text, uint64_t asked)
{
    size_t idle = 0, total = 0;
    padici_text_add(text, "; out of device memory");
    if (asked) {
        padici_text_add(text, ": ");
        padici_text_number(text, asked, 1);
        padici_text_add(text, " bytes asked for");
    }
    if (asked && cuda->api.cuMemGetInfo_v2 && !cuda->api.cuMemGetInfo_v2(&idle, &total)) {
        padici_text_add(text, ", ");
        padici_text_number(text, idle, 1);
        padici_text_add(text, " of ");
        padici_text_number(text, total, 1);
        padici_text_add(text, " free");
    }
}

static const char *padici_cuda_op_name(uint32_t op)
{
    return op > PADIC_OP_NONE && op < PADIC_OP_COUNT ? padici_op_rows[op].name : "a launch";
}

// What an answer of the driver means, with a sentence. `asked`: the bytes of an allocation, or 0.
static padic_result padici_cuda_answer(padici_cuda *cuda, int error, const char *call,
                                       uint64_t asked)
{
    padici_text text;
    const char *name = NULL;
    if (!error) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, call);
    padici_text_add(&text, " answered ");
    padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    if (cuda->api.cuGetErrorName && !cuda->api.cuGetErrorName(error, &name) && name) {
        padici_text_add(&text, " (");
        padici_text_add(&text, name);
        padici_text_add(&text, ")");
    }
    if (error == 2) {
        padici_cuda_say_memory(cuda, &text, asked);
        return PADIC_ERROR_MEMORY;
    }
    if (padici_cuda_is_lost(error)) {
        cuda->lost = 1;
        if (cuda->is_open) {
            padici_text_add(&text, "; the device is lost after ");
            padici_text_add(&text, padici_cuda_op_name(cuda->last_op));
            padici_text_add(&text, ": run it under compute-sanitizer to see why");
        } else {
            padici_text_add(&text, "; an earlier fault has spoilt CUDA for this process");
        }
        return PADIC_ERROR_DEVICE_LOST;
    }
    if (error >= 900 && error <= 908)
        padici_text_add(&text, "; the capture of the stream forbids it or is broken");
    return PADIC_ERROR_DEVICE;
}

// Every entry point pushes the context and pops it again: enter, then leave with the result.
static padic_result padici_cuda_enter(padici_cuda *cuda)
{
    if (cuda->lost)
        return padici_cuda_fail(cuda, PADIC_ERROR_DEVICE_LOST,
                                "the device is lost: make a new context");
    return padici_cuda_answer(cuda, cuda->api.cuCtxPushCurrent_v2(cuda->context),
                              "cuCtxPushCurrent", 0);
}

static padic_result padici_cuda_leave(padici_cuda *cuda, padic_result result)
{
    void *popped = NULL;
    (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    return result;
}

// Calls that would break a capture are refused before the driver sees them.
static padic_result padici_cuda_no_capture(padici_cuda *cuda, const char *call)
{
    padici_text text;
    int status = 0;
    if (!cuda->recording && !cuda->own_stream && cuda->api.cuStreamIsCapturing &&
        cuda->api.cuStreamIsCapturing(cuda->stream, &status))
        status = 0; // the legacy stream while others capture: the call itself will say so
    if (!cuda->recording && !status) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "no ");
    padici_text_add(&text, call);
    padici_text_add(&text, cuda->recording ? " while a recording is open"
                                           : " while the engine captures its stream");
    return PADIC_ERROR_ARGUMENT;
}

static padic_result padici_cuda_enter_idle(padici_cuda *cuda, const char *call)
{
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_no_capture(cuda, call);
    return result ? padici_cuda_leave(cuda, result) : PADIC_OK;
}

// room: src/gpu/cuda/choose.c
// The driver library, and which device of the machine.

static padic_result padici_cuda_no_driver(padici_cuda *cuda, int error)
{
    const char *why = "no NVIDIA driver is installed";
    switch (error) {
    case -1: break;
    case 34: why = "the toolkit's stub library was found instead of the driver"; break;
    case 100: why = "there is a driver, but no device is visible (CUDA_VISIBLE_DEVICES?)"; break;
    case 803:
        why = "the driver library does not fit the kernel module: reboot after the driver's update";
        break;
    case 804:
        why = "the CUDA compatibility package does not fit this driver or GPU: update the driver";
        break;
    case 999: why = "the driver cannot start (999): is its kernel module loaded?"; break;
    default: return padici_cuda_answer(cuda, error, "cuInit", 0);
    }
    return padici_cuda_fail(cuda, PADIC_ERROR_NO_DEVICE, why);
}

static padic_result padici_cuda_load_driver(padici_cuda *cuda, const char *path)
{
#ifdef _WIN32
    static const char *const names[] = {"nvcuda.dll", NULL};
#else
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
#endif
    void *library = padici_cuda_library_any(path, names, 1);
    const char *missing;
    int error;
    if (!library) return padici_cuda_no_driver(cuda, -1);
    missing = padici_cuda_resolve(library, padici_cuda_symbols, &cuda->api);
    if (missing) {
        padici_text text;
        padici_cuda_say(cuda, &text);
        padici_text_add(&text, "the driver is too old: it has no ");
        padici_text_add(&text, missing);
        return PADIC_ERROR_NO_DEVICE;
    }
    error = cuda->api.cuInit(0);
    if (error) return padici_cuda_no_driver(cuda, error);
    return padici_cuda_answer(cuda, cuda->api.cuDriverGetVersion(&cuda->driver),
                              "cuDriverGetVersion", 0);
}

static int padici_cuda_attribute(padici_cuda *cuda, int attribute, int device)
{
    int value = 0;
    return cuda->api.cuDeviceGetAttribute(&value, attribute, device) ? 0 : value;
}

// Part of a name, whatever the case of its letters. Empty or NULL matches.
static int padici_cuda_name_has(const char *name, const char *part)
{
    size_t i;
    if (!part || !*part) return 1;
    for (; *name; name++) {
        for (i = 0; part[i]; i++) {
            const char a = name[i], b = part[i];
            if ((a >= 'A' && a <= 'Z' ? a + 32 : a) != (b >= 'A' && b <= 'Z' ? b + 32 : b)) break;
        }
        if (!part[i]) return 1;
    }
    return 0;
}

// Multiprocessors times clock; 0 for a device that forbids contexts or is not asked for.
static uint64_t padici_cuda_score(padici_cuda *cuda, int ordinal, const char *name)
{
    char own[64];
    int device = 0;
    if (cuda->api.cuDeviceGet(&device, ordinal)) return 0;
    memset(own, 0, sizeof own);
    if (cuda->api.cuDeviceGetName(own, (int)sizeof own - 1, device)) return 0;
    if (!padici_cuda_name_has(own, name)) return 0;
    if (padici_cuda_attribute(cuda, 20, device) == 2) return 0; // compute mode: prohibited
    return 1 + (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 16, device) *
                   (1 + (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 13, device));
}

// The index-th best of the devices that match.
static padic_result padici_cuda_choose(padici_cuda *cuda, const padic_device_desc *desc)
{
    int count = 0, i, best = -1, last = -1;
    uint64_t ceiling = UINT64_MAX; // score of the one before
    uint32_t turn;
    padic_result result =
        padici_cuda_answer(cuda, cuda->api.cuDeviceGetCount(&count), "cuDeviceGetCount", 0);
    if (result) return result;
    for (turn = 0; turn <= desc->index; turn++) {
        uint64_t top = 0;
        best = -1;
        for (i = 0; i < count; i++) {
            const uint64_t score = padici_cuda_score(cuda, i, desc->name);
            if (score > ceiling || (score == ceiling && i <= last) || score <= top) continue;
            top = score;
            best = i;
        }
        if (best < 0) break;
        ceiling = top;
        last = best;
    }
    if (best < 0)
        return padici_cuda_fail(cuda, PADIC_ERROR_NO_DEVICE,
                                count ? "no device matches the name and index asked for"
                                      : "there is a driver, but no device");
    return padici_cuda_answer(cuda, cuda->api.cuDeviceGet(&cuda->device, best), "cuDeviceGet", 0);
}

// room: src/gpu/cuda/open.c
// A device: opened, described, closed.

// The device, its context and the queue: the engine's, or chosen and made here.
static padic_result padici_cuda_attach(padici_cuda *cuda, const padic_device_desc *desc)
{
    padic_result result = PADIC_OK;
    cuda->context = desc->native_context;
    cuda->stream = desc->native_queue;
    if (cuda->stream && !cuda->context) {
        if (!cuda->api.cuStreamGetCtx)
            return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT,
                                    "native_queue needs native_context with so old a driver");
        result = padici_cuda_answer(
            cuda, cuda->api.cuStreamGetCtx(cuda->stream, &cuda->context), "cuStreamGetCtx", 0);
        if (result) return result;
    }
    if (!cuda->context) {
        result = padici_cuda_choose(cuda, desc);
        if (result) return result;
        result = padici_cuda_answer(
            cuda, cuda->api.cuDevicePrimaryCtxRetain(&cuda->context, cuda->device),
            "cuDevicePrimaryCtxRetain", 0);
        if (result) cuda->context = NULL;
        cuda->retained = !result;
    }
    if (!result) result = padici_cuda_enter(cuda);
    if (result) return result;
    if (!cuda->retained)
        result =
            padici_cuda_answer(cuda, cuda->api.cuCtxGetDevice(&cuda->device), "cuCtxGetDevice", 0);
    if (!result && !cuda->stream) {
        // 1: does not wait for the legacy stream
        result = padici_cuda_answer(cuda, cuda->api.cuStreamCreate(&cuda->stream, 1),
                                    "cuStreamCreate", 0);
        if (result) cuda->stream = NULL;
        cuda->own_stream = !result;
    }
    return padici_cuda_leave(cuda, result);
}

static void padici_cuda_version_text(padici_text *text, int version)
{
    padici_text_number(text, (uint64_t)(uint32_t)version / 1000, 1);
    padici_text_add(text, ".");
    padici_text_number(text, (uint64_t)(uint32_t)version % 1000 / 10, 1);
}

static int padici_cuda_has_graphs(const padici_cuda_api *api)
{
    return api->cuStreamBeginCapture_v2 && api->cuStreamEndCapture &&
           api->cuGraphInstantiateWithFlags && api->cuGraphLaunch && api->cuGraphExecDestroy &&
           api->cuGraphDestroy;
}

static int padici_cuda_has_events(const padici_cuda_api *api)
{
    return api->cuEventCreate && api->cuEventDestroy_v2 && api->cuEventRecord &&
           api->cuEventSynchronize && api->cuEventElapsedTime;
}

static padic_result padici_cuda_describe(padici_cuda *cuda)
{
    padic_device_info *info = &cuda->info;
    padici_text text;
    size_t total = 0;
    int major, minor;
    padic_result result = padici_cuda_answer(
        cuda, cuda->api.cuDeviceGetName(info->name, (int)sizeof info->name - 1, cuda->device),
        "cuDeviceGetName", 0);
    if (!result)
        result = padici_cuda_answer(cuda, cuda->api.cuDeviceTotalMem_v2(&total, cuda->device),
                                    "cuDeviceTotalMem", 0);
    if (!result) // 75, 76: compute capability
        result = padici_cuda_answer(
            cuda, cuda->api.cuDeviceGetAttribute(&major, 75, cuda->device), "cuDeviceGetAttribute",
            0);
    if (!result)
        result = padici_cuda_answer(
            cuda, cuda->api.cuDeviceGetAttribute(&minor, 76, cuda->device), "cuDeviceGetAttribute",
            0);
    if (result) return result;
    cuda->arch = major * 10 + minor;
    memcpy(info->vendor, "NVIDIA", 7);
    memcpy(info->platform, "CUDA", 5);
    padici_text_begin(&text, info->driver, sizeof info->driver);
    padici_text_add(&text, "CUDA ");
    padici_cuda_version_text(&text, cuda->driver);
    padici_text_begin(&text, info->arch, sizeof info->arch);
    padici_text_add(&text, "sm_");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->arch, 1);
    info->features = PADIC_FEATURE_F64 | PADIC_FEATURE_I64_ATOMICS | PADIC_FEATURE_SUBGROUPS;
    if (cuda->arch >= 70) info->features |= PADIC_FEATURE_PROGRESS;
    if (padici_cuda_has_graphs(&cuda->api)) info->features |= PADIC_FEATURE_RECORD;
    if (padici_cuda_has_events(&cuda->api)) info->features |= PADIC_FEATURE_TIME;
    info->compute_units = (uint32_t)padici_cuda_attribute(cuda, 16, cuda->device);
    info->max_group = (uint32_t)padici_cuda_attribute(cuda, 1, cuda->device);
    info->subgroup = (uint32_t)padici_cuda_attribute(cuda, 10, cuda->device);
    info->alignment = 256;
    info->memory = info->max_alloc = total;
    info->local_bytes = (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 8, cuda->device);
    return PADIC_OK;
}

// What NVRTC can compile for this chip.
static void padici_nvrtc_archs(padici_cuda *cuda)
{
    const padici_nvrtc_api *api = &cuda->nvrtc;
    const int cubin = api->nvrtcGetCUBINSize && api->nvrtcGetCUBIN;
    int archs[128], count = 0, i;
    if (!api->nvrtcGetNumSupportedArchs || !api->nvrtcGetSupportedArchs) { // before 11.2
        cuda->exact = cubin && cuda->arch <= 86;
        cuda->virtual_arch = cuda->arch < 80 ? cuda->arch : 80;
        return;
    }
    if (api->nvrtcGetNumSupportedArchs(&count) || count < 1 || count > 128 ||
        api->nvrtcGetSupportedArchs(archs))
        return;
    for (i = 0; i < count; i++) {
        if (archs[i] == cuda->arch) cuda->exact = cubin;
        if (archs[i] <= cuda->arch && archs[i] > cuda->virtual_arch) cuda->virtual_arch = archs[i];
    }
}

static padic_result padici_cuda_no_compiler(padici_cuda *cuda, const char *why)
{
#ifdef PADIC_CUDA_PTX
    (void)cuda;
    (void)why;
    return PADIC_OK;
#else
    padici_text text;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, cuda->info.name);
    padici_text_add(&text, " is there, but kernels cannot be compiled for it: ");
    padici_text_add(&text, why);
    padici_text_add(&text, "; install a CUDA toolkit that fits, or build with PADIC_CUDA_PTX");
    return PADIC_ERROR_NO_DEVICE;
#endif
}

static padic_result padici_nvrtc_open(padici_cuda *cuda, const char *path)
{
#ifdef _WIN32
    static const char *const names[] = {"nvrtc64_130_0.dll", "nvrtc64_120_0.dll",
                                        "nvrtc64_112_0.dll", NULL};
#else
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so.11.2", NULL};
#endif
    void *library = padici_cuda_library_any(path, names, 0);
    if (!library) library = padici_nvrtc_below();
    if (!library) return padici_cuda_no_compiler(cuda, "NVRTC is not installed");
    if (padici_cuda_resolve(library, padici_nvrtc_symbols, &cuda->nvrtc) ||
        cuda->nvrtc.nvrtcVersion(&cuda->nvrtc_major, &cuda->nvrtc_minor))
        return padici_cuda_no_compiler(cuda, "the NVRTC found does not work");
    padici_nvrtc_archs(cuda);
    if (!cuda->exact && !cuda->virtual_arch)
        return padici_cuda_no_compiler(cuda, "the NVRTC found is too new for so old a chip");
    cuda->has_nvrtc = 1;
    return PADIC_OK;
}

static void padici_cuda_close(padic_device *device);

static padic_result padici_cuda_open(const padic_env *env, const padic_device_desc *desc,
                                     padic_device **out)
{
    padici_cuda *cuda = (padici_cuda *)padici_alloc(env->allocator, sizeof *cuda, 16);
    padic_result result;
    *out = NULL;
    if (!cuda) {
        if (env->message_size) env->message[0] = 0;
        return PADIC_ERROR_MEMORY;
    }
    memset(cuda, 0, sizeof *cuda);
    cuda->env = *env;
    if (!env->message_size) {
        cuda->env.message = cuda->nothing;
        cuda->env.message_size = sizeof cuda->nothing;
    }
    result = padici_cuda_load_driver(cuda, desc->library_path);
    if (!result && desc->kernel_dir) {
        const size_t size = strlen(desc->kernel_dir) + 1;
        cuda->kernel_dir = (char *)padici_alloc(env->allocator, size, 16);
        if (cuda->kernel_dir) memcpy(cuda->kernel_dir, desc->kernel_dir, size);
        if (!cuda->kernel_dir)
            result = padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory");
    }
    if (!result) result = padici_cuda_attach(cuda, desc);
    if (!result) result = padici_cuda_describe(cuda);
    if (!result) result = padici_nvrtc_open(cuda, desc->compiler_path);
    if (result) {
        const uint32_t lost = cuda->lost;
        padici_cuda_close((padic_device *)(void *)cuda);
        // It was lost before: an ordinary answer, so that the next backend or the CPU goes on.
        return lost ? PADIC_ERROR_NO_DEVICE : result;
    }
    cuda->is_open = 1;
    *out = (padic_device *)(void *)cuda;
    return PADIC_OK;
}

// What was held for the cache.
static void padici_cuda_forget(padici_cuda *cuda, padici_cuda_program *program)
{
    padici_free(cuda->env.allocator, program->image.data, program->image.size);
    padici_free(cuda->env.allocator, program->key, program->key ? strlen(program->key) + 1 : 0);
    program->image.data = NULL;
    program->key = NULL;
}

static void padici_cuda_drop_program(padici_cuda *cuda, padici_cuda_program *program)
{
    if (program->module) (void)cuda->api.cuModuleUnload(program->module);
    padici_cuda_forget(cuda, program);
    padici_free(cuda->env.allocator, program,
                sizeof *program + program->kernel_count * sizeof(void *));
}

static void padici_cuda_drop_recording(padici_cuda *cuda, padici_cuda_recording *recording)
{
    if (recording->made) (void)cuda->api.cuGraphExecDestroy(recording->made);
    padici_free(cuda->env.allocator, recording, sizeof *recording);
}

static void padici_cuda_drop_event(padici_cuda *cuda, void *event)
{
    if (event) (void)cuda->api.cuEventDestroy_v2(event);
}

static void padici_cuda_drop_ring(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    padici_cuda_drop_event(cuda, ring->events[0]);
    padici_cuda_drop_event(cuda, ring->events[1]);
    if (ring->memory) (void)cuda->api.cuMemFreeHost(ring->memory);
    memset(ring, 0, sizeof *ring);
}

static void padici_cuda_drop_clock(padici_cuda *cuda)
{
    padici_cuda_clock *clock = &cuda->clock;
    uint32_t i;
    for (i = 0; i < clock->count; i++) padici_cuda_drop_event(cuda, clock->events[i]);
    padici_cuda_drop_event(cuda, clock->base);
    padici_cuda_drop_event(cuda, clock->spare);
    padici_free(cuda->env.allocator, clock->events, clock->count * sizeof *clock->events);
    padici_free(cuda->env.allocator, clock->sequence, clock->count * sizeof *clock->sequence);
}

static void padici_cuda_abandon(padici_cuda *cuda);

// Also of a device half opened, and of a lost one: there the driver's answers do not matter, and
// giving back the primary context frees what is left.
static void padici_cuda_close(padic_device *device)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    const padic_allocator *allocator = cuda->env.allocator;
    void *popped = NULL;
    const int pushed = cuda->context && !cuda->api.cuCtxPushCurrent_v2(cuda->context);
    if (cuda->recording) padici_cuda_abandon(cuda);
    if (pushed && cuda->stream && !cuda->lost) (void)cuda->api.cuStreamSynchronize(cuda->stream);
    while (cuda->recordings) {
        padici_cuda_recording *recording = cuda->recordings;
        cuda->recordings = recording->next;
        padici_cuda_drop_recording(cuda, recording);
    }
    while (cuda->programs) {
        padici_cuda_program *program = cuda->programs;
        cuda->programs = program->next;
        padici_cuda_drop_program(cuda, program);
    }
    padici_cuda_drop_clock(cuda);
    padici_cuda_drop_ring(cuda);
    if (cuda->own_stream) (void)cuda->api.cuStreamDestroy_v2(cuda->stream);
    if (pushed) (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    if (cuda->retained) (void)cuda->api.cuDevicePrimaryCtxRelease_v2(cuda->device);
    padici_free(allocator, cuda->kernel_dir, cuda->kernel_dir ? strlen(cuda->kernel_dir) + 1 : 0);
    padici_free(allocator, cuda, sizeof *cuda);
}

static void padici_cuda_info(padic_device *device, padic_device_info *info)
{
    *info = ((padici_cuda *)(void *)device)->info;
}

// room: src/gpu/cuda/memory.c
// -------------------------------------------------------------------------------------- >>memory

static padic_result padici_cuda_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_pointer pointer = 0;
    padic_result result;
    out->bits = 0;
    result = padici_cuda_enter_idle(cuda, "allocation");
    if (result) return result;
    if (size > (size_t)-1) {
        result = padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "larger than an address");
    } else {
        result = padici_cuda_answer(cuda, cuda->api.cuMemAlloc_v2(&pointer, (size_t)size),
                                    "cuMemAlloc", size);
        if (!result) out->bits = pointer;
    }
    return padici_cuda_leave(cuda, result);
}

// During a capture (the engine's, say) the driver refuses to free unless told not to mind.
static void padici_cuda_free(padic_device *device, padic_mem mem, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    int mode = 2; // relaxed
    (void)size;
    if (cuda->lost || padici_cuda_enter(cuda)) return; // goes with the context
    if (cuda->api.cuThreadExchangeStreamCaptureMode)
        (void)cuda->api.cuThreadExchangeStreamCaptureMode(&mode);
    (void)cuda->api.cuMemFree_v2(mem.bits);
    if (cuda->api.cuThreadExchangeStreamCaptureMode)
        (void)cuda->api.cuThreadExchangeStreamCaptureMode(&mode);
    (void)padici_cuda_leave(cuda, PADIC_OK);
}

// Made at the first move; 0 when there is no pinned memory to be had.
static int padici_cuda_ring_ready(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    void *memory = NULL;
    uint32_t i;
    if (ring->memory) return 1;
    if (!cuda->api.cuMemHostAlloc || !cuda->api.cuMemFreeHost ||
        !padici_cuda_has_events(&cuda->api))
        return 0;
    if (cuda->api.cuMemHostAlloc(&memory, (size_t)(2 * PADICI_CUDA_RING), 0)) return 0;
    ring->memory = (char *)memory;
    for (i = 0; i < 2; i++) {
        if (cuda->api.cuEventCreate(&ring->events[i], 2)) { // 2: without a time
            ring->events[i] = NULL;
            padici_cuda_drop_ring(cuda);
            return 0;
        }
    }
    return 1;
}

// Goes on in the other half, as soon as its copies have ended.
static padic_result padici_cuda_ring_turn(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    padic_result result = padici_cuda_answer(
        cuda, cuda->api.cuEventRecord(ring->events[ring->half], cuda->stream), "cuEventRecord", 0);
    if (result) return result;
    ring->busy[ring->half] = 1;
    ring->half ^= 1;
    if (ring->busy[ring->half])
        result = padici_cuda_answer(cuda, cuda->api.cuEventSynchronize(ring->events[ring->half]),
                                    "cuEventSynchronize", 0);
    if (result) return result;
    ring->busy[ring->half] = 0;
    ring->used = 0;
    return PADIC_OK;
}

static padic_result padici_cuda_upload_ring(padici_cuda *cuda, padici_cuda_pointer to,
                                            const char *from, uint64_t size)
{
    padici_cuda_ring *ring = &cuda->ring;
    padic_result result = PADIC_OK;
    while (size && !result) {
        uint64_t piece = PADICI_CUDA_RING - ring->used;
        char *at;
        if (!piece) {
            result = padici_cuda_ring_turn(cuda);
            continue;
        }
        if (piece > size) piece = size;
        at = ring->memory + ring->half * PADICI_CUDA_RING + ring->used;
        memcpy(at, from, (size_t)piece);
        result = padici_cuda_answer(
            cuda, cuda->api.cuMemcpyHtoDAsync_v2(to, at, (size_t)piece, cuda->stream),
            "cuMemcpyHtoDAsync", 0);
        ring->used += (piece + 255) & ~UINT64_C(255);
        to += piece;
        from += piece;
        size -= piece;
    }
    return result;
}

static padic_result padici_cuda_wait(padici_cuda *cuda)
{
    padic_result result = padici_cuda_answer(cuda, cuda->api.cuStreamSynchronize(cuda->stream),
                                             "cuStreamSynchronize", 0);
    if (result) return result;
    cuda->ring.used = 0; // all its copies have ended
    cuda->ring.busy[0] = cuda->ring.busy[1] = 0;
    return PADIC_OK;
}

// Memory that the engine pinned itself is copied from where it is, and waited for.
static int padici_cuda_is_pinned(padici_cuda *cuda, const void *memory)
{
    unsigned type = 0; // 2: the kind of memory; 1: the host's, known to the driver
    return cuda->api.cuPointerGetAttribute &&
           !cuda->api.cuPointerGetAttribute(&type, 2, (padici_cuda_pointer)(uintptr_t)memory) &&
           type == 1;
}

static padic_result padici_cuda_upload(padic_device *device, padic_mem mem, uint64_t at,
                                       const void *from, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter_idle(cuda, "upload");
    if (result) return result;
    // A small one is sooner copied than asked about.
    if ((size < 65536 || !padici_cuda_is_pinned(cuda, from)) && padici_cuda_ring_ready(cuda)) {
        result = padici_cuda_upload_ring(cuda, mem.bits + at, (const char *)from, size);
    } else {
        result = padici_cuda_answer(
            cuda, cuda->api.cuMemcpyHtoDAsync_v2(mem.bits + at, from, (size_t)size, cuda->stream),
            "cuMemcpyHtoDAsync", 0);
        if (!result) result = padici_cuda_wait(cuda);
    }
    return padici_cuda_leave(cuda, result);
}

static padic_result padici_cuda_download(padic_device *device, padic_mem mem, uint64_t at,
                                         void *to, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    const padici_cuda_ring *ring = &cuda->ring;
    padic_result result = padici_cuda_enter_idle(cuda, "download");
    void *by = to;
    if (result) return result;
    // A few bytes by way of pinned memory: 2 us instead of 8.
    if (size <= 4096 && padici_cuda_ring_ready(cuda) && size <= PADICI_CUDA_RING - ring->used)
        by = ring->memory + ring->half * PADICI_CUDA_RING + ring->used;
    result = padici_cuda_answer(
        cuda, cuda->api.cuMemcpyDtoHAsync_v2(by, mem.bits + at, (size_t)size, cuda->stream),
        "cuMemcpyDtoHAsync", 0);
    if (!result) result = padici_cuda_wait(cuda);
    if (!result && by != to) memcpy(to, by, (size_t)size);
    return padici_cuda_leave(cuda, result);
}

static padic_result padici_cuda_copy(padic_device *device, padic_mem to, uint64_t at,
                                     padic_mem from, uint64_t from_at, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_answer(cuda,
                                cuda->api.cuMemcpyDtoDAsync_v2(to.bits + at, from.bits + from_at,
                                                               (size_t)size, cuda->stream),
                                "cuMemcpyDtoDAsync", 0);
    return padici_cuda_leave(cuda, result);
}

static padic_result padici_cuda_fill(padic_device *device, padic_mem mem, uint64_t at,
                                     uint32_t value, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_answer(
        cuda, cuda->api.cuMemsetD32Async(mem.bits + at, value, (size_t)(size / 4), cuda->stream),
        "cuMemsetD32Async", 0);
    return padici_cuda_leave(cuda, result);
}

// room: src/gpu/cuda/compile.c
// ------------------------------------------------------------------------------------ >>programs

// Compiling.

typedef struct padici_cuda_build {
    const padici_program_text *program;
    const padic_program_desc *desc;
    const char *text;
} padici_cuda_build;

// The compiler's log: all of it to the log hook, a line at a time, its beginning to the message.
static void padici_nvrtc_log(padici_cuda *cuda, void *handle, const char *name, int failed)
{
    padici_text text;
    size_t size = 0;
    char *log, *line, *end;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "NVRTC does not compile ");
    padici_text_add(&text, name);
    padici_text_add(&text, ": ");
    if (cuda->nvrtc.nvrtcGetProgramLogSize(handle, &size) || size < 2) return;
    log = (char *)padici_alloc(cuda->env.allocator, size + 1, 16);
    if (!log) return;
    if (!cuda->nvrtc.nvrtcGetProgramLog(handle, log)) {
        log[size] = 0;
        padici_text_add(&text, log);
        for (line = log; *line; line = end) {
            end = line + strcspn(line, "\n");
            if (*end) *end++ = 0;
            if (*line)
                padici_log_write(cuda->env.log, failed ? PADIC_LOG_ERROR : PADIC_LOG_WARNING, 0,
                                 line);
        }
    }
    padici_free(cuda->env.allocator, log, size + 1);
}

// Options and defines as an array of strings in one block.
static const char **padici_nvrtc_options(padici_cuda *cuda, const padic_program_desc *desc,
                                         const char *architecture, size_t *size)
{
    const uint32_t count = 3 + desc->define_count;
    padici_text text;
    const char **options;
    char *words;
    uint32_t i;
    *size = count * sizeof *options;
    for (i = 0; i < desc->define_count; i++) *size += strlen(desc->defines[i]) + 3;
    options = (const char **)padici_alloc(cuda->env.allocator, *size, 16);
    if (!options) return NULL;
    options[0] = architecture;
    options[1] = "--std=c++14";
    options[2] = "--fmad=false";
    words = (char *)(void *)(options + count);
    for (i = 0; i < desc->define_count; i++) {
        options[3 + i] = words;
        padici_text_begin(&text, words, strlen(desc->defines[i]) + 3);
        padici_text_add(&text, "-D");
        padici_text_add(&text, desc->defines[i]);
        words = text.at + 1;
    }
    return options;
}

// The image of a compiled program. An answer of NVRTC, or -1: no host memory.
static int padici_nvrtc_image(padici_cuda *cuda, void *handle, padici_cuda_image *image)
{
    const padici_nvrtc_api *api = &cuda->nvrtc;
    const int cubin = image->kind == PADICI_CACHE_CUBIN;
    int error = cubin ? api->nvrtcGetCUBINSize(handle, &image->size)
                      : api->nvrtcGetPTXSize(handle, &image->size);
    if (error || !image->size) return error ? error : 5;
    image->data = padici_alloc(cuda->env.allocator, image->size, 16);
    if (!image->data) return -1;
    error = cubin ? api->nvrtcGetCUBIN(handle, (char *)image->data)
                  : api->nvrtcGetPTX(handle, (char *)image->data);
    if (!error) return 0;
    padici_free(cuda->env.allocator, image->data, image->size);
    image->data = NULL;
    return error;
}

// Compiles for one architecture: "sm_", "compute_". The answer as above; 5: not that one.
static int padici_nvrtc_compile(padici_cuda *cuda, const padici_cuda_build *build,
                                const char *prefix, int arch, const char *suffix,
                                padici_cuda_image *image)
{
    char architecture[48];
    padici_text text;
    void *handle = NULL;
    const char **options;
    size_t size;
    int error;
    padici_text_begin(&text, architecture, sizeof architecture);
    padici_text_add(&text, "--gpu-architecture=");
    padici_text_add(&text, prefix);
    padici_text_number(&text, (uint64_t)(uint32_t)arch, 1);
    padici_text_add(&text, suffix);
    image->data = NULL;
    image->size = 0;
    image->kind = prefix[0] == 's' ? PADICI_CACHE_CUBIN : PADICI_CACHE_PTX;
    options = padici_nvrtc_options(cuda, build->desc, architecture, &size);
    if (!options) return -1;
    error = cuda->nvrtc.nvrtcCreateProgram(&handle, build->text, build->program->name, 0, NULL,
                                           NULL);
    if (!error) {
        error = cuda->nvrtc.nvrtcCompileProgram(handle, (int)(3 + build->desc->define_count),
                                                options);
        if (error != 5) padici_nvrtc_log(cuda, handle, build->program->name, error);
        if (!error) error = padici_nvrtc_image(cuda, handle, image);
        (void)cuda->nvrtc.nvrtcDestroyProgram(&handle);
    }
    padici_free(cuda->env.allocator, (void *)(uintptr_t)options, size);
    return error;
}

// NVRTC's answer as ours; the log has written the sentence for 6.
static padic_result padici_nvrtc_answer(padici_cuda *cuda, int error, const char *name)
{
    padici_text text;
    if (!error) return PADIC_OK;
    if (error == -1 || error == 1)
        return padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory while compiling");
    if (error == 6 && cuda->env.message[0]) return PADIC_ERROR_BUILD;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "NVRTC ");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_major, 1);
    padici_text_add(&text, ".");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_minor, 1);
    padici_text_add(&text, error == 5 ? " knows no architecture that fits " : " fails on ");
    padici_text_add(&text, error == 5 ? cuda->info.arch : name);
    padici_text_add(&text, ", answer ");
    padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    return PADIC_ERROR_BUILD;
}

// room: src/gpu/cuda/programs.c
// Programs of the driver: from PTX, from the cache or compiled; launches of their kernels.

// Whether the driver means the image, not the device or its memory.
static int padici_cuda_image_refused(int error)
{
    return error == 200 || error == 209 || error == 218 || error == 222 || error == 300;
}

static padic_result padici_cuda_load_answer(padici_cuda *cuda, int error)
{
    padici_text text;
    if (!padici_cuda_image_refused(error))
        return padici_cuda_answer(cuda, error, "cuModuleLoadData", 0);
    padici_cuda_say(cuda, &text);
    if (error == 222) {
        padici_text_add(&text, "the driver is for CUDA ");
        padici_cuda_version_text(&text, cuda->driver);
        padici_text_add(&text, " and this program's PTX is newer");
        if (cuda->has_nvrtc) {
            padici_text_add(&text, " (NVRTC ");
            padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_major, 1);
            padici_text_add(&text, ".");
            padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_minor, 1);
            padici_text_add(&text, ")");
        }
        padici_text_add(&text, ": update the driver or use an older toolkit");
    } else {
        padici_text_add(&text, "the driver refuses the program's code, answer ");
        padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    }
    return PADIC_ERROR_BUILD;
}

// Module and kernels of an image. A kernel that this variant lacks is NULL. The driver's answer.
static int padici_cuda_load(padici_cuda *cuda, const padici_cuda_image *image,
                            padici_cuda_program *program)
{
    const padici_program_text *text = &padici_programs[program->program];
    const char *bytes = (const char *)image->data;
    uint32_t i;
    int error;
    // The driver is told no size: what is no image must not reach it.
    if (image->kind == PADICI_CACHE_CUBIN ? image->size < 64 || memcmp(bytes, "\177ELF", 4)
                                          : !image->size || bytes[image->size - 1])
        return 200;
    error = cuda->api.cuModuleLoadData(&program->module, bytes);
    if (error) program->module = NULL;
    for (i = 0; i < program->kernel_count && !error; i++) {
        void **function = &padici_cuda_functions(program)[i];
        error = cuda->api.cuModuleGetFunction(function, program->module, text->kernels[i].name);
        if (error) *function = NULL;
        if (error == 500) error = 0; // there is none of that name
        if (*function && program->dynamic && // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            (!cuda->api.cuFuncSetAttribute ||
             cuda->api.cuFuncSetAttribute(*function, 8, (int)program->dynamic)))
            *function = NULL; // this chip has less
    }
    if (error && program->module) {
        (void)cuda->api.cuModuleUnload(program->module);
        program->module = NULL;
    }
    return error;
}

// Compiles and loads: code for the chip itself, then PTX of the best virtual architecture. A
// CUDA-only program gets the instructions that exist on this chip alone (sm_90a), where it can.
static padic_result padici_cuda_compile(padici_cuda *cuda, const padici_cuda_build *build,
                                        padici_cuda_program *program, padici_cuda_image *image)
{
    int error = 5, refused = 0, way;
    cuda->env.message[0] = 0;
    for (way = 0; way < 3; way++) {
        const int virtual_code = way == 2;
        if (way == 0 && !(build->program->cuda && cuda->arch >= 90 && cuda->exact)) continue;
        if (way == 1 && !cuda->exact) continue;
        if (virtual_code && !cuda->virtual_arch) continue;
        error = padici_nvrtc_compile(cuda, build, virtual_code ? "compute_" : "sm_",
                                     virtual_code ? cuda->virtual_arch : cuda->arch,
                                     way ? "" : "a", image);
        if (error == 5) continue;
        if (error) break;
        refused = padici_cuda_load(cuda, image, program);
        if (!refused) return PADIC_OK;
        padici_free(cuda->env.allocator, image->data, image->size);
        image->data = NULL;
        if (!padici_cuda_image_refused(refused)) break;
    }
    if (refused) return padici_cuda_load_answer(cuda, refused);
    return padici_nvrtc_answer(cuda, error, build->program->name);
}

#ifdef PADIC_CUDA_PTX
// Whether these are the wanted defines, in any order.
static int padici_cuda_defines_fit(const padic_program_desc *desc, const char *joined)
{
    uint32_t i, words = 0;
    const char *at;
    for (at = joined; *at; at++) words += *at != ' ' && (at == joined || at[-1] == ' ');
    if (words != desc->define_count) return 0;
    for (i = 0; i < desc->define_count; i++) {
        const size_t length = strlen(desc->defines[i]);
        for (at = strstr(joined, desc->defines[i]); at; at = strstr(at + 1, desc->defines[i]))
            if ((at == joined || at[-1] == ' ') && (!at[length] || at[length] == ' ')) break;
        if (!at) return 0;
    }
    return 1;
}

// From the PTX that was compiled in; NOT_SUPPORTED when this variant is not among it.
static padic_result padici_cuda_shipped(padici_cuda *cuda, const padici_cuda_build *build,
                                        padici_cuda_program *program)
{
    uint32_t i;
    for (i = 0; i < sizeof padici_cuda_ptx / sizeof *padici_cuda_ptx; i++) {
        padici_cuda_image image;
        if (strcmp(padici_cuda_ptx[i].name, build->program->name)) continue;
        if (padici_cuda_ptx[i].hash != build->program->hash) continue;
        if (!padici_cuda_defines_fit(build->desc, padici_cuda_ptx[i].defines)) continue;
        image.data = (void *)(uintptr_t)padici_cuda_ptx[i].text;
        image.size = padici_cuda_ptx[i].size;
        image.kind = PADICI_CACHE_PTX;
        return padici_cuda_load_answer(cuda, padici_cuda_load(cuda, &image, program));
    }
    return PADIC_ERROR_NOT_SUPPORTED;
}
#endif

// The key of what NVRTC makes; a copy of its text, NULL when nothing is to be cached.
static char *padici_cuda_key(padici_cuda *cuda, const padici_cuda_build *build, uint64_t hash)
{
    padici_cache_program fields;
    padici_cache_key key;
    padici_text text;
    char compiler[32], *copy;
    size_t size;
    if (!cuda->env.cache || !cuda->env.cache->load || !cuda->has_nvrtc) return NULL;
    padici_text_begin(&text, compiler, sizeof compiler);
    padici_text_add(&text, "NVRTC ");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_major, 1);
    padici_text_add(&text, ".");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_minor, 1);
    memset(&fields, 0, sizeof fields);
    fields.backend = "cuda";
    fields.info = &cuda->info;
    fields.program = build->program->name;
    fields.text_hash = hash;
    fields.defines = build->desc->defines;
    fields.define_count = build->desc->define_count;
    fields.options = "--std=c++14 --fmad=false";
    fields.compiler = compiler;
    if (!padici_cache_program_key(&key, &fields)) return NULL;
    size = strlen(key.space) + 1;
    copy = (char *)padici_alloc(cuda->env.allocator, size, 16);
    if (copy) memcpy(copy, key.space, size);
    return copy;
}

// From the cache. 1: done, or failed for a reason that is not the entry's (in *result).
static int padici_cuda_cached(padici_cuda *cuda, const char *key, padici_cuda_program *program,
                              padic_result *result)
{
    padici_cuda_image image;
    int error;
    if (!padici_cache_load(&cuda->env, key, &image.kind, &image.data, &image.size)) return 0;
    error = padici_cuda_load(cuda, &image, program);
    padici_cache_free(&cuda->env, image.data, image.size);
    if (error && padici_cuda_image_refused(error)) {
        padici_cache_bad(&cuda->env);
        return 0;
    }
    *result = padici_cuda_answer(cuda, error, "cuModuleLoadData", 0);
    return 1;
}

static padic_result padici_cuda_make(padici_cuda *cuda, const padic_program_desc *desc,
                                     padici_cuda_program *program)
{
    padici_cuda_build build;
    padici_cuda_image image;
    char *text = NULL, *key;
    size_t size = 0;
    padic_result result;
    build.program = &padici_programs[desc->program];
    build.desc = desc;
    result = padici_gpu_source(&cuda->env, cuda->kernel_dir, desc->program, &text, &size);
    if (result == PADIC_ERROR_MEMORY) return padici_cuda_fail(cuda, result, "out of host memory");
    if (result) return result;
    build.text = text;
    key = padici_cuda_key(cuda, &build,
                          cuda->kernel_dir ? padici_checksum(text, size, 0) : build.program->hash);
    memset(&image, 0, sizeof image);
    if (!key || !padici_cuda_cached(cuda, key, program, &result)) {
        if (cuda->has_nvrtc) result = padici_cuda_compile(cuda, &build, program, &image);
#ifdef PADIC_CUDA_PTX
        if (!cuda->has_nvrtc || result == PADIC_ERROR_BUILD) {
            const padic_result shipped = padici_cuda_shipped(cuda, &build, program);
            if (shipped == PADIC_ERROR_NOT_SUPPORTED && !cuda->has_nvrtc)
                result = padici_cuda_fail(cuda, PADIC_ERROR_BUILD,
                                          "no NVRTC, and no shipped PTX of this program's variant");
            else if (shipped != PADIC_ERROR_NOT_SUPPORTED)
                result = shipped;
        }
#endif
    }
    if (!result && key && image.data) { // for keep()
        program->image = image;
        program->key = key;
        key = NULL;
    } else {
        padici_free(cuda->env.allocator, image.data, image.size);
    }
    padici_free(cuda->env.allocator, key, key ? strlen(key) + 1 : 0);
    padici_free(cuda->env.allocator, text, size + 1);
    return result;
}

static padic_result padici_cuda_program_build(padic_device *device, const padic_program_desc *desc,
                                              padic_program **out)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_program *program;
    uint32_t kernels, i;
    size_t size;
    padic_result result;
    *out = NULL;
    if (desc->program >= PADICI_PROGRAM_COUNT)
        return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "there is no such program");
    kernels = padici_programs[desc->program].kernel_count;
    result = padici_cuda_enter_idle(cuda, "building of programs");
    if (result) return result;
    size = sizeof *program + kernels * sizeof(void *);
    program = (padici_cuda_program *)padici_alloc(cuda->env.allocator, size, 16);
    if (!program)
        return padici_cuda_leave(
            cuda, padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory"));
    memset(program, 0, size);
    program->program = desc->program;
    program->kernel_count = kernels;
    for (i = 0; i < desc->define_count; i++)
        if (!strncmp(desc->defines[i], "PD_DYNAMIC_BYTES=", 17))
            program->dynamic = (uint32_t)strtoul(desc->defines[i] + 17, NULL, 10);
    result = padici_cuda_make(cuda, desc, program);
    if (result) {
        padici_cuda_drop_program(cuda, program);
    } else {
        program->next = cuda->programs;
        cuda->programs = program;
        *out = (padic_program *)(void *)program;
    }
    return padici_cuda_leave(cuda, result);
}

// Its kernels passed their tests: the binary may be used again.
static void padici_cuda_keep(padic_device *device, padic_program *handle)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_program *program = (padici_cuda_program *)(void *)handle;
    padici_cuda_image *image = &program->image;
    if (!image->data) return;
    padici_cache_store(&cuda->env, program->key, image->kind, image->data, image->size);
    padici_cuda_forget(cuda, program);
}

// Arguments travel packed: the buffers' addresses, then the struct, as the kernel declares them.
static padic_result padici_cuda_launch(padic_device *device, const padic_launch *launch)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_program *program = (padici_cuda_program *)(void *)launch->program;
    unsigned char arguments[8 * 8 + 256];
    size_t size = launch->mem_count * sizeof(uint64_t);
    void *extra[5], *function = padici_cuda_functions(program)[launch->kernel];
    padic_result result;
    uint32_t i;
    if (!function)
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED,
                                "this variant of the program lacks the kernel");
    for (i = 0; i < launch->mem_count; i++) memcpy(arguments + 8 * i, &launch->mem[i].bits, 8);
    memcpy(arguments + size, launch->params, launch->params_size);
    size += launch->params_size;
    extra[0] = (void *)(uintptr_t)1; // CU_LAUNCH_PARAM_BUFFER_POINTER
    extra[1] = arguments;
    extra[2] = (void *)(uintptr_t)2; // CU_LAUNCH_PARAM_BUFFER_SIZE
    extra[3] = &size;
    extra[4] = NULL; // CU_LAUNCH_PARAM_END
    result = padici_cuda_enter(cuda);
    if (result) return result;
    cuda->last_op = launch->op;
    result = padici_cuda_answer(
        cuda,
        cuda->api.cuLaunchKernel(function, launch->groups[0], launch->groups[1], launch->groups[2],
                                 launch->group, 1, 1, program->dynamic, cuda->stream, NULL, extra),
        "cuLaunchKernel", 0);
    return padici_cuda_leave(cuda, result);
}

// room: src/gpu/cuda/time.c
// ---------------------------------------------------------------------------------------- >>time

// The base moves on once a second, when the queue is known to be empty.
static padic_result padici_cuda_clock_move(padici_cuda *cuda)
{
    padici_cuda_clock *clock = &cuda->clock;
    void *base = clock->base;
    float ms = 0;
    if (!base || !clock->count || !clock->sequence[clock->last] ||
        clock->sequence[clock->last] <= clock->base_sequence)
        return PADIC_OK;
    if (cuda->api.cuEventElapsedTime(&ms, base, clock->events[clock->last]) || ms < 1000)
        return PADIC_OK;
    if (!clock->spare && cuda->api.cuEventCreate(&clock->spare, 0)) {
        clock->spare = NULL;
        return PADIC_OK; // less exact, but no error
    }
    if (cuda->api.cuEventRecord(clock->spare, cuda->stream) ||
        cuda->api.cuEventSynchronize(clock->spare) ||
        cuda->api.cuEventElapsedTime(&ms, base, clock->spare))
        return PADIC_OK;
    clock->base_ns += (uint64_t)((double)ms * 1e6 + 0.5);
    clock->base = clock->spare;
    clock->spare = base;
    clock->base_sequence = ++clock->stamps;
    return PADIC_OK;
}

static padic_result padici_cuda_sync(padic_device *device)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter_idle(cuda, "waiting");
    if (result) return result;
    result = padici_cuda_wait(cuda);
    if (!result) result = padici_cuda_clock_move(cuda);
    return padici_cuda_leave(cuda, result);
}

// Room for a slot.
static padic_result padici_cuda_clock_grow(padici_cuda *cuda, uint32_t slot)
{
    padici_cuda_clock *clock = &cuda->clock;
    const padic_allocator *allocator = cuda->env.allocator;
    uint32_t count = clock->count ? clock->count : 64;
    uint64_t *sequence;
    void **events;
    if (slot < clock->count) return PADIC_OK;
    while (count <= slot) count *= 2;
    events = (void **)padici_alloc(allocator, count * sizeof *events, 16);
    sequence = (uint64_t *)padici_alloc(allocator, count * sizeof *sequence, 16);
    if (!events || !sequence) {
        padici_free(allocator, events, count * sizeof *events);
        padici_free(allocator, sequence, count * sizeof *sequence);
        return padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory");
    }
    memset(events, 0, count * sizeof *events);
    memset(sequence, 0, count * sizeof *sequence);
    if (clock->count) {
        memcpy(events, clock->events, clock->count * sizeof *events);
        memcpy(sequence, clock->sequence, clock->count * sizeof *sequence);
    }
    padici_free(allocator, clock->events, clock->count * sizeof *events);
    padici_free(allocator, clock->sequence, clock->count * sizeof *sequence);
    clock->events = events;
    clock->sequence = sequence;
    clock->count = count;
    return PADIC_OK;
}

// An event in the queue; it is made at its first use.
static padic_result padici_cuda_stamp(padici_cuda *cuda, void **event)
{
    padic_result result = PADIC_OK;
    if (!*event) {
        result = padici_cuda_answer(cuda, cuda->api.cuEventCreate(event, 0), "cuEventCreate", 0);
        if (result) *event = NULL;
    }
    if (!result)
        result = padici_cuda_answer(cuda, cuda->api.cuEventRecord(*event, cuda->stream),
                                    "cuEventRecord", 0);
    return result;
}

static padic_result padici_cuda_clock_stamp(padici_cuda *cuda, uint32_t slot)
{
    padici_cuda_clock *clock = &cuda->clock;
    padic_result result = padici_cuda_clock_grow(cuda, slot);
    if (result) return result;
    if (!clock->base_sequence) {
        result = padici_cuda_stamp(cuda, &clock->base);
        if (result) return result;
        clock->base_sequence = ++clock->stamps;
    }
    result = padici_cuda_stamp(cuda, &clock->events[slot]);
    if (result) return result;
    clock->sequence[slot] = ++clock->stamps;
    clock->last = slot;
    return PADIC_OK;
}

static padic_result padici_cuda_clock_read(padici_cuda *cuda, uint32_t slot, uint64_t *ns)
{
    padici_cuda_clock *clock = &cuda->clock;
    const int later = slot < clock->count && clock->sequence[slot] > clock->base_sequence;
    uint64_t away;
    float ms = 0;
    padic_result result;
    if (slot >= clock->count || !clock->sequence[slot])
        return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "that slot was never stamped");
    result = padici_cuda_answer(
        cuda,
        cuda->api.cuEventElapsedTime(&ms, later ? clock->base : clock->events[slot],
                                     later ? clock->events[slot] : clock->base),
        "cuEventElapsedTime", 0);
    if (result) return result;
    away = ms > 0 ? (uint64_t)((double)ms * 1e6 + 0.5) : 0;
    if (later)
        *ns = clock->base_ns + away;
    else
        *ns = clock->base_ns > away ? clock->base_ns - away : 0;
    return PADIC_OK;
}

static padic_result padici_cuda_time(padic_device *device, uint32_t slot, uint64_t *ns)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result;
    if (!padici_cuda_has_events(&cuda->api))
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED, "the driver has no events");
    if (slot >= PADICI_CUDA_SLOTS)
        return padici_cuda_fail(cuda, PADIC_ERROR_LIMIT, "no such slot for a time");
    if (ns) *ns = 0;
    result = padici_cuda_enter_idle(cuda, "time stamp");
    if (result) return result;
    result = ns ? padici_cuda_clock_read(cuda, slot, ns) : padici_cuda_clock_stamp(cuda, slot);
    return padici_cuda_leave(cuda, result);
}

// room: src/gpu/cuda/recordings.c
// --------------------------------------------------------------------------------- >>recordings

// Ends the capture and throws away what it held.
static void padici_cuda_abandon(padici_cuda *cuda)
{
    void *graph = NULL;
    (void)cuda->api.cuStreamEndCapture(cuda->stream, &graph);
    if (graph) (void)cuda->api.cuGraphDestroy(graph);
    padici_cuda_drop_recording(cuda, cuda->recording);
    cuda->recording = NULL;
}

static padic_result padici_cuda_record_begin(padici_cuda *cuda)
{
    padic_result result = padici_cuda_no_capture(cuda, "second recording");
    padici_cuda_recording *recording;
    if (result) return result;
    recording = (padici_cuda_recording *)padici_alloc(cuda->env.allocator, sizeof *recording, 16);
    if (!recording) return padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory");
    memset(recording, 0, sizeof *recording);
    // 1: only this thread's calls can break it
    result = padici_cuda_answer(cuda, cuda->api.cuStreamBeginCapture_v2(cuda->stream, 1),
                                "cuStreamBeginCapture", 0);
    if (result)
        padici_free(cuda->env.allocator, recording, sizeof *recording);
    else
        cuda->recording = recording;
    return result;
}

// The capture ends whatever happened in it.
static padic_result padici_cuda_record_end(padici_cuda *cuda, padic_recording **out)
{
    padici_cuda_recording *recording = cuda->recording;
    void *graph = NULL;
    padic_result result;
    if (!recording)
        return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "no recording is open");
    cuda->recording = NULL;
    result = padici_cuda_answer(cuda, cuda->api.cuStreamEndCapture(cuda->stream, &graph),
                                "cuStreamEndCapture", 0);
    if (!result && !graph)
        result = padici_cuda_fail(cuda, PADIC_ERROR_DEVICE, "the capture gave no graph");
    if (!result) {
        result = padici_cuda_answer(
            cuda, cuda->api.cuGraphInstantiateWithFlags(&recording->made, graph, 0),
            "cuGraphInstantiate", 0);
        if (result) recording->made = NULL;
    }
    if (graph) (void)cuda->api.cuGraphDestroy(graph);
    if (result) {
        padici_cuda_drop_recording(cuda, recording);
        return result;
    }
    recording->next = cuda->recordings;
    cuda->recordings = recording;
    *out = (padic_recording *)(void *)recording;
    return PADIC_OK;
}

// Without a recording: the open one is abandoned.
static padic_result padici_cuda_record_drop(padici_cuda *cuda, padic_recording **gone)
{
    padici_cuda_recording **link = &cuda->recordings;
    padici_cuda_recording *recording = gone ? (padici_cuda_recording *)(void *)*gone : NULL;
    if (!recording) {
        if (cuda->recording) padici_cuda_abandon(cuda);
        return PADIC_OK;
    }
    while (*link && *link != recording) link = &(*link)->next;
    if (!*link) return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "no such recording");
    *link = recording->next;
    padici_cuda_drop_recording(cuda, recording);
    *gone = NULL;
    return PADIC_OK;
}

static padic_result padici_cuda_record(padic_device *device, int action,
                                       padic_recording **recording)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result;
    if (action == PADIC_RECORD_END) *recording = NULL;
    if (!padici_cuda_has_graphs(&cuda->api))
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED, "the driver has no graphs");
    result = padici_cuda_enter(cuda);
    if (result) return result;
    switch (action) {
    case PADIC_RECORD_BEGIN: result = padici_cuda_record_begin(cuda); break;
    case PADIC_RECORD_END: result = padici_cuda_record_end(cuda, recording); break;
    case PADIC_RECORD_DROP: result = padici_cuda_record_drop(cuda, recording); break;
    default: result = PADIC_ERROR_ARGUMENT;
    }
    return padici_cuda_leave(cuda, result);
}

static padic_result padici_cuda_replay(padic_device *device, padic_recording *handle,
                                       uint32_t times)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_recording *recording = (padici_cuda_recording *)(void *)handle;
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    for (; times && !result; times--)
        result = padici_cuda_answer(cuda, cuda->api.cuGraphLaunch(recording->made, cuda->stream),
                                    "cuGraphLaunch", 0);
    return padici_cuda_leave(cuda, result);
}

PADIC_API const padic_backend *padic_cuda(void)
{
    static const padic_backend cuda = {PADIC_BACKEND_VERSION,
                                       "cuda",
                                       padici_cuda_open,
                                       padici_cuda_close,
                                       padici_cuda_info,
                                       padici_cuda_alloc,
                                       padici_cuda_free,
                                       padici_cuda_upload,
                                       padici_cuda_download,
                                       padici_cuda_copy,
                                       padici_cuda_fill,
                                       padici_cuda_program_build,
                                       padici_cuda_launch,
                                       padici_cuda_sync,
                                       padici_cuda_record,
                                       padici_cuda_replay,
                                       padici_cuda_time,
                                       NULL,
                                       0,
                                       padici_gpu_drive,
                                       padici_cuda_keep};
    return &cuda;
}
// room: src/gpu/cuda/padic_cuda.in.h:95

#endif // PADIC_IMPLEMENTATION
