// @per-level
#ifndef PADIC_NO_NUM

// Rational reconstruction as by padici_num_rational_fast, Euclid's algorithm in doubles: for r0 <
// 2^53 a rounded quotient never reaches the next integer, so its floor is right, and everything
// else is exact. t changes its sign in every row.

// Euclid's rows of two vectors to the first r <= most; r and t start from u and 1.
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

// Numerators and denominators from these; 0 if the generic loop is needed: NaN, or factors p^v that
// may not fit.
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
    divides = PADICI_K(rdivides)(c, kind, PADICI_K(in)(kind, d)); // also for d = 0
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
    for (j = 0; j < 64; j++) { // values that are too large are not used
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
                rare |= padici_simd_num_plain(call, at, PADICI_LANES, padici_num_rational_fast);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_BOTH(rational)

#endif
