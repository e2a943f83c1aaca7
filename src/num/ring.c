// ----------------------------------------------------------------------------------- >>num impl
//
// From the bottom up: 128-bit words, residues of one and two words, limbs, any residue by pointer,
// elements (padici_cell), and padici_num_run(), which checks arrays and runs loops over them.

#define PADICI_NUM_MAGIC UINT32_C(0x31474e52)

typedef struct padici_wide { // an integer below 2^128
    uint64_t low, high;
} padici_wide;

PADICI_INLINE padici_wide padici_wide_make(uint64_t low, uint64_t high)
{
    padici_wide x;
    x.low = low;
    x.high = high;
    return x;
}

PADICI_INLINE padici_wide padici_wide_mul(uint64_t a, uint64_t b)
{
#if PADICI_INT128 // gcc makes two multiplications of the other form
    const padici_u128 x = (padici_u128)a * b;
    return padici_wide_make((uint64_t)x, (uint64_t)(x >> 64));
#else
    return padici_wide_make(a * b, padici_mulhi64(a, b));
#endif
}

PADICI_INLINE padici_wide padici_wide_add(padici_wide a, padici_wide b)
{
    const uint64_t low = a.low + b.low;
    return padici_wide_make(low, a.high + b.high + (low < a.low));
}

PADICI_INLINE padici_wide padici_wide_sub(padici_wide a, padici_wide b)
{
    return padici_wide_make(a.low - b.low, a.high - b.high - (a.low < b.low));
}

PADICI_INLINE int padici_wide_less(padici_wide a, padici_wide b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

PADICI_INLINE int padici_wide_zero(padici_wide a)
{
    return !(a.low | a.high);
}

// Modulo 2^128.
PADICI_INLINE padici_wide padici_wide_mul_low(padici_wide a, padici_wide b)
{
    padici_wide x = padici_wide_mul(a.low, b.low);
    x.high += a.low * b.high + a.high * b.low;
    return x;
}

// a b / 2^128, less than 3 too small.
PADICI_INLINE padici_wide padici_wide_mul_high(padici_wide a, padici_wide b)
{
    padici_wide x = padici_wide_mul(a.high, b.high);
    x = padici_wide_add(x, padici_wide_make(padici_mulhi64(a.high, b.low), 0));
    return padici_wide_add(x, padici_wide_make(padici_mulhi64(a.low, b.high), 0));
}

PADICI_INLINE padici_wide padici_wide_shl(padici_wide a, uint32_t k) // k < 128
{
    if (k >= 64) return padici_wide_make(0, a.low << (k - 64));
    return k ? padici_wide_make(a.low << k, a.high << k | a.low >> (64 - k)) : a;
}

PADICI_INLINE padici_wide padici_wide_shr(padici_wide a, uint32_t k) // k < 128
{
    if (k >= 64) return padici_wide_make(a.high >> (k - 64), 0);
    return k ? padici_wide_make(a.low >> k | a.high << (64 - k), a.high >> k) : a;
}

PADICI_INLINE uint32_t padici_wide_bits(padici_wide a) // bit length
{
    if (a.high) return 128u - padici_clz64(a.high);
    return a.low ? 64u - padici_clz64(a.low) : 0;
}

// floor(a / b), b not 0; *rest may be NULL.
static padici_wide padici_wide_div(padici_wide a, padici_wide b, padici_wide *rest)
{
    padici_wide q = {0, 0};
#if PADICI_INT128
    const padici_u128 x = (padici_u128)a.high << 64 | a.low, y = (padici_u128)b.high << 64 | b.low;
    const padici_u128 z = x / y, r = x - z * y;
    q = padici_wide_make((uint64_t)z, (uint64_t)(z >> 64));
    a = padici_wide_make((uint64_t)r, (uint64_t)(r >> 64));
#else
    if (!padici_wide_less(a, b)) {
        uint32_t k = padici_wide_bits(a) - padici_wide_bits(b) + 1;
        while (k-- > 0) {
            const padici_wide c = padici_wide_shl(b, k);
            q = padici_wide_shl(q, 1);
            if (!padici_wide_less(a, c)) {
                a = padici_wide_sub(a, c);
                q.low |= 1;
            }
        }
    }
#endif
    if (rest) *rest = a;
    return q;
}

// floor(x / d) and the rest, x.high < d, for a divisor with its reciprocal (Moeller, Granlund:
// Improved division by invariant integers, 2011). `d` has its top bit set, and so has x been
// shifted; the rest is shifted too.
PADICI_INLINE uint64_t padici_divide(padici_wide x, uint64_t d, uint64_t reciprocal, uint64_t *rest)
{
    padici_wide q = padici_wide_add(padici_wide_mul(reciprocal, x.high), x);
    uint64_t r, over;
    q.high++;
    r = x.low - q.high * d;
    over = 0 - (uint64_t)(r > q.low); // a coin toss, so no branch
    q.high += over;
    r += d & over;
    if (PADICI_UNLIKELY(r >= d)) {
        q.high++;
        r -= d;
    }
    *rest = r;
    return q.high;
}

// floor((2^128 - 1) / d) - 2^64 for a d with its top bit set.
static uint64_t padici_reciprocal(uint64_t d)
{
    return padici_wide_div(padici_wide_make(UINT64_MAX, ~d), padici_wide_make(d, 0), NULL).low;
}

// a^-1 modulo 2^64, a odd: 5 bits, doubled four times.
PADICI_INLINE uint64_t padici_inverse64(uint64_t a)
{
    uint64_t x = (3 * a) ^ 2;
    x *= 2 - a * x;
    x *= 2 - a * x;
    x *= 2 - a * x;
    return x * (2 - a * x);
}

// One word: `form` is B2, W32, W49 or W64, a constant where the loop is made for one form, so that
// nothing of the others stays.

PADICI_INLINE uint64_t padici_add1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    if (form == PADIC_NUM_B2) return (a + b) & (r->base - 1);
    if (form == PADIC_NUM_W64) { // the sum may reach 2^64
        const uint64_t d = r->base - b;
        return a >= d ? a - d : a + b;
    } else {
        const uint64_t s = a + b, d = s - r->base;
        return d < s ? d : s;
    }
}

PADICI_INLINE uint64_t padici_sub1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    const uint64_t d = a - b;
    if (form == PADIC_NUM_B2) return d & (r->base - 1);
    return d + (r->base & (0 - (uint64_t)(a < b))); // no branch: half of all are below
}

PADICI_INLINE uint64_t padici_mul1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    if (form == PADIC_NUM_B2) return (a * b) & (r->base - 1);
    if (form == PADIC_NUM_W64) {
        uint64_t rest;
        padici_divide(padici_wide_mul(a << r->shift, b), r->base << r->shift, r->reciprocal, &rest);
        return rest >> r->shift;
    } else { // Barrett: the quotient is at most one too small, since ab/P - q < 1 + 1/2 + 2^-13
        const uint64_t h = padici_mulhi64(a << (64 - r->bits), b << 14);
        const uint64_t x = a * b - padici_mulhi64(h, r->barrett) * r->base, y = x - r->base;
        return y < x ? y : x;
    }
}

// Two words.

PADICI_INLINE padici_wide padici_modulus(const padic_num_ring *r)
{
    return padici_wide_make(r->modulus[0], r->modulus[1]);
}

PADICI_INLINE padici_wide padici_add2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide s = padici_wide_add(a, b), p = padici_modulus(r);
    return padici_wide_less(s, p) ? s : padici_wide_sub(s, p);
}

PADICI_INLINE padici_wide padici_sub2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide d = padici_wide_sub(a, b);
    return padici_wide_less(a, b) ? padici_wide_add(d, padici_modulus(r)) : d;
}

// a b 2^-128 mod P (Montgomery) or P more, P odd and below 2^127; a < P, any b.
PADICI_INLINE padici_wide padici_product2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide p = padici_modulus(r);
    padici_wide t = {0, 0}, x, y;
    uint32_t i;
    for (i = 0; i < 2; i++) { // t = (t + a b_i + m P) / 2^64 < 2 P
        const uint64_t bi = i ? b.high : b.low;
        uint64_t m, carry;
        x = padici_wide_add(padici_wide_mul(a.low, bi), padici_wide_make(t.low, 0));
        y = padici_wide_mul(a.high, bi);
        y = padici_wide_add(padici_wide_add(y, padici_wide_make(t.high, 0)),
                            padici_wide_make(x.high, 0));
        m = x.low * r->mont_inverse;
        t = padici_wide_add(padici_wide_mul(m, p.low), padici_wide_make(x.low, 0));
        carry = t.high; // t.low is 0
        t = padici_wide_add(padici_wide_add(padici_wide_mul(m, p.high), y),
                            padici_wide_make(carry, 0));
    }
    return t;
}

// The same below P, without a branch.
PADICI_INLINE padici_wide padici_montgomery2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide p = padici_modulus(r), t = padici_product2(r, a, b);
    const uint64_t less = 0 - (uint64_t)padici_wide_less(t, p);
    return padici_wide_add(padici_wide_sub(t, p), padici_wide_make(p.low & less, p.high & less));
}

// P even: a power of two, or that of an even radix, where no loop is in a hurry.
static padici_wide padici_mul2_even(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    const padici_wide mask = padici_wide_sub(padici_modulus(r), padici_wide_make(1, 0));
    padici_wide x = padici_wide_mul_low(a, b);
    uint32_t i;
    if (!(mask.low & r->modulus[0]) && !(mask.high & r->modulus[1]))
        return padici_wide_make(x.low & mask.low, x.high & mask.high);
    x = padici_wide_make(0, 0);
    for (i = padici_wide_bits(b); i-- > 0;) { // from the top bit of b down
        x = padici_add2(r, x, x);
        if (padici_wide_shr(b, i).low & 1) x = padici_add2(r, x, a);
    }
    return x;
}

PADICI_INLINE padici_wide padici_mul2(const padic_num_ring *r, padici_wide a, padici_wide b)
{
    if (PADICI_UNLIKELY(!(r->modulus[0] & 1))) return padici_mul2_even(r, a, b);
    a = padici_product2(r, a, b);
    return padici_montgomery2(r, padici_wide_make(r->mont_square[0], r->mont_square[1]), a);
}

// Limbs of base p^e, lowest first; L = r->words of them, the top one with top_digits digits.

