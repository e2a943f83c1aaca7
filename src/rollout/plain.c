#include "kernels.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// Kernels in doubles, the reference.

static double padici_rollout_act_of(padic_rollout_act act, double x)
{
    const double root = 0.70710678118654752440, slope = 0.79788456080286535588; // sqrt(1/2, 2/pi)
    double e;
    switch (act) {
    case PADIC_ROLLOUT_ACT_GELU_ERF: // -inf is -0, not NaN
        return x > -40 ? 0.5 * x * (1 + erf(x * root)) : x <= -40 ? -0.0 : x;
    case PADIC_ROLLOUT_ACT_RELU: return x > 0 ? x : x <= 0 ? 0 : x;
    case PADIC_ROLLOUT_ACT_GELU_TANH:
        if (x <= -40) return -0.0;
        return x >= 40 ? x : 0.5 * x * (1 + tanh(slope * (x + 0.044715 * (x * x * x))));
    case PADIC_ROLLOUT_ACT_SILU:
        if (x < 0) {
            e = exp(x);
            return x > -750 ? x * e / (1 + e) : -0.0;
        }
        return x / (1 + exp(-x));
    case PADIC_ROLLOUT_ACT_TANH: return tanh(x);
    default: return x;
    }
}

static void padici_rollout_plain_map(const padici_rollout_map *map, uint64_t count,
                                     const void *from_, void *to_)
{
    const double *from = (const double *)from_;
    const double *mu = (const double *)map->mu, *a = (const double *)map->a;
    const double *beta = (const double *)map->beta;
    double *to = (double *)to_;
    uint64_t i;
    uint32_t c;
    for (i = 0; i < count; i++, from += PADICI_ROLLOUT_LANES, to += PADICI_ROLLOUT_LANES)
        for (c = 0; c < PADICI_ROLLOUT_LANES; c++)
            to[c] = padici_rollout_act_of(map->act,
                                          mu ? a[c] * (from[c] - mu[c]) + beta[c] : from[c]);
}

// One cell, one block.
static void padici_rollout_plain_cell(const padici_rollout_conv *q, const double *in,
                                      const double *weights, const double *start, double *out)
{
    double sum[PADICI_ROLLOUT_LANES];
    uint32_t dy, dx, i, c;
    memcpy(sum, start ? start : out, sizeof sum);
    for (dy = 0; dy < q->kernel; dy++) {
        const double *x = in + dy * q->line;
        for (dx = 0; dx < q->kernel; dx++, x += PADICI_ROLLOUT_LANES)
            for (i = 0; i < q->inputs; i++, weights += PADICI_ROLLOUT_LANES)
                for (c = 0; c < PADICI_ROLLOUT_LANES; c++) sum[c] += x[i] * weights[c];
    }
    memcpy(out, sum, sizeof sum);
}

static void padici_rollout_plain_conv(const padici_rollout_conv *q)
{
    const double *start = (const double *)q->start;
    uint32_t b, y, x;
    for (b = 0; b < q->blocks; b++)
        for (y = 0; y < q->rows; y++)
            for (x = 0; x < q->cells; x++)
                padici_rollout_plain_cell(
                    q, (const double *)q->in + y * q->in_row + x * q->in_cell,
                    (const double *)q->weights + b * q->weights_block,
                    start ? start + b * q->start_block : NULL,
                    (double *)q->out + b * q->out_block + y * q->out_row + x * q->out_cell);
}

static void padici_rollout_plain_moments(uint64_t count, const void *from_, double *mean,
                                         double *squares)
{
    const double *from = (const double *)from_;
    uint64_t i;
    uint32_t c;
    for (c = 0; c < PADICI_ROLLOUT_LANES; c++) mean[c] = squares[c] = 0;
    for (i = 0; i < count; i++)
        for (c = 0; c < PADICI_ROLLOUT_LANES; c++) mean[c] += from[i * PADICI_ROLLOUT_LANES + c];
    for (c = 0; c < PADICI_ROLLOUT_LANES; c++) mean[c] /= (double)count;
    for (i = 0; i < count; i++)
        for (c = 0; c < PADICI_ROLLOUT_LANES; c++) {
            const double d = from[i * PADICI_ROLLOUT_LANES + c] - mean[c];
            squares[c] += d * d;
        }
}

static void padici_rollout_plain_mix(uint32_t inputs, const void *x_, const void *weights_,
                                     void *out_)
{
    const double *x = (const double *)x_, *w = (const double *)weights_;
    double *re = (double *)out_, *im = re + PADICI_ROLLOUT_LANES;
    uint32_t i, l;
    for (l = 0; l < 2 * PADICI_ROLLOUT_LANES; l++) re[l] = 0;
    for (i = 0; i < inputs; i++, x += 2, w += 2 * PADICI_ROLLOUT_LANES)
        for (l = 0; l < PADICI_ROLLOUT_LANES; l++) {
            re[l] += x[0] * w[l] - x[1] * w[l + PADICI_ROLLOUT_LANES];
            im[l] += x[0] * w[l + PADICI_ROLLOUT_LANES] + x[1] * w[l];
        }
}

PADICI_FN const padici_rollout_kernels *padici_rollout_plain(void)
{
    static const padici_rollout_kernels kernels = {1, padici_rollout_plain_map,
                                                   padici_rollout_plain_conv,
                                                   padici_rollout_plain_moments,
                                                   padici_rollout_plain_mix, padici_fft_plain,
                                                   NULL};
    return &kernels;
}

PADICI_FN void padici_rollout_merge(double *count, double *mean, double *squares, double more,
                                    double other_mean, double other_squares)
{
    const double all = *count + more, d = other_mean - *mean;
    if (!(more > 0)) return;
    *mean += d * (more / all);
    *squares += other_squares + d * d * (*count * more / all);
    *count = all;
}

#endif
