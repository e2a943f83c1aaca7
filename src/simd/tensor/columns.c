// @per-level
#ifndef PADIC_NO_TENSOR

// Loops over the columns of matrices, for factorisations. Rows are padded with zeros to whole
// vectors. Functions of `n` columns: n is constant at each call.

#if PADICI_ISA_LEVEL >= 2
#define PADICI_MUL PADICI_R(mul)
#define PADICI_FNMA(x, y, v) PADICI_R(fnmadd)(x, y, v)
#else
#define PADICI_MUL PADICI_R(vmulq)
#define PADICI_FNMA(x, y, v) PADICI_R(vfmsq)(v, x, y)
#endif

// Columns `step` numbers apart; imaginary parts lie `im` numbers after the real ones.
typedef struct PADICI_GK(matrix) {
    PADICI_REAL *x;
    size_t im, step;
} PADICI_GK(matrix);

// Columns of a become a + v f + x g, and sums w^dagger a; rows begin to end. f, g and the sums have
// a number for each column, their imaginary parts `factor_im` after.
typedef struct PADICI_GK(pass) {
    PADICI_GK(matrix) a;
    const PADICI_REAL *v, *x, *w, *f, *g; // imaginary parts of v, x and w at a.im
    PADICI_REAL *sums;
    size_t factor_im, begin, end;
} PADICI_GK(pass);

// Sums V^dagger C of columns of v and c to w, or C + V W. Each line of w, one for each column of v,
// has a number for each column of c; lines are w_step apart, imaginary parts w_im after.
typedef struct PADICI_GK(block) {
    PADICI_GK(matrix) v, c;
    PADICI_REAL *w;
    size_t w_im, w_step, begin, end;
} PADICI_GK(block);

// The totals of four vectors.
#if PADICI_ISA_LEVEL >= 2 && PADICI_REAL_SIZE == 8
PADICI_TARGET PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    __m256d h[4], a, b;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
#if PADICI_ISA_LEVEL == 3
        h[i] = _mm256_add_pd(_mm512_castpd512_pd256(v[i]), _mm512_extractf64x4_pd(v[i], 1));
#else
        h[i] = v[i];
#endif
    a = _mm256_hadd_pd(h[0], h[1]);
    b = _mm256_hadd_pd(h[2], h[3]);
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20),
                                       _mm256_permute2f128_pd(a, b, 0x31)));
}
#elif PADICI_ISA_LEVEL >= 2
PADICI_TARGET PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    __m256 h[4], a;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
#if PADICI_ISA_LEVEL == 3
        h[i] = _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
#else
        h[i] = v[i];
#endif
    a = _mm256_hadd_ps(_mm256_hadd_ps(h[0], h[1]), _mm256_hadd_ps(h[2], h[3]));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
}
#elif PADICI_REAL_SIZE == 8
PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    vst1q_f64(to, vpaddq_f64(v[0], v[1]));
    vst1q_f64(to + 2, vpaddq_f64(v[2], v[3]));
}
#else
PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    vst1q_f32(to, vpaddq_f32(vpaddq_f32(v[0], v[1]), vpaddq_f32(v[2], v[3])));
}
#endif

PADICI_TARGET PADICI_INLINE void PADICI_GK(pass_real)(uint32_t n, const PADICI_GK(pass) *p,
                                                      size_t j)
{
    PADICI_V f[4], g[4], s[4];
    PADICI_REAL *c = p->a.x + j * p->a.step, total[4];
    size_t r;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) s[i] = PADICI_NONE;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        f[i] = PADICI_SET(p->f[j + i]);
        g[i] = PADICI_SET(p->g[j + i]);
    }
    for (r = p->begin; r < p->end; r += PADICI_LANES) {
        const PADICI_V v = PADICI_LOAD(p->v + r), x = PADICI_LOAD(p->x + r);
        const PADICI_V w = PADICI_LOAD(p->w + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_V y = PADICI_FMA(v, f[i], PADICI_LOAD(c + i * p->a.step + r));
            y = PADICI_FMA(x, g[i], y);
            PADICI_STORE(c + i * p->a.step + r, y);
            s[i] = PADICI_FMA(w, y, s[i]);
        }
    }
    PADICI_GK(totals)(s, total);
    for (i = 0; i < n; i++) p->sums[j + i] = total[i];
}

