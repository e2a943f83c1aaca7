#include "net.h"
#include "wide.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/recording.h"
#include "../../context/target.h"
#include "../../core/memory.h"
#include "../../core/splitmix.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Operators of rollouts on devices: memory, weights, tables. A trajectory's numbers are in one
// block of memory, node by node; fields share it where no node needs both.

#define PADICI_GPU_ROLLOUT_INPUTS 2240u // numbers of local memory of a convolution: conv.cl
#define PADICI_GPU_ROLLOUT_WEIGHTS 54u  // rows of weights
#define PADICI_GPU_ROLLOUT_SINGLE 124u  // the same where all is for weights
#define PADICI_GPU_ROLLOUT_AHEAD 1536u  // numbers of inputs that a group has in registers

PADICI_FN const padici_operand *padici_gpu_rollout_operand(const padici_call *call,
                                                           const padic_tensor *t)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].tensor == t) return &call->operands[i];
    return NULL;
}

static uint64_t padici_gpu_rollout_numbers(const padic_rollout_shape *shape)
{
    return (uint64_t)shape->channels * shape->height * shape->width;
}

// Channels of a 3 x 3 kernel that items can have in registers while those before them are summed,
// where so many numbers are of each channel and they divide the inputs well; else 0.
static uint32_t padici_gpu_rollout_ahead(uint32_t inputs, uint32_t numbers)
{
    const uint32_t fields = PADICI_GPU_ROLLOUT_AHEAD / numbers;
    const uint32_t most = fields < 4 ? fields : 4; // 40 rows of weights
    uint32_t count = most < inputs ? most : inputs;
    const uint32_t least = (count + 1) / 2;
    while (count && inputs % count) count--;
    return count < least ? 0 : count;
}

// Tiles of a convolution to `rows` x `columns` cells: they depend on the node alone.
static void padici_gpu_rollout_tile(const padici_rollout_node *node, uint32_t inputs,
                                    uint32_t rows, uint32_t columns,
                                    padici_gpu_rollout_place *place)
{
    const int conv = node->is.kind == PADIC_ROLLOUT_KIND_CONV;
    const uint32_t span = conv ? node->is.kernel : 1, stride = conv ? node->is.stride : 1;
    const uint32_t room = PADICI_GPU_ROLLOUT_INPUTS;
    uint32_t pitch, high;
    place->wide = columns <= 8 ? 8 : columns <= 16 ? 16 : 32;
    place->sides = node->is.channels <= 8 ? 1 : node->is.channels <= 16 ? 2 : 4;
    pitch = stride * (place->wide - 1) + span;
    for (;; place->sides *= 2) {
        place->tall = 32 / place->sides * (32 / place->wide);
        high = stride * (place->tall - 1) + span;
        if (pitch * high <= room || place->sides == 4) break;
    }
    place->chunk = room / (pitch * high);
    place->single = span == 1 && stride == 1;
    if (place->single) place->chunk = PADICI_GPU_ROLLOUT_SINGLE;
    else if (place->chunk * span > PADICI_GPU_ROLLOUT_WEIGHTS)
        place->chunk = PADICI_GPU_ROLLOUT_WEIGHTS / span;
    place->lines = place->single ? 1 : PADICI_GPU_ROLLOUT_WEIGHTS / (place->chunk * span);
    if (place->lines > span) place->lines = span;
    if (span == 3 && stride == 1) place->ahead = padici_gpu_rollout_ahead(inputs, pitch * high);
    if (place->ahead) place->chunk = place->ahead;
    place->tiles = (columns - 1) / place->wide + 1;
    place->count = place->tiles * ((rows - 1) / place->tall + 1);
}

static void padici_gpu_rollout_place_of(const padici_rollout_node *node,
                                        const padic_rollout_shape *in,
                                        padici_gpu_rollout_place *place)
{
    const uint64_t cells = (uint64_t)node->shape.height * node->shape.width;
    const int maps = node->is.kind == PADIC_ROLLOUT_KIND_CONV ||
                     node->is.kind == PADIC_ROLLOUT_KIND_NORM;
    place->acts = maps && node->is.act != PADIC_ROLLOUT_ACT_NONE;
    place->norms = maps && node->is.norm != PADIC_ROLLOUT_NORM_NONE;
    place->counts = place->norms && node->is.norm != PADIC_ROLLOUT_NORM_FROZEN;
    if (node->is.kind == PADIC_ROLLOUT_KIND_CONV || node->is.kind == PADIC_ROLLOUT_KIND_ADD)
        padici_gpu_rollout_tile(node, in->channels, node->shape.height, node->shape.width, place);
    else if (node->is.kind == PADIC_ROLLOUT_KIND_UP)
        padici_gpu_rollout_tile(node, in->channels, in->height, in->width, place);
    else
        place->count = (uint32_t)((cells + PADICI_GPU_ROLLOUT_CELLS - 1) /
                                  PADICI_GPU_ROLLOUT_CELLS);
}

