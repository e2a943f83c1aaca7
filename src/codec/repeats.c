#include "repeats.h"
#include "../core/words.h"
#include "bytes_repeats.h"
#include "choose_transform.h"
#include "constants.h"
#include "representation.h"
#include "prediction.h"

#if PADICI_IMPLEMENT_CODEC

// ---- repeats of elements
//
// The pattern MATCH copies elements of this block or of the blocks before it in the same
// super-block (the window): bit for bit, whatever their transform was. The remaining literals are
// one sequence of words, predicted and coded by itself. Distances are coded as 0 for the last one,
// 1 for the one before that, else distance + 1. Without literals and repeats the block equals the
// one `reach` blocks before.

// The number of blocks that a payload refers back.
PADICI_FN uint32_t padici_codec_reach(const uint8_t *payload, size_t size)
{
    return size > 2 && payload[0] < PADICI_CODEC_TRANSFORM_RAW &&
                   (payload[1] & PADICI_CODEC_BLOCK_WINDOW)
               ? payload[2]
               : 0;
}

// Literals and repeats to n elements of `size` bytes; w->past of them precede `end`. Distance codes
// are replaced by distances: 0 is the last one, 1 the one before that. With a split the elements
// are the upper bits of the box's, as words; those of the window are made on the fly.
PADICI_INLINE void padici_codec_expand_loop(padici_codec_reader *in, const uint8_t *literals,
                                            size_t m, uint64_t *lists, size_t third, size_t q,
                                            size_t past, const uint8_t *end, uint8_t *to, size_t n,
                                            uint32_t size, const padici_codec_box *box,
                                            uint32_t split)
{
    uint64_t last = 0, before = 0;
    size_t at = 0, used = 0, i, k;
    for (i = 0; i < q; i++) {
        const uint64_t run = lists[i], code = lists[2 * third + i], length = lists[third + i] + 1;
        const uint64_t same = 0 - (uint64_t)(code == 0), other = 0 - (uint64_t)(code == 1);
        const uint64_t named = (code - 1) & ~(same | other);
        const uint64_t distance = (last & same) | (before & other) | named; // no branches
        size_t part = 0;
        before ^= (before ^ last) & ~same;
        lists[2 * third + i] = last = distance;
        if (run > m - used || run > n - at || length > n - at - run || length == 0 ||
            distance == 0 || distance > past + at + run) {
            in->bad = 1;
            return;
        }
        if (run * size <= 32 && (m - used) * size >= 32 && (n - at) * size >= 32)
            padici_codec_copy_32(to + at * size, literals + used * size);
        else
            memcpy(to + at * size, literals + used * size, (size_t)run * size);
        at += (size_t)run;
        used += (size_t)run;
        if (distance > at) { // in the window
            part = padici_codec_least((size_t)distance - at, (size_t)length);
            if (!split) memcpy(to + at * size, end - (distance - at) * size, part * size);
            for (k = 0; split && k < part; k++) {
                const uint8_t *const p = end - (distance - at) * box->size;
                const uint64_t x = padici_codec_fields(box, p, k) >> split;
                memcpy(to + (at + k) * size, &x, sizeof x);
            }
            at += part;
            if (length == part) continue;
        }
        padici_codec_copy_back(to + at * size, (size_t)distance, (size_t)length - part, n - at,
                               size);
        at += (size_t)length - part;
    }
    if (m - used != n - at) in->bad = 1;
    else memcpy(to + at * size, literals + used * size, (m - used) * size);
}

// One loop per size.
PADICI_FN void padici_codec_expand_matches(padici_codec_reader *in, const uint8_t *literals,
                                           size_t m, uint64_t *lists, size_t third, size_t q,
                                           size_t past, const uint8_t *end, uint8_t *to, size_t n,
                                           uint32_t size)
{
    if (size == 1)
        padici_codec_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 1, NULL, 0);
    else if (size == 2)
        padici_codec_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 2, NULL, 0);
    else if (size == 4)
        padici_codec_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 4, NULL, 0);
    else
        padici_codec_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 8, NULL, 0);
}

// The end of the last element before the block; if there is none, an address that is not read.
static const uint8_t *padici_codec_history_end(const padici_codec_work *w,
                                               const padici_codec_box *box)
{
    return w->past ? w->history + w->past * box->size : w->raw;
}

