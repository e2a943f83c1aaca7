// test_field_calls.c: condensates' plans, batches, views, threads, absorbers and noise; bad input.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/failing.h"
#include "../support/padic_test.h"
#include "field_support.h"

static void blob(const padic_field_plan_desc *desc, double shift, double *psi)
{
    for (uint64_t i = 0; i < field_points(desc); i++) {
        uint64_t rest = i;
        double square = 0, x = 0;
        for (uint32_t a = desc->dims; a-- > 0; rest /= desc->shape[a]) {
            x = field_x(desc, a, rest % desc->shape[a]) - shift;
            square += x * x;
        }
        psi[2 * i] = exp(-square / 4) * cos(x / 2);
        psi[2 * i + 1] = exp(-square / 4) * sin(x / 2);
    }
}

static padic_field_plan_desc usual(uint32_t dims, uint64_t n)
{
    padic_field_plan_desc desc = field_grid(dims, n, 12);
    for (uint32_t a = 0; a < dims; a++) desc.trap[a] = 0.5;
    desc.power[0].g = 3;
    return desc;
}

TEST(batches_and_views) // each field as if alone; strides, planes
{
    padic_field_plan_desc one = usual(2, 12), many;
    enum { N = 144 };
    double alone[3][2 * N], all[3][2 * N], wide[3][12][13][2][2], planes[2][3][N];
    padic_field_step_desc step = PADIC_ZERO;
    const uint64_t shape[3] = {3, 12, 12}, planar[4] = {2, 3, 12, 12};
    many = one;
    many.batch = 3;
    for (int b = 0; b < 3; b++) {
        blob(&one, b * 0.3, alone[b]);
        memcpy(all[b], alone[b], sizeof all[b]);
        for (int i = 0; i < N; i++)
            for (int part = 0; part < 2; part++) {
                wide[b][i / 12][i % 12][0][part] = alone[b][2 * i + part];
                planes[part][b][i] = alone[b][2 * i + part];
            }
        CHECK(!field_go(&one, alone[b], 5));
    }
    step.count = 5;
    for (int view = 0; view < 3; view++) {
        many.layout = view == 2 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
        step.psi = padic_tensor_nd(PADIC_C128, all, 3, shape);
        if (view == 1) {
            step.psi.data = wide;
            step.psi.stride[0] = 12 * 13 * 2;
            step.psi.stride[1] = 13 * 2;
            step.psi.stride[2] = 2;
        }
        if (view == 2) step.psi = padic_tensor_nd(PADIC_F64, planes, 4, planar);
        REQUIRE(!padic_field_plan_create(NULL, &many, &step.plan));
        CHECK(!padic_field_step(NULL, &step));
        padic_field_plan_destroy(step.plan);
    }
    CHECK(!memcmp(all, alone, sizeof all));
    for (int i = 0; i < 3 * N; i++)
        for (int part = 0; part < 2; part++) {
            CHECK(wide[i / N][i % N / 12][i % 12][0][part] == alone[i / N][i % N * 2 + part]);
            CHECK(planes[part][i / N][i % N] == alone[i / N][i % N * 2 + part]);
        }
}