// The value of x modulo p^k for a limb, k <= e.
PADICI_INLINE uint64_t padici_limb_low(const padic_num_ring *r, uint64_t x, uint32_t k)
{
    return x % r->power[k][0];
}

PADICI_INLINE uint64_t padici_limb_base(const padic_num_ring *r, uint32_t i)
{
    return i + 1 < r->words ? r->base : r->power[r->top_digits][0];
}

static void padici_limbs_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                             const uint64_t *b)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < r->words; i++) {
        const uint64_t base = padici_limb_base(r, i), s = a[i] + b[i] + carry;
        carry = s >= base;
        x[i] = carry ? s - base : s;
    }
}

static void padici_limbs_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                             const uint64_t *b)
{
    uint64_t borrow = 0;
    uint32_t i;
    for (i = 0; i < r->words; i++) {
        const uint64_t d = b[i] + borrow;
        borrow = a[i] < d;
        x[i] = a[i] - d + (borrow ? padici_limb_base(r, i) : 0);
    }
}

// Adds b[i] a[k - i] to *x and b[i] a[k + 1 - i] to *y: two columns share the limbs of b.
PADICI_INLINE void padici_limbs_columns(const uint64_t *a, uint32_t an, const uint64_t *b,
                                        uint32_t bn, uint32_t k, padici_wide *x, padici_wide *y)
{
    const uint32_t end = k + 1 < bn ? k + 1 : bn;
    uint32_t i = k + 2 > an ? k + 2 - an : 0;
#if PADICI_INT128
    padici_u128 c = (padici_u128)x->high << 64 | x->low, d = (padici_u128)y->high << 64 | y->low;
    if (i && i <= end) c += (padici_u128)b[i - 1] * a[an - 1];
    if (k + 1 < bn) d += (padici_u128)b[k + 1] * a[0];
    for (a += k; i < end; i++) {
        c += (padici_u128)b[i] * *(a - i);
        d += (padici_u128)b[i] * *(a - i + 1);
    }
    *x = padici_wide_make((uint64_t)c, (uint64_t)(c >> 64));
    *y = padici_wide_make((uint64_t)d, (uint64_t)(d >> 64));
#else
    if (i && i <= end) *x = padici_wide_add(*x, padici_wide_mul(b[i - 1], a[an - 1]));
    if (k + 1 < bn) *y = padici_wide_add(*y, padici_wide_mul(b[k + 1], a[0]));
    for (a += k; i < end; i++) {
        *x = padici_wide_add(*x, padici_wide_mul(b[i], *(a - i)));
        *y = padici_wide_add(*y, padici_wide_mul(b[i], *(a - i + 1)));
    }
#endif
}

// The lowest limb of a column, which becomes the carry.
PADICI_INLINE uint64_t padici_limbs_carry(const padic_num_ring *r, padici_wide *column)
{
    uint64_t rest;
    column->low = padici_divide(padici_wide_shl(*column, r->shift), r->base << r->shift,
                                r->reciprocal, &rest);
    column->high = 0;
    return rest >> r->shift;
}

// The n lowest limbs of a b + d s, a of `an` limbs and b of `bn`, s below the base, d NULL or of n
// limbs; the top one is not cut to its digits. x is neither a nor b. A column is below (L + 1) p^2e
// < 2^110.
static void padici_limbs_product(const padic_num_ring *r, uint64_t *x, uint32_t n,
                                 const uint64_t *a, uint32_t an, const uint64_t *b, uint32_t bn,
                                 const uint64_t *d, uint64_t s)
{
    padici_wide carry = {0, 0}, next;
    uint32_t k;
    for (k = 0; k < n; k += 2) {
        if (d) carry = padici_wide_add(carry, padici_wide_mul(d[k], s));
        next = d && k + 1 < n ? padici_wide_mul(d[k + 1], s) : padici_wide_make(0, 0);
        padici_limbs_columns(a, an, b, bn, k, &carry, &next);
        x[k] = padici_limbs_carry(r, &carry);
        if (k + 1 == n) break;
        carry = padici_wide_add(carry, next);
        x[k + 1] = padici_limbs_carry(r, &carry);
    }
}

static void padici_limbs_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                             const uint64_t *b, uint32_t n)
{
    padici_limbs_product(r, x, n, a, n, b, n, NULL, 0);
}

// Any residue by pointer: r->words words of 64 bits, the lowest first (RX: limbs). x may be a or b
// unless the comment says no.

PADICI_INLINE padici_wide padici_wide_load(const uint64_t *a)
{
    return padici_wide_make(a[0], a[1]);
}

PADICI_INLINE void padici_wide_store(uint64_t *x, padici_wide a)
{
    x[0] = a.low;
    x[1] = a.high;
}

PADICI_INLINE void padici_ring_copy(const padic_num_ring *r, uint64_t *x, const uint64_t *a)
{
    memmove(x, a, r->words * sizeof *x);
}

PADICI_INLINE int padici_ring_is_zero(const padic_num_ring *r, const uint64_t *a)
{
    uint32_t i;
    for (i = 0; i < r->words; i++)
        if (a[i]) return 0;
    return 1;
}

PADICI_INLINE int padici_ring_same(const padic_num_ring *r, const uint64_t *a, const uint64_t *b)
{
    return !memcmp(a, b, r->words * sizeof *a);
}

// x = s mod P.
static void padici_ring_set(const padic_num_ring *r, uint64_t *x, uint64_t s)
{
    uint32_t i;
    if (r->form < PADIC_NUM_W128) {
        x[0] = r->base ? s % r->base : s;
    } else if (r->form == PADIC_NUM_W128) { // forced on a small P, s may be above it
        padici_wide rest;
        padici_wide_div(padici_wide_make(s, 0), padici_modulus(r), &rest);
        padici_wide_store(x, rest);
    } else {
        for (i = 0; i < r->words; i++) {
            const uint64_t base = padici_limb_base(r, i);
            x[i] = s % base;
            s = s / base;
        }
    }
}

static void padici_ring_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                            const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_add1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_add2(r, padici_wide_load(a), padici_wide_load(b)));
    else
        padici_limbs_add(r, x, a, b);
}

static void padici_ring_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                            const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_sub1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_sub2(r, padici_wide_load(a), padici_wide_load(b)));
    else
        padici_limbs_sub(r, x, a, b);
}

// x = a b; x is neither a nor b.
static void padici_ring_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                            const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_mul1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_mul2(r, padici_wide_load(a), padici_wide_load(b)));
    else {
        padici_limbs_mul(r, x, a, b, r->words);
        x[r->words - 1] = padici_limb_low(r, x[r->words - 1], r->top_digits);
    }
}

static void padici_ring_neg(const padic_num_ring *r, uint64_t *x, const uint64_t *a)
{
    uint64_t borrow = 0;
    uint32_t i;
    if (r->form < PADIC_NUM_W128) {
        x[0] = padici_sub1(r, r->form, 0, a[0]);
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide_store(x, padici_sub2(r, padici_wide_make(0, 0), padici_wide_load(a)));
    } else {
        for (i = 0; i < r->words; i++) {
            const uint64_t d = a[i] + borrow;
            borrow = d != 0;
            x[i] = d ? padici_limb_base(r, i) - d : 0;
        }
    }
}

// x = floor(a / p^k) for k >= 0: drops the k lowest digits, the top ones become 0.
static void padici_ring_down(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t k)
{
    if (k >= r->precision) {
        memset(x, 0, r->words * sizeof *x);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = r->form == PADIC_NUM_B2 ? a[0] >> k : a[0] / r->power[k][0];
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide_store(x, padici_wide_div(padici_wide_load(a), padici_wide_load(r->power[k]),
                                             NULL));
    } else {
        const uint32_t limbs = (uint32_t)k / r->limb_digits, part = (uint32_t)k % r->limb_digits;
        const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
        uint32_t i;
        for (i = 0; i < r->words; i++) {
            const uint64_t here = i + limbs < r->words ? a[i + limbs] : 0;
            const uint64_t next = i + limbs + 1 < r->words ? a[i + limbs + 1] : 0;
            x[i] = part ? here / low + next % low * up : here;
        }
    }
}

// x = a p^k mod P for k >= 0.
static void padici_ring_up(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t k)
{
    if (k >= r->precision) {
        memset(x, 0, r->words * sizeof *x);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = padici_mul1(r, r->form, a[0], r->power[k][0]);
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide_store(x, padici_mul2(r, padici_wide_load(a), padici_wide_load(r->power[k])));
    } else {
        const uint32_t limbs = (uint32_t)k / r->limb_digits, part = (uint32_t)k % r->limb_digits;
        const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
        uint32_t i = r->words;
        while (i-- > 0) {
            const uint64_t here = i >= limbs ? a[i - limbs] : 0;
            const uint64_t before = i >= limbs + 1 ? a[i - limbs - 1] : 0;
            x[i] = part ? here % up * low + before / up : here;
        }
        x[r->words - 1] = padici_limb_low(r, x[r->words - 1], r->top_digits);
    }
}

// x = a mod p^n.
static void padici_ring_low(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t n)
{
    if (n >= r->precision) {
        padici_ring_copy(r, x, a);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = a[0] % r->power[n][0];
    } else if (r->form == PADIC_NUM_W128) {
        padici_wide rest;
        padici_wide_div(padici_wide_load(a), padici_wide_load(r->power[n]), &rest);
        padici_wide_store(x, rest);
    } else {
        const uint32_t limbs = (uint32_t)n / r->limb_digits, part = (uint32_t)n % r->limb_digits;
        uint32_t i;
        for (i = 0; i < r->words; i++)
            x[i] = i < limbs ? a[i] : i == limbs ? padici_limb_low(r, a[i], part) : 0;
    }
}

// The lowest digit, a mod p.
PADICI_INLINE uint64_t padici_ring_digit(const padic_num_ring *r, const uint64_t *a)
{
    padici_wide rest;
    if (r->form != PADIC_NUM_W128 || !a[1]) return a[0] % r->p;
    padici_wide_div(padici_wide_load(a), padici_wide_make(r->p, 0), &rest);
    return rest.low;
}

// Does an odd p divide x? Then *q is x / p: x p^-1 mod 2^128 is no larger than any quotient can be.
PADICI_INLINE int padici_wide_divides(const padic_num_ring *r, padici_wide x, padici_wide *q)
{
    *q = padici_wide_mul_low(x, padici_wide_load(r->wide_inverse));
    return !padici_wide_less(padici_wide_load(r->wide_limit), *q);
}

