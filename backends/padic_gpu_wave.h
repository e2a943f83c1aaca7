// padic_gpu_wave.h: superposition of waves in f32 on tiles, frames of it and its gradient,
// kernels/wave.cl. padic_gpu.h includes it; of no use alone. A tile is as large as keeps the
// rounding of the series below half of the tolerance, that of lines below four fifths: 1024, 512 or
// 256 points, a quarter for gradients.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_WAVE) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_WAVE

// room: src/gpu/wave/plan.c
// The plan of a field: what the kernels can do, tiles and axes of its points, tones.

#define PADICI_WAVE_RECORD (13u * 4u)
// points, sources, amplitude, phase, wavenumber, frequency, absorption
#define PADICI_WAVE_INPUTS 7u

enum { PADICI_WAVE_PLAIN, PADICI_WAVE_FRAMES, PADICI_WAVE_SLOPE }; // PD_WAVE_MODE

typedef struct padici_gpu_wave {
    const padici_call *call;
    const padic_wave_superpose_desc *desc; // of one frame
    const padici_operand *inputs[PADICI_WAVE_INPUTS], *out; // out: or NULL
    uint32_t mode, define_count, each; // each: points of a work-item
    uint32_t order[3];                 // axes of the grid, as the kernel has them
    const char *defines[8];
    double wavenumber; // the largest, in turns a length; 0: not known to the host
    uint32_t items;    // work-items of a tile
    uint32_t listed, lines, tiles; // lines: the kernel has the class LINE
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
    w->define_count = 6;
    if (w->mode != PADICI_WAVE_PLAIN)
        w->defines[w->define_count++] =
            w->mode == PADICI_WAVE_FRAMES ? "PD_WAVE_MODE=1" : "PD_WAVE_MODE=2";
    if (w->mode == PADICI_WAVE_FRAMES && w->each == 2)
        w->defines[w->define_count++] = "PD_WAVE_POINTS=2";
}

static const padici_operand *padici_gpu_wave_operand(const padici_call *call,
                                                     const padic_tensor *tensor)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].tensor == tensor) return &call->operands[i];
    return NULL;
}

// A view whose elements a kernel reads as words, with 32-bit numbers.
static int padici_gpu_wave_words(const padici_operand *o)
{
    if (!o || !o->bytes) return 1;
    return (o->home.host || !(o->home.at & 3)) && (o->home.at + o->bytes) >> 33 == 0;
}

#define PADICI_WAVE_HELD 1e15 // numbers whose squares and products f32 holds

// Whether no number of an operand is beyond `end`, or the host does not see them.
static int padici_gpu_wave_held(const padici_operand *o, double end)
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
static int padici_gpu_wave_all_held(const padici_gpu_wave *w)
{
    uint32_t i;
    for (i = 0; i < PADICI_WAVE_INPUTS; i++)
        if (!padici_gpu_wave_held(w->inputs[i], i == 3 ? 1e30 : PADICI_WAVE_HELD)) return 0;
    return 1;
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
                const uint64_t each = (uint64_t)(a ? 1 : w->each) << try_[a];
                cost *= (double)((count[order[a]] + each - 1) / each * each) /
                        (double)count[order[a]];
            }
            h = padici_gpu_wave_radius(step, order, try_, w->each);
            // Beyond the radius that series or lines allow, pairs cost several times as much.
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

// Elements of a written operand have 32-bit numbers.
static int padici_gpu_wave_reached(const padici_operand *o)
{
    return !o || ((o->home.at + o->bytes) >> 32 == 0 &&
                  (o->home.host || !(o->home.at % padic_dtype_size(o->tensor->dtype))));
}

// Points a unit below which frames are waited for rather than computed: items take 2 of them then.
#define PADICI_WAVE_LATENT 128u

// What the kernels can do at all; fills everything but where the memory is. `given` is the field
// in the call's desc, `desc` one frame of it, with an output that has the points' shape.
static int padici_gpu_wave_begin(padici_gpu *gpu, padici_gpu_wave *w, const padici_call *call,
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
        if (w->inputs[i] && !w->inputs[i]->home.host && (desc->flags & PADIC_WAVE_CHECK_FINITE))
            return 0;
    }
    if (!padici_gpu_wave_reached(w->out)) return 0;
    points = padic_tensor_count(&desc->out) / (desc->emit == PADIC_WAVE_RGBA8 ? 4 : 1);
    if (points >> 31 || desc->sources.shape[0] >> 26) return 0;
    w->k.points = (uint32_t)points;
    if (mode == PADICI_WAVE_FRAMES && points < PADICI_WAVE_LATENT * (uint64_t)units) w->each = 2;
    w->k.sources = (uint32_t)desc->sources.shape[0];
    // A little less: bounds are sums of f32.
    w->k.tolerance = (float)((desc->tolerance > 0 ? desc->tolerance : 2e-6) * (1 - 3e-7));
    if (!w->listed) w->k.place = (float)padici_wave_place(&desc->grid);
    w->k.length = (float)padici_wave_length(desc);
    w->wavenumber = padici_gpu_wave_number(w);
    w->lines = !w->listed && w->each == 8 && !w->inputs[6] && desc->kernel < PADIC_WAVE_GREEN2 &&
               desc->softening != PADIC_WAVE_PLUMMER && desc->softening != PADIC_WAVE_ADDED;
    padici_tensor_dense(&desc->out, stride);
    if (desc->emit == PADIC_WAVE_RGBA8) w->k.out_last = (uint32_t)stride[desc->out.rank - 1];
    padici_gpu_wave_tone(w);
    if (!(w->listed ? padici_gpu_wave_list(w) : padici_gpu_wave_grid(w))) return 0;
    padici_gpu_wave_defines(gpu, w);
    return 1;
}

// room: src/gpu/wave/field.c
// A field: records of its sources, launches over its points, what the tiles counted.

// speed t/2pi in four words of 24 bits: the integers of both times 256 digits of 1/2pi, cut from
// the top.
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

// What kernels read of sources; buffers of them in mem[0] to mem[5].
static void padici_gpu_wave_given(const padici_gpu_wave *w, padici_k_wave_sources_params *k,
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
    padici_gpu_wave_two((w->desc->sign == PADIC_WAVE_INCOMING ? w->desc->time : -w->desc->time) /
                            PADICI_TWO_PI,
                        two);
    k->time_hi = two[0];
    k->time_lo = two[1];
    padici_gpu_wave_late(w->desc->sign == PADIC_WAVE_INCOMING ? w->desc->time : -w->desc->time,
                         padici_wave_rate_speed(w->desc), k->late);
    padici_gpu_wave_two(speed, two);
    k->speed_hi = two[0];
    k->speed_lo = two[1];
    padici_gpu_wave_two(1 / speed, two);
    k->inverse_hi = two[0];
    k->inverse_lo = two[1];
}

