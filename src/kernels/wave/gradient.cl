// gradient.cl: the classes of classes.cl with the gradient of the field: PD_WAVE_MODE 2.

#if PD_WAVE_MODE == 2
// A pair: the field's term, and its gradient divided by the vector from source to point, or by that
// vector's direction.
typedef struct {
    pd_f32 re, im, gre, gim;
} wave_pair;

// As wave_term(), with y = 1/r, or 0 on the source; over: y, or 1 for factors of a direction.
PD_FN wave_pair wave_slope(pd_f32 r2, pd_f32 r, pd_f32 y, pd_f32 over, pd_f32 phase, pd_f32 source,
                           pd_f32 number, pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                           pd_u32 polynomials)
{
    const wave_phasor f = wave_term(r2, r, y, phase, source, number, amplitude, absorption, length,
                                    polynomials);
    const pd_f32 turn = 6.28318531f * number * over;
    pd_f32 falls = y;
    wave_pair z;
#if PD_WAVE_SOFT == 1
    falls = wave_rsqrt(PD_FMA(length, length, r2));
    falls = r * falls * falls;
#elif PD_WAVE_SOFT == 4
    falls = wave_divide(1.0f, r + length);
#endif
#if PD_WAVE_KERNEL == 3
    falls = 0.0f;
#elif PD_WAVE_KERNEL == 4
    falls *= 0.5f;
#endif
#if PD_WAVE_ABSORB
    falls += absorption;
#endif
    falls *= over;
    z.re = f.size * f.re;
    z.im = f.size * f.im;
#if PD_WAVE_KERNEL == 2 // the wave is not multiplied by a number: H0' = -H1
    {
        const wave_complex h = wave_hankel(1u, PD_FABS(number) * r, (number < 0.0f) ? -1.0f : 1.0f,
                                           phase, source);
        const pd_f32 size = -f.size * PD_FABS(turn);
        falls = absorption * over;
        z.gre = PD_FMA(size, h.re, -falls * z.re);
        z.gim = PD_FMA(size, h.im, -falls * z.im);
    }
#else
    z.gre = -PD_FMA(turn, z.im, falls * z.re);
    z.gim = PD_FMA(turn, z.re, -falls * z.im);
#endif
    return z;
}

// As wave_careful(), relative to the direction.
PD_FN wave_pair wave_careful_slope(pd_f32 r2, pd_f32 r, pd_f32 phase, pd_f32 source, pd_f32 number,
                                   pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                                   pd_f32 inside, pd_u32 weight, PD_LPTR(pd_u32) coincident)
{
    wave_pair z;
#if PD_WAVE_SOFT == 0 && PD_WAVE_KERNEL != 3
    if (r2 < 1.17549435e-38f) {
        (void)PD_ATOMIC_ADD_L(coincident, weight);
        z.re = z.im = z.gre = z.gim = 0.0f;
        return z;
    }
#endif
#if PD_WAVE_SOFT == 5
    if (r < length) {
        const wave_phasor f = wave_careful(r2, r, phase, source, number, amplitude, absorption,
                                           length, inside, weight, coincident);
        z.re = f.size * f.re;
        z.im = f.size * f.im;
        z.gre = z.gim = 0.0f;
        return z;
    }
#elif PD_WAVE_SOFT == 3
    if (r < length) { // sin(x)/x, and its slope (cos x - sin x/x)/r^2 = -k^2 (1/3 - x^2/30 + ...)
        const pd_f32 x = 6.28318531f * number * r, g = x * x;
        const wave_complex e = wave_polynomials(number * r * WAVE_UNIT);
        const wave_complex own = wave_turn(source * WAVE_UNIT); // k a in turns plus the source's
        pd_f32 s = PD_FMA(PD_FMA(2.50521084e-7f, g, -2.20458554e-5f), g, 1.19047619e-3f);
        pd_f32 size = inside / length, c = (x != 0.0f) ? e.im / x : 1.0f;
        s = -39.4784176f * number * number *
            PD_FMA(PD_FMA(s, g, -0.0333333333f), g, 0.333333333f);
        if (g > 1.0f) s = (e.re - c) / r2;
#if PD_WAVE_ABSORB
        size *= PD_EXP(-absorption * r);
        if (r > 0.0f) s = PD_FMA(-absorption / r, c, s);
#endif
        s *= size * r;
        c *= size;
        z.re = c * own.re;
        z.im = c * own.im;
        z.gre = s * own.re;
        z.gim = s * own.im;
        return z;
    }
#endif
    z = wave_slope(r2, r, (r > 0.0f) ? 1.0f / r : 0.0f, 1.0f, phase * WAVE_SCALE, source, number,
                   amplitude, absorption, length, 0u);
    (void)weight;
    (void)coincident;
    (void)inside;
    return z;
}

