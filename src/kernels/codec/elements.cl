// elements.cl: elements of an array in memory, read and written in words of 64 bits.

// Word q of the block of n elements that starts with element `base`; 0 past its end. In whole words
// if the block starts with one.
PD_FN pd_u64 codec_word(PD_GPTR(const codec_key) keys, PD_GPTR(const pd_u64) pairs, pd_u64 base,
                        pd_u32 q, pd_u32 n)
{
    pd_u64 x = 0u;
    pd_u32 j;
#if PD_CODEC_SIZE == 8
    (void)pairs;
#else
    if (base % CODEC_PER == 0u && (q + 1u) * CODEC_PER <= n) return pairs[base / CODEC_PER + q];
#endif
    for (j = 0u; j < CODEC_PER; j++)
        if (q * CODEC_PER + j < n)
            x |= (pd_u64)keys[base + q * CODEC_PER + j] << (j * (CODEC_BITS & 63u));
    return x;
}

#if PD_HAS_WARPS
// The words of an item's 8 elements, from e on.
PD_FN void codec_item(pd_u64 word[8u / CODEC_PER], PD_GPTR(const codec_key) keys,
                      PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n)
{
    pd_u32 i, j;
    if (base % CODEC_PER == 0u && e + 8u <= n) {
        PD_GPTR(const pd_u64) from = pairs + (base + e) / CODEC_PER;
#if PD_CODEC_SIZE > 1
        if (PD_PAIRED(from)) {
            for (i = 0u; i < 8u / CODEC_PER; i += 2u) PD_LOAD_PAIR(word[i], word[i + 1u], from + i);
            return;
        }
#endif
        for (i = 0u; i < 8u / CODEC_PER; i++) word[i] = from[i];
        return;
    }
    for (i = 0u; i < 8u / CODEC_PER; i++) {
        word[i] = 0u;
        for (j = e + i * CODEC_PER; j < e + (i + 1u) * CODEC_PER && j < n; j++)
            word[i] |= (pd_u64)keys[base + j] << ((j - e) % CODEC_PER * (CODEC_BITS & 63u));
    }
}
#endif

// The elements of a word of which only `have` exist; the last one replaces the others.
PD_FN pd_u64 codec_repeat(pd_u64 word, pd_u32 have)
{
    pd_u32 j;
    for (j = 1u; j < CODEC_PER; j++)
        if (j >= have) {
            const pd_u64 x = (codec_key)(word >> ((j - 1u) * (CODEC_BITS & 63u)));
            word |= x << (j * (CODEC_BITS & 63u));
        }
    return word;
}

// The word of an item at the block's end, padded with the last element.
PD_FN pd_u64 codec_filled(pd_u64 word, pd_u64 before, pd_u32 at, pd_u32 n)
{
    if (at >= n) return codec_repeat(before >> (64u - CODEC_BITS), 1u);
    return n - at < CODEC_PER ? codec_repeat(word, n - at) : word;
}

// The words of 64 bits of an item's elements, the first of which exists; 0 past the end.
PD_FN void codec_load(pd_u64 word[CODEC_WORDS], PD_GPTR(const codec_key) keys,
                      PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n)
{
    pd_u32 i;
    if (base % CODEC_PER == 0u && e + CODEC_EACH <= n)
        for (i = 0u; i < CODEC_WORDS; i++) word[i] = pairs[(base + e) / CODEC_PER + i];
    else
        for (i = 0u; i < CODEC_WORDS; i++)
            word[i] = codec_word(keys, pairs, base, e / CODEC_PER + i, n);
}

// The words of an item's elements.
PD_FN void codec_words_of(codec_num y[CODEC_EACH], const pd_u64 word[CODEC_WORDS],
                          const codec_rule rule)
{
    pd_u32 i;
    for (i = 0u; i < CODEC_EACH; i++)
        y[i] = codec_word_of(
            (codec_key)(word[i / CODEC_PER] >> (i % CODEC_PER * (CODEC_BITS & 63u))), rule);
}

// The word of the element before e, or of the first.
PD_FN codec_num codec_word_before(PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 e,
                                  const codec_rule rule)
{
    return codec_word_of(keys[base + (e ? e - 1u : 0u)], rule);
}

#if PD_HAS_WARPS
// The words of an item's 8 elements, whose words of 64 bits are `word`, and of the element before
// them; a warp's first item reads that if it is needed.
PD_FN codec_num codec_eight_words(codec_num y[8], const pd_u64 word[8u / CODEC_PER],
                                  PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 e,
                                  pd_u32 wanted, const codec_rule rule)
{
    const codec_rule flipped = codec_flipped_rule(rule);
    codec_num before = 0, last;
    pd_u32 i;
    if (PD_LID % 32u == 0u && wanted) before = codec_word_before(keys, base, e, rule);
    for (i = 0u; i < 8u; i++)
        y[i] = codec_word_of((codec_key)(CODEC_FLIPPED(word[i / CODEC_PER], rule) >>
                                         (i % CODEC_PER * (CODEC_BITS & 63u))), flipped);
    last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
    return PD_LID % 32u ? last : before;
}
#endif

// Word q of an array in memory, of n elements; nothing is written after them.
PD_FN void codec_set_word(PD_GPTR(pd_u64) pairs, pd_u64 base, pd_u32 q, pd_u32 n, pd_u64 x)
{
    PD_GPTR(codec_key) keys = (PD_GPTR(codec_key))pairs;
    pd_u32 j;
    if (base % CODEC_PER == 0u && (q + 1u) * CODEC_PER <= n) {
        pairs[base / CODEC_PER + q] = x;
        return;
    }
    for (j = 0u; j < CODEC_PER; j++)
        if (q * CODEC_PER + j < n)
            keys[base + q * CODEC_PER + j] = (codec_key)(x >> (j * (CODEC_BITS & 63u)));
}
