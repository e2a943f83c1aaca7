// suite.c: field, vortex, pooling, condensate and its step (gp) at the four sizes of the suite that
// this library replaces, one thread, by its formulas (LEGACY) and by the library's own, as CSV.
//
//     cc -O2 bench/suite.c -o suite -lm && ./suite [CASE [SIZE]]     cases: field vortex mera
//                                                                           condensate gp
//     python3 bench/peers/suite.py ./suite                           beside NumPy and JAX, in turns
//
// Data: points N(0, 1), sources N(0, 0.25), amplitude, frequency and wavenumber 1, phase and time
// 0; centres N(0, 0.09), charges -2 to 2, core 0.1; complex normal tensors, d_out = 2 d; from
// Philox, seed 6. Five calls warm up. first_us: the first call of all. error: the largest deviation
// from the same in f64 (the first pair of mera), by the largest value. bytes: what a call must read
// and write; flop: 8 a complex product and sum; a pair of a field counts 20, of a vortex 12.
// original_us: what the original expects of its kernels on an H100, at `large` only. limit_us: what
// is aimed at on one core, 1.3e9 pairs of a field a second with AVX-512 (0.8e9 AVX2, 0.3e9 NEON),
// 1.5e9 of a vortex, and for mera 80 % of the rate at which its weights are read; percent: of it.
// Large arrays ask for large pages, as those of NumPy do.
//
// condensate, gp: phi = 0.1 N(0, 1) on n^3 points, m2 = -0.5, lambda = 0.1, d = m, dt = 0.01; plain
// is a C loop of the same; own an energy, or one step, of the functional of padic_field_energy with
// K = 1, V = m2, {lambda, d}. norm and energy: what 1000 steps multiply them with, at small and
// medium. limit_us: the library's targets of one core with AVX-512.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // madvise
#endif
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define SEED 6

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(uint64_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, bytes < 1 << 22 ? 64 : 1 << 21, (size_t)bytes)) exit(1);
#ifdef MADV_HUGEPAGE
    if (bytes >= 1 << 22) (void)madvise(p, (size_t)bytes, MADV_HUGEPAGE);
#endif
    memset(p, 0, (size_t)bytes);
    return p;
}

// Normal numbers, four of a block (Box and Muller).
static float *normal(uint64_t count, uint32_t stream, double sigma)
{
    float *x = (float *)memory((count + 3) * 4);
    for (uint64_t i = 0; i < count; i += 4) {
        uint32_t w[4];
        padic_random_block(SEED, stream, 0, (uint32_t)(i / 4), w);
        for (int k = 0; k < 4; k += 2) {
            const float turn = 6.2831853f * ((float)w[k + 1] / 4294967296.f);
            const float r = (float)sigma * sqrtf(-2 * logf(((float)w[k] + 0.5f) / 4294967296.f));
            x[i + (uint64_t)k] = r * cosf(turn);
            x[i + (uint64_t)k + 1] = r * sinf(turn);
        }
    }
    return x;
}

static double *widened(const float *x, uint64_t count)
{
    double *d = (double *)memory(count * 8);
    for (uint64_t i = 0; i < count; i++) d[i] = x[i];
    return d;
}

// The largest difference by the largest value.
static double deviation(const float *x, const double *exact, uint64_t count)
{
    double off = 0, most = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (fabs(x[i] - exact[i]) > off) off = fabs(x[i] - exact[i]);
        if (fabs(exact[i]) > most) most = fabs(exact[i]);
    }
    return off / most;
}

typedef union operation {
    padic_wave_superpose_desc field;
    padic_wave_vortex_desc vortex;
    padic_tensor_pair_pool_desc pool;
    padic_field_legacy_energy_desc condensate;
    padic_field_legacy_euler_desc gp;
    padic_field_energy_desc energy;
    padic_field_step_desc step;
} operation;

enum { FIELD, VORTEX, MERA, CONDENSATE, GP, ENERGY, STEP, PLAIN_ENERGY, PLAIN_STEP };

