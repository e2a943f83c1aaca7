#include "lines_test.h"
#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/vortex.h"
#include "../wave/plan.h"
#include "field_test.h"
#include "lines.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests of line vortices.

// Axes along the coordinates and askew; what is absent; f64 centres, f32 axes.
PADICI_FN padic_result padici_test_vortex_lines(padici_gpu_case *c)
{
    static const float axes[6][3] = {{0, 0, 1},         {1, 0, 0},          {0, -1, 0},
                                     {0.6f, 0.8f, 0},   {-0.96f, 0, 0.28f}, {0.48f, 0.6f, -0.64f}};
    const uint32_t n = 203;
    double *centre = (double *)(void *)padici_gpu_image(c, 0, 24 * n);
    float *axis = (float *)padici_gpu_image(c, 1, 12 * n);
    float *charge = (float *)padici_gpu_image(c, 2, 4 * n), *record;
    float *core = (float *)padici_gpu_image(c, 3, 4);
    padici_k_vortex_lines_params k;
    uint32_t i, j;
    if (!centre || !axis || !charge || !core) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 4, 4 * PADICI_VORTEX_WORDS * n)) return PADIC_ERROR_MEMORY;
    record = (float *)padici_gpu_answer(c, 4);
    if (!record) return PADIC_ERROR_MEMORY;
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
    c->groups[0] = 2;
    c->again = !c->round;
    core[0] = 0.75f;
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
    c->buffers[4].dtype = PADIC_F32; // second words are some 1e-9
    c->buffers[4].bound = 1e-12;
    return PADIC_OK;
}

// m lines for the reference, each tensor behind the one before, and as the kernel reads them.
PADICI_FN void padici_test_vortex_lines_of(uint32_t round, uint32_t m, double *space, float *record)
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
PADICI_FN padic_result padici_test_vortex_field(padici_gpu_case *c)
{
    const uint32_t n = 7 * 8 * 5, m = 9, listed = c->round & 1, legacy = c->round == 3;
    double *space = (double *)(void *)padici_gpu_image(c, 6, 8 * 8 * m);
    float *points = (float *)padici_gpu_image(c, 0, 12 * n), *psi, *answer;
    float *record = (float *)padici_gpu_image(c, 1, 4 * PADICI_VORTEX_WORDS * m);
    padic_wave_vortex_desc desc;
    padici_k_vortex_field_params k;
    uint32_t i;
    psi = (float *)padici_gpu_image(c, 2, 8 * n);
    if (!space || !points || !record || !psi) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 3, 4) || !padici_gpu_image(c, 4, 8 * n) || !padici_gpu_image(c, 5, 4))
        return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 4);
    if (!answer) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, n);
    padici_test_vortex_lines_of(c->round, m, space, record);
    for (i = 0; i < 3 * n; i++) points[i] = (float)(i * 29 % 64) / 32 - 1;
    memset(&desc, 0, sizeof desc);
    desc.core = (padic_wave_core)c->round;
    desc.centres = padic_tensor_2d(PADIC_F64, space, m, 3);
    desc.axes = padic_tensor_2d(PADIC_F64, space + 3 * m, m, 3);
    if (legacy) memset(&desc.axes, 0, sizeof desc.axes);
    desc.charges = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
    desc.cores = padic_tensor_1d(PADIC_F64, space + 7 * m, m);
    desc.out = padic_tensor_3d(PADIC_C64, answer, 7, 8, 5);
    desc.psi = padic_tensor_3d(PADIC_C64, psi, 7, 8, 5);
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
    if (padici_wave_vortex_host(NULL, &desc)) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_vortex_params(&desc, &k)) return PADIC_ERROR_MEMORY;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[4].dtype = PADIC_F32;
    c->buffers[4].bound = 1.5e-5;
    c->again = c->round < 3;
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_vortex(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_VORTEX_WINDING, 0, 0, padici_test_vortex_winding, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_OBSERVE, 0, 0, padici_test_vortex_observe, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_TONEMAP, 0, 0, padici_test_vortex_tonemap, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_NORM, 0, 0, padici_test_vortex_norm, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_NORM_TOTAL, 0, 0, padici_test_vortex_norm_total, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_MULTIPLY, 0, 0, padici_test_vortex_multiply, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_GRADIENT, 0, 0, padici_test_vortex_gradient, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_LINES, 0, 0, padici_test_vortex_lines, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_VORTEX_FIELD, 0, 0, padici_test_vortex_field, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
