// test_vortex.c: line vortices, phase gradients, windings and spheres: published digits, closed
// forms, an integrated condensate, identities, bad input.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include <math.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(test_random() >> 11) / 9007199254740992.0;
}

// ------------------------------------------------------------------------------------- vortices

static padic_wave_vortex_desc vortex_desc(double *points, uint64_t n, double *centres,
                                          double *charges, double *core, uint64_t v, double *psi)
{
    padic_wave_vortex_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, points, n, 3);
    desc.centres = padic_tensor_2d(PADIC_F64, centres, v, 3);
    desc.charges = padic_tensor_1d(PADIC_F64, charges, v);
    if (core) desc.cores = padic_tensor_nd(PADIC_F64, core, 0, NULL);
    desc.out = padic_tensor_1d(PADIC_C128, psi, n);
    return desc;
}

TEST(digits)
{
    static const struct {
        padic_wave_core core;
        double length, re, im;
    } rows[] = {{PADIC_WAVE_CORE_LEGACY, .1, 0.1920098525, 0.9813836905},
                {PADIC_WAVE_CORE_LEGACY, 1, 0.0692055717, 0.3537173664},
                {PADIC_WAVE_CORE_RATIONAL, .1, 0.1718107984, 0.8781440806},
                {PADIC_WAVE_CORE_RATIONAL, 1, 0.0074924671, 0.0382948318}};
    double at[3] = {.3, -.2, .5}, centres[2][3] = {{0, 0, 0}, {.1, .1, -.2}}, charges[2] = {1, -2};
    double psi[2], core;
    padic_wave_vortex_desc desc = vortex_desc(at, 1, centres[0], charges, &core, 2, psi);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        desc.core = rows[i].core;
        core = rows[i].length;
        CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
        CHECK_NEAR(psi[0], rows[i].re, 6e-11);
        CHECK_NEAR(psi[1], rows[i].im, 6e-11);
    }
    desc.core = PADIC_WAVE_CORE_LEGACY; // 0.1, which 0 and absent mean
    memset(&desc.cores, 0, sizeof desc.cores);
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], rows[0].re, 6e-11);
    desc.core = PADIC_WAVE_CORE_NONE; // angles only: 1 of the first, -2 of the second
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    const double angle = atan2(-.2, .3) - 2 * atan2(-.3, .2);
    CHECK_NEAR(psi[0], cos(angle), 1e-15);
    CHECK_NEAR(psi[1], sin(angle), 1e-15);
    at[0] = at[1] = 0; // on the axis
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], 0, 0);
    CHECK_NEAR(psi[1], 0, 0);
}

// f'' + f'/r - q^2 f/r^2 + f - f^3 = 0: slope r^q (1 + a r^2 + b r^4) to r = 0.1, then Runge and
// Kutta to `end`. Returns 1 where f rose above 1, -1 where it turned back, 0 if neither.
static int condensate(int q, double slope, double end, double step, double *values, int stride)
{
    const double a = -1 / (4.0 * (q + 1)), b = (-a + (q == 1 ? slope * slope : 0)) / (8 * q + 16);
    double r = .1, f, g, k[4][2];
    int i = (int)(r / step + .5);
    f = slope * pow(r, q) * (1 + a * r * r + b * r * r * r * r);
    g = slope * pow(r, q - 1) * (q + (q + 2) * a * r * r + (q + 4) * b * r * r * r * r);
    for (; r < end; r += step, i++) {
        if (values && i % stride == 0) values[i / stride] = f;
        if (f > 1) return 1;
        if (g < 0) return -1;
        for (int s = 0; s < 4; s++) {
            const double h = s == 0 ? 0 : s == 3 ? step : step / 2;
            const double y = f + (s ? h * k[s - 1][0] : 0), v = g + (s ? h * k[s - 1][1] : 0);
            const double x = r + h;
            k[s][0] = v;
            k[s][1] = -v / x + q * q * y / (x * x) - y + y * y * y;
        }
        f += step / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        g += step / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    }
    return 0;
}

TEST(condensate_core)
{
    static const double slopes[3] = {.5831895, .1530991, .0261834};
    static double values[161]; // at r = 0, 0.05, ..
    double at[3] = {0, 0, 0}, centre[3] = {0, 0, 0}, charge = 1, core = 1, psi[2], found = 0;
    double worst = 0;
    padic_wave_vortex_desc desc = vortex_desc(at, 1, centre, &charge, &core, 1, psi);
    for (int q = 3; q > 0; q--) { // the oracle: published slopes first
        double low = slopes[q - 1] * .99, high = slopes[q - 1] * 1.01;
        for (int i = 0; i < 60; i++) {
            found = (low + high) / 2;
            if (condensate(q, found, 30, 1e-3, NULL, 1) > 0) high = found;
            else low = found;
        }
        CHECK_NEAR(found, slopes[q - 1], 6e-8);
    }
    CHECK_EQ(condensate(1, found, 8.02, 1e-3, values, 50), 0);
    CHECK_NEAR(values[20], .5200517, 6e-8);
    CHECK_NEAR(values[40], .8049568, 6e-8);
    CHECK_NEAR(values[60], .9174811, 6e-8);
    desc.core = PADIC_WAVE_CORE_PADE;
    for (int i = 2; i <= 160; i++) {
        at[0] = i * .05;
        CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
        CHECK_NEAR(psi[1], 0, 0);
        if (fabs(psi[0] - values[i]) > worst) worst = fabs(psi[0] - values[i]);
    }
    CHECK(worst < 7.65e-3 && worst > 7.5e-3);
    at[0] = 1e-4;
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0] / 1e-4, slopes[0], 1e-6);
    at[0] = 1e5; // 1 - 1/2x
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR((1 - psi[0]) * 2e10, 1, 1e-5);
    at[0] = 1e100;
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], 1, 1e-15);
    desc.core = PADIC_WAVE_CORE_RATIONAL; // goes as r^|q| and to 1 - |q| xi^2/(2 rho^2)
    charge = -3;
    core = 2;
    at[0] = 0;
    at[1] = 1e-3;
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], 0, 1e-24);
    CHECK_NEAR(psi[1] / 1.25e-10, 1, 1e-6); // (-i)^3 = i
    at[1] = 2000;
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR((1 - psi[1]) / 1.5e-6, 1, 1e-5);
}

