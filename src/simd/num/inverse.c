// @per-level
#ifndef PADIC_NO_NUM

// 1 / x of every lane, all units: the product of the lanes, formed by rotating them, is inverted
// once.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rinverse)(const PADICI_K(ring) *c, int kind,
                                                        PADICI_V x)
{
    PADICI_V turned[4];
    uint64_t lane[2 * PADICI_LANES], all, inverse, t[4];
    uint32_t k = 0, n;
    for (n = 1; n < PADICI_LANES; n *= 2) {
        PADICI_VSTORE(lane, x);
        PADICI_VSTORE(lane + PADICI_LANES, x);
        turned[k] = PADICI_VLOAD(lane + n);
        x = PADICI_K(rmul)(c, kind, x, turned[k++]);
    }
    PADICI_VSTORE(lane, PADICI_K(out)(kind, x));
    all = lane[0];
    padici_num_ring_inv(c->r, &inverse, &all, t);
    x = PADICI_K(in)(kind, PADICI_VSET(inverse));
    while (k-- > 0) x = PADICI_K(rmul)(c, kind, x, turned[k]);
    return x;
}

// The divisors of a vector; *bad are those that p divides or that are NaN, replaced by 1.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(divisor)(const PADICI_K(ring) *c, int kind,
                                                       const padic_num_call *call, uint64_t i,
                                                       PADICI_M *bad)
{
    const padic_num_planes *p =
        call->op == (uint32_t)PADIC_OP_NUM_INV ? &call->a : &call->b;
    const PADICI_V u = PADICI_K(in)(kind, PADICI_K(unit)(call, p, i));
    *bad = PADICI_K(rdivides)(c, kind, u);
    if (p->val)
        *bad = PADICI_MOR(*bad, PADICI_VEQ(PADICI_VLOADS((const int32_t *)p->val + i),
                                           PADICI_VSET(PADIC_NUM_NAN)));
    return PADICI_VSEL(*bad, PADICI_K(in)(kind, PADICI_VSET(1)), u);
}

// Elements from i on, whose divisors have the inverses x.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(quotient)(const PADICI_K(ring) *c, int kind,
                                                        const padic_num_call *call, uint64_t i,
                                                        PADICI_V inverse, PADICI_M bad)
{
    const int divides = call->op == PADIC_OP_NUM_DIV;
    const padic_num_planes *p = divides ? &call->b : &call->a;
    PADICI_K(floats) a, b, x;
    a.v = x.bits = PADICI_VSET(0);
    a.u = PADICI_K(in)(kind, PADICI_VSET(1));
    if (call->model == PADIC_NUM_RING) {
        if (PADICI_MANY(bad)) {
            b.u = PADICI_K(unit)(call, p, i);
            x.bits = PADICI_VSEL(PADICI_VEQ(b.u, PADICI_VSET(0)), PADICI_VSET(PADIC_NUM_DIV0),
                                 PADICI_VSET(PADIC_NUM_NONUNIT));
            x.bits = PADICI_VSEL(bad, x.bits, PADICI_VSET(0));
            inverse = PADICI_VSEL(bad, PADICI_VSET(0), inverse);
        }
        if (divides) {
            a.u = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
            inverse = PADICI_K(rmul)(c, kind, a.u, inverse);
        }
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, inverse));
        if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
        return x.bits;
    }
    b = PADICI_K(load)(call, kind, p, i);
    if (divides) a = PADICI_K(load)(call, kind, &call->a, i);
    x.u = divides ? PADICI_K(rmul)(c, kind, a.u, inverse) : inverse;
    x.v = PADICI_VSUB(a.v, b.v);
    if (!PADICI_K(usual)(a.v, b.v)) x = PADICI_K(special)(kind, PADIC_OP_NUM_DIV, a, b, x);
    PADICI_K(store)(call, kind, i, x);
    return x.bits;
}

#if PADICI_ISA_LEVEL != 4
// Modulo powers of two: 5 bits of the inverse, then Newton's x (2 - a x).
PADICI_TARGET static uint32_t PADICI_K(div_two)(const padic_num_call *call)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, 1);
    PADICI_V bits = PADICI_VSET(0);
    uint32_t known;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_M bad;
        const PADICI_V a = PADICI_K(divisor)(&c, 1, call, i, &bad), twice = PADICI_VSET(2);
        const PADICI_V three = PADICI_VADD(PADICI_VADD(a, a), a);
        PADICI_V x = PADICI_VXOR(three, twice);
        for (known = 5; known < call->ring->precision; known *= 2)
            x = PADICI_VMUL(x, PADICI_VSUB(twice, PADICI_VMUL(a, x)));
        x = PADICI_VAND(x, c.p);
        bits = PADICI_VOR(bits, PADICI_K(quotient)(&c, 1, call, i, x, bad));
    }
    return PADICI_K(any_bits)(bits);
}

#endif

// Odd p: blocks share one inversion (Montgomery's trick), in two chains, for each lane separately.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(div_block)(const padic_num_call *call, int kind)
{
    const uint64_t most = PADICI_SIMD_BLOCK;
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_V before[PADICI_SIMD_BLOCK / PADICI_LANES], bits = PADICI_VSET(0), u, v, x, y;
    uint64_t first, k, n;
    PADICI_M bad, worse;
    for (first = 0; first < call->count; first += n) {
        n = call->count - first < most ? call->count - first : most;
        x = y = PADICI_K(in)(kind, PADICI_VSET(1));
        for (k = 0; k < n; k += 2 * PADICI_LANES) { // an even number of vectors
            before[k / PADICI_LANES] = x;
            before[k / PADICI_LANES + 1] = y;
            u = PADICI_K(divisor)(&c, kind, call, first + k, &bad);
            v = PADICI_K(divisor)(&c, kind, call, first + k + PADICI_LANES, &bad);
            x = PADICI_K(rmul)(&c, kind, x, u);
            y = PADICI_K(rmul)(&c, kind, y, v);
        }
        u = PADICI_K(rinverse)(&c, kind, PADICI_K(rmul)(&c, kind, x, y));
        v = PADICI_K(rmul)(&c, kind, u, x);
        x = PADICI_K(rmul)(&c, kind, u, y);
        y = v;
        while (k > 0) {
            k -= 2 * PADICI_LANES;
            u = PADICI_K(divisor)(&c, kind, call, first + k, &bad);
            v = PADICI_K(divisor)(&c, kind, call, first + k + PADICI_LANES, &worse);
            bits = PADICI_VOR(bits, PADICI_K(quotient)(
                &c, kind, call, first + k,
                PADICI_K(rmul)(&c, kind, x, before[k / PADICI_LANES]), bad));
            bits = PADICI_VOR(bits, PADICI_K(quotient)(
                &c, kind, call, first + k + PADICI_LANES,
                PADICI_K(rmul)(&c, kind, y, before[k / PADICI_LANES + 1]), worse));
            x = PADICI_K(rmul)(&c, kind, x, u);
            y = PADICI_K(rmul)(&c, kind, y, v);
        }
    }
    return PADICI_K(any_bits)(bits);
}

PADICI_TARGET static uint32_t PADICI_K(div_odd)(const padic_num_call *call)
{
    return PADICI_K(div_block)(call, 0);
}

#if PADICI_ISA_LEVEL != 4
PADICI_TARGET static uint32_t PADICI_K(div_wide)(const padic_num_call *call)
{
    return PADICI_K(div_block)(call, 2);
}
#endif

#endif
