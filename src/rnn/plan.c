#include "plan.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/pool.h"
#include "../context/state.h"
#include "../context/workspace.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "weights.h"

#if PADICI_IMPLEMENT_RNN

// Plans: checks, packed weights and scratch in one piece of memory.

PADIC_API uint64_t padic_rnn_param_count(padic_rnn_kind kind, uint64_t inputs, uint64_t units)
{
    const uint64_t gates = kind == PADIC_RNN_KIND_GRU ? 3 : kind == PADIC_RNN_KIND_LSTM ? 4 : 1;
    uint64_t row = kind == PADIC_RNN_KIND_LINEAR ? 1 : 2, count;
    if ((uint32_t)kind > PADIC_RNN_KIND_LINEAR) return 0;
    if (kind != PADIC_RNN_KIND_LINEAR) {
        if (units > UINT64_MAX - row) return 0;
        row += units;
    }
    if (inputs > UINT64_MAX - row) return 0;
    return padici_mul_u64(row + inputs, units, &count) && padici_mul_u64(count, gates, &count)
               ? count
               : 0;
}

PADICI_FN void padici_rnn_options_of(const padic_rnn_layer *layer, padici_rnn_options *is)
{
    is->kind = layer->kind;
    is->reset = layer->reset;
    is->update = layer->update;
    is->activation = layer->activation;
    is->gain = layer->gain;
    is->forget_bias = layer->forget_bias;
}

// Views of a layer's weights: in host memory, as far as they are there.
static padic_result padici_rnn_host_check(padic_context *context, const padic_rnn_weights *w)
{
    static const char *const name[6] = {"weights.input",          "weights.recurrent",
                                        "weights.bias",           "weights.recurrent_bias",
                                        "weights.input_scale",    "weights.recurrent_scale"};
    const padic_tensor *const t[6] = {&w->input,          &w->recurrent,   &w->bias,
                                      &w->recurrent_bias, &w->input_scale, &w->recurrent_scale};
    uint64_t count;
    uint32_t i;
    for (i = 0; i < 6; i++) {
        padic_result result;
        if (!padici_rnn_here(t[i])) continue;
        if (!t[i]->data)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name[i],
                                     "is not in host memory");
        result = padici_tensor_check_view(t[i], 0, &count);
        if (result) return padici_fail_view(context, result, name[i], t[i]);
    }
    return PADIC_OK;
}

// From here on messages say which layer it is, until context->operation is set back.
static void padici_rnn_layer_enter(padic_context *context, const char *operation, uint64_t i,
                                   const char *backward, char space[64])
{
    padici_text text;
    if (!context || !operation) return;
    padici_text_begin(&text, space, 64);
    padici_text_add(&text, operation);
    padici_text_add(&text, ": layers[");
    padici_text_number(&text, i, 1);
    padici_text_add(&text, backward);
    context->operation = space;
}

static padic_result padici_rnn_layers_check(padic_context *context, const padic_rnn_plan_desc *desc)
{
    const padic_dtype dtype = desc->dtype == PADIC_F64 ? PADIC_F64 : PADIC_F32;
    const char *operation = context ? context->operation : NULL;
    char space[64];
    uint64_t width = 0;
    uint32_t i, d;
    for (i = 0; i < desc->layer_count; i++) {
        const padic_rnn_layer *layer = &desc->layers[i];
        const int linear = layer->kind == PADIC_RNN_KIND_LINEAR;
        const uint32_t both = !linear && (desc->flags & PADIC_RNN_BIDIRECTIONAL);
        padici_rnn_options is;
        padic_result result;
        padici_rnn_layer_enter(context, operation, i, "]", space);
        padici_rnn_options_of(layer, &is);
        result = padici_rnn_options_check(context, &is);
        for (d = 0; d <= both && !result; d++) {
            const padic_rnn_weights *w = d ? &layer->backward : &layer->weights;
            if (d) padici_rnn_layer_enter(context, operation, i, "], backward", space);
            result = padici_rnn_host_check(context, w);
            if (!result) result = padici_rnn_weights_check(context, layer->kind, w, dtype, NULL);
            if (!result && i && w->input.shape[1] != width)
                result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "weights.input",
                                           "has other columns than the layer before has outputs");
        }
        if (!result && both &&
            (layer->backward.recurrent.shape[1] != layer->weights.recurrent.shape[1] ||
             layer->backward.input.shape[1] != layer->weights.input.shape[1]))
            result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "backward",
                                       "has other shapes than weights");
        padici_leave(context, operation);
        if (result) return result;
        width = linear ? layer->weights.input.shape[0]
                       : layer->weights.recurrent.shape[1] * (both ? 2 : 1);
    }
    return PADIC_OK;
}

