#include "bytes_repeats.h"
#include "../core/words.h"
#include "choose_sizes.h"
#include "constants.h"
#include "contexts.h"
#include "huffman.h"
#include "rans.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- coder: repeats of bytes
//
// Copies of earlier bytes of the stream: u32 q (at most n / 3), u32 literals, then three lists of
// q, as in the pattern MATCH: literals to copy, length less 1, code of the distance; and the
// literals, a stream without repeats.

#define PADICI_CODEC_BYTES_BITS 14u // of a hash
#define PADICI_CODEC_BYTES_KEY 4u   // bytes that are hashed

static uint32_t padici_codec_hash_bytes(const uint8_t *p)
{
    return padici_load32(p) * 0x9e3779b1u >> (32 - PADICI_CODEC_BYTES_BITS);
}

// The cost of a repeat, in 1/16 bits.
static uint32_t padici_codec_bytes_price(size_t distance, size_t length, const size_t last[2])
{
    const uint32_t price = 96 + 16 * padici_codec_bit_length(length);
    if (distance == last[0]) return price;
    return distance == last[1] ? price + 32 : price + 64 + 16 * padici_codec_bit_length(distance);
}

PADICI_FN size_t padici_codec_equal_bytes(const uint8_t *x, const uint8_t *y, size_t most)
{
    size_t length = 0;
    for (; length + 8 <= most; length += 8) {
        const uint64_t differ = padici_load64(x + length) ^ padici_load64(y + length);
        if (differ) return length + padici_ctz64(differ) / 8;
    }
    while (length < most && x[length] == y[length]) length++;
    return length;
}

// Estimates the bits that repeats save, from those found at a sixteenth of the places, selected by
// content. A literal costs `each` 1/16 bits.
PADICI_FN uint64_t padici_codec_bytes_gain(padici_codec_work *w, const uint8_t *data, size_t n,
                                           uint32_t each)
{
    uint32_t *seen = w->hash, *picked = w->hash + (1u << PADICI_CODEC_BYTES_BITS);
    const size_t pays = (PADICI_CODEC_REPEAT_BITS * 16) / (each + 1) + 1, most = 4 * pays;
    uint64_t gain = 0;
    uint32_t tested = 0, t;
    size_t i;
    if (pays > 128 || most > n / 8) return 0;
    memset(seen, 0, sizeof *seen << PADICI_CODEC_BYTES_BITS);
    for (i = 0; i + PADICI_CODEC_BYTES_KEY + most <= n; i++) { // no branch
        picked[tested] = (uint32_t)i;
        tested += (padici_load32(data + i) * 0x85ebca6bu) >> 28 == 7; // excludes zeros
    }
    for (t = 0; t < tested; t++) {
        uint32_t *place;
        size_t k = 0;
        i = picked[t];
        place = seen + padici_codec_hash_bytes(data + i);
        if (*place) k = padici_codec_equal_bytes(data + *place - 1, data + i, most);
        *place = (uint32_t)i + 1;
        if (k >= pays) gain += each - each * pays / (2 * k);
    }
    return tested > 16 ? gain * n / tested / 16 : 0;
}

// The length of the repeat at `i` that saves most, or 0.
static size_t padici_codec_best_bytes(const uint32_t *head, const uint32_t *chain,
                                      const uint8_t *data, size_t n, size_t i, uint32_t each,
                                      uint32_t tries, const size_t last[2], size_t *distance,
                                      int64_t *gain)
{
    const uint8_t *x = data + i;
    size_t best = 0, length, k;
    uint32_t at;
    int64_t here;
    *gain = 0;
    for (k = 0; k < 2; k++) {
        if (last[k] == 0 || last[k] > i) continue;
        if (x[0] != *(x - last[k])) continue;
        length = padici_codec_equal_bytes(x, x - last[k], n - i);
        here = (int64_t)length * each - padici_codec_bytes_price(last[k], length, last);
        if (length > 2 && here > *gain) *gain = here, best = length, *distance = last[k];
    }
    if (i + PADICI_CODEC_BYTES_KEY > n) return best;
    for (at = head[padici_codec_hash_bytes(x)]; at && tries; tries--, at = chain[at - 1]) {
        const uint8_t *y = data + at - 1;
        if (padici_load32(y) != padici_load32(x) || (i + best < n && y[best] != x[best])) continue;
        length = padici_codec_equal_bytes(x, y, n - i);
        here = (int64_t)length * each - padici_codec_bytes_price(i - (at - 1), length, last);
        if (length > 2 && here > *gain) *gain = here, best = length, *distance = i - (at - 1);
        if (i + best == n || best > 4096) break;
    }
    return best;
}

