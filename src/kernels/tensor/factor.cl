// program: factor
// factor.cl: singular values, QR and Hermitian eigenvalues of batches, a matrix a group; states cut
// in two and their Gram matrices, for entropies.
//
// The matrix lies in local memory, columns one after another, real parts before imaginary ones, its
// largest part scaled to about 1 by a power of 2. Jacobi rotations of disjoint pairs of columns go
// on at the same time, each by a team of items; V, when it is wanted, lies in scratch memory, one
// place a group. A wide matrix is read as its adjoint by the driver's strides.
//
// variant: PD_FACTOR_PARTS=1
#ifndef PD_FACTOR_PARTS
#define PD_FACTOR_PARTS 2 // 1 real, 2 complex
#endif
#ifndef PD_FACTOR_F64
#define PD_FACTOR_F64 0
#endif

#if PD_FACTOR_F64
typedef pd_f64 factor_real;
#define FACTOR_C(x) ((pd_f64)(x))
#define FACTOR_SQRT(x) PD_SQRT64(x)
#define FACTOR_HIGH(x) ((pd_u32)(PD_AS_U64(x) >> 52) & 2047u) // biased exponent
#define FACTOR_POWER(e) PD_AS_F64((pd_u64)(e) << 52)
#define FACTOR_TOP 2047u
#define FACTOR_EPS ((pd_f64)1.1102230246251565e-16f) // 2^-53, a float
#define FACTOR_LEAST ((pd_f64)1e-30f * (pd_f64)1e-30f)
#define FACTOR_TINY FACTOR_POWER(1023u - 900u) // a sum of squares that have lost digits
#define FACTOR_UP FACTOR_POWER(1023u + 750u)
#define FACTOR_DOWN FACTOR_POWER(1023u - 750u)
#define FACTOR_REAL_BYTES 8
#else
typedef pd_f32 factor_real;
#define FACTOR_C(x) (x)
#define FACTOR_SQRT(x) PD_SQRT(x)
#define FACTOR_HIGH(x) (PD_AS_U32(x) >> 23 & 255u)
#define FACTOR_POWER(e) PD_AS_F32((e) << 23)
#define FACTOR_TOP 255u
#define FACTOR_EPS 5.9604644775390625e-8f // 2^-24
#define FACTOR_LEAST 1e-30f
#define FACTOR_TINY FACTOR_POWER(127u - 80u)
#define FACTOR_UP FACTOR_POWER(127u + 90u)
#define FACTOR_DOWN FACTOR_POWER(127u - 90u)
#define FACTOR_REAL_BYTES 4
#endif

#if PD_IS_OPENCL
#define FACTOR_ROLLED _Pragma("unroll 1") // copies of a loop take scalar registers
#else
#define FACTOR_ROLLED
#endif

// Of functions with barriers: PoCL loses those that stay functions.
#if PD_IS_OPENCL
#define FACTOR_FN __attribute__((always_inline)) PD_FN
#else
#define FACTOR_FN PD_FN
#endif

#define FACTOR_COMPLEX (PD_FACTOR_PARTS == 2)
#define FACTOR_PARTS ((pd_u32)PD_FACTOR_PARTS)
#if PD_LOCAL_BYTES >= 49152
#define FACTOR_CELLS (33280 / FACTOR_REAL_BYTES) // of the matrix; the driver knows these numbers
#else
#define FACTOR_CELLS (11264 / FACTOR_REAL_BYTES)
#endif
#define FACTOR_MOST 64u // columns
#define FACTOR_WG ((pd_u32)PD_WG)

// Bits of `flags`.
#define FACTOR_LEFT 1u    // the first result is wanted: left vectors, Q, eigenvectors
#define FACTOR_RIGHT 2u   // the second one: right vectors, R
#define FACTOR_VALUES 4u  // singular values, eigenvalues
#define FACTOR_ADJOINT 8u // the matrix read is A^dagger
#define FACTOR_RELATIVE 16u // values by a power of 2 that is not said: none overflows

// State of a group, in local memory.
#define FACTOR_BAD 0     // not finite
#define FACTOR_TURNED 1  // rotations in this sweep
#define FACTOR_RANK 2

// m x n as it is read. Steps in numbers of the tensors, complex ones of two; first: of parts.
typedef struct {
    pd_u32 batch, m, n, flags;
    pd_u32 a_first, x_first, y_first, w_first;    // x: m x n, or m x r; y: n x n, or r x n
    pd_i32 a_batch, a_row, a_column;
    pd_i32 x_batch, x_row, x_column;
    pd_i32 y_batch, y_row, y_column;
    pd_i32 w_batch, w_row;
    pd_u32 i_first; // of info, in words
    pd_i32 i_step;
    pd_u32 not_finite, not_done; // what info says then; else 0
} padic_k_factor_params;

