// factor_qr.cl: QR by Householder reflections.

// Applies reflection `at` to columns at + 1 to end - 1, from row `at` on: one team per column.
FACTOR_FN void factor_reflect(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 m,
                              pd_u32 at, pd_u32 end, factor_real tau, PD_LPTR(factor_real) sums)
{
    const pd_u32 lid = PD_LID, pivot = at * pitch, behind = end - at - 1u;
    const pd_u32 size_of = factor_team(behind < 4u ? 4u : behind > 32u ? 32u : behind);
    const pd_u32 team = lid / size_of, lane = lid % size_of, teams = FACTOR_WG / size_of;
#if !FACTOR_COMPLEX
    (void)plane;
#endif
    for (pd_u32 j = 0u; j < behind; j += teams) { // teams of columns: the same for all items
        const pd_u32 other = (at + 1u + j + team) * pitch, mine = j + team < behind ? m : 0u;
        factor_real gre = FACTOR_C(0.0f), gim = FACTOR_C(0.0f);
        pd_u32 i;
        for (i = at + lane; i < mine; i += size_of) {
            const factor_real vr = w[pivot + i], zr = w[other + i];
            gre += vr * zr;
#if FACTOR_COMPLEX
            {
                const factor_real vi = w[plane + pivot + i], zi = w[plane + other + i];
                gre += vi * zi;
                gim += vr * zi;
                gim -= vi * zr;
            }
#endif
        }
        sums[lid] = gre;
        sums[FACTOR_WG + lid] = gim;
        sums[2u * FACTOR_WG + lid] = sums[3u * FACTOR_WG + lid] = FACTOR_C(0.0f);
        factor_sum(sums, lane, size_of);
        gre = sums[lid - lane] * tau;
        gim = sums[FACTOR_WG + lid - lane] * tau;
        for (i = at + lane; i < mine; i += size_of) {
            const factor_real vr = w[pivot + i];
            w[other + i] -= gre * vr;
#if FACTOR_COMPLEX
            {
                const factor_real vi = w[plane + pivot + i];
                w[other + i] += gim * vi;
                w[plane + other + i] -= gre * vi;
                w[plane + other + i] -= gim * vr;
            }
#endif
        }
        PD_BARRIER();
    }
}

// sums[0] becomes the sum of squares of column `at` from its diagonal on. Returns 1 if it is so
// small that its squares lose digits: then the column has first been scaled by FACTOR_UP.
FACTOR_FN pd_u32 factor_square(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 m,
                               pd_u32 at, PD_LPTR(factor_real) sums)
{
    const pd_u32 lid = PD_LID, pivot = at * pitch;
    pd_u32 small_ = 1u;
#if !FACTOR_COMPLEX
    (void)plane;
#endif
    for (pd_u32 pass = 0u; pass < 2u && small_ != 0u; pass++) {
        factor_real norm2 = FACTOR_C(0.0f);
        PD_BARRIER(); // all have read the sum
        for (pd_u32 i = at + lid; i < m; i += FACTOR_WG) {
            if (pass != 0u) w[pivot + i] *= FACTOR_UP;
            norm2 += w[pivot + i] * w[pivot + i];
#if FACTOR_COMPLEX
            if (pass != 0u) w[plane + pivot + i] *= FACTOR_UP;
            norm2 += w[plane + pivot + i] * w[plane + pivot + i];
#endif
        }
        sums[lid] = norm2;
        sums[FACTOR_WG + lid] = sums[2u * FACTOR_WG + lid] = FACTOR_C(0.0f);
        sums[3u * FACTOR_WG + lid] = FACTOR_C(0.0f);
        factor_sum(sums, lid, FACTOR_WG);
        small_ = pass == 0u && sums[0] < FACTOR_TINY ? 1u : 0u;
        if (pass != 0u) small_ = 2u; // and that is what it was
    }
    return small_;
}