static padic_result padici_rnn_feedback_check(padic_context *context,
                                              const padic_rnn_plan_desc *desc)
{
    const padic_rnn_layer *last = &desc->layers[desc->layer_count - 1];
    const uint64_t inputs = desc->layers[0].weights.input.shape[1];
    const uint64_t outputs = last->kind == PADIC_RNN_KIND_LINEAR ? last->weights.input.shape[0]
                                                                 : last->weights.recurrent.shape[1];
    if (!desc->feedback) return PADIC_OK;
    if (desc->flags)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "feedback",
                                 "goes forward in time, not with REVERSE or BIDIRECTIONAL");
    if (outputs > inputs || desc->feedback_first > inputs - outputs)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "feedback_first",
                                 "leaves the outputs no room in the columns of the input");
    return PADIC_OK;
}

static padic_result padici_rnn_plan_check(padic_context *context, const padic_rnn_plan_desc *desc)
{
    const uint32_t known = PADIC_RNN_REVERSE | PADIC_RNN_BIDIRECTIONAL;
    const char *field = NULL, *why = NULL;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    if (desc->layer_count > PADIC_RNN_LAYERS)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "layer_count", "is above 16");
    if (!desc->layers || !desc->layer_count) field = "layers", why = "are missing";
    else if (desc->dtype != PADIC_DTYPE_NONE && desc->dtype != PADIC_F32 &&
             desc->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "dtype", "is not f32 or f64");
    else if ((desc->flags & ~known) || desc->flags == known)
        field = "flags", why = "has an unknown bit, or both REVERSE and BIDIRECTIONAL";
    else if ((uint32_t)desc->feedback > PADIC_RNN_FEEDBACK_ADD)
        field = "feedback", why = "is unknown";
    else if (!(desc->clip_radius >= 0) || desc->clip_radius - desc->clip_radius != 0)
        field = "clip_radius", why = "is negative or not finite";
    else if (desc->batch > PADICI_RNN_ROWS)
        field = "batch", why = "is above 64";
    else if ((desc->flags & PADIC_RNN_BIDIRECTIONAL) && !desc->steps)
        field = "steps", why = "is 0: both directions need all steps in memory";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, why);
    result = padici_rnn_layers_check(context, desc);
    return result ? result : padici_rnn_feedback_check(context, desc);
}

// Memory that is divided: `at` NULL counts only.
typedef struct padici_rnn_pieces {
    char *at;
    uint64_t used;
    int over; // more than memory can be
} padici_rnn_pieces;

static void *padici_rnn_piece(padici_rnn_pieces *pieces, uint64_t count, uint64_t size)
{
    char *piece = pieces->at ? pieces->at + pieces->used : NULL;
    uint64_t bytes;
    if (!padici_mul_u64(count, size, &bytes) || bytes > ((uint64_t)1 << 62) - pieces->used ||
        pieces->used > (uint64_t)1 << 61) {
        pieces->over = 1;
        return NULL;
    }
    pieces->used += (bytes + 63) & ~(uint64_t)63;
    return piece;
}

static void padici_rnn_piece_matrix(padici_rnn_pieces *pieces, const padici_rnn_kernels *kernels,
                                    padici_rnn_matrix *m)
{
    const padici_rnn_matrix from = *m;
    void *data = padici_rnn_piece(pieces, padici_rnn_matrix_bytes(m, kernels->panel), 1);
    void *scale = NULL;
    if (m->dtype == PADIC_I8)
        scale = padici_rnn_piece(pieces, (m->width + kernels->panel - 1) / kernels->panel,
                                 (uint64_t)kernels->panel * (kernels->is_double ? 8 : 4));
    if (pieces->at) padici_rnn_matrix_pack(kernels, &from, data, scale, m);
}

