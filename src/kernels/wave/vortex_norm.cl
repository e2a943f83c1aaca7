// vortex_norm.cl: the norm. Its tree is the reference's: shares of the samples, as equal as
// possible, in blocks of 256, each summed in order; then the blocks of a share in order. Sums are
// two words each: f64 or, without it, two words of f32, and psi times `scale`, a power of two.

typedef struct {
    pd_u32 each, more, blocks, shares; // a share has `each` samples, the first `more` one more
    pd_u32 axes, base;
    pd_f32 scale;
    pd_u32 extent[8], step[8];
} padic_k_vortex_norm_params;

#define VORTEX_TO(A)
PD_KERNEL(padic_k_vortex_norm)
(PD_CBUF(pd_f32, psi), PD_BUF(pd_u32, sums), PD_PARAMS(padic_k_vortex_norm_params, k))
{
    for (pd_u32 j = PD_GID; j < k.blocks * k.shares; j += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 share = j / k.blocks, size = k.each + (share < k.more ? 1u : 0u);
        const pd_u32 first = k.each * share + (share < k.more ? share : k.more);
        const pd_u32 from = (j - share * k.blocks) * 256u;
        const pd_u32 end = from + 256u < size ? from + 256u : size;
#if PD_HAS_F64
        pd_f64 sum = 0.0f;
        pd_u64 bits;
#else
        pd_two sum = pd_two_raw(0.0f, 0.0f);
#endif
        for (pd_u32 i = from; i < end; i++) {
            pd_u32 at = k.base;
            VORTEX_PLACE(first + i)
#if PD_HAS_F64
            const pd_f64 re = (pd_f64)psi[at], im = (pd_f64)psi[at + 1u];
            sum += re * re + im * im;
#else
            const pd_two re = pd_two_raw(psi[at] * k.scale, 0.0f);
            const pd_two im = pd_two_raw(psi[at + 1u] * k.scale, 0.0f);
            sum = pd_two_add(sum, pd_two_add(pd_two_mul(re, re), pd_two_mul(im, im)));
#endif
        }
#if PD_HAS_F64
        bits = PD_AS_U64(sum);
        sums[2u * j] = (pd_u32)(bits & 0xffffffffu);
        sums[2u * j + 1u] = (pd_u32)(bits >> 32);
#else
        sums[2u * j] = PD_AS_U32(sum.hi);
        sums[2u * j + 1u] = PD_AS_U32(sum.lo);
#endif
    }
}
#undef VORTEX_TO

typedef struct {
    pd_u32 blocks, shares;
} padic_k_vortex_norm_total_params;

PD_KERNEL(padic_k_vortex_norm_total)
(PD_CBUF(pd_u32, sums), PD_BUF(pd_u32, totals), PD_PARAMS(padic_k_vortex_norm_total_params, k))
{
    const pd_u32 share = PD_GID;
    if (share < k.shares) {
        PD_GPTR(const pd_u32) from = sums + 2u * k.blocks * share;
#if PD_HAS_F64
        pd_f64 sum = 0.0f;
        pd_u64 bits;
        for (pd_u32 i = 0u; i < k.blocks; i++)
            sum += PD_AS_F64(PD_U64(from[2u * i], from[2u * i + 1u]));
        bits = PD_AS_U64(sum);
        totals[2u * share] = (pd_u32)(bits & 0xffffffffu);
        totals[2u * share + 1u] = (pd_u32)(bits >> 32);
#else
        pd_two sum = pd_two_raw(0.0f, 0.0f);
        for (pd_u32 i = 0u; i < k.blocks; i++)
            sum = pd_two_add(sum, pd_two_raw(PD_AS_F32(from[2u * i]),
                                             PD_AS_F32(from[2u * i + 1u])));
        totals[2u * share] = PD_AS_U32(sum.hi);
        totals[2u * share + 1u] = PD_AS_U32(sum.lo);
#endif
    }
}

// psi *= 2^first (hi + lo) 2^last.
typedef struct {
    pd_u32 n, axes, base;
    pd_i32 first, last;
    pd_f32 hi, lo;
    pd_u32 extent[8], step[8];
} padic_k_vortex_multiply_params;

#define VORTEX_TO(A)
PD_KERNEL(padic_k_vortex_multiply)
(PD_BUF(pd_f32, psi), PD_PARAMS(padic_k_vortex_multiply_params, k))
{
    const pd_f32 first = vortex_power(k.first), last = vortex_power(k.last);
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 at = k.base;
        VORTEX_PLACE(i)
        const pd_two re = pd_two_mul(pd_two_raw(psi[at] * first, 0.0f), pd_two_raw(k.hi, k.lo));
        const pd_two im = pd_two_mul(pd_two_raw(psi[at + 1u] * first, 0.0f),
                                         pd_two_raw(k.hi, k.lo));
        psi[at] = re.hi * last;
        psi[at + 1u] = im.hi * last;
    }
}
#undef VORTEX_TO
