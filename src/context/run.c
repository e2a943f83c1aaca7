#include "run.h"
#include "call.h"
#include "kept_calls.h"
#include "messages.h"
#include "operands.h"
#include "operation.h"
#include "ops.h"
#include "profile.h"
#include "recording.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// The one way into every operation:
//
//     entry -> check -> operands -> choose a backend -> stage in -> do -> stage out -> account

// A call has ended: a failure breaks the open recording, and a query gets its report.
static void padici_run_ended(padic_context *context, uint32_t op, padic_result result)
{
    if (!context) return;
    padici_recording_break(context, result);
    if (!padici_run_asks(context)) return;
    context->ask->calls++;
    context->ask->op = (padic_op)op;
    if (result != PADIC_ERROR_ASKED) context->ask->backend = "";
    context->ask->result = result == PADIC_ERROR_ASKED ? PADIC_OK : result;
}

// Which backend would do a call that has been checked.
static padic_result padici_run_ask(padici_call *call)
{
    padic_context *context = call->context;
    uint32_t index = 0, first;
    if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
    if ((call->count || !call->row->desc_size) && // of nothing, anyone can
        !padici_call_choose(call, 1, &index, &first))
        return padici_call_refused(call);
    context->ask->backend = context->targets[index].backend->name;
    return PADIC_ERROR_ASKED;
}

// Calls with a desc, of which `copy` has views that can be set to where the work is.
static PADICI_NOINLINE padic_result padici_run_copy(padic_context *context, uint32_t op,
                                                    const void *desc, const padici_op_row *row,
                                                    padici_any_desc *copy)
{
    padici_call call;
    padici_kept_call *seen = padici_kept_call_find(context, op, desc);
    padic_result result;
    if (seen) {
        result = padici_kept_call_run(context, seen, &call, copy);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
    memcpy(copy, desc, row->desc_size);
    result = padici_call_begin(&call, context, op, copy);
    if (result) return result;
    if (context && padici_run_asks(context)) return padici_run_ask(&call);
    if (!context || (!call.count && !(row->rules & PADICI_OP_HELD)))
        return (*row->host)(context ? &context->env : NULL, copy);
    result = padici_run_in(&call);
    if (!result && context->kept_calls && !seen && !context->recording && !context->tuning &&
        (row->rules & PADICI_OP_REPLAY))
        padici_kept_call_note(&call, desc);
    return result;
}

PADICI_FN void padici_run_settle(padic_context *context)
{
    context->at_once = 0;
    if (context->spans || context->recording || context->tuning || context->ask) return;
    context->at_once = PADICI_AT_ONCE_TASKS;
    if (padici_target_is_host(&context->targets[0])) context->at_once |= PADICI_AT_ONCE_CALLS;
}

// The name of the backend that does calls in host memory.
static const char *padici_run_host_name(const padic_context *context)
{
    uint32_t i = 0;
    while (!padici_target_is_host(&context->targets[i])) i++; // the last one is the CPU
    return context->targets[i].backend->name;
}

// What was done at once came after all that `ops` counts.
PADICI_FN padic_op_stats padici_run_stats(const padic_context *context, uint32_t op)
{
    padic_op_stats stats = context->ops[op];
    if (!context->done_at_once[op]) return stats;
    stats.backend = stats.method = padici_run_host_name(context);
    stats.calls += context->done_at_once[op];
    return stats;
}

PADICI_FN padic_op_stats *padici_run_settle_stats(padic_context *context, uint32_t op)
{
    context->ops[op] = padici_run_stats(context, (uint32_t)op);
    context->done_at_once[op] = 0;
    return &context->ops[op];
}

static PADICI_NOINLINE padic_result padici_run_call(padic_context *context, uint32_t op,
                                                    const void *desc, const padici_op_row *row)
{
    padici_any_desc copy; // in a frame of its own: both together are above 4 KiB
    return padici_run_copy(context, op, desc, row, &copy);
}

PADICI_FN PADICI_NOINLINE padic_result padici_run(padic_context *context, uint32_t op,
                                                  const void *desc)
{
    const padici_op_row *row = padici_op_row_of(op); // there is one: only its own entry asks
    const char *before = padici_enter(context, row->name);
    const padic_result result =
        desc ? padici_run_call(context, op, desc, row)
             : padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    padici_run_ended(context, op, result);
    padici_leave(context, before);
    return result;
}

static PADICI_NOINLINE padic_result padici_run_task_in(padic_context *context, uint32_t op,
                                                       void *task)
{
    padici_call call;
    const padic_result result = padici_call_begin(&call, context, op, task);
    if (result) return result;
    return padici_run_asks(context) ? padici_run_ask(&call) : padici_run_in(&call);
}

// A struct of the library's own, which is redirected in place. Where all its operands lie in host
// memory they stay there, and it is check and compute.
PADICI_FN padic_result padici_run_task(padic_context *context, uint32_t op, void *task)
{
    const padici_op_row *row = padici_op_row_of(op);
    const char *before = padici_enter(context, row->name);
    padic_result result = (*row->check)(context, task);
    if (!result && context &&
        (context->spans || context->recording || (*row->operands)(task, NULL))) {
        result = padici_run_task_in(context, op, task);
    } else if (!result && context && context->ask) {
        context->ask->backend = padici_run_host_name(context);
        result = PADIC_ERROR_ASKED;
    } else if (!result) {
        result = (*row->host)(context ? &context->env : NULL, task);
        if (!result) padici_run_counted(context, op);
    }
    padici_run_ended(context, op, result);
    padici_leave(context, before);
    return result;
}

#define PADICI_OP_ENTRY_CALL(NAME, name)                                                         \
    PADIC_API padic_result padic_##name(padic_context *context, const padic_##name##_desc *desc) \
    {                                                                                            \
        return padici_run(context, PADIC_OP_##NAME, desc);                                       \
    }
#define PADICI_OP_ENTRY_QUICK(NAME, name)                                                        \
    PADIC_API padic_result padic_##name(padic_context *context, const padic_##name##_desc *desc) \
    {                                                                                            \
        if (desc && padici_run_may(context, PADICI_AT_ONCE_CALLS) &&                             \
            !padici_##name##_quick(context, desc))                                               \
            return padici_run_counted(context, PADIC_OP_##NAME);                                 \
        return padici_run(context, PADIC_OP_##NAME, desc);                                       \
    }
#define PADICI_OP_ENTRY_TASK(NAME, name)
#define PADICI_OP_ENTRY_NUM(NAME, name)
#define PADICI_OP_ENTRY_LOOP(NAME, name)
#define PADICI_OP_ENTRY(number, NAME, name, kind, by, rules) PADICI_OP_ENTRY_##kind(NAME, name)
PADICI_OPS_HERE(PADICI_OP_ENTRY)
#undef PADICI_OP_ENTRY
#undef PADICI_OP_ENTRY_CALL
#undef PADICI_OP_ENTRY_QUICK
#undef PADICI_OP_ENTRY_TASK
#undef PADICI_OP_ENTRY_NUM
#undef PADICI_OP_ENTRY_LOOP

static padic_result padici_context_ask_named(padic_context *context,
                                             padic_context_ask_report *report)
{
    const padic_result result = padici_refuse(context, "asking");
    if (result) return result;
    context->ask = report;
    padici_run_settle(context);
    if (!report) return PADIC_OK;
    memset(report, 0, sizeof *report);
    report->backend = "";
    return PADIC_OK;
}

PADICI_ENTRY(context_ask, (padic_context *context, padic_context_ask_report *report),
             (context, report))

#endif
