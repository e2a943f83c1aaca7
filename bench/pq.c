// The bench of product quantisation on the CPU, one core unless --threads: microseconds of a call.
//
//     cc -O2 bench/pq.c -o bench-pq -lm -lpthread && ./bench-pq
//     ./bench-pq --seconds 1 --filter general --threads 2 --level avx2
//
// decoder: a step of 32 heads with 32,000 keys of 128 components, 2 sub-vectors of 64 centroids,
// sink, window and heavy 128, codes from position 128 on (31,872 of them): one key per head is
// appended, then the lists are made, warm; the parts; all methods; attention over the lists; codes,
// random ones, of 2.04 MB. general: the lists of one head by FILTER and SCORES, other sub-vectors
// and centroids, 2^16 keys and 2^20, as GB/s of codes. Peers: bench/peers/pq.py, with the same
// shapes.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_PQ
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"

#include <stdio.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static padic_context *context;
static double budget = 0.5;
static const char *filter = "";
static uint32_t state = 1;
static int packed; // codes of 6 bits in 48 bytes

static float uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1;
}

static void *floats(uint64_t count)
{
    float *p = (float *)malloc((size_t)count * sizeof *p);
    for (uint64_t i = 0; i < count; i++) p[i] = uniform();
    return p;
}

static void must(padic_result result, const char *what)
{
    if (!result) return;
    fprintf(stderr, "%s: %s\n", what, padic_result_text(result));
    exit(1);
}

static padic_tensor tensor(padic_dtype dtype, void *data, uint32_t rank, uint64_t n0, uint64_t n1,
                           uint64_t n2, uint64_t n3, uint64_t n4)
{
    const uint64_t shape[5] = {n0, n1, n2, n3, n4};
    return padic_tensor_nd(dtype, data, rank, shape);
}

typedef struct world {
    padic_pq_append_desc append;
    padic_pq_truncate_desc truncate;
    padic_pq_select_desc select;
    padic_pq_attend_desc attend;
    uint32_t fewer;
} world;

