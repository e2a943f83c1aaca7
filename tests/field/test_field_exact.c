// test_field_exact.c: condensates against what is known in closed form and against the symmetries
// of the equation: plane waves, breathers, Kohn's theorem, rotating packets, boosts, gauges, walls,
// noise, and what a plan says that it does between records.
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double uniform(void)
{
    return (double)(test_random() >> 11) / 4503599627370496.0 - 1;
}

// One call of each kind; a plan of its own.
static padic_field_plan *plan_of(padic_context *context, const padic_field_plan_desc *desc)
{
    padic_field_plan *plan;
    CHECK_EQ(padic_field_plan_create(context, desc, &plan), 0);
    return plan;
}

static padic_result steps(padic_context *context, padic_field_plan *plan, padic_tensor psi,
                          uint64_t count)
{
    padic_field_step_desc step = PADIC_ZERO;
    step.plan = plan, step.psi = psi, step.count = count;
    return padic_field_step(context, &step);
}

static padic_field_record measured(padic_context *context, padic_field_plan *plan, padic_tensor psi)
{
    padic_field_record record;
    padic_field_measure_desc measure = PADIC_ZERO;
    memset(&record, 0, sizeof record);
    measure.plan = plan, measure.psi = psi, measure.report = &record;
    CHECK_EQ(padic_field_measure(context, &measure), 0);
    return record;
}

static padic_field_plan_desc line(uint64_t n, double length, double dt)
{
    padic_field_plan_desc d = PADIC_ZERO;
    d.dims = 1, d.shape[0] = n, d.spacing[0] = length / (double)n;
    d.dtype = PADIC_C128, d.dt = dt;
    return d;
}

static double far_apart(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
    return most;
}

// A e^{ikx} turns by (K k^2 + sum g A^(p - 2)) t; split steps are exact, others have a dispersion
// of their own.
TEST(plane_waves)
{
    enum { N = 40, STEPS = 25 };
    static double psi[N][2], want[N][2];
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_METHOD_CAYLEY2};
    for (int m = 0; m < 3; m++)
        for (int wave = -19; wave < 20; wave += 3) {
            padic_field_plan_desc d = line(N, 11, m == 2 ? 0.02 : 0.01);
            const double h = d.spacing[0], k = 2 * pi * wave / 11, amplitude = 0.8;
            d.method = methods[m];
            d.kinetic = 0.7;
            d.power[0].g = 1.5, d.power[1].g = -2, d.power[1].p = 5;
            const double u = 1.5 * pow(amplitude, 2) - 2 * pow(amplitude, 3);
            const double t = (int)STEPS * d.dt, s = 2 / h * sin(k * h / 2);
            const double angle =
                m == 2 ? u * t + 2 * STEPS * atan(d.dt * 0.7 * s * s / 2) : (0.7 * k * k + u) * t;
            for (int j = 0; j < N; j++) {
                const double x = (j - N / 2) * h;
                psi[j][0] = amplitude * cos(k * x), psi[j][1] = amplitude * sin(k * x);
                want[j][0] = amplitude * cos(k * x - angle),
                want[j][1] = amplitude * sin(k * x - angle);
            }
            padic_field_plan *plan = plan_of(NULL, &d);
            CHECK_EQ(steps(NULL, plan, padic_tensor_1d(PADIC_C128, psi, N), STEPS), 0);
            CHECK(far_apart(psi[0], want[0], 2 * N) < 3e-13);
            padic_field_plan_destroy(plan);
        }
}

// Akhmediev's breather, periodic in space: a wave of the modulational instability that grows out of
// a plane wave and sinks back into it. Errors of order 2 and 4.
static void breather(double t, double length, double (*psi)[2], int n)
{
    const double a = 0.25, b = sqrt(8 * a * (1 - 2 * a)), w = 2 * sqrt(1 - 2 * a);
    for (int j = 0; j < n; j++) {
        const double x = (j - n / 2) * length / n;
        const double q = sqrt(2 * a) * cos(w * x) - cosh(b * t);
        const double re = 1 + 2 * (1 - 2 * a) * cosh(b * t) / q, im = b * sinh(b * t) / q;
        psi[j][0] = re * cos(t) - im * sin(t);
        psi[j][1] = re * sin(t) + im * cos(t);
    }
}

