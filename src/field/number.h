#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

// Elements of tensors, in F64; `at` counts elements.

PADICI_INLINE int padici_field_number_finite(double x)
{
    return x - x == 0;
}

PADICI_INLINE void padici_field_number_get(const padic_tensor *t, int64_t at, double z[2])
{
    float single[2];
    if (t->dtype == PADIC_C128) {
        memcpy(z, (const char *)t->data + 16 * at, 16);
    } else {
        memcpy(single, (const char *)t->data + 8 * at, 8);
        z[0] = (double)single[0];
        z[1] = (double)single[1];
    }
}

PADICI_INLINE void padici_field_number_put(const padic_tensor *t, int64_t at, double re, double im)
{
    float single[2];
    double both[2];
    if (t->dtype == PADIC_C128) {
        both[0] = re;
        both[1] = im;
        memcpy((char *)t->data + 16 * at, both, 16);
    } else {
        single[0] = (float)re;
        single[1] = (float)im;
        memcpy((char *)t->data + 8 * at, single, 8);
    }
}

// |z|^(2 half) sqrt(|z|^2)^odd of |z|^2.
PADICI_INLINE double padici_field_number_power(double square, uint32_t half, uint32_t odd)
{
    double x = odd ? sqrt(square) : 1;
    while (half--) x *= square;
    return x;
}

#endif
