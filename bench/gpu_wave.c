// gpu_wave.c: superposition of waves: pairs a second, and the phase error that was really there.
//
//     cc -O2 -DPADIC_NO_CODEC bench/gpu_wave.c -o gpu_wave -lm -lpthread -ldl
//     ./gpu_wave [--backend cuda|opencl|native|cpu] [--case PART] [--repeat N] [--shrink N]
//     ./gpu_wave --serve                        for bench/peers/wave_torch.py: see serve()
//
// CSV, a row a case:
//
//     case,backend,device,points,sources,tolerance,ms,best_ms,pairs_per_s,first_ms,error_turns,
//     error_field,bound_turns
//
// ms is the median of calls that end with a wait for the device, points, sources and field in
// buffers of the device; first_ms the first call, which compiles. error_turns is the largest phase
// error of single pairs: 24 of the sources, one at a time, at 2,000 of the points, against long
// double. error_field is the largest error of the field of all sources at 50 points, over the sum
// of |A|/r. bound_turns is what the library reports. --shrink divides the number of points.
// Then, with columns of their own, `--case frames`: F frames of one field by one call beside F
// calls of a frame, for some numbers of frequencies; `--case gradient`: gradient and field in one
// pass; `--case recorded`: microseconds of a call of 20 that were recorded together (the suite's
// iterations), of one that was recorded alone, and of one that is launched and waited for.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "../tests/native/padic_native.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wave_case {
    const char *name;
    uint32_t points, sources; // points 0: a grid
    uint32_t count[3];
    double spacing;   // of the grid, in wavelengths
    double domain[3]; // sources lie in a box of this size around the grid's middle, in wavelengths
    double tolerance;
    uint32_t emit;
} wave_case;

static const wave_case cases[] = {
    // The original suite's data: points N(0,1), sources 0.5 N(0,1), k = 1.
    {"suite_small", 512, 10, {0, 0, 0}, 0, {0, 0, 0}, 0, 0},
    {"suite_medium", 2048, 20, {0, 0, 0}, 0, {0, 0, 0}, 0, 0},
    {"suite_large", 8192, 50, {0, 0, 0}, 0, {0, 0, 0}, 0, 0},
    {"suite_extreme", 32768, 100, {0, 0, 0}, 0, {0, 0, 0}, 0, 0},
    {"list_1e7_1e4", 10000000, 10000, {0, 0, 0}, 0, {0, 0, 0}, 0, 0},
    // Planes of 1e7 points, a quarter of a wavelength apart: 1024 x 612 wavelengths.
    {"plane_1e7_1e4", 0, 10000, {4096, 2448, 1}, 0.25, {1024, 612, 400}, 0, 0},
    {"plane_loose", 0, 10000, {4096, 2448, 1}, 0.25, {1024, 612, 400}, 1e-4, 0},
    {"plane_1e5_away", 0, 10000, {4096, 2448, 1}, 0.25, {1e5, 1e5, 1e5}, 0, 0},
    {"plane_1e7_away", 0, 10000, {4096, 2448, 1}, 0.25, {1e7, 1e7, 1e6}, 0, 0},
    {"volume_1e7_1e4", 0, 10000, {216, 216, 215}, 0.4, {200, 200, 200}, 0, 0},
    {"rgba_128_500", 0, 500, {128, 128, 128}, 0.1, {13, 13, 13}, 0, PADIC_WAVE_RGBA8},
};

typedef struct wave_bench {
    padic_context *context;
    const wave_case *of;
    uint64_t n, m;
    uint32_t count[3];
    double k, origin[3];
    float *points, *sources, *amplitude, *phase;
    padic_buffer buffers[5];
    padic_wave_superpose_desc desc;
} wave_bench;

static void fail(const char *what, padic_context *context, padic_result result)
{
    fprintf(stderr, "%s: %s: %s\n", what, padic_result_text(result),
            padic_context_message(context));
    exit(1);
}

static double now_ms(void)
{
    return (double)padici_clock_default(NULL) / 1e6;
}

// Normal numbers by Box and Muller, uniform ones, addressed: the peers make the same.
static double uniform(uint64_t stream, uint64_t i)
{
    uint32_t word[4];
    padic_random_block(1, stream, 0, (uint32_t)i, word);
    return padic_random_f64(word[0], word[1]);
}

static double normal(uint64_t stream, uint64_t i)
{
    return sqrt(-2 * log(1 - uniform(stream, 2 * i))) *
           cos(6.283185307179586 * uniform(stream, 2 * i + 1));
}

