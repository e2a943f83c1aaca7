#include "kept_calls.h"
#include "../core/splitmix.h"
#include "call.h"
#include "operands.h"
#include "profile.h"
#include "record.h"
#include "recording.h"
#include "replay.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// Calls that LOW_OVERHEAD keeps: seen twice, they are recorded, and replayed from then on.

static PADICI_NOINLINE void padici_kept_call_end(padic_context *context, padici_kept_call *seen)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    if (r) padici_recording_free(context, r);
    memset(seen, 0, sizeof *seen);
}

PADICI_FN void padici_kept_call_end_stale(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->kept_calls && i < PADICI_KEPT_CALLS; i++) {
        const padici_recording *r = padici_recording_find(context, context->kept_calls[i].record);
        if (r && r->stale) padici_kept_call_end(context, &context->kept_calls[i]);
    }
}

PADICI_FN void padici_kept_call_end_all(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->kept_calls && i < PADICI_KEPT_CALLS; i++)
        padici_kept_call_end(context, &context->kept_calls[i]);
}

// The entry of a call that was seen before, or NULL.
PADICI_FN padici_kept_call *padici_kept_call_find(padic_context *context, uint32_t op,
                                                  const void *desc)
{
    const padici_op_row *row = padici_op_row_of(op);
    uint64_t hash;
    uint32_t i, size;
    if (!context || !context->kept_calls || context->recording || context->tuning ||
        context->ask || !desc ||
        !(row->rules & PADICI_OP_REPLAY))
        return NULL;
    size = row->desc_size;
    hash = padici_checksum(desc, size, op);
    context->op_calls++;
    for (i = 0; i < PADICI_KEPT_CALLS; i++) {
        padici_kept_call *seen = &context->kept_calls[i];
        if (seen->op != op || seen->hash != hash || memcmp(&seen->desc, desc, size)) continue;
        seen->used = context->op_calls;
        return seen;
    }
    return NULL;
}

// A call ran for the first time: it takes the place of the one unused longest, if all its operands
// lie on the device.
PADICI_FN void padici_kept_call_note(const padici_call *call, const void *desc)
{
    padic_context *context = call->context;
    const uint32_t size = call->row->desc_size;
    padici_kept_call *place = context->kept_calls;
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].home.host) return;
    for (i = 1; i < PADICI_KEPT_CALLS; i++)
        if (context->kept_calls[i].used < place->used) place = &context->kept_calls[i];
    padici_kept_call_end(context, place);
    memcpy(&place->desc, desc, size);
    place->hash = padici_checksum(desc, size, call->op);
    place->used = context->op_calls;
    place->op = call->op;
    for (i = 0; i < call->operand_count; i++) place->bytes += call->operands[i].bytes;
}

// Does a call by replay, recording it first when this is the second time. NOT_SUPPORTED: run it.
// `call` and `copy` are space to do so.
PADICI_FN padic_result padici_kept_call_run(padic_context *context, padici_kept_call *seen,
                                            padici_call *call, padici_any_desc *copy)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    padici_stamp begin;
    padic_result result;
    uint32_t index;
    if (seen->refused || (r && r->stale)) {
        if (r) padici_kept_call_end(context, seen);
        return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (!r) {
        context->quiet++;
        result = padic_record_begin(context);
        if (!result) { // from here on buffers are noted
            *copy = seen->desc;
            result = padici_call_begin(call, context, seen->op, copy);
            if (!result) result = padici_call_run(call, &index);
            padici_recording_break(context, result);
            (void)padic_record_end(context, &seen->record);
        }
        context->quiet--;
        r = padici_recording_find(context, seen->record);
        if (!r) {
            seen->refused = 1; // also for want of memory: as it was before is good enough
            return PADIC_ERROR_NOT_SUPPORTED;
        }
    }
    begin = padici_stamp_begin(context, &context->targets[0]);
    result = padici_recording_replay(context, r, 1);
    result = padici_stamp_end(context, &context->targets[0], &begin, result,
                              padici_op_name(seen->op), padici_recording_method(r),
                              seen->bytes, 1);
    context->ops[seen->op].calls += !result;
    context->ops[seen->op].method = padici_recording_method(r);
    return result;
}

#endif
