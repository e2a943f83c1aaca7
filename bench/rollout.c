// The bench of operator rollouts on the CPU: milliseconds a step of a batch, GFLOP/s of its
// convolutions, and their share of the core's peak of fused multiply-adds, measured before and
// after.
//
//     cc -O2 bench/rollout.c -o bench-rollout -lm -lpthread && ./bench-rollout
//     ./bench-rollout --seconds 10 --filter small --threads 2 --level avx2
//
// small: a network of 2 layers, 16 channels; large: of 4 layers, 64 channels; both with kernels of
// 3, INSTANCE and GELU, 128 x 128 cells, 3 channels, CONVEX, 5 trajectories. A step is one
// evaluation of all five. One worker's time is the processor's. Peers: bench/peers/rollout.py.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_ROLLOUT
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"

#include <stdio.h>

static clockid_t ticking = CLOCK_PROCESS_CPUTIME_ID; // of one worker; other programs count less

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(ticking, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double budget = 5;
static const char *filter = "";

#if PADICI_SIMD_X86 && defined(__GNUC__)
// Fused multiply-adds a second, times 2, of AVX-512 or AVX2.
__attribute__((target("avx512f"))) static double peak_512(void)
{
    __m512 s[12];
    float lanes[16], sum = 0;
    const double t = seconds_now();
    for (int i = 0; i < 12; i++) s[i] = _mm512_set1_ps(1e-3f * (float)i);
    for (int k = 0; k < 20000; k++)
        _Pragma("GCC unroll 12") // in registers
        for (int i = 0; i < 12; i++)
            s[i] = _mm512_fmadd_ps(s[i], _mm512_set1_ps(0.5f), _mm512_set1_ps(0.25f));
    for (int i = 0; i < 12; i++) _mm512_storeu_ps(lanes, s[i]), sum += lanes[i];
    return sum < 0 ? 0 : 12.0 * 20000 * 32 / (seconds_now() - t);
}

__attribute__((target("avx2,fma"))) static double peak_256(void)
{
    __m256 s[12];
    float lanes[8], sum = 0;
    const double t = seconds_now();
    for (int i = 0; i < 12; i++) s[i] = _mm256_set1_ps(1e-3f * (float)i);
    for (int k = 0; k < 20000; k++)
        _Pragma("GCC unroll 12") // in registers
        for (int i = 0; i < 12; i++)
            s[i] = _mm256_fmadd_ps(s[i], _mm256_set1_ps(0.5f), _mm256_set1_ps(0.25f));
    for (int i = 0; i < 12; i++) _mm256_storeu_ps(lanes, s[i]), sum += lanes[i % 8];
    return sum < 0 ? 0 : 12.0 * 20000 * 16 / (seconds_now() - t);
}

static double peak(const char *level)
{
    const int wide = padici_simd_detect() >= PADICI_SIMD_AVX512 && (!level || !strstr(level, "2"));
    double most = 0;
    for (int turn = 0; turn < 40; turn++) {
        const double here = wide || (level && strstr(level, "512")) ? peak_512() : peak_256();
        if (here > most) most = here;
    }
    return most;
}
#else
static double peak(const char *level)
{
    (void)level;
    return 0;
}
#endif

static void row(padic_context *context, const char *name, uint32_t width, uint32_t layers,
                padic_rollout_boundary boundary, const char *level, uint32_t workers)
{
    enum { SIDE = 128, CELLS = 3 * SIDE * SIDE, BATCH = 5 };
    static padic_rollout_node nodes[PADIC_ROLLOUT_NODES];
    const uint64_t shape[4] = {BATCH, 3, SIDE, SIDE}, last[7] = {1, BATCH, 1, 1, 3, SIDE, SIDE};
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report info = PADIC_ZERO;
    padic_rollout_weights_init_desc init = PADIC_ZERO;
    padic_rollout_run_desc run = PADIC_ZERO;
    double least = 1e9, most = peak(level), flop;
    const double end = seconds_now() + budget;
    if (!strstr(name, filter)) return;
    cnn.width = width;
    cnn.layers = layers;
    cnn.boundary = boundary;
    cnn.nodes = nodes;
    cnn.capacity = PADIC_ROLLOUT_NODES;
    run.op.nodes = nodes;
    run.op.count = padic_rollout_nodes_cnn(&cnn);
    run.op.height = run.op.width = SIDE;
    if (padic_rollout_operator_info(NULL, &run.op, &info)) exit(1);
    init.op = run.op;
    init.out = padic_tensor_2d(PADIC_F32, malloc(info.parameters * 4), 1, info.parameters);
    if (padic_rollout_weights_init(NULL, &init)) exit(1);
    run.weights = init.out;
    run.initial = padic_tensor_nd(PADIC_F32, malloc(BATCH * CELLS * 4), 4, shape);
    run.out = padic_tensor_nd(PADIC_F32, malloc(BATCH * CELLS * 4), 7, last);
    for (int i = 0; i < BATCH * CELLS; i++)
        ((float *)run.initial.data)[i] = (float)((uint32_t)i * 2654435761u >> 8) / 16777216 - 0.5f;
    run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
    run.output = PADIC_ROLLOUT_OUTPUT_LAST;
    run.steps = layers > 2 ? 2 : 9;
    do {
        const double t = seconds_now();
        if (padic_rollout_run(context, &run)) exit(1);
        if ((seconds_now() - t) / (run.steps - 1) < least)
            least = (seconds_now() - t) / (run.steps - 1);
    } while (seconds_now() < end);
    flop = peak(level);
    most = (flop > most ? flop : most) * workers;
    flop = 2.0 * BATCH * (double)info.mac;
    printf("| %-16s | %9.2f | %7.1f | %5.2f |\n", name, least * 1e3, flop / least * 1e-9,
           most > 0 ? flop / least / most : 0);
    fflush(stdout);
    free(init.out.data), free(run.initial.data), free(run.out.data);
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_threads *pool = NULL;
    uint32_t workers = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seconds")) budget = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--filter")) filter = argv[i + 1];
        else if (!strcmp(argv[i], "--level")) desc.device.name = argv[i + 1];
        else if (!strcmp(argv[i], "--threads")) workers = (uint32_t)atoi(argv[i + 1]);
        else return puts("options: see the first lines of bench/rollout.c"), 1;
    }
    desc.backends[0] = padic_simd();
    if (workers > 1) {
        ticking = CLOCK_MONOTONIC;
        pool = padic_threads_create(workers, NULL);
        desc.jobs = padic_threads_jobs(pool);
    }
    if (padic_context_create(&desc, &context)) return puts("no vectors here"), 1;
    puts("| B = 5            | ms a step | GFLOP/s | of peak |\n|---|---|---|---|");
    row(context, "small, zero", 16, 2, PADIC_ROLLOUT_BOUNDARY_ZERO, desc.device.name, workers);
    row(context, "small, periodic", 16, 2, PADIC_ROLLOUT_BOUNDARY_PERIODIC, desc.device.name,
        workers);
    row(context, "large, zero", 64, 4, PADIC_ROLLOUT_BOUNDARY_ZERO, desc.device.name, workers);
    row(context, "large, periodic", 64, 4, PADIC_ROLLOUT_BOUNDARY_PERIODIC, desc.device.name,
        workers);
    padic_context_destroy(context);
    padic_threads_destroy(pool);
    return 0;
}
