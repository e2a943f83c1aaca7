// gpu_tensor.c: complex matrix products, contractions, factorisations and entropies on a device, as
// CSV.
//
//     cc -O2 -std=gnu99 -DPADIC_NO_CODEC bench/gpu_tensor.c -o gpu_tensor -lm -lpthread -ldl
//     ./gpu_tensor [cuda|opencl|cpu] [CASE...] [--math exact|gauss|split|tf32] [--peak TFLOPS]
//                  [--runs N]
//     ./gpu_tensor cuda --serve      for bench/peers/tensor_torch.py: commands on standard input
//
// One row a case and math: case, math, method, sizes, runs, median and least milliseconds of a call
// (many calls between two waits for the device), TFLOP/s by 8 flop a complex multiply-add (2 real),
// share of the device's fp32 peak (--peak; an H200 by itself), first call (compilation included),
// and the relative error in the Frobenius norm against f64 sums of 256 random results. Inputs are
// N(0,1) from Philox, seed 1; above 64 MiB the same numbers come again. Factorisations (svd64 and
// so on) write `status` and are not waited for one by one; entropies are. Their math is "-", their
// error the relative residual of the last matrix, or that of the entropy.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "gpu.h"
#include <math.h>

typedef struct bench_case {
    const char *name;
    const char *expression; // NULL: a gemm
    uint64_t batch, m, n, k;
    padic_tensor_op op_a, op_b;
    padic_dtype dtype;
} bench_case;

// d is the bond dimension of an item: matrices of d^2 x d^2.
static const bench_case cases[] = {
    {"d16", NULL, 256, 256, 256, 256, 0, 0, PADIC_C64},
    {"d32", NULL, 256, 1024, 1024, 1024, 0, 0, PADIC_C64},
    {"d64", NULL, 128, 4096, 4096, 4096, 0, 0, PADIC_C64},
    {"d4", NULL, 16384, 16, 16, 16, 0, 0, PADIC_C64},
    {"d8", NULL, 4096, 64, 64, 64, 0, 0, PADIC_C64},
    {"one32", NULL, 65536, 32, 32, 32, 0, 0, PADIC_C64},
    {"one8", NULL, 262144, 8, 8, 8, 0, 0, PADIC_C64},
    {"d16tc", NULL, 256, 256, 256, 256, 1, 2, PADIC_C64},
    {"d16f32", NULL, 256, 256, 256, 256, 0, 0, PADIC_F32},
    {"dot", NULL, 1, 16, 16, 1 << 20, 0, 1, PADIC_C64},
    // Legs in the order of a network: neither rows nor columns nor the sum are one axis.
    {"legs16", "tabcd,tbedf->taecf", 256, 16, 16, 16, 0, 0, PADIC_C64},
    {"legs32", "tabcd,tbedf->taecf", 64, 32, 32, 32, 0, 0, PADIC_C64},
};

typedef struct factor_case {
    const char *name;
    int kind; // 0 svd, 1 its values, 2 qr, 3 eigh, 4 entropy of one state (m x n)
    uint64_t batch, m, n;
} factor_case;

static const factor_case factors[] = {
    {"svd64", 0, 256, 64, 64},     {"svdvals64", 1, 256, 64, 64}, {"svd16", 0, 256, 16, 16},
    {"svdvals16", 1, 256, 16, 16}, {"qr64", 2, 256, 64, 64},      {"eigh64", 3, 256, 64, 64},
    {"eigh16", 3, 256, 16, 16},    {"entropy64", 4, 1, 64, 64},   {"entropy8", 4, 1, 8, 8},
    {"entropy32", 4, 1, 32, 32768},
};
#define FACTORS (sizeof factors / sizeof *factors)

typedef struct bench {
    double peak; // flop/s
    const bench_case *c;
    const factor_case *f; // instead of c
    padic_buffer made[4]; // u or v or q, vh or r, values, status
    padic_tensor_svd_desc svd;
    padic_tensor_qr_desc qr;
    padic_tensor_eigh_desc eigh;
    padic_tensor_entropy_desc entropy;
    padic_tensor_entropy_report s;
    uint64_t count[3], most[3]; // elements of a, b, c; of them different ones
    float *host[2];
    padic_buffer buffer[3];
    padic_tensor_gemm_desc gemm;
    padic_tensor_contract_desc contract;
} bench;