// Does p not divide a?
PADICI_INLINE int padici_ring_unit(const padic_num_ring *r, const uint64_t *a)
{
    padici_wide q;
    if (r->p == 2) return (int)(a[0] & 1);
    if (r->form == PADIC_NUM_W128) return !padici_wide_divides(r, padici_wide_load(a), &q);
    return a[0] * r->inverse > r->unit_limit;
}

// v of a word that is not 0, and *unit = x / p^v. Odd p: for p^(2^j) descending, x is divisible iff
// x p^-(2^j) mod 2^64 is no larger than any quotient can be; no branch, no division.
PADICI_INLINE uint32_t padici_split1(const padic_num_ring *r, uint64_t x, uint64_t *unit)
{
    uint32_t v = 0, j = r->ladder;
    if (r->p == 2) {
        v = padici_ctz64(x);
        *unit = x >> v;
        return v;
    }
    while (j-- > 0) {
        const uint64_t q = x * r->ladder_inverse[j];
        const int divides = q <= r->ladder_limit[j];
        x = divides ? q : x;
        v += (uint32_t)divides << j;
    }
    *unit = x;
    return v;
}

// v(a), N for 0.
static uint32_t padici_ring_valuation(const padic_num_ring *r, const uint64_t *a)
{
    uint64_t unit;
    uint32_t i = 0, v = 0;
    if (padici_ring_is_zero(r, a)) return r->precision;
    if (r->form < PADIC_NUM_W128) return padici_split1(r, a[0], &unit);
    if (r->form == PADIC_NUM_RX) {
        while (!a[i]) i++;
        return i * r->limb_digits + padici_split1(r, a[i], &unit);
    } else {
        padici_wide x = padici_wide_load(a), q;
        if (r->p == 2) return a[0] ? padici_ctz64(a[0]) : 64 + padici_ctz64(a[1]);
        for (; padici_wide_divides(r, x, &q); x = q) v++;
        return v;
    }
}

// x = a^k; x is not a. `t` has room for 1 residue. Left to right.
static void padici_ring_pow(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t k,
                            uint64_t *t)
{
    uint32_t i = k ? 64u - padici_clz64(k) : 0;
    padici_ring_set(r, x, 1);
    while (i-- > 0) {
        padici_ring_mul(r, t, x, x);
        if (k >> i & 1)
            padici_ring_mul(r, x, t, a);
        else
            padici_ring_copy(r, x, t);
    }
}

// a^-1 mod p for 0 < a < p: Euclid.
static uint64_t padici_inverse_mod(uint64_t a, uint64_t p)
{
    uint64_t r0 = p, r1 = a % p, x0 = 0, x1 = 1; // |x| stays below p, kept modulo 2^64 with a sign
    uint32_t odd = 0;
    while (r1) {
        const uint64_t q = r0 / r1, r2 = r0 - q * r1, x2 = x0 + q * x1;
        r0 = r1;
        r1 = r2;
        x0 = x1;
        x1 = x2;
        odd ^= 1;
    }
    return odd ? x0 : p - x0;
}

// a b modulo the base of limbs.
PADICI_INLINE uint64_t padici_limb_mul(const padic_num_ring *r, uint64_t a, uint64_t b)
{
    uint64_t rest;
    padici_divide(padici_wide_shl(padici_wide_mul(a, b), r->shift), r->base << r->shift,
                  r->reciprocal, &rest);
    return rest >> r->shift;
}

// A seed for Newton's steps, from tables if the ring has some; in >>series impl.
static uint64_t padici_seed_inverse(const padic_num_ring *r, const uint64_t *a, uint32_t *known);

// x = a^-1 by Newton's x (2 - a x), from one digit to one limb, then to twice as many limbs in each
// step. Where a has one limb: a limb after the other. `t` has room for a residue.
static void padici_limbs_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t *t)
{
    uint32_t known, n, i, len = r->words;
    uint64_t inverse = padici_seed_inverse(r, a, &known), borrow = 0;
    for (; known < r->limb_digits; known *= 2) {
        uint64_t two = padici_limb_mul(r, a[0], inverse);
        two = two > 2 ? r->base + 2 - two : 2 - two;
        inverse = padici_limb_mul(r, inverse, two);
    }
    x[0] = inverse;
    while (len > 1 && !a[len - 1]) len--;
    for (n = 1; len == 1 && n < r->words; n++) { // 1 - a x = -base^n borrow
        padici_wide next = padici_wide_mul(a[0], x[n - 1]);
        next = padici_wide_add(next, padici_wide_make(borrow, 0));
        padici_limbs_carry(r, &next);
        borrow = next.low;
        x[n] = padici_limb_mul(r, borrow, inverse);
        if (x[n]) x[n] = r->base - x[n];
    }
    for (n = 1; len > 1 && n < r->words; n = known) {
        known = n > r->words / 2 ? r->words : 2 * n;
        padici_limbs_product(r, t, known, a, len < known ? len : known, x, n, NULL, 0);
        for (i = n; i < known; i++) { // 2 - a x = 1 - base^n (...)
            const uint64_t d = t[i] + borrow;
            borrow = d != 0;
            t[i] = d ? r->base - d : 0;
        }
        borrow = 0;
        padici_limbs_mul(r, x + n, x, t + n, known - n);
    }
    x[r->words - 1] = padici_limb_low(r, x[r->words - 1], r->top_digits);
}

// x = a^-1 for a unit a; x is not a. `t` has room for 2 residues.
static void padici_ring_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a, uint64_t *t)
{
    uint64_t *const two = t + r->words;
    uint32_t known;
    padici_ring_set(r, two, 2);
    if (r->form == PADIC_NUM_B2) {
        x[0] = padici_inverse64(a[0]) & (r->base - 1);
        return;
    }
    if (r->form == PADIC_NUM_RX) {
        padici_limbs_inv(r, x, a, t);
        return;
    }
    padici_ring_set(r, x, padici_seed_inverse(r, a, &known));
    for (; known < r->precision; known *= 2) { // x (2 - a x)
        padici_ring_mul(r, t, a, x);
        padici_ring_sub(r, t, two, t);
        if (r->form == PADIC_NUM_W128)
            padici_wide_store(x, padici_mul2(r, padici_wide_load(x), padici_wide_load(t)));
        else
            x[0] = padici_mul1(r, r->form, x[0], t[0]);
    }
}

// Rounds m 2^e to the nearest float, ties to even, and gives its bits without a sign. `more` 1: the
// value lies above m 2^e by less than one unit of m, and m has at least 55 bits. Sets *inexact, and
// *overflow for infinity.
static uint64_t padici_float_round(padic_dtype dtype, uint64_t m, int64_t e, uint32_t more,
                                   uint32_t *inexact, uint32_t *overflow)
{
    const uint32_t t = dtype == PADIC_F64   ? 53
                       : dtype == PADIC_F32 ? 24
                       : dtype == PADIC_F16 ? 11
                                            : 8;
    const uint32_t ebits = dtype == PADIC_F64 ? 11 : dtype == PADIC_F16 ? 5 : 8;
    const int64_t bias = ((int64_t)1 << (ebits - 1)) - 1;
    uint64_t q, rest, half;
    int64_t drop;
    *inexact = *overflow = 0;
    if (!m) return 0;
    drop = 64 - (int64_t)padici_clz64(m) - t;                 // bits below the significand
    if (e + drop < 2 - bias - (int64_t)t) drop = 2 - bias - (int64_t)t - e; // subnormal
    if (drop <= 0) {
        q = m << -drop;
        rest = half = 0;
    } else {
        q = drop > 63 ? 0 : m >> drop;
        rest = drop > 64 ? 1 : drop == 64 ? m : m & ((UINT64_C(1) << drop) - 1);
        half = drop > 64 ? 2 : UINT64_C(1) << (drop - 1);
    }
    *inexact = rest || more;
    if (half && (rest > half || (rest == half && (more || q & 1)))) q++;
    e += drop; // the value is q 2^e, q <= 2^t
    if (q >> t) {
        q >>= 1;
        e++;
    }
    if (!(q >> (t - 1))) return q; // subnormal or zero
    e += bias + (int64_t)t - 1;
    if (e >= ((int64_t)1 << ebits) - 1) {
        *inexact = *overflow = 1;
        return (((uint64_t)1 << ebits) - 1) << (t - 1);
    }
    return (uint64_t)e << (t - 1) | (q & (((uint64_t)1 << (t - 1)) - 1));
}

// Rings

// a b mod m for any 64-bit m, and a^k.
static uint64_t padici_mulmod(uint64_t a, uint64_t b, uint64_t m)
{
    padici_wide rest;
    padici_wide_div(padici_wide_mul(a, b), padici_wide_make(m, 0), &rest);
    return rest.low;
}

PADIC_API int padic_num_is_prime(uint64_t n)
{
    static const uint8_t bases[12] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint32_t i, j, twos;
    if (n < 2) return 0;
    for (i = 0; i < 12; i++)
        if (n % bases[i] == 0) return n == bases[i];
    twos = padici_ctz64(n - 1);
    for (i = 0; i < 12; i++) {
        uint64_t x = 1, k;
        for (k = UINT64_C(1) << 63; k; k >>= 1) { // bases[i]^((n - 1) / 2^twos)
            x = padici_mulmod(x, x, n);
            if ((n - 1) >> twos & k) x = padici_mulmod(x, bases[i], n);
        }
        if (x == 1) continue;
        for (j = 1; j < twos && x != n - 1; j++) x = padici_mulmod(x, x, n);
        if (x != n - 1) return 0;
    }
    return 1;
}

// The bit length of p^N - 1. Powers are followed as 64-bit mantissas, rounded down: no power of an
// odd p with N < 2^16 comes within 2^-40 of a power of two from below.
static uint32_t padici_power_bits(uint64_t p, uint32_t precision)
{
    uint64_t m = UINT64_C(1) << 63; // value m 2^(bits - 64)
    uint32_t bits = 1, i;
    if (!(p & (p - 1))) return padici_ctz64(p) * precision;
    for (i = 0; i < precision; i++) {
        padici_wide x = padici_wide_mul(m, p);
        const uint32_t n = padici_wide_bits(x) - 64;
        m = padici_wide_shr(x, n).low;
        bits += n;
        if (bits > 2 * PADIC_NUM_MAX_BITS) break;
    }
    return bits;
}

