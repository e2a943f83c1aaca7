// test_rollout_fields.c: normal and Laplace variables, the noise of rollouts and their initial
// conditions, against definitions, direct sums, closed forms and moments; hostile input.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static float *floats(size_t n)
{
    float *x = (float *)calloc(n + 1, sizeof *x);
    if (!x) exit(1);
    return x;
}

static padic_tensor stack(float *x, uint64_t m, uint64_t c, uint64_t h, uint64_t w)
{
    const uint64_t shape[4] = {m, c, h, w};
    return padic_tensor_nd(PADIC_F32, x, 4, shape);
}

// ------------------------------------------------------------------------------------ variables

static void check_word(uint32_t word)
{
    const double p = (2.0 * (word & 0x7fffffff) + 1) * ldexp(1, -33);
    const double sign = word >> 31 ? -1 : 1;
    const double z = sign * padic_random_normal(word), l = sign * padic_random_laplace(word);
    const double density = exp(-0.5 * z * z) / sqrt(2 * pi);
    CHECK_NEAR((0.5 * erfc(z / sqrt(2)) - p) / density, 0, 2.5e-7 * (z > 1 ? z : 1));
    CHECK_NEAR(l, -log(2 * p), 2.5e-7 * (l > 1 ? l : 1));
    CHECK(padic_random_normal(word ^ 0x80000000u) == -padic_random_normal(word));
}

TEST(variables)
{
    uint64_t h = 1469598103934665603u;
    for (int b = 0; b < 31; b++)
        for (int i = 0; i < 64; i++) {
            const uint32_t top = 1u << b;
            check_word((uint32_t)(top + (test_random() & (top - 1))) | (i & 1 ? 0x80000000u : 0));
            check_word(i & 1 ? top : top - 1);
        }
    check_word(0);
    check_word(0x7fffffff);
    check_word(0xffffffff);
    for (uint32_t i = 0; i < 65536; i++) {
        const uint32_t word = i * 2654435769u;
        const float f[2] = {padic_random_normal(word), padic_random_laplace(word)};
        uint32_t bits[2];
        memcpy(bits, f, 8);
        h = (h ^ bits[0]) * 1099511628211u;
        h = (h ^ bits[1]) * 1099511628211u;
    }
    CHECK_EQ(h, UINT64_C(0xc2c7d84ffc2b3bab)); // D0
}

// ---------------------------------------------------------------------------------------- noise

static padic_rollout_noise_desc noise_of(float *in, float *out, uint64_t m, uint64_t c, uint64_t h,
                                         uint64_t w, const double *scale)
{
    padic_rollout_noise_desc d = PADIC_ZERO;
    d.field = stack(in, m, c, h, w);
    d.out = stack(out, m, c, h, w);
    d.law.scale = scale;
    d.seed = UINT64_C(0x123456789abcdef0);
    d.step = 1;
    return d;
}

// Moments, and the distance of Kolmogorov and Smirnov by 1,024 cells of equal probability.
typedef struct moments {
    double mean, variance, kurtosis, distance;
} moments;

static moments moments_of(const float *x, size_t n, int laplace, double scale)
{
    static double cells[1024];
    moments m = {0, 0, 0, 0};
    double fourth = 0, sum = 0;
    memset(cells, 0, sizeof cells);
    for (size_t i = 0; i < n; i++) m.mean += x[i];
    m.mean /= (double)n;
    for (size_t i = 0; i < n; i++) {
        const double d = x[i] - m.mean, z = x[i] / scale;
        const double tail = laplace ? 0.5 * exp(-fabs(z)) : 0.5 * erfc(fabs(z) / sqrt(2));
        const double p = z > 0 ? 1 - tail : tail;
        m.variance += d * d;
        fourth += d * d * d * d;
        cells[p < 1 ? (int)(p * 1024) : 1023]++;
    }
    m.variance /= (double)n;
    m.kurtosis = fourth / (double)n / (m.variance * m.variance) - 3;
    for (int i = 0; i < 1024; i++) {
        sum += cells[i] / (double)n;
        if (fabs(sum - (i + 1) / 1024.0) > m.distance) m.distance = fabs(sum - (i + 1) / 1024.0);
    }
    return m;
}

// R11: mean 0, variance s^2 or 2 s^2, kurtosis 0 or 3, within 5 standard errors; the law itself.
TEST(noise_white)
{
    const uint64_t side = (uint64_t)test_amount(128, 256, 512), n = 16 * side * side;
    float *zero = floats(n), *x = floats(n);
    const double s = 0.25, root = sqrt((double)n);
    for (int type = 0; type < 2; type++) {
        padic_rollout_noise_desc d = noise_of(zero, x, 4, 4, side, side, &s);
        moments m;
        d.law.type = type ? PADIC_ROLLOUT_NOISE_LAPLACE : PADIC_ROLLOUT_NOISE_GAUSSIAN;
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
        m = moments_of(x, n, type, s);
        CHECK_NEAR(m.mean, 0, 5 * s * (type ? sqrt(2) : 1) / root);
        CHECK_NEAR(m.variance, (type ? 2 : 1) * s * s,
                   5 * s * s * (type ? sqrt(20) : sqrt(2)) / root);
        CHECK_NEAR(m.kurtosis, type ? 3 : 0, 5 * (type ? 200 : sqrt(24)) / root);
        CHECK_NEAR(m.distance, 0, 2.2 / root); // one in 8,000
    }
    for (uint64_t i = 0; i < n; i++) zero[i] = 1.5f;
    padic_rollout_noise_desc d = noise_of(zero, x, 4, 4, side, side, &s);
    d.law.type = PADIC_ROLLOUT_NOISE_MULTIPLICATIVE;
    CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    for (uint64_t i = 0; i < n; i++) x[i] -= 1.5f;
    const moments m = moments_of(x, n, 0, 1.5 * s);
    CHECK_NEAR(m.mean, 0, 5 * 1.5 * s / root);
    CHECK_NEAR(m.variance, 2.25 * s * s, 5 * 2.25 * s * s * sqrt(2) / root);
    free(zero);
    free(x);
}

