// test_gradient.c: gradients of superpositions: published digits, differences of the field, fluxes,
// an aperture, identities of Bessel functions, bad input.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/wave_calls.h"
#include <math.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random() >> 11) / 9007199254740992.0;
}

// The two sources of the published digits.
static double s2_sources[2][3] = {{0, 0, 0}, {.3, -.4, 1.2}}, s2_amplitude[2] = {1, 2};
static double s2_phase[2] = {.1, .7}, s2_wave[2] = {1.5, .5}, s2_p[3] = {1, 2, 3};

static padic_wave_gradient_desc s2_desc(double *points, uint64_t n, double *gradient)
{
    padic_wave_gradient_desc desc = PADIC_ZERO;
    desc.field.points = padic_tensor_2d(PADIC_F64, points, n, 3);
    desc.field.sources = padic_tensor_2d(PADIC_F64, s2_sources, 2, 3);
    desc.field.amplitude = padic_tensor_1d(PADIC_F64, s2_amplitude, 2);
    desc.field.phase = padic_tensor_1d(PADIC_F64, s2_phase, 2);
    desc.field.frequency = padic_tensor_1d(PADIC_F64, s2_wave, 2);
    desc.field.time = 2;
    desc.out = padic_tensor_2d(PADIC_C128, gradient, n, 3);
    return desc;
}

static const double s2_gradient[6] = {-0.1125288225, -0.1267309129, -0.3469297329,
                                      -0.2839750618, -0.3010248413, -0.3710387680};

TEST(digits)
{
    double gradient[6], psi[2];
    float single[6];
    padic_wave_gradient_desc desc = s2_desc(s2_p, 1, gradient);
    desc.field.out = padic_tensor_1d(PADIC_C128, psi, 1);
    CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(gradient[i], s2_gradient[i], 6e-11);
    CHECK_NEAR(psi[0], -0.0323435028, 6e-11);
    CHECK_NEAR(psi[1], 0.7252868636, 6e-11);
    desc.out = padic_tensor_2d(PADIC_C64, single, 1, 3);
    memset(&desc.field.out, 0, sizeof desc.field.out);
    CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(single[i], s2_gradient[i], 3e-8);
}

// One source of amplitude 1 at 0, one point: the field and its derivative along x.
static void one(padic_wave_kernel kernel, double k, double x, double psi[2], double slope[2])
{
    static double zero = 0;
    padic_wave_gradient_desc desc = PADIC_ZERO;
    desc.field.points = padic_tensor_2d(PADIC_F64, &x, 1, 1);
    desc.field.sources = padic_tensor_2d(PADIC_F64, &zero, 1, 1);
    desc.field.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.field.kernel = kernel;
    desc.field.out = padic_tensor_1d(PADIC_C128, psi, 1);
    desc.out = padic_tensor_2d(PADIC_C128, slope, 1, 1);
    CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
}