static void padici_ring_constants(padic_num_ring *r)
{
    padici_wide power = {1, 0}, square;
    uint32_t k = 0, j;
    while (padici_wide_bits(power) <= 127 && k < 128) { // p^k below 2^127, and the next for B2
        r->power[k][0] = power.low;
        r->power[k++][1] = power.high;
        square = padici_wide_make(r->p, 0);
        if (padici_wide_bits(power) + padici_wide_bits(square) > 128) break;
        power = padici_wide_mul_low(power, square);
    }
    r->power_count = k;
    if (r->form < PADIC_NUM_RX) {
        r->modulus[0] = r->power[r->precision][0];
        r->modulus[1] = r->power[r->precision][1];
    }
    if (r->form < PADIC_NUM_W128) r->base = r->modulus[0];
    if (r->form == PADIC_NUM_RX) r->base = r->power[r->limb_digits][0];
    if (r->base) {
        r->shift = padici_clz64(r->base);
        r->reciprocal = padici_reciprocal(r->base << r->shift);
    }
    if (r->form < PADIC_NUM_W128 && r->base && r->bits <= 49)
        r->barrett = padici_wide_div(padici_wide_shl(padici_wide_make(1, 0), 50 + r->bits),
                                     padici_wide_make(r->base, 0), NULL).low;
    if (r->p & 1) {
        const uint64_t below = r->form < PADIC_NUM_W128 || r->form == PADIC_NUM_RX ? r->base
                                                                                   : UINT64_MAX;
        uint64_t x = r->p;
        r->inverse = padici_inverse64(r->p);
        r->unit_limit = UINT64_MAX / r->p;
        power = padici_wide_make(r->inverse, 0); // one Newton step more: p^-1 mod 2^128
        square = padici_wide_mul_low(power, padici_wide_make(r->p, 0));
        square = padici_wide_sub(padici_wide_make(2, 0), square);
        padici_wide_store(r->wide_inverse, padici_wide_mul_low(power, square));
        padici_wide_store(r->wide_limit, padici_wide_div(padici_wide_make(UINT64_MAX, UINT64_MAX),
                                                         padici_wide_make(r->p, 0), NULL));
        for (j = 0; j < 6 && x < below; j++) {
            r->ladder_power[j] = x;
            r->ladder_inverse[j] = padici_inverse64(x);
            r->ladder_limit[j] = UINT64_MAX / x;
            r->ladder = j + 1;
            if (x >> 32) break;
            x *= x;
        }
    }
    if (r->p & 1 && r->form < PADIC_NUM_RX) {
        r->mont_inverse = 0u - padici_inverse64(r->modulus[0]);
        power = padici_wide_make(1, 0);
        for (j = r->form == PADIC_NUM_W128 ? 256 : 128; j > 0; j--)
            power = padici_add2(r, power, power);
        padici_wide_store(r->mont_square, power);
    }
}

