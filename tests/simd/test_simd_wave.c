// test_simd_wave.c: waves in vectors, at every level that the CPU has, against long double: at all
// distances, softenings and outputs, near to sources and on them, by threads. It looks inside:
// padici_ functions say what scales are allowed, and the context who did the work.
#define PADIC_IMPLEMENT_SIMD
#define PADIC_IMPLEMENT_WAVE
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/wave_calls.h"
#include <math.h>
#include "../support/wave_scales.h"

#define PI 3.14159265358979323846264338327950288L

typedef long double real;

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random() >> 11) / 9007199254740992.0;
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

// Each is asked for by name, less those that this CPU lacks.
static const char *const levels[] = {"neon", "avx2", "avx512", "avx512ifma"};
#define EACH_LEVEL(context, jobs)                           \
    for (size_t level = 0; level < 4; level++)              \
        if ((context = open_level(levels[level], jobs)) != NULL)

// One source's wave at distance r, amplitude and softening included; phase in turns.
static real envelope(const padic_wave_superpose_desc *desc, real r, real a, real *way)
{
    real size = r;
    *way = r;
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER) size = sqrtl(r * r + a * a);
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER_BOTH) *way = size = sqrtl(r * r + a * a);
    if (desc->softening == PADIC_WAVE_SOFTENING_CLAMP) *way = size = r < a ? a : r;
    if (size == 0) return 0;
    if (desc->kernel == PADIC_WAVE_KERNEL_SQRT) size = sqrtl(size);
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN3) size *= 4 * PI;
    return 1 / size;
}

// What the page allows: (2 pi tolerance + 2e-6 + 2^-22 R/r) of each term; `bound` for the phase.
static void exact(const padic_wave_superpose_desc *desc, const double at[3], uint64_t m,
                  double (*sources)[3], const double *wave, const double *amplitude,
                  double turns, double extent, real psi[2], real *slack)
{
    psi[0] = psi[1] = *slack = 0;
    for (uint64_t j = 0; j < m; j++) {
        real r2 = 0, way, size, angle;
        for (int a = 0; a < 3; a++) {
            const real x = (real)at[a] - (real)sources[j][a];
            r2 += x * x;
        }
        size = (real)amplitude[j] * envelope(desc, sqrtl(r2), (real)desc->length, &way);
        angle = (real)wave[j] * way;
        if (r2 == 0 && desc->softening == PADIC_WAVE_SOFTENING_NONE) continue;
        psi[0] += size * cosl(angle);
        psi[1] += (desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1) * size * sinl(angle);
        *slack += fabsl(size) * (6.2832L * (real)turns + 2e-6L +
                                 (r2 > 0 ? 2.4e-7L * (real)extent / sqrtl(r2) : 0));
    }
}

// Sources 10^p wavelengths away: no error above what the run reports, nor that above the tolerance.
TEST(flat)
{
    enum { M = 70, N = 300 };
    static double sources[M][3], wave[M], amplitude[M];
    static double points[N][3];
    static float psi[N][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (int p = -1; p < 7; p++)
            for (int size = 0; size < 4; size += test_tiny ? 3 : 1) {
                const double half = .3 * pow(3, size), reach = pow(10, p);
                padic_wave_superpose_desc desc = PADIC_ZERO;
                padic_wave_superpose_report told = PADIC_ZERO;
                double worst = 0, certified = 0;
                for (int i = 0; i < M; i++) {
                    double r = 0;
                    for (int a = 0; a < 3; a++) sources[i][a] = uniform(-1, 1);
                    for (int a = 0; a < 3; a++) r += sources[i][a] * sources[i][a];
                    for (int a = 0; a < 3; a++)
                        sources[i][a] *= (reach + (p >= 0 ? 2 * half : 0)) / sqrt(r);
                    wave[i] = 2 * (double)PI * (i % 3 == 2 ? -1 : 1) * uniform(.9, 1);
                    amplitude[i] = uniform(-2, 2);
                }
                for (int i = 0; i < 3 * N; i++) points[i / 3][i % 3] = uniform(-half, half) / 2;
                desc.points = padic_tensor_2d(PADIC_F64, points, N, 3);
                desc.sources = padic_tensor_2d(PADIC_F64, sources, M, 3);
                desc.wavenumber = padic_tensor_1d(PADIC_F64, wave, M);
                desc.amplitude = padic_tensor_1d(PADIC_F64, amplitude, M);
                desc.out = padic_tensor_1d(PADIC_C64, psi, N);
                desc.report = &told;
                CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
                CHECK(told.error_bound <= 2e-6 && told.error_bound > 0);
                CHECK_EQ(wave_error_bound(NULL, &desc, &certified), PADIC_OK);
                CHECK(told.error_bound <= certified * 1.0001);
                for (int i = 0; i < N; i += test_tiny ? 3 : 1) {
                    real want[2], slack;
                    exact(&desc, points[i], M, sources, wave, amplitude, told.error_bound, 2 * half,
                          want,
                          &slack);
                    CHECK_NEAR(psi[i][0], want[0], slack);
                    CHECK_NEAR(psi[i][1], want[1], slack);
                    if (fabs(psi[i][0] - (double)want[0]) > worst * (double)slack)
                        worst = fabs(psi[i][0] - (double)want[0]) / (double)slack;
                }
                CHECK(worst > 1e-4); // the bound is no infinity
            }
        padic_context_destroy(context);
    }
}