PADICI_INLINE uint32_t padici_codec_low_joined(uint32_t apart, uint32_t source, uint32_t split)
{
    const uint32_t mask = (1u << (split - 1)) - 1, folded = apart >> 1;
    const uint32_t up = folded & 1 ? mask - (folded >> 1) : folded >> 1;
    return (((source >> 1) + up) & mask) << 1 | ((apart ^ source) & 1);
}

// Elements [from, to) of planes of n bytes; sources before the block end at `end`.
PADICI_INLINE void padici_codec_join_run(const padici_codec_box *box, uint32_t split, uint8_t *low,
                                         size_t distance, size_t from, size_t to,
                                         const uint8_t *end)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << split) - 1);
    const size_t n = box->n;
    size_t i = from;
    uint32_t k;
    for (; i < to && i < distance; i++) {
        const uint8_t *const p = end - (distance - i) * box->size;
        uint32_t apart = 0;
        for (k = 0; k < split; k += 8) apart |= (uint32_t)low[k / 8 * n + i] << k;
        apart = padici_codec_low_joined(apart & mask,
                                        (uint32_t)padici_codec_fields(box, p, 0) & mask, split);
        for (k = 0; k < split; k += 8) low[k / 8 * n + i] = (uint8_t)(apart >> k);
    }
    for (; i < to; i++) {
        uint32_t source = 0, apart = 0;
        for (k = 0; k < split; k += 8) {
            apart |= (uint32_t)low[k / 8 * n + i] << k;
            source |= (uint32_t)low[k / 8 * n + i - distance] << k;
        }
        apart = padici_codec_low_joined(apart & mask, source, split);
        for (k = 0; k < split; k += 8) low[k / 8 * n + i] = (uint8_t)(apart >> k);
    }
}

// Adds the sources' lowest bits to those of the copied elements, which are in planes of bytes.
static PADICI_NOINLINE void padici_codec_join_copied(const padici_codec_work *w,
                                                     const padici_codec_box *box,
                                                     const padici_codec_plan *plan, uint8_t *low)
{
    const size_t third = w->capacity + 1;
    const uint8_t *end = padici_codec_history_end(w, box);
    size_t at = 0, q;
    for (q = 0; q < plan->repeats; q++) {
        const size_t distance = (size_t)w->list[2 * third + q];
        const size_t from = at + (size_t)w->list[q];
        at = from + (size_t)w->list[third + q] + 1;
        if (plan->split == 1)
            padici_codec_join_run(box, 1, low, distance, from, at, end);
        else if (plan->split == 9)
            padici_codec_join_run(box, 9, low, distance, from, at, end);
        else
            padici_codec_join_run(box, plan->split, low, distance, from, at, end);
    }
}

// The lists of the pattern, and their result: elements in w->raw, or with `split` words in
// w->words. The literals are words in w->other, or, if `done`, elements at the start of w->words.
static PADICI_NOINLINE void padici_codec_take_matches(padici_codec_work *w, padici_codec_reader *in,
                                                      const padici_codec_box *box,
                                                      padici_codec_plan *plan, int skip, int done)
{
    const size_t third = w->capacity + 1;
    uint8_t *tokens = skip ? NULL : w->symbols;
    uint64_t *list = skip ? NULL : w->list;
    const size_t q = plan->repeats = padici_codec_take_u32(in);
    uint32_t i;
    if (q > box->n || (q == 0 && plan->m == 0 && plan->split)) in->bad = 1;
    for (i = 0; i < 3 && !in->bad; i++)
        padici_codec_take_buckets(w, in, skip ? NULL : list + i * third, q, tokens, 0, NULL);
    if (in->bad || skip) return;
    if (q == 0 && plan->m == 0) { // the whole block, from the window's beginning
        if (w->past < box->n) in->bad = 1;
        else memcpy(w->raw, w->history, box->n * box->size);
        return;
    }
    if (plan->split) {
        padici_codec_expand_loop(in, (const uint8_t *)w->other, plan->m, list, third, q, w->past,
                                 padici_codec_history_end(w, box), (uint8_t *)w->words, box->n, 8,
                                 box, plan->split);
        return;
    }
    if (!done)
        (*w->loops->elements)(&plan->transform, box->dtype, w->other, (uint8_t *)w->words, plan->m);
    padici_codec_expand_matches(in, (const uint8_t *)w->words, plan->m, list, third, q, w->past,
                                padici_codec_history_end(w, box), w->raw, box->n, box->size);
}

