// test_frames.c: many frames of one field against a call a frame, sums in long double, averages
// over a period, merged frequencies, drives, pictures, memory that runs out, bad input.
#define PADIC_IMPLEMENT_WAVE
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/wave_calls.h"
#include <math.h>
#include "../support/wave_scales.h"

#define PI_L 3.14159265358979323846264338327950288L

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random() >> 11) / 9007199254740992.0;
}

#define N 45
#define M 24
#define F 9

typedef struct scene {
    double points[N][3], sources[M][3];
    double amplitude[M], phase[M], wave[M], frequency[M], absorption[M], times[F];
    padic_wave_frames_desc desc; // without an output
} scene;

// A field of M sources with `kinds` frequencies, in D dimensions.
static void scene_begin(scene *s, int kinds, uint32_t d)
{
    double rates[M];
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < N * d; i++) (&s->points[0][0])[i] = uniform(-4, 4);
    for (uint32_t i = 0; i < M * d; i++) (&s->sources[0][0])[i] = uniform(-4, 4);
    for (int i = 0; i < M; i++) rates[i] = uniform(-3, 3);
    for (int i = 0; i < M; i++) {
        s->amplitude[i] = uniform(-2, 2);
        s->phase[i] = uniform(-9, 9);
        s->wave[i] = uniform(.3, 4) * (i % 3 ? 1 : -1);
        s->frequency[i] = rates[kinds == M ? i : (int)(test_random() % (uint64_t)kinds)];
        s->absorption[i] = uniform(0, .3);
    }
    for (int f = 0; f < F; f++) s->times[f] = uniform(-20, 20);
    s->desc.field.points = padic_tensor_2d(PADIC_F64, s->points, N, d);
    s->desc.field.sources = padic_tensor_2d(PADIC_F64, s->sources, M, d);
    s->desc.field.amplitude = padic_tensor_1d(PADIC_F64, s->amplitude, M);
    s->desc.field.phase = padic_tensor_1d(PADIC_F64, s->phase, M);
    s->desc.field.wavenumber = padic_tensor_1d(PADIC_F64, s->wave, M);
    s->desc.field.frequency = padic_tensor_1d(PADIC_F64, s->frequency, M);
    s->desc.times = padic_tensor_1d(PADIC_F64, s->times, F);
}

// Frame f by padic_wave_superpose().
static void frame_alone(const padic_wave_frames_desc *desc, double time, padic_tensor out)
{
    padic_wave_superpose_desc field = desc->field;
    field.time += time;
    field.out = out;
    if (field.output != PADIC_WAVE_OUTPUT_RGBA8) field.report = NULL;
    CHECK_EQ(padic_wave_superpose(NULL, &field), PADIC_OK);
}

// sum |A|/r, which errors of phases are multiplied with.
static double sizes(const scene *s, int point)
{
    double sum = 0;
    for (int m = 0; m < M; m++) {
        double r2 = 0;
        for (int a = 0; a < 3; a++)
            r2 += (s->points[point][a] - s->sources[m][a]) *
                  (s->points[point][a] - s->sources[m][a]);
        sum += fabs(s->amplitude[m]) / sqrt(r2);
    }
    return sum;
}

// Every kernel, softening and sign, of 1, 3 and M frequencies, is what a call a frame gives.
TEST(frames)
{
    static double psi[F][N][2], want[N][2];
    static float single[F][N][2];
    static scene s;
    uint32_t seen = 0;
    for (int kernel = 0; kernel < 5; kernel++)
        for (int soft = 0; soft < 6; soft++)
            for (int sign = 0; sign < 3; sign++)
                for (int kinds = 1; kinds <= M; kinds = kinds == 1 ? 3 : kinds == 3 ? M : M + 1) {
                    const uint32_t d = kernel == PADIC_WAVE_KERNEL_GREEN1   ? 1
                                       : kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
                                                                     : 3;
                    scene_begin(&s, kinds, d);
                    s.desc.field.kernel = (padic_wave_kernel)kernel;
                    s.desc.field.softening = (padic_wave_softening)soft;
                    s.desc.field.sign = (padic_wave_sign)sign;
                    s.desc.field.length = .4;
                    if (kinds == 3)
                        s.desc.field.absorption = padic_tensor_1d(PADIC_F64, s.absorption, M);
                    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, N);
                    if (padic_wave_frames(NULL, &s.desc)) continue;
                    seen++;
                    s.desc.field.out = padic_tensor_2d(PADIC_C64, single, F, N);
                    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
                    for (int f = 0; f < F; f++) {
                        frame_alone(&s.desc, s.times[f], padic_tensor_1d(PADIC_C128, want, N));
                        for (int i = 0; i < 2 * N; i++) {
                            const double size = 1e-12 * (20 + fabs((&want[0][0])[i]));
                            CHECK_NEAR((&psi[f][0][0])[i], (&want[0][0])[i], size);
                            CHECK_NEAR((&single[f][0][0])[i], (&want[0][0])[i],
                                       size + 6e-8 * fabs((&want[0][0])[i]));
                        }
                    }
                }
    CHECK_EQ(seen, 9 * (6 + 6 + 5 + 2 + 1));
}

// Long times, only k, only w: no phase is wrong by more than its error bound.
TEST(times)
{
    static double psi[F][N][2];
    static scene s;
    for (int way = 0; way < 12; way++) {
        padic_wave_superpose_report told = PADIC_ZERO;
        double known = 0;
        scene_begin(&s, way % 3 ? M : 3, 3);
        s.desc.field.report = &told;
        s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, N);
        s.desc.field.speed = 1.25;
        s.desc.field.time = way & 1 ? 2.5 : 0;
        for (int f = 0; f < F; f++) s.times[f] = floor(s.times[f] * pow(10, way) * 64) / 64;
        if (way % 4 == 1) memset(&s.desc.field.wavenumber, 0, sizeof s.desc.field.wavenumber);
        if (way % 4 == 2) memset(&s.desc.field.frequency, 0, sizeof s.desc.field.frequency);
        CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
        CHECK_EQ(wave_frames_error_bound(NULL, &s.desc, &known), PADIC_OK);
        CHECK(told.error_bound > 0 && told.error_bound == known);
        for (int f = 0; f < F; f++)
            for (int i = 0; i < N; i++) {
                const long double t = (long double)s.desc.field.time + (long double)s.times[f];
                long double re = 0, im = 0;
                double slack = sizes(&s, i);
                for (int m = 0; m < M; m++) {
                    const double factors[3] = {way % 4 == 2 ? s.wave[m] : s.frequency[m],
                                               (double)t, 1.25};
                    long double k = s.wave[m], r2 = 0;
                    if (way % 4 == 1) k = s.frequency[m] / 1.25;
                    for (int a = 0; a < 3; a++) {
                        const long double x = (long double)s.points[i][a] - s.sources[m][a];
                        r2 += x * x;
                    }
                    const long double turns = scales_turns(factors, way % 4 == 2 ? 3 : 2);
                    const long double angle =
                        k * sqrtl(r2) - 2 * PI_L * turns + (long double)s.phase[m];
                    re += s.amplitude[m] * cosl(angle) / sqrtl(r2);
                    im += s.amplitude[m] * sinl(angle) / sqrtl(r2);
                }
                slack *= 6.2832 * told.error_bound + 1e-14;
                CHECK_NEAR(psi[f][i][0], (double)re, slack);
                CHECK_NEAR(psi[f][i][1], (double)im, slack);
            }
    }
}