TEST(breathers)
{
    enum { N = 40 };
    static double psi[N][2], want[N][2];
    static const uint32_t flags[] = {0, 0, PADIC_FIELD_YOSHIDA};
    static const double most[] = {1e-3, 4e-7, 3e-5};
    const double length = 2 * pi / (2 * sqrt(0.5));
    breather(2, length, want, N);
    for (int m = 0; m < 3; m++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            const int count = 250 << fine;
            padic_field_plan_desc d = line(N, length, 4.0 / count);
            d.method = m ? PADIC_FIELD_METHOD_SPLIT4 : PADIC_FIELD_METHOD_SPLIT2;
            d.flags = flags[m];
            d.power[0].g = -1;
            breather(-2, length, psi, N);
            padic_field_plan *plan = plan_of(NULL, &d);
            CHECK_EQ(steps(NULL, plan, padic_tensor_1d(PADIC_C128, psi, N), (uint64_t)count), 0);
            error[fine] = far_apart(psi[0], want[0], 2 * N);
            padic_field_plan_destroy(plan);
        }
        CHECK(error[1] < most[m]);
        CHECK_NEAR(log2(error[0] / error[1]), m ? 4 : 2, 0.2);
    }
}

// Kohn: the centre of any cloud with any interaction moves as one particle does, here by the same
// kicks and drifts, whatever its shape; along each axis with a frequency of its own.
TEST(kohn)
{
    enum { A = 24, B = 20, C = 18 };
    static double psi[A][B][C][2];
    padic_field_plan_desc d = PADIC_ZERO;
    const double omega[3] = {1, 1.3, 0.8}, offset[3] = {0.4, -0.3, 0.2}, speed[3] = {0.2, 0, -0.3};
    const int n[3] = {A, B, C};
    d.dims = 3, d.dtype = PADIC_C128, d.dt = 0.02;
    d.power[0].g = 4, d.power[1].g = -0.3, d.power[1].p = 3;
    for (int a = 0; a < 3; a++) {
        d.shape[a] = (uint64_t)n[a], d.spacing[a] = 12.0 / n[a];
        d.trap[a] = omega[a] * omega[a] / 2;
        d.centre[a] = 0.1;
    }
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < C; k++) {
                const int at[3] = {i, j, k};
                double e = 0, phase = 0;
                for (int a = 0; a < 3; a++) {
                    const double x = (at[a] - n[a] / 2) * d.spacing[a] - offset[a];
                    e -= omega[a] * x * x / 2, phase += speed[a] * x;
                }
                psi[i][j][k][0] = exp(e) * cos(phase) * 0.4;
                psi[i][j][k][1] = exp(e) * sin(phase) * 0.4;
            }
    padic_tensor t = padic_tensor_nd(PADIC_C128, psi, 3, d.shape);
    padic_field_plan *plan = plan_of(NULL, &d);
    double x[3], p[3];
    padic_field_record r = measured(NULL, plan, t);
    for (int a = 0; a < 3; a++) {
        x[a] = r.centroid[a], p[a] = speed[a];
        CHECK_NEAR(x[a], offset[a], 1e-6);
        x[a] = offset[a];
    }
    for (int s = 0; s < 40; s++)
        for (int a = 0; a < 3; a++) {
            p[a] -= d.dt / 2 * omega[a] * omega[a] * (x[a] - 0.1);
            x[a] += d.dt * p[a];
            p[a] -= d.dt / 2 * omega[a] * omega[a] * (x[a] - 0.1);
        }
    CHECK_EQ(steps(NULL, plan, t, 40), 0);
    r = measured(NULL, plan, t);
    for (int a = 0; a < 3; a++) CHECK_NEAR(r.centroid[a], x[a], 1e-5);
    padic_field_plan_destroy(plan);
}

// In a frame that turns, a packet in a round trap goes round backwards; the steps are of the order
// that they are said to be; L_z stays; and there and back is where it began.
static void packet(double (*psi)[2], int n, double h, double x0, double y0, double px)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double x = (i - n / 2) * h - x0, y = (j - n / 2) * h - y0;
            psi[i * n + j][0] = exp(-(x * x + y * y) / 2) * cos(px * x);
            psi[i * n + j][1] = exp(-(x * x + y * y) / 2) * sin(px * x);
        }
}