// The scalars of reflection `at`, and the first number of its vector, from the sum of squares: by
// one item.
PD_FN void factor_pivot(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 at,
                        factor_real square, pd_u32 small_, PD_LPTR(factor_real) tau,
                        PD_LPTR(factor_real) beta)
{
    const pd_u32 pivot = at * pitch;
    const factor_real re = w[pivot + at], norm = FACTOR_SQRT(square);
#if FACTOR_COMPLEX
    const factor_real im = w[plane + pivot + at], first = factor_size(re, im);
    const factor_real pim = first > FACTOR_C(0.0f) ? im / first : FACTOR_C(0.0f);
    w[plane + pivot + at] = im + pim * norm;
    beta[FACTOR_MOST + at] = -pim * norm;
#else
    const factor_real first = factor_abs(re);
    (void)plane;
    beta[FACTOR_MOST + at] = FACTOR_C(0.0f);
#endif
    {
        const factor_real pre = first > FACTOR_C(0.0f) ? re / first : FACTOR_C(1.0f);
        const factor_real all = square + norm * first;
        w[pivot + at] = norm > FACTOR_C(0.0f) ? re + pre * norm : re;
        beta[at] = -pre * norm;
        tau[at] = all > FACTOR_C(0.0f) ? FACTOR_C(1.0f) / all : FACTOR_C(0.0f);
        if (small_ != 0u) tau[at] = -tau[at];
    }
}

// Writes R to y if requested and all of it is finite: returns power, or 0 if it is not.
FACTOR_FN pd_u32 factor_right(PD_LPTR(const factor_real) w, pd_u32 m, pd_u32 n, pd_u32 b,
                              pd_u32 power, pd_u32 flags, PD_LPTR(const factor_real) tau,
                              PD_LPTR(const factor_real) beta, PD_LPTR(pd_u32) steps,
                              PD_LPTR(pd_u32) state, PD_GPTR(factor_real) y)
{
    const pd_u32 lid = PD_LID, r = m < n ? m : n, pitch = m | 1u;
#if FACTOR_COMPLEX
    const pd_u32 plane = pitch * n;
#endif
    if (lid == 0u) state[FACTOR_BAD] = 0u;
    PD_BARRIER();
    for (pd_u32 pass = 0u; pass < 2u; pass++) { // the second one writes
        const pd_u32 end = power != 0u && (flags & FACTOR_RIGHT) != 0u ? r * n : 0u;
        pd_u32 bad = 0u;
        for (pd_u32 e = lid; e < end; e += FACTOR_WG) {
            const pd_u32 row = e % r, j = e / r;
            const pd_u32 to = factor_at(steps, FACTOR_Y, b, row, j);
            const factor_real bre = beta[row], size = factor_size(bre, beta[FACTOR_MOST + row]);
            factor_real re = row == j ? size : row > j ? FACTOR_C(0.0f) : w[j * pitch + row];
            if (row == j && tau[row] < FACTOR_C(0.0f)) re *= FACTOR_DOWN;
#if FACTOR_COMPLEX
            {
                const factor_real bim = beta[FACTOR_MOST + row];
                factor_real im = row < j ? w[plane + j * pitch + row] : FACTOR_C(0.0f);
                if (row < j && size > FACTOR_C(0.0f)) {
                    const factor_real old = re;
                    re = (old * bre + im * bim) / size;
                    im = (im * bre - old * bim) / size;
                }
                im *= FACTOR_POWER(power);
                if (FACTOR_HIGH(im) == FACTOR_TOP) bad = 1u;
                if (pass != 0u) y[to + 1u] = im;
            }
#else
            if (row < j && bre < FACTOR_C(0.0f)) re = -re;
#endif
            re *= FACTOR_POWER(power);
            if (FACTOR_HIGH(re) == FACTOR_TOP) bad = 1u;
            if (pass != 0u) y[to] = re;
        }
        if (bad != 0u) PD_ATOMIC_OR_L(&state[FACTOR_BAD], 1u);
        PD_BARRIER();
        if (state[FACTOR_BAD] != 0u) power = 0u;
    }
    return power;
}

