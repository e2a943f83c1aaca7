// The bench of recurrent networks on the CPU, one core unless --threads, or on a device:
// microseconds a step.
//
//     cc -O2 bench/rnn.c -o bench-rnn -lm -lpthread -ldl && ./bench-rnn
//     ./bench-rnn --seconds 1 --filter gru --threads 2 --level avx2
//     ./bench-rnn --device cuda|opencl
//
// One row (B = 1): a GRU with I = H over a sequence of 64 steps by padic_rnn_run(), and alone by
// padic_rnn_gru_step(), whose every call reads all weights and returns. Beside it the stream: the
// time that this core takes to add up as many bytes of f32 weights, in the same turns. Many rows
// (B = 4096 agents, LSTM 4 -> 64 -> 64, and B = 256, I = H = 256): GFLOP/s of all products, beside
// the core's peak of fused multiply-adds, measured in the same run. Peers: bench/peers/rnn.py, with
// the argument cuda those of a device.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_RNN
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"

#include <stdio.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static padic_context *context;
static double budget = 0.5;
static const char *filter = "";

// A matrix of small weights in a dtype.
static padic_tensor weights(padic_dtype dtype, uint64_t rows, uint64_t cols)
{
    float *from = (float *)malloc((size_t)(rows * cols) * sizeof *from);
    padic_tensor t = padic_tensor_2d(dtype, malloc((size_t)(rows * cols) * 4), rows, cols);
    for (uint64_t i = 0; i < rows * cols; i++)
        from[i] = ((float)(i * 2654435761u % 65536) / 32768 - 1) / (float)(cols < 4 ? 1 : cols) * 4;
    for (uint64_t i = 0; i < rows * cols; i++) {
        uint32_t bits;
        memcpy(&bits, &from[i], 4);
        if (dtype == PADIC_F32) ((float *)t.data)[i] = from[i];
        else if (dtype == PADIC_BF16) ((uint16_t *)t.data)[i] = (uint16_t)(bits >> 16);
        else if (dtype == PADIC_F16)
            ((uint16_t *)t.data)[i] = (uint16_t)((bits >> 16 & 0x8000) | 0x2000 | (i & 1023));
        else ((int8_t *)t.data)[i] = (int8_t)(i * 37 % 255 - 127);
    }
    free(from);
    return t;
}

static padic_tensor factors(uint64_t rows, float factor)
{
    padic_tensor t = padic_tensor_1d(PADIC_F32, malloc((size_t)rows * 4), rows);
    for (uint64_t i = 0; i < rows; i++) ((float *)t.data)[i] = factor;
    return t;
}

static padic_rnn_layer layer_make(padic_rnn_kind kind, padic_dtype dtype, uint64_t in, uint64_t h)
{
    const uint64_t rows = (kind == PADIC_RNN_KIND_GRU ? 3 : 4) * h;
    padic_rnn_layer layer = PADIC_ZERO;
    layer.kind = kind;
    layer.weights.input = weights(dtype, rows, in);
    layer.weights.recurrent = weights(dtype, rows, h);
    layer.weights.bias = factors(rows, 0.125f);
    layer.weights.recurrent_bias = factors(rows, -0.125f);
    if (dtype != PADIC_I8) return layer;
    layer.weights.input_scale = factors(rows, 1.0f / 1024 / 16);
    layer.weights.recurrent_scale = factors(rows, 1.0f / 1024 / 16);
    return layer;
}

static void layer_free(padic_rnn_layer *layer)
{
    free(layer->weights.input.data);
    free(layer->weights.recurrent.data);
    free(layer->weights.bias.data);
    free(layer->weights.recurrent_bias.data);
    free(layer->weights.input_scale.data);
    free(layer->weights.recurrent_scale.data);
}

static padic_tensor floats(uint64_t n)
{
    padic_tensor t = padic_tensor_1d(PADIC_F32, malloc((size_t)n * 4), n);
    for (uint64_t i = 0; i < n; i++) ((float *)t.data)[i] = (float)(i % 17) / 16 - 0.5f;
    return t;
}

// What is measured: each returns how many steps it made.
typedef struct job {
    padic_rnn_run_desc run;
    padic_rnn_gru_step_desc step;
    const float *stream;
    uint64_t bytes; // of the stream
    float sum;
} job;

