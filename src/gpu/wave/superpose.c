#include "superpose.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../../wave/gradient.h"
#include "../launch.h"
#include "../tuner.h"
#include "../variants.h"
#include "field.h"
#include "plan.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// The drivers of wave_superpose and wave_gradient, also for fields of few pairs.

#define PADICI_WAVE_FEW (UINT64_C(1) << 22) // pairs
#define PADICI_WAVE_SPLIT 3u                // at most 8 items per point

// Few pairs take one launch, in which every pair is classified by itself.
static int padici_gpu_wave_few(const padici_gpu_wave *w)
{
    return w->listed && w->k.points && w->k.sources && w->desc->output != PADIC_WAVE_OUTPUT_RGBA8 &&
           !(w->inputs[4] && w->inputs[5]) &&
           (uint64_t)w->k.points * w->k.sources <= PADICI_WAVE_FEW;
}

PADICI_FN int padici_example_wave_few(padici_any_desc *desc, uint32_t size_class)
{
    static const uint64_t points[4] = {64, 512, 4096, 16384}, sources[4] = {32, 64, 128, 128};
    padic_wave_superpose_desc *d = &desc->wave_superpose;
    if (size_class > 3) return 0;
    d->points = padic_tensor_2d(PADIC_F32, NULL, points[size_class], 3);
    d->sources = padic_tensor_2d(PADIC_F32, NULL, sources[size_class], 3);
    d->wavenumber = padic_tensor_1d(PADIC_F32, NULL, sources[size_class]);
    d->out = padic_tensor_1d(PADIC_C64, NULL, points[size_class]);
    return 1;
}

static padic_result padici_gpu_wave_small(padici_gpu *gpu, padici_gpu_wave *w)
{
    const uint32_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const padic_wave_superpose_desc *desc = w->desc;
    const int told = desc->report != NULL;
    padici_k_wave_sources_params k;
    padici_gpu_work work;
    padici_gpu_wave_seen seen;
    padic_result result = PADIC_OK;
    padic_mem mem[6];
    uint32_t each, i;
    memset(&work, 0, sizeof work);
    if (!padici_gpu_wave_all_held(w)) return PADIC_ERROR_NOT_SUPPORTED;
    w->report.block = PADICI_NO_BLOCK;
    padici_gpu_wave_given(w, &k, w->out->now.mem, mem);
    while (k.split < PADICI_WAVE_SPLIT && 2u << k.split <= k.count &&
           (w->k.points >> (8 - k.split)) < 2 * units)
        k.split++;
    each = 256u >> k.split;
    k.points = w->k.points;
    k.list_base = (uint32_t)(w->inputs[0]->now.at / 4);
    k.list_step = w->k.list_step;
    k.list_axis = w->k.list_axis;
    k.list_wide = w->k.list_wide;
    k.list_dimensions = w->k.list_dimensions;
    k.out_base = (uint32_t)(w->out->now.at / padic_dtype_size(desc->out.dtype));
    k.out_step = w->k.out_step[0];
    k.output = w->k.output | (told ? 2048u : 0u); // WAVE_REPORT
    k.tolerance = w->k.tolerance;
    k.length = w->k.length;
    work.kernel = PADICI_KERNEL_WAVE_SMALL;
    work.defines = w->defines;
    work.define_count = w->define_count;
    work.groups[0] = (k.points + each - 1) / each;
    if (told) result = padici_gpu_scratch(gpu, 16 * (uint64_t)work.groups[0], &w->report);
    work.mem[0] = w->inputs[0]->now.mem;
    for (i = 0; i < 3; i++) work.mem[1 + i] = mem[i];
    work.mem[4] = w->inputs[4] ? mem[3] : mem[4];
    work.mem[5] = mem[5];
    work.mem[6] = w->out->now.mem;
    work.mem[7] = told ? w->report.mem : w->out->now.mem;
    work.mem_count = 8;
    work.params = &k;
    work.params_size = sizeof k;
    if (!result) result = padici_gpu_launch(gpu, &work);
    if (!result && told) {
        result = padici_gpu_wave_reports(gpu, w->report.mem, work.groups[0], &seen);
        if (!result) padici_gpu_wave_tell(w, &seen);
    }
    padici_gpu_scratch_end(gpu, &w->report);
    return result;
}

PADICI_FN padic_result padici_gpu_wave_superpose(padici_gpu *gpu, const padici_call *call,
                                                 int query)
{
    const padic_wave_superpose_desc *desc = &call->desc->wave_superpose;
    padici_gpu_wave w;
    if (!padici_gpu_wave_begin(gpu, &w, call, desc, desc, PADICI_WAVE_PLAIN))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (padici_gpu_wave_few(&w)) {
        const uint32_t count = w.define_count;
        const padici_gpu_choice *choice = padici_gpu_choose(
            gpu, &padici_tunable_wave_few, (uint64_t)w.k.points * w.k.sources);
        if (choice->define_count) w.defines[w.define_count++] = choice->defines[0];
        if (!padici_gpu_need(gpu, PADICI_KERNEL_WAVE_SMALL, w.defines, w.define_count))
            return query ? PADIC_OK : padici_gpu_wave_small(gpu, &w);
        w.define_count = count;
    }
    return padici_gpu_wave_run(gpu, &w, query, NULL);
}

// c64.
PADICI_FN PADICI_NOINLINE padic_result padici_gpu_wave_gradient(padici_gpu *gpu,
                                                                const padici_call *call, int query)
{
    const padic_wave_gradient_desc *desc = &call->desc->wave_gradient;
    const padici_operand *slopes = padici_gpu_wave_operand(call, &desc->out);
    const uint32_t axis = desc->out.rank - 1;
    padic_wave_superpose_desc field = desc->field;
    int64_t stride[PADIC_MAX_RANK];
    padici_gpu_wave w;
    uint32_t i;
    if (desc->out.dtype != PADIC_C64 || !padici_gpu_wave_reached(slopes))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (field.out.dtype == PADIC_DTYPE_NONE) padici_wave_gradient_field(desc, &field);
    if (!padici_gpu_wave_begin(gpu, &w, call, &desc->field, &field, PADICI_WAVE_SLOPE))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_tensor_dense(&desc->out, stride);
    w.k.slope_axis = (uint32_t)stride[axis];
    w.k.components = (uint32_t)desc->out.shape[axis];
    if (w.out) w.k.output |= 1024u; // WAVE_FIELD
    for (i = 0; i < 3; i++)
        w.k.slope_step[i] = w.order[i] < axis ? (uint32_t)stride[w.order[i]] : 0;
    if (w.listed) w.k.slope_step[1] = w.k.slope_step[2] = 0;
    return padici_gpu_wave_run(gpu, &w, query, slopes);
}

#undef PADICI_WAVE_FEW
#undef PADICI_WAVE_SPLIT

#endif
