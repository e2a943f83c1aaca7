// ------------------------------------------------------------------------------- >>exact impl

//
// From the bottom up: reconstruction of one number, in two words or in many, then of several over a
// common denominator; linear algebra, which ends with that; the operations on arrays.

// floor(sqrt(x)), bit by bit.
static padici_wide padici_wide_sqrt(padici_wide x)
{
    uint32_t k = (padici_wide_bits(x) + 1) / 2;
    uint64_t root = 0;
    while (k-- > 0) {
        const uint64_t c = root | UINT64_C(1) << k;
        if (!padici_wide_less(x, padici_wide_mul(c, c))) root = c;
    }
    return padici_wide_make(root, 0);
}

// floor((p^(digits - guard) - 1) / 2): 2 Nmax Dmax may not exceed twice this. 0 for no digits.
static padici_wide padici_ratrec_half(const padic_num_ring *r, uint32_t digits, uint32_t guard)
{
    if (digits <= guard) return padici_wide_make(0, 0);
    return padici_wide_shr(padici_wide_sub(padici_wide_load(r->power[digits - guard]),
                                           padici_wide_make(1, 0)), 1);
}

// floor(a / b) and the rest for a >= b > 0: mostly a small quotient, estimated from the top words.
PADICI_INLINE padici_wide padici_ratrec_divide(padici_wide a, padici_wide b, padici_wide *rest)
{
    const uint32_t k = 64 - padici_clz64(a.high | 1);
    const uint64_t y = padici_wide_shr(b, k).low;
    if (!a.high) {
        const uint64_t q = a.low / b.low;
        *rest = padici_wide_make(a.low - q * b.low, 0);
        return padici_wide_make(q, 0);
    }
    if (y >> 34) { // the estimate is at most 1 too small
        uint64_t q = padici_wide_shr(a, k).low / (y + 1);
        a = padici_wide_sub(a, padici_wide_mul_low(b, padici_wide_make(q, 0)));
        for (; !padici_wide_less(a, b); q++) a = padici_wide_sub(a, b);
        *rest = a;
        return padici_wide_make(q, 0);
    }
    return padici_wide_div(a, b, rest);
}

// The fraction n / d = u modulo m, a power of p, with |n| <= most_n and 0 < d <= most_d, in lowest
// terms: half of Euclid's algorithm, r = t u mod m in every row, |t| growing, its sign alternating.
// gcd(r, t) divides m, so that p not dividing t is all there is to test. Unique if 2 most_n most_d
// < m. 0: there is none; 1: n >= 0; -1: *n is -n.
static int padici_ratrec(uint64_t p, padici_wide m, padici_wide u, padici_wide most_n,
                         padici_wide most_d, padici_wide *n, padici_wide *d)
{
    padici_wide r0 = m, r1 = u, t0 = {0, 0}, t1 = {1, 0}, rest;
    int sign = 1;
    while (padici_wide_less(most_n, r1)) {
        const padici_wide q = padici_ratrec_divide(r0, r1, &rest);
        const padici_wide t = padici_wide_add(t0, padici_wide_mul_low(q, t1));
        r0 = r1;
        r1 = rest;
        t0 = t1;
        t1 = t;
        sign = -sign;
    }
    *n = r1;
    *d = t1;
    if (padici_wide_less(most_d, t1)) return 0;
    if (!t1.high && t1.low < p) return sign;
    padici_wide_div(t1, padici_wide_make(p, 0), &rest);
    return padici_wide_zero(rest) ? 0 : sign;
}

// What is asked of a fraction. All zero but guard: the default bounds.
typedef struct padici_bounds {
    uint32_t guard;
    uint32_t bits_n, bits_d;    // not 0: |n| < 2^bits_n, d < 2^bits_d, and nothing of the following
    padici_wide most_n, most_d; // 0: the largest that the other leaves
    uint64_t quotient;          // not 0: the row before the largest quotient, if that is above this
} padici_bounds;

// Binary integers of any length, lowest word first.

static uint32_t padici_words_bits(const uint64_t *x, uint32_t n)
{
    while (n > 0 && !x[n - 1]) n--;
    return n ? 64 * n - padici_clz64(x[n - 1]) : 0;
}

static int padici_words_less(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    while (n > 0 && a[n - 1] == b[n - 1]) n--;
    return n > 0 && a[n - 1] < b[n - 1];
}

static void padici_words_swap(uint64_t *a, uint64_t *b, uint64_t n)
{
    for (; n > 0 && a != b; n--, a++, b++) {
        const uint64_t x = *a;
        *a = *b;
        *b = x;
    }
}

// x += a q; the carry beyond n words.
static uint64_t padici_words_add(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        padici_wide s = padici_wide_add(padici_wide_mul(a[i], q), padici_wide_make(carry, 0));
        s = padici_wide_add(s, padici_wide_make(x[i], 0));
        x[i] = s.low;
        carry = s.high;
    }
    return carry;
}

// x -= a q; the borrow.
static uint64_t padici_words_sub(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const padici_wide s = padici_wide_add(padici_wide_mul(a[i], q), padici_wide_make(carry, 0));
        carry = s.high + (x[i] < s.low);
        x[i] -= s.low;
    }
    return carry;
}

// x = x q + carry; the word that leaves it.
static uint64_t padici_words_scale(uint64_t *x, uint64_t q, uint64_t carry, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        const padici_wide s = padici_wide_add(padici_wide_mul(x[i], q), padici_wide_make(carry, 0));
        x[i] = s.low;
        carry = s.high;
    }
    return carry;
}

// x = a in n words, of which it has m and needs no more than n.
static void padici_words_copy(uint64_t *x, uint32_t n, const uint64_t *a, uint32_t m)
{
    memset(x, 0, n * sizeof *x);
    memcpy(x, a, (n < m ? n : m) * sizeof *x);
}

// x = a b; x has na + nb words and is neither.
static void padici_words_mul(uint64_t *x, const uint64_t *a, uint32_t na, const uint64_t *b,
                             uint32_t nb)
{
    uint32_t i;
    memset(x, 0, (na + nb) * sizeof *x);
    for (i = 0; i < nb; i++) x[i + na] = padici_words_add(x + i, a, b[i], na);
}

// The 64 bits of x from bit `at` up, which may be beyond its n words.
static uint64_t padici_words_window(const uint64_t *x, uint32_t n, uint32_t at)
{
    const uint32_t k = at / 64, part = at % 64;
    const uint64_t low = k < n ? x[k] : 0, high = k + 1 < n ? x[k + 1] : 0;
    return part ? low >> part | high << (64 - part) : low;
}

// x = a p^k in n words, which it fits in; a = NULL: p^k.
static void padici_words_power(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint32_t k,
                               uint32_t n)
{
    const uint64_t one = 1;
    padici_big b;
    padici_words_copy(x, n, a ? a : &one, a ? n : 1);
    b.w = x;
    b.n = b.room = n;
    padici_big_trim(&b);
    padici_big_power(r, &b, k);
}

// x = the residue u of any form, in n words, which it fits in.
static void padici_words_of_ring(const padic_num_ring *r, uint64_t *x, const uint64_t *u,
                                 uint32_t n)
{
    uint32_t i;
    memset(x, 0, n * sizeof *x);
    if (r->form != PADIC_NUM_RX) memcpy(x, u, r->words * sizeof *x);
    for (i = r->form == PADIC_NUM_RX ? r->words : 0; i-- > 0;)
        padici_words_scale(x, r->base, u[i], r->words - i < n ? r->words - i : n);
}

// x mod d; *q = floor(x / d), which may be x, or NULL.
static uint64_t padici_words_divide(uint64_t *q, const uint64_t *x, uint32_t n, uint64_t d)
{
    const uint32_t shift = padici_clz64(d);
    const uint64_t reciprocal = padici_reciprocal(d << shift);
    uint64_t rest = 0;
    while (n-- > 0) {
        const uint64_t digit = padici_divide(padici_wide_shl(padici_wide_make(x[n], rest), shift),
                                             d << shift, reciprocal, &rest);
        rest >>= shift;
        if (q) q[n] = digit;
    }
    return rest;
}

// Euclid's rows: remainders r[0] > r[1] >= 0, cofactors |t[0]|, |t[1]| with alternating signs.
typedef struct padici_euclid {
    uint64_t *r[2], *t[2];
    uint32_t words; // of each
    int sign;       // of t[1]
} padici_euclid;

// One row further; the quotient, UINT64_MAX if that is too large. r[0] / r[1] is estimated from 63
// bits of r[0] and as many of r[1] as make the quotient's place a multiple of 64, never too large,
// until nothing is left.
static uint64_t padici_euclid_step(padici_euclid *e)
{
    uint64_t *const r0 = e->r[0], *const r1 = e->r[1], *const t0 = e->t[0], *const t1 = e->t[1];
    const uint32_t n = e->words, b1 = padici_words_bits(r1, n);
    uint64_t sum = 0;
    int large = 0;
    while (!padici_words_less(r0, r1, n)) {
        const uint32_t b0 = padici_words_bits(r0, n), places = b0 > b1 ? (b0 - b1 - 1) / 64 : 0;
        const uint32_t left = b0 > 63 ? b0 - 63 : 0; // r1 has the same shift but for the places
        const uint64_t x = padici_words_window(r0, n, left);
        const uint64_t y = left >= 64 * places ? padici_words_window(r1, n, left - 64 * places)
                                               : padici_words_window(r1, n, 0)
                                                     << (64 * places - left);
        uint64_t q = left ? x / (y + 1) : x / y;
        q += !q;
        padici_words_sub(r0 + places, r1, q, n - places);
        padici_words_add(t0 + places, t1, q, n - places);
        large |= b0 - b1 > 62;
        sum += q;
    }
    e->r[0] = r1;
    e->r[1] = r0;
    e->t[0] = t1;
    e->t[1] = t0;
    e->sign = -e->sign;
    return large ? UINT64_MAX : sum;
}

// A word of u a - v b, u and v below 2^33; the carry is in two's complement.
PADICI_INLINE uint64_t padici_euclid_word(uint64_t u, uint64_t a, uint64_t v, uint64_t b,
                                          uint64_t *carry)
{
    const padici_wide x = padici_wide_sub(padici_wide_mul(u, a), padici_wide_mul(v, b));
    const padici_wide y = padici_wide_add(x, padici_wide_make(*carry, 0 - (*carry >> 63)));
    *carry = y.high;
    return y.low;
}

// r[0], r[1] times the matrix (u0, -v0; -u1, v1), or its negative after an odd number of rows; t
// without signs. `n` words of r, `m` of t.
static void padici_euclid_apply(padici_euclid *e, const uint64_t u[2], const uint64_t v[2],
                                int odd, uint32_t n, uint32_t m)
{
    const uint64_t *const a = e->r[odd], *const b = e->r[!odd];
    const uint64_t *const x = odd ? v : u, *const y = odd ? u : v;
    uint64_t c0 = 0, c1 = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const uint64_t first = padici_euclid_word(x[0], a[i], y[0], b[i], &c0);
        const uint64_t second = padici_euclid_word(y[1], b[i], x[1], a[i], &c1);
        e->r[0][i] = first;
        e->r[1][i] = second;
    }
    for (i = 0, c0 = c1 = 0; i < m; i++) {
        const uint64_t t0 = e->t[0][i], t1 = e->t[1][i];
        padici_wide s = padici_wide_add(padici_wide_mul(u[0], t0), padici_wide_mul(v[0], t1));
        s = padici_wide_add(s, padici_wide_make(c0, 0));
        e->t[0][i] = s.low;
        c0 = s.high;
        s = padici_wide_add(padici_wide_mul(u[1], t0), padici_wide_mul(v[1], t1));
        s = padici_wide_add(s, padici_wide_make(c1, 0));
        e->t[1][i] = s.low;
        c1 = s.high;
    }
    if (odd) e->sign = -e->sign;
}

// As many rows as the top 64 bits of r[0] and r[1] prove (Lehmer 1938), so long as r[1] keeps more
// than `stop` bits; 0 if that is none. A quotient of the tops is right if the rest and its distance
// to the divisor are not below the cofactors (Jebelean 1993), which so stay below 2^32.
static int padici_euclid_leap(padici_euclid *e, uint32_t stop)
{
    const uint32_t bits = padici_words_bits(e->r[0], e->words), at = bits > 64 ? bits - 64 : 0;
    uint64_t a = padici_words_window(e->r[0], e->words, at);
    uint64_t b = padici_words_window(e->r[1], e->words, at), least = 1;
    uint64_t u[2] = {1, 0}, v[2] = {0, 1};
    uint32_t n = (bits + 63) / 64, m;
    int odd = 0;
    if (stop > at) {
        if (stop - at >= 64) return 0;
        least = UINT64_C(1) << (stop - at);
    }
    while (b) {
        const uint64_t q = a / b, c = a - q * b, x = u[0] + q * u[1], y = v[0] + q * v[1];
        if (c < y || b - c < y + v[1] || c - y < least) break;
        a = b;
        b = c;
        u[0] = u[1];
        u[1] = x;
        v[0] = v[1];
        v[1] = y;
        odd = !odd;
    }
    if (v[0] == 0) return 0;
    m = e->words - n + 2;
    padici_euclid_apply(e, u, v, odd, n, m < e->words ? m : e->words);
    return 1;
}

