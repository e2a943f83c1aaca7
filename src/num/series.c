// -------------------------------------------------------------------------------- >>series impl
//
// From the bottom up: tables, Teichmueller residues, exp and log, roots modulo p, roots, Hensel.
// The kernels of a backend: SQRT, EXP, TEICHMUELLER have out and a; LOG also k, its options.

// The block of padic_num_ring_tables(): this, then the tables, each at an offset in 64-bit words
// from here, 0 if there is none. Seeds (u32) are found by u mod q = p^digits: the inverse of u
// modulo q, and 1 / sqrt(u), of the root with the smaller residue, 0 if there is none.
typedef struct padici_tables {
    uint64_t modulus, reciprocal, p_reciprocal; // q; floor((2^64 - 1) / q); the same of p
    uint32_t digits, root_digits;
    uint32_t inverse, root, teichmueller, series[2]; // of exp, log
} padici_tables;

#define PADICI_SERIES_TERMS 160u // at most, up to W128: exp, p = 3, N = 80

static const padici_tables *padici_tables_of(const padic_num_ring *r)
{
    return (const padici_tables *)r->tables;
}

static const uint64_t *padici_table(const padici_tables *t, uint32_t offset)
{
    return t && offset ? (const uint64_t *)(const void *)t + offset : NULL;
}

// a mod m, reciprocal = floor((2^64 - 1) / m): the quotient is at most one too small.
PADICI_INLINE uint64_t padici_table_mod(uint64_t a, uint64_t m, uint64_t reciprocal)
{
    const uint64_t x = a - padici_mulhi64(a, reciprocal) * m;
    return x >= m ? x - m : x;
}

// u modulo q: where the seeds of u are.
static uint64_t padici_table_index(const padic_num_ring *r, const padici_tables *t,
                                   const uint64_t *u)
{
    padici_wide rest;
    if (r->form != PADIC_NUM_W128 || !u[1])
        return padici_table_mod(u[0], t->modulus, t->reciprocal);
    padici_wide_div(padici_wide_load(u), padici_wide_make(t->modulus, 0), &rest);
    return rest.low;
}

// The inverse of a unit modulo p^*known, the start of Newton's steps.
static uint64_t padici_seed_inverse(const padic_num_ring *r, const uint64_t *a, uint32_t *known)
{
    const padici_tables *t = padici_tables_of(r);
    *known = t && t->inverse ? t->digits : 1;
    if (t && t->inverse)
        return ((const uint32_t *)padici_table(t, t->inverse))[padici_table_index(r, t, a)];
    return padici_inverse_mod(padici_ring_digit(r, a), r->p);
}

// Long numbers: how many limbs hold `digits`. *low is the ring of so many.
static const padic_num_ring *padici_ring_short(const padic_num_ring *r, padic_num_ring *low,
                                               uint32_t digits)
{
    uint32_t words;
    if (r->form != PADIC_NUM_RX) return r;
    words = (digits + r->limb_digits - 1) / r->limb_digits;
    if (words >= r->words) return r;
    if (!low->magic) *low = *r;
    low->words = words;
    low->top_digits = r->limb_digits;
    low->precision = words * r->limb_digits;
    return low;
}

// x = w(residue) for a residue modulo p, p = 2: modulo 4. `t` has room for 6 residues. Newton for
// x^p = x, with the derivative p - 1 at the root: x = (p x - x^p) / (p - 1). Of e right digits it
// makes 2 e + 1.
static void padici_ring_teichmueller(const padic_num_ring *r, uint64_t *x, uint64_t residue,
                                     uint64_t *t)
{
    const padici_tables *tables = padici_tables_of(r);
    const uint64_t *table = tables ? padici_table(tables, tables->teichmueller) : NULL;
    uint64_t *const inverse = t, *const p = t + r->words, *const power = t + 2 * r->words;
    const padic_num_ring *now;
    padic_num_ring low;
    uint32_t known = 1;
    low.magic = 0;
    if (r->p == 2) {
        padici_ring_set(r, x, residue & 1);
        if ((residue & 3) == 3) padici_ring_neg(r, x, x);
        return;
    }
    residue %= r->p;
    if (table) {
        padici_ring_copy(r, x, table + residue * r->words);
        return;
    }
    padici_ring_set(r, x, residue);
    if (residue < 2 || r->precision == 1) return;
    padici_ring_set(r, power, r->p - 1);
    padici_ring_inv(r, inverse, power, t + 3 * r->words);
    padici_ring_set(r, p, r->p);
    while (known < r->precision) {
        known = 2 * known + 1;
        now = padici_ring_short(r, &low, known);
        padici_ring_pow(now, power, x, r->p, t + 3 * r->words);
        padici_ring_mul(now, t + 3 * r->words, p, x);
        padici_ring_sub(now, power, t + 3 * r->words, power);
        padici_ring_mul(now, x, power, inverse);
    }
}

// exp and log. With x = p^c y: exp(x) = sum p^(kc)/k! y^k and -log(1 - x) = sum p^(kc)/k y^k have
// integral coefficients, so that no digit is lost and none is needed in reserve.

// The least v of x for exp.
PADICI_INLINE uint32_t padici_series_c(const padic_num_ring *r)
{
    return r->p == 2 ? 2 : 1;
}

static uint32_t padici_small_valuation(uint64_t p, uint64_t k, uint64_t *unit)
{
    uint32_t v = 0;
    for (; k && k % p == 0; k /= p) v++;
    *unit = k;
    return v;
}

// The valuation of coefficient k.
static int64_t padici_series_valuation(uint64_t p, uint32_t c, int log, uint64_t k)
{
    uint64_t v = 0, unit = k;
    if (log)
        v = padici_small_valuation(p, k, &unit);
    else
        while ((unit /= p) > 0) v += unit;
    return (int64_t)(k * c) - (int64_t)v;
}

// How many coefficients are not 0 modulo p^N. The valuations are >= N for exp from
// ((p-1) N - 1) / ((p-1) c - 1) on, for log from N / c + 18 on, since v(k) < 18.
static uint32_t padici_series_terms(uint64_t p, uint32_t precision, uint32_t c, int log)
{
    const uint64_t q = (p >> 32 ? UINT64_C(1) << 32 : p) - 1, d = q * c - 1;
    uint64_t n = log ? precision / c + 18 : (q * precision - 1 + d - 1) / d;
    while (n > 1 && padici_series_valuation(p, c, log, n - 1) >= (int64_t)precision) n--;
    return n ? (uint32_t)n : 1;
}

static uint32_t padici_series_count(const padic_num_ring *r, int log)
{
    return padici_series_terms(r->p, r->precision, padici_series_c(r), log);
}

// The coefficients, `terms` residues, of exp, or of log(1 + x), up to W128. `t`: 5 residues.
static void padici_series_make(const padic_num_ring *r, int log, uint64_t *x, uint32_t terms,
                               uint64_t *t)
{
    const uint32_t words = r->words, c = padici_series_c(r);
    uint64_t *const a = t + words, *const b = t + 2 * words, unit;
    uint32_t k;
    padici_ring_set(r, x, 1);
    for (k = 1; k < terms; k++) { // k! without its p
        padici_small_valuation(r->p, k, &unit);
        padici_ring_set(r, a, unit);
        padici_ring_mul(r, x + k * words, x + (k - 1) * words, a);
    }
    padici_ring_inv(r, t, x + (terms - 1) * words, a);
    for (k = terms; k-- > 0;) { // t = 1 / k!
        uint64_t *const here = x + k * words;
        if (log && k)
            padici_ring_mul(r, a, t, here - words);
        else
            padici_ring_set(r, a, 0);
        padici_ring_up(r, here, log ? a : t, (uint64_t)padici_series_valuation(r->p, c, log, k));
        if (log && k % 2 == 0) padici_ring_neg(r, here, here);
        padici_small_valuation(r->p, k, &unit);
        padici_ring_set(r, a, unit);
        padici_ring_mul(r, b, t, a);
        padici_ring_copy(r, t, b);
    }
}

// x = a b + d s modulo base^words, b of `len` limbs, s below the base; x is none of the others. For
// one limb the divisions do not wait for each other, only the small carries do.
static void padici_limbs_muladd(const padic_num_ring *r, uint32_t words, uint64_t *x,
                                const uint64_t *a, const uint64_t *b, uint32_t len,
                                const uint64_t *d, uint64_t s)
{
    const uint64_t base = r->base, divisor = base << r->shift, reciprocal = r->reciprocal;
    const uint32_t shift = r->shift;
    uint64_t quotient = 0, rest, carry = 0;
    uint32_t k;
    if (len > 1) {
        padici_limbs_product(r, x, words, a, words, b, len, d, s);
        return;
    }
    for (k = 0; k < words; k++) {
        padici_wide sum = padici_wide_mul(a[k], *b);
        const uint64_t before = quotient + carry;
        if (s) sum = padici_wide_add(sum, padici_wide_mul(d[k], s));
        quotient = padici_divide(padici_wide_shl(sum, shift), divisor, reciprocal, &rest);
        rest = (rest >> shift) + before; // below 3 base
        carry = (uint64_t)(rest >= base) + (rest >= 2 * base);
        x[k] = rest - carry * base;
    }
}