// Adds the positions before `to` to the chains, from the first that is missing.
static size_t padici_codec_index_bytes(uint32_t *head, uint32_t *chain, const uint8_t *data,
                                       size_t n, size_t from, size_t to)
{
    for (; from < to && from + PADICI_CODEC_BYTES_KEY <= n; from++) {
        const uint32_t h = padici_codec_hash_bytes(data + from);
        chain[from] = head[h];
        head[h] = (uint32_t)from + 1;
    }
    return from;
}

// Removes repeats from a stream with lazy matching (the next byte is tried first); the literals go
// to w->literals. Returns the number of repeats.
static size_t padici_codec_find_bytes(padici_codec_work *w, const uint8_t *data, size_t n,
                                      uint32_t each, size_t *literals)
{
    uint32_t *head = w->head, *chain = w->head + ((size_t)1 << PADICI_CODEC_BYTES_BITS);
    const size_t third = n / 3 + 1;
    const uint32_t tries = w->may_repeat > 1 ? 16 : w->policy->coders.repeat_depth;
    const int skip = w->policy->coders.repeat_skip;
    size_t i = 0, from = 0, q = 0, m = 0, indexed = 0, misses = 0, last[2] = {0, 0};
    memset(head, 0, sizeof *head << PADICI_CODEC_BYTES_BITS);
    while (i < n) {
        size_t distance = 0, other = 0, length, next;
        int64_t gain, more;
        indexed = padici_codec_index_bytes(head, chain, data, n, indexed, i);
        length =
            padici_codec_best_bytes(head, chain, data, n, i, each, tries, last, &distance, &gain);
        if (length == 0) {
            i += skip ? 1 + (++misses >> (padici_codec_bounded_fast(w) ? 5 : 6)) : 1;
            continue;
        }
        while (length < 64 && i + 1 < n) { // one that begins at the next byte may save more
            indexed = padici_codec_index_bytes(head, chain, data, n, indexed, i + 1);
            next = padici_codec_best_bytes(head, chain, data, n, i + 1, each, tries, last, &other,
                                           &more);
            if (next == 0 || more <= gain + (int64_t)each) break;
            i++, length = next, distance = other, gain = more;
        }
        misses = 0;
        memcpy(w->literals + m, data + from, i - from);
        m += i - from;
        w->pieces[q] = i - from;
        w->pieces[third + q] = length - 1;
        w->pieces[2 * third + q++] = distance == last[0]   ? 0
                                     : distance == last[1] ? 1
                                                           : (uint64_t)distance + 1;
        if (distance != last[0]) last[1] = last[0], last[0] = distance;
        from = i += length;
    }
    memcpy(w->literals + m, data + from, n - from);
    *literals = m + n - from;
    return q;
}

// The resulting size of the stream in bits.
static uint64_t padici_codec_bytes_size(padici_codec_work *w, size_t n, size_t q, size_t m)
{
    const size_t third = n / 3 + 1;
    uint32_t counts[256], k;
    uint64_t cost;
    padici_codec_count_bytes(w->literals, m, counts, (uint32_t *)w->table);
    cost = ((*w->loops->entropy)(counts, 256, (uint32_t)m) >> 8) + 128 * 8;
    for (k = 0; k < 3; k++)
        cost += (padici_codec_bucket_cost(w->loops, w->pieces + k * third, q) >> 8) + 40 * 8;
    return cost;
}

static void padici_codec_put_bytes_repeats(padici_codec_work *w, size_t n, size_t q, size_t m)
{
    const size_t third = n / 3 + 1;
    uint64_t cost;
    uint32_t k;
    padici_codec_put_u32(&w->out, (uint32_t)q);
    padici_codec_put_u32(&w->out, (uint32_t)m);
    for (k = 0; k < 3; k++) {
        const uint64_t *list = w->pieces + k * third;
        padici_codec_put_buckets(
            w, list, q, q ? padici_codec_choose_mantissa(w->loops, list, q, 1, &cost) : 0,
            w->literals + m, 1);
    }
    padici_codec_put_stream(w, w->literals, m, 1);
}

