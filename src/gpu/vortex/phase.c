#include "phase.h"
#include "../../context/target.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../../wave/grid.h"
#include "../../wave/winding.h"
#include "../launch.h"
#include "../variants.h"
#include "../wave/plan.h"
#include "axes.h"
#include "pixels.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// The phase of a field: wave_phase_gradient, wave_winding; what is built in advance.

// wave_phase_gradient

static int padici_gpu_wave_slope_params(const padic_wave_phase_gradient_desc *desc, uint64_t at,
                                        uint64_t to, padici_k_vortex_gradient_params *k)
{
    int64_t stride[PADIC_MAX_RANK];
    double floor_;
    int power = 0;
    uint32_t i;
    memset(k, 0, sizeof *k);
    k->n = (uint32_t)padic_tensor_count(&desc->psi);
    k->rank = desc->psi.rank;
    k->periodic = desc->periodic;
    k->method = (uint32_t)desc->method;
    k->base = (uint32_t)(at / 4);
    k->to_base = (uint32_t)(to / 4);
    k->counted = desc->report != NULL;
    floor_ = frexp(desc->floor, &power);
    k->floor_hi = (float)floor_;
    k->floor_lo = (float)(floor_ - (double)k->floor_hi);
    k->floor_power = power;
    for (i = 0; i < 3; i++) {
        const double factor =
            (desc->scale != 0 ? desc->scale : 1) / (desc->step[i] > 0 ? desc->step[i] : 1);
        if (i < desc->psi.rank && !padici_gpu_wave_vortex_normal(factor)) return 0;
        k->factor[i] = (float)factor;
        k->count[i] = i < desc->psi.rank ? (uint32_t)desc->psi.shape[i] : 1;
    }
    padici_tensor_dense(&desc->psi, stride);
    for (i = 0; i < desc->psi.rank; i++) k->step[i] = 2 * (uint32_t)stride[i];
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i < desc->psi.rank; i++) k->to_step[i] = (uint32_t)stride[i];
    k->to_step[3] = (uint32_t)stride[i];
    return 1;
}

PADICI_FN padic_result padici_gpu_wave_phase_gradient(padici_gpu *gpu, const padici_call *call,
                                                      int query)
{
    const padic_wave_phase_gradient_desc *desc = &call->desc->wave_phase_gradient;
    const padici_operand *psi = &call->operands[0], *out = &call->operands[1];
    padici_k_vortex_gradient_params k;
    padici_gpu_block report;
    padici_gpu_work work;
    uint32_t skipped = 0;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_gpu_wave_words(psi) || !padici_gpu_wave_words(out) ||
        padic_tensor_count(&desc->psi) >> 30 ||
        !padici_gpu_wave_slope_params(desc, psi->now.at, out->now.at, &k))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_GRADIENT, NULL, 0);
    if (query || result) return result;
    report.block = PADICI_NO_BLOCK;
    if (k.counted) {
        result = padici_gpu_scratch(gpu, 4, &report);
        if (!result) result = padici_target_fill(gpu->context, gpu->target, report.mem, 0, 0, 4);
    }
    if (!result) {
        memset(&work, 0, sizeof work);
        work.mem[0] = psi->now.mem;
        work.mem[1] = out->now.mem;
        work.mem[2] = k.counted ? report.mem : out->now.mem;
        result = padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_GRADIENT, 3, k.n,
                                               &k, sizeof k);
    }
    if (!result && k.counted) result = padici_gpu_download(gpu, report.mem, 0, &skipped, 4);
    if (!result && desc->report) desc->report->skipped = skipped;
    padici_gpu_scratch_end(gpu, &report);
    return result;
}

// wave_winding

// A plane is a volume of one layer, its orientation the kernel's 0.
static void padici_gpu_wave_winding_params(const padic_wave_winding_desc *desc, uint64_t psi_at,
                                           uint64_t map_at, padici_k_vortex_winding_params *k)
{
    const uint32_t rank = desc->psi.rank, lead = 3 - rank;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(k, 0, sizeof *k);
    k->n = (uint32_t)padic_tensor_count(&desc->psi);
    k->orientations = lead ? 1 : 3;
    k->periodic = desc->periodic << lead;
    k->base = (uint32_t)(psi_at / 4);
    k->map_base = (uint32_t)map_at;
    k->mapped = desc->map.dtype != PADIC_DTYPE_NONE;
    k->count[0] = 1;
    padici_tensor_dense(&desc->psi, stride);
    for (i = 0; i < rank; i++) {
        k->count[i + lead] = (uint32_t)desc->psi.shape[i];
        k->step[i + lead] = 2 * (uint32_t)stride[i];
    }
    padici_tensor_dense(&desc->map, stride);
    for (i = 0; i < rank && k->mapped; i++)
        k->map_step[i + lead] = (uint32_t)stride[i + (lead ? 0 : 1)];
    if (k->mapped && !lead) k->map_step[3] = (uint32_t)stride[0];
}

// The kernel's counts: by orientation, squares with charge, undefined squares.
static padic_result padici_gpu_wave_winding_results(padici_gpu *gpu, padic_mem report,
                                                    const padic_wave_winding_desc *desc)
{
    padici_wave_tally sum;
    uint32_t words[5], i;
    padic_result result;
    if (!desc->report) return PADIC_OK;
    result = padici_gpu_download(gpu, report, 0, words, sizeof words);
    if (result) return result;
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < 3; i++) sum.total[i] = (int32_t)words[i];
    if (desc->psi.rank == 2) {
        sum.total[2] = sum.total[0];
        sum.total[0] = 0;
    }
    sum.absolute = words[3];
    sum.undefined = words[4];
    padici_wave_winding_results(desc, &sum);
    return PADIC_OK;
}

// c64, and no list, since kernels do not preserve its order.
PADICI_FN padic_result padici_gpu_wave_winding(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_winding_desc *desc = &call->desc->wave_winding;
    const padici_operand *psi = &call->operands[0], *map = &call->operands[1];
    padici_k_vortex_winding_params k;
    padici_gpu_block report;
    padici_gpu_work work;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || desc->defects.dtype || !padici_gpu_wave_words(psi) ||
        padic_tensor_count(&desc->psi) >> 30 ||
        (call->operand_count > 1 && (map->home.at + map->bytes) >> 32))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_WINDING, NULL, 0);
    if (query || result) return result;
    report.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, 20, &report);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, report.mem, 0, 0, 20);
    if (!result) {
        memset(&work, 0, sizeof work);
        padici_gpu_wave_winding_params(desc, psi->now.at, call->operand_count > 1 ? map->now.at : 0,
                                       &k);
        work.kernel = PADICI_KERNEL_VORTEX_WINDING;
        work.mem[0] = psi->now.mem;
        work.mem[1] = call->operand_count > 1 ? map->now.mem : report.mem;
        work.mem[2] = report.mem;
        work.mem_count = 3;
        work.params = &k;
        work.params_size = sizeof k;
        work.groups[0] = padici_gpu_groups(gpu, k.n, 128);
        result = padici_gpu_launch(gpu, &work);
    }
    if (!result) result = padici_gpu_wave_winding_results(gpu, report.mem, desc);
    padici_gpu_scratch_end(gpu, &report);
    return result;
}

PADICI_FN padic_result padici_warm_vortex(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_WINDING, NULL, 0);
}

#endif
