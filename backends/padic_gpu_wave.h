// padic_gpu_wave.h: superposition of waves in f32 on tiles, kernels/wave.cl. padic_gpu.h includes
// it; of no use alone. A tile is as large as keeps the rounding of the series below half of the
// tolerance: 1024, 512 or 256 points.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_WAVE) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_WAVE

#define PADICI_WAVE_RECORD (13u * 4u)
// points, sources, amplitude, phase, wavenumber, frequency, absorption
#define PADICI_WAVE_INPUTS 7u

typedef struct padici_gpu_wave {
    const padici_call *call;
    const padic_wave_superpose_desc *desc;
    const padici_operand *inputs[PADICI_WAVE_INPUTS], *out;
    const char *defines[6];
    double wavenumber; // the largest, in turns a length; 0: not known to the host
    uint32_t items;    // work-items of a tile
    uint32_t listed, tiles;
    padici_k_wave_field_params k;
    padici_gpu_block records, report, table;
} padici_gpu_wave;

static void padici_gpu_wave_defines(const padici_gpu *gpu, padici_gpu_wave *w)
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
    // What the hardware's sine is right to is known of NVIDIA's.
    w->defines[5] =
        strcmp(gpu->target->backend->name, "cuda") ? "PD_WAVE_FAST=0" : "PD_WAVE_FAST=1";
}

// A view whose elements a kernel reads as words, with 32-bit numbers.
static int padici_gpu_wave_words(const padici_operand *o)
{
    if (!o || !o->bytes) return 1;
    return (o->home.host || !(o->home.at & 3)) && (o->home.at + o->bytes) >> 33 == 0;
}

// The largest k, when the host can see it.
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

// Tiles of 2^log work-items by axis, the first of which has 8 points each; axis a of the kernel is
// axis order[a] of the grid. Returns half the diagonal of the largest tile.
static double padici_gpu_wave_radius(double step[3][3], const uint32_t order[3],
                                     const uint32_t log[3])
{
    double longest = 0;
    uint32_t corner, a, j;
    for (corner = 0; corner < 4; corner++) {
        double r2 = 0;
        for (j = 0; j < 3; j++) {
            double x = 0;
            for (a = 0; a < 3; a++) {
                const double half = 0.5 * ((a ? 1u : 8u) * (double)(1u << log[a]) - 1);
                x += (a && corner >> (a - 1) & 1 ? -half : half) * step[order[a]][j];
            }
            r2 += x * x;
        }
        if (r2 > longest) longest = r2;
    }
    return sqrt(longest);
}

// The shape of tiles of `items`: of those that waste few points the one with the least radius.
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
                const uint64_t each = (uint64_t)(a ? 1 : 8) << try_[a];
                cost *= (double)((count[order[a]] + each - 1) / each * each) /
                        (double)count[order[a]];
            }
            h = padici_gpu_wave_radius(step, order, try_);
            // Beyond the radius that the series allow, pairs cost several times as much.
            if (w->wavenumber * h * 3.5e-7 + 6e-8 >
                0.55 * (w->desc->tolerance > 0 ? w->desc->tolerance : 2e-6))
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
static void padici_gpu_wave_two(double x, float to[2])
{
    to[0] = (float)x;
    to[1] = (float)(x - (double)to[0]);
    if (!(to[1] - to[1] == 0)) to[1] = 0; // Inf
}

// Axes of the grid, the one that is contiguous in `out` first; tiles; all of k that is the grid's.
static int padici_gpu_wave_grid(padici_gpu_wave *w)
{
    static const uint32_t sizes[3] = {128, 64, 32};
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
        if (w->wavenumber == 0 && sizes[i] > 64) continue; // nothing known: not the largest
        cost = padici_gpu_wave_shape(w, job.step, order, job.count, sizes[i], shape, &r);
        if (best == 0 || cost < best) {
            best = cost;
            radius = r;
            w->items = sizes[i];
            memcpy(log, shape, sizeof shape);
        }
    }
    for (i = 0; i < 3; i++) {
        const uint32_t axis = order[i], each = (i ? 1u : 8u) << log[i];
        if (job.count[axis] > 1u << 22) return 0; // tile centres are exact in f32
        w->k.count[i] = (uint32_t)job.count[axis];
        w->k.tiles[i] = (w->k.count[i] + each - 1) / each;
        w->k.log[i] = log[i];
        tiles *= w->k.tiles[i];
        w->k.out_step[i] = job.count[axis] > 1 ? (uint32_t)job.stride[axis] : 0;
        padici_gpu_wave_two(w->desc->grid.origin[i], &w->k.origin[2 * i]);
        for (j = 0; j < 3; j++) padici_gpu_wave_two(job.step[axis][j], &w->k.step[6 * i + 2 * j]);
    }
    w->k.radius = (float)(radius * 1.000001);
    w->tiles = (uint32_t)tiles;
    return tiles < 1u << 24;
}

