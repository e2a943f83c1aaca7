#pragma once
#include "choose_profiles.h"
#include "header.h"
#include "../core/platform.h"
#include "../context/operation.h"
#include "../context/view_task.h"

#ifndef PADIC_NO_CODEC

// A driver's job: `blocks` runs of elements. Block b begins with scalar b / per_row * row + b %
// per_row * step, and has the next `step` scalars, up to the end of the row.
typedef struct padici_codec_drive {
    uint32_t size, kind; // bytes of a scalar; kind: 0 unsigned, 1 signed, 2 float
    uint32_t fetch, coded, header_size;
    uint64_t blocks, per_row, row, step;
    uint64_t rows, inner;  // extent of a block along axis 0; 0: its scalars / inner
    uint64_t length;       // shape[0], for the index
    const uint8_t *header; // packing: the bytes of the header
    padici_place array, packed;
    uint64_t room;  // bytes at `packed`; unpacking: those before the index
    uint64_t total; // packing, out: bytes of the stream; above `room`: nothing was written
    uint64_t bad;   // unpacking, out: a block that the host must read, or UINT64_MAX
    uint32_t unseen; // unpacking, 1: the driver reads the index; stays 1 where there is none
    uint32_t mostly; // unpacking: whether the first block is coded
    uint32_t proving, reencoded; // packing: blocks are verified; blocks that failed this
    uint32_t wrong;              // 1: raw blocks, header or index failed this, too
    int bounded;    // blocks may have a scale; packing: the scales, and the first one to try
    padici_codec_scales scales;
    uint32_t guess, asked; // asked: only the range of the elements is requested
    double low, high;
} padici_codec_drive;

// The calls. Views 0 and 1 are the array and the packed bytes.
typedef struct padici_codec_pack_request {
    padici_view_task view;             // empty if everything lies in host memory
    const padic_codec_pack_desc *here; // the desc with host arrays: the caller's, or
    padic_codec_pack_desc desc;        // a copy, with a report
    padic_tensor packed;               // desc.packed
    uint64_t written;
} padici_codec_pack_request;

typedef struct padici_codec_unpack_request {
    padici_view_task view;
    const padic_codec_unpack_desc *here;
    padic_codec_unpack_desc desc;
    padic_tensor packed;
    padic_result damage; // the host's result: everything but that is written
    int verify;          // without an array
} padici_codec_unpack_request;

typedef struct padici_codec_info_request {
    padici_view_task view;
    padic_codec_info_desc desc;
    padic_tensor packed;
} padici_codec_info_request;

PADICI_FN int padici_codec_runs(const padici_codec_header *header, padici_codec_drive *d);

#endif
