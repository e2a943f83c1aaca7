// fraction.cl: fractions: numbers from them and to them; change of prime.

#if PD_NUM_OP == NUM_OP_CHANGE_PRIME || (PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND) || \
    (PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND == 2)
#define NUM_FRACTIONS 1
#else
#define NUM_FRACTIONS 0
#endif

#if NUM_FRACTIONS
// +-n / d; `found` 0: there is none.
typedef struct {
    pd_u64 n, d;
    pd_u32 negative, found;
} num_fraction;

// A table for each precision j: p^j (0: 2^64), Nmax, Dmax, and whether 2 Nmax Dmax < p^(j - g). It
// starts with p, in place of p^0.
#define NUM_ENTRY(table, j, what) ((table)[4u * (j) + (what)])

// One row of Euclid's algorithm.
#define NUM_EUCLID(q)                       \
    do {                                    \
        const pd_u64 rest = r0 - (q)*r1;    \
        const pd_u64 t = t0 + (q)*t1;       \
        r0 = r1;                            \
        r1 = rest;                          \
        t0 = t1;                            \
        t1 = t;                             \
        f.negative ^= 1u;                   \
    } while (0)

// floor(r0 / r1); r0 = 0: 2^64, which r1 = 1 divides too often: then 0.
PD_FN pd_u64 num_quotient(pd_u64 r0, pd_u64 r1)
{
    const pd_u64 all = 0u - (pd_u64)1u;
    const pd_u64 q = (r0 ? r0 : all) / r1;
    return !r0 && all - q * r1 == r1 - 1u ? q + 1u : q;
}

// u modulo p^n as a fraction, from (p^n, u) to the first remainder of at most Nmax.
PD_FN num_fraction num_euclid(PD_GPTR(pd_u64) table, pd_u32 n, pd_u64 u)
{
    const pd_u64 most_n = NUM_ENTRY(table, n, 1u), most_d = NUM_ENTRY(table, n, 2u);
    pd_u64 r0 = NUM_ENTRY(table, n, 0u), r1 = u, t0 = 0u, t1 = 1u;
    num_fraction f;
    f.negative = f.found = 0u;
    while (n && most_d && r1 > most_n) {
        const pd_u64 q = num_quotient(r0, r1);
        NUM_EUCLID(q);
    }
    f.n = r1;
    f.d = t1;
    if (n && t1 <= most_d && t1 % table[0]) f.found = 1u;
    return f;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND == 4
PD_FN pd_u32 num_bits(pd_u64 x) // 0 stands for 2^64
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return !x ? 65u : high ? 64u - PD_CLZ(high) : 32u - PD_CLZ((pd_u32)x);
}