// Exceptions: u32 count, u8 1 if they are relative to the lattice; gaps; values.
static void padici_codec_take_exceptions(padici_codec_work *w, padici_codec_reader *in,
                                         const padici_codec_box *box, int skip,
                                         padici_codec_histogram *histogram)
{
    const size_t count = padici_codec_take_u32(in);
    const uint32_t relative = padici_codec_take_u8(in);
    uint64_t *gaps = skip ? NULL : w->list, *values = skip ? NULL : w->other;
    uint8_t *tokens = skip ? NULL : w->symbols;
    size_t i, at = 0;
    if (count > box->n || relative > 1) in->bad = 1;
    if (in->bad) return;
    padici_codec_take_buckets(w, in, gaps, count, tokens, 0, NULL);
    padici_codec_take_buckets(w, in, values, count, tokens, 0, NULL);
    if (histogram) histogram->exceptions += count;
    for (i = 0; i < count && !skip && !in->bad; i++) {
        uint64_t bits = values[i];
        if (at >= box->n || gaps[i] >= box->n - at) {
            in->bad = 1;
            return;
        }
        at += (size_t)gaps[i];
        if (relative) {
            const uint64_t here = padici_codec_element(w->raw, at, box->size);
            bits = padici_codec_from_ordered_low(
                box->dtype,
                padici_codec_to_ordered(box->dtype, here, box->size) + padici_codec_unfold(bits),
                box->size);
        }
        padici_codec_set_element(w->raw, at++, box->size, bits);
    }
}

// n = 2^split (first + step n') + low bits, in planes of `plane` bytes; the coset is applied here
// and not in the transform.
PADICI_FN void padici_codec_join_split(const padici_codec_transform *transform, uint32_t split,
                                       uint64_t *words, const uint8_t *low, size_t plane, size_t n)
{
    const uint64_t first = transform->first, step = transform->step;
    uint32_t k;
    size_t i;
    for (i = 0; i < n; i++) words[i] = (first + step * words[i]) << split | low[i];
    for (k = 8; k < split; k += 8)
        for (i = 0; i < n; i++) words[i] |= (uint64_t)low[k / 8 * plane + i] << k;
}

// The bytes of one part, from `mark` on, less its plain bits, which are already counted.
static void padici_codec_count_part(padici_codec_histogram *histogram, int kind,
                                    const padici_codec_reader *in, const uint8_t *mark,
                                    uint64_t plain)
{
    histogram->bytes[kind] +=
        (size_t)(in->at - mark) - (histogram->bytes[PADICI_CODEC_KIND_BITS] - plain);
}

// Decodes the representation to words, or to the literals between repeats; `streams`: later, tile
// by tile. Returns 1 if they are already elements.
static int padici_codec_take_words(padici_codec_work *w, padici_codec_reader *in,
                                   const padici_codec_box *box, const padici_codec_plan *plan,
                                   int skip, int streams, padici_codec_histogram *histogram,
                                   padici_codec_decoder *decoder)
{
    const uint64_t plain = histogram ? histogram->bytes[PADICI_CODEC_KIND_BITS] : 0;
    const int zigzag = (plan->flags & PADICI_CODEC_BLOCK_ZIGZAG) != 0;
    const int whole = plan->pattern == PADICI_CODEC_PATTERN_NONE;
    const uint8_t *mark = in->at;
    uint64_t *to = skip ? NULL : whole ? w->words : w->other;
    int done = 0;
    padici_codec_decoder_begin(w, in, plan->representation, to, plan->m, histogram, decoder);
    if (in->bad) return 0;
    if (!skip && plan->representation == PADICI_CODEC_REPRESENTATION_PACKED && w->loops->narrow &&
        !plan->split &&
        (plan->pattern == PADICI_CODEC_PATTERN_MATCH ||
         (whole && !(plan->flags & (PADICI_CODEC_BLOCK_REFERENCE | PADICI_CODEC_BLOCK_FIRST)))))
        done = (*w->loops->narrow)(decoder, &plan->predictor, zigzag, &plan->transform, box->dtype,
                                   to, whole ? w->raw : (uint8_t *)w->words, plan->m);
    if (!skip && !streams && !done)
        padici_codec_decoder_next(w, plan->representation, decoder, in, to, 0, plan->m, plan->m);
    if (histogram)
        padici_codec_count_part(histogram,
                                plan->representation == PADICI_CODEC_REPRESENTATION_BUCKETS ||
                                        plan->representation == PADICI_CODEC_REPRESENTATION_UNIT
                                    ? PADICI_CODEC_KIND_TOKENS
                                    : PADICI_CODEC_KIND_PLANES,
                                in, mark, plain);
    return done;
}

