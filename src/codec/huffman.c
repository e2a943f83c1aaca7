#include "huffman.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_CODEC

// ---- coder: Huffman, canonical, lengths at most 11, 8 interleaved bit streams

#define PADICI_CODEC_HUFFMAN_BITS 11u
#define PADICI_CODEC_HUFFMAN_LANES \
    8u // symbol i is in stream i mod 8; one stream below 1,024 symbols

// Depths of a minimum-redundancy code for weights in ascending order, in place, lightest (deepest)
// first: Moffat and Katajainen, WADS 1995. n >= 2.
static void padici_codec_huffman_depths(uint32_t *a, uint32_t n)
{
    uint32_t root = 0, leaf = 2, next, depth = 0, inner, free_places = 1, place = n;
    a[0] += a[1];
    for (next = 1; next < n - 1; next++) { // a[root..next) are inner nodes, a[leaf..n) leaves
        if (leaf >= n || a[root] < a[leaf]) {
            a[next] = a[root];
            a[root++] = next; // becomes the number of its parent
        } else {
            a[next] = a[leaf++];
        }
        if (leaf >= n || (root < next && a[root] < a[leaf])) {
            a[next] += a[root];
            a[root++] = next;
        } else {
            a[next] += a[leaf++];
        }
    }
    a[n - 2] = 0;
    for (next = n - 2; next-- > 0;) a[next] = a[a[next]] + 1; // depths of the inner nodes
    for (root = n - 1; free_places; depth++) {
        for (inner = 0; root > 0 && a[root - 1] == depth; root--) inner++;
        for (; free_places > inner; free_places--) a[--place] = depth;
        free_places = 2 * inner;
    }
}

// Optimal lengths, then limited: codes that are too long are shortened, the lightest of the others
// lengthened until the Kraft sum fits, and the remaining room is given back.
PADICI_FN PADICI_NOINLINE void padici_codec_huffman_lengths(const uint32_t counts[256],
                                                            uint8_t lengths[256])
{
    const uint32_t limit = 1u << PADICI_CODEC_HUFFMAN_BITS;
    uint32_t depth[256], used = 0, kraft = 0, i, j;
    uint8_t order[256];
    memset(lengths, 0, 256);
    for (i = 0; i < 256; i++)
        if (counts[i]) order[used++] = (uint8_t)i;
    if (used < 2) {
        if (used) lengths[order[0]] = 1;
        return;
    }
    for (j = 121; j; j /= 3) { // shell sort by weight, then symbol
        for (i = j; i < used; i++) {
            const uint8_t s = order[i];
            uint32_t k = i;
            for (; k >= j && (counts[order[k - j]] > counts[s] ||
                              (counts[order[k - j]] == counts[s] && order[k - j] > s));
                 k -= j)
                order[k] = order[k - j];
            order[k] = s;
        }
    }
    for (i = 0; i < used; i++) depth[i] = counts[order[i]];
    padici_codec_huffman_depths(depth, used);
    for (i = 0; i < used; i++) {
        if (depth[i] > PADICI_CODEC_HUFFMAN_BITS) depth[i] = PADICI_CODEC_HUFFMAN_BITS;
        kraft += limit >> depth[i];
    }
    for (i = 0; kraft > limit; i = (i + 1) % used) {
        if (depth[i] == PADICI_CODEC_HUFFMAN_BITS) continue;
        depth[i]++;
        kraft -= limit >> depth[i];
    }
    for (i = used; i-- > 0;) {
        while (depth[i] > 1 && kraft + (limit >> depth[i]) <= limit) {
            kraft += limit >> depth[i];
            depth[i]--;
        }
    }
    for (i = 0; i < used; i++) lengths[order[i]] = (uint8_t)depth[i];
}

// Canonical codes, shorter first, then by symbol; bits reversed because streams are lowest bit
// first. Returns 0 if the lengths are no prefix code.
static int padici_codec_huffman_codes(const uint8_t lengths[256], uint16_t codes[256])
{
    uint32_t next = 0, length, s;
    for (length = 1; length <= PADICI_CODEC_HUFFMAN_BITS; length++) {
        for (s = 0; s < 256; s++) {
            uint32_t code = next, reversed = 0, i;
            if (lengths[s] != length) continue;
            if (next >> length) return 0;
            for (i = 0; i < length; i++, code >>= 1) reversed = reversed << 1 | (code & 1);
            codes[s] = (uint16_t)reversed;
            next++;
        }
        next <<= 1;
    }
    return 1;
}