// Of one or two columns.
PADICI_TARGET PADICI_INLINE void PADICI_GK(pass_paired)(uint32_t n, const PADICI_GK(pass) *p,
                                                        size_t j)
{
    PADICI_V f[4], g[4], s[4];
    PADICI_REAL *c = p->a.x + j * p->a.step, total[4];
    const size_t im = p->a.im;
    size_t r;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) s[i] = PADICI_NONE;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        f[i] = PADICI_SET(p->f[j + i]);
        f[2 + i] = PADICI_SET(p->f[p->factor_im + j + i]);
        g[i] = PADICI_SET(p->g[j + i]);
        g[2 + i] = PADICI_SET(p->g[p->factor_im + j + i]);
    }
    for (r = p->begin; r < p->end; r += PADICI_LANES) {
        const PADICI_V v = PADICI_LOAD(p->v + r), vi = PADICI_LOAD(p->v + im + r);
        const PADICI_V x = PADICI_LOAD(p->x + r), xi = PADICI_LOAD(p->x + im + r);
        const PADICI_V w = PADICI_LOAD(p->w + r), wi = PADICI_LOAD(p->w + im + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_REAL *at = c + i * p->a.step + r;
            PADICI_V y = PADICI_FMA(v, f[i], PADICI_LOAD(at));
            PADICI_V z = PADICI_FMA(v, f[2 + i], PADICI_LOAD(at + im));
            y = PADICI_FMA(x, g[i], PADICI_FNMA(vi, f[2 + i], y));
            z = PADICI_FMA(x, g[2 + i], PADICI_FMA(vi, f[i], z));
            y = PADICI_FNMA(xi, g[2 + i], y);
            z = PADICI_FMA(xi, g[i], z);
            PADICI_STORE(at, y);
            PADICI_STORE(at + im, z);
            s[i] = PADICI_FMA(wi, z, PADICI_FMA(w, y, s[i]));
            s[2 + i] = PADICI_FNMA(wi, y, PADICI_FMA(w, z, s[2 + i]));
        }
    }
    PADICI_GK(totals)(s, total);
    for (i = 0; i < n; i++) {
        p->sums[j + i] = total[i];
        p->sums[p->factor_im + j + i] = total[2 + i];
    }
}

PADICI_TARGET static void PADICI_GK(pass_over)(int paired, const PADICI_GK(pass) *p, size_t from,
                                               size_t to)
{
    size_t j = from;
    if (paired) {
        for (; j + 2 <= to; j += 2) PADICI_GK(pass_paired)(2, p, j);
        for (; j < to; j++) PADICI_GK(pass_paired)(1, p, j);
    } else {
        for (; j + 4 <= to; j += 4) PADICI_GK(pass_real)(4, p, j);
        for (; j < to; j++) PADICI_GK(pass_real)(1, p, j);
    }
}

// `n` vectors of the sum of columns of a times f, beginning with row r.
PADICI_TARGET PADICI_INLINE void PADICI_GK(combine_rows)(int paired, uint32_t n,
                                                         const PADICI_GK(pass) *p, size_t from,
                                                         size_t to, size_t r, PADICI_REAL *z)
{
    PADICI_V s[8], t[8];
    size_t j;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) s[i] = t[i] = PADICI_NONE;
    for (j = from; j < to; j++) {
        const PADICI_REAL *c = p->a.x + j * p->a.step + r;
        const PADICI_V f = PADICI_SET(p->f[j]);
        if (paired) {
            const PADICI_V g = PADICI_SET(p->f[p->factor_im + j]);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) {
                const PADICI_V x = PADICI_LOAD(c + i * PADICI_LANES);
                const PADICI_V y = PADICI_LOAD(c + p->a.im + i * PADICI_LANES);
                s[i] = PADICI_FNMA(y, g, PADICI_FMA(x, f, s[i]));
                t[i] = PADICI_FMA(y, f, PADICI_FMA(x, g, t[i]));
            }
        } else {
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) s[i] = PADICI_FMA(PADICI_LOAD(c + i * PADICI_LANES), f, s[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        PADICI_STORE(z + r + i * PADICI_LANES, s[i]);
        if (paired) PADICI_STORE(z + p->a.im + r + i * PADICI_LANES, t[i]);
    }
}

// z = sum of columns of a times f.
PADICI_TARGET static void PADICI_GK(combine)(int paired, const PADICI_GK(pass) *p, size_t from,
                                             size_t to, PADICI_REAL *z)
{
    size_t r = p->begin;
    if (paired) {
        for (; r + 4 * PADICI_LANES <= p->end; r += 4 * PADICI_LANES)
            PADICI_GK(combine_rows)(1, 4, p, from, to, r, z);
        for (; r < p->end; r += PADICI_LANES) PADICI_GK(combine_rows)(1, 1, p, from, to, r, z);
    } else {
        for (; r + 8 * PADICI_LANES <= p->end; r += 8 * PADICI_LANES)
            PADICI_GK(combine_rows)(0, 8, p, from, to, r, z);
        for (; r + 2 * PADICI_LANES <= p->end; r += 2 * PADICI_LANES)
            PADICI_GK(combine_rows)(0, 2, p, from, to, r, z);
        for (; r < p->end; r += PADICI_LANES) PADICI_GK(combine_rows)(0, 1, p, from, to, r, z);
    }
}

