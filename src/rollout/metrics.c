#include "metrics.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Numbers of a frame.

enum {
    PADICI_ROLLOUT_METRIC_NUMBERS = 11, // those of one column, before SPECTRUM
    PADICI_ROLLOUT_METRICS_ALL = 4095,
    PADICI_ROLLOUT_METRICS_MOST = 65536
};

static double padici_rollout_not_a_number(void)
{
    const uint64_t bits = UINT64_C(0x7ff8000000000000);
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

// Bands of a grid: round(|q|) of its highest mode, and one more.
static uint64_t padici_rollout_bands(uint64_t height, uint64_t width)
{
    const double y = (double)(height / 2), x = (double)(width / 2);
    return (uint64_t)floor(sqrt(x * x + y * y) + 0.5) + 1;
}

// Fills defaults in; returns the columns of one group of channels, or 0.
static uint32_t padici_rollout_metrics_fill(padic_rollout_metrics *m, uint64_t height,
                                            uint64_t width)
{
    uint32_t i, columns = 0;
    if (!m->metrics)
        m->metrics = PADICI_ROLLOUT_METRICS_ALL & ~(uint32_t)PADIC_ROLLOUT_METRIC_SPECTRUM;
    if (!m->bins) m->bins = 50;
    if (m->metrics > PADICI_ROLLOUT_METRICS_ALL || m->per_channel > 1 ||
        m->bins > PADICI_ROLLOUT_METRICS_MOST || (height | width) >> 31)
        return 0;
    if (m->range && !(m->range[0] < m->range[1] && m->range[0] - m->range[0] == 0 &&
                      m->range[1] - m->range[1] == 0))
        return 0;
    for (i = 0; i < PADICI_ROLLOUT_METRIC_NUMBERS; i++) columns += m->metrics >> i & 1;
    if (!(m->metrics & PADIC_ROLLOUT_METRIC_SPECTRUM)) return columns;
    if (!m->bands) {
        const uint64_t bands = padici_rollout_bands(height, width);
        m->bands = bands <= PADICI_ROLLOUT_METRICS_MOST ? (uint32_t)bands : UINT32_MAX;
    }
    return m->bands <= PADICI_ROLLOUT_METRICS_MOST ? columns + m->bands : 0;
}

PADIC_API uint32_t padic_rollout_metrics_count(const padic_rollout_metrics *metrics,
                                               uint64_t channels, uint64_t height, uint64_t width)
{
    padic_rollout_metrics filled;
    uint32_t columns;
    if (!metrics) return 0;
    filled = *metrics;
    columns = padici_rollout_metrics_fill(&filled, height, width);
    if (!filled.per_channel || !columns) return columns;
    return channels < ((uint64_t)1 << 31) / columns ? (uint32_t)(columns * channels) : 0;
}

PADICI_FN void padici_rollout_reducer_end(padici_rollout_reducer *r)
{
    padici_rollout_spectral_end(&r->spectral);
    if (r->counts) padici_free(r->allocator, r->counts, (size_t)r->bytes);
    r->counts = NULL;
}

PADICI_FN padic_result padici_rollout_reducer_begin(padici_rollout_reducer *r,
                                                    const padic_env *env,
                                                    const padic_rollout_metrics *metrics,
                                                    uint64_t channels, uint64_t height,
                                                    uint64_t width)
{
    padic_result result = PADIC_OK;
    memset(r, 0, sizeof *r);
    r->metrics = *metrics;
    r->columns = padici_rollout_metrics_fill(&r->metrics, height, width);
    if (!r->columns) return PADIC_ERROR_ARGUMENT;
    r->channels = channels;
    r->height = height;
    r->width = width;
    r->ranged = metrics->range != NULL;
    if (r->ranged) memcpy(r->range, metrics->range, sizeof r->range);
    r->allocator = env ? env->allocator : NULL;
    r->bytes = ((uint64_t)r->metrics.bins + r->metrics.bands) * sizeof(double);
    r->counts = (double *)padici_alloc(r->allocator, (size_t)r->bytes, 16);
    if (!r->counts) return PADIC_ERROR_MEMORY;
    r->bands = r->counts + r->metrics.bins;
    if (r->metrics.metrics & PADIC_ROLLOUT_METRIC_SPECTRUM)
        result = padici_rollout_spectral_begin(&r->spectral, env, height, width);
    if (result) padici_rollout_reducer_end(r);
    return result;
}

// ---- moments, entropy, spectrum

// The mean of n values, and 0 if they are all alike.
static double padici_rollout_mean(const float *x, uint64_t n, int *differ)
{
    double sum = 0;
    float least = x[0], most = x[0];
    uint64_t i;
    for (i = 0; i < n; i++) {
        sum += (double)x[i];
        if (x[i] < least) least = x[i];
        if (x[i] > most) most = x[i];
    }
    *differ = least < most;
    return *differ ? sum / (double)n : (double)x[0];
}

static void padici_rollout_simple(const float *x, uint64_t n, double *value)
{
    double energy = 0, sum_abs = 0, second = 0, third = 0, fourth = 0, mean;
    double least = (double)x[0], most = (double)x[0];
    int differ;
    uint64_t i;
    mean = padici_rollout_mean(x, n, &differ);
    for (i = 0; i < n; i++) {
        const double v = (double)x[i], d = v - mean, square = d * d;
        energy += v * v;
        sum_abs += v < 0 ? -v : v;
        if (v < least) least = v;
        if (v > most) most = v;
        second += square;
        third += square * d;
        fourth += square * square;
    }
    value[0] = energy;
    value[1] = mean;
    value[2] = sum_abs / (double)n;
    value[3] = least;
    value[4] = most;
    value[5] = n > 1 && differ ? second / (double)(n - 1) : 0;
    second /= (double)n;
    value[6] = differ && second > 0 ? third / (double)n / (second * sqrt(second)) : 0;
    value[7] = differ && second > 0 ? fourth / (double)n / (second * second) - 3 : 0;
}

static double padici_rollout_entropy(const padici_rollout_reducer *r, const float *x, uint64_t n,
                                     double least, double most)
{
    const double low = r->ranged ? (double)r->range[0] : least;
    const double high = r->ranged ? (double)r->range[1] : most;
    const uint32_t bins = r->metrics.bins;
    double sum = 0;
    uint64_t i;
    if (!(low < high)) return 0;
    for (i = 0; i < bins; i++) r->counts[i] = 0;
    for (i = 0; i < n; i++) {
        const double at = ((double)x[i] - low) * (double)bins / (high - low);
        r->counts[at < 0 ? 0 : at < (double)(bins - 1) ? (uint32_t)at : bins - 1] += 1;
    }
    for (i = 0; i < bins; i++) {
        const double p = r->counts[i] / (double)n;
        if (p > 0) sum -= p * log(p);
    }
    return sum;
}

static double padici_rollout_correlation(const float *x, const float *before, uint64_t n)
{
    int differ, differed;
    const double mean = padici_rollout_mean(x, n, &differ);
    const double mean_before = padici_rollout_mean(before, n, &differed);
    double a = 0, b = 0, both = 0, r;
    uint64_t i;
    if (!differ || !differed) return 0;
    for (i = 0; i < n; i++) {
        const double d = (double)x[i] - mean, e = (double)before[i] - mean_before;
        a += d * d;
        b += e * e;
        both += d * e;
    }
    r = a > 0 && b > 0 ? both / (sqrt(a) * sqrt(b)) : 0;
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

static double padici_rollout_step_norm(const float *x, const float *before, uint64_t n)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i < n; i++) {
        const double d = (double)x[i] - (double)before[i];
        sum += d * d;
    }
    return sqrt(sum / (double)n);
}

