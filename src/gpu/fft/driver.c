#include "driver.h"
#include "../../context/operation.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"
#include "flags.h"
#include "power.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FFT)

// fft_transform: one axis after the other, its lines by one launch, or two as a matrix, or twice
// that as a convolution.

enum { // the lines of a launch
    PADICI_GPU_FFT_WHOLE,
    PADICI_GPU_FFT_COLUMNS,
    PADICI_GPU_FFT_ROWS
};

static const char *const padici_gpu_fft_wide[] = {"PD_FFT_F64=1", "PD_FFT_WG=128"};

static uint32_t padici_gpu_fft_defines(uint32_t is_double)
{
    return is_double ? 2 : 0;
}

// Steps of a scratch memory of lines of m numbers, one after the other: like those of the sweep's
// other axes from `first` on.
static void padici_gpu_fft_outer_dense(const padici_gpu_fft_lines *x, uint32_t first,
                                       uint32_t *outer)
{
    uint32_t step = 2 * x->layout->m, i;
    for (i = 0; i < x->sweep.rank; i++) {
        if (i >= first) outer[i - first] = step;
        step *= (uint32_t)x->sweep.count[i];
    }
}

// What a launch reads: `mem` NULL: the operand.
static void padici_gpu_fft_from(const padici_gpu_fft_lines *x, uint32_t part,
                                const padici_gpu_block *mem, padici_k_fft_lines_params *k)
{
    const padici_gpu_fft_layout *layout = x->layout;
    const uint32_t first = part == PADICI_GPU_FFT_WHOLE;
    uint32_t i;
    k->from_mul = part == PADICI_GPU_FFT_COLUMNS ? layout->n2 : 1;
    k->from_add = part == PADICI_GPU_FFT_WHOLE     ? 0
                  : part == PADICI_GPU_FFT_COLUMNS ? 1
                                                   : layout->n2;
    k->from_limit = layout->m;
    k->from_step = 2;
    if (mem) {
        k->from_line = first ? 2 * layout->m : 0;
        padici_gpu_fft_outer_dense(x, first, k->from_outer);
        return;
    }
    k->from_base = (uint32_t)x->from.at;
    k->from_step = (uint32_t)x->sweep.from.element;
    k->from_line = first ? (uint32_t)x->sweep.from_step[0] : 0;
    for (i = first; i < x->sweep.rank; i++)
        k->from_outer[i - first] = (uint32_t)x->sweep.from_step[i];
    k->from_limit = k->whole = layout->n;
    k->middle = layout->n / 2;
    if (x->sweep.real == PADICI_FFT_FROM_REALS) k->from_flags |= PADICI_GPU_FFT_REAL;
    if (x->sweep.real == PADICI_FFT_TO_REALS) k->from_flags |= PADICI_GPU_FFT_MIRROR;
    if (x->swapped) k->from_flags |= PADICI_GPU_FFT_SWAP;
    if (!layout->chirp) return;
    k->from_flags |= PADICI_GPU_FFT_FACTORS;
    k->from_table = layout->chirp;
}

// What a launch writes.
static void padici_gpu_fft_to(const padici_gpu_fft_lines *x, uint32_t part,
                              const padici_gpu_block *mem, padici_k_fft_lines_params *k)
{
    const padici_gpu_fft_layout *layout = x->layout;
    const uint32_t first = part == PADICI_GPU_FFT_WHOLE;
    uint32_t i;
    k->to_mul = part == PADICI_GPU_FFT_WHOLE     ? 1
                : part == PADICI_GPU_FFT_COLUMNS ? layout->n2
                                                 : layout->n1;
    k->to_add = part == PADICI_GPU_FFT_WHOLE ? 0 : 1;
    k->to_limit = layout->m;
    k->to_step = 2;
    if (mem == &x->matrix) {
        k->to_flags |= PADICI_GPU_FFT_TWIST;
        k->twist = layout->twist;
        k->shift = layout->shift;
    } else if (mem) { // a convolution's product
        k->to_flags |= PADICI_GPU_FFT_FACTORS | PADICI_GPU_FFT_SWAP;
        k->to_table = layout->spectrum;
    }
    if (mem) {
        k->to_line = first ? 2 * layout->m : 0;
        padici_gpu_fft_outer_dense(x, first, k->to_outer);
        return;
    }
    k->to_base = (uint32_t)x->to.at;
    k->to_step = (uint32_t)x->sweep.to.element;
    k->to_line = first ? (uint32_t)x->sweep.to_step[0] : 0;
    for (i = first; i < x->sweep.rank; i++)
        k->to_outer[i - first] = (uint32_t)x->sweep.to_step[i];
    k->to_limit = x->sweep.real == PADICI_FFT_FROM_REALS ? layout->n / 2 + 1 : layout->n;
    if (x->sweep.real == PADICI_FFT_TO_REALS) k->to_flags |= PADICI_GPU_FFT_REAL;
    if (x->swapped) k->to_flags |= PADICI_GPU_FFT_SWAP;
    if (!layout->chirp) return;
    k->to_flags |= PADICI_GPU_FFT_SWAP_FIRST | PADICI_GPU_FFT_FACTORS;
    k->to_table = layout->chirp;
}

