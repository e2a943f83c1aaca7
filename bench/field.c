// The bench of condensates, one core: a split step beside one on FFTW 3 (FFTW_MEASURE, in place, a
// table of k, the phase of the potential by libm), which take turns in one process; the other
// methods; a ground state. The least times, in microseconds per step.
//
//     cc -O2 bench/field.c -o bench-field -lfftw3f -lfftw3 -lm -lpthread && ./bench-field
//     ./bench-field --seconds 1 --filter 64 --threads 2
//
// g = 1 in a harmonic trap. Without FFTW's header the peer is left out, and so are its libraries.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_FIELD
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
    uint32_t dims;
    uint64_t n;
    const char *name;
} size_row;

static const size_row rows[] = {{1, 1024, "1024"}, {2, 64, "64^2"},   {2, 256, "256^2"},
                                {2, 1024, "1024^2"}, {3, 32, "32^3"}, {3, 64, "64^3"},
                                {3, 128, "128^3"}};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
    padic_context *context;
    padic_field_step_desc step;
    uint32_t dims, is_double;
    uint64_t n, points;
    void *psi;
    float *v32, *k32;    // the peer's potential; its table of exp(-i dt k^2 / 2) / n
    double *v64, *k64;
#ifdef PEER
    fftwf_plan single[2];
    fftw_plan both[2];
#endif
} job;

static const double dt = 1e-4, box = 16;

static void run_ours(job *j)
{
    if (!padic_field_step(j->context, &j->step)) return;
    puts("padic_field_step failed");
    exit(1);
}

#ifdef PEER
static void transform(job *j, int back)
{
    if (j->is_double) fftw_execute(j->both[back]);
    else fftwf_execute(j->single[back]);
}

static void potential32(job *j, float time)
{
    float *psi = (float *)j->psi;
    for (uint64_t i = 0; i < j->points; i++) {
        const float re = psi[2 * i], im = psi[2 * i + 1];
        const float angle = time * (j->v32[i] + re * re + im * im);
        const float c = cosf(angle), s = sinf(angle);
        psi[2 * i] = c * re + s * im;
        psi[2 * i + 1] = c * im - s * re;
    }
}

static void potential64(job *j, double time)
{
    double *psi = (double *)j->psi;
    for (uint64_t i = 0; i < j->points; i++) {
        const double re = psi[2 * i], im = psi[2 * i + 1];
        const double angle = time * (j->v64[i] + re * re + im * im);
        const double c = cos(angle), s = sin(angle);
        psi[2 * i] = c * re + s * im;
        psi[2 * i + 1] = c * im - s * re;
    }
}

#define KINETIC(real, psi, k)                                  \
    for (uint64_t i = 0; i < j->points; i++) {                 \
        const real re = psi[2 * i], im = psi[2 * i + 1];       \
        psi[2 * i] = k[2 * i] * re - k[2 * i + 1] * im;        \
        psi[2 * i + 1] = k[2 * i] * im + k[2 * i + 1] * re;    \
    }

static void run_fftw(job *j)
{
    float *psi32 = (float *)j->psi;
    double *psi64 = (double *)j->psi;
    for (uint64_t s = 0; s < j->step.count; s++) { // half steps of the potential are merged
        if (j->is_double) potential64(j, s ? dt : dt / 2);
        else potential32(j, (float)(s ? dt : dt / 2));
        transform(j, 0);
        if (j->is_double) {
            KINETIC(double, psi64, j->k64)
        } else {
            KINETIC(float, psi32, j->k32)
        }
        transform(j, 1);
    }
    if (j->is_double) potential64(j, dt / 2);
    else potential32(j, (float)(dt / 2));
}

static void run_transforms(job *j)
{
    for (uint64_t s = 0; s < j->step.count; s++) {
        transform(j, 0);
        transform(j, 1);
        for (uint64_t i = 0; i < 2 * j->points; i++) // stays finite
            if (j->is_double) ((double *)j->psi)[i] /= (double)j->points;
            else ((float *)j->psi)[i] /= (float)j->points;
    }
}

static void plan_fftw(job *j)
{
    const int n = (int)j->n;
    for (int back = 0; back < 2; back++) {
        const int sign = back ? FFTW_BACKWARD : FFTW_FORWARD, shape[3] = {n, n, n};
        if (j->is_double)
            j->both[back] = fftw_plan_dft((int)j->dims, shape, (fftw_complex *)j->psi,
                                          (fftw_complex *)j->psi, sign, FFTW_MEASURE);
        else
            j->single[back] = fftwf_plan_dft((int)j->dims, shape, (fftwf_complex *)j->psi,
                                             (fftwf_complex *)j->psi, sign, FFTW_MEASURE);
    }
}
#endif

