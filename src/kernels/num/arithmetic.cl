// arithmetic.cl: sums, products, quotients, shifts and powers.

// a + b, or a - b.
PD_FN num_cell num_cell_sum(const num_ring r, num_cell a, num_cell given, pd_u32 minus)
{
    num_cell b = given;
    num_cell x = num_cell_of(r);
#if PD_NUM_MODEL == 0
    x.u = minus ? num_sub(r, a.u, b.u) : num_add(r, a.u, b.u);
#else
    pd_i64 d;
    NUM_NAN_OF(x, a)
    NUM_NAN_OF(x, b)
    if (b.v == NUM_ZERO) return a;
    if (minus) b.u = num_low(r, num_sub(r, 0u, b.u), b.n);
    if (a.v == NUM_ZERO) return b;
    x.v = a.v < b.v ? a.v : b.v;
    d = (pd_i64)b.v - a.v;
#if PD_NUM_MODEL == 2
    {
        const pd_i64 end_a = (pd_i64)a.v + a.n, end_b = (pd_i64)b.v + b.n;
        const pd_i64 known = end_a < end_b ? end_a : end_b;
        if (known <= x.v) { // no known digit remains
            x.v = (pd_i32)known;
            x.n = 0u;
            x.bits = NUM_PRECLOSS;
            return x;
        }
        x.n = (pd_u32)(known - x.v);
    }
#endif
    if (d >= 0)
        x.u = num_add(r, a.u, num_up(r, b.u, d));
    else
        x.u = num_add(r, num_up(r, a.u, -d), b.u);
    x = num_normal(r, x);
#endif
    return x;
}

PD_FN num_cell num_cell_mul(const num_ring r, num_cell a, num_cell b)
{
    num_cell x = num_cell_of(r);
#if PD_NUM_MODEL != 0
    NUM_NAN_OF(x, a)
    NUM_NAN_OF(x, b)
    if (a.v == NUM_ZERO || b.v == NUM_ZERO) {
        x.v = NUM_ZERO;
        return x;
    }
    x.v = a.v + b.v;
    x.n = a.n < b.n ? a.n : b.n;
#endif
    x.u = num_mul(r, a.u, b.u);
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    return x;
}

PD_FN num_cell num_cell_fma(const num_ring r, num_cell a, num_cell b, num_cell c)
{
    const num_cell product = num_limit(num_cell_mul(r, a, b));
    num_cell x = num_cell_sum(r, product, c, 0u);
    if (x.v != NUM_NAN) x.bits |= product.bits;
    return x;
}

// a / b; without `whole` 1 / b.
PD_FN num_cell num_cell_div(const num_ring r, num_cell a, num_cell b, pd_u32 whole)
{
    num_cell x = num_cell_of(r);
    num_u inverse;
#if PD_NUM_MODEL == 0
    if (!b.u)
        x.bits = NUM_DIV0;
    else if (!num_unit(r, b.u))
        x.bits = NUM_NONUNIT;
    if (x.bits) return x;
#else
    if (whole) {
        NUM_NAN_OF(x, a)
    }
    NUM_NAN_OF(x, b)
    if (b.v == NUM_ZERO || !b.n)
        x.bits = NUM_DIV0;
    else if (whole && a.v == NUM_ZERO)
        x.v = NUM_ZERO;
    else
        x.v = whole ? a.v - b.v : -b.v;
    x.n = whole && a.n < b.n ? a.n : b.n;
    if (x.bits || x.v == NUM_ZERO) return x;
#endif
    inverse = num_inv_mont(r, num_enter(r, b.u));
    x.u = whole ? num_mont(r, inverse, a.u) : num_leave(r, inverse);
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    return x;
}

// a p^s.
PD_FN num_cell num_cell_shift(const num_ring r, num_cell given, pd_i64 s)
{
    num_cell a = given;
    (void)r;
#if PD_NUM_MODEL != 0
    const pd_i64 wide = 0x7fffffff;
    if (a.v == NUM_NAN || a.v == NUM_ZERO) return a;
    a.v = num_clamp(s > wide ? wide : s < -wide - 1 ? -wide - 1 : a.v + s);
#else
    if (s >= 0) {
        a.u = num_up(r, a.u, s);
    } else if (a.u && (pd_u64)num_valuation(r, a.u) < 0u - (pd_u64)s) {
        a.bits = NUM_NONUNIT;
        a.u = 0u;
    } else {
        a.u = num_down(r, a.u, 0u - (pd_u64)s > 64u ? 64 : -s);
        a.bits = NUM_PRECLOSS;
    }
#endif
    return a;
}

