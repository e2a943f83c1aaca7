#include "choose_repeats.h"
#include "block_decode.h"
#include "policy.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: repeats

// Hash of `key` words, 1 to 3.
PADICI_INLINE uint32_t padici_codec_hash_words(const uint64_t *x, size_t key)
{
    uint64_t h = x[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (key > 1) h = (h ^ h >> 32 ^ x[1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    if (key > 2) h = (h ^ h >> 32 ^ x[2]) * UINT64_C(0x165667b19e3779f9);
    return (uint32_t)(h >> (64 - PADICI_CODEC_HASH_BITS));
}

// Share (of 256) of stretches of `key` words that occurred earlier in the block, among the
// sixteenth selected by a hash of the first word: equal content is always selected.
PADICI_FN uint32_t padici_codec_repeat_share(padici_codec_work *w, const uint64_t *x, size_t n,
                                             size_t key)
{
    uint32_t *seen = w->hash, *picked = w->hash + (1u << PADICI_CODEC_HASH_BITS);
    uint32_t tested = 0, found = 0, t;
    size_t i, k;
    memset(seen, 0, sizeof *seen << PADICI_CODEC_HASH_BITS);
    for (i = 0; i + key <= n; i++) { // no branch: it would be hard to predict
        picked[tested] = (uint32_t)i;
        tested += x[i] * UINT64_C(0x9e3779b97f4a7c15) >> 60 == 0;
    }
    for (t = 0; t < tested; t++) {
        uint32_t h, at;
        i = picked[t];
        h = padici_codec_hash_words(x + i, key);
        h = (h ^ h >> 7) & ((1u << PADICI_CODEC_HASH_BITS) - 1);
        at = seen[h];
        seen[h] = (uint32_t)i + 1;
        for (k = 0; k < key && at && x[at - 1 + k] == x[i + k];) k++;
        found += k == key;
    }
    return tested > 16 ? found * 256 / tested : 0;
}

// As loops->pick: words are elements of 8 bytes where the host is little-endian.
static size_t padici_codec_pick_words(const padici_codec_work *w, const uint64_t *x, size_t n,
                                      uint32_t *picks)
{
    size_t i, count = 0;
    if (!PADICI_BIG_ENDIAN) return (*w->loops->pick)((const uint8_t *)x, n, 8, 0, 4, picks);
    for (i = 0; i < n; i++) {
        picks[count] = (uint32_t)i;
        count += padici_codec_is_picked(x[i] << 1 | x[i] >> 63, 4);
    }
    return count;
}

// Estimates the bits that repeats of words save, each of which takes `each` 1/16 bits otherwise,
// from those at a sixteenth of the places, selected by content. Runs of one word are left out: all
// predictors find them.
PADICI_FN uint64_t padici_codec_words_gain(padici_codec_work *w, const uint64_t *x, size_t n,
                                           uint64_t each)
{
    uint32_t *seen = w->hash, *picked = w->hash + (1u << PADICI_CODEC_HASH_BITS);
    const size_t pays = (size_t)(PADICI_CODEC_REPEAT_BITS * 16 / (each + 1)) + 1, most = 4 * pays;
    uint64_t gain = 0;
    size_t tested, t;
    if (pays > 1024 || most > n / 8) return 0;
    memset(seen, 0, sizeof *seen << PADICI_CODEC_HASH_BITS);
    tested = padici_codec_pick_words(w, x, n, picked);
    for (t = 0; t < tested; t++) {
        uint32_t *place;
        size_t k = 0, i = picked[t];
        if (i + 3 > n || x[i] == x[i + 1]) continue;
        place = seen + padici_codec_hash_words(x + i, 3);
        if (*place)
            while (k < most && i + k < n && x[*place - 1 + k] == x[i + k]) k++;
        *place = (uint32_t)i + 1;
        if (k >= pays) gain += each - each * pays / (2 * k);
    }
    return gain;
}

// 1 if repeats of words within a tolerance may save a share of the best payload.
PADICI_FN int padici_codec_repeats_promise(padici_codec_work *w, const uint64_t *x, size_t n)
{
    return padici_codec_words_gain(w, x, n, w->best * 128 / n) >
           w->best * 8 / PADICI_CODEC_BOUNDED_GAIN;
}

// Greedy parse into literals (to `literals`) and repeats of at least `least` words (three lists, a
// third of w->list each). Returns the number of literals.
PADICI_FN size_t padici_codec_find_repeats(padici_codec_work *w, const uint64_t *x, size_t n,
                                           size_t least, uint64_t *literals, size_t *repeats)
{
    const size_t third = w->capacity + 1, key = least < 3 ? least : 3;
    uint64_t *runs = w->list, *lengths = runs + third, *distances = lengths + third;
    uint32_t *head = w->hash, *chain = w->hash + (1u << PADICI_CODEC_HASH_BITS);
    const uint32_t depth = w->policy->patterns.words_depth;
    size_t i = 0, from = 0, m = 0, q = 0, misses = 0;
    memset(head, 0, sizeof *head << PADICI_CODEC_HASH_BITS);
    while (i + key <= n) {
        const uint32_t h = padici_codec_hash_words(x + i, key);
        size_t best = 0, distance = 0, length;
        uint32_t at = head[h], tries = depth;
        for (; at && tries; tries--, at = chain[at - 1]) {
            const uint64_t *y = x + at - 1;
            if (y[best] != x[i + best]) continue; // i + best < n: a full match ends the search
            for (length = 0; i + length < n && y[length] == x[i + length];) length++;
            if (length > best) {
                best = length;
                distance = i - (at - 1);
                if (i + best == n || best > 4096) break;
            }
        }
        chain[i] = head[h];
        head[h] = (uint32_t)i + 1;
        if (best < least) { // search less often where nothing repeats
            i += w->policy->patterns.words_skip ? 1 + (++misses >> 6) : 1;
            continue;
        }
        misses = 0;
        runs[q] = i - from;
        lengths[q] = best;
        distances[q++] = distance;
        memcpy(literals + m, x + from, (i - from) * sizeof *x);
        m += i - from;
        from = i + best;
        // long repeats need not all be found again
        for (length = 1; length < best && i + length + key <= n; length += best > 64 ? 4 : 1) {
            const uint32_t g = padici_codec_hash_words(x + i + length, key);
            chain[i + length] = head[g];
            head[g] = (uint32_t)(i + length) + 1;
        }
        i = from;
    }
    memcpy(literals + m, x + from, (n - from) * sizeof *x);
    *repeats = q;
    return m + n - from;
}

#endif