TEST(workers) // the same bits for any number of them
{
    static const padic_field_method method[4] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_CAYLEY2, PADIC_FIELD_METHOD_RK4,
        PADIC_FIELD_METHOD_LEAPFROG2};
    padic_threads *threads = padic_threads_create(3, NULL);
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context[2];
    REQUIRE(!padic_context_create(&desc, &context[0]));
    desc.jobs = padic_threads_jobs(threads);
    REQUIRE(!padic_context_create(&desc, &context[1]));
    for (int m = 0; m < 4; m++) {
        padic_field_plan_desc field = usual(2, 72);
        double *psi[2];
        padic_field_record record[2];
        field.method = method[m];
        field.dt = 0.002;
        for (int c = 0; c < 2; c++) {
            padic_field_step_desc step = PADIC_ZERO;
            padic_field_measure_desc measure = PADIC_ZERO;
            padic_field_ground_desc ground = PADIC_ZERO;
            psi[c] = field_memory(&field);
            blob(&field, 0.5, psi[c]);
            REQUIRE(!padic_field_plan_create(context[c], &field, &step.plan));
            CHECK(padic_field_plan_size(step.plan) <=
                  padic_field_plan_size_bound(context[c], &field));
            step.psi = measure.psi = ground.psi = field_view(&field, psi[c]);
            step.count = 4;
            CHECK(!padic_field_step(context[c], &step));
            measure.plan = ground.plan = step.plan;
            measure.report = &record[c];
            CHECK(!padic_field_measure(context[c], &measure));
            ground.max_iterations = 4;
            CHECK(m || padic_field_ground(context[c], &ground) == PADIC_ERROR_DOMAIN);
            padic_field_plan_destroy(step.plan);
        }
        CHECK(!memcmp(psi[0], psi[1], (size_t)field_points(&field) * 16));
        CHECK(!memcmp(&record[0], &record[1], sizeof record[0]));
        free(psi[0]);
        free(psi[1]);
    }
    padic_context_destroy(context[0]);
    padic_context_destroy(context[1]);
    padic_threads_destroy(threads);
}

TEST(vectors) // near the reference
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_field_plan_desc field = usual(3, 20);
    padic_field_step_desc step = PADIC_ZERO;
    double *plain = field_memory(&field), *fast = field_memory(&field);
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &context)) {
        SKIP("no vectors");
    }
    blob(&field, 0.2, plain);
    blob(&field, 0.2, fast);
    CHECK(!field_go(&field, plain, 20));
    REQUIRE(!padic_field_plan_create(context, &field, &step.plan));
    step.psi = field_view(&field, fast);
    step.count = 20;
    CHECK(!padic_field_step(context, &step));
    CHECK(field_apart(fast, plain, field_points(&field)) < 1e-13);
    padic_field_plan_destroy(step.plan);
    for (int m = 0; m < 4; m++) { // phases alone; large ones, too, and odd powers
        static const double dt[4] = {0.01, -3, 1e4, 0.1};
        double *v = (double *)malloc((size_t)field_points(&field) * sizeof *v);
        for (uint64_t i = 0; i < field_points(&field); i++) v[i] = (double)(i * 7919 % 1000) / 500;
        field = usual(3, 21);
        field.shape[0] = 3;
        field.method = PADIC_FIELD_METHOD_CAYLEY2;
        field.dt = dt[m];
        field.power[1].g = m == 3 ? 0.5 : -0.5;
        field.power[1].p = m == 3 ? 3.5 : 3;
        field.power[2].g = 0.1;
        field.power[2].p = 6;
        if (m) field.potential = padic_tensor_3d(PADIC_F64, v, 3, 21, 21);
        blob(&field, 0.2, plain);
        memcpy(fast, plain, (size_t)field_points(&field) * 16);
        step.count = m == 2 ? 1 : 3; // a long step is chaotic
        CHECK(!field_go(&field, plain, step.count));
        REQUIRE(!padic_field_plan_create(context, &field, &step.plan));
        step.psi = field_view(&field, fast);
        CHECK(!padic_field_step(context, &step));
        CHECK(field_apart(fast, plain, field_points(&field)) < (m == 2 ? 1e-5 : 1e-13));
        padic_field_plan_destroy(step.plan);
        free(v);
    }
    padic_context_destroy(context);
    free(plain);
    free(fast);
}

