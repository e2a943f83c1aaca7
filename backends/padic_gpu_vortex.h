// padic_gpu_vortex.h: what is done with a complex field on devices, kernels/vortex.cl: observables,
// pixels, the norm, gradients of the phase, windings, line vortices. padic_gpu.h includes it; of no
// use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_VORTEX) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_VORTEX

// room: src/gpu/vortex/axes.c
// Views as the kernels of fields see them, and the launch of one.

// One or two views of one shape for the kernels: axes that follow on each other are one, the
// fastest is the first. Steps in words or bytes, `unit` and `to_unit` of them an element, of two's
// complement.
typedef struct padici_gpu_vortex_view {
    uint32_t axes, extent[PADIC_MAX_RANK], step[PADIC_MAX_RANK], to_step[PADIC_MAX_RANK];
} padici_gpu_vortex_view;

static void padici_gpu_vortex_axes(const padic_tensor *from, uint32_t unit, const padic_tensor *to,
                                   uint32_t to_unit, padici_gpu_vortex_view *v)
{
    int64_t stride[PADIC_MAX_RANK], to_stride[PADIC_MAX_RANK];
    uint32_t i = from->rank;
    memset(v, 0, sizeof *v);
    padici_tensor_dense(from, stride);
    padici_tensor_dense(to, to_stride);
    while (i--) {
        const uint32_t n = (uint32_t)from->shape[i], step = (uint32_t)stride[i] * unit;
        const uint32_t to_step = (uint32_t)to_stride[i] * to_unit, last = v->axes - 1;
        if (n == 1) continue;
        if (v->axes && step == v->extent[last] * v->step[last] &&
            to_step == v->extent[last] * v->to_step[last]) {
            v->extent[last] *= n;
        } else {
            v->extent[v->axes] = n;
            v->step[v->axes] = step;
            v->to_step[v->axes++] = to_step;
        }
    }
}

// One launch of a kernel of vortex.cl whose items loop over n.
static padic_result padici_gpu_vortex_launch(padici_gpu *gpu, padici_gpu_work *work,
                                             uint32_t kernel, uint32_t mems, uint64_t n,
                                             const void *params, uint32_t size)
{
    work->kernel = kernel;
    work->mem_count = mems;
    work->params = params;
    work->params_size = size;
    work->groups[0] = padici_gpu_groups(gpu, n, 128);
    return padici_gpu_launch(gpu, work);
}

// room: src/gpu/vortex/pixels.c
// A field as one real number or one pixel a point: wave_observe, wave_tonemap.

// wave_observe

static void padici_gpu_observe_params(const padic_wave_observe_desc *desc, uint64_t at, uint64_t to,
                                      padici_k_vortex_observe_params *k)
{
    padici_gpu_vortex_view v;
    padici_gpu_vortex_axes(&desc->psi, 2, &desc->out, 1, &v);
    memset(k, 0, sizeof *k);
    k->n = (uint32_t)padic_tensor_count(&desc->psi);
    k->emit = (uint32_t)desc->emit;
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    k->to_base = (uint32_t)(to / 4);
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
    memcpy(k->to_step, v.to_step, sizeof v.to_step);
}

static int padici_example_wave_observe(padici_any_desc *desc, uint32_t size_class)
{
    const uint64_t n = UINT64_C(2048) << 4 * size_class;
    desc->wave_observe.psi = padic_tensor_1d(PADIC_C64, NULL, n);
    desc->wave_observe.out = padic_tensor_1d(PADIC_F32, NULL, n);
    desc->wave_observe.emit = PADIC_WAVE_PHASE;
    return size_class < 4;
}

static const padici_gpu_tunable padici_tunable_wave_observe = {
    "wave_observe", PADIC_AREA_WAVE, PADIC_OP_WAVE_OBSERVE, PADICI_PROGRAM_VORTEX, 3,
    PADICI_TUNE_GROUPS, padici_example_wave_observe, 1e-5};

static padic_result padici_gpu_wave_observe(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_observe_desc *desc = &call->desc.wave_observe;
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
    padici_gpu_observe_params(desc, psi->now.at, out->now.at, &k);
    work.defines = choice->defines;
    work.define_count = choice->define_count;
    work.mem[0] = psi->now.mem;
    work.mem[1] = out->now.mem;
    return padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_OBSERVE, 2,
                                    (uint64_t)k.n * 128 / choice->number, &k, sizeof k);
}

// wave_tonemap, and pixels of line vortices

typedef struct padici_gpu_vortex_tone {
    uint32_t tone, nan_colour;
    float low, high, scale;
} padici_gpu_vortex_tone;

static int padici_gpu_vortex_normal(double x)
{
    return fabs(x) > 1e-30 && fabs(x) < 1e30;
}

// 0 for a range so narrow that v in f32 would be wrong by half a byte or more.
static int padici_gpu_vortex_tone_begin(const padic_wave_tone *tone, padici_gpu_vortex_tone *t)
{
    static const uint8_t none[4] = {0, 0, 0, 0}, magenta[4] = {255, 0, 255, 255};
    const uint8_t *bad = memcmp(tone->nan_colour, none, 4) ? tone->nan_colour : magenta;
    double low, high, span;
    padici_wave_tone_range(tone, &low, &high);
    span = tone->curve == PADIC_WAVE_LOG ? log(1 + high / low) : high - low;
    if ((low != 0 && !padici_gpu_vortex_normal(low)) ||
        (high != 0 && !padici_gpu_vortex_normal(high)))
        return 0;
    if (tone->curve == PADIC_WAVE_LINEAR && span < 3e-4 * (fabs(low) + fabs(high))) return 0;
    if (tone->curve == PADIC_WAVE_LOG && !(span > 3e-4)) return 0;
    t->tone = (uint32_t)tone->value | (uint32_t)tone->curve << 8 | (uint32_t)tone->map << 16;
    t->nan_colour =
        bad[0] | (uint32_t)bad[1] << 8 | (uint32_t)bad[2] << 16 | (uint32_t)bad[3] << 24;
    t->low = (float)low;
    t->high = (float)high;
    t->scale = tone->curve == PADIC_WAVE_REINHARD ? 1 : (float)(1 / span);
    return 1;
}

