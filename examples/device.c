// Which devices are there, and which of them does my work? Name the backends in the order to try
// and let the user choose among what they find. The report says what was used, and how.
//
//     cc -O2 -o device examples/device.c -lm -ldl
//
// ./device --list shows the devices; --device takes part of a name, --backend cuda, opencl or cpu,
// --mode default, off, low or tune, --trace the name of a file for chrome://tracing, --cache an
// existing directory for compiled programs. Without any driver the CPU does it.
#define PADIC_IMPLEMENTATION
#define PADIC_NO_CODEC
#include "../padic.h"
#include "../backends/padic_cache.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "../backends/padic_simd.h"
#include <stdio.h>
#include <string.h>

enum { N = 128, STEPS = 50 };

static float want[N * N], got[N * N];

// Each device that a backend finds, by opening a context on it and on nothing else.
static void list(const padic_backend *backend, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++) {
        padic_context_desc desc = PADIC_ZERO;
        padic_context *context;
        padic_device_info info;
        desc.backends[0] = backend;
        desc.device.index = i;
        desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
        if (padic_context_create(&desc, &context)) return;
        padic_context_device_info(context, &info);
        printf("%-8s %s, %lu MiB, driver %s\n", backend->name, info.name,
               (unsigned long)(info.memory >> 20), info.driver);
        padic_context_destroy(context);
    }
}

static int to_file(const char *piece, size_t size, void *file)
{
    return fwrite(piece, 1, size, (FILE *)file) != size;
}

// Two random matrices and, again and again, their product.
static padic_result work(padic_context *context)
{
    padic_buffer_desc size = PADIC_ZERO;
    padic_buffer buffers[3];
    padic_tensor matrix = padic_tensor_2d(PADIC_F32, NULL, N, N), t[3];
    padic_random_fill_desc random = PADIC_ZERO;
    padic_tensor_gemm_desc gemm = PADIC_ZERO;
    padic_result result = PADIC_OK;
    size.size = sizeof got;
    for (uint32_t i = 0; i < 3 && !result; i++) {
        result = padic_buffer_create(context, &size, &buffers[i]);
        t[i] = padic_tensor_in(matrix, buffers[i], 0);
        random.tensor = t[i];
        random.stream = i;
        if (!result && i < 2) result = padic_random_fill(context, &random);
    }
    gemm.a = t[0];
    gemm.b = t[1];
    gemm.c = t[2];
    for (int step = 0; step < STEPS && !result; step++) result = padic_tensor_gemm(context, &gemm);
    return result ? result : padic_buffer_download(context, buffers[2], 0, got, sizeof got);
}

// The same on the CPU, without a context.
static void reference(void)
{
    static float a[N * N], b[N * N];
    padic_random_fill_desc random = PADIC_ZERO;
    padic_tensor_gemm_desc gemm = PADIC_ZERO;
    gemm.a = padic_tensor_2d(PADIC_F32, a, N, N);
    gemm.b = padic_tensor_2d(PADIC_F32, b, N, N);
    gemm.c = padic_tensor_2d(PADIC_F32, want, N, N);
    random.tensor = gemm.a;
    padic_random_fill(NULL, &random);
    random.tensor = gemm.b;
    random.stream = 1;
    padic_random_fill(NULL, &random);
    padic_tensor_gemm(NULL, &gemm);
}

static float worst(void) // relative to the largest product
{
    float error = 0, largest = 0;
    for (int i = 0; i < N * N; i++) {
        const float e = got[i] > want[i] ? got[i] - want[i] : want[i] - got[i];
        if (!(e <= error)) error = e;
        if (want[i] > largest) largest = want[i];
    }
    return error / largest;
}

// Fills the desc from the command line; 0: it made no sense.
static int options(int argc, char **argv, padic_context_desc *desc, const char **trace)
{
    static const char *const modes[] = {"default", "off", "low", "tune"};
    uint32_t n = 0, mode;
    const char *backend = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *word = argv[i], *value = argv[i + 1];
        if (!strcmp(word, "--device")) {
            desc->device.name = value;
            desc->device.flags = PADIC_DEVICE_ALLOW_CPU;
        } else if (!strcmp(word, "--backend")) {
            backend = value;
        } else if (!strcmp(word, "--cache")) {
            const char *refused = padic_cache_refusal(value);
            if (refused) fprintf(stderr, "%s\n", refused);
            desc->cache = padic_cache_directory(value);
        } else if (!strcmp(word, "--trace")) {
            *trace = value;
            desc->flags = PADIC_CONTEXT_PROFILE;
        } else if (!strcmp(word, "--mode")) {
            for (mode = 0; mode < 4 && strcmp(value, modes[mode]); mode++) {}
            desc->mode = (padic_mode)mode;
        } else {
            return 0;
        }
    }
    if (!*backend || !strcmp(backend, "cuda")) desc->backends[n++] = padic_cuda();
    if (!*backend || !strcmp(backend, "opencl")) desc->backends[n++] = padic_opencl();
    desc->backends[n++] = padic_simd(); // the CPU, which also does what a device cannot
    desc->backends[n] = NULL;
    return argc % 2;
}

int main(int argc, char **argv)
{
    static char report[8192];
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    const char *trace = NULL;
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list(padic_cuda(), 16);
        list(padic_opencl(), 16);
        list(padic_simd(), 1);
        return 0;
    }
    if (!options(argc, argv, &desc, &trace)) return puts("unknown option"), 2;
    padic_result result = padic_context_create(&desc, &context);
    if (result) return puts(padic_result_text(result)), 1;
    result = work(context);
    if (result) printf("%s\n", padic_context_message(context));
    padic_context_describe_desc describe = PADIC_ZERO;
    describe.text = padic_bytes_out(report, sizeof report);
    padic_context_describe(context, &describe);
    reference();
    printf("%s\n%d products of %d x %d, error %.1e\n", report, STEPS, N, N, (double)worst());
    if (trace) {
        FILE *file = fopen(trace, "wb");
        if (!file || padic_context_profile_write(context, to_file, file))
            puts("no trace was written");
        if (file) fclose(file);
    }
    padic_context_destroy(context);
    return result || worst() > 1e-5f;
}
