// test_wave.c: superposition of waves: published digits, closed forms, identities, bad input.
#define PADIC_IMPLEMENT_WAVE
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_opencl.h"
#include "../../backends/padic_threads.h"
#include "../native/padic_native.h"
#include "../support/padic_test.h"
#include "../support/wave_calls.h"
#include <math.h>
#include "../support/wave_scales.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef long double real;

// The data of the specification: two sources, and the point P.
static double s2_at[2][3] = {{0, 0, 0}, {.3, -.4, 1.2}};
static double s2_amplitude[2] = {1, 2}, s2_phase[2] = {.1, .7};
static double s2_wave[2] = {1.5, .5}, s2_p[3] = {1, 2, 3};

// One point (D = 3), one c128.
static padic_wave_superpose_desc s2_desc(double *point, double *psi)
{
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, point, 1, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, s2_at, 2, 3);
    desc.amplitude = padic_tensor_1d(PADIC_F64, s2_amplitude, 2);
    desc.phase = padic_tensor_1d(PADIC_F64, s2_phase, 2);
    desc.frequency = padic_tensor_1d(PADIC_F64, s2_wave, 2);
    desc.time = 2;
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    return desc;
}

static void check_s2(const padic_wave_superpose_desc *desc, double re, double im)
{
    const double *psi = (const double *)desc->out.data;
    CHECK_EQ(padic_wave_superpose(NULL, desc), PADIC_OK);
    CHECK_NEAR(psi[0], re, 6e-11); // to 1e-10
    CHECK_NEAR(psi[1], im, 6e-11);
}

TEST(digits)
{
    double psi[2], origin[3] = {0, 0, 0}, side[3] = {.05, 0, 0};
    padic_wave_superpose_desc desc = s2_desc(s2_p, psi);
    check_s2(&desc, -0.0323435028, 0.7252868636);
    desc.length = .1;
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER;
    check_s2(&desc, -0.0323676698, 0.7249238812);
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    check_s2(&desc, -0.0330879823, 0.7246074168);
    desc.softening = PADIC_WAVE_SOFTENING_ADDED;
    check_s2(&desc, -0.0326414754, 0.7030849000); // these and one below by mpmath, 40 digits
    desc.softening = PADIC_WAVE_SOFTENING_SHELL;
    check_s2(&desc, -0.0315209376, 0.7246145072);
    desc.points.data = side;
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER;
    check_s2(&desc, -7.0442318791, -2.2620573064);
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    check_s2(&desc, -6.7509688090, -3.0341257315);
    desc.softening = PADIC_WAVE_SOFTENING_ADDED;
    desc.length = 0; // means 0.1
    check_s2(&desc, -4.9805240892, -1.5891247782);
    desc.softening = PADIC_WAVE_SOFTENING_SHELL;
    desc.length = .1;
    check_s2(&desc, -7.7750728394, -3.2891157970);
    desc.points.data = origin;
    check_s2(&desc, -7.7984370841, -3.2892946109);
}

TEST(legacy_field)
{
    double psi[2], side[3] = {.05, 0, 0}, k = 1.3, w[2] = {1.5, -.5};
    padic_wave_superpose_desc desc = s2_desc(s2_p, psi);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL); // one for all
    desc.frequency.data = w;
    desc.sign = PADIC_WAVE_SIGN_INCOMING;
    desc.softening = PADIC_WAVE_SOFTENING_CLAMP;
    check_s2(&desc, -0.5783517924, -0.0809601305);
    desc.points.data = side;
    check_s2(&desc, -9.6609929701, 0.6389328776);
}

TEST(legacy_resonator)
{
    const double f[2] = {.8, .3}, r[2] = {sqrt(14.0), sqrt(.49 + 5.76 + 3.24)};
    double psi[2], w[2], re = 0, im = 0;
    int m;
    padic_wave_superpose_desc desc = s2_desc(s2_p, psi);
    for (m = 0; m < 2; m++) {
        const double a = 2 * M_PI * f[m] * (r[m] - 2) + s2_phase[m];
        w[m] = 2 * M_PI * f[m];
        re += s2_amplitude[m] / sqrt(r[m]) * cos(a);
        im += s2_amplitude[m] / sqrt(r[m]) * sin(a);
    }
    desc.frequency.data = w;
    desc.kernel = PADIC_WAVE_KERNEL_SQRT;
    desc.softening = PADIC_WAVE_SOFTENING_CLAMP;
    desc.length = 1e-10;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], re, 1e-13);
    CHECK_NEAR(psi[1], im, 1e-13);
}

// One source at 0 on the line, k given, point at x.
static void one(padic_wave_kernel kernel, double k, double x, double psi[2])
{
    double zero = 0;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, &x, 1, 1);
    desc.sources = padic_tensor_2d(PADIC_F64, &zero, 1, 1);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.kernel = kernel;
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
}

TEST(green)
{
    static const double h0[4][3] = {{.1, 0.3835596628, 0.2493753905},
                                    {1, -0.0220642411, 0.1912994216},
                                    {10, -0.0139177918, -0.0614839411},
                                    {100, 0.0193110783, 0.0049964626}};
    double psi[2], again[2];
    int i;
    for (i = 0; i < 4; i++) {
        one(PADIC_WAVE_KERNEL_GREEN2, 1, h0[i][0], psi);
        CHECK_NEAR(psi[0], h0[i][1], 6e-11);
        CHECK_NEAR(psi[1], h0[i][2], 6e-11);
        one(PADIC_WAVE_KERNEL_GREEN2, -2, h0[i][0] / 2, again);
        CHECK_NEAR(again[0], psi[0], 1e-14);
        CHECK_NEAR(again[1], -psi[1], 1e-14);
    }
    one(PADIC_WAVE_KERNEL_GREEN1, 2, .7, psi);
    CHECK_NEAR(psi[0], -0.2463624325, 6e-11);
    CHECK_NEAR(psi[1], 0.0424917857, 6e-11);
    one(PADIC_WAVE_KERNEL_GREEN1, 2, 0, psi); // regular: i/2k
    CHECK_NEAR(psi[0], 0, 0);
    CHECK_NEAR(psi[1], .25, 0);
    one(PADIC_WAVE_KERNEL_GREEN3, 2, .7, psi);
    CHECK_NEAR(psi[0], cos(1.4) / (4 * M_PI * .7), 1e-16);
    CHECK_NEAR(psi[1], sin(1.4) / (4 * M_PI * .7), 1e-16);
    one(PADIC_WAVE_KERNEL_SQRT, 2, .7, psi);
    CHECK_NEAR(psi[0], cos(1.4) / sqrt(.7), 2e-16);
}

// H0 by quadrature of its integral, which shares nothing with a recurrence or a series:
// J0 = 1/pi int_0^pi cos(x sin t) dt,
// Y0 = 1/pi int_0^pi sin(x sin t) dt - 2/pi int_0^inf e^{-x sinh u} du.
static void hankel_oracle(real x, real *j0, real *y0)
{
    const real pi = 3.14159265358979323846264338328L;
    const int n = x > 30 ? 400000 : 40000;
    real j = 0, y = 0, e = 0, top, step;
    int i;
    for (i = 0; i <= n; i++) { // Simpson
        const real weight = (i == 0 || i == n ? 1.0L : i & 1 ? 4.0L : 2.0L) / (3.0L * n);
        const real a = x * sinl(pi * (real)i / n);
        j += weight * cosl(a);
        y += weight * sinl(a);
    }
    top = asinhl(48 / x);
    step = top / n;
    for (i = 0; i <= n; i++)
        e += (i == 0 || i == n ? 1.0L : i & 1 ? 4.0L : 2.0L) / 3 * step *
             expl(-x * sinhl(step * (real)i));
    *j0 = j;
    *y0 = y - 2 / pi * e;
}

TEST(hankel)
{
    const double x[] = {.05, .3, .99, 1, 1.7, 3, 5.5, 8, 11, 17, 24.999, 25, 25.001, 40, 71, 160};
    double psi[2];
    size_t i;
    for (i = 0; i < sizeof x / sizeof *x; i++) {
        real j0, y0, size;
        hankel_oracle((real)x[i], &j0, &y0);
        size = sqrtl(j0 * j0 + y0 * y0) / 4;
        one(PADIC_WAVE_KERNEL_GREEN2, 1, x[i], psi);
        CHECK_NEAR(psi[0], -y0 / 4, 2e-13 * size);
        CHECK_NEAR(psi[1], j0 / 4, 2e-13 * size);
    }
    one(PADIC_WAVE_KERNEL_GREEN2, 1, 1e-12, psi); // (i/4)(1 + i 2/pi (ln(x/2) + gamma))
    CHECK_NEAR(psi[0], -(log(.5e-12) + 0.57721566490153286) / (2 * M_PI), 1e-14);
    CHECK_NEAR(psi[1], .25, 1e-15);
}

TEST(sign)
{
    // Where the phase is the same: dr/dt = w/k, or -w/k for INCOMING.
    const padic_wave_sign signs[3] = {PADIC_WAVE_SIGN_OUTGOING, PADIC_WAVE_SIGN_CONJUGATE,
                                      PADIC_WAVE_SIGN_INCOMING};
    double zero = 0, k = 3, w = 2, psi[2], x, then[2];
    int i, j;
    for (i = 0; i < 3; i++) {
        padic_wave_superpose_desc desc = PADIC_ZERO;
        desc.points = padic_tensor_2d(PADIC_F64, &x, 1, 1);
        desc.sources = padic_tensor_2d(PADIC_F64, &zero, 1, 1);
        desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
        desc.frequency = padic_tensor_1d(PADIC_F64, &w, 1);
        desc.sign = signs[i];
        desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
        for (j = 0; j < 2; j++) {
            x = 5 + (i == 2 ? -1 : 1) * w / k * j * .7;
            desc.time = .7 * j;
            CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
            then[j] = atan2(psi[1], psi[0]);
        }
        CHECK_NEAR(then[0], then[1], 1e-14);
        // And CONJUGATE is the conjugate.
        CHECK_NEAR(sin(then[0]), i == 1 ? -sin(15.0) : sin(15.0), 1e-14);
    }
}

