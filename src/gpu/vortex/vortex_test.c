#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/output.h"
#include "../../wave/source.h"
#include "../../wave/tonemap.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests: the driver against the reference, on numbers where no byte can be off by one.

static float *padici_test_vortex_samples(padici_gpu_case *c, uint64_t n)
{
    return (float *)padici_gpu_numbers(c, PADICI_FILL_SAMPLES, PADIC_C64, n);
}

// A round for each of REAL, AMPLITUDE, INTENSITY, PHASE; columns apart.
static padic_result padici_test_vortex_observe(padici_gpu_case *c)
{
    padic_wave_observe_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_2d(PADIC_C64, padici_test_vortex_samples(c, 2 * 407), 37, 11);
    desc.psi.stride[0] = 22;
    desc.psi.stride[1] = 2;
    desc.out = padic_tensor_2d(PADIC_F32, padici_gpu_space(c, 4 * 407), 37, 11);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = 37;
    desc.output = (padic_wave_output)(c->round + 1);
    return padici_gpu_case_drive(c, PADIC_OP_WAVE_OBSERVE, &desc, 0, 4e-6);
}

// Two components, in another order in memory, and one.
static padic_result padici_test_vortex_flux(padici_gpu_case *c)
{
    const uint64_t n = c->round ? 1 : 2;
    padic_wave_flux_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_2d(PADIC_C64, padici_test_vortex_samples(c, 407), 37, 11);
    desc.gradient = padic_tensor_3d(PADIC_C64, padici_test_vortex_samples(c, 814), 37, 11, n);
    desc.gradient.stride[0] = 11;
    desc.gradient.stride[1] = 1;
    desc.gradient.stride[2] = 407;
    desc.scale = -0.75;
    desc.out = padic_tensor_3d(PADIC_F32, padici_gpu_space(c, 4 * 814), 37, 11, n);
    return padici_gpu_case_drive(c, PADIC_OP_WAVE_FLUX, &desc, 0, 4e-6);
}

// Replaces samples whose pixel is close to the next one.
static void padici_test_vortex_steady(const padic_wave_tone *tone, float *field, uint32_t n,
                                      int real_)
{
    padic_wave_superpose_desc desc;
    padici_wave_job job;
    uint32_t i, j, again;
    memset(&desc, 0, sizeof desc);
    memset(&job, 0, sizeof job);
    desc.tone = *tone;
    if (real_) desc.tone.value = PADIC_WAVE_OUTPUT_REAL;
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
    static const padic_wave_map maps[4] = {PADIC_WAVE_MAP_HUE, PADIC_WAVE_MAP_HEAT,
                                           PADIC_WAVE_MAP_TABLE,
                                           PADIC_WAVE_MAP_GREY};
    const uint32_t n = 389, real_ = c->round == 1;
    float *field = padici_test_vortex_samples(c, n);
    uint8_t *table = (uint8_t *)padici_gpu_space(c, 1024);
    padic_wave_tonemap_desc desc;
    padic_wave_tonemap_report seen, want;
    padic_result result;
    uint32_t i;
    for (i = 0; i < 1024; i++) table[i] = (uint8_t)(i * 37 >> 2);
    memset(&desc, 0, sizeof desc);
    desc.tone.curve = (padic_wave_curve)(c->round % 3);
    desc.tone.map = maps[c->round];
    desc.tone.value = PADIC_WAVE_OUTPUT_REAL;
    desc.tone.low = 0.25;
    desc.tone.high = 3;
    desc.tone.table = table;
    padici_test_vortex_steady(&desc.tone, field, n, (int)real_);
    desc.field = padic_tensor_1d(real_ ? PADIC_F32 : PADIC_C64, field, n);
    desc.out = padic_tensor_2d(PADIC_U8, padici_gpu_space(c, 4 * n), n, 4);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = (int64_t)n;
    desc.report = &want;
    padici_wave_tonemap_host(NULL, &desc);
    desc.report = &seen;
    result = padici_gpu_case_drive(c, PADIC_OP_WAVE_TONEMAP, &desc, 0, 0);
    return result || (seen.smallest == (double)(float)want.smallest &&
                      seen.largest == (double)(float)want.largest)
               ? result
               : PADIC_ERROR_SELF_TEST;
}

