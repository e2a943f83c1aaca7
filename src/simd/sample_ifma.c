// @per-level
#if !defined(PADIC_NO_SAMPLE) && PADICI_ISA_LEVEL == 4

// madd52 reads the low 52 bits of its factors, so garbage above them is harmless.
PADICI_IFMA static void PADICI_SK(plain)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const __m512i zero = _mm512_setzero_si512(), mask = padici_avx512_all(0xffffffffu);
    const __m512i top = padici_avx512_all(p->u.by.top);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += 16) {
        __m512i i = padici_avx512_load(v + j), h = padici_avx512_load(v + j + 8);
        __m512i r = _mm512_madd52lo_epu64(zero, i, top), s = _mm512_madd52lo_epu64(zero, h, top);
        for (k = 1; k < p->radix.levels; k++) {
            const __m512i w = padici_avx512_all(p->u.by.w[k]), c = padici_avx512_all(p->u.by.c[k]);
            const __m512i q = _mm512_madd52hi_epu64(zero, i, w);
            const __m512i t = _mm512_madd52hi_epu64(zero, h, w);
            r = _mm512_madd52lo_epu64(r, q, c);
            s = _mm512_madd52lo_epu64(s, t, c);
            if (k == p->u.by.nearby) i = q, h = t;
        }
        padici_avx512_store(v + j, _mm512_and_si512(r, mask));
        padici_avx512_store(v + j + 8, _mm512_and_si512(s, mask));
    }
}

PADICI_IFMA static void PADICI_SK(map)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i base20 = padici_avx512_all(b << 20), less = padici_avx512_all(b - 1);
    const __m512i mix1 = padici_avx512_all(0x7feb352du), mix2 = padici_avx512_all(0x846ca68bu);
    const __m512i mix3 = padici_avx512_all(0x01000193u), mask = padici_avx512_all(0xffffffffu);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0
                                               : ~0u);
    __m512i r[PADICI_SAMPLE_WORDS / 8];
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) r[j] = zero;
    for (k = 0; k < p->radix.levels; k++) {
        const __m512i key = padici_avx512_all(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) {
            const __m512i i = padici_avx512_load(v + 8 * j);
            const __m512i q = _mm512_madd52hi_epu64(zero, i, inverse);
            const __m512i d = _mm512_madd52lo_epu64(i, q, minus);
            __m512i h = _mm512_ternarylogic_epi64(r[j], prefixes, key, 0x6a), a, t; // (r & p) ^ key
            h = _mm512_mul_epu32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), mix1);
            h = _mm512_mul_epu32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 15)), mix2);
            h = _mm512_ternarylogic_epi64(h, _mm512_srli_epi32(h, 16), mask, 0x28); // (a ^ b) & c
            a = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_mul_epu32(h, mix3), less), 32);
            t = _mm512_madd52hi_epu64(d, h, base20);
            t = _mm512_madd52lo_epu64(t, a, d);
            h = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_madd52lo_epu64(t, h, minus);
            padici_avx512_store(v + 8 * j, q);
            r[j] = _mm512_madd52lo_epu64(t, r[j], base);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++)
        padici_avx512_store(v + 8 * j, _mm512_and_si512(r[j], mask));
}

// 64-bit words and hashes, b <= 1,024: the remainder of the upper half times 2^32, plus the lower
// half, is below 2^42, so that its product with w[1] is right.
PADICI_IFMA static void PADICI_SK(map64)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i less = padici_avx512_all(b - 1), mask = padici_avx512_all(0xffffffffu);
    const __m512i mix1 = padici_avx512_all(0xbf58476d1ce4e5b9u);
    const __m512i mix2 = padici_avx512_all(0x94d049bb133111ebu);
    const __m512i mix3 = padici_avx512_all(0x9e3779b97f4a7c15u);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0
                                               : ~0ull);
    __m512i r[PADICI_SAMPLE_WORDS / 8];
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) r[j] = zero;
    for (k = 0; k < p->radix.levels; k++) {
        const __m512i key = padici_avx512_all(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) {
            const __m512i i = padici_avx512_load(v + 8 * j), upper = _mm512_srli_epi64(i, 32);
            const __m512i q = _mm512_madd52hi_epu64(zero, upper, inverse);
            __m512i h = _mm512_ternarylogic_epi64(r[j], prefixes, key, 0x6a), d, t, a;
            d = _mm512_slli_epi64(_mm512_madd52lo_epu64(upper, q, minus), 32);
            t = _mm512_ternarylogic_epi64(d, i, mask, 0xf8); // d | (i & mask)
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            padici_avx512_store(v + 8 * j, _mm512_add_epi64(_mm512_slli_epi64(q, 32), a));
            d = _mm512_madd52lo_epu64(t, a, minus);
            h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 30)), mix1);
            h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 27)), mix2);
            h = _mm512_xor_si512(h, _mm512_srli_epi64(h, 31));
            t = _mm512_add_epi64(padici_simd_sample_part_avx512(h, base), d);
            a = padici_simd_sample_part_avx512(_mm512_mullo_epi64(h, mix3), less);
            t = _mm512_madd52lo_epu64(t, a, d);
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_and_si512(_mm512_madd52lo_epu64(t, a, minus), mask);
            r[j] = _mm512_add_epi64(_mm512_mullo_epi64(r[j], base), t);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) padici_avx512_store(v + 8 * j, r[j]);
}

PADICI_FN const padici_simd_sample_kernels *PADICI_SK(kernels)(void)
{
    static const padici_simd_sample_kernels kernels = {
        padici_simd_sample_fetch_avx512,
        padici_simd_sample_bits_avx512,
        PADICI_SK(plain),
        PADICI_SK(map),
        PADICI_SK(map64),
        padici_simd_sample_map64_avx512,
        padici_simd_sample_range_avx512,
        padici_simd_sample_write_avx512};
    return &kernels;
}

#endif