// Applies reflection `at` to the unit vector in column `at`, replacing the reflection's vector, and
// to the columns up to r - 1, which are already done.
FACTOR_FN void factor_back(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 m,
                           pd_u32 at, pd_u32 r, factor_real tau, PD_LPTR(factor_real) sums)
{
    const pd_u32 pivot = at * pitch;
    factor_real gre;
#if FACTOR_COMPLEX
    factor_real gim;
#endif
    factor_reflect(w, pitch, plane, m, at, r, tau, sums);
    gre = tau * w[pivot + at]; // axis - tau v conj(v_at)
#if FACTOR_COMPLEX
    gim = -tau * w[plane + pivot + at];
#endif
    PD_BARRIER();
    for (pd_u32 i = PD_LID; i < m; i += FACTOR_WG) {
        const factor_real axis = i == at ? FACTOR_C(1.0f) : FACTOR_C(0.0f);
        const factor_real vr = i < at ? FACTOR_C(0.0f) : w[pivot + i];
#if FACTOR_COMPLEX
        const factor_real vi = i < at ? FACTOR_C(0.0f) : w[plane + pivot + i];
        w[pivot + i] = axis - gre * vr + gim * vi;
        w[plane + pivot + i] = -gre * vi - gim * vr;
#else
        w[pivot + i] = axis - gre * vr;
#endif
    }
    PD_BARRIER();
}

// Q, columns of w times the phases of R's diagonal, to x.
PD_FN void factor_left(PD_LPTR(const factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 m,
                       pd_u32 r, pd_u32 b, PD_LPTR(const factor_real) beta,
                       PD_LPTR(pd_u32) steps, PD_GPTR(factor_real) x)
{
#if !FACTOR_COMPLEX
    (void)plane;
#endif
    for (pd_u32 e = PD_LID; e < m * r; e += FACTOR_WG) {
        const pd_u32 to = factor_at(steps, FACTOR_X, b, e % m, e / m);
        const factor_real bre = beta[e / m], bim = beta[FACTOR_MOST + e / m];
        const factor_real size = factor_size(bre, bim), re = w[e / m * pitch + e % m];
#if FACTOR_COMPLEX
        const factor_real im = w[plane + e / m * pitch + e % m];
        x[to] = size > FACTOR_C(0.0f) ? (re * bre - im * bim) / size : re;
        x[to + 1u] = size > FACTOR_C(0.0f) ? (re * bim + im * bre) / size : im;
#else
        x[to] = size > FACTOR_C(0.0f) && bre < FACTOR_C(0.0f) ? -re : re;
#endif
    }
}

// Reflections. Column j of w below its diagonal becomes the reflection's vector; R, above, is
// written, and the reflections of 1 become Q in place of the vectors, the last one first. A column
// so small that its squares lose digits is first scaled by FACTOR_UP: its reflection is the same,
// its `beta` larger, and its `tau` stored negative.
PD_KERNEL(padic_k_factor_qr)
(PD_CBUF(factor_real, a), PD_BUF(factor_real, x), PD_BUF(factor_real, y), PD_BUF(pd_u32, info),
 PD_PARAMS(padic_k_tensor_factor_params, k))
{
    PD_LOCAL factor_real w[FACTOR_CELLS];
    PD_LOCAL factor_real sums[4 * PD_WG];
    PD_LOCAL factor_real tau[FACTOR_MOST];
    PD_LOCAL factor_real beta[2 * FACTOR_MOST];
    PD_LOCAL pd_u32 state[3];
    PD_LOCAL pd_u32 steps[22];
    const pd_u32 lid = PD_LID;
    FACTOR_STEPS();
    for (pd_u32 b = PD_GRP; b < k.batch; b += PD_NGRP) {
        const pd_u32 m = steps[15], n = steps[16], flags = steps[17], r = m < n ? m : n;
        const pd_u32 pitch = m | 1u, plane = pitch * n;
        pd_u32 power = factor_read(a, m, n, b, 0u, 0u, steps, w, sums, state);
        pd_u32 at;
        for (at = 0u; at < r; at++) {
            const pd_u32 small_ = factor_square(w, pitch, plane, m, at, sums);
            if (lid == 0u) factor_pivot(w, pitch, plane, at, sums[0], small_, tau, beta);
            PD_BARRIER();
            factor_reflect(w, pitch, plane, m, at, n, factor_abs(tau[at]), sums);
        }
        power = factor_right(w, m, n, b, power, flags, tau, beta, steps, state, y);
        if (lid == 0u)
            info[steps[18] + b * steps[19]] = power == 0u ? steps[20] : 0u;
        PD_BARRIER();
        for (at = r; at > 0u; at--)
            factor_back(w, pitch, plane, m, at - 1u, r, factor_abs(tau[at - 1u]), sums);
        if (power != 0u && (flags & FACTOR_LEFT) != 0u)
            factor_left(w, pitch, plane, m, r, b, beta, steps, x);
        PD_BARRIER_ALL();
    }
}