// x = exp(X) or -log(1 - X) for X = base^start Y (start = 0: p^c Y), Y of `len` limbs. The sum over
// a common denominator, by Horner's rule from the end: S = Y S + p^w d, d = k d. What is left at
// term k is divisible by p^mu, mu the least valuation of a coefficient from there on; S is without
// it, and needs only N - mu digits. `t`: 5 residues.
static void padici_limbs_series(const padic_num_ring *r, int log, uint64_t *x, const uint64_t *y,
                                uint32_t len, uint32_t start, uint64_t *t)
{
    const uint32_t c = start ? start * r->limb_digits : padici_series_c(r);
    const uint64_t size = r->words * sizeof *t;
    uint64_t *s = t, *d = t + r->words, *next = t + 2 * r->words, *other, unit, word, factor;
    uint32_t k = padici_series_terms(r->p, r->precision, c, log), words, d_words = 1, first = 1;
    int64_t mu = r->precision, w, up;
    memset(t, 0, (size_t)(3 * size));
    d[0] = 1;
    while (k-- > 0) {
        w = log && !k ? 0 : padici_series_valuation(r->p, c, log, k);
        up = w < mu ? mu - w : 0;
        mu -= up;
        if (first) up = 0; // s is 0
        first = 0;
        words = (uint32_t)(r->precision - mu) / r->limb_digits + 1;
        if (words > r->words) words = r->words;
        padici_small_valuation(r->p, k, &unit);
        word = log && !k ? 0 : r->power[w - mu][0];
        if (log && k) { // up <= c + v(k), so that the factor is at most k
            factor = unit * (up > (int64_t)c && !start ? r->power[up - c][0] : 1);
            padici_limbs_muladd(r, words, next, s, &factor, 1, s, 0);
            other = s;
            s = next;
            next = other;
        }
        if (start) {
            padici_ring_up(r, s, s, (uint64_t)up);
            padici_limbs_muladd(r, words, next, s, y, len, d, word);
        } else {
            factor = y[0] * r->power[up > (int64_t)c ? c : up][0];
            padici_limbs_muladd(r, words, next, s, &factor, 1, d, word);
        }
        other = s;
        s = next;
        next = other;
        if (unit < 2) continue;
        if (d_words < r->words) d_words++;
        padici_limbs_muladd(r, d_words, next, d, &unit, 1, d, 0);
        if (!next[d_words - 1]) d_words--;
        memcpy(d, next, d_words * sizeof *d);
    }
    s[r->words - 1] = padici_limb_low(r, s[r->words - 1], r->top_digits);
    d[r->words - 1] = padici_limb_low(r, d[r->words - 1], r->top_digits);
    padici_ring_inv(r, next, d, t + 3 * r->words);
    padici_ring_mul(r, x, s, next);
}

// exp(a), or log(a) for a = 1 mod p^c, of a long number: a is split at limbs 1, 4, 16, ..., so that
// the many terms of the first part have a factor of one limb. `t`: 10 residues.
static void padici_limbs_exp_log(const padic_num_ring *r, int log, uint64_t *x, const uint64_t *a,
                                 uint64_t *t)
{
    uint64_t *const rest = t, *const part = t + r->words, *const y = t + 2 * r->words;
    uint64_t *const more = t + 3 * r->words;
    uint32_t start, len = 1;
    padici_ring_copy(r, rest, a);
    padici_ring_set(r, x, !log);
    for (start = 0; start < r->words; start += len, len = 3 * start) {
        if (len > r->words - start) len = r->words - start;
        if (log) { // 1 - rest begins at limb `start`; the factor 1 - part takes `len` limbs of it
            padici_ring_set(r, y, 1);
            padici_ring_sub(r, part, y, rest);
            memset(part + start + len, 0, (r->words - start - len) * sizeof *part);
        }
        memcpy(y, (log ? part : rest) + start, len * sizeof *y);
        if (!start) y[0] /= r->power[padici_series_c(r)][0];
        padici_limbs_series(r, log, more, y, len, start, more + r->words);
        if (log) {
            padici_ring_sub(r, x, x, more);
            padici_ring_set(r, y, 1);
            padici_ring_sub(r, part, y, part);
            padici_ring_inv(r, y, part, more);
            padici_ring_mul(r, more, rest, y);
            padici_ring_copy(r, rest, more);
        } else {
            padici_ring_mul(r, y, x, more);
            padici_ring_copy(r, x, y);
        }
    }
}

// What a loop hands to its function of one element, as call->options.
typedef struct padici_series {
    const uint64_t *coefficients[2]; // of exp, log; NULL for long numbers
    uint32_t terms[2];
    uint32_t needs_exp;
    const struct padici_root *root;
    void (*loop)(padic_num_call *call);
} padici_series;

// x = c_0 + c_1 y + ...; `t`: 1 residue.
static void padici_ring_horner(const padic_num_ring *r, uint64_t *x, const uint64_t *y,
                               const uint64_t *c, uint32_t terms, uint64_t *t)
{
    padici_ring_copy(r, x, c + --terms * r->words);
    while (terms-- > 0) {
        padici_ring_mul(r, t, x, y);
        padici_ring_add(r, x, t, c + terms * r->words);
    }
}

// x = exp(a), v(a) >= c; `t`: 10 residues.
static void padici_ring_exp(const padic_num_ring *r, const padici_series *s, uint64_t *x,
                            const uint64_t *a, uint64_t *t)
{
    if (r->form == PADIC_NUM_RX) {
        padici_limbs_exp_log(r, 0, x, a, t);
    } else {
        padici_ring_down(r, t, a, padici_series_c(r));
        padici_ring_horner(r, x, t, s->coefficients[0], s->terms[0], t + r->words);
    }
}

// x = log(a), a = 1 mod p^c; `t`: 10 residues.
static void padici_ring_log(const padic_num_ring *r, const padici_series *s, uint64_t *x,
                            const uint64_t *a, uint64_t *t)
{
    if (r->form == PADIC_NUM_RX) {
        padici_limbs_exp_log(r, 1, x, a, t);
    } else {
        padici_ring_set(r, t, 1);
        padici_ring_sub(r, t, a, t);
        padici_ring_down(r, t, t, padici_series_c(r));
        padici_ring_horner(r, x, t, s->coefficients[1], s->terms[1], t + r->words);
    }
}

// x becomes O(p^v) that says it is all that is known.
static void padici_cell_unknown(const padic_num_ring *r, padici_cell *x, int32_t v)
{
    padici_ring_set(r, x->u, 0);
    x->v = v;
    x->n = 0;
    x->bits = PADIC_NUM_PRECLOSS;
}

// x = the exact 0, or the integer s.
static void padici_cell_integer(const padic_num_call *call, padici_cell *x, uint64_t s)
{
    padici_ring_set(call->ring, x->u, s);
    x->v = !s && call->model != PADIC_NUM_RING ? PADIC_NUM_ZERO : 0;
    x->n = call->ring->precision;
}

// The unit of a in x->u and its valuation in x->v, for RING too, where only x->n of the digits are
// known. 0 and O(p^v) have x->n = 0.
static void padici_cell_unit(const padic_num_call *call, padici_cell *x, const padici_cell *a)
{
    const padic_num_ring *r = call->ring;
    x->v = a->v;
    x->n = call->model == PADIC_NUM_BALL ? a->n : r->precision;
    if (call->model == PADIC_NUM_RING) {
        const uint32_t v = padici_ring_valuation(r, a->u);
        x->v = v < r->precision ? (int32_t)v : PADIC_NUM_ZERO;
        x->n -= v;
        padici_ring_down(r, x->u, a->u, v);
    } else {
        padici_ring_copy(r, x->u, a->u);
    }
    if (x->v == PADIC_NUM_ZERO) x->n = 0;
}

static void padici_exp_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    int64_t v = a->v, known;
    (void)b;
    (void)c;
    if (padici_cell_nan(x, a, NULL)) return;
    padici_cell_integer(call, x, 1);
    if (call->model == PADIC_NUM_RING)
        v = padici_ring_is_zero(r, a->u) ? PADIC_NUM_ZERO : (int64_t)padici_ring_valuation(r, a->u);
    if (v < (int64_t)padici_series_c(r)) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    if (!padici_ring_is_zero(r, a->u)) {
        padici_ring_up(r, temp, a->u, call->model == PADIC_NUM_RING ? 0 : (uint64_t)v);
        padici_ring_exp(r, (const padici_series *)call->options, x->u, temp, temp + r->words);
    }
    known = v + a->n;
    if (call->model == PADIC_NUM_BALL && known < (int64_t)r->precision) {
        x->n = (uint32_t)known;
        padici_ring_low(r, x->u, x->u, x->n);
    }
}

// k: PADIC_NUM_IWASAWA or 0.
static void padici_log_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const t = temp + r->words, digit;
    uint32_t known;
    int one;
    (void)b;
    (void)c;
    if (padici_cell_nan(x, a, NULL)) return;
    padici_cell_unit(call, x, a);
    known = x->n;
    digit = padici_ring_digit(r, x->u);
    if (!known || (!call->k && (x->v || digit != 1))) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    if (r->p == 2 && call->model == PADIC_NUM_BALL && known == 1) {
        padici_cell_unknown(r, x, 2); // logarithms of odd numbers are all of 4 Z_2
        return;
    }
    x->v = 0;
    padici_ring_set(r, t, 1);
    one = padici_ring_same(r, t, x->u);
    padici_ring_copy(r, temp, x->u);
    if (r->p == 2 && x->u[0] & 2) padici_ring_neg(r, temp, temp);
    if (digit != 1) padici_ring_pow(r, temp, x->u, r->p - 1, t);
    padici_ring_log(r, (const padici_series *)call->options, x->u, temp, t);
    if (digit != 1) { // / (p - 1)
        padici_ring_set(r, t, r->p - 1);
        padici_ring_inv(r, temp, t, t + r->words);
        padici_ring_mul(r, t, x->u, temp);
        padici_ring_copy(r, x->u, t);
    }
    if (call->model == PADIC_NUM_RING && known < r->precision) {
        padici_ring_low(r, x->u, x->u, known);
        x->bits = PADIC_NUM_PRECLOSS;
    } else if (call->model == PADIC_NUM_FLOAT && one) {
        padici_cell_integer(call, x, 0);
    } else {
        padici_cell_normal(call, x);
    }
}

static void padici_pow_padic_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                                 const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    padici_cell log, product;
    if (padici_cell_nan(x, a, b)) return;
    log = product = *x;
    log.u = temp;
    product.u = temp + r->words;
    temp += 2 * r->words;
    if (r->p == 2 && (call->model == PADIC_NUM_BALL ? a->n == 1 || a->u[0] & 2
                                                    : r->precision > 1 && a->u[0] & 2)) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    padici_log_one(call, &log, a, b, c, temp);
    if (log.bits & PADIC_NUM_HARD) {
        x->bits = log.bits;
        return;
    }
    padici_cell_mul(call, &product, &log, b);
    product.bits = 0;
    padici_exp_one(call, x, &product, b, c, temp);
}

