// vortex_winding.cl: windings. The segment from a to b crosses the negative real axis if one im is
// negative and the other is not and re_a im_b - re_b im_a has the sign of that; products of two
// 24-bit mantissas are compared as 48-bit integers.

// Splits a word of f32 into mantissa (highest bit 23, or 0 for 0) and exponent.
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
