#include "apply.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/view.h"
#include "step.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// Rollouts: evaluation, policy, check, post, frames.

typedef struct padici_rollout_track { // of a trajectory of the batch
    padic_rollout_status is;
    double most;
    uint32_t nan; // its frames are NaN
} padici_rollout_track;

typedef struct padici_rollout_going {
    const padic_rollout_run_desc *desc;
    padici_rollout_engine *e;
    padici_steps steps;
    uint64_t initials, realisations; // I, M
    uint64_t numbers, frames;        // of a state; F
    padici_rollout_finishing finish;
    uint32_t t;
    size_t size;
    char *x, *o; // (batch, C, H, W)
    padici_rollout_track *track;
    padic_rollout_run_report report;
} padici_rollout_going;

PADICI_FN uint32_t padici_rollout_run_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_run_desc *desc = (padic_rollout_run_desc *)desc_;
    uint32_t n = 2;
    operands[0].name = "weights";
    operands[0].tensor = &desc->weights;
    operands[0].any_stride = 1;
    operands[1].name = "initial";
    operands[1].tensor = &desc->initial;
    if (padici_rollout_here(&desc->parameter)) {
        operands[n].name = "parameter";
        operands[n].tensor = &desc->parameter;
        operands[n++].any_stride = 1;
    }
    if (padici_rollout_here(&desc->status)) {
        operands[n].name = "status";
        operands[n].tensor = &desc->status;
        operands[n++].out = 1;
    }
    if (desc->output != PADIC_ROLLOUT_OUTPUT_NONE || padici_rollout_here(&desc->out)) {
        operands[n].name = "out";
        operands[n].tensor = &desc->out;
        operands[n++].out = 1;
    }
    return padici_rollout_chance_operands(operands, n, &desc->ids, &desc->noise_ids,
                                          &desc->noise_scale);
}

static uint64_t padici_rollout_run_frames(const padic_rollout_run_desc *desc)
{
    const uint32_t s = desc->every ? desc->every : 1, last = desc->steps - 1;
    switch (desc->output) {
    case PADIC_ROLLOUT_OUTPUT_ALL: return desc->steps;
    case PADIC_ROLLOUT_OUTPUT_EVERY:
        return (uint64_t)(last / s) + 1 +
               ((desc->flags & PADIC_ROLLOUT_WITH_LAST) && last % s != 0);
    case PADIC_ROLLOUT_OUTPUT_LAST: return 1;
    default: return 0;
    }
}

static padic_result padici_rollout_run_options(padic_context *context,
                                               const padic_rollout_run_desc *desc)
{
    const char *wrong = NULL, *field = NULL;
    if ((uint32_t)desc->policy > PADIC_ROLLOUT_POLICY_CONVEX) field = "policy";
    else if ((uint32_t)desc->post > PADIC_ROLLOUT_POST_ZSCORE) field = "post";
    else if ((uint32_t)desc->failure > PADIC_ROLLOUT_FAILURE_FAIL) field = "failure";
    else if ((uint32_t)desc->output > PADIC_ROLLOUT_OUTPUT_NONE) field = "output";
    else if (desc->flags > 31) field = "flags";
    if (field) wrong = "is unknown";
    else if (!desc->steps) field = "steps", wrong = "is 0";
    else if (!(desc->limit >= 0 && desc->limit <= 1.7e308))
        field = "limit", wrong = "is negative, or not finite";
    else if ((desc->flags & PADIC_ROLLOUT_CLAMP) &&
             !(desc->lo <= desc->hi && desc->lo >= -1.7e308 && desc->hi <= 1.7e308))
        field = "lo", wrong = "is above hi, or one of them is not finite";
    else if ((desc->flags & PADIC_ROLLOUT_POST_PER_CHANNEL) &&
             desc->post == PADIC_ROLLOUT_POST_NONE)
        field = "flags", wrong = "has POST_PER_CHANNEL, but there is no post";
    else if (desc->output != PADIC_ROLLOUT_OUTPUT_EVERY &&
             (desc->every || (desc->flags & PADIC_ROLLOUT_WITH_LAST)))
        field = "every", wrong = "and WITH_LAST are for the output EVERY only";
    else if (desc->policy == PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE &&
             padici_rollout_here(&desc->parameter))
        field = "parameter", wrong = "is given, but AUTOREGRESSIVE has none";
    return wrong ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, wrong) : PADIC_OK;
}

