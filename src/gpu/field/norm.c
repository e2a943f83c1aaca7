#include "norm.h"
#include "../../context/recording.h"
#include "../launch.h"
#include "../variants.h"
#include "points.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Launches of norms: a plan's sums are in memory of its own, `device.sums`: numbers of each field,
// then sums of the groups.

// The defines of kernels of fields as x->psi lies, up to three.
PADICI_FN uint32_t padici_gpu_field_words(const padici_gpu_field *x, const char **defines)
{
    uint32_t count = 0;
    if (x->rules->is_double) defines[count++] = "PD_FFT_F64=1";
    if (x->powers) defines[count++] = "PD_FIELD_POWERS=1";
    if (x->psi.planar) defines[count++] = "PD_FIELD_PLANAR=1";
    return count;
}

// Groups of a field, the same on all devices; *each: points of a group.
PADICI_FN uint64_t padici_gpu_field_shares(uint64_t points, uint64_t *each)
{
    const uint64_t least = 2048, most = 1024;
    *each = (points + most - 1) / most;
    *each = *each < least ? least : (*each + 127) / 128 * 128;
    return (points + *each - 1) / *each;
}

PADICI_FN padic_result padici_gpu_field_need_norm(const padici_gpu_field *x)
{
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    const uint32_t count = padici_gpu_field_words(x, defines);
    padic_result result =
        padici_gpu_need(x->gpu, PADICI_KERNEL_FIELD_MEASURE_NORM, defines, count);
    if (!result)
        result = padici_gpu_need(x->gpu, PADICI_KERNEL_FIELD_MEASURE_TOTAL, defines, count);
    if (!result)
        result = padici_gpu_need(x->gpu, PADICI_KERNEL_FIELD_MEASURE_RESCALE, defines, count);
    return result;
}

static void padici_gpu_field_norm_params(const padici_gpu_field *x,
                                         const padici_gpu_field_place *psi,
                                         padici_k_field_norm_params *k)
{
    const padici_field_rules *rules = x->rules;
    uint64_t each;
    memset(k, 0, sizeof *k);
    k->points = (uint32_t)rules->points;
    k->groups = (uint32_t)padici_gpu_field_shares(rules->points, &each);
    k->each = (uint32_t)each;
    k->n1 = (uint32_t)rules->n[1];
    k->n2 = (uint32_t)rules->n[2];
    k->base = psi->base;
    k->imaginary = psi->imaginary;
    k->step0 = psi->step[0];
    k->step1 = psi->step[1];
    k->step2 = psi->step[2];
    k->step_field = psi->field;
    k->places = PADICI_GPU_FIELD_STATE;
    k->held = PADICI_GPU_FIELD_HELD;
    k->now = PADICI_GPU_FIELD_NOW;
}

// A launch with so many buffers, of a kernel of sums.
PADICI_FN padic_result padici_gpu_field_launch(padici_gpu_field *x, uint32_t kernel,
                                               const padic_mem *mem, uint32_t count,
                                               uint64_t groups, const void *params, uint32_t size)
{
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    padici_gpu_work work;
    uint32_t i;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.define_count = padici_gpu_field_words(x, defines);
    work.defines = defines;
    for (i = 0; i < count; i++) work.mem[i] = mem[i];
    work.mem_count = count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = (uint32_t)groups;
    return padici_gpu_launch(x->gpu, &work);
}

static padic_result padici_gpu_field_norm_launch(padici_gpu_field *x, uint32_t kernel,
                                                 padic_mem a, padic_mem b, uint64_t groups,
                                                 const padici_k_field_norm_params *k)
{
    padic_mem mem[2];
    mem[0] = a;
    mem[1] = b;
    return padici_gpu_field_launch(x, kernel, mem, 2, groups, k, sizeof *k);
}