// Fields of moderate, small and large numbers, in rows with gaps; more samples than the partial
// sums have in one block each.
static padic_result padici_test_vortex_normalise(padici_gpu_case *c)
{
    static const float sizes[3] = {1, 1.2676506e30f, 7.8886090522e-31f};
    const uint32_t rows = 613, columns = 41;
    float *psi = padici_test_vortex_samples(c, rows * columns * 2);
    padic_wave_normalise_desc desc;
    uint32_t i;
    for (i = 0; i < 4 * rows * columns; i++) psi[i] *= sizes[c->round];
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_2d(PADIC_C64, psi, rows, columns);
    desc.psi.stride[0] = 2 * columns;
    desc.psi.stride[1] = 2;
    desc.target = rows * columns;
    return padici_gpu_case_drive(c, PADIC_OP_WAVE_NORMALISE, &desc, 0, 2.4e-7);
}

// Each method, in a volume, along a line and in a plane. CURRENT reaches 20.
static padic_result padici_test_vortex_gradient(padici_gpu_case *c)
{
    float *psi = padici_test_vortex_samples(c, 315), *out = (float *)padici_gpu_space(c, 12 * 315);
    padic_wave_phase_gradient_desc desc;
    padic_wave_phase_gradient_report seen, want;
    padic_result result;
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
    desc.report = &want;
    padici_wave_phase_gradient_host(NULL, &desc);
    desc.report = &seen;
    result = padici_gpu_case_drive(c, PADIC_OP_WAVE_PHASE_GRADIENT, &desc, 0, 4e-5);
    return result || seen.skipped == want.skipped ? result : PADIC_ERROR_SELF_TEST;
}

// Small whole numbers, with many links through 0, very small and large ones, zeros, a NaN; in a
// volume and a plane.
static padic_result padici_test_vortex_winding(padici_gpu_case *c)
{
    static const float sizes[5] = {1, 1e-42f, 3e38f, 1e-20f, 0.3333333f};
    const uint64_t shape[4] = {3, 7, 9, 11};
    const uint32_t n = 7 * 9 * 11, plane = c->round;
    float *psi = (float *)padici_gpu_space(c, 8 * n);
    void *map = padici_gpu_space(c, 3 * n);
    padic_wave_winding_desc desc;
    padic_wave_winding_report seen, want;
    padic_result result;
    uint32_t i, random = 77;
    for (i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;
        psi[i] = (float)((int32_t)(random >> 20 & 7) - 3) * sizes[i / 2 % 5] /
                 (i / 2 % 5 == 2 ? 4.0f : 1.0f);
    }
    psi[101] *= 1e38f * 1e38f; // not finite
    memset(&desc, 0, sizeof desc);
    desc.psi = plane ? padic_tensor_2d(PADIC_C64, psi, 63, 11)
                     : padic_tensor_3d(PADIC_C64, psi, 7, 9, 11);
    desc.map = plane ? padic_tensor_2d(PADIC_I8, map, 63, 11)
                     : padic_tensor_nd(PADIC_I8, map, 4, shape);
    desc.periodic = plane ? 2 : 5;
    desc.report = &want;
    padici_wave_winding_host(NULL, &desc);
    desc.report = &seen;
    result = padici_gpu_case_drive(c, PADIC_OP_WAVE_WINDING, &desc, 0, 0);
    return result || !memcmp(&seen, &want, sizeof seen) ? result : PADIC_ERROR_SELF_TEST;
}

