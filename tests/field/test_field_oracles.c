// test_field_oracles.c: condensates against sums, differences and phases in long double that share
// nothing with the library, and against what is known in closed form: random grids, walls, methods,
// layouts and strides; exact packets, solitons and symmetries.
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

#define MOST 600 // points of a random grid

typedef struct wide {
    long double re, im;
} wide;

static const long double pi = 3.141592653589793238462643383279502884L;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(test_random() % n);
}
static double uniform(void)
{
    return (double)(test_random() >> 11) / 4503599627370496.0 - 1;
}

static wide times(wide a, wide b)
{
    wide c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}

static wide plus(wide a, long double s, wide b) // a + s b
{
    a.re += s * b.re;
    a.im += s * b.im;
    return a;
}

static wide turn(long double angle, long double size)
{
    wide c;
    c.re = size * cosl(angle);
    c.im = size * sinl(angle);
    return c;
}

static long double square(wide a)
{
    return a.re * a.re + a.im * a.im;
}

// --------------------------------------------------------------------------------- the oracle

typedef struct grid {
    padic_field_plan_desc d;
    uint64_t n[3], all;
    uint64_t points;              // of each field
    double *potential, *absorber; // dense, or NULL
    double potential_data[4 * MOST], absorber_data[4 * MOST];
} grid;

static int spectral(const grid *g)
{
    return g->d.method == PADIC_FIELD_METHOD_SPLIT2 || g->d.method == PADIC_FIELD_METHOD_SPLIT4 ||
           g->d.method == PADIC_FIELD_METHOD_FLOW;
}

static long double strength(const grid *g)
{
    return g->d.kinetic == 0 ? 0.5L : g->d.kinetic;
}

static long double dv(const grid *g)
{
    long double v = 1;
    for (uint32_t a = 0; a < g->d.dims; a++) v *= g->d.spacing[a];
    return v;
}

static long double place(const grid *g, uint32_t a, uint64_t j)
{
    const long double h = g->d.spacing[a], n = (long double)g->n[a];
    const padic_field_boundary b = g->d.boundary[a];
    const long double shift = b == PADIC_FIELD_BOUNDARY_PERIODIC    ? 0
                              : b == PADIC_FIELD_BOUNDARY_DIRICHLET ? 1
                                                                    : 0.5L;
    const long double last = b == PADIC_FIELD_BOUNDARY_DIRICHLET ? n + 1 : n;
    const int given = g->d.origin[a] != 0 || (g->d.flags & PADIC_FIELD_ORIGIN_GIVEN);
    return (given ? g->d.origin[a] : -last * h / 2) + ((long double)j + shift) * h;
}

static void places(const grid *g, uint64_t i, uint64_t at[3])
{
    for (uint32_t a = g->d.dims; a-- > 0; i /= g->n[a]) at[a] = i % g->n[a];
}

static uint64_t step_of(const grid *g, uint32_t axis)
{
    uint64_t s = 1;
    for (uint32_t a = axis + 1; a < g->d.dims; a++) s *= g->n[a];
    return s;
}

static long double wave(const grid *g, uint32_t a, uint64_t m) // k
{
    const long double n = (long double)g->n[a];
    const long double s = 2 * m >= g->n[a] && g->n[a] > 1 ? (long double)m - n : (long double)m;
    return 2 * pi * s / (n * g->d.spacing[a]);
}

// Along one axis: multiplies the spectrum with f(k).
static void along(const grid *g, uint32_t axis, wide *x,
                  wide (*f)(long double k, int nyquist, const void *), const void *user)
{
    const uint64_t n = g->n[axis], s = step_of(g, axis);
    wide line[2 * MOST];
    for (uint64_t i = 0; i < g->points; i++) {
        uint64_t at[3];
        places(g, i, at);
        if (at[axis]) continue;
        for (uint64_t m = 0; m < n; m++) {
            wide sum = {0, 0};
            for (uint64_t j = 0; j < n; j++)
                sum = plus(sum, 1,
                           times(x[i + j * s],
                                 turn(-2 * pi * (long double)(j * m % n) / (long double)n, 1)));
            line[m] = times(sum, f(wave(g, axis, m), 2 * m == n, user));
        }
        for (uint64_t j = 0; j < n; j++) {
            wide sum = {0, 0};
            for (uint64_t m = 0; m < n; m++)
                sum = plus(
                    sum, 1,
                    times(line[m], turn(2 * pi * (long double)(j * m % n) / (long double)n, 1)));
            x[i + j * s].re = sum.re / (long double)n;
            x[i + j * s].im = sum.im / (long double)n;
        }
    }
}