TEST(interference)
{
    double at[2][3] = {{0, 0, 0}, {1, .5, -.25}}, k = 7, point[3], v;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    int i;
    desc.points = padic_tensor_2d(PADIC_F64, point, 1, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, at, 2, 3);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.output = PADIC_WAVE_OUTPUT_INTENSITY;
    desc.out = padic_tensor_1d(PADIC_F64, &v, 1);
    for (i = 0; i < 100; i++) {
        double r1, r2;
        int j;
        for (j = 0; j < 3; j++) point[j] = 3 + (double)(test_random() % 1000) * .01;
        r1 = sqrt(point[0] * point[0] + point[1] * point[1] + point[2] * point[2]);
        r2 = sqrt((point[0] - 1) * (point[0] - 1) + (point[1] - .5) * (point[1] - .5) +
                  (point[2] + .25) * (point[2] + .25));
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        CHECK_NEAR(v, 1 / (r1 * r1) + 1 / (r2 * r2) + 2 * cos(k * (r1 - r2)) / (r1 * r2), 1e-14);
    }
}

// (Laplace + k^2) psi by second differences, at (.9, .4, -.3), of a field with one k.
static double helmholtz(padic_wave_superpose_desc *desc, double k, int dimensions, double h)
{
    double points[7][3], psi[14], sum[2] = {0, 0};
    int i, j;
    for (i = 0; i < 7; i++) {
        points[i][0] = .9;
        points[i][1] = dimensions > 1 ? .4 : 0;
        points[i][2] = dimensions > 2 ? -.3 : 0;
        if (i) points[i][(i - 1) / 2] += i & 1 ? h : -h;
    }
    desc->points = padic_tensor_2d(PADIC_F64, points, 7, (uint64_t)dimensions);
    desc->points.stride[0] = 3;
    desc->points.stride[1] = 1;
    desc->out = padic_tensor_1d(PADIC_C128, psi, 7);
    CHECK_EQ(padic_wave_superpose(NULL, desc), PADIC_OK);
    for (j = 0; j < 2; j++) {
        sum[j] = k * k * psi[j] - 2 * dimensions * psi[j] / (h * h);
        for (i = 1; i <= 2 * dimensions; i++) sum[j] += psi[2 * i + j] / (h * h);
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1]);
}

TEST(equation)
{
    static const struct {
        padic_wave_kernel kernel;
        padic_wave_softening softening;
        int dimensions;
        double length;
    } rows[] = {{PADIC_WAVE_KERNEL_POINT3, PADIC_WAVE_SOFTENING_NONE, 3, 0},
                {PADIC_WAVE_KERNEL_GREEN3, PADIC_WAVE_SOFTENING_NONE, 3, 0},
                {PADIC_WAVE_KERNEL_GREEN2, PADIC_WAVE_SOFTENING_NONE, 2, 0},
                {PADIC_WAVE_KERNEL_GREEN1, PADIC_WAVE_SOFTENING_NONE, 1, 0},
                {PADIC_WAVE_KERNEL_POINT3, PADIC_WAVE_SOFTENING_SHELL, 3, .2},
                {PADIC_WAVE_KERNEL_POINT3, PADIC_WAVE_SOFTENING_SHELL, 3, 1.9}}; // inside
    double at[3] = {.1, -.2, .15}, k = 3;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        padic_wave_superpose_desc desc = PADIC_ZERO;
        double ratio;
        desc.sources = padic_tensor_2d(PADIC_F64, at, 1, (uint64_t)rows[i].dimensions);
        desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
        desc.kernel = rows[i].kernel;
        desc.softening = rows[i].softening;
        desc.length = rows[i].length;
        ratio = helmholtz(&desc, k, rows[i].dimensions, .02) /
                helmholtz(&desc, k, rows[i].dimensions, .01);
        CHECK(ratio > 3.9 && ratio < 4.1);
    }
}

// i of n on the sphere, as the specification's lattice: z = 1 - (2i + 1)/n.
static void lattice(int i, int n, double turns, double at[3])
{
    const double g = (1 + sqrt(5.0)) / 2, z = 1 - (2.0 * i + 1) / n;
    const double a = 2 * M_PI * fmod(i / g, 1) + turns * acos(z), s = sqrt(1 - z * z);
    at[0] = s * cos(a);
    at[1] = s * sin(a);
    at[2] = z;
}

TEST(sphere_of_sources)
{
    static double at[8000][3];
    static const double expected[2][3] = {{7.0e-5, 9.7e-6, 8.5e-7}, {7.8e-5, 7.6e-6, 6.5e-7}};
    static const int sizes[3] = {500, 2000, 8000};
    double points[7][3], psi[14], k = 2 * M_PI;
    int t, s, i, n;
    for (t = 0; t < 2; t++)
        for (s = 0; s < 3; s++) {
            padic_wave_superpose_desc desc = PADIC_ZERO;
            double worst = 0;
            n = sizes[s];
            for (i = 0; i < n; i++) lattice(i, n, t ? 5 : 0, at[i]);
            for (i = 0; i < 7; i++) {
                points[i][0] = .06 * i;
                points[i][1] = .048 * i;
                points[i][2] = .064 * i;
            }
            desc.points = padic_tensor_2d(PADIC_F64, points, 7, 3);
            desc.sources = padic_tensor_2d(PADIC_F64, at, (uint64_t)n, 3);
            desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
            desc.out = padic_tensor_1d(PADIC_C128, psi, 7);
            CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
            for (i = 0; i < 7; i++) {
                const double x = k * .1 * i, exact = i ? sin(x) / x : 1; // e^{ikR}/R = 1
                const double re = psi[2 * i] / n - exact, im = psi[2 * i + 1] / n;
                const double off = sqrt(re * re + im * im);
                if (off > worst) worst = off;
                if (!i) CHECK_NEAR(off, 0, 1e-13);
            }
            CHECK(worst < 1.02 * expected[t][s] && worst > .9 * expected[t][s]);
        }
}

TEST(array_factor)
{
    // 16 sources half a wavelength apart, seen from 1e6 wavelengths: the geometric series.
    double at[16][2], point[2], psi[2], k = 2 * M_PI;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    int i;
    for (i = 0; i < 16; i++) {
        at[i][0] = .5 * (i - 7.5);
        at[i][1] = 0;
    }
    desc.points = padic_tensor_2d(PADIC_F64, point, 1, 2);
    desc.sources = padic_tensor_2d(PADIC_F64, at, 16, 2);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    for (i = 1; i < 90; i++) {
        const double theta = i * M_PI / 180, x = M_PI * sin(theta);
        point[0] = 1e6 * sin(theta);
        point[1] = 1e6 * cos(theta);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        // The neglected curvature of the front is k (7.5/2)^2/(2r) = 4e-5 rad at the ends, the same
        // for both ends: the modulus sees its square and the lattice's asymmetry.
        CHECK_NEAR(1e6 * sqrt(psi[0] * psi[0] + psi[1] * psi[1]), fabs(sin(8 * x) / sin(x / 2)),
                   fabs(sin(8 * x) / sin(x / 2)) > 1 ? 3e-8 : 1.2e-4); // 1.2e-4 in the nulls
    }
}

// Long double, from the definition, for POINT3, NONE and PLUMMER.
static void oracle(const double *point, const double *sources, const double *amplitude,
                   const double *phase, const double *k, size_t m, real a, real *re, real *im)
{
    size_t i;
    *re = *im = 0;
    for (i = 0; i < m; i++) {
        const real x = (real)point[0] - (real)sources[3 * i];
        const real y = (real)point[1] - (real)sources[3 * i + 1];
        const real z = (real)point[2] - (real)sources[3 * i + 2];
        const real r2 = x * x + y * y + z * z, size = (real)amplitude[i] / sqrtl(r2 + a * a);
        const real angle = (real)k[i] * sqrtl(r2) + (real)phase[i];
        *re += size * cosl(angle);
        *im += size * sinl(angle);
    }
}

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random() >> 11) / 9007199254740992.0;
}

TEST(random_fields)
{
    // N and M odd, beside the block sizes, every dtype of inputs; c64 rounds once.
    static const size_t sizes[][2] = {{1, 1}, {3, 33}, {31, 32}, {33, 65}, {70, 1}, {257, 40}};
    static double points[257 * 3], sources[65 * 3], a[65], p[65], k[65], psi[257 * 2];
    static float single[257 * 2];
    size_t s, i;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s][0], m = sizes[s][1];
        padic_wave_superpose_desc desc = PADIC_ZERO;
        double total = 0;
        for (i = 0; i < 3 * n; i++) points[i] = uniform(-50, 50);
        for (i = 0; i < 3 * m; i++) sources[i] = uniform(-50, 50);
        for (i = 0; i < m; i++) {
            a[i] = uniform(-2, 2);
            p[i] = uniform(-9, 9);
            k[i] = uniform(-20, 20);
        }
        desc.points = padic_tensor_2d(PADIC_F64, points, n, 3);
        desc.sources = padic_tensor_2d(PADIC_F64, sources, m, 3);
        desc.amplitude = padic_tensor_1d(PADIC_F64, a, m);
        desc.phase = padic_tensor_1d(PADIC_F64, p, m);
        desc.wavenumber = padic_tensor_1d(PADIC_F64, k, m);
        desc.softening = s & 1 ? PADIC_WAVE_SOFTENING_PLUMMER : PADIC_WAVE_SOFTENING_NONE;
        desc.length = .3;
        desc.out = padic_tensor_1d(PADIC_C128, psi, n);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        desc.out = padic_tensor_1d(PADIC_C64, single, n);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        for (i = 0; i < m; i++) total += fabs(a[i]);
        for (i = 0; i < n; i++) {
            real re, im;
            oracle(points + 3 * i, sources, a, p, k, m, s & 1 ? .3L : 0, &re, &im);
            CHECK_NEAR(psi[2 * i], re, 2e-13 * total);
            CHECK_NEAR(psi[2 * i + 1], im, 2e-13 * total);
            CHECK(single[2 * i] == (float)psi[2 * i]);
            CHECK(single[2 * i + 1] == (float)psi[2 * i + 1]);
        }
    }
}

