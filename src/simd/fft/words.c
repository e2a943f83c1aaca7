// @per-level
#ifndef PADIC_NO_FFT

// PADICI_V: a vector of PADICI_REAL. FMA, FNMA: v plus and minus x y. PART: the first n lanes, the
// others 0 and not read or written. PARTS: the vector of the 16 bytes at p and as many at each
// `step` reals further on; HALF: the first half of it. LOW_h, HIGH_h of v, w exchange blocks of h
// lanes within 16 bytes.

#if PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_LANES (64 / PADICI_REAL_SIZE)
#define PADICI_WIDEST 8
#define PADICI_PART_MASK(n) ((1u << (n)) - 1)
#if PADICI_REAL_SIZE == 4
#define PADICI_V __m512
#define PADICI_R(op) _mm512_##op##_ps
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_ps((__mmask16)PADICI_PART_MASK(n), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_ps(p, (__mmask16)PADICI_PART_MASK(n), v)
#define PADICI_LOW_1(v, w) _mm512_mask_permute_ps(v, 0xaaaa, w, 0xb1)
#define PADICI_HIGH_1(v, w) _mm512_mask_permute_ps(w, 0x5555, v, 0xb1)
#define PADICI_LOW_2(v, w) _mm512_shuffle_ps(v, w, 0x44)
#define PADICI_HIGH_2(v, w) _mm512_shuffle_ps(v, w, 0xee)
#define PADICI_PARTS(p, step)                                                                    \
    _mm512_insertf32x4(                                                                          \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(p)),           \
                                              _mm_loadu_ps((p) + (step)), 1),                    \
                           _mm_loadu_ps((p) + 2 * (step)), 2),                                   \
        _mm_loadu_ps((p) + 3 * (step)), 3)
#define PADICI_HALF(p, step)                                                                     \
    _mm512_castps256_ps512(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)),         \
                                                _mm_loadu_ps((p) + (step)), 1))
#else
#define PADICI_V __m512d
#define PADICI_R(op) _mm512_##op##_pd
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_pd((__mmask8)PADICI_PART_MASK(n), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_pd(p, (__mmask8)PADICI_PART_MASK(n), v)
#define PADICI_LOW_1(v, w) _mm512_unpacklo_pd(v, w)
#define PADICI_HIGH_1(v, w) _mm512_unpackhi_pd(v, w)
#define PADICI_PARTS(p, step)                                                                    \
    _mm512_insertf64x2(                                                                          \
        _mm512_insertf64x2(_mm512_insertf64x2(_mm512_castpd128_pd512(_mm_loadu_pd(p)),           \
                                              _mm_loadu_pd((p) + (step)), 1),                    \
                           _mm_loadu_pd((p) + 2 * (step)), 2),                                   \
        _mm_loadu_pd((p) + 3 * (step)), 3)
#define PADICI_HALF(p, step)                                                                     \
    _mm512_castpd256_pd512(_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)),         \
                                                _mm_loadu_pd((p) + (step)), 1))
#endif
#endif

#if PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_LANES (32 / PADICI_REAL_SIZE)
#define PADICI_WIDEST 4
#if PADICI_REAL_SIZE == 4
#define PADICI_V __m256
#define PADICI_R(op) _mm256_##op##_ps
#define PADICI_PART_MASK(n)                                                                      \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define PADICI_LOW_1(v, w) _mm256_blend_ps(v, _mm256_permute_ps(w, 0xb1), 0xaa)
#define PADICI_HIGH_1(v, w) _mm256_blend_ps(_mm256_permute_ps(v, 0xb1), w, 0xaa)
#define PADICI_LOW_2(v, w) _mm256_shuffle_ps(v, w, 0x44)
#define PADICI_HIGH_2(v, w) _mm256_shuffle_ps(v, w, 0xee)
#define PADICI_PARTS(p, step)                                                                    \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps((p) + (step)), 1)
#define PADICI_HALF(p, step) _mm256_castps128_ps256(_mm_loadu_ps(p))
#else
#define PADICI_V __m256d
#define PADICI_R(op) _mm256_##op##_pd
#define PADICI_PART_MASK(n)                                                                      \
    _mm256_cmpgt_epi64(_mm256_set1_epi64x((int)(n)), _mm256_setr_epi64x(0, 1, 2, 3))