// Lengths as nibbles: a length, or 0 and a nibble of (zeros - 1).
static void padici_codec_huffman_put_table(padici_codec_writer *out, const uint8_t lengths[256])
{
    uint8_t nibbles[512];
    uint32_t last = 255, n = 0, s, i;
    while (last > 0 && lengths[last] == 0) last--;
    for (s = 0; s <= last; s++) {
        nibbles[n++] = lengths[s];
        if (lengths[s] == 0) {
            uint32_t run = 1;
            while (run < 16 && lengths[s + run] == 0) run++; // lengths[last] is not 0
            nibbles[n++] = (uint8_t)(run - 1);
            s += run - 1;
        }
    }
    padici_codec_put_u8(out, last);
    nibbles[n] = 0;
    for (i = 0; i < n; i += 2) padici_codec_put_u8(out, nibbles[i] | (uint32_t)nibbles[i + 1] << 4);
}

static void padici_codec_huffman_take_table(padici_codec_reader *in, uint8_t lengths[256])
{
    const uint32_t last = padici_codec_take_u8(in);
    uint32_t s = 0, byte = 0, n = 0;
    memset(lengths, 0, 256);
    while (s <= last && !in->bad) {
        uint32_t nibble = n++ & 1 ? byte >> 4 : (byte = padici_codec_take_u8(in)) & 15;
        if (nibble == 0) {
            s += (n++ & 1 ? byte >> 4 : (byte = padici_codec_take_u8(in)) & 15) + 1;
            continue;
        }
        if (nibble > PADICI_CODEC_HUFFMAN_BITS) in->bad = 1;
        lengths[s++] = (uint8_t)nibble;
    }
    if (s != last + 1) in->bad = 1;
}

PADICI_FN uint32_t padici_codec_huffman_lanes(size_t n)
{
    return n < 1024 ? 1 : PADICI_CODEC_HUFFMAN_LANES;
}

// Table, u32 size of each stream, streams.
PADICI_FN PADICI_NOINLINE void padici_codec_huffman_put(padici_codec_writer *out,
                                                        const uint8_t *data, size_t n,
                                                        const uint8_t lengths[256])
{
    const uint32_t lanes = padici_codec_huffman_lanes(n);
    uint16_t codes[256];
    uint32_t entry[256], lane; // length << 16 | code
    uint8_t *sizes;
    padici_codec_huffman_put_table(out, lengths);
    sizes = padici_codec_room(out, 4 * lanes);
    (void)padici_codec_huffman_codes(lengths, codes);
    for (lane = 0; lane < 256; lane++)
        entry[lane] = (uint32_t)lengths[lane] << 16 | (lengths[lane] ? codes[lane] : 0);
    for (lane = 0; lane < lanes && !out->full; lane++) {
        padici_codec_bits bits;
        size_t i;
        bits.at = out->at;
        bits.held = 0;
        bits.count = 0;
        // memory for the longest codes and the slack of put_bits
        if ((size_t)(out->end - out->at) < (n / lanes + 1) * PADICI_CODEC_HUFFMAN_BITS / 8 + 16) {
            out->full = 1;
            return;
        }
        for (i = lane; i + 3 * lanes < n; i += 4 * lanes) {
            const uint32_t a = entry[data[i]], b = entry[data[i + lanes]];
            const uint32_t c = entry[data[i + 2 * lanes]], d = entry[data[i + 3 * lanes]];
            const uint64_t low = (a & 0xffff) | (b & 0xffff) << (a >> 16);
            const uint64_t high = (c & 0xffff) | (d & 0xffff) << (c >> 16);
            padici_codec_put_bits(&bits, low | high << ((a >> 16) + (b >> 16)),
                                  (a >> 16) + (b >> 16) + (c >> 16) + (d >> 16));
        }
        for (; i < n; i += lanes)
            padici_codec_put_bits(&bits, entry[data[i]] & 0xffff, entry[data[i]] >> 16);
        if (bits.count) bits.at++;
        padici_store32(sizes + 4 * lane, (uint32_t)(bits.at - out->at));
        out->at = bits.at;
    }
}

