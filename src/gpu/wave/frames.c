#include "frames.h"
#include "../../context/messages.h"
#include "../../core/memory.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../../wave/frames.h"
#include "../../wave/source.h"
#include "../launch.h"
#include "../tuner.h"
#include "../variants.h"
#include "field.h"
#include "frames_plan.h"
#include "plan.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Frames: factors, waves, and the driver of wave_frames.

#define PADICI_WAVE_TIMED 4u // frequencies for which every group computes the factors itself

// Factors computed by the host, in parts.
static padic_result padici_gpu_wave_frames_late(padici_gpu *gpu, padici_gpu_wave_frames_state *s)
{
    const uint64_t all = s->job.frames * s->job.groups;
    padic_result result = PADIC_OK;
    float part[256];
    uint64_t i, n;
    uint32_t j;
    for (i = 0; i < all && !result; i += n) {
        n = all - i < 128 ? all - i : 128;
        for (j = 0; j < n; j++) {
            const padici_complex z = padici_wave_frames_factor(
                &s->job, (i + j) / s->job.groups, (i + j) % s->job.groups);
            part[2 * j] = (float)z.re;
            part[2 * j + 1] = (float)z.im;
        }
        result = padici_gpu_upload(gpu, s->factors.mem, 8 * i, part, 8 * n);
    }
    return result;
}

static padic_result padici_gpu_wave_frames_factors(padici_gpu *gpu, padici_gpu_wave_frames_state *s)
{
    padici_k_wave_factors_params k;
    padici_gpu_work work;
    int64_t stride[PADIC_MAX_RANK];
    float two[2];
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    padici_tensor_dense(s->times->tensor, stride);
    k.frames = s->k.frames;
    k.groups = s->k.groups;
    k.wide = s->times->tensor->dtype == PADIC_F64;
    k.base = (uint32_t)(s->times->now.at / 4);
    k.step = (uint32_t)stride[0] * (1 + k.wide);
    if (s->late) return padici_gpu_wave_frames_late(gpu, s);
    padici_gpu_wave_two(s->desc.field.time - s->job.base, two);
    k.shift_hi = two[0];
    k.shift_lo = two[1];
    k.sign = s->wave.desc->sign == PADIC_WAVE_SIGN_OUTGOING ? -1.0f : 1.0f;
    if (k.groups <= PADICI_WAVE_TIMED) {
        s->k.timed = 1;
        s->k.rate_base = s->rate_base;
        s->k.factor_base = k.base;
        s->k.factor_step = k.step;
        s->k.factor_axis = 0;
        s->k.factor_wide = k.wide;
        s->k.shift_hi = k.shift_hi;
        s->k.shift_lo = k.shift_lo;
        s->k.sign = k.sign;
        return PADIC_OK;
    }
    work.kernel = PADICI_KERNEL_WAVE_FACTORS;
    work.defines = s->wave.defines;
    work.define_count = s->wave.define_count;
    k.rate_base = s->rate_base;
    work.mem[0] = s->rate_base ? s->ends.mem : s->rates.mem;
    work.mem[1] = s->times->now.mem;
    work.mem[2] = s->factors.mem;
    work.mem_count = 3;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = padici_gpu_groups(gpu, (uint64_t)k.frames * k.groups, 128);
    return padici_gpu_launch(gpu, &work);
}

