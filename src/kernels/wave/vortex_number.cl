// vortex_number.cl: scaling of samples to about 1 by powers of two, differences of products,
// angles.

// 1/sqrt(a), for a near 1 or not too far from it.
PD_FN pd_two vortex_inverse_root(pd_two a)
{
    const pd_f32 y = PD_RSQRT(a.hi);
    const pd_two one = pd_two_mul(a, pd_two_mul(pd_two_raw(y, 0.0f), pd_two_raw(y, 0.0f)));
    const pd_f32 r = (1.0f - one.hi) - one.lo;
    return pd_two_of(y, y * r * PD_FMA(0.375f, r, 0.5f));
}
// a b - c d, to an ulp or two of itself (Kahan).
PD_FN pd_f32 vortex_difference(pd_f32 a, pd_f32 b, pd_f32 c, pd_f32 d)
{
    const pd_f32 p = c * d;
    return PD_FMA(a, b, -p) + PD_FMA(-c, d, p);
}

// A power of two that brings x into [1, 2), or close to it where x is subnormal or nearly Inf; and
// its inverse.
PD_FN pd_f32 vortex_scale(pd_f32 x)
{
    const pd_u32 e = PD_AS_U32(x) >> 23 & 255u;
    return PD_AS_F32((e < 1u ? 253u : e < 254u ? 254u - e : 1u) << 23);
}
PD_FN pd_f32 vortex_unscale(pd_f32 s)
{
    return PD_AS_F32(0x7f000000u - PD_AS_U32(s));
}
PD_FN pd_f32 vortex_larger(pd_f32 a, pd_f32 b)
{
    return PD_FABS(a) > PD_FABS(b) ? PD_FABS(a) : PD_FABS(b);
}
// 2^e, |e| <= 126.
PD_FN pd_f32 vortex_power(pd_i32 e)
{
    return PD_AS_F32((pd_u32)(e + 127) << 23);
}

// The angle of (re, im) in turns, in [-1/2, 1/2], its sign that of im; of 0: 0. The polynomial is
// minimax on [0, 1], right to 1.6e-8 of itself.
PD_FN pd_f32 vortex_angle(pd_f32 re, pd_f32 im)
{
    const pd_f32 s = vortex_scale(vortex_larger(re, im)), x = PD_FABS(re * s), y = PD_FABS(im * s);
    const pd_u32 steep = y > x ? 1u : 0u;
    const pd_f32 large = steep != 0u ? y : x, small_ = steep != 0u ? x : y;
    pd_f32 q = small_ / large, t, a;
    if (large == 0.0f) return 0.0f;
    if (PD_AS_U32(small_) == 0x7f800000u) q = 1.0f; // both are Inf
    t = q * q;
    a = PD_FMA(0.002849889431f, t, -0.01606862821f);
    a = PD_FMA(a, t, 0.04269151809f);
    a = PD_FMA(a, t, -0.07504294446f);
    a = PD_FMA(a, t, 0.1064093399f);
    a = PD_FMA(a, t, -0.1420364446f);
    a = PD_FMA(a, t, 0.1999261939f);
    a = PD_FMA(a, t, -0.3333307335f);
    a = PD_FMA(a, t, 0.9999999848f) * q * 0.159154943f;
    if (steep != 0u) a = 0.25f - a;
    if (PD_AS_U32(re) >> 31 != 0u) a = 0.5f - a;
    return PD_AS_F32(PD_AS_U32(a) | (PD_AS_U32(im) & 0x80000000u));
}

#define VORTEX_TURN 6.28318531f
