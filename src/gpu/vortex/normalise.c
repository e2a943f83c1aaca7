#include "normalise.h"
#include "../../context/messages.h"
#include "../../core/tensor.h"
#include "../../wave/check.h"
#include "../../wave/normalise.h"
#include "../../wave/vortex.h"
#include "../launch.h"
#include "../variants.h"
#include "../wave/plan.h"
#include "axes.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// The norm of a field, and a field divided by it: wave_normalise.

// wave_normalise

static void padici_gpu_wave_norm_params(const padic_tensor *psi, uint64_t at,
                                        padici_k_vortex_norm_params *k)
{
    const uint32_t n = (uint32_t)padic_tensor_count(psi);
    padici_gpu_wave_vortex_view v;
    padici_gpu_wave_vortex_axes(psi, 2, psi, 2, &v);
    memset(k, 0, sizeof *k);
    k->shares = (n + 255) / 256 < PADICI_WAVE_SHARES ? (n + 255) / 256 : PADICI_WAVE_SHARES;
    k->each = n / k->shares;
    k->more = n % k->shares;
    k->blocks = (k->each + (k->more != 0) + 255) / 256;
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    k->scale = 1;
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
}

// The two words of a sum, of psi times 2^power where the device has no f64.
static double padici_gpu_wave_norm_value(const padici_gpu *gpu, const uint32_t words[2], int power)
{
    float f[2];
    double x;
    if (gpu->info->features & PADIC_FEATURE_F64) {
        const uint64_t bits = (uint64_t)words[1] << 32 | words[0];
        memcpy(&x, &bits, 8);
        return x;
    }
    memcpy(f, words, 8);
    return ldexp((double)f[0] + (double)f[1], -2 * power);
}

// The sum of |psi|^2 by the reference's tree. Two words of f32 have less range than f64: then a
// second pass scales psi by a power of two.
static padic_result padici_gpu_wave_norm(padici_gpu *gpu, const padici_operand *psi, double *sum)
{
    static const int powers[4] = {0, -80, 48, 110};
    padici_k_vortex_norm_params k;
    padici_k_vortex_norm_total_params total;
    padici_gpu_block sums, totals;
    padici_gpu_work work;
    uint32_t words[2 * PADICI_WAVE_SHARES], i, pass = 0;
    padic_result result;
    padici_gpu_wave_norm_params(psi->tensor, psi->now.at, &k);
    total.blocks = k.blocks;
    total.shares = k.shares;
    totals.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, 8 * (uint64_t)k.blocks * k.shares, &sums);
    if (!result) result = padici_gpu_scratch(gpu, sizeof words, &totals);
    while (!result) {
        k.scale = (float)ldexp(1, powers[pass]);
        memset(&work, 0, sizeof work);
        work.mem[0] = psi->now.mem;
        work.mem[1] = sums.mem;
        result = padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_NORM, 2,
                                               k.blocks * k.shares, &k, sizeof k);
        work.mem[0] = sums.mem;
        work.mem[1] = totals.mem;
        if (!result)
            result = padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_NORM_TOTAL, 2,
                                                   k.shares, &total, sizeof total);
        if (!result)
            result = padici_gpu_download(gpu, totals.mem, 0, words, 8 * (uint64_t)k.shares);
        *sum = 0;
        for (i = 0; i < k.shares && !result; i++)
            *sum += padici_gpu_wave_norm_value(gpu, words + 2 * i, powers[pass]);
        if (gpu->info->features & PADIC_FEATURE_F64 || pass == 1 || pass == 3) break;
        if (*sum >= ldexp(1, -30 - 2 * powers[pass]) && *sum < 1e36) break;
        pass = pass ? 3 : *sum < 1 ? 2 : 1;
    }
    padici_gpu_scratch_end(gpu, &totals);
    padici_gpu_scratch_end(gpu, &sums);
    return result;
}

static void padici_gpu_wave_multiply_params(const padic_tensor *psi, uint64_t at, double factor,
                                            padici_k_vortex_multiply_params *k)
{
    padici_gpu_wave_vortex_view v;
    int power, rest;
    padici_gpu_wave_vortex_axes(psi, 2, psi, 2, &v);
    memset(k, 0, sizeof *k);
    k->n = (uint32_t)padic_tensor_count(psi);
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
    factor = frexp(factor, &power);
    rest = power > 252 ? power - 252 : power < -252 ? power + 252 : 0;
    power -= rest;
    if (rest > 60) rest = 60; // only 0 and Inf remain beyond
    if (rest < -60) rest = -60;
    factor = ldexp(factor, rest);
    k->first = power / 2;
    k->last = power - k->first;
    k->hi = (float)factor;
    k->lo = (float)(factor - (double)k->hi);
}

PADICI_FN padic_result padici_gpu_wave_normalise(padici_gpu *gpu, const padici_call *call,
                                                 int query)
{
    const padic_wave_normalise_desc *desc = &call->desc->wave_normalise;
    const padici_operand *psi = &call->operands[0];
    padici_k_vortex_multiply_params k;
    padici_gpu_work work;
    padici_wave_norm norm;
    double sum = 0;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || !padici_gpu_wave_words(psi) ||
        padic_tensor_count(&desc->psi) >> 30)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_NORM, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_NORM_TOTAL, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_MULTIPLY, NULL, 0);
    if (query || result) return result;
    result = padici_gpu_wave_norm(gpu, psi, &sum);
    if (result) return result;
    if (!padici_wave_norm_factor(desc, sum, 0, &norm))
        return padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN,
                                "psi is 0 or not finite, or f64 does not hold its norm or result");
    memset(&work, 0, sizeof work);
    padici_gpu_wave_multiply_params(&desc->psi, psi->now.at, norm.factor, &k);
    work.mem[0] = psi->now.mem;
    result = padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_MULTIPLY, 1, k.n, &k,
                                           sizeof k);
    if (!result && desc->report) desc->report->norm = norm.norm;
    return result;
}

#endif