TEST(rotations)
{
    enum { N = 24 };
    static double psi[N * N][2], best[N * N][2];
    const double h = 12.0 / (int)N, time = 1.5, spin = 0.6;
    for (int m = 0; m < 2; m++) {
        double error[3];
        for (int fine = 0; fine < 3; fine++) {
            const int count = fine == 2 ? 500 : 50 << fine;
            padic_field_plan_desc d = PADIC_ZERO;
            d.dims = 2, d.shape[0] = d.shape[1] = N, d.spacing[0] = d.spacing[1] = h;
            d.trap[0] = d.trap[1] = 0.5, d.dtype = PADIC_C128, d.dt = time / count;
            d.rotation = spin, d.power[0].g = 2;
            d.method = fine == 2 || m ? PADIC_FIELD_METHOD_SPLIT4 : PADIC_FIELD_METHOD_SPLIT2;
            if (fine == 2 && m) continue;
            packet(fine == 2 ? best : psi, N, h, 1, 0.5, 0.7);
            padic_tensor t = padic_tensor_2d(PADIC_C128, fine == 2 ? best : psi, N, N);
            padic_field_plan *plan = plan_of(NULL, &d);
            const padic_field_record before = measured(NULL, plan, t);
            CHECK_EQ(steps(NULL, plan, t, (uint64_t)count), 0);
            const padic_field_record r = measured(NULL, plan, t);
            CHECK_NEAR(r.norm, before.norm, 4e-12 * before.norm);
            CHECK_NEAR(r.energy, before.energy, 1e-3 * before.energy);
            CHECK_NEAR(r.angular_momentum, before.angular_momentum, 2e-4);
            // Classical: the lab's ellipse, seen from the frame.
            const double x = cos(time) + 0.7 * sin(time), y = 0.5 * cos(time);
            const double c = cos(spin * time), s = sin(spin * time);
            CHECK_NEAR(r.centroid[0], c * x + s * y, 1e-4);
            CHECK_NEAR(r.centroid[1], c * y - s * x, 1e-4);
            if (fine < 2) { // back
                memcpy(best, psi, sizeof best);
                d.dt = -d.dt;
                CHECK_EQ(padic_field_plan_set(NULL, &d, plan), 0);
                CHECK_EQ(steps(NULL, plan, t, (uint64_t)count), 0);
                static double start[N * N][2];
                packet(start, N, h, 1, 0.5, 0.7);
                CHECK(far_apart(psi[0], start[0], 2 * N * N) < 1e-12);
                memcpy(psi, best, sizeof psi);
            }
            padic_field_plan_destroy(plan);
            static double kept[2][N * N][2];
            if (fine < 2) memcpy(kept[fine], psi, sizeof psi);
            if (fine == 2 || (m && fine == 1)) {
                static double exact[N * N][2];
                if (fine == 2) memcpy(exact, best, sizeof best);
                for (int f = 0; f < 2; f++) error[f] = far_apart(kept[f][0], exact[0], 2 * N * N);
                CHECK_NEAR(log2(error[0] / error[1]), m ? 4 : 2, 0.1);
            }
        }
    }
}

