#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../field/calls.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../launch.h"
#include "../variants.h"
#include "norm.h"

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
    if (padici_gpu_define(c, "PD_FIELD_SWIRL", 0)) { // three times as many transforms
        desc.dt = 1.0 / 512;
        if (desc.dims > 1) desc.rotation = 4 / (double)(desc.shape[0] + desc.shape[1]);
    }
    if (c->round == 1) padici_test_field_real(c, &desc, 7, 4, &desc.potential);
    if (padici_gpu_define(c, "PD_FIELD_ABSORBER", 0))
        padici_test_field_real(c, &desc, 5, 1, &desc.absorber);
    return c->failed ? PADIC_ERROR_SELF_TEST : padici_test_field_work(c, &desc);
}

static padic_result padici_test_field_points(padici_gpu_case *c)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4, PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_LEGACY_EULER, PADIC_FIELD_METHOD_CAYLEY2};
    padic_field_plan_desc desc;
    uint32_t a;
    padici_test_field_begin(c, &desc);
    desc.method = methods[c->round];
    if (c->round == 4) desc.time = PADIC_FIELD_TIME_IMAGINARY;
    desc.flags = PADIC_FIELD_NORM_FREE;
    desc.dt = 1.0 / 1024; // densities are up to 128
    desc.shape[0] = 5;
    desc.shape[1] = 9;
    desc.shape[2] = 17;
    for (a = 0; a < 3 && c->round != 3; a++)
        desc.boundary[a] = (padic_field_boundary)((a + c->round) % 3);
    if (c->round && c->round < 4) desc.noise = 0.5;
    desc.seed = UINT64_C(0x123456789abcdef);
    c->again = c->round < (padici_gpu_define(c, "PD_FIELD_ABSORBER", 0) ? 3u : 4u);
    if (c->round == 2) padici_test_field_real(c, &desc, 7, 4, &desc.potential);
    if (padici_gpu_define(c, "PD_FIELD_ABSORBER", 0))
        padici_test_field_real(c, &desc, 5, 1, &desc.absorber);
    return c->failed ? PADIC_ERROR_SELF_TEST : padici_test_field_work(c, &desc);
}

// Two fields of 5 * 9 * 7 numbers, one after the other, in two groups each.
static void padici_test_field_norm_params(padici_gpu_case *c, padici_k_field_norm_params *k)
{
    const uint32_t planar = padici_gpu_define(c, "PD_FIELD_PLANAR", 0);
    memset(k, 0, sizeof *k);
    k->points = 315;
    k->groups = 2;
    k->each = 256;
    k->n1 = 9;
    k->n2 = 7;
    k->imaginary = planar ? 630 : 1;
    k->step0 = 63;
    k->step1 = 7;
    k->step2 = 1;
    k->step_field = 315;
    k->what = c->round ? PADICI_GPU_FIELD_INFINITE : PADICI_GPU_FIELD_DENSITY;
    k->places = 3;
    k->slot = 1;
    k->held = 2;
    k->now = 1;
}

// Whole numbers as sums.
static void padici_test_field_sum(const padici_gpu_case *c, double value, uint32_t *words)
{
    padici_gpu_real(value, (c->gpu->info->features & PADIC_FEATURE_F64) != 0, words);
}

static double padici_test_field_density(const padici_gpu_case *c, const void *psi,
                                        const padici_k_field_norm_params *k, uint32_t i)
{
    const int wide = padici_gpu_define(c, "PD_FFT_F64", 0) != 0;
    const uint32_t re = k->imaginary > 1 ? i : 2 * i, im = re + k->imaginary;
    const double a = wide ? ((const double *)psi)[re] : (double)((const float *)psi)[re];
    const double b = wide ? ((const double *)psi)[im] : (double)((const float *)psi)[im];
    return k->what ? (a - a == 0 ? 0.0 : 1.0) + (b - b == 0 ? 0.0 : 1.0) : a * a + b * b;
}

