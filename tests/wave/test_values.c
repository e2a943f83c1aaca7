// test_values.c: the published digits of waves and tensors wherever they are computed: the plain
// reference, every level of vectors that this CPU has, the kernels as plain C, a CUDA device if
// there is one, and with PADIC_TEST_OPENCL=1 an OpenCL device (a CPU will do). In the memory of
// many lanes and groups: each value stands at 67 places, and all are looked at. Digits are met in
// F64 to their last one, in F32 within the bound that the operation states.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../gpu/gpu_devices.h"
#include <math.h>

#define N 67
static const double pi = 3.14159265358979323846;

typedef struct place {
    const char *name;
    padic_context *context;
    int device, asked, did;
} place;
static place places[5 + MOST_DEVICES];
static int place_count;

static void open_places(void)
{
    static const char *const levels[] = {"neon", "avx2", "avx512", "avx512ifma"};
    if (place_count) return;
    places[place_count++].name = "reference";
    for (int i = 0; i < 4; i++) {
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        with.backends[0] = padic_simd();
        with.device.name = levels[i];
        with.flags = PADIC_CONTEXT_STRICT;
        if (padic_context_create(&with, &context)) continue; // this CPU lacks it
        places[place_count].name = levels[i];
        places[place_count++].context = context;
    }
    open_devices();
    for (int i = 0; i < device_count; i++) {
        static padic_device_info info[MOST_DEVICES];
        padic_context_device_info(devices[i], &info[i]);
        places[place_count].name = info[i].name;
        places[place_count].context = devices[i];
        places[place_count++].device = 1;
    }
    printf(" [");
    for (int i = 0; i < place_count; i++) printf("%s%s", i ? ", " : "", places[i].name);
    printf("]");
}

#define EACH_PLACE(p) \
    open_places();    \
    for (place *p = places; p < places + place_count; p++)

static const place *where; // of the last call, for messages

// Devices may leave an operation to the next backend, which strict contexts lack: 0 then. `must`:
// this one they do.
static int done(place *p, padic_result result, int must)
{
    where = p;
    p->asked++;
    p->did += !result;
    if (!result) return 1;
    if (result != PADIC_ERROR_NOT_SUPPORTED || must) {
        printf("\n  %s: %s", p->name, p->context ? padic_context_message(p->context) : "");
        CHECK_EQ(result, must ? PADIC_OK : PADIC_ERROR_NOT_SUPPORTED);
    }
    return 0;
}

static void near_(double got, double want, double slack, const char *what)
{
    const double off = got > want ? got - want : want - got;
    if (off <= slack) return;
    printf("\n  %s, %s: %.11g instead of %.11g, allowed %.3g", where->name, what, got, want, slack);
    CHECK(0);
}

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random() >> 11) / 9007199254740992.0;
}

// --------------------------------------------------------------------------------------- fields

// Sources (0, 0, 0) and (.3, -.4, 1.2), time 2; the point is P = (1, 2, 3) or beside a source.
static double s2_at[2][3] = {{0, 0, 0}, {.3, -.4, 1.2}}, s2_amplitude[2] = {1, 2};
static double s2_phase[2] = {.1, .7}, s2_wave[2] = {1.5, .5};
static double s2_p[3] = {1, 2, 3}, s2_side[3] = {.05, 0, 0}, s2_zero[3] = {0, 0, 0};

static padic_wave_superpose_desc s2_desc(void)
{
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.sources = padic_tensor_2d(PADIC_F64, s2_at, 2, 3);
    desc.amplitude = padic_tensor_1d(PADIC_F64, s2_amplitude, 2);
    desc.phase = padic_tensor_1d(PADIC_F64, s2_phase, 2);
    desc.frequency = padic_tensor_1d(PADIC_F64, s2_wave, 2);
    desc.time = 2;
    desc.length = .1;
    return desc;
}

static double point[N][3], got64[2 * N * 3];
static float got32[2 * N * 3];

// The point at N places of a list, of d coordinates.
static padic_tensor copies(const double *at, uint32_t d)
{
    for (int i = 0; i < N; i++) memcpy(&point[0][0] + (uint32_t)i * d, at, d * sizeof *at);
    return padic_tensor_2d(PADIC_F64, point, N, d);
}

// Terms of amplitude A at distance r: the page's (2 pi tolerance + 2e-6) sum A/r, tolerance 2e-6.
static double gate(const padic_wave_superpose_desc *desc, const double *at, uint32_t d)
{
    const double *from = (const double *)desc->sources.data;
    const double *a = (const double *)desc->amplitude.data;
    double sum = 0;
    for (uint64_t m = 0; m < desc->sources.shape[0]; m++) {
        double r2 = 0, size;
        for (uint32_t j = 0; j < d; j++)
            r2 += (at[j] - from[m * d + j]) * (at[j] - from[m * d + j]);
        size = a ? fabs(a[m]) : 1;
        if (desc->softening) r2 += desc->length * desc->length;
        sum += size / sqrt(r2);
    }
    return (6.2832 * 2e-6 + 2e-6) * sum;
}

// By few pairs, and on tiles, which a device takes when both k and w are given.
static void field_is(padic_wave_superpose_desc desc, const double *at, uint32_t d, double re,
                     double im, const char *what)
{
    const double slack = gate(&desc, at, d);
    desc.points = copies(at, d);
    for (int tiled = 0; tiled < 2; tiled++) {
        if (tiled && desc.wavenumber.dtype == PADIC_DTYPE_NONE) desc.wavenumber = desc.frequency;
        if (tiled && desc.frequency.dtype == PADIC_DTYPE_NONE) desc.frequency = desc.wavenumber;
        EACH_PLACE(p)
        {
            desc.out = padic_tensor_1d(PADIC_C64, got32, N);
            if (done(p, padic_wave_superpose(p->context, &desc), 1))
                for (int i = 0; i < 2 * N; i++) near_(got32[i], i & 1 ? im : re, slack, what);
            desc.out = padic_tensor_1d(PADIC_C128, got64, N);
            if (done(p, padic_wave_superpose(p->context, &desc), 0))
                for (int i = 0; i < 2 * N; i++) near_(got64[i], i & 1 ? im : re, 1e-10, what);
        }
    }
}

TEST(superpose)
{
    static double k = 1.3, w[2] = {1.5, -.5};
    padic_wave_superpose_desc desc = s2_desc();
    field_is(desc, s2_p, 3, -0.0323435028, 0.7252868636, "POINT3");
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.frequency.data = w;
    desc.sign = PADIC_WAVE_SIGN_INCOMING;
    desc.softening = PADIC_WAVE_SOFTENING_CLAMP;
    field_is(desc, s2_p, 3, -0.5783517924, -0.0809601305, "LEGACY field");
    field_is(desc, s2_side, 3, -9.6609929701, 0.6389328776, "LEGACY field inside");
}

TEST(superpose_softened)
{
    static const struct {
        padic_wave_softening soft;
        double re, im, side_re, side_im;
    } rows[] = {
        {PADIC_WAVE_SOFTENING_PLUMMER, -0.0323676698, 0.7249238812, -7.0442318791, -2.2620573064},
        {PADIC_WAVE_SOFTENING_PLUMMER_BOTH, -0.0330879823, 0.7246074168, -6.7509688090,
         -3.0341257315},
        {PADIC_WAVE_SOFTENING_ADDED, -0.0326414754, 0.7030849000, -4.9805240892, -1.5891247782},
        {PADIC_WAVE_SOFTENING_SHELL, -0.0315209376, 0.7246145072, -7.7750728394, -3.2891157970}};
    padic_wave_superpose_desc desc = s2_desc();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        desc.softening = rows[i].soft;
        field_is(desc, s2_p, 3, rows[i].re, rows[i].im, "softened");
        field_is(desc, s2_side, 3, rows[i].side_re, rows[i].side_im, "softened, inside");
    }
    field_is(desc, s2_zero, 3, -7.7984370841, -3.2892946109, "SHELL at 0");
}

TEST(superpose_green)
{
    static const double h0[4][3] = {{.1, 0.3835596628, 0.2493753905},
                                    {1, -0.0220642411, 0.1912994216},
                                    {10, -0.0139177918, -0.0614839411},
                                    {100, 0.0193110783, 0.0049964626}};
    static double k = 1, two = 2;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.sources = padic_tensor_2d(PADIC_F64, s2_zero, 1, 2);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.kernel = PADIC_WAVE_KERNEL_GREEN2;
    for (int i = 0; i < 4; i++) {
        const double at[2] = {.6 * h0[i][0], -.8 * h0[i][0]};
        field_is(desc, at, 2, h0[i][1], h0[i][2], "GREEN2");
    }
    const double at = .7;
    desc.kernel = PADIC_WAVE_KERNEL_GREEN1;
    desc.sources = padic_tensor_2d(PADIC_F64, s2_zero, 1, 1);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &two, 1);
    field_is(desc, &at, 1, -0.2463624325, 0.0424917857, "GREEN1");
}