// Records of the sources.
static padic_result padici_gpu_wave_sources(padici_gpu *gpu, padici_gpu_wave *w,
                                            padic_mem order, uint32_t order_base)
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

// Pairs of a launch: tens of milliseconds, and many times what the device has under way, since the
// last groups of a launch leave most of it idle.
static uint64_t padici_gpu_wave_most(const padici_gpu *gpu)
{
    const uint64_t units = gpu->info->compute_units;
    return (units < 16 ? 16 : units > 128 ? 128 : units) << 30;
}

static void padici_gpu_wave_work(padici_gpu_wave *w, padici_gpu_work *work)
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

// `slopes`: where the gradient goes, or NULL.
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

typedef struct padici_gpu_wave_seen {
    uint64_t coincident;
    double bound, low, high;
} padici_gpu_wave_seen;

// What n groups of items counted.
static padic_result padici_gpu_wave_reports(padici_gpu *gpu, padic_mem report, uint64_t n,
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

static void padici_gpu_wave_tell(const padici_gpu_wave *w, const padici_gpu_wave_seen *seen)
{
    const padic_wave_superpose_desc *desc = w->desc;
    if (desc->coincident) *desc->coincident = seen->coincident;
    if (desc->bound) *desc->bound = seen->bound;
    if (desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range) {
        desc->tone.range[0] = seen->low > seen->high ? 0 : seen->low;
        desc->tone.range[1] = seen->low > seen->high ? 0 : seen->high;
    }
}

// What the tiles counted, when somebody wants to know.
static padic_result padici_gpu_wave_results(padici_gpu *gpu, const padici_gpu_wave *w)
{
    const padic_wave_superpose_desc *desc = w->desc;
    padici_gpu_wave_seen seen;
    padic_result result;
    if (!desc->coincident && !desc->bound &&
        !(desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range))
        return PADIC_OK;
    result = padici_gpu_wave_reports(gpu, w->report.mem, w->tiles, &seen);
    if (!result) padici_gpu_wave_tell(w, &seen);
    return result;
}

static padic_result padici_gpu_wave_table(padici_gpu *gpu, padici_gpu_wave *w)
{
    padic_result result;
    if (w->desc->emit != PADIC_WAVE_RGBA8 || w->desc->tone.map != PADIC_WAVE_TABLE)
        return PADIC_OK;
    result = padici_gpu_scratch(gpu, 1024, &w->table);
    if (result) return result;
    return padici_gpu_upload(gpu, w->table.mem, 0, w->desc->tone.table, 1024);
}

// A field, and its gradient if there are slopes.
static padic_result padici_gpu_wave_run(padici_gpu *gpu, padici_gpu_wave *w, int query,
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

// room: src/gpu/wave/superpose.c
// The drivers of wave_superpose and wave_gradient, fields of few pairs among them.

#define PADICI_WAVE_FEW (UINT64_C(1) << 22) // pairs
#define PADICI_WAVE_SPLIT 3u                // most: 8 items a point

// Few pairs are done by one launch, in which every pair is a class of its own.
static int padici_gpu_wave_few(const padici_gpu_wave *w)
{
    return w->listed && w->k.points && w->k.sources && w->desc->emit != PADIC_WAVE_RGBA8 &&
           !(w->inputs[4] && w->inputs[5]) &&
           (uint64_t)w->k.points * w->k.sources <= PADICI_WAVE_FEW;
}

static int padici_example_wave_few(padici_any_desc *desc, uint32_t size_class)
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

// By pairs. Choices: sources of a point that are under way at once.
static const padici_gpu_tunable padici_tunable_wave_few = {
    "wave_few", PADIC_AREA_WAVE, PADIC_OP_WAVE_SUPERPOSE, PADICI_PROGRAM_WAVE, 4,
    {{{NULL, NULL, NULL, NULL}, 0, 0},
     {{"PD_WAVE_SOME=1", NULL, NULL, NULL}, 1, 0},
     {{"PD_WAVE_SOME=2", NULL, NULL, NULL}, 1, 0},
     {{"PD_WAVE_SOME=8", NULL, NULL, NULL}, 1, 0}},
    padici_example_wave_few, 1e-4};

static padic_result padici_gpu_wave_small(padici_gpu *gpu, padici_gpu_wave *w)
{
    const uint32_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const padic_wave_superpose_desc *desc = w->desc;
    const int told = desc->coincident || desc->bound;
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
    k.emit = w->k.emit | (told ? 2048u : 0u); // WAVE_REPORT
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

static padic_result padici_gpu_wave_superpose(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_wave_superpose_desc *desc = &call->desc.wave_superpose;
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
static PADICI_NOINLINE padic_result padici_gpu_wave_gradient(padici_gpu *gpu,
                                                             const padici_call *call, int query)
{
    const padic_wave_gradient_desc *desc = &call->desc.wave_gradient;
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
    if (w.out) w.k.emit |= 1024u; // WAVE_FIELD
    for (i = 0; i < 3; i++)
        w.k.slope_step[i] = w.order[i] < axis ? (uint32_t)stride[w.order[i]] : 0;
    if (w.listed) w.k.slope_step[1] = w.k.slope_step[2] = 0;
    return padici_gpu_wave_run(gpu, &w, query, slopes);
}

// room: src/gpu/wave/frames_plan.c
// The plan of frames: sources in groups of one frequency, waves in room that is there.

#define PADICI_WAVE_ROOM (UINT64_C(1) << 27) // bytes of waves at once

typedef struct padici_gpu_frames {
    padici_gpu_wave wave;
    padic_wave_frames_desc desc; // what the host reads of it lies in host memory
    padici_wave_frames job;      // its job.one is wave.desc
    padici_k_wave_frame_params k;
    const padici_operand *times, *drive, *mean;
    padici_gpu_block ends, order, rates, factors, waves, range; // order, rates: or none, in ends
    uint32_t chunk, shares, parts; // tiles at once; groups of items a tile: of waves, of frames
    uint32_t spread;               // groups of items a unit at which frames are cut no further
    uint32_t order_base, rate_base; // in words, of order's block
    uint64_t rate_bytes, copy_bytes;
    char *copies;
    double cost; // turns that factors are wrong by
    int late;    // w t wants more than two words: the host makes the factors
} padici_gpu_frames;

// Lets `to` see an operand's elements in host memory; `copies` has room if they lie elsewhere.
static padic_result padici_gpu_frames_see(padici_gpu *gpu, const padici_operand *o,
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

// Times and frequencies in host memory, and the sources in groups.
static padic_result padici_gpu_frames_sort(padici_gpu *gpu, padici_gpu_frames *s)
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
    result = padici_gpu_frames_see(gpu, of, rated ? &field->frequency : &field->wavenumber, &at);
    if (!result) result = padici_gpu_frames_see(gpu, s->times, &s->desc.times, &at);
    if (result) return result;
    padici_wave_frames_begin(&s->job, &s->desc);
    result = padici_wave_frames_sorted(&s->job, allocator, &s->rate_bytes);
    if (result) return padici_fail_here(gpu->context, result, "out of host memory");
    return PADIC_OK;
}

// Ends of frequencies, rows of sources by frequency, and these: what the kernels read of groups.
static padic_result padici_gpu_frames_upload(padici_gpu *gpu, padici_gpu_frames *s)
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

// The same on the device, from what lies there.
static padic_result padici_gpu_frames_order(padici_gpu *gpu, padici_gpu_frames *s)
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

#define PADICI_WAVE_ORDERED 8192u // sources whose frequencies the device puts in order

// Whether the host need know no frequency and no time, so that the call can be recorded: all
// waves that there may be have room at once.
static int padici_gpu_frames_resident(const padici_gpu_frames *s)
{
    const padici_gpu_wave *w = &s->wave;
    const padici_operand *of = w->inputs[5] ? w->inputs[5] : w->inputs[4];
    const uint64_t tile = w->each * (uint64_t)w->items;
    if (s->desc.merge_turns > 0 || !w->k.sources || w->k.sources > PADICI_WAVE_ORDERED ||
        8 * tile * w->tiles * w->k.sources > PADICI_WAVE_ROOM)
        return 0;
    return s->drive || (!w->desc->bound && of && of->bytes && !of->home.host);
}

// How the work is cut: waves of `chunk` tiles fit their room.
static void padici_gpu_frames_cut(const padici_gpu *gpu, padici_gpu_frames *s)
{
    const padici_gpu_wave *w = &s->wave;
    const uint64_t points = w->each * (uint64_t)w->items;
    const uint64_t groups = s->job.groups ? s->job.groups : 1;
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const uint64_t quads = (s->job.frames + 3) / 4;
    const uint64_t most = padici_gpu_wave_most(gpu);
    uint64_t chunk = PADICI_WAVE_ROOM / (8 * points * groups), share;
    if (chunk > most / (points * (w->k.sources + 1u)))
        chunk = most / (points * (w->k.sources + 1u));
    if (chunk > most / (points * groups * (s->job.frames + 1)))
        chunk = most / (points * groups * (s->job.frames + 1));
    if (chunk > w->tiles) chunk = w->tiles;
    s->chunk = chunk ? (uint32_t)chunk : 1;
    share = groups * s->chunk / (units * 16); // frequencies of a group of items
    if (share < 1) share = 1;
    if (share < (groups + 65534) / 65535) share = (groups + 65534) / 65535;
    s->wave.k.share = (uint32_t)share;
    s->wave.k.groups = (uint32_t)s->job.groups;
    s->shares = (uint32_t)((groups + share - 1) / share);
    share = quads * s->chunk / (units * s->spread); // frames of one, by 4
    if (share < 1) share = 1;
    if (share < (quads + 65534) / 65535) share = (quads + 65534) / 65535;
    s->k.each = (uint32_t)(4 * share);
    s->parts = (uint32_t)((quads + share - 1) / share);
}

static void padici_gpu_frames_params(padici_gpu_frames *s)
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
    k->ranged = w->desc->emit == PADIC_WAVE_RGBA8 && w->desc->tone.range;
    k->out_last = w->k.out_last;
    k->out_frame = (uint32_t)s->job.frame_stride;
    if (w->out)
        k->out_base = (uint32_t)(w->out->now.at / padic_dtype_size(w->desc->out.dtype));
    k->emit = w->k.emit;
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

// room: src/gpu/wave/frames.c
// Frames: factors, waves, and the driver of wave_frames.

#define PADICI_WAVE_TIMED 4u // frequencies for which every group works out factors by itself

// Factors by the host, in parts.
static padic_result padici_gpu_frames_late(padici_gpu *gpu, padici_gpu_frames *s)
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

static padic_result padici_gpu_frames_factors(padici_gpu *gpu, padici_gpu_frames *s)
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
    if (s->late) return padici_gpu_frames_late(gpu, s);
    padici_gpu_wave_two(s->desc.field.time - s->job.base, two);
    k.shift_hi = two[0];
    k.shift_lo = two[1];
    k.sign = s->wave.desc->sign == PADIC_WAVE_OUTGOING ? -1.0f : 1.0f;
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
static padic_result padici_gpu_frames_tiles(padici_gpu *gpu, padici_gpu_frames *s, uint32_t tile,
                                            uint32_t n)
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
    work.mem[1] = s->wave.records.mem; // without sources none is read
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

static padic_result padici_gpu_frames_results(padici_gpu *gpu, padici_gpu_frames *s)
{
    const padic_wave_superpose_desc *desc = s->wave.desc;
    const int ranged = desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range;
    padici_gpu_wave_seen seen;
    padic_result result;
    uint64_t i, n, all = 2 * (uint64_t)s->wave.tiles * s->parts;
    float space[512];
    if (!desc->coincident && !desc->bound && !ranged) return PADIC_OK;
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
static padic_result padici_gpu_frames_memory(padici_gpu *gpu, padici_gpu_frames *s, int resident)
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

static int padici_example_wave_frames(padici_any_desc *desc, uint32_t size_class)
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

// By numbers written. Choices: how far frames of a tile are dealt out to groups of items.
static const padici_gpu_tunable padici_tunable_wave_frames = {
    "wave_frames", PADIC_AREA_WAVE, PADIC_OP_WAVE_FRAMES, PADICI_PROGRAM_WAVE, 4,
    {{{NULL, NULL, NULL, NULL}, 0, 32},
     {{NULL, NULL, NULL, NULL}, 0, 8},
     {{NULL, NULL, NULL, NULL}, 0, 16},
     {{NULL, NULL, NULL, NULL}, 0, 128}},
    padici_example_wave_frames, 1e-4};

// Everything but the state, whose blocks are none yet.
static padic_result padici_gpu_frames_run(padici_gpu *gpu, padici_gpu_frames *s)
{
    const uint32_t tiles = s->wave.tiles;
    const int resident = padici_gpu_frames_resident(s);
    double rate = 0;
    uint32_t tile;
    uint64_t i;
    padic_result result = PADIC_OK;
    if (!resident) {
        result = padici_gpu_frames_sort(gpu, s);
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
    padici_gpu_frames_cut(gpu, s);
    padici_gpu_frames_params(s);
    result = padici_gpu_frames_memory(gpu, s, resident);
    if (!result)
        result = resident ? padici_gpu_frames_order(gpu, s) : padici_gpu_frames_upload(gpu, s);
    if (!result && s->wave.k.sources)
        result = padici_gpu_wave_sources(gpu, &s->wave, resident ? s->order.mem : s->ends.mem,
                                         s->order_base);
    if (!result && s->k.frames && s->k.groups && !s->drive)
        result = padici_gpu_frames_factors(gpu, s);
    for (tile = 0; tile < tiles && !result; tile += s->chunk)
        result = padici_gpu_frames_tiles(gpu, s, tile,
                                         tiles - tile < s->chunk ? tiles - tile : s->chunk);
    return result ? result : padici_gpu_frames_results(gpu, s);
}

static padic_result padici_gpu_frames_need(padici_gpu *gpu, const padici_gpu_wave *w)
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

static padic_result padici_gpu_frames_begin(padici_gpu *gpu, padici_gpu_frames *s,
                                            const padici_call *call)
{
    const padic_wave_frames_desc *desc = &call->desc.wave_frames;
    const int checked = (desc->field.flags & PADIC_WAVE_CHECK_FINITE) != 0;
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
    return padici_gpu_frames_need(gpu, &s->wave);
}

// c64, f32 and u8; sources of a frequency are summed once, in waves that lie in scratch.
static padic_result padici_gpu_wave_frames(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    padici_gpu_frames *s = (padici_gpu_frames *)padici_alloc(allocator, sizeof *s, 64);
    padic_result result;
    if (!s) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_frames_begin(gpu, s, call);
    if (!result)
        s->spread = padici_gpu_choose(gpu, &padici_tunable_wave_frames,
                                      s->wave.out ? padic_tensor_count(s->wave.out->tensor) : 0)
                        ->number;
    if (!result && !query && s->wave.k.points) {
        result = padici_gpu_frames_run(gpu, s);
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

// room: src/gpu/wave/field_test.c
// Known answers: more than one block of sources and one tile of points, where drivers have gone
// wrong. (Slow emulators are given fewer, and smaller groups, which are blocks of sources.)
#ifndef PADICI_TEST_WAVE_SOURCES
#define PADICI_TEST_WAVE_SOURCES 131u
#define PADICI_TEST_WAVE_SMALL 203u // points of tensors
#define PADICI_TEST_WAVE_ITEMS 64
#endif
#define PADICI_TEST_WAVE_POINTS 700u // of a list; a grid has 37 x 3 x 3 of them

// Tests: a few points and sources of every class, against the reference.

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

#define PADICI_TEST_WAVE_GROUP 40u // sources of the first of two frequencies

static uint32_t padici_test_wave_each(const padici_gpu_case *c)
{
    const uint32_t mode = padici_gpu_define(c, "PD_WAVE_MODE", 0);
    return padici_gpu_define(c, "PD_WAVE_POINTS", mode == PADICI_WAVE_SLOPE ? 2 : 8);
}

// Tiles of the test's grid; for each axis the work-items.
static void padici_test_wave_tiles(uint32_t items, uint32_t each, uint32_t log[3],
                                   uint32_t count[3], uint32_t tiles[3])
{
    uint32_t i;
    log[0] = each == 2 ? 3 : 1;
    log[1] = 1;
    log[2] = (items == 128 ? 6u : items == 64 ? 5u : 4u) - log[0];
    count[0] = 37;
    count[1] = count[2] = 3;
    for (i = 0; i < 3; i++) {
        const uint32_t wide = (i ? 1u : each) << log[i];
        tiles[i] = (count[i] + wide - 1) / wide;
    }
}

// The point (of the test's list or grid) that work-item `item` has as its p-th, or none: ~0.
static uint32_t padici_test_wave_point(uint32_t listed, uint32_t items, uint32_t each,
                                       uint32_t tile, uint32_t item, uint32_t p, uint32_t n)
{
    uint32_t log[3], count[3], tiles[3], at[3], i;
    if (listed) {
        i = tile * items * each + p * items + item;
        return i < n ? i : ~0u;
    }
    padici_test_wave_tiles(items, each, log, count, tiles);
    at[0] = ((tile % tiles[0]) << log[0]) * each + (item & ((1u << log[0]) - 1)) * each + p;
    at[1] = ((tile / tiles[0] % tiles[1]) << log[1]) + (item >> log[0] & ((1u << log[1]) - 1));
    at[2] = ((tile / tiles[0] / tiles[1]) << log[2]) + (item >> (log[0] + log[1]));
    if (at[0] >= count[0] || at[1] >= count[1] || at[2] >= count[2]) return ~0u;
    return at[0] + 37 * at[1] + 111 * at[2];
}

// Answers of modes 0, 1 and 2 from the reference, `n` points; `answer` is that of `out`, `slopes`
// of the gradient.
PADICI_NOINLINE static padic_result padici_test_wave_answer(padici_gpu_case *c,
                                                            padic_wave_superpose_desc *desc,
                                                            uint32_t mode, uint32_t tiles,
                                                            float *field)
{
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64);
    const uint32_t each = padici_test_wave_each(c);
    const uint32_t n = (uint32_t)desc->points.shape[0], m = (uint32_t)desc->sources.shape[0];
    float *answer = (float *)padici_gpu_answer(c, 3);
    padic_wave_gradient_desc slopes;
    uint32_t g, i;
    if (!answer) return PADIC_ERROR_MEMORY;
    desc->out = padic_tensor_1d(PADIC_C64, answer, n);
    if (mode == PADICI_WAVE_PLAIN) return padici_wave_superpose_host(NULL, desc);
    if (mode == PADICI_WAVE_SLOPE) {
        memset(&slopes, 0, sizeof slopes);
        slopes.field = *desc;
        slopes.out = padic_tensor_2d(PADIC_C64, padici_gpu_answer(c, 6), n,
                                     desc->kernel == PADIC_WAVE_GREEN1 ? 1 : 3);
        return slopes.out.data ? padici_wave_gradient_host(NULL, &slopes) : PADIC_ERROR_MEMORY;
    }
    desc->out.data = field;
    for (g = 0; g < 2; g++) {
        padic_wave_superpose_desc part = *desc;
        const uint32_t first = g ? PADICI_TEST_WAVE_GROUP : 0, end = g ? m : PADICI_TEST_WAVE_GROUP;
        padic_tensor *of[5];
        padic_result result;
        of[0] = &part.sources;
        of[1] = &part.wavenumber;
        of[2] = &part.phase;
        of[3] = &part.amplitude;
        of[4] = &part.absorption;
        for (i = 0; i < 5; i++) {
            if (of[i]->dtype == PADIC_DTYPE_NONE) continue;
            of[i]->data = (char *)of[i]->data + (i ? 8u : 24u) * first;
            of[i]->shape[0] = end - first;
        }
        result = padici_wave_superpose_host(NULL, &part);
        if (result) return result;
        for (i = 0; i < tiles * each * items; i++) {
            const uint32_t tile = i / (each * items), p = i / items % each, item = i % items;
            const uint32_t at = padici_test_wave_point(listed, items, each, tile, item, p, n);
            float *to = answer + ((tile * 2 + g) * 2 * each + p) * items + item;
            to[0] = at == ~0u ? 0 : field[2 * at];
            to[each * items] = at == ~0u ? 0 : field[2 * at + 1];
        }
    }
    return PADIC_OK;
}

// Records of the sources, and what they are made of for the reference, tensors of m each:
// positions, wavenumbers, phases, amplitudes, absorptions. Returns the sum of the amplitudes.
static double padici_test_wave_records(uint32_t mode, uint32_t kernel, uint32_t absorb,
                                       double *space, float *record)
{
    const uint32_t m = PADICI_TEST_WAVE_SOURCES;
    double most = 0;
    uint32_t i, j;
    for (i = 0; i < m; i++) {
        float at[3], number, turns, a = 1 + (float)(i % 3);
        padici_test_wave_source(i, at, &number, &turns);
        if (kernel == PADIC_WAVE_GREEN1) at[1] = at[2] = 0;
        if (kernel == PADIC_WAVE_GREEN2) at[2] = 0;
        // Slopes are not tried where they grow without end.
        if (mode == PADICI_WAVE_SLOPE && i % 6 == 5 && kernel != PADIC_WAVE_GREEN1) at[2] += 1;
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
    return most;
}

// The points of a list, of which a grid has the first ones.
static void padici_test_wave_points(uint32_t kernel, uint32_t n, float *points)
{
    uint32_t i;
    for (i = 0; i < n; i++) { // a tenth of the box for the list's first tile, all of it for others
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = kernel == PADIC_WAVE_GREEN1 ? 0 : (float)(i / 37 % 3) / 32;
        points[3 * i + 2] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2
                                ? 0
                                : 0.5f + (float)(i / 111) / 16;
    }
}

// The tensors of the reference.
static void padici_test_wave_tensors(padic_wave_superpose_desc *desc, double *space,
                                     float *points, uint32_t n, uint32_t absorb)
{
    const uint32_t m = PADICI_TEST_WAVE_SOURCES;
    desc->sources = padic_tensor_2d(PADIC_F64, space, m, 3);
    desc->points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc->wavenumber = padic_tensor_1d(PADIC_F64, space + 3 * m, m);
    desc->phase = padic_tensor_1d(PADIC_F64, space + 4 * m, m);
    desc->amplitude = padic_tensor_1d(PADIC_F64, space + 5 * m, m);
    if (absorb) desc->absorption = padic_tensor_1d(PADIC_F64, space + 6 * m, m);
}

// The grid of the test.
static void padici_test_wave_grid(padici_gpu_wave *w, uint32_t kernel, uint32_t each)
{
    static const float step[3] = {0.03125f, 0.03125f, 0.0625f};
    uint32_t i;
    padici_test_wave_tiles(w->items, each, w->k.log, w->k.count, w->k.tiles);
    w->k.origin[0] = 1;
    w->k.origin[4] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : 0.5f;
    w->k.step[0] = step[0];
    w->k.step[8] = kernel == PADIC_WAVE_GREEN1 ? 0 : step[1];
    w->k.step[16] = kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : step[2];
    w->k.radius = 1.1f;
    w->k.out_step[0] = 1;
    w->k.out_step[1] = 37;
    w->k.out_step[2] = 111;
    for (i = 0; i < 3; i++) w->k.slope_step[i] = w->k.components * w->k.out_step[i];
}

// Params; points are a list, or the grid.
static void padici_test_wave_params(padici_gpu_wave *w, uint32_t mode, uint32_t kernel,
                                    uint32_t listed, uint32_t n, uint32_t each)
{
    w->k.share = 1;
    w->k.groups = 2;
    w->k.components = kernel == PADIC_WAVE_GREEN1 ? 1 : 3;
    w->k.slope_axis = 1;
    w->k.points = n;
    w->k.sources = PADICI_TEST_WAVE_SOURCES;
    w->k.tolerance = 2e-6f;
    w->k.length = 0.0625f;
    padici_gpu_wave_tone(w);
    if (mode == PADICI_WAVE_SLOPE) w->k.emit |= 1024u;
    if (!listed) {
        padici_test_wave_grid(w, kernel, each);
        return;
    }
    w->k.list_step = 3;
    w->k.list_axis = 1;
    w->k.list_dimensions = 3;
    w->k.out_step[0] = 1;
    w->k.slope_step[0] = w->k.components;
}

// What tiles report.
static padic_result padici_test_wave_told(padici_gpu_case *c, uint32_t tiles)
{
    float *answer;
    uint32_t i;
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

static padic_result padici_test_wave_field(padici_gpu_case *c)
{
    const uint32_t mode = padici_gpu_define(c, "PD_WAVE_MODE", 0);
    const uint32_t each = padici_test_wave_each(c);
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0);
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), m = PADICI_TEST_WAVE_SOURCES;
    const uint32_t absorb = padici_gpu_define(c, "PD_WAVE_ABSORB", 0);
    const uint32_t n = listed ? PADICI_TEST_WAVE_POINTS : 333;
    // Room for the reference.
    double *space = (double *)(void *)padici_gpu_image(c, 7, 8 * 8 * m + 8 * (uint64_t)n);
    uint32_t log[3] = {0, 0, 0}, counts[3] = {0, 0, 0}, axes[3] = {0, 0, 0}, *ends;
    float *points = (float *)padici_gpu_image(c, 0, 12 * n);
    float *record = (float *)padici_gpu_image(c, 1, PADICI_WAVE_RECORD * m);
    padic_wave_superpose_desc desc;
    padici_gpu_wave w;
    double most = 0;
    uint32_t tiles;
    ends = (uint32_t *)padici_gpu_image(c, 2, 12);
    padici_test_wave_tiles(items, each, log, counts, axes);
    tiles = listed ? (n + each * items - 1) / (each * items) : axes[0] * axes[1] * axes[2];
    if (!space || !points || !record || !ends || !padici_gpu_image(c, 4, 4) ||
        !padici_gpu_image(c, 3, mode == PADICI_WAVE_FRAMES ? 16 * each * items * tiles : 8 * n) ||
        !padici_gpu_image(c, 6, mode == PADICI_WAVE_SLOPE ? 24 * n : 4))
        return PADIC_ERROR_MEMORY;
    ends[0] = PADICI_TEST_WAVE_GROUP;
    ends[1] = m;
    ends[2] = 2;
    memset(&desc, 0, sizeof desc);
    memset(&w, 0, sizeof w);
    desc.kernel = (padic_wave_kernel)kernel;
    desc.softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    desc.length = 0.0625;
    most = padici_test_wave_records(mode, kernel, absorb, space, record);
    padici_test_wave_points(kernel, n, points);
    padici_test_wave_tensors(&desc, space, points, n, absorb);
    if (padici_test_wave_answer(c, &desc, mode, tiles, (float *)(space + 8 * m)))
        return PADIC_ERROR_MEMORY;
    c->buffers[3].dtype = PADIC_F32;
    c->buffers[3].bound = 2e-5 * most * (kernel == PADIC_WAVE_GREEN1 ? 0.2 : 1) *
                          (desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    c->buffers[6].dtype = PADIC_F32; // k is up to 2 pi 38, for one source in 12
    c->buffers[6].bound = 8 * c->buffers[3].bound;
    w.desc = &desc;
    w.items = items;
    padici_test_wave_params(&w, mode, kernel, listed, n, each);
    memcpy(&c->params, &w.k, sizeof w.k);
    c->groups[0] = tiles;
    if (mode == PADICI_WAVE_FRAMES) {
        c->groups[1] = 2;
        tiles *= 2;
    }
    return padici_test_wave_told(c, tiles);
}

// Points among the sources, a few of them next to one.
static void padici_test_wave_near(uint32_t kernel, uint32_t n, const float *at, float *points)
{
    uint32_t i, j;
    for (i = 0; i < n; i++) {
        points[3 * i] = 1 + (float)(i % 37) / 32;
        points[3 * i + 1] = kernel == PADIC_WAVE_GREEN1 ? 0 : (float)(i / 37 % 3) / 32;
        points[3 * i + 2] =
            kernel == PADIC_WAVE_GREEN1 || kernel == PADIC_WAVE_GREEN2 ? 0 : (float)(i / 111) / 16;
        if (i % 29 == 5 && kernel != PADIC_WAVE_GREEN1) // next to a source
            for (j = 0; j < 3; j++) points[3 * i + j] = at[3 * 5 + j] + (j ? 0 : 0.0009765625f);
    }
}

// Params: m sources in tensors one after the other, n points listed, 4 items a point.
static void padici_test_wave_listed(padici_k_wave_sources_params *k, uint32_t m, uint32_t n,
                                    uint32_t absorb)
{
    memset(k, 0, sizeof *k);
    k->count = m;
    k->dimensions = 3;
    k->present = 1 | 2 | 4 | 8 | (absorb ? 32u : 0u);
    k->step[0] = 3;
    k->step[1] = k->step[2] = k->step[3] = k->step[5] = k->step_axis = 1;
    k->speed_hi = k->inverse_hi = 1;
    k->points = n;
    k->split = 2;
    k->list_step = 3;
    k->list_axis = 1;
    k->list_dimensions = 3;
    k->out_step = 1;
    k->emit = 2048;
    k->tolerance = 2e-6f;
    k->length = 0.0625f;
}

// As padici_test_wave_field(), from tensors; the phase of a far pair is right in two words only.
static padic_result padici_test_wave_small(padici_gpu_case *c)
{
    const uint32_t m = 137, n = PADICI_TEST_WAVE_SMALL, groups = (n + 63) / 64; // two blocks
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0);
    const uint32_t absorb = padici_gpu_define(c, "PD_WAVE_ABSORB", 0);
    float *points = (float *)padici_gpu_image(c, 0, 12 * n);
    float *at = (float *)padici_gpu_image(c, 1, 12 * m);
    float *a = (float *)padici_gpu_image(c, 2, 4 * m);
    float *phase = (float *)padici_gpu_image(c, 3, 4 * m), *rate;
    float *fades = (float *)padici_gpu_image(c, 5, 4 * m), *answer, *told;
    const uint32_t zero[4] = {0, 0, 0, 0};
    padic_wave_superpose_desc desc;
    padici_k_wave_sources_params k;
    double most = 0;
    uint32_t i;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_PLAIN ||
        !padici_gpu_define(c, "PD_WAVE_LISTED", 0))
        return PADIC_ERROR_NOT_SUPPORTED;
    rate = (float *)padici_gpu_image(c, 4, 4 * m);
    if (!points || !at || !a || !phase || !rate || !fades || !padici_gpu_image(c, 6, 8 * n) ||
        !padici_gpu_image(c, 7, 16 * groups))
        return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 6);
    told = (float *)padici_gpu_answer(c, 7);
    if (!answer || !told) return PADIC_ERROR_MEMORY;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < m; i++) {
        float number, turns;
        padici_test_wave_source(i, at + 3 * i, &number, &turns);
        if (kernel == PADIC_WAVE_GREEN1) at[3 * i + 1] = at[3 * i + 2] = 0;
        if (kernel == PADIC_WAVE_GREEN2) at[3 * i + 2] = 0;
        a[i] = (float)(1 + i % 3);
        rate[i] = (float)((double)number * PADICI_TWO_PI);
        phase[i] = (float)((double)turns * PADICI_TWO_PI);
        fades[i] = 0.125f / (float)(1 + i % 3);
        most += (double)a[i];
    }
    padici_test_wave_near(kernel, n, at, points);
    desc.kernel = (padic_wave_kernel)kernel;
    desc.softening = (padic_wave_softening)padici_gpu_define(c, "PD_WAVE_SOFT", 0);
    desc.length = 0.0625;
    desc.sources = padic_tensor_2d(PADIC_F32, at, m, 3);
    desc.points = padic_tensor_2d(PADIC_F32, points, n, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F32, rate, m);
    desc.phase = padic_tensor_1d(PADIC_F32, phase, m);
    desc.amplitude = padic_tensor_1d(PADIC_F32, a, m);
    if (absorb) desc.absorption = padic_tensor_1d(PADIC_F32, fades, m);
    desc.out = padic_tensor_1d(PADIC_C64, answer, n);
    if (padici_wave_superpose_host(NULL, &desc)) return PADIC_ERROR_MEMORY;
    padici_test_wave_listed(&k, m, n, absorb);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = groups;
    c->buffers[6].dtype = PADIC_F32;
    c->buffers[6].bound = 2e-5 * (most + 1024 * 3) * (desc.softening == PADIC_WAVE_SHELL ? 4 : 1);
    c->buffers[7].dtype = PADIC_F32;
    c->buffers[7].bound = 1.2e-6;
    memcpy(told, zero, sizeof zero);
    for (i = 0; i < 4 * groups; i++) told[i] = i % 4 == 1 ? 1e-6f : 0;
    return PADIC_OK;
}

// f64 positions and phases, f32 wavenumbers from the last one on, one amplitude for all.
static void padici_test_wave_given(padici_k_wave_sources_params *k, uint32_t n)
{
    memset(k, 0, sizeof *k);
    k->count = n;
    k->dimensions = 3;
    k->present = 1 | 2 | 4 | 8; // frequency c k, no absorption
    k->wide = 1 | 4;
    k->base[3] = n - 1;
    k->step[0] = 6;
    k->step_axis = 2;
    k->step[2] = 2;
    k->step[3] = 0u - 1u;
    k->time_hi = -3;
    k->speed_hi = 0.5f;
    k->inverse_hi = 2;
}

// Two words of everything; f64 and f32 inputs, one number for all, a step backwards.
static padic_result padici_test_wave_sources(padici_gpu_case *c)
{
    const uint32_t kernel = padici_gpu_define(c, "PD_WAVE_KERNEL", 0), n = 203;
    padici_k_wave_sources_params k;
    double *at = (double *)(void *)padici_gpu_image(c, 0, 24 * n), *phase;
    float *a = (float *)padici_gpu_image(c, 1, 4), *number = (float *)padici_gpu_image(c, 3, 4 * n);
    const int mixed = padici_gpu_define(c, "PD_WAVE_MODE", 0) == PADICI_WAVE_FRAMES;
    float *record;
    uint32_t i, j, *order;
    phase = (double *)(void *)padici_gpu_image(c, 2, 8 * n);
    if (!at || !a || !number || !phase) return PADIC_ERROR_MEMORY;
    if (!padici_gpu_image(c, 4, 4) || !padici_gpu_image(c, 5, 4)) return PADIC_ERROR_MEMORY;
    order = (uint32_t *)padici_gpu_image(c, 6, 4 * n);
    if (!order || !padici_gpu_image(c, 7, PADICI_WAVE_RECORD * n)) return PADIC_ERROR_MEMORY;
    record = (float *)padici_gpu_answer(c, 7);
    if (!record) return PADIC_ERROR_MEMORY;
    padici_test_wave_given(&k, n);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    a[0] = 1.5f;
    for (i = 0; i < n; i++) {
        const uint32_t to = mixed ? (i * 5 + 3) % n : i; // 5 and 203 have no common factor
        const double own = 0.25 + (double)i / 64;
        double turns;
        float two[2];
        order[to] = i;
        for (j = 0; j < 3; j++) {
            at[3 * i + j] = (j == 1 ? -1 : 1) * (0.1 + (double)i / 3 + j);
            padici_gpu_wave_two(at[3 * i + j], two);
            record[2 * j * n + to] = two[0];
            record[(2 * j + 1) * n + to] = two[1];
        }
        phase[i] = 0.3 * i - 30;
        number[n - 1 - i] = (float)own;
        turns = phase[i] / PADICI_TWO_PI - 1.5 * own; // t = 6 pi
        padici_gpu_wave_two(own / PADICI_TWO_PI, two);
        record[6 * n + to] = two[0];
        record[7 * n + to] = two[1];
        record[10 * n + to] = 1.5f;
        if (kernel == PADIC_WAVE_GREEN3) record[10 * n + to] = (float)(0.75 / PADICI_TWO_PI);
        if (kernel == PADIC_WAVE_GREEN2) record[10 * n + to] = 0.375f;
        if (kernel == PADIC_WAVE_GREEN1) record[10 * n + to] = (float)(0.75 / own);
        if (kernel == PADIC_WAVE_GREEN2 || kernel == PADIC_WAVE_GREEN1) turns += 0.25;
        turns -= floor(turns + 0.5);
        padici_gpu_wave_two(turns, two);
        record[8 * n + to] = two[0];
        record[9 * n + to] = two[1];
        record[11 * n + to] = record[12 * n + to] = 0;
    }
    c->buffers[7].dtype = PADIC_F32; // second words are some 1e-9; amplitudes of two are divided
    c->buffers[7].bound = kernel == PADIC_WAVE_GREEN3 || kernel == PADIC_WAVE_GREEN1 ? 1e-6 : 1e-11;
    return PADIC_OK;
}

// room: src/gpu/wave/frames_test.c
// Tests of the kernels of frames.

// Params but for tiles; numbers of frames lie one after the other.
static void padici_test_wave_frame_params(padici_k_wave_frame_params *k, uint32_t listed,
                                          uint32_t n, uint32_t groups, uint32_t frames)
{
    k->points = n;
    k->groups = groups;
    k->frames = frames;
    k->each = 4;
    k->factor_step = 2;
    k->factor_axis = 2 * frames;
    k->out_frame = n;
    k->out_step[0] = k->mean_step[0] = 1;
    if (!listed) {
        k->out_step[1] = k->mean_step[1] = 37;
        k->out_step[2] = k->mean_step[2] = 111;
    }
}

// Point `at` of n in all frames, or without factors its mean. wave: the point's, `step` numbers
// from one frequency to the next.
static void padici_test_wave_frame_answer(const float *wave, uint32_t step, uint32_t there,
                                          const float *factors, uint32_t frames, uint32_t at,
                                          uint32_t n, float *answer)
{
    uint32_t f, g;
    for (f = 0; f < (factors ? frames : 1); f++) {
        float re = 0, im = 0, power = 0;
        for (g = 0; g < there; g++) {
            const float x = wave[g * step], y = wave[g * step + step / 2];
            const float *s = factors ? factors + 2 * (g * frames + f) : wave;
            power += x * x + y * y;
            re += s[0] * x - s[1] * y;
            im += s[0] * y + s[1] * x;
        }
        if (!factors) {
            answer[at] = power;
        } else {
            answer[2 * (f * n + at)] = re;
            answer[2 * (f * n + at) + 1] = im;
        }
    }
}

// Frames of waves that are small integers, by factors that are, so that sums are exact, at some
// points of the field's test.
static padic_result padici_test_wave_frame(padici_gpu_case *c)
{
    const uint32_t listed = padici_gpu_define(c, "PD_WAVE_LISTED", 0), frames = 7;
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), n = listed ? 700 : 333;
    const uint32_t groups = items == 128 ? 21 : 37; // what the test's memory holds
    const int mean = c->kernel == (PADICI_KERNEL_WAVE_MEAN & 0xffffu);
    const uint32_t each = padici_test_wave_each(c);
    padici_k_wave_frame_params k;
    const uint32_t there = groups - 2; // frequencies, of at most `groups`
    float *waves, *factors = NULL, *answer;
    uint32_t tiles, i, *ends;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    padici_test_wave_tiles(items, each, k.log, k.count, k.tiles);
    tiles = items == 32 ? 2 : 1;
    padici_test_wave_frame_params(&k, listed, n, groups, frames);
    c->groups[0] = tiles;
    memcpy(&c->params, &k, sizeof k);
    waves = (float *)padici_gpu_image(c, 0, 8 * each * (uint64_t)items * tiles * groups);
    if (!waves) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * each * items * tiles * groups; i++)
        waves[i] = (float)((i * 7 + i / 5) % 9) - 4;
    ends = (uint32_t *)padici_gpu_image(c, mean ? 2 : 6, 4 * groups + 4);
    if (!ends) return PADIC_ERROR_MEMORY;
    for (i = 0; i < groups; i++) ends[i] = i + 1;
    ends[groups] = there;
    if (mean) {
        if (!padici_gpu_image(c, 1, 4 * n)) return PADIC_ERROR_MEMORY;
        answer = (float *)padici_gpu_answer(c, 1);
    } else {
        c->groups[1] = 2;
        factors = (float *)padici_gpu_image(c, 1, 8 * frames * groups);
        if (!factors || !padici_gpu_image(c, 2, 4) || !padici_gpu_image(c, 3, 8 * n * frames) ||
            !padici_gpu_image(c, 4, 4) || !padici_gpu_image(c, 5, 4) || !padici_gpu_image(c, 7, 4))
            return PADIC_ERROR_MEMORY;
        for (i = 0; i < 2 * frames * groups; i++) factors[i] = (float)(i * 5 % 7) - 3;
        answer = (float *)padici_gpu_answer(c, 3);
    }
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < tiles * each * items; i++) {
        const uint32_t tile = i / (each * items), p = i / items % each, item = i % items;
        const uint32_t at = padici_test_wave_point(listed, items, each, tile, item, p, n);
        const float *wave = waves + tile * groups * 2 * each * items + p * items + item;
        if (at == ~0u) continue;
        padici_test_wave_frame_answer(wave, 2 * each * items, there, factors, frames, at, n,
                                      answer);
    }
    return PADIC_OK;
}

static padic_result padici_test_wave_mean(padici_gpu_case *c)
{
    return padici_test_wave_frame(c);
}

// f64 frequencies, some the same, two of them zeros; every second is another's.
#define PADICI_TEST_WAVE_ORDER 203u
static double padici_test_wave_rate(uint32_t i)
{
    if (i % 31 == 7) return i & 1 ? -0.0 : 0.0;
    return ((double)(i * 37 % 53) - 26) / 8;
}

static uint32_t padici_test_wave_rank_of(uint32_t i)
{
    uint32_t j, rank = 0;
    for (j = 0; j < PADICI_TEST_WAVE_ORDER; j++) {
        const double a = padici_test_wave_rate(j), b = padici_test_wave_rate(i);
        if (a < b || (a == b && j < i)) rank++;
    }
    return rank;
}

static double *padici_test_wave_rates(padici_gpu_case *c)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER;
    padici_k_wave_order_params k;
    double *rate = (double *)(void *)padici_gpu_image(c, 0, 16 * n);
    uint32_t i;
    if (!rate) return NULL;
    for (i = 0; i < n; i++) rate[2 * i] = padici_test_wave_rate(i);
    memset(&k, 0, sizeof k);
    k.count = n;
    k.step = 4;
    k.wide = 1;
    k.scale_hi = 0.5f;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 1;
    return rate;
}

