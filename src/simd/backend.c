#include "../codec/loops.h"
#include "../context/cpu.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "codec/all.h"
#include "device.h"
#include "level.h"
#include "num/calls.h"
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

// Its ways of operations and loops: X(operation, function, struct). The function answers
// NOT_SUPPORTED for what is better done by the plain reference, before it touches memory.
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
#define PADICI_SIMD_WAVE(X) \
    X(WAVE_SUPERPOSE, wave_superpose, padic_wave_superpose_desc) \
    X(WAVE_OBSERVE, wave_observe, padic_wave_observe_desc) \
    X(WAVE_TONEMAP, wave_tonemap, padic_wave_tonemap_desc) \
    X(WAVE_NORMALISE, wave_normalise, padic_wave_normalise_desc) \
    X(WAVE_VORTEX, wave_vortex, padic_wave_vortex_desc) \
    X(WAVE_PHASE_GRADIENT, wave_phase_gradient, padic_wave_phase_gradient_desc) \
    X(WAVE_WINDING, wave_winding, padic_wave_winding_desc) \
    X(WAVE_GRADIENT, wave_gradient, padic_wave_gradient_desc) \
    X(WAVE_FRAMES, wave_frames, padic_wave_frames_desc)
#else
#define PADICI_SIMD_WAVE(X)
#endif
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
#define PADICI_SIMD_TENSOR(X) \
    X(TENSOR_GEMM, tensor_gemm, padic_tensor_gemm_desc) \
    X(TENSOR_CONTRACT, tensor_contract, padic_tensor_contract_desc) \
    X(TENSOR_PRODUCT_LOOP, tensor_product_loop, padic_tensor_product)
#else
#define PADICI_SIMD_TENSOR(X)
#endif
#ifndef PADIC_NO_NUM
#define PADICI_SIMD_NUM(X) \
    X(NUM_LOOP, num_loop, padic_num_call) \
    X(NUM_SYSTEMS_LOOP, num_systems_loop, padic_num_systems)
#else
#define PADICI_SIMD_NUM(X)
#endif
#ifndef PADIC_NO_SPARSE
#define PADICI_SIMD_SPARSE(X) \
    X(SPARSE_COUNT_LOOP, sparse_count_loop, padic_sparse_call) \
    X(SPARSE_FILL_LOOP, sparse_fill_loop, padic_sparse_call)
#else
#define PADICI_SIMD_SPARSE(X)
#endif
#ifndef PADIC_NO_SAMPLE
#define PADICI_SIMD_SAMPLE(X) X(SAMPLE_LOOP, sample_loop, padic_sample_call)
#else
#define PADICI_SIMD_SAMPLE(X)
#endif
#ifndef PADIC_NO_CODEC
#define PADICI_SIMD_CODEC(X) X(CODEC_LOOPS, codec_loops, padici_codec_loops)
#else
#define PADICI_SIMD_CODEC(X)
#endif
#define PADICI_SIMD_OPS(X) \
    PADICI_SIMD_WAVE(X) PADICI_SIMD_TENSOR(X) PADICI_SIMD_NUM(X) PADICI_SIMD_SPARSE(X) \
    PADICI_SIMD_SAMPLE(X) PADICI_SIMD_CODEC(X)

#define PADICI_SIMD_RUN(op, name, type) \
    static padic_result padici_simd_run_##name(padic_device *device, uint32_t number, void *given, \
                                               const padic_mem *mem) \
    { \
        padici_simd *simd = (padici_simd *)(void *)device; \
        (void)number; \
        (void)mem; \
        return simd->level == PADICI_SIMD_NONE ? PADIC_ERROR_NOT_SUPPORTED \
                                               : padici_simd_##name(simd, (type *)given); \
    }
PADICI_SIMD_OPS(PADICI_SIMD_RUN)

#define PADICI_SIMD_ROW(op, name, type) {PADIC_OP_##op, NULL, padici_simd_run_##name},
static const padic_backend_op padici_simd_ops[] = {
    PADICI_SIMD_OPS(PADICI_SIMD_ROW){PADIC_OP_NONE, NULL, NULL}};

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
                                                  NULL};

PADIC_API const padic_backend *padic_simd(void)
{
    return &padici_simd_backend;
}

#undef PADICI_SIMD_WAVE
#undef PADICI_SIMD_TENSOR
#undef PADICI_SIMD_NUM
#undef PADICI_SIMD_SPARSE
#undef PADICI_SIMD_SAMPLE
#undef PADICI_SIMD_CODEC
#undef PADICI_SIMD_OPS
#undef PADICI_SIMD_RUN
#undef PADICI_SIMD_ROW

#endif