// Two equal sources: |psi|^2 = 1/r1^2 + 1/r2^2 + 2 cos(k(r1 - r2))/(r1 r2).
TEST(superpose_interference)
{
    static double k = 7;
    static float v32[N];
    static double v64[N], want[N], slack[N];
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.sources = padic_tensor_2d(PADIC_F64, s2_at, 2, 3);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.points = padic_tensor_2d(PADIC_F64, point, N, 3);
    desc.output = PADIC_WAVE_OUTPUT_INTENSITY;
    for (int i = 0; i < N; i++) {
        double r[2] = {0, 0};
        for (int j = 0; j < 3; j++) {
            point[i][j] = uniform(3, 13);
            for (int m = 0; m < 2; m++)
                r[m] += (point[i][j] - s2_at[m][j]) * (point[i][j] - s2_at[m][j]);
        }
        for (int m = 0; m < 2; m++) r[m] = sqrt(r[m]);
        want[i] = 1 / (r[0] * r[0]) + 1 / (r[1] * r[1]) +
                  2 * cos(k * (r[0] - r[1])) / (r[0] * r[1]);
        slack[i] = 3 * gate(&desc, point[i], 3) * (1 / r[0] + 1 / r[1]);
    }
    EACH_PLACE(p)
    {
        desc.out = padic_tensor_1d(PADIC_F32, v32, N);
        if (done(p, padic_wave_superpose(p->context, &desc), 1))
            for (int i = 0; i < N; i++) near_(v32[i], want[i], slack[i], "interference");
        desc.out = padic_tensor_1d(PADIC_F64, v64, N);
        if (done(p, padic_wave_superpose(p->context, &desc), 0))
            for (int i = 0; i < N; i++) near_(v64[i], want[i], 1e-14, "interference");
    }
}

// The phase is the same along dr/dt = w/k, of INCOMING along -w/k; CONJUGATE is the conjugate.
TEST(superpose_sign)
{
    static double at[2][N], r = 5, k = 3, w = 2;
    static float psi[N][2];
    static double wide[N][2];
    for (int sign = 0; sign < 3; sign++)
        for (int then = 0; then < 2; then++) {
            const double x = r + (sign == PADIC_WAVE_SIGN_INCOMING ? -1 : 1) * w / k * .7 * then;
            const double re = cos(k * r) / x;
            const double im = (sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1) * sin(k * r) / x;
            padic_wave_superpose_desc desc = PADIC_ZERO;
            for (int i = 0; i < N; i++) at[then][i] = x;
            desc.points = padic_tensor_2d(PADIC_F64, at[then], N, 1);
            desc.sources = padic_tensor_2d(PADIC_F64, s2_zero, 1, 1);
            desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
            desc.frequency = padic_tensor_1d(PADIC_F64, &w, 1);
            desc.sign = (padic_wave_sign)sign;
            desc.time = .7 * then;
            const double slack = (6.2832 * 2e-6 + 2e-6) / x;
            EACH_PLACE(p)
            {
                desc.out = padic_tensor_1d(PADIC_C64, psi, N);
                if (done(p, padic_wave_superpose(p->context, &desc), 1))
                    for (int i = 0; i < N; i++)
                        near_(psi[i][0], re, slack, "sign"), near_(psi[i][1], im, slack, "sign");
                desc.out = padic_tensor_1d(PADIC_C128, wide, N);
                if (done(p, padic_wave_superpose(p->context, &desc), 0))
                    for (int i = 0; i < N; i++)
                        near_(wide[i][0], re, 1e-14, "sign"), near_(wide[i][1], im, 1e-14, "sign");
            }
        }
}

// 16 sources half a wavelength apart, seen from 1e6 wavelengths: the geometric series.
TEST(superpose_array)
{
    static double at[16][2], distant[89][2], k = 6.283185307179586477;
    static float psi32[89][2];
    static double psi64[89][2];
    padic_wave_superpose_desc desc = PADIC_ZERO;
    for (int i = 0; i < 16; i++) at[i][0] = .5 * (i - 7.5);
    for (int i = 0; i < 89; i++) {
        distant[i][0] = 1e6 * sin((i + 1) * pi / 180);
        distant[i][1] = 1e6 * cos((i + 1) * pi / 180);
    }
    desc.points = padic_tensor_2d(PADIC_F64, distant, 89, 2);
    desc.sources = padic_tensor_2d(PADIC_F64, at, 16, 2);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    EACH_PLACE(p)
    {
        for (int is_double = 0; is_double < 2; is_double++) {
            desc.out = padic_tensor_1d(is_double ? PADIC_C128 : PADIC_C64,
                                       is_double ? (void *)psi64 : (void *)psi32, 89);
            if (!done(p, padic_wave_superpose(p->context, &desc), !is_double)) continue;
            for (int i = 0; i < 89; i++) {
                const double x = pi * sin((i + 1) * pi / 180), want = fabs(sin(8 * x) / sin(x / 2));
                const double re = is_double ? psi64[i][0] : (double)psi32[i][0];
                const double im = is_double ? psi64[i][1] : (double)psi32[i][1];
                // The front's curvature fills the nulls by up to 1.2e-4.
                const double fills = want > 1 ? 0 : 1.2e-4;
                near_(1e6 * hypot(re, im), want, is_double ? 3e-8 + fills : 3e-4 + fills, "array");
            }
        }
    }
}

// A shell of sources: psi/N = e^{ikR}/R sin(kr)/(kr) to the lattice's error.
TEST(superpose_sphere)
{
    static const double expected[2][3] = {{7.0e-5, 9.7e-6, 8.5e-7}, {7.8e-5, 7.6e-6, 6.5e-7}};
    static const uint64_t sizes[3] = {500, 2000, 8000};
    static double at[8000][3], k = 6.283185307179586477;
    for (int i = 0; i < N; i++) {
        point[i][0] = .06 * (i % 7);
        point[i][1] = .048 * (i % 7);
        point[i][2] = .064 * (i % 7);
    }
    for (int t = 0; t < 6; t++) {
        const uint64_t n = sizes[t % 3];
        padic_wave_lattice_desc lattice = PADIC_ZERO;
        padic_wave_superpose_desc desc = PADIC_ZERO;
        lattice.turns = t / 3 * 5;
        lattice.out = padic_tensor_2d(PADIC_F64, at, n, 3);
        CHECK_EQ(padic_wave_lattice(NULL, &lattice), PADIC_OK);
        desc.points = padic_tensor_2d(PADIC_F64, point, N, 3);
        desc.sources = lattice.out;
        desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        EACH_PLACE(p)
        {
            for (int is_double = 0; is_double < 2; is_double++) {
                double worst = 0;
                desc.out = padic_tensor_1d(is_double ? PADIC_C128 : PADIC_C64,
                                           is_double ? (void *)got64 : (void *)got32, N);
                if (!done(p, padic_wave_superpose(p->context, &desc), !is_double)) continue;
                for (int i = 0; i < N; i++) {
                    const double x = k * .1 * (i % 7), exact = i % 7 ? sin(x) / x : 1;
                    const double re = is_double ? got64[2 * i] : (double)got32[2 * i];
                    const double im = is_double ? got64[2 * i + 1] : (double)got32[2 * i + 1];
                    const double off = hypot(re / (double)n - exact, im / (double)n);
                    if (off > worst) worst = off;
                }
                near_(worst, expected[t / 3][t % 3],
                      .01 * expected[t / 3][t % 3] +
                          (is_double ? 0 : gate(&desc, point[6], 3) / (double)n),
                      "sphere of sources");
            }
        }
    }
}

// Sources 10^p wavelengths from a tile of half-diagonal h: no phase is wrong by more than 2e-6
// turns, nor by more than the run says.
TEST(superpose_flat)
{
    enum { TILE = 256 };
    static double tile[TILE][3];
    static float field[TILE][2];
    static double source[3], k = 6.283185307179586477;
    for (int p10 = 0; p10 <= 7; p10++)
        for (int size = 0; size < 4; size++) {
            const double h = .5 * (1 << size), away = pow(10, p10);
            padic_wave_superpose_desc desc = PADIC_ZERO;
            padic_wave_superpose_report told = PADIC_ZERO;
            double length = 0, centre[3];
            for (int j = 0; j < 3; j++) source[j] = uniform(-1, 1), length += source[j] * source[j];
            for (int j = 0; j < 3; j++) {
                centre[j] = uniform(-away, away) / 3;
                source[j] = centre[j] + source[j] / sqrt(length) * away;
            }
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < 3; j++)
                    tile[i][j] = centre[j] + uniform(-h, h) / sqrt(3.0);
            desc.points = padic_tensor_2d(PADIC_F64, tile, TILE, 3);
            desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
            desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
            desc.frequency = padic_tensor_1d(PADIC_F64, &k, 1);
            desc.out = padic_tensor_1d(PADIC_C64, field, TILE);
            desc.report = &told;
            EACH_PLACE(p)
            {
                double worst = 0;
                if (!done(p, padic_wave_superpose(p->context, &desc), 1)) continue;
                for (int i = 0; i < TILE; i++) {
                    long double r = 0, turns, angle;
                    for (int j = 0; j < 3; j++) {
                        const long double d = (long double)tile[i][j] - (long double)source[j];
                        r += d * d;
                    }
                    turns = sqrtl(r) * ((long double)k / 6.283185307179586476925286766559L);
                    turns -= floorl(turns);
                    angle = turns * 6.283185307179586476925286766559L;
                    const double off = fabs(atan2(
                        (double)(field[i][1] * cosl(angle) - field[i][0] * sinl(angle)),
                        (double)(field[i][0] * cosl(angle) + field[i][1] * sinl(angle))));
                    if (off > worst) worst = off;
                }
                // The field's rounding to f32 is no phase's; nor is what a device's sine is off by:
                // 2^-21.19 rad of CUDA's fast cosine (__cosf), by its manual.
                const double rounding = 1e-8 + (p->device ? pow(2, -21.19) / (2 * pi) : 0);
                near_(worst / (2 * pi), 0, told.error_bound < 2e-6 ? told.error_bound + rounding
                      : 2e-6,
                      "phase in turns");
            }
        }
}

