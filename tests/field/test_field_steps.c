// test_field_steps.c: steps of condensates against closed forms, published values and propagators
// of their own.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/padic_test.h"
#include "field_support.h"

// ---------------------------------------------------------------------------- one step, by hand

TEST(one_step) // values of 40 digits' arithmetic; c64 and planes as well
{
    padic_field_plan_desc desc = field_grid(1, 8, 8);
    double psi[16], start[16];
    for (int i = 0; i < 8; i++) {
        const double x = i - 4, size = exp(-x * x / 4);
        start[2 * i] = size * cos(x / 2);
        start[2 * i + 1] = size * sin(x / 2);
    }
    desc.trap[0] = 0.5;
    desc.power[0].g = 1;
    desc.dt = 0.1;
    memcpy(psi, start, sizeof psi);
    const padic_field_record before = field_energy(&desc, psi);
    CHECK_NEAR(before.norm, 2.506285341603, 1e-12);
    CHECK_NEAR(before.energy, 2.766208072886, 1e-12);
    REQUIRE(!field_go(&desc, psi, 1));
    CHECK_NEAR(psi[0], -.019223468820, 1e-12);
    CHECK_NEAR(psi[1], -.003757993243, 1e-12);
    CHECK_NEAR(psi[6], .612594376886, 1e-12);
    CHECK_NEAR(psi[7], -.450552530664, 1e-12);
    CHECK_NEAR(psi[8], .989352546122, 1e-12);
    CHECK_NEAR(psi[9], -.136484441016, 1e-12);
    float narrow[16], planes[2][8];
    for (int i = 0; i < 16; i++) {
        narrow[i] = (float)start[i];
        planes[i % 2][i / 2] = (float)start[i];
    }
    padic_field_step_desc step = PADIC_ZERO;
    desc.dtype = PADIC_C64;
    step.psi = padic_tensor_1d(PADIC_C64, narrow, 8);
    step.count = 1;
    REQUIRE(!padic_field_plan_create(NULL, &desc, &step.plan));
    CHECK(!padic_field_step(NULL, &step));
    padic_field_plan_destroy(step.plan);
    desc.layout = PADIC_FIELD_LAYOUT_PLANAR;
    step.psi = padic_tensor_2d(PADIC_F32, planes, 2, 8);
    REQUIRE(!padic_field_plan_create(NULL, &desc, &step.plan));
    CHECK(!padic_field_step(NULL, &step));
    padic_field_plan_destroy(step.plan);
    for (int i = 0; i < 16; i++) {
        CHECK_NEAR(narrow[i], psi[i], 1.2e-7);
        CHECK(narrow[i] == planes[i % 2][i / 2]);
    }
}

TEST(linear) // a free Gaussian in one step; the centre in a trap
{
    padic_field_plan_desc desc = field_grid(1, 512, 60);
    double *psi = field_memory(&desc), square = 0, norm = 0;
    for (uint64_t i = 0; i < 512; i++) psi[2 * i] = exp(-pow(field_x(&desc, 0, i), 2) / 2);
    desc.dt = 3;
    REQUIRE(!field_go(&desc, psi, 1));
    for (uint64_t i = 0; i < 512; i++) {
        const double density = psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1];
        norm += density;
        square += density * pow(field_x(&desc, 0, i), 2);
    }
    CHECK_NEAR(sqrt(2 * square / norm), sqrt(10.0), 1e-10); // psi's width is sqrt 2 of it
    desc = field_grid(1, 128, 20);
    desc.trap[0] = 0.5;
    for (uint64_t i = 0; i < 128; i++) {
        psi[2 * i] = exp(-pow(field_x(&desc, 0, i) - 1.5, 2) / 2);
        psi[2 * i + 1] = 0;
    }
    REQUIRE(!field_go(&desc, psi, 1000));
    CHECK_NEAR(field_energy(&desc, psi).centroid[0], 1.5 * cos(10.0), 1e-4);
    free(psi);
}

// ------------------------------------------------------------------------------------ solitons

