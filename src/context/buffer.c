#include "buffer.h"
#include "../core/log.h"
#include "grow.h"
#include "kept_calls.h"
#include "messages.h"
#include "operation.h"
#include "pool.h"
#include "recording.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// Buffers. An id is generation << 16 | slot + 1. Free slots wait in a list, last in first out.

PADICI_FN PADICI_NOINLINE padici_slot *padici_slot_find(padic_context *context, padic_buffer buffer)
{
    const uint32_t index = (buffer.id & 0xffffu) - 1u; // of id 0: far beyond
    padici_slot *slot;
    if (index >= context->slot_count) return NULL;
    slot = &context->buffers[index];
    if (!slot->live || slot->generation != buffer.id >> 16) return NULL;
    if (context->recording) padici_recording_note(context, slot, buffer.id);
    return slot;
}

// A slot and its id, ready to be filled.
static padic_result padici_slot_new(padic_context *context, padici_slot **slot,
                                    padic_buffer *buffer)
{
    uint32_t index = context->slot_free;
    padic_result result;
    if (index == PADICI_NO_BLOCK) {
        if (context->slot_count >= 0xffffu)
            return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                    "65,535 buffers are live: destroy some");
        result = padici_grow(context, (void **)&context->buffers, &context->slot_capacity,
                             context->slot_count, sizeof **slot);
        if (result) return result;
        index = context->slot_count++;
        memset(&context->buffers[index], 0, sizeof **slot);
        context->buffers[index].generation = (uint16_t)(context->generation + index);
    } else {
        context->slot_free = context->buffers[index].next;
    }
    *slot = &context->buffers[index];
    (*slot)->generation++;
    (*slot)->noted = 0;
    (*slot)->live = 1;
    buffer->id = (uint32_t)(*slot)->generation << 16 | (index + 1);
    return PADIC_OK;
}

static void padici_slot_free(padic_context *context, padici_slot *slot)
{
    slot->live = 0;
    slot->next = context->slot_free;
    context->slot_free = (uint32_t)(slot - context->buffers);
}

PADICI_FN padic_result padici_buffer_bad(padic_context *context, const char *field)
{
    return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                             "is null, destroyed or another context's");
}

static padic_result padici_buffer_create_named(padic_context *context,
                                               const padic_buffer_desc *desc, padic_buffer *buffer)
{
    padici_slot *slot = NULL;
    padici_place to, from;
    padic_buffer made = {0};
    padic_result result;
    if (!desc || !buffer)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                desc ? "buffer is NULL: give a place for the id"
                                     : "desc is NULL: give one with a size");
    result = padici_refuse(context, "creating a buffer");
    if (result) return result;
    if ((desc->host != NULL) + (desc->native != 0) + (desc->data != NULL) > 1)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "data, host and native are set: a buffer has one of them, or none");
    result = padici_slot_new(context, &slot, &made);
    if (result) return result;
    slot->size = desc->size;
    slot->block = PADICI_NO_BLOCK;
    slot->host = (uint8_t)(desc->host || padici_target_is_host(&context->targets[0]));
    if (desc->host || desc->native) {
        slot->mem.bits = desc->host ? (uint64_t)(uintptr_t)desc->host : desc->native;
    } else {
        result = padici_pool_take(context, &context->pools[0], desc->size, &slot->block);
        if (!result) slot->mem = context->pools[0].blocks[slot->block].mem;
    }
    if (!result && desc->data) {
        to.mem = slot->mem;
        to.at = from.at = 0;
        to.host = slot->host;
        from.mem.bits = (uint64_t)(uintptr_t)desc->data;
        from.host = 1;
        result = padici_target_move(context, &context->targets[0], &to, &from, desc->size);
        if (result) padici_pool_give(context, &context->pools[0], slot->block);
    }
    if (result)
        padici_slot_free(context, slot);
    else
        *buffer = made;
    return result;
}

PADIC_API padic_result padic_buffer_create(padic_context *context, const padic_buffer_desc *desc,
                                           padic_buffer *buffer)
{
    const char *before = padici_enter(context, "buffer_create");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (buffer) buffer->id = 0;
    if (context) result = padici_buffer_create_named(context, desc, buffer);
    padici_leave(context, before);
    return result;
}

static padic_result padici_buffer_destroy_named(padic_context *context, padic_buffer buffer)
{
    padici_slot *slot;
    padic_result result;
    result = padici_refuse(context, "destroying a buffer");
    if (result) return result;
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, "buffer");
    if (slot->noted) padici_recording_forget(context, buffer.id);
    if (slot->noted) padici_kept_call_end_stale(context);
    if (slot->block != PADICI_NO_BLOCK) padici_pool_give(context, &context->pools[0], slot->block);
    padici_slot_free(context, slot);
    return PADIC_OK;
}

PADICI_ENTRY(buffer_destroy, (padic_context *context, padic_buffer buffer), (context, buffer))

static padic_result padici_buffer_info_named(padic_context *context, padic_buffer buffer,
                                             padic_buffer_report *report)
{
    const padici_slot *slot;
    if (!report)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "report is NULL: give a place for it");
    memset(report, 0, sizeof *report);
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, "buffer");
    report->size = slot->size;
    report->native = slot->mem.bits;
    report->borrowed = slot->block == PADICI_NO_BLOCK;
    report->host = slot->host;
    return PADIC_OK;
}

PADICI_ENTRY(buffer_info,
             (padic_context *context, padic_buffer buffer, padic_buffer_report *report),
             (context, buffer, report))

#endif