// S2 at two times: its own digits at 2, and on average |Phi_1|^2 + |Phi_2|^2.
TEST(frames)
{
    static double times[3] = {-2, 0, .5}, mean[N];
    static float psi[3][N][2];
    static double wide[3][N][2];
    static float mean32[N];
    const double r1 = 14, r2 = .49 + 5.76 + 3.24;
    padic_wave_frames_desc desc = PADIC_ZERO;
    desc.field = s2_desc();
    desc.field.points = copies(s2_p, 3);
    desc.times = padic_tensor_1d(PADIC_F64, times, 3);
    const double slack = gate(&desc.field, s2_p, 3);
    EACH_PLACE(p)
    {
        desc.field.out = padic_tensor_2d(PADIC_C64, psi, 3, N);
        desc.mean_intensity = padic_tensor_1d(PADIC_F32, mean32, N);
        if (done(p, padic_wave_frames(p->context, &desc), 1))
            for (int i = 0; i < N; i++) {
                near_(psi[1][i][0], -0.0323435028, slack, "frames");
                near_(psi[1][i][1], 0.7252868636, slack, "frames");
                near_(mean32[i], 1 / r1 + 4 / r2, 3 * slack, "mean intensity");
            }
        desc.field.out = padic_tensor_2d(PADIC_C128, wide, 3, N);
        desc.mean_intensity = padic_tensor_1d(PADIC_F64, mean, N);
        if (done(p, padic_wave_frames(p->context, &desc), 0))
            for (int i = 0; i < N; i++) {
                near_(wide[1][i][0], -0.0323435028, 1e-10, "frames");
                near_(wide[1][i][1], 0.7252868636, 1e-10, "frames");
                near_(mean[i], 1 / r1 + 4 / r2, 1e-12, "mean intensity");
            }
    }
}

// ------------------------------------------------------------------------------------- gradients

// steep: what k and 1/r add to the bound of a slope.
static void slope_is(padic_wave_gradient_desc desc, const double *at, uint32_t d,
                     const double *want, double steep, double off, const char *what)
{
    const double slack = gate(&desc.field, at, d) * steep;
    desc.field.points = copies(at, d);
    EACH_PLACE(p)
    {
        desc.out = padic_tensor_2d(PADIC_C64, got32, N, d);
        if (done(p, padic_wave_gradient(p->context, &desc), 1))
            for (uint32_t i = 0; i < 2 * N * d; i++)
                near_(got32[i], want[i % (2 * d)], slack + off, what);
        desc.out = padic_tensor_2d(PADIC_C128, got64, N, d);
        if (done(p, padic_wave_gradient(p->context, &desc), 0))
            for (uint32_t i = 0; i < 2 * N * d; i++) near_(got64[i], want[i % (2 * d)], off, what);
    }
}

TEST(gradient)
{
    static const double digits[6] = {-0.1125288225, -0.1267309129, -0.3469297329,
                                     -0.2839750618, -0.3010248413, -0.3710387680};
    static const double rows[4][3] = {{.1, -1.6147377737, -0.0124843815},
                                      {1, -0.1953032053, -0.1100126464},
                                      {10, 0.0622538561, -0.0108681865},
                                      {100, -0.0050930780, 0.0192863380}};
    static double k = 1;
    padic_wave_gradient_desc desc = PADIC_ZERO;
    desc.field = s2_desc();
    slope_is(desc, s2_p, 3, digits, 2.5, 1e-10, "gradient");
    memset(&desc.field, 0, sizeof desc.field);
    desc.field.sources = padic_tensor_2d(PADIC_F64, s2_zero, 1, 2);
    desc.field.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.field.kernel = PADIC_WAVE_KERNEL_GREEN2;
    for (int i = 0; i < 4; i++) {
        const double at[2] = {.6 * rows[i][0], -.8 * rows[i][0]};
        const double want[4] = {.6 * rows[i][1], .6 * rows[i][2], -.8 * rows[i][1],
                                -.8 * rows[i][2]};
        slope_is(desc, at, 2, want, 1 + 3 / rows[i][0], 1e-10, "GREEN2's slope");
    }
}

// Rayleigh and Sommerfeld's first integral behind a round hole, on its axis.
TEST(gradient_aperture)
{
    enum { RINGS = 2000 };
    static const double want[2][3] = {{2, 1.27883844, -0.24531645}, {8, 1.77608245, -0.34175598}};
    static double sources[RINGS][3], amplitude[RINGS], k = 6.283185307179586477;
    for (int i = 0; i < RINGS; i++) {
        const double ring = 5 * (i + .5) / (double)RINGS;
        sources[i][0] = ring * cos(i);
        sources[i][1] = ring * sin(i);
        amplitude[i] = -ring * 5 / (double)RINGS;
    }
    for (int i = 0; i < 2; i++) {
        double at[3] = {0, 0, want[i][0]};
        padic_wave_gradient_desc desc = PADIC_ZERO;
        desc.field.points = copies(at, 3);
        desc.field.sources = padic_tensor_2d(PADIC_F64, sources, RINGS, 3);
        desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, RINGS);
        desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        const double slack = gate(&desc.field, at, 3) * (k + 3 / want[i][0]);
        EACH_PLACE(p)
        {
            desc.out = padic_tensor_2d(PADIC_C64, got32, N, 3);
            if (done(p, padic_wave_gradient(p->context, &desc), 1))
                for (int j = 0; j < 2 * N; j++)
                    near_(got32[j / 2 * 6 + 4 + j % 2], want[i][1 + j % 2], 5e-6 + slack,
                          "aperture");
            desc.out = padic_tensor_2d(PADIC_C128, got64, N, 3);
            if (done(p, padic_wave_gradient(p->context, &desc), 0))
                for (int j = 0; j < 2 * N; j++)
                    near_(got64[j / 2 * 6 + 4 + j % 2], want[i][1 + j % 2], 5e-6, "aperture");
        }
    }
}

// The power of two sources through a sphere about both.
TEST(gradient_flux)
{
    enum { MANY = 20000 };
    static double points[MANY][3], grad64[MANY][3][2], psi64[MANY][2];
    static float grad32[MANY][3][2], psi32[MANY][2];
    static double sources[2][3] = {{0, 0, -.35}, {0, 0, .35}}, amplitude[2] = {1, 2};
    static double phase[2] = {.6, 0}, k = 3;
    padic_wave_lattice_report told = PADIC_ZERO;
    padic_wave_lattice_desc sphere = PADIC_ZERO;
    padic_wave_gradient_desc desc = PADIC_ZERO;
    sphere.out = padic_tensor_2d(PADIC_F64, points, MANY, 3);
    sphere.radius = 2.5;
    sphere.report = &told;
    CHECK_EQ(padic_wave_lattice(NULL, &sphere), PADIC_OK);
    desc.field.points = sphere.out;
    desc.field.sources = padic_tensor_2d(PADIC_F64, sources, 2, 3);
    desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, 2);
    desc.field.phase = padic_tensor_1d(PADIC_F64, phase, 2);
    desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    EACH_PLACE(p)
    {
        for (int is_double = 0; is_double < 2; is_double++) {
            const padic_dtype type = is_double ? PADIC_C128 : PADIC_C64;
            double sum = 0;
            desc.field.out =
                padic_tensor_1d(type, is_double ? (void *)psi64 : (void *)psi32, MANY);
            desc.out =
                padic_tensor_2d(type, is_double ? (void *)grad64 : (void *)grad32, MANY, 3);
            if (!done(p, padic_wave_gradient(p->context, &desc), !is_double)) continue;
            for (int i = 0; i < MANY; i++)
                for (int a = 0; a < 3; a++) {
                    const double re = is_double ? psi64[i][0] : (double)psi32[i][0];
                    const double im = is_double ? psi64[i][1] : (double)psi32[i][1];
                    const double x = is_double ? grad64[i][a][0] : (double)grad32[i][a][0];
                    const double y = is_double ? grad64[i][a][1] : (double)grad32[i][a][1];
                    sum += (re * y - im * x) * points[i][a] / 2.5;
                }
            near_(sum * told.weight, 239.6541468, is_double ? 4e-5 : 4e-5 + 239.7 * 3e-5, "flux");
        }
    }
}

// ------------------------------------------------------------------------- what is seen of fields

static float psi32[2 * N];
static double psi64[2 * N];

static padic_tensor numbers(int is_double, const double *values, int count, uint64_t n)
{
    for (uint64_t i = 0; i < 2 * n; i++) {
        psi64[i] = values[i % (uint64_t)count];
        psi32[i] = (float)psi64[i];
    }
    return padic_tensor_1d(is_double ? PADIC_C128 : PADIC_C64,
                           is_double ? (void *)psi64 : (void *)psi32, n);
}

