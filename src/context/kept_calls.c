#include "kept_calls.h"
#include "../core/splitmix.h"
#include "call.h"
#include "operands.h"
#include "profile.h"
#include "record.h"
#include "replay.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// Calls that LOW_OVERHEAD keeps: seen twice, they are recorded, and replayed from then on.

// Whether a desc points at nothing but its tensors, so that equal bytes are the same work.
PADICI_FN int padici_auto_may(uint32_t op, const void *desc)
{
    switch (op) {
    case PADIC_OP_FILL: return !((const padic_fill_desc *)desc)->value;
#ifndef PADIC_NO_WAVE
    case PADIC_OP_WAVE_SUPERPOSE:
        return !((const padic_wave_superpose_desc *)desc)->report &&
               !((const padic_wave_superpose_desc *)desc)->tone.table;
    case PADIC_OP_WAVE_OBSERVE: return 1;
    case PADIC_OP_WAVE_PHASE_GRADIENT:
        return !((const padic_wave_phase_gradient_desc *)desc)->report;
#endif
#ifndef PADIC_NO_TENSOR
    case PADIC_OP_TENSOR_GEMM: return !((const padic_tensor_gemm_desc *)desc)->groups;
    case PADIC_OP_TENSOR_CONTRACT:
#endif
    case PADIC_OP_COPY:
    case PADIC_OP_RANDOM_FILL: return 1;
    default: return 0;
    }
}

static PADICI_NOINLINE void padici_auto_end(padic_context *context, padici_auto *seen)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    if (r) padici_recording_free(context, r);
    memset(seen, 0, sizeof *seen);
}

PADICI_FN void padici_auto_end_stale(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->autos && i < PADICI_AUTO_COUNT; i++) {
        const padici_recording *r = padici_recording_find(context, context->autos[i].record);
        if (r && r->stale) padici_auto_end(context, &context->autos[i]);
    }
}

PADICI_FN void padici_auto_end_all(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->autos && i < PADICI_AUTO_COUNT; i++)
        padici_auto_end(context, &context->autos[i]);
}

// The entry of a call that was seen before, or NULL.
PADICI_FN padici_auto *padici_auto_find(padic_context *context, uint32_t op, const void *desc)
{
    uint64_t hash;
    uint32_t i, size;
    if (!context || !context->autos || context->recording || context->tuning || !desc ||
        op >= PADIC_OP_COUNT || !padici_auto_may(op, desc))
        return NULL;
    size = padici_op_row_of(op)->desc_size;
    hash = padici_checksum(desc, size, op);
    context->auto_calls++;
    for (i = 0; i < PADICI_AUTO_COUNT; i++) {
        padici_auto *seen = &context->autos[i];
        if (seen->op != op || seen->hash != hash || memcmp(&seen->desc, desc, size)) continue;
        seen->used = context->auto_calls;
        return seen;
    }
    return NULL;
}

// A call ran for the first time: it takes the place of the one unused longest.
PADICI_FN void padici_auto_note(const padici_call *call, const void *desc)
{
    padic_context *context = call->context;
    const uint32_t size = padici_op_row_of(call->op)->desc_size;
    padici_auto *place = context->autos;
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].home.host) return;
    for (i = 1; i < PADICI_AUTO_COUNT; i++)
        if (context->autos[i].used < place->used) place = &context->autos[i];
    padici_auto_end(context, place);
    memcpy(&place->desc, desc, size);
    place->hash = padici_checksum(desc, size, call->op);
    place->used = context->auto_calls;
    place->op = call->op;
    for (i = 0; i < call->operand_count; i++) place->bytes += call->operands[i].bytes;
}

// Does a call by replay, recording it first when this is the second time. NOT_SUPPORTED: run it.
// `call` is space to do so.
PADICI_FN padic_result padici_auto_run(padic_context *context, padici_auto *seen, padici_call *call)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    padici_stamp begin;
    padic_result result;
    uint32_t index;
    if (seen->refused || (r && r->stale)) {
        if (r) padici_auto_end(context, seen);
        return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (!r) {
        context->quiet++;
        result = padic_record_begin(context);
        if (!result) { // from here on buffers are noted
            result = padici_call_begin(call, context, seen->op, &seen->desc);
            if (!result) result = padici_call_run(call, &index);
            if (result && !context->recording_broken) context->recording_broken = result;
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
