#include "rans.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_CODEC

// ---- coder: rANS, 32 interleaved 32-bit states, 16-bit words, frequencies that sum to 2^12

// Frequencies in proportion to counts, at least 1 for each symbol that occurs, sum 2^12. At least
// two symbols.
PADICI_FN void padici_codec_rans_frequencies(const uint32_t counts[256], uint32_t total,
                                             uint16_t freq[256])
{
    uint32_t sum = 0, s;
    for (s = 0; s < 256; s++) {
        uint64_t f = ((uint64_t)counts[s] * PADICI_CODEC_RANS_TOTAL + total / 2) / total;
        if (counts[s] && f == 0) f = 1;
        if (f >= PADICI_CODEC_RANS_TOTAL) f = PADICI_CODEC_RANS_TOTAL - 1;
        freq[s] = (uint16_t)f;
        sum += (uint32_t)f;
    }
    // Adds or removes single steps where each costs least: the change in bits is about counts /
    // freq.
    while (sum != PADICI_CODEC_RANS_TOTAL) {
        uint32_t best = 256;
        for (s = 0; s < 256; s++) {
            if (!counts[s] || (sum > PADICI_CODEC_RANS_TOTAL && freq[s] < 2)) continue;
            if (best == 256) {
                best = s;
            } else {
                const uint64_t here = (uint64_t)counts[s] * freq[best];
                const uint64_t there = (uint64_t)counts[best] * freq[s];
                if (sum > PADICI_CODEC_RANS_TOTAL ? here < there : here > there) best = s;
            }
        }
        if (sum > PADICI_CODEC_RANS_TOTAL) {
            freq[best]--;
            sum--;
        } else {
            freq[best]++;
            sum++;
        }
    }
}

// Frequencies as bytes: one byte below 128, otherwise two (high bit set first); 0 is followed by a
// byte of (zeros - 1).
PADICI_FN void padici_codec_rans_put_table(padici_codec_writer *out, const uint16_t freq[256])
{
    uint32_t last = 255, s;
    while (last > 0 && freq[last] == 0) last--;
    padici_codec_put_u8(out, last);
    for (s = 0; s <= last; s++) {
        if (freq[s] == 0) {
            uint32_t run = 1;
            while (freq[s + run] == 0) run++;
            padici_codec_put_u8(out, 0);
            padici_codec_put_u8(out, run - 1);
            s += run - 1;
        } else if (freq[s] < 128) {
            padici_codec_put_u8(out, freq[s]);
        } else {
            padici_codec_put_u8(out, 128 | (freq[s] & 127u));
            padici_codec_put_u8(out, (uint32_t)freq[s] >> 7);
        }
    }
}

PADICI_FN void padici_codec_rans_take_table(padici_codec_reader *in, uint16_t freq[256])
{
    const uint32_t last = padici_codec_take_u8(in);
    uint32_t s = 0, sum = 0;
    memset(freq, 0, 256 * sizeof *freq);
    while (s <= last && !in->bad) {
        uint32_t f = padici_codec_take_u8(in);
        if (f == 0) {
            s += padici_codec_take_u8(in) + 1;
            continue;
        }
        if (f & 128) f = (f & 127) | padici_codec_take_u8(in) << 7;
        if (f > PADICI_CODEC_RANS_TOTAL) in->bad = 1;
        sum += f;
        freq[s++] = (uint16_t)f;
    }
    if (s != last + 1 || sum != PADICI_CODEC_RANS_TOTAL) in->bad = 1;
}