static void padici_codec_take_repeats(padici_codec_work *w, padici_codec_reader *in, uint8_t *data,
                                      size_t n, padici_codec_histogram *histogram)
{
    const size_t third = n / 3 + 1, q = padici_codec_take_u32(in), m = padici_codec_take_u32(in);
    uint64_t *lists = data ? w->pieces : NULL;
    uint8_t *literals = data ? w->literals : NULL;
    uint32_t k;
    if (q > n / 3 || m > n) in->bad = 1;
    for (k = 0; k < 3 && !in->bad; k++)
        padici_codec_take_buckets(w, in, data ? lists + k * third : NULL, q, literals, 1,
                                  histogram);
    if (in->bad) return;
    padici_codec_take_stream(w, in, literals, m, 1, histogram);
    if (in->bad || !data) return;
    padici_codec_expand_matches(in, literals, m, lists, third, q, 0, data, data, n, 1);
}

// The statistics of a stream of bytes, from which its coder is chosen.
typedef struct padici_codec_stream_choice {
    uint32_t counts[256], low, high;
    uint8_t lengths[256];         // of Huffman's codes
    padici_codec_context_plan context;
    size_t q, m;                  // repeats: how many, and the bytes between
} padici_codec_stream_choice;

// Writes a stream by one coder.
static void padici_codec_put_by_coder(padici_codec_work *w, const uint8_t *data, size_t n,
                                      uint32_t best, const padici_codec_stream_choice *c)
{
    padici_codec_put_u8(&w->out, best);
    switch (best) {
    case PADICI_CODEC_CODER_CONSTANT:
        padici_codec_put_u8(&w->out, c->low);
        break;
    case PADICI_CODEC_CODER_PACKED:
        padici_codec_put_packed(&w->out, data, n, c->low,
                                padici_codec_bit_length(c->high - c->low));
        break;
    case PADICI_CODEC_CODER_HUFFMAN:
        padici_codec_huffman_put(&w->out, data, n, c->lengths);
        break;
    case PADICI_CODEC_CODER_RANS: {
        uint16_t freq[256];
        padici_codec_rans_frequencies(c->counts, (uint32_t)n, freq);
        padici_codec_rans_put(&w->out, data, n, freq, w->rans, w->capacity + 64);
        break;
    }
    case PADICI_CODEC_CODER_SPARSE:
        padici_codec_put_sparse(w, data, n, n - c->counts[0]);
        break;
    case PADICI_CODEC_CODER_CONTEXT:
        padici_codec_context_put(w, data, n, &c->context);
        break;
    case PADICI_CODEC_CODER_REPEAT:
        padici_codec_put_bytes_repeats(w, n, c->q, c->m);
        break;
    default:
        padici_codec_put_bytes(&w->out, data, n);
    }
}

