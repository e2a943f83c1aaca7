#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

typedef struct padici_format { // of a float type
    uint32_t mantissa, exponent;
} padici_format;

PADICI_FN padici_format padici_format_of(padic_dtype dtype);

PADICI_INLINE uint64_t padici_float_load(const void *data, padic_dtype dtype, uint64_t i)
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

PADICI_FN void padici_float_store(void *data, padic_dtype dtype, uint64_t i, uint64_t bits);

// Powers of two in a one-word ring, p odd: 2^e = low[k % 64] high[k / 64], k = e + 1,088.
typedef struct padici_twos {
    uint64_t low[64], high[33];
} padici_twos;

PADICI_FN void padici_twos_make(const padic_num_ring *r, padici_twos *t);
PADICI_FN void padici_from_float_loop(padic_num_call *call);

#endif