TEST(absorber) // -i W alone: psi e^(-W t), and the phase of a density that falls
{
    static const padic_field_method method[4] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_METHOD_RK4,
        PADIC_FIELD_METHOD_LEAPFROG2};
    for (int m = 0; m < 4; m++) {
        padic_field_plan_desc desc = field_grid(1, 16, 16);
        double w[16], psi[32];
        for (int i = 0; i < 16; i++) {
            w[i] = 0.3;
            psi[2 * i] = 1.5;
            psi[2 * i + 1] = 0;
        }
        desc.method = method[m];
        desc.absorber = padic_tensor_1d(PADIC_F64, w, 16);
        desc.power[0].g = 2;
        desc.dt = m < 2 ? 0.5 : 0.01; // exact for a uniform field, or of order 4, 2
        CHECK(!field_go(&desc, psi, m < 2 ? 4 : 200));
        const double size = 1.5 * exp(-0.6);
        const double phase = -2 * 2.25 * (1 - exp(-2 * 0.6)) / (2 * 0.3);
        CHECK_NEAR(psi[6], size * cos(phase), m < 2 ? 1e-12 : m < 3 ? 1e-6 : 5e-3);
        CHECK_NEAR(psi[7], size * sin(phase), m < 2 ? 1e-12 : m < 3 ? 1e-6 : 5e-3);
    }
}

TEST(noise) // each point gains D t on average; the same numbers again; independent parts
{
    padic_field_plan_desc desc = field_grid(2, 64, 16);
    double *psi = field_memory(&desc), *again = field_memory(&desc), re = 0, im = 0, cross = 0;
    desc.noise = 0.5;
    desc.seed = 7;
    desc.kinetic = 1e-12;
    const double volume = 0.0625, t = 20 * desc.dt;
    CHECK(!field_go(&desc, psi, 20));
    CHECK(!field_go(&desc, again, 20));
    CHECK(!memcmp(psi, again, 64 * 64 * 16));
    for (int i = 0; i < 64 * 64; i++) {
        re += psi[2 * i] * psi[2 * i];
        im += psi[2 * i + 1] * psi[2 * i + 1];
        cross += psi[2 * i] * psi[2 * i + 1];
    }
    const double each = 64 * 64 * 0.5 * t / volume / 2, sigma = each * sqrt(2.0 / (64 * 64));
    CHECK_NEAR(re, each, 4 * sigma);
    CHECK_NEAR(im, each, 4 * sigma);
    CHECK_NEAR(cross, 0, 4 * sigma);
    free(psi);
    free(again);
}

TEST(hamiltonian) // sines and cosines are eigenvectors; energies from H psi
{
    static const padic_field_boundary wall[3] = {PADIC_FIELD_BOUNDARY_PERIODIC,
                                                 PADIC_FIELD_BOUNDARY_DIRICHLET,
                                                 PADIC_FIELD_BOUNDARY_NEUMANN};
    enum { N = 24 };
    for (int b = 0; b < 4; b++) {
        padic_field_plan_desc desc = field_grid(1, N, 6);
        padic_field_hamiltonian_desc call = PADIC_ZERO;
        double psi[2 * N], out[2 * N], value;
        const double h = 0.25, angle = b == 1 ? FIELD_PI * 3 / (N + 1)
                                      : b == 2 ? FIELD_PI * 3 / (double)N
                                               : 2 * FIELD_PI * 3 / (double)N;
        if (b < 3) {
            desc.method = PADIC_FIELD_METHOD_CAYLEY2;
            desc.boundary[0] = wall[b];
        }
        value = b < 3 ? (1 - cos(angle)) / (h * h) : pow(angle / h, 2) / 2;
        for (int j = 0; j < N; j++) {
            psi[2 * j] = b == 1 ? sin(angle * (j + 1)) : cos(angle * (b == 2 ? j + 0.5 : j));
            psi[2 * j + 1] = -2 * psi[2 * j];
        }
        REQUIRE(!padic_field_plan_create(NULL, &desc, &call.plan));
        call.psi = padic_tensor_1d(PADIC_C128, psi, N);
        call.out = padic_tensor_1d(PADIC_C128, out, N);
        call.kinetic_only = (uint32_t)b & 1;
        CHECK(!padic_field_hamiltonian(NULL, &call));
        for (int j = 0; j < 2 * N; j++) CHECK_NEAR(out[j], value * psi[j], 1e-12);
        CHECK_EQ(padic_field_hamiltonian(NULL, NULL), PADIC_ERROR_ARGUMENT);
        call.out.data = psi + 2;
        CHECK_EQ(padic_field_hamiltonian(NULL, &call), PADIC_ERROR_OVERLAP);
        padic_field_plan_destroy(call.plan);
    }
    // Cayley steps on periodic lines of 2, 3 and 4 points, against the exact eigenvalues
    for (uint64_t n = 1; n < 5; n++) {
        padic_field_plan_desc desc = field_grid(1, n, (double)n);
        double psi[8];
        const double k = 2 * FIELD_PI / (double)n * (double)(n > 1), b = 0.1 * (2 - 2 * cos(k)) / 4;
        desc.method = PADIC_FIELD_METHOD_CAYLEY2;
        desc.dt = 0.1;
        for (uint64_t j = 0; j < n; j++) {
            psi[2 * j] = cos(k * (double)j);
            psi[2 * j + 1] = sin(k * (double)j);
        }
        CHECK(!field_go(&desc, psi, 1)); // psi_0 = (1 - i b) / (1 + i b)
        CHECK_NEAR(psi[0], (1 - b * b) / (1 + b * b), 1e-14);
        CHECK_NEAR(psi[1], -2 * b / (1 + b * b), 1e-14);
    }
}

