#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

// The array divided into blocks. Shapes are in the caller's elements; complex ones count as one.
typedef struct padici_codec_grid {
    padic_dtype dtype;
    uint32_t rank; // as given; the arrays below have at least one entry
    uint32_t axes;
    uint64_t shape[PADIC_MAX_RANK];
    uint64_t block[PADIC_MAX_RANK];
    uint64_t blocks[PADIC_MAX_RANK]; // along each axis
    uint64_t total;
    uint32_t element; // bytes
    size_t capacity;  // scalars in the largest block
    uint32_t span;    // blocks per super-block; 1: none
    uint32_t window;  // those of a super-block that exist in the array
} padici_codec_grid;

#define PADICI_CODEC_SHAPE_QUANTITIES 8u // a slowest axis of so many may be of different things

PADICI_FN uint32_t padici_codec_parts(padic_dtype dtype);
PADICI_FN padic_dtype padici_codec_scalar(padic_dtype dtype);
PADICI_FN padic_result padici_codec_grid_finish(padici_codec_grid *grid);
PADICI_FN void padici_codec_grid_fit(padici_codec_grid *grid);
PADICI_FN void padici_codec_grid_choose(padici_codec_grid *grid, int profile, uint64_t target);
PADICI_FN int padici_codec_grid_balance(padici_codec_grid *grid, uint32_t axes, uint64_t target);
PADICI_FN padic_result padici_codec_grid_make(const padic_codec_pack_desc *desc,
                                              padici_codec_grid *grid);
PADICI_FN PADICI_NOINLINE void padici_codec_grid_block(const padici_codec_grid *grid,
                                                       uint64_t index, uint64_t *begin,
                                                       uint64_t *extent, padici_codec_box *box);
PADICI_FN void padici_codec_swap_elements(uint8_t *data, size_t n, uint32_t size);
PADICI_FN void padici_codec_copy_box(uint8_t *to, const int64_t *to_stride, padic_dtype to_dtype,
                                     const uint8_t *from, const int64_t *from_stride,
                                     padic_dtype dtype, const uint64_t *extent, uint32_t axes,
                                     padici_codec_copier copy, uint64_t all);
PADICI_FN void padici_codec_dense_strides(const uint64_t *shape, uint32_t axes, int64_t *stride);

#endif
