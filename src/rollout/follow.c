#include "going.h"
#include "../core/view.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// A step of a rollout: evaluation, policy, check, post, metrics, frames.

PADICI_FN uint64_t padici_rollout_run_frames(const padic_rollout_run_desc *desc)
{
    const uint32_t s = desc->every ? desc->every : 1, last = desc->steps - 1;
    switch (desc->output) {
    case PADIC_ROLLOUT_OUTPUT_ALL: return desc->steps;
    case PADIC_ROLLOUT_OUTPUT_EVERY:
    case PADIC_ROLLOUT_OUTPUT_STREAM:
        return (uint64_t)(last / s) + 1 +
               ((desc->flags & PADIC_ROLLOUT_WITH_LAST) && last % s != 0);
    case PADIC_ROLLOUT_OUTPUT_LAST: return 1;
    default: return 0;
    }
}

PADICI_FN uint64_t padici_rollout_run_measured(const padic_rollout_run_desc *desc)
{
    return (desc->steps - 1) / (desc->reduce_every ? desc->reduce_every : 1) + 1;
}

// dt or alpha of an operator.
PADICI_FN double padici_rollout_parameter_of(const padic_rollout_run_desc *desc, uint64_t n)
{
    return padici_rollout_parameter(desc->policy, &desc->parameter, n);
}

// 1: X is within the limit, or has failed before.
static int padici_rollout_look(const padici_rollout_going *g, padici_rollout_track *track,
                               uint64_t item, const char *x)
{
    const padici_rollout_engine *e = g->e;
    const int bad = g->t ? *padici_rollout_mark(e, item, 0)
                         : e->faulty[(e->first + item) / e->per_operator];
    const double limit = g->desc->limit > 0 ? g->desc->limit : 3.4028234663852886e38;
    const double finite = 1.7976931348623157e308;
    uint32_t code = bad ? PADIC_ROLLOUT_CODE_NOT_FINITE : PADIC_ROLLOUT_CODE_OK;
    uint64_t i;
    if (track->is.code) return 1;
    for (i = 0; i < g->numbers; i++) {
        const double size = fabs(padici_rollout_get(x, i, g->size));
        if (!(size <= finite)) code = PADIC_ROLLOUT_CODE_NOT_FINITE;
        else if (size > track->most) track->most = size;
    }
    if (!code && track->most > limit) code = PADIC_ROLLOUT_CODE_BLOWUP;
    track->is.max_abs = (float)track->most;
    track->is.code = code;
    track->is.step = code ? g->t : 0;
    if (!code) track->is.last_good = g->t;
    return !code;
}

PADICI_FN int padici_rollout_wants(const padici_rollout_going *g, uint64_t *frame)
{
    const padic_rollout_run_desc *desc = g->desc;
    const uint32_t s = desc->every ? desc->every : 1;
    const int last = g->t == desc->steps - 1;
    if (desc->output == PADIC_ROLLOUT_OUTPUT_NONE) return 0;
    if (desc->output == PADIC_ROLLOUT_OUTPUT_LAST) {
        *frame = 0;
        return last;
    }
    *frame = g->t % s ? g->frames - 1 : g->t / s;
    return !(g->t % s) || (last && (desc->flags & PADIC_ROLLOUT_WITH_LAST));
}

static void padici_rollout_keep(const padici_rollout_going *g, uint64_t trajectory, const char *x)
{
    const uint64_t bytes = g->numbers * g->size;
    uint64_t frame;
    if (!padici_rollout_wants(g, &frame)) return;
    if (g->ring)
        memcpy(g->held + ((trajectory - g->start) * g->ring + frame % g->ring) * bytes, x,
               (size_t)bytes);
    else if (g->desc->out.data)
        memcpy((char *)g->desc->out.data + (trajectory * g->frames + frame) * bytes, x,
               (size_t)bytes);
}

// The metrics of X_t = o, after x; of t = 0 there is none before.
static void padici_rollout_measure(const padici_rollout_going *g, uint64_t trajectory,
                                   const char *o, const char *x, uint32_t worker)
{
    const uint32_t every = g->desc->reduce_every ? g->desc->reduce_every : 1;
    const uint64_t rows = g->single ? 1 : padici_rollout_run_measured(g->desc);
    const uint64_t row = trajectory * rows + (g->single ? 0 : g->t / every);
    const float *frame = (const float *)(const void *)o, *before = (const float *)(const void *)x;
    padici_rollout_meter *meter;
    uint64_t i;
    if (!g->measures || !g->desc->metrics.data || (!g->single && g->t % every)) return;
    meter = &g->meter[worker];
    for (i = 0; g->size == 8 && i < g->numbers; i++) {
        meter->frame[i] = (float)padici_rollout_get(o, i, 8);
        meter->before[i] = (float)padici_rollout_get(x, i, 8);
        frame = meter->frame;
        before = meter->before;
    }
    padici_rollout_reducer_run(&meter->reducer, frame, g->t ? before : NULL,
                               (float *)g->desc->metrics.data + row * g->columns);
}

// What follows an evaluation; of step 0 the initial condition is in o.
static void padici_rollout_follow(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_going *g = (const padici_rollout_going *)e->user;
    const uint64_t trajectory = e->first + item, bytes = g->numbers * g->size;
    const padic_rollout_failure failure = g->desc->failure;
    padici_rollout_track *track = &g->track[trajectory - g->start];
    char *x = g->x + (trajectory - g->start) * bytes, *o = g->o + item * bytes;
    const double nan = (double)NAN;
    uint64_t i;
    if (track->is.code && failure != PADIC_ROLLOUT_FAILURE_REPORT) {
        memcpy(o, x, (size_t)bytes);
    } else {
        if (g->t)
            padici_rollout_step(
                g->desc->policy,
                padici_rollout_parameter_of(g->desc, trajectory / e->per_operator), g->numbers,
                g->size, x, o);
        if (padici_rollout_look(g, track, item, o) || failure == PADIC_ROLLOUT_FAILURE_REPORT)
            padici_rollout_finish(&g->finish, o);
        else if (g->t && failure == PADIC_ROLLOUT_FAILURE_FREEZE)
            memcpy(o, x, (size_t)bytes);
        else
            for (i = 0; i < g->numbers; i++) padici_rollout_put(o, i, g->size, nan);
    }
    padici_rollout_measure(g, trajectory, o, x, padici_rollout_worker(e, scratch));
    padici_rollout_keep(g, trajectory, o);
    memcpy(x, o, (size_t)bytes);
}

PADICI_FN void padici_rollout_advance(padici_rollout_going *g, uint64_t first, uint64_t count)
{
    padici_rollout_engine *e = g->e;
    const uint64_t bytes = g->numbers * g->size;
    uint64_t i;
    e->step = g->t;
    if (g->t) {
        padici_rollout_evaluate(e, first, count, g->x + (first - g->start) * bytes, g->o);
    } else {
        for (i = 0; i < count; i++) {
            padici_rollout_track *track = &g->track[first - g->start + i];
            const uint64_t of = g->desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR
                                    ? (first + i) / e->per_operator
                                    : (first + i) / g->realisations % g->initials;
            memcpy(g->o + i * bytes, (const char *)g->desc->initial.data + of * bytes,
                   (size_t)bytes);
            memset(track, 0, sizeof *track);
            track->is.last_good = UINT32_MAX;
        }
        memset(g->x + (first - g->start) * bytes, 0, (size_t)(count * bytes));
    }
    e->first = first;
    padici_rollout_each(e, count, padici_rollout_follow);
}

#endif
