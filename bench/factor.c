// SVD, QR and Hermitian eigenvalues on the CPU, beside LAPACK of OpenBLAS (opened at run time, one
// thread): all dtypes, with vectors and values alone.
//
//     cc -O2 bench/factor.c -o factor -lm -ldl && ./factor [size...]
//
// For each size: fastest of many rounds, each round measures both one after the other, in time of
// this thread, so that other programs matter less. Matrices are random; LAPACK's are transposed,
// copied beforehand in its time, since it destroys them; its memory is asked for beforehand.
// "many": a batch of 64 in one call, per matrix, beside as many calls.
#define _POSIX_C_SOURCE 200809L
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SVD, VALUES, QR, EIGH, EIGENVALUES, KINDS };
static const char *const kinds[KINDS] = {"svd", "svd values", "qr", "eigh", "eigh values"};
static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F64, PADIC_C64, PADIC_C128};

typedef struct peer {
    void *library;
    int dtype, n, lwork;
    char *a, *from, *u, *vt, *s, *work, *rwork;
    int *iwork;
} peer;

typedef void (*gesdd)(const char *, const int *, const int *, void *, const int *, void *, void *,
                      const int *, void *, const int *, void *, const int *, void *, void *, void *,
                      size_t);
typedef void (*gesdd_real)(const char *, const int *, const int *, void *, const int *, void *,
                           void *, const int *, void *, const int *, void *, const int *, void *,
                           void *, size_t);
typedef void (*evd)(const char *, const char *, const int *, void *, const int *, void *, void *,
                    const int *, void *, const int *, void *, const int *, void *, size_t, size_t);
typedef void (*evd_real)(const char *, const char *, const int *, void *, const int *, void *,
                         void *, const int *, void *, const int *, void *, size_t, size_t);
typedef void (*geqrf)(const int *, const int *, void *, const int *, void *, void *, const int *,
                      void *);
typedef void (*gqr)(const int *, const int *, const int *, void *, const int *, const void *,
                    void *, const int *, void *);

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *symbol(const peer *p, int which)
{
    static const char *const names[3][4] = {{"sgesdd_", "dgesdd_", "cgesdd_", "zgesdd_"},
                                            {"sgeqrf_", "dgeqrf_", "cgeqrf_", "zgeqrf_"},
                                            {"sorgqr_", "dorgqr_", "cungqr_", "zungqr_"}};
    static const char *const evds[4] = {"ssyevd_", "dsyevd_", "cheevd_", "zheevd_"};
    return dlsym(p->library, which == 3 ? evds[p->dtype] : names[which][p->dtype]);
}

// One factorisation; 0: LAPACK is not there.
static int lapack(peer *p, int kind)
{
    const int n = p->n, paired = p->dtype >= 2, big = 12 * n * n + 64 * n + 1000;
    const char *vectors = kind == SVD ? "S" : "N", *job = kind == EIGH ? "V" : "N";
    void *f = p->library ? symbol(p, kind <= VALUES ? 0 : kind == QR ? 1 : 3) : NULL;
    int info = 0;
    if (!f) return 0;
    memcpy(p->a, p->from, (size_t)n * (size_t)n * padic_dtype_size(dtypes[p->dtype]));
    if (kind <= VALUES && paired) {
        gesdd g;
        memcpy(&g, &f, sizeof f);
        g(vectors, &n, &n, p->a, &n, p->s, p->u, &n, p->vt, &n, p->work, &p->lwork, p->rwork,
          p->iwork, &info, 1);
    } else if (kind <= VALUES) {
        gesdd_real g;
        memcpy(&g, &f, sizeof f);
        g(vectors, &n, &n, p->a, &n, p->s, p->u, &n, p->vt, &n, p->work, &p->lwork, p->iwork,
          &info, 1);
    } else if (kind == QR) {
        geqrf g;
        gqr q;
        void *second = symbol(p, 2);
        memcpy(&g, &f, sizeof f);
        memcpy(&q, &second, sizeof f);
        g(&n, &n, p->a, &n, p->s, p->work, &p->lwork, &info);
        q(&n, &n, &n, p->a, &n, p->s, p->work, &p->lwork, &info);
    } else if (paired) {
        evd g;
        memcpy(&g, &f, sizeof f);
        g(job, "L", &n, p->a, &n, p->s, p->work, &p->lwork, p->rwork, &big, p->iwork, &big, &info,
          1, 1);
    } else {
        evd_real g;
        memcpy(&g, &f, sizeof f);
        g(job, "L", &n, p->a, &n, p->s, p->work, &p->lwork, p->iwork, &big, &info, 1, 1);
    }
    if (info) exit(1);
    return 1;
}

typedef struct ours {
    padic_tensor_svd_desc svd;
    padic_tensor_qr_desc qr;
    padic_tensor_eigh_desc eigh;
} ours;

static void work(padic_context *context, const ours *o, int kind)
{
    const padic_result result = kind <= VALUES ? padic_tensor_svd(context, &o->svd)
                                : kind == QR   ? padic_tensor_qr(context, &o->qr)
                                               : padic_tensor_eigh(context, &o->eigh);
    if (result) {
        printf("%d %s\n", (int)result, context ? padic_context_message(context) : "");
        exit(1);
    }
}

