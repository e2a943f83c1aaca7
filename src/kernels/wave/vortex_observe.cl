// vortex_observe.cl: observables of a complex field, as numbers and as pixels.

// An observable of a sample; padic_wave_output.
PD_FN pd_f32 vortex_real(pd_u32 output, pd_f32 re, pd_f32 im)
{
    pd_f32 s, x, y;
    if (output == 1u) return re;
    if (output == 4u) return vortex_angle(re, im + 0.0f) * VORTEX_TURN;
    if (output != 2u) return PD_FMA(re, re, im * im);
    s = vortex_scale(vortex_larger(re, im));
    x = re * s;
    y = im * s;
    return PD_SQRT(PD_FMA(x, x, y * y)) * vortex_unscale(s);
}

PD_FN pd_u32 vortex_byte(pd_f32 x)
{
    const pd_f32 b = PD_FLOOR(255.0f * x + 0.5f);
    return x <= 0.0f ? 0u : x >= 1.0f ? 255u : (pd_u32)b;
}
PD_FN pd_f32 vortex_channel(pd_f32 turns)
{
    const pd_f32 away = 2.0f - 6.0f * PD_FABS(turns - PD_RINT(turns));
    return away < 0.0f ? 0.0f : away > 1.0f ? 1.0f : away;
}

// R, G, B, A from the low byte up. `tone`: value | curve << 8 | map << 16; `scale`: 1/(high - low)
// or 1/log(1 + high/low).
PD_FN pd_u32 vortex_pixel(PD_GPTR(const pd_u32) table, pd_u32 tone, pd_u32 bad, pd_f32 low,
                          pd_f32 high, pd_f32 scale, pd_f32 v, pd_f32 re, pd_f32 im)
{
    const pd_u32 curve = tone >> 8 & 255u, map = tone >> 16;
    pd_f32 x;
    pd_u32 b;
    if (v != v) return bad;
    if (curve == 1u) {
        x = v <= 0.0f ? 0.0f : 1.0f / (1.0f + high / v);
    } else if (curve == 2u) {
        const pd_f32 t = v / low, u = 1.0f + t; // log(u) t/(u - 1) is log(1 + t) for small t, too
        x = t * scale;
        if (t > 1e6f) x = PD_LOG(t) * scale;
        else if (u != 1.0f) x = PD_LOG(u) * (t / (u - 1.0f)) * scale;
        x = v <= 0.0f ? 0.0f : x;
    } else {
        x = (v - low) * scale;
    }
    x = x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : x;
    b = vortex_byte(x);
    if (map == 1u)
        return vortex_byte(3.0f * x) | vortex_byte(3.0f * x - 1.0f) << 8 |
               vortex_byte(3.0f * x - 2.0f) << 16 | 0xff000000u;
    if (map == 2u) {
        const pd_f32 hue = vortex_angle(re, im + 0.0f);
        return vortex_byte(x * vortex_channel(hue)) |
               vortex_byte(x * vortex_channel(hue - 0.333333343f)) << 8 |
               vortex_byte(x * vortex_channel(hue + 0.333333343f)) << 16 | 0xff000000u;
    }
    if (map == 3u) return table[b];
    return b | b << 8 | b << 16 | 0xff000000u;
}

// The bits of v in the order of the numbers; 0 if it is not finite.
PD_FN pd_u32 vortex_order(pd_f32 v)
{
    const pd_u32 bits = PD_AS_U32(v);
    if ((bits >> 23 & 255u) == 255u) return 0u;
    return bits >> 31 != 0u ? ~bits : bits | 0x80000000u;
}

// The range of a group: each item's highest order, and its lowest complemented, into report.
#define VORTEX_RANGE(LOW, HIGH)                                                                 \
    do {                                                                                        \
        PD_BARRIER();                                                                           \
        ends[PD_LID] = LOW;                                                                     \
        ends[PD_WG + PD_LID] = HIGH;                                                            \
        for (pd_u32 step_ = PD_WG / 2u; step_ > 0u; step_ >>= 1) {                              \
            PD_BARRIER();                                                                       \
            if (PD_LID < step_) {                                                               \
                const pd_u32 a_ = ends[PD_LID + step_], b_ = ends[PD_WG + PD_LID + step_];      \
                ends[PD_LID] = a_ > ends[PD_LID] ? a_ : ends[PD_LID];                           \
                ends[PD_WG + PD_LID] = b_ > ends[PD_WG + PD_LID] ? b_ : ends[PD_WG + PD_LID];   \
            }                                                                                   \
        }                                                                                       \
        PD_BARRIER();                                                                           \
        if (PD_LID == 0u) {                                                                     \
            PD_ATOMIC_MAX_G(&report[0], ends[0]);                                               \
            PD_ATOMIC_MAX_G(&report[1], ends[PD_WG]);                                           \
        }                                                                                       \
    } while (0)

