// @per-level
#ifndef PADIC_NO_NUM

// ------------------------------------------------------------------------------- >>vector kernels

// RING add, sub, neg: a - b, with P - b for b or 0 for a.
PADICI_TARGET static uint32_t PADICI_K(linear32)(const padic_num_call *call)
{
    const int kind = call->ring->form == PADIC_NUM_B2;
    const uint32_t *a = (const uint32_t *)call->a.unit, *b = (const uint32_t *)call->b.unit;
    uint32_t *out = (uint32_t *)call->out.unit;
    const PADICI_W p = PADICI_WSET(call->ring->base - (uint64_t)(kind == 1));
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_WIDE) {
        PADICI_W x = PADICI_WLOAD(a + i), y;
        if (call->op == PADIC_OP_NUM_NEG)
            y = x, x = PADICI_WSET(0);
        else
            y = PADICI_WLOAD(b + i);
        if (call->op == PADIC_OP_NUM_ADD)
            y = PADICI_WSUB(kind == 1 ? PADICI_WSET(0) : p, y);
        x = kind == 1 ? PADICI_WAND(PADICI_WSUB(x, y), p) : PADICI_WSUBMOD(x, y, p);
        PADICI_WSTORE(out + i, x);
    }
    return 0;
}

PADICI_TARGET static uint32_t PADICI_K(linear64)(const padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)call->b.unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const PADICI_V p = PADICI_VSET(call->ring->base - (uint64_t)(kind == 1));
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V x = PADICI_VLOAD(a + i), y, d;
        if (call->op == PADIC_OP_NUM_NEG)
            y = x, x = PADICI_VSET(0);
        else
            y = PADICI_VLOAD(b + i);
        if (call->op == PADIC_OP_NUM_ADD)
            y = PADICI_VSUB(kind == 1 ? PADICI_VSET(0) : p, y);
        d = PADICI_VSUB(x, y);
        if (kind == 0) d = PADICI_VLOW(d, PADICI_VADD(d, p));
        if (kind == 1) d = PADICI_VAND(d, p);
        if (kind == 2) d = PADICI_VSEL(PADICI_VLT(x, y), PADICI_VADD(d, p), d);
        PADICI_VSTORE(out + i, d);
    }
    return 0;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_mul)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V a = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        const PADICI_V b = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i));
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, PADICI_K(rmul)(&c, kind, a, b)));
    }
    return 0;
}

#if PADICI_ISA_LEVEL >= 2
// Products of W32 in halves of 64 bits, P odd. The quotient is h mu, h = ab 2^-down, at most one
// too small; `wide`, without IFMA: for P > 2^30 it is up to three too small (P > 2^31: mu has one
// bit more than 32). The result is r < 2 P, or with `whole` the residue.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rest32)(int wide, int whole, PADICI_V ab,
                                                      PADICI_V down, PADICI_V mu, PADICI_V p)
{
    PADICI_V h = PADICI_VSHR(ab, down), q, r;
#if PADICI_ISA_LEVEL == 4
    q = _mm512_madd52hi_epu64(PADICI_VSET(0), h, mu);
    r = PADICI_VSUB(ab, PADICI_VMUL32(q, p));
    (void)wide;
#else
    q = PADICI_VMUL32(h, mu);
    q = PADICI_VSHR(q, PADICI_VSET(wide ? 32 : 33));
    if (wide == 2) q = PADICI_VADD(q, h);
    r = PADICI_VSUB(ab, PADICI_VMUL32(q, p));
    if (wide) {
        const PADICI_V two = PADICI_VADD(p, p);
        r = PADICI_VLOW(PADICI_VSUB(r, two), r);
    }
#endif
    return whole ? PADICI_VLOW(PADICI_VSUB(r, p), r) : r;
}

PADICI_TARGET PADICI_INLINE void PADICI_K(products32)(const padic_num_call *call, int wide,
                                                      int whole, uint32_t shift, uint64_t factor)
{
    const uint32_t *const a = (const uint32_t *)call->a.unit;
    const uint32_t *const b = (const uint32_t *)call->b.unit;
    uint32_t *const out = (uint32_t *)call->out.unit;
    const PADICI_V p = PADICI_VSET(call->ring->base), half = PADICI_VSET(32);
    const PADICI_V down = PADICI_VSET(shift), mu = PADICI_VSET(factor);
    const PADICI_W narrow = PADICI_WSET(call->ring->base);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_WIDE) {
        const PADICI_V x = PADICI_WLOAD(a + i), y = PADICI_WLOAD(b + i);
        const PADICI_V u = PADICI_VSHR(x, half), v = PADICI_VSHR(y, half);
        PADICI_V r = PADICI_K(rest32)(wide, whole, PADICI_VMUL32(x, y), down, mu, p);
        PADICI_V s = PADICI_K(rest32)(wide, whole, PADICI_VMUL32(u, v), down, mu, p);
        r = PADICI_VOR(r, PADICI_VSHL(s, half));
        if (!whole) r = PADICI_WLOW(PADICI_WSUB(r, narrow), r);
        PADICI_WSTORE(out + i, r);
    }
}

PADICI_TARGET static uint32_t PADICI_K(mul32)(const padic_num_call *call)
{
    const padic_num_ring *const r = call->ring;
    const uint32_t bits = r->bits;
#if PADICI_ISA_LEVEL == 4
    if (bits < 32)
        PADICI_K(products32)(call, 0, 0, bits - 2, r->barrett);
    else
        PADICI_K(products32)(call, 0, 1, bits - 2, r->barrett);
#else
    if (bits < 31)
        PADICI_K(products32)(call, 0, 0, bits - 2, (UINT64_C(1) << (bits + 31)) / r->base);
    else if (bits == 31)
        PADICI_K(products32)(call, 1, 0, 30, (UINT64_C(1) << 62) / r->base);
    else
        PADICI_K(products32)(call, 2, 1, 32, UINT64_MAX / r->base - (UINT64_C(1) << 32));
#endif
    return 0;
}
#endif

// The kernels of a function with the constant `kind`: for 0 and 1, for all. IFMA only helps kind 0;
// the others are those of AVX-512.
#if PADICI_ISA_LEVEL == 4
#define PADICI_KIND(name, suffix, kind)
#else
#define PADICI_KIND(name, suffix, kind) \
    PADICI_TARGET static uint32_t PADICI_K(name##_##suffix)(const padic_num_call *call) \
    { \
        return PADICI_K(name)(call, kind); \
    }
#endif
#define PADICI_BOTH(name) \
    PADICI_TARGET static uint32_t PADICI_K(name##_odd)(const padic_num_call *call) \
    { \
        return PADICI_K(name)(call, 0); \
    } \
    PADICI_KIND(name, two, 1)
#define PADICI_ALL(name) \
    PADICI_BOTH(name) \
    PADICI_KIND(name, wide, 2)
PADICI_ALL(ring_mul)

#endif
