#include "frames_plan.h"
#include "../../context/cpu.h"
#include "../../context/messages.h"
#include "../../core/memory.h"
#include "../../core/view.h"
#include "../../wave/source.h"
#include "../launch.h"
#include "field.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// The plan of frames: sources grouped by frequency, waves in the available memory.

#define PADICI_WAVE_ROOM (UINT64_C(1) << 27) // bytes of waves at a time

// Makes an operand's elements visible to `to` in host memory; `copies` has room if they lie
// elsewhere.
static padic_result padici_gpu_wave_frames_see(padici_gpu *gpu, const padici_operand *o,
                                               padic_tensor *to, char **copies)
{
    char *at = *copies;
    padic_mem mem;
    if (!o || !o->bytes) return PADIC_OK;
    if (o->home.host) {
        to->data = padici_mem_at(o->home.mem, o->home.at);
        return PADIC_OK;
    }
    mem = o->now.mem;
    *copies += (o->bytes + 15) & ~UINT64_C(15);
    to->data = at + o->before;
    return padici_gpu_download(gpu, mem, o->now.at - o->before, at, o->bytes);
}

// Times and frequencies in host memory, and the grouped sources.
PADICI_FN padic_result padici_gpu_wave_frames_sort(padici_gpu *gpu, padici_gpu_wave_frames_state *s)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    padic_wave_superpose_desc *field = &s->desc.field;
    const int rated = field->frequency.dtype != PADIC_DTYPE_NONE;
    const padici_operand *of = rated ? s->wave.inputs[5] : s->wave.inputs[4];
    padic_result result;
    char *at;
    s->copy_bytes = 64 + (of ? of->bytes : 0) + (s->times ? s->times->bytes : 0);
    s->copies = at = (char *)padici_alloc(allocator, (size_t)s->copy_bytes, 16);
    if (!s->copies) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result =
        padici_gpu_wave_frames_see(gpu, of, rated ? &field->frequency : &field->wavenumber, &at);
    if (!result) result = padici_gpu_wave_frames_see(gpu, s->times, &s->desc.times, &at);
    if (result) return result;
    padici_wave_frames_begin(&s->job, &s->desc);
    result = padici_wave_frames_sorted(&s->job, allocator, &s->rate_bytes);
    if (result) return padici_fail_here(gpu->context, result, "out of host memory");
    return PADIC_OK;
}

// Ends of frequencies, rows of sources by frequency, and these: the kernels' data of groups.
PADICI_FN padic_result padici_gpu_wave_frames_upload(padici_gpu *gpu,
                                                     padici_gpu_wave_frames_state *s)
{
    const uint64_t m = s->wave.k.sources, n = s->job.groups, bytes = 4 * (n + 1 + m + 2 * n);
    uint32_t *words = (uint32_t *)padici_alloc(&gpu->context->allocator, (size_t)bytes, 16);
    padic_result result;
    uint64_t i;
    if (!words) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    words[n] = (uint32_t)n;
    for (i = 0; i < m; i++) words[s->order_base + i] = (uint32_t)s->job.rates[i].source;
    for (i = 0; i < n; i++) {
        float two[2];
        words[i] = (uint32_t)s->job.ends[i];
        padici_gpu_wave_two(s->job.rates[i].frequency * s->job.speed / PADICI_TWO_PI, two);
        memcpy(words + s->rate_base + 2 * i, two, 8);
    }
    result = padici_gpu_upload(gpu, s->ends.mem, 0, words, bytes);
    padici_free(&gpu->context->allocator, words, (size_t)bytes);
    return result;
}

// The same on the device, from its own data.
PADICI_FN padic_result padici_gpu_wave_frames_order(padici_gpu *gpu,
                                                    padici_gpu_wave_frames_state *s)
{
    const padici_gpu_wave *w = &s->wave;
    const padici_operand *of = w->inputs[5] ? w->inputs[5] : w->inputs[4];
    const double speed = w->inputs[5] ? 1 : w->desc->speed > 0 ? w->desc->speed : 1;
    padici_k_wave_order_params k;
    padici_gpu_work work;
    padic_result result;
    float two[2];
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.count = w->k.sources;
    k.driven = s->drive != NULL;
    work.mem[0] = w->records.mem;
    if (!s->drive) {
        int64_t stride[PADIC_MAX_RANK];
        padici_tensor_dense(of->tensor, stride);
        k.wide = of->tensor->dtype == PADIC_F64;
        k.base = (uint32_t)(of->now.at / 4);
        k.step = of->tensor->rank ? (uint32_t)stride[0] * (1 + k.wide) : 0;
        work.mem[0] = of->now.mem;
    }
    padici_gpu_wave_two(speed / PADICI_TWO_PI, two);
    k.scale_hi = two[0];
    k.scale_lo = two[1];
    work.kernel = PADICI_KERNEL_WAVE_RANK;
    work.defines = w->defines;
    work.define_count = w->define_count;
    work.mem[1] = s->order.mem;
    work.mem_count = 2;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (k.count + w->items - 1) / w->items;
    result = padici_gpu_launch(gpu, &work);
    if (result) return result;
    work.kernel = PADICI_KERNEL_WAVE_ENDS;
    work.mem[2] = s->ends.mem;
    work.mem[3] = s->rates.mem;
    work.mem_count = 4;
    work.groups[0] = 1;
    return padici_gpu_launch(gpu, &work);
}

