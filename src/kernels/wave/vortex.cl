// program: vortex
// vortex.cl: what is done with a complex field: observables, pixels, the norm, gradients of the
// phase, windings about 0, and line vortices. Fields are c64, a sample two words.
//
// Windings are found in integers only: the same bits everywhere. The norm is summed in the order of
// the reference, in f64 or in two words of f32; the rest is f32, with two words where numbers
// cancel. Samples are brought near to 1 by powers of two before they are multiplied, so that
// neither very large nor very small ones are lost.

// Windings. The way from a to b crosses the negative real axis where one im is negative and the
// other is not and re_a im_b - re_b im_a has the sign of that; products of two 24-bit mantissas are
// compared as 48-bit integers.

// Word of f32 as mantissa (highest bit 23, or 0 for 0) and exponent.
PD_FN pd_u32 vortex_mantissa(pd_u32 x)
{
    const pd_u32 m = x & 0x7fffffu;
    if ((x >> 23 & 255u) != 0u) return m | 0x800000u;
    return m == 0u ? 0u : m << (PD_CLZ(m) - 8u);
}

PD_FN pd_i32 vortex_exponent(pd_u32 x)
{
    const pd_u32 e = x >> 23 & 255u;
    if (e != 0u) return (pd_i32)e;
    return 9 - (pd_i32)PD_CLZ(x & 0x7fffffu); // of 1 bit less for each place moved
}

// Sign of |a b| - |c d|, none of them 0.
PD_FN pd_i32 vortex_compare(pd_u32 a, pd_u32 b, pd_u32 c, pd_u32 d)
{
    pd_u64 p = (pd_u64)vortex_mantissa(a) * vortex_mantissa(b);
    pd_u64 q = (pd_u64)vortex_mantissa(c) * vortex_mantissa(d);
    pd_i32 e = vortex_exponent(a) + vortex_exponent(b);
    pd_i32 f = vortex_exponent(c) + vortex_exponent(d);
    if (p >> 47 == 0u) {
        p <<= 1;
        e--;
    }
    if (q >> 47 == 0u) {
        q <<= 1;
        f--;
    }
    if (e != f) return e < f ? -1 : 1;
    return p < q ? -1 : p > q ? 1 : 0;
}

PD_FN pd_i32 vortex_sign(pd_u32 x)
{
    return (x << 1) == 0u ? 0 : x >> 31 != 0u ? -1 : 1;
}

// +1 downwards, -1 upwards, 0 elsewhere.
PD_FN pd_i32 vortex_crossing(pd_u32 are, pd_u32 aim, pd_u32 bre, pd_u32 bim)
{
    const pd_i32 above = vortex_sign(aim) >= 0 ? 1 : 0, p = vortex_sign(are) * vortex_sign(bim);
    const pd_i32 q = vortex_sign(bre) * vortex_sign(aim);
    pd_i32 turn;
    if (above == (vortex_sign(bim) >= 0 ? 1 : 0)) return 0;
    turn = p > q ? 1 : p < q ? -1 : 0;
    if (p == q && p != 0) turn = p * vortex_compare(are, bim, bre, aim);
    return above != 0 ? (turn > 0 ? 1 : 0) : (turn < 0 ? -1 : 0);
}

PD_FN pd_i32 vortex_bad(pd_u32 re, pd_u32 im)
{
    return ((re | im) << 1) == 0u || (re >> 23 & 255u) == 255u || (im >> 23 & 255u) == 255u;
}

// n points, the last axis the fastest; steps in words, of the map in bytes; the map's step of
// orientation is the last. A plane has a count[0] of 1, and only orientation 0 of this kernel.
typedef struct {
    pd_u32 n, orientations, periodic, mapped, base, map_base;
    pd_u32 count[3], step[3], map_step[4];
} padic_k_vortex_winding_params;

