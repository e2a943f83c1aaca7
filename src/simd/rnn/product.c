// @per-level
#if !defined(PADIC_NO_RNN) && PADICI_REAL_SIZE == 4

// sums += x W^T. Each sum is a chain over 128 columns at a time, whatever rows are beside it. n,
// rows and dtype are constant where a function is called.

// n vectors of a column of a panel.
PADICI_TARGET PADICI_INLINE void PADICI_RK(weights)(padic_dtype dtype, uint32_t n, const char *p,
                                                    PADICI_V *w)
{
    uint32_t v;
    PADICI_UNROLL_ALL
    for (v = 0; v < n; v++) {
        if (dtype == PADIC_F32) {
            w[v] = PADICI_LOAD((const float *)(const void *)p + v * PADICI_LANES);
        } else if (dtype == PADIC_F16) {
            w[v] = PADICI_HALF(p + 2 * v * PADICI_LANES);
        } else if (dtype == PADIC_I8) {
            w[v] = PADICI_BYTES(p + v * PADICI_LANES);
        } else if (v % 2 == 0) {
            const PADICI_W pair = PADICI_PAIR(p + 2 * v * PADICI_LANES);
            w[v] = PADICI_EVEN(pair);
            w[v + 1] = PADICI_ODD(pair);
        }
    }
}

// A block of columns of a panel by some rows of x, added to the first `count` sums of each.
PADICI_TARGET PADICI_INLINE void PADICI_RK(tile)(padic_dtype dtype, uint32_t n, uint32_t rows,
                                                 uint32_t depth, const char *p, const float *x,
                                                 uint64_t x_step, const float *scale, float *sums,
                                                 uint64_t sum_step, uint32_t count)
{
    const uint32_t bytes = PADICI_PANEL * (dtype == PADIC_F32 ? 4 : dtype == PADIC_I8 ? 1 : 2);
    PADICI_V acc[PADICI_ROWS][PADICI_VECTORS], w[PADICI_VECTORS];
    uint32_t i, v;
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++)
        PADICI_UNROLL_ALL
        for (v = 0; v < n; v++) acc[i][v] = PADICI_NONE;
    for (; depth; depth--, p += bytes, x++) {
        PADICI_RK(weights)(dtype, n, p, w);
        PADICI_UNROLL_ALL
        for (i = 0; i < rows; i++) {
            const PADICI_V factor = PADICI_SET(x[i * x_step]);
            PADICI_UNROLL_ALL
            for (v = 0; v < n; v++) acc[i][v] = PADICI_FMA(factor, w[v], acc[i][v]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++) {
        float *to = sums + i * sum_step;
        PADICI_UNROLL_ALL
        for (v = 0; v < n; v++) {
            const uint32_t first = v * PADICI_LANES;
            const uint32_t here = count < first ? 0 : count - first;
            const PADICI_V f = dtype == PADIC_I8 ? PADICI_LOAD(scale + first) : PADICI_SET(1);
            if (here >= PADICI_LANES)
                PADICI_STORE(to + first, PADICI_FMA(acc[i][v], f, PADICI_LOAD(to + first)));
            else if (here)
                PADICI_PART_STORE(to + first, here,
                                  PADICI_FMA(acc[i][v], f, PADICI_PART_LOAD(to + first, here)));
        }
    }
}

// All rows by a block of columns of a panel.
PADICI_TARGET PADICI_INLINE void PADICI_RK(strip)(padic_dtype dtype, uint32_t n,
                                                  const padici_rnn_product *q, uint32_t depth,
                                                  const char *p, const float *x, const float *scale,
                                                  float *sums, uint32_t count)
{
    uint64_t left = q->rows;
    for (; left >= PADICI_ROWS; left -= PADICI_ROWS) {
        PADICI_RK(tile)(dtype, n, PADICI_ROWS, depth, p, x, q->x_step, scale, sums, q->sum_step,
                        count);
        x += PADICI_ROWS * q->x_step;
        sums += PADICI_ROWS * q->sum_step;
    }
    for (; left >= 2; left -= 2) {
        PADICI_RK(tile)(dtype, n, 2, depth, p, x, q->x_step, scale, sums, q->sum_step, count);
        x += 2 * q->x_step;
        sums += 2 * q->sum_step;
    }
    if (left) PADICI_RK(tile)(dtype, n, 1, depth, p, x, q->x_step, scale, sums, q->sum_step, count);
}

PADICI_TARGET PADICI_INLINE void PADICI_RK(panels)(padic_dtype dtype, const padici_rnn_product *q)
{
    const padici_rnn_matrix *m = q->matrix;
    const uint64_t bytes = PADICI_PANEL * (dtype == PADIC_F32 ? 4 : dtype == PADIC_I8 ? 1 : 2);
    uint64_t first, k;
    for (first = 0; first < m->width; first += PADICI_PANEL) {
        const uint64_t more = m->width - first;
        const uint32_t count = more < PADICI_PANEL ? (uint32_t)more : PADICI_PANEL;
        const char *panel = (const char *)m->data + first / PADICI_PANEL * bytes * m->depth;
        const float *scale = m->scale ? (const float *)m->scale + first : NULL;
        for (k = 0; k < m->depth; k += PADICI_DEPTH) {
            const uint64_t left = m->depth - k;
            const uint32_t depth = left < PADICI_DEPTH ? (uint32_t)left : PADICI_DEPTH;
            const float *x = (const float *)q->x + k;
            float *sums = (float *)q->sums + first;
            if (count > 2 * PADICI_LANES)
                PADICI_RK(strip)(dtype, 4, q, depth, panel + k * bytes, x, scale, sums, count);
            else
                PADICI_RK(strip)(dtype, 2, q, depth, panel + k * bytes, x, scale, sums, count);
        }
    }
}

PADICI_TARGET static void PADICI_RK(panels_float)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_F32, q);
}