// Where tensors lie, in local memory: scalar registers are few. Four words each: first part, steps
// of batch, row, column; then m, n, flags, and what info says.
#define FACTOR_A 0u
#define FACTOR_X 4u
#define FACTOR_Y 8u
#define FACTOR_STEPS()                                                               \
    do {                                                                             \
        if (PD_LID == 0u) {                                                          \
            steps[0] = k.a_first;                                                    \
            steps[1] = (pd_u32)k.a_batch;                                            \
            steps[2] = (pd_u32)k.a_row;                                              \
            steps[3] = (pd_u32)k.a_column;                                           \
            steps[4] = k.x_first;                                                    \
            steps[5] = (pd_u32)k.x_batch;                                            \
            steps[6] = (pd_u32)k.x_row;                                              \
            steps[7] = (pd_u32)k.x_column;                                           \
            steps[8] = k.y_first;                                                    \
            steps[9] = (pd_u32)k.y_batch;                                            \
            steps[10] = (pd_u32)k.y_row;                                             \
            steps[11] = (pd_u32)k.y_column;                                          \
            steps[12] = k.w_first;                                                   \
            steps[13] = (pd_u32)k.w_batch;                                           \
            steps[14] = (pd_u32)k.w_row;                                             \
            steps[15] = k.m;                                                         \
            steps[16] = k.n;                                                         \
            steps[17] = k.flags;                                                     \
            steps[18] = k.i_first;                                                   \
            steps[19] = (pd_u32)k.i_step;                                            \
            steps[20] = k.not_finite;                                                \
            steps[21] = k.not_done;                                                  \
        }                                                                            \
        PD_BARRIER();                                                                \
    } while (0)

PD_FN pd_u32 factor_at(PD_LPTR(pd_u32) steps, pd_u32 tensor, pd_u32 b, pd_u32 i, pd_u32 j)
{
    return steps[tensor] + FACTOR_PARTS * (b * steps[tensor + 1u] + i * steps[tensor + 2u] +
                                           j * steps[tensor + 3u]);
}

PD_FN factor_real factor_abs(factor_real x)
{
    return x < FACTOR_C(0.0f) ? -x : x;
}

// |re + i im|, of small numbers, too, whose squares would not be.
PD_FN factor_real factor_size(factor_real re, factor_real im)
{
    const factor_real x = factor_abs(re), y = factor_abs(im);
    const factor_real most = x > y ? x : y, ratio = x > y ? y / x : x / y;
    if (!(most > FACTOR_C(0.0f))) return FACTOR_C(0.0f);
    return most * FACTOR_SQRT(FACTOR_C(1.0f) + ratio * ratio);
}

// sums[0] of each team becomes the sum of its T items, and so of the other three lines.
FACTOR_FN void factor_sum(PD_LPTR(factor_real) sums, pd_u32 lane, pd_u32 team)
{
    const pd_u32 lid = PD_LID;
    PD_BARRIER();
    FACTOR_ROLLED
    for (pd_u32 step = team / 2u; step > 0u; step /= 2u) {
        if (lane < step) {
            sums[lid] += sums[lid + step];
            sums[FACTOR_WG + lid] += sums[FACTOR_WG + lid + step];
            sums[2u * FACTOR_WG + lid] += sums[2u * FACTOR_WG + lid + step];
            sums[3u * FACTOR_WG + lid] += sums[3u * FACTOR_WG + lid + step];
        }
        PD_BARRIER();
    }
}

