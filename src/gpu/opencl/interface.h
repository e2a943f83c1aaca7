#pragma once
#include "system.h"
#include "../../core/platform.h"

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

enum { // the constants in use
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