// Each element by the words that the header names.
TEST(noise_words)
{
    enum { M = 3, C = 2, H = 5, W = 7, N = M * C * H * W };
    float in[N], out[N], golden[N];
    const double s = 0.5;
    padic_rollout_noise_desc d = noise_of(in, out, M, C, H, W, &s);
    for (int i = 0; i < N; i++) in[i] = (float)i / 16 - 4;
    d.id = 77, d.realisation = 1000, d.site = 9, d.step = 12345;
    for (int type = 0; type < 4; type++) {
        d.law.type = (padic_rollout_noise_type)type;
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
        for (uint32_t i = 0; i < N; i++) {
            const uint32_t m = i / (C * H * W), e = i % (C * H * W), drop = type == 3;
            const uint32_t high = (1000 + m) << 12 | 9 << 4 | (drop ? 5 : 4);
            const uint64_t stream = (uint64_t)high << 32 | 77;
            const uint32_t element = drop ? e / (H * W) : e;
            uint32_t w[4];
            float n, want;
            padic_random_block(d.seed, stream, 12345, element / 4, w);
            n = type == 1 ? padic_random_laplace(w[element % 4])
                          : padic_random_normal(w[element % 4]);
            want = type == 2 ? in[i] * (1 + 0.5f * n) : in[i] + 0.5f * n;
            if (drop) want = padic_random_f32(w[element % 4]) < 0.5f ? 0 : in[i] * 2;
            CHECK(out[i] == want);
        }
    }
    d.law.type = PADIC_ROLLOUT_NOISE_LAPLACE;
    CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    memcpy(golden, out, sizeof out);
    CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    CHECK(!memcmp(golden, out, sizeof out));
}

// s at each frame, and how often DROPOUT leaves a channel out: s, and the others are 1/(1 - s).
TEST(noise_schedules)
{
    static float in[4096], out[4096], other[4096];
    const double s = 0.375, zero = 0;
    padic_rollout_noise_desc d = noise_of(in, out, 1, 4096, 1, 1, &s);
    for (int i = 0; i < 4096; i++) in[i] = 0;
    d.law.schedule = PADIC_ROLLOUT_NOISE_ANNEALING;
    for (d.step = 0; d.step < 10; d.step += 3) {
        padic_rollout_noise_desc same = d;
        const double now = s * (1 - d.step / 8.0);
        d.frames = 8;
        same.law.schedule = PADIC_ROLLOUT_NOISE_CONSTANT;
        same.law.scale = d.step < 8 ? &now : &zero;
        same.out = stack(other, 1, 4096, 1, 1);
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
        CHECK_EQ(padic_rollout_noise(NULL, &same), PADIC_OK);
        CHECK(!memcmp(out, other, sizeof out));
    }
    d.law.schedule = PADIC_ROLLOUT_NOISE_PERIODIC;
    d.law.period = 8;
    for (d.step = 0; d.step < 10; d.step++) {
        padic_rollout_noise_desc same = d;
        const double now = s * (1 + 0.5 * sin(2 * pi * d.step / 8));
        same.law.schedule = PADIC_ROLLOUT_NOISE_CONSTANT;
        same.law.scale = &now;
        same.out = stack(other, 1, 4096, 1, 1);
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
        CHECK_EQ(padic_rollout_noise(NULL, &same), PADIC_OK);
        for (int i = 0; i < 4096; i++) CHECK_NEAR(out[i], other[i], 1e-6);
    }
    d.law.schedule = PADIC_ROLLOUT_NOISE_CONSTANT;
    d.law.type = PADIC_ROLLOUT_NOISE_DROPOUT;
    for (int i = 0; i < 4096; i++) in[i] = 1;
    int kept = 0;
    CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    for (int i = 0; i < 4096; i++) {
        CHECK(out[i] == 0 || out[i] == (float)(1 / 0.625));
        kept += out[i] != 0;
    }
    CHECK_NEAR(kept, 4096 * 0.625, 5 * sqrt(4096 * 0.625 * 0.375));
    d.law.scale = &zero;
    for (int type = 0; type < 4; type++) {
        d.law.type = (padic_rollout_noise_type)type;
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
        CHECK(!memcmp(in, out, sizeof in));
    }
}

// R12 without a rollout: sums over frames have variance s^2 t (a repeated stream would have t^2);
// no correlation of frames, realisations, operators, sites and channels.
TEST(noise_independent)
{
    enum { N = 16384 };
    static float zero[N], x[6][N], sum[N];
    const double s = 1;
    for (uint32_t t = 1; t <= 16; t++) {
        padic_rollout_noise_desc d = noise_of(sum, sum, 1, 1, 128, 128, &s);
        d.step = t;
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    }
    const moments m = moments_of(sum, N, 0, 4);
    CHECK_NEAR(m.variance, 16, 5 * 16 * sqrt(2.0 / (double)N));
    for (int i = 0; i < 6; i++) {
        padic_rollout_noise_desc d = noise_of(zero, x[i], 1, 1, 128, 128, &s);
        d.id = i == 1, d.realisation = i == 2, d.site = i == 3, d.step = i == 4 ? 2 : 1;
        d.seed += i == 5;
        CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double r = 0;
            for (int k = 0; k < N; k++) r += (double)x[i][k] * x[j][k];
            CHECK_NEAR(r / (double)N, 0, 5 / sqrt((double)N));
        }
}

// The sum over modes of p cos(k.r), p = S / sum S, and 2 sum p^2.
static double covariance(int h, int w, double ell, int dx, int dy, double *squares)
{
    double sum = 0, all = 0, square = 0;
    for (int qy = -(h - 1) / 2; qy <= (h - 1) / 2; qy++)
        for (int qx = -(w - 1) / 2; qx <= (w - 1) / 2; qx++) {
            const double kx = 2 * pi * qx / w, ky = 2 * pi * qy / h;
            const double p = exp(-0.5 * ell * ell * (kx * kx + ky * ky));
            all += p;
            square += p * p;
            sum += p * cos(kx * dx + ky * dy);
        }
    *squares = 2 * square / (all * all);
    return sum / all;
}