// The legacy energy and step as loops that a compiler may vectorise, d = 3.
static double plain_energy(const padic_field_legacy_energy_desc *d)
{
    const long n = (long)d->phi.shape[0];
    const float(*phi)[2] = (const float(*)[2])d->phi.data;
    double kinetic = 0, norm = 0, cubes = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            const long at = (i * n + j) * n, low[2] = {i ? at - n * n : at, j ? at - n : at};
            const long high[2] = {i < n - 1 ? at + n * n : at, j < n - 1 ? at + n : at};
            const float w[2] = {i && i < n - 1 ? 0.25f : 1, j && j < n - 1 ? 0.25f : 1};
            float sum[3] = {0, 0, 0};
            for (long k = 0; k < n; k++) {
                const float *z = phi[at + k], *a = phi[at + (k ? k - 1 : 0)];
                const float *b = phi[at + (k < n - 1 ? k + 1 : k)];
                const float square = z[0] * z[0] + z[1] * z[1];
                float slope[2] = {b[0] - a[0], b[1] - a[1]};
                sum[0] += (k && k < n - 1 ? 0.25f : 1) *
                          (slope[0] * slope[0] + slope[1] * slope[1]);
                for (int c = 0; c < 2; c++) {
                    slope[0] = phi[high[c] + k][0] - phi[low[c] + k][0];
                    slope[1] = phi[high[c] + k][1] - phi[low[c] + k][1];
                    sum[0] += w[c] * (slope[0] * slope[0] + slope[1] * slope[1]);
                }
                sum[1] += square;
                sum[2] += square * sqrtf(square);
            }
            kinetic += (double)sum[0];
            norm += (double)sum[1];
            cubes += (double)sum[2];
        }
    return kinetic + d->mass_squared / 2 * norm + d->lambda / 6 * cubes;
}

static void plain_step(const padic_field_legacy_euler_desc *d)
{
    const long n = (long)d->phi.shape[0];
    const float(*phi)[2] = (const float(*)[2])d->phi.data;
    float(*out)[2] = (float(*)[2])d->out.data;
    const float mass = (float)d->mass_squared + 6, lambda = (float)d->lambda, dt = (float)d->dt;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            const long at = (i * n + j) * n;
            const float(*c)[2] = phi + at, (*a)[2] = phi + at + ((i ? i : n) - 1 - i) * n * n;
            const float(*b)[2] = phi + at + ((i < n - 1 ? i + 1 : 0) - i) * n * n;
            const float(*e)[2] = phi + at + ((j ? j : n) - 1 - j) * n;
            const float(*f)[2] = phi + at + ((j < n - 1 ? j + 1 : 0) - j) * n;
            for (long k = 0; k < n; k++) {
                const long l = k ? k - 1 : n - 1, r = k < n - 1 ? k + 1 : 0;
                const float own =
                    mass + lambda * sqrtf(c[k][0] * c[k][0] + c[k][1] * c[k][1]);
                const float re = own * c[k][0] - a[k][0] - b[k][0] - e[k][0] - f[k][0] - c[l][0] -
                                 c[r][0];
                const float im = own * c[k][1] - a[k][1] - b[k][1] - e[k][1] - f[k][1] - c[l][1] -
                                 c[r][1];
                out[at + k][0] = c[k][0] + dt * im;
                out[at + k][1] = c[k][1] - dt * re;
            }
        }
}

