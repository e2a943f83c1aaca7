// @per-level
#ifndef PADIC_NO_NUM

// FLOAT: numbers p^v u of a vector, with their status bits.
typedef struct PADICI_K(floats) {
    PADICI_V v, u, bits;
} PADICI_K(floats);

PADICI_TARGET PADICI_INLINE PADICI_K(floats) PADICI_K(load)(const padic_num_call *call, int kind,
                                                            const padic_num_planes *p, uint64_t i)
{
    PADICI_K(floats) x;
    x.u = PADICI_K(in)(kind, PADICI_K(unit)(call, p, i));
    x.v = PADICI_VLOADS((const int32_t *)p->val + i);
    x.bits = PADICI_VSET(0);
    return x;
}

PADICI_TARGET PADICI_INLINE void PADICI_K(store)(const padic_num_call *call, int kind, uint64_t i,
                                                 PADICI_K(floats) x)
{
    PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x.u));
    PADICI_VSTORE32((int32_t *)call->out.val + i, x.v);
    if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
}

// Sets lanes to a special value with its unit and bits.
PADICI_TARGET PADICI_INLINE void PADICI_K(set)(PADICI_K(floats) *x, PADICI_M m, int32_t v,
                                               PADICI_V u, PADICI_V bits)
{
    x->v = PADICI_VSEL(m, PADICI_VSET(v), x->v);
    x->u = PADICI_VSEL(m, u, x->u);
    x->bits = PADICI_VSEL(m, bits, x->bits);
}

// 1 if all lanes are so far from specials and limits that no rule for those can apply.
PADICI_TARGET PADICI_INLINE int PADICI_K(usual)(PADICI_V va, PADICI_V vb)
{
    const PADICI_V half = PADICI_VSET(PADIC_NUM_MAX_VALUATION / 2);
    const PADICI_V both = PADICI_VOR(PADICI_VADD(va, half), PADICI_VADD(vb, half));
    return !PADICI_VANY(PADICI_VAND(both, PADICI_VSET(-(int64_t)PADIC_NUM_MAX_VALUATION)));
}

// The rare case of a sum, a product or a quotient: valuations beyond the limits, and operands that
// are ZERO or NaN. Of two NaN the first wins.
PADICI_TARGET static PADICI_K(floats) PADICI_K(special)(int kind, uint32_t kernel,
                                                        PADICI_K(floats) a, PADICI_K(floats) b,
                                                        PADICI_K(floats) x)
{
    const PADICI_V limit = PADICI_VSET(PADIC_NUM_MAX_VALUATION), none = PADICI_VSET(0);
    const PADICI_V zero = PADICI_VSET(PADIC_NUM_ZERO), nan = PADICI_VSET(PADIC_NUM_NAN);
    const PADICI_V div0 = PADICI_VSET(PADIC_NUM_DIV0);
    const PADICI_M gone = PADICI_VEQ(x.v, zero); // by cancellation
    PADICI_M za = PADICI_VEQ(a.v, zero), zb = PADICI_VEQ(b.v, zero);
    PADICI_V bits = PADICI_VOR(x.bits, PADICI_VSET(PADIC_NUM_INEXACT));
    bits = PADICI_VSEL(gone, x.bits, bits);
    PADICI_K(set)(&x, PADICI_VGT(x.v, limit), PADIC_NUM_ZERO, none, bits);
    bits = PADICI_VOR(x.bits, PADICI_VSET(PADIC_NUM_RANGE));
    PADICI_K(set)(&x, PADICI_VGT(PADICI_VSUB(none, limit), x.v), PADIC_NUM_NAN,
                  PADICI_K(in)(kind, bits), bits);
    if (kernel == PADIC_OP_NUM_MUL) za = PADICI_MOR(za, zb);
    if (kernel == PADIC_OP_NUM_ADD) za = PADICI_MAND(za, zb);
    PADICI_K(set)(&x, za, PADIC_NUM_ZERO, none, none);
    if (kernel == PADIC_OP_NUM_DIV)
        PADICI_K(set)(&x, zb, PADIC_NUM_NAN, PADICI_K(in)(kind, div0), div0);
    PADICI_K(set)(&x, PADICI_VEQ(b.v, nan), PADIC_NUM_NAN, b.u, PADICI_K(out)(kind, b.u));
    PADICI_K(set)(&x, PADICI_VEQ(a.v, nan), PADIC_NUM_NAN, a.u, PADICI_K(out)(kind, a.u));
    return x;
}

// a b, a + b and a - b without the rules for special cases.
PADICI_TARGET PADICI_INLINE PADICI_K(floats) PADICI_K(mul)(const PADICI_K(ring) *c, int kind,
                                                           PADICI_K(floats) a, PADICI_K(floats) b)
{
    PADICI_K(floats) x;
    x.v = PADICI_VADD(a.v, b.v);
    x.u = PADICI_K(rmul)(c, kind, a.u, b.u);
    x.bits = PADICI_VSET(0);
    return x;
}

// p^d mod P, 0 for d >= N.
typedef struct PADICI_K(powers) {
    uint64_t table[64];
    uint32_t n;
} PADICI_K(powers);