static void make(wave_bench *b, uint32_t shrink)
{
    const wave_case *c = b->of;
    uint64_t i, j;
    b->m = c->sources;
    b->n = 1;
    for (j = 0; j < 3; j++) {
        b->count[j] = j || !c->count[0] ? c->count[j] : (c->count[j] + shrink - 1) / shrink;
        b->n *= c->points ? 1 : b->count[j];
    }
    if (c->points) b->n = (c->points + shrink - 1) / shrink;
    b->k = c->points ? 1 : 6.283185307179586;
    b->sources = (float *)malloc(12 * b->m);
    b->amplitude = (float *)malloc(4 * b->m);
    b->phase = (float *)malloc(4 * b->m);
    b->points = c->points ? (float *)malloc(12 * b->n) : NULL;
    for (i = 0; i < b->m; i++) {
        b->amplitude[i] = 1;
        b->phase[i] = c->points ? 0 : (float)(6.28 * uniform(3, i));
        for (j = 0; j < 3; j++)
            b->sources[3 * i + j] =
                (float)(c->points ? 0.5 * normal(2, 3 * i + j)
                                  : c->domain[j] * (uniform(2, 3 * i + j) - .5));
    }
    for (i = 0; c->points && i < 3 * b->n; i++) b->points[i] = (float)normal(1, i);
    for (j = 0; j < 3; j++)
        b->origin[j] = c->points ? 0 : -0.5 * c->spacing * (b->count[j] - 1) + 0.0123;
}

static padic_buffer buffer_of(wave_bench *b, uint64_t size, const void *data)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer;
    padic_result result;
    desc.size = size;
    desc.data = data;
    result = padic_buffer_create(b->context, &desc, &buffer);
    if (result) fail("buffer", b->context, result);
    return buffer;
}

static void prepare(wave_bench *b)
{
    const wave_case *c = b->of;
    padic_wave_superpose_desc *d = &b->desc;
    const uint64_t element = c->emit == PADIC_WAVE_RGBA8 ? 4 : 8;
    uint64_t shape[4] = {1, 1, 1, 4};
    uint32_t j;
    memset(d, 0, sizeof *d);
    b->buffers[0] = buffer_of(b, 12 * b->m, b->sources);
    b->buffers[1] = buffer_of(b, 4 * b->m, b->amplitude);
    b->buffers[2] = buffer_of(b, 4 * b->m, b->phase);
    b->buffers[3] = buffer_of(b, element * b->n, NULL);
    b->buffers[4] = buffer_of(b, c->points ? 12 * b->n : 4, b->points);
    d->sources = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, b->m, 3), b->buffers[0], 0);
    d->amplitude = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, b->m), b->buffers[1], 0);
    d->phase = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, b->m), b->buffers[2], 0);
    d->wavenumber = padic_tensor_nd(PADIC_F64, &b->k, 0, NULL); // one number, from the host
    d->tolerance = c->tolerance;
    d->emit = (padic_wave_emit)c->emit;
    d->tone.curve = PADIC_WAVE_REINHARD;
    d->tone.map = PADIC_WAVE_HUE;
    if (c->points) {
        d->points = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, b->n, 3), b->buffers[4], 0);
        d->out = padic_tensor_1d(PADIC_C64, NULL, b->n);
    } else {
        for (j = 0; j < 3; j++) {
            d->grid.origin[j] = b->origin[j];
            d->grid.step[j] = c->spacing;
            d->grid.count[j] = b->count[j];
            shape[j] = b->count[j];
        }
        d->out = element == 4 ? padic_tensor_nd(PADIC_U8, NULL, 4, shape)
                              : padic_tensor_nd(PADIC_C64, NULL, 3, shape);
    }
    d->out = padic_tensor_in(d->out, b->buffers[3], 0);
}

static double once(wave_bench *b)
{
    const double begin = now_ms();
    padic_result result = padic_wave_superpose(b->context, &b->desc);
    if (!result) result = padic_context_sync(b->context);
    if (result) fail(b->of->name, b->context, result);
    return now_ms() - begin;
}

static void point(const wave_bench *b, uint64_t i, long double at[3])
{
    uint64_t index[3], j;
    for (j = 0; b->points && j < 3; j++) at[j] = (long double)b->points[3 * i + j];
    if (b->points) return;
    index[2] = i % b->count[2];
    index[1] = i / b->count[2] % b->count[1];
    index[0] = i / b->count[2] / b->count[1];
    for (j = 0; j < 3; j++)
        at[j] = (long double)b->origin[j] + (long double)b->of->spacing * (long double)index[j];
}

