// gpu_fft.c: Fourier transforms on a device, as CSV.
//
//     cc -O2 -std=gnu99 -DPADIC_ONLY_FFT bench/gpu_fft.c -o gpu_fft -lm -lpthread -ldl
//     ./gpu_fft [cuda|opencl] [--repeat N] [--filter NAME]
//     python3 bench/peers/fft_torch.py ./gpu_fft              beside torch.fft, in turns
//
// Complex, forward, out of place, by a plan, in the device's memory. Columns: device, type, name,
// elements, us (one of so many calls, one after the other, that they take 20 ms), recorded_us (one
// of 50 calls in a recording, replayed), gbs (each element read and written once per transformed
// axis, over recorded_us), share (of the copy bandwidth of this run), error (relative, L2 norm, of
// the first and last 16 lines of a 1-D row against the CPU's C128; else empty).
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"

#include "gpu.h"
#include <math.h>

typedef struct fft_row {
    const char *name;
    uint32_t rank, axes; // the last `axes` ones are transformed
    uint64_t shape[4];
} fft_row;

static const fft_row rows[] = {
    {"64", 2, 1, {1 << 18, 64}},
    {"256", 2, 1, {1 << 16, 256}},
    {"1000", 2, 1, {1 << 14, 1000}},
    {"1024", 2, 1, {1 << 14, 1024}},
    {"2048", 2, 1, {1 << 13, 2048}},
    {"65536", 2, 1, {1 << 8, 65536}},
    {"1048576", 2, 1, {16, 1048576}},
    {"1009", 2, 1, {1 << 13, 1009}},
    {"1024^2", 2, 2, {1024, 1024}},
    {"64^3", 3, 3, {64, 64, 64}},
    {"128^3", 3, 3, {128, 128, 128}},
    {"256^3", 3, 3, {256, 256, 256}},
    {"512^3", 3, 3, {512, 512, 512}},
};

static void call_fft(void *arg)
{
    must(padic_fft_transform(context, (const padic_fft_transform_desc *)arg), "transform");
}

typedef struct recording {
    padic_record record;
    uint64_t times;
} recording;

static void call_replay(void *arg)
{
    const recording *r = (const recording *)arg;
    must(padic_record_replay(context, r->record, r->times), "replay");
}

static double recorded(padic_fft_transform_desc *desc, double *t)
{
    enum { IN_ONE = 50 };
    recording r = {{0}, 1};
    double ns;
    int i;
    must(padic_record_begin(context), "recording");
    for (i = 0; i < IN_ONE; i++) call_fft(desc);
    must(padic_record_end(context, &r.record), "recording");
    ns = measure_many(call_replay, &r, 2e7, t) / IN_ONE;
    must(padic_record_drop(context, r.record), "recording");
    return ns;
}

// Of `lines` lines of n numbers from `first` on.
static double error_of(const fft_row *row, const float *in, padic_buffer out, uint64_t first,
                       uint64_t lines)
{
    const uint64_t n = row->shape[1], count = 2 * lines * n;
    float *got = (float *)malloc(count * sizeof *got);
    double *x = (double *)malloc(count * sizeof *x), apart = 0, norm = 0;
    padic_fft_transform_desc exact = PADIC_ZERO;
    uint64_t i;
    if (!got || !x) exit(1);
    for (i = 0; i < count; i++) x[i] = in[2 * first * n + i];
    exact.out = padic_tensor_2d(PADIC_C128, x, lines, n);
    must(padic_fft_transform(NULL, &exact), "reference");
    must(padic_buffer_download(context, out, 8 * first * n, got, 4 * count), "download");
    for (i = 0; i < count; i++) {
        apart += (got[i] - x[i]) * (got[i] - x[i]);
        norm += x[i] * x[i];
    }
    free(got);
    free(x);
    return sqrt(apart / norm);
}

static void bench(const fft_row *row)
{
    padic_fft_transform_desc desc = PADIC_ZERO;
    padic_buffer from, to;
    uint64_t count = 1, i;
    float *data;
    double t[64], many, replayed, bytes;
    for (i = 0; i < row->rank; i++) count *= row->shape[i];
    data = numbers(2 * count);
    from = buffer_with(8 * count, data);
    to = buffer_of(8 * count);
    desc.in = padic_tensor_in(padic_tensor_nd(PADIC_C64, NULL, row->rank, row->shape), from, 0);
    desc.out = padic_tensor_in(padic_tensor_nd(PADIC_C64, NULL, row->rank, row->shape), to, 0);
    desc.axis_count = row->axes;
    for (i = 0; i < row->axes; i++) desc.axis[i] = row->rank - row->axes + (uint32_t)i;
    must(padic_fft_plan_create(context, &desc, &desc.plan), "plan");
    many = measure(call_fft, &desc);
    replayed = recorded(&desc, t);
    bytes = 16.0 * (double)count * row->axes;
    printf("\"%s\",C64,%s,%llu,%.2f,%.2f,%.0f,%.3f,", info.name, row->name,
           (unsigned long long)count, many * 1e-3, replayed * 1e-3, bytes / replayed,
           bytes / replayed / copy_rate);
    if (row->axes == 1)
        printf("%.2e", fmax(error_of(row, data, to, 0, 16),
                            error_of(row, data, to, row->shape[0] - 16, 16)));
    puts("");
    fflush(stdout);
    padic_fft_plan_destroy(desc.plan);
    must(padic_buffer_destroy(context, from), "buffer");
    must(padic_buffer_destroy(context, to), "buffer");
    free(data);
}

int main(int argc, char **argv)
{
    const char *filter = NULL;
    size_t i;
    const int code = open_named(argc, argv, padic_cuda(), padic_opencl(), &filter);
    if (code) return code;
    puts("device,type,name,elements,us,recorded_us,gbs,share,error");
    printf("\"%s\",,copy,%llu,,,%.0f,1,\n", info.name, 1ull << 30, copy_rate);
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!filter || !strcmp(filter, rows[i].name)) bench(&rows[i]);
    padic_context_destroy(context);
    return 0;
}
