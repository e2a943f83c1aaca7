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
//
// Made by tools/amalgamate.py from src/gpu/opencl/padic_opencl.in.h.
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
#error "padic_opencl.h needs padic.h beside it or in the folder above: put it there"
#endif
#if PADIC_BACKEND_VERSION != 4u
#error "padic_opencl.h is for another version of padic.h: take both from one release"
#endif

#ifndef PADIC_OPENCL_H
#define PADIC_OPENCL_H

#ifdef __cplusplus
extern "C" {
#endif

PADIC_API const padic_backend *padic_opencl(void);
#undef PADICI_BEST_OPENCL
#define PADICI_BEST_OPENCL padic_opencl()

#ifdef __cplusplus
}
#endif
#endif // PADIC_OPENCL_H
// @identity

// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_GPU) || \
     defined(PADIC_IMPLEMENT_OPENCL)) && \
    !defined(PADIC_OPENCL_IMPLEMENTED)
#define PADIC_OPENCL_IMPLEMENTED

// @system
#include "../padic_gpu.in.h"
#include "system.h"
#include "interface.h"
#include "handles.h"
#include "loader.h"
#include "errors.h"
#include "queries.h"
#include "choice.h"
#include "device.h"
#include "waiting.h"
#include "memory.h"
#include "fetch.h"
#include "commands.h"
#include "programs.h"
#include "errors.c"
#include "loader.c"
#include "queries.c"
#include "choice.c"
#include "device.c"
#include "waiting.c"
#include "memory.c"
#include "fetch.c"
#include "commands.c"
#include "programs.c"
#include "launches.c"

#endif // PADIC_OPENCL_IMPLEMENTED
