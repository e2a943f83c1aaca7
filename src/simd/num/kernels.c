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
        if (call->kernel == PADIC_KERNEL_NUM_NEG)
            y = x, x = PADICI_WSET(0);
        else
            y = PADICI_WLOAD(b + i);
        if (call->kernel == PADIC_KERNEL_NUM_ADD)
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
        if (call->kernel == PADIC_KERNEL_NUM_NEG)
            y = x, x = PADICI_VSET(0);
        else
            y = PADICI_VLOAD(b + i);
        if (call->kernel == PADIC_KERNEL_NUM_ADD)
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
// bit more than 32). r < 2 P comes out, or with `whole` the residue.
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

// The kernels of a function with the constant `kind`: for 0 and 1, for all. IFMA helps kind 0 only,
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

// FLOAT: numbers p^v u of a vector, with what happened to them.
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

// Whether all lanes are so far from specials and limits that no rule for those can apply.
PADICI_TARGET PADICI_INLINE int PADICI_K(usual)(PADICI_V va, PADICI_V vb)
{
    const PADICI_V half = PADICI_VSET(PADIC_NUM_MAX_VALUATION / 2);
    const PADICI_V both = PADICI_VOR(PADICI_VADD(va, half), PADICI_VADD(vb, half));
    return !PADICI_VANY(PADICI_VAND(both, PADICI_VSET(-(int64_t)PADIC_NUM_MAX_VALUATION)));
}

// The other case: valuations beyond the limits, and operands that are ZERO or NaN, for a sum, a
// product or a quotient. Of two NaN the first wins.
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
    if (kernel == PADIC_KERNEL_NUM_MUL) za = PADICI_MOR(za, zb);
    if (kernel == PADIC_KERNEL_NUM_ADD) za = PADICI_MAND(za, zb);
    PADICI_K(set)(&x, za, PADIC_NUM_ZERO, none, none);
    if (kernel == PADIC_KERNEL_NUM_DIV)
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
            x = PADICI_K(special)(kind, PADIC_KERNEL_NUM_MUL, a, b, x);
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_mul)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_add)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const int minus = call->kernel == PADIC_KERNEL_NUM_SUB;
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        PADICI_K(floats) x = PADICI_K(add)(&c, kind, &t, a, b, minus);
        if (!PADICI_K(usual)(a.v, b.v))
            x = PADICI_K(special)(kind, PADIC_KERNEL_NUM_ADD, a, b, x);
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
            rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_fma_loop);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_ALL(float_fma)

// What ring_split usually meets if p is large: four vectors without a multiple of p, from i on.
// Where it stopped: at four with one, or near the end. Units are words of 64 bits.
PADICI_TARGET PADICI_INLINE uint64_t PADICI_K(ring_units)(const padic_num_call *call,
                                                          const PADICI_K(ring) *c, int kind,
                                                          uint64_t i)
{
    const uint64_t *const a = (const uint64_t *)call->a.unit;
    const uint64_t *const b = (const uint64_t *)call->b.unit;
    uint64_t *const unit = (uint64_t *)call->out.unit, end = call->count;
    uint32_t *const val = (uint32_t *)call->other[0];
    uint8_t *const status = unit ? call->status : NULL;
    for (; i + 4 * PADICI_LANES <= end; i += 4 * PADICI_LANES) {
        PADICI_V u[4], q;
        PADICI_M m[4];
        uint32_t j;
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            PADICI_V x;
            u[j] = PADICI_VLOAD(a + i + j * PADICI_LANES);
            x = PADICI_K(in)(kind, u[j]);
            if (b)
                x = PADICI_K(rsub)(c, kind, x,
                                   PADICI_K(in)(kind, PADICI_VLOAD(b + i + j * PADICI_LANES)));
            m[j] = PADICI_K(rdown)(c, kind, 0, x, &q);
        }
        if (PADICI_MANY(PADICI_MOR(PADICI_MOR(m[0], m[1]), PADICI_MOR(m[2], m[3])))) break;
        if (val) { // two numbers in a word
            PADICI_VSTORE(val + i, PADICI_VSET(0));
            PADICI_VSTORE(val + i + 2 * PADICI_LANES, PADICI_VSET(0));
        }
        if (unit) {
            PADICI_UNROLL
            for (j = 0; j < 4; j++) PADICI_VSTORE(unit + i + j * PADICI_LANES, u[j]);
        }
        if (status) memset(status + i, 0, 4 * PADICI_LANES);
    }
    return i;
}

// Valuation and unit of residues, and valuations of differences.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_split)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    int32_t *const val = (int32_t *)call->other[0];
    const int large = kind != 1 && c.ladder && !c.usual; // p divides few numbers
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i, next = large && call->ring->unit_size == 8 ? 0 : UINT64_MAX;
    for (i = 0;; i += PADICI_LANES) {
        PADICI_M zero = PADICI_NONE;
        PADICI_V x, v, lost;
        if (i == next) {
            i = PADICI_K(ring_units)(call, &c, kind, i);
            next = i + 4 * PADICI_LANES;
        }
        if (i >= call->count) break;
        x = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        if (call->b.unit)
            x = PADICI_K(rsub)(&c, kind, x, PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i)));
        v = PADICI_K(rsplit)(&c, kind, &x, &zero);
        if (val) PADICI_VSTORE32(val + i, PADICI_VSEL(zero, PADICI_VSET(PADIC_NUM_ZERO), v));
        if (!call->out.unit) continue;
        lost = PADICI_VSEL(PADICI_VGT(v, PADICI_VSET(0)), PADICI_VSET(PADIC_NUM_PRECLOSS),
                           PADICI_VSET(0));
        lost = PADICI_VSEL(zero, PADICI_VSET(0), lost);
        bits = PADICI_VOR(bits, lost);
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x));
        if (call->status) PADICI_VSTORE8(call->status + i, lost);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(ring_split)

// The status of a valuation that is NaN is its unit.
PADICI_TARGET static uint32_t PADICI_K(float_split)(const padic_num_call *call)
{
    const PADICI_V zero = PADICI_VSET(PADIC_NUM_ZERO), nan = PADICI_VSET(PADIC_NUM_NAN);
    int32_t *const val = (int32_t *)call->other[0];
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V u = PADICI_K(unit)(call, &call->a, i);
        const PADICI_V v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        const PADICI_M special = PADICI_MOR(PADICI_VEQ(v, nan), PADICI_VEQ(v, zero));
        const PADICI_V lost = PADICI_VSEL(PADICI_VEQ(v, nan), u, PADICI_VSET(0));
        bits = PADICI_VOR(bits, lost);
        if (call->out.unit) {
            PADICI_K(unit_store)(call, i, u);
            PADICI_VSTORE32((int32_t *)call->out.val + i, PADICI_VSEL(special, v, PADICI_VSET(0)));
        }
        if (val) PADICI_VSTORE32(val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, lost);
    }
    return PADICI_K(any_bits)(bits);
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_distance)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    int32_t *const val = (int32_t *)call->other[0];
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        const PADICI_M same = PADICI_VEQ(a.v, b.v);
        PADICI_M zero = PADICI_NONE;
        PADICI_K(floats) x;
        // of two valuations that differ, the smaller
        x.u = PADICI_VSEL(same, PADICI_K(rsub)(&c, kind, a.u, b.u), a.u);
        x.v = PADICI_VSEL(PADICI_VGT(a.v, b.v), b.v, a.v);
        x.v = PADICI_VSEL(same, PADICI_VADD(x.v, PADICI_K(rsplit)(&c, kind, &x.u, &zero)), x.v);
        x.bits = PADICI_VSET(0);
        if (PADICI_MANY(zero))
            PADICI_K(set)(&x, PADICI_MAND(zero, same), PADIC_NUM_ZERO, x.u,
                          PADICI_VSET(PADIC_NUM_PRECLOSS));
        if (!PADICI_K(usual)(a.v, b.v)) {
            const PADICI_V none = PADICI_VSET(0), nan = PADICI_VSET(PADIC_NUM_NAN);
            const PADICI_M both = PADICI_MAND(same, PADICI_VEQ(a.v, PADICI_VSET(PADIC_NUM_ZERO)));
            PADICI_K(set)(&x, both, PADIC_NUM_ZERO, none, none);
            PADICI_K(set)(&x, PADICI_VEQ(b.v, nan), PADIC_NUM_NAN, none, PADICI_K(out)(kind, b.u));
            PADICI_K(set)(&x, PADICI_VEQ(a.v, nan), PADIC_NUM_NAN, none, PADICI_K(out)(kind, a.u));
        }
        if (val) PADICI_VSTORE32(val + i, x.v);
        if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_distance)

// 1 / x of every lane, all units: the lanes' product, turned around among them, is inverted once.
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
    padici_ring_inv(c->r, &inverse, &all, t);
    x = PADICI_K(in)(kind, PADICI_VSET(inverse));
    while (k-- > 0) x = PADICI_K(rmul)(c, kind, x, turned[k]);
    return x;
}

// The divisors of a vector; *bad are those that p divides, or that are NaN, with 1 in their place.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(divisor)(const PADICI_K(ring) *c, int kind,
                                                       const padic_num_call *call, uint64_t i,
                                                       PADICI_M *bad)
{
    const padic_num_planes *p =
        call->kernel == (uint32_t)PADIC_KERNEL_NUM_INV ? &call->a : &call->b;
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
    const int divides = call->kernel == PADIC_KERNEL_NUM_DIV;
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
    if (!PADICI_K(usual)(a.v, b.v)) x = PADICI_K(special)(kind, PADIC_KERNEL_NUM_DIV, a, b, x);
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

// Odd p: blocks share one inversion (Montgomery's trick), in two chains, each lane for itself.
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

// x y + a for a below P, congruent to it: IFMA: in [0, 3 P), if x is; doubles: in (-2/3 P, 5/3 P).
// There 3/2 2^52 rounds to integers.
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

// Coefficient k of the polynomial, the same for all points, or each point's own from point i on.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(coefficient)(const padic_num_call *call, int kind,
                                                           uint64_t k, uint64_t i)
{
    if (call->stride)
        return PADICI_K(in)(kind, PADICI_K(unit)(call, &call->c, k * call->stride + i));
    k = padici_word(call->ring, call->c.unit, k);
#if PADICI_ISA_LEVEL == 4
    return PADICI_VSET(k);
#else
    return kind ? PADICI_VSET(k) : PADICI_DSET((double)(int64_t)k);
#endif
}

// Steps wait for the one before, so that `n` <= 8 vectors of points, a constant, take turns. The
// same coefficients for all; `narrow`, a constant: units of 32 bits.
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
// The same for P < 2^30, odd and even units apart, in Montgomery's form and two steps at once: y is
// y 2^32, and x y^2 + b y + a is (x y^2 + b y + (a + P) 2^32 - m P) 2^-32 < 3 P, m P the same
// modulo 2^32. What is above a half does not matter.
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
    const PADICI_V p = PADICI_WSET(P), inverse = PADICI_VSET(padici_inverse64(P));
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

// Four vectors of points at once, because each step waits for the one before.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_horner)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i, k;
    uint32_t j;
    if (!kind && !call->stride) return PADICI_K(horner_points)(call);
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_K(times) y[4];
        PADICI_V x[4];
        uint64_t at[4]; // behind the end: the first vector again
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
            rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_horner_loop);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_ALL(float_horner)

// Sum of products of elements [first, first + count), at most 2^12 vectors, modulo P.
PADICI_TARGET PADICI_INLINE uint64_t PADICI_K(dot_part)(const padic_num_call *call, int kind,
                                                        uint64_t first, uint64_t count)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const padic_num_ring *r = call->ring;
    PADICI_V low = PADICI_VSET(0), high = low;
    uint64_t lane[2][PADICI_LANES], i, sum = 0;
    for (i = first; i < first + count; i += PADICI_LANES) {
        const PADICI_V a = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        const PADICI_V b = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i));
#if PADICI_ISA_LEVEL == 4
        if (kind != 1) { // below 2^52 each
            low = _mm512_madd52lo_epu64(low, a, b);
            high = _mm512_madd52hi_epu64(high, a, b);
            continue;
        }
#endif
        low = PADICI_VADD(low, kind == 1 ? PADICI_VMUL(a, b)
                                   : PADICI_K(out)(kind, PADICI_K(rmul)(&c, kind, a, b)));
    }
    PADICI_VSTORE(lane[0], low);
    PADICI_VSTORE(lane[1], high);
    for (i = 0; i < PADICI_LANES; i++) {
        if (kind == 1) {
            sum = (sum + lane[0][i]) & (r->base - 1);
        } else {
            sum = padici_add1(r, r->form, sum, lane[0][i] % r->base);
            sum = padici_add1(r, r->form, sum,
                              padici_mul1(r, r->form, lane[1][i] % r->base,
                                          (UINT64_C(1) << 52) % r->base));
        }
    }
    return sum;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_dot)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    const uint64_t most = UINT64_C(4096) * PADICI_LANES;
    uint64_t i, n, sum = 0;
    for (i = 0; i + PADICI_LANES <= call->count; i += n) {
        n = call->count - i < most ? (call->count - i) / PADICI_LANES * PADICI_LANES : most;
        sum = padici_add1(r, r->form, sum, PADICI_K(dot_part)(call, kind, i, n));
    }
    for (; i < call->count; i++)
        sum = padici_add1(r, r->form, sum,
                          padici_mul1(r, r->form, padici_word(r, call->a.unit, i),
                                      padici_word(r, call->b.unit, i)));
    padici_word_set(r, call->c.unit, 0, sum);
    return 0;
}
PADICI_BOTH(ring_dot)