// The coders without context: the cheapest, and its bits.
static PADICI_NOINLINE uint64_t padici_codec_choose_plain_coder(const padici_codec_work *w,
                                                                size_t n, int nested, uint32_t used,
                                                                padici_codec_stream_choice *c,
                                                                uint32_t *best)
{
    const uint32_t coders = w->stages.coders;
    const uint32_t huffman = w->policy->coders.huffman_price;
    const int packed = w->policy->coders.packed, rans = w->policy->coders.rans_price;
    uint64_t cost = 8 * (uint64_t)n + 8, other;
    uint32_t s;
    if (!padici_codec_allowed(coders, PADICI_CODEC_CODER_RAW)) cost = UINT64_MAX;
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_CONSTANT) && used <= 1)
        cost = 8, *best = PADICI_CODEC_CODER_CONSTANT;
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_PACKED)) {
        other = (uint64_t)n * padici_codec_bit_length(c->high - c->low) + 16;
        if (other < cost) cost = other, *best = PADICI_CODEC_CODER_PACKED;
    }
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_HUFFMAN) && used > 1 &&
        (coders || !packed)) {
        padici_codec_huffman_lengths(c->counts, c->lengths);
        other = 32 * padici_codec_huffman_lanes(n) + 8;
        for (s = 0; s <= c->high; s++) other += (uint64_t)c->counts[s] * c->lengths[s] + 4;
        if (coders == 0 && huffman) other += other >> huffman; // a plain stream takes no time
        if (other < cost) cost = other, *best = PADICI_CODEC_CODER_HUFFMAN;
    }
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_RANS) && used > 1 && (coders || !packed)) {
        other = ((*w->loops->entropy)(c->counts, c->high + 1, (uint32_t)n) >> 8) +
                PADICI_CODEC_SYMBOL_BITS * (uint64_t)used + PADICI_CODEC_RANS_BITS;
        // decodes at half the speed in plain C; with few bits per symbol it takes more than
        // estimated
        if (coders == 0 && rans)
            other += w->bounded ? (other >> 5) + (uint64_t)n / 10 : other >> rans;
        if (other < cost) cost = other, *best = PADICI_CODEC_CODER_RANS;
    }
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_SPARSE) && !nested &&
        n - c->counts[0] <= n / 8) {
        const uint64_t nonzero = n - c->counts[0];
        other = nonzero * (padici_codec_bit_length(n / (size_t)(nonzero + 1)) + 2);
        if (other > n) other = n;
        other += 120 + ((*w->loops->entropy)(c->counts + 1, 255, (uint32_t)nonzero) >> 8);
        if (other < cost) cost = other, *best = PADICI_CODEC_CODER_SPARSE;
    }
    return cost;
}

// Repeats, where they are cheaper than `cost` bits.
static PADICI_NOINLINE void padici_codec_choose_bytes_repeats(padici_codec_work *w,
                                                              const uint8_t *data, size_t n,
                                                              uint64_t cost, uint64_t alone,
                                                              padici_codec_stream_choice *c,
                                                              uint32_t *best)
{
    const uint32_t coders = w->stages.coders, price = w->policy->coders.repeat_price;
    uint64_t other;
    const uint32_t each = (uint32_t)(alone * 16 / n);
    const uint64_t all = w->best && w->best < n ? w->best : n; // a stream is part of a block
    const uint32_t share = w->policy->coders.repeat_share - (uint32_t)padici_codec_bounded_fast(w);
    const uint32_t least = w->may_repeat < 2 ? share : 6;
    if (coders || padici_codec_bytes_gain(w, data, n, each) > all >> least) {
        c->q = padici_codec_find_bytes(w, data, n, each, &c->m);
        other = padici_codec_bytes_size(w, n, c->q, c->m);
        if (coders == 0 && price && w->may_repeat < 2)
            other += padici_codec_bounded_fast(w) ? n / 8 : other >> price;
        if (other < cost) *best = PADICI_CODEC_CODER_REPEAT, w->spared += (cost - other) / 8;
    }
}

// Writes a stream with contexts, whose size was an estimate. 0: it is discarded, and *second is
// smaller.
static int padici_codec_put_contexts(padici_codec_work *w, const uint8_t *data, size_t n,
                                     uint64_t alone, const padici_codec_stream_choice *c,
                                     uint32_t *second)
{
    uint64_t other;
    uint8_t *const mark = w->out.at, *end;
    padici_codec_put_u8(&w->out, PADICI_CODEC_CODER_CONTEXT);
    padici_codec_context_put(w, data, n, &c->context);
    end = w->out.at;
    if (n - c->counts[0] <= n / 8 && !w->out.full) { // a rough count for sparse bytes
        padici_codec_put_u8(&w->out, PADICI_CODEC_CODER_SPARSE);
        padici_codec_put_sparse(w, data, n, n - c->counts[0]);
        other = 8 * (uint64_t)(w->out.at - end);
        if (other < alone) alone = other, *second = PADICI_CODEC_CODER_SPARSE;
        w->out.at = end;
    }
    if (w->out.full || (uint64_t)(end - mark) * 8 <= alone) return 1;
    w->out.at = mark;
    return 0;
}

