#include "record.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/splitmix.h"
#include "../core/view.h"
#include "../core/words.h"
#include "nodes.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Records: what all bytes before the frames say.

static uint8_t *padici_rollout_file_room(padici_rollout_file_bytes *b, uint64_t size)
{
    const uint64_t at = b->used;
    if (b->at && (b->wrong || size > b->size - at)) {
        b->wrong = 1;
        return NULL;
    }
    b->used += size;
    return b->at ? b->at + at : NULL;
}

PADICI_FN void padici_rollout_file_u32(padici_rollout_file_bytes *b, uint32_t *value)
{
    uint8_t *at = padici_rollout_file_room(b, 4);
    if (at && b->reading)
        *value = padici_load32(at);
    else if (at)
        padici_store32(at, *value);
    else if (b->reading)
        *value = 0;
}

PADICI_FN void padici_rollout_file_u64(padici_rollout_file_bytes *b, uint64_t *value)
{
    uint8_t *at = padici_rollout_file_room(b, 8);
    if (at && b->reading)
        *value = padici_load64(at);
    else if (at)
        padici_store64(at, *value);
    else if (b->reading)
        *value = 0;
}

PADICI_FN void padici_rollout_file_f64(padici_rollout_file_bytes *b, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, 8);
    padici_rollout_file_u64(b, &bits);
    memcpy(value, &bits, 8);
}

static void padici_rollout_file_f32(padici_rollout_file_bytes *b, float *value)
{
    uint32_t bits;
    memcpy(&bits, value, 4);
    padici_rollout_file_u32(b, &bits);
    memcpy(value, &bits, 4);
}

// A number up to `most`; what is read beyond it is wrong, and 0.
static uint32_t padici_rollout_file_choice(padici_rollout_file_bytes *b, uint32_t value,
                                           uint32_t most)
{
    padici_rollout_file_u32(b, &value);
    if (value <= most) return value;
    b->wrong = 1;
    return 0;
}

PADICI_FN void padici_rollout_file_block_put(const padici_rollout_file_block *block, uint8_t *head)
{
    padici_store32(head, block->tag);
    padici_store32(head + 4, block->count);
    padici_store64(head + 8, block->size);
    padici_store64(head + 16, block->trajectory);
    padici_store64(head + 24, block->frame);
    padici_store64(head + 32, block->checksum);
    padici_store64(head + 40, padici_checksum(head, 40, block->tag));
}

PADICI_FN int padici_rollout_file_block_get(padici_rollout_file_block *block, const uint8_t *head)
{
    block->tag = padici_load32(head);
    block->count = padici_load32(head + 4);
    block->size = padici_load64(head + 8);
    block->trajectory = padici_load64(head + 16);
    block->frame = padici_load64(head + 24);
    block->checksum = padici_load64(head + 32);
    return padici_load64(head + 40) == padici_checksum(head, 40, block->tag);
}

// A node, and its law of noise.
static void padici_rollout_file_node(padici_rollout_file_bytes *b, padici_rollout_file_what *what,
                                     uint32_t i)
{
    padic_rollout_node *n = &what->node[i];
    padic_rollout_noise_law *law = &what->law[i];
    uint32_t noise = n->noise != NULL;
    if (!b->reading && noise) {
        *law = *n->noise;
        what->scale[i] = law->scale ? *law->scale : 0.01;
    }
    n->kind = (padic_rollout_kind)padici_rollout_file_choice(b, (uint32_t)n->kind, 7);
    padici_rollout_file_u32(b, &n->input);
    padici_rollout_file_u32(b, &n->skip);
    padici_rollout_file_u32(b, &n->channels);
    padici_rollout_file_u32(b, &n->kernel);
    padici_rollout_file_u32(b, &n->stride);
    n->boundary = (padic_rollout_boundary)padici_rollout_file_choice(b, (uint32_t)n->boundary, 3);
    n->norm = (padic_rollout_norm)padici_rollout_file_choice(b, (uint32_t)n->norm, 4);
    padici_rollout_file_u32(b, &n->groups);
    n->act = (padic_rollout_act)padici_rollout_file_choice(b, (uint32_t)n->act, 5);
    n->up = (padic_rollout_up)padici_rollout_file_choice(b, (uint32_t)n->up, 2);
    padici_rollout_file_u32(b, &n->flags);
    padici_rollout_file_f32(b, &n->eps);
    padici_rollout_file_u32(b, &n->modes);
    padici_rollout_file_f32(b, &n->scale);
    noise = padici_rollout_file_choice(b, noise, 1);
    if (!noise) return;
    law->type = (padic_rollout_noise_type)padici_rollout_file_choice(b, (uint32_t)law->type, 3);
    law->schedule =
        (padic_rollout_noise_schedule)padici_rollout_file_choice(b, (uint32_t)law->schedule, 2);
    padici_rollout_file_f64(b, &what->scale[i]);
    padici_rollout_file_f64(b, &law->period);
    padici_rollout_file_f64(b, &law->length);
    law->scale = &what->scale[i];
    n->noise = law;
}