// Whether lines lie closer together than their elements do, in which case a group's items take
// neighbouring lines.
static int padici_gpu_fft_apart(uint32_t element, uint32_t line)
{
    const uint32_t a = (int32_t)element < 0 ? 0 - element : element;
    const uint32_t b = (int32_t)line < 0 ? 0 - line : line;
    return a > b;
}

// How many of `all` lines of n a group of the kernels for all lengths has side by side: as many as
// fit, fewer where the device would idle, alike. Even numbers of them cost where neighbours in
// memory are of one line (`ordered`): local memory has 32 banks.
PADICI_FN uint32_t padici_gpu_fft_together(const padici_gpu *gpu, uint32_t n, uint32_t all,
                                           uint64_t outer, uint32_t is_double, uint32_t ordered)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    uint32_t lines = PADICI_GPU_FFT_POINTS(is_double) / n, blocks;
    if (lines > all) lines = all;
    while (lines > 8 && lines * n > 512 && (all + lines - 1) / lines * outer < 2 * units)
        lines /= 2;
    if (ordered && lines >= 4 && lines % 2 == 0) lines--;
    blocks = (all + lines - 1) / lines;
    return (all + blocks - 1) / blocks;
}

// By the kernel for powers of two if it can be, else by that for all lengths.
static padic_result padici_gpu_fft_launch(const padici_gpu_fft_lines *x,
                                          padici_k_fft_lines_params *k, uint64_t outer,
                                          padici_gpu_work *work)
{
    const uint32_t is_double = x->layout->is_double;
    padici_gpu_fft_power power;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    if (k->from_limit >= x->layout->m && k->to_limit >= x->layout->m &&
        padici_gpu_fft_power_of(x->gpu, k, is_double, outer, &power)) {
        k->lines = power.lines;
        k->blocks = (k->all + k->lines - 1) / k->lines;
        work->kernel = PADICI_KERNEL_FFT_POWER_LINES;
        work->defines = power.defines;
        work->define_count = power.define_count;
        work->groups[0] = (uint32_t)(k->blocks * outer);
        result = padici_gpu_launch(x->gpu, work);
    }
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    k->lines = padici_gpu_fft_together(x->gpu, k->n, k->all, outer, is_double,
                                       (k->from_flags | k->to_flags) & PADICI_GPU_FFT_LINES);
    k->blocks = (k->all + k->lines - 1) / k->lines;
    work->kernel = PADICI_KERNEL_FFT_LINES;
    work->defines = padici_gpu_fft_wide;
    work->define_count = padici_gpu_fft_defines(is_double);
    work->groups[0] = (uint32_t)(k->blocks * outer);
    return padici_gpu_launch(x->gpu, work);
}

// One launch, from memory to memory; NULL: the operands.
static padic_result padici_gpu_fft_pass(padici_gpu_fft_lines *x, uint32_t part,
                                        const padici_gpu_block *from, const padici_gpu_block *to)
{
    const padici_gpu_fft_layout *layout = x->layout;
    const uint32_t first = part == PADICI_GPU_FFT_WHOLE;
    padici_k_fft_lines_params k;
    padici_gpu_work work;
    uint32_t radix[64], i;
    uint64_t outer = 1;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.n = part == PADICI_GPU_FFT_ROWS ? layout->n2 : layout->n1;
    k.all = first ? (uint32_t)x->sweep.count[0] : layout->m / k.n;
    k.roots = layout->roots[part == PADICI_GPU_FFT_ROWS];
    k.stages = padici_fft_radices(k.n, 8, radix);
    for (i = 0; i < k.stages; i++) k.radices |= radix[i] << 4 * i;
    padici_gpu_fft_from(x, part, from, &k);
    padici_gpu_fft_to(x, part, to, &k);
    padici_gpu_real(to ? 1 : x->scale, layout->is_double, k.scale);
    if (!padici_gpu_fft_apart(k.from_mul * k.from_step, k.from_add * k.from_step + k.from_line))
        k.from_flags |= PADICI_GPU_FFT_LINES;
    if (!padici_gpu_fft_apart(k.to_mul * k.to_step, k.to_add * k.to_step + k.to_line))
        k.to_flags |= PADICI_GPU_FFT_LINES;
    for (i = first; i < x->sweep.rank; i++) {
        k.count[i - first] = (uint32_t)x->sweep.count[i];
        outer *= x->sweep.count[i];
    }
    work.mem[0] = from ? from->mem : x->from.mem;
    work.mem[1] = x->tables;
    work.mem[2] = to ? to->mem : x->to.mem;
    work.mem_count = 3;
    work.params = &k;
    work.params_size = sizeof k;
    return padici_gpu_fft_launch(x, &k, outer, &work);
}

