// Every kernel that padic_context_prewarm() builds, by its known-answer test, on the OpenCL
// platform that is there, through CUDA with GPU_CUDA, or as plain C with GPU_NATIVE: none may be
// dropped. Small enough for Oclgrind (sh tests/gpu/opencl/oclgrind.sh), compute-sanitizer
// (sh tests/gpu.sh) and a thread an item.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#ifdef GPU_CUDA
#include "../../backends/padic_cuda.h"
#define DEVICE padic_cuda()
#elif defined(GPU_NATIVE)
#include "../native/device.h"
#define DEVICE padic_native()
#else
#include "../../backends/padic_opencl.h"
#define DEVICE padic_opencl()
#endif
#include "../support/padic_test.h"

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

TEST_MAIN("test_cl_kernels", CASE(base), CASE(num), CASE(sparse), CASE(sample), CASE(wave),
          CASE(tensor), CASE(codec))
