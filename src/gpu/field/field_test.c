#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../field/calls.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Tests: the driver against the reference, steps of small fields. Lines in order and across, of
// every radix; fewer than a group has and more; a potential, all powers, two substeps; walls of
// all kinds, noise.

static padic_result padici_test_field_work(padici_gpu_case *c, padic_field_plan_desc *desc)
{
    const int is_double = desc->dtype == PADIC_C128;
    padici_field_step_call call;
    padic_tensor *psi = &call.desc.psi;
    padic_result result;
    uint64_t i;
    memset(&call, 0, sizeof call);
    *psi = padic_tensor_nd(desc->layout ? is_double ? PADIC_F64 : PADIC_F32 : desc->dtype, NULL,
                           desc->dims, desc->shape);
    if (desc->layout) {
        memmove(psi->shape + 1, psi->shape, desc->dims * sizeof *psi->shape);
        psi->shape[0] = 2;
        psi->rank++;
    }
    psi->data = padici_gpu_numbers(c, PADICI_FILL_WHOLE, psi->dtype, padic_tensor_count(psi));
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < desc->dims; i++) {
        const double n = (double)desc->shape[i];
        desc->spacing[i] = 0.5;
        desc->trap[i] = 32 / (n * n); // 2 at the ends
    }
    result = padici_field_plan_make(c->gpu->context, desc, &call.desc.plan);
    if (result) return result;
    call.desc.count = 2;
    call.desc.restart = 1;
    padici_field_step_prepare(&call, c->gpu->context);
    call.task.on_device = 1;
    result = padici_gpu_case_drive(c, PADIC_OP_FIELD_STEP, &call, 0, is_double ? 1e-12 : 1e-4);
    padici_field_plan_end(call.desc.plan);
    return result;
}

// F64 of the grid's shape, i modulo `period` over `over` at point i.
static void padici_test_field_real(padici_gpu_case *c, const padic_field_plan_desc *desc,
                                   uint32_t period, double over, padic_tensor *t)
{
    double *values;
    uint64_t i;
    *t = padic_tensor_nd(PADIC_F64, NULL, desc->dims, desc->shape);
    t->data = values = (double *)padici_gpu_space(c, padic_tensor_count(t) * 8);
    for (i = 0; i < padic_tensor_count(t) && !c->failed; i++)
        values[i] = (double)(i % period) / over;
}

// What variants of all kernels have in common.
static void padici_test_field_begin(padici_gpu_case *c, padic_field_plan_desc *desc)
{
    const uint32_t powers = padici_gpu_define(c, "PD_FIELD_POWERS", 0);
    memset(desc, 0, sizeof *desc);
    desc->dtype = padici_gpu_define(c, "PD_FFT_F64", 0) ? PADIC_C128 : PADIC_C64;
    desc->layout = (padic_field_layout)padici_gpu_define(c, "PD_FIELD_PLANAR", 0);
    desc->dt = 1.0 / 64;
    desc->dims = 3;
    desc->power[0].g = 0.25;
    desc->power[1].g = -0.25;
    desc->power[2].g = 0.0078125;
    desc->power[2].p = 6;
    if (!powers) return;
    desc->power[0].p = 4.5;
    desc->power[1].p = 3;
}

static padic_result padici_test_field_lines(padici_gpu_case *c)
{
    static const uint64_t shapes[][3] = {{5, 7, 12}, {35, 6, 3}, {2, 48, 45}};
    const uint32_t log = padici_gpu_define(c, "PD_FFT_LOG", 0);
    padic_field_plan_desc desc;
    padici_test_field_begin(c, &desc);
    desc.method = c->round ? PADIC_FIELD_METHOD_SPLIT2 : PADIC_FIELD_METHOD_SPLIT4;
    desc.flags = PADIC_FIELD_YOSHIDA | PADIC_FIELD_NORM_FREE;
    memcpy(desc.shape, shapes[c->round], sizeof desc.shape);
    if (log) {
        desc.dims = c->round < 2 ? 2 : 1;
        desc.shape[0] = desc.shape[1] = 3;
        desc.shape[c->round % 2] = UINT64_C(1) << log;
    }
    c->again = c->round < 2;
    if (c->round == 1) padici_test_field_real(c, &desc, 7, 4, &desc.potential);
    if (padici_gpu_define(c, "PD_FIELD_ABSORBER", 0))
        padici_test_field_real(c, &desc, 5, 1, &desc.absorber);
    return c->failed ? PADIC_ERROR_SELF_TEST : padici_test_field_work(c, &desc);
}

static padic_result padici_test_field_points(padici_gpu_case *c)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4, PADIC_FIELD_METHOD_LEAPFROG2,
        PADIC_FIELD_METHOD_LEGACY_EULER};
    padic_field_plan_desc desc;
    uint32_t a;
    padici_test_field_begin(c, &desc);
    desc.method = methods[c->round];
    desc.flags = PADIC_FIELD_NORM_FREE;
    desc.dt = 1.0 / 1024; // densities are up to 128
    desc.shape[0] = 5;
    desc.shape[1] = 9;
    desc.shape[2] = 17;
    for (a = 0; a < 3 && c->round < 3; a++)
        desc.boundary[a] = (padic_field_boundary)((a + c->round) % 3);
    if (c->round) desc.noise = 0.5;
    desc.seed = UINT64_C(0x123456789abcdef);
    c->again = c->round < 3;
    if (c->round == 2) padici_test_field_real(c, &desc, 7, 4, &desc.potential);
    if (padici_gpu_define(c, "PD_FIELD_ABSORBER", 0))
        padici_test_field_real(c, &desc, 5, 1, &desc.absorber);
    return c->failed ? PADIC_ERROR_SELF_TEST : padici_test_field_work(c, &desc);
}

PADICI_FN const padici_gpu_test *padici_tests_field(void)
{
    static const padici_gpu_test rows[] = {
#define PADICI_TEST_FIELD(kernel, make) \
    {PADICI_KERNEL_FIELD_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_field_##make, \
     {PADICI_TEST_NONE}}
        PADICI_TEST_FIELD(NONE, lines),         PADICI_TEST_FIELD(FIRST, lines),
        PADICI_TEST_FIELD(SECOND, lines),       PADICI_TEST_FIELD(BOTH, lines),
        PADICI_TEST_FIELD(POWER_NONE, lines),   PADICI_TEST_FIELD(POWER_FIRST, lines),
        PADICI_TEST_FIELD(POWER_SECOND, lines), PADICI_TEST_FIELD(POWER_BOTH, lines),
        PADICI_TEST_FIELD(POINTS_KICK, points), PADICI_TEST_FIELD(POINTS_STAGE, points),
        PADICI_TEST_FIELD(POINTS_FADE, points), PADICI_TEST_FIELD(POINTS_COPY, points),
        PADICI_TEST_FIELD(POINTS_NOISE, points),
#undef PADICI_TEST_FIELD
        PADICI_TESTS_END};
    return rows;
}

PADICI_FN padic_result padici_warm_field(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_FIELD_BOTH, NULL, 0);
}

#endif