// The f32 behind one word of a range, in the order of the numbers.
static double padici_gpu_vortex_end(uint32_t order)
{
    const uint32_t bits = order >> 31 ? order & 0x7fffffffu : ~order;
    float f;
    memcpy(&f, &bits, 4);
    return (double)f;
}

// The table to read and the range to write, in device memory where there is one.
typedef struct padici_gpu_vortex_extras {
    padici_gpu_block table, report;
} padici_gpu_vortex_extras;

static padic_result padici_gpu_vortex_extras_begin(padici_gpu *gpu, const padic_wave_tone *tone,
                                                   padici_gpu_vortex_extras *x)
{
    padic_result result = PADIC_OK;
    memset(x, 0, sizeof *x);
    x->table.block = x->report.block = PADICI_NO_BLOCK;
    if (tone && tone->map == PADIC_WAVE_TABLE) {
        result = padici_gpu_scratch(gpu, 1024, &x->table);
        if (!result) result = padici_gpu_upload(gpu, x->table.mem, 0, tone->table, 1024);
    }
    if (!result && tone && tone->range) {
        result = padici_gpu_scratch(gpu, 8, &x->report);
        if (!result)
            result = padici_target_fill(gpu->context, gpu->target, x->report.mem, 0, 0, 8);
    }
    return result;
}

static padic_result padici_gpu_vortex_extras_end(padici_gpu *gpu, const padic_wave_tone *tone,
                                                 padici_gpu_vortex_extras *x, padic_result result)
{
    uint32_t ends[2];
    if (!result && tone && tone->range) {
        result = padici_gpu_download(gpu, x->report.mem, 0, ends, 8);
        if (!result) {
            tone->range[0] = ends[0] ? padici_gpu_vortex_end(~ends[0]) : 0;
            tone->range[1] = ends[1] ? padici_gpu_vortex_end(ends[1]) : 0;
        }
    }
    padici_gpu_scratch_end(gpu, &x->report);
    padici_gpu_scratch_end(gpu, &x->table);
    return result;
}

// A tensor of the pixels without their last axis.
static padic_tensor padici_gpu_vortex_pixels(const padic_tensor *out, uint32_t *last)
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

static int padici_gpu_tonemap_params(const padic_wave_tonemap_desc *desc, uint64_t at, uint64_t to,
                                     padici_k_vortex_tonemap_params *k)
{
    padici_gpu_vortex_tone tone;
    padici_gpu_vortex_view v;
    padic_tensor pixels;
    memset(k, 0, sizeof *k);
    if (!padici_gpu_vortex_tone_begin(&desc->tone, &tone)) return 0;
    pixels = padici_gpu_vortex_pixels(&desc->out, &k->to_last);
    k->real = desc->field.dtype == PADIC_F32;
    padici_gpu_vortex_axes(&desc->field, k->real ? 1 : 2, &pixels, 1, &v);
    k->n = (uint32_t)padic_tensor_count(&desc->field);
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    k->to_base = (uint32_t)to;
    k->ranged = desc->tone.range != NULL;
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

static padic_result padici_gpu_wave_tonemap(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_tonemap_desc *desc = &call->desc.wave_tonemap;
    const padici_operand *field = &call->operands[0], *out = &call->operands[1];
    padici_k_vortex_tonemap_params k;
    padici_gpu_vortex_extras extras;
    padici_gpu_work work;
    padic_result result;
    if ((desc->field.dtype != PADIC_C64 && desc->field.dtype != PADIC_F32) ||
        !padici_gpu_wave_words(field) || (out->home.at + out->bytes) >> 32 ||
        padic_tensor_count(&desc->field) >> 31 ||
        !padici_gpu_tonemap_params(desc, field->now.at, out->now.at, &k))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_TONEMAP, NULL, 0);
    if (query || result) return result;
    memset(&work, 0, sizeof work);
    result = padici_gpu_vortex_extras_begin(gpu, &desc->tone, &extras);
    work.mem[0] = field->now.mem;
    work.mem[1] = extras.table.mem.bits ? extras.table.mem : field->now.mem;
    work.mem[2] = out->now.mem;
    work.mem[3] = k.ranged ? extras.report.mem : out->now.mem;
    if (!result)
        result = padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_TONEMAP, 4, k.n, &k,
                                          sizeof k);
    return padici_gpu_vortex_extras_end(gpu, &desc->tone, &extras, result);
}

// room: src/gpu/vortex/normalise.c
// The norm of a field, and a field divided by it: wave_normalise.

// wave_normalise

static void padici_gpu_norm_params(const padic_tensor *psi, uint64_t at,
                                   padici_k_vortex_norm_params *k)
{
    const uint32_t n = (uint32_t)padic_tensor_count(psi);
    padici_gpu_vortex_view v;
    padici_gpu_vortex_axes(psi, 2, psi, 2, &v);
    memset(k, 0, sizeof *k);
    k->shares = (n + 255) / 256 < PADICI_WAVE_SHARES ? (n + 255) / 256 : PADICI_WAVE_SHARES;
    k->each = n / k->shares;
    k->more = n % k->shares;
    k->blocks = (k->each + (k->more != 0) + 255) / 256;
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    k->scale = 1;
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
}

