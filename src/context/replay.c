#include "replay.h"
#include "messages.h"
#include "profile.h"
#include "record.h"
#include "recording.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// A recording once more: by the backend that kept it, or call by call.

// One pass over a list.
static padic_result padici_recording_play(padici_target *target, padici_recording *r)
{
    const padic_backend *b = target->backend;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < r->node_count && !result; i++) {
        padici_node *n = &r->nodes[i];
        n->launch.params = n->params;
        if (n->kind == PADICI_NODE_LAUNCH)
            result = (*b->launch)(target->device, &n->launch);
        else if (n->kind == PADICI_NODE_COPY)
            result = (*b->copy)(target->device, n->launch.mem[0], n->at, n->launch.mem[1],
                                n->from_at, n->size);
        else
            result = (*b->fill)(target->device, n->launch.mem[0], n->at, n->word, n->size);
    }
    return result;
}

PADICI_FN const char *padici_recording_method(const padici_recording *r)
{
    return r->native ? "graph" : "list";
}

PADICI_FN padic_result padici_recording_replay(padic_context *context, padici_recording *r,
                                               uint32_t times)
{
    padici_target *target = &context->targets[0];
    padic_result result = padici_target_begin(context, target);
    uint32_t i;
    if (result || !times) return result;
    context->stats.replays += times;
    if (r->native) {
        result = (*target->backend->replay)(target->device, r->handle, times);
    } else {
        for (i = 0; i < times && !result; i++) result = padici_recording_play(target, r);
    }
    return padici_target_end(context, target, result);
}

static padic_result padici_record_replay_named(padic_context *context, padic_record record,
                                               uint32_t times)
{
    padici_recording *r;
    padici_stamp begin;
    padic_result result = padici_refuse(context, "a replay");
    if (result) return result;
    r = padici_recording_find(context, record);
    if (!r) return padici_record_bad(context);
    if (r->stale)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "a buffer of record was destroyed: record again");
    begin = padici_stamp_begin(context, &context->targets[0]);
    result = padici_recording_replay(context, r, times);
    return padici_stamp_end(context, &context->targets[0], &begin, result, "replay",
                            padici_recording_method(r), 0, times);
}

PADICI_ENTRY(record_replay, (padic_context *context, padic_record record, uint32_t times),
             (context, record, times))

#endif