// The bits that were split off replace the literals, which are no longer needed.
static uint8_t *padici_codec_take_low(padici_codec_work *w, padici_codec_reader *in,
                                      const padici_codec_box *box, const padici_codec_plan *plan,
                                      int skip, padici_codec_histogram *histogram)
{
    const uint64_t plain = histogram ? histogram->bytes[PADICI_CODEC_KIND_BITS] : 0;
    const uint8_t *mark = in->at;
    uint8_t *low = skip ? NULL : (uint8_t *)w->other;
    uint32_t k;
    for (k = 0; k < plan->split && !in->bad; k += 8)
        padici_codec_take_stream(w, in, skip ? NULL : low + k / 8 * box->n, box->n, 0, histogram);
    if (histogram) padici_codec_count_part(histogram, PADICI_CODEC_KIND_PLANES, in, mark, plain);
    if (!in->bad && !skip && plan->pattern == PADICI_CODEC_PATTERN_MATCH)
        padici_codec_join_copied(w, box, plan, low);
    return low;
}

// Words to elements, tile by tile; `low`: the bits split off, or NULL.
static void padici_codec_finish_words(padici_codec_work *w, padici_codec_reader *in,
                                      const padici_codec_box *box, const padici_codec_plan *plan,
                                      int streams, const uint8_t *low,
                                      padici_codec_decoder *decoder)
{
    const int zigzag = (plan->flags & PADICI_CODEC_BLOCK_ZIGZAG) != 0;
    const int reference = (plan->flags & PADICI_CODEC_BLOCK_REFERENCE) != 0;
    uint64_t *words = w->words, carry[PADICI_CODEC_MAX_OPS][8];
    padici_codec_transform joined = plan->transform;
    size_t i;
    joined.first = 0;
    joined.step = 1;
    if (!streams && !(plan->flags & PADICI_CODEC_BLOCK_FIRST))
        padici_codec_unpredict(w->loops, &plan->predictor, words, 0, box->n, carry, zigzag);
    // repeats of elements are already elements
    i = plan->pattern == PADICI_CODEC_PATTERN_MATCH && !plan->split ? box->n : 0;
    for (; i < box->n && !in->bad; i += PADICI_CODEC_TILE) {
        const size_t to = padici_codec_least(i + PADICI_CODEC_TILE, box->n);
        if (streams) {
            padici_codec_decoder_next(w, plan->representation, decoder, in, words, i, to, box->n);
            padici_codec_unpredict(w->loops, &plan->predictor, words, i, to, carry, zigzag);
        }
        if (low)
            (*w->loops->join)(&plan->transform, plan->split, words + i, low + i, box->n, to - i);
        if (reference)
            padici_codec_add_reference(&plan->transform, box->dtype, w->reference + i * box->size,
                                       words + i, to - i, 0);
        (*w->loops->elements)(low || reference ? &joined : &plan->transform, box->dtype, words + i,
                              w->raw + i * box->size, to - i);
    }
}

// The pattern of a block: repeats, or the positions of words that are no literals.
static void padici_codec_take_between(padici_codec_work *w, padici_codec_reader *in,
                                      const padici_codec_box *box, padici_codec_plan *plan,
                                      int skip, int done, padici_codec_histogram *histogram)
{
    const int zigzag = (plan->flags & PADICI_CODEC_BLOCK_ZIGZAG) != 0;
    const uint8_t *mark = in->at;
    uint64_t carry[PADICI_CODEC_MAX_OPS][8];
    if (plan->flags & PADICI_CODEC_BLOCK_FIRST && !skip && !in->bad && !done)
        padici_codec_unpredict(w->loops, &plan->predictor, w->other, 0, plan->m, carry, zigzag);
    if (plan->pattern == PADICI_CODEC_PATTERN_MATCH)
        padici_codec_take_matches(w, in, box, plan, skip, done);
    else
        padici_codec_take_pattern(w, in, box, plan, skip);
    if (histogram) histogram->bytes[PADICI_CODEC_KIND_PATTERN] += (size_t)(in->at - mark);
}