#define WAVE_ADD(sum, p, f, wx, wy, wz)                                    \
    (sum)->re[p] += (f).re;                                                \
    (sum)->im[p] += (f).im;                                                \
    (sum)->gre[p] = PD_FMA((f).gre, wx, (sum)->gre[p]);                    \
    (sum)->gim[p] = PD_FMA((f).gim, wx, (sum)->gim[p]);                    \
    (sum)->gre[(p) + WAVE_POINTS] = PD_FMA((f).gre, wy, (sum)->gre[(p) + WAVE_POINTS]); \
    (sum)->gim[(p) + WAVE_POINTS] = PD_FMA((f).gim, wy, (sum)->gim[(p) + WAVE_POINTS]); \
    (sum)->gre[(p) + 2u * WAVE_POINTS] =                                   \
        PD_FMA((f).gre, wz, (sum)->gre[(p) + 2u * WAVE_POINTS]);           \
    (sum)->gim[(p) + 2u * WAVE_POINTS] =                                   \
        PD_FMA((f).gim, wz, (sum)->gim[(p) + 2u * WAVE_POINTS])

#if PD_WAVE_LISTED
#define WAVE_PLACE(d, p, w) const pd_f32 w##x = (d)->x[p], w##y = (d)->y[p], w##z = (d)->z[p]
#else
#define WAVE_PLACE(d, p, w)                                                            \
    const pd_f32 w##x = PD_FMA((pd_f32)(p), (d)->ax, (d)->x),                          \
                 w##y = PD_FMA((pd_f32)(p), (d)->ay, (d)->y),                          \
                 w##z = PD_FMA((pd_f32)(p), (d)->az, (d)->z)
#endif

// Records as for the field.
#if PD_WAVE_KERNEL != 2
PD_FN void wave_middle(wave_local s, const wave_points *d, pd_f32 length, pd_u32 rooted,
                       wave_sums *sum) // no class of gradients is rooted
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], r02 = s[3], t = s[5];
    const pd_f32 number = s[6], a = s[7], r0 = s[8], b = s[9], own = s[10];
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        WAVE_PLACE(d, p, d_);
        // (2D + d).d: the register that d.d would take is needed for the sums
        const pd_f32 v = PD_FMA(ex + d_x, d_x, PD_FMA(ey + d_y, d_y, (ez + d_z) * d_z));
        const pd_f32 r2 = r02 + v, i = wave_rsqrt(r2), r = r2 * i;
        const pd_f32 phase = PD_FMA(number, wave_divide(v, r + r0), t);
        const wave_pair f = wave_slope(r2, r, i, i, phase, own, number * (1.0f / WAVE_SCALE), a, b,
                                       length, p < WAVE_POLY);
        const pd_f32 wx = PD_FMA(0.5f, ex, d_x), wy = PD_FMA(0.5f, ey, d_y);
        const pd_f32 wz = PD_FMA(0.5f, ez, d_z);
        WAVE_ADD(sum, p, f, wx, wy, wz);
    }
    (void)rooted;
}
#endif

PD_FN pd_u32 wave_direct(wave_local s, const wave_points *d, pd_f32 length, pd_u32 valid,
                         PD_LPTR(pd_u32) coincident, wave_sums *sum)
{
    const pd_f32 sx = s[0], sy = s[1], sz = s[2], number = s[3], t = s[4], a = s[5], b = s[7];
    const pd_f32 near_ = wave_near(s, length);
    pd_f32 r2[WAVE_POINTS];
    const pd_f32 least = wave_squares(s, d, length, r2);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        WAVE_PLACE(d, p, d_);
        const pd_f32 square = (r2[p] > near_) ? r2[p] : 1.0f, kept = (r2[p] > near_) ? a : 0.0f;
        const pd_f32 i = wave_rsqrt(square), r = square * i;
        const wave_pair f = wave_slope(square, r, i, i, PD_FMA(number, r, t) * WAVE_SCALE, t,
                                       number, kept, b, length, p < WAVE_POLY);
        const pd_f32 wx = sx + d_x, wy = sy + d_y, wz = sz + d_z;
        WAVE_ADD(sum, p, f, wx, wy, wz);
    }
    (void)valid;
    (void)coincident;
    return (least <= near_) ? 1u : 0u;
}