// parameter, status and out.
static padic_result padici_rollout_run_views(padic_context *context,
                                             const padic_rollout_run_desc *desc,
                                             const padic_rollout_shape *shape)
{
    const padic_tensor *p = &desc->parameter, *s = &desc->status, *out = &desc->out;
    const uint64_t n = desc->weights.shape[0], m = desc->realisations ? desc->realisations : 1;
    const uint64_t i = desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1
                                                                        : desc->initial.shape[0];
    padic_result result;
    if (padici_rollout_here(p)) {
        if (p->dtype != PADIC_F32 && p->dtype != PADIC_F64)
            return padici_fail_field(context, PADIC_ERROR_DTYPE, "parameter", "is not F32 or F64");
        if (p->rank != 1 || p->shape[0] != n)
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "parameter", "is not (N)");
    }
    if (padici_rollout_here(s)) {
        if (s->dtype != PADIC_U32)
            return padici_fail_field(context, PADIC_ERROR_DTYPE, "status", "is not U32");
        if (s->rank != 4 || s->shape[0] != n || s->shape[1] != i || s->shape[2] != m ||
            s->shape[3] != 4)
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "status",
                                     "is not (N, I, M, 4)");
        if (!padici_rollout_is_dense(s))
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "status", "is not dense");
    }
    if (desc->output == PADIC_ROLLOUT_OUTPUT_NONE)
        return padici_rollout_here(out) ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out",
                                                            "is given, but output is NONE")
                                        : PADIC_OK;
    result = padici_rollout_field_check(context, "out", out, 7, shape, desc->initial.dtype);
    if (!result && (out->shape[0] != n || out->shape[1] != i || out->shape[2] != m ||
                    out->shape[3] != padici_rollout_run_frames(desc)))
        result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                   "is not (N, I, M, F, C, H, W)");
    return result;
}

PADICI_FN padic_result padici_rollout_run_check(padic_context *context, const void *desc_)
{
    const padic_rollout_run_desc *desc = (const padic_rollout_run_desc *)desc_;
    padici_rollout_node *all = NULL;
    padic_rollout_shape in, out;
    uint64_t parameters = 0;
    padic_result result = padici_rollout_nodes_make(context, &desc->op, &all, &parameters);
    if (result) return result;
    in = all[0].shape;
    out = all[desc->op.count].shape;
    padici_rollout_nodes_free(context, all);
    if (in.channels != out.channels || in.height != out.height || in.width != out.width)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "nodes",
                                 "end with another shape than the state has");
    result = padici_rollout_run_options(context, desc);
    if (!result) result = padici_rollout_weights_check(context, &desc->weights, parameters);
    if (!result)
        result = padici_rollout_field_check(context, "initial", &desc->initial, 4, &in,
                                            desc->initial.dtype);
    if (!result && (desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR) &&
        desc->initial.shape[0] != desc->weights.shape[0])
        result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "initial",
                                   "has not one for each operator");
    if (!result)
        result = padici_rollout_chance_check(
            context, &desc->ids, &desc->noise_ids, &desc->noise_scale, desc->weights.shape[0], 2,
            desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : desc->initial.shape[0],
            desc->realisations ? desc->realisations : 1);
    return result ? result : padici_rollout_run_views(context, desc, &in);
}

// dt or alpha of an operator.
static double padici_rollout_parameter_of(const padic_rollout_run_desc *desc, uint64_t n)
{
    const padic_tensor *p = &desc->parameter;
    int64_t stride[PADIC_MAX_RANK];
    if (!p->data) return desc->policy == PADIC_ROLLOUT_POLICY_CONVEX ? 0.5 : 0.01;
    padici_tensor_dense(p, stride);
    return padici_rollout_get((const char *)p->data +
                                  (int64_t)n * stride[0] * (int64_t)padic_dtype_size(p->dtype),
                              0, padic_dtype_size(p->dtype));
}