// A rotation by `angle` about a random axis, of rows of 3.
static void turn(const double axis[3], double angle, const double *from, double *to, int rows)
{
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < rows; i++, from += 3, to += 3) {
        const double along = axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2];
        for (int j = 0; j < 3; j++) {
            const int k = (j + 1) % 3, l = (j + 2) % 3;
            to[j] = c * from[j] + (1 - c) * along * axis[j] +
                    s * (axis[k] * from[l] - axis[l] * from[k]);
        }
    }
}

static void unit(double axis[3])
{
    double size = 0;
    for (int j = 0; j < 3; j++) axis[j] = uniform(-1, 1), size += axis[j] * axis[j];
    for (int j = 0; j < 3; j++) axis[j] /= sqrt(size);
}

TEST(symmetries)
{
    double points[40][3], turned[40][3], centres[3][3], axes[3][3], moved[2][3][3], by[3], core[3];
    double charges[3] = {2, -1, 3}, opposite[3] = {-2, 1, -3}, psi[80], again[80];
    for (int t = 0; t < 20; t++) {
        padic_wave_vortex_desc desc = vortex_desc(points[0], 40, centres[0], charges, NULL, 3, psi);
        for (int i = 0; i < 120; i++) points[i / 3][i % 3] = uniform(-2, 2);
        for (int i = 0; i < 9; i++) centres[i / 3][i % 3] = uniform(-1, 1);
        for (int i = 0; i < 3; i++) unit(axes[i]), core[i] = uniform(.1, 2);
        if (t == 0) axes[0][0] = 1, axes[0][1] = axes[0][2] = 0; // e1 from y
        if (t == 1) axes[0][0] = axes[0][1] = 0, axes[0][2] = -1;
        desc.core = t & 1 ? PADIC_WAVE_CORE_RATIONAL : PADIC_WAVE_CORE_NONE;
        desc.cores = padic_tensor_1d(PADIC_F64, core, 3);
        desc.axes = padic_tensor_2d(PADIC_F64, axes, 3, 3);
        CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
        desc.charges.data = opposite;
        desc.out.data = again;
        CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
        for (int i = 0; i < 40; i++) {
            CHECK_NEAR(psi[2 * i], again[2 * i], 1e-15);
            CHECK_NEAR(psi[2 * i + 1], -again[2 * i + 1], 1e-15);
        }
        unit(by); // all turned: the same up to one phase, that of the frames
        turn(by, 1.1, points[0], turned[0], 40);
        turn(by, 1.1, centres[0], moved[0][0], 3);
        turn(by, 1.1, axes[0], moved[1][0], 3);
        desc.charges.data = charges;
        desc.points.data = turned;
        desc.centres.data = moved[0];
        desc.axes.data = moved[1];
        CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
        for (int i = 1; i < 40; i++) { // psi_i conj psi_0 of both
            const double re = psi[2 * i] * psi[0] + psi[2 * i + 1] * psi[1];
            const double im = psi[2 * i + 1] * psi[0] - psi[2 * i] * psi[1];
            CHECK_NEAR(again[2 * i] * again[0] + again[2 * i + 1] * again[1], re, 1e-13);
            CHECK_NEAR(again[2 * i + 1] * again[0] - again[2 * i] * again[1], im, 1e-13);
        }
    }
}

// |psi| vanishes on the line and nowhere else: the frame is right-handed about a tilted axis.
TEST(handed)
{
    double centre[3] = {.2, -.1, .3}, axis[3], psi[128], points[64][3], core = .5, charge = 1;
    for (int t = 0; t < 10; t++) {
        double out[3], sum = 0;
        padic_wave_vortex_desc desc = vortex_desc(points[0], 64, centre, &charge, &core, 1, psi);
        unit(axis);
        unit(out);
        const double along = out[0] * axis[0] + out[1] * axis[1] + out[2] * axis[2];
        for (int j = 0; j < 3; j++) out[j] -= along * axis[j];
        for (int i = 0; i < 64; i++) { // once around, counter-clockwise seen from the tip
            turn(axis, 2 * M_PI * i / 64, out, points[i], 1);
            for (int j = 0; j < 3; j++) points[i][j] += centre[j] + (i % 7) * axis[j];
        }
        desc.axes = padic_tensor_2d(PADIC_F64, axis, 1, 3);
        CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
        for (int i = 0; i < 64; i++) {
            const double *a = psi + 2 * i, *b = psi + 2 * ((i + 1) % 64);
            sum += atan2(b[1] * a[0] - b[0] * a[1], b[0] * a[0] + b[1] * a[1]);
            CHECK_NEAR(a[0] * a[0] + a[1] * a[1], psi[0] * psi[0] + psi[1] * psi[1], 1e-14);
        }
        CHECK_NEAR(sum, 2 * M_PI, 1e-12);
    }
}

