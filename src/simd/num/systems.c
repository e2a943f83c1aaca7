// @per-level
#ifndef PADIC_NO_NUM

#if PADICI_ISA_LEVEL != 4
// Systems of small integers, one in each lane. All minors of the columns are sums of products of an
// entry and a smaller minor, computed in doubles, and exact: by Cauchy's inequality the product of
// the norms of the columns also bounds every partial sum. `a` has n rows of n + 1 columns.

#define PADICI_AT(p, i) ((p) + (size_t)(i) * PADICI_LANES)

// The low rows: minors of a set of other rows combined with each set of these stay in registers.
#if PADICI_ISA_LEVEL == 2
#define PADICI_LOW 3
#define PADICI_LOW_ORDER 0, 1, 2, 4, 3, 5, 6, 7
#else
#define PADICI_LOW 4
#define PADICI_LOW_ORDER 0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15
#endif
#define PADICI_LOW_SETS (1 << PADICI_LOW)

// x = a p - x, for the sets of low rows by their size: each size has its column.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_row)(const uint64_t *a, const uint64_t *p,
                                                      int step, PADICI_V *x)
{
    static const uint8_t order[PADICI_LOW_SETS] = {PADICI_LOW_ORDER};
    uint32_t i;
    PADICI_V factor = PADICI_DLOAD(a);
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) {
        if (i == 1 || i == PADICI_LOW + 1 || i == PADICI_LOW_SETS - PADICI_LOW - 1 ||
            i == PADICI_LOW_SETS - 1) {
            a += step * PADICI_LANES;
            factor = PADICI_DLOAD(a);
        }
        x[order[i]] = PADICI_DMSUB(factor, PADICI_DLOAD(PADICI_AT(p, order[i])), x[order[i]]);
    }
}

// Those of the rows 0, 1, 2, in a set with h other rows: `a` is row 0 in column h, `sign` (-1)^h.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_three)(const uint64_t *a, size_t row, int step,
                                                        PADICI_V sign, PADICI_V *x)
{
    const uint64_t *const b = a + row, *const c = b + row;
    const int two = 2 * step * PADICI_LANES;
    PADICI_V r = PADICI_VXOR(PADICI_VLOAD(a), sign), s = PADICI_VXOR(PADICI_VLOAD(b), sign);
    PADICI_V t = PADICI_VXOR(PADICI_VLOAD(c), sign);
    x[1] = PADICI_DMADD(r, x[0], x[1]);
    x[2] = PADICI_DMADD(s, x[0], x[2]);
    x[4] = PADICI_DMADD(t, x[0], x[4]);
    r = PADICI_VXOR(PADICI_VLOAD(a + two / 2), sign);
    s = PADICI_VXOR(PADICI_VLOAD(b + two / 2), sign);
    t = PADICI_VXOR(PADICI_VLOAD(c + two / 2), sign);
    x[3] = PADICI_DNMADD(r, x[2], PADICI_DMADD(s, x[1], x[3]));
    x[5] = PADICI_DNMADD(r, x[4], PADICI_DMADD(t, x[1], x[5]));
    x[6] = PADICI_DNMADD(s, x[4], PADICI_DMADD(t, x[2], x[6]));
    r = PADICI_VXOR(PADICI_VLOAD(a + two), sign);
    s = PADICI_VXOR(PADICI_VLOAD(b + two), sign);
    t = PADICI_VXOR(PADICI_VLOAD(c + two), sign);
    x[7] = PADICI_DMADD(r, x[6], PADICI_DNMADD(s, x[5], PADICI_DMADD(t, x[3], x[7])));
}

// det A and y, which may be NULL, as from minors_join(), of 3 rows.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(minors_all)(const uint64_t *a, uint64_t *y,
                                                          size_t apart)
{
    const PADICI_V zero = PADICI_VSET(0), top = PADICI_VSET(UINT64_C(1) << 63);
    PADICI_V p[8], q[8], x;
    p[0] = q[0] = PADICI_DSET(1.0);
    p[1] = p[2] = p[3] = p[4] = p[5] = p[6] = p[7] = zero;
    q[1] = q[2] = q[3] = q[4] = q[5] = q[6] = q[7] = zero;
    PADICI_K(minors_three)(a, 4 * PADICI_LANES, 1, zero, p);
    if (!y) return p[7];
    PADICI_K(minors_three)(PADICI_AT(a, 3), 4 * PADICI_LANES, -1, zero, q);
    PADICI_VSTORE(y, PADICI_VXOR(q[7], top));
    x = PADICI_DMADD(p[4], q[3], PADICI_DNMADD(p[2], q[5], PADICI_DMUL(p[1], q[6])));
    PADICI_VSTORE(y + apart, x);
    x = PADICI_DMADD(p[6], q[1], PADICI_DNMADD(p[5], q[2], PADICI_DMUL(p[3], q[4])));
    PADICI_VSTORE(y + 2 * apart, x);
    return p[7];
}

