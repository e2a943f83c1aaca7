// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

#if PADICI_ISA_LEVEL < 3
#if PADICI_ISA_LEVEL == 2
#define PADICI_BYTES_AT(p, at) \
    _mm256_set_m128i(PADICI_LOADH((p) + (at)[1]), PADICI_LOADH((p) + (at)[0]))
#define PADICI_TAKE(v, take) _mm256_shuffle_epi8(v, take)
#else
#define PADICI_BYTES_AT(p, at) PADICI_L(load)((p) + (at)[0])
#define PADICI_TAKE(v, take) \
    vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(v), vreinterpretq_u8_u64(take)))
#endif
#define PADICI_VECTORS (8 / PADICI_LANES)

// Words of one width, 8 at a time, each from 8 bytes of the 16 that hold a pair of words.
PADICI_TARGET static void PADICI_CK(fixed)(const uint8_t *p, const uint8_t *end, uint32_t width,
                                           uint64_t *z, size_t n)
{
    padici_simd_codec_pairs pairs;
    size_t i = 0;
    if (width - 1 < 57 && n >= 16) {
        const PADICI_V mask = PADICI_L(all)(~UINT64_C(0) >> (64 - width));
        PADICI_V take[PADICI_VECTORS], down[PADICI_VECTORS];
        uint32_t k;
        padici_simd_codec_pairs_make(&pairs, width);
        PADICI_UNROLL_ALL
        for (k = 0; k < PADICI_VECTORS; k++) {
            take[k] = PADICI_L(load)(pairs.take[k * (PADICI_LANES / 2)]);
            down[k] = PADICI_L(load)(pairs.shift + k * PADICI_LANES);
        }
        for (; i + 8 <= n && (size_t)(end - p) >= width + 16; i += 8, p += width) {
            PADICI_UNROLL_ALL
            for (k = 0; k < PADICI_VECTORS; k++) {
                const uint8_t *const at = pairs.at + k * (PADICI_LANES / 2);
                PADICI_V v = PADICI_TAKE(PADICI_BYTES_AT(p, at), take[k]);
                v = PADICI_L(srl)(v, down[k]);
                PADICI_L(store)(z + i + k * PADICI_LANES, PADICI_L(bit_and)(v, mask));
            }
        }
    }
    padici_codec_fixed_loop(p, end, width, z + i, n - i);
}
#endif

// Words whose bytes are stored in planes.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET static void PADICI_CK(planes)(const padici_codec_decoder *decoder, uint64_t *z,
                                            size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        __m512i low = _mm512_setzero_si512(), high = low, a, b;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m512i wide = _mm512_cvtepu8_epi32(PADICI_LOADQ(p[k] + i));
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm512_or_si512(low, _mm512_sll_epi32(wide, up));
            else
                high = _mm512_or_si512(high, _mm512_sll_epi32(wide, up));
        }
        a = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(low));
        b = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(low, 1));
        if (planes > 4) {
            const __m512i c = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(high));
            const __m512i d = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(high, 1));
            a = _mm512_or_si512(a, _mm512_slli_epi64(c, 32));
            b = _mm512_or_si512(b, _mm512_slli_epi64(d, 32));
        }
        PADICI_L(store)(z + i, a);
        PADICI_L(store)(z + i + 8, b);
    }
    padici_codec_next_planes(decoder, z, i, to);
}
#elif PADICI_ISA_LEVEL == 2
PADICI_TARGET static void PADICI_CK(planes)(const padici_codec_decoder *decoder, uint64_t *z,
                                            size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 8 <= to; i += 8) {
        __m256i low = _mm256_setzero_si256(), high = low;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m256i wide = _mm256_cvtepu8_epi32(PADICI_LOADQ(p[k] + i));
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm256_or_si256(low, _mm256_sll_epi32(wide, up));
            else
                high = _mm256_or_si256(high, _mm256_sll_epi32(wide, up));
        }
        low = _mm256_permute4x64_epi64(low, 0xd8); // puts the meeting halves in order
        high = _mm256_permute4x64_epi64(high, 0xd8);
        PADICI_L(store)(z + i, _mm256_unpacklo_epi32(low, high));
        PADICI_L(store)(z + i + 4, _mm256_unpackhi_epi32(low, high));
    }
    padici_codec_next_planes(decoder, z, i, to);
}
#else
static void PADICI_CK(planes)(const padici_codec_decoder *decoder, uint64_t *z, size_t from,
                              size_t to)
{
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        uint32x4_t half[2][4]; // bytes 0 to 3, 4 to 7 of four words each
        uint32_t h, k;
        for (h = 0; h < 2; h++) {
            uint8x16_t p[4];
            uint16x8_t low[2], high[2];
            for (k = 0; k < 4; k++)
                p[k] = 4 * h + k < planes ? vld1q_u8(decoder->plane[4 * h + k] + i) : vdupq_n_u8(0);
            for (k = 0; k < 2; k++) {
                low[k] = vreinterpretq_u16_u8(vzip1q_u8(p[2 * k], p[2 * k + 1]));
                high[k] = vreinterpretq_u16_u8(vzip2q_u8(p[2 * k], p[2 * k + 1]));
            }
            half[h][0] = vreinterpretq_u32_u16(vzip1q_u16(low[0], low[1]));
            half[h][1] = vreinterpretq_u32_u16(vzip2q_u16(low[0], low[1]));
            half[h][2] = vreinterpretq_u32_u16(vzip1q_u16(high[0], high[1]));
            half[h][3] = vreinterpretq_u32_u16(vzip2q_u16(high[0], high[1]));
        }
        for (k = 0; k < 4; k++) {
            vst1q_u64(z + i + 4 * k, vreinterpretq_u64_u32(vzip1q_u32(half[0][k], half[1][k])));
            vst1q_u64(z + i + 4 * k + 2, vreinterpretq_u64_u32(vzip2q_u32(half[0][k], half[1][k])));
        }
    }
    padici_codec_next_planes(decoder, z, i, to);
}
#endif

#endif
