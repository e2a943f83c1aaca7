#include "root.h"
#include "element.h"
#include "residue.h"
#include "ring.h"
#include "ring_tables.h"
#include "series.h"

#if PADICI_IMPLEMENT_NUM

static uint64_t padici_num_mod_pow(const padici_root *s, uint64_t a, uint64_t k)
{
    uint64_t x = k & 1 ? a : s->one;
    while (k >>= 1) {
        a = padici_num_mod_mul(s, a, a);
        if (k & 1) x = padici_num_mod_mul(s, x, a);
    }
    return x;
}

// The greatest common divisor by halving and subtracting (Stein 1967), after one remainder.
PADICI_FN uint64_t padici_num_gcd(uint64_t a, uint64_t b)
{
    uint32_t shift;
    if (a < b) {
        const uint64_t other = a;
        a = b;
        b = other;
    }
    if (!b || !(a %= b)) return b ? b : a;
    shift = padici_ctz64(a | b);
    b >>= padici_ctz64(b);
    for (a >>= padici_ctz64(a); a != b;) { // no branch: it would be unpredictable
        const uint64_t d = a - b, less = 0 - (uint64_t)(a < b);
        b += d & less;
        a = ((d ^ less) - less) >> padici_ctz64(d);
    }
    return b << shift;
}

static void padici_num_sylow_init(padici_root *s, padici_num_sylow *y, uint64_t q)
{
    const uint64_t all = s->p - 1;
    uint64_t h = padici_num_mod_mul(s, 2, s->square);
    y->q = q;
    y->order = y->share = 1;
    while (all / y->order % q == 0) y->order *= q;
    y->share = padici_num_gcd(s->n, y->order);
    while (padici_num_mod_pow(s, h, all / q) == s->one) h = h + 1 < s->p ? h + 1 : 1;
    y->generator = padici_num_mod_pow(s, h, all / y->order);
    y->unity = padici_num_mod_pow(s, y->generator, y->order / q);
    y->project = all / y->order * padici_num_inverse_mod(all / y->order % y->order, y->order);
    y->inverse = padici_num_inverse_mod(s->n / y->share % y->order, y->order);
    s->zeta =
        padici_num_mod_mul(s, s->zeta, padici_num_mod_pow(s, y->generator, y->order / y->share));
}

// all_roots: zeta is needed.
PADICI_FN void padici_num_root_init(padici_root *s, const padic_num_ring *r, uint64_t n,
                                    int all_roots)
{
    const uint64_t all = r->p - 1;
    uint64_t left, q, order = 1, cofactor;
    memset(s, 0, sizeof *s);
    s->n = s->m = n;
    s->p = r->p;
    for (; s->m % r->p == 0; s->m /= r->p) s->e++;
    s->count = padici_num_gcd(n, r->p == 2 ? 2 : all);
    if (r->p == 2) return;
    s->inverse = padici_num_inverse64(r->p);
    s->one = s->zeta = (UINT64_MAX - r->p + 1) % r->p;
    s->square = padici_num_mulmod(s->one, s->one, r->p);
    s->search = s->count > all / s->count;
    if (s->search && !all_roots) return;
    for (left = s->count, q = 2; left > 1; q++) {
        if (q > left / q) q = left;
        if (left % q) continue;
        while (left % q == 0) left /= q;
        padici_num_sylow_init(s, &s->sylow[s->sylows], q);
        order *= s->sylow[s->sylows++].order;
    }
    cofactor = all / order;
    s->outside = padici_num_mulmod(order * padici_num_inverse_mod(order % cofactor, cofactor),
                                   padici_num_inverse_mod(n % cofactor, cofactor), all);
}

