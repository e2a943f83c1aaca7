#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

#define PADICI_SPARSE_PIECE 32768u    // keys of a piece
#define PADICI_SPARSE_FEW 32u         // for which AUTO is the plain loop
#define PADICI_SPARSE_GATHERED 1024u  // of one whose numbers are collected afterwards
#define PADICI_SPARSE_TASK 131072u    // keys of a task,
#define PADICI_SPARSE_TASKS 32u       // so many at once
#define PADICI_SPARSE_INTEGERS 0x1fe0u // PADIC_I8 .. PADIC_U64 as bits
#define PADICI_SPARSE_SIGNED 0x1e0u
#define PADICI_SPARSE_FLOATS 0x1eu // PADIC_F64 .. PADIC_BF16
#define PADICI_SPARSE_INDICES (1u << PADIC_I32 | 1u << PADIC_I64)

PADICI_FN int padici_sparse_is(padic_dtype dtype, uint32_t mask);

// Words of 1, 2, 4 or 8 bytes at any alignment; `size` is a constant where speed matters.
PADICI_INLINE uint64_t padici_sparse_key(const uint8_t *p, uint32_t size)
{
    uint64_t x;
    uint32_t y;
    uint16_t z;
    if (size == 1) return *p;
    if (size == 2) return memcpy(&z, p, 2), z;
    if (size == 4) return memcpy(&y, p, 4), y;
    return memcpy(&x, p, 8), x;
}

PADICI_INLINE void padici_sparse_key_set(uint8_t *p, uint32_t size, uint64_t x)
{
    const uint32_t y = (uint32_t)x;
    const uint16_t z = (uint16_t)x;
    if (size == 1)
        *p = (uint8_t)x;
    else if (size == 2)
        memcpy(p, &z, 2);
    else if (size == 4)
        memcpy(p, &y, 4);
    else
        memcpy(p, &x, 8);
}

PADICI_INLINE uint64_t padici_sparse_index(const uint8_t *p, uint32_t wide, uint64_t i)
{
    return wide ? padici_sparse_key(p + 8 * i, 8) : padici_sparse_key(p + 4 * i, 4);
}

PADICI_INLINE void padici_sparse_index_set(uint8_t *p, uint32_t wide, uint64_t i, uint64_t x)
{
    padici_sparse_key_set(p + (wide ? 8 : 4) * i, wide ? 8 : 4, x);
}

// f16, bf16 and f32 to f32, exactly.
PADICI_INLINE float padici_sparse_single(padic_dtype dtype, const uint8_t *p)
{
    uint32_t bits = (uint32_t)padici_sparse_key(p, dtype == PADIC_F32 ? 4 : 2);
    const uint32_t m = bits & 0x7fffu;
    float x;
    if (dtype == PADIC_F16 && m < 0x400u) { // subnormal, zero
        x = (float)(int32_t)m * (1.0f / 16777216.0f);
        return bits >> 15 ? -x : x;
    }
    if (dtype == PADIC_BF16) bits <<= 16;
    if (dtype == PADIC_F16)
        bits = (bits & 0x8000u) << 16 | ((m << 13) + (m < 0x7c00u ? 0x38000000u : 0x70000000u));
    memcpy(&x, &bits, 4);
    return x;
}

PADICI_INLINE double padici_sparse_double(padic_dtype dtype, const uint8_t *p)
{
    double x;
    if (dtype != PADIC_F64) return (double)padici_sparse_single(dtype, p);
    memcpy(&x, p, 8);
    return x;
}

PADICI_FN void padici_sparse_narrow(padic_dtype dtype, uint8_t *p, float x);

#endif
