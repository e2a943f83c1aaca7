#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/gradient.h"
#include "../../wave/source.h"
#include "../../wave/superpose.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "plan.h"
#include "warm.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests: a few points and sources of every class, against the reference.

#define PADICI_TEST_WAVE_POINTS 700u // of a list; a grid has 37 x 3 x 3 of them
#define PADICI_TEST_WAVE_GROUP 40u   // sources of the first of two frequencies
#define PADICI_TEST_WAVE_ORDER 203u  // sources that are put in order
#define PADICI_TEST_WAVE_TENSORS 137u // sources in tensors: two blocks

// What the defines of a variant say, and what its kernels get.
typedef struct padici_test_wave {
    uint32_t mode, kernel, listed, items, each, absorb;
    padic_wave_superpose_desc desc;
    double *space; // of m sources, one after the other: positions, wavenumbers, phases, amplitudes,
                   // absorptions
    double most;   // the sum of the amplitudes
} padici_test_wave;

static void padici_test_wave_begin(const padici_gpu_case *c, padici_test_wave *x)
{
    memset(x, 0, sizeof *x);
    x->mode = padici_gpu_define(c, "PD_WAVE_MODE", PADICI_WAVE_PLAIN);
    x->kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    x->listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    x->items = padici_gpu_define(c, "PD_WAVE_WG", 64);
    x->each = padici_gpu_define(c, "PD_WAVE_POINTS", x->mode == PADICI_WAVE_SLOPE ? 2 : 8);
    x->absorb = padici_gpu_define(c, "PD_WAVE_ABSORB", 0);
    x->desc.kernel = (padic_wave_kernel)x->kernel;
    x->desc.softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    x->desc.length = 0.0625;
}

// Sources from 1e5 wavelengths away to the middle of the points, whose box is 2 by 1 by 1; at
// numbers of 12 bits, so that sums of two are exact in f32. Some are so short that only the class
// WIDE is right.
static void padici_test_wave_source(uint32_t i, float at[3], float *number, float *turns)
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

