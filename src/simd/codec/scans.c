// @per-level
#if !defined(PADIC_NO_CODEC) && (PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3)

// Running sums at short distances over whole vectors; returns where they stop. `carry` is indexed
// by position mod stride.
#define PADICI_JOIN(a, b) (exclusive ? PADICI_L(bit_xor)(a, b) : PADICI_L(add)(a, b))

#if PADICI_ISA_LEVEL == 3
// Distances below 8.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(sum_near)(uint64_t *x, size_t i, size_t end,
                                                       size_t place, uint32_t stride,
                                                       uint64_t carry[8], int zigzag, int exclusive)
{
    const __m512i lane = PADICI_L(lanes)();
    const uint32_t steps = stride == 1 ? 3 : stride < 4 ? 2 : 1;
    __m512i from[3], next, c;
    __mmask8 have[3];
    uint64_t lanes[8], k;
    for (k = 0; k < 3; k++) {
        from[k] = _mm512_sub_epi64(lane, PADICI_L(all)((uint64_t)stride << k));
        have[k] = (__mmask8)(0xffu << (stride << k) & 0xffu);
    }
    for (k = 0; k < 8; k++) lanes[k] = 8 - stride + k % stride;
    next = PADICI_L(load)(lanes);
    for (k = 0; k < 8; k++) lanes[k] = carry[(place + k) % stride];
    c = PADICI_L(load)(lanes);
    place -= i;
#define PADICI_CODEC_UP(K) v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64(have[K], from[K], v))
    // the sums within a vector do not wait for the carry; where the stride divides 8 the lanes stay
    // aligned, so that only one addition waits for the last vector
#define PADICI_CODEC_ROWS(SCAN, APART) \
    for (; i + 8 <= end; i += 8) { \
        __m512i v = PADICI_L(load)(x + i), w; \
        if (zigzag) v = PADICI_L(unfold)(v); \
        SCAN; \
        w = PADICI_JOIN(v, c); \
        PADICI_L(store)(x + i, w); \
        c = APART ? PADICI_JOIN(c, _mm512_permutexvar_epi64(next, v)) \
                  : _mm512_permutexvar_epi64(next, w); \
    }
    if (steps == 3) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1), PADICI_CODEC_UP(2)), 1)
    } else if (stride == 2) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1)), 1)
    } else if (steps == 2) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1)), 0)
    } else {
        PADICI_CODEC_ROWS(PADICI_CODEC_UP(0), 0)
    }
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_UP
    PADICI_L(store)(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}

// Differences of neighbours in short segments: a carry only passes within its segment.
PADICI_TARGET PADICI_INLINE int PADICI_CK(sum_rows)(uint64_t *x, size_t i, size_t to,
                                                    const padici_codec_op *op, uint64_t carry[8],
                                                    int zigzag, int exclusive)
{
    const __m512i lane = PADICI_L(lanes)(), segment = PADICI_L(all)(op->segment);
    const __m512i by = PADICI_L(all)(8 % op->segment), last = _mm512_set1_epi64(7);
    size_t at = i % op->segment, inner;
    __m512i from[3], place, c, v;
    uint32_t k;
    if (op->stride != 1 || op->segment < 2) return 0;
    if (i >= to) return 1;
    for (k = 0; k < 3; k++) from[k] = _mm512_sub_epi64(lane, PADICI_L(all)(UINT64_C(1) << k));
    place = padici_simd_codec_places(i, op->segment);
    c = PADICI_L(all)(i ? carry[0] : 0); // the first one has no carry
#define PADICI_CODEC_UP(K, WHERE) \
    v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64( \
                           (__mmask8)((WHERE) & (0xffu << (1u << (K)) & 0xffu)), from[K], v))