TEST(bound)
{
    // 1e4 random descs of one pair: no phase of the f64 path is off by more than it reports, and
    // padic_wave_error_bound() says the same of c128 and never less for c64.
    const int rounds = test_tiny ? 200 : 10000;
    int i;
    for (i = 0; i < rounds; i++) {
        double point[3], source[3], one_ = 1, p = uniform(-3, 3), k, psi[2], claim = -1;
        padic_wave_superpose_report told = PADIC_ZERO;
        float single[2];
        real re, im, off;
        int j;
        padic_wave_superpose_desc desc = PADIC_ZERO;
        for (j = 0; j < 3; j++) {
            const double domain = pow(10, uniform(0, 8));
            point[j] = uniform(-domain, domain);
            source[j] = uniform(-domain, domain);
        }
        k = 2 * M_PI * uniform(.5, 2);
        desc.points = padic_tensor_2d(PADIC_F64, point, 1, 3);
        desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
        desc.phase = padic_tensor_1d(PADIC_F64, &p, 1);
        desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
        desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
        desc.report = &told;
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        oracle(point, source, &one_, &p, &k, 1, 0, &re, &im);
        off = atan2l((real)psi[1] * re - (real)psi[0] * im, (real)psi[0] * re + (real)psi[1] * im);
        off = fabsl(off) / (2 * 3.14159265358979323846L);
        CHECK((double)off <= told.error_bound);
        CHECK_EQ(wave_error_bound(NULL, &desc, &claim), PADIC_OK);
        CHECK(claim == told.error_bound);
        desc.out = padic_tensor_1d(PADIC_C64, single, 1);
        CHECK_EQ(wave_error_bound(NULL, &desc, &claim), PADIC_OK);
        // 48 bits for 53, beyond 1e8
        CHECK(claim >= told.error_bound && claim <= 2.1e-6 + 36 * told.error_bound);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        CHECK(told.error_bound <= claim);
    }
}

TEST(large_time)
{
    // w t + p modulo a turn: after any whole number of periods the field is the same.
    double point[3] = {1, 0, 0}, zero[3] = {0, 0, 0}, w = 2 * M_PI, k = 1, psi[2], first[2];
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, point, 1, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, zero, 1, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.frequency = padic_tensor_1d(PADIC_F64, &w, 1);
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    memcpy(first, psi, sizeof first);
    CHECK_NEAR(psi[0], cos(1.0), 1e-15);
    desc.time = 1e6;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], first[0], 2e-9);
    CHECK_NEAR(psi[1], first[1], 2e-9);
}

TEST(grid)
{
    // A grid is the list of its points; strided, rotated, transposed, in each rank.
    enum { A = 3, B = 5, C = 4 };
    double points[A * B * C][3], list[A * B * C * 2], grid[A * B * C * 2 * 2];
    double c = cos(.3), s = sin(.3);
    padic_wave_superpose_desc desc = s2_desc(NULL, NULL);
    int i, j, l, n = 0;
    memset(grid, 0, sizeof grid);
    desc.grid.origin[0] = .7;
    desc.grid.origin[2] = -1;
    for (i = 0; i < 3; i++) desc.grid.step[i] = .2 + .1 * i;
    desc.grid.axis[0][0] = c;
    desc.grid.axis[0][1] = s;
    desc.grid.axis[1][0] = -s;
    desc.grid.axis[1][1] = c;
    desc.grid.axis[2][2] = 1;
    for (i = 0; i < A; i++)
        for (j = 0; j < B; j++)
            for (l = 0; l < C; l++, n++) {
                points[n][0] = .7 + .2 * i * c - .3 * j * s;
                points[n][1] = .2 * i * s + .3 * j * c;
                points[n][2] = -1 + .4 * l;
            }
    desc.points = padic_tensor_2d(PADIC_F64, points, A * B * C, 3);
    desc.out = padic_tensor_1d(PADIC_C128, list, A * B * C);
    {
        padic_wave_superpose_desc listed = desc;
        memset(&listed.grid, 0, sizeof listed.grid);
        CHECK_EQ(padic_wave_superpose(NULL, &listed), PADIC_OK);
    }
    memset(&desc.points, 0, sizeof desc.points);
    desc.grid.count[0] = A;
    desc.grid.count[1] = B;
    desc.grid.count[2] = C;
    desc.out = padic_tensor_3d(PADIC_C128, grid, A, B, C);
    desc.out.stride[0] = 2; // the first axis is fastest, with a gap
    desc.out.stride[1] = 2 * A;
    desc.out.stride[2] = 2 * A * B;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    for (i = 0, n = 0; i < A; i++)
        for (j = 0; j < B; j++)
            for (l = 0; l < C; l++, n++) {
                const int at = 2 * (2 * i + 2 * A * j + 2 * A * B * l);
                CHECK_NEAR(grid[at], list[2 * n], 1e-13);
                CHECK_NEAR(grid[at + 1], list[2 * n + 1], 1e-13);
                CHECK(grid[at + 2] == 0 && grid[at + 3] == 0);
            }
    desc.grid.count[1] = desc.grid.count[2] = 0; // a line of 3, as rank 1
    desc.out = padic_tensor_1d(PADIC_C128, grid, A);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(grid[2], list[2 * B * C], 1e-13);
    desc.out = padic_tensor_3d(PADIC_C128, grid, A, 1, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(grid[5], list[4 * B * C + 1], 1e-13);
}

TEST(strides)
{
    // Sources backwards, points every second, amplitude repeated by rank 0 and by stride 0, f32 and
    // f64 mixed, D that differs: the same as the plain layout.
    float at[3][2] = {{1, 2}, {-1, .5f}, {0, 3}}, k[6] = {1, 9, 2, 9, 3, 9};
    double back[3][2] = {{0, 3}, {-1, .5}, {1, 2}}, kb[3] = {3, 2, 1}, three = 3;
    double points[4][3] = {{.1, .2, .3}, {9, 9, 9}, {.4, .5, .6}, {9, 9, 9}}, two[2][3];
    double first[4], second[4], threes[3] = {3, 3, 3};
    padic_wave_superpose_desc desc = PADIC_ZERO;
    int i;
    memcpy(two[0], points[0], sizeof two[0]);
    memcpy(two[1], points[2], sizeof two[1]);
    desc.points = padic_tensor_2d(PADIC_F64, two, 2, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, back, 3, 2);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, kb, 3);
    desc.amplitude = padic_tensor_1d(PADIC_F64, threes, 3);
    desc.out = padic_tensor_1d(PADIC_C128, first, 2);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    desc.points = padic_tensor_2d(PADIC_F64, points, 2, 3);
    desc.points.stride[0] = 6;
    desc.points.stride[1] = 1;
    desc.sources = padic_tensor_2d(PADIC_F32, at[2], 3, 2); // element 0 is the last row
    desc.sources.stride[0] = -2;
    desc.sources.stride[1] = 1;
    desc.wavenumber = padic_tensor_1d(PADIC_F32, k + 4, 3);
    desc.wavenumber.stride[0] = -2;
    desc.amplitude = padic_tensor_nd(PADIC_F64, &three, 0, NULL);
    desc.out = padic_tensor_1d(PADIC_C128, second, 2);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    for (i = 0; i < 4; i++) CHECK(first[i] == second[i]);
    // One source position for all of three waves: stride 0.
    desc.sources.stride[0] = 0;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    for (i = 0; i < 3; i++) memcpy(back[i], back[0], sizeof back[0]);
    desc.sources = padic_tensor_2d(PADIC_F64, back, 3, 2);
    desc.out.data = first;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    for (i = 0; i < 4; i++) CHECK(first[i] == second[i]);
}

TEST(workers_and_contexts)
{
    // The same bits for 1, 2 and 7 workers, and from buffers.
    enum { N = 3001, M = 37 };
    static double points[N][3], sources[M][3], k[M], first[2 * N], psi[2 * N];
    static const uint32_t workers[3] = {1, 2, 7};
    int i, j;
    for (i = 0; i < N; i++)
        for (j = 0; j < 3; j++) points[i][j] = uniform(-9, 9);
    for (i = 0; i < M; i++) {
        k[i] = uniform(1, 9);
        for (j = 0; j < 3; j++) sources[i][j] = uniform(-9, 9);
    }
    memcpy(points[17], sources[5], sizeof points[17]);
    memcpy(points[2900], sources[5], sizeof points[17]);
    for (i = 0; i < 4; i++) {
        padic_wave_superpose_desc desc = PADIC_ZERO;
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
        desc.points = padic_tensor_2d(PADIC_F64, points, N, 3);
        desc.sources = padic_tensor_2d(PADIC_F64, sources, M, 3);
        if (i == 3) {
            padic_buffer_desc of = PADIC_ZERO;
            of.size = sizeof sources;
            of.data = sources;
            REQUIRE(!padic_buffer_create(context, &of, &buffer));
            desc.sources = padic_tensor_in(desc.sources, buffer, 0);
        }
        desc.wavenumber = padic_tensor_1d(PADIC_F64, k, M);
        desc.out = padic_tensor_1d(PADIC_C128, i ? psi : first, N);
        desc.report = &told;
        CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
        CHECK_EQ(told.coincident, 2);
        if (i) CHECK(!memcmp(psi, first, sizeof psi));
        if (i == 3) { // a buffer with a NaN is found on request only
            const double nan_ = NAN;
            CHECK_EQ(padic_buffer_upload(context, buffer, 8, &nan_, 8), PADIC_OK);
            CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
            CHECK(psi[0] != psi[0]);
            psi[0] = 5;
            desc.flags = PADIC_WAVE_FLAG_CHECK_FINITE;
            CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_ERROR_NOT_FINITE);
            CHECK(psi[0] == 5);
            CHECK_EQ(wave_error_bound(context, &desc, &psi[0]), PADIC_ERROR_NOT_SUPPORTED);
        }
        padic_context_destroy(context);
        if (threads) padic_threads_destroy(threads);
    }
}