TEST(noise_correlated)
{
    enum { H = 24, W = 32, N = H * W };
    const uint64_t fields = (uint64_t)test_amount(200, 2000, 20000);
    float *zero = floats(fields * N), *x = floats(fields * N), *l = floats(fields * N);
    const double s = 1;
    padic_rollout_noise_desc d = noise_of(zero, x, fields / 2, 2, H, W, &s);
    d.law.length = 2.5;
    CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    for (int lag = 0; lag < 8; lag++) {
        const int dx = lag, dy = lag / 2;
        double squares, sum = 0, other = 0;
        const double want = covariance(H, W, 2.5, dx, dy, &squares);
        for (uint64_t i = 0; i < fields; i++)
            for (int y = 0; y < H; y++)
                for (int at = 0; at < W; at++) {
                    const double a = x[i * N + (uint64_t)(y * W + at)];
                    sum += a * x[i * N + (uint64_t)((y + dy) % H * W + (at + dx) % W)];
                    other += a * x[(i + 1) % fields * N + (uint64_t)(y * W + at)];
                }
        CHECK_NEAR(sum / (double)(fields * N), want, 5 * sqrt(squares / (double)fields));
        CHECK_NEAR(want, exp(-(dx * dx + dy * dy) / (2 * 2.5 * 2.5)), 2e-4);
        CHECK_NEAR(other / (double)(fields * N), 0, 5 * sqrt(squares / (double)fields));
    }
    d.law.type = PADIC_ROLLOUT_NOISE_LAPLACE; // the same normal fields, by the quantiles
    d.out = stack(l, fields / 2, 2, H, W);
    CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
    for (uint64_t i = 0; i < fields * N; i += 17) {
        const double tail = erfc(fabs(x[i]) / sqrt(2)), size = -log(tail);
        CHECK_NEAR(l[i], x[i] < 0 ? -size : size, 1e-5 * (size + 0.01));
    }
    free(zero);
    free(x);
    free(l);
}

// One call or many, any strides, in place, any context: the same bits.
TEST(noise_splits)
{
    enum { M = 4, C = 3, H = 6, W = 10, N = M * C * H * W };
    static float in[N], whole[N], part[N], wide[2 * N];
    const double s = 0.1;
    contexts_begin(1);
    for (int i = 0; i < N; i++) in[i] = (float)(i % 31) - 15;
    for (int type = 0; type < 4; type++)
        for (int correlated = 0; correlated < 2; correlated++) {
            padic_rollout_noise_desc d = noise_of(in, whole, M, C, H, W, &s);
            if (correlated && type == PADIC_ROLLOUT_NOISE_DROPOUT) continue;
            d.law.type = (padic_rollout_noise_type)type;
            d.law.length = correlated * 1.5;
            CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
            for (uint32_t c = 1; c < context_count; c++) {
                d.out = stack(part, M, C, H, W);
                CHECK_EQ(padic_rollout_noise(contexts[c], &d), PADIC_OK);
                CHECK(!memcmp(whole, part, sizeof whole));
            }
            memcpy(part, in, sizeof in);
            for (uint32_t m = M; m-- > 0;) {
                d.field = d.out = stack(part + m * C * H * W, 1, C, H, W);
                d.realisation = m;
                CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
            }
            CHECK(!memcmp(whole, part, sizeof whole));
            d.realisation = 0;
            d.field = stack(in, M, C, H, W);
            d.out = stack(wide, M, C, H, W);
            d.out.stride[0] = 2 * C * H * W;
            d.out.stride[1] = 2 * H * W;
            d.out.stride[2] = 1;
            d.out.stride[3] = 2 * H;
            CHECK_EQ(padic_rollout_noise(NULL, &d), PADIC_OK);
            for (int i = 0; i < N; i++)
                CHECK(wide[i / (H * W) * 2 * H * W + i / W % H + i % W * 2 * H] == whole[i]);
        }
    contexts_end();
}

// --------------------------------------------------------------------------- initial conditions

// Modes of the half plane in the order of the header, by walking along it.
static int walk(int rank, int *x, int *y)
{
    int at = 0;
    *x = *y = 0;
    if (!rank) return 1;
    for (int s = 1; s < 100; s++) {
        *x = 0, *y = s;
        while (*y >= -s && *x >= 0) {
            if (*x == 0 && *y < 0) break; // not in the half plane
            if (++at == rank) return 1;
            if (*y == s && *x < s) ++*x;
            else if (*x == s && *y > -s) --*y;
            else --*x;
        }
    }
    return 0;
}

static double spectrum_of(const padic_rollout_spectrum *s, int qx, int qy, int h, int w)
{
    const double k2 = 4 * pi * pi * ((double)(qx * qx) / (w * w) + (double)(qy * qy) / (h * h));
    const double q = sqrt((double)(qx * qx + qy * qy));
    switch (s->kind) {
    case PADIC_ROLLOUT_SPECTRUM_GAUSSIAN: return exp(-k2 * s->ell * s->ell / 2);
    case PADIC_ROLLOUT_SPECTRUM_MATERN:
        return pow(2 * s->nu / (s->ell * s->ell) + k2, -(s->nu + 1));
    case PADIC_ROLLOUT_SPECTRUM_POWER: return q > 0 ? pow(q, -s->alpha) : 0;
    default: return q >= s->low && q < s->high;
    }
}

// Channel c of a field, by the direct sum.
static void direct(const padic_rollout_spectrum *s, double sigma, uint64_t seed, uint64_t stream,
                   int channels, int c, int h, int w, double *out)
{
    double all = 0;
    for (int i = 0; i < h * w; i++) out[i] = 0;
    for (int qy = -(h - 1) / 2; qy <= (h - 1) / 2; qy++)
        for (int qx = -(w - 1) / 2; qx <= (w - 1) / 2; qx++) all += spectrum_of(s, qx, qy, h, w);
    for (int rank = 0, x, y; rank < 2 * (h + w) * (h + w) && walk(rank, &x, &y); rank++) {
        uint32_t words[4];
        double a, re, im;
        if (2 * abs(x) >= w || 2 * abs(y) >= h) continue;
        a = sigma * sqrt(spectrum_of(s, x, y, h, w) / all);
        padic_random_block(seed, stream, 0, (uint32_t)(rank * channels + c), words);
        re = padic_random_normal(words[0]) / (rank ? sqrt(2) : 1);
        im = rank ? padic_random_normal(words[1]) / sqrt(2) : 0;
        for (int i = 0; i < h * w; i++) {
            const double phase = 2 * pi * ((double)(x * (i % w)) / w + (double)(y * (i / w)) / h);
            out[i] += (rank ? 2 : 1) * a * (re * cos(phase) - im * sin(phase));
        }
    }
}