#define PADICI_CODEC_OWN(K) _mm512_cmpge_epu64_mask(place, PADICI_L(all)(UINT64_C(1) << (K)))
    while (i < to) {
        __mmask8 there;
        if (op->segment >= 32) { // vectors inside the segment; then the one that contains its end
            inner = padici_codec_least(op->segment - at, to - i) / 8;
            if (at == 0) c = _mm512_setzero_si512();
            at += 8 * inner;
            for (; inner > 0; inner--, i += 8) {
                v = PADICI_L(load)(x + i);
                if (zigzag) v = PADICI_L(unfold)(v);
                PADICI_CODEC_UP(0, 0xffu);
                PADICI_CODEC_UP(1, 0xffu);
                PADICI_CODEC_UP(2, 0xffu);
                PADICI_L(store)(x + i, PADICI_JOIN(v, c));
                c = PADICI_JOIN(c, _mm512_permutexvar_epi64(last, v));
            }
            if (at == op->segment) {
                at = 0;
                continue;
            }
            if (i == to) break;
            place = padici_simd_codec_behind(PADICI_L(all)(at), lane, segment);
            at = at + 8 < op->segment ? at + 8 : at + 8 - op->segment;
        }
        there = (__mmask8)(to - i >= 8 ? 0xff : (1u << (to - i)) - 1);
        v = _mm512_maskz_loadu_epi64(there, x + i);
        if (zigzag) v = PADICI_L(unfold)(v);
        PADICI_CODEC_UP(0, PADICI_CODEC_OWN(0));
        PADICI_CODEC_UP(1, PADICI_CODEC_OWN(1));
        PADICI_CODEC_UP(2, PADICI_CODEC_OWN(2));
        v = PADICI_JOIN(v, _mm512_maskz_mov_epi64(_mm512_cmpgt_epu64_mask(place, lane), c));
        _mm512_mask_storeu_epi64(x + i, there, v);
        c = _mm512_permutexvar_epi64(last, v);
        place = padici_simd_codec_behind(place, by, segment);
        i += 8;
    }
#undef PADICI_CODEC_OWN
#undef PADICI_CODEC_UP
    carry[0] = x[to - 1];
    return 1;
}
#elif PADICI_ISA_LEVEL == 2
// Distances up to 4.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(sum_near)(uint64_t *x, size_t i, size_t end,
                                                       size_t place, uint32_t stride,
                                                       uint64_t carry[8], int zigzag, int exclusive)
{
    const __m256i none = _mm256_setzero_si256();
    uint64_t lanes[4];
    size_t k;
    __m256i c;
    if (stride > 4) return i;
    for (k = 0; k < 4; k++) lanes[k] = carry[(place + k) % stride];
    c = PADICI_L(load)(lanes);
    place -= i;
#define PADICI_CODEC_ROWS(SCAN, NEXT) \
    for (; i + 4 <= end; i += 4) { \
        __m256i v = PADICI_L(load)(x + i); \
        if (zigzag) v = PADICI_L(unfold)(v); \
        SCAN; \
        v = PADICI_JOIN(v, c); \
        PADICI_L(store)(x + i, v); \
        c = NEXT; \
    }
#define PADICI_CODEC_UP1 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), none, 0x03)
#define PADICI_CODEC_UP2 _mm256_permute2x128_si256(v, v, 0x08)
#define PADICI_CODEC_UP3 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x00), none, 0x3f)
    if (stride == 1) {
        PADICI_CODEC_ROWS(
            (v = PADICI_JOIN(v, PADICI_CODEC_UP1), v = PADICI_JOIN(v, PADICI_CODEC_UP2)),
            _mm256_permute4x64_epi64(v, 0xff))
    } else if (stride == 2) {
        PADICI_CODEC_ROWS(v = PADICI_JOIN(v, PADICI_CODEC_UP2), _mm256_permute4x64_epi64(v, 0xee))
    } else if (stride == 3) {
        PADICI_CODEC_ROWS(v = PADICI_JOIN(v, PADICI_CODEC_UP3), _mm256_permute4x64_epi64(v, 0x79))
    } else {
        PADICI_CODEC_ROWS((void)0, v)
    }
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_UP1
#undef PADICI_CODEC_UP2
#undef PADICI_CODEC_UP3
    PADICI_L(store)(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}
#endif

#endif
