#include "frames_test.h"
#include "../../wave/source.h"
#include "field_test.h"
#include "plan.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests of the kernels of frames.

// Params but for tiles; numbers of frames lie one after the other.
PADICI_FN void padici_test_wave_frame_params(padici_k_wave_frame_params *k, uint32_t listed,
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
PADICI_FN void padici_test_wave_frame_answer(const float *wave, uint32_t step, uint32_t there,
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

// Frames of waves that are small integers, by factors that are, so that sums are exact, at some
// points of the field's test.
PADICI_FN padic_result padici_test_wave_frame(padici_gpu_case *c)
{
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0), frames = 7;
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), n = listed ? 700 : 333;
    const uint32_t groups = items == 128 ? 21 : 37; // what the test's memory holds
    const int mean = c->kernel == (PADICI_KERNEL_WAVE_MEAN & 0xffffu);
    const uint32_t each = padici_test_wave_each(c);
    padici_k_wave_frame_params k;
    const uint32_t there = groups - 2; // frequencies, of at most `groups`
    float *waves, *factors = NULL, *answer;
    uint32_t tiles, i, *ends;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    padici_test_wave_tiles(items, each, k.log, k.count, k.tiles);
    tiles = items == 32 ? 2 : 1;
    padici_test_wave_frame_params(&k, listed, n, groups, frames);
    c->groups[0] = tiles;
    memcpy(&c->params, &k, sizeof k);
    waves = (float *)padici_gpu_image(c, 0, 8 * each * (uint64_t)items * tiles * groups);
    if (!waves) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * each * items * tiles * groups; i++)
        waves[i] = (float)((i * 7 + i / 5) % 9) - 4;
    ends = (uint32_t *)padici_gpu_image(c, mean ? 2 : 6, 4 * groups + 4);
    if (!ends) return PADIC_ERROR_MEMORY;
    for (i = 0; i < groups; i++) ends[i] = i + 1;
    ends[groups] = there;
    if (mean) {
        if (!padici_gpu_image(c, 1, 4 * n)) return PADIC_ERROR_MEMORY;
        answer = (float *)padici_gpu_answer(c, 1);
    } else {
        c->groups[1] = 2;
        factors = (float *)padici_gpu_image(c, 1, 8 * frames * groups);
        if (!factors || !padici_gpu_image(c, 2, 4) || !padici_gpu_image(c, 3, 8 * n * frames) ||
            !padici_gpu_image(c, 4, 4) || !padici_gpu_image(c, 5, 4) || !padici_gpu_image(c, 7, 4))
            return PADIC_ERROR_MEMORY;
        for (i = 0; i < 2 * frames * groups; i++) factors[i] = (float)(i * 5 % 7) - 3;
        answer = (float *)padici_gpu_answer(c, 3);
    }
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < tiles * each * items; i++) {
        const uint32_t tile = i / (each * items), p = i / items % each, item = i % items;
        const uint32_t at = padici_test_wave_point(listed, items, each, tile, item, p, n);
        const float *wave = waves + tile * groups * 2 * each * items + p * items + item;
        if (at == ~0u) continue;
        padici_test_wave_frame_answer(wave, 2 * each * items, there, factors, frames, at, n,
                                      answer);
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_wave_mean(padici_gpu_case *c)
{
    return padici_test_wave_frame(c);
}

// f64 frequencies, some the same, two of them zeros; every second is another's.
#define PADICI_TEST_WAVE_ORDER 203u

PADICI_FN double padici_test_wave_rate(uint32_t i)
{
    if (i % 31 == 7) return i & 1 ? -0.0 : 0.0;
    return ((double)(i * 37 % 53) - 26) / 8;
}

PADICI_FN uint32_t padici_test_wave_rank_of(uint32_t i)
{
    uint32_t j, rank = 0;
    for (j = 0; j < PADICI_TEST_WAVE_ORDER; j++) {
        const double a = padici_test_wave_rate(j), b = padici_test_wave_rate(i);
        if (a < b || (a == b && j < i)) rank++;
    }
    return rank;
}

PADICI_FN double *padici_test_wave_rates(padici_gpu_case *c)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER;
    padici_k_wave_order_params k;
    double *rate = (double *)(void *)padici_gpu_image(c, 0, 16 * n);
    uint32_t i;
    if (!rate) return NULL;
    for (i = 0; i < n; i++) rate[2 * i] = padici_test_wave_rate(i);
    memset(&k, 0, sizeof k);
    k.count = n;
    k.step = 4;
    k.wide = 1;
    k.scale_hi = 0.5f;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 1;
    return rate;
}

