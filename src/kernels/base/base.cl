// program: base
// base.cl: fill, strided copy and random numbers for tensors of any element type.
//
// A tensor is treated as units of 1, 2 or 4 bytes over 1 to 9 axes, the innermost first. A launch
// covers units 0 to n - 1; unit i lies at base + the sum of its coordinates times their strides.
// To divide i by an extent: t = high 32 bits of i magic, q = (t + (i - t) / 2) >> shift (Granlund,
// Montgomery 1994); the outermost axis has magic 0 and shift 31, so q = 0.

// Splits coordinate A off `rest` into `c`. Written out for each axis: params must not be indexed by
// a variable, or compilers copy them to slow memory.
#define BASE_COORDINATE(A)                                                                      \
    const pd_u32 t = PD_MULHI32(rest, k.magic[A]);                                              \
    const pd_u32 q = (t + ((rest - t) >> 1)) >> k.shift[A];                                     \
    const pd_u32 c = rest - q * k.extent[A];                                                    \
    rest = q

typedef struct {
    pd_u32 n, axes, base_lo, base_hi;
    pd_u32 value[4]; // the element's bytes, repeated
    pd_u32 extent[9], magic[9], shift[9], stride[9];
} padic_k_base_fill_params;

#define BASE_FILL_AXIS(A)                                                                       \
    if (k.axes > A) {                                                                           \
        BASE_COORDINATE(A);                                                                     \
        at += (pd_u64)c * k.stride[A];                                                          \
    }
// Units from `first` on of one work-item; `inner` is the innermost coordinate.
#define BASE_FILL_LOOP(STORE)                                                                   \
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {                            \
        pd_u64 at = PD_U64(k.base_lo, k.base_hi);                                               \
        pd_u32 rest = i, inner;                                                                 \
        {                                                                                       \
            BASE_COORDINATE(0);                                                                 \
            at += (pd_u64)c * k.stride[0];                                                      \
            inner = c;                                                                          \
        }                                                                                       \
        BASE_FILL_AXIS(1)                                                                       \
        BASE_FILL_AXIS(2)                                                                       \
        BASE_FILL_AXIS(3)                                                                       \
        BASE_FILL_AXIS(4)                                                                       \
        BASE_FILL_AXIS(5)                                                                       \
        BASE_FILL_AXIS(6)                                                                       \
        BASE_FILL_AXIS(7)                                                                       \
        BASE_FILL_AXIS(8)                                                                       \
        STORE;                                                                                  \
    }
// Word w % 4 of the value.
#define BASE_WORD(w)                                                                            \
    (((w)&2u) ? (((w)&1u) ? k.value[3] : k.value[2]) : (((w)&1u) ? k.value[1] : k.value[0]))

PD_KERNEL(padic_k_base_fill_1)
(PD_BUF(pd_u8, to), PD_PARAMS(padic_k_base_fill_params, k))
{
    BASE_FILL_LOOP(to[at] = (pd_u8)(BASE_WORD(inner >> 2) >> (8u * (inner & 3u))))
}

PD_KERNEL(padic_k_base_fill_2)
(PD_BUF(pd_u16, to), PD_PARAMS(padic_k_base_fill_params, k))
{
    BASE_FILL_LOOP(to[at] = (pd_u16)(BASE_WORD(inner >> 1) >> (16u * (inner & 1u))))
}

PD_KERNEL(padic_k_base_fill_4)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_base_fill_params, k))
{
    BASE_FILL_LOOP(to[at] = BASE_WORD(inner))
}

typedef struct {
    pd_u32 n, axes, from_lo, from_hi, to_lo, to_hi;
    pd_u32 extent[9], magic[9], shift[9], from_stride[9], to_stride[9];
} padic_k_base_copy_params;

#define BASE_COPY_AXIS(A)                                                                       \
    if (k.axes > A) {                                                                           \
        BASE_COORDINATE(A);                                                                     \
        from_at += (pd_u64)c * k.from_stride[A];                                                \
        to_at += (pd_u64)c * k.to_stride[A];                                                    \
    }
