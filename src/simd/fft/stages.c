// @per-level
#ifndef PADIC_NO_FFT

// Stages of a block: Stockham's passes of radix 2 to 8. Loops over arrays unroll, so that these
// stay in registers.

PADICI_TARGET PADICI_INLINE void PADICI_HK(four)(PADICI_NUMBER *a, PADICI_NUMBER *b,
                                                 PADICI_NUMBER *c, PADICI_NUMBER *d)
{
    const PADICI_NUMBER e = PADICI_HK(plus)(*a, *c), f = PADICI_HK(minus)(*a, *c);
    const PADICI_NUMBER g = PADICI_HK(plus)(*b, *d), h = PADICI_HK(minus)(*b, *d);
    *a = PADICI_HK(plus)(e, g);
    *b = PADICI_HK(below)(f, h);
    *c = PADICI_HK(minus)(e, g);
    *d = PADICI_HK(above)(f, h);
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(eight)(PADICI_NUMBER *a)
{
    const PADICI_V half = PADICI_SET((PADICI_REAL)0.70710678118654752440);
    PADICI_NUMBER b, c;
    PADICI_HK(four)(a, a + 2, a + 4, a + 6);
    PADICI_HK(four)(a + 1, a + 3, a + 5, a + 7);
    b.re = PADICI_MUL(half, PADICI_ADD(a[3].re, a[3].im)); // times exp(-i pi/4)
    b.im = PADICI_MUL(half, PADICI_SUB(a[3].im, a[3].re));
    c.re = PADICI_MUL(half, PADICI_SUB(a[7].im, a[7].re)); // times exp(-i 3 pi/4), i.e. minus
    c.im = PADICI_MUL(half, PADICI_ADD(a[7].re, a[7].im)); // the imaginary part
    a[3] = PADICI_HK(plus)(a[2], b);
    b = PADICI_HK(minus)(a[2], b);
    a[7].re = PADICI_SUB(a[6].re, c.re);
    a[7].im = PADICI_ADD(a[6].im, c.im);
    c.re = PADICI_ADD(a[6].re, c.re);
    c.im = PADICI_SUB(a[6].im, c.im);
    {
        const PADICI_NUMBER e = PADICI_HK(plus)(a[0], a[1]), f = PADICI_HK(minus)(a[0], a[1]);
        const PADICI_NUMBER g = PADICI_HK(below)(a[4], a[5]), h = PADICI_HK(above)(a[4], a[5]);
        a[0] = e;
        a[1] = a[3];
        a[2] = g;
        a[3] = c;
        a[4] = f;
        a[5] = b;
        a[6] = h;
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(odd)(uint32_t n, PADICI_NUMBER *a)
{
    PADICI_NUMBER sum[4], part[4], even[4], first = a[0];
    uint32_t j, k;
    PADICI_UNROLL_ALL
    for (j = 1; j <= n / 2; j++) {
        sum[j] = PADICI_HK(plus)(a[j], a[n - j]);
        part[j] = PADICI_HK(minus)(a[j], a[n - j]);
        first = PADICI_HK(plus)(first, sum[j]);
        even[j] = a[0];
    }
    a[0] = first;
    PADICI_UNROLL_ALL
    for (k = 1; k <= n / 2; k++) {
        PADICI_NUMBER rest;
        rest.re = rest.im = PADICI_NONE;
        PADICI_UNROLL_ALL
        for (j = 1; j <= n / 2; j++) {
            const uint32_t turn = j * k % n, at = turn <= n / 2 ? turn : n - turn;
            const PADICI_V c = PADICI_SET((PADICI_REAL)padici_fft_odd_cos(n, at));
            const PADICI_V s = PADICI_SET((PADICI_REAL)(turn <= n / 2 ? padici_fft_odd_sin(n, at)
                                                                 : -padici_fft_odd_sin(n, at)));
            even[k].re = PADICI_FMA(c, sum[j].re, even[k].re);
            even[k].im = PADICI_FMA(c, sum[j].im, even[k].im);
            rest.re = j == 1 ? PADICI_MUL(s, part[j].re) : PADICI_FMA(s, part[j].re, rest.re);
            rest.im = j == 1 ? PADICI_MUL(s, part[j].im) : PADICI_FMA(s, part[j].im, rest.im);
        }
        a[k] = PADICI_HK(below)(even[k], rest);
        a[n - k] = PADICI_HK(above)(even[k], rest);
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(dft)(uint32_t radix, PADICI_NUMBER *a)
{
    if (radix == 8) {
        PADICI_HK(eight)(a);
    } else if (radix == 4) {
        PADICI_HK(four)(a, a + 1, a + 2, a + 3);
    } else if (radix == 2) {
        const PADICI_NUMBER b = a[1];
        a[1] = PADICI_HK(minus)(a[0], b);
        a[0] = PADICI_HK(plus)(a[0], b);
    } else {
        PADICI_HK(odd)(radix, a);
    }
}

// One butterfly; `w` NULL: the last stage, which has no twiddles.
PADICI_TARGET PADICI_INLINE void PADICI_HK(butterfly)(uint32_t radix, const PADICI_REAL *x,
                                                      size_t from, PADICI_REAL *y, size_t to,
                                                      const PADICI_REAL *w)
{
    PADICI_NUMBER a[8];
    uint32_t k;
    PADICI_UNROLL_ALL
    for (k = 0; k < radix; k++) a[k] = PADICI_HK(get)(x + k * from);
    PADICI_HK(dft)(radix, a);
    PADICI_HK(put)(y, a[0]);
    PADICI_UNROLL_ALL
    for (k = 1; k < radix; k++) {
        if (w) a[k] = PADICI_HK(times)(a[k], PADICI_SET(w[2 * k - 2]), PADICI_SET(w[2 * k - 1]));
        PADICI_HK(put)(y + k * to, a[k]);
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(stage_of)(uint32_t radix, const padici_fft_stage *s,
                                                     const PADICI_REAL *x, PADICI_REAL *y)
{
    const size_t done = (size_t)s->done * PADICI_VECTOR, rest = (size_t)s->rest;
    const PADICI_REAL *w = (const PADICI_REAL *)s->twiddle;
    size_t p, q;
    if (rest == 1) {
        for (q = 0; q < done; q += PADICI_VECTOR)
            PADICI_HK(butterfly)(radix, x + q, done, y + q, done, NULL);
        return;
    }
    for (p = 0; p < rest; p++, w += 2 * (radix - 1), x += done, y += radix * done)
        for (q = 0; q < done; q += PADICI_VECTOR)
            PADICI_HK(butterfly)(radix, x + q, rest * done, y + q, done, w);
}

#define PADICI_STAGE_OF(radix)                                                             \
    PADICI_TARGET static void PADICI_HK(stage_##radix)(const padici_fft_stage *s,          \
                                                       const PADICI_REAL *x, PADICI_REAL *y) \
    {                                                                                      \
        PADICI_HK(stage_of)(radix, s, x, y);                                               \
    }
PADICI_STAGE_OF(2)
PADICI_STAGE_OF(3)
PADICI_STAGE_OF(4)
PADICI_STAGE_OF(5)
PADICI_STAGE_OF(7)
PADICI_STAGE_OF(8)

PADICI_TARGET static void PADICI_HK(stage)(const padici_fft_stage *s, const void *x_, void *y_)
{
    const PADICI_REAL *x = (const PADICI_REAL *)x_;
    PADICI_REAL *y = (PADICI_REAL *)y_;
    switch (s->radix) {
    case 2: PADICI_HK(stage_2)(s, x, y); break;
    case 3: PADICI_HK(stage_3)(s, x, y); break;
    case 4: PADICI_HK(stage_4)(s, x, y); break;
    case 5: PADICI_HK(stage_5)(s, x, y); break;
    case 7: PADICI_HK(stage_7)(s, x, y); break;
    default: PADICI_HK(stage_8)(s, x, y);
    }
}

#endif
