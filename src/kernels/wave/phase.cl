// phase.cl: roots, and phases in turns: their sine and cosine, in one word and in two.

// Squared distances are normal numbers here or irrelevant, so no test for subnormals.
PD_FN pd_f32 wave_rsqrt(pd_f32 x)
{
#if WAVE_NVIDIA
    pd_f32 y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return PD_RSQRT(x);
#endif
}

PD_FN pd_f32 wave_divide(pd_f32 a, pd_f32 b)
{
#if WAVE_NVIDIA
    pd_f32 y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
    return a * y;
#else
    return a / b;
#endif
}

typedef struct {
    pd_f32 re, im;
} wave_complex;

typedef struct {
    pd_f32 re, im, size; // size (re + i im)
} wave_phasor;

// Cosine and sine of a phase in turns or, with hardware, radians, except for the common sign, whose
// bit is added to *sign. The polynomials (minimax on a quarter turn either side) are right to
// 4.7e-8 and 1.2e-8, in radians 3.4e-9.
PD_FN wave_complex wave_unsigned(pd_f32 phase, pd_u32 *sign)
{
    wave_complex z;
    const pd_f32 shifted = PD_FMA(phase, 2.0f / WAVE_UNIT, 12582912.0f); // half turns: low bits
    const pd_f32 f = PD_FMA(shifted - 12582912.0f, -0.5f * WAVE_UNIT, phase), g = f * f;
#if PD_WAVE_FAST
    pd_f32 c = PD_FMA(2.31539317e-5f, g, -1.38537043e-3f);
    pd_f32 s = PD_FMA(2.59048850e-6f, g, -1.98008978e-4f);
    c = PD_FMA(c, g, 4.16635847e-2f);
    s = PD_FMA(s, g, 8.33289982e-3f);
    c = PD_FMA(c, g, -0.499999053f);
    s = PD_FMA(s, g, -0.166666476f);
    c = PD_FMA(c, g, 0.9999999535f);
    s = PD_FMA(s, g, 0.999999977f);
#else
    pd_f32 c = PD_FMA(56.24238045f, g, -85.24033046f), s = PD_FMA(39.53886012f, g, -76.55010678f);
    c = PD_FMA(c, g, 64.93459064f);
    s = PD_FMA(s, g, 81.60102085f);
    c = PD_FMA(c, g, -19.73917143f);
    s = PD_FMA(s, g, -41.34165537f);
    c = PD_FMA(c, g, 0.9999999535f);
    s = PD_FMA(s, g, 6.283185162f);
#endif
    *sign += PD_AS_U32(shifted) << 31;
    z.re = c;
    z.im = s * f;
    return z;
}

PD_FN wave_complex wave_polynomials(pd_f32 phase)
{
    pd_u32 sign = 0u;
    wave_complex z = wave_unsigned(phase, &sign);
    z.re = PD_AS_F32(PD_AS_U32(z.re) ^ sign);
    z.im = PD_AS_F32(PD_AS_U32(z.im) ^ sign);
    return z;
}

PD_FN wave_complex wave_turn(pd_f32 phase)
{
#if PD_WAVE_FAST
    wave_complex z;
    z.re = PD_FAST_COS(phase);
    z.im = PD_FAST_SIN(phase);
    return z;
#else
    return wave_polynomials(phase);
#endif
}

// The root, for a normal positive number.
PD_FN pd_two wave_root(pd_two a)
{
    const pd_f32 r = PD_SQRT(a.hi), e = PD_FMA(-r, r, a.hi) + a.lo;
    return pd_two_of(r, e * wave_divide(0.5f, r));
}

// The same for any square, to one word where the second would underflow.
PD_FN pd_two wave_distance(pd_two a)
{
    return (a.hi > 1e-36f) ? wave_root(a) : pd_two_raw(PD_SQRT(a.hi), 0.0f);
}

// Scales a short vector, whose squares would underflow, by 2^60; and back: a square below the
// smallest normal number is 0.
#if PD_WAVE_SOFT == 2
#define WAVE_SMALL(x, y, z, small) small = 0u;
#else
#define WAVE_SMALL(x, y, z, small)                                                              \
    small = (PD_FABS(x.hi) < 1e-15f && PD_FABS(y.hi) < 1e-15f && PD_FABS(z.hi) < 1e-15f) ? 1u   \
                                                                                         : 0u;  \
    if (small) {                                                                                \
        x = pd_two_raw(x.hi * 1.15292150e18f, x.lo * 1.15292150e18f);                           \
        y = pd_two_raw(y.hi * 1.15292150e18f, y.lo * 1.15292150e18f);                           \
        z = pd_two_raw(z.hi * 1.15292150e18f, z.lo * 1.15292150e18f);                           \
    }
#endif
#define WAVE_SMALL_BACK(r2, r, small)                                                           \
    if (small) {                                                                                \
        r2.hi = (r2.hi < 0.015625f) ? 0.0f : r2.hi * 7.52316385e-37f; /* 2^-126, 2^-120 */      \
        r = pd_two_raw(r.hi * 8.67361738e-19f, r.lo * 8.67361738e-19f);                         \
    }

// Reduced to [-1/2, 1/2].
PD_FN pd_f32 wave_fraction(pd_two a)
{
    const pd_f32 f = a.hi - PD_RINT(a.hi), g = f + (a.lo - PD_RINT(a.lo));
    return g - PD_RINT(g);
}

// The same, two words.
PD_FN pd_two wave_reduce(pd_two a)
{
    return pd_two_sum(a.hi - PD_RINT(a.hi), a.lo - PD_RINT(a.lo));
}
