#include "find_matches.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: repeats of elements
//
// Elements of the window and, after them, of the block are compared in the bits of a mask (all but
// the `split` lowest of transform FIELDS). Prices are in 1/16 bits. Both have a table of their own,
// so that the window's serves several blocks.

PADICI_INLINE void padici_codec_index_loop(const padici_codec_matcher *s, uint32_t size,
                                           uint32_t *head, uint32_t *chain, size_t base,
                                           uint32_t shift, size_t from, size_t to, size_t step)
{
    const uint8_t *const raw = s->raw;
    const uint64_t mask = s->mask;
    const uint32_t key = s->key;
    for (; from < to; from += step) {
        const uint32_t h = padici_codec_hash_elements(raw, from, size, mask, key, shift);
        chain[from - base] = head[h];
        head[h] = (uint32_t)from + 1;
    }
}

// Adds those of the window's elements from `from` on that are to be found to its table. Returns the
// first that is missing.
PADICI_FN PADICI_NOINLINE size_t padici_codec_index_window(const padici_codec_matcher *s,
                                                           size_t from, size_t step)
{
    const size_t to = s->past >= s->key ? s->past - s->key + 1 : 0;
    uint32_t *const head = s->past_head, *const chain = s->past_chain;
    if (from >= to) return from;
    if (s->size == 8)
        padici_codec_index_loop(s, 8, head, chain, 0, s->past_shift, from, to, step);
    else if (s->size == 4)
        padici_codec_index_loop(s, 4, head, chain, 0, s->past_shift, from, to, step);
    else
        padici_codec_index_loop(s, s->size, head, chain, 0, s->past_shift, from, to, step);
    return from + (to - from + step - 1) / step * step;
}

// Adds every element of the block before `to` to the chains.
PADICI_INLINE void padici_codec_index_elements(padici_codec_matcher *s, uint32_t size, size_t to)
{
    const size_t most = s->past + s->n >= s->key ? s->past + s->n - s->key + 1 : 0;
    if (to > most) to = most;
    if (s->indexed >= to) return;
    padici_codec_index_loop(s, size, s->head, s->chain, s->past, s->shift, s->indexed, to, 1);
    s->indexed = to;
}

PADICI_INLINE int padici_codec_same_element(const padici_codec_matcher *s, uint32_t size, size_t i,
                                            size_t j)
{
    return ((padici_codec_element(s->raw, i, size) ^ padici_codec_element(s->raw, j, size)) &
            s->mask) == 0;
}

// How many of `most` elements from i on are those from j on.
PADICI_INLINE size_t padici_codec_match_length(const padici_codec_matcher *s, uint32_t size,
                                               size_t i, size_t j, size_t most)
{
    const uint8_t *const x = s->raw + i * size, *const y = s->raw + j * size;
    const size_t all = most * size;
    const uint64_t mask = s->mask;
    size_t length = 0;
    for (; length + 8 <= all; length += 8) {
        const uint64_t differ = (padici_load64(x + length) ^ padici_load64(y + length)) & mask;
        if (differ) return (length + padici_ctz64(differ) / 8) / size;
    }
    length /= size;
    while (length < most && padici_codec_same_element(s, size, i + length, j + length)) length++;
    return length;
}

typedef struct padici_codec_match {
    size_t length, distance; // length 0: there is none
    int64_t gain;
} padici_codec_match;

// Follows a chain from the element before `at` on; returns 1 if the search may end.
PADICI_INLINE int padici_codec_follow_chain(const padici_codec_matcher *s, uint32_t size, size_t i,
                                            uint32_t at, const uint32_t *chain, size_t base,
                                            const size_t last[2], uint32_t *tries,
                                            padici_codec_match *best)
{
    const size_t most = s->past + s->n - i;
    const uint32_t *price = s->price + (i - s->past);
    for (; at && *tries; --*tries, at = chain[at - 1 - base]) {
        const size_t j = at - 1;
        size_t length;
        int64_t here;
        if (best->length < most &&
            !padici_codec_same_element(s, size, j + best->length, i + best->length))
            continue;
        length = padici_codec_match_length(s, size, i, j, most);
        if (length < s->key) continue;
        here = (int64_t)(price[length] - price[0]) - padici_codec_match_price(i - j, length, last);
        if (here > best->gain) best->gain = here, best->length = length, best->distance = i - j;
        if (best->length == most || best->length > 4096) return 1;
    }
    return 0;
}

