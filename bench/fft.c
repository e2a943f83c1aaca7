// The bench of Fourier transforms beside FFTW 3 (FFTW_MEASURE), one core, in one run: the least
// time of both, GFLOP/s by 5 N log2 N, and the ratio of the speeds; the relative error in the L2
// norm of f32 against our f64.
//
//     cc -O2 bench/fft.c -o bench-fft -lfftw3f -lfftw3 -lm -lpthread && ./bench-fft
//     ./bench-fft --seconds 1 --filter 1024 --threads 2
//
// Complex, forward, out of place, one transform a call, by a plan. Both take turns until each has
// had its time. Memory is aligned for FFTW by its own allocator, and used by both. Without FFTW's
// header the peer is left out, and so are its libraries.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_FFT
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"

#include <stdio.h>
#if defined(__has_include)
#if __has_include(<fftw3.h>)
#include <fftw3.h>
#define PEER 1
#endif
#endif
#ifndef PEER
#define fftw_malloc malloc
#define fftw_free free
#endif

typedef struct size_row {
    uint32_t rank;
    uint64_t shape[4]; // batch first where there is one
    uint32_t batch;    // 1: the first axis is one
    const char *name, *kind;
} size_row;

static const size_row rows[] = {
    {1, {64}, 0, "64", "pow2"},
    {1, {128}, 0, "128", "pow2"},
    {1, {256}, 0, "256", "pow2"},
    {1, {512}, 0, "512", "pow2"},
    {1, {1024}, 0, "1024", "pow2"},
    {1, {2048}, 0, "2048", "pow2"},
    {1, {4096}, 0, "4096", "pow2"},
    {1, {8192}, 0, "8192", "pow2"},
    {1, {16384}, 0, "16384", "pow2"},
    {1, {65536}, 0, "65536", "pow2"},
    {1, {262144}, 0, "262144", "pow2"},
    {1, {1048576}, 0, "1048576", "pow2"},
    {1, {4194304}, 0, "4194304", "pow2"},
    {2, {256, 64}, 1, "256 x (64)", "pow2"},
    {2, {256, 256}, 1, "256 x (256)", "pow2"},
    {2, {1024, 1024}, 0, "1024^2", "pow2"},
    {3, {32, 32, 32}, 0, "32^3", "pow2"},
    {3, {64, 64, 64}, 0, "64^3", "pow2"},
    {3, {128, 128, 128}, 0, "128^3", "pow2"},
    {1, {60}, 0, "60", "mixed"},
    {1, {360}, 0, "360", "mixed"},
    {1, {1000}, 0, "1000", "mixed"},
    {1, {2187}, 0, "3^7", "mixed"},
    {1, {3125}, 0, "5^5", "mixed"},
    {1, {10080}, 0, "10080", "mixed"},
    {1, {16807}, 0, "7^5", "mixed"},
    {1, {46656}, 0, "6^6", "mixed"},
    {1, {100000}, 0, "10^5", "mixed"},
    {1, {1000000}, 0, "10^6", "mixed"},
    {2, {960, 960}, 0, "960^2", "mixed"},
    {3, {60, 60, 60}, 0, "60^3", "mixed"},
    {3, {96, 96, 96}, 0, "96^3", "mixed"},
    {1, {1009}, 0, "1009", "prime"},
    {1, {65537}, 0, "65537", "prime"},
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
    padic_context *context;
    padic_fft_transform_desc desc;
#ifdef PEER
    fftwf_plan single;
    fftw_plan both;
#endif
} job;

static void run_ours(job *j)
{
    if (padic_fft_transform(j->context, &j->desc)) {
        puts("padic_fft_transform failed");
        exit(1);
    }
}

static void run_fftw(job *j)
{
#ifdef PEER
    if (j->single) fftwf_execute(j->single);
    else fftw_execute(j->both);
#else
    (void)j;
#endif
}

// The least time of a call, in turns.
static void measure(job *j, double seconds, double least[2])
{
    void (*const run[2])(job *) = {run_ours, run_fftw};
    const double end = seconds_now() + seconds;
    uint32_t calls[2];
    least[0] = least[1] = 1e9;
    for (int w = 0; w < 2; w++) {
        double t;
        run[w](j);
        t = seconds_now();
        run[w](j);
        t = seconds_now() - t;
        calls[w] = t > 1e-3 ? 1 : (uint32_t)(1e-3 / (t + 1e-9)) + 1;
    }
    do
        for (int w = 0; w < 2; w++) {
            double t = seconds_now();
            for (uint32_t i = 0; i < calls[w]; i++) run[w](j);
            t = (seconds_now() - t) / calls[w];
            if (t < least[w]) least[w] = t;
        }
    while (seconds_now() < end);
}

static uint64_t fill(void *memory, uint64_t n, int is_double)
{
    for (uint64_t i = 0; i < n; i++) {
        const double x = (double)((i * 2654435761u) % 65536) / 32768 - 1;
        if (is_double) ((double *)memory)[i] = x;
        else ((float *)memory)[i] = (float)x;
    }
    return n;
}