// The two words of a sum, of psi times 2^power where the device has no f64.
static double padici_gpu_norm_value(const padici_gpu *gpu, const uint32_t words[2], int power)
{
    float f[2];
    double x;
    if (gpu->info->features & PADIC_FEATURE_F64) {
        const uint64_t bits = (uint64_t)words[1] << 32 | words[0];
        memcpy(&x, &bits, 8);
        return x;
    }
    memcpy(f, words, 8);
    return ldexp((double)f[0] + (double)f[1], -2 * power);
}

// The sum of |psi|^2 by the reference's tree. Two words of f32 do not reach as far as f64: then
// once more with psi times a power of two.
static padic_result padici_gpu_norm(padici_gpu *gpu, const padici_operand *psi, double *sum)
{
    static const int powers[4] = {0, -80, 48, 110};
    padici_k_vortex_norm_params k;
    padici_k_vortex_norm_total_params total;
    padici_gpu_block sums, totals;
    padici_gpu_work work;
    uint32_t words[2 * PADICI_WAVE_SHARES], i, pass = 0;
    padic_result result;
    padici_gpu_norm_params(psi->tensor, psi->now.at, &k);
    total.blocks = k.blocks;
    total.shares = k.shares;
    totals.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, 8 * (uint64_t)k.blocks * k.shares, &sums);
    if (!result) result = padici_gpu_scratch(gpu, sizeof words, &totals);
    while (!result) {
        k.scale = (float)ldexp(1, powers[pass]);
        memset(&work, 0, sizeof work);
        work.mem[0] = psi->now.mem;
        work.mem[1] = sums.mem;
        result = padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_NORM, 2,
                                          k.blocks * k.shares, &k, sizeof k);
        work.mem[0] = sums.mem;
        work.mem[1] = totals.mem;
        if (!result)
            result = padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_NORM_TOTAL, 2,
                                              k.shares, &total, sizeof total);
        if (!result)
            result = padici_gpu_download(gpu, totals.mem, 0, words, 8 * (uint64_t)k.shares);
        *sum = 0;
        for (i = 0; i < k.shares && !result; i++)
            *sum += padici_gpu_norm_value(gpu, words + 2 * i, powers[pass]);
        if (gpu->info->features & PADIC_FEATURE_F64 || pass == 1 || pass == 3) break;
        if (*sum >= ldexp(1, -30 - 2 * powers[pass]) && *sum < 1e36) break;
        pass = pass ? 3 : *sum < 1 ? 2 : 1;
    }
    padici_gpu_scratch_end(gpu, &totals);
    padici_gpu_scratch_end(gpu, &sums);
    return result;
}

static void padici_gpu_multiply_params(const padic_tensor *psi, uint64_t at, double factor,
                                       padici_k_vortex_multiply_params *k)
{
    padici_gpu_vortex_view v;
    int power, rest;
    padici_gpu_vortex_axes(psi, 2, psi, 2, &v);
    memset(k, 0, sizeof *k);
    k->n = (uint32_t)padic_tensor_count(psi);
    k->axes = v.axes;
    k->base = (uint32_t)(at / 4);
    memcpy(k->extent, v.extent, sizeof v.extent);
    memcpy(k->step, v.step, sizeof v.step);
    factor = frexp(factor, &power);
    rest = power > 252 ? power - 252 : power < -252 ? power + 252 : 0;
    power -= rest;
    if (rest > 60) rest = 60; // nothing but 0 and Inf is left there
    if (rest < -60) rest = -60;
    factor = ldexp(factor, rest);
    k->first = power / 2;
    k->last = power - k->first;
    k->hi = (float)factor;
    k->lo = (float)(factor - (double)k->hi);
}

static padic_result padici_gpu_wave_normalise(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_normalise_desc *desc = &call->desc.wave_normalise;
    const padici_operand *psi = &call->operands[0];
    padici_k_vortex_multiply_params k;
    padici_gpu_work work;
    double sum = 0, factor;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || !padici_gpu_wave_words(psi) ||
        padic_tensor_count(&desc->psi) >> 30)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_NORM, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_NORM_TOTAL, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_MULTIPLY, NULL, 0);
    if (query || result) return result;
    result = padici_gpu_norm(gpu, psi, &sum);
    if (result) return result;
    sum *= desc->volume > 0 ? desc->volume : 1;
    factor = desc->legacy ? 1 / (sqrt(sum) + 1e-10)
                          : sqrt((desc->target > 0 ? desc->target : 1) / sum);
    if (!padici_wave_finite(sum) || sum == 0 || !padici_wave_finite(factor))
        return padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN,
                                "psi is 0 or not finite, or f64 does not hold its norm or factor");
    memset(&work, 0, sizeof work);
    padici_gpu_multiply_params(&desc->psi, psi->now.at, factor, &k);
    work.mem[0] = psi->now.mem;
    result = padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_MULTIPLY, 1, k.n, &k,
                                      sizeof k);
    if (!result && desc->norm) *desc->norm = sum;
    return result;
}

// room: src/gpu/vortex/lines.c
// Line vortices in a field: wave_vortex.

// points, centres, axes, charges, cores, psi
#define PADICI_VORTEX_INPUTS 6u
#define PADICI_VORTEX_WORDS 20u // of a line
#define PADICI_VORTEX_PAIRS (UINT64_C(1) << 32) // of a launch

typedef struct padici_gpu_vortex {
    const padic_wave_vortex_desc *desc;
    const padici_operand *inputs[PADICI_VORTEX_INPUTS], *out;
    padici_k_vortex_field_params k;
    padici_gpu_block records;
    padici_gpu_vortex_extras extras;
} padici_gpu_vortex;