// A stream is u8 coder and the coder's output; the reader already knows its length n. The cheapest
// allowed coder is used; `nested` streams are not sparse themselves.
PADICI_FN void padici_codec_put_stream(padici_codec_work *w, const uint8_t *data, size_t n,
                                       int nested)
{
    const uint32_t coders = w->stages.coders, price = w->policy->coders.context_price;
    padici_codec_stream_choice c;
    uint32_t used = 0, s, best = PADICI_CODEC_CODER_RAW, second;
    uint64_t cost, other, alone;
    if (coders == 0 && padici_codec_is_noise(data, n, c.counts)) {
        padici_codec_put_u8(&w->out, PADICI_CODEC_CODER_RAW);
        padici_codec_put_bytes(&w->out, data, n);
        return;
    }
    c.low = 256;
    c.high = 0;
    c.q = c.m = 0;
    padici_codec_count_bytes(data, n, c.counts, (uint32_t *)w->table);
    for (s = 0; s < 256; s++) {
        if (!c.counts[s]) continue;
        if (c.low == 256) c.low = s;
        c.high = s;
        used++;
    }
    if (!used) c.low = 0;
    cost = padici_codec_choose_plain_coder(w, n, nested, used, &c, &best);
    alone = cost < 8 * (uint64_t)n ? cost : 8 * (uint64_t)n; // literals have no contexts
    second = best;
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_CONTEXT) && used > 1 && n >= 64 &&
        (coders || (!nested && n >= PADICI_CODEC_CONTEXT_LEAST && w->may_context &&
                    (!padici_codec_bounded_fast(w) || alone > n)))) {
        other = padici_codec_context_choose(w, data, n, c.high + 1, alone, &c.context);
        if (coders == 0 && price) // coders that are slow to read, as bits per symbol
            other += padici_codec_bounded_fast(w) ? n / 4 : other >> price;
        if (other < cost) cost = other, best = PADICI_CODEC_CODER_CONTEXT;
    }
    if (padici_codec_allowed(coders, PADICI_CODEC_CODER_REPEAT) && used > 1 && !nested &&
        (coders || (n >= PADICI_CODEC_REPEAT_LEAST && w->may_repeat)))
        padici_codec_choose_bytes_repeats(w, data, n, cost, alone, &c, &best);
    if (best == PADICI_CODEC_CODER_CONTEXT && coders == 0) {
        if (padici_codec_put_contexts(w, data, n, alone, &c, &second)) return;
        best = second;
    }
    padici_codec_put_by_coder(w, data, n, best, &c);
}

// data NULL: the stream is parsed and skipped.
PADICI_FN void padici_codec_take_stream(padici_codec_work *w, padici_codec_reader *in,
                                        uint8_t *data, size_t n, int nested,
                                        padici_codec_histogram *histogram)
{
    const uint32_t coder = padici_codec_take_u8(in);
    const uint8_t *p;
    if (histogram && coder < PADICI_CODEC_CODERS) histogram->coders[coder]++;
    switch (coder) {
    case PADICI_CODEC_CODER_RAW:
        p = padici_codec_take(in, n);
        if (p && data && n) memcpy(data, p, n);
        break;
    case PADICI_CODEC_CODER_CONSTANT: {
        const uint32_t value = padici_codec_take_u8(in);
        if (data) memset(data, (int)value, n);
        break;
    }
    case PADICI_CODEC_CODER_PACKED:
        padici_codec_take_packed(w, in, data, n);
        break;
    case PADICI_CODEC_CODER_HUFFMAN:
        padici_codec_huffman_take(in, data, n, w->table);
        break;
    case PADICI_CODEC_CODER_RANS:
        padici_codec_rans_take(in, data, n, w->table, w->loops);
        break;
    case PADICI_CODEC_CODER_SPARSE:
        if (nested) in->bad = 1;
        else
            padici_codec_take_sparse(w, in, data, n, histogram);
        break;
    case PADICI_CODEC_CODER_CONTEXT:
        padici_codec_context_take(w, in, data, n);
        break;
    case PADICI_CODEC_CODER_REPEAT:
        if (nested) in->bad = 1;
        else
            padici_codec_take_repeats(w, in, data, n, histogram);
        break;
    default: in->bad = 1;
    }
}

#undef PADICI_CODEC_BYTES_BITS
#undef PADICI_CODEC_BYTES_KEY

#endif