// Reads matrix b, of a Hermitian one the lower triangle; returns the biased exponent of the scale,
// or 0 when a number is not finite: what is made of it then is not written. (Groups do not leave
// early: compilers that make loops of groups would double all that follows.)
FACTOR_FN pd_u32 factor_read(PD_GPTR(const factor_real) a, pd_u32 m, pd_u32 n, pd_u32 b,
                             pd_u32 hermitian, pd_u32 adjoint, PD_LPTR(pd_u32) steps,
                             PD_LPTR(factor_real) w, PD_LPTR(factor_real) sums,
                             PD_LPTR(pd_u32) state)
{
    const pd_u32 lid = PD_LID, count = m * n, pitch = m | 1u;
#if FACTOR_COMPLEX
    const pd_u32 plane = pitch * n;
#endif
    factor_real most = FACTOR_C(0.0f), scale;
    pd_u32 e, bad = 0u, power;
    if (lid == 0u) state[FACTOR_BAD] = 0u;
    PD_BARRIER();
    FACTOR_ROLLED
    for (e = lid; e < count; e += FACTOR_WG) {
        const pd_u32 j = e / m, i = e % m;
        const pd_u32 at = factor_at(steps, FACTOR_A, b, i, j);
        factor_real re;
        if (hermitian != 0u && i < j) continue;
        re = a[at];
        if (FACTOR_HIGH(re) == FACTOR_TOP) bad = 1u;
        if (factor_abs(re) > most) most = factor_abs(re);
        w[j * pitch + i] = re;
#if FACTOR_COMPLEX
        {
            factor_real im = a[at + 1u];
            if (hermitian != 0u && i == j) im = FACTOR_C(0.0f);
            if (FACTOR_HIGH(im) == FACTOR_TOP) bad = 1u;
            if (factor_abs(im) > most) most = factor_abs(im);
            w[plane + j * pitch + i] = adjoint != 0u ? -im : im;
        }
#else
        (void)adjoint;
#endif
    }
    if (bad != 0u) PD_ATOMIC_OR_L(&state[FACTOR_BAD], 1u);
    sums[lid] = most;
    PD_BARRIER();
    FACTOR_ROLLED
    for (e = FACTOR_WG / 2u; e > 0u; e /= 2u) {
        if (lid < e && sums[lid + e] > sums[lid]) sums[lid] = sums[lid + e];
        PD_BARRIER();
    }
    bad = state[FACTOR_BAD];
    power = FACTOR_TOP - 1u - FACTOR_HIGH(sums[0]); // of the factor
    if (power > FACTOR_TOP - 2u) power = FACTOR_TOP - 2u;
    if (power < 1u) power = 1u;
    scale = FACTOR_POWER(power);
    PD_BARRIER();
    FACTOR_ROLLED
    for (e = lid; e < count; e += FACTOR_WG) {
        const pd_u32 j = e / m, i = e % m;
        if (hermitian != 0u && i < j) continue;
        w[j * pitch + i] *= scale;
#if FACTOR_COMPLEX
        w[plane + j * pitch + i] *= scale;
#endif
        if (hermitian != 0u && i > j) {
            w[i * pitch + j] = w[j * pitch + i];
#if FACTOR_COMPLEX
            w[plane + i * pitch + j] = -w[plane + j * pitch + i];
#endif
        }
    }
    PD_BARRIER();
    return bad != 0u ? 0u : FACTOR_TOP - 1u - power;
}

// v (n x n, columns, planes as w) is 1.
PD_FN void factor_one(PD_GPTR(factor_real) v, pd_u32 n)
{
    for (pd_u32 e = PD_LID; e < FACTOR_PARTS * n * n; e += FACTOR_WG)
        v[e] = e < n * n && e / n == e % n ? FACTOR_C(1.0f) : FACTOR_C(0.0f);
}

// The pair that team `team` has in a round of a tournament of `players` (even).
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
// x^dagger y = size e orthogonal; t is the tangent of the smaller of two angles. longer: of the two
// take that which puts the longer column first: where singular values fall far, a few sweeps of it
// before those of the smaller one save some, and many of it cost more than they save.
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

// Items of a team when so many teams share a group: a power of 2.
PD_FN pd_u32 factor_team(pd_u32 teams)
{
    pd_u32 size = 1u;
    while (2u * size * teams <= FACTOR_WG && size < 32u) size *= 2u;
    return size;
}

// order[place] = column, by `values`; descending, or ascending.
FACTOR_FN void factor_order(pd_u32 n, PD_LPTR(factor_real) values, pd_u32 ascending,
                            PD_LPTR(pd_u32) order)
{
    const pd_u32 j = PD_LID;
    PD_BARRIER();
    if (j < n) {
        pd_u32 place = 0u;
        FACTOR_ROLLED
        for (pd_u32 i = 0u; i < n; i++) {
            const factor_real x = ascending != 0u ? values[j] : values[i];
            const factor_real y = ascending != 0u ? values[i] : values[j];
            if (x > y || (!(x < y) && i < j)) place += 1u;
        }
        order[place] = j;
    }
    PD_BARRIER();
}

// Where the largest of a column's numbers is, of several the first within 2^-20, as a phase; base
// and AT(line) are a column's.
#if FACTOR_COMPLEX
#define FACTOR_PHASE(base, plane_, AT, rows)                                       \
    factor_real best = FACTOR_C(0.0f), pre = FACTOR_C(1.0f), pim = FACTOR_C(0.0f); \
    pd_u32 at = 0u;                                                                \
    for (pd_u32 line = 0u; line < rows; line++) {                                  \
        const factor_real re = base[AT(line)], im = base[(plane_) + AT(line)];     \
        const factor_real now = re * re + im * im;                                 \
        if (now <= best * FACTOR_C(1.0000019073486328125f)) continue;              \
        best = now;                                                                \
        at = line;                                                                 \
        pre = re;                                                                  \
        pim = im;                                                                  \
    }                                                                              \
    if (best > FACTOR_C(0.0f)) {                                                   \
        const factor_real size = FACTOR_SQRT(best);                                \
        pre /= size;                                                               \
        pim /= size;                                                               \
    }