static const padic_rollout_spectrum spectra[5] = {
    {PADIC_ROLLOUT_SPECTRUM_GAUSSIAN, 1.5, 0, 0, 0, 0},
    {PADIC_ROLLOUT_SPECTRUM_GAUSSIAN, 0, 0, 0, 0, 0},
    {PADIC_ROLLOUT_SPECTRUM_MATERN, 2, 1.5, 0, 0, 0},
    {PADIC_ROLLOUT_SPECTRUM_POWER, 0, 0, 1.75, 0, 0},
    {PADIC_ROLLOUT_SPECTRUM_BAND, 0, 0, 0, 1, 2.5}};

TEST(initial_direct)
{
    static const int sizes[5][2] = {{8, 8}, {5, 6}, {9, 7}, {1, 12}, {16, 3}};
    float x[2 * 3 * 64];
    double want[64];
    for (int k = 0; k < 5; k++)
        for (int size = 0; size < 5; size++) {
            const int h = sizes[size][0], w = sizes[size][1];
            const double sigma = 1.25;
            padic_rollout_initial_desc d = PADIC_ZERO;
            d.out = stack(x, 2, 3, (uint64_t)h, (uint64_t)w);
            d.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL;
            d.seed = 42;
            d.id = 7;
            d.sigma = &sigma;
            d.spectrum = spectra[k];
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            for (int i = 0; i < 2; i++)
                for (int c = 0; c < 3; c++) {
                    direct(&spectra[k], sigma, 42, (uint64_t)6 << 32 | (uint64_t)(7 + i), 3, c, h,
                           w, want);
                    for (int at = 0; at < h * w; at++)
                        CHECK_NEAR(x[(i * 3 + c) * h * w + at], want[at], 2e-6);
                }
        }
}

TEST(initial_terms)
{
    static float x[64], base[64];
    static double want[64], more[64];
    const padic_rollout_initial_term terms[2] = {{spectra[0], 0.25}, {spectra[3], 0.75}};
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.out = stack(x, 1, 1, 8, 8);
    d.kind = PADIC_ROLLOUT_INITIAL_MULTISCALE;
    d.terms = terms;
    d.count = 2;
    d.seed = 3;
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    direct(&spectra[0], 0.5, 3, (uint64_t)6 << 32, 1, 0, 8, 8, want);
    direct(&spectra[3], sqrt(0.75), 3, (uint64_t)(16 + 6) << 32, 1, 0, 8, 8, more);
    for (int i = 0; i < 64; i++) CHECK_NEAR(x[i], want[i] + more[i], 2e-6);
    // Tails: the quantiles of the field of the spectrum, by their closed distributions.
    memset(&d, 0, sizeof d);
    d.out = stack(base, 1, 1, 8, 8);
    d.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL;
    d.spectrum = spectra[0];
    for (d.seed = 0; d.seed < 20; d.seed++)
        for (int law = 0; law < 3; law++) {
            d.out = stack(base, 1, 1, 8, 8);
            d.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            d.out = stack(x, 1, 1, 8, 8);
            d.kind = PADIC_ROLLOUT_INITIAL_HEAVY;
            d.tails = law ? PADIC_ROLLOUT_TAILS_STUDENT : PADIC_ROLLOUT_TAILS_LAPLACE;
            d.freedom = law == 2 ? 4 : 0;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            for (int i = 0; i < 64; i++) {
                const double n = fabs(base[i]), tail = 0.5 * erfc(n / sqrt(2));
                const double t = fabs(x[i]) * (law == 0 ? sqrt(2) : law == 1 ? sqrt(3) : sqrt(2));
                const double u = t / sqrt(3), v = 1 + t * t / 4;
                const double p = law == 0   ? 0.5 * exp(-t)
                                 : law == 1 ? 0.5 - (u / (1 + u * u) + atan(u)) / pi
                                            : 0.5 - 0.375 * t / sqrt(v) * (1 - t * t / v / 12);
                CHECK_NEAR(p / tail, 1, 1e-5);
                CHECK((x[i] < 0) == (base[i] < 0));
            }
        }
}

// R18: the mean over fields of the variance about 0; sizes share their large scales; the slope of a
// power spectrum; nothing outside a band.
TEST(initial_spectra)
{
    enum { FIELDS = 2000, SIDE = 16 };
    float *x = floats(FIELDS * SIDE * SIDE), *large = floats(128 * 128), *less = floats(64 * 64);
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL;
    for (int k = 0; k < 5; k++) {
        double all = 0, square = 0, sum = 0;
        d.spectrum = spectra[k];
        d.out = stack(x, FIELDS, 1, SIDE, SIDE);
        CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
        for (int qy = -7; qy < 8; qy++)
            for (int qx = -7; qx < 8; qx++) {
                const double s = spectrum_of(&spectra[k], qx, qy, SIDE, SIDE);
                all += s;
                square += s * s;
            }
        for (int i = 0; i < FIELDS * SIDE * SIDE; i++) sum += (double)x[i] * x[i];
        CHECK_NEAR(sum / (double)(FIELDS * SIDE * SIDE), 1,
                   5 * sqrt(2 * square / (all * all) / (double)FIELDS));
    }
    d.spectrum = spectra[3]; // in cycles per domain: the same at both sizes
    d.out = stack(less, 1, 1, 64, 64);
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    d.out = stack(large, 1, 1, 128, 128);
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    double first = 0;
    for (int qy = -3; qy < 4; qy++)
        for (int qx = 0; qx < 4; qx++) {
            double a[2] = {0, 0}, b[2] = {0, 0};
            if (!qx && qy <= 0) continue;
            for (int i = 0; i < 64 * 64; i++) {
                const double p = 2 * pi * (qx * (i % 64) + qy * (i / 64)) / 64;
                a[0] += less[i] * cos(p) / 4096, a[1] += less[i] * sin(p) / 4096;
            }
            for (int i = 0; i < 128 * 128; i++) {
                const double p = 2 * pi * (qx * (i % 128) + qy * (i / 128)) / 128;
                b[0] += large[i] * cos(p) / 16384, b[1] += large[i] * sin(p) / 16384;
            }
            const double ratio = hypot(a[0], a[1]) / hypot(b[0], b[1]);
            if (first == 0) first = ratio;
            CHECK_NEAR(ratio / first, 1, 1e-5);
            CHECK_NEAR(a[0] * b[1] - a[1] * b[0], 0, 1e-5 * hypot(a[0], a[1]) * hypot(b[0], b[1]));
        }
    // Power at |q| = 2 and 20, less what its random numbers make of it; mean 0.
    double power[2] = {0, 0}, mean = 0, outside = 0;
    const int fields = test_amount(10, 40, 400);
    for (int i = 0; i < fields; i++) {
        static const int q[2][4][2] = {{{2, 0}, {0, 2}, {-2, 0}, {0, -2}},
                                       {{20, 0}, {0, 20}, {12, 16}, {16, -12}}};
        d.id = (uint32_t)i;
        d.out = stack(less, 1, 1, 64, 64);
        CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
        for (int j = 0; j < 4096; j++) mean += less[j] / 4096;
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 4; j++) {
                double a[2] = {0, 0};
                uint32_t words[4];
                int rank = 0, sx, sy, x0 = q[k][j][0], y0 = q[k][j][1];
                if (x0 < 0 || (!x0 && y0 < 0)) x0 = -x0, y0 = -y0;
                while (walk(rank, &sx, &sy) && (sx != x0 || sy != y0)) rank++;
                padic_random_block(0, (uint64_t)6 << 32 | (uint32_t)i, 0, (uint32_t)rank, words);
                for (int at = 0; at < 4096; at++) {
                    const double p = 2 * pi * (x0 * (at % 64) + y0 * (at / 64)) / 64;
                    a[0] += less[at] * cos(p), a[1] += less[at] * sin(p);
                }
                power[k] += (a[0] * a[0] + a[1] * a[1]) /
                            (pow(padic_random_normal(words[0]), 2) +
                             pow(padic_random_normal(words[1]), 2));
            }
    }
    CHECK_NEAR(log(power[1] / power[0]) / log(10), -1.75, 0.02);
    CHECK_NEAR(mean, 0, 1e-5);
    d.spectrum = spectra[4];
    d.out = stack(x, 1, 1, SIDE, SIDE);
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    for (int qy = -8; qy < 8; qy++)
        for (int qx = 0; qx <= 8; qx++) {
            double a[2] = {0, 0};
            const double q = sqrt((double)(qx * qx + qy * qy));
            for (int i = 0; i < SIDE * SIDE; i++) {
                const double p = 2 * pi * (qx * (i % SIDE) + qy * (i / SIDE)) / (double)SIDE;
                a[0] += x[i] * cos(p) / 256, a[1] += x[i] * sin(p) / 256;
            }
            if (!(q >= 1 && q < 2.5) && hypot(a[0], a[1]) > outside) outside = hypot(a[0], a[1]);
        }
    CHECK_NEAR(outside, 0, 1e-6);
    free(x);
    free(large);
    free(less);
}

