#include "commands.h"
#include "../../core/memory.h"
#include "errors.h"
#include "memory.h"
#include "waiting.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- commands

PADICI_FN padic_result padici_cl_enqueue(padici_cl *cl, const padici_cl_node *n)
{
    if (n->kernel)
        return padici_cl_queued(cl, "clEnqueueNDRangeKernel",
                                (*cl->api.EnqueueNDRangeKernel)(cl->queue, n->kernel, n->dimensions,
                                                                NULL, n->global, n->local, 0, NULL,
                                                                NULL));
    if (n->from.bits)
        return padici_cl_queued(cl, "clEnqueueCopyBuffer",
                                (*cl->api.EnqueueCopyBuffer)(
                                    cl->queue, padici_cl_mem_of(n->from), padici_cl_mem_of(n->to),
                                    n->from_at, n->at, n->size, 0, NULL, NULL));
    return padici_cl_queued(cl, "clEnqueueFillBuffer",
                            (*cl->api.EnqueueFillBuffer)(cl->queue, padici_cl_mem_of(n->to),
                                                         &n->value, sizeof n->value, n->at, n->size,
                                                         0, NULL, NULL));
}

// A new node of the open recording, or NULL if there is no memory.
PADICI_FN padici_cl_node *padici_cl_node_new(padici_cl *cl)
{
    padici_cl_recording *r = cl->recording;
    if (r->count == r->capacity) {
        const uint32_t more = r->capacity ? r->capacity * 2 : 16;
        padici_cl_node *bigger = NULL;
        if (more > r->capacity && more < 0x1000000u)
            bigger = (padici_cl_node *)padici_alloc(cl->env.allocator, more * sizeof *bigger, 16);
        if (!bigger) return NULL;
        if (r->count) memcpy(bigger, r->nodes, r->count * sizeof *bigger);
        padici_free(cl->env.allocator, r->nodes, r->capacity * sizeof *bigger);
        r->nodes = bigger;
        r->capacity = more;
    }
    return &r->nodes[r->count++];
}

// Queues a copy or fill, or records it.
static padic_result padici_cl_command(padici_cl *cl, const padici_cl_node *node)
{
    padici_cl_node *recorded;
    if (!cl->recording) return padici_cl_enqueue(cl, node);
    recorded = padici_cl_node_new(cl);
    if (!recorded) return cl->recording->result = padici_cl_no_memory(cl);
    *recorded = *node;
    return PADIC_OK;
}

PADICI_FN padic_result padici_cl_copy(padic_device *device, padic_mem to, uint64_t at,
                                      padic_mem from, uint64_t from_at, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_node node;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    memset(&node, 0, sizeof node);
    node.to = to;
    node.from = from;
    node.at = (size_t)at;
    node.from_at = (size_t)from_at;
    node.size = (size_t)size;
    return padici_cl_command(cl, &node);
}

PADICI_FN padic_result padici_cl_fill(padic_device *device, padic_mem mem, uint64_t at,
                                      uint32_t value, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_node node;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    memset(&node, 0, sizeof node);
    node.to = mem;
    node.at = (size_t)at;
    node.size = (size_t)size;
    node.value = value;
    return padici_cl_command(cl, &node);
}

PADICI_FN padic_result padici_cl_sync(padic_device *device)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    return cl->lost ? padici_cl_lost(cl) : padici_cl_finish(cl);
}

#endif