// The row before the largest quotient, if that exceeds `given`.
PD_FN num_fraction num_largest(PD_GPTR(pd_u64) table, pd_u32 n, pd_u64 u, pd_u64 given)
{
    pd_u64 r0 = NUM_ENTRY(table, n, 0u), r1 = u, t0 = 0u, t1 = 1u, most = given;
    num_fraction f;
    pd_u32 negative = 0u;
    f.negative = f.found = 0u;
    f.n = 0u;
    f.d = 1u;
    if (n && !u) f.found = 1u;
    while (n && r1 && (!r0 || r0 > most)) {
        const pd_u64 exact = num_quotient(r0, r1);
        const pd_u64 q = num_bits(r0) - num_bits(r1) > 62u ? 0u - (pd_u64)1u : exact;
        if (q > most) {
            most = q;
            f.n = r1;
            f.d = t1;
            negative = f.negative;
            f.found = 1u;
        }
        NUM_EUCLID(exact);
    }
    f.negative = negative;
    if (f.d % table[0] == 0u) f.found = 0u;
    return f;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && (PD_NUM_KIND == 2 || PD_NUM_KIND == 3)
// u d modulo p^n, balanced and at most Nmax; d a residue.
PD_FN num_fraction num_joint(const num_ring r, PD_GPTR(pd_u64) table, pd_u32 n, num_u u, num_u d)
{
    const pd_u64 most = NUM_ENTRY(table, n, 1u);
    num_fraction f;
    f.negative = f.found = 0u;
    f.d = 1u;
    f.n = (pd_u64)num_low(r, num_mul(r, u, d), n);
    if (f.n > most) {
        f.n = (pd_u64)num_low(r, num_sub(r, 0u, (num_u)f.n), n);
        f.negative = 1u;
    }
    if (n && f.n <= most && NUM_ENTRY(table, n, 3u)) f.found = 1u;
    return f;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND
// Stores an integer of 2^(kind & 3) bytes, signed: kind & 4. 0: it does not fit.
PD_FN pd_u32 num_fits(pd_u64 m, pd_u32 negative, pd_u32 kind)
{
    const pd_u32 is_signed = kind >> 2 & 1u, room = (8u << (kind & 3u)) - is_signed;
    const pd_u64 least = room < 64u ? (pd_u64)1u << room : 0u;
    if (negative && m && !is_signed) return 0u;
    return !least || m < least || (negative && m == least) ? 1u : 0u;
}

PD_FN void num_int_put(PD_GPTR(void) to, pd_u64 i, pd_u64 x, pd_u32 kind)
{
    const pd_u32 size = kind & 3u;
    if (size == 0u)
        ((PD_GPTR(pd_u8))to)[i] = (pd_u8)x;
    else if (size == 1u)
        ((PD_GPTR(pd_u16))to)[i] = (pd_u16)x;
    else if (size == 2u)
        ((PD_GPTR(pd_u32))to)[i] = (pd_u32)x;
    else
        ((PD_GPTR(pd_u64))to)[i] = x;
}

// Stores +-n p^v / d, or n / (d p^-v), as element i; 0 / 0 if `bits` is set or one does not fit.
// Returns its bits.
PD_FN pd_u32 num_fraction_put(const num_ring r, PD_GPTR(void) to_n, PD_GPTR(void) to_d, pd_u64 i,
                              const num_fraction f, pd_i64 v, pd_u32 given, pd_u32 mode)
{
    pd_u64 n = f.n, d = f.d;
    pd_u32 bits = given;
    if (!bits && v) {
        const pd_u64 k = v < 0 ? 0u - (pd_u64)v : (pd_u64)v;
        const num_wide m = num_times(r, v < 0 ? d : n, k > 64u ? 64u : (pd_u32)k);
        if (!m.fits) bits = NUM_RANGE;
        if (v < 0)
            d = m.m;
        else
            n = m.m;
    }
    if (!bits && (!num_fits(n, f.negative, mode) || (mode & 64u && !num_fits(d, 0u, mode >> 3))))
        bits = NUM_RANGE;
    if (bits) n = d = 0u;
    num_int_put(to_n, i, f.negative ? 0u - n : n, mode);
    if (mode & 64u) num_int_put(to_d, i, d, mode >> 3);
    return bits;
}
#endif

#if PD_NUM_OP == NUM_OP_FROM_RATIONAL
PD_FN pd_u32 num_item_from_rational(const num_ring r, const num_work w, pd_u32 i)
{
    num_int n = num_int_load(w.other0, w.mode & 1u, i);
    num_int d = num_int_load(w.other1, w.mode & 1u, i);
    num_cell x = num_cell_of(r), a, b;
    n.negative ^= d.negative;
    d.negative = 0u;
    a = num_of_int(r, n, 1u, w.inverse, w.limit);
    b = num_of_int(r, d, 1u, w.inverse, w.limit);
    if (b.v == NUM_ZERO) {
        x.bits = NUM_DIV0;
    } else if (a.v == NUM_ZERO) {
        x.v = NUM_ZERO;
    } else {
        x.v = a.v - b.v;
        x.u = num_mont(r, num_inv_mont(r, num_enter(r, b.u)), a.u);
    }
    return num_store(w.out, i, num_settle(r, x));
}
#define NUM_ITEM num_item_from_rational
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND == 2
// mode: see num_fraction_put(); other2: a table; stride: elements of a vector, of which an
// item does all.
PD_FN pd_u32 num_item_to_rational(const num_ring r, const num_work w, pd_u32 i)
{
    pd_u32 seen = 0u;
    PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))w.other2;
    const pd_u32 begin = i * (pd_u32)w.stride, end = begin + (pd_u32)w.stride;
    pd_i32 low = 0; // the lowest valuation
    pd_u64 d = 1u;
    pd_u32 found = 1u;
    for (pd_u32 turn = 0u; turn < 3u; turn++) // find d, test all again, write
        for (pd_u32 j = begin; j < end && (found || turn == 2u); j++) {
            const num_cell x = num_load(r, w.a, j);
            const pd_u32 plain = x.v != NUM_ZERO && x.v != NUM_NAN ? 1u : 0u;
            const num_u over = num_reduce(r, d);
            pd_u32 bits = found ? 0u : NUM_RATREC;
            num_fraction f;
            f.negative = 0u;
            f.found = 1u;
            f.n = 0u;
            if (plain) f = num_joint(r, table, x.n, x.u, over);
            if (turn < 2u) {
                if (plain && x.v < low) low = x.v;
                if (!f.found && !turn && x.n && NUM_ENTRY(table, x.n, 3u)) { // a larger d
                    const num_u rest = num_low(r, num_mul(r, x.u, over), x.n);
                    f = num_euclid(table, x.n, (pd_u64)rest);
                    if (PD_MULHI64(d, f.d) || d * f.d > NUM_ENTRY(table, x.n, 2u)) f.found = 0u;
                    if (f.found) d *= f.d;
                }
                found = f.found;
            } else {
                const pd_i32 up = plain ? x.v - low : 0;
                const num_wide m = num_times(r, f.n, up > 64 ? 64u : (pd_u32)up);
                const num_wide e = num_times(r, d, low < -64 ? 64u : (pd_u32)-low);
                if (x.v == NUM_NAN) bits = x.bits;
                if (!bits && !(m.fits && e.fits)) bits = NUM_RANGE;
                f.n = m.m;
                f.d = e.m;
                bits = num_fraction_put(r, w.other0, w.other1, j, f, 0, bits, w.mode);
                seen |= num_report(w, j, bits);
            }
        }
    return seen;
}
#define NUM_ITEM num_item_to_rational
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND && PD_NUM_KIND != 2
// mode: see num_fraction_put(), from bit 8 on the valuation of a fixed denominator, which
// is stride, its unit k; k: the largest quotient; other2: a table.
PD_FN pd_u32 num_item_to_rational(const num_ring r, const num_work w, pd_u32 i)
{
    PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))w.other2;
    const num_cell x = num_load(r, w.a, i);
    pd_i64 v = x.v == NUM_ZERO ? 0 : x.v;
    pd_u32 bits = 0u;
    num_fraction f;
    f.n = 0u;
    f.d = 1u;
    f.negative = 0u;
    f.found = 1u;
    if (x.v == NUM_NAN) {
        bits = x.bits;
    } else if (x.v != NUM_ZERO) {
#if PD_NUM_KIND == 3
        v += (pd_i64)(w.mode >> 8);
        f = num_joint(r, table, x.n, x.u, (num_u)w.k);
        if (v < 0) f.found = 0u;
#elif PD_NUM_KIND == 4
        f = num_largest(table, x.n, (pd_u64)x.u, w.k);
#else
        f = num_euclid(table, x.n, (pd_u64)x.u);
#endif
        if (!f.found) bits = NUM_RATREC;
    }
