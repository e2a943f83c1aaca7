// factor_eigh.cl: eigenvalues and eigenvectors of Hermitian matrices.

// The least off-diagonal number that is worth a rotation, by the norm of w.
FACTOR_FN factor_real factor_tiny(PD_LPTR(const factor_real) w, pd_u32 n,
                                  PD_LPTR(factor_real) sums)
{
    const pd_u32 lid = PD_LID, pitch = n | 1u;
    factor_real tiny = FACTOR_C(0.0f);
    for (pd_u32 e = lid; e < n * n; e += FACTOR_WG) {
        const pd_u32 at = e / n * pitch + e % n;
        tiny += w[at] * w[at];
#if FACTOR_COMPLEX
        tiny += w[pitch * n + at] * w[pitch * n + at];
#endif
    }
    sums[lid] = tiny;
    sums[FACTOR_WG + lid] = sums[2u * FACTOR_WG + lid] = FACTOR_C(0.0f);
    sums[3u * FACTOR_WG + lid] = FACTOR_C(0.0f);
    factor_sum(sums, lid, FACTOR_WG);
    return FACTOR_C(0.125f) * FACTOR_EPS * FACTOR_SQRT(sums[0]);
}

// Rows X and Y of column i: by conjugates.
#if FACTOR_COMPLEX
#define FACTOR_ROTATE_ROWS(X, Y)                                                      \
    do {                                                                              \
        const factor_real xr = w[X], xi = w[plane + (X)], yr = w[Y];                  \
        const factor_real yi = w[plane + (Y)];                                        \
        const factor_real pr = yr * ere - yi * eim, pi = yi * ere + yr * eim;         \
        w[plane + (X)] = c * xi - s * pi;                                             \
        w[plane + (Y)] = s * xi + c * pi;                                             \
        w[X] = c * xr - s * pr;                                                       \
        w[Y] = s * xr + c * pr;                                                       \
    } while (0)
#else
#define FACTOR_ROTATE_ROWS(X, Y) FACTOR_ROTATE(w, 0u, X, Y)
#endif

// Makes number (p, q) 0, if `turn`, by a rotation of columns and one of rows, and rotates v, if
// requested: by a team, all of the group at the same time. size is that of (p, q), gre + i gim.
FACTOR_FN void factor_both(PD_LPTR(factor_real) w, PD_GPTR(factor_real) v, pd_u32 vectors,
                           pd_u32 n, pd_u32 p, pd_u32 q, pd_u32 lane, pd_u32 size_of,
                           factor_real app, factor_real aqq, factor_real gre, factor_real gim,
                           factor_real size, pd_u32 turn, PD_LPTR(pd_u32) state)
{
    const pd_u32 pitch = n | 1u;
#if FACTOR_COMPLEX
    const pd_u32 plane = pitch * n;
#else
    (void)gim;
#endif
    pd_u32 i;
    FACTOR_ANGLE(app, aqq, gre, gim, 0);
    for (i = lane; i < n && turn != 0u; i += size_of)
        FACTOR_ROTATE(w, plane, p * pitch + i, q * pitch + i);
    for (i = lane; i < n && turn != 0u && vectors != 0u; i += size_of)
        FACTOR_ROTATE(v, n * n, p * n + i, q * n + i);
    PD_BARRIER();
    for (i = lane; i < n && turn != 0u; i += size_of)
        FACTOR_ROTATE_ROWS(i * pitch + p, i * pitch + q);
    PD_BARRIER();
    if (turn != 0u && lane == 0u) {
        w[p * pitch + p] = app - t * size;
        w[q * pitch + q] = aqq + t * size;
        w[p * pitch + q] = w[q * pitch + p] = FACTOR_C(0.0f);
#if FACTOR_COMPLEX
        w[plane + p * pitch + p] = w[plane + q * pitch + q] = FACTOR_C(0.0f);
        w[plane + p * pitch + q] = w[plane + q * pitch + p] = FACTOR_C(0.0f);
#endif
        PD_ATOMIC_OR_L(&state[FACTOR_TURNED], 1u);
    }
}

