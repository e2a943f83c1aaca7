#include "plan.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/view.h"
#include "weights.h"

#if PADICI_IMPLEMENT_RNN

// Runs of a plan: operands, checks, views.

static uint32_t padici_rnn_run_operand(padici_operand *operands, uint32_t n, const char *name,
                                       padic_tensor *tensor, uint8_t out, uint8_t kind)
{
    if (!padici_rnn_here(tensor)) return n;
    operands[n].name = name;
    operands[n].tensor = tensor;
    operands[n].out = out;
    operands[n].kind = kind;
    return n + 1;
}

PADICI_FN uint32_t padici_rnn_run_operands(void *desc_, padici_operand *operands)
{
    padic_rnn_run_desc *desc = (padic_rnn_run_desc *)desc_;
    uint32_t n = 1;
    operands[0].name = "x";
    operands[0].tensor = &desc->x;
    operands[0].any_stride = 1;
    n = padici_rnn_run_operand(operands, n, "h0", &desc->h0, 0, 1);
    n = padici_rnn_run_operand(operands, n, "c0", &desc->c0, 0, 2);
    n = padici_rnn_run_operand(operands, n, "lengths", &desc->lengths, 0, 0);
    n = padici_rnn_run_operand(operands, n, "out", &desc->out, 1, 0);
    n = padici_rnn_run_operand(operands, n, "out_h", &desc->out_h, 1, 1);
    n = padici_rnn_run_operand(operands, n, "out_c", &desc->out_c, 1, 2);
    return padici_rnn_run_operand(operands, n, "columns", &desc->columns, 1, 0);
}

// A sequence (T, B, columns), or (B, T, columns).
static padic_result padici_rnn_sequence_check(padic_context *context, const char *field,
                                              const padic_rnn_run_desc *desc,
                                              const padic_tensor *t, uint64_t columns)
{
    padic_result result;
    if (!padici_rnn_here(t)) return PADIC_OK;
    result = padici_rnn_dtype_check(context, field, t, desc->x.dtype);
    return result ? result
                  : padici_rnn_shape_check(context, field, t, 3, desc->x.shape[0],
                                           desc->x.shape[1], columns);
}

static padic_result padici_rnn_states_check(padic_context *context, const char *field,
                                            const padic_rnn_run_desc *desc,
                                            const padic_tensor *t)
{
    const padici_rnn_net *net = &desc->plan->net;
    const uint64_t rows = desc->x.shape[desc->flags & PADIC_RNN_BATCH_FIRST ? 0 : 1];
    padic_result result;
    if (!padici_rnn_here(t)) return PADIC_OK;
    result = padici_rnn_dtype_check(context, field, t, desc->x.dtype);
    return result ? result
                  : padici_rnn_shape_check(context, field, t, 3, net->states, rows, net->state);
}

PADICI_FN padic_result padici_rnn_run_check(padic_context *context, const void *desc_)
{
    const padic_rnn_run_desc *desc = (const padic_rnn_run_desc *)desc_;
    const uint32_t known = PADIC_RNN_BATCH_FIRST | PADIC_RNN_CHECK_FINITE;
    const uint32_t first = desc->flags & PADIC_RNN_BATCH_FIRST;
    const padici_rnn_net *net;
    padic_result result;
    if (!desc->plan) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    if (desc->plan->context != context)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is of another context");
    if (desc->flags & ~known)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "flags", "has an unknown bit");
    net = &desc->plan->net;
    result = padici_rnn_dtype_check(context, "x", &desc->x,
                                    net->is_double ? PADIC_F64 : PADIC_F32);
    if (result) return result;
    if (desc->x.rank != 3 || desc->x.shape[2] != net->inputs)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "x",
                                 "has not the columns of the first layer as its third axis");
    if (net->directions == 2 && desc->x.shape[first ? 1 : 0] > desc->plan->steps)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "x",
                                 "has more steps than the plan is for");
    result = padici_rnn_sequence_check(context, "out", desc, &desc->out, net->outputs);
    if (!result)
        result = padici_rnn_sequence_check(context, "columns", desc, &desc->columns, net->outputs);
    if (!result && padici_rnn_here(&desc->columns) && !net->feedback)
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "columns",
                                   "are wanted, but the plan has no feedback");
    if (!result) result = padici_rnn_states_check(context, "h0", desc, &desc->h0);
    if (!result) result = padici_rnn_states_check(context, "out_h", desc, &desc->out_h);
    if (!result) result = padici_rnn_states_check(context, "c0", desc, &desc->c0);
    if (!result) result = padici_rnn_states_check(context, "out_c", desc, &desc->out_c);
    if (!result && !net->lstm && (padici_rnn_here(&desc->c0) || padici_rnn_here(&desc->out_c)))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "c0",
                                   "or out_c is given, but no layer is an LSTM");
    if (!result && padici_rnn_here(&desc->lengths)) {
        result = padici_rnn_dtype_check(context, "lengths", &desc->lengths, PADIC_U32);
        if (!result)
            result = padici_rnn_shape_check(context, "lengths", &desc->lengths, 1,
                                            desc->x.shape[first ? 0 : 1], 0, 0);
    }
    return result;
}

