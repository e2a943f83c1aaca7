// number.cl: numbers that are the same everywhere: src/pq/number.h has them for the host.
//
// Floats are scaled by powers of two with integers, and what is compared is integers in the order
// of floats. Small things are kept as bits, so that no device flushes them.

#define PQ_WG ((pd_u32)PD_WG)
#define PQ_TILE 64u
#define PQ_LIMIT 40 // scaled components are 0, or from 2^-40 to 2^40
#define PQ_LEAST 0xff800000u // -infinity
#define PQ_MOST 0xffffffffu

// For functions with barriers: PoCL miscompiles them unless they are inlined.
#if PD_IS_OPENCL
#define PQ_FN __attribute__((always_inline)) PD_FN
#else
#define PQ_FN PD_FN
#endif

// dtypes of inputs
#define PQ_F32 0u
#define PQ_F16 1u
#define PQ_BF16 2u

// i steps of a tensor, in elements: steps may be negative.
PD_FN pd_u64 pq_steps(pd_u32 i, pd_u32 step)
{
    return (pd_u64)((pd_i64)i * (pd_i64)(pd_i32)step);
}

PD_FN pd_u32 pq_finite(pd_u32 bits)
{
    return (bits & 0x7f800000u) != 0x7f800000u ? 1u : 0u;
}

// e with 2^e <= |value| < 2^(e+1).
PD_FN pd_i32 pq_exponent(pd_u32 bits)
{
    const pd_u32 size = bits & 0x7fffffffu;
    if (size >= 0x00800000u) return (pd_i32)(size >> 23) - 127;
    return size > 0u ? -118 - (pd_i32)PD_CLZ(size) : -1000;
}

// The bits of value 2^-e, of a finite value: 0 below 2^-40, and +-2^40 from there on.
PD_FN pd_u32 pq_scaled(pd_u32 bits, pd_i32 e)
{
    const pd_u32 sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    const pd_i32 to = pq_exponent(bits) - e;
    pd_u32 fraction = size & 0x007fffffu;
    if (size == 0u || to < -PQ_LIMIT) return 0u;
    if (to >= PQ_LIMIT) return sign | (pd_u32)(127 + PQ_LIMIT) << 23;
    if (size < 0x00800000u) fraction = size << (PD_CLZ(size) - 8u) & 0x007fffffu;
    return sign | (pd_u32)(127 + to) << 23 | fraction;
}

// The bits of value 2^e, of 0 or a normal number: below 2^-126 it is 0, above all finite ones
// infinite.
PD_FN pd_u32 pq_unscaled(pd_u32 bits, pd_i32 e)
{
    const pd_i32 is = pq_exponent(bits), to = is + e;
    if (is < -126 || to < -126) return 0u;
    if (is > 127 || to > 127) return (bits & 0x80000000u) | 0x7f800000u;
    return (bits & 0x807fffffu) | (pd_u32)(127 + to) << 23;
}

// Integers in the order of floats; NaN as -infinity, and -0 as 0.
PD_FN pd_u32 pq_order(pd_u32 bits)
{
    pd_u32 b = bits;
    if ((b & 0x7fffffffu) > 0x7f800000u) b = PQ_LEAST;
    if (b == 0x80000000u) b = 0u;
    return (b & 0x80000000u) > 0u ? ~b : b | 0x80000000u;
}

// The bits of the float of that order.
PD_FN pd_u32 pq_of_order(pd_u32 order)
{
    return (order & 0x80000000u) > 0u ? order ^ 0x80000000u : ~order;
}

// An element of a tensor, as the bits of an f32.
PD_FN pd_u32 pq_load(PD_GPTR(const pd_u32) from, pd_u64 at, pd_u32 dtype)
{
    pd_u32 word, exponent, fraction;
    if (dtype == PQ_F32) return from[at];
    word = ((PD_GPTR(const pd_u16))from)[at];
    if (dtype == PQ_BF16) return word << 16;
    exponent = word >> 10 & 31u;
    fraction = word & 1023u;
    word = (word & 0x8000u) << 16;
    if (exponent == 31u) return word | 0x7f800000u | fraction << 13;
    if (exponent > 0u) return word | (exponent + 112u) << 23 | fraction << 13;
    if (fraction == 0u) return word;
    return word | (134u - PD_CLZ(fraction)) << 23 |
           (fraction << (PD_CLZ(fraction) - 8u) & 0x007fffffu);
}

// floor(sqrt(n))
PD_FN pd_u32 pq_root64(pd_u64 n)
{
    pd_u64 left = n, root = 0u;
    for (pd_u32 i = 0u; i < 32u; i++) {
        const pd_u64 bit = (pd_u64)1u << (62u - 2u * i);
        const pd_u32 in = left >= root + bit ? 1u : 0u;
        if (in > 0u) left -= root + bit;
        root >>= 1;
        if (in > 0u) root += bit;
    }
    return (pd_u32)root;
}

// The bits of the root of a normal number or 0, rounded towards 0; below 2^-40 it is 0.
PD_FN pd_u32 pq_root(pd_f32 value)
{
    const pd_u32 bits = PD_AS_U32(value);
    const pd_i32 e = (pd_i32)(bits >> 23) - 150; // value = whole 2^e
    const pd_u64 whole = (bits & 0x007fffffu) | 0x00800000u;
    const pd_i32 shift = 38 + (e & 1); // an even exponent is left
    pd_u32 root;
    pd_i32 top, to;
    if (!(value > 0.0f)) return 0u;
    root = pq_root64(whole << shift); // of 31 or 32 bits
    top = 31 - (pd_i32)PD_CLZ(root);
    to = top + (e - shift) / 2;
    if (to < -PQ_LIMIT) return 0u;
    return (pd_u32)(to + 127) << 23 | (root >> (top - 23) & 0x007fffffu);
}