// 2 a b < limit, of n words? `product` has room for na + nb + 1 words.
static int padici_words_below(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb,
                              const uint64_t *limit, uint32_t n, uint64_t *product)
{
    const uint32_t ba = padici_words_bits(a, na), bb = padici_words_bits(b, nb);
    const uint32_t bits = padici_words_bits(limit, n);
    uint32_t i;
    if (!ba || !bb) return bits > 0;
    if (ba + bb > bits) return 0; // 2 a b >= 2^(ba + bb - 1)
    na = (ba + 63) / 64;
    nb = (bb + 63) / 64;
    padici_words_mul(product, a, na, b, nb);
    na += nb;
    product[na] = padici_words_scale(product, 2, 0, na);
    for (i = n; i <= na; i++)
        if (product[i]) return 0;
    for (i = na + 1; i < n; i++)
        if (limit[i]) return 1;
    return padici_words_less(product, limit, na < n ? na + 1 : n);
}

// Is x at most the bound of numerators (d = 1: of denominators)? limit is p^(digits - guard).
// *stop: no x with more bits is.
static int padici_bounds_allow(const padici_bounds *bounds, int d, const uint64_t *x, uint32_t n,
                         const uint64_t *limit, uint64_t *product, uint32_t *stop)
{
    const uint32_t most_bits = d ? bounds->bits_d : bounds->bits_n;
    const padici_wide most = d ? bounds->most_d : bounds->most_n;
    const padici_wide other = d ? bounds->most_n : bounds->most_d;
    const uint32_t all = padici_words_bits(limit, n), other_bits = padici_wide_bits(other);
    uint64_t word[2];
    *stop = most_bits                  ? most_bits
            : !padici_wide_zero(most)  ? padici_wide_bits(most)
            : !padici_wide_zero(other) ? all > other_bits ? all - other_bits : 0
                                       : all / 2;
    if (padici_words_bits(x, n) > *stop) return 0;
    if (most_bits) return 1;
    padici_wide_store(word, padici_wide_zero(most) ? other : most);
    if (!padici_wide_zero(most))
        return !padici_wide_less(most, padici_wide_make(x[0], n > 1 ? x[1] : 0));
    if (padici_wide_zero(other)) return padici_words_below(x, n, x, n, limit, n, product);
    return padici_words_below(x, n, word, 2, limit, n, product);
}

// Is 2 Nmax Dmax < limit, as far as they are given?
static int padici_bounds_fit(const padici_bounds *bounds, const uint64_t *limit, uint32_t n,
                             uint64_t *product)
{
    uint64_t a[2], b[2];
    padici_wide_store(a, bounds->most_n);
    padici_wide_store(b, bounds->most_d);
    if (!(a[0] | a[1] | b[0] | b[1]) || bounds->bits_n) return 1;
    if (!(a[0] | a[1])) a[0] = 1;
    if (!(b[0] | b[1])) b[0] = 1;
    return padici_words_below(a, 2, b, 2, limit, n, product);
}

// The two bounds as numbers, up to W128. 0: 2 Nmax Dmax >= p^(digits - guard).
static int padici_bounds_wide(const padic_num_ring *r, uint32_t digits, const padici_bounds *bounds,
                              padici_wide *n, padici_wide *d)
{
    const padici_wide half = padici_ratrec_half(r, digits, bounds->guard);
    *n = bounds->most_n;
    *d = bounds->most_d;
    if (padici_wide_zero(*n) && padici_wide_zero(*d)) {
        *n = *d = padici_wide_sqrt(half);
        return digits > bounds->guard;
    }
    if (padici_wide_zero(*n)) *n = padici_wide_div(half, *d, NULL);
    if (padici_wide_zero(*d)) *d = padici_wide_div(half, *n, NULL);
    return !padici_wide_zero(*n) && !padici_wide_zero(*d) &&
           !padici_wide_less(padici_wide_div(half, *d, NULL), *n);
}

// Monagan's maximal quotient: the row before it, its remainder to n and its cofactor to d.
static int padici_euclid_largest(padici_euclid *e, uint64_t most, uint64_t *n, uint64_t *d,
                                 uint32_t words)
{
    int found = 0;
    if (!padici_words_bits(e->r[1], e->words)) { // 0 / 1
        padici_words_copy(n, words, e->r[1], e->words);
        padici_words_copy(d, words, e->t[1], e->words);
        return 1;
    }
    while (padici_words_bits(e->r[1], e->words) &&
           (padici_words_bits(e->r[0], e->words) > 64 || e->r[0][0] > most)) {
        const uint64_t q = padici_euclid_step(e);
        if (q <= most) continue;
        most = q;
        found = -e->sign;
        padici_words_copy(n, words, e->r[0], e->words);
        padici_words_copy(d, words, e->t[0], e->words);
    }
    return found;
}

// padici_ratrec() for any form: u known to `digits` digits, n and d as r->words binary words.
// `temp` has room for 20 residues, or for 6 (r->bits / 64 + 2) + 3 words.
static int padici_fraction(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                           const padici_bounds *bounds, uint64_t *n, uint64_t *d, uint64_t *temp)
{
    const uint32_t words = r->bits / 64 + 2; // of p^N and a carry
    uint64_t *const limit = temp + 4 * words, *const product = temp + 5 * words;
    padici_euclid e;
    uint32_t stop;
    if (digits <= bounds->guard) return 0;
    if (r->form < PADIC_NUM_RX && !bounds->quotient && !bounds->bits_n) {
        padici_wide x = {0, 0}, y = {0, 0}, most_n, most_d;
        int sign;
        if (!padici_bounds_wide(r, digits, bounds, &most_n, &most_d)) return 0;
        x = padici_wide_make(u[0], r->words > 1 ? u[1] : 0);
        sign = padici_ratrec(r->p, padici_wide_load(r->power[digits]), x, most_n, most_d, &x, &y);
        n[0] = x.low;
        d[0] = y.low;
        if (r->words > 1) n[1] = x.high;
        if (r->words > 1) d[1] = y.high;
        return sign;
    }
    e.r[0] = temp;
    e.r[1] = temp + words;
    e.t[0] = temp + 2 * words;
    e.t[1] = temp + 3 * words;
    e.words = words;
    e.sign = 1;
    padici_words_power(r, limit, NULL, digits - bounds->guard, words);
    padici_words_power(r, e.r[0], limit, bounds->guard, words);
    padici_words_of_ring(r, e.r[1], u, words);
    memset(e.t[0], 0, 2 * words * sizeof *temp);
    e.t[1][0] = 1;
    if (bounds->quotient) {
        e.sign = padici_euclid_largest(&e, bounds->quotient, n, d, r->words);
        return e.sign && padici_words_divide(NULL, d, r->words, r->p) ? e.sign : 0;
    }
    if (!padici_bounds_fit(bounds, limit, words, product)) return 0;
    while (!padici_bounds_allow(bounds, 0, e.r[1], words, limit, product, &stop))
        if (!padici_euclid_leap(&e, stop)) padici_euclid_step(&e);
    if (!padici_bounds_allow(bounds, 1, e.t[1], words, limit, product, &stop) ||
        !padici_words_divide(NULL, e.t[1], words, r->p))
        return 0;
    padici_words_copy(n, r->words, e.r[1], words);
    padici_words_copy(d, r->words, e.t[1], words);
    return e.sign;
}

static int padici_fraction_of(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                              uint64_t *n, uint64_t *d, uint64_t *temp)
{
    const padici_bounds bounds = {1, 0, 0, {0, 0}, {0, 0}, 0};
    return padici_fraction(r, u, digits, &bounds, n, d, temp);
}

// Numbers over a common denominator d: where u d has no small balanced residue, d is multiplied by
// the denominator of u d.
typedef struct padici_joint {
    const padic_num_ring *ring;
    const padici_bounds *bounds;
    uint64_t *d, *ring_d;            // d in binary words, and as a residue
    uint64_t *w, *x, *t;             // u d, its magnitude in binary, and room
    uint64_t *limit, *product, *temp; // as of padici_fraction()
    uint32_t words, digits;          // of binary integers; those that `limit` is for, 0: none yet
    int fit;                         // 2 Nmax Dmax < limit
} padici_joint;

// Lays it out in 15 parts of `part` words, and begins with d = 1.
static void padici_joint_begin(padici_joint *j, const padic_num_ring *r,
                               const padici_bounds *bounds, uint64_t *memory, uint64_t *d,
                               uint32_t part)
{
    j->ring = r;
    j->bounds = bounds;
    j->d = d;
    j->ring_d = memory;
    j->w = memory + part;
    j->x = memory + 2 * part;
    j->t = memory + 3 * part;
    j->limit = memory + 4 * part;
    j->product = memory + 5 * part; // 2 parts
    j->temp = memory + 7 * part;
    j->words = r->bits / 64 + 2;
    j->digits = 0;
    memset(d, 0, part * sizeof *d);
    d[0] = 1;
    padici_ring_set(r, j->ring_d, 1);
}

// w = u d mod p^digits, x = its balanced magnitude. Its sign, 0 if beyond the bound of numerators.
static int padici_joint_numerator(padici_joint *j, const uint64_t *u, uint32_t digits)
{
    const padic_num_ring *r = j->ring;
    uint32_t stop;
    if (digits <= j->bounds->guard) return 0;
    if (digits != j->digits) {
        padici_words_power(r, j->limit, NULL, digits - j->bounds->guard, j->words);
        j->fit = padici_bounds_fit(j->bounds, j->limit, j->words, j->product);
    }
    j->digits = digits;
    if (!j->fit) return 0;
    padici_ring_mul(r, j->w, u, j->ring_d);
    padici_ring_low(r, j->w, j->w, digits);
    padici_words_of_ring(r, j->x, j->w, j->words);
    if (padici_bounds_allow(j->bounds, 0, j->x, j->words, j->limit, j->product, &stop)) return 1;
    padici_ring_neg(r, j->t, j->w);
    padici_ring_low(r, j->t, j->t, digits);
    padici_words_of_ring(r, j->x, j->t, j->words);
    return -padici_bounds_allow(j->bounds, 0, j->x, j->words, j->limit, j->product, &stop);
}

// After that: the denominator of w becomes part of d. 0: there is none, or d is beyond its bound.
static int padici_joint_extend(padici_joint *j)
{
    const padic_num_ring *r = j->ring;
    const uint32_t n = j->words, all = padici_words_bits(j->limit, n);
    uint32_t stop;
    padici_big d;
    if (!padici_fraction(r, j->w, j->digits, j->bounds, j->x, j->t, j->temp)) return 0;
    if (padici_words_bits(j->t, r->words) + padici_words_bits(j->d, n) > all + 1) return 0;
    padici_words_mul(j->temp, j->d, n, j->t, r->words < n ? r->words : n);
    padici_words_copy(j->d, n, j->temp, n);
    if (!padici_bounds_allow(j->bounds, 1, j->d, n, j->limit, j->product, &stop)) return 0;
    d.w = j->temp;
    d.n = d.room = n;
    padici_big_trim(&d);
    padici_ring_of_big(r, j->ring_d, &d);
    return 1;
}

// Linear algebra

// An integer tensor of a call; U64 always has planes of words.
typedef struct padici_integers {
    void *data; // NULL: not wanted
    padic_dtype dtype;
    uint32_t limbs; // 0: no planes
    uint64_t step;  // from plane to plane
} padici_integers;

// Such a tensor with `count` integers of the dtypes allowed; one that is all zero is left out.
static padic_result padici_integers_of(padic_context *context, padici_num_space *space,
                                       const padic_tensor *t, uint64_t count, uint32_t allowed,
                                       padici_integers *x, padici_num_range *list,
                                       uint32_t *ranges)
{
    uint64_t all = count;
    padic_result result;
    if (!t->dtype && !t->data && !t->buffer.id) return PADIC_OK;
    x->dtype = t->dtype;
    x->step = count;
    if (t->dtype == PADIC_U64) {
        if (t->rank < 2) return PADIC_ERROR_DTYPE;
        if (!t->shape[0] || t->shape[0] > PADIC_NUM_MAX_BITS) return PADIC_ERROR_LIMIT;
        x->limbs = (uint32_t)t->shape[0];
        if (!padici_mul_u64(all, x->limbs, &all)) return PADIC_ERROR_LIMIT;
    }
    result = padici_num_plane_in(context, space, t, all, allowed, &x->data);
    if (!result)
        padici_num_range_add(list, ranges, x->data, all * padic_dtype_size(t->dtype), 0, 1);
    return result;
}