// Frequencies j w0 for whole j: the average of |psi|^2 over one period of w0, in more steps than
// twice the highest j, is sum |Phi|^2 exactly.
TEST(mean)
{
    enum { STEPS = 64 };
    static double intensity[STEPS][N], mean[N], again[N], times[STEPS];
    static float single[2 * N];
    static scene s;
    const double base = .75;
    scene_begin(&s, M, 3);
    for (int i = 0; i < M; i++) s.frequency[i] = base * ((int)(test_random() % 31) - 15);
    s.frequency[3] = 0; // one frequency
    s.frequency[4] = -0.0;
    for (int i = 0; i < STEPS; i++) times[i] = (double)(2 * PI_L) / base * i / (double)STEPS;
    s.desc.times = padic_tensor_1d(PADIC_F64, times, STEPS);
    s.desc.field.out = padic_tensor_2d(PADIC_F64, intensity, STEPS, N);
    s.desc.field.output = PADIC_WAVE_OUTPUT_INTENSITY;
    s.desc.mean_intensity = padic_tensor_1d(PADIC_F64, mean, N);
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int f = 0; f < STEPS; f++) sum += intensity[f][i] / (double)STEPS;
        CHECK_NEAR(mean[i], sum, 1e-12 * sum);
    }
    memset(&s.desc.field.out, 0, sizeof s.desc.field.out); // alone, without times, with gaps
    memset(&s.desc.times, 0, sizeof s.desc.times);
    s.desc.field.output = PADIC_WAVE_OUTPUT_COMPLEX;
    s.desc.mean_intensity.data = again;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    CHECK(!memcmp(mean, again, sizeof mean));
    s.desc.mean_intensity = padic_tensor_1d(PADIC_F32, single, N);
    s.desc.mean_intensity.stride[0] = 2;
    for (int i = 0; i < 2 * N; i++) single[i] = 5;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    for (int i = 0; i < N; i++)
        CHECK(single[2 * i] == (float)mean[i] && single[2 * i + 1] == 5);
}

// Sources one by one, added up, and all in another order: the grouped sum.
TEST(ungrouped)
{
    static double psi[F][N][2], sum[F][N][2], turned[F][N][2];
    static scene s, t;
    int order[M];
    scene_begin(&s, 5, 3);
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, N);
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    memset(sum, 0, sizeof sum);
    for (int m = 0; m < M; m++) {
        padic_wave_frames_desc one = s.desc;
        one.field.sources = padic_tensor_2d(PADIC_F64, s.sources[m], 1, 3);
        one.field.amplitude = padic_tensor_1d(PADIC_F64, &s.amplitude[m], 1);
        one.field.phase = padic_tensor_1d(PADIC_F64, &s.phase[m], 1);
        one.field.wavenumber = padic_tensor_1d(PADIC_F64, &s.wave[m], 1);
        one.field.frequency = padic_tensor_1d(PADIC_F64, &s.frequency[m], 1);
        one.field.flags = PADIC_WAVE_FLAG_ACCUMULATE;
        one.field.out.data = sum;
        CHECK_EQ(padic_wave_frames(NULL, &one), PADIC_OK);
    }
    t = s;
    for (int i = 0; i < M; i++) order[i] = i;
    for (int i = M - 1; i > 0; i--) {
        const int j = (int)(test_random() % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < M; i++) {
        memcpy(t.sources[i], s.sources[order[i]], sizeof t.sources[i]);
        t.amplitude[i] = s.amplitude[order[i]];
        t.phase[i] = s.phase[order[i]];
        t.wave[i] = s.wave[order[i]];
        t.frequency[i] = s.frequency[order[i]];
    }
    t.desc = s.desc;
    t.desc.field.sources.data = t.sources;
    t.desc.field.amplitude.data = t.amplitude;
    t.desc.field.phase.data = t.phase;
    t.desc.field.wavenumber.data = t.wave;
    t.desc.field.frequency.data = t.frequency;
    t.desc.field.out.data = turned;
    CHECK_EQ(padic_wave_frames(NULL, &t.desc), PADIC_OK);
    for (int f = 0; f < F; f++)
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 2; c++) {
                CHECK_NEAR(sum[f][i][c], psi[f][i][c], 1e-13 * sizes(&s, i));
                CHECK_NEAR(turned[f][i][c], psi[f][i][c], 1e-13 * sizes(&s, i));
            }
}

