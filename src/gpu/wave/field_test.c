#include "field_test.h"
#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/gradient.h"
#include "../../wave/source.h"
#include "../../wave/superpose.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

#define PADICI_TEST_WAVE_POINTS 700u // of a list; a grid has 37 x 3 x 3 of them

// Tests: a few points and sources of every class, against the reference.

// Sources from 1e5 wavelengths away to the middle of the points, whose box is 2 by 1 by 1; at
// numbers of 12 bits, so that sums of two are exact in f32. Some are so short that only the class
// WIDE is right.
PADICI_FN void padici_test_wave_source(uint32_t i, float at[3], float *number, float *turns)
{
    static const float far_[6] = {65536, 2048, 256, 32, 6, 0.25f};
    const float reach = far_[i % 6];
    at[0] = reach * (1 + (float)(i % 5) / 8) + (reach < 1 ? 1.015625f : 0);
    at[1] = reach * ((float)(i % 7) / 4 - 1);
    at[2] = reach * ((float)(i % 3) / 2 - 0.375f) + (reach < 1 ? 0.5f : 0);
    *number = (i % 4 == 3 ? -1.0f : 1.0f) * (0.5f + (float)(i % 11) / 16);
    if (i % 12 == 4) *number *= 32;
    *turns = (float)(i % 13) / 16 - 0.375f;
}

#define PADICI_TEST_WAVE_GROUP 40u // sources of the first of two frequencies

PADICI_FN uint32_t padici_test_wave_each(const padici_gpu_case *c)
{
    const uint32_t mode = padici_gpu_define(c, "PD_WAVE_MODE", 0);
    return padici_gpu_define(c, "PD_WAVE_POINTS", mode == PADICI_WAVE_SLOPE ? 2 : 8);
}

// Tiles of the test's grid; for each axis the work-items.
PADICI_FN void padici_test_wave_tiles(uint32_t items, uint32_t each, uint32_t log[3],
                                      uint32_t count[3], uint32_t tiles[3])
{
    uint32_t i;
    log[0] = each == 2 ? 3 : 1;
    log[1] = 1;
    log[2] = (items == 128 ? 6u : items == 64 ? 5u : 4u) - log[0];
    count[0] = 37;
    count[1] = count[2] = 3;
    for (i = 0; i < 3; i++) {
        const uint32_t wide = (i ? 1u : each) << log[i];
        tiles[i] = (count[i] + wide - 1) / wide;
    }
}

// The point (of the test's list or grid) that work-item `item` has as its p-th, or none: ~0.
PADICI_FN uint32_t padici_test_wave_point(uint32_t listed, uint32_t items, uint32_t each,
                                          uint32_t tile, uint32_t item, uint32_t p, uint32_t n)
{
    uint32_t log[3], count[3], tiles[3], at[3], i;
    if (listed) {
        i = tile * items * each + p * items + item;
        return i < n ? i : ~0u;
    }
    padici_test_wave_tiles(items, each, log, count, tiles);
    at[0] = ((tile % tiles[0]) << log[0]) * each + (item & ((1u << log[0]) - 1)) * each + p;
    at[1] = ((tile / tiles[0] % tiles[1]) << log[1]) + (item >> log[0] & ((1u << log[1]) - 1));
    at[2] = ((tile / tiles[0] / tiles[1]) << log[2]) + (item >> (log[0] + log[1]));
    if (at[0] >= count[0] || at[1] >= count[1] || at[2] >= count[2]) return ~0u;
    return at[0] + 37 * at[1] + 111 * at[2];
}

