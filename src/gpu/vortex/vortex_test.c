#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/output.h"
#include "../../wave/observables.h"
#include "../../wave/phase_gradient.h"
#include "../../wave/source.h"
#include "../../wave/tonemap.h"
#include "../../wave/vortex.h"
#include "../../wave/winding.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../wave/plan.h"
#include "lines.h"
#include "normalise.h"
#include "phase.h"
#include "pixels.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests: against the reference, on numbers where that cannot be one byte or one rounding beside.

// A round for each of REAL, AMPLITUDE, INTENSITY, PHASE; columns apart.
static padic_result padici_test_vortex_observe(padici_gpu_case *c)
{
    padic_wave_observe_desc desc;
    padici_k_vortex_observe_params k;
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_2d(PADIC_C64, c->buffers[0].image, 37, 11);
    desc.psi.stride[0] = 22;
    desc.psi.stride[1] = 2;
    desc.out = padic_tensor_2d(PADIC_F32, c->buffers[1].answer, 37, 11);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = 37;
    desc.output = (padic_wave_output)(c->round + 1);
    padici_wave_observe_host(NULL, &desc);
    padici_gpu_observe_params(&desc, 0, 0, &k);
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

// Makes samples whose pixel is near to the next one into others.
static void padici_test_vortex_steady(const padic_wave_tone *tone, float *field, uint32_t n,
                                         int real_)
{
    padic_wave_superpose_desc desc;
    padici_wave_job job;
    uint32_t i, j, again;
    memset(&desc, 0, sizeof desc);
    memset(&job, 0, sizeof job);
    desc.tone = *tone;
    if (real_) desc.tone.value = PADIC_WAVE_REAL;
    job.desc = &desc;
    padici_wave_tone_range(tone, &job.low, &job.high);
    for (i = 0; i < n; i++)
        for (again = 1; again;) {
            uint8_t pixel[5][4];
            for (j = 0; j < 5; j++) {
                static const double off[5][2] = {
                    {0, 0}, {2e-5, 0}, {-2e-5, 0}, {0, 2e-5}, {0, -2e-5}};
                const double re = (double)field[real_ ? i : 2 * i];
                const double im = real_ ? 0 : (double)field[2 * i + 1];
                padici_complex z;
                z.re = re * (1 + off[j][0]) - im * off[j][1];
                z.im = im * (1 + off[j][0]) + re * off[j][1];
                padici_wave_pixel(&job, z, padici_wave_real(desc.tone.value, z), pixel[j]);
            }
            for (again = 0, j = 1; j < 5; j++) again |= memcmp(pixel[0], pixel[j], 4) != 0;
            if (again) field[real_ ? i : 2 * i] += 0.0011f;
        }
}

// Each curve and each map, c64 and f32.
static padic_result padici_test_vortex_tonemap(padici_gpu_case *c)
{
    const uint32_t n = 389, real_ = c->round == 1;
    float *field = PADICI_TEST_IMAGE(float, 0);
    uint8_t *table = c->buffers[1].image;
    uint32_t *report = PADICI_TEST_ANSWER(uint32_t, 3), i;
    padic_wave_tonemap_desc desc;
    padici_k_vortex_tonemap_params k;
    padic_wave_tonemap_report range;
    for (i = 0; i < 1024; i++) table[i] = (uint8_t)(i * 37 >> 2);
    memset(&desc, 0, sizeof desc);
    desc.tone.curve = (padic_wave_curve)(c->round % 3);
    desc.tone.map = !c->round ? PADIC_WAVE_HUE : c->round == 1 ? PADIC_WAVE_HEAT
                                             : c->round == 2 ? PADIC_WAVE_TABLE
                                                             : PADIC_WAVE_GREY;
    desc.tone.value = PADIC_WAVE_REAL;
    desc.tone.low = 0.25;
    desc.tone.high = 3;
    desc.tone.table = table;
    desc.report = &range;
    padici_test_vortex_steady(&desc.tone, field, n, (int)real_);
    desc.field = padic_tensor_1d(real_ ? PADIC_F32 : PADIC_C64, field, n);
    desc.out = padic_tensor_2d(PADIC_U8, c->buffers[2].answer, n, 4);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = (int64_t)n;
    padici_wave_tonemap_host(NULL, &desc);
    for (i = 0; i < 2; i++) { // floats, and one below 0 and one above, as all of these are
        const float f = (float)(i ? range.largest : range.smallest);
        uint32_t bits;
        memcpy(&bits, &f, 4);
        report[i] = i ? bits | 0x80000000u : bits;
    }
    if (!padici_gpu_tonemap_params(&desc, 0, 0, &k)) return PADIC_ERROR_SELF_TEST;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

// A sum as kernels keep it: an f64 whose lower word is 0, as these have few bits, or two floats.
static void padici_test_vortex_sum(const padici_gpu_case *c, uint32_t *to, double x)
{
    float two[2];
    uint64_t bits;
    padici_gpu_wave_two(x, two);
    memcpy(to, two, 8);
    memcpy(&bits, &x, 8);
    if (!(c->gpu->info->features & PADIC_FEATURE_F64)) return;
    to[0] = 0;
    to[1] = (uint32_t)(bits >> 32);
}

// Numbers whose squares and sums are exact, in shares of 11 and 10 samples over one of 256.
static padic_result padici_test_vortex_norm(padici_gpu_case *c)
{
    float *psi = PADICI_TEST_IMAGE(float, 0);
    padici_k_vortex_norm_params k;
    uint32_t i, j;
    for (i = 0; i < 2 * 533; i++) psi[i] = (float)((int32_t)(i * 7 % 31) - 15) / 8;
    memset(&k, 0, sizeof k);
    k.each = 266;
    k.more = 1;
    k.blocks = k.shares = 2;
    k.axes = 2;
    k.extent[0] = 13; // backwards, in rows
    k.extent[1] = 41;
    k.step[0] = 0u - 2u;
    k.step[1] = 26;
    k.base = 24;
    k.scale = 1;
    memcpy(&c->params, &k, sizeof k);
    for (i = 0; i < 4; i++) {
        const uint32_t first = i < 2 ? 0 : 267, end = first + (i < 2 ? 267 : 266);
        double sum = 0;
        for (j = first + (i & 1) * 256; j < end && j < first + 256 + (i & 1) * 256; j++) {
            const float *z = psi + 2 * (j / 13 * 13 + 12 - j % 13);
            sum += (double)z[0] * (double)z[0] + (double)z[1] * (double)z[1];
        }
        padici_test_vortex_sum(c, PADICI_TEST_ANSWER(uint32_t, 1) + 2 * i, sum);
    }
    return PADIC_OK;
}

static padic_result padici_test_vortex_norm_total(padici_gpu_case *c)
{
    padici_k_vortex_norm_total_params k;
    double sum = 0;
    uint32_t i;
    k.blocks = 7;
    k.shares = 3;
    memcpy(&c->params, &k, sizeof k);
    for (i = 0; i < 21; i++) {
        const double x = 0.25 + i * i;
        sum = i % 7 ? sum + x : x;
        padici_test_vortex_sum(c, PADICI_TEST_IMAGE(uint32_t, 0) + 2 * i, x);
        padici_test_vortex_sum(c, PADICI_TEST_ANSWER(uint32_t, 1) + 2 * (i / 7), sum);
    }
    return PADIC_OK;
}

static padic_result padici_test_vortex_multiply(padici_gpu_case *c)
{
    static const double factors[3] = {0.7071067811865476, 1.2345678e-25, 9.87654321e25};
    static const double bounds[3] = {2.4e-7, 0.04, 4e-11};
    const uint32_t n = 387;
    float *psi = PADICI_TEST_IMAGE(float, 0), *answer;
    padici_k_vortex_multiply_params k;
    padic_tensor t;
    uint32_t i;
    for (i = 0; i < 2 * n; i++)
        psi[i] *= c->round == 2 ? 7.8886090522e-31f : c->round ? 1.2676506e30f : 1;
    answer = (float *)padici_gpu_answer(c, 0);
    for (i = 0; i < 2 * n; i++)
        if (i / 2 % 3 == 0) answer[i] = (float)((double)psi[i] * factors[c->round]);
    t = padic_tensor_1d(PADIC_C64, psi, 129); // every third sample
    t.stride[0] = 3;
    padici_gpu_multiply_params(&t, 0, factors[c->round], &k);
    memcpy(&c->params, &k, sizeof k);
    c->buffers[0].bound = bounds[c->round];
    return PADIC_OK;
}

// Each method, in a volume, along a line and in a plane.
static padic_result padici_test_vortex_gradient(padici_gpu_case *c)
{
    float *psi = PADICI_TEST_IMAGE(float, 0), *out = PADICI_TEST_ANSWER(float, 1);
    padic_wave_phase_gradient_desc desc;
    padici_k_vortex_gradient_params k;
    padic_wave_phase_gradient_report seen;
    psi[40] = psi[42] = -1; // a link along the cut, and one at it
    psi[41] = psi[43] = 0;
    psi[44] = 1;
    psi[45] = -0.0f;
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_3d(PADIC_C64, psi, 5, 7, 9);
    desc.out = padic_tensor_3d(PADIC_F32, out, 5, 7, 9);
    if (c->round == 1) desc.psi = padic_tensor_1d(PADIC_C64, psi, 315);
    if (c->round == 1) desc.out = padic_tensor_1d(PADIC_F32, out, 315);
    if (c->round == 2) desc.psi = padic_tensor_2d(PADIC_C64, psi, 35, 9);
    if (c->round == 2) desc.out = padic_tensor_2d(PADIC_F32, out, 35, 9);
    desc.out.shape[desc.out.rank++] = desc.psi.rank;
    desc.periodic = c->round == 1 ? 0 : 2;
    desc.method = (padic_wave_phase_method)(c->round % 3);
    desc.step[0] = c->round == 2 ? 0 : 0.25;
    desc.scale = 0.5;
    desc.floor = 0.015625;
    desc.report = &seen;
    padici_wave_phase_gradient_host(NULL, &desc);
    *PADICI_TEST_ANSWER(uint32_t, 2) += (uint32_t)seen.skipped;
    if (!padici_gpu_gradient_params(&desc, 0, 0, &k)) return PADIC_ERROR_SELF_TEST;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

// Test: small whole numbers, with many links through 0, very small and large ones, zeros, a NaN; in
// a plane and a volume, against the reference.
static padic_result padici_test_vortex_winding(padici_gpu_case *c)
{
    static const float sizes[5] = {1, 1e-42f, 3e38f, 1e-20f, 0.3333333f};
    const uint64_t shape[4] = {3, 7, 9, 11};
    const uint32_t n = 7 * 9 * 11, plane = c->round;
    float *psi = PADICI_TEST_IMAGE(float, 0);
    unsigned char *answer = c->buffers[1].answer;
    uint32_t *counts = PADICI_TEST_ANSWER(uint32_t, 2), i, random = 77;
    padic_wave_winding_report found;
    padic_wave_winding_desc desc;
    padici_k_vortex_winding_params k;
    for (i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;
        psi[i] = (float)((int32_t)(random >> 20 & 7) - 3) * sizes[i / 2 % 5] /
                 (i / 2 % 5 == 2 ? 4.0f : 1.0f);
    }
    psi[101] *= 1e38f * 1e38f; // not finite
    memset(&desc, 0, sizeof desc);
    desc.psi = plane ? padic_tensor_2d(PADIC_C64, psi, 63, 11)
                     : padic_tensor_3d(PADIC_C64, psi, 7, 9, 11);
    desc.periodic = plane ? 2 : 5;
    desc.map = plane ? padic_tensor_2d(PADIC_I8, answer, 63, 11)
                     : padic_tensor_nd(PADIC_I8, answer, 4, shape);
    desc.report = &found;
    padici_wave_winding_host(NULL, &desc);
    for (i = 0; i < 3; i++) counts[i] += (uint32_t)(uint64_t)found.total[plane ? (i ? 0 : 2) : i];
    counts[3] += (uint32_t)found.absolute;
    counts[4] += (uint32_t)found.undefined;
    padici_gpu_winding_params(&desc, 0, 0, &k);
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

// Axes along the coordinates and askew; what is absent; f64 centres, f32 axes.
static padic_result padici_test_vortex_lines(padici_gpu_case *c)
{
    static const float axes[6][3] = {{0, 0, 1},         {1, 0, 0},          {0, -1, 0},
                                     {0.6f, 0.8f, 0},   {-0.96f, 0, 0.28f}, {0.48f, 0.6f, -0.64f}};
    const uint32_t n = 203;
    double *centre = PADICI_TEST_IMAGE(double, 0);
    float *axis = PADICI_TEST_IMAGE(float, 1), *charge = PADICI_TEST_IMAGE(float, 2);
    float *record = PADICI_TEST_ANSWER(float, 4);
    padici_k_vortex_lines_params k;
    uint32_t i, j;
    memset(&k, 0, sizeof k);
    k.count = n;
    k.dimensions = 3;
    k.wide = 1;
    k.present = c->round ? 5 : 15;
    k.core = c->round ? 3 : 0;
    k.step[0] = 6;
    k.centre_axis = 2;
    k.step[1] = 3;
    k.axis_axis = 1;
    k.base[2] = n - 1;
    k.step[2] = 0u - 1u;
    memcpy(&c->params, &k, sizeof k);
    *PADICI_TEST_IMAGE(float, 3) = 0.75f;
    for (i = 0; i < n; i++) {
        double way[3] = {0, 0, 1}, frame[2][3];
        for (j = 0; j < 3; j++) {
            axis[3 * i + j] = axes[i % 6][j];
            if (!c->round) way[j] = (double)axis[3 * i + j];
            centre[3 * i + j] = (j == 1 ? -1 : 1) * (0.1 + (double)i / 3 + j);
            padici_gpu_wave_two(centre[3 * i + j], &record[PADICI_VORTEX_WORDS * i + 2 * j]);
        }
        (void)padici_wave_frame(way, frame[0], frame[1]);
        for (j = 0; j < 6; j++)
            padici_gpu_wave_two(frame[j / 3][j % 3], &record[PADICI_VORTEX_WORDS * i + 6 + 2 * j]);
        charge[n - 1 - i] = (float)(i % 7) - 3;
        record[PADICI_VORTEX_WORDS * i + 18] = (float)(i % 7) - 3;
        record[PADICI_VORTEX_WORDS * i + 19] = c->round ? 0.1f : 0.75f;
    }
    return PADIC_OK;
}

// m lines for the reference, each tensor behind the one before, and as the kernel reads them.
static void padici_test_vortex_lines_of(uint32_t round, uint32_t m, double *space, float *record)
{
    static const double frames[3][6] = {
        {1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1}}; // along z, x, -y
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}};
    const uint32_t legacy = round == 3;
    uint32_t i, j;
    memset(record, 0, 4 * PADICI_VORTEX_WORDS * m);
    for (i = 0; i < m; i++) {
        const double charge = round == 1 ? (i & 1 ? -1 : 1) : (double)(i % 5) - 2;
        float *line = record + PADICI_VORTEX_WORDS * i;
        for (j = 0; j < 3; j++) {
            space[3 * i + j] = (double)(i * (j + 3) % 7) / 4 - 0.625;
            space[3 * m + 3 * i + j] = axes[i % 3][j];
            line[2 * j] = (float)space[3 * i + j];
        }
        for (j = 0; j < 6; j++) line[6 + 2 * j] = (float)frames[i % 3][j];
        space[6 * m + i] = legacy ? charge * 1.25 : charge;
        space[7 * m + i] = 0.25 + (double)i / 8;
        line[18] = (float)space[6 * m + i];
        line[19] = (float)space[7 * m + i];
    }
}

// Each core, listed and on a grid, on a field and alone.
static padic_result padici_test_vortex_field(padici_gpu_case *c)
{
    const uint32_t n = 7 * 8 * 5, m = 9, listed = c->round & 1, legacy = c->round == 3;
    double *space = (double *)padici_gpu_space(c, 8 * 8 * m);
    float *points = PADICI_TEST_IMAGE(float, 0), *answer = PADICI_TEST_ANSWER(float, 4);
    padic_wave_vortex_desc desc;
    padici_k_vortex_field_params k;
    uint32_t i;
    padici_test_vortex_lines_of(c->round, m, space, PADICI_TEST_IMAGE(float, 1));
    for (i = 0; i < 3 * n; i++) points[i] = (float)(i * 29 % 64) / 32 - 1;
    memset(&desc, 0, sizeof desc);
    desc.core = (padic_wave_core)c->round;
    desc.centres = padic_tensor_2d(PADIC_F64, space, m, 3);
    desc.axes = padic_tensor_2d(PADIC_F64, space + 3 * m, m, 3);
    if (legacy) memset(&desc.axes, 0, sizeof desc.axes);
    desc.charges = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
    desc.cores = padic_tensor_1d(PADIC_F64, space + 7 * m, m);
    desc.out = padic_tensor_3d(PADIC_C64, answer, 7, 8, 5);
    desc.psi = padic_tensor_3d(PADIC_C64, c->buffers[2].image, 7, 8, 5);
    for (i = 0; i < 3; i++) {
        desc.grid.count[i] = (uint32_t)desc.out.shape[i];
        desc.grid.step[i] = 0.25 * (i + 1);
        desc.grid.origin[i] = -0.5;
    }
    if (listed) {
        memset(&desc.grid, 0, sizeof desc.grid);
        memset(&desc.psi, 0, sizeof desc.psi);
        desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
        desc.out = padic_tensor_1d(PADIC_C64, answer, n);
    }
    if (!padici_gpu_vortex_params(&desc, &k)) return PADIC_ERROR_SELF_TEST;
    memcpy(&c->params, &k, sizeof k);
    return padici_wave_vortex_host(NULL, &desc);
}

PADICI_FN const padici_gpu_test *padici_tests_vortex(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_VORTEX_OBSERVE, 4, 2, padici_test_vortex_observe,
         {PADICI_TEST_IN(SAMPLES, PADIC_C64, 2 * 407), PADICI_TEST_OUT(PADIC_F32, 407, 4e-6)}},
        {PADICI_KERNEL_VORTEX_TONEMAP, 4, 2, padici_test_vortex_tonemap,
         {PADICI_TEST_IN(SAMPLES, PADIC_C64, 389), PADICI_TEST_IN(BYTES, PADIC_U8, 1024),
          PADICI_TEST_OUT(PADIC_U8, 4 * 389, 0), PADICI_TEST_BOTH(ZERO, PADIC_U32, 2, 0)}},
        {PADICI_KERNEL_VORTEX_NORM, 1, 1, padici_test_vortex_norm,
         {PADICI_TEST_IN(BYTES, PADIC_C64, 533), PADICI_TEST_OUT(PADIC_U64, 4, 0)}},
        {PADICI_KERNEL_VORTEX_NORM_TOTAL, 1, 1, padici_test_vortex_norm_total,
         {PADICI_TEST_IN(BYTES, PADIC_U64, 21), PADICI_TEST_OUT(PADIC_U64, 4, 0)}},
        {PADICI_KERNEL_VORTEX_MULTIPLY, 3, 2, padici_test_vortex_multiply,
         {PADICI_TEST_IN(SAMPLES, PADIC_C64, 387)}},
        {PADICI_KERNEL_VORTEX_GRADIENT, 3, 2, padici_test_vortex_gradient, // CURRENT reaches 20
         {PADICI_TEST_IN(SAMPLES, PADIC_C64, 315), PADICI_TEST_OUT(PADIC_F32, 3 * 315, 4e-5),
          PADICI_TEST_OUT(PADIC_U32, 1, 0)}},
        {PADICI_KERNEL_VORTEX_WINDING, 2, 3, padici_test_vortex_winding,
         {PADICI_TEST_IN(BYTES, PADIC_C64, 693), PADICI_TEST_OUT(PADIC_I8, 3 * 693, 0),
          PADICI_TEST_OUT(PADIC_U32, 5, 0)}},
        {PADICI_KERNEL_VORTEX_LINES, 2, 2, padici_test_vortex_lines, // second words are some 1e-9
         {PADICI_TEST_IN(BYTES, PADIC_F64, 3 * 203), PADICI_TEST_IN(BYTES, PADIC_F32, 3 * 203),
          PADICI_TEST_IN(BYTES, PADIC_F32, 203), PADICI_TEST_IN(BYTES, PADIC_F32, 1),
          PADICI_TEST_OUT(PADIC_F32, PADICI_VORTEX_WORDS * 203, 1e-12)}},
        {PADICI_KERNEL_VORTEX_FIELD, 4, 2, padici_test_vortex_field,
         {PADICI_TEST_IN(BYTES, PADIC_F32, 3 * 280),
          PADICI_TEST_IN(BYTES, PADIC_F32, PADICI_VORTEX_WORDS * 9),
          PADICI_TEST_IN(SAMPLES, PADIC_C64, 280), PADICI_TEST_NONE,
          PADICI_TEST_OUT(PADIC_C64, 280, 1.5e-5)}},
        PADICI_TESTS_END};
    return rows;
}

#endif
