#include "pack_load.h"
#include "choose_matches.h"
#include "grid.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: the elements of a block

// Within a tolerance a window holds decoded elements: the blocks of a super-block are packed one
// after the other.
PADICI_FN int padici_codec_in_turn(const padici_codec_packing *packing)
{
    return packing->header.grid.span > 1 &&
           packing->header.tolerance_mode != PADIC_CODEC_TOLERANCE_NONE;
}

// The elements of a block to raw, dense and little-endian. Returns its extent along axis 0.
PADICI_FN uint32_t padici_codec_load_block(const padici_codec_packing *packing, uint64_t index,
                                           uint8_t *raw, padici_codec_box *box)
{
    const padici_codec_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = packing->data;
    uint32_t k;
    padici_codec_grid_block(grid, index, begin, extent, box);
    padici_codec_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++)
        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * packing->stride[k] *
                (int64_t)grid->element;
    padici_codec_copy_box(raw, dense, grid->dtype, from, packing->stride, grid->dtype, extent,
                          grid->axes, NULL, 0);
    padici_codec_swap_elements(raw, box->n, box->size);
    return (uint32_t)extent[0];
}

// The elements of a block in the source, if load_block() would not change them and nothing
// overwrites them; otherwise NULL.
static uint8_t *padici_codec_block_in_place(const padici_codec_packing *packing,
                                            const uint64_t *begin, const uint64_t *extent)
{
    const padici_codec_grid *grid = &packing->header.grid;
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = packing->data;
    uint32_t k;
    if (packing->tolerance.mode != PADIC_CODEC_TOLERANCE_NONE || packing->header.layers > 1 ||
        packing->measuring || (PADICI_BIG_ENDIAN && grid->element > 1))
        return NULL;
    padici_codec_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++) {
        if (extent[k] > 1 && packing->stride[k] != dense[k]) return NULL;
        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * packing->stride[k] *
                (int64_t)grid->element;
    }
    return (uint8_t *)(uintptr_t)from;
}

// Whether the source has all blocks one after the other as they are, and keeps them.
static int padici_codec_in_line(const padici_codec_packing *packing)
{
    const padici_codec_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK];
    uint32_t k = 0;
    if (packing->sink.write || padici_codec_in_turn(packing)) return 0;
    memset(begin, 0, sizeof begin);
    while (k < grid->axes && grid->block[k] == 1) k++;
    for (k++; k < grid->axes; k++)
        if (grid->block[k] < grid->shape[k]) return 0;
    return padici_codec_block_in_place(packing, begin, grid->shape) != NULL;
}

// The elements of a block to w->raw, with the earlier blocks that it may repeat.
PADICI_FN uint32_t padici_codec_load_behind(const padici_codec_packing *packing,
                                            padici_codec_work *w, uint64_t index,
                                            padici_codec_box *box)
{
    const padici_codec_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    const padici_codec_kept *kept;
    w->slot = 0;
    w->behind = 0;
    w->steady = 0;
    padici_codec_grid_block(grid, index, begin, extent, box);
    if (grid->span <= 1) {
        uint8_t *const raw = padici_codec_block_in_place(packing, begin, extent);
        if (!raw) return padici_codec_load_block(packing, index, w->raw, box);
        w->raw = raw;
        return (uint32_t)extent[0];
    }
    kept = packing->kept + index / grid->span % packing->supers;
    w->slot = (uint32_t)(index % grid->span);
    // within a tolerance, the same block's elements may become others later
    if (packing->tolerance.mode == PADIC_CODEC_TOLERANCE_NONE && packing->header.layers == 1)
        w->steady = index / grid->span + 1;
    memcpy(w->starts, kept->starts, (w->slot + 2) * sizeof *w->starts);
    w->behind = w->starts[w->slot];
    w->history = kept->history;
    w->past_picks = kept->picks;
    w->past_count = kept->picked[w->slot];
    w->raw = kept->history + w->behind * box->size;
    return (uint32_t)extent[0];
}

// Loads a block after those of the same super-block.
PADICI_FN void padici_codec_load_kept(padici_codec_packing *packing, const padici_codec_work *w,
                                      uint64_t index)
{
    const uint32_t span = packing->header.grid.span;
    padici_codec_kept *kept = packing->kept + index / span % packing->supers;
    const size_t slot = (size_t)(index % span), start = kept->starts[slot];
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *raw =
        kept->history + start * padic_dtype_size(padici_codec_scalar(packing->header.grid.dtype));
    padici_codec_box box;
    if (padici_codec_in_line(packing)) {
        uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
        padici_codec_grid_block(&packing->header.grid, index, begin, extent, &box);
        raw = padici_codec_block_in_place(packing, begin, extent);
        if (slot == 0) kept->history = raw;
    } else {
        (void)padici_codec_load_block(packing, index, raw, &box);
    }
    kept->starts[slot + 1] = start + box.n;
    if (padici_codec_in_turn(packing)) return;
    kept->picked[slot + 1] =
        kept->picked[slot] + padici_codec_pick_past(w, &box, raw, start, picks);
}

#endif