// The discrete logarithm of x to the generator of the subgroup.
static uint64_t padici_num_sylow_log(const padici_root *s, const padici_num_sylow *y, uint64_t x)
{
    uint64_t log = 0, step = 1, order, t, power;
    for (order = y->order / y->q; order; order /= y->q) { // x generator^-log has order `order` q
        t = padici_num_mod_mul(s, x,
                               padici_num_mod_pow(s, y->generator, (y->order - log) % y->order));
        t = padici_num_mod_pow(s, t, order);
        for (power = s->one; power != t; power = padici_num_mod_mul(s, power, y->unity))
            log += step;
        step *= y->q;
    }
    return log;
}

// 1 / the smallest n-th root of u modulo p, 0 if there is none. u < p, p odd.
static uint64_t padici_num_root_mod(const padici_root *s, uint64_t u)
{
    const uint64_t all = s->p - 1;
    uint64_t z, x, i, back, best, inverse;
    if (!u) return 0;
    u = padici_num_mod_mul(s, u, s->square);
    if (s->search) {
        if (padici_num_mod_pow(s, u, all / s->count) != s->one) return 0;
        for (i = 1, x = s->one; padici_num_mod_pow(s, x, s->n % all) != u; i++)
            x = padici_num_mod_mul(s, i + 1, s->square);
        return padici_num_inverse_mod(i, s->p);
    }
    z = padici_num_mod_pow(s, u, all - s->outside);
    for (i = 0; i < s->sylows; i++) {
        const padici_num_sylow *y = &s->sylow[i];
        if (y->order == y->share) continue;
        x = padici_num_sylow_log(s, y, padici_num_mod_pow(s, u, y->project));
        if (x % y->share) return 0;
        x = padici_num_mulmod(x / y->share, y->inverse, y->order);
        z = padici_num_mod_mul(s, z, padici_num_mod_pow(s, y->generator, y->order - x));
    }
    x = padici_num_mod_mul(s, u, s->n == 2 ? z : padici_num_mod_pow(s, z, (s->n - 1) % all));
    if (padici_num_mod_mul(s, padici_num_mod_pow(s, x, (s->n - 1) % all), x) != u) return 0;
    best = padici_num_mod_mul(s, x, 1);
    inverse = z;
    back = s->count > 1 ? padici_num_mod_pow(s, s->zeta, s->count - 1) : s->one;
    for (i = 1; i < s->count; i++) {
        x = padici_num_mod_mul(s, x, s->zeta);
        z = padici_num_mod_mul(s, z, back);
        u = padici_num_mod_mul(s, x, 1);
        if (u < best) {
            best = u;
            inverse = z;
        }
    }
    return padici_num_mod_mul(s, inverse, 1);
}

// The root of u modulo p^*known where Newton's method begins, as its inverse; 0: none.
PADICI_FN uint64_t padici_num_seed_root(const padic_num_ring *r, const padici_root *s,
                                    const uint64_t *u, uint32_t *known)
{
    const padici_num_tables *t = padici_num_tables_of(r);
    *known = r->p == 2 && s->n % 2 == 0 ? 2 : 1;
    if (s->n == 2 && t && t->root) {
        *known = t->root_digits;
        return ((const uint32_t *)padici_num_table(t, t->root))[padici_num_table_index(r, t, u)];
    }
    return r->p == 2 ? 1 : padici_num_root_mod(s, padici_num_ring_digit(r, u));
}

static void padici_num_ring_pow_few(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                uint64_t k, uint64_t *t)
{
    if (k == 1)
        padici_num_ring_copy(r, x, a);
    else if (k == 2)
        padici_num_ring_mul(r, x, a, a);
    else
        padici_num_ring_pow(r, x, a, k, t);
}

