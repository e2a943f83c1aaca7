#include "header.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "block_decode.h"
#include "constants.h"
#include "transforms.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the container: header and index
//
//     0  "PADC"   4 u8 wire version   5 u8 dtype   6 u8 rank   7 u8 level   8 u8 bound mode
//     9  u8 flags: 1 length not known when it was written        10 u16 size of this header
//    12  u32 features: 1 reference, 2 planes   16 f64 bound   24 f64 absolute bound
//    32  u64 shape[rank]   ..  u32 block[rank]   ..  u64 planes if there is the feature
//    ..  u64 checksum of all before, seed "HEAD"
//
// After the last block: u32 0xffffffff, u32 0, u64 blocks, u64 shape[0], u64 offset[blocks],
// u64 offset of this index, u64 checksum, "PADC-END". The checksum is that of the first 24 bytes,
// of the offsets and of the index's offset, with seeds "INDX", + 1 and + 2, exclusive-ored.

PADICI_FN padic_result padici_codec_reject(padici_codec_header *header, padic_result result,
                                           const char *sentence)
{
    header->fault = sentence;
    return result;
}

// Describes what is wrong with a view that a check refused.
PADICI_FN const char *padici_codec_view_fault(const padic_tensor *t, padic_result result)
{
    if (result == PADIC_ERROR_DTYPE) return "tensor.dtype is no element type: choose a padic_dtype";
    if (result == PADIC_ERROR_LIMIT && t->rank > PADIC_MAX_RANK)
        return "tensor.rank is above 8: join axes";
    if (result == PADIC_ERROR_LIMIT)
        return "tensor.shape or stride reaches beyond 2^63 bytes: split the array";
    if (!t->data) return "tensor.data is NULL: give the array's memory";
    return "tensor.stride must be above 0 on each axis, or 0 on all, and elements may not overlap";
}

PADICI_FN size_t padici_codec_header_size(uint32_t rank, uint32_t features)
{
    return 40 + 12 * (size_t)rank + (features & PADICI_CODEC_FEATURE_LAYERS ? 8 : 0) +
           (features & PADICI_CODEC_FEATURE_WINDOW ? 4 : 0);
}

PADICI_FN void padici_codec_put_header(uint8_t *p, const padici_codec_header *header)
{
    const padici_codec_grid *grid = &header->grid;
    const size_t size = header->size;
    uint32_t k;
    memcpy(p, "PADC", 4);
    p[4] = PADIC_CODEC_WIRE_VERSION;
    p[5] = (uint8_t)grid->dtype;
    p[6] = (uint8_t)grid->rank;
    p[7] = (uint8_t)header->level;
    p[8] = (uint8_t)header->tolerance_mode;
    p[9] = (uint8_t)header->flags;
    padici_store16(p + 10, (uint16_t)size);
    padici_store32(p + 12, header->features);
    padici_store64(p + 16, padici_codec_bits_of(header->tolerance));
    padici_store64(p + 24, padici_codec_bits_of(header->error_bound));
    for (k = 0; k < grid->rank; k++) {
        padici_store64(p + 32 + 8 * k, grid->shape[k]);
        padici_store32(p + 32 + 8 * grid->rank + 4 * k, (uint32_t)grid->block[k]);
    }
    if (header->features & PADICI_CODEC_FEATURE_LAYERS)
        padici_store64(p + 32 + 12 * grid->rank, header->layers);
    if (header->features & PADICI_CODEC_FEATURE_WINDOW) padici_store32(p + size - 12, grid->span);
    padici_store64(p + size - 8, padici_checksum(p, size - 8, PADICI_CODEC_SEED_HEAD));
}

