#include "nodes.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_ROLLOUT

// ------------------------------------------------------------------------------- >>rollout impl
//
// Lists of nodes: checks, shapes, weights.

// "node 3: FIELD is ...": `at` as users count.
static padic_result padici_rollout_node_field_fail(padic_context *context, padic_result result,
                                                   uint32_t at, const char *field,
                                                   const char *sentence)
{
    char space[200];
    padici_text text;
    if (!context) return result;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "node ");
    padici_text_number(&text, at, 1);
    padici_text_add(&text, ": ");
    padici_text_add(&text, field);
    padici_text_add(&text, sentence);
    return padici_fail_here(context, result, space);
}

static padic_result padici_rollout_node_fail(padic_context *context, padic_result result,
                                             uint32_t at, const char *sentence)
{
    return padici_rollout_node_field_fail(context, result, at, "", sentence);
}

// Which optional fields a kind has.
enum {
    PADICI_ROLLOUT_HAS_SKIP = 1,
    PADICI_ROLLOUT_HAS_KERNEL = 2,
    PADICI_ROLLOUT_HAS_CHANNELS = 4,
    PADICI_ROLLOUT_HAS_NORM = 8,
    PADICI_ROLLOUT_HAS_BOUNDARY = 16,
    PADICI_ROLLOUT_HAS_UP = 32,
    PADICI_ROLLOUT_HAS_NOISE = 64,
    PADICI_ROLLOUT_HAS_MODES = 128
};

static uint32_t padici_rollout_fields(const padic_rollout_node *node)
{
    switch (node->kind) {
    case PADIC_ROLLOUT_KIND_CONV:
        return PADICI_ROLLOUT_HAS_KERNEL | PADICI_ROLLOUT_HAS_CHANNELS | PADICI_ROLLOUT_HAS_NORM |
               PADICI_ROLLOUT_HAS_BOUNDARY;
    case PADIC_ROLLOUT_KIND_NORM: return PADICI_ROLLOUT_HAS_NORM;
    case PADIC_ROLLOUT_KIND_ADD:
    case PADIC_ROLLOUT_KIND_CONCAT: return PADICI_ROLLOUT_HAS_SKIP;
    case PADIC_ROLLOUT_KIND_UP:
        if (node->up == PADIC_ROLLOUT_UP_NEAREST) return PADICI_ROLLOUT_HAS_UP;
        return node->up == PADIC_ROLLOUT_UP_TRANSPOSED
                   ? PADICI_ROLLOUT_HAS_UP | PADICI_ROLLOUT_HAS_CHANNELS
                   : PADICI_ROLLOUT_HAS_UP | PADICI_ROLLOUT_HAS_BOUNDARY;
    case PADIC_ROLLOUT_KIND_NOISE: return PADICI_ROLLOUT_HAS_NOISE;
    case PADIC_ROLLOUT_KIND_SPECTRAL:
        return PADICI_ROLLOUT_HAS_MODES | PADICI_ROLLOUT_HAS_CHANNELS;
    default: return 0;
    }
}