// Onto a field, on a grid, to f32, to pixels, by threads: the same as one point after the other.
TEST(forms)
{
    static float psi[37 * 41 * 2], out[37 * 41 * 2], again[37 * 41 * 2];
    static double exact[37 * 41 * 2], points[37 * 41][2];
    static uint8_t pixels[37 * 41][4];
    double centres[20][2], charges[20], core = .4;
    padic_wave_vortex_report told = PADIC_ZERO;
    padic_threads *threads = padic_threads_create(3, NULL);
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_wave_vortex_desc desc = PADIC_ZERO;
    for (int i = 0; i < 37 * 41 * 2; i++) psi[i] = (float)uniform(-1, 1);
    for (int i = 0; i < 37 * 41; i++) {
        points[i][0] = -2 + .1 * (i / 41);
        points[i][1] = .1 * (i % 41);
    }
    for (int i = 0; i < 20; i++) {
        centres[i][0] = uniform(-2, 2);
        centres[i][1] = uniform(0, 4);
        charges[i] = (double)(test_random() % 5) - 2;
    }
    desc.grid.count[0] = 37;
    desc.grid.count[1] = 41;
    desc.grid.origin[0] = -2;
    desc.grid.step[0] = desc.grid.step[1] = .1;
    desc.centres = padic_tensor_2d(PADIC_F64, centres, 20, 2);
    desc.charges = padic_tensor_1d(PADIC_F64, charges, 20);
    desc.cores = padic_tensor_nd(PADIC_F64, &core, 0, NULL);
    desc.psi = padic_tensor_2d(PADIC_C64, psi, 37, 41);
    desc.out = padic_tensor_2d(PADIC_C64, out, 37, 41);
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    with.jobs = padic_threads_jobs(threads);
    CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
    desc.out.data = again;
    CHECK_EQ(padic_wave_vortex(context, &desc), PADIC_OK);
    CHECK(!memcmp(out, again, sizeof out));
    memset(&desc.grid, 0, sizeof desc.grid); // by points, one vortex at a time, in f64
    desc.points = padic_tensor_2d(PADIC_F64, points, 37 * 41, 2);
    desc.psi = padic_tensor_1d(PADIC_C64, psi, 37 * 41);
    desc.out = padic_tensor_1d(PADIC_C128, exact, 37 * 41);
    for (int v = 0; v < 20; v++) {
        static double step[37 * 41 * 2];
        desc.centres = padic_tensor_2d(PADIC_F64, centres[v], 1, 2);
        desc.charges = padic_tensor_nd(PADIC_F64, &charges[v], 0, NULL);
        CHECK_EQ(padic_wave_vortex(context, &desc), PADIC_OK);
        memcpy(step, exact, sizeof step);
        desc.psi = padic_tensor_1d(PADIC_C128, step, 37 * 41);
    }
    for (int i = 0; i < 37 * 41 * 2; i++)
        CHECK_NEAR(out[i], exact[i], 6e-8 * fabs(exact[i]) + 1e-15);
    // pixels: the hue of a lone vortex along x is red, seen from the other side cyan
    memset(&desc, 0, sizeof desc);
    desc.grid.count[0] = 37;
    desc.grid.count[1] = 41;
    desc.grid.origin[0] = -18;
    desc.grid.origin[1] = -20;
    desc.grid.step[0] = desc.grid.step[1] = 1;
    centres[0][0] = centres[0][1] = 0;
    desc.centres = padic_tensor_2d(PADIC_F64, centres, 1, 2);
    desc.core = PADIC_WAVE_CORE_NONE;
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    desc.tone.map = PADIC_WAVE_MAP_HUE;
    desc.report = &told;
    desc.out = padic_tensor_3d(PADIC_U8, pixels, 37, 41, 4);
    CHECK_EQ(padic_wave_vortex(context, &desc), PADIC_OK);
    CHECK(!memcmp(pixels[30 * 41 + 20], "\xff\0\0\xff", 4));
    CHECK(!memcmp(pixels[3 * 41 + 20], "\0\xff\xff\xff", 4));
    CHECK(!memcmp(pixels[18 * 41 + 20], "\0\0\0\xff", 4));
    CHECK_NEAR(told.smallest, 0, 0);
    CHECK_NEAR(told.largest, 1, 1e-15);
    desc.centres.shape[0] = 0; // no vortex: 1 everywhere
    CHECK_EQ(padic_wave_vortex(context, &desc), PADIC_OK);
    CHECK(!memcmp(pixels[18 * 41 + 20], "\xff\0\0\xff", 4));
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

// ------------------------------------------------------------------------------- phase gradient

TEST(gradient_digits)
{
    static const double phase[4] = {2.8, 3.1, -2.9, -2.5};
    static const double nodes[4] = {.3, .2915926536, .3415926536, .4};
    static const double links[3] = {.3, .2831853072, .4}, legacy[4] = {.3, -2.85, -2.8, .4};
    double psi[8], out[4];
    padic_wave_phase_gradient_desc desc = PADIC_ZERO;
    for (int i = 0; i < 4; i++) psi[2 * i] = 2 * cos(phase[i]), psi[2 * i + 1] = 2 * sin(phase[i]);
    desc.psi = padic_tensor_1d(PADIC_C128, psi, 4);
    desc.out = padic_tensor_2d(PADIC_F64, out, 4, 1);
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i], nodes[i], 6e-11);
    desc.method = PADIC_WAVE_PHASE_LEGACY;
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i], legacy[i], 1e-14);
    desc.method = PADIC_WAVE_PHASE_CURRENT;
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
    CHECK_NEAR(out[1], .2874678524, 6e-11);
    CHECK_NEAR(out[2], .3344169203, 6e-11);
    CHECK_NEAR(out[0], sin(.3), 1e-15);
    desc.method = PADIC_WAVE_PHASE_LINKS; // of two points both nodes take the link
    for (int i = 0; i < 3; i++) {
        desc.psi = padic_tensor_1d(PADIC_C128, psi + 2 * i, 2);
        desc.out = padic_tensor_2d(PADIC_F64, out, 2, 1);
        CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
        CHECK_NEAR(out[0], links[i], 6e-11);
        CHECK_NEAR(out[1], links[i], 6e-11);
    }
}