static double bright(padic_field_method method, uint32_t flags, double dt)
{
    padic_field_plan_desc desc = field_grid(1, 768, 60);
    double *psi = field_memory(&desc), *exact = field_memory(&desc);
    const double v = 2 * FIELD_PI * 9 / 60;
    desc.method = method;
    desc.flags = flags;
    desc.power[0].g = -1;
    desc.dt = dt;
    for (uint64_t i = 0; i < 768; i++)
        for (int late = 0; late < 2; late++) {
            const double x = field_x(&desc, 0, i), t = 2.0 * late, size = 1 / cosh(x - v * t);
            const double phase = v * x + (1 - v * v) * t / 2;
            double *at = (late ? exact : psi) + 2 * i;
            at[0] = size * cos(phase);
            at[1] = size * sin(phase);
        }
    CHECK_NEAR(field_energy(&desc, psi).energy, -1.0 / 3 + v * v, 1e-10);
    CHECK(!field_go(&desc, psi, (uint64_t)(2 / dt + 0.5)));
    const double away = field_apart(psi, exact, 768);
    free(psi);
    free(exact);
    return away;
}

TEST(bright_soliton)
{
    const double a = bright(PADIC_FIELD_METHOD_SPLIT2, 0, .04);
    const double b = bright(PADIC_FIELD_METHOD_SPLIT2, 0, .02);
    CHECK_NEAR(a, 3.09e-4, 0.02 * 3.09e-4);
    CHECK_NEAR(a / b, 4, 0.1);
    const double c = bright(PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_YOSHIDA, .04);
    const double d = bright(PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_YOSHIDA, .02);
    CHECK_NEAR(c, 3.83e-6, 0.02 * 3.83e-6);
    CHECK_NEAR(c / d, 15.8, 0.4);
    const double e = bright(PADIC_FIELD_METHOD_SPLIT4, 0, .04);
    const double f = bright(PADIC_FIELD_METHOD_SPLIT4, 0, .02);
    CHECK_NEAR(e, 8.6e-8, 0.02 * 8.6e-8);
    CHECK_NEAR(e / f, 16, 0.4);
}

TEST(dark_pair)
{
    for (int half = 0; half < 2; half++) {
        padic_field_plan_desc desc = field_grid(1, 1024, 80);
        double *psi = field_memory(&desc), most = 0;
        desc.power[0].g = 1;
        desc.dt = half ? 0.01 : 0.02;
        for (uint64_t i = 0; i < 1024; i++) {
            const double x = field_x(&desc, 0, i);
            psi[2 * i] = tanh(x + 20) * tanh(20 - x);
        }
        CHECK(!field_go(&desc, psi, half ? 200 : 100));
        for (uint64_t i = 0; i < 1024; i++) {
            const double x = field_x(&desc, 0, i), size = tanh(x + 20) * tanh(20 - x);
            const double away =
                hypot(psi[2 * i] - size * cos(2.0), psi[2 * i + 1] + size * sin(2.0));
            if (away > most) most = away;
        }
        CHECK_NEAR(most, half ? 6.2e-6 : 2.5e-5, half ? 0.05 * 6.2e-6 : 0.05 * 2.5e-5);
        free(psi);
    }
}

// ------------------------------------------------------------------------------- small waves