TEST(observe)
{
    static const double z[6] = {3, -4, -1, 0, 0, 0};
    static const double want[5][3] = {{25, 1, 0}, {3, -1, 0}, {5, 1, 0}, {25, 1, 0},
                                      {-0.92729521800161223, 3.14159265358979323846, 0}};
    for (int is_double = 0; is_double < 2; is_double++)
        for (int output = 0; output < 5; output++) {
            padic_wave_observe_desc desc = PADIC_ZERO;
            desc.output = (padic_wave_output)output;
            EACH_PLACE(p)
            {
                desc.psi = numbers(is_double, z, 6, N);
                desc.out = padic_tensor_1d(is_double ? PADIC_F64 : PADIC_F32,
                                           is_double ? (void *)got64 : (void *)got32, N);
                if (!done(p, padic_wave_observe(p->context, &desc), !is_double)) continue;
                for (int i = 0; i < N; i++)
                    near_(is_double ? got64[i] : (double)got32[i], want[output][i % 3],
                          (is_double ? 1e-15 : 5e-7) * fabs(want[output][i % 3]), "observe");
            }
        }
}

TEST(tonemap)
{
    static const double ramp[5] = {0, 1, 2, 3, 4}, wide[3] = {1, 3, 15};
    static const uint8_t bytes[3][5] = {{0, 64, 128, 191, 255}, {128, 191}, {64, 128, 255}};
    static const int sizes[3] = {5, 2, 3};
    static float v[N];
    static uint8_t pixels[N][4];
    for (int curve = 0; curve < 3; curve++) {
        padic_wave_tonemap_desc desc = PADIC_ZERO;
        desc.tone.curve = (padic_wave_curve)curve;
        desc.tone.low = curve == PADIC_WAVE_CURVE_LOG;
        desc.tone.high = curve == PADIC_WAVE_CURVE_LOG ? 15 : curve ? 1 : 4;
        desc.field = padic_tensor_1d(PADIC_F32, v, N);
        desc.out = padic_tensor_2d(PADIC_U8, pixels, N, 4);
        for (int i = 0; i < N; i++)
            v[i] = (float)(curve ? wide[i % sizes[curve]] : ramp[i % sizes[curve]]);
        EACH_PLACE(p)
        {
            if (!done(p, padic_wave_tonemap(p->context, &desc), 1)) continue;
            for (int i = 0; i < 4 * N; i++) {
                const double want = i % 4 == 3 ? 255 : bytes[curve][i / 4 % sizes[curve]];
                near_(pixels[i / 4][i % 4], want, p->device && i % 4 < 3, "tones");
            }
        }
    }
}

TEST(normalise)
{
    static const double z[4] = {3, 0, 0, 4};
    for (int is_double = 0; is_double < 2; is_double++)
        for (int row = 0; row < 2; row++) { // LEGACY; dV = .5
            padic_wave_normalise_desc desc = PADIC_ZERO;
            desc.legacy = row == 0;
            desc.volume = row ? .5 : 0;
            EACH_PLACE(p)
            {
                const double re = row ? .8485281374 : .599999999988;
                const double im = row ? 1.1313708499 : .799999999984;
                desc.psi = numbers(is_double, z, 4, 2);
                if (!done(p, padic_wave_normalise(p->context, &desc), !is_double)) continue;
                const double off = is_double ? row ? 6e-11 : 1e-15 : 1.2e-7;
                near_(is_double ? psi64[0] : (double)psi32[0], re, off, "norm");
                near_(is_double ? psi64[3] : (double)psi32[3], im, off, "norm");
            }
        }
}

TEST(phase_gradient)
{
    static const double phase[4] = {2.8, 3.1, -2.9, -2.5};
    static const double want[3][4] = {{.3, .2915926536, .3415926536, .4},
                                      {.29552020666, .2874678524, .3344169203, .38941834231},
                                      {.3, -2.85, -2.8, .4}};
    static float rows32[N][4][2], out32[N][4][2];
    static double rows64[N][4][2], out64[N][4][2];
    for (int i = 0; i < N * 4; i++) {
        rows64[i / 4][i % 4][0] = 2 * cos(phase[i % 4]);
        rows64[i / 4][i % 4][1] = 2 * sin(phase[i % 4]);
        for (int j = 0; j < 2; j++) rows32[i / 4][i % 4][j] = (float)rows64[i / 4][i % 4][j];
    }
    for (int is_double = 0; is_double < 2; is_double++)
        for (int method = 0; method < 3; method++) {
            padic_wave_phase_gradient_desc desc = PADIC_ZERO;
            desc.method = (padic_wave_phase_method)method;
            desc.psi = padic_tensor_2d(is_double ? PADIC_C128 : PADIC_C64,
                                       is_double ? (void *)rows64 : (void *)rows32, N, 4);
            desc.out = padic_tensor_3d(is_double ? PADIC_F64 : PADIC_F32,
                                       is_double ? (void *)out64 : (void *)out32, N, 4, 2);
            EACH_PLACE(p)
            {
                if (!done(p, padic_wave_phase_gradient(p->context, &desc), !is_double)) continue;
                for (int i = 0; i < N * 4; i++) {
                    const double across = is_double ? out64[i / 4][i % 4][0]
                                                    : (double)out32[i / 4][i % 4][0];
                    const double along = is_double ? out64[i / 4][i % 4][1]
                                                   : (double)out32[i / 4][i % 4][1];
                    near_(across, 0, is_double ? 1e-15 : 4e-6, "phase gradient across");
                    near_(along, want[method][i % 4], is_double ? 6e-11 : 4e-6, "phase gradient");
                }
            }
        }
}

TEST(vortex)
{
    static const struct {
        padic_wave_core core;
        double length, re, im;
    } rows[] = {{PADIC_WAVE_CORE_LEGACY, .1, 0.1920098525, 0.9813836905},
                {PADIC_WAVE_CORE_LEGACY, 1, 0.0692055717, 0.3537173664},
                {PADIC_WAVE_CORE_RATIONAL, .1, 0.1718107984, 0.8781440806},
                {PADIC_WAVE_CORE_RATIONAL, 1, 0.0074924671, 0.0382948318}};
    static const double f1[3] = {.5200517, .8049568, .9174811};
    static double at[3] = {.3, -.2, .5}, centres[2][3] = {{0, 0, 0}, {.1, .1, -.2}}, core;
    static double charges[2] = {1, -2}, opposite[2] = {-1, 2};
    for (int row = 0; row < 7; row++) {
        padic_wave_vortex_desc desc = PADIC_ZERO;
        const double axis[3] = {row - 3.0, 0, 0};
        desc.core = row < 4 ? rows[row].core : PADIC_WAVE_CORE_PADE;
        core = row < 4 ? rows[row].length : 1;
        desc.points = copies(row < 4 ? at : axis, 3);
        desc.centres = padic_tensor_2d(PADIC_F64, centres, row < 4 ? 2 : 1, 3);
        desc.cores = padic_tensor_nd(PADIC_F64, &core, 0, NULL);
        EACH_PLACE(p)
        {
            for (int turn = 0; turn < 4; turn++) { // both precisions, both senses
                const int is_double = turn & 1;
                const double re = row < 4 ? rows[row].re : f1[row - 4];
                const double im = row < 4 ? (turn & 2 ? -rows[row].im : rows[row].im) : 0;
                const double off = (is_double ? 1e-10 : 5e-7 * 7 * hypot(re, im)) +
                                   (row < 4 ? 0 : 7.6e-3);
                desc.charges =
                    padic_tensor_1d(PADIC_F64, turn & 2 ? opposite : charges, row < 4 ? 2 : 1);
                desc.out = padic_tensor_1d(is_double ? PADIC_C128 : PADIC_C64,
                                           is_double ? (void *)got64 : (void *)got32, N);
                if (!done(p, padic_wave_vortex(p->context, &desc), !is_double)) continue;
                for (int i = 0; i < 2 * N; i++)
                    near_(is_double ? got64[i] : (double)got32[i], i & 1 ? im : re, off, "vortex");
            }
        }
    }
}

// A vortex of charge q in a plane of 16 x 16: the sum is q, of 3 at a cell's centre +1 +1 -1 +1 +1.
TEST(winding)
{
    static float psi[256][2];
    static int8_t map[256];
    for (int q = -3; q <= 3; q++)
        for (int off = 0; off < 2; off++) {
            double centre[2] = {off ? 6.83 : 7.5, off ? 8.21 : 7.5}, charge = q, core = .8;
            padic_wave_vortex_desc vortex = PADIC_ZERO;
            padic_wave_winding_desc desc = PADIC_ZERO;
            padic_wave_winding_report told;
            vortex.grid.count[0] = vortex.grid.count[1] = 16;
            vortex.grid.step[0] = vortex.grid.step[1] = 1;
            vortex.centres = padic_tensor_2d(PADIC_F64, centre, 1, 2);
            vortex.charges = padic_tensor_1d(PADIC_F64, &charge, 1);
            vortex.cores = padic_tensor_1d(PADIC_F64, &core, 1);
            vortex.out = desc.psi = padic_tensor_2d(PADIC_C64, psi, 16, 16);
            desc.map = padic_tensor_2d(PADIC_I8, map, 16, 16);
            desc.report = &told;
            EACH_PLACE(p)
            {
                int sum = 0;
                if (!done(p, padic_wave_vortex(p->context, &vortex), 1)) continue;
                if (!done(p, padic_wave_winding(p->context, &desc), 1)) continue;
                for (int i = 0; i < 256; i++) sum += map[i];
                near_((double)told.total[2], q, 0, "total charge");
                near_(sum, q, 0, "sum of the map");
                if (q == 3 && !off) {
                    near_((double)told.absolute, 5, 0, "squares about a charge of 3");
                    near_(map[7 * 16 + 7], -1, 0, "its middle");
                }
            }
        }
}

