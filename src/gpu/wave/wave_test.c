#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/source.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "plan.h"
#include "warm.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests: the driver against the reference, a few points and sources of every class, in more than
// one block of sources and tile of points.

#define PADICI_TEST_WAVE_RATES 19u  // frequencies
#define PADICI_TEST_WAVE_FRAMES 23u // some of them equal
#define PADICI_TEST_WAVE_ORDER 203u // sources that are sorted

// The layout of a test's numbers.
typedef struct padici_test_wave {
    uint32_t mode, listed, axes, n; // n: points
    double most;              // the sum of the amplitudes
    padic_wave_frames_desc desc;
} padici_test_wave;

// Sources from 1e5 wavelengths away to the middle of the points, whose box is 2 by 1 by 1; at
// numbers of 12 bits, so that sums of two are exact in f32. Some wavelengths are so short that only
// the bucket WIDE is right.
static void padici_test_wave_source(uint32_t i, double at[3], double *number, double *turns)
{
    static const double far_[6] = {65536, 2048, 256, 32, 6, 0.25};
    const double reach = far_[i % 6];
    at[0] = reach * (1 + (double)(i % 5) / 8) + (reach < 1 ? 1.015625 : 0);
    at[1] = reach * ((double)(i % 7) / 4 - 1);
    at[2] = reach * ((double)(i % 3) / 2 - 0.375) + (reach < 1 ? 0.5 : 0);
    *number = (i % 4 == 3 ? -1.0 : 1.0) * (0.5 + (double)(i % 11) / 16);
    if (i % 12 == 4) *number *= 32;
    *turns = (double)(i % 13) / 16 - 0.375;
}

// Positions, of three numbers each, of which the kernel uses the given count.
static padic_tensor padici_test_wave_positions(const padici_test_wave *x, padic_dtype dtype,
                                               void *at, uint32_t n)
{
    padic_tensor t = padic_tensor_2d(dtype, at, n, x->axes);
    t.stride[0] = 3;
    t.stride[1] = 1;
    return t;
}

// m sources; positions of f64, numbers of f64 and f32, reversed and consecutive. `rates`: there are
// frequencies, too. Slopes are not tested where they are unbounded.
static void padici_test_wave_sources(padici_gpu_case *c, padici_test_wave *x, uint32_t m, int rates)
{
    padic_wave_superpose_desc *d = &x->desc.field;
    double *at = (double *)padici_gpu_space(c, 24 * m);
    double *phase = (double *)padici_gpu_space(c, 8 * m);
    float *number = (float *)padici_gpu_space(c, 4 * m), *a = (float *)padici_gpu_space(c, 4 * m);
    float *fades = (float *)padici_gpu_space(c, 4 * m);
    double *rate = (double *)padici_gpu_space(c, 8 * m);
    uint32_t i;
    for (i = 0; i < m && !c->failed; i++) {
        double k, turns;
        padici_test_wave_source(i, at + 3 * i, &k, &turns);
        if (d->kernel == PADIC_WAVE_KERNEL_GREEN1) at[3 * i + 1] = at[3 * i + 2] = 0;
        if (d->kernel == PADIC_WAVE_KERNEL_GREEN2) at[3 * i + 2] = 0;
        if (x->mode == PADICI_WAVE_SLOPE && i % 6 == 5 && d->kernel != PADIC_WAVE_KERNEL_GREEN1)
            at[3 * i + 2] += 1;
        number[m - 1 - i] = (float)(k * PADICI_TWO_PI);
        phase[i] = turns * PADICI_TWO_PI;
        rate[i] = ((double)(i * 7 % PADICI_TEST_WAVE_RATES) - 9) / 8;
        if (i % 31 == 7) rate[i] = -0.0;
        a[i] = (float)(1 + i % 3);
        fades[i] = 0.125f / (float)(1 + i % 3);
        x->most += (double)a[i];
    }
    d->sources = padici_test_wave_positions(x, PADIC_F64, at, m);
    d->wavenumber = padic_tensor_1d(PADIC_F32, number + m - 1, m);
    d->wavenumber.stride[0] = -1;
    d->phase = padic_tensor_1d(PADIC_F64, phase, m);
    d->amplitude = padic_tensor_1d(PADIC_F32, a, m);
    if (rates) d->frequency = padic_tensor_1d(PADIC_F64, rate, m);
    if (padici_gpu_define(c, "PD_WAVE_ABSORB", 0))
        d->absorption = padic_tensor_1d(PADIC_F32, fades, m);
}

