#include "run.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/ops.h"
#include "../../context/recording.h"
#include "../../context/target.h"
#include "../../core/memory.h"
#include "../../rnn/numbers.h"
#include "../../rnn/weights.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_RNN)

// rnn_run: the plan's weights go to the device with its first run; then a group takes 32 rows
// through all steps. Of a net of two directions each layer is a launch of its own.

#define PADICI_GPU_RNN_STEPS 1024u // of one launch, at most

PADICI_FN int padici_gpu_rnn_is_there(const padici_rnn_net *net, uint32_t i)
{
    return net->part[i].is.kind != PADIC_RNN_KIND_LINEAR || i % net->directions == 0;
}

// What there is of a plan, and where; 0 where kernels do not reach it.
PADICI_FN int padici_gpu_rnn_net_of(const padici_rnn_net *net, padici_gpu_rnn_net *to)
{
    uint64_t words = (uint64_t)PADICI_GPU_RNN_LAYER * net->layers * net->directions, weights = 0;
    uint64_t memory = 0;
    uint32_t i, before = 0;
    memset(to, 0, sizeof *to);
    to->dtype = net->part[0].input.dtype;
    for (i = 0; i < net->layers * net->directions; i++) {
        const padici_rnn_part *part = &net->part[i];
        const int recurrent = part->is.kind != PADIC_RNN_KIND_LINEAR;
        if (!padici_gpu_rnn_is_there(net, i)) continue;
        if (part->width >> 24 || part->inputs >> 24) return 0;
        if (part->input.dtype != to->dtype || (recurrent && part->gates.dtype != to->dtype))
            to->dtype = PADIC_F32;
        words += (recurrent ? 4 : 2) * part->width;
        weights += part->width * (part->inputs + (recurrent ? part->units : 0));
        memory += (part->is.kind == PADIC_RNN_KIND_LSTM ? 3 : 2) * part->units;
        before |= recurrent && part->is.kind == PADIC_RNN_KIND_GRU &&
                  part->is.reset == PADIC_RNN_RESET_BEFORE;
    }
    to->side = (uint32_t)memory;
    if (before) memory += 3 * net->state;
    to->fed_at = (uint32_t)memory;
    if (net->feedback) memory += net->outputs;
    words = (words + 3) & ~(uint64_t)3;
    to->words = (uint32_t)words;
    to->memory = (uint32_t)memory;
    to->size = words * 4 + weights * padic_dtype_size(to->dtype);
    return !(words >> 28 || memory >> 26 || weights >> 31);
}

// Row i, column k of a matrix that is packed for the plan's kernels.
static const char *padici_gpu_rnn_packed(const padici_rnn_kernels *kernels,
                                         const padici_rnn_matrix *m, uint64_t i, uint64_t k)
{
    const uint64_t panel = kernels->panel;
    const uint8_t *order = (*kernels->order)(m->dtype);
    const uint64_t place = order ? order[i % panel] : i % panel;
    return (const char *)m->data +
           (i / panel * panel * m->depth + place + k * panel) * padic_dtype_size(m->dtype);
}

static double padici_gpu_rnn_real(const padici_rnn_kernels *kernels, const void *reals, uint64_t i)
{
    return kernels->is_double ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}

// What is being written of a plan.
typedef struct padici_gpu_rnn_image {
    const padici_rnn_kernels *kernels;
    padic_dtype dtype;
    uint32_t *words;
    char *weights; // element 0: the beginning of the words
} padici_gpu_rnn_image;

