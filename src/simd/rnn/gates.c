// @per-level
#if !defined(PADIC_NO_RNN) && PADICI_REAL_SIZE == 4

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(some)(const float *p, uint32_t n)
{
    return n >= PADICI_LANES ? PADICI_LOAD(p) : PADICI_PART_LOAD(p, n);
}

PADICI_TARGET PADICI_INLINE void PADICI_RK(put)(float *p, uint32_t n, PADICI_V v)
{
    if (n >= PADICI_LANES) PADICI_STORE(p, v);
    else PADICI_PART_STORE(p, n, v);
}

#define PADICI_LEFT(all, i) ((all) - (i) < PADICI_LANES ? (uint32_t)((all) - (i)) : PADICI_LANES)

PADICI_TARGET static void PADICI_RK(gru_reset)(const padici_rnn_cell *cell)
{
    const float *sums = (const float *)cell->sums, *h = (const float *)cell->h;
    float *out = (float *)cell->out;
    uint64_t i;
    for (i = 0; i < cell->units; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(cell->units, i);
        PADICI_RK(put)(out + i, n, PADICI_MUL(PADICI_RK(sigmoid)(PADICI_RK(some)(sums + i, n)),
                                              PADICI_RK(some)(h + i, n)));
    }
}

PADICI_TARGET static void PADICI_RK(gru)(const padici_rnn_cell *cell)
{
    const uint64_t all = cell->units;
    const float *sums = (const float *)cell->sums, *fresh = (const float *)cell->fresh;
    const float *h = (const float *)cell->h;
    float *out = (float *)cell->out;
    uint64_t i;
    for (i = 0; i < all; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(all, i);
        const PADICI_V z = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + all + i, n));
        const PADICI_V rest = PADICI_SUB(PADICI_SET(1), z), old = PADICI_RK(some)(h + i, n);
        PADICI_V a = PADICI_RK(some)(sums + 2 * all + i, n);
        if (fresh)
            a = PADICI_FMA(PADICI_RK(sigmoid)(PADICI_RK(some)(sums + i, n)),
                           PADICI_RK(some)(fresh + i, n), a);
        a = PADICI_RK(tanh)(a);
        PADICI_RK(put)(out + i, n, cell->replace ? PADICI_FMA(rest, old, PADICI_MUL(z, a))
                                                 : PADICI_FMA(rest, a, PADICI_MUL(z, old)));
    }
}

PADICI_TARGET static void PADICI_RK(lstm)(const padici_rnn_cell *cell)
{
    const uint64_t all = cell->units;
    const float *sums = (const float *)cell->sums, *c = (const float *)cell->c;
    float *out = (float *)cell->out, *out_c = (float *)cell->out_c;
    uint64_t i;
    for (i = 0; i < all; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(all, i);
        const PADICI_V in = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + i, n));
        const PADICI_V keep = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + all + i, n));
        const PADICI_V g = PADICI_RK(tanh)(PADICI_RK(some)(sums + 2 * all + i, n));
        const PADICI_V o = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + 3 * all + i, n));
        const PADICI_V next = PADICI_FMA(keep, PADICI_RK(some)(c + i, n), PADICI_MUL(in, g));
        PADICI_RK(put)(out_c + i, n, next);
        PADICI_RK(put)(out + i, n, PADICI_MUL(o, PADICI_RK(tanh)(next)));
    }
}

PADICI_TARGET static void PADICI_RK(activate)(padic_rnn_activation activation, double gain,
                                              uint64_t count, const void *in_, void *out_,
                                              uint32_t narrow)
{
    const float *in = (const float *)in_;
    float *out = (float *)out_;
    uint64_t i;
    (void)narrow;
    for (i = 0; i < count; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(count, i);
        PADICI_V v = PADICI_RK(some)(in + i, n);
        if (activation == PADIC_RNN_ACTIVATION_TANH) v = PADICI_RK(tanh)(v);
        else if (activation == PADIC_RNN_ACTIVATION_SIGMOID) v = PADICI_RK(sigmoid)(v);
        else if (activation == PADIC_RNN_ACTIVATION_RELU) v = PADICI_MOST(PADICI_NONE, v);
        PADICI_RK(put)(out + i, n, PADICI_MUL(v, PADICI_SET((float)gain)));
    }
}

PADICI_FN const padici_rnn_kernels *PADICI_RK(kernels)(void)
{
    static const padici_rnn_kernels kernels = {
        0,
        PADICI_PANEL,
        PADICI_RK(order),
        PADICI_RK(product),
        PADICI_RK(gru_reset),
        PADICI_RK(gru),
        PADICI_RK(lstm),
        PADICI_RK(activate)};
    return &kernels;
}

#endif
