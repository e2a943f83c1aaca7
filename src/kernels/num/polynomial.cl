// polynomial.cl: values of polynomials.

#if NUM_POLYNOMIAL
// One step of Horner's rule modulo P, x y + c, by Montgomery products, y in that form. If P leaves
// room (NUM_ROOMY) x is not reduced below P. 32 bits, P < 2^31: c is given as c R, and x stays
// below 2 P. 64 bits, P < 2^62: c is given as P + c; x is below 3 P.
#if PD_NUM_TWO
#define NUM_ROOMY(r) 1
#define NUM_STEP(x, y, c) ((x) * (y) + (c))
#define NUM_STEP_ROOMY(x, y, c) NUM_STEP(x, y, c)
#elif PD_NUM_BITS == 32
#define NUM_ROOMY(r) ((r).base >> 31 == 0u)
#define NUM_STEP(x, y, c) num_step(r, x, y, c)
#define NUM_STEP_ROOMY(x, y, c) num_step_roomy(r, x, y, c)
PD_FN pd_u32 num_step(const num_ring r, pd_u32 x, pd_u32 y, pd_u64 c)
{
    const pd_u64 t = PD_MULWIDE(x, y) + c; // below P^2
    const pd_u32 high = (pd_u32)(t >> 32), h = PD_MULHI32((pd_u32)t * r.inverse, r.base);
    return high >= h ? high - h : high + r.base - h;
}

PD_FN pd_u32 num_step_roomy(const num_ring r, pd_u32 x, pd_u32 y, pd_u64 c)
{
    const pd_u64 t = PD_MULWIDE(x, y) + c; // below 2 P^2
    return (pd_u32)((PD_MULWIDE((pd_u32)t * (0u - r.inverse), r.base) + t) >> 32);
}
#else
#define NUM_ROOMY(r) ((r).base >> 62 == 0u)
#define NUM_STEP(x, y, c) num_add(r, num_mont(r, x, y), c)
#define NUM_STEP_ROOMY(x, y, c) num_step_roomy(r, x, y, c)
PD_FN pd_u64 num_step_roomy(const num_ring r, pd_u64 x, pd_u64 y, pd_u64 c)
{
    return PD_MULHI64(x, y) - PD_MULHI64(x * y * r.inverse, r.base) + c;
}
#endif

// A coefficient in the representation of the steps.
PD_FN num_u num_coefficient(const num_ring r, num_u c, pd_u32 roomy)
{
    (void)r, (void)roomy;
#if PD_NUM_TWO
    return c;
#elif PD_NUM_BITS == 32
    return num_enter(r, c);
#else
    return roomy ? c + r.base : c;
#endif
}

// The final reduction.
PD_FN num_u num_settled(const num_ring r, num_u given)
{
    num_u x = given;
#if PD_NUM_TWO
    x &= r.base;
#else
    if (PD_NUM_BITS == 64 && x >= r.base) x -= r.base;
    if (x >= r.base) x -= r.base;
#endif
    return x;
}
#define NUM_TILE 512u // coefficients at a time in local memory
#if PD_NUM_TWO
#define NUM_SLOT num_u
#else
#define NUM_SLOT pd_u64
#endif

// Shared coefficients lie in local memory; each is read once for several points.
PD_FN void num_horner_shared(const num_ring r, const num_work w, PD_LPTR(pd_u64) tile)
{
    const pd_u32 terms = (pd_u32)w.k, roomy = NUM_ROOMY(r) ? 1u : 0u;
    for (pd_u32 first = 0u; first < w.count && !w.stride;) { // the same for all items
        const pd_u32 points = w.count - first > (PD_NUM_POINTS - 1u) * w.step ? PD_NUM_POINTS : 1u;
        num_u x[PD_NUM_POINTS], y[PD_NUM_POINTS];
        for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++) {
            const pd_u32 at = first + j * w.step + PD_GID;
            x[j] = 0u;
            y[j] = j < points && at < w.count ? num_enter(r, w.a.unit[at & w.a.mask]) : 0u;
        }
        for (pd_u32 top = terms; top > 0u;) {
            const pd_u32 n = top < NUM_TILE ? top : NUM_TILE;
            PD_BARRIER();
            for (pd_u32 t = PD_LID; t < n; t += PD_WG)
                tile[t] = num_coefficient(r, w.c.unit[top - 1u - t], roomy);
            PD_BARRIER();
            top -= n;
            if (points > 1u && roomy) {
                for (pd_u32 t = 0u; t < n; t++) {
                    const NUM_SLOT c = (NUM_SLOT)tile[t];
                    for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++)
                        x[j] = NUM_STEP_ROOMY(x[j], y[j], c);
                }
            } else if (points > 1u) {
                for (pd_u32 t = 0u; t < n; t++) {
                    const NUM_SLOT c = (NUM_SLOT)tile[t];
                    for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++) x[j] = NUM_STEP(x[j], y[j], c);
                }
            } else if (roomy) {
                for (pd_u32 t = 0u; t < n; t++)
                    x[0] = NUM_STEP_ROOMY(x[0], y[0], (NUM_SLOT)tile[t]);
            } else {
                for (pd_u32 t = 0u; t < n; t++) x[0] = NUM_STEP(x[0], y[0], (NUM_SLOT)tile[t]);
            }
        }
        for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++) {
            const pd_u32 at = first + j * w.step + PD_GID;
            if (j >= points || at >= w.count) continue;
            w.out.unit[at] = num_settled(r, x[j]);
            if (w.has_status) w.status[at] = (pd_u8)0u;
        }
        first += points * w.step;
    }
}

// Each point with its own coefficients, `stride` elements apart.
PD_FN void num_horner_own(const num_ring r, const num_work w)
{
    const pd_u32 terms = (pd_u32)w.k;
    for (pd_u32 i = PD_GID; i < w.count && w.stride; i += w.step) {
        const num_u point = num_enter(r, w.a.unit[i & w.a.mask]);
        pd_u32 t = terms - 1u;
        num_u x = w.c.unit[t * w.stride + i];
        for (; t > 0u; t--)
            x = num_add(r, num_mont(r, point, x), w.c.unit[(t - 1u) * w.stride + i]);
        w.out.unit[i] = x;
        if (w.has_status) w.status[i] = (pd_u8)0u;
    }
}
#endif

#if PD_NUM_OP == NUM_OP_HORNER && !NUM_POLYNOMIAL
// Coefficients: k of them, shared or `stride` elements apart.
PD_FN pd_u32 num_item_horner(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell y = num_load(r, w.a, i);
    pd_u32 t = (pd_u32)w.k - 1u;
    num_cell x = num_load(r, w.c, w.stride ? t * w.stride + i : t);
    for (; t > 0u; t--) {
        const num_cell c = num_load(r, w.c, w.stride ? (t - 1u) * w.stride + i : t - 1u);
        const pd_u32 bits = x.bits;
        x = num_cell_fma(r, x, y, c);
        if (x.v != NUM_NAN) x.bits |= bits;
    }
    return num_store(w.out, i, x);
}
#define NUM_ITEM num_item_horner
#endif
