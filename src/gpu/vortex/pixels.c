#include "pixels.h"
#include "../../context/target.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../../wave/source.h"
#include "../launch.h"
#include "../tuner.h"
#include "../variants.h"
#include "../wave/plan.h"
#include "axes.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// A field as one real number or one pixel per point: wave_observe, wave_tonemap.

// wave_observe

static void padici_gpu_wave_observe_params(const padic_wave_observe_desc *desc, uint64_t at,
                                           uint64_t to, padici_k_vortex_observe_params *k)
{
    padici_gpu_wave_vortex_view v;
    padici_gpu_wave_vortex_axes(&desc->psi, 2, &desc->out, 1, &v);
    memset(k, 0, sizeof *k);
    k->n = (uint32_t)padic_tensor_count(&desc->psi);
    k->output = (uint32_t)desc->output;
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    k->to_base = (uint32_t)(to / 4);
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
    memcpy(k->to_step, v.to_step, sizeof v.to_step);
}

PADICI_FN int padici_example_wave_observe(padici_any_desc *desc, uint32_t size_class)
{
    const uint64_t n = UINT64_C(2048) << 4 * size_class;
    desc->wave_observe.psi = padic_tensor_1d(PADIC_C64, NULL, n);
    desc->wave_observe.out = padic_tensor_1d(PADIC_F32, NULL, n);
    desc->wave_observe.output = PADIC_WAVE_OUTPUT_PHASE;
    return size_class < 4;
}

PADICI_FN padic_result padici_gpu_wave_observe(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_observe_desc *desc = &call->desc->wave_observe;
    const padici_operand *psi = &call->operands[0], *out = &call->operands[1];
    const padici_gpu_choice *choice;
    padici_k_vortex_observe_params k;
    padici_gpu_work work;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_gpu_wave_words(psi) || !padici_gpu_wave_words(out) ||
        padic_tensor_count(&desc->psi) >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    choice = padici_gpu_choose(gpu, &padici_tunable_wave_observe, padic_tensor_count(&desc->psi));
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_OBSERVE, choice->defines,
                             choice->define_count);
    if (query || result) return result;
    memset(&work, 0, sizeof work);
    padici_gpu_wave_observe_params(desc, psi->now.at, out->now.at, &k);
    work.defines = choice->defines;
    work.define_count = choice->define_count;
    work.mem[0] = psi->now.mem;
    work.mem[1] = out->now.mem;
    return padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_OBSERVE, 2,
                                         (uint64_t)k.n * 128 / choice->number, &k, sizeof k);
}

// wave_flux

static void padici_gpu_wave_flux_params(const padic_wave_flux_desc *desc, uint64_t at, uint64_t by,
                                        uint64_t to, padici_k_vortex_flux_params *k)
{
    const uint32_t rank = desc->gradient.rank;
    int64_t stride[3][PADIC_MAX_RANK];
    uint32_t i;
    memset(k, 0, sizeof *k);
    memset(stride, 0, sizeof stride);
    padici_tensor_dense(&desc->psi, stride[0]);
    padici_tensor_dense(&desc->gradient, stride[1]);
    padici_tensor_dense(&desc->out, stride[2]);
    k->n = (uint32_t)padic_tensor_count(&desc->gradient);
    k->axes = rank;
    k->base = (uint32_t)(at / 4);
    k->by_base = (uint32_t)(by / 4);
    k->to_base = (uint32_t)(to / 4);
    k->scale = (float)(desc->scale != 0 ? desc->scale : 1);
    for (i = 0; i < rank; i++) { // the fastest first
        k->extent[i] = (uint32_t)desc->gradient.shape[rank - 1 - i];
        k->step[i] = 2 * (uint32_t)stride[0][rank - 1 - i];
        k->by_step[i] = 2 * (uint32_t)stride[1][rank - 1 - i];
        k->to_step[i] = (uint32_t)stride[2][rank - 1 - i];
    }
}

