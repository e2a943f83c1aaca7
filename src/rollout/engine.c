#include "engine.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../core/jobs.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Layout and order of an evaluation: node after node, all tiles of all trajectories side by side.

static uint64_t padici_rollout_padded(uint32_t channels)
{
    return (uint64_t)padici_rollout_blocks(channels) * PADICI_ROLLOUT_LANES;
}

// Tiles depend on the operator alone. Two rows of an UP come from one of its input.
static void padici_rollout_tiles(padici_rollout_engine *e, uint32_t at)
{
    const padic_rollout_shape *shape = &e->node[at].shape;
    padici_rollout_place *place = &e->place[at];
    uint32_t rows = PADICI_ROLLOUT_CELLS / shape->width;
    if (rows < 1) rows = 1;
    if (at && e->node[at].is.kind == PADIC_ROLLOUT_KIND_UP) rows += rows % 2;
    if (rows > shape->height) rows = shape->height;
    place->rows = rows;
    place->tiles = (shape->height - 1) / rows + 1;
    place->pending = at && e->node[at].is.norm != PADIC_ROLLOUT_NORM_NONE &&
                     e->node[at].is.norm != PADIC_ROLLOUT_NORM_FROZEN;
}

// Reals of the packed weights of an operator.
static void padici_rollout_packing(padici_rollout_engine *e)
{
    uint32_t i;
    e->packed = 0;
    for (i = 1; i <= e->op.count; i++) {
        const padici_rollout_node *node = &e->node[i];
        padici_rollout_place *place = &e->place[i];
        const uint64_t padded = padici_rollout_padded(node->is.channels);
        place->packed = e->packed;
        if (node->spectral)
            e->packed += padded * 2 * node->inputs * (node->up + node->down) * node->columns;
        if (node->fan_in)
            e->packed += padded * (node->is.kind == PADIC_ROLLOUT_KIND_ADD ? node->skips
                                   : node->is.kind == PADIC_ROLLOUT_KIND_UP
                                       ? (uint64_t)node->inputs * 4
                                       : node->fan_in);
        place->start = e->packed;
        e->packed += padded;
        place->affine = e->packed;
        if (node->is.norm != PADIC_ROLLOUT_NORM_NONE) e->packed += 3 * padded;
    }
}

PADICI_FN PADICI_NOINLINE uint64_t padici_rollout_place_fields(const padici_rollout_node *node,
                                                               uint32_t nodes, uint64_t *at)
{
    uint64_t room[PADIC_ROLLOUT_NODES + 1], all = 0;
    uint8_t of[PADIC_ROLLOUT_NODES + 1], last[PADIC_ROLLOUT_NODES + 1];
    uint8_t taken[PADIC_ROLLOUT_NODES + 1];
    uint32_t i, j, count = 0;
    for (i = 0; i <= nodes; i++) last[i] = i == nodes ? 255 : (uint8_t)i;
    for (i = 1; i <= nodes; i++) {
        if (node[i].is.input < nodes) last[node[i].is.input] = (uint8_t)i;
        if (node[i].skips) last[node[i].is.skip] = (uint8_t)i;
    }
    for (i = 0; i <= nodes; i++) {
        uint32_t best = count;
        for (j = 0; j < count; j++) {
            if (taken[j]) continue;
            if (best == count || (room[best] < at[i] ? room[j] > room[best]
                                                     : room[j] >= at[i] && room[j] < room[best]))
                best = j;
        }
        if (best == count) room[count++] = 0;
        if (room[best] < at[i]) room[best] = at[i];
        taken[best] = 1;
        of[i] = (uint8_t)best;
        for (j = 0; j <= i; j++)
            if (last[j] == i && of[j] != best) taken[of[j]] = 0;
    }
    for (i = 0; i <= nodes; i++)
        for (at[i] = 0, j = 0; j < of[i]; j++) at[i] += room[j];
    for (j = 0; j < count; j++) all += room[j];
    return all;
}

