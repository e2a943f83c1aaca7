#include "field_rows.h"
#include "../../core/jobs.h"
#include "../../core/view.h"
#include "../../core/words.h"
#include "../../wave/output.h"
#include "../../wave/normalise.h"
#include "../../wave/observables.h"
#include "../../wave/source.h"
#include "../../wave/tonemap.h"
#include "../level.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Fields, row by row: observables, pixels, the norm; c64 in C order (for grids: the last axis is).
// Rows with values that are not finite are left to the reference.

typedef struct padici_wave_field_run {
    padici_wave_each each; // tasks, and for normalise its whole work
    padici_wave_field_kernel kernel;
    const float *psi;
    char *out;
    int ranged; // pixels: the range is requested
} padici_wave_field_run;

PADICI_FN padici_wave_field_kernel padici_wave_field_of(uint32_t level, uint32_t which)
{
#if PADICI_SIMD_X86
    static const padici_wave_field_kernel kernels[2][6] = {
        {padici_wave_tile_field_observe_avx2, padici_wave_tile_field_squares_avx2,
         padici_wave_tile_field_scale_avx2, padici_wave_tile_field_slope_avx2,
         padici_wave_tile_field_charge_avx2, padici_wave_tile_field_pixels_avx2},
        {padici_wave_tile_field_observe_avx512, padici_wave_tile_field_squares_avx512,
         padici_wave_tile_field_scale_avx512, padici_wave_tile_field_slope_avx512,
         padici_wave_tile_field_charge_avx512, padici_wave_tile_field_pixels_avx512}};
    return kernels[level > PADICI_SIMD_AVX2][which];
#else
    static const padici_wave_field_kernel kernels[6] = {
        padici_wave_tile_field_observe_neon, padici_wave_tile_field_squares_neon,
        padici_wave_tile_field_scale_neon,   padici_wave_tile_field_slope_neon,
        padici_wave_tile_field_charge_neon,  padici_wave_tile_field_pixels_neon};
    (void)level;
    return kernels[which];
#endif
}

static int padici_wave_field_dense(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK], next = 1;
    uint32_t axis = t->rank;
    padici_tensor_dense(t, stride);
    while (axis--) {
        if (t->shape[axis] > 1 && stride[axis] != next) return 0;
        next *= (int64_t)t->shape[axis];
    }
    return 1;
}

// The task's elements i to i + n, n at most 64; advances *i. 0: none left. Blocks of 64 are never
// split between tasks.
static uint32_t padici_wave_field_next(const padici_wave_each *each, uint32_t task, uint64_t *i)
{
    uint64_t first, end;
    padici_wave_share((each->count + PADICI_WAVE_FIELD_ROW - 1) / PADICI_WAVE_FIELD_ROW,
                      each->tasks, task, &first, &end);
    first *= PADICI_WAVE_FIELD_ROW;
    end *= PADICI_WAVE_FIELD_ROW;
    if (end > each->count) end = each->count;
    *i = *i == UINT64_MAX ? first : *i + PADICI_WAVE_FIELD_ROW;
    if (*i >= end) return 0;
    return end - *i < PADICI_WAVE_FIELD_ROW ? (uint32_t)(end - *i) : PADICI_WAVE_FIELD_ROW;
}

// Elements i to i + n, of `each` numbers, as a whole row: in place, or in `space` padded with
// zeros.
static void padici_wave_field_row_begin(padici_wave_field_row *row,
                                        const padici_wave_field_run *run, uint64_t i, uint32_t n,
                                        uint32_t each, float *space)
{
    memset(row, 0, sizeof *row);
    row->count = PADICI_WAVE_FIELD_ROW;
    row->z[0] = run->psi + each * i;
    if (n == PADICI_WAVE_FIELD_ROW) return;
    memcpy(space, row->z[0], 4 * (size_t)(each * n));
    memset(space + each * n, 0, 4 * (size_t)(each * (PADICI_WAVE_FIELD_ROW - n)));
    row->z[0] = space;
}

static void padici_wave_field_observe_task(void *arg, uint32_t task)
{
    const padici_wave_field_run *run = (const padici_wave_field_run *)arg;
    float space[2 * PADICI_WAVE_FIELD_ROW], seen[PADICI_WAVE_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n, j;
    while ((n = padici_wave_field_next(&run->each, task, &i)) != 0) {
        padici_wave_field_row row;
        padici_wave_field_row_begin(&row, run, i, n, 2, space);
        row.out = seen;
        row.what = (uint32_t)run->each.output;
        (*run->kernel)(&row);
        for (j = 0; j < n && row.odd; j++) {
            const padici_complex z = padici_wave_each_get(&run->each, i + j);
            seen[j] = (float)padici_wave_real(run->each.output, z);
        }
        memcpy(run->out + 4 * i, seen, 4 * (size_t)n);
    }
}

PADICI_FN padic_result padici_simd_wave_observe(padici_simd *simd,
                                                const padic_wave_observe_desc *desc)
{
    padici_wave_field_run run;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_wave_field_dense(&desc->psi) || !padici_wave_field_dense(&desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_each_begin(&run.each, &desc->psi, &desc->out);
    run.each.output = desc->output;
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_OBSERVE);
    run.psi = (const float *)desc->psi.data;
    run.out = (char *)desc->out.data;
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_observe_task, &run);
    return PADIC_OK;
}

