#include "grid.h"
#include "../core/words.h"
#include "constants.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the container: geometry

PADICI_FN uint32_t padici_codec_parts(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128 ? 2 : 1;
}

PADICI_FN padic_dtype padici_codec_scalar(padic_dtype dtype)
{
    return dtype == PADIC_C64 ? PADIC_F32 : dtype == PADIC_C128 ? PADIC_F64 : dtype;
}

// Counts blocks. LIMIT if sizes do not fit into 63 bits or a block is too large.
PADICI_FN padic_result padici_codec_grid_finish(padici_codec_grid *grid)
{
    uint64_t size = grid->element, block = padici_codec_parts(grid->dtype);
    uint32_t k;
    grid->total = 1;
    for (k = 0; k < grid->axes; k++) {
        if (grid->block[k] == 0 || grid->block[k] > PADICI_CODEC_BLOCK_LIMIT)
            return PADIC_ERROR_LIMIT;
        block *= grid->block[k];
        if (block > PADICI_CODEC_BLOCK_LIMIT) return PADIC_ERROR_LIMIT;
    }
    grid->capacity = (size_t)block;
    grid->window = 0;
    if (grid->span == 0) grid->span = 1;
    for (k = 0; k < grid->axes; k++) {
        const int unknown = k == 0 && grid->shape[k] == PADIC_CODEC_UNKNOWN;
        const uint64_t extent = unknown ? 0 : grid->shape[k];
        grid->blocks[k] = extent / grid->block[k] + (extent % grid->block[k] != 0);
        if (!padici_mul_u64(size, extent ? extent : 1, &size) || size >> 63)
            return PADIC_ERROR_LIMIT;
        grid->total *= grid->blocks[k];
    }
    return PADIC_OK;
}

// Limits a reader's memory: no block is larger than the array, no super-block has more blocks than
// it.
PADICI_FN void padici_codec_grid_fit(padici_codec_grid *grid)
{
    uint64_t block = padici_codec_parts(grid->dtype);
    uint32_t k;
    for (k = 0; k < grid->axes; k++)
        block *= grid->shape[k] == 0                  ? 1
                 : grid->shape[k] < grid->block[k] ? grid->shape[k]
                                                      : grid->block[k];
    grid->capacity = (size_t)block;
    grid->window = grid->span;
    if (grid->shape[0] != PADIC_CODEC_UNKNOWN && grid->total < grid->span)
        grid->window = (uint32_t)grid->total;
}

// Extents of a block in equal parts of at most `most`.
static uint64_t padici_codec_grid_part(uint64_t extent, uint64_t most)
{
    const uint64_t parts = extent / most + (extent % most != 0);
    return extent / parts + (extent % parts != 0);
}