#define FACTOR_TURN(base, plane_, AT, rows)                                    \
    for (pd_u32 line = 0u; line < rows; line++) {                              \
        const factor_real re = base[AT(line)], im = base[(plane_) + AT(line)]; \
        base[AT(line)] = re * pre + im * pim;                                  \
        base[(plane_) + AT(line)] = im * pre - re * pim;                       \
    }
#define FACTOR_REAL(base, plane_, AT) base[(plane_) + AT(at)] = FACTOR_C(0.0f)
#else
#define FACTOR_PHASE(base, plane_, AT, rows)                          \
    factor_real best = FACTOR_C(0.0f), pre = FACTOR_C(1.0f);          \
    for (pd_u32 line = 0u; line < rows; line++) {                     \
        const factor_real re = base[AT(line)], now = re * re;         \
        if (now <= best * FACTOR_C(1.0000019073486328125f)) continue; \
        best = now;                                                   \
        pre = re < FACTOR_C(0.0f) ? -FACTOR_C(1.0f) : FACTOR_C(1.0f); \
    }
#define FACTOR_TURN(base, plane_, AT, rows) \
    for (pd_u32 line = 0u; line < rows; line++) base[AT(line)] *= pre;
#define FACTOR_REAL(base, plane_, AT) ((void)0)
#endif

#define FACTOR_W(i) (column * pitch + (i))
#define FACTOR_V(i) (column * n + (i))

// Columns `rank` and on, by order, become unit vectors orthogonal to all before: of the axes the
// one that those before cover least, orthogonalised twice.
FACTOR_FN void factor_complete(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 m,
                               pd_u32 n, pd_u32 rank, PD_LPTR(pd_u32) order,
                               PD_LPTR(factor_real) sums)
{
    const pd_u32 lid = PD_LID;
#if !FACTOR_COMPLEX
    (void)plane;
#endif
    for (pd_u32 place = rank; place < n; place++) {
        const pd_u32 column = order[place] * pitch;
        factor_real least = FACTOR_C(4.0f), norm = FACTOR_C(0.0f);
        pd_u32 at = 0u, i, j;
        for (i = lid; i < m; i += FACTOR_WG) {
            factor_real covered = FACTOR_C(0.0f);
            FACTOR_ROLLED
            for (j = 0u; j < place; j++) {
                const pd_u32 other = order[j] * pitch + i;
                covered += w[other] * w[other];
#if FACTOR_COMPLEX
                covered += w[plane + other] * w[plane + other];
#endif
            }
            if (covered < least) {
                least = covered;
                at = i;
            }
        }
        sums[lid] = least;
        sums[FACTOR_WG + lid] = (factor_real)at;
        PD_BARRIER();
        least = sums[0];
        at = 0u;
        FACTOR_ROLLED
        for (i = 1u; i < FACTOR_WG; i++) {
            if (sums[i] < least) at = i;
            if (sums[i] < least) least = sums[i];
        }
        at = (pd_u32)sums[FACTOR_WG + at];
        for (i = lid; i < m; i += FACTOR_WG) { // of an axis the products are known
            factor_real re = i == at ? FACTOR_C(1.0f) : FACTOR_C(0.0f);
#if FACTOR_COMPLEX
            factor_real im = FACTOR_C(0.0f);
#endif
            FACTOR_ROLLED
            for (j = 0u; j < place; j++) {
                const pd_u32 other = order[j] * pitch;
                re -= w[other + i] * w[other + at];
#if FACTOR_COMPLEX
                re -= w[plane + other + i] * w[plane + other + at];
                im -= w[plane + other + i] * w[other + at];
                im += w[other + i] * w[plane + other + at];
#endif
            }
            w[column + i] = re;
#if FACTOR_COMPLEX
            w[plane + column + i] = im;
#endif
        }
        PD_BARRIER();
        if (lid < place) { // once more: this item's column
            const pd_u32 other = order[lid] * pitch;
            factor_real gre = FACTOR_C(0.0f), gim = FACTOR_C(0.0f);
            FACTOR_ROLLED
            for (i = 0u; i < m; i++) {
                gre += w[other + i] * w[column + i];
#if FACTOR_COMPLEX
                gre += w[plane + other + i] * w[plane + column + i];
                gim += w[other + i] * w[plane + column + i];
                gim -= w[plane + other + i] * w[column + i];
#endif
            }
            sums[lid] = gre;
            sums[FACTOR_WG + lid] = gim;
        }
        PD_BARRIER();
        for (i = lid; i < m; i += FACTOR_WG) {
            FACTOR_ROLLED
            for (j = 0u; j < place; j++) {
                const pd_u32 other = order[j] * pitch + i;
                w[column + i] -= sums[j] * w[other];
#if FACTOR_COMPLEX
                w[column + i] += sums[FACTOR_WG + j] * w[plane + other];
                w[plane + column + i] -= sums[j] * w[plane + other];
                w[plane + column + i] -= sums[FACTOR_WG + j] * w[other];
#endif
            }
        }
        PD_BARRIER();
        FACTOR_ROLLED
        for (i = 0u; i < m; i++) {
            norm += w[column + i] * w[column + i];
#if FACTOR_COMPLEX
            norm += w[plane + column + i] * w[plane + column + i];
#endif
        }
        norm = FACTOR_C(1.0f) / FACTOR_SQRT(norm);
        PD_BARRIER(); // all have read it
        for (i = lid; i < m; i += FACTOR_WG) {
            w[column + i] *= norm;
#if FACTOR_COMPLEX
            w[plane + column + i] *= norm;
#endif
        }
        PD_BARRIER();
    }
}

