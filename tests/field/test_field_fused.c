// test_field_fused.c: steps by vectors in psi's own precision beside the reference, which computes
// in f64, and the bytes of any number of workers.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"
#include "field_support.h"

static double some(void) // -1 to 1
{
    return (double)(test_random() % 20001) / 10000 - 1;
}

static padic_field_plan_desc grid(uint32_t dims, uint64_t x, uint64_t y, uint64_t z)
{
    padic_field_plan_desc desc = field_grid(dims, x, 12);
    const uint64_t shape[3] = {x, y, z};
    for (uint32_t a = 0; a < dims; a++) {
        desc.shape[a] = shape[a];
        desc.spacing[a] = 12.0 / (double)shape[a];
        desc.trap[a] = 0.5 + 0.1 * a;
        desc.centre[a] = 0.2;
    }
    desc.power[0].g = 3;
    desc.dt = 0.002;
    return desc;
}

// A moving blob with what is in every mode, in f32.
static void fill(const padic_field_plan_desc *desc, uint64_t fields, double *psi)
{
    const uint64_t points = field_points(desc);
    for (uint64_t f = 0; f < fields; f++)
        for (uint64_t i = 0; i < points; i++) {
            uint64_t rest = i;
            double square = 0, x = 0, *at = psi + 2 * (f * points + i);
            for (uint32_t a = desc->dims; a-- > 0; rest /= desc->shape[a]) {
                x = field_x(desc, a, rest % desc->shape[a]) - 0.3 * (double)f;
                square += x * x;
            }
            at[0] = (float)(exp(-square / 4) * cos(x) + 0.01 * some());
            at[1] = (float)(exp(-square / 4) * sin(x) + 0.01 * some());
        }
}

// Steps in one call of a field in f64, or in f32 or planes of it, or a wider memory. Returns psi.
static double *steps(padic_context *context, padic_field_plan_desc desc, const double *start,
                     uint64_t fields, uint64_t count, int view)
{
    const uint64_t points = field_points(&desc), all = points * fields;
    const int is_double = desc.dtype == PADIC_C128;
    padic_field_step_desc step = PADIC_ZERO;
    uint64_t shape[5], n = 0;
    double *out = (double *)malloc((size_t)all * 16), *wide = (double *)malloc((size_t)all * 32);
    float *narrow = (float *)(void *)wide;
    const uint64_t gap = view == 2 ? 2 : 1;
    if (view == 1) desc.layout = PADIC_FIELD_LAYOUT_PLANAR, shape[n++] = 2;
    if (fields > 1) desc.batch = fields, shape[n++] = fields;
    for (uint32_t a = 0; a < desc.dims; a++) shape[n++] = desc.shape[a];
    for (uint64_t i = 0; i < 2 * all; i++) {
        const uint64_t at = view == 1 ? i % 2 * all + i / 2 : i / 2 * 2 * gap + i % 2;
        if (is_double) wide[at] = start[i];
        else narrow[at] = (float)start[i];
    }
    step.psi = padic_tensor_nd(view == 1 ? is_double ? PADIC_F64 : PADIC_F32 : desc.dtype, wide,
                               (uint32_t)n, shape);
    if (view == 2) {
        int64_t stride = 2;
        for (uint64_t a = n; a-- > 0; stride *= (int64_t)shape[a]) step.psi.stride[a] = stride;
    }
    step.count = count;
    const uint64_t bound = padic_field_plan_size_bound(context, &desc);
    char *space = (char *)malloc((size_t)bound + 64); // of the plan, where psi is elsewhere
    if (view)
        desc.workspace = padic_tensor_1d(
            PADIC_U8, space + (64 - ((uintptr_t)space & 63)), bound);
    CHECK(!padic_field_plan_create(context, &desc, &step.plan));
    CHECK(padic_field_plan_size(step.plan) <= bound);
    CHECK(!padic_field_step(context, &step));
    padic_field_plan_destroy(step.plan);
    free(space);
    for (uint64_t i = 0; i < 2 * all; i++) {
        const uint64_t at = view == 1 ? i % 2 * all + i / 2 : i / 2 * 2 * gap + i % 2;
        out[i] = is_double ? wide[at] : (double)narrow[at];
    }
    free(wide);
    return out;
}

