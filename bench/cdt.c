// cdt.c: accepted moves a second of random triangulations, beside the targets.
//
//     cc -O2 -o cdt bench/cdt.c -lm -lpthread -ldl && ./cdt   one core, then replicas by threads
//     ./cdt 0.1                                               a tenth of the moves
//     ./cdt 1 cuda|opencl                                     replicas on a device
//
// Columns: ensemble, triangles N2, millions of accepted moves and of attempts a second of CPU time
// of one core, the fastest of three runs; the accepted share; the target (accepted moves on the
// torus, attempts on the sphere) and the measured over it. Peers: the public C++ code of
// Brunekreef, Goerlich and Loll makes 8.1, 11 and 6.9 million accepted moves a second on tori of
// 2e3, 1.6e4 and 1.3e5 triangles (-O3). Then 16 replicas of 16,000 triangles by 1, 2, 4, ...
// threads up to the cores: accepted moves a second of wall time, and the gain. On a device:
// replicas of 4,096 triangles in its memory, wall time, the fastest of three calls.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_CDT
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "../backends/padic_threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double share = 1; // of the moves

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static padic_cdt_plan *grown(padic_context *context, padic_cdt_kind kind, uint64_t triangles,
                             uint64_t replicas)
{
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_grow_desc grow = PADIC_ZERO;
    padic_cdt_plan *plan;
    desc.kind = kind;
    desc.replicas = replicas;
    desc.slices = (uint32_t)sqrt((double)triangles / 2); // about as long as wide
    desc.target = triangles;
    desc.seed = 1;
    if (kind == PADIC_CDT_KIND_EUCLID_SPHERE)
        desc.weight_flip = desc.weight_insert = desc.weight_delete = 1;
    padic_result result = padic_cdt_plan_create(context, &desc, &plan);
    grow.plan = plan;
    grow.discard = (uint64_t)(share * 40 * (double)triangles) + 1;
    if (!result) result = padic_cdt_grow(context, &grow);
    if (result) puts(padic_result_text(result)), exit(1);
    return plan;
}

// Millions of accepted moves and attempts of one call.
static void count(const padic_cdt_run_report *report, double made[2])
{
    made[0] = made[1] = 0;
    for (int k = 0; k < PADIC_CDT_MOVES; k++) {
        made[0] += (double)report->accepted[k] * 1e-6;
        made[1] += (double)report->attempts[k] * 1e-6;
    }
}

static void one_core(padic_cdt_kind kind, uint64_t triangles, double target)
{
    padic_cdt_run_report report;
    padic_cdt_run_desc run = PADIC_ZERO;
    double best[2] = {0, 0}, made[2], against;
    run.plan = grown(NULL, kind, triangles, 1);
    run.attempts = (uint64_t)(share * 2e7) + 1;
    run.report = &report;
    for (int i = 0; i < 3; i++) {
        const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (padic_cdt_run(NULL, &run)) exit(1);
        const double spent = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
        count(&report, made);
        if (made[0] / spent > best[0]) best[0] = made[0] / spent, best[1] = made[1] / spent;
    }
    against = kind == PADIC_CDT_KIND_CAUSAL_TORUS ? best[0] : best[1];
    printf("%-7s %8lu %8.1f %8.1f %7.0f%% %8.1f %7.2f\n",
           kind == PADIC_CDT_KIND_CAUSAL_TORUS ? "torus" : "sphere", (unsigned long)triangles,
           best[0], best[1], 100 * best[0] / best[1], target, against / target);
    padic_cdt_plan_destroy(run.plan);
}

static double by_threads(uint32_t workers)
{
    padic_threads *threads = padic_threads_create(workers, NULL);
    padic_context_desc with = PADIC_ZERO;
    padic_context *context;
    padic_cdt_run_report report;
    padic_cdt_run_desc run = PADIC_ZERO;
    double made[2], rate = 0;
    with.jobs = padic_threads_jobs(threads);
    if (padic_context_create(&with, &context)) exit(1);
    run.plan = grown(context, PADIC_CDT_KIND_CAUSAL_TORUS, 16000, 16);
    run.attempts = (uint64_t)(share * 2e6) + 1;
    run.report = &report;
    for (int i = 0; i < 3; i++) {
        const double begin = seconds(CLOCK_MONOTONIC);
        if (padic_cdt_run(context, &run)) exit(1);
        const double spent = seconds(CLOCK_MONOTONIC) - begin;
        count(&report, made);
        if (made[0] / spent > rate) rate = made[0] / spent;
    }
    padic_cdt_plan_destroy(run.plan);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
    return rate;
}

