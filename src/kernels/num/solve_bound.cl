// solve_bound.cl: Hadamard's bounds of determinants.

#if PD_SOLVE_KIND == 2
// An upper bound m 2^e, m with its top bit set; 0 is m = 0. As padici_num_scale of padic.h.
typedef struct {
    pd_u64 m;
    pd_i32 e, spare;
} solve_scale;

// (high, low) 2^e, rounded up.
PD_FN solve_scale solve_scale_of(pd_u64 high, pd_u64 low, pd_i32 e)
{
    const pd_u32 bits = high ? 64u + solve_bits64(high) : solve_bits64(low);
    solve_scale x;
    x.m = 0u;
    x.e = e + (pd_i32)bits - 64;
    x.spare = 0;
    if (!bits) return x;
    x.m = bits < 64u      ? low << (64u - bits)
          : bits % 64u    ? high << (128u - bits) | low >> (bits - 64u)
          : bits == 64u   ? low
                          : high;
    if (bits > 64u && low << ((128u - bits) & 63u) && !++x.m) {
        x.m = (pd_u64)1u << 63;
        x.e++;
    }
    return x;
}

PD_FN solve_scale solve_scale_mul(const solve_scale a, const solve_scale b)
{
    return solve_scale_of(PD_MULHI64(a.m, b.m), a.m * b.m, a.e + b.e);
}

// The square of the norm of n integers from `first` on, `step` apart.
PD_FN solve_scale solve_norm(PD_GPTR(void) from, pd_u32 wide, pd_u32 first, pd_u32 n, pd_u32 step)
{
    pd_u64 all = 0u, high = 0u, low = 0u;
    pd_u32 shift;
    for (pd_u32 i = 0u; i < n; i++)
        all |= solve_magnitude(solve_load(from, wide, first + i * step));
    shift = all >> 60 ? 8u : 0u; // keeps the sum below 2^128
    for (pd_u32 i = 0u; i < n; i++) {
        const pd_u64 x = solve_magnitude(solve_load(from, wide, first + i * step));
        const pd_u64 above = PD_MULHI64(x, x), square = x * x;
        const pd_u64 add = shift ? (square >> 8 | above << 56) : square;
        low += add;
        high += (shift ? above >> 8 : above) + (low < add ? 1u : 0u);
        if (shift && !++low) high++;
    }
    return solve_scale_of(high, low, (pd_i32)shift);
}

// One group for each matrix. norm: of rows, of columns; then their products.
PD_FN void solve_bounds(SOLVE_ARGS, PD_LPTR(solve_scale) norm)
{
    const pd_u32 n = SOLVE_N;
    for (pd_u32 s = PD_GRP; s < k.count; s += SOLVE_ITEMS) {
        PD_BARRIER();
        for (pd_u32 i = PD_LID; i < 2u * n; i += SOLVE_WG)
            norm[i] = i < n ? solve_norm(SOLVE_SPOT(0), SOLVE_WIDE, (s * n + i) * n, n, 1u)
                            : solve_norm(SOLVE_SPOT(0), SOLVE_WIDE, s * n * n + i - n, n, n);
        PD_BARRIER();
        if (PD_LID < 2u) { // in the host's order: each step rounds
            solve_scale all;
            all.m = (pd_u64)1u << 63;
            all.e = -63;
            all.spare = 0;
            for (pd_u32 i = 0u; i < n; i++) all = solve_scale_mul(all, norm[PD_LID * n + i]);
            norm[PD_LID * n] = all;
        }
        PD_BARRIER();
        if (PD_LID == 0u) {
            const solve_scale rows = norm[0], cols = norm[n];
            const pd_u32 a = rows.m ? (pd_u32)(rows.e + 65) / 2u : 0u;
            const pd_u32 b = cols.m ? (pd_u32)(cols.e + 65) / 2u : 0u;
            ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = a < b ? a : b;
        }
    }
}
#endif