static double error_of(const float *got, const double *want, uint64_t n)
{
    double sum = 0, off = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += want[i] * want[i];
        off += (got[i] - want[i]) * (got[i] - want[i]);
    }
    return sqrt(off / sum);
}

static void plan_fftw(job *j, const size_row *row, void *in, void *out, int is_double)
{
#ifdef PEER
    int n[3], from = row->batch ? 1 : 0, rank = (int)row->rank - from, one = 1;
    for (int i = 0; i < rank; i++) {
        n[i] = (int)row->shape[from + i];
        one *= n[i];
    }
    j->single = NULL;
    j->both = NULL;
    if (is_double)
        j->both = fftw_plan_many_dft(rank, n, row->batch ? (int)row->shape[0] : 1,
                                     (fftw_complex *)in, NULL, 1, one, (fftw_complex *)out, NULL, 1,
                                     one, FFTW_FORWARD, FFTW_MEASURE);
    else
        j->single = fftwf_plan_many_dft(rank, n, row->batch ? (int)row->shape[0] : 1,
                                        (fftwf_complex *)in, NULL, 1, one, (fftwf_complex *)out,
                                        NULL, 1, one, FFTW_FORWARD, FFTW_MEASURE);
#else
    (void)j, (void)row, (void)in, (void)out, (void)is_double;
#endif
}

static void bench_row(padic_context *context, const size_row *row, double seconds, uint32_t threads)
{
    const uint32_t from = row->batch ? 1 : 0, rank = row->rank - from;
    uint64_t count = 1;
    double least[2][2], logs = 0, flop, error = 0;
    void *out[2];
    for (uint32_t i = 0; i < row->rank; i++) count *= row->shape[i];
    for (uint32_t i = 0; i < rank; i++) logs += log2((double)row->shape[from + i]);
    flop = 5 * (double)count * logs;
    for (int is_double = 1; is_double >= 0; is_double--) {
        const size_t bytes = (size_t)count * (is_double ? 16 : 8);
        void *in = fftw_malloc(bytes);
        padic_fft_plan *plan;
        job j;
        out[is_double] = fftw_malloc(bytes);
        memset(&j, 0, sizeof j);
        plan_fftw(&j, row, in, out[is_double], is_double);
        fill(in, 2 * count, is_double);
        j.context = context;
        j.desc.in = padic_tensor_nd(is_double ? PADIC_C128 : PADIC_C64, in, row->rank, row->shape);
        j.desc.out = j.desc.in;
        j.desc.out.data = out[is_double];
        j.desc.axis_count = rank;
        for (uint32_t i = 0; i < rank; i++) j.desc.axis[i] = from + i;
        if (padic_fft_plan_create(context, &j.desc, &plan)) exit(1);
        j.desc.plan = plan;
        measure(&j, seconds, least[is_double]);
        run_ours(&j);
        padic_fft_plan_destroy(plan);
#ifdef PEER
        if (is_double) fftw_destroy_plan(j.both);
        else fftwf_destroy_plan(j.single);
#endif
        fftw_free(in);
    }
    error = error_of((const float *)out[0], (const double *)out[1], 2 * count);
    printf("| %-11s | %-5s | %u |", row->name, row->kind, (unsigned)threads);
    for (int is_double = 0; is_double < 2; is_double++)
        printf(" %10.2f | %10.2f | %6.1f | %4.2f |", 1e6 * least[is_double][0],
               1e6 * least[is_double][1], 1e-9 * flop / least[is_double][0],
               least[is_double][1] / least[is_double][0]);
    printf(" %.1e |\n", error);
    fflush(stdout);
    fftw_free(out[0]);
    fftw_free(out[1]);
}

int main(int argc, char **argv)
{
    double seconds = 0.3;
    const char *filter = "", *level = NULL;
    uint32_t threads = 1;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_threads *pool = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--filter")) filter = argv[i + 1];
        if (!strcmp(argv[i], "--level")) level = argv[i + 1];
        if (!strcmp(argv[i], "--threads")) threads = (uint32_t)atoi(argv[i + 1]);
    }
    if (threads > 1) {
        pool = padic_threads_create(threads, NULL);
        desc.jobs = padic_threads_jobs(pool);
    }
    desc.backends[0] = padic_simd();
    desc.device.name = level;
    if (level && !strcmp(level, "plain")) memset(&desc.backends, 0, sizeof desc.backends);
    if (padic_context_create(&desc, &context)) return puts("no context"), 1;
    puts("| size | kind | workers | f32 us | FFTW us | GFLOP/s | ratio | f64 us | FFTW us "
         "| GFLOP/s | ratio | error f32 |\n|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].name, filter) || !strcmp(rows[i].kind, filter))
            bench_row(context, &rows[i], seconds, threads);
    padic_context_destroy(context);
    padic_threads_destroy(pool);
    return 0;
}