// Adds source m at point i, from the definition, in long double; returns |A|/r.
static long double pair(const wave_bench *b, uint64_t i, uint64_t m, long double psi[2])
{
    long double at[3], r = 0, angle;
    uint32_t j;
    point(b, i, at);
    for (j = 0; j < 3; j++) {
        at[j] -= (long double)b->sources[3 * m + j];
        r += at[j] * at[j];
    }
    r = sqrtl(r);
    angle = (long double)b->k * r + (long double)b->phase[m];
    psi[0] += (long double)b->amplitude[m] / r * cosl(angle);
    psi[1] += (long double)b->amplitude[m] / r * sinl(angle);
    return (long double)fabsf(b->amplitude[m]) / r;
}

static double error_turns(wave_bench *b, float *field)
{
    const padic_wave_superpose_desc all = b->desc;
    double worst = 0;
    uint64_t s, i;
    for (s = 0; s < 24; s++) {
        const uint64_t m = (uint64_t)(uniform(7, s) * (double)b->m);
        b->desc.sources = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 1, 3), b->buffers[0],
                                          3 * m);
        b->desc.amplitude = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, 1), b->buffers[1], m);
        b->desc.phase = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, 1), b->buffers[2], m);
        (void)once(b);
        if (padic_buffer_download(b->context, b->buffers[3], 0, field, 8 * b->n)) return -1;
        for (i = 0; i < 2000; i++) {
            const uint64_t n = (uint64_t)(uniform(8 + s, i) * (double)b->n);
            const long double re = (long double)field[2 * n], im = (long double)field[2 * n + 1];
            long double psi[2] = {0, 0}, off;
            (void)pair(b, n, m, psi);
            off = atan2l(im * psi[0] - re * psi[1], re * psi[0] + im * psi[1]);
            off = fabsl(off) / 6.283185307179586476925L;
            if (!((double)off <= worst)) worst = (double)off;
        }
    }
    b->desc = all;
    return worst;
}