// The amplitude of cos kx in the density over time has the frequency by its crossings of 0.
TEST(bogoliubov)
{
    static const double k[3] = {0.25, 1, 2};
    static const double omega[3] = {.2519455546, 1.1180339887, 2.8284271247};
    for (int mode = test_full() ? 0 : 1; mode < 3; mode++) {
        padic_field_plan_desc desc = field_grid(1, 64, 8 * FIELD_PI);
        padic_field_plan *plan;
        double *psi = field_memory(&desc), before = 1, first = 0, last = 0, time = 0;
        int crossings = 0;
        desc.power[0].g = 1;
        for (uint64_t i = 0; i < 64; i++)
            psi[2 * i] = 1 + 1e-4 * cos(k[mode] * field_x(&desc, 0, i));
        REQUIRE(!padic_field_plan_create(NULL, &desc, &plan));
        while (time < 20 * FIELD_PI / omega[mode]) {
            double wave = 0;
            CHECK(!field_steps(plan, &desc, psi, 1));
            time += 0.01;
            for (uint64_t i = 0; i < 64; i++)
                wave += (psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1]) *
                        cos(k[mode] * field_x(&desc, 0, i));
            if (wave * before < 0) {
                last = time - 0.01 * wave / (wave - before);
                if (!crossings++) first = last;
            }
            before = wave;
        }
        padic_field_plan_destroy(plan);
        CHECK_NEAR((crossings - 1) * FIELD_PI / (last - first), omega[mode], 2e-5 * omega[mode]);
        free(psi);
    }
    // Attraction: psi = 1 + (a + i b) cos x grows with sqrt(3)/2, a = b / sqrt 3 of that mode.
    padic_field_plan_desc desc = field_grid(1, 64, 8 * FIELD_PI);
    double *psi = field_memory(&desc), size[2];
    padic_field_plan *plan;
    desc.power[0].g = -1;
    for (uint64_t i = 0; i < 64; i++) { // K k^2 b = rate a, (2 - K k^2) a = rate b
        const double wave = 1e-8 * cos(field_x(&desc, 0, i));
        psi[2 * i] = 1 + wave / sqrt(3.0);
        psi[2 * i + 1] = wave;
    }
    REQUIRE(!padic_field_plan_create(NULL, &desc, &plan));
    for (int late = 0; late < 2; late++) {
        double wave = 0;
        CHECK(!field_steps(plan, &desc, psi, 300));
        for (uint64_t i = 0; i < 64; i++)
            wave += (psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1]) *
                    cos(field_x(&desc, 0, i));
        size[late] = wave;
    }
    CHECK_NEAR(log(size[1] / size[0]) / 3, sqrt(0.75), 1e-4 * sqrt(0.75));
    padic_field_plan_destroy(plan);
    free(psi);
}

// ---------------------------------------------------------------------------- drift, reversal

static void trapped(const padic_field_plan_desc *desc, double *psi)
{
    for (uint64_t i = 0; i < field_points(desc); i++) {
        uint64_t rest = i;
        double square = 0, x[3] = {0, 0, 0};
        for (uint32_t a = desc->dims; a-- > 0; rest /= desc->shape[a])
            x[a] = field_x(desc, a, rest % desc->shape[a]);
        for (uint32_t a = 0; a < desc->dims; a++) square += (x[a] - 0.3) * (x[a] - 0.3);
        psi[2 * i] = exp(-square / 3) * cos(0.4 * x[0]);
        psi[2 * i + 1] = exp(-square / 3) * sin(0.4 * x[0]);
    }
}

TEST(reversal) // forwards and back, in 1 to 3 dimensions, all methods that can
{
    static const padic_field_method method[5] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_SPLIT2};
    for (int i = 0; i < 5; i++) {
        const uint32_t dims = i < 3 ? 1 : (uint32_t)i - 1;
        padic_field_plan_desc desc = field_grid(dims, dims == 3 ? 12 : 32, 12);
        double *psi = field_memory(&desc), *start = field_memory(&desc);
        desc.method = method[i];
        desc.dt = 0.005;
        desc.power[0].g = 2;
        desc.power[1].g = 0.1;
        desc.power[1].p = 5;
        for (uint32_t a = 0; a < dims; a++) desc.trap[a] = 0.5;
        if (dims > 1) desc.rotation = 0.3;
        trapped(&desc, psi);
        trapped(&desc, start);
        const double norm = field_energy(&desc, psi).norm;
        CHECK(!field_go(&desc, psi, 40));
        CHECK(field_apart(psi, start, field_points(&desc)) > 1e-3);
        CHECK_NEAR(field_energy(&desc, psi).norm, norm, 1e-12 * norm);
        desc.dt = -desc.dt;
        CHECK(!field_go(&desc, psi, 40));
        CHECK(field_apart(psi, start, field_points(&desc)) < 1e-12);
        free(psi);
        free(start);
    }
}