static wide k_square(long double k, int nyquist, const void *user)
{
    wide c = {0, 0};
    (void)nyquist, (void)user;
    c.re = k * k;
    return c;
}

static wide k_first(long double k, int nyquist, const void *user) // of -i d/dx
{
    wide c = {0, 0};
    (void)user;
    c.re = nyquist ? 0 : k;
    return c;
}

// out = -Lap x along one axis, of second order.
static void differences(const grid *g, uint32_t axis, const wide *x, wide *out)
{
    const uint64_t n = g->n[axis], s = step_of(g, axis);
    const long double h = g->d.spacing[axis];
    for (uint64_t i = 0; i < g->points; i++) {
        uint64_t at[3];
        wide low = {0, 0}, high = {0, 0};
        places(g, i, at);
        const uint64_t j = at[axis], line = i - j * s;
        if (j)
            low = x[i - s];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_PERIODIC)
            low = x[line + (n - 1) * s];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_NEUMANN)
            low = x[i];
        if (j + 1 < n)
            high = x[i + s];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_PERIODIC)
            high = x[line];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_NEUMANN)
            high = x[i];
        out[i].re = (2 * x[i].re - low.re - high.re) / (h * h);
        out[i].im = (2 * x[i].im - low.im - high.im) / (h * h);
    }
}

// out = -i dx/d(axis), of second order.
static void first_differences(const grid *g, uint32_t axis, const wide *x, wide *out)
{
    const uint64_t n = g->n[axis], s = step_of(g, axis);
    const long double h = g->d.spacing[axis];
    for (uint64_t i = 0; i < g->points; i++) {
        uint64_t at[3];
        wide low = {0, 0}, high = {0, 0};
        places(g, i, at);
        const uint64_t j = at[axis], line = i - j * s;
        if (j)
            low = x[i - s];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_PERIODIC)
            low = x[line + (n - 1) * s];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_NEUMANN)
            low = x[i];
        if (j + 1 < n)
            high = x[i + s];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_PERIODIC)
            high = x[line];
        else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_NEUMANN)
            high = x[i];
        out[i].re = (high.im - low.im) / (2 * h);
        out[i].im = -(high.re - low.re) / (2 * h);
    }
}

static void kinetic_part(const grid *g, const wide *x, wide *out) // -K Lap x
{
    wide *one = (wide *)malloc(g->points * sizeof *one);
    for (uint64_t i = 0; i < g->points; i++) out[i].re = out[i].im = 0;
    for (uint32_t a = 0; a < g->d.dims; a++) {
        if (spectral(g)) {
            memcpy(one, x, g->points * sizeof *one);
            along(g, a, one, k_square, NULL);
        } else {
            differences(g, a, x, one);
        }
        for (uint64_t i = 0; i < g->points; i++) out[i] = plus(out[i], strength(g), one[i]);
    }
    free(one);
}

static void angular_part(const grid *g, const wide *x, wide *out) // L_z x
{
    wide *p = (wide *)malloc(2 * g->points * sizeof *p);
    for (uint32_t a = 0; a < 2; a++) {
        if (!spectral(g)) {
            first_differences(g, a, x, p + a * g->points);
            continue;
        }
        memcpy(p + a * g->points, x, g->points * sizeof *p);
        along(g, a, p + a * g->points, k_first, NULL);
    }
    for (uint64_t i = 0; i < g->points; i++) {
        uint64_t at[3];
        wide zero = {0, 0};
        places(g, i, at);
        out[i] = plus(plus(zero, place(g, 0, at[0]), p[g->points + i]), -place(g, 1, at[1]), p[i]);
    }
    free(p);
}

static long double trap(const grid *g, uint64_t i)
{
    uint64_t at[3];
    long double v = g->potential ? g->potential[i] : 0;
    places(g, i, at);
    for (uint32_t a = 0; a < g->d.dims; a++) {
        const long double x = place(g, a, at[a]) - g->d.centre[a];
        v += g->d.trap[a] * x * x;
    }
    return v;
}