// Tiles of the test's grid; for each axis the work-items.
static void padici_test_wave_tiles(uint32_t items, uint32_t each, uint32_t log[3],
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
static uint32_t padici_test_wave_point(const padici_test_wave *x, uint32_t tile, uint32_t item,
                                       uint32_t p, uint32_t n)
{
    uint32_t log[3], count[3], tiles[3], at[3], i;
    if (x->listed) {
        i = (tile * x->each + p) * x->items + item;
        return i < n ? i : ~0u;
    }
    padici_test_wave_tiles(x->items, x->each, log, count, tiles);
    at[0] = (((tile % tiles[0]) << log[0]) + (item & ((1u << log[0]) - 1))) * x->each + p;
    at[1] = ((tile / tiles[0] % tiles[1]) << log[1]) + (item >> log[0] & ((1u << log[1]) - 1));
    at[2] = ((tile / tiles[0] / tiles[1]) << log[2]) + (item >> (log[0] + log[1]));
    if (at[0] >= count[0] || at[1] >= count[1] || at[2] >= count[2]) return ~0u;
    return at[0] + 37 * at[1] + 111 * at[2];
}

// Sources, m tensors of each of their numbers, and the desc's tensors of them. Slopes are not tried
// where they grow without end.
static void padici_test_wave_sources_of(padici_gpu_case *c, padici_test_wave *x, uint32_t m)
{
    double *space = (double *)padici_gpu_space(c, 8 * 7 * m);
    uint32_t i, j;
    x->space = space;
    for (i = 0; i < m && !c->failed; i++) {
        float at[3], number, turns;
        padici_test_wave_source(i, at, &number, &turns);
        if (x->kernel == PADIC_WAVE_GREEN1) at[1] = at[2] = 0;
        if (x->kernel == PADIC_WAVE_GREEN2) at[2] = 0;
        if (x->mode == PADICI_WAVE_SLOPE && i % 6 == 5 && x->kernel != PADIC_WAVE_GREEN1)
            at[2] += 1;
        for (j = 0; j < 3; j++) space[3 * i + j] = (double)at[j];
        space[3 * m + i] = (double)number * PADICI_TWO_PI;
        space[4 * m + i] = (double)turns * PADICI_TWO_PI;
        space[5 * m + i] = 1 + i % 3;
        space[6 * m + i] = x->absorb ? (double)(0.125f / (float)(1 + i % 3)) : 0;
        x->most += space[5 * m + i];
    }
    x->desc.sources = padic_tensor_2d(PADIC_F64, space, m, 3);
    x->desc.wavenumber = padic_tensor_1d(PADIC_F64, space + 3 * m, m);
    x->desc.phase = padic_tensor_1d(PADIC_F64, space + 4 * m, m);
    x->desc.amplitude = padic_tensor_1d(PADIC_F64, space + 5 * m, m);
    if (x->absorb) x->desc.absorption = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
}

// The record of source i of m, as the kernel of sources makes it: two words each of a position, of
// wavenumber and phase in turns, then amplitude and absorption.
static void padici_test_wave_record(float *record, uint32_t m, uint32_t i, uint32_t kernel,
                                    const double at[3], double number, double turns, double a,
                                    double absorption)
{
    float words[13];
    uint32_t j;
    if (kernel == PADIC_WAVE_GREEN3) a /= 2 * PADICI_TWO_PI;
    if (kernel == PADIC_WAVE_GREEN2) a /= 4, turns += number < 0 ? -0.25 : 0.25;
    if (kernel == PADIC_WAVE_GREEN1) a /= 2 * number * PADICI_TWO_PI, turns += 0.25;
    for (j = 0; j < 3; j++) padici_gpu_wave_two(at[j], words + 2 * j);
    padici_gpu_wave_two(number, words + 6);
    padici_gpu_wave_two(turns - floor(turns + 0.5), words + 8);
    words[10] = (float)a;
    words[11] = (float)absorption;
    words[12] = 0;
    for (j = 0; j < 13; j++) record[j * m + i] = words[j];
}

// The points of a list, of which a grid has the first ones: a tenth of the box for the list's first
// tile, all of it for others. near: some are next to this source.
static void padici_test_wave_points(padici_test_wave *x, uint32_t n, float z, const double *near_,
                                    float *points)
{
    const int plane = x->kernel == PADIC_WAVE_GREEN1 || x->kernel == PADIC_WAVE_GREEN2;
    uint32_t i, j;
    for (i = 0; i < n; i++) {
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = x->kernel == PADIC_WAVE_GREEN1 ? 0 : (float)(i / 37 % 3) / 32;
        points[3 * i + 2] = plane ? 0 : z + (float)(i / 111) / 16;
        for (j = 0; j < 3 && near_ && i % 29 == 5 && x->kernel != PADIC_WAVE_GREEN1; j++)
            points[3 * i + j] = (float)near_[j] + (j ? 0 : 0.0009765625f);
    }
    x->desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
}

// What tiles report: a count and an error below the tolerance, no least and greatest.
static void padici_test_wave_told(padici_gpu_case *c, uint32_t buffer, uint32_t tiles, int range)
{
    float *answer = (float *)padici_gpu_make(c, buffer, PADICI_FILL_BYTES | PADICI_FILL_OUT,
                                             PADIC_F32, 4 * (uint64_t)tiles, 1.2e-6);
    uint32_t i;
    for (i = 0; i < 4 * tiles; i++)
        answer[i] = i % 4 == 1 ? 1e-6f : !range ? 0 : i % 4 == 2 ? FLT_MAX : i % 4 ? -FLT_MAX : 0;
}

// The sums of each of two frequencies, tile by tile.
static padic_result padici_test_wave_parts(padici_gpu_case *c, padici_test_wave *x, uint32_t tiles,
                                           uint32_t n, float *answer)
{
    const uint32_t m = PADICI_TEST_WAVE_SOURCES, wide = x->each * x->items;
    float *field = (float *)padici_gpu_space(c, 8 * n);
    uint32_t g, i;
    for (g = 0; g < 2; g++) {
        padic_wave_superpose_desc part = x->desc;
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
        part.out = padic_tensor_1d(PADIC_C64, field, n);
        result = padici_wave_superpose_host(NULL, &part);
        if (result) return result;
        for (i = 0; i < tiles * wide; i++) {
            const uint32_t tile = i / wide, p = i / x->items % x->each, item = i % x->items;
            const uint32_t at = padici_test_wave_point(x, tile, item, p, n);
            float *to = answer + ((tile * 2 + g) * 2 * x->each + p) * x->items + item;
            to[0] = at == ~0u ? 0 : field[2 * at];
            to[wide] = at == ~0u ? 0 : field[2 * at + 1];
        }
    }
    return PADIC_OK;
}

// Answers of all modes from the reference, `n` points.
static PADICI_NOINLINE padic_result padici_test_wave_answer(padici_gpu_case *c, padici_test_wave *x,
                                                            uint32_t tiles, uint32_t n)
{
    const double bound = 2e-5 * x->most * (x->kernel == PADIC_WAVE_GREEN1 ? 0.2 : 1) *
                         (x->desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    const uint32_t out = PADICI_FILL_BYTES | PADICI_FILL_OUT;
    padic_wave_gradient_desc slopes;
    if (x->mode == PADICI_WAVE_FRAMES) {
        float *answer = (float *)padici_gpu_make(
            c, 3, out, PADIC_F32, 4 * (uint64_t)x->each * x->items * tiles, bound);
        return c->failed ? PADIC_ERROR_SELF_TEST : padici_test_wave_parts(c, x, tiles, n, answer);
    }
    x->desc.out = padic_tensor_1d(PADIC_C64, padici_gpu_make(c, 3, out, PADIC_C64, n, bound), n);
    if (x->mode == PADICI_WAVE_PLAIN) return padici_wave_superpose_host(NULL, &x->desc);
    memset(&slopes, 0, sizeof slopes); // k is up to 2 pi 38, for one source in 12
    slopes.field = x->desc;
    slopes.out = padic_tensor_2d(PADIC_C64, padici_gpu_make(c, 6, out, PADIC_C64, 3 * n, 8 * bound),
                                 n, x->kernel == PADIC_WAVE_GREEN1 ? 1 : 3);
    return padici_wave_gradient_host(NULL, &slopes);
}

// The grid of the test.
static void padici_test_wave_grid(padici_gpu_wave *w, uint32_t kernel, uint32_t each)
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
static void padici_test_wave_params(const padici_test_wave *x, padici_gpu_wave *w, uint32_t n)
{
    memset(w, 0, sizeof *w);
    w->desc = &x->desc;
    w->items = x->items;
    w->k.share = 1;
    w->k.groups = 2;
    w->k.components = x->kernel == PADIC_WAVE_GREEN1 ? 1 : 3;
    w->k.slope_axis = 1;
    w->k.points = n;
    w->k.sources = PADICI_TEST_WAVE_SOURCES;
    w->k.tolerance = 2e-6f;
    w->k.length = 0.0625f;
    padici_gpu_wave_tone(w);
    if (x->mode == PADICI_WAVE_SLOPE) w->k.output |= 1024u;
    if (!x->listed) {
        padici_test_wave_grid(w, x->kernel, x->each);
        return;
    }
    w->k.list_step = 3;
    w->k.list_axis = 1;
    w->k.list_dimensions = 3;
    w->k.out_step[0] = 1;
    w->k.slope_step[0] = w->k.components;
}

static padic_result padici_test_wave_field(padici_gpu_case *c)
{
    const uint32_t m = PADICI_TEST_WAVE_SOURCES;
    uint32_t log[3] = {0, 0, 0}, counts[3] = {0, 0, 0}, axes[3] = {0, 0, 0}, i, n, tiles;
    uint32_t *ends = PADICI_TEST_IMAGE(uint32_t, 2);
    padici_test_wave x;
    padici_gpu_wave w;
    padic_result result;
    padici_test_wave_begin(c, &x);
    n = x.listed ? PADICI_TEST_WAVE_POINTS : 333;
    padici_test_wave_tiles(x.items, x.each, log, counts, axes);
    tiles = axes[0] * axes[1] * axes[2];
    if (x.listed) tiles = (n + x.each * x.items - 1) / (x.each * x.items);
    ends[0] = PADICI_TEST_WAVE_GROUP;
    ends[1] = m;
    ends[2] = 2;
    padici_test_wave_sources_of(c, &x, m);
    padici_test_wave_points(&x, n, 0.5f, NULL, (float *)padici_gpu_image(c, 0, 12 * n));
    for (i = 0; i < m && !c->failed; i++)
        padici_test_wave_record(PADICI_TEST_IMAGE(float, 1), m, i, x.kernel, x.space + 3 * i,
                                x.space[3 * m + i] / PADICI_TWO_PI,
                                x.space[4 * m + i] / PADICI_TWO_PI, x.space[5 * m + i],
                                x.space[6 * m + i]);
    result = padici_test_wave_answer(c, &x, tiles, n);
    padici_test_wave_params(&x, &w, n);
    memcpy(&c->params, &w.k, sizeof w.k);
    c->groups[0] = tiles;
    c->groups[1] = x.mode == PADICI_WAVE_FRAMES ? 2 : 1;
    padici_test_wave_told(c, 5, tiles * c->groups[1], 1);
    return result;
}

// Params: m sources in tensors one after the other, n points listed, 4 items a point.
static void padici_test_wave_listed(padici_k_wave_sources_params *k, uint32_t m, uint32_t n,
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

// A tensor of m numbers of F32 in buffer i, with what a tensor of F64 holds.
static void padici_test_wave_single(padici_gpu_case *c, uint32_t i, padic_tensor *t)
{
    const uint64_t count = padic_tensor_count(t);
    const double *from = (const double *)t->data;
    float *to = (float *)padici_gpu_image(c, i, 4 * count);
    uint64_t e;
    for (e = 0; e < count; e++) to[e] = (float)from[e];
    t->data = to;
    t->dtype = PADIC_F32;
}

// As padici_test_wave_field(), from tensors; the phase of a far pair is right in two words only.
static padic_result padici_test_wave_small(padici_gpu_case *c)
{
    const uint32_t m = PADICI_TEST_WAVE_TENSORS, n = PADICI_TEST_WAVE_SMALL;
    padici_test_wave x;
    padici_k_wave_sources_params k;
    padici_test_wave_begin(c, &x);
    if (x.mode != PADICI_WAVE_PLAIN || !x.listed) return PADIC_ERROR_NOT_SUPPORTED;
    padici_test_wave_listed(&k, m, n, x.absorb);
    memcpy(&c->params, &k, sizeof k);
    padici_test_wave_sources_of(c, &x, m);
    padici_test_wave_points(&x, n, 0, x.space + 3 * 5, PADICI_TEST_IMAGE(float, 0));
    padici_test_wave_single(c, 1, &x.desc.sources);
    padici_test_wave_single(c, 2, &x.desc.amplitude);
    padici_test_wave_single(c, 3, &x.desc.phase);
    padici_test_wave_single(c, 4, &x.desc.wavenumber);
    if (x.absorb) padici_test_wave_single(c, 5, &x.desc.absorption);
    x.desc.out = padic_tensor_1d(PADIC_C64, c->buffers[6].answer, n);
    c->buffers[6].bound =
        2e-5 * (x.most + 1024 * 3) * (x.desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    c->groups[0] = (n + 63) / 64;
    padici_test_wave_told(c, 7, c->groups[0], 0);
    return padici_wave_superpose_host(NULL, &x.desc);
}

// f64 positions and phases, f32 wavenumbers from the last one on, one amplitude for all.
static void padici_test_wave_given(padici_k_wave_sources_params *k, uint32_t n)
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

// Two words of everything; f64 and f32 inputs, one number for all, a step backwards; in another
// order where there are frames. The time is 6 pi.
static padic_result padici_test_wave_sources(padici_gpu_case *c)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER;
    double *at = PADICI_TEST_IMAGE(double, 0), *phase = PADICI_TEST_IMAGE(double, 2);
    padici_k_wave_sources_params k;
    padici_test_wave x;
    uint32_t i, j;
    padici_test_wave_begin(c, &x);
    padici_test_wave_given(&k, n);
    memcpy(&c->params, &k, sizeof k);
    *PADICI_TEST_IMAGE(float, 1) = 1.5f;
    for (i = 0; i < n; i++) {
        // 5 and 203 have no common factor
        const uint32_t to = x.mode == PADICI_WAVE_FRAMES ? (i * 5 + 3) % n : i;
        const double own = 0.25 + (double)i / 64;
        PADICI_TEST_IMAGE(uint32_t, 6)[to] = i;
        PADICI_TEST_IMAGE(float, 3)[n - 1 - i] = (float)own;
        for (j = 0; j < 3; j++) at[3 * i + j] = (j == 1 ? -1 : 1) * (0.1 + (double)i / 3 + j);
        phase[i] = 0.3 * i - 30;
        padici_test_wave_record(PADICI_TEST_ANSWER(float, 7), n, to, x.kernel, at + 3 * i,
                                own / PADICI_TWO_PI, phase[i] / PADICI_TWO_PI - 1.5 * own, 1.5, 0);
    }
    // second words are some 1e-9; amplitudes of two kernels are divided
    if (x.kernel == PADIC_WAVE_GREEN3 || x.kernel == PADIC_WAVE_GREEN1) c->buffers[7].bound = 1e-6;
    return PADIC_OK;
}

// Params but for tiles; numbers of frames lie one after the other.
static void padici_test_wave_frame_params(padici_k_wave_frame_params *k, uint32_t listed,
                                             uint32_t n, uint32_t groups, uint32_t frames)
{
    k->points = n;
    k->groups = groups;
    k->frames = frames;
    k->each = 4;
    k->factor_step = 2;
    k->factor_axis = 2 * frames;
    k->out_frame = n;
    k->out_step[0] = k->mean_step[0] = 1;
    if (!listed) {
        k->out_step[1] = k->mean_step[1] = 37;
        k->out_step[2] = k->mean_step[2] = 111;
    }
}

// Point `at` of n in all frames, or without factors its mean. wave: the point's, `step` numbers
// from one frequency to the next.
static void padici_test_wave_frame_answer(const float *wave, uint32_t step, uint32_t there,
                                             const float *factors, uint32_t frames, uint32_t at,
                                             uint32_t n, float *answer)
{
    uint32_t f, g;
    for (f = 0; f < (factors ? frames : 1); f++) {
        float re = 0, im = 0, power = 0;
        for (g = 0; g < there; g++) {
            const float x = wave[g * step], y = wave[g * step + step / 2];
            const float *s = factors ? factors + 2 * (g * frames + f) : wave;
            power += x * x + y * y;
            re += s[0] * x - s[1] * y;
            im += s[0] * y + s[1] * x;
        }
        if (!factors) {
            answer[at] = power;
        } else {
            answer[2 * (f * n + at)] = re;
            answer[2 * (f * n + at) + 1] = im;
        }
    }
}

static padic_result padici_test_wave_framed(const padici_gpu_case *c)
{
    const uint32_t mode = padici_gpu_define(c, "PD_WAVE_MODE", PADICI_WAVE_PLAIN);
    return mode == PADICI_WAVE_FRAMES ? PADIC_OK : PADIC_ERROR_NOT_SUPPORTED;
}

// Frames of waves that are small integers, by factors that are, so that sums are exact, at some
// points of the field's test; or without factors their mean.
static padic_result padici_test_wave_frame(padici_gpu_case *c)
{
    const int mean = c->kernel == (PADICI_KERNEL_WAVE_MEAN & 0xffffu);
    const uint32_t frames = 7, out = PADICI_FILL_BYTES | PADICI_FILL_OUT;
    padici_k_wave_frame_params k;
    padici_test_wave x;
    float *waves, *factors = NULL, *answer;
    uint32_t tiles, i, n, groups, there, wide, *ends;
    padici_test_wave_begin(c, &x);
    if (x.mode != PADICI_WAVE_FRAMES) return PADIC_ERROR_NOT_SUPPORTED;
    n = x.listed ? PADICI_TEST_WAVE_POINTS : 333;
    groups = x.items == 128 ? 21 : 37; // what the test's memory holds
    there = groups - 2;                // frequencies, of at most `groups`
    wide = x.each * x.items;
    tiles = x.items == 32 ? 2 : 1;
    memset(&k, 0, sizeof k);
    padici_test_wave_tiles(x.items, x.each, k.log, k.count, k.tiles);
    padici_test_wave_frame_params(&k, x.listed, n, groups, frames);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = tiles;
    c->groups[1] = mean ? 1 : 2;
    waves = (float *)padici_gpu_image(c, 0, 8 * (uint64_t)wide * tiles * groups);
    ends = (uint32_t *)padici_gpu_image(c, mean ? 2 : 6, 4 * groups + 4);
    if (!mean) factors = (float *)padici_gpu_image(c, 1, 8 * frames * groups);
    answer = (float *)padici_gpu_make(c, mean ? 1 : 3, out, mean ? PADIC_F32 : PADIC_C64,
                                      mean ? n : n * frames, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < 2 * wide * tiles * groups; i++) waves[i] = (float)((i * 7 + i / 5) % 9) - 4;
    for (i = 0; i < groups; i++) ends[i] = i + 1;
    ends[groups] = there;
    for (i = 0; factors && i < 2 * frames * groups; i++) factors[i] = (float)(i * 5 % 7) - 3;
    for (i = 0; i < tiles * wide; i++) {
        const uint32_t tile = i / wide, p = i / x.items % x.each, item = i % x.items;
        const uint32_t at = padici_test_wave_point(&x, tile, item, p, n);
        if (at != ~0u)
            padici_test_wave_frame_answer(waves + tile * groups * 2 * wide + p * x.items + item,
                                          2 * wide, there, factors, frames, at, n, answer);
    }
    return PADIC_OK;
}

// f64 frequencies, some the same, two of them zeros; every second is another's.
static double padici_test_wave_rate(uint32_t i)
{
    if (i % 31 == 7) return i & 1 ? -0.0 : 0.0;
    return ((double)(i * 37 % 53) - 26) / 8;
}

// Gives the kernels of an order their frequencies; which source is the first, the second, ...
static padic_result padici_test_wave_rates(padici_gpu_case *c, uint32_t *order)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER;
    padici_k_wave_order_params k;
    uint32_t i, j;
    memset(&k, 0, sizeof k);
    k.count = n;
    k.step = 4;
    k.wide = 1;
    k.scale_hi = 0.5f;
    memcpy(&c->params, &k, sizeof k);
    for (i = 0; i < n; i++) {
        const double own = padici_test_wave_rate(i);
        uint32_t rank = 0;
        for (j = 0; j < n; j++) {
            const double other = padici_test_wave_rate(j);
            rank += other < own || (other == own && j < i);
        }
        PADICI_TEST_IMAGE(double, 0)[2 * i] = own;
        order[rank] = i;
    }
    return padici_test_wave_framed(c);
}

static padic_result padici_test_wave_rank(padici_gpu_case *c)
{
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64);
    c->groups[0] = (PADICI_TEST_WAVE_ORDER + items - 1) / items;
    return padici_test_wave_rates(c, PADICI_TEST_ANSWER(uint32_t, 1));
}

static padic_result padici_test_wave_ends(padici_gpu_case *c)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER, *order = PADICI_TEST_IMAGE(uint32_t, 1);
    uint32_t *ends = PADICI_TEST_ANSWER(uint32_t, 2), i, found = 0;
    float *rates = PADICI_TEST_ANSWER(float, 3);
    const padic_result result = padici_test_wave_rates(c, PADICI_TEST_IMAGE(uint32_t, 1));
    memset(rates, 0, 8 * n);
    for (i = 0; i < n; i++) ends[i] = n;
    for (i = 0; i < n; i++) {
        const double own = padici_test_wave_rate(order[i]);
        if (i && own == padici_test_wave_rate(order[i - 1])) continue;
        if (found) ends[found - 1] = i;
        rates[2 * found++] = (float)(own / 2) + 0.0f;
    }
    ends[n] = found;
    return result;
}