// A boost by a wave of the box, a phase of everything, and a constant potential change nothing but
// what they must; a batch is its fields one by one.
TEST(symmetries)
{
    enum { N = 135, STEPS = 40, FIELDS = 4 };
    static double start[N][2], psi[FIELDS][N][2], alone[N][2], flat[N];
    const double length = 20, h = length / (int)N, dt = 1.0 / 64;
    const int m = 5; // a boost by the m-th wave for this long is a shift by `shift` points
    const double k = 2 * pi * m / length;
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++) {
        padic_field_plan_desc d = line(N, length, dt);
        const int shift = 3;
        d.power[0].g = 1.2, d.power[1].g = 0.3, d.power[1].p = 6;
        d.dt = shift * h / (k * (int)STEPS);
        for (int j = 0; j < N; j++) {
            const double x = (j - N / 2) * h;
            start[j][0] = exp(-x * x / 3) + 0.1 * sin(2 * pi * x / length);
            start[j][1] = 0.3 * exp(-(x - 1) * (x - 1)) + 0.2;
        }
        for (int j = 0; j < N; j++) {
            const double x = (j - N / 2) * h;
            const double phase[FIELDS] = {0, k * x, 1.1, 0};
            for (int f = 0; f < FIELDS; f++) {
                const double re = cos(phase[f]), im = sin(phase[f]);
                psi[f][j][0] = re * start[j][0] - im * start[j][1];
                psi[f][j][1] = im * start[j][0] + re * start[j][1];
            }
            psi[3][j][0] = start[j][0], psi[3][j][1] = -start[j][1]; // conjugate: time reversed
        }
        memcpy(alone, psi[1], sizeof alone);
        d.batch = FIELDS;
        padic_field_plan *plan = plan_of(contexts[c], &d);
        CHECK_EQ(steps(contexts[c], plan, padic_tensor_2d(PADIC_C128, psi, FIELDS, N), STEPS), 0);
        padic_field_plan_destroy(plan);
        d.batch = 0;
        plan = plan_of(contexts[c], &d);
        CHECK_EQ(steps(contexts[c], plan, padic_tensor_1d(PADIC_C128, alone, N), STEPS), 0);
        CHECK(!memcmp(alone, psi[1], sizeof alone));
        padic_field_plan_destroy(plan);
        const double t = (int)STEPS * d.dt;
        for (int j = 0; j < N; j++) {
            // psi_k(x, t) = psi(x - k t, t) e^{i (k x - k^2 t / 2)}
            const double x = (j - N / 2) * h, a = k * x - k * k * t / 2,
                         *p = psi[0][(j - shift + N) % N];
            CHECK_NEAR(psi[1][j][0], cos(a) * p[0] - sin(a) * p[1], 1e-12);
            CHECK_NEAR(psi[1][j][1], sin(a) * p[0] + cos(a) * p[1], 1e-12);
            const double *q = psi[0][j];
            CHECK_NEAR(psi[2][j][0], cos(1.1) * q[0] - sin(1.1) * q[1], 1e-13);
            CHECK_NEAR(psi[2][j][1], sin(1.1) * q[0] + cos(1.1) * q[1], 1e-13);
            flat[j] = 2.5;
        }
        // Back through the conjugate.
        for (int j = 0; j < N; j++) psi[0][j][1] = -psi[0][j][1];
        plan = plan_of(contexts[c], &d);
        CHECK_EQ(steps(contexts[c], plan, padic_tensor_1d(PADIC_C128, psi[0], N), STEPS), 0);
        for (int j = 0; j < N; j++) psi[0][j][1] = -psi[0][j][1];
        CHECK(far_apart(psi[0][0], start[0], 2 * N) < 1e-12);
        padic_field_plan_destroy(plan);
        d.potential = padic_tensor_1d(PADIC_F64, flat, N);
        memcpy(psi[0], start, sizeof start);
        plan = plan_of(contexts[c], &d);
        CHECK_EQ(steps(contexts[c], plan, padic_tensor_1d(PADIC_C128, psi[0], N), STEPS), 0);
        padic_field_plan_destroy(plan);
        for (int j = 0; j < N; j++) {
            const double a = 1.1 + 2.5 * t;
            CHECK_NEAR(psi[2][j][0], cos(a) * psi[0][j][0] - sin(a) * psi[0][j][1], 1e-12);
        }
    }
    contexts_end();
}

