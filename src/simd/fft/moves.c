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

// Lines whose elements lie next to each other, as many elements as lanes at a time.
PADICI_TARGET static void PADICI_HK(load_rows)(const padici_fft_view *view, PADICI_REAL *x)
{
    PADICI_ROWS(rows);
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
        PADICI_HK(turn)(rows, PADICI_VECTOR, x + re, PADICI_VECTOR, PADICI_LANES);
        PADICI_HK(turn)(rows + PADICI_LANES, PADICI_VECTOR, x + im, PADICI_VECTOR, PADICI_LANES);
    }
}

PADICI_TARGET static void PADICI_HK(store_rows)(const padici_fft_view *view, const PADICI_REAL *x)
{
    PADICI_ROWS(rows);
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    const size_t re = view->swapped ? PADICI_LANES : 0, im = PADICI_LANES - re;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j += PADICI_LANES, x += PADICI_LANES * PADICI_VECTOR) {
        const uint64_t left = view->count - j;
        char *at = view->at + (int64_t)j * view->element;
        PADICI_HK(turn)(x + re, PADICI_VECTOR, rows, PADICI_VECTOR, PADICI_LANES);
        PADICI_HK(turn)(x + im, PADICI_VECTOR, rows + PADICI_LANES, PADICI_VECTOR, PADICI_LANES);
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

// The first stage, of columns; with a constant radix.
PADICI_TARGET PADICI_INLINE void PADICI_HK(load_stage_of)(uint32_t radix, uint32_t swapped,
                                                          uint32_t lines,
                                                          const padici_fft_view *view,
                                                          const padici_fft_stage *s,
                                                          PADICI_REAL *y)
{
    const size_t rest = (size_t)s->rest;
    const PADICI_REAL *w = (const PADICI_REAL *)s->twiddle;
    const int64_t apart = (int64_t)rest * view->element;
    const char *at = view->at;
    size_t p;
    uint32_t k;
    for (p = 0; p < rest; p++, at += view->element, w += 2 * (radix - 1)) {
        PADICI_NUMBER a[8];
        PADICI_UNROLL_ALL
        for (k = 0; k < radix; k++)
            a[k] = PADICI_HK(swapped)(
                PADICI_HK(get_pairs)((const PADICI_REAL *)(const void *)(at + k * apart), lines),
                swapped);
        PADICI_HK(dft)(radix, a);
        PADICI_HK(put)(y, a[0]);
        y += PADICI_VECTOR;
        if (rest == 1) { // all twiddles are 1
            PADICI_UNROLL_ALL
            for (k = 1; k < radix; k++) PADICI_HK(put)(y + (k - 1) * PADICI_VECTOR, a[k]);
            return;
        }
        PADICI_UNROLL_ALL
        for (k = 1; k < radix; k++, y += PADICI_VECTOR)
            PADICI_HK(put)(y, PADICI_HK(times)(a[k], PADICI_SET(w[2 * k - 2]),
                                               PADICI_SET(w[2 * k - 1])));
    }
}

// The last stage, to columns.
PADICI_TARGET PADICI_INLINE void PADICI_HK(stage_store_of)(uint32_t radix, uint32_t swapped,
                                                           uint32_t lines,
                                                           const padici_fft_view *view,
                                                           const padici_fft_stage *s,
                                                           const PADICI_REAL *x)
{
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    const size_t done = (size_t)s->done * PADICI_VECTOR;
    const int64_t apart = (int64_t)s->done * view->element;
    char *at = view->at;
    size_t q;
    uint32_t k;
    for (q = 0; q < done; q += PADICI_VECTOR, at += view->element) {
        PADICI_NUMBER a[8];
        PADICI_UNROLL_ALL
        for (k = 0; k < radix; k++) a[k] = PADICI_HK(get)(x + q + k * done);
        PADICI_HK(dft)(radix, a);
        PADICI_UNROLL_ALL
        for (k = 0; k < radix; k++) {
            a[k].re = PADICI_MUL(scale, a[k].re);
            a[k].im = PADICI_MUL(scale, a[k].im);
            PADICI_HK(put_pairs)((PADICI_REAL *)(void *)(at + k * apart), lines,
                                 PADICI_HK(swapped)(a[k], swapped));
        }
    }
}

#define PADICI_MOVING_STAGE(radix)                                                              \
    PADICI_TARGET static void PADICI_HK(load_##radix)(const padici_fft_view *view,              \
                                                      const padici_fft_stage *s, PADICI_REAL *y) \
    {                                                                                           \
        if (view->lines == PADICI_MIDDLE && !view->swapped)                                     \
            PADICI_HK(load_stage_of)(radix, 0, PADICI_MIDDLE, view, s, y);                      \
        else if (view->lines < PADICI_LANES)                                                    \
            PADICI_HK(load_stage_of)(radix, view->swapped, view->lines, view, s, y);            \
        else if (view->swapped) PADICI_HK(load_stage_of)(radix, 1, PADICI_LANES, view, s, y);   \
        else PADICI_HK(load_stage_of)(radix, 0, PADICI_LANES, view, s, y);                      \
    }                                                                                           \
    PADICI_TARGET static void PADICI_HK(store_##radix)(                                         \
        const padici_fft_view *view, const padici_fft_stage *s, const PADICI_REAL *x)           \
    {                                                                                           \
        if (view->lines == PADICI_MIDDLE && !view->swapped)                                     \
            PADICI_HK(stage_store_of)(radix, 0, PADICI_MIDDLE, view, s, x);                     \
        else if (view->lines < PADICI_LANES)                                                    \
            PADICI_HK(stage_store_of)(radix, view->swapped, view->lines, view, s, x);           \
        else if (view->swapped) PADICI_HK(stage_store_of)(radix, 1, PADICI_LANES, view, s, x);  \
        else PADICI_HK(stage_store_of)(radix, 0, PADICI_LANES, view, s, x);                     \
    }
PADICI_MOVING_STAGE(3)
PADICI_MOVING_STAGE(4)
PADICI_MOVING_STAGE(5)
PADICI_MOVING_STAGE(7)
PADICI_MOVING_STAGE(8)

PADICI_INLINE int PADICI_HK(all_columns)(const padici_fft_view *view, const padici_fft_stage *s)
{
    return PADICI_HK(plain_view)(view) && view->line == 2 * PADICI_REAL_SIZE &&
           s->radix != 2 && view->count == s->radix * s->rest * s->done;
}

PADICI_TARGET static void PADICI_HK(load_stage)(const padici_fft_view *view,
                                                const padici_fft_stage *s, void *x, void *y_)
{
    PADICI_REAL *y = (PADICI_REAL *)y_;
    if (!PADICI_HK(all_columns)(view, s)) {
        PADICI_HK(load)(view, x);
        PADICI_HK(stage)(s, x, y);
        return;
    }
    switch (s->radix) {
    case 3: PADICI_HK(load_3)(view, s, y); break;
    case 4: PADICI_HK(load_4)(view, s, y); break;
    case 5: PADICI_HK(load_5)(view, s, y); break;
    case 7: PADICI_HK(load_7)(view, s, y); break;
    default: PADICI_HK(load_8)(view, s, y);
    }
}

PADICI_TARGET static void PADICI_HK(stage_store)(const padici_fft_view *view,
                                                 const padici_fft_stage *s, const void *x_, void *y)
{
    const PADICI_REAL *x = (const PADICI_REAL *)x_;
    if (!PADICI_HK(all_columns)(view, s)) {
        PADICI_HK(stage)(s, x, y);
        PADICI_HK(store)(view, y);
        return;
    }
    switch (s->radix) {
    case 3: PADICI_HK(store_3)(view, s, x); break;
    case 4: PADICI_HK(store_4)(view, s, x); break;
    case 5: PADICI_HK(store_5)(view, s, x); break;
    case 7: PADICI_HK(store_7)(view, s, x); break;
    default: PADICI_HK(store_8)(view, s, x);
    }
}

// The numbers from `row` on, `most` of them, times their twiddles; zeros beyond the last row.
PADICI_TARGET PADICI_INLINE void PADICI_HK(twisted)(const padici_fft_twist *t, const PADICI_REAL *x,
                                                    uint64_t row, uint32_t most,
                                                    PADICI_REAL *rows)
{
    const PADICI_REAL *w = (const PADICI_REAL *)t->twiddle + row * PADICI_VECTOR;
    const PADICI_REAL *f = (const PADICI_REAL *)t->factor;
    const uint32_t count = t->rows - row < most ? (uint32_t)(t->rows - row) : most;
    uint32_t i;
    x += row * PADICI_VECTOR;
    if (f) f += 2 * row;
    for (i = 0; i < count; i++, x += PADICI_VECTOR, w += PADICI_VECTOR, rows += PADICI_VECTOR) {
        PADICI_NUMBER a = PADICI_HK(get)(x);
        if (f) a = PADICI_HK(times)(a, PADICI_SET(f[2 * i]), PADICI_SET(f[2 * i + 1]));
        PADICI_HK(put)(rows, PADICI_HK(times)(a, PADICI_LOAD(w), PADICI_LOAD(w + PADICI_LANES)));
    }
    for (; i < most; i++, rows += PADICI_VECTOR) {
        PADICI_STORE(rows, PADICI_NONE);
        PADICI_STORE(rows + PADICI_LANES, PADICI_NONE);
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_both)(uint32_t half, const PADICI_REAL *rows,
                                                      PADICI_REAL *y, uint32_t columns)
{
    PADICI_HK(turn_of)(half, rows, PADICI_VECTOR, y, PADICI_VECTOR, columns);
    PADICI_HK(turn_of)(half, rows + PADICI_LANES, PADICI_VECTOR, y + PADICI_LANES, PADICI_VECTOR,
                       columns);
}

PADICI_TARGET static void PADICI_HK(twist)(const padici_fft_twist *t, const void *block)
{
    PADICI_ROWS(rows);
    char *to = t->to;
    uint64_t row;
    for (row = 0; row < t->rows; row += PADICI_LANES, to += t->next) {
        PADICI_REAL *y = (PADICI_REAL *)(void *)to;
        if (t->rows - row <= PADICI_MIDDLE) { // lanes beyond are no rows, whatever they hold
            PADICI_HK(twisted)(t, (const PADICI_REAL *)block, row, PADICI_MIDDLE, rows);
            if (t->columns == PADICI_LANES) PADICI_HK(turn_both)(1, rows, y, PADICI_LANES);
            else if (t->columns == PADICI_MIDDLE) PADICI_HK(turn_both)(1, rows, y, PADICI_MIDDLE);
            else PADICI_HK(turn_both)(1, rows, y, t->columns);
        } else {
            PADICI_HK(twisted)(t, (const PADICI_REAL *)block, row, PADICI_LANES, rows);
            if (t->columns == PADICI_LANES) PADICI_HK(turn_both)(0, rows, y, PADICI_LANES);
            else PADICI_HK(turn_both)(0, rows, y, t->columns);
        }
    }
}

#endif
