// test_rollout_metrics.c: the metrics of frames against sums in long double, direct transforms and
// closed forms; hostile input.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

static const long double pi = 3.14159265358979323846L;

enum { ALL = 4095, COLUMNS = 11, MOST = 64 };

static padic_result reduce(float *frames, uint64_t f, uint64_t c, uint64_t h, uint64_t w,
                           const padic_rollout_metrics *metrics, float *out, uint64_t columns)
{
    const uint64_t shape[4] = {f, c, h, w};
    padic_rollout_reduce_desc d = PADIC_ZERO;
    d.frames = padic_tensor_nd(PADIC_F32, frames, 4, shape);
    d.out = padic_tensor_2d(PADIC_F32, out, f, columns);
    if (metrics) d.metrics = *metrics;
    return padic_rollout_reduce(NULL, &d);
}

// All columns of c planes by their definitions.
static void direct(const float *x, const float *before, int c, int h, int w, int bins,
                   const float *range, int bands, long double *out)
{
    const int n = c * h * w;
    long double mean = 0, old = 0, m2 = 0, m3 = 0, m4 = 0, a = 0, b = 0, ab = 0;
    long double low = x[0], high = x[0], counts[64];
    for (int i = 0; i < COLUMNS + bands; i++) out[i] = 0;
    for (int i = 0; i < n; i++) {
        mean += (long double)x[i] / n;
        if (before) old += (long double)before[i] / n;
        out[0] += (long double)x[i] * x[i];
        out[2] += fabsl(x[i]) / n;
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    out[1] = mean, out[3] = low, out[4] = high;
    for (int i = 0; i < n; i++) {
        const long double d = x[i] - mean, e = before ? before[i] - old : 0;
        m2 += d * d / n, m3 += d * d * d / n, m4 += d * d * d * d / n;
        a += d * d, b += e * e, ab += d * e;
        if (before) out[10] += powl((long double)x[i] - before[i], 2) / n;
    }
    if (low == high) m2 = 0;
    out[5] = n > 1 ? m2 * n / (n - 1) : 0;
    out[6] = m2 > 0 ? m3 / powl(m2, 1.5L) : 0;
    out[7] = m2 > 0 ? m4 / (m2 * m2) - 3 : 0;
    if (range) low = range[0], high = range[1];
    for (int i = 0; i < bins; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) {
        int bin = low < high ? (int)floorl((x[i] - low) * bins / (high - low)) : 0;
        counts[bin < 0 ? 0 : bin < bins ? bin : bins - 1] += 1.0L / n;
    }
    for (int i = 0; i < bins && low < high; i++)
        if (counts[i] > 0) out[8] -= counts[i] * logl(counts[i]);
    out[9] = before ? (m2 > 0 && b > 0 ? ab / sqrtl(a * b) : 0) : NAN;
    out[10] = before ? sqrtl(out[10]) : NAN;
    for (int plane = 0; plane < c && bands; plane++)
        for (int qy = 0; qy < h; qy++)
            for (int qx = 0; qx < w; qx++) {
                const int sy = 2 * qy <= h ? qy : qy - h, sx = 2 * qx <= w ? qx : qx - w;
                const int band = (int)(sqrt((double)(sx * sx + sy * sy)) + 0.5);
                long double re = 0, im = 0;
                for (int i = 0; i < h * w; i++) {
                    const long double p = 2 * pi * ((long double)(qx * (i % w) % w) / w +
                                                    (long double)(qy * (i / w) % h) / h);
                    re += x[plane * h * w + i] * cosl(p);
                    im -= x[plane * h * w + i] * sinl(p);
                }
                re = (re * re + im * im) / ((long double)(h * w) * (h * w) * c);
                if (band < bands) out[COLUMNS + band] += re;
            }
}

static int near(float got, long double want, long double scale)
{
    if (want != want) return got != got;
    return fabsl(got - want) <= 1e-6L * (scale > 1 ? scale : 1);
}

TEST(definitions)
{
    static const int sizes[7][3] = {{1, 1, 1}, {1, 1, 2},  {1, 8, 8}, {2, 5, 6},
                                    {3, 9, 7}, {2, 1, 12}, {1, 13, 1}};
    static float x[2][3 * 64], both[6 * 64], out[2][3 * MOST];
    const float range[2] = {-0.5f, 1.5f};
    for (int size = 0; size < 7; size++)
        for (int way = 0; way < 8; way++) {
            const int c = sizes[size][0], h = sizes[size][1], w = sizes[size][2], n = c * h * w;
            const int groups = way & 1 ? c : 1, plane = n / groups;
            padic_rollout_metrics m = PADIC_ZERO;
            m.metrics = ALL;
            m.per_channel = (uint32_t)way & 1;
            m.range = way & 2 ? range : NULL;
            m.bins = way & 4 ? 7 : 0;
            m.bands = way & 4 ? 3 : 0;
            const int columns = (int)padic_rollout_metrics_count(&m, (uint64_t)c, (uint64_t)h,
                                                                 (uint64_t)w);
            const int bands = columns / groups - COLUMNS;
            CHECK(bands == (way & 4 ? 3 : (int)(hypot(h / 2, w / 2) + 0.5) + 1));
            for (int i = 0; i < 2 * n; i++)
                x[i / n][i % n] = padic_random_symmetric((uint32_t)test_random()) + 0.25f;
            if (size == 5)
                for (int i = 0; i < n; i++) x[1][i] = 0.1f; // constant
            memcpy(both, x[0], (size_t)n * sizeof *both);
            memcpy(both + n, x[1], (size_t)n * sizeof *both);
            CHECK_EQ(reduce(both, 2, (uint64_t)c, (uint64_t)h, (uint64_t)w, &m, out[0],
                            (uint64_t)columns),
                     PADIC_OK);
            for (int f = 0; f < 2; f++)
                for (int g = 0; g < groups; g++) {
                    long double want[COLUMNS + MOST];
                    direct(x[f] + g * plane, f ? x[0] + g * plane : NULL, c / groups, h, w,
                           m.bins ? 7 : 50, m.range, bands, want);
                    for (int k = 0; k < columns / groups; k++)
                        CHECK(near(out[0][f * columns + g * (columns / groups) + k], want[k],
                                   fabsl(want[k])));
                }
        }
}

// R17.
TEST(closed_forms)
{
    enum { N = 1000 };
    static float x[2 * N], out[2 * COLUMNS], spectrum[64];
    padic_rollout_metrics m = PADIC_ZERO;
    for (int j = 1; j <= 20; j++) { // a ramp: as many values in each of 50 bins
        for (int i = 0; i < 50 * j; i++) x[i] = (float)i;
        m.metrics = PADIC_ROLLOUT_METRIC_ENTROPY;
        CHECK_EQ(reduce(x, 1, 1, (uint64_t)j, 50, &m, out, 1), PADIC_OK);
        CHECK_NEAR(out[0], log(50), 1e-6);
    }
    for (int i = 0; i < N; i++) x[i] = x[N + i] = padic_random_normal((uint32_t)test_random());
    CHECK_EQ(reduce(x, 2, 1, 20, 50, NULL, out, COLUMNS), PADIC_OK);
    CHECK_NEAR(out[COLUMNS + 9], 1, 1e-6);
    CHECK(out[COLUMNS + 10] == 0);
    CHECK(out[9] != out[9] && out[10] != out[10]);
    for (int i = 0; i < N; i++) x[N + i] = -x[i];
    CHECK_EQ(reduce(x, 2, 1, 20, 50, NULL, out, COLUMNS), PADIC_OK);
    CHECK_NEAR(out[COLUMNS + 9], -1, 1e-6);
    CHECK_NEAR(out[COLUMNS + 10], 2 * sqrt(out[0] / (double)N), 1e-5);
    m.metrics = PADIC_ROLLOUT_METRIC_SPECTRUM | PADIC_ROLLOUT_METRIC_ENERGY;
    const uint32_t columns = padic_rollout_metrics_count(&m, 2, 20, 25);
    CHECK_EQ(reduce(x, 1, 2, 20, 25, &m, spectrum, columns), PADIC_OK);
    double sum = 0;
    for (uint32_t b = 1; b < columns; b++) sum += spectrum[b];
    CHECK_NEAR(sum, spectrum[0] / (float)N, 1e-6 * sum);
    // One wave: its band alone, half its amplitude squared.
    for (int i = 0; i < 400; i++)
        x[i] = 3 * (float)cosl(2 * pi * (3 * (i % 20) + 4 * (i / 20)) / 20);
    CHECK_EQ(reduce(x, 1, 1, 20, 20, &m, spectrum, padic_rollout_metrics_count(&m, 1, 20, 20)),
             PADIC_OK);
    for (int b = 0; b < 15; b++) CHECK_NEAR(spectrum[1 + b], b == 5 ? 4.5 : 0, 1e-5);
}

// 16 bits, strides, many axes, one frame after another, any context: the same bits.
TEST(ways)
{
    enum { T = 6, F = 4, C = 2, H = 5, W = 6, N = C * H * W };
    static float x[T][F][N], whole[T][F][MOST], part[T][F][MOST], wide[T * F * N * 2];
    static uint16_t half[T * F * N], brain[T * F * N];
    const uint64_t shape[6] = {2, 3, F, C, H, W}, one[4] = {F, C, H, W};
    padic_rollout_reduce_desc d = PADIC_ZERO;
    uint32_t columns;
    contexts_begin(1);
    for (int i = 0; i < T * F * N; i++) {
        const int v = (int)(test_random() % 33) - 16; // v / 8: all formats have it
        uint32_t bits;
        const float value = (float)v / 8;
        (&x[0][0][0])[i] = value;
        memcpy(&bits, &value, 4);
        brain[i] = (uint16_t)(bits >> 16);
        half[i] = v ? (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) |
                                 (bits >> 13 & 1023))
                    : 0;
    }
    for (int way = 0; way < 2; way++) {
        d.metrics.metrics = ALL;
        d.metrics.per_channel = (uint32_t)way;
        columns = padic_rollout_metrics_count(&d.metrics, C, H, W);
        const uint64_t out[4] = {2, 3, F, columns};
        d.frames = padic_tensor_nd(PADIC_F32, x, 6, shape);
        d.out = padic_tensor_nd(PADIC_F32, whole, 4, out);
        CHECK_EQ(padic_rollout_reduce(NULL, &d), PADIC_OK);
        d.out.data = part;
        for (uint32_t c = 0; c < context_count; c++) {
            memset(part, 0, sizeof part);
            CHECK_EQ(padic_rollout_reduce(contexts[c], &d), PADIC_OK);
            CHECK(!memcmp(whole, part, T * F * columns * 4));
        }
        d.frames = padic_tensor_nd(PADIC_F16, half, 6, shape);
        CHECK_EQ(padic_rollout_reduce(NULL, &d), PADIC_OK);
        CHECK(!memcmp(whole, part, T * F * columns * 4));
        d.frames = padic_tensor_nd(PADIC_BF16, brain, 6, shape);
        CHECK_EQ(padic_rollout_reduce(NULL, &d), PADIC_OK);
        CHECK(!memcmp(whole, part, T * F * columns * 4));
        for (int t = 0; t < T; t++) {
            d.frames = padic_tensor_nd(PADIC_F32, x[t], 4, one);
            d.out = padic_tensor_2d(PADIC_F32, (float *)part + (uint32_t)t * F * columns, F,
                                    columns);
            CHECK_EQ(padic_rollout_reduce(NULL, &d), PADIC_OK);
        }
        CHECK(!memcmp(whole, part, T * F * columns * 4));
        d.frames = padic_tensor_nd(PADIC_F32, wide, 6, shape);
        for (int a = 5, step = 2; a >= 0; a--) { // gaps
            d.frames.stride[a] = step;
            step *= (int)shape[a];
        }
        for (int i = 0; i < T * F * N; i++) wide[2 * i] = (&x[0][0][0])[i];
        d.out = padic_tensor_nd(PADIC_F32, part, 4, out);
        CHECK_EQ(padic_rollout_reduce(NULL, &d), PADIC_OK);
        CHECK(!memcmp(whole, part, T * F * columns * 4));
    }
    contexts_end();
}

