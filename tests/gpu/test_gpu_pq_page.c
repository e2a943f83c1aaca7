// test_gpu_pq_page.c: tests/pq/pq_page.h on devices: scores and lists from host memory, which the
// library moves, against sorts of fp64 scores.
//
//     ./test_gpu_pq_page             devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../pq/pq_support.h"

static padic_context *here;
#define PQ_HERE here
#define PQ_SMALL test_tiny
#include "../pq/pq_page.h"

static void each(void (*test)(void))
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        here = devices[d];
        (*test)();
    }
}

#define ON_DEVICES(name)     \
    TEST(device_##name)      \
    {                        \
        each(test_##name);   \
    }
ON_DEVICES(integers_exact)
ON_DEVICES(real_numbers)
ON_DEVICES(sweep)
ON_DEVICES(alone)
ON_DEVICES(lossless)
ON_DEVICES(quality)
ON_DEVICES(topk)
ON_DEVICES(special)
ON_DEVICES(any_bytes)

TEST_MAIN("gpu_pq_page", CASE(device_integers_exact), CASE(device_real_numbers),
          CASE(device_sweep), CASE(device_alone), CASE(device_lossless), CASE(device_quality),
          CASE(device_topk), CASE(device_special), CASE(device_any_bytes),
          CASE(no_kernel_was_dropped))
