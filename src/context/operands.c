#include "operands.h"
#include "../core/log.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "buffer.h"
#include "messages.h"
#include "place.h"
#include "pool.h"
#include "target.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// The operands of a call: found, checked against each other, moved to where the target reaches
// them and back.

// Finds the memory of an operand and checks that the view stays inside.
PADICI_FN padic_result padici_operand_find(padic_context *context, padici_operand *o,
                                           uint64_t count)
{
    const padic_tensor *t = o->tensor;
    const uint64_t size = padic_dtype_size(t->dtype);
    const padici_slot *slot;
    uint64_t at;
    o->block = PADICI_NO_BLOCK;
    o->dense = 1;
    o->bytes = count ? padici_tensor_span(t, &o->dense, &o->before) : 0;
    o->home.host = 1;
    o->home.at = o->before;
    o->home.mem.bits = (uint64_t)(uintptr_t)t->data - o->before;
    if (!t->data && t->buffer.id) {
        slot = context ? padici_slot_find(context, t->buffer) : NULL;
        if (!slot)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, o->name,
                                     "is in a buffer that is destroyed or another context's");
        if (!padici_mul_u64(t->offset, size, &at) || at < o->before || o->bytes > slot->size ||
            at - o->before > slot->size - o->bytes)
            return padici_fail_field(context, PADIC_ERROR_REGION, o->name,
                                     "reaches beyond its buffer");
        o->home.mem = slot->mem;
        o->home.at = at;
        o->home.host = slot->host;
    } else if (!t->data && count) {
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, o->name,
                                 "has elements, but neither data nor a buffer");
    }
    o->now = o->home;
    return PADIC_OK;
}

PADICI_FN PADICI_NOINLINE int padici_operands_overlap(const padici_operand *a,
                                                      const padici_operand *b)
{
    padici_place first = a->home, second = b->home;
    first.at -= a->before;
    second.at -= b->before;
    return padici_places_overlap(&first, a->bytes, &second, b->bytes);
}

// "out shares memory with psi".
PADICI_FN padic_result padici_fail_overlap(padic_context *context, const padici_operand *out,
                                           const padici_operand *other)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "shares memory with ");
    padici_text_add(&text, other->name ? other->name : "another tensor");
    return padici_fail_field(context, PADIC_ERROR_OVERLAP, out->name, space);
}

// Copies the desc and validates everything about it.
PADICI_FN padic_result padici_call_begin(padici_call *call, padic_context *context, uint32_t op,
                                         const void *desc)
{
    const padici_op_row *row;
    uint32_t i, j;
    padic_result result;
    memset(call, 0, sizeof *call);
    if (op == PADIC_OP_NONE || op >= PADIC_OP_COUNT)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "supports",
                              "op is no operation: choose a padic_op");
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    row = padici_op_row_of(op);
    if (!row)
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "its area is switched off where the implementation was compiled");
    call->context = context;
    call->op = op;
    memcpy(&call->desc, desc, row->desc_size);
    call->operand_count = (*row->operands)(&call->desc, call->operands);
    for (i = 0; i < call->operand_count; i++) {
        uint64_t count;
        result = padici_tensor_check_view(call->operands[i].tensor, call->operands[i].any_stride,
                                          &count);
        if (result)
            return padici_fail_view(context, result, call->operands[i].name,
                                    call->operands[i].tensor);
        result = padici_operand_find(context, &call->operands[i], count);
        if (result) return result;
        if (count > call->count) call->count = count;
    }
    result = (*row->check)(context, &call->desc);
    if (result) return result;
    for (i = 0; i < call->operand_count; i++)
        for (j = 0; j < call->operand_count; j++) {
            const padici_operand *a = &call->operands[i], *b = &call->operands[j];
            if (i != j && a->out && a->bytes && b->bytes && padici_operands_overlap(a, b))
                return padici_fail_overlap(context, a, b);
        }
    return PADIC_OK;
}

// Moves one operand to where the target can reach it, into a block of the pool there.
PADICI_FN padic_result padici_operand_move(const padici_call *call, padici_operand *o,
                                           const padici_target *target)
{
    padic_context *context = call->context;
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padici_pool *pool = &context->pools[host];
    padici_place home = o->home, now;
    padic_result result = padici_pool_take(context, pool, o->bytes, &o->block);
    if (result) {
        o->block = PADICI_NO_BLOCK;
        return result;
    }
    now.mem = pool->blocks[o->block].mem;
    now.at = 0;
    now.host = host;
    o->now = now;
    o->now.at = o->before;
    home.at -= o->before;
    if (o->out == 1 && o->dense) return PADIC_OK; // all of it will be written
    context->ops[call->op].staged_bytes += o->bytes;
    return padici_target_move(context, &context->targets[0], &now, &home, o->bytes);
}

// Moves what was written back to its home, if the work was done, and gives the block back.
PADICI_FN padic_result padici_operand_return(const padici_call *call, padici_operand *o, int done)
{
    padic_context *context = call->context;
    padic_result result = PADIC_OK;
    if (o->block == PADICI_NO_BLOCK) return PADIC_OK;
    if (done && o->out) {
        context->ops[call->op].staged_bytes += o->bytes;
        result = padici_target_move(context, &context->targets[0], &o->home, &o->now, o->bytes);
    }
    padici_pool_give(context, &context->pools[o->now.host], o->block);
    o->block = PADICI_NO_BLOCK;
    o->now = o->home;
    return result;
}

#endif
