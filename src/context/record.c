#include "record.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "grow.h"
#include "messages.h"
#include "operation.h"
#include "pool.h"
#include "recording.h"
#include "run.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// Recordings. An id is made like a buffer's.

PADICI_FN padici_recording *padici_recording_find(padic_context *context, padic_record record)
{
    const uint32_t index = (record.id & 0xffffu) - 1u;
    padici_recording *r;
    if (index >= context->recording_count) return NULL;
    r = &context->recordings[index];
    return r->live && r->generation == record.id >> 16 ? r : NULL;
}

static padic_result padici_recording_new(padic_context *context, uint32_t *index)
{
    padici_recording *r;
    padic_result result;
    *index = context->recording_free;
    if (*index == PADICI_NO_BLOCK) {
        if (context->recording_count >= 0xffffu)
            return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                    "65,535 recordings are live: drop some");
        result = padici_grow(context, (void **)&context->recordings, &context->recording_capacity,
                             context->recording_count, sizeof *r);
        if (result) return result;
        *index = context->recording_count++;
        memset(&context->recordings[*index], 0, sizeof *r);
        context->recordings[*index].generation = (uint16_t)(context->generation + *index);
    } else {
        context->recording_free = context->recordings[*index].next;
    }
    r = &context->recordings[*index];
    r->generation++;
    r->live = 1;
    r->held = PADICI_NO_BLOCK;
    return PADIC_OK;
}

// Frees all that a recording has; no recording is open. The backend's own is gone on a lost device.
PADICI_FN void padici_recording_free(padic_context *context, padici_recording *r)
{
    padici_target *target = &context->targets[0];
    if (r->handle && !target->lost)
        (void)(*target->backend->record)(target->device, PADIC_RECORD_DROP, &r->handle);
    while (r->held != PADICI_NO_BLOCK) {
        const uint32_t index = r->held;
        r->held = context->pools[0].blocks[index].next;
        padici_pool_give(context, &context->pools[0], index);
    }
    padici_free(&context->allocator, r->nodes, r->node_capacity * sizeof *r->nodes);
    padici_free(&context->allocator, r->buffers, r->buffer_capacity * sizeof *r->buffers);
    r->handle = NULL;
    r->nodes = NULL;
    r->buffers = NULL;
    r->node_count = r->node_capacity = r->buffer_count = r->buffer_capacity = 0;
    r->live = r->native = r->stale = 0;
    r->next = context->recording_free;
    context->recording_free = (uint32_t)(r - context->recordings);
}

static padic_result padici_record_begin_named(padic_context *context)
{
    padici_target *target = &context->targets[0];
    uint32_t index;
    padic_result result = padici_target_begin(context, target);
    if (result) return result;
    if (context->ask)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "calls are only asked: end that with padic_context_ask() before");
    if (context->recording)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "a recording was begun already: end it with padic_record_end()");
    if (padici_target_is_host(target))
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "in host memory there is nothing to record: call the operations");
    result = padici_recording_new(context, &index);
    if (result) return result;
    if (target->backend->record && target->backend->replay) {
        padici_recording *r = &context->recordings[index];
        result = (*target->backend->record)(target->device, PADIC_RECORD_BEGIN, &r->handle);
        r->handle = NULL;
        r->native = !result;
        if (result && result != PADIC_ERROR_NOT_SUPPORTED) { // then it is kept as a list
            padici_recording_free(context, r);
            return padici_target_end(context, target, result);
        }
    }
    context->recording = index + 1;
    padici_run_settle(context);
    context->recording_serial++;
    context->recording_broken = PADIC_OK;
    return PADIC_OK;
}

PADICI_ENTRY(record_begin, (padic_context *context), (context))

// "record_end: nothing was recorded: copy: to shares memory with from".
static padic_result padici_record_broken(padic_context *context)
{
    char space[512];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "nothing was recorded: ");
    padici_text_add(&text, context->recording_message);
    return padici_fail_here(context, context->recording_broken, space);
}

static padic_result padici_record_end_named(padic_context *context, padic_record *record)
{
    padici_target *target;
    padici_recording *r;
    padic_recording *none = NULL;
    padic_result result;
    if (!context->recording)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "no recording was begun: call padic_record_begin() first");
    target = &context->targets[0];
    r = &context->recordings[context->recording - 1];
    context->recording = 0;
    padici_run_settle(context);
    result = record && context->recording_broken ? padici_record_broken(context) : PADIC_OK;
    if (r->native && (result || !record)) {
        if (!target->lost)
            (void)(*target->backend->record)(target->device, PADIC_RECORD_DROP, &none);
    } else if (r->native) {
        padic_result ended = padici_target_begin(context, target);
        if (!ended)
            ended = padici_target_end(context, target,
                                      (*target->backend->record)(target->device, PADIC_RECORD_END,
                                                                 &r->handle));
        result = ended;
    }
    if (result || !record)
        padici_recording_free(context, r);
    else
        record->id = (uint32_t)r->generation << 16 | ((uint32_t)(r - context->recordings) + 1);
    return result;
}

PADIC_API padic_result padic_record_end(padic_context *context, padic_record *record)
{
    const char *before = padici_enter(context, "record_end");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (record) record->id = 0;
    if (context) result = padici_record_end_named(context, record);
    padici_leave(context, before);
    return result;
}

PADICI_FN padic_result padici_record_bad(padic_context *context)
{
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                            "record is null, dropped or another context's");
}

static padic_result padici_record_drop_named(padic_context *context, padic_record record)
{
    padici_recording *r;
    padic_result result = padici_refuse(context, "dropping a recording");
    if (result) return result;
    r = padici_recording_find(context, record);
    if (!r) return padici_record_bad(context);
    padici_recording_free(context, r);
    return PADIC_OK;
}

PADICI_ENTRY(record_drop, (padic_context *context, padic_record record), (context, record))

#endif
