// @per-level
#ifndef PADIC_NO_NUM

// exp and log: y with x = p^c y, or x = 1 + p^c y (p = 2: or -1 - 4 y), in the representation used
// in computations; *rare is not 0 in lanes for the generic loop.
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
    const padici_num_series *s = (const padici_num_series *)call->options;
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
        for (j = 0; j < 4; j++) { // past the end: the first vector again
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
                                              log ? padici_num_log_words : padici_num_exp_words);
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

// Integers modulo a small q. The result is a table index: below q, whatever a plane holds.
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

// Square roots as by padici_word_sqrt, of four vectors, from the known digits of z = 1 / root.
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
    const padici_num_tables *tables = padici_num_tables_of(call->ring);
    const uint32_t *seeds =
        kind == 1 ? NULL : (const uint32_t *)padici_num_table(tables, tables->root);
    const uint32_t lost = kind == 1 && !call->a.val ? PADIC_NUM_PRECLOSS : 0;
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1);
    uint32_t bits = 0, j;
    uint64_t i, at[4];
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_V u[4], z[4], x[4], v[4];
        PADICI_M bad[4];
        PADICI_UNROLL
        for (j = 0; j < 4; j++) { // past the end: the first vector again
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
                bits |= padici_simd_num_plain(call, at[j], PADICI_LANES, padici_num_sqrt_words);
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

// Teichmueller residues from the table; p = 2: 1 and -1, 0 for even residues.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(teichmueller)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    const padici_num_tables *tables = padici_num_tables_of(r);
    const uint64_t *table = kind == 1 ? NULL : padici_num_table(tables, tables->teichmueller);
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1), twos = PADICI_VSET(2);
    uint32_t bits = 0;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V x = PADICI_K(unit)(call, &call->a, i), v = none;
        if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        if (PADICI_MANY(PADICI_VGT(none, v))) { // or NaN
            bits |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_teichmueller_words);
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

#endif