static long double power_of(const padic_field_term *t)
{
    return t->p == 0 ? 4 : t->p;
}

static long double field_of(const grid *g, uint64_t i, long double density) // U
{
    long double u = trap(g, i);
    for (int t = 0; t < PADIC_FIELD_TERMS; t++)
        if (g->d.power[t].g != 0)
            u += g->d.power[t].g * powl(density, (power_of(&g->d.power[t]) - 2) / 2);
    return u;
}

static void hamiltonian(const grid *g, const wide *x, wide *out)
{
    kinetic_part(g, x, out);
    if (g->d.rotation != 0) {
        wide *l = (wide *)malloc(g->points * sizeof *l);
        angular_part(g, x, l);
        for (uint64_t i = 0; i < g->points; i++) out[i] = plus(out[i], -g->d.rotation, l[i]);
        free(l);
    }
    for (uint64_t i = 0; i < g->points; i++)
        out[i] = plus(out[i], field_of(g, i, square(x[i])), x[i]);
}

// Time t of i d psi/dt = (U - i W) psi, where the density falls as e^{-2 W t}: in closed form.
static void phases(const grid *g, wide *x, long double t)
{
    for (uint64_t i = 0; i < g->points; i++) {
        const long double w = g->absorber ? g->absorber[i] : 0, density = square(x[i]);
        long double angle = trap(g, i) * t;
        for (int k = 0; k < PADIC_FIELD_TERMS; k++) {
            const long double q = power_of(&g->d.power[k]) - 2;
            if (g->d.power[k].g != 0)
                angle += g->d.power[k].g * powl(density, q / 2) *
                         (w * q != 0 ? -expm1l(-q * w * t) / (q * w) : t);
        }
        x[i] = times(x[i], turn(-angle, expl(-w * t)));
    }
}

static wide k_phase(long double k, int nyquist, const void *user)
{
    (void)nyquist;
    return turn(-*(const long double *)user * k * k, 1);
}

static void split2(const grid *g, wide *x, long double dt)
{
    const long double a = dt * strength(g);
    phases(g, x, dt / 2);
    for (uint32_t axis = 0; axis < g->d.dims; axis++) along(g, axis, x, k_phase, &a);
    phases(g, x, dt / 2);
}

static void split4(const grid *g, wide *x, long double dt)
{
    const long double s = 1 / (4 - cbrtl(4)), w = 1 / (2 - cbrtl(2));
    if (g->d.flags & PADIC_FIELD_YOSHIDA) {
        split2(g, x, w * dt);
        split2(g, x, (1 - 2 * w) * dt);
        split2(g, x, w * dt);
        return;
    }
    split2(g, x, s * dt);
    split2(g, x, s * dt);
    split2(g, x, (1 - 4 * s) * dt);
    split2(g, x, s * dt);
    split2(g, x, s * dt);
}

