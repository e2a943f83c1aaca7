// How does it work in the OpenCL context, queue and buffer that my engine owns? Name them: a
// padic_context borrows the cl_context and the in-order cl_command_queue, a padic_buffer the
// cl_mem. Work is queued behind the engine's own, with no copy and no wait in between.
//
//     cc -O2 -o engine_opencl examples/engine_opencl.c -lOpenCL -lm -ldl
#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_NO_CODEC
#include "../padic.h"
#include "../backends/padic_opencl.h"
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000 };

static int failed(const char *what, int code)
{
    printf("%s: %d\n", what, code);
    return 1;
}

// The engine's own numbers: the first device of any kind will do.
static cl_device_id engine_device(void)
{
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count)) return NULL;
    for (cl_uint i = 0; i < count && i < 16 && !device; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)) device = NULL;
    return device;
}

// Fills the engine's buffer behind whatever is in its queue.
static int fill(cl_context context, cl_command_queue queue, cl_mem memory)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_buffer_desc buffer_desc = PADIC_ZERO;
    padic_random_fill_desc numbers = PADIC_ZERO;
    padic_context *padic;
    padic_buffer buffer;
    padic_result result;
    padic_device_info info;

    desc.backends[0] = padic_opencl();
    desc.device.native_context = context;
    desc.device.native_queue = queue;
    result = padic_context_create(&desc, &padic);
    if (result) return failed(padic_result_text(result), result);
    padic_context_device_info(padic, &info);
    printf("on %s\n", info.name);

    buffer_desc.size = N * sizeof(float);
    buffer_desc.native = (uint64_t)(uintptr_t)memory; // borrowed: never released
    result = padic_buffer_create(padic, &buffer_desc, &buffer);
    numbers.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, N), buffer, 0);
    numbers.seed = 2026;
    if (!result) result = padic_random_fill(padic, &numbers); // returns at once
    if (result) failed(padic_context_message(padic), result);
    padic_context_destroy(padic);
    return result != PADIC_OK;
}

int main(void)
{
    static float there[N], here[N];
    cl_int code = 0;
    cl_device_id device = engine_device();
    if (!device) return puts("no OpenCL device here"), 0;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code) return failed("context", code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    if (code) return failed("queue", code);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof there, NULL, &code);
    if (code) return failed("buffer", code);

    if (fill(context, queue, memory)) return 1;

    // The engine goes on in its own queue; the same numbers come from any device, or none.
    code = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof there, there, 0, NULL, NULL);
    if (code) return failed("read", code);
    padic_random_fill_desc numbers = PADIC_ZERO;
    numbers.tensor = padic_tensor_1d(PADIC_F32, here, N);
    numbers.seed = 2026;
    padic_random_fill(NULL, &numbers);
    const int same = !memcmp(there, here, sizeof here);
    printf("%d numbers in the engine's buffer: %s\n", N,
           same ? "bit for bit those of the CPU" : "NOT those of the CPU");

    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return !same;
}