// The repeat of element i that saves most.
PADICI_INLINE padici_codec_match padici_codec_best_match(padici_codec_matcher *s, uint32_t size,
                                                         size_t i, const size_t last[2])
{
    const size_t end = s->past + s->n, most = end - i;
    const uint32_t *price = s->price + (i - s->past);
    padici_codec_match best = {0, 0, 0};
    uint32_t tries = s->depth, k;
    for (k = 0; k < 2; k++) { // the last distances are cheap
        size_t length;
        int64_t here;
        if (last[k] == 0 || last[k] > i || !padici_codec_same_element(s, size, i, i - last[k]))
            continue;
        length = padici_codec_match_length(s, size, i, i - last[k], most);
        here =
            (int64_t)(price[length] - price[0]) - padici_codec_match_price(last[k], length, last);
        if (here > best.gain) best.gain = here, best.length = length, best.distance = last[k];
    }
    if (i + s->key > end) return best;
    padici_codec_index_elements(s, size, i);
    k = padici_codec_hash_elements(s->raw, i, size, s->mask, s->key, 32);
    if (!padici_codec_follow_chain(s, size, i, s->head[k >> s->shift % 32], s->chain, s->past,
                                   last, &tries, &best) &&
        s->past)
        (void)padici_codec_follow_chain(s, size, i, s->past_head[k >> s->past_shift % 32],
                                        s->past_chain, 0, last, &tries, &best);
    return best;
}

static padici_codec_match padici_codec_any_match(padici_codec_matcher *s, size_t i,
                                                 const size_t last[2])
{
    return padici_codec_best_match(s, s->size, i, last);
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

PADICI_INLINE void padici_codec_greedy_loop(padici_codec_matcher *s, uint32_t size, int lazy,
                                            padici_codec_matches *list)
{
    const size_t end = s->past + s->n;
    size_t i = s->past, misses = 0;
    while (i < end) {
        padici_codec_match here = padici_codec_best_match(s, size, i, list->last);
        if (here.length == 0 || here.gain < 48) {
            i += lazy ? 1 : 1 + (++misses >> 6);
            continue;
        }
        misses /= 2;
        while (lazy && i + 1 < end && here.length < 256) {
            const padici_codec_match next = padici_codec_best_match(s, size, i + 1, list->last);
            if (next.length == 0 ||
                next.gain <=
                    here.gain + (int64_t)(s->price[i + 1 - s->past] - s->price[i - s->past]))
                break;
            i++;
            here = next;
        }
        if (!lazy) // words that were passed over
            while (i - s->past > list->from && i > here.distance &&
                   padici_codec_same_element(s, size, i - 1, i - 1 - here.distance))
                i--, here.length++;
        padici_codec_add_match(list, i - s->past, here.length, here.distance);
        list->gain += here.gain;
        i += here.length;
        // of a long one only the end goes to the chains: they have the like of the rest
        if (!lazy && s->indexed + 64 < i) s->indexed = i - 64;
    }
}

// Greedy, or `lazy`: a match at the next word is tried first. Greedy search tries fewer words where
// nothing repeats. One loop per size.
PADICI_FN PADICI_NOINLINE void padici_codec_parse_greedy(padici_codec_matcher *s, int lazy,
                                                         padici_codec_matches *list)
{
    if (s->size == 8)
        padici_codec_greedy_loop(s, 8, lazy, list);
    else if (s->size == 4)
        padici_codec_greedy_loop(s, 4, lazy, list);
    else if (s->size == 2)
        padici_codec_greedy_loop(s, 2, lazy, list);
    else
        padici_codec_greedy_loop(s, 1, lazy, list);
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
        padici_codec_match found;
        size_t to;
        if (price[i] + s->price[i + 1] - s->price[i] < price[i + 1]) {
            price[i + 1] = price[i] + s->price[i + 1] - s->price[i];
            arrival[i + 1] = 0;
            lasts[i + 1] = lasts[i];
        }
        found = padici_codec_any_match(s, s->past + i, last);
        if (found.length == 0) continue;
        for (to = found.length > 64 ? found.length : 1; to <= found.length; to++) {
            const uint64_t here = price[i] + padici_codec_match_price(found.distance, to, last);
            if (here >= price[i + to]) continue;
            price[i + to] = here;
            arrival[i + to] = (uint64_t)to << 32 | found.distance;
            lasts[i + to] = found.distance == last[0]
                                ? lasts[i]
                                : (uint64_t)last[0] << 32 | found.distance;
        }
        if (found.length > 64) { // so long a repeat is taken whole
            for (k = 1; k < found.length; k++) price[i + k] = UINT64_MAX / 2;
            i += found.length - 1;
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
