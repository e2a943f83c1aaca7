// place.cu: positions of tiles in a matrix, and indices of two sizes.

PD_FN void csp_index_set(pd_u32 *p, pd_u64 at, pd_u64 x, pd_u32 flags)
{
    if (flags & SPARSE_WIDE)
        ((pd_u64 *)p)[at] = x;
    else
        p[at] = (pd_u32)x;
}

// The row and column of the first counted element of a tile, and how many elements do not count.
typedef struct {
    pd_u64 row, col;
    pd_u32 skip;
} csp_place;

PD_FN csp_place csp_place_of(pd_u64 first, const padic_k_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi);
    csp_place p;
    pd_u64 e;
    p.skip = first < k.pad ? k.pad - (pd_u32)first : 0u;
    e = first + p.skip - k.pad;
    p.row = (e | cols) >> 32 ? e / cols : (pd_u64)((pd_u32)e / (pd_u32)cols);
    p.col = e - p.row * cols;
    return p;
}