PADICI_TARGET static void PADICI_RK(panels_half)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_F16, q);
}

PADICI_TARGET static void PADICI_RK(panels_bfloat)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_BF16, q);
}

PADICI_TARGET static void PADICI_RK(panels_byte)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_I8, q);
}

// Rows as the caller has them: lanes along the columns.

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(stretch)(padic_dtype dtype, const char *p)
{
    if (dtype == PADIC_F32) return PADICI_LOAD((const float *)(const void *)p);
    if (dtype == PADIC_F16) return PADICI_HALF(p);
    if (dtype == PADIC_BF16) return PADICI_BFLOATS(p);
    return PADICI_BYTES(p);
}

// Dot products of n rows of weights, 8 or 1, with x.
PADICI_TARGET PADICI_INLINE void PADICI_RK(dots)(padic_dtype dtype, uint32_t n,
                                                 const padici_rnn_matrix *m, const char *row,
                                                 const float *x, float *dots)
{
    const uint32_t size = dtype == PADIC_F32 ? 4 : dtype == PADIC_I8 ? 1 : 2;
    char tail[4 * PADICI_LANES];
    PADICI_V acc[8];
    uint64_t k;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) acc[i] = PADICI_NONE;
    for (k = 0; k + PADICI_LANES <= m->depth; k += PADICI_LANES) {
        const PADICI_V factor = PADICI_LOAD(x + k);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++)
            acc[i] = PADICI_FMA(
                factor, PADICI_RK(stretch)(dtype, row + i * m->row_bytes + k * size), acc[i]);
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        if (k < m->depth) {
            const uint32_t left = (uint32_t)(m->depth - k);
            memset(tail, 0, sizeof tail);
            memcpy(tail, row + i * m->row_bytes + k * size, (size_t)left * size);
            acc[i] = PADICI_FMA(PADICI_PART_LOAD(x + k, left), PADICI_RK(stretch)(dtype, tail),
                                acc[i]);
        }
    }
    if (n == 8) PADICI_RK(totals)(acc, dots);
    else dots[0] = PADICI_TOTAL(acc[0]);
}

PADICI_TARGET PADICI_INLINE void PADICI_RK(rows)(padic_dtype dtype, const padici_rnn_product *q)
{
    const padici_rnn_matrix *m = q->matrix;
    uint64_t first, r;
    for (first = 0; first < m->width; first += 8) {
        const uint32_t n = m->width - first < 8 ? (uint32_t)(m->width - first) : 8;
        const char *row = (const char *)m->data + first * m->row_bytes;
        for (r = 0; r < q->rows; r++) {
            const float *x = (const float *)q->x + r * q->x_step;
            float *sums = (float *)q->sums + r * q->sum_step + first;
            float dots[8];
            uint32_t i;
            if (n == 8) PADICI_RK(dots)(dtype, 8, m, row, x, dots);
            else
                for (i = 0; i < n; i++)
                    PADICI_RK(dots)(dtype, 1, m, row + i * m->row_bytes, x, dots + i);
            for (i = 0; i < n; i++) {
                if (m->row_scale) dots[i] *= m->row_scale[first + i];
                sums[i] += dots[i];
            }
        }
    }
}

PADICI_TARGET static void PADICI_RK(rows_any)(const padici_rnn_product *q)
{
    if (q->matrix->dtype == PADIC_F32) PADICI_RK(rows)(PADIC_F32, q);
    else if (q->matrix->dtype == PADIC_F16) PADICI_RK(rows)(PADIC_F16, q);
    else if (q->matrix->dtype == PADIC_BF16) PADICI_RK(rows)(PADIC_BF16, q);
    else PADICI_RK(rows)(PADIC_I8, q);
}

static void PADICI_RK(product)(const padici_rnn_product *q)
{
    if (q->matrix->row_bytes) PADICI_RK(rows_any)(q);
    else if (q->matrix->dtype == PADIC_F32) PADICI_RK(panels_float)(q);
    else if (q->matrix->dtype == PADIC_F16) PADICI_RK(panels_half)(q);
    else if (q->matrix->dtype == PADIC_BF16) PADICI_RK(panels_bfloat)(q);
    else PADICI_RK(panels_byte)(q);
}

// Columns of a panel of BF16: of two vectors every other one.
static const uint8_t *PADICI_RK(order)(padic_dtype dtype)
{
#define PADICI_PLACE(i)                                                                          \
    (uint8_t)((i) / (2 * PADICI_LANES) * (2 * PADICI_LANES) + 2 * ((i) % PADICI_LANES) +         \
              (i) / PADICI_LANES % 2)
#define PADICI_PLACES(i)                                                                         \
    PADICI_PLACE(i), PADICI_PLACE(i + 1), PADICI_PLACE(i + 2), PADICI_PLACE(i + 3)
    static const uint8_t places[64] = {
        PADICI_PLACES(0),  PADICI_PLACES(4),  PADICI_PLACES(8),  PADICI_PLACES(12),
        PADICI_PLACES(16), PADICI_PLACES(20), PADICI_PLACES(24), PADICI_PLACES(28),
        PADICI_PLACES(32), PADICI_PLACES(36), PADICI_PLACES(40), PADICI_PLACES(44),
        PADICI_PLACES(48), PADICI_PLACES(52), PADICI_PLACES(56), PADICI_PLACES(60)};
    return dtype == PADIC_BF16 ? places : NULL;
}

#endif