TEST(one_and_two_dimensions)
{
    static const double rows[4][3] = {{.1, -1.6147377737, -0.0124843815},
                                      {1, -0.1953032053, -0.1100126464},
                                      {10, 0.0622538561, -0.0108681865},
                                      {100, -0.0050930780, 0.0192863380}};
    double psi[2], slope[2], other[2];
    for (int i = 0; i < 4; i++)
        for (int j = -1; j < 2; j += 2) { // on both sides, with k of both signs
            one(PADIC_WAVE_KERNEL_GREEN2, 1.7, j * rows[i][0] / 1.7, psi, slope);
            CHECK_NEAR(j * slope[0] / 1.7, rows[i][1], 6e-11);
            CHECK_NEAR(j * slope[1] / 1.7, rows[i][2], 6e-11);
            one(PADIC_WAVE_KERNEL_GREEN2, -1.7, j * rows[i][0] / 1.7, psi, other);
            CHECK(other[0] == slope[0] && other[1] == -slope[1]);
        }
    one(PADIC_WAVE_KERNEL_GREEN1, 2, .7, psi, slope);
    CHECK_NEAR(psi[0], -0.2463624325, 6e-11);
    CHECK_NEAR(psi[1], 0.0424917857, 6e-11);
    CHECK_NEAR(slope[0], -cos(1.4) / 2, 1e-15);
    CHECK_NEAR(slope[1], -sin(1.4) / 2, 1e-15);
    one(PADIC_WAVE_KERNEL_GREEN1, 2, -.7, psi, slope);
    CHECK_NEAR(slope[0], cos(1.4) / 2, 1e-15);
    one(PADIC_WAVE_KERNEL_GREEN1, 2, 0, psi, slope);
    CHECK(slope[0] == 0 && slope[1] == 0);
    CHECK_NEAR(psi[1], .25, 1e-16);
    // The flux of a source in the plane is the same through every circle: J0 Y0' - J0' Y0 =
    // 2/(pi x), so that Im(conj g g') 8 pi r = 1.
    for (int i = 0; i < 2000; i++) {
        const double x = pow(10, uniform(-12, 4)), k = uniform(.1, 3), r = x / k;
        one(PADIC_WAVE_KERNEL_GREEN2, k, r, psi, slope);
        const double flux = (psi[0] * slope[1] - psi[1] * slope[0]) * 8 * M_PI * r;
        CHECK_NEAR(flux, 1, 2e-13 + 4e-16 * x);
    }
    for (int i = 0; i < 40; i++) { // where the series take over from each other
        double before[2], after[2];
        one(PADIC_WAVE_KERNEL_GREEN2, 1, 25 - 5e-14 - i * 1e-15, psi, before);
        one(PADIC_WAVE_KERNEL_GREEN2, 1, 25 + 5e-14 + i * 1e-15, psi, after);
        CHECK_NEAR(before[0], after[0], 2e-14);
        CHECK_NEAR(before[1], after[1], 2e-14);
    }
}

// The field of a desc at one point, by padic_wave_superpose().
static void field_at(const padic_wave_gradient_desc *desc, const double at[3], double psi[2])
{
    padic_wave_superpose_desc field = desc->field;
    double copy[3];
    memcpy(copy, at, sizeof copy);
    field.points = padic_tensor_2d(PADIC_F64, copy, 1, desc->field.sources.shape[1]);
    field.out = padic_tensor_1d(PADIC_C128, psi, 1);
    CHECK_EQ(padic_wave_superpose(NULL, &field), PADIC_OK);
}

// Differences of h and 2h along one axis, so that what is left goes as h^4.
static void difference(const padic_wave_gradient_desc *desc, const double at[3], int axis, double h,
                       double slope[2])
{
    static const double weight[4] = {1, -8, 8, -1};
    static const int where[4] = {-2, -1, 1, 2};
    slope[0] = slope[1] = 0;
    for (int i = 0; i < 4; i++) {
        double psi[2], there[3];
        memcpy(there, at, sizeof there);
        there[axis] += where[i] * h;
        field_at(desc, there, psi);
        slope[0] += weight[i] * psi[0] / (12 * h);
        slope[1] += weight[i] * psi[1] / (12 * h);
    }
}

