#include "representation.h"
#include "../core/words.h"
#include "bytes_repeats.h"
#include "choose_sizes.h"
#include "constants.h"

#if PADICI_IMPLEMENT_CODEC

// ---- digits: words to streams and back

PADICI_FN void padici_codec_plane_loop(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to)
{
    size_t i;
    for (i = 0; i < n; i++) to[i] = (uint8_t)(z[i] >> shift);
}

// Planes of `bits` = 1, 4 or 8 bits, low to high: u8 planes, a stream each.
static void padici_codec_put_planes(padici_codec_work *w, const uint64_t *z, size_t n,
                                    uint32_t bits)
{
    const uint8_t mask = (uint8_t)((1u << bits) - 1);
    uint64_t all = 0;
    uint32_t planes, k;
    size_t i;
    for (i = 0; i < n; i++) all |= z[i];
    planes = (padici_codec_bit_length(all) + bits - 1) / bits;
    padici_codec_put_u8(&w->out, planes);
    for (k = 0; k < planes; k++) {
        (*w->loops->plane)(z, n, k * bits, w->symbols);
        for (i = 0; i < n && bits < 8; i++) w->symbols[i] &= mask;
        padici_codec_put_stream(w, w->symbols, n, 0);
    }
}

// Up to eight planes of bytes interleaved in the list; plain ones stay where they are.
static void padici_codec_begin_planes(padici_codec_work *w, padici_codec_reader *in, size_t n,
                                      int skip, padici_codec_histogram *histogram,
                                      padici_codec_decoder *decoder)
{
    uint32_t k;
    memset(decoder, 0, sizeof *decoder);
    decoder->planes = padici_codec_take_u8(in);
    if (decoder->planes > 8) in->bad = 1;
    for (k = 0; k < decoder->planes && !in->bad; k++) {
        const uint8_t *plain = in->at + 1;
        const int raw =
            !skip && (size_t)(in->end - in->at) > n && *in->at == PADICI_CODEC_CODER_RAW;
        uint8_t *to = skip || raw ? NULL : (uint8_t *)w->list + k * (n + 8);
        padici_codec_take_stream(w, in, to, n, 0, histogram);
        decoder->plane[k] = raw ? plain : to;
    }
}

PADICI_FN void padici_codec_next_planes(const padici_codec_decoder *decoder, uint64_t *z,
                                        size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint8_t *a = p[0], *b = p[1], *c = p[2], *d = p[3];
    size_t i;
    uint32_t k;
    switch (decoder->planes) {
    case 0:
        memset(z + from, 0, (to - from) * sizeof *z);
        return;
    case 1:
        for (i = from; i < to; i++) z[i] = a[i];
        return;
    case 2:
        for (i = from; i < to; i++) z[i] = (uint32_t)a[i] | (uint32_t)b[i] << 8;
        return;
    case 3:
        for (i = from; i < to; i++)
            z[i] = (uint32_t)a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16;
        return;
    default:
        for (i = from; i < to; i++)
            z[i] =
                (uint32_t)a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24;
    }
    for (k = 4; k < decoder->planes; k++)
        for (i = from, a = p[k]; i < to; i++) z[i] |= (uint64_t)a[i] << (8 * k);
}

// Planes of nibbles or bits.
static void padici_codec_take_planes(padici_codec_work *w, padici_codec_reader *in, uint64_t *z,
                                     size_t n, uint32_t bits, padici_codec_histogram *histogram)
{
    const uint32_t planes = padici_codec_take_u8(in);
    uint32_t k;
    size_t i;
    if (planes * bits > 64) in->bad = 1;
    if (z) memset(z, 0, n * sizeof *z);
    for (k = 0; k < planes && !in->bad; k++) {
        padici_codec_take_stream(w, in, z ? w->symbols : NULL, n, 0, histogram);
        for (i = 0; z && i < n; i++) z[i] |= (uint64_t)w->symbols[i] << (k * bits);
    }
}

