// Complex and real matrix products on the CPU, beside OpenBLAS where it is installed (opened at run
// time, one thread); before them what has a target in milliseconds: entropies, paths, codes.
//
//     cc -O2 bench/tensor.c -o tensor -lm -ldl && ./tensor [level]
//
// For each size: fastest of many rounds, each round measures both one after the other, in time of
// this process, so that other programs matter less. A complex product and sum counts 8 flops, a
// real one 2.
#define _POSIX_C_SOURCE 200809L
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void (*blas_complex)(int, int, int, int, int, int, const void *, const void *, int,
                             const void *, int, const void *, void *, int);
typedef void (*blas_single)(int, int, int, int, int, int, float, const void *, int, const void *,
                            int, float, void *, int);
typedef void (*blas_double)(int, int, int, int, int, int, double, const void *, int, const void *,
                            int, double, void *, int);

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *symbol(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

// One product by OpenBLAS, row major; 0: not there.
static int blas(void *library, padic_dtype dtype, int n, const void *a, const void *b, void *c)
{
    const float one[2] = {1, 0}, zero[2] = {0, 0};
    const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    static const char *const names[] = {"cblas_sgemm", "cblas_dgemm", "cblas_cgemm", "cblas_zgemm"};
    const int which = dtype == PADIC_F32 ? 0 : dtype == PADIC_F64 ? 1 : dtype == PADIC_C64 ? 2 : 3;
    void *found = symbol(library, names[which]);
    blas_complex complex_product;
    blas_single single_product;
    blas_double double_product;
    if (!found) return 0;
    memcpy(&complex_product, &found, sizeof found);
    memcpy(&single_product, &found, sizeof found);
    memcpy(&double_product, &found, sizeof found);
    if (which == 0)
        single_product(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
    else if (which == 1)
        double_product(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
    else if (which == 2)
        complex_product(101, 111, 111, n, n, n, one, a, n, b, n, zero, c, n);
    else
        complex_product(101, 111, 111, n, n, n, one_d, a, n, b, n, zero_d, c, n);
    return 1;
}

static void row(padic_context *context, void *library, padic_dtype dtype, int n, double *rate)
{
    const uint64_t count = (uint64_t)n * (uint64_t)n, size = padic_dtype_size(dtype);
    const int parts = dtype == PADIC_C64 || dtype == PADIC_C128;
    const double flops = (parts ? 8.0 : 2.0) * n * (double)count;
    const int times = flops > 2e7 ? 1 : (int)(2e7 / flops) + 1, rounds = flops > 1e9 ? 7 : 40;
    padic_random_fill_desc fill = PADIC_ZERO;
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    double best = 1e9, other = 1e9, off = 0;
    char *x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = (char *)calloc((size_t)count, (size_t)size);
        if (!x[i]) exit(1);
    }
    for (int i = 0; i < 2; i++) {
        fill.tensor = padic_tensor_1d(dtype, x[i], count);
        fill.stream = (uint64_t)i;
        padic_random_fill(NULL, &fill);
    }
    desc.a = padic_tensor_2d(dtype, x[0], (uint64_t)n, (uint64_t)n);
    desc.b = padic_tensor_2d(dtype, x[1], (uint64_t)n, (uint64_t)n);
    desc.c = padic_tensor_2d(dtype, x[2], (uint64_t)n, (uint64_t)n);
    for (int r = 0; r < rounds; r++) {
        double begin = seconds();
        for (int i = 0; i < times; i++)
            if (padic_tensor_gemm(context, &desc)) exit(1);
        double took = (seconds() - begin) / times;
        if (took < best) best = took;
        begin = seconds();
        for (int i = 0; i < times; i++)
            if (!blas(library, dtype, n, x[0], x[1], x[3])) break;
        took = (seconds() - begin) / times;
        if (library && took < other) other = took;
    }
    for (uint64_t i = 0; library && i < count * (parts ? 2u : 1u); i++) {
        const int wide = dtype == PADIC_F64 || dtype == PADIC_C128;
        const double d = wide ? ((double *)(void *)x[2])[i] - ((double *)(void *)x[3])[i]
                              : (double)((float *)(void *)x[2])[i] - ((float *)(void *)x[3])[i];
        if (fabs(d) > off) off = fabs(d);
    }
    *rate = flops / best * 1e-9;
    printf("%-10s %5d  %8.2f GF/s  openblas %8.2f  ratio %5.2f  apart %.1e\n",
           padic_dtype_name(dtype), n, *rate, library ? flops / other * 1e-9 : 0.0,
           library ? other / best : 0.0, off);
    for (int i = 0; i < 4; i++) free(x[i]);
}

// Pair pooling at a size of the suite: bytes of U and W a second, beside plain reading of as many.
static void pool(padic_context *context, uint64_t n, uint64_t d)
{
    const uint64_t rows = 2 * d * d, out = 2 * d, count = n / 2 * rows * (rows + out);
    padic_tensor_pair_pool_desc desc = PADIC_ZERO;
    float *x = (float *)malloc((size_t)count * 8), *t = (float *)malloc((size_t)(n * d * d) * 8);
    float *y = (float *)malloc((size_t)(n * out) * 8);
    double best = 1e9, other = 1e9;
    volatile uint64_t seen = 0;
    if (!x || !t || !y) exit(1);
    for (uint64_t i = 0; i < 2 * count; i++) x[i] = (float)(i % 17) - 8;
    for (uint64_t i = 0; i < 2 * n * d * d; i++) t[i] = (float)(i % 13) - 6;
    desc.tensors = padic_tensor_3d(PADIC_C64, t, n, d, d);
    desc.u = padic_tensor_3d(PADIC_C64, x, n / 2, rows, rows);
    desc.w = padic_tensor_3d(PADIC_C64, x + 2 * (n / 2 * rows * rows), n / 2, rows, out);
    desc.out = padic_tensor_2d(PADIC_C64, y, n / 2, out);
    for (int r = 0; r < 15; r++) {
        double begin = seconds();
        if (padic_tensor_pair_pool(context, &desc)) exit(1);
        const double took = seconds() - begin;
        if (took < best) best = took;
        begin = seconds();
        uint64_t sum[8] = {0}, word[8];
        for (uint64_t i = 0; i + 16 <= 2 * count; i += 16) {
            memcpy(word, x + i, sizeof word);
            for (int j = 0; j < 8; j++) sum[j] ^= word[j];
        }
        for (int j = 0; j < 8; j++) seen = seen ^ sum[j];
        if (seconds() - begin < other) other = seconds() - begin;
    }
    printf("pair_pool  N %3d d %2d  %6.2f ms, %5.1f GB/s  reading %5.1f GB/s  ratio %5.2f\n",
           (int)n, (int)d, best * 1e3, (double)count * 8e-9 / best, (double)count * 8e-9 / other,
           other / best);
    free(x);
    free(t);
    free(y);
}

// What has a target in milliseconds: the fastest of some rounds, in time of this process.

static padic_context *target_context;
static padic_tensor_entropy_desc target_entropy;
static padic_tensor_einsum_desc target_einsum;
static padic_tensor_happy target_happy;
static padic_tensor_tableau target_tableau;

static padic_result entropy_once(void)
{
    return padic_tensor_entropy(target_context, &target_entropy);
}

static padic_result path_once(void)
{
    padic_tensor_path path;
    return padic_tensor_einsum_info(target_context, &target_einsum, &path);
}

static padic_result intervals_once(void) // up to half of the legs
{
    const uint32_t legs = target_happy.legs;
    padic_result result = PADIC_OK;
    for (uint32_t from = 0; from < legs; from++)
        for (uint32_t length = 1; length <= legs / 2 && !result; length++) {
            uint64_t part = 0;
            padic_tensor_happy_entropy_report report;
            padic_tensor_happy_entropy_desc desc = PADIC_ZERO;
            for (uint32_t i = 0; i < length; i++) part |= UINT64_C(1) << (from + i) % legs;
            desc.tableau = &target_tableau, desc.report = &report;
            desc.part = padic_tensor_1d(PADIC_U64, &part, 1);
            result = padic_tensor_happy_entropy(NULL, &desc);
        }
    return result;
}

static void target(const char *name, padic_result (*once)(void), double ms)
{
    double best = 1e9;
    for (int r = 0; r < 30; r++) {
        const double begin = seconds();
        if ((*once)()) {
            printf("%s: %s\n", name, padic_context_message(target_context));
            return;
        }
        if (seconds() - begin < best) best = seconds() - begin;
    }
    printf("%-46s %8.3f ms  target %5.1f  %s\n", name, best * 1e3, ms,
           best * 1e3 <= ms ? "met" : "MISSED");
}

// n tensors, all axes 2: an edge for each pair (`all`), or a ring with its long diagonals.
static void network(uint32_t n, int all, const char *name, double ms)
{
    static uint8_t labels[64][64];
    static uint64_t dims[64][64];
    static padic_tensor_term terms[64];
    uint32_t rank[64] = {0}, label = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            if (!all && j != i + 1 && !(i == 0 && j == n - 1) && j != i + n / 2) continue;
            labels[i][rank[i]++] = labels[j][rank[j]++] = (uint8_t)(label++ % 128);
        }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < rank[i]; k++) dims[i][k] = 2;
        memset(&terms[i], 0, sizeof terms[i]);
        terms[i].tensor = padic_tensor_1d(PADIC_C64, NULL, UINT64_C(1) << rank[i]);
        terms[i].labels = labels[i], terms[i].dims = dims[i], terms[i].rank = rank[i];
    }
    memset(&target_einsum, 0, sizeof target_einsum);
    target_einsum.operands = terms, target_einsum.count = n;
    target_einsum.out.tensor = padic_tensor_nd(PADIC_C64, NULL, 0, NULL);
    target(name, path_once, ms);
}

