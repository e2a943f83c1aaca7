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

#include "gpu/cuda/loader.c"
#include "gpu/cuda/device.c"
#include "gpu/cuda/choose.c"
#include "gpu/cuda/open.c"
#include "gpu/cuda/memory.c"
#include "gpu/cuda/compile.c"
#include "gpu/cuda/programs.c"
#include "gpu/cuda/time.c"
#include "gpu/cuda/recordings.c"

#endif // PADIC_IMPLEMENTATION
