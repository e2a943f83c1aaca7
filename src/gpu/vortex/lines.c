#include "lines.h"
#include "../../core/view.h"
#include "../../wave/source.h"
#include "../../wave/vortex.h"
#include "../launch.h"
#include "../variants.h"
#include "../wave/plan.h"
#include "axes.h"
#include "pixels.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Line vortices in a field: wave_vortex.

typedef struct padici_gpu_wave_vortex_state {
    const padic_wave_vortex_desc *desc;
    const padici_operand *inputs[PADICI_WAVE_VORTEX_INPUTS], *out;
    padici_k_vortex_field_params k;
    padici_gpu_block records;
    padici_gpu_wave_vortex_extras extras;
} padici_gpu_wave_vortex_state;

// The coordinates of a grid's points in two words; 0 where f32 does not suffice.
static int padici_gpu_wave_vortex_grid(const padic_wave_vortex_desc *desc,
                                       padici_k_vortex_field_params *k)
{
    double step[3][3];
    uint32_t i, j;
    padici_wave_steps(&desc->grid, step);
    for (i = 0; i < 3; i++) {
        const double origin = desc->grid.origin[i];
        if (origin != 0 && !padici_gpu_wave_vortex_normal(origin)) return 0;
        padici_gpu_wave_two(origin, &k->origin[2 * i]);
        for (j = 0; j < 3; j++) {
            if (step[i][j] != 0 && !padici_gpu_wave_vortex_normal(step[i][j])) return 0;
            padici_gpu_wave_two(step[i][j], &k->step[6 * i + 2 * j]);
        }
        if (k->count[i] >> 24) return 0; // coordinates are exact in f32
    }
    return 1;
}

static int padici_gpu_wave_vortex_params(const padic_wave_vortex_desc *desc,
                                         padici_k_vortex_field_params *k)
{
    padic_wave_superpose_desc field;
    padici_gpu_wave_vortex_tone tone;
    padici_wave_job job;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(k, 0, sizeof *k);
    memset(&tone, 0, sizeof tone);
    padici_wave_vortex_field(desc, &field);
    padici_wave_job_begin(&job, &field);
    if (desc->output == PADIC_WAVE_OUTPUT_RGBA8 &&
        !padici_gpu_wave_vortex_tone_begin(&desc->tone, &tone))
        return 0;
    if (job.points >> 31 || desc->centres.shape[0] >> 24) return 0;
    k->points = (uint32_t)job.points;
    k->lines = (uint32_t)desc->centres.shape[0];
    k->core = (uint32_t)desc->core;
    k->listed = desc->points.dtype != PADIC_DTYPE_NONE;
    k->created = desc->psi.dtype == PADIC_DTYPE_NONE;
    k->ranged = desc->output == PADIC_WAVE_OUTPUT_RGBA8 && desc->report;
    k->output = (uint32_t)desc->output;
    k->tone = tone.tone;
    k->nan_colour = tone.nan_colour;
    k->low = tone.low;
    k->high = tone.high;
    k->scale = tone.scale;
    padici_tensor_dense(&desc->psi, stride);
    for (i = 0; i < 3; i++) {
        k->count[i] = (uint32_t)job.count[i];
        k->out_step[i] = (uint32_t)job.stride[i];
        if (!k->created && i < desc->psi.rank) k->psi_step[i] = 2 * (uint32_t)stride[i];
    }
    k->out_last = (uint32_t)job.stride[3];
    if (!k->listed) return padici_gpu_wave_vortex_grid(desc, k);
    k->list_wide = desc->points.dtype == PADIC_F64;
    k->list_dimensions = (uint32_t)desc->points.shape[1];
    k->list_step = (uint32_t)job.point_stride[0] << k->list_wide;
    k->list_axis = (uint32_t)job.point_stride[1] << k->list_wide;
    return 1;
}

static int padici_gpu_wave_vortex_begin(padici_gpu_wave_vortex_state *w, const padici_call *call)
{
    const padic_wave_vortex_desc *desc = &call->desc->wave_vortex;
    const padic_tensor *tensors[PADICI_WAVE_VORTEX_INPUTS];
    uint32_t i, j;
    memset(w, 0, sizeof *w);
    w->desc = desc;
    tensors[0] = &desc->points;
    tensors[1] = &desc->centres;
    tensors[2] = &desc->axes;
    tensors[3] = &desc->charges;
    tensors[4] = &desc->cores;
    tensors[5] = &desc->psi;
    for (i = 0; i < call->operand_count; i++)
        for (j = 0; j < PADICI_WAVE_VORTEX_INPUTS; j++)
            if (call->operands[i].tensor == tensors[j]) w->inputs[j] = &call->operands[i];
    w->out = padici_gpu_wave_operand(call, &desc->out);
    if (desc->out.dtype != PADIC_C64 && desc->out.dtype != PADIC_F32 &&
        desc->out.dtype != PADIC_U8)
        return 0;
    if (desc->psi.dtype == PADIC_C128) return 0;
    for (i = 0; i < PADICI_WAVE_VORTEX_INPUTS; i++) {
        if (!padici_gpu_wave_words(w->inputs[i])) return 0;
        // Device memory is checked where it can be read.
        if (w->inputs[i] && !w->inputs[i]->home.host &&
            (desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE))
            return 0;
    }
    if ((w->out->home.at + w->out->bytes) >> 32) return 0;
    if (!w->out->home.host && w->out->home.at % padic_dtype_size(desc->out.dtype)) return 0;
    return padici_gpu_wave_vortex_params(desc, &w->k);
}