// Frequencies near to each other: the error is there and stays below 2 pi merged sum |A|/r, where
// The error bound tells merged; and just below what a pair needs nothing is merged.
TEST(merge)
{
    static double psi[F][N][2], want[F][N][2];
    static scene s;
    for (int round = 0; round < 6; round++) {
        const double turns = pow(10, -6 + round), first = 17.25;
        padic_wave_superpose_report told = PADIC_ZERO, plain = PADIC_ZERO;
        double known = 0, middle, half, worst = 0, merged, low, high;
        scene_begin(&s, 4, 3);
        s.desc.field.time = first;
        s.desc.field.report = &plain;
        s.desc.field.out = padic_tensor_2d(PADIC_C128, want, F, N);
        low = high = s.times[0];
        for (int f = 1; f < F; f++) {
            low = s.times[f] < low ? s.times[f] : low;
            high = s.times[f] > high ? s.times[f] : high;
        }
        middle = (low + high) / 2;
        half = high - middle;
        for (int i = 0; i < M; i++)
            s.frequency[i] += uniform(0, 1) * (double)(2 * PI_L) * turns / half * .999;
        CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
        s.desc.merge_turns = turns;
        s.desc.field.report = &told;
        s.desc.field.out.data = psi;
        CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
        CHECK_EQ(wave_frames_error_bound(NULL, &s.desc, &known), PADIC_OK);
        merged = told.error_bound - plain.error_bound;
        CHECK(merged > turns / 10 && merged <= turns && known >= told.error_bound &&
              known < told.error_bound + turns);
        for (int f = 0; f < F; f++)
            for (int i = 0; i < N; i++)
                for (int c = 0; c < 2; c++) {
                    const double error = fabs(psi[f][i][c] - want[f][i][c]) / sizes(&s, i);
                    CHECK(error <= (double)(2 * PI_L) * merged + 1e-13);
                    if (error > worst) worst = error;
                }
        CHECK(worst > turns / 50); // it was merged
    }
    s.desc.field.report = NULL;
    for (int i = 0; i < M; i++) s.frequency[i] = i * .25; // half of all times is 10
    for (int f = 0; f < F; f++) s.times[f] = 20.0 * f / (F - 1);
    s.desc.merge_turns = .25 * 10 / (double)(2 * PI_L) * (1 - 1e-12);
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    s.desc.merge_turns = 0;
    s.desc.field.out.data = want;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    for (int i = 0; i < 2 * N * F; i++) CHECK_NEAR((&psi[0][0][0])[i], (&want[0][0][0])[i], 1e-11);
    s.desc.merge_turns = .25 * 10 / (double)(2 * PI_L) * (1 + 1e-12); // pairs
    s.desc.field.out.data = psi;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    CHECK(fabs(psi[0][0][0] - want[0][0][0]) > 1e-4);
    // One frame is its own middle: any merging is exact.
    s.desc.merge_turns = 1e-9;
    s.desc.times.shape[0] = s.desc.field.out.shape[0] = 1;
    s.times[0] = 13;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    frame_alone(&s.desc, 13, padic_tensor_1d(PADIC_C128, want, N));
    for (int i = 0; i < 2 * N; i++) CHECK_NEAR((&psi[0][0][0])[i], (&want[0][0][0])[i], 1e-12);
}

// Two merged sources, one of them silent: the other is off by just the error bound at the first
// and the last time, whichever it is.
TEST(merge_in_the_middle)
{
    double at[3] = {0, 0, 2}, sources[2][3] = {{0, 0, 0}, {0, 0, 0}}, k = 1;
    double frequency[2] = {3, 3.125}, times[3] = {-4, 0, 12}, psi[3][2], want[2];
    padic_wave_superpose_report told = PADIC_ZERO, plain = PADIC_ZERO;
    for (int loud = 0; loud < 2; loud++) {
        double amplitude[2] = {0, 0};
        padic_wave_frames_desc desc = PADIC_ZERO;
        amplitude[loud] = 1;
        desc.field.points = padic_tensor_2d(PADIC_F64, at, 1, 3);
        desc.field.sources = padic_tensor_2d(PADIC_F64, sources, 2, 3);
        desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, 2);
        desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        desc.field.frequency = padic_tensor_1d(PADIC_F64, frequency, 2);
        desc.times = padic_tensor_1d(PADIC_F64, times, 3);
        desc.field.out = padic_tensor_2d(PADIC_C128, psi, 3, 1);
        desc.field.report = &plain;
        CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
        desc.merge_turns = 1;
        desc.field.report = &told;
        CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
        CHECK_NEAR(told.error_bound - plain.error_bound, .0625 * 8 / (double)(2 * PI_L), 1e-14);
        for (int f = 0; f < 3; f++) {
            frame_alone(&desc, times[f], padic_tensor_1d(PADIC_C128, want, 1));
            const double turned = atan2(psi[f][1] * want[0] - psi[f][0] * want[1],
                                        psi[f][0] * want[0] + psi[f][1] * want[1]);
            CHECK_NEAR(turned, (loud ? .0625 : -.0625) * (times[f] - 4), 1e-13);
        }
    }
}

TEST(sorting)
{
    static padici_wave_rate rates[300];
    for (int round = 0; round < 200; round++) {
        const uint64_t n = test_random() % 300, kinds = 1 + test_random() % 300;
        uint64_t sum = 0;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t kind = test_random() % kinds;
            rates[i].source = i;
            rates[i].frequency = ((double)kind - 20) * .5;
            if (kind == 50) rates[i].frequency = round & 1 ? NAN : -INFINITY;
            if (kind == 51) rates[i].frequency = round & 1 ? -NAN : INFINITY;
        }
        padici_wave_rate_sort(rates, n);
        for (uint64_t i = 0; i < n; i++) {
            const double a = rates[i ? i - 1 : 0].frequency, b = rates[i].frequency;
            sum += rates[i].source;
            if (i)
                CHECK(a < b || a != a || b != b ||
                      (a == b && rates[i - 1].source < rates[i].source));
        }
        CHECK_EQ(sum, n * (n - (n > 0)) / 2);
    }
}

