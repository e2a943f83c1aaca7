// program: cuda_factor
// factor.cu: singular values and Hermitian eigenvalues of batches in F32 on NVIDIA's devices, their
// columns in registers, turned by warps. The twin of padic_k_factor_svd and _eigh; arguments mean
// the same.
//
// arch: sm_75
// variant: PD_FACTOR_VECTORS=0
// variant: PD_FACTOR_PARTS=1
// variant: PD_FACTOR_PARTS=1 PD_FACTOR_VECTORS=0
// variant: PD_FACTOR_ITEMS=128
// variant: PD_FACTOR_ITEMS=128 PD_FACTOR_VECTORS=0
//
// A matrix of up to 64 columns (32 when there are 128 items) is a group's: a warp has 8 columns,
// two blocks of 4, an item of it one row in 32 of each. Four pairs of columns are turned at a time:
// the sums over rows of all four are made together, 8 lanes find the angle of each. When all pairs
// of its two blocks have met, the warps pass blocks on by way of local memory. A matrix of up to 16
// columns is turned by one warp, 8 pairs at a time, 4 lanes each, and columns move by shuffles; a
// second warp turns V likewise, a sweep later.
//
// A Hermitian matrix is made positive by a multiple of 1, larger by half than a bound of its
// eigenvalues: its columns, turned until they are orthogonal, are its eigenvectors then, and their
// lengths its eigenvalues.
#ifndef PD_FACTOR_PARTS
#define PD_FACTOR_PARTS 2 // 1 real, 2 complex
#endif
#ifndef PD_FACTOR_VECTORS
#define PD_FACTOR_VECTORS 1 // 1: V, too
#endif
#ifndef PD_FACTOR_ITEMS
#define PD_FACTOR_ITEMS 256
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900 // compilers spill when two shall fit
#define FACTOR_GROUPS 1
#else
#define FACTOR_GROUPS 2
#endif
#define FACTOR_PARTS ((pd_u32)PD_FACTOR_PARTS)
#define FACTOR_COMPLEX (PD_FACTOR_PARTS == 2)
#define FACTOR_EPS 5.9604644775390625e-8f // 2^-24
#define FACTOR_LEAST 1e-30f
#define FACTOR_SHIFT 1.5f // of a Hermitian matrix, by a bound of its eigenvalues
#define FACTOR_ALL 0xffffffffu
#define FACTOR_MOST (PD_FACTOR_ITEMS / 4) // columns
#define FACTOR_ROWS (PD_FACTOR_ITEMS / 128) // of an item
#define FACTOR_WARPS (PD_FACTOR_ITEMS / 32)
#define FACTOR_PITCH (FACTOR_MOST + 1)
#define FACTOR_SMALL 16
#define FACTOR_SMALL_PITCH 17

// Bits of `flags`.
#define FACTOR_LEFT 1u
#define FACTOR_RIGHT 2u
#define FACTOR_VALUES 4u
#define FACTOR_ADJOINT 8u
#define FACTOR_RELATIVE 16u
#define FACTOR_HERMITIAN 32u // eigenvalues, vectors in x

typedef struct {
    pd_u32 batch, m, n, flags;
    pd_u32 a_first, x_first, y_first, w_first;
    pd_i32 a_batch, a_row, a_column;
    pd_i32 x_batch, x_row, x_column;
    pd_i32 y_batch, y_row, y_column;
    pd_i32 w_batch, w_row;
    pd_u32 i_first;
    pd_i32 i_step;
    pd_u32 not_finite, not_done;
} padic_k_cuda_factor_params;

// The numbers below are never so small that these would take them for 0, or it does not matter.
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

// 1 / sqrt(x), to one place. The square is exact: one that was rounded would leave all columns a
// little longer at each of thousands of turns.
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

// Of `width` lanes next to each other.
template <pd_u32 width> PD_FN pd_u32 factor_most(pd_u32 x)
{
#pragma unroll
    for (pd_u32 d = width / 2u; d > 0u; d >>= 1) {
        const pd_u32 y = __shfl_xor_sync(FACTOR_ALL, x, (int)d);
        x = x > y ? x : y;
    }
    return x;
}

// What turns columns x and y, (x, y) <- (c x - s conj(e) y, s e x + c y): c and s e. a and b are
// their squares, g is x^dagger y. Of those with an angle the longer one becomes x, or y.
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

// What there is to sum of one row of x and y.
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

// Number (i, j) of matrix b: 0 outside of it.
PD_FN void factor_take(const pd_f32 *a, const padic_k_cuda_factor_params &k, pd_u32 b, pd_u32 i,
                       pd_u32 j, pd_f32 *re, pd_f32 *im)
{
    const bool there = i < k.m && j < k.n, upper = (k.flags & FACTOR_HERMITIAN) != 0u && i < j;
    const pd_u32 row = upper ? j : i, column = upper ? i : j;
    const pd_u32 at = k.a_first + FACTOR_PARTS * (b * (pd_u32)k.a_batch + row * (pd_u32)k.a_row +
                                                  column * (pd_u32)k.a_column);
    *re = there ? a[at] : 0.0f;
    *im = 0.0f;
#if FACTOR_COMPLEX
    if (there) *im = a[at + 1u];
    if (upper || (k.flags & FACTOR_ADJOINT) != 0u) *im = -*im;
    if ((k.flags & FACTOR_HERMITIAN) != 0u && i == j) *im = 0.0f;
#endif
}