// a = a b / n to `digits` digits, where p^known divides a; long numbers are shortened by that zero
// part. `inverse` is 1 / n, NULL for p = n = 2. `t`: 2 residues.
static void padici_num_root_step(const padic_num_ring *r, padic_num_ring *low, uint64_t *a,
                             const uint64_t *b, const uint64_t *inverse, uint32_t known,
                             uint32_t digits, uint64_t *t)
{
    const padic_num_ring *now = padici_num_ring_short(r, low, digits);
    const uint32_t zeros = r->form == PADIC_NUM_RX ? known : 0;
    padici_num_ring_down(now, a, a, zeros + !inverse);
    now = padici_num_ring_short(r, low, digits - zeros);
    padici_num_ring_mul(now, t, a, b);
    if (inverse) {
        padici_num_ring_mul(now, t + r->words, t, inverse);
        t += r->words;
    }
    padici_num_ring_copy(now, a, t);
    padici_num_ring_up(padici_num_ring_short(r, low, digits), a, a, zeros);
}

// x = u^(1/n) where p does not divide n, or p = n = 2, from z = 1 / root modulo p^known. Newton: z
// += z (1 - u z^n) / n; from half of the digits x = y + w (u - y^n) / n, w = z^(n-1), y = u w. For
// p = n = 2 the top digit is wrong. `t`: 7 residues.
static void padici_num_ring_root(const padic_num_ring *r, uint64_t n, uint64_t *x,
                                 const uint64_t *u, uint64_t seed, uint32_t known, uint64_t *t)
{
    const uint32_t two = r->p == 2 && n == 2;
    uint64_t *const z = t, *inverse = t + r->words, *const a = t + 2 * r->words;
    uint64_t *const w = t + 3 * r->words, *const b = t + 4 * r->words;
    const padic_num_ring *now;
    padic_num_ring low;
    uint32_t next;
    low.magic = 0;
    padici_num_ring_set(r, z, seed);
    padici_num_ring_set(r, a, n);
    if (!two) padici_num_ring_inv(r, inverse, a, b);
    if (two) inverse = NULL;
    for (; 2 * known < r->precision; known = next - two) {
        next = 2 * known;
        now = padici_num_ring_short(r, &low, next);
        padici_num_ring_pow_few(now, a, z, n, b);
        padici_num_ring_mul(now, b, a, u);
        padici_num_ring_set(now, a, 1);
        padici_num_ring_sub(now, a, a, b);
        padici_num_root_step(r, &low, a, z, inverse, known, next, b);
        padici_num_ring_add(padici_num_ring_short(r, &low, next), z, z, a);
    }
    padici_num_ring_set(r, w, 1);
    padici_num_ring_set(r, x, 0);
    now = padici_num_ring_short(r, &low, known);
    if (n > 1) padici_num_ring_pow_few(now, w, z, n - 1, b);
    padici_num_ring_mul(now, x, w, u);
    if (known >= r->precision) return;
    padici_num_ring_pow_few(r, a, x, n, b);
    padici_num_ring_sub(r, a, u, a);
    padici_num_root_step(r, &low, a, w, inverse, known, r->precision, b);
    padici_num_ring_add(r, x, x, a);
}

// The n-th root of a: 1 if a root of the unit is needed, which is then in `u`, and 1 / root modulo
// p^*known in *seed. `y`: 1 residue.
PADICI_FN int padici_num_root_begin(const padic_num_call *call, const padici_root *s,
                                    padici_num_cell *x, const padici_num_cell *a, uint64_t *u,
                                    uint64_t *y, uint64_t *seed, uint32_t *known)
{
    const padic_num_ring *r = call->ring;
    const int32_t n = s->n > INT32_MAX ? INT32_MAX : (int32_t)s->n;
    if (padici_num_cell_nan(x, a, NULL)) return 0;
    padici_num_cell_unit(call, x, a);
    if (x->v == PADIC_NUM_ZERO) {
        padici_num_cell_integer(call, x, 0);
        return 0;
    }
    if (!x->n) {
        padici_num_cell_unknown(r, x, x->v > 0 ? (x->v - 1) / n + 1 : x->v / n);
        return 0;
    }
    if (x->v % n || (s->n > INT32_MAX && x->v)) {
        x->bits = PADIC_NUM_NOPOWER;
        return 0;
    }
    x->v /= n;
    padici_num_ring_copy(r, u, x->u);
    if (s->e && r->p == 2) { // 1 modulo 2^(e+2), to the known precision
        padici_num_ring_set(r, y, 1);
        padici_num_ring_sub(r, y, u, y);
        padici_num_ring_low(r, y, y, s->e + 2);
        if (!padici_num_ring_is_zero(r, y)) x->bits = PADIC_NUM_NOPOWER;
    }
    *seed = x->bits ? 0 : padici_num_seed_root(r, s, u, known);
    if (!*seed) x->bits = PADIC_NUM_NOPOWER;
    return *seed != 0;
}