static const char *const maths[4] = {"exact", "gauss", "split", "tf32"};

static void normal(float *to, uint64_t count, uint64_t stream)
{
    for (uint64_t i = 0; i < count; i += 4) {
        uint32_t w[4];
        padic_random_block(1, stream, 0, (uint32_t)(i / 4), w);
        for (int j = 0; j < 4 && i + (uint64_t)j < count; j++) {
            const double r = sqrt(-2 * log(((double)w[j & 2] + 1) / 4294967297.0));
            const double t = 6.283185307179586 * (double)w[j | 1] / 4294967296.0;
            to[i + (uint64_t)j] = (float)(r * (j & 1 ? sin(t) : cos(t)));
        }
    }
}

static uint64_t parts(const bench *b) { return b->c->dtype == PADIC_C64 ? 2 : 1; }

static void fill(bench *b, int i)
{
    const uint64_t bytes = b->most[i] * parts(b) * 4, all = b->count[i] * parts(b) * 4;
    b->buffer[i] = buffer_of(all);
    if (i == 2) return;
    b->host[i] = (float *)malloc((size_t)bytes);
    normal(b->host[i], b->most[i] * parts(b), (uint64_t)i);
    must(padic_buffer_upload(context, b->buffer[i], 0, b->host[i], bytes), "upload");
    for (uint64_t at = bytes; at < all; at += bytes)
        must(padic_buffer_copy(context, b->buffer[i], at, b->buffer[i], 0,
                                   all - at < bytes ? all - at : bytes),
              "copy");
}

static padic_tensor view(const bench *b, int i, uint32_t rank, const uint64_t *shape)
{
    return padic_tensor_in(padic_tensor_nd(b->c->dtype, NULL, rank, shape), b->buffer[i], 0);
}

static void begin(bench *b)
{
    const bench_case *c = b->c;
    const uint64_t m = c->expression ? c->m * c->m : c->m, n = c->expression ? c->n * c->n : c->n;
    const uint64_t k = c->expression ? c->k * c->k : c->k;
    const uint64_t limit = (UINT64_C(64) << 20) / 8;
    b->count[0] = c->batch * m * k;
    b->count[1] = c->batch * k * n;
    b->count[2] = c->batch * m * n;
    for (int i = 0; i < 3; i++) {
        const uint64_t item = b->count[i] / c->batch;
        b->most[i] = b->count[i] <= limit ? b->count[i] : item;
        if (b->count[i] > limit && item < limit) b->most[i] = limit / item * item;
        fill(b, i);
    }
    memset(&b->gemm, 0, sizeof b->gemm);
    memset(&b->contract, 0, sizeof b->contract);
    if (c->expression) {
        const uint64_t shape[5] = {c->batch, c->m, c->m, c->m, c->m};
        padic_tensor_labels_desc labels = PADIC_ZERO;
        labels.expression = c->expression, labels.out = &b->contract;
        must(padic_tensor_labels(NULL, &labels), "labels");
        b->contract.a = view(b, 0, 5, shape);
        b->contract.b = view(b, 1, 5, shape);
        b->contract.c = view(b, 2, 5, shape);
    } else {
        const uint64_t a[3] = {c->batch, c->op_a ? k : m, c->op_a ? m : k};
        const uint64_t d[3] = {c->batch, c->op_b ? n : k, c->op_b ? k : n};
        const uint64_t out[3] = {c->batch, m, n};
        b->gemm.a = view(b, 0, 3, a);
        b->gemm.b = view(b, 1, 3, d);
        b->gemm.c = view(b, 2, 3, out);
        b->gemm.op_a = c->op_a;
        b->gemm.op_b = c->op_b;
    }
}

// Factorisations. The buffer of `b->buffer[0]` has A, Hermitian for eigh.