// The exponent (biased) of the power of 2 that brings numbers of this size to about 1.
PD_FN pd_u32 factor_power(pd_u32 largest)
{
    const pd_u32 power = 254u - (largest >> 23);
    return power > 253u ? 253u : power < 1u ? 1u : power;
}

// Columns `rank` to n - 1 of w become unit vectors orthogonal to all before, by one warp: of the
// axes the one that those before cover least, orthogonalised twice.
PD_FN void factor_complete(pd_f32 *w, pd_u32 pitch, pd_u32 plane, pd_u32 m, pd_u32 n, pd_u32 rank)
{
    const pd_u32 lane = PD_LID & 31u;
    for (pd_u32 place = rank; place < n; place++) {
        pd_f32 *const column = w + place * pitch;
        pd_u32 least = 0xffffffffu;
        pd_f32 norm = 0.0f;
        for (pd_u32 i = lane; i < m; i += 32u) {
            pd_f32 covered = 0.0f;
            for (pd_u32 j = 0u; j < place; j++) {
                const pd_f32 *const other = w + j * pitch + i;
                covered = PD_FMA(other[0], other[0], covered);
#if FACTOR_COMPLEX
                covered = PD_FMA(other[plane], other[plane], covered);
#endif
            }
            covered = covered > 4.0f ? 4.0f : covered;
            {
                const pd_u32 word = (PD_AS_U32(covered) & ~63u) | i; // rows by coverage
                least = word < least ? word : least;
            }
        }
        least = ~factor_most<32>(~least) & 63u;
        for (pd_u32 i = lane; i < m; i += 32u) {
            column[i] = i == least ? 1.0f : 0.0f;
#if FACTOR_COMPLEX
            column[plane + i] = 0.0f;
#endif
        }
        for (pd_u32 again = 0u; again < 2u; again++)
            for (pd_u32 j = 0u; j < place; j++) {
                const pd_f32 *const other = w + j * pitch;
                pd_f32 gre = 0.0f, gim = 0.0f;
                for (pd_u32 i = lane; i < m; i += 32u) {
                    gre = PD_FMA(other[i], column[i], gre);
#if FACTOR_COMPLEX
                    gre = PD_FMA(other[plane + i], column[plane + i], gre);
                    gim = PD_FMA(other[i], column[plane + i], gim);
                    gim = PD_FMA(-other[plane + i], column[i], gim);
#endif
                }
                gre = factor_warp_sum(gre);
                gim = factor_warp_sum(gim);
                for (pd_u32 i = lane; i < m; i += 32u) {
                    column[i] = PD_FMA(-gre, other[i], column[i]);
#if FACTOR_COMPLEX
                    column[i] = PD_FMA(gim, other[plane + i], column[i]);
                    column[plane + i] = PD_FMA(-gre, other[plane + i], column[plane + i]);
                    column[plane + i] = PD_FMA(-gim, other[i], column[plane + i]);
#endif
                }
            }
        for (pd_u32 i = lane; i < m; i += 32u) {
            norm = PD_FMA(column[i], column[i], norm);
#if FACTOR_COMPLEX
            norm = PD_FMA(column[plane + i], column[plane + i], norm);
#endif
        }
        norm = 1.0f / PD_SQRT(factor_warp_sum(norm));
        for (pd_u32 i = lane; i < m; i += 32u) {
            column[i] *= norm;
#if FACTOR_COMPLEX
            column[plane + i] *= norm;
#endif
        }
        __syncwarp();
    }
}

// A column times the phase that makes its largest number (of several the first within 2^-19) real
// and positive, by `width` lanes; all of the warp call it, those without a column with m = 0. No
// column has more than `rows` numbers.
template <pd_u32 width, pd_u32 rows>
PD_FN void factor_phase(pd_f32 *column, pd_u32 plane, pd_u32 m, pd_f32 *phase)
{
    const pd_u32 lane = PD_LID & (width - 1u);
    pd_u32 most = 0u, first = 0xffffffffu;
    pd_f32 pre = 1.0f, pim = 0.0f;
#pragma unroll
    for (pd_u32 i = lane; i < rows; i += width) {
        if (i >= m) continue;
        pd_f32 square = column[i] * column[i];
#if FACTOR_COMPLEX
        square = PD_FMA(column[plane + i], column[plane + i], square);
#endif
        most = PD_AS_U32(square) > most ? PD_AS_U32(square) : most;
    }
    most = factor_most<width>(most);
#pragma unroll
    for (pd_u32 i = lane; i < rows; i += width) {
        if (i >= m) continue;
        pd_f32 square = column[i] * column[i];
#if FACTOR_COMPLEX
        square = PD_FMA(column[plane + i], column[plane + i], square);
#endif
        if (square * 1.0000019073486328125f >= PD_AS_F32(most) && i < first) first = i;
    }
    first = ~factor_most<width>(~first);
    if (first < m) pre = column[first];
#if FACTOR_COMPLEX
    if (first < m) pim = column[plane + first];
    {
        const pd_f32 by = factor_inverse_root(PD_FMA(pre, pre, pim * pim));
        pre *= by;
        pim *= by;
    }
#else
    pre = pre < 0.0f ? -1.0f : 1.0f;
#endif
    __syncwarp(); // all have read it
#pragma unroll
    for (pd_u32 i = lane; i < rows; i += width) {
        if (i >= m) continue;
        const pd_f32 re = column[i];
#if FACTOR_COMPLEX
        const pd_f32 im = column[plane + i];
        column[i] = PD_FMA(re, pre, im * pim);
        column[plane + i] = i == first ? 0.0f : PD_FMA(im, pre, -re * pim);
#else
        column[i] = re * pre;
#endif
    }
    if (lane == 0u && m > 0u) {
        phase[0] = pre;
        phase[1] = pim;
    }
}

