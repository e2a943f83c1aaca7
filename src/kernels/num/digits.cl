// digits.cl: Teichmueller representatives; digits of three kinds, of PD_NUM_SIZE bytes.

// w(digit) for a nonzero digit; NUM_LESS_ONE must have been set. Newton for x^p = x turns e right
// digits into 2 e + 1. p = 2: 1.
PD_FN num_u num_teichmueller(const num_ring r, num_u digit)
{
    (void)r;
#if PD_NUM_TWO
    return digit;
#else
    num_u x = num_enter(r, digit);
    const num_u p = r.n > 1u ? num_enter(r, NUM_P(r)) : 0u;
    for (pd_u32 known = 1u; known < r.n; known = 2u * known + 1u) {
        const num_u power = num_pow(r, x, (pd_u64)NUM_P(r));
        x = num_mont(r, num_sub(r, num_mont(r, p, x), power), NUM_LESS_ONE(r));
    }
    return num_leave(r, x);
#endif
}

// 1 / (p - 1) in Montgomery form, odd p.
PD_FN num_u num_less_one(const num_ring r)
{
    return num_inv_mont(r, num_enter(r, NUM_P(r) - 1u));
}

#if NUM_WANTS_LESS_ONE
PD_FN void num_less_one_set(const num_ring r)
{
    const num_u less_one = num_less_one(r);
    if (PD_LID == 0u) NUM_LESS_ONE(r) = less_one;
    PD_BARRIER();
}
#endif

#if PD_NUM_OP == NUM_OP_TEICHMUELLER
PD_FN pd_u32 num_item_teichmueller(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell a = num_load(r, w.a, i), x = num_cell_of(r);
    const num_u residue = PD_NUM_TWO ? a.u & 3u : a.u - num_above(r, a.u) * NUM_P(r);
#if PD_NUM_MODEL != 0
    if (a.v == NUM_NAN) {
        x.v = NUM_NAN;
        x.bits = a.bits;
    } else {
        x.v = NUM_ZERO;
        if (a.v < 0) {
            x.bits = NUM_OUTSIDE;
        } else if (a.v == 0 && PD_NUM_MODEL == 2 && !a.n) {
            x.v = 0;
            x.n = 0u;
            x.bits = NUM_PRECLOSS;
        } else if (a.v == 0) {
            x.v = 0;
            x.n = r.n;
        }
    }
    if (x.v == 0 && !x.bits)
#endif
    {
#if PD_NUM_TWO
        x.u = residue & 1u;
        if (residue == 3u) x.u = num_sub(r, 0u, x.u);
        if (PD_NUM_MODEL == 2 && a.n == 1u && r.n > 1u) {
            x.n = 1u;
            x.bits = NUM_PRECLOSS;
        }
#else
        x.u = residue ? num_teichmueller(r, residue) : 0u;
#endif
    }
    return num_store(w.out, i, x);
}
#define NUM_ITEM num_item_teichmueller
#endif

#if PD_NUM_OP == NUM_OP_TO_DIGITS
// mode 16: other2 is u16. Without a stride each number has a row.
PD_FN pd_u32 num_item_to_digits(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell x = num_load(r, w.a, i);
    pd_u64 at = w.stride ? i : (pd_u64)i * r.n;
    num_u carry = 0u, u = x.v == NUM_NAN ? num_reduce(r, x.bits) : x.u;
    for (pd_u32 j = 0u; j < r.n; j++, at += w.stride ? w.stride : 1u) {
        num_u above = num_above(r, u), digit = u - above * NUM_P(r);
        pd_u64 shown;
        if (PD_NUM_KIND == 2 && digit) {
            u = num_sub(r, u, num_teichmueller(r, digit));
            above = num_above(r, u);
        }
        shown = (pd_u64)digit;
        if (PD_NUM_KIND == 1) { // digit + carry may reach p, which is 0 and a carry
            shown += carry;
            carry = shown > (pd_u64)(NUM_P(r) >> 1) ? 1u : 0u;
            if (carry) shown -= (pd_u64)NUM_P(r);
        }
        num_int_store(w.other0, at, shown);
        u = above;
    }
    if (w.has_other1) ((PD_GPTR(pd_i32))w.other1)[i] = x.v;
    if (w.has_other2) {
        if (w.mode & 16u)
            ((PD_GPTR(pd_u16))w.other2)[i] = (pd_u16)x.n;
        else
            ((PD_GPTR(pd_u8))w.other2)[i] = (pd_u8)x.n;
    }
    return x.bits;
}
#define NUM_ITEM num_item_to_digits
#endif

#if PD_NUM_OP == NUM_OP_FROM_DIGITS
PD_FN pd_u32 num_item_from_digits(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell x = num_cell_of(r);
    const pd_u64 p = (pd_u64)NUM_P(r), step = w.stride ? w.stride : 1u;
    pd_u64 at = w.stride ? i : (pd_u64)i * r.n, borrow = 0u;
    num_u power = 1u;
#if PD_NUM_KIND == 0 // in words of the digits' size: 64-bit sums would take longer than reading
    const num_item all = (num_item) ~(pd_u64)0u, top = p - 1u > all ? all : (num_item)(p - 1u);
    for (pd_u32 j = 0u; j < r.n; j++, at += step, power *= NUM_P(r)) {
        const num_item d = ((PD_GPTR(num_item))w.other0)[at];
        if (d > top) x.bits = NUM_OUTSIDE;
        x.u += (num_u)(d > top ? (num_item)0u : d) * (PD_NUM_TWO ? (num_u)1u << j : power);
    }
#else
    for (pd_u32 j = 0u; j < r.n; j++, at += step, power *= NUM_P(r)) {
        num_int d = num_int_load(w.other0, PD_NUM_KIND == 1 ? 1u : 0u, at);
        const pd_u64 top = d.negative ? (p - 1u) >> 1 : p >> 1;
        if (d.m > (PD_NUM_KIND == 1 ? top : p - 1u)) {
            x.bits = NUM_OUTSIDE;
            d.m = 0u;
        }
        if (PD_NUM_KIND == 1) {
            if (borrow && !d.m) d.negative = 1u;
            d.m = d.negative ? p - d.m - borrow : d.m - borrow;
            borrow = d.negative;
            x.u += (num_u)d.m * power;
        } else if (d.m) {
            x.u = num_add(r, x.u, num_mul(r, num_teichmueller(r, (num_u)d.m), power));
        }
    }
#endif
    (void)borrow, (void)p;
#if PD_NUM_MODEL != 0
    if (w.has_other1) x.v = ((PD_GPTR(pd_i32))w.other1)[i];
#endif
#if PD_NUM_MODEL == 2
    if (w.has_other2)
        x.n = w.mode & 16u ? ((PD_GPTR(pd_u16))w.other2)[i] : ((PD_GPTR(pd_u8))w.other2)[i];
#endif
    if (!x.bits && x.v == NUM_NAN)
        x.bits = (pd_u32)x.u & NUM_HARD ? (pd_u32)x.u & 255u : NUM_OUTSIDE;
    else if (x.n > r.n)
        x.bits = NUM_OUTSIDE;
    if (x.v != NUM_ZERO && x.v != NUM_NAN) {
        x.v = num_clamp(x.v);
        x = num_normal(r, x);
        if (PD_NUM_MODEL == 1) x.bits &= 0xffffffffu - NUM_PRECLOSS;
    }
    return num_store(w.out, i, x);
}
#define NUM_ITEM num_item_from_digits
#endif