#define BASE_COPY_LOOP                                                                          \
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {                            \
        pd_u64 from_at = PD_U64(k.from_lo, k.from_hi), to_at = PD_U64(k.to_lo, k.to_hi);        \
        pd_u32 rest = i;                                                                        \
        BASE_COPY_AXIS(0)                                                                       \
        BASE_COPY_AXIS(1)                                                                       \
        BASE_COPY_AXIS(2)                                                                       \
        BASE_COPY_AXIS(3)                                                                       \
        BASE_COPY_AXIS(4)                                                                       \
        BASE_COPY_AXIS(5)                                                                       \
        BASE_COPY_AXIS(6)                                                                       \
        BASE_COPY_AXIS(7)                                                                       \
        BASE_COPY_AXIS(8)                                                                       \
        to[to_at] = from[from_at];                                                              \
    }

PD_KERNEL(padic_k_base_copy_1)
(PD_CBUF(pd_u8, from), PD_BUF(pd_u8, to), PD_PARAMS(padic_k_base_copy_params, k))
{
    BASE_COPY_LOOP
}

PD_KERNEL(padic_k_base_copy_2)
(PD_CBUF(pd_u16, from), PD_BUF(pd_u16, to), PD_PARAMS(padic_k_base_copy_params, k))
{
    BASE_COPY_LOOP
}

PD_KERNEL(padic_k_base_copy_4)
(PD_CBUF(pd_u32, from), PD_BUF(pd_u32, to), PD_PARAMS(padic_k_base_copy_params, k))
{
    BASE_COPY_LOOP
}

// Philox4x32-10: see >>random API of padic.h. Unit i of the launch takes word `skip` + i, counted
// from block `block`.
typedef struct {
    pd_u32 n, axes, base_lo, base_hi, skip, block, step, kind;
    pd_u32 seed_lo, seed_hi, stream_lo, stream_hi;
    pd_u32 extent[9], magic[9], shift[9], stride[9];
} padic_k_base_random_params;

#define BASE_BITS 0u // kinds: the word's low bits; or floats in [0, 1)
#define BASE_F32 1u
#define BASE_F64 2u
#define BASE_F16 3u
#define BASE_BF16 4u

// v 2^-(mantissa + 1) as a float of 16 bits, exact; v < 2^(mantissa + 1).
PD_FN pd_u32 base_random_half(pd_u32 v, pd_u32 mantissa, pd_u32 bias)
{
    const pd_u32 top = 31u - PD_CLZ(v | 1u);
    if (v == 0u) return 0u;
    return ((bias + top - mantissa - 2u) << mantissa) + (v << (mantissa - top));
}

// One half of the double v 2^-53, v the upper 53 bits of the two words.
PD_FN pd_u32 base_random_f64(pd_u32 low, pd_u32 high, pd_u32 upper)
{
    const pd_u64 v = PD_U64(low, high) >> 11;
    const pd_u32 v_high = (pd_u32)(v >> 32);
    const pd_u32 top = v_high ? 63u - PD_CLZ(v_high) : 31u - PD_CLZ((pd_u32)v | 1u);
    const pd_u64 bits = ((pd_u64)(1023u + top - 54u) << 52) + (v << (52u - top));
    if (v == 0u) return 0u;
    return upper ? (pd_u32)(bits >> 32) : (pd_u32)bits;
}

#define BASE_RANDOM_AXIS(A)                                                                     \
    if (k.axes > A) {                                                                           \
        BASE_COORDINATE(A);                                                                     \
        at += (pd_u64)c * k.stride[A];                                                          \
    }
#define BASE_RANDOM_UNIT(J, STORE)                                                              \
    if (b * 4u + J >= k.skip && b * 4u + J - k.skip < k.n) {                                    \
        pd_u64 at = PD_U64(k.base_lo, k.base_hi);                                               \
        pd_u32 rest = b * 4u + J - k.skip;                                                      \
        BASE_RANDOM_AXIS(0)                                                                     \
        BASE_RANDOM_AXIS(1)                                                                     \
        BASE_RANDOM_AXIS(2)                                                                     \
        BASE_RANDOM_AXIS(3)                                                                     \
        BASE_RANDOM_AXIS(4)                                                                     \
        BASE_RANDOM_AXIS(5)                                                                     \
        BASE_RANDOM_AXIS(6)                                                                     \
        BASE_RANDOM_AXIS(7)                                                                     \
        BASE_RANDOM_AXIS(8)                                                                     \
        STORE;                                                                                  \
    }
