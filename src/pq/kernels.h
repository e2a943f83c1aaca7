#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_PQ

// Inner loops, which vectors may have ways of, with the same bytes.

typedef struct padici_pq_kernels {
    // out[k] = x[0] c[0][k] + x[1] c[1][k] + ..., in this order, f32, without FMA.
    void (*dots)(const float *x, const float *c, uint64_t n, uint64_t cells, float *out);
    // Of `count` tiles of two sub-vectors with up to 6 bits, a bit for each key: in mask[2 t] where
    // rank[c1] < most[c0], in mask[2 t + 1] where rank[c1] < above[c0]. Tables of 64 bytes.
    void (*cells)(const uint8_t *tiles, uint64_t count, uint32_t bits, const uint8_t *rank,
                  const uint8_t *most, const uint8_t *above, uint64_t *mask);
    // Of `count` tiles, for each key the sum of table[256 j + code j]; tables repeat with 2^bits.
    void (*sums)(const uint8_t *tiles, uint64_t count, uint64_t m, uint32_t bits,
                 const uint8_t *table, uint16_t *out);
} padici_pq_kernels;

// What the backends are asked for by the row PQ_KERNELS.
typedef struct padici_pq_choice {
    const padici_pq_kernels *kernels;
} padici_pq_choice;

PADICI_FN const padici_pq_kernels *padici_pq_plain(void);

#endif