// --------------------------------------------------------------------------------------- tensors

// Z of the critical Ising model on a torus, a bond matrix a link, a hyperindex a site.
TEST(einsum)
{
    static const struct {
        int rows, columns;
        double z;
    } cases[] = {{2, 2, 80}, {3, 3, 8268.5414075}, {3, 4, 136043.2207156}, {4, 4, 5509120}};
    static padic_tensor_term term[64];
    static uint8_t labels[64][2], space[1 << 16];
    static double bond64[2][2];
    static float bond32[2][2];
    const double beta = log(1 + sqrt(2.0)) / 2;
    for (int i = 0; i < 4; i++)
        bond32[i / 2][i % 2] = (float)(bond64[i / 2][i % 2] = exp(i % 3 ? -beta : beta));
    for (int c = 0; c < 4; c++)
        for (int is_double = 0; is_double < 2; is_double++) {
            padic_tensor_einsum_desc desc = PADIC_ZERO;
            double z64 = 0;
            float z32 = 0;
            memset(term, 0, sizeof term);
            for (int i = 0; i < 2 * cases[c].rows * cases[c].columns; i++) {
                const int site = i / 2, way = i % 2, columns = cases[c].columns;
                const int x = (site / columns + way) % cases[c].rows;
                const int y = (site % columns + 1 - way) % columns;
                labels[i][0] = (uint8_t)site;
                labels[i][1] = (uint8_t)(x * columns + y);
                term[i].tensor = padic_tensor_2d(is_double ? PADIC_F64 : PADIC_F32,
                                                 is_double ? (void *)bond64 : (void *)bond32, 2, 2);
                term[i].labels = labels[i];
                desc.count++;
            }
            desc.operands = term;
            desc.out.tensor = padic_tensor_nd(is_double ? PADIC_F64 : PADIC_F32,
                                              is_double ? (void *)&z64 : (void *)&z32, 0, NULL);
            EACH_PLACE(p)
            {
                if (!p->context) desc.workspace = padic_tensor_1d(PADIC_U8, space, sizeof space);
                else memset(&desc.workspace, 0, sizeof desc.workspace);
                if (!done(p, padic_tensor_einsum(p->context, &desc), !is_double)) continue;
                if (is_double)
                    near_(z64, cases[c].z, c % 3 ? 6e-8 : 1e-12 * cases[c].z, "Ising torus");
                else
                    near_(z32, cases[c].z, 4e-6 * cases[c].z, "Ising torus");
            }
        }
}

static double value(int is_double, uint64_t i)
{
    return is_double ? got64[i] : (double)got32[i];
}

// Products of unequal sizes in one call: every pair of ops, gaps between rows and matrices, against
// sums in f64 within 4 (k + 2) u |A| |B|; what lies between stays.
enum { GROUPS = 9, ROOM = 24000 };
static double group_a[2 * ROOM], group_b[2 * ROOM], group_c[2 * ROOM], group_out[2 * ROOM];

static void element(const double *data, padic_dtype dtype, uint64_t at, double z[2])
{
    const int paired = dtype == PADIC_C64 || dtype == PADIC_C128;
    if (dtype == PADIC_F64 || dtype == PADIC_C128) {
        z[0] = data[at << paired], z[1] = paired ? data[2 * at + 1] : 0;
    } else {
        const float *f = (const float *)data;
        z[0] = (double)f[at << paired], z[1] = paired ? (double)f[2 * at + 1] : 0;
    }
}

// op(x) at (i, j) of a matrix whose rows are `line` apart.
static void entry(const double *data, padic_dtype dtype, uint32_t op, uint64_t first, uint64_t line,
                  uint64_t i, uint64_t j, double z[2])
{
    const int turned = op == PADIC_TENSOR_OP_T || op == PADIC_TENSOR_OP_C;
    element(data, dtype, first + (turned ? j * line + i : i * line + j), z);
    if (op >= PADIC_TENSOR_OP_C) z[1] = -z[1];
}

static void judge_groups(const padic_tensor_gemm_desc *d)
{
    const padic_dtype dtype = d->c.dtype;
    const int is_double = dtype == PADIC_F64 || dtype == PADIC_C128;
    const double u = ldexp(1, is_double ? -53 : -24);
    const size_t size = padic_dtype_size(dtype);
    uint64_t at = 0;
    for (uint32_t g = 0; g <= d->group_count; g++) {
        const padic_tensor_gemm_group zero = PADIC_ZERO;
        const padic_tensor_gemm_group *x = g < d->group_count ? &d->groups[g] : &zero;
        const int at_a = d->op_a == PADIC_TENSOR_OP_T || d->op_a == PADIC_TENSOR_OP_C;
        const int at_b = d->op_b == PADIC_TENSOR_OP_T || d->op_b == PADIC_TENSOR_OP_C;
        const uint64_t la = x->line_a ? x->line_a : at_a ? x->m : x->k;
        const uint64_t lb = x->line_b ? x->line_b : at_b ? x->k : x->n;
        const uint64_t lc = x->line_c ? x->line_c : x->n;
        for (uint64_t i = 0; i < x->m; i++)
            for (uint64_t j = 0; j < x->n; j++) {
                const uint64_t to = x->c + i * lc + j;
                double sum[2] = {0, 0}, most = 0, p[2], q[2], old[2], got[2], want[2];
                // Between the last number and this one nothing was written.
                CHECK(!memcmp((char *)group_out + at * size, (char *)group_c + at * size,
                              (size_t)(to - at) * size));
                at = to + 1;
                for (uint64_t l = 0; l < x->k; l++) {
                    entry(group_a, dtype, d->op_a, x->a, la, i, l, p);
                    entry(group_b, dtype, d->op_b, x->b, lb, l, j, q);
                    sum[0] += p[0] * q[0] - p[1] * q[1];
                    sum[1] += p[0] * q[1] + p[1] * q[0];
                    most += (fabs(p[0]) + fabs(p[1])) * (fabs(q[0]) + fabs(q[1]));
                }
                element(group_c, dtype, to, old);
                element(group_out, dtype, to, got);
                for (int r = 0; r < 2; r++) {
                    const double one = d->alpha[0] != 0 || d->alpha[1] != 0 ? d->alpha[0] : 1;
                    const double turn = r ? d->alpha[1] : -d->alpha[1];
                    const double back = r ? d->beta[1] : -d->beta[1];
                    want[r] = one * sum[r] + turn * sum[1 - r] + d->beta[0] * old[r] +
                              back * old[1 - r];
                    near_(got[r], want[r],
                          4 * ((double)x->k + 2) * u * (fabs(one) + fabs(turn)) * most +
                              8 * u * (fabs(d->beta[0]) + fabs(back)) *
                                  (fabs(old[0]) + fabs(old[1])),
                          "groups");
                }
            }
    }
    CHECK(!memcmp((char *)group_out + at * size, (char *)group_c + at * size,
                  (size_t)(ROOM - at) * size));
}

// In host memory, or in buffers of a device some elements behind their beginning.
static void run_groups(place *p, padic_tensor_gemm_desc d, int buffers)
{
    const double *data[3] = {group_a, group_b, group_c};
    const uint64_t lead = 3 * padic_dtype_size(d.c.dtype), size = padic_dtype_size(d.c.dtype);
    padic_tensor *t[3];
    padic_buffer buffer[3];
    t[0] = &d.a, t[1] = &d.b, t[2] = &d.c;
    memcpy(group_out, group_c, sizeof group_out);
    for (int i = 0; i < 3; i++) {
        padic_buffer_desc desc = PADIC_ZERO;
        *t[i] = padic_tensor_1d(d.c.dtype, i == 2 ? (void *)group_out : (void *)(uintptr_t)data[i],
                                ROOM);
        if (!buffers) continue;
        desc.size = lead + ROOM * size;
        CHECK_EQ(padic_buffer_create(p->context, &desc, &buffer[i]), PADIC_OK);
        CHECK_EQ(padic_buffer_upload(p->context, buffer[i], lead, data[i], ROOM * size), PADIC_OK);
        *t[i] = padic_tensor_in(*t[i], buffer[i], 3);
        t[i]->data = NULL;
    }
    const int ran = done(p, padic_tensor_gemm(p->context, &d), 0);
    for (int i = 0; i < 3 && buffers; i++) {
        if (i == 2)
            CHECK_EQ(padic_buffer_download(p->context, buffer[2], lead, group_out, ROOM * size),
                     PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(p->context, buffer[i]), PADIC_OK);
    }
    if (ran) judge_groups(&d);
    else CHECK(d.c.dtype == PADIC_C128 || d.c.dtype == PADIC_F64); // only those may be refused
}