// Blocks of about `target` scalars: whole fast axes as far as they fit; for three and more axes the
// fastest is limited to 1024 and the next to 1/16 when that leaves room for the slower ones. Equal
// parts. In a profile one axis is split, so that a block is a run of elements; the fastest in whole
// groups.
PADICI_FN void padici_codec_grid_choose(padici_codec_grid *grid, int profile, uint64_t target)
{
    uint64_t room = target / padici_codec_parts(grid->dtype);
    uint32_t k;
    for (k = grid->axes; k-- > 0;) {
        uint64_t extent = grid->shape[k], most = room;
        int split;
        if (grid->axes - k == 1 && grid->axes >= 3 && !profile) most = 1024;
        if (grid->axes - k == 2 && grid->axes >= 3 && !profile)
            most = room > 16 * 64 ? room / 16 : room;
        if (most > room) most = room;
        if (extent == 0) extent = 1;
        if (extent == PADIC_CODEC_UNKNOWN) extent = most; // axis 0: treated as long
        split = extent > most;
        grid->block[k] = padici_codec_grid_part(extent, most);
        if (profile && split && k + 1 == grid->axes) // up to at most `room`
            grid->block[k] =
                (grid->block[k] + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP * PADICI_CODEC_GROUP;
        room = profile && split ? 1 : room / grid->block[k];
        if (room == 0) room = 1;
    }
}

// Blocks of at most `target` scalars that are as long on one axis as on the other, as far as the
// array is; a fastest axis of up to 16 elements, the components of each, is whole. 0: there are
// fewer than `axes` long axes, or the slowest one is short and taken for quantities.
PADICI_FN int padici_codec_grid_balance(padici_codec_grid *grid, uint32_t axes, uint64_t target)
{
    const uint32_t last = grid->axes - 1;
    uint64_t room = target / padici_codec_parts(grid->dtype), side, step;
    uint32_t k, end = grid->axes, number = 0;
    for (k = 0; k < grid->axes; k++) number += grid->shape[k] > 16;
    if (number < axes || grid->shape[0] <= PADICI_CODEC_SHAPE_QUANTITIES) return 0;
    if (grid->shape[last] <= 16) room /= grid->shape[last], end = last;
    if (end < 2) return 0;
    for (side = 1, step = 65536; step; step /= 2) { // the longest that fits
        uint64_t size = 1;
        for (k = 0; k < end && size <= room; k++)
            size *= grid->shape[k] < side + step ? grid->shape[k] : side + step;
        if (size <= room) side += step;
    }
    for (k = 0; k < grid->axes; k++)
        grid->block[k] =
            k >= end ? grid->shape[k] : padici_codec_grid_part(grid->shape[k], side);
    return 1;
}

PADICI_FN padic_result padici_codec_grid_make(const padic_codec_pack_desc *desc,
                                              padici_codec_grid *grid)
{
    const padic_tensor *t = &desc->tensor;
    int chosen = 0;
    uint32_t k;
    memset(grid, 0, sizeof *grid);
    grid->dtype = t->dtype;
    grid->element = padic_dtype_size(t->dtype);
    grid->rank = t->rank;
    grid->axes = t->rank ? t->rank : 1;
    grid->shape[0] = 1;
    for (k = 0; k < t->rank; k++) {
        grid->shape[k] = t->shape[k];
        chosen |= desc->block[k] != 0;
    }
    if (!chosen) {
        padici_codec_grid_choose(grid, desc->profile != PADIC_CODEC_PROFILE_ANY,
                                 PADICI_CODEC_BLOCK_TARGET);
    } else {
        grid->block[0] = 1;
        for (k = 0; k < t->rank; k++) grid->block[k] = desc->block[k];
    }
    return padici_codec_grid_finish(grid);
}

// The start and extent of block number `index`, and its box of scalars.
PADICI_FN PADICI_NOINLINE void padici_codec_grid_block(const padici_codec_grid *grid,
                                                       uint64_t index, uint64_t *begin,
                                                       uint64_t *extent, padici_codec_box *box)
{
    uint32_t k;
    box->dtype = padici_codec_scalar(grid->dtype);
    box->size = padic_dtype_size(box->dtype);
    box->rank = grid->axes;
    box->n = 1;
    for (k = grid->axes; k-- > 0;) {
        begin[k] = (k ? index % grid->blocks[k] : index) * grid->block[k];
        if (k) index /= grid->blocks[k];
        extent[k] = grid->shape[k] - begin[k] < grid->block[k] ? grid->shape[k] - begin[k]
                                                               : grid->block[k];
        box->extent[k] = (uint32_t)extent[k];
        box->n *= (size_t)extent[k];
    }
    if (padici_codec_parts(grid->dtype) == 2) {
        box->extent[box->rank++] = 2;
        box->n *= 2;
    }
}

// Converts little-endian elements to the host's order and back.
PADICI_FN void padici_codec_swap_elements(uint8_t *data, size_t n, uint32_t size)
{
#if PADICI_BIG_ENDIAN
    size_t i;
    uint32_t k;
    for (i = 0; i < n && size > 1; i++, data += size) {
        for (k = 0; k < size / 2; k++) {
            const uint8_t byte = data[k];
            data[k] = data[size - 1 - k];
            data[size - 1 - k] = byte;
        }
    }
#else
    (void)data;
    (void)n;
    (void)size;
#endif
}

// Copies and widens `count` floats.
static void padici_codec_widen_row(uint8_t *to, int64_t to_step, padic_dtype to_dtype,
                                   const uint8_t *from, int64_t step, padic_dtype dtype,
                                   uint64_t count)
{
    const uint32_t m = dtype == PADIC_F32 ? 23 : dtype == PADIC_F16 ? 10 : 7;
    const uint32_t e = dtype == PADIC_F16 ? 5 : 8;
    uint64_t i;
    for (i = 0; i < count; i++, to += to_step, from += step) {
        uint16_t half;
        uint32_t word;
        uint64_t bits;
        if (dtype == PADIC_F32) {
            memcpy(&word, from, 4);
        } else {
            memcpy(&half, from, 2);
            word = half;
        }
        bits = to_dtype == PADIC_F64 ? padici_codec_widen_bits(word, m, e, 52, 11)
                                     : padici_codec_widen_bits(word, m, e, 23, 8);
        word = (uint32_t)bits;
        memcpy(to, to_dtype == PADIC_F64 ? (const void *)&bits : (const void *)&word,
               to_dtype == PADIC_F64 ? 8 : 4);
    }
}

// Copies a box between two strided arrays of the host. Strides are in elements; axes that are
// contiguous on both sides are merged, and the stride of an axis of extent 1 is ignored. `copy` may
// be NULL, see the loops.
PADICI_FN void padici_codec_copy_box(uint8_t *to, const int64_t *to_stride, padic_dtype to_dtype,
                                     const uint8_t *from, const int64_t *from_stride,
                                     padic_dtype dtype, const uint64_t *extent, uint32_t axes,
                                     padici_codec_copier copy, uint64_t all)
{
    const uint32_t size = padic_dtype_size(dtype), to_size = padic_dtype_size(to_dtype);
    uint64_t index[PADIC_MAX_RANK], count[PADIC_MAX_RANK], i;
    int64_t a[PADIC_MAX_RANK], b[PADIC_MAX_RANK]; // strides in bytes
    uint32_t k, last = 0, before = PADIC_MAX_RANK;
    a[0] = (int64_t)to_size;
    b[0] = (int64_t)size;
    count[0] = 1;
    index[0] = 0;
    for (k = 0; k < axes; k++) {
        if (extent[k] == 0) return;
        if (extent[k] == 1) continue;
        if (before < k && to_stride[before] == to_stride[k] * (int64_t)extent[k] &&
            from_stride[before] == from_stride[k] * (int64_t)extent[k]) {
            count[last] *= extent[k];
        } else {
            if (before < k) last++;
            count[last] = extent[k];
        }
        a[last] = to_stride[k] * (int64_t)to_size;
        b[last] = from_stride[k] * (int64_t)size;
        index[last] = 0;
        before = k;
    }
    for (;;) {
        uint8_t *p = to;
        const uint8_t *q = from;
        for (k = 0; k < last; k++) {
            p += (int64_t)index[k] * a[k];
            q += (int64_t)index[k] * b[k];
        }
        if (to_dtype != dtype)
            padici_codec_widen_row(p, a[last], to_dtype, q, b[last], dtype, count[last]);
        else if (a[last] == (int64_t)size && b[last] == (int64_t)size && copy)
            (*copy)(p, q, (size_t)count[last] * size, all);
        else if (a[last] == (int64_t)size && b[last] == (int64_t)size)
            memcpy(p, q, (size_t)count[last] * size);
        else if (size == 4)
            for (i = 0; i < count[last]; i++, p += a[last], q += b[last]) memcpy(p, q, 4);
        else if (size == 8)
            for (i = 0; i < count[last]; i++, p += a[last], q += b[last]) memcpy(p, q, 8);
        else
            for (i = 0; i < count[last]; i++, p += a[last], q += b[last]) memcpy(p, q, size);
        for (k = last; k-- > 0;) {
            if (++index[k] < count[k]) break;
            index[k] = 0;
        }
        if (k == UINT32_MAX) return;
    }
}

PADICI_FN void padici_codec_dense_strides(const uint64_t *shape, uint32_t axes, int64_t *stride)
{
    uint32_t k;
    int64_t step = 1;
    for (k = axes; k-- > 0;) {
        stride[k] = step;
        step *= (int64_t)shape[k];
    }
}

#endif