static void fill(job *j)
{
    for (uint64_t i = 0; i < j->points; i++) {
        uint64_t rest = i;
        double r = 0, k = 0, psi;
        for (uint32_t a = 0; a < j->dims; a++, rest /= j->n) {
            const double m = (double)(rest % j->n), n = (double)j->n;
            const double x = (m - n / 2) * box / n;
            const double w = (m < n / 2 ? m : m - n) * 6.28318530718 / box;
            r += x * x;
            k += w * w;
        }
        psi = exp(-r / 4);
        j->v64[i] = r / 2;
        j->v32[i] = (float)(r / 2);
        j->k64[2 * i] = cos(dt * k / 2) / (double)j->points;
        j->k64[2 * i + 1] = -sin(dt * k / 2) / (double)j->points;
        j->k32[2 * i] = (float)j->k64[2 * i];
        j->k32[2 * i + 1] = (float)j->k64[2 * i + 1];
        if (j->is_double) ((double *)j->psi)[2 * i] = psi, ((double *)j->psi)[2 * i + 1] = 0;
        else ((float *)j->psi)[2 * i] = (float)psi, ((float *)j->psi)[2 * i + 1] = 0;
    }
}

static padic_field_plan_desc described(const job *j, padic_field_method method)
{
    padic_field_plan_desc desc = PADIC_ZERO;
    desc.dims = j->dims;
    for (uint32_t a = 0; a < j->dims; a++) {
        desc.shape[a] = j->n;
        desc.spacing[a] = box / (double)j->n;
        desc.trap[a] = 0.5;
    }
    desc.dtype = j->is_double ? PADIC_C128 : PADIC_C64;
    desc.method = method;
    desc.power[0].g = 1;
    desc.dt = dt;
    return desc;
}

static void begin(job *j, padic_context *context, const size_row *row, uint32_t is_double)
{
    memset(j, 0, sizeof *j);
    j->context = context;
    j->dims = row->dims;
    j->n = row->n;
    j->is_double = is_double;
    j->points = 1;
    for (uint32_t a = 0; a < row->dims; a++) j->points *= row->n;
    j->psi = fftw_malloc((size_t)j->points * 16);
    j->v32 = (float *)malloc((size_t)j->points * sizeof(float));
    j->k32 = (float *)malloc((size_t)j->points * 2 * sizeof(float));
    j->v64 = (double *)malloc((size_t)j->points * sizeof(double));
    j->k64 = (double *)malloc((size_t)j->points * 2 * sizeof(double));
    j->step.count = 1 + 1000000 / j->points;
    if (j->step.count > 50) j->step.count = 50;
    const uint64_t shape[3] = {j->n, j->n, j->n};
    j->step.psi = padic_tensor_nd(is_double ? PADIC_C128 : PADIC_C64, j->psi, j->dims, shape);
}

static void end(job *j)
{
    fftw_free(j->psi);
    free(j->v32);
    free(j->k32);
    free(j->v64);
    free(j->k64);
}

// The least time of a step of each, in turns.
static void measure(job *j, void (*const run[])(job *), int count, double seconds, double *least)
{
    const double until = seconds_now() + seconds;
    for (int w = 0; w < count; w++) least[w] = 1e9;
    do
        for (int w = 0; w < count; w++) {
            double t = seconds_now();
            run[w](j);
            t = (seconds_now() - t) / (double)j->step.count;
            if (t < least[w]) least[w] = t;
        }
    while (seconds_now() < until);
}

static void plan(job *j, padic_field_method method)
{
    const padic_field_plan_desc desc = described(j, method);
    if (!padic_field_plan_create(j->context, &desc, &j->step.plan)) return;
    printf("plan: %s\n", padic_context_message(j->context));
    exit(1);
}

