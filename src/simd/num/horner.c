// @per-level
#ifndef PADIC_NO_NUM

// A factor of many products modulo P that need not be reduced: y and 2^52 y / P, up to two too
// small, or y / P.
typedef struct PADICI_K(times) {
    PADICI_V y, q;
} PADICI_K(times);

PADICI_TARGET PADICI_INLINE PADICI_K(times) PADICI_K(times_of)(const PADICI_K(ring) *c, int kind,
                                                               PADICI_V y)
{
    PADICI_K(times) f;
    f.y = f.q = y;
    if (kind) return f;
#if PADICI_ISA_LEVEL == 4
    {
        const __m512i zero = PADICI_VSET(0);
        f.q = _mm512_slli_epi64(_mm512_madd52hi_epu64(zero, PADICI_VSHL(y, c->up), c->mu), 2);
        y = _mm512_madd52lo_epu64(zero, f.q, c->less); // 2^52 y - q P < 8 P
        y = PADICI_VSHR(_mm512_madd52hi_epu64(zero, y, c->mu), c->down);
        f.q = PADICI_VADD(f.q, y);
    }
#else
    f.q = PADICI_DMUL(y, c->mu);
#endif
    return f;
}

// x y + a for a below P, only congruent: IFMA: in [0, 3 P), if x is; doubles: in (-2/3 P, 5/3 P).
// There adding 3/2 2^52 rounds to integers.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(times_add)(const PADICI_K(ring) *c, int kind,
                                                         PADICI_V x, PADICI_K(times) f, PADICI_V a)
{
    if (kind == 1) return PADICI_VAND(PADICI_VADD(PADICI_VMUL(x, f.y), a), c->p);
    if (kind == 2) return PADICI_K(radd)(c, 2, PADICI_K(rmul64)(c, x, f.y), a);
#if PADICI_ISA_LEVEL == 4
    {
        const __m512i q = _mm512_madd52hi_epu64(PADICI_VSET(0), x, f.q);
        x = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(a, x, f.y), q, c->less);
        return _mm512_and_si512(x, PADICI_VSET((INT64_C(1) << 52) - 1));
    }
#else
    {
        const PADICI_V h = PADICI_DMUL(x, f.y), l = PADICI_DMSUB(x, f.y, h);
        const PADICI_V q = PADICI_DSUB(PADICI_DMADD(x, f.q, c->up), c->up);
        return PADICI_DADD(PADICI_DADD(PADICI_DNMADD(q, c->p, h), l), a);
    }
#endif
}

// The canonical residue of such a sum.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(reduce)(const PADICI_K(ring) *c, int kind, PADICI_V x)
{
    if (kind) return x;
#if PADICI_ISA_LEVEL == 4
    x = PADICI_VLOW(PADICI_VSUB(x, c->p), x);
    return PADICI_VLOW(PADICI_VSUB(x, c->p), x);
#else
    x = PADICI_VLOW(x, PADICI_DADD(x, c->p));
    return PADICI_VLOW(PADICI_DSUB(x, c->p), x);
#endif
}

// Coefficient k of the polynomial, common to all points, or individual from point i on.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(coefficient)(const padic_num_call *call, int kind,
                                                           uint64_t k, uint64_t i)
{
    if (call->stride)
        return PADICI_K(in)(kind, PADICI_K(unit)(call, &call->c, k * call->stride + i));
    k = padici_num_word(call->ring, call->c.unit, k);
#if PADICI_ISA_LEVEL == 4
    return PADICI_VSET(k);
#else
    return kind ? PADICI_VSET(k) : PADICI_DSET((double)(int64_t)k);
#endif
}