// The direction is left in way[], 0 on the source.
PD_FN wave_pair wave_wide(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                          PD_LPTR(pd_u32) coincident, pd_f32 *way)
{
    pd_two x = pd_two_add(pd_two_raw(s[0], s[8]), d[0]);
    pd_two y = pd_two_add(pd_two_raw(s[1], s[9]), d[1]);
    pd_two z = pd_two_add(pd_two_raw(s[2], s[10]), d[2]);
    const pd_two number = pd_two_raw(s[3], s[11]);
    pd_two r2, r, phase;
    pd_f32 over;
    pd_u32 small;
    WAVE_SMALL(x, y, z, small)
    r2 = pd_two_add(pd_two_add(pd_two_mul(x, x), pd_two_mul(y, y)), pd_two_mul(z, z));
#if PD_WAVE_SOFT == 2
    r = pd_two_raw(length, 0.0f);
    r2 = pd_two_add(r2, pd_two_mul(r, r));
#endif
    r = wave_distance(r2);
    WAVE_SMALL_BACK(r2, r, small)
    phase = pd_two_add(wave_reduce(pd_two_mul(number, r)), pd_two_of(s[4], s[14]));
    over = (r2.hi < 1.17549435e-38f) ? 0.0f : 1.0f / (small ? r.hi * 1.15292150e18f : r.hi);
    way[0] = x.hi * over;
    way[1] = y.hi * over;
    way[2] = z.hi * over;
    return wave_careful_slope(r2.hi, r.hi, wave_fraction(phase), s[13], number.hi, s[5], s[7],
                              length, s[12], weight, coincident);
}

// WIDE at one point, as in the field.
typedef struct {
    pd_f32 re, im, gre[3], gim[3];
} wave_one;
#define WAVE_ONE_ZERO {0.0f, 0.0f, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}

PD_FN wave_one wave_one_of(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                           PD_LPTR(pd_u32) coincident)
{
    pd_f32 way[3];
    const wave_pair f = wave_wide(s, d, length, weight, coincident, way);
    wave_one one;
    one.re = f.re;
    one.im = f.im;
    WAVE_UNROLL
    for (pd_u32 q = 0u; q < 3u; q++) {
        one.gre[q] = f.gre * way[q];
        one.gim[q] = f.gim * way[q];
    }
    return one;
}

PD_FN void wave_one_add(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                        PD_LPTR(pd_u32) coincident, wave_one *one)
{
    pd_f32 way[3];
    const wave_pair f = wave_wide(s, d, length, weight, coincident, way);
    one->re += f.re;
    one->im += f.im;
    WAVE_UNROLL
    for (pd_u32 q = 0u; q < 3u; q++) {
        one->gre[q] = PD_FMA(f.gre, way[q], one->gre[q]);
        one->gim[q] = PD_FMA(f.gim, way[q], one->gim[q]);
    }
}

PD_FN void wave_one_join(const wave_one *one, pd_u32 p, wave_sums *sum)
{
    WAVE_UNROLL
    for (pd_u32 q = 0u; q < WAVE_POINTS; q++) {
        sum->re[q] = (q == p) ? sum->re[q] + one->re : sum->re[q];
        sum->im[q] = (q == p) ? sum->im[q] + one->im : sum->im[q];
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < 3u; j++) {
            const pd_u32 n = q + j * WAVE_POINTS;
            sum->gre[n] = (q == p) ? sum->gre[n] + one->gre[j] : sum->gre[n];
            sum->gim[n] = (q == p) ? sum->gim[n] + one->gim[j] : sum->gim[n];
        }
    }
}
#endif // PD_WAVE_MODE == 2