// Sums of `lines` columns of v with n columns of c.
PADICI_TARGET PADICI_INLINE void PADICI_GK(dots_real)(uint32_t lines, uint32_t n,
                                                      const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x, *c = b->c.x + j * b->c.step;
    PADICI_V s[16];
    PADICI_REAL total[4];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
        s[i] = s[4 + i] = s[8 + i] = s[12 + i] = PADICI_NONE;
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) x[k] = PADICI_LOAD(v + k * b->v.step + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V y = PADICI_LOAD(c + i * b->c.step + r);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) s[4 * k + i] = PADICI_FMA(x[k], y, s[4 * k + i]);
        }
    }
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_GK(totals)(s + 4 * k, total);
        for (i = 0; i < n; i++) b->w[k * b->w_step + j + i] = total[i];
    }
}

// Of one or two columns.
PADICI_TARGET PADICI_INLINE void PADICI_GK(dots_paired)(uint32_t lines, uint32_t n,
                                                        const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x, *c = b->c.x + j * b->c.step;
    PADICI_V s[16];
    PADICI_REAL total[4];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
        s[i] = s[4 + i] = s[8 + i] = s[12 + i] = PADICI_NONE;
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4], t[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) {
            x[k] = PADICI_LOAD(v + k * b->v.step + r);
            t[k] = PADICI_LOAD(v + k * b->v.step + b->v.im + r);
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V y = PADICI_LOAD(c + i * b->c.step + r);
            const PADICI_V z = PADICI_LOAD(c + i * b->c.step + b->c.im + r);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) {
                s[4 * k + i] = PADICI_FMA(t[k], z, PADICI_FMA(x[k], y, s[4 * k + i]));
                s[4 * k + 2 + i] = PADICI_FNMA(t[k], y, PADICI_FMA(x[k], z, s[4 * k + 2 + i]));
            }
        }
    }
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_GK(totals)(s + 4 * k, total);
        for (i = 0; i < n; i++) {
            b->w[k * b->w_step + j + i] = total[i];
            b->w[k * b->w_step + b->w_im + j + i] = total[2 + i];
        }
    }
}

// n columns of c plus `lines` columns of v times w.
PADICI_TARGET PADICI_INLINE void PADICI_GK(add_real)(uint32_t lines, uint32_t n,
                                                     const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x;
    PADICI_REAL *c = b->c.x + j * b->c.step;
    PADICI_V f[16];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) f[4 * k + i] = PADICI_SET(b->w[k * b->w_step + j + i]);
    }
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) x[k] = PADICI_LOAD(v + k * b->v.step + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_V y = PADICI_LOAD(c + i * b->c.step + r);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) y = PADICI_FMA(x[k], f[4 * k + i], y);
            PADICI_STORE(c + i * b->c.step + r, y);
        }
    }
}

// Of one or two columns.
PADICI_TARGET PADICI_INLINE void PADICI_GK(add_paired)(uint32_t lines, uint32_t n,
                                                       const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x;
    PADICI_REAL *c = b->c.x + j * b->c.step;
    PADICI_V f[16];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            f[4 * k + i] = PADICI_SET(b->w[k * b->w_step + j + i]);
            f[4 * k + 2 + i] = PADICI_SET(b->w[k * b->w_step + b->w_im + j + i]);
        }
    }
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4], t[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) {
            x[k] = PADICI_LOAD(v + k * b->v.step + r);
            t[k] = PADICI_LOAD(v + k * b->v.step + b->v.im + r);
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_REAL *at = c + i * b->c.step + r;
            PADICI_V y = PADICI_LOAD(at), z = PADICI_LOAD(at + b->c.im);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) {
                y = PADICI_FNMA(t[k], f[4 * k + 2 + i], PADICI_FMA(x[k], f[4 * k + i], y));
                z = PADICI_FMA(t[k], f[4 * k + i], PADICI_FMA(x[k], f[4 * k + 2 + i], z));
            }
            PADICI_STORE(at, y);
            PADICI_STORE(at + b->c.im, z);
        }
    }
}