// All parts; with memory, packed into it.
static void padici_rnn_piece_parts(padici_rnn_pieces *pieces, const padic_rnn_plan_desc *desc,
                                   const padici_rnn_kernels *kernels, padici_rnn_part *part)
{
    const uint32_t directions = desc->flags & PADIC_RNN_BIDIRECTIONAL ? 2 : 1;
    const uint64_t real = kernels->is_double ? 8 : 4;
    uint32_t i;
    for (i = 0; i < desc->layer_count * directions; i++, part++) {
        const padic_rnn_layer *layer = &desc->layers[i / directions];
        const int linear = layer->kind == PADIC_RNN_KIND_LINEAR;
        const padic_rnn_weights *w = i % directions && !linear ? &layer->backward : &layer->weights;
        padici_rnn_options is;
        void *bias, *fresh;
        padici_rnn_options_of(layer, &is);
        padici_rnn_part_begin(&is, w, part);
        if (linear && i % directions) continue; // its other half is not there
        bias = padici_rnn_piece(pieces, part->width + 64, real);
        fresh = padici_rnn_piece(pieces, part->units + 64, real);
        if (pieces->at) padici_rnn_bias_fill(&is, w, part, kernels->is_double, bias, fresh);
        part->bias = bias;
        part->fresh_bias = fresh;
        padici_rnn_piece_matrix(pieces, kernels, &part->input);
        if (!linear) padici_rnn_piece_matrix(pieces, kernels, &part->gates);
        if (is.kind == PADIC_RNN_KIND_GRU) padici_rnn_piece_matrix(pieces, kernels, &part->fresh);
    }
}

static void padici_rnn_net_of(const padic_rnn_plan_desc *desc, const padici_rnn_kernels *kernels,
                              padic_rnn_plan *plan)
{
    padici_rnn_net *net = &plan->net;
    net->kernels = kernels;
    net->part = plan->part;
    net->layers = desc->layer_count;
    net->directions = desc->flags & PADIC_RNN_BIDIRECTIONAL ? 2 : 1;
    net->is_double = desc->dtype == PADIC_F64;
    net->reverse = desc->flags & PADIC_RNN_REVERSE;
    net->feedback = desc->feedback;
    net->first = desc->feedback_first;
    net->clip = desc->clip_radius;
    padici_rnn_net_measure(net);
    plan->block = desc->batch ? desc->batch : PADICI_RNN_ROWS;
    plan->steps = desc->steps;
    plan->flags = desc->flags;
    // A sequence of all steps must not overflow where its bytes are counted.
    plan->room = net->directions == 2 &&
                         plan->steps > ((uint64_t)1 << 52) / plan->block / net->widest
                     ? (uint64_t)1 << 62
                     : padici_rnn_work_room(net, plan->block, net->directions == 2
                                                                              ? plan->steps
                                                                              : PADICI_RNN_ROWS);
}

// Divides memory into the plan and its pieces; `plan` has its parts then. Returns the bytes, 0 if
// they are more than memory can be.
static uint64_t padici_rnn_plan_place(const padic_rnn_plan_desc *desc,
                                      const padici_rnn_kernels *kernels, uint32_t workers,
                                      char *memory, padic_rnn_plan *plan)
{
    padici_rnn_pieces pieces;
    memset(&pieces, 0, sizeof pieces);
    memset(plan, 0, sizeof *plan);
    pieces.at = memory;
    (void)padici_rnn_piece(&pieces, sizeof *plan, 1);
    padici_rnn_piece_parts(&pieces, desc, kernels, plan->part);
    padici_rnn_net_of(desc, kernels, plan);
    plan->workers = workers < 1 ? 1 : workers > PADICI_RNN_WORKERS ? PADICI_RNN_WORKERS : workers;
    plan->scratch = (char *)padici_rnn_piece(&pieces, plan->room, plan->workers);
    plan->size = pieces.used;
    return pieces.over || pieces.used > (size_t)-1 - 64 ? 0 : pieces.used;
}

// Bytes with the widest reals and panels of any backend, or with those of `kernels`. The plan that
// is measured is too large for a frame.
static padic_result padici_rnn_plan_bytes(padic_context *context, const padic_rnn_plan_desc *desc,
                                          const padici_rnn_kernels *kernels, uint64_t *bytes)
{
    static const padici_rnn_kernels widest = {1, 64, NULL, NULL, NULL, NULL, NULL, NULL};
    const padic_jobs *jobs = context ? padici_jobs(context) : NULL;
    const padic_allocator *allocator = context ? padici_allocator(context) : NULL;
    padic_rnn_plan *plan = (padic_rnn_plan *)padici_alloc(allocator, sizeof *plan, 16);
    *bytes = 0;
    if (!plan) return PADIC_ERROR_MEMORY;
    *bytes = padici_rnn_plan_place(desc, kernels ? kernels : &widest, jobs ? jobs->workers : 1,
                                   NULL, plan);
    padici_free(allocator, plan, sizeof *plan);
    return *bytes ? PADIC_OK : PADIC_ERROR_LIMIT;
}

