// @per-level
#ifndef PADIC_NO_NUM

// ------------------------------------------------------------------------------ >>vector residues

// Constants of a ring. Functions have a constant `kind`: that of padici_simd_num_kind(). Residues
// of kinds 1 and 2 are integers.
typedef struct PADICI_K(ring) {
    PADICI_V p;        // P, or P - 1 for p = 2; kind 0: a double without IFMA
    PADICI_V mu;       // Barrett's constant; 1 / P without IFMA; kind 2: as in padici_num_divide
    PADICI_V up, less; // IFMA: 52 - bits; -P mod 2^52. Kind 2: the shift, P shifted. 3/2 2^52
    PADICI_V down;     // IFMA: bits - 2
    uint64_t power[6]; // p^(2^j); IFMA and kind 2: its inverse mod 2^52, mod 2^64
    uint64_t limit[6]; // 1 / p^(2^j); IFMA and kind 2: the largest quotient
    const padic_num_ring *r;
    uint32_t ladder;   // number of its steps
    uint32_t usual;    // the first of them that divides few numbers, or `ladder`
} PADICI_K(ring);

PADICI_TARGET PADICI_INLINE PADICI_K(ring) PADICI_K(ring_of)(const padic_num_ring *r, int kind)
{
    PADICI_K(ring) c;
    uint32_t j;
    c.r = r;
    c.p = c.mu = c.up = c.less = c.down = PADICI_VSET(r->base - (uint64_t)(kind == 1));
    c.ladder = kind == 1 ? 0 : r->ladder;
    for (c.usual = 0; c.usual < c.ladder && r->ladder_power[c.usual] < 64; c.usual++) {}
    if (kind == 1) return c;
    if (kind == 2) {
        c.mu = PADICI_VSET(r->reciprocal);
        c.up = PADICI_VSET(r->shift);
        c.less = PADICI_VSET(r->base << r->shift);
        memcpy(c.power, r->ladder_inverse, sizeof c.power);
        memcpy(c.limit, r->ladder_limit, sizeof c.limit);
        return c;
    }
    for (j = 0; j < c.ladder; j++) {
#if PADICI_ISA_LEVEL == 4
        c.power[j] = r->ladder_inverse[j];
        c.limit[j] = r->ladder_limit[j] >> 12;
#else
        const double power = (double)r->ladder_power[j], limit = 1.0 / power;
        memcpy(&c.power[j], &power, sizeof power);
        memcpy(&c.limit[j], &limit, sizeof limit);
#endif
    }
#if PADICI_ISA_LEVEL == 4
    c.mu = PADICI_VSET(r->barrett);
    c.up = PADICI_VSET(52 - r->bits);
    c.less = PADICI_VSET((UINT64_C(1) << 52) - r->base);
    c.down = PADICI_VSET(r->bits - 2);
#else
    c.up = PADICI_DSET(6755399441055744.0);
    c.p = PADICI_DSET((double)r->base);
    c.mu = PADICI_DSET(1.0 / (double)r->base);
#endif
    return c;
}

// Converts an integer to the representation used in computations, and back.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(in)(int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL == 4
    (void)kind;
    return x;
