#include "going.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/words.h"
#include "record.h"

#if PADICI_IMPLEMENT_ROLLOUT

// A rollout from its memory to its end.

static void padici_rollout_meters_end(padici_rollout_going *g)
{
    uint32_t i;
    if (!g->meter) return;
    for (i = 0; i < g->workers; i++) padici_rollout_reducer_end(&g->meter[i].reducer);
    padici_free(g->allocator, g->meter, (size_t)g->meter_bytes);
    g->meter = NULL;
}

// Bytes of a reducer beside its struct.
static uint64_t padici_rollout_meter_more(const padici_rollout_reducer *r)
{
    return r->bytes + r->spectral.bytes + padic_fft_plan_size(r->spectral.plan);
}

// One reducer for each worker; *total counts all their bytes.
static padic_result padici_rollout_meters_begin(const padic_env *env, padici_rollout_going *g,
                                                uint64_t *total)
{
    const uint64_t *shape = g->desc->initial.shape;
    const uint64_t floats = g->size == 8 ? 2 * g->numbers : 0;
    const uint64_t each = (sizeof *g->meter + floats * sizeof(float) + 15) / 16 * 16;
    padic_result result = PADIC_OK;
    uint32_t i;
    *total = 0;
    if (!g->measures) return PADIC_OK;
    if (floats > (size_t)-1 / 4 / sizeof(float) / PADICI_ROLLOUT_WORKERS) return PADIC_ERROR_LIMIT;
    g->meter_bytes = g->workers * each;
    g->meter =
        (padici_rollout_meter *)padici_alloc(g->allocator, (size_t)g->meter_bytes, 64);
    if (!g->meter) return PADIC_ERROR_MEMORY;
    memset(g->meter, 0, g->workers * sizeof *g->meter);
    for (i = 0; i < g->workers && !result; i++) {
        padici_rollout_meter *meter = &g->meter[i];
        meter->frame = (float *)(void *)(g->meter + g->workers) + i * floats;
        meter->before = meter->frame + g->numbers;
        result = padici_rollout_reducer_begin(&meter->reducer, env, &g->desc->reduce, shape[1],
                                              shape[2], shape[3]);
        if (!result) *total += padici_rollout_meter_more(&meter->reducer);
    }
    *total += g->meter_bytes;
    return result;
}

PADICI_FN void padici_rollout_going_end(padici_rollout_going *g)
{
    padici_rollout_meters_end(g);
    if (g->memory) padici_free(g->allocator, g->memory, (size_t)g->bytes);
    padici_rollout_engine_end(g->e);
    memset(g, 0, sizeof *g);
}

static uint64_t padici_rollout_going_each(const padici_rollout_going *g)
{
    return sizeof *g->track + g->numbers * g->size * (1 + g->ring);
}

static padic_result padici_rollout_going_of(const padic_env *env,
                                            const padici_rollout_intent *intent,
                                            padici_rollout_going *g)
{
    const padic_rollout_run_desc *desc = intent->desc;
    const padic_tensor *initial = &desc->initial;
    memset(g, 0, sizeof *g);
    g->desc = desc;
    g->env = env;
    g->allocator = env ? env->allocator : NULL;
    g->workers = padici_rollout_workers(padici_env_jobs(env));
    g->initials = desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : initial->shape[0];
    g->realisations = desc->realisations ? desc->realisations : 1;
    g->size = padic_dtype_size(initial->dtype);
    g->frames = padici_rollout_run_frames(desc);
    g->numbers = padic_tensor_count(initial) / initial->shape[0];
    g->finish.post = desc->post;
    g->finish.flags = desc->flags;
    g->finish.lo = desc->lo;
    g->finish.hi = desc->hi;
    g->finish.numbers = g->numbers;
    g->finish.channels = initial->shape[1];
    g->finish.size = g->size;
    g->columns = padic_rollout_metrics_count(&desc->reduce, initial->shape[1], initial->shape[2],
                                             initial->shape[3]);
    if (desc->output == PADIC_ROLLOUT_OUTPUT_STREAM)
        g->ring = desc->stream.record ? padici_rollout_record_block(desc->stream.record)
                  : desc->stream.ring ? desc->stream.ring
                                      : 2;
    g->measures = intent->measures;
    return padici_mul_u64(g->initials, g->realisations, &g->trajectories) &&
                   padici_mul_u64(desc->weights.shape[0], g->trajectories, &g->trajectories) &&
                   g->numbers < UINT64_MAX / 8 / (1 + g->ring) / 2
               ? PADIC_OK
               : PADIC_ERROR_LIMIT;
}

