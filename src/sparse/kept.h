#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

typedef struct padici_sparse_test {
    uint64_t factor, bias, mask, limit;
} padici_sparse_test;

PADICI_INLINE uint64_t padici_sparse_full(uint32_t size)
{
    return UINT64_MAX >> (64 - 8 * size);
}

PADICI_FN padici_sparse_test padici_sparse_above(padic_dtype dtype, uint64_t limit);
PADICI_FN padici_sparse_test padici_sparse_below(padic_dtype dtype, uint64_t p, int64_t t);
PADICI_FN padici_sparse_test padici_sparse_below_val(uint32_t size, int64_t t);
PADICI_FN double padici_sparse_magnitude(padic_dtype dtype, uint64_t m);
PADICI_FN uint64_t padici_sparse_limit(padic_dtype dtype, double t);

#endif