// Every kernel, softening and sign that go together, with absorption, inside and outside.
TEST(differences)
{
    enum { M = 5, N = 12 };
    static double sources[M][3], amplitude[M], phase[M], wave[M], frequency[M], absorption[M];
    static double points[N][3], gradient[N][3][2], psi[N][2];
    uint32_t seen = 0;
    for (int kernel = 0; kernel < 5; kernel++)
        for (int soft = 0; soft < 6; soft++)
            for (int sign = 0; sign < 3; sign++) {
                const uint32_t d = kernel == PADIC_WAVE_KERNEL_GREEN1   ? 1
                                   : kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
                                                                 : 3;
                padic_wave_gradient_desc desc = PADIC_ZERO;
                double *at = points[0], *from = sources[0];
                padic_result result;
                for (uint32_t i = 0; i < M * d; i++) from[i] = uniform(-2, 2);
                for (int i = 0; i < M; i++) {
                    amplitude[i] = uniform(-2, 2);
                    phase[i] = uniform(-9, 9);
                    wave[i] = uniform(.5, 3) * (i & 1 ? -1 : 1);
                    frequency[i] = uniform(-3, 3);
                    absorption[i] = i == 2 ? 0 : uniform(0, .4);
                }
                desc.field.kernel = (padic_wave_kernel)kernel;
                desc.field.softening = (padic_wave_softening)soft;
                desc.field.sign = (padic_wave_sign)sign;
                desc.field.length = .7;
                desc.field.sources = padic_tensor_2d(PADIC_F64, sources, M, d);
                desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, M);
                desc.field.phase = padic_tensor_1d(PADIC_F64, phase, M);
                desc.field.wavenumber = padic_tensor_1d(PADIC_F64, wave, M);
                desc.field.frequency = padic_tensor_1d(PADIC_F64, frequency, M);
                desc.field.absorption = padic_tensor_1d(PADIC_F64, absorption, M);
                desc.field.time = 1.3;
                for (int i = 0; i < N;) { // not on a kink, nor too close to a pole
                    int fine = 1;
                    for (uint32_t a = 0; a < d; a++)
                        at[(uint32_t)i * d + a] =
                            i & 1 ? uniform(-3, 3)
                                  : from[test_random() % M * d + a] + uniform(-.6, .6);
                    for (int j = 0; j < M; j++) {
                        double r2 = 0;
                        for (uint32_t a = 0; a < d; a++)
                            r2 += (at[(uint32_t)i * d + a] - from[(uint32_t)j * d + a]) *
                                  (at[(uint32_t)i * d + a] - from[(uint32_t)j * d + a]);
                        fine = fine && sqrt(r2) > (d > 1 ? .25 : .01) && fabs(sqrt(r2) - .7) > .02;
                    }
                    i += fine;
                }
                desc.field.points = padic_tensor_2d(PADIC_F64, points, N, d);
                desc.field.out = padic_tensor_1d(PADIC_C128, psi, N);
                desc.out = padic_tensor_2d(PADIC_C128, gradient, N, d);
                result = padic_wave_gradient(NULL, &desc);
                if (result) {
                    CHECK_EQ(result, PADIC_ERROR_ARGUMENT); // a softening that is not the kernel's
                    continue;
                }
                seen++;
                for (uint32_t i = 0; i < N; i++) {
                    double field[2], slope[2], there[3] = {0, 0, 0};
                    memcpy(there, at + i * d, d * sizeof *there);
                    field_at(&desc, there, field);
                    CHECK(!memcmp(field, psi[i], sizeof field)); // the same sum, bit for bit
                    for (uint32_t a = 0; a < d; a++) {
                        const double *got = (const double *)gradient + 2 * (i * d + a);
                        difference(&desc, there, (int)a, 2e-4, slope);
                        CHECK_NEAR(got[0], slope[0], 1e-9);
                        CHECK_NEAR(got[1], slope[1], 1e-9);
                    }
                }
            }
    // POINT3 and GREEN3 have 6 softenings, SQRT all but SHELL, GREEN2 two, GREEN1 one.
    CHECK_EQ(seen, 3 * (6 + 6 + 5 + 2 + 1));
    // The page's: h = 1e-5 agrees to 1e-9.
    padic_wave_gradient_desc desc = s2_desc(s2_p, 1, gradient[0][0]);
    CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
    for (int a = 0; a < 3; a++) {
        double low[3], high[3], below[2], above[2];
        memcpy(low, s2_p, sizeof low);
        memcpy(high, s2_p, sizeof high);
        low[a] -= 1e-5;
        high[a] += 1e-5;
        field_at(&desc, low, below);
        field_at(&desc, high, above);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(gradient[0][a][i], (above[i] - below[i]) / 2e-5, 1e-9);
    }
}

