#include "../codec/loops.h"
#include "../context/cpu.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "codec/all.h"
#include "level.h"
#include "num/calls.h"
#include "sample.h"
#include "sparse.h"
#include "tensor/gemm.h"
#include "wave/field_grids.h"
#include "wave/superpose.h"
#include "wave/vortex.h"

#if PADICI_IMPLEMENT_SIMD

// -------------------------------------------------------------------------------------- >>backend

typedef struct padici_simd { // what a padic_device of this backend really is
    padic_env env;           // first: the CPU backend's functions see only this
    uint32_t level;
    void *tensor_space; // packed panels, kept from call to call
    size_t tensor_size;
} padici_simd;

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

// Ways of operations and loops. NOT_SUPPORTED: by the plain reference, or the plain loop.

static uint32_t padici_simd_level_of(padic_device *device)
{
    return ((const padici_simd *)(void *)device)->level;
}

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
static padic_result padici_simd_wave(padic_device *device, uint32_t op, const void *desc, int query)
{
    const padic_env *env = &((const padici_simd *)(void *)device)->env;
    const uint32_t level = padici_simd_level_of(device);
    if (level == PADICI_SIMD_NONE) return PADIC_ERROR_NOT_SUPPORTED;
    switch (op) {
    case PADIC_OP_WAVE_SUPERPOSE:
        return padici_simd_superpose(env, level, (const padic_wave_superpose_desc *)desc, query);
    case PADIC_OP_WAVE_FRAMES:
        return padici_simd_frames(env, level, (const padic_wave_frames_desc *)desc, query);
    case PADIC_OP_WAVE_GRADIENT:
        return padici_simd_gradient(env, level, (const padic_wave_gradient_desc *)desc, query);
    case PADIC_OP_WAVE_VORTEX:
        return padici_simd_vortex(env, level, (const padic_wave_vortex_desc *)desc, query);
    default: return padici_simd_field(env, level, op, desc, query);
    }
}

static padic_result padici_simd_wave_supports(padic_device *device, uint32_t op, const void *desc)
{
    return padici_simd_wave(device, op, desc, 1);
}

static padic_result padici_simd_wave_run(padic_device *device, uint32_t op, void *desc,
                                         const padic_mem *mem)
{
    (void)mem;
    return padici_simd_wave(device, op, desc, 0);
}
#endif

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
static padic_result padici_simd_tensor_run(padic_device *device, uint32_t op, void *desc,
                                           const padic_mem *mem)
{
    padici_simd *simd = (padici_simd *)(void *)device;
    (void)mem;
    if (simd->level == PADICI_SIMD_NONE) return PADIC_ERROR_NOT_SUPPORTED;
    return padici_simd_tensor(simd->level, &simd->env, op, desc, &simd->tensor_space,
                              &simd->tensor_size);
}

static padic_result padici_simd_product_run(padic_device *device, uint32_t op, void *product,
                                            const padic_mem *mem)
{
    const uint32_t level = padici_simd_level_of(device);
    (void)op;
    (void)mem;
    if (level == PADICI_SIMD_NONE) return PADIC_ERROR_NOT_SUPPORTED;
    return padici_simd_product(level, (const padic_tensor_product *)product);
}
#endif

static padic_result padici_simd_loop_run(padic_device *device, uint32_t op, void *call,
                                         const padic_mem *mem)
{
    const uint32_t level = padici_simd_level_of(device);
    (void)call;
    (void)mem;
    if (level == PADICI_SIMD_NONE) return PADIC_ERROR_NOT_SUPPORTED;
    switch (op) {
#ifndef PADIC_NO_SAMPLE
    case PADIC_OP_SAMPLE_LOOP: return padici_simd_sample(level, (padic_sample_call *)call);
#endif
#ifndef PADIC_NO_CODEC
    case PADIC_OP_CODEC_LOOPS: return padici_simd_codec(level, (padici_codec_loops *)call);
#endif
#ifndef PADIC_NO_SPARSE
    case PADIC_OP_SPARSE_COUNT_LOOP:
    case PADIC_OP_SPARSE_FILL_LOOP: return padici_simd_sparse(level, op, call);
#endif
#ifndef PADIC_NO_NUM
    case PADIC_OP_NUM_SYSTEMS_LOOP:
        return padici_simd_systems(level, (const padic_num_systems *)call);
    case PADIC_OP_NUM_LOOP:
        return padici_simd_num(level, ((const padic_num_call *)call)->kernel,
                               (padic_num_call *)call);
#endif
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
}

static const padic_backend_op padici_simd_ops[] = {
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
    {PADIC_OP_WAVE_SUPERPOSE, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_OBSERVE, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_TONEMAP, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_NORMALISE, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_VORTEX, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_PHASE_GRADIENT, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_WINDING, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_GRADIENT, padici_simd_wave_supports, padici_simd_wave_run},
    {PADIC_OP_WAVE_FRAMES, padici_simd_wave_supports, padici_simd_wave_run},
#endif
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
    {PADIC_OP_TENSOR_GEMM, NULL, padici_simd_tensor_run},
    {PADIC_OP_TENSOR_CONTRACT, NULL, padici_simd_tensor_run},
    {PADIC_OP_TENSOR_PRODUCT_LOOP, NULL, padici_simd_product_run},
#endif
#ifndef PADIC_NO_NUM
    {PADIC_OP_NUM_LOOP, NULL, padici_simd_loop_run},
    {PADIC_OP_NUM_SYSTEMS_LOOP, NULL, padici_simd_loop_run},
#endif
#ifndef PADIC_NO_SPARSE
    {PADIC_OP_SPARSE_COUNT_LOOP, NULL, padici_simd_loop_run},
    {PADIC_OP_SPARSE_FILL_LOOP, NULL, padici_simd_loop_run},
#endif
#ifndef PADIC_NO_CODEC
    {PADIC_OP_CODEC_LOOPS, NULL, padici_simd_loop_run},
#endif
    {PADIC_OP_SAMPLE_LOOP, NULL, padici_simd_loop_run}};

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
                                                      sizeof *padici_simd_ops,
                                                  PADIC_BACKEND_HOST | PADIC_BACKEND_PLAIN,
                                                  NULL,
                                                  NULL};

PADIC_API const padic_backend *padic_simd(void)
{
    return &padici_simd_backend;
}

#endif
