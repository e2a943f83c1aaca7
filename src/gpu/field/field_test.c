#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../field/calls.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Tests: the driver against the reference, steps of small fields. Lines in order and across, of
// every radix; fewer than a group has and more; a potential, all powers, two substeps.

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

static padic_result padici_test_field_lines(padici_gpu_case *c)
{
    static const uint64_t shapes[][3] = {{5, 7, 12}, {35, 6, 3}, {2, 48, 45}};
    const uint32_t log = padici_gpu_define(c, "PD_FFT_LOG", 0);
    padic_field_plan_desc desc;
    double *potential;
    uint64_t i;
    memset(&desc, 0, sizeof desc);
    desc.dtype = padici_gpu_define(c, "PD_FFT_F64", 0) ? PADIC_C128 : PADIC_C64;
    desc.layout = (padic_field_layout)padici_gpu_define(c, "PD_FIELD_PLANAR", 0);
    desc.method = c->round ? PADIC_FIELD_METHOD_SPLIT2 : PADIC_FIELD_METHOD_SPLIT4;
    desc.flags = PADIC_FIELD_YOSHIDA | PADIC_FIELD_NORM_FREE;
    desc.dt = 1.0 / 64;
    desc.dims = 3;
    memcpy(desc.shape, shapes[c->round], sizeof desc.shape);
    if (log) {
        desc.dims = c->round < 2 ? 2 : 1;
        desc.shape[0] = desc.shape[1] = 3;
        desc.shape[c->round % 2] = UINT64_C(1) << log;
    }
    desc.power[0].g = 0.25;
    desc.power[1].g = -0.25;
    if (desc.dtype == PADIC_C128 || padici_gpu_define(c, "PD_FIELD_POWERS", 0))
        desc.power[1].p = 3;
    desc.power[2].g = 0.0078125;
    desc.power[2].p = 6;
    if (padici_gpu_define(c, "PD_FIELD_POWERS", 0)) desc.power[0].p = 4.5;
    c->again = c->round < 2;
    if (c->round == 1) {
        desc.potential = padic_tensor_nd(PADIC_F64, NULL, desc.dims, desc.shape);
        potential = (double *)padici_gpu_space(c, padic_tensor_count(&desc.potential) * 8);
        if (c->failed) return PADIC_ERROR_SELF_TEST;
        for (i = 0; i < padic_tensor_count(&desc.potential); i++)
            potential[i] = (double)(i % 7) / 4;
        desc.potential.data = potential;
    }
    if (padici_gpu_define(c, "PD_FIELD_ABSORBER", 0)) {
        desc.absorber = padic_tensor_nd(PADIC_F64, NULL, desc.dims, desc.shape);
        potential = (double *)padici_gpu_space(c, padic_tensor_count(&desc.absorber) * 8);
        if (c->failed) return PADIC_ERROR_SELF_TEST;
        for (i = 0; i < padic_tensor_count(&desc.absorber); i++)
            potential[i] = (double)(i % 5);
        desc.absorber.data = potential;
    }
    return padici_test_field_work(c, &desc);
}

PADICI_FN const padici_gpu_test *padici_tests_field(void)
{
    static const padici_gpu_test rows[] = {
#define PADICI_TEST_FIELD(kernel) \
    {PADICI_KERNEL_FIELD_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_field_lines, \
     {PADICI_TEST_NONE}}
        PADICI_TEST_FIELD(NONE), PADICI_TEST_FIELD(FIRST), PADICI_TEST_FIELD(SECOND),
        PADICI_TEST_FIELD(BOTH), PADICI_TEST_FIELD(POWER_NONE), PADICI_TEST_FIELD(POWER_FIRST),
        PADICI_TEST_FIELD(POWER_SECOND), PADICI_TEST_FIELD(POWER_BOTH),
#undef PADICI_TEST_FIELD
        PADICI_TESTS_END};
    return rows;
}

PADICI_FN padic_result padici_warm_field(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_FIELD_BOTH, NULL, 0);
}

#endif