// a^k for an exponent given by sign and magnitude.
PD_FN num_cell num_cell_pow(const num_ring r, num_cell a, pd_u32 negative, pd_u64 e)
{
    num_cell x = num_cell_of(r);
    num_u base;
#if PD_NUM_MODEL == 0
    if (e && negative) {
        if (!a.u)
            x.bits = NUM_DIV0;
        else if (!num_unit(r, a.u))
            x.bits = NUM_NONUNIT;
        if (x.bits) return x;
    }
#else
    NUM_NAN_OF(x, a)
    if (e && negative && (a.v == NUM_ZERO || !a.n)) {
        x.bits = NUM_DIV0;
        return x;
    }
    if (e) {
        if (a.v == NUM_ZERO) {
            x.v = NUM_ZERO;
            return x;
        }
        if (a.v) {
            const pd_i64 most = NUM_MOST + 1, m = e > (pd_u64)most ? most : (pd_i64)e;
            x.v = num_clamp(negative ? -(a.v * m) : a.v * m);
        }
        x.n = a.n;
        if (!a.n) return x; // O(p^v)^k = O(p^(v k))
#if PD_NUM_TWO
        for (pd_u64 rest = e; x.n < r.n && !(rest & 1u); rest >>= 1) x.n++;
        if (a.n == 1u && !(e & 1u) && x.n < r.n) x.n++; // any odd x: x^2 is 1 modulo 8
#elif PD_NUM_BITS == 64
        for (pd_u64 q = e * NUM_P_INVERSE(r); x.n < r.n && q <= NUM_LIMIT(r);) {
            q *= NUM_P_INVERSE(r);
            x.n++;
        }
#else
        for (pd_u64 rest = e; x.n < r.n && rest % NUM_P(r) == 0u; rest /= NUM_P(r)) x.n++;
#endif
    }
#endif
    base = num_enter(r, a.u);
    if (e && negative) base = num_inv_mont(r, base);
    x.u = num_leave(r, num_pow(r, base, e));
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    return x;
}

#if NUM_PLAIN
PD_FN num_u num_plain(const num_ring r, num_u a, num_u b, num_u c)
{
    (void)b, (void)c;
#if PD_NUM_OP == NUM_OP_ADD
    return num_add(r, a, b);
#elif PD_NUM_OP == NUM_OP_SUB
    return num_sub(r, a, b);
#elif PD_NUM_OP == NUM_OP_NEG
    return num_sub(r, 0u, a);
#elif PD_NUM_OP == NUM_OP_MUL
    return num_mul(r, a, b);
#else
    return num_add(r, num_mul(r, a, b), c);
#endif
}

// Elements i, i + step, ...: four of them, or one if these do not all exist. Returns where it
// stopped.
PD_FN pd_u32 num_plain_some(const num_ring r, const num_work w, pd_u32 i)
{
    const pd_u32 most = w.count - i > 3u * w.step ? 4u : 1u;
    num_u a[4], b[4], c[4];
    if (most == 4u) { // all reads precede all writes
        for (pd_u32 j = 0u; j < 4u; j++) {
            const pd_u32 at = i + j * w.step;
            a[j] = w.a.unit[at & w.a.mask];
            b[j] = PD_NUM_OP == NUM_OP_NEG ? 0u : w.b.unit[at & w.b.mask];
            c[j] = PD_NUM_OP == NUM_OP_FMA ? w.c.unit[at & w.c.mask] : 0u;
        }
        for (pd_u32 j = 0u; j < 4u; j++)
            w.out.unit[i + j * w.step] = num_plain(r, a[j], b[j], c[j]);
    } else {
        a[0] = w.a.unit[i & w.a.mask];
        b[0] = PD_NUM_OP == NUM_OP_NEG ? 0u : w.b.unit[i & w.b.mask];
        c[0] = PD_NUM_OP == NUM_OP_FMA ? w.c.unit[i & w.c.mask] : 0u;
        w.out.unit[i] = num_plain(r, a[0], b[0], c[0]);
    }
    for (pd_u32 j = 0u; j < most && w.has_status; j++) w.status[i + j * w.step] = (pd_u8)0u;
    return most * w.step;
}
#endif

