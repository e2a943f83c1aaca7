// Every kernel that padic_context_prewarm() builds, by its known-answer test, on the OpenCL
// platform that is there, through CUDA with GPU_CUDA, or as plain C with GPU_NATIVE: none may be
// dropped. Small enough for Oclgrind (sh tests/gpu/opencl/oclgrind.sh), compute-sanitizer
// (sh tests/gpu.sh) and a thread an item.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#ifdef GPU_CUDA
#include "../../backends/padic_cuda.h"
#define DEVICE padic_cuda()
#elif defined(GPU_NATIVE)
#include "../native/device.h"
#define DEVICE padic_native()
#else
#include "../../backends/padic_opencl.h"
#define DEVICE opencl()
#endif
#include "../support/padic_test.h"

#if !defined(GPU_CUDA) && !defined(GPU_NATIVE)
// OpenCL whose fills are launches: after clEnqueueFillBuffer Oclgrind knows no more of a buffer
// than its first words, and calls what kernels write to the rest uninitialized.
static padic_program *filler; // of the open device
static padic_result fill(padic_device *device, padic_mem mem, uint64_t at, uint32_t value,
                         uint64_t size)
{
    static const char *const defines[] = {"PD_WG=64"};
    padici_k_base_fill_params params;
    padic_program_desc program = PADIC_ZERO;
    padic_launch launch;
    padic_result result = PADIC_OK;
    if (!size) return PADIC_OK;
    program.program = PADICI_PROGRAM_BASE;
    program.defines = defines;
    program.define_count = 1;
    memset(&launch, 0, sizeof launch);
    if (!filler) result = (*padic_opencl()->program)(device, &program, &filler);
    if (result) return result;
    memset(&params, 0, sizeof params);
    params.n = params.extent[0] = (uint32_t)(size / 4);
    params.axes = params.stride[0] = 1;
    params.base_lo = (uint32_t)(at / 4);
    params.shift[0] = 31;
    for (int i = 0; i < 4; i++) params.value[i] = value;
    launch.program = filler;
    launch.kernel = PADICI_KERNEL_BASE_FILL_4 & 0xffff;
    launch.mem[0] = mem;
    launch.mem_count = 1;
    launch.params = &params;
    launch.params_size = sizeof params;
    launch.group = 64;
    launch.groups[0] = launch.groups[1] = launch.groups[2] = 1;
    return (*padic_opencl()->launch)(device, &launch);
}

static const padic_backend *opencl(void)
{
    static padic_backend backend;
    backend = *padic_opencl();
    backend.fill = fill;
    filler = NULL;
    return &backend;
}
#endif

static void drops(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    if (level <= PADIC_LOG_WARNING) {
        ++*(int *)user;
        printf("\n  %s", text);
    }
}

static void area(uint32_t mask)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_device_info info;
    padic_stats stats;
    int dropped = 0;
    desc.backends[0] = DEVICE; // alone, so strict
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.device.kernel_dir = getenv("PADIC_KERNEL_DIR"); // other texts
    if (padic_context_create(&desc, &context)) {
        SKIP("no device");
    }
    padic_context_destroy(context);
    desc.log.write = drops;
    desc.log.user = &dropped;
    desc.backends[0] = DEVICE;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    padic_context_device_info(context, &info);
    CHECK_EQ(padic_context_prewarm(context, mask), PADIC_OK);
    padic_context_stats(context, &stats);
    CHECK(stats.programs > 0 && stats.self_tests > 0);
    CHECK_EQ(stats.self_tests_failed, 0);
    CHECK_EQ(dropped, 0);
    printf(" (%s: %lu programs, %lu kernels)", info.platform, (unsigned long)stats.programs,
           (unsigned long)stats.self_tests);
    padic_context_destroy(context);
}

TEST(base)
{
    area(PADIC_AREA_BASE);
}
TEST(num)
{
    area(PADIC_AREA_NUM);
}
TEST(sparse)
{
    area(PADIC_AREA_SPARSE);
}
TEST(sample)
{
    area(PADIC_AREA_SAMPLE);
}
TEST(wave)
{
    area(PADIC_AREA_WAVE);
}
TEST(tensor)
{
    area(PADIC_AREA_TENSOR);
}
TEST(codec)
{
    area(PADIC_AREA_CODEC);
}
TEST(fft)
{
    area(PADIC_AREA_FFT);
}
TEST(cdt)
{
    area(PADIC_AREA_CDT);
}
TEST(field)
{
    area(PADIC_AREA_FIELD);
}
TEST(rnn)
{
    area(PADIC_AREA_RNN);
}

TEST(pq)
{
    area(PADIC_AREA_PQ);
}

TEST(rollout)
{
    area(PADIC_AREA_ROLLOUT);
}

TEST_MAIN("test_cl_kernels", CASE(base), CASE(num), CASE(sparse), CASE(sample), CASE(wave),
          CASE(tensor), CASE(codec), CASE(cdt), CASE(fft), CASE(rnn),
          CASE(field), CASE(pq), CASE(rollout))
