#include "../context/messages.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "happy.h"

#if PADICI_IMPLEMENT_TENSOR

// Minimal cuts through the tiles by maximal flow, and the entanglement wedge of a region.

// A search in the graph of tiles for one more unit of flow. flow: of each slot, out of its tile.
typedef struct padici_tensor_flow {
    const padic_tensor_happy *happy;
    const uint64_t *part;
    uint32_t *queue, *from; // of a tile: the slot by which it was reached + 1
    int8_t *flow;
} padici_tensor_flow;

static int padici_tensor_flow_inside(const padici_tensor_flow *f, uint32_t link)
{
    const uint32_t leg = link - PADIC_TENSOR_HAPPY_LEG;
    return (int)(f->part[leg / 64] >> leg % 64 & 1);
}

// Reaches what residual capacity leads to; the last slot of a path to the sink, or UINT32_MAX.
static uint32_t padici_tensor_flow_search(const padici_tensor_flow *f)
{
    const uint32_t *links = f->happy->links;
    uint32_t i, head = 0, tail = 0;
    memset(f->from, 0, 4 * (size_t)f->happy->tiles);
    for (i = 0; i < 6 * f->happy->tiles; i++) {
        if (!(links[i] & PADIC_TENSOR_HAPPY_LEG) || !padici_tensor_flow_inside(f, links[i]))
            continue;
        if (f->flow[i] < 0 || f->from[i / 6]) continue; // in use: a unit comes in
        f->from[i / 6] = i + 1;
        f->queue[tail++] = i / 6;
    }
    while (head < tail) {
        const uint32_t tile = f->queue[head++];
        for (i = 6 * tile; i < 6 * tile + 6; i++) {
            if ((links[i] & PADIC_TENSOR_HAPPY_BULK) || f->flow[i] > 0) continue;
            if (links[i] & PADIC_TENSOR_HAPPY_LEG) {
                if (!padici_tensor_flow_inside(f, links[i])) return i;
            } else if (!f->from[links[i] / 6]) {
                f->from[links[i] / 6] = links[i] + 1;
                f->queue[tail++] = links[i] / 6;
            }
        }
    }
    return UINT32_MAX;
}

// One unit along the path that ends with `slot`.
static void padici_tensor_flow_push(const padici_tensor_flow *f, uint32_t slot)
{
    const uint32_t *links = f->happy->links;
    for (;;) {
        const uint32_t in = f->from[slot / 6] - 1;
        f->flow[slot]++;
        f->flow[in]--;
        if (links[in] & PADIC_TENSOR_HAPPY_LEG) return;
        slot = links[in];
    }
}

static padic_result padici_tensor_happy_cut_named(padic_context *context,
                                                  const padic_tensor_happy_cut_desc *desc)
{
    const padic_tensor_happy *happy = desc ? desc->happy : NULL;
    const char *fault = desc && desc->part && desc->report
                            ? padici_tensor_happy_fault(happy, desc->part)
                            : "desc, part or report is NULL";
    padici_tensor_flow f;
    uint32_t i, slot, n = 0;
    size_t bytes;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    bytes = (size_t)14 * happy->tiles;
    f.happy = happy;
    f.part = desc->part;
    f.queue = (uint32_t *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!f.queue) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    f.from = f.queue + happy->tiles;
    f.flow = (int8_t *)(f.from + happy->tiles);
    memset(f.flow, 0, (size_t)6 * happy->tiles);
    desc->report->cut = 0;
    while ((slot = padici_tensor_flow_search(&f)) != UINT32_MAX) {
        padici_tensor_flow_push(&f, slot);
        desc->report->cut++;
    }
    for (i = 0; desc->side && i < happy->tiles; i++) desc->side[i] = f.from[i] != 0;
    for (i = 0; desc->edges && i < 6 * happy->tiles; i++) {
        const uint32_t link = happy->links[i], here = f.from[i / 6] != 0;
        if (link & PADIC_TENSOR_HAPPY_BULK) continue;
        if (link & PADIC_TENSOR_HAPPY_LEG) {
            if (here != (uint32_t)padici_tensor_flow_inside(&f, link)) desc->edges[n++] = i;
        } else if (here && !f.from[link / 6]) {
            desc->edges[n++] = i;
        }
    }
    padici_free(padici_allocator(context), f.queue, bytes);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_cut(padic_context *context,
                                              const padic_tensor_happy_cut_desc *desc)
{
    const char *before = padici_enter(context, "tensor_happy_cut");
    const padic_result result = padici_tensor_happy_cut_named(context, desc);
    padici_leave(context, before);
    return result;
}

static padic_result padici_tensor_happy_wedge_named(padic_context *context,
                                                    const padic_tensor_happy_wedge_desc *desc)
{
    const padic_tensor_happy *happy = desc ? desc->happy : NULL;
    const uint64_t *part = desc ? desc->part : NULL;
    uint8_t *inside = desc ? desc->out : NULL;
    const char *fault =
        part && inside ? padici_tensor_happy_fault(happy, part) : "desc, part or out is NULL";
    uint32_t t, slot, more = 1, count = 0;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    memset(inside, 0, happy->tiles);
    while (more) // from the rim inwards: a few rounds do
        for (t = happy->tiles, more = 0; t-- > 0;) {
            uint32_t legs = 0;
            for (slot = 6 * t; slot < 6 * t + 6; slot++) {
                const uint32_t link = happy->links[slot], leg = link - PADIC_TENSOR_HAPPY_LEG;
                if (link & PADIC_TENSOR_HAPPY_LEG)
                    legs += (uint32_t)(part[leg / 64] >> leg % 64 & 1);
                else if (!(link & PADIC_TENSOR_HAPPY_BULK))
                    legs += inside[link / 6];
            }
            if (inside[t] || legs < 3) continue; // half of 6, and of 5 rounded up
            inside[t] = 1;
            more = 1;
            count++;
        }
    if (desc->report) desc->report->tiles = count;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_wedge(padic_context *context,
                                                const padic_tensor_happy_wedge_desc *desc)
{
    const char *before = padici_enter(context, "tensor_happy_wedge");
    const padic_result result = padici_tensor_happy_wedge_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
