// @per-level
#ifndef PADIC_NO_NUM

// Digits, in planes.

// `size`, a constant, is the bytes of a digit.
PADICI_TARGET PADICI_INLINE void PADICI_K(digit_store)(void *to, uint64_t at, uint32_t size,
                                                       PADICI_V d)
{
    if (size == 1)
        PADICI_VSTORE8((uint8_t *)to + at, d);
    else if (size == 2)
        PADICI_VSTORE16((uint16_t *)to + at, d);
    else
        PADICI_VSTORE32((uint32_t *)to + at, d);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(digit)(const void *from, uint64_t at, uint32_t size)
{
    if (size == 1) return PADICI_VLOAD8((const uint8_t *)from + at);
    if (size == 2) return PADICI_VLOAD16((const uint16_t *)from + at);
    return PADICI_VLOADU((const uint32_t *)from + at);
}

// Digit by digit, lowest first. IFMA: floor(x / p) by floor(2^52 / p) is at most one too small; by
// one more it is exact for x < 2^52 / p, that is from the second digit on. Doubles: 1 / p rounded
// up is exact for x < 2^50.
PADICI_TARGET PADICI_INLINE void PADICI_K(spread)(const padic_num_call *call, int kind,
                                                  uint32_t size, uint64_t at, PADICI_V x)
{
    const padic_num_ring *r = call->ring;
    const uint32_t n = r->precision;
    const PADICI_V one = PADICI_VSET(1);
#if PADICI_ISA_LEVEL == 4
    const PADICI_V p = PADICI_VSET(r->p), slow = PADICI_VSET((UINT64_C(1) << 52) / r->p);
    const PADICI_V fast = PADICI_VADD(slow, one);
#else
    const PADICI_V p = PADICI_DSET((double)r->p);
    const PADICI_V fast = PADICI_DSET(1.0 / (double)r->p * (1 + 1.0 / 2251799813685248.0));
#endif
    PADICI_V q = x, d;
    uint32_t k;
    for (k = 0; k + 1 < n; k++, at += call->stride) {
        if (kind == 1) {
            d = PADICI_VAND(x, one);
            q = PADICI_VSHR(x, one);
        } else {
#if PADICI_ISA_LEVEL == 4
            q = _mm512_madd52hi_epu64(PADICI_VSET(0), x, k ? fast : slow);
            d = PADICI_VSUB(x, _mm512_madd52lo_epu64(PADICI_VSET(0), q, p));
            if (!k) {
                const __mmask8 m = _mm512_cmpge_epu64_mask(d, p);
                q = _mm512_mask_add_epi64(q, m, q, one);
                d = _mm512_mask_sub_epi64(d, m, d, p);
            }
#else
            q = PADICI_DFLOOR(PADICI_DMUL(x, fast));
            d = PADICI_DNMADD(q, p, x);
#endif
        }
        PADICI_K(digit_store)(call->other[0], at, size, PADICI_K(out)(kind, d));
        x = q;
    }
    PADICI_K(digit_store)(call->other[0], at, size, PADICI_K(out)(kind, x));
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(digits)(const padic_num_call *call, int kind)
{
    const PADICI_V nan = PADICI_VSET(PADIC_NUM_NAN);
    int32_t *const val = (int32_t *)call->other[1];
    uint64_t i;
    uint32_t bits = 0;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V x = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        PADICI_V v = PADICI_VSET(0);
        if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        if (PADICI_MANY(PADICI_VEQ(v, nan))) {
            bits |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_to_digits_loop);
            continue;
        }
        if (val) PADICI_VSTORE32(val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, PADICI_VSET(0));
        if (call->dtype == PADIC_U8)
            PADICI_K(spread)(call, kind, 1, i, x);
        else if (call->dtype == PADIC_U16)
            PADICI_K(spread)(call, kind, 2, i, x);
        else
            PADICI_K(spread)(call, kind, 4, i, x);
    }
    return bits;
}
PADICI_BOTH(digits)