// How parameters hang together with their coordinates.
static void padici_rollout_file_mapping(padici_rollout_file_bytes *b,
                                        padici_rollout_file_what *what)
{
    uint64_t i, k, at = 0;
    what->parameters =
        padici_rollout_file_choice(b, what->parameters, PADIC_ROLLOUT_SOBOL_DIMENSIONS);
    for (i = 0; i < what->parameters; i++) {
        padic_rollout_parameter *p = &what->parameter[i];
        const uint32_t weighted = padici_rollout_file_choice(b, p->weights != NULL, 1);
        p->kind = (padic_rollout_parameter_kind)padici_rollout_file_choice(b, (uint32_t)p->kind, 5);
        padici_rollout_file_f64(b, &p->lo);
        padici_rollout_file_f64(b, &p->hi);
        padici_rollout_file_u64(b, &p->count);
        if (!weighted) continue;
        if (p->count > PADICI_ROLLOUT_FILE_CHOICES - at) {
            b->wrong = 1;
            p->count = 0;
        }
        for (k = 0; k < p->count; k++) {
            if (!b->reading) what->choice[at + k] = p->weights[k];
            padici_rollout_file_f64(b, &what->choice[at + k]);
        }
        p->weights = what->choice + at;
        at += p->count;
    }
}

static void padici_rollout_file_arrays(padici_rollout_file_bytes *b, padici_rollout_file_what *what)
{
    uint32_t i;
    for (i = 0; i < PADICI_ROLLOUT_FILE_ARRAYS; i++) {
        padic_tensor *t = padici_rollout_file_array_of(what, i);
        const uint32_t dtype = t->dtype == PADIC_F64   ? 2
                               : t->dtype == PADIC_F32 ? 1
                               : t->dtype == PADIC_U32 ? 3
                                                       : 0;
        const uint32_t read = padici_rollout_file_choice(b, dtype, 3);
        t->dtype = read == 1   ? PADIC_F32
                   : read == 2 ? PADIC_F64
                   : read == 3 ? PADIC_U32
                               : PADIC_DTYPE_NONE;
    }
}