// Sweeps of rotations until columns of w are orthogonal, and with them those of v. 0 when 30 are
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

// The values in order, descending or ascending, for who wants them; a matrix that is not finite
// (power 0) has none. Returns power, or 0 when a value would be infinite: then none is written.
FACTOR_FN pd_u32 factor_values(PD_GPTR(factor_real) out, PD_LPTR(factor_real) values, pd_u32 n,
                             pd_u32 ascending, pd_u32 power, pd_u32 b,
                             PD_LPTR(pd_u32) steps, PD_LPTR(pd_u32) order)
{
    const pd_u32 lid = PD_LID, flags = steps[17];
    const factor_real scale =
        FACTOR_POWER((flags & FACTOR_RELATIVE) != 0u ? FACTOR_TOP / 2u : power);
    factor_order(n, values, ascending, order);
    if ((flags & FACTOR_VALUES) == 0u || power == 0u) return power;
    if (FACTOR_HIGH(values[order[0]] * scale) == FACTOR_TOP ||
        FACTOR_HIGH(values[order[n - 1u]] * scale) == FACTOR_TOP)
        return 0u;
    if (lid < n)
        out[steps[12] + b * steps[13] + lid * steps[14]] = values[order[lid]] * scale;
    return power;
}

// The columns of v in order, to the tensor whose steps begin at `axes`; conjugated or not.
FACTOR_FN void factor_columns(PD_GPTR(const factor_real) v, PD_GPTR(factor_real) to, pd_u32 n,
                              pd_u32 axes, pd_u32 conjugated, pd_u32 b,
                              PD_LPTR(pd_u32) steps, PD_LPTR(pd_u32) order)
{
    for (pd_u32 e = PD_LID; e < n * n; e += FACTOR_WG) {
        const pd_u32 column = order[e / n], at = factor_at(steps, axes, b, e % n, e / n);
        to[at] = v[FACTOR_V(e % n)];
#if FACTOR_COMPLEX
        to[at + 1u] = conjugated ? -v[n * n + FACTOR_V(e % n)] : v[n * n + FACTOR_V(e % n)];
#endif
    }
    (void)conjugated;
}

PD_KERNEL(padic_k_factor_svd)
(PD_CBUF(factor_real, a), PD_BUF(factor_real, x), PD_BUF(factor_real, y), PD_BUF(factor_real, out),
 PD_BUF(pd_u32, info), PD_BUF(factor_real, scratch), PD_PARAMS(padic_k_factor_params, k))
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
        // Here and not before the barrier, over which PoCL loses it.
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

// A Hermitian matrix by rotations from both sides, disjoint pairs at the same time.
PD_KERNEL_MIN(padic_k_factor_eigh, PD_WG, 4)
(PD_CBUF(factor_real, a), PD_BUF(factor_real, x), PD_BUF(factor_real, out), PD_BUF(pd_u32, info),
 PD_BUF(factor_real, scratch), PD_PARAMS(padic_k_factor_params, k))
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
        const pd_u32 players = n + (n & 1u), teams = players / 2u, size_of = factor_team(teams);
        const pd_u32 team = lid / size_of, lane = lid % size_of;
#if FACTOR_COMPLEX
        const pd_u32 plane = pitch * n;