static void padici_teichmueller_one(const padic_num_call *call, padici_cell *x,
                                    const padici_cell *a, const padici_cell *b,
                                    const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    (void)b;
    (void)c;
    if (padici_cell_nan(x, a, NULL)) return;
    padici_cell_integer(call, x, 0);
    if (a->v > 0) return; // ZERO too
    if (a->v < 0) {
        x->bits = PADIC_NUM_OUTSIDE;
    } else if (call->model == PADIC_NUM_BALL && !a->n) {
        padici_cell_unknown(r, x, 0);
    } else if (call->model == PADIC_NUM_RING || padici_ring_digit(r, a->u)) {
        x->v = 0;
        x->n = r->precision;
        padici_ring_teichmueller(r, x->u, r->p == 2 ? a->u[0] & 3 : padici_ring_digit(r, a->u),
                                 temp);
        if (r->p == 2 && call->model == PADIC_NUM_BALL && a->n == 1 && r->precision > 1) {
            x->n = 1;
            x->bits = PADIC_NUM_PRECLOSS;
        }
    }
}

// n-th roots modulo p. A root of u is put together from the Sylow subgroups of the residues: where
// a prime q divides n and p - 1, by the discrete logarithm to a generator, digit by digit; in the
// rest, raising to n has an inverse. If there are more roots than p / roots, they are so dense that
// the smallest is simply searched.
typedef struct padici_sylow {
    uint64_t q, order, share;  // order = q^e divides p - 1 exactly, share = gcd(n, order)
    uint64_t generator, unity; // of the subgroup; of order q
    uint64_t project;          // u^project is in the subgroup, u / u^project has no part in it
    uint64_t inverse;          // (n / share)^-1 mod q^e
} padici_sylow;

typedef struct padici_root {
    uint64_t n, m, p, inverse, one, square; // n = p^e m; residues modulo p are kept times 2^64
    uint64_t count, rest, zeta; // roots; exponent of 1 / root outside the subgroups; root of unity
    uint32_t e, sylows, search;
    uint32_t alone; // 1: of all roots only root number `turn`
    uint64_t turn;
    padici_sylow sylow[15];
} padici_root;

// a b 2^-64 mod p (Montgomery).
PADICI_INLINE uint64_t padici_mod_mul(const padici_root *s, uint64_t a, uint64_t b)
{
    const padici_wide x = padici_wide_mul(a, b);
    const uint64_t h = padici_mulhi64(x.low * s->inverse, s->p);
    return x.high - h + (x.high < h ? s->p : 0);
}

static uint64_t padici_mod_pow(const padici_root *s, uint64_t a, uint64_t k)
{
    uint64_t x = k & 1 ? a : s->one;
    while (k >>= 1) {
        a = padici_mod_mul(s, a, a);
        if (k & 1) x = padici_mod_mul(s, x, a);
    }
    return x;
}

// By halves and differences (Stein 1967), after one remainder.
static uint64_t padici_num_gcd(uint64_t a, uint64_t b)
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
    for (a >>= padici_ctz64(a); a != b;) { // no branch: it would be wrong half of the time
        const uint64_t d = a - b, less = 0 - (uint64_t)(a < b);
        b += d & less;
        a = ((d ^ less) - less) >> padici_ctz64(d);
    }
    return b << shift;
}

static void padici_sylow_init(padici_root *s, padici_sylow *y, uint64_t q)
{
    const uint64_t all = s->p - 1;
    uint64_t h = padici_mod_mul(s, 2, s->square);
    y->q = q;
    y->order = y->share = 1;
    while (all / y->order % q == 0) y->order *= q;
    y->share = padici_num_gcd(s->n, y->order);
    while (padici_mod_pow(s, h, all / q) == s->one) h = h + 1 < s->p ? h + 1 : 1;
    y->generator = padici_mod_pow(s, h, all / y->order);
    y->unity = padici_mod_pow(s, y->generator, y->order / q);
    y->project = all / y->order * padici_inverse_mod(all / y->order % y->order, y->order);
    y->inverse = padici_inverse_mod(s->n / y->share % y->order, y->order);
    s->zeta = padici_mod_mul(s, s->zeta, padici_mod_pow(s, y->generator, y->order / y->share));
}

// `all` roots are wanted: then zeta is needed.
static void padici_root_init(padici_root *s, const padic_num_ring *r, uint64_t n, int all_roots)
{
    const uint64_t all = r->p - 1;
    uint64_t left, q, order = 1, rest;
    memset(s, 0, sizeof *s);
    s->n = s->m = n;
    s->p = r->p;
    for (; s->m % r->p == 0; s->m /= r->p) s->e++;
    s->count = padici_num_gcd(n, r->p == 2 ? 2 : all);
    if (r->p == 2) return;
    s->inverse = padici_inverse64(r->p);
    s->one = s->zeta = (UINT64_MAX - r->p + 1) % r->p;
    s->square = padici_mulmod(s->one, s->one, r->p);
    s->search = s->count > all / s->count;
    if (s->search && !all_roots) return;
    for (left = s->count, q = 2; left > 1; q++) {
        if (q > left / q) q = left;
        if (left % q) continue;
        while (left % q == 0) left /= q;
        padici_sylow_init(s, &s->sylow[s->sylows], q);
        order *= s->sylow[s->sylows++].order;
    }
    rest = all / order;
    s->rest = padici_mulmod(order * padici_inverse_mod(order % rest, rest),
                            padici_inverse_mod(n % rest, rest), all);
}

// The logarithm of x to the generator of the subgroup.
static uint64_t padici_sylow_log(const padici_root *s, const padici_sylow *y, uint64_t x)
{
    uint64_t log = 0, step = 1, order, t, power;
    for (order = y->order / y->q; order; order /= y->q) { // x generator^-log is of order `order` q
        t = padici_mod_mul(s, x, padici_mod_pow(s, y->generator, (y->order - log) % y->order));
        t = padici_mod_pow(s, t, order);
        for (power = s->one; power != t; power = padici_mod_mul(s, power, y->unity)) log += step;
        step *= y->q;
    }
    return log;
}

// 1 / the smallest n-th root of u modulo p, 0 if there is none. u < p, p odd.
static uint64_t padici_root_mod(const padici_root *s, uint64_t u)
{
    const uint64_t all = s->p - 1;
    uint64_t z, x, i, back, best, inverse;
    if (!u) return 0;
    u = padici_mod_mul(s, u, s->square);
    if (s->search) {
        if (padici_mod_pow(s, u, all / s->count) != s->one) return 0;
        for (i = 1, x = s->one; padici_mod_pow(s, x, s->n % all) != u; i++)
            x = padici_mod_mul(s, i + 1, s->square);
        return padici_inverse_mod(i, s->p);
    }
    z = padici_mod_pow(s, u, all - s->rest);
    for (i = 0; i < s->sylows; i++) {
        const padici_sylow *y = &s->sylow[i];
        if (y->order == y->share) continue;
        x = padici_sylow_log(s, y, padici_mod_pow(s, u, y->project));
        if (x % y->share) return 0;
        x = padici_mulmod(x / y->share, y->inverse, y->order);
        z = padici_mod_mul(s, z, padici_mod_pow(s, y->generator, y->order - x));
    }
    x = padici_mod_mul(s, u, s->n == 2 ? z : padici_mod_pow(s, z, (s->n - 1) % all));
    if (padici_mod_mul(s, padici_mod_pow(s, x, (s->n - 1) % all), x) != u) return 0;
    best = padici_mod_mul(s, x, 1);
    inverse = z;
    back = s->count > 1 ? padici_mod_pow(s, s->zeta, s->count - 1) : s->one;
    for (i = 1; i < s->count; i++) {
        x = padici_mod_mul(s, x, s->zeta);
        z = padici_mod_mul(s, z, back);
        u = padici_mod_mul(s, x, 1);
        if (u < best) {
            best = u;
            inverse = z;
        }
    }
    return padici_mod_mul(s, inverse, 1);
}

// The root of u modulo p^*known where Newton begins, as its inverse; 0: none.
static uint64_t padici_seed_root(const padic_num_ring *r, const padici_root *s, const uint64_t *u,
                                 uint32_t *known)
{
    const padici_tables *t = padici_tables_of(r);
    *known = r->p == 2 && s->n % 2 == 0 ? 2 : 1;
    if (s->n == 2 && t && t->root) {
        *known = t->root_digits;
        return ((const uint32_t *)padici_table(t, t->root))[padici_table_index(r, t, u)];
    }
    return r->p == 2 ? 1 : padici_root_mod(s, padici_ring_digit(r, u));
}

static void padici_ring_pow_few(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                uint64_t k, uint64_t *t)
{
    if (k == 1)
        padici_ring_copy(r, x, a);
    else if (k == 2)
        padici_ring_mul(r, x, a, a);
    else
        padici_ring_pow(r, x, a, k, t);
}

// a = a b / n to `digits` digits, p^known divides a; long numbers are shortened by what is 0.
// `inverse` is 1 / n, NULL for p = n = 2. `t`: 2 residues.
static void padici_root_step(const padic_num_ring *r, padic_num_ring *low, uint64_t *a,
                             const uint64_t *b, const uint64_t *inverse, uint32_t known,
                             uint32_t digits, uint64_t *t)
{
    const padic_num_ring *now = padici_ring_short(r, low, digits);
    const uint32_t zeros = r->form == PADIC_NUM_RX ? known : 0;
    padici_ring_down(now, a, a, zeros + !inverse);
    now = padici_ring_short(r, low, digits - zeros);
    padici_ring_mul(now, t, a, b);
    if (inverse) {
        padici_ring_mul(now, t + r->words, t, inverse);
        t += r->words;
    }
    padici_ring_copy(now, a, t);
    padici_ring_up(padici_ring_short(r, low, digits), a, a, zeros);
}

