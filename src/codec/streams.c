#include "streams.h"
#include "bytes_repeats.h"
#include "constants.h"

#if PADICI_IMPLEMENT_CODEC

// ---- streams of bytes

PADICI_FN uint64_t padici_codec_make_tokens(const uint64_t *z, size_t n, uint32_t m,
                                            uint8_t *tokens, uint32_t *widest)
{
    uint64_t total = 0;
    uint32_t extra, most = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        tokens[i] = (uint8_t)padici_codec_token(z[i], m, &extra);
        total += extra;
        most = extra > most ? extra : most;
    }
    *widest = most;
    return total;
}

// Returns the end of the bits.
PADICI_FN padici_codec_bits padici_codec_put_plain_bits(padici_codec_bits bits, const uint64_t *z,
                                                        const uint8_t *tokens, size_t n, uint32_t m)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t extra = tokens[i] < 2u << m ? 0 : ((uint32_t)tokens[i] >> m) - 1;
        if (extra <= 56)
            padici_codec_put_bits(&bits, z[i] & ((UINT64_C(1) << extra) - 1), extra);
        else
            padici_codec_put_bits64(&bits, z[i] & (~UINT64_C(0) >> (64 - extra)), extra);
    }
    return bits;
}

PADICI_FN void padici_codec_put_plain_loop(const uint64_t *z, const uint8_t *tokens, size_t n,
                                           uint32_t m, uint32_t widest, uint8_t *p)
{
    padici_codec_bits bits;
    (void)widest;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    (void)padici_codec_put_plain_bits(bits, z, tokens, n, m);
}

// u8 m, u8 most plain bits of a word, the tokens as a stream, u32 size of the plain bits, the plain
// bits in order. Tokens are bytes: those of m = 3 hold words below 2^34 (30 plain bits); if there
// is a larger word, which a sample may have missed, m is 2.
PADICI_FN void padici_codec_put_buckets(padici_codec_work *w, const uint64_t *z, size_t n,
                                        uint32_t m, uint8_t *tokens, int nested)
{
    uint32_t widest;
    uint64_t total = (*w->loops->tokens)(z, n, m, tokens, &widest);
    uint8_t *size, *plain;
    if (m == 3 && widest > 30) total = (*w->loops->tokens)(z, n, m = 2, tokens, &widest);
    padici_codec_put_u8(&w->out, m);
    padici_codec_put_u8(&w->out, widest);
    padici_codec_put_stream(w, tokens, n, nested);
    size = padici_codec_room(&w->out, 4);
    plain = padici_codec_room(&w->out, (size_t)(total / 8 + 9)); // 8 bytes of slack for put_bits
    if (!plain) return;
    padici_store32(size, (uint32_t)((total + 7) / 8));
    w->out.at = plain + (total + 7) / 8;
    if (total) (*w->loops->put_plain)(z, tokens, n, m, widest, plain);
}

// `tokens` NULL: skip. Wrong tokens only give wrong words.
PADICI_FN void padici_codec_begin_buckets(padici_codec_work *w, padici_codec_reader *in, size_t n,
                                          uint8_t *tokens, int nested,
                                          padici_codec_histogram *histogram,
                                          padici_codec_decoder *decoder)
{
    const uint32_t m = padici_codec_take_u8(in), widest = padici_codec_take_u8(in);
    uint32_t size;
    memset(decoder, 0, sizeof *decoder);
    if (m > 3 || widest > 63) in->bad = 1;
    padici_codec_take_stream(w, in, tokens, n, nested, histogram);
    size = padici_codec_take_u32(in);
    decoder->plain = padici_codec_take(in, size);
    decoder->end = 8 * (uint64_t)size;
    decoder->tokens = tokens;
    decoder->widest = widest;
    decoder->m = m;
    if (histogram) histogram->bytes[PADICI_CODEC_KIND_BITS] += size;
    if (tokens) decoder->base = (uint64_t *)w->table;
}

static void padici_codec_buckets_table(padici_codec_decoder *decoder)
{
    const uint32_t m = decoder->m;
    uint64_t *base = decoder->base, *mask = decoder->mask = base + 256;
    uint8_t *extra = decoder->extra = (uint8_t *)(mask + 256);
    uint32_t t;
    for (t = 0; t < 256; t++) {
        const uint32_t e = t < 2u << m ? 0 : (t >> m) - 1;
        extra[t] = (uint8_t)(e < 64 ? e : 63);
        base[t] = t < 2u << m ? t : (uint64_t)((t & ((1u << m) - 1)) | 1u << m) << extra[t];
        mask[t] = e ? ~UINT64_C(0) >> (64 - extra[t]) : 0;
    }
}