// One source and no sum: the phase itself, every class, at the edge of what a class may do.
TEST(phase)
{
    enum { N = 4096 };
    static double points[N][3];
    static float psi[N][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        double most[3] = {0, 0, 0}; // error over what is reported
        for (int t = 0; t < 60; t++) {
            const double reach = pow(10, uniform(-.5, 7)), half = pow(10, uniform(-1, 1.3));
            padic_wave_superpose_report told = PADIC_ZERO;
            double source[3], wave = 2 * (double)PI, by[3], r = 0, worst = 0;
            padic_wave_superpose_desc desc = PADIC_ZERO;
            for (int a = 0; a < 3; a++) by[a] = uniform(-1, 1), r += by[a] * by[a];
            for (int a = 0; a < 3; a++) source[a] = by[a] / sqrt(r) * (reach + half);
            for (int i = 0; i < 3 * N; i++) points[i / 3][i % 3] = uniform(-half, half) / 1.8;
            desc.points = padic_tensor_2d(PADIC_F64, points, N, 3);
            desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
            desc.wavenumber = padic_tensor_1d(PADIC_F64, &wave, 1);
            desc.out = padic_tensor_1d(PADIC_C64, psi, N);
            desc.tolerance = t % 3 == 0 ? 3e-7 : t % 3 == 1 ? 2e-6 : 5e-5;
            desc.report = &told;
            CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
            CHECK(told.error_bound <= desc.tolerance);
            for (int i = 0; i < N; i++) {
                real r2 = 0, turns, off;
                for (int a = 0; a < 3; a++) {
                    const real x = (real)points[i][a] - (real)source[a];
                    r2 += x * x;
                }
                turns = (real)wave * sqrtl(r2) / (2 * PI);
                off = atan2l((real)psi[i][1], (real)psi[i][0]) / (2 * PI) - turns;
                off = fabsl(off - floorl(off + .5L));
                if ((double)off > worst) worst = (double)off;
                CHECK_NEAR(sqrtl(r2) * hypotl((real)psi[i][0], (real)psi[i][1]), 1, 1.5e-6);
            }
            // sine and cosine are right to 7e-7, a turn's 1.2e-7, beside the phase
            CHECK(worst <= told.error_bound + 1.2e-7);
            if (worst / told.error_bound > most[t % 3]) most[t % 3] = worst / told.error_bound;
        }
        if (test_seed != 1)
            printf(" %s: error/bound at 3e-7 %.2f, 2e-6 %.2f, 5e-5 %.2f;", levels[level], most[0],
                   most[1], most[2]);
        padic_context_destroy(context);
    }
}

// Grids far from a source, of one to three axes: rows that follow from each other, and the tiles at
// the edges, which are not whole. Phase within what is reported, the field within 2 pi of that and
// 2e-6 of the term.
TEST(rows)
{
    static const uint32_t counts[][3] = {{300, 1, 1}, {40, 35, 1}, {1, 33, 48}, {17, 16, 20}};
    static float psi[300 * 20][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        int taken = 0;
        for (int t = 0; t < 80; t++) {
            const uint32_t *count = counts[t % 4];
            const double reach = pow(10, uniform(3.5, 6));
            double wave = (t & 4 ? -1 : 1) * 2 * (double)PI, source[3], by[3];
            padic_wave_superpose_report told = PADIC_ZERO;
            double r = 0, off, worst = 0, field = 0, a = .3;
            padic_wave_superpose_desc desc = PADIC_ZERO;
            for (int i = 0; i < 3; i++) by[i] = uniform(-1, 1), r += by[i] * by[i];
            for (int i = 0; i < 3; i++) source[i] = by[i] / sqrt(r) * reach;
            for (int i = 0; i < 3; i++) {
                desc.grid.count[i] = count[i];
                desc.grid.step[i] = uniform(.5, 1) * (t % 4 == 0 ? .01 : t % 4 == 3 ? .4 : .15);
                desc.grid.origin[i] = uniform(-1, 1);
            }
            desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
            desc.wavenumber = padic_tensor_nd(PADIC_F64, &wave, 0, NULL);
            desc.kernel = t % 3 == 2 ? PADIC_WAVE_KERNEL_SQRT : PADIC_WAVE_KERNEL_POINT3;
            desc.softening = t % 5 == 1 ? PADIC_WAVE_SOFTENING_PLUMMER_BOTH
                : PADIC_WAVE_SOFTENING_NONE;
            desc.length = desc.softening ? a : 0;
            desc.out = padic_tensor_3d(PADIC_C64, psi, count[0], count[1], count[2]);
            desc.report = &told;
            CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
            CHECK(told.error_bound <= 2e-6);
            taken += told.error_bound > 9e-7;
            for (uint32_t i = 0; i < count[0] * count[1] * count[2]; i++) {
                const uint32_t at[3] = {i / count[2] / count[1], i / count[2] % count[1],
                                        i % count[2]};
                real r2 = 0, size, way;
                for (int j = 0; j < 3; j++) {
                    const real x = (real)desc.grid.origin[j] +
                                   (real)at[j] * (real)desc.grid.step[j] - (real)source[j];
                    r2 += x * x;
                }
                size = envelope(&desc, sqrtl(r2), (real)a, &way);
                way = atan2l((real)psi[i][1], (real)psi[i][0]) / (2 * PI) -
                      (real)wave * way / (2 * PI);
                off = (double)fabsl(way - floorl(way + .5L));
                if (off > worst) worst = off;
                off = 2 * (double)PI * off; // with the amplitude
                off = hypot(off, (double)(hypotl((real)psi[i][0], (real)psi[i][1]) / size) - 1);
                if (off > field) field = off;
            }
            CHECK(worst <= told.error_bound + 1.2e-7);
            CHECK(field <= 2 * (double)PI * told.error_bound + 2e-6);
        }
        CHECK(taken > 40);
        padic_context_destroy(context);
    }
}

