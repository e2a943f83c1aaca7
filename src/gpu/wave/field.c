#include "field.h"
#include "../../core/view.h"
#include "../../wave/source.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// A field: records of its sources, launches over its points, the counts of the tiles.

// speed t/2pi in four words of 24 bits: the integers of both times 256 digits of 1/2pi, truncated
// at the top.
static void padici_gpu_wave_late(double t, double speed, float to[4])
{
    uint64_t x[6];
    int32_t power = -256, at;
    uint32_t i;
    for (i = 0; i < 6; i++) x[i] = i < 4 ? padici_wave_digits(256 + 64 * (3 - i)) : 0;
    power += padici_wave_multiply(x, 6, t);
    power += padici_wave_multiply(x, 6, speed);
    for (at = 383; at > 128 && !(x[at / 64] >> at % 64 & 1); at--) {
    }
    for (i = 0; i < 4; i++) {
        uint32_t word = 0;
        int32_t j;
        for (j = 0; j < 24; j++, at--) word = word << 1 | (uint32_t)(x[at / 64] >> at % 64 & 1);
        to[i] = (float)ldexp(t < 0 ? -(double)word : (double)word, power + at + 1);
    }
}

// The kernels' data of sources; buffers of them in mem[0] to mem[5].
PADICI_FN void padici_gpu_wave_given(const padici_gpu_wave *w, padici_k_wave_sources_params *k,
                                     padic_mem none, padic_mem *mem)
{
    const double speed = w->desc->speed > 0 ? w->desc->speed : 1;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    float two[2];
    memset(k, 0, sizeof *k);
    k->count = w->k.sources;
    k->dimensions = (uint32_t)w->desc->sources.shape[1];
    for (i = 0; i < 6; i++) {
        const padici_operand *o = w->inputs[i + 1];
        uint32_t words;
        mem[i] = o && o->bytes ? o->now.mem : none;
        if (!o) continue;
        words = o->tensor->dtype == PADIC_F64 ? 2 : 1;
        padici_tensor_dense(o->tensor, stride);
        k->present |= 1u << i;
        if (words == 2) k->wide |= 1u << i;
        k->base[i] = (uint32_t)(o->now.at / 4);
        k->step[i] = o->tensor->rank ? (uint32_t)stride[0] * words : 0;
        if (!i) k->step_axis = (uint32_t)stride[1] * words;
    }
    padici_gpu_wave_two((w->desc->sign == PADIC_WAVE_SIGN_INCOMING ? w->desc->time
                         : -w->desc->time) /
                            PADICI_TWO_PI,
                        two);
    k->time_hi = two[0];
    k->time_lo = two[1];
    padici_gpu_wave_late(w->desc->sign == PADIC_WAVE_SIGN_INCOMING ? w->desc->time : -w->desc->time,
                         padici_wave_rate_speed(w->desc), k->late);
    padici_gpu_wave_two(speed, two);
    k->speed_hi = two[0];
    k->speed_lo = two[1];
    padici_gpu_wave_two(1 / speed, two);
    k->inverse_hi = two[0];
    k->inverse_lo = two[1];
}

// Records of the sources.
PADICI_FN padic_result padici_gpu_wave_sources(padici_gpu *gpu, padici_gpu_wave *w, padic_mem order,
                                               uint32_t order_base)
{
    padici_k_wave_sources_params k;
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    padici_gpu_wave_given(w, &k, w->records.mem, work.mem);
    k.order_base = order_base;
    work.kernel = PADICI_KERNEL_WAVE_SOURCES;
    work.defines = w->defines;
    work.define_count = w->define_count;
    work.mem[6] = order;
    work.mem[7] = w->records.mem;
    work.mem_count = 8;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = padici_gpu_groups(gpu, k.count, 128);
    return padici_gpu_launch(gpu, &work);
}

// Pairs per launch: tens of milliseconds, and many times what the device runs at once, since the
// last groups of a launch leave most of it idle.
PADICI_FN uint64_t padici_gpu_wave_most(const padici_gpu *gpu)
{
    const uint64_t units = gpu->info->compute_units;
    return (units < 16 ? 16 : units > 128 ? 128 : units) << 30;
}

PADICI_FN void padici_gpu_wave_work(padici_gpu_wave *w, padici_gpu_work *work)
{
    memset(work, 0, sizeof *work);
    work->kernel = PADICI_KERNEL_WAVE_FIELD;
    work->defines = w->defines;
    work->define_count = w->define_count;
    work->mem[0] = w->records.mem;
    if (w->listed) {
        work->mem[0] = w->inputs[0]->now.mem;
        w->k.list_base = (uint32_t)(w->inputs[0]->now.at / 4);
    }
    work->mem[1] = w->records.mem;
    work->mem[2] = w->table.mem.bits ? w->table.mem : w->records.mem;
    work->mem[3] = work->mem[4] = work->mem[6] = w->report.mem;
    if (w->out) {
        work->mem[3] = work->mem[4] = w->out->now.mem;
        w->k.out_base = (uint32_t)(w->out->now.at / padic_dtype_size(w->desc->out.dtype));
    }
    work->mem[5] = w->report.mem;
    work->mem_count = 7;
    work->params = &w->k;
    work->params_size = sizeof w->k;
}