PADICI_FN size_t padici_codec_buckets_loop(padici_codec_decoder *decoder, uint64_t *z, size_t from,
                                           size_t to)
{
    const uint8_t *tokens = decoder->tokens, *extra, *p = decoder->plain;
    const uint64_t *base = decoder->base, *mask, end = decoder->end;
    uint64_t at = decoder->at;
    size_t i = from;
    if (from < to && !decoder->mask) padici_codec_buckets_table(decoder);
    extra = decoder->extra;
    mask = decoder->mask;
    if (decoder->widest <= 57) {
        for (; i < to && at <= end; i++) {
            const uint32_t t = tokens[i];
            z[i] = base[t] + (padici_codec_peek(p, at) & mask[t]);
            at += extra[t];
        }
    } else {
        for (; i < to && at <= end; i++) {
            const uint32_t t = tokens[i];
            uint64_t plain = padici_codec_peek(p, at) & 0xffffffffu & mask[t];
            if (extra[t] > 32 && at + 32 <= end)
                plain |= (padici_codec_peek(p, at + 32) << 32) & mask[t];
            z[i] = base[t] + plain;
            at += extra[t];
        }
    }
    decoder->at = at;
    return i;
}

// All words of a list at once; z NULL: skip, with tokens NULL as well.
PADICI_FN PADICI_NOINLINE void padici_codec_take_buckets(padici_codec_work *w,
                                                         padici_codec_reader *in, uint64_t *z,
                                                         size_t n, uint8_t *tokens, int nested,
                                                         padici_codec_histogram *histogram)
{
    padici_codec_decoder decoder;
    padici_codec_begin_buckets(w, in, n, tokens, nested, histogram, &decoder);
    if (in->bad || !z) return;
    if ((*w->loops->buckets)(&decoder, z, 0, n) < n ||
        !padici_codec_ends(decoder.plain, decoder.at, decoder.end))
        in->bad = 1;
}

// Symbols of equal width, lowest bits first: n * width bits.
PADICI_FN void padici_codec_put_packed(padici_codec_writer *out, const uint8_t *data, size_t n,
                                       uint32_t base, uint32_t width)
{
    const size_t size = (n * width + 7) / 8;
    padici_codec_bits bits;
    size_t i;
    padici_codec_put_u8(out, base);
    padici_codec_put_u8(out, width);
    bits.at = padici_codec_room(out, size + 8);
    if (!bits.at) return;
    out->at -= 8;
    bits.held = 0;
    bits.count = 0;
    for (i = 0; i + 8 <= n; i += 8, bits.at += width) { // joins neighbours, then pairs, then fours
        uint64_t x = padici_load64(data + i) - base * UINT64_C(0x0101010101010101);
        x = (x & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0xff00ff00ff00ff00)) >> (8 - width);
        x = (x & UINT64_C(0x0000ffff0000ffff)) |
            (x & UINT64_C(0xffff0000ffff0000)) >> (16 - 2 * width);
        padici_store64(bits.at, (x & 0xffffffffu) | (x >> 32) << 4 * width);
    }
    for (; i < n; i++) padici_codec_put_bits(&bits, data[i] - base, width);
}

PADICI_FN void padici_codec_packed_bytes(const uint8_t *p, uint32_t base, uint32_t width,
                                         uint8_t *data, size_t n)
{
    const uint64_t eight = ~UINT64_C(0) >> (64 - 8 * width);
    const uint64_t four = UINT64_C(0xffffffff) >> (32 - 4 * width);
    const uint64_t two = (UINT64_C(0xffff) >> (16 - 2 * width)) * UINT64_C(0x0000000100000001);
    const uint64_t one = (UINT64_C(0xff) >> (8 - width)) * UINT64_C(0x0001000100010001);
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), bases = base * UINT64_C(0x0101010101010101);
    size_t i;
    for (i = 0; i + 8 <= n; i += 8) {
        uint64_t x = padici_load64(p + i / 8 * width) & eight;
        x = (x & four) | (x >> 4 * width) << 32;
        x = (x & two) | (x & two << 2 * width) << (16 - 2 * width);
        x = (x & one) | (x & one << width) << (8 - width);
        padici_store64(data + i, ((x & low) + (bases & low)) ^ ((x ^ bases) & ~low));
    }
    for (; i < n; i++)
        data[i] =
            (uint8_t)(base + (padici_codec_peek(p, i * (uint64_t)width) & ((1u << width) - 1)));
}

PADICI_FN void padici_codec_take_packed(const padici_codec_work *w, padici_codec_reader *in,
                                        uint8_t *data, size_t n)
{
    const uint32_t base = padici_codec_take_u8(in), width = padici_codec_take_u8(in);
    const uint8_t *p = width <= 8 ? padici_codec_take(in, (n * width + 7) / 8) : NULL;
    if (!p) in->bad = 1;
    if (in->bad || !data) return;
    if (!padici_codec_ends(p, n * (uint64_t)width, (n * (uint64_t)width + 7) & ~UINT64_C(7)))
        in->bad = 1;
    if (width == 0) memset(data, (int)base, n);
    else (*w->loops->packed_bytes)(p, base, width, data, n);
}