// The elements of a raw block.
static int padici_codec_take_raw(padici_codec_work *w, padici_codec_reader *in,
                                 const padici_codec_box *box, int skip)
{
    const uint8_t *raw = padici_codec_take(in, box->n * box->size);
    if (raw && !skip) memcpy(w->raw, raw, box->n * box->size);
    return !in->bad && in->at == in->end;
}

// Reads one payload without columns: see padici_codec_take_block().
static int padici_codec_take_whole(padici_codec_work *w, const padici_codec_box *box,
                                   const uint8_t *payload, size_t size, padici_codec_plan *plan,
                                   padici_codec_histogram *histogram)
{
    padici_codec_work none;
    const int skip = w == NULL;
    uint8_t *low = NULL;
    padici_codec_decoder decoder;
    padici_codec_reader in;
    const uint8_t *mark;
    size_t i;
    int streams, done = 0;
    if (skip) {
        memset(&none, 0, sizeof none);
        none.loops = padici_codec_plain_loops();
        w = &none;
    }
    if (size < PADICI_CODEC_PAYLOAD_PAD + 1) return 0;
    if (padici_load64(payload + size - PADICI_CODEC_PAYLOAD_PAD)) return 0;
    in.at = payload;
    in.end = payload + size - PADICI_CODEC_PAYLOAD_PAD;
    in.bad = 0;
    padici_codec_take_plan(&in, box, plan);
    if (histogram)
        histogram->bytes[PADICI_CODEC_KIND_HEADER] +=
            (size_t)(in.at - payload) + PADICI_CODEC_PAYLOAD_PAD;
    if (plan->transform.kind == PADICI_CODEC_TRANSFORM_RAW) {
        if (histogram) histogram->bytes[PADICI_CODEC_KIND_RAW] += (size_t)(in.end - payload) - 1;
        return padici_codec_take_raw(w, &in, box, skip);
    }
    if (in.bad) return 0;
    if ((plan->flags & PADICI_CODEC_BLOCK_REFERENCE) && !skip &&
        (!w->referenced || plan->digest != w->digest)) {
        w->mismatch = 1;
        return 0;
    }
    plan->predictor.values = (double *)(void *)w->list; // no pattern needs it any more
    streams = plan->pattern == PADICI_CODEC_PATTERN_NONE &&
              padici_codec_streams(&plan->predictor,
                                   plan->split || (plan->flags & PADICI_CODEC_BLOCK_REFERENCE)) &&
              !(plan->representation == PADICI_CODEC_REPRESENTATION_PACKED &&
                plan->split); // w->gaps is used by both
    if (plan->pattern == PADICI_CODEC_PATTERN_CONSTANT) {
        for (i = 0; i < box->n && !skip; i++) w->words[i] = plan->constant;
    } else {
        done = padici_codec_take_words(w, &in, box, plan, skip, streams, histogram, &decoder);
        if (in.bad) return 0;
        if (plan->pattern != PADICI_CODEC_PATTERN_NONE)
            padici_codec_take_between(w, &in, box, plan, skip, done, histogram);
    }
    if (plan->split && !in.bad) low = padici_codec_take_low(w, &in, box, plan, skip, histogram);
    if (in.bad) return 0;
    if (!skip && !done) padici_codec_finish_words(w, &in, box, plan, streams, low, &decoder);
    mark = in.at;
    if (plan->flags & PADICI_CODEC_BLOCK_EXCEPTIONS) {
        padici_codec_take_exceptions(w, &in, box, skip, histogram);
        if (histogram) histogram->bytes[PADICI_CODEC_KIND_EXCEPTIONS] += (size_t)(in.at - mark);
    }
    return !in.bad && in.at == in.end;
}

// Elements k, k + columns, ... of a block as a box: without the fastest axes if these make up a
// record, otherwise as one sequence.
PADICI_FN void padici_codec_column_box(const padici_codec_box *box, uint32_t columns, uint32_t k,
                                       padici_codec_box *column)
{
    uint32_t inner = 1, axes = box->rank;
    *column = *box;
    column->n = (box->n - k + columns - 1) / columns;
    while (axes > 0 && inner < columns) inner *= box->extent[--axes];
    if (inner == columns && axes > 0) {
        column->rank = axes;
    } else {
        column->rank = 1;
        column->extent[0] = (uint32_t)column->n;
    }
}