static padic_result padici_ring_make(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                     const padic_num_ring_options *options, uint32_t composite)
{
    const uint32_t wanted = options ? (uint32_t)options->form : 0;
    const uint32_t limb32 = options ? options->limb32 : 0;
    uint32_t least;
    padic_num_ring r;
    memset(&r, 0, sizeof r);
    r.p = p;
    r.precision = precision;
    r.composite = composite;
    if (wanted > PADIC_NUM_RX || limb32 > 1) return PADIC_ERROR_ARGUMENT;
    if (!precision || precision > PADIC_NUM_MAX_PRECISION) return PADIC_ERROR_PRECISION;
    if (p >> 63) return PADIC_ERROR_LIMIT;
    r.bits = padici_power_bits(p, precision);
    if (r.bits > PADIC_NUM_MAX_BITS) return PADIC_ERROR_PRECISION;
    least = r.bits > 127 || (r.bits == 127 && p == 2) ? PADIC_NUM_RX
            : r.bits > 64                             ? PADIC_NUM_W128
            : p == 2                                  ? PADIC_NUM_B2
            : r.bits > 49                             ? PADIC_NUM_W64
            : r.bits > 32                             ? PADIC_NUM_W49
                                                      : PADIC_NUM_W32;
    if (wanted && wanted < least) return PADIC_ERROR_PRECISION;
    if (p == 2 && wanted > PADIC_NUM_B2 && wanted < PADIC_NUM_W128 && (r.bits == 64 ||
        (wanted == PADIC_NUM_W32 && r.bits > 31) || (wanted == PADIC_NUM_W49 && r.bits > 48)))
        return PADIC_ERROR_PRECISION; // P itself does not fit
    r.form = (padic_num_form)(wanted ? wanted : least);
    r.unit_size = r.form == PADIC_NUM_W32 || (r.form == PADIC_NUM_B2 && precision <= 32) ? 4 : 8;
    r.words = r.form == PADIC_NUM_W128 ? 2 : 1;
    if (r.form == PADIC_NUM_RX) {
        const uint64_t limit = UINT64_C(1) << (limb32 ? 32 : 49);
        uint64_t base = 1;
        if (p >= limit) return PADIC_ERROR_LIMIT;
        for (; base <= (limit - 1) / p; base *= p) r.limb_digits++;
        r.unit_size = limb32 ? 4 : 8;
        r.words = (precision + r.limb_digits - 1) / r.limb_digits;
        r.top_digits = precision - r.limb_digits * (r.words - 1);
    }
    padici_ring_constants(&r);
    r.magic = PADICI_NUM_MAGIC;
    *ring = r;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_ring_init(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                           const padic_num_ring_options *options)
{
    if (!ring) return PADIC_ERROR_ARGUMENT;
    memset(ring, 0, sizeof *ring);
    if (!padic_num_is_prime(p)) return PADIC_ERROR_PRIME;
    return padici_ring_make(ring, p, precision, options, 0);
}

PADIC_API padic_result padic_num_ring_init_radix(padic_num_ring *ring, uint64_t b,
                                                 uint32_t precision,
                                                 const padic_num_ring_options *options)
{
    if (!ring) return PADIC_ERROR_ARGUMENT;
    memset(ring, 0, sizeof *ring);
    if (b < 2) return PADIC_ERROR_ARGUMENT;
    return padici_ring_make(ring, b, precision, options, !padic_num_is_prime(b));
}

static int padici_ring_is(const padic_num_ring *ring)
{
    return ring && ring->magic == PADICI_NUM_MAGIC;
}

static int padici_ring_equal(const padic_num_ring *a, const padic_num_ring *b)
{
    return a == b || (a->p == b->p && a->precision == b->precision && a->form == b->form &&
                      a->unit_size == b->unit_size);
}

// Arrays

// Words of a unit plane for `count` elements, of ring->unit_size bytes; 0 if they overflow.
static uint64_t padici_num_words(const padic_num_ring *ring, uint64_t count)
{
    const uint32_t rx = ring->form == PADIC_NUM_RX;
    uint64_t words;
    if (rx) count = (count >> 5) + ((count & 31) != 0);
    if (!padici_mul_u64(count, rx ? 32u * ring->words : ring->words, &words)) return 0;
    return words >> 58 ? 0 : words;
}

#define PADICI_NUM_TEMPS 60 // residues that an operation may use beside its operands
#define PADICI_NUM_CELLS 4  // the operands and the result of one element

PADIC_API size_t padic_num_scratch_bound(const padic_num_ring *ring)
{
    if (!padici_ring_is(ring) || ring->form != PADIC_NUM_RX) return 0;
    return (PADICI_NUM_TEMPS + PADICI_NUM_CELLS) * sizeof(uint64_t) * (size_t)ring->words;
}

// Takes `size` bytes of a block at *at, rounded to 64; the address 0 if `base` is NULL.
static void *padici_num_take(char *base, uint64_t *at, uint64_t size)
{
    void *here = base ? base + *at : NULL;
    *at += (size + 63) & ~UINT64_C(63);
    return here;
}

// The planes of an array in a block that begins at an address divisible by 64; the bytes of the
// block.
static uint64_t padici_num_lay(padic_num_array *a, const padic_num_ring *ring,
                               padic_num_model model, uint64_t count, char *base)
{
    const uint64_t padded = (count + 63) & ~UINT64_C(63);
    const uint32_t wide = ring->precision > 255;
    uint64_t at = 0;
    uint64_t shape[3];
    memset(a, 0, sizeof *a);
    a->ring = ring;
    a->model = model;
    a->count = count;
    shape[0] = ring->form == PADIC_NUM_RX ? padded / 32 : 2;
    shape[1] = ring->form == PADIC_NUM_RX ? ring->words : count;
    shape[2] = 32;
    a->unit = padic_tensor_nd(
        ring->unit_size == 4 ? PADIC_U32 : PADIC_U64,
        padici_num_take(base, &at, padici_num_words(ring, padded) * ring->unit_size),
        ring->form == PADIC_NUM_RX ? 3 : ring->form == PADIC_NUM_W128 ? 2 : 1,
        ring->form < PADIC_NUM_W128 ? &count : shape);
    if (ring->form == PADIC_NUM_W128) {
        a->unit.stride[0] = (int64_t)padded;
        a->unit.stride[1] = 1;
    }
    if (model != PADIC_NUM_RING)
        a->val = padic_tensor_1d(PADIC_I32, padici_num_take(base, &at, padded * 4), count);
    if (model == PADIC_NUM_BALL)
        a->known = padic_tensor_1d(wide ? PADIC_U16 : PADIC_U8,
                                   padici_num_take(base, &at, padded << wide), count);
    a->status = padic_tensor_1d(PADIC_U8, padici_num_take(base, &at, padded), count);
    a->scratch_size = padic_num_scratch_bound(ring);
    a->scratch = a->scratch_size ? padici_num_take(base, &at, a->scratch_size) : NULL;
    return at;
}

PADIC_API size_t padic_num_array_bound(const padic_num_ring *ring, padic_num_model model,
                                       uint64_t count)
{
    padic_num_array a;
    uint64_t size;
    if (!padici_ring_is(ring) || (uint32_t)model > PADIC_NUM_BALL || count >> 40 ||
        (count && !padici_num_words(ring, (count + 63) & ~UINT64_C(63))))
        return 0;
    size = padici_num_lay(&a, ring, model, count, NULL) + 63; // for the alignment of the block
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

PADIC_API padic_result padic_num_place(padic_num_array *array, const padic_num_ring *ring,
                                       padic_num_model model, uint64_t count, void *memory,
                                       size_t size)
{
    const size_t need = padic_num_array_bound(ring, model, count);
    const size_t skip = (size_t)(0u - (uintptr_t)memory) & 63;
    if (!array || !memory || !need) return PADIC_ERROR_ARGUMENT;
    if (size < skip || size - skip < need - 63) return PADIC_ERROR_CAPACITY;
    padici_num_lay(array, ring, model, count, (char *)memory + skip);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_place_buffer(padic_num_array *array, const padic_num_ring *ring,
                                              padic_num_model model, uint64_t count,
                                              padic_buffer buffer, uint64_t at)
{
    padic_tensor *planes[4];
    uint32_t i;
    if (!array || !buffer.id || at & 63 || at >> 55 || !padic_num_array_bound(ring, model, count))
        return PADIC_ERROR_ARGUMENT;
    padici_num_lay(array, ring, model, count, (char *)(uintptr_t)64); // as if it began there
    array->scratch = NULL;
    array->scratch_size = 0;
    planes[0] = &array->unit;
    planes[1] = &array->val;
    planes[2] = &array->known;
    planes[3] = &array->status;
    for (i = 0; i < 4; i++)
        if (planes[i]->data) {
            planes[i]->buffer = buffer;
            planes[i]->offset = ((uint64_t)(uintptr_t)planes[i]->data - 64 + at) /
                                padic_dtype_size(planes[i]->dtype);
            planes[i]->data = NULL;
        }
    return PADIC_OK;
}

// Where the planes of a call lie. One in a device's memory gets an address that is none: the number
// of its memory in the highest byte, from 1, and the byte in it below, so that ranges compare and
// advance like host memory.
#define PADICI_NUM_PLANES 20 // of one call
typedef struct padici_num_space {
    padic_mem mem[PADICI_NUM_PLANES];
    uint32_t mems, host;
} padici_num_space;

static padic_result padici_space_pointer(padic_context *context, padici_num_space *space,
                                         const padic_tensor *t, uint64_t count, void **pointer)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    padici_place place;
    uint64_t at;
    uint32_t i;
    padic_result result;
    *pointer = t->data;
    if (t->data) { // the view has been checked
        if (space) space->host = 1;
        return PADIC_OK;
    }
    if (!t->buffer.id || !space || sizeof(void *) < 8) {
        result = padici_host_pointer(context, t, pointer);
        if (space && *pointer) space->host = 1;
        return result;
    }
    if (!padici_mul_u64(t->offset, size, &at)) at = UINT64_MAX;
    result = padici_buffer_range(context, t->buffer, at, count * size, &place);
    if (result) return result;
    if (place.host) {
        space->host = 1;
        *pointer = padici_mem_at(place.mem, at);
        return PADIC_OK;
    }
    for (i = 0; i < space->mems && space->mem[i].bits != place.mem.bits;) i++;
    if (i == PADICI_NUM_PLANES || at >> 55) return PADIC_ERROR_LIMIT;
    if (i == space->mems) space->mem[space->mems++] = place.mem;
    *pointer = (void *)(uintptr_t)((uint64_t)(i + 1) << 56 | at);
    return PADIC_OK;
}

// A dense view with `count` elements of one of the dtypes in `allowed` (a mask of 1 << dtype). Only
// with a space it may lie on a device.
static padic_result padici_num_plane_in(padic_context *context, padici_num_space *space,
                                        const padic_tensor *t, uint64_t count, uint32_t allowed,
                                        void **pointer)
{
    uint64_t n, i, step = 1;
    uint32_t axis;
    int64_t stride[PADIC_MAX_RANK];
    padic_result result = padici_tensor_check_shape(t, &n);
    *pointer = NULL;
    if (result) return result;
    if (!(allowed >> (uint32_t)t->dtype & 1)) return PADIC_ERROR_DTYPE;
    if (n != count) return PADIC_ERROR_MISMATCH;
    if (!count) return PADIC_OK;
    padici_tensor_dense(t, stride);
    for (axis = t->rank; axis > 0; axis--) {
        i = t->shape[axis - 1];
        if (i > 1 && stride[axis - 1] != (int64_t)step) return PADIC_ERROR_ARGUMENT;
        step *= i;
    }
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    result = padici_space_pointer(context, space, t, count, pointer);
    if (result) return result;
    return *pointer ? PADIC_OK : PADIC_ERROR_ARGUMENT;
}

static padic_result padici_num_plane(padic_context *context, const padic_tensor *t, uint64_t count,
                                     uint32_t allowed, void **pointer)
{
    return padici_num_plane_in(context, NULL, t, count, allowed, pointer);
}

// The planes of an array as loops want them. `first` is not added yet.
static padic_result padici_num_planes_in(padic_context *context, padici_num_space *space,
                                         const padic_num_array *a, padic_num_planes *planes)
{
    const padic_num_ring *r = a->ring;
    padic_result result;
    const padic_tensor *unit = &a->unit;
    padic_tensor whole;
    const uint32_t word = 1u << (r->unit_size == 4 ? PADIC_U32 : PADIC_U64);
    uint64_t words = padici_num_words(r, a->count);
    memset(planes, 0, sizeof *planes);
    if (!a->count) return PADIC_OK;
    if (!words) return padici_blame(context, PADIC_ERROR_LIMIT, NULL, "count", NULL);
    if (r->form == PADIC_NUM_W128) { // one plane after the other, or further apart
        if (unit->rank != 2 || unit->shape[0] != 2 || unit->shape[1] != a->count)
            return padici_blame(context, unit->rank > PADIC_MAX_RANK ? PADIC_ERROR_LIMIT
                                                                     : PADIC_ERROR_MISMATCH,
                                NULL, "unit", "must have the shape (2, count)");
        planes->high = unit->stride[0] ? (uint64_t)unit->stride[0] : a->count;
        if (unit->stride[0] && (unit->stride[0] < (int64_t)a->count || unit->stride[1] != 1))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "unit", NULL);
        whole = padic_tensor_1d(unit->dtype, unit->data, words = planes->high + a->count);
        whole.buffer = unit->buffer;
        whole.offset = unit->offset;
        unit = &whole;
    } else if (r->form == PADIC_NUM_RX && unit->rank == 3) { // padding beyond the last tile is fine
        whole = a->unit;
        if (whole.shape[0] > words / (32u * r->words)) whole.shape[0] = words / (32u * r->words);
        unit = &whole;
    }
    result = padici_num_plane_in(context, space, unit, words, word, &planes->unit);
    if (result) return padici_blame(context, result, NULL, "unit", NULL);
    if (a->model != PADIC_NUM_RING) {
        result = padici_num_plane_in(context, space, &a->val, a->count,
                                     1u << PADIC_I32 | 1u << PADIC_I16, &planes->val);
        if (result) return padici_blame(context, result, NULL, "val", NULL);
        planes->val16 = a->val.dtype == PADIC_I16;
    }
    if (a->model == PADIC_NUM_BALL) {
        result = padici_num_plane_in(context, space, &a->known, a->count,
                                     (r->precision > 255 ? 0 : 1u << PADIC_U8) | 1u << PADIC_U16,
                                     &planes->known);
        if (result) return padici_blame(context, result, NULL, "known", NULL);
        planes->known16 = a->known.dtype == PADIC_U16;
    }
    return PADIC_OK;
}

static padic_result padici_num_planes_of(padic_context *context, const padic_num_array *a,
                                         padic_num_planes *planes)
{
    return padici_num_planes_in(context, NULL, a, planes);
}

// Have two arrays the same units?
static int padici_num_same_units(const padic_num_array *a, const padic_num_array *b)
{
    if (a->unit.data || b->unit.data) return a->unit.data == b->unit.data;
    return a->unit.buffer.id && a->unit.buffer.id == b->unit.buffer.id &&
           a->unit.offset == b->unit.offset;
}

static void padici_num_advance(const padic_num_ring *r, padic_num_planes *p, uint64_t first)
{
    if (!p->unit || p->scalar) return;
    p->unit = (char *)p->unit +
              (r->form == PADIC_NUM_RX ? first * r->words : first) * r->unit_size; // first in tiles
    if (p->val) p->val = (char *)p->val + first * (p->val16 ? 2 : 4);
    if (p->known) p->known = (char *)p->known + first * (p->known16 ? 2 : 1);
}

// Elements

// One number at work: NaN and ZERO by v as in a plane, `bits` what happened to it.
typedef struct padici_cell {
    int32_t v;
    uint32_t n, bits;
    uint64_t *u; // ring->words words
} padici_cell;

PADICI_INLINE uint64_t padici_word(const padic_num_ring *r, const void *plane, uint64_t i)
{
    return r->unit_size == 4 ? ((const uint32_t *)plane)[i] : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_word_set(const padic_num_ring *r, void *plane, uint64_t i, uint64_t x)
{
    if (r->unit_size == 4)
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

// As it stands in the plane.
PADICI_INLINE int32_t padici_val_raw(const padic_num_planes *p, uint64_t i)
{
    int32_t v;
    if (!p->val16) return ((const int32_t *)p->val)[i];
    v = ((const int16_t *)p->val)[i];
    return v == PADIC_NUM_ZERO16 ? PADIC_NUM_ZERO : v == PADIC_NUM_NAN16 ? PADIC_NUM_NAN : v;
}

PADICI_INLINE int padici_val_finite(int32_t v)
{
    const uint32_t most = (uint32_t)PADIC_NUM_MAX_VALUATION;
    return (uint32_t)v + most <= 2 * most;
}

// As operations see it: beyond the limits it is what a result there would have become, so that
// sums of valuations stay below 2^31.
PADICI_INLINE int32_t padici_val_load(const padic_num_planes *p, uint64_t i)
{
    const int32_t v = padici_val_raw(p, i);
    return padici_val_finite(v) ? v : v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
}

PADICI_INLINE void padici_val_store(const padic_num_planes *p, uint64_t i, int32_t v)
{
    if (!p->val16)
        ((int32_t *)p->val)[i] = v;
    else
        ((int16_t *)p->val)[i] = (int16_t)(v == PADIC_NUM_ZERO  ? PADIC_NUM_ZERO16
                                           : v == PADIC_NUM_NAN ? PADIC_NUM_NAN16
                                                                : v);
}

// Where the words of element i begin, and the distance from one to the next.
PADICI_INLINE uint64_t padici_num_at(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                     uint64_t *step)
{
    *step = r->form == PADIC_NUM_RX ? 32 : p->high;
    return r->form == PADIC_NUM_RX ? (i >> 5) * 32 * r->words + (i & 31) : i;
}

// Element i of an operand as it stands; x->u has room. A NaN brings its status byte as bits.
static void padici_cell_raw(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                            padici_cell *x)
{
    uint64_t at, step;
    uint32_t k;
    if (p->scalar) i = 0;
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) x->u[k] = padici_word(r, p->unit, at + k * step);
    x->v = p->val ? padici_val_raw(p, i) : 0;
    x->n = r->precision;
    x->bits = 0;
    if (p->known)
        x->n = p->known16 ? ((const uint16_t *)p->known)[i] : ((const uint8_t *)p->known)[i];
    if (x->v == PADIC_NUM_NAN) x->bits = (uint32_t)x->u[0] & 255;
}

// Is u below p^n, n <= N, limb by limb?
static int padici_ring_below(const padic_num_ring *r, const uint64_t *u, uint32_t n)
{
    uint32_t i, k;
    if (r->form < PADIC_NUM_W128)
        return n == r->precision ? !r->base || u[0] < r->base : u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_wide_less(padici_wide_load(u), padici_wide_load(r->power[n]));
    for (i = 0; i < r->words; i++, n -= k) {
        k = n < r->limb_digits ? n : r->limb_digits;
        if (u[i] >= r->power[k][0]) return 0;
    }
    return 1;
}

// u mod p^n of any words.
static void padici_ring_tame(const padic_num_ring *r, uint64_t *u, uint32_t n)
{
    padici_wide rest;
    uint32_t i, k;
    if (r->form == PADIC_NUM_W128) {
        padici_wide_div(padici_wide_load(u), padici_wide_load(r->power[n]), &rest);
        padici_wide_store(u, rest);
    } else if (r->form < PADIC_NUM_W128) {
        u[0] %= r->power[n][0];
    } else {
        for (i = 0; i < r->words; i++, n -= k) {
            k = n < r->limb_digits ? n : r->limb_digits;
            u[i] %= r->power[k][0];
        }
    }
}

// Element i of an operand. Planes are the caller's, so whatever they hold: u below p^n, n at most
// N, v within its limits or special. That p does not divide u is taken on trust.
static void padici_cell_load(const padic_num_call *call, const padic_num_planes *p, uint64_t i,
                             padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    padici_cell_raw(r, p, i, x);
    if (PADICI_UNLIKELY(!padici_val_finite(x->v)) && x->v != PADIC_NUM_ZERO) {
        if (x->v != PADIC_NUM_NAN) {
            x->bits = x->v > 0 ? PADIC_NUM_INEXACT : PADIC_NUM_RANGE;
            x->v = x->v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
        }
        memset(x->u, 0, r->words * sizeof *x->u);
        x->u[0] = x->v == PADIC_NUM_NAN ? x->bits : 0;
        x->n = p->known ? 0 : x->n;
        return;
    }
    if (PADICI_UNLIKELY(x->n > r->precision)) x->n = r->precision;
    if (PADICI_UNLIKELY(!padici_ring_below(r, x->u, x->n))) padici_ring_tame(r, x->u, x->n);
}

// Writes element i of call->out: specials for hard bits and for valuations beyond the limits, the
// status byte, and the bits of the call.
static void padici_cell_store(padic_num_call *call, uint64_t i, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    const padic_num_planes *p = &call->out;
    uint64_t at, step;
    uint32_t k;
    if (p->val && x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN) {
        const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
        if (x->v > limit) {
            x->v = PADIC_NUM_ZERO;
            x->bits |= PADIC_NUM_INEXACT;
        } else if (x->v < -limit) {
            x->bits |= PADIC_NUM_RANGE;
        }
    }
    if (x->bits & PADIC_NUM_HARD) x->v = PADIC_NUM_NAN;
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) {
        memset(x->u, 0, r->words * sizeof *x->u);
        x->n = 0;
        if (p->val && x->v == PADIC_NUM_NAN) x->u[0] = x->bits;
    }
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) padici_word_set(r, p->unit, at + k * step, x->u[k]);
    if (p->val) padici_val_store(p, i, x->v);
    if (p->known) {
        if (p->known16)
            ((uint16_t *)p->known)[i] = (uint16_t)x->n;
        else
            ((uint8_t *)p->known)[i] = (uint8_t)x->n;
    }
    if (call->status) call->status[i] = (uint8_t)x->bits;
    call->bits |= x->bits;
}