// Waves of n tiles, their mean, and all frames there.
static padic_result padici_gpu_wave_frames_tiles(padici_gpu *gpu, padici_gpu_wave_frames_state *s,
                                                 uint32_t tile, uint32_t n)
{
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    padici_gpu_wave_work(&s->wave, &work);
    s->wave.k.tile = s->k.tile = tile;
    work.mem[2] = s->ends.mem;
    work.mem[3] = s->waves.mem;
    work.mem[4] = s->wave.report.mem;
    work.groups[0] = n;
    work.groups[1] = s->shares;
    if (s->k.groups) result = padici_gpu_launch(gpu, &work);
    work.params = &s->k;
    work.params_size = sizeof s->k;
    work.mem[0] = s->waves.mem;
    if (!result && s->mean) {
        work.kernel = PADICI_KERNEL_WAVE_MEAN;
        work.mem[1] = s->mean->now.mem;
        work.mem[2] = s->ends.mem;
        work.mem_count = 3;
        work.groups[1] = 1;
        result = padici_gpu_launch(gpu, &work);
    }
    if (result || !s->k.frames) return result;
    work.kernel = PADICI_KERNEL_WAVE_FRAME;
    work.mem[1] = s->wave.records.mem; // without sources no record is read
    if (s->k.groups) work.mem[1] = s->drive ? s->drive->now.mem : s->factors.mem;
    work.mem[2] = s->wave.table.mem.bits ? s->wave.table.mem : s->wave.records.mem;
    work.mem[3] = work.mem[4] = s->wave.out->now.mem;
    work.mem[5] = s->range.mem;
    work.mem[6] = s->ends.mem;
    work.mem[7] = s->wave.records.mem;
    if (s->k.timed) {
        work.mem[1] = s->times->now.mem;
        work.mem[7] = s->rate_base ? s->ends.mem : s->rates.mem;
    }
    work.mem_count = 8;
    work.groups[1] = s->parts;
    return padici_gpu_launch(gpu, &work);
}

static padic_result padici_gpu_wave_frames_results(padici_gpu *gpu, padici_gpu_wave_frames_state *s)
{
    const padic_wave_superpose_desc *desc = s->wave.desc;
    const int ranged = desc->output == PADIC_WAVE_OUTPUT_RGBA8;
    padici_gpu_wave_seen seen;
    padic_result result;
    uint64_t i, n, all = 2 * (uint64_t)s->wave.tiles * s->parts;
    float space[512];
    if (!desc->report) return PADIC_OK;
    result = padici_gpu_wave_reports(gpu, s->wave.report.mem,
                                     s->k.groups ? (uint64_t)s->wave.tiles * s->shares : 0, &seen);
    if (desc->sources.shape[0]) seen.bound += s->cost;
    for (i = 0; i < all && ranged && s->k.frames && !result; i += n) {
        uint64_t j;
        n = all - i < 512 ? all - i : 512;
        result = padici_gpu_download(gpu, s->range.mem, 4 * i, space, 4 * n);
        for (j = 0; j + 1 < n && !result; j += 2) {
            if ((double)space[j] < seen.low) seen.low = (double)space[j];
            if ((double)space[j + 1] > seen.high) seen.high = (double)space[j + 1];
        }
    }
    if (!result) padici_gpu_wave_tell(&s->wave, &seen);
    return result;
}

// `resident`: the device finds the order.
static padic_result padici_gpu_wave_frames_memory(padici_gpu *gpu, padici_gpu_wave_frames_state *s,
                                                  int resident)
{
    padici_gpu_wave *w = &s->wave;
    const uint64_t groups = s->job.groups + 1, tile = 8u * w->each * (uint64_t)w->items;
    padic_result result;
    result = padici_gpu_scratch(gpu, (w->k.sources + UINT64_C(1)) * PADICI_WAVE_RECORD,
                                &w->records);
    if (!result)
        result = padici_gpu_scratch(gpu, 16 * (uint64_t)w->tiles * s->shares, &w->report);
    if (!result) result = padici_gpu_wave_table(gpu, w);
    if (!resident) {
        s->order_base = (uint32_t)groups;
        s->rate_base = (uint32_t)groups + w->k.sources;
        if (!result) result = padici_gpu_scratch(gpu, 12 * groups + 4 * w->k.sources, &s->ends);
    } else {
        if (!result) result = padici_gpu_scratch(gpu, 4 * (w->k.sources + UINT64_C(1)), &s->order);
        if (!result) result = padici_gpu_scratch(gpu, 4 * groups, &s->ends);
        if (!result) result = padici_gpu_scratch(gpu, 8 * groups, &s->rates);
    }
    if (!result && !s->drive && (s->late || s->job.groups > PADICI_WAVE_TIMED))
        result = padici_gpu_scratch(gpu, 8 * groups * (s->job.frames + 1), &s->factors);
    if (!result) result = padici_gpu_scratch(gpu, groups * tile * s->chunk, &s->waves);
    if (!result)
        result = padici_gpu_scratch(gpu, 8 * (uint64_t)w->tiles * (s->parts + 1), &s->range);
    return result;
}

