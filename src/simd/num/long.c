// @per-level
#ifndef PADIC_NO_NUM

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
    if (call->op == PADIC_OP_NUM_NEG) b = a;
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += PADICI_LANES) {
            PADICI_V carry = none;
            for (k = 0; k < r->words; k++) {
                const PADICI_V base = PADICI_VSET(padici_num_limb_base(r, k));
                const PADICI_V y = PADICI_K(limb)(r, b, k, j);
                PADICI_V x = call->op == PADIC_OP_NUM_NEG ? none
                                                                  : PADICI_K(limb)(r, a, k, j);
                if (call->op == PADIC_OP_NUM_ADD) {
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
// Division of x = high 2^52 + low, high < d, by d < 2^52: see padici_num_divide, with words of 52
// bits.
typedef struct padici_ifma_divisor {
    __m512i d, v, up, down; // d shifted up to 52 bits, its reciprocal, the shift, 52 minus it
} padici_ifma_divisor;

PADICI_IFMA PADICI_INLINE padici_ifma_divisor padici_simd_num_divisor_of_ifma(uint64_t d)
{
    const uint32_t up = padici_clz64(d) - 12;
    padici_ifma_divisor c;
    c.d = PADICI_VSET(d << up);
    // floor((2^104 - 1) / d) - 2^52 from that of 2^128 and 2^64, which has 12 bits more
    c.v = PADICI_VSET(padici_num_reciprocal(d << (up + 12)) >> 12);
    c.up = PADICI_VSET(up);
    c.down = PADICI_VSET(52 - up);
    return c;
}

PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limb_divide_ifma(const padici_ifma_divisor *c,
                                                                   __m512i high, __m512i low,
                                                                   __m512i *rest)
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

// What a column is reduced by: 2^(k-1) <= base < 2^k, floor(2^(52+k) / base) - 2^52.
typedef struct padici_ifma_limb {
    __m512i base, two, mu, up, down; // base, 2 base, the shifts 52 - k and k
    int few; // the columns of a product are below 2^(52+k)
} padici_ifma_limb;

PADICI_IFMA static padici_ifma_limb padici_simd_num_limb_of_ifma(const padic_num_ring *r,
                                                                 uint32_t n)
{
    const uint32_t k = 64 - padici_clz64(r->base);
    const padici_num_wide top = padici_num_wide_shl(padici_num_wide_make(1, 0), 52 + k);
    const padici_num_wide q = padici_num_wide_div(top, padici_num_wide_make(r->base, 0), NULL);
    const uint64_t most = (UINT64_C(1) << 52) - 1, mu = q.low - most - 1;
    padici_ifma_limb c;
    c.base = PADICI_VSET(r->base);
    c.two = PADICI_VSET(2 * r->base);
    c.mu = PADICI_VSET(mu < most ? mu : most); // a power of two: one less
    c.up = PADICI_VSET(52 - k);
    c.down = PADICI_VSET(k);
    c.few = r->base <= q.low / (n + 2);
    return c;
}

// x below 4 base, as x + q base with x below the base.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limb_low_ifma(const padici_ifma_limb *c,
                                                                __m512i x, __m512i *q)
{
    const __m512i one = PADICI_VSET(1);
    __mmask8 m = _mm512_cmpge_epu64_mask(x, c->two);
    x = _mm512_mask_sub_epi64(x, m, x, c->two);
    *q = _mm512_maskz_add_epi64(m, one, one);
    m = _mm512_cmpge_epu64_mask(x, c->base);
    *q = _mm512_mask_add_epi64(*q, m, *q, one);
    return _mm512_mask_sub_epi64(x, m, x, c->base);
}

// A column, low + 2^52 high, becomes x and the carries to the next one, which are not in it yet:
// carry[0] + 2^52 carry[1] of the division, whose quotient is less than 4 too small, and *over of
// the remainder, which is reduced apart from it.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limbs_column_ifma(const padici_ifma_limb *c,
                                                                    __m512i low, __m512i high,
                                                                    __m512i carry[2], __m512i *over)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1), one = PADICI_VSET(1);
    __m512i u, q, x;
    __mmask8 m;
    low = PADICI_VADD(low, carry[0]);
    high = PADICI_VADD(PADICI_VADD(high, carry[1]), _mm512_srli_epi64(low, 52));
    carry[1] = PADICI_VSET(0);
    if (!c->few) {
        u = PADICI_VSHR(high, c->down);
        q = _mm512_madd52hi_epu64(u, u, c->mu);
        high = PADICI_VAND(PADICI_VSUB(high, _mm512_madd52lo_epu64(carry[1], q, c->base)), mask);
        high = padici_simd_num_limb_low_ifma(c, high, &u);
        carry[1] = PADICI_VADD(q, u);
    }
    low = PADICI_VAND(low, mask);
    u = PADICI_VOR(PADICI_VSHL(high, c->up), PADICI_VSHR(low, c->down));
    q = _mm512_madd52hi_epu64(u, u, c->mu);
    x = PADICI_VAND(PADICI_VSUB(low, _mm512_madd52lo_epu64(PADICI_VSET(0), q, c->base)), mask);
    carry[0] = q;
    x = PADICI_VADD(padici_simd_num_limb_low_ifma(c, x, &q), *over);
    m = _mm512_cmpge_epu64_mask(x, c->base);
    *over = _mm512_mask_add_epi64(q, m, q, one);
    return _mm512_mask_sub_epi64(x, m, x, c->base);
}

