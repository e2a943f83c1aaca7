// test_gpu_field_methods.c: fields in buffers of a device, steps by differences, imaginary time,
// rotation, noise, and what they conserve.
//
//     ./test_gpu_field_methods       devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "gpu_field.h"

static const uint64_t shapes[][4] = {{1, 1, 1, 1},    {1, 77, 1, 1},  {1, 3000, 1, 1},
                                     {2, 1, 9, 1},    {2, 33, 20, 1}, {2, 128, 2, 1},
                                     {3, 1, 1, 5},    {3, 11, 6, 7},  {3, 20, 3, 40},
                                     {3, 2, 2, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void each_shape(padic_field_method method, uint64_t count)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 2 * SHAPES; i += test_tiny ? 3 : 1) {
            const uint64_t *s = shapes[i / 2];
            padic_field_plan_desc desc = walled((uint32_t)s[0], s[1], s[2], s[3], i, method);
            if (method == PADIC_FIELD_METHOD_LEGACY_EULER)
                memset(desc.boundary, 0, sizeof desc.boundary);
            if (i % 4 >= 2) desc.dt = -desc.dt;
            compare(devices[d], &desc, 0, count);
        }
}

TEST(leapfrog)
{
    each_shape(PADIC_FIELD_METHOD_LEAPFROG2, 4);
}

TEST(runge_kutta)
{
    each_shape(PADIC_FIELD_METHOD_RK4, 3);
}

TEST(euler)
{
    each_shape(PADIC_FIELD_METHOD_LEGACY_EULER, 2);
}

TEST(cayley)
{
    each_shape(PADIC_FIELD_METHOD_CAYLEY2, 3);
}

// Imaginary time, of all walls; split steps of all lengths.
TEST(imaginary)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 2 * SHAPES; i += test_tiny ? 7 : 1) {
            const uint64_t *s = shapes[i / 2];
            padic_field_plan_desc desc =
                walled((uint32_t)s[0], s[1], s[2], s[3], i, PADIC_FIELD_METHOD_CAYLEY2);
            desc.time = PADIC_FIELD_TIME_IMAGINARY;
            compare(devices[d], &desc, i % 4, 2);
            memset(desc.boundary, 0, sizeof desc.boundary);
            desc.method = PADIC_FIELD_METHOD_SPLIT2;
            for (uint32_t a = 0; a < desc.dims; a++) { // 2^a 3^b 5^c 7^d
                if (desc.shape[a] == 3000) desc.shape[a] = 1024;
                if (desc.shape[a] % 11 == 0) desc.shape[a] = 30;
            }
            compare(devices[d], &desc, i % 4, 2);
        }
}

// Rotation in both times, two and three axes, lengths of all kinds.
TEST(rotation)
{
    static const uint64_t grids[][4] = {{2, 12, 35, 1}, {2, 64, 20, 1},  {2, 1, 9, 1},
                                        {3, 6, 5, 8},   {3, 12, 64, 3},  {3, 7, 4, 64},
                                        {2, 8, 1024, 1}, {2, 1024, 8, 1}, {2, 512, 256, 1}};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 36; i += test_tiny ? 11 : 1) {
            const uint64_t *s = grids[i / 4];
            padic_field_plan_desc desc = grid((uint32_t)s[0], s[1], s[2], s[3], i & 1);
            desc.rotation = 0.7;
            if (i & 2) desc.time = PADIC_FIELD_TIME_IMAGINARY;
            else if (i % 8 < 4) desc.method = PADIC_FIELD_METHOD_SPLIT4;
            if (i % 3 == 2) desc.layout = PADIC_FIELD_LAYOUT_PLANAR;
            compare(devices[d], &desc, i % 5 == 4, 2);
        }
}

// Planar, with gaps, batches, a potential, all powers, an absorber, noise.
TEST(layouts)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4, PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_SPLIT2};
    double values[20 * 24];
    for (int j = 0; j < 20 * 24; j++) values[j] = fabs(sin(0.1 * j));
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 32; i += test_tiny ? 7 : 1) {
            padic_field_plan_desc desc = walled(2, 20, 24, 1, i / 4, methods[i % 4]);
            if (i % 4 == 3) memset(desc.boundary, 0, sizeof desc.boundary);
            desc.layout = i & 8 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
            desc.batch = i & 16 ? 3 : 0;
            desc.potential = padic_tensor_2d(PADIC_F64, values, 20, 24);
            desc.power[1].g = -0.5;
            desc.power[1].p = 3;
            desc.power[2].g = 0.25;
            desc.power[2].p = 4.5;
            if (i % 3 == 1) desc.absorber = desc.potential;
            if (i % 5 == 2 && !desc.batch) desc.noise = 0.25, desc.seed = (uint64_t)i << 40 | 7;
            compare(devices[d], &desc, i & 4, 3);
        }
}