static padic_result padici_test_field_norm(padici_gpu_case *c)
{
    const int wide = padici_gpu_define(c, "PD_FFT_F64", 0) != 0;
    const uint64_t infinite = UINT64_C(0x7ff0000000000000);
    const uint32_t single = 0x7f800000u;
    padici_k_field_norm_params k;
    uint32_t *parts, i, j;
    char *psi;
    padici_test_field_norm_params(c, &k);
    psi = (char *)padici_gpu_make(c, 0, PADICI_FILL_WHOLE, wide ? PADIC_F64 : PADIC_F32, 1260, 0);
    parts = (uint32_t *)padici_gpu_make(c, 1, PADICI_FILL_BYTES | PADICI_FILL_OUT, PADIC_U32, 8, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < 7 && k.what; i++) {
        if (wide) memcpy(psi + 8 * (100 + 77 * i), &infinite, 8);
        else memcpy(psi + 4 * (100 + 77 * i), &single, 4);
    }
    for (i = 0; i < 4; i++) {
        const uint32_t from = i / 2 * 315 + i % 2 * 256, end = i % 2 ? from + 59 : from + 256;
        double sum = 0;
        for (j = from; j < end; j++) sum += padici_test_field_density(c, psi, &k, j);
        padici_test_field_sum(c, sum, parts + 2 * i);
    }
    c->groups[0] = 4;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

static padic_result padici_test_field_total(padici_gpu_case *c)
{
    padici_k_field_norm_params k;
    uint32_t *parts, *state, field, i;
    padici_test_field_norm_params(c, &k);
    k.groups = c->round ? 300 : 5;
    parts = (uint32_t *)padici_gpu_make(c, 0, PADICI_FILL_ZERO, PADIC_U32, 4 * k.groups, 0);
    state = (uint32_t *)padici_gpu_make(c, 1, PADICI_FILL_BYTES | PADICI_FILL_OUT, PADIC_U32, 12,
                                        0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (field = 0; field < 2; field++) {
        double sum = 0;
        for (i = 0; i < k.groups; i++) {
            const double part = (double)((i * 37u + field * 11u) % 101u) - 20;
            sum += part;
            padici_test_field_sum(c, part, parts + 2 * (field * k.groups + i));
        }
        padici_test_field_sum(c, sum, state + 2 * (3 * field + k.slot));
    }
    c->groups[0] = 2;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

// One field becomes twice as large, the other, of norm 0, stays.
static padic_result padici_test_field_rescale(padici_gpu_case *c)
{
    const int wide = padici_gpu_define(c, "PD_FFT_F64", 0) != 0;
    padici_k_field_norm_params k;
    uint32_t *state, i, part;
    char *psi;
    padici_test_field_norm_params(c, &k);
    state = (uint32_t *)padici_gpu_make(c, 0, PADICI_FILL_ZERO, PADIC_U32, 12, 0);
    psi = (char *)padici_gpu_make(c, 1, PADICI_FILL_WHOLE | PADICI_FILL_OUT,
                                  wide ? PADIC_F64 : PADIC_F32, 1260, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    padici_test_field_sum(c, 12, state + 2 * k.held);
    padici_test_field_sum(c, 3, state + 2 * k.now);
    padici_test_field_sum(c, 5, state + 6 + 2 * k.held);
    for (i = 0; i < 315; i++)
        for (part = 0; part < 2; part++) {
            const uint32_t at = (k.imaginary > 1 ? i : 2 * i) + part * k.imaginary;
            if (wide) ((double *)(void *)psi)[at] *= 2;
            else ((float *)(void *)psi)[at] *= 2;
        }
    c->groups[0] = 4;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

// A plan with records, of transforms or of differences with all walls. psi is of whole 64ths, so
// that its norm is 2, the largest K k^2 15, no number of a record or of H psi above 15.
static void padici_test_field_record_desc(padici_gpu_case *c, padic_field_plan_desc *desc)
{
    uint32_t i;
    memset(desc, 0, sizeof *desc);
    desc->dtype = padici_gpu_define(c, "PD_FFT_F64", 0) ? PADIC_C128 : PADIC_C64;
    desc->layout = (padic_field_layout)padici_gpu_define(c, "PD_FIELD_PLANAR", 0);
    desc->method = c->round ? PADIC_FIELD_METHOD_CAYLEY2 : PADIC_FIELD_METHOD_SPLIT2;
    desc->dims = 3;
    desc->dt = 1.0 / 64;
    for (i = 0; i < 3; i++) {
        desc->shape[i] = 5 + i;
        desc->spacing[i] = 1;
        desc->trap[i] = 0.25;
        if (c->round) desc->boundary[i] = (padic_field_boundary)i;
    }
    desc->power[0].g = 64;
    desc->power[2].g = padici_gpu_define(c, "PD_FIELD_POWERS", 0) ? 8 : 1024;
    desc->power[2].p = padici_gpu_define(c, "PD_FIELD_POWERS", 0) ? 3 : 6;
    desc->measure_every = 2;
}

// psi of the plan's layout.
static void padici_test_field_record_psi(padici_gpu_case *c, const padic_field_plan_desc *desc,
                                         padic_tensor *psi)
{
    static const uint64_t planar[4] = {2, 5, 6, 7};
    const int wide = desc->dtype == PADIC_C128;
    uint64_t i;
    *psi = desc->layout ? padic_tensor_nd(wide ? PADIC_F64 : PADIC_F32, NULL, 4, planar)
                        : padic_tensor_nd(desc->dtype, NULL, 3, desc->shape);
    psi->data = padici_gpu_numbers(c, PADICI_FILL_WHOLE, psi->dtype, padic_tensor_count(psi));
    for (i = 0; i < 420 && !c->failed; i++) {
        if (wide) ((double *)psi->data)[i] /= 64;
        else ((float *)psi->data)[i] /= 64;
    }
}

// Records of steps.
static padic_result padici_test_field_recorded(padici_gpu_case *c, padic_field_plan *plan,
                                               const padic_tensor *psi, double bound)
{
    const uint64_t size = 2 * sizeof(padic_field_record);
    padici_field_step_call step;
    memset(&step, 0, sizeof step);
    step.desc.plan = plan;
    step.desc.psi = *psi;
    step.desc.count = 3;
    step.desc.restart = 1;
    step.desc.records =
        padic_tensor_2d(PADIC_F64, padici_gpu_space(c, size), 2, PADIC_FIELD_COLUMNS);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    memset(step.desc.records.data, 0, (size_t)size);
    padici_field_step_prepare(&step, c->gpu->context);
    step.task.on_device = 1;
    return padici_gpu_case_drive(c, PADIC_OP_FIELD_STEP, &step, 0, bound);
}

// A record alone, which needs no other program.
static padic_result padici_test_field_measured(padici_gpu_case *c, padic_field_plan *plan,
                                               const padic_tensor *psi, double bound)
{
    padici_field_measure_call measure;
    padic_field_record seen, want;
    const double *got = &seen.time, *right = &want.time;
    padic_result result;
    uint32_t i;
    memset(&measure, 0, sizeof measure);
    measure.desc.plan = plan;
    measure.desc.psi = *psi;
    measure.desc.report = &seen;
    padici_field_load(plan, psi, 0, plan->array[0]);
    padici_field_record(plan, plan->array[0], plan->array[1], plan->array[2], &want);
    padici_field_measure_prepare(&measure, c->gpu->context);
    measure.task.on_device = 1;
    result = padici_gpu_case_drive(c, PADIC_OP_FIELD_MEASURE, &measure, 0, 0);
    for (i = 0; i < PADIC_FIELD_COLUMNS && !result; i++)
        if (!(fabs(got[i] - right[i]) <= bound)) result = PADIC_ERROR_SELF_TEST;
    return result;
}

// Records, and H psi. Numbers are off by 8 (log2 n + 8) roundings, as api.h says, of 32.
static padic_result padici_test_field_record(padici_gpu_case *c)
{
    padic_field_plan_desc desc;
    padici_field_hamiltonian_call hamiltonian;
    padic_field_plan *plan;
    padic_tensor *psi = &hamiltonian.desc.psi;
    double bound;
    padic_result result;
    memset(&hamiltonian, 0, sizeof hamiltonian);
    padici_test_field_record_desc(c, &desc);
    c->again = !c->round;
    bound = 8 * 16 * 32 * (desc.dtype == PADIC_C128 ? DBL_EPSILON : (double)FLT_EPSILON) / 2;
    result = padici_field_plan_make(c->gpu->context, &desc, &plan);
    if (result) return result;
    padici_test_field_record_psi(c, &desc, psi);
    if (!c->failed)
        result = c->round ? padici_test_field_measured(c, plan, psi, bound)
                          : padici_test_field_recorded(c, plan, psi, bound);
    hamiltonian.desc.plan = plan;
    hamiltonian.desc.out = *psi;
    hamiltonian.desc.out.data =
        padici_gpu_space(c, padic_tensor_count(psi) * padic_dtype_size(psi->dtype));
    if (!c->failed && !result) {
        padici_field_hamiltonian_prepare(&hamiltonian, c->gpu->context);
        hamiltonian.task.on_device = 1;
        result = padici_gpu_case_drive(c, PADIC_OP_FIELD_HAMILTONIAN, &hamiltonian, 0, bound);
    }
    padici_field_plan_end(plan);
    return c->failed ? PADIC_ERROR_SELF_TEST : result;
}

// Of a ground state: psi above 0, from which everybody gets to the same phase; the largest K k^2 is
// 15, so that psi of C64 has a residual of 4e-6.
static padic_result padici_test_field_psi(padici_gpu_case *c, padic_field_plan_desc *desc,
                                          padic_field_plan **plan, padic_tensor *psi)
{
    const int wide = desc->dtype == PADIC_C128;
    const padic_result result = padici_field_plan_make(c->gpu->context, desc, plan);
    uint64_t i;
    if (result) return result;
    padici_test_field_record_psi(c, desc, psi);
    for (i = 0; i < 420 && !c->failed; i++) {
        const double value = desc->layout ? i < 210 : i % 2 == 0;
        if (wide) ((double *)psi->data)[i] = value * (0.5 + ((double *)psi->data)[i]);
        else ((float *)psi->data)[i] = (float)value * (0.5f + ((float *)psi->data)[i]);
    }
    return PADIC_OK;
}

static padic_result padici_test_field_search(padici_gpu_case *c)
{
    padici_field_ground_call ground;
    padic_field_plan_desc desc;
    padic_result result;
    memset(&ground, 0, sizeof ground);
    padici_test_field_record_desc(c, &desc);
    desc.power[0].g = 2;
    desc.power[2].g = padici_gpu_define(c, "PD_FIELD_POWERS", 0) ? 0.5 : 0.25;
    result = padici_test_field_psi(c, &desc, &ground.desc.plan, &ground.desc.psi);
    if (result) return result;
    ground.desc.tolerance = desc.dtype == PADIC_C128 ? 1e-9 : 3e-5;
    padici_field_ground_prepare(&ground, c->gpu->context);
    ground.task.on_device = 1;
    result = c->failed ? PADIC_ERROR_SELF_TEST
                       : padici_gpu_case_drive(c, PADIC_OP_FIELD_GROUND, &ground, 0,
                                               20 * ground.desc.tolerance);
    padici_field_plan_end(ground.desc.plan);
    return result;
}

static padic_result padici_test_field_flow(padici_gpu_case *c)
{
    padici_field_step_call step;
    padic_field_plan_desc desc;
    padic_result result;
    memset(&step, 0, sizeof step);
    padici_test_field_record_desc(c, &desc);
    desc.method = PADIC_FIELD_METHOD_FLOW;
    desc.time = PADIC_FIELD_TIME_IMAGINARY;
    desc.measure_every = 0;
    desc.dt = 0.5;
    result = padici_test_field_psi(c, &desc, &step.desc.plan, &step.desc.psi);
    if (result) return result;
    step.desc.count = 2;
    padici_field_step_prepare(&step, c->gpu->context);
    step.task.on_device = 1;
    result = c->failed ? PADIC_ERROR_SELF_TEST
                       : padici_gpu_case_drive(c, PADIC_OP_FIELD_STEP, &step, 0,
                                               desc.dtype == PADIC_C128 ? 1e-12 : 1e-4);
    padici_field_plan_end(step.desc.plan);
    return result;
}

// psi of small whole numbers, with many links through 0, very small and large ones, zeros, one that
// is not finite, in several groups.
static padic_tensor padici_test_field_vortex_psi(padici_gpu_case *c, padic_dtype dtype)
{
    static const double sizes[5] = {1, 1e-42, 2.5e37, 1e-20, 0.3333333};
    const uint32_t n = 13 * 9 * 11;
    void *psi = padici_gpu_space(c, n * padic_dtype_size(dtype));
    uint32_t i, random = 77;
    for (i = 0; i < 2 * n && !c->failed; i++) {
        double value;
        random = random * 1664525u + 1013904223u;
        value = (double)(int32_t)(random >> 20 & 7) - 3;
        value = i == 101 ? (double)INFINITY : value * sizes[i / 2 % 5];
        if (dtype == PADIC_C128) ((double *)psi)[i] = value;
        else ((float *)psi)[i] = (float)value;
    }
    return c->round ? padic_tensor_2d(dtype, psi, 117, 11)
                    : padic_tensor_3d(dtype, psi, 13, 9, 11);
}

// All lists, with links to the first rows of themselves; charges are the same bits, places within a
// rounding.
static padic_result padici_test_field_vortex(padici_gpu_case *c)
{
    const int wide = padici_gpu_define(c, "PD_FIELD_WIDE", 0) != 0;
    const int places = (c->gpu->info->features & PADIC_FEATURE_F64) != 0;
    const uint64_t rows = 3 * 13 * 9 * 11, last = 40;
    padic_field_vortices_report seen, want;
    padic_field_vortices_desc desc;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    desc.psi = padici_test_field_vortex_psi(c, wide ? PADIC_C128 : PADIC_C64);
    desc.boundary[c->round ? 0 : 2] = PADIC_FIELD_BOUNDARY_DIRICHLET;
    desc.cells = padic_tensor_2d(PADIC_I64, padici_gpu_space(c, rows * 24), rows, 3);
    if (places) {
        desc.positions = padic_tensor_2d(PADIC_F64, padici_gpu_space(c, rows * 24), rows,
                                         desc.psi.rank);
        desc.density = padic_tensor_1d(PADIC_F64, padici_gpu_space(c, rows * 8), rows);
    }
    desc.report = &want;
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    padici_field_vortices_host(NULL, &desc);
    if (places) {
        desc.last_cells = padic_tensor_2d(PADIC_I64, padici_gpu_space(c, last * 24), last, 3);
        desc.last_positions = padic_tensor_2d(PADIC_F64, padici_gpu_space(c, last * 24), last,
                                              desc.psi.rank);
        desc.links = padic_tensor_1d(PADIC_I64, padici_gpu_space(c, rows * 8), rows);
        desc.reach = 3;
        if (c->failed) return PADIC_ERROR_SELF_TEST;
        memcpy(desc.last_cells.data, desc.cells.data, (size_t)last * 24);
        memcpy(desc.last_positions.data, desc.positions.data, (size_t)last * 8 * desc.psi.rank);
        padici_field_vortices_host(NULL, &desc);
    }
    desc.report = &seen;
    result = padici_gpu_case_drive(c, PADIC_OP_FIELD_VORTICES, &desc, 0, 0);
    return result || !memcmp(&seen, &want, sizeof seen) ? result : PADIC_ERROR_SELF_TEST;
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
        PADICI_TEST_FIELD(AROUND, lines),       PADICI_TEST_FIELD(POWER_AROUND, lines),
        PADICI_TEST_FIELD(POINTS_KICK, points), PADICI_TEST_FIELD(POINTS_STAGE, points),
        PADICI_TEST_FIELD(POINTS_FADE, points), PADICI_TEST_FIELD(POINTS_COPY, points),
        PADICI_TEST_FIELD(POINTS_NOISE, points), PADICI_TEST_FIELD(POINTS_PHASE, points),
        PADICI_TEST_FIELD(POINTS_CAYLEY, points), PADICI_TEST_FIELD(POINTS_DECAY, points),
#undef PADICI_TEST_FIELD
#define PADICI_TEST_FIELD(kernel) \
    {PADICI_KERNEL_FIELD_RECORD_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_field_record, \
     {PADICI_TEST_NONE}}
        PADICI_TEST_FIELD(COPY), PADICI_TEST_FIELD(WEIGH), PADICI_TEST_FIELD(DIFFER),
        PADICI_TEST_FIELD(SUMS), PADICI_TEST_FIELD(RESIDUAL), PADICI_TEST_FIELD(HAMILTON),
        PADICI_TEST_FIELD(BEGIN), PADICI_TEST_FIELD(MAKE), PADICI_TEST_FIELD(END),
#undef PADICI_TEST_FIELD
#define PADICI_TEST_FIELD(kernel, make) \
    {PADICI_KERNEL_FIELD_GROUND_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_field_##make, \
     {PADICI_TEST_NONE}}
        PADICI_TEST_FIELD(SLOPE, flow), PADICI_TEST_FIELD(LESS, flow),
        PADICI_TEST_FIELD(FLOW, flow), PADICI_TEST_FIELD(COPY, flow),
        PADICI_TEST_FIELD(DECIDE, flow), PADICI_TEST_FIELD(GRADIENT, search),
        PADICI_TEST_FIELD(SOFTEN, search), PADICI_TEST_FIELD(DIRECT, search),
        PADICI_TEST_FIELD(BEND, search), PADICI_TEST_FIELD(ARC, search),
        PADICI_TEST_FIELD(MOVE, search),
#undef PADICI_TEST_FIELD
#define PADICI_TEST_FIELD(kernel) \
    {PADICI_KERNEL_FIELD_VORTEX_##kernel, 2, PADICI_TEST_DRIVEN, padici_test_field_vortex, \
     {PADICI_TEST_NONE}}
        PADICI_TEST_FIELD(COUNT), PADICI_TEST_FIELD(TOTAL), PADICI_TEST_FIELD(LIST),
        PADICI_TEST_FIELD(LINK),
#undef PADICI_TEST_FIELD
        {PADICI_KERNEL_FIELD_MEASURE_NORM, 2, 4, padici_test_field_norm, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FIELD_MEASURE_TOTAL, 2, 2, padici_test_field_total, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FIELD_MEASURE_RESCALE, 1, 4, padici_test_field_rescale, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

PADICI_FN padic_result padici_warm_field(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_FIELD_BOTH, NULL, 0);
}

#endif
