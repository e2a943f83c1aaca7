#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_RNN

// Numbers of all dtypes of weights, as doubles.

PADICI_INLINE double padici_rnn_from_half(uint16_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t single = (uint32_t)(bits & 0x8000) << 16;
    float value;
    if (!exponent) {
        value = (float)fraction * (1.0f / 16777216.0f);
        return single ? -(double)value : (double)value;
    }
    single |= (exponent == 31 ? 255u << 23 : (exponent + 112) << 23) | fraction << 13;
    memcpy(&value, &single, 4);
    return (double)value;
}

PADICI_INLINE double padici_rnn_from_bfloat(uint16_t bits)
{
    const uint32_t single = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &single, 4);
    return (double)value;
}

PADICI_INLINE double padici_rnn_get(const void *at, padic_dtype dtype)
{
    switch (dtype) {
    case PADIC_F64: return *(const double *)at;
    case PADIC_F32: return (double)*(const float *)at;
    case PADIC_F16: return padici_rnn_from_half(*(const uint16_t *)at);
    case PADIC_BF16: return padici_rnn_from_bfloat(*(const uint16_t *)at);
    default: return (double)*(const int8_t *)at;
    }
}

// To the nearest of a format with `bits` of fraction and an exponent of `wide` bits, ties to even.
PADICI_INLINE uint16_t padici_rnn_to_small(double value, uint32_t bits, uint32_t wide)
{
    const int32_t bias = (1 << (wide - 1)) - 1;
    const uint64_t infinity = (((uint64_t)1 << wide) - 1) << bits;
    uint64_t from, fraction, kept, sign;
    int32_t exponent;
    uint32_t cut;
    memcpy(&from, &value, 8);
    sign = from >> 63 << 15;
    exponent = (int32_t)(from >> 52 & 2047);
    fraction = from & (((uint64_t)1 << 52) - 1);
    if (exponent == 2047)
        return (uint16_t)(sign | infinity | (fraction ? (uint64_t)1 << (bits - 1) : 0) |
                          fraction >> (52 - bits));
    fraction |= (uint64_t)(exponent != 0) << 52;
    exponent += bias - 1023;
    if (exponent < -60) return (uint16_t)sign;
    cut = 52 - bits + (exponent < 1 ? (uint32_t)(1 - exponent) : 0);
    if (cut > 62) return (uint16_t)sign;
    kept = fraction >> cut;
    fraction -= kept << cut;
    if (fraction > (uint64_t)1 << (cut - 1) || (fraction == (uint64_t)1 << (cut - 1) && (kept & 1)))
        kept++;
    if (exponent > 1) kept += (uint64_t)(exponent - 1) << bits;
    return (uint16_t)(sign | (kept > infinity ? infinity : kept));
}

PADICI_INLINE void padici_rnn_store(void *at, padic_dtype dtype, double value)
{
    if (dtype == PADIC_F64) *(double *)at = value;
    else if (dtype == PADIC_F32) *(float *)at = (float)value;
    else *(uint16_t *)at = dtype == PADIC_F16 ? padici_rnn_to_small(value, 10, 5)
                                              : padici_rnn_to_small(value, 7, 8);
}

// The nearest integer of -127 to 127, ties to even; 0 for NaN.
PADICI_INLINE int8_t padici_rnn_nearest(double value)
{
    const double magic = 6755399441055744.0; // 1.5 2^52
    if (!(value >= -127)) return value < -127 ? -127 : 0;
    if (value > 127) return 127;
    return (int8_t)(int32_t)((value + magic) - magic);
}

#endif
