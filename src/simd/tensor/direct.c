// @per-level
#ifndef PADIC_NO_TENSOR

// Small products of unpacked matrices. `n` is constant at each call.

// n rows of complex numbers, a vector of each: products with the real parts of a in v, with the
// imaginary ones in w.
PADICI_TARGET PADICI_INLINE void PADICI_GK(sum_paired)(uint32_t n,
                                                       const padici_simd_tensor_direct *d,
                                                       const PADICI_REAL *a, const PADICI_REAL *b,
                                                       PADICI_V *v, PADICI_V *w)
{
    const int64_t a_row = d->a_row, a_sum = d->a_sum, b_sum = d->b_sum;
    uint32_t i, k;
    for (k = d->depth; k; k--, a += a_sum, b += b_sum) {
        const PADICI_V y = PADICI_LOAD(b), z = PADICI_SWAPPED(y);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_REAL *x = a + (int64_t)i * a_row;
            v[i] = PADICI_FMA(PADICI_SET(x[0]), y, v[i]);
            w[i] = PADICI_FMA(PADICI_SET(x[1]), z, w[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) v[i] = PADICI_TURN(v[i], w[i]);
}

// n rows of real numbers, a vector of each in v; with `two` the next one in w.
PADICI_TARGET PADICI_INLINE void PADICI_GK(sum_real)(uint32_t n, const padici_simd_tensor_direct *d,
                                                     const PADICI_REAL *a, const PADICI_REAL *b,
                                                     int two, PADICI_V *v, PADICI_V *w)
{
    const int64_t a_row = d->a_row, a_sum = d->a_sum, b_sum = d->b_sum;
    uint32_t i, k = d->depth;
    if (two) {
        for (; k; k--, a += a_sum, b += b_sum) {
            const PADICI_V y = PADICI_LOAD(b), z = PADICI_LOAD(b + PADICI_LANES);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) {
                const PADICI_V x = PADICI_SET(a[(int64_t)i * a_row]);
                v[i] = PADICI_FMA(x, y, v[i]);
                w[i] = PADICI_FMA(x, z, w[i]);
            }
        }
    } else {
        for (; k; k--, a += a_sum, b += b_sum) {
            const PADICI_V y = PADICI_LOAD(b);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++)
                v[i] = PADICI_FMA(PADICI_SET(a[(int64_t)i * a_row]), y, v[i]);
        }
    }
}

// n rows of c, one vector of each; or two, of real numbers.
PADICI_TARGET PADICI_INLINE void PADICI_GK(rows)(uint32_t n, const padici_simd_tensor_direct *d,
                                                 const PADICI_REAL *a, const PADICI_REAL *b,
                                                 PADICI_REAL *c, int two)
{
    PADICI_V v[PADICI_MR], w[PADICI_MR];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) v[i] = w[i] = PADICI_NONE;
    if (d->paired)
        PADICI_GK(sum_paired)(n, d, a, b, v, w);
    else
        PADICI_GK(sum_real)(n, d, a, b, two, v, w);
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        PADICI_REAL *to = c + (int64_t)i * d->c_row;
        if (d->add) v[i] = PADICI_ADD(PADICI_LOAD(to), v[i]);
        PADICI_STORE(to, v[i]);
        if (!two) continue;
        to += PADICI_LANES;
        if (d->add) w[i] = PADICI_ADD(PADICI_LOAD(to), w[i]);
        PADICI_STORE(to, w[i]);
    }
}

// One row of c, n vectors of complex numbers: enough independent sums to hide the latency.
PADICI_TARGET PADICI_INLINE void PADICI_GK(row)(uint32_t n, const padici_simd_tensor_direct *d,
                                                const PADICI_REAL *a, const PADICI_REAL *b,
                                                PADICI_REAL *c)
{
    PADICI_V v[4], w[4];
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) v[i] = w[i] = PADICI_NONE;
    for (k = d->depth; k; k--, a += d->a_sum, b += d->b_sum) {
        const PADICI_V x = PADICI_SET(a[0]), y = PADICI_SET(a[1]);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V z = PADICI_LOAD(b + i * PADICI_LANES);
            v[i] = PADICI_FMA(x, z, v[i]);
            w[i] = PADICI_FMA(y, PADICI_SWAPPED(z), w[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        PADICI_REAL *to = c + i * PADICI_LANES;
        v[i] = PADICI_TURN(v[i], w[i]);
        if (d->add) v[i] = PADICI_ADD(PADICI_LOAD(to), v[i]);
        PADICI_STORE(to, v[i]);
    }
}

PADICI_TARGET static void PADICI_GK(direct)(const padici_simd_tensor_direct *d, const void *a_,
                                            const void *b_, void *c_)
{
    const PADICI_REAL *b = (const PADICI_REAL *)b_;
    PADICI_REAL *c = (PADICI_REAL *)c_;
    uint32_t i, j = 0, rows;
    const uint32_t vectors = d->rows == 1 && d->paired ? d->columns / PADICI_LANES : 0;
    for (i = vectors / 4; i > 0; i--, j += 4 * PADICI_LANES)
        PADICI_GK(row)(4, d, (const PADICI_REAL *)a_, b + j, c + j);
    for (i = vectors % 4 / 2; i > 0; i--, j += 2 * PADICI_LANES)
        PADICI_GK(row)(2, d, (const PADICI_REAL *)a_, b + j, c + j);
    while (j < d->columns) {
        const int two = !d->paired && d->columns - j >= PADICI_NR;
        for (i = 0; i < d->rows; i += rows) {
            const PADICI_REAL *a = (const PADICI_REAL *)a_ + (int64_t)i * d->a_row;
            PADICI_REAL *to = c + (int64_t)i * d->c_row + j;
            rows = d->rows - i >= PADICI_MR ? PADICI_MR : d->rows - i >= 4 ? 4 : 1;
            if (rows == PADICI_MR)
                PADICI_GK(rows)(PADICI_MR, d, a, b + j, to, two);
            else if (rows == 4)
                PADICI_GK(rows)(4, d, a, b + j, to, two);
            else
                PADICI_GK(rows)(1, d, a, b + j, to, two);
        }
        j += two ? PADICI_NR : PADICI_LANES;
    }
}

PADICI_FN const padici_simd_tensor_kernels *PADICI_GK(kernels)(void)
{
    static const padici_simd_tensor_kernels kernels = {
        PADICI_MR,         PADICI_NR,          PADICI_LANES,    PADICI_GK(pack_a),
        PADICI_GK(pack_b), PADICI_GK(product), PADICI_GK(line), PADICI_GK(direct)};
    return &kernels;
}

#endif