static int padici_gpu_wave_list(padici_gpu_wave *w)
{
    const padici_operand *o = w->inputs[0];
    const uint32_t words = o->tensor->dtype == PADIC_F64 ? 2 : 1;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t tiles;
    padici_tensor_dense(o->tensor, stride);
    w->items = w->k.points >> 20 ? 128 : 64;
    w->k.list_step = (uint32_t)stride[0] * words;
    w->k.list_axis = (uint32_t)stride[1] * words;
    w->k.list_wide = words - 1;
    w->k.list_dimensions = (uint32_t)o->tensor->shape[1];
    padici_tensor_dense(w->out->tensor, stride);
    w->k.out_step[0] = (uint32_t)stride[0];
    tiles = (w->k.points + 8u * w->items - 1) / (8u * w->items);
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
    w->k.emit = (uint32_t)desc->emit | (desc->sign == PADIC_WAVE_CONJUGATE ? 256u : 0u) |
                (desc->flags & PADIC_WAVE_ACCUMULATE ? 512u : 0u);
    w->k.tone = (uint32_t)desc->tone.value | (uint32_t)desc->tone.curve << 8 |
                (uint32_t)desc->tone.map << 16;
    w->k.nan_colour = bad[0] | (uint32_t)bad[1] << 8 | (uint32_t)bad[2] << 16 |
                      (uint32_t)bad[3] << 24;
    w->k.low = (float)low;
    w->k.high = (float)high;
    w->k.scale = (float)(1 / (desc->tone.curve == PADIC_WAVE_LOG ? log(1 + high / low)
                                                                : high - low));
}

// What the kernels can do at all; fills everything but where the memory is.
static int padici_gpu_wave_begin(padici_gpu *gpu, padici_gpu_wave *w, const padici_call *call)
{
    const padic_wave_superpose_desc *desc = &call->desc.wave_superpose;
    const padic_tensor *tensors[PADICI_WAVE_INPUTS];
    int64_t stride[PADIC_MAX_RANK];
    uint64_t points;
    uint32_t i, j;
    memset(w, 0, sizeof *w);
    w->call = call;
    w->desc = desc;
    tensors[0] = &desc->points;
    tensors[1] = &desc->sources;
    tensors[2] = &desc->amplitude;
    tensors[3] = &desc->phase;
    tensors[4] = &desc->wavenumber;
    tensors[5] = &desc->frequency;
    tensors[6] = &desc->absorption;
    for (i = 0; i < call->operand_count; i++)
        for (j = 0; j < PADICI_WAVE_INPUTS; j++)
            if (call->operands[i].tensor == tensors[j]) w->inputs[j] = &call->operands[i];
    w->out = &call->operands[call->operand_count - 1];
    w->listed = w->inputs[0] != NULL;
    if (padici_wave_is_f64(desc)) return 0;
    for (i = 0; i < PADICI_WAVE_INPUTS; i++) {
        if (!padici_gpu_wave_words(w->inputs[i])) return 0;
        // Device memory is checked where it can be read.
        if (w->inputs[i] && !w->inputs[i]->home.host && (desc->flags & PADIC_WAVE_CHECK_FINITE))
            return 0;
    }
    if ((w->out->home.at + w->out->bytes) >> 32) return 0;
    if (!w->out->home.host && w->out->home.at % padic_dtype_size(desc->out.dtype)) return 0;
    points = padic_tensor_count(&desc->out) / (desc->emit == PADIC_WAVE_RGBA8 ? 4 : 1);
    if (points >> 31 || desc->sources.shape[0] >> 26) return 0;
    w->k.points = (uint32_t)points;
    w->k.sources = (uint32_t)desc->sources.shape[0];
    w->k.tolerance = (float)(desc->tolerance > 0 ? desc->tolerance : 2e-6);
    w->k.length = (float)padici_wave_length(desc);
    w->wavenumber = padici_gpu_wave_number(w);
    padici_tensor_dense(&desc->out, stride);
    if (desc->emit == PADIC_WAVE_RGBA8) w->k.out_last = (uint32_t)stride[desc->out.rank - 1];
    padici_gpu_wave_tone(w);
    if (!(w->listed ? padici_gpu_wave_list(w) : padici_gpu_wave_grid(w))) return 0;
    padici_gpu_wave_defines(gpu, w);
    return 1;
}