#if PD_NUM_KIND == 3
    f.d = w.stride;
#endif
    return num_fraction_put(r, w.other0, w.other1, i, f, v, bits, w.mode);
}
#define NUM_ITEM num_item_to_rational
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && !PD_NUM_KIND
// Euclid's algorithm on (P, u) to the first remainder of at most k; the denominator is at most
// `stride`.
PD_FN pd_u32 num_item_to_rational(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell x = num_load(r, w.a, i);
#if PD_NUM_TWO
    pd_u64 r0 = (pd_u64)r.base + 1u, r1 = x.u, t0 = 0u, t1 = 1u; // P may be 2^32
#else
    num_u r0 = r.base, r1 = x.u, t0 = 0u, t1 = 1u;
#endif
    pd_u64 n, d;
    pd_u32 odd = 0u, bits = 0u;
    while ((pd_u64)r1 > w.k) {
#if PD_NUM_TWO
        const pd_u64 q = r0 / r1, rest = r0 - q * r1, t = t0 + q * t1;
#else
        const num_u q = r0 / r1, rest = r0 - q * r1, t = t0 + q * t1;
#endif
        r0 = r1;
        r1 = rest;
        t0 = t1;
        t1 = t;
        odd ^= 1u;
    }
    n = (pd_u64)r1;
    d = (pd_u64)t1;
    if (d > w.stride || !num_unit(r, (num_u)t1)) bits = NUM_RATREC;
    if (x.v == NUM_NAN) {
        bits = x.bits;
    } else if (x.v && x.v != NUM_ZERO && !bits) {
        const num_wide f = num_times(r, x.v < 0 ? d : n,
                                     x.v < 0 ? 0u - (pd_u32)x.v : (pd_u32)x.v);
        if (!f.fits || (f.m - (x.v > 0 ? odd : 0u)) >> 63) bits = NUM_RANGE; // -2^63 fits
        if (x.v < 0)
            d = f.m;
        else
            n = f.m;
    }
    if (bits) n = d = 0u;
    ((PD_GPTR(pd_u64))w.other0)[i] = odd ? 0u - n : n;
    ((PD_GPTR(pd_u64))w.other1)[i] = d;
    return bits;
}
#define NUM_ITEM num_item_to_rational
#endif