// Rows of a matrix from row `first` of `all` on: (depth, all). Their factors go to word `scale` on.
static void padici_gpu_rnn_image_matrix(padici_gpu_rnn_image *to, const padici_rnn_matrix *m,
                                        uint64_t first, uint64_t all, uint64_t element,
                                        uint64_t scale)
{
    const uint64_t size = padic_dtype_size(to->dtype);
    uint64_t i, k;
    for (i = 0; i < m->width; i++) {
        const float factor =
            (float)(m->scale ? padici_gpu_rnn_real(to->kernels, m->scale, i) : 1);
        memcpy(&to->words[scale + first + i], &factor, 4);
        for (k = 0; k < m->depth; k++) {
            const char *from = padici_gpu_rnn_packed(to->kernels, m, i, k);
            char *at = to->weights + (element + k * all + first + i) * size;
            if (m->dtype == to->dtype)
                memcpy(at, from, (size_t)size);
            else
                *(float *)(void *)at = (float)(padici_rnn_get(from, m->dtype) * (double)factor);
        }
    }
}

static void padici_gpu_rnn_image_reals(padici_gpu_rnn_image *to, const void *reals,
                                       uint64_t count, uint64_t at)
{
    uint64_t i;
    for (i = 0; i < count; i++) {
        const float value = (float)padici_gpu_rnn_real(to->kernels, reals, i);
        memcpy(&to->words[at + i], &value, 4);
    }
}

// The words of a part's layer in the table; what is before them is counted.
PADICI_FN void padici_gpu_rnn_row(const padici_rnn_net *net, const padici_gpu_rnn_net *is,
                                  uint32_t part, uint32_t row[PADICI_GPU_RNN_LAYER])
{
    uint64_t word = (uint64_t)PADICI_GPU_RNN_LAYER * net->layers * net->directions;
    uint64_t element = (uint64_t)is->words * 4 / padic_dtype_size(is->dtype);
    uint32_t i, at = 0, state = 0;
    memset(row, 0, PADICI_GPU_RNN_LAYER * sizeof *row);
    row[0] = PADIC_RNN_KIND_LINEAR;
    for (i = 0; i <= part; i++) {
        const padici_rnn_part *p = &net->part[i];
        const uint32_t recurrent = p->is.kind != PADIC_RNN_KIND_LINEAR;
        const float gain = (float)p->is.gain;
        if (!padici_gpu_rnn_is_there(net, i)) continue;
        if (i == part) {
            row[0] = (uint32_t)p->is.kind;
            row[1] = padici_gpu_rnn_flags(&p->is);
            row[2] = (uint32_t)p->inputs;
            row[3] = (uint32_t)p->units;
            row[4] = at;
            row[5] = state;
            row[6] = (uint32_t)element;
            row[7] = (uint32_t)(element + p->width * p->inputs);
            row[8] = (uint32_t)word;
            row[10] = (uint32_t)(word + p->width);
            row[9] = (uint32_t)(word + 2 * p->width); // LSTM: zeros; GRU: r, z: zeros
            if (p->is.kind == PADIC_RNN_KIND_GRU) row[9] += 2 * row[3];
            row[11] = (uint32_t)(word + 3 * p->width);
            memcpy(&row[12], &gain, 4);
        }
        word += (recurrent ? 4 : 2) * p->width;
        element += p->width * (p->inputs + (recurrent ? p->units : 0));
        at += (p->is.kind == PADIC_RNN_KIND_LSTM ? 3u : 2u) * (uint32_t)p->units;
        state += recurrent;
    }
}

// The block of a plan, in host memory.
static void padici_gpu_rnn_image_fill(const padici_rnn_net *net, const padici_gpu_rnn_net *is,
                                      void *memory)
{
    padici_gpu_rnn_image to;
    uint32_t i;
    memset(memory, 0, (size_t)is->size);
    to.kernels = net->kernels;
    to.dtype = is->dtype;
    to.words = (uint32_t *)memory;
    to.weights = (char *)memory;
    for (i = 0; i < net->layers * net->directions; i++) {
        const padici_rnn_part *part = &net->part[i];
        uint32_t *row = to.words + (size_t)i * PADICI_GPU_RNN_LAYER;
        padici_gpu_rnn_row(net, is, i, row);
        if (!padici_gpu_rnn_is_there(net, i)) continue;
        padici_gpu_rnn_image_reals(&to, part->bias, part->width, row[8]);
        padici_gpu_rnn_image_matrix(&to, &part->input, 0, part->width, row[6], row[10]);
        if (part->is.kind == PADIC_RNN_KIND_LINEAR) continue;
        padici_gpu_rnn_image_matrix(&to, &part->gates, 0, part->width, row[7], row[11]);
        if (part->is.kind != PADIC_RNN_KIND_GRU) continue;
        padici_gpu_rnn_image_reals(&to, part->fresh_bias, part->units, row[9]);
        padici_gpu_rnn_image_matrix(&to, &part->fresh, 2 * part->units, part->width, row[7],
                                    row[11]);
    }
}