// Inside a shell the field is A e^{ika}/a sin(kr)/(kr); near the middle its slope goes as r.
TEST(shell)
{
    static double zero[3] = {0, 0, 0}, k = 3;
    const double a = .5;
    for (int i = 0; i < 60; i++) {
        const double r = a * pow(10, -i / 4.0) * .999, z = k * r;
        double at[3], slope[3][2];
        padic_wave_gradient_desc desc = PADIC_ZERO;
        at[0] = .6 * r;
        at[1] = 0;
        at[2] = -.8 * r;
        desc.field.points = padic_tensor_2d(PADIC_F64, at, 1, 3);
        desc.field.sources = padic_tensor_2d(PADIC_F64, zero, 1, 3);
        desc.field.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
        desc.field.softening = PADIC_WAVE_SOFTENING_SHELL;
        desc.field.length = a;
        desc.out = padic_tensor_2d(PADIC_C128, slope, 1, 3);
        CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
        // (cos z - sin z/z)/r = -k j1(z), j1 = z/3 (1 - z^2/10 (1 - z^2/28 (1 - z^2/54 ...)))
        long double j1 = 1;
        for (int n = 12; n > 0; n--) j1 = 1 - (long double)z * z / (2 * n * (2 * n + 3)) * j1;
        const double want = (double)(-k * j1 * z / (3 * a));
        CHECK_NEAR(slope[0][0], .6 * want * cos(k * a), 1e-15 * fabs(want));
        CHECK_NEAR(slope[2][1], -.8 * want * sin(k * a), 3e-15 * fabs(want));
        CHECK(slope[1][0] == 0);
    }
}

// On a source: nothing, without NaN, and only NONE leaves the field out.
TEST(on_a_source)
{
    static double at[3] = {1, 2, 3}, k = 2;
    for (int kernel = 0; kernel < 5; kernel++)
        for (int soft = 0; soft < 6; soft++) {
            const uint32_t d = kernel == PADIC_WAVE_KERNEL_GREEN1   ? 1
                               : kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
                                                             : 3;
            double gradient[3][2] = {{5, 5}, {5, 5}, {5, 5}}, psi[2];
            padic_wave_superpose_report told = {9, 0, 0, 0};
            padic_wave_gradient_desc desc = PADIC_ZERO;
            desc.field.points = padic_tensor_2d(PADIC_F64, at, 1, d);
            desc.field.sources = desc.field.points;
            desc.field.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
            desc.field.kernel = (padic_wave_kernel)kernel;
            desc.field.softening = (padic_wave_softening)soft;
            desc.field.length = .5;
            desc.field.report = &told;
            desc.field.out = padic_tensor_1d(PADIC_C128, psi, 1);
            desc.out = padic_tensor_2d(PADIC_C128, gradient, 1, d);
            if (padic_wave_gradient(NULL, &desc)) continue;
            for (uint32_t a = 0; a < d; a++) CHECK(gradient[a][0] == 0 && gradient[a][1] == 0);
            CHECK_EQ(told.coincident, soft == 0 && kernel != PADIC_WAVE_KERNEL_GREEN1);
            CHECK((psi[0] == 0 && psi[1] == 0) == (told.coincident == 1));
        }
}

