// gpu_wave.c: superposition of waves: pairs a second, and the phase error that was really there.
//
//     cc -O2 -DPADIC_NO_CODEC bench/gpu_wave.c -o gpu_wave -lm -lpthread -ldl
//     ./gpu_wave [--backend cuda|opencl|native|cpu] [--case PART] [--repeat N] [--shrink N]
//                [--unchecked]
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
// of |A|/r. bound_turns is what the library reports. --shrink divides the number of points,
// --unchecked leaves out the errors.
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
#include "gpu.h"
#include <math.h>

static int checked = 1; // --unchecked: no errors

typedef struct wave_case {
    const char *name;
    uint32_t points, sources; // points 0: a grid
    uint32_t count[3];
    double spacing;   // of the grid, in wavelengths
    double domain[3]; // sources lie in a box of this size around the grid's middle, in wavelengths
    double tolerance;
    uint32_t output;
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
    {"rgba_128_500", 0, 500, {128, 128, 128}, 0.1, {13, 13, 13}, 0, PADIC_WAVE_OUTPUT_RGBA8},
};

typedef struct wave_bench {
    const wave_case *of;
    uint64_t n, m;
    uint32_t count[3];
    double k, origin[3];
    float *points, *sources, *amplitude, *phase;
    padic_buffer buffers[5];
    padic_wave_superpose_desc desc;
} wave_bench;

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

static void prepare(wave_bench *b)
{
    const wave_case *c = b->of;
    padic_wave_superpose_desc *d = &b->desc;
    const uint64_t element = c->output == PADIC_WAVE_OUTPUT_RGBA8 ? 4 : 8;
    uint64_t shape[4] = {1, 1, 1, 4};
    uint32_t j;
    memset(d, 0, sizeof *d);
    b->buffers[0] = buffer_with(12 * b->m, b->sources);
    b->buffers[1] = buffer_with(4 * b->m, b->amplitude);
    b->buffers[2] = buffer_with(4 * b->m, b->phase);
    b->buffers[3] = buffer_of(element * b->n);
    b->buffers[4] = buffer_with(c->points ? 12 * b->n : 4, b->points);
    d->sources = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, b->m, 3), b->buffers[0], 0);
    d->amplitude = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, b->m), b->buffers[1], 0);
    d->phase = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, b->m), b->buffers[2], 0);
    d->wavenumber = padic_tensor_nd(PADIC_F64, &b->k, 0, NULL); // one number, from the host
    d->tolerance = c->tolerance;
    d->output = (padic_wave_output)c->output;
    d->tone.curve = PADIC_WAVE_CURVE_REINHARD;
    d->tone.map = PADIC_WAVE_MAP_HUE;
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