// The product of packs, two columns at a time. A column is below n base^2 < 2^110; its halves of 52
// bits are summed separately.
PADICI_IFMA static void padici_simd_num_packs_product_ifma(const padici_num_packs *p, uint64_t *x,
                                                           uint32_t n, const uint64_t *a,
                                                           uint32_t an, const uint64_t *b,
                                                           uint32_t bn, const uint64_t *add,
                                                           uint32_t step, int minus)
{
    const padici_ifma_limb c = padici_simd_num_limb_of_ifma(p->ring, an < bn ? an : bn);
    const __m512i none = PADICI_VSET(0);
    __m512i carry[2] = {none, none}, over = none, borrow = none;
    uint32_t i, k, odd;
    for (k = 0; k < n; k += 2) {
        const uint32_t end = k + 1 < bn ? k + 1 : bn;
        __m512i low[2] = {none, none}, high[2] = {none, none}, u, v, w;
        i = k + 2 > an ? k + 2 - an : 0;
        if (i && i <= end) {
            u = PADICI_VLOAD(b + 8 * (i - 1));
            v = PADICI_VLOAD(a + 8 * (an - 1));
            low[0] = _mm512_madd52lo_epu64(low[0], u, v);
            high[0] = _mm512_madd52hi_epu64(high[0], u, v);
        }
        if (k + 1 < bn) {
            u = PADICI_VLOAD(b + 8 * (k + 1));
            v = PADICI_VLOAD(a);
            low[1] = _mm512_madd52lo_epu64(low[1], u, v);
            high[1] = _mm512_madd52hi_epu64(high[1], u, v);
        }
        w = i < end ? PADICI_VLOAD(a + 8 * (k + 1 - i)) : none;
        for (; i < end; i++) {
            u = PADICI_VLOAD(b + 8 * i);
            v = PADICI_VLOAD(a + 8 * (k - i));
            low[0] = _mm512_madd52lo_epu64(low[0], u, v);
            high[0] = _mm512_madd52hi_epu64(high[0], u, v);
            low[1] = _mm512_madd52lo_epu64(low[1], u, w);
            high[1] = _mm512_madd52hi_epu64(high[1], u, w);
            w = v;
        }
        for (odd = 0; odd < 2 && k + odd < n; odd++) {
            const uint64_t *const at = add + (step == 1 ? k + odd : 8 * (k + odd));
            v = !add ? none : step == 1 ? PADICI_VSET(*at) : PADICI_VLOAD(at);
            if (!minus) low[odd] = PADICI_VADD(low[odd], v);
            u = padici_simd_num_limbs_column_ifma(&c, low[odd], high[odd], carry, &over);
            if (minus) {
                u = PADICI_VADD(PADICI_VSUB(v, u), borrow);
                borrow = _mm512_srai_epi64(u, 63);
                u = PADICI_VLOW(u, PADICI_VADD(u, c.base));
            }
            PADICI_VSTORE(x + 8 * (k + odd), u);
        }
    }
}

// A top limb, cut to its digits.
PADICI_IFMA PADICI_INLINE void padici_simd_num_limbs_cut_ifma(const padic_num_ring *r, uint64_t *x)
{
    const padici_ifma_divisor top = padici_simd_num_divisor_of_ifma(r->power[r->top_digits][0]);
    __m512i rest;
    if (r->top_digits == r->limb_digits) return;
    padici_simd_num_limb_divide_ifma(&top, PADICI_VSET(0), PADICI_VLOAD(x), &rest);
    PADICI_VSTORE(x, rest);
}
#else
// x mod d for x, d < 2^49.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limb_modulo)(PADICI_V x, uint64_t d)
{
    const uint32_t up = padici_clz64(d);
    const PADICI_V n = PADICI_VSET(d << up), k = PADICI_VSET(up);
    PADICI_V rest;
    PADICI_K(divide64)(PADICI_VSHR(x, PADICI_VSET(64 - up)), PADICI_VSHL(x, k), n,
                       PADICI_VSET(padici_num_reciprocal(d << up)), &rest);
    return PADICI_VSHR(rest, k);
}

