// factor_vectors.cu: matrices in and out, phases of vectors, vectors that complete a basis.

// Number (i, j) of matrix b: 0 outside of it.
PD_FN void factor_take(const pd_f32 *a, const padic_k_tensor_factor_params &k, pd_u32 b, pd_u32 i,
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

// The biased exponent of the power of 2 that brings numbers of this size to about 1.
PD_FN pd_u32 factor_power(pd_u32 largest)
{
    const pd_u32 power = 254u - (largest >> 23);
    return power > 253u ? 253u : power < 1u ? 1u : power;
}

// Columns `rank` to n - 1 of w become unit vectors orthogonal to all previous ones, by one warp:
// the axis that those cover least, orthogonalised twice.
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

// Multiplies a column by the phase that makes its largest number (the first of those within 2^-19)
// real and positive, by `width` lanes; all lanes of the warp call it, those without a column with m
// = 0. No column has more than `rows` numbers.
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

// 1 if a value times the inverse scale is not finite.
PD_FN bool factor_beyond(const padic_k_tensor_factor_params &k, pd_f32 value, pd_f32 by)
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

// The position of value j of n, descending or ascending; equal ones keep their order.
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

// With the phases of another matrix.
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