// Boxes: walls and mirrors have sines and cosines for their states, of known energies.
TEST(boxes)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_CAYLEY2, PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4};
    enum { A = 13, B = 8 };
    static double psi[A][B][2], out[A][B][2];
    for (int m = 0; m < 3; m++)
        for (uint32_t wa = 0; wa < 3; wa++)
            for (uint32_t wb = 0; wb < 3; wb++) {
                padic_field_plan_desc d = PADIC_ZERO;
                const double h[2] = {0.4, 0.7};
                const uint32_t w[2] = {wa, wb};
                const int n[2] = {A, B}, mode[2] = {2, 3};
                double e = 0;
                d.dims = 2, d.shape[0] = A, d.shape[1] = B, d.method = methods[m];
                d.dtype = PADIC_C128, d.dt = 0.001, d.kinetic = 0.8;
                for (int a = 0; a < 2; a++) {
                    d.spacing[a] = h[a];
                    d.boundary[a] = (padic_field_boundary)w[a];
                    const double k = w[a] == 0   ? 2 * pi * mode[a] / n[a]
                                     : w[a] == 1 ? pi * mode[a] / (n[a] + 1)
                                                 : pi * mode[a] / n[a];
                    e += 0.8 * 4 * pow(sin(k / 2) / h[a], 2);
                }
                for (int i = 0; i < A; i++)
                    for (int j = 0; j < B; j++) {
                        const int at[2] = {i, j};
                        double f = 1;
                        for (int a = 0; a < 2; a++)
                            f *= w[a] == 0   ? cos(2 * pi * mode[a] * at[a] / n[a])
                                 : w[a] == 1 ? sin(pi * mode[a] * (at[a] + 1) / (n[a] + 1))
                                             : cos(pi * mode[a] * (at[a] + 0.5) / n[a]);
                        psi[i][j][0] = f, psi[i][j][1] = 0;
                    }
                padic_tensor t = padic_tensor_2d(PADIC_C128, psi, A, B);
                padic_field_plan *plan = plan_of(NULL, &d);
                padic_field_record r = measured(NULL, plan, t);
                CHECK_NEAR(r.energy, e * r.norm, 1e-12 * (1 + e * r.norm));
                CHECK_NEAR(r.mu, e, 1e-12 * (1 + e));
                CHECK(r.residual < 1e-12 * (1 + e));
                padic_field_hamiltonian_desc hamilton = PADIC_ZERO;
                hamilton.plan = plan, hamilton.psi = t, hamilton.out = t, hamilton.out.data = out;
                CHECK_EQ(padic_field_hamiltonian(NULL, &hamilton), 0);
                for (int i = 0; i < A; i++)
                    for (int j = 0; j < B; j++)
                        CHECK_NEAR(out[i][j][0], e * psi[i][j][0], 1e-12 * (1 + e));
                const double first = psi[3][4][0];
                CHECK_EQ(steps(NULL, plan, t, 100), 0);
                CHECK_NEAR(psi[3][4][0], first * cos(e * 0.1), 1e-5);
                CHECK_NEAR(psi[3][4][1], -first * sin(e * 0.1), 1e-5);
                CHECK_NEAR(measured(NULL, plan, t).norm, r.norm, m == 1 ? 1e-3 : m ? 1e-10 : 1e-12);
                padic_field_plan_destroy(plan);
            }
}

// D dt / dV is what one step of noise adds to |psi|^2 on average, as an even normal cloud; the same
// for any calls and batches that the steps are made in, and another for each step and point.
TEST(noise)
{
    enum { A = 40, B = 30, FIELDS = 2 };
    static double psi[FIELDS][A * B][2], again[FIELDS][A * B][2];
    padic_field_plan_desc d = PADIC_ZERO;
    d.dims = 2, d.shape[0] = A, d.shape[1] = B, d.spacing[0] = 0.5, d.spacing[1] = 0.25;
    d.batch = FIELDS, d.dtype = PADIC_C128, d.dt = 0.01, d.noise = 3, d.seed = 12345;
    const double variance = d.noise * d.dt / 0.125;
    padic_tensor t = padic_tensor_3d(PADIC_C128, psi, FIELDS, A, B);
    padic_field_plan *plan = plan_of(NULL, &d);
    for (int n = 1; n < 4; n += 2) {
        double sum[2] = {0, 0}, square[2] = {0, 0}, fourth = 0, cross = 0;
        memset(psi, 0, sizeof psi);
        padic_field_step_desc step = PADIC_ZERO;
        step.plan = plan, step.psi = t, step.count = (uint64_t)n, step.restart = 1;
        CHECK_EQ(padic_field_step(NULL, &step), 0);
        const int all = FIELDS * A * B;
        for (int i = 0; i < all; i++) {
            const double *p = psi[i / (A * B)][i % (A * B)];
            const double q = (p[0] * p[0] + p[1] * p[1]) / (variance * n);
            for (int k = 0; k < 2; k++) sum[k] += p[k], square[k] += p[k] * p[k];
            fourth += q * q;
            cross += p[0] * p[1];
        }
        const double spread = sqrt(variance * n / 2 / all);
        for (int k = 0; k < 2; k++) {
            CHECK(fabs(sum[k] / all) < 4 * spread);
            CHECK_NEAR(square[k] / all / (variance * n), 0.5, 0.06);
        }
        CHECK_NEAR(fourth / all, 2, 0.35);
        CHECK_NEAR(cross / all / (variance * n), 0, 0.05);
        // One step at a time, restarted.
        memcpy(again, psi, sizeof psi);
        memset(psi, 0, sizeof psi);
        for (int s = 0; s < n; s++) {
            step.count = 1, step.restart = s == 0;
            CHECK_EQ(padic_field_step(NULL, &step), 0);
        }
        CHECK(far_apart(psi[0][0], again[0][0], 2 * all) < 1e-13);
        CHECK(far_apart(psi[0][0], psi[1][0], 2 * A * B) > 0.1);
    }
    padic_field_plan_destroy(plan);
}