static double error_field(wave_bench *b, float *field)
{
    double worst = 0;
    uint64_t i, m;
    (void)once(b);
    if (padic_buffer_download(b->context, b->buffers[3], 0, field, 8 * b->n)) return -1;
    for (i = 0; i < 50; i++) {
        const uint64_t n = (uint64_t)(uniform(6, i) * (double)b->n);
        long double psi[2] = {0, 0}, size = 0, off;
        for (m = 0; m < b->m; m++) size += pair(b, n, m, psi);
        psi[0] -= (long double)field[2 * n];
        psi[1] -= (long double)field[2 * n + 1];
        off = sqrtl(psi[0] * psi[0] + psi[1] * psi[1]) / size;
        if (!((double)off <= worst)) worst = (double)off;
    }
    return worst;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void run(wave_bench *b, const char *backend, uint32_t repeat)
{
    padic_device_info info;
    double times[101], first, bound = -1, turns = -1, sum = -1;
    uint32_t i;
    prepare(b);
    padic_context_device(b->context, &info);
    first = once(b);
    for (i = 0; i < repeat && i < 101; i++) times[i] = once(b);
    qsort(times, i, sizeof *times, by_size);
    b->desc.bound = &bound;
    (void)once(b);
    b->desc.bound = NULL;
    if (b->of->emit == PADIC_WAVE_COMPLEX) {
        float *field = (float *)malloc(8 * b->n);
        sum = error_field(b, field);
        turns = error_turns(b, field);
        free(field);
    }
    printf("%s,%s,\"%s\",%lu,%lu,%g,%.4f,%.4f,%.4g,%.1f,%.3g,%.3g,%.3g\n", b->of->name, backend,
           info.name, (unsigned long)b->n, (unsigned long)b->m,
           b->of->tolerance > 0 ? b->of->tolerance : 2e-6, times[i / 2], times[0],
           (double)b->n * (double)b->m / times[i / 2] * 1e3, first, turns, sum, bound);
    fflush(stdout);
}

static void end(wave_bench *b)
{
    int i;
    for (i = 0; i < 5; i++) (void)padic_buffer_destroy(b->context, b->buffers[i]);
    free(b->points);
    free(b->sources);
    free(b->amplitude);
    free(b->phase);
    memset(b->buffers, 0, sizeof b->buffers);
}

static int by_time(wave_bench *b, double *times, uint32_t repeat, padic_result (*call)(void *),
                   void *arg, double *first)
{
    uint32_t i;
    for (i = 0; i <= repeat && i < 100; i++) {
        const double begin = now_ms();
        padic_result result = (*call)(arg);
        if (!result) result = padic_context_sync(b->context);
        if (result) fail(b->of->name, b->context, result);
        if (i) times[i - 1] = now_ms() - begin;
        else *first = now_ms() - begin;
    }
    qsort(times, i - 1, sizeof *times, by_size);
    return (int)(i - 1);
}

// Calls that were recorded, a thousand of them replayed: what one takes, of `each` in a recording.
static double replayed(wave_bench *b, uint32_t each, uint32_t repeat)
{
    padic_record record;
    double times[101];
    uint32_t i;
    if (padic_record_begin(b->context)) return -1;
    for (i = 0; i < each; i++) (void)padic_wave_superpose(b->context, &b->desc);
    if (padic_record_end(b->context, &record)) fail("recording", b->context, PADIC_ERROR_DEVICE);
    for (i = 0; i <= repeat && i <= 100; i++) {
        const double begin = now_ms();
        padic_result result = padic_record_replay(b->context, record, 1000 / each);
        if (!result) result = padic_context_sync(b->context);
        if (result) fail("replay", b->context, result);
        if (i) times[i - 1] = now_ms() - begin;
    }
    qsort(times, i - 1, sizeof *times, by_size);
    (void)padic_record_drop(b->context, record);
    return times[(i - 1) / 2] * 1e3 / (1000 / each * each);
}

static void run_recorded(wave_bench *b, const char *backend, uint32_t repeat)
{
    padic_device_info info;
    padic_buffer number; // a recording moves nothing from the host
    double single[101], many, one;
    uint32_t i;
    prepare(b);
    number = buffer_of(b, 8, &b->k);
    b->desc.wavenumber = padic_tensor_in(padic_tensor_nd(PADIC_F64, NULL, 0, NULL), number, 0);
    padic_context_device(b->context, &info);
    (void)once(b);
    for (i = 0; i < repeat && i < 101; i++) single[i] = once(b);
    qsort(single, i, sizeof *single, by_size);
    many = replayed(b, 20, repeat);
    one = replayed(b, 1, repeat);
    printf("recorded_%s,%s,\"%s\",%lu,%lu,%.4f,%.4f,%.4f\n", b->of->name, backend, info.name,
           (unsigned long)b->n, (unsigned long)b->m, many, one, single[i / 2] * 1e3);
    fflush(stdout);
    (void)padic_buffer_destroy(b->context, number);
}

typedef struct many_frames {
    wave_bench *b;
    padic_wave_frames_desc all;
    padic_wave_superpose_desc one;
    double *times;
    uint64_t frames;
} many_frames;

static padic_result call_frames(void *arg)
{
    many_frames *m = (many_frames *)arg;
    return padic_wave_frames(m->b->context, &m->all);
}

static padic_result call_a_frame(void *arg) // F times
{
    many_frames *m = (many_frames *)arg;
    padic_result result = PADIC_OK;
    uint64_t f;
    for (f = 0; f < m->frames && !result; f++) {
        m->one.time = m->times[f];
        m->one.out.offset = f * m->b->n;
        result = padic_wave_superpose(m->b->context, &m->one);
    }
    return result;
}

static void run_frames(wave_bench *b, const char *backend, uint64_t kinds, uint64_t frames,
                       uint32_t repeat)
{
    float *rates = (float *)malloc(4 * b->m);
    double *times = (double *)malloc(8 * frames), all[101], single[101], first, other;
    padic_device_info info;
    padic_buffer out, rate;
    many_frames m;
    int n, k;
    uint64_t i;
    memset(&m, 0, sizeof m);
    prepare(b);
    padic_context_device(b->context, &info);
    for (i = 0; i < b->m; i++) rates[i] = 1 + .01f * (float)(i % kinds);
    for (i = 0; i < frames; i++) times[i] = .1 * (double)i;
    out = buffer_of(b, 8 * b->n * frames, NULL);
    rate = buffer_of(b, 4 * b->m, rates);
    m.b = b;
    m.frames = frames;
    m.times = times;
    m.one = b->desc;
    m.one.frequency = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, b->m), rate, 0);
    m.one.out = padic_tensor_in(padic_tensor_1d(PADIC_C64, NULL, b->n), out, 0);
    m.all.field = m.one;
    m.all.field.out = padic_tensor_in(padic_tensor_2d(PADIC_C64, NULL, frames, b->n), out, 0);
    m.all.field.frequency = padic_tensor_1d(PADIC_F32, rates, b->m); // which the host groups
    m.all.times = padic_tensor_1d(PADIC_F64, times, frames);
    n = by_time(b, all, repeat, call_frames, &m, &first);
    k = by_time(b, single, repeat < 5 ? repeat : 5, call_a_frame, &m, &other);
    printf("frames_%s,%s,\"%s\",%lu,%lu,%lu,%lu,%.4f,%.4f,%.4g,%.4f,%.3g,%.4g,%.1f\n",
           b->of->name, backend, info.name, (unsigned long)b->n, (unsigned long)b->m,
           (unsigned long)kinds, (unsigned long)frames, all[n / 2], all[0],
           all[n / 2] * 1e3 / (double)frames, single[k / 2], single[k / 2] / all[n / 2],
           (double)b->n * (double)kinds * (double)frames / all[n / 2] * 1e3, first);
    fflush(stdout);
    (void)padic_buffer_destroy(b->context, out);
    (void)padic_buffer_destroy(b->context, rate);
    free(rates);
    free(times);
}