// Answers of modes 0, 1 and 2 from the reference, `n` points; `answer` is that of `out`, `slopes`
// of the gradient.
PADICI_FN PADICI_NOINLINE padic_result padici_test_wave_answer(padici_gpu_case *c,
                                                               padic_wave_superpose_desc *desc,
                                                               uint32_t mode, uint32_t tiles,
                                                               float *field)
{
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64);
    const uint32_t each = padici_test_wave_each(c);
    const uint32_t n = (uint32_t)desc->points.shape[0], m = (uint32_t)desc->sources.shape[0];
    float *answer = (float *)padici_gpu_answer(c, 3);
    padic_wave_gradient_desc slopes;
    uint32_t g, i;
    if (!answer) return PADIC_ERROR_MEMORY;
    desc->out = padic_tensor_1d(PADIC_C64, answer, n);
    if (mode == PADICI_WAVE_PLAIN) return padici_wave_superpose_host(NULL, desc);
    if (mode == PADICI_WAVE_SLOPE) {
        memset(&slopes, 0, sizeof slopes);
        slopes.field = *desc;
        slopes.out = padic_tensor_2d(PADIC_C64, padici_gpu_answer(c, 6), n,
                                     desc->kernel == PADIC_WAVE_GREEN1 ? 1 : 3);
        return slopes.out.data ? padici_wave_gradient_host(NULL, &slopes) : PADIC_ERROR_MEMORY;
    }
    desc->out.data = field;
    for (g = 0; g < 2; g++) {
        padic_wave_superpose_desc part = *desc;
        const uint32_t first = g ? PADICI_TEST_WAVE_GROUP : 0, end = g ? m : PADICI_TEST_WAVE_GROUP;
        padic_tensor *of[5];
        padic_result result;
        of[0] = &part.sources;
        of[1] = &part.wavenumber;
        of[2] = &part.phase;
        of[3] = &part.amplitude;
        of[4] = &part.absorption;
        for (i = 0; i < 5; i++) {
            if (of[i]->dtype == PADIC_DTYPE_NONE) continue;
            of[i]->data = (char *)of[i]->data + (i ? 8u : 24u) * first;
            of[i]->shape[0] = end - first;
        }
        result = padici_wave_superpose_host(NULL, &part);
        if (result) return result;
        for (i = 0; i < tiles * each * items; i++) {
            const uint32_t tile = i / (each * items), p = i / items % each, item = i % items;
            const uint32_t at = padici_test_wave_point(listed, items, each, tile, item, p, n);
            float *to = answer + ((tile * 2 + g) * 2 * each + p) * items + item;
            to[0] = at == ~0u ? 0 : field[2 * at];
            to[each * items] = at == ~0u ? 0 : field[2 * at + 1];
        }
    }
    return PADIC_OK;
}

// Records of the sources, and what they are made of for the reference, tensors of m each:
// positions, wavenumbers, phases, amplitudes, absorptions. Returns the sum of the amplitudes.
PADICI_FN double padici_test_wave_records(uint32_t mode, uint32_t kernel, uint32_t absorb,
                                          double *space, float *record)
{
    const uint32_t m = PADICI_TEST_WAVE_SOURCES;
    double most = 0;
    uint32_t i, j;
    for (i = 0; i < m; i++) {
        float at[3], number, turns, a = 1 + (float)(i % 3);
        padici_test_wave_source(i, at, &number, &turns);
        if (kernel == PADIC_WAVE_GREEN1) at[1] = at[2] = 0;
        if (kernel == PADIC_WAVE_GREEN2) at[2] = 0;
        // Slopes are not tried where they grow without end.
        if (mode == PADICI_WAVE_SLOPE && i % 6 == 5 && kernel != PADIC_WAVE_GREEN1) at[2] += 1;
        for (j = 0; j < 3; j++) {
            space[3 * i + j] = (double)at[j];
            record[2 * j * m + i] = at[j];
            record[(2 * j + 1) * m + i] = 0;
        }
        space[3 * m + i] = (double)number * PADICI_TWO_PI;
        space[4 * m + i] = (double)turns * PADICI_TWO_PI;
        space[5 * m + i] = (double)a;
        space[6 * m + i] = (double)(record[11 * m + i] = absorb ? 0.125f / (float)(1 + i % 3) : 0);
        most += (double)a;
        if (kernel == PADIC_WAVE_GREEN3) a = (float)((double)a / (2 * PADICI_TWO_PI));
        if (kernel == PADIC_WAVE_GREEN2) a /= 4, turns += number < 0 ? -0.25f : 0.25f;
        if (kernel == PADIC_WAVE_GREEN1)
            a = (float)((double)a / (2 * space[3 * m + i])), turns += 0.25f;
        record[6 * m + i] = number;
        record[7 * m + i] = record[9 * m + i] = record[12 * m + i] = 0;
        record[8 * m + i] = turns;
        record[10 * m + i] = a;
    }
    return most;
}