// Everything that a desc may ask of the vectors, on a grid askew, against long double.
TEST(kinds)
{
    enum { A = 3, B = 11, C = 13, M = 130 };
    static const padic_wave_kernel kernels[3] = {PADIC_WAVE_KERNEL_POINT3, PADIC_WAVE_KERNEL_GREEN3,
                                                 PADIC_WAVE_KERNEL_SQRT};
    static const padic_wave_softening softs[4] = {PADIC_WAVE_SOFTENING_NONE,
                                                  PADIC_WAVE_SOFTENING_PLUMMER,
                                                  PADIC_WAVE_SOFTENING_PLUMMER_BOTH,
                                                      PADIC_WAVE_SOFTENING_CLAMP};
    static double sources[M][3], wave[M], amplitude[M];
    static float psi[A][B][C][2], again[A][B][C][2];
    padic_threads *threads = padic_threads_create(3, NULL);
    const padic_jobs jobs = padic_threads_jobs(threads);
    padic_context *context, *many;
    EACH_LEVEL(context, NULL)
    {
        many = open_level(levels[level], &jobs);
        for (int t = 0; t < 24; t++) {
            padic_wave_superpose_desc desc = PADIC_ZERO;
            for (int i = 0; i < M; i++) {
                for (int a = 0; a < 3; a++) sources[i][a] = uniform(-1, 1) * (t & 1 ? 60 : 4);
                wave[i] = uniform(.5, 7);
                amplitude[i] = uniform(-2, 2);
            }
            desc.kernel = kernels[t % 3];
            desc.softening = softs[t / 6];
            desc.sign = t % 5 ? PADIC_WAVE_SIGN_OUTGOING : PADIC_WAVE_SIGN_CONJUGATE;
            desc.length = .25;
            desc.grid.count[0] = A;
            desc.grid.count[1] = B;
            desc.grid.count[2] = C;
            desc.grid.step[0] = .5;
            desc.grid.step[1] = .25;
            desc.grid.step[2] = .125;
            desc.grid.axis[0][0] = desc.grid.axis[1][1] = .8;
            desc.grid.axis[0][1] = .6;
            desc.grid.axis[1][0] = -.6;
            desc.grid.axis[2][2] = 1;
            desc.sources = padic_tensor_2d(PADIC_F64, sources, M, 3);
            desc.wavenumber = padic_tensor_1d(PADIC_F64, wave, M);
            desc.amplitude = padic_tensor_1d(PADIC_F64, amplitude, M);
            desc.out = padic_tensor_3d(PADIC_C64, psi, A, B, C);
            CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
            desc.out.data = again;
            CHECK_EQ(padic_wave_superpose(many, &desc), PADIC_OK);
            CHECK(!memcmp(psi, again, sizeof psi)); // for any number of workers
            for (int i = 0; i < A * B * C; i += test_tiny ? 5 : 1) {
                const int x = i / C / B, y = i / C % B, z = i % C;
                double at[3];
                real want[2], slack;
                at[0] = .5 * .8 * x - .25 * .6 * y;
                at[1] = .5 * .6 * x + .25 * .8 * y;
                at[2] = .125 * z;
                exact(&desc, at, M, sources, wave, amplitude, 2e-6, 4, want,
                      &slack);
                CHECK_NEAR(psi[x][y][z][0], want[0], slack);
                CHECK_NEAR(psi[x][y][z][1], want[1], slack);
            }
        }
        padic_context_destroy(many);
        padic_context_destroy(context);
    }
    padic_threads_destroy(threads);
}

// Points on sources are left out and counted, those all but on them are not.
TEST(coincident)
{
    enum { N = 70 };
    static double sources[N][3], points[N][3];
    static float psi[N][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (int t = 0; t < 6; t++) { // direct, and what f64 must do
            const double k = t & 1 ? 700 : .5;
            double wave = k, r;
            padic_wave_superpose_report told = PADIC_ZERO;
            uint64_t want = 0;
            padic_wave_superpose_desc desc = PADIC_ZERO;
            for (int i = 0; i < 3 * N; i++) {
                sources[i / 3][i % 3] = uniform(-1, 1);
                points[i / 3][i % 3] = i / 3 % 7 == 0 ? sources[i / 3][i % 3] : uniform(-1, 1);
            }
            points[1][0] = sources[1][0] + 1e-12; // the same f32
            points[1][1] = sources[1][1];
            points[1][2] = sources[1][2];
            desc.points = padic_tensor_2d(PADIC_F64, points, N, 3);
            desc.sources = padic_tensor_2d(PADIC_F64, sources, N, 3);
            desc.wavenumber = padic_tensor_nd(PADIC_F64, &wave, 0, NULL);
            desc.report = &told;
            desc.out = padic_tensor_1d(PADIC_C64, psi, N);
            CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
            for (int i = 0; i < N; i += 7) want++;
            CHECK_EQ(told.coincident, want);
            r = fabs(points[1][0] - sources[1][0]);
            CHECK_NEAR(psi[1][0] * r, 1, 1e-6);
            CHECK_NEAR(psi[1][1] * r, 0, 1e-6);
            for (int i = 0; i < N; i++) {
                double re = 0, size = 0;
                if (i == 1) continue;
                for (int j = 0; j < N; j++) {
                    double r2 = 0;
                    for (int a = 0; a < 3; a++) {
                        const double x = points[i][a] - sources[j][a];
                        r2 += x * x;
                    }
                    if (r2 == 0) continue;
                    re += cos(k * sqrt(r2)) / sqrt(r2);
                    size += (1.5e-5 + 1.5e-6 / sqrt(r2)) / sqrt(r2);
                }
                CHECK_NEAR(psi[i][0], re, size);
            }
        }
        padic_context_destroy(context);
    }
}

// With the reference for what vectors do not.
TEST(scales_and_times)
{
    for (size_t level = 0; level < 4; level++) {
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        with.backends[0] = padic_simd();
        with.device.name = levels[level];
        if (padic_context_create(&with, &context)) continue;
        scales(context, 0, 1e149);
        scales_late(context, 0, 1e25, 2.1e-6);
        padic_context_destroy(context);
    }
}