// Makes p^v u canonical. In: u any residue, n digits of it known. FLOAT: strips p from u; 0 becomes
// ZERO with PRECLOSS. BALL: u mod p^n, then the same; nothing left is O(p^(v+n)) with PRECLOSS.
static void padici_cell_normal(const padic_num_call *call, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    uint32_t w;
    if (call->model == PADIC_NUM_RING || x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN ||
        x->bits & PADIC_NUM_HARD)
        return;
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
    w = padici_ring_valuation(r, x->u);
    if (w == r->precision) { // u is 0
        if (call->model == PADIC_NUM_FLOAT)
            x->v = PADIC_NUM_ZERO;
        else if (x->n)
            x->v += (int32_t)x->n;
        else
            return; // O(p^v) as it came
        x->n = 0;
        x->bits |= PADIC_NUM_PRECLOSS;
    } else if (w) {
        padici_ring_down(r, x->u, x->u, w);
        x->v += (int32_t)w;
        x->n -= w;
    }
}

// One element of an operation: *x from *a, *b, *c, those that the operation has. x->u is none of
// theirs; x comes with v = 0, n = N, bits = 0. `temp` has room for PADICI_NUM_TEMPS residues.
typedef void (*padici_num_one)(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                               const padici_cell *b, const padici_cell *c, uint64_t *temp);

// Elements first to end - 1 of any operation, for every form and model.
static void padici_num_span(padic_num_call *call, uint64_t first, uint64_t end, padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)];
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local, i;
    padici_cell x, a, b, c;
    memset(&x, 0, sizeof x);
    a = b = c = x;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    c.u = words + 3 * r->words;
    for (i = first; i < end; i++) {
        if (call->a.unit) padici_cell_load(call, &call->a, i, &a);
        if (call->b.unit) padici_cell_load(call, &call->b, i, &b);
        if (call->c.unit) padici_cell_load(call, &call->c, i, &c);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        (*one)(call, &x, &a, &b, &c, words + PADICI_NUM_CELLS * r->words);
        padici_cell_store(call, i, &x);
    }
}

// The plain loop of an operation.
PADICI_INLINE void padici_num_each(padic_num_call *call, padici_num_one one)
{
    padici_num_span(call, 0, call->count, one);
}

// Calls

#define PADICI_NUM_SILENT \
    "an element has no result, and there is neither status nor sticky to say which"

#define PADICI_NUM_OTHERS 4
#define PADICI_NUM_CHUNKS 64u // so that the bits of all chunks fit on the stack

// A range of memory that a call uses.
typedef struct padici_num_range {
    uintptr_t begin, end;
    uint32_t kind; // planes of the same kind may be the same range; 0: may not
    uint32_t out;
} padici_num_range;

// An operation on whole arrays. The caller sets kernel, k, dtype, ... of `call`, the arrays (NULL:
// none) and the loop; padici_num_run() does the rest. Other operands are dense tensors with
// other_each[j] elements for each number, found by the loop in call->other[j]; the dtype of the
// first is call->dtype.
typedef struct padici_num_task {
    padic_num_call call;
    const padic_num_array *out, *a, *b, *c;
    const padic_tensor *other[PADICI_NUM_OTHERS];
    uint64_t other_each[PADICI_NUM_OTHERS]; // 0: 1
    uint32_t other_planes;      // bit j: other[j] has shape (other_each[j], count), not the reverse
    uint64_t c_count;                       // c has this many elements, and stays where it is ...
    uint32_t c_moves;                       // 1: ... or moves on with the others
    uint32_t c_out; // 1: c is the result of all elements of a (and b): one piece, one status byte
    uint32_t other_dtypes[PADICI_NUM_OTHERS]; // allowed, 1 << dtype
    uint32_t other_out;         // bit j: other[j] is written
    const padic_tensor *status; // where there is no `out` array
    uint32_t *sticky;
    uint32_t composite; // 1: a composite radix will do
    uint32_t whole;      // 1: never cut into pieces
    uint32_t free_rings; // 1: a and b may have rings of their own (precision, prime)
    void (*loop)(padic_num_call *call);
    const char *name;           // of the operation, and of its operands: out, a, b, c,
    const char *field[4];
    const char *other_field[PADICI_NUM_OTHERS];
    // of padici_num_run()
    padic_context *context;
    padici_num_space space;
    uint32_t range_count;
    uint32_t *sticky_word;
    uint32_t report; // 1: on a device, too, call.bits is wanted
    uint64_t count, chunk;
    size_t scratch, scratch_pieces; // bytes for one piece, and for how many there are
    // from here on not cleared first
    padici_num_range ranges[PADICI_NUM_PLANES + 2];
    uint32_t bits[PADICI_NUM_CHUNKS];
} padici_num_task;

// The call for elements first to first + count - 1.
static padic_num_call padici_num_part(const padici_num_task *task, uint64_t first, uint64_t count)
{
    padic_num_call call = task->call;
    uint32_t j;
    call.first = first;
    call.count = count;
    padici_num_advance(call.ring, &call.out, first);
    padici_num_advance(task->a ? task->a->ring : call.ring, &call.a, first);
    padici_num_advance(task->b ? task->b->ring : call.ring, &call.b, first);
    padici_num_advance(call.ring, &call.c, first);
    if (call.status) call.status += first;
    for (j = 0; j < PADICI_NUM_OTHERS; j++)
        if (call.other[j])
            call.other[j] = (char *)call.other[j] +
                            first * (task->other_planes >> j & 1 ? 1 : task->other_each[j]) *
                                padic_dtype_size(task->other[j]->dtype);
    return call;
}

static void padici_num_loop(const padici_num_task *task, padic_num_call *call)
{
    if (!call->kernel || padici_kernel(task->context, call->kernel, call) != PADIC_OK)
        (*task->loop)(call);
}

