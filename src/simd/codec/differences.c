// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

#if PADICI_ISA_LEVEL < 3
PADICI_TARGET PADICI_INLINE void PADICI_CK(difference_loop)(const uint64_t *x, uint64_t *to,
                                                            size_t n, const padici_codec_op *op,
                                                            int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_codec_least(from + segment, n);
        const size_t edge = padici_codec_least(from + stride, end);
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_codec_fold(x[i]) : x[i];
        for (; i + PADICI_LANES <= end; i += PADICI_LANES) {
            const PADICI_V a = PADICI_L(load)(x + i), b = PADICI_L(load)(x + i - stride);
            const PADICI_V r = exclusive ? PADICI_L(bit_xor)(a, b) : PADICI_L(sub)(a, b);
            PADICI_L(store)(to + i, zigzag ? PADICI_L(fold)(r) : r);
        }
        for (; i < end; i++) {
            const uint64_t r = exclusive ? x[i] ^ x[i - stride] : x[i] - x[i - stride];
            to[i] = zigzag ? padici_codec_fold(r) : r;
        }
    }
}

PADICI_TARGET static void PADICI_CK(difference)(const uint64_t *x, uint64_t *to, size_t n,
                                                const padici_codec_op *op, int zigzag,
                                                int exclusive)
{
    if (x == to)
        padici_codec_difference(x, to, n, op, zigzag, exclusive);
    else if (exclusive)
        PADICI_CK(difference_loop)(x, to, n, op, 0, 1);
    else if (zigzag)
        PADICI_CK(difference_loop)(x, to, n, op, 1, 0);
    else
        PADICI_CK(difference_loop)(x, to, n, op, 0, 0);
}
#endif

PADICI_TARGET static void PADICI_CK(lower)(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    const PADICI_V low = PADICI_L(all)(first);
    size_t i;
    for (i = 0; i + PADICI_LANES <= n; i += PADICI_LANES) {
        const PADICI_V v = PADICI_L(sub)(PADICI_L(load)(x + i), low);
        PADICI_L(store)(x + i, PADICI_SHR(v, shift));
    }
    padici_codec_lower_loop(x + i, n - i, first, shift);
}

#endif