TEST(output)
{
    double psi[2], v;
    float single;
    padic_wave_superpose_desc desc = s2_desc(s2_p, psi);
    const double re = -0.0323435028, im = 0.7252868636;
    desc.output = PADIC_WAVE_OUTPUT_REAL;
    desc.out = padic_tensor_1d(PADIC_F64, &v, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(v, re, 1e-10);
    desc.output = PADIC_WAVE_OUTPUT_AMPLITUDE;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(v, sqrt(re * re + im * im), 1e-10);
    desc.output = PADIC_WAVE_OUTPUT_INTENSITY;
    desc.out = padic_tensor_1d(PADIC_F32, &single, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(single, re * re + im * im, 4e-8);
    desc.output = PADIC_WAVE_OUTPUT_PHASE;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(single, atan2(im, re), 1.2e-7);
    desc.output = PADIC_WAVE_OUTPUT_COMPLEX;
    desc.flags = PADIC_WAVE_FLAG_ACCUMULATE;
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    psi[0] = 10;
    psi[1] = -20;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], 10 + re, 1e-10);
    CHECK_NEAR(psi[1], -20 + im, 1e-10);
}

static padic_wave_superpose_report tone_report;

// One source of amplitude sqrt(v) at distance 1, k = 1e-9: intensity v. One pixel.
static void tone(const padic_wave_tone *with, double amplitude, double phase, uint8_t pixel[4])
{
    double x = 1, zero = 0, k = 1e-12;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, &x, 1, 1);
    desc.sources = padic_tensor_2d(PADIC_F64, &zero, 1, 1);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.amplitude = padic_tensor_1d(PADIC_F64, &amplitude, 1);
    desc.phase = padic_tensor_1d(PADIC_F64, &phase, 1);
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    desc.tone = *with;
    desc.report = &tone_report;
    desc.out = padic_tensor_2d(PADIC_U8, pixel, 1, 4);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
}

TEST(tones)
{
    static const uint8_t grey[5] = {0, 64, 128, 191, 255};
    static const double hues[6] = {0, M_PI / 3, 2 * M_PI / 3, -M_PI + 1e-12, -2 * M_PI / 3,
                                   -M_PI / 3};
    static const uint8_t colours[6][3] = {{255, 0, 0}, {255, 255, 0}, {0, 255, 0},
                                          {0, 255, 255}, {0, 0, 255}, {255, 0, 255}};
    padic_wave_tone with = PADIC_ZERO;
    uint8_t pixel[4], table[256][4];
    int i;
    with.value = PADIC_WAVE_OUTPUT_AMPLITUDE;
    with.high = 4;
    for (i = 0; i < 5; i++) {
        tone(&with, i, 0, pixel);
        CHECK(pixel[0] == grey[i] && pixel[1] == grey[i] && pixel[2] == grey[i] && pixel[3] == 255);
        CHECK_NEAR(tone_report.smallest, i, 1e-14);
        CHECK_NEAR(tone_report.largest, i, 1e-14);
    }
    with.curve = PADIC_WAVE_CURVE_REINHARD;
    with.high = 1;
    tone(&with, 1, 0, pixel);
    CHECK_EQ(pixel[0], 128);
    tone(&with, 3, 0, pixel);
    CHECK_EQ(pixel[0], 191);
    with.curve = PADIC_WAVE_CURVE_LOG;
    with.low = 1;
    with.high = 15;
    tone(&with, 1, 0, pixel);
    CHECK_EQ(pixel[0], 64);
    tone(&with, 3, 0, pixel);
    CHECK_EQ(pixel[0], 128);
    tone(&with, 15, 0, pixel);
    CHECK_EQ(pixel[0], 255);
    with.map = PADIC_WAVE_MAP_HUE;
    for (i = 0; i < 6; i++) {
        tone(&with, 15, hues[i], pixel);
        CHECK(!memcmp(pixel, colours[i], 3));
    }
    with.map = PADIC_WAVE_MAP_HEAT;
    tone(&with, 3, 0, pixel); // x = 1/2: (1, 1/2, 0)
    CHECK(pixel[0] == 255 && pixel[1] == 128 && pixel[2] == 0);
    for (i = 0; i < 256; i++) memset(table[i], 255 - i, 4);
    with.map = PADIC_WAVE_MAP_TABLE;
    with.table = table[0];
    tone(&with, 3, 0, pixel);
    CHECK(pixel[0] == 127 && pixel[3] == 127);
    tone(&with, NAN, 0, pixel);
    CHECK(pixel[0] == 255 && pixel[1] == 0 && pixel[2] == 255 && pixel[3] == 255);
    CHECK(tone_report.smallest == 0 && tone_report.largest == 0);
    with.nan_colour[1] = 7;
    tone(&with, NAN, 0, pixel);
    CHECK(pixel[0] == 0 && pixel[1] == 7);
}

// The same pixels from a field that lies in memory, with strides, f32, workers; real values.
TEST(tonemap)
{
    static const double ramp[5] = {0, 1, 2, 3, 4}, wide[3] = {1, 3, 15};
    static const uint8_t want[3][5] = {{0, 64, 128, 191, 255}, {128, 191}, {64, 128, 255}};
    static const int sizes[3] = {5, 2, 3};
    uint8_t pixels[4][8];
    padic_wave_tonemap_report told = PADIC_ZERO;
    double psi[40];
    float v;
    padic_wave_tonemap_desc desc = PADIC_ZERO;
    int curve, i;
    for (curve = 0; curve < 3; curve++) {
        desc.tone.curve = (padic_wave_curve)curve;
        desc.tone.low = curve == PADIC_WAVE_CURVE_LOG;
        desc.tone.high = curve == PADIC_WAVE_CURVE_LOG ? 15 : curve ? 1 : 4;
        desc.report = &told;
        desc.field = padic_tensor_1d(PADIC_F64, (void *)(curve ? wide : ramp),
                                     (uint64_t)sizes[curve]);
        desc.out = padic_tensor_2d(PADIC_U8, pixels, (uint64_t)sizes[curve], 4);
        desc.out.stride[0] = 1; // planes of R, G, B, A
        desc.out.stride[1] = 8;
        memset(pixels, 7, sizeof pixels);
        CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_OK);
        for (i = 0; i < 8; i++) {
            CHECK_EQ(pixels[0][i], i < sizes[curve] ? want[curve][i] : 7);
            CHECK_EQ(pixels[2][i], i < sizes[curve] ? want[curve][i] : 7);
            CHECK_EQ(pixels[3][i], i < sizes[curve] ? 255 : 7);
        }
        CHECK(told.smallest == (curve ? 1 : 0) && told.largest == (curve ? curve > 1 ? 15 : 3 : 4));
    }
    for (i = 0; i < 20; i++) {
        psi[2 * i] = 2.1 * cos(.3 * i);
        psi[2 * i + 1] = 2.1 * sin(.3 * i);
    }
    memset(&desc, 0, sizeof desc);
    desc.field = padic_tensor_1d(PADIC_C128, psi, 20);
    desc.tone.high = 4;
    desc.tone.map = PADIC_WAVE_MAP_HUE;
    desc.tone.value = PADIC_WAVE_OUTPUT_AMPLITUDE;
    for (i = 0; i < 20; i++) { // as superposition paints it
        uint8_t pixel[4];
        desc.field.data = psi + 2 * i;
        desc.field.shape[0] = 1;
        desc.out = padic_tensor_2d(PADIC_U8, pixels, 1, 4);
        CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_OK);
        tone(&desc.tone, 2.1, .3 * i, pixel);
        CHECK(!memcmp(pixel, pixels, 4));
    }
    v = NAN;
    desc.field = padic_tensor_nd(PADIC_F32, &v, 0, NULL);
    desc.out = padic_tensor_1d(PADIC_U8, pixels, 4);
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_ERROR_ARGUMENT); // a hue of what is real
    desc.tone.map = PADIC_WAVE_MAP_GREY;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_OK);
    CHECK(pixels[0][0] == 255 && pixels[0][1] == 0 && pixels[0][2] == 255);
    desc.tone.low = 9;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.tone.low = 0;
    desc.out.shape[0] = 3;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.out.dtype = PADIC_I8;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.field.dtype = PADIC_I32;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_ERROR_DTYPE);
}

