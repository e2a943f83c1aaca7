#include "rollout_test.h"
#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../rollout/nodes.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Tests of the kernels for 16 bits: operators of as many channels as the tested variant is for,
// against the reference, which rounds in the same places. Numbers are about 1.

#define PADICI_TEST_HALF_BF16 0.05
#define PADICI_TEST_HALF_F16 0.00625

// Weights by which sums are about 1.
static padic_result padici_test_half_weights(padici_test_rollout *t, padic_tensor *weights)
{
    padic_result result = padic_rollout_operator_info(NULL, &t->op, &t->report);
    uint64_t shape[2], k;
    uint32_t i;
    shape[0] = 1;
    shape[1] = t->report.parameters;
    if (result) return result;
    *weights = padici_test_rollout_tensor(t, PADIC_F32, 2, shape, 1);
    for (i = 0; i < t->op.count && !t->c->failed; i++) {
        const padic_rollout_shape *is = &t->report.shapes[i];
        float fan = (float)is->count / (float)is->channels, by = 1;
        while (fan > 8) fan /= 4, by /= 2;
        for (k = 0; k < is->count; k++) ((float *)weights->data)[is->weights + k] *= by;
    }
    return t->c->failed ? PADIC_ERROR_SELF_TEST : PADIC_OK;
}

static void padici_test_half_end(padici_test_rollout *t, padic_rollout_noise_law *law)
{
    static const double scale = 0.25;
    const uint32_t noise = padici_gpu_define(t->c, "PD_ROLLOUT_NOISE", 1);
    padic_rollout_node *node;
    if (noise) {
        padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_NOISE, t->op.count, 0)->noise = law;
        law->type = (padic_rollout_noise_type)(noise - 1);
        law->scale = &scale;
    }
    node = padici_test_rollout_conv(t, t->op.channels, 1, 1, PADIC_ROLLOUT_BOUNDARY_ZERO,
                                    PADIC_ROLLOUT_NORM_NONE);
    node->act = PADIC_ROLLOUT_ACT_NONE;
}

static padic_result padici_test_half_drive(padici_test_rollout *t, padic_rollout_apply_desc *desc)
{
    const int is_f16 = padici_gpu_define(t->c, "PD_ROLLOUT_F16", 0) != 0;
    uint64_t shape[5];
    desc->op = t->op;
    desc->precision = is_f16 ? PADIC_ROLLOUT_PRECISION_F16 : PADIC_ROLLOUT_PRECISION_BF16;
    if (padici_test_half_weights(t, &desc->weights)) return PADIC_ERROR_SELF_TEST;
    shape[0] = 1;
    shape[1] = 2;
    shape[2] = t->op.channels;
    shape[3] = t->op.height;
    shape[4] = t->op.width;
    desc->state = padici_test_rollout_tensor(t, PADIC_F32, 5, shape, 1);
    desc->out = padici_test_rollout_tensor(t, PADIC_F32, 5, shape, 0);
    desc->seed = 77;
    desc->step = 3;
    return t->c->failed ? PADIC_ERROR_SELF_TEST
                        : padici_gpu_case_drive(t->c, PADIC_OP_ROLLOUT_APPLY, desc, 0,
                                                is_f16 ? PADICI_TEST_HALF_F16
                                                       : PADICI_TEST_HALF_BF16);
}