TEST(plane_waves)
{
    enum { A = 12, B = 10, C = 14 };
    static double psi[A * B * C * 2], out[A * B * C * 3];
    static float single[A * B * C * 2];
    const double step[3] = {.5, .25, 2}, scale = 1.7;
    padic_threads *threads = padic_threads_create(2, NULL);
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    with.jobs = padic_threads_jobs(threads);
    CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
    for (int t = 0; t < 12; t++) { // k step up to 3.1; half of them fit the box, which is periodic
        padic_wave_phase_gradient_desc desc = PADIC_ZERO;
        const int n[3] = {A, B, C};
        double turns[3];
        padic_wave_phase_gradient_report told = {99};
        for (int a = 0; a < 3; a++) {
            turns[a] = uniform(-3.1, 3.1);
            if (t & 1) turns[a] = 2 * M_PI / n[a] * (int)(turns[a] * n[a] / (2 * M_PI));
            desc.step[a] = step[a];
        }
        for (int i = 0; i < A * B * C; i++) {
            const double p = turns[0] * (i / C / B) + turns[1] * (i / C % B) + turns[2] * (i % C);
            psi[2 * i] = 3 * cos(p);
            psi[2 * i + 1] = 3 * sin(p);
            single[2 * i] = (float)psi[2 * i];
            single[2 * i + 1] = (float)psi[2 * i + 1];
        }
        desc.psi = padic_tensor_3d(PADIC_C128, psi, A, B, C);
        if (t % 3 == 2) desc.psi = padic_tensor_3d(PADIC_C64, single, A, B, C);
        desc.out = padic_tensor_nd(PADIC_F64, out, 4, desc.psi.shape);
        desc.out.shape[3] = 3;
        desc.scale = scale;
        desc.periodic = t & 1 ? 7 : 0;
        desc.report = &told;
        for (int m = 0; m < 2; m++) {
            desc.method = m ? PADIC_WAVE_PHASE_CURRENT : PADIC_WAVE_PHASE_LINKS;
            CHECK_EQ(padic_wave_phase_gradient(context, &desc), PADIC_OK);
            for (int i = 0; i < A * B * C * 3; i++)
                CHECK_NEAR(out[i],
                           scale * (m ? sin(turns[i % 3]) : turns[i % 3]) / step[i % 3],
                           t % 3 == 2 ? 5e-6 : 1e-12);
            CHECK_EQ(told.skipped, 0);
        }
    }
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

TEST(gradient_steps)
{ // slope/step is beyond F64, or nearly 0; scale brings it back
    static const double steps[] = {5e-324, 1e-310, 1e-200, 1e200, 1e308};
    for (int t = 0; t < 20; t++) {
        float single[6] = {1, 0, (float)cos(.1), (float)sin(.1), (float)cos(.2), (float)sin(.2)};
        double psi[6] = {1, 0, cos(.1), sin(.1), cos(.2), sin(.2)}, out[3];
        padic_wave_phase_gradient_desc desc = PADIC_ZERO;
        const double step = steps[t / 4];
        desc.psi = padic_tensor_1d(t & 1 ? PADIC_C64 : PADIC_C128, t & 1 ? single : (void *)psi, 3);
        desc.out = padic_tensor_2d(PADIC_F64, out, 3, 1);
        desc.method = t & 2 ? PADIC_WAVE_PHASE_CURRENT : PADIC_WAVE_PHASE_LINKS;
        desc.step[0] = step;
        desc.scale = step * 3 > 1e300 ? 1e308 : step * 1048576;
        CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(out[i] * (step / desc.scale), t & 2 ? sin(.1) : .1, 1e-7);
    }
}

TEST(gradient_floor)
{
    double psi[10] = {1, 0, 0, 0, 0, .1, 0, 1, -1, 0};
    float out[10];
    padic_wave_phase_gradient_report told = PADIC_ZERO;
    padic_wave_phase_gradient_desc desc = PADIC_ZERO;
    desc.psi = padic_tensor_1d(PADIC_C128, psi, 5);
    desc.out = padic_tensor_2d(PADIC_F32, out, 5, 1);
    desc.out.stride[0] = 2;
    desc.out.stride[1] = 1;
    desc.report = &told;
    out[1] = 7;
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
    CHECK_EQ(told.skipped, 1);
    CHECK(out[1] == 7 && out[2] == 0);
    CHECK_NEAR(out[6], M_PI / 4, 1e-7); // 0 and a quarter turn
    desc.floor = .02;
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
    CHECK_EQ(told.skipped, 2);
    CHECK(out[4] == 0);
    desc.psi.stride[0] = -1; // backwards
    desc.psi.data = psi + 8;
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), PADIC_OK);
    CHECK_NEAR(out[0], -M_PI / 2, 1e-7);
}

// -------------------------------------------------------------------------------------- winding

