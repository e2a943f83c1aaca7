// test_gpu_field.c: fields in buffers of a device, split steps in real time.
//
//     ./test_gpu_field               devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "gpu_field.h"

TEST(split)
{
    static const uint64_t shapes[][4] = {
        {1, 1, 1, 1},   {1, 7, 1, 1},   {1, 64, 1, 1},  {1, 360, 1, 1},  {1, 2048, 1, 1},
        {2, 8, 8, 1},   {2, 64, 64, 1}, {2, 128, 96, 1}, {2, 1, 90, 1},  {2, 35, 1, 1},
        {3, 5, 6, 7},   {3, 64, 4, 64}, {3, 16, 64, 16}, {3, 32, 32, 32}, {2, 40, 512, 1},
        {2, 256, 24, 1}, {2, 1024, 3, 1}, {3, 3, 128, 20}};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += test_tiny ? 2 : 1)
            for (int wide = 0; wide < 2; wide++) {
                padic_field_plan_desc desc = grid((uint32_t)shapes[i][0], shapes[i][1],
                                                  shapes[i][2], shapes[i][3], wide);
                if (wide && desc.shape[0] > 1024) continue;
                desc.method = i % 3 == 1 ? PADIC_FIELD_METHOD_SPLIT4 : PADIC_FIELD_METHOD_SPLIT2;
                if (i % 2) desc.flags |= PADIC_FIELD_YOSHIDA;
                compare(devices[d], &desc, 0, 3);
            }
}

// Planar, with gaps, batches, a potential, all powers, an absorber, back in time.
TEST(layouts)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 16; i++) {
            padic_field_plan_desc desc = grid(2, i & 8 ? 64 : 20, 24, 1, i % 3 == 2);
            double *potential = (double *)malloc(64 * 24 * 8);
            for (int j = 0; j < 64 * 24; j++) potential[j] = sin(0.1 * j);
            desc.layout = i & 1 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
            desc.batch = i & 2 ? 3 : 0;
            desc.potential = padic_tensor_2d(PADIC_F64, potential, desc.shape[0], 24);
            desc.power[1].g = -0.5;
            desc.power[1].p = desc.dtype == PADIC_C128 ? 3 : 5;
            desc.power[2].g = 0.25;
            desc.power[2].p = desc.dtype == PADIC_C128 ? 6 : 4.5;
            if (i % 4 == 3) desc.dt = -desc.dt;
            if (i % 3 == 1) { // c64
                for (int j = 0; j < 64 * 24; j++) potential[j] = fabs(potential[j]);
                desc.absorber = desc.potential;
            }
            compare(devices[d], &desc, i & 4, 2);
            free(potential);
        }
}

// The norm stays; back again is the start; the bytes are the same from run to run, in one call or
// in several.
TEST(conserved)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = grid(3, 8, 64, 12, 0);
        const uint64_t n = field_points(&desc);
        double *start = packet(&desc, 1), *got = (double *)malloc((size_t)n * 16);
        double *again = (double *)malloc((size_t)n * 16);
        double before = 0, after = 0;
        there x;
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
        there_get(devices[d], &x, got);
        for (uint64_t i = 0; i < 2 * n; i++) {
            before += start[i] * start[i];
            after += got[i] * got[i];
        }
        CHECK(fabs(after / before - 1) < 2e-5);
        desc.dt = -desc.dt;
        CHECK_EQ(padic_field_plan_set(devices[d], &desc, x.plan), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
        there_get(devices[d], &x, again);
        CHECK(field_apart(again, start, n) < 2e-4);
        there_end(devices[d], &x);
        desc.dt = -desc.dt;
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, 0), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
        there_get(devices[d], &x, again);
        CHECK(!memcmp(got, again, (size_t)n * 16));
        there_end(devices[d], &x);
        free(start);
        free(got);
        free(again);
    }
}

// NORM_LOCK gives back what 20 steps of c64 lose; CHECK_FINITE finds one part in three fields.
TEST(norms)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 3; i++) {
            padic_field_plan_desc desc = grid(3, 20, 18, 7, 0);
            uint64_t n = field_points(&desc) * 3;
            double *start = packet(&desc, 3), *got = (double *)malloc((size_t)n * 16);
            there x;
            desc.batch = 3;
            desc.layout = i == 1 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
            desc.flags = PADIC_FIELD_NORM_LOCK | PADIC_FIELD_CHECK_FINITE;
            there_begin(devices[d], &desc, i, start, &x);
            CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
            there_get(devices[d], &x, got);
            for (uint64_t field = 0; field < 3; field++) {
                double before = 0, after = 0;
                for (uint64_t j = field * n / 3 * 2; j < (field + 1) * n / 3 * 2; j++) {
                    before += start[j] * start[j];
                    after += got[j] * got[j];
                }
                CHECK(fabs(after / before - 1) < 1e-7); // each part rounded once, either way
            }
            start[2 * n - 1] = i == 1 ? HUGE_VAL : NAN;
            there_end(devices[d], &x);
            there_begin(devices[d], &desc, i, start, &x);
            CHECK_EQ(there_go(devices[d], &x, 2), PADIC_ERROR_DOMAIN);
            there_get(devices[d], &x, got);
            CHECK(!memcmp(got, start, (size_t)n * 16 - 8)); // as it was
            there_end(devices[d], &x);
            free(start);
            free(got);
        }
}

TEST_MAIN("test_gpu_field", CASE(split), CASE(layouts), CASE(conserved), CASE(norms),
          CASE(no_kernel_was_dropped))