// Each core, listed and on a grid, on a field and alone; axes along the coordinates and oblique.
// All lie far from the origin, where positions need both words.
static padic_result padici_test_vortex_lines(padici_gpu_case *c)
{
    static const float ways[6][3] = {{0, 0, 1},         {1, 0, 0},          {0, -1, 0},
                                     {0.6f, 0.8f, 0},   {-0.96f, 0, 0.28f}, {0.48f, 0.6f, -0.64f}};
    const uint32_t n = 7 * 8 * 5, m = 19, listed = c->round & 1, legacy = c->round == 3;
    double *centres = (double *)padici_gpu_space(c, 24 * m);
    double *points = (double *)padici_gpu_space(c, 24 * n);
    float *axes = (float *)padici_gpu_space(c, 12 * m), *core = (float *)padici_gpu_space(c, 4);
    float *charges = (float *)padici_gpu_space(c, 4 * m);
    void *out = padici_gpu_space(c, 8 * n);
    padic_wave_vortex_desc desc;
    uint32_t i, j;
    for (i = 0; i < m; i++) {
        for (j = 0; j < 3; j++) {
            centres[3 * i + j] = 4096.1 + (double)(i * (j + 3) % 7) / 4 - 0.625;
            axes[3 * i + j] = ways[i % 6][j];
        }
        charges[m - 1 - i] = c->round == 1 ? (i & 1 ? -1.0f : 1.0f)
                                           : ((float)(i % 5) - 2) * (legacy ? 1.25f : 1);
    }
    for (i = 0; i < 3 * n; i++) points[i] = 4096.1 + (double)(i * 29 % 64) / 32 - 1;
    *core = 0.75f;
    memset(&desc, 0, sizeof desc);
    desc.core = (padic_wave_core)c->round;
    desc.centres = padic_tensor_2d(PADIC_F64, centres, m, 3);
    if (!legacy) desc.axes = padic_tensor_2d(PADIC_F32, axes, m, 3);
    desc.charges = padic_tensor_1d(PADIC_F32, charges + m - 1, m); // backwards
    desc.charges.stride[0] = -1;
    desc.cores = padic_tensor_1d(PADIC_F32, core, 1);
    desc.cores.rank = 0; // one for all
    if (listed) {
        desc.points = padic_tensor_2d(PADIC_F64, points, n, 3);
        desc.out = padic_tensor_1d(PADIC_C64, out, n);
        return padici_gpu_case_drive(c, PADIC_OP_WAVE_VORTEX, &desc, 0, 1.5e-5);
    }
    desc.psi = padic_tensor_3d(PADIC_C64, padici_test_vortex_samples(c, n), 7, 8, 5);
    desc.out = padic_tensor_3d(PADIC_C64, out, 7, 8, 5);
    for (i = 0; i < 3; i++) {
        desc.grid.count[i] = (uint32_t)desc.out.shape[i];
        desc.grid.step[i] = 0.25 * (i + 1);
        desc.grid.origin[i] = 4095.6;
    }
    return padici_gpu_case_drive(c, PADIC_OP_WAVE_VORTEX, &desc, 0, 1.5e-5);
}

#define PADICI_TEST_VORTEX(NAME, rounds, name)                                               \
    {PADICI_KERNEL_VORTEX_##NAME, rounds, PADICI_TEST_DRIVEN, padici_test_vortex_##name, \
     {PADICI_TEST_NONE}}

PADICI_FN const padici_gpu_test *padici_tests_vortex(void)
{
    static const padici_gpu_test rows[] = {
        PADICI_TEST_VORTEX(OBSERVE, 4, observe),
        PADICI_TEST_VORTEX(TONEMAP, 4, tonemap),
        PADICI_TEST_VORTEX(FLUX, 2, flux),
        PADICI_TEST_VORTEX(NORM, 3, normalise),
        PADICI_TEST_VORTEX(NORM_TOTAL, 3, normalise),
        PADICI_TEST_VORTEX(MULTIPLY, 3, normalise),
        PADICI_TEST_VORTEX(GRADIENT, 3, gradient),
        PADICI_TEST_VORTEX(WINDING, 2, winding),
        PADICI_TEST_VORTEX(LINES, 4, lines),
        PADICI_TEST_VORTEX(FIELD, 4, lines),
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_VORTEX

#endif