TEST(initial_white)
{
    static float x[2 * 3 * 35];
    const double sigma = 0.5;
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.out = stack(x, 2, 3, 5, 7);
    d.kind = PADIC_ROLLOUT_INITIAL_WHITE;
    d.seed = 9;
    d.id = UINT32_MAX;
    d.sigma = &sigma;
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    for (uint32_t i = 0; i < 2 * 105; i++) {
        uint32_t words[4], e = i % 105;
        const uint32_t id = UINT32_MAX + i / 105;
        padic_random_block(9, (uint64_t)6 << 32 | id, 0, e / 4, words);
        CHECK(x[i] == 0.5f * padic_random_normal(words[e % 4]));
    }
}

TEST(initial_formulas)
{
    enum { H = 12, W = 20 };
    static float x[3 * H * W];
    const padic_rollout_wave waves[3] = {
        {0.5, 0.25, 1, 0}, {1.5, -1, -3, 2}, {0.25, 0, 1000001, 7}};
    const double sigma = 2, centre[2] = {3.25, -1.5};
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.out = stack(x, 1, 3, H, W);
    d.sigma = &sigma;
    d.waves = waves;
    d.count = 3;
    d.value = -4.5;
    d.k[0] = 0.7, d.k[1] = -0.3;
    d.phase = 0.4;
    d.width = 4;
    d.arms = 3;
    for (int kind = 0; kind < 12; kind++)
        for (int moved = 0; moved < 2; moved++) {
            d.kind = (padic_rollout_initial_kind)kind;
            d.centre = moved ? centre : NULL;
            if (kind > 1 && kind < 6) continue;
            if (kind == PADIC_ROLLOUT_INITIAL_TURING) continue;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            for (int i = 0; i < 3 * H * W; i++) {
                const int c = i / (H * W), iy = i / W % H, ix = i % W;
                const double px = ix - (moved ? 3.25 : 9.5), py = iy - (moved ? -1.5 : 5.5);
                const double r = hypot(px, py), theta = atan2(py, px);
                const double size = 2 * exp(-r * r / 64), phase = 0.7 * px - 0.3 * py + 0.4;
                double want = 0;
                switch (d.kind) {
                case PADIC_ROLLOUT_INITIAL_CONSTANT: want = -4.5; break;
                case PADIC_ROLLOUT_INITIAL_WAVES:
                    want = 2 * (0.5 * cos(2 * pi * ix / (double)W + 0.25) +
                                 1.5 * cos(2 * pi * (-3.0 * ix / (double)W +
                                                     2.0 * iy / (double)H) - 1) +
                                0.25 * cos(2 * pi * (1.0 * ix / (double)W + 7.0 * iy / (double)H)));
                    break;
                case PADIC_ROLLOUT_INITIAL_RADIAL:
                    want = 2 * cos(0.7 * r + 0.4) * exp(-r * r / 32);
                    break;
                case PADIC_ROLLOUT_INITIAL_PACKET:
                    want = c == 0 ? size * cos(phase) : c == 1 ? size * sin(phase) : size * size;
                    break;
                case PADIC_ROLLOUT_INITIAL_SPIRAL:
                    want = 2 * sin(0.7 * r - 3 * theta + 0.4);
                    break;
                case PADIC_ROLLOUT_INITIAL_TARGET: want = 2 * sin(0.7 * r + 0.4); break;
                default: break;
                }
                CHECK_NEAR(x[i], want, 2e-6);
            }
        }
    d.kind = PADIC_ROLLOUT_INITIAL_TURING;
    d.wavelength = 7;
    for (int pattern = 0; pattern < 3; pattern++) {
        const int waves_of = pattern == 0 ? 1 : pattern == 1 ? 3 : 16;
        d.turing = (padic_rollout_turing)pattern;
        d.count = 0;
        CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < H * W; i++) {
                double want = 0, start = 0;
                for (int j = 0; j < waves_of; j++) {
                    uint32_t words[4];
                    padic_random_block(0, (uint64_t)6 << 32, 0, (uint32_t)(j * 3 + c), words);
                    double angle = 2 * pi * padic_random_f32(words[1]);
                    if (!j) start = angle;
                    if (pattern == 1) angle = start + j * pi / 3;
                    want += 2 * sqrt(2.0 / waves_of) *
                            cos(2 * pi / 7 * (cos(angle) * (i % W) + sin(angle) * (i / W)) +
                                2 * pi * padic_random_f32(words[0]));
                }
                CHECK_NEAR(x[c * H * W + i], want, 2e-6 * 4);
            }
    }
}