TEST(gemm_groups)
{
    static const padic_dtype dtypes[4] = {PADIC_C64, PADIC_F32, PADIC_C128, PADIC_F64};
    static const uint64_t sizes[6] = {0, 1, 3, 17, 64, 65};
    static padic_tensor_gemm_group groups[GROUPS];
    for (int round = 0; round < 32; round++) {
        const padic_dtype dtype = dtypes[round % 4];
        const int paired = round % 2 == 0, is_double = round % 4 > 1;
        padic_tensor_gemm_desc d = PADIC_ZERO;
        uint64_t used[3] = {5, 0, 2};
        d.op_a = (uint32_t)(round / 2 % 4), d.op_b = (uint32_t)(round / 8 % 4);
        d.math = round % 3 ? PADIC_TENSOR_MATH_EXACT : PADIC_TENSOR_MATH_SPLIT; // EXACT here
        if (round & 1) d.alpha[0] = -.75, d.beta[0] = .5;
        if (round % 4 == 2) d.alpha[0] = 1, d.alpha[1] = 1.5, d.beta[1] = -1;
        for (int i = 0; i < GROUPS; i++) {
            padic_tensor_gemm_group *g = &groups[i];
            memset(g, 0, sizeof *g);
            g->m = sizes[test_random() % 6], g->n = sizes[test_random() % 6];
            g->k = sizes[test_random() % (i < 7 ? 4 : 6)];
            if (i == 4) g->m = g->n = 0; // nowhere to write
            if (i == 5) g->m = 8, g->n = 8, g->k = 0; // nothing to add
            const int at_a = d.op_a == PADIC_TENSOR_OP_T || d.op_a == PADIC_TENSOR_OP_C;
            const int at_b = d.op_b == PADIC_TENSOR_OP_T || d.op_b == PADIC_TENSOR_OP_C;
            const uint64_t rows[3] = {at_a ? g->k : g->m, at_b ? g->n : g->k, g->m};
            const uint64_t columns[3] = {at_a ? g->m : g->k, at_b ? g->k : g->n, g->n};
            uint64_t *line[3], *first[3];
            line[0] = &g->line_a, line[1] = &g->line_b, line[2] = &g->line_c;
            first[0] = &g->a, first[1] = &g->b, first[2] = &g->c;
            for (int o = 0; o < 3; o++) {
                *line[o] = i % 3 ? columns[o] + (uint64_t)(i % 3) : 0;
                *first[o] = used[o];
                used[o] += rows[o] * (*line[o] ? *line[o] : columns[o]) + (uint64_t)i % 2;
                REQUIRE(used[o] <= ROOM);
            }
        }
        for (int i = 0; i < ROOM << paired; i++) {
            const double x[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
            if (is_double) group_a[i] = x[0], group_b[i] = x[1], group_c[i] = x[2];
            else ((float *)group_a)[i] = (float)x[0], ((float *)group_b)[i] = (float)x[1],
                 ((float *)group_c)[i] = (float)x[2];
        }
        d.c.dtype = dtype;
        d.groups = groups, d.group_count = GROUPS;
        EACH_PLACE(p)
        {
            run_groups(p, d, 0);
            if (p->device) run_groups(p, d, 1);
        }
    }
}

TEST(gemm_groups_refused)
{
    static float x[100], y[100], z[100];
    static padic_tensor_gemm_group groups[2];
    padic_context *context = NULL;
    REQUIRE(!padic_context_create(NULL, &context));
    for (int i = 0; i < 13; i++) {
        padic_tensor_gemm_desc d = PADIC_ZERO;
        for (int g = 0; g < 2; g++) {
            memset(&groups[g], 0, sizeof groups[g]);
            groups[g].m = 2, groups[g].n = 3, groups[g].k = 4, groups[g].c = (uint64_t)(6 * g);
        }
        d.a = padic_tensor_1d(PADIC_F32, x, 100);
        d.b = padic_tensor_1d(PADIC_F32, y, 100);
        d.c = padic_tensor_1d(PADIC_F32, z, 100);
        d.groups = groups, d.group_count = 2;
        if (i == 1) d.groups = NULL;
        if (i == 2) d.group_count = 0;
        if (i == 3) d.a.rank = 2, d.a.shape[1] = 1;
        if (i == 4) d.b.stride[0] = 2;
        if (i == 5) groups[1].c = 5; // one over the other
        if (i == 6) groups[1].line_a = 3;
        if (i == 7) groups[1].b = 89; // ends at 101
        if (i == 8) groups[0].m = UINT64_C(1) << 63;
        if (i == 9) groups[1].line_c = UINT64_MAX;
        if (i == 10) d.c.data = x;
        if (i == 11) d.op_a = 4;
        if (i == 12) d.a.dtype = PADIC_C64;
        z[0] = 7;
        const padic_result result = padic_tensor_gemm(context, &d);
        CHECK_EQ(result, i == 0                         ? PADIC_OK
                         : i == 10                      ? PADIC_ERROR_OVERLAP
                         : (i >= 6 && i <= 9) || i == 12 ? PADIC_ERROR_MISMATCH
                                                         : PADIC_ERROR_ARGUMENT);
        CHECK(i == 0 || z[0] == 7);
        if (i && i != 10 && i != 12)
            CHECK(strstr(padic_context_message(context), "gemm: ") != NULL);
    }
    padic_context_destroy(context);
}

// Lower triangles of ones, 8 x 8; the Laplacian of a path.
TEST(svd)
{
    static const double known[8] = {5.4189757237, 1.8270647407, 1.1217342944, .8296901137,
                                    .6765818225,  .5880850656,  .5362089982,  .5086609188};
    static float a32[5][8][8];
    static double a64[5][8][8];
    for (int i = 0; i < 5 * 64; i++)
        a32[i / 64][i / 8 % 8][i % 8] =
            (float)(a64[i / 64][i / 8 % 8][i % 8] = i % 8 <= i / 8 % 8);
    for (int is_double = 0; is_double < 2; is_double++) {
        padic_tensor_svd_desc desc = PADIC_ZERO;
        desc.a = padic_tensor_3d(is_double ? PADIC_F64 : PADIC_F32,
                                 is_double ? (void *)a64 : (void *)a32, 5, 8, 8);
        desc.s = padic_tensor_2d(desc.a.dtype, is_double ? (void *)got64 : (void *)got32, 5, 8);
        EACH_PLACE(p)
        {
            if (!done(p, padic_tensor_svd(p->context, &desc), !is_double)) continue;
            for (uint64_t i = 0; i < 40; i++)
                near_(value(is_double, i), known[i % 8], is_double ? 1e-10 : 80 * ldexp(1, -23),
                      "svd");
        }
    }
}

TEST(eigh)
{
    static float a32[3][9][9];
    static double a64[3][9][9];
    for (int i = 0; i < 3 * 81; i++) {
        const int row = i / 9 % 9, column = i % 9;
        a64[i / 81][row][column] = row == column ? 2 : abs(row - column) == 1 ? -1 : 0;
        a32[i / 81][row][column] = (float)a64[i / 81][row][column];
    }
    for (int is_double = 0; is_double < 2; is_double++) {
        padic_tensor_eigh_desc desc = PADIC_ZERO;
        desc.a = padic_tensor_3d(is_double ? PADIC_F64 : PADIC_F32,
                                 is_double ? (void *)a64 : (void *)a32, 3, 9, 9);
        desc.w = padic_tensor_2d(desc.a.dtype, is_double ? (void *)got64 : (void *)got32, 3, 9);
        EACH_PLACE(p)
        {
            if (!done(p, padic_tensor_eigh(p->context, &desc), !is_double)) continue;
            for (uint64_t i = 0; i < 27; i++)
                near_(value(is_double, i), 2 - 2 * cos((double)(i % 9 + 1) * pi / 10),
                      90 * ldexp(1, is_double ? -52 : -23), "eigh");
        }
    }
}

// Q of a rotation is it, up to nothing: R is 1.
TEST(qr)
{
    static float a32[N][2][2], q32[N][2][2], r32[N][2][2];
    padic_tensor_qr_desc desc = PADIC_ZERO;
    for (int i = 0; i < N; i++) {
        a32[i][0][0] = a32[i][1][1] = (float)cos(i);
        a32[i][0][1] = (float)-sin(i);
        a32[i][1][0] = (float)sin(i);
    }
    desc.a = padic_tensor_3d(PADIC_F32, a32, N, 2, 2);
    desc.q = padic_tensor_3d(PADIC_F32, q32, N, 2, 2);
    desc.r = padic_tensor_3d(PADIC_F32, r32, N, 2, 2);
    EACH_PLACE(p)
    {
        if (!done(p, padic_tensor_qr(p->context, &desc), 1)) continue;
        for (int i = 0; i < 4 * N; i++) {
            near_(q32[i / 4][i / 2 % 2][i % 2], a32[i / 4][i / 2 % 2][i % 2], 20 * ldexp(1, -23),
                  "qr");
            near_(r32[i / 4][i / 2 % 2][i % 2], i % 4 % 3 == 0, 20 * ldexp(1, -23), "qr");
        }
    }
}

static double state64[2 * 324];
static float state32[2 * 324];

// Entropies of a state of real numbers, by the axes `dims`.
static void entropy_is(const double *x, uint32_t axes, const uint64_t *dims, uint64_t part,
                       double want, const char *what)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < axes; i++) count *= dims[i];
    for (uint64_t i = 0; i < count; i++) state32[i] = (float)(state64[i] = x[i]);
    for (int is_double = 0; is_double < 2; is_double++) {
        padic_tensor_entropy_desc desc = PADIC_ZERO;
        padic_tensor_entropy_report s = {-1, 0, 0, 0};
        desc.state = padic_tensor_1d(is_double ? PADIC_F64 : PADIC_F32,
                                     is_double ? (void *)state64 : (void *)state32, count);
        desc.dims = padic_tensor_1d(PADIC_U64, (void *)dims, axes);
        desc.part = part, desc.report = &s;
        EACH_PLACE(p)
        {
            if (done(p, padic_tensor_entropy(p->context, &desc), !is_double))
                near_(s.von_neumann, want, is_double ? 1e-10 : 2e-6, what);
        }
    }
}