// The points of a list, of which a grid has the first ones.
PADICI_FN void padici_test_wave_points(uint32_t kernel, uint32_t n, float *points)
{
    uint32_t i;
    for (i = 0; i < n; i++) { // a tenth of the box for the list's first tile, all of it for others
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = kernel == PADIC_WAVE_GREEN1 ? 0 : (float)(i / 37 % 3) / 32;
        points[3 * i + 2] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2
                                ? 0
                                : 0.5f + (float)(i / 111) / 16;
    }
}

// The tensors of the reference.
PADICI_FN void padici_test_wave_tensors(padic_wave_superpose_desc *desc, double *space,
                                        float *points, uint32_t n, uint32_t absorb)
{
    const uint32_t m = PADICI_TEST_WAVE_SOURCES;
    desc->sources = padic_tensor_2d(PADIC_F64, space, m, 3);
    desc->points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc->wavenumber = padic_tensor_1d(PADIC_F64, space + 3 * m, m);
    desc->phase = padic_tensor_1d(PADIC_F64, space + 4 * m, m);
    desc->amplitude = padic_tensor_1d(PADIC_F64, space + 5 * m, m);
    if (absorb) desc->absorption = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
}

// The grid of the test.
PADICI_FN void padici_test_wave_grid(padici_gpu_wave *w, uint32_t kernel, uint32_t each)
{
    static const float step[3] = {0.03125f, 0.03125f, 0.0625f};
    uint32_t i;
    padici_test_wave_tiles(w->items, each, w->k.log, w->k.count, w->k.tiles);
    w->k.origin[0] = 1;
    w->k.origin[4] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : 0.5f;
    w->k.step[0] = step[0];
    w->k.step[8] = kernel == PADIC_WAVE_GREEN1 ? 0 : step[1];
    w->k.step[16] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : step[2];
    w->k.radius = 1.1f;
    w->k.out_step[0] = 1;
    w->k.out_step[1] = 37;
    w->k.out_step[2] = 111;
    for (i = 0; i < 3; i++) w->k.slope_step[i] = w->k.components * w->k.out_step[i];
}

// Params; points are a list, or the grid.
PADICI_FN void padici_test_wave_params(padici_gpu_wave *w, uint32_t mode, uint32_t kernel,
                                       uint32_t listed, uint32_t n, uint32_t each)
{
    w->k.share = 1;
    w->k.groups = 2;
    w->k.components = kernel == PADIC_WAVE_GREEN1 ? 1 : 3;
    w->k.slope_axis = 1;
    w->k.points = n;
    w->k.sources = PADICI_TEST_WAVE_SOURCES;
    w->k.tolerance = 2e-6f;
    w->k.length = 0.0625f;
    padici_gpu_wave_tone(w);
    if (mode == PADICI_WAVE_SLOPE) w->k.output |= 1024u;
    if (!listed) {
        padici_test_wave_grid(w, kernel, each);
        return;
    }
    w->k.list_step = 3;
    w->k.list_axis = 1;
    w->k.list_dimensions = 3;
    w->k.out_step[0] = 1;
    w->k.slope_step[0] = w->k.components;
}