static void describe(ours *o, int kind, padic_dtype dtype, uint64_t batch, uint64_t n, char *a,
                     char *u, char *v, char *s)
{
    const padic_dtype real = dtype == PADIC_F32 || dtype == PADIC_C64 ? PADIC_F32 : PADIC_F64;
    memset(o, 0, sizeof *o);
    o->svd.a = o->qr.a = o->eigh.a = padic_tensor_3d(dtype, a, batch, n, n);
    o->svd.s = o->eigh.w = padic_tensor_2d(real, s, batch, n);
    o->qr.q = padic_tensor_3d(dtype, u, batch, n, n);
    o->qr.r = padic_tensor_3d(dtype, v, batch, n, n);
    if (kind == SVD) o->svd.u = o->qr.q, o->svd.vh = o->qr.r;
    if (kind == EIGH) o->eigh.v = o->qr.q;
}

static void row(padic_context *context, void *library, int kind, int t, int n)
{
    const padic_dtype dtype = dtypes[t];
    const uint64_t count = (uint64_t)n * (uint64_t)n, many = n <= 32 ? 64 : 1;
    const size_t size = padic_dtype_size(dtype), bytes = count * size;
    const double cost = 30.0 * n * n * n * (t >= 2 ? 3 : 1) * 1e-9 / 4;
    const int times = cost > 1e-4 ? 1 : (int)(1e-4 / cost) + 1;
    const int rounds = cost > .3 ? 4 : cost > 3e-3 ? 15 : 200;
    double best = 1e9, other = 1e9, batch = 1e9, off = 0;
    char *block = (char *)calloc(bytes, 4 * many + 32), *at[8];
    padic_random_fill_desc fill = PADIC_ZERO;
    ours one, all;
    peer p;
    if (!block) exit(1);
    for (int i = 0; i < 4; i++) at[i] = block + (uint64_t)i * many * bytes;
    for (int i = 4; i < 8; i++) at[i] = block + (4 * many + (uint64_t)(i - 4)) * bytes;
    memset(&p, 0, sizeof p);
    p.library = library, p.dtype = t, p.n = n, p.lwork = 10 * n * n + 64 * n + 500;
    p.a = at[4], p.u = at[5], p.vt = at[6], p.s = at[7], p.from = at[0];
    p.work = (char *)malloc(size * (size_t)p.lwork);
    p.rwork = (char *)malloc(8 * (12 * (size_t)count + 64 * (size_t)n + 1000));
    p.iwork = (int *)malloc(4 * (12 * (size_t)count + 64 * (size_t)n + 1000));
    fill.tensor = padic_tensor_1d(dtype, at[0], many * count);
    if (padic_random_fill(NULL, &fill)) exit(1);
    describe(&one, kind, dtype, 1, (uint64_t)n, at[0], at[1], at[2], at[3]);
    describe(&all, kind, dtype, many, (uint64_t)n, at[0], at[1], at[2], at[3]);
    for (int r = 0; r < rounds; r++) {
        double begin = seconds(), took;
        for (int i = 0; i < times; i++) work(context, &one, kind);
        took = (seconds() - begin) / times;
        if (took < best) best = took;
        begin = seconds();
        for (int i = 0; i < times; i++)
            if (!lapack(&p, kind)) break;
        took = (seconds() - begin) / times;
        if (library && took < other) other = took;
        if (many == 1) continue;
        begin = seconds();
        work(context, &all, kind);
        took = (seconds() - begin) / (double)many;
        if (took < batch) batch = took;
    }
    for (int i = 0; library && kind <= VALUES && i < n; i++) { // values of both
        const double x = size == 4 || t == 2 ? (double)((float *)(void *)at[3])[i]
                                              : ((double *)(void *)at[3])[i];
        const double y = size == 4 || t == 2 ? (double)((float *)(void *)p.s)[i]
                                              : ((double *)(void *)p.s)[i];
        if (fabs(x - y) > off) off = fabs(x - y);
    }
    printf("%-12s %-10s %4d  %10.1f us  lapack %10.1f  ratio %5.2f", kinds[kind],
           padic_dtype_name(dtype), n, best * 1e6, library ? other * 1e6 : 0.0,
           library ? other / best : 0.0);
    if (many > 1) printf("  many %8.1f  ratio %5.2f", batch * 1e6, other / batch);
    if (kind <= VALUES) printf("  apart %.0e", off);
    printf("\n");
    fflush(stdout);
    free(block), free(p.work), free(p.rwork), free(p.iwork);
}

int main(int argc, char **argv)
{
    static const int usual[] = {4, 8, 16, 32, 64, 128, 256, 512};
    padic_context_desc desc = PADIC_ZERO;
    padic_device_info info;
    padic_context *context = NULL;
    void *library;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &context)) return 1;
    padic_context_device_info(context, &info);
    printf("%s; %s\n", info.name, library ? "OpenBLAS, one thread" : "no OpenBLAS");
    for (int kind = 0; kind < KINDS; kind++)
        for (int t = 0; t < 4; t++)
            for (int i = argc > 1 ? 1 : 0; i < (argc > 1 ? argc : 8); i++)
                row(getenv("PLAIN") ? NULL : context, library, kind, t,
                    argc > 1 ? atoi(argv[i]) : usual[i]);
    padic_context_destroy(context);
    return 0;
}
