// @per-level
#ifndef PADIC_NO_NUM

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
            sum = padici_num_add1(r, r->form, sum, lane[0][i] % r->base);
            sum = padici_num_add1(r, r->form, sum,
                              padici_num_mul1(r, r->form, lane[1][i] % r->base,
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
        sum = padici_num_add1(r, r->form, sum, PADICI_K(dot_part)(call, kind, i, n));
    }
    for (; i < call->count; i++)
        sum = padici_num_add1(r, r->form, sum,
                          padici_num_mul1(r, r->form, padici_num_word(r, call->a.unit, i),
                                      padici_num_word(r, call->b.unit, i)));
    padici_num_word_set(r, call->c.unit, 0, sum);
    return 0;
}
PADICI_BOTH(ring_dot)

// Lane sums of a b for elements [first, end), at most 4,096, in the order of padici_sum_chunk: lane
// j of 32 takes every 32nd. Missing elements at the end count as ZERO. *bits are the status bits;
// returns 0 if there is an element that these sums cannot handle.
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
            padici_simd_num_tail_in(call, &part.a, at, n, PADICI_LANES, room[0], room_val[0]);
            padici_simd_num_tail_in(call, &part.b, at, n, PADICI_LANES, room[1], room_val[1]);
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

#endif
