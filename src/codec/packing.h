#pragma once
#include "../core/jobs.h"
#include "../core/platform.h"
#include "block_decode.h"
#include "choose_transform.h"
#include "grid.h"
#include "header.h"
#include "loops.h"
#include "pack_check.h"
#include "repeats.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

// Destination of packed bytes: memory up to its capacity, or the caller's function.
typedef struct padici_codec_sink {
    uint8_t *dst;
    uint64_t capacity, written;
    padic_codec_write write;
    void *user;
} padici_codec_sink;

PADICI_FN padic_result padici_codec_output(padici_codec_sink *sink, const void *data, size_t size);

// Blocks that one worker starts and others may continue: those that share a hint, a super-block
// within a tolerance, or one block; fewer if there are not enough slots.
typedef struct padici_codec_work_group {
    uint64_t number, next, end; // blocks [next, end) are not taken yet
    int busy;  // not to be taken: a worker loads blocks, or makes the hint
    int loads; // its first worker loads blocks
    padici_codec_hint hint;
} padici_codec_work_group;

// One packing: several workers, each with its own memory, take blocks in order as far as possible.
// In memory a frame gets its place once all earlier ones are packed; until then it has a slot.
typedef struct padici_codec_packing {
    padici_codec_header header;
    padici_codec_tolerance tolerance;
    padici_codec_sink sink;
    const padic_jobs *jobs;
    padici_codec_loops loops;
    uint32_t workers;
    padici_codec_work *work; // one per worker
    uint8_t *staged;   // `batch` slots of a frame each; with one worker its own payload
    size_t slot;
    uint32_t batch;
    const uint8_t *data; // the source, its strides, and its first row
    int64_t stride[PADIC_MAX_RANK];
    uint64_t first_row;
    uint64_t first, count; // current blocks
    padici_codec_side reference, importance;
    padici_codec_tolerance layers[PADICI_CODEC_MAX_LAYERS]; // the last one as requested
    uint32_t layer;                         // the emitted one
    const uint8_t *above;                   // frames of the layers before; NULL: not available
    int measuring;                          // squares of errors replace checksums
    int proving;                            // blocks are decoded and compared
    int forced;                             // the desc names stages or a profile
    padici_codec_hint hint;                 // of the group of the last blocks before these
    struct padici_codec_kept *kept; // the super-blocks in progress: number k is in kept[k % supers]
    uint32_t supers;
    long lock;                      // protects everything below
    uint64_t begun, placed, copied; // before these blocks: groups are begun, places known, left
    uint64_t *places;               // destinations of their frames
    const uint8_t **frames;         // of each slot: the waiting frame
    padici_codec_work_group *groups; // number k is in groups[k % (2 * workers)]
    uint64_t born, low;             // groups started, those before the first with blocks to take
    uint64_t ready;                 // blocks to take in groups that are not busy
    padici_codec_hint last;
    double squares;                 // their sum
    double allowed;                 // PADIC_CODEC_TOLERANCE_RMS: its final limit
    padici_steps steps;             // blocks
} padici_codec_packing;

// The packer's state of a super-block.
typedef struct padici_codec_kept {
    uint32_t open;    // blocks started and not yet packed
    uint32_t loaded;  // of its blocks, exact: all that there are at once
    int loading;      // more are loaded now
    uint8_t *history; // elements of its blocks so far, in `room` or in the source, and where each
    uint8_t *room;    // begins
    size_t starts[PADICI_CODEC_WINDOW_MOST + 1];
    uint32_t *picks;  // elements where repeats are searched for first
    size_t picked[PADICI_CODEC_WINDOW_MOST + 1];
} padici_codec_kept;

#define PADICI_CODEC_BATCH 4u // slots per worker, if there are several, at least
#define PADICI_CODEC_KEPT ((sizeof(padici_codec_kept) + 63) & ~(size_t)63)

PADICI_FN uint64_t padici_codec_packing_memory(const padici_codec_grid *grid, uint32_t workers,
                                               uint32_t blocks);
PADICI_FN void padici_codec_packing_place(padici_codec_packing *packing,
                                          const padic_codec_pack_desc *desc, uint32_t blocks,
                                          void *memory);

#endif