static padic_tensor in_buffer(padic_dtype dtype, padic_buffer buffer, uint64_t batch, uint64_t m,
                              uint64_t n)
{
    return padic_tensor_in(padic_tensor_3d(dtype, NULL, batch, m, n), buffer, 0);
}

static void begin_factor(bench *b)
{
    const factor_case *f = b->f;
    const uint64_t r = f->m < f->n ? f->m : f->n, count = f->batch * f->m * f->n;
    padic_tensor a, left, right, values, status;
    b->host[0] = (float *)malloc((size_t)(8 * count));
    normal(b->host[0], 2 * count, 0);
    for (uint64_t e = 0; f->kind == 3 && e < count; e++) { // the upper triangle is not read
        const uint64_t i = e / f->n % f->n, j = e % f->n, at = e - i * f->n - j + j * f->n + i;
        if (i < j) b->host[0][2 * e] = b->host[0][2 * at];
        if (i < j) b->host[0][2 * e + 1] = -b->host[0][2 * at + 1];
        if (i == j) b->host[0][2 * e + 1] = 0;
    }
    b->buffer[0] = buffer_with(8 * count, b->host[0]);
    b->made[0] = buffer_of(8 * f->batch * f->m * r);
    b->made[1] = buffer_of(8 * f->batch * r * f->n);
    b->made[2] = buffer_of(4 * f->batch * r);
    b->made[3] = buffer_of(4 * f->batch);
    a = in_buffer(PADIC_C64, b->buffer[0], f->batch, f->m, f->n);
    left = in_buffer(PADIC_C64, b->made[0], f->batch, f->m, r);
    right = in_buffer(PADIC_C64, b->made[1], f->batch, r, f->n);
    values = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, f->batch, r), b->made[2], 0);
    status = padic_tensor_in(padic_tensor_1d(PADIC_I32, NULL, f->batch), b->made[3], 0);
    memset(&b->svd, 0, sizeof b->svd);
    memset(&b->qr, 0, sizeof b->qr);
    memset(&b->eigh, 0, sizeof b->eigh);
    memset(&b->entropy, 0, sizeof b->entropy);
    b->svd.a = b->qr.a = b->eigh.a = a;
    if (f->kind == 0) b->svd.u = left, b->svd.vh = right;
    b->qr.q = b->eigh.v = left, b->qr.r = right;
    b->svd.s = b->eigh.w = values;
    b->svd.status = b->qr.status = b->eigh.status = status;
    b->entropy.state =
        padic_tensor_in(padic_tensor_2d(PADIC_C64, NULL, f->m, f->n), b->buffer[0], 0);
    b->entropy.part = 1;
    b->entropy.report = &b->s;
}

static void end_factor(bench *b)
{
    for (int i = 0; i < 4; i++) must(padic_buffer_destroy(context, b->made[i]), "destroy");
    must(padic_buffer_destroy(context, b->buffer[0]), "destroy");
    free(b->host[0]);
    padic_context_trim(context, 1);
}