// x = u^(1/n) where p does not divide n, or p = n = 2, from z = 1 / root modulo p^known. Newton:
// z += z (1 - u z^n) / n; from half of the digits x = y + w (u - y^n) / n, w = z^(n-1), y = u w.
// Of p = n = 2 the top digit is wrong. `t`: 7 residues.
static void padici_ring_root(const padic_num_ring *r, uint64_t n, uint64_t *x, const uint64_t *u,
                             uint64_t seed, uint32_t known, uint64_t *t)
{
    const uint32_t two = r->p == 2 && n == 2;
    uint64_t *const z = t, *inverse = t + r->words, *const a = t + 2 * r->words;
    uint64_t *const w = t + 3 * r->words, *const b = t + 4 * r->words;
    const padic_num_ring *now;
    padic_num_ring low;
    uint32_t next;
    low.magic = 0;
    padici_ring_set(r, z, seed);
    padici_ring_set(r, a, n);
    if (!two) padici_ring_inv(r, inverse, a, b);
    if (two) inverse = NULL;
    for (; 2 * known < r->precision; known = next - two) {
        next = 2 * known;
        now = padici_ring_short(r, &low, next);
        padici_ring_pow_few(now, a, z, n, b);
        padici_ring_mul(now, b, a, u);
        padici_ring_set(now, a, 1);
        padici_ring_sub(now, a, a, b);
        padici_root_step(r, &low, a, z, inverse, known, next, b);
        padici_ring_add(padici_ring_short(r, &low, next), z, z, a);
    }
    padici_ring_set(r, w, 1);
    padici_ring_set(r, x, 0);
    now = padici_ring_short(r, &low, known);
    if (n > 1) padici_ring_pow_few(now, w, z, n - 1, b);
    padici_ring_mul(now, x, w, u);
    if (known >= r->precision) return;
    padici_ring_pow_few(r, a, x, n, b);
    padici_ring_sub(r, a, u, a);
    padici_root_step(r, &low, a, w, inverse, known, r->precision, b);
    padici_ring_add(r, x, x, a);
}

// The n-th root of a, its unit in x->u, x->n right digits of it; x->bits if there is none. 0 and
// what is not known is ready: then the answer is 0. `t`: 16 residues.
static int padici_root_unit(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            uint64_t *t)
{
    const padic_num_ring *r = call->ring;
    const padici_series *series = (const padici_series *)call->options;
    const padici_root *s = series->root;
    uint64_t *const u = t, *const y = t + r->words, seed;
    const int32_t n = s->n > INT32_MAX ? INT32_MAX : (int32_t)s->n;
    const uint32_t over = s->e + (r->p == 2); // u = w(u) mod p^(over+1) if e > 0 (p = 2: n even)
    uint32_t known, digits;
    if (padici_cell_nan(x, a, NULL)) return 0;
    padici_cell_unit(call, x, a);
    if (x->v == PADIC_NUM_ZERO) {
        padici_cell_integer(call, x, 0);
        return 0;
    }
    digits = x->n;
    if (!digits) {
        padici_cell_unknown(r, x, x->v > 0 ? (x->v - 1) / n + 1 : x->v / n);
        return 0;
    }
    if (x->v % n || (s->n > INT32_MAX && x->v)) {
        x->bits = PADIC_NUM_NOPOWER;
        return 0;
    }
    x->v /= n;
    padici_ring_copy(r, u, x->u);
    t += 2 * r->words;
    if (s->e && r->p == 2) { // 1 modulo 2^(e+2), as far as is known
        padici_ring_set(r, y, 1);
        padici_ring_sub(r, y, u, y);
        padici_ring_low(r, y, y, over + 1);
        if (!padici_ring_is_zero(r, y)) x->bits = PADIC_NUM_NOPOWER;
    }
    seed = x->bits ? 0 : padici_seed_root(r, s, u, &known);
    if (!seed) {
        x->bits = PADIC_NUM_NOPOWER;
        return 0;
    }
    if (!s->e || s->n == 2) {
        padici_ring_root(r, s->n, x->u, u, seed, known, t);
    } else { // w(root) exp(log(u / w(u)) / n)
        const uint64_t digit = padici_ring_digit(r, u);
        padici_ring_teichmueller(r, y, padici_inverse_mod(digit, r->p), t);
        padici_ring_mul(r, t, u, y);
        padici_ring_set(r, y, 1);
        padici_ring_sub(r, y, t, y);
        padici_ring_low(r, y, y, over + 1);
        padici_ring_low(r, y, y, digits);
        if (!padici_ring_is_zero(r, y)) {
            x->bits = PADIC_NUM_NOPOWER;
            return 0;
        }
        padici_ring_set(r, x->u, 1);
        if (digits > over) {
            padici_ring_log(r, series, y, t, t + r->words);
            padici_ring_down(r, y, y, s->e);
            padici_ring_set(r, t, s->m);
            padici_ring_inv(r, t + r->words, t, t + 2 * r->words);
            padici_ring_mul(r, t, y, t + r->words);
            padici_ring_exp(r, series, x->u, t, t + r->words);
        }
        padici_ring_teichmueller(r, y, padici_inverse_mod(seed, r->p), t);
        padici_ring_mul(r, t, x->u, y);
        padici_ring_copy(r, x->u, t);
    }
    if (call->model == PADIC_NUM_BALL && s->e && digits <= over) {
        padici_cell_unknown(r, x, x->v);
        return 0;
    }
    x->n = digits > s->e ? digits - s->e : 1;
    return 1;
}

// The element with the unit u, of which x->n digits are right, and the valuation x->v.
static void padici_root_finish(const padic_num_call *call, padici_cell *x, const uint64_t *u)
{
    const padic_num_ring *r = call->ring;
    padici_ring_low(r, x->u, u, x->n);
    if (call->model != PADIC_NUM_RING) return;
    padici_ring_up(r, x->u, x->u, (uint64_t)x->v);
    if ((uint32_t)x->v + x->n < r->precision) x->bits |= PADIC_NUM_PRECLOSS;
}

static void padici_sqrt_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    if (padici_root_unit(call, x, a, temp))
        padici_root_finish(call, x, x->u);
}

// Loops. Coefficients are in the tables, or made for each piece of a call, in a frame of their own.

static PADICI_NOINLINE void padici_series_with(padic_num_call *call, padici_series *s, int log)
{
    uint64_t local[2 * PADICI_SERIES_TERMS], temp[16];
    const padic_num_ring *r = call->ring;
    const padici_tables *t = padici_tables_of(r);
    if (r->form != PADIC_NUM_RX) {
        s->terms[log] = padici_series_count(r, log);
        s->coefficients[log] = t ? padici_table(t, t->series[log]) : local;
        if (!t) padici_series_make(r, log, local, s->terms[log], temp);
    }
    if (log && s->needs_exp)
        padici_series_with(call, s, 0);
    else
        (*s->loop)(call);
    s->coefficients[log] = NULL;
}

// Runs a loop with the coefficients of exp, log or both.
static void padici_series_run(padic_num_call *call, const padici_root *root, int exp, int log,
                              void (*loop)(padic_num_call *call))
{
    const void *options = call->options;
    padici_series s;
    memset(&s, 0, sizeof s);
    s.root = root;
    s.needs_exp = (uint32_t)exp;
    s.loop = loop;
    call->options = &s;
    if (exp || log)
        padici_series_with(call, &s, log);
    else
        (*loop)(call);
    call->options = options;
}

// Elements of one word at a time that the loops below may do: RING, or FLOAT with i32 valuations.
static int padici_series_fast(const padic_num_call *call)
{
    return (padici_num_fast(call, PADIC_NUM_RING) || padici_num_fast(call, PADIC_NUM_FLOAT)) &&
           (call->ring->p > 2 || call->ring->form == PADIC_NUM_B2);
}

// p divides x, p odd: *y = x / p.
PADICI_INLINE int padici_word_divides(const padic_num_ring *r, uint64_t x, uint64_t *y)
{
    *y = x * r->inverse;
    return *y <= r->ladder_limit[0];
}

// x / 2 modulo P, P odd.
PADICI_INLINE uint64_t padici_word_half(const padic_num_ring *r, uint64_t x)
{
    return (x >> 1) + (x & 1 ? (r->base >> 1) + 1 : 0);
}

// What the loops of words do, eight elements side by side, so that no product waits for the one
// before it.
enum { PADICI_EXP, PADICI_LOG, PADICI_SQRT, PADICI_TEICHMUELLER };
#define PADICI_SERIES_LANES 8u

// Element i: *u is y of x = p^c y for exp, of x = 1 + p^c y for log, the unit for the square root
// and *z its seed, or a residue (its table entry) for Teichmueller; *v the valuation of a root.
// 0: a case for the function of one element.
PADICI_INLINE int padici_lane_load(const padic_num_planes *a, const padic_num_ring *r,
                                   padic_num_form form, int what, uint64_t i,
                                   const padici_root *root, const uint64_t *table, uint64_t *u,
                                   uint64_t *z, int32_t *v, uint32_t *known)
{
    const int two = form == PADIC_NUM_B2;
    const int32_t c = two ? 2 : 1;
    uint64_t other, at = a->scalar ? 0 : i;
    int here;
    *u = padici_word_at(form, a->unit, at, r->unit_size == 4);
    *v = a->val ? ((const int32_t *)a->val)[at] : 0;
    here = padici_val_finite(*v);
    if (what == PADICI_TEICHMUELLER) {
        *u = two      ? (*u & 1) * (*u & 2 ? r->base - 1 : 1)
             : !table ? *u % r->p
                      : table[padici_table_mod(*u, r->p, padici_tables_of(r)->p_reciprocal)];
        return here && !*v;
    }
    if (what == PADICI_SQRT) {
        here &= !(*v & 1);
        here &= two ? (*u & 7) == 1 : a->val || !padici_word_divides(r, *u, &other);
        *z = here ? padici_seed_root(r, root, u, known) : 0;
        *v /= 2;
        return *z != 0;
    }
    if (what == PADICI_LOG) {
        here &= *v == 0;
        here &= two ? (int)(*u & 1) : padici_word_divides(r, *u - 1, &other) & (*u != 0);
        *u = two ? ((*u & 2 ? 0 - *u : *u) & (r->base - 1)) >> 2 : other;
    } else if (a->val) {
        here &= *v >= c;
        if (here && *v > c)
            *u = *v - c >= (int32_t)r->precision ? 0
                 : two                           ? *u << (*v - c)
                                                 : padici_mul1(r, form, *u, r->power[*v - c][0]);
    } else {
        here &= two ? !(*u & 3) : padici_word_divides(r, *u, &other);
        *u = two ? *u >> 2 : other;
    }
    *v = 0;
    return here;
}