static void padici_num_chunk(void *arg, uint32_t index)
{
    padici_num_task *task = (padici_num_task *)arg;
    const uint64_t first = index * task->chunk, left = task->count - first;
    padic_num_call call = padici_num_part(task, first, left < task->chunk ? left : task->chunk);
    if (call.scratch) call.scratch = (char *)call.scratch + index * task->scratch;
    padici_num_loop(task, &call);
    task->bits[index] = call.bits;
}

static void padici_num_range_add(padici_num_range *list, uint32_t *n, const void *p, uint64_t bytes,
                                 uint32_t kind, uint32_t out)
{
    if (!p || !bytes) return;
    list[*n].begin = (uintptr_t)p;
    list[*n].end = (uintptr_t)p + (uintptr_t)bytes;
    list[*n].kind = kind;
    list[*n].out = out;
    ++*n;
}

static void padici_num_ranges(const padic_num_ring *r, const padic_num_planes *p, uint64_t count,
                              uint32_t out, padici_num_range *list, uint32_t *n)
{
    uint64_t words = p->high ? p->high + count : padici_num_words(r, count);
    padici_num_range_add(list, n, p->unit, words * r->unit_size, 1, out);
    padici_num_range_add(list, n, p->val, count * (p->val16 ? 2 : 4), 2, out);
    padici_num_range_add(list, n, p->known, count * (p->known16 ? 2 : 1), 3, out);
}

static padic_result padici_num_overlap(const padici_num_range *list, uint32_t n)
{
    uint32_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n && list[i].out; j++) {
            const int same = list[i].begin == list[j].begin && list[i].end == list[j].end &&
                             list[i].kind == list[j].kind && list[i].kind && !list[j].out;
            if (i != j && !same && list[i].begin < list[j].end && list[j].begin < list[i].end)
                return PADIC_ERROR_OVERLAP;
        }
    return PADIC_OK;
}

// One array operand: is it sound, and does it go with the others?
static padic_result padici_num_operand(padici_num_task *task, const padic_num_array *a,
                                       padic_num_planes *planes, padici_num_range *list,
                                       uint32_t *n)
{
    const int out = planes == &task->call.out || (planes == &task->call.c && task->c_out);
    const int own = task->free_rings && (planes == &task->call.a || planes == &task->call.b);
    const int moves = planes == &task->call.c && task->c_count;
    padic_context *const context = task->context;
    padic_result result;
    if (!padici_ring_is(a->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)a->model > PADIC_NUM_BALL)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "model",
                            "must be RING, FLOAT or BALL");
    if (a->ring->composite && !task->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, NULL, "ring",
                            "has a radix that is no prime: only digits and text take one");
    if (!own && !padici_ring_equal(a->ring, task->call.ring))
        return padici_blame(context, PADIC_ERROR_RING, NULL, "ring",
                            "is another than that of the others: convert with "
                            "num_set_precision or num_change_prime");
    if (!own && a->model != task->call.model)
        return padici_blame(context, PADIC_ERROR_RING, NULL, "model",
                            "is another than that of the others: all are RING, FLOAT or BALL");
    if (moves ? a->count != task->c_count : a->count != task->count && (out || a->count != 1))
        return padici_blame(context, PADIC_ERROR_MISMATCH, NULL, "count",
                            out || moves ? "is not what the other operands ask for"
                                         : "must be 1 or that of the others");
    result = padici_num_planes_in(context, &task->space, a, planes);
    if (result) return result;
    planes->scalar = moves ? !task->c_moves : a->count != task->count;
    padici_num_ranges(a->ring, planes, a->count, (uint32_t)out, list, n);
    return PADIC_OK;
}

// Checks everything, then runs the loop, in pieces if the context has workers.
static padic_result padici_num_check_task(padici_num_task *task)
{
    padic_num_call *call = &task->call;
    const padic_num_array *arrays[4];
    padic_num_planes *planes[4];
    padici_num_range *const list = task->ranges;
    const padic_num_array *target = task->c_out ? task->c : task->out;
    const padic_num_array *owner = target ? target : task->a; // of the scratch
    const padic_tensor *status = target ? &target->status : task->status;
    uint32_t j, n = 0;
    padic_result result;
    arrays[0] = task->out;
    arrays[1] = task->a;
    arrays[2] = task->b;
    arrays[3] = task->c;
    planes[0] = &call->out;
    planes[1] = &call->a;
    planes[2] = &call->b;
    planes[3] = &call->c;
    for (j = 0; j < 4; j++)
        if (arrays[j]) {
            result = padici_num_operand(task, arrays[j], planes[j], list, &n);
            if (result) return padici_blame(task->context, result, task->field[j], NULL, NULL);
        }
    for (j = 0; j < PADICI_NUM_OTHERS; j++)
        if (task->other[j]) {
            uint64_t count;
            if (!task->other_each[j]) task->other_each[j] = 1;
            result = PADIC_ERROR_LIMIT;
            if (padici_mul_u64(task->count, task->other_each[j], &count))
                result = padici_num_plane_in(task->context, &task->space, task->other[j], count,
                                             task->other_dtypes[j], &call->other[j]);
            if (result)
                return padici_blame(task->context, result, task->other_field[j], NULL, NULL);
            padici_num_range_add(list, &n, call->other[j],
                                 count * padic_dtype_size(task->other[j]->dtype), 0,
                                 task->other_out >> j & 1);
        }
    if (task->other[0]) call->dtype = task->other[0]->dtype;
    if (status && (status->dtype || status->data)) {
        const uint64_t count = task->c_out ? 1 : task->count;
        void *p;
        result = padici_num_plane_in(task->context, &task->space, status, count, 1u << PADIC_U8,
                                     &p);
        if (result) return padici_blame(task->context, result, "status", NULL, NULL);
        call->status = (uint8_t *)p;
        padici_num_range_add(list, &n, p, count, 0, 1);
    }
    if (target && (target->sticky_word.dtype || target->sticky_word.data)) {
        void *p;
        result = padici_num_plane_in(task->context, &task->space, &target->sticky_word, 1,
                                     1u << PADIC_U32, &p);
        if (result) return padici_blame(task->context, result, "sticky_word", NULL, NULL);
        task->sticky_word = (uint32_t *)p;
        padici_num_range_add(list, &n, p, sizeof(uint32_t), 0, 1);
    }
    if (target && target->sticky) task->sticky = target->sticky;
    if (!padici_aligned(task->sticky, sizeof *task->sticky))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "sticky", NULL, NULL);
    padici_num_range_add(list, &n, task->sticky, sizeof(uint32_t), 0, 1);
    if (call->ring->form == PADIC_NUM_RX || (task->a && task->a->ring->form == PADIC_NUM_RX)) {
        task->scratch = padic_num_scratch_bound(call->ring);
        if (task->a && padic_num_scratch_bound(task->a->ring) > task->scratch)
            task->scratch = padic_num_scratch_bound(task->a->ring);
        if (task->free_rings && owner->scratch_size < task->scratch) owner = task->a;
        if (!owner->scratch || owner->scratch_size < task->scratch)
            return task->count || task->c_out
                       ? padici_blame(task->context, PADIC_ERROR_CAPACITY, "scratch", NULL,
                                      "is missing or too small: see num_scratch_bound")
                       : PADIC_OK;
        if (!padici_aligned(owner->scratch, 8))
            return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "scratch", NULL, NULL);
        call->scratch = owner->scratch;
        task->scratch_pieces = owner->scratch_size / task->scratch;
        padici_num_range_add(list, &n, owner->scratch, owner->scratch_size, 0, 1);
    }
    task->range_count = n;
    if (task->space.mems && task->space.host) return PADIC_ERROR_ARGUMENT;
    return padici_num_overlap(list, n);
}

// Runs the loop, in pieces if the context has workers.
static void padici_num_pieces(padici_num_task *task)
{
    const padic_jobs *jobs = padici_jobs(task->context);
    uint64_t pieces = 1;
    uint32_t j;
    if (jobs && jobs->workers > 1 && !task->c_out && !task->whole) pieces += task->count >> 14;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    if (task->scratch && pieces > task->scratch_pieces) pieces = task->scratch_pieces;
    task->chunk = ((task->count + pieces - 1) / pieces + 63) & ~UINT64_C(63);
    pieces = task->count ? (task->count + task->chunk - 1) / task->chunk : 1;
    if (pieces > 1) {
        padici_parallel(jobs, (uint32_t)pieces, padici_num_chunk, task);
        for (j = 0; j < pieces; j++) task->call.bits |= task->bits[j];
    } else {
        task->call.count = task->count;
        padici_num_loop(task, &task->call);
    }
    if (task->sticky_word) *task->sticky_word |= task->call.bits;
}

// Moves a pointer of the call from a device's memory to the copy of its range.
static void padici_num_redirect(const padici_num_task *task, char *base, const uint64_t *at,
                                void **pointer)
{
    uint32_t i;
    for (i = 0; i < task->range_count && *pointer; i++)
        if ((uintptr_t)*pointer == task->ranges[i].begin) {
            *pointer = base + at[i];
            return;
        }
}

static void padici_num_redirect_all(padici_num_task *task, char *base, const uint64_t *at)
{
    padic_num_planes *planes[4];
    void *status = task->call.status, *word = task->sticky_word;
    uint32_t i;
    planes[0] = &task->call.out;
    planes[1] = &task->call.a;
    planes[2] = &task->call.b;
    planes[3] = &task->call.c;
    for (i = 0; i < 4; i++) {
        padici_num_redirect(task, base, at, &planes[i]->unit);
        padici_num_redirect(task, base, at, &planes[i]->val);
        padici_num_redirect(task, base, at, &planes[i]->known);
        padici_num_redirect(task, base, at, &task->call.other[i]);
    }
    padici_num_redirect(task, base, at, &status);
    padici_num_redirect(task, base, at, &word);
    task->call.status = (uint8_t *)status;
    task->sticky_word = (uint32_t *)word;
}

static uint64_t padici_num_range_size(const padici_num_range *range)
{
    return (uint64_t)(range->end - range->begin);
}

