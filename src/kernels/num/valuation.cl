// valuation.cl: valuations, norms, units, equality.

// The valuation of a cell; its status goes to its bits.
PD_FN num_cell num_cell_valuation(const num_ring r, num_cell given)
{
    num_cell a = given;
    (void)r;
#if PD_NUM_MODEL == 0
    const pd_u32 v = num_valuation(r, a.u);
    a.v = v < r.n ? (pd_i32)v : NUM_ZERO;
#else
    if (a.v != NUM_ZERO && a.v != NUM_NAN && !a.n) a.bits |= NUM_PRECLOSS;
#endif
    return a;
}

#if PD_NUM_OP == NUM_OP_SPLIT
PD_FN pd_u32 num_item_split(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell x = num_cell_valuation(r, num_load(r, w.a, i));
    const pd_i32 v = x.v;
#if PD_NUM_MODEL == 0
    if (v != NUM_ZERO && v) {
        const num_parts s = num_split(r, x.u);
        x.u = s.u;
        x.bits |= NUM_PRECLOSS;
    }
    x.v = 0;
#endif
    if (w.has_other0) ((PD_GPTR(pd_i32))w.other0)[i] = v;
    if (x.v != NUM_ZERO && x.v != NUM_NAN) x.v = 0;
    return num_store(w.out, i, x);
}
#define NUM_ITEM num_item_split
#endif

// The valuation of a, or of a - b.
#if PD_NUM_OP == NUM_OP_VALUATION || PD_NUM_OP == NUM_OP_EQUAL || PD_NUM_OP == NUM_OP_TROPICAL
PD_FN num_cell num_valuation_of(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell x = num_load(r, w.a, i);
    if (w.has_b) x = num_cell_sum(r, x, num_load(r, w.b, i), 1u);
    return num_cell_valuation(r, x);
}
#endif

#if PD_NUM_OP == NUM_OP_VALUATION && PD_NUM_SIZE
// Norms, floats of PD_NUM_SIZE bytes, to other1. other2: p^-v for |v| <= k, from v = -k on. A norm
// outside of this table is out of range.
PD_FN pd_u32 num_norm(const num_work w, const num_cell x, pd_u32 i)
{
    const pd_u64 top = PD_NUM_SIZE == 8 ? (pd_u64)0x7ff00000u << 32 : (pd_u64)0x7f800000u;
    const pd_i32 most = (pd_i32)w.k;
    pd_u64 norm = 0u;
    pd_u32 range = 0u;
    if (x.v == NUM_NAN)
        norm = top | top >> 1;
    else if (x.v < -most)
        norm = top;
    else if (x.v <= most)
        norm = ((PD_GPTR(num_item))w.other2)[(pd_u32)(x.v + most)];
    if (norm == top) range = NUM_RANGE;
    num_int_store(w.other1, i, norm);
    return range;
}
#endif

#if PD_NUM_OP == NUM_OP_VALUATION
PD_FN pd_u32 num_item_valuation(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell x = num_valuation_of(r, w, i);
    if (w.has_other0) ((PD_GPTR(pd_i32))w.other0)[i] = x.v;
#if PD_NUM_SIZE
    x.bits |= num_norm(w, x, i);
#endif
    return x.bits;
}
#define NUM_ITEM num_item_valuation
#endif

#if PD_NUM_OP == NUM_OP_TROPICAL && PD_NUM_SIZE == 8
// -v ln p as a double; k, stride: ln p in units of 2^-122
PD_FN pd_u32 num_item_tropical(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell x = num_valuation_of(r, w, i);
    const pd_u64 v = x.v < 0 ? 0u - (pd_u64)(pd_i64)x.v : (pd_u64)x.v;
    const pd_u64 product = w.stride * v, low = product + PD_MULHI64(w.k, v);
    const pd_u32 high = (pd_u32)PD_MULHI64(w.stride, v) + (low < product ? 1u : 0u);
    const pd_u32 down = 32u - PD_CLZ(high); // to 64 bits; more follow below them
    const pd_u64 m = down ? low >> down | (pd_u64)high << (64u - down) : low;
    num_rounded y = num_round(m, (pd_i64)down + 64 - 122, 1u, 52u, 11u);
    if (x.v > 0) y.bits |= (pd_u64)1u << 63;
    if (x.v == NUM_ZERO) y.bits = (pd_u64)0xfff00000u << 32;
    if (x.v == NUM_NAN) y.bits = (pd_u64)0x7ff80000u << 32;
    num_int_store(w.other0, i, y.bits);
    return 0u;
}
#define NUM_ITEM num_item_tropical
#elif PD_NUM_OP == NUM_OP_TROPICAL
PD_FN pd_u32 num_item_tropical(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell x = num_valuation_of(r, w, i);
    ((PD_GPTR(pd_i32))w.other0)[i] = x.v == NUM_NAN ? x.v : -x.v;
    return 0u;
}
#define NUM_ITEM num_item_tropical
#endif

#if PD_NUM_OP == NUM_OP_EQUAL
PD_FN pd_u32 num_item_equal(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell x = num_valuation_of(r, w, i);
    ((PD_GPTR(pd_u8))w.other0)[i] = x.v == NUM_NAN                ? (pd_u8)0u
                                    : (pd_i64)x.v >= (pd_i64)w.k ? (pd_u8)1u
                                    : PD_NUM_MODEL == 2 && !x.n  ? (pd_u8)2u
                                                                 : (pd_u8)0u;
    return 0u;
}
#define NUM_ITEM num_item_equal
#endif