// `fixed`: bytes that are taken beside. `all`: whether all trajectories are held.
static padic_result padici_rollout_going_wish(const padici_rollout_going *g,
                                              const padici_rollout_intent *intent, uint64_t fixed,
                                              int all, padici_rollout_wish *wish)
{
    uint64_t states = 0;
    memset(wish, 0, sizeof *wish);
    if (all && (!padici_mul_u64(g->trajectories, padici_rollout_going_each(g), &states) ||
                states > (size_t)-1 / 4))
        return PADIC_ERROR_MEMORY;
    wish->op = &g->desc->op;
    wish->weights = &g->desc->weights;
    wish->per_operator = g->initials * g->realisations;
    wish->max_bytes = g->desc->max_bytes;
    wish->dtype = g->desc->initial.dtype;
    wish->extra = g->numbers * g->size;
    wish->beside = all ? 0 : padici_rollout_going_each(g);
    wish->fixed = fixed + states + intent->taken;
    wish->chance.quiet = g->desc->flags & PADIC_ROLLOUT_QUIET;
    wish->chance.frames = g->desc->steps;
    wish->chance.seed = g->desc->seed;
    wish->chance.ids = g->desc->ids.data ? &g->desc->ids : NULL;
    wish->chance.noise_ids = g->desc->noise_ids.data ? &g->desc->noise_ids : NULL;
    wish->chance.noise_scale = g->desc->noise_scale.data ? &g->desc->noise_scale : NULL;
    wish->chance.realisations = g->realisations;
    wish->precision = g->desc->precision;
    wish->kernels = padici_rollout_kernels_of(wish->precision, wish->dtype, intent->kernels);
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_going_begin(const padic_env *env,
                                                  const padici_rollout_intent *intent,
                                                  padici_rollout_going *g)
{
    padici_rollout_wish wish;
    uint64_t meters = 0;
    int said = 0;
    padic_result result = padici_rollout_going_of(env, intent, g);
    const int all = intent->together || (g->ring && !intent->desc->max_bytes);
    if (!result) result = padici_rollout_meters_begin(env, g, &meters);
    if (!result) result = padici_rollout_going_wish(g, intent, meters, all, &wish);
    if (!result) {
        result = padici_rollout_engine_begin(env, &wish, &g->e);
        said = result != PADIC_OK;
    }
    if (!result) {
        g->e->user = g;
        g->o = g->e->extra;
        g->most = all ? g->trajectories : g->e->batch;
        g->bytes = g->most * padici_rollout_going_each(g);
        g->memory = (char *)padici_alloc(g->allocator, (size_t)g->bytes, 64);
        g->track = (padici_rollout_track *)(void *)g->memory;
        g->report.batch = g->e->batch;
        g->report.size = g->e->size + g->e->more + g->bytes + meters;
        if (!g->memory) result = PADIC_ERROR_MEMORY;
    }
    if (!result) {
        g->x = (char *)(g->track + g->most);
        g->held = g->x + g->most * g->numbers * g->size;
    } else {
        padici_rollout_going_end(g);
        if (!said) (void)padici_env_fail(env, result, "no memory for a rollout's trajectories");
    }
    return result;
}

// Makes one meter to see how large it is.
PADICI_FN uint64_t padici_rollout_going_size(const padic_env *env,
                                             const padici_rollout_intent *intent)
{
    padici_rollout_wish wish;
    padici_rollout_going g;
    uint64_t meters = 0, engine = 0, workers;
    padic_result result = padici_rollout_going_of(env, intent, &g);
    workers = g.workers;
    g.workers = 1;
    if (!result) result = padici_rollout_meters_begin(env, &g, &meters);
    if (!result) result = padici_rollout_going_wish(&g, intent, workers * meters, 1, &wish);
    if (!result) engine = padici_rollout_engine_size(env, &wish);
    padici_rollout_meters_end(&g);
    return engine ? engine + wish.fixed : 0;
}

PADICI_FN void padici_rollout_note(padici_rollout_going *g)
{
    uint64_t i;
    for (i = 0; i < g->together; i++) {
        const padic_rollout_status *is = &g->track[i].is;
        const uint64_t trajectory = g->start + i;
        if (g->desc->status.data)
            memcpy((char *)g->desc->status.data + trajectory * sizeof *is, is, sizeof *is);
        if (!is->code) continue;
        if (!g->report.failed++) {
            g->report.op = trajectory / (g->initials * g->realisations);
            g->report.initial = trajectory / g->realisations % g->initials;
            g->report.realisation = trajectory % g->realisations;
            g->report.step = is->step;
        }
    }
}

PADICI_FN padic_result padici_rollout_failed(const padic_env *env,
                                             const padic_rollout_run_report *report)
{
    char space[200];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "operator ");
    padici_text_number(&text, report->op, 1);
    padici_text_add(&text, ", initial condition ");
    padici_text_number(&text, report->initial, 1);
    padici_text_add(&text, ", realisation ");
    padici_text_number(&text, report->realisation, 1);
    padici_text_add(&text, " has a number beyond the limit at step ");
    padici_text_number(&text, report->step, 1);
    return padici_env_fail(env, PADIC_ERROR_NOT_FINITE, space);
}