// Records of the sources.
static padic_result padici_gpu_wave_sources(padici_gpu *gpu, padici_gpu_wave *w)
{
    const double speed = w->desc->speed > 0 ? w->desc->speed : 1;
    padici_k_wave_sources_params k;
    padici_gpu_work work;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    float two[2];
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.count = w->k.sources;
    k.dimensions = (uint32_t)w->desc->sources.shape[1];
    for (i = 0; i < 6; i++) {
        const padici_operand *o = w->inputs[i + 1];
        uint32_t words;
        work.mem[i] = o && o->bytes ? o->now.mem : w->records.mem;
        if (!o) continue;
        words = o->tensor->dtype == PADIC_F64 ? 2 : 1;
        padici_tensor_dense(o->tensor, stride);
        k.present |= 1u << i;
        if (words == 2) k.wide |= 1u << i;
        k.base[i] = (uint32_t)(o->now.at / 4);
        k.step[i] = o->tensor->rank ? (uint32_t)stride[0] * words : 0;
        if (!i) k.step_axis = (uint32_t)stride[1] * words;
    }
    padici_gpu_wave_two((w->desc->sign == PADIC_WAVE_INCOMING ? w->desc->time : -w->desc->time) /
                            PADICI_TWO_PI,
                        two);
    k.time_hi = two[0];
    k.time_lo = two[1];
    padici_gpu_wave_two(speed, two);
    k.speed_hi = two[0];
    k.speed_lo = two[1];
    padici_gpu_wave_two(1 / speed, two);
    k.inverse_hi = two[0];
    k.inverse_lo = two[1];
    work.kernel = PADICI_KERNEL_WAVE_SOURCES;
    work.defines = w->defines;
    work.define_count = 6;
    work.mem[6] = w->records.mem;
    work.mem_count = 7;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = padici_gpu_groups(gpu, k.count, 128);
    return padici_gpu_launch(gpu, &work);
}

#define PADICI_WAVE_PAIRS (UINT64_C(1) << 34) // of a launch: tens of milliseconds at most

static padic_result padici_gpu_wave_field(padici_gpu *gpu, padici_gpu_wave *w)
{
    const uint64_t each = 8u * (uint64_t)w->items * (w->k.sources + 1u);
    const uint64_t most = PADICI_WAVE_PAIRS / each + 1;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    memset(&work, 0, sizeof work);
    w->k.out_base = (uint32_t)(w->out->now.at / padic_dtype_size(w->desc->out.dtype));
    work.kernel = PADICI_KERNEL_WAVE_FIELD;
    work.defines = w->defines;
    work.define_count = 6;
    work.mem[0] = w->records.mem;
    if (w->listed) {
        work.mem[0] = w->inputs[0]->now.mem;
        w->k.list_base = (uint32_t)(w->inputs[0]->now.at / 4);
    }
    work.mem[1] = w->records.mem;
    work.mem[2] = w->table.mem.bits ? w->table.mem : w->records.mem;
    work.mem[3] = work.mem[4] = w->out->now.mem;
    work.mem[5] = w->report.mem;
    work.mem_count = 6;
    work.params = &w->k;
    work.params_size = sizeof w->k;
    for (w->k.tile = 0; w->k.tile < w->tiles && !result; w->k.tile += work.groups[0]) {
        const uint32_t left = w->tiles - w->k.tile;
        work.groups[0] = left < most ? left : (uint32_t)most;
        result = padici_gpu_launch(gpu, &work);
    }
    return result;
}