// Of `channels` planes.
static void padici_rollout_bands_of(padici_rollout_reducer *r, const float *x, uint64_t channels)
{
    padici_rollout_spectral *s = &r->spectral;
    const uint64_t cells = r->height * r->width;
    const double scale = 1 / ((double)cells * (double)cells * (double)channels);
    uint64_t c, i, qx, y;
    for (i = 0; i < r->metrics.bands; i++) r->bands[i] = 0;
    for (c = 0; c < channels; c++) {
        for (i = 0; i < cells; i++) s->field[i] = (double)x[c * cells + i];
        padici_rollout_spectral_forward(s);
        for (y = 0; y < r->height; y++) {
            const double qy = (double)(2 * y <= r->height ? y : r->height - y);
            for (qx = 0; qx < s->columns; qx++) {
                const double *z = &s->spectrum[2 * (y * s->columns + qx)];
                const double q = sqrt((double)qx * (double)qx + qy * qy);
                const uint64_t band = (uint64_t)floor(q + 0.5);
                const double twice = qx && 2 * qx != r->width ? 2 : 1; // for -q
                if (band < r->metrics.bands)
                    r->bands[band] += twice * scale * (z[0] * z[0] + z[1] * z[1]);
            }
        }
    }
}

// ---- a frame

static int padici_rollout_all_finite(const float *x, uint64_t n)
{
    float sum = 0;
    uint64_t i;
    for (i = 0; i < n; i++) sum += x[i] - x[i]; // 0, or NaN for good
    return sum == 0.0f;
}

// The columns of `channels` planes.
static void padici_rollout_reducer_group(padici_rollout_reducer *r, const float *x,
                                         const float *before, uint64_t channels, float *out)
{
    const uint64_t n = channels * r->height * r->width;
    const uint32_t metrics = r->metrics.metrics;
    double value[PADICI_ROLLOUT_METRIC_NUMBERS];
    uint32_t i, k = 0;
    if (!padici_rollout_all_finite(x, n)) {
        for (i = 0; i < r->columns; i++) out[i] = (float)padici_rollout_not_a_number();
        return;
    }
    if (before && !padici_rollout_all_finite(before, n)) before = NULL;
    padici_rollout_simple(x, n, value);
    value[8] = metrics & PADIC_ROLLOUT_METRIC_ENTROPY
                   ? padici_rollout_entropy(r, x, n, value[3], value[4])
                   : 0;
    value[9] = value[10] = padici_rollout_not_a_number();
    if (before && (metrics & PADIC_ROLLOUT_METRIC_AUTOCORRELATION))
        value[9] = padici_rollout_correlation(x, before, n);
    if (before && (metrics & PADIC_ROLLOUT_METRIC_STEP_NORM))
        value[10] = padici_rollout_step_norm(x, before, n);
    for (i = 0; i < PADICI_ROLLOUT_METRIC_NUMBERS; i++)
        if (metrics >> i & 1) out[k++] = (float)value[i];
    if (!(metrics & PADIC_ROLLOUT_METRIC_SPECTRUM)) return;
    padici_rollout_bands_of(r, x, channels);
    for (i = 0; i < r->metrics.bands; i++) out[k++] = (float)r->bands[i];
}

PADICI_FN void padici_rollout_reducer_run(padici_rollout_reducer *r, const float *frame,
                                          const float *previous, float *out)
{
    const uint64_t groups = r->metrics.per_channel ? r->channels : 1;
    const uint64_t channels = r->channels / groups, size = channels * r->height * r->width;
    uint64_t g;
    for (g = 0; g < groups; g++)
        padici_rollout_reducer_group(r, frame + g * size, previous ? previous + g * size : NULL,
                                     channels, out + g * r->columns);
}

#endif
