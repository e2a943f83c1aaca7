#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "grid.h"
#include "header.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE padic_result padici_codec_fail(padic_context *context,
                                                         const char *operation,
                                                         const padici_header *header,
                                                         padic_result result);

// An array that packer and unpacker both have, or NULL; and the strides of its elements.
typedef struct padici_aside {
    const uint8_t *data;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t shape[PADIC_MAX_RANK];
} padici_aside;

PADICI_FN void padici_take_aside(const padic_tensor *t, padici_aside *aside);
PADICI_FN padic_result padici_aside_fits(const padic_tensor *t, padic_dtype dtype,
                                         const padici_grid *grid, const uint64_t *shape);
PADICI_FN void padici_load_reference(padici_work *w, const padici_aside *aside,
                                     const padici_grid *grid, uint64_t index);
PADICI_FN void padici_next_layer(padici_work *w, const padici_box *box, uint64_t index);

// What a desc is checked for: packing, its sizes alone, or a stream, whose tensor has no data and
// may have no length yet.
enum { PADICI_CHECK_PACK, PADICI_CHECK_SIZES, PADICI_CHECK_STREAM };

PADICI_FN padic_result padici_codec_check(const padic_codec_desc *desc, int purpose,
                                          padici_header *header);

#endif
