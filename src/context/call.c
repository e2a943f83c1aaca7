#include "call.h"
#include "base.h"
#include "../core/log.h"
#include "cpu.h"
#include "messages.h"
#include "operands.h"
#include "profile.h"
#include "recording.h"
#include "run.h"
#include "state.h"
#include "target.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// Which target does a call, and how; the call itself.

enum { // how a target does a call
    PADICI_WAY_NONE = 0,
    PADICI_WAY_OWN,     // its own way of the operation, of its table
    PADICI_WAY_HOST,    // the plain reference, in host memory
    PADICI_WAY_DEVICE,  // by copy and fill
    PADICI_WAY_KERNELS  // by kernels: its `drive`
};

// Ways that every device has: they take copy and fill, no kernels.
static padic_result padici_call_on_device(const padici_call *call, padici_target *target, int query)
{
    switch (call->op) {
    case PADIC_OP_FILL: return padici_fill_device(call, target, query);
    case PADIC_OP_COPY: return padici_copy_device(call, target, query);
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
}

// Whether an operand stays where it is, on whichever target the work runs.
static int padici_operand_stays(const padici_operand *o)
{
    return !o->tensor && !o->pointer;
}

// Whether the operands lie where the target's kernels find them.
static int padici_call_lies_at(const padici_call *call, const padici_target *target)
{
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].bytes && call->operands[i].home.host != host) return 0;
    return 1;
}

// How a target does the call. Its kernels are asked only where operands would have to be moved
// first: else the call itself says what they do not do, before it touches memory. It also says that
// there is no memory, where the question found none.
static int padici_call_way(padici_call *call, padici_target *target, int asked)
{
    const padic_backend *backend = target->backend;
    const padic_backend_op *own = target->ops[call->op];
    padic_result result;
    if (own && (!own->supports || !(*own->supports)(target->device, call->op, call->desc)))
        return PADICI_WAY_OWN;
    if (backend->flags & PADIC_BACKEND_PLAIN) return PADICI_WAY_HOST;
    if (padici_target_is_host(target)) return PADICI_WAY_NONE;
    if (!padici_call_on_device(call, target, 1)) return PADICI_WAY_DEVICE;
    if (!backend->drive) return PADICI_WAY_NONE;
    if (!asked && padici_call_lies_at(call, target)) return PADICI_WAY_KERNELS;
    result = (*backend->drive)(call->context, call->op, call, 1);
    return !result || result == PADIC_ERROR_MEMORY ? PADICI_WAY_KERNELS : PADICI_WAY_NONE;
}

// Whether a target comes into question: devices reach host operands by moving them, except that
// what moves anyway (a copy), and a task, stay on the host when all lies there.
static int padici_call_eligible(const padici_call *call, const padici_target *target)
{
    uint32_t i;
    if (padici_target_is_host(target) ||
        (call->row->desc_size && !(call->row->rules & PADICI_OP_MIXED)))
        return 1;
    for (i = 0; i < call->operand_count; i++)
        if (!call->operands[i].home.host) return 1;
    return 0;
}

// The first target that does the call, from number *index on, and how; 0 for none. *first becomes
// the number of the first that comes into question. `asked`: only the answer is needed, no work. A
// backend in host memory does the loops of a task, if not the task: that is no fallback.
PADICI_FN int padici_call_choose(padici_call *call, int asked, uint32_t *index, uint32_t *first)
{
    padic_context *context = call->context;
    *first = PADICI_NO_BLOCK;
    for (; *index < context->target_count; ++*index) {
        padici_target *target = &context->targets[*index];
        const int loops = !call->row->desc_size && padici_target_is_host(target);
        int way;
        if (!padici_call_eligible(call, target)) continue;
        way = padici_call_way(call, target, asked);
        if (*first == PADICI_NO_BLOCK && (way || !loops)) *first = *index;
        if (way) return way;
        if (context->strict && !loops) break;
    }
    return 0;
}

PADICI_FN padic_result padici_call_refused(const padici_call *call)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, call->row->name);
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
    if (context->logged[call->op] & PADICI_LOGGED_FALLBACK) return;
    context->logged[call->op] |= PADICI_LOGGED_FALLBACK;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, call->row->name);
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, context->targets[first].backend->name);
    padici_text_add(&text, " but by ");
    padici_text_add(&text, context->targets[index].backend->name);
    padici_text_add(&text, " (said once)");
    padici_log_write(&context->log, PADIC_LOG_WARNING, call->op, space);
}

// Moves operands to where the target reaches them, and tells a host where that is.
static padic_result padici_call_stage_in(padici_call *call, padici_target *target, int way)
{
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < call->operand_count && !result; i++) {
        padici_operand *o = &call->operands[i];
        if (padici_operand_stays(o)) continue;
        if (o->now.host != host && o->bytes &&
            !(way == PADICI_WAY_DEVICE && (call->row->rules & PADICI_OP_MIXED)))
            result = padici_operand_move(call, o, target);
        if (result) break;
        if (!host && o->tensor && way == PADICI_WAY_OWN) {
            o->tensor->data = NULL;
            o->tensor->buffer.id = 0;
            o->tensor->offset = o->now.at / padic_dtype_size(o->tensor->dtype);
        }
        if (!host) continue;
        if (o->pointer) *o->pointer = padici_mem_at(o->now.mem, o->now.at);
        if (!o->tensor) continue;
        o->tensor->data = padici_mem_at(o->now.mem, o->now.at);
        o->tensor->buffer.id = 0;
        o->tensor->offset = 0;
    }
    return result;
}