// Far and mid tiles at great distances, and a grid far from 0: no phase is wrong by more than is
// reported, up to 1e10 wavelengths.
TEST(far_away)
{
    enum { N = 300 };
    static double points[N][3];
    static float psi[N][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (int p = 6; p < 11; p++)
            for (int grid = 0; grid < 2; grid++)
                for (int near_ = 0; near_ < 1 + grid; near_++) {
                    const double reach = pow(10, p) * uniform(1, 2), one_ = 1;
                    padic_wave_superpose_report told = PADIC_ZERO;
                    double source[3], wave = 2 * (double)PI * uniform(.9, 1);
                    padic_wave_superpose_desc desc = PADIC_ZERO;
                    for (int a = 0; a < 3; a++) {
                        desc.grid.origin[a] = grid ? reach * (1 + .3 * a) : 0;
                        source[a] = near_ ? desc.grid.origin[a] + 3 + a : reach * (.7 - .9 * a);
                        desc.grid.step[a] = a ? 0 : .01 / 3;
                    }
                    for (int i = 0; i < 3 * N; i++)
                        points[i / 3][i % 3] = grid ? 0 : uniform(-1, 1);
                    desc.grid.count[0] = grid ? N : 0;
                    if (!grid) desc.points = padic_tensor_2d(PADIC_F64, points, N, 3);
                    desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
                    desc.wavenumber = padic_tensor_1d(PADIC_F64, &wave, 1);
                    desc.out = padic_tensor_1d(PADIC_C64, psi, N);
                    desc.report = &told;
                    CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
                    for (int i = 0; i < N; i++) {
                        real r2 = 0, turns, off;
                        for (int a = 0; a < 3; a++) {
                            real x = (real)points[i][a];
                            if (grid)
                                x = (real)desc.grid.origin[a] +
                                    (real)i * (real)(a ? 0 : desc.grid.step[0]);
                            x -= (real)source[a];
                            r2 += x * x;
                        }
                        turns = (real)wave / (2 * PI) * sqrtl(r2);
                        off = atan2l((real)psi[i][1], (real)psi[i][0]) / (2 * PI) - turns;
                        off = fabsl(off - floorl(off + .5L));
                        CHECK(off <= (real)told.error_bound + 1.6e-7L);
                    }
                    (void)one_;
                }
        padic_context_destroy(context);
    }
}

// Vectors did it, not the reference: its f64 would be right to far below f32's rounding.
TEST(taken)
{
    static float psi[1000][2];
    padic_wave_superpose_report told = PADIC_ZERO;
    double sources[40][3], k = 3;
    padic_context *context;
    int found = 0;
    for (int i = 0; i < 120; i++) sources[i / 3][i % 3] = uniform(-4, 4);
    EACH_LEVEL(context, NULL)
    {
        padic_wave_superpose_desc desc = PADIC_ZERO;
        desc.grid.count[0] = 1000;
        desc.grid.step[0] = .01;
        desc.sources = padic_tensor_2d(PADIC_F64, sources, 40, 3);
        desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        desc.out = padic_tensor_1d(PADIC_C64, psi, 1000);
        desc.report = &told;
        CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
        CHECK(told.error_bound > 5e-8);
        found++;
        padic_context_destroy(context);
    }
    if (!found) {
        SKIP("no vectors on this CPU");
    }
}

// psi and its gradient from the definition, in long double: of A e^{i k R}/S it is A e^{i k R} (i k
// R'/S - S'/S^2), R and S the phase's and the amplitude's length at distance r.
// `ulp`: of the output's type, beside a phase error of `turns`.
static void slope(const padic_wave_superpose_desc *desc, const double at[3], const double from[3],
                  double wave, double amplitude, real sum[8], real slack[2], real extent,
                  real turns, real ulp)
{
    const real a = (real)desc->length, k = (real)wave;
    const int root = desc->kernel == PADIC_WAVE_KERNEL_SQRT;
    real d[3], r2 = 0, r, way, steep, size, falls, c, s, off;
    for (int j = 0; j < 3; j++) {
        d[j] = (real)at[j] - (real)from[j];
        r2 += d[j] * d[j];
    }
    r = sqrtl(r2);
    if (r == 0 && desc->softening == PADIC_WAVE_SOFTENING_NONE) return;
    size = (real)amplitude * envelope(desc, r, a, &way);
    steep = 1; // R'
    falls = r > 0 ? 1 / r : 0; // S'/S, before the root
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER) falls = r / (r2 + a * a);
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER_BOTH) falls = r / (way * way), steep =
        r / way;
    if (desc->softening == PADIC_WAVE_SOFTENING_CLAMP && r < a) falls = steep = 0;
    if (root) falls /= 2;
    c = size * cosl(k * way);
    s = size * sinl(k * way);
    off = fabsl(size) * (turns * 6.2832L + 17 * ulp + (r > 0 ? 2 * ulp * extent / r : 0));
    slack[0] += off;
    slack[1] += off * (fabsl(k) + (r > 0 ? 3 / r : 0));
    sum[0] += c;
    sum[1] += s;
    for (int j = 0; j < 3 && r > 0; j++) {
        sum[2 + 2 * j] += d[j] / r * (-k * steep * s - falls * c);
        sum[3 + 2 * j] += d[j] / r * (k * steep * c - falls * s);
    }
}

