#include "plan.h"
#include "../tests.h"
#include "../../context/cpu.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../../wave/bound.h"
#include "../../wave/source.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// The plan of a field: what the kernels support, tiles and axes of its points, tones.

PADICI_FN void padici_gpu_wave_defines(const padici_gpu *gpu, padici_gpu_wave *w)
{
    static const char *const kernels[5] = {"PD_WAVE_KERNEL=0", "PD_WAVE_KERNEL=1",
                                           "PD_WAVE_KERNEL=2", "PD_WAVE_KERNEL=3",
                                           "PD_WAVE_KERNEL=4"};
    static const char *const soft[6] = {"PD_WAVE_SOFT=0", "PD_WAVE_SOFT=1", "PD_WAVE_SOFT=2",
                                        "PD_WAVE_SOFT=3", "PD_WAVE_SOFT=4", "PD_WAVE_SOFT=5"};
    w->defines[0] = w->listed ? "PD_WAVE_LISTED=1" : "PD_WAVE_LISTED=0";
    w->defines[1] = w->items == 128  ? "PD_WAVE_WG=128"
                    : w->items == 64 ? "PD_WAVE_WG=64"
                                     : "PD_WAVE_WG=32";
    w->defines[2] = kernels[w->desc->kernel];
    w->defines[3] = soft[w->desc->softening];
    w->defines[4] = w->inputs[6] ? "PD_WAVE_ABSORB=1" : "PD_WAVE_ABSORB=0";
    // The accuracy of the hardware's sine is known for NVIDIA's only.
    w->defines[5] =
        strcmp(gpu->target->backend->name, "cuda") ? "PD_WAVE_FAST=0" : "PD_WAVE_FAST=1";
    w->define_count = 6;
    if (w->mode != PADICI_WAVE_PLAIN)
        w->defines[w->define_count++] =
            w->mode == PADICI_WAVE_FRAMES ? "PD_WAVE_MODE=1" : "PD_WAVE_MODE=2";
    if (w->mode == PADICI_WAVE_FRAMES && w->each == 2)
        w->defines[w->define_count++] = "PD_WAVE_POINTS=2";
}

PADICI_FN const padici_operand *padici_gpu_wave_operand(const padici_call *call,
                                                        const padic_tensor *tensor)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].tensor == tensor) return &call->operands[i];
    return NULL;
}

// A view whose elements a kernel reads as words, with 32-bit numbers.
PADICI_FN int padici_gpu_wave_words(const padici_operand *o)
{
    if (!o || !o->bytes) return 1;
    return (o->home.host || !(o->home.at & 3)) && (o->home.at + o->bytes) >> 33 == 0;
}

#define PADICI_WAVE_HELD 1e15 // magnitudes whose squares and products fit f32

// 1 if no number of an operand exceeds `end`, or the host cannot read them.
PADICI_FN int padici_gpu_wave_held(const padici_operand *o, double end)
{
    int64_t stride[PADIC_MAX_RANK];
    double at[3];
    uint64_t i, n;
    padic_tensor t;
    uint32_t most, seen = 0, word;
    const float limit = (float)end;
    if (!o || !o->bytes || !o->home.host) return 1;
    t = *o->tensor;
    t.data = padici_mem_at(o->home.mem, o->home.at);
    padici_tensor_dense(&t, stride);
    if (t.dtype == PADIC_F32 && t.rank == 2 && stride[1] == 1 &&
        stride[0] == (int64_t)t.shape[1]) {
        memcpy(&most, &limit, 4);
        for (i = 0, n = t.shape[0] * t.shape[1]; i < n; i++) {
            memcpy(&word, (const char *)t.data + 4 * i, 4);
            seen |= (word & 0x7fffffffu) > most;
        }
        return !seen;
    }
    for (i = 0, n = t.rank ? t.shape[0] : 1; i < n; i++) {
        if (t.rank == 2) {
            padici_wave_position(&t, stride, i, at);
        } else {
            at[0] = padici_wave_value(&t, i, 0);
            at[1] = at[2] = 0;
        }
        if (fabs(at[0]) > end || fabs(at[1]) > end || fabs(at[2]) > end) return 0;
    }
    return 1;
}

// The same of a field's inputs.
PADICI_FN int padici_gpu_wave_all_held(const padici_gpu_wave *w)
{
    uint32_t i;
    for (i = 0; i < PADICI_WAVE_INPUTS; i++)
        if (!padici_gpu_wave_held(w->inputs[i], i == 3 ? 1e30 : PADICI_WAVE_HELD)) return 0;
    return 1;
}

