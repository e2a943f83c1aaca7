#pragma once
#include "../core/platform.h"
#include "../core/words.h"

#ifndef PADIC_NO_PQ

// Numbers that are the same everywhere: floats as bits, scaled by powers of two with integers, so
// that neither a device that flushes subnormal numbers nor its rounding of a conversion is seen.

enum {
    PADICI_PQ_LIMIT = 40,            // scaled components are 0, or from 2^-40 to 2^40
    PADICI_PQ_NOTHING = -1000,       // the exponent of 0
    PADICI_PQ_FARTHEST = 0x71800000, // 2^100 as bits: half a norm that is never the least
    PADICI_PQ_INFINITE = 0x7f800000  // as bits
};

PADICI_INLINE uint32_t padici_pq_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

PADICI_INLINE float padici_pq_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

PADICI_INLINE int padici_pq_finite(uint32_t bits)
{
    return (bits & 0x7f800000u) != 0x7f800000u;
}

// e with 2^e <= |value| < 2^(e+1).
PADICI_INLINE int32_t padici_pq_exponent(uint32_t bits)
{
    const uint32_t size = bits & 0x7fffffffu;
    if (size >= 0x00800000u) return (int32_t)(size >> 23) - 127;
    return size ? -118 - (int32_t)padici_clz32(size) : PADICI_PQ_NOTHING;
}

// value 2^-e, of a finite value: 0 below 2^-40, and +-2^40 from there on.
PADICI_INLINE float padici_pq_scaled(uint32_t bits, int32_t e)
{
    const uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    uint32_t fraction = size & 0x007fffffu;
    int32_t to = (int32_t)(size >> 23) - 127 - e;
    if (size >= 0x00800000u && to >= -PADICI_PQ_LIMIT && to < PADICI_PQ_LIMIT)
        return padici_pq_float(sign | (uint32_t)(127 + to) << 23 | fraction); // nearly always
    to = padici_pq_exponent(bits) - e;
    if (!size || to < -PADICI_PQ_LIMIT) return 0;
    if (to >= PADICI_PQ_LIMIT)
        return padici_pq_float(sign | (uint32_t)(127 + PADICI_PQ_LIMIT) << 23);
    if (size < 0x00800000u) fraction = size << (padici_clz32(size) - 8) & 0x007fffffu;
    return padici_pq_float(sign | (uint32_t)(127 + to) << 23 | fraction);
}

// value 2^e, of 0 or a normal number: below 2^-126 it is 0, above all finite ones infinite.
PADICI_INLINE float padici_pq_unscaled(float value, int32_t e)
{
    const uint32_t bits = padici_pq_bits(value);
    const int32_t is = padici_pq_exponent(bits), to = is + e;
    if (is < -126 || to < -126) return 0;
    if (is > 127 || to > 127) return padici_pq_float((bits & 0x80000000u) | 0x7f800000u);
    return padici_pq_float((bits & 0x807fffffu) | (uint32_t)(127 + to) << 23);
}

// Integers in the order of floats; NaN as -infinity, and -0 as 0.
PADICI_INLINE uint32_t padici_pq_order(float value)
{
    uint32_t bits = padici_pq_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) bits = 0xff800000u;
    if (bits == 0x80000000u) bits = 0;
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The float of that order; what was NaN or -0 is -infinity or 0.
PADICI_INLINE float padici_pq_of_order(uint32_t order)
{
    return padici_pq_float(order & 0x80000000u ? order ^ 0x80000000u : ~order);
}

// A subnormal number is 0, as on devices that flush.
PADICI_INLINE float padici_pq_flushed(float value)
{
    return padici_pq_bits(value) & 0x7f800000u ? value : 0;
}

// An f32, f16 or bf16 as the bits of an f32.
PADICI_INLINE uint32_t padici_pq_load(const char *at, padic_dtype dtype)
{
    uint32_t bits, exponent, fraction;
    uint16_t half;
    if (dtype == PADIC_F32) {
        memcpy(&bits, at, 4);
        return bits;
    }
    memcpy(&half, at, 2);
    if (dtype == PADIC_BF16) return (uint32_t)half << 16;
    bits = (uint32_t)(half & 0x8000u) << 16;
    exponent = half >> 10 & 31u;
    fraction = half & 1023u;
    if (exponent == 31) return bits | 0x7f800000u | fraction << 13;
    if (!exponent) {
        if (!fraction) return bits;
        exponent = 134 - padici_clz32(fraction); // fraction 2^-24
        return bits | exponent << 23 | (fraction << (padici_clz32(fraction) - 8) & 0x007fffffu);
    }
    return bits | (exponent + 112) << 23 | fraction << 13;
}

// floor(sqrt(n))
PADICI_INLINE uint32_t padici_pq_root64(uint64_t n)
{
    uint64_t root = 0, bit = (uint64_t)1 << 62;
    while (bit > n) bit >>= 2;
    for (; bit; bit >>= 2) {
        if (n >= root + bit) {
            n -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}

// The root of a normal number or 0, rounded towards 0; below 2^-40 it is 0.
PADICI_INLINE float padici_pq_root(float value)
{
    const uint32_t bits = padici_pq_bits(value);
    const int32_t e = (int32_t)(bits >> 23) - 150; // value = whole 2^e
    const uint64_t whole = (bits & 0x007fffffu) | 0x00800000u;
    const int32_t shift = 38 + (e & 1); // an even exponent is left
    uint32_t root;
    if (!(value > 0)) return 0;
    root = padici_pq_root64(whole << shift); // of 31 or 32 bits
    {
        const int32_t top = 31 - (int32_t)padici_clz32(root), to = top + (e - shift) / 2;
        if (to < -PADICI_PQ_LIMIT) return 0;
        return padici_pq_float((uint32_t)(to + 127) << 23 | (root >> (top - 23) & 0x007fffffu));
    }
}

#endif