// Hands frames to the stream, if step t has one. 0: go on.
static int padici_rollout_hand(padici_rollout_going *g)
{
    const padic_tensor *initial = &g->desc->initial;
    padic_rollout_view view;
    uint64_t frame, shape[5];
    if (!g->ring || !padici_rollout_wants(g, &frame)) return 0;
    memset(&view, 0, sizeof view);
    shape[0] = g->together;
    shape[1] = frame % g->ring + 1;
    memcpy(shape + 2, initial->shape + 1, 3 * sizeof *shape);
    view.first = g->start;
    view.count = g->together;
    view.frame = frame;
    view.frames = padic_tensor_nd(initial->dtype, g->held, 5, shape);
    view.frames.stride[4] = 1;
    view.frames.stride[3] = (int64_t)shape[4];
    view.frames.stride[2] = (int64_t)(shape[4] * shape[3]);
    view.frames.stride[1] = (int64_t)g->numbers;
    view.frames.stride[0] = (int64_t)(g->numbers * g->ring);
    if (g->desc->stream.record)
        return (g->result = padici_rollout_record_take(&g->desc->stream, &view)) != PADIC_OK;
    return (*g->desc->stream.frame)(g->t, &view, g->desc->stream.user);
}

// All steps of the trajectories in hand. 0: go on.
static int padici_rollout_together(padici_rollout_going *g)
{
    const uint64_t end = g->start + g->together;
    uint64_t first, count;
    for (g->t = 0; g->t < g->desc->steps; g->t++) {
        for (first = g->start; first < end; first += count) {
            count = end - first < g->e->batch ? end - first : g->e->batch;
            padici_rollout_advance(g, first, count);
            if (padici_steps_more(&g->steps, 1)) return 1;
        }
        if (padici_rollout_hand(g)) return 1;
    }
    padici_rollout_note(g);
    return 0;
}

PADICI_FN padic_result padici_rollout_going_run(padici_rollout_going *g)
{
    const uint64_t batch = g->e->batch, sets = g->trajectories / g->most;
    const uint64_t rest = g->trajectories % g->most;
    const uint64_t steps = (sets * ((g->most - 1) / batch + 1) + (rest + batch - 1) / batch) *
                           g->desc->steps;
    int stop = 0;
    g->result = PADIC_OK;
    padici_steps_begin(&g->steps, g->env ? g->env->progress : NULL, NULL, steps);
    for (g->start = 0; g->start < g->trajectories && !stop; g->start += g->most) {
        const uint64_t left = g->trajectories - g->start;
        g->together = left < g->most ? left : g->most;
        stop = padici_rollout_together(g);
    }
    if (padici_steps_end(&g->steps) || stop)
        return g->result ? g->result : PADIC_ERROR_CANCELLED;
    if (g->report.failed && g->desc->failure == PADIC_ROLLOUT_FAILURE_FAIL)
        return padici_rollout_failed(g->env, &g->report);
    return PADIC_OK;
}

#endif