// Gradients of every softening and both kinds of kernel, near (points on sources, too) to far.
TEST(slopes)
{
    enum { M = 70, N = 300 };
    static double sources[M][3], wave[M], amplitude[M], points[N][3];
    static float psi[N][2], out[N][3][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (int soft = 0; soft < 6; soft++)
            for (int p = -1; p < 6; p += 2) {
                const real turn = soft & 1 ? -1 : 1;
                padic_wave_gradient_desc desc = PADIC_ZERO;
                padic_wave_superpose_report told = {77, 0, 0, 0};
                if (soft == PADIC_WAVE_SOFTENING_SHELL || soft == PADIC_WAVE_SOFTENING_ADDED)
                    continue; // not done
                for (int i = 0; i < M; i++) {
                    for (int a = 0; a < 3; a++) sources[i][a] = uniform(-1, 1) * pow(10, p);
                    wave[i] = 2 * (double)PI * (i % 3 == 2 ? -1 : 1) * uniform(.9, 1);
                    amplitude[i] = uniform(-2, 2);
                }
                for (int i = 0; i < 3 * N; i++) points[i / 3][i % 3] = uniform(-1, 1);
                for (int a = 0; a < 3 && p < 1; a++) { // on a source, and close to one
                    points[5][a] = sources[7][a];
                    points[9][a] = sources[11][a] + 1e-5 * a;
                }
                desc.field.points = padic_tensor_2d(PADIC_F64, points, N, 3);
                desc.field.sources = padic_tensor_2d(PADIC_F64, sources, M, 3);
                desc.field.wavenumber = padic_tensor_1d(PADIC_F64, wave, M);
                desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, M);
                desc.field.softening = (padic_wave_softening)soft;
                desc.field.length = .1;
                desc.field.kernel = p == 1 ? PADIC_WAVE_KERNEL_SQRT : PADIC_WAVE_KERNEL_POINT3;
                desc.field.sign = soft & 1 ? PADIC_WAVE_SIGN_CONJUGATE : PADIC_WAVE_SIGN_OUTGOING;
                desc.field.report = &told;
                if (p < 5) desc.field.out = padic_tensor_1d(PADIC_C64, psi, N);
                desc.out = padic_tensor_2d(PADIC_C64, out, N, 3);
                CHECK_EQ(padic_wave_gradient(context, &desc), PADIC_OK);
                CHECK_EQ(told.coincident, !soft && p < 1 ? 1u : 0u);
                for (int i = 0; i < N; i += test_tiny && i > 9 ? 4 : 1) {
                    real want[8] = {0}, slack[2] = {0, 0};
                    for (int j = 0; j < M; j++)
                        slope(&desc.field, points[i], sources[j], wave[j], amplitude[j], want,
                              slack, 2, 2e-6L, 1.2e-7L);
                    if (p < 5) {
                        CHECK_NEAR(psi[i][0], want[0], slack[0]);
                        CHECK_NEAR(psi[i][1], turn * want[1], slack[0]);
                    }
                    for (int j = 0; j < 3; j++) {
                        CHECK_NEAR(out[i][j][0], want[2 + 2 * j], slack[1]);
                        CHECK_NEAR(out[i][j][1], turn * want[3 + 2 * j], slack[1]);
                    }
                }
            }
        padic_context_destroy(context);
    }
}

// Fields and gradients in f64, every softening and kernel, near (points on sources, too) to 10^8
// wavelengths: within the reported bound of the phase and some 1e-16 of each term; and by vectors
// alone, since the context is strict.
TEST(doubles)
{
    enum { M = 70, N = 100 };
    static const padic_wave_kernel kernels[3] = {
        PADIC_WAVE_KERNEL_POINT3, PADIC_WAVE_KERNEL_SQRT, PADIC_WAVE_KERNEL_GREEN3};
    static double sources[M][3], wave[M], amplitude[M], points[N][3], psi[N][2], out[N][3][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (int t = 0; t < 4 * 6; t++) {
            const int soft = t % 4, reach = t / 4 * 2 - 2, m = t % 3 ? M : 1;
            const real turn = soft & 1 ? -1 : 1;
            padic_wave_gradient_desc desc = PADIC_ZERO;
            padic_wave_superpose_report told = {77, 0, 0, 0};
            static const padic_wave_softening softs[4] = {
                PADIC_WAVE_SOFTENING_NONE, PADIC_WAVE_SOFTENING_PLUMMER,
                PADIC_WAVE_SOFTENING_PLUMMER_BOTH, PADIC_WAVE_SOFTENING_CLAMP};
            for (int i = 0; i < M; i++) {
                for (int a = 0; a < 3; a++) sources[i][a] = uniform(-1, 1) * pow(10, reach);
                wave[i] = 2 * (double)PI * (i % 3 == 2 ? -1 : 1) * uniform(.9, 1);
                amplitude[i] = uniform(-2, 2);
            }
            for (int i = 0; i < 3 * N; i++) points[i / 3][i % 3] = uniform(-1, 1);
            for (int a = 0; a < 3 && reach < 1; a++) points[5][a] = sources[m / 2][a];
            for (int a = 0; a < 3; a++) points[9][a] = sources[m / 3][a] + 1e-7 * (a + 1);
            desc.field.points = padic_tensor_2d(PADIC_F64, points, N, 3);
            desc.field.sources = padic_tensor_2d(PADIC_F64, sources, (uint64_t)m, 3);
            desc.field.wavenumber = padic_tensor_1d(PADIC_F64, wave, (uint64_t)m);
            desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, (uint64_t)m);
            desc.field.softening = softs[soft];
            desc.field.length = .1;
            desc.field.kernel = kernels[t % 3];
            desc.field.sign = soft & 1 ? PADIC_WAVE_SIGN_CONJUGATE : PADIC_WAVE_SIGN_OUTGOING;
            desc.field.out = padic_tensor_1d(PADIC_C128, psi, N);
            desc.field.report = &told;
            desc.out = padic_tensor_2d(PADIC_C128, out, N, 3);
            for (int both = 1; both >= 0; both--) {
                CHECK_EQ(both ? padic_wave_gradient(context, &desc)
                              : padic_wave_superpose(context, &desc.field),
                         PADIC_OK);
                CHECK_EQ(told.coincident, !soft && reach < 1 ? 1u : 0u);
                for (int i = 0; i < N; i++) {
                    real want[8] = {0}, slack[2] = {0, 0};
                    for (int j = 0; j < m; j++)
                        slope(&desc.field, points[i], sources[j], wave[j], amplitude[j], want,
                              slack, 2, (real)told.error_bound, 1e-16L);
                    CHECK_NEAR(psi[i][0], want[0], slack[0]);
                    CHECK_NEAR(psi[i][1], turn * want[1], slack[0]);
                    for (int j = 0; j < 3 && both; j++) {
                        CHECK_NEAR(out[i][j][0], want[2 + 2 * j], slack[1]);
                        CHECK_NEAR(out[i][j][1], turn * want[3 + 2 * j], slack[1]);
                    }
                }
            }
        }
        padic_context_destroy(context);
    }
}

