// test_gpu_pq_page.c: tests/pq/pq_page.h, pq_options.h and pq_attention.h on devices: scores and
// lists from host memory, which the library moves, against sorts of fp64 scores; attention against
// sums in long double, and what must hold between calls.
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
#include "../pq/pq_attention.h"

#define contexts devices
#define context_count ((uint32_t)device_count)

static void asked_begin(void)
{
    open_devices();
}

static void asked_end(void)
{
}

#include "../pq/pq_options.h"

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
ON_DEVICES(all_keys)
ON_DEVICES(identities)
ON_DEVICES(pages)
ON_DEVICES(special_attention)
ON_DEVICES(estimates)
ON_DEVICES(dense_weights)

TEST_MAIN("gpu_pq_page", CASE(counts_and_fractions), CASE(biases), CASE(limits), CASE(groups),
          CASE(device_integers_exact), CASE(device_real_numbers),
          CASE(device_sweep), CASE(device_alone), CASE(device_lossless), CASE(device_quality),
          CASE(device_topk), CASE(device_special), CASE(device_any_bytes),
          CASE(device_all_keys), CASE(device_identities), CASE(device_pages),
          CASE(device_special_attention), CASE(device_estimates), CASE(device_dense_weights),
          CASE(no_kernel_was_dropped))