// A sentence for what is wrong with a node by itself; NULL: nothing.
static const char *padici_rollout_node_wrong(const padic_rollout_node *node)
{
    const uint32_t has = padici_rollout_fields(node);
    const uint32_t norm = PADIC_ROLLOUT_AFFINE | PADIC_ROLLOUT_STATISTICS;
    if ((uint32_t)node->kind > PADIC_ROLLOUT_KIND_SPECTRAL) return "kind is unknown";
    if ((uint32_t)node->boundary > PADIC_ROLLOUT_BOUNDARY_REPLICATE) return "boundary is unknown";
    if ((uint32_t)node->norm > PADIC_ROLLOUT_NORM_FROZEN) return "norm is unknown";
    if ((uint32_t)node->act > PADIC_ROLLOUT_ACT_TANH) return "act is unknown";
    if ((uint32_t)node->up > PADIC_ROLLOUT_UP_TRANSPOSED) return "up is unknown";
    if (node->flags & ~(norm | PADIC_ROLLOUT_ONE_SIDED))
        return "flags has an unknown bit";
    if (!(has & PADICI_ROLLOUT_HAS_SKIP) && node->skip) return "skip is no field of this kind";
    if (!(has & PADICI_ROLLOUT_HAS_KERNEL) && (node->kernel || node->stride))
        return "kernel and stride are no fields of this kind";
    if (!(has & PADICI_ROLLOUT_HAS_CHANNELS) && node->channels)
        return "channels is no field of this kind";
    if (!(has & PADICI_ROLLOUT_HAS_NORM) &&
        ((uint32_t)node->norm || node->groups || (uint32_t)node->act || (node->flags & norm) ||
         node->eps < 0 || node->eps > 0))
        return "norm, groups, act, eps and their flags are no fields of this kind";
    if (!(has & PADICI_ROLLOUT_HAS_MODES) &&
        (node->modes || node->scale < 0 || node->scale > 0 ||
         (node->flags & PADIC_ROLLOUT_ONE_SIDED)))
        return "modes, scale and ONE_SIDED of flags are no fields of this kind";
    if ((has & PADICI_ROLLOUT_HAS_MODES) && !node->modes) return "modes is 0";
    if (!(node->scale >= 0 && node->scale < 3e38f)) return "scale is negative, or not finite";
    if (!(has & PADICI_ROLLOUT_HAS_BOUNDARY) && (uint32_t)node->boundary)
        return "boundary is no field of this kind";
    if (!(has & PADICI_ROLLOUT_HAS_UP) && (uint32_t)node->up) return "up is no field of this kind";
    if (!(has & PADICI_ROLLOUT_HAS_NOISE) && node->noise) return "noise is no field of this kind";
    if (node->kernel && (node->kernel % 2 == 0 || node->kernel > 15))
        return "kernel is even, or above 15";
    if (node->stride > 2) return "stride is above 2";
    if (node->groups && node->norm != PADIC_ROLLOUT_NORM_GROUP)
        return "groups is a field of the norm GROUP only";
    if (!(node->eps >= 0 && node->eps < 3e38f)) return "eps is negative, or not finite";
    if (node->norm == PADIC_ROLLOUT_NORM_NONE && (node->flags || node->eps > 0))
        return "flags and eps are fields of a norm, and norm is NONE";
    if ((node->flags & PADIC_ROLLOUT_STATISTICS) && node->norm != PADIC_ROLLOUT_NORM_FROZEN)
        return "STATISTICS is a flag of the norm FROZEN only";
    return NULL;
}

// The largest divisor up to 32.
static uint32_t padici_rollout_groups(uint32_t channels)
{
    uint32_t groups = channels < 32 ? channels : 32;
    while (channels % groups) groups--;
    return groups;
}

static void padici_rollout_node_defaults(padici_rollout_node *node)
{
    padic_rollout_node *is = &node->is;
    const uint32_t has = padici_rollout_fields(is);
    if (!is->channels) is->channels = node->inputs;
    if (is->kind == PADIC_ROLLOUT_KIND_CONCAT) is->channels = node->inputs + node->skips;
    if (has & PADICI_ROLLOUT_HAS_KERNEL) {
        if (!is->kernel) is->kernel = 3;
        if (!is->stride) is->stride = 1;
    }
    if (!(has & PADICI_ROLLOUT_HAS_NORM)) {
        is->norm = PADIC_ROLLOUT_NORM_NONE;
        is->act = PADIC_ROLLOUT_ACT_NONE;
    }
    if (is->norm != PADIC_ROLLOUT_NORM_NONE && !(is->eps > 0)) is->eps = 1e-5f;
    if (is->norm == PADIC_ROLLOUT_NORM_GROUP && !is->groups)
        is->groups = padici_rollout_groups(is->channels);
    if (is->norm == PADIC_ROLLOUT_NORM_LAYER) is->groups = 1;
    if (is->norm == PADIC_ROLLOUT_NORM_INSTANCE) is->groups = is->channels;
}

static uint64_t padici_rollout_times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / PADIC_ROLLOUT_NODES / b ? UINT64_MAX / PADIC_ROLLOUT_NODES : a * b;
}

