// program: cuda_factor
// texts: ../../tensor/factor_params.cl
// texts: factor_angle.cu factor_vectors.cu factor_columns.cu factor_pair.cu
// factor.cu: singular values and Hermitian eigenvalues of batches in F32 on NVIDIA's devices, with
// columns in registers, rotated by warps. The twin of padic_k_factor_svd and _eigh; arguments mean
// the same.
//
// arch: sm_75
// variant: PD_FACTOR_VECTORS=0
// variant: PD_FACTOR_PARTS=1
// variant: PD_FACTOR_PARTS=1 PD_FACTOR_VECTORS=0
// variant: PD_FACTOR_ITEMS=128
// variant: PD_FACTOR_ITEMS=128 PD_FACTOR_VECTORS=0
//
// A group has one matrix of up to 64 columns (32 with 128 items): a warp has 8 columns, two blocks
// of 4, each of its items one row in 32 of each. Four pairs of columns are rotated at a time: the
// sums over rows of all four are computed together, 8 lanes find the angle of each. When all pairs
// of its two blocks have met, the warps pass blocks on through local memory. A matrix of up to 16
// columns is rotated by one warp, 8 pairs at a time, 4 lanes each, and columns move by shuffles; a
// second warp rotates V likewise, a sweep later.
//
// A Hermitian matrix is made positive by adding 1.5 times a bound of its eigenvalues: its columns,
// rotated until they are orthogonal, are then its eigenvectors, and their lengths its eigenvalues.

PD_KERNEL_MIN(padic_k_cuda_factor_small, 64, 4)
(PD_CBUF(pd_f32, a), PD_BUF(pd_f32, x), PD_BUF(pd_f32, y), PD_BUF(pd_f32, out),
 PD_BUF(pd_u32, info), PD_PARAMS(padic_k_tensor_factor_params, k))
{
    PD_LOCAL pd_f32 space[2][FACTOR_SMALL * FACTOR_SMALL_PITCH * PD_FACTOR_PARTS]; // W, V
    PD_LOCAL __align__(16) pd_f32 turns[2][32 * (FACTOR_SMALL - 1)]; // per sweep
    PD_LOCAL pd_f32 values[FACTOR_SMALL];
    PD_LOCAL pd_f32 phases[2 * FACTOR_SMALL];
    PD_LOCAL pd_u32 said[3]; // from the first warp: the scale; whether a sweep has rotated
    const pd_u32 warp = PD_LID >> 5, lane = PD_LID & 31u, team = lane >> 2, line = lane & 3u;
    const pd_u32 plane = FACTOR_SMALL * FACTOR_SMALL_PITCH;
    const pd_u32 teams = k.n > 8u ? 8u : k.n > 4u ? 4u : k.n > 2u ? 2u : 1u;
    // Columns of a team; teams without columns get zeros.
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
        __syncthreads(); // nothing of the previous matrix is read any more
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
        // The second warp is a sweep late; a sweep without rotations is not to be repeated.
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