// The square of axes A, B from the point, of orientation O.
#define VORTEX_SQUARE(O, A, B, IA, IB)                                                          \
    do {                                                                                        \
        const pd_u32 enda = IA + 1u == k.count[A] ? 1u : 0u;                                    \
        const pd_u32 endb = IB + 1u == k.count[B] ? 1u : 0u;                                    \
        pd_i32 charge = 0;                                                                      \
        if ((enda == 0u || (k.periodic >> A & 1u) != 0u) &&                                     \
            (endb == 0u || (k.periodic >> B & 1u) != 0u)) {                                     \
            const pd_u32 along = enda != 0u ? 0u - k.step[A] * IA : k.step[A];                  \
            const pd_u32 across = endb != 0u ? 0u - k.step[B] * IB : k.step[B];                 \
            const pd_u32 r0 = psi[at], m0 = psi[at + 1u];                                       \
            const pd_u32 r1 = psi[at + along], m1 = psi[at + along + 1u];                       \
            const pd_u32 r2 = psi[at + along + across], m2 = psi[at + along + across + 1u];     \
            const pd_u32 r3 = psi[at + across], m3 = psi[at + across + 1u];                     \
            charge = vortex_crossing(r0, m0, r1, m1) + vortex_crossing(r1, m1, r2, m2) +        \
                     vortex_crossing(r2, m2, r3, m3) + vortex_crossing(r3, m3, r0, m0);         \
            if (vortex_bad(r0, m0) || vortex_bad(r1, m1) || vortex_bad(r2, m2) ||               \
                vortex_bad(r3, m3))                                                             \
                charge = -128;                                                                  \
        }                                                                                       \
        if (k.mapped != 0u) map[to + k.map_step[3] * O] = (pd_u8)((pd_u32)charge & 255u);       \
        if (charge == -128) {                                                                   \
            PD_ATOMIC_ADD_G(&report[4], 1u);                                                    \
        } else if (charge != 0) {                                                               \
            PD_ATOMIC_ADD_G(&report[O], (pd_u32)charge);                                        \
            PD_ATOMIC_ADD_G(&report[3], 1u);                                                    \
        }                                                                                       \
    } while (0)

PD_KERNEL(padic_k_vortex_winding)
(PD_CBUF(pd_u32, psi), PD_BUF(pd_u8, map), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_winding_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 z = i % k.count[2], y = i / k.count[2] % k.count[1];
        const pd_u32 x = i / k.count[2] / k.count[1];
        const pd_u32 at = k.base + x * k.step[0] + y * k.step[1] + z * k.step[2];
        const pd_u32 to = k.map_base + x * k.map_step[0] + y * k.map_step[1] + z * k.map_step[2];
        VORTEX_SQUARE(0u, 1, 2, y, z);
        if (k.orientations == 3u) {
            VORTEX_SQUARE(1u, 2, 0, z, x);
            VORTEX_SQUARE(2u, 0, 1, x, y);
        }
    }
}

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

// A power of two that brings x into [1, 2), or near to it where x is subnormal or all but Inf; and
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