PADIC_API uint64_t padic_rnn_plan_size_bound(padic_context *context,
                                             const padic_rnn_plan_desc *desc)
{
    uint64_t bytes;
    if (!desc || padici_rnn_plan_check(NULL, desc)) return 0;
    (void)padici_rnn_plan_bytes(context, desc, NULL, &bytes);
    return bytes;
}

// Parameters, with both biases.
static uint64_t padici_rnn_plan_parameters(const padici_rnn_net *net)
{
    uint64_t count = 0;
    uint32_t i;
    for (i = 0; i < net->layers * net->directions; i++) {
        const padici_rnn_part *part = &net->part[i];
        if (part->is.kind == PADIC_RNN_KIND_LINEAR && i % net->directions) continue;
        count += padic_rnn_param_count(part->is.kind, part->inputs, part->units);
    }
    return count;
}

static padic_result padici_rnn_plan_create_named(padic_context *context,
                                                 const padic_rnn_plan_desc *desc,
                                                 padic_rnn_plan **plan)
{
    const padic_jobs *jobs = context ? padici_jobs(context) : NULL;
    const padic_allocator *allocator = context ? padici_allocator(context) : NULL;
    padici_rnn_choice choice;
    uint64_t bytes = 0, most = 0;
    char *memory;
    padic_result result;
    if (!plan) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *plan = NULL;
    result = padici_rnn_plan_check(context, desc);
    if (result) return result;
    choice.kernels = padici_rnn_plain();
    if (desc->dtype != PADIC_F64)
        (void)padici_loop_run(padici_loop_of(context, PADIC_OP_RNN_KERNELS), &choice);
    result = padici_rnn_plan_bytes(context, desc, choice.kernels, &bytes);
    if (!result && padici_rnn_here(&desc->workspace))
        result = padici_rnn_plan_bytes(context, desc, NULL, &most);
    if (result)
        return padici_fail_here(context, result, result == PADIC_ERROR_LIMIT
                                                     ? "it is larger than any memory"
                                                     : "no memory for the plan");
    result = padici_workspace_check(context, &desc->workspace, most);
    if (result) return result;
    memory = (char *)desc->workspace.data;
    if (!memory)
        memory = (char *)padici_alloc(allocator, (size_t)bytes, 64);
    if (!memory) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    *plan = (padic_rnn_plan *)(void *)memory;
    (void)padici_rnn_plan_place(desc, choice.kernels, jobs ? jobs->workers : 1, memory, *plan);
    (*plan)->context = context;
    (*plan)->device_block = PADICI_NO_BLOCK;
    (*plan)->placed = desc->workspace.data != NULL;
    (*plan)->parameters = padici_rnn_plan_parameters(&(*plan)->net);
    if (allocator) (*plan)->allocator = *allocator;
    return PADIC_OK;
}

PADIC_API padic_result padic_rnn_plan_create(padic_context *context,
                                             const padic_rnn_plan_desc *desc, padic_rnn_plan **plan)
{
    const char *before = padici_enter(context, "rnn_plan_create");
    const padic_result result = padici_rnn_plan_create_named(context, desc, plan);
    padici_leave(context, before);
    return result;
}

PADIC_API void padic_rnn_plan_destroy(padic_rnn_plan *plan)
{
    padic_allocator allocator;
    if (!plan) return;
    if (plan->context && plan->device_block != PADICI_NO_BLOCK)
        padici_pool_give(plan->context, &plan->context->pools[0], plan->device_block);
    plan->device_block = PADICI_NO_BLOCK;
    if (plan->placed) return;
    allocator = plan->allocator;
    padici_free(&allocator, plan, (size_t)plan->size);
}

PADIC_API padic_result padic_rnn_plan_info(const padic_rnn_plan *plan,
                                           padic_rnn_plan_report *report)
{
    if (report) memset(report, 0, sizeof *report);
    if (!plan || !report) return PADIC_ERROR_ARGUMENT;
    report->size = plan->size;
    report->parameters = plan->parameters;
    report->input = plan->net.inputs;
    report->output = plan->net.outputs;
    report->state_layers = plan->net.states;
    report->state = plan->net.state;
    return PADIC_OK;
}

#endif
