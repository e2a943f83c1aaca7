// system.cl: systems of linear equations modulo P. Over the rationals: solve.cl.

#if PD_NUM_OP == NUM_OP_SOLVE
// other0, other1: A and B, integers of PD_NUM_SIZE bytes; other2: room, the entries of
// neighbours side by side; b: ranks; k: n, stride: sides here, and those of a system.
// Gauss and Jordan, with units as pivots.
PD_FN pd_u32 num_item_solve(const num_ring r, const num_work w, pd_u32 i)
{
    const pd_u32 n = (pd_u32)w.k, sides = (pd_u32)w.stride, all = (pd_u32)(w.stride >> 32);
    const pd_u32 cols = n + sides;
    PD_GPTR(num_u) const cells = (PD_GPTR(num_u))w.other2 + PD_GID;
    pd_u32 row = 0u;
    for (pd_u32 e = 0u; e < n * cols; e++) {
        const pd_u32 h = e / cols, j = e - h * cols;
        const num_int m = j < n ? num_int_load(w.other0, 1u, (i * n + h) * n + j)
                                : num_int_load(w.other1, 1u, (i * n + h) * all + j - n);
        const num_u u = num_enter(r, num_reduce(r, m.m));
        cells[e * w.step] = m.negative ? num_sub(r, 0u, u) : u;
    }
    for (pd_u32 c = 0u; c < n; c++) {
        pd_u32 top = row;
        num_u inverse;
        while (top < n && !num_unit(r, cells[(top * cols + c) * w.step])) top++;
        if (top == n) continue;
        inverse = num_inv_mont(r, cells[(top * cols + c) * w.step]);
        for (pd_u32 j = c; j < cols; j++) {
            const num_u x = cells[(top * cols + j) * w.step];
            if (top != row) cells[(top * cols + j) * w.step] = cells[(row * cols + j) * w.step];
            cells[(row * cols + j) * w.step] = num_mont(r, x, inverse);
        }
        for (pd_u32 h = 0u; h < n; h++) {
            const num_u factor = cells[(h * cols + c) * w.step];
            if (h == row || !factor) continue;
            for (pd_u32 j = c + 1u; j < cols; j++) {
                const num_u x = num_mont(r, factor, cells[(row * cols + j) * w.step]);
                cells[(h * cols + j) * w.step] = num_sub(r, cells[(h * cols + j) * w.step], x);
            }
        }
        row++;
    }
    for (pd_u32 e = 0u; e < n * sides; e++) {
        const pd_u32 h = e / sides, j = e - h * sides;
        w.out.unit[(i * n + h) * all + j] =
            row < n ? 0u : num_leave(r, cells[(h * cols + n + j) * w.step]);
    }
    if (w.has_b) ((PD_GPTR(pd_u32))(PD_GPTR(void))w.b.unit)[i] = row;
    return row < n ? NUM_NONUNIT : 0u;
}
#define NUM_ITEM num_item_solve
#endif