// Where the points of a grid are, in two words; 0 where f32 does not reach.
static int padici_gpu_vortex_grid(const padic_wave_vortex_desc *desc,
                                  padici_k_vortex_field_params *k)
{
    double step[3][3];
    uint32_t i, j;
    padici_wave_steps(&desc->grid, step);
    for (i = 0; i < 3; i++) {
        const double origin = desc->grid.origin[i];
        if (origin != 0 && !padici_gpu_vortex_normal(origin)) return 0;
        padici_gpu_wave_two(origin, &k->origin[2 * i]);
        for (j = 0; j < 3; j++) {
            if (step[i][j] != 0 && !padici_gpu_vortex_normal(step[i][j])) return 0;
            padici_gpu_wave_two(step[i][j], &k->step[6 * i + 2 * j]);
        }
        if (k->count[i] >> 24) return 0; // coordinates are exact in f32
    }
    return 1;
}

static int padici_gpu_vortex_params(const padic_wave_vortex_desc *desc,
                                    padici_k_vortex_field_params *k)
{
    padic_wave_superpose_desc field;
    padici_gpu_vortex_tone tone;
    padici_wave_job job;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(k, 0, sizeof *k);
    memset(&tone, 0, sizeof tone);
    padici_wave_vortex_field(desc, &field);
    padici_wave_job_begin(&job, &field);
    if (desc->emit == PADIC_WAVE_RGBA8 && !padici_gpu_vortex_tone_begin(&desc->tone, &tone))
        return 0;
    if (job.points >> 31 || desc->centres.shape[0] >> 24) return 0;
    k->points = (uint32_t)job.points;
    k->lines = (uint32_t)desc->centres.shape[0];
    k->core = (uint32_t)desc->core;
    k->listed = desc->points.dtype != PADIC_DTYPE_NONE;
    k->created = desc->psi.dtype == PADIC_DTYPE_NONE;
    k->ranged = desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range;
    k->emit = (uint32_t)desc->emit;
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
    if (!k->listed) return padici_gpu_vortex_grid(desc, k);
    k->list_wide = desc->points.dtype == PADIC_F64;
    k->list_dimensions = (uint32_t)desc->points.shape[1];
    k->list_step = (uint32_t)job.point_stride[0] << k->list_wide;
    k->list_axis = (uint32_t)job.point_stride[1] << k->list_wide;
    return 1;
}

static int padici_gpu_vortex_begin(padici_gpu_vortex *w, const padici_call *call)
{
    const padic_wave_vortex_desc *desc = &call->desc.wave_vortex;
    const padic_tensor *tensors[PADICI_VORTEX_INPUTS];
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
        for (j = 0; j < PADICI_VORTEX_INPUTS; j++)
            if (call->operands[i].tensor == tensors[j]) w->inputs[j] = &call->operands[i];
    w->out = &call->operands[call->operand_count - 1];
    if (desc->out.dtype != PADIC_C64 && desc->out.dtype != PADIC_F32 &&
        desc->out.dtype != PADIC_U8)
        return 0;
    if (desc->psi.dtype == PADIC_C128) return 0;
    for (i = 0; i < PADICI_VORTEX_INPUTS; i++) {
        if (!padici_gpu_wave_words(w->inputs[i])) return 0;
        // Device memory is checked where it can be read.
        if (w->inputs[i] && !w->inputs[i]->home.host && (desc->flags & PADIC_WAVE_CHECK_FINITE))
            return 0;
    }
    if ((w->out->home.at + w->out->bytes) >> 32) return 0;
    if (!w->out->home.host && w->out->home.at % padic_dtype_size(desc->out.dtype)) return 0;
    return padici_gpu_vortex_params(desc, &w->k);
}

// Whether numbers in host memory are 0 or such that two words of f32 hold them.
static int padici_gpu_vortex_reach(const padici_operand *o)
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
            if (x != 0 && !padici_gpu_vortex_normal(x)) return 0;
        }
    return 1;
}

static padic_result padici_gpu_vortex_lines(padici_gpu *gpu, padici_gpu_vortex *w)
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
    return padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_LINES, 5, k.count, &k,
                                    sizeof k);
}

static padic_result padici_gpu_vortex_field(padici_gpu *gpu, padici_gpu_vortex *w)
{
    const uint64_t most = PADICI_VORTEX_PAIRS / (w->k.lines + 1u) + 1;
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
    if (w->k.ranged) work.mem[6] = w->extras.report.mem;
    w->k.out_base = (uint32_t)(w->out->now.at / padic_dtype_size(w->desc->out.dtype));
    for (w->k.first = 0; w->k.first < points && !result; w->k.first += w->k.points) {
        const uint32_t left = points - w->k.first;
        w->k.points = left < most ? left : (uint32_t)most;
        result = padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_FIELD, 7, w->k.points,
                                          &w->k, sizeof w->k);
    }
    return result;
}

// Whether f32 holds positions and cores, as far as the host sees them, and the grid.
static int padici_gpu_vortex_held(const padici_call *call)
{
    const padic_wave_vortex_desc *desc = &call->desc.wave_vortex;
    double box[2][3] = {{0, 0, 0}, {0, 0, 0}};
    uint32_t i;
    if (desc->points.dtype == PADIC_DTYPE_NONE) padici_wave_box_grid(&desc->grid, box);
    for (i = 0; i < 6; i++)
        if (!(fabs(box[i / 3][i % 3]) <= 1e30)) return 0;
    return padici_gpu_wave_held(padici_gpu_wave_operand(call, &desc->points), 1e30) &&
           padici_gpu_wave_held(padici_gpu_wave_operand(call, &desc->centres), 1e30) &&
           padici_gpu_wave_held(padici_gpu_wave_operand(call, &desc->cores), 1e30);
}

