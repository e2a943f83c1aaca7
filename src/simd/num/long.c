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

// One column: low 2^52 + high plus the carry, which becomes low 2^52 + high again; returns the
// limb.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limbs_column_ifma(const padici_ifma_divisor *base,
                                                                    int few, __m512i low,
                                                                    __m512i high, __m512i carry[2])
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    __m512i x;
    low = PADICI_VADD(low, carry[0]);
    high = PADICI_VADD(PADICI_VADD(high, carry[1]), _mm512_srli_epi64(low, 52));
    carry[1] = PADICI_VSET(0);
    if (!few)
        carry[1] = padici_simd_num_limb_divide_ifma(base, _mm512_srli_epi64(high, 52),
                                                    PADICI_VAND(high, mask), &high);
    carry[0] = padici_simd_num_limb_divide_ifma(base, high, PADICI_VAND(low, mask), &x);
    return x;
}

// Truncated products, two columns at a time. A column is below L base^2 < 2^110; its halves of 52
// bits are summed separately. Operands are copied, so that their limbs are contiguous and the
// result may replace them.
PADICI_IFMA static uint32_t padici_simd_num_limbs_mul_ifma(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_ifma_divisor base = padici_simd_num_divisor_of_ifma(r->base);
    const padici_ifma_divisor top = padici_simd_num_divisor_of_ifma(r->power[r->top_digits][0]);
    const size_t tile = (size_t)32 * r->words * r->unit_size;
    const __m512i none = PADICI_VSET(0);
    const int few = r->base < (UINT64_C(1) << 51) / (r->words + 1); // high halves are below base
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    uint64_t local[2 * 8 * 4 + 8], *x = r->words < 4 ? local : (uint64_t *)call->workspace, *y, i;
    uint32_t at, j, k;
    x += (0u - (uintptr_t)x) % 64 / 8;
    y = x + 8 * (r->words + 1); // both with a top limb of 0
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += 8) {
            __m512i carry[2] = {none, none};
            for (k = 0; k < r->words; k++) {
                PADICI_VSTORE(x + 8 * k, padici_simd_num_limb_ifma(r, a, k, j));
                PADICI_VSTORE(y + 8 * k, padici_simd_num_limb_ifma(r, b, k, j));
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
                u = padici_simd_num_limbs_column_ifma(&base, few, low, high, carry);
                if (k + 1 == r->words) padici_simd_num_limb_divide_ifma(&top, none, u, &u);
                padici_simd_num_limb_store_ifma(r, out, k, j, u);
                if (k + 1 == r->words) break;
                u = padici_simd_num_limbs_column_ifma(&base, few, low1, high1, carry);
                if (k + 2 == r->words) padici_simd_num_limb_divide_ifma(&top, none, u, &u);
                padici_simd_num_limb_store_ifma(r, out, k + 1, j, u);
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

// Truncated products by columns. Operands are copied, each limb as two halves in one word.
PADICI_TARGET static uint32_t PADICI_K(limbs_mul)(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const size_t tile = (size_t)32 * r->words * r->unit_size;
    const PADICI_V none = PADICI_VSET(0), half = PADICI_VSET(25), word = PADICI_VSET(32);
    const PADICI_V mask = PADICI_VSET((1 << 25) - 1);
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    uint64_t *const x = (uint64_t *)call->workspace, *const y = x + PADICI_LANES * r->words, i;
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
    if (call->model == PADIC_NUM_BALL || call->a.scalar | call->b.scalar || call->count < 32)
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