static padic_result once(padic_context *context, int what, const operation *o)
{
    if (what == FIELD) return padic_wave_superpose(context, &o->field);
    if (what == VORTEX) return padic_wave_vortex(context, &o->vortex);
    if (what == CONDENSATE) return padic_field_legacy_energy(context, &o->condensate);
    if (what == GP) return padic_field_legacy_euler(context, &o->gp);
    if (what == ENERGY) return padic_field_energy(context, &o->energy);
    if (what == STEP) return padic_field_step(context, &o->step);
    if (what == PLAIN_ENERGY)
        return o->condensate.report->energy = plain_energy(&o->condensate), PADIC_OK;
    if (what == PLAIN_STEP) return plain_step(&o->gp), PADIC_OK;
    return padic_tensor_pair_pool(context, &o->pool);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct row {
    const char *name, *variant, *size;
    int what, times;
    uint64_t n, m;
    double bytes, flop, error, original, limit, norm, energy; // the last two 0: nothing
} row;

static void measure(padic_context *context, const row *r, const operation *o)
{
    static double took[256];
    struct rusage usage;
    double first = 0;
    for (int i = -6; i < r->times; i++) { // the first, five to warm up
        const double begin = now();
        if (once(context, r->what, o)) {
            fprintf(stderr, "%s: %s\n", r->name, padic_context_message(context));
            exit(1);
        }
        if (i == -6) first = now() - begin;
        if (i >= 0) took[i] = now() - begin;
    }
    qsort(took, (size_t)r->times, sizeof *took, ascending);
    getrusage(RUSAGE_SELF, &usage);
    const double median = took[r->times / 2];
    printf("%s,%s,%s,%u,%u,%d,%.1f,%.1f,%.1f,%.1f,%.0f,%.0f,%.2f,%.2f,%.1e,%ld,%d,", r->name,
           r->variant, r->size, (unsigned)r->n, (unsigned)r->m, r->times, 1e6 * median,
           1e6 * took[(int)(0.95 * (r->times - 1) + 0.5)], 1e6 * took[0], 1e6 * first, r->bytes,
           r->flop, 1e-9 * r->bytes / median, 1e-9 * r->flop / median, r->error, usage.ru_maxrss,
           SEED);
    if (r->original > 0) printf("%.0f", r->original);
    printf(",");
    if (r->limit > 0) printf("%.2f", 1e6 * r->limit);
    printf(",");
    if (r->limit > 0) printf("%.0f", 100 * r->limit / median);
    printf(",");
    if (r->norm != 0) printf("%.7g", r->norm);
    printf(",");
    if (r->energy != 0) printf("%.7g", r->energy);
    printf("\n");
    fflush(stdout);
}

// Pairs a second that are aimed at.
static double field_rate(padic_context *context)
{
    padic_device_info info;
    padic_context_device_info(context, &info);
    return strstr(info.name, "avx512") ? 1.3e9 : strstr(info.name, "avx2") ? 8e8 : 3e8;
}

// Seconds to read numbers once, the least of five.
static double reading(const float *x, uint64_t count)
{
    double least = 1e9;
    volatile uint64_t seen = 0;
    for (int r = 0; r < 5; r++) {
        const double begin = now();
        uint64_t sum[8] = {0}, word[8];
        for (uint64_t i = 0; i + 16 <= count; i += 16) {
            memcpy(word, x + i, sizeof word);
            for (int j = 0; j < 8; j++) sum[j] ^= word[j];
        }
        for (int j = 0; j < 8; j++) seen = seen ^ sum[j];
        if (now() - begin < least) least = now() - begin;
    }
    return least;
}

static void field(padic_context *context, row *r)
{
    const uint64_t n = r->n, m = r->m;
    float *points = normal(3 * n, 0, 1), *sources = normal(3 * m, 1, 0.5);
    float *psi = (float *)memory(n * 8);
    double *exact = (double *)memory(n * 16), one = 1;
    for (int own = 0; own < 2; own++) {
        operation o;
        memset(&o, 0, sizeof o);
        padic_wave_superpose_desc *d = &o.field;
        d->points = padic_tensor_2d(PADIC_F32, points, n, 3);
        d->sources = padic_tensor_2d(PADIC_F32, sources, m, 3);
        d->wavenumber = d->frequency = padic_tensor_nd(PADIC_F64, &one, 0, NULL);
        d->sign = own ? PADIC_WAVE_SIGN_OUTGOING : PADIC_WAVE_SIGN_INCOMING;
        d->softening = own ? PADIC_WAVE_SOFTENING_PLUMMER_BOTH : PADIC_WAVE_SOFTENING_CLAMP;
        d->length = 0.1;
        d->out = padic_tensor_1d(PADIC_C128, exact, n);
        if (padic_wave_superpose(context, d)) exit(1);
        d->out = padic_tensor_1d(PADIC_C64, psi, n);
        if (padic_wave_superpose(context, d)) exit(1);
        r->name = "field", r->variant = own ? "own" : "legacy", r->what = FIELD;
        r->bytes = (double)(n * 20 + m * 12), r->flop = 20.0 * (double)n * (double)m;
        r->error = deviation(psi, exact, 2 * n);
        r->limit = (double)n * (double)m / field_rate(context);
        measure(context, r, &o);
    }
    free(points), free(sources), free(psi), free(exact);
}

static void vortex(padic_context *context, row *r)
{
    const uint64_t n = r->n, v = r->m;
    float *points = normal(3 * n, 0, 1), *centres = normal(3 * v, 2, 0.3);
    float *charges = (float *)memory(v * 4), core = 0.1f;
    float *psi = (float *)memory(n * 8);
    double *exact = (double *)memory(n * 16);
    for (uint64_t i = 0; i < v; i++) {
        uint32_t w[4];
        padic_random_block(SEED, 3, 0, (uint32_t)i, w);
        charges[i] = (float)(int)(w[0] % 5) - 2;
    }
    for (int own = 0; own < 2; own++) {
        operation o;
        memset(&o, 0, sizeof o);
        padic_wave_vortex_desc *d = &o.vortex;
        d->points = padic_tensor_2d(PADIC_F32, points, n, 3);
        d->centres = padic_tensor_2d(PADIC_F32, centres, v, 3);
        d->charges = padic_tensor_1d(PADIC_F32, charges, v);
        d->cores = padic_tensor_nd(PADIC_F32, &core, 0, NULL);
        d->core = own ? PADIC_WAVE_CORE_RATIONAL : PADIC_WAVE_CORE_LEGACY;
        d->out = padic_tensor_1d(PADIC_C128, exact, n);
        if (padic_wave_vortex(context, d)) exit(1);
        d->out = padic_tensor_1d(PADIC_C64, psi, n);
        if (padic_wave_vortex(context, d)) exit(1);
        r->name = "vortex", r->variant = own ? "own" : "legacy", r->what = VORTEX;
        r->bytes = (double)(n * 20 + v * 16), r->flop = 12.0 * (double)n * (double)v;
        r->error = deviation(psi, exact, 2 * n);
        r->limit = (double)n * (double)v / 1.5e9;
        measure(context, r, &o);
    }
    free(points), free(centres), free(charges), free(psi), free(exact);
}

static void mera(padic_context *context, row *r)
{
    const uint64_t n = r->n, d = r->m, rows = 2 * d * d, out = 2 * d, pairs = n / 2;
    float *t = normal(2 * n * d * d, 4, 1), *u = normal(2 * pairs * rows * rows, 5, 1);
    float *w = normal(2 * pairs * rows * out, 6, 1), *y = (float *)memory(pairs * out * 8);
    float *fused = (float *)memory(pairs * rows * out * 8);
    double *exact = (double *)memory(out * 16);
    double *wide[3] = {widened(t, 4 * d * d), widened(u, 2 * rows * rows),
                       widened(w, 2 * rows * out)};
    operation o;
    memset(&o, 0, sizeof o);
    padic_tensor_pair_pool_desc *p = &o.pool;
    p->tensors = padic_tensor_3d(PADIC_C128, wide[0], 2, d, d);
    p->u = padic_tensor_3d(PADIC_C128, wide[1], 1, rows, rows);
    p->w = padic_tensor_3d(PADIC_C128, wide[2], 1, rows, out);
    p->out = padic_tensor_2d(PADIC_C128, exact, 1, out);
    if (padic_tensor_pair_pool(context, p)) exit(1);
    p->tensors = padic_tensor_3d(PADIC_C64, t, n, d, d);
    p->u = padic_tensor_3d(PADIC_C64, u, pairs, rows, rows);
    p->w = padic_tensor_3d(PADIC_C64, w, pairs, rows, out);
    p->out = padic_tensor_2d(PADIC_C64, y, pairs, out);
    for (int own = 0; own < 2; own++) {
        const double weights = (double)(pairs * rows * (own ? out : rows + out));
        if (own) {
            p->fused = padic_tensor_3d(PADIC_C64, fused, pairs, rows, out);
            padic_tensor_pair_pool_fuse_desc fuse = PADIC_ZERO;
            fuse.u = p->u, fuse.w = p->w, fuse.out = p->fused;
            if (padic_tensor_pair_pool_fuse(context, &fuse)) exit(1);
        }
        if (padic_tensor_pair_pool(context, p)) exit(1);
        r->name = "mera", r->variant = own ? "fused" : "legacy", r->what = MERA;
        r->bytes = 8 * (weights + (double)(n * d * d + pairs * out)), r->flop = 8 * weights;
        r->error = deviation(y, exact, 2 * out);
        r->limit = (own ? reading(fused, 2 * pairs * rows * out)
                        : reading(u, 2 * pairs * rows * rows) +
                              reading(w, 2 * pairs * rows * out)) / 0.8;
        measure(context, r, &o);
        r->original = 0;
    }
    free(t), free(u), free(w), free(y), free(fused), free(exact);
    for (int i = 0; i < 3; i++) free(wide[i]);
}

// phi, and the plan of the library's own.
static padic_field_plan_desc twin(uint64_t n, uint64_t d)
{
    static double *potential = NULL;
    padic_field_plan_desc desc = PADIC_ZERO;
    free(potential);
    potential = (double *)memory(n * n * n * 8);
    for (uint64_t i = 0; i < n * n * n; i++) potential[i] = -0.5;
    desc.dims = 3;
    for (int a = 0; a < 3; a++) desc.shape[a] = n, desc.spacing[a] = 1;
    desc.kinetic = 1;
    desc.dt = 0.01;
    desc.power[0].g = 0.1;
    desc.power[0].p = (double)d;
    desc.potential = padic_tensor_3d(PADIC_F64, potential, n, n, n);
    return desc;
}

// Seconds that are aimed at, by the edge.
static double aim(uint64_t n, int step)
{
    return n == 16 ? 2.5e-6 : n == 32 ? 16e-6 : n == 64 ? 115e-6 : step ? 1.8e-3 : 1.1e-3;
}

static void condensate(padic_context *context, row *r)
{
    const uint64_t n = r->n, all = n * n * n;
    float *phi = normal(2 * all, 7, 0.1 * sqrt(0.5));
    double *wide = widened(phi, 2 * all);
    padic_field_legacy_energy_report report, exact;
    padic_field_record record;
    operation o;
    memset(&o, 0, sizeof o);
    o.condensate.phi = padic_tensor_3d(PADIC_C128, wide, n, n, n);
    o.condensate.mass_squared = -0.5, o.condensate.lambda = 0.1;
    o.condensate.power = (uint32_t)r->m;
    o.condensate.report = &exact;
    if (padic_field_legacy_energy(NULL, &o.condensate)) exit(1);
    o.condensate.report = &report;
    o.condensate.phi = padic_tensor_3d(PADIC_C64, phi, n, n, n);
    r->name = "condensate", r->bytes = 8 * (double)all, r->flop = 31 * (double)all;
    for (int plain = 0; plain < 2; plain++) {
        r->what = plain ? PLAIN_ENERGY : CONDENSATE, r->variant = plain ? "plain" : "legacy";
        if (once(context, r->what, &o)) exit(1);
        r->error = fabs(report.energy / exact.energy - 1);
        r->limit = aim(n, 0);
        measure(context, r, &o);
        r->original = 0;
    }
    memset(&o, 0, sizeof o);
    o.energy.field = twin(n, r->m);
    o.energy.psi = padic_tensor_3d(PADIC_C64, phi, n, n, n);
    o.energy.report = &record;
    r->what = ENERGY, r->variant = "own", r->error = r->limit = 0;
    measure(context, r, &o);
    free(phi), free(wide);
}

static void fresh(const float *from, float *to, uint64_t count)
{
    memcpy(to, from, count * 4);
}

// What 1000 steps multiply the norm and the energy with, of the functional of `plan`.
static void drift(padic_context *context, row *r, operation *o, padic_field_plan *plan, float *phi,
                  float *out)
{
    const uint64_t all = r->n * r->n * r->n;
    padic_field_record first, last;
    padic_field_measure_desc look = PADIC_ZERO;
    look.plan = plan;
    look.psi = padic_tensor_3d(PADIC_C64, phi, r->n, r->n, r->n);
    look.report = &first;
    r->norm = r->energy = 0;
    if (r->n > 32) return;
    if (padic_field_measure(context, &look)) exit(1);
    if (o->gp.dt != 0 && r->what == GP) {
        for (int i = 0; i < 1000; i++) {
            if (padic_field_legacy_euler(context, &o->gp)) exit(1);
            fresh(out, phi, 2 * all);
        }
    } else {
        o->step.count = 1000;
        if (padic_field_step(context, &o->step)) exit(1);
        o->step.count = 1;
    }
    look.report = &last;
    if (padic_field_measure(context, &look)) exit(1);
    r->norm = last.norm / first.norm;
    r->energy = last.energy / first.energy;
}

static void gp(padic_context *context, row *r)
{
    static const padic_field_method methods[3] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4};
    static const char *const variants[3] = {"SPLIT2", "LEAPFROG2", "RK4"};
    const uint64_t n = r->n, all = n * n * n;
    float *start = normal(2 * all, 7, 0.1 * sqrt(0.5)), *phi = (float *)memory(8 * all);
    float *out = (float *)memory(8 * all);
    double *wide[2] = {widened(start, 2 * all), widened(start, 2 * all)};
    operation o;
    memset(&o, 0, sizeof o);
    o.gp.phi = padic_tensor_3d(PADIC_C128, wide[0], n, n, n);
    o.gp.out = padic_tensor_3d(PADIC_C128, wide[1], n, n, n);
    o.gp.mass_squared = -0.5, o.gp.lambda = 0.1, o.gp.power = (uint32_t)r->m, o.gp.dt = 0.01;
    if (padic_field_legacy_euler(NULL, &o.gp)) exit(1);
    fresh(start, phi, 2 * all);
    o.gp.phi = padic_tensor_3d(PADIC_C64, phi, n, n, n);
    o.gp.out = padic_tensor_3d(PADIC_C64, out, n, n, n);
    r->name = "gp", r->bytes = 16 * (double)all, r->flop = 26 * (double)all;
    for (int plain = 1; plain >= 0; plain--) {
        r->what = plain ? PLAIN_STEP : GP, r->variant = plain ? "plain" : "legacy";
        if (once(context, r->what, &o)) exit(1);
        r->error = deviation(out, wide[1], 2 * all);
        r->limit = aim(n, 1);
        if (!plain) {
            padic_field_plan_desc desc = twin(n, r->m);
            padic_field_plan *plan;
            desc.method = PADIC_FIELD_METHOD_RK4;
            if (padic_field_plan_create(context, &desc, &plan)) exit(1);
            drift(context, r, &o, plan, phi, out);
            padic_field_plan_destroy(plan);
            fresh(start, phi, 2 * all);
        }
        measure(context, r, &o);
        r->original = 0;
    }
    for (int m = 0; m < 3; m++) {
        padic_field_plan_desc desc = twin(n, r->m);
        desc.method = methods[m];
        memset(&o, 0, sizeof o);
        if (padic_field_plan_create(context, &desc, &o.step.plan)) exit(1);
        fresh(start, phi, 2 * all);
        o.step.psi = padic_tensor_3d(PADIC_C64, phi, n, n, n);
        o.step.count = 1;
        r->what = STEP, r->variant = variants[m], r->error = r->limit = 0;
        drift(context, r, &o, o.step.plan, phi, out);
        measure(context, r, &o);
        padic_field_plan_destroy(o.step.plan);
    }
    r->norm = r->energy = 0;
    free(start), free(phi), free(out), free(wide[0]), free(wide[1]);
}

