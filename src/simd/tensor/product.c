// @per-level
#ifndef PADIC_NO_TENSOR

// Products of panels and of lines. Loops over arrays of vectors unroll, so that these stay in
// registers; `n` is constant where a function is called.

// Sums times a factor: the real part, and with `twice` the imaginary one.
PADICI_TARGET PADICI_INLINE void PADICI_GK(scale)(const void *factor_, uint32_t twice, PADICI_V *v)
{
    const PADICI_REAL *factor = (const PADICI_REAL *)factor_;
    const PADICI_V p = PADICI_PAIR(factor), q = PADICI_PAIR(factor + 2);
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_MR; i++) {
        const PADICI_V x = v[i];
        v[i] = PADICI_FMA(x, p, PADICI_NONE);
        if (twice) v[i] = PADICI_FMA(PADICI_SWAPPED(x), q, v[i]);
    }
}

// factor a b, or that added to c: a panel of PADICI_MR rows by one of PADICI_NR columns.
PADICI_TARGET static void PADICI_GK(product)(uint32_t depth, const void *a_, const void *b_,
                                             void *c_, const int64_t *row, const void *factor,
                                             uint32_t twice, int add)
{
    const PADICI_REAL *a = (const PADICI_REAL *)a_, *b = (const PADICI_REAL *)b_;
    PADICI_REAL *c = (PADICI_REAL *)c_;
    PADICI_V v[PADICI_MR], w[PADICI_MR];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_MR; i++) {
        v[i] = w[i] = PADICI_NONE;
        PADICI_SIMD_TENSOR_AHEAD(c + row[i]);
        PADICI_SIMD_TENSOR_AHEAD(c + row[i] + PADICI_LANES);
    }
    for (; depth; depth--) {
        const PADICI_V y = PADICI_LOAD(b), z = PADICI_LOAD(b + PADICI_LANES);
        PADICI_SIMD_TENSOR_AHEAD((uintptr_t)a + 32 * PADICI_MR * sizeof *a);
        PADICI_SIMD_TENSOR_AHEAD((uintptr_t)b + 32 * sizeof y);
        if (sizeof y > 32) PADICI_SIMD_TENSOR_AHEAD((uintptr_t)b + 33 * sizeof y);
        PADICI_UNROLL_ALL
        for (i = 0; i < PADICI_MR; i++) {
            const PADICI_V x = PADICI_SET(a[i]);
            v[i] = PADICI_FMA(x, y, v[i]);
            w[i] = PADICI_FMA(x, z, w[i]);
        }
        a += PADICI_MR;
        b += PADICI_NR;
    }
    if (factor) {
        PADICI_GK(scale)(factor, twice, v);
        PADICI_GK(scale)(factor, twice, w);
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_MR; i++) {
        PADICI_REAL *to = c + row[i];
        if (add) {
            v[i] = PADICI_ADD(PADICI_LOAD(to), v[i]);
            w[i] = PADICI_ADD(PADICI_LOAD(to + PADICI_LANES), w[i]);
        }
        PADICI_STORE(to, v[i]);
        PADICI_STORE(to + PADICI_LANES, w[i]);
    }
}

// sum += lines of b by their factors, n vectors of them.
PADICI_TARGET PADICI_INLINE void PADICI_GK(strip)(uint32_t n, uint32_t lines, const char *b,
                                                  const int64_t *place, const PADICI_REAL *factor,
                                                  uint32_t twice, PADICI_REAL *sum)
{
    PADICI_V s[4], t[4];
    uint32_t i, r;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        s[i] = PADICI_LOAD(sum + i * PADICI_LANES);
        t[i] = PADICI_NONE;
    }
    for (r = 0; r < lines; r++, factor += 4) {
        const PADICI_V p = PADICI_PAIR(factor), q = PADICI_PAIR(factor + 2);
        const PADICI_REAL *from = (const PADICI_REAL *)(const void *)(b + place[r]);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V x = PADICI_LOAD(from + i * PADICI_LANES);
            s[i] = PADICI_FMA(x, p, s[i]);
            if (twice) t[i] = PADICI_FMA(PADICI_SWAPPED(x), q, t[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) PADICI_STORE(sum + i * PADICI_LANES, PADICI_ADD(s[i], t[i]));
}

// sum += four lines of b by their factors; returns where whole vectors end.
PADICI_TARGET static uint32_t PADICI_GK(four)(uint32_t count, const char *b, const int64_t *place,
                                              const PADICI_REAL *factor, uint32_t twice,
                                              PADICI_REAL *sum)
{
    const uintptr_t ahead = 4 * (uintptr_t)(place[1] - place[0]);
    PADICI_V p[4], q[4];
    uint32_t i, r;
    PADICI_UNROLL_ALL
    for (r = 0; r < 4; r++) {
        p[r] = PADICI_PAIR(factor + 4 * r);
        q[r] = PADICI_PAIR(factor + 4 * r + 2);
    }
    for (i = 0; i + PADICI_LANES <= count; i += PADICI_LANES) {
        PADICI_V s = PADICI_LOAD(sum + i);
        PADICI_UNROLL_ALL
        for (r = 0; r < 4; r++) {
            const PADICI_REAL *from = (const PADICI_REAL *)(const void *)(b + place[r]) + i;
            const PADICI_V x = PADICI_LOAD(from);
            PADICI_SIMD_TENSOR_AHEAD((uintptr_t)from + ahead);
            s = PADICI_FMA(x, p[r], s);
            if (twice) s = PADICI_FMA(PADICI_SWAPPED(x), q[r], s);
        }
        PADICI_STORE(sum + i, s);
    }
    return i;
}

PADICI_TARGET static void PADICI_GK(line)(uint32_t count, uint32_t lines, const char *b,
                                          const int64_t *place, const void *factor_, uint32_t twice,
                                          void *sum_)
{
    const PADICI_REAL *factor = (const PADICI_REAL *)factor_;
    PADICI_REAL *sum = (PADICI_REAL *)sum_;
    uint32_t i, r, done = 0, first = 0; // lines before `first` are done up to number `done`
    if (count <= 8 * PADICI_LANES) {
        for (; done + 4 * PADICI_LANES <= count; done += 4 * PADICI_LANES)
            PADICI_GK(strip)(4, lines, b + done * sizeof *sum, place, factor, twice, sum + done);
        for (; done + PADICI_LANES <= count; done += PADICI_LANES)
            PADICI_GK(strip)(1, lines, b + done * sizeof *sum, place, factor, twice, sum + done);
        first = lines;
    } else {
        for (; first + 4 <= lines; first += 4)
            done = PADICI_GK(four)(count, b, place + first, factor + 4 * first, twice, sum);
    }
    for (r = 0; r < lines; r++) {
        const PADICI_REAL *from = (const PADICI_REAL *)(const void *)(b + place[r]);
        const PADICI_REAL *f = factor + 4 * r;
        for (i = r < first ? done : 0; i < count; i++) {
            sum[i] += f[i & 1] * from[i];
            if (twice) sum[i] += f[2 + (i & 1)] * from[i ^ 1];
        }
    }
}

#endif