static void call_field(void *arg)
{
    must(padic_wave_superpose(context, &((wave_bench *)arg)->desc), ((wave_bench *)arg)->of->name);
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
        (void)measure_once(call_field, b, 1);
        if (padic_buffer_download(context, b->buffers[3], 0, field, 8 * b->n)) return -1;
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
    (void)measure_once(call_field, b, 1);
    if (padic_buffer_download(context, b->buffers[3], 0, field, 8 * b->n)) return -1;
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

static void run(wave_bench *b, const char *backend)
{
    double times[64], first, ms, turns = -1, sum = -1;
    padic_wave_superpose_report told = {0, -1, 0, 0};
    prepare(b);
    first = measure_once(call_field, b, 1) * 1e-6;
    ms = measure_ends(call_field, b, times) * 1e-6;
    b->desc.report = &told;
    (void)measure_once(call_field, b, 1);
    b->desc.report = NULL;
    if (b->of->output == PADIC_WAVE_OUTPUT_COMPLEX && checked) {
        float *field = (float *)malloc(8 * b->n);
        sum = error_field(b, field);
        turns = error_turns(b, field);
        free(field);
    }
    printf("%s,%s,\"%s\",%lu,%lu,%g,%.4f,%.4f,%.4g,%.1f,%.3g,%.3g,%.3g\n", b->of->name, backend,
           info.name, (unsigned long)b->n, (unsigned long)b->m,
           b->of->tolerance > 0 ? b->of->tolerance : 2e-6, ms, times[0] * 1e-6,
           (double)b->n * (double)b->m / ms * 1e3, first, turns, sum, told.error_bound);
    fflush(stdout);
}

static void end(wave_bench *b)
{
    int i;
    for (i = 0; i < 5; i++) (void)padic_buffer_destroy(context, b->buffers[i]);
    free(b->points);
    free(b->sources);
    free(b->amplitude);
    free(b->phase);
    memset(b->buffers, 0, sizeof b->buffers);
}

typedef struct replay {
    padic_record record;
    uint32_t times;
} replay;

static void call_replay(void *arg)
{
    const replay *r = (const replay *)arg;
    must(padic_record_replay(context, r->record, r->times), "replay");
}

// Calls that were recorded, a thousand of them replayed: us of one, of `each` in a recording.
static double replayed(wave_bench *b, uint32_t each)
{
    double times[64], us;
    replay r;
    uint32_t i;
    if (padic_record_begin(context)) return -1;
    for (i = 0; i < each; i++) (void)padic_wave_superpose(context, &b->desc);
    must(padic_record_end(context, &r.record), "recording");
    r.times = 1000 / each;
    (void)measure_once(call_replay, &r, 1);
    us = measure_ends(call_replay, &r, times) * 1e-3 / (r.times * each);
    (void)padic_record_drop(context, r.record);
    return us;
}

static void run_recorded(wave_bench *b, const char *backend)
{
    padic_buffer number; // a recording moves nothing from the host
    double times[64], single, many, one;
    prepare(b);
    number = buffer_with(8, &b->k);
    b->desc.wavenumber = padic_tensor_in(padic_tensor_nd(PADIC_F64, NULL, 0, NULL), number, 0);
    (void)measure_once(call_field, b, 1);
    single = measure_ends(call_field, b, times) * 1e-3;
    many = replayed(b, 20);
    one = replayed(b, 1);
    printf("recorded_%s,%s,\"%s\",%lu,%lu,%.4f,%.4f,%.4f\n", b->of->name, backend, info.name,
           (unsigned long)b->n, (unsigned long)b->m, many, one, single);
    fflush(stdout);
    (void)padic_buffer_destroy(context, number);
}

typedef struct many_frames {
    wave_bench *b;
    padic_wave_frames_desc all;
    padic_wave_superpose_desc one;
    double *times;
    uint64_t frames;
} many_frames;

static void call_frames(void *arg)
{
    must(padic_wave_frames(context, &((many_frames *)arg)->all), "frames");
}

static void call_a_frame(void *arg) // F times
{
    many_frames *m = (many_frames *)arg;
    uint64_t f;
    for (f = 0; f < m->frames; f++) {
        m->one.time = m->times[f];
        m->one.out.offset = f * m->b->n;
        must(padic_wave_superpose(context, &m->one), "a frame");
    }
}

static void run_frames(wave_bench *b, const char *backend, uint64_t kinds, uint64_t frames)
{
    float *rates = (float *)malloc(4 * b->m);
    double *times = (double *)malloc(8 * frames), t[64], first, ms, best, single;
    padic_buffer out, rate;
    many_frames m;
    uint64_t i;
    memset(&m, 0, sizeof m);
    prepare(b);
    for (i = 0; i < b->m; i++) rates[i] = 1 + .01f * (float)(i % kinds);
    for (i = 0; i < frames; i++) times[i] = .1 * (double)i;
    out = buffer_of(8 * b->n * frames);
    rate = buffer_with(4 * b->m, rates);
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
    first = measure_once(call_frames, &m, 1) * 1e-6;
    ms = measure_ends(call_frames, &m, t) * 1e-6;
    best = t[0] * 1e-6;
    (void)measure_once(call_a_frame, &m, 1);
    single = measure_ends(call_a_frame, &m, t) * 1e-6;
    printf("frames_%s,%s,\"%s\",%lu,%lu,%lu,%lu,%.4f,%.4f,%.4g,%.4f,%.3g,%.4g,%.1f\n",
           b->of->name, backend, info.name, (unsigned long)b->n, (unsigned long)b->m,
           (unsigned long)kinds, (unsigned long)frames, ms, best, ms * 1e3 / (double)frames, single,
           single / ms, (double)b->n * (double)kinds * (double)frames / ms * 1e3, first);
    fflush(stdout);
    (void)padic_buffer_destroy(context, out);
    (void)padic_buffer_destroy(context, rate);
    free(rates);
    free(times);
}

typedef struct one_slope {
    wave_bench *b;
    padic_wave_gradient_desc desc;
} one_slope;

static void call_slope(void *arg)
{
    must(padic_wave_gradient(context, &((one_slope *)arg)->desc), "gradient");
}

static void run_slope(wave_bench *b, const char *backend)
{
    padic_buffer out;
    one_slope s;
    double times[64], first, ms;
    padic_wave_superpose_report told = {0, -1, 0, 0};
    uint64_t shape[4];
    memset(&s, 0, sizeof s);
    prepare(b);
    out = buffer_of(24 * b->n);
    s.b = b;
    s.desc.field = b->desc;
    memcpy(shape, b->desc.out.shape, sizeof shape);
    shape[b->desc.out.rank] = 3;
    s.desc.out = padic_tensor_in(padic_tensor_nd(PADIC_C64, NULL, b->desc.out.rank + 1, shape),
                                 out, 0);
    first = measure_once(call_slope, &s, 1) * 1e-6;
    ms = measure_ends(call_slope, &s, times) * 1e-6;
    s.desc.field.report = &told;
    call_slope(&s);
    printf("gradient_%s,%s,\"%s\",%lu,%lu,%.4f,%.4f,%.4g,%.1f,%.3g\n", b->of->name, backend,
           info.name, (unsigned long)b->n, (unsigned long)b->m, ms, times[0] * 1e-6,
           (double)b->n * (double)b->m / ms * 1e3, first, told.error_bound);
    fflush(stdout);
    (void)padic_buffer_destroy(context, out);
}

// Frames: cases, frequencies, frames. The rows of many frequencies are a matrix product more than
// a field.
static void run_more(wave_bench *b, const char *backend, const char *part, uint32_t shrink)
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
        run_recorded(b, backend);
        end(b);
    }
    if (strstr("frames", part))
        puts("case,backend,device,points,sources,frequencies,frames,ms,best_ms,us_a_frame,"
             "ms_a_call_each,ratio,pair_frames_per_s,first_ms");
    for (i = 0; strstr("frames", part) && i < sizeof rows / sizeof *rows; i++) {
        b->of = &cases[rows[i][0]];
        make(b, shrink);
        run_frames(b, backend, rows[i][1], rows[i][2]);
        end(b);
    }
    if (strstr("gradient", part))
        puts("case,backend,device,points,sources,ms,best_ms,pairs_per_s,first_ms,bound_turns");
    for (i = 0; strstr("gradient", part) && i < sizeof slopes / sizeof *slopes; i++) {
        b->of = &cases[slopes[i]];
        make(b, shrink * (slopes[i] > 3 ? 10 : 1));
        run_slope(b, backend);
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
            printf("%.5f\n", measure_once(call_field, b, 1) * 1e-6);
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
static void warm(void)
{
    const double begin = now();
    const uint32_t value = 1;
    padic_fill_desc fill = PADIC_ZERO;
    const padic_buffer buffer = buffer_of(64u << 20);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 16u << 20), buffer, 0);
    fill.value = &value;
    while (now() < begin + 5e8 && !padic_fill(context, &fill) && !padic_context_sync(context)) {}
    padic_buffer_destroy(context, buffer);
}