PADICI_FN int padici_example_wave_frames(padici_any_desc *desc, uint32_t size_class)
{
    static const uint64_t points[4] = {64, 512, 4096, 32768}, frames[4] = {32, 64, 128, 256};
    padic_wave_frames_desc *d = &desc->wave_frames;
    if (size_class > 3) return 0;
    d->field.points = padic_tensor_2d(PADIC_F32, NULL, points[size_class], 3);
    d->field.sources = padic_tensor_2d(PADIC_F32, NULL, 16, 3);
    d->field.frequency = padic_tensor_1d(PADIC_F32, NULL, 16);
    d->times = padic_tensor_1d(PADIC_F32, NULL, frames[size_class]);
    d->field.out = padic_tensor_2d(PADIC_C64, NULL, frames[size_class], points[size_class]);
    return 1;
}

// Prepares everything but the blocks, which are set to none.
static padic_result padici_gpu_wave_frames_run(padici_gpu *gpu, padici_gpu_wave_frames_state *s)
{
    const uint32_t tiles = s->wave.tiles;
    const int resident = padici_gpu_wave_frames_resident(s);
    double rate = 0;
    uint32_t tile;
    uint64_t i;
    padic_result result = PADIC_OK;
    if (!resident) {
        result = padici_gpu_wave_frames_sort(gpu, s);
    } else {
        s->job.frames = s->wave.out ? s->desc.field.out.shape[0] : 0;
        s->job.groups = s->wave.k.sources; // at most
        s->job.one.time = 0;
    }
    if (result) return result;
    if (!padici_gpu_wave_all_held(&s->wave)) return PADIC_ERROR_NOT_SUPPORTED;
    if ((s->job.frames + 3) / 4 > 65535u * 256u || s->job.groups >> 24 ||
        (!s->drive && s->job.frames * s->job.groups >> 30))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < s->job.groups && !resident; i++)
        if (fabs(s->job.rates[i].frequency) > rate) rate = fabs(s->job.rates[i].frequency);
    rate *= s->job.speed * (s->job.largest + fabs(s->job.base)) / PADICI_TWO_PI; // turns
    s->late = rate > 1000 && !s->drive;
    s->cost = 3e-8 + s->job.merged + (s->late ? 0 : 5e-14 * rate);
    padici_gpu_wave_frames_cut(gpu, s);
    padici_gpu_wave_frames_params(s);
    result = padici_gpu_wave_frames_memory(gpu, s, resident);
    if (!result)
        result =
            resident ? padici_gpu_wave_frames_order(gpu, s) : padici_gpu_wave_frames_upload(gpu, s);
    if (!result && s->wave.k.sources)
        result = padici_gpu_wave_sources(gpu, &s->wave, resident ? s->order.mem : s->ends.mem,
                                         s->order_base);
    if (!result && s->k.frames && s->k.groups && !s->drive)
        result = padici_gpu_wave_frames_factors(gpu, s);
    for (tile = 0; tile < tiles && !result; tile += s->chunk)
        result = padici_gpu_wave_frames_tiles(gpu, s, tile,
                                              tiles - tile < s->chunk ? tiles - tile : s->chunk);
    return result ? result : padici_gpu_wave_frames_results(gpu, s);
}

