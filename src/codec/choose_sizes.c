#include "choose_sizes.h"
#include "bytes.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: sizes

#define PADICI_CODEC_SIZE_RUN 256u // words whose tokens are made at once

// Size of words as magnitude buckets with m = 1: the entropy of the tokens and the bits below.
PADICI_FN uint64_t padici_codec_bucket_cost(const padici_codec_loops *loops, const uint64_t *z,
                                            size_t n)
{
    uint32_t counts[2][128], widest, t; // two, so that equal neighbours do not wait for each other
    uint8_t tokens[PADICI_CODEC_SIZE_RUN];
    uint64_t plain = 0;
    size_t i, k, run;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i += run) {
        run = padici_codec_least(n - i, PADICI_CODEC_SIZE_RUN);
        plain += (*loops->tokens)(z + i, run, 1, tokens, &widest);
        for (k = 0; k < run; k++) counts[k % 2][tokens[k]]++;
    }
    for (t = 0; t < 128; t++) counts[0][t] += counts[1][t];
    return (*loops->entropy)(counts[0], 128, (uint32_t)n) + 256 * plain;
}

// Size of words as the level's coders would store them.
PADICI_FN uint64_t padici_codec_words_cost(const padici_codec_work *w, const uint64_t *z, size_t n)
{
    if (!w->policy->coders.packed) return padici_codec_bucket_cost(w->loops, z, n);
    return 256 * (*w->loops->packed)(z, n);
}

// Size of words as planes of bytes. A short sample makes 256 symbols look cheaper than they are:
// (symbols - 1) / 2 ln 2 bits are added back (Miller 1955).
PADICI_FN uint64_t padici_codec_bytes_cost(const padici_codec_loops *loops, const uint64_t *z,
                                           size_t n)
{
    uint64_t all = 0, cost = 0;
    uint32_t k, s, used;
    size_t i;
    for (i = 0; i < n; i++) all |= z[i];
    for (k = 0; k < padici_codec_bit_length(all); k += 8) {
        uint32_t counts[256], more[256];
        uint64_t plane;
        memset(counts, 0, sizeof counts);
        memset(more, 0, sizeof more);
        for (i = 0; i + 2 <= n; i += 2) {
            counts[z[i] >> k & 255]++;
            more[z[i + 1] >> k & 255]++;
        }
        if (i < n) counts[z[i] >> k & 255]++;
        for (s = 0, used = 0; s < 256; s++) {
            counts[s] += more[s];
            used += counts[s] != 0;
        }
        plane = (*loops->entropy)(counts, 256, (uint32_t)n) + (uint64_t)(used - 1) * 185;
        cost += plane < 2048 * (uint64_t)n ? plane : 2048 * (uint64_t)n;
    }
    return cost;
}

// The cheapest m of buckets for every `step`th of these words, from one histogram with m = 3.
PADICI_FN uint32_t padici_codec_choose_mantissa(const padici_codec_loops *loops, const uint64_t *z,
                                                size_t n, size_t step, uint64_t *cost)
{
    uint32_t counts[512], m, best = 0, extra, total = 0, widest, most = 0;
    uint64_t plain = 0, words[PADICI_CODEC_SIZE_RUN / 4];
    uint8_t tokens[PADICI_CODEC_SIZE_RUN / 4];
    size_t i = 0, k, run;
    memset(counts, 0, sizeof counts);
    while (i < n) {
        for (run = 0; run < sizeof tokens && i < n; run++, i += step) words[run] = z[i];
        plain += (*loops->tokens)(words, run, 3, tokens, &widest);
        total += (uint32_t)run;
        if (widest > most) most = widest;
        for (k = 0; k < run; k++) // those of larger words are no bytes
            counts[widest <= 30 ? tokens[k] : padici_codec_token(words[k], 3, &extra)]++;
    }
    *cost = UINT64_MAX;
    for (m = 4; m-- > 0;) {
        uint64_t here = (*loops->entropy)(counts, 512, total) + 256 * plain;
        uint32_t t, used = 0;
        for (t = 0; t < 512; t++) used += counts[t] != 0;
        here += (uint64_t)used * 1536; // its entry in a table
        if ((m < 3 || most < 30) && here < *cost) {
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

#undef PADICI_CODEC_SIZE_RUN

#endif
