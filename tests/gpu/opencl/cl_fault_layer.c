// cl_fault_layer.c: an OpenCL layer that fails the n-th call that can fail, and counts the objects
// that live. tests/gpu/test_cl_fault.c opens it, too, and tells it what to fail.
//
//     cc -std=gnu99 -shared -fPIC tests/gpu/opencl/cl_fault_layer.c -o cl_fault.so
//     OPENCL_LAYERS=$PWD/cl_fault.so OCL_ICD_VENDORS=pocl.icd ./test_cl_fault
//
// Needs the headers of ocl-icd 2.3 (ocl-icd-opencl-dev).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <string.h>

static struct _cl_icd_dispatch mine;
static const struct _cl_icd_dispatch *next;
static long calls, live, fail_at;
static const char *failed;

void cl_fault_set(long n);
long cl_fault_calls(void);
long cl_fault_live(void);
const char *cl_fault_name(void);

void cl_fault_set(long n) // 0: none; counts anew
{
    calls = 0;
    fail_at = n;
    failed = "";
}
long cl_fault_calls(void)
{
    return calls;
}
long cl_fault_live(void)
{
    return live;
}
const char *cl_fault_name(void)
{
    return failed;
}

static int told_to_fail(const char *name)
{
    if (++calls != fail_at) return 0;
    failed = name;
    return 1;
}