#define PADICI_LOW_1(v, w) _mm256_unpacklo_pd(v, w)
#define PADICI_HIGH_1(v, w) _mm256_unpackhi_pd(v, w)
#define PADICI_PARTS(p, step)                                                                    \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd((p) + (step)), 1)
#define PADICI_HALF(p, step) _mm256_castpd128_pd256(_mm_loadu_pd(p))
#endif
#define PADICI_PART_LOAD(p, n) PADICI_R(maskload)(p, PADICI_PART_MASK(n))
#define PADICI_PART_STORE(p, n, v) PADICI_R(maskstore)(p, PADICI_PART_MASK(n), v)
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_NONE PADICI_R(setzero)()
#define PADICI_SET PADICI_R(set1)
#define PADICI_LOAD PADICI_R(loadu)
#define PADICI_STORE PADICI_R(storeu)
#define PADICI_ADD PADICI_R(add)
#define PADICI_SUB PADICI_R(sub)
#define PADICI_MUL PADICI_R(mul)
#define PADICI_FMA(x, y, v) PADICI_R(fmadd)(x, y, v)
#define PADICI_FNMA(x, y, v) PADICI_R(fnmadd)(x, y, v)
#endif

#if PADICI_ISA_LEVEL == 1
#define PADICI_TARGET
#define PADICI_LANES (16 / PADICI_REAL_SIZE)
#define PADICI_WIDEST 8
#if PADICI_REAL_SIZE == 4
#define PADICI_V float32x4_t
#define PADICI_R(op) op##_f32
#define PADICI_LOW_2(v, w) vcombine_f32(vget_low_f32(v), vget_low_f32(w))
#define PADICI_HIGH_2(v, w) vcombine_f32(vget_high_f32(v), vget_high_f32(w))
#else
#define PADICI_V float64x2_t
#define PADICI_R(op) op##_f64
#endif
#define PADICI_LOW_1 PADICI_R(vtrn1q)
#define PADICI_HIGH_1 PADICI_R(vtrn2q)
#define PADICI_NONE PADICI_R(vdupq_n)(0)
#define PADICI_SET PADICI_R(vdupq_n)
#define PADICI_LOAD PADICI_R(vld1q)
#define PADICI_STORE PADICI_R(vst1q)
#define PADICI_PARTS(p, step) PADICI_LOAD(p)
#define PADICI_HALF(p, step) PADICI_LOAD(p)
#define PADICI_ADD PADICI_R(vaddq)
#define PADICI_SUB PADICI_R(vsubq)
#define PADICI_MUL PADICI_R(vmulq)
#define PADICI_FMA(x, y, v) PADICI_R(vfmaq)(v, x, y)
#define PADICI_FNMA(x, y, v) PADICI_R(vfmsq)(v, x, y)
#define PADICI_PART_LOAD(p, n) PADICI_HK(part_load)(p, n)
#define PADICI_PART_STORE(p, n, v) PADICI_HK(part_store)(p, n, v)

PADICI_INLINE PADICI_V PADICI_HK(part_load)(const PADICI_REAL *p, uint32_t n)
{
    PADICI_REAL lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < n ? p[i] : 0;
    return PADICI_LOAD(lanes);
}

PADICI_INLINE void PADICI_HK(part_store)(PADICI_REAL *p, uint32_t n, PADICI_V v)
{
    PADICI_REAL lanes[PADICI_LANES];
    uint32_t i;
    PADICI_STORE(lanes, v);
    for (i = 0; i < n; i++) p[i] = lanes[i];
}
#endif

#define PADICI_VECTOR (2 * PADICI_LANES) // reals of an element of a block

typedef struct PADICI_HK(number) { // complex numbers
    PADICI_V re, im;
} PADICI_HK(number);