// Objects, fronts, clusters and blocks by the words and formulas of the header.
enum { PH = 12, PW = 15, PN = PH * PW };

static double unit(uint32_t word)
{
    return (word >> 8) / 16777216.0;
}

static double image(double d, double size, int open)
{
    while (!open && d >= size / 2) d -= size;
    while (!open && d < -size / 2) d += size;
    return d;
}

static void field_words(uint32_t block, uint32_t words[4])
{
    padic_random_block(21, (uint64_t)6 << 32, 0, block, words);
}

static void check_plane(const float *x, const double *want)
{
    for (int i = 0; i < PN; i++) CHECK_NEAR(x[i], want[i], 4e-6);
}

TEST(initial_objects)
{
    static float x[2 * PN];
    static double want[PN];
    const double sigma = 0.5;
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.out = stack(x, 1, 2, PH, PW);
    d.seed = 21;
    d.sigma = &sigma;
    d.count = 7;
    d.radii.draw = PADIC_ROLLOUT_DRAW_UNIFORM, d.radii.a = 1, d.radii.b = 4;
    d.amplitudes.draw = PADIC_ROLLOUT_DRAW_NORMAL, d.amplitudes.a = 1, d.amplitudes.b = 0.5;
    d.weights[0] = 1, d.weights[1] = 2, d.weights[2] = 1;
    for (int kind = 12; kind < 16; kind++)
        for (d.open = 0; d.open < 2; d.open++) {
            d.kind = (padic_rollout_initial_kind)kind;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            for (uint32_t c = 0; c < 2; c++) {
                for (int i = 0; i < PN; i++) want[i] = 0;
                for (uint32_t j = 0; j < 7; j++) {
                    uint32_t a[4], b[4];
                    field_words(2 * (2 * j + c), a);
                    field_words(2 * (2 * j + c) + 1, b);
                    const double r = 1 + 3 * unit(a[2]), u = unit(b[1]);
                    const double size = 0.5 * (1 + 0.5 * padic_random_normal(a[3]));
                    const int what = kind < 15 ? kind - 12 : u < 0.25 ? 0 : u < 0.75 ? 1 : 2;
                    for (int i = 0; i < PN; i++) {
                        const double dx = image(i % PW - (double)PW * unit(a[0]), PW, (int)d.open);
                        const double dy = image(i / PW - (double)PH * unit(a[1]), PH, (int)d.open);
                        const double angle = 2 * pi * unit(b[0]), square = dx * dx + dy * dy;
                        const double along = fabs(dx * cos(angle) + dy * sin(angle));
                        want[i] += what == 0   ? size * (sqrt(square) < r)
                                   : what == 1 ? size * exp(-square / (2 * r * r))
                                               : size * (along < r);
                    }
                }
                check_plane(x + c * PN, want);
            }
        }
}

TEST(initial_fronts)
{
    static float x[PN], base[PN];
    static double want[PN];
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.out = stack(base, 1, 1, PH, PW);
    d.seed = 21;
    d.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL;
    d.spectrum = spectra[0];
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    d.out = stack(x, 1, 1, PH, PW);
    d.angle = 0.7, d.radius = 4, d.exponent = 2.5, d.fraction = 0.25;
    for (int way = 0; way < 9; way++) {
        d.kind = way < 6 ? PADIC_ROLLOUT_INITIAL_FRONT : PADIC_ROLLOUT_INITIAL_GRADIENT;
        d.front = (padic_rollout_front)(way % 3);
        d.decay = (padic_rollout_decay)(way % 3);
        d.width = way < 3 ? 0 : 1.5;
        CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
        for (int i = 0; i < PN; i++) {
            const int ix = i % PW, iy = i / PW;
            const double px = ix - 7.0, py = iy - 5.5, r = hypot(px, py);
            const double gx = (base[iy * PW + (ix + 1) % PW] - base[iy * PW + (ix + 14) % PW]) / 2;
            const double gy =
                (base[(iy + 1) % PH * PW + ix] - base[(iy + 11) % PH * PW + ix]) / 2;
            const double dist = way % 3 == 0   ? px * cos(0.7) + py * sin(0.7)
                                : way % 3 == 1 ? 4 - r
                                               : base[i] / hypot(gx, gy);
            const double decay = way == 6   ? exp(-r / 1.5)
                                 : way == 7 ? pow(1 + r / 1.5, -2.5)
                                            : 1 / (1 + exp((r - 4) / 1.5));
            want[i] = way < 3 ? (dist > 0) - (dist < 0) : tanh(dist / (sqrt(2) * 1.5));
            if (way > 5) want[i] = decay + 0.25 * base[i];
        }
        check_plane(x, want);
    }
}

