// small_calls.c: what small calls cost, in ns: without a context, with a plain one and with one for
// vectors, beside FLINT's numbers and the products of OpenBLAS.
//
//     sh bench/build.sh OUT [FLAGS...]     with OUT named bench-small...: FLINT if it is installed
//     ./bench-small [--filter TEXT] [--rounds N] [--csv FILE]     FILE: rows are added
//
// All methods of a row take turns in one process, each for about 10 us at a time, N times, and each
// time another one begins; `least` is the shortest time of a call, `median` the one in the middle.
// Descs, workspaces and the peers' contexts are made before. What a context computes is compared
// with what none does, bit by bit where it must be the same. OpenBLAS is opened at run time, one
// thread.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"

#include "num.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define METHODS 4 // no context, plain, vectors, the peer
#define MAX_ROUNDS 4096

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "bench-small: %s\n", what);
    exit(1);
}

// ---------------------------------------------------------------------------------- >>operands

#define P 257
#define N 6
#define POINTS 64

static struct {
    padic_num_ring ring;
    padic_num_array a[2], b[2], out[2], four[2]; // by model; of 1, 1, 1 and 4 elements
    uint64_t memory[8][256];
    double x[32], y[32], z[32]; // 4 x 4, complex at most
    padic_tensor_gemm_desc gemm, gemm_complex;
    padic_tensor_contract_desc contract;
    uint64_t index;
    double point[3];
    padic_sample_radical_inverse_desc radical;
    padic_sample_halton_desc halton;
    double dense[4], value[4];
    int32_t row_ptr[3], col[4];
    padic_sparse_csr csr;
    padic_sparse_encode_desc encode;
    float points[POINTS][3], sources[8][3], wavenumber, field[POINTS];
    padic_wave_superpose_desc wave;
    float array[POINTS], back[POINTS];
    unsigned char packed[2][4096];
    void *workspace;
    padic_codec_report report;
    padic_codec_pack_desc pack[2]; // of levels 1 and 5
    padic_codec_unpack_desc unpack[2];
} d;

static void set_numbers(void)
{
    padic_num_value v = {0, N, {7, 0}};
    int model, i;
    if (padic_num_ring_init(&d.ring, P, N, NULL)) die("ring");
    for (model = 0; model < 2; model++) {
        padic_num_array *const of[4] = {&d.a[model], &d.b[model], &d.out[model], &d.four[model]};
        for (i = 0; i < 4; i++)
            if (padic_num_place(of[i], &d.ring, model ? PADIC_NUM_FLOAT : PADIC_NUM_RING,
                                i == 3 ? 4 : 1, d.memory[4 * model + i], sizeof d.memory[0]))
                die("numbers");
        v.u[0] = UINT64_C(123456789012345);
        padic_num_set(&d.a[model], 0, &v);
        v.u[0] = UINT64_C(98765432109876);
        padic_num_set(&d.b[model], 0, &v);
        for (i = 0; i < 4; i++) {
            v.u[0] = UINT64_C(31415926535) * (uint64_t)(i + 1);
            padic_num_set(&d.four[model], (uint64_t)i, &v);
        }
    }
}

static void set_products(void)
{
    int i;
    for (i = 0; i < 32; i++) {
        d.x[i] = 0.37 * i - 3;
        d.y[i] = 0.21 * i - 5;
    }
    d.gemm.a = padic_tensor_2d(PADIC_F64, d.x, 4, 4);
    d.gemm.b = padic_tensor_2d(PADIC_F64, d.y, 4, 4);
    d.gemm.c = padic_tensor_2d(PADIC_F64, d.z, 4, 4);
    d.gemm_complex.a = padic_tensor_2d(PADIC_C128, d.x, 4, 4);
    d.gemm_complex.b = padic_tensor_2d(PADIC_C128, d.y, 4, 4);
    d.gemm_complex.c = padic_tensor_2d(PADIC_C128, d.z, 4, 4);
    d.contract.a = d.gemm.a;
    d.contract.b = d.gemm.b;
    d.contract.c = d.gemm.c;
    memcpy(d.contract.labels_a, "ij", 2);
    memcpy(d.contract.labels_b, "jk", 2);
    memcpy(d.contract.labels_c, "ik", 2);
}

