// factor_angle.cu: sums over warps, and rotations of two columns.

#ifndef PD_FACTOR_PARTS
#define PD_FACTOR_PARTS 2 // 1 real, 2 complex
#endif
#ifndef PD_FACTOR_VECTORS
#define PD_FACTOR_VECTORS 1 // 1: V, too
#endif
#ifndef PD_FACTOR_ITEMS
#define PD_FACTOR_ITEMS 256
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900 // compilers spill when two must fit
#define FACTOR_GROUPS 1
#else
#define FACTOR_GROUPS 2
#endif
#define FACTOR_PARTS ((pd_u32)PD_FACTOR_PARTS)
#define FACTOR_COMPLEX (PD_FACTOR_PARTS == 2)
#define FACTOR_EPS 5.9604644775390625e-8f // 2^-24
#define FACTOR_LEAST 1e-30f
#define FACTOR_SHIFT 1.5f // for Hermitian matrices, times a bound of the eigenvalues
#define FACTOR_ALL 0xffffffffu
#define FACTOR_MOST (PD_FACTOR_ITEMS / 4) // columns
#define FACTOR_ROWS (PD_FACTOR_ITEMS / 128) // of an item
#define FACTOR_WARPS (PD_FACTOR_ITEMS / 32)
#define FACTOR_PITCH (FACTOR_MOST + 1)
#define FACTOR_SMALL 16
#define FACTOR_SMALL_PITCH 17

// Numbers that these would flush to 0 do not occur below, or do not matter.
PD_FN pd_f32 factor_inverse(pd_f32 x)
{
    pd_f32 y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

PD_FN pd_f32 factor_root(pd_f32 x)
{
    pd_f32 y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// 1 / sqrt(x), to one ulp. The square is exact: a rounded one would make all columns slightly
// longer at each of thousands of rotations.
PD_FN pd_f32 factor_inverse_root(pd_f32 x)
{
    pd_f32 y, square, rest;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    square = y * y;
    rest = PD_FMA(y, y, -square);
    return PD_FMA(y * 0.5f, PD_FMA(-x, rest, PD_FMA(-x, square, 1.0f)), y);
}

PD_FN pd_f32 factor_warp_sum(pd_f32 x)
{
#pragma unroll
    for (pd_u32 d = 16u; d > 0u; d >>= 1) x += __shfl_xor_sync(FACTOR_ALL, x, (int)d);
    return x;
}

// The sum over `width` neighbouring lanes.
template <pd_u32 width> PD_FN pd_u32 factor_most(pd_u32 x)
{
#pragma unroll
    for (pd_u32 d = width / 2u; d > 0u; d >>= 1) {
        const pd_u32 y = __shfl_xor_sync(FACTOR_ALL, x, (int)d);
        x = x > y ? x : y;
    }
    return x;
}

// The rotation of columns x and y, (x, y) <- (c x - s conj(e) y, s e x + c y): c and s e. a and b
// are their squares, g is x^dagger y. Of those with an angle the longer one becomes x, or y.
typedef struct {
    pd_f32 c, re, im;
    pd_u32 turn;
} factor_angle;

PD_FN factor_angle factor_angle_of(pd_f32 a, pd_f32 b, pd_f32 gre, pd_f32 gim, bool first,
                                   pd_f32 tolerance)
{
    factor_angle result;
    const bool change = first ? b > a : a > b;
    const pd_f32 enough = tolerance * 0.70710678f * (factor_root(a) * factor_root(b));
    const pd_f32 ure = PD_FABS(gre), uim = PD_FABS(gim), most = ure > uim ? ure : uim;
    const pd_f32 far_apart = PD_FABS(b - a), top = far_apart > most ? far_apart : most;
    // Powers of 2: of `most`, its inverse, and the inverse of that of `top`.
    const pd_u32 high = PD_AS_U32(most) & 0x7f800000u;
    const pd_f32 by = PD_AS_F32(0x7f000000u - high);
    const pd_f32 to_top = PD_AS_F32(0x7f000000u - (PD_AS_U32(top) & 0x7f800000u));
    const pd_f32 nre = gre * by, nim = gim * by, square = PD_FMA(nre, nre, nim * nim);
    const pd_f32 d = far_apart * to_top, g = PD_AS_F32(high) * to_top; // |g| is g root(square)
    const pd_f32 root = factor_inverse_root(square), twice = 2.0f * g * (square * root);
    const pd_f32 inverse = factor_inverse(d + factor_root(PD_FMA(4.0f * g * g, square, d * d)));
    const pd_f32 t = b < a ? -twice * inverse : twice * inverse;
    const pd_f32 cosine = factor_inverse_root(PD_FMA(t, t, 1.0f)), sine = cosine * t;
    const pd_f32 s = change ? -cosine : sine;
    // The largest part of g is at least |g| / sqrt(2).
    result.turn = most > enough && most > FACTOR_LEAST ? 1u : 0u;
    result.c = result.turn == 0u ? 1.0f : change ? sine : cosine;
    result.re = result.turn == 0u ? 0.0f : s * (nre * root);
    result.im = result.turn == 0u ? 0.0f : s * (nim * root);
    return result;
}

// The sums of one row of x and y.
PD_FN void factor_products(pd_f32 xr, pd_f32 xi, pd_f32 yr, pd_f32 yi, pd_f32 *sum)
{
    sum[0] = PD_FMA(xr, xr, sum[0]);
    sum[1] = PD_FMA(yr, yr, sum[1]);
    sum[2] = PD_FMA(xr, yr, sum[2]);
#if FACTOR_COMPLEX
    sum[0] = PD_FMA(xi, xi, sum[0]);
    sum[1] = PD_FMA(yi, yi, sum[1]);
    sum[2] = PD_FMA(xi, yi, sum[2]);
    sum[3] = PD_FMA(xr, yi, sum[3]);
    sum[3] = PD_FMA(-xi, yr, sum[3]);
#else
    (void)xi;
    (void)yi;
#endif
}

PD_FN void factor_turn(pd_f32 c, pd_f32 re, pd_f32 im, pd_f32 *xr, pd_f32 *xi, pd_f32 *yr,
                       pd_f32 *yi)
{
    const pd_f32 ar = *xr, br = *yr;
#if FACTOR_COMPLEX
    const pd_f32 ai = *xi, bi = *yi;
    *xr = PD_FMA(c, ar, PD_FMA(-re, br, -im * bi));
    *xi = PD_FMA(c, ai, PD_FMA(-re, bi, im * br));
    *yr = PD_FMA(c, br, PD_FMA(re, ar, -im * ai));
    *yi = PD_FMA(c, bi, PD_FMA(re, ai, im * ar));
#else
    (void)im;
    (void)xi;
    (void)yi;
    *xr = PD_FMA(c, ar, -re * br);
    *yr = PD_FMA(c, br, re * ar);
#endif
}

// Players of a tournament, two per team: the first stays, the others move on by one place per
// round. 1 if x precedes y, in a fixed order: that of places in round 0.
PD_FN bool factor_first(pd_u32 teams, pd_u32 team, pd_u32 round)
{
    const pd_u32 ring = 2u * teams - 1u;
    const pd_u32 x = (team + ring - 1u - round) % ring;
    const pd_u32 y = (2u * ring - 1u - team - round) % ring;
    return team == 0u || x < y;
}