static padic_result padici_test_half_conv_of(padici_gpu_case *c, int ring)
{
    const uint32_t n = padici_gpu_define(c, "PD_ROLLOUT_N", 64);
    const uint32_t more = padici_gpu_define(c, "PD_ROLLOUT_MORE", 0);
    const padic_rollout_boundary boundary = (padic_rollout_boundary)(c->round % 4);
    uint32_t first = n == 64 ? 128 : 64;
    const uint32_t span = padici_gpu_define(c, "PD_ROLLOUT_SPAN", 3);
    padici_test_rollout t;
    padic_rollout_noise_law law;
    padic_rollout_node *node;
    padic_rollout_apply_desc *desc = (padic_rollout_apply_desc *)padici_test_rollout_begin(
        &t, c, 3, c->round % 2 ? 17 : 16, c->round % 2 ? 19 : 33, sizeof *desc);
    if (!desc) return PADIC_ERROR_SELF_TEST;
    memset(&law, 0, sizeof law);
    if (!ring) first = 8 * padici_gpu_define(c, "PD_ROLLOUT_BLOCKS", 4);
    node = padici_test_rollout_conv(&t, first, ring ? 3 : span, 1, boundary,
                                    PADIC_ROLLOUT_NORM_INSTANCE);
    node->flags = PADIC_ROLLOUT_AFFINE;
    node->act = (padic_rollout_act)padici_gpu_define(c, "PD_ROLLOUT_IN", 0);
    node = padici_test_rollout_conv(&t, n, span, 1, boundary,
                                    c->round ? PADIC_ROLLOUT_NORM_INSTANCE
                                             : PADIC_ROLLOUT_NORM_GROUP);
    node->groups = c->round ? 0 : 4;
    node->act = (padic_rollout_act)padici_gpu_define(c, "PD_ROLLOUT_ACT", 0);
    if (more == 1 && c->round % 2) {
        node->norm = PADIC_ROLLOUT_NORM_NONE;
        node->flags = 0;
    }
    if (more == 2 && n != first) // a + W skip, a with its norm or without
        padici_test_rollout_add(&t, PADIC_ROLLOUT_KIND_ADD, 2, 0)->skip = 1;
    padici_test_half_end(&t, &law);
    c->again = c->round < 3;
    return padici_test_half_drive(&t, desc);
}

static padic_result padici_test_half_conv(padici_gpu_case *c)
{
    return padici_test_half_conv_of(c, 0);
}

static padic_result padici_test_half_ring(padici_gpu_case *c)
{
    return padici_test_half_conv_of(c, 1);
}

// Fields that are added, norms in place, all noise; then a rollout, whose last kernel does all.
static padic_result padici_test_half_each(padici_gpu_case *c)
{
    padici_test_rollout t;
    padic_rollout_noise_law law;
    padic_rollout_apply_desc *desc = (padic_rollout_apply_desc *)padici_test_rollout_begin(
        &t, c, padici_gpu_define(c, "PD_ROLLOUT_OUT", 4), 9, c->round % 2 ? 19 : 132, sizeof *desc);
    if (!desc) return PADIC_ERROR_SELF_TEST;
    memset(&law, 0, sizeof law);
    padici_test_rollout_conv(&t, 40, 3, 1, PADIC_ROLLOUT_BOUNDARY_PERIODIC,
                             PADIC_ROLLOUT_NORM_INSTANCE)->flags = PADIC_ROLLOUT_AFFINE;
    padici_test_rollout_conv(&t, 40, 1, 1, PADIC_ROLLOUT_BOUNDARY_ZERO,
                             PADIC_ROLLOUT_NORM_LAYER)->act = (padic_rollout_act)c->round;
    padici_test_rollout_add(&t, PADIC_ROLLOUT_KIND_ADD, 2, 0)->skip = 1;
    padici_test_rollout_conv(&t, 72, 1, 1, PADIC_ROLLOUT_BOUNDARY_ZERO,
                             PADIC_ROLLOUT_NORM_INSTANCE);
    padici_test_rollout_conv(&t, 20, 1, 1, PADIC_ROLLOUT_BOUNDARY_ZERO,
                             PADIC_ROLLOUT_NORM_INSTANCE)->act =
        (padic_rollout_act)padici_gpu_define(c, "PD_ROLLOUT_IN", 0);
    padici_test_half_end(&t, &law);
    c->again = c->round < 5;
    return padici_test_half_drive(&t, desc);
}

PADICI_FN const padici_gpu_test *padici_tests_rollout_half(void)
{
    static const padici_gpu_test rows[] = {
#define PADICI_TEST_HALF(kernel, make)                                                          \
    {PADICI_KERNEL_CUDA_ROLLOUT_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_half_##make,       \
     {PADICI_TEST_NONE}}
        PADICI_TEST_HALF(CONV, conv), PADICI_TEST_HALF(RING_CONV, ring),
        PADICI_TEST_HALF(EACH_JOIN, each), PADICI_TEST_HALF(EACH_HALVES, each),
        PADICI_TEST_HALF(EACH_END, each), PADICI_TEST_HALF(EACH_MARK, each),
        PADICI_TEST_HALF(EACH_MAP, each),
#undef PADICI_TEST_HALF
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_HALF_BF16
#undef PADICI_TEST_HALF_F16

#endif
