// factor_columns.cu: one matrix per group, 8 columns per warp.

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

// Rotates columns i and i + 4, i < 4.
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

// Column 0 stays, the others move on: after 7 times every pair has met. Or 4 to 7 move on.
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

// Blocks move on around the warps, the first stays. All have read `space`; they may still do so
// afterwards.
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

// Writes the items' columns to their places in local memory, times `by[column]`.
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

PD_KERNEL_MIN(padic_k_cuda_factor_columns, PD_FACTOR_ITEMS, FACTOR_GROUPS)
(PD_CBUF(pd_f32, a), PD_BUF(pd_f32, x), PD_BUF(pd_f32, y), PD_BUF(pd_f32, out),
 PD_BUF(pd_u32, info), PD_PARAMS(padic_k_tensor_factor_params, k))
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
        __syncthreads(); // the previous matrix has been read
        if (lane == 0u) part[warp] = PD_AS_F32(largest);
        __syncthreads();
        for (pd_u32 i = 0u; i < FACTOR_WARPS; i++)
            largest = PD_AS_U32(part[i]) > largest ? PD_AS_U32(part[i]) : largest;
        if (largest >= 0x7f800000u) {
            if (PD_LID == 0u) info[k.i_first + b * (pd_u32)k.i_step] = k.not_finite;
            continue; // for the whole group
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
        if (hermitian) { // the largest absolute column sum, or the Frobenius norm
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