// What the arctangent says of a closed polygon of n samples: the sum of wrapped differences.
static int wrapped(const double *const *z, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double *a = z[i], *b = z[(i + 1) % n];
        double d = atan2(b[1], b[0]) - atan2(a[1], a[0]);
        if (d > M_PI) d -= 2 * M_PI;
        if (d < -M_PI) d += 2 * M_PI;
        sum += d;
    }
    return (int)floor(sum / (2 * M_PI) + .5);
}

// The same around points [a, c] x [b, d] of a field with n columns.
static int boundary(const double *psi, int n, int a, int b, int c, int d)
{
    static const double *z[4096];
    int count = 0, i;
    for (i = a; i < c; i++) z[count++] = psi + 2 * (i * n + b);
    for (i = b; i < d; i++) z[count++] = psi + 2 * (c * n + i);
    for (i = c; i > a; i--) z[count++] = psi + 2 * (i * n + d);
    for (i = d; i > b; i--) z[count++] = psi + 2 * (a * n + i);
    return wrapped(z, count);
}

TEST(charges)
{
    static double psi[256 * 2];
    int8_t map[256];
    for (int q = -3; q <= 3; q++)
        for (int place = 0; place < 12; place++) {
            double centre[2] = {7.5, 7.5}, charge = q, core = .8;
            padic_wave_winding_report told;
            int64_t list[8][3];
            padic_wave_vortex_desc vortex = PADIC_ZERO;
            padic_wave_winding_desc desc = PADIC_ZERO;
            if (place) centre[0] = uniform(5.1, 9.9), centre[1] = uniform(5.1, 9.9);
            vortex.grid.count[0] = vortex.grid.count[1] = 16;
            vortex.grid.step[0] = vortex.grid.step[1] = 1;
            vortex.centres = padic_tensor_2d(PADIC_F64, centre, 1, 2);
            vortex.charges = padic_tensor_1d(PADIC_F64, &charge, 1);
            vortex.cores = padic_tensor_1d(PADIC_F64, &core, 1);
            vortex.out = padic_tensor_2d(PADIC_C128, psi, 16, 16);
            CHECK_EQ(padic_wave_vortex(NULL, &vortex), PADIC_OK);
            desc.psi = padic_tensor_2d(PADIC_C128, psi, 16, 16);
            desc.map = padic_tensor_2d(PADIC_I8, map, 16, 16);
            desc.report = &told;
            desc.defects = padic_tensor_2d(PADIC_I64, list, 8, 3);
            CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
            CHECK_EQ(told.total[2], q);
            CHECK_EQ(told.total[0] | told.total[1], 0);
            CHECK_EQ(boundary(psi, 16, 0, 0, 15, 15), q);
            CHECK_EQ(told.undefined, 0);
            CHECK(told.absolute <= 8);
            for (uint64_t i = 0; i < told.absolute; i++) {
                CHECK_EQ(map[list[i][0]], list[i][2]);
                CHECK_EQ(list[i][1], 2);
                if (i) CHECK(list[i][0] > list[i - 1][0]);
            }
            if (q == 3 && !place) { // +1, +1, -1, +1, +1
                static const uint64_t at[5] = {6 * 16 + 7, 7 * 16 + 6, 7 * 16 + 7, 7 * 16 + 8,
                                               8 * 16 + 7};
                CHECK_EQ(told.absolute, 5);
                for (int i = 0; i < 5; i++) {
                    CHECK_EQ(list[i][0], at[i]);
                    CHECK_EQ(list[i][2], i == 2 ? -1 : 1);
                }
                desc.defects.shape[0] = 2; // the rest is not written
                list[2][2] = 77;
                CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
                CHECK_EQ(told.absolute, 5);
                CHECK_EQ(list[2][2], 77);
            }
        }
}

// 2e5 random squares, and the boundaries of random regions.
TEST(random_squares)
{
    enum { N = 450 };
    static double psi[N * N * 2];
    static float single[N * N * 2];
    static int8_t map[N * N], again[N * N];
    padic_wave_winding_report told;
    int64_t sum = 0;
    padic_threads *threads = padic_threads_create(3, NULL);
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_wave_winding_desc desc = PADIC_ZERO;
    int i, j, ones = 0;
    with.jobs = padic_threads_jobs(threads);
    CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
    for (i = 0; i < N * N * 2; i++) psi[i] = (double)(single[i] = (float)uniform(-1, 1));
    desc.psi = padic_tensor_2d(PADIC_C128, psi, N, N);
    desc.map = padic_tensor_2d(PADIC_I8, map, N, N);
    desc.report = &told;
    CHECK_EQ(padic_wave_winding(context, &desc), PADIC_OK);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            const int n = i + 1 < N && j + 1 < N ? boundary(psi, N, i, j, i + 1, j + 1) : 0;
            CHECK_EQ(map[i * N + j], n);
            sum += n;
            ones += n != 0;
        }
    CHECK_EQ(told.total[2], sum);
    CHECK_EQ(told.absolute, ones);
    CHECK_EQ(told.undefined, 0);
    CHECK(ones > N * N / 4); // a third of random squares
    for (int t = 0; t < 200; t++) {
        const int a = (int)(test_random() % (N - 1)), b = (int)(test_random() % (N - 1));
        const int c = a + 1 + (int)(test_random() % (uint64_t)(N - 1 - a));
        const int d = b + 1 + (int)(test_random() % (uint64_t)(N - 1 - b));
        int region = 0;
        for (i = a; i < c; i++)
            for (j = b; j < d; j++) region += map[i * N + j];
        CHECK_EQ(region, boundary(psi, N, a, b, c, d));
    }
    desc.psi = padic_tensor_2d(PADIC_C64, single, N, N); // the same numbers, no threads
    desc.map.data = again;
    CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
    CHECK(!memcmp(map, again, sizeof map));
    for (i = 0; i < N * N * 2; i++) psi[i] *= i & 1 ? 1e-305 : 1e300; // im far below re
    desc.psi = padic_tensor_2d(PADIC_C128, psi, N, N);
    CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
    CHECK(!memcmp(map, again, sizeof map)); // a stretch changes no winding
    desc.periodic = 3; // a torus has no boundary
    CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
    CHECK_EQ(told.total[2], 0);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