// The n-th root of a: its unit in x->u with x->n right digits; x->bits if there is none. Returns 0
// if x is already complete: for 0, for unknown values, without a root. `t`: 52 residues.
PADICI_FN int padici_num_root_unit(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, uint64_t *t)
{
    const padic_num_ring *r = call->ring;
    const padici_num_series *series = (const padici_num_series *)call->options;
    const padici_root *s = series->root;
    uint64_t *const u = t, *const y = t + r->words, seed;
    const uint32_t over = s->e + (r->p == 2); // u = w(u) mod p^(over+1) if e > 0 (p = 2: n even)
    uint32_t known, digits;
    if (!padici_num_root_begin(call, s, x, a, u, y, &seed, &known)) return 0;
    digits = x->n;
    t += 2 * r->words;
    if (!s->e || s->n == 2) {
        padici_num_ring_root(r, s->n, x->u, u, seed, known, t);
    } else { // w(root) exp(log(u / w(u)) / n)
        const uint64_t digit = padici_num_ring_digit(r, u);
        padici_num_ring_teichmueller(r, y, padici_num_inverse_mod(digit, r->p), t);
        padici_num_ring_mul(r, t, u, y);
        padici_num_ring_set(r, y, 1);
        padici_num_ring_sub(r, y, t, y);
        padici_num_ring_low(r, y, y, over + 1);
        padici_num_ring_low(r, y, y, digits);
        if (!padici_num_ring_is_zero(r, y)) {
            x->bits = PADIC_NUM_NOPOWER;
            return 0;
        }
        padici_num_ring_set(r, x->u, 1);
        if (digits > over) {
            padici_num_ring_log(r, series, y, t, t + r->words);
            padici_num_ring_down(r, y, y, s->e);
            padici_num_ring_set(r, t, s->m);
            padici_num_ring_inv(r, t + r->words, t, t + 2 * r->words);
            padici_num_ring_mul(r, t, y, t + r->words);
            padici_num_ring_exp(r, series, x->u, t, t + r->words);
        }
        padici_num_ring_teichmueller(r, y, padici_num_inverse_mod(seed, r->p), t);
        padici_num_ring_mul(r, t, x->u, y);
        padici_num_ring_copy(r, x->u, t);
    }
    if (call->model == PADIC_NUM_BALL && s->e && digits <= over) {
        padici_num_cell_unknown(r, x, x->v);
        return 0;
    }
    x->n = digits > s->e ? digits - s->e : 1;
    return 1;
}

// The element with the unit u, of which x->n digits are right, and the valuation x->v.
PADICI_FN void padici_num_root_finish(const padic_num_call *call, padici_num_cell *x,
                                      const uint64_t *u)
{
    const padic_num_ring *r = call->ring;
    padici_num_ring_low(r, x->u, u, x->n);
    if (call->model != PADIC_NUM_RING) return;
    padici_num_ring_up(r, x->u, x->u, (uint64_t)x->v);
    if ((uint32_t)x->v + x->n < r->precision) x->bits |= PADIC_NUM_PRECLOSS;
}

PADICI_FN void padici_num_sqrt_one(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b,
                                   const padici_num_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    if (padici_num_root_unit(call, x, a, temp))
        padici_num_root_finish(call, x, x->u);
}

#endif