// Lane sums of a b for elements [first, end), at most 4,096, in the order of padici_sum_chunk: lane
// j of 32 takes every 32nd. What is missing at the end counts as ZERO. *bits is what happened; 0 if
// there is an element that these sums have no rule for.
PADICI_TARGET PADICI_INLINE int PADICI_K(float_lanes)(const padic_num_call *call, int kind,
                                                      uint64_t first, uint64_t end, uint64_t *unit,
                                                      int32_t *val, uint32_t *bits)
{
    enum { PART = 32 / PADICI_LANES };
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_K(powers) t;
    PADICI_K(floats) sum[PART], product;
    PADICI_V all = PADICI_VSET(0);
    padic_num_call part = *call;
    uint64_t lane[PADICI_LANES], at;
    uint32_t j, k;
    int usual = 1;
    PADICI_K(powers_of)(&t, &c, kind);
    for (j = 0; j < PART; j++) {
        sum[j].v = PADICI_VSET(PADIC_NUM_ZERO);
        sum[j].u = sum[j].bits = PADICI_VSET(0);
    }
    for (at = first, j = 0; at < end && usual; at += PADICI_LANES, j = (j + 1) % PART) {
        PADICI_K(floats) a, b;
        if (end - at < PADICI_LANES) {
            uint64_t room[2][PADICI_LANES];
            int32_t room_val[2][PADICI_LANES];
            const uint32_t n = (uint32_t)(end - at);
            padici_simd_rest_in(call, &part.a, at, n, PADICI_LANES, room[0], room_val[0]);
            padici_simd_rest_in(call, &part.b, at, n, PADICI_LANES, room[1], room_val[1]);
            a = PADICI_K(load)(&part, kind, &part.a, 0);
            b = PADICI_K(load)(&part, kind, &part.b, 0);
            product = PADICI_K(mul)(&c, kind, a, b);
            for (k = 0; k < PADICI_LANES; k++) lane[k] = k < n;
            PADICI_K(set)(&product, PADICI_VEQ(PADICI_VLOAD(lane), PADICI_VSET(0)), PADIC_NUM_ZERO,
                          PADICI_VSET(0), PADICI_VSET(0));
        } else {
            a = PADICI_K(load)(call, kind, &call->a, at);
            b = PADICI_K(load)(call, kind, &call->b, at);
            product = PADICI_K(mul)(&c, kind, a, b);
        }
        usual = PADICI_K(usual)(a.v, b.v);
        sum[j] = PADICI_K(add)(&c, kind, &t, sum[j], product, 0);
        all = PADICI_VOR(all, sum[j].bits);
    }
    *bits |= PADICI_K(any_bits)(all);
    for (j = 0; j < PART; j++) {
        PADICI_VSTORE(unit + j * PADICI_LANES, PADICI_K(out)(kind, sum[j].u));
        PADICI_VSTORE32(val + j * PADICI_LANES, sum[j].v);
    }
    return usual;
}

PADICI_TARGET static int PADICI_K(float_lanes_odd)(const padic_num_call *call, uint64_t first,
                                                   uint64_t end, uint64_t *unit, int32_t *val,
                                                   uint32_t *bits)
{
    return PADICI_K(float_lanes)(call, 0, first, end, unit, val, bits);
}

#if PADICI_ISA_LEVEL != 4
PADICI_TARGET static int PADICI_K(float_lanes_two)(const padic_num_call *call, uint64_t first,
                                                   uint64_t end, uint64_t *unit, int32_t *val,
                                                   uint32_t *bits)
{
    return PADICI_K(float_lanes)(call, 1, first, end, unit, val, bits);
}
#endif

// exp and log: y with x = p^c y, or x = 1 + p^c y (p = 2: or -1 - 4 y), in the form that is
// computed with; *rare is not 0 in lanes that the plain loop has to do.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(series_y)(const PADICI_K(ring) *c, int kind, int log,
                                                        const PADICI_K(powers) *t,
                                                        const padic_num_call *call, uint64_t i,
                                                        PADICI_V *rare)
{
    const PADICI_V none = PADICI_VSET(0), all = PADICI_VSET(-1),
                   step = PADICI_VSET(kind == 1 ? 2 : 1);
    PADICI_V u = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i)), v = none, y = none;
    PADICI_M good;
    if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
    if (call->a.val && !log) {
        *rare = PADICI_VSEL(PADICI_VGT(step, v), all, none);
        v = PADICI_VSEL(PADICI_VGT(step, v), none, PADICI_VSUB(v, step));
        return PADICI_K(up)(c, kind, t, u, v);
    }
    if (kind == 1 && log) {
        const PADICI_M minus = PADICI_VEQ(PADICI_VAND(u, step), step);
        good = PADICI_VEQ(PADICI_VAND(u, PADICI_VSET(1)), PADICI_VSET(1));
        y = PADICI_VSHR(PADICI_VAND(PADICI_VSEL(minus, PADICI_VSUB(none, u), u), c->p), step);
    } else if (kind == 1) {
        good = PADICI_VEQ(PADICI_VAND(u, PADICI_VSET(3)), none);
        y = PADICI_VSHR(u, step);
    } else {
        if (log) u = PADICI_K(rsub)(c, kind, u, PADICI_K(in)(kind, PADICI_VSET(1)));
        good = c->ladder ? PADICI_K(rdown)(c, kind, 0, u, &y) : PADICI_K(rzero)(kind, u);
    }
    *rare = PADICI_VOR(PADICI_VSEL(good, none, all), v);
    return PADICI_VSEL(good, y, none);
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(series)(const padic_num_call *call, int kind, int log)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const padici_series *s = (const padici_series *)call->options;
    const uint64_t *const terms = s->coefficients[log];
    const PADICI_V none = PADICI_VSET(0);
    PADICI_K(powers) t;
    uint64_t i, at[4];
    uint32_t bits = 0, j, k;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_K(times) y[4], f[4];
        PADICI_V x[4], sum[4], rare[4], v = none;
        PADICI_UNROLL
        for (j = 0; j < 4; j++) { // behind the end: the first vector again
            at[j] = i + j * PADICI_LANES < call->count ? i + j * PADICI_LANES : i;
            y[j] = PADICI_K(times_of)(&c, kind, PADICI_K(series_y)(&c, kind, log, &t, call, at[j],
                                                                 &rare[j]));
        }
#define PADICI_STEP(j) f[j] = y[j], sum[j] = none;
        PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
#define PADICI_STEP(j) sum[j] = PADICI_K(times_add)(&c, kind, sum[j], f[j], a);
        for (k = s->terms[log]; k-- > 0;) {
#if PADICI_ISA_LEVEL == 4
            const PADICI_V a = PADICI_VSET(terms[k]);
#else
            const PADICI_V a =
                kind ? PADICI_VSET(terms[k]) : PADICI_DSET((double)(int64_t)terms[k]);
#endif
            PADICI_FOUR(PADICI_STEP)
        }
#undef PADICI_STEP
#define PADICI_STEP(j) x[j] = sum[j];
        PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            PADICI_M zero = PADICI_NONE;
            if (j && at[j] == i) continue;
            x[j] = PADICI_K(reduce)(&c, kind, x[j]);
            if (log && call->out.val) v = PADICI_K(rsplit)(&c, kind, &x[j], &zero);
            if (PADICI_VANY(rare[j]) || (log && call->out.val && PADICI_MANY(zero))) {
                bits |= padici_simd_num_plain(call, at[j], PADICI_LANES,
                                              log ? padici_log_words : padici_exp_words);
                continue;
            }
            PADICI_K(unit_store)(call, at[j], PADICI_K(out)(kind, x[j]));
            if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + at[j], v);
            if (call->status) PADICI_VSTORE8(call->status + at[j], none);
        }
    }
    return bits;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(exp)(const padic_num_call *call, int kind)
{
    return PADICI_K(series)(call, kind, 0);
}
PADICI_ALL(exp)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(log)(const padic_num_call *call, int kind)
{
    return PADICI_K(series)(call, kind, 1);
}
PADICI_ALL(log)

// Integers modulo a small q. The result is an index into tables: below q, whatever a plane holds.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(modulo)(int kind, PADICI_V x, uint64_t q)
{
    const PADICI_V n = PADICI_VSET(q);
    if (kind != 2) x = PADICI_VAND(x, PADICI_VSET((UINT64_C(1) << 49) - 1)); // residues are below
    if (kind == 2) { // the quotient is at most one too small
        const PADICI_V k = PADICI_K(high64)(x, PADICI_VSET(UINT64_MAX / q));
        x = PADICI_VSUB(x, PADICI_VMUL(k, n));
        return PADICI_VLOW(PADICI_VSUB(x, n), x);
    }
#if PADICI_ISA_LEVEL == 4
    {
        const PADICI_V k = _mm512_madd52hi_epu64(PADICI_VSET(0), x,
                                                 PADICI_VSET((UINT64_C(1) << 52) / q));
        x = PADICI_VSUB(x, _mm512_madd52lo_epu64(PADICI_VSET(0), k, n));
        return PADICI_VLOW(PADICI_VSUB(x, n), x);
    }
#else
    {
        const double d = (double)q;
        x = PADICI_DFROM(x);
        x = PADICI_DNMADD(PADICI_DROUND(PADICI_DMUL(x, PADICI_DSET(1.0 / d))), PADICI_DSET(d), x);
        return PADICI_DTO(PADICI_VLOW(x, PADICI_DADD(x, PADICI_DSET(d))));
    }
#endif
}

// x / 2 modulo odd P.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(half)(const PADICI_K(ring) *c, int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL != 4
    if (!kind) {
        const PADICI_V y = PADICI_DMUL(x, PADICI_DSET(0.5));
        const PADICI_M even = PADICI_DZERO(PADICI_DSUB(y, PADICI_DFLOOR(y)));
        return PADICI_VSEL(even, y, PADICI_DADD(y, PADICI_DMUL(c->p, PADICI_DSET(0.5))));
    }
#endif
    {
        const PADICI_V one = PADICI_VSET(1), odd = PADICI_VSUB(PADICI_VSET(0), PADICI_VAND(x, one));
        const PADICI_V half = PADICI_VADD(PADICI_VSHR(c->p, one), one);
        (void)kind;
        return PADICI_VADD(PADICI_VSHR(x, one), PADICI_VAND(odd, half));
    }
}

// Square roots as by padici_word_sqrt, of four vectors, from what is known of z = 1 / root.
PADICI_TARGET PADICI_INLINE void PADICI_K(roots)(const PADICI_K(ring) *c, int kind, uint32_t known,
                                                 const PADICI_V *u, PADICI_V *z, PADICI_V *x)
{
    const uint32_t n = c->r->precision;
    const PADICI_V one = PADICI_K(in)(kind, PADICI_VSET(1)), step = PADICI_VSET(1);
    PADICI_V d;
    uint32_t j;
    if (kind == 1) { // modulo 2^64
        for (; 2 * known < n; known = 2 * known - 1)
            PADICI_UNROLL
            for (j = 0; j < 4; j++) {
                d = PADICI_VSUB(one, PADICI_VMUL(PADICI_VMUL(z[j], z[j]), u[j]));
                z[j] = PADICI_VADD(z[j], PADICI_VMUL(z[j], PADICI_VSHR(d, step)));
            }
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            x[j] = PADICI_VMUL(u[j], z[j]);
            d = PADICI_VSHR(PADICI_VSUB(u[j], PADICI_VMUL(x[j], x[j])), step);
            x[j] = PADICI_VADD(x[j], PADICI_VMUL(z[j], d));
            x[j] = PADICI_VAND(x[j], PADICI_VSHR(c->p, step));
        }
        return;
    }
    for (; 2 * known < n; known *= 2)
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            d = PADICI_K(rmul)(c, kind, PADICI_K(rmul)(c, kind, z[j], z[j]), u[j]);
            d = PADICI_K(half)(c, kind, PADICI_K(rsub)(c, kind, one, d));
            z[j] = PADICI_K(radd)(c, kind, z[j], PADICI_K(rmul)(c, kind, z[j], d));
        }
    PADICI_UNROLL
    for (j = 0; j < 4; j++) {
        x[j] = PADICI_K(rmul)(c, kind, u[j], z[j]);
        d = PADICI_K(rsub)(c, kind, u[j], PADICI_K(rmul)(c, kind, x[j], x[j]));
        d = PADICI_K(half)(c, kind, d);
        x[j] = PADICI_K(radd)(c, kind, x[j], PADICI_K(rmul)(c, kind, z[j], d));
    }
}