int main(int argc, char **argv)
{
    static const char *const sizes[] = {"small", "medium", "large", "extreme"};
    static const int times[] = {100, 50, 20, 10};
    static const uint64_t shapes[5][4][2] = {{{512, 10}, {2048, 20}, {8192, 50}, {32768, 100}},
                                             {{512, 3}, {2048, 5}, {8192, 10}, {32768, 20}},
                                             {{32, 4}, {64, 8}, {128, 16}, {256, 32}},
                                             {{16, 3}, {32, 3}, {64, 3}, {128, 3}},
                                             {{16, 3}, {32, 3}, {64, 3}, {128, 3}}};
    static const char *const names[] = {"field", "vortex", "mera", "condensate", "gp"};
    // Its optimised kernels, expected.
    static const double original[] = {5800, 4100, 17800, 18900, 21000};
    void (*const cases[])(padic_context *, row *) = {field, vortex, mera, condensate, gp};
    padic_context_desc how = PADIC_ZERO;
    padic_context *context = NULL;
    how.backends[0] = padic_simd();
    if (padic_context_create(&how, &context)) return 1;
    printf("case,variant,size,n,m,times,median_us,p95_us,min_us,first_us,bytes,flop,gb_s,gflop_s,"
           "error,peak_kib,seed,original_us,limit_us,percent,norm,energy\n");
    for (int c = 0; c < 5; c++) {
        for (int s = 0; s < 4; s++) {
            row r = {NULL, NULL, sizes[s], 0, times[s], shapes[c][s][0], shapes[c][s][1], 0, 0, 0,
                     s == 2 ? original[c] : 0, 0, 0, 0};
            if (argc > 1 && strcmp(argv[1], names[c])) continue;
            if (argc > 2 && strcmp(argv[2], sizes[s])) continue;
            (*cases[c])(context, &r);
        }
    }
    padic_context_destroy(context);
    return 0;
}