// Numbers of weights, by kind.
static void padici_rollout_node_weights(padici_rollout_node *node)
{
    const padic_rollout_node *is = &node->is;
    const uint64_t out = is->channels, cells = (uint64_t)node->shape.height * node->shape.width;
    if (is->kind == PADIC_ROLLOUT_KIND_CONV) {
        node->fan_in = (uint64_t)node->inputs * is->kernel * is->kernel;
        node->w = out * node->fan_in;
        node->bias = is->norm == PADIC_ROLLOUT_NORM_NONE ? out : 0;
        node->mac = padici_rollout_times(node->w, cells);
    } else if (is->kind == PADIC_ROLLOUT_KIND_ADD && node->skips != node->inputs) {
        node->fan_in = node->skips;
        node->skip_w = out * node->skips;
        node->mac = padici_rollout_times(node->skip_w, cells);
    } else if (is->kind == PADIC_ROLLOUT_KIND_UP && is->up == PADIC_ROLLOUT_UP_TRANSPOSED) {
        node->fan_in = (uint64_t)node->inputs * 4;
        node->w = out * node->fan_in;
        node->bias = out;
        node->mac = padici_rollout_times(out * node->inputs, cells);
    }
    if (is->kind == PADIC_ROLLOUT_KIND_SPECTRAL) {
        const uint64_t modes = (uint64_t)(node->up + node->down) * node->columns;
        node->spectral = padici_rollout_times(padici_rollout_times(out * node->inputs, modes), 2);
        node->w = node->spectral;
        node->mac = padici_rollout_times(node->spectral, 2);
    }
    if (is->flags & PADIC_ROLLOUT_AFFINE) node->affine = 2 * out;
    if (is->flags & PADIC_ROLLOUT_STATISTICS) node->statistics = 2 * out;
    node->shape.count = node->w + node->skip_w + node->bias + node->affine + node->statistics;
}

static padic_result padici_rollout_node_size(padic_context *context, uint32_t at,
                                             padici_rollout_node *node,
                                             const padici_rollout_node *in)
{
    const padic_rollout_node *is = &node->is;
    const uint32_t p = is->kernel / 2;
    padic_rollout_shape *shape = &node->shape;
    *shape = in->shape;
    shape->channels = is->channels;
    if (is->kind == PADIC_ROLLOUT_KIND_CONV) {
        if (is->boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT && (p >= shape->height ||
                                                               p >= shape->width))
            return padici_rollout_node_fail(context, PADIC_ERROR_ARGUMENT, at,
                                            "REFLECT needs (kernel - 1)/2 below H and W");
        if (is->stride == 2) {
            shape->height = shape->height / 2 + shape->height % 2;
            shape->width = shape->width / 2 + shape->width % 2;
        }
    } else if (is->kind == PADIC_ROLLOUT_KIND_SPECTRAL) {
        const uint32_t half = shape->height / 2, columns = shape->width / 2 + 1;
        const int one = (is->flags & PADIC_ROLLOUT_ONE_SIDED) != 0;
        const uint32_t above = one ? shape->height : shape->height - half;
        node->up = is->modes < above ? is->modes : above;
        node->down = one ? 0 : is->modes < half ? is->modes : half;
        node->columns = is->modes < columns ? is->modes : columns;
    } else if (is->kind == PADIC_ROLLOUT_KIND_NOISE) {
        if ((uint64_t)shape->height * shape->width > ((uint64_t)1 << 34) / shape->channels ||
            (node->law.length > 0 &&
             !padici_rollout_spectral_fits(shape->height, shape->width, shape->channels)))
            return padici_rollout_node_fail(context, PADIC_ERROR_LIMIT, at,
                                            "NOISE of more cells than a step has random numbers");
    } else if (is->kind == PADIC_ROLLOUT_KIND_MEAN) {
        if (shape->height % 2 || shape->width % 2)
            return padici_rollout_node_fail(context, PADIC_ERROR_ARGUMENT, at,
                                            "MEAN of an odd number of rows or columns");
        shape->height /= 2;
        shape->width /= 2;
    } else if (is->kind == PADIC_ROLLOUT_KIND_UP) {
        if (shape->height > 32768 || shape->width > 32768)
            return padici_rollout_node_fail(context, PADIC_ERROR_LIMIT, at,
                                            "UP to more than 65,536 rows or columns");
        if (is->boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT && (shape->height < 2 ||
                                                               shape->width < 2))
            return padici_rollout_node_fail(context, PADIC_ERROR_ARGUMENT, at,
                                            "REFLECT needs two rows and columns");
        shape->height *= 2;
        shape->width *= 2;
    }
    return PADIC_OK;
}

// A copy of its law, which may be gone when it is used; a sentence for what is wrong with it.
static const char *padici_rollout_node_law(padici_rollout_node *node)
{
    node->scale = 0.01;
    if (!node->is.noise) return NULL;
    node->law = *node->is.noise;
    if (node->law.scale) node->scale = *node->law.scale;
    node->law.scale = NULL;
    return padici_rollout_noise_fault(node->is.noise, 1);
}