// Odd p: with seeds from the ring's tables.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(sqrt)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const padici_tables *tables = padici_tables_of(call->ring);
    const uint32_t *seeds = kind == 1 ? NULL : (const uint32_t *)padici_table(tables, tables->root);
    const uint32_t lost = kind == 1 && !call->a.val ? PADIC_NUM_PRECLOSS : 0;
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1);
    uint32_t bits = 0, j;
    uint64_t i, at[4];
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_V u[4], z[4], x[4], v[4];
        PADICI_M bad[4];
        PADICI_UNROLL
        for (j = 0; j < 4; j++) { // behind the end: the first vector again
            at[j] = i + j * PADICI_LANES < call->count ? i + j * PADICI_LANES : i;
            u[j] = PADICI_K(unit)(call, &call->a, at[j]);
            if (kind == 1) {
                z[j] = PADICI_VSEL(PADICI_VEQ(PADICI_VAND(u[j], PADICI_VSET(7)), one), one, none);
            } else {
                z[j] = PADICI_GATHER32(seeds, PADICI_K(modulo)(kind, u[j], tables->modulus));
                u[j] = PADICI_K(in)(kind, u[j]);
            }
            bad[j] = PADICI_VEQ(z[j], none);
            z[j] = PADICI_K(in)(kind, z[j]);
            if (kind != 1 && !call->a.val)
                bad[j] = PADICI_MOR(bad[j], PADICI_K(rdivides)(&c, kind, u[j]));
        }
        PADICI_K(roots)(&c, kind, kind == 1 ? 2 : tables->root_digits, u, z, x);
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            int usual = 1;
            if (j && at[j] == i) continue;
            if (call->a.val) {
                v[j] = PADICI_VLOADS((const int32_t *)call->a.val + at[j]);
                usual = PADICI_K(usual)(v[j], v[j]) && !PADICI_VANY(PADICI_VAND(v[j], one));
                // v / 2 for even v
                v[j] = PADICI_VSHR(PADICI_VADD(v[j], PADICI_VSET(INT64_C(1) << 32)), one);
                v[j] = PADICI_VSUB(v[j], PADICI_VSET(INT64_C(1) << 31));
            }
            if (!usual || PADICI_MANY(bad[j])) {
                bits |= padici_simd_num_plain(call, at[j], PADICI_LANES, padici_sqrt_words);
                continue;
            }
            PADICI_K(unit_store)(call, at[j], PADICI_K(out)(kind, x[j]));
            if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + at[j], v[j]);
            if (call->status) PADICI_VSTORE8(call->status + at[j], PADICI_VSET(lost));
            bits |= lost;
        }
    }
    return bits;
}
PADICI_ALL(sqrt)

// Teichmueller residues from the table; p = 2: 1 and -1, 0 for what is even.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(teichmueller)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    const padici_tables *tables = padici_tables_of(r);
    const uint64_t *table = kind == 1 ? NULL : padici_table(tables, tables->teichmueller);
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1), twos = PADICI_VSET(2);
    uint32_t bits = 0;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V x = PADICI_K(unit)(call, &call->a, i), v = none;
        if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        if (PADICI_MANY(PADICI_VGT(none, v))) { // NaN too
            bits |= padici_simd_num_plain(call, i, PADICI_LANES, padici_teichmueller_words);
            continue;
        }
        if (kind == 1) {
            const PADICI_M even = PADICI_VEQ(PADICI_VAND(x, one), none);
            x = PADICI_VSEL(PADICI_VEQ(PADICI_VAND(x, twos), none), one, PADICI_VSET(r->base - 1));
            x = PADICI_VSEL(even, none, x);
        } else {
            x = PADICI_GATHER(table, PADICI_K(modulo)(kind, x, r->p));
        }
        x = PADICI_VSEL(PADICI_VGT(v, none), none, x);
        v = PADICI_VSEL(PADICI_VGT(v, none), PADICI_VSET(PADIC_NUM_ZERO), none);
        PADICI_K(unit_store)(call, i, x);
        if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, none);
    }
    return bits;
}
PADICI_ALL(teichmueller)

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

// Digit by digit, the lowest first. IFMA: floor(x / p) through floor(2^52 / p) is at most one too
// small; through one more it is exact for x < 2^52 / p, that is from the second digit on. Doubles:
// 1 / p rounded up is exact for x < 2^50.
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
            bits |= padici_simd_num_plain(call, i, PADICI_LANES, padici_to_digits_loop);
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
// Residues from U16 planes, two digits at a time: d_k + p d_(k+1) by one product of 16-bit words,
// p < 2^15, then Horner's rule in p^2. From element i on, two vectors at once; where it stopped: at
// two with a digit that is too large, or at the end.
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
                rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_from_digits_loop);
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

// m mod P for m < 2^53. IFMA: `back` is floor(2^52 / P) and 2^52 mod P.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(mantissa)(const PADICI_K(ring) *c,
                                                        const PADICI_V *back, PADICI_V m)
{
    const PADICI_V low = PADICI_VAND(m, PADICI_VSET((INT64_C(1) << 52) - 1));
    const PADICI_M whole = PADICI_VEQ(low, m);
    PADICI_V x, q;
#if PADICI_ISA_LEVEL == 4
    q = _mm512_madd52hi_epu64(PADICI_VSET(0), low, back[0]);
    x = PADICI_VSUB(low, _mm512_madd52lo_epu64(PADICI_VSET(0), q, c->p));
    x = PADICI_VLOW(PADICI_VSUB(x, c->p), x);
    return PADICI_K(radd)(c, 0, x, PADICI_VSEL(whole, PADICI_VSET(0), back[1]));
#else
    (void)back;
    x = PADICI_DFROM(low);
    x = PADICI_VSEL(whole, x, PADICI_DADD(x, PADICI_DSET(4503599627370496.0)));
    q = PADICI_DROUND(PADICI_DMUL(x, c->mu));
    x = PADICI_DNMADD(q, c->p, x);
    return PADICI_VLOW(x, PADICI_DADD(x, c->p));
#endif
}

// Strips p from the whole m, not only from its residue: the ladder modulo 2^64. *v are valuations.
// Lanes where p still divides it are left, which happens if P is small.
PADICI_TARGET static PADICI_V PADICI_K(strip)(const padic_num_ring *r, PADICI_V m, PADICI_V *v)
{
    const PADICI_V sign = PADICI_VSET(UINT64_C(1) << 63);
    uint32_t j = r->ladder;
    *v = PADICI_VSET(0);
    while (j-- > 0) {
        const PADICI_V q = PADICI_VMUL(m, PADICI_VSET(r->ladder_inverse[j]));
        const PADICI_M above = PADICI_VGT(PADICI_VXOR(q, sign),
                                          PADICI_VSET(r->ladder_limit[j] ^ UINT64_C(1) << 63));
        m = PADICI_VSEL(above, m, q);
        *v = PADICI_VSEL(above, *v, PADICI_VADD(*v, PADICI_VSET(1u << j)));
    }
    return m;
}

// 2^e mod P for 128 exponents around that of 1, and for all; integers, or doubles without IFMA.
typedef struct PADICI_K(float_tables) {
    padici_twos twos;
    uint64_t table[128];
    int made;
} PADICI_K(float_tables);

enum { PADICI_K(FLOAT_FIRST) = 1088 - 52 - 64 }; // the exponent of table[0], and 1,088

static PADICI_NOINLINE void PADICI_K(float_tables_make)(const padic_num_ring *r,
                                                        PADICI_K(float_tables) *t)
{
    uint32_t k;
    t->made = 1;
    padici_twos_make(r, &t->twos);
    t->table[0] = padici_mul1(r, r->form, t->twos.low[PADICI_K(FLOAT_FIRST) & 63],
                              t->twos.high[PADICI_K(FLOAT_FIRST) >> 6]);
    for (k = 1; k < 128; k++)
        t->table[k] = padici_add1(r, r->form, t->table[k - 1], t->table[k - 1]);
    for (k = 0; PADICI_ISA_LEVEL != 4 && k < 64 + 33 + 128; k++) {
        uint64_t *const power = k < 64   ? &t->twos.low[k]
                                : k < 97 ? &t->twos.high[k - 64]
                                         : &t->table[k - 97];
        const double y = (double)(int64_t)*power;
        memcpy(power, &y, sizeof y);
    }
}

// What the vectors of a call share.
typedef struct PADICI_K(float_rules) {
    PADICI_K(ring) c;
    const PADICI_K(float_tables) *t;
    int wide; // f64, not f32: where its fields are
    PADICI_V hidden, shift, minus, top, bias;
    PADICI_V back[2]; // floor(2^52 / P), 2^52 mod P
#if PADICI_ISA_LEVEL >= 3
    PADICI_V low[2], sixteens; // 2^k and 2^(16 j): two products out of registers beat a gather
#endif
} PADICI_K(float_rules);

PADICI_TARGET PADICI_INLINE PADICI_K(float_rules) PADICI_K(float_rules_of)(
    const padic_num_call *call, int kind, const PADICI_K(float_tables) *t)
{
    const padic_num_ring *r = call->ring;
    const int wide = call->dtype == PADIC_F64;
    PADICI_K(float_rules) f;
    f.c = PADICI_K(ring_of)(r, kind);
    f.t = t;
    f.wide = wide;
    f.hidden = PADICI_VSET(UINT64_C(1) << (wide ? 52 : 23));
    f.shift = PADICI_VSET(wide ? 52 : 23);
    f.minus = PADICI_VSET(wide ? 63 : 31);
    f.top = PADICI_VSET(wide ? 2047 : 255);
    f.bias = PADICI_VSET(1088 - (wide ? 1075 : 150));
    f.back[0] = PADICI_VSET((UINT64_C(1) << 52) / (r->base ? r->base : 1));
    f.back[1] = PADICI_VSET((UINT64_C(1) << 52) % (r->base ? r->base : 1));
#if PADICI_ISA_LEVEL >= 3
    f.low[0] = f.low[1] = f.sixteens = PADICI_VSET(0);
    if (kind != 1) {
        f.low[0] = PADICI_VLOAD(t->twos.low);
        f.low[1] = PADICI_VLOAD(t->twos.low + 8);
        f.sixteens = _mm512_i64gather_epi64(_mm512_set_epi64(112, 96, 80, 64, 48, 32, 16, 0),
                                            (const void *)t->table, 8);
    }
#endif
    return f;
}

// Odd p: m 2^e mod P, e with 1,088 more.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(float_up)(const PADICI_K(float_rules) *f, PADICI_V m,
                                                        PADICI_V e)
{
    PADICI_V from = PADICI_VSUB(e, PADICI_VSET(PADICI_K(FLOAT_FIRST)));
    if (!PADICI_VANY(PADICI_VAND(from, PADICI_VSET(-(int64_t)128)))) {
#if PADICI_ISA_LEVEL >= 3
        m = PADICI_K(rmul)(&f->c, 0, m, _mm512_permutex2var_epi64(f->low[0], from, f->low[1]));
        from = _mm512_permutexvar_epi64(_mm512_srli_epi64(from, 4), f->sixteens);
#else
        from = PADICI_GATHER(f->t->table, from);
#endif
    } else {
        from = PADICI_GATHER(f->t->twos.low, PADICI_VAND(e, PADICI_VSET(63)));
        m = PADICI_K(rmul)(&f->c, 0, m, from);
        from = PADICI_GATHER(f->t->twos.high, PADICI_VSHR(e, PADICI_VSET(6)));
    }
    return PADICI_K(rmul)(&f->c, 0, m, from);
}

// One vector of any floats; its status bits, those of the plain loop in *rare. Odd p: m mod P times
// 2^e mod P. p = 2: m is the unit.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(float_any)(const padic_num_call *call, int kind,
                                                         uint64_t i,
                                                         const PADICI_K(float_rules) *f,
                                                         uint32_t *rare)
{
    const PADICI_K(ring) *const c = &f->c;
    const PADICI_V one = PADICI_VSET(1), none = PADICI_VSET(0);
    const PADICI_V b = f->wide ? PADICI_VLOAD((const uint64_t *)call->other[0] + i)
                               : PADICI_VLOADU((const uint32_t *)call->other[0] + i);
    const PADICI_V field = PADICI_VAND(PADICI_VSHR(b, f->shift), f->top);
    const PADICI_M subnormal = PADICI_VEQ(field, none);
    const PADICI_M minus = PADICI_VGT(PADICI_VSHR(b, f->minus), none);
    const PADICI_V e = PADICI_VADD(PADICI_VSEL(subnormal, one, field), f->bias); // and 1,088 more
    PADICI_V m = PADICI_VAND(b, PADICI_VSUB(f->hidden, one));
    PADICI_M zero = PADICI_MAND(subnormal, PADICI_VEQ(m, none));
    PADICI_K(floats) x;
    m = PADICI_VSEL(subnormal, m, PADICI_VADD(m, f->hidden));
    x.v = x.bits = none;
    if (PADICI_MANY(PADICI_VEQ(field, f->top))) { // Inf, NaN
        *rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_from_float_loop);
        return none;
    }
    if (kind == 1) {
        x.u = m;
        x.v = PADICI_VADD(PADICI_K(rsplit)(c, 1, &x.u, &zero), PADICI_VSUB(e, PADICI_VSET(1088)));
        x.u = PADICI_VAND(x.u, c->p);
        if (!call->out.val) { // integers only, modulo P
            const PADICI_M below = PADICI_VGT(none, x.v);
            const PADICI_V most = PADICI_VSET(64);
            x.bits = PADICI_VSEL(below, PADICI_VSET(PADIC_NUM_NONUNIT), none);
            x.v = PADICI_VSEL(PADICI_VGT(x.v, most), most, x.v);
            x.u = PADICI_VAND(PADICI_VSHL(PADICI_VSEL(below, none, x.u), x.v), c->p);
        }
    } else {
        x.u = PADICI_K(mantissa)(c, f->back, m);
        if (call->out.val && PADICI_MANY(PADICI_K(rdivides)(c, 0, x.u))) {
            m = PADICI_VSEL(zero, one, PADICI_K(strip)(call->ring, m, &x.v));
            x.u = PADICI_K(mantissa)(c, f->back, m);
            if (PADICI_MANY(PADICI_K(rdivides)(c, 0, x.u))) {
                *rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_from_float_loop);
                return none;
            }
        }
        x.u = PADICI_K(float_up)(f, x.u, e);
    }
    x.u = PADICI_VSEL(minus, PADICI_K(rsub)(c, kind, none, x.u), x.u);
    if (PADICI_MANY(zero)) // -0 loses its sign
        PADICI_K(set)(&x, zero, PADIC_NUM_ZERO, none,
                      PADICI_VSEL(minus, PADICI_VSET(PADIC_NUM_INEXACT), none));
    PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x.u));
    if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + i, x.v);
    if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
    return x.bits;
}