#else
    return kind ? x : PADICI_DFROM(x);
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(out)(int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL == 4
    (void)kind;
    return x;
#else
    return kind ? x : PADICI_DTO(x);
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rsub)(const PADICI_K(ring) *c, int kind, PADICI_V a,
                                                    PADICI_V b)
{
    PADICI_V d;
    if (kind == 1) return PADICI_VAND(PADICI_VSUB(a, b), c->p);
    if (kind == 2) {
        d = PADICI_VSUB(a, b);
#if PADICI_ISA_LEVEL <= 2 // gcc 12 compiles a blend here wrongly with -mavx512vl and a = 0
        return PADICI_VADD(d, PADICI_VAND(PADICI_VLT(a, b), c->p));
#else
        return PADICI_VSEL(PADICI_VLT(a, b), PADICI_VADD(d, c->p), d);
#endif
    }
#if PADICI_ISA_LEVEL == 4
    d = PADICI_VSUB(a, b);
    return PADICI_VLOW(d, PADICI_VADD(d, c->p));
#else
    d = PADICI_DSUB(a, b);
    return PADICI_VLOW(d, PADICI_DADD(d, c->p));
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(radd)(const PADICI_K(ring) *c, int kind, PADICI_V a,
                                                    PADICI_V b)
{
    PADICI_V s;
    if (kind == 1) return PADICI_VAND(PADICI_VADD(a, b), c->p);
    if (kind == 2) return PADICI_K(rsub)(c, 2, a, PADICI_VSUB(c->p, b));
#if PADICI_ISA_LEVEL == 4
    s = PADICI_VADD(a, b);
    return PADICI_VLOW(PADICI_VSUB(s, c->p), s);
#else
    s = PADICI_DADD(a, b);
    return PADICI_VLOW(PADICI_DSUB(s, c->p), s);
#endif
}

// The high words of products of 64 bits.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(high64)(PADICI_V a, PADICI_V b)
{
    const PADICI_V half = PADICI_VSET(32), mask = PADICI_VSET(UINT32_MAX);
    const PADICI_V a1 = PADICI_VSHR(a, half), b1 = PADICI_VSHR(b, half);
    const PADICI_V t = PADICI_VADD(PADICI_VMUL32(a1, b), PADICI_VSHR(PADICI_VMUL32(a, b), half));
    const PADICI_V s = PADICI_VADD(PADICI_VMUL32(a, b1), PADICI_VAND(t, mask));
    return PADICI_VADD(PADICI_VADD(PADICI_VMUL32(a1, b1), PADICI_VSHR(t, half)),
                       PADICI_VSHR(s, half));
}

// floor((u1 2^64 + u0) / d) and the remainder, u1 < d; see padici_num_divide.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(divide64)(PADICI_V u1, PADICI_V u0, PADICI_V d,
                                                        PADICI_V reciprocal, PADICI_V *rest)
{
    const PADICI_V q0 = PADICI_VADD(PADICI_VMUL(reciprocal, u1), u0), one = PADICI_VSET(1);
    PADICI_V q = PADICI_VADD(PADICI_VADD(PADICI_K(high64)(reciprocal, u1), u1), one), r;
    PADICI_M m;
    q = PADICI_VSEL(PADICI_VLT(q0, u0), PADICI_VADD(q, one), q);
    r = PADICI_VSUB(u0, PADICI_VMUL(q, d));
    m = PADICI_VLT(q0, r);
    q = PADICI_VSEL(m, PADICI_VSUB(q, one), q);
    r = PADICI_VSEL(m, PADICI_VADD(r, d), r);
    m = PADICI_VLT(r, d);
    *rest = PADICI_VSEL(m, r, PADICI_VSUB(r, d));
    return PADICI_VSEL(m, q, PADICI_VADD(q, one));
}

// a b mod P for odd P < 2^64, as padici_num_mul1 does.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rmul64)(const PADICI_K(ring) *c, PADICI_V a,
                                                      PADICI_V b)
{
    const PADICI_V x = PADICI_VSHL(a, c->up);
    PADICI_V rest;
    PADICI_K(divide64)(PADICI_K(high64)(x, b), PADICI_VMUL(x, b), c->less, c->mu, &rest);
    return PADICI_VSHR(rest, c->up);
}

// IFMA: Barrett's quotient is at most one too small, as in padici_num_mul1. Doubles: q = round(a b
// / P) is at most one off, a b = h + l exactly, and h - q P is exact because it is small.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rmul)(const PADICI_K(ring) *c, int kind, PADICI_V a,
                                                    PADICI_V b)
{
    if (kind == 1) return PADICI_VAND(PADICI_VMUL(a, b), c->p);
    if (kind == 2) return PADICI_K(rmul64)(c, a, b);
#if PADICI_ISA_LEVEL == 4
    {
        const __m512i zero = _mm512_setzero_si512();
        const __m512i h =
            _mm512_madd52hi_epu64(zero, PADICI_VSHL(a, c->up), _mm512_slli_epi64(b, 2));
        const __m512i q = _mm512_madd52hi_epu64(zero, h, c->mu);
        const __m512i s = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, a, b), q, c->less);
        const __m512i x = _mm512_and_si512(s, _mm512_set1_epi64((INT64_C(1) << 52) - 1));
        return PADICI_VLOW(PADICI_VSUB(x, c->p), x);
    }
#else
    {
        const PADICI_V h = PADICI_DMUL(a, b), l = PADICI_DMSUB(a, b, h);
        const PADICI_V q = PADICI_DROUND(PADICI_DMUL(h, c->mu));
        const PADICI_V x = PADICI_DADD(PADICI_DNMADD(q, c->p, h), l);
        return PADICI_VLOW(x, PADICI_DADD(x, c->p));
    }
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_M PADICI_K(rzero)(int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL == 4
    (void)kind;
    return PADICI_VEQ(x, PADICI_VSET(0));
#else
    return kind ? PADICI_VEQ(x, PADICI_VSET(0)) : PADICI_DZERO(x);
#endif
}