// Moves the elements of all columns, one column after the other, to their places in records: some
// records at a time, so that they stay in the nearest cache.
PADICI_INLINE void padici_codec_join_loop(uint8_t *record, const uint8_t *column, size_t n,
                                          uint32_t columns, uint32_t size)
{
    const size_t whole = n / columns, remainder = n % columns;
    size_t from, i;
    uint32_t k;
    for (from = 0; from * columns < n; from += 64) {
        const uint8_t *at = column;
        for (k = 0; k < columns; k++) {
            const size_t length = whole + (k < remainder);
            const size_t end = padici_codec_least(from + 64, length);
            for (i = from; i < end; i++)
                memcpy(record + (i * columns + k) * size, at + i * size, size);
            at += length * size;
        }
    }
}

static void padici_codec_join_columns(uint8_t *record, const uint8_t *column, size_t n,
                                      uint32_t columns, uint32_t size)
{
    if (size == 4)
        padici_codec_join_loop(record, column, n, columns, 4);
    else if (size == 8)
        padici_codec_join_loop(record, column, n, columns, 8);
    else
        padici_codec_join_loop(record, column, n, columns, size);
}

// The dtype by which unaligned floats of this size are treated.
PADICI_FN padic_dtype padici_codec_plain_dtype(uint32_t size)
{
    return size == 8 ? PADIC_U64 : size == 4 ? PADIC_U32 : PADIC_U16;
}

// Reads a payload; with `w` NULL only its structure, for the histogram. Without an error the
// elements are in w->raw. Any bytes are safe: nothing outside payload[0..size + 8) is read. Columns
// are separate payloads, but have no columns again.
PADICI_FN int padici_codec_take_block(padici_codec_work *w, const padici_codec_box *box,
                                      const uint8_t *payload, size_t size, padici_codec_plan *plan,
                                      padici_codec_histogram *histogram)
{
    padici_codec_reader in;
    uint32_t columns, k;
    int whole;
    uint8_t *const raw = w ? w->raw : NULL, *at = w ? w->record : NULL;
    if (size < PADICI_CODEC_PAYLOAD_PAD + 1) return 0;
    if (size > 1 + box->n * box->size + PADICI_CODEC_PAYLOAD_PAD) return 0; // the limit of raw
    if (payload[0] == PADICI_CODEC_TRANSFORM_PLAIN) {
        padici_codec_box plain = *box;
        plain.dtype = padici_codec_plain_dtype(box->size);
        if (payload[1] > PADICI_CODEC_TRANSFORM_DECIMAL || !padici_codec_is_float(box->dtype) ||
            !padici_codec_take_whole(w, &plain, payload + 1, size - 1, plan, histogram) ||
            (plan->flags & (PADICI_CODEC_BLOCK_REFERENCE | PADICI_CODEC_BLOCK_WINDOW)))
            return 0;
        if (histogram) histogram->bytes[PADICI_CODEC_KIND_HEADER]++;
        plan->transform.kind = PADICI_CODEC_TRANSFORM_PLAIN;
        return 1;
    }
    if (payload[0] != PADICI_CODEC_TRANSFORM_COLUMNS)
        return padici_codec_take_whole(w, box, payload, size, plan, histogram);
    in.at = payload + 1;
    in.end = payload + size - PADICI_CODEC_PAYLOAD_PAD;
    in.bad = 0;
    columns = padici_codec_take_u32(&in);
    if (columns < 2 || columns > PADICI_CODEC_MAX_COLUMNS || columns > box->n) return 0;
    for (k = 0; k < columns; k++) {
        const uint32_t part = padici_codec_take_u32(&in);
        const uint8_t *p = padici_codec_take(&in, part);
        padici_codec_box column;
        if (!p || !part || *p >= PADICI_CODEC_TRANSFORM_COLUMNS) return 0;
        padici_codec_column_box(box, columns, k, &column);
        if (w) w->raw = at;
        whole = padici_codec_take_whole(w, &column, p, part, plan, histogram);
        if (w) w->raw = raw, at += column.n * box->size;
        // the reference is not split into columns
        if (!whole || (plan->flags & PADICI_CODEC_BLOCK_REFERENCE)) return 0;
    }
    memset(plan, 0, sizeof *plan);
    plan->transform.kind = PADICI_CODEC_TRANSFORM_COLUMNS;
    if (histogram)
        histogram->bytes[PADICI_CODEC_KIND_HEADER] += 5 + 4 * columns + PADICI_CODEC_PAYLOAD_PAD;
    if (padici_load64(in.end) || in.at != in.end) return 0;
    if (w) padici_codec_join_columns(raw, w->record, box->n, columns, box->size);
    return 1;
}

#endif