// Factors at times of f64, far away.
static padic_result padici_test_wave_factors(padici_gpu_case *c)
{
    const uint32_t groups = 19, frames = 23;
    double *times = PADICI_TEST_IMAGE(double, 1);
    float *answer = PADICI_TEST_ANSWER(float, 2);
    padici_k_wave_factors_params k;
    uint32_t i;
    memset(&k, 0, sizeof k);
    k.frames = frames;
    k.groups = groups;
    k.step = 2;
    k.wide = 1;
    k.shift_hi = 0.5f;
    k.shift_lo = 9.5367431640625e-7f; // 2^-20
    k.sign = -1;
    memcpy(&c->params, &k, sizeof k);
    for (i = 0; i < frames; i++) times[i] = 0.37 * i - 1000 * (double)(i % 3);
    for (i = 0; i < groups; i++)
        padici_gpu_wave_two(0.1 * i - 0.7, PADICI_TEST_IMAGE(float, 0) + 2 * i);
    for (i = 0; i < frames * groups; i++) {
        const double time = times[i / groups] + 0.5 + 9.5367431640625e-7;
        const double turns = (0.1 * (i % groups) - 0.7) * time;
        answer[2 * i] = (float)cos(PADICI_TWO_PI * turns);
        answer[2 * i + 1] = (float)-sin(PADICI_TWO_PI * turns);
    }
    return padici_test_wave_framed(c);
}