static padic_result padici_call_stage_out(padici_call *call, int done)
{
    padic_result result = PADIC_OK, returned;
    uint32_t i;
    for (i = 0; i < call->operand_count; i++) {
        returned = padici_operand_return(call, &call->operands[i], done);
        if (!result) result = returned;
    }
    return result;
}

static padic_result padici_call_own(padici_call *call, padici_target *target)
{
    const padic_backend_op *own = target->ops[call->op];
    padic_mem mem[PADICI_MAX_OPERANDS];
    uint32_t i, n = 0;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].tensor) mem[n++] = call->operands[i].now.mem;
    return (*own->run)(target->device, call->op, call->desc,
                       padici_target_is_host(target) ? NULL : mem);
}

// The work itself, its operands in place.
static padic_result padici_call_work(padici_call *call, padici_target *target, int way)
{
    padic_context *context = call->context;
    const uint32_t said = context->said;
    padic_result result;
    if (way == PADICI_WAY_DEVICE) return padici_call_on_device(call, target, 0);
    if (way == PADICI_WAY_KERNELS)
        return (*target->backend->drive)(context, call->op, call, 0);
    result = padici_target_begin(context, target);
    if (result) return result;
    result = PADIC_ERROR_NOT_SUPPORTED;
    if (way == PADICI_WAY_OWN)
        result = padici_call_own(call, target);
    if (result == PADIC_ERROR_NOT_SUPPORTED && (target->backend->flags & PADIC_BACKEND_PLAIN))
        result = (*call->row->host)(&context->env, call->desc);
    if (result == PADIC_ERROR_NOT_SUPPORTED || context->said != said) return result;
    return padici_target_end(context, target, result);
}

// Does the call on one target.
static padic_result padici_call_do(padici_call *call, padici_target *target, int way)
{
    padic_result result = padici_call_stage_in(call, target, way), returned;
    int done;
    if (!result) result = padici_call_work(call, target, way);
    done = !result || ((call->row->rules & PADICI_OP_PARTIAL) &&
                       (result == PADIC_ERROR_NOT_FINITE || result == PADIC_ERROR_DOMAIN)) ||
           ((call->row->rules & PADICI_OP_LISTS) && result == PADIC_ERROR_CAPACITY);
    returned = padici_call_stage_out(call, done);
    return result ? result : returned;
}

// While recording, only work that the device keeps: its launches, or its own way when it records.
static padic_result padici_call_recordable(const padici_call *call, uint32_t index, int way)
{
    padic_context *context = call->context;
    if (!context->recording || (!index && way >= PADICI_WAY_DEVICE)) return PADIC_OK;
    if (!index && context->recordings[context->recording - 1].native) return PADIC_OK;
    return padici_refuse(context, "an operation that the device does not do by launches");
}

PADICI_FN padic_result padici_call_run(padici_call *call, uint32_t *index)
{
    padic_context *context = call->context;
    const uint32_t said = context->said;
    uint32_t first = PADICI_NO_BLOCK, should = PADICI_NO_BLOCK;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    *index = 0;
    if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
    do { // a backend may say NOT_SUPPORTED when it sees the memory: then the next one is tried
        const int way = padici_call_choose(call, 0, index, &first);
        if (!way) break;
        if (should == PADICI_NO_BLOCK) should = first;
        context->method = context->targets[*index].backend->name;
        result = padici_call_recordable(call, *index, way);
        if (!result) result = padici_call_do(call, &context->targets[*index], way);
    } while (result == PADIC_ERROR_NOT_SUPPORTED && !context->strict &&
             ++*index < context->target_count);
    if (result == PADIC_ERROR_NOT_SUPPORTED) // unless the call has said what it does not take
        return context->said != said ? result : padici_call_refused(call);
    if (!result && *index != should) padici_call_log_fallback(call, should, *index);
    return result;
}

PADICI_FN padic_result padici_run_in(padici_call *call)
{
    padic_context *context = call->context;
    padic_op_stats *stats = padici_run_settle_stats(context, call->op);
    padici_stamp begin = padici_stamp_begin(context, &context->targets[0]);
    padici_target *target;
    uint64_t bytes = 0;
    uint32_t index, i;
    padic_result result = padici_call_run(call, &index);
    for (i = 0; i < call->operand_count; i++) bytes += call->operands[i].bytes;
    target = &context->targets[index < context->target_count ? index : 0];
    result = padici_stamp_end(context, target, &begin, result, call->row->name,
                              context->method, bytes, 0);
    padici_recording_break(context, result);
    if (result) return result;
    stats->calls++;
    stats->backend = target->backend->name;
    stats->method = context->method;
    return PADIC_OK;
}

#endif
