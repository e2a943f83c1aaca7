#pragma once
#include "choose_profiles.h"
#include "header.h"
#include "../core/platform.h"
#include "../context/operation.h"
#include "../context/view_task.h"

#ifndef PADIC_NO_CODEC

// What a driver gets: `blocks` runs of elements. Block b begins with scalar b / per_row * row +
// b % per_row * step, and has the next step of them, but no more than the row has.
typedef struct padici_codec_drive {
    uint32_t size, kind; // bytes of a scalar; kind: 0 unsigned, 1 signed, 2 float
    uint32_t fetch, coded, header_size;
    uint64_t blocks, per_row, row, step;
    uint64_t rows, inner;  // extent of a block along axis 0; 0: its scalars / inner
    uint64_t length;       // shape[0], for the index
    const uint8_t *header; // packing: the bytes of the header
    padici_place array, packed;
    uint64_t room;  // bytes at `packed`; unpacking: those before the index
    uint64_t total; // packing: becomes the bytes of the stream; above `room`: none was written
    uint64_t bad;   // unpacking: becomes a block that the host must read, or UINT64_MAX
    uint32_t unseen; // unpacking, 1: the driver reads the index; stays 1 where there is none
    uint32_t mostly; // unpacking: whether the first block is coded
    uint32_t proving, reencoded; // packing: blocks are proved; those that did not come back
    uint32_t wrong;              // 1: neither did they as they are, or header or index did not
    int bounded;    // there may be blocks of a scale; packing: these, and the one to begin with
    padici_codec_scales scales;
    uint32_t guess, asked; // asked: for the range of the elements alone
    double low, high;
} padici_codec_drive;

// The calls. Views 0 and 1 are the array and the packed bytes.
typedef struct padici_codec_pack_request {
    padici_view_task view;             // none where all lies in host memory
    const padic_codec_pack_desc *here; // the desc whose arrays do: the caller's, or
    padic_codec_pack_desc desc;        // a copy, with a report
    padic_tensor packed;               // desc.packed
    uint64_t written;
} padici_codec_pack_request;

typedef struct padici_codec_unpack_request {
    padici_view_task view;
    const padic_codec_unpack_desc *here;
    padic_codec_unpack_desc desc;
    padic_tensor packed;
    padic_result damage; // what the host found: all but that is written
    int verify;          // without an array
} padici_codec_unpack_request;

typedef struct padici_codec_info_request {
    padici_view_task view;
    padic_codec_info_desc desc;
    padic_tensor packed;
} padici_codec_info_request;

PADICI_FN int padici_codec_runs(const padici_codec_header *header, padici_codec_drive *d);

#endif