// Whether a value times the factor back is not finite.
PD_FN bool factor_beyond(const padic_k_cuda_factor_params &k, pd_f32 value, pd_f32 by)
{
    return (k.flags & FACTOR_VALUES) != 0u && !(PD_FABS(value * by) <= 3.402823466e38f);
}

// m x n numbers, of at most `size` each way, from w to a tensor, by `items`; neighbours along its
// shorter step.
template <pd_u32 size, pd_u32 items>
PD_FN void factor_give(const pd_f32 *w, pd_u32 pitch, pd_u32 plane, pd_u32 m, pd_u32 n, pd_f32 *out,
                       pd_u32 first, pd_i32 row, pd_i32 column, pd_f32 sign)
{
    const pd_u32 down = row < 0 ? 0u - (pd_u32)row : (pd_u32)row;
    const pd_u32 across = column < 0 ? 0u - (pd_u32)column : (pd_u32)column;
    const bool turned = across < down;
#pragma unroll 4
    for (pd_u32 e = PD_LID; e < size * size; e += items) {
        const pd_u32 i = turned ? e / size : e % size, j = turned ? e % size : e / size;
        if (i >= m || j >= n) continue;
        pd_f32 *const to = out + first + FACTOR_PARTS * (i * (pd_u32)row + j * (pd_u32)column);
        to[0] = w[j * pitch + i];
#if FACTOR_COMPLEX
        to[1] = sign * w[plane + j * pitch + i];
#else
        (void)sign;
        (void)plane;
#endif
    }
}

// Where value j of n comes, descending or ascending; equal ones in their order.
template <pd_u32 most>
PD_FN pd_u32 factor_place(const pd_f32 *values, pd_u32 n, pd_u32 j, bool ascending)
{
    pd_u32 place = 0u;
#pragma unroll 16
    for (pd_u32 i = 0u; i < most; i++) {
        const pd_f32 x = ascending ? values[j] : values[i];
        const pd_f32 y = ascending ? values[i] : values[j];
        if (i < n && (x > y || (!(x < y) && i < j))) place += 1u;
    }
    return place;
}

// Players of a tournament, two a team: the first stays, the others go round by one place a round.
// Whether x comes before y, in an order that is always the same: that of places in round 0.
PD_FN bool factor_first(pd_u32 teams, pd_u32 team, pd_u32 round)
{
    const pd_u32 ring = 2u * teams - 1u;
    const pd_u32 x = (team + ring - 1u - round) % ring;
    const pd_u32 y = (2u * ring - 1u - team - round) % ring;
    return team == 0u || x < y;
}

// ---- a matrix a group

// Columns of an item; x is columns 0 to 3 of a warp's, y 4 to 7.
typedef struct {
    pd_f32 re[8][FACTOR_ROWS];
#if FACTOR_COMPLEX
    pd_f32 im[8][FACTOR_ROWS];
#endif
} factor_columns;

#if FACTOR_COMPLEX
#define FACTOR_IM(w, c, t) w.im[c][t]
#else
#define FACTOR_IM(w, c, t) w.re[c][t] // not used
#endif

// Sums over the warp of 16 numbers: lane L has number L / 2 of them.
PD_FN pd_f32 factor_sums(pd_f32 *s)
{
    const pd_u32 lane = PD_LID & 31u;
#pragma unroll
    for (pd_u32 half = 8u; half > 0u; half >>= 1) {
        const bool upper = (lane & (half * 2u)) != 0u;
#pragma unroll
        for (pd_u32 i = 0u; i < half; i++) {
            const pd_f32 send = upper ? s[i] : s[i + half], keep = upper ? s[i + half] : s[i];
            s[i] = keep + __shfl_xor_sync(FACTOR_ALL, send, (int)(half * 2u));
        }
    }
    return s[0] + __shfl_xor_sync(FACTOR_ALL, s[0], 1);
}