PADICI_FN padic_result padici_gpu_wave_flux(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_flux_desc *desc = &call->desc->wave_flux;
    const padici_operand *o = call->operands;
    padici_k_vortex_flux_params k;
    padici_gpu_work work;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_gpu_wave_words(&o[0]) || !padici_gpu_wave_words(&o[1]) ||
        !padici_gpu_wave_words(&o[2]) || padic_tensor_count(&desc->gradient) >> 31 ||
        (desc->scale != 0 && !padici_gpu_wave_vortex_normal(desc->scale)))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_FLUX, NULL, 0);
    if (query || result || !padic_tensor_count(&desc->gradient)) return result;
    memset(&work, 0, sizeof work);
    padici_gpu_wave_flux_params(desc, o[0].now.at, o[1].now.at, o[2].now.at, &k);
    work.mem[0] = o[0].now.mem;
    work.mem[1] = o[1].now.mem;
    work.mem[2] = o[2].now.mem;
    return padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_FLUX, 3, k.n, &k,
                                         sizeof k);
}

// wave_tonemap, and pixels of line vortices

PADICI_FN int padici_gpu_wave_vortex_normal(double x)
{
    return fabs(x) > 1e-30 && fabs(x) < 1e30;
}

// 0 for a range so narrow that v in f32 would be wrong by half a byte or more.
PADICI_FN int padici_gpu_wave_vortex_tone_begin(const padic_wave_tone *tone,
                                                padici_gpu_wave_vortex_tone *t)
{
    static const uint8_t none[4] = {0, 0, 0, 0}, magenta[4] = {255, 0, 255, 255};
    const uint8_t *bad = memcmp(tone->nan_colour, none, 4) ? tone->nan_colour : magenta;
    double low, high, span;
    padici_wave_tone_range(tone, &low, &high);
    span = tone->curve == PADIC_WAVE_CURVE_LOG ? log(1 + high / low) : high - low;
    if ((low != 0 && !padici_gpu_wave_vortex_normal(low)) ||
        (high != 0 && !padici_gpu_wave_vortex_normal(high)))
        return 0;
    if (tone->curve == PADIC_WAVE_CURVE_LINEAR && span < 3e-4 * (fabs(low) + fabs(high))) return 0;
    if (tone->curve == PADIC_WAVE_CURVE_LOG && !(span > 3e-4)) return 0;
    t->tone = (uint32_t)tone->value | (uint32_t)tone->curve << 8 | (uint32_t)tone->map << 16;
    t->nan_colour =
        bad[0] | (uint32_t)bad[1] << 8 | (uint32_t)bad[2] << 16 | (uint32_t)bad[3] << 24;
    t->low = (float)low;
    t->high = (float)high;
    t->scale = tone->curve == PADIC_WAVE_CURVE_REINHARD ? 1 : (float)(1 / span);
    return 1;
}

// The f32 of one word of a range, whose order is that of the numbers.
static double padici_gpu_wave_vortex_end(uint32_t order)
{
    const uint32_t bits = order >> 31 ? order & 0x7fffffffu : ~order;
    float f;
    memcpy(&f, &bits, 4);
    return (double)f;
}

// `tone` NULL: no pixels.
PADICI_FN padic_result padici_gpu_wave_vortex_extras_begin(padici_gpu *gpu,
                                                           const padic_wave_tone *tone,
                                                           padic_wave_tonemap_report *report,
                                                           padici_gpu_wave_vortex_extras *x)
{
    padic_result result = PADIC_OK;
    memset(x, 0, sizeof *x);
    x->table.block = x->ends.block = PADICI_NO_BLOCK;
    x->report = tone ? report : NULL;
    if (tone && tone->map == PADIC_WAVE_MAP_TABLE) {
        result = padici_gpu_scratch(gpu, 1024, &x->table);
        if (!result) result = padici_gpu_upload(gpu, x->table.mem, 0, tone->table, 1024);
    }
    if (!result && x->report) {
        result = padici_gpu_scratch(gpu, 8, &x->ends);
        if (!result) result = padici_target_fill(gpu->context, gpu->target, x->ends.mem, 0, 0, 8);
    }
    return result;
}

