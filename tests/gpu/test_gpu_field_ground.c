// test_gpu_field_ground.c: the semi-implicit flow and ground states of fields in buffers of a
// device.
//
//     ./test_gpu_field_ground       devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "gpu_field.h"

// A step of the flow has three ways through transforms, in which rounding is about as large as in
// three steps of others.
TEST(flow)
{
    static const uint64_t shapes[][4] = {{1, 1, 1, 1},   {1, 64, 1, 1},  {2, 12, 35, 1},
                                         {2, 64, 20, 1}, {3, 6, 5, 8},   {2, 1, 9, 1},
                                         {1, 360, 1, 1}, {3, 8, 64, 12}, {2, 24, 512, 1}};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 18; i += test_tiny ? 7 : 1) {
            const uint64_t *s = shapes[i / 2];
            padic_field_plan_desc desc = grid((uint32_t)s[0], s[1], s[2], s[3], i & 1);
            desc.method = PADIC_FIELD_METHOD_FLOW;
            desc.time = PADIC_FIELD_TIME_IMAGINARY;
            desc.dt = i % 3 ? 0.25 : 4;
            if (desc.dims > 1 && i % 4 < 2) desc.rotation = 0.3;
            if (i % 5 == 1) desc.layout = PADIC_FIELD_LAYOUT_PLANAR;
            if (i % 5 == 2) desc.batch = 3;
            if (i % 3 == 1) desc.power[1].g = -0.5, desc.power[1].p = 3;
            compare(devices[d], &desc, i % 4 == 3, 3);
        }
}

// Records of the flow, and of what ends it: a field whose density is above the limit stays as it
// is, the others go on.
TEST(flow_records)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = grid(2, 20, 24, 1, 0);
        padic_field_step_desc step = PADIC_ZERO;
        padic_field_step_report report;
        padic_field_record rows[8];
        padic_buffer_desc buffer = PADIC_ZERO;
        double *psi, *got, *again;
        there x;
        desc.method = PADIC_FIELD_METHOD_FLOW;
        desc.time = PADIC_FIELD_TIME_IMAGINARY;
        desc.dt = 0.25;
        desc.batch = 2;
        desc.measure_every = 2;
        desc.density_limit = 1.4;
        psi = packet(&desc, 2);
        got = (double *)malloc(2 * 480 * 16);
        again = (double *)malloc(2 * 480 * 16);
        for (int i = 960; i < 1920; i++) psi[i] *= 2; // its density falls from 4
        there_begin(devices[d], &desc, 0, psi, &x);
        buffer.size = sizeof rows;
        step.plan = x.plan;
        step.psi = x.psi;
        step.count = 6;
        step.report = &report;
        step.records = padic_tensor_3d(PADIC_F64, NULL, 4, 2, PADIC_FIELD_COLUMNS);
        CHECK_EQ(padic_buffer_create(devices[d], &buffer, &step.records.buffer), PADIC_OK);
        CHECK_EQ(padic_field_step(devices[d], &step), PADIC_ERROR_DOMAIN);
        CHECK_EQ(report.steps, 2);
        CHECK_EQ(padic_buffer_download(devices[d], step.records.buffer, 0, rows, buffer.size),
                 PADIC_OK);
        CHECK_EQ(rows[1].status, (double)PADIC_FIELD_STATUS_DENSE);
        CHECK_EQ(rows[4].step, 6);
        for (int i = 0; i < 3; i++) CHECK_NEAR(rows[2 * i].norm, rows[0].norm, 1e-5);
        CHECK(rows[2].energy < rows[0].energy && rows[4].energy < rows[2].energy);
        there_get(devices[d], &x, got);
        desc.measure_every = 0;
        CHECK_EQ(padic_field_plan_set(devices[d], &desc, x.plan), PADIC_OK);
        for (int other = 0; other < 2; other++) { // it made two steps, the first one six
            move(&desc, &x.psi, psi, x.memory, 0);
            CHECK_EQ(padic_buffer_upload(devices[d], x.psi.buffer, 0, x.memory, x.bytes),
                     PADIC_OK);
            CHECK_EQ(there_go(devices[d], &x, other ? 2 : 6), PADIC_OK);
            there_get(devices[d], &x, again);
            CHECK(!memcmp(again + 960 * other, got + 960 * other, 480 * 16));
        }
        CHECK_EQ(padic_buffer_destroy(devices[d], step.records.buffer), PADIC_OK);
        there_end(devices[d], &x);
        free(psi);
        free(got);
        free(again);
    }
}

