#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "bytes.h"
#include "loops.h"
#include "policy.h"

#ifndef PADIC_NO_CODEC

// Working memory of one block, laid out by padici_codec_work_layout(), shared by its stages.
typedef struct padici_codec_work {
    size_t capacity;                // elements of the largest block
    const padici_codec_loops *loops;
    uint64_t *words, *other; // block elements
    uint64_t *list;          // three lists as long: patterns, exceptions, planes of bytes
    uint64_t *gaps;          // two lists of an eighth: sparse streams, exceptions of widths
    uint64_t *pieces;        // three lists of a third: repeats of bytes; their literals
    uint8_t *literals;       // and tokens
    uint8_t *rows; // steps of rANS with contexts
    uint8_t *symbols, *spare;       // one stream of bytes; its sparse part
    uint8_t *raw;                   // the elements, little-endian
    uint8_t *record;                // the same, while it is split into columns
    uint8_t *reference;             // the reference block, of the same size
    uint64_t digest;                // of the reference
    int referenced, mismatch;       // one is present; it is not the one this block needs,
    int refused;                    // as for the worker's first damaged block
    int bounded, line;              // words within a tolerance; words of no box
    int windowed;                   // blocks may repeat earlier ones
    int column;                     // the packed data is a column of a record
    void *table;                    // decoding tables: PADICI_CODEC_TABLES_SIZE
    uint8_t *window;       // the needed elements of the super-block's blocks
    size_t starts[65];     // where each block begins there
    uint64_t super, held;  // number of the super-block; bit set of its available blocks
    const uint8_t *history; // elements before the block,
    size_t past;            // their number
    // packer only
    uint64_t *trial, *hold; // candidates' words
    uint8_t *payload;       // the coded block, and an alternative after it
    uint16_t *rans;         // words of one rANS stream
    uint8_t *contexts;      // of the symbols of one stream with contexts
    uint64_t *keys;         // of the block, shifted by
    uint32_t keyed;         // this less 1; 0: no keys
    uint32_t *price;        // of all words before each one, as literals, in 1/16 bits
    uint32_t *picks;        // where repeats are searched for first; also of the window
    const uint32_t *past_picks;
    size_t picks_count, past_count;
    int probed;
    uint32_t share[3];      // estimated saving, of 256, for each split
    uint32_t each;          // price of a word at that time
    int may_context;        // the header allows streams with contexts,
    int may_plain;          // raw bits of floats,
    int may_repeat;         // repeats of bytes; 2: at any cost in time,
    int may_match;          // repeats of elements,
    int may_weigh;          // weighted neighbours,
    padic_dtype floats;     // dtype for weights of floats, where words are ordered bits
    uint32_t slot;          // the block in its super-block: w->starts[0..slot]
    size_t behind;          // usable elements of the window
    uint32_t *head;         // heads and chains of repeats of elements,
    uint32_t *past_table;          // and those of the window's,
    uint64_t past_super, past_like; // of the super-block with this number and such elements,
    size_t past_size, past_end;     // of the first so many before this one
    uint32_t *past_seen;               // the same for the window's selected elements: the last of
    uint64_t past_seen_super;          // each hash, of `past_seen_count` of them, by so many
    size_t past_seen_count;            // elements
    uint32_t past_seen_key;
    uint64_t steady; // the super-block, 0: its elements may change
    size_t row, plane;      // distance to neighbours in the block, in elements; 0: none
    uint32_t *hash;         // heads and chains of the repeat finder
    uint32_t *off;          // exceptions of the transform,
    uint64_t *fix;          // and their error, in ordered bits, folded
    uint8_t *kept, *stack;  // the payload that columns must beat; their stage bytes
    padici_codec_writer out;
    struct padici_codec_hint *hint; // up to level 5: what the first block of a group chose
    int enough;  // what the first block of the group chose fits
    size_t best; // size of the best payload so far,
    size_t plain; // of the best without a pattern or repeats of bytes; 0: none
    uint64_t spared; // by repeats of bytes in the current payload
    uint64_t reencoded; // blocks that failed the proof
    int broken;         // a raw block failed, too
    double squares;     // PADIC_CODEC_TOLERANCE_RMS: error sum of its blocks
    padic_codec_stages stages;
    uint32_t prime, profile; // padic_codec_profile
    const padici_codec_policy *policy; // of the level
    uint64_t first; // subtracted from unpredicted words
    uint64_t smooth; // estimate of 1,024 elements as a smooth field; UINT64_MAX: it is none
    uint64_t passed; // the same of the transform that may be passed over for it
} padici_codec_work;