// psi = G D^T, as sums by hand and as amplitudes and phases of a call a frame.
TEST(drive)
{
    static double drive[F][M][2], psi[F][N][2], want[N][2], waves[M][N][2];
    static float single[F][M][2];
    static scene s;
    for (int sign = 0; sign < 3; sign++)
        for (int narrow = 0; narrow < 2; narrow++) {
            padic_wave_frames_desc desc;
            scene_begin(&s, M, 3);
            for (int i = 0; i < 2 * F * M; i++) {
                (&single[0][0][0])[i] = (float)uniform(-1, 1);
                (&drive[0][0][0])[i] = (&single[0][0][0])[i];
            }
            desc = s.desc;
            desc.field.sign = (padic_wave_sign)sign;
            memset(&desc.times, 0, sizeof desc.times);
            memset(&desc.field.amplitude, 0, sizeof desc.times);
            memset(&desc.field.phase, 0, sizeof desc.times);
            if (sign == 1) memset(&desc.field.frequency, 0, sizeof desc.times);
            desc.drive = narrow ? padic_tensor_2d(PADIC_C64, single, F, M)
                                : padic_tensor_2d(PADIC_C128, drive, F, M);
            desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, N);
            CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
            for (int m = 0; m < M; m++) {
                padic_wave_superpose_desc one = desc.field;
                one.sources = padic_tensor_2d(PADIC_F64, s.sources[m], 1, 3);
                one.wavenumber = padic_tensor_1d(PADIC_F64, &s.wave[m], 1);
                memset(&one.frequency, 0, sizeof one.frequency);
                one.out = padic_tensor_1d(PADIC_C128, waves[m], N);
                CHECK_EQ(padic_wave_superpose(NULL, &one), PADIC_OK);
            }
            for (int f = 0; f < F; f++) {
                for (int m = 0; m < M; m++) {
                    s.amplitude[m] = hypot(drive[f][m][0], drive[f][m][1]);
                    s.phase[m] = atan2(drive[f][m][1], drive[f][m][0]) * (sign == 1 ? -1 : 1);
                }
                padic_wave_frames_desc other = s.desc;
                other.field.sign = desc.field.sign;
                frame_alone(&other, 0, padic_tensor_1d(PADIC_C128, want, N));
                for (int i = 0; i < N; i++) {
                    double re = 0, im = 0;
                    for (int m = 0; m < M; m++) {
                        re += drive[f][m][0] * waves[m][i][0] - drive[f][m][1] * waves[m][i][1];
                        im += drive[f][m][0] * waves[m][i][1] + drive[f][m][1] * waves[m][i][0];
                    }
                    CHECK_NEAR(psi[f][i][0], re, 1e-13 * (20 + fabs(re)));
                    CHECK_NEAR(psi[f][i][1], im, 1e-13 * (20 + fabs(im)));
                    CHECK_NEAR(psi[f][i][0], want[i][0], 1e-12 * (20 + fabs(re)));
                    CHECK_NEAR(psi[f][i][1], want[i][1], 1e-12 * (20 + fabs(im)));
                }
            }
            if (narrow) continue; // (M, F) in memory, backwards: the same numbers
            static double turned[M][F][2], again[F][N][2];
            for (int f = 0; f < F; f++)
                for (int m = 0; m < M; m++)
                    memcpy(turned[m][F - 1 - f], drive[f][m], sizeof turned[m][f]);
            desc.drive.data = turned[0][F - 1];
            desc.drive.stride[0] = -1;
            desc.drive.stride[1] = F;
            desc.field.out.data = again;
            CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
            CHECK(!memcmp(again, psi, sizeof psi));
        }
}

// Every output, frames apart and turned, on a list and on a grid.
TEST(outputs)
{
    static double want[60][2], real[60], wide[4000];
    static float single[60];
    static uint8_t pixels[F][60][4], one[60][4], turned[4][60][F];
    static scene s;
    scene_begin(&s, 3, 3);
    for (int grid = 0; grid < 2; grid++) {
        static const uint64_t shape[4] = {F, 3, 4, 5};
        const uint64_t n = grid ? 60 : N;
        padic_wave_superpose_report told = PADIC_ZERO;
        double low = 1e300, high = -1e300;
        if (grid) {
            memset(&s.desc.field.points, 0, sizeof s.desc.field.points);
            for (int a = 0; a < 3; a++) {
                s.desc.field.grid.count[a] = (uint32_t)shape[a + 1];
                s.desc.field.grid.step[a] = .7 - .1 * a;
                s.desc.field.grid.origin[a] = -2;
            }
        }
        for (int output = 1; output < 5; output++) {
            s.desc.field.output = (padic_wave_output)output;
            s.desc.field.out = grid ? padic_tensor_nd(PADIC_F64, wide, 4, shape)
                                    : padic_tensor_2d(PADIC_F64, wide, F, N);
            if (!grid) { // points apart by F + 2, frames beside each other, backwards
                s.desc.field.out.stride[0] = 1;
                s.desc.field.out.stride[1] = F + 2;
            }
            CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
            for (int f = 0; f < F; f++) {
                frame_alone(&s.desc, s.times[f],
                            grid ? padic_tensor_nd(PADIC_F64, real, 3, shape + 1)
                                 : padic_tensor_1d(PADIC_F64, real, N));
                for (uint64_t i = 0; i < n; i++) {
                    const double got = grid ? wide[(uint64_t)f * 60 + i]
                                            : wide[i * (F + 2) + (uint64_t)f];
                    const double off = fabs(got - real[i]);
                    CHECK(off < 1e-11 * (10 + fabs(real[i])) ||
                          (output == PADIC_WAVE_OUTPUT_PHASE &&
                           fabs(off - (double)(2 * PI_L)) < 1e-9));
                }
            }
        }
        s.desc.field.output = PADIC_WAVE_OUTPUT_RGBA8;
        s.desc.field.tone.value = PADIC_WAVE_OUTPUT_REAL;
        s.desc.field.tone.map = PADIC_WAVE_MAP_HEAT;
        s.desc.field.tone.low = -3;
        s.desc.field.tone.high = 5;
        s.desc.field.report = &told;
        if (grid) {
            uint64_t more[5];
            memcpy(more, shape, sizeof shape);
            more[4] = 4;
            s.desc.field.out = padic_tensor_nd(PADIC_U8, pixels, 5, more);
            CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
        } else { // colours, points, frames
            s.desc.field.out = padic_tensor_3d(PADIC_U8, turned, F, N, 4);
            s.desc.field.out.stride[0] = 1;
            s.desc.field.out.stride[1] = F;
            s.desc.field.out.stride[2] = 60 * F;
            CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
            for (int f = 0; f < F; f++)
                for (int i = 0; i < 4 * N; i++)
                    pixels[f][i / 4][i % 4] = turned[i % 4][i / 4][f];
        }
        for (int f = 0; f < F; f++) {
            padic_wave_superpose_report part = PADIC_ZERO; // of this frame
            uint64_t more[4];
            memcpy(more, shape + 1, 3 * sizeof *more);
            more[3] = 4;
            s.desc.field.report = &part;
            frame_alone(&s.desc, s.times[f], grid ? padic_tensor_nd(PADIC_U8, one, 4, more)
                                                  : padic_tensor_2d(PADIC_U8, one, N, 4));
            low = part.smallest < low ? part.smallest : low;
            high = part.largest > high ? part.largest : high;
            for (uint64_t i = 0; i < 4 * n; i++) {
                const int off = pixels[f][i / 4][i % 4] - one[i / 4][i % 4];
                CHECK(off >= -1 && off <= 1);
            }
        }
        CHECK_NEAR(told.smallest, low, 1e-12 * (1 + fabs(low)));
        CHECK_NEAR(told.largest, high, 1e-12 * (1 + fabs(high)));
        s.desc.field.report = NULL;
    }
    s.desc.field.output = PADIC_WAVE_OUTPUT_REAL; // one axis of the grid, rank 2 with the frames
    s.desc.field.grid.count[1] = s.desc.field.grid.count[2] = 0;
    s.desc.field.out = padic_tensor_2d(PADIC_F32, single, F, 3);
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    s.desc.field.output = PADIC_WAVE_OUTPUT_COMPLEX;
    frame_alone(&s.desc, s.times[F - 1], padic_tensor_1d(PADIC_C128, want, 3));
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(single[3 * (F - 1) + i], want[i][0], 1e-6 * (1 + fabs(want[i][0])));
}

