// factor_svd.cl: singular values and vectors.

PD_KERNEL(padic_k_factor_svd)
(PD_CBUF(factor_real, a), PD_BUF(factor_real, x), PD_BUF(factor_real, y), PD_BUF(factor_real, out),
 PD_BUF(pd_u32, info), PD_BUF(factor_real, scratch), PD_PARAMS(padic_k_tensor_factor_params, k))
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
        const pd_u32 m = steps[15], n = steps[16], flags = steps[17];
        const pd_u32 pitch = m | 1u, plane = pitch * n;
        const pd_u32 vectors = flags & (FACTOR_LEFT | FACTOR_RIGHT);
        // Here and not before the barrier, across which PoCL loses it.
        PD_GPTR(factor_real) v = scratch + PD_GRP * (FACTOR_PARTS * n * n);
        pd_u32 power = factor_read(a, m, n, b, 0u, flags & FACTOR_ADJOINT, steps, w, sums, state);
        pd_u32 good, i, j, e;
        factor_real limit;
        if (vectors != 0u) factor_one(v, n);
        good = factor_sweeps(w, pitch, plane, v, vectors, m, n, sums, pairs, state);
        for (j = lid; j < n; j += FACTOR_WG) {
            factor_real norm = FACTOR_C(0.0f);
            for (i = 0u; i < m; i++) {
                norm += w[j * pitch + i] * w[j * pitch + i];
#if FACTOR_COMPLEX
                norm += w[plane + j * pitch + i] * w[plane + j * pitch + i];
#endif
            }
            values[j] = power != 0u ? FACTOR_SQRT(norm) : FACTOR_C(0.0f); // NaNs have no order
        }
        power = factor_values(out, values, n, 0u, power, b, steps, order);
        if (lid == 0u)
            info[steps[18] + b * steps[19]] =
                power == 0u ? steps[20] : good != 0u ? 0u : steps[21];
        limit = FACTOR_C(2.0f) * FACTOR_EPS * (factor_real)m * values[order[0]];
        if (lid == 0u) state[FACTOR_RANK] = vectors != 0u && power != 0u ? 0u : n;
        PD_BARRIER();
        if (lid < n && vectors != 0u && power != 0u && values[lid] > limit)
            PD_ATOMIC_ADD_L(&state[FACTOR_RANK], 1u);
        for (e = lid; e < m * n && vectors != 0u; e += FACTOR_WG) {
            j = e / m;
            i = e % m;
            if (!(values[j] > limit)) continue;
            w[j * pitch + i] /= values[j];
#if FACTOR_COMPLEX
            w[plane + j * pitch + i] /= values[j];
#endif
        }
        PD_BARRIER();
        factor_complete(w, pitch, plane, m, n, state[FACTOR_RANK], order, sums);
        for (pd_u32 column = lid; column < n && vectors != 0u; column += FACTOR_WG) {
            if ((flags & FACTOR_ADJOINT) != 0u) {
                FACTOR_PHASE(v, n * n, FACTOR_V, n)
                FACTOR_TURN(v, n * n, FACTOR_V, n)
                FACTOR_TURN(w, plane, FACTOR_W, m)
                FACTOR_REAL(v, n * n, FACTOR_V);
            } else {
                FACTOR_PHASE(w, plane, FACTOR_W, m)
                FACTOR_TURN(w, plane, FACTOR_W, m)
                FACTOR_TURN(v, n * n, FACTOR_V, n)
                FACTOR_REAL(w, plane, FACTOR_W);
            }
        }
        PD_BARRIER_ALL();
        for (e = lid; e < m * n && power != 0u && (flags & FACTOR_LEFT) != 0u;
             e += FACTOR_WG) {
            const pd_u32 column = order[e / m];
            pd_u32 at;
            i = e % m;
            at = factor_at(steps, FACTOR_X, b, i, e / m);
            x[at] = w[FACTOR_W(i)];
#if FACTOR_COMPLEX
            x[at + 1u] = (flags & FACTOR_ADJOINT) != 0u ? -w[plane + FACTOR_W(i)]
                                                          : w[plane + FACTOR_W(i)];
#endif
        }
        if (power != 0u && (flags & FACTOR_RIGHT) != 0u)
            factor_columns(v, y, n, FACTOR_Y, (flags & FACTOR_ADJOINT) == 0u ? 1u : 0u, b, steps,
                           order);
        PD_BARRIER_ALL();
    }
}