// Small integers: many links through 0, along the axis, and zeros. Every closed surface has charge
// 0, and every region that of its boundary, which squares of the opposite sense give.
TEST(closed_surfaces)
{
    enum { N = 12 };
    static float psi[N * N * N * 2];
    static int8_t map[3][N][N][N];
    const uint64_t shape[4] = {3, N, N, N};
    for (int zeros = 0; zeros < 2; zeros++) {
        padic_wave_winding_report told;
        uint64_t seen = 0;
        padic_wave_winding_desc desc = PADIC_ZERO;
        for (int i = 0; i < N * N * N; i++)
            do {
                psi[2 * i] = (float)(test_random() % 5) - 2;
                psi[2 * i + 1] = (float)(test_random() % 5) - 2;
            } while (!zeros && psi[2 * i] == 0 && psi[2 * i + 1] == 0);
        desc.psi = padic_tensor_3d(PADIC_C64, psi, N, N, N);
        desc.map = padic_tensor_nd(PADIC_I8, map, 4, shape);
        desc.periodic = 7;
        desc.report = &told;
        CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
        for (int i = 0; i < N * N * N; i++) {
            const int x = i / N / N, y = i / N % N, z = i % N;
            const int faces[6] = {map[0][x][y][z],           map[0][(x + 1) % N][y][z],
                                  map[1][x][y][z],           map[1][x][(y + 1) % N][z],
                                  map[2][x][y][z],           map[2][x][y][(z + 1) % N]};
            int sum = 0, whole = 1;
            for (int f = 0; f < 6; f++) {
                sum += f & 1 ? faces[f] : -faces[f];
                whole = whole && faces[f] != -128;
            }
            for (int f = 0; f < 6; f += 2) seen += faces[f] == -128;
            if (whole) CHECK_EQ(sum, 0);
        }
        CHECK_EQ(seen, told.undefined);
        CHECK_EQ(seen > 0, zeros);
        if (!zeros) CHECK(told.total[0] == 0 && told.total[1] == 0 && told.total[2] == 0);
    }
}

// Links that all but pass through 0: products that round to the same f64.
TEST(close_calls)
{
    const double n = 4503599627370496.0; // 2^52
    static const int powers[3] = {0, -1000, 900};
    for (int s = 0; s < 6; s++) {
        const int way = s & 1;
        // a above right, b below left; re1 im2 - re2 im1 is 1 or -1 (times a square)
        double psi[2][2][2] = {{{n + 1, n}, {1, -.5}}, {{-n, -(n - 1)}, {1, -1}}};
        int8_t map[4];
        padic_wave_winding_desc desc = PADIC_ZERO;
        if (way) {
            psi[0][0][0] = n;
            psi[0][0][1] = n - 1;
            psi[1][0][0] = -(n + 1);
            psi[1][0][1] = -n;
        }
        for (int i = 0; i < 8; i++)
            psi[i / 4][i / 2 % 2][i % 2] = ldexp(psi[i / 4][i / 2 % 2][i % 2], powers[s / 2]);
        desc.psi = padic_tensor_2d(PADIC_C128, psi, 2, 2);
        desc.map = padic_tensor_2d(PADIC_I8, map, 2, 2);
        CHECK_EQ(padic_wave_winding(NULL, &desc), PADIC_OK);
        CHECK_EQ(map[0], way ? 0 : 1);
    }
}

// --------------------------------------------------------------------------------------- sphere