// z = sum d_k p^k: u32 p, u8 planes; then the planes low to high, each as its one to three bytes,
// low to high, a stream each. `left` is the quotient still to be divided, and may be z.
static void padici_codec_put_prime(padici_codec_work *w, const uint64_t *z, size_t n, uint32_t p,
                                   uint64_t *left)
{
    const uint32_t bytes = (padici_codec_bit_length(p - 1) + 7) / 8;
    uint64_t largest = 0;
    uint32_t planes = 0, k, b;
    size_t i;
    for (i = 0; i < n; i++) {
        if (z[i] > largest) largest = z[i];
        left[i] = z[i];
    }
    for (; largest; largest /= p) planes++;
    padici_codec_put_u32(&w->out, p);
    padici_codec_put_u8(&w->out, planes);
    for (k = 0; k < planes; k++) {
        for (b = 0; b < bytes; b++) {
            for (i = 0; i < n; i++) w->symbols[i] = (uint8_t)(left[i] % p >> (8 * b));
            padici_codec_put_stream(w, w->symbols, n, 0);
        }
        for (i = 0; i < n; i++) left[i] /= p;
    }
}

static void padici_codec_take_prime(padici_codec_work *w, padici_codec_reader *in, uint64_t *z,
                                    size_t n, padici_codec_histogram *histogram)
{
    const uint32_t p = padici_codec_take_u32(in), planes = padici_codec_take_u8(in);
    const uint32_t bytes = (padici_codec_bit_length(p - 1) + 7) / 8;
    uint64_t power = 1;
    uint32_t k, b;
    size_t i;
    if (p < 2 || p > 65537 || planes > 64) in->bad = 1;
    if (z) memset(z, 0, n * sizeof *z);
    for (k = 0; k < planes && !in->bad; k++, power *= p) {
        for (b = 0; b < bytes && !in->bad; b++) {
            padici_codec_take_stream(w, in, z ? w->symbols : NULL, n, 0, histogram);
            for (i = 0; z && i < n; i++) z[i] += ((uint64_t)w->symbols[i] << (8 * b)) * power;
        }
    }
}

PADICI_FN void padici_codec_fixed_loop(const uint8_t *p, const uint8_t *end, uint32_t width,
                                       uint64_t *z, size_t n)
{
    const uint64_t mask = width ? ~UINT64_C(0) >> ((64 - width) & 63) : 0;
    uint64_t bit = 0;
    size_t i;
    (void)end;
    if (width <= 57) {
        for (i = 0; i < n; i++, bit += width) z[i] = padici_codec_peek(p, bit) & mask;
    } else {
        for (i = 0; i < n; i++, bit += width)
            z[i] = (padici_codec_peek(p, bit) & 0xffffffffu) |
                   ((padici_codec_peek(p, bit + 32) << 32) & mask);
    }
}

// Two or four words at a time if they fit.
PADICI_FN void padici_codec_put_fixed_loop(const uint64_t *z, size_t n, uint32_t width, uint8_t *p,
                                           size_t room)
{
    const uint64_t mask = width ? ~UINT64_C(0) >> ((64 - width) & 63) : 0;
    padici_codec_bits bits;
    size_t i = 0;
    (void)room;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    if (width <= 14) {
        for (; i + 4 <= n; i += 4)
            padici_codec_put_bits(&bits,
                                  (z[i] & mask) | (z[i + 1] & mask) << width |
                                      (z[i + 2] & mask) << 2 * width |
                                      (z[i + 3] & mask) << 3 * width,
                                  4 * width);
    } else if (width <= 28) {
        for (; i + 2 <= n; i += 2)
            padici_codec_put_bits(&bits, (z[i] & mask) | (z[i + 1] & mask) << width, 2 * width);
    }
    for (; i < n; i++) padici_codec_put_bits64(&bits, z[i] & mask, width);
}

