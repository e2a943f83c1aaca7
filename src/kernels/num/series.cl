// series.cl: exp, log and powers to a p-adic exponent, by series.

// c_0 + c_1 y + ..., `terms` coefficients.
PD_FN num_u num_series(const num_ring r, PD_GPTR(num_u) c, pd_u32 terms, num_u y)
{
    const num_u point = num_enter(r, y);
    num_u x = c[terms - 1u];
    for (pd_u32 t = terms - 1u; t > 0u; t--) x = num_add(r, num_mont(r, point, x), c[t - 1u]);
    return x;
}

#define NUM_SERIES_C (PD_NUM_TWO ? 2u : 1u) // the least v of x for exp

PD_FN num_cell num_cell_exp(const num_ring r, num_cell a, PD_GPTR(num_u) c, pd_u32 terms)
{
    num_cell x = num_cell_of(r);
    pd_i64 v = a.v;
    NUM_NAN_OF(x, a)
    x.u = 1u;
#if PD_NUM_MODEL == 0
    v = a.u ? (pd_i64)num_valuation(r, a.u) : NUM_ZERO;
#endif
    if (v < (pd_i64)NUM_SERIES_C) {
        x.bits = NUM_OUTSIDE;
        return x;
    }
    if (a.u) {
        const num_u y = PD_NUM_MODEL ? num_up(r, a.u, v) : a.u;
        x.u = num_series(r, c, terms, num_down(r, y, NUM_SERIES_C));
    }
#if PD_NUM_MODEL == 2
    if (v + (pd_i64)a.n < (pd_i64)r.n) {
        x.n = (pd_u32)v + a.n;
        x.u = num_low(r, x.u, x.n);
    }
#endif
    return x;
}

// `any` 1: of every number but 0, log p = 0 (Iwasawa). NUM_LESS_ONE must have been set.
PD_FN num_cell num_cell_log(const num_ring r, num_cell a, PD_GPTR(num_u) c, pd_u32 terms,
                            pd_u32 any)
{
    num_cell x = num_cell_of(r);
    num_u t, digit;
#if PD_NUM_MODEL == 1
    pd_u32 one;
#endif
    NUM_NAN_OF(x, a)
    x = num_parted(r, a);
    if (x.v == NUM_ZERO) x.n = 0u;
    digit = x.u - num_above(r, x.u) * NUM_P(r);
    if (!x.n || (!any && (x.v || digit != 1u))) {
        x.bits = NUM_OUTSIDE;
        return x;
    }
#if PD_NUM_TWO && PD_NUM_MODEL == 2
    if (x.n == 1u) { // logarithms of odd numbers are all of 4 Z_2
        x.v = 2;
        x.u = 0u;
        x.n = 0u;
        x.bits = NUM_PRECLOSS;
        return x;
    }
#endif
    x.v = 0;
#if PD_NUM_MODEL == 1
    one = x.u == 1u ? 1u : 0u;
#endif
    t = x.u;
#if PD_NUM_TWO
    if (t & 2u) t = num_sub(r, 0u, t);
#else
    if (digit != 1u) t = num_leave(r, num_pow(r, num_enter(r, t), (pd_u64)(NUM_P(r) - 1u)));
#endif
    x.u = num_series(r, c, terms, num_down(r, num_sub(r, t, 1u), NUM_SERIES_C));
#if !PD_NUM_TWO
    if (digit != 1u) x.u = num_mont(r, x.u, NUM_LESS_ONE(r));
#endif
#if PD_NUM_MODEL == 0
    if (x.n < r.n) {
        x.u = num_low(r, x.u, x.n);
        x.bits = NUM_PRECLOSS;
    }
#elif PD_NUM_MODEL == 1
    if (one) {
        x.v = NUM_ZERO;
        x.u = 0u;
    } else {
        x = num_normal(r, x);
    }
#else
    x = num_normal(r, x);
#endif
    return x;
}

#if PD_NUM_OP == NUM_OP_POW_PADIC
PD_FN num_cell num_cell_pow_padic(const num_ring r, num_cell a, num_cell b, PD_GPTR(num_u) c,
                                  pd_u32 terms, pd_u32 log_terms)
{
    num_cell x = num_cell_of(r), y;
    NUM_NAN_OF(x, a)
    NUM_NAN_OF(x, b)
    if (PD_NUM_TWO && (PD_NUM_MODEL == 2 ? a.n == 1u || a.u & 2u : r.n > 1u && a.u & 2u)) {
        x.bits = NUM_OUTSIDE;
        return x;
    }
    y = num_cell_log(r, a, c + terms, log_terms, 0u);
    if (y.bits & NUM_HARD) {
        x.bits = y.bits;
        return x;
    }
    y = num_cell_mul(r, y, b);
    y.bits = 0u;
    return num_cell_exp(r, y, c, terms);
}
#endif

#if PD_NUM_OP == NUM_OP_EXP
// other2: `stride` coefficients.
PD_FN pd_u32 num_item_exp(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i);
    PD_GPTR(num_u) const c = (PD_GPTR(num_u))w.other2;
    return num_store(w.out, i, num_cell_exp(r, a, c, (pd_u32)w.stride));
}
#define NUM_ITEM num_item_exp
#endif

#if PD_NUM_OP == NUM_OP_LOG
// other2: `stride` coefficients; k: Iwasawa's logarithm.
PD_FN pd_u32 num_item_log(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i);
    PD_GPTR(num_u) const c = (PD_GPTR(num_u))w.other2;
    const pd_u32 any = (pd_u32)w.k & 1u;
    return num_store(w.out, i, num_cell_log(r, a, c, (pd_u32)w.stride, any));
}
#define NUM_ITEM num_item_log
#endif

#if PD_NUM_OP == NUM_OP_POW_PADIC
// exp(b log a). other2: coefficients of exp, then of log; stride: how many, in two halves
PD_FN pd_u32 num_item_pow_padic(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i), b = num_load(r, w.b, i);
    PD_GPTR(num_u) const c = (PD_GPTR(num_u))w.other2;
    return num_store(w.out, i, num_cell_pow_padic(r, a, b, c, (pd_u32)w.stride,
                                                  (pd_u32)(w.stride >> 32)));
}
#define NUM_ITEM num_item_pow_padic
#endif
