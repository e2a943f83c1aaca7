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

#include "gpu/opencl/interface.h"
#include "gpu/opencl/handles.h"
#include "gpu/opencl/errors.c"
#include "gpu/opencl/loader.c"
#include "gpu/opencl/queries.c"
#include "gpu/opencl/choice.c"
#include "gpu/opencl/device.c"
#include "gpu/opencl/waiting.c"
#include "gpu/opencl/memory.c"
#include "gpu/opencl/commands.c"
#include "gpu/opencl/programs.c"
#include "gpu/opencl/launches.c"

#endif // PADIC_OPENCL_IMPLEMENTED
