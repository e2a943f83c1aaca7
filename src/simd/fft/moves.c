// @per-level
#ifndef PADIC_NO_FFT

// Blocks from and to memory: lines next to each other, a vector of an element of all; elements next
// to each other, turned; else a number at a time.

PADICI_INLINE int PADICI_HK(plain_view)(const padici_fft_view *v)
{
    return v->is_double == (PADICI_REAL_SIZE == 8) && v->imaginary == PADICI_REAL_SIZE;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(get_pairs)(const PADICI_REAL *p, uint32_t n)
{
    PADICI_V v, w = PADICI_NONE;
    if (n >= PADICI_LANES) {
        v = PADICI_LOAD(p);
        w = PADICI_LOAD(p + PADICI_LANES);
    } else if (2 * n > PADICI_LANES) {
        v = PADICI_LOAD(p);
        w = PADICI_PART_LOAD(p + PADICI_LANES, 2 * n - PADICI_LANES);
    } else if (2 * n == PADICI_LANES) {
        v = PADICI_LOAD(p);
    } else {
        v = PADICI_PART_LOAD(p, 2 * n);
    }
    return PADICI_HK(apart)(v, w);
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(put_pairs)(PADICI_REAL *p, uint32_t n, PADICI_NUMBER a)
{
    PADICI_V v[2];
    PADICI_HK(together)(a, v);
    if (n >= PADICI_LANES) {
        PADICI_STORE(p, v[0]);
        PADICI_STORE(p + PADICI_LANES, v[1]);
    } else if (2 * n >= PADICI_LANES) {
        PADICI_STORE(p, v[0]);
        if (2 * n > PADICI_LANES)
            PADICI_PART_STORE(p + PADICI_LANES, 2 * n - PADICI_LANES, v[1]);
    } else {
        PADICI_PART_STORE(p, 2 * n, v[0]);
    }
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(swapped)(PADICI_NUMBER a, uint32_t swapped)
{
    PADICI_NUMBER b;
    if (!swapped) return a;
    b.re = a.im;
    b.im = a.re;
    return b;
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(load_columns)(const padici_fft_view *view,
                                                         uint32_t lines, uint32_t swapped,
                                                         PADICI_REAL *x)
{
    const char *at = view->at;
    uint64_t j;
    for (j = 0; j < view->count; j++, at += view->element, x += PADICI_VECTOR)
        PADICI_HK(put)(x, PADICI_HK(swapped)(
                              PADICI_HK(get_pairs)((const PADICI_REAL *)(const void *)at, lines),
                              swapped));
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(store_columns)(const padici_fft_view *view,
                                                          uint32_t lines, uint32_t swapped,
                                                          const PADICI_REAL *x)
{
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    char *at = view->at;
    uint64_t j;
    for (j = 0; j < view->count; j++, at += view->element, x += PADICI_VECTOR) {
        PADICI_NUMBER a = PADICI_HK(swapped)(PADICI_HK(get)(x), swapped);
        a.re = PADICI_MUL(scale, a.re);
        a.im = PADICI_MUL(scale, a.im);
        PADICI_HK(put_pairs)((PADICI_REAL *)(void *)at, lines, a);
    }
}

// As many elements as lanes of all lines: turned between `x`, where vectors are PADICI_VECTOR apart,
// and `y`, where they are `apart`.
PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_between)(const PADICI_REAL *x, size_t from,
                                                         PADICI_REAL *y, size_t to)
{
    PADICI_V v[PADICI_LANES];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_LANES; i++) v[i] = PADICI_LOAD(x + i * from);
    PADICI_HK(turn)(v);
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_LANES; i++) PADICI_STORE(y + i * to, v[i]);
}

PADICI_TARGET static void PADICI_HK(load_rows)(const padici_fft_view *view, PADICI_REAL *x)
{
    PADICI_REAL rows[2 * PADICI_LANES * PADICI_LANES];
    const size_t re = view->swapped ? PADICI_LANES : 0, im = PADICI_LANES - re;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j += PADICI_LANES, x += PADICI_LANES * PADICI_VECTOR) {
        const uint64_t left = view->count - j;
        const char *at = view->at + (int64_t)j * view->element;
        for (l = 0; l < PADICI_LANES; l++) {
            PADICI_HK(put)(rows + l * PADICI_VECTOR,
                           PADICI_HK(get_pairs)((const PADICI_REAL *)(const void *)at,
                                                left < PADICI_LANES ? (uint32_t)left
                                                                    : PADICI_LANES));
            if (l + 1 < view->lines) at += view->line; // the last line again where there is none
        }
        PADICI_HK(turn_between)(rows, PADICI_VECTOR, x + re, PADICI_VECTOR);
        PADICI_HK(turn_between)(rows + PADICI_LANES, PADICI_VECTOR, x + im, PADICI_VECTOR);
    }
}

PADICI_TARGET static void PADICI_HK(store_rows)(const padici_fft_view *view, const PADICI_REAL *x)
{
    PADICI_REAL rows[2 * PADICI_LANES * PADICI_LANES];
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    const size_t re = view->swapped ? PADICI_LANES : 0, im = PADICI_LANES - re;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j += PADICI_LANES, x += PADICI_LANES * PADICI_VECTOR) {
        const uint64_t left = view->count - j;
        char *at = view->at + (int64_t)j * view->element;
        PADICI_HK(turn_between)(x + re, PADICI_VECTOR, rows, PADICI_VECTOR);
        PADICI_HK(turn_between)(x + im, PADICI_VECTOR, rows + PADICI_LANES, PADICI_VECTOR);
        for (l = 0; l < view->lines; l++, at += view->line) {
            PADICI_NUMBER a = PADICI_HK(get)(rows + l * PADICI_VECTOR);
            a.re = PADICI_MUL(scale, a.re);
            a.im = PADICI_MUL(scale, a.im);
            PADICI_HK(put_pairs)((PADICI_REAL *)(void *)at,
                                 left < PADICI_LANES ? (uint32_t)left : PADICI_LANES, a);
        }
    }
}