TEST(initial_grown)
{
    static float x[PN];
    static double want[PN], places[64][2];
    uint32_t words[4], found = 0;
    padic_rollout_initial_desc d = PADIC_ZERO;
    d.out = stack(x, 1, 1, PH, PW);
    d.seed = 21;
    d.kind = PADIC_ROLLOUT_INITIAL_CELLS;
    d.count = 60; // more than there is room for
    d.radius = 3, d.width = 1;
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    for (uint32_t t = 0; t < 32 * 60 && found < 60; t++) {
        int fits = 1;
        field_words(t, words);
        places[found][0] = (double)PW * unit(words[0]);
        places[found][1] = (double)PH * unit(words[1]);
        for (uint32_t i = 0; i < found; i++)
            fits &= hypot(image(places[found][0] - places[i][0], PW, 0),
                          image(places[found][1] - places[i][1], PH, 0)) >= 3;
        found += (uint32_t)fits;
    }
    CHECK(found > 8 && found < 30);
    for (int i = 0; i < PN; i++) want[i] = 0;
    for (uint32_t k = 0; k < found; k++)
        for (int i = 0; i < PN; i++)
            want[i] += exp(-(pow(image(i % PW - places[k][0], PW, 0), 2) +
                             pow(image(i / PW - places[k][1], PH, 0), 2)) / 2);
    check_plane(x, want);
    d.kind = PADIC_ROLLOUT_INITIAL_CLUSTER; // connected, of that many cells; nested in a larger one
    static float larger[PN];
    for (d.open = 0; d.open < 2; d.open++)
        for (d.count = 0; d.count < PN + 20; d.count += 13) {
            int size = 0, edge = 0;
            d.out = stack(x, 1, 1, PH, PW);
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            d.out = stack(larger, 1, 1, PH, PW);
            d.count++;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            d.count--;
            for (int i = 0; i < PN; i++) {
                CHECK(x[i] == 0 || x[i] == 1);
                CHECK(larger[i] >= x[i]);
                size += x[i] != 0;
                want[i] = x[i];
            }
            CHECK_EQ(size, d.count < PN ? d.count : PN);
            CHECK(!d.count || x[6 * PW + 7] == 1); // the middle
            for (int i = 0; i < PN && !edge; i++) // flood from the first one
                if (want[i] == 1) want[i] = 2, edge = 1;
            for (int again = 1; again;) {
                again = 0;
                for (int i = 0; i < PN; i++)
                    for (int j = 0; j < PN && want[i] == 2; j++) {
                        const double dx = image(i % PW - j % PW, PW, (int)d.open);
                        const double dy = image(i / PW - j / PW, PH, (int)d.open);
                        if (want[j] == 1 && fabs(dx) + fabs(dy) == 1) want[j] = 2, again = 1;
                    }
            }
            for (int i = 0; i < PN; i++) CHECK(want[i] != 1);
        }
    d.kind = PADIC_ROLLOUT_INITIAL_BLOCKS;
    d.open = 0;
    d.count = 4;
    d.fraction = 0.25;
    d.out = stack(x, 1, 1, PH, PW);
    CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
    for (int i = 0; i < PN; i++) {
        const uint32_t b = (uint32_t)(i / PW / 4 * 4 + i % PW / 4), e = (uint32_t)i;
        uint32_t flips[4];
        field_words(b / 4, words);
        padic_random_block(21, (uint64_t)(16 + 6) << 32, 0, e / 4, flips);
        want[i] = (words[b % 4] & 1 ? -1 : 1) * (unit(flips[e % 4]) < 0.25 ? -1 : 1);
    }
    check_plane(x, want);
}

// Mean 0 and variance 1 of each channel; splits, strides and contexts change nothing.
TEST(initial_exact_and_splits)
{
    enum { I = 3, C = 2, H = 8, W = 12, N = I * C * H * W };
    static float x[N], part[N], wide[2 * N];
    padic_rollout_initial_desc d = PADIC_ZERO;
    const padic_rollout_initial_term terms[2] = {{spectra[0], 0.25}, {spectra[3], 0.75}};
    contexts_begin(1);
    d.wavelength = 5, d.width = 3, d.k[0] = 1;
    d.terms = terms;
    d.radii.a = 2, d.amplitudes.a = 1, d.weights[1] = 1, d.radius = 2, d.fraction = 0.25;
    d.spectrum.ell = 1;
    for (int kind = 0; kind < 21; kind++)
        for (d.exact = 0; d.exact < 2; d.exact++) {
            const uint64_t shape[3] = {C, H, W};
            d.kind = (padic_rollout_initial_kind)kind;
            d.count = kind == PADIC_ROLLOUT_INITIAL_WAVES ? 0 : kind < 12 ? 2 : 3;
            d.out = stack(x, I, C, H, W);
            d.id = 5;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            for (int p = 0; d.exact && p < I * C; p++) {
                double mean = 0, square = 0;
                for (int i = 0; i < H * W; i++) mean += x[p * H * W + i] / (H * W);
                for (int i = 0; i < H * W; i++) square += pow(x[p * H * W + i], 2) / (H * W);
                CHECK_NEAR(mean, 0, 1e-6);
                CHECK_NEAR(square, kind < 2 || kind == PADIC_ROLLOUT_INITIAL_WAVES ? 0 : 1, 2e-5);
            }
            for (uint32_t c = 1; c < context_count; c++) {
                d.out = stack(part, I, C, H, W);
                CHECK_EQ(padic_rollout_initial(contexts[c], &d), PADIC_OK);
                CHECK(!memcmp(x, part, sizeof x));
            }
            for (uint32_t i = I; i-- > 0;) {
                d.out = padic_tensor_nd(PADIC_F32, part + i * C * H * W, 3, shape);
                d.id = 5 + i;
                CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            }
            CHECK(!memcmp(x, part, sizeof x));
            d.id = 5;
            d.out = stack(wide, I, C, H, W);
            d.out.stride[0] = 2 * C * H * W, d.out.stride[1] = 2 * H * W;
            d.out.stride[2] = 1, d.out.stride[3] = 2 * H;
            CHECK_EQ(padic_rollout_initial(NULL, &d), PADIC_OK);
            for (int i = 0; i < N; i++)
                CHECK(wide[i / (H * W) * 2 * H * W + i / W % H + i % W * 2 * H] == x[i]);
        }
    contexts_end();
}

// ------------------------------------------------------------------------------------- hostile

