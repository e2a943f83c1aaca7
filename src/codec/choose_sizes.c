#include "choose_sizes.h"
#include "bytes.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: sizes

// Size of words as magnitude buckets with m = 1: the entropy of the tokens and the bits below.
PADICI_FN uint64_t padici_codec_bucket_cost(const uint64_t *z, size_t n)
{
    uint32_t counts[128], t, extra;
    uint64_t plain = 0;
    size_t i;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i++) {
        t = padici_codec_token(z[i], 1, &extra);
        counts[t]++;
        plain += extra;
    }
    return padici_codec_entropy(counts, 128, (uint32_t)n) + 256 * plain;
}

// Size of words as the level's coders would store them.
PADICI_FN uint64_t padici_codec_words_cost(const padici_codec_work *w, const uint64_t *z, size_t n)
{
    if (!w->policy->coders.packed) return padici_codec_bucket_cost(z, n);
    return 256 * (*w->loops->packed)(z, n);
}

// Size of words as planes of bytes. A short sample makes 256 symbols look cheaper than they are:
// (symbols - 1) / 2 ln 2 bits are added back (Miller 1955).
PADICI_FN uint64_t padici_codec_bytes_cost(const uint64_t *z, size_t n)
{
    uint64_t all = 0, cost = 0;
    uint32_t k, s, used;
    size_t i;
    for (i = 0; i < n; i++) all |= z[i];
    for (k = 0; k < padici_codec_bit_length(all); k += 8) {
        uint32_t counts[256];
        uint64_t plane;
        memset(counts, 0, sizeof counts);
        for (i = 0; i < n; i++) counts[z[i] >> k & 255]++;
        for (s = 0, used = 0; s < 256; s++) used += counts[s] != 0;
        plane = padici_codec_entropy(counts, 256, (uint32_t)n) + (uint64_t)(used - 1) * 185;
        cost += plane < 2048 * (uint64_t)n ? plane : 2048 * (uint64_t)n;
    }
    return cost;
}

// The cheapest m of buckets for these words, from one histogram with m = 3.
PADICI_FN uint32_t padici_codec_choose_mantissa(const uint64_t *z, size_t n, size_t step,
                                                uint64_t *cost)
{
    uint32_t counts[512], m, best = 0, extra, total = 0;
    uint64_t largest = 0, plain = 0;
    size_t i;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i += step) {
        counts[padici_codec_token(z[i], 3, &extra)]++;
        plain += extra;
        total++;
        if (z[i] > largest) largest = z[i];
    }
    *cost = UINT64_MAX;
    for (m = 4; m-- > 0;) {
        uint64_t here = padici_codec_entropy(counts, 512, total) + 256 * plain;
        uint32_t t, used = 0;
        for (t = 0; t < 512; t++) used += counts[t] != 0;
        here += (uint64_t)used * 1536; // its entry in a table
        if ((m < 3 || largest >> 33 == 0) && here < *cost) {
            *cost = here;
            best = m;
        }
        if (m == 0) break;
        // tokens for m - 1, in place (they never grow): one with plain bits moves its last bit to
        // them, and so does the upper half of those without
        for (t = 0; t < 512; t++) {
            const uint32_t count = counts[t], e = t < 2u << m ? 0 : (t >> m) - 1;
            const uint32_t high = (t & ((1u << m) - 1)) | 1u << m; // the bits that a token keeps
            uint32_t lost = 1;
            counts[t] = 0;
            if (e == 0)
                counts[padici_codec_token(t, m - 1, &lost)] += count;
            else counts[((e + 2) << (m - 1)) + ((high >> 1) & ((1u << (m - 1)) - 1))] += count;
            plain += (uint64_t)lost * count;
        }
    }
    return best;
}

#endif