PADICI_TARGET static PADICI_NOINLINE uint32_t PADICI_K(float_rare)(const padic_num_call *call,
                                                                   uint64_t i,
                                                                   PADICI_K(float_tables) *t)
{
    uint32_t rare = 0;
    if (!t->made) PADICI_K(float_tables_make)(call->ring, t);
    {
        const PADICI_K(float_rules) f = PADICI_K(float_rules_of)(call, 0, t);
        return PADICI_K(any_bits)(PADICI_K(float_any)(call, 0, i, &f, &rare)) | rare;
    }
}

// Odd p, all vectors. x is y 2^(first + 2^s j), where y is x with another exponent, so that |y| is
// a whole number below 2^(52 + 2^s): y mod P is one rounded quotient below 2^51 away, exact in
// doubles, then one product by one of eight powers of 2. Vectors with zeros or an exponent outside
// of the eight take the long way.
typedef struct PADICI_K(float_near) {
    PADICI_K(ring) c;
    PADICI_V p, mu;               // P, 1 / P
    PADICI_V begin, beyond, exponent, block;
    const uint64_t *power;
} PADICI_K(float_near);

// y 2^(2^s j) mod P as a residue, the exponent in d.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(float_near_one)(const PADICI_K(float_near) *f,
                                                              PADICI_V y, PADICI_V d)
{
    PADICI_V q = PADICI_DROUND(PADICI_DMUL(y, f->mu));
    y = PADICI_DNMADD(q, f->p, y);
    y = PADICI_VLOW(y, PADICI_DADD(y, f->p));
#if PADICI_ISA_LEVEL >= 3 // the index is 3 bits
    q = _mm512_permutexvar_epi64(PADICI_VSHR(d, f->block), PADICI_VLOAD(f->power));
#else
    q = PADICI_GATHER(f->power, PADICI_VAND(PADICI_VSHR(d, f->block), PADICI_VSET(7)));
#endif
#if PADICI_ISA_LEVEL == 4
    y = PADICI_DTO(y);
#endif
    return PADICI_K(rmul)(&f->c, 0, y, q);
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(floats_near)(const padic_num_call *call,
                                                           PADICI_K(float_tables) *t,
                                                           const PADICI_K(float_near) *f)
{
    const uint64_t sign = UINT64_C(1) << 63, hidden = UINT64_C(1) << 52;
    const PADICI_V none = PADICI_VSET(0), whole = PADICI_VSET(UINT64_C(1075) << 52);
    const PADICI_V same = PADICI_VSET(sign | (hidden - 1));
    const int wide = call->dtype == PADIC_F64;
    uint64_t i;
    uint32_t bits = 0;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V b = wide ? PADICI_VLOAD((const uint64_t *)call->other[0] + i)
                                : PADICI_DLOADF((const float *)call->other[0] + i);
        const PADICI_V d = PADICI_VSUB(b, f->begin); // within the eight: exponents from 0
        const PADICI_V k = PADICI_VAND(d, f->exponent);
        const PADICI_V y = PADICI_VADD(PADICI_VOR(PADICI_VAND(b, same), k), whole);
        PADICI_V v = none, x;
        if (PADICI_VANY(PADICI_VAND(d, f->beyond))) {
            bits |= PADICI_K(float_rare)(call, i, t);
            continue;
        }
        x = PADICI_K(float_near_one)(f, y, d);
        if (call->out.val && PADICI_MANY(PADICI_K(rdivides)(&f->c, 0, x))) {
            const PADICI_V m = PADICI_VOR(PADICI_VAND(b, PADICI_VSET(hidden - 1)),
                                          PADICI_VSET(hidden));
            PADICI_V z = PADICI_K(strip)(call->ring, m, &v);
            z = PADICI_VADD(PADICI_DFROM(PADICI_VAND(z, PADICI_VSET(hidden - 1))), k);
            z = PADICI_VOR(z, PADICI_VAND(b, PADICI_VSET(sign)));
            z = PADICI_VSEL(PADICI_VEQ(v, none), y, z);
            x = PADICI_K(float_near_one)(f, z, d);
            if (PADICI_MANY(PADICI_K(rdivides)(&f->c, 0, x))) {
                bits |= PADICI_K(float_rare)(call, i, t);
                continue;
            }
        }
        PADICI_K(unit_store)(call, i, PADICI_K(out)(0, x));
        if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, none);
    }
    return bits;
}

// f64 and f32 exactly: x = m 2^e.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(of_floats)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    PADICI_K(float_tables) t;
    uint64_t i;
    uint32_t bits = 0;
    t.made = 0;
    if (kind != 1 && r->bits >= 10) {
        const uint32_t s = r->bits >= 34 ? 5 : r->bits >= 18 ? 4 : 3; // quotients below 2^51
        const uint64_t first = 1023 - (UINT64_C(4) << s), part = UINT64_C(1) << (52 + s);
        uint64_t power[8], half = (r->base >> 1) + 1, temp;
        PADICI_K(float_near) f;
        f.c = PADICI_K(ring_of)(r, 0);
        f.p = PADICI_DSET((double)r->base);
        f.mu = PADICI_DSET(1.0 / (double)r->base);
        f.begin = PADICI_VSET(first << 52);
        f.beyond = PADICI_VSET((UINT64_C(1) << 63) - 8 * part);
        f.exponent = PADICI_VSET(part - (UINT64_C(1) << 52));
        f.block = PADICI_VSET(52 + s);
        f.power = power;
        padici_ring_pow(r, &power[0], &half, 1075 - first, &temp);
        half = (UINT64_C(1) << (1u << s)) % r->base;
        for (i = 1; i < 8; i++) power[i] = padici_mul1(r, r->form, power[i - 1], half);
        for (i = 0; PADICI_ISA_LEVEL != 4 && i < 8; i++) {
            const double y = (double)(int64_t)power[i];
            memcpy(&power[i], &y, sizeof y);
        }
        return PADICI_K(floats_near)(call, &t, &f);
    }
    if (kind != 1) PADICI_K(float_tables_make)(r, &t);
    {
        const PADICI_K(float_rules) f = PADICI_K(float_rules_of)(call, kind, &t);
        PADICI_V all = PADICI_VSET(0);
        for (i = 0; i < call->count; i += PADICI_LANES)
            all = PADICI_VOR(all, PADICI_K(float_any)(call, kind, i, &f, &bits));
        return PADICI_K(any_bits)(all) | bits;
    }
}
PADICI_BOTH(of_floats)

// Rational reconstruction as by padici_rational_fast, Euclid's algorithm in doubles: for r0 < 2^53
// a rounded quotient never reaches the next integer, so that its floor is right, and all else is
// exact. t changes its sign in every row.

// Euclid's rows of two vectors to the first r <= most; r and t are in place of u and 1.
PADICI_TARGET PADICI_INLINE void PADICI_K(euclid)(PADICI_V p, PADICI_V most, PADICI_V *r,
                                                  PADICI_V *t)
{
    PADICI_V r0[2], t0[2];
    PADICI_M on[2];
    uint32_t j;
    r0[0] = r0[1] = p;
    t0[0] = t0[1] = PADICI_VSET(0);
    for (;;) {
        on[0] = PADICI_DGT(r[0], most);
        on[1] = PADICI_DGT(r[1], most);
        if (!PADICI_MANY(PADICI_MOR(on[0], on[1]))) break;
        PADICI_UNROLL
        for (j = 0; j < 2; j++) {
            const PADICI_V q = PADICI_DFLOOR(PADICI_DDIV(r0[j], r[j]));
            const PADICI_V r2 = PADICI_DNMADD(q, r[j], r0[j]), t2 = PADICI_DNMADD(q, t[j], t0[j]);
            r0[j] = r[j];
            t0[j] = t[j];
            r[j] = PADICI_VSEL(on[j], r2, r[j]);
            t[j] = PADICI_VSEL(on[j], t2, t[j]);
        }
    }
}

// Numerators and denominators from there; 0 if the plain loop has to do it: NaN, or factors p^v
// that may not fit.
PADICI_TARGET PADICI_INLINE int PADICI_K(fractions)(const padic_num_call *call,
                                                    const PADICI_K(ring) *c, int kind,
                                                    const uint64_t *power, uint64_t i, PADICI_V r,
                                                    PADICI_V t, PADICI_V *bits)
{
    const PADICI_V none = PADICI_VSET(0);
    const PADICI_M minus = PADICI_DGT(none, t);
    PADICI_V d = PADICI_VSEL(minus, PADICI_DSUB(none, t), t), n, v, x, f;
    PADICI_M bad = PADICI_DGT(d, PADICI_DSET((double)(int64_t)call->stride)), divides;
    d = PADICI_DTO(PADICI_VSEL(bad, none, d));
    n = PADICI_DTO(r);
    divides = PADICI_K(rdivides)(c, kind, PADICI_K(in)(kind, d)); // d = 0 too
    *bits = PADICI_VSEL(divides, PADICI_VSET(PADIC_NUM_RATREC), none);
    n = PADICI_VSEL(divides, none, n);
    d = PADICI_VSEL(divides, none, d);
    if (call->a.val) {
        v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        v = PADICI_VSEL(PADICI_VEQ(v, PADICI_VSET(PADIC_NUM_ZERO)), none, v);
        if (PADICI_VANY(v)) {
            const PADICI_M below = PADICI_VGT(none, v);
            v = PADICI_VSEL(below, PADICI_VSUB(none, v), v);
            if (PADICI_VANY(PADICI_VAND(v, PADICI_VSET(-64)))) return 0;
            f = PADICI_GATHER(power, v);
            x = PADICI_VSEL(below, d, n);
            if (PADICI_MANY(PADICI_VGT(f, PADICI_VSET((INT64_C(1) << 52) - 1)))) return 0;
            bad = PADICI_DGT(PADICI_DMUL(PADICI_DFROM(x), PADICI_DFROM(f)), PADICI_DSET(4.0e18));
            if (PADICI_MANY(bad)) return 0;
            x = PADICI_VMUL(x, f);
            n = PADICI_VSEL(below, n, x);
            d = PADICI_VSEL(below, x, d);
        }
    }
    n = PADICI_VSEL(minus, PADICI_VSUB(none, n), n);
    PADICI_VSTORE((int64_t *)call->other[0] + i, n);
    PADICI_VSTORE((int64_t *)call->other[1] + i, d);
    if (call->status) PADICI_VSTORE8(call->status + i, *bits);
    return 1;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(rational)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const PADICI_V p = PADICI_DSET((double)(int64_t)call->ring->base);
    const PADICI_V most = PADICI_DSET((double)call->k);
    PADICI_V bits = PADICI_VSET(0);
    uint64_t power[64], i;
    uint32_t rare = 0, j;
    for (j = 0; j < 64; j++) { // what is too large is not used
        const uint64_t x = j < call->ring->power_count ? call->ring->power[j][0] : 0;
        power[j] = x >> 52 || !x || call->ring->power[j][1] ? UINT64_C(1) << 62 : x;
    }
    for (i = 0; i < call->count; i += 2 * PADICI_LANES) {
        PADICI_V r[2], t[2], made;
        PADICI_UNROLL
        for (j = 0; j < 2; j++) {
            r[j] = PADICI_DFROM(PADICI_K(unit)(call, &call->a, i + j * PADICI_LANES));
            t[j] = PADICI_DSET(1.0);
        }
        PADICI_K(euclid)(p, most, r, t);
        PADICI_UNROLL
        for (j = 0; j < 2; j++) {
            const uint64_t at = i + j * PADICI_LANES;
            if (PADICI_K(fractions)(call, &c, kind, power, at, r[j], t[j], &made))
                bits = PADICI_VOR(bits, made);
            else
                rare |= padici_simd_num_plain(call, at, PADICI_LANES, padici_rational_fast);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_BOTH(rational)

// Long residues: limbs below `base` < 2^49, lowest first, of tiles of 32 numbers.

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limb)(const padic_num_ring *r, const void *tile,
                                                    uint32_t k, uint32_t j)
{
    const size_t at = (size_t)k * 32 + j;
    return r->unit_size == 4 ? PADICI_VLOADU((const uint32_t *)tile + at)
                             : PADICI_VLOAD((const uint64_t *)tile + at);
}

PADICI_TARGET PADICI_INLINE void PADICI_K(limb_store)(const padic_num_ring *r, void *tile,
                                                      uint32_t k, uint32_t j, PADICI_V x)
{
    const size_t at = (size_t)k * 32 + j;
    if (r->unit_size == 4)
        PADICI_VSTORE32((uint32_t *)tile + at, x);
    else
        PADICI_VSTORE((uint64_t *)tile + at, x);
}

// a + b, a - b, -a; carries and borrows are lanes of 0 or -1.
PADICI_TARGET static uint32_t PADICI_K(limbs_linear)(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const size_t tile = (size_t)32 * r->words * r->unit_size;
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    const PADICI_V none = PADICI_VSET(0);
    uint64_t i;
    uint32_t j, k;
    if (call->kernel == PADIC_KERNEL_NUM_NEG) b = a;
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += PADICI_LANES) {
            PADICI_V carry = none;
            for (k = 0; k < r->words; k++) {
                const PADICI_V base = PADICI_VSET(padici_limb_base(r, k));
                const PADICI_V y = PADICI_K(limb)(r, b, k, j);
                PADICI_V x = call->kernel == PADIC_KERNEL_NUM_NEG ? none
                                                                  : PADICI_K(limb)(r, a, k, j);
                if (call->kernel == PADIC_KERNEL_NUM_ADD) {
                    x = PADICI_VSUB(PADICI_VADD(x, y), carry);
                    carry = PADICI_VSEL(PADICI_VGT(base, x), none, PADICI_VSET(-1));
                    x = PADICI_VLOW(PADICI_VSUB(x, base), x);
                } else {
                    x = PADICI_VADD(PADICI_VSUB(x, y), carry);
                    carry = PADICI_VSEL(PADICI_VGT(none, x), PADICI_VSET(-1), none);
                    x = PADICI_VLOW(x, PADICI_VADD(x, base));
                }
                PADICI_K(limb_store)(r, out, k, j, x);
            }
        }
    return 0;
}

#if PADICI_ISA_LEVEL == 4
// Division of x = high 2^52 + low, high < d, by d < 2^52: see padici_divide, with words of 52 bits.
typedef struct padici_ifma_divisor {
    __m512i d, v, up, down; // d shifted up to 52 bits, its reciprocal, by how much, 52 less that
} padici_ifma_divisor;

PADICI_IFMA PADICI_INLINE padici_ifma_divisor padici_divisor_of_ifma(uint64_t d)
{
    const uint32_t up = padici_clz64(d) - 12;
    padici_ifma_divisor c;
    c.d = PADICI_VSET(d << up);
    // floor((2^104 - 1) / d) - 2^52 from that of 2^128 and 2^64, which has 12 bits more
    c.v = PADICI_VSET(padici_reciprocal(d << (up + 12)) >> 12);
    c.up = PADICI_VSET(up);
    c.down = PADICI_VSET(52 - up);
    return c;
}

PADICI_IFMA PADICI_INLINE __m512i padici_limb_divide_ifma(const padici_ifma_divisor *c,
                                                          __m512i high, __m512i low, __m512i *rest)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1), one = PADICI_VSET(1);
    const __m512i u1 = PADICI_VOR(PADICI_VSHL(high, c->up), PADICI_VSHR(low, c->down));
    const __m512i u0 = PADICI_VAND(PADICI_VSHL(low, c->up), mask);
    const __m512i q0 = _mm512_madd52lo_epu64(u0, c->v, u1); // below 2^53
    __m512i q = _mm512_madd52hi_epu64(PADICI_VADD(u1, one), c->v, u1), r;
    __mmask8 m;
    q = PADICI_VADD(q, _mm512_srli_epi64(q0, 52));
    r = PADICI_VAND(PADICI_VSUB(u0, _mm512_madd52lo_epu64(PADICI_VSET(0), q, c->d)), mask);
    m = _mm512_cmpgt_epu64_mask(r, PADICI_VAND(q0, mask));
    q = _mm512_mask_sub_epi64(q, m, q, one);
    r = PADICI_VAND(_mm512_mask_add_epi64(r, m, r, c->d), mask);
    m = _mm512_cmpge_epu64_mask(r, c->d);
    q = _mm512_mask_add_epi64(q, m, q, one);
    r = _mm512_mask_sub_epi64(r, m, r, c->d);
    *rest = PADICI_VSHR(r, c->up);
    return q;
}