// The power of two coherent sources through a sphere about both: 4 pi k (A1^2 + A2^2 + 2 A1 A2
// cos(p1 - p2) sin(kd)/(kd)), from Im(conj psi grad psi), at any radius.
TEST(flux)
{
    enum { N = 20000 };
    static double points[N][3], gradient[N][3][2], psi[N][2];
    double sources[2][3] = {{0, 0, -.35}, {0, 0, .35}}, amplitude[2] = {1, 2}, phase[2] = {.6, 0};
    double k = 3;
    padic_wave_lattice_report told = PADIC_ZERO;
    const double exact = 4 * M_PI * k * (5 + 4 * cos(.6) * sin(k * .7) / (k * .7));
    CHECK_NEAR(exact, 239.6541468, 5e-8);
    for (int i = 0; i < 3; i++) {
        const double radius = i == 0 ? 2.5 : i == 1 ? 1.2 : 40;
        padic_wave_lattice_desc sphere = PADIC_ZERO;
        padic_wave_gradient_desc desc = PADIC_ZERO;
        double sum = 0;
        sphere.out = padic_tensor_2d(PADIC_F64, points, N, 3);
        sphere.radius = radius;
        sphere.report = &told;
        CHECK_EQ(padic_wave_lattice(NULL, &sphere), PADIC_OK);
        desc.field.points = sphere.out;
        desc.field.sources = padic_tensor_2d(PADIC_F64, sources, 2, 3);
        desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, 2);
        desc.field.phase = padic_tensor_1d(PADIC_F64, phase, 2);
        desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        desc.field.out = padic_tensor_1d(PADIC_C128, psi, N);
        desc.out = padic_tensor_2d(PADIC_C128, gradient, N, 3);
        CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
        for (int p = 0; p < N; p++)
            for (int a = 0; a < 3; a++)
                sum += (psi[p][0] * gradient[p][a][1] - psi[p][1] * gradient[p][a][0]) *
                       points[p][a] / radius;
        CHECK_NEAR(sum * told.weight, exact, 4e-5 * (i == 1 ? 2 : 1));
    }
}

// A plane wave behind a round hole of radius a, on its axis (Rayleigh and Sommerfeld's first
// integral): U = -(1/2 pi) sum dS d psi/dz, which is e^{ikz} - z/q e^{ikq}, q = sqrt(z^2 + a^2).
TEST(aperture)
{
    enum { RINGS = 2000 };
    static const double want[2][3] = {{2, 1.27883844, -0.24531645}, {8, 1.77608245, -0.34175598}};
    static double sources[RINGS][3], amplitude[RINGS];
    const double a = 5;
    double k = 2 * M_PI;
    for (int i = 0; i < RINGS; i++) { // any point of a ring will do on the axis
        const double ring = a * (i + .5) / (double)RINGS;
        sources[i][0] = ring * cos(i);
        sources[i][1] = ring * sin(i);
        sources[i][2] = 0;
        amplitude[i] = -ring * a / (double)RINGS; // 2 pi ring d(ring) by -1/(2 pi)
    }
    for (int i = 0; i < 2; i++) {
        double at[3] = {0, 0, want[i][0]}, gradient[3][2];
        padic_wave_gradient_desc desc = PADIC_ZERO;
        const double z = want[i][0], q = sqrt(z * z + a * a);
        desc.field.points = padic_tensor_2d(PADIC_F64, at, 1, 3);
        desc.field.sources = padic_tensor_2d(PADIC_F64, sources, RINGS, 3);
        desc.field.amplitude = padic_tensor_1d(PADIC_F64, amplitude, RINGS);
        desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        desc.out = padic_tensor_2d(PADIC_C128, gradient, 1, 3);
        CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
        CHECK_NEAR(want[i][1], cos(k * z) - z / q * cos(k * q), 1e-8);
        CHECK_NEAR(want[i][2], sin(k * z) - z / q * sin(k * q), 1e-8);
        CHECK_NEAR(gradient[2][0], want[i][1], 5e-6);
        CHECK_NEAR(gradient[2][1], want[i][2], 5e-6);
    }
}