typedef struct one_slope {
    wave_bench *b;
    padic_wave_gradient_desc desc;
} one_slope;

static padic_result call_slope(void *arg)
{
    one_slope *s = (one_slope *)arg;
    return padic_wave_gradient(s->b->context, &s->desc);
}

static void run_slope(wave_bench *b, const char *backend, uint32_t repeat)
{
    padic_device_info info;
    padic_buffer out;
    one_slope s;
    double times[101], first, bound = -1;
    uint64_t shape[4];
    int n;
    memset(&s, 0, sizeof s);
    prepare(b);
    padic_context_device(b->context, &info);
    out = buffer_of(b, 24 * b->n, NULL);
    s.b = b;
    s.desc.field = b->desc;
    memcpy(shape, b->desc.out.shape, sizeof shape);
    shape[b->desc.out.rank] = 3;
    s.desc.out = padic_tensor_in(padic_tensor_nd(PADIC_C64, NULL, b->desc.out.rank + 1, shape),
                                 out, 0);
    n = by_time(b, times, repeat, call_slope, &s, &first);
    s.desc.field.bound = &bound;
    if (call_slope(&s)) bound = -1;
    printf("gradient_%s,%s,\"%s\",%lu,%lu,%.4f,%.4f,%.4g,%.1f,%.3g\n", b->of->name, backend,
           info.name, (unsigned long)b->n, (unsigned long)b->m, times[n / 2], times[0],
           (double)b->n * (double)b->m / times[n / 2] * 1e3, first, bound);
    fflush(stdout);
    (void)padic_buffer_destroy(b->context, out);
}

// Frames: cases, frequencies, frames. The rows of many frequencies are a matrix product more than
// a field.
static void run_more(wave_bench *b, const char *backend, const char *part, uint32_t repeat,
                     uint32_t shrink)
{
    static const uint32_t rows[][3] = {{2, 1, 32},  {2, 1, 128}, {2, 50, 32}, {2, 50, 128},
                                       {3, 1, 128}, {3, 10, 32}, {3, 100, 128}};
    static const uint32_t slopes[] = {2, 3, 5, 9};
    size_t i;
    if (strstr("recorded", part))
        puts("case,backend,device,points,sources,us_of_20,us_alone,us_with_sync");
    for (i = 0; strstr("recorded", part) && i < 4; i++) {
        b->of = &cases[i];
        make(b, shrink);
        run_recorded(b, backend, repeat);
        end(b);
    }
    if (strstr("frames", part))
        puts("case,backend,device,points,sources,frequencies,frames,ms,best_ms,us_a_frame,"
             "ms_a_call_each,ratio,pair_frames_per_s,first_ms");
    for (i = 0; strstr("frames", part) && i < sizeof rows / sizeof *rows; i++) {
        b->of = &cases[rows[i][0]];
        make(b, shrink);
        run_frames(b, backend, rows[i][1], rows[i][2], repeat);
        end(b);
    }
    if (strstr("gradient", part))
        puts("case,backend,device,points,sources,ms,best_ms,pairs_per_s,first_ms,bound_turns");
    for (i = 0; strstr("gradient", part) && i < sizeof slopes / sizeof *slopes; i++) {
        b->of = &cases[slopes[i]];
        make(b, shrink * (slopes[i] > 3 ? 10 : 1));
        run_slope(b, backend, repeat);
        end(b);
    }
}

