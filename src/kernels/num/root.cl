// root.cl: n-th roots.

#if PD_NUM_OP == NUM_OP_ROOT && (PD_NUM_KIND & 1) && !PD_NUM_TWO
// Residues modulo p times 2^64; padici_num_root_mod() of padic.h. The table: p, its inverse, 2^64
// and 2^128, roots, the exponent for what is outside the subgroups, a root of unity, subgroups,
// (n - 1) mod (p - 1), `less`, `mode`, `turn`, n of num_cell_root(), which would take scalars; from
// 16 on 8 for each subgroup: q, order, share, generator, unity, project, inverse.
typedef struct {
    pd_u64 p, inverse;
} num_mod;

PD_FN pd_u64 num_mod_mul(const num_mod s, pd_u64 a, pd_u64 b)
{
    const pd_u64 high = PD_MULHI64(a, b), h = PD_MULHI64(a * b * s.inverse, s.p);
    return high >= h ? high - h : high + s.p - h;
}

PD_FN pd_u64 num_mod_pow(const num_mod s, PD_GPTR(pd_u64) t, pd_u64 a, pd_u64 given)
{
    pd_u64 x = t[2], square = a;
    for (pd_u64 e = given; e; e >>= 1) {
        if (e & 1u) x = num_mod_mul(s, x, square);
        square = num_mod_mul(s, square, square);
    }
    return x;
}

// a b modulo m < 2^63, a and b < m.
PD_FN pd_u64 num_mod_any(pd_u64 a, pd_u64 b, pd_u64 m)
{
    pd_u64 x = 0u;
    for (pd_u32 j = 64u; j > 0u; j--) {
        x = 2u * x >= m ? 2u * x - m : 2u * x;
        if (b >> (j - 1u) & 1u) x = x + a >= m ? x + a - m : x + a;
    }
    return x;
}

// The discrete logarithm of x to the generator of a subgroup.
PD_FN pd_u64 num_mod_log(const num_mod s, PD_GPTR(pd_u64) t, PD_GPTR(pd_u64) y, pd_u64 x)
{
    pd_u64 log = 0u, step = 1u;
    for (pd_u64 order = y[1] / y[0]; order; order /= y[0]) {
        pd_u64 z = num_mod_pow(s, t, y[3], log ? y[1] - log : 0u), power = t[2];
        z = num_mod_pow(s, t, num_mod_mul(s, x, z), order);
        for (pd_u64 j = 0u; j < y[0] && power != z; j++) {
            power = num_mod_mul(s, power, y[4]);
            log += step;
        }
        step *= y[0];
    }
    return log;
}

// 1 / the smallest n-th root of u modulo p, 0 if there is none.
PD_FN pd_u64 num_mod_root(PD_GPTR(pd_u64) t, pd_u64 given)
{
    num_mod s;
    pd_u64 u, z, x, best, inverse, back;
    s.p = t[0];
    s.inverse = t[1];
    if (!given) return 0u;
    u = num_mod_mul(s, given, t[3]);
    z = num_mod_pow(s, t, u, s.p - 1u - t[5]);
    for (pd_u64 i = 0u; i < t[7]; i++) {
        PD_GPTR(pd_u64) const y = t + 16u + 8u * i;
        pd_u64 log;
        if (y[1] == y[2]) continue;
        log = num_mod_log(s, t, y, num_mod_pow(s, t, u, y[5]));
        if (log % y[2]) return 0u;
        log = num_mod_any(log / y[2], y[6], y[1]);
        z = num_mod_mul(s, z, num_mod_pow(s, t, y[3], y[1] - log));
    }
    x = num_mod_mul(s, u, num_mod_pow(s, t, z, t[8]));
    if (num_mod_mul(s, num_mod_pow(s, t, x, t[8]), x) != u) return 0u;
    best = num_mod_mul(s, x, 1u);
    inverse = z;
    back = num_mod_pow(s, t, t[6], t[4] - 1u);
    for (pd_u64 i = 1u; i < t[4]; i++) {
        x = num_mod_mul(s, x, t[6]);
        z = num_mod_mul(s, z, back);
        u = num_mod_mul(s, x, 1u);
        if (u < best) {
            best = u;
            inverse = z;
        }
    }
    return num_mod_mul(s, inverse, 1u);
}
#endif