// Eight interleaved streams hide the latency of the table look-ups. A marker bit is set above the
// 57 bits that were loaded: its position tells how many bits 5 codes took. Returns how many symbols
// of each stream were decoded.
static size_t padici_codec_huffman_fast(const uint16_t *table, const uint8_t *base,
                                        uint64_t at[PADICI_CODEC_HUFFMAN_LANES], uint64_t limit,
                                        uint8_t *out, size_t rounds)
{
    const uint64_t mask = (1u << PADICI_CODEC_HUFFMAN_BITS) - 1, top = UINT64_C(1) << 63;
    size_t done = 0;
    for (; done + 5 <= rounds; done += 5) {
        uint64_t b0, b1, b2, b3, b4, b5, b6, b7;
        uint32_t k, e;
        for (k = 0; k < PADICI_CODEC_HUFFMAN_LANES; k++)
            if (at[k] > limit) return done;
        b0 = padici_codec_peek(base, at[0]) | top;
        b1 = padici_codec_peek(base, at[1]) | top;
        b2 = padici_codec_peek(base, at[2]) | top;
        b3 = padici_codec_peek(base, at[3]) | top;
        b4 = padici_codec_peek(base, at[4]) | top;
        b5 = padici_codec_peek(base, at[5]) | top;
        b6 = padici_codec_peek(base, at[6]) | top;
        b7 = padici_codec_peek(base, at[7]) | top;
#define PADICI_CODEC_SYMBOL(LANE, B) e = table[B & mask], B >>= e >> 8, out[LANE] = (uint8_t)e
        for (k = 0; k < 5; k++, out += PADICI_CODEC_HUFFMAN_LANES) {
            PADICI_CODEC_SYMBOL(0, b0);
            PADICI_CODEC_SYMBOL(1, b1);
            PADICI_CODEC_SYMBOL(2, b2);
            PADICI_CODEC_SYMBOL(3, b3);
            PADICI_CODEC_SYMBOL(4, b4);
            PADICI_CODEC_SYMBOL(5, b5);
            PADICI_CODEC_SYMBOL(6, b6);
            PADICI_CODEC_SYMBOL(7, b7);
        }
#undef PADICI_CODEC_SYMBOL
        at[0] += padici_clz64(b0);
        at[1] += padici_clz64(b1);
        at[2] += padici_clz64(b2);
        at[3] += padici_clz64(b3);
        at[4] += padici_clz64(b4);
        at[5] += padici_clz64(b5);
        at[6] += padici_clz64(b6);
        at[7] += padici_clz64(b7);
    }
    return done;
}

PADICI_FN PADICI_NOINLINE void padici_codec_huffman_take(padici_codec_reader *in, uint8_t *data,
                                                         size_t n, void *table_space)
{
    const uint32_t lanes = padici_codec_huffman_lanes(n), entries = 1u << PADICI_CODEC_HUFFMAN_BITS;
    uint16_t *table = (uint16_t *)table_space; // entries of length << 8 | symbol
    uint64_t at[PADICI_CODEC_HUFFMAN_LANES], end[PADICI_CODEC_HUFFMAN_LANES], limit;
    uint8_t lengths[256];
    uint16_t codes[256];
    const uint8_t *sizes, *base;
    uint32_t s, lane;
    size_t total = 0, done = 0;
    padici_codec_huffman_take_table(in, lengths);
    if (in->bad || !padici_codec_huffman_codes(lengths, codes)) {
        in->bad = 1;
        return;
    }
    sizes = padici_codec_take(in, 4 * lanes);
    if (!sizes) return;
    for (lane = 0; lane < lanes; lane++) {
        at[lane] = 8 * (uint64_t)total;
        total += padici_load32(sizes + 4 * lane);
        end[lane] = 8 * (uint64_t)total;
    }
    base = padici_codec_take(in, total);
    if (!base || !data) return;
    limit = 8 * (uint64_t)total; // 8 bytes may be loaded from any byte up to this bit
    memset(table, 0, entries * sizeof *table); // length 0: no such code
    for (s = 0; s < 256; s++) {
        uint32_t i;
        if (!lengths[s]) continue;
        for (i = codes[s]; i < entries; i += 1u << lengths[s])
            table[i] = (uint16_t)((uint32_t)lengths[s] << 8 | s);
    }
    if (lanes == PADICI_CODEC_HUFFMAN_LANES)
        done =
            padici_codec_huffman_fast(table, base, at, limit, data, n / PADICI_CODEC_HUFFMAN_LANES);
    for (lane = 0; lane < lanes; lane++) {
        size_t i = lane + done * lanes;
        uint64_t p = at[lane];
        for (; i < n && p <= limit; i += lanes) {
            const uint32_t e = table[padici_codec_peek(base, p) & (entries - 1)];
            data[i] = (uint8_t)e;
            p += e >> 8;
        }
        if (i < n || !padici_codec_ends(base, p, end[lane])) in->bad = 1;
    }
}

#undef PADICI_CODEC_HUFFMAN_BITS
#undef PADICI_CODEC_HUFFMAN_LANES

#endif