TEST(sizes)
{
    static double psi[F][N][2], mean[N];
    static scene s;
    scene_begin(&s, 3, 3);
    for (int i = 0; i < 2 * F * N; i++) (&psi[0][0][0])[i] = 5;
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, 0, N); // no frame
    s.desc.times.shape[0] = 0;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    s.desc.mean_intensity = padic_tensor_1d(PADIC_F64, mean, N);
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    CHECK(mean[0] > 0 && mean[N - 1] > 0);
    memset(&s.desc.mean_intensity, 0, sizeof s.desc.mean_intensity);
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, 0); // no point
    s.desc.times.shape[0] = F;
    s.desc.field.points.shape[0] = 0;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    for (int i = 0; i < 2 * F * N; i++) CHECK((&psi[0][0][0])[i] == 5);
    s.desc.field.points.shape[0] = 1;
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, 1);
    s.desc.field.sources.shape[0] = s.desc.field.amplitude.shape[0] = 0; // no source
    s.desc.field.phase.shape[0] = s.desc.field.wavenumber.shape[0] = 0;
    s.desc.field.frequency.shape[0] = 0;
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    for (int i = 0; i < 2 * F * N; i++) CHECK((&psi[0][0][0])[i] == (i < 2 * F ? 0 : 5));
    scene_begin(&s, 3, 3); // one of each
    s.desc.field.points.shape[0] = s.desc.times.shape[0] = 1;
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, 1, 1);
    CHECK_EQ(padic_wave_frames(NULL, &s.desc), PADIC_OK);
    frame_alone(&s.desc, s.times[0], padic_tensor_1d(PADIC_C128, psi[1], 1));
    CHECK_NEAR(psi[0][0][0], psi[1][0][0], 1e-12);
    CHECK_NEAR(psi[0][0][1], psi[1][0][1], 1e-12);
}

// The same bits for 1, 2 and 7 workers and from buffers; NaN there is found on request only.
TEST(workers)
{
    enum { POINTS = 1203, SOURCES = 300, FRAMES = 5 };
    static double points[POINTS][3], sources[SOURCES][3], k[SOURCES], w[SOURCES];
    static double first[FRAMES][POINTS][2], psi[FRAMES][POINTS][2], mean[2][POINTS];
    static const uint32_t workers[3] = {1, 2, 7};
    double times[FRAMES] = {0, 1, 5, 2, 1000};
    for (int i = 0; i < 3 * POINTS; i++) points[i / 3][i % 3] = uniform(-9, 9);
    for (int i = 0; i < 3 * SOURCES; i++) sources[i / 3][i % 3] = uniform(-9, 9);
    for (int i = 0; i < SOURCES; i++) {
        k[i] = uniform(1, 9);
        w[i] = (double)(test_random() % 100);
    }
    memcpy(points[17], sources[5], sizeof points[17]);
    memcpy(points[1200], sources[5], sizeof points[17]);
    for (int i = 0; i < 4; i++) {
        padic_wave_frames_desc desc = PADIC_ZERO;
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        padic_threads *threads = NULL;
        padic_buffer buffer = {0};
        padic_wave_superpose_report told = {99, 0, 0, 0};
        if (i < 3) {
            threads = padic_threads_create(workers[i], NULL);
            REQUIRE(threads != NULL);
            with.jobs = padic_threads_jobs(threads);
        }
        REQUIRE(!padic_context_create(&with, &context));
        desc.field.points = padic_tensor_2d(PADIC_F64, points, POINTS, 3);
        desc.field.sources = padic_tensor_2d(PADIC_F64, sources, SOURCES, 3);
        desc.field.wavenumber = padic_tensor_1d(PADIC_F64, k, SOURCES);
        desc.field.frequency = padic_tensor_1d(PADIC_F64, w, SOURCES);
        desc.times = padic_tensor_1d(PADIC_F64, times, FRAMES);
        if (i == 3) {
            padic_buffer_desc of = PADIC_ZERO;
            of.size = sizeof times;
            of.data = times;
            REQUIRE(!padic_buffer_create(context, &of, &buffer));
            desc.times = padic_tensor_in(desc.times, buffer, 0);
        }
        desc.field.out = padic_tensor_2d(PADIC_C128, i ? psi : first, FRAMES, POINTS);
        desc.mean_intensity = padic_tensor_1d(PADIC_F64, mean[i > 0], POINTS);
        desc.field.report = &told;
        CHECK_EQ(padic_wave_frames(context, &desc), PADIC_OK);
        CHECK_EQ(told.coincident, 2); // not once a frame
        if (i) CHECK(!memcmp(psi, first, sizeof psi) && !memcmp(mean[0], mean[1], sizeof mean[0]));
        if (i == 3) {
            const double nan_ = NAN;
            CHECK_EQ(padic_buffer_upload(context, buffer, 8, &nan_, 8), PADIC_OK);
            CHECK_EQ(padic_wave_frames(context, &desc), PADIC_OK);
            CHECK(psi[1][0][0] != psi[1][0][0] && psi[0][0][0] == first[0][0][0]);
            psi[0][0][0] = 5;
            desc.field.flags = PADIC_WAVE_FLAG_CHECK_FINITE;
            CHECK_EQ(padic_wave_frames(context, &desc), PADIC_ERROR_NOT_FINITE);
            CHECK(psi[0][0][0] == 5);
            CHECK_EQ(wave_frames_error_bound(context, &desc, &psi[0][0][0]),
                     PADIC_ERROR_NOT_SUPPORTED);
        }
        padic_context_destroy(context);
        if (threads) padic_threads_destroy(threads);
    }
}

typedef struct short_memory {
    uint32_t left, live;
} short_memory;

static void *short_alloc(size_t size, size_t align, void *user)
{
    short_memory *memory = (short_memory *)user;
    void *block;
    if (!memory->left) return NULL;
    memory->left--;
    block = padici_alloc(NULL, size, align);
    memory->live += block != NULL;
    return block;
}