// Table, u32 number of words, 32 states, words. Encoded backwards, so that decoding runs forwards.
// `space` holds at least 3 n / 4 + 64 words: a symbol costs at most 12 bits. States x, below 2^20 f
// and 2^32, are divided by frequencies f by ceil(2^44 / f) x / 2^44, which is exact as x f < 2^44.
PADICI_FN PADICI_NOINLINE void padici_codec_rans_put(padici_codec_writer *out, const uint8_t *data,
                                                     size_t n, const uint16_t freq[256],
                                                     uint16_t *space, size_t space_words)
{
    uint32_t state[PADICI_CODEC_RANS_LANES], s, sum = 0;
    uint64_t inverse[256];
    uint16_t start[256];
    uint16_t *top = space + space_words, *word = top;
    uint8_t *to;
    size_t i, words;
    padici_codec_rans_put_table(out, freq);
    for (s = 0; s < 256; s++) {
        start[s] = (uint16_t)sum;
        sum += freq[s];
        inverse[s] = freq[s] ? ((UINT64_C(1) << 44) + freq[s] - 1) / freq[s] : 0;
    }
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++) state[i] = PADICI_CODEC_RANS_LOW;
    for (i = n; i-- > 0;) {
        const uint32_t f = freq[data[i]], lane = (uint32_t)(i % PADICI_CODEC_RANS_LANES);
        uint32_t x = state[lane], q;
        if (x >> 20 >= f) {
            *--word = (uint16_t)x;
            x >>= 16;
        }
        q = (uint32_t)(x * inverse[data[i]] >> 44);
        state[lane] = (q << PADICI_CODEC_RANS_SCALE_BITS) + (x - q * f) + start[data[i]];
    }
    words = (size_t)(top - word);
    padici_codec_put_u32(out, (uint32_t)words);
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++) padici_codec_put_u32(out, state[i]);
    to = padici_codec_room(out, 2 * words);
    for (i = 0; to && i < words; i++) padici_store16(to + 2 * i, word[i]);
}

// Rounds of one symbol per state, as long as words cannot run out.
PADICI_FN const uint8_t *padici_codec_rans_rounds(uint32_t state[PADICI_CODEC_RANS_LANES],
                                                  const uint32_t *table, const uint8_t *p,
                                                  const uint8_t *end, uint8_t *data, size_t n,
                                                  size_t *done)
{
    size_t at = 0;
    for (; at + PADICI_CODEC_RANS_LANES <= n; at += PADICI_CODEC_RANS_LANES) {
        uint32_t lane;
        // 32 lanes take at most 64 bytes; the 8 bytes of padding allow for the last loads
        if (end - p < 64) break;
        for (lane = 0; lane < PADICI_CODEC_RANS_LANES; lane++) {
            const uint32_t x = state[lane], e = table[x & (PADICI_CODEC_RANS_TOTAL - 1)];
            const uint32_t y =
                ((e >> 8 & 4095) + 1) * (x >> PADICI_CODEC_RANS_SCALE_BITS) + (e >> 20);
            const uint32_t low =
                y < PADICI_CODEC_RANS_LOW; // no branch: it would be unpredictable
            data[at + lane] = (uint8_t)e;
            state[lane] = low ? y << 16 | padici_load16(p) : y;
            p += 2 * low;
        }
    }
    *done = at;
    return p;
}

// Entries of a table: symbol | frequency - 1 << 8 | offset << 20.
PADICI_FN void padici_codec_slots(const uint16_t freq[256], uint32_t *table)
{
    uint32_t s, i;
    for (s = 0; s < 256; s++)
        for (i = 0; i < freq[s]; i++) *table++ = s | (freq[s] - 1u) << 8 | i << 20;
}

PADICI_FN PADICI_NOINLINE void padici_codec_rans_take(padici_codec_reader *in, uint8_t *data,
                                                      size_t n, void *table_space,
                                                      const padici_codec_loops *loops)
{
    uint32_t *table = (uint32_t *)table_space, state[PADICI_CODEC_RANS_LANES], words, i;
    uint16_t freq[256];
    const uint8_t *p, *end;
    size_t done;
    padici_codec_rans_take_table(in, freq);
    words = padici_codec_take_u32(in);
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++) {
        state[i] = padici_codec_take_u32(in);
        if (state[i] < PADICI_CODEC_RANS_LOW) in->bad = 1;
    }
    p = padici_codec_take(in, 2 * (size_t)words);
    if (in->bad || !data) return;
    end = p + 2 * (size_t)words;
    (*loops->rans_table)(freq, table);
    p = (*loops->rans)(state, table, p, end, data, n, &done);
    for (; done < n; done++) {
        const uint32_t lane = (uint32_t)(done % PADICI_CODEC_RANS_LANES), x = state[lane];
        const uint32_t e = table[x & (PADICI_CODEC_RANS_TOTAL - 1)];
        uint32_t y = ((e >> 8 & 4095) + 1) * (x >> PADICI_CODEC_RANS_SCALE_BITS) + (e >> 20);
        if (y < PADICI_CODEC_RANS_LOW) {
            if (p == end) {
                in->bad = 1;
                return;
            }
            y = y << 16 | padici_load16(p);
            p += 2;
        }
        data[done] = (uint8_t)e;
        state[lane] = y;
    }
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++)
        if (state[i] != PADICI_CODEC_RANS_LOW) in->bad = 1;
    if (p != end) in->bad = 1;
}

#endif