// Integer i = +-x, of n words; 0 and RANGE if that is too wide.
static uint32_t padici_integer_set(const padici_integers *out, uint64_t i, uint64_t *x, uint32_t n,
                                   int negative)
{
    padici_big b;
    if (n == 1 && out->dtype == PADIC_I64 && !(x[0] >> 63)) { // mostly
        ((int64_t *)out->data)[i] = (int64_t)(negative ? 0 - x[0] : x[0]);
        return 0;
    }
    b.w = x;
    b.n = b.room = n;
    padici_big_trim(&b);
    return padici_big_store(out->data, out->dtype, out->limbs, out->step, i, &b, negative && b.n);
}

// The largest primes below 2^49, descending: 2^49 minus these. Their product exceeds 2^4409, the
// square of what any determinant here reaches being below 2^(2 4225).
static const uint16_t padici_primes[90] = {
    81,   111,  123,  139,  181,  201,  213,  265,  283,  339,  441,  445,  475,  519,  565,
    571,  579,  585,  703,  741,  753,  759,  789,  805,  855,  909,  939,  943,  969,  1009,
    1015, 1083, 1123, 1131, 1165, 1173, 1215, 1245, 1281, 1323, 1399, 1405, 1441, 1453, 1489,
    1519, 1581, 1611, 1621, 1693, 1749, 1771, 1795, 1911, 1929, 1993, 1995, 2001, 2023, 2083,
    2101, 2103, 2115, 2185, 2215, 2269, 2295, 2353, 2413, 2421, 2475, 2505, 2545, 2623, 2629,
    2661, 2703, 2709, 2799, 2835, 2869, 2881, 2911, 2913, 2959, 3003, 3073, 3151, 3165, 3205};

// A field of that many elements.
typedef struct padici_prime {
    uint64_t q, reciprocal; // of q 2^15
} padici_prime;

static padici_prime padici_prime_make(uint32_t index)
{
    padici_prime f;
    f.q = (UINT64_C(1) << 49) - padici_primes[index];
    f.reciprocal = padici_reciprocal(f.q << 15);
    return f;
}

// x mod q, x < 2^112.
PADICI_INLINE uint64_t padici_prime_mod(const padici_prime *f, padici_wide x)
{
    uint64_t rest;
    padici_divide(padici_wide_shl(x, 15), f->q << 15, f->reciprocal, &rest);
    return rest >> 15;
}

PADICI_INLINE uint64_t padici_prime_sub(const padici_prime *f, uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + f->q - b;
}

// The same for x in two's complement, |x| < 2^112.
PADICI_INLINE uint64_t padici_prime_of(const padici_prime *f, padici_wide x)
{
    const int negative = (int)(x.high >> 63);
    uint64_t rest;
    if (negative) x = padici_wide_sub(padici_wide_make(0, 0), x);
    rest = x.high || x.low >= f->q ? padici_prime_mod(f, x) : x.low;
    return negative && rest ? f->q - rest : rest;
}

PADICI_INLINE padici_wide padici_wide_signed(int64_t a)
{
    return padici_wide_make((uint64_t)a, a < 0 ? UINT64_MAX : 0);
}

// a b in two's complement, modulo 2^128.
PADICI_INLINE padici_wide padici_wide_mul_signed(int64_t a, int64_t b)
{
    padici_wide x = padici_wide_mul((uint64_t)a, (uint64_t)b);
    x.high -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return x;
}

// Sum a_i b_i, below 2^128.
static padici_wide padici_dot(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    uint32_t i;
#if PADICI_INT128
    padici_u128 c = 0;
    for (i = 0; i < n; i++) c += (padici_u128)a[i] * b[i];
    return padici_wide_make((uint64_t)c, (uint64_t)(c >> 64));
#else
    padici_wide c = {0, 0};
    for (i = 0; i < n; i++) c = padici_wide_add(c, padici_wide_mul(a[i], b[i]));
    return c;
#endif
}

// Upper bounds m 2^e, m with its top bit set; 0 is m = 0.
typedef struct padici_scale {
    uint64_t m;
    int32_t e;
} padici_scale;

static padici_scale padici_scale_of(padici_wide x, int32_t e)
{
    padici_scale s = {0, 0};
    const uint32_t bits = padici_wide_bits(x);
    if (!bits) return s;
    s.e = e + (int32_t)bits - 64;
    s.m = bits > 64 ? padici_wide_shr(x, bits - 64).low : x.low << (64 - bits);
    if (bits > 64 && padici_wide_shl(x, 128 - bits).low && !++s.m) { // rounded up
        s.m = UINT64_C(1) << 63;
        s.e++;
    }
    return s;
}

static padici_scale padici_scale_mul(padici_scale a, padici_scale b)
{
    return padici_scale_of(padici_wide_mul(a.m, b.m), a.e + b.e);
}

// b with sqrt(x) < 2^b.
static uint32_t padici_scale_bits(padici_scale x)
{
    return x.m ? (uint32_t)(x.e + 65) / 2 : 0;
}

PADICI_INLINE uint64_t padici_num_magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

PADICI_INLINE int64_t padici_integer(const void *data, padic_dtype dtype, uint64_t i)
{
    return dtype == PADIC_I32 ? ((const int32_t *)data)[i] : ((const int64_t *)data)[i];
}

// The square of the Euclidean norm of n <= 64 integers from `first` on, `step` apart; if `one` at
// least 1.
static padici_scale padici_norm(const void *a, padic_dtype dtype, uint64_t first, uint32_t n,
                                uint32_t step, int one)
{
    padici_wide sum = {0, 0};
    uint64_t all = 0, x;
    uint32_t i, shift;
    for (i = 0; i < n; i++) all |= padici_num_magnitude(padici_integer(a, dtype, first + i * step));
    if (!all && one) sum.low = 1;
    shift = all >> 60 ? 8 : 0; // so that the sum stays below 2^128
    for (i = 0; i < n; i++) {
        x = padici_num_magnitude(padici_integer(a, dtype, first + i * step));
        sum = padici_wide_add(sum, padici_wide_shr(padici_wide_mul(x, x), shift));
        if (shift) sum = padici_wide_add(sum, padici_wide_make(1, 0));
    }
    return padici_scale_of(sum, (int32_t)shift);
}

// Hadamard's bound in bits for the matrix from `first` on: of |det|, or with `one` of every minor.
static uint32_t padici_hadamard(const void *a, padic_dtype dtype, uint64_t first, uint32_t n,
                                int one)
{
    padici_scale rows = {UINT64_C(1) << 63, -63}, cols = rows;
    uint32_t i, by_rows, by_cols;
    for (i = 0; i < n; i++) {
        rows = padici_scale_mul(rows, padici_norm(a, dtype, first + i * n, n, 1, one));
        cols = padici_scale_mul(cols, padici_norm(a, dtype, first + i, n, n, one));
    }
    by_rows = padici_scale_bits(rows);
    by_cols = padici_scale_bits(cols);
    return by_rows < by_cols ? by_rows : by_cols;
}

// Bounds in bits of minors of (A b): without b, and with b but for the factor |b|.
static uint32_t padici_solve_bits(const int64_t *a, uint32_t n, padici_scale *others)
{
    padici_scale all = {UINT64_C(1) << 63, -63}, least = {0, 0}, x;
    uint32_t i;
    *others = all;
    for (i = 0; i < n; i++) {
        x = padici_norm(a, PADIC_I64, i, n, n, 1);
        all = padici_scale_mul(all, x);
        if (!i) {
            least = x;
        } else if (x.e < least.e || (x.e == least.e && x.m < least.m)) {
            *others = padici_scale_mul(*others, least);
            least = x;
        } else {
            *others = padici_scale_mul(*others, x);
        }
    }
    return padici_scale_bits(all);
}

// Row echelon form of n rows of `cols` integers without fractions (Bareiss): every entry is a
// minor, all of them below 2^63, so that products fit in 128 bits, and the division by the pivot
// before is exact: by its inverse modulo 2^64. Pivots are in the first n columns. Returns the rank;
// *sign is that of the row exchanges.
static uint32_t padici_bareiss(int64_t *w, uint32_t n, uint32_t cols, int *sign)
{
    uint32_t row = 0, c, i, j, shift = 0;
    uint64_t inverse = 1;
    *sign = 1;
    for (c = 0; c < n && row < n; c++) {
        int64_t *const top = w + row * cols, pivot;
        for (i = row; i < n && !w[i * cols + c]; i++) {}
        if (i == n) continue;
        padici_words_swap((uint64_t *)top, (uint64_t *)(w + i * cols), cols);
        if (i != row) *sign = -*sign;
        pivot = top[c];
        for (i = row + 1; i < n; i++) {
            int64_t *const x = w + i * cols, factor = x[c];
            for (j = c + 1; j < cols; j++) {
                const padici_wide d = padici_wide_sub(padici_wide_mul_signed(pivot, x[j]),
                                                      padici_wide_mul_signed(factor, top[j]));
                x[j] = (int64_t)(padici_wide_shr(d, shift).low * inverse);
            }
            x[c] = 0;
        }
        shift = padici_ctz64((uint64_t)pivot);
        inverse = padici_inverse64((uint64_t)(pivot / (int64_t)(UINT64_C(1) << shift)));
        row++;
    }
    return row;
}

// LU of A modulo q with row exchanges, left-looking, so that an entry is one dot product and one
// reduction; columns without a pivot are left out. `inverse` are those of the pivots, order[i] is
// the row of A that row i is. Returns the rank; *det is det A mod q if that is n.
static uint32_t padici_lu(const padici_prime *f, const int64_t *a, uint32_t n, uint64_t *lu,
                          uint64_t *inverse, uint64_t *order, uint64_t *column, uint64_t *det)
{
    uint32_t row = 0, i, c;
    uint64_t x;
    *det = 1;
    for (i = 0; i < n * n; i++) lu[i] = padici_prime_of(f, padici_wide_signed(a[i]));
    for (i = 0; i < n; i++) order[i] = i;
    for (c = 0; c < n; c++) {
        uint32_t pivot = n;
        for (i = 0; i < n; i++) column[i] = lu[i * n + c];
        for (i = 0; i < n; i++) {
            x = padici_prime_mod(f, padici_dot(lu + i * n, column, i < row ? i : row));
            column[i] = padici_prime_sub(f, column[i], x);
            if (i >= row && pivot == n && column[i]) pivot = i;
        }
        if (pivot == n) continue; // U is not wanted any more, and L is in the columns before row
        inverse[row] = padici_inverse_mod(column[pivot], f->q);
        *det = padici_prime_mod(f, padici_wide_mul(*det, column[pivot]));
        if (pivot != row) *det = f->q - *det;
        padici_words_swap(column + row, column + pivot, 1);
        padici_words_swap(order + row, order + pivot, 1);
        padici_words_swap(lu + row * n, lu + pivot * n, n);
        for (i = 0; i < n; i++)
            lu[i * n + row] = i <= row ? column[i]
                                       : padici_prime_mod(f, padici_wide_mul(column[i],
                                                                             inverse[row]));
        row++;
    }
    return row;
}

// How many of the primes have a product above 2^bits.
static uint32_t padici_primes_for(uint32_t bits)
{
    return bits / 49 + 1; // the product is above 2^(49 k) (1 - 2^-30)
}

// A batch of systems (or of determinants: sides = 0), the work space of one, and where things lie.
typedef struct padici_solving {
    uint32_t n, sides; // a large determinant has a right side made up
    uint32_t limbs;    // of q, as many as any system of this size and dtype needs
    uint32_t verify;
    uint32_t bound; // 1: Hadamard's bounds, as ranks, and nothing else
    padic_dtype dtype;
    uint64_t batch, chunk;
    padici_integers matrix, right, numerator, denominator, det, rank, status;
    padic_num_call call; // MODP: its ring, and out
    padic_context *context;
    padici_num_space space;
    uint64_t *scratch;
    uint64_t pieces; // for so many workers there is scratch
    uint64_t each; // words of scratch of one worker
    uint32_t bits[PADICI_NUM_CHUNKS], wrong[PADICI_NUM_CHUNKS];
} padici_solving;