// A column of products of limbs in halves of 25 bits: the limb, and the carry.
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

// A top limb, cut to its digits.
PADICI_TARGET PADICI_INLINE void PADICI_K(limbs_cut)(const padic_num_ring *r, uint64_t *x)
{
    if (r->top_digits == r->limb_digits) return;
    PADICI_VSTORE(x, PADICI_K(limb_modulo)(PADICI_VLOAD(x), r->power[r->top_digits][0]));
}

// The product of packs by columns. Operands are copied, each limb as two halves in one word.
PADICI_TARGET static void PADICI_K(packs_product)(const padici_num_packs *p, uint64_t *x,
                                                  uint32_t n, const uint64_t *a, uint32_t an,
                                                  const uint64_t *b, uint32_t bn,
                                                  const uint64_t *add, uint32_t step, int minus)
{
    const PADICI_V none = PADICI_VSET(0), half = PADICI_VSET(25), word = PADICI_VSET(32);
    const PADICI_V mask = PADICI_VSET((1 << 25) - 1), base = PADICI_VSET(p->ring->base);
    uint64_t *const s = p->temp, *const t = s + (size_t)PADICI_LANES * an;
    PADICI_V carry = none, borrow = none, u, v;
    uint32_t i, k;
    for (k = 0; k < an + bn; k++) {
        u = PADICI_VLOAD(k < an ? a + PADICI_LANES * k : b + PADICI_LANES * (k - an));
        v = PADICI_VSHL(PADICI_VSHR(u, half), word);
        PADICI_VSTORE(s + PADICI_LANES * k, PADICI_VOR(PADICI_VAND(u, mask), v));
    }
    for (k = 0; k < n; k++) {
        const uint32_t end = k + 1 < an ? k + 1 : an;
        PADICI_V low = none, middle = none, high = none, more = none;
        for (i = k + 1 > bn ? k + 1 - bn : 0; i < end; i++) {
            const PADICI_V u0 = PADICI_VLOAD(s + PADICI_LANES * i);
            const PADICI_V v0 = PADICI_VLOAD(t + PADICI_LANES * (k - i));
            u = PADICI_VSHR(u0, word);
            v = PADICI_VSHR(v0, word);
            low = PADICI_VADD(low, PADICI_VMUL32(u0, v0));
            middle = PADICI_VADD(middle, PADICI_VMUL32(u, v0));
            middle = PADICI_VADD(middle, PADICI_VMUL32(u0, v));
            high = PADICI_VADD(high, PADICI_VMUL32(u, v));
        }
        if (add) more = step == 1 ? PADICI_VSET(add[k]) : PADICI_VLOAD(add + PADICI_LANES * k);
        if (!minus) carry = PADICI_VADD(carry, more);
        u = PADICI_K(limbs_column)(p->ring, low, middle, high, &carry);
        if (minus) {
            u = PADICI_VADD(PADICI_VSUB(more, u), borrow);
            borrow = PADICI_VSEL(PADICI_VGT(none, u), PADICI_VSET(-1), none);
            u = PADICI_VLOW(u, PADICI_VADD(u, base));
        }
        PADICI_VSTORE(x + PADICI_LANES * k, u);
    }
}
#endif

// Truncated products. Operands are copied, so that their limbs are contiguous and the result may
// replace them.
PADICI_TARGET static uint32_t PADICI_K(limbs_mul)(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const size_t tile = (size_t)32 * r->words * r->unit_size, size = PADICI_LANES * r->words;
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    uint64_t *const x = padici_num_pack_memory(call->workspace), *const y = x + size;
    uint64_t *const z = y + size, i;
    padici_num_packs p;
    uint32_t j, k;
    memset(&p, 0, sizeof p);
    p.ring = r;
    p.lanes = PADICI_LANES;
    p.temp = z + size;
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += PADICI_LANES) {
            for (k = 0; k < r->words; k++) {
                PADICI_VSTORE(x + PADICI_LANES * k, PADICI_K(limb)(r, a, k, j));
                PADICI_VSTORE(y + PADICI_LANES * k, PADICI_K(limb)(r, b, k, j));
            }
            PADICI_K(packs_product)(&p, z, r->words, x, r->words, y, r->words, NULL, 0, 0);
            PADICI_K(limbs_cut)(r, z + PADICI_LANES * (r->words - 1));
            for (k = 0; k < r->words; k++)
                PADICI_K(limb_store)(r, out, k, j, PADICI_VLOAD(z + PADICI_LANES * k));
        }
    return 0;
}

// Residues of two words, RING: the high word is `high` elements further on.

