#pragma once
#include "../core/platform.h"

// ---- loops that a backend in host memory may replace (PADIC_OP_CODEC_LOOPS): the same bytes,
// sooner

#ifndef PADIC_NO_CODEC

struct padici_codec_tolerance;

struct padici_codec_context_plan;

struct padici_codec_decoder;

struct padici_codec_transform;

struct padici_codec_op;

struct padici_codec_predictor;

struct padici_codec_tap_places;

struct padici_codec_wave;

typedef void (*padici_codec_copier)(void *to, const void *from, size_t size, uint64_t all);

typedef struct padici_codec_loops {
    uint64_t (*checksum)(const void *data, size_t size, uint64_t seed);
    // z[i] = bits [i width, (i + 1) width) of `p`; 8 bytes after `end` may be loaded
    void (*fixed)(const uint8_t *p, const uint8_t *end, uint32_t width, uint64_t *z, size_t n);
    // and back, with `room` bytes to write in, at least 8 more than the bits take
    void (*put_fixed)(const uint64_t *z, size_t n, uint32_t width, uint8_t *p, size_t room);
    // words [from, to) of magnitude buckets; returns where it stopped
    size_t (*buckets)(struct padici_codec_decoder *decoder, uint64_t *z, size_t from, size_t to);
    void (*planes)(const struct padici_codec_decoder *decoder, uint64_t *z, size_t from, size_t to);
    // symbols by whole rounds of 32; returns the position of the next word in `p`, *done symbols
    const uint8_t *(*rans)(uint32_t state[32], const uint32_t *table, const uint8_t *p,
                           const uint8_t *end, uint8_t *data, size_t n, size_t *done);
    // whole steps of rANS with contexts; returns how many. `rows` is scratch
    size_t (*context)(const struct padici_codec_context_plan *plan, const uint32_t *table,
                      const uint8_t *map, uint32_t state[32], uint8_t *data, size_t n,
                      const uint8_t **p, const uint8_t *end, uint8_t *rows, size_t room);
    // the table of one context: as many entries per symbol as its frequency, 4096 in all
    void (*rans_table)(const uint16_t freq[256], uint32_t *table);
    void (*sum)(uint64_t *x, size_t from, size_t to, const struct padici_codec_op *op,
                uint64_t carry[8], int zigzag, int exclusive);
    void (*elements)(const struct padici_codec_transform *transform, padic_dtype dtype,
                     const uint64_t *words, uint8_t *raw, size_t n);
    // the inverse: see padici_codec_elements_to_words
    size_t (*words)(const struct padici_codec_transform *transform,
                    const struct padici_codec_tolerance *tolerance, padic_dtype dtype,
                    uint32_t size, const uint8_t *raw, size_t n, uint64_t *words, uint32_t *off,
                    size_t most);
    // to[i] = x[i] - x[i - stride] inside segments, or xor, then folded; `to` may be `x`
    void (*difference)(const uint64_t *x, uint64_t *to, size_t n, const struct padici_codec_op *op,
                       int zigzag, int exclusive);
    // the least word, as a signed one; *differ has all bits in which any two differ
    uint64_t (*least)(const uint64_t *x, size_t n, uint64_t *differ);
    void (*lower)(uint64_t *x, size_t n, uint64_t first, uint32_t shift); // (x[i] - first) >> shift
    size_t (*runs)(const uint64_t *z, size_t n); // of equal words
    // the width of a group; its exceptions follow `count`: see padici_codec_fixed_group
    size_t (*group)(const uint64_t *z, size_t from, size_t to, uint8_t *width, uint64_t *gaps,
                    uint64_t *high, size_t count, size_t *before);
    // positions of the elements whose upper bits hash to 0, one of 2^share; room for n
    size_t (*pick)(const uint8_t *raw, size_t n, uint32_t size, uint32_t split, uint32_t share,
                   uint32_t *picks);
    uint64_t (*packed)(const uint64_t *z, size_t n); // bits of words as PACKED, in runs of 32
    // tokens of magnitude buckets; returns the number of plain bits, and the most of one word in
    // *widest
    uint64_t (*tokens)(const uint64_t *z, size_t n, uint32_t m, uint8_t *tokens, uint32_t *widest);
    // and the plain bits, with 8 bytes of slack
    void (*put_plain)(const uint64_t *z, const uint8_t *tokens, size_t n, uint32_t m,
                      uint32_t widest, uint8_t *p);
    void (*plane)(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to); // bytes z[i] >> shift
    // size in 1/256 bits of symbols with these counts: see padici_codec_entropy
    uint64_t (*entropy)(const uint32_t *counts, uint32_t symbols, uint32_t total);
    // the lowest bits of words that were split off: see padici_codec_join_split
    void (*join)(const struct padici_codec_transform *transform, uint32_t split, uint64_t *words,
                 const uint8_t *low, size_t plane, size_t n);
    // bytes of `width` 1 to 8 bits above `base`; 8 bytes after them may be loaded
    void (*packed_bytes)(const uint8_t *p, uint32_t base, uint32_t width, uint8_t *data, size_t n);
    // words [from, to) with weighted neighbours that all exist: see padici_codec_linear_run
    void (*linear)(const struct padici_codec_tap_places *taps, uint32_t shift, uint64_t *x,
                   uint64_t *z, size_t from, size_t to, int what);
    // the same for floats, several rows at once, of which none begins or ends
    void (*wave_steps)(const struct padici_codec_wave *wave, double *values, size_t steps);
    // residuals of interpolation to words
    void (*between)(const struct padici_codec_predictor *predictor, uint64_t *x, size_t n,
                    int zigzag);
    // and words to residuals with a scale of 31, in z and folded; words become the reader's
    void (*close)(const struct padici_codec_predictor *predictor, uint64_t *x, uint64_t *z,
                  size_t n);
    // the upper triangle of m + 1 rows of `row` doubles plus counts y y'
    void (*outer)(double *sums, size_t row, const double *y, uint32_t m, double counts);
    // PACKED words to elements, if all intermediate words fit into 32 bits: 1; otherwise 0, with
    // `space` (8 bytes per word) and `raw` overwritten. May be NULL
    int (*narrow)(const struct padici_codec_decoder *decoder,
                  const struct padici_codec_predictor *predictor, int zigzag,
                  const struct padici_codec_transform *transform, padic_dtype dtype, void *space,
                  uint8_t *raw, size_t n);
    // least and greatest of n values of F32 or F64 without NaN; *low > *high: there is none
    void (*range)(padic_dtype dtype, const uint8_t *raw, size_t n, double *low, double *high);
    // 1 if n values of F32 or F64 all differ by less than the tolerance; differences are rounded
    int (*within)(padic_dtype dtype, const uint8_t *a, const uint8_t *b, size_t n,
                  double tolerance);
    // memcpy to an array of `all` bytes, most of it uncached. May be NULL
    padici_codec_copier copy;
} padici_codec_loops;

#endif