// Element `i` in C order of one or two views: contiguous axes are merged, the fastest is the first;
// steps in words or elements, in two's complement.
#define VORTEX_AXIS(A)                                                                          \
    if (k.axes > A) {                                                                           \
        const pd_u32 c_ = k.axes > A + 1u ? left_ % k.extent[A] : left_;                        \
        if (k.axes > A + 1u) left_ /= k.extent[A];                                              \
        at += c_ * k.step[A];                                                                   \
        VORTEX_TO(A)                                                                            \
    }
#define VORTEX_PLACE(I)                                                                         \
    {                                                                                           \
        pd_u32 left_ = I;                                                                       \
        VORTEX_AXIS(0u)                                                                         \
        VORTEX_AXIS(1u)                                                                         \
        VORTEX_AXIS(2u)                                                                         \
        VORTEX_AXIS(3u)                                                                         \
        VORTEX_AXIS(4u)                                                                         \
        VORTEX_AXIS(5u)                                                                         \
        VORTEX_AXIS(6u)                                                                         \
        VORTEX_AXIS(7u)                                                                         \
    }

typedef struct {
    pd_u32 n, axes, base, to_base, output;
    pd_u32 extent[8], step[8], to_step[8];
} padic_k_vortex_observe_params;

#define VORTEX_TO(A) to += c_ * k.to_step[A];
PD_KERNEL(padic_k_vortex_observe)
(PD_CBUF(pd_f32, psi), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_vortex_observe_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 at = k.base, to = k.to_base;
        VORTEX_PLACE(i)
        out[to] = vortex_real(k.output, psi[at], psi[at + 1u]);
    }
}

// `real`: the field is f32, and v itself; `ranged`: report gets the range of v.
typedef struct {
    pd_u32 n, axes, base, to_base, to_last, real, ranged, tone, nan_colour;
    pd_f32 low, high, scale;
    pd_u32 extent[8], step[8], to_step[8];
} padic_k_vortex_tonemap_params;

PD_KERNEL(padic_k_vortex_tonemap)
(PD_CBUF(pd_f32, field), PD_CBUF(pd_u32, table), PD_BUF(pd_u8, out), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_tonemap_params, k))
{
    PD_LOCAL pd_u32 ends[2 * PD_WG];
    pd_u32 low = 0u, high = 0u;
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 at = k.base, to = k.to_base, pixel, order;
        pd_f32 re, im = 0.0f, v;
        VORTEX_PLACE(i)
        re = field[at];
        if (k.real == 0u) im = field[at + 1u];
        v = k.real != 0u ? re : vortex_real(k.tone & 255u, re, im);
        pixel = vortex_pixel(table, k.tone, k.nan_colour, k.low, k.high, k.scale, v, re, im);
        out[to] = (pd_u8)(pixel & 255u);
        out[to + k.to_last] = (pd_u8)(pixel >> 8 & 255u);
        out[to + 2u * k.to_last] = (pd_u8)(pixel >> 16 & 255u);
        out[to + 3u * k.to_last] = (pd_u8)(pixel >> 24);
        order = vortex_order(v);
        high = order > high ? order : high;
        order = order != 0u ? ~order : 0u;
        low = order > low ? order : low;
    }
    if (k.ranged != 0u) VORTEX_RANGE(low, high);
}
#undef VORTEX_TO

// Im(conj(z) g), scaled to about 1; the difference of two products with a single rounding.
PD_FN pd_f32 vortex_flux(pd_f32 re, pd_f32 im, pd_f32 x, pd_f32 y, pd_f32 scale)
{
    const pd_f32 s = vortex_scale(vortex_larger(re, im)), t = vortex_scale(vortex_larger(x, y));
    const pd_f32 a = re * s, b = im * s, u = x * t, v = y * t, p = b * u;
    const pd_f32 j = PD_FMA(a, v, -p) - PD_FMA(b, u, -p);
    return j * scale * vortex_unscale(s) * vortex_unscale(t);
}

// psi does not advance along the last axis of the gradient.
typedef struct {
    pd_u32 n, axes, base, by_base, to_base;
    pd_f32 scale;
    pd_u32 extent[8], step[8], by_step[8], to_step[8];
} padic_k_vortex_flux_params;

#define VORTEX_TO(A) by += c_ * k.by_step[A]; to += c_ * k.to_step[A];
PD_KERNEL(padic_k_vortex_flux)
(PD_CBUF(pd_f32, psi), PD_CBUF(pd_f32, gradient), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_vortex_flux_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 at = k.base, by = k.by_base, to = k.to_base;
        VORTEX_PLACE(i)
        out[to] = vortex_flux(psi[at], psi[at + 1u], gradient[by], gradient[by + 1u], k.scale);
    }
}
#undef VORTEX_TO