// (1 + i c A)^-1 (1 - i c A) along an axis by a series: sums until nothing is added.
static void cayley(const grid *g, uint32_t axis, wide *x, long double c)
{
    // A has the norm 4/h^2. x' = 2 (1 + i c A)^-1 x - x, by Gauss's elimination of each line.
    const uint64_t n = g->n[axis], s = step_of(g, axis);
    const long double h = g->d.spacing[axis];
    wide *m = (wide *)malloc(n * (n + 1) * sizeof *m);
    for (uint64_t i = 0; i < g->points; i++) {
        uint64_t at[3];
        places(g, i, at);
        if (at[axis]) continue;
        for (uint64_t r = 0; r < n; r++) {
            for (uint64_t q = 0; q <= n; q++) m[r * (n + 1) + q].re = m[r * (n + 1) + q].im = 0;
            m[r * (n + 1) + r].re = 1;
            m[r * (n + 1) + n] = x[i + r * s];
            long double diagonal = 2;
            for (int side = -1; side < 2; side += 2) {
                const uint64_t other = (r + n + (uint64_t)side) % n;
                const int outside = side < 0 ? r == 0 : r + 1 == n;
                if (!outside || g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_PERIODIC)
                    m[r * (n + 1) + other].im -= c / (h * h);
                else if (g->d.boundary[axis] == PADIC_FIELD_BOUNDARY_NEUMANN)
                    diagonal -= 1;
            }
            m[r * (n + 1) + r].im += diagonal * c / (h * h);
        }
        for (uint64_t p = 0; p < n; p++) { // the diagonal is never small: |1 + i ..| >= 1
            const wide d = m[p * (n + 1) + p];
            const long double q = square(d);
            for (uint64_t r = 0; r < n; r++) {
                if (r == p) continue;
                wide f = m[r * (n + 1) + p], inverse;
                if (f.re == 0 && f.im == 0) continue;
                inverse.re = d.re / q, inverse.im = -d.im / q;
                f = times(f, inverse);
                for (uint64_t k = p; k <= n; k++)
                    m[r * (n + 1) + k] = plus(m[r * (n + 1) + k], -1, times(f, m[p * (n + 1) + k]));
            }
        }
        for (uint64_t r = 0; r < n; r++) {
            const wide d = m[r * (n + 1) + r], b = m[r * (n + 1) + n];
            const long double q = square(d);
            wide inverse;
            inverse.re = d.re / q, inverse.im = -d.im / q;
            const wide y = times(b, inverse), old = x[i + r * s];
            x[i + r * s].re = 2 * y.re - old.re;
            x[i + r * s].im = 2 * y.im - old.im;
        }
    }
    free(m);
}

static void cayley2(const grid *g, wide *x, long double dt)
{
    phases(g, x, dt / 2);
    for (uint32_t a = 0; a < g->d.dims; a++) cayley(g, a, x, dt * strength(g) / 2);
    phases(g, x, dt / 2);
}

static void rate(const grid *g, const wide *x, wide *out) // -i H x - W x
{
    hamiltonian(g, x, out);
    for (uint64_t i = 0; i < g->points; i++) {
        const wide h = out[i];
        out[i].re = h.im - (g->absorber ? g->absorber[i] * x[i].re : 0);
        out[i].im = -h.re - (g->absorber ? g->absorber[i] * x[i].im : 0);
    }
}