typedef struct padici_solve_room {
    int64_t *a, *b;     // A; B
    uint64_t *w;        // (A B) in elimination, or LU
    uint64_t *inverse, *order, *column, *rest; // n words each, rest: 2 n
    uint64_t *x, *sign; // solutions, `limbs` words each: limbs of q, then |numerator|; 1: negative
    uint64_t *d;        // the denominator
    uint64_t *temp;
    padic_num_ring *ring; // of q^k
    uint64_t *block;      // for a kernel, or NULL
} padici_solve_room;

// Words for a kernel that takes systems by the vector, with those to the next 64 bytes; 0: none
// does.
static uint64_t padici_block_words(const padici_solving *s)
{
    const uint64_t n = s->n, sides = s->sides;
    if (n < 3 || n > 8 || sides > 8) return 0;
    return 8 * (n * (n + 1) + (UINT64_C(2) << n) + 1) + PADIC_NUM_SYSTEMS * (1 + sides + n * sides);
}

// The parts of a worker's scratch; its words.
static uint64_t padici_solve_lay(const padici_solving *s, uint64_t *base, padici_solve_room *m)
{
    const uint64_t n = s->n, sides = s->sides, all = n * (n + sides);
    const uint64_t words = s->call.ring ? s->call.ring->words : 1, limbs = s->limbs;
    const uint64_t sizes[11] = {n * n,     n * sides,     all * words, n,         n,
                                n,         2 * n,         n * limbs,   n,         limbs + 2,
                                ((words > limbs ? words : limbs) + 2) * 15};
    uint64_t *at[11], total = 0;
    uint32_t i;
    for (i = 0; i < 11; i++) {
        at[i] = base ? base + total : NULL;
        total += sizes[i];
    }
    m->a = (int64_t *)at[0];
    m->b = (int64_t *)at[1];
    m->w = at[2];
    m->inverse = at[3];
    m->order = at[4];
    m->column = at[5];
    m->rest = at[6];
    m->x = at[7];
    m->sign = at[8];
    m->d = at[9];
    m->temp = at[10];
    m->ring = (padic_num_ring *)(void *)(base ? base + total : NULL);
    total += (sizeof *m->ring + 7) / 8;
    m->block = base && padici_block_words(s) ? base + total : NULL;
    return total + padici_block_words(s);
}

// x / d where d divides x, |x / d| < 2^63.
PADICI_INLINE int64_t padici_divide_exact(padici_wide x, int64_t d)
{
    const uint32_t shift = padici_ctz64((uint64_t)d);
    const uint64_t odd = (uint64_t)(d / (int64_t)(UINT64_C(1) << shift));
    return (int64_t)(padici_wide_shr(x, shift).low * padici_inverse64(odd));
}

// One right side after padici_bareiss(): det x_i = (det b_i - sum of a_ij (det x_j)) / a_ii from
// the last row up, all of them minors; then the common factor goes.
static void padici_small_side(const padici_solving *s, padici_solve_room *m, uint32_t side)
{
    const uint32_t n = s->n, cols = n + s->sides;
    const int64_t *const w = (const int64_t *)m->w, det = w[(n - 1) * cols + n - 1];
    int64_t *const y = (int64_t *)m->column;
    uint64_t g = padici_num_magnitude(det);
    uint32_t i, j;
    for (i = n; i-- > 0;) {
        const int64_t *const row = w + i * cols;
        padici_wide x = padici_wide_mul_signed(det, row[n + side]);
        for (j = i + 1; j < n; j++)
            x = padici_wide_sub(x, padici_wide_mul_signed(row[j], y[j]));
        y[i] = i + 1 == n ? row[n + side] : padici_divide_exact(x, row[i]);
    }
    for (i = 0; i < n && g > 1; i++) g = padici_num_gcd(g, padici_num_magnitude(y[i]));
    for (i = 0; i < n; i++) {
        const uint64_t x = padici_num_magnitude(y[i]);
        m->x[i] = g > 1 ? x / g : x;
        m->sign[i] = (y[i] < 0) != (det < 0);
    }
    m->d[0] = padici_num_magnitude(det) / g;
}

// x = sum q^i (A^-1 r_i mod q) for one right side: k limbs of each unknown.
static void padici_lift(const padici_prime *f, const padici_solving *s, padici_solve_room *m,
                        uint32_t side, uint32_t k)
{
    const uint32_t n = s->n;
    uint64_t *const y = m->column;
    const uint64_t low = padici_inverse64(f->q); // of q modulo 2^128: one more step
    padici_wide inverse = padici_wide_mul(low, f->q), acc;
    uint32_t i, j, step;
    inverse = padici_wide_sub(padici_wide_make(2, 0), inverse);
    inverse = padici_wide_mul_low(padici_wide_make(low, 0), inverse);
    for (i = 0; i < n; i++)
        padici_wide_store(m->rest + 2 * i, padici_wide_signed(m->b[i * s->sides + side]));
    for (step = 0; step < k; step++) {
        for (i = 0; i < n; i++) {
            const uint64_t r = padici_prime_of(f, padici_wide_load(m->rest + 2 * m->order[i]));
            acc = padici_dot(m->w + i * n, y, i);
            y[i] = padici_prime_sub(f, r, padici_prime_mod(f, acc));
        }
        for (i = n; i-- > 0;) {
            acc = padici_dot(m->w + i * n + i + 1, y + i + 1, n - 1 - i);
            acc.low = padici_prime_sub(f, y[i], padici_prime_mod(f, acc));
            y[i] = padici_prime_mod(f, padici_wide_mul(acc.low, m->inverse[i]));
            m->x[i * k + step] = y[i];
        }
        for (i = 0; i < n; i++) {
            acc = padici_wide_load(m->rest + 2 * i);
            for (j = 0; j < n; j++)
                acc = padici_wide_sub(acc, padici_wide_mul_signed(m->a[i * n + j], (int64_t)y[j]));
            padici_wide_store(m->rest + 2 * i, padici_wide_mul_low(acc, inverse));
        }
    }
}

// The solution from its limbs: the least d with all d x_i below 2^bits_n, found one x_i after the
// other, then the numerators d x_i. That they exist is proven; 0 if the proof is wrong.
static int padici_solve_join(padici_solve_room *m, uint32_t n, uint32_t k,
                             const padici_bounds *bounds)
{
    padici_joint j;
    uint32_t i;
    padici_joint_begin(&j, m->ring, bounds, m->temp, m->d, k + 2);
    for (i = 0; i < n; i++)
        if (!padici_joint_numerator(&j, m->x + i * k, k) && !padici_joint_extend(&j)) return 0;
    for (i = 0; i < n; i++) {
        const int sign = padici_joint_numerator(&j, m->x + i * k, k);
        if (!sign) return 0;
        m->sign[i] = sign < 0;
        padici_words_copy(m->x + i * k, k, j.x, j.words);
    }
    return 1;
}

// A x = d b, exactly?
static int padici_verify(const padici_solving *s, const padici_solve_room *m, uint32_t side,
                         uint32_t words)
{
    const uint32_t n = s->n, all = words + 2;
    uint64_t *const sum = m->temp;
    uint32_t i, j;
    for (i = 0; i < n; i++) { // modulo 2^(64 all), far beyond either side
        memset(sum, 0, all * sizeof *sum);
        for (j = 0; j <= n; j++) {
            const int64_t a = j < n ? m->a[i * n + j] : m->b[i * s->sides + side];
            const uint64_t *const x = j < n ? m->x + j * words : m->d;
            const int negative = (a < 0) != (j < n ? m->sign[j] != 0 : 1);
            const uint64_t carry =
                negative ? padici_words_sub(sum, x, padici_num_magnitude(a), words)
                         : padici_words_add(sum, x, padici_num_magnitude(a), words);
            uint64_t c = sum[words];
            sum[words] = negative ? c - carry : c + carry;
            sum[words + 1] += negative ? 0 - (uint64_t)(c < carry) : sum[words] < c;
        }
        if (padici_words_bits(sum, all)) return 0;
    }
    return 1;
}

// |det A| in m->x; 1: it is negative. A divisor d is known, the denominator m->d of a right side (1
// without one). c = det A / d by CRT, modulo primes that do not divide d, M their product so far:
// Garner's step c += M ((det / d - c) / M mod q). Either fits in `words` words.
static int padici_det_modular(const padici_solving *s, padici_solve_room *m, uint32_t bits,
                              uint32_t words)
{
    uint64_t *const x = m->temp, *const product = x + words, *const rest = product + words;
    const uint32_t known = padici_words_bits(m->d, words) - 1; // d >= 2^known
    const uint32_t count = padici_primes_for(bits > known ? bits - known + 1 : 1);
    uint32_t i, used = 0;
    int negative;
    memset(x, 0, 2 * words * sizeof *x);
    product[0] = 1;
    for (i = 0; used < count; i++) {
        const padici_prime f = padici_prime_make(i);
        const uint64_t d = padici_words_divide(NULL, m->d, words, f.q);
        uint64_t step, det, done = padici_words_divide(NULL, product, words, f.q);
        if (!d) continue;
        if (padici_lu(&f, m->a, s->n, m->w, m->inverse, m->order, m->column, &det) < s->n) det = 0;
        done = padici_prime_mod(&f, padici_wide_mul(done, d)); // (det - c d) / (M d)
        step = padici_words_divide(NULL, x, words, f.q);
        step = padici_prime_sub(&f, det, padici_prime_mod(&f, padici_wide_mul(step, d)));
        step = padici_prime_mod(&f, padici_wide_mul(step, padici_inverse_mod(done, f.q)));
        padici_words_add(x, product, step, words);
        padici_words_scale(product, f.q, 0, words);
        used++;
    }
    padici_words_copy(rest, words, product, words); // the other residue, M - c
    padici_words_sub(rest, x, 1, words);
    negative = padici_words_less(rest, x, words);
    padici_words_mul(rest + words, negative ? rest : x, words, m->d, words);
    padici_words_copy(m->x, words, rest + words, words);
    return negative;
}

// MODP: Gauss and Jordan with units as pivots; the status bits.
static uint32_t padici_solve_modp(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                  padic_num_call *call)
{
    const padic_num_ring *r = s->call.ring;
    const uint32_t n = s->n, cols = n + s->sides, words = r->words;
    const uint64_t width = (uint64_t)cols * words;
    uint64_t *const temp = m->temp, *const factor = temp + 2 * words, *const u = factor + words;
    uint32_t row = 0, c, i, j;
    padici_cell x = {0, 0, 0, NULL};
    for (i = 0; i < n; i++)
        for (j = 0; j < cols; j++) {
            const int64_t a = j < n ? m->a[i * n + j] : m->b[i * s->sides + j - n];
            uint64_t *const e = m->w + i * width + j * words;
            padici_ring_set(r, e, padici_num_magnitude(a));
            if (a < 0) padici_ring_neg(r, e, e);
        }
    for (c = 0; c < n; c++) {
        uint64_t *const top = m->w + row * width;
        for (i = row; i < n && !padici_ring_digit(r, m->w + i * width + c * words); i++) {}
        if (i == n) continue;
        padici_words_swap(top, m->w + i * width, width);
        padici_ring_inv(r, factor, top + c * words, temp);
        for (j = c; j < cols; j++) {
            padici_ring_mul(r, u, top + j * words, factor);
            padici_ring_copy(r, top + j * words, u);
        }
        for (i = 0; i < n; i++) {
            uint64_t *const other = m->w + i * width;
            if (i == row) continue;
            padici_ring_copy(r, factor, other + c * words);
            for (j = c; j < cols; j++) {
                padici_ring_mul(r, u, factor, top + j * words);
                padici_ring_sub(r, other + j * words, other + j * words, u);
            }
        }
        row++;
    }
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = row;
    for (i = 0; i < n * s->sides; i++) {
        x.u = m->w + i / s->sides * width + (n + i % s->sides) * words;
        x.n = r->precision;
        x.v = 0;
        x.bits = row < n ? PADIC_NUM_NONUNIT : 0;
        if (row < n) memset(x.u, 0, words * sizeof *x.u);
        padici_cell_store(call, index * n * s->sides + i, &x);
    }
    return row < n ? PADIC_NUM_NONUNIT : 0;
}

// det A after padici_bareiss(), with the sign of its row exchanges, or (sign 0) modulo primes.
static uint32_t padici_det_write(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                 int sign)
{
    const uint32_t n = s->n, last = (n - 1) * (n + s->sides) + n - 1;
    uint32_t words = 1, bits;
    int negative;
    if (sign) {
        const int64_t det = ((const int64_t *)m->w)[last];
        m->x[0] = padici_num_magnitude(det);
        negative = (det < 0) != (sign < 0);
    } else {
        bits = padici_hadamard(m->a, PADIC_I64, 0, n, 1);
        words = padici_primes_for(bits + 1) * 49 / 64 + 2;
        if (!s->sides) memset(m->d, 0, words * sizeof *m->d);
        if (!s->sides) m->d[0] = 1;
        negative = padici_det_modular(s, m, bits, words);
    }
    return padici_integer_set(&s->det, index, m->x, words, negative);
}