// |A - X diag(w) Y|/|A| of the last matrix; of values alone, their sum of squares.
static double error_of_factor(bench *b)
{
    const factor_case *f = b->f;
    const uint64_t m = f->m, n = f->n, r = m < n ? m : n, last = f->batch - 1;
    const float *a = b->host[0] + 2 * last * m * n;
    float *x, *y, *w;
    double off = 0, all = 0;
    if (f->kind == 4) {
        padic_tensor_entropy_desc host = b->entropy;
        padic_tensor_entropy_report s;
        host.state = padic_tensor_2d(PADIC_C64, b->host[0], m, n);
        host.report = &s;
        must(padic_tensor_entropy(NULL, &host), "reference");
        return fabs(b->s.von_neumann - s.von_neumann) / s.von_neumann;
    }
    x = (float *)malloc((size_t)(8 * m * r)), y = (float *)malloc((size_t)(8 * r * n));
    w = (float *)malloc((size_t)(4 * r));
    padic_buffer_download(context, b->made[0], last * 8 * m * r, x, 8 * m * r);
    padic_buffer_download(context, b->made[1], last * 8 * r * n, y, 8 * r * n);
    padic_buffer_download(context, b->made[2], last * 4 * r, w, 4 * r);
    for (uint64_t i = 0; i < 2 * m * n; i++) all += (double)a[i] * a[i];
    if (f->kind == 1) {
        for (uint64_t k = 0; k < r; k++) off += (double)w[k] * w[k];
        off = fabs(off - all) * fabs(off - all) / all;
    }
    for (uint64_t i = 0; i < m && f->kind != 1; i++)
        for (uint64_t j = 0; j < n; j++) {
            double re = 0, im = 0;
            for (uint64_t k = 0; k < r; k++) {
                const float *p = x + 2 * (i * r + k);
                const float *q = f->kind == 3 ? x + 2 * (j * r + k) : y + 2 * (k * n + j);
                const double s = f->kind == 2 ? 1 : w[k], turn = f->kind == 3 ? -1 : 1;
                re += s * ((double)p[0] * q[0] - turn * p[1] * q[1]);
                im += s * (turn * p[0] * q[1] + (double)p[1] * q[0]);
            }
            re -= a[2 * (i * n + j)], im -= a[2 * (i * n + j) + 1];
            off += re * re + im * im;
        }
    free(x), free(y), free(w);
    return sqrt(off / all);
}

static void call(void *arg)
{
    bench *b = (bench *)arg;
    if (b->f) {
        const int kind = b->f->kind;
        must(kind < 2    ? padic_tensor_svd(context, &b->svd)
                 : kind == 2 ? padic_tensor_qr(context, &b->qr)
                 : kind == 3 ? padic_tensor_eigh(context, &b->eigh)
                             : padic_tensor_entropy(context, &b->entropy), "factor");
        return;
    }
    if (b->c->expression)
        must(padic_tensor_contract(context, &b->contract), "contract");
    else
        must(padic_tensor_gemm(context, &b->gemm), "gemm");
}

// Element (t, row, column) of op(a) and so on, as the case lays them out in memory.
static uint64_t place(const bench *b, int i, uint64_t t, uint64_t x, uint64_t y)
{
    const bench_case *c = b->c;
    if (c->expression) { // a: abcd, rows (a,c), sum (b,d); b: bedf, columns (e,f); c: aecf
        const uint64_t d = c->m, x1 = x / d, x0 = x % d, y1 = y / d, y0 = y % d;
        return ((((t * d) + x1) * d + y1) * d + x0) * d + y0;
    }
    const uint64_t rows[3] = {c->m, c->k, c->m}, columns[3] = {c->k, c->n, c->n};
    const int turned = i == 0 ? c->op_a != 0 : i == 1 ? c->op_b != 0 : 0;
    return t * rows[i] * columns[i] + (turned ? y * rows[i] + x : x * columns[i] + y);
}

static double error_of(bench *b)
{
    const bench_case *c = b->c;
    const uint64_t m = c->expression ? c->m * c->m : c->m, n = c->expression ? c->n * c->n : c->n;
    const uint64_t k = c->expression ? c->k * c->k : c->k, p = parts(b);
    double e2 = 0, r2 = 0;
    for (uint32_t s = 0; s < 256; s++) {
        uint32_t w[4];
        double re = 0, im = 0;
        float got[2] = {0, 0};
        padic_random_block(2, 0, 0, s, w);
        const uint64_t t = w[0] % c->batch, row = w[1] % m, column = w[2] % n;
        for (uint64_t i = 0; i < k; i++) {
            const float *x = b->host[0] + place(b, 0, t, row, i) % b->most[0] * p;
            const float *y = b->host[1] + place(b, 1, t, i, column) % b->most[1] * p;
            const double xi = p == 2 ? (c->op_a == 2 ? -x[1] : x[1]) : 0;
            const double yi = p == 2 ? (c->op_b == 2 ? -y[1] : y[1]) : 0;
            re += (double)x[0] * y[0] - xi * yi;
            im += (double)x[0] * yi + xi * y[0];
        }
        must(padic_buffer_download(context, b->buffer[2],
                                       place(b, 2, t, row, column) * p * 4, got, p * 4),
              "download");
        e2 += (got[0] - re) * (got[0] - re) + (p == 2 ? (got[1] - im) * (got[1] - im) : 0);
        r2 += re * re + im * im;
    }
    return sqrt(e2 / r2);
}