// Sum of digits d_k p^k; *least is negative where a digit is too large.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(collect)(const padic_num_call *call, int kind,
                                                       uint32_t size, uint64_t at, PADICI_V *least)
{
    const PADICI_V most = PADICI_VSET(call->ring->p - 1);
#if PADICI_ISA_LEVEL == 4
    const PADICI_V p = PADICI_VSET(call->ring->p);
#else
    const PADICI_V p = PADICI_DSET(-(double)call->ring->p);
#endif
    PADICI_V x = PADICI_VSET(0), low = x;
    uint32_t k;
    at += call->ring->precision * call->stride;
    for (k = call->ring->precision; k > 0; k--) {
        const PADICI_V d = PADICI_K(digit)(call->other[0], at -= call->stride, size);
        low = PADICI_VOR(low, PADICI_VSUB(most, d));
        if (kind == 1)
            x = PADICI_VOR(PADICI_VADD(x, x), d);
        else
#if PADICI_ISA_LEVEL == 4
            x = _mm512_madd52lo_epu64(d, x, p);
#else
            x = PADICI_DNMADD(x, p, PADICI_DFROM(d));
#endif
    }
    *least = low;
    return x;
}

#if PADICI_ISA_LEVEL >= 2
// Residues from U16 planes, two digits at a time: d_k + p d_(k+1) by one product of 16-bit words, p
// < 2^15, then Horner's rule in p^2. From element i on, two vectors at once; returns where it
// stopped: at two with a digit that is too large, or at the end.
PADICI_TARGET static uint64_t PADICI_K(collect_pairs)(const padic_num_call *call, uint64_t i)
{
    const uint32_t p = (uint32_t)call->ring->p, n = call->ring->precision;
    const uint64_t stride = call->stride, count = call->count;
    const int narrow = call->ring->unit_size == 4;
    const uint16_t *from = (const uint16_t *)call->other[0] + i;
    uint8_t *const status = call->status;
    uint32_t *const out32 = (uint32_t *)call->out.unit;
    uint64_t *const out64 = (uint64_t *)call->out.unit;
    uint32_t k;
    PADICI_V x, y;
#if PADICI_ISA_LEVEL == 2
    const __m128i weights = _mm_set1_epi32((int)(p << 16 | 1));
    const __m128i most = _mm_set1_epi16((short)(p - 1));
    const __m256d square = _mm256_set1_pd((double)p * p);
    for (; i + 8 <= count; i += 8, from += 8) {
        const uint16_t *d = from + (n - 1) * stride;
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)d), a = b, high = b;
        __m256d low4, high4;
        if (n & 1)
            b = _mm_setzero_si128();
        else
            a = _mm_loadu_si128((const __m128i *)(const void *)(d -= stride));
        for (k = (n + 1) / 2, low4 = high4 = _mm256_setzero_pd();;) {
            high = _mm_max_epu16(high, _mm_max_epu16(a, b));
            low4 = _mm256_fmadd_pd(
                low4, square,
                _mm256_cvtepi32_pd(_mm_madd_epi16(_mm_unpacklo_epi16(a, b), weights)));
            high4 = _mm256_fmadd_pd(
                high4, square,
                _mm256_cvtepi32_pd(_mm_madd_epi16(_mm_unpackhi_epi16(a, b), weights)));
            if (!--k) break;
            b = _mm_loadu_si128((const __m128i *)(const void *)(d - stride));
            a = _mm_loadu_si128((const __m128i *)(const void *)(d -= 2 * stride));
        }
        high = _mm_subs_epu16(high, most);
        if (!_mm_testz_si128(high, high)) break;
        x = PADICI_DTO(PADICI_ICAST(low4));
        y = PADICI_DTO(PADICI_ICAST(high4));
#else // the halves of a 256-bit register interleave apart: elements 0-3, 8-11 and 4-7, 12-15
    const __m256i weights = _mm256_set1_epi32((int)(p << 16 | 1));
    const __m256i most = _mm256_set1_epi16((short)(p - 1));
#if PADICI_ISA_LEVEL == 4
    const PADICI_V square = PADICI_VSET((uint64_t)p * p);