static void rk4(const grid *g, wide *x, long double dt)
{
    const uint64_t n = g->points;
    static const long double at[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
    wide *k = (wide *)malloc(3 * n * sizeof *k), *y = k + n, *sum = y + n;
    memcpy(sum, x, n * sizeof *x);
    for (int s = 0; s < 4; s++) {
        for (uint64_t i = 0; i < n; i++) y[i] = s ? plus(x[i], at[s] * dt, k[i]) : x[i];
        rate(g, y, k);
        for (uint64_t i = 0; i < n; i++) sum[i] = plus(sum[i], dt * weight[s] / 6, k[i]);
    }
    memcpy(x, sum, n * sizeof *x);
    free(k);
}

static void euler(const grid *g, wide *x, long double dt)
{
    wide *k = (wide *)malloc(g->points * sizeof *k);
    rate(g, x, k);
    for (uint64_t i = 0; i < g->points; i++) x[i] = plus(x[i], dt, k[i]);
    free(k);
}

static void one_step(const grid *g, wide *x)
{
    switch (g->d.method) {
    case PADIC_FIELD_METHOD_SPLIT2:
        split2(g, x, g->d.dt);
        break;
    case PADIC_FIELD_METHOD_SPLIT4:
        split4(g, x, g->d.dt);
        break;
    case PADIC_FIELD_METHOD_CAYLEY2:
        cayley2(g, x, g->d.dt);
        break;
    case PADIC_FIELD_METHOD_RK4:
        rk4(g, x, g->d.dt);
        break;
    case PADIC_FIELD_METHOD_LEGACY_EULER:
        euler(g, x, g->d.dt);
        break;
    default:
        break;
    }
}

static padic_field_record record_of(const grid *g, const wide *x)
{
    padic_field_record r;
    const uint64_t n = g->points;
    wide *t = (wide *)malloc(3 * n * sizeof *t), *l = t + n, *h = l + n;
    long double norm = 0, kinetic = 0, potential = 0, interaction[3] = {0, 0, 0}, angular = 0;
    long double mu = 0, centre[3] = {0, 0, 0}, density = 0, residual = 0;
    kinetic_part(g, x, t);
    hamiltonian(g, x, h);
    memset(l, 0, n * sizeof *l);
    if (g->d.dims > 1) angular_part(g, x, l);
    memset(&r, 0, sizeof r);
    for (uint64_t i = 0; i < n; i++) {
        const long double d = square(x[i]);
        uint64_t at[3];
        places(g, i, at);
        norm += d;
        kinetic += x[i].re * t[i].re + x[i].im * t[i].im;
        angular += x[i].re * l[i].re + x[i].im * l[i].im;
        mu += x[i].re * h[i].re + x[i].im * h[i].im;
        potential += trap(g, i) * d;
        for (int k = 0; k < 3; k++)
            if (g->d.power[k].g != 0)
                interaction[k] += 2 * g->d.power[k].g / power_of(&g->d.power[k]) *
                                  powl(d, power_of(&g->d.power[k]) / 2);
        for (uint32_t a = 0; a < g->d.dims; a++) centre[a] += place(g, a, at[a]) * d;
        if (d > density) density = d;
    }
    mu /= norm;
    for (uint64_t i = 0; i < n; i++) residual += square(plus(h[i], -mu, x[i]));
    r.norm = (double)(norm * dv(g));
    r.kinetic = (double)(kinetic * dv(g));
    r.potential = (double)(potential * dv(g));
    r.energy = r.kinetic + r.potential;
    for (int k = 0; k < 3; k++) {
        r.interaction[k] = (double)(interaction[k] * dv(g));
        r.energy += r.interaction[k];
    }
    r.rotation = (double)(-g->d.rotation * angular * dv(g));
    r.energy += r.rotation;
    r.mu = (double)mu;
    r.angular_momentum = (double)(angular * dv(g));
    for (uint32_t a = 0; a < g->d.dims; a++) r.centroid[a] = (double)(centre[a] / norm);
    r.density = (double)density;
    r.residual = (double)sqrtl(residual / norm);
    free(t);
    return r;
}

// ------------------------------------------------------------------------------- random problems

static void random_grid(grid *g, padic_field_method method)
{
    uint64_t left = MOST;
    memset(g, 0, sizeof *g);
    padic_field_plan_desc *d = &g->d;
    d->method = method;
    d->dims = 1 + below(3);
    g->points = 1;
    for (uint32_t a = 0; a < d->dims; a++) {
        uint64_t n = 1 + below(d->dims == 1 ? 60 : d->dims == 2 ? 22 : 9);
        if (n > left) n = left;
        left /= n;
        d->shape[a] = g->n[a] = n;
        g->points *= n;
        d->spacing[a] = 0.3 + 0.2 * uniform();
        if (below(2)) d->origin[a] = uniform();
        if (below(2)) d->trap[a] = 0.5 * uniform();
        if (below(2)) d->centre[a] = uniform();
        if (method == PADIC_FIELD_METHOD_CAYLEY2 || method == PADIC_FIELD_METHOD_RK4 ||
            method == PADIC_FIELD_METHOD_LEAPFROG2)
            d->boundary[a] = (padic_field_boundary)below(3);
    }
    d->dtype = below(2) ? PADIC_C128 : below(2) ? PADIC_C64 : PADIC_DTYPE_NONE;
    d->layout = (padic_field_layout)below(2);
    d->batch = below(2) ? 0 : 1 + below(3);
    d->dt = 0.004 * (1.5 + uniform());
    if (method != PADIC_FIELD_METHOD_FLOW && below(2)) d->dt = -d->dt;
    if (below(2)) d->kinetic = 0.3 + 0.2 * uniform();
    for (int t = 0; t < 3; t++)
        if (below(2)) {
            d->power[t].g = uniform();
            if (below(2)) d->power[t].p = 3.2 + uniform();
            if (!below(4)) d->power[t].p = 6;
        }
    if (below(2)) d->flags |= PADIC_FIELD_ORIGIN_GIVEN;
    if (below(2) && method == PADIC_FIELD_METHOD_SPLIT4) d->flags |= PADIC_FIELD_YOSHIDA;
    d->flags |= PADIC_FIELD_NORM_FREE;
    for (int w = 0; w < 2; w++) { // potential, absorber
        const int floats = (int)below(2), gaps = (int)below(2);
        double *data = w ? g->absorber_data : g->potential_data;
        padic_tensor *t = w ? &d->absorber : &d->potential;
        if (below(2)) continue;
        *t = padic_tensor_nd(floats ? PADIC_F32 : PADIC_F64, malloc(16 * g->points), d->dims,
                             d->shape);
        for (uint32_t a = 0; a < d->dims; a++)
            if (gaps) t->stride[a] = (int64_t)(2 * step_of(g, a));
        for (uint64_t i = 0; i < g->points; i++) {
            const double v = w ? 1 + uniform() : 3 * uniform();
            data[i] = floats ? (float)v : v;
            if (floats)
                ((float *)t->data)[i * (gaps ? 2 : 1)] = (float)v;
            else
                ((double *)t->data)[i * (gaps ? 2 : 1)] = v;
        }
        if (w)
            g->absorber = g->absorber_data;
        else
            g->potential = g->potential_data;
    }
    if (spectral(g) && d->dims > 1 && below(2) && method != PADIC_FIELD_METHOD_LEGACY_EULER &&
        method != PADIC_FIELD_METHOD_FLOW)
        d->rotation = 0.4 * uniform();
}

static void drop_grid(grid *g)
{
    free(g->d.potential.data);
    free(g->d.absorber.data);
}

// Psi in memory with guards: planes, batch and axes in any order, with gaps.
typedef struct field {
    padic_tensor view;
    char *memory, *before;
    uint64_t bytes, fields;
    int planar, is_short;
} field;

static char *component(const field *f, const grid *g, uint64_t which, uint64_t i, int imaginary)
{
    const padic_tensor *t = &f->view;
    uint64_t at[3];
    int64_t place_ = 0;
    uint32_t axis = 0;
    places(g, i, at);
    if (f->planar) place_ += imaginary * t->stride[axis++];
    if (g->d.batch) place_ += (int64_t)which * t->stride[axis++];
    for (uint32_t a = 0; a < g->d.dims; a++) place_ += (int64_t)at[a] * t->stride[axis++];
    char *p = (char *)t->data + place_ * (int64_t)padic_dtype_size(t->dtype);
    return f->planar || !imaginary ? p : p + (f->is_short ? 4 : 8);
}

static wide get(const field *f, const grid *g, uint64_t which, uint64_t i)
{
    wide x;
    float s[2];
    double d[2];
    for (int k = 0; k < 2; k++) {
        memcpy(&s[k], component(f, g, which, i, k), 4);
        if (!f->is_short)
            memcpy(&d[k], component(f, g, which, i, k), 8);
        else
            d[k] = s[k];
    }
    x.re = d[0], x.im = d[1];
    return x;
}

static void put(const field *f, const grid *g, uint64_t which, uint64_t i, double re, double im)
{
    const double d[2] = {re, im};
    for (int k = 0; k < 2; k++) {
        const float s = (float)d[k];
        if (f->is_short)
            memcpy(component(f, g, which, i, k), &s, 4);
        else
            memcpy(component(f, g, which, i, k), &d[k], 8);
    }
}

static void make_field(field *f, const grid *g, int wild)
{
    uint64_t shape[5];
    uint32_t rank = 0, order[5] = {0, 1, 2, 3, 4};
    int64_t step = 1, high = 0;
    f->planar = g->d.layout == PADIC_FIELD_LAYOUT_PLANAR;
    f->is_short = g->d.dtype != PADIC_C128;
    f->fields = g->d.batch ? g->d.batch : 1;
    const padic_dtype dtype =
        f->planar ? (f->is_short ? PADIC_F32 : PADIC_F64) : (f->is_short ? PADIC_C64 : PADIC_C128);
    if (f->planar) shape[rank++] = 2;
    if (g->d.batch) shape[rank++] = g->d.batch;
    for (uint32_t a = 0; a < g->d.dims; a++) shape[rank++] = g->n[a];
    f->view = padic_tensor_nd(dtype, NULL, rank, shape);
    for (uint32_t i = rank; wild && i > 1; i--) {
        const uint32_t other = below(i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = rank; i-- > 0;) {
        if (wild) step *= 1 + (int64_t)below(2);
        f->view.stride[order[i]] = step;
        high += step * (int64_t)(shape[order[i]] - 1);
        step *= (int64_t)shape[order[i]];
    }
    f->bytes = 128 + (uint64_t)(high + 1) * padic_dtype_size(dtype);
    f->memory = (char *)malloc(f->bytes);
    f->before = (char *)malloc(f->bytes);
    for (uint64_t i = 0; i < f->bytes; i++) f->memory[i] = (char)test_random();
    f->view.data = f->memory + 64;
}

static void fill_field(field *f, const grid *g)
{
    for (uint64_t b = 0; b < f->fields; b++)
        for (uint64_t i = 0; i < g->points; i++) put(f, g, b, i, uniform(), uniform());
    memcpy(f->before, f->memory, f->bytes);
}

static int guards_kept(const field *f, const grid *g)
{
    char *now = (char *)malloc(f->bytes);
    const uint64_t size = f->is_short ? 4 : 8;
    memcpy(now, f->memory, f->bytes);
    for (uint64_t b = 0; b < f->fields; b++)
        for (uint64_t i = 0; i < g->points; i++)
            for (int k = 0; k < 2; k++) {
                const ptrdiff_t at = component(f, g, b, i, k) - f->memory;
                memcpy(now + at, f->before + at, size);
            }
    const int same = !memcmp(now, f->before, f->bytes);
    free(now);
    return same;
}

static void drop_field(field *f)
{
    free(f->memory);
    free(f->before);
}

static double distance(const field *f, const grid *g, uint64_t which, const wide *x)
{
    long double error = 0, norm = 0;
    for (uint64_t i = 0; i < g->points; i++) {
        error += square(plus(get(f, g, which, i), -1, x[i]));
        norm += square(x[i]);
    }
    return (double)sqrtl(error / norm);
}

static void describe(const grid *g, const char *what, uint32_t context, double error)
{
    static int said;
    if (said++ > 20) return;
    printf("\n  %s: method %d, dims", what, (int)g->d.method);
    for (uint32_t a = 0; a < g->d.dims; a++)
        printf(" %u/%d", (unsigned)g->n[a], (int)g->d.boundary[a]);
    printf(", dtype %d, layout %d, batch %u, flags %u, rotation %g, dt %g, absorber %d, context "
           "%u, error %.3g",
           (int)g->d.dtype, (int)g->d.layout, (unsigned)g->d.batch, (unsigned)g->d.flags,
           g->d.rotation, g->d.dt, !!g->absorber, context, error);
}

static int near_record(const padic_field_record *a, const padic_field_record *b, double scale,
                       double tolerance)
{
    const double *x = &a->norm, *y = &b->norm;
    int good = 1;
    for (int i = 0; i < 15; i++) good &= fabs(x[i] - y[i]) <= tolerance * (scale + fabs(y[i]));
    return good;
}

TEST(random_steps)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_RK4, PADIC_FIELD_METHOD_LEGACY_EULER};
    const int rounds = test_amount(10, 60, 1500);
    contexts_begin(1);
    for (int round = 0; round < rounds; round++) {
        static grid g;
        field f, h;
        random_grid(&g, methods[round % 5]);
        const uint64_t count = 1 + below(3);
        const double rotation = g.d.rotation;
        make_field(&f, &g, (int)below(2));
        h = f;
        h.memory = (char *)malloc(f.bytes);
        h.view.data = h.memory + 64;
        fill_field(&f, &g);
        wide *x = (wide *)malloc(4 * g.points * sizeof *x), *want = x + g.points;
        char *last = NULL;
        for (uint32_t c = 0; c < context_count; c++) {
            const double u = f.is_short ? 0x1p-24 : 0x1p-53;
            padic_field_plan *plan = NULL;
            padic_field_measure_desc measure = PADIC_ZERO;
            padic_field_hamiltonian_desc hamilton = PADIC_ZERO;
            padic_field_step_desc step = PADIC_ZERO;
            padic_field_record report[3], again[3];
            memcpy(f.memory, f.before, f.bytes);
            const uint64_t most = padic_field_plan_size_bound(contexts[c], &g.d);
            const padic_result result = padic_field_plan_create(contexts[c], &g.d, &plan);
            CHECK_EQ(result, 0);
            if (result) {
                describe(&g, padic_context_message(contexts[c]), c, 0);
                continue;
            }
            CHECK(padic_field_plan_size(plan) <= most);
            // Records, by a plan and without.
            measure.plan = plan, measure.psi = f.view, measure.report = report;
            CHECK_EQ(padic_field_measure(contexts[c], &measure), 0);
            padic_field_energy_desc energy = PADIC_ZERO;
            energy.field = g.d, energy.psi = f.view, energy.report = again;
            CHECK_EQ(padic_field_energy(contexts[c], &energy), 0);
            CHECK(!memcmp(f.memory, f.before, f.bytes));
            for (uint64_t b = 0; b < f.fields; b++) {
                for (uint64_t i = 0; i < g.points; i++) x[i] = get(&f, &g, b, i);
                const padic_field_record r = record_of(&g, x);
                double scale = fabs(r.kinetic) + fabs(r.potential) + r.norm +
                               fabs(r.angular_momentum) + fabs(r.mu);
                for (int k = 0; k < 3; k++) scale += 3 * fabs(r.interaction[k]);
                CHECK(near_record(&report[b], &r, scale, 1e-13 + (c > 1 ? 8 * u : 0)));
                if (!near_record(&report[b], &r, scale, 1e-13 + (c > 1 ? 8 * u : 0))) {
                    describe(&g, "record", c, 0);
                    for (int i = 0; i < 17; i++)
                        if (fabs((&report[b].time)[i] - (&r.time)[i]) > 1e-12 * scale)
                            printf("\n    %d: %.17g, should be %.17g", i, (&report[b].time)[i],
                                   (&r.time)[i]);
                }
                CHECK(near_record(&again[b], &report[b], scale, 1e-13));
            }
            // H psi, and its kinetic part.
            for (uint32_t only = 0; only < 2; only++) {
                memcpy(h.memory, f.before, f.bytes);
                hamilton.plan = plan, hamilton.psi = f.view, hamilton.out = h.view;
                hamilton.kinetic_only = only;
                CHECK_EQ(padic_field_hamiltonian(contexts[c], &hamilton), 0);
                h.before = f.before;
                CHECK(guards_kept(&h, &g));
                for (uint64_t b = 0; b < f.fields; b++) {
                    for (uint64_t i = 0; i < g.points; i++) x[i] = get(&f, &g, b, i);
                    if (only)
                        kinetic_part(&g, x, want);
                    else
                        hamiltonian(&g, x, want);
                    long double size = 0;
                    for (uint64_t i = 0; i < g.points; i++) size += square(want[i]);
                    const double e = size > 0 ? distance(&h, &g, b, want) : 0;
                    CHECK(e <= (c > 1 ? 8 : 2) * u + 1e-13);
                    if (!(e <= (c > 1 ? 8 : 2) * u + 1e-13))
                        describe(&g, only ? "Laplacian" : "H", c, e);
                }
            }
            // Steps. With a rotation the splitting is another one: see rotations below.
            step.plan = plan, step.psi = f.view, step.count = count;
            CHECK_EQ(padic_field_step(contexts[c], &step), 0);
            CHECK(guards_kept(&f, &g));
            for (uint64_t b = 0; b < f.fields && rotation == 0; b++) {
                memcpy(h.memory, f.before, f.bytes);
                for (uint64_t i = 0; i < g.points; i++) x[i] = get(&h, &g, b, i);
                for (uint64_t s = 0; s < count; s++) one_step(&g, x);
                const double e = distance(&f, &g, b, x), most_error = (c > 1 ? 40 : 6) * u + 2e-14;
                CHECK(e <= most_error);
                if (!(e <= most_error)) describe(&g, "step", c, e);
            }
            if (c == 0 || (context_count > 3 && c == 2)) {
                last = (char *)realloc(last, f.bytes);
                memcpy(last, f.memory, f.bytes);
            } else if (c == 1 || (context_count > 3 && c + 1 == context_count)) {
                CHECK(!memcmp(last, f.memory, f.bytes));
            }
            padic_field_plan_destroy(plan);
        }
        free(last);
        free(x);
        free(h.memory);
        drop_field(&f);
        drop_grid(&g);
    }
    contexts_end();
}

TEST_MAIN("test_field_oracles", CASE(random_steps))
