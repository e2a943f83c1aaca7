// @per-level
#if !defined(PADIC_NO_ROLLOUT) && PADICI_REAL_SIZE == 4

// Each sum is one chain of FMA, in the order of the plain kernel, whatever cells are beside it.

// `cells` and `blocks` are constant where this is called: at most 6 times 2, or 12 times 1 vectors.
PADICI_TARGET PADICI_INLINE void PADICI_OK(tile)(uint32_t cells, uint32_t blocks,
                                                 const padici_rollout_conv *q, const float *in,
                                                 float *out)
{
    PADICI_V acc[6][32 / PADICI_LANES], w[32 / PADICI_LANES];
    const float *weights = (const float *)q->weights, *start = (const float *)q->start;
    const uint32_t each = 16 / PADICI_LANES, vectors = blocks * each;
    uint32_t dy, dx, i, c, v;
    PADICI_UNROLL_ALL
    for (c = 0; c < cells; c++)
        PADICI_UNROLL_ALL
        for (v = 0; v < vectors; v++) {
            const uint64_t lane = v % each * PADICI_LANES;
            acc[c][v] = start ? PADICI_LOAD(start + v / each * q->start_block + lane)
                              : PADICI_LOAD(out + c * q->out_cell + v / each * q->out_block + lane);
        }
    for (dy = 0; dy < q->kernel; dy++) {
        const float *x = in + dy * q->line;
        for (dx = 0; dx < q->kernel; dx++, x += 16)
            for (i = 0; i < q->inputs; i++, weights += 16) {
                PADICI_UNROLL_ALL
                for (v = 0; v < vectors; v++)
                    w[v] = PADICI_LOAD(weights + v / each * q->weights_block +
                                       v % each * PADICI_LANES);
                PADICI_UNROLL_ALL
                for (c = 0; c < cells; c++) {
                    const PADICI_V factor = PADICI_SET(x[c * q->in_cell + i]);
                    PADICI_UNROLL_ALL
                    for (v = 0; v < vectors; v++) acc[c][v] = PADICI_FMA(factor, w[v], acc[c][v]);
                }
            }
    }
    PADICI_UNROLL_ALL
    for (c = 0; c < cells; c++)
        PADICI_UNROLL_ALL
        for (v = 0; v < vectors; v++)
            PADICI_STORE(out + c * q->out_cell + v / each * q->out_block +
                             v % each * PADICI_LANES,
                         acc[c][v]);
}

PADICI_TARGET PADICI_INLINE void PADICI_OK(row)(uint32_t cells, uint32_t blocks,
                                                const padici_rollout_conv *q, const float *in,
                                                float *out)
{
    uint32_t x = 0;
    for (; x + cells <= q->cells; x += cells)
        PADICI_OK(tile)(cells, blocks, q, in + x * q->in_cell, out + x * q->out_cell);
    for (; x < q->cells; x++)
        PADICI_OK(tile)(1, blocks, q, in + x * q->in_cell, out + x * q->out_cell);
}

PADICI_TARGET static void PADICI_OK(conv)(const padici_rollout_conv *q)
{
    const float *in = (const float *)q->in;
    float *out = (float *)q->out;
    uint32_t y;
    for (y = 0; y < q->rows; y++, in += q->in_row, out += q->out_row) {
        if (q->blocks == 2) PADICI_OK(row)(PADICI_LANES == 16 ? 6 : 3, 2, q, in, out);
        else PADICI_OK(row)(6, 1, q, in, out);
    }
}

// Means in chunks of 64 cells in floats, which are added in doubles; then squares about that.
PADICI_TARGET PADICI_INLINE void PADICI_OK(chunks)(uint64_t count, const float *from,
                                                   const float *about, int squares, double *sums)
{
    float lanes[16];
    uint64_t first, i, end;
    uint32_t v;
    for (v = 0; v < 16; v++) sums[v] = 0;
    for (first = 0; first < count; first = end) {
        end = count - first < 64 ? count : first + 64;
        for (v = 0; v < 16; v += PADICI_LANES) {
            const PADICI_V center = PADICI_LOAD(about + v);
            PADICI_V even = PADICI_NONE, odd = PADICI_NONE;
            for (i = first; i < end; i += 2) {
                const PADICI_V x = PADICI_SUB(PADICI_LOAD(from + i * 16 + v), center);
                even = squares ? PADICI_FMA(x, x, even) : PADICI_ADD(even, x);
                if (i + 1 < end) {
                    const PADICI_V y = PADICI_SUB(PADICI_LOAD(from + (i + 1) * 16 + v), center);
                    odd = squares ? PADICI_FMA(y, y, odd) : PADICI_ADD(odd, y);
                }
            }
            PADICI_STORE(lanes + v, PADICI_ADD(even, odd));
        }
        for (v = 0; v < 16; v++) sums[v] += (double)lanes[v];
    }
}

// The first cell is a good center for the mean: a constant field has exactly itself.
PADICI_TARGET static void PADICI_OK(moments)(uint64_t count, const void *from_, double *mean,
                                             double *squares)
{
    const float *from = (const float *)from_;
    float about[16];
    uint32_t v;
    PADICI_OK(chunks)(count, from, from, 0, mean);
    for (v = 0; v < 16; v++) {
        mean[v] = (double)from[v] + mean[v] / (double)count;
        about[v] = (float)mean[v];
    }
    PADICI_OK(chunks)(count, from, about, 1, squares);
    for (v = 0; v < 16; v++) {
        const double off = mean[v] - (double)about[v];
        const double more = (double)count * off * off;
        squares[v] = squares[v] > more ? squares[v] - more : squares[v] < more ? 0 : squares[v];
    }
}

// Four chains: re re, im im, re im, im re.
PADICI_TARGET static void PADICI_OK(mix)(uint32_t inputs, const void *x_, const void *weights_,
                                         void *out_)
{
    const float *x = (const float *)x_, *weights = (const float *)weights_;
    float *out = (float *)out_;
    uint32_t v, i;
    for (v = 0; v < 16; v += PADICI_LANES) {
        const float *w = weights + v;
        PADICI_V rr = PADICI_NONE, ii = PADICI_NONE, ri = PADICI_NONE, ir = PADICI_NONE;
        for (i = 0; i < inputs; i++, w += 32) {
            const PADICI_V re = PADICI_SET(x[2 * i]), im = PADICI_SET(x[2 * i + 1]);
            const PADICI_V a = PADICI_LOAD(w), b = PADICI_LOAD(w + 16);
            rr = PADICI_FMA(re, a, rr);
            ii = PADICI_FMA(im, b, ii);
            ri = PADICI_FMA(re, b, ri);
            ir = PADICI_FMA(im, a, ir);
        }
        PADICI_STORE(out + v, PADICI_SUB(rr, ii));
        PADICI_STORE(out + 16 + v, PADICI_ADD(ri, ir));
    }
}

PADICI_FN const padici_rollout_kernels *PADICI_OK(kernels)(void)
{
    static const padici_rollout_kernels kernels = {0, PADICI_OK(map), PADICI_OK(conv),
                                                   PADICI_OK(moments), PADICI_OK(mix),
                                                   PADICI_HK(kernels), PADICI_OK(normals)};
    return &kernels;
}

#endif
