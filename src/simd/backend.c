#include "../codec/loops.h"
#include "../context/cpu.h"
#include "../context/ops.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "codec/all.h"
#include "device.h"
#include "fft/kernels.h"
#include "field/run.h"
#include "level.h"
#include "num/calls.h"
#include "rnn/kernels.h"
#include "rollout/kernels.h"
#include "rollout/kernels.h"
#include "sample.h"
#include "sparse.h"
#include "tensor/gemm.h"
#include "wave/field_grids.h"
#include "wave/field_rows.h"
#include "wave/superpose.h"
#include "wave/vortex.h"

#if PADICI_IMPLEMENT_SIMD

// -------------------------------------------------------------------------------------- >>backend

static padic_result padici_simd_open(const padic_env *env, const padic_device_desc *desc,
                                     padic_device **out)
{
    const uint32_t have = padici_simd_detect(), asked = padici_simd_level(desc->name);
    uint32_t level = asked;
    padici_simd *simd;
    padici_text text;
    char word[16];
    *out = NULL;
    if (asked == PADICI_SIMD_LEVELS) {
        padici_simd_environment(word, sizeof word);
        level = padici_simd_level(word);
        if (level > have) level = have;
    }
    if (level > have || (level == PADICI_SIMD_NEON && have != level)) {
        padici_text_begin(&text, env->message, env->message_size);
        padici_text_add(&text, "this CPU, or this build, lacks ");
        padici_text_add(&text, padici_simd_names[level]);
        return PADIC_ERROR_NO_DEVICE;
    }
    simd = (padici_simd *)padici_alloc(env->allocator, sizeof *simd, 16);
    if (!simd) return PADIC_ERROR_MEMORY;
    simd->env = *env;
    simd->level = level;
    simd->tensor_space = NULL;
    simd->tensor_size = 0;
    *out = (padic_device *)(void *)simd;
    return PADIC_OK;
}

static void padici_simd_close(padic_device *device)
{
    padici_simd *simd = (padici_simd *)(void *)device;
    padici_free(simd->env.allocator, simd->tensor_space, simd->tensor_size);
    padici_free(simd->env.allocator, simd, sizeof *simd);
}

static void padici_simd_info(padic_device *device, padic_device_info *info)
{
    const char *name = padici_simd_names[((const padici_simd *)(void *)device)->level];
    padici_text text;
    padici_cpu_info(device, info);
    padici_text_begin(&text, info->name, sizeof info->name);
    padici_text_add(&text, "CPU, ");
    padici_text_add(&text, name);
    padici_text_begin(&text, info->arch, sizeof info->arch);
    padici_text_add(&text, name);
}

// Vectorised operations and loops, the rows of src/ops.def with vectors: padici_simd_name(simd,
// desc) returns NOT_SUPPORTED where the generic loop is better, before it touches memory.
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
#define PADICI_SIMD_ROWS(X) PADICI_OPS_HERE(X)
#else // only rows that have a generic implementation of their own
#define PADICI_SIMD_ROWS(X)                                                                 \
    PADICI_OPS_SAMPLE_HERE(X) PADICI_OPS_NUM_HERE(X) PADICI_OPS_SPARSE_HERE(X)              \
    PADICI_OPS_CODEC_HERE(X)
#endif

#define PADICI_SIMD_RUN_0(name, given)
#define PADICI_SIMD_RUN_1(name, given)
#define PADICI_SIMD_RUN_2(name, given)                                                      \
    static padic_result padici_simd_run_##name(padic_device *device, uint32_t op, void *desc, \
                                               const padic_mem *mem)                        \
    {                                                                                       \
        padici_simd *simd = (padici_simd *)(void *)device;                                  \
        (void)op;                                                                           \
        (void)mem;                                                                          \
        return simd->level == PADICI_SIMD_NONE ? PADIC_ERROR_NOT_SUPPORTED                  \
                                               : padici_simd_##name(simd, given desc);      \
    }
#define PADICI_SIMD_RUN_3(name, given) PADICI_SIMD_RUN_2(name, given)
#define PADICI_SIMD_GIVEN_CALL(name) (padic_##name##_desc *)
#define PADICI_SIMD_GIVEN_QUICK(name) (padic_##name##_desc *)
#define PADICI_SIMD_GIVEN_TASK(name) (padici_##name##_task *)
#define PADICI_SIMD_GIVEN_LOOP(name)
#define PADICI_SIMD_RUN(number, NAME, name, kind, by, rules) \
    PADICI_SIMD_RUN_##by(name, PADICI_SIMD_GIVEN_##kind(name))
PADICI_SIMD_ROWS(PADICI_SIMD_RUN)

#define PADICI_SIMD_ROW_0(NAME, name)
#define PADICI_SIMD_ROW_1(NAME, name)
#define PADICI_SIMD_ROW_2(NAME, name) {PADIC_OP_##NAME, NULL, padici_simd_run_##name},
#define PADICI_SIMD_ROW_3(NAME, name) PADICI_SIMD_ROW_2(NAME, name)
#define PADICI_SIMD_ROW(number, NAME, name, kind, by, rules) PADICI_SIMD_ROW_##by(NAME, name)
static const padic_backend_op padici_simd_ops[] = {
    PADICI_SIMD_ROWS(PADICI_SIMD_ROW){PADIC_OP_NONE, NULL, NULL}};

static const padic_backend padici_simd_backend = {PADIC_BACKEND_VERSION,
                                                  "simd",
                                                  padici_simd_open,
                                                  padici_simd_close,
                                                  padici_simd_info,
                                                  padici_cpu_alloc,
                                                  padici_cpu_free,
                                                  padici_cpu_upload,
                                                  padici_cpu_download,
                                                  padici_cpu_copy,
                                                  padici_cpu_fill,
                                                  padici_cpu_program,
                                                  padici_cpu_launch,
                                                  padici_cpu_sync,
                                                  NULL,
                                                  NULL,
                                                  NULL,
                                                  padici_simd_ops,
                                                  sizeof padici_simd_ops /
                                                      sizeof *padici_simd_ops - 1,
                                                  PADIC_BACKEND_HOST | PADIC_BACKEND_PLAIN,
                                                  NULL,
                                                  NULL,
                                                  NULL,
                                                  NULL};

PADIC_API const padic_backend *padic_simd(void)
{
    return &padici_simd_backend;
}

#undef PADICI_SIMD_ROWS
#undef PADICI_SIMD_RUN_0
#undef PADICI_SIMD_RUN_1
#undef PADICI_SIMD_RUN_2
#undef PADICI_SIMD_RUN_3
#undef PADICI_SIMD_GIVEN_CALL
#undef PADICI_SIMD_GIVEN_QUICK
#undef PADICI_SIMD_GIVEN_TASK
#undef PADICI_SIMD_GIVEN_LOOP
#undef PADICI_SIMD_RUN
#undef PADICI_SIMD_ROW_0
#undef PADICI_SIMD_ROW_1
#undef PADICI_SIMD_ROW_2
#undef PADICI_SIMD_ROW_3
#undef PADICI_SIMD_ROW

#endif