// Turns columns i and i + 4, i < 4.
PD_FN pd_u32 factor_round(factor_columns &w, factor_columns &v, bool in_order,
                          pd_f32 tolerance)
{
    const pd_u32 lane = PD_LID & 31u, first = lane & 24u;
    pd_f32 s[16], sum;
    factor_angle angle;
#pragma unroll
    for (pd_u32 p = 0u; p < 4u; p++) {
        s[4u * p] = s[4u * p + 1u] = s[4u * p + 2u] = s[4u * p + 3u] = 0.0f;
#pragma unroll
        for (pd_u32 t = 0u; t < FACTOR_ROWS; t++)
            factor_products(w.re[p][t], FACTOR_IM(w, p, t), w.re[p + 4u][t],
                            FACTOR_IM(w, p + 4u, t), s + 4u * p);
    }
    sum = factor_sums(s);
    angle = factor_angle_of(__shfl_sync(FACTOR_ALL, sum, (int)first),
                            __shfl_sync(FACTOR_ALL, sum, (int)(first + 2u)),
                            __shfl_sync(FACTOR_ALL, sum, (int)(first + 4u)),
                            __shfl_sync(FACTOR_ALL, sum, (int)(first + 6u)), in_order, tolerance);
    if (!__any_sync(FACTOR_ALL, (int)angle.turn)) return 0u;
#pragma unroll
    for (pd_u32 p = 0u; p < 4u; p++) {
        const pd_f32 c = __shfl_sync(FACTOR_ALL, angle.c, (int)(8u * p));
        const pd_f32 re = __shfl_sync(FACTOR_ALL, angle.re, (int)(8u * p));
#if FACTOR_COMPLEX
        const pd_f32 im = __shfl_sync(FACTOR_ALL, angle.im, (int)(8u * p));
#else
        const pd_f32 im = 0.0f;
#endif
#pragma unroll
        for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
            factor_turn(c, re, im, &w.re[p][t], &FACTOR_IM(w, p, t), &w.re[p + 4u][t],
                        &FACTOR_IM(w, p + 4u, t));
#if PD_FACTOR_VECTORS
            factor_turn(c, re, im, &v.re[p][t], &FACTOR_IM(v, p, t), &v.re[p + 4u][t],
                        &FACTOR_IM(v, p + 4u, t));
#endif
        }
    }
    return 1u;
}

// Column 0 stays, the others go round: after 7 times every pair has met. Or 4 to 7 go round.
PD_FN void factor_go_round(pd_f32 (&x)[8][FACTOR_ROWS], bool all)
{
#pragma unroll
    for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
        const pd_f32 y0 = x[4][t];
        x[4][t] = x[5][t];
        x[5][t] = x[6][t];
        x[6][t] = x[7][t];
        x[7][t] = y0;
        if (all) {
            x[7][t] = x[3][t];
            x[3][t] = x[2][t];
            x[2][t] = x[1][t];
            x[1][t] = y0;
        }
    }
}

// Blocks go round the warps, the first stays. All have read `space`; they may still do so after.
PD_FN void factor_pass(factor_columns &w, pd_f32 *space, pd_u32 warps)
{
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5, last = warps - 1u;
    const pd_u32 to_x = warp == 0u ? 0u : warp == last ? 2u * last + 1u : 2u * warp + 2u;
    const pd_u32 to_y = warp == 0u ? 2u : 2u * warp - 1u;
    const pd_u32 block = 4u * FACTOR_ROWS * 32u * FACTOR_PARTS;
    pd_f32 *to = space + lane;
    if (warp < warps) {
#pragma unroll
        for (pd_u32 c = 0u; c < 8u; c++)
#pragma unroll
            for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                pd_f32 *const cell = to + (c < 4u ? to_x : to_y) * block +
                                     (c % 4u * FACTOR_ROWS + t) * (32u * FACTOR_PARTS);
                cell[0] = w.re[c][t];
#if FACTOR_COMPLEX
                cell[32] = w.im[c][t];
#endif
            }
    }
    __syncthreads();
    if (warp < warps) {
#pragma unroll
        for (pd_u32 c = 0u; c < 8u; c++)
#pragma unroll
            for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                const pd_f32 *const cell = to + (2u * warp + c / 4u) * block +
                                           (c % 4u * FACTOR_ROWS + t) * (32u * FACTOR_PARTS);
                w.re[c][t] = cell[0];
#if FACTOR_COMPLEX
                w.im[c][t] = cell[32];
#endif
            }
    }
}

// Sweeps until all columns are orthogonal. 0 when 30 are not enough.
PD_FN pd_u32 factor_sweeps(factor_columns &w, factor_columns &v, pd_u32 n, pd_f32 tolerance,
                           pd_f32 *space)
{
    const pd_u32 warps = (n + 7u) / 8u, warp = PD_LID >> 5;
    pd_u32 turned = 1u;
    for (pd_u32 sweep = 0u; sweep < 30u && turned != 0u; sweep++) {
        turned = 0u;
#pragma unroll 1
        for (pd_u32 step = 0u; step + 1u < 2u * warps; step++) {
            const bool all = step == 0u, in_order = factor_first(warps, warp, step);
#pragma unroll 1
            for (pd_u32 round = 0u; round < (all ? 7u : 4u) && warp < warps; round++) {
                const bool first = all ? factor_first(4u, (PD_LID & 31u) >> 3, round) : in_order;
                turned |= factor_round(w, v, first, tolerance);
                factor_go_round(w.re, all);
#if FACTOR_COMPLEX
                factor_go_round(w.im, all);
#endif
#if PD_FACTOR_VECTORS
                factor_go_round(v.re, all);
#if FACTOR_COMPLEX
                factor_go_round(v.im, all);
#endif
#endif
            }
            if (warps == 1u) break;
            __syncthreads();
            factor_pass(w, space, warps);
#if PD_FACTOR_VECTORS
            __syncthreads();
            factor_pass(v, space, warps);
#endif
        }
        turned = (pd_u32)__syncthreads_or((int)turned);
    }
    return turned == 0u ? 1u : 0u;
}