// Those of the low rows.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_low)(const uint64_t *a, size_t row, int step,
                                                      PADICI_V sign, PADICI_V *x)
{
    PADICI_K(minors_three)(a, row, step, sign, x);
#if PADICI_LOW == 4
    const int one = step * PADICI_LANES;
    PADICI_V t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row), sign);
    x[8] = PADICI_DMADD(t, x[0], x[8]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + one), sign);
    x[9] = PADICI_DMADD(t, x[1], x[9]);
    x[10] = PADICI_DMADD(t, x[2], x[10]);
    x[12] = PADICI_DMADD(t, x[4], x[12]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + 2 * one), sign);
    x[11] = PADICI_DMADD(t, x[3], x[11]);
    x[13] = PADICI_DMADD(t, x[5], x[13]);
    x[14] = PADICI_DMADD(t, x[6], x[14]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + 3 * one), sign);
    x[15] = PADICI_DMADD(t, x[7], x[15]);
    sign = PADICI_VXOR(sign, PADICI_VSET(UINT64_C(1) << 63)); // row 3 is one more
    PADICI_K(minors_three)(a + one, row, step, sign, x + 8);
#endif
}

// p[R], for each set R of rows, bit i for row i: the determinant of these rows and the first |R|
// columns, those from `a` on, `step` = +-1 apart. Expands along the last of them. Here for the R
// with the rows PADICI_LOW + i, i in `set`; also stored in x.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_of)(const uint64_t *a, uint32_t n, int step,
                                                     uint32_t set, uint64_t *p, PADICI_V *x)
{
    const size_t row = (size_t)(n + 1) * PADICI_LANES;
    const int h = padici_simd_num_bits_of5[set];
    uint64_t *const to = PADICI_AT(p, PADICI_LOW_SETS * set);
    uint32_t i, rest, bit;
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) x[i] = PADICI_VSET(0);
    if (!set) x[0] = PADICI_DSET(1.0);
    for (rest = set; rest; rest ^= bit) {
        bit = rest & (0u - rest);
        PADICI_K(minors_row)(a + (PADICI_LOW + padici_simd_num_bits_of5[bit - 1]) * row +
                                 (h - 1) * step * PADICI_LANES,
                             PADICI_AT(p, PADICI_LOW_SETS * (set ^ bit)), step, x);
    }
    PADICI_K(minors_low)(a + h * step * PADICI_LANES, row, step,
                         PADICI_VSET((uint64_t)(h & 1) << 63), x);
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) PADICI_VSTORE(PADICI_AT(to, i), x[i]);
}

// p, from the left.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(minors)(const uint64_t *a, uint32_t n,
                                                           uint64_t *p)
{
    PADICI_V x[PADICI_LOW_SETS];
    uint32_t set;
    for (set = 0; set < 1u << (n - PADICI_LOW); set++) PADICI_K(minors_of)(a, n, 1, set, p, x);
}