// Strides, grids, sizes, dtypes, outputs and components: the same numbers.
TEST(shapes)
{
    enum { N = 7 };
    double points[N][3], dense[N][3][2], psi[N], wide[400], turned[3][N][2], first[N][2];
    float single[400];
    padic_wave_gradient_desc desc = s2_desc(points[0], N, dense[0][0]), other;
    uint64_t shape[4] = {2, 3, 2, 2};
    for (int i = 0; i < 3 * N; i++) points[i / 3][i % 3] = uniform(-3, 3);
    CHECK_EQ(padic_wave_gradient(NULL, &desc), PADIC_OK);
    other = desc; // components first, points backwards
    other.out = padic_tensor_2d(PADIC_C128, turned, N, 3);
    other.out.stride[0] = 1;
    other.out.stride[1] = N;
    other.field.points.data = points[N - 1];
    other.field.points.stride[0] = -3;
    other.field.points.stride[1] = 1;
    CHECK_EQ(padic_wave_gradient(NULL, &other), PADIC_OK);
    for (int i = 0; i < N; i++)
        for (int a = 0; a < 3; a++)
            CHECK(!memcmp(turned[a][i], dense[N - 1 - i][a], sizeof turned[a][i]));
    other = desc; // one component, the intensity beside it
    other.out = padic_tensor_2d(PADIC_C128, first, N, 1);
    other.field.output = PADIC_WAVE_OUTPUT_INTENSITY;
    other.field.out = padic_tensor_1d(PADIC_F64, psi, N);
    CHECK_EQ(padic_wave_gradient(NULL, &other), PADIC_OK);
    for (int i = 0; i < N; i++) {
        double field[2];
        CHECK(!memcmp(first[i], dense[i][0], sizeof first[i]));
        field_at(&desc, points[i], field);
        CHECK_NEAR(psi[i], field[0] * field[0] + field[1] * field[1], 1e-15);
    }
    other = desc; // added to what is there, in gaps
    other.field.flags = PADIC_WAVE_FLAG_ACCUMULATE;
    other.out = padic_tensor_2d(PADIC_C64, single, N, 3);
    other.out.stride[0] = 7;
    other.out.stride[1] = 2;
    for (int i = 0; i < 400; i++) single[i] = (float)i;
    CHECK_EQ(padic_wave_gradient(NULL, &other), PADIC_OK);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 14; c++) {
            const int at = 14 * i + c, a = c / 4, written = c < 12 && c % 4 < 2;
            CHECK_NEAR(single[at], at + (written ? dense[i][a][c % 4] : 0), written ? 1e-5 : 0);
        }
    other = desc; // no point, no source
    other.field.points.shape[0] = other.out.shape[0] = 0;
    CHECK_EQ(padic_wave_gradient(NULL, &other), PADIC_OK);
    other = desc;
    other.field.sources.shape[0] = 0;
    other.field.amplitude.shape[0] = other.field.phase.shape[0] = 0;
    other.field.frequency.shape[0] = 0;
    other.out.data = wide;
    CHECK_EQ(padic_wave_gradient(NULL, &other), PADIC_OK);
    for (int i = 0; i < 6 * N; i++) CHECK(wide[i] == 0);
    other = desc; // a grid, two components of it
    memset(&other.field.points, 0, sizeof other.field.points);
    for (uint32_t a = 0; a < 3; a++) {
        other.field.grid.count[a] = (uint32_t)shape[a];
        other.field.grid.step[a] = .5;
        other.field.grid.origin[a] = -.3;
    }
    other.out = padic_tensor_nd(PADIC_C128, wide, 4, shape);
    CHECK_EQ(padic_wave_gradient(NULL, &other), PADIC_OK);
    for (int i = 0; i < 12; i++) {
        double at[3], gradient[3][2];
        padic_wave_gradient_desc listed = s2_desc(at, 1, gradient[0]);
        at[0] = -.3 + .5 * (i / 6);
        at[1] = -.3 + .5 * (i / 2 % 3);
        at[2] = -.3 + .5 * (i % 2);
        CHECK_EQ(padic_wave_gradient(NULL, &listed), PADIC_OK);
        for (int c = 0; c < 4; c++) CHECK_NEAR(wide[4 * i + c], gradient[c / 2][c % 2], 1e-14);
    }
}

