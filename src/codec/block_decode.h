#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "differences.h"
#include "transforms.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_INLINE void padici_codec_copy_32(uint8_t *to, const uint8_t *from)
{
    memcpy(to, from, 8);
    memcpy(to + 8, from + 8, 8);
    memcpy(to + 16, from + 16, 8);
    memcpy(to + 24, from + 24, 8);
}

// Copies `count` elements from `distance` elements before `to`, which may overlap, with `room` in
// all. A few are copied one by one: a processor forwards each from its store to the next load.
PADICI_INLINE void padici_codec_copy_back(uint8_t *to, size_t distance, size_t count, size_t room,
                                          uint32_t size)
{
    const uint8_t *from = to - distance * size;
    size_t step = distance * size, left = count * size, k;
    if (count <= 4 && room >= 4) {
        memcpy(to, from, size);
        memcpy(to + size, from + size, size);
        memcpy(to + 2 * size, from + 2 * size, size);
        memcpy(to + 3 * size, from + 3 * size, size);
    } else if (step >= 32 && left <= 96 && room >= 128 / size) {
        for (k = 0; k < left; k += 32) padici_codec_copy_32(to + k, from + k);
    } else {
        for (; left > step; step += step) { // what is copied doubles each time
            memcpy(to, from, step);
            to += step;
            left -= step;
        }
        memcpy(to, from, left);
    }
}

// The stage bytes and parameters at the head of a payload.
typedef struct padici_codec_plan {
    padici_codec_transform transform;
    uint32_t flags, pattern, representation;
    uint32_t split; // low bits of n that are separate streams
    uint32_t reach; // blocks of the window
    size_t repeats; // of the pattern MATCH
    uint64_t constant, digest; // of the reference
    padici_codec_predictor predictor;
    size_t m; // words in the representation: fewer than elements after a pattern
} padici_codec_plan;

// Levels 1 to 5 choose transform and predictor in the first block of a group and reuse them for
// the others as long as they fit. Only that block's elements decide, whichever worker asks.
#define PADICI_CODEC_HINT_GROUP 4u

// What made a payload.
enum {
    PADICI_CODEC_WAY_ANY,     // something that no block follows
    PADICI_CODEC_WAY_WORDS,   // predicted words, or runs of them
    PADICI_CODEC_WAY_REPEATS, // repeats of words
    PADICI_CODEC_WAY_MATCHES, // repeats of elements,
    PADICI_CODEC_WAY_UPPER,   // of their upper parts,
    PADICI_CODEC_WAY_BYTES    // of bytes
};

typedef struct padici_codec_hint {
    uint64_t group; // number of its group, + 1
    int lead, found, use; // this is the first block; the hint is valid; it is to be used
    padici_codec_transform transform;
    padici_codec_predictor predictor;
    uint64_t cost;  // per word, in 1/256 bits
    uint32_t share; // share of elements that start a repeat, of 256
    uint32_t match; // size with repeats relative to without, of 256; 0: not tried
    uint64_t size;  // of the payload, in 1/256 bits per word
    uint64_t here;  // cost per word of the current block
    // Levels 3 to 5: what made its payload, the bits that were split off; shares of repeats with
    // each split; the predictor for literals; the cost of plain differences; the size without
    // repeats, as `size`, and relative to its estimate, of 1024.
    uint32_t way, split, shares[3];
    padici_codec_predictor simple;
    uint64_t base, plain, rate, exceptions;
    int tried;     // repeats of words were
    int alone;     // next to nothing repeats
    uint32_t done; // of the current block: the way that was tried first; 0: none
    int strayed;   // it does not follow
} padici_codec_hint;

PADICI_FN PADICI_NOINLINE void padici_codec_take_plan(padici_codec_reader *in,
                                                      const padici_codec_box *box,
                                                      padici_codec_plan *plan);
PADICI_FN PADICI_NOINLINE void padici_codec_take_pattern(padici_codec_work *w,
                                                         padici_codec_reader *in,
                                                         const padici_codec_box *box,
                                                         const padici_codec_plan *plan, int skip);

// One of 2^share elements, chosen by what it is.
PADICI_INLINE uint32_t padici_codec_is_picked(uint64_t upper, uint32_t share)
{
    return (uint32_t)(upper ^ upper >> 32) * 0x9e3779b1u >> (32 - share) == 0;
}

// Word of element i in the transform FIELDS: the bits, rotated left by one.
PADICI_INLINE uint64_t padici_codec_fields_of(uint32_t size, const uint8_t *raw, size_t i)
{
    const uint64_t bits = padici_codec_element(raw, i, size);
    return (bits << 1 & (~UINT64_C(0) >> (64 - 8 * size))) | bits >> (8 * size - 1);
}

PADICI_INLINE uint64_t padici_codec_fields(const padici_codec_box *box, const uint8_t *raw,
                                           size_t i)
{
    return padici_codec_fields_of(box->size, raw, i);
}

PADICI_FN size_t padici_codec_pick_plain(const uint8_t *raw, size_t n, uint32_t size,
                                         uint32_t split, uint32_t share, uint32_t *picks);

#endif