// The items' columns to local memory, each at its place, times `by[column]`.
PD_FN void factor_put(const factor_columns &w, const pd_u32 *places, const pd_f32 *by, pd_f32 *to)
{
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5;
#pragma unroll
    for (pd_u32 c = 0u; c < 8u; c++) {
        const pd_u32 column = warp * 8u + c;
        const pd_f32 scale = by ? by[column] : 1.0f;
#pragma unroll
        for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
            const pd_u32 at = places[column] * FACTOR_PITCH + lane + 32u * t;
            to[at] = w.re[c][t] * scale;
#if FACTOR_COMPLEX
            to[FACTOR_MOST * FACTOR_PITCH + at] = w.im[c][t] * scale;
#endif
        }
    }
}

// By the phases of another matrix.
template <pd_u32 size, pd_u32 items>
PD_FN void factor_follow(pd_f32 *w, pd_u32 pitch, pd_u32 plane, pd_u32 m, pd_u32 n,
                         const pd_f32 *phases)
{
#pragma unroll 4
    for (pd_u32 e = PD_LID; e < size * n; e += items) {
        const pd_u32 place = e / size, at = place * pitch + e % size;
        if (e % size >= m) continue;
        const pd_f32 re = w[at], pre = phases[2u * place];
#if FACTOR_COMPLEX
        const pd_f32 im = w[plane + at], pim = phases[2u * place + 1u];
        w[at] = PD_FMA(re, pre, im * pim);
        w[plane + at] = PD_FMA(im, pre, -re * pim);
#else
        (void)plane;
        w[at] = re * pre;
#endif
    }
}

PD_KERNEL_MIN(padic_k_cuda_factor_columns, PD_FACTOR_ITEMS, FACTOR_GROUPS)
(PD_CBUF(pd_f32, a), PD_BUF(pd_f32, x), PD_BUF(pd_f32, y), PD_BUF(pd_f32, out),
 PD_BUF(pd_u32, info), PD_PARAMS(padic_k_cuda_factor_params, k))
{
    PD_LOCAL pd_f32 space[FACTOR_MOST * FACTOR_PITCH * PD_FACTOR_PARTS];
    PD_LOCAL pd_f32 values[FACTOR_MOST];
    PD_LOCAL pd_f32 scales[FACTOR_MOST];
    PD_LOCAL pd_f32 phases[2 * FACTOR_MOST];
    PD_LOCAL pd_u32 places[FACTOR_MOST];
    PD_LOCAL pd_f32 part[2 * FACTOR_WARPS];
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5, plane = FACTOR_MOST * FACTOR_PITCH;
    const bool hermitian = (k.flags & FACTOR_HERMITIAN) != 0u;
    const bool adjoint = (k.flags & FACTOR_ADJOINT) != 0u;
    const bool wanted = (k.flags & (FACTOR_LEFT | FACTOR_RIGHT)) != 0u;
    for (pd_u32 b = PD_GRP; b < k.batch; b += PD_NGRP) {
        factor_columns w, v;
        pd_u32 largest = 0u, good, rank;
        pd_f32 scale, shift = 0.0f, limit, by;
#pragma unroll
        for (pd_u32 c = 0u; c < 8u; c++)
#pragma unroll
            for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                const pd_u32 i = lane + 32u * t, j = warp * 8u + c;
                pd_f32 re, im;
                factor_take(a, k, b, i, j, &re, &im);
                w.re[c][t] = re;
                largest = (PD_AS_U32(re) & 0x7fffffffu) > largest ? PD_AS_U32(re) & 0x7fffffffu
                                                                  : largest;
#if FACTOR_COMPLEX
                w.im[c][t] = im;
                largest = (PD_AS_U32(im) & 0x7fffffffu) > largest ? PD_AS_U32(im) & 0x7fffffffu
                                                                  : largest;
#endif
#if PD_FACTOR_VECTORS
                v.re[c][t] = i == j ? 1.0f : 0.0f;
#if FACTOR_COMPLEX
                v.im[c][t] = 0.0f;
#endif
#endif
            }
        largest = factor_most<32>(largest);
        __syncthreads(); // of the matrix before all has been read
        if (lane == 0u) part[warp] = PD_AS_F32(largest);
        __syncthreads();
        for (pd_u32 i = 0u; i < FACTOR_WARPS; i++)
            largest = PD_AS_U32(part[i]) > largest ? PD_AS_U32(part[i]) : largest;
        if (largest >= 0x7f800000u) {
            if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = k.not_finite;
            continue; // the whole group
        }
        scale = PD_AS_F32(factor_power(largest) << 23);
#pragma unroll
        for (pd_u32 c = 0u; c < 8u; c++)
#pragma unroll
            for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                w.re[c][t] *= scale;
#if FACTOR_COMPLEX
                w.im[c][t] *= scale;
#endif
            }
        if (hermitian) { // the largest sum of sizes in a column, or sqrt of the sum of squares
            pd_f32 most = 0.0f, all = 0.0f;
#pragma unroll
            for (pd_u32 c = 0u; c < 8u; c++) {
                pd_f32 sum = 0.0f;
#pragma unroll
                for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                    sum += PD_FABS(w.re[c][t]);
                    all = PD_FMA(w.re[c][t], w.re[c][t], all);
#if FACTOR_COMPLEX
                    sum += PD_FABS(w.im[c][t]);
                    all = PD_FMA(w.im[c][t], w.im[c][t], all);
#endif
                }
                sum = factor_warp_sum(sum);
                most = sum > most ? sum : most;
            }
            all = factor_warp_sum(all);
            __syncthreads();
            if (lane == 0u) {
                part[warp] = most;
                part[FACTOR_WARPS + warp] = all;
            }
            __syncthreads();
            all = 0.0f;
            for (pd_u32 i = 0u; i < FACTOR_WARPS; i++) {
                most = part[i] > most ? part[i] : most;
                all += part[FACTOR_WARPS + i];
            }
            all = PD_SQRT(all);
            shift = FACTOR_SHIFT * (all < most ? all : most);
            if (!(shift > 0.0f)) shift = 1.0f;