PADICI_FN void padici_rollout_file_fields(padici_rollout_file_bytes *b,
                                          padici_rollout_file_what *what)
{
    padic_rollout_run_desc *run = &what->run;
    uint32_t i, version = 1, ranged = run->reduce.range != NULL;
    padici_rollout_file_u32(b, &version);
    if (version != 1) b->wrong = 2;
    padici_rollout_file_u64(b, &what->hash);
    padici_rollout_file_u64(b, &what->operators);
    padici_rollout_file_u64(b, &what->initials);
    padici_rollout_file_u32(b, &run->realisations);
    padici_rollout_file_u32(b, &run->steps);
    padici_rollout_file_u32(b, &run->op.channels);
    padici_rollout_file_u32(b, &run->op.height);
    padici_rollout_file_u32(b, &run->op.width);
    run->policy = (padic_rollout_policy)padici_rollout_file_choice(b, (uint32_t)run->policy, 2);
    run->post = (padic_rollout_post)padici_rollout_file_choice(b, (uint32_t)run->post, 2);
    padici_rollout_file_f64(b, &run->lo);
    padici_rollout_file_f64(b, &run->hi);
    padici_rollout_file_f64(b, &run->limit);
    run->failure = (padic_rollout_failure)padici_rollout_file_choice(b, (uint32_t)run->failure, 3);
    run->output = (padic_rollout_output)padici_rollout_file_choice(b, (uint32_t)run->output, 3);
    padici_rollout_file_u32(b, &run->every);
    padici_rollout_file_u32(b, &run->flags);
    run->precision =
        (padic_rollout_precision)padici_rollout_file_choice(b, (uint32_t)run->precision, 3);
    padici_rollout_file_u64(b, &run->seed);
    what->measures = padici_rollout_file_choice(b, what->measures, 1);
    padici_rollout_file_u32(b, &run->reduce.metrics);
    padici_rollout_file_u32(b, &run->reduce.per_channel);
    padici_rollout_file_u32(b, &run->reduce.bins);
    padici_rollout_file_u32(b, &run->reduce.bands);
    padici_rollout_file_u32(b, &run->reduce_every);
    ranged = padici_rollout_file_choice(b, ranged, 1);
    for (i = 0; i < 2 && ranged; i++) {
        if (!b->reading) what->range[i] = run->reduce.range[i];
        padici_rollout_file_f32(b, &what->range[i]);
    }
    run->reduce.range = ranged ? what->range : NULL;
    what->flags = padici_rollout_file_choice(b, what->flags, 1);
    padici_rollout_file_u64(b, &what->weights_seed);
    padici_rollout_file_u32(b, &what->block);
    padici_rollout_file_u32(b, &what->level);
    what->mode = padici_rollout_file_choice(b, what->mode, 3);
    padici_rollout_file_f64(b, &what->tolerance);
    what->profile = padici_rollout_file_choice(b, what->profile, PADIC_CODEC_PROFILE_CODED);
    run->op.count = padici_rollout_file_choice(b, run->op.count, PADIC_ROLLOUT_NODES);
    for (i = 0; i < run->op.count; i++) padici_rollout_file_node(b, what, i);
    run->op.nodes = what->node;
    padici_rollout_file_mapping(b, what);
    padici_rollout_file_arrays(b, what);
}

PADICI_FN padic_tensor *padici_rollout_file_array_of(padici_rollout_file_what *what, uint32_t i)
{
    padic_rollout_run_desc *run = &what->run;
    switch (i) {
    case 0:
        return &run->weights;
    case 1:
        return &run->initial;
    case 2:
        return &run->parameter;
    case 3:
        return &run->ids;
    case 4:
        return &run->noise_ids;
    case 5:
        return &run->noise_scale;
    case 6:
        return &what->unit;
    default:
        return &what->physical;
    }
}

// Shapes of all arrays, from the sizes.
static void padici_rollout_file_shapes(padici_rollout_file_what *what)
{
    const padic_rollout_operator *op = &what->run.op;
    const uint64_t channels = op->channels ? op->channels : 3;
    const uint64_t n = what->operators;
    const uint64_t one = what->run.flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR;
    const uint64_t shape[PADICI_ROLLOUT_FILE_ARRAYS][4] = {
        {n, what->count, 0, 0},
        {one ? n : what->initials, channels, op->height, op->width},
        {n, 0, 0, 0},
        {n, 0, 0, 0},
        {what->initials, what->realisations, 0, 0},
        {n, 0, 0, 0},
        {n, what->parameters, 0, 0},
        {n, what->parameters, 0, 0}};
    static const uint32_t rank[PADICI_ROLLOUT_FILE_ARRAYS] = {2, 4, 1, 1, 2, 1, 2, 2};
    uint32_t i;
    for (i = 0; i < PADICI_ROLLOUT_FILE_ARRAYS; i++) {
        padic_tensor *t = padici_rollout_file_array_of(what, i);
        if (t->dtype != PADIC_DTYPE_NONE) *t = padic_tensor_nd(t->dtype, NULL, rank[i], shape[i]);
    }
}