static padic_result padici_gpu_wave_vortex(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_tone *tone;
    padici_gpu_vortex w;
    padic_result result;
    if (!padici_gpu_vortex_begin(&w, call)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query && (!padici_gpu_vortex_reach(w.inputs[0]) || !padici_gpu_vortex_reach(w.inputs[1]) ||
                  !padici_gpu_vortex_reach(w.inputs[4])))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_LINES, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_VORTEX_FIELD, NULL, 0);
    if (query || result || !w.k.points) return result;
    if (!padici_gpu_vortex_held(call)) return PADIC_ERROR_NOT_SUPPORTED;
    tone = w.desc->emit == PADIC_WAVE_RGBA8 ? &w.desc->tone : NULL;
    w.records.block = PADICI_NO_BLOCK;
    result = padici_gpu_vortex_extras_begin(gpu, tone, &w.extras);
    if (!result)
        result = padici_gpu_scratch(gpu, (uint64_t)(w.k.lines + 1u) * 4 * PADICI_VORTEX_WORDS,
                                    &w.records);
    if (!result && w.k.lines) result = padici_gpu_vortex_lines(gpu, &w);
    if (!result) result = padici_gpu_vortex_field(gpu, &w);
    padici_gpu_scratch_end(gpu, &w.records);
    return padici_gpu_vortex_extras_end(gpu, tone, &w.extras, result);
}

// room: src/gpu/vortex/phase.c
// The phase of a field: wave_phase_gradient, wave_winding; what is built beforehand.

// wave_phase_gradient

static int padici_gpu_gradient_params(const padic_wave_phase_gradient_desc *desc, uint64_t at,
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
    k->counted = desc->skipped != NULL;
    floor_ = frexp(desc->floor, &power);
    k->floor_hi = (float)floor_;
    k->floor_lo = (float)(floor_ - (double)k->floor_hi);
    k->floor_power = power;
    for (i = 0; i < 3; i++) {
        const double factor =
            (desc->scale != 0 ? desc->scale : 1) / (desc->step[i] > 0 ? desc->step[i] : 1);
        if (i < desc->psi.rank && !padici_gpu_vortex_normal(factor)) return 0;
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

static padic_result padici_gpu_wave_phase_gradient(padici_gpu *gpu, const padici_call *call,
                                                   int query)
{
    const padic_wave_phase_gradient_desc *desc = &call->desc.wave_phase_gradient;
    const padici_operand *psi = &call->operands[0], *out = &call->operands[1];
    padici_k_vortex_gradient_params k;
    padici_gpu_block report;
    padici_gpu_work work;
    uint32_t skipped = 0;
    padic_result result;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_gpu_wave_words(psi) || !padici_gpu_wave_words(out) ||
        padic_tensor_count(&desc->psi) >> 30 ||
        !padici_gpu_gradient_params(desc, psi->now.at, out->now.at, &k))
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
        result = padici_gpu_vortex_launch(gpu, &work, PADICI_KERNEL_VORTEX_GRADIENT, 3, k.n, &k,
                                          sizeof k);
    }
    if (!result && k.counted) result = padici_gpu_download(gpu, report.mem, 0, &skipped, 4);
    if (!result && desc->skipped) *desc->skipped = skipped;
    padici_gpu_scratch_end(gpu, &report);
    return result;
}

// wave_winding

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

// room: src/gpu/vortex/field_test.c
// Tests: against the reference, on numbers where that cannot be one byte or one rounding beside.

// Samples of moderate size, one of them 0.
static void padici_test_vortex_samples(float *psi, uint32_t n)
{
    uint32_t i, random = 12345;
    for (i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;
        psi[i] = ((float)(int32_t)(random >> 12) - 524288.0f) / 262144.0f * (i % 6 < 2 ? 0.01f : 1);
    }
    psi[6] = psi[7] = 0;
}

// A round for each of REAL, AMPLITUDE, INTENSITY, PHASE; columns apart.
static padic_result padici_test_vortex_observe(padici_gpu_case *c)
{
    const uint32_t n = 37 * 11;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * 2 * n), *out;
    padic_wave_observe_desc desc;
    padici_k_vortex_observe_params k;
    if (!psi || !padici_gpu_image(c, 1, 4 * n)) return PADIC_ERROR_MEMORY;
    out = (float *)padici_gpu_answer(c, 1);
    if (!out) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, 2 * n);
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_2d(PADIC_C64, psi, 37, 11);
    desc.psi.stride[0] = 22;
    desc.psi.stride[1] = 2;
    desc.out = padic_tensor_2d(PADIC_F32, out, 37, 11);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = 37;
    desc.emit = (padic_wave_emit)(c->round + 1);
    padici_wave_observe_host(NULL, &desc);
    padici_gpu_observe_params(&desc, 0, 0, &k);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[1].dtype = PADIC_F32;
    c->buffers[1].bound = 4e-6;
    c->again = c->round < 3;
    return PADIC_OK;
}