// Each step waits for the one before, so `n` <= 8 vectors of points, a constant, are interleaved.
// The coefficients are common; `narrow`, a constant: units of 32 bits.
PADICI_TARGET PADICI_INLINE void PADICI_K(points)(const padic_num_call *call,
                                                  const PADICI_K(ring) *c, int narrow, uint32_t n,
                                                  uint64_t i)
{
    const uint32_t *const c32 = (const uint32_t *)call->c.unit;
    const uint64_t *const c64 = (const uint64_t *)call->c.unit;
    const uint32_t *const a32 = (const uint32_t *)call->a.unit + i;
    const uint64_t *const a64 = (const uint64_t *)call->a.unit + i;
    uint32_t *const x32 = (uint32_t *)call->out.unit + i;
    uint64_t *const x64 = (uint64_t *)call->out.unit + i;
    uint64_t k = (uint64_t)call->k - 1;
    PADICI_K(times) y[8];
    PADICI_V x[8], a;
#if PADICI_ISA_LEVEL == 4
#define PADICI_SHARED(k) PADICI_VSET(narrow ? c32[k] : c64[k])
#else
#define PADICI_SHARED(k) PADICI_DSET((double)(int64_t)(narrow ? c32[k] : c64[k]))
#endif
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = narrow ? PADICI_VLOADU(a32 + j * PADICI_LANES) \
                      : PADICI_VLOAD(a64 + j * PADICI_LANES); \
        y[j] = PADICI_K(times_of)(c, 0, PADICI_K(in)(0, x[j])); \
        x[j] = a; \
    }
    a = PADICI_SHARED(k);
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n) x[j] = PADICI_K(times_add)(c, 0, x[j], y[j], a);
    while (k-- > 0) {
        a = PADICI_SHARED(k);
        PADICI_EIGHT(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = PADICI_K(out)(0, PADICI_K(reduce)(c, 0, x[j])); \
        if (narrow) \
            PADICI_VSTORE32(x32 + j * PADICI_LANES, x[j]); \
        else \
            PADICI_VSTORE(x64 + j * PADICI_LANES, x[j]); \
    }
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
#undef PADICI_SHARED
}

#if PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3
// The same for P < 2^30, with even and odd units separated, in Montgomery form and two steps at
// once: y is y 2^32, and x y^2 + b y + a is (x y^2 + b y + (a + P) 2^32 - m P) 2^-32 < 3 P, m P
// congruent to it modulo 2^32. Bits above each half are ignored.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(redc)(PADICI_V x, PADICI_V up, PADICI_V p,
                                                    PADICI_V inverse)
{
    const PADICI_V m = PADICI_VMUL32(PADICI_VMUL32(x, inverse), p);
    return PADICI_HIGHS(PADICI_VSUB(PADICI_VADD(x, up), m));
}

PADICI_TARGET PADICI_INLINE void PADICI_K(points32)(const padic_num_call *call, uint32_t n,
                                                    uint64_t i)
{
    const uint32_t *const c = (const uint32_t *)call->c.unit;
    const uint32_t *const from = (const uint32_t *)call->a.unit + i;
    uint32_t *const to = (uint32_t *)call->out.unit + i;
    const uint64_t P = call->ring->base;
    const PADICI_V p = PADICI_WSET(P), inverse = PADICI_VSET(padici_num_inverse64(P));
    const PADICI_V square = PADICI_VSET(UINT64_MAX % P + 1); // 2^64 mod P
    PADICI_V x[8], y[8], z[8], a = PADICI_VSET(P << 32), b;
    uint64_t k = (uint64_t)call->k;
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = PADICI_WLOAD(from + j / 2 * PADICI_WIDE); \
        if (j & 1) x[j] = PADICI_HIGHS(x[j]); \
        y[j] = PADICI_K(redc)(PADICI_VMUL32(x[j], square), a, p, inverse); \
        y[j] = PADICI_WLOW(y[j], PADICI_WSUB(y[j], p)); \
        z[j] = PADICI_K(redc)(PADICI_VMUL32(y[j], y[j]), a, p, inverse); \
        z[j] = PADICI_WLOW(z[j], PADICI_WSUB(z[j], p)); \
        x[j] = b; \
    }
    b = PADICI_VSET(k & 1 ? c[k - 1] : 0);
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = PADICI_VADD(PADICI_VMUL32(x[j], z[j]), PADICI_VMUL32(y[j], b)); \
        x[j] = PADICI_K(redc)(x[j], a, p, inverse); \
    }
    for (k &= ~UINT64_C(1); k > 0; k -= 2) {
        b = PADICI_VSET(c[k - 1]);
        a = PADICI_VSET((c[k - 2] + P) << 32);
        PADICI_EIGHT(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n && !(j & 1)) { \
        x[j] = PADICI_HALVES(x[j], x[j + 1]); \
        x[j] = PADICI_WLOW(x[j], PADICI_WSUB(x[j], p)); \
        x[j] = PADICI_WLOW(x[j], PADICI_WSUB(x[j], p)); \
        PADICI_WSTORE(to + j / 2 * PADICI_WIDE, x[j]); \
    }
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
}
#endif