// The largest k, if the host can read it.
static double padici_gpu_wave_number(const padici_gpu_wave *w)
{
    const padici_operand *o = w->inputs[4] ? w->inputs[4] : w->inputs[5];
    const double speed = w->desc->speed > 0 ? w->desc->speed : 1;
    double most = 0;
    padic_tensor t = *o->tensor;
    uint64_t i, n = padic_tensor_count(&t);
    if (!o->home.host || !o->bytes) return 0;
    t.data = padici_mem_at(o->home.mem, o->home.at);
    for (i = 0; i < n; i++) {
        const double k = fabs(padici_wave_value(&t, i, 0)) / (w->inputs[4] ? 1 : speed);
        if (k > most) most = k;
    }
    return most / PADICI_TWO_PI;
}

// Tiles of 2^log work-items by axis, along the first of which each has `each` points; axis a of the
// kernel is axis order[a] of the grid. Returns half the diagonal of the largest tile.
static double padici_gpu_wave_radius(double step[3][3], const uint32_t order[3],
                                     const uint32_t log[3], uint32_t each)
{
    double longest = 0;
    uint32_t corner, a, j;
    for (corner = 0; corner < 4; corner++) {
        double r2 = 0;
        for (j = 0; j < 3; j++) {
            double x = 0;
            for (a = 0; a < 3; a++) {
                const double half = 0.5 * ((a ? 1u : each) * (double)(1u << log[a]) - 1);
                x += (a && corner >> (a - 1) & 1 ? -half : half) * step[order[a]][j];
            }
            r2 += x * x;
        }
        if (r2 > longest) longest = r2;
    }
    return sqrt(longest);
}

// The shape of tiles of `items`: the one with the least radius of those that waste few points.
static double padici_gpu_wave_shape(const padici_gpu_wave *w, double step[3][3],
                                    const uint32_t order[3], const uint64_t count[3],
                                    uint32_t items, uint32_t log[3], double *radius)
{
    double best = 0;
    uint32_t bits = 0, try_[3];
    while (1u << bits < items) bits++;
    for (try_[0] = 0; try_[0] <= bits; try_[0]++)
        for (try_[1] = 0; try_[0] + try_[1] <= bits; try_[1]++) {
            double cost = 1, h;
            uint32_t a;
            try_[2] = bits - try_[0] - try_[1];
            for (a = 0; a < 3; a++) {
                const uint64_t each = (uint64_t)(a ? 1 : w->each) << try_[a];
                cost *= (double)((count[order[a]] + each - 1) / each * each) /
                        (double)count[order[a]];
            }
            h = padici_gpu_wave_radius(step, order, try_, w->each);
            // Beyond the radius of series or lines, pairs cost several times as much.
            if (w->wavenumber * h * (w->lines ? 3.2e-7 : 3.5e-7) + 6e-8 >
                (w->lines ? 0.8 : 0.55) * (w->desc->tolerance > 0 ? w->desc->tolerance : 2e-6))
                cost *= 4;
            cost *= (1 + 3.0 / items) * (1 + h * w->wavenumber * 1e-3);
            if (w->wavenumber == 0) cost *= h + 1e-30;
            if (best == 0 || cost < best) {
                best = cost;
                *radius = h;
                memcpy(log, try_, sizeof try_);
            }
        }
    return best;
}

// f64 as two f32.
PADICI_FN void padici_gpu_wave_two(double x, float to[2])
{
    to[0] = (float)x;
    to[1] = (float)(x - (double)to[0]);
    if (!(to[1] - to[1] == 0)) to[1] = 0; // Inf
}

