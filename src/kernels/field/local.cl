// local.cl: what the potential, the interaction and the absorber do at a point.
#ifndef PD_FIELD_POWERS
#define PD_FIELD_POWERS 0 // 1: others than p = 4 and 6
#endif
#ifndef PD_FIELD_ABSORBER
#define PD_FIELD_ABSORBER 0 // 1: there is one
#endif
#ifndef PD_FIELD_RECORDS
#define PD_FIELD_RECORDS 0 // 1: for plans with records, which may end the steps of a field
#endif

// |psi|^(p - 2) of the density: `way` 0 its root, 1 itself, 2 its square, 3 by `exponent`.
PD_FN fft_real field_power(fft_real density, pd_u32 way, fft_real exponent)
{
    if (way == 1u) return density;
#if PD_FIELD_POWERS
    if (way == 2u) return density * density;
#if PD_FFT_F64
    if (way == 0u) return PD_SQRT64(density);
#else
    if (way == 0u) return PD_SQRT(density);
#endif
    return density > FFT_NUMBER(0.0f, 0x00100000u, 0u) ? field_exp(exponent * field_log(density))
                                                       : density;
#else
    (void)exponent;
    return density * density;
#endif
}

#if PD_FIELD_ABSORBER
// The mean over the time of |psi|^(p - 2), where psi falls as e^(-W t): (1 - e^-r)/r of it.
PD_FN fft_real field_faded(fft_real power, fft_real exponent, fft_real w, fft_real time)
{
    const fft_real one = FFT_NUMBER(1.0f, 0x3ff00000u, 0u);
    const fft_real rate = FFT_NUMBER(2.0f, 0x40000000u, 0u) * w * exponent * time;
    const fft_real size = rate < FFT_ZERO ? -rate : rate, left = field_exp(-rate);
#if PD_FFT_F64
    if (size < FFT_NUMBER(0.0f, 0x3fe00000u, 0u)) // the rounding of e^-r cancels (Kahan)
        return left == one ? power : power * ((left - one) / field_log(left));
#else
    if (size < 0.03125f)
        return power * (1.0f - rate * (0.5f - rate * (0.166666667f - rate * 0.0416666667f)));
#endif
    return power * ((one - left) / rate);
}
#define FIELD_FADED(power, exponent) field_faded(power, exponent, w, time)
#else
#define FIELD_FADED(power, exponent) (power)
#endif

// The interaction's part of U: g and (p - 2) / 2 of each term from `at` on, 4 bits of `powers`.
PD_FN fft_real field_terms(PD_GPTR(const fft_real) tables, fft_real density, fft_real w,
                           fft_real time, pd_u32 at, pd_u32 powers)
{
    fft_real u = FFT_ZERO;
    for (pd_u32 left = powers; left > 0u; left >>= 4u, at += 2u) {
        const fft_real power = field_power(density, (left & 15u) - 1u, tables[at + 1u]);
        u += tables[at] * FIELD_FADED(power, tables[at + 1u]);
    }
    (void)w;
    (void)time;
    return u;
}