// All contexts beside the reference in f64; all with vectors give the last one's bytes, unless
// their level is lower.
static void compare(padic_field_plan_desc desc, uint64_t fields, uint64_t count, double tolerance)
{
    const uint64_t numbers = field_points(&desc) * fields;
    double *start = (double *)malloc((size_t)numbers * 16), *exact;
    fill(&desc, fields, start);
    desc.dtype = PADIC_C128;
    exact = steps(NULL, desc, start, fields, count, 0);
    for (int is_double = 0; is_double < 2; is_double++) {
        const double most = is_double ? 1e-6 * tolerance : tolerance;
        double *one = NULL;
        desc.dtype = is_double ? PADIC_C128 : PADIC_C64;
        for (uint32_t c = context_count - 1; c > 0; c--) {
            double *got = steps(contexts[c], desc, start, fields, count, 0);
            CHECK(field_apart(got, exact, numbers) < most);
            if (c == context_count - 1) one = got;
            else if (c == 1) CHECK(!memcmp(got, one, (size_t)numbers * 16));
            if (c != context_count - 1) free(got);
        }
        for (int view = 1; view < 3 && one; view++) { // psi elsewhere: the same bytes
            double *got = steps(contexts[view == 1 ? 1 : context_count - 1], desc, start, fields,
                                count, view);
            CHECK(!memcmp(got, one, (size_t)numbers * 16));
            free(got);
        }
        free(one);
    }
    free(start);
    free(exact);
}

// Short and long axes: blocks with empty lanes, lines, planes, one axis.
TEST(grids)
{
    contexts_begin(0);
    compare(grid(1, 60, 0, 0), 1, 10, 3e-6);
    compare(grid(1, 5000, 0, 0), 1, 3, 3e-6); // more than a task's points
    compare(grid(1, 331, 0, 0), 1, 3, 3e-6);  // Bluestein
    compare(grid(2, 18, 35, 0), 1, 10, 3e-6);
    compare(grid(2, 16, 320, 0), 1, 3, 3e-6);
    compare(grid(2, 64, 64, 0), 1, 3, 3e-6);
    compare(grid(2, 23, 22, 0), 1, 3, 3e-6);
    compare(grid(2, 40, 2, 0), 1, 3, 3e-6);
    compare(grid(2, 40, 1, 0), 1, 3, 3e-6);
    compare(grid(2, 1, 40, 0), 1, 3, 3e-6);
    compare(grid(3, 12, 10, 9), 1, 10, 3e-6);
    compare(grid(3, 5, 3, 300), 1, 3, 3e-6);
    compare(grid(3, 6, 1, 20), 1, 3, 3e-6);
    compare(grid(3, 16, 16, 16), 3, 3, 3e-6);
    contexts_end();
}

TEST(parameters) // potentials, powers, methods, long times
{
    double *v = (double *)malloc(20 * 30 * sizeof *v);
    contexts_begin(0);
    for (int i = 0; i < 600; i++) v[i] = 3 * some();
    for (int m = 0; m < 5; m++) {
        padic_field_plan_desc desc = grid(2, 20, 30, 0);
        desc.power[1].g = -0.5;
        desc.power[1].p = 3;
        desc.power[2].g = 0.1;
        desc.power[2].p = m == 3 ? 3.5 : 6; // 3.5: steps are not fused
        if (m & 1) desc.potential = padic_tensor_2d(PADIC_F64, v, 20, 30);
        if (m == 2) desc.method = PADIC_FIELD_METHOD_SPLIT4;
        if (m == 4) desc.method = PADIC_FIELD_METHOD_SPLIT4, desc.flags = PADIC_FIELD_YOSHIDA;
        desc.dt = m ? 0.002 : -0.05;
        compare(desc, 1, 3, 5e-6);
    }
    for (int m = 0; m < 2; m++) { // one step, phases of many turns; the trap's modulo 2 pi
        padic_field_plan_desc desc = grid(m ? 3 : 2, 20, 18, 6);
        desc.kinetic = 1e-9;
        desc.power[0].g = 1e-3;
        desc.dt = 3000;
        compare(desc, 1, 1, 1e-5);
        desc.power[0].g = 0.2; // angles of 600
        compare(desc, 1, 1, 2e-4);
    }
    contexts_end();
    free(v);
}