// Four components of the flux, in f64, where products of two f32 are exact: the reference's bytes.
#if PADICI_SIMD_X86
PADICI_AVX2 static void padici_wave_field_flux(const float psi[8], const float gradient[8],
                                               double scale, float out[4])
{
    const __m256 z = _mm256_loadu_ps(psi), g = _mm256_loadu_ps(gradient);
    const __m128 z0 = _mm256_castps256_ps128(z), z1 = _mm256_extractf128_ps(z, 1);
    const __m128 g0 = _mm256_castps256_ps128(g), g1 = _mm256_extractf128_ps(g, 1);
    const __m256d re = _mm256_cvtps_pd(_mm_shuffle_ps(z0, z1, 0x88));
    const __m256d im = _mm256_cvtps_pd(_mm_shuffle_ps(z0, z1, 0xdd));
    const __m256d x = _mm256_cvtps_pd(_mm_shuffle_ps(g0, g1, 0x88));
    const __m256d y = _mm256_cvtps_pd(_mm_shuffle_ps(g0, g1, 0xdd));
    const __m256d j = _mm256_sub_pd(_mm256_mul_pd(re, y), _mm256_mul_pd(im, x));
    _mm_storeu_ps(out, _mm256_cvtpd_ps(_mm256_mul_pd(j, _mm256_set1_pd(scale))));
}

static void padici_wave_field_flux_task(void *arg, uint32_t task)
{
    const padic_wave_flux_desc *desc = (const padic_wave_flux_desc *)arg;
    const uint64_t components = desc->gradient.shape[desc->psi.rank];
    const uint64_t count = padic_tensor_count(&desc->gradient);
    const float *psi = (const float *)desc->psi.data, *from = (const float *)desc->gradient.data;
    float *to = (float *)desc->out.data, z[8], g[8] = {0, 0, 0, 0, 0, 0, 0, 0}, seen[4];
    uint64_t i, end, point, a;
    uint32_t j, n;
    padici_wave_share((count + 3) / 4, PADICI_WAVE_SHARES, task, &i, &end);
    point = 4 * i / components;
    a = 4 * i % components;
    end = 4 * end < count ? 4 * end : count;
    for (i *= 4; i < end; i += n) {
        n = end - i < 4 ? (uint32_t)(end - i) : 4;
        memset(z, 0, sizeof z);
        for (j = 0; j < n; j++) {
            memcpy(z + 2 * j, psi + 2 * point, 8);
            if (++a < components) continue;
            a = 0;
            point++;
        }
        memcpy(g, from + 2 * i, 8 * (size_t)n);
        padici_wave_field_flux(z, g, desc->scale != 0 ? desc->scale : 1, seen);
        memcpy(to + i, seen, 4 * (size_t)n);
    }
}
#endif

PADICI_FN padic_result padici_simd_wave_flux(padici_simd *simd, const padic_wave_flux_desc *desc)
{
#if PADICI_SIMD_X86
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_wave_field_dense(&desc->psi) || !padici_wave_field_dense(&desc->gradient) ||
        !padici_wave_field_dense(&desc->out) || !padic_tensor_count(&desc->gradient))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_parallel(simd->env.jobs, PADICI_WAVE_SHARES, padici_wave_field_flux_task,
                    (void *)(uintptr_t)desc);
    return PADIC_OK;
#else
    (void)simd;
    (void)desc;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

// The words of pixels, R in the low byte.
static void padici_wave_field_pack(const padici_wave_field_row *row, const uint8_t *table,
                                   uint32_t n, char *to)
{
    uint32_t j, word;
    for (j = 0; j < n; j++) {
        const uint32_t r = (uint32_t)row->bytes[0][j];
        if (row->map == PADIC_WAVE_MAP_TABLE) {
            memcpy(to + 4 * j, table + 4 * (size_t)r, 4);
            continue;
        }
        word = r * 0x10101u;
        if (row->map != PADIC_WAVE_MAP_GREY)
            word = r | (uint32_t)row->bytes[1][j] << 8 | (uint32_t)row->bytes[2][j] << 16;
        padici_store32((uint8_t *)to + 4 * j, word | 0xff000000u);
    }
}