static padic_result padici_gpu_wave_frames_need(padici_gpu *gpu, const padici_gpu_wave *w)
{
    static const uint32_t kernels[7] = {PADICI_KERNEL_WAVE_SOURCES, PADICI_KERNEL_WAVE_FIELD,
                                        PADICI_KERNEL_WAVE_FACTORS, PADICI_KERNEL_WAVE_FRAME,
                                        PADICI_KERNEL_WAVE_MEAN, PADICI_KERNEL_WAVE_RANK,
                                        PADICI_KERNEL_WAVE_ENDS};
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < 7 && !result; i++)
        result = padici_gpu_need(gpu, kernels[i], w->defines, w->define_count);
    return result;
}

static padic_result padici_gpu_wave_frames_begin(padici_gpu *gpu, padici_gpu_wave_frames_state *s,
                                                 const padici_call *call)
{
    const padic_wave_frames_desc *desc = &call->desc->wave_frames;
    const int checked = (desc->field.flags & PADIC_WAVE_FLAG_CHECK_FINITE) != 0;
    memset(s, 0, sizeof *s);
    s->desc = *desc;
    s->times = padici_gpu_wave_operand(call, &desc->times);
    s->drive = padici_gpu_wave_operand(call, &desc->drive);
    s->mean = padici_gpu_wave_operand(call, &desc->mean_intensity);
    padici_wave_frames_one(desc, &s->job.one, &s->job.frame_stride);
    if ((s->mean && s->mean->tensor->dtype == PADIC_F64) ||
        !padici_gpu_wave_words(s->times) || !padici_gpu_wave_words(s->drive) ||
        !padici_gpu_wave_reached(s->mean) || (checked && s->times && !s->times->home.host) ||
        !padici_gpu_wave_begin(gpu, &s->wave, call, &desc->field, &s->job.one,
                               PADICI_WAVE_FRAMES))
        return PADIC_ERROR_NOT_SUPPORTED;
    s->wave.records.block = s->wave.report.block = s->wave.table.block = PADICI_NO_BLOCK;
    s->order.block = s->ends.block = s->rates.block = s->factors.block = PADICI_NO_BLOCK;
    s->waves.block = s->range.block = PADICI_NO_BLOCK;
    return padici_gpu_wave_frames_need(gpu, &s->wave);
}

// c64, f32 and u8; sources of a frequency are summed once, into waves in scratch.
PADICI_FN padic_result padici_gpu_wave_frames(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    padici_gpu_wave_frames_state *s =
        (padici_gpu_wave_frames_state *)padici_alloc(allocator, sizeof *s, 64);
    padic_result result;
    if (!s) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_wave_frames_begin(gpu, s, call);
    if (!result)
        s->spread = padici_gpu_choose(gpu, &padici_tunable_wave_frames,
                                      s->wave.out ? padic_tensor_count(s->wave.out->tensor) : 0)
                        ->number;
    if (!result && !query && s->wave.k.points) {
        result = padici_gpu_wave_frames_run(gpu, s);
        padici_gpu_scratch_end(gpu, &s->range);
        padici_gpu_scratch_end(gpu, &s->waves);
        padici_gpu_scratch_end(gpu, &s->factors);
        padici_gpu_scratch_end(gpu, &s->rates);
        padici_gpu_scratch_end(gpu, &s->ends);
        padici_gpu_scratch_end(gpu, &s->order);
        padici_gpu_scratch_end(gpu, &s->wave.table);
        padici_gpu_scratch_end(gpu, &s->wave.report);
        padici_gpu_scratch_end(gpu, &s->wave.records);
        if (s->job.rates) padici_free(allocator, s->job.rates, (size_t)s->rate_bytes);
        if (s->copies) padici_free(allocator, s->copies, (size_t)s->copy_bytes);
    }
    padici_free(allocator, s, sizeof *s);
    return result;
}

#undef PADICI_WAVE_TIMED

#endif