TEST(noise_hostile)
{
    static float in[24], out[24];
    const double s = 0.1, negative = -1, one = 1, nan = NAN, big = 1e39, most = 0.7;
    const padic_rollout_noise_desc good = noise_of(in, out, 1, 2, 3, 4, &s);
    padic_rollout_noise_desc d;
#define NOISE(code, ...) \
    { \
        d = good; \
        __VA_ARGS__; \
        memset(out, 7, sizeof out); \
        CHECK_EQ(padic_rollout_noise(NULL, &d), code); \
        for (size_t k = 0; code != PADIC_OK && k < sizeof out; k++) \
            CHECK_EQ(((uint8_t *)out)[k], 7); \
    }
    CHECK_EQ(padic_rollout_noise(NULL, NULL), PADIC_ERROR_ARGUMENT);
    NOISE(PADIC_OK, d.step = 2)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.scale = &negative)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.scale = &nan)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.scale = &big)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.scale = &one; d.law.type = PADIC_ROLLOUT_NOISE_DROPOUT)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.scale = &most; d.law.type = PADIC_ROLLOUT_NOISE_DROPOUT;
          d.law.schedule = PADIC_ROLLOUT_NOISE_PERIODIC)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.length = 1; d.law.type = PADIC_ROLLOUT_NOISE_DROPOUT)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.type = (padic_rollout_noise_type)4)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.schedule = (padic_rollout_noise_schedule)3)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.schedule = PADIC_ROLLOUT_NOISE_ANNEALING)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.period = -1)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.period = NAN)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.length = -1)
    NOISE(PADIC_ERROR_ARGUMENT, d.law.length = INFINITY)
    NOISE(PADIC_ERROR_LIMIT, d.site = 256)
    NOISE(PADIC_ERROR_LIMIT, d.realisation = 1u << 20)
    NOISE(PADIC_ERROR_LIMIT, d.realisation = UINT32_MAX)
    NOISE(PADIC_ERROR_DTYPE, d.field.dtype = PADIC_F16)
    NOISE(PADIC_ERROR_DTYPE, d.out.dtype = PADIC_U32)
    NOISE(PADIC_ERROR_MISMATCH, d.field.rank = 2)
    NOISE(PADIC_ERROR_MISMATCH, d.out.shape[1] = 1)
    NOISE(PADIC_ERROR_OVERLAP, d.field.data = out + 1; d.field.shape[3] = d.out.shape[3] = 3)
    NOISE(PADIC_OK, d.field.shape[0] = d.out.shape[0] = 0)
}

TEST(initial_hostile)
{
    static float out[24];
    const double nan = NAN;
    const padic_rollout_initial_term term = {spectra[0], -1};
    const padic_rollout_wave wave = {INFINITY, 0, 0, 0};
    padic_rollout_initial_desc good = PADIC_ZERO, d;
    good.out = stack(out, 1, 2, 3, 4);
    good.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL;
#define INITIAL(code, ...) \
    { \
        d = good; \
        __VA_ARGS__; \
        memset(out, 7, sizeof out); \
        CHECK_EQ(padic_rollout_initial(NULL, &d), code); \
        for (size_t k = 0; code != PADIC_OK && k < sizeof out; k++) \
            CHECK_EQ(((uint8_t *)out)[k], 7); \
    }
    CHECK_EQ(padic_rollout_initial(NULL, NULL), PADIC_ERROR_ARGUMENT);
    INITIAL(PADIC_OK, d.seed = 1)
    INITIAL(PADIC_OK, d.out.shape[0] = 0)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = (padic_rollout_initial_kind)21)
    INITIAL(PADIC_ERROR_ARGUMENT, d.open = 2)
    INITIAL(PADIC_ERROR_ARGUMENT, d.front = (padic_rollout_front)3)
    INITIAL(PADIC_ERROR_ARGUMENT, d.decay = (padic_rollout_decay)3)
    INITIAL(PADIC_ERROR_ARGUMENT, d.angle = NAN)
    INITIAL(PADIC_ERROR_ARGUMENT, d.radius = -1)
    INITIAL(PADIC_ERROR_ARGUMENT, d.exponent = INFINITY)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_BLOCKS)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_BLOCKS; d.count = 1;
            d.fraction = 1.5)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_DISCS; d.count = 4097)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_CELLS; d.count = 4097;
            d.width = 1)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_CELLS)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_GRADIENT)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_FRONT; d.width = NAN)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_STRUCTURED)
    INITIAL(PADIC_ERROR_ARGUMENT, d.weights[2] = -1)
    INITIAL(PADIC_ERROR_ARGUMENT, d.radii.draw = (padic_rollout_draw)4)
    INITIAL(PADIC_ERROR_ARGUMENT, d.radii.draw = PADIC_ROLLOUT_DRAW_LOG)
    INITIAL(PADIC_ERROR_ARGUMENT, d.amplitudes.b = NAN)
    INITIAL(PADIC_ERROR_ARGUMENT, d.exact = 2)
    INITIAL(PADIC_ERROR_ARGUMENT, d.sigma = &nan)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_CONSTANT; d.value = INFINITY)
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.ell = -1)
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.ell = NAN)
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.kind = PADIC_ROLLOUT_SPECTRUM_MATERN)
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.kind = PADIC_ROLLOUT_SPECTRUM_POWER;
            d.spectrum.alpha = 65)
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.kind = PADIC_ROLLOUT_SPECTRUM_BAND)
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.kind = PADIC_ROLLOUT_SPECTRUM_BAND;
            d.spectrum.low = 50; d.spectrum.high = 60) // none on this grid
    INITIAL(PADIC_ERROR_ARGUMENT, d.spectrum.kind = (padic_rollout_spectrum_kind)4)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_MULTISCALE)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_MULTISCALE; d.count = 1)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_MULTISCALE; d.count = 1;
            d.terms = &term)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_WAVES; d.count = 1)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_WAVES; d.count = 1;
            d.waves = &wave)
    INITIAL(PADIC_ERROR_ARGUMENT, d.tails = (padic_rollout_tails)2)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_HEAVY; d.freedom = 2;
            d.tails = PADIC_ROLLOUT_TAILS_STUDENT)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_TURING)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_TURING; d.wavelength = 1;
            d.count = 4097)
    INITIAL(PADIC_ERROR_ARGUMENT, d.turing = (padic_rollout_turing)3)
    INITIAL(PADIC_ERROR_ARGUMENT, d.kind = PADIC_ROLLOUT_INITIAL_PACKET)
    INITIAL(PADIC_ERROR_ARGUMENT, d.k[1] = NAN)
    INITIAL(PADIC_ERROR_ARGUMENT, d.phase = INFINITY)
    INITIAL(PADIC_ERROR_ARGUMENT, d.centre = &nan)
    INITIAL(PADIC_ERROR_DTYPE, d.out.dtype = PADIC_F64)
    INITIAL(PADIC_ERROR_MISMATCH, d.out.rank = 2)
}

TEST_MAIN("rollout fields", CASE(variables), CASE(noise_white), CASE(noise_words),
          CASE(noise_schedules), CASE(noise_independent), CASE(noise_correlated),
          CASE(noise_splits), CASE(initial_direct), CASE(initial_terms), CASE(initial_spectra),
          CASE(initial_white), CASE(initial_formulas), CASE(initial_objects),
          CASE(initial_fronts), CASE(initial_grown), CASE(initial_exact_and_splits),
          CASE(noise_hostile), CASE(initial_hostile))