// Makes samples whose pixel is near to the next one into others.
static void padici_test_vortex_steady(const padic_wave_tone *tone, float *field, uint32_t n,
                                      int real_)
{
    padic_wave_superpose_desc desc;
    padici_wave_job job;
    uint32_t i, j, again;
    memset(&desc, 0, sizeof desc);
    memset(&job, 0, sizeof job);
    desc.tone = *tone;
    if (real_) desc.tone.value = PADIC_WAVE_REAL;
    job.desc = &desc;
    padici_wave_tone_range(tone, &job.low, &job.high);
    for (i = 0; i < n; i++)
        for (again = 1; again;) {
            uint8_t pixel[5][4];
            for (j = 0; j < 5; j++) {
                static const double off[5][2] = {
                    {0, 0}, {2e-5, 0}, {-2e-5, 0}, {0, 2e-5}, {0, -2e-5}};
                const double re = (double)field[real_ ? i : 2 * i];
                const double im = real_ ? 0 : (double)field[2 * i + 1];
                padici_complex z;
                z.re = re * (1 + off[j][0]) - im * off[j][1];
                z.im = im * (1 + off[j][0]) + re * off[j][1];
                padici_wave_pixel(&job, z, padici_wave_real(desc.tone.value, z), pixel[j]);
            }
            for (again = 0, j = 1; j < 5; j++) again |= memcmp(pixel[0], pixel[j], 4) != 0;
            if (again) field[real_ ? i : 2 * i] += 0.0011f;
        }
}

// Each curve and each map, c64 and f32.
static padic_result padici_test_vortex_tonemap(padici_gpu_case *c)
{
    const uint32_t n = 389, real_ = c->round == 1;
    float *field = (float *)padici_gpu_image(c, 0, 8 * n);
    uint8_t *table = (uint8_t *)padici_gpu_image(c, 1, 1024), *out;
    uint32_t *report = (uint32_t *)padici_gpu_image(c, 3, 8), i;
    padic_wave_tonemap_desc desc;
    padici_k_vortex_tonemap_params k;
    double range[2];
    if (!field || !table || !report || !padici_gpu_image(c, 2, 4 * n)) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(field, n);
    for (i = 0; i < 1024; i++) table[i] = (uint8_t)(i * 37 >> 2);
    report[0] = report[1] = 0;
    memset(&desc, 0, sizeof desc);
    desc.tone.curve = (padic_wave_curve)(c->round % 3);
    desc.tone.map = !c->round ? PADIC_WAVE_HUE : c->round == 1 ? PADIC_WAVE_HEAT
                                             : c->round == 2 ? PADIC_WAVE_TABLE
                                                             : PADIC_WAVE_GREY;
    desc.tone.value = PADIC_WAVE_REAL;
    desc.tone.low = 0.25;
    desc.tone.high = 3;
    desc.tone.table = table;
    desc.tone.range = range;
    padici_test_vortex_steady(&desc.tone, field, n, (int)real_);
    out = (uint8_t *)padici_gpu_answer(c, 2);
    report = (uint32_t *)padici_gpu_answer(c, 3);
    if (!out || !report) return PADIC_ERROR_MEMORY;
    desc.field = padic_tensor_1d(real_ ? PADIC_F32 : PADIC_C64, field, n);
    desc.out = padic_tensor_2d(PADIC_U8, out, n, 4);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = (int64_t)n;
    padici_wave_tonemap_host(NULL, &desc);
    for (i = 0; i < 2; i++) { // floats, and one below 0 and one above, as all of these are
        const float f = (float)range[i];
        uint32_t bits;
        memcpy(&bits, &f, 4);
        report[i] = i ? bits | 0x80000000u : bits;
    }
    if (!padici_gpu_tonemap_params(&desc, 0, 0, &k)) return PADIC_ERROR_MEMORY;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->again = c->round < 3;
    return PADIC_OK;
}

static uint64_t padici_test_vortex_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

// Numbers whose squares and sums are exact, in shares of 11 and 10 samples over one of 256.
static padic_result padici_test_vortex_norm(padici_gpu_case *c)
{
    const uint32_t n = 2 * 266 + 1, wide = c->gpu->info->features & PADIC_FEATURE_F64 ? 1 : 0;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n);
    uint32_t *sums = (uint32_t *)padici_gpu_image(c, 1, 8 * 4), i, j;
    padici_k_vortex_norm_params k;
    if (!psi || !sums) return PADIC_ERROR_MEMORY;
    sums = (uint32_t *)padici_gpu_answer(c, 1);
    if (!sums) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * n; i++) psi[i] = (float)((int32_t)(i * 7 % 31) - 15) / 8;
    memset(&k, 0, sizeof k);
    k.each = 266;
    k.more = 1;
    k.blocks = k.shares = 2;
    k.axes = 2;
    k.extent[0] = 13; // backwards, in rows
    k.extent[1] = 41;
    k.step[0] = 0u - 2u;
    k.step[1] = 26;
    k.base = 24;
    k.scale = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 1;
    for (i = 0; i < 4; i++) {
        const uint32_t first = i < 2 ? 0 : 267, end = first + (i < 2 ? 267 : 266);
        double sum = 0;
        float two[2];
        for (j = first + (i & 1) * 256; j < end && j < first + 256 + (i & 1) * 256; j++) {
            const float *z = psi + 2 * (j / 13 * 13 + 12 - j % 13);
            sum += (double)z[0] * (double)z[0] + (double)z[1] * (double)z[1];
        }
        padici_gpu_wave_two(sum, two);
        memcpy(sums + 2 * i, two, 8);
        if (!wide) continue;
        sums[2 * i] = 0; // these sums have few bits
        sums[2 * i + 1] = (uint32_t)(padici_test_vortex_bits(sum) >> 32);
    }
    return PADIC_OK;
}