// Bytes of a trajectory.
static void padici_rollout_fields_place(padici_rollout_engine *e)
{
    uint64_t field[PADIC_ROLLOUT_NODES + 1], fields, at = 0;
    uint32_t i;
    for (i = 0; i <= e->op.count; i++) {
        const padic_rollout_shape *shape = &e->node[i].shape;
        field[i] = padici_rollout_padded(shape->channels) * shape->height * shape->width *
                   padici_rollout_real(e);
    }
    fields = padici_rollout_place_fields(e->node, e->op.count, field);
    for (i = 0; i <= e->op.count; i++) {
        const uint64_t padded = padici_rollout_padded(e->node[i].shape.channels);
        padici_rollout_place *place = &e->place[i];
        place->moments = at;
        if (place->pending) at += place->tiles * 2 * padded * 8;
        place->map = at;
        if (place->pending) at += 3 * padded * 8;
    }
    e->trajectory = at + fields;
    for (i = 0; i <= e->op.count; i++) e->place[i].field = at + field[i];
    e->spectra = e->trajectory;
    for (i = 1; i <= e->op.count; i++) {
        const padici_rollout_node *node = &e->node[i];
        const uint64_t modes = (uint64_t)(node->up + node->down) * node->columns;
        const uint64_t need = modes * 2 * padici_rollout_real(e) *
                              (padici_rollout_padded(node->inputs) +
                               padici_rollout_padded(node->is.channels));
        if (node->spectral && e->spectra + need > e->trajectory)
            e->trajectory = e->spectra + need;
    }
}

typedef struct padici_rollout_share {
    padici_rollout_engine *engine;
    padici_rollout_work fn;
    uint64_t items;
    uint32_t tasks;
} padici_rollout_share;

static void padici_rollout_share_run(void *arg, uint32_t task)
{
    const padici_rollout_share *share = (const padici_rollout_share *)arg;
    const uint64_t each = share->items / share->tasks, more = share->items % share->tasks;
    const uint64_t first = each * task + (task < more ? task : more);
    const uint64_t end = first + each + (task < more);
    char *scratch = share->engine->pads + task * share->engine->scratch;
    uint64_t i;
    for (i = first; i < end; i++) (*share->fn)(share->engine, i, scratch);
}

PADICI_FN void padici_rollout_each(padici_rollout_engine *e, uint64_t items,
                                   padici_rollout_work fn)
{
    padici_rollout_share share;
    share.engine = e;
    share.fn = fn;
    share.items = items;
    share.tasks = items < e->workers ? (uint32_t)items : e->workers;
    padici_parallel(e->jobs, share.tasks, padici_rollout_share_run, &share);
}

// Bytes up to the fields; 0: more than memory can be.
static uint64_t padici_rollout_fixed(const padici_rollout_engine *e)
{
    uint64_t weights, pads = e->scratch * e->workers;
    if (e->operators && e->packed > UINT64_MAX / 64 / e->operators) return 0;
    weights = e->operators * e->packed * padici_rollout_real(e);
    if (pads > UINT64_MAX / 8) return 0;
    return (sizeof *e + 63) / 64 * 64 + (weights + 63) / 64 * 64 + pads +
           (e->operators + 63) / 64 * 64 + 64;
}

PADICI_FN uint32_t padici_rollout_workers(const padic_jobs *jobs)
{
    const uint32_t workers = jobs && jobs->workers > 1 ? jobs->workers : 1;
    return workers < PADICI_ROLLOUT_WORKERS ? workers : PADICI_ROLLOUT_WORKERS;
}