PADICI_FN padic_result padici_rollout_file_follow(padici_rollout_file_what *what)
{
    padic_rollout_operator_report report;
    padic_rollout_run_desc *run = &what->run;
    const uint64_t state = PADICI_ROLLOUT_FILE_MOST;
    uint64_t size;
    memset(&report, 0, sizeof report);
    if (padic_rollout_operator_info(NULL, &run->op, &report) || !run->steps)
        return PADIC_ERROR_CORRUPT;
    what->realisations = run->realisations ? run->realisations : 1;
    what->count = report.parameters;
    if (what->operators > state || what->initials > state || !what->operators || !what->initials ||
        run->weights.dtype == PADIC_DTYPE_NONE || run->initial.dtype == PADIC_DTYPE_NONE)
        return PADIC_ERROR_CORRUPT;
    padici_rollout_file_shapes(what);
    if (padici_rollout_run_inputs(NULL, run, (int)what->measures)) return PADIC_ERROR_CORRUPT;
    what->numbers = padic_tensor_count(&run->initial) / run->initial.shape[0];
    what->frames = padici_rollout_run_frames(run);
    what->rows = what->measures ? padici_rollout_run_measured(run) : 0;
    what->columns = what->measures
                        ? padic_rollout_metrics_count(&run->reduce, run->initial.shape[1],
                                                      run->initial.shape[2], run->initial.shape[3])
                        : 0;
    if (!what->block || what->block > 65536 || what->level > 9 ||
        (what->profile && what->mode == PADIC_CODEC_TOLERANCE_POINTWISE))
        return PADIC_ERROR_CORRUPT;
    what->blocks = (what->frames + what->block - 1) / what->block;
    return padici_mul_u64(what->operators, what->initials, &what->trajectories) &&
                   padici_mul_u64(what->trajectories, what->realisations, &what->trajectories) &&
                   padici_mul_u64(what->trajectories, what->blocks + 1, &what->pieces) &&
                   what->pieces < state && padici_mul_u64(what->numbers, 8 * what->block, &size) &&
                   size < state && padici_mul_u64(what->rows, what->columns, &size) && size < state
               ? PADIC_OK
               : PADIC_ERROR_CORRUPT;
}

// Metrics as F32, then four U32.
PADICI_FN uint64_t padici_rollout_file_result_bytes(const padici_rollout_file_what *what)
{
    return 4 * what->rows * what->columns + 16;
}

PADICI_FN uint64_t padici_rollout_file_frames_of(const padici_rollout_file_what *what,
                                                 uint64_t block)
{
    const uint64_t left = what->frames - block * what->block;
    return left < what->block ? left : what->block;
}

PADICI_FN padic_result padici_rollout_file_unpack(padic_context *context, const uint8_t *bytes,
                                                  uint64_t size, const padic_tensor *holds,
                                                  const uint64_t *begin, const padic_tensor *out)
{
    padic_codec_info_desc info;
    padic_codec_unpack_desc unpack;
    padic_codec_report report;
    padic_result result;
    uint32_t i;
    memset(&info, 0, sizeof info);
    memset(&unpack, 0, sizeof unpack);
    memset(&report, 0, sizeof report);
    unpack.packed.data = (uint8_t *)(uintptr_t)bytes;
    unpack.packed.size = size;
    info.packed = unpack.packed;
    info.report = &report;
    result = padic_codec_info(context, &info);
    if (result) return result;
    if (report.dtype != holds->dtype || report.rank != holds->rank ||
        memcmp(report.shape, holds->shape, holds->rank * sizeof *holds->shape))
        return PADIC_ERROR_CORRUPT;
    unpack.tensor = *out;
    for (i = 0; i < holds->rank; i++) {
        unpack.begin[i] = begin ? begin[i] : 0;
        unpack.count[i] = out->shape[i];
    }
    return padic_codec_unpack(context, &unpack);
}

#endif
