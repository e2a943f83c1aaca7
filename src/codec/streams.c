// ---- streams of bytes

// Working memory of one block, laid out by padici_work_layout(), and what its stages share.
typedef struct padici_work {
    size_t capacity;                // elements of the largest block
    const padici_codec_loops *loops;
    uint64_t *words, *other; // block elements
    uint64_t *list;          // three lists as long: patterns, exceptions, planes of bytes
    uint64_t *gaps;          // two lists of an eighth: sparse streams, exceptions of widths
    uint64_t *pieces;        // three lists of a third: repeats of bytes; their literals
    uint8_t *rest;           // and tokens
    uint8_t *rows; // steps of rANS with contexts
    uint8_t *symbols, *spare;       // one stream of bytes; its sparse part
    uint8_t *raw;                   // the elements, little-endian
    uint8_t *record;                // as many, while they are taken apart into columns
    uint8_t *reference;             // what both sides know, as many
    uint64_t digest;                // of it
    int referenced, mismatch;       // there is one; it is not what this block wants,
    int refused;                    // nor the worker's first damaged one
    int bounded, line;              // words within a bound; words of no box
    int quick;                      // lattices are looked for in fewer elements: below level 7
    void *table;                    // decoding tables: PADICI_TABLES
    uint8_t *window;       // elements of the super-block's blocks as far as they are wanted
    size_t starts[65];     // where each of them begins there
    uint64_t super, held;  // which super-block; its blocks that are there, as bits
    const uint8_t *history; // elements before the block,
    size_t past;            // so many
    // packer only
    uint64_t *trial, *hold; // candidates' words
    uint8_t *payload;       // the coded block, and a rival behind it
    uint16_t *rans;         // words of one rANS stream
    uint8_t *classes;       // of the symbols of one stream with contexts
    uint64_t *keys;         // of the window and the block, shifted by
    uint32_t keyed;         // this less 1, unless 0
    uint32_t *price;        // of the words before each, as literals, in 1/16 bits
    uint32_t *picks;        // where repeats are looked for first; of the window
    const uint32_t *past_picks;
    size_t picks_count, past_count;
    int probed;
    uint32_t share[3];      // of what they found, of 256, for each split
    uint32_t each;          // price of a word then
    int may_know;           // the header says that streams may have contexts,
    int may_plain;          // floats' bits as they are,
    int may_repeat;         // repeats of bytes; 2: whatever time they take,
    int may_match;          // repeats of elements,
    int may_weigh;          // weighted neighbours,
    padic_dtype floats;     // also of floats: the words' dtype where they are ordered bits
    uint32_t slot;          // the block in its super-block: w->starts[0..slot]
    size_t behind;          // elements of the window that may be used
    uint32_t *head;         // heads and chains of repeats of elements
    size_t row, plane;      // elements to the neighbours in the block; 0: there is none
    uint32_t *hash;         // heads and chains of the repeat finder
    uint32_t *off;          // where the form does not hold,
    uint64_t *fix;          // and by how much, in ordered bits, folded
    uint8_t *kept, *stack;  // a payload that columns must beat; theirs
    padici_writer out;
    struct padici_hint *hint; // levels 1 and 2: what the first block of a group chose
    size_t best; // size of the best payload so far,
    size_t plain; // of those without a pattern or repeats of bytes; 0: there is none
    uint64_t spared; // by repeats of bytes in the payload that is being written
    uint64_t reencoded; // blocks that the proof did not let pass
    int broken;         // one did not come back even as it is
    double squares;     // PADIC_BOUND_RMS: of the errors of its blocks
    padic_codec_stages stages;
    uint32_t prime, profile; // padic_codec_profile
    int level;
    uint64_t first; // is taken off words that are not predicted
} padici_work;

// How the bytes of a payload are spread; filled while it is read.
typedef struct padici_census {
    uint64_t bytes[PADIC_CODEC_STREAM_KINDS], coders[8], exceptions;
} padici_census;

PADICI_INLINE int padici_allowed(uint32_t mask, uint32_t choice)
{
    return mask == 0 || (mask >> choice & 1);
}

static uint32_t padici_choose_mantissa(const uint64_t *z, size_t n, size_t step, uint64_t *cost);
static void padici_put_stream(padici_work *w, const uint8_t *data, size_t n, int nested);
static void padici_take_stream(padici_work *w, padici_reader *in, uint8_t *data, size_t n,
                               int nested, padici_census *census);