#pragma unroll
            for (pd_u32 c = 0u; c < 8u; c++)
#pragma unroll
                for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                    const pd_u32 i = lane + 32u * t;
                    if (i == warp * 8u + c && i < k.n) w.re[c][t] += shift;
                }
        }
        good = factor_sweeps(w, v, k.n,
                             (pd_f32)((hermitian ? k.n / 4u : k.n) + 8u) * FACTOR_EPS, space);
#pragma unroll
        for (pd_u32 c = 0u; c < 8u; c++) {
            pd_f32 norm = 0.0f;
#pragma unroll
            for (pd_u32 t = 0u; t < FACTOR_ROWS; t++) {
                norm = PD_FMA(w.re[c][t], w.re[c][t], norm);
#if FACTOR_COMPLEX
                norm = PD_FMA(w.im[c][t], w.im[c][t], norm);
#endif
            }
            norm = PD_SQRT(factor_warp_sum(norm));
            if (lane == 0u) values[warp * 8u + c] = norm;
        }
        __syncthreads();
        by = PD_AS_F32(((k.flags & FACTOR_RELATIVE) != 0u ? 127u : 254u - factor_power(largest))
                       << 23);
        if (__syncthreads_or(PD_LID < k.n && factor_beyond(k, values[PD_LID] - shift, by))) {
            if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = k.not_finite;
            continue;
        }
        if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = good ? 0u : k.not_done;
        if (PD_LID < FACTOR_MOST) {
            const pd_u32 place =
                PD_LID < k.n ? factor_place<FACTOR_MOST>(values, k.n, PD_LID, hermitian)
                               : PD_LID;
            places[PD_LID] = place;
            if (PD_LID < k.n && (k.flags & FACTOR_VALUES) != 0u)
                out[k.w_first + b * (pd_u32)k.w_batch + place * (pd_u32)k.w_row] =
                    (values[PD_LID] - shift) * by;
            if (place == 0u) part[0] = values[PD_LID];
        }
        if (!wanted) continue;
        __syncthreads();
        limit = hermitian ? 0.0f : 2.0f * FACTOR_EPS * (pd_f32)k.m * part[0];
        rank = (pd_u32)__syncthreads_count(PD_LID < k.n && values[PD_LID] > limit);
        if (PD_LID < FACTOR_MOST)
            scales[PD_LID] = values[PD_LID] > limit ? 1.0f / values[PD_LID] : 0.0f;
        __syncthreads();
#pragma unroll 1
        for (pd_u32 turn = 0u; turn < 2u; turn++) { // first the matrix that has the phases
            const bool right = (turn != 0u) != adjoint;
            const pd_u32 rows = right ? k.n : k.m;
            if (right && hermitian) break;
#if PD_FACTOR_VECTORS
            if (right)
                factor_put(v, places, 0, space);
            else
#endif
                factor_put(w, places, scales, space);
            __syncthreads();
            if (!right && rank < k.n) {
                if (warp == 0u)
                    factor_complete(space, FACTOR_PITCH, plane, k.m, k.n, rank);
                __syncthreads();
            }
            if (turn == 0u)
                for (pd_u32 place = warp; place < k.n; place += FACTOR_WARPS)
                    factor_phase<32, FACTOR_MOST>(space + place * FACTOR_PITCH, plane, rows,
                                     phases + 2u * place);
            else
                factor_follow<FACTOR_MOST, PD_FACTOR_ITEMS>(space, FACTOR_PITCH, plane, rows, k.n,
                                                            phases);
            __syncthreads();
            if (right && (k.flags & FACTOR_RIGHT) != 0u)
                factor_give<FACTOR_MOST, PD_FACTOR_ITEMS>(
                    space, FACTOR_PITCH, plane, rows, k.n, y,
                    k.y_first + FACTOR_PARTS * b * (pd_u32)k.y_batch, k.y_row, k.y_column,
                    adjoint ? 1.0f : -1.0f);
            if (!right && (k.flags & FACTOR_LEFT) != 0u)
                factor_give<FACTOR_MOST, PD_FACTOR_ITEMS>(
                    space, FACTOR_PITCH, plane, rows, k.n, x,
                    k.x_first + FACTOR_PARTS * b * (pd_u32)k.x_batch, k.x_row, k.x_column,
                    adjoint ? -1.0f : 1.0f);
            __syncthreads();
        }
    }
}