// Sweeps until w is diagonal. 0 when 30 are not enough.
FACTOR_FN pd_u32 factor_diagonal(PD_LPTR(factor_real) w, PD_GPTR(factor_real) v, pd_u32 vectors,
                                 pd_u32 n, factor_real tiny, PD_LPTR(pd_u32) pairs,
                                 PD_LPTR(pd_u32) state)
{
    const pd_u32 players = n + (n & 1u), teams = players / 2u, size_of = factor_team(teams);
    const pd_u32 lid = PD_LID, team = lid / size_of, lane = lid % size_of, pitch = n | 1u;
    pd_u32 turned = 1u;
    for (pd_u32 sweep = 0u; sweep < 30u && turned != 0u; sweep++) {
        PD_BARRIER_ALL();
        if (lid == 0u) state[FACTOR_TURNED] = 0u;
        for (pd_u32 round = 0u; round + 1u < players; round++) {
            factor_real app, aqq, gre, gim, size;
            pd_u32 p, q, turn;
            if (lid < teams) factor_pair(players, round, lid, pairs);
            PD_BARRIER();
            p = team < teams ? pairs[2u * team] : 0u;
            q = team < teams ? pairs[2u * team + 1u] : n;
            app = w[p * pitch + p];
            aqq = q < n ? w[q * pitch + q] : FACTOR_C(0.0f);
            gre = q < n ? w[q * pitch + p] : FACTOR_C(0.0f);
#if FACTOR_COMPLEX
            gim = q < n ? w[pitch * n + q * pitch + p] : FACTOR_C(0.0f);
#else
            gim = FACTOR_C(0.0f);
#endif
            size = factor_size(gre, gim);
            turn = size > tiny && size > FACTOR_EPS * FACTOR_SQRT(factor_abs(app)) *
                                             FACTOR_SQRT(factor_abs(aqq))
                       ? 1u
                       : 0u;
            if (turn == 0u) size = FACTOR_C(1.0f);
            PD_BARRIER(); // all have read
            factor_both(w, v, vectors, n, p, q, lane, size_of, app, aqq, gre, gim, size, turn,
                        state);
            PD_BARRIER_ALL();
        }
        turned = state[FACTOR_TURNED];
    }
    return turned == 0u || n < 2u ? 1u : 0u;
}

// A Hermitian matrix by rotations from both sides, disjoint pairs at the same time.
PD_KERNEL_MIN(padic_k_factor_eigh, PD_WG, 4)
(PD_CBUF(factor_real, a), PD_BUF(factor_real, x), PD_BUF(factor_real, out), PD_BUF(pd_u32, info),
 PD_BUF(factor_real, scratch), PD_PARAMS(padic_k_tensor_factor_params, k))
{
    PD_LOCAL factor_real w[FACTOR_CELLS];
    PD_LOCAL factor_real sums[4 * PD_WG];
    PD_LOCAL factor_real values[FACTOR_MOST];
    PD_LOCAL pd_u32 order[FACTOR_MOST];
    PD_LOCAL pd_u32 pairs[FACTOR_MOST];
    PD_LOCAL pd_u32 state[3];
    PD_LOCAL pd_u32 steps[22];
    const pd_u32 lid = PD_LID;
    FACTOR_STEPS();
    for (pd_u32 b = PD_GRP; b < k.batch; b += PD_NGRP) {
        const pd_u32 n = steps[16], flags = steps[17], pitch = n | 1u;
        // Here and not before the barrier, across which PoCL loses it.
        PD_GPTR(factor_real) v = scratch + PD_GRP * (FACTOR_PARTS * n * n);
        pd_u32 power = factor_read(a, n, n, b, 1u, 0u, steps, w, sums, state);
        pd_u32 good;
        if ((flags & FACTOR_LEFT) != 0u) factor_one(v, n);
        good = factor_diagonal(w, v, flags & FACTOR_LEFT, n, factor_tiny(w, n, sums), pairs, state);
        if (lid < n) values[lid] = power != 0u ? w[lid * pitch + lid] : FACTOR_C(0.0f);
        power = factor_values(out, values, n, 1u, power, b, steps, order);
        if (lid == 0u)
            info[steps[18] + b * steps[19]] =
                power == 0u ? steps[20] : good != 0u ? 0u : steps[21];
        for (pd_u32 column = lid; column < n && (flags & FACTOR_LEFT) != 0u;
             column += FACTOR_WG) {
            FACTOR_PHASE(v, n * n, FACTOR_V, n)
            FACTOR_TURN(v, n * n, FACTOR_V, n)
            FACTOR_REAL(v, n * n, FACTOR_V);
        }
        PD_BARRIER_ALL();
        if (power != 0u && (flags & FACTOR_LEFT) != 0u)
            factor_columns(v, x, n, FACTOR_X, 0u, b, steps, order);
        PD_BARRIER_ALL();
    }
}