TEST(energy_drift) // bounded, O(dt^2); the norm; c64 beside c128
{
    const uint64_t steps = test_full() ? 10000 : 400;
    double drift[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
        padic_field_plan_desc desc = field_grid(2, 32, 14);
        double *psi = field_memory(&desc), (*row)[PADIC_FIELD_COLUMNS];
        const uint64_t count = half ? 2 * steps : steps, rows = count / 20;
        padic_field_step_desc step = PADIC_ZERO;
        row = (double (*)[PADIC_FIELD_COLUMNS])calloc(rows, sizeof *row);
        desc.dt = half ? 0.0025 : 0.005;
        desc.power[0].g = 20;
        desc.trap[0] = desc.trap[1] = 0.5;
        desc.measure_every = 20;
        trapped(&desc, psi);
        const padic_field_record first = field_energy(&desc, psi);
        REQUIRE(!padic_field_plan_create(NULL, &desc, &step.plan));
        step.psi = field_view(&desc, psi);
        step.count = count;
        step.records = padic_tensor_2d(PADIC_F64, row, rows, PADIC_FIELD_COLUMNS);
        CHECK(!padic_field_step(NULL, &step));
        for (uint64_t i = 0; i < rows; i++) {
            const padic_field_record *record = (const padic_field_record *)(const void *)row[i];
            CHECK_NEAR(record->norm, first.norm, (half ? 3e-12 : 1.5e-12) * first.norm);
            CHECK_NEAR(record->time, (double)(20 * i + 20) * desc.dt, 1e-12);
            CHECK_EQ(record->step, 20 * i + 20);
            drift[half] = fmax(drift[half], fabs(record->energy - first.energy));
        }
        padic_field_plan_destroy(step.plan);
        free(psi);
        free(row);
    }
    CHECK(drift[0] < 1e-3);
    CHECK_NEAR(drift[0] / drift[1], 4, 0.3);
}

// ------------------------------------------------------------------- differences, own propagators

// H psi of second order in one dimension, K = 1/2, walls where psi is 0 or periodic.
static void own_h(uint64_t n, double h, int periodic, const double *v, double g, const double *psi,
                  double *out)
{
    for (uint64_t i = 0; i < n; i++)
        for (int part = 0; part < 2; part++) {
            const double *at = psi + 2 * i + part;
            const double up = i + 1 < n ? at[2] : periodic ? psi[part] : 0;
            const double down = i ? at[-2] : periodic ? at[2 * n - 2] : 0;
            const double rho = psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1];
            out[2 * i + (uint64_t)part] =
                (2 * at[0] - up - down) / (2 * h * h) + (v[i] + g * rho) * at[0];
        }
}

TEST(cayley) // against a Taylor series of the linear propagator
{
    enum { N = 255 };
    const double h = 16.0 / 256;
    double start[2 * N], exact[2 * N], term[2 * N], next[2 * N], psi[2 * N], v[N], away[2];
    for (int i = 0; i < N; i++) {
        const double x = (i + 1) * h - 8;
        v[i] = x * x / 2;
        start[2 * i] = pow(FIELD_PI, -0.25) * exp(-(x - 1.5) * (x - 1.5) / 2);
        start[2 * i + 1] = 0;
    }
    memcpy(exact, start, sizeof exact);
    for (int step = 0; step < 500; step++) {
        memcpy(term, exact, sizeof term);
        for (int k = 1; k < 20; k++) { // -i H t / k
            own_h(N, h, 0, v, 0, term, next);
            for (int i = 0; i < N; i++) {
                term[2 * i] = next[2 * i + 1] * 0.002 / k;
                term[2 * i + 1] = -next[2 * i] * 0.002 / k;
            }
            for (int i = 0; i < 2 * N; i++) exact[i] += term[i];
        }
    }
    for (int half = 0; half < 2; half++) {
        padic_field_plan_desc desc = field_grid(1, N, (double)N * h);
        desc.method = PADIC_FIELD_METHOD_CAYLEY2;
        desc.boundary[0] = PADIC_FIELD_BOUNDARY_DIRICHLET;
        desc.trap[0] = 0.5;
        desc.dt = half ? 0.02 : 0.04;
        memcpy(psi, start, sizeof psi);
        const double norm = field_energy(&desc, psi).norm;
        CHECK(!field_go(&desc, psi, half ? 50 : 25));
        CHECK_NEAR(field_energy(&desc, psi).norm, norm, 1e-13);
        away[half] = field_apart(psi, exact, N);
    }
    CHECK_NEAR(away[0], 7.18e-4, 0.02 * 7.18e-4);
    CHECK_NEAR(away[0] / away[1], 4, 0.1);
}

