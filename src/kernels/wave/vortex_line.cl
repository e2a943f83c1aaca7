// vortex_line.cl: line vortices: their frames, and the factor of one at a point.

// Line vortices: `wide`, `present`: bits of centre, axis, charge, core.
typedef struct {
    pd_u32 count, dimensions, wide, present, core;
    pd_u32 base[4], step[4]; // in words, of two's complement
    pd_u32 centre_axis, axis_axis;
} padic_k_vortex_lines_params;

#define VORTEX_WORDS 20u // of a line: centre, e1, e2 (6 each), charge, core length

PD_FN void vortex_keep(PD_GPTR(pd_f32) to, pd_two x, pd_two y, pd_two z)
{
    to[0] = x.hi;
    to[1] = x.lo;
    to[2] = y.hi;
    to[3] = y.lo;
    to[4] = z.hi;
    to[5] = z.lo;
}
PD_FN pd_two vortex_dot(pd_two a, pd_two b, pd_two c, pd_two x, pd_two y,
                            pd_two z)
{
    return pd_two_add(pd_two_add(pd_two_mul(a, x), pd_two_mul(b, y)), pd_two_mul(c, z));
}

PD_KERNEL(padic_k_vortex_lines)
(PD_CBUF(pd_u32, centres), PD_CBUF(pd_u32, axes), PD_CBUF(pd_u32, charges), PD_CBUF(pd_u32, cores),
 PD_BUF(pd_f32, record), PD_PARAMS(padic_k_vortex_lines_params, k))
{
    for (pd_u32 i = PD_GID; i < k.count; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_two zero = pd_two_raw(0.0f, 0.0f), one = pd_two_raw(1.0f, 0.0f);
        pd_two x = zero, y = zero, z = zero, a = one, b = zero, c = zero, s, n;
        pd_u32 at = k.base[0] + i * k.step[0], wide = k.wide & 1u;
        PD_GPTR(pd_f32) to = record + VORTEX_WORDS * i;
        pd_f32 charge = 1.0f, core = 0.0f;
        x = pd_two_load(centres, at, wide);
        if (k.dimensions > 1u) y = pd_two_load(centres, at + k.centre_axis, wide);
        if (k.dimensions > 2u) z = pd_two_load(centres, at + 2u * k.centre_axis, wide);
        vortex_keep(to, x, y, z);
        x = zero;
        y = zero;
        z = one;
        if ((k.present & 2u) != 0u) {
            at = k.base[1] + i * k.step[1];
            wide = k.wide & 2u;
            x = pd_two_load(axes, at, wide);
            y = pd_two_load(axes, at + k.axis_axis, wide);
            z = pd_two_load(axes, at + 2u * k.axis_axis, wide);
            s = vortex_inverse_root(vortex_dot(x, y, z, x, y, z));
            x = pd_two_mul(x, s);
            y = pd_two_mul(y, s);
            z = pd_two_mul(z, s);
            // e1 = u - (u.n) n, u the x axis, the y axis where n is nearly that
            s = pd_two_sub(x, pd_two_raw(0.9f, 2.3841858e-8f));
            if (x.hi < 0.0f) s = pd_two_sub(pd_two_raw(-0.9f, -2.3841858e-8f), x);
            n = s.hi > 0.0f ? y : x;
            if (s.hi > 0.0f) {
                a = zero;
                b = one;
            }
            a = pd_two_sub(a, pd_two_mul(n, x));
            b = pd_two_sub(b, pd_two_mul(n, y));
            c = pd_two_sub(c, pd_two_mul(n, z));
            s = vortex_inverse_root(vortex_dot(a, b, c, a, b, c));
            a = pd_two_mul(a, s);
            b = pd_two_mul(b, s);
            c = pd_two_mul(c, s);
        }
        vortex_keep(to + 6, a, b, c);
        vortex_keep(to + 12, pd_two_sub(pd_two_mul(y, c), pd_two_mul(z, b)),
                    pd_two_sub(pd_two_mul(z, a), pd_two_mul(x, c)),
                    pd_two_sub(pd_two_mul(x, b), pd_two_mul(y, a)));
        if ((k.present & 4u) != 0u)
            charge = pd_two_load(charges, k.base[2] + i * k.step[2], k.wide & 4u).hi;
        if ((k.present & 8u) != 0u)
            core = pd_two_load(cores, k.base[3] + i * k.step[3], k.wide & 8u).hi;
        to[18] = charge;
        to[19] = (k.core == 3u && core == 0.0f) ? 0.1f : core;
    }
}

