// half.cu: numbers of 16 bits in pairs; fields of them. A field of a trajectory is (C/8, H, W, 8),
// its channels filled up with zeros to a multiple of 16: a cell of a block of 8 channels is 16
// bytes, so that neighbours in a row are neighbours in memory whatever a kernel's tap is.
//
// `words` has eight words of each trajectory, 0 between launches: whether a number of 16 bits was
// not finite; tickets; bits of the largest |x|; whether an x is not finite.
#ifndef PD_ROLLOUT_F16
#define PD_ROLLOUT_F16 0 // else BF16
#endif
#undef PD_EXP // 16 bits of the result are wanted
#define PD_EXP(x) __expf(x)
#define ROLLOUT_GELU(x) crl_gelu(x) // of rollout/number.cl

#define CRL_BAD 0u
#define CRL_TICKET 1u
#define CRL_MOST 2u
#define CRL_INFINITE 3u
#define CRL_WORDS 8u

PD_FN pd_f32 crl_exp2(pd_f32 x)
{
    pd_f32 y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// x Phi(x) to 2^-13: Phi(-t) = e^(-t^2/2) p(1/(1 + 0.47 t)) for t >= 0.
PD_FN pd_f32 crl_gelu(pd_f32 x)
{
    const pd_f32 t = fminf(PD_FABS(x), 13.0f);
    pd_f32 s, p, above;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"(PD_FMA(0.47f, t, 1.0f)));
    p = PD_FMA(s, -0.12642519f, 0.29348338f);
    p = PD_FMA(s, p, 0.13833187f);
    p = PD_FMA(s, p, 0.19498507f);
    p = PD_FMA(s, p, -0.00042034207f);
    p = p * crl_exp2(t * (t * -0.72134752f));
    asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(above) : "f"(x));
    return PD_FMA(-t, p, above);
}

// x in the low half, both rounded to the nearest, ties to even.
PD_FN pd_u32 crl_pair(pd_f32 x, pd_f32 y)
{
    pd_u32 two;
#if PD_ROLLOUT_F16
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(y), "f"(x));
#else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(y), "f"(x));
#endif
    return two;
}

PD_FN pd_f32 crl_low(pd_u32 two)
{
#if PD_ROLLOUT_F16
    pd_f32 x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(x) : "r"(two));
    return x;
#else
    return __uint_as_float(two << 16);
#endif
}

PD_FN pd_f32 crl_high(pd_u32 two)
{
#if PD_ROLLOUT_F16
    pd_f32 x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(x) : "r"(two));
    return x;
#else
    return __uint_as_float(two & 0xffff0000u);
#endif
}

// The bits 0x80008000 of this are set where one of them is not finite.
PD_FN pd_u32 crl_carry(pd_u32 two)
{
    return PD_ROLLOUT_F16 ? (two & 0x7c007c00u) + 0x04000400u : (two & 0x7f807f80u) + 0x00800080u;
}

PD_FN pd_u32 crl_bad(pd_u32 two)
{
    return crl_carry(two) & 0x80008000u;
}