TEST(workers)
{
    enum { N = 2003, M = 41 };
    static double points[N][3], sources[M][3], k[M], first[N][3][2], gradient[N][3][2], psi[N][2];
    static const uint32_t workers[3] = {1, 2, 7};
    for (int i = 0; i < 3 * N; i++) points[i / 3][i % 3] = uniform(-9, 9);
    for (int i = 0; i < 3 * M; i++) sources[i / 3][i % 3] = uniform(-9, 9);
    for (int i = 0; i < M; i++) k[i] = uniform(1, 9);
    memcpy(points[17], sources[5], sizeof points[17]);
    memcpy(points[1900], sources[5], sizeof points[17]);
    for (int i = 0; i < 3; i++) {
        padic_wave_gradient_desc desc = PADIC_ZERO;
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        padic_threads *threads = padic_threads_create(workers[i], NULL);
        padic_wave_superpose_report told = PADIC_ZERO;
        double other = 0;
        REQUIRE(threads != NULL);
        with.jobs = padic_threads_jobs(threads);
        REQUIRE(!padic_context_create(&with, &context));
        desc.field.points = padic_tensor_2d(PADIC_F64, points, N, 3);
        desc.field.sources = padic_tensor_2d(PADIC_F64, sources, M, 3);
        desc.field.wavenumber = padic_tensor_1d(PADIC_F64, k, M);
        desc.field.report = &told;
        desc.field.out = padic_tensor_1d(PADIC_C128, psi, N);
        desc.out = padic_tensor_2d(PADIC_C128, i ? gradient : first, N, 3);
        CHECK_EQ(padic_wave_gradient(context, &desc), PADIC_OK);
        CHECK_EQ(told.coincident, 2);
        CHECK_EQ(wave_error_bound(context, &desc.field, &other), PADIC_OK);
        CHECK(told.error_bound > 0 && told.error_bound == other);
        if (i) CHECK(!memcmp(gradient, first, sizeof first));
        padic_context_destroy(context);
        padic_threads_destroy(threads);
    }
}

static void refused(const padic_wave_gradient_desc *desc, padic_result result, const char *word)
{
    padic_context *context = NULL;
    REQUIRE(!padic_context_create(NULL, &context));
    CHECK_EQ(padic_wave_gradient(context, desc), result);
    if (!strstr(padic_context_message(context), word)) {
        printf("\n  %s: %s", word, padic_context_message(context));
        CHECK(0);
    }
    padic_context_destroy(context);
}

