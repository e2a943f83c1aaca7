// classes.cl: a source's waves at the points of an item, for each class of (tile, source): see
// wave.cl.

#if PD_WAVE_MODE != 2
// Not stored, since the loop of OPEN has no register to spare.
PD_FN void wave_square(wave_points *d)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 x = d->x[p], y = d->y[p], z = d->z[p];
#else
        const pd_f32 x = PD_FMA((pd_f32)p, d->ax, d->x), y = PD_FMA((pd_f32)p, d->ay, d->y);
        const pd_f32 z = PD_FMA((pd_f32)p, d->az, d->z);
#endif
        d->square[p] = PD_FMA(x, x, PD_FMA(y, y, z * z));
    }
}

// Adds a wave to the sums of point p; polynomials: a literal.
PD_FN void wave_add(pd_f32 phase, pd_f32 size, pd_u32 polynomials, wave_sums *sum, pd_u32 p)
{
    wave_complex z;
#if !PD_WAVE_FAST
    polynomials = 1u;
#endif
    if (polynomials) {
        pd_u32 sign = PD_AS_U32(size);
        z = wave_unsigned(phase, &sign);
        size = PD_AS_F32(sign);
    } else {
        z = wave_turn(phase);
    }
    sum->re[p] = PD_FMA(size, z.re, sum->re[p]);
    sum->im[p] = PD_FMA(size, z.im, sum->im[p]);
}

#if WAVE_SERIES
// Series to u^3 and u^2. Record: E = 2D/r0^2, 1/r0^2; E.axis, t0, phase 1, amplitude 0; phase 2,
// amplitude 1, phase 3, amplitude 2; phase 4, amplitude 3, amplitude 4.
PD_FN void wave_series3(wave_local s, const wave_points *d, wave_sums *sum)
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], q = s[3], along = s[4], t = s[5], k1 = s[6];
    const pd_f32 a0 = s[7], k2 = s[8], a1 = s[9], k3 = s[10], a2 = s[11];
#if !PD_WAVE_LISTED
    const pd_f32 row = PD_FMA(ex, d->x, PD_FMA(ey, d->y, ez * d->z));
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 u = WAVE_DOT(p, q * d->square[p]);
#else
        const pd_f32 u = PD_FMA(q, d->square[p], PD_FMA((pd_f32)p, along, row));
#endif
        wave_add(PD_FMA(u, PD_FMA(u, PD_FMA(u, k3, k2), k1), t),
                 PD_FMA(u, PD_FMA(u, a2, a1), a0), 0u, sum, p);
    }
    (void)along;
}

PD_FN void wave_series4(wave_local s, const wave_points *d, wave_sums *sum)
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], q = s[3], along = s[4], t = s[5], k1 = s[6];
    const pd_f32 a0 = s[7], k2 = s[8], a1 = s[9], k3 = s[10], a2 = s[11], k4 = s[12], a3 = s[13];
    const pd_f32 a4 = s[14];
#if !PD_WAVE_LISTED
    const pd_f32 row = PD_FMA(ex, d->x, PD_FMA(ey, d->y, ez * d->z));
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 u = WAVE_DOT(p, q * d->square[p]);
#else
        const pd_f32 u = PD_FMA(q, d->square[p], PD_FMA((pd_f32)p, along, row));
#endif
        const pd_f32 inner = PD_FMA(u, PD_FMA(u, k4, k3), k2);
        const pd_f32 tail = PD_FMA(u, PD_FMA(u, a4, a3), a2);
        wave_add(PD_FMA(u, PD_FMA(u, inner, k1), t), PD_FMA(u, PD_FMA(u, tail, a1), a0),
                 0u, sum, p);
    }
    (void)along;
}
#endif

#if PD_WAVE_KERNEL != 2
// Record: 2D, r0^2; 2D.axis, t0, k/2pi, amplitude; r0, absorption, the source's phase. For ROOT
// (`rooted`, a literal) t0 makes up for the second words of r0 and r0^2; the root's own error is
// known from its square.
PD_FN void wave_middle(wave_local s, const wave_points *d, pd_f32 length, pd_u32 rooted,
                       wave_sums *sum)
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], r02 = s[3], along = s[4], t = s[5];
    const pd_f32 number = s[6], a = s[7], r0 = s[8], b = s[9], own = s[10];
    const pd_u32 polynomials = rooted ? WAVE_POLY_ROOT : WAVE_POLY;
#if !PD_WAVE_LISTED
    const pd_f32 row = PD_FMA(ex, d->x, PD_FMA(ey, d->y, ez * d->z));
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_f32 v = WAVE_DOT(p, d->square[p]), r2 = r02 + v, i = wave_rsqrt(r2), r = r2 * i;
        const pd_f32 more = rooted ? PD_FMA(PD_FMA(-r, r, r2), 0.5f * i, r - r0)
                                   : wave_divide(v, r + r0);
        const wave_phasor f = wave_term(r2, r, i, PD_FMA(number, more, t), own, number, a, b,
                                        length, p + 1u <= polynomials);
        sum->re[p] = PD_FMA(f.size, f.re, sum->re[p]);
        sum->im[p] = PD_FMA(f.size, f.im, sum->im[p]);
    }
    (void)along;
}
#endif