TEST(lock) // records give back the norm that was lost, without them the end of a call
{
    padic_field_plan_desc desc = usual(1, 64);
    double *psi = field_memory(&desc);
    desc.method = PADIC_FIELD_METHOD_RK4;
    desc.dt = 0.02;
    for (int locked = 0; locked < 4; locked++) {
        blob(&desc, 1, psi);
        desc.flags = locked & 1 ? PADIC_FIELD_NORM_LOCK : 0;
        desc.measure_every = locked & 2 ? 0 : 50;
        const double norm = field_energy(&desc, psi).norm;
        CHECK(!field_go(&desc, psi, 1000));
        const double lost = fabs(field_energy(&desc, psi).norm / norm - 1);
        CHECK(locked & 1 ? lost < 1e-14 : lost > 1e-11);
    }
    free(psi);
}

// ------------------------------------------------------------------------------------ bad input

static padic_result create(const padic_field_plan_desc *desc)
{
    padic_field_plan *plan = (padic_field_plan *)(uintptr_t)16;
    const padic_result result = padic_field_plan_create(NULL, desc, &plan);
    CHECK(!plan == (result != PADIC_OK));
    CHECK((padic_field_plan_size_bound(NULL, desc) == 0) ==
          (result != PADIC_OK && result != PADIC_ERROR_DOMAIN));
    padic_field_plan_destroy(plan);
    return result;
}

#define BAD(change, code)                                  \
    do {                                                   \
        padic_field_plan_desc bad = good;                  \
        change;                                            \
        CHECK_EQ(create(&bad), code);                      \
    } while (test_tiny < 0)