static void padici_wave_field_pixels_task(void *arg, uint32_t task)
{
    padici_wave_field_run *run = (padici_wave_field_run *)arg;
    const padici_wave_job *pixels = &run->each.pixels;
    const padic_wave_tone *tone = &pixels->desc->tone;
    padici_wave_slice *slice = &run->each.slices[task];
    const uint32_t real = run->each.in->dtype == PADIC_F32;
    float space[2 * PADICI_WAVE_FIELD_ROW];
    int32_t bytes[3][PADICI_WAVE_FIELD_ROW];
    double seen[PADICI_WAVE_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n, j;
    while ((n = padici_wave_field_next(&run->each, task, &i)) != 0) {
        char *to = run->out + 4 * i;
        padici_wave_field_row row;
        padici_wave_field_row_begin(&row, run, i, n, real ? 1 : 2, space);
        for (j = 0; j < 3; j++) row.bytes[j] = bytes[j];
        row.seen = seen;
        row.what = (uint32_t)tone->value;
        row.curve = (uint32_t)tone->curve;
        row.map = (uint32_t)tone->map;
        row.real = real;
        row.low = pixels->low;
        row.high = pixels->high;
        (*run->kernel)(&row);
        for (j = 0; j < n && row.odd; j++)
            padici_wave_store_rgba(pixels, slice, padici_wave_each_get(&run->each, i + j),
                                   to + 4 * j);
        if (row.odd) continue;
        padici_wave_field_pack(&row, tone->table, n, to);
        for (j = 0; j < n && run->ranged; j++) {
            if (seen[j] < slice->low) slice->low = seen[j];
            if (seen[j] > slice->high) slice->high = seen[j];
        }
    }
}

// All curves but LOG, of no range that high - low or v + high would leave.
PADICI_FN padic_result padici_simd_wave_tonemap(padici_simd *simd,
                                                const padic_wave_tonemap_desc *desc)
{
    padic_wave_superpose_desc field;
    padici_wave_field_run run;
    if ((desc->field.dtype != PADIC_C64 && desc->field.dtype != PADIC_F32) ||
        desc->tone.curve == PADIC_WAVE_CURVE_LOG || desc->tone.high > 1e300 ||
        desc->tone.low < -1e300 || !padici_wave_field_dense(&desc->field) ||
        !padici_wave_field_dense(&desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_tonemap_begin(&run.each, desc, &field);
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_PIXELS);
    run.psi = (const float *)desc->field.data;
    run.out = (char *)desc->out.data;
    run.ranged = desc->report != NULL;
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_pixels_task, &run);
    padici_wave_tonemap_range(&run.each, desc);
    return PADIC_OK;
}

// The tree of the reference: blocks of 256 of a task, each in order; 8 of them at a time.
static void padici_wave_field_norm_task(void *arg, uint32_t task)
{
    padici_wave_field_run *run = (padici_wave_field_run *)arg;
    uint64_t i, end, block;
    double total = 0, sums[8];
    uint32_t j;
    padici_wave_share(run->each.count, run->each.tasks, task, &i, &end);
    for (; end - i >= 2048; i += 2048) {
        padici_wave_field_row row;
        memset(&row, 0, sizeof row);
        row.z[0] = run->psi + 2 * i;
        row.sums = sums;
        (*run->kernel)(&row);
        for (j = 0; j < 8; j++) total += sums[j];
    }
    while (i < end) {
        double sum = 0;
        for (block = end - i < 256 ? end : i + 256; i < block; i++) {
            const double re = (double)run->psi[2 * i], im = (double)run->psi[2 * i + 1];
            sum += re * re + im * im;
        }
        total += sum;
    }
    run->each.sums[task] = total;
}

static void padici_wave_field_scale_task(void *arg, uint32_t task)
{
    padici_wave_field_run *run = (padici_wave_field_run *)arg;
    float space[2 * PADICI_WAVE_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n;
    while ((n = padici_wave_field_next(&run->each, task, &i)) != 0) {
        padici_wave_field_row row;
        padici_wave_field_row_begin(&row, run, i, n, 2, space);
        row.out = space;
        row.factor = run->each.factor;
        (*run->kernel)(&row);
        memcpy(run->out + 8 * i, space, 8 * (size_t)n);
    }
}

PADICI_FN padic_result padici_simd_wave_normalise(padici_simd *simd,
                                                  const padic_wave_normalise_desc *desc)
{
    padici_wave_field_run run;
    padici_wave_norm norm;
    double sum = 0;
    uint32_t i;
    if (desc->psi.dtype != PADIC_C64 || !padici_wave_field_dense(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_each_begin(&run.each, &desc->psi, &desc->psi);
    if (!run.each.count) return PADIC_OK;
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_SQUARES);
    run.psi = (const float *)desc->psi.data;
    run.out = (char *)desc->psi.data;
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_norm_task, &run);
    for (i = 0; i < run.each.tasks; i++) sum += run.each.sums[i];
    if (!padici_wave_norm_factor(desc, sum, 0, &norm)) return padici_wave_norm_bad(&simd->env);
    run.each.factor = norm.factor;
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_SCALE);
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_scale_task, &run);
    if (desc->report) desc->report->norm = norm.norm;
    return PADIC_OK;
}

#endif