// a + b, a - b, -a: as x - y, with P - b for b or 0 for a.
PADICI_TARGET static uint32_t PADICI_K(pairs_linear)(const padic_num_call *call)
{
    const padic_num_planes *pb = call->op == PADIC_OP_NUM_NEG ? &call->a : &call->b;
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)pb->unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const PADICI_V p0 = PADICI_VSET(call->ring->modulus[0]), none = PADICI_VSET(0);
    const PADICI_V p1 = PADICI_VSET(call->ring->modulus[1]), one = PADICI_VSET(1);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V y0 = PADICI_VLOAD(b + i), y1 = PADICI_VLOAD(b + pb->high + i);
        PADICI_V x0 = none, x1 = none, less, more;
        if (call->op == PADIC_OP_NUM_ADD) {
            less = PADICI_VSEL(PADICI_VLT(p0, y0), one, none);
            y0 = PADICI_VSUB(p0, y0);
            y1 = PADICI_VSUB(PADICI_VSUB(p1, y1), less);
        }
        if (call->op != PADIC_OP_NUM_NEG) {
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
// x = a b 2^-156 mod P (Montgomery), in three words of 52 bits, possibly slightly above P.
PADICI_IFMA PADICI_INLINE void padici_simd_num_pairs_montgomery_ifma(const __m512i *p,
                                                                     __m512i inverse,
                                                                     const __m512i *a,
                                                                     const __m512i *b, __m512i *x)
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

PADICI_IFMA PADICI_INLINE void padici_simd_num_pairs_split_ifma(__m512i low, __m512i high,
                                                                __m512i *x)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    x[0] = PADICI_VAND(low, mask);
    x[1] = PADICI_VAND(PADICI_VOR(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12)), mask);
    x[2] = _mm512_srli_epi64(high, 40);
}

// Odd P: the second product, by 2^312 mod P, restores the factor.
PADICI_IFMA static uint32_t padici_simd_num_pairs_mul_ifma(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)call->b.unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const __m512i p0 = PADICI_VSET(r->modulus[0]), p1 = PADICI_VSET(r->modulus[1]);
    const __m512i inverse = PADICI_VSET(r->mont_inverse), none = PADICI_VSET(0);
    padici_num_wide square = padici_num_wide_make(r->mont_square[0], r->mont_square[1]); // 2^256
    __m512i p[3], back[3], x[3], y[3], low, high, less;
    uint64_t i;
    for (i = 256; i < 312; i++) square = padici_num_add2(r, square, square);
    padici_simd_num_pairs_split_ifma(p0, p1, p);
    padici_simd_num_pairs_split_ifma(PADICI_VSET(square.low), PADICI_VSET(square.high), back);
    for (i = 0; i < call->count; i += 8) {
        padici_simd_num_pairs_split_ifma(PADICI_VLOAD(a + i), PADICI_VLOAD(a + call->a.high + i),
                                         x);
        padici_simd_num_pairs_split_ifma(PADICI_VLOAD(b + i), PADICI_VLOAD(b + call->b.high + i),
                                         y);
        padici_simd_num_pairs_montgomery_ifma(p, inverse, x, y, x);
        padici_simd_num_pairs_montgomery_ifma(p, inverse, x, back, x);
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
    switch (call->op) {
    case PADIC_OP_NUM_ADD:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_num_add_loop);
        break;
    case PADIC_OP_NUM_SUB:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_num_sub_loop);
        break;
    case PADIC_OP_NUM_NEG:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_num_neg_loop);
        break;
#if PADICI_ISA_LEVEL == 4
    case PADIC_OP_NUM_MUL:
        if (call->ring->p == 2) return PADIC_ERROR_NOT_SUPPORTED;
        padici_simd_num_ends(call, PADICI_LANES, padici_simd_num_pairs_mul_ifma,
                             padici_num_mul_loop);
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
    if (call->ring->base >> 49) return PADIC_ERROR_NOT_SUPPORTED; // limbs of more than 49 bits
    if (padici_num_packs_has(call->op) || (call->op == PADIC_OP_NUM_MUL && call->count < 32))
        return padici_num_packs_run(call, PADICI_LANES, PADICI_K(packs_product));
    if (call->model == PADIC_NUM_BALL || call->out.val16 | call->a.val16 | call->b.val16 ||
        call->a.scalar | call->b.scalar || call->count < 32)
        return PADIC_ERROR_NOT_SUPPORTED;
    switch (call->op) {
    case PADIC_OP_NUM_ADD: loop = padici_num_add_loop; break;
    case PADIC_OP_NUM_SUB: loop = padici_num_sub_loop; break;
    case PADIC_OP_NUM_NEG: loop = padici_num_neg_loop; break;
    case PADIC_OP_NUM_MUL:
        loop = padici_num_mul_loop;
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

#endif