TEST(lattice)
{
    static const double digits[3][3] = {{.0600784412, .0196616606, .998},
                                        {-.0303507826, -.1050848705, .994},
                                        {-.0819834520, .1147985784, .990}};
    static double at[500][3];
    static float single[500][3];
    padic_wave_lattice_report told = PADIC_ZERO;
    double sum[3] = {0, 0, 0};
    padic_wave_lattice_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(PADIC_F64, at, 500, 3);
    desc.turns = 5;
    desc.report = &told;
    CHECK_EQ(padic_wave_lattice(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 9; i++) CHECK_NEAR(at[i / 3][i % 3], digits[i / 3][i % 3], 6e-11);
    CHECK_NEAR(told.weight, 4 * M_PI / 500, 1e-16);
    for (int i = 0; i < 500; i++) {
        CHECK_NEAR(at[i][0] * at[i][0] + at[i][1] * at[i][1] + at[i][2] * at[i][2], 1, 1e-15);
        for (int j = 0; j < 3; j++) sum[j] += at[i][j];
    }
    for (int j = 0; j < 3; j++) CHECK_NEAR(sum[j] / 500, 0, 2e-3);
    desc.radius = 2;
    desc.centre[1] = 10;
    desc.offset = M_PI / 2;
    desc.out = padic_tensor_2d(PADIC_F32, single, 500, 3);
    CHECK_EQ(padic_wave_lattice(NULL, &desc), PADIC_OK);
    CHECK_NEAR(told.weight, 16 * M_PI / 500, 1e-15);
    CHECK_NEAR(single[1][0], 2 * .1050848705, 1e-7);
    CHECK_NEAR(single[1][1], 10 - 2 * .0303507826, 1e-6);
    desc.out.shape[0] = 0;
    CHECK_EQ(padic_wave_lattice(NULL, &desc), PADIC_OK);
}

// A shell of sources: the field inside is that of a sphere, to the lattice's error.
TEST(sphere_of_sources)
{
    static double at[8000][3];
    static const double expected[2][3] = {{7.0e-5, 9.7e-6, 8.5e-7}, {7.8e-5, 7.6e-6, 6.5e-7}};
    static const uint64_t sizes[3] = {500, 2000, 8000};
    double points[7][3], psi[14], k = 2 * M_PI;
    for (int i = 0; i < 7; i++) {
        points[i][0] = .06 * i;
        points[i][1] = .048 * i;
        points[i][2] = .064 * i;
    }
    for (int t = 0; t < 6; t++) {
        const uint64_t n = sizes[t % 3];
        padic_wave_lattice_desc lattice = PADIC_ZERO;
        padic_wave_superpose_desc desc = PADIC_ZERO;
        double worst = 0;
        lattice.turns = t / 3 * 5;
        lattice.out = padic_tensor_2d(PADIC_F64, at, n, 3);
        CHECK_EQ(padic_wave_lattice(NULL, &lattice), PADIC_OK);
        desc.points = padic_tensor_2d(PADIC_F64, points, 7, 3);
        desc.sources = padic_tensor_2d(PADIC_F64, at, n, 3);
        desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
        desc.out = padic_tensor_1d(PADIC_C128, psi, 7);
        CHECK_EQ(padic_wave_superpose(NULL, &desc), PADIC_OK);
        for (int i = 0; i < 7; i++) {
            const double x = k * .1 * i, re = psi[2 * i] / (double)n - (i ? sin(x) / x : 1);
            const double im = psi[2 * i + 1] / (double)n;
            const double off = sqrt(re * re + im * im);
            if (off > worst) worst = off;
            if (!i) CHECK_NEAR(off, 0, 1e-13);
        }
        CHECK_NEAR(worst / expected[t / 3][t % 3], 1, .01);
    }
}

// ---------------------------------------------------------------------------------------- errors

TEST(vortex_errors)
{
    double at[3] = {1, 0, 0}, centre[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, charge = 1, core = 1;
    double psi[2] = {5, 5};
    const padic_wave_vortex_desc good = vortex_desc(at, 1, centre, &charge, &core, 1, psi);
    padic_wave_vortex_desc desc;
    CHECK_EQ(padic_wave_vortex(NULL, NULL), PADIC_ERROR_ARGUMENT);
#define REFUSED(change, code)                            \
    desc = good;                                         \
    psi[0] = 5;                                          \
    change;                                              \
    CHECK_EQ(padic_wave_vortex(NULL, &desc), code);      \
    CHECK_NEAR(psi[0], 5, 0)
    REFUSED(desc.core = (padic_wave_core)4, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.output = (padic_wave_output)6, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.flags = 1, PADIC_ERROR_ARGUMENT); // ACCUMULATE
    REFUSED(desc.grid.count[0] = 1, PADIC_ERROR_ARGUMENT);
    REFUSED(memset(&desc.points, 0, sizeof desc.points), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.out.shape[0] = 2, PADIC_ERROR_MISMATCH);
    REFUSED(desc.out.dtype = PADIC_F64, PADIC_ERROR_DTYPE);
    REFUSED(desc.centres.shape[1] = 4, PADIC_ERROR_MISMATCH);
    REFUSED(memset(&desc.centres, 0, sizeof desc.centres), PADIC_ERROR_MISMATCH);
    REFUSED(desc.charges = padic_tensor_1d(PADIC_F64, &charge, 2), PADIC_ERROR_MISMATCH);
    REFUSED(desc.cores.dtype = PADIC_I32, PADIC_ERROR_DTYPE);
    REFUSED(memset(&desc.cores, 0, sizeof desc.cores), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.axes = padic_tensor_2d(PADIC_F64, axis, 1, 2), PADIC_ERROR_MISMATCH);
    REFUSED(desc.axes = padic_tensor_2d(PADIC_F64, axis, 1, 3);
            desc.core = PADIC_WAVE_CORE_LEGACY, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.psi = padic_tensor_1d(PADIC_F64, at, 1), PADIC_ERROR_DTYPE);
    REFUSED(desc.psi = padic_tensor_2d(PADIC_C128, at, 1, 1), PADIC_ERROR_MISMATCH);
    REFUSED(desc.psi = desc.out, PADIC_ERROR_OVERLAP);
    charge = 1.5;
    REFUSED(desc.flags = 0, PADIC_ERROR_ARGUMENT);
    desc.core = PADIC_WAVE_CORE_LEGACY; // where it is a number
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    charge = 65;
    REFUSED(desc.flags = 0, PADIC_ERROR_ARGUMENT);
    charge = NAN;
    REFUSED(desc.core = PADIC_WAVE_CORE_LEGACY, PADIC_ERROR_ARGUMENT);
    charge = 2;
    REFUSED(desc.core = PADIC_WAVE_CORE_PADE, PADIC_ERROR_ARGUMENT);
    charge = 1;
    core = -1;
    REFUSED(desc.flags = 0, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.core = PADIC_WAVE_CORE_LEGACY, PADIC_ERROR_ARGUMENT);
    core = 1;
    axis[2] = 1.002;
    REFUSED(desc.axes = padic_tensor_2d(PADIC_F64, axis, 1, 3), PADIC_ERROR_ARGUMENT);
    axis[2] = 1.0005;
    CHECK_EQ(padic_wave_vortex(NULL, &desc), PADIC_OK);
    CHECK_NEAR(psi[0], sqrt(.5), 1e-15);
    at[1] = INFINITY;
    REFUSED(desc.flags = 0, PADIC_ERROR_NOT_FINITE);
    at[1] = 0;
    centre[1] = NAN;
    REFUSED(desc.flags = 0, PADIC_ERROR_NOT_FINITE);
#undef REFUSED
}

TEST(grid_errors)
{
    double psi[8] = {1, 0, 1, 0, 1, 0, 1, 0}, out[8] = {5};
    int8_t map[4] = {9};
    int64_t list[12];
    padic_wave_phase_gradient_desc good = PADIC_ZERO, desc;
    padic_wave_winding_desc whole = PADIC_ZERO, other;
    good.psi = padic_tensor_2d(PADIC_C128, psi, 2, 2);
    good.out = padic_tensor_3d(PADIC_F64, out, 2, 2, 2);
#define REFUSED(change, code)                                      \
    desc = good;                                                   \
    change;                                                        \
    CHECK_EQ(padic_wave_phase_gradient(NULL, &desc), code);        \
    CHECK_NEAR(out[0], 5, 0)
    REFUSED(desc.method = (padic_wave_phase_method)3, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.psi.dtype = PADIC_F64, PADIC_ERROR_DTYPE);
    REFUSED(desc.out.dtype = PADIC_C64, PADIC_ERROR_DTYPE);
    REFUSED(desc.out.shape[2] = 1, PADIC_ERROR_MISMATCH);
    REFUSED(desc.out = padic_tensor_2d(PADIC_F64, out, 2, 2), PADIC_ERROR_MISMATCH);
    REFUSED(desc.psi = padic_tensor_nd(PADIC_C128, psi, 0, NULL), PADIC_ERROR_MISMATCH);
    REFUSED(desc.periodic = 4, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.step[1] = -1, PADIC_ERROR_ARGUMENT);
    REFUSED((desc.step[1] = 2, desc.method = PADIC_WAVE_PHASE_LEGACY), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.scale = INFINITY, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.floor = NAN, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.out.data = psi, PADIC_ERROR_OVERLAP);
#undef REFUSED
    whole.psi = good.psi;
    whole.map = padic_tensor_2d(PADIC_I8, map, 2, 2);
    whole.defects = padic_tensor_2d(PADIC_I64, list, 4, 3);
#define REFUSED(change, code)                            \
    other = whole;                                       \
    change;                                              \
    CHECK_EQ(padic_wave_winding(NULL, &other), code);    \
    CHECK_EQ(map[0], 9)
    REFUSED(other.psi.dtype = PADIC_F32, PADIC_ERROR_DTYPE);
    REFUSED(other.psi = padic_tensor_1d(PADIC_C128, psi, 2), PADIC_ERROR_MISMATCH);
    REFUSED(other.map.dtype = PADIC_U8, PADIC_ERROR_DTYPE);
    REFUSED(other.map.shape[0] = 1, PADIC_ERROR_MISMATCH);
    REFUSED(other.periodic = 8, PADIC_ERROR_ARGUMENT);
    REFUSED(other.defects.data = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED(other.defects.dtype = PADIC_U64, PADIC_ERROR_DTYPE);
    REFUSED(other.defects = padic_tensor_2d(PADIC_I64, list, 6, 2), PADIC_ERROR_MISMATCH);
    REFUSED((other.defects.shape[0] = 2, other.defects.stride[0] = 4, other.defects.stride[1] = 1),
            PADIC_ERROR_ARGUMENT);
    REFUSED(other.defects.data = psi, PADIC_ERROR_OVERLAP);
#undef REFUSED
    psi[2] = NAN; // data, not a desc
    CHECK_EQ(padic_wave_winding(NULL, &whole), PADIC_OK);
    CHECK_EQ(map[0], -128);
    CHECK_EQ(map[1], 0);
}

TEST(lattice_errors)
{
    double at[3] = {5, 5, 5};
    padic_wave_lattice_desc good = PADIC_ZERO, desc;
    good.out = padic_tensor_2d(PADIC_F64, at, 1, 3);
    CHECK_EQ(padic_wave_lattice(NULL, NULL), PADIC_ERROR_ARGUMENT);
#define REFUSED(change, code)                         \
    desc = good;                                      \
    change;                                           \
    CHECK_EQ(padic_wave_lattice(NULL, &desc), code);  \
    CHECK_NEAR(at[0], 5, 0)
    REFUSED(desc.out.dtype = PADIC_I32, PADIC_ERROR_DTYPE);
    REFUSED(desc.out.shape[1] = 2, PADIC_ERROR_MISMATCH);
    REFUSED(desc.out.data = NULL, PADIC_ERROR_NOT_SUPPORTED);
    REFUSED(desc.radius = -1, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.turns = INFINITY, PADIC_ERROR_NOT_FINITE);
#undef REFUSED
}

TEST_MAIN("vortex", CASE(digits), CASE(condensate_core), CASE(symmetries), CASE(handed),
          CASE(forms), CASE(gradient_digits), CASE(plane_waves), CASE(gradient_steps),
          CASE(gradient_floor), CASE(charges), CASE(random_squares), CASE(closed_surfaces),
          CASE(close_calls), CASE(lattice), CASE(sphere_of_sources), CASE(vortex_errors),
          CASE(grid_errors), CASE(lattice_errors))