// A recording makes its steps each time.
TEST(recorded)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = grid(2, 12, 10, 1, 0);
        double got[240], again[240], *psi;
        padic_field_ground_desc ground = PADIC_ZERO;
        padic_record recording;
        there x;
        desc.method = PADIC_FIELD_METHOD_FLOW;
        desc.time = PADIC_FIELD_TIME_IMAGINARY;
        psi = packet(&desc, 1);
        there_begin(devices[d], &desc, 0, psi, &x);
        CHECK_EQ(there_go(devices[d], &x, 6), PADIC_OK);
        there_get(devices[d], &x, got);
        there_end(devices[d], &x);
        there_begin(devices[d], &desc, 0, psi, &x);
        CHECK_EQ(there_go(devices[d], &x, 2), PADIC_OK);
        CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 2), PADIC_OK);
        CHECK_EQ(padic_record_end(devices[d], &recording), PADIC_OK);
        CHECK_EQ(padic_record_replay(devices[d], recording, 1), PADIC_OK);
        CHECK_EQ(padic_record_replay(devices[d], recording, 1), PADIC_OK);
        there_get(devices[d], &x, again);
        CHECK(field_apart(again, got, 120) < 1e-6); // calls hold the norm that they begin with
        CHECK_EQ(padic_record_drop(devices[d], recording), PADIC_OK);
        ground.plan = x.plan;
        ground.psi = x.psi;
        CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
        CHECK_EQ(padic_field_ground(devices[d], &ground), PADIC_ERROR_ARGUMENT); // it waits
        CHECK(padic_record_end(devices[d], &recording) != PADIC_OK);
        there_end(devices[d], &x);
        free(psi);
    }
}

// ---- ground states

// A harmonic trap; psi is (x + i y)^winding e^(-r^2 / 2 s^2), of norm `norm`.
static padic_field_plan_desc trapped(uint32_t dims, uint64_t n, double length, double g, int wide)
{
    padic_field_plan_desc desc = field_grid(dims, n, length);
    desc.dtype = wide ? PADIC_C128 : PADIC_C64;
    for (uint32_t a = 0; a < dims; a++) desc.trap[a] = 0.5;
    desc.power[0].g = g;
    return desc;
}

static double *gaussian(const padic_field_plan_desc *desc, int winding, double s, double norm)
{
    const uint64_t n = field_points(desc);
    double *psi = field_memory(desc), sum = 0, volume = 1;
    for (uint32_t a = 0; a < desc->dims; a++) volume *= desc->spacing[a];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t rest = i;
        double square = 0, x[3] = {0, 0, 0}, size;
        for (uint32_t a = desc->dims; a-- > 0; rest /= desc->shape[a])
            x[a] = field_x(desc, a, rest % desc->shape[a]);
        for (uint32_t a = 0; a < 3; a++) square += x[a] * x[a];
        size = exp(-square / (2 * s * s));
        psi[2 * i] = winding ? size * x[0] : size;
        psi[2 * i + 1] = winding ? size * x[1] : 0;
        sum += (psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1]) * volume;
    }
    for (uint64_t i = 0; i < 2 * n; i++) psi[i] *= sqrt(norm / sum);
    return psi;
}

static padic_result search(padic_context *context, there *x, padic_field_ground_method method,
                           double tolerance, uint64_t most, padic_field_ground_report *report)
{
    padic_field_ground_desc ground = PADIC_ZERO;
    ground.plan = x->plan;
    ground.psi = x->psi;
    ground.method = method;
    ground.tolerance = tolerance;
    ground.max_iterations = most;
    ground.report = report;
    return padic_field_ground(context, &ground);
}