// One column: low 2^52 + high plus what is carried, which is low 2^52 + high again; the limb.
PADICI_IFMA PADICI_INLINE __m512i padici_limbs_column_ifma(const padici_ifma_divisor *base,
                                                           int few, __m512i low, __m512i high,
                                                           __m512i carry[2])
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    __m512i x;
    low = PADICI_VADD(low, carry[0]);
    high = PADICI_VADD(PADICI_VADD(high, carry[1]), _mm512_srli_epi64(low, 52));
    carry[1] = PADICI_VSET(0);
    if (!few)
        carry[1] = padici_limb_divide_ifma(base, _mm512_srli_epi64(high, 52),
                                           PADICI_VAND(high, mask), &high);
    carry[0] = padici_limb_divide_ifma(base, high, PADICI_VAND(low, mask), &x);
    return x;
}

// Truncated products, two columns at a time. A column is below L base^2 < 2^110; its halves of 52
// bits are summed apart. Operands are copied, so that their limbs lie together and the result may
// take their place.
PADICI_IFMA static uint32_t padici_limbs_mul_ifma(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_ifma_divisor base = padici_divisor_of_ifma(r->base);
    const padici_ifma_divisor top = padici_divisor_of_ifma(r->power[r->top_digits][0]);
    const size_t tile = (size_t)32 * r->words * r->unit_size;
    const __m512i none = PADICI_VSET(0);
    const int few = r->base < (UINT64_C(1) << 51) / (r->words + 1); // high halves are below base
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    uint64_t local[2 * 8 * 4 + 8], *x = r->words < 4 ? local : (uint64_t *)call->scratch, *y, i;
    uint32_t at, j, k;
    x += (0u - (uintptr_t)x) % 64 / 8;
    y = x + 8 * (r->words + 1); // both with one limb 0 on top
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += 8) {
            __m512i carry[2] = {none, none};
            for (k = 0; k < r->words; k++) {
                PADICI_VSTORE(x + 8 * k, padici_limb_ifma(r, a, k, j));
                PADICI_VSTORE(y + 8 * k, padici_limb_ifma(r, b, k, j));
            }
            PADICI_VSTORE(x + 8 * k, none);
            PADICI_VSTORE(y + 8 * k, none);
            for (k = 0; k < r->words; k += 2) {
                __m512i low = none, high = none, low1 = none, high1 = none, u, v;
                __m512i w = PADICI_VLOAD(y + 8 * (k + 1));
                for (at = 0; at <= k; at++) {
                    u = PADICI_VLOAD(x + 8 * at);
                    v = PADICI_VLOAD(y + 8 * (k - at));
                    low = _mm512_madd52lo_epu64(low, u, v);
                    high = _mm512_madd52hi_epu64(high, u, v);
                    low1 = _mm512_madd52lo_epu64(low1, u, w);
                    high1 = _mm512_madd52hi_epu64(high1, u, w);
                    w = v;
                }
                u = PADICI_VLOAD(x + 8 * at);
                low1 = _mm512_madd52lo_epu64(low1, u, w);
                high1 = _mm512_madd52hi_epu64(high1, u, w);
                u = padici_limbs_column_ifma(&base, few, low, high, carry);
                if (k + 1 == r->words) padici_limb_divide_ifma(&top, none, u, &u);
                padici_limb_store_ifma(r, out, k, j, u);
                if (k + 1 == r->words) break;
                u = padici_limbs_column_ifma(&base, few, low1, high1, carry);
                if (k + 2 == r->words) padici_limb_divide_ifma(&top, none, u, &u);
                padici_limb_store_ifma(r, out, k + 1, j, u);
            }
        }
    return 0;
}
#else
// x mod d for x, d < 2^49.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limb_modulo)(PADICI_V x, uint64_t d)
{
    const uint32_t up = padici_clz64(d);
    const PADICI_V n = PADICI_VSET(d << up), k = PADICI_VSET(up);
    PADICI_V rest;
    PADICI_K(divide64)(PADICI_VSHR(x, PADICI_VSET(64 - up)), PADICI_VSHL(x, k), n,
                       PADICI_VSET(padici_reciprocal(d << up)), &rest);
    return PADICI_VSHR(rest, k);
}

// A column of products of limbs in halves of 25 bits: the limb, and what is carried.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limbs_column)(const padic_num_ring *r, PADICI_V low,
                                                            PADICI_V middle, PADICI_V high,
                                                            PADICI_V *carry)
{
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1), up = PADICI_VSET(r->shift);
    PADICI_V more[3], top, rest;
    uint32_t j;
    more[0] = PADICI_VSHL(middle, PADICI_VSET(25));
    more[1] = PADICI_VSHL(high, PADICI_VSET(50));
    more[2] = *carry;
    top = PADICI_VADD(PADICI_VSHR(middle, PADICI_VSET(39)), PADICI_VSHR(high, PADICI_VSET(14)));
    PADICI_UNROLL
    for (j = 0; j < 3; j++) {
        low = PADICI_VADD(low, more[j]);
        top = PADICI_VADD(top, PADICI_VSEL(PADICI_VLT(low, more[j]), one, none));
    }
    top = PADICI_VOR(PADICI_VSHL(top, up), PADICI_VSHR(low, PADICI_VSET(64 - r->shift)));
    *carry = PADICI_K(divide64)(top, PADICI_VSHL(low, up), PADICI_VSET(r->base << r->shift),
                                PADICI_VSET(r->reciprocal), &rest);
    return PADICI_VSHR(rest, up);
}

// Truncated products by columns. Operands are copied, each limb as two halves in one word.
PADICI_TARGET static uint32_t PADICI_K(limbs_mul)(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const size_t tile = (size_t)32 * r->words * r->unit_size;
    const PADICI_V none = PADICI_VSET(0), half = PADICI_VSET(25), word = PADICI_VSET(32);
    const PADICI_V mask = PADICI_VSET((1 << 25) - 1);
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    uint64_t *const x = (uint64_t *)call->scratch, *const y = x + PADICI_LANES * r->words, i;
    uint32_t at, j, k;
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += PADICI_LANES) {
            PADICI_V carry = none, u, v;
            for (k = 0; k < 2 * r->words; k++) {
                u = k < r->words ? PADICI_K(limb)(r, a, k, j)
                                 : PADICI_K(limb)(r, b, k - r->words, j);
                v = PADICI_VSHL(PADICI_VSHR(u, half), word);
                PADICI_VSTORE(x + PADICI_LANES * k, PADICI_VOR(PADICI_VAND(u, mask), v));
            }
            for (k = 0; k < r->words; k++) {
                PADICI_V low = none, middle = none, high = none;
                for (at = 0; at <= k; at++) {
                    const PADICI_V u0 = PADICI_VLOAD(x + PADICI_LANES * at);
                    const PADICI_V v0 = PADICI_VLOAD(y + PADICI_LANES * (k - at));
                    u = PADICI_VSHR(u0, word);
                    v = PADICI_VSHR(v0, word);
                    low = PADICI_VADD(low, PADICI_VMUL32(u0, v0));
                    middle = PADICI_VADD(middle, PADICI_VMUL32(u, v0));
                    middle = PADICI_VADD(middle, PADICI_VMUL32(u0, v));
                    high = PADICI_VADD(high, PADICI_VMUL32(u, v));
                }
                u = PADICI_K(limbs_column)(r, low, middle, high, &carry);
                if (k + 1 == r->words) u = PADICI_K(limb_modulo)(u, r->power[r->top_digits][0]);
                PADICI_K(limb_store)(r, out, k, j, u);
            }
        }
    return 0;
}
#endif

// Residues of two words, RING: a word of `high` elements further on is the high one.

// a + b, a - b, -a: x - y, with P - b for b or 0 for a.
PADICI_TARGET static uint32_t PADICI_K(pairs_linear)(const padic_num_call *call)
{
    const padic_num_planes *pb = call->kernel == PADIC_KERNEL_NUM_NEG ? &call->a : &call->b;
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)pb->unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const PADICI_V p0 = PADICI_VSET(call->ring->modulus[0]), none = PADICI_VSET(0);
    const PADICI_V p1 = PADICI_VSET(call->ring->modulus[1]), one = PADICI_VSET(1);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V y0 = PADICI_VLOAD(b + i), y1 = PADICI_VLOAD(b + pb->high + i);
        PADICI_V x0 = none, x1 = none, less, more;
        if (call->kernel == PADIC_KERNEL_NUM_ADD) {
            less = PADICI_VSEL(PADICI_VLT(p0, y0), one, none);
            y0 = PADICI_VSUB(p0, y0);
            y1 = PADICI_VSUB(PADICI_VSUB(p1, y1), less);
        }
        if (call->kernel != PADIC_KERNEL_NUM_NEG) {
            x0 = PADICI_VLOAD(a + i);
            x1 = PADICI_VLOAD(a + call->a.high + i);
        }
        less = PADICI_VSEL(PADICI_VLT(x0, y0), one, none);
        x0 = PADICI_VSUB(x0, y0);
        x1 = PADICI_VSUB(PADICI_VSUB(x1, y1), less);
        less = PADICI_VSEL(PADICI_VGT(none, x1), PADICI_VSET(-1), none); // below 0: + P
        y0 = PADICI_VADD(x0, PADICI_VAND(less, p0));
        more = PADICI_VSEL(PADICI_VLT(y0, x0), one, none);
        PADICI_VSTORE(out + i, y0);
        PADICI_VSTORE(out + call->out.high + i,
                      PADICI_VADD(PADICI_VADD(x1, PADICI_VAND(less, p1)), more));
    }
    return 0;
}