PADICI_TARGET static uint32_t PADICI_K(horner_points)(const padic_num_call *call)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, 0);
    const uint64_t count = call->count, step = 8 * PADICI_LANES;
    uint64_t i = 0;
    if (call->ring->unit_size == 8) {
        for (; i + step <= count; i += step) PADICI_K(points)(call, &c, 0, 8, i);
        for (; i < count; i += PADICI_LANES) PADICI_K(points)(call, &c, 0, 1, i);
        return 0;
    }
#if PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3
    if (call->ring->bits <= 30) {
        for (; i + step <= count; i += step) PADICI_K(points32)(call, 8, i);
        for (; i + PADICI_WIDE <= count; i += PADICI_WIDE) PADICI_K(points32)(call, 2, i);
    }
#endif
    for (; i + step <= count; i += step) PADICI_K(points)(call, &c, 1, 8, i);
    for (; i < count; i += PADICI_LANES) PADICI_K(points)(call, &c, 1, 1, i);
    return 0;
}

// Four vectors of points at once, since each step waits for the one before.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_horner)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i, k;
    uint32_t j;
    if (!kind && !call->stride) return PADICI_K(horner_points)(call);
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_K(times) y[4];
        PADICI_V x[4];
        uint64_t at[4]; // past the end: the first vector again
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            at[j] = i + j * PADICI_LANES < call->count ? i + j * PADICI_LANES : i;
            y[j] = PADICI_K(times_of)(&c, kind,
                                      PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, at[j])));
            x[j] = PADICI_K(coefficient)(call, kind, (uint64_t)call->k - 1, at[j]);
        }
        for (k = (uint64_t)call->k - 1; k-- > 0;) {
            PADICI_V a = PADICI_K(coefficient)(call, kind, k, i);
            PADICI_UNROLL
            for (j = 0; j < 4; j++) {
                if (j && call->stride) a = PADICI_K(coefficient)(call, kind, k, at[j]);
                x[j] = PADICI_K(times_add)(&c, kind, x[j], y[j], a);
            }
        }
        PADICI_UNROLL
        for (j = 0; j < 4; j++)
            if (!j || at[j] > i)
                PADICI_K(unit_store)(call, at[j],
                                     PADICI_K(out)(kind, PADICI_K(reduce)(&c, kind, x[j])));
    }
    return 0;
}
PADICI_ALL(ring_horner)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_horner)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0), sum;
    uint32_t rare = 0;
    uint64_t i, k, at;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) y = PADICI_K(load)(call, kind, &call->a, i);
        PADICI_K(floats) x, a;
        int usual = 1;
        sum = a.bits = PADICI_VSET(0);
        for (k = (uint64_t)call->k; k-- > 0 && usual;) {
            a.u = PADICI_K(coefficient)(call, kind, k, i);
            at = call->stride ? k * call->stride + i : k;
            a.v = call->stride ? PADICI_VLOADS((const int32_t *)call->c.val + at)
                               : PADICI_VSET(((const int32_t *)call->c.val)[at]);
            usual = PADICI_K(usual)(a.v, y.v);
            if (k + 1 < (uint64_t)call->k) {
                usual = usual && PADICI_K(usual)(x.v, y.v);
                x = PADICI_K(add)(&c, kind, &t, PADICI_K(mul)(&c, kind, x, y), a, 0);
            } else {
                x = a;
            }
            sum = PADICI_VOR(sum, x.bits);
        }
        x.bits = sum;
        if (usual && PADICI_K(usual)(x.v, y.v)) {
            PADICI_K(store)(call, kind, i, x);
            bits = PADICI_VOR(bits, sum);
        } else {
            rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_horner_loop);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_ALL(float_horner)

#endif
