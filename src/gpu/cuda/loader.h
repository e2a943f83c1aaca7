#pragma once
#include "system.h"
#include "../../core/platform.h"

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

// Without these a feature is missing: error names, more local memory, launches whose groups wait
// for each other, pinned memory, foreign streams, graphs, time.
#define PADICI_CUDA_OPTIONAL(X)                                                                  \
    X(cuGetErrorName, (int error, const char **name))                                            \
    X(cuFuncSetAttribute, (void *function, int attribute, int value))                            \
    X(cuLaunchCooperativeKernel,                                                                 \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,          \
       unsigned bz, unsigned shared, void *stream, void **parameters))                           \
    X(cuMemGetInfo_v2, (size_t * idle, size_t *total))                                           \
    X(cuMemHostAlloc, (void **pointer, size_t size, unsigned flags))                             \
    X(cuMemFreeHost, (void *pointer))                                                            \
    X(cuMemHostRegister_v2, (void *pointer, size_t size, unsigned flags))                        \
    X(cuMemHostUnregister, (void *pointer))                                                      \
    X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                            \
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

PADICI_FN const char *padici_cuda_resolve(void *library, const padici_cuda_symbol *symbols,
                                          void *api);
PADICI_FN void *padici_cuda_library_any(const char *path, const char *const *names,
                                        int system_only);
PADICI_FN void *padici_nvrtc_below(void);