static void targets(padic_context *context)
{
    static float psi[2 * 64 * 64];
    static uint32_t links[6 * 64];
    static uint64_t rows[64 * 2 * 2];
    static uint8_t signs[64];
    padic_tensor_entropy_report entropy;
    padic_tensor_happy_build_desc build = PADIC_ZERO;
    padic_tensor_happy_encode_desc encode = PADIC_ZERO;
    target_context = context;
    for (int i = 0; i < 2 * 64 * 64; i++) psi[i] = (float)((i * 7919 + i * i % 1009) % 2003) - 1001;
    target_entropy.state = padic_tensor_2d(PADIC_C64, psi, 64, 64);
    target_entropy.part = 1, target_entropy.report = &entropy;
    target("entropy, state of 64 x 64, c64", entropy_once, 1);
    network(14, 0, "path, 14 tensors, ring with diagonals", 50);
    network(14, 1, "path, 14 tensors, every pair joined", 50);
    network(64, 0, "path, 64 tensors (greedy, 33 orders)", 5);
    build.layers = 1, build.links = padic_tensor_2d(PADIC_U32, links, 64, 6);
    build.out = &target_happy;
    encode.happy = &target_happy, encode.out = &target_tableau;
    encode.rows = padic_tensor_1d(PADIC_U64, rows, sizeof rows / sizeof *rows);
    encode.signs = padic_tensor_1d(PADIC_U8, signs, 64);
    if (padic_tensor_happy_build(context, &build) || padic_tensor_happy_encode(context, &encode))
        printf("code: %s\n", padic_context_message(context));
    else
        target("200 interval entropies, code of 20 legs", intervals_once, 2);
}

int main(int argc, char **argv)
{
    static const padic_dtype dtypes[] = {PADIC_C64, PADIC_C128, PADIC_F32, PADIC_F64};
    static const int sizes[] = {8, 16, 32, 64, 128, 256, 512, 1024};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *found = symbol(library, "openblas_set_num_threads");
    void (*threads)(int);
    padic_context_desc how = PADIC_ZERO;
    padic_context *context = NULL;
    padic_device_info info;
    how.backends[0] = padic_simd();
    how.device.name = argc > 1 ? argv[1] : NULL;
    if (padic_context_create(&how, &context)) return 1;
    padic_context_device_info(context, &info);
    if (found) {
        memcpy(&threads, &found, sizeof found);
        threads(1);
    }
    printf("%s; openblas: %s\n", info.name, library ? "found" : "not installed");
    targets(context);
    pool(context, 64, 8);
    pool(context, 128, 16);
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 8; i++) {
            double rate;
            row(context, library, dtypes[d], sizes[i], &rate);
        }
    padic_context_destroy(context);
    if (library) dlclose(library);
    return 0;
}
