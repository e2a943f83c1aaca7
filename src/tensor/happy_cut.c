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
    const uint32_t *links = padici_tensor_happy_links(f->happy);
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
    const uint32_t *links = padici_tensor_happy_links(f->happy);
    for (;;) {
        const uint32_t in = f->from[slot / 6] - 1;
        f->flow[slot]++;
        f->flow[in]--;
        if (links[in] & PADIC_TENSOR_HAPPY_LEG) return;
        slot = links[in];
    }
}

// The tiles on the side of the last search, and the links that leave it; NULL: not wanted.
static void padici_tensor_flow_write(const padici_tensor_flow *f, uint8_t *side, uint32_t *edges)
{
    const uint32_t *links = padici_tensor_happy_links(f->happy);
    uint32_t i, n = 0;
    for (i = 0; side && i < f->happy->tiles; i++) side[i] = f->from[i] != 0;
    for (i = 0; edges && i < 6 * f->happy->tiles; i++) {
        const uint32_t link = links[i], here = f->from[i / 6] != 0;
        if (link & PADIC_TENSOR_HAPPY_BULK) continue;
        if (link & PADIC_TENSOR_HAPPY_LEG) {
            if (here != (uint32_t)padici_tensor_flow_inside(f, link)) edges[n++] = i;
        } else if (here && !f->from[link / 6]) {
            edges[n++] = i;
        }
    }
}

static padic_result padici_tensor_happy_cut_named(padic_context *context,
                                                  const padic_tensor_happy_cut_desc *desc)
{
    const padic_tensor_happy *happy = desc ? desc->happy : NULL;
    padici_tensor_flow f;
    uint32_t slot;
    size_t bytes;
    void *side, *edges;
    padic_result result;
    if (!desc || !desc->report)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or report is NULL");
    result = padici_tensor_happy_check(context, happy);
    if (!result) result = padici_tensor_happy_part(context, &desc->part, happy->legs, &f.part);
    if (!result)
        result = padici_tensor_happy_array(context, &desc->side, "side", PADIC_U8, happy->tiles,
                                           PADIC_ERROR_CAPACITY, &side);
    if (!result) // how many there are is seen later
        result = padici_tensor_happy_array(context, &desc->edges, "edges", PADIC_U32, 0,
                                           PADIC_ERROR_CAPACITY, &edges);
    if (result) return result;
    bytes = (size_t)14 * happy->tiles;
    f.happy = happy;
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
    if (edges)
        result = padici_tensor_happy_array(context, &desc->edges, "edges", PADIC_U32,
                                           desc->report->cut, PADIC_ERROR_CAPACITY, &edges);
    if (!result) padici_tensor_flow_write(&f, (uint8_t *)side, (uint32_t *)edges);
    padici_free(padici_allocator(context), f.queue, bytes);
    return result;
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
    const uint64_t *part;
    const uint32_t *links;
    uint8_t *inside;
    void *out;
    uint32_t t, slot, more = 1, count = 0;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_tensor_happy_check(context, happy);
    if (!result) result = padici_tensor_happy_part(context, &desc->part, happy->legs, &part);
    if (!result)
        result = padici_tensor_happy_array(context, &desc->out, "out", PADIC_U8, happy->tiles,
                                           PADIC_ERROR_CAPACITY, &out);
    if (result) return result;
    if (!out) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "out is missing");
    links = padici_tensor_happy_links(happy);
    inside = (uint8_t *)out;
    memset(inside, 0, happy->tiles);
    while (more) // from the rim inwards: a few rounds do
        for (t = happy->tiles, more = 0; t-- > 0;) {
            uint32_t legs = 0;
            for (slot = 6 * t; slot < 6 * t + 6; slot++) {
                const uint32_t link = links[slot], leg = link - PADIC_TENSOR_HAPPY_LEG;
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
