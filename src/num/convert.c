#include "convert.h"
#include "../core/words.h"
#include "residue.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ------------------------------------------------------------------------------ >>convert impl
//
// Integers in conversion are padici_num_big: binary words in buffers of the loop. A number made
// from one is first split into p^v and a unit, also for a ring, and then made canonical for the
// model.

PADICI_FN padici_num_divisor padici_num_divisor_make(uint64_t d)
{
    padici_num_divisor x;
    x.shift = padici_clz64(d);
    x.d = d << x.shift;
    x.reciprocal = padici_num_reciprocal(x.d);
    return x;
}

PADICI_FN void padici_num_big_set(padici_num_big *b, uint64_t x)
{
    b->w[0] = x;
    b->n = x != 0;
}

PADICI_FN void padici_num_big_trim(padici_num_big *b)
{
    while (b->n && !b->w[b->n - 1]) b->n--;
}

PADICI_FN uint64_t padici_num_big_bits(const padici_num_big *b)
{
    return b->n ? 64 * (uint64_t)b->n - padici_clz64(b->w[b->n - 1]) : 0;
}

PADICI_FN int padici_num_big_less(const padici_num_big *a, const padici_num_big *b)
{
    uint32_t i = a->n;
    if (a->n != b->n) return a->n < b->n;
    while (i > 0 && a->w[i - 1] == b->w[i - 1]) i--;
    return i > 0 && a->w[i - 1] < b->w[i - 1];
}

// b = b m + c for m not 0; 0 if there is no room.
PADICI_FN int padici_num_big_mul_add(padici_num_big *b, uint64_t m, uint64_t c)
{
    uint32_t i;
    for (i = 0; i < b->n; i++) {
        const padici_num_wide x =
            padici_num_wide_add(padici_num_wide_mul(b->w[i], m), padici_num_wide_make(c, 0));
        b->w[i] = x.low;
        c = x.high;
    }
    if (!c) return 1;
    if (b->n == b->room) return 0;
    b->w[b->n++] = c;
    return 1;
}

// a -= b, a >= b.
PADICI_FN void padici_num_big_sub(padici_num_big *a, const padici_num_big *b)
{
    uint64_t borrow = 0;
    uint32_t i;
    for (i = 0; i < a->n; i++) {
        const uint64_t x = a->w[i], y = i < b->n ? b->w[i] : 0, d = x - y;
        a->w[i] = d - borrow;
        borrow = (x < y) | (d < borrow);
    }
    padici_num_big_trim(a);
}

// b 2^k; 0 if there is no room.
PADICI_FN int padici_num_big_up(padici_num_big *b, uint64_t k)
{
    int fits = 1;
    for (; k && b->n && fits; k -= k < 63 ? k : 63)
        fits = padici_num_big_mul_add(b, UINT64_C(1) << (k < 63 ? k : 63), 0);
    return fits;
}

// b = floor(b / d); returns the remainder.
PADICI_FN uint64_t padici_num_big_div(padici_num_big *b, const padici_num_divisor *d)
{
    uint64_t rest = 0;
    uint32_t i = b->n;
    while (i-- > 0)
        b->w[i] = padici_num_divide(
            padici_num_wide_make(
                b->w[i] << d->shift,
                rest | padici_num_wide_shl(padici_num_wide_make(b->w[i], 0), d->shift).high),
            d->d, d->reciprocal, &rest);
    padici_num_big_trim(b);
    return rest >> d->shift;
}

// The largest digit count whose power of p is below 2^64.
PADICI_FN uint32_t padici_num_word_digits(const padic_num_ring *r)
{
    uint32_t k = 1;
    while (k + 1 < r->power_count && !r->power[k + 1][1]) k++;
    return k;
}

// b p^v; 0 if there is no room.
PADICI_FN int padici_num_big_power(const padic_num_ring *r, padici_num_big *b, uint64_t v)
{
    const uint32_t most = v ? padici_num_word_digits(r) : 1;
    int fits = 1;
    for (; v && b->n && fits; v -= v < most ? v : most)
        fits = padici_num_big_mul_add(b, r->power[v < most ? v : most][0], 0);
    return fits;
}

// b / p if that is exact, p odd: from the lowest word up, q = w p^-1 mod 2^64, and the high word of
// q p is subtracted from the next word; the last carry must be 0. Writes only if `store`.
static int padici_num_big_exact(const padic_num_ring *r, padici_num_big *b, int store)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < b->n; i++) {
        const uint64_t w = b->w[i], q = (w - carry) * r->inverse;
        carry = padici_mulhi64(q, r->p) + (w < carry);
        if (store) b->w[i] = q;
    }
    padici_num_big_trim(b);
    return !carry;
}