PADICI_INLINE void padici_lanes_series(const padic_num_ring *r, padic_num_form form,
                                       const uint64_t *c, uint32_t terms, uint64_t *x,
                                       const uint64_t *y)
{
    uint32_t j, k;
    for (j = 0; j < PADICI_SERIES_LANES; j++) x[j] = c[terms - 1];
    for (k = terms - 1; k-- > 0;)
        for (j = 0; j < PADICI_SERIES_LANES; j++)
            x[j] = form == PADIC_NUM_B2
                       ? x[j] * y[j] + c[k]
                       : padici_add1(r, form, padici_mul1(r, form, x[j], y[j]), c[k]);
    for (j = 0; j < PADICI_SERIES_LANES && form == PADIC_NUM_B2; j++) x[j] &= r->base - 1;
}

// Square roots from z = 1 / sqrt(u), p odd: z += z (1 - u z^2) / 2, and from half of the digits the
// root itself, x = u z, x + z (u - x^2) / 2. p = 2: e digits become 2 e - 1; modulo 2^64.
PADICI_INLINE void padici_lanes_sqrt(const padic_num_ring *r, padic_num_form form, uint64_t *x,
                                     const uint64_t *u, uint64_t *z, uint32_t known)
{
    const int two = form == PADIC_NUM_B2;
    uint64_t d;
    uint32_t j;
    for (; 2 * known < r->precision; known = 2 * known - (uint32_t)two)
        for (j = 0; j < PADICI_SERIES_LANES; j++) {
            if (two) {
                z[j] += z[j] * ((1 - u[j] * z[j] * z[j]) >> 1);
                continue;
            }
            d = padici_mul1(r, form, padici_mul1(r, form, z[j], z[j]), u[j]);
            d = padici_word_half(r, padici_sub1(r, form, 1, d));
            z[j] = padici_add1(r, form, z[j], padici_mul1(r, form, z[j], d));
        }
    for (j = 0; j < PADICI_SERIES_LANES; j++) {
        if (two) {
            x[j] = u[j] * z[j];
            x[j] = (x[j] + z[j] * ((u[j] - x[j] * x[j]) >> 1)) & (r->base - 1) >> 1;
            continue;
        }
        x[j] = padici_mul1(r, form, u[j], z[j]);
        d = padici_sub1(r, form, u[j], padici_mul1(r, form, x[j], x[j]));
        x[j] = padici_add1(r, form, x[j], padici_mul1(r, form, z[j], padici_word_half(r, d)));
    }
}

// Teichmueller residues of residues x, as in padici_ring_teichmueller(). 1 / (p - 1) modulo P is
// -(1 + p + ... + p^(N-1)).
PADICI_INLINE void padici_lanes_teichmueller(const padic_num_ring *r, padic_num_form form,
                                             uint64_t *x)
{
    const uint64_t inverse = r->base - (r->base - 1) / (r->p - 1);
    uint64_t y[PADICI_SERIES_LANES];
    uint32_t known, j, bit;
    for (known = 1; known < r->precision; known = 2 * known + 1) {
        memcpy(y, x, sizeof y);
        for (bit = 63u - padici_clz64(r->p); bit-- > 0;) // y = x^p
            for (j = 0; j < PADICI_SERIES_LANES; j++) {
                y[j] = padici_mul1(r, form, y[j], y[j]);
                if (r->p >> bit & 1) y[j] = padici_mul1(r, form, y[j], x[j]);
            }
        for (j = 0; j < PADICI_SERIES_LANES; j++) {
            x[j] = padici_sub1(r, form, padici_mul1(r, form, x[j], r->p), y[j]);
            x[j] = padici_mul1(r, form, x[j], inverse);
        }
    }
}

PADICI_INLINE void padici_series_lanes(padic_num_call *call, padic_num_form form, int what,
                                       padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    const padici_series *s = (const padici_series *)call->options;
    const padici_root *const root = what == PADICI_SQRT ? s->root : NULL;
    const padici_tables *t = padici_tables_of(r);
    const uint64_t *const table = t ? padici_table(t, t->teichmueller) : NULL;
    const padic_num_planes a = call->a, out = call->out;
    uint8_t *const status = call->status;
    const uint32_t lost = what == PADICI_SQRT && form == PADIC_NUM_B2 && !call->a.val
                              ? PADIC_NUM_PRECLOSS : 0;
    uint64_t u[PADICI_SERIES_LANES], z[PADICI_SERIES_LANES], x[PADICI_SERIES_LANES], i;
    int32_t v[PADICI_SERIES_LANES];
    uint32_t j, n, here, known = 2; // set where there is a seed
    for (i = 0; i < call->count; i += n) {
        n = call->count - i < PADICI_SERIES_LANES ? (uint32_t)(call->count - i)
                                                  : PADICI_SERIES_LANES;
        for (j = n; j < PADICI_SERIES_LANES; j++) u[j] = z[j] = 0;
        for (j = here = 0; j < n; j++)
            here |= (uint32_t)padici_lane_load(&a, r, form, what, i + j, root, table, &u[j],
                                               &z[j], &v[j], &known) << j;
        if (what == PADICI_SQRT) {
            padici_lanes_sqrt(r, form, x, u, z, known);
        } else if (what == PADICI_TEICHMUELLER) {
            memcpy(x, u, sizeof x);
            if (form != PADIC_NUM_B2 && !table) padici_lanes_teichmueller(r, form, x);
        } else {
            padici_lanes_series(r, form, s->coefficients[what], s->terms[what], x, u);
        }
        for (j = 0; j < n; j++) {
            if (what == PADICI_LOG && a.val) {
                if (x[j])
                    v[j] = (int32_t)padici_split1(r, x[j], &x[j]);
                else if (form == PADIC_NUM_B2) // of 1 or -1, whose bits differ
                    here &= ~(1u << j);
                else
                    v[j] = PADIC_NUM_ZERO;
            }
            if (PADICI_UNLIKELY(!(here >> j & 1))) {
                padici_num_span(call, i + j, i + j + 1, one);
                continue;
            }
            padici_word_to(form, out.unit, i + j, r->unit_size == 4, x[j]);
            if (out.val) ((int32_t *)out.val)[i + j] = v[j];
            if (status) status[i + j] = (uint8_t)lost;
            call->bits |= lost;
        }
    }
}

// padici_NAME_words() with the form of the ring as a constant, padici_NAME_each() for all others.
#define PADICI_SERIES_LOOPS(name, what) \
    static void padici_##name##_each(padic_num_call *call) \
    { \
        padici_num_each(call, padici_##name##_one); \
    } \
    static void padici_##name##_words(padic_num_call *call) \
    { \
        if (call->ring->form == PADIC_NUM_W32) \
            padici_series_lanes(call, PADIC_NUM_W32, what, padici_##name##_one); \
        else if (call->ring->form == PADIC_NUM_W49) \
            padici_series_lanes(call, PADIC_NUM_W49, what, padici_##name##_one); \
        else if (call->ring->form == PADIC_NUM_W64) \
            padici_series_lanes(call, PADIC_NUM_W64, what, padici_##name##_one); \
        else \
            padici_series_lanes(call, PADIC_NUM_B2, what, padici_##name##_one); \
    }
PADICI_SERIES_LOOPS(exp, PADICI_EXP)
PADICI_SERIES_LOOPS(log, PADICI_LOG)
PADICI_SERIES_LOOPS(sqrt, PADICI_SQRT)
PADICI_SERIES_LOOPS(teichmueller, PADICI_TEICHMUELLER)

static void padici_exp_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 1, 0,
                      padici_series_fast(call) ? padici_exp_words : padici_exp_each);
}

static void padici_log_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 0, 1,
                      padici_series_fast(call) ? padici_log_words : padici_log_each);
}

static void padici_pow_padic_each(padic_num_call *call)
{
    padici_num_each(call, padici_pow_padic_one);
}

static void padici_pow_padic_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 1, 1, padici_pow_padic_each);
}

static void padici_teichmueller_loop(padic_num_call *call)
{
    padici_series_run(call, NULL, 0, 0,
                      padici_series_fast(call) ? padici_teichmueller_words
                                               : padici_teichmueller_each);
}

static void padici_root_loop(padic_num_call *call)
{
    const padici_root *root = (const padici_root *)call->options;
    const int words = root->n == 2 && padici_series_fast(call) && call->ring->precision > 2;
    const int series = root->e && root->n != 2;
    padici_series_run(call, root, series, series, words ? padici_sqrt_words : padici_sqrt_each);
}

// The root of unity by which one root of a number follows from the one before.
static void padici_root_unity(const padic_num_ring *r, const padici_root *root, uint64_t *unity,
                              uint64_t *temp)
{
    padici_ring_teichmueller(r, unity, r->p == 2 ? 3 : padici_mod_mul(root, root->zeta, 1), temp);
}

// All roots: j of element i at j stride + i; or one of them at i.
static void padici_roots_each(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_root *root = ((const padici_series *)call->options)->root;
    const uint64_t roots = root->alone ? 1 : root->count;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i, j;
    uint64_t *const words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    uint64_t *const unity = words + 2 * r->words, *const y = words + 3 * r->words;
    uint64_t *const temp = words + 4 * r->words;
    padici_cell a, x, copy;
    a.u = words;
    x.u = words + r->words;
    padici_root_unity(r, root, unity, temp);
    if (root->alone) {
        padici_ring_pow(r, y, unity, root->turn, temp);
        padici_ring_copy(r, unity, y);
    }
    for (i = 0; i < call->count; i++) {
        int unit;
        padici_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.bits = 0;
        x.n = r->precision;
        unit = padici_root_unit(call, &x, &a, temp);
        padici_ring_copy(r, y, x.u);
        if (unit && root->alone) padici_ring_mul(r, y, x.u, unity);
        for (j = 0; j < roots; j++) {
            copy = x;
            if (unit) {
                padici_root_finish(call, &copy, y);
                padici_ring_mul(r, temp, y, unity);
                padici_ring_copy(r, y, temp);
            }
            padici_cell_store(call, j * call->stride + i, &copy);
        }
    }
}

