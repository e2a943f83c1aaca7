#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_PQ

// Inner loops, which vectors may have ways of, with the same bytes.

typedef struct padici_pq_kernels {
    // out[k] = x[0] c[0][k] + x[1] c[1][k] + ..., in this order, f32, without FMA.
    void (*dots)(const float *x, const float *c, uint64_t n, uint64_t cells, float *out);
    // Of `count` tiles, at most 64, of two sub-vectors with up to 6 bits, a bit for each key: in
    // mask[2 t] where rank[c1] < most[c0], in mask[2 t + 1] where rank[c1] < above[c0]. Tables of
    // 64 bytes. Returns a bit for each tile that has any; of others mask[2 t + 1] may be left out.
    uint64_t (*cells)(const uint8_t *tiles, uint64_t count, uint32_t bits, const uint8_t *rank,
                      const uint8_t *most, const uint8_t *above, uint64_t *mask);
    // Of `count` tiles, for each key the sum of table[256 j + code j]; tables repeat with 2^bits.
    void (*sums)(const uint8_t *tiles, uint64_t count, uint64_t m, uint32_t bits,
                 const uint8_t *table, uint16_t *out);
    // Where sums[i] >= least, at most 65,535: i in place, ascending. Returns how many; UINT64_MAX:
    // they are more than `most`.
    uint64_t (*tops)(const uint16_t *sums, uint64_t n, uint32_t least, uint64_t most,
                     uint32_t *place);
    // rank[i] = how many of at most 64 are above order[i], or equal to it and before it.
    void (*ranks)(const uint32_t *order, uint32_t cells, uint8_t *rank);
    // out[j] = <q, row j> of `n` rows of `d` elements, in f64: eight sums of the components i with
    // one i mod 8 each, which padici_pq_eight() adds up. Products of f32 are exact in f64.
    void (*rows_dots)(const double *q, const char *const *row, uint64_t n, uint64_t d,
                      padic_dtype dtype, double *out);
    // o[k] = o[k] + w[0] row 0 [k] + w[1] row 1 [k] + ..., in f64, each rounded.
    void (*rows_add)(const double *w, const char *const *row, uint64_t n, uint64_t d,
                     padic_dtype dtype, double *o);
} padici_pq_kernels;

PADICI_INLINE double padici_pq_eight(const double s[8])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// In this order of loops compilers use vectors of whatever level this is compiled for.
PADICI_INLINE void padici_pq_ranks_loop(const uint32_t *order, uint32_t cells, uint8_t *rank)
{
    int32_t is[64], before[64];
    uint32_t i, k;
    for (i = 0; i < cells; i++) {
        is[i] = (int32_t)(order[i] ^ 0x80000000u);
        before[i] = 0;
    }
    for (k = 0; k < cells; k++) {
        const int32_t one = is[k];
        for (i = 0; i <= k; i++) before[i] += one > is[i];
        for (i = k + 1; i < cells; i++) before[i] += one >= is[i];
    }
    for (i = 0; i < cells; i++) rank[i] = (uint8_t)before[i];
}

// What the backends are asked for by the row PQ_KERNELS.
typedef struct padici_pq_choice {
    const padici_pq_kernels *kernels;
} padici_pq_choice;

PADICI_FN const padici_pq_kernels *padici_pq_plain(void);

#endif