PADICI_FN padic_result padici_gpu_wave_vortex_extras_end(padici_gpu *gpu,
                                                         padici_gpu_wave_vortex_extras *x,
                                                         padic_result result)
{
    uint32_t ends[2];
    if (!result && x->report) {
        result = padici_gpu_download(gpu, x->ends.mem, 0, ends, 8);
        if (!result) {
            x->report->smallest = ends[0] ? padici_gpu_wave_vortex_end(~ends[0]) : 0;
            x->report->largest = ends[1] ? padici_gpu_wave_vortex_end(ends[1]) : 0;
        }
    }
    padici_gpu_scratch_end(gpu, &x->ends);
    padici_gpu_scratch_end(gpu, &x->table);
    return result;
}

// A tensor of the pixels without their last axis.
static padic_tensor padici_gpu_wave_vortex_pixels(const padic_tensor *out, uint32_t *last)
{
    int64_t stride[PADIC_MAX_RANK];
    padic_tensor t = *out;
    uint32_t i;
    padici_tensor_dense(out, stride);
    t.rank = out->rank - 1;
    for (i = 0; i < t.rank; i++) t.stride[i] = stride[i];
    *last = (uint32_t)stride[t.rank];
    return t;
}

static int padici_gpu_wave_tonemap_params(const padic_wave_tonemap_desc *desc, uint64_t at,
                                          uint64_t to, padici_k_vortex_tonemap_params *k)
{
    padici_gpu_wave_vortex_tone tone;
    padici_gpu_wave_vortex_view v;
    padic_tensor pixels;
    memset(k, 0, sizeof *k);
    if (!padici_gpu_wave_vortex_tone_begin(&desc->tone, &tone)) return 0;
    pixels = padici_gpu_wave_vortex_pixels(&desc->out, &k->to_last);
    k->real = desc->field.dtype == PADIC_F32;
    padici_gpu_wave_vortex_axes(&desc->field, k->real ? 1 : 2, &pixels, 1, &v);
    k->n = (uint32_t)padic_tensor_count(&desc->field);
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    k->to_base = (uint32_t)to;
    k->ranged = desc->report != NULL;
    k->tone = tone.tone;
    k->nan_colour = tone.nan_colour;
    k->low = tone.low;
    k->high = tone.high;
    k->scale = tone.scale;
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
    memcpy(k->to_step, v.to_step, sizeof v.to_step);
    return 1;
}

PADICI_FN padic_result padici_gpu_wave_tonemap(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_tonemap_desc *desc = &call->desc->wave_tonemap;
    const padici_operand *field = &call->operands[0], *out = &call->operands[1];
    padici_k_vortex_tonemap_params k;
    padici_gpu_wave_vortex_extras extras;
    padici_gpu_work work;
    padic_result result;
    if ((desc->field.dtype != PADIC_C64 && desc->field.dtype != PADIC_F32) ||
        !padici_gpu_wave_words(field) || (out->home.at + out->bytes) >> 32 ||
        padic_tensor_count(&desc->field) >> 31 ||
        !padici_gpu_wave_tonemap_params(desc, field->now.at, out->now.at, &k))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_TONEMAP, NULL, 0);
    if (query || result) return result;
    memset(&work, 0, sizeof work);
    result = padici_gpu_wave_vortex_extras_begin(gpu, &desc->tone, desc->report, &extras);
    work.mem[0] = field->now.mem;
    work.mem[1] = extras.table.mem.bits ? extras.table.mem : field->now.mem;
    work.mem[2] = out->now.mem;
    work.mem[3] = k.ranged ? extras.ends.mem : out->now.mem;
    if (!result)
        result = padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_TONEMAP, 4, k.n, &k,
                                               sizeof k);
    return padici_gpu_wave_vortex_extras_end(gpu, &extras, result);
}

#endif
