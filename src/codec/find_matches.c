#include "find_matches.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: repeats of elements
//
// Keys are the elements' bits (transform FIELDS without the `split` lowest bits) of the window and,
// after them, of the block. Prices are in 1/16 bits.

PADICI_INLINE uint32_t padici_codec_hash_keys(const uint64_t *x, uint32_t key, uint32_t shift)
{
    uint64_t h = x[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (key > 1) h = (h ^ h >> 32 ^ x[1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    if (key > 2) h = (h ^ h >> 32 ^ x[2]) * UINT64_C(0x165667b19e3779f9);
    return (uint32_t)(h >> shift);
}

// Adds every key before `to` to the chains.
PADICI_INLINE void padici_codec_index_keys(padici_codec_matcher *s, size_t to)
{
    const size_t most = s->past + s->n >= s->key ? s->past + s->n - s->key + 1 : 0;
    if (to > most) to = most;
    for (; s->indexed < to; s->indexed += s->indexed < s->past ? s->sparse : 1) {
        const uint32_t h = padici_codec_hash_keys(s->keys + s->indexed, s->key, s->shift);
        s->chain[s->indexed] = s->head[h];
        s->head[h] = (uint32_t)s->indexed + 1;
    }
}

PADICI_INLINE size_t padici_codec_match_length(const uint64_t *x, const uint64_t *y, size_t most)
{
    size_t length = 0;
    while (length + 4 <= most && !((x[length] ^ y[length]) | (x[length + 1] ^ y[length + 1]) |
                                   (x[length + 2] ^ y[length + 2]) |
                                   (x[length + 3] ^ y[length + 3])))
        length += 4;
    while (length < most && x[length] == y[length]) length++;
    return length;
}

// The length of the repeat at key i that saves most, or 0.
static size_t padici_codec_best_match(padici_codec_matcher *s, size_t i, const size_t last[2],
                                      size_t *distance, int64_t *gain)
{
    const size_t end = s->past + s->n, most = end - i;
    const uint64_t *x = s->keys + i;
    const uint32_t *price = s->price + (i - s->past);
    uint32_t at, tries = s->depth, k;
    size_t best = 0;
    *gain = 0;
    for (k = 0; k < 2; k++) { // the last distances are cheap
        size_t length;
        int64_t here;
        if (last[k] == 0 || last[k] > i) continue;
        length = padici_codec_match_length(x, x - last[k], most);
        here =
            (int64_t)(price[length] - price[0]) - padici_codec_match_price(last[k], length, last);
        if (length && here > *gain) *gain = here, best = length, *distance = last[k];
    }
    if (i + s->key > end) return best;
    padici_codec_index_keys(s, i);
    at = s->head[padici_codec_hash_keys(x, s->key, s->shift)];
    for (; at && tries; tries--, at = s->chain[at - 1]) {
        const uint64_t *y = s->keys + at - 1;
        size_t length;
        int64_t here;
        if (best < most && y[best] != x[best]) continue;
        length = padici_codec_match_length(x, y, most);
        if (length < s->key) continue;
        here = (int64_t)(price[length] - price[0]) -
               padici_codec_match_price(i - (at - 1), length, last);
        if (here > *gain) *gain = here, best = length, *distance = i - (at - 1);
        if (best == most || best > 4096) break;
    }
    return best;
}

static void padici_codec_add_match(padici_codec_matches *list, size_t i, size_t length,
                                   size_t distance)
{
    const size_t q = list->count++;
    list->runs[q] = i - list->from;
    list->lengths[q] = length - 1;
    list->distances[q] = distance == list->last[0]   ? 0
                         : distance == list->last[1] ? 1
                                                     : (uint64_t)distance + 1;
    if (distance != list->last[0]) list->last[1] = list->last[0], list->last[0] = distance;
    list->from = i + length;
}

// Greedy, or `lazy`: a match at the next word is tried first. Greedy search tries fewer words where
// nothing repeats.
PADICI_FN PADICI_NOINLINE void padici_codec_parse_greedy(padici_codec_matcher *s, int lazy,
                                                         padici_codec_matches *list)
{
    const size_t end = s->past + s->n;
    size_t i = s->past, misses = 0;
    while (i < end) {
        size_t distance = 0, other = 0, length;
        int64_t gain, more;
        length = padici_codec_best_match(s, i, list->last, &distance, &gain);
        if (length == 0 || gain < 48) {
            i += lazy ? 1 : 1 + (++misses >> 6);
            continue;
        }
        misses = 0;
        while (lazy && i + 1 < end && length < 256) {
            const size_t next = padici_codec_best_match(s, i + 1, list->last, &other, &more);
            if (next == 0 ||
                more <= gain + (int64_t)(s->price[i + 1 - s->past] - s->price[i - s->past]))
                break;
            i++, length = next, distance = other, gain = more;
        }
        if (!lazy) // words that were passed over
            while (i - s->past > list->from && i > distance &&
                   s->keys[i - 1] == s->keys[i - 1 - distance])
                i--, length++;
        padici_codec_add_match(list, i - s->past, length, distance);
        i += length;
    }
}

PADICI_FN void padici_codec_fast_begin(padici_codec_fast *f, uint32_t *head, uint32_t bits,
                                       uint32_t size, uint32_t each)
{
    f->head = head;
    f->size = size;
    f->log = padici_codec_bit_length(size) - 1;
    f->each = each;
    f->pays = each * PADICI_CODEC_REPEAT_TIME / (8 * size);
    f->key = (uint32_t)padici_codec_least((f->pays + 384) / (each + 1) + 1, 16 / size);
    f->high = f->key * size > 8 ? f->key * size - 8 : 0;
    f->mask = ~UINT64_C(0) >> (f->key * size < 8 ? 64 - 8 * f->key * size : 0);
    f->shift = 64 - bits;
    memset(head, 0, sizeof *head << bits);
}

// One place for each key, searched less often where nothing repeats; all words cost the same.
PADICI_FN PADICI_NOINLINE void padici_codec_parse_fast(const padici_codec_fast *f,
                                                       const uint8_t *raw, size_t n,
                                                       padici_codec_matches *list)
{
    const size_t reads = (f->high + 8) >> f->log; // words that cost nothing are skipped
    const size_t stop = f->each && n >= reads ? n - reads + 1 : 0;
    size_t i = 0, misses = 0, length, back;
    while (i < stop) {
        uint32_t *const place = padici_codec_fast_place(f, raw + (i << f->log));
        const size_t found = i + 1 - *place;
        size_t distance = list->last[0];
        *place = (uint32_t)i + 1;
        if (!padici_codec_fast_gain(f, raw, i, list->from, n, distance, list->last, &length,
                                    &back) &&
            !padici_codec_fast_gain(f, raw, i, list->from, n, distance = found, list->last, &length,
                                    &back)) {
            i += 1 + (++misses >> 5);
            continue;
        }
        misses = 0;
        padici_codec_add_match(list, i - back, length, distance);
        i += length - back;
        if (i < stop) *padici_codec_fast_place(f, raw + ((i - 1) << f->log)) = (uint32_t)i;
    }
}

// The cheapest parse, given the prices: a shortest path over the words. `space` holds three words
// per step: price, arrival (length << 32 | distance), and the two last distances.
PADICI_FN PADICI_NOINLINE void padici_codec_parse_cheapest(padici_codec_matcher *s, uint64_t *price,
                                                           uint64_t *arrival, uint64_t *lasts,
                                                           padici_codec_matches *list)
{
    const size_t n = s->n;
    size_t i, k, steps = 0;
    for (i = 0; i <= n; i++) price[i] = UINT64_MAX;
    price[0] = 0;
    lasts[0] = 0;
    for (i = 0; i < n; i++) {
        const size_t last[2] = {(size_t)(lasts[i] & 0xffffffffu), (size_t)(lasts[i] >> 32)};
        size_t distance = 0, length, to;
        int64_t gain;
        if (price[i] + s->price[i + 1] - s->price[i] < price[i + 1]) {
            price[i + 1] = price[i] + s->price[i + 1] - s->price[i];
            arrival[i + 1] = 0;
            lasts[i + 1] = lasts[i];
        }
        length = padici_codec_best_match(s, s->past + i, last, &distance, &gain);
        if (length == 0) continue;
        for (to = length > 64 ? length : 1; to <= length; to++) {
            const uint64_t here = price[i] + padici_codec_match_price(distance, to, last);
            if (here >= price[i + to]) continue;
            price[i + to] = here;
            arrival[i + to] = (uint64_t)to << 32 | distance;
            lasts[i + to] = distance == last[0] ? lasts[i]
                                                : (uint64_t)last[0] << 32 | distance;
        }
        if (length > 64) { // so long a repeat is taken whole
            for (k = 1; k < length; k++) price[i + k] = UINT64_MAX / 2;
            i += length - 1;
        }
    }
    for (i = n; i > 0;) { // backwards, the steps to the end of `price`
        const size_t length = (size_t)(arrival[i] >> 32);
        price[n - steps] = (uint64_t)i << 32 | length;
        lasts[n - steps++] = arrival[i] & 0xffffffffu;
        i -= length ? length : 1;
    }
    for (k = n - steps + 1; k <= n; k++) {
        const size_t length = (size_t)(price[k] & 0xffffffffu);
        if (length)
            padici_codec_add_match(list, (size_t)(price[k] >> 32) - length, length,
                                   (size_t)lasts[k]);
    }
}

#endif