// `slopes`: output of the gradient, or NULL.
static padic_result padici_gpu_wave_field(padici_gpu *gpu, padici_gpu_wave *w,
                                          const padici_operand *slopes)
{
    const uint64_t each = w->each * (uint64_t)w->items * (w->k.sources + 1u);
    const uint64_t most = padici_gpu_wave_most(gpu) / each + 1;
    const uint32_t launches = (uint32_t)((w->tiles + most - 1) / most);
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    padici_gpu_wave_work(w, &work);
    if (slopes) {
        work.mem[6] = slopes->now.mem;
        w->k.slope_base = (uint32_t)(slopes->now.at / 8);
    }
    for (w->k.tile = 0; w->k.tile < w->tiles && !result; w->k.tile += work.groups[0]) {
        const uint32_t left = w->tiles - w->k.tile, share = (w->tiles + launches - 1) / launches;
        work.groups[0] = left < share ? left : share;
        result = padici_gpu_launch(gpu, &work);
    }
    return result;
}

// The counts of n groups of items.
PADICI_FN padic_result padici_gpu_wave_reports(padici_gpu *gpu, padic_mem report, uint64_t n,
                                               padici_gpu_wave_seen *seen)
{
    uint32_t space[256], j, part;
    uint64_t i;
    seen->coincident = 0;
    seen->bound = 0;
    seen->low = FLT_MAX;
    seen->high = -FLT_MAX;
    for (i = 0; i < n; i += part) {
        padic_result result;
        part = n - i < 64 ? (uint32_t)(n - i) : 64;
        result = padici_gpu_download(gpu, report, 16 * i, space, 16 * (uint64_t)part);
        if (result) return result;
        for (j = 0; j < part; j++) {
            float f[4];
            memcpy(f, space + 4 * j, 16);
            seen->coincident += space[4 * j];
            if ((double)f[1] > seen->bound) seen->bound = (double)f[1];
            if ((double)f[2] < seen->low) seen->low = (double)f[2];
            if ((double)f[3] > seen->high) seen->high = (double)f[3];
        }
    }
    return PADIC_OK;
}

PADICI_FN void padici_gpu_wave_tell(const padici_gpu_wave *w, const padici_gpu_wave_seen *seen)
{
    padic_wave_superpose_report *report = w->desc->report;
    report->coincident = seen->coincident;
    report->error_bound = seen->bound;
    report->smallest = report->largest = 0;
    if (w->desc->output == PADIC_WAVE_OUTPUT_RGBA8)
        padici_wave_range_set(seen->low, seen->high, &report->smallest, &report->largest);
}

// The counts of the tiles, if there is a report.
static padic_result padici_gpu_wave_results(padici_gpu *gpu, const padici_gpu_wave *w)
{
    padici_gpu_wave_seen seen;
    padic_result result;
    if (!w->desc->report) return PADIC_OK;
    result = padici_gpu_wave_reports(gpu, w->report.mem, w->tiles, &seen);
    if (!result) padici_gpu_wave_tell(w, &seen);
    return result;
}

PADICI_FN padic_result padici_gpu_wave_table(padici_gpu *gpu, padici_gpu_wave *w)
{
    padic_result result;
    if (w->desc->output != PADIC_WAVE_OUTPUT_RGBA8 || w->desc->tone.map != PADIC_WAVE_MAP_TABLE)
        return PADIC_OK;
    result = padici_gpu_scratch(gpu, 1024, &w->table);
    if (result) return result;
    return padici_gpu_upload(gpu, w->table.mem, 0, w->desc->tone.table, 1024);
}

// A field, and its gradient if there are slopes.
PADICI_FN padic_result padici_gpu_wave_run(padici_gpu *gpu, padici_gpu_wave *w, int query,
                                           const padici_operand *slopes)
{
    padic_result result =
        padici_gpu_need(gpu, PADICI_KERNEL_WAVE_SOURCES, w->defines, w->define_count);
    if (!result)
        result = padici_gpu_need(gpu, PADICI_KERNEL_WAVE_FIELD, w->defines, w->define_count);
    if (query || result || !w->k.points) return result;
    if (!padici_gpu_wave_all_held(w)) return PADIC_ERROR_NOT_SUPPORTED;
    w->records.block = w->report.block = w->table.block = PADICI_NO_BLOCK;
    result =
        padici_gpu_scratch(gpu, (uint64_t)(w->k.sources + 1u) * PADICI_WAVE_RECORD, &w->records);
    if (!result) result = padici_gpu_scratch(gpu, 16 * (uint64_t)w->tiles, &w->report);
    if (!result) result = padici_gpu_wave_table(gpu, w);
    if (!result && w->k.sources) result = padici_gpu_wave_sources(gpu, w, w->records.mem, 0);
    if (!result) result = padici_gpu_wave_field(gpu, w, slopes);
    if (!result) result = padici_gpu_wave_results(gpu, w);
    padici_gpu_scratch_end(gpu, &w->table);
    padici_gpu_scratch_end(gpu, &w->report);
    padici_gpu_scratch_end(gpu, &w->records);
    return result;
}

#endif