static void set_others(void)
{
    int i;
    d.index = 123456;
    d.radical.out = padic_tensor_1d(PADIC_F64, d.point, 1);
    d.radical.index = padic_tensor_1d(PADIC_U64, &d.index, 1);
    d.radical.base = 3;
    d.halton.out = padic_tensor_2d(PADIC_F64, d.point, 1, 3);
    d.halton.layout = PADIC_SAMPLE_LAYOUT_POINTS;
    d.halton.first = d.index;
    d.dense[1] = 2.5;
    d.dense[2] = -1;
    d.csr.row_ptr = padic_tensor_1d(PADIC_I32, d.row_ptr, 3);
    d.csr.col = padic_tensor_1d(PADIC_I32, d.col, 4);
    d.csr.value = padic_tensor_1d(PADIC_F64, d.value, 4);
    d.encode.source.dense = padic_tensor_2d(PADIC_F64, d.dense, 2, 2);
    d.encode.out = &d.csr;
    for (i = 0; i < POINTS; i++) {
        d.points[i][0] = 0.1f * (float)i + 1;
        d.array[i] = 0.25f * (float)(i * i % 97);
    }
    for (i = 0; i < 8; i++) d.sources[i][1] = 0.3f * (float)i;
    d.wavenumber = 3;
    d.wave.points = padic_tensor_2d(PADIC_F32, d.points, POINTS, 3);
    d.wave.sources = padic_tensor_2d(PADIC_F32, d.sources, 8, 3);
    d.wave.wavenumber = padic_tensor_nd(PADIC_F32, &d.wavenumber, 0, NULL);
    d.wave.output = PADIC_WAVE_OUTPUT_INTENSITY;
    d.wave.out = padic_tensor_1d(PADIC_F32, d.field, POINTS);
    if (posix_memalign(&d.workspace, 64, 1 << 24)) die("out of memory");
    for (i = 0; i < 2; i++) {
        d.pack[i].level = i ? 5 : 1;
        d.pack[i].tensor = padic_tensor_1d(PADIC_F32, d.array, POINTS);
        d.pack[i].packed = padic_bytes_out(d.packed[i], sizeof d.packed[i]);
        d.pack[i].report = &d.report;
        d.pack[i].workspace = padic_tensor_1d(PADIC_U8, d.workspace, 1 << 24);
        if (padic_codec_pack(NULL, &d.pack[i])) die("codec_pack");
        d.unpack[i].packed = padic_bytes_in(d.packed[i], d.report.packed_size);
        d.unpack[i].tensor = padic_tensor_1d(PADIC_F32, d.back, POINTS);
        d.unpack[i].workspace = d.pack[i].workspace;
    }
}

// ---------------------------------------------------------------------------------- >>rows

static padic_result mul_ring(padic_context *c)
{
    return padic_num_mul(c, &d.out[0], &d.a[0], &d.b[0]);
}

static padic_result mul_float(padic_context *c)
{
    return padic_num_mul(c, &d.out[1], &d.a[1], &d.b[1]);
}

static padic_result add_ring(padic_context *c)
{
    return padic_num_add(c, &d.out[0], &d.a[0], &d.b[0]);
}

static padic_result add_float(padic_context *c)
{
    return padic_num_add(c, &d.out[1], &d.a[1], &d.b[1]);
}

static padic_result sum_ring(padic_context *c)
{
    return padic_num_sum(c, &d.out[0], &d.four[0]);
}

static padic_result sum_float(padic_context *c)
{
    return padic_num_sum(c, &d.out[1], &d.four[1]);
}

static padic_result inv_float(padic_context *c)
{
    return padic_num_inv(c, &d.out[1], &d.a[1]);
}

static padic_result gemm(padic_context *c)
{
    return padic_tensor_gemm(c, &d.gemm);
}

static padic_result gemm_complex(padic_context *c)
{
    return padic_tensor_gemm(c, &d.gemm_complex);
}

static padic_result contract(padic_context *c)
{
    return padic_tensor_contract(c, &d.contract);
}

static padic_result radical(padic_context *c)
{
    return padic_sample_radical_inverse(c, &d.radical);
}

static padic_result halton(padic_context *c)
{
    return padic_sample_halton(c, &d.halton);
}

static padic_result encode(padic_context *c)
{
    return padic_sparse_encode(c, &d.encode);
}

static padic_result superpose(padic_context *c)
{
    return padic_wave_superpose(c, &d.wave);
}

static padic_result pack1(padic_context *c)
{
    return padic_codec_pack(c, &d.pack[0]);
}

static padic_result pack5(padic_context *c)
{
    return padic_codec_pack(c, &d.pack[1]);
}

