#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "../num/words.h"

#ifndef PADIC_NO_SPARSE

// Integers without bound: three words, two's complement.
typedef struct padici_sparse_exact {
    uint64_t w[3];
} padici_sparse_exact;

// s += a b, both given as magnitude and sign.
PADICI_INLINE void padici_sparse_exact_add(padici_sparse_exact *s, uint64_t a, int a_negative,
                                           uint64_t b, int b_negative)
{
    padici_num_wide t = padici_num_wide_mul(a, b), sum = padici_num_wide_make(s->w[0], s->w[1]);
    if (a_negative != b_negative) {
        s->w[2] -= (uint64_t)padici_num_wide_less(sum, t);
        sum = padici_num_wide_sub(sum, t);
    } else {
        sum = padici_num_wide_add(sum, t);
        s->w[2] += (uint64_t)padici_num_wide_less(sum, t);
    }
    s->w[0] = sum.low;
    s->w[1] = sum.high;
}

PADICI_FN int padici_sparse_exact_store(const padici_sparse_exact *s, padic_dtype dtype,
                                        uint8_t *p);
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_product(padic_context *context,
                                                             const padic_sparse_product_desc *desc);

#endif