static uint32_t run_sequence(job *j)
{
    if (padic_rnn_run(context, &j->run)) puts("padic_rnn_run failed"), exit(1);
    return (uint32_t)j->run.x.shape[0];
}

static uint32_t run_step(job *j)
{
    if (padic_rnn_gru_step(context, &j->step)) puts("padic_rnn_gru_step failed"), exit(1);
    return 1;
}

#if PADICI_SIMD_X86 && defined(__GNUC__)
#define WIDE __attribute__((target("avx512f")))
WIDE static uint32_t run_stream(job *j)
{
    __m512 s[8];
    float lanes[16];
    const float *p = j->stream, *end = p + j->bytes / 4 / 128 * 128;
    for (int i = 0; i < 8; i++) s[i] = _mm512_setzero_ps();
    for (; p < end; p += 128)
        for (int i = 0; i < 8; i++) s[i] = _mm512_add_ps(s[i], _mm512_loadu_ps(p + 16 * i));
    for (int i = 1; i < 8; i++) s[0] = _mm512_add_ps(s[0], s[i]);
    _mm512_storeu_ps(lanes, s[0]);
    j->sum += lanes[0];
    return 1;
}

// Fused multiply-adds a second, times 2.
WIDE static double peak(void)
{
    __m512 s[12];
    float lanes[16], sum = 0;
    double least = 1e9;
    for (int i = 0; i < 12; i++) s[i] = _mm512_set1_ps(1e-3f * (float)i);
    for (int turn = 0; turn < 40; turn++) {
        const double t = seconds_now();
        for (int k = 0; k < 20000; k++)
            for (int i = 0; i < 12; i++)
                s[i] = _mm512_fmadd_ps(s[i], _mm512_set1_ps(0.5f), _mm512_set1_ps(0.25f));
        if (seconds_now() - t < least) least = seconds_now() - t;
    }
    for (int i = 0; i < 12; i++) _mm512_storeu_ps(lanes, s[i]), sum += lanes[i];
    if (sum < 0) puts("?");
    return 12.0 * 20000 * 32 / least;
}
#define HAVE_STREAM (padici_simd_detect() >= PADICI_SIMD_AVX512)
#else
static uint32_t run_stream(job *j)
{
    double s[8] = {0};
    for (uint64_t i = 0; i + 8 <= j->bytes / 4; i += 8)
        for (int k = 0; k < 8; k++) s[k] += (double)j->stream[i + (uint64_t)k];
    j->sum += (float)(s[0] + s[7]);
    return 1;
}

static double peak(void)
{
    return 0;
}
#define HAVE_STREAM 1
#endif

// The least times of a step, in turns.
static void measure(job *j, uint32_t (*const *run)(job *), int count, double *least)
{
    const double end = seconds_now() + budget;
    uint32_t calls[4];
    for (int w = 0; w < count; w++) {
        double t;
        least[w] = 1e9;
        (void)run[w](j);
        t = seconds_now();
        (void)run[w](j);
        t = seconds_now() - t;
        calls[w] = t > 1e-3 ? 1 : (uint32_t)(1e-3 / (t + 1e-9)) + 1;
    }
    do
        for (int w = 0; w < count; w++) {
            double t = seconds_now();
            uint32_t steps = 0;
            for (uint32_t i = 0; i < calls[w]; i++) steps += run[w](j);
            t = (seconds_now() - t) / steps;
            if (t < least[w]) least[w] = t;
        }
    while (seconds_now() < end);
}

static const char *dtype_word(padic_dtype dtype)
{
    return padic_dtype_name(dtype);
}

