// factor_pair.cu: one matrix for two warps, two columns for 4 lanes.

// Rows lane % 4 + 4 t of the columns x and y of a team of 4 lanes.
typedef struct {
    pd_f32 xr[4], yr[4];
#if FACTOR_COMPLEX
    pd_f32 xi[4], yi[4];
#endif
} factor_pair;

#if FACTOR_COMPLEX
#define FACTOR_XI(w, t) w.xi[t]
#define FACTOR_YI(w, t) w.yi[t]
#else
#define FACTOR_XI(w, t) w.xr[t] // not used
#define FACTOR_YI(w, t) w.yr[t]
#endif

// As factor_angle_of() for x before y: the longer one becomes x. With d = |b - a| and h^2 = d^2 + 4
// |g|^2, t is 2 |g| / (d + h). Logarithms decide early whether there is an angle: the bits of a
// number are about 2^23 times its logarithm, to 0.09. `small` is -2 times that of the tolerance.
PD_FN factor_angle factor_pair_angle_of(pd_f32 a, pd_f32 b, pd_f32 gre, pd_f32 gim, pd_u32 small)
{
    factor_angle result;
    const pd_f32 most = fmaxf(PD_FABS(gre), PD_FABS(gim));
    const bool turn =
        2u * PD_AS_U32(most) + small > PD_AS_U32(a) + PD_AS_U32(b) && most > FACTOR_LEAST;
    // Scaled by a power of 2 that brings the longer one to about 1. If |g|^2 is then 0, so is the
    // angle.
    const pd_f32 by = PD_AS_F32(0x7f000000u - (PD_AS_U32(fmaxf(a, b)) & 0x7f800000u));
    const pd_f32 d = PD_FABS(b - a) * by, re = gre * by, im = gim * by;
    const pd_f32 square = PD_FMA(re, re, im * im);
    const pd_f32 inverse = factor_inverse(d + factor_root(PD_FMA(4.0f, square, d * d)));
    const pd_f32 secant = PD_FMA(4.0f * square, inverse * inverse, 1.0f); // its square
    const pd_f32 cosine = factor_inverse_root(turn ? secant : 1.0f);
    const pd_f32 root = factor_inverse_root(square), twice = inverse * (b < a ? -2.0f : 2.0f);
    const bool change = turn && b > a, some = square > 0.0f;
    pd_f32 c = 1.0f, sre = turn ? twice * re : 0.0f, sim = turn ? twice * im : 0.0f;
    c = change ? some ? twice * (square * root) : 0.0f : c;
    sre = change ? some ? -re * root : -1.0f : sre;
    sim = change ? some ? -im * root : 0.0f : sim;
    result.turn = turn ? 1u : 0u;
    result.c = cosine * c;
    result.re = cosine * sre;
    result.im = cosine * sim;
    return result;
}

PD_FN void factor_pair_turn(factor_pair &w, pd_f32 c, pd_f32 re, pd_f32 im)
{
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++)
        factor_turn(c, re, im, &w.xr[t], &FACTOR_XI(w, t), &w.yr[t], &FACTOR_YI(w, t));
}

// Columns move so that in a sweep all pairs meet, the first one always as x. With 2 h columns in h
// teams, h rounds in which y moves on by a team: each x has met each y. Then half of these teams
// have the former x, half the former y, and so on with h / 2.
PD_FN void factor_pair_on(factor_pair &w, pd_u32 h)
{
    const pd_u32 team = (PD_LID & 31u) >> 2;
    const int from = (int)((((team & ~(h - 1u)) | ((team + 1u) & (h - 1u))) << 2) | (PD_LID & 3u));
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        w.yr[t] = __shfl_sync(FACTOR_ALL, w.yr[t], from);
#if FACTOR_COMPLEX
        w.yi[t] = __shfl_sync(FACTOR_ALL, w.yi[t], from);
#endif
    }
}

// Swaps y of a team with x of the one h teams further.
PD_FN void factor_pair_part(pd_f32 *x, pd_f32 *y, pd_u32 h)
{
    const bool upper = (PD_LID >> 2 & h) != 0u;
    const pd_f32 other = __shfl_xor_sync(FACTOR_ALL, upper ? *x : *y, (int)(4u * h));
    *x = upper ? other : *x;
    *y = upper ? *y : other;
}

// Moves all back to where they were before the sweep: of the bits of x or y and team, the last
// became first.
PD_FN void factor_pair_back(pd_f32 *x, pd_f32 *y, pd_u32 teams)
{
    const pd_u32 team = (PD_LID & 31u) >> 2;
    const pd_u32 from = (team & ~(teams - 1u)) | (team & (teams - 1u)) >> 1;
    const int to_x = (int)(from << 2 | (PD_LID & 3u)), to_y = to_x + (int)(2u * teams);
    const pd_f32 xx = __shfl_sync(FACTOR_ALL, *x, to_x), xy = __shfl_sync(FACTOR_ALL, *y, to_x);
    const pd_f32 yx = __shfl_sync(FACTOR_ALL, *x, to_y), yy = __shfl_sync(FACTOR_ALL, *y, to_y);
    *x = team & 1u ? xy : xx;
    *y = team & 1u ? yy : yx;
}