// b, not 0, = p^v b': b' and v.
PADICI_FN uint32_t padici_num_big_strip(const padic_num_ring *r, padici_num_big *b)
{
    uint32_t v = 0, i, words = 0, bits;
    if (r->p == 2) {
        while (!b->w[words]) words++;
        bits = padici_ctz64(b->w[words]);
        for (i = words; i < b->n; i++)
            b->w[i - words] =
                padici_num_wide_shr(padici_num_wide_make(b->w[i], i + 1 < b->n ? b->w[i + 1] : 0),
                                    bits)
                    .low;
        b->n -= words;
        padici_num_big_trim(b);
        return 64 * words + bits;
    }
    for (; b->n > 1 && padici_num_big_exact(r, b, 0); v++) padici_num_big_exact(r, b, 1);
    if (b->n == 1)
        for (; b->w[0] * r->inverse <= UINT64_MAX / r->p; v++) b->w[0] *= r->inverse;
    return v;
}

// Binary words of a residue; b has room for r->words.
PADICI_FN void padici_num_big_of_ring(const padic_num_ring *r, padici_num_big *b, const uint64_t *u)
{
    uint32_t i = r->words;
    b->n = 0;
    if (r->form == PADIC_NUM_RX) {
        while (i-- > 0) padici_num_big_mul_add(b, r->base, u[i]);
    } else {
        for (; b->n < i; b->n++) b->w[b->n] = u[b->n];
        padici_num_big_trim(b);
    }
}

// x = b mod P, which destroys b; 1 if b was below P. Large b is split digit by digit, with
// divisions by powers of p.
PADICI_FN int padici_num_ring_of_big(const padic_num_ring *r, uint64_t *x, padici_num_big *b)
{
    padici_num_divisor d; // by r->base
    padici_num_wide sum = {0, 0};
    uint32_t at, i, digits = r->limb_digits;
    int below = 1;
    d.d = r->base << (r->shift & 63);
    d.reciprocal = r->reciprocal;
    d.shift = r->shift;
    if (r->form < PADIC_NUM_W128) {
        below = b->n < 2 && (!b->n || !r->base || b->w[0] < r->base); // base 0: P = 2^64
        x[0] = !b->n ? 0 : below || !r->base ? b->w[0] : padici_num_big_div(b, &d);
        return below;
    }
    if (r->form == PADIC_NUM_W128) {
        sum = padici_num_wide_make(b->n ? b->w[0] : 0, b->n > 1 ? b->w[1] : 0);
        padici_num_wide_store(x, sum);
        if (b->n < 3 && padici_num_wide_less(sum, padici_num_modulus(r))) return 1;
        digits = padici_num_word_digits(r);
        d = padici_num_divisor_make(r->power[digits][0]);
        sum = padici_num_wide_make(0, 0);
    }
    memset(x, 0, r->words * sizeof *x);
    for (at = i = 0; at < r->precision && b->n; at += digits, i++) {
        uint64_t c = padici_num_big_div(b, &d);
        const uint32_t left = r->precision - at;
        if (left < digits) {
            below = c < r->power[left][0];
            c %= r->power[left][0];
        }
        if (r->form == PADIC_NUM_RX)
            x[i] = c;
        else
            sum =
                padici_num_wide_add(sum, padici_num_wide_mul_low(padici_num_wide_load(r->power[at]),
                                                                 padici_num_wide_make(c, 0)));
    }
    if (r->form == PADIC_NUM_W128) padici_num_wide_store(x, sum);
    return below && !b->n;
}

PADICI_FN int padici_num_ring_less(const padic_num_ring *r, const uint64_t *a, const uint64_t *b)
{
    uint32_t i = r->words;
    while (i > 0 && a[i - 1] == b[i - 1]) i--;
    return i > 0 && a[i - 1] < b[i - 1];
}

// Replaces u mod p^n by the magnitude of its balanced residue; 1 if that is negative. `t` has room
// for 1 residue.
PADICI_FN int padici_num_ring_balance(const padic_num_ring *r, uint64_t *u, uint32_t n, uint64_t *t)
{
    if (padici_num_ring_is_zero(r, u)) return 0;
    padici_num_ring_neg(r, t, u);
    padici_num_ring_low(r, t, t, n);
    if (padici_num_ring_less(r, u, t)) return 0;
    padici_num_ring_copy(r, u, t);
    return 1;
}

PADICI_FN uint32_t padici_num_big_room(const padic_num_ring *r)
{
    const uint32_t room = r->form == PADIC_NUM_RX ? 7 * r->words : 0;
    return room < PADICI_NUM_BIG_ROOM ? PADICI_NUM_BIG_ROOM : room;
}

PADICI_FN void padici_num_work_begin(padici_num_work *work, const padic_num_ring *r,
                                     void *workspace)
{
    const uint32_t room = padici_num_big_room(r);
    uint64_t *const s = r->form == PADIC_NUM_RX ? (uint64_t *)workspace : work->local;
    uint64_t *const big = room > PADICI_NUM_BIG_ROOM ? s + 9 * r->words : work->local + 18;
    work->u = s;
    work->temp = s + r->words;
    work->limit = UINT64_MAX / r->p;
    work->a.w = big;
    work->b.w = big + room;
    work->a.n = work->b.n = 0;
    work->a.room = work->b.room = room;
}

#endif