PADICI_FN padic_result padici_rollout_node_find(padic_context *context,
                                                const padic_rollout_operator *op, uint32_t at,
                                                padici_rollout_node *all)
{
    padici_rollout_node *node = &all[at];
    const padici_rollout_node *in, *skip;
    const char *wrong;
    padic_result result;
    memset(node, 0, sizeof *node);
    if (!at) {
        node->shape.channels = op->channels ? op->channels : 3;
        node->shape.height = op->height;
        node->shape.width = op->width;
        return PADIC_OK;
    }
    node->is = op->nodes[at - 1];
    wrong = padici_rollout_node_wrong(&node->is);
    if (!wrong && (node->is.input >= at || node->is.skip >= at))
        wrong = "input or skip is no node before it";
    if (wrong) return padici_rollout_node_fail(context, PADIC_ERROR_ARGUMENT, at, wrong);
    wrong = padici_rollout_node_law(node);
    if (wrong)
        return padici_rollout_node_field_fail(context, PADIC_ERROR_ARGUMENT, at, "noise ", wrong);
    in = &all[node->is.input];
    skip = &all[node->is.skip];
    node->inputs = in->shape.channels;
    if (padici_rollout_fields(&node->is) & PADICI_ROLLOUT_HAS_SKIP) {
        node->skips = skip->shape.channels;
        if (skip->shape.height != in->shape.height || skip->shape.width != in->shape.width)
            return padici_rollout_node_fail(context, PADIC_ERROR_MISMATCH, at,
                                            "input and skip have other rows or columns");
    }
    padici_rollout_node_defaults(node);
    if (node->is.channels > PADIC_ROLLOUT_CHANNELS)
        return padici_rollout_node_fail(context, PADIC_ERROR_LIMIT, at,
                                        "channels are more than 65,536");
    if (node->is.groups && node->is.channels % node->is.groups)
        return padici_rollout_node_fail(context, PADIC_ERROR_ARGUMENT, at,
                                        "groups does not divide channels");
    result = padici_rollout_node_size(context, at, node, in);
    if (!result) padici_rollout_node_weights(node);
    return result;
}

PADICI_FN padic_result padici_rollout_nodes_find(padic_context *context,
                                                 const padic_rollout_operator *op,
                                                 padici_rollout_node *all, uint64_t *parameters)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    *parameters = 0;
    for (i = 0; i <= op->count && !result; i++) {
        result = padici_rollout_node_find(context, op, i, all);
        if (result) break;
        all[i].shape.weights = *parameters;
        *parameters += all[i].shape.count;
        if (*parameters > PADICI_ROLLOUT_PARAMETERS)
            result = padici_rollout_node_fail(context, PADIC_ERROR_LIMIT, i,
                                              "there are more than 2^34 weights");
    }
    return result;
}

static padic_result padici_rollout_operator_check(padic_context *context,
                                                  const padic_rollout_operator *op)
{
    if (!op || !op->nodes)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "nodes", "is NULL");
    if (!op->count || op->count > PADIC_ROLLOUT_NODES)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "count",
                                 "of nodes is 0, or above 255");
    if (op->channels > PADIC_ROLLOUT_CHANNELS)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "channels", "is above 65,536");
    if (!op->height || !op->width)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "height", "or width is 0");
    if (op->height > 65536 || op->width > 65536)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "height", "or width is above 65,536");
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_nodes_make(padic_context *context,
                                                 const padic_rollout_operator *op,
                                                 padici_rollout_node **all, uint64_t *parameters)
{
    const size_t size = (PADIC_ROLLOUT_NODES + 1) * sizeof **all;
    const padic_allocator *allocator = context ? padici_allocator(context) : NULL;
    padic_result result = padici_rollout_operator_check(context, op);
    *all = NULL;
    if (result) return result;
    *all = (padici_rollout_node *)padici_alloc(allocator, size, 16);
    if (!*all) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the nodes");
    result = padici_rollout_nodes_find(context, op, *all, parameters);
    if (!result) return PADIC_OK;
    padici_free(allocator, *all, size);
    *all = NULL;
    return result;
}

PADICI_FN void padici_rollout_nodes_free(padic_context *context, padici_rollout_node *all)
{
    if (all)
        padici_free(context ? padici_allocator(context) : NULL, all,
                    (PADIC_ROLLOUT_NODES + 1) * sizeof *all);
}