static padic_result unpack1(padic_context *c)
{
    return padic_codec_unpack(c, &d.unpack[0]);
}

static padic_result unpack5(padic_context *c)
{
    return padic_codec_unpack(c, &d.unpack[1]);
}

typedef struct row {
    const char *name;
    padic_result (*run)(padic_context *context);
    const void *out;
    size_t bytes; // 0: computed with vectors, which differ within a bound
    int flint;    // a num_op, of which FLINT's is `peer`; -1: none
    int blas;     // cblas_dgemm, cblas_zgemm; 0: none
} row;

static const row rows[] = {
    {"num mul, RING", mul_ring, d.memory[2], 8, NUM_BARE_MUL, 0},
    {"num mul, FLOAT", mul_float, d.memory[6], 8, NUM_MUL, 0},
    {"num add, RING", add_ring, d.memory[2], 8, -1, 0},
    {"num add, FLOAT", add_float, d.memory[6], 8, NUM_ADD, 0},
    {"num sum of 4, RING", sum_ring, d.memory[2], 8, -1, 0},
    {"num sum of 4, FLOAT", sum_float, d.memory[6], 8, -1, 0},
    {"num inv, FLOAT", inv_float, d.memory[6], 8, NUM_INV, 0},
    {"gemm 4 x 4, F64", gemm, d.z, 0, -1, 1},
    {"gemm 4 x 4, C128", gemm_complex, d.z, 0, -1, 2},
    {"contract ij,jk->ik, F64", contract, d.z, 0, -1, 1},
    {"radical inverse, 1 point", radical, d.point, 8, -1, 0},
    {"halton, 1 point of 3", halton, d.point, 24, -1, 0},
    {"sparse encode 2 x 2, F64", encode, d.value, 32, -1, 0},
    {"superpose 64 points, 8 sources", superpose, d.field, 0, -1, 0},
    {"codec pack 64, F32, level 1", pack1, d.packed[0], sizeof d.packed[0], -1, 0},
    {"codec pack 64, F32, level 5", pack5, d.packed[1], sizeof d.packed[1], -1, 0},
    {"codec unpack 64, F32, level 1", unpack1, d.back, sizeof d.back, -1, 0},
    {"codec unpack 64, F32, level 5", unpack5, d.back, sizeof d.back, -1, 0},
};

// ---------------------------------------------------------------------------------- >>peers

typedef void (*blas_complex)(int, int, int, int, int, int, const void *, const void *, int,
                             const void *, int, const void *, void *, int);
typedef void (*blas_double)(int, int, int, int, int, int, double, const void *, int, const void *,
                            int, double, void *, int);

static blas_double dgemm;
static blas_complex zgemm;

static void open_blas(void)
{
    void (*threads)(int) = NULL;
    void *library, *found;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    found = dlsym(library, "openblas_set_num_threads");
    memcpy(&threads, &found, sizeof found);
    if (threads) threads(1);
    found = dlsym(library, "cblas_dgemm");
    memcpy(&dgemm, &found, sizeof found);
    found = dlsym(library, "cblas_zgemm");
    memcpy(&zgemm, &found, sizeof found);
}

static void run_dgemm(void *state)
{
    (void)state;
    dgemm(101, 111, 111, 4, 4, 4, 1, d.x, 4, d.y, 4, 0, d.z, 4);
}

static void run_zgemm(void *state)
{
    static const double one[2] = {1, 0}, zero[2] = {0, 0};
    (void)state;
    zgemm(101, 111, 111, 4, 4, 4, one, d.x, 4, d.y, 4, zero, d.z, 4);
}

// A row's peer: its function and state, its name; NULL: none.
static const char *open_peer(const row *r, void (**run)(void *), void **state)
{
    *run = NULL;
    *state = NULL;
    if (r->blas == 1 && dgemm) *run = run_dgemm;
    if (r->blas == 2 && zgemm) *run = run_zgemm;
    if (*run) return "OpenBLAS";
#ifdef BENCH_FLINT
    if (r->flint >= 0) {
        const uint64_t a = UINT64_C(123456789012345), b = UINT64_C(98765432109876);
        *state = num_flint.open((num_op)r->flint, P, N, 1, 1, &a, &b, 0);
        *run = num_flint.run;
        return "FLINT";
    }
#endif
    return NULL;
}

static void close_peer(void *state)
{
#ifdef BENCH_FLINT
    if (state) num_flint.close(state);
#endif
    (void)state;
}

