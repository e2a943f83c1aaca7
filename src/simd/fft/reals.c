// @per-level
#ifndef PADIC_NO_FFT

// Spectra of reals from those of pairs, and back; products. As in src/fft/plain.c.

PADICI_TARGET static void PADICI_HK(split)(uint64_t n, uint32_t lanes, const void *roots,
                                           void *block)
{
    const PADICI_REAL *w = (const PADICI_REAL *)roots;
    const PADICI_REAL half = (PADICI_REAL)0.5;
    const uint64_t h = n / 2;
    uint64_t k;
    uint32_t l;
    for (k = 0; 2 * k <= h; k++, w += 2) {
        PADICI_REAL *a = (PADICI_REAL *)block + 2 * k * lanes;
        PADICI_REAL *b = (PADICI_REAL *)block + 2 * (h - k) * lanes;
        const PADICI_REAL *z = k ? b : a;
        for (l = 0; l < lanes; l++) {
            const PADICI_REAL er = half * (a[l] + z[l]), ei = half * (a[l + lanes] - z[l + lanes]);
            const PADICI_REAL dr = half * (a[l + lanes] + z[l + lanes]), di = half * (z[l] - a[l]);
            const PADICI_REAL tr = w[0] * dr - w[1] * di, ti = w[0] * di + w[1] * dr;
            a[l] = er + tr;
            a[l + lanes] = ei + ti;
            b[l] = er - tr;
            b[l + lanes] = ti - ei;
        }
    }
}

PADICI_TARGET static void PADICI_HK(merge)(uint64_t n, uint32_t lanes, const void *roots,
                                           void *block)
{
    const PADICI_REAL *w = (const PADICI_REAL *)roots;
    const uint64_t h = n / 2;
    uint64_t k;
    uint32_t l;
    for (k = 0; 2 * k <= h; k++, w += 2) {
        PADICI_REAL *a = (PADICI_REAL *)block + 2 * k * lanes;
        PADICI_REAL *b = (PADICI_REAL *)block + 2 * (h - k) * lanes;
        for (l = 0; l < lanes; l++) {
            const PADICI_REAL ai = k ? a[l + lanes] : 0, bi = k ? b[l + lanes] : 0;
            const PADICI_REAL er = a[l] + b[l], ei = ai - bi;
            const PADICI_REAL dr = a[l] - b[l], di = ai + bi;
            const PADICI_REAL tr = w[0] * dr + w[1] * di, ti = w[0] * di - w[1] * dr;
            b[l + lanes] = er + ti;
            b[l] = tr - ei;
            a[l + lanes] = er - ti;
            a[l] = ei + tr;
        }
    }
}

PADICI_TARGET static void PADICI_HK(multiply)(uint64_t n, const void *factors, void *line)
{
    const PADICI_REAL *w = (const PADICI_REAL *)factors;
    PADICI_REAL *x = (PADICI_REAL *)line;
    uint64_t left;
    for (left = n; left; w += PADICI_VECTOR, x += PADICI_VECTOR) {
        const uint32_t count = left < PADICI_LANES ? (uint32_t)left : PADICI_LANES;
        const PADICI_NUMBER f = PADICI_HK(get_pairs)(w, count);
        PADICI_HK(put_pairs)(x, count,
                             PADICI_HK(times)(PADICI_HK(get_pairs)(x, count), f.re, f.im));
        left -= count;
    }
}

PADICI_FN const padici_fft_kernels *PADICI_HK(kernels)(void)
{
    static const padici_fft_kernels kernels = {
        PADICI_LANES,     PADICI_REAL_SIZE == 8, PADICI_WIDEST,    PADICI_HK(stage),
        PADICI_HK(load),  PADICI_HK(store), PADICI_HK(load_stage), PADICI_HK(stage_store),
        PADICI_HK(twist), PADICI_HK(split),
        PADICI_HK(merge), PADICI_HK(multiply),
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
        PADICI_HK(whole)
#else
        NULL
#endif
    };
    return &kernels;
}

#endif