// What is seen of a sample; padic_wave_emit.
PD_FN pd_f32 vortex_real(pd_u32 emit, pd_f32 re, pd_f32 im)
{
    pd_f32 s, x, y;
    if (emit == 1u) return re;
    if (emit == 4u) return vortex_angle(re, im + 0.0f) * VORTEX_TURN;
    if (emit != 2u) return PD_FMA(re, re, im * im);
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

// The bits of v in the order of the numbers; 0 for what is not finite.
PD_FN pd_u32 vortex_order(pd_f32 v)
{
    const pd_u32 bits = PD_AS_U32(v);
    if ((bits >> 23 & 255u) == 255u) return 0u;
    return bits >> 31 != 0u ? ~bits : bits | 0x80000000u;
}

// The range of a group: each item's highest order, and its lowest turned round, into report.
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

// Element `i` in C order of one or two views: axes that follow on each other are one, the fastest
// is the first; steps in words or elements, of two's complement.
#define VORTEX_AXIS(A)                                                                          \
    if (k.axes > A) {                                                                           \
        const pd_u32 c_ = k.axes > A + 1u ? rest_ % k.extent[A] : rest_;                        \
        if (k.axes > A + 1u) rest_ /= k.extent[A];                                              \
        at += c_ * k.step[A];                                                                   \
        VORTEX_TO(A)                                                                            \
    }
#define VORTEX_PLACE(I)                                                                         \
    {                                                                                           \
        pd_u32 rest_ = I;                                                                       \
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
    pd_u32 n, axes, base, to_base, emit;
    pd_u32 extent[8], step[8], to_step[8];
} padic_k_vortex_observe_params;

#define VORTEX_TO(A) to += c_ * k.to_step[A];
PD_KERNEL(padic_k_vortex_observe)
(PD_CBUF(pd_f32, psi), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_vortex_observe_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 at = k.base, to = k.to_base;
        VORTEX_PLACE(i)
        out[to] = vortex_real(k.emit, psi[at], psi[at + 1u]);
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

// The norm. Its tree is the reference's: shares of the samples, as equal as they can be, in blocks
// of 256, each summed in order; then the blocks of a share in order. Sums are two words each: f64
// or, without it, two words of f32, and psi times `scale`, a power of two.
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

// The gradient of the phase. `method`: padic_wave_phase_method; points where |psi|^2 is at most
// (floor_hi + floor_lo) 2^floor_power get 0; factor: scale over step, by axis.
typedef struct {
    pd_u32 n, rank, periodic, method, base, to_base, counted;
    pd_i32 floor_power;
    pd_f32 floor_hi, floor_lo, factor[3];
    pd_u32 count[3], step[3], to_step[4];
} padic_k_vortex_gradient_params;

// |psi|^2 <= floor 2^power, and that of 0 always.
PD_FN pd_u32 vortex_below(pd_f32 re, pd_f32 im, pd_f32 hi, pd_f32 lo, pd_i32 power)
{
    const pd_f32 s = vortex_scale(vortex_larger(re, im)), x = re * s, y = im * s;
    const pd_i32 e = power + 2 * ((pd_i32)(PD_AS_U32(s) >> 23) - 127);
    pd_two r;
    if (((PD_AS_U32(re) | PD_AS_U32(im)) << 1) == 0u) return 1u;
    if (hi == 0.0f) return 0u;
    r = pd_two_add(pd_two_mul(pd_two_raw(x, 0.0f), pd_two_raw(x, 0.0f)),
                   pd_two_mul(pd_two_raw(y, 0.0f), pd_two_raw(y, 0.0f)));
    if (!(r.hi <= 3e38f)) return 0u; // not finite
    if (e > 30) return 1u;
    if (e < -60) return 0u;
    r = pd_two_sub(r, pd_two_raw(hi * vortex_power(e), lo * vortex_power(e)));
    return r.hi <= 0.0f ? 1u : 0u;
}

// The angle from a to b, in turns, in (-1/2, 1/2].
PD_FN pd_f32 vortex_link(pd_f32 are, pd_f32 aim, pd_f32 bre, pd_f32 bim)
{
    const pd_f32 s = vortex_scale(vortex_larger(are, aim));
    const pd_f32 t = vortex_scale(vortex_larger(bre, bim));
    const pd_f32 ax = are * s, ay = aim * s, bx = bre * t, by = bim * t;
    const pd_f32 re = vortex_difference(ax, bx, -ay, by), im = vortex_difference(ax, by, ay, bx);
    pd_f32 angle = vortex_angle(re, im + 0.0f);
    if (re < 0.0f) { // at the cut the sign of im is worth a turn
        const pd_u32 a = PD_AS_U32(are), b = PD_AS_U32(aim), c = PD_AS_U32(bre), d = PD_AS_U32(bim);
        const pd_i32 p = vortex_sign(a) * vortex_sign(d), q = vortex_sign(c) * vortex_sign(b);
        pd_i32 turn = p > q ? 1 : p < q ? -1 : 0;
        if (p == q && p != 0) turn = p * vortex_compare(a, d, c, b);
        angle = turn < 0 ? -PD_FABS(angle) : PD_FABS(angle);
    }
    return angle;
}

// Im(conj h (b - a))/|h|^2.
PD_FN pd_f32 vortex_current(pd_f32 re, pd_f32 im, pd_f32 are, pd_f32 aim, pd_f32 bre, pd_f32 bim)
{
    const pd_f32 s = vortex_scale(vortex_larger(re, im)), x = re * s, y = im * s;
    const pd_two u = pd_two_sum(bre * s, -are * s), v = pd_two_sum(bim * s, -aim * s);
    const pd_f32 top = vortex_difference(x, v.hi, y, u.hi) + (x * v.lo - y * u.lo);
    return top / PD_FMA(x, x, y * y);
}

#define VORTEX_SLOPE(A, IA)                                                                     \
    if (k.rank > A) {                                                                           \
        const pd_u32 open_ = 1u - (k.periodic >> A & 1u), last_ = k.count[A] - 1u;              \
        const pd_u32 none_ = (IA == 0u ? open_ : 0u) + (IA == last_ ? open_ : 0u);              \
        const pd_u32 left = IA > 0u ? at - k.step[A] : open_ ? at : at + k.step[A] * last_;     \
        const pd_u32 right = IA < last_ ? at + k.step[A] : open_ ? at : at - k.step[A] * last_; \
        pd_f32 slope = 0.0f;                                                                    \
        if (skip == 0u && none_ < 2u) {                                                         \
            const pd_f32 lr = psi[left], li = psi[left + 1u];                                   \
            const pd_f32 rr = psi[right], ri = psi[right + 1u];                                 \
            if (k.method == 0u)                                                                 \
                slope = (vortex_link(lr, li, re, im) + vortex_link(re, im, rr, ri)) *           \
                        VORTEX_TURN;                                                            \
            else if (k.method == 1u)                                                            \
                slope = vortex_current(re, im, lr, li, rr, ri);                                 \
            else                                                                                \
                slope = (vortex_angle(rr, ri) - vortex_angle(lr, li)) * VORTEX_TURN;            \
            slope *= k.factor[A] * (none_ == 0u ? 0.5f : 1.0f);                                 \
        }                                                                                       \
        out[to + k.to_step[3] * A] = slope;                                                     \
    }

PD_KERNEL(padic_k_vortex_gradient)
(PD_CBUF(pd_f32, psi), PD_BUF(pd_f32, out), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_gradient_params, k))
{
    PD_LOCAL pd_u32 skips[1];
    pd_u32 mine = 0u;
    if (PD_LID == 0u) skips[0] = 0u;
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 z = i % k.count[2], y = i / k.count[2] % k.count[1];
        const pd_u32 x = i / k.count[2] / k.count[1];
        const pd_u32 at = k.base + x * k.step[0] + y * k.step[1] + z * k.step[2];
        const pd_u32 to = k.to_base + x * k.to_step[0] + y * k.to_step[1] + z * k.to_step[2];
        const pd_f32 re = psi[at], im = psi[at + 1u];
        const pd_u32 skip = vortex_below(re, im, k.floor_hi, k.floor_lo, k.floor_power);
        mine += skip;
        VORTEX_SLOPE(0u, x)
        VORTEX_SLOPE(1u, y)
        VORTEX_SLOPE(2u, z)
    }
    PD_BARRIER();
    if (mine > 0u) PD_ATOMIC_ADD_L(&skips[0], mine);
    PD_BARRIER();
    if (PD_LID == 0u && k.counted != 0u && skips[0] > 0u) PD_ATOMIC_ADD_G(&report[0], skips[0]);
}

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

