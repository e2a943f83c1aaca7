// @per-level
#ifndef PADIC_NO_TENSOR

// Packing of panels. Contiguous lines are copied one place at a time, others one line at a time.

// A panel of a in which the places of the sum are contiguous, too.
PADICI_TARGET PADICI_INLINE void PADICI_GK(pack_adjacent)(const padici_simd_tensor_pack *pack,
                                                          PADICI_REAL *to)
{
    const PADICI_REAL *from = (const PADICI_REAL *)(const void *)pack->from, *x[PADICI_MR];
    const uint32_t parts = pack->paired ? 2 : 1, all = parts * pack->depth * PADICI_MR;
    uint32_t k, i;
    for (i = 0; i < PADICI_MR; i++) x[i] = from + parts * (pack->line[i] + pack->sum[0]);
    for (k = 0; k < parts * pack->depth; k++, to += PADICI_MR)
        for (i = 0; i < PADICI_MR; i++) to[i] = x[i][k];
    for (to -= all, k = PADICI_MR; k < all && pack->negate; k += 2 * PADICI_MR)
        for (i = 0; i < PADICI_MR; i++) to[k + i] *= -1;
}

PADICI_TARGET static void PADICI_GK(pack_a)(const padici_simd_tensor_pack *pack, void *panel)
{
    const PADICI_REAL *from = (const PADICI_REAL *)(const void *)pack->from;
    const PADICI_REAL sign = pack->negate ? (PADICI_REAL)-1 : (PADICI_REAL)1;
    PADICI_REAL *to = (PADICI_REAL *)panel;
    const int64_t *sum = pack->sum;
    uint32_t k, i;
    if (!pack->paired && pack->flat) {
        for (k = 0; k < pack->depth; k++, to += PADICI_MR)
            memcpy(to, from + pack->line[0] + sum[k], PADICI_MR * sizeof *to);
    } else if (pack->flat) {
        for (k = 0; k < pack->depth; k++, to += 2 * PADICI_MR) {
            const PADICI_REAL *x = from + 2 * (pack->line[0] + sum[k]);
            for (i = 0; i < PADICI_MR; i++) to[i] = x[2 * i];
            for (i = 0; i < PADICI_MR; i++) to[PADICI_MR + i] = sign * x[2 * i + 1];
        }
    } else if (pack->adjacent) {
        PADICI_GK(pack_adjacent)(pack, to);
    } else if (!pack->paired) {
        for (i = 0; i < PADICI_MR; i++) {
            const PADICI_REAL *x = from + pack->line[i];
            for (k = 0; k < pack->depth; k++) to[k * PADICI_MR + i] = x[sum[k]];
        }
    } else {
        for (i = 0; i < PADICI_MR; i++) {
            const PADICI_REAL *x = from + 2 * pack->line[i];
            for (k = 0; k < pack->depth; k++) {
                to[2 * k * PADICI_MR + i] = x[2 * sum[k]];
                to[(2 * k + 1) * PADICI_MR + i] = sign * x[2 * sum[k] + 1];
            }
        }
    }
}

// One complex number of b; after it, for a complex a, i times the number.
PADICI_TARGET PADICI_INLINE void PADICI_GK(pack_number)(const padici_simd_tensor_pack *pack,
                                                        const PADICI_REAL *x, PADICI_REAL *to)
{
    const PADICI_REAL re = x[0], im = pack->negate ? -x[1] : x[1];
    to[0] = re;
    to[1] = im;
    if (!pack->twice) return;
    to[PADICI_NR] = -im;
    to[PADICI_NR + 1] = re;
}

PADICI_TARGET static void PADICI_GK(pack_b)(const padici_simd_tensor_pack *pack, void *panel)
{
    const PADICI_REAL *from = (const PADICI_REAL *)(const void *)pack->from;
    const PADICI_REAL sign = pack->negate ? (PADICI_REAL)-1 : (PADICI_REAL)1;
    const uint32_t rows = pack->twice ? 2 : 1;
    const int64_t *sum = pack->sum;
    PADICI_REAL *to = (PADICI_REAL *)panel;
    uint32_t k, i;
    if (!pack->paired && pack->flat) {
        for (k = 0; k < pack->depth; k++, to += PADICI_NR)
            memcpy(to, from + pack->line[0] + sum[k], PADICI_NR * sizeof *to);
    } else if (!pack->paired) {
        for (i = 0; i < PADICI_NR; i++) {
            const PADICI_REAL *x = from + pack->line[i];
            for (k = 0; k < pack->depth; k++) to[k * PADICI_NR + i] = x[sum[k]];
        }
    } else if (pack->flat && pack->twice) {
        for (k = 0; k < pack->depth; k++, to += 2 * PADICI_NR) {
            const PADICI_REAL *x = from + 2 * (pack->line[0] + sum[k]);
            for (i = 0; i < PADICI_NR; i += 2) {
                to[i] = to[PADICI_NR + i + 1] = x[i];
                to[i + 1] = sign * x[i + 1];
                to[PADICI_NR + i] = -sign * x[i + 1];
            }
        }
    } else {
        for (i = 0; i < PADICI_NR; i += 2)
            for (k = 0; k < pack->depth; k++)
                PADICI_GK(pack_number)(pack, from + 2 * (pack->line[i / 2] + sum[k]),
                                       to + k * rows * PADICI_NR + i);
    }
}

#endif
