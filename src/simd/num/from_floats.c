// @per-level
#ifndef PADIC_NO_NUM

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

// Strips p from the whole m, not only from its residue: by the ladder modulo 2^64. *v are
// valuations. p may still divide a lane if P is small.
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
    padici_num_twos twos;
    uint64_t table[128];
    int made;
} PADICI_K(float_tables);

enum { PADICI_K(FLOAT_FIRST) = 1088 - 52 - 64 }; // the exponent of table[0], plus 1,088

static PADICI_NOINLINE void PADICI_K(float_tables_make)(const padic_num_ring *r,
                                                        PADICI_K(float_tables) *t)
{
    uint32_t k;
    t->made = 1;
    padici_num_twos_make(r, &t->twos);
    t->table[0] = padici_num_mul1(r, r->form, t->twos.low[PADICI_K(FLOAT_FIRST) & 63],
                              t->twos.high[PADICI_K(FLOAT_FIRST) >> 6]);
    for (k = 1; k < 128; k++)
        t->table[k] = padici_num_add1(r, r->form, t->table[k - 1], t->table[k - 1]);
    for (k = 0; PADICI_ISA_LEVEL != 4 && k < 64 + 33 + 128; k++) {
        uint64_t *const power = k < 64   ? &t->twos.low[k]
                                : k < 97 ? &t->twos.high[k - 64]
                                         : &t->table[k - 97];
        const double y = (double)(int64_t)*power;
        memcpy(power, &y, sizeof y);
    }
}

// Values that the vectors of a call share.
typedef struct PADICI_K(float_rules) {
    PADICI_K(ring) c;
    const PADICI_K(float_tables) *t;
    int wide; // f64, not f32: selects the fields
    PADICI_V hidden, shift, minus, top, bias;
    PADICI_V back[2]; // floor(2^52 / P), 2^52 mod P
#if PADICI_ISA_LEVEL >= 3
    PADICI_V low[2], sixteens; // 2^k and 2^(16 j): two products from registers beat a gather
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

// Odd p: m 2^e mod P, where e has 1,088 added.
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

// One vector of arbitrary floats. Returns the status bits; *rare are lanes for the generic loop.
// Odd p: m mod P times 2^e mod P. p = 2: m is the unit.
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
    const PADICI_V e = PADICI_VADD(PADICI_VSEL(subnormal, one, field), f->bias); // with 1,088 added
    PADICI_V m = PADICI_VAND(b, PADICI_VSUB(f->hidden, one));
    PADICI_M zero = PADICI_MAND(subnormal, PADICI_VEQ(m, none));
    PADICI_K(floats) x;
    m = PADICI_VSEL(subnormal, m, PADICI_VADD(m, f->hidden));
    x.v = x.bits = none;
    if (PADICI_MANY(PADICI_VEQ(field, f->top))) { // Inf, NaN
        *rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_from_float_loop);
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
                *rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_from_float_loop);
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
// an integer below 2^(52 + 2^s): y mod P needs one rounded quotient below 2^51, exact in doubles,
// then one product by one of eight powers of 2. Vectors with zeros or an exponent outside of the
// eight use the general path.
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
        const PADICI_V d = PADICI_VSUB(b, f->begin); // relative to the first of the eight exponents
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
        padici_num_ring_pow(r, &power[0], &half, 1075 - first, &temp);
        half = (UINT64_C(1) << (1u << s)) % r->base;
        for (i = 1; i < 8; i++) power[i] = padici_num_mul1(r, r->form, power[i - 1], half);
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

#endif