// E and mu of a table (unit norm), from a start nearby. C64 is off by the squared residual in E,
// by that times the slope of U in mu.
static void known(padic_context *context, const padic_field_plan_desc *desc, int winding,
                  padic_field_ground_method method, double energy, double mu)
{
    const int wide = desc->dtype == PADIC_C128;
    const double g = desc->power[0].g, near_e = wide ? 1e-6 : 1e-5 * energy;
    padic_field_ground_report report = PADIC_ZERO;
    padic_stats before, after;
    double *psi;
    there x;
    if (wide && !has_f64(context)) return;
    psi = gaussian(desc, winding, 1 + pow(g, 1.0 / (desc->dims + 2)) / 3, 1);
    there_begin(context, desc, 0, psi, &x);
    padic_context_stats(context, &before);
    CHECK_EQ(search(context, &x, method, 0, 0, &report), PADIC_OK);
    padic_context_stats(context, &after);
    CHECK_NEAR(report.energy, energy, near_e);
    CHECK_NEAR(report.mu, mu, wide ? 1e-6 : 1e-4 * mu);
    CHECK_NEAR(report.norm, 1, wide ? 1e-12 : 1e-6);
    CHECK(report.residual <= (wide ? 1.05e-9 : 3.3e-5 * (mu > 1 ? mu : 1)));
    CHECK(method != PADIC_FIELD_GROUND_CG || report.iterations < 80);
    if (getenv("SHOW"))
        printf("\n  g %g: %.7f %.7f, %g in %d, %d launches", g, report.energy, report.mu,
               report.residual, (int)report.iterations, (int)(after.launches - before.launches));
    there_end(context, &x);
    free(psi);
}

TEST(published) // of one dimension: Bao, Jaksch, Markowich 2003; the others as in tests/field
{
    static const double line[7][3] = {
        {3.1371, 1.0440976, 1.5265945},    {31.371, 3.9810042, 6.5526831},
        {627.42, 28.8253594, 48.0244697},  {12.5484, 2.2330083, 3.5965611},
        {62.742, 6.2569758, 10.3694633},   {156.855, 11.4644864, 19.0704587},
        {313.71, 18.1709718, 30.2591792}};
    const int many = test_full() ? 7 : test_tiny ? 1 : 3;
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int wide = 0; wide < 2; wide++) {
            padic_field_plan_desc desc;
            for (int i = 0; i < many; i++) {
                desc = trapped(1, 256, 32, line[i][0], wide);
                known(devices[d], &desc, 0, PADIC_FIELD_GROUND_CG, line[i][1], line[i][2]);
            }
            desc = trapped(1, 128, 20, line[0][0], wide);
            known(devices[d], &desc, 0, PADIC_FIELD_GROUND_FLOW, line[0][1], line[0][2]);
            desc = trapped(2, 96, 20, 100, wide);
            known(devices[d], &desc, 0, PADIC_FIELD_GROUND_CG, 3.9459442, 5.7597536);
            if (test_tiny) continue;
            desc = trapped(2, 96, 20, 10, wide);
            known(devices[d], &desc, 1, PADIC_FIELD_GROUND_CG, 2.3611881, 2.6916777);
            desc = trapped(3, 32, 11, 4 * FIELD_PI, wide);
            known(devices[d], &desc, 0, PADIC_FIELD_GROUND_CG, 1.8112180, 2.0656382);
            if (!test_full()) continue;
            desc = trapped(2, 96, 20, 1, wide);
            known(devices[d], &desc, 0, PADIC_FIELD_GROUND_CG, 1.0762282, 1.1493729);
            desc = trapped(2, 96, 20, 1000, wide);
            known(devices[d], &desc, 0, PADIC_FIELD_GROUND_CG, 11.9717742, 17.8886460);
            desc = trapped(3, 48, 14, 100 * 4 * FIELD_PI, wide);
            known(devices[d], &desc, 0, PADIC_FIELD_GROUND_CG, 6.8749197, 9.4730544);
        }
}