PADICI_TARGET static void PADICI_K(powers_of)(PADICI_K(powers) *t, const PADICI_K(ring) *c,
                                               int kind)
{
    uint32_t d;
    t->n = c->r->precision;
    for (d = 0; d < 64; d++) {
        const uint64_t x = d < t->n ? c->r->power[d][0] : 0;
        const double y = (double)x;
        if (PADICI_ISA_LEVEL == 4 || kind == 2)
            t->table[d] = x;
        else
            memcpy(&t->table[d], &y, sizeof y);
    }
}

// u p^d mod P.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(up)(const PADICI_K(ring) *c, int kind,
                                                  const PADICI_K(powers) *t, PADICI_V u, PADICI_V d)
{
    const PADICI_V n = PADICI_VSET(c->r->precision);
    PADICI_V power;
    d = PADICI_VSEL(PADICI_VGT(d, n), n, d);
    if (kind == 1) return PADICI_VAND(PADICI_VSHL(u, d), c->p);
#if PADICI_ISA_LEVEL >= 3
    if (t->n < 8)
        power = _mm512_permutexvar_epi64(d, PADICI_VLOAD(t->table));
    else if (t->n < 16)
        power = _mm512_permutex2var_epi64(PADICI_VLOAD(t->table), d, PADICI_VLOAD(t->table + 8));
    else if (t->n < 32)
        power = PADICI_VSEL(
            PADICI_VGT(d, PADICI_VSET(15)),
            _mm512_permutex2var_epi64(PADICI_VLOAD(t->table + 16), d, PADICI_VLOAD(t->table + 24)),
            _mm512_permutex2var_epi64(PADICI_VLOAD(t->table), d, PADICI_VLOAD(t->table + 8)));
    else
#endif
        power = PADICI_GATHER(t->table, d);
    return PADICI_K(rmul)(c, kind, u, power);
}

PADICI_TARGET PADICI_INLINE PADICI_K(floats) PADICI_K(add)(const PADICI_K(ring) *c, int kind,
                                                           const PADICI_K(powers) *t,
                                                           PADICI_K(floats) a, PADICI_K(floats) b,
                                                           int minus)
{
    const PADICI_M swap = PADICI_VGT(a.v, b.v);
    const PADICI_V ub = minus ? PADICI_K(rsub)(c, kind, PADICI_VSET(0), b.u) : b.u;
    const PADICI_V low = PADICI_VSEL(swap, b.v, a.v), high = PADICI_VSEL(swap, a.v, b.v);
    PADICI_M zero = PADICI_NONE;
    PADICI_K(floats) x;
    x.u = PADICI_K(up)(c, kind, t, PADICI_VSEL(swap, a.u, ub), PADICI_VSUB(high, low));
    x.u = PADICI_K(radd)(c, kind, PADICI_VSEL(swap, ub, a.u), x.u);
    x.v = PADICI_VADD(low, PADICI_K(rsplit)(c, kind, &x.u, &zero));
    x.bits = PADICI_VSET(0);
    if (PADICI_MANY(zero))
        PADICI_K(set)(&x, zero, PADIC_NUM_ZERO, x.u,
                      PADICI_VSEL(PADICI_VEQ(low, PADICI_VSET(PADIC_NUM_ZERO)), PADICI_VSET(0),
                                  PADICI_VSET(PADIC_NUM_PRECLOSS)));
    return x;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_mul)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        PADICI_K(floats) x = PADICI_K(mul)(&c, kind, a, b);
        if (!PADICI_K(usual)(a.v, b.v))
            x = PADICI_K(special)(kind, PADIC_OP_NUM_MUL, a, b, x);
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_mul)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_add)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const int minus = call->op == PADIC_OP_NUM_SUB;
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        PADICI_K(floats) x = PADICI_K(add)(&c, kind, &t, a, b, minus);
        if (!PADICI_K(usual)(a.v, b.v))
            x = PADICI_K(special)(kind, PADIC_OP_NUM_ADD, a, b, x);
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_add)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_neg)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const PADICI_V nan = PADICI_VSET(PADIC_NUM_NAN);
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        PADICI_K(floats) x = a;
        x.u = PADICI_K(rsub)(&c, kind, PADICI_VSET(0), a.u);
        PADICI_K(set)(&x, PADICI_VEQ(a.v, nan), PADIC_NUM_NAN, a.u, PADICI_K(out)(kind, a.u));
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_neg)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_fma)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V x = PADICI_K(rmul)(&c, kind,
                                          PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i)),
                                          PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i)));
        const PADICI_V y = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->c, i));
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, PADICI_K(radd)(&c, kind, x, y)));
    }
    return 0;
}
PADICI_ALL(ring_fma)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_fma)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) r = PADICI_K(ring_of)(call->ring, kind);
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0);
    uint32_t rare = 0;
    uint64_t i;
    PADICI_K(powers_of)(&t, &r, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        const PADICI_K(floats) c = PADICI_K(load)(call, kind, &call->c, i);
        if (PADICI_K(usual)(a.v, b.v) && PADICI_K(usual)(c.v, c.v)) {
            const PADICI_K(floats) product = PADICI_K(mul)(&r, kind, a, b);
            const PADICI_K(floats) x = PADICI_K(add)(&r, kind, &t, product, c, 0);
            PADICI_K(store)(call, kind, i, x);
            bits = PADICI_VOR(bits, x.bits);
        } else {
            rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_fma_loop);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_ALL(float_fma)

#endif