#define PADICI_WAVE_ORDERED 8192u // sources that the device sorts by frequency

// 1 if the host needs no frequency and no time, so that the call can be recorded: all possible
// waves fit the memory at once.
PADICI_FN int padici_gpu_wave_frames_resident(const padici_gpu_wave_frames_state *s)
{
    const padici_gpu_wave *w = &s->wave;
    const padici_operand *of = w->inputs[5] ? w->inputs[5] : w->inputs[4];
    const uint64_t tile = w->each * (uint64_t)w->items;
    if (s->desc.merge_turns > 0 || !w->k.sources || w->k.sources > PADICI_WAVE_ORDERED ||
        8 * tile * w->tiles * w->k.sources > PADICI_WAVE_ROOM)
        return 0;
    return s->drive || (!w->desc->report && of && of->bytes && !of->home.host);
}

// Splits the work: waves of `chunk` tiles fit their memory.
PADICI_FN void padici_gpu_wave_frames_cut(const padici_gpu *gpu, padici_gpu_wave_frames_state *s)
{
    const padici_gpu_wave *w = &s->wave;
    const uint64_t points = w->each * (uint64_t)w->items;
    const uint64_t groups = s->job.groups ? s->job.groups : 1;
    const uint64_t units = gpu->tested                ? 1 // items must process several in a test
                           : gpu->info->compute_units ? gpu->info->compute_units
                                                      : 16;
    const uint64_t quads = (s->job.frames + 3) / 4;
    const uint64_t most = padici_gpu_wave_most(gpu);
    uint64_t chunk = PADICI_WAVE_ROOM / (8 * points * groups), share;
    if (chunk > most / (points * (w->k.sources + 1u)))
        chunk = most / (points * (w->k.sources + 1u));
    if (chunk > most / (points * groups * (s->job.frames + 1)))
        chunk = most / (points * groups * (s->job.frames + 1));
    if (chunk > w->tiles) chunk = w->tiles;
    s->chunk = chunk ? (uint32_t)chunk : 1;
    share = groups * s->chunk / (units * 16); // frequencies per group of items
    if (share < 1) share = 1;
    if (share < (groups + 65534) / 65535) share = (groups + 65534) / 65535;
    s->wave.k.share = (uint32_t)share;
    s->wave.k.groups = (uint32_t)s->job.groups;
    s->shares = (uint32_t)((groups + share - 1) / share);
    share = quads * s->chunk / (units * s->spread); // frames per group, in fours
    if (share < 1) share = 1;
    if (share < (quads + 65534) / 65535) share = (quads + 65534) / 65535;
    s->k.each = (uint32_t)(4 * share);
    s->parts = (uint32_t)((quads + share - 1) / share);
}

PADICI_FN void padici_gpu_wave_frames_params(padici_gpu_wave_frames_state *s)
{
    const padici_gpu_wave *w = &s->wave;
    padici_k_wave_frame_params *k = &s->k;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    k->points = w->k.points;
    k->groups = (uint32_t)s->job.groups;
    k->frames = (uint32_t)s->job.frames;
    memcpy(k->count, w->k.count, sizeof k->count);
    memcpy(k->tiles, w->k.tiles, sizeof k->tiles);
    memcpy(k->log, w->k.log, sizeof k->log);
    k->factor_step = 2 * k->groups;
    k->factor_axis = 2;
    if (s->drive) {
        const uint32_t words = s->drive->tensor->dtype == PADIC_C128 ? 2 : 1;
        padici_tensor_dense(s->drive->tensor, stride);
        k->factor_base = (uint32_t)(s->drive->now.at / 4);
        k->factor_step = (uint32_t)stride[0] * 2 * words;
        k->factor_axis = (uint32_t)stride[1] * 2 * words;
        k->factor_wide = words - 1;
    }
    memcpy(k->out_step, w->k.out_step, sizeof k->out_step);
    k->ranged = w->desc->output == PADIC_WAVE_OUTPUT_RGBA8 && w->desc->report;
    k->out_last = w->k.out_last;
    k->out_frame = (uint32_t)s->job.frame_stride;
    if (w->out)
        k->out_base = (uint32_t)(w->out->now.at / padic_dtype_size(w->desc->out.dtype));
    k->output = w->k.output;
    k->tone = w->k.tone;
    k->nan_colour = w->k.nan_colour;
    k->low = w->k.low;
    k->high = w->k.high;
    k->scale = w->k.scale;
    if (!s->mean) return;
    padici_tensor_dense(s->mean->tensor, stride);
    k->mean_base = (uint32_t)(s->mean->now.at / 4);
    for (i = 0; i < 3; i++)
        k->mean_step[i] = w->order[i] < s->mean->tensor->rank && (!w->listed || !i)
                              ? (uint32_t)stride[w->order[i]]
                              : 0;
}

#undef PADICI_WAVE_ROOM
#undef PADICI_WAVE_ORDERED

#endif