TEST(observe)
{
    double psi[3][2][2] = {{{3, -4}, {0, 0}}, {{-1, 0}, {-2, -0.0}}, {{0, 1}, {0, -5}}}, out[2][3];
    static const double want[5][6] = {{25, 1, 1, 0, 4, 25}, {3, -1, 0, 0, -2, 0},
                                      {5, 1, 1, 0, 2, 5}, {25, 1, 1, 0, 4, 25},
                                      {-0.9272952180016122, M_PI, M_PI / 2, 0, -M_PI, -M_PI / 2}};
    padic_wave_observe_desc desc = PADIC_ZERO;
    int output, i;
    desc.psi = padic_tensor_2d(PADIC_C128, psi, 3, 2);
    desc.out = padic_tensor_2d(PADIC_F64, out, 3, 2);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = 3;
    for (output = 0; output < 5; output++) {
        desc.output = (padic_wave_output)output;
        memset(out, 7, sizeof out);
        CHECK_EQ(padic_wave_observe(NULL, &desc), PADIC_OK);
        for (i = 0; i < 6; i++) {
            const double to = output == 4 && i == 4 ? M_PI : want[output][i]; // (-pi, pi]
            CHECK_NEAR(out[i / 3][i % 3], to, 1e-15);
        }
    }
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    CHECK_EQ(padic_wave_observe(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.output = PADIC_WAVE_OUTPUT_REAL;
    desc.out.shape[0] = 2;
    CHECK_EQ(padic_wave_observe(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.out.dtype = PADIC_C64;
    CHECK_EQ(padic_wave_observe(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.psi.dtype = PADIC_F64;
    CHECK_EQ(padic_wave_observe(NULL, &desc), PADIC_ERROR_DTYPE);
}

// Results that f64 holds though the norm, target/norm or the factor may be beyond it.
TEST(normalise_ranges)
{
    static const double rows[][6] = { // re, im, the second's im, target, volume, re expected
        {1e100, 1e100, 1e100, 1e-150, 0, 5.773502691896257645e-76},
        {1e20, 1e20, 1e20, 1e-290, 0, 5.773502691896257645e-146},
        {1e60, 1e60, 1e60, 1e-200, 0, 5.773502691896257645e-101},
        {3, 0, 4, 4.9406564584124654e-324, 0, 1.33365524969104649e-162},
        {1e-100, 0, 0, 1e200, 0, 1e100},
        {1e150, 0, 0, 1e300, 1e-290, 1e295},
        {1, 0, 0, 1, 1e-300, 1e150},
        {3, 0, 4, 1e-300, 1.7e308, 4.60178993308422270e-305},
        {3, 0, 4, 1.7e308, 1e-300, 7.82304288624317822e303},
        {1e-310, 0, 0, 1e308, 0, 1e154},
        {1e300, 1e300, 1e300, 1e-300, 0, 5.773502691896257645e-151},
        {1e300, 0, 0, 1e-300, 1e300, 1e-300}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double *r = rows[i];
        double psi[2][2] = {{r[0], r[1]}, {0, r[2]}};
        padic_wave_normalise_desc desc = PADIC_ZERO;
        const double tolerance = r[0] < 1e-300 ? 1e-9 : 1e-13;
        desc.psi = padic_tensor_1d(PADIC_C128, psi, 2);
        desc.target = r[3], desc.volume = r[4];
        CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_OK);
        CHECK_NEAR(psi[0][0] / r[5], 1, tolerance);
        CHECK(psi[1][0] == 0 && (r[2] == 0) == (psi[1][1] == 0));
    }
    for (int i = 0; i < 3; i++) {
        double psi[2] = {i == 2 ? 1e-320 : 1, 0};
        padic_wave_normalise_report told = {0};
        padic_wave_normalise_desc desc = PADIC_ZERO;
        desc.psi = padic_tensor_1d(PADIC_C128, psi, 1);
        desc.volume = i == 1 ? 4.9406564584124654e-324 : i ? 0 : 1e-310;
        desc.target = i == 1 ? 1.7e308 : 1;
        if (!i) desc.report = &told;
        CHECK_EQ(padic_wave_normalise(NULL, &desc), i == 1 ? PADIC_ERROR_DOMAIN : PADIC_OK);
        if (!i) CHECK_NEAR(psi[0] / 1e155, 1, 1e-13);
        if (!i) CHECK_NEAR(told.norm / 1e-310, 1, 1e-13);
        if (i) CHECK_NEAR(psi[0], 1, 1e-13); // as it was, or a factor beyond f64
    }
}

// Ranges whose width is beyond f64.
TEST(tonemap_ranges)
{
    static const double v[4] = {0, 1.7e308, -1.7e308, .85e308};
    static const uint8_t want[4] = {128, 255, 0, 191};
    uint8_t pixels[4][4];
    padic_wave_tonemap_desc desc = PADIC_ZERO;
    desc.field = padic_tensor_1d(PADIC_F64, (void *)(uintptr_t)v, 4);
    desc.out = padic_tensor_2d(PADIC_U8, pixels, 4, 4);
    desc.tone.low = -1.7e308, desc.tone.high = 1.7e308;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 4; i++) CHECK_EQ(pixels[i][0], want[i]);
    desc.tone.curve = PADIC_WAVE_CURVE_REINHARD, desc.tone.low = 0;
    CHECK_EQ(padic_wave_tonemap(NULL, &desc), PADIC_OK);
    CHECK(pixels[0][0] == 0 && pixels[1][0] == 128 && pixels[2][0] == 0 && pixels[3][0] == 85);
}

TEST(normalise)
{
    static float many[2][5000][2];
    double psi[2][2];
    padic_wave_normalise_report told = {-1};
    padic_wave_normalise_desc desc = PADIC_ZERO;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_threads *threads = padic_threads_create(3, NULL);
    real sum = 0;
    int i, side;
    for (i = 0; i < 4; i++) {
        psi[0][0] = 3, psi[0][1] = 0, psi[1][0] = 0, psi[1][1] = 4;
        desc.psi = padic_tensor_1d(PADIC_C128, psi, 2);
        desc.report = &told;
        desc.legacy = i == 0;
        desc.volume = i == 1 ? .5 : 0;
        desc.target = i == 3 ? 4 : 0;
        CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_OK);
        CHECK_NEAR(told.norm, i == 1 ? 12.5 : 25, 1e-15);
        CHECK_NEAR(psi[0][0], i == 0 ? .599999999988 : i == 1 ? .8485281374 : i == 3 ? 1.2 : .6,
                   i == 1 ? 5e-11 : 1e-15);
        CHECK_NEAR(psi[1][1], i == 0 ? .799999999984 : i == 1 ? 1.1313708499 : i == 3 ? 1.6 : .8,
                   i == 1 ? 5e-11 : 1e-15);
        CHECK(psi[0][1] == 0 && psi[1][0] == 0);
    }
    REQUIRE(threads != NULL);
    with.jobs = padic_threads_jobs(threads);
    REQUIRE(!padic_context_create(&with, &context));
    for (i = 0; i < 5000; i++)
        for (side = 0; side < 2; side++) {
            many[0][i][side] = many[1][i][side] = (float)uniform(-3, 3);
            sum += (real)many[0][i][side] * (real)many[0][i][side];
        }
    memset(&desc, 0, sizeof desc);
    desc.report = &told;
    for (side = 0; side < 2; side++) { // with workers and without: the same bits
        desc.psi = padic_tensor_1d(PADIC_C64, many[side], 5000);
        CHECK_EQ(padic_wave_normalise(side ? context : NULL, &desc), PADIC_OK);
        CHECK_NEAR(told.norm, (double)sum, 1e-12 * (double)sum);
    }
    CHECK(!memcmp(many[0], many[1], sizeof *many));
    for (i = 0, sum = 0; i < 10000; i++) sum += (real)many[0][i / 2][i % 2] * many[0][i / 2][i % 2];
    CHECK_NEAR((double)sum, 1, 1e-7);
    desc.psi = padic_tensor_1d(PADIC_C128, psi, 2);
    for (i = 0; i < 3; i++) { // nothing to scale by: psi is what it was
        const double left = i ? i > 1 ? 1e200 : INFINITY : 0;
        psi[0][0] = left;
        psi[0][1] = psi[1][0] = psi[1][1] = 0;
        told.norm = 5;
        CHECK_EQ(padic_wave_normalise(context, &desc), PADIC_ERROR_DOMAIN);
        CHECK(psi[0][0] == left && told.norm == 5);
    }
    desc.psi.shape[0] = 0;
    CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_OK);
    desc.target = -1;
    CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.target = 2;
    desc.legacy = 1;
    CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.psi.dtype = PADIC_F64;
    CHECK_EQ(padic_wave_normalise(NULL, &desc), PADIC_ERROR_DTYPE);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

TEST(absorption)
{
    double zero[3] = {0, 0, 0}, k = 2, decay = .4, psi[2];
    const double r = sqrt(14.0);
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, s2_p, 1, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, zero, 1, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.absorption = padic_tensor_1d(PADIC_F64, &decay, 1);
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], cos(2 * r) * exp(-.4 * r) / r, 1e-16);
    CHECK_NEAR(psi[1], sin(2 * r) * exp(-.4 * r) / r, 1e-16);
}

TEST(coincident)
{
    static const padic_wave_softening soft[] = {PADIC_WAVE_SOFTENING_PLUMMER,
                                                PADIC_WAVE_SOFTENING_PLUMMER_BOTH,
                                                PADIC_WAVE_SOFTENING_SHELL,
                                                    PADIC_WAVE_SOFTENING_ADDED,
                                                PADIC_WAVE_SOFTENING_CLAMP};
    static const double at_zero[] = {10, 0, 0, 10, 0}; // real part at r = 0 with k a = .1
    double psi[2], zero[3] = {0, 0, 0}, k = 1;
    padic_wave_superpose_report told = {9, 0, 0, 0};
    padic_wave_superpose_desc desc = PADIC_ZERO;
    size_t i;
    desc.points = padic_tensor_2d(PADIC_F64, zero, 1, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, s2_at, 2, 3);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
    desc.report = &told;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK_EQ(told.coincident, 1);
    CHECK_NEAR(psi[0], cos(1.3) / 1.3, 1e-15); // the other source, at distance 1.3
    desc.sources = padic_tensor_2d(PADIC_F64, s2_at, 1, 3);
    desc.length = .1;
    for (i = 0; i < sizeof soft / sizeof *soft; i++) {
        desc.softening = soft[i];
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        CHECK_EQ(told.coincident, 0);
        CHECK(padici_wave_finite(psi[0]) && psi[0] > 9.9 && psi[0] < 10.1);
        if (at_zero[i] > 0) CHECK_NEAR(psi[0], at_zero[i], 1e-14);
    }
}

TEST(empty)
{
    double psi[4] = {1, 2, 3, 4};
    padic_wave_superpose_report told = {5, 7, 0, 0};
    padic_wave_superpose_desc desc = s2_desc(s2_p, psi);
    desc.report = &told;
    desc.sources = padic_tensor_2d(PADIC_F64, NULL, 0, 3); // no source: a field of 0
    desc.amplitude.shape[0] = desc.phase.shape[0] = desc.frequency.shape[0] = 0;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
    CHECK(psi[0] == 0 && psi[1] == 0 && psi[2] == 3 && told.coincident == 0 &&
          told.error_bound == 0);
    desc = s2_desc(NULL, NULL); // no point
    desc.points.shape[0] = desc.out.shape[0] = 0;
    CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
}

static void refused(const padic_wave_superpose_desc *desc, padic_result result, const char *word)
{
    padic_context *context = NULL;
    const double before = *(const double *)desc->out.data;
    REQUIRE(!padic_context_create(NULL, &context));
    CHECK_EQ(padic_wave_superpose(context, desc), result);
    if (!strstr(padic_context_message(context), word)) {
        test_failed(__FILE__, __LINE__, word);
        printf(" in \"%s\"", padic_context_message(context));
    }
    CHECK(*(const double *)desc->out.data == before); // no byte is written
    padic_context_destroy(context);
}

#define REFUSED(change, result, word)      \
    desc = s2_desc(s2_p, psi);             \
    change;                                \
    refused(&desc, PADIC_ERROR_##result, word)

TEST(bad_input)
{
    double psi[8] = {3, 3, 3, 3, 3, 3, 3, 3}, bad[6] = {0, NAN, 0, 0, 0, 0}, none[2] = {0, 1}, x;
    const double inf = INFINITY;
    padic_wave_superpose_desc desc;
    CHECK_EQ(padic_wave_superpose(NULL, NULL), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.kernel = (padic_wave_kernel)9, ARGUMENT, "kernel");
    REFUSED(desc.sign = (padic_wave_sign)3, ARGUMENT, "sign");
    REFUSED(desc.softening = (padic_wave_softening)-1, ARGUMENT, "softening");
    REFUSED(desc.output = (padic_wave_output)6, ARGUMENT, "output");
    REFUSED(desc.flags = 4, ARGUMENT, "flags");
    REFUSED((desc.flags = 1, desc.output = PADIC_WAVE_OUTPUT_REAL), ARGUMENT, "ACCUMULATE");
    REFUSED(desc.speed = -1, ARGUMENT, "speed");
    REFUSED(desc.speed = inf, ARGUMENT, "speed");
    REFUSED(desc.time = NAN, NOT_FINITE, "time");
    REFUSED(desc.length = -1, ARGUMENT, "length");
    REFUSED(desc.tolerance = -1, TOLERANCE, "tolerance");
    REFUSED(desc.tolerance = inf, TOLERANCE, "tolerance");
    REFUSED(desc.tolerance = NAN, TOLERANCE, "tolerance");
    REFUSED((desc.tolerance = 1e-7, desc.out.dtype = PADIC_C64), NOT_SUPPORTED, "c128");
    REFUSED(desc.grid.count[0] = 1, ARGUMENT, "both points and grid");
    REFUSED(desc.points.dtype = PADIC_DTYPE_NONE, ARGUMENT, "neither points");
    REFUSED(desc.frequency.dtype = PADIC_DTYPE_NONE, ARGUMENT, "neither wavenumber");
    REFUSED(desc.points.dtype = PADIC_I32, DTYPE, "points");
    REFUSED(desc.points.shape[1] = 4, MISMATCH, "points");
    REFUSED(desc.points.rank = 1, MISMATCH, "points");
    REFUSED(desc.sources.shape[1] = 0, MISMATCH, "sources");
    REFUSED(desc.amplitude.shape[0] = 1, MISMATCH, "amplitude");
    REFUSED(desc.phase.dtype = PADIC_C64, DTYPE, "phase");
    REFUSED(desc.out.shape[0] = 2, MISMATCH, "out");
    REFUSED(desc.out.dtype = PADIC_F64, DTYPE, "out");
    REFUSED(desc.output = PADIC_WAVE_OUTPUT_RGBA8, DTYPE, "out");
    REFUSED((desc.output = PADIC_WAVE_OUTPUT_RGBA8, desc.out.dtype = PADIC_U8), MISMATCH,
            "axis of 4");
    REFUSED((memset(&desc.points, 0, sizeof desc.points), desc.grid.count[1] = 3), MISMATCH,
            "grid.count");
    REFUSED((memset(&desc.points, 0, sizeof desc.points), desc.grid.count[1] = 1,
             desc.grid.step[1] = inf),
            NOT_FINITE, "grid");
    REFUSED(desc.kernel = PADIC_WAVE_KERNEL_GREEN1, MISMATCH, "dimensions");
    REFUSED(desc.kernel = PADIC_WAVE_KERNEL_GREEN2, MISMATCH, "dimensions");
    REFUSED(desc.softening = PADIC_WAVE_SOFTENING_PLUMMER, ARGUMENT, "length is 0");
    REFUSED(desc.softening = PADIC_WAVE_SOFTENING_SHELL, ARGUMENT, "length is 0");
    REFUSED((desc.softening = PADIC_WAVE_SOFTENING_SHELL, desc.kernel = PADIC_WAVE_KERNEL_SQRT,
             desc.length = 1),
            ARGUMENT, "not valid for the kernel");
    REFUSED(desc.points.data = bad, NOT_FINITE, "points");
    REFUSED(desc.sources.data = bad, NOT_FINITE, "sources");
    REFUSED(desc.frequency.data = bad, NOT_FINITE, "frequency");
    REFUSED(desc.wavenumber = padic_tensor_1d(PADIC_F64, bad, 2), NOT_FINITE, "wavenumber");
    REFUSED((desc.kernel = PADIC_WAVE_KERNEL_GREEN2, desc.points.shape[1] = desc.sources.shape[1] =
             2,
             desc.frequency.data = none),
            DOMAIN, "wavenumber 0");
    REFUSED((desc.kernel = PADIC_WAVE_KERNEL_GREEN1, desc.points.shape[1] = desc.sources.shape[1] =
             1,
             desc.frequency.data = none),
            DOMAIN, "wavenumber 0");
    REFUSED((desc.softening = PADIC_WAVE_SOFTENING_ADDED, desc.kernel = PADIC_WAVE_KERNEL_GREEN2,
             desc.points.shape[1] = desc.sources.shape[1] = 2),
            ARGUMENT, "not valid for the kernel");
    REFUSED((desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH, desc.length = 1,
             desc.kernel = PADIC_WAVE_KERNEL_GREEN1,
             desc.points.shape[1] = desc.sources.shape[1] = 1),
            ARGUMENT, "not valid for the kernel");
    REFUSED((desc.time = 1, desc.sources.shape[0] = UINT64_C(1) << 62), LIMIT, "");
    REFUSED(desc.points = padic_tensor_2d(PADIC_F64, psi, 1, 3), OVERLAP, "shares memory");
    REFUSED(desc.points.buffer.id = 77 + 0 * (uint32_t)(desc.points.data = NULL, 0), ARGUMENT,
            "buffer");
    desc = s2_desc(s2_p, psi);
    CHECK_EQ(wave_error_bound(NULL, &desc, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(wave_error_bound(NULL, NULL, &x), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_frames(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_gradient(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_observe(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_tonemap(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_normalise(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_vortex(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_phase_gradient(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_winding(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_wave_lattice(NULL, NULL), PADIC_ERROR_ARGUMENT);
}

// Outputs of what is seen of a field may not lie over it.
TEST(overlaps)
{
    float psi[64];
    padic_wave_observe_desc seen = PADIC_ZERO;
    padic_wave_tonemap_desc tone = PADIC_ZERO;
    padic_wave_winding_desc charge = PADIC_ZERO;
    memset(psi, 0, sizeof psi);
    seen.psi = tone.field = padic_tensor_1d(PADIC_C64, psi, 8);
    seen.out = padic_tensor_1d(PADIC_F32, psi + 8, 8);
    CHECK_EQ(padic_wave_observe(NULL, &seen), PADIC_ERROR_OVERLAP);
    tone.out = padic_tensor_2d(PADIC_U8, psi + 15, 8, 4);
    CHECK_EQ(padic_wave_tonemap(NULL, &tone), PADIC_ERROR_OVERLAP);
    charge.psi = padic_tensor_2d(PADIC_C64, psi, 4, 4);
    charge.map = padic_tensor_2d(PADIC_I8, psi + 31, 4, 4);
    CHECK_EQ(padic_wave_winding(NULL, &charge), PADIC_ERROR_OVERLAP);
    charge.map.data = psi + 32;
    CHECK_EQ(padic_wave_winding(NULL, &charge), PADIC_OK);
}

TEST(bad_tone)
{
    double psi[2] = {3, 3};
    padic_wave_superpose_desc desc;
#define TONE(change, word)                                                       \
    REFUSED((desc.output = PADIC_WAVE_OUTPUT_RGBA8, desc.out.dtype = PADIC_U8, desc.out.rank = 2, \
             desc.out.shape[1] = 4, change),                                     \
            ARGUMENT, word)
    TONE(desc.tone.value = PADIC_WAVE_OUTPUT_RGBA8, "enum");
    TONE(desc.tone.curve = (padic_wave_curve)3, "enum");
    TONE(desc.tone.map = (padic_wave_map)4, "enum");
    TONE(desc.tone.map = PADIC_WAVE_MAP_TABLE, "table");
    TONE((desc.tone.low = 2, desc.tone.high = 1), "low");
    TONE((desc.tone.low = 2, desc.tone.high = 2), "low");
    TONE((desc.tone.curve = PADIC_WAVE_CURVE_LOG, desc.tone.high = 2), "low");
    TONE((desc.tone.curve = PADIC_WAVE_CURVE_REINHARD, desc.tone.high = NAN), "low");
}

// The f32 path on tiles, by the kernels as plain C: one source at a time, so that the phase of a
// pair can be seen; long double beside it. *size: of the amplitude, relative.
static double phase_error(const double (*points)[3], const float *field, uint64_t n,
                          const double source[3], double k, double p, double *size)
{
    double worst = 0;
    *size = 0;
    uint64_t i;
    for (i = 0; i < n; i++) {
        const double one_ = 1;
        real re, im, off;
        oracle(points[i], source, &one_, &p, &k, 1, 0, &re, &im);
        off = hypotl(field[2 * i], field[2 * i + 1]) / hypotl(re, im);
        if (!(fabsl(off - 1) <= *size)) *size = (double)fabsl(off - 1);
        off = atan2l((real)field[2 * i + 1] * re - (real)field[2 * i] * im,
                     (real)field[2 * i] * re + (real)field[2 * i + 1] * im);
        off = fabsl(off) / (2 * 3.14159265358979323846264338328L);
        if (!((double)off <= worst)) worst = (double)off;
    }
    return worst;
}

enum { TILE = 512 };

// A tile of points within h wavelengths, a source at `away` of them; checks the error and returns
// it over the reported bound. Few pairs of a list go by themselves, without tiles, unless both
// wavenumber and frequency are given.
static double flat_phase_tile(padic_context *context, double h, double away, double tolerance,
                              int tiled)
{
    static double points[TILE][3];
    static float field[2 * TILE];
    double source[3], centre[3], k = 2 * M_PI, p = uniform(-3, 3), claim = -1, w = 3;
    padic_wave_superpose_report told = PADIC_ZERO;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    double length = 0, error, size;
    int i, j;
    for (j = 0; j < 3; j++) {
        source[j] = uniform(-1, 1);
        length += source[j] * source[j];
        centre[j] = uniform(-away, away) / 3;
    }
    for (j = 0; j < 3; j++) source[j] = centre[j] + source[j] / sqrt(length) * away;
    for (i = 0; i < TILE; i++)
        for (j = 0; j < 3; j++) points[i][j] = centre[j] + uniform(-h, h) / sqrt(3.0);
    desc.points = padic_tensor_2d(PADIC_F64, points, TILE, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    if (tiled) desc.frequency = padic_tensor_nd(PADIC_F64, &w, 0, NULL); // at time 0
    desc.phase = padic_tensor_1d(PADIC_F64, &p, 1);
    desc.out = padic_tensor_1d(PADIC_C64, field, TILE);
    desc.tolerance = tolerance;
    desc.report = &told;
    CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
    // Two words of f32 hold 48 bits of a position; beyond that the input itself is not to be had.
    error = phase_error((const double(*)[3])points, field, TILE, source, k, p, &size);
    CHECK(error <= told.error_bound);
    CHECK(size <= 2e-6 + 2 * M_PI * ((tolerance > 0 ? tolerance : 2e-6) - error));
    CHECK(told.error_bound <= (tolerance > 0 ? tolerance : 2e-6) || (away > 1e6 &&
                                                                     told.error_bound < 2e-6));
    CHECK_EQ(wave_error_bound(NULL, &desc, &claim), PADIC_OK);
    CHECK(told.error_bound <= claim * 1.000001);
    return error / told.error_bound;
}

static padic_context *native_context(void)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = padic_native();
    return padic_context_create(&desc, &context) ? NULL : context;
}

TEST(flat_phase)
{
    static const double radius[] = {.5, 1, 2, 3, 4}, tolerance[] = {0, 1e-4, 3e-7};
    padic_context *context = native_context();
    double worst = 0;
    size_t h, t;
    int p, i;
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    for (p = 0; p <= 7; p++)
        for (h = 0; h < sizeof radius / sizeof *radius; h++)
            for (t = 0; t < sizeof tolerance / sizeof *tolerance; t++)
                for (i = 0; i < (test_tiny ? 1 : 6); i++) {
                    const double away = pow(10, p) * (i ? uniform(.3, 3) : 1);
                    const double off = flat_phase_tile(context, radius[h],
                                                       away < 3e7 ? away : 1e7, tolerance[t],
                                                       i % 3 != 2);
                    if (off > worst) worst = off;
                }
    for (i = 0; i < (test_tiny ? 20 : 1500); i++) { // and whatever comes
        const double off = flat_phase_tile(context, pow(10, uniform(-2, 1)),
                                           pow(10, uniform(-1, 7)), pow(10, uniform(-6.6, -3)),
                                           i % 3);
        if (off > worst) worst = off;
    }
    CHECK(worst > 0.3); // the bounds mean something
    padic_context_destroy(context);
}

// The same for a grid of points `step` wavelengths apart, along any axes, whose middle is no more
// than `far_` from 0 in each coordinate; the source at `away` of that.
static double flat_grid(padic_context *context, double step, double away, double far_,
                        double tolerance, double wavelength, int shape)
{
    static const uint32_t counts[5][3] = {
        {33, 17, 1}, {1, 9, 65}, {9, 7, 10}, {5, 1, 120}, {41, 3, 5}};
    static double points[640][3];
    static float field[2 * 640];
    padic_wave_superpose_desc desc = PADIC_ZERO;
    padic_wave_grid *grid = &desc.grid;
    double source[3], middle[3], k = 2 * M_PI / wavelength, p = uniform(-3, 3);
    padic_wave_superpose_report told = PADIC_ZERO;
    double length = 0, error, size, claim = -1;
    uint64_t n = 1, sizes[3];
    uint32_t i, j, a;
    for (j = 0; j < 3; j++) {
        source[j] = uniform(-1, 1);
        length += source[j] * source[j];
        middle[j] = wavelength * uniform(-far_, far_);
        grid->count[j] = counts[shape][j];
        grid->step[j] = step * wavelength;
        sizes[j] = grid->count[j];
        n *= sizes[j];
    }
    if (shape % 2) { // turned axes
        const double c = cos(p), s = sin(p), u = cos(2 * p), v = sin(2 * p);
        const double axis[3][3] = {{c, s, 0}, {-s * u, c * u, v}, {s * v, -c * v, u}};
        memcpy(grid->axis, axis, sizeof axis);
    } else {
        for (j = 0; j < 3; j++) grid->axis[j][j] = 1;
    }
    for (j = 0; j < 3; j++) {
        source[j] = middle[j] + source[j] / sqrt(length) * away * wavelength;
        grid->origin[j] = middle[j];
        for (a = 0; a < 3; a++)
            grid->origin[j] -= .5 * (grid->count[a] - 1) * grid->step[a] * grid->axis[a][j];
    }
    for (i = 0; i < n; i++) {
        const uint32_t at[3] = {i / grid->count[2] / grid->count[1],
                                i / grid->count[2] % grid->count[1], i % grid->count[2]};
        for (j = 0; j < 3; j++) {
            points[i][j] = grid->origin[j];
            for (a = 0; a < 3; a++)
                points[i][j] += at[a] * grid->step[a] * grid->axis[a][j];
        }
    }
    desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.phase = padic_tensor_1d(PADIC_F64, &p, 1);
    desc.out = padic_tensor_nd(PADIC_C64, field, 3, sizes);
    desc.tolerance = tolerance;
    desc.report = &told;
    CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
    error = phase_error((const double(*)[3])points, field, n, source, k, p, &size);
    CHECK(error <= told.error_bound);
    CHECK(size <= 2e-6 + 2 * M_PI * (tolerance - error));
    CHECK(told.error_bound <= tolerance || (away + far_ > 1e6 && tolerance < 4e-7 &&
                                            told.error_bound < 4e-7));
    CHECK_EQ(wave_error_bound(NULL, &desc, &claim), PADIC_OK);
    CHECK(told.error_bound <= claim * 1.000001);
    return error / told.error_bound;
}

TEST(flat_grids)
{
    padic_context *context = native_context();
    double worst = 0;
    int i;
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    for (i = 0; i < (test_tiny ? 20 : 1200); i++) {
        const double step = pow(10, uniform(-2, .3)), away = step * pow(10, uniform(.5, 6.5));
        const double way = away < 1e7 ? away : 1e7;
        const double off = flat_grid(context, step, way, way / 3,
                                     i % 2 ? 2e-6 : pow(10, uniform(-6.6, -3)),
                                     pow(10, uniform(-3, 3)), i % 5);
        if (off > worst) worst = off;
    }
    for (i = 0; i < (test_tiny ? 60 : 600); i++) { // near the source, both far from 0
        const double step = pow(10, uniform(-2, .3)), way = step * pow(10, uniform(1.5, 4));
        const double off = flat_grid(context, step, way, pow(10, uniform(4, 7)), 2e-6,
                                     pow(10, uniform(-3, 3)), i % 5);
        if (off > worst) worst = off;
    }
    CHECK(worst > 0.3); // the bounds mean something
    padic_context_destroy(context);
}

// 8 x 8 x 8 points, .25 apart; coordinate j of point i.
static padic_wave_grid eights(double origin)
{
    padic_wave_grid grid = PADIC_ZERO;
    for (int j = 0; j < 3; j++) {
        grid.count[j] = 8;
        grid.step[j] = .25;
        grid.origin[j] = origin;
    }
    return grid;
}

static double eights_at(double origin, int i, int j)
{
    return origin + .25 * (i >> (6 - 3 * j) & 7);
}

// Points that all but touch a source: the stated bound of the field, (2 pi tolerance + 2e-6)/r.
TEST(next_to_a_source)
{
    static double points[TILE][3];
    static float field[2 * TILE];
    const double one_ = 1, k = 2 * M_PI, p = 0, allowed = 2 * M_PI * 2e-6 + 2e-6;
    padic_context *context = native_context();
    double source[3] = {.51, -.27, .83}, worst = 0;
    int list, i, j;
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    for (list = 0; list < 3; list++) { // 1: in few pairs, 2: on tiles
        padic_wave_superpose_desc desc = PADIC_ZERO;
        for (i = 0; i < TILE; i++)
            for (j = 0; j < 3; j++) {
                points[i][j] = list ? source[j] + uniform(-1, 1) * pow(10, -i % 6)
                                    : eights_at(-.5, i, j);
                if (!list && i == 300) source[j] = points[i][j] + 1e-5 * (1 + j);
            }
        if (list) {
            desc.points = padic_tensor_2d(PADIC_F64, points, TILE, 3);
            desc.out = padic_tensor_1d(PADIC_C64, field, TILE);
        } else {
            desc.grid = eights(-.5);
            desc.out = padic_tensor_3d(PADIC_C64, field, 8, 8, 8);
        }
        desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
        desc.wavenumber = padic_tensor_nd(PADIC_F64, (void *)&k, 0, NULL);
        if (list == 2) desc.frequency = desc.wavenumber;
        CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
        for (i = 0; i < TILE; i++) {
            real re, im, off;
            oracle(points[i], source, &one_, &p, &k, 1, 0, &re, &im);
            off = hypotl(field[2 * i] - re, field[2 * i + 1] - im) / hypotl(re, im);
            if (!((double)off <= worst)) worst = (double)off;
        }
        CHECK(worst <= allowed);
    }
    padic_context_destroy(context);
}

// By the plain reference and by kernels as plain C, which do not reach as far.
TEST(all_distances)
{
    padic_context *context = native_context();
    scales(NULL, 0, 1e149);
    scales(NULL, 1, 1e149);
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    for (int what = 0; what < 3; what++)
        for (int soft = 0; soft < 6; soft++)
            for (int kernel = 0; kernel < 5; kernel++)
                if (kernel == 0 || !test_tiny)
                    scales_of(context, (padic_wave_kernel)kernel, (padic_wave_softening)soft, what,
                              0, 1e14);
    padic_context_destroy(context);
}

TEST(late)
{
    padic_context *context = native_context();
    scales_late(NULL, 1, 1e25, 5e-15);
    scales_late(NULL, 0, 1e25, 5e-15);
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    scales_late(context, 0, 1e16, 2.1e-6);
    padic_context_destroy(context);
}

// Numbers whose squares would overflow are refused; a device does not take what f32 cannot square.
TEST(beyond)
{
    static double one_[3] = {1, 1, 1}, far_[3] = {1e200, 1, 1}, at[3] = {0, 0, 0}, k = 1, psi[2];
    static float single[3] = {1e30f, 0, 0}, field[2];
    padic_context *context = native_context();
    for (int i = 0; i < 10; i++) {
        padic_wave_superpose_desc desc = PADIC_ZERO;
        desc.points = padic_tensor_2d(PADIC_F64, i == 0 ? far_ : one_, 1, 3);
        desc.sources = padic_tensor_2d(PADIC_F64, i == 1 ? far_ : at, 1, 3);
        desc.wavenumber = padic_tensor_1d(PADIC_F64, i == 2 ? far_ : &k, 1);
        desc.frequency = padic_tensor_1d(PADIC_F64, i == 3 ? far_ : &k, 1);
        if (i == 4) desc.time = -1e160;
        if (i == 5) desc.speed = 1e160;
        if (i == 6 || i == 7) {
            desc.softening = PADIC_WAVE_SOFTENING_PLUMMER;
            desc.length = i == 6 ? 1e160 : 1e-160;
        }
        if (i >= 8) {
            memset(&desc.points, 0, sizeof desc.points);
            desc.grid.count[0] = 1;
            desc.grid.origin[1] = i == 8 ? 1e160 : 0;
            desc.grid.step[0] = i == 9 ? 1e160 : 0;
        }
        desc.out = padic_tensor_1d(PADIC_C128, psi, 1);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_ERROR_LIMIT);
    }
    if (context) {
        padic_wave_superpose_desc desc = PADIC_ZERO;
        desc.points = padic_tensor_2d(PADIC_F32, single, 1, 3);
        desc.sources = padic_tensor_2d(PADIC_F64, at, 1, 3);
        desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
        desc.out = padic_tensor_1d(PADIC_C64, field, 1);
        CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_ERROR_NOT_SUPPORTED);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        CHECK_NEAR(hypot(field[0], field[1]) * 1e30, 1, 1e-6);
        padic_context_destroy(context);
    }
}

// Many sources, each with points next to it and one on it: on tiles, where an item has near points
// of several sources and of several blocks, and in few pairs; listed and on a grid.
TEST(next_to_many_sources)
{
    enum { M = 150 };
    static double points[TILE][3], source[M][3], a[M];
    static float field[2 * TILE];
    const double k = 2 * M_PI, p = 0, w = 1, allowed = 2 * M_PI * 2e-6 + 2e-6;
    padic_context *context = native_context();
    int form, i, j, m;
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    for (form = 0; form < 3; form++) { // on tiles, few pairs, grid
        padic_wave_superpose_desc desc = PADIC_ZERO;
        padic_wave_superpose_report told = {99, 0, 0, 0};
        double worst = 0;
        for (m = 0; m < M; m++) {
            a[m] = uniform(-1, 1);
            for (j = 0; j < 3; j++) source[m][j] = uniform(-1, 1);
        }
        for (i = 0; i < TILE; i++) // a whole item, points 64 apart, is next to sources
            for (j = 0; j < 3; j++)
                points[i][j] = form < 2 ? source[i * 7 % M][j] +
                                              (i ? uniform(-1, 1) * pow(10, -(i % 64) / 10) : 0)
                                        : eights_at(-.875, i, j);
        for (m = 0; form == 2 && m < M; m++)
            for (j = 0; j < 3; j++)
                source[m][j] = points[m * 3 % TILE][j] + (m ? 1e-5 * (1 + j + m % 50) : 0);
        if (form < 2) {
            desc.points = padic_tensor_2d(PADIC_F64, points, TILE, 3);
            desc.out = padic_tensor_1d(PADIC_C64, field, TILE);
        } else {
            desc.grid = eights(-.875);
            desc.out = padic_tensor_3d(PADIC_C64, field, 8, 8, 8);
        }
        desc.sources = padic_tensor_2d(PADIC_F64, source, M, 3);
        desc.amplitude = padic_tensor_1d(PADIC_F64, a, M);
        desc.wavenumber = padic_tensor_nd(PADIC_F64, (void *)&k, 0, NULL);
        if (!form) desc.frequency = padic_tensor_nd(PADIC_F64, (void *)&w, 0, NULL);
        desc.report = &told;
        CHECK_EQ(padic_wave_superpose(context, &desc), PADIC_OK);
        CHECK_EQ(told.coincident, 1);
        for (i = 0; i < TILE; i++) {
            real sum[2] = {0, 0}, size = 0, off;
            for (m = 0; m < M; m++) {
                real re, im;
                if (m == 0 && i == 0) continue; // the source that the point is on
                oracle(points[i], source[m], &a[m], &p, &k, 1, 0, &re, &im);
                sum[0] += re;
                sum[1] += im;
                size += hypotl(re, im);
            }
            off = hypotl(field[2 * i] - sum[0], field[2 * i + 1] - sum[1]) / size;
            if (!((double)off <= worst)) worst = (double)off;
        }
        CHECK(worst <= allowed);
    }
    padic_context_destroy(context);
}

// Pixels of a device differ by 1 at most from those of the reference; range, coincident pairs and
// the field at them are the same.
TEST(device_results)
{
    enum { A = 21, B = 13 };
    static const padic_wave_map maps[4] = {PADIC_WAVE_MAP_GREY, PADIC_WAVE_MAP_HEAT,
                                           PADIC_WAVE_MAP_HUE,
                                           PADIC_WAVE_MAP_TABLE};
    padic_context *context = native_context();
    uint8_t want[A][B][4], got[A][B][4], table[256][4];
    double sources[3][3] = {{0, 0, 0}, {1.7, .4, .3}, {-.3, 1, -2}}, k = 4;
    padic_wave_superpose_report told[2] = {{7, 0, 0, 0}, {7, 0, 0, 0}};
    int map, curve, i;
    if (!context) {
        SKIP("kernels as plain C need Linux, python3 and a compiler");
    }
    for (i = 0; i < 256; i++) memset(table[i], i, 4);
    for (map = 0; map < 4; map++)
        for (curve = 0; curve < 3; curve++) {
            padic_wave_superpose_desc desc = PADIC_ZERO;
            uint64_t shape[3] = {A, B, 4};
            desc.grid.count[0] = A;
            desc.grid.count[1] = B;
            desc.grid.step[0] = desc.grid.step[1] = .25;
            desc.grid.origin[0] = -1; // its point (4, 0) is the first source
            desc.sources = padic_tensor_2d(PADIC_F64, sources, 3, 3);
            desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
            desc.output = PADIC_WAVE_OUTPUT_RGBA8;
            desc.tone.map = maps[map];
            desc.tone.curve = (padic_wave_curve)curve;
            desc.tone.value = PADIC_WAVE_OUTPUT_AMPLITUDE;
            desc.tone.table = table[0];
            desc.tone.low = curve == PADIC_WAVE_CURVE_LOG ? .5 : .1;
            desc.tone.high = 3;
            for (i = 0; i < 2; i++) {
                desc.report = &told[i];
                desc.out = padic_tensor_nd(PADIC_U8, i ? got : want, 3, shape);
                CHECK_EQ(padic_wave_superpose(i ? context : NULL, &desc), PADIC_OK);
                CHECK_EQ(told[i].coincident, 1);
            }
            CHECK_NEAR(told[0].smallest, told[1].smallest, 1e-5);
            CHECK_NEAR(told[0].largest, told[1].largest, 1e-5 * told[0].largest);
            for (i = 0; i < A * B * 4; i++)
                CHECK(abs((int)(&want[0][0][0])[i] - (int)(&got[0][0][0])[i]) <= 1);
        }
    padic_context_destroy(context);
}

TEST_MAIN("wave", CASE(digits), CASE(legacy_field), CASE(legacy_resonator), CASE(green),
          CASE(hankel), CASE(sign), CASE(interference), CASE(equation), CASE(sphere_of_sources),
          CASE(array_factor), CASE(random_fields), CASE(bound), CASE(large_time), CASE(grid),
          CASE(strides), CASE(workers_and_contexts), CASE(output), CASE(tones), CASE(tonemap),
          CASE(observe), CASE(normalise), CASE(normalise_ranges),
          CASE(tonemap_ranges), CASE(absorption),
          CASE(coincident), CASE(empty), CASE(bad_input), CASE(overlaps), CASE(bad_tone),
          CASE(flat_phase), CASE(flat_grids), CASE(next_to_a_source), CASE(all_distances),
          CASE(late), CASE(beyond),
          CASE(next_to_many_sources), CASE(device_results))