// The cheapest width of words [from, to), and the exceptions above it: u64 words without an
// exception before each one, and its upper bits. `count` came before, the last one at *before - 1;
// returns the new count.
PADICI_FN size_t padici_codec_fixed_group(const uint64_t *z, size_t from, size_t to,
                                          uint8_t *chosen, uint64_t *gaps, uint64_t *high,
                                          size_t count, size_t *before)
{
    uint32_t counts[65], apart[65], width, best = 64, above = 0;
    uint64_t cost = UINT64_MAX, all = 0;
    size_t i;
    memset(counts, 0, sizeof counts);
    memset(apart, 0, sizeof apart); // two, as neighbours often need the same counter
    for (i = from; i + 1 < to; i += 2) {
        counts[padici_codec_bit_length(z[i])]++;
        apart[padici_codec_bit_length(z[i + 1])]++;
        all |= z[i] | z[i + 1];
    }
    if (i < to) counts[padici_codec_bit_length(z[i])]++, all |= z[i];
    for (width = 65; width-- > 0;) {
        // an exception costs about its gap and its upper bits
        const uint64_t here = (uint64_t)(to - from) * width + 12 * (uint64_t)above;
        if (8 * above > to - from) break;
        if (here <= cost) cost = here, best = width;
        above += counts[width] + apart[width];
    }
    for (i = from; i < to && best < 64 && all >> best; i++) {
        if (!(z[i] >> best)) continue;
        gaps[count] = i - *before;
        high[count++] = z[i] >> best;
        *before = i + 1;
    }
    *chosen = (uint8_t)best;
    return count;
}

// The approximate cost of words in this representation, with a width for each run of 32.
PADICI_FN uint64_t padici_codec_packed_cost(const uint64_t *z, size_t n)
{
    uint64_t total = 0;
    size_t from, i;
    for (from = 0; from < n; from += 32) {
        const size_t to = padici_codec_least(from + 32, n);
        uint64_t cost = UINT64_MAX;
        uint32_t counts[65], width, above = 0;
        memset(counts, 0, sizeof counts);
        for (i = from; i < to; i++) counts[padici_codec_bit_length(z[i])]++;
        for (width = 65; width-- > 0 && 8 * above <= to - from;) {
            const uint64_t here = (uint64_t)(to - from) * width + 16 * (uint64_t)above;
            if (here < cost) cost = here;
            above += counts[width];
        }
        total += cost;
    }
    return total;
}

// Groups of 256 words of one width each, chosen so that few are wider: the widths as a stream, u32
// exceptions with their gaps and upper bits, u32 size and bits of the groups.
static void padici_codec_put_fixed(padici_codec_work *w, const uint64_t *z, size_t n)
{
    const size_t groups = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
    uint64_t *gaps = w->gaps, *high = w->gaps + w->capacity / 8 + 1;
    uint8_t *size, *start;
    size_t g, exceptions = 0, before = 0;
    for (g = 0; g < groups; g++)
        exceptions = (*w->loops->group)(z, g * PADICI_CODEC_GROUP,
                                        padici_codec_least((g + 1) * PADICI_CODEC_GROUP, n),
                                        w->symbols + g, gaps, high, exceptions, &before);
    padici_codec_put_stream(w, w->symbols, groups, 1);
    padici_codec_put_u32(&w->out, (uint32_t)exceptions);
    if (exceptions) {
        padici_codec_put_buckets(w, gaps, exceptions, 2, w->symbols + groups, 1);
        padici_codec_put_buckets(w, high, exceptions, 2, w->symbols + groups, 1);
    }
    size = padici_codec_room(&w->out, 4);
    start = w->out.at;
    for (g = 0; g < groups; g++) {
        const size_t from = g * PADICI_CODEC_GROUP,
                     to = padici_codec_least(from + PADICI_CODEC_GROUP, n);
        const uint32_t width = w->symbols[g];
        uint8_t *p = padici_codec_room(&w->out, ((to - from) * width + 7) / 8 + 8);
        if (!p) return;
        w->out.at -= 8;
        if (width) (*w->loops->put_fixed)(z + from, to - from, width, p, (size_t)(w->out.end - p));
    }
    if (size) padici_store32(size, (uint32_t)(w->out.at - start));
}