int main(int argc, char **argv)
{
    static wave_bench b;
    const char *backend = "cuda", *part = "";
    uint32_t shrink = 1;
    int served = 0, i;
    padic_context_desc desc = PADIC_ZERO;
    padic_result result;
    size_t c;
    repeats = 11;
    for (i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--serve")) served = 1;
        else if (!strcmp(argv[i], "--unchecked")) checked = 0;
        else if (!strcmp(argv[i], "--backend")) backend = value, i++;
        else if (!strcmp(argv[i], "--case")) part = value, i++;
        else if (!strcmp(argv[i], "--repeat")) repeats = atoi(value), i++;
        else if (!strcmp(argv[i], "--shrink")) shrink = (uint32_t)atoi(value), i++;
        else return fprintf(stderr, "gpu_wave: unknown argument %s\n", argv[i]), 2;
    }
    if (repeats < 1 || repeats > 64) repeats = 11;
    if (shrink < 1) shrink = 1;
    desc.log.write = say;
    desc.backends[0] = !strcmp(backend, "cuda")     ? padic_cuda()
                       : !strcmp(backend, "opencl") ? padic_opencl()
                       : !strcmp(backend, "native") ? padic_native()
                                                    : NULL;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    result = padic_context_create(&desc, &context);
    if (result == PADIC_ERROR_NO_DEVICE) return printf("no device\n"), 77;
    if (result) return fprintf(stderr, "%s\n", padic_result_text(result)), 1;
    padic_context_device_info(context, &info);
    warm();
    if (served) serve(&b, shrink);
    if (!served)
        printf("case,backend,device,points,sources,tolerance,ms,best_ms,pairs_per_s,first_ms,"
               "error_turns,error_field,bound_turns\n");
    for (c = 0; !served && c < sizeof cases / sizeof *cases; c++) {
        if (!strstr(cases[c].name, part)) continue;
        b.of = &cases[c];
        make(&b, shrink);
        run(&b, backend);
        end(&b);
    }
    if (!served) run_more(&b, backend, part, shrink);
    padic_context_destroy(context);
    return 0;
}