static void padici_rollout_layout(padici_rollout_engine *e, const padic_env *env)
{
    uint32_t i;
    e->jobs = padici_env_jobs(env);
    e->workers = padici_rollout_workers(e->jobs);
    for (i = 0; i <= e->op.count; i++) padici_rollout_tiles(e, i);
    padici_rollout_packing(e);
    padici_rollout_fields_place(e);
    e->mark = e->trajectory;
    e->marks = 1;
    for (i = 1; i <= e->op.count; i++) {
        const uint64_t items = e->place[i].tiles;
        const uint64_t in = padici_rollout_blocks(e->node[i].inputs);
        const uint64_t out = padici_rollout_blocks(e->node[i].is.channels);
        if (items > e->marks) e->marks = items;
        if (in > e->marks) e->marks = in;
        if (out > e->marks) e->marks = out;
    }
    e->trajectory = (e->trajectory + e->marks + 63) / 64 * 64;
    e->scratch = 64;
    for (i = 1; i <= e->op.count; i++) {
        const uint64_t need = padici_rollout_scratch(e, i) * padici_rollout_real(e);
        if (need > e->scratch) e->scratch = need;
    }
    e->scratch = (e->scratch + 63) / 64 * 64;
}

// What it holds beside its memory.
static void padici_rollout_engine_drop(padici_rollout_engine *e)
{
    padici_rollout_disturb_end(e);
    padici_rollout_modes_end(e);
}

// All but memory, which takes *bytes; 0: more than memory can be, or than max_bytes for a
// trajectory. It is to be dropped, whatever the result.
static padic_result padici_rollout_engine_fill(padici_rollout_engine *e, const padic_env *env,
                                               const padici_rollout_wish *wish, uint64_t *bytes)
{
    uint64_t fixed, each, size;
    padic_result result;
    memset(e, 0, sizeof *e);
    e->allocator = env ? env->allocator : NULL;
    e->op = *wish->op;
    e->chance = wish->chance;
    e->kernels = wish->kernels;
    e->precision = wish->precision;
    e->state_dtype = wish->dtype;
    e->operators = wish->weights->shape[0];
    e->per_operator = wish->per_operator;
    (void)padici_rollout_nodes_find(NULL, &e->op, e->node, &e->parameters); // was checked
    padici_rollout_layout(e, env);
    result = padici_rollout_chance_values(env, e);
    if (!result) result = padici_rollout_disturb_begin(e, env);
    if (!result) result = padici_rollout_modes_begin(e, env);
    fixed = result ? 0 : padici_rollout_fixed(e);
    e->extra_size = wish->extra + wish->outputs * padic_dtype_size(wish->dtype) *
                                      e->node[e->op.count].shape.channels *
                                      ((uint64_t)e->node[e->op.count].shape.height *
                                       e->node[e->op.count].shape.width);
    e->extra_size = (e->extra_size + 63) / 64 * 64;
    each = e->trajectory + e->extra_size;
    e->batch = e->operators * wish->per_operator;
    if (wish->max_bytes) {
        const uint64_t held = fixed + e->more + wish->fixed;
        const uint64_t fit =
            wish->max_bytes > held ? (wish->max_bytes - held) / (each + wish->beside) : 0;
        if (fit < e->batch) e->batch = fit;
    } else if (e->batch > 4 * (uint64_t)e->workers + 12) {
        e->batch = 4 * (uint64_t)e->workers + 12; // what keeps all busy, not more
    }
    size = fixed + e->batch * each;
    *bytes = fixed && e->batch && each < UINT64_MAX / 256 / e->batch && size < (size_t)-1 / 2
                 ? size
                 : 0;
    return result;
}

PADICI_FN uint64_t padici_rollout_engine_size(const padic_env *env,
                                              const padici_rollout_wish *wish)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    padici_rollout_engine *e =
        (padici_rollout_engine *)padici_alloc(allocator, sizeof *e, 64);
    uint64_t size = 0;
    if (!e) return 0;
    (void)padici_rollout_engine_fill(e, env, wish, &size);
    if (size) size += e->more;
    padici_rollout_engine_drop(e);
    padici_free(allocator, e, sizeof *e);
    return size;
}