// Whether a field is best made what its readers want once: convolutions read a cell for each of
// their groups of channels, those of one cell read it as it is.
static int padici_gpu_rollout_settles(const padici_gpu_rollout *n, uint32_t at)
{
    uint32_t i, readers = 0;
    if (!n->place[at].norms && !n->place[at].acts) return 0;
    for (i = at + 1; i <= n->e.op.count; i++) {
        const padici_rollout_node *node = &n->e.node[i];
        const int adds = node->is.kind == PADIC_ROLLOUT_KIND_ADD;
        const int skips = adds || node->is.kind == PADIC_ROLLOUT_KIND_CONCAT;
        const int sums = !adds && n->place[i].sides; // of its input
        if ((node->is.input == at && sums) || (node->is.skip == at && node->skip_w)) {
            if (n->place[i].single) return 1;
            readers += (node->is.channels - 1) / (8 * n->place[i].sides) + 1;
        } else {
            readers += (uint32_t)(node->is.input == at) + (uint32_t)(skips && node->is.skip == at);
        }
    }
    return readers > 1;
}

// Maps and moments of all nodes, then fields: numbers of a trajectory. The state lies elsewhere.
static void padici_gpu_rollout_fields(padici_gpu_rollout *n)
{
    uint64_t field[PADIC_ROLLOUT_NODES + 1], fields, at = 0;
    uint32_t i;
    field[0] = 0;
    for (i = 1; i <= n->e.op.count; i++) {
        padici_gpu_rollout_place *place = &n->place[i];
        field[i] = padici_gpu_rollout_numbers(&n->e.node[i].shape);
        place->moments = at;
        if (place->counts) at += (uint64_t)place->count * n->e.node[i].shape.channels * 3;
        place->map = at;
        if (place->norms) at += (uint64_t)n->e.node[i].shape.channels * 3;
    }
    fields = padici_rollout_place_fields(n->e.node, n->e.op.count, field);
    for (i = 1; i <= n->e.op.count; i++) n->place[i].field = at + field[i];
    n->each = at + fields;
    padici_gpu_rollout_modes_lay(n);
}

// Whether there are kernels for all nodes, and numbers that they count.
static int padici_gpu_rollout_fits(padici_gpu_rollout *n, const padic_tensor *weights)
{
    const uint64_t most = (uint64_t)1 << 31;
    uint32_t i;
    for (i = 0; i <= n->e.op.count; i++) {
        const padici_rollout_node *node = &n->e.node[i];
        if (node->shape.channels > 65535 || padici_gpu_rollout_numbers(&node->shape) >= most)
            return 0;
        if (!i) continue;
        if (node->is.kind == PADIC_ROLLOUT_KIND_SPECTRAL && !padici_gpu_rollout_modes_fit(n, i))
            return 0;
        if (node->is.kind != PADIC_ROLLOUT_KIND_NOISE || n->e.chance.quiet) continue;
        if (node->law.length > 0 && !padici_gpu_rollout_modes_fit(n, i)) return 0;
        n->noisy++;
    }
    return weights->shape[0] <= 65535 && n->e.parameters < most &&
           weights->shape[0] * n->e.parameters < most - ((uint64_t)1 << 22);
}

static padic_result padici_gpu_rollout_begin_wide(padici_gpu_rollout *n)
{
    padic_result result = padici_gpu_rollout_wide_lay(n) ? PADIC_OK : PADIC_ERROR_NOT_SUPPORTED;
    if (!result) result = padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_EACH, NULL, 0);
    if (!result) result = padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_PACK, NULL, 0);
    return result ? result : padici_gpu_rollout_wide_need(n);
}