static void padici_codec_begin_fixed(padici_codec_work *w, padici_codec_reader *in, size_t n,
                                     int skip, padici_codec_histogram *histogram,
                                     padici_codec_decoder *decoder)
{
    const size_t groups = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
    uint64_t *gaps = skip ? NULL : w->gaps, *high = skip ? NULL : w->gaps + w->capacity / 8 + 1;
    uint8_t *widths = skip ? NULL : w->symbols, *tokens = skip ? NULL : w->symbols + groups;
    size_t exceptions;
    memset(decoder, 0, sizeof *decoder);
    padici_codec_take_stream(w, in, widths, groups, 1, histogram);
    decoder->exceptions = exceptions = padici_codec_take_u32(in);
    if (exceptions > n / 8) in->bad = 1;
    if (exceptions && !in->bad) {
        padici_codec_take_buckets(w, in, gaps, exceptions, tokens, 1, histogram);
        padici_codec_take_buckets(w, in, high, exceptions, tokens, 1, histogram);
    }
    decoder->end = padici_codec_take_u32(in);
    decoder->plain = padici_codec_take(in, (size_t)decoder->end);
    decoder->widths = widths;
    decoder->gaps = gaps;
    decoder->high = high;
    if (exceptions && !in->bad && !skip) decoder->place = (size_t)padici_codec_least(gaps[0], n);
    if (histogram) histogram->bytes[PADICI_CODEC_KIND_BITS] += decoder->end;
}

// Words [from, to) of n; `from` starts a group. 0: the stream is damaged.
static int padici_codec_next_fixed(const padici_codec_work *w, padici_codec_decoder *decoder,
                                   uint64_t *z, size_t from, size_t to, size_t n)
{
    while (from < to) {
        const size_t count = padici_codec_least(to - from, PADICI_CODEC_GROUP);
        const uint32_t width = decoder->widths[from / PADICI_CODEC_GROUP];
        const size_t bytes = (count * width + 7) / 8;
        if (width > 64 || bytes > decoder->end - decoder->at) return 0;
        (*w->loops->fixed)(decoder->plain + decoder->at, decoder->plain + decoder->end, width,
                           z + from, count);
        decoder->at += bytes;
        from += count;
        while (decoder->exceptions && decoder->place < from) {
            if (width < 64) z[decoder->place] |= *decoder->high << width;
            decoder->high++;
            decoder->exceptions--;
            if (!decoder->exceptions) break;
            decoder->gaps++;
            if (*decoder->gaps >= n - decoder->place) return 0;
            decoder->place += (size_t)*decoder->gaps + 1;
        }
    }
    return to < n || (decoder->at == decoder->end && decoder->exceptions == 0);
}

// z = 2^v u: the valuations v as a stream (64 for z = 0), then (u - 1) / 2 in magnitude buckets.
static void padici_codec_put_unit(padici_codec_work *w, const uint64_t *z, size_t n, uint32_t m,
                                  uint64_t *units)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t v = z[i] ? padici_ctz64(z[i]) : 64;
        w->symbols[i] = (uint8_t)v;
        units[i] = z[i] ? z[i] >> v >> 1 : 0;
    }
    padici_codec_put_stream(w, w->symbols, n, 0);
    padici_codec_put_buckets(w, units, n, m, w->symbols, 0);
}

static void padici_codec_take_unit(padici_codec_work *w, padici_codec_reader *in, uint64_t *z,
                                   size_t n, padici_codec_histogram *histogram)
{
    // the buckets need `symbols` too, so the valuations wait in the list
    uint8_t *valuations = z ? (uint8_t *)w->list : NULL;
    size_t i;
    padici_codec_take_stream(w, in, valuations, n, 0, histogram);
    padici_codec_take_buckets(w, in, z, n, z ? w->symbols : NULL, 0, histogram);
    if (in->bad || !z) return;
    for (i = 0; i < n; i++) {
        if (valuations[i] > 64) in->bad = 1;
        z[i] = valuations[i] < 64 ? (2 * z[i] + 1) << valuations[i] : 0;
    }
}