// What the tiles counted, when somebody wants to know.
static padic_result padici_gpu_wave_results(padici_gpu *gpu, const padici_gpu_wave *w)
{
    const padic_wave_superpose_desc *desc = w->desc;
    double *range = desc->emit == PADIC_WAVE_RGBA8 ? desc->tone.range : NULL;
    uint32_t space[256], i, j, n;
    double low = FLT_MAX, high = -FLT_MAX, bound = 0;
    uint64_t coincident = 0;
    if (!desc->coincident && !desc->bound && !range) return PADIC_OK;
    for (i = 0; i < w->tiles; i += n) {
        padic_result result;
        n = w->tiles - i < 64 ? w->tiles - i : 64;
        result = padici_gpu_download(gpu, w->report.mem, 16 * (uint64_t)i, space, 16 * (uint64_t)n);
        if (result) return result;
        for (j = 0; j < n; j++) {
            float f[4];
            memcpy(f, space + 4 * j, 16);
            coincident += space[4 * j];
            if ((double)f[1] > bound) bound = (double)f[1];
            if ((double)f[2] < low) low = (double)f[2];
            if ((double)f[3] > high) high = (double)f[3];
        }
    }
    if (desc->coincident) *desc->coincident = coincident;
    if (desc->bound) *desc->bound = bound;
    if (range) {
        range[0] = low > high ? 0 : low;
        range[1] = low > high ? 0 : high;
    }
    return PADIC_OK;
}

static padic_result padici_gpu_wave_superpose(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_gpu_wave w;
    padic_result result;
    if (!padici_gpu_wave_begin(gpu, &w, call)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_WAVE_SOURCES, w.defines, 6);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_WAVE_FIELD, w.defines, 6);
    if (query || result || !w.k.points) return result;
    w.records.block = w.report.block = w.table.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, (uint64_t)(w.k.sources + 1u) * PADICI_WAVE_RECORD, &w.records);
    if (!result) result = padici_gpu_scratch(gpu, 16 * (uint64_t)w.tiles, &w.report);
    if (!result && w.desc->emit == PADIC_WAVE_RGBA8 && w.desc->tone.map == PADIC_WAVE_TABLE) {
        result = padici_gpu_scratch(gpu, 1024, &w.table);
        if (!result) result = padici_gpu_upload(gpu, w.table.mem, 0, w.desc->tone.table, 1024);
    }
    if (!result && w.k.sources) result = padici_gpu_wave_sources(gpu, &w);
    if (!result) result = padici_gpu_wave_field(gpu, &w);
    if (!result) result = padici_gpu_wave_results(gpu, &w);
    padici_gpu_scratch_end(gpu, &w.table);
    padici_gpu_scratch_end(gpu, &w.report);
    padici_gpu_scratch_end(gpu, &w.records);
    return result;
}

static padic_result padici_warm_wave(padici_gpu *gpu)
{
    padic_wave_superpose_desc desc;
    padici_gpu_wave w;
    padic_result result = PADIC_OK;
    memset(&desc, 0, sizeof desc);
    memset(&w, 0, sizeof w);
    w.desc = &desc;
    for (w.listed = 0; w.listed < 2 && !result; w.listed++) {
        w.items = 64;
        padici_gpu_wave_defines(gpu, &w);
        result = padici_gpu_need(gpu, PADICI_KERNEL_WAVE_FIELD, w.defines, 6);
    }
    return result;
}

// Tests: a few points and sources of every class, against the reference.

// More than one block of sources and one tile of points, where drivers have gone wrong.
#define PADICI_TEST_WAVE_SOURCES 131u
#define PADICI_TEST_WAVE_POINTS 700u // of a list; a grid has 37 x 3 x 3 of them

// Sources from 1e5 wavelengths away to the middle of the points, whose box is 2 by 1 by 1; at
// numbers of 12 bits, so that sums of two are exact in f32. Some are so short that only the class
// WIDE is right.
static void padici_test_wave_source(uint32_t i, float at[3], float *number, float *turns)
{
    static const float far_[6] = {65536, 2048, 256, 32, 6, 0.25f};
    const float reach = far_[i % 6];
    at[0] = reach * (1 + (float)(i % 5) / 8) + (reach < 1 ? 1.015625f : 0);
    at[1] = reach * ((float)(i % 7) / 4 - 1);
    at[2] = reach * ((float)(i % 3) / 2 - 0.375f) + (reach < 1 ? 0.5f : 0);
    *number = (i % 4 == 3 ? -1.0f : 1.0f) * (0.5f + (float)(i % 11) / 16);
    if (i % 12 == 4) *number *= 32;
    *turns = (float)(i % 13) / 16 - 0.375f;
}