// One line's factor: modulus and angle.
static void line_factor(padic_wave_core core, const double at[3], const double centre[3],
                        const double frame[2][3], double charge, double core_length, real *re,
                        real *im)
{
    const real q = (real)charge, xi = (real)core_length;
    real d[3], x = 0, y = 0, r = 0, size = 1, angle, t;
    for (int a = 0; a < 3; a++) {
        d[a] = (real)at[a] - (real)centre[a];
        x += d[a] * (real)frame[0][a];
        y += d[a] * (real)frame[1][a];
        r += d[a] * d[a];
    }
    t = (x * x + y * y) / (xi * xi);
    angle = q * (x == 0 && y == 0 ? 0 : atan2l(y, x));
    if (core == PADIC_WAVE_CORE_RATIONAL) size = powl(t / (t + 1), fabsl(q) / 2);
    if (core == PADIC_WAVE_CORE_PADE)
        size = sqrtl(t * (.34011L + .0464431L * t) /
                     (1 + (.34011L + .0464431L + .0464431L * t) * t));
    if (core == PADIC_WAVE_CORE_NONE) size = q != 0 && x == 0 && y == 0 ? 0 : 1;
    if (core == PADIC_WAVE_CORE_LEGACY) size = tanhl(sqrtl(r) / xi);
    *re = size * cosl(angle);
    *im = size * sinl(angle);
}

// Axes along z and not, every core, charges of any sign, lines near and far; points on an axis and
// lengths that f32 has not.
TEST(vortices)
{
    enum { V = 37, N = 71 };
    static double points[N][3], centres[V][3], axes[V][3], frames[V][2][3], charges[V], cores[V];
    static float psi[N][2], begin[N][2];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (uint32_t trial = 0; trial < 48; trial++) {
            const padic_wave_core core = (padic_wave_core)(trial % 4);
            const int tilted = trial / 4 % 2 && core != PADIC_WAVE_CORE_LEGACY;
            const uint32_t lines = trial / 8 % 3 ? 1 + trial / 8 % 3 * 18 : 3;
            padic_wave_vortex_desc desc = PADIC_ZERO;
            for (uint32_t v = 0; v < lines; v++) {
                const double turn = uniform(0, 6.28), up = uniform(-.8, .8);
                double size = 0;
                for (int a = 0; a < 3; a++) centres[v][a] = uniform(-1, 1);
                cores[v] = pow(10, trial < 32 ? uniform(-2, 1) : uniform(-25, 25));
                charges[v] = core == PADIC_WAVE_CORE_PADE ? (v % 2 ? 1 : -1)
                                                     : floor(uniform(-4, 5));
                if (core == PADIC_WAVE_CORE_LEGACY && trial > 40) charges[v] += .5;
                axes[v][0] = tilted ? sqrt(1 - up * up) * cos(turn) : 0;
                axes[v][1] = tilted ? sqrt(1 - up * up) * sin(turn) : 0;
                axes[v][2] = tilted ? up : 1;
                for (int a = 0; a < 3; a++) { // x (y near x) less its part along the axis
                    const int from = fabs(axes[v][0]) > .9;
                    frames[v][0][a] = (a == from) - axes[v][from] * axes[v][a];
                    size += frames[v][0][a] * frames[v][0][a];
                }
                for (int a = 0; a < 3; a++) frames[v][0][a] /= sqrt(size);
                for (int a = 0; a < 3; a++) {
                    const int b = (a + 1) % 3, c = (a + 2) % 3;
                    frames[v][1][a] = axes[v][b] * frames[v][0][c] - axes[v][c] * frames[v][0][b];
                }
            }
            for (int i = 0; i < N; i++) {
                const double reach = i % 5 ? 1.5 : 1e-4;
                for (int a = 0; a < 3; a++)
                    points[i][a] = centres[i % (int)lines][a] * (i % 5 ? 0 : 1) +
                                   uniform(-reach, reach);
                for (int a = 0; a < 3 && i % 5 == 0; a++) // far along an axis, near to it
                    points[i][a] += (i % 10 ? 7 : 0) * axes[i % (int)lines][a];
                if (i == 30) memcpy(points[i], centres[0], sizeof points[i]);
                if (i == 31) points[i][0] = 1e25;
                begin[i][0] = (float)uniform(-1, 1), begin[i][1] = (float)uniform(-1, 1);
            }
            desc.points = padic_tensor_2d(PADIC_F64, points, N, 3);
            desc.centres = padic_tensor_2d(PADIC_F64, centres, lines, 3);
            if (tilted) desc.axes = padic_tensor_2d(PADIC_F64, axes, lines, 3);
            desc.charges = padic_tensor_1d(PADIC_F64, charges, lines);
            desc.cores = padic_tensor_1d(PADIC_F64, cores, lines);
            if (trial % 3) desc.psi = padic_tensor_1d(PADIC_C64, begin, N);
            desc.core = core;
            desc.out = padic_tensor_1d(PADIC_C64, psi, N);
            CHECK_EQ(padic_wave_vortex(context, &desc), PADIC_OK);
            for (int i = 0; i < N; i++) {
                real want[2] = {1, 0}, slack = 2, next;
                if (trial % 3) want[0] = (real)begin[i][0], want[1] = (real)begin[i][1];
                for (uint32_t v = 0; v < lines; v++) {
                    real re, im;
                    line_factor(core, points[i], centres[v], (const double(*)[3])frames[v],
                                charges[v], cores[v], &re, &im);
                    next = want[0] * re - want[1] * im;
                    want[1] = want[0] * im + want[1] * re;
                    want[0] = next;
                    slack += (real)fabs(charges[v]) + 1;
                }
                // 1e-37: where f32 ends
                slack = slack * 5e-7L * hypotl(want[0], want[1]) + 1e-37L;
                CHECK_NEAR(psi[i][0], want[0], slack);
                CHECK_NEAR(psi[i][1], want[1], slack);
            }
        }
        padic_context_destroy(context);
    }
}

// Numbers of a field: ordinary ones, and some of each kind that is not.
static void field_fill(float (*psi)[2], size_t n, int wild)
{
    static const float kinds[] = {0, -0.0f, 1, -1, 1e-42f, -3e-39f, 3e38f, -2e25f, INFINITY, NAN};
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 2; c++) {
            psi[i][c] = (float)uniform(-2, 2);
            if (wild && test_random() % 5 == 0)
                psi[i][c] = kinds[test_random() % (wild > 1 ? 10 : 8)];
        }
    for (size_t i = 1; i < n && wild; i += 7) // links of half a turn
        for (int c = 0; c < 2; c++) psi[i][c] = -psi[i - 1][c];
}

