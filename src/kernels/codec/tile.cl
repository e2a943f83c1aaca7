// tile.cl: writes the elements of a tile to local memory, and from there to the array.

// Writes the words of a tile, `each` per item, and returns the item's part of the checksum. `key`
// is that of the block, plus the item's number times the step. Items of a team write their own
// results.
PD_FN pd_u64 codec_store(PD_GPTR(pd_u64) pairs, PD_LPTR(pd_u64) tile, pd_u64 base, pd_u32 from,
                         pd_u32 n, pd_u64 key, pd_u32 each)
{
    const pd_u32 l = PD_LID, own = l / CODEC_TEAM * CODEC_TEAM * each + l % CODEC_TEAM;
    pd_u64 sum = 0u;
    pd_u32 i;
    key += (from / CODEC_PER + own - l) * CODEC_GOLDEN;
#if PD_HAS_WARPS // else fewer scalar registers
    if (base % CODEC_PER == 0u && from + 256u * each * CODEC_PER <= n) {
        PD_GPTR(pd_u64) to = pairs + (base + from) / CODEC_PER + own;
        for (i = 0u; i < each; i++) {
            const pd_u64 x = tile[CODEC_SPREAD(own + CODEC_TEAM * i)];
            sum += codec_mix(x ^ (key + i * CODEC_TEAM * CODEC_GOLDEN));
            to[CODEC_TEAM * i] = x;
        }
        return sum;
    }
#endif
    for (i = 0u; i < each; i++) {
        const pd_u32 q = from / CODEC_PER + own + CODEC_TEAM * i;
        const pd_u64 x = tile[CODEC_SPREAD(own + CODEC_TEAM * i)];
        if (q * CODEC_PER < n) {
            sum += codec_mix(x ^ (key + i * CODEC_TEAM * CODEC_GOLDEN));
            codec_set_word(pairs, base, q, n, x);
        }
    }
    return sum;
}

#if PD_HAS_WARPS
// The same for tiles of 2048 elements, 8 per item; `key` is that of the item's first word.
PD_FN pd_u64 codec_store_8(PD_GPTR(pd_u64) pairs, PD_LPTR(const pd_u64) tile, pd_u64 base,
                           pd_u32 from, pd_u32 n, pd_u64 key)
{
    const pd_u32 own = PD_LID / 32u * 32u * (8u / CODEC_PER) + PD_LID % 32u;
    pd_u64 sum = 0u;
    pd_u32 i;
    if (base % CODEC_PER == 0u && from + 2048u <= n) {
        PD_GPTR(pd_u64) to = pairs + (base + from) / CODEC_PER + own;
        for (i = 0u; i < 8u / CODEC_PER; i++) {
            const pd_u64 x = tile[CODEC_SPREAD(own + 32u * i)];
            sum += codec_mix(x ^ (key + i * 32u * CODEC_GOLDEN));
            to[32u * i] = x;
        }
        return sum;
    }
    for (i = 0u; i < 8u / CODEC_PER; i++) {
        const pd_u32 q = from / CODEC_PER + own + 32u * i;
        const pd_u64 x = tile[CODEC_SPREAD(own + 32u * i)];
        if (q * CODEC_PER < n) {
            sum += codec_mix(x ^ (key + i * 32u * CODEC_GOLDEN));
            codec_set_word(pairs, base, q, n, x);
        }
    }
    return sum;
}
#define CODEC_KEY_8(block) /* of the first tile */ \
    (codec_seed(block) + (PD_LID / 32u * 32u * (8u / CODEC_PER) + PD_LID % 32u) * CODEC_GOLDEN)
#define CODEC_NEXT_8 (2048u / CODEC_PER * CODEC_GOLDEN) // step to the next tile's
#endif

// The key of an item's first word in a block's first tile.
PD_FN pd_u64 codec_first_key(pd_u32 block)
{
#if PD_HAS_WARPS
    return CODEC_KEY_8(block);
#else
    return codec_seed(block) + PD_LID * CODEC_GOLDEN;
#endif
}

// Writes a tile that the items have decoded; *key becomes that of the next one. Begins and ends
// with a barrier of the team.
PD_FN pd_u64 codec_store_tile(PD_GPTR(pd_u64) pairs, PD_LPTR(pd_u64) tile, pd_u64 base,
                              pd_u32 from, pd_u32 n, pd_u64 *key)
{
    pd_u64 sum;
    CODEC_TEAM_BARRIER();
#if PD_HAS_WARPS
    sum = codec_store_8(pairs, tile, base, from, n, *key);
    *key += CODEC_NEXT_8;
#else
    sum = codec_store(pairs, tile, base, from, n, *key, CODEC_WORDS);
#endif
    CODEC_TEAM_BARRIER();
    return sum;
}