static padic_result padici_gpu_fft_pair(padici_gpu_fft_lines *x, const padici_gpu_block *from,
                                        const padici_gpu_block *to)
{
    padic_result result;
    if (x->layout->n2 == 1) return padici_gpu_fft_pass(x, PADICI_GPU_FFT_WHOLE, from, to);
    result = padici_gpu_fft_pass(x, PADICI_GPU_FFT_COLUMNS, from, &x->matrix);
    return result ? result : padici_gpu_fft_pass(x, PADICI_GPU_FFT_ROWS, &x->matrix, to);
}

static padic_result padici_gpu_fft_run(padici_gpu_fft_lines *x)
{
    const uint64_t size = x->batch * x->layout->m * (x->layout->is_double ? 16 : 8);
    padic_result result = PADIC_OK;
    x->matrix.block = x->spectrum.block = PADICI_NO_BLOCK;
    if (x->layout->n2 > 1) result = padici_gpu_scratch(x->gpu, size, &x->matrix);
    if (!result && x->layout->chirp) result = padici_gpu_scratch(x->gpu, size, &x->spectrum);
    if (!result) result = padici_gpu_fft_pair(x, NULL, x->layout->chirp ? &x->spectrum : NULL);
    if (!result && x->layout->chirp) result = padici_gpu_fft_pair(x, &x->spectrum, NULL);
    padici_gpu_scratch_end(x->gpu, &x->matrix);
    padici_gpu_scratch_end(x->gpu, &x->spectrum);
    return result;
}

// A transform, the layouts of its axes, their tables.
typedef struct padici_gpu_fft_call {
    const padic_fft_transform_desc *desc;
    const padici_operand *in, *out;
    padici_fft_shape shape;
    padici_gpu_fft_layout layout[PADIC_FFT_AXES];
    padici_gpu_block tables[PADIC_FFT_AXES], work;
    uint64_t count; // of the complex tensor
} padici_gpu_fft_call;

static uint64_t padici_gpu_fft_extent(const padici_gpu_fft_call *c, uint32_t i)
{
    return c->shape.real && i + 1 == c->shape.axis_count ? c->shape.last
                                                         : c->shape.complex_shape[c->shape.axis[i]];
}

// Whether kernels reach an operand: in whole reals, by 32 bits.
static int padici_gpu_fft_reach(const padici_operand *o, uint32_t real)
{
    return (o->home.host || o->home.at % real == 0) &&
           (o->home.at + o->bytes) / real >> 32 == 0;
}

static int padici_gpu_fft_begin(padici_gpu_fft_call *c, const padici_gpu *gpu,
                                const padici_call *call)
{
    const uint64_t most = gpu->info->max_alloc ? gpu->info->max_alloc : UINT64_MAX;
    uint32_t i, real;
    memset(c, 0, sizeof *c);
    c->desc = &call->desc->fft_transform;
    c->out = &call->operands[0];
    c->in = &call->operands[call->operand_count - 1];
    padici_fft_shape_of(c->desc, &c->shape);
    real = c->shape.is_double ? 8 : 4;
    if (c->shape.is_double && !(gpu->info->features & PADIC_FEATURE_F64)) return 0;
    if (!padici_gpu_fft_reach(c->in, real) || !padici_gpu_fft_reach(c->out, real)) return 0;
    c->count = 1;
    for (i = 0; i < c->shape.rank; i++) { // of nothing, there is nothing to ask
        if (c->shape.complex_shape[i] >> 31) return 0;
        c->count *= c->shape.complex_shape[i];
        if (c->count >> 31) return 0;
    }
    for (i = 0; i < c->shape.axis_count; i++) {
        padici_gpu_fft_layout *layout = &c->layout[i];
        const uint64_t lines = c->count / c->shape.complex_shape[c->shape.axis[i]];
        if (!padici_gpu_fft_layout_of(padici_gpu_fft_extent(c, i), c->shape.is_double, layout))
            return 0;
        if ((layout->n2 > 1 || layout->chirp) &&
            (lines * layout->m >> 31 || lines * layout->m * 2 * real > most))
            return 0;
    }
    return 1;
}