// ---------------------------------------------------------------------------------- >>main

static double runs[METHODS][MAX_ROUNDS], least[METHODS], median[METHODS];

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const row *r, padic_context *const contexts[3])
{
    static unsigned char first[4096];
    int i;
    for (i = 0; i < 3; i++) {
        if (i && !contexts[i]) continue;
        if ((*r->run)(contexts[i])) die(r->name);
        if (!i) memcpy(first, r->out, r->bytes);
        if (memcmp(first, r->out, r->bytes)) die("a context computes something else");
    }
}

// Fills least[] and median[]; 0 where a method is missing.
static void measure(const row *r, padic_context *const contexts[3], void (*peer)(void *),
                    void *state, int rounds)
{
    int inner[METHODS], i, j, k, turn;
    for (k = 0; k <= rounds; k++)
        for (turn = 0; turn < METHODS; turn++) {
            int here, times;
            double t;
            i = (k + turn) % METHODS;
            here = i == 3 ? peer != NULL : !i || contexts[i];
            times = k ? inner[i] : 64;
            t = now();
            for (j = 0; here && j < times; j++) {
                if (i == 3)
                    (*peer)(state);
                else if ((*r->run)(contexts[i]))
                    die(r->name);
            }
            t = here ? (now() - t) / times : 0;
            if (k)
                runs[i][k - 1] = t;
            else
                inner[i] = t > 0 && t < 1e4 ? (int)(1e4 / t) + 1 : 1;
        }
    for (i = 0; i < METHODS; i++) {
        qsort(runs[i], (size_t)rounds, sizeof(double), by_size);
        least[i] = runs[i][0];
        median[i] = runs[i][rounds / 2];
    }
}

static void ratio(double a, double b)
{
    if (a > 0 && b > 0)
        printf("  %5.2f", a / b);
    else
        printf("      -");
}

int main(int argc, char **argv)
{
    static const char *const method[] = {"none", "plain", "simd"};
    const char *filter = "", *csv_name = NULL;
    padic_context *contexts[3] = {NULL, NULL, NULL};
    padic_context_desc desc = PADIC_ZERO;
    int rounds = 1000, i, j;
    FILE *csv = NULL;
    for (i = 1; i < argc; i++) {
        if (i + 1 < argc && !strcmp(argv[i], "--filter"))
            filter = argv[++i];
        else if (i + 1 < argc && !strcmp(argv[i], "--rounds"))
            rounds = atoi(argv[++i]);
        else if (i + 1 < argc && !strcmp(argv[i], "--csv"))
            csv_name = argv[++i];
        else
            return printf("bench-small [--filter TEXT] [--rounds N] [--csv FILE]\n"), 2;
    }
    if (rounds < 1) rounds = 1;
    if (rounds > MAX_ROUNDS) rounds = MAX_ROUNDS;
    if (padic_context_create(&desc, &contexts[1])) die("context_create");
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &contexts[2])) contexts[2] = NULL; // no vectors here
    if (csv_name) csv = fopen(csv_name, "a");
    if (csv_name && !csv) die("the CSV cannot be written");
    set_numbers();
    set_products();
    set_others();
    open_blas();
    printf("%-31s %8s %8s  %5s  %5s %8s  %5s\n", "ns", "none", "(median)", "plain", "simd", "peer",
           "ratio");
    for (i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        const row *r = &rows[i];
        void (*peer)(void *);
        void *state;
        const char *name;
        if (!strstr(r->name, filter)) continue;
        compare(r, contexts);
        name = open_peer(r, &peer, &state);
        measure(r, contexts, peer, state, rounds);
        close_peer(state);
        printf("%-31s %8.1f %8.1f", r->name, least[0], median[0]);
        ratio(least[1], least[0]);
        ratio(least[2], least[0]);
        if (name) {
            printf(" %8.1f", least[3]);
            ratio(least[0], least[3]);
            printf("  %s", name);
        }
        printf("\n");
        for (j = 0; csv && j < METHODS; j++)
            if (least[j] > 0)
                fprintf(csv, "\"%s\",%s,%d,%.2f,%.2f\n", r->name, j < 3 ? method[j] : name, rounds,
                        median[j], least[j]);
    }
    if (csv) fclose(csv);
    for (i = 1; i < 3; i++)
        if (contexts[i]) padic_context_destroy(contexts[i]);
    free(d.workspace);
    return 0;
}