static void short_free(void *block, size_t size, void *user)
{
    ((short_memory *)user)->live--;
    padici_free(NULL, block, size);
}

// Each allocation fails once: MEMORY, nothing written, all given back.
TEST(memory)
{
    static double psi[F][N][2];
    static scene s;
    short_memory memory = {1000, 0};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    uint32_t live, failures = 0;
    with.allocator.alloc = short_alloc;
    with.allocator.free = short_free;
    with.allocator.user = &memory;
    REQUIRE(!padic_context_create(&with, &context));
    scene_begin(&s, M, 3);
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, N);
    live = memory.live;
    for (uint32_t i = 0; i < 8; i++) {
        padic_result result;
        psi[0][0][0] = 5;
        memory.left = i;
        result = padic_wave_frames(context, &s.desc);
        CHECK_EQ(memory.live, live);
        CHECK((psi[0][0][0] == 5) == (result != PADIC_OK));
        if (!result) break;
        CHECK_EQ(result, PADIC_ERROR_MEMORY);
        CHECK(strstr(padic_context_message(context), "memory") != NULL);
        failures++;
    }
    CHECK_EQ(failures, 2);
    memory.left = 1000;
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
}

// So many frequencies that their waves are more than the room of 64 tasks.
TEST(many_frequencies)
{
    enum { SOURCES = 5000, POINTS = 2100 };
    static double points[POINTS][3], sources[SOURCES][3], w[SOURCES], psi[2][POINTS][2];
    double times[2] = {0, 3}, k = 2;
    padic_wave_frames_desc desc = PADIC_ZERO;
    if (test_tiny) {
        SKIP("large");
    }
    for (int i = 0; i < 3 * POINTS; i++) points[i / 3][i % 3] = uniform(-9, 9);
    for (int i = 0; i < 3 * SOURCES; i++) sources[i / 3][i % 3] = uniform(-9, 9);
    for (int i = 0; i < SOURCES; i++) w[i] = uniform(-5, 5);
    desc.field.points = padic_tensor_2d(PADIC_F64, points, POINTS, 3);
    desc.field.sources = padic_tensor_2d(PADIC_F64, sources, SOURCES, 3);
    desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.field.frequency = padic_tensor_1d(PADIC_F64, w, SOURCES);
    desc.times = padic_tensor_1d(PADIC_F64, times, 2);
    desc.field.out = padic_tensor_2d(PADIC_C128, psi, 2, POINTS);
    CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
    desc.field.points.shape[0] = 40; // the last ones, too
    desc.field.points.data = points[POINTS - 40];
    for (int f = 0; f < 2; f++) {
        double want[40][2];
        frame_alone(&desc, times[f], padic_tensor_1d(PADIC_C128, want, 40));
        for (int i = 0; i < 80; i++)
            CHECK_NEAR((&psi[f][POINTS - 40][0])[i], (&want[0][0])[i], 1e-10);
    }
}

static padic_context *open_level(const char *name, const padic_jobs *jobs)
{
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    with.backends[0] = padic_simd();
    with.device.name = name;
    with.flags = PADIC_CONTEXT_STRICT;
    if (jobs) with.jobs = *jobs;
    return padic_context_create(&with, &context) ? NULL : context;
}

