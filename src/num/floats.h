#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

typedef struct padici_num_format { // of a float type
    uint32_t mantissa, exponent;
} padici_num_format;

PADICI_FN padici_num_format padici_num_format_of(padic_dtype dtype);

PADICI_INLINE uint64_t padici_num_float_load(const void *data, padic_dtype dtype, uint64_t i)
{
    uint64_t x;
    uint32_t y;
    if (dtype == PADIC_F64) {
        memcpy(&x, (const char *)data + 8 * i, 8);
        return x;
    }
    if (dtype != PADIC_F32) return ((const uint16_t *)data)[i];
    memcpy(&y, (const char *)data + 4 * i, 4);
    return y;
}

PADICI_FN void padici_num_float_store(void *data, padic_dtype dtype, uint64_t i, uint64_t bits);

// Powers of two in a one-word ring, p odd: 2^e = low[k % 64] high[k / 64], k = e + 1,088.
typedef struct padici_num_twos {
    uint64_t low[64], high[33];
} padici_num_twos;

PADICI_FN void padici_num_twos_make(const padic_num_ring *r, padici_num_twos *t);
PADICI_FN void padici_num_from_float_loop(padic_num_call *call);

#endif