// The plan's weights on the device; the first run moves them there.
static padic_result padici_gpu_rnn_weights(padici_gpu *gpu, padic_rnn_plan *plan,
                                           const padici_gpu_rnn_net *is)
{
    const padic_allocator *allocator = gpu->context->env.allocator;
    padici_gpu_block block;
    void *memory;
    padic_result result;
    if (plan->device_block != PADICI_NO_BLOCK) return PADIC_OK;
    if (gpu->context->recording)
        return padici_refuse(gpu->context, "the first run of a plan, which moves its weights,");
    memory = padici_alloc(allocator, (size_t)is->size, 16);
    if (!memory) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    gpu->context->stats.host_allocations++;
    padici_gpu_rnn_image_fill(&plan->net, is, memory);
    result = padici_gpu_scratch(gpu, is->size, &block);
    if (!result) result = padici_gpu_upload(gpu, block.mem, 0, memory, is->size);
    padici_free(allocator, memory, (size_t)is->size);
    if (result) {
        padici_gpu_scratch_end(gpu, &block);
        return result;
    }
    plan->device_block = block.block;
    plan->device_mem = block.mem;
    return PADIC_OK;
}

// h0 and c0 to the groups' memory, or out_h and out_c from it.
static padic_result padici_gpu_rnn_move_states(padici_gpu_rnn_sequence *r, uint32_t is_c,
                                               uint32_t save)
{
    const padici_rnn_net *net = &r->plan->net;
    const padic_tensor *const tensor[4] = {&r->desc->h0, &r->desc->c0, &r->desc->out_h,
                                           &r->desc->out_c};
    const padic_tensor *t = tensor[2 * save + is_c];
    const uint32_t here = padici_rnn_here(t) != 0;
    const char *define;
    padici_gpu_rnn_view view;
    padici_k_rnn_states_params k;
    padici_gpu_work work;
    if ((save && !here) || (is_c && !net->lstm) || !net->states) return PADIC_OK;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    padici_gpu_rnn_view_of(r->call, t, &view);
    k.rows = r->k.rows;
    k.groups = r->tiles;
    k.memory = r->is.memory;
    k.tile = r->tile;
    k.is_c = is_c;
    k.save = save;
    k.zero = !here;
    k.steps = r->k.steps;
    k.units = (uint32_t)net->state;
    k.at = view.at;
    k.layer = view.step[0];
    k.row = view.step[1];
    k.column = view.step[2];
    work.kernel = PADICI_KERNEL_RNN_STATES;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(r->is.dtype, &define);
    work.mem[0] = r->plan->device_mem;
    work.mem[1] = here ? view.mem : r->memory.mem;
    work.mem[2] = r->memory.mem;
    work.mem_count = 3;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (r->tiles * r->tile + 7) / 8;
    work.groups[1] = net->layers * net->directions;
    return padici_gpu_launch(r->gpu, &work);
}

