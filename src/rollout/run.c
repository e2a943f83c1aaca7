#include "going.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/view.h"
#include "record.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Rollouts, as calls: operands, checks.

static int padici_rollout_has_out(const padic_rollout_run_desc *desc)
{
    return desc->output < PADIC_ROLLOUT_OUTPUT_NONE;
}

static int padici_rollout_by_steps(const padic_rollout_run_desc *desc)
{
    return desc->output == PADIC_ROLLOUT_OUTPUT_EVERY ||
           desc->output == PADIC_ROLLOUT_OUTPUT_STREAM;
}

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
    if (padici_rollout_here(&desc->metrics)) {
        operands[n].name = "metrics";
        operands[n].tensor = &desc->metrics;
        operands[n++].out = 1;
    }
    if (padici_rollout_has_out(desc) || padici_rollout_here(&desc->out)) {
        operands[n].name = "out";
        operands[n].tensor = &desc->out;
        operands[n++].out = 1;
    }
    return padici_rollout_chance_operands(operands, n, &desc->ids, &desc->noise_ids,
                                          &desc->noise_scale);
}

// To a function, with a ring, or to a record.
static int padici_rollout_stream_fault(const padic_rollout_stream *stream)
{
    return stream->record ? stream->frame || stream->user || stream->ring
                          : !stream->frame || stream->first || stream->ring > 65536;
}

static padic_result padici_rollout_run_options(padic_context *context,
                                               const padic_rollout_run_desc *desc)
{
    const char *wrong = NULL, *field = NULL;
    if ((uint32_t)desc->policy > PADIC_ROLLOUT_POLICY_CONVEX) field = "policy";
    else if ((uint32_t)desc->post > PADIC_ROLLOUT_POST_ZSCORE) field = "post";
    else if ((uint32_t)desc->failure > PADIC_ROLLOUT_FAILURE_FAIL) field = "failure";
    else if ((uint32_t)desc->output > PADIC_ROLLOUT_OUTPUT_STREAM) field = "output";
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
    else if (!padici_rollout_by_steps(desc) &&
             (desc->every || (desc->flags & PADIC_ROLLOUT_WITH_LAST)))
        field = "every", wrong = "and WITH_LAST are for the outputs EVERY and STREAM only";
    else if (desc->output == PADIC_ROLLOUT_OUTPUT_STREAM
                 ? padici_rollout_stream_fault(&desc->stream)
                 : desc->stream.frame || desc->stream.user || desc->stream.ring ||
                       desc->stream.record || desc->stream.first)
        field = "stream", wrong = "is not for this output, or has not one of frame and record with "
                                  "what is theirs, or a ring above 65,536";
    else if (desc->policy == PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE &&
             padici_rollout_here(&desc->parameter))
        field = "parameter", wrong = "is given, but AUTOREGRESSIVE has none";
    return wrong ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, wrong) : PADIC_OK;
}

static padic_result padici_rollout_measures_check(padic_context *context,
                                                  const padic_rollout_run_desc *desc,
                                                  const padic_rollout_shape *shape, int measures)
{
    const padic_rollout_metrics *reduce = &desc->reduce;
    if (measures)
        return padic_rollout_metrics_count(reduce, shape->channels, shape->height, shape->width)
                   ? PADIC_OK
                   : padici_fail_field(context, PADIC_ERROR_ARGUMENT, "reduce",
                                       "makes no sense: padic_rollout_metrics_count() is 0");
    return desc->reduce_every || reduce->metrics || reduce->per_channel || reduce->bins ||
                   reduce->bands || reduce->range
               ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, "reduce",
                                   "or reduce_every is given, but metrics are not wanted")
               : PADIC_OK;
}

static padic_result padici_rollout_parameter_check(padic_context *context, const padic_tensor *p,
                                                   uint64_t n)
{
    if (!padici_rollout_here(p)) return PADIC_OK;
    if (p->dtype != PADIC_F32 && p->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "parameter", "is not F32 or F64");
    return p->rank == 1 && p->shape[0] == n
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_MISMATCH, "parameter", "is not (N)");
}

PADICI_FN padic_result padici_rollout_run_inputs(padic_context *context,
                                                 const padic_rollout_run_desc *desc, int measures)
{
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
        result = padici_rollout_parameter_check(context, &desc->parameter, desc->weights.shape[0]);
    if (!result)
        result = padici_rollout_precision_check(context, desc->precision, desc->initial.dtype);
    if (!result)
        result = padici_rollout_chance_check(
            context, &desc->ids, &desc->noise_ids, &desc->noise_scale, desc->weights.shape[0], 2,
            desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : desc->initial.shape[0],
            desc->realisations ? desc->realisations : 1);
    if (!result) result = padici_rollout_measures_check(context, desc, &in, measures);
    return !result && desc->stream.record ? padici_rollout_record_fits(context, desc) : result;
}