static padic_result padici_test_wave_rank(padici_gpu_case *c)
{
    const uint32_t items = padici_gpu_define(c, "PD_WAVE_WG", 64), n = PADICI_TEST_WAVE_ORDER;
    uint32_t *answer, i;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_test_wave_rates(c) || !padici_gpu_image(c, 1, 4 * n)) return PADIC_ERROR_MEMORY;
    answer = (uint32_t *)padici_gpu_answer(c, 1);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) answer[padici_test_wave_rank_of(i)] = i;
    c->groups[0] = (n + items - 1) / items;
    return PADIC_OK;
}

static padic_result padici_test_wave_ends(padici_gpu_case *c)
{
    const uint32_t n = PADICI_TEST_WAVE_ORDER;
    uint32_t *order, *ends, i, found = 0;
    float *rates;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_test_wave_rates(c)) return PADIC_ERROR_MEMORY;
    order = (uint32_t *)padici_gpu_image(c, 1, 4 * n);
    if (!order || !padici_gpu_image(c, 2, 4 * n + 4) || !padici_gpu_image(c, 3, 8 * n))
        return PADIC_ERROR_MEMORY;
    ends = (uint32_t *)padici_gpu_answer(c, 2);
    rates = (float *)padici_gpu_answer(c, 3);
    if (!ends || !rates) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) order[padici_test_wave_rank_of(i)] = i;
    for (i = 0; i < n; i++) {
        ends[i] = n;
        rates[2 * i] = rates[2 * i + 1] = 0;
    }
    for (i = 0; i < n; i++) {
        const double own = padici_test_wave_rate(order[i]);
        if (i && own == padici_test_wave_rate(order[i - 1])) continue;
        if (found) ends[found - 1] = i;
        rates[2 * found++] = (float)(own / 2) + 0.0f;
    }
    ends[n] = found;
    c->buffers[3].dtype = PADIC_F32;
    c->buffers[3].bound = 1e-12;
    return PADIC_OK;
}