// What tiles report.
PADICI_FN padic_result padici_test_wave_told(padici_gpu_case *c, uint32_t tiles)
{
    float *answer;
    uint32_t i;
    if (!padici_gpu_image(c, 5, 16 * tiles)) return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 5);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < tiles; i++) {
        answer[4 * i] = 0; // a count, 0 to the bound
        answer[4 * i + 1] = 1e-6f;
        answer[4 * i + 2] = FLT_MAX;
        answer[4 * i + 3] = -FLT_MAX;
    }
    c->buffers[5].dtype = PADIC_F32;
    c->buffers[5].bound = 1.2e-6; // what a tile reports is below the tolerance
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_wave_field(padici_gpu_case *c)
{
    const uint32_t mode = padici_gpu_define(c, "PD_WAVE_MODE", 0);
    const uint32_t each = padici_test_wave_each(c);
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), m = PADICI_TEST_WAVE_SOURCES;
    const uint32_t absorb = padici_gpu_define(c, "PD_WAVE_ABSORB", 0);
    const uint32_t n = listed ? PADICI_TEST_WAVE_POINTS : 333;
    // Room for the reference.
    double *space = (double *)(void *)padici_gpu_image(c, 7, 8 * 8 * m + 8 * (uint64_t)n);
    uint32_t log[3] = {0, 0, 0}, counts[3] = {0, 0, 0}, axes[3] = {0, 0, 0}, *ends;
    float *points = (float *)padici_gpu_image(c, 0, 12 * n);
    float *record = (float *)padici_gpu_image(c, 1, PADICI_WAVE_RECORD * m);
    padic_wave_superpose_desc desc;
    padici_gpu_wave w;
    double most = 0;
    uint32_t tiles;
    ends = (uint32_t *)padici_gpu_image(c, 2, 12);
    padici_test_wave_tiles(items, each, log, counts, axes);
    tiles = listed ? (n + each * items - 1) / (each * items) : axes[0] * axes[1] * axes[2];
    if (!space || !points || !record || !ends || !padici_gpu_image(c, 4, 4) ||
        !padici_gpu_image(c, 3, mode == PADICI_WAVE_FRAMES ? 16 * each * items * tiles : 8 * n) ||
        !padici_gpu_image(c, 6, mode == PADICI_WAVE_SLOPE ? 24 * n : 4))
        return PADIC_ERROR_MEMORY;
    ends[0] = PADICI_TEST_WAVE_GROUP;
    ends[1] = m;
    ends[2] = 2;
    memset(&desc, 0, sizeof desc);
    memset(&w, 0, sizeof w);
    desc.kernel = (padic_wave_kernel)kernel;
    desc.softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    desc.length = 0.0625;
    most = padici_test_wave_records(mode, kernel, absorb, space, record);
    padici_test_wave_points(kernel, n, points);
    padici_test_wave_tensors(&desc, space, points, n, absorb);
    if (padici_test_wave_answer(c, &desc, mode, tiles, (float *)(space + 8 * m)))
        return PADIC_ERROR_MEMORY;
    c->buffers[3].dtype = PADIC_F32;
    c->buffers[3].bound = 2e-5 * most * (kernel == PADIC_WAVE_GREEN1 ? 0.2 : 1) *
                          (desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    c->buffers[6].dtype = PADIC_F32; // k is up to 2 pi 38, for one source in 12
    c->buffers[6].bound = 8 * c->buffers[3].bound;
    w.desc = &desc;
    w.items = items;
    padici_test_wave_params(&w, mode, kernel, listed, n, each);
    memcpy(&c->params, &w.k, sizeof w.k);
    c->groups[0] = tiles;
    if (mode == PADICI_WAVE_FRAMES) {
        c->groups[1] = 2;
        tiles *= 2;
    }
    return padici_test_wave_told(c, tiles);
}

// Points among the sources, a few of them next to one.
PADICI_FN void padici_test_wave_near(uint32_t kernel, uint32_t n, const float *at, float *points)
{
    uint32_t i, j;
    for (i = 0; i < n; i++) {
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = kernel == PADIC_WAVE_GREEN1 ? 0 : (float)(i / 37 % 3) / 32;
        points[3 * i + 2] =
            kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : (float)(i / 111) / 16;
        if (i % 29 == 5 && kernel != PADIC_WAVE_GREEN1) // next to a source
            for (j = 0; j < 3; j++) points[3 * i + j] = at[3 * 5 + j] + (j ? 0 : 0.0009765625f);
    }
}

