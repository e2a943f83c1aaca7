// factor_matrix.cl: a matrix in local memory, its parts, and its input.

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

// For functions with barriers: PoCL miscompiles them unless they are inlined.
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

// State of a group, in local memory.
#define FACTOR_BAD 0     // not finite
#define FACTOR_TURNED 1  // rotations in this sweep
#define FACTOR_RANK 2

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

// |re + i im|, also of small numbers whose squares underflow.
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
// or 0 if a number is not finite: the results are then not written. (Groups do not leave early:
// compilers that make loops of groups would duplicate everything that follows.)
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