static void one_row(uint64_t n)
{
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_BF16, PADIC_F16, PADIC_I8};
    static uint32_t (*const run[3])(job *) = {run_stream, run_sequence, run_step};
    double single = 0;
    for (int d = 0; d < 4; d++) {
        padic_rnn_layer layer = layer_make(PADIC_RNN_KIND_GRU, dtypes[d], n, n);
        padic_rnn_plan_desc desc = PADIC_ZERO;
        padic_tensor x = floats(64 * n), h = floats(n), out = floats(64 * n);
        double least[3];
        job j;
        char name[64];
        snprintf(name, sizeof name, "gru B=1 I=H=%u %s", (uint32_t)n, dtype_word(dtypes[d]));
        if (!strstr(name, filter)) {
            layer_free(&layer);
            continue;
        }
        memset(&j, 0, sizeof j);
        desc.layers = &layer;
        desc.layer_count = 1;
        if (padic_rnn_plan_create(context, &desc, &j.run.plan)) exit(1);
        j.run.x = padic_tensor_3d(PADIC_F32, x.data, 64, 1, n);
        j.run.out = padic_tensor_3d(PADIC_F32, out.data, 64, 1, n);
        j.step.x = padic_tensor_2d(PADIC_F32, x.data, 1, n);
        j.step.h = j.step.out = padic_tensor_2d(PADIC_F32, h.data, 1, n);
        j.step.weights = layer.weights;
        j.bytes = 6 * n * n * 4;
        j.stream = (const float *)malloc((size_t)j.bytes);
        memset((void *)(uintptr_t)j.stream, 1, (size_t)j.bytes); // not 0: those pages were one
        if (!HAVE_STREAM) exit(1);
        measure(&j, run, 3, least);
        if (!d) single = least[0];
        printf("| %-22s | %8.2f | %8.2f | %5.2f | %8.2f | %5.2f |\n", name, least[0] * 1e6,
               least[1] * 1e6, least[1] / single, least[2] * 1e6, least[2] / single);
        fflush(stdout);
        padic_rnn_plan_destroy(j.run.plan);
        layer_free(&layer);
        free(x.data), free(h.data), free(out.data), free((void *)(uintptr_t)j.stream);
    }
}

static void many_rows(padic_rnn_kind kind, uint64_t rows, uint64_t in, uint64_t h, uint32_t layers,
                      padic_dtype dtype)
{
    static uint32_t (*const run[1])(job *) = {run_sequence};
    padic_rnn_layer layer[2];
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_tensor x = floats(16 * rows * in), out = floats(16 * rows * h);
    double least[1], flop = 0;
    char name[64];
    job j;
    snprintf(name, sizeof name, "%s B=%u %u->%u x%u %s", kind ? "lstm" : "gru", (uint32_t)rows,
             (uint32_t)in, (uint32_t)h, layers, dtype_word(dtype));
    memset(&j, 0, sizeof j);
    for (uint32_t l = 0; l < layers; l++) {
        const uint64_t width = l ? h : in;
        layer[l] = layer_make(kind, dtype, width, h);
        flop += 2.0 * (kind ? 4 : 3) * (double)(h * (width + h) * rows);
    }
    desc.layers = layer;
    desc.layer_count = layers;
    if (padic_rnn_plan_create(context, &desc, &j.run.plan)) exit(1);
    j.run.x = padic_tensor_3d(PADIC_F32, x.data, 16, rows, in);
    j.run.out = padic_tensor_3d(PADIC_F32, out.data, 16, rows, h);
    if (strstr(name, filter)) {
        const double most = peak();
        measure(&j, run, 1, least);
        printf("| %-26s | %9.1f | %7.1f | %5.2f |\n", name, least[0] * 1e6, flop / least[0] * 1e-9,
               most > 0 ? flop / least[0] / most : 0);
        fflush(stdout);
    }
    padic_rnn_plan_destroy(j.run.plan);
    for (uint32_t l = 0; l < layers; l++) layer_free(&layer[l]);
    free(x.data), free(out.data);
}

static padic_tensor moved(padic_tensor t)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = {0};
    desc.size = padic_tensor_count(&t) * 4;
    desc.data = t.data;
    if (padic_buffer_create(context, &desc, &buffer)) puts("no memory"), exit(1);
    free(t.data);
    t.data = NULL;
    return padic_tensor_in(t, buffer, 0);
}