// Statistics of the bytes of a payload, filled while it is read.
typedef struct padici_codec_histogram {
    uint64_t bytes[PADIC_CODEC_STREAM_KINDS], coders[8], exceptions;
} padici_codec_histogram;

PADICI_INLINE int padici_codec_allowed(uint32_t mask, uint32_t choice)
{
    return mask == 0 || (mask >> choice & 1);
}

// Magnitude buckets. A token keeps the m bits below the leading one: z < 2^(m+1) is its own token,
// otherwise, with c its bit length, the token is (c - m) 2^m + the next m bits, and the e = c - 1 -
// m bits below stay plain.
PADICI_INLINE uint32_t padici_codec_token(uint64_t z, uint32_t m, uint32_t *extra)
{
    uint32_t e;
    if (z < (uint64_t)2 << m) {
        *extra = 0;
        return (uint32_t)z;
    }
    e = 63 - m - padici_clz64(z);
    *extra = e;
    return ((e + 1) << m) + (uint32_t)((z >> e) & ((1u << m) - 1));
}

PADICI_FN uint64_t padici_codec_make_tokens(const uint64_t *z, size_t n, uint32_t m,
                                            uint8_t *tokens, uint32_t *widest);
PADICI_FN padici_codec_bits padici_codec_put_plain_bits(padici_codec_bits bits, const uint64_t *z,
                                                        const uint8_t *tokens, size_t n,
                                                        uint32_t m);
PADICI_FN void padici_codec_put_plain_loop(const uint64_t *z, const uint8_t *tokens, size_t n,
                                           uint32_t m, uint32_t widest, uint8_t *p);
PADICI_FN void padici_codec_put_buckets(padici_codec_work *w, const uint64_t *z, size_t n,
                                        uint32_t m, uint8_t *tokens, int nested);

// The representation during decoding: its streams are decoded at the start, words are assembled on
// demand, so that the next stage finds them in the first cache.
typedef struct padici_codec_decoder {
    uint32_t planes;         // of bytes
    const uint8_t *plane[8]; // low to high
    const uint8_t *tokens;   // magnitude buckets
    uint64_t *base, *mask; // of each token, when `mask` is set
    uint8_t *extra;
    const uint8_t *plain;
    uint64_t at, end; // bits of `plain`; for groups bytes
    uint32_t widest, m;
    const uint8_t *widths;        // of groups, whose bits are in `plain`,
    const uint64_t *gaps, *high;  // and the remaining exceptions
    size_t exceptions, place;     // the next one, as a word index
} padici_codec_decoder;

PADICI_FN void padici_codec_begin_buckets(padici_codec_work *w, padici_codec_reader *in, size_t n,
                                          uint8_t *tokens, int nested,
                                          padici_codec_histogram *histogram,
                                          padici_codec_decoder *decoder);
PADICI_FN size_t padici_codec_buckets_loop(padici_codec_decoder *decoder, uint64_t *z, size_t from,
                                           size_t to);
PADICI_FN PADICI_NOINLINE void padici_codec_take_buckets(padici_codec_work *w,
                                                         padici_codec_reader *in, uint64_t *z,
                                                         size_t n, uint8_t *tokens, int nested,
                                                         padici_codec_histogram *histogram);
PADICI_FN void padici_codec_put_packed(padici_codec_writer *out, const uint8_t *data, size_t n,
                                       uint32_t base, uint32_t width);
PADICI_FN void padici_codec_packed_bytes(const uint8_t *p, uint32_t base, uint32_t width,
                                         uint8_t *data, size_t n);
PADICI_FN void padici_codec_take_packed(const padici_codec_work *w, padici_codec_reader *in,
                                        uint8_t *data, size_t n);
PADICI_FN void padici_codec_put_sparse(padici_codec_work *w, const uint8_t *data, size_t n,
                                       size_t nonzero);
PADICI_FN void padici_codec_take_sparse(padici_codec_work *w, padici_codec_reader *in,
                                        uint8_t *data, size_t n, padici_codec_histogram *histogram);
PADICI_FN PADICI_NOINLINE void padici_codec_count_bytes(const uint8_t *data, size_t n,
                                                        uint32_t counts[256], uint32_t *tables);
PADICI_FN int padici_codec_is_noise(const uint8_t *data, size_t n, uint32_t counts[256]);

#endif
