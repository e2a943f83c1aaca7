// gpu.h: what the programs gpu_*.c share: device, with a job for each core that builds programs;
// clock, median of repeated calls, a copy. Include it after the headers of the library.
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../backends/padic_threads.h"

static padic_context *context;
static padic_device_info info;
PADICI_UNUSED static int repeats = 9;
PADICI_UNUSED static double copy_rate; // bytes per ns, as each counts them

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

static inline padic_buffer buffer_with(uint64_t size, const void *data)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = {0};
    desc.size = size ? size : 4;
    desc.data = data;
    must(padic_buffer_create(context, &desc, &buffer), "buffer");
    return buffer;
}

static inline padic_buffer buffer_of(uint64_t size) { return buffer_with(size, NULL); }

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts, too: the least comes first.
static inline double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, compare_doubles);
    return t[n / 2];
}

typedef void (*call_fn)(void *arg);

// ns of `calls` calls and the wait for their end.
static inline double measure_once(call_fn call, void *arg, int calls)
{
    const double begin = now();
    int i;
    for (i = 0; i < calls; i++) call(arg);
    must(padic_context_sync(context), "sync");
    return now() - begin;
}

// ns of one call and the wait for its end: the median, sorted in t[0] to t[repeats - 1].
static inline double measure_ends(call_fn call, void *arg, double *t)
{
    int i;
    for (i = 0; i < repeats; i++) t[i] = measure_once(call, arg, 1);
    return median(t, repeats);
}

// The same, after three calls.
static inline double measure_end(call_fn call, void *arg)
{
    double t[64];
    (void)measure_once(call, arg, 3);
    return measure_ends(call, arg, t);
}

// ns of one call, of many that follow each other and take `least` ns together; as measure_ends().
static inline double measure_many(call_fn call, void *arg, double least, double *t)
{
    double once;
    int i, calls;
    (void)measure_once(call, arg, 3);
    once = measure_once(call, arg, 1);
    calls = once > least ? 1 : (int)(least / once) + 1;
    for (i = 0; i < repeats; i++) t[i] = measure_once(call, arg, calls) / calls;
    return median(t, repeats);
}

static inline double measure(call_fn call, void *arg)
{
    double t[64];
    return measure_many(call, arg, 2e7, t);
}

// Moderate numbers, the same in each run.
static inline float *numbers(uint64_t count)
{
    float *data = (float *)malloc(count * sizeof *data);
    uint32_t seed = 1;
    uint64_t i;
    if (!data) exit(1);
    for (i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
    return data;
}

typedef struct copy_job {
    padic_buffer from, to;
    uint64_t size;
} copy_job;

static inline void copy_call(void *arg)
{
    const copy_job *job = (const copy_job *)arg;
    must(padic_buffer_copy(context, job->to, 0, job->from, 0, job->size), "copy");
}

// Opens the device that the arguments name, `cuda` if none, alone and strict; measures the copy
// rate. --repeat N, --filter NAME: what *filter becomes. 0, or the program's exit code.
static inline int open_named(int argc, char **argv, const padic_backend *cuda,
                             const padic_backend *opencl, const char **filter)
{
    padic_context_desc desc = PADIC_ZERO;
    copy_job copy;
    int at;
    desc.backends[0] = argc > 1 && !strcmp(argv[1], "opencl") ? opencl : cuda;
    desc.flags = PADIC_CONTEXT_STRICT; // nothing falls back to the CPU
    desc.jobs = padic_threads_jobs(padic_threads_create(0, NULL)); // until the process ends
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    for (at = 1; at + 1 < argc; at++) {
        if (!strcmp(argv[at], "--repeat")) repeats = atoi(argv[at + 1]);
        if (!strcmp(argv[at], "--filter")) *filter = argv[at + 1];
    }
    if (repeats < 1 || repeats > 64) repeats = 9;
    if (padic_context_create(&desc, &context)) return fprintf(stderr, "no device\n"), 77;
    padic_context_device_info(context, &info);
    copy.size = UINT64_C(1) << 30;
    copy.from = buffer_of(copy.size);
    copy.to = buffer_of(copy.size);
    copy_rate = 2.0 * (double)copy.size / measure(copy_call, &copy);
    return 0;
}

#endif