// Milliseconds of a call: the first, then the median and the least of many.
static void times(bench *b, double *first, double *middle, double *least)
{
    double ns[64];
    *first = measure_once(call, b, 1) * 1e-6;
    *middle = measure_many(call, b, 5e7, ns) * 1e-6;
    *least = ns[0] * 1e-6;
}

static void measure_factor(bench *b)
{
    static const uint32_t ops[5] = {PADIC_OP_TENSOR_SVD, PADIC_OP_TENSOR_SVD, PADIC_OP_TENSOR_QR,
                                    PADIC_OP_TENSOR_EIGH, PADIC_OP_TENSOR_ENTROPY};
    const factor_case *f = b->f;
    double first, middle, least;
    padic_op_stats stats, *op = &stats;
    times(b, &first, &middle, &least);
    padic_context_op_stats(context, (padic_op)ops[f->kind], &stats);
    printf("%s,-,%s,%s,%ux%ux%u,%d,%.4f,%.4f,0,0,%.1f,%.2e\n", f->name,
           op->backend ? op->backend : "", op->method ? op->method : "", (unsigned)f->batch,
           (unsigned)f->m, (unsigned)f->n, repeats, middle, least, first, error_of_factor(b));
    fflush(stdout);
}

static void measure_product(bench *b, uint32_t math)
{
    const bench_case *c = b->c;
    const double mm = c->expression ? (double)c->m * (double)c->m : (double)c->m;
    const double nn = c->expression ? (double)c->n * (double)c->n : (double)c->n;
    const double kk = c->expression ? (double)c->k * (double)c->k : (double)c->k;
    const double flop = (parts(b) == 2 ? 8.0 : 2.0) * mm * nn * kk * (double)c->batch;
    double first, middle, least;
    padic_op_stats stats, *op = &stats;
    b->gemm.math = b->contract.math = (padic_tensor_math)math;
    times(b, &first, &middle, &least);
    padic_context_op_stats(context, c->expression ? PADIC_OP_TENSOR_CONTRACT : PADIC_OP_TENSOR_GEMM,
                       &stats);
    printf("%s,%s,%s,%s,%ux%.0fx%.0fx%.0f,%d,%.4f,%.4f,%.2f,%.3f,%.1f,%.2e\n", c->name,
           maths[math], op->backend ? op->backend : "", op->method ? op->method : "",
           (unsigned)c->batch, mm, nn, kk, repeats, middle, least, flop / middle * 1e-9,
           b->peak > 0 ? flop / middle * 1e3 / b->peak : 0.0, first, error_of(b));
    fflush(stdout);
}

static void end(bench *b)
{
    if (b->f) {
        end_factor(b);
        return;
    }
    for (int j = 0; j < 3; j++) {
        must(padic_buffer_destroy(context, b->buffer[j]), "destroy");
        if (j < 2) free(b->host[j]);
    }
    padic_context_trim(context, 1);
}