TEST(bad_plans)
{
    padic_field_plan_desc good = usual(2, 8), zero = PADIC_ZERO;
    double v[64], narrow[32];
    memset(v, 0, sizeof v);
    memset(narrow, 0, sizeof narrow);
    CHECK_EQ(create(&good), PADIC_OK);
    CHECK_EQ(create(&zero), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_plan_create(NULL, &good, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(create(NULL), PADIC_ERROR_ARGUMENT);
    BAD(bad.dims = 4, PADIC_ERROR_ARGUMENT);
    BAD(bad.shape[1] = 0, PADIC_ERROR_ARGUMENT);
    BAD(bad.shape[0] = (uint64_t)1 << 40, PADIC_ERROR_LIMIT);
    BAD(bad.spacing[1] = 0, PADIC_ERROR_ARGUMENT);
    BAD(bad.spacing[0] = -1, PADIC_ERROR_ARGUMENT);
    BAD(bad.spacing[0] = NAN, PADIC_ERROR_ARGUMENT);
    BAD(bad.origin[0] = INFINITY, PADIC_ERROR_ARGUMENT);
    BAD(bad.dtype = PADIC_F32, PADIC_ERROR_DTYPE);
    BAD(bad.layout = (padic_field_layout)2, PADIC_ERROR_ARGUMENT);
    BAD(bad.method = (padic_field_method)7, PADIC_ERROR_ARGUMENT);
    BAD(bad.time = (padic_field_time)2, PADIC_ERROR_ARGUMENT);
    BAD(bad.boundary[0] = (padic_field_boundary)3, PADIC_ERROR_ARGUMENT);
    BAD(bad.boundary[1] = PADIC_FIELD_BOUNDARY_DIRICHLET, PADIC_ERROR_ARGUMENT);
    BAD(bad.dt = 0, PADIC_ERROR_ARGUMENT);
    BAD(bad.dt = NAN, PADIC_ERROR_ARGUMENT);
    BAD(bad.dt = -0.01, PADIC_OK);
    BAD(bad.dt = -0.01; bad.time = PADIC_FIELD_TIME_IMAGINARY, PADIC_ERROR_ARGUMENT);
    BAD(bad.kinetic = -1, PADIC_ERROR_ARGUMENT);
    BAD(bad.power[2].p = 2, PADIC_ERROR_ARGUMENT);
    BAD(bad.power[1].p = 1, PADIC_ERROR_ARGUMENT);
    BAD(bad.power[0].g = NAN, PADIC_ERROR_ARGUMENT);
    BAD(bad.flags = 32, PADIC_ERROR_ARGUMENT);
    BAD(bad.flags = PADIC_FIELD_NORM_LOCK | PADIC_FIELD_NORM_FREE, PADIC_ERROR_ARGUMENT);
    BAD(bad.noise = -1, PADIC_ERROR_ARGUMENT);
    BAD(bad.time = PADIC_FIELD_TIME_IMAGINARY; bad.noise = 1, PADIC_ERROR_ARGUMENT);
    BAD(bad.time = PADIC_FIELD_TIME_IMAGINARY; bad.method = PADIC_FIELD_METHOD_SPLIT4,
        PADIC_ERROR_ARGUMENT);
    BAD(bad.time = PADIC_FIELD_TIME_IMAGINARY; bad.method = PADIC_FIELD_METHOD_LEAPFROG2,
        PADIC_ERROR_ARGUMENT);
    BAD(bad.time = PADIC_FIELD_TIME_IMAGINARY; bad.method = PADIC_FIELD_METHOD_RK4,
        PADIC_ERROR_ARGUMENT);
    BAD(bad.method = PADIC_FIELD_METHOD_FLOW, PADIC_ERROR_ARGUMENT);
    BAD(bad.method = PADIC_FIELD_METHOD_CAYLEY2; bad.rotation = 1, PADIC_ERROR_ARGUMENT);
    BAD(bad.dims = 1; bad.rotation = 1, PADIC_ERROR_ARGUMENT);
    BAD(bad.shape[0] = 11, PADIC_OK); // a prime: slower
    BAD(bad.potential = padic_tensor_2d(PADIC_F64, v, 8, 8), PADIC_OK);
    BAD(bad.potential = padic_tensor_2d(PADIC_F64, v, 8, 7), PADIC_ERROR_MISMATCH);
    BAD(bad.potential = padic_tensor_1d(PADIC_F64, v, 8), PADIC_ERROR_MISMATCH);
    BAD(bad.potential = padic_tensor_2d(PADIC_C64, v, 8, 8), PADIC_ERROR_DTYPE);
    BAD(bad.absorber = padic_tensor_2d(PADIC_F32, narrow, 8, 8), PADIC_OK);
    BAD(bad.absorber = padic_tensor_2d(PADIC_F64, v, 8, 8); bad.time = PADIC_FIELD_TIME_IMAGINARY,
        PADIC_ERROR_ARGUMENT);
    v[5] = NAN;
    BAD(bad.potential = padic_tensor_2d(PADIC_F64, v, 8, 8), PADIC_ERROR_DOMAIN);
    BAD(bad.absorber = padic_tensor_2d(PADIC_F64, v, 8, 8), PADIC_ERROR_DOMAIN);
    CHECK_EQ(padic_field_plan_limits(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_plan_size(NULL), 0);
    CHECK_EQ(padic_field_ground_workspace(NULL), 0);
}

TEST(bad_calls)
{
    padic_field_plan_desc good = usual(1, 32), other;
    padic_field_step_desc step = PADIC_ZERO;
    padic_field_ground_desc ground = PADIC_ZERO;
    padic_field_measure_desc measure = PADIC_ZERO;
    padic_field_step_report report = PADIC_ZERO;
    padic_field_ground_report found = PADIC_ZERO;
    padic_field_record record;
    padic_field_plan *plan;
    double psi[64], kept[64], rows[2][PADIC_FIELD_COLUMNS];
    REQUIRE(!padic_field_plan_create(NULL, &good, &plan));
    blob(&good, 0, psi);
    memcpy(kept, psi, sizeof kept);
    CHECK_EQ(padic_field_step(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_ground(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_measure(NULL, &measure), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_energy(NULL, NULL), PADIC_ERROR_ARGUMENT);
    step.plan = ground.plan = measure.plan = plan;
    CHECK(padic_field_step(NULL, &step) != PADIC_OK); // no psi
    step.psi = padic_tensor_1d(PADIC_C128, psi, 31);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_MISMATCH);
    step.psi = padic_tensor_2d(PADIC_C128, psi, 1, 32);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_MISMATCH);
    step.psi = padic_tensor_1d(PADIC_C64, psi, 32);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_DTYPE);
    step.psi = ground.psi = measure.psi = field_view(&good, psi);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_OK); // 0 steps
    CHECK(!memcmp(psi, kept, sizeof psi));
    step.count = 3;
    step.records = padic_tensor_2d(PADIC_F64, rows, 2, 17);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_MISMATCH);
    step.records = padic_tensor_2d(PADIC_F32, rows, 2, PADIC_FIELD_COLUMNS);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_DTYPE);
    step.records = padic_tensor_2d(PADIC_F64, psi, 1, PADIC_FIELD_COLUMNS);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_OVERLAP);
    step.records.data = NULL;
    CHECK_EQ(padic_field_measure(NULL, &measure), PADIC_ERROR_ARGUMENT); // no report
    ground.method = (padic_field_ground_method)3;
    CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_ERROR_ARGUMENT);
    ground.method = PADIC_FIELD_GROUND_CG;
    ground.tolerance = -1;
    CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_ERROR_TOLERANCE);
    ground.tolerance = 0;
    ground.workspace = padic_tensor_1d(PADIC_U8, kept, 64);
    CHECK(padic_field_ground(NULL, &ground) == PADIC_ERROR_CAPACITY ||
          padic_field_ground(NULL, &ground) == PADIC_ERROR_ALIGNMENT);
    memset(&ground.workspace, 0, sizeof ground.workspace);
    CHECK(!memcmp(psi, kept, sizeof psi));
    ground.max_iterations = 2; // not reached: the best is kept
    ground.report = &found;
    CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_ERROR_DOMAIN);
    CHECK(found.iterations == 2 && found.residual > 1e-9 && memcmp(psi, kept, sizeof psi));
    memset(psi, 0, sizeof psi);
    CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_ERROR_DOMAIN); // norm 0
    memcpy(psi, kept, sizeof psi);
    psi[9] = NAN;
    good.flags = PADIC_FIELD_CHECK_FINITE;
    CHECK_EQ(padic_field_plan_set(NULL, &good, plan), PADIC_OK);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_DOMAIN);
    CHECK(psi[9] != psi[9] && psi[10] == kept[10]); // unchanged
    good.flags = 0;
    good.measure_every = 2;
    CHECK_EQ(padic_field_plan_set(NULL, &good, plan), PADIC_OK);
    step.report = &report;
    step.count = 100;
    step.restart = 1;
    step.records = padic_tensor_2d(PADIC_F64, rows, 2, PADIC_FIELD_COLUMNS);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_DOMAIN); // the first record says it
    CHECK(report.steps == 2 && report.records == 1);
    memcpy(&record, rows[0], sizeof record);
    CHECK_EQ(record.status, PADIC_FIELD_STATUS_NOT_FINITE);
    memcpy(psi, kept, sizeof psi);
    good.density_limit = 0.5;
    CHECK_EQ(padic_field_plan_set(NULL, &good, plan), PADIC_OK);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_DOMAIN); // dense
    memcpy(&record, rows[0], sizeof record);
    CHECK_EQ(record.status, PADIC_FIELD_STATUS_DENSE);
    good.time = PADIC_FIELD_TIME_IMAGINARY;
    CHECK_EQ(padic_field_plan_set(NULL, &good, plan), PADIC_OK);
    memset(psi, 0, sizeof psi);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_DOMAIN); // norm 0
    other = good;
    other.shape[0] = 16;
    CHECK_EQ(padic_field_plan_set(NULL, &other, plan), PADIC_ERROR_MISMATCH);
    other = good;
    other.method = PADIC_FIELD_METHOD_CAYLEY2;
    CHECK_EQ(padic_field_plan_set(NULL, &other, plan), PADIC_ERROR_MISMATCH);
    CHECK_EQ(padic_field_plan_set(NULL, &good, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_plan_set(NULL, NULL, plan), PADIC_ERROR_ARGUMENT);
    other = good;
    other.time = PADIC_FIELD_TIME_REAL;
    other.trap[0] = 1e308; // the potential overflows: the plan refuses calls until it is set again
    CHECK_EQ(padic_field_plan_set(NULL, &other, plan), PADIC_ERROR_DOMAIN);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_plan_set(NULL, &good, plan), PADIC_OK);
    other = good;
    other.potential = padic_tensor_1d(PADIC_F64, kept, 32);
    CHECK_EQ(padic_field_plan_set(NULL, &other, plan), PADIC_ERROR_MISMATCH);
    CHECK_EQ(sizeof record, PADIC_FIELD_COLUMNS * sizeof(double));
    padic_field_plan_destroy(plan);
}