// psi a factor larger, g by its square smaller: the same search of other units, where |psi|^4 is no
// number of f32.
TEST(other_units)
{
    const double by = 1e10;
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_ground_report report[2];
        for (int i = 0; i < 2; i++) {
            padic_field_plan_desc desc = trapped(2, 48, 16, 100, 0);
            double *psi = gaussian(&desc, 0, 1.5, i ? by * by : 1);
            there x;
            if (i) desc.power[0].g /= by * by;
            there_begin(devices[d], &desc, 0, psi, &x);
            CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, 0, 0, &report[i]), PADIC_OK);
            there_end(devices[d], &x);
            free(psi);
        }
        CHECK_NEAR(report[1].energy / (by * by), report[0].energy, 1e-5 * report[0].energy);
        CHECK_NEAR(report[1].mu, report[0].mu, 1e-4 * report[0].mu);
    }
}

// With rotation the energies of winding 0 and 1 meet at E_1 - E_0.
TEST(rotation)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int wide = 0; wide < 2; wide++) {
            padic_field_ground_report report[2];
            if (wide && (test_tiny || !has_f64(devices[d]))) continue;
            for (int winding = 0; winding < 2; winding++) {
                padic_field_plan_desc desc = trapped(2, 64, 16, 10, wide);
                double *psi = gaussian(&desc, winding, 1.5, 1);
                there x;
                desc.rotation = .7688691;
                there_begin(devices[d], &desc, 1, psi, &x);
                CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, 0, 0, &report[winding]),
                         PADIC_OK);
                there_end(devices[d], &x);
                free(psi);
            }
            CHECK_NEAR(report[0].energy, report[1].energy, wide ? 1e-6 : 2e-5);
        }
}

// A batch of fields of other norms and phases, planar, with gaps, a potential, all powers: the
// host's states, whose energies a field of the batch by itself has, too.
TEST(batches)
{
    double values[30 * 24];
    for (int i = 0; i < 30 * 24; i++) values[i] = 0.4 * sin(0.37 * i);
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < (test_tiny ? 2 : 4); i++) {
            const int wide = i % 2;
            const double tolerance = wide ? 1e-9 : 1e-4;
            padic_field_plan_desc desc = trapped(2, 30, 12, 2, wide), exact;
            padic_field_ground_report report[3], want;
            padic_field_ground_desc ground = PADIC_ZERO;
            double *psi = (double *)malloc(3 * 720 * 16), *got = (double *)malloc(3 * 720 * 16);
            there x;
            if (wide && !has_f64(devices[d])) continue;
            desc.shape[1] = 24;
            desc.potential = padic_tensor_2d(PADIC_F64, values, 30, 24);
            desc.power[1].g = -0.25;
            desc.power[1].p = 3;
            desc.layout = i & 2 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
            exact = desc;
            exact.dtype = PADIC_C128;
            exact.layout = PADIC_FIELD_LAYOUT_INTERLEAVED;
            for (int f = 0; f < 3; f++) {
                double *one = gaussian(&exact, 0, 0.8 + 0.3 * f, 0.5 + f);
                for (int j = 0; j < 720; j++) { // a phase
                    psi[1440 * f + 2 * j] = one[2 * j] * cos(0.7 * f);
                    psi[1440 * f + 2 * j + 1] = one[2 * j] * sin(0.7 * f);
                }
                free(one);
            }
            desc.batch = 3;
            there_begin(devices[d], &desc, i == 3, psi, &x);
            CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, tolerance, 0, report),
                     PADIC_OK);
            there_get(devices[d], &x, got);
            there_end(devices[d], &x);
            CHECK_EQ(padic_field_plan_create(NULL, &exact, &ground.plan), PADIC_OK);
            ground.report = &want;
            for (int f = 0; f < 3; f++) {
                ground.psi = padic_tensor_2d(PADIC_C128, psi + 1440 * f, 30, 24);
                CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_OK);
                CHECK_NEAR(report[f].norm, want.norm, wide ? 1e-12 : 1e-6);
                CHECK_NEAR(report[f].energy, want.energy, (wide ? 1e-9 : 1e-5) * want.energy);
                CHECK_NEAR(report[f].mu, want.mu, (wide ? 1e-8 : 1e-4) * want.mu);
                CHECK(report[f].residual <= 1.2 * tolerance); // the gap to other states is 0.9
                CHECK(field_apart(got + 1440 * f, psi + 1440 * f, 720) < 2 * tolerance);
            }
            padic_field_plan_destroy(ground.plan);
            free(psi);
            free(got);
        }
}