PADICI_TARGET static void PADICI_HK(load)(const padici_fft_view *view, void *block)
{
    PADICI_REAL *x = (PADICI_REAL *)block;
    if (PADICI_HK(plain_view)(view) && view->line == 2 * PADICI_REAL_SIZE) {
        if (view->lines < PADICI_LANES)
            PADICI_HK(load_columns)(view, view->lines, view->swapped, x);
        else if (view->swapped) PADICI_HK(load_columns)(view, PADICI_LANES, 1, x);
        else PADICI_HK(load_columns)(view, PADICI_LANES, 0, x);
    } else if (PADICI_HK(plain_view)(view) && view->element == 2 * PADICI_REAL_SIZE) {
        PADICI_HK(load_rows)(view, x);
    } else {
        padici_fft_load_any(view, PADICI_LANES, PADICI_REAL_SIZE == 8, block);
    }
}

PADICI_TARGET static void PADICI_HK(store)(const padici_fft_view *view, const void *block)
{
    const PADICI_REAL *x = (const PADICI_REAL *)block;
    if (PADICI_HK(plain_view)(view) && view->line == 2 * PADICI_REAL_SIZE) {
        if (view->lines < PADICI_LANES)
            PADICI_HK(store_columns)(view, view->lines, view->swapped, x);
        else if (view->swapped) PADICI_HK(store_columns)(view, PADICI_LANES, 1, x);
        else PADICI_HK(store_columns)(view, PADICI_LANES, 0, x);
    } else if (PADICI_HK(plain_view)(view) && view->element == 2 * PADICI_REAL_SIZE) {
        PADICI_HK(store_rows)(view, x);
    } else {
        padici_fft_store_any(view, PADICI_LANES, PADICI_REAL_SIZE == 8, block);
    }
}

// The number at `row` of a block times its twiddle; none beyond the last row.
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(twisted)(const padici_fft_twist *t,
                                                             const PADICI_REAL *x, uint64_t row)
{
    const PADICI_REAL *w = (const PADICI_REAL *)t->twiddle + row * PADICI_VECTOR;
    const PADICI_REAL *f = (const PADICI_REAL *)t->factor;
    PADICI_NUMBER a;
    if (row >= t->rows) {
        a.re = a.im = PADICI_NONE;
        return a;
    }
    a = PADICI_HK(get)(x + row * PADICI_VECTOR);
    if (f) a = PADICI_HK(times)(a, PADICI_SET(f[2 * row]), PADICI_SET(f[2 * row + 1]));
    return PADICI_HK(times)(a, PADICI_LOAD(w), PADICI_LOAD(w + PADICI_LANES));
}

PADICI_TARGET static void PADICI_HK(twist)(const padici_fft_twist *t, const void *block)
{
    const PADICI_REAL *x = (const PADICI_REAL *)block;
    char *to = t->to;
    uint64_t row;
    uint32_t i;
    for (row = 0; row < t->rows; row += PADICI_LANES, to += t->next) {
        PADICI_V re[PADICI_LANES], im[PADICI_LANES];
        PADICI_REAL *y = (PADICI_REAL *)(void *)to;
        PADICI_UNROLL_ALL
        for (i = 0; i < PADICI_LANES; i++) {
            const PADICI_NUMBER a = PADICI_HK(twisted)(t, x, row + i);
            re[i] = a.re;
            im[i] = a.im;
        }
        PADICI_HK(turn)(re);
        PADICI_HK(turn)(im);
        if (t->columns >= PADICI_LANES) {
            PADICI_UNROLL_ALL
            for (i = 0; i < PADICI_LANES; i++) {
                PADICI_STORE(y + i * PADICI_VECTOR, re[i]);
                PADICI_STORE(y + i * PADICI_VECTOR + PADICI_LANES, im[i]);
            }
            continue;
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < PADICI_LANES; i++) {
            if (i >= t->columns) continue;
            PADICI_STORE(y + i * PADICI_VECTOR, re[i]);
            PADICI_STORE(y + i * PADICI_VECTOR + PADICI_LANES, im[i]);
        }
    }
}

#endif