static padic_result padici_gpu_rnn_launch(padici_gpu_rnn_sequence *r, padic_mem x, padic_mem out)
{
    const char *define;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t first;
    memset(&work, 0, sizeof work);
    work.kernel = PADICI_KERNEL_RNN_RUN;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(r->is.dtype, &define);
    work.mem[0] = work.mem[1] = r->plan->device_mem;
    work.mem[2] = x;
    work.mem[3] = r->k.flags & PADICI_GPU_RNN_LENGTHS ? r->lengths.mem : x;
    work.mem[4] = r->k.out ? out : r->memory.mem;
    work.mem[5] = r->k.columns ? r->columns.mem : r->memory.mem;
    work.mem[6] = r->memory.mem;
    work.mem_count = 7;
    work.params = &r->k;
    work.params_size = sizeof r->k;
    work.groups[0] = r->tiles;
    for (first = 0; first < r->k.steps && !result; first += r->k.count) {
        const uint32_t left = r->k.steps - first;
        r->k.first = first;
        r->k.count = left < PADICI_GPU_RNN_STEPS ? left : PADICI_GPU_RNN_STEPS;
        result = padici_gpu_launch(r->gpu, &work);
    }
    return result;
}

// A view of the call as what a launch reads or writes.
static void padici_gpu_rnn_run_x(padici_gpu_rnn_sequence *r)
{
    const uint32_t first = r->desc->flags & PADIC_RNN_BATCH_FIRST ? 1 : 0;
    r->k.x_at = r->x.at;
    r->k.x_time = r->x.step[first];
    r->k.x_row = r->x.step[!first];
    r->k.x_column = r->x.step[2];
}

static void padici_gpu_rnn_run_out(padici_gpu_rnn_sequence *r)
{
    const uint32_t first = r->desc->flags & PADIC_RNN_BATCH_FIRST ? 1 : 0;
    r->k.out = padici_rnn_here(&r->desc->out) != 0;
    r->k.out_at = r->out.at;
    r->k.out_time = r->out.step[first];
    r->k.out_row = r->out.step[!first];
    r->k.out_column = r->out.step[2];
}

// All layers in one launch.
static padic_result padici_gpu_rnn_one_way(padici_gpu_rnn_sequence *r)
{
    const padici_rnn_net *net = &r->plan->net;
    const uint32_t first = r->desc->flags & PADIC_RNN_BATCH_FIRST ? 1 : 0;
    padici_gpu_rnn_run_x(r);
    padici_gpu_rnn_run_out(r);
    r->k.layers = net->layers;
    r->k.turned = net->reverse ? 3 : 0;
    r->k.feedback = (uint32_t)net->feedback;
    r->k.fed = (uint32_t)net->first;
    r->k.fed_at = r->is.fed_at;
    r->k.outputs = (uint32_t)net->outputs;
    r->k.clip = (float)net->clip;
    r->k.columns = padici_rnn_here(&r->desc->columns) != 0;
    r->k.columns_at = r->columns.at;
    r->k.columns_time = r->columns.step[first];
    r->k.columns_row = r->columns.step[!first];
    r->k.columns_column = r->columns.step[2];
    return padici_gpu_rnn_launch(r, r->x.mem, r->out.mem);
}

// A layer and a direction by a launch.
static padic_result padici_gpu_rnn_both_ways(padici_gpu_rnn_sequence *r)
{
    const padici_rnn_net *net = &r->plan->net;
    const uint64_t size = (uint64_t)r->k.steps * r->k.rows * net->widest * 4;
    padic_result result = padici_gpu_scratch(r->gpu, size, &r->from);
    uint32_t i;
    if (!result) result = padici_gpu_scratch(r->gpu, size, &r->to);
    for (i = 0; i < net->layers * 2 && !result; i++) {
        const padici_rnn_part *part = &net->part[i];
        const uint32_t d = i % 2, last = i / 2 + 1 == net->layers, n = (uint32_t)part->units;
        const uint32_t width = part->is.kind == PADIC_RNN_KIND_LINEAR ? n : 2 * n;
        if (!padici_gpu_rnn_is_there(net, i)) continue;
        if (!d && i) {
            const padici_gpu_block swap = r->from;
            r->from = r->to;
            r->to = swap;
        }
        if (i < 2) {
            padici_gpu_rnn_run_x(r);
        } else {
            r->k.x_at = 0;
            r->k.x_time = r->k.rows * (uint32_t)part->inputs;
            r->k.x_row = (uint32_t)part->inputs;
            r->k.x_column = 1;
        }
        if (last) {
            padici_gpu_rnn_run_out(r);
            r->k.out_at += d * n * r->k.out_column;
        } else {
            r->k.out = 1;
            r->k.out_at = d * n;
            r->k.out_time = r->k.rows * width;
            r->k.out_row = width;
            r->k.out_column = 1;
        }
        r->k.turned = d ? 3 : 0;
        r->k.table = i * PADICI_GPU_RNN_LAYER;
        r->k.layers = 1;
        r->k.outputs = n;
        result = padici_gpu_rnn_launch(r, i < 2 ? r->x.mem : r->from.mem,
                                       last ? r->out.mem : r->to.mem);
    }
    return result;
}

