#include "target.h"
#include "../core/log.h"
#include "cpu.h"
#include "messages.h"
#include "profile.h"
#include "recording.h"

#if PADICI_IMPLEMENT_CORE

// The device interface: each wrapper asks begin() first and passes the answer through end().

PADICI_FN PADICI_NOINLINE padic_result padici_target_begin(padic_context *context,
                                                           padici_target *target)
{
    context->driver_message[0] = 0;
    if (!target->lost) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_DEVICE_LOST,
                            padic_result_text(PADIC_ERROR_DEVICE_LOST));
}

// On failure keeps the backend's sentence, or makes one.
PADICI_FN padic_result padici_target_end(padic_context *context, padici_target *target,
                                         padic_result result)
{
    padici_text text;
    if (!result) return PADIC_OK;
    if (result == PADIC_ERROR_DEVICE_LOST) target->lost = 1;
    if (!context->driver_message[0]) {
        padici_text_begin(&text, context->driver_message, sizeof context->driver_message);
        padici_text_add(&text, target->backend->name);
        padici_text_add(&text, ": ");
        padici_text_add(&text, padic_result_text(result));
    }
    result = padici_fail_here(context, result, context->driver_message);
    padici_recording_break(context, result);
    return result;
}

PADICI_FN int padici_target_is_host(const padici_target *target)
{
    return (target->backend->flags & PADIC_BACKEND_HOST) != 0;
}

PADICI_FN padic_result padici_target_fill(padic_context *context, padici_target *target,
                                          padic_mem mem, uint64_t at, uint32_t word, uint64_t size)
{
    padici_node *node;
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_FILL;
        node->launch.mem[0] = mem;
        node->at = at;
        node->word = word;
        node->size = size;
        return PADIC_OK;
    }
    context->stats.fills += !context->recording;
    return padici_target_end(context, target,
                             (*target->backend->fill)(target->device, mem, at, word, size));
}

// A launch that has been checked.
PADICI_FN padic_result padici_target_launch(padic_context *context, padici_target *target,
                                            const padic_launch *launch)
{
    padici_node *node;
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_LAUNCH;
        node->launch = *launch;
        node->launch.params = NULL; // found in the node, which may move
        memcpy(node->params, launch->params, launch->params_size);
        return PADIC_OK;
    }
    context->stats.launches += !context->recording;
    return padici_target_end(context, target, (*target->backend->launch)(target->device, launch));
}

PADICI_FN padic_result padici_target_sync(padic_context *context, padici_target *target)
{
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_refuse(context, "waiting for the device");
    if (result) return result;
    context->stats.syncs++;
    result = padici_target_end(context, target, (*target->backend->sync)(target->device));
    if (!result && target == &context->targets[0]) padici_profile_settle(context);
    return result;
}

static padic_result padici_target_copy(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size)
{
    padici_node *node;
    padic_result result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_COPY;
        node->launch.mem[0] = to->mem;
        node->launch.mem[1] = from->mem;
        node->at = to->at;
        node->from_at = from->at;
        node->size = size;
        return PADIC_OK;
    }
    context->stats.copies += !context->recording;
    return padici_target_end(context, target,
                             (*target->backend->copy)(target->device, to->mem, to->at, from->mem,
                                                      from->at, size));
}

// Between two places, of which those that are not host memory belong to `target`.
PADICI_FN padic_result padici_target_move(padic_context *context, padici_target *target,
                                          const padici_place *to, const padici_place *from,
                                          uint64_t size)
{
    padic_result result = padici_target_begin(context, target);
    const padic_backend *backend = target->backend;
    if (result || !size) return result;
    if (!to->host && !from->host) return padici_target_copy(context, target, to, from, size);
    result = padici_refuse(context, "moving memory to or from the host");
    if (result) return result;
    if (to->host && from->host) {
        memcpy(padici_mem_at(to->mem, to->at), padici_mem_at(from->mem, from->at), (size_t)size);
        context->stats.copies++;
    } else if (to->host) {
        result = (*backend->download)(target->device, from->mem, from->at,
                                      padici_mem_at(to->mem, to->at), size);
        context->stats.downloads++;
        context->stats.download_bytes += size;
    } else {
        result = (*backend->upload)(target->device, to->mem, to->at,
                                    padici_mem_at(from->mem, from->at), size);
        context->stats.uploads++;
        context->stats.upload_bytes += size;
    }
    return padici_target_end(context, target, result);
}

#endif