// Noise of each field of a batch, and of steps one call after the other, is the host's.
TEST(noise)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = walled(2, 7, 9, 1, 0, PADIC_FIELD_METHOD_RK4);
        padic_field_plan *plan;
        padic_field_step_desc step = PADIC_ZERO;
        double *psi, got[3 * 63 * 2];
        there x;
        desc.batch = 3;
        desc.noise = 2;
        desc.seed = 99;
        psi = packet(&desc, 3);
        there_begin(devices[d], &desc, 0, psi, &x);
        CHECK_EQ(there_go(devices[d], &x, 2), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 1), PADIC_OK);
        there_get(devices[d], &x, got);
        there_end(devices[d], &x);
        desc.dtype = PADIC_C128;
        CHECK_EQ(padic_field_plan_create(NULL, &desc, &plan), PADIC_OK);
        step.plan = plan;
        step.psi = padic_tensor_3d(PADIC_C128, psi, 3, 7, 9);
        step.count = 3;
        CHECK_EQ(padic_field_step(NULL, &step), PADIC_OK);
        padic_field_plan_destroy(plan);
        CHECK(field_apart(got, psi, 3 * 63) < 1e-6);
        free(psi);
    }
}

static double norm_of(const double *psi, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < 2 * n; i++) sum += psi[i] * psi[i];
    return sum;
}

// What a method keeps of the norm over 200 steps of f32; the bytes are the same from run to run.
// LEAPFROG2 swings about its own norm by O(dt^2); RK4 loses (E dt)^6/72 a step; CAYLEY2 none, but
// each of two lines rounds its pivots and its result, 16 units at most.
TEST(conserved)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4, PADIC_FIELD_METHOD_CAYLEY2};
    static const double most[] = {2e-3, 2e-5, 200 * 2 * 16 * 6e-8};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int m = 0; m < 3; m++) {
            padic_field_plan_desc desc = walled(2, 31, 24, 1, 0, methods[m]);
            const uint64_t n = field_points(&desc), count = test_tiny ? 40 : 200;
            double *start = packet(&desc, 1), *got = (double *)malloc((size_t)n * 16);
            double *again = (double *)malloc((size_t)n * 16);
            there x;
            for (int run = 0; run < 2; run++) {
                there_begin(devices[d], &desc, 0, start, &x);
                CHECK_EQ(there_go(devices[d], &x, count), PADIC_OK);
                there_get(devices[d], &x, run ? again : got);
                there_end(devices[d], &x);
            }
            CHECK(!memcmp(got, again, (size_t)n * 16));
            CHECK(fabs(norm_of(got, n) / norm_of(start, n) - 1) < most[m]);
            free(start);
            free(got);
            free(again);
        }
}

// The ground state of a trap with g = 3.1371 (Bao, Jaksch, Markowich, J. Comput. Phys. 187 (2003)
// 318) by imaginary time: the norm stays, the energy falls; at the end it is off by O(dt^2) and the
// rounding of f32.
TEST(cooled)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = field_grid(1, 128, 24);
        padic_field_plan_desc exact;
        padic_field_record record;
        double psi[2 * 128], size = 0, before = HUGE_VAL;
        there x;
        desc.dtype = PADIC_C64;
        desc.time = PADIC_FIELD_TIME_IMAGINARY;
        desc.dt = 0.05;
        desc.trap[0] = 0.5;
        desc.power[0].g = 3.1371;
        for (int i = 0; i < 128; i++) {
            const double place = field_x(&desc, 0, (uint64_t)i);
            psi[2 * i] = exp(-(place - 0.5) * (place - 0.5) / 3);
            psi[2 * i + 1] = 0;
            size += psi[2 * i] * psi[2 * i] * desc.spacing[0];
        }
        for (int i = 0; i < 128; i++) psi[2 * i] = (double)(float)(psi[2 * i] / sqrt(size));
        exact = desc;
        exact.dtype = PADIC_C128;
        there_begin(devices[d], &desc, 0, psi, &x);
        for (int i = 0; i < 5; i++) {
            CHECK_EQ(there_go(devices[d], &x, 40), PADIC_OK);
            there_get(devices[d], &x, psi);
            record = field_energy(&exact, psi);
            CHECK(fabs(record.norm - 1) < 1e-6);
            CHECK(record.energy < before + 1e-6);
            before = record.energy;
        }
        CHECK(fabs(record.energy - 1.0440976) < 2e-5);
        CHECK(fabs(record.mu - 1.5265945) < 5e-5);
        memset(psi, 0, sizeof psi);
        there_end(devices[d], &x);
        there_begin(devices[d], &desc, 0, psi, &x);
        CHECK_EQ(there_go(devices[d], &x, 1), PADIC_ERROR_DOMAIN);
        there_end(devices[d], &x);
    }
}

