// suite.c: field, vortex and pooling at the four sizes of the suite that this library replaces, one
// thread, by its formulas (LEGACY) and by the library's own, as CSV.
//
//     cc -O2 bench/suite.c -o suite -lm && ./suite [CASE [SIZE]]     cases: field vortex mera
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
} operation;

enum { FIELD, VORTEX, MERA };

static padic_result once(padic_context *context, int what, const operation *o)
{
    if (what == FIELD) return padic_wave_superpose(context, &o->field);
    if (what == VORTEX) return padic_wave_vortex(context, &o->vortex);
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
    double bytes, flop, error, original, limit;
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
    printf(",%.2f,%.0f\n", 1e6 * r->limit, 100 * r->limit / median);
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

int main(int argc, char **argv)
{
    static const char *const sizes[] = {"small", "medium", "large", "extreme"};
    static const int times[] = {100, 50, 20, 10};
    static const uint64_t shapes[3][4][2] = {{{512, 10}, {2048, 20}, {8192, 50}, {32768, 100}},
                                             {{512, 3}, {2048, 5}, {8192, 10}, {32768, 20}},
                                             {{32, 4}, {64, 8}, {128, 16}, {256, 32}}};
    static const char *const names[] = {"field", "vortex", "mera"};
    static const double original[] = {5800, 4100, 17800}; // its optimised kernels, expected
    void (*const cases[])(padic_context *, row *) = {field, vortex, mera};
    padic_context_desc how = PADIC_ZERO;
    padic_context *context = NULL;
    how.backends[0] = padic_simd();
    if (padic_context_create(&how, &context)) return 1;
    printf("case,variant,size,n,m,times,median_us,p95_us,min_us,first_us,bytes,flop,gb_s,gflop_s,"
           "error,peak_kib,seed,original_us,limit_us,percent\n");
    for (int c = 0; c < 3; c++) {
        for (int s = 0; s < 4; s++) {
            row r = {NULL, NULL, sizes[s], 0, times[s], shapes[c][s][0], shapes[c][s][1], 0, 0, 0,
                     s == 2 ? original[c] : 0, 0};
            if (argc > 1 && strcmp(argv[1], names[c])) continue;
            if (argc > 2 && strcmp(argv[2], sizes[s])) continue;
            (*cases[c])(context, &r);
        }
    }
    padic_context_destroy(context);
    return 0;
}