// Params: m sources in tensors one after the other, n points listed, 4 items a point.
PADICI_FN void padici_test_wave_listed(padici_k_wave_sources_params *k, uint32_t m, uint32_t n,
                                       uint32_t absorb)
{
    memset(k, 0, sizeof *k);
    k->count = m;
    k->dimensions = 3;
    k->present = 1 | 2 | 4 | 8 | (absorb ? 32u : 0u);
    k->step[0] = 3;
    k->step[1] = k->step[2] = k->step[3] = k->step[5] = k->step_axis = 1;
    k->speed_hi = k->inverse_hi = 1;
    k->points = n;
    k->split = 2;
    k->list_step = 3;
    k->list_axis = 1;
    k->list_dimensions = 3;
    k->out_step = 1;
    k->output = 2048;
    k->tolerance = 2e-6f;
    k->length = 0.0625f;
}

// As padici_test_wave_field(), from tensors; the phase of a far pair is right in two words only.
PADICI_FN padic_result padici_test_wave_small(padici_gpu_case *c)
{
    const uint32_t m = 137, n = PADICI_TEST_WAVE_SMALL, groups = (n + 63) / 64; // two blocks
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    const uint32_t absorb = padici_gpu_define(c, "PD_WAVE_ABSORB", 0);
    float *points = (float *)padici_gpu_image(c, 0, 12 * n);
    float *at = (float *)padici_gpu_image(c, 1, 12 * m);
    float *a = (float *)padici_gpu_image(c, 2, 4 * m);
    float *phase = (float *)padici_gpu_image(c, 3, 4 * m), *rate;
    float *fades = (float *)padici_gpu_image(c, 5, 4 * m), *answer, *told;
    const uint32_t zero[4] = {0, 0, 0, 0};
    padic_wave_superpose_desc desc;
    padici_k_wave_sources_params k;
    double most = 0;
    uint32_t i;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_PLAIN ||
        !padici_gpu_define(c, "PD_WAVE_LISTED", 0))
        return PADIC_ERROR_NOT_SUPPORTED;
    rate = (float *)padici_gpu_image(c, 4, 4 * m);
    if (!points || !at || !a || !phase || !rate || !fades || !padici_gpu_image(c, 6, 8 * n) ||
        !padici_gpu_image(c, 7, 16 * groups))
        return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 6);
    told = (float *)padici_gpu_answer(c, 7);
    if (!answer || !told) return PADIC_ERROR_MEMORY;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < m; i++) {
        float number, turns;
        padici_test_wave_source(i, at + 3 * i, &number, &turns);
        if (kernel == PADIC_WAVE_GREEN1) at[3 * i + 1] = at[3 * i + 2] = 0;
        if (kernel == PADIC_WAVE_GREEN2) at[3 * i + 2] = 0;
        a[i] = (float)(1 + i % 3);
        rate[i] = (float)((double)number * PADICI_TWO_PI);
        phase[i] = (float)((double)turns * PADICI_TWO_PI);
        fades[i] = 0.125f / (float)(1 + i % 3);
        most += (double)a[i];
    }
    padici_test_wave_near(kernel, n, at, points);
    desc.kernel = (padic_wave_kernel)kernel;
    desc.softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    desc.length = 0.0625;
    desc.sources = padic_tensor_2d(PADIC_F32, at, m, 3);
    desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F32, rate, m);
    desc.phase = padic_tensor_1d(PADIC_F32, phase, m);
    desc.amplitude = padic_tensor_1d(PADIC_F32, a, m);
    if (absorb) desc.absorption = padic_tensor_1d(PADIC_F32, fades, m);
    desc.out = padic_tensor_1d(PADIC_C64, answer, n);
    if (padici_wave_superpose_host(NULL, &desc)) return PADIC_ERROR_MEMORY;
    padici_test_wave_listed(&k, m, n, absorb);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = groups;
    c->buffers[6].dtype = PADIC_F32;
    c->buffers[6].bound = 2e-5 * (most + 1024 * 3) * (desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    c->buffers[7].dtype = PADIC_F32;
    c->buffers[7].bound = 1.2e-6;
    memcpy(told, zero, sizeof zero);
    for (i = 0; i < 4 * groups; i++) told[i] = i % 4 == 1 ? 1e-6f : 0;
    return PADIC_OK;
}