#endif
        // Here and not before the barrier, over which PoCL loses it.
        PD_GPTR(factor_real) v = scratch + PD_GRP * (FACTOR_PARTS * n * n);
        pd_u32 power = factor_read(a, n, n, b, 1u, 0u, steps, w, sums, state);
        pd_u32 turned = 1u, sweep, i, e;
        factor_real tiny = FACTOR_C(0.0f);
        if ((flags & FACTOR_LEFT) != 0u) factor_one(v, n);
        for (e = lid; e < n * n; e += FACTOR_WG) {
            const pd_u32 at = e / n * pitch + e % n;
            tiny += w[at] * w[at];
#if FACTOR_COMPLEX
            tiny += w[plane + at] * w[plane + at];
#endif
        }
        sums[lid] = tiny;
        sums[FACTOR_WG + lid] = sums[2u * FACTOR_WG + lid] = FACTOR_C(0.0f);
        sums[3u * FACTOR_WG + lid] = FACTOR_C(0.0f);
        factor_sum(sums, lid, FACTOR_WG);
        tiny = FACTOR_C(0.125f) * FACTOR_EPS * FACTOR_SQRT(sums[0]);
        for (sweep = 0u; sweep < 30u && turned != 0u; sweep++) {
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
                gim = q < n ? w[plane + q * pitch + p] : FACTOR_C(0.0f);
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
                {
                    FACTOR_ANGLE(app, aqq, gre, gim, 0);
                    for (i = lane; i < n && turn != 0u; i += size_of)
                        FACTOR_ROTATE(w, plane, p * pitch + i, q * pitch + i);
                    for (i = lane; i < n && turn != 0u && (flags & FACTOR_LEFT) != 0u;
                         i += size_of)
                        FACTOR_ROTATE(v, n * n, p * n + i, q * n + i);
                    PD_BARRIER();
                    for (i = lane; i < n && turn != 0u; i += size_of) { // rows: conjugates
                        const pd_u32 X = i * pitch + p, Y = i * pitch + q;
#if FACTOR_COMPLEX
                        const factor_real xr = w[X], xi = w[plane + X], yr = w[Y];
                        const factor_real yi = w[plane + Y];
                        const factor_real pr = yr * ere - yi * eim, pi = yi * ere + yr * eim;
                        w[plane + X] = c * xi - s * pi;
                        w[plane + Y] = s * xi + c * pi;
#else
                        const factor_real xr = w[X], pr = w[Y] * ere;
#endif
                        w[X] = c * xr - s * pr;
                        w[Y] = s * xr + c * pr;
                    }
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
                PD_BARRIER_ALL();
            }
            turned = state[FACTOR_TURNED];
        }
        if (lid < n) values[lid] = power != 0u ? w[lid * pitch + lid] : FACTOR_C(0.0f);
        power = factor_values(out, values, n, 1u, power, b, steps, order);
        if (lid == 0u)
            info[steps[18] + b * steps[19]] =
                power == 0u ? steps[20] : turned == 0u || n < 2u ? 0u : steps[21];
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

// Columns at + 1 to end - 1, from row `at` on, by reflection `at`: a team a column.
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