#if PADICI_ISA_LEVEL == 4
// x = a b 2^-156 mod P (Montgomery), in three words of 52 bits, at most a little above P.
PADICI_IFMA PADICI_INLINE void padici_pairs_montgomery_ifma(const __m512i *p, __m512i inverse,
                                                            const __m512i *a, const __m512i *b,
                                                            __m512i *x)
{
    const __m512i none = PADICI_VSET(0), mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    __m512i t0 = none, t1 = none, t2 = none, t3 = none;
    uint32_t i;
    PADICI_UNROLL
    for (i = 0; i < 3; i++) {
        __m512i q;
        t0 = _mm512_madd52lo_epu64(t0, a[0], b[i]);
        q = _mm512_madd52lo_epu64(none, t0, inverse);
        t1 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t1, a[1], b[i]), a[0], b[i]);
        t2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t2, a[2], b[i]), a[1], b[i]);
        t3 = _mm512_madd52hi_epu64(t3, a[2], b[i]);
        t0 = _mm512_madd52lo_epu64(t0, q, p[0]);
        t1 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t1, q, p[1]), q, p[0]);
        t2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t2, q, p[2]), q, p[1]);
        t3 = _mm512_madd52hi_epu64(t3, q, p[2]);
        t0 = PADICI_VADD(t1, _mm512_srli_epi64(t0, 52));
        t1 = t2;
        t2 = t3;
        t3 = none;
    }
    t1 = PADICI_VADD(t1, _mm512_srli_epi64(t0, 52));
    x[0] = PADICI_VAND(t0, mask);
    x[1] = PADICI_VAND(t1, mask);
    x[2] = PADICI_VADD(t2, _mm512_srli_epi64(t1, 52));
}

PADICI_IFMA PADICI_INLINE void padici_pairs_split_ifma(__m512i low, __m512i high, __m512i *x)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    x[0] = PADICI_VAND(low, mask);
    x[1] = PADICI_VAND(PADICI_VOR(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12)), mask);
    x[2] = _mm512_srli_epi64(high, 40);
}

// Odd P: the second product, by 2^312 mod P, brings the factor back.
PADICI_IFMA static uint32_t padici_pairs_mul_ifma(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)call->b.unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const __m512i p0 = PADICI_VSET(r->modulus[0]), p1 = PADICI_VSET(r->modulus[1]);
    const __m512i inverse = PADICI_VSET(r->mont_inverse), none = PADICI_VSET(0);
    padici_wide square = padici_wide_make(r->mont_square[0], r->mont_square[1]); // 2^256
    __m512i p[3], back[3], x[3], y[3], low, high, less;
    uint64_t i;
    for (i = 256; i < 312; i++) square = padici_add2(r, square, square);
    padici_pairs_split_ifma(p0, p1, p);
    padici_pairs_split_ifma(PADICI_VSET(square.low), PADICI_VSET(square.high), back);
    for (i = 0; i < call->count; i += 8) {
        padici_pairs_split_ifma(PADICI_VLOAD(a + i), PADICI_VLOAD(a + call->a.high + i), x);
        padici_pairs_split_ifma(PADICI_VLOAD(b + i), PADICI_VLOAD(b + call->b.high + i), y);
        padici_pairs_montgomery_ifma(p, inverse, x, y, x);
        padici_pairs_montgomery_ifma(p, inverse, x, back, x);
        low = PADICI_VOR(x[0], _mm512_slli_epi64(x[1], 52));
        high = PADICI_VOR(_mm512_srli_epi64(x[1], 12), _mm512_slli_epi64(x[2], 40));
        less = PADICI_VSEL(PADICI_VLT(low, p0), PADICI_VSET(1), none);
        less = PADICI_VSUB(PADICI_VSUB(high, p1), less);
        x[0] = PADICI_VSEL(PADICI_VGT(none, less), low, PADICI_VSUB(low, p0));
        PADICI_VSTORE(out + i, x[0]);
        PADICI_VSTORE(out + call->out.high + i, PADICI_VSEL(PADICI_VGT(none, less), high, less));
    }
    return 0;
}
#endif

static padic_result PADICI_K(pairs_call)(padic_num_call *call)
{
    if (call->model != PADIC_NUM_RING || call->a.scalar | call->b.scalar)
        return PADIC_ERROR_NOT_SUPPORTED;
    switch (call->kernel) {
    case PADIC_KERNEL_NUM_ADD:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_add_loop);
        break;
    case PADIC_KERNEL_NUM_SUB:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_sub_loop);
        break;
    case PADIC_KERNEL_NUM_NEG:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_neg_loop);
        break;
#if PADICI_ISA_LEVEL == 4
    case PADIC_KERNEL_NUM_MUL:
        if (call->ring->p == 2) return PADIC_ERROR_NOT_SUPPORTED;
        padici_simd_num_ends(call, PADICI_LANES, padici_pairs_mul_ifma, padici_mul_loop);
        break;
#endif
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
    return PADIC_OK;
}

// Long residues, RING and FLOAT.
static padic_result PADICI_K(limbs_call)(padic_num_call *call)
{
    padici_simd_num_kernel kernel = PADICI_K(limbs_linear);
    void (*loop)(padic_num_call *);
    if (call->model == PADIC_NUM_BALL || call->a.scalar | call->b.scalar || call->count < 32)
        return PADIC_ERROR_NOT_SUPPORTED;
    switch (call->kernel) {
    case PADIC_KERNEL_NUM_ADD: loop = padici_add_loop; break;
    case PADIC_KERNEL_NUM_SUB: loop = padici_sub_loop; break;
    case PADIC_KERNEL_NUM_NEG: loop = padici_neg_loop; break;
    case PADIC_KERNEL_NUM_MUL:
        loop = padici_mul_loop;
        kernel = PADICI_K(limbs_mul);
        break;
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (call->model == PADIC_NUM_FLOAT) {
        padici_simd_num_tiles(call, kernel, loop);
        return PADIC_OK;
    }
    padici_simd_num_ends(call, 32, kernel, loop);
    if (call->status) memset(call->status, 0, (size_t)call->count);
    return PADIC_OK;
}

#if PADICI_ISA_LEVEL != 4
// Systems of small integers, one in each lane. All minors of the columns are sums of products of
// an entry and a smaller minor, computed in doubles, and exact: by Cauchy's inequality the product
// of the norms of the columns bounds every partial sum, too. `a` has n rows of n + 1 columns.

#define PADICI_AT(p, i) ((p) + (size_t)(i) * PADICI_LANES)

// The low rows: the minors of a set of other rows with each set of them stay in registers.
#if PADICI_ISA_LEVEL == 2
#define PADICI_LOW 3
#define PADICI_LOW_ORDER 0, 1, 2, 4, 3, 5, 6, 7
#else
#define PADICI_LOW 4
#define PADICI_LOW_ORDER 0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15
#endif
#define PADICI_LOW_SETS (1 << PADICI_LOW)

// x = a p - x, for the sets of low rows by their size: each size has its column.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_row)(const uint64_t *a, const uint64_t *p,
                                                      int step, PADICI_V *x)
{
    static const uint8_t order[PADICI_LOW_SETS] = {PADICI_LOW_ORDER};
    uint32_t i;
    PADICI_V factor = PADICI_DLOAD(a);
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) {
        if (i == 1 || i == PADICI_LOW + 1 || i == PADICI_LOW_SETS - PADICI_LOW - 1 ||
            i == PADICI_LOW_SETS - 1) {
            a += step * PADICI_LANES;
            factor = PADICI_DLOAD(a);
        }
        x[order[i]] = PADICI_DMSUB(factor, PADICI_DLOAD(PADICI_AT(p, order[i])), x[order[i]]);
    }
}

// Those of the rows 0, 1, 2, in a set with h other rows: `a` is row 0 in column h, `sign` (-1)^h.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_three)(const uint64_t *a, size_t row, int step,
                                                        PADICI_V sign, PADICI_V *x)
{
    const uint64_t *const b = a + row, *const c = b + row;
    const int two = 2 * step * PADICI_LANES;
    PADICI_V r = PADICI_VXOR(PADICI_VLOAD(a), sign), s = PADICI_VXOR(PADICI_VLOAD(b), sign);
    PADICI_V t = PADICI_VXOR(PADICI_VLOAD(c), sign);
    x[1] = PADICI_DMADD(r, x[0], x[1]);
    x[2] = PADICI_DMADD(s, x[0], x[2]);
    x[4] = PADICI_DMADD(t, x[0], x[4]);
    r = PADICI_VXOR(PADICI_VLOAD(a + two / 2), sign);
    s = PADICI_VXOR(PADICI_VLOAD(b + two / 2), sign);
    t = PADICI_VXOR(PADICI_VLOAD(c + two / 2), sign);
    x[3] = PADICI_DNMADD(r, x[2], PADICI_DMADD(s, x[1], x[3]));
    x[5] = PADICI_DNMADD(r, x[4], PADICI_DMADD(t, x[1], x[5]));
    x[6] = PADICI_DNMADD(s, x[4], PADICI_DMADD(t, x[2], x[6]));
    r = PADICI_VXOR(PADICI_VLOAD(a + two), sign);
    s = PADICI_VXOR(PADICI_VLOAD(b + two), sign);
    t = PADICI_VXOR(PADICI_VLOAD(c + two), sign);
    x[7] = PADICI_DMADD(r, x[6], PADICI_DNMADD(s, x[5], PADICI_DMADD(t, x[3], x[7])));
}

// det A and y, which may be NULL, as minors_join() has it, of 3 rows.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(minors_all)(const uint64_t *a, uint64_t *y,
                                                          size_t apart)
{
    const PADICI_V zero = PADICI_VSET(0), top = PADICI_VSET(UINT64_C(1) << 63);
    PADICI_V p[8], q[8], x;
    p[0] = q[0] = PADICI_DSET(1.0);
    p[1] = p[2] = p[3] = p[4] = p[5] = p[6] = p[7] = zero;
    q[1] = q[2] = q[3] = q[4] = q[5] = q[6] = q[7] = zero;
    PADICI_K(minors_three)(a, 4 * PADICI_LANES, 1, zero, p);
    if (!y) return p[7];
    PADICI_K(minors_three)(PADICI_AT(a, 3), 4 * PADICI_LANES, -1, zero, q);
    PADICI_VSTORE(y, PADICI_VXOR(q[7], top));
    x = PADICI_DMADD(p[4], q[3], PADICI_DNMADD(p[2], q[5], PADICI_DMUL(p[1], q[6])));
    PADICI_VSTORE(y + apart, x);
    x = PADICI_DMADD(p[6], q[1], PADICI_DNMADD(p[5], q[2], PADICI_DMUL(p[3], q[4])));
    PADICI_VSTORE(y + 2 * apart, x);
    return p[7];
}

// Those of the low rows.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_low)(const uint64_t *a, size_t row, int step,
                                                      PADICI_V sign, PADICI_V *x)
{
    PADICI_K(minors_three)(a, row, step, sign, x);
#if PADICI_LOW == 4
    const int one = step * PADICI_LANES;
    PADICI_V t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row), sign);
    x[8] = PADICI_DMADD(t, x[0], x[8]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + one), sign);
    x[9] = PADICI_DMADD(t, x[1], x[9]);
    x[10] = PADICI_DMADD(t, x[2], x[10]);
    x[12] = PADICI_DMADD(t, x[4], x[12]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + 2 * one), sign);
    x[11] = PADICI_DMADD(t, x[3], x[11]);
    x[13] = PADICI_DMADD(t, x[5], x[13]);
    x[14] = PADICI_DMADD(t, x[6], x[14]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + 3 * one), sign);
    x[15] = PADICI_DMADD(t, x[7], x[15]);
    sign = PADICI_VXOR(sign, PADICI_VSET(UINT64_C(1) << 63)); // row 3 is one more
    PADICI_K(minors_three)(a + one, row, step, sign, x + 8);
#endif
}

// p[R], for each set R of rows, bit i for row i: the determinant of these rows and the first |R|
// columns, those from `a` on, `step` = +-1 apart. The last of them is expanded. Here for the R
// with the rows PADICI_LOW + i, i in `set`; x gets them, too.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_of)(const uint64_t *a, uint32_t n, int step,
                                                     uint32_t set, uint64_t *p, PADICI_V *x)
{
    const size_t row = (size_t)(n + 1) * PADICI_LANES;
    const int h = padici_bits_of5[set];
    uint64_t *const to = PADICI_AT(p, PADICI_LOW_SETS * set);
    uint32_t i, rest, bit;
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) x[i] = PADICI_VSET(0);
    if (!set) x[0] = PADICI_DSET(1.0);
    for (rest = set; rest; rest ^= bit) {
        bit = rest & (0u - rest);
        PADICI_K(minors_row)(a + (PADICI_LOW + padici_bits_of5[bit - 1]) * row +
                                 (h - 1) * step * PADICI_LANES,
                             PADICI_AT(p, PADICI_LOW_SETS * (set ^ bit)), step, x);
    }
    PADICI_K(minors_low)(a + h * step * PADICI_LANES, row, step,
                         PADICI_VSET((uint64_t)(h & 1) << 63), x);
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) PADICI_VSTORE(PADICI_AT(to, i), x[i]);
}

// p from the left.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(minors)(const uint64_t *a, uint32_t n,
                                                           uint64_t *p)
{
    PADICI_V x[PADICI_LOW_SETS];
    uint32_t set;
    for (set = 0; set < 1u << (n - PADICI_LOW); set++) PADICI_K(minors_of)(a, n, 1, set, p, x);
}