// ---- a matrix for two warps

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

// As factor_angle_of() for x before y: the longer one becomes x. With d = |b - a| and h^2 = d^2 +
// 4 |g|^2, t is 2 |g| / (d + h). Whether there is an angle is known early, by logarithms: the bits
// of a number are about 2^23 times that, to 0.09. `small` is -2 times that of the tolerance.
PD_FN factor_angle factor_pair_angle_of(pd_f32 a, pd_f32 b, pd_f32 gre, pd_f32 gim, pd_u32 small)
{
    factor_angle result;
    const pd_f32 most = fmaxf(PD_FABS(gre), PD_FABS(gim));
    const bool turn =
        2u * PD_AS_U32(most) + small > PD_AS_U32(a) + PD_AS_U32(b) && most > FACTOR_LEAST;
    // By a power of 2 that brings the longer one to about 1. If |g|^2 is 0 then, so is the angle.
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

// Columns go from place to place so that in a sweep all pairs meet, the first one always as x. With
// 2 h columns in h teams, h rounds in which y goes on by a team: each x has met each y. Then half
// of these teams have what was x, half what was y, and so on with h / 2.
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

// y of a team and x of that which is h teams on change places.
PD_FN void factor_pair_part(pd_f32 *x, pd_f32 *y, pd_u32 h)
{
    const bool upper = (PD_LID >> 2 & h) != 0u;
    const pd_f32 other = __shfl_xor_sync(FACTOR_ALL, upper ? *x : *y, (int)(4u * h));
    *x = upper ? other : *x;
    *y = upper ? *y : other;
}

// All to where they were before the sweep: of the bits of x or y and team, the last became first.
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

// A sweep by the first warp; what it turned to `turns`, a team's 3 numbers and a round's 32.
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
            // No branch: the fourth lane of a team has nothing to say and says it.
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

// The same of V, by the second warp.
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

// Columns x and y of matrix b, scaled; the biased exponent of the scale, 0 when a number is not
// finite. As factor_take(), but that no load waits for another: all are made, somewhere.
PD_FN pd_u32 factor_pair_take(factor_pair &w, const pd_f32 *a, const padic_k_cuda_factor_params &k,
                              pd_u32 b, pd_u32 x, pd_u32 y, pd_u32 line)
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

// Makes a Hermitian matrix positive; by how much.
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

PD_KERNEL_MIN(padic_k_cuda_factor_small, 64, 4)
(PD_CBUF(pd_f32, a), PD_BUF(pd_f32, x), PD_BUF(pd_f32, y), PD_BUF(pd_f32, out),
 PD_BUF(pd_u32, info), PD_PARAMS(padic_k_cuda_factor_params, k))
{
    PD_LOCAL pd_f32 space[2][FACTOR_SMALL * FACTOR_SMALL_PITCH * PD_FACTOR_PARTS]; // W, V
    PD_LOCAL __align__(16) pd_f32 turns[2][32 * (FACTOR_SMALL - 1)]; // of a sweep
    PD_LOCAL pd_f32 values[FACTOR_SMALL];
    PD_LOCAL pd_f32 phases[2 * FACTOR_SMALL];
    PD_LOCAL pd_u32 said[3]; // by the first warp: the scale; whether a sweep has turned
    const pd_u32 warp = PD_LID >> 5, lane = PD_LID & 31u, team = lane >> 2, line = lane & 3u;
    const pd_u32 plane = FACTOR_SMALL * FACTOR_SMALL_PITCH;
    const pd_u32 teams = k.n > 8u ? 8u : k.n > 4u ? 4u : k.n > 2u ? 2u : 1u;
    // Columns of a team; those that have none take zeros.
    const pd_u32 own_x = (team & ~(teams - 1u)) << 1 | (team & (teams - 1u)), own_y = own_x + teams;
    const bool hermitian = (k.flags & FACTOR_HERMITIAN) != 0u;
    const bool adjoint = (k.flags & FACTOR_ADJOINT) != 0u;
    const bool wanted = (k.flags & (FACTOR_LEFT | FACTOR_RIGHT)) != 0u;
    const pd_u32 small =
        2u * (0x3f800000u - PD_AS_U32((pd_f32)(k.n + 8u) * (FACTOR_EPS * 0.70710678f)));
    for (pd_u32 b = PD_GRP; b < k.batch; b += PD_NGRP) {
        factor_pair w; // of the second warp: V
        pd_u32 turned = 1u, power, rank, place_x, place_y;
        pd_f32 shift = 0.0f, norm_x = 0.0f, norm_y = 0.0f, limit, by;
        __syncthreads(); // nothing of the matrix before is read any more
        if (warp == 0u) {
            power = factor_pair_take(w, a, k, b, own_x, own_y, line);
            if (hermitian) shift = factor_pair_shift(w, k.n, own_x, own_y, line);
            if (lane == 0u) said[0] = power;
        } else {
#pragma unroll
            for (pd_u32 t = 0u; t < 4u; t++) {
                w.xr[t] = line + 4u * t == own_x ? 1.0f : 0.0f;
                w.yr[t] = line + 4u * t == own_y ? 1.0f : 0.0f;
#if FACTOR_COMPLEX
                w.xi[t] = w.yi[t] = 0.0f;
#endif
            }
        }
        __syncthreads();
        power = said[0];
        if (power == 0u) {
            if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = k.not_finite;
            continue;
        }
        // The second warp is a sweep behind; the one that turns nothing is not to be repeated.
        for (pd_u32 sweep = 0u; sweep < 31u && turned != 0u; sweep++) {
            if (warp == 0u && sweep < 30u) {
                const pd_u32 any = factor_pair_sweep(w, teams, small, turns[sweep & 1u]);
                if (lane == 0u) said[1u + (sweep & 1u)] = any;
            }
#if PD_FACTOR_VECTORS
            if (warp != 0u && sweep > 0u)
                factor_pair_follow(w, teams, turns[(sweep - 1u) & 1u] + 4u * team);
#endif
            __syncthreads();
            if (sweep < 30u) turned = said[1u + (sweep & 1u)];
        }
        if (warp == 0u) {
            factor_pair_norms(w, &norm_x, &norm_y);
            if (line == 0u) {
                values[own_x] = norm_x;
                values[own_y] = norm_y;
            }
        }
        by = PD_AS_F32(((k.flags & FACTOR_RELATIVE) != 0u ? 127u : 254u - power) << 23);
        if (__syncthreads_or(warp == 0u &&
                             ((own_x < k.n && factor_beyond(k, norm_x - shift, by)) ||
                              (own_y < k.n && factor_beyond(k, norm_y - shift, by))))) {
            if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = k.not_finite;
            continue;
        }
        if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = turned ? k.not_done : 0u;
        place_x = own_x;
        place_y = own_y;
        if (place_x < k.n) place_x = factor_place<FACTOR_SMALL>(values, k.n, place_x, hermitian);
        if (place_y < k.n) place_y = factor_place<FACTOR_SMALL>(values, k.n, place_y, hermitian);
        if (warp == 0u && line < 2u && (line ? own_y : own_x) < k.n &&
            (k.flags & FACTOR_VALUES) != 0u)
            out[k.w_first + b * (pd_u32)k.w_batch +
                (line ? place_y : place_x) * (pd_u32)k.w_row] =
                ((line ? norm_y : norm_x) - shift) * by;
        if (!wanted) continue;
        limit = PD_AS_F32(factor_most<32>(PD_AS_U32(lane < k.n ? values[lane & 15u] : 0.0f)));
        limit = hermitian ? 0.0f : 2.0f * FACTOR_EPS * (pd_f32)k.m * limit;
        rank = PD_POPCOUNT(__ballot_sync(FACTOR_ALL, lane < k.n && values[lane & 15u] > limit));
        if (warp == 0u) {
            norm_x = norm_x > limit ? 1.0f / norm_x : 0.0f;
            norm_y = norm_y > limit ? 1.0f / norm_y : 0.0f;
            factor_pair_put(w, space[0], place_x, place_y, norm_x, norm_y);
            __syncwarp();
            if (rank < k.n)
                factor_complete(space[0], FACTOR_SMALL_PITCH, plane, k.m, k.n, rank);
        } else {
            factor_pair_put(w, space[1], place_x, place_y, 1.0f, 1.0f);
        }
        __syncthreads();
        factor_phase<4, FACTOR_SMALL>(space[adjoint] + (PD_LID >> 2) * FACTOR_SMALL_PITCH, plane,
                                      PD_LID >> 2 >= k.n ? 0u : adjoint ? k.n : k.m,
                                      phases + 2u * (PD_LID >> 2)); // of who has the phases
        __syncthreads();
        factor_follow<FACTOR_SMALL, 64u>(space[!adjoint], FACTOR_SMALL_PITCH, plane,
                                         adjoint ? k.m : k.n, k.n, phases);
        __syncthreads();
        if ((k.flags & FACTOR_LEFT) != 0u)
            factor_give<FACTOR_SMALL, 64u>(
                space[0], FACTOR_SMALL_PITCH, plane, k.m, k.n, x,
                k.x_first + FACTOR_PARTS * b * (pd_u32)k.x_batch, k.x_row, k.x_column,
                adjoint ? -1.0f : 1.0f);
        if ((k.flags & FACTOR_RIGHT) != 0u)
            factor_give<FACTOR_SMALL, 64u>(
                space[1], FACTOR_SMALL_PITCH, plane, k.n, k.n, y,
                k.y_first + FACTOR_PARTS * b * (pd_u32)k.y_batch, k.y_row, k.y_column,
                adjoint ? 1.0f : -1.0f);
    }
}