// The lanes that p^(2^j) divides, and there *q = x / p^(2^j): see padici_num_split1; modulo 2^52,
// or by an exact remainder.
PADICI_TARGET PADICI_INLINE PADICI_M PADICI_K(rdown)(const PADICI_K(ring) *c, int kind, uint32_t j,
                                                     PADICI_V x, PADICI_V *q)
{
    if (kind == 2) {
        const PADICI_V beyond = PADICI_VSET(c->limit[j] + 1);
        *q = PADICI_VMUL(x, PADICI_VSET(c->power[j]));
        return PADICI_VLT(*q, beyond);
    }
#if PADICI_ISA_LEVEL == 4
    *q = _mm512_madd52lo_epu64(PADICI_VSET(0), x, PADICI_VSET(c->power[j]));
    return _mm512_cmple_epu64_mask(*q, PADICI_VSET(c->limit[j]));
#else
    *q = PADICI_DROUND(PADICI_DMUL(x, PADICI_VSET(c->limit[j])));
    return PADICI_DZERO(PADICI_DNMADD(*q, PADICI_VSET(c->power[j]), x));
#endif
}

// The lanes that p divides.
PADICI_TARGET PADICI_INLINE PADICI_M PADICI_K(rdivides)(const PADICI_K(ring) *c, int kind,
                                                        PADICI_V x)
{
    if (kind == 1) return PADICI_VEQ(PADICI_VAND(x, PADICI_VSET(1)), PADICI_VSET(0));
    if (!c->ladder) return PADICI_K(rzero)(kind, x);
    return PADICI_K(rdown)(c, kind, 0, x, &x);
}

// The valuation of every lane, and *x without that power of p. Lanes that are 0 stay so, with any
// valuation; if zeros are possible *zero marks them, otherwise it is not changed.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rsplit)(const PADICI_K(ring) *c, int kind,
                                                      PADICI_V *x, PADICI_M *zero)
{
    PADICI_V v = PADICI_VSET(0), q;
    uint32_t j = c->usual;
    if (kind == 1) {
        const PADICI_V low = PADICI_VAND(*x, PADICI_VSUB(v, *x));
        *zero = PADICI_VEQ(low, v);
#if PADICI_ISA_LEVEL >= 3
        v = _mm512_sub_epi64(PADICI_VSET(63), _mm512_lzcnt_epi64(low)); // -1 for 0
#else
        v = PADICI_K(bits)(PADICI_VSUB(low, PADICI_VSET(1))); // 64 for 0
#endif
        *x = PADICI_VSHR(*x, v);
        return v;
    }
    if (j == c->ladder || PADICI_MANY(PADICI_K(rdown)(c, kind, j, *x, &q))) {
        *zero = PADICI_K(rzero)(kind, *x);
        j = c->ladder;
    }
    while (j-- > 0) {
        const PADICI_M m = PADICI_K(rdown)(c, kind, j, *x, &q);
        *x = PADICI_VSEL(m, q, *x);
        v = PADICI_VSEL(m, PADICI_VADD(v, PADICI_VSET(1u << j)), v);
    }
    return v;
}

// Units, valuations and status bytes of a vector.

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(unit)(const padic_num_call *call,
                                                    const padic_num_planes *p, uint64_t i)
{
    return call->ring->unit_size == 4 ? PADICI_VLOADU((const uint32_t *)p->unit + i)
                                      : PADICI_VLOAD((const uint64_t *)p->unit + i);
}

PADICI_TARGET PADICI_INLINE void PADICI_K(unit_store)(const padic_num_call *call, uint64_t i,
                                                      PADICI_V x)
{
    if (call->ring->unit_size == 4)
        PADICI_VSTORE32((uint32_t *)call->out.unit + i, x);
    else
        PADICI_VSTORE((uint64_t *)call->out.unit + i, x);
}

PADICI_TARGET static uint32_t PADICI_K(any_bits)(PADICI_V bits)
{
    uint64_t lane[PADICI_LANES];
    uint32_t i, all = 0;
    PADICI_VSTORE(lane, bits);
    for (i = 0; i < PADICI_LANES; i++) all |= (uint32_t)lane[i];
    return all;
}

#endif