// Random centroids, codes, keys and queries of `heads`; `n` codes and room for one more.
static void world_make(world *w, uint64_t heads, uint64_t n, uint64_t start, uint64_t m,
                       uint32_t bits, uint64_t d, uint64_t k)
{
    const uint64_t cells = (uint64_t)1 << bits, tiles = n / 64 + 1, ds = d / m;
    const uint64_t width = bits <= 4 ? 32 : packed ? 48 : 64, cap = 256 + k;
    padic_pq_prepare_desc prepare = PADIC_ZERO;
    padic_pq_import_desc import = PADIC_ZERO;
    padic_pq_codebook book = PADIC_ZERO;
    padic_pq_cache cache = PADIC_ZERO;
    uint8_t *codes = (uint8_t *)malloc((size_t)(heads * n * m));
    memset(w, 0, sizeof *w);
    book.centroids =
        tensor(PADIC_F32, floats(heads * m * cells * ds), 5, 1, heads, m, cells, ds);
    book.scaled =
        tensor(PADIC_F32, floats(heads * m * cells * (ds + 1)), 5, 1, heads, m, ds + 1, cells);
    book.info = tensor(PADIC_I32, floats(heads * m * 4), 4, 1, heads, m, 4, 0);
    prepare.codebook = book;
    must(padic_pq_prepare(NULL, &prepare), "prepare");
    cache.codes = tensor(PADIC_U8, calloc(heads * tiles * m, width), 5, 1, heads, tiles, m, width);
    cache.lengths = padic_tensor_1d(PADIC_U32, calloc(1, 4), 1);
    if (m * bits <= 13)
        cache.counts = tensor(PADIC_U32, calloc(heads << m * bits, 4), 3, 1, heads,
                              (uint64_t)1 << m * bits, 0, 0);
    cache.start = start;
    cache.bits = bits;
    for (uint64_t i = 0; i < heads * n * m; i++)
        codes[i] = (uint8_t)((uint32_t)((uniform() + 1) * 32768.0f) & (cells - 1));
    import.cache = cache;
    import.codes = tensor(PADIC_U8, codes, 4, 1, heads, n, m, 0);
    must(padic_pq_import(NULL, &import), "import");
    free(codes);
    w->append.codebook = w->select.codebook = book;
    w->append.cache = w->select.cache = w->truncate.cache = cache;
    w->append.keys = tensor(PADIC_F32, floats(heads * d), 4, 1, heads, 1, d, 0);
    w->fewer = (uint32_t)n;
    w->truncate.lengths = padic_tensor_1d(PADIC_U32, &w->fewer, 1);
    w->select.queries = tensor(PADIC_F32, floats(heads * d), 4, 1, heads, 1, d, 0);
    w->select.sink = w->select.window = 128;
    w->select.heavy = k;
    w->select.lists = tensor(PADIC_I32, calloc(heads * cap, 4), 4, 1, heads, 1, cap, 0);
    w->select.lengths = tensor(PADIC_U32, calloc(heads, 4), 3, 1, heads, 1, 0, 0);
    w->attend.queries = w->select.queries;
    w->attend.lists = w->select.lists;
    w->attend.lengths = w->select.lengths;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// The least and the median of what a call takes, with `before` outside the clock; microseconds.
static double measure(const char *name, void (*call)(world *w), void (*before)(world *w), world *w,
                      double *least)
{
    static double times[100000];
    const double end = seconds_now() + budget;
    int n = 0;
    do {
        double start;
        if (before) (*before)(w);
        start = seconds_now();
        (*call)(w);
        times[n++] = (seconds_now() - start) * 1e6;
    } while (n < 100000 && (n < 11 || seconds_now() < end));
    qsort(times, (size_t)n, sizeof *times, ascending);
    *least = times[0];
    if (name) printf("%-34s %10.1f %10.1f\n", name, times[n / 2], times[0]);
    fflush(stdout);
    return times[n / 2];
}

static void back(world *w)
{
    must(padic_pq_truncate(NULL, &w->truncate), "truncate");
}

static void append(world *w)
{
    must(padic_pq_append(context, &w->append), "append");
}

static void selection(world *w)
{
    must(padic_pq_select(context, &w->select), "select");
}

static void step(world *w)
{
    append(w);
    selection(w);
}

static void attend(world *w)
{
    must(padic_pq_attend(context, &w->attend), "attend");
}

static void decoder(void)
{
    static const char *const methods[4] = {"lists, the method of its choice", "lists by SCORES",
                                           "lists by CELLS", "lists by FILTER"};
    const uint64_t heads = 32, keys = 32000, d = 128;
    world w, p;
    double least;
    world_make(&w, heads, keys - 129, 128, 2, 6, d, 128);
    printf("decoder: 32 heads, 32,000 keys          median      least us\n");
    (void)measure("append and lists", step, back, &w, &least);
    back(&w);
    (void)measure("append", append, back, &w, &least);
    for (int i = 0; i < 4; i++) {
        w.select.method = (padic_pq_method)i;
        (void)measure(methods[i], selection, NULL, &w, &least);
    }
    packed = 1;
    world_make(&p, heads, keys - 129, 128, 2, 6, d, 128);
    packed = 0;
    for (int i = 0; i < 4; i++) { // in turns
        w.select.method = p.select.method = (padic_pq_method)(2 + i / 2);
        (void)measure(i < 2 ? "lists by CELLS" : "lists by FILTER", selection, NULL, &w, &least);
        (void)measure("with packed codes", selection, NULL, &p, &least);
    }
    w.attend.keys = tensor(PADIC_F32, floats(heads * keys * d), 4, 1, heads, keys, d, 0);
    w.attend.values = tensor(PADIC_F32, floats(heads * keys * d), 4, 1, heads, keys, d, 0);
    w.attend.out = tensor(PADIC_F32, floats(heads * d), 4, 1, heads, 1, d, 0);
    (void)measure("attention over 384 entries", attend, NULL, &w, &least);
}

static void general(void)
{
    static const struct {
        uint64_t n, m, k;
        uint32_t bits;
    } shapes[] = {{1 << 16, 16, 128, 4},  {1 << 16, 32, 128, 4},   {1 << 16, 8, 128, 8},
                  {1 << 16, 16, 128, 8},  {1 << 16, 32, 128, 8},   {1 << 20, 32, 2048, 8}};
    printf("general: one head\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const double bytes = (double)(shapes[i].n * shapes[i].m) * (shapes[i].bits <= 4 ? 0.5 : 1);
        world w;
        world_make(&w, 1, shapes[i].n, 0, shapes[i].m, shapes[i].bits, 128, shapes[i].k);
        for (int how = 0; how < 2; how++) {
            double least, median;
            w.select.method = how ? PADIC_PQ_METHOD_SCORES : PADIC_PQ_METHOD_FILTER;
            median = measure(NULL, selection, NULL, &w, &least);
            printf("%8lu keys, %2lu x %3u, k %4lu %s %10.1f us, %6.2f GB/s of codes\n",
                   (unsigned long)shapes[i].n, (unsigned long)shapes[i].m, 1u << shapes[i].bits,
                   (unsigned long)shapes[i].k, how ? "SCORES" : "FILTER", median,
                   bytes / median * 1e-3);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_threads *workers = NULL;
    int plain = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seconds")) budget = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--filter")) filter = argv[i + 1];
        else if (!strcmp(argv[i], "--level")) {
            plain = !strcmp(argv[i + 1], "none");
            desc.device.name = argv[i + 1];
        } else if (!strcmp(argv[i], "--threads")) {
            workers = padic_threads_create((uint32_t)atoi(argv[i + 1]), NULL);
            desc.jobs = padic_threads_jobs(workers);
        }
    }
    if (!plain) desc.backends[0] = padic_simd();
    else desc.device.name = NULL;
    must(padic_context_create(&desc, &context), "context");
    if (!*filter || strstr("decoder", filter)) decoder();
    if (!*filter || strstr("general", filter)) general();
    padic_context_destroy(context);
    padic_threads_destroy(workers);
    return 0;
}
