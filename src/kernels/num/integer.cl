// integer.cl: numbers from integers and to them, of PD_NUM_SIZE bytes.

#if PD_NUM_SIZE == 1
typedef pd_u8 num_item;
#elif PD_NUM_SIZE == 2
typedef pd_u16 num_item;
#elif PD_NUM_SIZE == 4
typedef pd_u32 num_item;
#else
typedef pd_u64 num_item;
#endif

typedef struct {
    pd_u64 m;
    pd_u32 negative, spare;
} num_int;

PD_FN num_int num_int_load(PD_GPTR(void) from, pd_u32 is_signed, pd_u64 i)
{
    num_int x;
    const pd_u64 all = 0u - (pd_u64)1u;
    x.m = ((PD_GPTR(num_item))from)[i];
    x.negative = is_signed & (pd_u32)(x.m >> (8u * sizeof(num_item) - 1u));
    x.spare = 0u;
    if (x.negative) x.m = (0u - x.m) & (all >> (64u - 8u * sizeof(num_item)));
    return x;
}

PD_FN void num_int_store(PD_GPTR(void) to, pd_u64 i, pd_u64 x)
{
    ((PD_GPTR(num_item))to)[i] = (num_item)x;
}

// +-m, split into p^v and a unit if `split`. limit: floor((2^64 - 1) / p).
PD_FN num_cell num_of_int(const num_ring r, num_int given, pd_u32 split, pd_u64 inverse,
                          pd_u64 limit)
{
    num_int x = given;
    (void)inverse, (void)limit;
    num_cell c = num_cell_of(r);
    if (split && !x.m) {
        c.v = NUM_ZERO;
    } else if (split) {
#if PD_NUM_TWO
        const pd_u32 v = num_ctz(x.m);
        c.v = (pd_i32)v;
        x.m >>= v;
#else
        for (; x.m * inverse <= limit; x.m *= inverse) c.v++;
#endif
    }
    c.u = num_reduce(r, x.m);
    if (x.negative) c.u = num_sub(r, 0u, c.u);
    return c;
}

// Converts a split number to the model: in a ring p^v u.
PD_FN num_cell num_settle(const num_ring r, num_cell given)
{
    num_cell x = given;
    (void)r;
#if PD_NUM_MODEL == 0
    if (x.v == NUM_ZERO)
        x.u = 0u;
    else if (x.v > 0)
        x.u = num_up(r, x.u, x.v);
    else if (x.v < 0)
        x.bits |= NUM_NONUNIT;
    x.v = 0;
#endif
    return x;
}

// m p^v; `fits` 0 if that is 2^64 or more.
typedef struct {
    pd_u64 m;
    pd_u32 fits, spare;
} num_wide;

PD_FN num_wide num_times(const num_ring r, pd_u64 m, pd_u32 v)
{
    (void)r;
    num_wide x;
    x.spare = 0u;
    x.m = m;
    x.fits = 1u;
    if (m && v > 63u) x.fits = 0u;
    for (; x.fits && m && v; v--) {
        if (PD_MULHI64(x.m, (pd_u64)NUM_P(r))) x.fits = 0u;
        x.m *= (pd_u64)NUM_P(r);
    }
    return x;
}

// u of a cell that is not NaN as +-m: the least or the balanced residue modulo p^n.
PD_FN num_int num_residue(const num_ring r, num_cell x, pd_u32 balanced)
{
    num_int s;
    s.m = (pd_u64)x.u;
    s.negative = 0u;
    s.spare = 0u;
    if (balanced && x.u) {
        const num_u t = num_low(r, num_sub(r, 0u, x.u), x.n);
        if (x.u >= t) {
            s.m = (pd_u64)t;
            s.negative = 1u;
        }
    }
    return s;
}

#if PD_NUM_OP == NUM_OP_FROM_INT
PD_FN pd_u32 num_item_from_int(const num_ring r, const num_work w, pd_u32 i)
{
    const num_int m = num_int_load(w.other0, w.mode & 1u, i);
    return num_store(w.out, i, num_of_int(r, m, PD_NUM_MODEL ? 1u : 0u, w.inverse, w.limit));
}
#define NUM_ITEM num_item_from_int
#endif

#if PD_NUM_OP == NUM_OP_TO_INT
// mode: 1 signed, 2 balanced.
PD_FN pd_u32 num_item_to_int(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell x = num_load(r, w.a, i);
    const pd_u32 is_signed = w.mode & 1u;
    num_wide m;
    num_int s;
    pd_u32 bits = 0u;
    m.m = 0u;
    m.fits = m.spare = 0u;
    s.m = 0u;
    s.negative = s.spare = 0u;
    if (x.v == NUM_NAN) {
        bits = x.bits;
    } else if (x.v == NUM_ZERO) {
        bits = 0u;
    } else if (x.v < 0) {
        bits = NUM_OUTSIDE;
    } else if (!x.n) {
        bits = NUM_PRECLOSS;
    } else {
        const pd_u32 room = 8u * PD_NUM_SIZE - is_signed; // of the magnitude
        s = num_residue(r, x, w.mode & 2u);
        m = num_times(r, s.m, (pd_u32)x.v);
        const pd_u64 least = room < 64u ? (pd_u64)1u << room : 0u; // its negative still fits
        if (least && m.m >= least && !(s.negative && is_signed && m.m == least))
            m.fits = 0u;
        if (s.negative && !is_signed && m.m) m.fits = 0u;
        if (!m.fits) {
            bits = NUM_RANGE;
            m.m = 0u;
        }
    }
    num_int_store(w.other0, i, s.negative ? 0u - m.m : m.m);
    return bits;
}
#define NUM_ITEM num_item_to_int
#endif