PADICI_FN padic_result padici_gpu_rollout_new(padici_gpu *gpu, const padici_call *call,
                                              padici_gpu_rollout **net)
{
    padici_gpu_rollout *n =
        (padici_gpu_rollout *)padici_alloc(gpu->context->env.allocator, sizeof *n, 16);
    *net = n;
    if (!n) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    memset(n, 0, sizeof *n);
    gpu->context->stats.host_allocations++;
    n->gpu = gpu;
    n->call = call;
    n->memory.block = n->weights.block = n->tables.block = n->faulty.block = PADICI_NO_BLOCK;
    n->halves.block = n->marks.block = PADICI_NO_BLOCK;
    return PADIC_OK;
}

PADICI_FN padic_result padici_gpu_rollout_begin(padici_gpu *gpu, const padici_call *call,
                                                const padic_rollout_operator *op,
                                                const padic_tensor *weights, uint32_t quiet,
                                                padic_rollout_precision precision,
                                                padici_gpu_rollout **net)
{
    padici_gpu_rollout *n;
    padic_result result = padici_gpu_rollout_new(gpu, call, net);
    uint32_t i;
    if (result) return result;
    n = *net;
    n->e.op = *op;
    n->e.precision = precision;
    n->e.chance.quiet = quiet;
    n->e.operators = weights->shape[0];
    result = padici_rollout_nodes_find(NULL, op, n->e.node, &n->e.parameters); // was checked
    if (result) return result;
    if (!padici_gpu_rollout_fits(n, weights)) return PADIC_ERROR_NOT_SUPPORTED;
    if (padici_rollout_is_half(&n->e)) return padici_gpu_rollout_begin_wide(n);
    for (i = 1; i <= op->count; i++)
        padici_gpu_rollout_place_of(&n->e.node[i], &n->e.node[n->e.node[i].is.input].shape,
                                    &n->place[i]);
    for (i = 1; i <= op->count; i++)
        n->place[i].settles = (uint32_t)padici_gpu_rollout_settles(n, i);
    padici_gpu_rollout_fields(n);
    result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_CONV_LAYER, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_SETTLE, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_EACH, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_NORMS, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_PACK, NULL, 0);
    if (!result && n->noisy) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_NOISE, NULL, 0);
    if (!result) result = padici_gpu_rollout_modes_need(n);
    return result;
}

PADICI_FN void padici_gpu_rollout_end(padici_gpu_rollout *n)
{
    const padic_allocator *allocator;
    if (!n) return;
    allocator = n->gpu->context->env.allocator;
    while (n->fetched_count) {
        n->fetched_count--;
        padici_free(allocator, n->fetched[n->fetched_count].memory,
                    n->fetched[n->fetched_count].size);
    }
    padici_gpu_scratch_end(n->gpu, &n->memory);
    padici_gpu_scratch_end(n->gpu, &n->weights);
    padici_gpu_scratch_end(n->gpu, &n->tables);
    padici_gpu_scratch_end(n->gpu, &n->faulty);
    padici_gpu_scratch_end(n->gpu, &n->halves);
    padici_gpu_scratch_end(n->gpu, &n->marks);
    padici_free(allocator, n, sizeof *n);
}

PADICI_FN uint32_t padici_gpu_rollout_reserve(padici_gpu_rollout *n, uint64_t numbers)
{
    const uint64_t at = n->each;
    n->each += numbers;
    return (uint32_t)at;
}

PADICI_FN padic_result padici_gpu_rollout_launch(const padici_gpu_rollout *n, uint32_t kernel,
                                                 const padic_mem *mem, uint32_t mem_count,
                                                 const void *params, uint32_t size, uint32_t x,
                                                 uint32_t y, uint32_t z)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    memcpy(work.mem, mem, mem_count * sizeof *mem);
    work.mem_count = mem_count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = x;
    work.groups[1] = y;
    work.groups[2] = z;
    return padici_gpu_launch(n->gpu, &work);
}

// ---- weights

