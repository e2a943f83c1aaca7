#include "packing.h"
#include "constants.h"
#include "work.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: what workers share, and its memory

PADICI_FN padic_result padici_codec_output(padici_codec_sink *sink, const void *data, size_t size)
{
    if (sink->write) {
        if ((*sink->write)(data, size, sink->user) != 0) return PADIC_ERROR_CALLBACK;
    } else if (sink->written <= sink->capacity && size <= sink->capacity - sink->written && size) {
        memcpy(sink->dst + sink->written, data, size);
    }
    sink->written += size;
    return PADIC_OK;
}

// Super-blocks in progress at once.
static uint32_t padici_codec_supers(const padici_codec_grid *grid, uint32_t workers,
                                    uint32_t blocks)
{
    const uint64_t all = grid->span ? grid->total / grid->span + 1 : 1;
    uint64_t most = 1;
    if (workers > 1 && grid->span) most = blocks * (uint64_t)workers / grid->span;
    if (workers > 1) most = (most < workers ? most : workers) + 2;
    return (uint32_t)(grid->span < 2 ? 0 : all < most ? all : most);
}

static size_t padici_codec_picks_size(const padici_codec_grid *grid)
{
    return (4 * (grid->span * grid->capacity + 1) + 63) & ~(size_t)63;
}

static size_t padici_codec_history_size(const padici_codec_grid *grid)
{
    const size_t size = padic_dtype_size(padici_codec_scalar(grid->dtype));
    return (grid->span * grid->capacity * size + 127) & ~(size_t)63;
}

// Slots: several workers need enough to continue while one is late.
static uint32_t padici_codec_batch_blocks(const padici_codec_grid *grid, uint32_t workers,
                                          uint32_t blocks)
{
    const uint64_t most = workers > 1 ? blocks * (uint64_t)workers : 1;
    return (uint32_t)(grid->total && grid->total < most ? grid->total : most);
}

// One worker's memory fits a size_t of 32 bits; that of all may not.
PADICI_FN uint64_t padici_codec_packing_memory(const padici_codec_grid *grid, uint32_t workers,
                                               uint32_t blocks)
{
    const size_t each = padici_codec_work_layout(NULL, grid, 1, NULL);
    const uint64_t batch = padici_codec_batch_blocks(grid, workers, blocks), many = workers;
    return many * (each + ((sizeof(padici_codec_work) + 63) & ~(size_t)63)) +
           (workers > 1 ? batch : 0) * ((padici_codec_slot_size(grid) + 63) & ~(size_t)63) +
           (uint64_t)padici_codec_supers(grid, workers, blocks) *
               (PADICI_CODEC_KEPT + padici_codec_picks_size(grid) +
                padici_codec_history_size(grid)) +
           ((2 * many * sizeof(padici_codec_work_group) + batch * sizeof(void *) + 63) &
            ~UINT64_C(63));
}

PADICI_FN void padici_codec_packing_place(padici_codec_packing *packing,
                                          const padic_codec_pack_desc *desc, uint32_t blocks,
                                          void *memory)
{
    const padici_codec_grid *grid = &packing->header.grid;
    const size_t each = padici_codec_work_layout(NULL, grid, 1, NULL);
    uint8_t *at = (uint8_t *)memory;
    uint32_t i;
    packing->work = (padici_codec_work *)(void *)at;
    at += packing->workers * ((sizeof(padici_codec_work) + 63) & ~(size_t)63);
    for (i = 0; i < packing->workers; i++, at += each) {
        padici_codec_work *w = packing->work + i;
        (void)padici_codec_work_layout(w, grid, 1, at);
        w->loops = &packing->loops;
        w->stages = desc->stages;
        w->prime = desc->prime;
        w->profile = (uint32_t)desc->profile;
        w->policy = padici_codec_policy_of(packing->header.level);
        w->may_match = (packing->header.features & PADICI_CODEC_FEATURE_MATCH) != 0;
        w->windowed = grid->span > 1;
        w->may_context = (packing->header.features & PADICI_CODEC_FEATURE_CONTEXT) != 0;
        w->may_plain = (packing->header.features & PADICI_CODEC_FEATURE_REPEAT) != 0;
        w->may_repeat = w->may_plain && (w->policy->features.repeats != 1 ||
                                         desc->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE ||
                                         desc->stages.coders || desc->stages.transforms);
        w->may_weigh = (packing->header.features & PADICI_CODEC_FEATURE_LINEAR) != 0;
        if (w->prime == 0 &&
            (desc->stages.representations >> PADICI_CODEC_REPRESENTATION_PRIME & 1))
            w->prime = 3;
    }
    packing->forced = desc->profile || desc->stages.transforms || desc->stages.predictors ||
                      desc->stages.patterns || desc->stages.representations ||
                      desc->stages.coders;
    packing->proving = !(desc->flags & PADIC_CODEC_PACK_NO_PROOF);
    packing->batch = padici_codec_batch_blocks(grid, packing->workers, blocks);
    packing->slot = (padici_codec_slot_size(grid) + 63) & ~(size_t)63;
    packing->staged = packing->workers > 1 ? at : packing->work->payload - PADICI_CODEC_FRAME_SIZE;
    packing->supers = padici_codec_supers(grid, packing->workers, blocks);
    if (packing->workers > 1) at += packing->batch * packing->slot;
    packing->kept = (padici_codec_kept *)(void *)at;
    at += packing->supers * PADICI_CODEC_KEPT;
    for (i = 0; i < packing->supers; i++) {
        padici_codec_kept *kept = packing->kept + i;
        kept->starts[0] = kept->picked[0] = kept->open = kept->loaded = 0;
        kept->loading = 0;
        kept->picks = (uint32_t *)(void *)at;
        kept->history = kept->room = at + padici_codec_picks_size(grid);
        at += padici_codec_picks_size(grid) + padici_codec_history_size(grid);
    }
    packing->groups = (padici_codec_work_group *)(void *)at;
    packing->frames = (const uint8_t **)(void *)(packing->groups + 2 * packing->workers);
    memset(at, 0, (uintptr_t)(packing->frames + packing->batch) - (uintptr_t)at);
}

#endif