TEST(drift) // what f32 loses in 1, 10 and 100 steps of a trapped field; the norm
{
    static const double most[3] = {6e-7, 5e-6, 6e-5};
    const uint64_t all = test_tiny ? 10 : 100;
    contexts_begin(0);
    for (uint32_t dims = 2; dims < 4; dims++) {
        padic_field_plan_desc desc = grid(dims, 24, 24, 24);
        const uint64_t points = field_points(&desc);
        double *start = (double *)malloc((size_t)points * 16);
        int row = 0;
        desc.dt = 0.005;
        fill(&desc, 1, start);
        for (uint64_t count = 1; count <= all; count *= 10, row++) {
            double *wide, *narrow, norm[2] = {0, 0};
            desc.dtype = PADIC_C128;
            wide = steps(NULL, desc, start, 1, count, 0);
            desc.dtype = PADIC_C64;
            narrow = steps(contexts[1], desc, start, 1, count, 0);
            CHECK(field_apart(narrow, wide, points) < most[row]);
            for (uint64_t i = 0; i < 2 * points; i++) {
                norm[0] += start[i] * start[i];
                norm[1] += narrow[i] * narrow[i];
            }
            CHECK_NEAR(norm[1] / norm[0], 1, 2e-7 * (double)count);
            free(wide);
            free(narrow);
        }
        free(start);
    }
    contexts_end();
}

TEST(records) // of fused steps; NORM_LOCK; calls one after the other
{
    enum { N = 32 * 32 };
    static float psi[2][2 * N];
    contexts_begin(0);
    for (int own = 0; own < 2; own++) { // own: planes, which steps copy
        padic_field_plan_desc desc = grid(2, 32, 32, 0);
        padic_field_step_desc step = PADIC_ZERO;
        padic_field_record row[8], last;
        padic_field_measure_desc measure = PADIC_ZERO;
        double start[2 * N], norm;
        fill(&desc, 1, start);
        desc.dtype = PADIC_C64;
        desc.measure_every = 5;
        for (int i = 0; i < 2 * N; i++) psi[0][own ? i % 2 * N + i / 2 : i] = (float)start[i];
        if (own) desc.layout = PADIC_FIELD_LAYOUT_PLANAR;
        const uint64_t shape[3] = {2, 32, 32};
        step.psi = own ? padic_tensor_nd(PADIC_F32, psi[0], 3, shape)
                       : padic_tensor_2d(PADIC_C64, psi[0], 32, 32);
        step.records = padic_tensor_2d(PADIC_F64, row, 8, PADIC_FIELD_COLUMNS);
        memcpy(psi[1], psi[0], sizeof psi[1]);
        REQUIRE(!padic_field_plan_create(contexts[1], &desc, &step.plan));
        measure.plan = step.plan;
        measure.psi = step.psi;
        measure.report = &last;
        CHECK(!padic_field_measure(contexts[1], &measure));
        norm = last.norm;
        step.count = 40;
        CHECK(!padic_field_step(contexts[1], &step));
        for (int k = 0; k < 8; k++) {
            CHECK_EQ(row[k].step, 5 * k + 5);
            CHECK_NEAR(row[k].norm / norm, 1, 2e-6);
            CHECK_NEAR(row[k].energy / row[0].energy, 1, 1e-4);
        }
        CHECK(!padic_field_measure(contexts[1], &measure));
        CHECK_NEAR(last.norm / norm, 1, 1e-7);
        CHECK_NEAR(last.mu, row[7].mu, 1e-5);
        desc.dt = -desc.dt;
        CHECK(!padic_field_plan_set(contexts[1], &desc, step.plan)); // and back
        for (int k = 0; k < 4; k++) {
            step.count = 10;
            CHECK(!padic_field_step(contexts[1], &step));
        }
        for (int i = 0; i < 2 * N; i++) CHECK_NEAR(psi[0][i], psi[1][i], 1e-5);
        psi[0][7] = INFINITY; // ends a call
        CHECK(padic_field_step(contexts[1], &step) == PADIC_ERROR_DOMAIN);
        padic_field_plan_destroy(step.plan);
    }
    contexts_end();
}

TEST_MAIN("field_fused", CASE(grids), CASE(parameters), CASE(drift), CASE(records))
