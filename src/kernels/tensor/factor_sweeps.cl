// factor_sweeps.cl: Jacobi rotations of disjoint pairs of columns, in parallel.

// The pair of team `team` in a round of a tournament of `players` (even).
PD_FN void factor_pair(pd_u32 players, pd_u32 round, pd_u32 team, PD_LPTR(pd_u32) pairs)
{
    const pd_u32 ring = players - 1u;
    const pd_u32 p = team == 0u ? ring : (round + team) % ring;
    const pd_u32 q = team == 0u ? round : (round + ring - team) % ring;
    pairs[2u * team] = p < q ? p : q;
    pairs[2u * team + 1u] = p < q ? q : p;
}

#if FACTOR_COMPLEX
#define FACTOR_E(gre, gim) const factor_real ere = gre / size, eim = gim / size
#else
#define FACTOR_E(gre, gim) const factor_real ere = gre / size
#endif

// Cosine, sine and the phase e of the rotation that makes columns with |x|^2 = a, |y|^2 = b and
// x^dagger y = size e orthogonal; t is the tangent of the smaller of two angles. longer: use the
// one of the two that puts the longer column first: where singular values decay fast, a few sweeps
// of it before those of the smaller one save some, and many cost more than they save.
#define FACTOR_ANGLE(a, b, gre, gim, longer)                                                    \
    FACTOR_E(gre, gim);                                                                      \
    const factor_real z = (b - a) / (size + size), slope = factor_abs(z);                      \
    const factor_real root = slope > FACTOR_C(1e8f) /* its square may be infinite */           \
                                 ? slope + slope                                                 \
                                 : slope + FACTOR_SQRT(FACTOR_C(1.0f) + z * z);                \
    const factor_real t = (z < FACTOR_C(0.0f) ? -FACTOR_C(1.0f) : FACTOR_C(1.0f)) / root;    \
    const factor_real near_c = FACTOR_C(1.0f) / FACTOR_SQRT(FACTOR_C(1.0f) + t * t);         \
    const factor_real c = (longer) && b > a ? near_c * t : near_c;                           \
    const factor_real s = (longer) && b > a ? -near_c : near_c * t

// (x, y) <- (c x - s conj(e) y, s x + c conj(e) y) of numbers at X and Y of `base`, planes apart.
#if FACTOR_COMPLEX
#define FACTOR_ROTATE(base, plane_, X, Y)                          \
    do {                                                           \
        const factor_real xr = base[X], xi = base[(plane_) + (X)]; \
        const factor_real yr = base[Y], yi = base[(plane_) + (Y)]; \
        const factor_real pr = yr * ere + yi * eim;                \
        const factor_real pi = yi * ere - yr * eim;                \
        base[X] = c * xr - s * pr;                                 \
        base[(plane_) + (X)] = c * xi - s * pi;                    \
        base[Y] = s * xr + c * pr;                                 \
        base[(plane_) + (Y)] = s * xi + c * pi;                    \
    } while (0)
#else
#define FACTOR_ROTATE(base, plane_, X, Y)                   \
    do {                                                    \
        const factor_real xr = base[X], pr = base[Y] * ere; \
        base[X] = c * xr - s * pr;                          \
        base[Y] = s * xr + c * pr;                          \
    } while (0)
#endif

// Items of a team when this many teams share a group: a power of 2.
PD_FN pd_u32 factor_team(pd_u32 teams)
{
    pd_u32 size = 1u;
    while (2u * size * teams <= FACTOR_WG && size < 32u) size *= 2u;
    return size;
}

// Sweeps of rotations until columns of w are orthogonal, applied to those of v as well. 0 if 30 are
// not enough.
FACTOR_FN pd_u32 factor_sweeps(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane,
                               PD_GPTR(factor_real) v, pd_u32 vectors, pd_u32 m, pd_u32 n,
                               PD_LPTR(factor_real) sums, PD_LPTR(pd_u32) pairs,
                               PD_LPTR(pd_u32) state)
{
#if !FACTOR_COMPLEX
    (void)plane;
#endif
    const pd_u32 players = n + (n & 1u), teams = players / 2u, size_of = factor_team(teams);
    const pd_u32 lid = PD_LID, team = lid / size_of, lane = lid % size_of;
    const factor_real tolerance = (factor_real)(n + 8u) * FACTOR_EPS;
    pd_u32 turned = 1u;
    for (pd_u32 sweep = 0u; sweep < 30u && turned != 0u; sweep++) {
        PD_BARRIER_ALL();
        if (lid == 0u) state[FACTOR_TURNED] = 0u;
        for (pd_u32 round = 0u; round + 1u < players; round++) {
            factor_real a = FACTOR_C(0.0f), b = FACTOR_C(0.0f), gre = FACTOR_C(0.0f);
            factor_real gim = FACTOR_C(0.0f), size;
            pd_u32 p, q, i;
            if (lid < teams) factor_pair(players, round, lid, pairs);
            PD_BARRIER();
            p = team < teams ? pairs[2u * team] : 0u;
            q = team < teams ? pairs[2u * team + 1u] : n;
            if (q < n) {
                for (i = lane; i < m; i += size_of) {
                    const factor_real xr = w[p * pitch + i], yr = w[q * pitch + i];
                    a += xr * xr;
                    b += yr * yr;
                    gre += xr * yr;
#if FACTOR_COMPLEX
                    {
                        const factor_real xi = w[plane + p * pitch + i];
                        const factor_real yi = w[plane + q * pitch + i];
                        a += xi * xi;
                        b += yi * yi;
                        gre += xi * yi;
                        gim += xr * yi;
                        gim -= xi * yr;
                    }
#endif
                }
            }
            sums[lid] = a;
            sums[FACTOR_WG + lid] = b;
            sums[2u * FACTOR_WG + lid] = gre;
            sums[3u * FACTOR_WG + lid] = gim;
            factor_sum(sums, lane, size_of);
            a = sums[lid - lane];
            b = sums[FACTOR_WG + lid - lane];
            gre = sums[2u * FACTOR_WG + lid - lane];
            gim = sums[3u * FACTOR_WG + lid - lane];
            size = factor_size(gre, gim);
            if (q < n && size > tolerance * FACTOR_SQRT(a) * FACTOR_SQRT(b) &&
                size > FACTOR_LEAST) {
                FACTOR_ANGLE(a, b, gre, gim, sweep < 3u);
                for (i = lane; i < m; i += size_of)
                    FACTOR_ROTATE(w, plane, p * pitch + i, q * pitch + i);
                for (i = lane; i < n && vectors != 0u; i += size_of)
                    FACTOR_ROTATE(v, n * n, p * n + i, q * n + i);
                if (lane == 0u) PD_ATOMIC_OR_L(&state[FACTOR_TURNED], 1u);
            }
            PD_BARRIER_ALL();
        }
        turned = state[FACTOR_TURNED];
    }
    return turned == 0u || n < 2u ? 1u : 0u;
}