PADICI_FN padic_result padici_rollout_engine_begin(const padic_env *env,
                                                   const padici_rollout_wish *wish,
                                                   padici_rollout_engine **engine)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    padici_rollout_engine *e =
        (padici_rollout_engine *)padici_alloc(allocator, sizeof *e, 64);
    uint64_t size = 0;
    char *memory = NULL;
    padic_result result;
    *engine = NULL;
    if (!e) return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for the nodes");
    result = padici_rollout_engine_fill(e, env, wish, &size);
    if (!result && size) memory = (char *)padici_alloc(allocator, (size_t)size, 64);
    if (memory) {
        memcpy(memory, e, sizeof *e);
        *engine = (padici_rollout_engine *)(void *)memory;
        (*engine)->size = size;
        (*engine)->weights = memory + (sizeof *e + 63) / 64 * 64;
        (*engine)->pads = (*engine)->weights +
                          (e->operators * e->packed * padici_rollout_real(e) + 63) / 64 * 64;
        (*engine)->fields = (*engine)->pads + e->scratch * e->workers;
        (*engine)->extra = (*engine)->fields + e->batch * e->trajectory;
        (*engine)->faulty = (*engine)->extra + e->batch * e->extra_size;
        padici_rollout_pack(*engine, wish->weights);
    }
    if (!memory) padici_rollout_engine_drop(e);
    padici_free(allocator, e, sizeof *e);
    if (!memory && (!result || result == PADIC_ERROR_MEMORY))
        return padici_env_fail(env, PADIC_ERROR_MEMORY,
                               "no memory, or max_bytes is too low for a trajectory");
    return result;
}

PADICI_FN void padici_rollout_engine_end(padici_rollout_engine *e)
{
    if (!e) return;
    padici_rollout_engine_drop(e);
    padici_free(e->allocator, e, (size_t)e->size);
}

// The state of a trajectory into blocks.
static void padici_rollout_enter(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padic_rollout_shape *shape = &e->node[0].shape;
    const size_t size = padici_rollout_real(e), from_size = e->state_dtype == PADIC_F64 ? 8 : 4;
    const uint64_t cells = (uint64_t)shape->height * shape->width;
    const char *from = (const char *)e->state + item * cells * shape->channels * from_size;
    char *to = padici_rollout_field(e, item, 0);
    const uint64_t padded = padici_rollout_padded(shape->channels);
    uint64_t i;
    uint32_t c;
    (void)scratch;
    memset(padici_rollout_mark(e, item, 0), 0, (size_t)e->marks);
    if (padded > shape->channels) memset(to, 0, (size_t)(padded * cells * size));
    for (c = 0; c < shape->channels; c++) {
        char *lane = to + ((uint64_t)(c / PADICI_ROLLOUT_LANES) * cells * PADICI_ROLLOUT_LANES +
                           c % PADICI_ROLLOUT_LANES) * size;
        for (i = 0; i < cells; i++)
            padici_rollout_put(lane, i * PADICI_ROLLOUT_LANES, size,
                               padici_rollout_get(from, c * cells + i, from_size));
    }
    padici_rollout_halve(e, to, padded * cells, padici_rollout_mark(e, item, 0));
}

// The last node's field out of its blocks, with its pending norm.
static void padici_rollout_leave(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const uint32_t at = e->op.count;
    const padic_rollout_shape *shape = &e->node[at].shape;
    const padici_rollout_place *place = &e->place[at];
    const size_t size = padici_rollout_real(e), to_size = e->state_dtype == PADIC_F64 ? 8 : 4;
    const uint64_t cells = (uint64_t)shape->height * shape->width;
    char *to = (char *)e->out + item * cells * shape->channels * to_size;
    char *from = padici_rollout_field(e, item, at);
    uint64_t i;
    uint32_t b, c;
    (void)scratch;
    for (i = 1; i < e->marks; i++)
        *padici_rollout_mark(e, item, 0) |= *padici_rollout_mark(e, item, i);
    for (b = 0; b < padici_rollout_blocks(shape->channels); b++) {
        char *block = from + (uint64_t)b * cells * PADICI_ROLLOUT_LANES * size;
        padici_rollout_map map;
        if (place->pending) {
            const uint64_t padded = padici_rollout_padded(shape->channels);
            const char *base = e->fields + item * e->trajectory + place->map +
                               (uint64_t)b * PADICI_ROLLOUT_LANES * size;
            map.mu = base;
            map.a = base + padded * size;
            map.beta = base + 2 * padded * size;
            map.act = e->node[at].is.act;
            (*e->kernels->map)(&map, cells, block, block);
        }
        for (c = 0; c < PADICI_ROLLOUT_LANES; c++) {
            const uint32_t channel = b * PADICI_ROLLOUT_LANES + c;
            if (channel >= shape->channels) break;
            for (i = 0; i < cells; i++)
                padici_rollout_put(to, channel * cells + i, to_size,
                                   padici_rollout_get(block, i * PADICI_ROLLOUT_LANES + c, size));
        }
    }
}

