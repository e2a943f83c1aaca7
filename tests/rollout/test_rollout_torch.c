// test_rollout_torch.c: networks of PyTorch, as examples/rollout_torch.py wrote them, give what
// PyTorch gives, evaluated in f64.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "torch_operators.h"

static void compare(const padic_rollout_operator *op, const float *weights, uint64_t parameters,
                    const float *state, uint64_t cells, const double *want)
{
    const uint64_t shape[5] = {1, cells / (op->channels * op->height * op->width), op->channels,
                               op->height, op->width};
    double f64[512], wide[512];
    float f32[512];
    padic_rollout_apply_desc desc = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    REQUIRE(cells <= 512);
    CHECK_EQ(padic_rollout_operator_info(NULL, op, &report), PADIC_OK);
    CHECK_EQ(report.parameters, parameters);
    for (uint64_t i = 0; i < cells; i++) wide[i] = state[i];
    desc.op = *op;
    desc.weights = padic_tensor_2d(PADIC_F32, (void *)(uintptr_t)weights, 1, parameters);
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++) {
        desc.state = padic_tensor_nd(PADIC_F64, wide, 5, shape);
        desc.out = padic_tensor_nd(PADIC_F64, f64, 5, shape);
        CHECK_EQ(padic_rollout_apply(contexts[with], &desc), PADIC_OK);
        desc.state = padic_tensor_nd(PADIC_F32, (void *)(uintptr_t)state, 5, shape);
        desc.out = padic_tensor_nd(PADIC_F32, f32, 5, shape);
        CHECK_EQ(padic_rollout_apply(contexts[with], &desc), PADIC_OK);
        for (uint64_t i = 0; i < cells; i++) {
            CHECK_NEAR(f64[i], want[i], 2e-14);
            CHECK_NEAR(f32[i], want[i], 2e-6);
        }
    }
    contexts_end();
}

#define COMPARE(name)                                                                              \
    compare(&name##_operator, name##_weights, sizeof name##_weights / sizeof *name##_weights,      \
            name##_state, sizeof name##_state / sizeof *name##_state, name##_output)

TEST(sequential)
{
    COMPARE(sequential);
}

TEST(u_shaped)
{
    COMPARE(u_shaped);
}

TEST_MAIN("test_rollout_torch", CASE(sequential), CASE(u_shaped))