static int stop_soon(uint64_t done, uint64_t total, void *user)
{
    (void)total;
    (void)user;
    return done >= 3;
}

TEST(contexts) // cancelled, of another context, psi in a buffer
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_field_plan_desc field = usual(1, 32);
    padic_field_step_desc step = PADIC_ZERO;
    padic_field_step_report report = PADIC_ZERO;
    padic_buffer buffer = PADIC_ZERO;
    padic_buffer_desc room = PADIC_ZERO;
    double psi[64], moved[64];
    REQUIRE(!padic_context_create(&desc, &context));
    REQUIRE(!padic_field_plan_create(context, &field, &step.plan));
    blob(&field, 0.1, psi);
    room.size = sizeof psi;
    room.data = psi;
    REQUIRE(!padic_buffer_create(context, &room, &buffer));
    step.psi = padic_tensor_in(padic_tensor_1d(PADIC_C128, NULL, 32), buffer, 0);
    step.count = 3;
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_ARGUMENT); // a buffer needs a context
    CHECK_EQ(padic_field_step(context, &step), PADIC_OK);
    CHECK(!padic_buffer_download(context, buffer, 0, moved, sizeof moved));
    CHECK(!field_go(&field, psi, 3));
    CHECK(!memcmp(psi, moved, sizeof psi));
    step.psi = padic_tensor_1d(PADIC_C128, psi, 32);
    CHECK_EQ(padic_field_step(NULL, &step), PADIC_ERROR_ARGUMENT); // of another context
    padic_field_plan_destroy(step.plan);
    padic_context_destroy(context);
    desc.progress.step = stop_soon;
    REQUIRE(!padic_context_create(&desc, &context));
    REQUIRE(!padic_field_plan_create(context, &field, &step.plan));
    step.count = 1000000;
    step.report = &report;
    CHECK_EQ(padic_field_step(context, &step), PADIC_ERROR_CANCELLED);
    CHECK(report.steps < 1000000);
    padic_field_plan_destroy(step.plan);
    padic_context_destroy(context);
}