TEST(entropy)
{
    static const double orders[4] = {.5, 2, 3, INFINITY};
    static const double renyi[4] = {.6238107164, .4700036292, .4133392866, .2876820725};
    static const uint64_t twos[4] = {2, 2, 2, 2};
    padic_tensor_entropy_report s;
    double x[16], got[4];
    float single[4];
    for (int is_double = 0; is_double < 2; is_double++) {
        const double off = is_double ? 1e-10 : 2e-6;
        padic_tensor_entropy_desc desc = PADIC_ZERO;
        x[0] = sqrt(.75), x[1] = x[2] = 0, x[3] = sqrt(.25);
        for (int i = 0; i < 4; i++) single[i] = (float)x[i];
        desc.state = padic_tensor_2d(is_double ? PADIC_F64 : PADIC_F32,
                                     is_double ? (void *)x : (void *)single, 2, 2);
        desc.part = 1, desc.report = &s;
        desc.orders = padic_tensor_1d(PADIC_F64, (void *)orders, 4);
        desc.renyi = padic_tensor_1d(PADIC_F64, got, 4);
        for (int legacy = 0; legacy < 2; legacy++) {
            desc.legacy = (uint32_t)legacy;
            EACH_PLACE(p)
            {
                if (!done(p, padic_tensor_entropy(p->context, &desc), !is_double)) continue;
                near_(s.von_neumann, legacy ? .8112781245 : .5623351446, off, "von Neumann");
                near_(s.negativity, .4330127019, off, "negativity");
                near_(s.gap, .5, off, "gap");
                for (int i = 0; i < 4 && !legacy; i++) near_(got[i], renyi[i], off, "Renyi");
            }
        }
    }
    memset(x, 0, sizeof x);
    x[0] = x[3] = 1;
    entropy_is(x, 2, twos, 1, log(2), "Bell");
    memset(x, 0, sizeof x);
    x[0] = x[15] = 1;
    entropy_is(x, 4, twos, 6, log(2), "GHZ");
    memset(x, 0, sizeof x);
    x[1] = x[2] = x[4] = 1;
    entropy_is(x, 3, twos, 2, .6365141683, "W of 3");
    x[8] = 1;
    entropy_is(x, 4, twos, 2, .5623351446, "W of 4");
}

// A block of the AKLT chain between its two bonds.
TEST(entropy_aklt)
{
    static const double want[4] = {1.0986122887, 1.3689223607, 1.3841824236, 1.3860675793};
    static double x[324];
    const double a = sqrt(2.0 / 3), b = sqrt(1.0 / 3);
    const double m[3][2][2] = {{{0, a}, {0, 0}}, {{-b, 0}, {0, b}}, {{0, 0}, {-a, 0}}};
    uint64_t sites = 1;
    for (uint32_t length = 1; length <= 4; length++) {
        uint64_t dims[6] = {2, 3, 3, 3, 3, 3};
        sites *= 3;
        dims[length + 1] = 2;
        for (uint64_t i = 0; i < 2 * sites; i++) {
            double row[2] = {i < sites ? 1.0 : 0.0, i < sites ? 0.0 : 1.0};
            for (uint64_t l = sites; l > 1; l /= 3) {
                const double(*site)[2] = m[i % sites / (l / 3) % 3];
                const double r0 = row[0] * site[0][0] + row[1] * site[1][0];
                row[1] = row[0] * site[0][1] + row[1] * site[1][1];
                row[0] = r0;
            }
            x[2 * i] = row[0], x[2 * i + 1] = row[1];
        }
        entropy_is(x, length + 2, dims, ((UINT64_C(1) << length) - 1) << 1, want[length - 1],
                   "AKLT");
    }
}

static double gauss(void)
{
    const double u = ((double)(test_random() >> 11) + 1) / 9007199254740993.0;
    return sqrt(-2 * log(u)) * cos(2 * pi * uniform(0, 1));
}

// Page's averages over random states, 4 standard errors.
TEST(entropy_page)
{
    static const struct {
        uint64_t m, n;
        double mean;
    } rows[] = {{2, 2, 1.0 / 3}, {2, 4, .5095238}, {4, 4, .9223957}, {8, 8, 1.5885338}};
    static float x[128];
    for (int row = 0; row < 4; row++) {
        EACH_PLACE(p)
        {
            const int samples = test_tiny ? 50 : 400; // a call each
            double sum = 0, square = 0;
            for (int i = 0; i < samples; i++) {
                padic_tensor_entropy_desc desc = PADIC_ZERO;
                padic_tensor_entropy_report s = PADIC_ZERO;
                for (uint64_t j = 0; j < 2 * rows[row].m * rows[row].n; j++) x[j] = (float)gauss();
                desc.state = padic_tensor_2d(PADIC_C64, x, rows[row].m, rows[row].n);
                desc.part = 1, desc.report = &s;
                if (!done(p, padic_tensor_entropy(p->context, &desc), 1)) break;
                sum += s.von_neumann, square += s.von_neumann * s.von_neumann;
            }
            sum /= samples;
            near_(sum, rows[row].mean, 4 * sqrt((square / samples - sum * sum) / samples), "Page");
        }
    }
}

// The ground state of the critical Ising ring by powers of c - H: S against ln((N/pi) sin(pi l/N))
// has slope 1/6.
TEST(entropy_ising)
{
    enum { SITES = 12, STATES = 1 << SITES };
    static double x[STATES], y[STATES];
    static float single[STATES];
    static const uint64_t twos[SITES] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    double energy = 0;
    for (int i = 0; i < STATES; i++) x[i] = 1;
    for (int step = 0; step < 1500; step++) {
        double norm = 0;
        energy = 0;
        for (int i = 0; i < STATES; i++) {
            double up = 0, sum = 0;
            for (int s = 0; s < SITES; s++) {
                up += i >> s & 1 ? -1 : 1;
                sum += x[i ^ 1 << s ^ 1 << (s + 1) % SITES];
            }
            energy -= x[i] * (sum + up * x[i]);
            y[i] = 8 * x[i] + sum + up * x[i];
        }
        for (int i = 0; i < STATES; i++) norm += y[i] * y[i];
        for (int i = 0; i < STATES; i++) x[i] = y[i] / sqrt(norm);
    }
    CHECK_NEAR(energy, -2 / sin(pi / (2 * SITES)), 1e-6);
    for (int i = 0; i < STATES; i++) single[i] = (float)x[i];
    for (int is_double = 0; is_double < 2; is_double++) {
        EACH_PLACE(p)
        {
            double sx = 0, sy = 0, sxx = 0, sxy = 0;
            const double n = SITES / 2 - 1;
            int all = 1;
            for (int l = 2; l <= SITES / 2; l++) { // some devices have room for the last alone
                const double at = log((double)SITES / pi * sin(pi * l / (double)SITES));
                padic_tensor_entropy_desc desc = PADIC_ZERO;
                padic_tensor_entropy_report s = PADIC_ZERO;
                desc.state = padic_tensor_1d(is_double ? PADIC_F64 : PADIC_F32,
                                             is_double ? (void *)x : (void *)single, STATES);
                desc.dims = padic_tensor_1d(PADIC_U64, (void *)twos, SITES);
                desc.part = (UINT64_C(1) << l) - 1, desc.report = &s;
                all &= done(p, padic_tensor_entropy(p->context, &desc), 0);
                sx += at, sy += s.von_neumann, sxx += at * at, sxy += at * s.von_neumann;
            }
            if (all)
                near_((n * sxy - sx * sy) / (n * sxx - sx * sx), 1.0 / 6, .02 / 6, "Ising ring");
        }
    }
}

// Pairs of qubits: a product, Bell, two of GHZ.
TEST(information)
{
    for (int row = 0; row < 3; row++) {
        float psi[8] = {1, 0, 0, 0, 0, 0, 0, 0};
        padic_tensor_mutual_information_report told = {-1, 0, 0, 0};
        padic_tensor_mutual_information_desc desc = PADIC_ZERO;
        if (row) psi[row == 1 ? 6 : 7] = 1;
        desc.state = padic_tensor_3d(PADIC_F32, psi, 2, 2, 2);
        desc.part_a = 1, desc.part_b = 2, desc.report = &told;
        EACH_PLACE(p)
        {
            if (done(p, padic_tensor_mutual_information(p->context, &desc), 1))
                near_(told.information, row == 0 ? 0 : row == 1 ? 2 * log(2) : log(2), 1e-6,
                      "I(A:B)");
        }
    }
}