static void padici_roots_loop(padic_num_call *call)
{
    const padici_root *root = (const padici_root *)call->options;
    const int series = root->e && root->n != 2;
    padici_series_run(call, root, series, series, padici_roots_each);
}

static padic_result padici_series_call(padic_context *context, const char *name, uint32_t kernel,
                                       int64_t k, const void *options,
                                       void (*loop)(padic_num_call *call),
                                       const padic_num_array *out, const padic_num_array *a,
                                       const padic_num_array *b)
{
    padici_num_task task;
    if (!out || !a)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL" : b ? "x is NULL" : "a is NULL");
    padici_num_task_begin(&task, name, kernel, loop, out, a, b, NULL);
    if (b) { // x^s
        task.field[1] = "x";
        task.field[2] = "s";
    }
    task.call.k = k;
    task.call.options = options;
    return padici_num_run(context, &task);
}

static padic_result padici_num_root(padic_context *context, const char *name,
                                    const padic_num_array *out, const padic_num_array *a,
                                    uint64_t n)
{
    padici_root root;
    if (!out || !padici_ring_is(out->ring) || !n)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL"
                              : n  ? "out.ring was not made by num_ring_init"
                                   : "n is 0: there is no 0th root");
    if (out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, name,
                              "out.ring has a radix that is no prime");
    padici_root_init(&root, out->ring, n, 0);
    return padici_series_call(context, name,
                              n == 2 ? (uint32_t)PADIC_KERNEL_NUM_SQRT
                                     : (uint32_t)PADIC_KERNEL_NUM_ROOT,
                              (int64_t)n, &root, padici_root_loop, out, a, NULL);
}

PADIC_API padic_result padic_num_root(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a, uint64_t n)
{
    return padici_num_root(context, "num_root", out, a, n);
}

PADIC_API padic_result padic_num_sqrt(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a)
{
    return padici_num_root(context, "num_sqrt", out, a, 2);
}

PADIC_API uint64_t padic_num_root_count(const padic_num_ring *ring, uint64_t n)
{
    if (!padici_ring_is(ring) || ring->composite || !n) return 0;
    return padici_num_gcd(n, ring->p == 2 ? 2 : ring->p - 1);
}

// Operands of functions whose output has a count of its own: planes, status, the memory of both.
static padic_result padici_series_out(padic_context *context, padici_num_space *space,
                                      const padic_num_array *out, padic_num_call *call,
                                      padici_num_range *list, uint32_t *n)
{
    void *status = NULL;
    padic_result result = padici_num_planes_in(context, space, out, &call->out);
    if (!result && (out->status.dtype || out->status.data))
        result = padici_num_plane_in(context, space, &out->status, out->count, 1u << PADIC_U8,
                                     &status);
    if (result) return result;
    call->status = (uint8_t *)status;
    padici_num_ranges(out->ring, &call->out, out->count, 1, list, n);
    padici_num_range_add(list, n, status, out->count, 0, 1);
    padici_num_range_add(list, n, out->sticky, sizeof *out->sticky, 0, 1);
    return PADIC_OK;
}

static padic_result padici_series_in(padic_context *context, padici_num_space *space,
                                     const padic_num_array *a, padic_num_planes *planes,
                                     padici_num_range *list, uint32_t *n)
{
    uint32_t first = *n;
    const padic_result result = padici_num_planes_in(context, space, a, planes);
    if (!result) padici_num_ranges(a->ring, planes, a->count, 0, list, n);
    for (; first < *n; first++) list[first].kind = 0; // not even the same planes
    return result;
}

// Elements first to first + count - 1 of a dense plane.
static void padici_num_slice(padic_tensor *t, uint64_t first, uint64_t count)
{
    const padic_tensor all = *t;
    if (!all.dtype) return;
    *t = padic_tensor_1d(all.dtype, NULL, count);
    t->buffer = all.buffer;
    t->offset = all.offset + first;
}

// Root number root->turn of each number.
static padic_result padici_root_turn(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padici_root *root)
{
    return padici_series_call(context, "num_roots", PADIC_KERNEL_NUM_ROOT, (int64_t)root->n, root,
                              padici_roots_loop, out, a, NULL);
}

// All roots in buffers, whose planes have been looked at: one after the other.
static PADICI_NOINLINE padic_result padici_roots_apart(padic_context *context,
                                                       const padic_num_array *out,
                                                       const padic_num_array *a, padici_root *root)
{
    padic_result result = PADIC_OK, one;
    root->alone = 1;
    for (root->turn = 0; root->turn < root->count; root->turn++) {
        padic_num_array part = *out;
        const uint64_t first = root->turn * a->count;
        part.count = a->count;
        padici_num_slice(&part.unit, first, a->count);
        padici_num_slice(&part.val, first, a->count);
        padici_num_slice(&part.known, first, a->count);
        padici_num_slice(&part.status, first, a->count);
        one = padici_root_turn(context, &part, a, root);
        if (one && one != PADIC_ERROR_DOMAIN) return one;
        if (one) result = one;
    }
    return result;
}

PADIC_API padic_result padic_num_roots(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, uint64_t n)
{
    padici_num_space space, *places = NULL;
    const uint64_t roots = out ? padic_num_root_count(out->ring, n) : 0;
    padici_num_task task;
    padici_root root;
    padici_num_range list[9];
    padic_num_planes planes;
    padic_num_array in;
    uint32_t ranges = 0;
    uint64_t count;
    padic_result result;
    if (!out || !a || !roots)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots",
                              "out or a is NULL, out.ring is none of a prime, or n is 0");
    if (!padici_ring_is(a->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots",
                              "a.ring was not made by num_ring_init");
    if (!padici_ring_equal(out->ring, a->ring) || out->model != a->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_roots",
                              "out and a are of different rings or models");
    if (!padici_mul_u64(roots, a->count, &count) || out->count != count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_roots",
                              "out.count must be num_root_count times a.count");
    in = *a;
    in.scratch = out->scratch;
    in.scratch_size = out->scratch_size;
    padici_num_task_begin(&task, "num_roots", 0, padici_roots_loop, NULL, &in, NULL, NULL);
    memset(&space, 0, sizeof space);
    if (out->ring->form <= PADIC_NUM_W64) places = &space;
    result = padici_series_out(context, places, out, &task.call, list, &ranges);
    padici_blame(context, result, "out", NULL, NULL);
    if (!result) {
        result = padici_series_in(context, places, a, &planes, list, &ranges);
        padici_blame(context, result, "a", NULL, NULL);
    }
    if (!result) result = padici_num_overlap(list, ranges);
    if (!result && space.mems && space.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and a lie apart, in host memory and on a device");
    if (result) return padici_fault(context, result, "num_roots");
    padici_root_init(&root, out->ring, n, 1);
    if (space.mems) return padici_roots_apart(context, out, a, &root);
    task.call.stride = a->count;
    task.call.options = &root;
    task.sticky = out->sticky;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_exp(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_series_call(context, "num_exp", PADIC_KERNEL_NUM_EXP, 0, NULL, padici_exp_loop,
                              out, a, NULL);
}

PADIC_API padic_result padic_num_log(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, uint32_t options)
{
    if (options > PADIC_NUM_IWASAWA)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_log",
                              "options must be 0 or PADIC_NUM_IWASAWA");
    return padici_series_call(context, "num_log", PADIC_KERNEL_NUM_LOG, options, NULL,
                              padici_log_loop, out, a, NULL);
}

PADIC_API padic_result padic_num_pow_padic(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *x, const padic_num_array *s)
{
    if (!s) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_pow_padic", "s is NULL");
    return padici_series_call(context, "num_pow_padic", PADIC_KERNEL_NUM_POW_PADIC, 0, NULL,
                              padici_pow_padic_loop, out, x, s);
}

PADIC_API padic_result padic_num_teichmueller(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *a)
{
    return padici_series_call(context, "num_teichmueller", PADIC_KERNEL_NUM_TEICHMUELLER, 0, NULL,
                              padici_teichmueller_loop, out, a, NULL);
}

// Tables: lays them out in 64-bit words; returns the number of words, 0 if there are none.
static uint64_t padici_tables_lay(const padic_num_ring *r, padici_tables *t)
{
    const uint64_t most = r->p > 4096 ? r->p : 4096;
    uint64_t at = (sizeof *t + 7) / 8, q = 1;
    int log;
    memset(t, 0, sizeof *t);
    if (r->p <= 65537) {
        for (; t->digits < r->precision && q * r->p <= most; q *= r->p) t->digits++;
        t->modulus = q;
        t->reciprocal = UINT64_MAX / q;
        t->p_reciprocal = UINT64_MAX / r->p;
        t->root_digits = r->p > 2 ? t->digits : t->digits > 3 ? t->digits - 1 : 2;
        t->inverse = (uint32_t)at;
        at += (q + 1) / 2;
        t->root = (uint32_t)at;
        at += (q + 1) / 2;
        if (r->p > 2 && r->p * r->words <= UINT64_C(1) << 18) {
            t->teichmueller = (uint32_t)at;
            at += (r->p + (r->form == PADIC_NUM_RX ? 8 : 0)) * r->words;
        }
    }
    if (r->form == PADIC_NUM_RX) return t->modulus ? at : 0;
    for (log = 0; log < 2; log++) {
        t->series[log] = (uint32_t)at;
        at += padici_series_count(r, log) * r->words;
    }
    return at;
}

PADIC_API size_t padic_num_ring_tables_bound(const padic_num_ring *ring)
{
    padici_tables t;
    if (!padici_ring_is(ring) || ring->composite) return 0;
    return (size_t)padici_tables_lay(ring, &t) * sizeof(uint64_t);
}

static void padici_tables_seeds(const padic_num_ring *r, const padici_tables *t, uint64_t *base)
{
    uint32_t *const inverse = (uint32_t *)(void *)(base + t->inverse);
    uint32_t *const root = (uint32_t *)(void *)(base + t->root);
    uint64_t i;
    memset(inverse, 0, (size_t)(t->root - t->inverse) * 16);
    for (i = 1; i < t->modulus; i++)
        if (i % r->p) inverse[i] = (uint32_t)padici_inverse_mod(i, t->modulus);
    for (i = 1; i < t->modulus; i++)
        if (r->p == 2 ? (i & 3) == 1 : i % r->p && i % r->p <= r->p / 2)
            root[i * i % t->modulus] = inverse[i];
}

PADIC_API padic_result padic_num_ring_tables(padic_num_ring *ring, void *memory, size_t size)
{
    const size_t need = padic_num_ring_tables_bound(ring);
    padici_tables t;
    uint64_t *const base = (uint64_t *)memory;
    uint64_t temp[16], i;
    int log;
    if (!padici_ring_is(ring)) return PADIC_ERROR_ARGUMENT;
    if (ring->composite) return PADIC_ERROR_NOT_SUPPORTED;
    ring->tables = NULL;
    if (!need) return PADIC_OK;
    if (!memory) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(memory, 8)) return PADIC_ERROR_ALIGNMENT;
    if (size < need) return PADIC_ERROR_CAPACITY;
    padici_tables_lay(ring, &t);
    if (t.inverse) padici_tables_seeds(ring, &t, base);
    for (i = 0; t.teichmueller && i < ring->p; i++) { // RX: scratch behind
        uint64_t *const w = base + t.teichmueller + i * ring->words;
        padici_ring_teichmueller(ring, w, i, ring->form == PADIC_NUM_RX ? w + ring->words : temp);
    }
    for (log = 0; log < 2 && t.series[0]; log++)
        padici_series_make(ring, log, base + t.series[log], padici_series_count(ring, log), temp);
    memcpy(base, &t, sizeof t);
    ring->tables = memory;
    return PADIC_OK;
}