// A grid of 37 x 3 x 3 points, or a list of n; `near_`: some are next to this source.
static void padici_test_wave_points(padici_gpu_case *c, padici_test_wave *x, uint32_t n,
                                    const double *near_)
{
    padic_wave_superpose_desc *d = &x->desc.field;
    const uint32_t axes = x->axes;
    float *points;
    uint32_t i, j;
    x->n = x->listed ? n : 333;
    if (!x->listed) {
        d->grid.count[0] = axes == 1 ? 333 : 37;
        d->grid.count[1] = axes == 1 ? 1 : axes == 2 ? 9 : 3;
        d->grid.count[2] = axes == 3 ? 3 : 1;
        d->grid.step[0] = d->grid.step[1] = 0.03125;
        d->grid.step[2] = 0.0625;
        d->grid.origin[0] = 1;
        d->grid.origin[2] = axes == 3 ? 0.5 : 0;
        return;
    }
    points = (float *)padici_gpu_space(c, 12 * n);
    for (i = 0; i < n; i++) {
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = axes > 1 ? (float)(i / 37 % 3) / 32 : 0;
        points[3 * i + 2] = axes > 2 ? 0.5f + (float)(i / 111) / 16 : 0;
        for (j = 0; j < axes && near_ && i % 29 == 5 && axes > 1; j++)
            points[3 * i + j] = (float)near_[j] + (j ? 0 : 0.0009765625f);
    }
    d->points = padici_test_wave_positions(x, PADIC_F32, points, n);
}

// The tensor of a result: `frames` and `last` are its first and last axis, if not 0.
static padic_tensor padici_test_wave_out(padici_gpu_case *c, const padici_test_wave *x,
                                         padic_dtype dtype, uint32_t frames, uint32_t last)
{
    const uint32_t *count = x->desc.field.grid.count;
    const uint64_t all = (uint64_t)x->n * (frames ? frames : 1) * (last ? last : 1);
    uint64_t shape[5];
    uint32_t rank = 0, i;
    if (frames) shape[rank++] = frames;
    if (x->listed) shape[rank++] = x->n;
    for (i = 0; i < 3 && !x->listed; i++) shape[rank++] = count[i];
    if (last) shape[rank++] = last;
    return padic_tensor_nd(dtype, padici_gpu_space(c, all * padic_dtype_size(dtype)), rank, shape);
}

static void padici_test_wave_begin(padici_gpu_case *c, padici_test_wave *x)
{
    padic_wave_superpose_desc *d = &x->desc.field;
    memset(x, 0, sizeof *x);
    x->mode = padici_gpu_define(c, "PD_WAVE_MODE", PADICI_WAVE_PLAIN);
    x->listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    d->kernel = (padic_wave_kernel)padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    d->softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    d->length = d->softening ? 0.0625 : 0;
    x->axes = d->kernel == PADIC_WAVE_KERNEL_GREEN1 ? 1 : d->kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
        : 3;
}

// Runs the operation with a report, whose counts must equal the reference's. field: of desc.
static padic_result padici_test_wave_told(padici_gpu_case *c, padici_test_wave *x, uint32_t op,
                                          void *desc, padic_wave_superpose_desc *field,
                                          double bound)
{
    padic_wave_superpose_report want, seen;
    padic_result result;
    field->report = &want;
    result = (*padici_op_row_of(op)->host)(NULL, desc);
    field->report = &seen;
    if (x->desc.field.softening == PADIC_WAVE_SOFTENING_SHELL) bound *= 4;
    if (x->desc.field.kernel == PADIC_WAVE_KERNEL_GREEN1) bound *= 0.2;
    if (!result) result = padici_gpu_case_drive(c, op, desc, 0, bound);
    field->report = NULL;
    return result || (seen.coincident == want.coincident && seen.error_bound < 2e-6)
               ? result
               : PADIC_ERROR_SELF_TEST;
}

// Few pairs in one launch; the phase of a far pair is right in two words only.
static padic_result padici_test_wave_small(padici_gpu_case *c)
{
    padici_test_wave x;
    padic_wave_superpose_desc *d = &x.desc.field;
    padici_test_wave_begin(c, &x);
    if (x.mode != PADICI_WAVE_PLAIN || !x.listed) return PADIC_ERROR_NOT_SUPPORTED;
    padici_test_wave_sources(c, &x, PADICI_TEST_WAVE_SOURCES + 6, 0);
    padici_test_wave_points(c, &x, PADICI_TEST_WAVE_SMALL, (double *)d->sources.data + 3 * 5);
    d->out = padici_test_wave_out(c, &x, PADIC_C64, 0, 0);
    return padici_test_wave_told(c, &x, PADIC_OP_WAVE_SUPERPOSE, d, d,
                                 2e-5 * (x.most + 1024 * 3));
}

