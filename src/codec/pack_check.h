#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "grid.h"
#include "header.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE padic_result padici_codec_fail(padic_context *context,
                                                         const char *operation,
                                                         const padici_codec_header *header,
                                                         padic_result result);

// An array known to packer and unpacker, or NULL; and the strides of its elements.
typedef struct padici_codec_side {
    const uint8_t *data;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t shape[PADIC_MAX_RANK];
} padici_codec_side;

PADICI_FN void padici_codec_take_side(const padic_tensor *t, padici_codec_side *aside);
PADICI_FN padic_result padici_codec_side_fits(const padic_tensor *t, padic_dtype dtype,
                                              const padici_codec_grid *grid, const uint64_t *shape);
PADICI_FN void padici_codec_load_reference(padici_codec_work *w, const padici_codec_side *aside,
                                           const padici_codec_grid *grid, uint64_t index);
PADICI_FN void padici_codec_next_layer(padici_codec_work *w, const padici_codec_box *box,
                                       uint64_t index);

// The purpose of a check: packing, only its sizes, or a stream, whose tensor has no data and may
// have no length yet.
enum { PADICI_CODEC_CHECK_PACK, PADICI_CODEC_CHECK_SIZES, PADICI_CODEC_CHECK_STREAM };

#define PADICI_CODEC_HALF_ALLOCATOR "allocator has only one of alloc and free: give both, or none"

PADICI_FN padic_result padici_codec_check(const padic_codec_pack_desc *desc, int purpose,
                                          padici_codec_header *header);

#endif