static padic_result padici_gpu_rollout_pack(const padici_gpu_rollout *n,
                                            const padic_tensor *weights, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_operand *o = padici_gpu_rollout_operand(n->call, weights);
    const uint64_t size = padic_dtype_size(weights->dtype);
    padici_k_rollout_pack_params k;
    int64_t stride[PADIC_MAX_RANK];
    padic_mem mem[3];
    if (!node->shape.count) return PADIC_OK;
    padici_tensor_dense(weights, stride);
    memset(&k, 0, sizeof k);
    k.count = (uint32_t)node->shape.count;
    k.w = (uint32_t)(node->w + node->skip_w);
    k.outputs = node->is.channels;
    k.taps = 1;
    if (node->is.kind == PADIC_ROLLOUT_KIND_SPECTRAL) k.w = 0; // they stay in their order
    if (node->is.kind == PADIC_ROLLOUT_KIND_CONV) k.taps = node->is.kernel * node->is.kernel;
    if (node->is.kind == PADIC_ROLLOUT_KIND_UP) {
        k.taps = 4;
        k.turned = 1;
    }
    k.row = (uint32_t)stride[0];
    k.column = (uint32_t)stride[1];
    k.from = (uint32_t)(o->now.at / size) + (uint32_t)node->shape.weights * k.column;
    k.wide = size == 8;
    k.to = (uint32_t)node->shape.weights;
    k.parameters = (uint32_t)n->e.parameters;
    mem[0] = o->now.mem;
    mem[1] = n->weights.mem;
    mem[2] = n->faulty.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_PACK, mem, 3, &k, sizeof k,
                                     (k.count + 255) / 256, (uint32_t)n->e.operators, 1);
}

// How many trajectories there may be; 0: not one.
static uint64_t padici_gpu_rollout_most(const padici_gpu_rollout *n, uint64_t fixed,
                                        uint64_t max_bytes)
{
    const uint64_t memory = n->gpu->info->memory, alloc = n->gpu->info->max_alloc;
    const uint64_t all = memory ? memory / 4 : (uint64_t)1 << 30;
    const uint64_t size = (n->each + n->beside + n->apart) * 4;
    uint64_t most = ((uint64_t)1 << 31) / n->each;
    if (most > 65535) most = 65535;
    if (max_bytes) {
        const uint64_t fit = max_bytes > fixed ? (max_bytes - fixed) / size : 0;
        return fit < most ? fit : most;
    }
    if (alloc && most > alloc / size) most = alloc / size;
    if (most > 1 && most > all / size) most = all / size ? all / size : 1;
    return most;
}

PADICI_FN padic_result padici_gpu_rollout_memory(padici_gpu_rollout *n,
                                                 const padic_tensor *weights, uint64_t total,
                                                 uint64_t max_bytes)
{
    const uint64_t packed = n->packed * 4, flags = (n->e.operators + 1) * 4;
    const uint64_t halves = (uint64_t)n->halves_each * n->e.operators * 16;
    const uint64_t fixed = packed + flags + (uint64_t)n->words * 4 + halves;
    padici_gpu *gpu = n->gpu;
    padic_result result;
    uint32_t i;
    if (padici_rollout_is_half(&n->e)) n->each = (n->each + 3) / 4 * 4; // fields in 16 bytes
    if (n->each >> 31) return PADIC_ERROR_NOT_SUPPORTED;
    n->batch = padici_gpu_rollout_most(n, fixed, max_bytes);
    if (!n->batch && max_bytes)
        return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY,
                                "no memory, or max_bytes is too low for a trajectory");
    if (!n->batch) return PADIC_ERROR_NOT_SUPPORTED;
    if (n->batch > total) n->batch = total;
    n->size = fixed + n->batch * (n->each + n->apart) * 4;
    result = padici_gpu_scratch(gpu, n->batch * n->each * 4, &n->memory);
    if (!result) result = padici_gpu_scratch(gpu, packed ? packed : 4, &n->weights);
    if (!result) result = padici_gpu_scratch(gpu, flags, &n->faulty);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, n->faulty.mem, 0, 0, flags);
    for (i = 1; i <= n->e.op.count && !result; i++) result = padici_gpu_rollout_pack(n, weights, i);
    if (!result && padici_rollout_is_half(&n->e)) return padici_gpu_rollout_wide_begin(n);
    return result ? result : padici_gpu_rollout_turns(n);
}

// ---- tables

PADICI_FN padic_result padici_gpu_rollout_fetch(padici_gpu_rollout *n, const padic_tensor *t,
                                                padic_tensor *to)
{
    const padici_operand *o = padici_gpu_rollout_operand(n->call, t);
    padici_gpu *gpu = n->gpu;
    char *memory;
    memset(to, 0, sizeof *to);
    if (!o || !o->bytes) return PADIC_OK;
    *to = *t;
    if (o->home.host) return PADIC_OK;
    memory = (char *)padici_alloc(gpu->context->env.allocator, (size_t)o->bytes, 16);
    if (!memory) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    gpu->context->stats.host_allocations++;
    n->fetched[n->fetched_count].memory = memory;
    n->fetched[n->fetched_count++].size = (size_t)o->bytes;
    to->data = memory + o->before;
    return padici_gpu_download(gpu, o->now.mem, o->now.at - o->before, memory, o->bytes);
}