// Hensel. A polynomial is read from the planes of an array, or is `terms` residues in words.
typedef struct padici_polynomial {
    const padic_num_call *call;
    padic_num_planes planes;
    uint64_t at, stride; // of its coefficients
    const uint64_t *words;
    uint32_t terms;
} padici_polynomial;

// Coefficient k modulo P; returns how many digits are known, at most N, or -1 if it is no integer.
static int64_t padici_polynomial_get(const padici_polynomial *f, uint64_t k, uint64_t *x)
{
    const padic_num_ring *r = f->call->ring;
    padici_cell c;
    int64_t known = r->precision;
    if (f->words) {
        padici_ring_copy(r, x, f->words + k * r->words);
        return known;
    }
    c.u = x;
    padici_cell_load(f->call, &f->planes, f->at + k * f->stride, &c);
    if (c.v < 0) return -1;
    if (f->call->model == PADIC_NUM_BALL && c.v != PADIC_NUM_ZERO && c.v + (int64_t)c.n < known)
        known = c.v + (int64_t)c.n;
    if (c.v > 0) padici_ring_up(r, x, x, (uint64_t)c.v);
    return known;
}

// y = f(x), d = f'(x); `t`: 2 residues.
static void padici_polynomial_value(const padici_polynomial *f, const uint64_t *x, uint64_t *y,
                                    uint64_t *d, uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    uint64_t *const c = t + r->words;
    uint32_t k = f->terms;
    padici_ring_set(r, y, 0);
    padici_ring_set(r, d, 0);
    while (k-- > 0) {
        padici_ring_mul(r, t, d, x);
        padici_ring_add(r, d, t, y);
        padici_ring_mul(r, t, y, x);
        padici_polynomial_get(f, k, c);
        padici_ring_add(r, y, t, c);
    }
}

// Lifts x to the root near it, if the lemma holds there: then returns how many digits of it are
// right, of `known` digits of f; else 0. `t`: 8 residues.
static uint32_t padici_hensel_lift(const padici_polynomial *f, uint64_t *x, uint32_t known,
                                   uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    uint64_t *const y = t, *const d = t + r->words, *const a = t + 2 * r->words;
    uint64_t *const temp = t + 3 * r->words;
    uint32_t v, s, steps = 0;
    padici_polynomial_value(f, x, y, d, temp);
    v = padici_ring_valuation(r, y);
    s = padici_ring_valuation(r, d);
    if ((v < known ? v : known) <= 2 * s) return 0;
    while (v < known && ++steps < 20) { // x -= f(x) / f'(x)
        padici_ring_down(r, y, y, s);
        padici_ring_down(r, d, d, s);
        padici_ring_inv(r, a, d, temp);
        padici_ring_mul(r, d, a, y);
        padici_ring_sub(r, x, x, d);
        padici_polynomial_value(f, x, y, d, temp);
        v = padici_ring_valuation(r, y);
    }
    padici_ring_low(r, x, x, known - s);
    return known - s;
}

// The least number of known digits of all coefficients, -1 if one is no integer; *nonzero: is one
// not 0? With `words` they are copied there. `t`: 1 residue.
static int64_t padici_polynomial_known(const padici_polynomial *f, uint64_t *words, int *nonzero,
                                       uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    int64_t known = r->precision;
    uint32_t k;
    *nonzero = 0;
    for (k = 0; k < f->terms; k++) {
        const int64_t n = padici_polynomial_get(f, k, t);
        if (n < known) known = n;
        if (n < 0) return -1;
        *nonzero |= !padici_ring_is_zero(r, t);
        if (words) padici_ring_copy(r, words + k * r->words, t);
    }
    return known;
}

// The root x, of which x->n digits are right.
static void padici_hensel_finish(const padic_num_call *call, padici_cell *x)
{
    x->v = 0;
    if (call->model == PADIC_NUM_RING)
        x->bits = x->n < call->ring->precision ? PADIC_NUM_PRECLOSS : 0;
    else
        padici_cell_normal(call, x);
}

// Seeds: a; coefficients: c, k of them, `stride` elements apart, or one after the other.
static void padici_hensel_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *const words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    uint64_t *const temp = words + 2 * r->words;
    padici_polynomial f;
    padici_cell a, x;
    int64_t known;
    int nonzero;
    memset(&f, 0, sizeof f);
    f.call = call;
    f.planes = call->c;
    f.planes.scalar = 0;
    f.terms = (uint32_t)call->k;
    f.stride = call->stride ? call->stride : 1;
    a.u = words;
    x.u = words + r->words;
    for (i = 0; i < call->count; i++) {
        f.at = call->stride ? i : 0;
        padici_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.bits = 0;
        if (!padici_cell_nan(&x, &a, NULL)) {
            known = padici_polynomial_known(&f, NULL, &nonzero, temp);
            x.n = 0;
            if (known >= 0 && a.v >= 0) {
                padici_ring_up(r, x.u, a.u, a.v == PADIC_NUM_ZERO ? 0 : (uint64_t)a.v);
                x.n = padici_hensel_lift(&f, x.u, (uint32_t)known, temp);
            }
            if (x.n)
                padici_hensel_finish(call, &x);
            else
                x.bits = PADIC_NUM_OUTSIDE;
        }
        padici_cell_store(call, i, &x);
    }
}

// All roots. The classes x + p^k Z_p that wait are a queue in the scratch, x and k of each.
typedef struct padici_hensel {
    const padic_num_hensel_desc *desc;
    padic_num_call call;
    padici_polynomial f, g;   // g(t) = f(x + p^k t) / p^m
    uint64_t *words, *shifted, *digits, *queue, *temp; // of f, of g; g modulo p
    uint64_t head, waiting, at; // at: element of the next root
    uint32_t known, found, lower_bound;
    uint32_t own; // 1: each polynomial has its coefficients
} padici_hensel;

// g and its digits for x + p^k Z_p: a Taylor shift, then p^(kj) to the coefficients, which lose
// their common power of p. Returns how many digits are known of them, 0 if none.
static uint32_t padici_hensel_shift(padici_hensel *h, const uint64_t *x, uint32_t k, uint64_t *t)
{
    const padic_num_ring *r = h->call.ring;
    const uint32_t terms = h->desc->terms, words = r->words;
    uint64_t *const g = h->shifted;
    uint32_t i, j, v, m = h->known;
    memcpy(g, h->words, (size_t)terms * words * sizeof *t);
    for (i = 0; i + 1 < terms && !padici_ring_is_zero(r, x); i++)
        for (j = terms - 1; j-- > i;) {
            padici_ring_mul(r, t, g + (j + 1) * words, x);
            padici_ring_add(r, g + j * words, g + j * words, t);
        }
    for (j = 0; j < terms; j++) {
        padici_ring_up(r, g + j * words, g + j * words, (uint64_t)j * k);
        v = padici_ring_valuation(r, g + j * words);
        if (v < m) m = v;
    }
    for (j = 0; j < terms; j++) {
        padici_ring_down(r, g + j * words, g + j * words, m);
        h->digits[j] = padici_ring_digit(r, g + j * words);
    }
    return h->known - m;
}

// Splits the class x + p^k Z_p: writes the roots alone in their residue, and queues the others.
static void padici_hensel_class(padici_hensel *h, const uint64_t *x, uint32_t k, uint64_t *t)
{
    const padic_num_ring *r = h->call.ring;
    const uint64_t p = r->p, branches = h->desc->branches;
    const uint32_t words = r->words, known = padici_hensel_shift(h, x, k, t);
    uint32_t terms = h->desc->terms, j;
    uint64_t y, d, residue, *entry;
    padici_cell root;
    root.u = t;
    t += words;
    h->lower_bound |= !known;
    while (terms > 0 && !h->digits[terms - 1]) terms--;
    for (residue = 0; residue < p && terms > 1 && known; residue++) {
        for (y = 0, j = terms; j-- > 0;) y = (y * residue + h->digits[j]) % p;
        if (y) continue;
        for (d = 0, j = terms; --j > 0;) d = (d * residue + h->digits[j] * (j % p)) % p;
        padici_ring_set(r, root.u, residue);
        h->lower_bound |= !d && (h->waiting == branches || k + 1 >= h->known);
        if (!d && branches) {
            if (h->waiting == branches || k + 1 >= h->known) continue;
            entry = h->queue + (h->head + h->waiting++) % branches * (words + 1);
            padici_ring_up(r, t, root.u, k);
            padici_ring_add(r, entry, x, t);
            entry[words] = k + 1;
            continue;
        }
        root.n = k + padici_hensel_lift(&h->g, root.u, known, t);
        if (!root.n || h->found++ >= h->desc->most) continue;
        padici_ring_up(r, root.u, root.u, k);
        padici_ring_add(r, root.u, root.u, x);
        padici_ring_low(r, root.u, root.u, root.n);
        root.bits = 0;
        padici_hensel_finish(&h->call, &root);
        padici_cell_store(&h->call, h->at++, &root);
    }
}