// Lines on stdin: "open CASE" makes the data and answers "N M K"; "dump FILE" writes points,
// sources, amplitudes, phases as f32 (a grid's points as a list); "run" answers the milliseconds of
// one call; "quit".
static void serve(wave_bench *b, uint32_t shrink)
{
    char line[512], word[400];
    int is_open = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "open %399s", word) == 1) {
            size_t i;
            if (is_open) end(b);
            for (i = 0; i < sizeof cases / sizeof *cases; i++)
                if (!strcmp(cases[i].name, word)) b->of = &cases[i];
            make(b, shrink);
            prepare(b);
            is_open = 1;
            printf("%lu %lu %.17g\n", (unsigned long)b->n, (unsigned long)b->m, b->k);
        } else if (sscanf(line, "dump %399s", word) == 1) {
            FILE *file = fopen(word, "wb");
            uint64_t i;
            for (i = 0; file && i < b->n; i++) {
                long double at[3];
                float f[3];
                int j;
                point(b, i, at);
                for (j = 0; j < 3; j++) f[j] = (float)at[j];
                fwrite(f, 4, 3, file);
            }
            if (!file) exit(1);
            fwrite(b->sources, 12, b->m, file);
            fwrite(b->amplitude, 4, b->m, file);
            fwrite(b->phase, 4, b->m, file);
            fclose(file);
            printf("ok\n");
        } else if (!strncmp(line, "run", 3)) {
            printf("%.5f\n", once(b));
        } else {
            return;
        }
        fflush(stdout);
    }
}

static void say(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    if (level <= PADIC_LOG_WARNING) fprintf(stderr, "%s\n", text);
}

// Half a second of work: a device at rest is slow, and the first case would be.
static void warm(padic_context *context)
{
    const double begin = now_ms();
    const uint32_t value = 1;
    padic_buffer_desc memory = PADIC_ZERO;
    padic_fill_desc fill = PADIC_ZERO;
    padic_buffer buffer;
    memory.size = 64u << 20;
    if (padic_buffer_create(context, &memory, &buffer)) return;
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, memory.size / 4), buffer, 0);
    fill.value = &value;
    while (now_ms() < begin + 500 && !padic_fill(context, &fill) && !padic_context_sync(context)) {}
    padic_buffer_destroy(context, buffer);
}

int main(int argc, char **argv)
{
    static wave_bench b;
    const char *backend = "cuda", *part = "";
    uint32_t repeat = 11, shrink = 1;
    int served = 0, i;
    padic_context_desc desc = PADIC_ZERO;
    padic_result result;
    size_t c;
    for (i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--serve")) served = 1;
        else if (!strcmp(argv[i], "--backend")) backend = value, i++;
        else if (!strcmp(argv[i], "--case")) part = value, i++;
        else if (!strcmp(argv[i], "--repeat")) repeat = (uint32_t)atoi(value), i++;
        else if (!strcmp(argv[i], "--shrink")) shrink = (uint32_t)atoi(value), i++;
        else return fprintf(stderr, "gpu_wave: unknown argument %s\n", argv[i]), 2;
    }
    if (repeat < 1) repeat = 1;
    if (shrink < 1) shrink = 1;
    desc.log.write = say;
    desc.backends[0] = !strcmp(backend, "cuda")     ? padic_cuda()
                       : !strcmp(backend, "opencl") ? padic_opencl()
                       : !strcmp(backend, "native") ? padic_native()
                                                    : NULL;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    result = padic_context_create(&desc, &b.context);
    if (result == PADIC_ERROR_NO_DEVICE) return printf("no device\n"), 77;
    if (result) return fprintf(stderr, "%s\n", padic_result_text(result)), 1;
    warm(b.context);
    if (served) serve(&b, shrink);
    if (!served)
        printf("case,backend,device,points,sources,tolerance,ms,best_ms,pairs_per_s,first_ms,"
               "error_turns,error_field,bound_turns\n");
    for (c = 0; !served && c < sizeof cases / sizeof *cases; c++) {
        if (!strstr(cases[c].name, part)) continue;
        b.of = &cases[c];
        make(&b, shrink);
        run(&b, backend, repeat);
        end(&b);
    }
    if (!served) run_more(&b, backend, part, repeat, shrink);
    padic_context_destroy(b.context);
    return 0;
}
