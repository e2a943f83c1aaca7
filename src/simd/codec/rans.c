// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

// Symbol | frequency - 1 << 8 | offset << 20, repeated as often as the symbol's frequency.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET static void PADICI_CK(slots)(const uint16_t freq[256], uint32_t *table)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i up = _mm512_set1_epi32(16 << 20);
    uint32_t s;
    for (s = 0; s < 256; s++) {
        uint32_t left = freq[s];
        __m512i v = _mm512_add_epi32(_mm512_slli_epi32(lanes, 20),
                                     _mm512_set1_epi32((int)(s | (left - 1) << 8)));
        for (; left > 16; left -= 16, table += 16, v = _mm512_add_epi32(v, up))
            PADICI_L(store)(table, v);
        _mm512_mask_storeu_epi32(table, (__mmask16)((1u << left) - 1), v);
        table += left;
    }
}
#else
PADICI_TARGET static void PADICI_CK(slots)(const uint16_t freq[256], uint32_t *table)
{
    static const uint32_t offsets[8] = {0,       1 << 20, 2 << 20, 3 << 20,
                                        4 << 20, 5 << 20, 6 << 20, 7 << 20};
    const PADICI_V first = PADICI_L(load)(offsets), up = PADICI_ALL32(PADICI_LANES32 << 20);
    const uint32_t *const end = table + PADICI_CODEC_RANS_TOTAL;
    uint32_t s, i;
    for (s = 0; s < 256; s++) {
        const uint32_t f = freq[s], entry = s | (f - 1) << 8;
        PADICI_V v = PADICI_ADD32(first, PADICI_ALL32(entry));
        for (i = 0; i < f && end - table >= (ptrdiff_t)i + PADICI_LANES32; i += PADICI_LANES32) {
            PADICI_L(store)(table + i, v); // entries beyond f are overwritten later
            v = PADICI_ADD32(v, up);
        }
        for (; i < f; i++) table[i] = entry | i << 20;
        table += f;
    }
}
#endif

#if PADICI_ISA_LEVEL >= 2
// States that are low refill with one word each.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(refill)(PADICI_V y, __mmask16 low, const uint8_t **p)
{
    const __m512i words = _mm512_cvtepu16_epi32(PADICI_LOADH(*p));
    *p += 2 * _mm_popcnt_u32((uint32_t)padici_mask16(low));
    return _mm512_mask_or_epi32(y, low, _mm512_slli_epi32(y, 16),
                                _mm512_maskz_expand_epi32(low, words));
}
#else
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(refill)(PADICI_V y, __m256i low, const uint8_t **p)
{
    __m256i sum = _mm256_add_epi32(low, _mm256_slli_si256(low, 4)), words;
    sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 8));
    sum = _mm256_add_epi32(sum, _mm256_blend_epi32(_mm256_setzero_si256(),
                                                   _mm256_permutevar8x32_epi32(
                                                       sum, _mm256_set1_epi32(3)),
                                                   0xf0));
    words = _mm256_cvtepu16_epi32(PADICI_LOADH(*p));
    words = _mm256_permutevar8x32_epi32(words, _mm256_sub_epi32(low, sum)); // each lane's word
    *p += 2 * _mm_popcnt_u32((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)));
    return _mm256_blendv_epi8(y, _mm256_or_si256(_mm256_slli_epi32(y, 16), words), low);
}
#endif

// The next states after the symbols of entries `e`.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(advance)(PADICI_V x, PADICI_V e)
{
    const PADICI_V mask = PADICI_ALL32(PADICI_CODEC_RANS_TOTAL - 1);
    const PADICI_V f = PADICI_XI(and)(PADICI_X(srli_epi32)(e, 8), mask);
    const PADICI_V q = PADICI_X(srli_epi32)(x, PADICI_CODEC_RANS_SCALE_BITS);
    return PADICI_ADD32(PADICI_X(mullo_epi32)(f, q),
                        PADICI_ADD32(q, PADICI_X(srli_epi32)(e, 20)));
}

// The symbols of entries, one byte each.
PADICI_TARGET PADICI_INLINE void PADICI_CK(store_symbols)(uint8_t *data, PADICI_V e)
{
#if PADICI_ISA_LEVEL == 3
    PADICI_STOREQ(data, _mm512_cvtepi32_epi8(e));
#else
    const __m256i first = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1);
    const __m256i bytes = _mm256_shuffle_epi8(e, first);
    padici_store32(data, (uint32_t)_mm256_extract_epi32(bytes, 0));
    padici_store32(data + 4, (uint32_t)_mm256_extract_epi32(bytes, 4));
#endif
}

PADICI_TARGET static const uint8_t *PADICI_CK(rans)(uint32_t state[32], const uint32_t *table,
                                                    const uint8_t *p, const uint8_t *end,
                                                    uint8_t *data, size_t n, size_t *done)
{
    const PADICI_V mask = PADICI_ALL32(PADICI_CODEC_RANS_TOTAL - 1);
    PADICI_V x[32 / PADICI_LANES32];
    size_t at = 0;
    uint32_t k;
    PADICI_UNROLL_ALL
    for (k = 0; k < 32 / PADICI_LANES32; k++) x[k] = PADICI_L(load)(state + PADICI_LANES32 * k);
    for (; at + 32 <= n && end - p >= 64; at += 32) {
        PADICI_UNROLL_ALL
        for (k = 0; k < 32 / PADICI_LANES32; k++) {
            const PADICI_V e = PADICI_GATHER32(table, PADICI_XI(and)(x[k], mask));
            const PADICI_V y = PADICI_CK(advance)(x[k], e);
            PADICI_CK(store_symbols)(data + at + PADICI_LANES32 * k, e);
            x[k] = PADICI_CK(refill)(y, PADICI_LOW(y), &p);
        }
    }
    PADICI_UNROLL_ALL
    for (k = 0; k < 32 / PADICI_LANES32; k++) PADICI_L(store)(state + PADICI_LANES32 * k, x[k]);
    *done = at;
    return p;
}

// The states of a step with contexts, whose tables start at `begin`, in active lanes; returns the
// symbols, 32 bits each.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(context_step)(PADICI_V *state, PADICI_V begin,
                                                             PADICI_M32 active,
                                                             const uint32_t *table,
                                                             const uint8_t **p)
{
    const PADICI_V x = *state, mask = PADICI_ALL32(PADICI_CODEC_RANS_TOTAL - 1);
    const PADICI_V e = PADICI_GATHER32(table, PADICI_XI(or)(begin, PADICI_XI(and)(x, mask)));
    const PADICI_V y = PADICI_PICK32(active, PADICI_CK(advance)(x, e), x);
    *state = PADICI_CK(refill)(y, PADICI_M32AND(active, PADICI_LOW(y)), p);
    return PADICI_XI(and)(e, PADICI_ALL32(255));
}
#endif

#endif