static padic_result padici_test_vortex_norm_total(padici_gpu_case *c)
{
    const uint32_t wide = c->gpu->info->features & PADIC_FEATURE_F64 ? 1 : 0;
    uint32_t *sums = (uint32_t *)padici_gpu_image(c, 0, 8 * 21), *totals, i;
    padici_k_vortex_norm_total_params k;
    double sum = 0;
    if (!sums || !padici_gpu_image(c, 1, 8 * 4)) return PADIC_ERROR_MEMORY;
    totals = (uint32_t *)padici_gpu_answer(c, 1);
    if (!totals) return PADIC_ERROR_MEMORY;
    k.blocks = 7;
    k.shares = 3;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 1;
    for (i = 0; i < 21; i++) {
        const double x = 0.25 + i * i;
        float two[2];
        sum = i % 7 ? sum + x : x;
        padici_gpu_wave_two(x, two);
        memcpy(sums + 2 * i, two, 8);
        if (wide) sums[2 * i] = 0;
        if (wide) sums[2 * i + 1] = (uint32_t)(padici_test_vortex_bits(x) >> 32);
        padici_gpu_wave_two(sum, two);
        memcpy(totals + 2 * (i / 7), two, 8);
        if (wide) totals[2 * (i / 7)] = 0;
        if (wide) totals[2 * (i / 7) + 1] = (uint32_t)(padici_test_vortex_bits(sum) >> 32);
    }
    return PADIC_OK;
}

static padic_result padici_test_vortex_multiply(padici_gpu_case *c)
{
    static const double factors[3] = {0.7071067811865476, 1.2345678e-25, 9.87654321e25};
    const uint32_t n = 387;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n), *answer;
    padici_k_vortex_multiply_params k;
    padic_tensor t;
    uint32_t i;
    if (!psi) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, n);
    for (i = 0; i < 2 * n; i++)
        psi[i] *= c->round == 2 ? 7.8886090522e-31f : c->round ? 1.2676506e30f : 1;
    answer = (float *)padici_gpu_answer(c, 0);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * n; i++)
        if (i / 2 % 3 == 0) answer[i] = (float)((double)psi[i] * factors[c->round]);
    t = padic_tensor_1d(PADIC_C64, psi, 129); // every third sample
    t.stride[0] = 3;
    padici_gpu_multiply_params(&t, 0, factors[c->round], &k);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[0].dtype = PADIC_F32;
    c->buffers[0].bound = c->round == 2 ? 4e-11 : c->round ? 0.04 : 2.4e-7;
    c->again = c->round < 2;
    return PADIC_OK;
}

// Each method, in a volume, along a line and in a plane.
static padic_result padici_test_vortex_gradient(padici_gpu_case *c)
{
    const uint32_t n = 5 * 7 * 9;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n), *out;
    uint32_t *report = (uint32_t *)padici_gpu_image(c, 2, 4);
    padic_wave_phase_gradient_desc desc;
    padici_k_vortex_gradient_params k;
    uint64_t skipped = 0;
    if (!psi || !report || !padici_gpu_image(c, 1, 12 * n)) return PADIC_ERROR_MEMORY;
    out = (float *)padici_gpu_answer(c, 1);
    if (!out || !padici_gpu_answer(c, 2)) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, n);
    psi[40] = psi[42] = -1; // a link along the cut, and one at it
    psi[41] = psi[43] = 0;
    psi[44] = 1;
    psi[45] = -0.0f;
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_3d(PADIC_C64, psi, 5, 7, 9);
    desc.out = padic_tensor_3d(PADIC_F32, out, 5, 7, 9);
    if (c->round == 1) desc.psi = padic_tensor_1d(PADIC_C64, psi, n);
    if (c->round == 1) desc.out = padic_tensor_1d(PADIC_F32, out, n);
    if (c->round == 2) desc.psi = padic_tensor_2d(PADIC_C64, psi, 35, 9);
    if (c->round == 2) desc.out = padic_tensor_2d(PADIC_F32, out, 35, 9);
    desc.out.shape[desc.out.rank++] = desc.psi.rank;
    desc.periodic = c->round == 1 ? 0 : 2;
    desc.method = (padic_wave_phase_method)(c->round % 3);
    desc.step[0] = c->round == 2 ? 0 : 0.25;
    desc.scale = 0.5;
    desc.floor = 0.015625;
    desc.skipped = &skipped;
    padici_wave_phase_gradient_host(NULL, &desc);
    *(uint32_t *)(void *)c->buffers[2].answer += (uint32_t)skipped;
    if (!padici_gpu_gradient_params(&desc, 0, 0, &k)) return PADIC_ERROR_MEMORY;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[1].dtype = PADIC_F32;
    c->buffers[1].bound = 4e-5; // CURRENT reaches some 20
    c->again = c->round < 2;
    return PADIC_OK;
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

// room: src/gpu/vortex/lines_test.c
// Tests of line vortices.