// tanh of what is not negative: minimax below 0.6, right to 3e-9.
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

// The factor of a line at d from its centre, and how often: z of |q| = 1.
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

// Points of a list or a grid, fields in C order; steps of psi in words, of out in elements.
typedef struct {
    pd_u32 first, points, lines, core, listed, created, ranged;
    pd_u32 list_base, list_step, list_axis, list_wide, list_dimensions;
    pd_u32 count[3];
    pd_f32 origin[6], step[18]; // two words each: axis 0 x, y, z, axis 1, ...
    pd_u32 psi_base, psi_step[3], out_base, out_step[3], out_last;
    pd_u32 emit, tone, nan_colour;
    pd_f32 low, high, scale;
} padic_k_vortex_field_params;

PD_FN pd_two vortex_along(pd_two a, pd_f32 x, pd_two b, pd_f32 y, pd_two c,
                              pd_f32 z, pd_two origin)
{
    return pd_two_add(origin, vortex_dot(a, b, c, pd_two_raw(x, 0.0f), pd_two_raw(y, 0.0f),
                                         pd_two_raw(z, 0.0f)));
}
#define VORTEX_COORDINATE(J)                                                                    \
    vortex_along(pd_two_raw(kept[2 * J], kept[2 * J + 1]), (pd_f32)x,                           \
                 pd_two_raw(kept[2 * J + 6], kept[2 * J + 7]), (pd_f32)y,                       \
                 pd_two_raw(kept[2 * J + 12], kept[2 * J + 13]), (pd_f32)z,                     \
                 pd_two_raw(kept[2 * J + 18], kept[2 * J + 19]))
#define VORTEX_KEEP(J)                    \
    kept[J] = k.step[J];                  \
    kept[J + 1] = k.step[J + 1];          \
    kept[J + 2] = k.step[J + 2];          \
    kept[J + 3] = k.step[J + 3];          \
    kept[J + 4] = k.step[J + 4];          \
    kept[J + 5] = k.step[J + 5]