// In a frame that has turned by a quarter, psi is that of the laboratory, turned:
// psi_rot(x, y) = psi_lab(-y, x). Back in time it is what it was.
TEST(turned)
{
    enum { N = 48, STEPS = 100 };
    static double start[2 * N * N], lab[2 * N * N], frame[2 * N * N], want[2 * N * N];
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = field_grid(2, N, 14);
        there x;
        desc.dtype = PADIC_C64;
        desc.dt = 1.0 / (double)STEPS;
        desc.trap[0] = desc.trap[1] = 0.5;
        desc.power[0].g = 1;
        desc.flags = PADIC_FIELD_NORM_FREE;
        for (uint64_t i = 0; i < N * N; i++) {
            const double u = field_x(&desc, 0, i / N) - 1, v = field_x(&desc, 1, i % N);
            start[2 * i] = (double)(float)(exp(-u * u / 2 - v * v) * cos(0.5 * v));
            start[2 * i + 1] = (double)(float)(exp(-u * u / 2 - v * v) * sin(0.5 * v));
        }
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, STEPS), PADIC_OK);
        there_get(devices[d], &x, lab);
        there_end(devices[d], &x);
        desc.rotation = FIELD_PI / 2;
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, STEPS), PADIC_OK);
        there_get(devices[d], &x, frame);
        for (int i = 0; i < N * N; i++) {
            const int a = i / N, b = i % N;
            memcpy(want + 2 * i, lab + 2 * ((N - b) % N * N + a), 16);
        }
        CHECK(field_apart(frame, want, N * N) < 2e-4); // 9e-5 of the grid
        desc.dt = -desc.dt;
        CHECK_EQ(padic_field_plan_set(devices[d], &desc, x.plan), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, STEPS), PADIC_OK);
        there_get(devices[d], &x, frame);
        CHECK(field_apart(frame, start, N * N) < 4e-4); // rounding of 200 steps
        there_end(devices[d], &x);
    }
}

// What has no kernels is refused where nothing else may do it, and is done by the host elsewhere.
TEST(elsewhere)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = grid(1, 4096, 1, 1, 0);
        double *psi;
        there x;
        psi = packet(&desc, 1);
        there_begin(devices[d], &desc, 0, psi, &x);
        CHECK_EQ(there_go(devices[d], &x, 1), PADIC_ERROR_NOT_SUPPORTED);
        there_end(devices[d], &x);
        free(psi);
    }
    for (int i = 0; i < 2; i++) {
        padic_context *context = open_one(padic_native(), &native_desc, 0, 0);
        padic_field_plan_desc desc = i ? grid(1, 4096, 1, 1, 0) : grid(3, 65536, 1, 1, 0);
        padic_op_stats stats;
        if (!i) desc.method = PADIC_FIELD_METHOD_LEAPFROG2, desc.dt = 1e-9;
        compare(context, &desc, 0, 1);
        padic_context_op_stats(context, PADIC_OP_FIELD_STEP, &stats);
        CHECK_EQ(stats.fallbacks, 1);
        padic_context_destroy(context);
    }
}

// A recording makes its steps each time; noise is not recorded.
TEST(recorded)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = walled(2, 12, 10, 1, 0, PADIC_FIELD_METHOD_RK4);
        const uint64_t n = field_points(&desc);
        double *start = packet(&desc, 1), *got = (double *)malloc((size_t)n * 16);
        double *again = (double *)malloc((size_t)n * 16);
        padic_record recording;
        there x;
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, 6), PADIC_OK);
        there_get(devices[d], &x, got);
        there_end(devices[d], &x);
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, 2), PADIC_OK);
        CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 2), PADIC_OK);
        CHECK_EQ(padic_record_end(devices[d], &recording), PADIC_OK);
        CHECK_EQ(padic_record_replay(devices[d], recording, 1), PADIC_OK);
        CHECK_EQ(padic_record_replay(devices[d], recording, 1), PADIC_OK);
        there_get(devices[d], &x, again);
        CHECK(!memcmp(got, again, (size_t)n * 16));
        CHECK_EQ(padic_record_drop(devices[d], recording), PADIC_OK);
        there_end(devices[d], &x);
        free(start);
        free(got);
        free(again);
    }
}

TEST_MAIN("test_gpu_field_methods", CASE(leapfrog), CASE(runge_kutta), CASE(euler), CASE(cayley),
          CASE(imaginary), CASE(rotation), CASE(layouts), CASE(noise), CASE(conserved),
          CASE(cooled), CASE(turned), CASE(elsewhere), CASE(recorded),
          CASE(no_kernel_was_dropped))