static void explicit_start(uint64_t n, double h, double *psi)
{
    for (uint64_t i = 0; i < n; i++) {
        const double x = ((double)i - (double)n / 2) * h;
        psi[2 * i] = cos(x / 2) / cosh(x);
        psi[2 * i + 1] = sin(x / 2) / cosh(x);
    }
}

// Runge, Kutta with so short steps that the error is below 1e-11.
static void own_exact(uint64_t n, double h, const double *v, double g, double time, uint64_t steps,
                      double *psi)
{
    double k[256], stage[256], sum[256], dt = time / (double)steps;
    for (uint64_t s = 0; s < steps; s++) {
        memcpy(stage, psi, 2 * n * sizeof *psi);
        memcpy(sum, psi, 2 * n * sizeof *psi);
        for (int r = 0; r < 4; r++) {
            const double add = dt / (r == 0 || r == 3 ? 6 : 3), next = r < 2 ? dt / 2 : dt;
            own_h(n, h, 1, v, g, stage, k);
            for (uint64_t i = 0; i < n; i++) {
                sum[2 * i] += add * k[2 * i + 1];
                sum[2 * i + 1] -= add * k[2 * i];
                stage[2 * i] = psi[2 * i] + next * k[2 * i + 1];
                stage[2 * i + 1] = psi[2 * i + 1] - next * k[2 * i];
            }
        }
        memcpy(psi, sum, 2 * n * sizeof *psi);
    }
}

TEST(explicit_methods)
{
    enum { N = 128 };
    static const double dt[2] = {0.008, 0.004};
    const double h = 24.0 / (double)N;
    double psi[2 * N], exact[2 * N], v[N], away[2][2];
    for (int i = 0; i < N; i++) v[i] = .02 * pow((i - N / 2) * h, 2);
    explicit_start(N, h, exact);
    own_exact(N, h, v, -1, 4, 8000, exact);
    for (int method = 0; method < 2; method++) {
        padic_field_plan_desc desc = field_grid(1, N, 24);
        desc.method = method ? PADIC_FIELD_METHOD_RK4 : PADIC_FIELD_METHOD_LEAPFROG2;
        desc.trap[0] = 0.02;
        desc.power[0].g = -1;
        for (int half = 0; half < 2; half++) {
            explicit_start(N, h, psi);
            desc.dt = dt[half];
            CHECK(!field_go(&desc, psi, half ? 1000 : 500));
            away[method][half] = sqrt(2.0) * field_apart(psi, exact, N); // sqrt 2: their norm
        }
        if (!test_full()) continue;
        explicit_start(N, h, psi); // the loss of norm in 1e5 steps
        desc.dt = 0.01;
        const double norm = field_energy(&desc, psi).norm;
        CHECK(!field_go(&desc, psi, 100000));
        const double loss = fabs(field_energy(&desc, psi).norm / norm - 1);
        CHECK(loss < (method ? 5e-11 : 5e-5));
    }
    CHECK(away[0][0] < 7.5e-6);
    CHECK_NEAR(away[0][0] / away[0][1], 4, 0.2);
    CHECK_NEAR(away[1][0], 6.9e-8, 0.05 * 6.9e-8);
    CHECK_NEAR(away[1][0] / away[1][1], 16, 0.8);
}

TEST_MAIN("field_steps", CASE(one_step), CASE(linear), CASE(bright_soliton), CASE(dark_pair),
          CASE(bogoliubov), CASE(reversal), CASE(energy_drift), CASE(cayley),
          CASE(explicit_methods))