// tanh of a number >= 0: minimax below 0.6, right to 3e-9.
PD_FN pd_f32 vortex_tanh(pd_f32 x)
{
    const pd_f32 t = x * x;
    pd_f32 y;
    if (x > 0.6f) return 1.0f - 2.0f / (PD_EXP(2.0f * x) + 1.0f);
    y = PD_FMA(-0.005852168625f, t, 0.02075362886f);
    y = PD_FMA(y, t, -0.05376870470f);
    y = PD_FMA(y, t, 0.1333168896f);
    y = PD_FMA(y, t, -0.3333328326f);
    return PD_FMA(y, t, 0.9999999975f) * x;
}

// Cosine and sine of a phase in turns in [-1/2, 1/2]: minimax on a quarter turn either side.
typedef struct {
    pd_f32 re, im;
} vortex_complex;

PD_FN vortex_complex vortex_phasor(pd_f32 turns)
{
    vortex_complex z;
    const pd_f32 flip = PD_RINT(2.0f * turns), f = turns - 0.5f * flip, g = f * f;
    const pd_f32 sign = PD_FABS(flip) == 1.0f ? -1.0f : 1.0f;
    pd_f32 c = PD_FMA(56.24238045f, g, -85.24033046f), s = PD_FMA(39.53886012f, g, -76.55010678f);
    c = PD_FMA(c, g, 64.93459064f);
    s = PD_FMA(s, g, 81.60102085f);
    c = PD_FMA(c, g, -19.73917143f);
    s = PD_FMA(s, g, -41.34165537f);
    z.re = sign * PD_FMA(c, g, 0.9999999535f);
    z.im = sign * (PD_FMA(s, g, 6.283185162f) * f);
    return z;
}

// The factor of a line at d from its centre, and its multiplicity: z of |q| = 1.
PD_FN vortex_complex vortex_factor(PD_GPTR(const pd_f32) line, pd_u32 core, pd_two dx,
                                   pd_two dy, pd_two dz)
{
    const pd_f32 charge = line[18], xi = line[19];
    pd_f32 m, s, x, y, r2, f;
    vortex_complex z;
    if (core == 3u) {
        m = vortex_larger(vortex_larger(dx.hi, dy.hi), dz.hi);
        s = vortex_scale(m);
        x = dx.hi * s;
        y = dy.hi * s;
        f = dz.hi * s;
        f = vortex_tanh(PD_SQRT(PD_FMA(x, x, PD_FMA(y, y, f * f))) * (vortex_unscale(s) / xi));
        m = vortex_angle(dx.hi, dy.hi);
        r2 = m * charge;
        s = PD_FMA(m, charge, -r2);
        r2 = (r2 - PD_RINT(r2)) + s;
        z = vortex_phasor(r2 - PD_RINT(r2));
        z.re *= f;
        z.im *= f;
        return z;
    }
    x = vortex_dot(pd_two_raw(line[6], line[7]), pd_two_raw(line[8], line[9]),
                   pd_two_raw(line[10], line[11]), dx, dy, dz).hi;
    y = vortex_dot(pd_two_raw(line[12], line[13]), pd_two_raw(line[14], line[15]),
                   pd_two_raw(line[16], line[17]), dx, dy, dz).hi;
    if (charge < 0.0f) y = -y;
    m = vortex_larger(x, y);
    s = vortex_scale(core == 0u ? vortex_larger(m, xi) : m);
    z.re = x * s;
    z.im = y * s;
    if (m == 0.0f) return z; // on the axis, 0 in every core
    r2 = PD_FMA(z.re, z.re, z.im * z.im);
    f = xi * s;
    if (core == 0u) {
        f = PD_RSQRT(PD_FMA(f, f, r2));
    } else if (core == 1u) {
        const pd_f32 i = PD_RSQRT(r2), r = r2 * i, a1 = 0.34011f, a2 = 0.0464431f, b1 = 0.3865531f;
        const pd_f32 u = r < f ? r / f : f / r, t = u * u;
        f = r < f ? PD_SQRT(PD_FMA(a2, t, a1) / PD_FMA(PD_FMA(a2, t, b1), t, 1.0f)) * u * i
                  : PD_SQRT(PD_FMA(a1, t, a2) / PD_FMA(t + b1, t, a2)) * i;
    } else {
        f = PD_RSQRT(r2);
    }
    z.re *= f;
    z.im *= f;
    return z;
}