// 1 if all numbers in host memory are 0 or fit in two words of f32.
static int padici_gpu_wave_vortex_reach(const padici_operand *o)
{
    const padic_tensor *t = o ? o->tensor : NULL;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i, j, rows, columns;
    if (!t || !t->data || t->dtype != PADIC_F64) return 1;
    padici_tensor_dense(t, stride);
    rows = t->rank ? t->shape[0] : 1;
    columns = t->rank > 1 ? t->shape[1] : 1;
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) {
            double x;
            memcpy(&x,
                   (const char *)t->data + 8 * ((int64_t)i * stride[0] + (int64_t)j * stride[1]),
                   8);
            if (x != 0 && !padici_gpu_wave_vortex_normal(x)) return 0;
        }
    return 1;
}

static padic_result padici_gpu_wave_vortex_lines(padici_gpu *gpu, padici_gpu_wave_vortex_state *w)
{
    padici_k_vortex_lines_params k;
    padici_gpu_work work;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.count = w->k.lines;
    k.dimensions = (uint32_t)w->desc->centres.shape[1];
    k.core = w->k.core;
    for (i = 0; i < 4; i++) {
        const padici_operand *o = w->inputs[i + 1];
        uint32_t wide;
        work.mem[i] = o && o->bytes ? o->now.mem : w->records.mem;
        if (!o) continue;
        wide = o->tensor->dtype == PADIC_F64;
        padici_tensor_dense(o->tensor, stride);
        k.present |= 1u << i;
        k.wide |= wide << i;
        k.base[i] = (uint32_t)(o->now.at / 4);
        k.step[i] = o->tensor->rank ? (uint32_t)stride[0] << wide : 0;
        if (i == 0) k.centre_axis = (uint32_t)stride[1] << wide;
        if (i == 1) k.axis_axis = (uint32_t)stride[1] << wide;
    }
    work.mem[4] = w->records.mem;
    return padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_LINES, 5, k.count, &k,
                                         sizeof k);
}

static padic_result padici_gpu_wave_vortex_field(padici_gpu *gpu, padici_gpu_wave_vortex_state *w)
{
    const uint64_t most = PADICI_WAVE_VORTEX_PAIRS / (w->k.lines + 1u) + 1;
    const uint32_t points = w->k.points;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    memset(&work, 0, sizeof work);
    work.mem[0] = work.mem[1] = work.mem[2] = work.mem[3] = w->records.mem;
    if (w->inputs[0]) {
        work.mem[0] = w->inputs[0]->now.mem;
        w->k.list_base = (uint32_t)(w->inputs[0]->now.at / 4);
    }
    if (w->inputs[5]) {
        work.mem[2] = w->inputs[5]->now.mem;
        w->k.psi_base = (uint32_t)(w->inputs[5]->now.at / 4);
    }
    if (w->extras.table.mem.bits) work.mem[3] = w->extras.table.mem;
    work.mem[4] = work.mem[5] = work.mem[6] = w->out->now.mem;
    if (w->k.ranged) work.mem[6] = w->extras.ends.mem;
    w->k.out_base = (uint32_t)(w->out->now.at / padic_dtype_size(w->desc->out.dtype));
    for (w->k.first = 0; w->k.first < points && !result; w->k.first += w->k.points) {
        const uint32_t left = points - w->k.first;
        w->k.points = left < most ? left : (uint32_t)most;
        result = padici_gpu_wave_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_FIELD, 7,
                                               w->k.points, &w->k, sizeof w->k);
    }
    return result;
}

// 1 if f32 can hold positions, cores and the grid, as far as the host can read them.
static int padici_gpu_wave_vortex_held(const padici_call *call)
{
    const padic_wave_vortex_desc *desc = &call->desc->wave_vortex;
    double box[2][3] = {{0, 0, 0}, {0, 0, 0}};
    uint32_t i;
    if (desc->points.dtype == PADIC_DTYPE_NONE) padici_wave_box_grid(&desc->grid, box);
    for (i = 0; i < 6; i++)
        if (!(fabs(box[i / 3][i % 3]) <= 1e30)) return 0;
    return padici_gpu_wave_held(padici_gpu_wave_operand(call, &desc->points), 1e30) &&
           padici_gpu_wave_held(padici_gpu_wave_operand(call, &desc->centres), 1e30) &&
           padici_gpu_wave_held(padici_gpu_wave_operand(call, &desc->cores), 1e30);
}

PADICI_FN padic_result padici_gpu_wave_vortex(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_tone *tone;
    padici_gpu_wave_vortex_state w;
    padic_result result;
    if (!padici_gpu_wave_vortex_begin(&w, call)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query &&
        (!padici_gpu_wave_vortex_reach(w.inputs[0]) || !padici_gpu_wave_vortex_reach(w.inputs[1]) ||
         !padici_gpu_wave_vortex_reach(w.inputs[4])))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_LINES, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_FIELD, NULL, 0);
    if (query || result || !w.k.points) return result;
    if (!padici_gpu_wave_vortex_held(call)) return PADIC_ERROR_NOT_SUPPORTED;
    tone = w.desc->output == PADIC_WAVE_OUTPUT_RGBA8 ? &w.desc->tone : NULL;
    w.records.block = PADICI_NO_BLOCK;
    if (w.desc->report) w.desc->report->smallest = w.desc->report->largest = 0;
    result = padici_gpu_wave_vortex_extras_begin(gpu, tone, w.desc->report, &w.extras);
    if (!result)
        result = padici_gpu_scratch(gpu, (uint64_t)(w.k.lines + 1u) * 4 * PADICI_WAVE_VORTEX_WORDS,
                                    &w.records);
    if (!result && w.k.lines) result = padici_gpu_wave_vortex_lines(gpu, &w);
    if (!result) result = padici_gpu_wave_vortex_field(gpu, &w);
    padici_gpu_scratch_end(gpu, &w.records);
    return padici_gpu_wave_vortex_extras_end(gpu, &w.extras, result);
}

#endif