// The distinct words of z, most frequent first, go to w->gaps and the rank of each word to ranks,
// which may be z. Returns how many there are; 0 if there are more than `most`, which is at most
// 4096 and n / 16.
PADICI_FN uint32_t padici_codec_make_word_table(padici_codec_work *w, const uint64_t *z, size_t n,
                                                uint32_t most, uint64_t *ranks)
{
    const uint32_t capacity = 1u << 14;
    uint32_t *slot = w->hash, *counts = w->hash + capacity, *order = counts + 4096;
    uint32_t used = 0, gap, i;
    uint64_t *value = w->gaps;
    size_t k;
    memset(slot, 0, capacity * sizeof *slot);
    for (k = 0; k < n; k++) {
        uint32_t at = (uint32_t)((z[k] * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
        while (slot[at] && value[slot[at] - 1] != z[k]) at = (at + 1) & (capacity - 1);
        if (!slot[at]) {
            if (used == most) return 0;
            value[used] = z[k];
            counts[used] = 0;
            slot[at] = ++used;
        }
        counts[slot[at] - 1]++;
    }
    for (i = 0; i < used; i++) order[i] = i;
    for (gap = 3280; gap; gap /= 3) { // shell sort: by count, then by value
        for (i = gap; i < used; i++) {
            const uint32_t o = order[i];
            uint32_t j = i;
            for (; j >= gap &&
                   (counts[order[j - gap]] < counts[o] ||
                    (counts[order[j - gap]] == counts[o] && value[order[j - gap]] > value[o]));
                 j -= gap)
                order[j] = order[j - gap];
            order[j] = o;
        }
    }
    for (i = 0; i < used; i++) counts[order[i]] = i;
    for (k = 0; k < n; k++) {
        uint32_t at = (uint32_t)((z[k] * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
        while (value[slot[at] - 1] != z[k]) at = (at + 1) & (capacity - 1);
        ranks[k] = counts[slot[at] - 1];
    }
    for (i = 0; i < used; i++) value[used + counts[i]] = value[i];
    memmove(value, value + used, used * sizeof *value);
    return used;
}

PADICI_FN uint32_t padici_codec_word_table_most(size_t n)
{
    return n / 16 < 4096 ? (uint32_t)(n / 16) : 4096;
}

// u32 count, the table as a list, the ranks as magnitude buckets. Without a table (too many words)
// it is empty and the ranks are the words.
static void padici_codec_put_word_table(padici_codec_work *w, const uint64_t *z, size_t n,
                                        uint64_t *ranks)
{
    const uint32_t used =
        padici_codec_make_word_table(w, z, n, padici_codec_word_table_most(n), ranks);
    uint64_t cost;
    padici_codec_put_u32(&w->out, used);
    padici_codec_put_buckets(w, w->gaps, used, 2, w->symbols, 1);
    if (!used) memcpy(ranks, z, n * sizeof *z);
    padici_codec_put_buckets(w, ranks, n,
                             padici_codec_choose_mantissa(w->loops, ranks, n, 1, &cost),
                             w->symbols, 0);
}

static void padici_codec_take_word_table(padici_codec_work *w, padici_codec_reader *in, uint64_t *z,
                                         size_t n, padici_codec_histogram *histogram)
{
    const size_t used = padici_codec_take_u32(in);
    uint64_t *table = z ? w->list : NULL;
    size_t i;
    if (used > n) in->bad = 1;
    if (in->bad) return;
    padici_codec_take_buckets(w, in, table, used, z ? w->symbols : NULL, 1, histogram);
    padici_codec_take_buckets(w, in, z, n, z ? w->symbols : NULL, 0, histogram);
    for (i = 0; i < n && z && used && !in->bad; i++) {
        if (z[i] >= used)
            in->bad = 1;
        else
            z[i] = table[z[i]];
    }
}

PADICI_FN PADICI_NOINLINE void padici_codec_put_words(padici_codec_work *w, uint32_t representation,
                                                      const uint64_t *z, size_t n, uint32_t m,
                                                      uint64_t *space)
{
    switch (representation) {
    case PADICI_CODEC_REPRESENTATION_TABLE:
        padici_codec_put_word_table(w, z, n, space);
        break;
    case PADICI_CODEC_REPRESENTATION_BYTES:
        padici_codec_put_planes(w, z, n, 8);
        break;
    case PADICI_CODEC_REPRESENTATION_NIBBLES:
        padici_codec_put_planes(w, z, n, 4);
        break;
    case PADICI_CODEC_REPRESENTATION_BITS:
        padici_codec_put_planes(w, z, n, 1);
        break;
    case PADICI_CODEC_REPRESENTATION_PACKED:
        padici_codec_put_fixed(w, z, n);
        break;
    case PADICI_CODEC_REPRESENTATION_UNIT:
        padici_codec_put_unit(w, z, n, m, space);
        break;
    case PADICI_CODEC_REPRESENTATION_PRIME:
        padici_codec_put_prime(w, z, n, w->prime, space);
        break;
    default:
        padici_codec_put_buckets(w, z, n, m, w->symbols, 0);
    }
}

// Starts decoding a block's representation. Magnitude buckets, bytes and groups are read word by
// word with padici_codec_decoder_next(); all others are in z when this returns.
PADICI_FN PADICI_NOINLINE void padici_codec_decoder_begin(padici_codec_work *w,
                                                          padici_codec_reader *in, uint32_t kind,
                                                          uint64_t *z, size_t n,
                                                          padici_codec_histogram *histogram,
                                                          padici_codec_decoder *decoder)
{
    switch (kind) {
    case PADICI_CODEC_REPRESENTATION_BUCKETS:
        padici_codec_begin_buckets(w, in, n, z ? w->symbols : NULL, 0, histogram, decoder);
        break;
    case PADICI_CODEC_REPRESENTATION_BYTES:
        padici_codec_begin_planes(w, in, n, z == NULL, histogram, decoder);
        break;
    case PADICI_CODEC_REPRESENTATION_NIBBLES:
        padici_codec_take_planes(w, in, z, n, 4, histogram);
        break;
    case PADICI_CODEC_REPRESENTATION_BITS:
        padici_codec_take_planes(w, in, z, n, 1, histogram);
        break;
    case PADICI_CODEC_REPRESENTATION_PACKED:
        padici_codec_begin_fixed(w, in, n, z == NULL, histogram, decoder);
        break;
    case PADICI_CODEC_REPRESENTATION_UNIT:
        padici_codec_take_unit(w, in, z, n, histogram);
        break;
    case PADICI_CODEC_REPRESENTATION_PRIME:
        padici_codec_take_prime(w, in, z, n, histogram);
        break;
    case PADICI_CODEC_REPRESENTATION_TABLE:
        padici_codec_take_word_table(w, in, z, n, histogram);
        break;
    default:
        in->bad = 1;
    }
}

PADICI_FN void padici_codec_decoder_next(const padici_codec_work *w, uint32_t kind,
                                         padici_codec_decoder *decoder, padici_codec_reader *in,
                                         uint64_t *z, size_t from, size_t to, size_t n)
{
    if (kind == PADICI_CODEC_REPRESENTATION_BYTES) {
        (*w->loops->planes)(decoder, z, from, to);
    } else if (kind == PADICI_CODEC_REPRESENTATION_PACKED) {
        if (!padici_codec_next_fixed(w, decoder, z, from, to, n)) in->bad = 1;
    } else if (kind == PADICI_CODEC_REPRESENTATION_BUCKETS) {
        if ((*w->loops->buckets)(decoder, z, from, to) < to) in->bad = 1;
        if (to == n && !padici_codec_ends(decoder->plain, decoder->at, decoder->end)) in->bad = 1;
    }
}

#endif