static padic_result padici_rollout_parameters_check(const padic_env *env,
                                                    const padic_rollout_run_desc *desc)
{
    uint64_t n;
    for (n = 0; n < desc->weights.shape[0]; n++) {
        const double p = padici_rollout_parameter_of(desc, n);
        if (desc->policy == PADIC_ROLLOUT_POLICY_CONVEX ? !(p >= 0 && p <= 1)
                                                        : !(p >= -1.7e308 && p <= 1.7e308))
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                                   "parameter: an alpha is outside [0, 1], or a dt not finite");
    }
    return PADIC_OK;
}

// 1: X is within the limit, or has failed before.
static int padici_rollout_look(const padici_rollout_going *g, padici_rollout_track *track,
                               const char *x)
{
    const double limit = g->desc->limit > 0 ? g->desc->limit : 3.4028234663852886e38;
    const double finite = 1.7976931348623157e308;
    uint32_t code = PADIC_ROLLOUT_CODE_OK;
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

// The frame of step t, if it is wanted.
static void padici_rollout_keep(const padici_rollout_going *g, uint64_t trajectory, const char *x)
{
    const padic_rollout_run_desc *desc = g->desc;
    const uint32_t s = desc->output == PADIC_ROLLOUT_OUTPUT_EVERY && desc->every ? desc->every : 1;
    const uint32_t last = g->t == desc->steps - 1;
    uint64_t frame = g->t / s;
    if (desc->output == PADIC_ROLLOUT_OUTPUT_NONE) return;
    if (desc->output == PADIC_ROLLOUT_OUTPUT_LAST) {
        if (!last) return;
        frame = 0;
    } else if (g->t % s) {
        if (!last || !(desc->flags & PADIC_ROLLOUT_WITH_LAST)) return;
        frame = g->frames - 1;
    }
    memcpy((char *)desc->out.data + (trajectory * g->frames + frame) * g->numbers * g->size, x,
           (size_t)g->numbers * g->size);
}

// What follows an evaluation; of step 0 the initial condition is in o.
static void padici_rollout_follow(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_going *g = (const padici_rollout_going *)e->user;
    const uint64_t trajectory = e->first + item, bytes = g->numbers * g->size;
    const double nan = (double)NAN;
    padici_rollout_track *track = &g->track[item];
    char *x = g->x + item * bytes, *o = g->o + item * bytes;
    const padic_rollout_failure failure = g->desc->failure;
    uint64_t i;
    (void)scratch;
    if (!track->is.code || failure == PADIC_ROLLOUT_FAILURE_REPORT) {
        if (g->t)
            padici_rollout_update(g->desc->policy,
                                  padici_rollout_parameter_of(g->desc, trajectory /
                                                                           e->per_operator),
                                  g->numbers, g->size, x, o);
        if (padici_rollout_look(g, track, o) || failure == PADIC_ROLLOUT_FAILURE_REPORT) {
            padici_rollout_finish(&g->finish, o);
            memcpy(x, o, (size_t)bytes);
        } else if (!g->t || failure != PADIC_ROLLOUT_FAILURE_FREEZE) {
            for (i = 0; i < g->numbers; i++) padici_rollout_put(x, i, g->size, nan);
        }
    }
    padici_rollout_keep(g, trajectory, x);
}

static void padici_rollout_note(padici_rollout_going *g, uint64_t first, uint64_t count)
{
    uint64_t i;
    for (i = 0; i < count; i++) {
        const padic_rollout_status *is = &g->track[i].is;
        const uint64_t trajectory = first + i;
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

// Trajectories first to first + count - 1. 0: go on.
static int padici_rollout_batch(padici_rollout_going *g, uint64_t first, uint64_t count)
{
    padici_rollout_engine *e = g->e;
    const uint64_t bytes = g->numbers * g->size;
    uint64_t i;
    memset(g->track, 0, (size_t)count * sizeof *g->track);
    for (i = 0; i < count; i++) {
        const uint64_t trajectory = first + i;
        const uint64_t of = g->desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR
                                ? trajectory / e->per_operator
                                : trajectory / g->realisations % g->initials;
        memcpy(g->o + i * bytes, (const char *)g->desc->initial.data + of * bytes, (size_t)bytes);
        g->track[i].is.last_good = UINT32_MAX;
    }
    e->first = first;
    for (g->t = 0; g->t < g->desc->steps; g->t++) {
        e->step = g->t;
        if (g->t) padici_rollout_evaluate(e, first, count, g->x, g->o);
        padici_rollout_each(e, count, padici_rollout_follow);
        if (padici_steps_more(&g->steps, 1)) return 1;
    }
    padici_rollout_note(g, first, count);
    return 0;
}

static padic_result padici_rollout_failed(const padic_env *env,
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

static padic_result padici_rollout_all(const padic_env *env, padici_rollout_going *g,
                                       uint64_t count)
{
    const uint64_t batches = (count - 1) / g->e->batch + 1;
    uint64_t first;
    int stop = 0;
    padici_steps_begin(&g->steps, env ? env->progress : NULL, NULL, batches * g->desc->steps);
    for (first = 0; first < count && !stop; first += g->e->batch)
        stop = padici_rollout_batch(g, first,
                                    count - first < g->e->batch ? count - first : g->e->batch);
    if (padici_steps_end(&g->steps) || stop) return PADIC_ERROR_CANCELLED;
    if (g->report.failed && g->desc->failure == PADIC_ROLLOUT_FAILURE_FAIL)
        return padici_rollout_failed(env, &g->report);
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_run_with(const padic_env *env,
                                               const padici_rollout_kernels *kernels,
                                               const padic_rollout_run_desc *desc)
{
    padici_rollout_going g;
    padici_rollout_wish wish;
    uint64_t count;
    padic_result result = padici_rollout_parameters_check(env, desc);
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (result) return result;
    memset(&g, 0, sizeof g);
    memset(&wish, 0, sizeof wish);
    g.desc = desc;
    g.initials = desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : desc->initial.shape[0];
    g.realisations = desc->realisations ? desc->realisations : 1;
    g.size = padic_dtype_size(desc->initial.dtype);
    g.frames = padici_rollout_run_frames(desc);
    count = desc->weights.shape[0] * g.initials * g.realisations;
    if (!count) return PADIC_OK;
    g.numbers = padic_tensor_count(&desc->initial) / desc->initial.shape[0];
    g.finish.post = desc->post;
    g.finish.flags = desc->flags;
    g.finish.lo = desc->lo;
    g.finish.hi = desc->hi;
    g.finish.numbers = g.numbers;
    g.finish.channels = desc->initial.shape[1];
    g.finish.size = g.size;
    wish.op = &desc->op;
    wish.weights = &desc->weights;
    wish.per_operator = g.initials * g.realisations;
    wish.max_bytes = desc->max_bytes;
    wish.dtype = desc->initial.dtype;
    wish.extra = 2 * g.numbers * g.size + sizeof(padici_rollout_track) + 16;
    wish.kernels = g.size == 8 ? padici_rollout_plain() : kernels;
    wish.chance.quiet = desc->flags & PADIC_ROLLOUT_QUIET;
    wish.chance.frames = desc->steps;
    wish.chance.seed = desc->seed;
    wish.chance.ids = desc->ids.data ? &desc->ids : NULL;
    wish.chance.noise_ids = desc->noise_ids.data ? &desc->noise_ids : NULL;
    wish.chance.noise_scale = desc->noise_scale.data ? &desc->noise_scale : NULL;
    wish.chance.realisations = g.realisations;
    result = padici_rollout_engine_begin(env, &wish, &g.e);
    if (result) return result;
    g.e->user = &g;
    g.track = (padici_rollout_track *)(void *)g.e->extra;
    g.x = g.e->extra + g.e->batch * sizeof *g.track;
    g.o = g.x + g.e->batch * g.numbers * g.size;
    g.report.batch = g.e->batch;
    g.report.size = g.e->size + g.e->more;
    result = padici_rollout_all(env, &g, count);
    if (desc->report) *desc->report = g.report;
    padici_rollout_engine_end(g.e);
    return result;
}

PADICI_FN padic_result padici_rollout_run_host(const padic_env *env, const void *desc)
{
    return padici_rollout_run_with(env, padici_rollout_plain(),
                                   (const padic_rollout_run_desc *)desc);
}

#endif