PADICI_FN padic_result padici_test_wave_rank(padici_gpu_case *c)
{
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), n = PADICI_TEST_WAVE_ORDER;
    uint32_t *answer, i;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_test_wave_rates(c) || !padici_gpu_image(c, 1, 4 * n)) return PADIC_ERROR_MEMORY;
    answer = (uint32_t *)padici_gpu_answer(c, 1);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) answer[padici_test_wave_rank_of(i)] = i;
    c->groups[0] = (n + items - 1) / items;
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_wave_ends(padici_gpu_case *c)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER;
    uint32_t *order, *ends, i, found = 0;
    float *rates;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_test_wave_rates(c)) return PADIC_ERROR_MEMORY;
    order = (uint32_t *)padici_gpu_image(c, 1, 4 * n);
    if (!order || !padici_gpu_image(c, 2, 4 * n + 4) || !padici_gpu_image(c, 3, 8 * n))
        return PADIC_ERROR_MEMORY;
    ends = (uint32_t *)padici_gpu_answer(c, 2);
    rates = (float *)padici_gpu_answer(c, 3);
    if (!ends || !rates) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) order[padici_test_wave_rank_of(i)] = i;
    for (i = 0; i < n; i++) {
        ends[i] = n;
        rates[2 * i] = rates[2 * i + 1] = 0;
    }
    for (i = 0; i < n; i++) {
        const double own = padici_test_wave_rate(order[i]);
        if (i && own == padici_test_wave_rate(order[i - 1])) continue;
        if (found) ends[found - 1] = i;
        rates[2 * found++] = (float)(own / 2) + 0.0f;
    }
    ends[n] = found;
    c->buffers[3].dtype = PADIC_F32;
    c->buffers[3].bound = 1e-12;
    return PADIC_OK;
}

// Factors at times of f64, far away.
PADICI_FN padic_result padici_test_wave_factors(padici_gpu_case *c)
{
    const uint32_t groups = 19, frames = 23;
    padici_k_wave_factors_params k;
    float *rates, *answer;
    double *times;
    uint32_t i;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    rates = (float *)padici_gpu_image(c, 0, 8 * groups);
    times = (double *)(void *)padici_gpu_image(c, 1, 8 * frames);
    if (!rates || !times || !padici_gpu_image(c, 2, 8 * frames * groups))
        return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 2);
    if (!answer) return PADIC_ERROR_MEMORY;
    memset(&k, 0, sizeof k);
    k.frames = frames;
    k.groups = groups;
    k.step = 2;
    k.wide = 1;
    k.shift_hi = 0.5f;
    k.shift_lo = 9.5367431640625e-7f; // 2^-20
    k.sign = -1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    for (i = 0; i < frames; i++) times[i] = 0.37 * i - 1000 * (double)(i % 3);
    for (i = 0; i < groups; i++) padici_gpu_wave_two(0.1 * i - 0.7, &rates[2 * i]);
    for (i = 0; i < frames * groups; i++) {
        const double time = times[i / groups] + 0.5 + 9.5367431640625e-7;
        const double turns = (0.1 * (i % groups) - 0.7) * time;
        answer[2 * i] = (float)cos(PADICI_TWO_PI * turns);
        answer[2 * i + 1] = (float)-sin(PADICI_TWO_PI * turns);
    }
    c->buffers[2].dtype = PADIC_F32;
    c->buffers[2].bound = 3e-7;
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_wave(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_WAVE_SOURCES, 0, 0, padici_test_wave_sources, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_SMALL, 0, 0, padici_test_wave_small, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_FIELD, 0, 0, padici_test_wave_field, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_FACTORS, 0, 0, padici_test_wave_factors, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_RANK, 0, 0, padici_test_wave_rank, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_ENDS, 0, 0, padici_test_wave_ends, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_FRAME, 0, 0, padici_test_wave_frame, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_WAVE_MEAN, 0, 0, padici_test_wave_mean, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_WAVE_ORDER

#endif
