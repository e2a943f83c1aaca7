// cpu_wave.c: superposition on the CPU: vectors beside the plain reference, one thread.
//
//     cc -O2 -o cpu_wave bench/cpu_wave.c -lm -lpthread && ./cpu_wave  all levels that the CPU has
//     ./cpu_wave frames                                                only frames
//     ./cpu_wave fields                                                only what is seen of fields
//     ./cpu_wave vortices                                              only line vortices
//     ./cpu_wave doubles                                               only f64 and gradients
//     ./cpu_wave threads                                               only that
//     ./cpu_wave far                                                   only the case of that name
//     ./cpu_wave && python3 bench/peers/wave_numpy.py                  beside NumPy
//
// Columns: case, level, CPU ms of the fastest of some runs, pairs a second, largest error over sum
// |A|/r against the reference, largest phase error in turns that the run reports. Then 32 frames of
// one field: case and number of frequencies, level, ms of all by one call, ms by a call a frame,
// their ratio, microseconds a frame. Then fields of 1024 x 1024: level, CPU ms of the fastest run,
// GB/s of what is read and written, over that of a copy. Then vortices of charge 1 along z,
// RATIONAL: CPU ms of the fastest run, points times vortices a second (1.5e9 wanted of AVX-512).
// Then 8192 points and 50 sources in f32 and f64, the field and with its gradient, beside a plain
// loop in f64: case, level, CPU ms of the fastest of interleaved runs, pairs a second, over the
// loop.
// Then the best level by 1, 2, 4, ... threads up to the cores: ms, gain by threads (0.9 wanted).
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of this process: whatever else runs.
static double spent(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Nearly normal: the sum of 4 uniform ones.
static double normal(uint32_t i, uint32_t stream)
{
    uint32_t w[4];
    padic_random_block(6, stream, 0, i, w);
    return ((double)w[0] + (double)w[1] + (double)w[2] + (double)w[3]) / 4294967296.0 * 1.7320508 -
           3.4641016;
}

typedef struct bench_case {
    const char *name;
    uint64_t points, sources; // points: of a list, or along each axis of a square
    double reach, wavenumber; // of positions of sources
    int grid;
} bench_case;

static void run(const bench_case *c)
{
    static const char *const levels[] = {"none", "neon", "avx2", "avx512"};
    const uint64_t n = c->grid ? c->points * c->points : c->points;
    float *points = (float *)malloc(n * 3 * 4), *sources = (float *)malloc(c->sources * 3 * 4);
    float *psi = (float *)malloc(n * 8), *exact = (float *)malloc(n * 8);
    double k = c->wavenumber, sum = 0;
    padic_wave_superpose_report told = PADIC_ZERO;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    for (uint64_t i = 0; i < 3 * n; i++) points[i] = (float)normal((uint32_t)i, 0);
    for (uint64_t i = 0; i < 3 * c->sources; i++)
        sources[i] = (float)(c->reach * normal((uint32_t)i, 1));
    if (!c->grid) desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    for (int a = 0; a < 2 && c->grid; a++) {
        desc.grid.count[a] = (uint32_t)c->points;
        desc.grid.step[a] = .25;
    }
    desc.sources = padic_tensor_2d(PADIC_F32, sources, c->sources, 3);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.out = c->grid ? padic_tensor_2d(PADIC_C64, psi, c->points, c->points)
                       : padic_tensor_1d(PADIC_C64, psi, n);
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    desc.length = .1;
    desc.report = &told;
    for (int l = 0; l < 4; l++) {
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        double best = 1e9, worst = 0;
        with.backends[0] = padic_simd();
        with.device.name = levels[l];
        with.flags = PADIC_CONTEXT_STRICT;
        if (padic_context_create(&with, &context)) continue;
        for (int r = 0; r < (l ? 15 : 2); r++) {
            const double start = spent();
            if (padic_wave_superpose(context, &desc)) puts(padic_context_message(context));
            if (spent() - start < best) best = spent() - start;
        }
        padic_context_destroy(context);
        if (!l) { // sum |A|/r is about that of |psi|^2's root times the root of M
            memcpy(exact, psi, n * 8);
            for (uint64_t i = 0; i < 2 * n; i++) sum += (double)psi[i] * (double)psi[i];
            sum = sqrt(sum / (double)n * (double)c->sources);
        }
        for (uint64_t i = 0; i < 2 * n; i++)
            if (fabs((double)psi[i] - (double)exact[i]) > worst)
                worst = fabs((double)psi[i] - (double)exact[i]);
        printf("%-24s %-7s %9.3f ms %9.3e pairs/s  error %.1e  bound %.1e turns\n", c->name,
               levels[l], 1e3 * best, (double)n * (double)c->sources / best, worst / sum,
                   told.error_bound);
    }
    free(points);
    free(sources);
    free(psi);
    free(exact);
}

static void run_vortices(uint64_t n, uint64_t v)
{
    static const char *const levels[] = {"none", "neon", "avx2", "avx512"};
    float *points = (float *)malloc(n * 12), *centres = (float *)malloc(v * 12);
    float *charges = (float *)malloc(v * 4), *psi = (float *)malloc(n * 8), core = .1f;
    padic_wave_vortex_desc desc = PADIC_ZERO;
    for (uint64_t i = 0; i < 3 * n; i++) points[i] = (float)normal((uint32_t)i, 0);
    for (uint64_t i = 0; i < 3 * v; i++) centres[i] = (float)(.3 * normal((uint32_t)i, 1));
    for (uint64_t i = 0; i < v; i++) charges[i] = i & 1 ? -1.f : 1.f;
    desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc.centres = padic_tensor_2d(PADIC_F32, centres, v, 3);
    desc.charges = padic_tensor_1d(PADIC_F32, charges, v);
    desc.cores = padic_tensor_nd(PADIC_F32, &core, 0, NULL);
    desc.out = padic_tensor_1d(PADIC_C64, psi, n);
    for (int l = 0; l < 4; l++) {
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        double best = 1e9;
        with.backends[0] = padic_simd();
        with.device.name = levels[l];
        with.flags = PADIC_CONTEXT_STRICT;
        if (padic_context_create(&with, &context)) continue;
        for (int r = 0; r < (l ? 30 : 3); r++) {
            const double start = spent();
            if (padic_wave_vortex(context, &desc)) puts(padic_context_message(context));
            if (spent() - start < best) best = spent() - start;
        }
        padic_context_destroy(context);
        printf("vortices %5d x %-4d     %-7s %9.3f ms %9.3e a second\n", (int)n, (int)v, levels[l],
               1e3 * best, (double)n * (double)v / best);
    }
    free(points);
    free(centres);
    free(charges);
    free(psi);
}

// 131072 points, 1000 sources.
static void run_threads(void)
{
    const uint64_t n = 131072, m = 1000;
    float *points = (float *)malloc(n * 12), *sources = (float *)malloc(m * 12);
    float *psi = (float *)malloc(n * 8);
    double k = 1, one = 0;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    for (uint64_t i = 0; i < 3 * n; i++) points[i] = (float)normal((uint32_t)i, 0);
    for (uint64_t i = 0; i < 3 * m; i++) sources[i] = (float)(.5 * normal((uint32_t)i, 1));
    desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc.sources = padic_tensor_2d(PADIC_F32, sources, m, 3);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    desc.length = .1;
    desc.out = padic_tensor_1d(PADIC_C64, psi, n);
    for (uint32_t threads = 1; (long)threads <= sysconf(_SC_NPROCESSORS_ONLN); threads *= 2) {
        padic_threads *pool = padic_threads_create(threads, NULL);
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        double best = 1e9;
        with.backends[0] = padic_simd();
        with.jobs = padic_threads_jobs(pool);
        if (!pool || padic_context_create(&with, &context)) break;
        for (int r = 0; r < 8; r++) {
            const double start = now();
            if (padic_wave_superpose(context, &desc)) puts(padic_context_message(context));
            if (now() - start < best) best = now() - start;
        }
        padic_context_destroy(context);
        padic_threads_destroy(pool);
        if (threads == 1) one = best;
        printf("threads %2u              %9.3f ms %9.3e pairs/s  %.2f of the threads\n",
               (unsigned)threads, 1e3 * best, (double)n * (double)m / best,
               one / best / threads);
    }
    free(points);
    free(sources);
    free(psi);
}

#define FRAMES 32

// One call for all frames beside a call a frame.
static void run_frames(const bench_case *c, uint64_t kinds)
{
    static const char *const levels[] = {"none", "neon", "avx2", "avx512"};
    const uint64_t n = c->points, m = c->sources;
    float *points = (float *)malloc(n * 3 * 4), *sources = (float *)malloc(m * 3 * 4);
    float *frequency = (float *)malloc(m * 4), *psi = (float *)malloc(FRAMES * n * 8);
    double k = c->wavenumber, times[FRAMES];
    padic_wave_frames_desc desc = PADIC_ZERO;
    for (uint64_t i = 0; i < 3 * n; i++) points[i] = (float)normal((uint32_t)i, 0);
    for (uint64_t i = 0; i < 3 * m; i++) sources[i] = (float)(c->reach * normal((uint32_t)i, 1));
    for (uint64_t i = 0; i < m; i++) frequency[i] = 1 + .01f * (float)(i % kinds);
    for (int f = 0; f < FRAMES; f++) times[f] = .1 * f;
    desc.field.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc.field.sources = padic_tensor_2d(PADIC_F32, sources, m, 3);
    desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.field.frequency = padic_tensor_1d(PADIC_F32, frequency, m);
    desc.field.out = padic_tensor_2d(PADIC_C64, psi, FRAMES, n);
    desc.field.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    desc.field.length = .1;
    desc.times = padic_tensor_1d(PADIC_F64, times, FRAMES);
    for (int l = 0; l < 4; l++) {
        padic_context_desc with = PADIC_ZERO;
        padic_context *context = NULL;
        double best = 1e9, single = 1e9;
        if (!l && n * m > 1000000) continue; // a minute of the reference
        with.backends[0] = padic_simd();
        with.device.name = levels[l];
        with.flags = PADIC_CONTEXT_STRICT;
        if (padic_context_create(&with, &context)) continue;
        for (int r = 0; r < (l ? 15 : 1); r++) {
            padic_wave_superpose_desc one = desc.field;
            double start = now();
            if (padic_wave_frames(context, &desc)) puts(padic_context_message(context));
            if (now() - start < best) best = now() - start;
            start = now();
            for (int f = 0; f < FRAMES; f++) {
                one.time = times[f];
                one.out = padic_tensor_1d(PADIC_C64, psi + 2 * n * (uint64_t)f, n);
                if (padic_wave_superpose(context, &one)) puts(padic_context_message(context));
            }
            if (now() - start < single) single = now() - start;
        }
        padic_context_destroy(context);
        printf("%-20s K %-4lu %-7s %9.3f ms, a call a frame %9.3f ms, %5.1f x, %8.1f us a frame\n",
               c->name, (unsigned long)kinds, levels[l], 1e3 * best, 1e3 * single, single / best,
               1e6 * best / FRAMES);
    }
    free(points);
    free(sources);
    free(frequency);
    free(psi);
}

// What is seen of a field, and its phase's slopes and charges: the copy of it comes first.
static void run_fields(void)
{
    enum { SIDE = 1024, N = SIDE * SIDE };
    static const char *const levels[] = {"none", "neon", "avx2", "avx512"};
    static const char *const names[] = {"copy", "intensity", "amplitude", "phase", "pixels grey",
                                        "pixels hue", "normalise", "links", "current", "charges"};
    static const double bytes[] = {16, 12, 12, 12, 12, 12, 24, 16, 16, 9}; // of an element
    float *psi = (float *)malloc(8 * N), *out = (float *)malloc(8 * N);
    const uint64_t shape[3] = {SIDE, SIDE, 2}, pixels[3] = {SIDE, SIDE, 4};
    double copied = 0;
    for (uint32_t i = 0; i < 2 * N; i++) psi[i] = (float)normal(i, 2);
    for (int what = 0; what < 10; what++)
        for (int l = what ? 0 : 1; l < (what ? 4 : 2); l++) {
            padic_context_desc with = PADIC_ZERO;
            padic_context *context = NULL;
            padic_wave_observe_desc observe = PADIC_ZERO;
            padic_wave_tonemap_desc tone = PADIC_ZERO;
            padic_wave_normalise_desc norm = PADIC_ZERO;
            padic_wave_phase_gradient_desc slope = PADIC_ZERO;
            padic_wave_winding_desc charge = PADIC_ZERO;
            double best = 1e9;
            with.backends[0] = padic_simd();
            with.device.name = what ? levels[l] : "none";
            with.flags = PADIC_CONTEXT_STRICT;
            if (padic_context_create(&with, &context)) continue;
            observe.psi = tone.field = norm.psi = slope.psi = charge.psi =
                padic_tensor_nd(PADIC_C64, psi, 2, shape);
            observe.output = what == 3   ? PADIC_WAVE_OUTPUT_PHASE
                           : what == 2 ? PADIC_WAVE_OUTPUT_AMPLITUDE
                                       : PADIC_WAVE_OUTPUT_INTENSITY;
            observe.out = padic_tensor_nd(PADIC_F32, out, 2, shape);
            tone.tone.map = what == 5 ? PADIC_WAVE_MAP_HUE : PADIC_WAVE_MAP_GREY;
            tone.tone.high = 4;
            tone.out = padic_tensor_nd(PADIC_U8, out, 3, pixels);
            norm.target = N;
            slope.method = what == 8 ? PADIC_WAVE_PHASE_CURRENT : PADIC_WAVE_PHASE_LINKS;
            slope.out = padic_tensor_nd(PADIC_F32, out, 3, shape);
            charge.map = padic_tensor_nd(PADIC_I8, out, 2, shape);
            for (int r = 0; r < (l ? 15 : 3); r++) {
                const double start = spent();
                padic_result result = PADIC_OK;
                if (what == 0) memcpy(out, psi, 8 * N);
                else if (what < 4) result = padic_wave_observe(context, &observe);
                else if (what < 6) result = padic_wave_tonemap(context, &tone);
                else if (what < 7) result = padic_wave_normalise(context, &norm);
                else if (what < 9) result = padic_wave_phase_gradient(context, &slope);
                else result = padic_wave_winding(context, &charge);
                if (result) puts(padic_context_message(context));
                if (spent() - start < best) best = spent() - start;
            }
            padic_context_destroy(context);
            if (!what) copied = bytes[0] * (double)N / best;
            printf("%-12s %-7s %9.3f ms %7.2f GB/s %6.2f of a copy\n", names[what],
                   what ? levels[l] : "memcpy", 1e3 * best, bytes[what] * (double)N / best / 1e9,
                   bytes[what] * (double)N / best / copied);
        }
    free(psi);
    free(out);
}

// What a user would write.
static void plain_loop(const float *points, uint64_t n, const float *sources, uint64_t m, double k,
                       double *psi)
{
    for (uint64_t i = 0; i < n; i++) {
        double re = 0, im = 0;
        for (uint64_t j = 0; j < m; j++) {
            const double x = (double)points[3 * i] - (double)sources[3 * j];
            const double y = (double)points[3 * i + 1] - (double)sources[3 * j + 1];
            const double z = (double)points[3 * i + 2] - (double)sources[3 * j + 2];
            const double r = sqrt(x * x + y * y + z * z + .01);
            re += cos(k * r) / r;
            im += sin(k * r) / r;
        }
        psi[2 * i] = re;
        psi[2 * i + 1] = im;
    }
}

static void run_doubles(void)
{
    enum { N = 8192, M = 50, KINDS = 5, LEVELS = 4 };
    static const char *const levels[LEVELS] = {"none", "neon", "avx2", "avx512"};
    static const char *const names[KINDS] = {"plain loop, f64", "superpose c64", "superpose c128",
                                             "gradient c64", "gradient c128"};
    static float points[3 * N], sources[3 * M];
    static double psi[2 * N], slopes[6 * N];
    padic_context *contexts[LEVELS] = {0};
    double best[KINDS][LEVELS], k = 6.2831853;
    for (int i = 0; i < 3 * N; i++) points[i] = (float)normal((uint32_t)i, 0);
    for (int i = 0; i < 3 * M; i++) sources[i] = (float)(.5 * normal((uint32_t)i, 1));
    for (int l = 0; l < LEVELS; l++) {
        padic_context_desc with = PADIC_ZERO;
        with.backends[0] = padic_simd();
        with.device.name = levels[l];
        with.flags = PADIC_CONTEXT_STRICT;
        if (padic_context_create(&with, &contexts[l])) contexts[l] = NULL;
        for (int kind = 0; kind < KINDS; kind++) best[kind][l] = 1e9;
    }
    for (int r = 0; r < 20; r++)
        for (int l = 0; l < LEVELS; l++)
            for (int kind = 0; kind < KINDS && contexts[l] && (l || r < 4); kind++) {
                const padic_dtype dtype = kind & 1 ? PADIC_C64 : PADIC_C128;
                padic_wave_gradient_desc desc = PADIC_ZERO;
                double start;
                if (!kind && l) continue;
                desc.field.points = padic_tensor_2d(PADIC_F32, points, N, 3);
                desc.field.sources = padic_tensor_2d(PADIC_F32, sources, M, 3);
                desc.field.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
                desc.field.out = padic_tensor_1d(dtype, psi, N);
                desc.field.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
                desc.field.length = .1;
                desc.out = padic_tensor_2d(dtype, slopes, N, 3);
                start = spent();
                if (!kind)
                    plain_loop(points, N, sources, M, k, psi);
                else if (kind < 3 ? padic_wave_superpose(contexts[l], &desc.field)
                                  : padic_wave_gradient(contexts[l], &desc))
                    puts(padic_context_message(contexts[l]));
                if (spent() - start < best[kind][l]) best[kind][l] = spent() - start;
            }
    for (int kind = 0; kind < KINDS; kind++)
        for (int l = 0; l < LEVELS; l++)
            if (best[kind][l] < 1e8)
                printf("%-16s %-7s %9.3f ms %9.3e pairs/s %6.2f\n", names[kind],
                       kind ? levels[l] : "", 1e3 * best[kind][l], N * (double)M / best[kind][l],
                       best[0][0] / best[kind][l]);
    for (int l = 0; l < LEVELS; l++) padic_context_destroy(contexts[l]);
}

int main(int argc, char **argv)
{
    static const bench_case cases[] = {{"small 512 x 10", 512, 10, .5, 1, 0},
                                       {"medium 2048 x 20", 2048, 20, .5, 1, 0},
                                       {"large 8192 x 50", 8192, 50, .5, 1, 0},
                                       {"extreme 32768 x 100", 32768, 100, .5, 1, 0},
                                       {"direct 32768 x 1000", 32768, 1000, .5, 1, 0},
                                       {"mid 256^2 x 400", 256, 400, 100, 6.2831853, 1},
                                       {"far 256^2 x 400", 256, 400, 1e4, 6.2831853, 1},
                                       {"wide 32768 x 100", 32768, 100, 100, 6.2831853, 0}};
    const int all = argc < 2, fields = !all && !strcmp(argv[1], "fields");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (all || !strncmp(cases[i].name, argv[1], strlen(argv[1]))) run(&cases[i]);
    if (all || fields) run_fields();
    if (all || !strcmp(argv[1], "threads")) run_threads();
    if (all || !strcmp(argv[1], "doubles")) run_doubles();
    if (all || !strcmp(argv[1], "vortices")) {
        run_vortices(8192, 10);
        run_vortices(32768, 20);
        run_vortices(32768, 200);
    }
    if (!all && strcmp(argv[1], "frames")) return 0;
    run_frames(&cases[2], 1);
    run_frames(&cases[2], 5);
    run_frames(&cases[2], 50);
    run_frames(&cases[4], 1);
    run_frames(&cases[4], 1000);
    return 0;
}