#define PADICI_STEP(x, pair) _mm512_madd52lo_epu64(_mm512_cvtepu32_epi64(pair), x, square)
#else
    const __m512d square = _mm512_set1_pd((double)p * p);
#define PADICI_STEP(x, pair) \
    PADICI_ICAST(_mm512_fmadd_pd(PADICI_DCAST(x), square, _mm512_cvtepi32_pd(pair)))
#endif
    for (; i + 16 <= count; i += 16, from += 16) {
        const uint16_t *d = from + (n - 1) * stride;
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)d), a = b, high = b;
        PADICI_V low8 = PADICI_VSET(0), high8 = low8;
        if (n & 1)
            b = _mm256_setzero_si256();
        else
            a = _mm256_loadu_si256((const __m256i *)(const void *)(d -= stride));
        for (k = (n + 1) / 2;;) {
            high = _mm256_max_epu16(high, _mm256_max_epu16(a, b));
            low8 = PADICI_STEP(low8, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
            high8 = PADICI_STEP(high8, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
            if (!--k) break;
            b = _mm256_loadu_si256((const __m256i *)(const void *)(d - stride));
            a = _mm256_loadu_si256((const __m256i *)(const void *)(d -= 2 * stride));
        }
        high = _mm256_subs_epu16(high, most);
        if (!_mm256_testz_si256(high, high)) break;
        x = PADICI_K(out)(0, _mm512_shuffle_i64x2(low8, high8, 0x44));
        y = PADICI_K(out)(0, _mm512_shuffle_i64x2(low8, high8, 0xee));
#undef PADICI_STEP
#endif
        if (narrow) {
            PADICI_VSTORE32(out32 + i, x);
            PADICI_VSTORE32(out32 + i + PADICI_LANES, y);
        } else {
            PADICI_VSTORE(out64 + i, x);
            PADICI_VSTORE(out64 + i + PADICI_LANES, y);
        }
        if (status) memset(status + i, 0, 2 * PADICI_LANES);
    }
    return i;
}
#endif

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(of_digits)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const PADICI_V none = PADICI_VSET(0), outside = PADICI_VSET(PADIC_NUM_OUTSIDE);
    const int32_t *const val = (const int32_t *)call->other[1];
#if PADICI_ISA_LEVEL >= 2
    const int pairs = !kind && call->dtype == PADIC_U16 && !call->out.val && c.r->p < 32768;
#endif
    PADICI_V bits = none;
    uint32_t rare = 0;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_K(floats) x;
        PADICI_V least;
        PADICI_M bad, zero = PADICI_NONE;
#if PADICI_ISA_LEVEL >= 2
        if (pairs && (i = PADICI_K(collect_pairs)(call, i)) >= call->count) break;
#endif
        if (call->dtype == PADIC_U8)
            x.u = PADICI_K(collect)(call, kind, 1, i, &least);
        else if (call->dtype == PADIC_U16)
            x.u = PADICI_K(collect)(call, kind, 2, i, &least);
        else
            x.u = PADICI_K(collect)(call, kind, 4, i, &least);
        bad = PADICI_VGT(none, least);
        x.bits = none;
        if (!call->out.val) {
            if (PADICI_MANY(bad)) {
                x.u = PADICI_VSEL(bad, none, x.u);
                x.bits = PADICI_VSEL(bad, outside, none);
            }
            PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x.u));
            if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
        } else {
            x.v = val ? PADICI_VLOADS(val + i) : none;
            if (!PADICI_K(usual)(x.v, x.v)) {
                rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_from_digits_loop);
                continue;
            }
            x.v = PADICI_VADD(x.v, PADICI_K(rsplit)(&c, kind, &x.u, &zero));
            PADICI_K(set)(&x, zero, PADIC_NUM_ZERO, none, none);
            PADICI_K(set)(&x, bad, PADIC_NUM_NAN, PADICI_K(in)(kind, outside), outside);
            PADICI_K(store)(call, kind, i, x);
        }
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_BOTH(of_digits)

#endif