// Two states <a|H b> = conj <b|H a> without interaction, with a rotation, too.
TEST(hermitian)
{
    enum { N = 14, M = 9 };
    static double a[N * M][2], b[N * M][2], ha[N * M][2], hb[N * M][2];
    static const padic_field_method methods[] = {PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_RK4};
    for (int m = 0; m < 6; m++) {
        padic_field_plan_desc d = PADIC_ZERO;
        d.dims = 2, d.shape[0] = N, d.shape[1] = M, d.spacing[0] = 0.4, d.spacing[1] = 0.6;
        d.dtype = PADIC_C128, d.dt = 0.01, d.method = methods[m > 1], d.trap[1] = 0.4;
        d.rotation = m == 1 ? 0.7 : 0;
        if (m > 2)
            d.boundary[0] = (padic_field_boundary)(m - 3),
            d.boundary[1] = (padic_field_boundary)((m - 2) % 3);
        padic_field_plan *plan = plan_of(NULL, &d);
        padic_field_hamiltonian_desc h = PADIC_ZERO;
        double s[4] = {0, 0, 0, 0};
        for (int i = 0; i < N * M; i++)
            for (int k = 0; k < 2; k++) a[i][k] = uniform(), b[i][k] = uniform();
        h.plan = plan, h.psi = padic_tensor_2d(PADIC_C128, a, N, M), h.out = h.psi, h.out.data = ha;
        CHECK_EQ(padic_field_hamiltonian(NULL, &h), 0);
        h.psi.data = b, h.out.data = hb;
        CHECK_EQ(padic_field_hamiltonian(NULL, &h), 0);
        for (int i = 0; i < N * M; i++) {
            s[0] += a[i][0] * hb[i][0] + a[i][1] * hb[i][1];
            s[1] += a[i][0] * hb[i][1] - a[i][1] * hb[i][0];
            s[2] += b[i][0] * ha[i][0] + b[i][1] * ha[i][1];
            s[3] += b[i][0] * ha[i][1] - b[i][1] * ha[i][0];
        }
        CHECK_NEAR(s[0], s[2], 1e-11);
        CHECK_NEAR(s[1], -s[3], 1e-11);
        padic_field_plan_destroy(plan);
    }
}

// Ground states of what is solvable: a trap of three frequencies, a box with walls, one with
// mirrors and a gas in it, and a slab.
TEST(grounds)
{
    enum { A = 16, B = 15, C = 14 };
    static double psi[A * B * C][2];
    for (int which = 0; which < 6; which++) {
        padic_field_plan_desc d = PADIC_ZERO;
        padic_field_ground_desc g = PADIC_ZERO;
        padic_field_ground_report report;
        double e = 0;
        d.dims = 3, d.shape[0] = A, d.shape[1] = B, d.shape[2] = C;
        d.dtype = PADIC_C128, d.dt = 0.01;
        for (int a = 0; a < 3; a++) {
            const double n = (double)d.shape[a], w = 1 + 0.2 * a;
            const double wall = 2 * pow(sin(pi / 2 / (n + 1)) / 0.5, 2);
            d.spacing[a] = which < 3 ? 9.0 / sqrt(w) / n : 0.5;
            if (which < 3)
                d.trap[a] = w * w / 2, e += w / 2;
            else
                d.method = PADIC_FIELD_METHOD_CAYLEY2;
            if (which == 3 || (which == 5 && a == 1))
                d.boundary[a] = PADIC_FIELD_BOUNDARY_DIRICHLET, e += wall;
            if (which == 4) d.boundary[a] = PADIC_FIELD_BOUNDARY_NEUMANN;
        }
        if (which == 4) d.power[0].g = 2;
        for (int i = 0; i < A * B * C; i++)
            psi[i][0] = 0.5 * (1 + 0.3 * uniform()), psi[i][1] = 0.1 * uniform();
        g.plan = plan_of(NULL, &d);
        g.psi = padic_tensor_3d(PADIC_C128, psi, A, B, C);
        g.method = which < 3 ? (padic_field_ground_method)which : PADIC_FIELD_GROUND_CG;
        g.tolerance = which == 2 ? 1e-3 : 1e-6;
        g.report = &report;
        const padic_field_record before = measured(NULL, g.plan, g.psi);
        CHECK_EQ(padic_field_ground(NULL, &g), 0);
        if (which == 4)
            CHECK(report.mu < 0.7); // mirrors: flat, or with solitons
        else
            CHECK_NEAR(report.mu, e, which < 3 ? 2e-5 : 1e-9);
        CHECK_NEAR(report.norm, before.norm, 1e-12 * before.norm);
        padic_field_plan_destroy(g.plan);
    }
}