// Functions that make an object and give the error through their last argument.
#define MAKES(type, name, error, parameters, arguments)         \
    static type CL_API_CALL my_##name parameters                \
    {                                                           \
        cl_int ignored;                                         \
        type made;                                              \
        if (!err) err = &ignored;                               \
        if (told_to_fail(#name)) return *err = error, (type)0;  \
        made = next->name arguments;                            \
        live += made != NULL;                                   \
        return made;                                            \
    }
// Functions that return the error.
#define CALLS(name, error, parameters, arguments)                        \
    static cl_int CL_API_CALL my_##name parameters                       \
    {                                                                    \
        return told_to_fail(#name) ? error : next->name arguments;       \
    }
#define RETAINS(name, type)                                              \
    static cl_int CL_API_CALL my_##name(type object)                     \
    {                                                                    \
        if (told_to_fail(#name)) return CL_OUT_OF_RESOURCES;             \
        live++;                                                          \
        return next->name(object);                                       \
    }
#define FREES(name, type)                                                \
    static cl_int CL_API_CALL my_##name(type object)                     \
    {                                                                    \
        live--;                                                          \
        return next->name(object);                                       \
    }
#define ASKS(name, type)                                                                  \
    CALLS(name, CL_OUT_OF_HOST_MEMORY, (type o, cl_uint w, size_t s, void *v, size_t *n), \
          (o, w, s, v, n))
#define WAITS cl_uint n, const cl_event *w, cl_event *e

typedef void(CL_CALLBACK *on_context)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *on_program)(cl_program, void *);

CALLS(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY, (cl_uint n, cl_platform_id *p, cl_uint *f),
      (n, p, f))
CALLS(clGetDeviceIDs, CL_OUT_OF_RESOURCES,
      (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *f), (p, t, n, d, f))
ASKS(clGetPlatformInfo, cl_platform_id)
ASKS(clGetDeviceInfo, cl_device_id)
ASKS(clGetContextInfo, cl_context)
ASKS(clGetCommandQueueInfo, cl_command_queue)
ASKS(clGetProgramInfo, cl_program)
ASKS(clGetEventInfo, cl_event)
ASKS(clGetEventProfilingInfo, cl_event)
CALLS(clGetProgramBuildInfo, CL_OUT_OF_HOST_MEMORY,
      (cl_program p, cl_device_id d, cl_uint w, size_t s, void *v, size_t *n), (p, d, w, s, v, n))
MAKES(cl_context, clCreateContext, CL_OUT_OF_HOST_MEMORY,
      (const cl_context_properties *p, cl_uint n, const cl_device_id *d, on_context f, void *u,
       cl_int *err),
      (p, n, d, f, u, err))
MAKES(cl_command_queue, clCreateCommandQueue, CL_OUT_OF_RESOURCES,
      (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *err), (c, d, p, err))
MAKES(cl_mem, clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
      (cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *err), (c, f, s, h, err))
MAKES(cl_program, clCreateProgramWithSource, CL_OUT_OF_HOST_MEMORY,
      (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *err), (c, n, s, l, err))
MAKES(cl_program, clCreateProgramWithBinary, CL_INVALID_BINARY,
      (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b,
       cl_int *s, cl_int *err),
      (c, n, d, l, b, s, err))
MAKES(cl_kernel, clCreateKernel, CL_INVALID_KERNEL, (cl_program p, const char *s, cl_int *err),
      (p, s, err))
CALLS(clBuildProgram, CL_BUILD_PROGRAM_FAILURE,
      (cl_program p, cl_uint n, const cl_device_id *d, const char *o, on_program f, void *u),
      (p, n, d, o, f, u))
CALLS(clSetKernelArg, CL_OUT_OF_RESOURCES, (cl_kernel k, cl_uint i, size_t s, const void *v),
      (k, i, s, v))
CALLS(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES,
      (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
       const size_t *l, WAITS),
      (q, k, d, o, g, l, n, w, e))
CALLS(clEnqueueCopyBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
      (cl_command_queue q, cl_mem a, cl_mem b, size_t i, size_t o, size_t s, WAITS),
      (q, a, b, i, o, s, n, w, e))
CALLS(clEnqueueFillBuffer, CL_OUT_OF_HOST_MEMORY,
      (cl_command_queue q, cl_mem m, const void *p, size_t z, size_t o, size_t s, WAITS),
      (q, m, p, z, o, s, n, w, e))
CALLS(clFlush, CL_INVALID_COMMAND_QUEUE, (cl_command_queue q), (q))
CALLS(clFinish, CL_OUT_OF_RESOURCES, (cl_command_queue q), (q))
RETAINS(clRetainContext, cl_context)
RETAINS(clRetainCommandQueue, cl_command_queue)
FREES(clReleaseContext, cl_context)
FREES(clReleaseCommandQueue, cl_command_queue)
FREES(clReleaseMemObject, cl_mem)
FREES(clReleaseProgram, cl_program)
FREES(clReleaseKernel, cl_kernel)
FREES(clReleaseEvent, cl_event)

// Those that make an event, too.
#define EVENTS(name, error, parameters, arguments)              \
    static cl_int CL_API_CALL my_##name parameters              \
    {                                                           \
        cl_int code;                                            \
        if (told_to_fail(#name)) return error;                  \
        code = next->name arguments;                            \
        live += !code && e;                                     \
        return code;                                            \
    }
EVENTS(clEnqueueMarkerWithWaitList, CL_OUT_OF_HOST_MEMORY, (cl_command_queue q, WAITS),
       (q, n, w, e))
EVENTS(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES,
       (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *p, WAITS),
       (q, m, b, o, s, p, n, w, e))
EVENTS(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES,
       (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, WAITS),
       (q, m, b, o, s, p, n, w, e))
CALLS(clEnqueueUnmapMemObject, CL_OUT_OF_HOST_MEMORY,
      (cl_command_queue q, cl_mem m, void *p, WAITS), (q, m, p, n, w, e))

static void *CL_API_CALL my_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b,
                                               cl_map_flags f, size_t o, size_t s, WAITS,
                                               cl_int *err)
{
    cl_int ignored;
    if (!err) err = &ignored;
    if (told_to_fail("clEnqueueMapBuffer")) return *err = CL_MAP_FAILURE, (void *)0;
    return next->clEnqueueMapBuffer(q, m, b, f, o, s, n, w, e, err);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *needed)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value && size >= sizeof version) memcpy(value, &version, sizeof version);
    if (needed) *needed = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                            cl_uint *my_entries, const struct _cl_icd_dispatch **me)
{
    (void)entries;
    next = target;
    cl_fault_set(0);
#define MINE(name) mine.name = my_##name;
    MINE(clGetPlatformIDs) MINE(clGetDeviceIDs) MINE(clGetPlatformInfo) MINE(clGetDeviceInfo)
    MINE(clGetContextInfo) MINE(clGetCommandQueueInfo) MINE(clGetProgramInfo)
    MINE(clGetEventInfo) MINE(clGetEventProfilingInfo) MINE(clGetProgramBuildInfo)
    MINE(clCreateContext) MINE(clCreateCommandQueue) MINE(clCreateBuffer)
    MINE(clCreateProgramWithSource) MINE(clCreateProgramWithBinary) MINE(clCreateKernel)
    MINE(clBuildProgram) MINE(clSetKernelArg) MINE(clEnqueueNDRangeKernel)
    MINE(clEnqueueReadBuffer) MINE(clEnqueueWriteBuffer) MINE(clEnqueueCopyBuffer)
    MINE(clEnqueueMapBuffer) MINE(clEnqueueUnmapMemObject) MINE(clEnqueueFillBuffer)
    MINE(clEnqueueMarkerWithWaitList) MINE(clFlush) MINE(clFinish)
    MINE(clRetainContext) MINE(clRetainCommandQueue) MINE(clReleaseContext)
    MINE(clReleaseCommandQueue) MINE(clReleaseMemObject) MINE(clReleaseProgram)
    MINE(clReleaseKernel) MINE(clReleaseEvent)
    *me = &mine; // entries left NULL go straight to the driver
    *my_entries = sizeof mine / sizeof mine.clGetPlatformIDs;
    return CL_SUCCESS;
}
