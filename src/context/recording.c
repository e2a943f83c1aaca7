#include "recording.h"
#include "../core/log.h"
#include "grow.h"
#include "messages.h"

#if PADICI_IMPLEMENT_CORE

// What calls leave in an open recording: nodes, and the buffers that they use.

// What cannot be part of a recording, refused before the driver sees it.
PADICI_FN PADICI_NOINLINE padic_result padici_refuse(padic_context *context, const char *what)
{
    padici_text text;
    char space[160];
    if (!context->recording) return PADIC_OK;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, what);
    padici_text_add(&text, " cannot be recorded: do it before padic_record_begin()");
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT, space);
}

// A call failed, and said why: the recording that is open, if there is one, will end with that.
PADICI_FN void padici_recording_break(padic_context *context, padic_result result)
{
    if (!result || !context || !context->recording || context->recording_broken) return;
    context->recording_broken = result;
    memcpy(context->recording_message, context->message, sizeof context->message);
}

// A call that is being recorded: NULL when it is not, or when the backend itself keeps it. Without
// memory the recording is broken and the node goes nowhere.
PADICI_FN padic_result padici_node_new(padic_context *context, const padici_target *target,
                                       padici_node **node)
{
    padici_recording *r;
    padic_result result = PADIC_OK;
    *node = NULL;
    if (!context->recording || target != &context->targets[0]) return PADIC_OK;
    r = &context->recordings[context->recording - 1];
    context->stats.recorded_nodes++;
    if (r->native) return PADIC_OK;
    result = padici_grow(context, (void **)&r->nodes, &r->node_capacity, r->node_count,
                         sizeof *r->nodes);
    padici_recording_break(context, result);
    if (result) return result;
    *node = &r->nodes[r->node_count++];
    memset(*node, 0, sizeof **node);
    return PADIC_OK;
}

// The recording uses a buffer: the first time, it keeps the id.
PADICI_FN void padici_recording_note(padic_context *context, padici_slot *slot, uint32_t id)
{
    padici_recording *r = &context->recordings[context->recording - 1];
    padic_result result;
    if (slot->noted == context->recording_serial) return;
    result = padici_grow(context, (void **)&r->buffers, &r->buffer_capacity, r->buffer_count,
                         sizeof *r->buffers);
    padici_recording_break(context, result);
    if (result) return;
    slot->noted = context->recording_serial;
    r->buffers[r->buffer_count++] = id;
}

// A buffer is gone, and with it what the recordings that use it are good for.
PADICI_FN void padici_recording_forget(padic_context *context, uint32_t id)
{
    uint32_t i, j;
    for (i = 0; i < context->recording_count; i++) {
        padici_recording *r = &context->recordings[i];
        for (j = 0; r->live && j < r->buffer_count; j++)
            if (r->buffers[j] == id) r->stale = 1;
    }
}

#endif