// A view without memory is refused and not read; one of a single element may have any stride there.
TEST(views)
{
    static double psi[8][2], flat[8];
    padic_field_plan_desc d = line(8, 4, 0.01);
    padic_field_record record;
    padic_field_plan *plan = plan_of(NULL, &d);
    padic_field_measure_desc measure = PADIC_ZERO;
    padic_field_hamiltonian_desc hamilton = PADIC_ZERO;
    padic_field_ground_desc ground = PADIC_ZERO;
    padic_field_energy_desc energy = PADIC_ZERO;
    measure.plan = plan, measure.report = &record;
    measure.psi = padic_tensor_1d(PADIC_C128, NULL, 8);
    CHECK_EQ(padic_field_measure(NULL, &measure), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(steps(NULL, plan, measure.psi, 1), PADIC_ERROR_ARGUMENT);
    ground.plan = plan, ground.psi = measure.psi;
    CHECK_EQ(padic_field_ground(NULL, &ground), PADIC_ERROR_ARGUMENT);
    energy.field = d, energy.psi = measure.psi, energy.report = &record;
    CHECK_EQ(padic_field_energy(NULL, &energy), PADIC_ERROR_ARGUMENT);
    hamilton.plan = plan, hamilton.out = measure.psi;
    hamilton.psi = padic_tensor_1d(PADIC_C128, psi, 8);
    CHECK_EQ(padic_field_hamiltonian(NULL, &hamilton), PADIC_ERROR_ARGUMENT);
    padic_field_plan_destroy(plan);
    d = line(1, 1, 0.01);
    d.potential = padic_tensor_1d(PADIC_F64, flat, 1);
    d.potential.stride[0] = INT64_MAX;
    plan = plan_of(NULL, &d);
    padic_field_plan_destroy(plan);
}

// An absorber takes e^(-2 W t) of the density, and the interaction what is left of it: to rounding,
// however weak it is.
TEST(absorbers)
{
    for (int e = 0; e < 20; e++) {
        double w = pow(10, -e), psi[2] = {1, 0};
        padic_field_plan_desc d = line(1, 1, 0.01);
        d.power[0].g = 10;
        d.absorber = padic_tensor_1d(PADIC_F64, &w, 1);
        padic_field_plan *plan = plan_of(NULL, &d);
        CHECK_EQ(steps(NULL, plan, padic_tensor_1d(PADIC_C128, psi, 1), 1), 0);
        const double angle = 10 * -expm1(-2 * w * 0.01) / (2 * w);
        CHECK_NEAR(atan2(-psi[1], psi[0]), angle, 1e-16 + 1e-15 * angle);
        CHECK_NEAR(hypot(psi[0], psi[1]), exp(-w * 0.01), 5e-16);
        padic_field_plan_destroy(plan);
    }
}

TEST_MAIN("test_field_exact", CASE(plane_waves), CASE(breathers), CASE(kohn), CASE(rotations),
          CASE(symmetries), CASE(boxes), CASE(noise), CASE(hermitian), CASE(grounds), CASE(views),
          CASE(absorbers))
