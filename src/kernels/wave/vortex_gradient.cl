// vortex_gradient.cl: the gradient of the phase.

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