// The AKLT ring of four sites: trace of the fourth power of its transfer matrix 1 + 3 (-1/3)^4, and
// S.S + (S.S)^2 / 3 of a bond -2/3.
TEST(einsum_aklt)
{
    static double a64[3][2][2], h64[81];
    static float a32[3][2][2], h32[81];
    static uint8_t space[1 << 16];
    static const char *const texts[2] = {"Aab,Bbc,Ccd,Dda,Aij,Bjk,Ckl,Dli->",
                                         "Aab,Bbc,Ccd,Dda,Xij,Yjk,Ckl,Dli,XYAB->"};
    static const uint64_t shape[3] = {3, 2, 2}, threes[4] = {3, 3, 3, 3};
    double ss[9][9] = {{0}};
    const double m[3] = {1, 0, -1};
    a64[0][0][1] = sqrt(2.0 / 3), a64[2][1][0] = -sqrt(2.0 / 3);
    a64[1][0][0] = -sqrt(1.0 / 3), a64[1][1][1] = sqrt(1.0 / 3);
    for (int i = 0; i < 9; i++) {
        ss[i][i] = m[i / 3] * m[i % 3];
        if (i / 3 > 0 && i % 3 < 2) ss[i - 3 + 1][i] = 1;
        if (i / 3 < 2 && i % 3 > 0) ss[i + 3 - 1][i] = 1;
    }
    for (int i = 0; i < 81; i++) {
        double square = 0;
        for (int k = 0; k < 9; k++) square += ss[i / 9][k] * ss[k][i % 9];
        h64[i] = ss[i / 9][i % 9] + square / 3;
        h32[i] = (float)h64[i];
    }
    for (int i = 0; i < 12; i++) a32[i / 4][i / 2 % 2][i % 2] = (float)a64[i / 4][i / 2 % 2][i % 2];
    for (int is_double = 0; is_double < 2; is_double++) {
        const padic_dtype type = is_double ? PADIC_F64 : PADIC_F32;
        EACH_PLACE(p)
        {
            double got[2] = {0, 0};
            for (int i = 0; i < 2; i++) {
                padic_tensor_term term[9];
                padic_tensor_einsum_desc desc = PADIC_ZERO;
                float z = 0;
                memset(term, 0, sizeof term);
                for (int t = 0; t < 8; t++)
                    term[t].tensor =
                        padic_tensor_nd(type, is_double ? (void *)a64 : (void *)a32, 3, shape);
                term[8].tensor =
                    padic_tensor_nd(type, is_double ? (void *)h64 : (void *)h32, 4, threes);
                desc.expression = texts[i], desc.operands = term, desc.count = i ? 9 : 8;
                desc.out.tensor =
                    padic_tensor_nd(type, is_double ? (void *)&got[i] : (void *)&z, 0, NULL);
                if (!p->context) desc.workspace = padic_tensor_1d(PADIC_U8, space, sizeof space);
                if (!done(p, padic_tensor_einsum(p->context, &desc), !is_double)) break;
                if (!is_double) got[i] = (double)z;
                if (i == 0) near_(got[0], 1 + 3.0 / 81, is_double ? 1e-12 : 2e-6, "AKLT trace");
                else near_(got[1] / got[0], -2.0 / 3, is_double ? 1e-12 : 4e-6, "AKLT energy");
            }
        }
    }
}

// Small integers: exact in any precision and order.
TEST(pair_pool)
{
    static const double want[8] = {-10, 0, -4, -7, 12, -16, 17, -4};
    static float t[4][4][2], u[2][8][8][2], w[2][8][2][2], out[2][2][2];
    padic_tensor_pair_pool_desc d = PADIC_ZERO;
    static float fused[2][8][2][2], space[64];
    for (int i = 0; i < 16; i++)
        t[i / 4][i % 4][0] = (float)(i % 7 - 3), t[i / 4][i % 4][1] = (float)(i % 3 - 1);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                u[p][i][j][0] = (float)((64 * p + 8 * i + j) % 5 - 2);
                u[p][i][j][1] = (float)((i + j) % 3 - 1);
            }
            for (int j = 0; j < 2; j++) {
                w[p][i][j][0] = (float)((16 * p + 2 * i + j) % 4 - 1);
                w[p][i][j][1] = (float)(i * j % 2);
            }
        }
    d.tensors = padic_tensor_3d(PADIC_C64, t, 4, 2, 2);
    d.u = padic_tensor_3d(PADIC_C64, u, 2, 8, 8);
    d.w = padic_tensor_3d(PADIC_C64, w, 2, 8, 2);
    d.out = padic_tensor_2d(PADIC_C64, out, 2, 2);
    for (int is_fused = 0; is_fused < 2; is_fused++) {
        EACH_PLACE(p)
        {
            memset(&d.fused, 0, sizeof d.fused);
            memset(&d.workspace, 0, sizeof d.workspace);
            if (!p->context) d.workspace = padic_tensor_1d(PADIC_U8, space, sizeof space);
            if (is_fused) {
                d.fused = padic_tensor_3d(PADIC_C64, fused, 2, 8, 2);
                memset(fused, 0, sizeof fused);
                padic_tensor_pair_pool_fuse_desc fuse = PADIC_ZERO;
                fuse.u = d.u, fuse.w = d.w, fuse.out = d.fused;
                if (!done(p, padic_tensor_pair_pool_fuse(p->context, &fuse), 1)) continue;
            }
            if (!done(p, padic_tensor_pair_pool(p->context, &d), 1)) continue;
            for (int i = 0; i < 8; i++) near_((&out[0][0][0])[i], want[i], 0, "pair pooling");
        }
    }
}

// G(e, o) of the four-angle MERA, as a matrix [out][in] of two sites.
static void angles(double e, double o, double g[16])
{
    memset(g, 0, 16 * sizeof *g);
    g[0] = cos(e), g[12] = -sin(e), g[3] = sin(e), g[15] = cos(e);
    g[5] = cos(o), g[9] = sin(o), g[6] = -sin(o), g[10] = cos(o);
}

// Its energy at the fixed point of D, and that of A(h) in the same state.
TEST(mera)
{
    static double u[16], w[8], rho[64], h[64], up[64], g[16];
    const uint64_t twos[4] = {2, 2, 2, 2};
    angles(-0.176920667, 2.783970080, u);
    angles(2.928669509, 1.921631125, g);
    for (int i = 0; i < 8; i++) w[i] = g[4 * (i / 2) + 2 * (i % 2)]; // of |s, 0>
    for (int i = 0; i < 64; i++) { // -(XX + Z), of the two bonds of three sites, halved
        const int row = i / 8, column = i % 8;
        h[i] = -.5 * ((row ^ column) == 3) - .5 * ((row ^ column) == 6);
        if (row == column)
            h[i] -= .25 * ((row & 4 ? -1 : 1) + 2 * (row & 2 ? -1 : 1) + (row & 1 ? -1 : 1));
    }
    EACH_PLACE(p)
    {
        padic_tensor_mera_layer layer = PADIC_ZERO;
        padic_tensor_mera_fixed_point_desc fixed = PADIC_ZERO;
        padic_tensor_mera_ascend_desc ascend = PADIC_ZERO;
        padic_tensor_mera_expect_desc expect = PADIC_ZERO;
        padic_tensor_mera_expect_report e = {0, 0};
        layer.u = padic_tensor_nd(PADIC_F64, u, 4, twos);
        layer.w = padic_tensor_nd(PADIC_F64, w, 3, twos);
        fixed.layer = ascend.layer = layer;
        fixed.out = padic_tensor_2d(PADIC_F64, rho, 8, 8);
        fixed.tolerance = p->device ? 1e-9 : 1e-13; // each call of a device takes its time
        if (!done(p, padic_tensor_mera_fixed_point(p->context, &fixed), 0)) continue;
        ascend.op = expect.op = padic_tensor_2d(PADIC_F64, h, 8, 8);
        ascend.out = padic_tensor_2d(PADIC_F64, up, 8, 8);
        if (!done(p, padic_tensor_mera_ascend(p->context, &ascend), 1)) continue;
        expect.rho = fixed.out;
        expect.report = &e;
        for (int i = 0; i < 2; i++) {
            expect.op.data = i ? up : h;
            if (!done(p, padic_tensor_mera_expect(p->context, &expect), 1)) continue;
            near_(e.re, -1.2718039523, p->device ? 1e-8 : 1e-10, "MERA");
        }
    }
}

// The last case: ends what the others share.
TEST(close)
{
    for (int i = 0; i < place_count; i++) {
        printf(" %s %d/%d", places[i].name, places[i].did, places[i].asked);
        if (!places[i].device) padic_context_destroy(places[i].context);
    }
    place_count = 0;
    test_no_kernel_was_dropped();
}

TEST_MAIN("values", CASE(superpose), CASE(superpose_softened), CASE(superpose_green),
          CASE(superpose_interference), CASE(superpose_sign), CASE(superpose_array),
          CASE(superpose_sphere),
          CASE(superpose_flat), CASE(frames), CASE(gradient), CASE(gradient_aperture),
          CASE(gradient_flux), CASE(observe), CASE(tonemap), CASE(normalise),
          CASE(phase_gradient), CASE(vortex), CASE(winding), CASE(einsum),
          CASE(gemm_groups), CASE(einsum_aklt), CASE(gemm_groups_refused), CASE(svd),
          CASE(eigh), CASE(qr), CASE(entropy), CASE(entropy_aklt), CASE(entropy_page),
          CASE(entropy_ising), CASE(information), CASE(pair_pool), CASE(mera), CASE(close))