// Chooses the prime of a large system. 0: det A = 0, and *rank is proven by minors modulo primes
// whose product is beyond their bound.
static int padici_solve_prime(const padici_solving *s, padici_solve_room *m, uint32_t bits,
                              padici_prime *f, uint32_t *rank)
{
    const uint32_t count = padici_primes_for(bits);
    uint32_t i;
    uint64_t det;
    *rank = 0;
    for (i = 0; i < count && *rank < s->n; i++) {
        uint32_t here;
        *f = padici_prime_make(i);
        here = padici_lu(f, m->a, s->n, m->w, m->inverse, m->order, m->column, &det);
        if (here > *rank) *rank = here;
    }
    return *rank == s->n;
}

// Writes one right side from m->x, m->sign and m->d, `words` words each (no solution: 0).
static uint32_t padici_side_write(const padici_solving *s, const padici_solve_room *m,
                                  uint64_t index, uint32_t side, uint32_t words)
{
    const uint64_t first = index * s->n * s->sides + side;
    uint32_t i, bits;
    if (!s->numerator.data) return 0;
    bits = padici_integer_set(&s->denominator, index * s->sides + side, m->d, words, 0);
    for (i = 0; i < s->n; i++)
        bits |= padici_integer_set(&s->numerator, first + i * s->sides, m->x + i * words, words,
                                   m->sign[i] != 0);
    for (i = 0; bits && i < s->n; i++) // one too wide: none
        padici_integer_set(&s->numerator, first + i * s->sides, NULL, 0, 0);
    if (bits)
        padici_integer_set(&s->denominator, index * s->sides + side, NULL, 0, 0);
    return bits;
}

// A quick bound: entries below 2^b, so minors below (2^b sqrt(n))^n.
static int padici_solve_tiny(const padici_solving *s, const padici_solve_room *m)
{
    const uint32_t n = s->n;
    uint64_t a = 0, b = 0;
    uint32_t i, log = 0;
    for (i = 0; i < n * n; i++) a |= padici_num_magnitude(m->a[i]);
    for (i = 0; i < n * s->sides; i++) b |= padici_num_magnitude(m->b[i]);
    while (1u << log < n) log++;
    a = 64 - padici_clz64(a | 1);
    b = 64 - padici_clz64(b | 1);
    return (n - 1) * a + (a > b ? a : b) + (n * log + 1) / 2 <= 62;
}

static uint32_t padici_solve_large(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                   const padici_scale *others, uint32_t all, uint32_t *rank,
                                   uint32_t *wrong)
{
    padici_prime f = padici_prime_make(0);
    uint32_t side, bits = 0;
    if (!padici_solve_prime(s, m, all, &f, rank)) return PADIC_NUM_DIV0;
    for (side = 0; side < s->sides; side++) {
        const padici_scale b = padici_norm(m->b, PADIC_I64, side, s->n, s->sides, 1);
        padici_bounds bounds = {0, 0, 0, {0, 0}, {0, 0}, 0};
        padic_num_ring_options options = {PADIC_NUM_RX, 0};
        uint32_t k;
        bounds.bits_n = padici_scale_bits(padici_scale_mul(*others, b));
        bounds.bits_d = all;
        k = padici_primes_for(bounds.bits_n + all + 1);
        padici_lift(&f, s, m, side, k);
        padici_ring_make(m->ring, f.q, k, &options, 0);
        if (!padici_solve_join(m, s->n, k, &bounds) || (s->verify && !padici_verify(s, m, side, k)))
            *wrong = 1;
        bits |= padici_side_write(s, m, index, side, k);
    }
    if (s->det.data) bits |= padici_det_write(s, m, index, 0);
    return bits;
}

// One system, or one determinant. Returns the status bits.
static uint32_t padici_solve_one(const padici_solving *s, padici_solve_room *m, uint64_t index,
                                 padic_num_call *call, uint32_t *wrong)
{
    const uint32_t n = s->n, sides = s->sides, cols = n + sides;
    padici_scale others = {0, 0};
    uint32_t i, j, rank = 0, all = 0, bits = 0;
    int tiny, sign;
    for (i = 0; i < n * n; i++)
        m->a[i] = padici_integer(s->matrix.data, s->dtype, index * n * n + i);
    for (i = 0; i < n * sides; i++)
        m->b[i] = s->right.data ? padici_integer(s->right.data, s->dtype, index * n * sides + i)
                                : i == 0;
    if (call->ring) return padici_solve_modp(s, m, index, call);
    tiny = padici_solve_tiny(s, m);
    if (!tiny && !sides) {
        tiny = padici_hadamard(m->a, PADIC_I64, 0, n, 1) <= 63;
    } else if (!tiny) {
        all = padici_solve_bits(m->a, n, &others);
        tiny = all <= 63;
        for (i = 0; tiny && i < sides; i++)
            tiny = padici_scale_bits(padici_scale_mul(
                        others, padici_norm(m->b, PADIC_I64, i, n, sides, 1))) <= 63;
    }
    if (tiny) {
        int64_t *const w = (int64_t *)m->w;
        for (i = 0; i < n; i++)
            for (j = 0; j < cols; j++)
                w[i * cols + j] = j < n ? m->a[i * n + j] : m->b[i * sides + j - n];
        rank = padici_bareiss(w, n, cols, &sign);
        if (rank < n && sides) bits = PADIC_NUM_DIV0;
        for (i = 0; rank == n && i < sides; i++) {
            padici_small_side(s, m, i);
            if (s->verify && !padici_verify(s, m, i, 1)) *wrong = 1;
            bits |= padici_side_write(s, m, index, i, 1);
        }
        if (s->det.data) bits |= padici_det_write(s, m, index, sign);
    } else if (sides) {
        bits = padici_solve_large(s, m, index, &others, all, &rank, wrong);
    } else {
        bits = padici_det_write(s, m, index, 0);
    }
    if (bits & PADIC_NUM_DIV0) {
        for (i = 0; i < sides; i++) padici_side_write(s, m, index, i, 0);
        if (s->det.data) padici_integer_set(&s->det, index, NULL, 0, 0);
    }
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = rank;
    return s->numerator.data ? bits : bits & ~(uint32_t)PADIC_NUM_DIV0;
}

// Systems [index, index + count) by a kernel. 0: there is none.
static int padici_solve_block(const padici_solving *s, const padici_solve_room *m, uint64_t index,
                              uint32_t count, padic_num_systems *k)
{
    const size_t n = s->n, size = padic_dtype_size(s->dtype);
    uint64_t *w;
    if (!m->block || count < 3) return 0; // a vector takes as long as three systems, or more
    w = (uint64_t *)(void *)(((uintptr_t)m->block + 63) & ~(uintptr_t)63);
    memset(k, 0, sizeof *k);
    k->matrix = (const char *)s->matrix.data + index * n * n * size;
    if (s->sides) k->right = (const char *)s->right.data + index * n * s->sides * size;
    k->dtype = s->dtype;
    k->n = s->n;
    k->sides = s->sides;
    k->count = count;
    k->reduce = !s->call.ring;
    k->work = w;
    k->det = (int64_t *)(w + 8 * (n * (n + 1) + ((size_t)2 << n)));
    k->denominator = k->det + PADIC_NUM_SYSTEMS;
    k->numerator = k->denominator + (size_t)PADIC_NUM_SYSTEMS * s->sides;
    return padici_kernel(s->context, PADIC_KERNEL_NUM_SYSTEMS, k) == PADIC_OK;
}

// x of system k of a block modulo p^N, det A being a unit. 0: it is none.
static int padici_done_modp(const padici_solving *s, padici_solve_room *m, uint64_t index,
                            const padic_num_systems *k, uint32_t at, padic_num_call *call)
{
    const padic_num_ring *r = s->call.ring;
    const uint32_t words = r->words, all = s->n * s->sides;
    uint64_t *const inverse = m->temp + 2 * words, *const y = inverse + words;
    uint32_t i;
    padici_cell x = {0, 0, 0, NULL};
    padici_ring_set(r, y, padici_num_magnitude(k->det[at]));
    if (!padici_ring_digit(r, y)) return 0;
    padici_ring_inv(r, inverse, y, m->temp);
    x.n = r->precision;
    x.u = m->w;
    for (i = 0; i < all; i++) {
        const int64_t a = k->numerator[i * PADIC_NUM_SYSTEMS + at];
        padici_ring_set(r, y, padici_num_magnitude(a));
        if (a < 0) padici_ring_neg(r, y, y);
        padici_ring_mul(r, m->w, y, inverse);
        padici_cell_store(call, index * all + i, &x);
    }
    return 1;
}

// Writes system `at` of a block, the system `index` of all. 0: it is to be done alone.
static int padici_solve_done(const padici_solving *s, padici_solve_room *m, uint64_t index,
                             const padic_num_systems *k, uint32_t at, padic_num_call *call,
                             uint32_t *bits, uint32_t *wrong)
{
    const uint32_t n = s->n, sides = s->sides;
    const int64_t det = k->det[at];
    uint32_t i, side;
    *bits = 0;
    if (!det || (call->ring && !padici_done_modp(s, m, index, k, at, call))) return 0;
    for (i = 0; s->verify && i < n * (n + sides); i++)
        if (i < n * n)
            m->a[i] = padici_integer(s->matrix.data, s->dtype, index * n * n + i);
        else
            m->b[i - n * n] =
                padici_integer(s->right.data, s->dtype, index * n * sides + i - n * n);
    for (side = 0; !call->ring && side < sides; side++) {
        const int64_t *const x = k->numerator + side * PADIC_NUM_SYSTEMS + at;
        const int64_t d = k->denominator[side * PADIC_NUM_SYSTEMS + at];
        const uint64_t first = index * n * sides + side;
        const uint32_t step = sides * PADIC_NUM_SYSTEMS;
        if (!s->verify && s->numerator.dtype == PADIC_I64 && s->denominator.dtype == PADIC_I64) {
            ((int64_t *)s->denominator.data)[index * sides + side] = d; // mostly
            for (i = 0; i < n; i++)
                ((int64_t *)s->numerator.data)[first + i * sides] = x[i * step];
            continue;
        }
        m->d[0] = (uint64_t)d;
        for (i = 0; i < n; i++) {
            m->x[i] = padici_num_magnitude(x[i * step]);
            m->sign[i] = x[i * step] < 0;
        }
        if (s->verify && !padici_verify(s, m, side, 1)) *wrong = 1;
        *bits |= padici_side_write(s, m, index, side, 1);
    }
    m->x[0] = padici_num_magnitude(det);
    if (s->det.data) *bits |= padici_integer_set(&s->det, index, m->x, 1, det < 0);
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = n;
    return 1;
}

static void padici_solve_chunk(void *arg, uint32_t index)
{
    padici_solving *s = (padici_solving *)arg;
    padic_num_call call = s->call;
    padic_num_systems k;
    padici_solve_room m;
    uint64_t i = index * s->chunk, end = i + s->chunk < s->batch ? i + s->chunk : s->batch;
    uint32_t at = 0, count = 0, bits;
    int block = 0;
    for (; s->bound && i < end; i++)
        ((uint32_t *)s->rank.data)[i] =
            padici_hadamard(s->matrix.data, s->dtype, i * s->n * s->n, s->n, 0);
    if (s->bound) return;
    padici_solve_lay(s, s->scratch + index * s->each, &m);
    for (; i < end; i++, at++) {
        if (at == count) {
            count = end - i < PADIC_NUM_SYSTEMS ? (uint32_t)(end - i) : PADIC_NUM_SYSTEMS;
            block = padici_solve_block(s, &m, i, count, &k);
            at = 0;
        }
        if (!block || !padici_solve_done(s, &m, i, &k, at, &call, &bits, &s->wrong[index]))
            bits = padici_solve_one(s, &m, i, &call, &s->wrong[index]);
        if (s->status.data) ((uint8_t *)s->status.data)[i] = (uint8_t)bits;
        s->bits[index] |= bits;
    }
}