// Columns from to to of c; four columns of v, or one.
PADICI_TARGET static void PADICI_GK(dots)(int paired, int four, const PADICI_GK(block) *b,
                                          size_t from, size_t to)
{
    size_t j = from;
    if (paired && four) {
        for (; j + 2 <= to; j += 2) PADICI_GK(dots_paired)(4, 2, b, j);
        for (; j < to; j++) PADICI_GK(dots_paired)(4, 1, b, j);
    } else if (paired) {
        for (; j + 2 <= to; j += 2) PADICI_GK(dots_paired)(1, 2, b, j);
        for (; j < to; j++) PADICI_GK(dots_paired)(1, 1, b, j);
    } else if (four) {
        for (; j + 4 <= to; j += 4) PADICI_GK(dots_real)(4, 4, b, j);
        for (; j < to; j++) PADICI_GK(dots_real)(4, 1, b, j);
    } else {
        for (; j + 4 <= to; j += 4) PADICI_GK(dots_real)(1, 4, b, j);
        for (; j < to; j++) PADICI_GK(dots_real)(1, 1, b, j);
    }
}

PADICI_TARGET static void PADICI_GK(add)(int paired, int four, const PADICI_GK(block) *b,
                                         size_t from, size_t to)
{
    size_t j = from;
    if (paired && four) {
        for (; j + 2 <= to; j += 2) PADICI_GK(add_paired)(4, 2, b, j);
        for (; j < to; j++) PADICI_GK(add_paired)(4, 1, b, j);
    } else if (paired) {
        for (; j + 2 <= to; j += 2) PADICI_GK(add_paired)(1, 2, b, j);
        for (; j < to; j++) PADICI_GK(add_paired)(1, 1, b, j);
    } else if (four) {
        for (; j + 4 <= to; j += 4) PADICI_GK(add_real)(4, 4, b, j);
        for (; j < to; j++) PADICI_GK(add_real)(4, 1, b, j);
    } else {
        for (; j + 4 <= to; j += 4) PADICI_GK(add_real)(1, 4, b, j);
        for (; j < to; j++) PADICI_GK(add_real)(1, 1, b, j);
    }
}

// n vectors of rows, through all sweeps of rotations.
PADICI_TARGET PADICI_INLINE void PADICI_GK(turn_rows)(uint32_t n,
                                                      const padici_simd_tensor_turns *t,
                                                      uint32_t side, PADICI_REAL *x)
{
    const double *c = t->c[side], *s = t->s[side];
    uint32_t sweep, i;
    for (sweep = 0; sweep < t->sweeps; sweep++) {
        PADICI_REAL *to = x + t->first[sweep] * t->step;
        uint64_t k;
        PADICI_V h[8];
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) h[i] = PADICI_LOAD(to + i * PADICI_LANES);
        for (k = t->count[sweep]; k; k--, to += t->step) {
            const PADICI_V a = PADICI_SET((PADICI_REAL)*c++), b = PADICI_SET((PADICI_REAL)*s++);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) {
                const PADICI_V y = PADICI_LOAD(to + t->step + i * PADICI_LANES);
                PADICI_STORE(to + i * PADICI_LANES, PADICI_FMA(a, h[i], PADICI_MUL(b, y)));
                h[i] = PADICI_FNMA(b, h[i], PADICI_MUL(a, y));
            }
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) PADICI_STORE(to + i * PADICI_LANES, h[i]);
    }
}

// Columns k and k + 1 become c x + s y and c y - s x.
PADICI_TARGET static void PADICI_GK(turn)(const padici_simd_tensor_turns *t, uint32_t side)
{
    PADICI_REAL *x = (PADICI_REAL *)t->x[side];
    size_t r = 0;
#if PADICI_ISA_LEVEL >= 2
    // Far from the diagonal products of sines fall below what is normal, where a product takes a
    // hundred cycles: they are 0.
    const uint32_t mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u);
#endif
    for (; r + 8 * PADICI_LANES <= t->step; r += 8 * PADICI_LANES)
        PADICI_GK(turn_rows)(8, t, side, x + r);
    for (; r + 4 * PADICI_LANES <= t->step; r += 4 * PADICI_LANES)
        PADICI_GK(turn_rows)(4, t, side, x + r);
    for (; r + 2 * PADICI_LANES <= t->step; r += 2 * PADICI_LANES)
        PADICI_GK(turn_rows)(2, t, side, x + r);
    for (; r < t->step; r += PADICI_LANES) PADICI_GK(turn_rows)(1, t, side, x + r);
#if PADICI_ISA_LEVEL >= 2
    _mm_setcsr(mode);
#endif
}

#endif
