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
    int dense = 1;
    o->bytes = count ? padici_tensor_span(t, &dense, &o->before) : 0;
    o->dense = (uint8_t)dense;
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

// Two planes of one kind may be one: an array that is written over.
static int padici_operands_same(const padici_operand *a, const padici_operand *b)
{
    return a->kind && a->kind == b->kind && a->bytes == b->bytes &&
           a->home.host == b->home.host &&
           (a->home.host ? a->home.mem.bits + a->home.at == b->home.mem.bits + b->home.at
                         : a->home.mem.bits == b->home.mem.bits && a->home.at == b->home.at);
}

static padic_result padici_call_apart(const padici_call *call)
{
    uint32_t i, j;
    for (i = 0; i < call->operand_count; i++)
        for (j = 0; j < call->operand_count; j++) {
            const padici_operand *a = &call->operands[i], *b = &call->operands[j];
            if (i != j && a->out && a->bytes && b->bytes && padici_operands_overlap(a, b) &&
                (b->out || !padici_operands_same(a, b)))
                return padici_fail_overlap(call->context, a, b);
        }
    return PADIC_OK;
}

// The views of a desc: each inside its memory.
static padic_result padici_call_views(padici_call *call)
{
    uint32_t i;
    padic_result result;
    for (i = 0; i < call->operand_count; i++) {
        padici_operand *o = &call->operands[i];
        uint64_t count;
        o->block = PADICI_NO_BLOCK;
        o->now = o->home;
        if (!o->tensor) continue;
        result = padici_tensor_check_view(o->tensor, o->any_stride, &count);
        if (result) return padici_fail_view(call->context, result, o->name, o->tensor);
        result = padici_operand_find(call->context, o, count);
        if (result) return result;
        if (count > call->count) call->count = count;
    }
    return PADIC_OK;
}

// Validates everything about a desc, which is a copy. A task has been checked.
PADICI_FN padic_result padici_call_begin(padici_call *call, padic_context *context, uint32_t op,
                                         void *desc)
{
    const padici_op_row *row = padici_op_row_of(op);
    padic_result result;
    call->context = context;
    call->row = row;
    call->desc = (padici_any_desc *)desc;
    call->task = desc;
    call->count = 0;
    call->op = op;
    call->operand_count = 0;
    memset(call->operands, 0, sizeof call->operands);
    call->operand_count = (*row->operands)(desc, call->operands);
    result = padici_call_views(call);
    if (!result && row->desc_size) result = (*row->check)(context, desc);
    return result ? result : padici_call_apart(call);
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
        const uint64_t bytes = o->written && *o->written < o->bytes ? *o->written : o->bytes;
        padici_place home = o->home, now = o->now;
        home.at -= o->before;
        now.at -= o->before;
        context->ops[call->op].staged_bytes += bytes;
        result = padici_target_move(context, &context->targets[0], &home, &now, bytes);
    }
    padici_pool_give(context, &context->pools[o->now.host], o->block);
    o->block = PADICI_NO_BLOCK;
    o->now = o->home;
    return result;
}

#endif