// y[j], up to n - 1: the determinant of A with the right side in place of column j, of p by the
// columns from the left and q by the right side and the columns from the right (Laplace), computed
// on the fly. `apart`: words from y[j] to the next.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(minors_join)(const uint64_t *a, uint32_t n,
                                                                const uint64_t *p, uint64_t *q,
                                                                uint64_t *y, size_t apart)
{
    const uint32_t all = (1u << (n - PADICI_LOW)) - 1;
    const PADICI_V zero = PADICI_VSET(0), top = PADICI_VSET(UINT64_C(1) << 63);
    PADICI_V sums[2][9], x[PADICI_LOW_SETS]; // two, since a sum waits for the one before
    uint32_t set, i, j;
    for (j = 0; j <= n; j++) sums[0][j] = sums[1][j] = zero;
    for (set = 0; set <= all; set++) {
        const uint32_t other = all ^ set;
        const uint64_t *const u = PADICI_AT(p, PADICI_LOW_SETS * other);
        const PADICI_V sign = // that of the rows 5, 7 (and 3)
            PADICI_VSET((uint64_t)((PADICI_LOW == 3 ? other ^ other >> 2 ^ other >> 4
                                                    : other >> 1 ^ other >> 3) & 1) << 63);
        PADICI_V t[PADICI_LOW + 1], *const sum = sums[set & 1] + padici_simd_num_bits_of5[other];
        PADICI_K(minors_of)(PADICI_AT(a, n), n, -1, set, q, x);
        PADICI_UNROLL8
        for (i = 0; i <= PADICI_LOW; i++) t[i] = zero;
        PADICI_UNROLL16
        for (i = 0; i < PADICI_LOW_SETS; i++) { // signs of the rows 1 and 3
            const uint32_t k = (i & 1) + (i >> 1 & 1) + (i >> 2 & 1) + (i >> 3);
            const PADICI_V w = x[PADICI_LOW_SETS - 1 - i], v = PADICI_DLOAD(PADICI_AT(u, i));
            t[k] = (i >> 1 ^ i >> 3) & 1 ? PADICI_DNMADD(v, w, t[k]) : PADICI_DMADD(v, w, t[k]);
        }
        PADICI_UNROLL8
        for (i = 0; i <= PADICI_LOW; i++) sum[i] = PADICI_DADD(sum[i], PADICI_VXOR(t[i], sign));
    }
    for (j = 0; j < n; j++) { // columns j + 1 to n are reversed, with the right side last
        const uint32_t m = n - j, odd = ((j * j - j) / 2 + (m * m - m) / 2 + m - 1) & 1;
        const PADICI_V sum = PADICI_DADD(sums[0][j], sums[1][j]);
        PADICI_VSTORE(y + j * apart, odd ? PADICI_VXOR(sum, top) : sum);
    }
}