// After the rounds of h.
PD_FN void factor_pair_next(factor_pair &w, pd_u32 h, pd_u32 teams)
{
    if (h > 1u) {
#pragma unroll
        for (pd_u32 t = 0u; t < 4u; t++) {
            factor_pair_part(&w.xr[t], &w.yr[t], h / 2u);
#if FACTOR_COMPLEX
            factor_pair_part(&w.xi[t], &w.yi[t], h / 2u);
#endif
        }
    } else if (teams > 1u) {
#pragma unroll
        for (pd_u32 t = 0u; t < 4u; t++) {
            factor_pair_back(&w.xr[t], &w.yr[t], teams);
#if FACTOR_COMPLEX
            factor_pair_back(&w.xi[t], &w.yi[t], teams);
#endif
        }
    }
}

// A sweep by the first warp; its rotations go to `turns`, 3 numbers per team and 32 per round.
PD_FN pd_u32 factor_pair_sweep(factor_pair &w, pd_u32 teams, pd_u32 small, pd_f32 *turns)
{
    const pd_u32 line = PD_LID & 3u;
    pd_u32 turned = 0u;
    (void)line;
#pragma unroll 1
    for (pd_u32 h = teams; h > 0u; h >>= 1) {
#pragma unroll 1
        for (pd_u32 round = 0u; round < h; round++) {
            pd_f32 s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            factor_angle angle;
#pragma unroll
            for (pd_u32 t = 0u; t < 4u; t++)
                factor_products(w.xr[t], FACTOR_XI(w, t), w.yr[t], FACTOR_YI(w, t), s);
#pragma unroll
            for (pd_u32 step = 1u; step < 4u; step <<= 1) {
                pd_f32 other[4];
#pragma unroll
                for (pd_u32 q = 0u; q < 2u + FACTOR_PARTS; q++)
                    other[q] = __shfl_xor_sync(FACTOR_ALL, s[q], (int)step);
#pragma unroll
                for (pd_u32 q = 0u; q < 2u + FACTOR_PARTS; q++) s[q] += other[q];
            }
            angle = factor_pair_angle_of(s[0], s[1], s[2], s[3], small);
            turned |= angle.turn;
#if PD_FACTOR_VECTORS
            // No branch: the fourth lane of a team stores a dummy.
            turns[PD_LID] = line == 0u ? angle.c : line == 1u ? angle.re : angle.im;
            turns += 32;
#else
            (void)turns;
#endif
            factor_pair_turn(w, angle.c, angle.re, angle.im);
            factor_pair_on(w, h);
        }
        factor_pair_next(w, h, teams);
    }
    return __any_sync(FACTOR_ALL, (int)turned) ? 1u : 0u;
}

// The same for V, by the second warp.
PD_FN void factor_pair_follow(factor_pair &v, pd_u32 teams, const pd_f32 *turns)
{
#pragma unroll 1
    for (pd_u32 h = teams; h > 0u; h >>= 1) {
#pragma unroll 1
        for (pd_u32 round = 0u; round < h; round++, turns += 32) {
            const float4 turn = *(const float4 *)turns;
            factor_pair_turn(v, turn.x, turn.y, turn.z);
            factor_pair_on(v, h);
        }
        factor_pair_next(v, h, teams);
    }
}

PD_FN void factor_pair_put(const factor_pair &w, pd_f32 *to, pd_u32 x, pd_u32 y, pd_f32 x_by,
                           pd_f32 y_by)
{
    const pd_u32 line = PD_LID & 3u;
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        to[x * FACTOR_SMALL_PITCH + line + 4u * t] = w.xr[t] * x_by;
        to[y * FACTOR_SMALL_PITCH + line + 4u * t] = w.yr[t] * y_by;
#if FACTOR_COMPLEX
        to[(FACTOR_SMALL + x) * FACTOR_SMALL_PITCH + line + 4u * t] = w.xi[t] * x_by;
        to[(FACTOR_SMALL + y) * FACTOR_SMALL_PITCH + line + 4u * t] = w.yi[t] * y_by;
#endif
    }
}