PD_KERNEL(padic_k_vortex_field)
(PD_CBUF(pd_u32, list), PD_CBUF(pd_f32, record), PD_CBUF(pd_f32, psi), PD_CBUF(pd_u32, table),
 PD_BUF(pd_f32, out), PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_field_params, k))
{
    PD_LOCAL pd_u32 ends[2 * PD_WG];
    PD_LOCAL pd_u32 own[21];
    PD_LOCAL pd_f32 kept[27]; // out of the scalar registers, which are short on some chips
    pd_u32 low = 0u, high = 0u;
    if (PD_LID == 0u) {
        VORTEX_KEEP(0);
        VORTEX_KEEP(6);
        VORTEX_KEEP(12);
        kept[18] = k.origin[0];
        kept[19] = k.origin[1];
        kept[20] = k.origin[2];
        kept[21] = k.origin[3];
        kept[22] = k.origin[4];
        kept[23] = k.origin[5];
        kept[24] = k.low;
        kept[25] = k.high;
        kept[26] = k.scale;
        own[0] = k.psi_base;
        own[1] = k.psi_step[0];
        own[2] = k.psi_step[1];
        own[3] = k.psi_step[2];
        own[4] = k.out_base;
        own[5] = k.out_step[0];
        own[6] = k.out_step[1];
        own[7] = k.out_step[2];
        own[8] = k.out_last;
        own[9] = k.emit;
        own[10] = k.tone;
        own[11] = k.nan_colour;
        own[12] = k.list_base;
        own[13] = k.list_step;
        own[14] = k.list_axis;
        own[15] = k.list_wide;
        own[16] = k.list_dimensions;
        own[17] = k.listed;
        own[18] = k.created;
        own[19] = k.count[2];
        own[20] = k.count[1];
    }
    PD_BARRIER();
    for (pd_u32 j = PD_GID; j < k.points; j += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 i = k.first + j, z = i % own[19], y = i / own[19] % own[20];
        const pd_u32 x = i / own[19] / own[20];
        const pd_u32 to = own[4] + x * own[5] + y * own[6] + z * own[7];
        pd_two px, py, pz;
        pd_f32 re = 1.0f, im = 0.0f, m, t;
        pd_i32 e = 0;
        if (own[17] != 0u) {
            const pd_u32 at = own[12] + i * own[13];
            px = pd_two_load(list, at, own[15]);
            py = pd_two_raw(0.0f, 0.0f);
            pz = py;
            if (own[16] > 1u) py = pd_two_load(list, at + own[14], own[15]);
            if (own[16] > 2u) pz = pd_two_load(list, at + 2u * own[14], own[15]);
        } else {
            px = VORTEX_COORDINATE(0);
            py = VORTEX_COORDINATE(1);
            pz = VORTEX_COORDINATE(2);
        }
        if (own[18] == 0u) {
            const pd_u32 at = own[0] + x * own[1] + y * own[2] + z * own[3];
            re = psi[at];
            im = psi[at + 1u];
            m = vortex_larger(re, im);
            e = m > 1e19f ? 64 : m < 1e-19f ? -64 : 0;
            re *= vortex_power(-e);
            im *= vortex_power(-e);
        }
        for (pd_u32 v = 0u; v < k.lines; v++) {
            PD_GPTR(const pd_f32) line = record + VORTEX_WORDS * v;
            const vortex_complex f = vortex_factor(
                line, k.core, pd_two_sub(px, pd_two_raw(line[0], line[1])),
                pd_two_sub(py, pd_two_raw(line[2], line[3])),
                pd_two_sub(pz, pd_two_raw(line[4], line[5])));
            const pd_f32 q = PD_FABS(line[18]);
            const pd_u32 times = k.core == 3u ? 1u : q < 64.0f ? (pd_u32)q : 64u;
            for (pd_u32 n = 0u; n < times; n++) {
                t = re * f.re - im * f.im;
                im = re * f.im + im * f.re;
                re = t;
                m = vortex_larger(re, im);
                if (m < 1e-9f) { // an exponent of its own, so that nothing gets lost on the way
                    re *= 1073741824.0f;
                    im *= 1073741824.0f;
                    e -= e > -1000 ? 30 : 0;
                }
            }
        }
        e = e > -250 ? e : -250;
        re = re * vortex_power(e / 2) * vortex_power(e - e / 2);
        im = im * vortex_power(e / 2) * vortex_power(e - e / 2);
        if (own[9] == 0u) {
            out[2u * to] = re;
            out[2u * to + 1u] = im;
        } else if (own[9] < 5u) {
            out[to] = vortex_real(own[9], re, im);
        } else {
            const pd_f32 v = vortex_real(own[10] & 255u, re, im);
            const pd_u32 pixel = vortex_pixel(table, own[10], own[11], kept[24], kept[25],
                                              kept[26], v, re, im);
            pd_u32 order = vortex_order(v);
            pixels[to] = (pd_u8)(pixel & 255u);
            pixels[to + own[8]] = (pd_u8)(pixel >> 8 & 255u);
            pixels[to + 2u * own[8]] = (pd_u8)(pixel >> 16 & 255u);
            pixels[to + 3u * own[8]] = (pd_u8)(pixel >> 24);
            high = order > high ? order : high;
            order = order != 0u ? ~order : 0u;
            low = order > low ? order : low;
        }
    }
    if (k.ranged != 0u) VORTEX_RANGE(low, high);
}