PADICI_FN const padici_gpu_test *padici_tests_wave(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_WAVE_SOURCES, 1, 2, padici_test_wave_sources,
         {PADICI_TEST_IN(BYTES, PADIC_F64, 3 * PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_IN(BYTES, PADIC_F32, 1),
          PADICI_TEST_IN(BYTES, PADIC_F64, PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_IN(BYTES, PADIC_F32, PADICI_TEST_WAVE_ORDER), PADICI_TEST_NONE,
          PADICI_TEST_NONE, PADICI_TEST_IN(BYTES, PADIC_U32, PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_OUT(PADIC_F32, 13 * PADICI_TEST_WAVE_ORDER, 1e-11)}},
        {PADICI_KERNEL_WAVE_SMALL, 1, 0, padici_test_wave_small,
         {PADICI_TEST_IN(BYTES, PADIC_F32, 3 * PADICI_TEST_WAVE_SMALL), PADICI_TEST_NONE,
          PADICI_TEST_NONE, PADICI_TEST_NONE, PADICI_TEST_NONE, PADICI_TEST_NONE,
          PADICI_TEST_OUT(PADIC_C64, PADICI_TEST_WAVE_SMALL, 0)}},
        {PADICI_KERNEL_WAVE_FIELD, 1, 0, padici_test_wave_field,
         {PADICI_TEST_NONE, PADICI_TEST_IN(BYTES, PADIC_F32, 13 * PADICI_TEST_WAVE_SOURCES),
          PADICI_TEST_IN(BYTES, PADIC_U32, 3)}},
        {PADICI_KERNEL_WAVE_FACTORS, 1, 2, padici_test_wave_factors,
         {PADICI_TEST_IN(BYTES, PADIC_F32, 2 * 19), PADICI_TEST_IN(BYTES, PADIC_F64, 23),
          PADICI_TEST_OUT(PADIC_F32, 2 * 23 * 19, 3e-7)}},
        {PADICI_KERNEL_WAVE_RANK, 1, 0, padici_test_wave_rank,
         {PADICI_TEST_IN(BYTES, PADIC_F64, 2 * PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_OUT(PADIC_U32, PADICI_TEST_WAVE_ORDER, 0)}},
        {PADICI_KERNEL_WAVE_ENDS, 1, 1, padici_test_wave_ends,
         {PADICI_TEST_IN(BYTES, PADIC_F64, 2 * PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_IN(BYTES, PADIC_U32, PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_OUT(PADIC_U32, PADICI_TEST_WAVE_ORDER + 1, 0),
          PADICI_TEST_OUT(PADIC_F32, 2 * PADICI_TEST_WAVE_ORDER, 1e-12)}},
        {PADICI_KERNEL_WAVE_FRAME, 1, 0, padici_test_wave_frame, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_MEAN, 1, 0, padici_test_wave_frame, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_WAVE_POINTS
#undef PADICI_TEST_WAVE_GROUP
#undef PADICI_TEST_WAVE_ORDER
#undef PADICI_TEST_WAVE_TENSORS

#endif