// Columns x and y of matrix b, scaled; returns the biased exponent of the scale, 0 if a number is
// not finite. As factor_take(), but no load waits for another: all addresses are valid.
PD_FN pd_u32 factor_pair_take(factor_pair &w, const pd_f32 *a,
                              const padic_k_tensor_factor_params &k, pd_u32 b, pd_u32 x, pd_u32 y,
                              pd_u32 line)
{
    const bool hermitian = (k.flags & FACTOR_HERMITIAN) != 0u;
    const bool adjoint = (k.flags & FACTOR_ADJOINT) != 0u;
    const pd_f32 *const from = a + k.a_first + FACTOR_PARTS * (b * (pd_u32)k.a_batch);
    pd_f32 re[8], im[8], scale;
    pd_u32 at[8], largest = 0u;
#pragma unroll
    for (pd_u32 e = 0u; e < 8u; e++) {
        const pd_u32 i = line + e / 2u * 4u, j = e % 2u ? y : x;
        const bool upper = hermitian && i < j;
        const pd_u32 row = upper ? j : i, column = upper ? i : j;
        at[e] = row * (pd_u32)k.a_row + column * (pd_u32)k.a_column;
        at[e] = i < k.m && j < k.n ? at[e] : 0u;
    }
#pragma unroll
    for (pd_u32 e = 0u; e < 8u; e++) {
        re[e] = from[FACTOR_PARTS * at[e]];
        im[e] = FACTOR_COMPLEX ? from[FACTOR_PARTS * at[e] + 1u] : 0.0f;
    }
#pragma unroll
    for (pd_u32 e = 0u; e < 8u; e++) {
        const pd_u32 i = line + e / 2u * 4u, j = e % 2u ? y : x, t = e / 2u;
        const bool there = i < k.m && j < k.n;
        re[e] = there ? re[e] : 0.0f;
        im[e] = there && !(hermitian && i == j) ? im[e] : 0.0f;
        if (adjoint || (hermitian && i < j)) im[e] = -im[e];
        largest = (PD_AS_U32(re[e]) & 0x7fffffffu) > largest ? PD_AS_U32(re[e]) & 0x7fffffffu
                                                             : largest;
        largest = (PD_AS_U32(im[e]) & 0x7fffffffu) > largest ? PD_AS_U32(im[e]) & 0x7fffffffu
                                                             : largest;
        (e % 2u ? w.yr : w.xr)[t] = re[e];
#if FACTOR_COMPLEX
        (e % 2u ? w.yi : w.xi)[t] = im[e];
#endif
    }
    largest = factor_most<32>(largest);
    scale = PD_AS_F32(factor_power(largest) << 23);
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        w.xr[t] *= scale;
        w.yr[t] *= scale;
#if FACTOR_COMPLEX
        w.xi[t] *= scale;
        w.yi[t] *= scale;
#endif
    }
    return largest >= 0x7f800000u ? 0u : factor_power(largest);
}

// Makes a Hermitian matrix positive; returns the shift.
PD_FN pd_f32 factor_pair_shift(factor_pair &w, pd_u32 n, pd_u32 x, pd_u32 y, pd_u32 line)
{
    pd_f32 all = 0.0f, sum_x = 0.0f, sum_y = 0.0f, most, shift;
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        sum_x += PD_FABS(w.xr[t]);
        sum_y += PD_FABS(w.yr[t]);
        all = PD_FMA(w.xr[t], w.xr[t], PD_FMA(w.yr[t], w.yr[t], all));
#if FACTOR_COMPLEX
        sum_x += PD_FABS(w.xi[t]);
        sum_y += PD_FABS(w.yi[t]);
        all = PD_FMA(w.xi[t], w.xi[t], PD_FMA(w.yi[t], w.yi[t], all));
#endif
    }
    all = PD_SQRT(factor_warp_sum(all));
    sum_x += __shfl_xor_sync(FACTOR_ALL, sum_x, 1);
    sum_y += __shfl_xor_sync(FACTOR_ALL, sum_y, 1);
    sum_x += __shfl_xor_sync(FACTOR_ALL, sum_x, 2);
    sum_y += __shfl_xor_sync(FACTOR_ALL, sum_y, 2);
    most = PD_AS_F32(factor_most<32>(PD_AS_U32(sum_x > sum_y ? sum_x : sum_y)));
    shift = FACTOR_SHIFT * (all < most ? all : most);
    if (!(shift > 0.0f)) shift = 1.0f;
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        const pd_u32 i = line + 4u * t;
        if (i == x && i < n) w.xr[t] += shift;
        if (i == y && i < n) w.yr[t] += shift;
    }
    return shift;
}

// The lengths of a team's columns.
PD_FN void factor_pair_norms(const factor_pair &w, pd_f32 *x, pd_f32 *y)
{
    pd_f32 norm_x = 0.0f, norm_y = 0.0f;
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        norm_x = PD_FMA(w.xr[t], w.xr[t], norm_x);
        norm_y = PD_FMA(w.yr[t], w.yr[t], norm_y);
#if FACTOR_COMPLEX
        norm_x = PD_FMA(w.xi[t], w.xi[t], norm_x);
        norm_y = PD_FMA(w.yi[t], w.yi[t], norm_y);
#endif
    }
    norm_x += __shfl_xor_sync(FACTOR_ALL, norm_x, 1);
    norm_y += __shfl_xor_sync(FACTOR_ALL, norm_y, 1);
    *x = PD_SQRT(norm_x + __shfl_xor_sync(FACTOR_ALL, norm_x, 2));
    *y = PD_SQRT(norm_y + __shfl_xor_sync(FACTOR_ALL, norm_y, 2));
}