// Axes along the coordinates and askew; what is absent; f64 centres, f32 axes.
static padic_result padici_test_vortex_lines(padici_gpu_case *c)
{
    static const float axes[6][3] = {{0, 0, 1},         {1, 0, 0},          {0, -1, 0},
                                     {0.6f, 0.8f, 0},   {-0.96f, 0, 0.28f}, {0.48f, 0.6f, -0.64f}};
    const uint32_t n = 203;
    double *centre = (double *)(void *)padici_gpu_image(c, 0, 24 * n);
    float *axis = (float *)padici_gpu_image(c, 1, 12 * n);
    float *charge = (float *)padici_gpu_image(c, 2, 4 * n), *record;
    float *core = (float *)padici_gpu_image(c, 3, 4);
    padici_k_vortex_lines_params k;
    uint32_t i, j;
    if (!centre || !axis || !charge || !core) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 4, 4 * PADICI_VORTEX_WORDS * n)) return PADIC_ERROR_MEMORY;
    record = (float *)padici_gpu_answer(c, 4);
    if (!record) return PADIC_ERROR_MEMORY;
    memset(&k, 0, sizeof k);
    k.count = n;
    k.dimensions = 3;
    k.wide = 1;
    k.present = c->round ? 5 : 15;
    k.core = c->round ? 3 : 0;
    k.step[0] = 6;
    k.centre_axis = 2;
    k.step[1] = 3;
    k.axis_axis = 1;
    k.base[2] = n - 1;
    k.step[2] = 0u - 1u;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->again = !c->round;
    core[0] = 0.75f;
    for (i = 0; i < n; i++) {
        double way[3] = {0, 0, 1}, frame[2][3];
        for (j = 0; j < 3; j++) {
            axis[3 * i + j] = axes[i % 6][j];
            if (!c->round) way[j] = (double)axis[3 * i + j];
            centre[3 * i + j] = (j == 1 ? -1 : 1) * (0.1 + (double)i / 3 + j);
            padici_gpu_wave_two(centre[3 * i + j], &record[PADICI_VORTEX_WORDS * i + 2 * j]);
        }
        (void)padici_wave_frame(way, frame[0], frame[1]);
        for (j = 0; j < 6; j++)
            padici_gpu_wave_two(frame[j / 3][j % 3], &record[PADICI_VORTEX_WORDS * i + 6 + 2 * j]);
        charge[n - 1 - i] = (float)(i % 7) - 3;
        record[PADICI_VORTEX_WORDS * i + 18] = (float)(i % 7) - 3;
        record[PADICI_VORTEX_WORDS * i + 19] = c->round ? 0.1f : 0.75f;
    }
    c->buffers[4].dtype = PADIC_F32; // second words are some 1e-9
    c->buffers[4].bound = 1e-12;
    return PADIC_OK;
}

// m lines for the reference, each tensor behind the one before, and as the kernel reads them.
static void padici_test_vortex_lines_of(uint32_t round, uint32_t m, double *space, float *record)
{
    static const double frames[3][6] = {
        {1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1}}; // along z, x, -y
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}};
    const uint32_t legacy = round == 3;
    uint32_t i, j;
    memset(record, 0, 4 * PADICI_VORTEX_WORDS * m);
    for (i = 0; i < m; i++) {
        const double charge = round == 1 ? (i & 1 ? -1 : 1) : (double)(i % 5) - 2;
        float *line = record + PADICI_VORTEX_WORDS * i;
        for (j = 0; j < 3; j++) {
            space[3 * i + j] = (double)(i * (j + 3) % 7) / 4 - 0.625;
            space[3 * m + 3 * i + j] = axes[i % 3][j];
            line[2 * j] = (float)space[3 * i + j];
        }
        for (j = 0; j < 6; j++) line[6 + 2 * j] = (float)frames[i % 3][j];
        space[6 * m + i] = legacy ? charge * 1.25 : charge;
        space[7 * m + i] = 0.25 + (double)i / 8;
        line[18] = (float)space[6 * m + i];
        line[19] = (float)space[7 * m + i];
    }
}

// Each core, listed and on a grid, on a field and alone.
static padic_result padici_test_vortex_field(padici_gpu_case *c)
{
    const uint32_t n = 7 * 8 * 5, m = 9, listed = c->round & 1, legacy = c->round == 3;
    double *space = (double *)(void *)padici_gpu_image(c, 6, 8 * 8 * m);
    float *points = (float *)padici_gpu_image(c, 0, 12 * n), *psi, *answer;
    float *record = (float *)padici_gpu_image(c, 1, 4 * PADICI_VORTEX_WORDS * m);
    padic_wave_vortex_desc desc;
    padici_k_vortex_field_params k;
    uint32_t i;
    psi = (float *)padici_gpu_image(c, 2, 8 * n);
    if (!space || !points || !record || !psi) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 3, 4) || !padici_gpu_image(c, 4, 8 * n) || !padici_gpu_image(c, 5, 4))
        return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 4);
    if (!answer) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, n);
    padici_test_vortex_lines_of(c->round, m, space, record);
    for (i = 0; i < 3 * n; i++) points[i] = (float)(i * 29 % 64) / 32 - 1;
    memset(&desc, 0, sizeof desc);
    desc.core = (padic_wave_core)c->round;
    desc.centres = padic_tensor_2d(PADIC_F64, space, m, 3);
    desc.axes = padic_tensor_2d(PADIC_F64, space + 3 * m, m, 3);
    if (legacy) memset(&desc.axes, 0, sizeof desc.axes);
    desc.charges = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
    desc.cores = padic_tensor_1d(PADIC_F64, space + 7 * m, m);
    desc.out = padic_tensor_3d(PADIC_C64, answer, 7, 8, 5);
    desc.psi = padic_tensor_3d(PADIC_C64, psi, 7, 8, 5);
    for (i = 0; i < 3; i++) {
        desc.grid.count[i] = (uint32_t)desc.out.shape[i];
        desc.grid.step[i] = 0.25 * (i + 1);
        desc.grid.origin[i] = -0.5;
    }
    if (listed) {
        memset(&desc.grid, 0, sizeof desc.grid);
        memset(&desc.psi, 0, sizeof desc.psi);
        desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
        desc.out = padic_tensor_1d(PADIC_C64, answer, n);
    }
    if (padici_wave_vortex_host(NULL, &desc)) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_vortex_params(&desc, &k)) return PADIC_ERROR_MEMORY;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[4].dtype = PADIC_F32;
    c->buffers[4].bound = 1.5e-5;
    c->again = c->round < 3;
    return PADIC_OK;
}
// room: src/gpu/padic_gpu_vortex.in.h:14
#endif // PADICI_GPU_VORTEX