// Reflections. Column j of w below its diagonal becomes the reflection's vector; R, above, is
// written, and the reflections of 1 become Q in place of the vectors, the last one first. A column
// so small that its squares lose digits is first made larger by FACTOR_UP: its reflection is the
// same, its `beta` larger, and its `tau` kept negative.
PD_KERNEL(padic_k_factor_qr)
(PD_CBUF(factor_real, a), PD_BUF(factor_real, x), PD_BUF(factor_real, y), PD_BUF(pd_u32, info),
 PD_PARAMS(padic_k_factor_params, k))
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
        pd_u32 at, i, j, e, pass;
        for (at = 0u; at < r; at++) {
            const pd_u32 pivot = at * pitch;
            pd_u32 small_ = 1u;
            for (pass = 0u; pass < 2u && small_ != 0u; pass++) {
                factor_real norm2 = FACTOR_C(0.0f);
                PD_BARRIER(); // all have read the sum
                for (i = at + lid; i < m; i += FACTOR_WG) {
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
            if (lid == 0u) {
                const factor_real re = w[pivot + at], norm = FACTOR_SQRT(sums[0]);
#if FACTOR_COMPLEX
                const factor_real im = w[plane + pivot + at], first = factor_size(re, im);
                const factor_real pim = first > FACTOR_C(0.0f) ? im / first : FACTOR_C(0.0f);
                w[plane + pivot + at] = im + pim * norm;
                beta[FACTOR_MOST + at] = -pim * norm;
#else
                const factor_real first = factor_abs(re);
                beta[FACTOR_MOST + at] = FACTOR_C(0.0f);
#endif
                {
                    const factor_real pre = first > FACTOR_C(0.0f) ? re / first : FACTOR_C(1.0f);
                    const factor_real all = sums[0] + norm * first;
                    w[pivot + at] = norm > FACTOR_C(0.0f) ? re + pre * norm : re;
                    beta[at] = -pre * norm;
                    tau[at] = all > FACTOR_C(0.0f) ? FACTOR_C(1.0f) / all : FACTOR_C(0.0f);
                    if (small_ != 0u) tau[at] = -tau[at];
                }
            }
            PD_BARRIER();
            factor_reflect(w, pitch, plane, m, at, n, factor_abs(tau[at]), sums);
        }
        if (lid == 0u) state[FACTOR_BAD] = 0u;
        PD_BARRIER();
        for (pass = 0u; pass < 2u; pass++) { // whether all of R is finite; to y
            const pd_u32 end = power != 0u && (flags & FACTOR_RIGHT) != 0u ? r * n : 0u;
            pd_u32 bad = 0u;
            for (e = lid; e < end; e += FACTOR_WG) {
                const pd_u32 row = e % r;
                const pd_u32 to = factor_at(steps, FACTOR_Y, b, row, e / r);
                const factor_real bre = beta[row], size = factor_size(bre, beta[FACTOR_MOST + row]);
                factor_real re;
                j = e / r;
                re = row == j ? size : row > j ? FACTOR_C(0.0f) : w[j * pitch + row];
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
        if (lid == 0u)
            info[steps[18] + b * steps[19]] = power == 0u ? steps[20] : 0u;
        PD_BARRIER();
        for (at = r; at > 0u; at--) { // of column at - 1
            const pd_u32 pivot = (at - 1u) * pitch;
            factor_real gre;
#if FACTOR_COMPLEX
            factor_real gim;
#endif
            factor_reflect(w, pitch, plane, m, at - 1u, r, factor_abs(tau[at - 1u]), sums);
            gre = factor_abs(tau[at - 1u]) * w[pivot + at - 1u]; // axis - tau v conj(v_at)
#if FACTOR_COMPLEX
            gim = -factor_abs(tau[at - 1u]) * w[plane + pivot + at - 1u];
#endif
            PD_BARRIER();
            for (i = lid; i < m; i += FACTOR_WG) {
                const factor_real axis = i + 1u == at ? FACTOR_C(1.0f) : FACTOR_C(0.0f);
                const factor_real vr = i + 1u < at ? FACTOR_C(0.0f) : w[pivot + i];
#if FACTOR_COMPLEX
                const factor_real vi = i + 1u < at ? FACTOR_C(0.0f) : w[plane + pivot + i];
                w[pivot + i] = axis - gre * vr + gim * vi;
                w[plane + pivot + i] = -gre * vi - gim * vr;
#else
                w[pivot + i] = axis - gre * vr;
#endif
            }
            PD_BARRIER();
        }
        for (e = lid; e < m * r && power != 0u && (flags & FACTOR_LEFT) != 0u; e += FACTOR_WG) {
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
        PD_BARRIER_ALL();
    }
}

// A state cut in two: number (i, j) lies at the sum of three places, of i, of j / low and of
// j % low, which stand one after another. x: columns of `rows` numbers. wide: the state is F64.
typedef struct {
    pd_u32 first, rows, columns, low, wide;
} padic_k_factor_cut_params;

PD_FN factor_real factor_number(PD_GPTR(const pd_u32) state, pd_u32 at, pd_u32 wide)
{
#if PD_FACTOR_F64
    if (wide != 0u) return PD_AS_F64(PD_U64(state[at], state[at + 1u]));
#else
    (void)wide;
#endif
    return FACTOR_C(PD_AS_F32(state[at]));
}

PD_KERNEL(padic_k_factor_cut)
(PD_CBUF(pd_u32, state), PD_CBUF(pd_i32, places), PD_BUF(factor_real, x),
 PD_PARAMS(padic_k_factor_cut_params, k))
{
    const pd_u32 words = k.wide != 0u ? 2u : 1u, count = k.rows * k.columns;
    const pd_u32 high = k.columns / k.low;
    for (pd_u32 e = PD_GID; e < count; e += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 i = e % k.rows, j = e / k.rows;
        const pd_i32 to = places[i] + places[k.rows + j / k.low];
        const pd_u32 at = (pd_u32)(to + places[k.rows + high + j % k.low]);
        x[FACTOR_PARTS * e] =
            factor_number(state, k.first + at * FACTOR_PARTS * words, k.wide);
#if FACTOR_COMPLEX
        x[2u * e + 1u] = factor_number(state, k.first + (2u * at + 1u) * words, k.wide);
#endif
    }
}

// Gram matrices, sum over columns of x x^dagger: a tile of 16 x 16 a group, of the lower triangle;
// group number y: a part of the columns.
typedef struct {
    pd_u32 rows, columns, part;
} padic_k_factor_gram_params;

#define GRAM_TILE 16u
#define GRAM_PITCH 17u
#define GRAM_CELLS (PD_FACTOR_PARTS * 16 * 17)
#define GRAM_PLANE 272u

// Lines `from` and on of 16 columns, as far as there are.
PD_FN void gram_load(PD_GPTR(const factor_real) x, pd_u32 rows, pd_u32 from, pd_u32 base,
                     pd_u32 end, PD_LPTR(factor_real) to)
{
    for (pd_u32 e = PD_LID; e < GRAM_TILE * GRAM_TILE; e += FACTOR_WG) {
        const pd_u32 row = from + e % GRAM_TILE, column = base + e / GRAM_TILE;
        const pd_u32 cell = e / GRAM_TILE * GRAM_PITCH + e % GRAM_TILE;
        const pd_u32 there = row < rows && column < end ? 1u : 0u;
        const pd_u32 at = there != 0u ? FACTOR_PARTS * (column * rows + row) : 0u;
        to[cell] = there != 0u ? x[at] : FACTOR_C(0.0f);
#if FACTOR_COMPLEX
        to[GRAM_PLANE + cell] = there != 0u ? x[at + 1u] : FACTOR_C(0.0f);
#endif
    }
}

PD_KERNEL(padic_k_factor_gram)
(PD_CBUF(factor_real, x), PD_BUF(factor_real, out), PD_PARAMS(padic_k_factor_gram_params, k))
{
    PD_LOCAL factor_real left[GRAM_CELLS];
    PD_LOCAL factor_real right[GRAM_CELLS];
    const pd_u32 lid = PD_LID, first = PD_GRP_Y * k.part;
    const pd_u32 end = k.columns - first < k.part ? k.columns : first + k.part;
    pd_u32 down = 0u, across = PD_GRP;
    while (across > down) { // rows of tiles: 1, 2, 3 ... of them
        down += 1u;
        across -= down;
    }
    for (pd_u32 cell = lid; cell < GRAM_TILE * GRAM_TILE; cell += FACTOR_WG) {
        const pd_u32 y = cell / GRAM_TILE, z = cell % GRAM_TILE;
        const pd_u32 i = down * GRAM_TILE + y, j = across * GRAM_TILE + z;
        factor_real re = FACTOR_C(0.0f);
#if FACTOR_COMPLEX
        factor_real im = FACTOR_C(0.0f);
#endif
        for (pd_u32 base = first; base < end; base += GRAM_TILE) {
            PD_BARRIER();
            gram_load(x, k.rows, down * GRAM_TILE, base, end, left);
            gram_load(x, k.rows, across * GRAM_TILE, base, end, right);
            PD_BARRIER();
            for (pd_u32 s = 0u; s < GRAM_TILE; s++) {
                const factor_real ar = left[s * GRAM_PITCH + y];
                const factor_real br = right[s * GRAM_PITCH + z];
                re += ar * br;
#if FACTOR_COMPLEX
                {
                    const factor_real ai = left[GRAM_PLANE + s * GRAM_PITCH + y];
                    const factor_real bi = right[GRAM_PLANE + s * GRAM_PITCH + z];
                    re += ai * bi;
                    im += ai * br;
                    im -= ar * bi;
                }
#endif
            }
        }
        if (i < k.rows && j < k.rows) {
            const pd_u32 plane = PD_GRP_Y * k.rows * k.rows;
            out[FACTOR_PARTS * (plane + i * k.rows + j)] = re;
            if (down != across) out[FACTOR_PARTS * (plane + j * k.rows + i)] = re;
#if FACTOR_COMPLEX
            out[2u * (plane + i * k.rows + j) + 1u] = im;
            if (down != across) out[2u * (plane + j * k.rows + i) + 1u] = -im;
#endif
        }
    }
}

// out = the sum of `parts` matrices of `count` numbers, one after another.
typedef struct {
    pd_u32 count, parts;
} padic_k_factor_add_params;

PD_KERNEL(padic_k_factor_add)
(PD_CBUF(factor_real, x), PD_BUF(factor_real, out), PD_PARAMS(padic_k_factor_add_params, k))
{
    for (pd_u32 e = PD_GID; e < k.count; e += PD_NGRP * (pd_u32)PD_WG) {
        factor_real sum = FACTOR_C(0.0f);
        for (pd_u32 part = 0u; part < k.parts; part++) sum += x[part * k.count + e];
        out[e] = sum;
    }
}