// In f32 vectors, at every level that the CPU has: (2 pi 2e-6 + 2e-6 + 2^-22 R/r) |A|/r a source
// from the reference; the same for any number of workers; and it was the vectors that did it.
TEST(vectors)
{
    enum { POINTS = 300, FRAMES = 5, SOURCES = 90 };
    static const char *const levels[] = {"neon", "avx2", "avx512"};
    static const padic_wave_kernel kernels[3] = {PADIC_WAVE_KERNEL_POINT3, PADIC_WAVE_KERNEL_GREEN3,
                                                 PADIC_WAVE_KERNEL_SQRT};
    static const padic_wave_softening softs[4] = {PADIC_WAVE_SOFTENING_NONE,
                                                  PADIC_WAVE_SOFTENING_PLUMMER,
                                                  PADIC_WAVE_SOFTENING_PLUMMER_BOTH,
                                                      PADIC_WAVE_SOFTENING_CLAMP};
    static double points[POINTS][3], sources[SOURCES][3], wave[SOURCES], frequency[SOURCES];
    static double want[FRAMES][POINTS][2], slack[POINTS], exact[POINTS], drive[FRAMES][SOURCES][2];
    static float psi[FRAMES][POINTS][2], again[FRAMES][POINTS][2], mean[POINTS];
    double times[FRAMES] = {0, 1, 12, 1000, -3};
    padic_threads *threads = padic_threads_create(3, NULL);
    const padic_jobs jobs = padic_threads_jobs(threads);
    int found = 0;
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        padic_context *context = open_level(levels[level], NULL);
        padic_context *many = open_level(levels[level], &jobs);
        if (!context || !many) continue;
        for (int t = 0; t < 48; t += test_tiny ? 5 : 1) {
            const int kinds = t % 4 == 0 ? 1 : t % 4 == 1 ? 3 : SOURCES, driven = t % 4 == 3;
            const double reach = t & 4 ? 4 : 300;
            padic_wave_frames_desc desc = PADIC_ZERO;
            padic_wave_superpose_report told = PADIC_ZERO;
            double known = 0, biggest = 1;
            for (int i = 0; i < SOURCES; i++) {
                for (int a = 0; a < 3; a++) sources[i][a] = uniform(-1, 1) * reach;
                wave[i] = uniform(.5, 7);
                frequency[i] = (double)(test_random() % (uint64_t)kinds) * .37;
            }
            for (int i = 0; i < POINTS; i++)
                for (int a = 0; a < 3; a++) points[i][a] = uniform(-4, 4);
            memcpy(points[77], sources[5], sizeof points[77]);
            for (int i = 0; i < FRAMES * SOURCES; i++) {
                drive[i / SOURCES][i % SOURCES][0] = uniform(-1, 1);
                drive[i / SOURCES][i % SOURCES][1] = uniform(-1, 1);
            }
            desc.field.kernel = kernels[t % 3];
            desc.field.softening = softs[t / 12];
            desc.field.sign = (padic_wave_sign)(t % 5 % 3);
            desc.field.length = .25;
            desc.field.points = padic_tensor_2d(PADIC_F64, points, POINTS, 3);
            desc.field.sources = padic_tensor_2d(PADIC_F64, sources, SOURCES, 3);
            desc.field.wavenumber = padic_tensor_1d(PADIC_F64, wave, SOURCES);
            desc.field.frequency = padic_tensor_1d(PADIC_F64, frequency, SOURCES);
            if (driven) desc.drive = padic_tensor_2d(PADIC_C128, drive, FRAMES, SOURCES);
            else desc.times = padic_tensor_1d(PADIC_F64, times, FRAMES);
            desc.field.out = padic_tensor_2d(PADIC_C128, want, FRAMES, POINTS);
            if (!driven) desc.mean_intensity = padic_tensor_1d(PADIC_F64, exact, POINTS);
            CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
            desc.field.report = &told;
            desc.field.out = padic_tensor_2d(PADIC_C64, psi, FRAMES, POINTS);
            if (!driven) desc.mean_intensity = padic_tensor_1d(PADIC_F32, mean, POINTS);
            CHECK_EQ(padic_wave_frames(context, &desc), PADIC_OK);
            CHECK_EQ(wave_frames_error_bound(context, &desc, &known), PADIC_OK);
            CHECK(told.error_bound > 5e-8 && told.error_bound <= 2.02e-6 &&
                  told.error_bound <= known);
            CHECK_EQ(told.coincident, desc.field.softening == PADIC_WAVE_SOFTENING_NONE);
            desc.field.out.data = again;
            CHECK_EQ(padic_wave_frames(many, &desc), PADIC_OK);
            CHECK(!memcmp(psi, again, sizeof psi));
            if (driven) biggest = 1.5;
            for (int i = 0; i < POINTS; i++) {
                slack[i] = 0;
                for (int m = 0; m < SOURCES; m++) {
                    double r2 = 0, r;
                    for (int a = 0; a < 3; a++)
                        r2 += (points[i][a] - sources[m][a]) * (points[i][a] - sources[m][a]);
                    if (i == 77 && m == 5) r2 = .0625; // none, or softened
                    r = sqrt(r2);
                    slack[i] += biggest * (1.46e-5 + 2.4e-7 * 8 / r) /
                                (desc.field.kernel == PADIC_WAVE_KERNEL_SQRT ? sqrt(r) : r);
                }
                for (int f = 0; f < FRAMES; f++)
                    for (int c = 0; c < 2; c++)
                        CHECK_NEAR(psi[f][i][c], want[f][i][c], slack[i]);
                if (!driven)
                    CHECK_NEAR(mean[i], exact[i],
                               3 * slack[i] * (sqrt(exact[i]) + slack[i]) + 1e-7 * exact[i]);
            }
            if (t % 8) continue; // pictures and numbers, on a grid
            static double real[FRAMES][9][14];
            static float single[FRAMES][9][14];
            static uint8_t pixels[FRAMES][9][14][4], gone[FRAMES][9][14][4];
            memset(&desc.field.points, 0, sizeof desc.field.points);
            memset(&desc.mean_intensity, 0, sizeof desc.mean_intensity);
            desc.field.report = NULL;
            desc.field.grid.count[0] = 9;
            desc.field.grid.count[1] = 14;
            desc.field.grid.step[0] = .25;
            desc.field.grid.step[1] = .125;
            desc.field.output = PADIC_WAVE_OUTPUT_AMPLITUDE;
            desc.field.out = padic_tensor_3d(PADIC_F64, real, FRAMES, 9, 14);
            CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
            desc.field.out = padic_tensor_3d(PADIC_F32, single, FRAMES, 9, 14);
            CHECK_EQ(padic_wave_frames(context, &desc), PADIC_OK);
            for (int i = 0; i < FRAMES * 9 * 14; i++)
                CHECK_NEAR((&single[0][0][0])[i], (&real[0][0][0])[i], .02);
            const uint64_t shape[4] = {FRAMES, 9, 14, 4};
            desc.field.output = PADIC_WAVE_OUTPUT_RGBA8;
            desc.field.tone.value = PADIC_WAVE_OUTPUT_AMPLITUDE;
            desc.field.tone.high = 40;
            desc.field.out = padic_tensor_nd(PADIC_U8, gone, 4, shape);
            CHECK_EQ(padic_wave_frames(NULL, &desc), PADIC_OK);
            desc.field.out.data = pixels;
            CHECK_EQ(padic_wave_frames(context, &desc), PADIC_OK);
            for (int i = 0; i < FRAMES * 9 * 14 * 4; i++) {
                const int off = (&pixels[0][0][0][0])[i] - (&gone[0][0][0][0])[i];
                CHECK(off >= -1 && off <= 1);
            }
        }
        found++;
        padic_context_destroy(many);
        padic_context_destroy(context);
    }
    padic_threads_destroy(threads);
    if (!found) {
        SKIP("no vectors on this CPU");
    }
}

static void refused(const padic_wave_frames_desc *desc, padic_result result, const char *word)
{
    padic_context *context = NULL;
    REQUIRE(!padic_context_create(NULL, &context));
    CHECK_EQ(padic_wave_frames(context, desc), result);
    if (!strstr(padic_context_message(context), word)) {
        printf("\n  %s: %s", word, padic_context_message(context));
        CHECK(0);
    }
    padic_context_destroy(context);
}

#define NONE(tensor) memset(&(tensor), 0, sizeof(tensor))