// f64 positions and phases, f32 wavenumbers from the last one on, one amplitude for all.
PADICI_FN void padici_test_wave_given(padici_k_wave_sources_params *k, uint32_t n)
{
    memset(k, 0, sizeof *k);
    k->count = n;
    k->dimensions = 3;
    k->present = 1 | 2 | 4 | 8; // frequency c k, no absorption
    k->wide = 1 | 4;
    k->base[3] = n - 1;
    k->step[0] = 6;
    k->step_axis = 2;
    k->step[2] = 2;
    k->step[3] = 0u - 1u;
    k->time_hi = -3;
    k->speed_hi = 0.5f;
    k->inverse_hi = 2;
}

// Two words of everything; f64 and f32 inputs, one number for all, a step backwards.
PADICI_FN padic_result padici_test_wave_sources(padici_gpu_case *c)
{
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0), n = 203;
    padici_k_wave_sources_params k;
    double *at = (double *)(void *)padici_gpu_image(c, 0, 24 * n), *phase;
    float *a = (float *)padici_gpu_image(c, 1, 4), *number = (float *)padici_gpu_image(c, 3, 4 * n);
    const int mixed = padici_gpu_define(c, "PD_WAVE_MODE", 0) == PADICI_WAVE_FRAMES;
    float *record;
    uint32_t i, j, *order;
    phase = (double *)(void *)padici_gpu_image(c, 2, 8 * n);
    if (!at || !a || !number || !phase) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 4, 4) || !padici_gpu_image(c, 5, 4)) return PADIC_ERROR_MEMORY;
    order = (uint32_t *)padici_gpu_image(c, 6, 4 * n);
    if (!order || !padici_gpu_image(c, 7, PADICI_WAVE_RECORD * n)) return PADIC_ERROR_MEMORY;
    record = (float *)padici_gpu_answer(c, 7);
    if (!record) return PADIC_ERROR_MEMORY;
    padici_test_wave_given(&k, n);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    a[0] = 1.5f;
    for (i = 0; i < n; i++) {
        const uint32_t to = mixed ? (i * 5 + 3) % n : i; // 5 and 203 have no common factor
        const double own = 0.25 + (double)i / 64;
        double turns;
        float two[2];
        order[to] = i;
        for (j = 0; j < 3; j++) {
            at[3 * i + j] = (j == 1 ? -1 : 1) * (0.1 + (double)i / 3 + j);
            padici_gpu_wave_two(at[3 * i + j], two);
            record[2 * j * n + to] = two[0];
            record[(2 * j + 1) * n + to] = two[1];
        }
        phase[i] = 0.3 * i - 30;
        number[n - 1 - i] = (float)own;
        turns = phase[i] / PADICI_TWO_PI - 1.5 * own; // t = 6 pi
        padici_gpu_wave_two(own / PADICI_TWO_PI, two);
        record[6 * n + to] = two[0];
        record[7 * n + to] = two[1];
        record[10 * n + to] = 1.5f;
        if (kernel == PADIC_WAVE_GREEN3) record[10 * n + to] = (float)(0.75 / PADICI_TWO_PI);
        if (kernel == PADIC_WAVE_GREEN2) record[10 * n + to] = 0.375f;
        if (kernel == PADIC_WAVE_GREEN1) record[10 * n + to] = (float)(0.75 / own);
        if (kernel == PADIC_WAVE_GREEN2 || kernel == PADIC_WAVE_GREEN1) turns += 0.25;
        turns -= floor(turns + 0.5);
        padici_gpu_wave_two(turns, two);
        record[8 * n + to] = two[0];
        record[9 * n + to] = two[1];
        record[11 * n + to] = record[12 * n + to] = 0;
    }
    c->buffers[7].dtype = PADIC_F32; // second words are some 1e-9; amplitudes of two are divided
    c->buffers[7].bound = kernel == PADIC_WAVE_GREEN3 || kernel == PADIC_WAVE_GREEN1 ? 1e-6 : 1e-11;
    return PADIC_OK;
}

#undef PADICI_TEST_WAVE_POINTS
#undef PADICI_TEST_WAVE_GROUP

#endif