static void bench_split(padic_context *context, const size_row *row, double seconds)
{
    printf("| %-6s |", row->name);
    for (uint32_t is_double = 0; is_double < 2; is_double++) {
        double least[3] = {0, 0, 0};
        job j;
        begin(&j, context, row, is_double);
#ifdef PEER
        void (*const run[3])(job *) = {run_ours, run_fftw, run_transforms};
        plan_fftw(&j);
#else
        void (*const run[1])(job *) = {run_ours};
#endif
        fill(&j);
        plan(&j, PADIC_FIELD_METHOD_SPLIT2);
        measure(&j, run, (int)(sizeof run / sizeof *run), seconds, least);
        printf(" %9.1f | %9.1f | %4.2f | %9.1f |", 1e6 * least[0], 1e6 * least[1],
               least[1] / least[0], 1e6 * least[2]);
        padic_field_plan_destroy(j.step.plan);
#ifdef PEER
        for (int back = 0; back < 2; back++)
            if (is_double) fftw_destroy_plan(j.both[back]);
            else fftwf_destroy_plan(j.single[back]);
#endif
        end(&j);
    }
    puts("");
    fflush(stdout);
}

static void bench_methods(padic_context *context, const size_row *row, double seconds)
{
    static const padic_field_method method[5] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_SPLIT4, PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4};
    void (*const run[1])(job *) = {run_ours};
    double least;
    job j;
    printf("| %-6s |", row->name);
    for (int m = 0; m < 5; m++) {
        begin(&j, context, row, 1);
        fill(&j);
        plan(&j, method[m]);
        measure(&j, run, 1, seconds, &least);
        printf(" %9.1f |", 1e6 * least);
        padic_field_plan_destroy(j.step.plan);
        end(&j);
    }
    puts("");
    fflush(stdout);
}

static void bench_ground(padic_context *context)
{
    static const size_row row = {2, 96, "96^2"};
    padic_field_ground_desc ground = PADIC_ZERO;
    padic_field_ground_report report = PADIC_ZERO;
    padic_field_plan_desc desc;
    double least = 1e9;
    job j;
    begin(&j, context, &row, 1);
    desc = described(&j, PADIC_FIELD_METHOD_SPLIT2);
    desc.spacing[0] = desc.spacing[1] = 20.0 / 96;
    desc.power[0].g = 100;
    for (int i = 0; i < 20; i++) {
        double *psi = (double *)j.psi, norm = 0, t;
        for (uint64_t at = 0; at < j.points; at++) {
            const double x = ((double)(at / 96) - 48) * 20 / 96;
            const double y = ((double)(at % 96) - 48) * 20 / 96;
            psi[2 * at] = exp(-(x * x + y * y) / 8);
            psi[2 * at + 1] = 0;
            norm += psi[2 * at] * psi[2 * at] * desc.spacing[0] * desc.spacing[1];
        }
        for (uint64_t at = 0; at < j.points; at++) psi[2 * at] /= sqrt(norm);
        t = seconds_now();
        if (padic_field_plan_create(context, &desc, &ground.plan)) exit(1);
        ground.psi = j.step.psi;
        ground.report = &report;
        if (padic_field_ground(context, &ground)) puts("not reached");
        t = seconds_now() - t;
        if (t < least) least = t;
        padic_field_plan_destroy(ground.plan);
    }
    printf("\nground state, 96^2, g = 100, from a Gaussian, residual %.1e: %d iterations, %.2f ms, "
           "E %.7f, mu %.7f\n", report.residual, (int)report.iterations, 1e3 * least, report.energy,
           report.mu);
    end(&j);
}

int main(int argc, char **argv)
{
    double seconds = 0.5;
    const char *filter = "";
    uint32_t threads = 1;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_threads *pool = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seconds")) seconds = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--filter")) filter = argv[i + 1];
        if (!strcmp(argv[i], "--threads")) threads = (uint32_t)atoi(argv[i + 1]);
    }
    if (threads > 1) {
        pool = padic_threads_create(threads, NULL);
        desc.jobs = padic_threads_jobs(pool);
    }
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &context)) return puts("no context"), 1;
    puts("| grid | C64 us | FFTW us | ratio | its transforms | C128 us | FFTW us | ratio "
         "| its transforms |\n|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].name, filter)) bench_split(context, &rows[i], seconds);
    puts("\n| grid, C128 us | SPLIT2 | SPLIT4 | CAYLEY2 | LEAPFROG2 | RK4 |\n"
         "|---|---|---|---|---|---|");
    for (size_t i = 0; i + 1 < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].name, filter)) bench_methods(context, &rows[i], seconds / 2);
    bench_ground(context);
    padic_context_destroy(context);
    padic_threads_destroy(pool);
    return 0;
}