#define PADICI_NUMBER PADICI_HK(number)

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(get)(const PADICI_REAL *x)
{
    PADICI_NUMBER a;
    a.re = PADICI_LOAD(x);
    a.im = PADICI_LOAD(x + PADICI_LANES);
    return a;
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(put)(PADICI_REAL *x, PADICI_NUMBER a)
{
    PADICI_STORE(x, a.re);
    PADICI_STORE(x + PADICI_LANES, a.im);
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(plus)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_ADD(a.re, b.re);
    a.im = PADICI_ADD(a.im, b.im);
    return a;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(minus)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_SUB(a.re, b.re);
    a.im = PADICI_SUB(a.im, b.im);
    return a;
}

// a - i b, a + i b
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(below)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_ADD(a.re, b.im);
    a.im = PADICI_SUB(a.im, b.re);
    return a;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(above)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_SUB(a.re, b.im);
    a.im = PADICI_ADD(a.im, b.re);
    return a;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(times)(PADICI_NUMBER a, PADICI_V re,
                                                           PADICI_V im)
{
    PADICI_NUMBER b;
    b.re = PADICI_FNMA(a.im, im, PADICI_MUL(a.re, re));
    b.im = PADICI_FMA(a.im, re, PADICI_MUL(a.re, im));
    return b;
}

// As many numbers next to each other in memory, to and from a vector of each part.
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(apart)(PADICI_V v, PADICI_V w)
{
    PADICI_NUMBER a;
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                           30);
    a.re = _mm512_permutex2var_ps(v, even, w);
    a.im = _mm512_permutex2var_ps(v, _mm512_add_epi32(even, _mm512_set1_epi32(1)), w);
#elif PADICI_ISA_LEVEL == 3
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    a.re = _mm512_permutex2var_pd(v, even, w);
    a.im = _mm512_permutex2var_pd(v, _mm512_add_epi64(even, _mm512_set1_epi64(1)), w);
#elif PADICI_ISA_LEVEL == 2 && PADICI_REAL_SIZE == 4
    const __m256 low = _mm256_permute2f128_ps(v, w, 0x20);
    const __m256 high = _mm256_permute2f128_ps(v, w, 0x31);
    a.re = _mm256_shuffle_ps(low, high, 0x88);
    a.im = _mm256_shuffle_ps(low, high, 0xdd);
#elif PADICI_ISA_LEVEL == 2
    const __m256d low = _mm256_permute2f128_pd(v, w, 0x20);
    const __m256d high = _mm256_permute2f128_pd(v, w, 0x31);
    a.re = _mm256_unpacklo_pd(low, high);
    a.im = _mm256_unpackhi_pd(low, high);
#else
    a.re = PADICI_R(vuzp1q)(v, w);
    a.im = PADICI_R(vuzp2q)(v, w);
#endif
    return a;
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(together)(PADICI_NUMBER a, PADICI_V out[2])
{
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    out[0] = _mm512_permutex2var_ps(a.re, first, a.im);
    out[1] = _mm512_permutex2var_ps(a.re, _mm512_add_epi32(first, _mm512_set1_epi32(8)), a.im);
#elif PADICI_ISA_LEVEL == 3
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    out[0] = _mm512_permutex2var_pd(a.re, first, a.im);
    out[1] = _mm512_permutex2var_pd(a.re, _mm512_add_epi64(first, _mm512_set1_epi64(4)), a.im);
#elif PADICI_ISA_LEVEL == 2
    const PADICI_V low = PADICI_R(unpacklo)(a.re, a.im), high = PADICI_R(unpackhi)(a.re, a.im);
    out[0] = PADICI_R(permute2f128)(low, high, 0x20);
    out[1] = PADICI_R(permute2f128)(low, high, 0x31);
#else
    out[0] = PADICI_R(vzip1q)(a.re, a.im);
    out[1] = PADICI_R(vzip2q)(a.re, a.im);
#endif
}

// Memory for as many elements as lanes, in a frame, where a vector would not be aligned by itself.
#define PADICI_ROWS(name)                                                                       \
    PADICI_REAL name##_space[2 * PADICI_LANES * PADICI_LANES + 64 / PADICI_REAL_SIZE];          \
    PADICI_REAL *const name =                                                                   \
        name##_space + (64 - ((uintptr_t)name##_space & 63)) / PADICI_REAL_SIZE

#define PADICI_PART (16 / PADICI_REAL_SIZE) // lanes of 16 bytes
#define PADICI_MIDDLE (PADICI_LANES / 2 > PADICI_PART ? PADICI_LANES / 2 : PADICI_PART)

// Vectors `from` reals apart: as many as lanes, or half as many, or those of 16 bytes where that is
// more. Rows become columns, `to` reals apart, the first `count` of them. Parts of 16 bytes change
// places while they are loaded.
#define PADICI_TURNED(p) \
    (half ? PADICI_HALF(p, PADICI_PART * from) : PADICI_PARTS(p, PADICI_PART * from))
PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_of)(uint32_t half, const PADICI_REAL *x,
                                                    size_t from, PADICI_REAL *y, size_t to,
                                                    uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i += PADICI_PART) {
        const PADICI_REAL *at = x + i;
        PADICI_REAL *out = y + i * to;
        const PADICI_V a = PADICI_TURNED(at);
        const PADICI_V b = PADICI_TURNED(at + from);
        const PADICI_V e = PADICI_LOW_1(a, b), f = PADICI_HIGH_1(a, b);
#if PADICI_REAL_SIZE == 4
        const PADICI_V c = PADICI_TURNED(at + 2 * from);
        const PADICI_V d = PADICI_TURNED(at + 3 * from);
        const PADICI_V g = PADICI_LOW_1(c, d), h = PADICI_HIGH_1(c, d);
        PADICI_STORE(out, PADICI_LOW_2(e, g));
        if (i + 1 < count) PADICI_STORE(out + to, PADICI_LOW_2(f, h));
        if (i + 2 < count) PADICI_STORE(out + 2 * to, PADICI_HIGH_2(e, g));
        if (i + 3 < count) PADICI_STORE(out + 3 * to, PADICI_HIGH_2(f, h));
#else
        PADICI_STORE(out, e);
        if (i + 1 < count) PADICI_STORE(out + to, f);
#endif
    }
}
#undef PADICI_TURNED

PADICI_TARGET PADICI_INLINE void PADICI_HK(turn)(const PADICI_REAL *x, size_t from, PADICI_REAL *y,
                                                 size_t to, uint32_t count)
{
    PADICI_HK(turn_of)(0, x, from, y, to, count);
}

#endif