#if PD_NUM_OP == NUM_OP_ROOT && (PD_NUM_KIND & 2)
// The root of a unit, n = p^e m: w(root) exp(log(u / w(u)) / n). less: 1 / m modulo P; seed: 1 /
// the root of its digit; series: the coefficients of exp, `terms`, and of log. bits: there is none.
PD_FN num_cell num_root_deep(const num_ring r, num_cell given, num_u seed, num_u less, pd_u32 e,
                             PD_GPTR(num_u) series, pd_u32 terms, pd_u32 log_terms)
{
    const pd_u32 over = e + (PD_NUM_TWO ? 1u : 0u), digits = given.n;
    num_cell x = given;
    num_u t = given.u, y, root = 1u;
#if !PD_NUM_TWO
    const num_u digit = t - num_above(r, t) * NUM_P(r);
    t = num_mont(r, num_inv_mont(r, num_enter(r, num_teichmueller(r, digit))), t);
#endif
    y = num_low(r, num_low(r, num_sub(r, t, 1u), over + 1u), digits);
    if (y) x.bits = NUM_NOPOWER;
    if (digits > over) {
        y = num_series(r, series + terms, log_terms, num_down(r, num_sub(r, t, 1u), NUM_SERIES_C));
        y = num_mul(r, num_down(r, y, (pd_i64)e), less);
        root = num_series(r, series, terms, num_down(r, y, NUM_SERIES_C));
    }
#if !PD_NUM_TWO
    root = num_mont(r, num_inv_mont(r, num_enter(r, num_teichmueller(r, seed))), root);
#endif
    (void)seed;
    x.u = root;
    x.n = digits > e ? digits - e : 1u;
    if (PD_NUM_MODEL == 2 && digits <= over && !x.bits) {
        x.u = 0u;
        x.n = 0u;
        x.bits = NUM_PRECLOSS;
    }
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_ROOT
// The root of a unit u from 1 / it modulo p: z += z (1 - u z^n) / n doubles the digits of z; the
// root is u z^(n-1). less: 1 / n modulo P. p = n = 2: from 1 modulo 4, e digits become 2 e - 1, and
// the top one is wrong.
PD_FN num_u num_root(const num_ring r, num_u u, pd_u64 n, num_u less, num_u seed)
{
    const num_u point = num_enter(r, u);
    num_u z = num_enter(r, seed);
    less = num_enter(r, less);
#if PD_NUM_TWO
    if (n == 2u) {
        for (pd_u32 known = 2u; known < r.n; known = 2u * known - 1u)
            z += z * ((1u - u * z * z) >> 1);
        return (u * z) & r.base;
    }
#endif
    for (pd_u32 known = 1u; known < r.n; known *= 2u) {
        const num_u d = num_sub(r, NUM_ONE(r), num_mont(r, point, num_pow(r, z, n)));
        z = num_add(r, z, num_mont(r, num_mont(r, z, d), less));
    }
    return num_leave(r, num_mont(r, point, num_pow(r, z, n - 1u)));
}

// mode: e, and from bits 8 and 20 on how many coefficients exp and log have, which follow seeds.
// turn: a root of unity by which the root is multiplied, or 0.
PD_FN num_cell num_cell_root(const num_ring r, num_cell a, PD_GPTR(void) seeds, pd_u64 n,
                             num_u less, pd_u32 mode, num_u turn)
{
    (void)seeds, (void)less, (void)mode;
    const pd_u32 huge = (pd_u32)(n >> 32) | (pd_u32)n >> 31; // 2^31 would take two scalars
    const pd_i32 step = huge ? 0x7fffffff : (pd_i32)n;
    const pd_u32 lossy = PD_NUM_TWO && n == 2u ? 1u : 0u;
    num_cell x = num_cell_of(r);
    num_u seed = 1u;
    (void)lossy;
    NUM_NAN_OF(x, a)
    x = num_parted(r, a);
#if PD_NUM_KIND & 1 // before conditions, each of which takes scalars
    seed = (num_u)num_mod_root((PD_GPTR(pd_u64))seeds,
                               (pd_u64)(x.u - num_above(r, x.u) * NUM_P(r)));
#endif
    if (x.v == NUM_ZERO) return x;
    if (!x.n) {
        x.v = x.v > 0 ? (x.v - 1) / step + 1 : x.v / step;
        x.bits = NUM_PRECLOSS;
        return x;
    }
    if (x.v % step || (huge && x.v)) {
        x.bits = NUM_NOPOWER;
        return x;
    }
    x.v /= step;
#if PD_NUM_TWO
    if (lossy && num_low(r, num_sub(r, x.u, 1u), 3u)) seed = 0u;
#elif !(PD_NUM_KIND & 1)
    seed = ((PD_GPTR(pd_u32))seeds)[(pd_u32)(x.u - num_above(r, x.u) * NUM_P(r))];
#endif
    if (!seed) {
        x.bits = NUM_NOPOWER;
        return x;
    }
#if PD_NUM_MODEL == 2
    if (lossy && x.n <= 2u) {
        x.u = 0u;
        x.n = 0u;
        x.bits = NUM_PRECLOSS;
        return x;
    }
#endif
#if PD_NUM_KIND & 2
    {
#if PD_NUM_KIND & 1
        const pd_u32 room = 272u; // of num_mod_root()
#else
        const pd_u32 room = PD_NUM_TWO ? 2u : ((pd_u32)NUM_P(r) + 1u) & 0xfffffffeu;
#endif
        x = num_root_deep(r, x, seed, less, mode & 255u,
                          (PD_GPTR(num_u))(PD_GPTR(void))((PD_GPTR(pd_u8))seeds + 4u * room),
                          mode >> 8 & 4095u, mode >> 20);
        if (x.bits) return x;
    }
#else
    if (lossy && x.n > 1u) x.n -= 1u;
    x.u = num_root(r, x.u, n, less, seed);
#endif
#if PD_NUM_KIND == 1 // not earlier: sm_100 spilled it
    turn = (num_u)((PD_GPTR(pd_u64))seeds)[11];
#endif
    if (turn) x.u = num_mul(r, x.u, turn);
    x.u = num_low(r, x.u, x.n);
#if PD_NUM_MODEL == 0
    if ((pd_u32)x.v + x.n < r.n) x.bits = NUM_PRECLOSS;
    x.u = num_up(r, x.u, x.v);
#endif
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_ROOT
// k: n; stride: 1 / n modulo P; other2: 1 / the root of each residue modulo p, 0: none; the
// root of unity stands where other[0] would. Large p have it in their table; where these
// divide n the others, too.
// zero is 0, which a compiler does not see: it keeps no scalars for all elements.
PD_FN pd_u32 num_item_root(const num_ring r, const num_work w, pd_u32 i)
{
#if PD_NUM_KIND && !PD_IS_CUDA
    const pd_u32 zero = i >> 31;
#else
    const pd_u32 zero = 0u;
#endif
    PD_GPTR(void) const seeds = (PD_GPTR(pd_u8))w.other2 + zero;
#if PD_NUM_KIND == 3
    const pd_u64 n = ((PD_GPTR(pd_u64))seeds)[12];
    const num_u less = (num_u)((PD_GPTR(pd_u64))seeds)[9];
    const num_u turn = (num_u)((PD_GPTR(pd_u64))seeds)[11];
    const pd_u32 mode = (pd_u32)((PD_GPTR(pd_u64))seeds)[10];
#else
    const pd_u64 n = w.k + zero;
    const num_u less = (num_u)(w.stride + zero);
    const num_u turn =
        PD_NUM_KIND == 1 ? 0u : (num_u)(w.first + zero);
    const pd_u32 mode = w.mode + zero;
#endif
    return num_store(w.out, i, num_cell_root(r, num_load(r, w.a, i), seeds, n, less, mode, turn));
}
#define NUM_ITEM num_item_root
#endif
