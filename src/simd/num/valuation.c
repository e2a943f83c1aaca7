// @per-level
#ifndef PADIC_NO_NUM

// Fast path of ring_split for large p: four vectors without a multiple of p, from i on. Returns
// where it stopped: at four with one, or near the end. Units are words of 64 bits.
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
        if (val) { // two numbers per word
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

// The status of a NaN valuation is its unit.
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
        // if they differ, the smaller one
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

#endif