// Factors at times of f64, far away.
static padic_result padici_test_wave_factors(padici_gpu_case *c)
{
    const uint32_t groups = 19, frames = 23;
    padici_k_wave_factors_params k;
    float *rates, *answer;
    double *times;
    uint32_t i;
    if (padici_gpu_define(c, "PD_WAVE_MODE", 0) != PADICI_WAVE_FRAMES)
        return PADIC_ERROR_NOT_SUPPORTED;
    rates = (float *)padici_gpu_image(c, 0, 8 * groups);
    times = (double *)(void *)padici_gpu_image(c, 1, 8 * frames);
    if (!rates || !times || !padici_gpu_image(c, 2, 8 * frames * groups))
        return PADIC_ERROR_MEMORY;
    answer = (float *)padici_gpu_answer(c, 2);
    if (!answer) return PADIC_ERROR_MEMORY;
    memset(&k, 0, sizeof k);
    k.frames = frames;
    k.groups = groups;
    k.step = 2;
    k.wide = 1;
    k.shift_hi = 0.5f;
    k.shift_lo = 9.5367431640625e-7f; // 2^-20
    k.sign = -1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    for (i = 0; i < frames; i++) times[i] = 0.37 * i - 1000 * (double)(i % 3);
    for (i = 0; i < groups; i++) padici_gpu_wave_two(0.1 * i - 0.7, &rates[2 * i]);
    for (i = 0; i < frames * groups; i++) {
        const double time = times[i / groups] + 0.5 + 9.5367431640625e-7;
        const double turns = (0.1 * (i % groups) - 0.7) * time;
        answer[2 * i] = (float)cos(PADICI_TWO_PI * turns);
        answer[2 * i + 1] = (float)-sin(PADICI_TWO_PI * turns);
    }
    c->buffers[2].dtype = PADIC_F32;
    c->buffers[2].bound = 3e-7;
    return PADIC_OK;
}

// room: src/gpu/wave/warm.c
// What is built beforehand, with the defines of the tests.

static padic_result padici_warm_wave(padici_gpu *gpu)
{
    padic_wave_superpose_desc desc;
    padici_gpu_wave w;
    padic_result result = PADIC_OK;
    memset(&desc, 0, sizeof desc);
    memset(&w, 0, sizeof w);
    w.desc = &desc;
    for (w.listed = 0; w.listed < 2 && !result; w.listed++) {
        w.items = PADICI_TEST_WAVE_ITEMS;
        padici_gpu_wave_defines(gpu, &w);
        result = padici_gpu_need(gpu, PADICI_KERNEL_WAVE_FIELD, w.defines, w.define_count);
    }
    return result;
}
// room: src/gpu/padic_gpu_wave.in.h:16
#endif // PADICI_GPU_WAVE