// `first`: axes are (rows, times, columns).
static padici_rnn_view padici_rnn_run_view(const padic_tensor *t, uint32_t first)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_rnn_view view;
    memset(&view, 0, sizeof view);
    if (!t->data) return view;
    padici_rnn_strides(t, stride);
    view.at = (char *)t->data;
    view.time = stride[first ? 1 : 0];
    view.row = stride[t->rank == 1 || first ? 0 : 1];
    view.column = stride[2];
    return view;
}

static int padici_rnn_run_finite(const padici_rnn_work *work, const padici_rnn_view *lengths)
{
    const padici_rnn_net *net = work->net;
    const uint32_t d = net->is_double;
    const uint64_t columns = net->state;
    return padici_rnn_finite(&work->x, work->steps, work->rows, net->inputs, lengths, d) &&
           padici_rnn_finite(&work->h0, net->states, work->rows, columns, NULL, d) &&
           padici_rnn_finite(&work->c0, net->states, work->rows, columns, NULL, d);
}

PADICI_FN padic_result padici_rnn_run_plan(const padic_env *env, const padic_rnn_run_desc *desc)
{
    const padic_rnn_plan *plan = desc->plan;
    const uint32_t first = desc->flags & PADIC_RNN_BATCH_FIRST;
    padici_rnn_view lengths = padici_rnn_run_view(&desc->lengths, 0);
    padici_rnn_work work;
    uint64_t i;
    memset(&work, 0, sizeof work);
    work.net = &plan->net;
    work.steps = desc->x.shape[first ? 1 : 0];
    work.rows = desc->x.shape[first ? 0 : 1];
    for (i = 0; lengths.at && i < work.rows; i++)
        if (*(const uint32_t *)(const void *)(lengths.at + (int64_t)i * lengths.row) > work.steps)
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT, "lengths has one above T");
    work.x = padici_rnn_run_view(&desc->x, first);
    work.out = padici_rnn_run_view(&desc->out, first);
    work.columns = padici_rnn_run_view(&desc->columns, first);
    work.h0 = padici_rnn_run_view(&desc->h0, 0);
    work.c0 = padici_rnn_run_view(&desc->c0, 0);
    work.out_h = padici_rnn_run_view(&desc->out_h, 0);
    work.out_c = padici_rnn_run_view(&desc->out_c, 0);
    work.lengths = lengths.at;
    work.length_step = lengths.row;
    work.block = padici_rnn_blocks(work.rows, plan->block, plan->workers, &work.workers);
    work.scratch = plan->scratch;
    work.room = plan->room;
    if ((desc->flags & PADIC_RNN_CHECK_FINITE) && !padici_rnn_run_finite(&work, &lengths))
        return padici_env_fail(env, PADIC_ERROR_DOMAIN, "x, h0 or c0 has a NaN or an infinity");
    padici_rnn_work_run(&work, padici_env_jobs(env));
    return PADIC_OK;
}

PADICI_FN padic_result padici_rnn_run_host(const padic_env *env, const void *desc)
{
    return padici_rnn_run_plan(env, (const padic_rnn_run_desc *)desc);
}

#endif