#if PD_WAVE_LINE
// Distance, phase and amplitude of a row's points as polynomials of their number p from the middle,
// where the distance is R = 1/i: with the cosine c between row and direction, a step b long,
//     r = R + c b p + (1 - c^2) b^2 i p^2/2 - c (1 - c^2) b^3 i^2 p^3/2 + ...
//     1/r = i - c b i^2 p + (3 c^2 - 1) b^2 i^3 p^2/2 - (5 c^3 - 3 c) b^3 i^4 p^3/2 + ...
// Record: 2D, r0^2; D.step, t0, k/2pi, amplitude; r0, step.step.
PD_FN void wave_line(wave_local s, const wave_points *d, pd_u32 polynomials, wave_sums *sum)
{
    const pd_f32 v = PD_FMA(s[0], d->cx, PD_FMA(s[1], d->cy, PD_FMA(s[2], d->cz, d->middle)));
    const pd_f32 r2 = s[3] + v, i = wave_rsqrt(r2), r = r2 * i, half_ = 0.5f * i, number = s[6];
    // The part of v that r2 lost, and the root's own error, known from its square.
    const pd_f32 lost = PD_FMA(-r, r, r2) + ((s[3] - r2) + v);
    const pd_f32 c0 = PD_FMA(number, PD_FMA(lost, half_, r - s[8]), s[5]);
    const pd_f32 along = (s[4] + d->step) * i, curve = half_ * PD_FMA(-along, along, s[9]);
    const pd_f32 slope = along * i, bend = curve * i, g = slope * slope;
    const pd_f32 phase0 = c0 - WAVE_WHOLE(c0), phase1 = number * along, phase2 = number * curve;
    const pd_f32 phase3 = -phase2 * slope, size0 = s[7] * i, size1 = -size0 * slope;
    const pd_f32 size2 = size0 * (g - bend), size3 = size1 * PD_FMA(-3.0f, bend, g);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS / 2u; p++) {
        const pd_f32 x = (pd_f32)p + 0.5f, x2 = x * x;
        const pd_f32 even = PD_FMA(phase2, x2, phase0), odd = PD_FMA(phase3, x2, phase1);
        const pd_f32 size = PD_FMA(size2, x2, size0), more = PD_FMA(size3, x2, size1);
        wave_add(PD_FMA(odd, x, even), PD_FMA(more, x, size), 2u * p + 1u <= polynomials, sum,
                 WAVE_POINTS / 2u + p);
        wave_add(PD_FMA(odd, -x, even), PD_FMA(more, -x, size), 2u * p + 2u <= polynomials, sum,
                 WAVE_POINTS / 2u - 1u - p);
    }
}
#endif

#if PD_WAVE_KERNEL != 2
// Points at squared distances r2; if some are `left` out (a literal), those up to `near_`.
PD_FN void wave_direct_sum(const pd_f32 *r2, pd_f32 scaled, pd_f32 own, pd_f32 t, pd_f32 number,
                           pd_f32 a, pd_f32 b, pd_f32 length, pd_f32 near_, pd_u32 left,
                           pd_u32 polynomials, wave_sums *sum)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 here = (left == 0u || r2[p] > near_) ? 1u : 0u;
        const pd_f32 square = here ? r2[p] : 1.0f;
        const pd_f32 i = wave_rsqrt(square), r = square * i;
        const wave_phasor f = wave_term(square, r, i, PD_FMA(scaled, r, own), t, number, a, b,
                                        length, p < polynomials);
        const pd_f32 size = here ? f.size : 0.0f;
        sum->re[p] = PD_FMA(size, f.re, sum->re[p]);
        sum->im[p] = PD_FMA(size, f.im, sum->im[p]);
    }
}
#endif

// Record as of WIDE, and the squared distance from which one word suffices for a point. Returns 1
// if a point is closer than that, or on the source: it is left out then, for WIDE to add. A point
// within the softening length is rare: then all points of the item use the careful version.
PD_FN pd_u32 wave_direct(wave_local s, const wave_points *d, pd_f32 length, pd_u32 valid,
                         PD_LPTR(pd_u32) coincident, wave_sums *sum)
{
    const pd_f32 number = s[3], t = s[4], a = s[5], b = s[7];
    const pd_f32 scaled = number * WAVE_SCALE, own = t * WAVE_SCALE, near_ = wave_near(s, length);
    pd_f32 r2[WAVE_POINTS];
    const pd_f32 least = wave_squares(s, d, length, r2);
#if PD_WAVE_KERNEL == 2
    {   // so long that a copy for each point would not pay
#elif PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    if (least <= length * length * 1.000001f) {
#endif
#if PD_WAVE_KERNEL == 2 || PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
        WAVE_ROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
            pd_f32 mine = 0.0f, r;
            wave_phasor f;
            WAVE_UNROLL
            for (pd_u32 q = 0u; q < WAVE_POINTS; q++) mine = (q == p) ? r2[q] : mine;
            if (mine <= near_) continue;
            r = PD_SQRT(mine);
            f = wave_careful(mine, r, PD_FMA(number, r, t), s[13], number, a, b, length, s[12],
                             (valid >> p) & 1u, coincident);
            WAVE_UNROLL
            for (pd_u32 q = 0u; q < WAVE_POINTS; q++)
                if (q == p) {
                    sum->re[q] = PD_FMA(f.size, f.re, sum->re[q]);
                    sum->im[q] = PD_FMA(f.size, f.im, sum->im[q]);
                }
        }
        if (PD_WAVE_KERNEL != 2) return (least <= near_) ? 1u : 0u;
    }
