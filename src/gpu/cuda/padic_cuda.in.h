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
// A kernel that faults (DEVICE_LOST) usually breaks CUDA for the whole process, including the
// engine's own use: a new context then gets NO_DEVICE here, and the next backend or the CPU goes
// on.
//
// A recording is a CUDA graph. While an engine captures its own stream, launches, copies
// and fills become nodes of the engine's graph; calls that would break its capture are refused.
//
// PADIC_CUDA_PTX: define it as the name of a header that was written by
// tools/make_ptx.py with the oldest toolkit at hand, and its PTX is compiled in.
//
// Made by tools/amalgamate.py from src/gpu/cuda/padic_cuda.in.h.
#if !defined(PADIC_HEADER) || !defined(PADIC_IMPLEMENTED)
#ifdef __has_include
#if __has_include("padic.h")
#include "padic.h"
#elif __has_include("../padic.h")
#include "../padic.h"
#endif
#elif !defined(PADIC_HEADER)
#include "../padic.h"
#endif
#endif
#ifndef PADIC_HEADER
#error "padic_cuda.h needs padic.h beside it or in the folder above: put it there"
#endif
#if PADIC_BACKEND_VERSION != 4u
#error "padic_cuda.h is for another version of padic.h: take both from one release"
#endif

#ifndef PADIC_CUDA_H
#define PADIC_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

PADIC_API const padic_backend *padic_cuda(void);
#undef PADICI_BEST_CUDA
#define PADICI_BEST_CUDA padic_cuda()

#ifdef __cplusplus
}
#endif
#endif // PADIC_CUDA_H
// @identity

// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_GPU) || \
     defined(PADIC_IMPLEMENT_CUDA)) && \
    !defined(PADIC_CUDA_IMPLEMENTED)
#define PADIC_CUDA_IMPLEMENTED

// @system
#include "../padic_gpu.in.h"
#include "system.h"
#include "loader.h"
#include "device.h"
#include "choose.h"
#include "open.h"
#include "memory.h"
#include "fetch.h"
#include "compile.h"
#include "programs.h"
#include "time.h"
#include "recordings.h"
#include "loader.c"
#include "device.c"
#include "choose.c"
#include "open.c"
#include "memory.c"
#include "fetch.c"
#include "compile.c"
#include "programs.c"
#include "time.c"
#include "recordings.c"

#endif // PADIC_CUDA_IMPLEMENTED
