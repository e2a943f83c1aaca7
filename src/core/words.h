#pragma once
#include "platform.h"

// Words and bits: loads and stores in one byte order, leading and trailing zeros, wide products.

// Written with shifts: every compiler makes one instruction of them.
PADICI_INLINE uint16_t padici_swap16(uint16_t v)
{
    return (uint16_t)((v >> 8) | (v << 8));
}

PADICI_INLINE uint32_t padici_swap32(uint32_t v)
{
    return (v >> 24) | ((v >> 8) & 0xff00u) | ((v << 8) & 0xff0000u) | (v << 24);
}

PADICI_INLINE uint64_t padici_swap64(uint64_t v)
{
    return ((uint64_t)padici_swap32((uint32_t)v) << 32) | padici_swap32((uint32_t)(v >> 32));
}

// Little-endian loads and stores at any alignment. memcpy of a fixed size is one move, and unlike a
// cast pointer it may alias anything.
PADICI_INLINE uint16_t padici_load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return PADICI_BIG_ENDIAN ? padici_swap16(v) : v;
}

PADICI_INLINE uint32_t padici_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return PADICI_BIG_ENDIAN ? padici_swap32(v) : v;
}

PADICI_INLINE uint64_t padici_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return PADICI_BIG_ENDIAN ? padici_swap64(v) : v;
}

PADICI_INLINE void padici_store16(void *p, uint16_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap16(v);
    memcpy(p, &v, 2);
}

PADICI_INLINE void padici_store32(void *p, uint32_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap32(v);
    memcpy(p, &v, 4);
}

PADICI_INLINE void padici_store64(void *p, uint64_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap64(v);
    memcpy(p, &v, 8);
}

// Zeros above the highest (clz) and below the lowest (ctz) set bit; v is not 0.
PADICI_INLINE uint32_t padici_clz64(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_clzll(v);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long at;
    _BitScanReverse64(&at, v);
    return 63u - (uint32_t)at;
#else
    uint32_t n = 0, step;
    for (step = 32; step > 0; step >>= 1)
        if (!(v >> (64 - step))) {
            n += step;
            v <<= step;
        }
    return n;
#endif
}

PADICI_INLINE uint32_t padici_ctz64(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(v);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long at;
    _BitScanForward64(&at, v);
    return (uint32_t)at;
#else
    return 63u - padici_clz64(v & (0u - v));
#endif
}

PADICI_INLINE uint32_t padici_clz32(uint32_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_clz(v);
#else
    return padici_clz64(v) - 32u;
#endif
}

// Not the builtin: without -mpopcnt that is a call.
PADICI_INLINE uint32_t padici_popcount64(uint64_t v)
{
    v -= (v >> 1) & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)((v * 0x0101010101010101u) >> 56);
}

// The upper 64 bits of a 128-bit product.
PADICI_INLINE uint64_t padici_mulhi64(uint64_t a, uint64_t b)
{
#if PADICI_INT128
    return (uint64_t)(((padici_u128)a * b) >> 64);
#elif defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64) && !defined(PADIC_NO_INT128)
    uint64_t high;
    (void)_umul128(a, b, &high);
    return high;
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, m1 = al * bh, m2 = ah * bl;
    uint64_t middle = (low >> 32) + (uint32_t)m1 + (uint32_t)m2;
    return ah * bh + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
#endif
}

// Products that say when they do not fit: 1 and *out = a b, or 0 and *out = 0.
PADICI_INLINE int padici_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    int fits = !b || a <= UINT64_MAX / b;
    *out = fits ? a * b : 0;
    return fits;
}

PADICI_INLINE int padici_mul_size(size_t a, size_t b, size_t *out)
{
    int fits = !b || a <= (size_t)-1 / b;
    *out = fits ? a * b : 0;
    return fits;
}