// Transposes PADICI_LANES entries of each of as many systems, which start at x[i] for system i, to
// a vector for each entry.
PADICI_TARGET PADICI_INLINE void PADICI_K(turn)(PADICI_V *x)
{
    PADICI_V y[PADICI_LANES];
    uint32_t i;
#if PADICI_ISA_LEVEL == 1
    y[0] = vzip1q_u64(x[0], x[1]);
    y[1] = vzip2q_u64(x[0], x[1]);
    for (i = 0; i < 2; i++) x[i] = y[i];
#elif PADICI_ISA_LEVEL == 2
    for (i = 0; i < 4; i += 2) {
        y[i] = _mm256_unpacklo_epi64(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_epi64(x[i], x[i + 1]);
    }
    for (i = 0; i < 2; i++) {
        x[i] = _mm256_permute2x128_si256(y[i], y[i + 2], 0x20);
        x[i + 2] = _mm256_permute2x128_si256(y[i], y[i + 2], 0x31);
    }
#else
    PADICI_UNROLL
    for (i = 0; i < 8; i += 2) {
        y[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    PADICI_UNROLL
    for (i = 0; i < 4; i++) { // even lanes of 128 bits, odd ones
        const uint32_t j = i / 2 * 4 + i % 2;
        x[j] = _mm512_shuffle_i64x2(y[j], y[j + 2], 0x88);
        x[j + 2] = _mm512_shuffle_i64x2(y[j], y[j + 2], 0xdd);
    }
    PADICI_UNROLL
    for (i = 0; i < 4; i++) {
        y[i] = _mm512_shuffle_i64x2(x[i], x[i + 4], 0x88);
        y[i + 4] = _mm512_shuffle_i64x2(x[i], x[i + 4], 0xdd);
    }
    PADICI_UNROLL8
    for (i = 0; i < 8; i++) x[i] = y[i];
#endif
}

// Assembled systems, with the position `at` of each.
typedef struct PADICI_K(entries) {
    PADICI_V norm[8]; // squared, of the columns
    PADICI_V large;   // bits of entries of at least 2^51
} PADICI_K(entries);

// One entry as a double, added to the norm of its column.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(entry)(padic_dtype dtype, PADICI_V x, PADICI_V *norm,
                                                     PADICI_V *large)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0); // 1.5 2^52
    if (dtype == PADIC_I64)
        *large = PADICI_VOR(*large, PADICI_VSHR(PADICI_VADD(x, PADICI_VSET(UINT64_C(1) << 51)),
                                                PADICI_VSET(52)));
    x = PADICI_DSUB(PADICI_VADD(x, middle), middle);
    *norm = PADICI_DMADD(x, x, *norm);
    return x;
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(pick)(const void *data, padic_dtype dtype,
                                                    PADICI_V from, size_t i)
{
    const PADICI_V sign = PADICI_VSET(0x80000000u);
    if (dtype == PADIC_I64) return PADICI_GATHER((const uint64_t *)data + i, from);
    return PADICI_VSUB(PADICI_VXOR(PADICI_GATHER32((const uint32_t *)data + i, from), sign), sign);
}

// `count` entries of each system, in rows of `width`, `n` + 1 apart in `a`. For entries that are
// `step` apart, `width` is 1.
PADICI_TARGET PADICI_INLINE void PADICI_K(entries_in)(const void *data, padic_dtype dtype,
                                                      const uint64_t *at, size_t step,
                                                      uint32_t count, uint32_t width, uint32_t n,
                                                      uint64_t *a, PADICI_K(entries) *t)
{
    const PADICI_V from = PADICI_VLOAD(at);
    uint32_t i = 0, j, column = 0;
    PADICI_V x[PADICI_LANES];
    for (; step == 1 && i + PADICI_LANES <= count; i += PADICI_LANES) {
        PADICI_UNROLL8
        for (j = 0; j < PADICI_LANES; j++)
            x[j] = dtype == PADIC_I64 ? PADICI_VLOAD((const uint64_t *)data + at[j] + i)
                                      : PADICI_VLOADS((const int32_t *)data + at[j] + i);
        PADICI_K(turn)(x);
        PADICI_UNROLL8
        for (j = 0; j < PADICI_LANES; j++) {
            PADICI_VSTORE(a, PADICI_K(entry)(dtype, x[j], &t->norm[column], &t->large));
            a = PADICI_AT(a, ++column < width ? 1 : n + 2 - width);
            if (column == width) column = 0;
        }
    }
    for (; i < count; i++) {
        x[0] = PADICI_K(pick)(data, dtype, from, i * step);
        PADICI_VSTORE(a, PADICI_K(entry)(dtype, x[0], &t->norm[column], &t->large));
        a = PADICI_AT(a, ++column < width ? 1 : n + 2 - width);
        if (column == width) column = 0;
    }
}

// One vector of systems from `first` on (the last one repeated beyond the count): det, 0 where
// numbers are too large, and the numerators over it, as doubles.
PADICI_TARGET PADICI_INLINE void PADICI_K(systems_minors)(const padic_num_systems *s,
                                                          padic_dtype dtype, uint32_t first)
{
    const uint32_t n = s->n, sides = s->sides, last = s->count - 1;
    const size_t apart = (size_t)sides * PADIC_NUM_SYSTEMS;
    const PADICI_V limit = PADICI_DSET(1267650600228229401496703205376.0); // 2^100
    const PADICI_V zero = PADICI_VSET(0), one = PADICI_DSET(1.0);
    uint64_t *const a = (uint64_t *)s->work, *const p = PADICI_AT(a, (size_t)n * (n + 1));
    uint64_t *const q = PADICI_AT(p, (size_t)1 << n);
    uint64_t *const det = (uint64_t *)(void *)s->det + first;
    uint64_t *z = (uint64_t *)(void *)s->numerator + first;
    uint64_t at[PADICI_LANES], right[PADICI_LANES];
    PADICI_K(entries) t;
    PADICI_V all = one, least = limit, x;
    PADICI_M good, here;
    uint32_t i, side;
    for (i = 0; i < 8; i++) t.norm[i] = zero;
    t.large = zero;
    for (i = 0; i < PADICI_LANES; i++) {
        right[i] = (uint64_t)(first + i < last ? first + i : last) * n;
        at[i] = right[i] * n;
        right[i] *= sides;
    }
    PADICI_K(entries_in)(s->matrix, dtype, at, 1, n * n, n, n, a, &t);
    for (i = 0; i < n; i++) {
        x = PADICI_VSEL(PADICI_DGT(t.norm[i], one), t.norm[i], one);
        all = PADICI_DMUL(all, x);
        least = PADICI_VSEL(PADICI_DGT(least, x), x, least);
    }
    good = PADICI_MAND(PADICI_VEQ(t.large, zero), PADICI_DGT(limit, all));
    if (n > 3) PADICI_K(minors)(a, n, p);
    for (side = 0; side < sides; side++) {
        t.large = t.norm[0] = zero;
        PADICI_K(entries_in)(s->right, dtype, right, sides, n, 1, n, PADICI_AT(a, n), &t);
        x = PADICI_VSEL(PADICI_DGT(t.norm[0], one), t.norm[0], one);
        here = PADICI_MAND(PADICI_VEQ(t.large, zero),
                           PADICI_DGT(PADICI_DMUL(limit, least), PADICI_DMUL(all, x)));
        good = PADICI_MAND(good, here);
        if (n == 3)
            PADICI_K(minors_all)(a, z, apart);
        else
            PADICI_K(minors_join)(a, n, p, q, z, apart);
        for (i = 0; i < n; i++)
            PADICI_VSTORE(z + i * apart, PADICI_VSEL(here, PADICI_VLOAD(z + i * apart), zero));
        z += PADIC_NUM_SYSTEMS;
        for (i = 0; i < PADICI_LANES; i++) right[i]++;
    }
    x = n == 3 ? PADICI_K(minors_all)(a, NULL, 0)
               : PADICI_VLOAD(PADICI_AT(p, ((size_t)1 << n) - 1));
    PADICI_VSTORE(det, PADICI_VSEL(good, x, zero));
}

// v of integers below 2^52; too large for a shift where x = 0.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(twos)(PADICI_V x)
{
    const PADICI_V low = PADICI_VAND(x, PADICI_VSUB(PADICI_VSET(0), x));
    return PADICI_VSUB(PADICI_VSHR(PADICI_DFROM(low), PADICI_VSET(52)), PADICI_VSET(1023));
}

#define PADICI_SYSTEM_VECTORS 4

// to = gcd(to, from) of integers below 2^52, to > 0, in four vectors (Stein 1967).
PADICI_TARGET PADICI_INLINE void PADICI_K(gcds)(PADICI_V *to, const PADICI_V *from)
{
    const PADICI_V zero = PADICI_VSET(0);
    PADICI_V shift[PADICI_SYSTEM_VECTORS], u[PADICI_SYSTEM_VECTORS], w[PADICI_SYSTEM_VECTORS];
    PADICI_V x;
#define PADICI_STEP(j) \
    w[j] = from[j]; \
    shift[j] = PADICI_K(twos)(PADICI_VOR(to[j], w[j])); \
    u[j] = PADICI_VSHR(to[j], PADICI_K(twos)(to[j]));
    PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
#if PADICI_ISA_LEVEL >= 3
#define PADICI_STEP(j) \
    x = PADICI_VSEL(PADICI_VEQ(w[j], zero), u[j], PADICI_VSHR(w[j], PADICI_K(twos)(w[j]))); \
    w[j] = PADICI_VSUB(_mm512_max_epu64(u[j], x), _mm512_min_epu64(u[j], x)); \
    u[j] = _mm512_min_epu64(u[j], x);
#else
    PADICI_M more;
    PADICI_V d;
#define PADICI_STEP(j) \
    x = PADICI_VSEL(PADICI_VEQ(w[j], zero), u[j], PADICI_VSHR(w[j], PADICI_K(twos)(w[j]))); \
    more = PADICI_VGT(u[j], x); \
    d = PADICI_VSUB(u[j], x); \
    u[j] = PADICI_VSEL(more, x, u[j]); \
    w[j] = PADICI_VSEL(more, d, PADICI_VSUB(zero, d));
#endif
    while (PADICI_VANY(PADICI_VOR(PADICI_VOR(w[0], w[1]), PADICI_VOR(w[2], w[3])))) {
        PADICI_FOUR(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) to[j] = PADICI_VSHL(u[j], shift[j]);
    PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
}

// One right side of all vectors in lowest terms, as integers; `reduce` 0: over |det A|.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(systems_side)(const padic_num_systems *s,
                                                                 uint32_t side, uint32_t vectors)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0), one = PADICI_DSET(1.0);
    const PADICI_V top = PADICI_VSET(UINT64_C(1) << 63), zero = PADICI_VSET(0);
    const size_t apart = (size_t)s->sides * PADIC_NUM_SYSTEMS;
    const uint64_t *const det = (const uint64_t *)(const void *)s->det;
    uint64_t *const d = (uint64_t *)(void *)s->denominator + (size_t)side * PADIC_NUM_SYSTEMS;
    uint64_t *const y = (uint64_t *)(void *)s->numerator + (size_t)side * PADIC_NUM_SYSTEMS;
    PADICI_V g[PADICI_SYSTEM_VECTORS], inverse[PADICI_SYSTEM_VECTORS], u[PADICI_SYSTEM_VECTORS];
    PADICI_V w[PADICI_SYSTEM_VECTORS], x, any;
    uint32_t i, j;
    for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) {
        x = j < vectors ? PADICI_VLOAD(PADICI_AT(det, j)) : one;
        x = PADICI_VSEL(PADICI_DZERO(x), one, x);
        g[j] = s->reduce ? PADICI_VAND(x, PADICI_VXOR(top, PADICI_VSET(UINT64_MAX))) : one;
        inverse[j] = PADICI_DDIV(one, g[j]);
    }
    for (i = 0; s->reduce && i < s->n; i++) {
        any = zero;
        for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) { // y modulo g
            x = j < vectors ? PADICI_VLOAD(PADICI_AT(y + i * apart, j)) : zero;
            x = PADICI_DNMADD(PADICI_DROUND(PADICI_DMUL(x, inverse[j])), g[j], x);
            x = PADICI_VAND(x, PADICI_VXOR(top, PADICI_VSET(UINT64_MAX)));
            any = PADICI_VOR(any, x);
            u[j] = PADICI_DTO(g[j]);
            w[j] = PADICI_DTO(x);
        }
        if (!PADICI_VANY(any)) continue;
        PADICI_K(gcds)(u, w);
        for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) {
            g[j] = PADICI_DFROM(u[j]);
            inverse[j] = PADICI_DDIV(one, g[j]);
        }
    }
    for (j = 0; j < vectors; j++) {
        const PADICI_V b = PADICI_VLOAD(PADICI_AT(det, j)), sign = PADICI_VAND(b, top);
        x = PADICI_DROUND(PADICI_DMUL(PADICI_VXOR(b, sign), inverse[j]));
        PADICI_VSTORE(PADICI_AT(d, j), PADICI_VSUB(PADICI_DADD(x, middle), middle));
        for (i = 0; i < s->n; i++) {
            uint64_t *const to = PADICI_AT(y + i * apart, j);
            x = PADICI_DROUND(PADICI_DMUL(PADICI_VXOR(PADICI_VLOAD(to), sign), inverse[j]));
            PADICI_VSTORE(to, PADICI_VSUB(PADICI_DADD(x, middle), middle));
        }
    }
}