// s of an operator at a step, and 1/(1 - s).
static void padici_gpu_rollout_scale(const padici_gpu_rollout *n, const padici_rollout_node *node,
                                     uint64_t op, uint32_t step, uint32_t words[2])
{
    const double given = padici_rollout_scale_of(&n->e, node, op);
    padic_rollout_noise_law law = node->law;
    float pair[2];
    law.scale = &given;
    pair[0] = (float)padici_rollout_noise_scale(&law, step, n->e.chance.frames);
    pair[1] = (float)(1 / (1 - (double)pair[0]));
    if (law.type != PADIC_ROLLOUT_NOISE_DROPOUT) pair[1] = 0;
    memcpy(words, pair, sizeof pair);
}

static void padici_gpu_rollout_chances(const padici_gpu_rollout *n, uint32_t first,
                                       uint32_t *words)
{
    const uint32_t operators = (uint32_t)n->e.operators;
    uint32_t i, j, t, at = n->scales;
    uint64_t r;
    memcpy(words + n->quantiles, padici_random_normal_table(), 256 * sizeof(float));
    for (i = 0; i < operators; i++)
        words[n->ids + i] = padici_rollout_operator_id(&n->e, i * n->e.per_operator);
    for (r = 0; r < n->e.per_operator; r++)
        words[n->realisations + r] = padici_rollout_realisation(&n->e, r);
    for (i = 1; i <= n->e.op.count; i++) {
        if (n->e.node[i].is.kind != PADIC_ROLLOUT_KIND_NOISE) continue;
        padici_gpu_rollout_amplitudes(n, i, words + n->spectra);
        for (t = 0; t < n->times; t++)
            for (j = 0; j < operators; j++, at += 2)
                padici_gpu_rollout_scale(n, &n->e.node[i], j, first + t, words + at);
    }
}

PADICI_FN padic_result padici_gpu_rollout_tables(padici_gpu_rollout *n, uint32_t first,
                                                 uint32_t times, const uint32_t *policy,
                                                 uint32_t policies)
{
    const padic_allocator *allocator = n->gpu->context->env.allocator;
    const uint64_t operators = n->e.operators, most = (uint64_t)1 << 26;
    uint64_t words = operators * policies;
    uint32_t *memory;
    padic_result result;
    if (n->noisy && (n->e.per_operator > most || (uint64_t)n->noisy * times > most / operators / 2))
        return PADIC_ERROR_NOT_SUPPORTED;
    n->times = times;
    n->quantiles = (uint32_t)words;
    n->ids = n->quantiles + 256;
    n->realisations = n->ids + (uint32_t)operators;
    n->spectra = n->realisations + (uint32_t)n->e.per_operator;
    n->scales = n->spectra + n->amplitudes;
    if (n->noisy) words = n->scales + (uint64_t)n->noisy * times * operators * 2;
    if (!words) return PADIC_OK;
    n->now = (uint32_t)words++;
    if (n->gpu->context->recording)
        return padici_refuse(n->gpu->context, "a rollout, or noise, whose numbers are moved,");
    n->words = (uint32_t)words;
    memory = (uint32_t *)padici_alloc(allocator, (size_t)words * 4, 16);
    if (!memory)
        return padici_fail_here(n->gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    n->gpu->context->stats.host_allocations++;
    memory[n->now] = 0;
    if (policies) memcpy(memory, policy, (size_t)(operators * policies) * 4);
    if (n->noisy) padici_gpu_rollout_chances(n, first, memory);
    result = padici_gpu_scratch(n->gpu, words * 4, &n->tables);
    if (!result) result = padici_gpu_upload(n->gpu, n->tables.mem, 0, memory, words * 4);
    padici_free(allocator, memory, (size_t)words * 4);
    return result;
}

#undef PADICI_GPU_ROLLOUT_INPUTS
#undef PADICI_GPU_ROLLOUT_WEIGHTS
#undef PADICI_GPU_ROLLOUT_SINGLE
#undef PADICI_GPU_ROLLOUT_AHEAD

#endif