// Magnitude classes. A token keeps the m bits below the leading one: z < 2^(m+1) is its own token,
// else, with c its bit length, the token is (c - m) 2^m + the next m bits, and the e = c - 1 - m
// bits below stay plain.
PADICI_INLINE uint32_t padici_token(uint64_t z, uint32_t m, uint32_t *extra)
{
    uint32_t e;
    if (z < (uint64_t)2 << m) {
        *extra = 0;
        return (uint32_t)z;
    }
    e = 63 - m - padici_clz64(z);
    *extra = e;
    return ((e + 1) << m) + (uint32_t)((z >> e) & ((1u << m) - 1));
}

static uint64_t padici_make_tokens(const uint64_t *z, size_t n, uint32_t m, uint8_t *tokens,
                                   uint32_t *widest)
{
    uint64_t total = 0;
    uint32_t extra, most = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        tokens[i] = (uint8_t)padici_token(z[i], m, &extra);
        total += extra;
        most = extra > most ? extra : most;
    }
    *widest = most;
    return total;
}

// Returns where the bits ended.
static padici_bits padici_put_plain_bits(padici_bits bits, const uint64_t *z, const uint8_t *tokens,
                                         size_t n, uint32_t m)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t extra = tokens[i] < 2u << m ? 0 : ((uint32_t)tokens[i] >> m) - 1;
        if (extra <= 56) padici_put_bits(&bits, z[i] & ((UINT64_C(1) << extra) - 1), extra);
        else padici_put_bits64(&bits, z[i] & (~UINT64_C(0) >> (64 - extra)), extra);
    }
    return bits;
}

static void padici_put_plain_loop(const uint64_t *z, const uint8_t *tokens, size_t n, uint32_t m,
                                  uint32_t widest, uint8_t *p)
{
    padici_bits bits;
    (void)widest;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    (void)padici_put_plain_bits(bits, z, tokens, n, m);
}

// u8 m, u8 most plain bits of a word, the tokens as a stream, u32 size of the plain bits, the plain
// bits in order. Tokens are bytes: those of m = 3 hold words below 2^34 (30 plain bits), and where
// there is a larger one, which a sample may not have shown, m is 2.
static void padici_put_classes(padici_work *w, const uint64_t *z, size_t n, uint32_t m,
                               uint8_t *tokens, int nested)
{
    uint32_t widest;
    uint64_t total = (*w->loops->tokens)(z, n, m, tokens, &widest);
    uint8_t *size, *plain;
    if (m == 3 && widest > 30) total = (*w->loops->tokens)(z, n, m = 2, tokens, &widest);
    padici_put8(&w->out, m);
    padici_put8(&w->out, widest);
    padici_put_stream(w, tokens, n, nested);
    size = padici_room(&w->out, 4);
    plain = padici_room(&w->out, (size_t)(total / 8 + 9)); // 8 bytes of slack for put_bits
    if (!plain) return;
    padici_store32(size, (uint32_t)((total + 7) / 8));
    w->out.at = plain + (total + 7) / 8;
    if (total) (*w->loops->put_plain)(z, tokens, n, m, widest, plain);
}

// Digits while they are read: their streams are decoded when it begins, words are put together
// as they are wanted, so that what follows finds them in the first cache.
typedef struct padici_digits {
    uint32_t planes;         // of bytes
    const uint8_t *plane[8]; // low to high
    const uint8_t *tokens;   // classes
    uint64_t *base, *mask; // of each token, when `mask` is set
    uint8_t *extra;
    const uint8_t *plain;
    uint64_t at, end; // bits of `plain`; of groups bytes
    uint32_t widest, m;
    const uint8_t *widths;        // of groups, whose bits are in `plain`,
    const uint64_t *gaps, *high;  // and the exceptions that are left,
    size_t exceptions, place;     // the next one behind so many words
} padici_digits;