// The rule for elements from words.
typedef struct {
    pd_u64 first, step; // words by digits or sums of differences
    codec_bare keep;    // the bits of a negative word that are not flipped back
    pd_u32 mode, shift;
    pd_f32 scale; // or 0
#if PD_CODEC_SIZE == 8
    pd_u32 fills; // fills the struct, otherwise a warning
#endif
} codec_maker;

// The rule of a block, from its record in local memory. Raw elements have first 0 and step 1.
PD_FN codec_maker codec_maker_of(PD_LPTR(const pd_u32) held, pd_u32 kind)
{
    codec_maker m;
    m.first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
    m.step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
    m.mode = held[CODEC_MODE];
    m.shift = held[CODEC_SHIFT];
    m.keep = m.mode == CODEC_RAW ? ~(codec_bare)0u
                                 : ~codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : kind);
#if PD_CODEC_BOUND
    m.scale = PD_AS_F32(held[CODEC_SCALE]);
#else
    m.scale = 0.0f;
#endif
    return m;
}

// The element of a word, if it exists; *wild is not 0 where a scale has no such word.
PD_FN codec_key codec_make_one(pd_u64 y, pd_u32 is_there, pd_u64 *wild, const codec_maker m)
{
#if PD_CODEC_BOUND
    if (m.scale != 0.0f) {
        if (is_there) *wild |= codec_wild(y);
        return is_there ? codec_unscaled((codec_num)y, m.scale) : 0u;
    }
#else
    (void)wild;
#endif
    return is_there ? (codec_key)codec_bits_of((codec_bare)y, m.shift, m.keep) : 0u;
}

// The index of an item's element number j in local memory, in elements.
#define CODEC_PLACE(j) \
    (CODEC_SPREAD((PD_LID * CODEC_EACH + (j)) / CODEC_PER) * CODEC_PER + \
     (PD_LID * CODEC_EACH + (j)) % CODEC_PER)

#ifndef PD_CODEC_QUICK
#ifdef __AMDGCN__
#define PD_CODEC_QUICK 0 // fewer scalar registers
#else
#define PD_CODEC_QUICK 1 // reduces an item's words to 32 bits once, if they fit
#endif
#endif
#define CODEC_QUICK (PD_CODEC_QUICK && CODEC_SHORT)
#if CODEC_QUICK
// 1 if an item's words, from y on by digits of up to 24 bits, fit 32 bits (or are never wild).
PD_FN pd_u32 codec_tame(pd_u64 y, pd_u64 step, pd_u32 width, pd_f32 scale)
{
    const pd_u64 limit = (pd_u64)1u << (scale != 0.0f ? 24u : 31u);
    const pd_u64 reach = step * CODEC_EACH << width;
    return step >> 32 == 0u && reach < limit && y + (limit - reach) < 2u * (limit - reach) ? 1u
                                                                                          : 0u;
}

// An item's elements, from y on by differences or digits, in local memory.
PD_FN void codec_make(PD_LPTR(pd_u64) tile, const pd_u32 d[CODEC_EACH], pd_u32 y, pd_u32 step,
                      pd_u32 delta, pd_u32 shift, pd_u32 keep, pd_f32 scale)
{
    pd_u32 i, j;
    if (delta && shift == 0u && scale == 0.0f) { // the common case
        for (i = 0u; i < CODEC_WORDS; i++) {
            pd_u64 word = 0u;
            for (j = 0u; j < CODEC_PER; j++) {
                y += step * d[i * CODEC_PER + j];
                word |= (pd_u64)(codec_key)(y ^ (codec_sign(y) & ~keep))
                        << (j * (CODEC_BITS & 63u));
            }
            tile[CODEC_SPREAD(PD_LID * CODEC_WORDS + i)] = word;
        }
        return;
    }
    for (i = 0u; i < CODEC_WORDS; i++) {
        pd_u64 word = 0u;
        for (j = 0u; j < CODEC_PER; j++) {
            const pd_u32 x = y + step * d[i * CODEC_PER + j];
            const pd_u32 negative = codec_sign(x);
            pd_u32 made = ((x ^ negative) << shift) ^ (negative & keep);
#if PD_CODEC_BOUND
            if (scale != 0.0f) made = codec_unscaled((pd_i32)x, scale);
#endif
            word |= (pd_u64)(codec_key)made << (j * (CODEC_BITS & 63u));
            if (delta) y = x;
        }
        tile[CODEC_SPREAD(PD_LID * CODEC_WORDS + i)] = word;
    }
}
#endif
