#include "call.h"
#include "../core/log.h"
#include "cpu.h"
#include "messages.h"
#include "operands.h"
#include "profile.h"
#include "recording.h"
#include "state.h"
#include "target.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// Which target does a call, and how; the call itself.

// How a target does the call: 0 not at all, 1 by its own run, 2 by the driver, 3 by kernels.
static int padici_call_way(padici_call *call, padici_target *target)
{
    const padic_backend *backend = target->backend;
    const padici_op_row *row = padici_op_row_of(call->op);
    if (backend->run && !(*backend->run)(target->device, call->op, &call->desc, 1)) return 1;
    if (padici_target_is_host(target)) return 0;
    if (row->driver && !(*row->driver)(call, target, 1)) return 2;
    if (backend->drive && !(*backend->drive)(call->context, call->op, call, 1)) return 3;
    return 0;
}

// Whether a target comes into question: devices reach host operands by moving them, except that
// what moves anyway (a copy) stays on the host when both its ends lie there.
static int padici_call_eligible(const padici_call *call, const padici_target *target)
{
    uint32_t i;
    if (padici_target_is_host(target) || !padici_op_row_of(call->op)->mixed) return 1;
    for (i = 0; i < call->operand_count; i++)
        if (!call->operands[i].home.host) return 1;
    return 0;
}

// The first target that does the call, from number *index on, and how; 0 for none. *first becomes
// the number of the first that comes into question.
PADICI_FN int padici_call_choose(padici_call *call, uint32_t *index, uint32_t *first)
{
    padic_context *context = call->context;
    *first = PADICI_NO_BLOCK;
    for (; *index < context->target_count; ++*index) {
        int way;
        if (!padici_call_eligible(call, &context->targets[*index])) continue;
        if (*first == PADICI_NO_BLOCK) *first = *index;
        way = padici_call_way(call, &context->targets[*index]);
        if (way) return way;
        if (context->strict) break;
    }
    return 0;
}

PADICI_FN padic_result padici_call_refused(const padici_call *call)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padici_op_name(call->op));
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, call->context->targets[0].backend->name);
    padici_text_add(&text, ", and this context is strict: name a second backend or none");
    return padici_fail(call->context, PADIC_ERROR_NOT_SUPPORTED, space);
}

static void padici_call_log_fallback(const padici_call *call, uint32_t first, uint32_t index)
{
    padic_context *context = call->context;
    padici_text text;
    char space[160];
    context->ops[call->op].fallbacks++;
    if (context->logged[call->op]) return;
    context->logged[call->op] = 1;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padici_op_name(call->op));
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, context->targets[first].backend->name);
    padici_text_add(&text, " but by ");
    padici_text_add(&text, context->targets[index].backend->name);
    padici_text_add(&text, " (said once)");
    padici_log_write(&context->log, PADIC_LOG_WARNING, call->op, space);
}

// Does the call on one target. Operands are moved unless it takes them as they lie.
static padic_result padici_call_do(padici_call *call, padici_target *target, int way)
{
    const padici_op_row *row = padici_op_row_of(call->op);
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padic_result result = PADIC_OK, returned;
    uint32_t i;
    int done;
    for (i = 0; i < call->operand_count && !result; i++) {
        padici_operand *o = &call->operands[i];
        if (o->now.host != host && o->bytes && !(way == 2 && row->mixed))
            result = padici_operand_move(call, o, target);
        o->tensor->buffer.id = 0;
        o->tensor->offset = o->now.at / padic_dtype_size(o->tensor->dtype);
        o->tensor->data = (void *)(uintptr_t)o->now.mem.bits;
        if (host) { // host pointers need no offset
            o->tensor->data = padici_mem_at(o->now.mem, o->now.at);
            o->tensor->offset = 0;
        }
    }
    if (!result && way == 2) {
        result = (*row->driver)(call, target, 0);
    } else if (!result && way == 3) {
        result = (*target->backend->drive)(call->context, call->op, call, 0);
    } else if (!result) {
        result = padici_target_begin(call->context, target);
        if (!result) result = (*target->backend->run)(target->device, call->op, &call->desc, 0);
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            result = padici_target_end(call->context, target, result);
    }
    done = !result || (row->partial && (result == PADIC_ERROR_NOT_FINITE ||
                                        result == PADIC_ERROR_DOMAIN));
    for (i = 0; i < call->operand_count; i++) {
        returned = padici_operand_return(call, &call->operands[i], done);
        if (!result) result = returned;
    }
    return result;
}

// While recording, only work that the device keeps: its launches, or its own way when it records.
static padic_result padici_call_recordable(const padici_call *call, uint32_t index, int way)
{
    padic_context *context = call->context;
    if (!context->recording || (!index && way >= 2)) return PADIC_OK;
    if (!index && context->recordings[context->recording - 1].native) return PADIC_OK;
    return padici_refuse(context, "an operation that the device does not do by launches");
}

PADICI_FN padic_result padici_call_run(padici_call *call, uint32_t *index)
{
    padic_context *context = call->context;
    uint32_t first = PADICI_NO_BLOCK, should = PADICI_NO_BLOCK;
    padic_result result;
    *index = 0;
    if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
    do { // a backend may still say NOT_SUPPORTED when it sees the memory: the next one, then
        const int way = padici_call_choose(call, index, &first);
        if (!way) return padici_call_refused(call);
        if (should == PADICI_NO_BLOCK) should = first;
        context->method = context->targets[*index].backend->name;
        result = padici_call_recordable(call, *index, way);
        if (!result) result = padici_call_do(call, &context->targets[*index], way);
    } while (result == PADIC_ERROR_NOT_SUPPORTED && !context->strict &&
             ++*index < context->target_count);
    if (result == PADIC_ERROR_NOT_SUPPORTED) return padici_call_refused(call);
    if (!result && *index != should) padici_call_log_fallback(call, should, *index);
    return result;
}

PADICI_FN padic_result padici_run_in(padici_call *call)
{
    padic_context *context = call->context;
    padic_op_stats *stats = &context->ops[call->op];
    padici_stamp begin = padici_stamp_begin(context, &context->targets[0]);
    padici_target *target;
    uint64_t bytes = 0;
    uint32_t index, i;
    padic_result result = padici_call_run(call, &index);
    for (i = 0; i < call->operand_count; i++) bytes += call->operands[i].bytes;
    target = &context->targets[index < context->target_count ? index : 0];
    result = padici_stamp_end(context, target, &begin, result, padici_op_name(call->op),
                              context->method, bytes, 0);
    if (result && context->recording && !context->recording_broken)
        context->recording_broken = result;
    if (result) return result;
    stats->calls++;
    stats->backend = target->backend->name;
    stats->method = context->method;
    return PADIC_OK;
}

#endif
