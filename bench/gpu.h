// gpu.h: what gpu_num.c, gpu_sparse.c and gpu_codec.c share: device, clock, median of repeated
// calls, a copy.
// Include it after the headers of the library.
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static padic_context *context;
static padic_device_info info;
static int repeats = 9;
static double copy_rate; // bytes per ns, as each counts them

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(padic_result result, const char *what)
{
    if (!result) return;
    fprintf(stderr, "%s: %d: %s\n", what, (int)result, padic_context_message(context));
    exit(1);
}

static padic_buffer buffer_of(uint64_t size)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = {0};
    desc.size = size ? size : 4;
    must(padic_buffer_create(context, &desc, &buffer), "buffer");
    return buffer;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, compare_doubles);
    return t[n / 2];
}

typedef void (*call_fn)(void *arg);

// ns of one call and the wait for its end.
static inline double measure_end(call_fn call, void *arg)
{
    double t[64], begin;
    int i;
    for (i = 0; i < 3; i++) call(arg);
    must(padic_context_sync(context), "sync");
    for (i = 0; i < repeats; i++) {
        begin = now();
        call(arg);
        must(padic_context_sync(context), "sync");
        t[i] = now() - begin;
    }
    return median(t, repeats);
}

// ns of one call, of many that follow each other.
static inline double measure(call_fn call, void *arg)
{
    double t[64], begin, once;
    int i, j, calls;
    for (i = 0; i < 3; i++) call(arg);
    must(padic_context_sync(context), "sync");
    begin = now();
    call(arg);
    must(padic_context_sync(context), "sync");
    once = now() - begin;
    calls = once > 2e7 ? 1 : (int)(2e7 / once) + 1;
    for (i = 0; i < repeats; i++) {
        begin = now();
        for (j = 0; j < calls; j++) call(arg);
        must(padic_context_sync(context), "sync");
        t[i] = (now() - begin) / calls;
    }
    return median(t, repeats);
}

typedef struct copy_job {
    padic_buffer from, to;
    uint64_t size;
} copy_job;

static void copy_call(void *arg)
{
    const copy_job *job = (const copy_job *)arg;
    must(padic_buffer_copy(context, job->to, 0, job->from, 0, job->size), "copy");
}

#endif