// One block per work-item: words w0 to w3.
#define BASE_RANDOM_LOOP(STORE0, STORE1, STORE2, STORE3)                                        \
    const pd_u32 blocks = (k.n + k.skip + 3u) / 4u;                                             \
    for (pd_u32 b = PD_GID; b < blocks; b += PD_NGRP * (pd_u32)PD_WG) {                         \
        pd_u32 w0 = k.block + b, w1 = k.step, w2 = k.stream_lo, w3 = k.stream_hi;               \
        pd_u32 k0 = k.seed_lo, k1 = k.seed_hi;                                                  \
        for (pd_u32 round = 0u; round < 10u; round++) {                                         \
            const pd_u32 p_hi = PD_MULHI32(0xd2511f53u, w0), p_lo = 0xd2511f53u * w0;           \
            const pd_u32 q_hi = PD_MULHI32(0xcd9e8d57u, w2), q_lo = 0xcd9e8d57u * w2;           \
            w0 = q_hi ^ w1 ^ k0;                                                                \
            w2 = p_hi ^ w3 ^ k1;                                                                \
            w1 = q_lo;                                                                          \
            w3 = p_lo;                                                                          \
            k0 += 0x9e3779b9u;                                                                  \
            k1 += 0xbb67ae85u;                                                                  \
        }                                                                                       \
        BASE_RANDOM_UNIT(0u, STORE0)                                                            \
        BASE_RANDOM_UNIT(1u, STORE1)                                                            \
        BASE_RANDOM_UNIT(2u, STORE2)                                                            \
        BASE_RANDOM_UNIT(3u, STORE3)                                                            \
    }

PD_KERNEL(padic_k_base_random_1)
(PD_BUF(pd_u8, to), PD_PARAMS(padic_k_base_random_params, k))
{
    BASE_RANDOM_LOOP(to[at] = (pd_u8)w0, to[at] = (pd_u8)w1, to[at] = (pd_u8)w2,
                     to[at] = (pd_u8)w3)
}

PD_FN pd_u32 base_random_16(pd_u32 w, pd_u32 kind)
{
    if (kind == BASE_F16) return base_random_half(w >> 21, 10u, 15u);
    if (kind == BASE_BF16) return base_random_half(w >> 24, 7u, 127u);
    return w;
}

PD_KERNEL(padic_k_base_random_2)
(PD_BUF(pd_u16, to), PD_PARAMS(padic_k_base_random_params, k))
{
    BASE_RANDOM_LOOP(to[at] = (pd_u16)base_random_16(w0, k.kind),
                     to[at] = (pd_u16)base_random_16(w1, k.kind),
                     to[at] = (pd_u16)base_random_16(w2, k.kind),
                     to[at] = (pd_u16)base_random_16(w3, k.kind))
}

// Word `own` of the pair (low, high).
PD_FN pd_u32 base_random_32(pd_u32 own, pd_u32 low, pd_u32 high, pd_u32 upper, pd_u32 kind)
{
    if (kind == BASE_F32) return PD_AS_U32((pd_f32)(own >> 8) * (1.0f / 16777216.0f));
    if (kind == BASE_F64) return base_random_f64(low, high, upper);
    return own;
}

PD_KERNEL(padic_k_base_random_4)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_base_random_params, k))
{
    BASE_RANDOM_LOOP(to[at] = base_random_32(w0, w0, w1, 0u, k.kind),
                     to[at] = base_random_32(w1, w0, w1, 1u, k.kind),
                     to[at] = base_random_32(w2, w2, w3, 0u, k.kind),
                     to[at] = base_random_32(w3, w2, w3, 1u, k.kind))
}

typedef struct {
    pd_u32 n;
} padic_k_base_mul_add_params;

// For the self-test only: the product is rounded before the sum, so contraction is off.
PD_KERNEL(padic_k_base_mul_add)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, b), PD_CBUF(pd_f32, c), PD_BUF(pd_f32, to),
 PD_PARAMS(padic_k_base_mul_add_params, k))
{
    const pd_u32 i = PD_GID;
    if (i < k.n) to[i] = a[i] * b[i] + c[i];
}
