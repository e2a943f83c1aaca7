#pragma once
#include "../core/jobs.h"
#include "../core/platform.h"
#include "block_decode.h"
#include "choose_form.h"
#include "grid.h"
#include "header.h"
#include "loops.h"
#include "pack_check.h"
#include "repeats.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

// Where packed bytes go: into memory as far as it reaches, or to the caller's function.
typedef struct padici_sink {
    uint8_t *dst;
    uint64_t capacity, written;
    padic_codec_write write;
    void *user;
} padici_sink;

PADICI_FN padic_result padici_emit(padici_sink *sink, const void *data, size_t size);

// Blocks that one worker begins with and others may go on with: a super-block, those that share a
// hint, or one block; less where the slots do not reach.
typedef struct padici_group {
    uint64_t number, next, end; // blocks [next, end) no worker has
    int busy;                   // not to be taken: the one before is loaded, or makes the hint
    padici_hint hint;
} padici_group;

// One packing: several workers, each with its own memory, take blocks in order as far as they can.
// Into memory a frame goes to its place once all before it are packed; till then it has a slot.
typedef struct padici_packing {
    padici_header header;
    padici_bound bound;
    padici_sink sink;
    const padic_jobs *jobs;
    padici_codec_loops loops;
    uint32_t workers;
    padici_work *work; // one a worker
    uint8_t *staged;   // `batch` slots for a frame each; of one worker its own payload's place
    size_t slot;
    uint32_t batch;
    const uint8_t *data; // the source, its strides, and the row it begins at
    int64_t stride[PADIC_MAX_RANK];
    uint64_t first_row;
    uint64_t first, count; // blocks in work
    padici_aside reference, importance;
    padici_bound layers[PADICI_MAX_PLANES]; // the last one as asked for
    uint32_t layer;                         // that is emitted
    const uint8_t *above;                   // where those before were; NULL: they are not there
    int measuring;                          // in place of a checksum: squares of errors
    int proving;                            // blocks are decoded and compared
    padici_hint hint;                       // of the group that the blocks before ended in
    struct padici_kept *kept; // the super-blocks in work: number k is in kept[k % supers]
    uint32_t supers;
    long lock;                      // for all that follows
    uint64_t begun, placed, copied; // before these blocks: groups are begun, places known, left
    uint64_t *places;               // where their frames go
    const uint8_t **frames;         // of each slot: the frame that waits there
    padici_group *groups;           // number k is in groups[k % (2 * workers)]
    uint64_t born, low;             // groups begun, those before the first with blocks to take
    uint64_t ready;                 // blocks to take in groups that are not busy
    padici_hint last;
    double squares;                 // their sum
    double allowed;                 // PADIC_BOUND_RMS: what that may be at the end
    padici_steps steps;             // blocks
} padici_packing;

// What the packer keeps of a super-block.
typedef struct padici_kept {
    uint32_t open;    // blocks begun and not packed
    uint8_t *history; // elements of its blocks so far, and where each begins
    size_t starts[PADICI_WINDOW_MOST + 1];
    uint32_t *picks;  // and where repeats are looked for in them, first
    size_t picked[PADICI_WINDOW_MOST + 1];
} padici_kept;

#define PADICI_BATCH 4u // slots for each of several workers, at least
#define PADICI_KEPT ((sizeof(padici_kept) + 63) & ~(size_t)63)

PADICI_FN uint64_t padici_packing_memory(const padici_grid *grid, uint32_t workers,
                                         uint32_t blocks);
PADICI_FN void padici_packing_place(padici_packing *packing, const padic_codec_desc *desc,
                                    uint32_t blocks, void *memory);

#endif
