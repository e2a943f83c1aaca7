// cdt.c: accepted moves a second of random triangulations, beside the targets.
//
//     cc -O2 -o cdt bench/cdt.c -lm -lpthread && ./cdt      one core, then replicas by threads
//     ./cdt 0.1                                             a tenth of the moves
//
// Columns: ensemble, triangles N2, millions of accepted moves and of attempts a second of CPU time
// of one core, the fastest of three runs; the accepted share; the target (accepted moves on the
// torus, attempts on the sphere) and the measured over it. Peers: the public C++ code of
// Brunekreef, Goerlich and Loll makes 8.1, 11 and 6.9 million accepted moves a second on tori of
// 2e3, 1.6e4 and 1.3e5 triangles (-O3). Then 16 replicas of 16,000 triangles by 1, 2, 4, ...
// threads up to the cores: accepted moves a second of wall time, and the gain.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_CDT
#include "../padic.h"
#include "../backends/padic_threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
    const uint32_t cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    double one = 0;
    if (argc > 1) share = atof(argv[1]);
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