// Lengths above T, and CHECK_FINITE: both wait for the device. A recording takes such lengths as T.
static padic_result padici_gpu_rnn_run_check(padici_gpu_rnn_sequence *r)
{
    const padic_tensor *const state[2] = {&r->desc->h0, &r->desc->c0};
    const uint32_t finite = r->desc->flags & PADIC_RNN_CHECK_FINITE;
    const uint32_t lengths = r->k.flags & PADICI_GPU_RNN_LENGTHS;
    padici_gpu *gpu = r->gpu;
    padici_gpu_block found;
    padici_k_rnn_check_params k;
    uint32_t words[2] = {0, 0}, i;
    padic_result result;
    if (gpu->context->recording && finite)
        return padici_refuse(gpu->context, "CHECK_FINITE, which waits,");
    if ((!finite && !lengths) || gpu->context->recording) return PADIC_OK;
    result = padici_gpu_scratch(gpu, 8, &found);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, found.mem, 0, 0, 8);
    padici_gpu_rnn_check_of(&r->x, 3, r->desc->flags & PADIC_RNN_BATCH_FIRST, r->desc->x.shape, &k);
    if (!finite) k.times = 0;
    k.flags = lengths;
    k.steps = r->k.steps;
    k.length_at = r->lengths.at;
    k.length_step = r->lengths.step[0];
    if (!result) result = padici_gpu_rnn_check(gpu, r->x.mem, r->lengths.mem, &found, &k);
    for (i = 0; i < 2 && finite && !result; i++) {
        padici_gpu_rnn_view view;
        if (!padici_rnn_here(state[i])) continue;
        padici_gpu_rnn_view_of(r->call, state[i], &view);
        padici_gpu_rnn_check_of(&view, 3, 0, state[i]->shape, &k);
        result = padici_gpu_rnn_check(gpu, view.mem, view.mem, &found, &k);
    }
    if (!result) result = padici_gpu_download(gpu, found.mem, 0, words, sizeof words);
    padici_gpu_scratch_end(gpu, &found);
    if (!result && words[1])
        result = padici_fail_here(gpu->context, PADIC_ERROR_ARGUMENT, "lengths has one above T");
    else if (!result && words[0])
        result = padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN,
                                  "x, h0 or c0 has a NaN or an infinity");
    return result;
}

static padic_result padici_gpu_rnn_run_work(padici_gpu_rnn_sequence *r)
{
    padic_result result = padici_gpu_rnn_run_check(r);
    if (!result) result = padici_gpu_rnn_weights(r->gpu, r->plan, &r->is);
    if (!result)
        result = padici_gpu_scratch(r->gpu, (uint64_t)r->tiles * r->tile * r->is.memory * 4,
                                    &r->memory);
    if (!result) result = padici_gpu_rnn_move_states(r, 0, 0);
    if (!result) result = padici_gpu_rnn_move_states(r, 1, 0);
    if (!result)
        result = r->layered                       ? padici_gpu_rnn_layers(r)
                 : r->plan->net.directions == 2 ? padici_gpu_rnn_both_ways(r)
                                                : padici_gpu_rnn_one_way(r);
    if (!result) result = padici_gpu_rnn_move_states(r, 0, 1);
    return result ? result : padici_gpu_rnn_move_states(r, 1, 1);
}