// y[j], up to n - 1: the determinant of A with the right side in place of column j, of p by the
// columns from the left and q by the right side and the columns from the right (Laplace), which is
// computed on the way. `apart`: words from y[j] to the next.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(minors_join)(const uint64_t *a, uint32_t n,
                                                                const uint64_t *p, uint64_t *q,
                                                                uint64_t *y, size_t apart)
{
    const uint32_t all = (1u << (n - PADICI_LOW)) - 1;
    const PADICI_V zero = PADICI_VSET(0), top = PADICI_VSET(UINT64_C(1) << 63);
    PADICI_V sums[2][9], x[PADICI_LOW_SETS]; // two, since a sum waits for the one before
    uint32_t set, i, j;
    for (j = 0; j <= n; j++) sums[0][j] = sums[1][j] = zero;
    for (set = 0; set <= all; set++) {
        const uint32_t other = all ^ set;
        const uint64_t *const u = PADICI_AT(p, PADICI_LOW_SETS * other);
        const PADICI_V sign = // that of the rows 5, 7 (and 3)
            PADICI_VSET((uint64_t)((PADICI_LOW == 3 ? other ^ other >> 2 ^ other >> 4
                                                    : other >> 1 ^ other >> 3) & 1) << 63);
        PADICI_V t[PADICI_LOW + 1], *const sum = sums[set & 1] + padici_bits_of5[other];
        PADICI_K(minors_of)(PADICI_AT(a, n), n, -1, set, q, x);
        PADICI_UNROLL8
        for (i = 0; i <= PADICI_LOW; i++) t[i] = zero;
        PADICI_UNROLL16
        for (i = 0; i < PADICI_LOW_SETS; i++) { // signs of the rows 1 and 3
            const uint32_t k = (i & 1) + (i >> 1 & 1) + (i >> 2 & 1) + (i >> 3);
            const PADICI_V w = x[PADICI_LOW_SETS - 1 - i], v = PADICI_DLOAD(PADICI_AT(u, i));
            t[k] = (i >> 1 ^ i >> 3) & 1 ? PADICI_DNMADD(v, w, t[k]) : PADICI_DMADD(v, w, t[k]);
        }
        PADICI_UNROLL8
        for (i = 0; i <= PADICI_LOW; i++) sum[i] = PADICI_DADD(sum[i], PADICI_VXOR(t[i], sign));
    }
    for (j = 0; j < n; j++) { // columns j + 1 to n stand reversed, and the right side last
        const uint32_t m = n - j, odd = ((j * j - j) / 2 + (m * m - m) / 2 + m - 1) & 1;
        const PADICI_V sum = PADICI_DADD(sums[0][j], sums[1][j]);
        PADICI_VSTORE(y + j * apart, odd ? PADICI_VXOR(sum, top) : sum);
    }
}

// PADICI_LANES entries of each of as many systems, where they begin in x[i] of system i, become a
// vector for each entry.
PADICI_TARGET PADICI_INLINE void PADICI_K(turn)(PADICI_V *x)
{
    PADICI_V y[PADICI_LANES];
    uint32_t i;
#if PADICI_ISA_LEVEL == 1
    y[0] = vzip1q_u64(x[0], x[1]);
    y[1] = vzip2q_u64(x[0], x[1]);
    for (i = 0; i < 2; i++) x[i] = y[i];
#elif PADICI_ISA_LEVEL == 2
    for (i = 0; i < 4; i += 2) {
        y[i] = _mm256_unpacklo_epi64(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_epi64(x[i], x[i + 1]);
    }
    for (i = 0; i < 2; i++) {
        x[i] = _mm256_permute2x128_si256(y[i], y[i + 2], 0x20);
        x[i + 2] = _mm256_permute2x128_si256(y[i], y[i + 2], 0x31);
    }
#else
    PADICI_UNROLL
    for (i = 0; i < 8; i += 2) {
        y[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    PADICI_UNROLL
    for (i = 0; i < 4; i++) { // even lanes of 128 bits, odd ones
        const uint32_t j = i / 2 * 4 + i % 2;
        x[j] = _mm512_shuffle_i64x2(y[j], y[j + 2], 0x88);
        x[j + 2] = _mm512_shuffle_i64x2(y[j], y[j + 2], 0xdd);
    }
    PADICI_UNROLL
    for (i = 0; i < 4; i++) {
        y[i] = _mm512_shuffle_i64x2(x[i], x[i + 4], 0x88);
        y[i + 4] = _mm512_shuffle_i64x2(x[i], x[i + 4], 0xdd);
    }
    PADICI_UNROLL8
    for (i = 0; i < 8; i++) x[i] = y[i];
#endif
}

// What is put together of systems, `at` where each begins.
typedef struct PADICI_K(entries) {
    PADICI_V norm[8]; // squared, of the columns
    PADICI_V large;   // bits of what has 2^51 or more
} PADICI_K(entries);

// One entry as a double, and what it adds to the norm of its column.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(entry)(padic_dtype dtype, PADICI_V x, PADICI_V *norm,
                                                     PADICI_V *large)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0); // 1.5 2^52
    if (dtype == PADIC_I64)
        *large = PADICI_VOR(*large, PADICI_VSHR(PADICI_VADD(x, PADICI_VSET(UINT64_C(1) << 51)),
                                                PADICI_VSET(52)));
    x = PADICI_DSUB(PADICI_VADD(x, middle), middle);
    *norm = PADICI_DMADD(x, x, *norm);
    return x;
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(pick)(const void *data, padic_dtype dtype,
                                                    PADICI_V from, size_t i)
{
    const PADICI_V sign = PADICI_VSET(0x80000000u);
    if (dtype == PADIC_I64) return PADICI_GATHER((const uint64_t *)data + i, from);
    return PADICI_VSUB(PADICI_VXOR(PADICI_GATHER32((const uint32_t *)data + i, from), sign), sign);
}

// `count` entries of each system, in rows of `width`, which lie `n` + 1 apart in `a`. For entries
// that lie `step` apart, `width` is 1.
PADICI_TARGET PADICI_INLINE void PADICI_K(entries_in)(const void *data, padic_dtype dtype,
                                                      const uint64_t *at, size_t step,
                                                      uint32_t count, uint32_t width, uint32_t n,
                                                      uint64_t *a, PADICI_K(entries) *t)
{
    const PADICI_V from = PADICI_VLOAD(at);
    uint32_t i = 0, j, column = 0;
    PADICI_V x[PADICI_LANES];
    for (; step == 1 && i + PADICI_LANES <= count; i += PADICI_LANES) {
        PADICI_UNROLL8
        for (j = 0; j < PADICI_LANES; j++)
            x[j] = dtype == PADIC_I64 ? PADICI_VLOAD((const uint64_t *)data + at[j] + i)
                                      : PADICI_VLOADS((const int32_t *)data + at[j] + i);
        PADICI_K(turn)(x);
        PADICI_UNROLL8
        for (j = 0; j < PADICI_LANES; j++) {
            PADICI_VSTORE(a, PADICI_K(entry)(dtype, x[j], &t->norm[column], &t->large));
            a = PADICI_AT(a, ++column < width ? 1 : n + 2 - width);
            if (column == width) column = 0;
        }
    }
    for (; i < count; i++) {
        x[0] = PADICI_K(pick)(data, dtype, from, i * step);
        PADICI_VSTORE(a, PADICI_K(entry)(dtype, x[0], &t->norm[column], &t->large));
        a = PADICI_AT(a, ++column < width ? 1 : n + 2 - width);
        if (column == width) column = 0;
    }
}

// One vector of systems from `first` on (the last again beyond the count): det, 0 where numbers
// are too large, and the numerators over it, as doubles.
PADICI_TARGET PADICI_INLINE void PADICI_K(systems_minors)(const padic_num_systems *s,
                                                          padic_dtype dtype, uint32_t first)
{
    const uint32_t n = s->n, sides = s->sides, last = s->count - 1;
    const size_t apart = (size_t)sides * PADIC_NUM_SYSTEMS;
    const PADICI_V limit = PADICI_DSET(1267650600228229401496703205376.0); // 2^100
    const PADICI_V zero = PADICI_VSET(0), one = PADICI_DSET(1.0);
    uint64_t *const a = (uint64_t *)s->work, *const p = PADICI_AT(a, (size_t)n * (n + 1));
    uint64_t *const q = PADICI_AT(p, (size_t)1 << n);
    uint64_t *const det = (uint64_t *)(void *)s->det + first;
    uint64_t *z = (uint64_t *)(void *)s->numerator + first;
    uint64_t at[PADICI_LANES], right[PADICI_LANES];
    PADICI_K(entries) t;
    PADICI_V all = one, least = limit, x;
    PADICI_M good, here;
    uint32_t i, side;
    for (i = 0; i < 8; i++) t.norm[i] = zero;
    t.large = zero;
    for (i = 0; i < PADICI_LANES; i++) {
        right[i] = (uint64_t)(first + i < last ? first + i : last) * n;
        at[i] = right[i] * n;
        right[i] *= sides;
    }
    PADICI_K(entries_in)(s->matrix, dtype, at, 1, n * n, n, n, a, &t);
    for (i = 0; i < n; i++) {
        x = PADICI_VSEL(PADICI_DGT(t.norm[i], one), t.norm[i], one);
        all = PADICI_DMUL(all, x);
        least = PADICI_VSEL(PADICI_DGT(least, x), x, least);
    }
    good = PADICI_MAND(PADICI_VEQ(t.large, zero), PADICI_DGT(limit, all));
    if (n > 3) PADICI_K(minors)(a, n, p);
    for (side = 0; side < sides; side++) {
        t.large = t.norm[0] = zero;
        PADICI_K(entries_in)(s->right, dtype, right, sides, n, 1, n, PADICI_AT(a, n), &t);
        x = PADICI_VSEL(PADICI_DGT(t.norm[0], one), t.norm[0], one);
        here = PADICI_MAND(PADICI_VEQ(t.large, zero),
                           PADICI_DGT(PADICI_DMUL(limit, least), PADICI_DMUL(all, x)));
        good = PADICI_MAND(good, here);
        if (n == 3)
            PADICI_K(minors_all)(a, z, apart);
        else
            PADICI_K(minors_join)(a, n, p, q, z, apart);
        for (i = 0; i < n; i++)
            PADICI_VSTORE(z + i * apart, PADICI_VSEL(here, PADICI_VLOAD(z + i * apart), zero));
        z += PADIC_NUM_SYSTEMS;
        for (i = 0; i < PADICI_LANES; i++) right[i]++;
    }
    x = n == 3 ? PADICI_K(minors_all)(a, NULL, 0)
               : PADICI_VLOAD(PADICI_AT(p, ((size_t)1 << n) - 1));
    PADICI_VSTORE(det, PADICI_VSEL(good, x, zero));
}

// v of integers below 2^52, far too much for a shift where x = 0.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(twos)(PADICI_V x)
{
    const PADICI_V low = PADICI_VAND(x, PADICI_VSUB(PADICI_VSET(0), x));
    return PADICI_VSUB(PADICI_VSHR(PADICI_DFROM(low), PADICI_VSET(52)), PADICI_VSET(1023));
}

#define PADICI_SYSTEM_VECTORS 4

// to = gcd(to, from) of integers below 2^52, to > 0, in four vectors (Stein 1967).
PADICI_TARGET PADICI_INLINE void PADICI_K(gcds)(PADICI_V *to, const PADICI_V *from)
{
    const PADICI_V zero = PADICI_VSET(0);
    PADICI_V shift[PADICI_SYSTEM_VECTORS], u[PADICI_SYSTEM_VECTORS], w[PADICI_SYSTEM_VECTORS];
    PADICI_V x;
#define PADICI_STEP(j) \
    w[j] = from[j]; \
    shift[j] = PADICI_K(twos)(PADICI_VOR(to[j], w[j])); \
    u[j] = PADICI_VSHR(to[j], PADICI_K(twos)(to[j]));
    PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
#if PADICI_ISA_LEVEL >= 3
#define PADICI_STEP(j) \
    x = PADICI_VSEL(PADICI_VEQ(w[j], zero), u[j], PADICI_VSHR(w[j], PADICI_K(twos)(w[j]))); \
    w[j] = PADICI_VSUB(_mm512_max_epu64(u[j], x), _mm512_min_epu64(u[j], x)); \
    u[j] = _mm512_min_epu64(u[j], x);
#else
    PADICI_M more;
    PADICI_V d;
#define PADICI_STEP(j) \
    x = PADICI_VSEL(PADICI_VEQ(w[j], zero), u[j], PADICI_VSHR(w[j], PADICI_K(twos)(w[j]))); \
    more = PADICI_VGT(u[j], x); \
    d = PADICI_VSUB(u[j], x); \
    u[j] = PADICI_VSEL(more, x, u[j]); \
    w[j] = PADICI_VSEL(more, d, PADICI_VSUB(zero, d));
#endif
    while (PADICI_VANY(PADICI_VOR(PADICI_VOR(w[0], w[1]), PADICI_VOR(w[2], w[3])))) {
        PADICI_FOUR(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) to[j] = PADICI_VSHL(u[j], shift[j]);
    PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
}

// One right side of all vectors in lowest terms, as integers; `reduce` 0: over |det A|.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(systems_side)(const padic_num_systems *s,
                                                                 uint32_t side, uint32_t vectors)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0), one = PADICI_DSET(1.0);
    const PADICI_V top = PADICI_VSET(UINT64_C(1) << 63), zero = PADICI_VSET(0);
    const size_t apart = (size_t)s->sides * PADIC_NUM_SYSTEMS;
    const uint64_t *const det = (const uint64_t *)(const void *)s->det;
    uint64_t *const d = (uint64_t *)(void *)s->denominator + (size_t)side * PADIC_NUM_SYSTEMS;
    uint64_t *const y = (uint64_t *)(void *)s->numerator + (size_t)side * PADIC_NUM_SYSTEMS;
    PADICI_V g[PADICI_SYSTEM_VECTORS], inverse[PADICI_SYSTEM_VECTORS], u[PADICI_SYSTEM_VECTORS];
    PADICI_V w[PADICI_SYSTEM_VECTORS], x, any;
    uint32_t i, j;
    for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) {
        x = j < vectors ? PADICI_VLOAD(PADICI_AT(det, j)) : one;
        x = PADICI_VSEL(PADICI_DZERO(x), one, x);
        g[j] = s->reduce ? PADICI_VAND(x, PADICI_VXOR(top, PADICI_VSET(UINT64_MAX))) : one;
        inverse[j] = PADICI_DDIV(one, g[j]);
    }
    for (i = 0; s->reduce && i < s->n; i++) {
        any = zero;
        for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) { // y modulo g
            x = j < vectors ? PADICI_VLOAD(PADICI_AT(y + i * apart, j)) : zero;
            x = PADICI_DNMADD(PADICI_DROUND(PADICI_DMUL(x, inverse[j])), g[j], x);
            x = PADICI_VAND(x, PADICI_VXOR(top, PADICI_VSET(UINT64_MAX)));
            any = PADICI_VOR(any, x);
            u[j] = PADICI_DTO(g[j]);
            w[j] = PADICI_DTO(x);
        }
        if (!PADICI_VANY(any)) continue;
        PADICI_K(gcds)(u, w);
        for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) {
            g[j] = PADICI_DFROM(u[j]);
            inverse[j] = PADICI_DDIV(one, g[j]);
        }
    }
    for (j = 0; j < vectors; j++) {
        const PADICI_V b = PADICI_VLOAD(PADICI_AT(det, j)), sign = PADICI_VAND(b, top);
        x = PADICI_DROUND(PADICI_DMUL(PADICI_VXOR(b, sign), inverse[j]));
        PADICI_VSTORE(PADICI_AT(d, j), PADICI_VSUB(PADICI_DADD(x, middle), middle));
        for (i = 0; i < s->n; i++) {
            uint64_t *const to = PADICI_AT(y + i * apart, j);
            x = PADICI_DROUND(PADICI_DMUL(PADICI_VXOR(PADICI_VLOAD(to), sign), inverse[j]));
            PADICI_VSTORE(to, PADICI_VSUB(PADICI_DADD(x, middle), middle));
        }
    }
}