PADICI_FN PADICI_TARGET padic_result PADICI_K(systems)(const padic_num_systems *s)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0);
    uint32_t vectors, first, j, side;
    for (first = 0; first < s->count; first += PADICI_SYSTEM_VECTORS * PADICI_LANES) {
        padic_num_systems part = *s;
        part.det += first;
        part.numerator += first;
        part.denominator += first;
        vectors = (s->count - first + PADICI_LANES - 1) / PADICI_LANES;
        if (vectors > PADICI_SYSTEM_VECTORS) vectors = PADICI_SYSTEM_VECTORS;
        for (j = 0; j < vectors; j++) {
            if (s->dtype == PADIC_I32)
                PADICI_K(systems_minors)(s, PADIC_I32, first + j * PADICI_LANES);
            else
                PADICI_K(systems_minors)(s, PADIC_I64, first + j * PADICI_LANES);
        }
        for (side = 0; side < s->sides; side++) PADICI_K(systems_side)(&part, side, vectors);
        for (j = 0; j < vectors; j++) {
            uint64_t *const to = PADICI_AT((uint64_t *)(void *)part.det, j);
            PADICI_VSTORE(to, PADICI_VSUB(PADICI_DADD(PADICI_VLOAD(to), middle), middle));
        }
    }
    return PADIC_OK;
}

#undef PADICI_AT
#undef PADICI_LOW
#undef PADICI_LOW_ORDER
#undef PADICI_LOW_SETS
#undef PADICI_SYSTEM_VECTORS
#endif

#endif