PADICI_FN padic_result padici_gpu_rnn_run(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_rnn_run_desc *desc = &call->desc->rnn_run;
    const uint32_t first = desc->flags & PADIC_RNN_BATCH_FIRST ? 1 : 0;
    const uint64_t steps = desc->x.shape[first], rows = desc->x.shape[!first];
    padici_gpu_rnn_sequence r;
    padic_result result;
    uint32_t kernel;
    int layered;
    memset(&r, 0, sizeof r);
    if (desc->x.dtype != PADIC_F32 || !padici_gpu_rnn_reach(call) || steps >> 30 || rows >> 24 ||
        !padici_gpu_rnn_net_of(&desc->plan->net, &r.is))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->plan->net.directions == 2 && steps * rows * desc->plan->net.widest >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    layered = padici_gpu_rnn_is_layered(gpu, &r.is, &desc->plan->net, rows);
    kernel = !layered                     ? PADICI_KERNEL_RNN_RUN
             : rows <= PADICI_GPU_RNN_FEW ? PADICI_KERNEL_RNN_UNITS
                                          : PADICI_KERNEL_RNN_CELLS;
    result = padici_gpu_rnn_need(gpu, kernel, r.is.dtype);
    if (!result && layered)
        result = padici_gpu_rnn_need(gpu, PADICI_KERNEL_RNN_PRODUCT, r.is.dtype);
    if (!result && layered && rows <= PADICI_GPU_RNN_FEW)
        result = padici_gpu_rnn_need(gpu, PADICI_KERNEL_RNN_SHORT, r.is.dtype);
    if (!result) result = padici_gpu_rnn_need(gpu, PADICI_KERNEL_RNN_STATES, r.is.dtype);
    if (!result) result = padici_gpu_rnn_need(gpu, PADICI_KERNEL_RNN_CHECK, PADIC_F32);
    if (query || result || !steps || !rows) return result;
    r.gpu = gpu;
    r.call = call;
    r.desc = desc;
    r.plan = desc->plan;
    r.memory.block = r.from.block = r.to.block = PADICI_NO_BLOCK;
    r.sums.block = r.back.block = r.words.block = PADICI_NO_BLOCK;
    padici_gpu_rnn_view_of(call, &desc->x, &r.x);
    padici_gpu_rnn_view_of(call, &desc->lengths, &r.lengths);
    padici_gpu_rnn_view_of(call, &desc->out, &r.out);
    padici_gpu_rnn_view_of(call, &desc->columns, &r.columns);
    r.layered = (uint32_t)layered;
    r.tile = layered ? (uint32_t)rows : PADICI_GPU_RNN_TILE;
    r.tiles = (uint32_t)((rows + r.tile - 1) / r.tile);
    r.k.rows = (uint32_t)rows;
    r.k.steps = (uint32_t)steps;
    r.k.memory = r.is.memory;
    r.k.side = r.is.side;
    r.k.widest = (uint32_t)desc->plan->net.state;
    if (padici_rnn_here(&desc->lengths)) r.k.flags = PADICI_GPU_RNN_LENGTHS;
    r.k.length_at = r.lengths.at;
    r.k.length_step = r.lengths.step[0];
    result = padici_gpu_rnn_run_work(&r);
    padici_gpu_scratch_end(gpu, &r.memory);
    padici_gpu_scratch_end(gpu, &r.from);
    padici_gpu_scratch_end(gpu, &r.to);
    padici_gpu_scratch_end(gpu, &r.sums);
    padici_gpu_scratch_end(gpu, &r.back);
    padici_gpu_scratch_end(gpu, &r.words);
    return result;
}

PADICI_FN padic_result padici_warm_rnn(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_RNN_RUN, NULL, 0);
}

#undef PADICI_GPU_RNN_STEPS

#endif