// The sizes of a batch, and how many limbs its systems may need: one more than Hadamard's bound
// asks for, since each step to it rounds up.
static padic_result padici_solve_sizes(padic_context *context, padici_solving *s,
                                       const padic_tensor *matrix, const padic_tensor *right)
{
    const uint32_t rank = matrix->rank;
    uint64_t all;
    uint32_t log = 0, bits, axis;
    padic_result result = padici_tensor_check_shape(matrix, &all);
    memset(s, 0, sizeof *s);
    if (result) return padici_blame(context, result, "matrix", NULL, NULL);
    if (matrix->dtype != PADIC_I32 && matrix->dtype != PADIC_I64)
        return padici_blame(context, PADIC_ERROR_DTYPE, "matrix", NULL, "must be I32 or I64");
    if (rank < 2 || rank > 3 || matrix->shape[rank - 1] != matrix->shape[rank - 2])
        return padici_blame(context, PADIC_ERROR_MISMATCH, "matrix", NULL,
                            "must have the shape (n, n) or (batch, n, n)");
    if (!matrix->shape[rank - 1] || matrix->shape[rank - 1] > 64)
        return padici_blame(context, PADIC_ERROR_LIMIT, "matrix", NULL,
                            "must be n x n with n from 1 to 64");
    s->n = (uint32_t)matrix->shape[rank - 1];
    s->batch = rank == 3 ? matrix->shape[0] : 1;
    s->dtype = matrix->dtype;
    if (right) {
        int fits = 1;
        if ((result = padici_tensor_check_shape(right, &all)) != PADIC_OK)
            return padici_blame(context, result, "right", NULL, NULL);
        if (right->dtype != matrix->dtype)
            return padici_blame(context, PADIC_ERROR_DTYPE, "right", NULL,
                                "must have the dtype of `matrix`");
        if (right->rank != rank && right->rank != rank - 1) fits = 0;
        for (axis = 0; fits && axis + 1 < rank; axis++)
            fits = right->shape[axis] == matrix->shape[axis];
        if (!fits)
            return padici_blame(context, PADIC_ERROR_MISMATCH, "right", NULL,
                                "must have the shape (n), (n, sides) or those with `batch` before");
        all = right->rank == rank ? right->shape[rank - 1] : 1;
        if (!all || all > 1u << 20)
            return padici_blame(context, PADIC_ERROR_LIMIT, "right", NULL,
                                "must have 1 to 2^20 sides");
        s->sides = (uint32_t)all;
    } else if (s->n >= 24) {
        s->sides = 1; // its denominator is most of det A, and costs less than so many primes
    }
    while (1u << log < s->n) log++;
    bits = s->n * (s->dtype == PADIC_I32 ? 31 : 63) + (s->n * log + 1) / 2 + 1;
    s->limbs = padici_primes_for((s->sides ? 2 * bits : bits) + 2) + 1;
    return PADIC_OK;
}

// The tensors of a call: as integers all of them, inputs too.
static padic_result padici_solve_tensors(padic_context *context, const padic_num_solve_desc *desc,
                                         padici_solving *s, padici_num_range *list,
                                         uint32_t *ranges)
{
    const uint32_t wide = PADICI_SIGNED | PADICI_UNSIGNED;
    const uint32_t rank = 1u << PADIC_U32 | 1u << PADIC_I32;
    const uint64_t sides = s->batch * s->sides, count = sides * s->n;
    const uint32_t det_only = !desc->right.dtype;
    const struct {
        const padic_tensor *t;
        uint64_t count;
        uint32_t allowed, optional;
        padici_integers *x;
        const char *name;
    } all[7] = {
        {&desc->matrix, s->batch * s->n * s->n, 1u << s->dtype, 0, &s->matrix, "matrix"},
        {&desc->right, count, 1u << s->dtype, det_only, &s->right, "right"},
        {&desc->numerator, count, wide, det_only || s->call.ring, &s->numerator, "numerator"},
        {&desc->denominator, sides, wide, det_only || s->call.ring, &s->denominator, "denominator"},
        {&desc->det, s->batch, wide, !det_only, &s->det, det_only ? "out" : "det"},
        {&desc->rank, s->batch, rank, 1, &s->rank, "rank"},
        {&desc->status, s->batch, 1u << PADIC_U8, 1, &s->status, "status"}};
    uint32_t i;
    for (i = 0; i < 7; i++) {
        padic_result result = padici_integers_of(context, &s->space, all[i].t, all[i].count,
                                                 all[i].allowed, all[i].x, list, ranges);
        if (!result && s->batch && !all[i].optional && !all[i].x->data)
            result = PADIC_ERROR_ARGUMENT;
        if (result) return padici_blame(context, result, all[i].name, NULL, NULL);
        if (i < 2 && *ranges) list[*ranges - 1].out = 0; // inputs
    }
    return PADIC_OK;
}

// Sizes, and the ring of MODP. `right` NULL: determinants.
static padic_result padici_solve_begin(padic_context *context, padici_solving *s,
                                       const padic_num_solve_desc *desc, const padic_tensor *right)
{
    const padic_num_array *out = &desc->out;
    const padic_result result = padici_solve_sizes(context, s, &desc->matrix, right);
    if (result || !out->ring) return result;
    if (!padici_ring_is(out->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "out", "ring",
                            "was not made by num_ring_init");
    if (out->ring->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "out", "ring",
                            "has a radix that is no prime");
    if (out->model != PADIC_NUM_RING)
        return padici_blame(context, PADIC_ERROR_RING, "out", "model", "must be RING");
    if (out->count != s->batch * s->n * s->sides)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", "count",
                            "must be the number of elements of `right`");
    s->call.ring = out->ring;
    return PADIC_OK;
}

// All systems, in host memory.
static void padici_solve_pieces(padici_solving *s, uint32_t *bits, uint32_t *wrong)
{
    const padic_jobs *jobs = padici_jobs(s->context);
    uint64_t pieces = jobs && jobs->workers > 1 ? jobs->workers : 1;
    uint32_t i;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    if (pieces > s->pieces) pieces = s->pieces;
    s->chunk = (s->batch + pieces - 1) / pieces;
    padici_parallel(jobs, (uint32_t)((s->batch + s->chunk - 1) / s->chunk), padici_solve_chunk, s);
    for (i = 0; i < PADICI_NUM_CHUNKS; i++) {
        *bits |= s->bits[i];
        *wrong |= s->wrong[i];
    }
}

// All systems of a device, on copies.
static padic_result padici_solve_staged(padici_solving *s, padici_num_task *task, uint32_t *bits,
                                        uint32_t *wrong)
{
    padic_context *const context = s->context;
    void **pointers[8];
    uint64_t at[PADICI_NUM_PLANES + 2], size = 0;
    uint32_t i, block;
    char *base;
    padic_result result;
    if (context->strict)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, "num_solve",
                              "not done by the device, and this context is strict");
    for (i = 0; i < task->range_count; i++) {
        at[i] = UINT64_MAX;
        if (!((uint64_t)task->ranges[i].begin >> 56) ||
            (uint64_t)task->ranges[i].begin >> 56 > s->space.mems)
            continue;
        at[i] = size;
        size += (padici_num_range_size(&task->ranges[i]) + 63) & ~UINT64_C(63);
    }
    result = padici_pool_take(context, &context->pools[1], size, &block);
    if (result) return result;
    base = (char *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_num_copies(task, base, at, 0);
    pointers[0] = &s->matrix.data;
    pointers[1] = &s->right.data;
    pointers[2] = &s->numerator.data;
    pointers[3] = &s->denominator.data;
    pointers[4] = &s->det.data;
    pointers[5] = &s->rank.data;
    pointers[6] = &s->status.data;
    pointers[7] = &s->call.out.unit;
    for (i = 0; i < 8; i++) padici_num_redirect(task, base, at, pointers[i]);
    if (!result) padici_solve_pieces(s, bits, wrong);
    if (!result) result = padici_num_copies(task, base, at, 1);
    padici_pool_give(context, &context->pools[1], block);
    if (!result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "num: an operation on buffers was done on the host (said once)");
    return result;
}

// All systems of a device, by its driver or on copies.
static PADICI_NOINLINE padic_result padici_solve_device(padici_solving *s,
                                                        const padici_num_range *list,
                                                        uint32_t ranges, uint32_t report,
                                                        uint32_t *bits, uint32_t *wrong)
{
    padici_num_task task;
    padic_result result;
    memset(&task, 0, sizeof task);
    task.context = s->context;
    task.call = s->call;
    task.call.kernel = PADIC_KERNEL_NUM_SOLVE;
    task.call.options = s;
    task.space = s->space;
    task.report = report || s->verify;
    task.count = s->batch;
    memcpy(task.ranges, list, ranges * sizeof *list);
    task.range_count = ranges;
    result = padici_drive(s->context, PADIC_KERNEL_NUM_SOLVE, &task, 1);
    if (!result) result = padici_drive(s->context, PADIC_KERNEL_NUM_SOLVE, &task, 0);
    *bits = task.call.bits & (UINT32_MAX >> 1);
    *wrong = task.call.bits >> 31;
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_solve_staged(s, &task, bits, wrong);
    if (!result) s->context->stats.kernels.calls++;
    return result;
}

// Checks everything but `desc` itself, then runs.
static padic_result padici_solve_run(padic_context *context, const char *name,
                                     const padic_num_solve_desc *desc, const padic_tensor *right)
{
    const uint64_t size = desc->scratch_size / 8;
    padici_num_range list[16];
    padici_solving s;
    padici_solve_room m;
    uint32_t bits = 0, wrong = 0, ranges = 0;
    padic_result result = padici_solve_begin(context, &s, desc, right);
    if (!result) result = padici_solve_tensors(context, desc, &s, list, &ranges);
    if (!result && desc->verify > 1)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "verify", NULL, "must be 0 or 1");
    if (!result && s.call.ring) {
        result = padici_num_planes_in(context, &s.space, &desc->out, &s.call.out);
        padici_blame(context, result, "out", NULL, NULL);
        padici_num_ranges(s.call.ring, &s.call.out, desc->out.count, 1, list, &ranges);
    }
    s.each = padici_solve_lay(&s, NULL, &m);
    if (!result && (!desc->scratch || size < s.each))
        result = padici_blame(context, PADIC_ERROR_CAPACITY, "scratch", NULL,
                              "is missing or too small: see num_solve_bound or num_det_bound");
    if (!result && !padici_aligned(desc->scratch, 8))
        result = padici_blame(context, PADIC_ERROR_ALIGNMENT, "scratch", NULL, NULL);
    padici_num_range_add(list, &ranges, desc->scratch, desc->scratch_size, 0, 1);
    padici_num_range_add(list, &ranges, desc->sticky, sizeof *desc->sticky, 0, 1);
    if (!result && s.space.mems && s.space.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                              "tensors in host memory and on a device in one call");
    if (!result) result = padici_num_overlap(list, ranges);
    if (result) return padici_fault(context, result, name);
    if (!s.batch) return PADIC_OK;
    s.context = context;
    s.verify = desc->verify;
    s.scratch = (uint64_t *)desc->scratch;
    s.pieces = size / s.each;
    if (s.space.mems)
        result = padici_solve_device(&s, list, ranges, desc->sticky || !s.status.data, &bits,
                                     &wrong);
    else
        padici_solve_pieces(&s, &bits, &wrong);
    if (result) return result;
    if (desc->sticky) *desc->sticky |= bits;
    if (wrong) return padici_fail_in(context, PADIC_ERROR_SELF_TEST, name, "A x is not b: a fault");
    if (bits & PADIC_NUM_HARD && !desc->sticky && !s.status.data)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, name,
                              "a system has no result, and there is neither status nor sticky to "
                              "say which");
    return PADIC_OK;
}

static PADICI_NOINLINE size_t padici_solve_bound(const padic_num_solve_desc *desc,
                                                 const padic_tensor *right)
{
    padici_solving s;
    padici_solve_room m;
    uint64_t words;
    if (padici_solve_begin(NULL, &s, desc, right)) return 0;
    words = padici_solve_lay(&s, NULL, &m);
    return words > (size_t)-1 / 16 ? 0 : (size_t)words * sizeof(uint64_t);
}

PADIC_API size_t padic_num_solve_bound(const padic_num_solve_desc *desc)
{
    return desc ? padici_solve_bound(desc, &desc->right) : 0;
}

PADIC_API padic_result padic_num_solve(padic_context *context, const padic_num_solve_desc *desc)
{
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_solve", "desc is NULL");
    return padici_solve_run(context, "num_solve", desc, &desc->right);
}

// A determinant is a system without right sides.
static padic_num_solve_desc padici_det_desc(const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    memset(&solve, 0, sizeof solve);
    solve.matrix = desc->matrix;
    solve.det = desc->out;
    solve.status = desc->status;
    solve.sticky = desc->sticky;
    solve.scratch = desc->scratch;
    solve.scratch_size = desc->scratch_size;
    return solve;
}

PADIC_API size_t padic_num_det_bound(const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    if (!desc) return 0;
    solve = padici_det_desc(desc);
    return padici_solve_bound(&solve, NULL);
}