static void padici_rollout_evaluate_node(padici_rollout_engine *e,
                                         const padici_rollout_node *node, uint64_t count)
{
    const uint64_t blocks = count * padici_rollout_blocks(node->is.channels);
    switch (node->is.kind) {
    case PADIC_ROLLOUT_KIND_NOISE:
        padici_rollout_each(e, blocks, padici_rollout_disturb);
        break;
    case PADIC_ROLLOUT_KIND_SPECTRAL:
        padici_rollout_each(e, count * padici_rollout_blocks(node->inputs),
                            padici_rollout_modes_in);
        padici_rollout_each(e, count * (node->up + node->down), padici_rollout_modes_mix);
        padici_rollout_each(e, blocks, padici_rollout_modes_out);
        break;
    default:
        padici_rollout_each(e, count * e->place[e->at].tiles, padici_rollout_tile);
        if (e->place[e->at].pending) padici_rollout_each(e, count, padici_rollout_norms);
    }
}

// A node's output out of its blocks.
static void padici_rollout_tap_of(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padic_rollout_shape *shape = &e->node[e->at].shape;
    const size_t size = padici_rollout_real(e), to_size = e->state_dtype == PADIC_F64 ? 8 : 4;
    const uint64_t cells = (uint64_t)shape->height * shape->width;
    char *to = (char *)e->tap->out.data + (e->first + item) * cells * shape->channels * to_size;
    uint32_t b, y, x, c;
    for (b = 0; b < padici_rollout_blocks(shape->channels); b++)
        for (y = 0; y < shape->height; y++) {
            padici_rollout_read_row(e, item, e->at, b, y, scratch,
                                    padici_rollout_mark(e, item, 0));
            for (c = b * PADICI_ROLLOUT_LANES; c < shape->channels && c / PADICI_ROLLOUT_LANES == b;
                 c++)
                for (x = 0; x < shape->width; x++)
                    padici_rollout_put(
                        to, c * cells + (uint64_t)y * shape->width + x, to_size,
                        padici_rollout_get(scratch, (uint64_t)x * PADICI_ROLLOUT_LANES +
                                                        c % PADICI_ROLLOUT_LANES, size));
        }
}

static void padici_rollout_evaluate_taps(padici_rollout_engine *e, uint64_t count)
{
    uint32_t k;
    for (k = 0; e->taps && k < PADIC_ROLLOUT_TAPS; k++) {
        if (e->taps[k].node != e->at) continue;
        e->tap = &e->taps[k];
        padici_rollout_each(e, count, padici_rollout_tap_of);
    }
}

PADICI_FN void padici_rollout_evaluate(padici_rollout_engine *e, uint64_t first, uint64_t count,
                                       const void *state, void *out)
{
    uint32_t i;
    e->first = first;
    e->count = count;
    e->state = state;
    e->out = out;
    padici_rollout_each(e, count, padici_rollout_enter);
    for (i = 1; i <= e->op.count; i++) {
        e->at = i;
        padici_rollout_evaluate_node(e, &e->node[i], count);
        padici_rollout_evaluate_taps(e, count);
    }
    padici_rollout_each(e, count, padici_rollout_leave);
}

#endif