// A field, of a list with points next to a source; its slopes, whose k is up to 2 pi 38 for one
// source in 12; or its frames, in round 1 of device-resident data, in round 2 their mean.
static padic_result padici_test_wave_field(padici_gpu_case *c)
{
    padici_test_wave *x = (padici_test_wave *)padici_gpu_space(c, sizeof *x); // they are long
    padic_wave_superpose_desc *d = &x->desc.field;
    padic_wave_gradient_desc *slopes =
        (padic_wave_gradient_desc *)padici_gpu_space(c, sizeof *slopes);
    double *times;
    uint32_t i;
    padici_test_wave_begin(c, x);
    padici_test_wave_sources(c, x, PADICI_TEST_WAVE_SOURCES, 1); // so that it is not few pairs
    padici_test_wave_points(c, x, 700,
                            x->mode == PADICI_WAVE_PLAIN ? (double *)d->sources.data + 15 : NULL);
    c->again = x->mode == PADICI_WAVE_FRAMES && c->round < 2;
    d->time = x->mode == PADICI_WAVE_FRAMES ? 0.5 : -3;
    if (x->mode != PADICI_WAVE_FRAMES) d->out = padici_test_wave_out(c, x, PADIC_C64, 0, 0);
    if (x->mode == PADICI_WAVE_PLAIN)
        return padici_test_wave_told(c, x, PADIC_OP_WAVE_SUPERPOSE, d, d,
                                     2e-5 * (x->most + (x->listed ? 1024 * 3 : 0)));
    if (x->mode == PADICI_WAVE_SLOPE) {
        memset(slopes, 0, sizeof *slopes);
        slopes->field = *d;
        slopes->out = padici_test_wave_out(c, x, PADIC_C64, 0, x->axes);
        return padici_test_wave_told(c, x, PADIC_OP_WAVE_GRADIENT, slopes, &slopes->field,
                                     16e-5 * x->most);
    }
    if (c->round == 2) {
        x->desc.mean_intensity = padici_test_wave_out(c, x, PADIC_F32, 0, 0);
        return padici_gpu_case_drive(c, PADIC_OP_WAVE_FRAMES, &x->desc, 1, 2e-4 * x->most);
    }
    times = (double *)padici_gpu_space(c, 8 * PADICI_TEST_WAVE_FRAMES);
    for (i = 0; i < PADICI_TEST_WAVE_FRAMES && !c->failed; i++)
        times[i] = 0.37 * (i % 20) - 1000 * (double)(i % 3);
    x->desc.times = padic_tensor_1d(PADIC_F64, times, PADICI_TEST_WAVE_FRAMES);
    d->out = padici_test_wave_out(c, x, PADIC_C64, PADICI_TEST_WAVE_FRAMES, 0);
    return padici_gpu_case_drive(c, PADIC_OP_WAVE_FRAMES, &x->desc, (int)c->round, 2e-5 * x->most);
}

// What others find sources by is tested by itself. f64 frequencies, some the same, two of them
// zeros; every second is another's.
static double padici_test_wave_rate(uint32_t i)
{
    if (i % 31 == 7) return i & 1 ? -0.0 : 0.0;
    return ((double)(i * 37 % 53) - 26) / 8;
}

// Gives the kernels of an order their frequencies; returns which source is the first, the second,
// ...
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
    return padici_gpu_define(c, "PD_WAVE_MODE", PADICI_WAVE_PLAIN) == PADICI_WAVE_FRAMES
               ? PADIC_OK
               : PADIC_ERROR_NOT_SUPPORTED;
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

#define PADICI_TEST_WAVE(NAME, name) \
    {PADICI_KERNEL_WAVE_##NAME, 1, PADICI_TEST_DRIVEN, padici_test_wave_##name, {PADICI_TEST_NONE}}

PADICI_FN const padici_gpu_test *padici_tests_wave(void)
{
    static const padici_gpu_test rows[] = {
        PADICI_TEST_WAVE(SMALL, small),
        PADICI_TEST_WAVE(SOURCES, field),
        PADICI_TEST_WAVE(FIELD, field),
        PADICI_TEST_WAVE(FACTORS, field),
        {PADICI_KERNEL_WAVE_RANK, 1, 0, padici_test_wave_rank,
         {PADICI_TEST_IN(BYTES, PADIC_F64, 2 * PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_OUT(PADIC_U32, PADICI_TEST_WAVE_ORDER, 0)}},
        {PADICI_KERNEL_WAVE_ENDS, 1, 1, padici_test_wave_ends,
         {PADICI_TEST_IN(BYTES, PADIC_F64, 2 * PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_IN(BYTES, PADIC_U32, PADICI_TEST_WAVE_ORDER),
          PADICI_TEST_OUT(PADIC_U32, PADICI_TEST_WAVE_ORDER + 1, 0),
          PADICI_TEST_OUT(PADIC_F32, 2 * PADICI_TEST_WAVE_ORDER, 1e-12)}},
        PADICI_TEST_WAVE(FRAME, field),
        PADICI_TEST_WAVE(MEAN, field),
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_WAVE
#undef PADICI_TEST_WAVE_RATES
#undef PADICI_TEST_WAVE_FRAMES
#undef PADICI_TEST_WAVE_ORDER

#endif