PADIC_API padic_result padic_num_det(padic_context *context, const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_det", "desc is NULL");
    solve = padici_det_desc(desc);
    return padici_solve_run(context, "num_det", &solve, NULL);
}

PADIC_API padic_result padic_num_hadamard(padic_context *context, const padic_tensor *bits,
                                          const padic_tensor *matrix)
{
    padici_num_range list[2];
    padici_solving s;
    uint32_t ranges = 0, unused = 0;
    padic_result result;
    if (!bits || !matrix)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hadamard",
                              !bits ? "bits is NULL" : "matrix is NULL");
    result = padici_solve_sizes(context, &s, matrix, NULL);
    if (!result) {
        result = padici_integers_of(context, &s.space, matrix, s.batch * s.n * s.n, 1u << s.dtype,
                                    &s.matrix, list, &ranges);
        if (!result && s.batch && !s.matrix.data) result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, "matrix", NULL, NULL);
    }
    if (!result) {
        result = padici_integers_of(context, &s.space, bits, s.batch,
                                    1u << PADIC_U32 | 1u << PADIC_I32, &s.rank, list, &ranges);
        if (!result && s.batch && !s.rank.data) result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, "bits", NULL, NULL);
    }
    if (!result && s.space.mems && s.space.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "bits", NULL,
                              "and matrix lie apart, in host memory and on a device");
    if (!result && ranges) list[0].out = 0; // the matrix
    if (!result) result = padici_num_overlap(list, ranges);
    if (result) return padici_fault(context, result, "num_hadamard");
    if (!s.batch) return PADIC_OK;
    s.context = context;
    s.bound = 1;
    s.pieces = PADICI_NUM_CHUNKS;
    if (s.space.mems) return padici_solve_device(&s, list, ranges, 0, &unused, &unused);
    padici_solve_pieces(&s, &unused, &unused);
    return PADIC_OK;
}

// Rational reconstruction of arrays

// What a loop finds in call->options.
typedef struct padici_rational {
    padic_num_rational_mode mode;
    padici_bounds bounds;
    uint64_t vector;            // COMMON
    uint64_t fixed[2], unit[2]; // FIXED: d, and d / p^fixed_v
    uint32_t fixed_v;
    uint32_t limbs[2]; // numerators and denominators: planes of words, 0: plain integers
    padic_dtype dtype[2];
    uint64_t stride; // between planes
} padici_rational;

// Work space for one number, 24 parts, in the scratch of long numbers or here.
#define PADICI_EXACT_WORDS 12u
typedef struct padici_exact {
    uint64_t *at; // a residue, 15 parts of a padici_joint; over that from part 9 on 7 of n, 7 of d;
                  // and d of the joint
    uint32_t part;
    padici_big n, d;
    padici_joint joint;
    uint64_t local[24 * (PADICI_EXACT_WORDS + 2)];
} padici_exact;

static void padici_exact_begin(padici_exact *e, uint32_t words, void *scratch)
{
    e->at = words > PADICI_EXACT_WORDS ? (uint64_t *)scratch : e->local;
    e->part = words > PADICI_EXACT_WORDS ? words : PADICI_EXACT_WORDS + 2;
    e->n.w = e->at + 9 * e->part;
    e->d.w = e->at + 16 * e->part;
    e->n.n = e->d.n = 0;
    e->n.room = e->d.room = 7 * e->part;
}

static void padici_exact_set(padici_big *b, const uint64_t *x, uint32_t n)
{
    memmove(b->w, x, n * sizeof *x);
    b->n = n;
    padici_big_trim(b);
}

static uint32_t padici_rational_store(const padic_num_call *call, uint64_t i, padici_exact *e,
                                      int negative)
{
    const padici_rational *o = (const padici_rational *)call->options;
    uint32_t bits = padici_big_store(call->other[0], o->dtype[0], o->limbs[0], o->stride, i, &e->n,
                                     negative && e->n.n);
    if (call->other[1])
        bits |= padici_big_store(call->other[1], o->dtype[1], o->limbs[1], o->stride, i, &e->d, 0);
    return bits;
}

// Pair i is +-n p^v / d, or n / (d p^-v); 0 / 0 if `bits` or if either has no room.
static void padici_rational_put(padic_num_call *call, uint64_t i, padici_exact *e, int negative,
                                int64_t v, uint32_t bits)
{
    if (!bits && !padici_big_power(call->ring, v < 0 ? &e->d : &e->n, (uint64_t)(v < 0 ? -v : v)))
        bits = PADIC_NUM_RANGE;
    if (!bits) bits = padici_rational_store(call, i, e, negative);
    if (bits) {
        e->n.n = e->d.n = 0;
        padici_rational_store(call, i, e, 0);
    }
    padici_num_report(call, i, bits);
}

// One element, of all modes but COMMON.
static void padici_rational_one(padic_num_call *call, uint64_t i, const padici_cell *x,
                                const padici_bounds *bounds, padici_exact *e)
{
    const padic_num_ring *r = call->ring;
    const padici_rational *o = (const padici_rational *)call->options;
    const int fixed = o->mode == PADIC_NUM_RATIONAL_FIXED;
    int64_t v = x->v == PADIC_NUM_ZERO ? 0 : x->v;
    int sign = 1;
    padici_big_set(&e->n, 0);
    padici_big_set(&e->d, 1);
    if (fixed) padici_exact_set(&e->d, o->fixed, 2);
    if (x->v == PADIC_NUM_NAN) {
        padici_rational_put(call, i, e, 0, 0, x->bits);
        return;
    }
    if (x->v != PADIC_NUM_ZERO && fixed) {
        v += o->fixed_v;
        sign = v < 0 ? 0 : padici_joint_numerator(&e->joint, x->u, x->n);
        if (sign) padici_exact_set(&e->n, e->joint.x, e->joint.words);
    } else if (x->v != PADIC_NUM_ZERO) {
        sign = padici_fraction(r, x->u, x->n, bounds, e->n.w, e->d.w, e->at + e->part);
        e->n.n = e->d.n = sign ? r->words : 0;
        padici_big_trim(&e->n);
        padici_big_trim(&e->d);
    }
    padici_rational_put(call, i, e, sign < 0, v, sign ? 0 : PADIC_NUM_RATREC);
}

// Elements first to end - 1 over one denominator: d of their units, and the highest p^-v.
static void padici_rational_vector(padic_num_call *call, uint64_t first, uint64_t end,
                                   const padici_bounds *bounds, padici_exact *e, padici_cell *x)
{
    uint64_t i;
    int64_t low = 0; // the lowest valuation
    int found = 1;
    padici_joint_begin(&e->joint, call->ring, bounds, e->at + e->part, e->at + 23 * e->part,
                       e->part);
    for (i = first; i < end && found; i++) {
        padici_cell_load(call, &call->a, i, x);
        if (x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN) continue;
        if (x->v < low) low = x->v;
        found = x->n > bounds->guard &&
                (padici_joint_numerator(&e->joint, x->u, x->n) || padici_joint_extend(&e->joint));
    }
    for (i = first; i < end && found; i++) {
        padici_cell_load(call, &call->a, i, x);
        if (x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN)
            found = padici_joint_numerator(&e->joint, x->u, x->n);
    }
    for (i = first; i < end; i++) {
        int sign = 1;
        uint32_t bits = found ? 0 : PADIC_NUM_RATREC;
        padici_cell_load(call, &call->a, i, x);
        if (x->v == PADIC_NUM_NAN) bits = x->bits;
        padici_big_set(&e->n, 0);
        if (!bits && x->v != PADIC_NUM_ZERO) {
            sign = padici_joint_numerator(&e->joint, x->u, x->n);
            padici_exact_set(&e->n, e->joint.x, e->joint.words);
            if (!padici_big_power(call->ring, &e->n, (uint64_t)(x->v - low)))
                bits = PADIC_NUM_RANGE;
        }
        padici_exact_set(&e->d, e->joint.d, e->joint.words);
        if (!bits && !padici_big_power(call->ring, &e->d, (uint64_t)-low)) bits = PADIC_NUM_RANGE;
        padici_rational_put(call, i, e, sign < 0, 0, bits);
    }
}

static void padici_rational_each(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_rational *o = (const padici_rational *)call->options;
    padici_bounds bounds = o->bounds;
    padici_exact e;
    padici_cell x;
    uint64_t i;
    uint32_t digits = 0; // that bounds are for
    padici_exact_begin(&e, r->words, call->scratch);
    x.u = e.at;
    if (o->mode == PADIC_NUM_RATIONAL_COMMON) {
        for (i = 0; i < call->count; i += o->vector)
            padici_rational_vector(call, i, i + o->vector, &bounds, &e, &x);
        return;
    }
    if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        padici_joint_begin(&e.joint, r, &bounds, e.at + e.part, e.at + 23 * e.part, e.part);
        padici_exact_set(&e.d, o->unit, 2);
        padici_ring_of_big(r, e.joint.ring_d, &e.d);
    }
    for (i = 0; i < call->count; i++) {
        padici_cell_load(call, &call->a, i, &x);
        if (x.n != digits && r->form < PADIC_NUM_RX && o->mode == PADIC_NUM_RATIONAL_BOUNDED) {
            digits = x.n; // square root and division once for many
            padici_bounds_wide(r, digits, &o->bounds, &bounds.most_n, &bounds.most_d);
        }
        padici_rational_one(call, i, &x, &bounds, &e);
    }
}

// One word: pairs of elements, so that one division runs while the other waits.
PADICI_INLINE void padici_rational_pair(uint64_t m, uint64_t most, uint64_t r1[2], uint64_t t1[2])
{
    uint64_t a0 = m, a1 = r1[0], s0 = 0, s1 = 1, b0 = m, b1 = r1[1], t0 = 0, t = 1, q, r;
#define PADICI_EUCLID(x0, x1, y0, y1) \
    do { \
        q = x0 / x1; \
        r = x0 - q * x1; \
        x0 = x1; \
        x1 = r; \
        r = y0 - q * y1; \
        y0 = y1; \
        y1 = r; \
    } while (0)
    while (a1 > most && b1 > most) {
        PADICI_EUCLID(a0, a1, s0, s1);
        PADICI_EUCLID(b0, b1, t0, t);
    }
    while (a1 > most) PADICI_EUCLID(a0, a1, s0, s1);
    while (b1 > most) PADICI_EUCLID(b0, b1, t0, t);
#undef PADICI_EUCLID
    r1[0] = a1;
    r1[1] = b1;
    t1[0] = s1; // two's complement
    t1[1] = t;
}

// RING and FLOAT below 2^64, I64 numerators in other[0] and denominators in other[1]; k is Nmax and
// stride Dmax, both at least 2, so that |t| < 2^63.
static void padici_rational_fast(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    int64_t *const numerators = (int64_t *)call->other[0];
    int64_t *const denominators = (int64_t *)call->other[1];
    const uint64_t last = r->p == 2 ? 0 : UINT64_MAX / r->p;
    uint64_t i, j, u[2], t[2];
    for (i = 0; i < call->count; i += 2) {
        const uint64_t pair = call->count - i < 2 ? 1 : 2;
        for (j = 0; j < 2; j++) u[j] = j < pair ? padici_word(r, call->a.unit, i + j) : 0;
        padici_rational_pair(r->base, (uint64_t)call->k, u, t);
        for (j = 0; j < pair; j++) {
            const int32_t v = call->a.val ? padici_val_load(&call->a, i + j) : 0;
            const uint32_t k = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
            const uint64_t d = t[j] >> 63 ? 0 - t[j] : t[j];
            const int p_divides = r->p == 2 ? !(d & 1) : d * r->inverse <= last;
            uint64_t n = u[j], e = d;
            uint32_t bits = d > call->stride || p_divides ? PADIC_NUM_RATREC : 0;
            if (v == PADIC_NUM_NAN) {
                bits = padici_val_raw(&call->a, i + j) == v
                           ? (uint32_t)padici_word(r, call->a.unit, i + j) & 255
                           : (uint32_t)PADIC_NUM_RANGE;
            } else if (v == PADIC_NUM_ZERO) {
                n = bits = 0;
                e = 1;
            } else if (v) {
                const uint64_t f = k < r->power_count && !r->power[k][1] ? r->power[k][0] : 0;
                const uint64_t x = v < 0 ? e : n;
                if (!bits && (!f || padici_mulhi64(x, f) || x * f >> 63)) bits = PADIC_NUM_RANGE;
                n = v < 0 ? n : x * f;
                e = v < 0 ? x * f : e;
            }
            if (bits) n = e = 0;
            numerators[i + j] = (int64_t)(t[j] >> 63 ? 0 - n : n);
            denominators[i + j] = (int64_t)e;
            padici_num_report(call, i + j, bits);
        }
    }
}