// What of each field of psi, as a number of its state. After padici_gpu_field_ready().
PADICI_FN padic_result padici_gpu_field_norm(padici_gpu_field *x,
                                             const padici_gpu_field_place *psi, uint32_t what,
                                             uint32_t slot)
{
    padici_k_field_norm_params k;
    padic_result result;
    padici_gpu_field_norm_params(x, psi, &k);
    k.what = what;
    result = padici_gpu_field_norm_launch(x, PADICI_KERNEL_FIELD_MEASURE_NORM, psi->mem,
                                          x->plan->device.sums, x->rules->fields * k.groups, &k);
    return result ? result : padici_gpu_field_total(x, slot);
}

// What groups have left in the plan's sums, as a number of each field's state.
PADICI_FN padic_result padici_gpu_field_total(padici_gpu_field *x, uint32_t slot)
{
    padici_k_field_norm_params k;
    padici_gpu_field_norm_params(x, &x->psi, &k);
    k.slot = slot;
    return padici_gpu_field_norm_launch(x, PADICI_KERNEL_FIELD_MEASURE_TOTAL, x->plan->device.sums,
                                        x->plan->device.state, x->rules->fields, &k);
}

// psi gets the norm HELD, where NOW is the one that it has; neither of them may be 0 or infinite,
// or it stays as it is. `ended`: so do fields whose records have ended their steps.
PADICI_FN padic_result padici_gpu_field_rescale(padici_gpu_field *x,
                                                const padici_gpu_field_place *psi, uint32_t ended)
{
    padici_k_field_norm_params k;
    padici_gpu_field_norm_params(x, psi, &k);
    k.ended = ended ? PADICI_GPU_FIELD_ENDED : 0;
    return padici_gpu_field_norm_launch(x, PADICI_KERNEL_FIELD_MEASURE_RESCALE,
                                        x->plan->device.state, psi->mem,
                                        x->rules->fields * k.groups, &k);
}

// A number as kernels have it.
PADICI_FN double padici_gpu_field_value(const padici_gpu *gpu, const uint32_t words[2])
{
    const uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    float two[2];
    double value;
    memcpy(two, words, 8);
    memcpy(&value, &bits, 8);
    return gpu->info->features & PADIC_FEATURE_F64 ? value : (double)two[0] + (double)two[1];
}

// The numbers of fields, PADICI_GPU_FIELD_STATES at most; waits for them.
PADICI_FN padic_result padici_gpu_field_states(padici_gpu_field *x, uint64_t first,
                                               uint32_t count,
                                               double state[][PADICI_GPU_FIELD_STATE])
{
    const uint32_t size = 8 * PADICI_GPU_FIELD_STATE;
    uint32_t words[2 * PADICI_GPU_FIELD_STATES * PADICI_GPU_FIELD_STATE], i;
    const padic_result result =
        padici_gpu_download(x->gpu, x->plan->device.state, first * size, words, count * size);
    for (i = 0; i < count * PADICI_GPU_FIELD_STATE && !result; i++)
        state[i / PADICI_GPU_FIELD_STATE][i % PADICI_GPU_FIELD_STATE] =
            padici_gpu_field_value(x->gpu, words + 2 * i);
    return result;
}

// DOMAIN where a part of psi is not finite. Waits.
PADICI_FN padic_result padici_gpu_field_finite(padici_gpu_field *x)
{
    double state[PADICI_GPU_FIELD_STATES][PADICI_GPU_FIELD_STATE];
    const uint64_t fields = x->rules->fields;
    uint64_t i;
    uint32_t j, count;
    padic_result result = padici_refuse(x->gpu->context, "CHECK_FINITE, which waits,");
    if (!result)
        result = padici_gpu_field_norm(x, &x->psi, PADICI_GPU_FIELD_INFINITE,
                                       PADICI_GPU_FIELD_COUNT);
    for (i = 0; i < fields && !result; i += count) {
        count = fields - i < PADICI_GPU_FIELD_STATES ? (uint32_t)(fields - i)
                                                     : (uint32_t)PADICI_GPU_FIELD_STATES;
        result = padici_gpu_field_states(x, i, count, state);
        for (j = 0; j < count && !result; j++)
            if (state[j][PADICI_GPU_FIELD_COUNT] != 0)
                result = padici_field_fail_status(x->gpu->context,
                                                  PADIC_FIELD_STATUS_NOT_FINITE);
    }
    return result;
}

#endif