PADICI_TARGET static padic_result PADICI_K(systems)(const padic_num_systems *s)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0);
    uint32_t vectors, first, j, side;
    for (first = 0; first < s->count; first += PADICI_SYSTEM_VECTORS * PADICI_LANES) {
        padic_num_systems part = *s;
        part.det += first;
        part.numerator += first;
        part.denominator += first;
        vectors = (s->count - first + PADICI_LANES - 1) / PADICI_LANES;
        if (vectors > PADICI_SYSTEM_VECTORS) vectors = PADICI_SYSTEM_VECTORS;
        for (j = 0; j < vectors; j++) {
            if (s->dtype == PADIC_I32)
                PADICI_K(systems_minors)(s, PADIC_I32, first + j * PADICI_LANES);
            else
                PADICI_K(systems_minors)(s, PADIC_I64, first + j * PADICI_LANES);
        }
        for (side = 0; side < s->sides; side++) PADICI_K(systems_side)(&part, side, vectors);
        for (j = 0; j < vectors; j++) {
            uint64_t *const to = PADICI_AT((uint64_t *)(void *)part.det, j);
            PADICI_VSTORE(to, PADICI_VSUB(PADICI_DADD(PADICI_VLOAD(to), middle), middle));
        }
    }
    return PADIC_OK;
}

#undef PADICI_AT
#undef PADICI_LOW
#undef PADICI_LOW_ORDER
#undef PADICI_LOW_SETS
#undef PADICI_SYSTEM_VECTORS
#endif

#if PADICI_ISA_LEVEL == 4
#define PADICI_TWO(name) (kind ? NULL : PADICI_K(name##_odd))
#define PADICI_PICK PADICI_TWO
#else
#define PADICI_TWO(name) (kind == 1 ? PADICI_K(name##_two) : PADICI_K(name##_odd))
#define PADICI_PICK(name) (kind == 2 ? PADICI_K(name##_wide) : PADICI_TWO(name))
#endif

// The kernel of a call for each kind, or NULL.
static padici_simd_num_kernel PADICI_K(find)(const padic_num_call *call, int kind)
{
    const int ring = call->model == PADIC_NUM_RING;
    switch (call->kernel) {
    case PADIC_KERNEL_NUM_NEG:
    case PADIC_KERNEL_NUM_ADD:
    case PADIC_KERNEL_NUM_SUB:
        if (ring) return call->ring->unit_size == 4 ? PADICI_K(linear32) : PADICI_K(linear64);
        if (call->kernel == PADIC_KERNEL_NUM_NEG) return PADICI_PICK(float_neg);
        return PADICI_PICK(float_add);
    case PADIC_KERNEL_NUM_MUL:
#if PADICI_ISA_LEVEL >= 2
        if (ring && call->ring->form == PADIC_NUM_W32) return PADICI_K(mul32);
#endif
        return ring ? PADICI_PICK(ring_mul) : PADICI_PICK(float_mul);
    case PADIC_KERNEL_NUM_FMA: return ring ? PADICI_PICK(ring_fma) : PADICI_PICK(float_fma);
    case PADIC_KERNEL_NUM_INV:
    case PADIC_KERNEL_NUM_DIV: return PADICI_PICK(div);
    case PADIC_KERNEL_NUM_VALUATION:
        if (call->other[1]) return NULL; // norms
        if (!ring && call->b.unit) return PADICI_PICK(float_distance);
        return ring ? PADICI_PICK(ring_split) : PADICI_K(float_split);
    case PADIC_KERNEL_NUM_SPLIT: return ring ? PADICI_PICK(ring_split) : PADICI_K(float_split);
    case PADIC_KERNEL_NUM_HORNER:
        if (call->a.scalar) return NULL;
        return ring ? PADICI_PICK(ring_horner) : PADICI_PICK(float_horner);
    default: return NULL;
    }
}

// The same of those for kinds 0 and 1 only.
static padici_simd_num_kernel PADICI_K(find_small)(const padic_num_call *call, int kind)
{
    if (call->a.scalar || call->b.scalar) return NULL;
    switch (call->kernel) {
    case PADIC_KERNEL_NUM_TO_DIGITS:
    case PADIC_KERNEL_NUM_FROM_DIGITS:
        if ((call->k & 15) != PADIC_NUM_STANDARD || !call->stride || call->other[2] ||
            (call->dtype != PADIC_U8 && call->dtype != PADIC_U16 && call->dtype != PADIC_U32))
            return NULL;
        return call->kernel == PADIC_KERNEL_NUM_TO_DIGITS ? PADICI_TWO(digits)
                                                          : PADICI_TWO(of_digits);
    case PADIC_KERNEL_NUM_FROM_FLOAT:
        if (call->k & 255 || call->other[1] ||
            (call->dtype != PADIC_F64 && call->dtype != PADIC_F32))
            return NULL;
        return PADICI_TWO(of_floats);
    case PADIC_KERNEL_NUM_TO_RATIONAL:
        if (call->ring->bits > (PADICI_ISA_LEVEL == 2 ? 52 : 53) || call->stride >> 51 ||
            call->k >> 51)
            return NULL;
        return PADICI_TWO(rational);
    case PADIC_KERNEL_NUM_DOT: return call->model == PADIC_NUM_RING ? PADICI_TWO(ring_dot) : NULL;
    default: return NULL;
    }
}

// The loop that padici_series_run() gives the coefficients.
static void PADICI_K(series_loop)(padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    switch (call->kernel) {
    case PADIC_KERNEL_NUM_EXP:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(exp), padici_exp_words);
        break;
    case PADIC_KERNEL_NUM_LOG:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(log), padici_log_words);
        break;
    case PADIC_KERNEL_NUM_SQRT:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(sqrt), padici_sqrt_words);
        break;
    default:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(teichmueller),
                             padici_teichmueller_words);
    }
}

static padic_result PADICI_K(series_call)(padic_num_call *call)
{
    const padici_tables *t = padici_tables_of(call->ring);
    const int kind = padici_simd_num_kind(call->ring), kernel = (int)call->kernel;
    const padici_root *root = kernel == PADIC_KERNEL_NUM_SQRT ? (const padici_root *)call->options
                                                              : NULL;
    if (call->a.scalar) return PADIC_ERROR_NOT_SUPPORTED;
    if (kernel == PADIC_KERNEL_NUM_SQRT && (kind == 1 ? call->ring->precision < 3 : !t || !t->root))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (kernel == PADIC_KERNEL_NUM_TEICHMUELLER && kind != 1 && (!t || !t->teichmueller))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_series_run(call, root, kernel == PADIC_KERNEL_NUM_EXP, kernel == PADIC_KERNEL_NUM_LOG,
                      PADICI_K(series_loop));
    return PADIC_OK;
}

static padic_result PADICI_K(num_call)(padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    padici_simd_num_kernel kernel;
    if (call->ring->form == PADIC_NUM_RX) return PADICI_K(limbs_call)(call);
    if (call->ring->form == PADIC_NUM_W128) return PADICI_K(pairs_call)(call);
#if PADICI_ISA_LEVEL == 4
    if (kind) return padici_num_call_avx512(call);
#endif
    if (call->kernel >= PADIC_KERNEL_NUM_SQRT && call->kernel <= PADIC_KERNEL_NUM_TEICHMUELLER)
        return PADICI_K(series_call)(call);
    kernel = PADICI_K(find)(call, kind);
    if (!kernel && kind < 2) kernel = PADICI_K(find_small)(call, kind);
    if (call->kernel == PADIC_KERNEL_NUM_DOT && call->model == PADIC_NUM_FLOAT && kind < 2 &&
        call->count && !call->a.scalar && !call->b.scalar)
        return padici_simd_num_dot(call, PADICI_TWO(float_lanes));
    if (!kernel) return PADIC_ERROR_NOT_SUPPORTED;
    if (call->model == PADIC_NUM_RING && call->status)
        memset(call->status, 0, call->kernel == PADIC_KERNEL_NUM_DOT ? 1 : (size_t)call->count);
    switch (call->kernel) {
    case PADIC_KERNEL_NUM_DOT: call->bits |= (*kernel)(call); break;
    case PADIC_KERNEL_NUM_HORNER:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_horner_loop);
        break;
    case PADIC_KERNEL_NUM_TO_DIGITS:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_to_digits_loop);
        break;
    case PADIC_KERNEL_NUM_FROM_DIGITS:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_from_digits_loop);
        break;
    case PADIC_KERNEL_NUM_FROM_FLOAT:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_from_float_loop);
        break;
    case PADIC_KERNEL_NUM_TO_RATIONAL:
        padici_simd_num_ends(call, 2 * PADICI_LANES, kernel, padici_rational_fast);
        break;
    default: call->bits |= padici_simd_num_drive(call, 2 * PADICI_LANES, kernel);
    }
    return PADIC_OK;
}

#undef PADICI_V
#undef PADICI_M
#undef PADICI_LANES
#undef PADICI_VSET
#undef PADICI_VLOAD
#undef PADICI_VSTORE
#undef PADICI_VLOADU
#undef PADICI_VLOADS
#undef PADICI_VSTORE32
#undef PADICI_VSTORE8
#undef PADICI_DFLOOR
#undef PADICI_VLOAD16
#undef PADICI_VLOAD8
#undef PADICI_VSTORE16
#undef PADICI_VADD
#undef PADICI_VSUB
#undef PADICI_VMUL
#undef PADICI_VAND
#undef PADICI_VOR
#undef PADICI_VXOR
#undef PADICI_VSHL
#undef PADICI_VSHR
#undef PADICI_VEQ
#undef PADICI_VGT
#undef PADICI_VLT
#undef PADICI_VMUL32
#undef PADICI_VSEL
#undef PADICI_VANY
#undef PADICI_VLOW
#undef PADICI_MAND
#undef PADICI_MOR
#undef PADICI_MANY
#undef PADICI_NONE
#undef PADICI_DCAST
#undef PADICI_ICAST
#undef PADICI_DADD
#undef PADICI_DSUB
#undef PADICI_DMUL
#undef PADICI_DLOAD
#undef PADICI_DMSUB
#undef PADICI_DMADD
#undef PADICI_DDIV
#undef PADICI_DGT
#undef PADICI_DNMADD
#undef PADICI_DROUND
#undef PADICI_DZERO
#undef PADICI_DSET
#undef PADICI_DFROM
#undef PADICI_DLOADF
#undef PADICI_DTO
#undef PADICI_GATHER
#undef PADICI_GATHER32
#undef PADICI_W
#undef PADICI_WIDE
#undef PADICI_WSET
#undef PADICI_WADD
#undef PADICI_WSUB
#undef PADICI_WMUL
#undef PADICI_WLOW
#undef PADICI_WSUBMOD
#undef PADICI_HIGHS
#undef PADICI_HALVES
#undef PADICI_TARGET
#undef PADICI_WLOAD
#undef PADICI_WSTORE
#undef PADICI_WAND
#undef PADICI_BOTH
#undef PADICI_ALL
#undef PADICI_TWO
#undef PADICI_KIND
#undef PADICI_PICK
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