static padic_result padici_test_wave_field(padici_gpu_case *c)
{
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), m = PADICI_TEST_WAVE_SOURCES;
    const uint32_t absorb = padici_gpu_define(c, "PD_WAVE_ABSORB", 0);
    const uint32_t n = listed ? PADICI_TEST_WAVE_POINTS : 333;
    double *space = (double *)(void *)padici_gpu_image(c, 7, 8 * 8 * m); // room for the reference
    float *points = (float *)padici_gpu_image(c, 0, 12 * n), *answer;
    float *record = (float *)padici_gpu_image(c, 1, PADICI_WAVE_RECORD * m);
    padic_wave_superpose_desc desc;
    padici_gpu_wave w;
    double most = 0;
    uint32_t i, j, tiles;
    if (!space || !points || !record || !padici_gpu_image(c, 2, 4)) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 3, 8 * n) || !padici_gpu_image(c, 4, 4)) return PADIC_ERROR_MEMORY;
    memset(&desc, 0, sizeof desc);
    memset(&w, 0, sizeof w);
    desc.kernel = (padic_wave_kernel)kernel;
    desc.softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    desc.length = 0.0625;
    for (i = 0; i < m; i++) {
        float at[3], number, turns, a = 1 + (float)(i % 3);
        padici_test_wave_source(i, at, &number, &turns);
        if (kernel == PADIC_WAVE_GREEN1) at[1] = at[2] = 0;
        if (kernel == PADIC_WAVE_GREEN2) at[2] = 0;
        for (j = 0; j < 3; j++) {
            space[3 * i + j] = (double)at[j];
            record[2 * j * m + i] = at[j];
            record[(2 * j + 1) * m + i] = 0;
        }
        space[3 * m + i] = (double)number * PADICI_TWO_PI;
        space[4 * m + i] = (double)turns * PADICI_TWO_PI;
        space[5 * m + i] = (double)a;
        space[6 * m + i] = (double)(record[11 * m + i] = absorb ? 0.125f / (float)(1 + i % 3) : 0);
        most += (double)a;
        if (kernel == PADIC_WAVE_GREEN3) a = (float)((double)a / (2 * PADICI_TWO_PI));
        if (kernel == PADIC_WAVE_GREEN2) a /= 4, turns += number < 0 ? -0.25f : 0.25f;
        if (kernel == PADIC_WAVE_GREEN1)
            a = (float)((double)a / (2 * space[3 * m + i])), turns += 0.25f;
        record[6 * m + i] = number;
        record[7 * m + i] = record[9 * m + i] = record[12 * m + i] = 0;
        record[8 * m + i] = turns;
        record[10 * m + i] = a;
    }
    for (i = 0; i < n; i++) { // a tenth of the box for the list's first tile, all of it for others
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = kernel == PADIC_WAVE_GREEN1 ? 0 : (float)(i / 37 % 3) / 32;
        points[3 * i + 2] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2
                                ? 0
                                : 0.5f + (float)(i / 111) / 16;
    }
    desc.sources = padic_tensor_2d(PADIC_F64, space, m, 3);
    desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, space + 3 * m, m);
    desc.phase = padic_tensor_1d(PADIC_F64, space + 4 * m, m);
    desc.amplitude = padic_tensor_1d(PADIC_F64, space + 5 * m, m);
    if (absorb) desc.absorption = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
    answer = (float *)padici_gpu_answer(c, 3);
    if (!answer) return PADIC_ERROR_MEMORY;
    desc.out = padic_tensor_1d(PADIC_C64, answer, n);
    if (padici_wave_superpose_host(NULL, &desc)) return PADIC_ERROR_MEMORY;
    c->buffers[3].dtype = PADIC_F32;
    c->buffers[3].bound = 2e-5 * most * (kernel == PADIC_WAVE_GREEN1 ? 0.2 : 1) *
                          (desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    w.desc = &desc;
    w.items = items;
    w.k.points = n;
    w.k.sources = m;
    w.k.tolerance = 2e-6f;
    w.k.length = 0.0625f;
    padici_gpu_wave_tone(&w);
    if (listed) {
        w.k.list_step = 3;
        w.k.list_axis = 1;
        w.k.list_dimensions = 3;
        w.k.out_step[0] = 1;
        tiles = (n + 8 * items - 1) / (8 * items);
    } else {
        static const float step[3] = {0.03125f, 0.03125f, 0.0625f};
        w.k.log[0] = 1;
        w.k.log[1] = 1;
        w.k.log[2] = items == 128 ? 5 : items == 64 ? 4 : 3;
        w.k.count[0] = 37;
        w.k.count[1] = w.k.count[2] = 3;
        w.k.tiles[0] = 3;
        w.k.tiles[1] = 2;
        w.k.tiles[2] = 1;
        w.k.origin[0] = 1;
        w.k.origin[4] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : 0.5f;
        w.k.step[0] = step[0];
        w.k.step[8] = kernel == PADIC_WAVE_GREEN1 ? 0 : step[1];
        w.k.step[16] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : step[2];
        w.k.radius = 1.1f;
        w.k.out_step[0] = 1;
        w.k.out_step[1] = 37;
        w.k.out_step[2] = 111;
        tiles = 6;
    }
    memcpy(&c->params, &w.k, sizeof w.k);
    c->groups[0] = tiles;
    if (!padici_gpu_image(c, 5, 16 * tiles)) return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 5);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < tiles; i++) {
        answer[4 * i] = 0; // a count, 0 to the bound
        answer[4 * i + 1] = 1e-6f;
        answer[4 * i + 2] = FLT_MAX;
        answer[4 * i + 3] = -FLT_MAX;
    }
    c->buffers[5].dtype = PADIC_F32;
    c->buffers[5].bound = 1.2e-6; // what a tile reports is below the tolerance
    return PADIC_OK;
}

