// crossing.cl: crossings of the negative real axis, from exact signs of cross products, as
// src/core/crossing.c has them. Parts of numbers are bits of f64: a device needs none for it.

typedef struct {
    pd_u64 re, im;
} crossing_point;

PD_FN pd_u32 crossing_zeros(pd_u64 x) // above the highest bit
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return high ? PD_CLZ(high) : 32u + PD_CLZ((pd_u32)(x & 0xffffffffu));
}

// The bits of f32 as those of f64; subnormal numbers, too.
PD_FN pd_u64 crossing_widen(pd_u32 x)
{
    const pd_u64 sign = (pd_u64)(x >> 31) << 63;
    const pd_u32 e = x >> 23 & 255u, m = x & 0x7fffffu;
    if (e == 255u) return sign | (pd_u64)0x7ffu << 52 | (pd_u64)m << 29;
    if (e) return sign | (pd_u64)(e + 896u) << 52 | (pd_u64)m << 29;
    if (!m) return sign;
    return sign | (pd_u64)(905u - PD_CLZ(m)) << 52 |
           ((pd_u64)m << (PD_CLZ(m) + 21u) & (((pd_u64)1u << 52) - 1u));
}

PD_FN pd_i32 crossing_sign(pd_u64 x)
{
    return (x << 1) == 0u ? 0 : x >> 63 ? -1 : 1;
}

// 0, or not finite.
PD_FN pd_u32 crossing_is_bad(const crossing_point z)
{
    const pd_u32 re = (pd_u32)(z.re >> 52) & 2047u, im = (pd_u32)(z.im >> 52) & 2047u;
    return ((z.re | z.im) << 1) == 0u || re == 2047u || im == 2047u ? 1u : 0u;
}

// The mantissa of a number that is not 0, its highest bit at the top, and the exponent for that.
PD_FN pd_u64 crossing_mantissa(pd_u64 x)
{
    const pd_u64 m = x & (((pd_u64)1u << 52) - 1u);
    if (((pd_u32)(x >> 52) & 2047u) != 0u) return (m | (pd_u64)1u << 52) << 11;
    return m << crossing_zeros(m);
}

PD_FN pd_i32 crossing_exponent(pd_u64 x)
{
    const pd_u32 e = (pd_u32)(x >> 52) & 2047u;
    return e ? (pd_i32)e : 12 - (pd_i32)crossing_zeros(x & (((pd_u64)1u << 52) - 1u));
}

// Sign of |a b| - |c d|, none of them 0.
PD_FN pd_i32 crossing_compare(pd_u64 a, pd_u64 b, pd_u64 c, pd_u64 d)
{
    const pd_u64 ma = crossing_mantissa(a), mb = crossing_mantissa(b);
    const pd_u64 mc = crossing_mantissa(c), md = crossing_mantissa(d);
    pd_u64 p = PD_MULHI64(ma, mb), q = PD_MULHI64(mc, md), r = ma * mb, s = mc * md;
    pd_i32 e = crossing_exponent(a) + crossing_exponent(b);
    pd_i32 f = crossing_exponent(c) + crossing_exponent(d);
    if (p >> 63 == 0u) {
        p = p << 1 | r >> 63;
        r <<= 1;
        e--;
    }
    if (q >> 63 == 0u) {
        q = q << 1 | s >> 63;
        s <<= 1;
        f--;
    }
    if (e != f) return e < f ? -1 : 1;
    if (p != q) return p < q ? -1 : 1;
    return r < s ? -1 : r > s ? 1 : 0;
}

// +1 where the way from a to b crosses downwards, -1 upwards, 0 not at all.
PD_FN pd_i32 crossing_of(const crossing_point a, const crossing_point b)
{
    const pd_i32 above = crossing_sign(a.im) >= 0 ? 1 : 0;
    const pd_i32 p = crossing_sign(a.re) * crossing_sign(b.im);
    const pd_i32 q = crossing_sign(b.re) * crossing_sign(a.im);
    pd_i32 turn;
    if (above == (crossing_sign(b.im) >= 0 ? 1 : 0)) return 0;
    turn = p > q ? 1 : p < q ? -1 : 0;
    if (p == q && p != 0) turn = p * crossing_compare(a.re, b.im, b.re, a.im);
    return above != 0 ? (turn > 0 ? 1 : 0) : (turn < 0 ? -1 : 0);
}

// The least power of two above the largest part, as frexp() has it.
PD_FN pd_i32 crossing_larger(pd_i32 power, pd_u64 x)
{
    pd_i32 e;
    if ((x << 1) == 0u) return power;
    e = crossing_exponent(x) - 1022;
    return e > power ? e : power;
}

PD_FN pd_i32 crossing_power(const crossing_point a, const crossing_point b, const crossing_point c,
                            const crossing_point d)
{
    pd_i32 power = crossing_larger(crossing_larger(-2000, a.re), a.im);
    power = crossing_larger(crossing_larger(power, b.re), b.im);
    power = crossing_larger(crossing_larger(power, c.re), c.im);
    return crossing_larger(crossing_larger(power, d.re), d.im);
}