// `tokens` NULL: skip. Wrong tokens give wrong words, nothing worse.
static void padici_begin_classes(padici_work *w, padici_reader *in, size_t n, uint8_t *tokens,
                                 int nested, padici_census *census, padici_digits *digits)
{
    const uint32_t m = padici_take8(in), widest = padici_take8(in);
    uint32_t size;
    memset(digits, 0, sizeof *digits);
    if (m > 3 || widest > 63) in->bad = 1;
    padici_take_stream(w, in, tokens, n, nested, census);
    size = padici_take32(in);
    digits->plain = padici_take(in, size);
    digits->end = 8 * (uint64_t)size;
    digits->tokens = tokens;
    digits->widest = widest;
    digits->m = m;
    if (census) census->bytes[PADICI_KIND_BITS] += size;
    if (tokens) digits->base = (uint64_t *)w->table;
}

static void padici_classes_table(padici_digits *digits)
{
    const uint32_t m = digits->m;
    uint64_t *base = digits->base, *mask = digits->mask = base + 256;
    uint8_t *extra = digits->extra = (uint8_t *)(mask + 256);
    uint32_t t;
    for (t = 0; t < 256; t++) {
        const uint32_t e = t < 2u << m ? 0 : (t >> m) - 1;
        extra[t] = (uint8_t)(e < 64 ? e : 63);
        base[t] = t < 2u << m ? t : (uint64_t)((t & ((1u << m) - 1)) | 1u << m) << extra[t];
        mask[t] = e ? ~UINT64_C(0) >> (64 - extra[t]) : 0;
    }
}

static size_t padici_classes_loop(padici_digits *digits, uint64_t *z, size_t from, size_t to)
{
    const uint8_t *tokens = digits->tokens, *extra, *p = digits->plain;
    const uint64_t *base = digits->base, *mask, end = digits->end;
    uint64_t at = digits->at;
    size_t i = from;
    if (from < to && !digits->mask) padici_classes_table(digits);
    extra = digits->extra;
    mask = digits->mask;
    if (digits->widest <= 57) {
        for (; i < to && at <= end; i++) {
            const uint32_t t = tokens[i];
            z[i] = base[t] + (padici_peek(p, at) & mask[t]);
            at += extra[t];
        }
    } else {
        for (; i < to && at <= end; i++) {
            const uint32_t t = tokens[i];
            uint64_t plain = padici_peek(p, at) & 0xffffffffu & mask[t];
            if (extra[t] > 32 && at + 32 <= end)
                plain |= (padici_peek(p, at + 32) << 32) & mask[t];
            z[i] = base[t] + plain;
            at += extra[t];
        }
    }
    digits->at = at;
    return i;
}

// All words of a list at once; z NULL: skip, with tokens NULL as well.
static void padici_take_classes(padici_work *w, padici_reader *in, uint64_t *z, size_t n,
                                uint8_t *tokens, int nested, padici_census *census)
{
    padici_digits digits;
    padici_begin_classes(w, in, n, tokens, nested, census, &digits);
    if (in->bad || !z) return;
    if ((*w->loops->classes)(&digits, z, 0, n) < n ||
        !padici_ends(digits.plain, digits.at, digits.end))
        in->bad = 1;
}

// Symbols of equal width, lowest bits first: n * width bits.
static void padici_put_packed(padici_writer *out, const uint8_t *data, size_t n, uint32_t base,
                              uint32_t width)
{
    const size_t size = (n * width + 7) / 8;
    padici_bits bits;
    size_t i;
    padici_put8(out, base);
    padici_put8(out, width);
    bits.at = padici_room(out, size + 8);
    if (!bits.at) return;
    out->at -= 8;
    bits.held = 0;
    bits.count = 0;
    for (i = 0; i + 8 <= n; i += 8, bits.at += width) { // neighbours together, then pairs, fours
        uint64_t x = padici_load64(data + i) - base * UINT64_C(0x0101010101010101);
        x = (x & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0xff00ff00ff00ff00)) >> (8 - width);
        x = (x & UINT64_C(0x0000ffff0000ffff)) |
            (x & UINT64_C(0xffff0000ffff0000)) >> (16 - 2 * width);
        padici_store64(bits.at, (x & 0xffffffffu) | (x >> 32) << 4 * width);
    }
    for (; i < n; i++) padici_put_bits(&bits, data[i] - base, width);
}

static void padici_packed_bytes(const uint8_t *p, uint32_t base, uint32_t width, uint8_t *data,
                                size_t n)
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
        data[i] = (uint8_t)(base + (padici_peek(p, i * (uint64_t)width) & ((1u << width) - 1)));
}

