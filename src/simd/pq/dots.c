// @per-level
#if !defined(PADIC_NO_PQ) && PADICI_REAL_SIZE == 4

// <x, c> of four vectors of centroids at a time: one product after the other, each rounded before
// it is added, as in src/pq/plain.c.
PADICI_TARGET PADICI_FN void PADICI_PQK(dots)(const float *x, const float *c, uint64_t n,
                                              uint64_t cells, float *out)
{
    uint64_t i, k = 0;
    for (; k + 4 * PADICI_LANES <= cells; k += 4 * PADICI_LANES) {
        const float *row = c + k;
        PADICI_V sum[4];
        uint32_t j;
        PADICI_UNROLL_ALL
        for (j = 0; j < 4; j++)
            sum[j] = PADICI_MUL(PADICI_SET(x[0]), PADICI_LOAD(row + j * PADICI_LANES));
        for (i = 1; i < n; i++) {
            const PADICI_V v = PADICI_SET(x[i]);
            row += cells;
            PADICI_UNROLL_ALL
            for (j = 0; j < 4; j++)
                sum[j] = PADICI_ADD(sum[j], PADICI_MUL(v, PADICI_LOAD(row + j * PADICI_LANES)));
        }
        PADICI_UNROLL_ALL
        for (j = 0; j < 4; j++) PADICI_STORE(out + k + j * PADICI_LANES, sum[j]);
    }
    for (; k < cells; k += PADICI_LANES) {
        const uint32_t some =
            cells - k < PADICI_LANES ? (uint32_t)(cells - k) : (uint32_t)PADICI_LANES;
        PADICI_V sum = PADICI_MUL(PADICI_SET(x[0]), PADICI_PART_LOAD(c + k, some));
        for (i = 1; i < n; i++)
            sum = PADICI_ADD(sum, PADICI_MUL(PADICI_SET(x[i]),
                                             PADICI_PART_LOAD(c + i * cells + k, some)));
        PADICI_PART_STORE(out + k, some, sum);
    }
}

#endif