// Rare nonzero bytes: u32 count, u8 1 for gaps or 0 for a bitmap, positions, values.
PADICI_FN void padici_codec_put_sparse(padici_codec_work *w, const uint8_t *data, size_t n,
                                       size_t nonzero)
{
    uint8_t *values = w->spare, *tokens = w->spare + w->capacity / 8 + 64;
    const size_t apart = n / (nonzero + 1);
    const int gaps = padici_codec_bit_length(apart) + 2 < apart;
    size_t i, at = 0, before = 0;
    padici_codec_put_u32(&w->out, (uint32_t)nonzero);
    padici_codec_put_u8(&w->out, (uint32_t)gaps);
    for (i = 0; i < n; i++) {
        while (i + 8 <= n && padici_load64(data + i) == 0) i += 8; // mostly zeros
        if (i == n || !data[i]) continue;
        values[at] = data[i];
        w->gaps[at++] = i - before;
        before = i + 1;
    }
    if (gaps) {
        padici_codec_put_buckets(w, w->gaps, nonzero, 2, tokens, 1);
    } else {
        uint8_t *map = padici_codec_room(&w->out, (n + 7) / 8);
        if (!map) return;
        memset(map, 0, (n + 7) / 8);
        for (i = 0; i < n; i++)
            if (data[i]) map[i / 8] = (uint8_t)(map[i / 8] | 1u << i % 8);
    }
    padici_codec_put_stream(w, values, nonzero, 1);
}

PADICI_FN void padici_codec_take_sparse(padici_codec_work *w, padici_codec_reader *in,
                                        uint8_t *data, size_t n, padici_codec_histogram *histogram)
{
    uint8_t *values = data ? w->spare : NULL;
    uint8_t *tokens = data ? w->spare + w->capacity / 8 + 64 : NULL;
    const size_t nonzero = padici_codec_take_u32(in);
    const uint32_t gaps = padici_codec_take_u8(in);
    const uint8_t *map = NULL;
    size_t i, at = 0;
    if (in->bad || nonzero > n / 8 || gaps > 1) {
        in->bad = 1;
        return;
    }
    if (gaps)
        padici_codec_take_buckets(w, in, data ? w->gaps : NULL, nonzero, tokens, 1, histogram);
    else
        map = padici_codec_take(in, (n + 7) / 8);
    padici_codec_take_stream(w, in, values, nonzero, 1, histogram);
    if (in->bad || !data) return;
    memset(data, 0, n);
    for (i = 0; gaps && i < nonzero; i++) {
        if (at >= n || w->gaps[i] >= n - at) {
            in->bad = 1;
            return;
        }
        at += (size_t)w->gaps[i];
        data[at++] = values[i];
    }
    for (i = 0; !gaps && i < n; i++) {
        if (!(map[i / 8] >> i % 8 & 1)) continue;
        if (at == nonzero) {
            in->bad = 1;
            return;
        }
        data[i] = values[at++];
    }
    if (!gaps && (at != nonzero || (n % 8 && map[n / 8] >> n % 8))) in->bad = 1;
}

// Counts of bytes; four tables, so that equal neighbours do not wait for each other.
PADICI_FN PADICI_NOINLINE void padici_codec_count_bytes(const uint8_t *data, size_t n,
                                                        uint32_t counts[256], uint32_t *tables)
{
    uint32_t s;
    size_t i;
    memset(tables, 0, 4 * 256 * sizeof *tables);
    for (i = 0; i + 8 <= n; i += 8) {
        const uint64_t eight = padici_load64(data + i);
        tables[eight & 255]++;
        tables[256 + (eight >> 8 & 255)]++;
        tables[512 + (eight >> 16 & 255)]++;
        tables[768 + (eight >> 24 & 255)]++;
        tables[eight >> 32 & 255]++;
        tables[256 + (eight >> 40 & 255)]++;
        tables[512 + (eight >> 48 & 255)]++;
        tables[768 + (eight >> 56)]++;
    }
    for (; i < n; i++) tables[data[i]]++;
    for (s = 0; s < 256; s++)
        counts[s] = tables[s] + tables[256 + s] + tables[512 + s] + tables[768 + s];
}

// 1 if a long stream looks like noise: the entropy of 4,096 of its bytes is (almost) that of as
// many random ones, which is 255 / 2 ln 2 = 184 bits below 8 each.
PADICI_FN int padici_codec_is_noise(const uint8_t *data, size_t n, uint32_t counts[256])
{
    const size_t step = n / 64;
    uint32_t i, k;
    if (n < 16384) return 0;
    memset(counts, 0, 256 * sizeof *counts);
    for (i = 0; i < 64; i++)
        for (k = 0; k < 64; k++) counts[data[i * step + k]]++;
    return padici_codec_entropy(counts, 256, 4096) > 256 * (4096 * 8 - 184 - 130);
}

#endif