// splitmix64 over one word after another.
static uint64_t padici_rollout_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

static uint64_t padici_rollout_hash_law(uint64_t hash, const padici_rollout_node *node)
{
    const double numbers[3] = {node->scale, node->law.period, node->law.length};
    uint64_t bits;
    uint32_t i;
    hash = padici_rollout_hash(hash, (uint64_t)node->law.type << 8 | (uint64_t)node->law.schedule);
    for (i = 0; i < 3; i++) {
        memcpy(&bits, &numbers[i], 8);
        hash = padici_rollout_hash(hash, bits);
    }
    return hash;
}

static uint64_t padici_rollout_signature(const padici_rollout_node *all, uint32_t count)
{
    uint64_t hash = padici_rollout_hash(count, all->shape.channels);
    uint32_t i, bits;
    hash = padici_rollout_hash(hash, (uint64_t)all->shape.height << 32 | all->shape.width);
    for (i = 1; i <= count; i++) {
        const padic_rollout_node *is = &all[i].is;
        memcpy(&bits, &is->eps, 4);
        hash = padici_rollout_hash(hash, (uint64_t)is->kind << 32 | (uint64_t)is->boundary << 24 |
                                             (uint64_t)is->norm << 16 | (uint64_t)is->act << 8 |
                                             (uint64_t)is->up);
        hash = padici_rollout_hash(hash, (uint64_t)is->input << 32 | is->skip);
        hash = padici_rollout_hash(hash, (uint64_t)is->channels << 32 | is->kernel << 8 |
                                             is->stride);
        hash = padici_rollout_hash(hash, (uint64_t)is->groups << 32 | is->flags);
        hash = padici_rollout_hash(hash, bits);
        if (is->kind == PADIC_ROLLOUT_KIND_SPECTRAL) hash = padici_rollout_hash(hash, is->modes);
        if (is->kind == PADIC_ROLLOUT_KIND_NOISE) hash = padici_rollout_hash_law(hash, &all[i]);
    }
    return hash;
}

static padic_result padici_rollout_operator_info_named(padic_context *context,
                                                       const padic_rollout_operator *op,
                                                       padic_rollout_operator_report *report)
{
    padici_rollout_node *all = NULL;
    padic_rollout_shape *shapes;
    padic_result result;
    uint32_t i;
    if (!report) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "report", "is NULL");
    shapes = report->shapes;
    memset(report, 0, sizeof *report);
    report->shapes = shapes;
    result = padici_rollout_nodes_make(context, op, &all, &report->parameters);
    if (result) {
        report->parameters = 0;
        return result;
    }
    for (i = 1; i <= op->count; i++) {
        report->mac += all[i].mac;
        if (shapes) shapes[i - 1] = all[i].shape;
    }
    report->signature = padici_rollout_signature(all, op->count);
    report->output_channels = all[op->count].shape.channels;
    report->output_height = all[op->count].shape.height;
    report->output_width = all[op->count].shape.width;
    padici_rollout_nodes_free(context, all);
    return PADIC_OK;
}

PADIC_API padic_result padic_rollout_operator_info(padic_context *context,
                                                   const padic_rollout_operator *op,
                                                   padic_rollout_operator_report *report)
{
    const char *before = padici_enter(context, "rollout_operator_info");
    const padic_result result = padici_rollout_operator_info_named(context, op, report);
    padici_leave(context, before);
    return result;
}

static padic_result padici_rollout_group_named(padic_context *context,
                                               const padic_rollout_group_desc *desc)
{
    uint64_t runs = 0, placed = 0, i, j, before;
    if (!desc || (desc->count && (!desc->signatures || !desc->order || !desc->runs)))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "desc, signatures, order or runs is NULL");
    for (i = 0; i < desc->count; i++) {
        for (before = 0; before < i && desc->signatures[before] != desc->signatures[i];) before++;
        if (before < i) continue; // of an earlier run
        desc->runs[runs] = 0;
        for (j = i; j < desc->count; j++) {
            if (desc->signatures[j] != desc->signatures[i]) continue;
            desc->order[placed++] = j;
            desc->runs[runs]++;
        }
        runs++;
    }
    if (desc->report) desc->report->runs = runs;
    return PADIC_OK;
}

PADIC_API padic_result padic_rollout_group(padic_context *context,
                                           const padic_rollout_group_desc *desc)
{
    const char *before = padici_enter(context, "rollout_group");
    const padic_result result = padici_rollout_group_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
