// keys.cu: how the one-pass encoders divide keys into vectors, which keys of a vector are kept, and
// what warps sum and write.

#ifndef PD_SPARSE_VECTORS
#define PD_SPARSE_VECTORS 8 // of 16 bytes, per thread: 4 or 8; in ring.cu also 2
#endif
#define CSP_CHUNK (32u * PD_SPARSE_VECTORS)     // vectors per warp
#define CSP_EACH (16u / PD_SPARSE_SIZE)         // keys per vector
#define CSP_LANE (PD_SPARSE_VECTORS * CSP_EACH) // neighbouring keys per lane
#define CSP_WORDS ((CSP_LANE + 31u) / 32u)      // per lane's bits
#define CSP_ALL 0xffffffffu                     // lanes

// The set of a lane's neighbouring keys that are kept.
typedef struct {
    pd_u32 word[CSP_WORDS];
} csp_mask;

PD_FN pd_u32 csp_address(const void *p)
{
    return (pd_u32)__cvta_generic_to_shared(p);
}

#if PD_SPARSE_SIZE == 1
#define CSP_LOW 0x7f7f7f7fu
#define CSP_REPEAT 0x01010101u
#elif PD_SPARSE_SIZE == 2
#define CSP_LOW 0x7fff7fffu
#define CSP_REPEAT 0x10001u
#endif

#if PD_SPARSE_SIZE <= 2
// The keys of a word that are not 0 under a mask, in their highest bits. low: the mask without
// these, in each key; high: 1 if the mask has them.
PD_FN pd_u32 csp_word(pd_u32 x, pd_u32 low, pd_u32 high)
{
    const pd_u32 f = (x & low) + CSP_LOW;
    return (high ? f | x : f) & ~CSP_LOW;
}

// A bit for every key of a vector, from the highest bits of the keys of its words.
PD_FN pd_u32 csp_packed(pd_u32 x, pd_u32 y, pd_u32 z, pd_u32 w)
{
#if PD_SPARSE_SIZE == 2
    const pd_u32 a = __byte_perm(x, y, 0x7531), b = __byte_perm(z, w, 0x7531);
    return __dp4a(b, 0x80402010u, __dp4a(a, 0x08040201u, 0u)) >> 7; // 128 for each that is kept
#else
    const pd_u32 a = __dp4a(y, 0x80402010u, __dp4a(x, 0x08040201u, 0u));
    const pd_u32 b = __dp4a(w, 0x80402010u, __dp4a(z, 0x08040201u, 0u));
    return (b * 256u + a) >> 7; // 128 for each that is kept
#endif
}
#endif

// A bit for every key of a vector: (key & mask) != 0.
PD_FN pd_u32 csp_bits(const uint4 x, pd_u32 high, const padic_k_sparse_encode_params &k)
{
#if PD_SPARSE_SIZE == 8
    (void)high;
    return (((x.x & k.mask[0]) | (x.y & k.mask[1])) ? 1u : 0u) |
           (((x.z & k.mask[0]) | (x.w & k.mask[1])) ? 2u : 0u);
#elif PD_SPARSE_SIZE == 4
    const pd_u32 m = k.mask[0];
    (void)high;
    return (x.x & m ? 1u : 0u) | (x.y & m ? 2u : 0u) | (x.z & m ? 4u : 0u) | (x.w & m ? 8u : 0u);
#else
    const pd_u32 low = k.mask[0] * CSP_REPEAT & CSP_LOW;
    return csp_packed(csp_word(x.x, low, high), csp_word(x.y, low, high), csp_word(x.z, low, high),
                      csp_word(x.w, low, high));
#endif
}

// The set of `each` keys (up to 32) from element e on that belong to the matrix.
PD_FN pd_u32 csp_valid(pd_u64 e, pd_u32 each, const padic_k_sparse_encode_params &k)
{
    const pd_u64 n = PD_U64(k.n_lo, k.n_hi);
    const pd_u32 from = e < k.pad ? k.pad - (pd_u32)e : 0u;
    const pd_u32 to = e >= n ? 0u : n - e < each ? (pd_u32)(n - e) : each;
    return from < to ? CSP_ALL >> (32u - (to - from)) << from : 0u;
}

// The vector that starts with element e, with zeros for keys outside of the matrix.
PD_FN uint4 csp_load_part(const pd_u8 *keys, pd_u64 e, const padic_k_sparse_encode_params &k)
{
    const pd_u8 *p = keys + PD_U64(k.base_lo, k.base_hi) + e * PD_SPARSE_SIZE;
    const pd_u32 valid = csp_valid(e, CSP_EACH, k);
    pd_u32 i, w[4] = {0u, 0u, 0u, 0u};
#pragma unroll
    for (i = 0u; i < 16u; i++)
        if (valid >> (i / PD_SPARSE_SIZE) & 1u) w[i / 4u] |= (pd_u32)p[i] << (8u * (i % 4u));
    return make_uint4(w[0], w[1], w[2], w[3]);
}

// The inclusive prefix sum over the lanes.
PD_FN pd_u32 csp_up_to(pd_u32 x)
{
#pragma unroll
    for (pd_u32 i = 1u; i < 32u; i <<= 1)
        asm volatile("{\n\t.reg .u32 r;\n\t.reg .pred p;\n\t"
                     "shfl.sync.up.b32 r|p, %0, %1, 0, 0xffffffff;\n\t"
                     "@p add.u32 %0, %0, r;\n\t}"
                     : "+r"(x)
                     : "r"(i));
    return x;
}

// Evicted from the cache first: nobody reads it soon.
PD_FN void csp_four(void *to, pd_u32 a, pd_u32 b, pd_u32 c, pd_u32 d)
{
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
}