// A view (N, I, M, ..) of a call, if it is there: `count` axes after them.
static padic_result padici_rollout_written(padic_context *context,
                                           const padic_rollout_run_desc *desc, const char *name,
                                           const padic_tensor *t, padic_dtype dtype,
                                           uint32_t count, const uint64_t *rest)
{
    const uint64_t i = desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1
                                                                        : desc->initial.shape[0];
    const uint64_t lead[3] = {desc->weights.shape[0], i,
                              desc->realisations ? desc->realisations : 1};
    if (t->dtype != dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "has another dtype");
    if (t->rank != 3 + count || memcmp(t->shape, lead, sizeof lead) ||
        memcmp(t->shape + 3, rest, count * sizeof *rest))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 "has not the shape (N, I, M, ..) that the desc gives it");
    return padici_rollout_is_dense(t)
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_ARGUMENT, name, "is not dense");
}

PADICI_FN padic_result padici_rollout_run_outputs(padic_context *context,
                                                  const padic_rollout_run_desc *desc)
{
    const uint64_t *state = desc->initial.shape + 1;
    const uint64_t frames[4] = {padici_rollout_run_frames(desc), state[0], state[1], state[2]};
    const uint64_t rows[2] = {
        padici_rollout_run_measured(desc),
        padic_rollout_metrics_count(&desc->reduce, state[0], state[1], state[2])};
    const uint64_t four = 4;
    padic_result result = PADIC_OK;
    if (padici_rollout_here(&desc->status))
        result = padici_rollout_written(context, desc, "status", &desc->status, PADIC_U32, 1,
                                        &four);
    if (!result && padici_rollout_here(&desc->metrics))
        result = padici_rollout_written(context, desc, "metrics", &desc->metrics, PADIC_F32, 2,
                                        rows);
    if (result) return result;
    if (padici_rollout_has_out(desc))
        return padici_rollout_written(context, desc, "out", &desc->out, desc->initial.dtype, 4,
                                      frames);
    return padici_rollout_here(&desc->out)
               ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out",
                                   "is given, but output is NONE or STREAM")
               : PADIC_OK;
}

PADICI_FN padic_result padici_rollout_run_check(padic_context *context, const void *desc_)
{
    const padic_rollout_run_desc *desc = (const padic_rollout_run_desc *)desc_;
    padic_result result =
        padici_rollout_run_inputs(context, desc, padici_rollout_here(&desc->metrics));
    if (!result) result = padici_rollout_record_own(context, desc->stream.record);
    return result ? result : padici_rollout_run_outputs(context, desc);
}

PADICI_FN int padici_rollout_parameters_fault(const padic_rollout_run_desc *desc)
{
    uint64_t n;
    for (n = 0; n < desc->weights.shape[0]; n++) {
        const double p = padici_rollout_parameter_of(desc, n);
        if (desc->policy == PADIC_ROLLOUT_POLICY_CONVEX ? !(p >= 0 && p <= 1)
                                                        : !(p >= -1.7e308 && p <= 1.7e308))
            return 1;
    }
    return 0;
}

PADICI_FN padic_result padici_rollout_run_with(const padic_env *env,
                                               const padici_rollout_kernels *kernels,
                                               const padic_rollout_run_desc *desc)
{
    padici_rollout_intent intent;
    padici_rollout_going g;
    padic_result result;
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (padici_rollout_parameters_fault(desc))
        return padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                               "parameter: an alpha is outside [0, 1], or a dt not finite");
    if (!desc->weights.shape[0] || !desc->initial.shape[0]) return PADIC_OK;
    memset(&intent, 0, sizeof intent);
    intent.desc = desc;
    intent.kernels = kernels;
    intent.measures = padici_rollout_here(&desc->metrics);
    result = padici_rollout_going_begin(env, &intent, &g);
    if (result) return result;
    result = padici_rollout_going_run(&g);
    if (desc->report) *desc->report = g.report;
    padici_rollout_going_end(&g);
    return result;
}

PADICI_FN padic_result padici_rollout_run_host(const padic_env *env, const void *desc)
{
    return padici_rollout_run_with(env, padici_rollout_plain(),
                                   (const padic_rollout_run_desc *)desc);
}

#endif
