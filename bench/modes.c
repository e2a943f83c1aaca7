// modes.c: what a call costs in each mode, as CSV: small operations on a device, many times, then
// one sync. `recorded` is a recording of 64 calls, replayed.
//
//     cc -O2 -o modes bench/modes.c -lm -ldl && ./modes [cuda|opencl] [CALLS]
#define PADIC_IMPLEMENTATION
#define PADIC_NO_CODEC
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };

typedef struct work {
    padic_random_fill_desc random;
    padic_tensor_gemm_desc gemm;
    int product; // which of them
} work;

static double now_us(void)
{
    return (double)padici_clock_default(NULL) * 1e-3;
}

static padic_result call(padic_context *context, const work *w)
{
    return w->product ? padic_tensor_gemm(context, &w->gemm)
                      : padic_random_fill(context, &w->random);
}

static padic_result calls(padic_context *context, const work *w, uint32_t n)
{
    padic_result result = PADIC_OK;
    for (uint32_t i = 0; i < n && !result; i++) result = call(context, w);
    return result;
}

// Microseconds a call until it is handed over, and until it is done.
static padic_result measure(padic_context *context, const work *w, uint32_t n, const char *name)
{
    padic_record record = PADIC_ZERO;
    padic_stats before, after;
    padic_result result = calls(context, w, 3); // builds, records
    if (!result && !strcmp(name, "recorded")) {
        result = padic_record_begin(context);
        if (!result) result = calls(context, w, BLOCK);
        if (!result) result = padic_record_end(context, &record);
        if (!result) result = padic_record_replay(context, record, 1);
    }
    if (!result) result = padic_context_sync(context);
    if (result) return result;
    padic_context_stats(context, &before);
    const double begin = now_us();
    result = record.id ? padic_record_replay(context, record, n / BLOCK) : calls(context, w, n);
    const double handed = now_us();
    if (!result) result = padic_context_sync(context);
    const double end = now_us();
    padic_context_stats(context, &after);
    printf("%s,%s,%lu,%.3f,%.3f,%lu,%lu\n", w->product ? "tensor_gemm 16x16" : "random_fill 1024",
           name, (unsigned long)n, (handed - begin) / n, (end - begin) / n,
           (unsigned long)(after.launches - before.launches),
           (unsigned long)(after.replays - before.replays));
    if (record.id) (void)padic_record_drop(context, record);
    return result;
}

static padic_result run(padic_context *context, uint32_t n)
{
    static const char *const names[] = {"off", "default", "low overhead", "recorded"};
    static const padic_mode modes[] = {PADIC_MODE_OFF, PADIC_MODE_DEFAULT, PADIC_MODE_LOW_OVERHEAD,
                                       PADIC_MODE_DEFAULT};
    padic_buffer_desc size = PADIC_ZERO;
    padic_buffer buffer;
    work w = PADIC_ZERO;
    padic_result result;
    size.size = 4096;
    result = padic_buffer_create(context, &size, &buffer);
    w.random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 1024), buffer, 0);
    w.gemm.a = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 16, 16), buffer, 0);
    w.gemm.b = padic_tensor_in(w.gemm.a, buffer, 256);
    w.gemm.c = padic_tensor_in(w.gemm.a, buffer, 512);
    printf("op,mode,calls,us_handed_over,us_done,launches,replays\n");
    for (w.product = 0; w.product < 2; w.product++)
        for (int m = 0; m < 4 && !result; m++) {
            result = padic_context_set_mode(context, modes[m]);
            if (!result) result = measure(context, &w, n / BLOCK * BLOCK, names[m]);
        }
    return result;
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_device_info info;
    const uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64000;
    desc.backends[0] = argc > 1 && !strcmp(argv[1], "opencl") ? padic_opencl() : padic_cuda();
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    padic_result result = padic_context_create(&desc, &context);
    if (result) return puts(padic_result_text(result)), 77;
    padic_context_device_info(context, &info);
    printf("# %s, driver %s\n", info.name, info.driver);
    result = run(context, n);
    if (result) puts(padic_context_message(context));
    padic_context_destroy(context);
    return result != PADIC_OK;
}