// Checks everything in a header. `size` may be less than the header: CORRUPT.
PADICI_FN padic_result padici_codec_take_header(const uint8_t *p, size_t size,
                                                padici_codec_header *header)
{
    padici_codec_grid *grid = &header->grid;
    uint32_t k;
    memset(header, 0, sizeof *header);
    if (size < 40 || memcmp(p, "PADC", 4) != 0) return PADIC_ERROR_CORRUPT;
    header->version = p[4];
    if (header->version > PADIC_CODEC_WIRE_VERSION) return PADIC_ERROR_VERSION;
    header->size = padici_load16(p + 10);
    if (header->version == 0 || p[6] > PADIC_MAX_RANK ||
        header->size < padici_codec_header_size(p[6], 0) || header->size > size)
        return PADIC_ERROR_CORRUPT;
    if (padici_load64(p + header->size - 8) !=
        padici_checksum(p, header->size - 8, PADICI_CODEC_SEED_HEAD))
        return PADIC_ERROR_CHECKSUM;
    grid->dtype = (padic_dtype)p[5];
    grid->element = padic_dtype_size(grid->dtype);
    grid->rank = p[6];
    grid->axes = grid->rank ? grid->rank : 1;
    grid->shape[0] = grid->block[0] = 1;
    header->level = p[7];
    header->tolerance_mode = (padic_codec_tolerance_mode)p[8];
    header->flags = p[9];
    header->features = padici_load32(p + 12);
    header->tolerance = padici_codec_double_of(padici_load64(p + 16));
    header->error_bound = padici_codec_double_of(padici_load64(p + 24));
    // unknown features were written by a later version
    header->layers = 1;
    if (grid->element == 0 || p[8] > PADIC_CODEC_TOLERANCE_FIXED ||
        (header->flags & ~PADICI_CODEC_UNKNOWN_LENGTH) ||
        (header->features & ~PADICI_CODEC_FEATURES))
        return PADIC_ERROR_VERSION;
    if (header->size < padici_codec_header_size(p[6], header->features)) return PADIC_ERROR_CORRUPT;
    if (header->features & PADICI_CODEC_FEATURE_LAYERS) {
        const uint32_t at = 32 + 12 * (uint32_t)p[6];
        if (padici_load64(p + at) < 2 || padici_load64(p + at) > PADICI_CODEC_MAX_LAYERS)
            return PADIC_ERROR_VERSION;
        header->layers = (uint32_t)padici_load64(p + at);
    }
    if (header->features & PADICI_CODEC_FEATURE_WINDOW) {
        grid->span = padici_load32(p + padici_codec_header_size(p[6], header->features) - 12);
        if (grid->span == 0 || grid->span > PADICI_CODEC_WINDOW_MOST || header->layers > 1)
            return PADIC_ERROR_CORRUPT;
    }
    for (k = 0; k < grid->rank; k++) {
        grid->shape[k] = padici_load64(p + 32 + 8 * k);
        grid->block[k] = padici_load32(p + 32 + 8 * grid->rank + 4 * k);
    }
    if (header->flags & PADICI_CODEC_UNKNOWN_LENGTH) {
        if (grid->rank == 0) return PADIC_ERROR_CORRUPT;
        grid->shape[0] = PADIC_CODEC_UNKNOWN;
    } else if (grid->shape[0] == PADIC_CODEC_UNKNOWN) {
        return PADIC_ERROR_CORRUPT;
    }
    if (padici_codec_grid_finish(grid)) return PADIC_ERROR_CORRUPT;
    padici_codec_grid_fit(grid);
    return PADIC_OK;
}

PADICI_FN uint64_t padici_codec_index_sum(const void *head, const void *offsets, size_t blocks,
                                          const void *at)
{
    return padici_checksum(head, 24, PADICI_CODEC_SEED_INDEX) ^
           padici_checksum(offsets, 8 * blocks, PADICI_CODEC_SEED_INDEX + 1) ^
           padici_checksum(at, 8, PADICI_CODEC_SEED_INDEX + 2);
}

// The last `length` bytes of a stream, its index. The grid knows its length afterwards.
PADICI_FN padic_result padici_codec_index_check(const uint8_t *index, uint64_t length,
                                                padici_codec_header *header)
{
    padici_codec_grid *grid = &header->grid;
    const uint8_t *tail = index + length - 24;
    const uint64_t blocks = (length - PADICI_CODEC_INDEX_FIXED) / 8;
    if ((length - PADICI_CODEC_INDEX_FIXED) % 8 ||
        padici_load64(tail + 8) != padici_codec_index_sum(index, index + 24, (size_t)blocks, tail))
        return PADIC_ERROR_CHECKSUM;
    if (padici_load32(index) != PADICI_CODEC_END_MARK || padici_load32(index + 4) != 0 ||
        blocks != padici_load64(index + 8))
        return PADIC_ERROR_CHECKSUM;
    if (header->flags & PADICI_CODEC_UNKNOWN_LENGTH) {
        grid->shape[0] = padici_load64(index + 16);
        if (grid->shape[0] == PADIC_CODEC_UNKNOWN || padici_codec_grid_finish(grid))
            return PADIC_ERROR_CHECKSUM;
        padici_codec_grid_fit(grid);
    }
    if (padici_load64(index + 16) != grid->shape[0] || blocks / header->layers != grid->total ||
        blocks % header->layers)
        return PADIC_ERROR_CHECKSUM;
    return PADIC_OK;
}