// A sequence that lies on a device: the least of some calls, with the wait for each, and the mean
// of calls that follow each other.
static void on_device(padic_rnn_kind kind, uint64_t steps, uint64_t rows, uint64_t in, uint64_t h,
                      uint32_t layers, padic_dtype dtype)
{
    padic_rnn_layer layer[2];
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO;
    double least = 1e9, mean = 1e9;
    char name[64];
    snprintf(name, sizeof name, "%s B=%u %u->%u x%u %s", kind ? "lstm" : "gru", (uint32_t)rows,
             (uint32_t)in, (uint32_t)h, layers, dtype_word(dtype));
    if (!strstr(name, filter)) return;
    for (uint32_t l = 0; l < layers; l++) layer[l] = layer_make(kind, dtype, l ? h : in, h);
    desc.layers = layer;
    desc.layer_count = layers;
    if (padic_rnn_plan_create(context, &desc, &run.plan)) exit(1);
    run.x = padic_tensor_3d(PADIC_F32, floats(steps * rows * in).data, steps, rows, in);
    run.out = padic_tensor_3d(PADIC_F32, floats(steps * rows * h).data, steps, rows, h);
    run.x = moved(run.x);
    run.out = moved(run.out);
    for (int turn = 0; turn < 6; turn++) {
        const uint32_t calls = turn < 4 ? 1 : 10;
        double t = seconds_now();
        for (uint32_t i = 0; i < calls; i++)
            if (padic_rnn_run(context, &run)) puts(padic_context_message(context)), exit(1);
        if (padic_context_sync(context)) puts(padic_context_message(context)), exit(1);
        t = (seconds_now() - t) / (double)(calls * steps);
        if (calls == 1 && t < least) least = t;
        if (calls > 1 && t < mean) mean = t;
    }
    printf("| %-28s | %4u | %9.2f | %9.2f |\n", name, (uint32_t)steps, least * 1e6, mean * 1e6);
    fflush(stdout);
    padic_rnn_plan_destroy(run.plan);
    padic_buffer_destroy(context, run.x.buffer);
    padic_buffer_destroy(context, run.out.buffer);
    for (uint32_t l = 0; l < layers; l++) layer_free(&layer[l]);
}

static void device(const char *name)
{
    static const uint64_t sizes[] = {64, 128, 256, 512, 1024};
    padic_context_desc desc = PADIC_ZERO;
    padic_device_info info;
    desc.backends[0] = strcmp(name, "opencl") ? padic_cuda() : padic_opencl();
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.flags = PADIC_CONTEXT_STRICT;
    if (padic_context_create(&desc, &context)) puts("no device"), exit(1);
    padic_context_device_info(context, &info);
    printf("%s\n\n| sequence on the device       |    T | us a step | in a row  |\n"
           "|---|---|---|---|\n", info.name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int wide = 0; wide < 2; wide++)
            on_device(PADIC_RNN_KIND_GRU, 256, 1, sizes[i], sizes[i], 1,
                      wide ? PADIC_F32 : PADIC_BF16);
    on_device(PADIC_RNN_KIND_LSTM, 256, 1, 256, 256, 1, PADIC_BF16);
    on_device(PADIC_RNN_KIND_LSTM, 64, 4096, 4, 64, 2, PADIC_F32);
    on_device(PADIC_RNN_KIND_LSTM, 64, 4096, 4, 64, 2, PADIC_BF16);
    on_device(PADIC_RNN_KIND_GRU, 64, 8, 256, 256, 1, PADIC_BF16);
    on_device(PADIC_RNN_KIND_GRU, 64, 256, 256, 256, 1, PADIC_F32);
    on_device(PADIC_RNN_KIND_GRU, 16, 64, 1024, 1024, 1, PADIC_BF16);
    padic_context_destroy(context);
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_threads *threads = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seconds")) budget = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--filter")) filter = argv[i + 1];
        if (!strcmp(argv[i], "--device")) return device(argv[i + 1]), 0;
        if (!strcmp(argv[i], "--level")) desc.device.name = argv[i + 1];
        if (!strcmp(argv[i], "--threads")) {
            threads = padic_threads_create((uint32_t)atoi(argv[i + 1]), NULL);
            desc.jobs = padic_threads_jobs(threads);
        }
    }
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &context)) return puts("no context"), 1;
    puts("| one row                | stream us |  run us | ratio |  step us | ratio |\n"
         "|---|---|---|---|---|---|");
    one_row(64);
    one_row(256);
    one_row(1024);
    puts("\n| many rows                  | us a step | GFLOP/s | of peak |\n|---|---|---|---|");
    many_rows(PADIC_RNN_KIND_LSTM, 4096, 4, 64, 2, PADIC_F32);
    many_rows(PADIC_RNN_KIND_GRU, 256, 256, 256, 1, PADIC_F32);
    many_rows(PADIC_RNN_KIND_GRU, 256, 256, 256, 1, PADIC_BF16);
    many_rows(PADIC_RNN_KIND_GRU, 64, 1024, 1024, 1, PADIC_F32);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
    return 0;
}