// All roots of polynomial i.
static void padici_hensel_roots(padici_hensel *h, uint64_t i)
{
    const padic_num_hensel_desc *desc = h->desc;
    const padic_num_ring *r = h->call.ring;
    uint64_t *const x = h->temp, *const t = h->temp + r->words, *entry;
    padici_cell none;
    int nonzero;
    const int64_t known = padici_polynomial_known(&h->f, h->words, &nonzero, t);
    uint32_t k = 0;
    h->found = h->lower_bound = 0;
    h->head = h->waiting = 0;
    h->at = i * desc->most;
    h->known = known > 0 ? (uint32_t)known : 0;
    padici_ring_set(r, x, 0);
    while (known > 0) {
        padici_hensel_class(h, x, k, t);
        if (!h->waiting) break;
        entry = h->queue + h->head * (r->words + 1);
        padici_ring_copy(r, x, entry);
        k = (uint32_t)entry[r->words];
        h->head = (h->head + 1) % desc->branches;
        h->waiting--;
    }
    none.u = t;
    while (h->at < (i + 1) * desc->most) { // the unused ones
        none.bits = known < 0 ? PADIC_NUM_OUTSIDE : 0;
        padici_cell_integer(&h->call, &none, 0);
        padici_cell_store(&h->call, h->at++, &none);
    }
}

PADIC_API size_t padic_num_hensel_bound(const padic_num_hensel_desc *desc)
{
    const padic_num_ring *r = desc ? desc->out.ring : NULL;
    uint64_t words;
    if (!padici_ring_is(r) || desc->seeds.ring || desc->terms >> 20 || desc->branches >> 20)
        return 0;
    words = (uint64_t)desc->terms * (2 * r->words + 1) + PADICI_NUM_TEMPS * r->words +
            (uint64_t)desc->branches * (r->words + 1);
    return words > (size_t)-1 / 16 ? 0 : (size_t)words * sizeof(uint64_t);
}

// All polynomials, in host memory. Nothing is written if one of them is 0.
#define PADICI_HENSEL_NOTHING (UINT32_C(1) << 31)
static void padici_hensel_all_loop(padic_num_call *call)
{
    padici_hensel h = *(const padici_hensel *)call->options;
    const uint64_t n = h.desc->polynomials;
    uint64_t i;
    int nonzero;
    h.call = *call;
    h.call.scratch = NULL;
    h.f.call = &h.call;
    h.f.planes = call->c;
    h.f.planes.scalar = 0;
    h.g = h.f;
    h.g.words = h.shifted;
    for (i = 0; i < n; i++) {
        h.f.at = h.own ? i : 0;
        if (padici_polynomial_known(&h.f, NULL, &nonzero, h.temp) < 0 || nonzero) continue;
        call->bits |= PADICI_HENSEL_NOTHING;
        return;
    }
    for (i = 0; i < n; i++) {
        h.f.at = h.own ? i : 0;
        padici_hensel_roots(&h, i);
        ((uint32_t *)call->other[0])[i] = h.found;
        if (call->other[1]) ((uint8_t *)call->other[1])[i] = (uint8_t)h.lower_bound;
    }
    call->bits |= h.call.bits;
}

// Planes, scratch and overlaps of a search for all roots.
static padic_result padici_hensel_operands(padici_hensel *h, padici_num_task *task)
{
    const padic_num_hensel_desc *desc = h->desc;
    const padic_num_ring *r = desc->out.ring;
    const size_t need = padic_num_hensel_bound(desc);
    const uint64_t n = desc->polynomials;
    padici_num_space *const space = &task->space;
    padic_num_call *const call = &task->call;
    padici_num_range *const list = task->ranges;
    uint32_t *const ranges = &task->range_count;
    uint64_t roots;
    padic_result result;
    if (r->p >> 20)
        return padici_blame(task->context, PADIC_ERROR_LIMIT, "seeds", NULL,
                            "are needed where p is 2^20 or more");
    if (!padici_mul_u64(desc->most, n, &roots) || desc->out.count != roots)
        return padici_blame(task->context, PADIC_ERROR_MISMATCH, "out", "count",
                            "must be `most` times `polynomials`");
    if (!need || desc->scratch_size < need || !desc->scratch)
        return padici_blame(task->context, PADIC_ERROR_CAPACITY, "scratch", NULL,
                            "is missing or too small: see num_hensel_bound");
    if (!padici_aligned(desc->scratch, 8))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "scratch", NULL, NULL);
    result = padici_num_plane_in(task->context, space, &desc->found, n, 1u << PADIC_U32,
                                 &call->other[0]);
    padici_blame(task->context, result, "found", NULL, NULL);
    if (!result && (desc->guarantee.dtype || desc->guarantee.data)) {
        result = padici_num_plane_in(task->context, space, &desc->guarantee, n, 1u << PADIC_U8,
                                     &call->other[1]);
        padici_blame(task->context, result, "guarantee", NULL, NULL);
    }
    if (!result) {
        result = padici_series_out(task->context, space, &desc->out, call, list, ranges);
        padici_blame(task->context, result, "out", NULL, NULL);
    }
    if (!result) {
        result = padici_series_in(task->context, space, &desc->coefficients, &call->c, list,
                                  ranges);
        padici_blame(task->context, result, "coefficients", NULL, NULL);
    }
    if (!result && space->mems && space->host)
        result = padici_blame(task->context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and coefficients lie apart, in host memory and on a device");
    if (result) return result;
    padici_num_range_add(list, ranges, call->other[0], n * 4, 0, 1);
    padici_num_range_add(list, ranges, call->other[1], n, 0, 1);
    padici_num_range_add(list, ranges, desc->scratch, desc->scratch_size, 0, 1);
    call->scratch = desc->scratch;
    task->scratch = need;
    task->scratch_pieces = 1;
    h->shifted = (uint64_t *)desc->scratch;
    h->words = h->shifted + (uint64_t)desc->terms * r->words;
    h->digits = h->words + (uint64_t)desc->terms * r->words;
    h->queue = h->digits + desc->terms;
    h->temp = h->queue + (uint64_t)desc->branches * (r->words + 1);
    return padici_num_overlap(list, *ranges);
}

static padic_result padici_hensel_all(padic_context *context, const padic_num_hensel_desc *desc,
                                      uint32_t own)
{
    padici_hensel h;
    padici_num_task task;
    uint32_t *const sticky = desc->out.sticky;
    uint32_t unused = 0, bits;
    padic_result result;
    memset(&h, 0, sizeof h);
    h.desc = desc;
    h.own = own;
    h.f.terms = desc->terms;
    h.f.stride = own ? desc->polynomials : 1;
    padici_num_task_begin(&task, "num_hensel", PADIC_KERNEL_NUM_HENSEL_ALL, padici_hensel_all_loop,
                          NULL, NULL, NULL, NULL);
    task.context = context;
    task.call.ring = desc->out.ring;
    task.call.model = desc->out.model;
    task.call.options = &h;
    result = padici_hensel_operands(&h, &task);
    if (result) return padici_fault(context, result, "num_hensel");
    if (!desc->polynomials) return PADIC_OK;
    task.count = desc->polynomials;
    task.whole = 1;
    task.sticky = sticky ? sticky : &unused; // bits are wanted in any case
    if (task.space.mems)
        result = padici_num_device(&task);
    else
        padici_num_pieces(&task);
    if (result) return result;
    bits = task.call.bits;
    if (bits & PADICI_HENSEL_NOTHING)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hensel",
                              "coefficients: all known digits of a polynomial are 0");
    if (sticky) *sticky |= bits;
    if (bits & PADIC_NUM_HARD && !sticky && !task.call.status)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, "num_hensel",
                              "coefficients: one is no integer, and out has neither status nor "
                              "sticky to say whose");
    return PADIC_OK;
}

PADIC_API padic_result padic_num_hensel(padic_context *context, const padic_num_hensel_desc *desc)
{
    const padic_num_array *out = desc ? &desc->out : NULL;
    const padic_num_array *c = desc ? &desc->coefficients : NULL;
    padici_num_task task;
    uint64_t all;
    uint32_t own;
    if (!desc || !desc->terms || !padici_ring_is(out->ring) || !padici_ring_is(c->ring) ||
        (uint32_t)out->model > PADIC_NUM_BALL)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hensel",
                              !desc          ? "desc is NULL"
                              : !desc->terms ? "terms is 0: give at least one coefficient"
                                             : "out or coefficients has no ring, or out.model is "
                                               "none that there is");
    if (out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, "num_hensel",
                              "out.ring has a radix that is no prime");
    if (desc->terms >> 20 || desc->branches >> 20 ||
        !padici_mul_u64(desc->terms, desc->seeds.ring ? out->count : desc->polynomials, &all))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_hensel",
                              "terms and branches must be below 2^20");
    own = c->count != desc->terms;
    if (!padici_ring_equal(out->ring, c->ring) || out->model != c->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_hensel",
                              "out and coefficients are of different rings or models");
    if (own && c->count != all)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_hensel",
                              "coefficients.count must be terms, or terms times polynomials");
    if (!desc->seeds.ring) return padici_hensel_all(context, desc, own);
    padici_num_task_begin(&task, "num_hensel", PADIC_KERNEL_NUM_HENSEL, padici_hensel_loop, out,
                          &desc->seeds, NULL, c);
    task.field[1] = "seeds";
    task.field[3] = "coefficients";
    task.call.k = desc->terms;
    task.c_moves = own;
    task.c_count = c->count;
    task.call.stride = own ? out->count : 0;
    if (padici_num_same_units(c, out))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_hensel",
                              "out must not be the coefficients");
    return padici_num_run(context, &task);
}