// Copies of the ranges that lie on the device, to the host or back.
static padic_result padici_num_copies(padici_num_task *task, char *base, const uint64_t *at,
                                      int back)
{
    padic_context *const context = task->context;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < task->range_count && !result; i++) {
        const padici_num_range *range = &task->ranges[i];
        const uint64_t address = (uint64_t)range->begin, size = padici_num_range_size(range);
        padici_place device, host;
        if (at[i] == UINT64_MAX || (back && !range->out)) continue;
        device.mem = task->space.mem[(address >> 56) - 1];
        device.at = address & (UINT64_MAX >> 8);
        device.host = 0;
        host.mem.bits = (uint64_t)(uintptr_t)base;
        host.at = at[i];
        host.host = 1;
        result = padici_target_move(context, &context->targets[0], back ? &device : &host,
                                    back ? &host : &device, size);
        context->stats.kernels.staged_bytes += size;
    }
    return result;
}

// The loop on copies in host memory, which is no more than a detour.
static padic_result padici_num_staged(padici_num_task *task)
{
    padic_context *const context = task->context;
    uint64_t at[PADICI_NUM_PLANES + 2], size = 0;
    uint32_t i, j, block;
    char *base;
    padic_result result;
    if (context->strict)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, task->name,
                              "not done by the device, and this context is strict");
    for (i = 0; i < task->range_count; i++) { // in place: one copy
        at[i] = UINT64_MAX;
        for (j = 0; j < i && task->ranges[j].begin != task->ranges[i].begin;) j++;
        if (j < i) at[i] = at[j];
        if (j < i || task->ranges[i].begin == (uintptr_t)task->sticky ||
            (task->scratch && task->ranges[i].begin == (uintptr_t)task->call.scratch))
            continue;
        at[i] = size;
        size += (padici_num_range_size(&task->ranges[i]) + 63) & ~UINT64_C(63);
    }
    result = padici_pool_take(context, &context->pools[1], size ? size : 1, &block);
    if (result) return result;
    base = (char *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_num_copies(task, base, at, 0);
    if (!result) {
        padici_num_redirect_all(task, base, at);
        padici_num_pieces(task);
        result = padici_num_copies(task, base, at, 1);
    }
    padici_pool_give(context, &context->pools[1], block);
    if (!result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "num: an operation on buffers was done on the host (said once)");
    return result;
}

// Planes on a device: by its driver, or on copies.
static padic_result padici_num_device(padici_num_task *task)
{
    const uint32_t kernel = task->call.kernel;
    const int soft = // no hard bit can come of these
        kernel == PADIC_KERNEL_NUM_EQUAL || kernel == PADIC_KERNEL_NUM_TROPICAL ||
        kernel == PADIC_KERNEL_NUM_RANDOM ||
        (task->call.model == PADIC_NUM_RING &&
         ((kernel >= PADIC_KERNEL_NUM_ADD && kernel <= PADIC_KERNEL_NUM_FMA) ||
          kernel == PADIC_KERNEL_NUM_HORNER || kernel == PADIC_KERNEL_NUM_DOT ||
          kernel == PADIC_KERNEL_NUM_SUM || kernel == PADIC_KERNEL_NUM_FROM_INT));
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    task->report = task->sticky || (!task->sticky_word && !task->call.status && !soft);
    if (kernel) result = padici_drive(task->context, kernel, task, 1);
    if (!result) result = padici_drive(task->context, kernel, task, 0);
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_num_staged(task);
    if (!result) task->context->stats.kernels.calls++;
    return result;
}

static padic_result padici_num_run(padic_context *context, padici_num_task *task)
{
    const padic_num_array *first = task->out ? task->out : task->a;
    padic_result result;
    task->context = context;
    if (!first || !padici_ring_is(first->ring)) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, task->field[task->out ? 0 : 1], "ring",
                     "was not made by num_ring_init");
        return padici_fault(context, PADIC_ERROR_ARGUMENT, task->name);
    }
    task->call.ring = first->ring;
    task->call.model = first->model;
    task->count = first->count;
    result = padici_num_check_task(task);
    if (result == PADIC_ERROR_ARGUMENT && task->space.mems && task->space.host)
        padici_blame(context, result, NULL, NULL,
                     "planes in host memory and on a device in one call");
    if (result) return padici_fault(context, result, task->name);
    if (!task->count && !task->c_out) return PADIC_OK;
    if (task->space.mems)
        result = padici_num_device(task);
    else
        padici_num_pieces(task);
    if (result) return result;
    if (task->sticky) *task->sticky |= task->call.bits;
    if (task->call.bits & PADIC_NUM_HARD && !task->sticky && !task->call.status &&
        !task->sticky_word)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, task->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

static void padici_num_task_begin(padici_num_task *task, const char *name, uint32_t kernel,
                                  void (*loop)(padic_num_call *call), const padic_num_array *out,
                                  const padic_num_array *a, const padic_num_array *b,
                                  const padic_num_array *c)
{
    memset(task, 0, offsetof(padici_num_task, ranges));
    task->name = name;
    task->field[0] = "out";
    task->field[1] = "a";
    task->field[2] = "b";
    task->field[3] = "c";
    task->call.kernel = kernel;
    task->loop = loop;
    task->out = out;
    task->a = a;
    task->b = b;
    task->c = c;
}

// One value

PADIC_API padic_result padic_num_get(const padic_num_array *array, uint64_t index,
                                     padic_num_value *value)
{
    padic_num_call call;
    padici_cell x;
    padic_result result;
    if (!array || !value || !padici_ring_is(array->ring)) return PADIC_ERROR_ARGUMENT;
    memset(value, 0, sizeof *value);
    if (array->ring->form == PADIC_NUM_RX) return PADIC_ERROR_NOT_SUPPORTED;
    if (index >= array->count) return PADIC_ERROR_REGION;
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    if ((result = padici_num_planes_of(NULL, array, &call.a)) != PADIC_OK) return result;
    x.u = value->u;
    padici_cell_raw(call.ring, &call.a, index, &x);
    value->v = x.v;
    value->n = x.n;
    return PADIC_OK;
}

// Is a cell what a plane may hold? `a` is a residue by words; limbs are checked one by one.
static int padici_cell_canonical(const padic_num_call *call, const padic_num_planes *p,
                                 const padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    uint64_t limbs_above = 0;
    uint32_t i, n;
    if (x->v == PADIC_NUM_NAN && p->val) {
        for (i = 1; i < r->words; i++) limbs_above |= x->u[i];
        return x->u[0] < 256 && !limbs_above && (!p->known || !x->n) && x->u[0] & PADIC_NUM_HARD;
    }
    if (r->form == PADIC_NUM_RX) {
        for (i = 0; i < r->words; i++)
            if (x->u[i] >= padici_limb_base(r, i)) return 0;
    } else if (r->form == PADIC_NUM_W128) {
        if (!padici_wide_less(padici_wide_load(x->u), padici_modulus(r))) return 0;
    } else if (r->base && x->u[0] >= r->base) {
        return 0;
    }
    if (call->model == PADIC_NUM_RING) return 1;
    if (x->v == PADIC_NUM_ZERO) return padici_ring_is_zero(r, x->u) && (!p->known || !x->n);
    if (x->v > limit || x->v < -limit || x->n > r->precision) return 0;
    if (call->model == PADIC_NUM_BALL && !x->n) return padici_ring_is_zero(r, x->u);
    if (padici_ring_digit(r, x->u) == 0) return 0;
    n = x->n;
    if (n == r->precision) return 1;
    if (r->form < PADIC_NUM_W128) return x->u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_wide_less(padici_wide_load(x->u), padici_wide_load(r->power[n]));
    for (i = n / r->limb_digits + 1; i < r->words; i++) limbs_above |= x->u[i];
    return !limbs_above && x->u[n / r->limb_digits] < r->power[n % r->limb_digits][0];
}

PADIC_API padic_result padic_num_set(const padic_num_array *array, uint64_t index,
                                     const padic_num_value *value)
{
    padic_num_call call;
    padici_cell x;
    uint64_t u[2];
    padic_result result;
    if (!array || !value || !padici_ring_is(array->ring)) return PADIC_ERROR_ARGUMENT;
    if (array->ring->form == PADIC_NUM_RX) return PADIC_ERROR_NOT_SUPPORTED;
    if (index >= array->count) return PADIC_ERROR_REGION;
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    call.model = array->model;
    if ((result = padici_num_planes_of(NULL, array, &call.out)) != PADIC_OK) return result;
    u[0] = value->u[0];
    u[1] = value->u[1];
    x.u = u;
    x.v = array->model == PADIC_NUM_RING ? 0 : value->v;
    x.n = array->model == PADIC_NUM_BALL ? value->n : array->ring->precision;
    x.bits = x.v == PADIC_NUM_NAN ? (uint32_t)u[0] : 0;
    if ((array->ring->words == 1 && u[1]) || !padici_cell_canonical(&call, &call.out, &x))
        return PADIC_ERROR_DOMAIN;
    padici_cell_store(&call, index, &x);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_check(padic_context *context, const padic_num_array *array,
                                       uint64_t *bad)
{
    padic_num_call call;
    padici_cell x;
    uint64_t local[2], i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (bad) *bad = 0;
    if (!array || !padici_ring_is(array->ring) || (uint32_t)array->model > PADIC_NUM_BALL)
        return padici_fail_in(context, result, "num_check", "array has no ring, or no such model");
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    call.model = array->model;
    if ((result = padici_num_planes_of(context, array, &call.a)) != PADIC_OK) {
        padici_blame(context, result, "array", NULL, NULL);
        return padici_fault(context, result, "num_check");
    }
    x.u = local;
    if (array->ring->form == PADIC_NUM_RX) {
        if (!array->scratch || array->scratch_size < padic_num_scratch_bound(array->ring))
            return padici_fail_in(context, PADIC_ERROR_CAPACITY, "num_check",
                                  "array.scratch is too small: see num_scratch_bound");
        if (!padici_aligned(array->scratch, 8))
            return padici_fail_in(context, PADIC_ERROR_ALIGNMENT, "num_check",
                                  "array.scratch is no multiple of 8: move it");
        x.u = (uint64_t *)array->scratch;
    }
    for (i = 0; i < array->count; i++) {
        padici_cell_raw(call.ring, &call.a, i, &x);
        if (!padici_cell_canonical(&call, &call.a, &x)) {
            if (bad) *bad = i;
            return padici_fail_in(context, PADIC_ERROR_CORRUPT, "num_check",
                                  "an element of array is not canonical: *bad says which");
        }
    }
    return PADIC_OK;
}

