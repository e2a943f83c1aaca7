// program: factor
// texts: factor_params.cl factor_matrix.cl factor_sweeps.cl factor_vectors.cl factor_svd.cl
// texts: factor_eigh.cl factor_qr.cl
// factor.cl: singular values, QR and Hermitian eigenvalues of batches, one matrix per group;
// bipartitions of states and their Gram matrices, for entropies.
//
// The matrix lies in local memory, columns one after another, real parts before imaginary ones, its
// largest part scaled to about 1 by a power of 2. Jacobi rotations of disjoint pairs of columns run
// in parallel, each by a team of items; V, if requested, is in scratch memory, one place per group.
// A wide matrix is read as its adjoint by the driver's strides.
//
// variant: PD_FACTOR_PARTS=1

// A bipartitioned state: number (i, j) lies at the sum of three offsets, of i, of j / low and of j
// % low, which are consecutive. x: columns of `rows` numbers. wide: the state is F64.
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

// Gram matrices, sum over columns of x x^dagger: a tile of 16 x 16 per group, of the lower
// triangle; group number y: a part of the columns.
typedef struct {
    pd_u32 rows, columns, part;
} padic_k_factor_gram_params;

#define GRAM_TILE 16u
#define GRAM_PITCH 17u
#define GRAM_CELLS (PD_FACTOR_PARTS * 16 * 17)
#define GRAM_PLANE 272u

// Lines from `from` on of 16 columns, as far as they exist.
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