// Axes of the grid, the one that is contiguous in `out` first; tiles; all of k that is the grid's.
static int padici_gpu_wave_grid(const padici_gpu *gpu, padici_gpu_wave *w)
{
    static const uint32_t sizes[3] = {128, 64, 32};
    const uint32_t tested = gpu->tested ? padici_gpu_tested(gpu, "PD_WAVE_WG", 64) : 0;
    padici_wave_job job;
    uint32_t order[3] = {0, 1, 2}, log[3] = {0, 0, 0}, i, j, swap;
    double best = 0, radius = 0;
    uint64_t tiles = 1;
    padici_wave_job_begin(&job, w->desc);
    for (i = 0; i < 3; i++) // by stride, axes of one point last
        for (j = i + 1; j < 3; j++) {
            const uint32_t a = order[i], b = order[j];
            if (job.count[b] > 1 && (job.count[a] < 2 || job.stride[b] < job.stride[a])) {
                swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    for (i = 0; i < 3; i++) {
        double r = 0, cost;
        uint32_t shape[3] = {0, 0, 0};
        if (tested ? sizes[i] != tested : w->wavenumber == 0 && sizes[i] > 64)
            continue; // nothing known: not the largest
        cost = padici_gpu_wave_shape(w, job.step, order, job.count, sizes[i], shape, &r);
        if (best == 0 || cost < best) {
            best = cost;
            radius = r;
            w->items = sizes[i];
            memcpy(log, shape, sizeof shape);
        }
    }
    for (i = 0; i < 3; i++) {
        const uint32_t axis = order[i], each = (i ? 1u : w->each) << log[i];
        if (job.count[axis] > 1u << 22) return 0; // tile centres are exact in f32
        w->k.count[i] = (uint32_t)job.count[axis];
        w->k.tiles[i] = (w->k.count[i] + each - 1) / each;
        w->k.log[i] = log[i];
        tiles *= w->k.tiles[i];
        w->k.out_step[i] = job.count[axis] > 1 ? (uint32_t)job.stride[axis] : 0;
        w->order[i] = axis;
        padici_gpu_wave_two(w->desc->grid.origin[i], &w->k.origin[2 * i]);
        for (j = 0; j < 3; j++) padici_gpu_wave_two(job.step[axis][j], &w->k.step[6 * i + 2 * j]);
    }
    w->k.radius = (float)(radius * 1.000001);
    w->tiles = (uint32_t)tiles;
    return tiles < 1u << 24;
}

static int padici_gpu_wave_list(const padici_gpu *gpu, padici_gpu_wave *w)
{
    const padici_operand *o = w->inputs[0];
    const uint32_t words = o->tensor->dtype == PADIC_F64 ? 2 : 1;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t tiles;
    padici_tensor_dense(o->tensor, stride);
    w->items = w->k.points >> 20 ? 128 : padici_gpu_tested(gpu, "PD_WAVE_WG", 64);
    w->k.list_step = (uint32_t)stride[0] * words;
    w->k.list_axis = (uint32_t)stride[1] * words;
    w->k.list_wide = words - 1;
    w->k.list_dimensions = (uint32_t)o->tensor->shape[1];
    padici_tensor_dense(&w->desc->out, stride);
    w->k.out_step[0] = (uint32_t)stride[0];
    tiles = (w->k.points + w->each * w->items - 1) / (w->each * w->items);
    w->tiles = (uint32_t)tiles;
    return tiles < 1u << 24;
}

static void padici_gpu_wave_tone(padici_gpu_wave *w)
{
    const padic_wave_superpose_desc *desc = w->desc;
    static const uint8_t none[4] = {0, 0, 0, 0}, magenta[4] = {255, 0, 255, 255};
    const uint8_t *bad = memcmp(desc->tone.nan_colour, none, 4) ? desc->tone.nan_colour : magenta;
    double low, high;
    padici_wave_tone_range(&desc->tone, &low, &high);
    w->k.output = (uint32_t)desc->output | (desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? 256u : 0u) |
                (desc->flags & PADIC_WAVE_FLAG_ACCUMULATE ? 512u : 0u);
    w->k.tone = (uint32_t)desc->tone.value | (uint32_t)desc->tone.curve << 8 |
                (uint32_t)desc->tone.map << 16;
    w->k.nan_colour = bad[0] | (uint32_t)bad[1] << 8 | (uint32_t)bad[2] << 16 |
                      (uint32_t)bad[3] << 24;
    w->k.low = (float)low;
    w->k.high = (float)high;
    w->k.scale = (float)(1 / (desc->tone.curve == PADIC_WAVE_CURVE_LOG ? log(1 + high / low)
                                                                : high - low));
}

// Elements of a written operand have 32-bit numbers.
PADICI_FN int padici_gpu_wave_reached(const padici_operand *o)
{
    return !o || ((o->home.at + o->bytes) >> 32 == 0 &&
                  (o->home.host || !(o->home.at % padic_dtype_size(o->tensor->dtype))));
}

// Below this number of points per unit, latency dominates in frames; work-items take 2 points then.
#define PADICI_WAVE_LATENT 128u

// Checks what the kernels support at all; fills everything but the addresses. `given` is the field
// in the call's desc, `desc` one frame of it, with an output that has the points' shape.
PADICI_FN int padici_gpu_wave_begin(padici_gpu *gpu, padici_gpu_wave *w, const padici_call *call,
                                    const padic_wave_superpose_desc *given,
                                    const padic_wave_superpose_desc *desc, uint32_t mode)
{
    const uint32_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const double length = padici_wave_length(desc);
    double box[2][3] = {{0, 0, 0}, {0, 0, 0}};
    int64_t stride[PADIC_MAX_RANK];
    uint64_t points;
    uint32_t i;
    memset(w, 0, sizeof *w);
    w->call = call;
    w->desc = desc;
    w->mode = mode;
    w->each = mode == PADICI_WAVE_SLOPE ? 2 : 8;
    w->inputs[0] = padici_gpu_wave_operand(call, &given->points);
    w->inputs[1] = padici_gpu_wave_operand(call, &given->sources);
    w->inputs[2] = padici_gpu_wave_operand(call, &given->amplitude);
    w->inputs[3] = padici_gpu_wave_operand(call, &given->phase);
    w->inputs[4] = padici_gpu_wave_operand(call, &given->wavenumber);
    w->inputs[5] = padici_gpu_wave_operand(call, &given->frequency);
    w->inputs[6] = padici_gpu_wave_operand(call, &given->absorption);
    w->out = padici_gpu_wave_operand(call, &given->out);
    w->listed = w->inputs[0] != NULL;
    if (padici_wave_is_f64(desc)) return 0;
    if (!w->listed) padici_wave_box_grid(&desc->grid, box);
    for (i = 0; i < 6; i++)
        if (!(fabs(box[i / 3][i % 3]) <= PADICI_WAVE_HELD)) return 0;
    if (length > PADICI_WAVE_HELD || (length > 0 && length < 1 / PADICI_WAVE_HELD)) return 0;
    if (!(fabs(desc->time) * padici_wave_rate_speed(desc) <= 1e20)) return 0;
    for (i = 0; i < PADICI_WAVE_INPUTS; i++) {
        if (!padici_gpu_wave_words(w->inputs[i])) return 0;
        // Device memory is checked where it can be read.
        if (w->inputs[i] && !w->inputs[i]->home.host &&
            (desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE))
            return 0;
    }
    if (!padici_gpu_wave_reached(w->out)) return 0;
    points = padic_tensor_count(&desc->out) / (desc->output == PADIC_WAVE_OUTPUT_RGBA8 ? 4 : 1);
    if (points >> 31 || desc->sources.shape[0] >> 26) return 0;
    w->k.points = (uint32_t)points;
    if (mode == PADICI_WAVE_FRAMES && points < PADICI_WAVE_LATENT * (uint64_t)units) w->each = 2;
    if (gpu->tested)
        w->each = padici_gpu_tested(gpu, "PD_WAVE_POINTS", mode == PADICI_WAVE_SLOPE ? 2 : 8);
    w->k.sources = (uint32_t)desc->sources.shape[0];
    // Slightly reduced: bounds are sums of f32.
    w->k.tolerance = (float)((desc->tolerance > 0 ? desc->tolerance : 2e-6) * (1 - 3e-7));
    if (!w->listed) w->k.place = (float)padici_wave_place(&desc->grid);
    w->k.length = (float)padici_wave_length(desc);
    w->wavenumber = padici_gpu_wave_number(w);
    w->lines = !w->listed && w->each == 8 && !w->inputs[6] &&
        desc->kernel < PADIC_WAVE_KERNEL_GREEN2 &&
               desc->softening != PADIC_WAVE_SOFTENING_PLUMMER &&
                   desc->softening != PADIC_WAVE_SOFTENING_ADDED;
    padici_tensor_dense(&desc->out, stride);
    if (desc->output == PADIC_WAVE_OUTPUT_RGBA8) w->k.out_last =
        (uint32_t)stride[desc->out.rank - 1];
    padici_gpu_wave_tone(w);
    if (!(w->listed ? padici_gpu_wave_list(gpu, w) : padici_gpu_wave_grid(gpu, w))) return 0;
    padici_gpu_wave_defines(gpu, w);
    return 1;
}

#undef PADICI_WAVE_HELD
#undef PADICI_WAVE_LATENT

#endif