// Replicas of 4,096 triangles whose chains lie on a device: millions a second, as above.
static void on_device(padic_context *context, padic_cdt_kind kind, uint64_t replicas)
{
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_buffer_desc memory = PADIC_ZERO;
    padic_cdt_grow_desc grow = PADIC_ZERO;
    padic_cdt_run_desc run = PADIC_ZERO;
    padic_cdt_run_report report;
    padic_buffer buffer;
    double made[2], rate[2] = {0, 0};
    desc.kind = kind;
    desc.replicas = replicas;
    desc.target = 4096;
    desc.capacity = 6144;
    desc.seed = 1;
    if (kind == PADIC_CDT_KIND_EUCLID_SPHERE)
        desc.weight_flip = desc.weight_insert = desc.weight_delete = 1;
    memory.size = padic_cdt_state_size_bound(&desc);
    padic_result result = padic_buffer_create(context, &memory, &buffer);
    desc.state = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, memory.size), buffer, 0);
    if (!result) result = padic_cdt_plan_create(context, &desc, &grow.plan);
    grow.discard = (uint64_t)(share * 40 * 4096) + 1;
    if (!result) result = padic_cdt_grow(context, &grow);
    run.plan = grow.plan;
    run.attempts = (uint64_t)(share * 50 * 4096) + 1;
    run.report = &report;
    for (int i = 0; i < 3 && !result; i++) {
        const double begin = seconds(CLOCK_MONOTONIC);
        result = padic_cdt_run(context, &run);
        const double spent = seconds(CLOCK_MONOTONIC) - begin;
        count(&report, made);
        for (int k = 0; k < 2; k++)
            if (made[k] / spent > rate[k]) rate[k] = made[k] / spent;
    }
    if (result) puts(padic_context_message(context)), exit(1);
    printf("%-9s %8lu %9.1f %9.1f\n", kind == PADIC_CDT_KIND_CAUSAL_TORUS ? "torus" : "sphere",
           (unsigned long)replicas, rate[0], rate[1]);
    padic_cdt_plan_destroy(run.plan);
    padic_buffer_destroy(context, buffer);
}

static void device(const char *name)
{
    padic_context_desc with = PADIC_ZERO;
    padic_context *context;
    padic_device_info info;
    with.backends[0] = strcmp(name, "opencl") ? padic_cuda() : padic_opencl();
    with.device.flags = PADIC_DEVICE_ALLOW_CPU;
    if (padic_context_create(&with, &context)) puts("no device"), exit(1);
    padic_context_device_info(context, &info);
    printf("%s\n", info.name);
    puts("kind      replicas  accepted  attempts   (millions a second, N2 4096)");
    for (uint64_t n = 32; n <= (share < 1 ? 1024 : 32768); n *= 4) {
        on_device(context, PADIC_CDT_KIND_CAUSAL_TORUS, n);
        on_device(context, PADIC_CDT_KIND_EUCLID_SPHERE, n);
    }
    padic_context_destroy(context);
}

int main(int argc, char **argv)
{
    const uint32_t cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    double one = 0;
    if (argc > 1) share = atof(argv[1]);
    if (argc > 2) {
        device(argv[2]);
        return 0;
    }
    puts("kind          N2 accepted attempts   share   target   ratio   (millions a second)");
    one_core(PADIC_CDT_KIND_CAUSAL_TORUS, 2000, 20);
    one_core(PADIC_CDT_KIND_CAUSAL_TORUS, 16000, 20);
    one_core(PADIC_CDT_KIND_CAUSAL_TORUS, 130000, 19);
    one_core(PADIC_CDT_KIND_CAUSAL_TORUS, 1000000, 15);
    one_core(PADIC_CDT_KIND_EUCLID_SPHERE, 2000, 21);
    one_core(PADIC_CDT_KIND_EUCLID_SPHERE, 16000, 16.5);
    one_core(PADIC_CDT_KIND_EUCLID_SPHERE, 128000, 9.75);
    for (uint32_t n = 1; n <= cores; n *= 2) {
        const double rate = by_threads(n);
        if (n == 1) one = rate;
        printf("threads %u: %.1f million accepted moves a second, gain %.2f\n", n, rate,
               rate / one);
    }
    return 0;
}