#if !NUM_PLAIN && (PD_NUM_OP == NUM_OP_ADD || PD_NUM_OP == NUM_OP_SUB)
PD_FN pd_u32 num_item_sum(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i), b = num_load(r, w.b, i);
    return num_store(w.out, i, num_cell_sum(r, a, b, PD_NUM_OP == NUM_OP_SUB ? 1u : 0u));
}
#define NUM_ITEM num_item_sum
#endif

#if PD_NUM_OP == NUM_OP_NEG && !NUM_PLAIN
PD_FN pd_u32 num_item_neg(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell a = num_load(r, w.a, i);
    a.u = num_low(r, num_sub(r, 0u, a.u), a.n);
    return num_store(w.out, i, a);
}
#define NUM_ITEM num_item_neg
#endif

#if PD_NUM_OP == NUM_OP_MUL && !NUM_PLAIN
PD_FN pd_u32 num_item_mul(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i), b = num_load(r, w.b, i);
    return num_store(w.out, i, num_cell_mul(r, a, b));
}
#define NUM_ITEM num_item_mul
#endif

#if PD_NUM_OP == NUM_OP_FMA && !NUM_PLAIN
PD_FN pd_u32 num_item_fma(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i), b = num_load(r, w.b, i);
    return num_store(w.out, i, num_cell_fma(r, a, b, num_load(r, w.c, i)));
}
#define NUM_ITEM num_item_fma
#endif

#if PD_NUM_OP == NUM_OP_INV
PD_FN pd_u32 num_item_inv(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i);
    return num_store(w.out, i, num_cell_div(r, a, a, 0u));
}
#define NUM_ITEM num_item_inv
#endif

#if PD_NUM_OP == NUM_OP_DIV
PD_FN pd_u32 num_item_div(const num_ring r, const num_work w, pd_u32 i)
{
    const num_cell a = num_load(r, w.a, i), b = num_load(r, w.b, i);
    return num_store(w.out, i, num_cell_div(r, a, b, 1u));
}
#define NUM_ITEM num_item_div
#endif

#if PD_NUM_OP == NUM_OP_SHIFT
PD_FN pd_u32 num_item_shift(const num_ring r, const num_work w, pd_u32 i)
{
    return num_store(w.out, i, num_cell_shift(r, num_load(r, w.a, i), (pd_i64)w.k));
}
#define NUM_ITEM num_item_shift
#endif

#if PD_NUM_OP == NUM_OP_POW
// Exponents: k, or one per element.
PD_FN pd_u32 num_item_pow(const num_ring r, const num_work w, pd_u32 i)
{
    num_int e;
    e.m = w.k;
    e.negative = (pd_u32)(e.m >> 63);
    if (e.negative) e.m = 0u - e.m;
    e.spare = 0u;
    if (PD_NUM_SIZE) e = num_int_load(w.other0, 1u, i);
    return num_store(w.out, i, num_cell_pow(r, num_load(r, w.a, i), e.negative, e.m));
}
#define NUM_ITEM num_item_pow
#endif

#if PD_NUM_OP == NUM_OP_SET_PRECISION
// PD_NUM_BITS is 64 here; units of 32 bits: mode 1 of a, 2 of out. k: the precision of a.
PD_FN pd_u32 num_item_set_precision(const num_ring r, const num_work w, pd_u32 i)
{
    const pd_u32 from = (pd_u32)w.k;
    const pd_u64 u = w.mode & 1u ? (pd_u64)((PD_GPTR(pd_u32))w.a.unit)[i] : w.a.unit[i];
    num_cell x = num_load_val(r, w.a, i, u);
    x.u = u;
    if (r.n < from) x.u = PD_NUM_TWO ? u & r.base : u % r.base;
    if (x.n > r.n) x.n = r.n;
    if (PD_NUM_MODEL != 2 && r.n > from && !x.bits && x.v != NUM_ZERO) x.bits = NUM_PRECLOSS;
    return num_store_as(w.out, i, x, w.mode & 2u);
}
#define NUM_ITEM num_item_set_precision
#endif
