// Can my own kernel read a packed array without unpacking it? Pack it in the profile FETCH, put the
// lines of padic_fetch.h in front of the kernel's text, and call padic_codec_fetch(). Here: sums of
// random elements of a table, looked up in the packed bytes by an OpenCL kernel. The same text
// serves CUDA, HIP and C.
//
//     cc -O2 -o codec_fetch examples/codec_fetch.c -lOpenCL -lm
#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_NO_NUM
#include "../padic.h"
#include "../backends/padic_fetch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200000, BLOCK = 50176, SUMS = 1024, EACH = 100 };

static const char kernel_text[] =
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void sums(__global const pd_u32 *stream, __global float *to, pd_u32 size, pd_u32 n,\n"
    "          pd_u32 block)\n"
    "{\n"
    "    pd_u32 g = get_global_id(0), r = g * 2654435761u + 1u;\n"
    "    float sum = 0.0f;\n"
    "    for (pd_u32 k = 0; k < 100u; k++) {\n"
    "        padic_codec_block b;\n"
    "        r = r * 1664525u + 1013904223u;\n"
    "        pd_u32 i = (r >> 8) % n, number = i / block;\n"
    "        pd_u32 count = n - number * block < block ? n - number * block : block;\n"
    "        if (padic_codec_block_find(stream, 0, size, number, count, 4u, &b))\n"
    "            sum += PD_AS_F32((pd_u32)padic_codec_fetch(stream, b, i % block, 4u,\n"
    "                                                       PADIC_FETCH_FLOAT));\n"
    "    }\n"
    "    to[g] = sum;\n"
    "}\n";

static int failed(const char *what, int code)
{
    printf("%s: %d\n", what, code);
    return 1;
}

static cl_device_id any_device(void)
{
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count)) return NULL;
    for (cl_uint i = 0; i < count && i < 16 && !device; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)) device = NULL;
    return device;
}

int main(void)
{
    static float table[N], got[SUMS];
    padic_codec_pack_desc desc = PADIC_ZERO;
    size_t room, size, global = SUMS, local = 64;
    cl_int code = 0;
    const cl_uint n = N, block = BLOCK;
    for (int i = 0; i < N; i++) table[i] = (float)(i * 7919 % 4001) * 0.25f;
    desc.tensor = padic_tensor_1d(PADIC_F32, table, N);
    desc.block[0] = BLOCK;
    desc.profile = PADIC_CODEC_PROFILE_FETCH;
    room = (size_t)padic_codec_size_bound(&desc);
    void *packed = malloc(room);
    padic_codec_report report = PADIC_ZERO;
    desc.packed = padic_bytes_out(packed, room);
    desc.report = &report;
    if (!packed || padic_codec_pack(NULL, &desc)) return failed("pack", 1);
    size = (size_t)report.packed_size;
    printf("%d bytes packed in %lu\n", (int)sizeof table, (unsigned long)size);

    cl_device_id device = any_device();
    if (!device) return puts("no OpenCL device here"), 0;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code) return failed("context", code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    const char *texts[PADIC_FETCH_LINES + 1];
    memcpy(texts, padic_fetch_lines, sizeof padic_fetch_lines);
    texts[PADIC_FETCH_LINES] = kernel_text;
    cl_program program =
        clCreateProgramWithSource(context, PADIC_FETCH_LINES + 1, texts, NULL, &code);
    if (code || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL))
        return failed("build", code);
    cl_kernel kernel = clCreateKernel(program, "sums", &code);
    if (code) return failed("kernel", code);
    cl_mem stream = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   (size + 3) / 4 * 4 <= room ? (size + 3) / 4 * 4 : size, packed,
                                   &code);
    if (code) return failed("buffer", code);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof got, NULL, &code);
    if (code) return failed("buffer", code);
    const cl_uint bytes = (cl_uint)size;
    code = clSetKernelArg(kernel, 0, sizeof stream, &stream);
    code |= clSetKernelArg(kernel, 1, sizeof to, &to);
    code |= clSetKernelArg(kernel, 2, 4, &bytes);
    code |= clSetKernelArg(kernel, 3, 4, &n);
    code |= clSetKernelArg(kernel, 4, 4, &block);
    code |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    code |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL);
    if (code) return failed("launch", code);

    int wrong = 0;
    for (cl_uint g = 0; g < SUMS; g++) { // the same on the table itself: all sums are exact
        cl_uint r = g * 2654435761u + 1u;
        float sum = 0;
        for (int k = 0; k < EACH; k++) {
            r = r * 1664525u + 1013904223u;
            sum += table[(r >> 8) % N];
        }
        wrong += sum != got[g];
    }
    printf("%d sums of %d elements looked up in the packed table, %d wrong\n", SUMS, EACH, wrong);
    clReleaseMemObject(stream);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(packed);
    return wrong != 0;
}
