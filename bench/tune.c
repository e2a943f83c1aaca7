// tune.c: measures every tunable of the kernels on a device and prints the rows for the built-in
// table (padici_tune_rows in src/gpu/choices.c), with what was measured beside them.
//
//     cc -O2 -o tune bench/tune.c -lm -ldl && ./tune [cuda|opencl] [MILLISECONDS] [DEVICE]
//
// The first variant of a kernel is kept where no other is at least 5 % faster.
#define PADIC_IMPLEMENTATION
#define PADIC_NO_CODEC
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void log_line(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    fprintf(stderr, "%s%s\n", level < PADIC_LOG_INFO ? "WARNING: " : "", text);
}

static void print_rows(const padic_device_info *info, const padici_gpu_state *state)
{
    for (uint32_t i = 0; i < padici_gpu_tunable_count(); i++) {
        const padici_gpu_tunable *t = padici_gpu_tunables[i];
        printf("    {\"%s\", \"%s\", \"%s\", {", t->name, info->vendor, info->arch);
        for (uint32_t c = 0; c < PADICI_TUNE_CLASSES; c++)
            printf("%s%u", c ? ", " : "", state->tuned[i][c] ? state->tuned[i][c] - 1u : 0u);
        printf("}}, // MB/s");
        for (uint32_t c = 0; c < PADICI_TUNE_CLASSES; c++)
            printf(" %lu", (unsigned long)state->speed[i][c]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_device_info info;
    padic_stats stats;
    const uint32_t ms = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 60000;
    desc.backends[0] = argc > 1 && !strcmp(argv[1], "opencl") ? padic_opencl() : padic_cuda();
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.device.name = argc > 3 ? argv[3] : NULL;
    desc.log.write = log_line;
    padic_result result = padic_context_create(&desc, &context);
    if (result) return puts(padic_result_text(result)), 77;
    padic_context_device_info(context, &info);
    result = padic_context_tune(context, 0, ms);
    padic_context_stats(context, &stats);
    printf("// %s, driver %s: %lu variants timed, %lu ms in the compiler\n", info.name, info.driver,
           (unsigned long)stats.tuner_candidates, (unsigned long)(stats.build_ns / 1000000));
    if (!result && context->gpu) print_rows(&info, (const padici_gpu_state *)context->gpu);
    if (result) puts(padic_context_message(context));
    padic_context_destroy(context);
    return result != PADIC_OK;
}
