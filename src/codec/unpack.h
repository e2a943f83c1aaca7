#pragma once
#include "../core/jobs.h"
#include "../core/platform.h"
#include "grid.h"
#include "header.h"
#include "loops.h"
#include "pack_check.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

// The blocks that intersect a box, decoded by several workers; without a destination only verified.
typedef struct padici_codec_unpacking {
    padici_codec_header header;
    padici_codec_loops loops;
    // initially 0
    const uint8_t *src, *offsets;
    uint64_t size;
    uint64_t begin[PADIC_MAX_RANK], count[PADIC_MAX_RANK]; // the box
    uint64_t from[PADIC_MAX_RANK], blocks[PADIC_MAX_RANK]; // the blocks that intersect it
    uint64_t total, bytes;      // blocks; bytes of the destination
    const padic_tensor *tensor; // NULL: verify
    int64_t stride[PADIC_MAX_RANK];
    padici_codec_work *work;
    uint64_t *bad; // of each worker: its first damaged block
    uint32_t workers;
    long lock;       // protects:
    uint64_t claims; // blocks assigned
    uint32_t layers; // to decode
    padici_codec_side reference;
    padici_steps steps; // blocks
} padici_codec_unpacking;

// The use of a decoded block.
enum { PADICI_CODEC_BLOCK_STORE = 1, PADICI_CODEC_BLOCK_KEEP = 2 };

PADICI_FN int padici_codec_unpack_block(const padici_codec_unpacking *unpacking,
                                        padici_codec_work *w, uint64_t index,
                                        const padici_codec_frame *frame, int use);
PADICI_FN padic_result padici_codec_unpack_refusal(const padici_codec_unpacking *unpacking,
                                                   int mismatch);
PADICI_FN padic_result padici_codec_unpack_side(padici_codec_unpacking *unpacking,
                                                const padic_codec_unpack_desc *desc);
PADICI_FN padic_result padici_codec_unpack_region(padici_codec_unpacking *unpacking,
                                                  const padic_codec_unpack_desc *desc, int verify);
PADICI_FN PADICI_NOINLINE uint64_t padici_codec_unpack_memory(const padici_codec_grid *grid,
                                                              uint32_t workers);
PADICI_FN void padici_codec_unpack_place(padici_codec_unpacking *unpacking, uint8_t *at);
PADICI_FN uint64_t padici_codec_unpack_limit(const padic_codec_unpack_desc *desc);
PADICI_FN padic_result padici_codec_unpack_all(padic_context *context, padici_codec_unpacking *all,
                                               const padic_codec_unpack_desc *desc, int verify,
                                               uint64_t *bad);

PADICI_FN PADICI_NOINLINE padic_result padici_codec_unpack_in_memory(
    padic_context *context, const padic_codec_unpack_desc *desc, int verify);
PADICI_FN PADICI_NOINLINE padic_result padici_codec_info_in_memory(const padic_bytes *packed,
                                                              padic_codec_report *report);

struct padic_codec_unpacker {
    padici_codec_unpacking unpacking;
    padic_context *context;
    const padic_allocator *allocator;
    size_t total;
    padic_codec_read read;
    void *user;
    padici_codec_frame *frames; // frames of waiting blocks, one per worker,
    uint8_t *payload;     // and their payloads
    uint64_t payload_room, payload_step;
    const padic_jobs *jobs;
    uint8_t *slab; // rows of blocks, decoded
    uint64_t deep; // number of rows
    uint64_t row_bytes, held, given, rows, consumed, block;
    uint8_t last[8];        // the last bytes read
    uint64_t frame, places; // frames read; their offsets' part of the index's checksum
    uint64_t output_limit;
    padic_codec_unpack_report *report;
    padic_tensor tensor;
    padic_result failed;
    int ended;
};

PADICI_FN uint64_t padici_codec_payload_step(const padici_codec_grid *grid);
PADICI_FN uint64_t padici_codec_pull_memory(const padici_codec_grid *grid, uint32_t workers,
                                            uint64_t deep);
PADICI_FN void padici_codec_fill_report(const padici_codec_header *header,
                                        padic_codec_report *report);

#endif