TEST(errors)
{
    double gradient[6] = {0}, psi[8] = {0}, point[3] = {1, 2, 3};
    const padic_wave_gradient_desc good = s2_desc(point, 1, gradient);
    padic_wave_gradient_desc desc;
    gradient[0] = psi[0] = 5;
    CHECK_EQ(padic_wave_gradient(NULL, NULL), PADIC_ERROR_ARGUMENT);
#define REFUSED(change, code, word) \
    desc = good;                    \
    change;                         \
    refused(&desc, code, word);     \
    CHECK(gradient[0] == 5 && psi[0] == 5)
    REFUSED(desc.out.dtype = PADIC_F64, PADIC_ERROR_DTYPE, "out");
    REFUSED(memset(&desc.out, 0, sizeof desc.out), PADIC_ERROR_DTYPE, "");
    REFUSED(desc.out = padic_tensor_1d(PADIC_C128, gradient, 1), PADIC_ERROR_MISMATCH, "last axis");
    REFUSED(desc.out = padic_tensor_nd(PADIC_C128, gradient, 0, NULL), PADIC_ERROR_MISMATCH, "out");
    REFUSED(desc.out.shape[0] = 2, PADIC_ERROR_MISMATCH, "shape");
    REFUSED(desc.out = padic_tensor_2d(PADIC_C128, psi, 1, 4), PADIC_ERROR_MISMATCH, "dimensions");
    REFUSED(desc.out.shape[1] = 0, PADIC_ERROR_MISMATCH, "component");
    REFUSED((desc.field.kernel = PADIC_WAVE_KERNEL_GREEN2, desc.field.points.shape[1] = 2,
             desc.field.sources.shape[1] = 2),
            PADIC_ERROR_MISMATCH, "dimensions");
    REFUSED((desc.field.kernel = PADIC_WAVE_KERNEL_GREEN2, desc.out.shape[1] = 2),
            PADIC_ERROR_MISMATCH,
            "dimensions");
    REFUSED(desc.field.output = PADIC_WAVE_OUTPUT_REAL, PADIC_ERROR_ARGUMENT, "output");
    REFUSED(desc.field.output = (padic_wave_output)9, PADIC_ERROR_ARGUMENT, "output");
    REFUSED(desc.field.out = padic_tensor_1d(PADIC_F64, psi, 1), PADIC_ERROR_DTYPE, "output");
    REFUSED(desc.field.out = padic_tensor_1d(PADIC_C128, psi, 2), PADIC_ERROR_MISMATCH, "out");
    REFUSED(desc.field.out = padic_tensor_1d(PADIC_C128, gradient, 1), PADIC_ERROR_OVERLAP, "");
    REFUSED(desc.field.points.data = gradient, PADIC_ERROR_OVERLAP, "");
    REFUSED(desc.field.kernel = (padic_wave_kernel)7, PADIC_ERROR_ARGUMENT, "kernel");
    REFUSED(desc.field.sign = (padic_wave_sign)3, PADIC_ERROR_ARGUMENT, "sign");
    REFUSED(desc.field.softening = (padic_wave_softening)6, PADIC_ERROR_ARGUMENT, "softening");
    REFUSED(desc.field.softening = PADIC_WAVE_SOFTENING_PLUMMER, PADIC_ERROR_ARGUMENT, "length");
    REFUSED((desc.field.softening = PADIC_WAVE_SOFTENING_SHELL, desc.field.kernel =
             PADIC_WAVE_KERNEL_SQRT),
            PADIC_ERROR_ARGUMENT, "softening");
    REFUSED(desc.field.length = -1, PADIC_ERROR_ARGUMENT, "length");
    REFUSED(desc.field.speed = -1, PADIC_ERROR_ARGUMENT, "speed");
    REFUSED(desc.field.time = NAN, PADIC_ERROR_NOT_FINITE, "time");
    REFUSED(desc.field.flags = 4, PADIC_ERROR_ARGUMENT, "flags");
    REFUSED(desc.field.tolerance = -1, PADIC_ERROR_TOLERANCE, "tolerance");
    REFUSED((desc.field.tolerance = 1e-8, desc.out.dtype = PADIC_C64), PADIC_ERROR_NOT_SUPPORTED,
            "tolerance");
    REFUSED(desc.field.grid.count[0] = 1, PADIC_ERROR_ARGUMENT, "both");
    REFUSED(memset(&desc.field.points, 0, sizeof desc.field.points), PADIC_ERROR_ARGUMENT,
            "neither");
    REFUSED(desc.field.sources.shape[1] = 4, PADIC_ERROR_MISMATCH, "sources");
    REFUSED(desc.field.phase.shape[0] = 1, PADIC_ERROR_MISMATCH, "phase");
    REFUSED(desc.field.phase.dtype = PADIC_I32, PADIC_ERROR_DTYPE, "phase");
    REFUSED(memset(&desc.field.frequency, 0, sizeof desc.field.frequency), PADIC_ERROR_ARGUMENT,
            "frequency");
    point[1] = INFINITY;
    REFUSED(desc.field.time = 0, PADIC_ERROR_NOT_FINITE, "points");
    point[1] = 2;
    desc = good;
    desc.field.kernel = PADIC_WAVE_KERNEL_GREEN1;
    desc.field.points.shape[1] = desc.field.sources.shape[1] = desc.out.shape[1] = 1;
    desc.field.wavenumber = padic_tensor_nd(PADIC_F64, s2_sources, 0, NULL); // 0
    refused(&desc, PADIC_ERROR_DOMAIN, "wavenumber");
    CHECK(gradient[0] == 5);
#undef REFUSED
}

TEST_MAIN("gradient", CASE(digits), CASE(one_and_two_dimensions), CASE(differences), CASE(shell),
          CASE(on_a_source), CASE(flux), CASE(aperture), CASE(shapes), CASE(workers), CASE(errors))
