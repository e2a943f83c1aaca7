// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

PADICI_TARGET PADICI_INLINE void PADICI_CK(unfold)(uint64_t *x, size_t i, size_t end)
{
    for (; i + PADICI_LANES <= end; i += PADICI_LANES)
        PADICI_L(store)(x + i, PADICI_L(unfold)(PADICI_L(load)(x + i)));
    for (; i < end; i++) x[i] = padici_codec_unfold(x[i]);
}

// x[i] from x[i - stride], stride at least a vector; whole vectors; returns where it stops.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(sum_far)(uint64_t *x, size_t i, size_t end,
                                                      size_t stride, int zigzag, int exclusive)
{
    for (; i + PADICI_LANES <= end; i += PADICI_LANES) {
        PADICI_V r = PADICI_L(load)(x + i);
        const PADICI_V before = PADICI_L(load)(x + i - stride);
        if (zigzag) r = PADICI_L(unfold)(r);
        r = exclusive ? PADICI_L(bit_xor)(r, before) : PADICI_L(add)(r, before);
        PADICI_L(store)(x + i, r);
    }
    return i;
}

PADICI_TARGET PADICI_INLINE void PADICI_CK(sum_loop)(uint64_t *x, size_t i, size_t to,
                                                     const padici_codec_op *op, uint64_t carry[8],
                                                     int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
#if PADICI_ISA_LEVEL == 3
    if (PADICI_CK(sum_rows)(x, i, to, op, carry, zigzag, exclusive)) return;
#endif
    while (i < to) {
        const size_t place = i % segment, end = padici_codec_least(i + segment - place, to);
        if (stride >= 8) {
            const size_t edge = place < stride ? padici_codec_least(i + stride - place, end) : i;
            if (zigzag) PADICI_CK(unfold)(x, i, edge);
            i = PADICI_CK(sum_far)(x, edge, end, stride, zigzag, exclusive);
        } else if (end - i >= 16) {
            if (place == 0) memset(carry, 0, 8 * sizeof *carry);
#if PADICI_ISA_LEVEL > 1 // two lanes do not pay for the extra steps
            i = PADICI_CK(sum_near)(x, i, end, place, op->stride, carry, zigzag, exclusive);
#endif
        }
        if (i < end) padici_codec_sum(x, i, end, op, carry, zigzag, exclusive);
        i = end;
    }
}

PADICI_TARGET static void PADICI_CK(sum)(uint64_t *x, size_t from, size_t to,
                                         const padici_codec_op *op, uint64_t carry[8], int zigzag,
                                         int exclusive)
{
    if (exclusive)
        PADICI_CK(sum_loop)(x, from, to, op, carry, 0, 1);
    else if (zigzag)
        PADICI_CK(sum_loop)(x, from, to, op, carry, 1, 0);
    else
        PADICI_CK(sum_loop)(x, from, to, op, carry, 0, 0);
}

#endif