// The same bytes from run to run; from the goal on nothing moves; too few iterations, collapse, a
// norm of 0.
TEST(ends)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = trapped(2, 24, 10, 5, 0), exact = trapped(2, 24, 10, 5, 1);
        double *psi = gaussian(&desc, 0, 1, 1), got[3][2 * 576];
        padic_field_ground_report report = PADIC_ZERO, few = PADIC_ZERO;
        there x;
        for (int run = 0; run < 2; run++) {
            there_begin(devices[d], &desc, 0, psi, &x);
            CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, 1e-4, 0, &report), PADIC_OK);
            there_get(devices[d], &x, got[run]);
            if (!run) there_end(devices[d], &x);
        }
        CHECK(!memcmp(got[0], got[1], sizeof got[0]));
        CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, 1e-4, 0, &report), PADIC_OK);
        CHECK_EQ(report.iterations, 0);
        CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_FLOW, 1e-4, 0, &report), PADIC_OK);
        CHECK_EQ(report.iterations, 0);
        there_get(devices[d], &x, got[2]);
        CHECK(!memcmp(got[1], got[2], sizeof got[0]));
        there_end(devices[d], &x);
        for (int method = 0; method < 2; method++) {
            there_begin(devices[d], &desc, 0, psi, &x);
            CHECK_EQ(search(devices[d], &x, (padic_field_ground_method)method, 1e-4, 2, &few),
                     PADIC_ERROR_DOMAIN);
            CHECK_EQ(few.iterations, 2);
            CHECK(few.residual > 1e-4 && few.energy > report.energy);
            CHECK(few.energy < field_energy(&exact, psi).energy);
            there_end(devices[d], &x);
        }
        there_begin(devices[d], &desc, 0, psi, &x);
        memset(psi, 0, 2 * 576 * sizeof *psi);
        move(&desc, &x.psi, psi, x.memory, 0);
        CHECK_EQ(padic_buffer_upload(devices[d], x.psi.buffer, 0, x.memory, x.bytes), PADIC_OK);
        CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, 0, 0, &few), PADIC_ERROR_DOMAIN);
        there_end(devices[d], &x);
        free(psi);
        desc = trapped(2, 48, 10, -8, 0); // above the g of collapse, -5.85
        desc.density_limit = 10;
        psi = gaussian(&desc, 0, 1, 1);
        there_begin(devices[d], &desc, 0, psi, &x);
        CHECK_EQ(search(devices[d], &x, PADIC_FIELD_GROUND_CG, 0, 0, &few), PADIC_ERROR_DOMAIN);
        CHECK(few.iterations < 1000);
        there_end(devices[d], &x);
        free(psi);
    }
}

// What psi's precision cannot reach, other methods and grids without transforms, the host does.
TEST(elsewhere)
{
    for (int i = 0; i < 3; i++) {
        padic_context *context = open_one(padic_native(), &native_desc, 0, 0);
        padic_field_plan_desc desc = trapped(1, 64, 12, 3, 0);
        padic_field_ground_report report;
        padic_op_stats stats;
        double *psi;
        there x;
        if (i == 2) desc.method = PADIC_FIELD_METHOD_RK4, desc.dt = 1e-3;
        psi = gaussian(&desc, 0, 1, 1);
        there_begin(context, &desc, 0, psi, &x);
        CHECK_EQ(search(context, &x, i == 1 ? PADIC_FIELD_GROUND_SPLIT : PADIC_FIELD_GROUND_CG,
                        i ? 1e-2 : 1e-7, 0, &report), PADIC_OK);
        padic_context_op_stats(context, PADIC_OP_FIELD_GROUND, &stats);
        CHECK_EQ(stats.fallbacks, 1);
        there_end(context, &x);
        padic_context_destroy(context);
        free(psi);
    }
}

TEST_MAIN("test_gpu_field_ground", CASE(flow), CASE(flow_records), CASE(recorded),
          CASE(published), CASE(other_units), CASE(rotation), CASE(batches), CASE(ends),
          CASE(elsewhere), CASE(no_kernel_was_dropped))