// A call by vectors, which are not to leave it to the reference.
static padic_result by_vectors(padic_context *context, uint32_t op, void *desc)
{
    const padic_backend_op *own = context->targets[0].ops[op];
    if (!own) return PADIC_ERROR_NOT_SUPPORTED;
    return (*own->run)(context->targets[0].device, op, desc, NULL);
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
#define TAKEN(op, desc) CHECK_EQ(by_vectors(context, op, desc), PADIC_OK)
#else
#define TAKEN(op, desc) ((void)0)
#endif

enum { FIELD = 5000 };
static const size_t field_sizes[] = {0, 1, 15, 16, 63, 64, 65, 127, 2047, 2049, FIELD};
#define FIELD_SIZES (sizeof field_sizes / sizeof *field_sizes)

// Real part, amplitude and intensity have the reference's bits, angles are within 5e-7 of
// themselves; what is not finite is as there.
TEST(observed)
{
    static float psi[FIELD][2], want[FIELD], got[FIELD];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (size_t s = 0; s < FIELD_SIZES; s++)
            for (int output = 0; output < 5; output++)
                for (int wild = 0; wild < 3; wild++) {
                    const size_t n = field_sizes[s];
                    padic_wave_observe_desc desc = PADIC_ZERO;
                    field_fill(psi, n, wild);
                    desc.psi = padic_tensor_1d(PADIC_C64, psi, n);
                    desc.output = (padic_wave_output)output;
                    desc.out = padic_tensor_1d(PADIC_F32, want, n);
                    CHECK_EQ(padic_wave_observe(NULL, &desc), PADIC_OK);
                    desc.out.data = got;
                    TAKEN(PADIC_OP_WAVE_OBSERVE, &desc);
                    CHECK_EQ(padic_wave_observe(context, &desc), PADIC_OK);
                    if (output != PADIC_WAVE_OUTPUT_PHASE) {
                        for (size_t i = 0; i < n; i++)
                            CHECK(!memcmp(&got[i], &want[i], 4) ||
                                  (isnan(got[i]) && isnan(want[i])));
                        continue;
                    }
                    for (size_t i = 0; i < n; i++) {
                        const real angle = psi[i][0] == 0 && psi[i][1] == 0
                                               ? 0
                                               : atan2l((real)psi[i][1] + 0.0L, (real)psi[i][0]);
                        if (isnan((double)angle)) CHECK(isnan(got[i]));
                        else CHECK_NEAR(got[i], angle, 5e-7L * fabsl(angle) + 1e-45L);
                    }
                }
        padic_context_destroy(context);
    }
}

// All maps and curves, of complex and real fields: within 1 of the reference's bytes, whose range
// and whose pixels of what is not finite they have.
TEST(pixels)
{
    static float psi[FIELD][2];
    static uint8_t want[4 * FIELD], got[4 * FIELD], table[256][4];
    static const padic_wave_output values[] = {PADIC_WAVE_OUTPUT_COMPLEX, PADIC_WAVE_OUTPUT_REAL,
                                             PADIC_WAVE_OUTPUT_AMPLITUDE, PADIC_WAVE_OUTPUT_PHASE};
    padic_context *context;
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 4; c++) table[i][c] = (uint8_t)i;
    EACH_LEVEL(context, NULL)
    {
        for (uint32_t trial = 0; trial < 480; trial++) {
            const size_t n = field_sizes[trial % FIELD_SIZES];
            const int real_ = trial / 4 % 3 == 2;
            padic_wave_tonemap_report told[2] = {{7, 7}, {7, 7}};
            padic_wave_tonemap_desc desc = PADIC_ZERO;
            field_fill(psi, n, (int)(trial / 96 % 3));
            desc.field = padic_tensor_1d(real_ ? PADIC_F32 : PADIC_C64, psi, n);
            desc.tone.map = (padic_wave_map)(trial % 4);
            if (real_ && desc.tone.map == PADIC_WAVE_MAP_HUE) desc.tone.map = PADIC_WAVE_MAP_HEAT;
            desc.tone.curve = (padic_wave_curve)(trial / 12 % 3);
            desc.tone.value = values[trial / 36 % 4];
            desc.tone.table = table[0];
            desc.tone.low = desc.tone.curve == PADIC_WAVE_CURVE_LINEAR ? -.5 : .25;
            desc.tone.high = 3;
            desc.report = &told[0];
            desc.out = padic_tensor_2d(PADIC_U8, want, n, 4);
            CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_OK);
            desc.report = &told[1];
            desc.out.data = got;
            if (desc.tone.curve != PADIC_WAVE_CURVE_LOG) TAKEN(PADIC_OP_WAVE_TONEMAP, &desc);
            CHECK_EQ(padic_wave_tonemap(context, &desc), PADIC_OK);
            for (size_t i = 0; i < 4 * n; i++) CHECK(abs(got[i] - want[i]) <= 1);
            CHECK_NEAR(told[1].smallest, told[0].smallest, 5e-7 * fabs(told[0].smallest));
            CHECK_NEAR(told[1].largest, told[0].largest, 5e-7 * fabs(told[0].largest));
        }
        padic_context_destroy(context);
    }
}

