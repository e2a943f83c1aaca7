// padic_gpu_vortex.h: windings on devices, kernels/vortex.cl. padic_gpu.h includes it; of no use
// alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_VORTEX) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_VORTEX

// A plane is a volume of one layer, its orientation the kernel's 0.
static void padici_gpu_winding_params(const padic_wave_winding_desc *desc, uint64_t psi_at,
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

// What the kernel counted: by orientation, squares of charge, squares of none.
static padic_result padici_gpu_winding_results(padici_gpu *gpu, padic_mem report,
                                               const padic_wave_winding_desc *desc)
{
    padici_wave_tally sum;
    uint32_t words[5], i;
    padic_result result;
    if (!desc->total && !desc->absolute && !desc->undefined && !desc->list_count) return PADIC_OK;
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

// c64, and no list, whose order kernels do not keep.
static padic_result padici_gpu_wave_winding(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_winding_desc *desc = &call->desc.wave_winding;
    const padici_operand *psi = &call->operands[0], *map = &call->operands[1];
    padici_k_vortex_winding_params k;
    padici_gpu_block report;
    padici_gpu_work work;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || desc->list || !padici_gpu_wave_words(psi) ||
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
        padici_gpu_winding_params(desc, psi->now.at, call->operand_count > 1 ? map->now.at : 0, &k);
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
    if (!result) result = padici_gpu_winding_results(gpu, report.mem, desc);
    padici_gpu_scratch_end(gpu, &report);
    return result;
}

static padic_result padici_warm_vortex(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_WINDING, NULL, 0);
}

// Test: small whole numbers, with many links through 0, very small and large ones, zeros, a NaN; in
// a plane and a volume, against the reference.
static padic_result padici_test_vortex_winding(padici_gpu_case *c)
{
    static const float sizes[5] = {1, 1e-42f, 3e38f, 1e-20f, 0.3333333f};
    const uint64_t shape[4] = {3, 7, 9, 11};
    const uint32_t n = 7 * 9 * 11, plane = c->round;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n);
    unsigned char *map = (unsigned char *)padici_gpu_image(c, 1, 3 * n), *answer;
    uint32_t *report = (uint32_t *)padici_gpu_image(c, 2, 20), *counts, i, random = 77;
    int64_t total[3];
    uint64_t absolute, undefined;
    padic_wave_winding_desc desc;
    padici_k_vortex_winding_params k;
    if (!psi || !map || !report) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;
        psi[i] = (float)((int32_t)(random >> 20 & 7) - 3) * sizes[i / 2 % 5] /
                 (i / 2 % 5 == 2 ? 4.0f : 1.0f);
    }
    psi[101] *= 1e38f * 1e38f; // not finite
    memset(&desc, 0, sizeof desc);
    desc.psi = plane ? padic_tensor_2d(PADIC_C64, psi, 63, 11)
                     : padic_tensor_3d(PADIC_C64, psi, 7, 9, 11);
    desc.periodic = plane ? 2 : 5;
    answer = (unsigned char *)padici_gpu_answer(c, 1);
    counts = (uint32_t *)padici_gpu_answer(c, 2);
    if (!answer || !counts) return PADIC_ERROR_MEMORY;
    desc.map = plane ? padic_tensor_2d(PADIC_I8, answer, 63, 11)
                     : padic_tensor_nd(PADIC_I8, answer, 4, shape);
    desc.total = total;
    desc.absolute = &absolute;
    desc.undefined = &undefined;
    padici_wave_winding_host(NULL, &desc);
    for (i = 0; i < 3; i++) counts[i] += (uint32_t)(uint64_t)total[plane ? (i ? 0 : 2) : i];
    counts[3] += (uint32_t)absolute;
    counts[4] += (uint32_t)undefined;
    padici_gpu_winding_params(&desc, 0, 0, &k);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->again = !plane;
    return PADIC_OK;
}
#endif // PADICI_GPU_VORTEX