// Two words of everything; f64 and f32 inputs, one number for all, a step backwards.
static padic_result padici_test_wave_sources(padici_gpu_case *c)
{
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0), n = 203;
    padici_k_wave_sources_params k;
    double *at = (double *)(void *)padici_gpu_image(c, 0, 24 * n), *phase;
    float *a = (float *)padici_gpu_image(c, 1, 4), *number = (float *)padici_gpu_image(c, 3, 4 * n);
    float *record;
    uint32_t i, j;
    phase = (double *)(void *)padici_gpu_image(c, 2, 8 * n);
    if (!at || !a || !number || !phase) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 4, 4) || !padici_gpu_image(c, 5, 4)) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 6, PADICI_WAVE_RECORD * n)) return PADIC_ERROR_MEMORY;
    record = (float *)padici_gpu_answer(c, 6);
    if (!record) return PADIC_ERROR_MEMORY;
    memset(&k, 0, sizeof k);
    k.count = n;
    k.dimensions = 3;
    k.present = 1 | 2 | 4 | 8; // frequency c k, no absorption
    k.wide = 1 | 4;
    k.base[3] = n - 1;
    k.step[0] = 6;
    k.step_axis = 2;
    k.step[2] = 2;
    k.step[3] = 0u - 1u;
    k.time_hi = -3;
    k.speed_hi = 0.5f;
    k.inverse_hi = 2;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    a[0] = 1.5f;
    for (i = 0; i < n; i++) {
        const double own = 0.25 + (double)i / 64;
        double turns;
        float two[2];
        for (j = 0; j < 3; j++) {
            at[3 * i + j] = (j == 1 ? -1 : 1) * (0.1 + (double)i / 3 + j);
            padici_gpu_wave_two(at[3 * i + j], two);
            record[2 * j * n + i] = two[0];
            record[(2 * j + 1) * n + i] = two[1];
        }
        phase[i] = 0.3 * i - 30;
        number[n - 1 - i] = (float)own;
        turns = phase[i] / PADICI_TWO_PI - 1.5 * own; // t = 6 pi
        padici_gpu_wave_two(own / PADICI_TWO_PI, two);
        record[6 * n + i] = two[0];
        record[7 * n + i] = two[1];
        record[10 * n + i] = 1.5f;
        if (kernel == PADIC_WAVE_GREEN3) record[10 * n + i] = (float)(0.75 / PADICI_TWO_PI);
        if (kernel == PADIC_WAVE_GREEN2) record[10 * n + i] = 0.375f;
        if (kernel == PADIC_WAVE_GREEN1) record[10 * n + i] = (float)(0.75 / own);
        if (kernel == PADIC_WAVE_GREEN2 || kernel == PADIC_WAVE_GREEN1) turns += 0.25;
        turns -= floor(turns + 0.5);
        padici_gpu_wave_two(turns, two);
        record[8 * n + i] = two[0];
        record[9 * n + i] = two[1];
        record[11 * n + i] = record[12 * n + i] = 0;
    }
    c->buffers[6].dtype = PADIC_F32; // second words are some 1e-9; amplitudes of two are divided
    c->buffers[6].bound = kernel == PADIC_WAVE_GREEN3 || kernel == PADIC_WAVE_GREEN1 ? 1e-6 : 1e-11;
    return PADIC_OK;
}
#endif // PADICI_GPU_WAVE