TEST(not_finite)
{
    static float x[3][16], out[3][COLUMNS];
    static const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 48; i++) (&x[0][0])[i] = (float)i;
        x[1][5] = bad[k];
        CHECK_EQ(reduce(x[0], 3, 1, 4, 4, NULL, out[0], COLUMNS), PADIC_OK);
        for (int i = 0; i < COLUMNS; i++) {
            CHECK((out[0][i] != out[0][i]) == (i > 8));
            CHECK(out[1][i] != out[1][i]);
            CHECK((out[2][i] != out[2][i]) == (i > 8));
        }
    }
}

TEST(hostile)
{
    static float x[24], out[64];
    static const float equal[2] = {1, 1}, nan[2] = {0, NAN}, endless[2] = {0, INFINITY};
    const uint64_t shape[4] = {1, 2, 3, 4};
    padic_rollout_metrics m = PADIC_ZERO;
    padic_rollout_reduce_desc good = PADIC_ZERO, d;
    CHECK_EQ(padic_rollout_metrics_count(NULL, 1, 1, 1), 0);
    CHECK_EQ(padic_rollout_metrics_count(&m, 3, 8, 8), COLUMNS);
    m.per_channel = 1;
    CHECK_EQ(padic_rollout_metrics_count(&m, 3, 8, 8), 3 * COLUMNS);
    CHECK_EQ(padic_rollout_metrics_count(&m, UINT64_MAX, 8, 8), 0);
    m.metrics = ALL;
    CHECK_EQ(padic_rollout_metrics_count(&m, 1, UINT64_MAX, 8), 0);
    CHECK_EQ(padic_rollout_metrics_count(&m, 1, 1u << 30, 8), 0); // too many bands
    good.frames = padic_tensor_nd(PADIC_F32, x, 4, shape);
    good.out = padic_tensor_2d(PADIC_F32, out, 1, COLUMNS);
#define REDUCE(code, ...) \
    { \
        d = good; \
        __VA_ARGS__; \
        memset(out, 7, sizeof out); \
        CHECK_EQ(padic_rollout_reduce(NULL, &d), code); \
        for (size_t k = 0; code != PADIC_OK && k < sizeof out; k++) \
            CHECK_EQ(((uint8_t *)out)[k], 7); \
    }
    CHECK_EQ(padic_rollout_reduce(NULL, NULL), PADIC_ERROR_ARGUMENT);
    REDUCE(PADIC_OK, d.metrics.bins = 65536)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.bins = 65537)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.metrics = 1 << 12)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.per_channel = 2)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.range = equal)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.range = nan)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.range = endless)
    REDUCE(PADIC_ERROR_ARGUMENT, d.metrics.metrics = ALL; d.metrics.bands = UINT32_MAX)
    REDUCE(PADIC_ERROR_MISMATCH, d.metrics.per_channel = 1)
    REDUCE(PADIC_ERROR_MISMATCH, d.metrics.metrics = ALL)
    REDUCE(PADIC_ERROR_MISMATCH, d.out.shape[0] = 2)
    REDUCE(PADIC_ERROR_MISMATCH, d.frames.rank = 3)
    REDUCE(PADIC_ERROR_MISMATCH, d.frames.rank = 0)
    REDUCE(PADIC_ERROR_DTYPE, d.frames.dtype = PADIC_F64)
    REDUCE(PADIC_ERROR_DTYPE, d.out.dtype = PADIC_F64)
    REDUCE(PADIC_ERROR_OVERLAP, d.frames.data = out)
    REDUCE(PADIC_OK, d.frames.shape[0] = d.out.shape[0] = 0)
    REDUCE(PADIC_OK, d.frames.shape[2] = 0)
}

TEST_MAIN("rollout metrics", CASE(definitions), CASE(closed_forms), CASE(ways), CASE(not_finite),
          CASE(hostile))