TEST(errors)
{
    static double psi[F][N][2], mean[N], drive[F][M][2];
    static scene s;
    padic_wave_frames_desc good, driven, desc;
    double bound = 5;
    scene_begin(&s, 3, 3);
    s.desc.field.out = padic_tensor_2d(PADIC_C128, psi, F, N);
    s.desc.mean_intensity = padic_tensor_1d(PADIC_F64, mean, N);
    good = driven = s.desc;
    NONE(driven.times);
    NONE(driven.field.amplitude);
    NONE(driven.field.phase);
    NONE(driven.mean_intensity);
    driven.drive = padic_tensor_2d(PADIC_C128, drive, F, M);
    psi[0][0][0] = mean[0] = 5;
    CHECK_EQ(padic_wave_frames(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(wave_frames_error_bound(NULL, NULL, &bound), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(wave_frames_error_bound(NULL, &good, NULL), PADIC_ERROR_ARGUMENT);
#define REFUSED(from, change, code, word) \
    desc = from;                          \
    change;                               \
    refused(&desc, code, word);           \
    CHECK(psi[0][0][0] == 5 && mean[0] == 5)
    REFUSED(good, (NONE(desc.field.out), NONE(desc.mean_intensity)), PADIC_ERROR_ARGUMENT,
            "neither field.out");
    REFUSED(good, NONE(desc.times), PADIC_ERROR_ARGUMENT, "neither times");
    REFUSED(good, desc.drive = driven.drive, PADIC_ERROR_ARGUMENT, "both times");
    REFUSED(good, desc.times.dtype = PADIC_I64, PADIC_ERROR_DTYPE, "times");
    REFUSED(good, desc.times.shape[0] = F - 1, PADIC_ERROR_MISMATCH, "times");
    REFUSED(good, desc.times = padic_tensor_nd(PADIC_F64, s.times, 0, NULL), PADIC_ERROR_MISMATCH,
            "times");
    REFUSED(good, desc.merge_turns = -1, PADIC_ERROR_ARGUMENT, "merge_turns");
    REFUSED(good, desc.merge_turns = NAN, PADIC_ERROR_ARGUMENT, "merge_turns");
    REFUSED(good, (desc.merge_turns = 1, NONE(desc.field.out)), PADIC_ERROR_ARGUMENT,
            "merge_turns");
    REFUSED(good, desc.field.out = padic_tensor_1d(PADIC_C128, psi, N), PADIC_ERROR_MISMATCH, "");
    REFUSED(good, desc.field.out = padic_tensor_nd(PADIC_C128, psi, 0, NULL), PADIC_ERROR_MISMATCH,
            "out");
    REFUSED(good, desc.field.out.shape[1] = N - 1, PADIC_ERROR_MISMATCH, "out");
    REFUSED(good, desc.field.out.dtype = PADIC_F64, PADIC_ERROR_DTYPE, "out");
    REFUSED(good, desc.field.output = PADIC_WAVE_OUTPUT_REAL, PADIC_ERROR_DTYPE, "out");
    REFUSED(good, (desc.field.output = PADIC_WAVE_OUTPUT_RGBA8, desc.field.out.dtype = PADIC_U8),
            PADIC_ERROR_MISMATCH, "out");
    REFUSED(good, desc.mean_intensity.dtype = PADIC_C64, PADIC_ERROR_DTYPE, "mean_intensity");
    REFUSED(good, desc.mean_intensity.shape[0] = 3, PADIC_ERROR_MISMATCH, "mean_intensity");
    REFUSED(good, (NONE(desc.field.out), desc.field.output = PADIC_WAVE_OUTPUT_REAL),
            PADIC_ERROR_ARGUMENT,
            "output");
    REFUSED(good, (NONE(desc.field.out), desc.field.flags = PADIC_WAVE_FLAG_ACCUMULATE),
            PADIC_ERROR_ARGUMENT, "ACCUMULATE");
    REFUSED(good, (NONE(desc.field.out), desc.mean_intensity.shape[0] = 3), PADIC_ERROR_MISMATCH,
            "mean_intensity");
    REFUSED(good, desc.mean_intensity.data = psi, PADIC_ERROR_OVERLAP, "");
    REFUSED(good, desc.times.data = psi, PADIC_ERROR_OVERLAP, "");
    REFUSED(good, desc.field.frequency.data = mean, PADIC_ERROR_OVERLAP, "");
    REFUSED(driven, desc.drive.dtype = PADIC_F64, PADIC_ERROR_DTYPE, "drive");
    REFUSED(driven, desc.drive.shape[0] = F - 1, PADIC_ERROR_MISMATCH, "drive");
    REFUSED(driven, desc.drive.shape[1] = M - 1, PADIC_ERROR_MISMATCH, "drive");
    REFUSED(driven, desc.drive = padic_tensor_1d(PADIC_C128, drive, F), PADIC_ERROR_MISMATCH,
            "drive");
    REFUSED(driven, desc.field.amplitude = good.field.amplitude, PADIC_ERROR_ARGUMENT, "amplitude");
    REFUSED(driven, desc.field.phase = good.field.phase, PADIC_ERROR_ARGUMENT, "phase");
    REFUSED(driven, desc.field.time = 1, PADIC_ERROR_ARGUMENT, "time");
    REFUSED(driven, desc.merge_turns = 1, PADIC_ERROR_ARGUMENT, "merge_turns");
    REFUSED(driven, desc.mean_intensity = good.mean_intensity, PADIC_ERROR_ARGUMENT,
            "mean_intensity");
    // What superposition refuses.
    REFUSED(good, desc.field.kernel = (padic_wave_kernel)5, PADIC_ERROR_ARGUMENT, "kernel");
    REFUSED(good, desc.field.softening = PADIC_WAVE_SOFTENING_SHELL, PADIC_ERROR_ARGUMENT,
            "length");
    REFUSED(good, desc.field.flags = 8, PADIC_ERROR_ARGUMENT, "flags");
    REFUSED(good, desc.field.output = (padic_wave_output)6, PADIC_ERROR_ARGUMENT, "output");
    REFUSED(good, desc.field.time = INFINITY, PADIC_ERROR_NOT_FINITE, "time");
    REFUSED(good, desc.field.grid.count[1] = 1, PADIC_ERROR_ARGUMENT, "both");
    REFUSED(good, desc.field.phase.shape[0] = 1, PADIC_ERROR_MISMATCH, "phase");
    REFUSED(good, (desc.field.tolerance = 1e-8, desc.field.out.dtype = PADIC_C64),
            PADIC_ERROR_NOT_SUPPORTED, "tolerance");
    REFUSED(good, (NONE(desc.field.wavenumber), NONE(desc.field.frequency)), PADIC_ERROR_ARGUMENT,
            "frequency");
    s.times[3] = NAN;
    REFUSED(good, desc.field.flags = 0, PADIC_ERROR_NOT_FINITE, "times");
    CHECK_EQ(wave_frames_error_bound(NULL, &good, &bound), PADIC_ERROR_NOT_FINITE);
    s.times[3] = 0;
    s.frequency[2] = INFINITY;
    REFUSED(good, desc.field.flags = 0, PADIC_ERROR_NOT_FINITE, "frequency");
    s.frequency[2] = 0;
    CHECK(bound == 5);
    CHECK_EQ(padic_wave_frames(NULL, &good), PADIC_OK);
    CHECK_EQ(padic_wave_frames(NULL, &driven), PADIC_OK);
#undef REFUSED
}

TEST_MAIN("frames", CASE(frames), CASE(times), CASE(mean), CASE(ungrouped), CASE(merge),
          CASE(merge_in_the_middle), CASE(sorting), CASE(drive), CASE(outputs), CASE(sizes),
          CASE(workers), CASE(memory),
          CASE(many_frequencies), CASE(vectors), CASE(errors))
