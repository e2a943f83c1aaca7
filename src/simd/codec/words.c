// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

// --------------------------------------------------------------------------------- >>vector words
//
// PADICI_D: as many doubles as a vector has words; PADICI_H: as many numbers of 32 bits. A suffix Q
// is for as many numbers of 16 bits, 32 in a name for lanes of 32 bits. PADICI_M: a mask of words.
// SHL, SHR: all words by one number.
// mask of words. SHL, SHR: all words by one number.

#define PADICI_LANES32 (2 * PADICI_LANES)

#if PADICI_ISA_LEVEL == 3
#define PADICI_H __m256i
#define PADICI_LOADH(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PADICI_LOADQ(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define PADICI_STOREH(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define PADICI_STOREQ(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define PADICI_STORE_BYTES(p, n) _mm_storel_epi64((__m128i *)(void *)(p), _mm512_cvtepi64_epi8(n))
#define PADICI_CUT32(n) _mm512_cvtepi64_epi32(n)
#define PADICI_CUT16(n) _mm512_cvtepi64_epi16(n)
#define PADICI_D __m512d
#define PADICI_F __m512
#define PADICI_BITS(d) _mm512_castpd_si512(d)
#define PADICI_DOUBLE(v) _mm512_castsi512_pd(v)
#define PADICI_FROM_FLOATS(x) _mm512_cvtps_pd(_mm256_castsi256_ps(x))
#define PADICI_FROM_HALVES(x) _mm512_cvtps_pd(_mm256_cvtph_ps(x))
#define PADICI_TO_FLOATS(d) _mm256_castps_si256(_mm512_cvtpd_ps(d))
#define PADICI_ABS(d) _mm512_abs_pd(d)
#define PADICI_M __mmask8
#define PADICI_MNONE 0
#define PADICI_LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define PADICI_WHICH(m) ((uint32_t)padici_mask8(m))
#define PADICI_M32 __mmask16
#define PADICI_LOW(y) _mm512_cmplt_epu32_mask(y, _mm512_set1_epi32(PADICI_CODEC_RANS_LOW))
#define PADICI_M32AND(a, b) ((__mmask16)((a) & (b)))
#define PADICI_PICK32(m, a, b) _mm512_mask_mov_epi32(b, m, a)
#define PADICI_GATHER32(t, at) _mm512_i32gather_epi32(at, (const void *)(t), 4)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_H __m128i
#define PADICI_LOADH(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define PADICI_LOADQ(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define PADICI_STOREH(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define PADICI_STOREQ(p, x) _mm_storel_epi64((__m128i *)(void *)(p), x)
#define PADICI_STORE_BYTES(p, n) PADICI_CK(store_bytes)((p), n)
#define PADICI_CUT32(n) PADICI_CK(cut32)(n)
#define PADICI_CUT16(n) PADICI_CK(cut16)(n)
#define PADICI_D __m256d
#define PADICI_F __m256
#define PADICI_BITS(d) _mm256_castpd_si256(d)
#define PADICI_DOUBLE(v) _mm256_castsi256_pd(v)
#define PADICI_FROM_FLOATS(x) _mm256_cvtps_pd(_mm_castsi128_ps(x))
#define PADICI_FROM_HALVES(x) _mm256_cvtps_pd(_mm_cvtph_ps(x))
#define PADICI_TO_FLOATS(d) _mm_castps_si128(_mm256_cvtpd_ps(d))
#define PADICI_ABS(d) _mm256_andnot_pd(_mm256_set1_pd(-0.0), d)
#define PADICI_M __m256d
#define PADICI_MNONE _mm256_setzero_pd()
#define PADICI_LESS(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define PADICI_WHICH(m) ((uint32_t)_mm256_movemask_pd(m))
#define PADICI_M32 __m256i
#define PADICI_LOW(y) _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256())
#define PADICI_M32AND(a, b) _mm256_and_si256(a, b)
#define PADICI_PICK32(m, a, b) _mm256_blendv_epi8(b, a, m)
#define PADICI_GATHER32(t, at) _mm256_i32gather_epi32((const int *)(const void *)(t), at, 4)
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_ADD32(a, b) PADICI_X(add_epi32)(a, b)
#define PADICI_ALL32(x) PADICI_X(set1_epi32)((int)(x))
#define PADICI_SHL(a, n) PADICI_X(sll_epi64)(a, _mm_cvtsi32_si128((int)(n)))
#define PADICI_SHR(a, n) PADICI_X(srl_epi64)(a, _mm_cvtsi32_si128((int)(n)))
#else
#define PADICI_ADD32(a, b) \
    vreinterpretq_u64_u32(vaddq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)))
#define PADICI_ALL32(x) vreinterpretq_u64_u32(vdupq_n_u32((uint32_t)(x)))
#define PADICI_SHR(a, n) vshlq_u64(a, vdupq_n_s64(-(int64_t)(n)))
#endif

#if PADICI_ISA_LEVEL == 2
PADICI_TARGET PADICI_INLINE __m128i PADICI_CK(cut32)(__m256i n)
{
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(n, halves));
}

PADICI_TARGET PADICI_INLINE __m128i PADICI_CK(cut16)(__m256i n)
{
    const __m128i twos = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    return _mm_shuffle_epi8(PADICI_CK(cut32)(n), twos);
}

PADICI_TARGET PADICI_INLINE void PADICI_CK(store_bytes)(uint8_t *to, __m256i n)
{
    const __m128i ones = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i bytes = _mm_shuffle_epi8(PADICI_CK(cut32)(n), ones);
    padici_store32(to, (uint32_t)_mm_cvtsi128_si32(bytes));
}
#endif

#endif