// The reference's bits, by threads, too.
TEST(norms)
{
    static float psi[100000][2], want[100000][2], got[100000][2];
    padic_threads *threads = NULL;
    padic_context *context;
    padic_jobs jobs;
    threads = padic_threads_create(4, NULL);
    REQUIRE(threads != NULL);
    jobs = padic_threads_jobs(threads);
    EACH_LEVEL(context, &jobs)
    {
        for (size_t s = 1; s < FIELD_SIZES + 1; s++) {
            const size_t n = s < FIELD_SIZES ? field_sizes[s] : 100000;
            padic_wave_normalise_report told[2] = {{0}, {0}};
            padic_wave_normalise_desc desc = PADIC_ZERO;
            field_fill(psi, n, n > 100);
            memcpy(want, psi, 8 * n);
            memcpy(got, psi, 8 * n);
            desc.psi = padic_tensor_1d(PADIC_C64, want, n);
            desc.volume = s % 2 ? .25 : 0;
            desc.legacy = s == 4;
            if (desc.legacy) desc.volume = 0;
            desc.report = &told[0];
            CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_OK);
            desc.psi.data = got;
            desc.report = &told[1];
            TAKEN(PADIC_OP_WAVE_NORMALISE, &desc);
            memcpy(got, psi, 8 * n);
            CHECK_EQ(padic_wave_normalise(context, &desc), PADIC_OK);
            CHECK(!memcmp(want, got, 8 * n) && told[0].norm == told[1].norm);
        }
        memset(got, 0, sizeof got); // nothing is written
        padic_wave_normalise_desc zero = PADIC_ZERO;
        zero.psi = padic_tensor_1d(PADIC_C64, got, 70);
        CHECK_EQ(padic_wave_normalise(context, &zero), PADIC_ERROR_DOMAIN);
        got[3][0] = INFINITY;
        CHECK_EQ(padic_wave_normalise(context, &zero), PADIC_ERROR_DOMAIN);
        CHECK(got[3][0] == INFINITY && got[4][0] == 0);
        padic_context_destroy(context);
    }
    padic_threads_destroy(threads);
}

// Grids of 1 to 3 axes, open and periodic, rows longer and shorter than what is done at once.
static uint32_t field_grid(uint32_t trial, uint64_t shape[4])
{
    static const uint64_t shapes[][3] = {{1, 1, 1},  {7, 1, 1},   {300, 1, 1}, {3, 65, 1},
                                         {17, 64, 1}, {1, 130, 1}, {5, 3, 66},  {2, 1, 17},
                                         {4, 9, 64},  {3, 2, 1}};
    memcpy(shape, shapes[trial % 10], sizeof *shapes);
    return shape[2] > 1 ? 3 : shape[1] > 1 ? 2 : 1;
}

TEST(phase_slopes)
{
    static float psi[FIELD][2], want[3 * FIELD], got[3 * FIELD];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (uint32_t trial = 0; trial < 360; trial++) {
            uint64_t shape[4], n = 1;
            padic_wave_phase_gradient_report told[2] = {{9}, {9}};
            const uint32_t rank = field_grid(trial, shape);
            padic_wave_phase_gradient_desc desc = PADIC_ZERO;
            for (uint32_t a = 0; a < rank; a++) n *= shape[a];
            field_fill(psi, (size_t)n, (int)(trial / 120 % 3));
            desc.psi = padic_tensor_nd(PADIC_C64, psi, rank, shape);
            desc.method = (padic_wave_phase_method)(trial / 10 % 3);
            desc.periodic = trial / 30 % (1u << rank);
            desc.scale = trial % 4 ? 0 : .7;
            desc.floor = trial / 60 % 2 ? .3 : 0;
            if (desc.method != PADIC_WAVE_PHASE_LEGACY) desc.step[0] = .3;
            desc.report = &told[0];
            shape[rank] = rank;
            desc.out = padic_tensor_nd(PADIC_F32, want, rank + 1, shape);
            CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
            desc.report = &told[1];
            desc.out.data = got;
            TAKEN(PADIC_OP_WAVE_PHASE_GRADIENT, &desc);
            CHECK_EQ(padic_wave_phase_gradient(context, &desc), PADIC_OK);
            CHECK_EQ(told[1].skipped, told[0].skipped);
            for (uint64_t i = 0; i < n * rank; i++) {
                // 6e-7 of the links or angles, each up to pi, over the step; of a CURRENT itself,
                // or what f32 still has.
                const double most = desc.method == PADIC_WAVE_PHASE_CURRENT ? 3e-45
                    : 6e-7 * 3.2 / .3;
                if (isnan(want[i])) CHECK(isnan(got[i]));
                else if (isinf(want[i])) CHECK(got[i] == want[i]);
                else CHECK_NEAR(got[i], want[i], most + 6e-7 * fabs((double)want[i]));
            }
        }
        padic_context_destroy(context);
    }
}

// The reference's charges and counts, everywhere.
TEST(charges)
{
    static float psi[FIELD][2];
    static int8_t want[3 * FIELD], got[3 * FIELD];
    padic_context *context;
    EACH_LEVEL(context, NULL)
    {
        for (uint32_t trial = 0; trial < 320; trial++) {
            uint64_t grid[4], shape[4], n = 1;
            padic_wave_winding_report told[2];
            const uint32_t rank = field_grid(trial, grid) < 3 ? 2 : 3, lead = rank == 3;
            padic_wave_winding_desc desc = PADIC_ZERO;
            for (uint32_t a = 0; a < rank; a++) n *= shape[a + lead] = grid[a];
            shape[0] = lead ? 3 : shape[0];
            field_fill(psi, (size_t)n, (int)(trial / 40 % 3));
            if (trial / 160) // numbers of few values: squares through 0, opposite corners
                for (uint64_t i = 0; i < n; i++)
                    for (int c = 0; c < 2; c++) psi[i][c] = (float)(test_random() % 3) - 1;
            desc.psi = padic_tensor_nd(PADIC_C64, psi, rank, grid);
            desc.periodic = trial / 10 % (1u << rank);
            for (int v = 0; v < 2; v++) {
                desc.map = padic_tensor_nd(PADIC_I8, v ? got : want, rank + lead, shape);
                desc.report = &told[v];
                if (v) TAKEN(PADIC_OP_WAVE_WINDING, &desc);
                CHECK_EQ(padic_wave_winding(v ? context : NULL, &desc), PADIC_OK);
            }
            CHECK(!memcmp(want, got, (size_t)n * (lead ? 3 : 1)));
            CHECK(!memcmp(&told[0], &told[1], sizeof told[0]));
        }
        padic_context_destroy(context);
    }
}

TEST_MAIN("simd_wave", CASE(flat), CASE(phase), CASE(rows), CASE(kinds), CASE(coincident),
          CASE(scales_and_times), CASE(far_away),
          CASE(slopes), CASE(doubles),
          CASE(taken), CASE(vortices), CASE(observed), CASE(pixels), CASE(norms),
          CASE(phase_slopes), CASE(charges))