// An allocator that fails at each of a call's allocations; none in steps and measures.
TEST(memory)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_SPLIT2,    PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4,    PADIC_FIELD_METHOD_LEGACY_EULER};
    failing f = {1 << 30, 0};
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    desc.allocator.user = &f;
    desc.allocator.alloc = failing_alloc;
    desc.allocator.free = failing_free;
    desc.backends[0] = padic_simd();
    REQUIRE(!padic_context_create(&desc, &context));
    for (int way = 0; way < 2 * 6; way++) {
        // Every second time a length that is a prime: its transform is Bluestein's.
        padic_field_plan_desc field = usual(2, way % 2 ? 13 : 12);
        padic_field_plan *plan = NULL;
        padic_field_step_desc step = PADIC_ZERO;
        padic_field_measure_desc measure = PADIC_ZERO;
        padic_field_ground_desc ground = PADIC_ZERO;
        padic_field_record record;
        const long before = f.live;
        double psi[2 * 169], kept[2 * 169], rows[4][PADIC_FIELD_COLUMNS];
        padic_result result = PADIC_ERROR_MEMORY;
        int failed = 0;
        field.method = methods[way / 2];
        field.dt = 1e-3;
        field.measure_every = 1;
        for (int left = 0; result == PADIC_ERROR_MEMORY && left < 100; left++) {
            f.left = left;
            result = padic_field_plan_create(context, &field, &plan);
            if (result) CHECK(plan == NULL && f.live == before);
            failed += result != PADIC_OK;
        }
        REQUIRE(!result && failed > 1);
        blob(&field, 0.1, psi);
        step.plan = measure.plan = ground.plan = plan;
        step.psi = measure.psi = ground.psi = field_view(&field, psi);
        step.count = 4;
        step.records = padic_tensor_2d(PADIC_F64, rows, 4, PADIC_FIELD_COLUMNS);
        measure.report = &record;
        f.left = 0;
        CHECK_EQ(padic_field_step(context, &step), PADIC_OK);
        CHECK_EQ(padic_field_measure(context, &measure), PADIC_OK);
        memcpy(kept, psi, sizeof psi);
        CHECK_EQ(padic_field_ground(context, &ground), PADIC_ERROR_MEMORY);
        CHECK(!memcmp(kept, psi, sizeof psi));
        padic_field_plan_destroy(plan);
        CHECK(f.live == before);
        const uint64_t bound = padic_field_plan_size_bound(context, &field); // workspaces
        char *space = (char *)malloc((size_t)bound + 128);
        char *at = space + (64 - ((uintptr_t)space & 63));
        field.workspace = padic_tensor_1d(PADIC_U8, at, bound);
        CHECK(!padic_field_plan_create(context, &field, &step.plan));
        blob(&field, 0.1, psi);
        CHECK(!padic_field_step(context, &step) && !memcmp(kept, psi, sizeof psi));
        CHECK((char *)(void *)step.plan == at && padic_field_plan_size(step.plan) <= bound);
        padic_field_plan_destroy(step.plan);
        field.workspace.shape[0]--;
        CHECK(padic_field_plan_create(context, &field, &plan) == PADIC_ERROR_CAPACITY && !plan);
        field.workspace = padic_tensor_1d(PADIC_U8, at + 8, bound);
        CHECK(padic_field_plan_create(context, &field, &plan) == PADIC_ERROR_ALIGNMENT && !plan);
        field.workspace = padic_tensor_1d(PADIC_F32, at, bound);
        CHECK(padic_field_plan_create(context, &field, &plan) == PADIC_ERROR_ARGUMENT && !plan);
        free(space);
        f.left = 1 << 30;
        CHECK(f.live == before);
    }
    padic_context_destroy(context);
    CHECK(f.live == 0);
}

TEST_MAIN("field_calls", CASE(batches_and_views), CASE(workers), CASE(vectors), CASE(absorber),
          CASE(noise), CASE(hamiltonian), CASE(lock), CASE(bad_plans), CASE(bad_calls),
          CASE(contexts), CASE(memory))