// `case NAME FILE`: makes the operands and writes the different numbers of a, then of b to FILE;
// answers batch m n k and how many those are; of a factorisation k is its kind, and there is no b.
// `run MATH`: milliseconds of a call. `error MATH`.
// `end`: gives the memory back.
static int serve(bench *b)
{
    char line[512], word[3][256];
    while (fgets(line, sizeof line, stdin)) {
        const int words = sscanf(line, "%255s %255s %255s", word[0], word[1], word[2]);
        uint32_t math = 0;
        for (uint32_t m = 0; words > 1 && m < 4; m++)
            if (!strcmp(word[1], maths[m])) math = m;
        b->gemm.math = b->contract.math = (padic_tensor_math)math;
        if (words == 3 && !strcmp(word[0], "case")) {
            FILE *file = fopen(word[2], "wb");
            b->c = NULL;
            b->f = NULL;
            for (size_t i = 0; i < FACTORS; i++)
                if (!strcmp(word[1], factors[i].name)) b->f = &factors[i];
            if (b->f && file) {
                const uint64_t count = b->f->batch * b->f->m * b->f->n;
                begin_factor(b);
                fwrite(b->host[0], 8, (size_t)count, file);
                fclose(file);
                printf("%u %u %u %d %u 0\n", (unsigned)b->f->batch, (unsigned)b->f->m,
                       (unsigned)b->f->n, b->f->kind, (unsigned)count);
                fflush(stdout);
                continue;
            }
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                if (!strcmp(word[1], cases[i].name)) b->c = &cases[i];
            if (!file || !b->c) return 1;
            begin(b);
            for (int i = 0; i < 2; i++)
                fwrite(b->host[i], 4, (size_t)(b->most[i] * parts(b)), file);
            fclose(file);
            printf("%u %u %u %u %u %u\n", (unsigned)b->c->batch, (unsigned)b->c->m,
                   (unsigned)b->c->n, (unsigned)b->c->k, (unsigned)b->most[0],
                   (unsigned)b->most[1]);
        } else if (!strcmp(word[0], "run")) {
            const double once = measure_once(call, b, 1);
            const int inner = once < 2e7 ? (int)(2e7 / (once > 1e4 ? once : 1e4)) + 1 : 1;
            printf("%.6f\n", measure_once(call, b, inner) * 1e-6 / inner);
        } else if (!strcmp(word[0], "error")) {
            call(b);
            printf("%.3e\n", b->f ? error_of_factor(b) : error_of(b));
        } else {
            end(b);
            printf("ok\n");
        }
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench b;
    padic_context_desc desc = PADIC_ZERO;
    int math = -1, any = 0;
    const char *backend = argc > 1 ? argv[1] : "cuda";
    memset(&b, 0, sizeof b);
    repeats = 7;
    for (int i = 2; i + 1 < argc; i++) {
        if (!strcmp(argv[i], "--peak")) b.peak = atof(argv[i + 1]) * 1e12;
        if (!strcmp(argv[i], "--runs")) repeats = atoi(argv[i + 1]);
        for (int m = 0; m < 4 && !strcmp(argv[i], "--math"); m++)
            if (!strcmp(argv[i + 1], maths[m])) math = m;
    }
    if (repeats < 1 || repeats > 64) repeats = 7;
    if (!strcmp(backend, "cuda")) desc.backends[0] = padic_cuda();
    if (!strcmp(backend, "opencl")) {
        desc.backends[0] = padic_opencl();
        desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    }
    must(padic_context_create(&desc, &context), "device");
    padic_context_device_info(context, &info);
    if (!(b.peak > 0) && strstr(info.name, "H200")) b.peak = 66.9e12;
    if (argc > 2 && !strcmp(argv[2], "--serve")) return serve(&b);
    printf("# %s, %s, padic.h " PADIC_VERSION "\n", info.name, info.driver);
    printf("case,math,backend,method,batchxmxnxk,runs,median_ms,least_ms,tflops,of_fp32_peak,"
           "first_ms,relative_error\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases + FACTORS; i++) {
        const size_t products = sizeof cases / sizeof *cases;
        const char *name = i < products ? cases[i].name : factors[i - products].name;
        int wanted = 0, named = 0;
        for (int j = 2; j < argc; j++) {
            if (!strncmp(argv[j], "--", 2)) {
                j++;
                continue;
            }
            named = 1;
            wanted |= !strcmp(argv[j], name);
        }
        if (named ? !wanted : !strcmp(name, "d64")) continue; // 51 GB: by name only
        any = 1;
        b.c = i < products ? &cases[i] : NULL;
        b.f = i < products ? NULL : &factors[i - products];
        if (b.f) {
            begin_factor(&b);
            measure_factor(&b);
            end(&b);
            continue;
        }
        begin(&b);
        for (uint32_t m = 0; m < 4; m++)
            if (math < 0 || math == (int)m) measure_product(&b, m);
        end(&b);
    }
    padic_context_destroy(context);
    return !any;
}