static void padici_take_packed(const padici_work *w, padici_reader *in, uint8_t *data, size_t n)
{
    const uint32_t base = padici_take8(in), width = padici_take8(in);
    const uint8_t *p = width <= 8 ? padici_take(in, (n * width + 7) / 8) : NULL;
    if (!p) in->bad = 1;
    if (in->bad || !data) return;
    if (!padici_ends(p, n * (uint64_t)width, (n * (uint64_t)width + 7) & ~UINT64_C(7))) in->bad = 1;
    if (width == 0) memset(data, (int)base, n);
    else (*w->loops->packed_bytes)(p, base, width, data, n);
}

// Rare bytes that are not 0: u32 how many, u8 1 for gaps or 0 for a bitmap, where, what.
static void padici_put_sparse(padici_work *w, const uint8_t *data, size_t n, size_t nonzero)
{
    uint8_t *values = w->spare, *tokens = w->spare + w->capacity / 8 + 64;
    const size_t apart = n / (nonzero + 1);
    const int gaps = padici_bit_length(apart) + 2 < apart;
    size_t i, at = 0, before = 0;
    padici_put32(&w->out, (uint32_t)nonzero);
    padici_put8(&w->out, (uint32_t)gaps);
    for (i = 0; i < n; i++) {
        while (i + 8 <= n && padici_load64(data + i) == 0) i += 8; // mostly nothing
        if (i == n || !data[i]) continue;
        values[at] = data[i];
        w->gaps[at++] = i - before;
        before = i + 1;
    }
    if (gaps) {
        padici_put_classes(w, w->gaps, nonzero, 2, tokens, 1);
    } else {
        uint8_t *map = padici_room(&w->out, (n + 7) / 8);
        if (!map) return;
        memset(map, 0, (n + 7) / 8);
        for (i = 0; i < n; i++)
            if (data[i]) map[i / 8] = (uint8_t)(map[i / 8] | 1u << i % 8);
    }
    padici_put_stream(w, values, nonzero, 1);
}

static void padici_take_sparse(padici_work *w, padici_reader *in, uint8_t *data, size_t n,
                               padici_census *census)
{
    uint8_t *values = data ? w->spare : NULL;
    uint8_t *tokens = data ? w->spare + w->capacity / 8 + 64 : NULL;
    const size_t nonzero = padici_take32(in);
    const uint32_t gaps = padici_take8(in);
    const uint8_t *map = NULL;
    size_t i, at = 0;
    if (in->bad || nonzero > n / 8 || gaps > 1) {
        in->bad = 1;
        return;
    }
    if (gaps) padici_take_classes(w, in, data ? w->gaps : NULL, nonzero, tokens, 1, census);
    else map = padici_take(in, (n + 7) / 8);
    padici_take_stream(w, in, values, nonzero, 1, census);
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

// Counts of bytes; four tables, so that equal neighbours need not wait for each other.
static void padici_count(const uint8_t *data, size_t n, uint32_t counts[256], uint32_t *tables)
{
    uint32_t s;
    size_t i;
    memset(tables, 0, 4 * 256 * sizeof *tables);
    for (i = 0; i + 4 <= n; i += 4) {
        tables[data[i]]++;
        tables[256 + data[i + 1]]++;
        tables[512 + data[i + 2]]++;
        tables[768 + data[i + 3]]++;
    }
    for (; i < n; i++) tables[data[i]]++;
    for (s = 0; s < 256; s++)
        counts[s] = tables[s] + tables[256 + s] + tables[512 + s] + tables[768 + s];
}

// Whether a long stream looks like noise: 4,096 of its bytes have (almost) the entropy that as many
// random ones would have, which is 255 / 2 ln 2 = 184 bits below 8 each.
static int padici_is_noise(const uint8_t *data, size_t n, uint32_t counts[256])
{
    const size_t step = n / 64;
    uint32_t i, k;
    if (n < 16384) return 0;
    memset(counts, 0, 256 * sizeof *counts);
    for (i = 0; i < 64; i++)
        for (k = 0; k < 64; k++) counts[data[i * step + k]]++;
    return padici_entropy(counts, 256, 4096) > 256 * (4096 * 8 - 184 - 130);
}

