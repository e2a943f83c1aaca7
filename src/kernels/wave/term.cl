// term.cl: the wave of one source at one point: kernel, softening and absorption.

// The term of a source at distance r = r2 y; `phase` is k r plus the source's (`source`, in turns),
// in turns times WAVE_SCALE.
PD_FN wave_phasor wave_term(pd_f32 r2, pd_f32 r, pd_f32 y, pd_f32 phase, pd_f32 source,
                            pd_f32 number, pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                            pd_u32 polynomials)
{
    wave_phasor f;
    wave_complex z;
#if PD_WAVE_SOFT == 1
    y = wave_rsqrt(PD_FMA(length, length, r2));
#elif PD_WAVE_SOFT == 4
    y = wave_divide(1.0f, r + length);
#endif
#if PD_WAVE_KERNEL == 0 || PD_WAVE_KERNEL == 1
    amplitude *= y;
#elif PD_WAVE_KERNEL == 4
    amplitude *= PD_SQRT(y);
#endif
#if PD_WAVE_ABSORB
    amplitude *= PD_EXP(-absorption * r);
#endif
#if PD_WAVE_KERNEL == 2
    z = wave_hankel(0u, PD_FABS(number) * r, (number < 0.0f) ? -1.0f : 1.0f, phase, source);
#else
#if !PD_WAVE_FAST
    polynomials = 1u;
#endif
    if (polynomials) {
        pd_u32 sign = PD_AS_U32(amplitude);
        z = wave_unsigned(phase, &sign);
        amplitude = PD_AS_F32(sign);
    } else {
        z = wave_turn(phase);
    }
#endif
    f.re = z.re;
    f.im = z.im;
    f.size = amplitude;
    (void)polynomials;
    (void)r2;
    (void)r;
    (void)y;
    (void)source;
    (void)number;
    (void)absorption;
    (void)length;
    return f;
}

// The same for all cases: r2 = 0, or within the softening length.
PD_FN wave_phasor wave_careful(pd_f32 r2, pd_f32 r, pd_f32 phase, pd_f32 source, pd_f32 number,
                               pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                               pd_f32 inside, pd_u32 weight, PD_LPTR(pd_u32) coincident)
{
    wave_phasor z;
    pd_f32 y;
#if PD_WAVE_SOFT == 0 && PD_WAVE_KERNEL != 3
    if (r2 < 1.17549435e-38f) {
        (void)PD_ATOMIC_ADD_L(coincident, weight);
        z.re = z.im = z.size = 0.0f;
        return z;
    }
#endif
#if PD_WAVE_SOFT == 3
    if (r < length) { // inside the shell: phase as on it, sin(kr)/(kr)
        const pd_f32 x = 6.28318531f * number * r;
        const wave_complex e = wave_polynomials(number * r * WAVE_UNIT);
        amplitude = inside / length * ((x != 0.0f) ? e.im / x : 1.0f);
        y = 1.0f;
        phase = source; // prepared: k a in turns plus the source's
    } else
#elif PD_WAVE_SOFT == 5
    if (r < length) {
        r = length;
        y = 1.0f / length;
        phase = inside; // k a in turns plus the source's
    } else
#endif
    {
        y = (r > 0.0f) ? 1.0f / r : 0.0f;
    }
    z = wave_term(r2, r, y, phase * WAVE_SCALE, source, number, amplitude, absorption, length,
                  0u);
    (void)weight;
    (void)coincident;
    (void)inside;
    return z;
}