#endif
#if PD_WAVE_KERNEL == 2
    (void)scaled;
    (void)own;
#else
    if (least <= near_)
        wave_direct_sum(r2, scaled, own, t, number, a, b, length, near_, 1u, WAVE_POLY,
                        sum);
    else
        wave_direct_sum(r2, scaled, own, t, number, a, b, length, near_, 0u, WAVE_POLY,
                        sum);
#endif
    (void)valid;
    (void)coincident;
    return (least <= near_) ? 1u : 0u;
}

// DIRECT for any points. A point on the source leaves sums that are not finite. If sources are
// `alike` (a literal), amplitudes are left out.
PD_FN void wave_open(wave_local s, const wave_points *d, pd_f32 length, pd_u32 alike,
                     pd_u32 polynomials, wave_sums *sum)
{
#if PD_WAVE_KERNEL != 2
    const pd_f32 number = s[3], t = s[4];
    pd_f32 r2[WAVE_POINTS];
    (void)wave_squares(s, d, length, r2);
    wave_direct_sum(r2, number * WAVE_SCALE, t * WAVE_SCALE, t, number,
                    alike ? 1.0f : s[5], s[7], length, 0.0f, 0u, polynomials, sum);
#else
    (void)s;
    (void)d;
    (void)length;
    (void)alike;
    (void)polynomials;
    (void)sum;
#endif
}

// Record: D, k/2pi, phase, amplitude, what DIRECT has here, absorption; second words of D and of
// k/2pi, what SHELL and CLAMP want inside, the source's phase or the shell's, the phase's second
// word.
PD_FN wave_phasor wave_wide(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                             PD_LPTR(pd_u32) coincident)
{
    pd_two x, y, z, r2, r, number, phase;
    pd_u32 small;
    x.hi = s[0];
    x.lo = s[8];
    y.hi = s[1];
    y.lo = s[9];
    z.hi = s[2];
    z.lo = s[10];
    number.hi = s[3];
    number.lo = s[11];
    x = pd_two_add(x, d[0]);
    y = pd_two_add(y, d[1]);
    z = pd_two_add(z, d[2]);
    WAVE_SMALL(x, y, z, small)
    r2 = pd_two_add(pd_two_add(pd_two_mul(x, x), pd_two_mul(y, y)), pd_two_mul(z, z));
#if PD_WAVE_SOFT == 2
    x.hi = length;
    x.lo = 0.0f;
    r2 = pd_two_add(r2, pd_two_mul(x, x));
#endif
    r = wave_distance(r2);
    WAVE_SMALL_BACK(r2, r, small)
    phase = pd_two_add(wave_reduce(pd_two_mul(number, r)), pd_two_of(s[4], s[14]));
    return wave_careful(r2.hi, r.hi, wave_fraction(phase), s[13], number.hi, s[5], s[7], length,
                        s[12], weight, coincident);
}

// WIDE at one point: sums over sources.
typedef struct {
    pd_f32 re, im;
} wave_one;
#define WAVE_ONE_ZERO {0.0f, 0.0f}

PD_FN wave_one wave_one_of(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                           PD_LPTR(pd_u32) coincident)
{
    const wave_phasor f = wave_wide(s, d, length, weight, coincident);
    wave_one one;
    one.re = f.size * f.re;
    one.im = f.size * f.im;
    return one;
}

PD_FN void wave_one_add(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                        PD_LPTR(pd_u32) coincident, wave_one *one)
{
    const wave_phasor f = wave_wide(s, d, length, weight, coincident);
    one->re = PD_FMA(f.size, f.re, one->re);
    one->im = PD_FMA(f.size, f.im, one->im);
}

// Adds them to those of point p. No branch: a compiler would turn it into an index that is only
// known at run time, and leave the sums in slow memory.
PD_FN void wave_one_join(const wave_one *one, pd_u32 p, wave_sums *sum)
{
    WAVE_UNROLL
    for (pd_u32 q = 0u; q < WAVE_POINTS; q++) {
        sum->re[q] = (q == p) ? sum->re[q] + one->re : sum->re[q];
        sum->im[q] = (q == p) ? sum->im[q] + one->im : sum->im[q];
    }
}
#endif // PD_WAVE_MODE != 2