// A tensor in an operand's memory.
static void padici_gpu_fft_place_of(const padici_operand *o, const padic_tensor *tensor,
                                    uint32_t is_double, padici_gpu_fft_place *place)
{
    const uint32_t real = is_double ? 8 : 4, parts = padic_dtype_size(tensor->dtype) / real;
    uint32_t i;
    padici_tensor_dense(tensor, place->step);
    for (i = 0; i < PADIC_MAX_RANK; i++) place->step[i] *= parts;
    place->mem = o->now.mem;
    place->at = o->now.at / real;
}

// Scratch of the complex tensor.
static padic_result padici_gpu_fft_work(padici_gpu *gpu, padici_gpu_fft_call *c,
                                        padici_gpu_fft_place *place)
{
    int64_t step = 2;
    uint32_t i;
    const padic_result result =
        padici_gpu_scratch(gpu, c->count * (c->shape.is_double ? 16 : 8), &c->work);
    for (i = c->shape.rank; i > 0; i--) {
        place->step[i - 1] = step;
        step *= (int64_t)c->shape.complex_shape[i - 1];
    }
    place->mem = c->work.mem;
    place->at = 0;
    return result;
}

// Axis number i, from memory to memory.
static padic_result padici_gpu_fft_axis(padici_gpu *gpu, const padici_gpu_fft_call *c, uint32_t i,
                                        const padici_gpu_fft_place *from,
                                        const padici_gpu_fft_place *to, double scale)
{
    const uint32_t axis = c->shape.axis[i];
    padici_gpu_fft_lines x;
    memset(&x, 0, sizeof x);
    x.gpu = gpu;
    x.layout = &c->layout[i];
    x.from = *from;
    x.to = *to;
    x.tables = c->tables[i].mem;
    x.scale = scale;
    x.swapped = c->shape.inverse;
    x.batch = c->count / c->shape.complex_shape[axis];
    x.sweep.from.element = from->step[axis];
    x.sweep.to.element = to->step[axis];
    if (c->shape.real && i + 1 == c->shape.axis_count)
        x.sweep.real = c->shape.inverse ? PADICI_FFT_TO_REALS : PADICI_FFT_FROM_REALS;
    padici_fft_other_axes(c->shape.rank, c->shape.complex_shape, axis, from->step, to->step,
                          &x.sweep);
    return padici_gpu_fft_run(&x);
}

// The last axis named first, where reals become complex; to reals it is the last.
static padic_result padici_gpu_fft_axes(padici_gpu *gpu, padici_gpu_fft_call *c)
{
    const uint32_t axes = c->shape.axis_count, to_reals = c->shape.real && c->shape.inverse;
    padici_gpu_fft_place in, out, between;
    double n = 1;
    uint32_t i;
    padic_result result = PADIC_OK;
    padici_gpu_fft_place_of(c->out, &c->desc->out, c->shape.is_double, &out);
    in = out;
    if (c->desc->in.dtype != PADIC_DTYPE_NONE)
        padici_gpu_fft_place_of(c->in, &c->desc->in, c->shape.is_double, &in);
    between = out;
    if (to_reals && axes > 1) result = padici_gpu_fft_work(gpu, c, &between);
    for (i = 0; i < axes; i++) n *= (double)c->layout[i].n;
    for (i = 0; i < axes && !result; i++) {
        const int ends = i + 1 == axes;
        result = padici_gpu_fft_axis(gpu, c, to_reals ? i : axes - 1 - i, i ? &between : &in,
                                     ends ? &out : &between,
                                     ends ? padici_fft_factor(c->desc, n) : 1);
    }
    return result;
}

PADICI_FN padic_result padici_gpu_fft_transform(padici_gpu *gpu, const padici_call *call,
                                                int query)
{
    padici_gpu_fft_call c;
    uint64_t since;
    uint32_t i;
    padic_result result;
    if (!padici_gpu_fft_begin(&c, gpu, call)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_FFT_LINES, padici_gpu_fft_wide,
                             padici_gpu_fft_defines(c.shape.is_double));
    if (query || result || !c.count) return result;
    since = gpu->state->fft_calls;
    c.work.block = PADICI_NO_BLOCK;
    for (i = 0; i < PADIC_FFT_AXES; i++) c.tables[i].block = PADICI_NO_BLOCK;
    for (i = 0; i < c.shape.axis_count && !result; i++)
        result = padici_gpu_fft_tables(gpu, &c.layout[i], since, &c.tables[i]);
    if (!result) result = padici_gpu_fft_axes(gpu, &c);
    for (i = 0; i < PADIC_FFT_AXES; i++) padici_gpu_scratch_end(gpu, &c.tables[i]);
    padici_gpu_scratch_end(gpu, &c.work);
    return result;
}

PADICI_FN padic_result padici_warm_fft(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_FFT_LINES, NULL, 0);
}

#endif