#if PD_NUM_OP == NUM_OP_CHANGE_PRIME
// Units in words of 64 bits; of 32 bits: mode 1 of a, 2 of out. PD_NUM_KIND: the model of
// a; k: its precision; other2: a table of its ring.
PD_FN pd_u32 num_item_change_prime(const num_ring r, const num_work w, pd_u32 i)
{
    PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))w.other2;
    const pd_u64 u = w.mode & 1u ? (pd_u64)((PD_GPTR(pd_u32))w.a.unit)[i] : w.a.unit[i];
    pd_u32 n = (pd_u32)w.k;
    pd_i32 v = 0;
    num_cell x = num_cell_of(r);
    x.v = NUM_ZERO;
#if PD_NUM_KIND
    v = num_val_load(w.a.val, i);
#endif
#if PD_NUM_KIND == 2
    n = ((PD_GPTR(num_known))w.a.known)[i];
    if (n > (pd_u32)w.k) n = (pd_u32)w.k;
#endif
    if (v == NUM_NAN) {
        x.v = NUM_NAN;
        x.bits = (pd_u32)u & 255u;
    } else if (v != NUM_ZERO) {
        const num_fraction f = num_euclid(table, n, u);
        if (f.found) {
            num_int m;
            num_cell a, b;
            m.m = f.n;
            m.negative = f.negative;
            m.spare = 0u;
            a = num_of_int(r, m, 1u, w.inverse, w.limit);
            m.m = f.d;
            m.negative = 0u;
            b = num_of_int(r, m, 1u, w.inverse, w.limit);
            if (a.v != NUM_ZERO) {
                num_u over = num_enter(r, b.u);
                x.v = a.v - b.v;
                x.u = a.u;
                if (table[0] == (pd_u64)NUM_P(r)) {
                    x.v += v;
                } else if (v) { // p^v is a unit, too
                    const pd_u64 e = v < 0 ? 0u - (pd_u64)(pd_i64)v : (pd_u64)v;
                    const num_u power = num_pow(r, num_enter(r, num_reduce(r, table[0])), e);
                    if (v < 0)
                        over = num_mont(r, over, power);
                    else
                        x.u = num_mont(r, x.u, power);
                }
                x.u = num_mont(r, num_inv_mont(r, over), x.u);
            }
            x = num_settle(r, x);
        } else {
            x.bits = NUM_RATREC;
        }
    }
    return num_store_as(w.out, i, x, w.mode & 2u);
}
#define NUM_ITEM num_item_change_prime
#endif
