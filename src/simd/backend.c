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

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
// Fields. NOT_SUPPORTED: by the reference.
static padic_result padici_simd_waves(const padic_env *env, uint32_t level, uint32_t op,
                                      const void *desc, int query)
{
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    if (level == PADICI_SIMD_NONE) return result;
    if (op == PADIC_OP_WAVE_SUPERPOSE)
        result = padici_simd_superpose(env, level, (const padic_wave_superpose_desc *)desc, query);
    if (op == PADIC_OP_WAVE_FRAMES)
        result = padici_simd_frames(env, level, (const padic_wave_frames_desc *)desc, query);
    if (op == PADIC_OP_WAVE_GRADIENT)
        result = padici_simd_gradient(env, level, (const padic_wave_gradient_desc *)desc, query);
    if (op == PADIC_OP_WAVE_VORTEX)
        result = padici_simd_vortex(env, level, (const padic_wave_vortex_desc *)desc, query);
    if (result == PADIC_ERROR_NOT_SUPPORTED)
        result = padici_simd_field(env, level, op, desc, query);
    return result;
}
#endif

// Other operations of the context are done plainly, so that this backend can be the only one named.
static padic_result padici_simd_run(padic_device *device, uint32_t op, const void *desc, int query)
{
    const uint32_t level = ((const padici_simd *)(void *)device)->level;
    void *call = (void *)(uintptr_t)desc; // a kernel's struct is written to
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
    if (op == PADIC_KERNEL_TENSOR)
        return level == PADICI_SIMD_NONE
                   ? PADIC_ERROR_NOT_SUPPORTED
                   : padici_simd_product(level, (const padic_tensor_product *)desc);
#endif
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
    {
        const padic_env *env = &((const padici_simd *)(void *)device)->env;
        const padic_result result = padici_simd_waves(env, level, op, desc, query);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
#endif
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
    if ((op == PADIC_OP_TENSOR_GEMM || op == PADIC_OP_TENSOR_CONTRACT) && !query && level) {
        padici_simd *simd = (padici_simd *)(void *)device;
        const padic_result result = padici_simd_tensor(level, &simd->env, op, desc,
                                                       &simd->tensor_space, &simd->tensor_size);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
#endif
    if (op < PADIC_OP_COUNT) return padici_cpu_run(device, op, desc, query);
    if (level == PADICI_SIMD_NONE) return PADIC_ERROR_NOT_SUPPORTED;
#ifndef PADIC_NO_SAMPLE
    if (op == PADIC_KERNEL_SAMPLE) return padici_simd_sample(level, (padic_sample_call *)call);
#endif
#ifndef PADIC_NO_CODEC
    if (op == PADIC_KERNEL_CODEC) return padici_simd_codec(level, (padici_codec_loops *)call);
#endif
#ifndef PADIC_NO_SPARSE
    if (op >= PADIC_KERNEL_SPARSE && op < PADIC_KERNEL_CODEC)
        return padici_simd_sparse(level, op, call);
#endif
#ifndef PADIC_NO_NUM
    if (op == PADIC_KERNEL_NUM_SYSTEMS)
        return padici_simd_systems(level, (const padic_num_systems *)call);
    if (op >= PADIC_KERNEL_NUM && op < PADIC_KERNEL_SPARSE)
        return padici_simd_num(level, op, (padic_num_call *)call);
#endif
    (void)call;
    return PADIC_ERROR_NOT_SUPPORTED;
}

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
                                                  padici_simd_run,
                                                  PADIC_BACKEND_HOST,
                                                  NULL,
                                                  NULL};

PADIC_API const padic_backend *padic_simd(void)
{
    return &padici_simd_backend;
}

#endif