static void padici_rational_loop(padic_num_call *call)
{
    if (call->kernel == PADIC_KERNEL_NUM_TO_RATIONAL)
        padici_rational_fast(call);
    else
        padici_rational_each(call);
}

// Options from the desc; is it sound?
static padic_result padici_rational_options(padic_context *context,
                                            const padic_num_to_rational_desc *desc,
                                            padici_rational *o)
{
    const padic_num_ring *r = desc->in.ring;
    padici_wide rest, q;
    memset(o, 0, sizeof *o);
    if (!padici_ring_is(r))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "in", "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)desc->mode > PADIC_NUM_RATIONAL_QUOTIENT)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "mode", NULL, "is none that there is");
    if (r->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "in", "ring",
                            "has a radix that is no prime");
    o->mode = desc->mode;
    o->stride = desc->in.count;
    o->vector = desc->vector ? desc->vector : desc->in.count;
    o->bounds.guard = desc->guard == PADIC_NUM_NO_GUARD ? 0 : desc->guard ? desc->guard : 1;
    o->bounds.most_n = padici_wide_load(desc->most_numerator);
    o->bounds.most_d = padici_wide_load(desc->most_denominator);
    if (o->mode == PADIC_NUM_RATIONAL_QUOTIENT) {
        memset(&o->bounds, 0, sizeof o->bounds);
        o->bounds.quotient = desc->quotient ? desc->quotient : 1024 * (uint64_t)r->bits;
        return PADIC_OK;
    }
    if (o->mode == PADIC_NUM_RATIONAL_COMMON && desc->in.count % (o->vector ? o->vector : 1))
        return padici_blame(context, PADIC_ERROR_MISMATCH, "vector", NULL,
                            "must divide in.count");
    if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        q = padici_wide_load(desc->fixed);
        padici_wide_store(o->fixed, q);
        if (padici_wide_zero(q))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, "fixed", NULL,
                                "is 0: give the denominator");
        for (;; o->fixed_v++) {
            padici_wide_store(o->unit, q);
            q = padici_wide_div(q, padici_wide_make(r->p, 0), &rest);
            if (!padici_wide_zero(rest)) break;
        }
        o->bounds.most_d = padici_wide_make(1, 0);
    }
    return PADIC_OK;
}

// Are the given bounds possible with all digits? And the fast path, if it will do.
static int padici_rational_bounds(const padic_num_to_rational_desc *desc, padici_rational *o,
                                  padici_num_task *task)
{
    const padic_num_ring *r = desc->in.ring;
    const padici_bounds *b = &o->bounds;
    const int given = !padici_wide_zero(b->most_n) || !padici_wide_zero(b->most_d);
    padici_wide n, d;
    uint64_t limit[6], product[8];
    int fit;
    if (b->quotient) return 1;
    if (r->form == PADIC_NUM_RX) { // limits of more than 5 words are beyond any bounds
        const uint32_t digits = r->precision > b->guard ? r->precision - b->guard : 0;
        if (!given || padici_power_bits(r->p, digits) > 320) return 1;
        padici_words_power(r, limit, NULL, digits, 6);
        return digits && padici_bounds_fit(b, limit, 6, product);
    }
    fit = padici_bounds_wide(r, r->precision, b, &n, &d);
    if (given && !fit) return 0;
    if (o->mode == PADIC_NUM_RATIONAL_BOUNDED && r->form < PADIC_NUM_W128 && r->base &&
        desc->in.model != PADIC_NUM_BALL && n.low > 1 && d.low > 1 && !(n.high | d.high) &&
        o->dtype[0] == PADIC_I64 && o->dtype[1] == PADIC_I64) {
        task->call.kernel = PADIC_KERNEL_NUM_TO_RATIONAL;
        task->call.k = (int64_t)n.low;
        task->call.stride = d.low;
    }
    return 1;
}

PADIC_API padic_result padic_num_to_rational(padic_context *context,
                                             const padic_num_to_rational_desc *desc)
{
    padici_num_task task;
    padici_rational o;
    padic_result result;
    uint32_t j;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_rational", "desc is NULL");
    padici_num_task_begin(&task, "num_to_rational", PADIC_KERNEL_NUM_RATIONAL, padici_rational_loop,
                          NULL, &desc->in, NULL, NULL);
    result = padici_rational_options(context, desc, &o);
    task.field[1] = "in";
    task.other_field[0] = "numerator";
    task.other_field[1] = "denominator";
    for (j = 0; j < 2 && !result; j++) {
        const padic_tensor *t = j ? &desc->denominator : &desc->numerator;
        if (j && o.mode == PADIC_NUM_RATIONAL_FIXED && !t->dtype) continue; // optional there
        result = padici_task_ints(&task, j, t, &desc->in);
        padici_blame(context, result, task.other_field[j], NULL,
                     "must have the shape (limbs, in.count), with at most 64 limbs or 7 for each "
                     "word of a long ring");
        o.dtype[j] = t->dtype;
        o.limbs[j] = task.other_planes >> j & 1 ? (uint32_t)task.other_each[j] : 0;
    }
    if (!result && !padici_rational_bounds(desc, &o, &task))
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "most_numerator", NULL,
                              "times most_denominator must stay below p^(N - guard) / 2");
    if (result) return padici_fault(context, result, "num_to_rational");
    task.other_out = 3;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    task.whole = o.mode == PADIC_NUM_RATIONAL_COMMON;
    task.call.options = &o;
    return padici_num_run(context, &task);
}

// Precision and prime

// Digits from .. from + count - 1 of a residue as an integer below 2^127; digits beyond N are 0.
static padici_wide padici_ring_part(const padic_num_ring *r, const uint64_t *u, uint32_t from,
                                    uint32_t count)
{
    padici_wide sum = {0, 0}, x;
    uint32_t at, take;
    if (from >= r->precision) return sum;
    if (count > r->precision - from) count = r->precision - from;
    if (r->form < PADIC_NUM_RX) {
        x = padici_wide_make(u[0], r->words > 1 ? u[1] : 0);
        x = padici_wide_div(x, padici_wide_load(r->power[from]), NULL);
        if (from + count < r->precision)
            padici_wide_div(x, padici_wide_load(r->power[count]), &x);
        return x;
    }
    for (at = 0; at < count; at += take) { // limb by limb
        const uint32_t low = (from + at) % r->limb_digits;
        uint64_t limb = u[(from + at) / r->limb_digits] / r->power[low][0];
        take = r->limb_digits - low < count - at ? r->limb_digits - low : count - at;
        limb = padici_limb_low(r, limb, take);
        sum = padici_wide_add(sum, padici_wide_mul_low(padici_wide_load(r->power[at]),
                                                       padici_wide_make(limb, 0)));
    }
    return sum;
}

// call->options: the ring of a.
static void padici_set_precision_loop(padic_num_call *call)
{
    const padic_num_ring *const r = call->ring, *const from = (const padic_num_ring *)call->options;
    padic_num_call in = *call;
    padici_exact e;
    padici_cell x, y;
    uint64_t i;
    uint32_t k;
    in.ring = from;
    padici_exact_begin(&e, from->words > r->words ? from->words : r->words, call->scratch);
    x.u = e.at;
    y.u = e.at + e.part;
    for (i = 0; i < call->count; i++) {
        padici_cell_load(&in, &call->a, i, &x);
        y.v = x.v;
        y.n = x.n < r->precision ? x.n : r->precision;
        if (call->model == PADIC_NUM_FLOAT) y.n = r->precision;
        y.bits = x.bits;
        if (r->form < PADIC_NUM_RX) {
            const padici_wide u = padici_ring_part(from, x.u, 0, r->precision);
            y.u[0] = u.low;
            if (r->words > 1) y.u[1] = u.high;
        }
        for (k = 0; r->form == PADIC_NUM_RX && k < r->words; k++)
            y.u[k] = padici_ring_part(from, x.u, k * r->limb_digits,
                                      k + 1 < r->words ? r->limb_digits : r->top_digits).low;
        if (r->precision > from->precision && call->model != PADIC_NUM_BALL && !x.bits &&
            x.v != PADIC_NUM_ZERO)
            y.bits = PADIC_NUM_PRECLOSS;
        padici_cell_store(call, i, &y);
    }
}

// Is there one prime, and are the planes others?
PADIC_API padic_result padic_num_set_precision(padic_context *context, const padic_num_array *out,
                                               const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in || !padici_ring_is(out->ring) || !padici_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_set_precision",
                              "out or in is NULL, or its ring was not made by num_ring_init");
    if (out->ring->p != in->ring->p || out->model != in->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_set_precision",
                              "out and in must have one prime and model: see num_change_prime");
    if (out->count != in->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_set_precision",
                              "out.count and in.count differ");
    if (padici_num_same_units(out, in))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_set_precision",
                              "out must not be in: precision is not changed in place");
    padici_num_task_begin(&task, "num_set_precision", PADIC_KERNEL_NUM_SET_PRECISION,
                          padici_set_precision_loop, out, in, NULL, NULL);
    task.field[1] = "in";
    task.free_rings = 1;
    task.call.options = in->ring;
    return padici_num_run(context, &task);
}

// x = p^v n / d in the ring of q, n and d in e.
static void padici_change_prime_one(const padic_num_call *call, padici_cell *x, uint64_t p,
                                    int32_t v, int negative, padici_exact *e)
{
    const padic_num_ring *r = call->ring;
    padic_num_call split = *call;
    uint64_t *const power = e->at + 2 * e->part, *const t = power + e->part;
    split.model = PADIC_NUM_FLOAT;
    padici_cell_of_fraction(&split, x, &e->n, negative, &e->d, e->at + 2 * e->part);
    if (p == r->p) {
        if (x->v != PADIC_NUM_ZERO) x->v += v;
    } else if (v && x->v != PADIC_NUM_ZERO) {
        padici_ring_set(r, t, p);
        padici_ring_pow(r, power, t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, t + e->part);
        if (v < 0) {
            padici_ring_inv(r, t, power, t + e->part);
            padici_ring_copy(r, power, t);
        }
        padici_ring_mul(r, t, x->u, power);
        padici_ring_copy(r, x->u, t);
    }
    padici_cell_settle(call, x);
}

// call->options: the array a.
static void padici_change_prime_loop(padic_num_call *call)
{
    const padic_num_array *const array = (const padic_num_array *)call->options;
    const padic_num_ring *const r = call->ring, *const from = array->ring;
    padici_bounds bounds = {1, 0, 0, {0, 0}, {0, 0}, 0};
    padic_num_call in = *call;
    padici_exact e;
    padici_cell x, y;
    uint64_t i;
    in.ring = from;
    in.model = array->model;
    padici_exact_begin(&e, from->words > r->words ? from->words : r->words, call->scratch);
    x.u = e.at;
    y.u = e.at + e.part;
    for (i = 0; i < call->count; i++) {
        int sign;
        padici_cell_load(&in, &call->a, i, &x);
        y.v = PADIC_NUM_ZERO;
        y.n = r->precision;
        y.bits = x.bits;
        memset(y.u, 0, r->words * sizeof *y.u);
        if (x.v != PADIC_NUM_ZERO && x.v != PADIC_NUM_NAN) {
            sign = padici_fraction(from, x.u, x.n, &bounds, e.n.w, e.d.w, e.at + 2 * e.part);
            e.n.n = e.d.n = sign ? from->words : 0;
            padici_big_trim(&e.n);
            padici_big_trim(&e.d);
            if (sign) padici_change_prime_one(call, &y, from->p, x.v, sign < 0, &e);
            else y.bits = PADIC_NUM_RATREC;
        } else if (x.v == PADIC_NUM_NAN) {
            y.v = PADIC_NUM_NAN;
        }
        if (call->model == PADIC_NUM_RING && y.bits & PADIC_NUM_HARD)
            memset(y.u, 0, r->words * sizeof *y.u);
        padici_cell_store(call, i, &y);
    }
}

PADIC_API padic_result padic_num_change_prime(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in || !padici_ring_is(out->ring) || !padici_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_change_prime",
                              "out or in is NULL, or its ring was not made by num_ring_init");
    if (out->count != in->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_change_prime",
                              "out.count and in.count differ");
    if (padici_num_same_units(out, in))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_change_prime",
                              "out must not be in: the prime is not changed in place");
    padici_num_task_begin(&task, "num_change_prime", PADIC_KERNEL_NUM_CHANGE_PRIME,
                          padici_change_prime_loop, out, in, NULL, NULL);
    task.field[1] = "in";
    task.free_rings = 1;
    task.call.options = in;
    return padici_num_run(context, &task);
}

