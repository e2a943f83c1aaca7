// hensel.cl: roots of polynomials from seeds; code shared with the search for all roots.

#if PD_NUM_OP == NUM_OP_HENSEL || PD_NUM_OP == NUM_OP_HENSEL_ALL
typedef struct {
#if PD_NUM_OP == NUM_OP_HENSEL
    num_planes planes;
    pd_u64 at, stride; // of the coefficients
#else
    PD_GPTR(num_u) words; // residues
#endif
    pd_u32 terms, spare;
} num_polynomial;

// y = f(x), slope = f'(x).
typedef struct {
    num_u y, slope;
} num_value;

// The known digits of p^v u modulo P, at most N; -1 if it is no integer.
PD_FN pd_i32 num_cell_known(const num_ring r, const num_cell c)
{
    (void)c;
#if PD_NUM_MODEL != 0
    if (c.v < 0) return -1;
#endif
    if (PD_NUM_MODEL == 2 && c.v < (pd_i32)r.n - (pd_i32)c.n) return c.v + (pd_i32)c.n;
    return (pd_i32)r.n;
}

PD_FN num_u num_cell_residue(const num_ring r, const num_cell c)
{
    (void)r;
#if PD_NUM_MODEL != 0
    return num_up(r, c.u, c.v); // of zero 0: its valuation is above all
#else
    return c.u;
#endif
}

PD_FN num_value num_polynomial_value(const num_ring r, const num_polynomial f, num_u x)
{
    const num_u point = num_enter(r, x);
    num_value value = {0u, 0u};
    for (pd_u32 t = f.terms; t > 0u; t--) {
#if PD_NUM_OP == NUM_OP_HENSEL
        const num_u c = num_cell_residue(r, num_load(r, f.planes, f.at + (t - 1u) * f.stride));
#else
        const num_u c = f.words[t - 1u];
#endif
        value.slope = num_add(r, num_mont(r, point, value.slope), value.y);
        value.y = num_add(r, num_mont(r, point, value.y), c);
    }
    return value;
}

// The root near x by Newton's method, if v(f(x)) > 2 v(f'(x)), given `known` digits of f: its
// digits, and how many of them are right; otherwise 0 are.
typedef struct {
    num_u u;
    pd_u32 n, spare;
} num_lifted;
PD_FN num_lifted num_lift(const num_ring r, const num_polynomial f, num_u x, pd_u32 known)
{
    num_lifted root;
    num_value value = num_polynomial_value(r, f, x);
    pd_u32 v = num_valuation(r, value.y), step = 0u;
    const pd_u32 s = num_valuation(r, value.slope);
    root.u = x;
    root.n = root.spare = 0u;
    if ((v < known ? v : known) <= 2u * s) return root;
    while (v < known && ++step < 20u) {
        const num_u inverse = num_inv_mont(r, num_enter(r, num_down(r, value.slope, s)));
        root.u = num_sub(r, root.u, num_mont(r, inverse, num_down(r, value.y, s)));
        value = num_polynomial_value(r, f, root.u);
        v = num_valuation(r, value.y);
    }
    root.n = known - s;
    root.u = num_low(r, root.u, root.n);
    return root;
}

// Such a root as a number.
PD_FN num_cell num_lifted_cell(const num_ring r, const num_lifted root)
{
    num_cell x = num_cell_of(r);
    x.u = root.u;
    x.n = root.n;
#if PD_NUM_MODEL == 0
    if (x.n < r.n) x.bits = NUM_PRECLOSS;
    return x;
#else
    return num_normal(r, x);
#endif
}
#endif

#if PD_NUM_OP == NUM_OP_HENSEL
PD_FN num_cell num_hensel(const num_ring r, const num_polynomial f, num_cell a)
{
    num_cell x = num_cell_of(r);
    pd_i32 known = (pd_i32)r.n;
    num_lifted root;
    NUM_NAN_OF(x, a)
    x.bits = NUM_OUTSIDE;
    for (pd_u32 t = 0u; t < f.terms; t++) {
        const pd_i32 n = num_cell_known(r, num_load(r, f.planes, f.at + t * f.stride));
        if (n < known) known = n;
    }
    if (known <= 0 || a.v < 0) return x;
    root = num_lift(r, f, num_cell_residue(r, a), (pd_u32)known);
    return root.n ? num_lifted_cell(r, root) : x;
}
#endif

#if PD_NUM_OP == NUM_OP_HENSEL
PD_FN pd_u32 num_item_hensel(const num_ring r, const num_work w, pd_u32 i)
{
    num_polynomial f;
    f.planes = w.c;
    f.at = w.stride ? i : 0u;
    f.stride = w.stride ? w.stride : 1u;
    f.terms = (pd_u32)w.k;
    f.spare = 0u;
    return num_store(w.out, i, num_hensel(r, f, num_load(r, w.a, i)));
}
#define NUM_ITEM num_item_hensel
#endif