// The index at the end of a complete stream. On success `offsets` points to the little-endian
// offsets of the blocks.
PADICI_FN padic_result padici_codec_take_index(const uint8_t *p, size_t size,
                                               padici_codec_header *header, const uint8_t **offsets)
{
    uint64_t at;
    padic_result result;
    if (size < header->size + 8u || memcmp(p + size - 8, "PADC-END", 8) != 0)
        return PADIC_ERROR_CORRUPT;
    if (size < header->size + PADICI_CODEC_INDEX_FIXED) return PADIC_ERROR_CHECKSUM;
    at = padici_load64(p + size - 24);
    if (at < header->size || at > size - PADICI_CODEC_INDEX_FIXED) return PADIC_ERROR_CHECKSUM;
    result = padici_codec_index_check(p + at, size - at, header);
    if (result) return result;
    *offsets = p + at + 24;
    return PADIC_OK;
}

// The frame at p[at..size). 0: it is truncated, or not a block.
PADICI_FN int padici_codec_take_frame(const uint8_t *p, uint64_t size, uint64_t at,
                                      padici_codec_frame *frame)
{
    uint32_t length;
    if (at > size || size - at < PADICI_CODEC_FRAME_SIZE) return 0;
    length = padici_load32(p + at);
    if (length == PADICI_CODEC_END_MARK || length > size - at - PADICI_CODEC_FRAME_SIZE) return 0;
    frame->payload = p + at + PADICI_CODEC_FRAME_SIZE;
    frame->size = length;
    frame->rows = padici_load32(p + at + 4);
    frame->checksum = padici_load64(p + at + 8);
    return 1;
}

// The frame with this number in the index. Frames are consecutive, the first one after the header;
// the index follows the last one, and its offset follows their offsets. 0: the stream contradicts
// this.
PADICI_FN int padici_codec_frame_of(const uint8_t *p, uint64_t size,
                                    const padici_codec_header *header, const uint8_t *offsets,
                                    uint64_t number, padici_codec_frame *frame)
{
    const uint8_t *place = offsets + 8 * (size_t)number;
    const uint64_t at = padici_load64(place);
    return at >= header->size && (number || at == header->size) &&
           padici_codec_take_frame(p, size, at, frame) &&
           at + PADICI_CODEC_FRAME_SIZE + frame->size == padici_load64(place + 8);
}

// Assigns the window of a worker to this super-block.
PADICI_FN void padici_codec_window_enter(padici_codec_work *w, uint64_t super)
{
    if (w->super == super + 1) return;
    w->super = super + 1;
    w->held = 0;
    w->starts[0] = 0;
}

// Where a block that refers `reach` blocks back finds them; 0: some are missing.
static int padici_codec_window_find(const padici_codec_grid *grid, padici_codec_work *w,
                                    uint64_t index, uint32_t reach)
{
    const uint32_t slot = (uint32_t)(index % grid->span);
    uint32_t k;
    w->past = 0;
    if (reach == 0) return 1;
    if (reach > slot || w->super != index / grid->span + 1) return 0;
    for (k = slot - reach; k < slot; k++)
        if (!(w->held >> k & 1)) return 0;
    w->past = w->starts[slot] - w->starts[slot - reach];
    w->history =
        w->window + w->starts[slot - reach] * padic_dtype_size(padici_codec_scalar(grid->dtype));
    return 1;
}

// The largest size of a block with its frame.
PADICI_FN size_t padici_codec_slot_size(const padici_codec_grid *grid)
{
    const uint32_t size = padic_dtype_size(padici_codec_scalar(grid->dtype));
    return PADICI_CODEC_FRAME_SIZE + grid->capacity * size + 1 + PADICI_CODEC_PAYLOAD_PAD;
}

// Decodes a block into w->raw and compares its checksum: a damaged stream and one of a later
// version look alike here. Raw blocks are used in place if allowed (`move`).
PADICI_FN int padici_codec_decode_block(const padici_codec_grid *grid, padici_codec_work *w,
                                        const padici_codec_box *box, uint64_t index,
                                        const padici_codec_frame *frame, int move)
{
    const size_t all = box->n * box->size;
    padici_codec_plan plan;
    if (move && frame->size == 1 + all + PADICI_CODEC_PAYLOAD_PAD && !PADICI_BIG_ENDIAN &&
        frame->payload[0] == PADICI_CODEC_TRANSFORM_RAW &&
        !padici_load64(frame->payload + 1 + all)) {
        w->raw = (uint8_t *)(uintptr_t)(frame->payload + 1);
        return (*w->loops->checksum)(w->raw, all, index) == frame->checksum;
    }
    if (!padici_codec_window_find(grid, w, index, padici_codec_reach(frame->payload, frame->size)))
        return 0;
    return padici_codec_take_block(w, box, frame->payload, frame->size, &plan, NULL) &&
           (*w->loops->checksum)(w->raw, all, index) == frame->checksum;
}

#endif
