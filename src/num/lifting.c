#include "lifting.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../core/words.h"
#include "cell.h"
#include "euclid.h"
#include "euclid_word.h"
#include "residue.h"
#include "ring.h"
#include "root.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// The workspace in words of a backend's kernel for many systems at once, including padding to 64
// bytes; 0: no backend has one for these.
static uint64_t padici_num_block_words(const padici_num_solving *s)
{
    const uint64_t n = s->n, sides = s->sides;
    if (n < 3 || n > 8 || sides > 8) return 0;
    return 8 * (n * (n + 1) + (UINT64_C(2) << n) + 1) + PADIC_NUM_SYSTEMS * (1 + sides + n * sides);
}

// Lays out a worker's workspace; returns its words.
PADICI_FN uint64_t padici_num_solve_lay(const padici_num_solving *s, uint64_t *base,
                                        padici_num_solve_room *m)
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
    m->residual = at[6];
    m->x = at[7];
    m->sign = at[8];
    m->d = at[9];
    m->temp = at[10];
    m->ring = (padic_num_ring *)(void *)(base ? base + total : NULL);
    total += (sizeof *m->ring + 7) / 8;
    m->block = base && padici_num_block_words(s) ? base + total : NULL;
    return total + padici_num_block_words(s);
}

// x / d where d divides x, |x / d| < 2^63.
PADICI_INLINE int64_t padici_num_divide_exact(padici_num_wide x, int64_t d)
{
    const uint32_t shift = padici_ctz64((uint64_t)d);
    const uint64_t odd = (uint64_t)(d / (int64_t)(UINT64_C(1) << shift));
    return (int64_t)(padici_num_wide_shr(x, shift).low * padici_num_inverse64(odd));
}

// One right side after padici_num_bareiss(): det x_i = (det b_i - sum of a_ij (det x_j)) / a_ii
// from the last row up, all of them minors; then divides by the common factor.
static void padici_num_small_side(const padici_num_solving *s, padici_num_solve_room *m,
                                  uint32_t side)
{
    const uint32_t n = s->n, cols = n + s->sides;
    const int64_t *const w = (const int64_t *)m->w, det = w[(n - 1) * cols + n - 1];
    int64_t *const y = (int64_t *)m->column;
    uint64_t g = padici_num_magnitude(det);
    uint32_t i, j;
    for (i = n; i-- > 0;) {
        const int64_t *const row = w + i * cols;
        padici_num_wide x = padici_num_wide_mul_signed(det, row[n + side]);
        for (j = i + 1; j < n; j++)
            x = padici_num_wide_sub(x, padici_num_wide_mul_signed(row[j], y[j]));
        y[i] = i + 1 == n ? row[n + side] : padici_num_divide_exact(x, row[i]);
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
static void padici_num_lift(const padici_num_prime *f, const padici_num_solving *s,
                            padici_num_solve_room *m, uint32_t side, uint32_t k)
{
    const uint32_t n = s->n;
    uint64_t *const y = m->column;
    const uint64_t low = padici_num_inverse64(f->q); // of q modulo 2^128: one Newton step
    padici_num_wide inverse = padici_num_wide_mul(low, f->q), acc;
    uint32_t i, j, step;
    inverse = padici_num_wide_sub(padici_num_wide_make(2, 0), inverse);
    inverse = padici_num_wide_mul_low(padici_num_wide_make(low, 0), inverse);
    for (i = 0; i < n; i++)
        padici_num_wide_store(m->residual + 2 * i,
                              padici_num_wide_signed(m->b[i * s->sides + side]));
    for (step = 0; step < k; step++) {
        for (i = 0; i < n; i++) {
            const uint64_t r =
                padici_num_prime_of(f, padici_num_wide_load(m->residual + 2 * m->order[i]));
            acc = padici_num_dot(m->w + i * n, y, i);
            y[i] = padici_num_prime_sub(f, r, padici_num_prime_mod(f, acc));
        }
        for (i = n; i-- > 0;) {
            acc = padici_num_dot(m->w + i * n + i + 1, y + i + 1, n - 1 - i);
            acc.low = padici_num_prime_sub(f, y[i], padici_num_prime_mod(f, acc));
            y[i] = padici_num_prime_mod(f, padici_num_wide_mul(acc.low, m->inverse[i]));
            m->x[i * k + step] = y[i];
        }
        for (i = 0; i < n; i++) {
            acc = padici_num_wide_load(m->residual + 2 * i);
            for (j = 0; j < n; j++)
                acc = padici_num_wide_sub(
                    acc, padici_num_wide_mul_signed(m->a[i * n + j], (int64_t)y[j]));
            padici_num_wide_store(m->residual + 2 * i, padici_num_wide_mul_low(acc, inverse));
        }
    }
}

// The solution from its limbs: the least d with all d x_i below 2^bits_n, found one x_i after the
// other, then the numerators d x_i. That they exist is proven; 0 if they do not.
static int padici_num_solve_join(padici_num_solve_room *m, uint32_t n, uint32_t k,
                             const padici_num_bounds *bounds)
{
    padici_num_joint j;
    uint32_t i;
    padici_num_joint_begin(&j, m->ring, bounds, m->temp, m->d, k + 2);
    for (i = 0; i < n; i++)
        if (!padici_num_joint_numerator(&j, m->x + i * k, k) && !padici_num_joint_extend(&j))
            return 0;
    for (i = 0; i < n; i++) {
        const int sign = padici_num_joint_numerator(&j, m->x + i * k, k);
        if (!sign) return 0;
        m->sign[i] = sign < 0;
        padici_num_words_copy(m->x + i * k, k, j.x, j.words);
    }
    return 1;
}

// 1 if A x = d b exactly.
static int padici_num_verify(const padici_num_solving *s, const padici_num_solve_room *m,
                             uint32_t side, uint32_t words)
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
                negative ? padici_num_words_sub(sum, x, padici_num_magnitude(a), words)
                         : padici_num_words_add(sum, x, padici_num_magnitude(a), words);
            uint64_t c = sum[words];
            sum[words] = negative ? c - carry : c + carry;
            sum[words + 1] += negative ? 0 - (uint64_t)(c < carry) : sum[words] < c;
        }
        if (padici_num_words_bits(sum, all)) return 0;
    }
    return 1;
}

// |det A| in m->x; 1: it is negative. A divisor d is known, the denominator m->d of a right side (1
// without one). c = det A / d by CRT, modulo primes that do not divide d, M their product so far:
// Garner's step c += M ((det / d - c) / M mod q). Both fit in `words` words.
static int padici_num_det_modular(const padici_num_solving *s, padici_num_solve_room *m,
                                  uint32_t bits, uint32_t words)
{
    uint64_t *const x = m->temp, *const product = x + words, *const other = product + words;
    const uint32_t known = padici_num_words_bits(m->d, words) - 1; // d >= 2^known
    const uint32_t count = padici_num_primes_for(bits > known ? bits - known + 1 : 1);
    uint32_t i, used = 0;
    int negative;
    memset(x, 0, 2 * words * sizeof *x);
    product[0] = 1;
    for (i = 0; used < count; i++) {
        const padici_num_prime f = padici_num_prime_make(i);
        const uint64_t d = padici_num_words_divide(NULL, m->d, words, f.q);
        uint64_t step, det, done = padici_num_words_divide(NULL, product, words, f.q);
        if (!d) continue;
        if (padici_num_lu(&f, m->a, s->n, m->w, m->inverse, m->order, m->column, &det) < s->n)
            det = 0;
        done = padici_num_prime_mod(&f, padici_num_wide_mul(done, d)); // (det - c d) / (M d)
        step = padici_num_words_divide(NULL, x, words, f.q);
        step =
            padici_num_prime_sub(&f, det, padici_num_prime_mod(&f, padici_num_wide_mul(step, d)));
        step =
            padici_num_prime_mod(&f, padici_num_wide_mul(step, padici_num_inverse_mod(done, f.q)));
        padici_num_words_add(x, product, step, words);
        padici_num_words_scale(product, f.q, 0, words);
        used++;
    }
    padici_num_words_copy(other, words, product, words); // the other residue, M - c
    padici_num_words_sub(other, x, 1, words);
    negative = padici_num_words_less(other, x, words);
    padici_num_words_mul(other + words, negative ? other : x, words, m->d, words);
    padici_num_words_copy(m->x, words, other + words, words);
    return negative;
}

// MODP: Gauss-Jordan elimination with units as pivots. Returns the status bits.
static uint32_t padici_num_solve_modp(const padici_num_solving *s, padici_num_solve_room *m,
                                      uint64_t index, padic_num_call *call)
{
    const padic_num_ring *r = s->call.ring;
    const uint32_t n = s->n, cols = n + s->sides, words = r->words;
    const uint64_t width = (uint64_t)cols * words;
    uint64_t *const temp = m->temp, *const factor = temp + 2 * words, *const u = factor + words;
    uint32_t row = 0, c, i, j;
    padici_num_cell x = {0, 0, 0, NULL};
    for (i = 0; i < n; i++)
        for (j = 0; j < cols; j++) {
            const int64_t a = j < n ? m->a[i * n + j] : m->b[i * s->sides + j - n];
            uint64_t *const e = m->w + i * width + j * words;
            padici_num_ring_set(r, e, padici_num_magnitude(a));
            if (a < 0) padici_num_ring_neg(r, e, e);
        }
    for (c = 0; c < n; c++) {
        uint64_t *const top = m->w + row * width;
        for (i = row; i < n && !padici_num_ring_digit(r, m->w + i * width + c * words); i++) {}
        if (i == n) continue;
        padici_num_words_swap(top, m->w + i * width, width);
        padici_num_ring_inv(r, factor, top + c * words, temp);
        for (j = c; j < cols; j++) {
            padici_num_ring_mul(r, u, top + j * words, factor);
            padici_num_ring_copy(r, top + j * words, u);
        }
        for (i = 0; i < n; i++) {
            uint64_t *const other = m->w + i * width;
            if (i == row) continue;
            padici_num_ring_copy(r, factor, other + c * words);
            for (j = c; j < cols; j++) {
                padici_num_ring_mul(r, u, factor, top + j * words);
                padici_num_ring_sub(r, other + j * words, other + j * words, u);
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
        padici_num_cell_store(call, index * n * s->sides + i, &x);
    }
    return row < n ? PADIC_NUM_NONUNIT : 0;
}

// det A after padici_num_bareiss(), with the sign of its row exchanges, or (sign 0) modulo primes.
static uint32_t padici_num_det_write(const padici_num_solving *s, padici_num_solve_room *m,
                                     uint64_t index, int sign)
{
    const uint32_t n = s->n, last = (n - 1) * (n + s->sides) + n - 1;
    uint32_t words = 1, bits;
    int negative;
    if (sign) {
        const int64_t det = ((const int64_t *)m->w)[last];
        m->x[0] = padici_num_magnitude(det);
        negative = (det < 0) != (sign < 0);
    } else {
        bits = padici_num_hadamard(m->a, PADIC_I64, 0, n, 1);
        words = padici_num_primes_for(bits + 1) * 49 / 64 + 2;
        if (!s->sides) memset(m->d, 0, words * sizeof *m->d);
        if (!s->sides) m->d[0] = 1;
        negative = padici_num_det_modular(s, m, bits, words);
    }
    return padici_num_integer_set(&s->det, index, m->x, words, negative);
}

// Chooses the prime of a large system. 0: det A = 0, and *rank is proven by minors modulo primes
// whose product exceeds their bound.
static int padici_num_solve_prime(const padici_num_solving *s, padici_num_solve_room *m,
                                  uint32_t bits, padici_num_prime *f, uint32_t *rank)
{
    const uint32_t count = padici_num_primes_for(bits);
    uint32_t i;
    uint64_t det;
    *rank = 0;
    for (i = 0; i < count && *rank < s->n; i++) {
        uint32_t here;
        *f = padici_num_prime_make(i);
        here = padici_num_lu(f, m->a, s->n, m->w, m->inverse, m->order, m->column, &det);
        if (here > *rank) *rank = here;
    }
    return *rank == s->n;
}

// Writes one right side from m->x, m->sign and m->d, `words` words each (no solution: 0).
static uint32_t padici_num_side_write(const padici_num_solving *s, const padici_num_solve_room *m,
                                  uint64_t index, uint32_t side, uint32_t words)
{
    const uint64_t first = index * s->n * s->sides + side;
    uint32_t i, bits;
    if (!s->numerator.data) return 0;
    bits = padici_num_integer_set(&s->denominator, index * s->sides + side, m->d, words, 0);
    for (i = 0; i < s->n; i++)
        bits |= padici_num_integer_set(&s->numerator, first + i * s->sides, m->x + i * words, words,
                                   m->sign[i] != 0);
    for (i = 0; bits && i < s->n; i++) // one is too wide: none is written
        padici_num_integer_set(&s->numerator, first + i * s->sides, NULL, 0, 0);
    if (bits)
        padici_num_integer_set(&s->denominator, index * s->sides + side, NULL, 0, 0);
    return bits;
}

// A quick bound: entries below 2^b, so minors below (2^b sqrt(n))^n.
static int padici_num_solve_tiny(const padici_num_solving *s, const padici_num_solve_room *m)
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

static uint32_t padici_num_solve_large(const padici_num_solving *s, padici_num_solve_room *m,
                                       uint64_t index, const padici_num_scale *others, uint32_t all,
                                       uint32_t *rank, uint32_t *wrong)
{
    padici_num_prime f = padici_num_prime_make(0);
    uint32_t side, bits = 0;
    if (!padici_num_solve_prime(s, m, all, &f, rank)) return PADIC_NUM_DIV0;
    for (side = 0; side < s->sides; side++) {
        const padici_num_scale b = padici_num_norm(m->b, PADIC_I64, side, s->n, s->sides, 1);
        padici_num_bounds bounds = {0, 0, 0, {0, 0}, {0, 0}, 0};
        padic_num_ring_options options = {PADIC_NUM_RX, 0};
        uint32_t k;
        bounds.bits_n = padici_num_scale_bits(padici_num_scale_mul(*others, b));
        bounds.bits_d = all;
        k = padici_num_primes_for(bounds.bits_n + all + 1);
        padici_num_lift(&f, s, m, side, k);
        padici_num_ring_make(m->ring, f.q, k, &options, 0);
        if (!padici_num_solve_join(m, s->n, k, &bounds) ||
            (s->verify && !padici_num_verify(s, m, side, k)))
            *wrong = 1;
        bits |= padici_num_side_write(s, m, index, side, k);
    }
    if (s->det.data) bits |= padici_num_det_write(s, m, index, 0);
    return bits;
}

// One system, or one determinant. Returns the status bits.
static uint32_t padici_num_solve_one(const padici_num_solving *s, padici_num_solve_room *m,
                                     uint64_t index, padic_num_call *call, uint32_t *wrong)
{
    const uint32_t n = s->n, sides = s->sides, cols = n + sides;
    padici_num_scale others = {0, 0};
    uint32_t i, j, rank = 0, all = 0, bits = 0;
    int tiny, sign;
    for (i = 0; i < n * n; i++)
        m->a[i] = padici_num_integer(s->matrix.data, s->dtype, index * n * n + i);
    for (i = 0; i < n * sides; i++)
        m->b[i] = s->right.data ? padici_num_integer(s->right.data, s->dtype, index * n * sides + i)
                                : i == 0;
    if (call->ring) return padici_num_solve_modp(s, m, index, call);
    tiny = padici_num_solve_tiny(s, m);
    if (!tiny && !sides) {
        tiny = padici_num_hadamard(m->a, PADIC_I64, 0, n, 1) <= 63;
    } else if (!tiny) {
        all = padici_num_solve_bits(m->a, n, &others);
        tiny = all <= 63;
        for (i = 0; tiny && i < sides; i++)
            tiny = padici_num_scale_bits(padici_num_scale_mul(
                        others, padici_num_norm(m->b, PADIC_I64, i, n, sides, 1))) <= 63;
    }
    if (tiny) {
        int64_t *const w = (int64_t *)m->w;
        for (i = 0; i < n; i++)
            for (j = 0; j < cols; j++)
                w[i * cols + j] = j < n ? m->a[i * n + j] : m->b[i * sides + j - n];
        rank = padici_num_bareiss(w, n, cols, &sign);
        if (rank < n && sides) bits = PADIC_NUM_DIV0;
        for (i = 0; rank == n && i < sides; i++) {
            padici_num_small_side(s, m, i);
            if (s->verify && !padici_num_verify(s, m, i, 1)) *wrong = 1;
            bits |= padici_num_side_write(s, m, index, i, 1);
        }
        if (s->det.data) bits |= padici_num_det_write(s, m, index, sign);
    } else if (sides) {
        bits = padici_num_solve_large(s, m, index, &others, all, &rank, wrong);
    } else {
        bits = padici_num_det_write(s, m, index, 0);
    }
    if (bits & PADIC_NUM_DIV0) {
        for (i = 0; i < sides; i++) padici_num_side_write(s, m, index, i, 0);
        if (s->det.data) padici_num_integer_set(&s->det, index, NULL, 0, 0);
    }
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = rank;
    return s->numerator.data ? bits : bits & ~(uint32_t)PADIC_NUM_DIV0;
}

// Solves systems [index, index + count) by a backend's kernel. Returns 0 if none takes them.
static int padici_num_solve_block(const padici_num_solving *s, const padici_num_solve_room *m,
                                  uint64_t index, uint32_t count, padic_num_systems *k)
{
    const size_t n = s->n, size = padic_dtype_size(s->dtype);
    uint64_t *w;
    if (!m->block || count < 3) return 0; // a vector costs as much as three systems, or more
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
    return padici_loop_run(padici_loop_of(s->context, PADIC_OP_NUM_SYSTEMS_LOOP), k) == PADIC_OK;
}

// x of system k of a block modulo p^N. Returns 0 if det A is no unit.
static int padici_num_done_modp(const padici_num_solving *s, padici_num_solve_room *m,
                                uint64_t index, const padic_num_systems *k, uint32_t at,
                                padic_num_call *call)
{
    const padic_num_ring *r = s->call.ring;
    const uint32_t words = r->words, all = s->n * s->sides;
    uint64_t *const inverse = m->temp + 2 * words, *const y = inverse + words;
    uint32_t i;
    padici_num_cell x = {0, 0, 0, NULL};
    padici_num_ring_set(r, y, padici_num_magnitude(k->det[at]));
    if (!padici_num_ring_digit(r, y)) return 0;
    padici_num_ring_inv(r, inverse, y, m->temp);
    x.n = r->precision;
    x.u = m->w;
    for (i = 0; i < all; i++) {
        const int64_t a = k->numerator[i * PADIC_NUM_SYSTEMS + at];
        padici_num_ring_set(r, y, padici_num_magnitude(a));
        if (a < 0) padici_num_ring_neg(r, y, y);
        padici_num_ring_mul(r, m->w, y, inverse);
        padici_num_cell_store(call, index * all + i, &x);
    }
    return 1;
}

// Writes system `at` of a block, number `index` of the batch. Returns 0 if the kernel has not
// solved it, so that it must be solved alone.
static int padici_num_solve_done(const padici_num_solving *s, padici_num_solve_room *m,
                                 uint64_t index, const padic_num_systems *k, uint32_t at,
                                 padic_num_call *call, uint32_t *bits, uint32_t *wrong)
{
    const uint32_t n = s->n, sides = s->sides;
    const int64_t det = k->det[at];
    uint32_t i, side;
    *bits = 0;
    if (!det || (call->ring && !padici_num_done_modp(s, m, index, k, at, call))) return 0;
    for (i = 0; s->verify && i < n * (n + sides); i++)
        if (i < n * n)
            m->a[i] = padici_num_integer(s->matrix.data, s->dtype, index * n * n + i);
        else
            m->b[i - n * n] =
                padici_num_integer(s->right.data, s->dtype, index * n * sides + i - n * n);
    for (side = 0; !call->ring && side < sides; side++) {
        const int64_t *const x = k->numerator + side * PADIC_NUM_SYSTEMS + at;
        const int64_t d = k->denominator[side * PADIC_NUM_SYSTEMS + at];
        const uint64_t first = index * n * sides + side;
        const uint32_t step = sides * PADIC_NUM_SYSTEMS;
        if (!s->verify && s->numerator.dtype == PADIC_I64 && s->denominator.dtype == PADIC_I64) {
            ((int64_t *)s->denominator.data)[index * sides + side] = d; // the common case
            for (i = 0; i < n; i++)
                ((int64_t *)s->numerator.data)[first + i * sides] = x[i * step];
            continue;
        }
        m->d[0] = (uint64_t)d;
        for (i = 0; i < n; i++) {
            m->x[i] = padici_num_magnitude(x[i * step]);
            m->sign[i] = x[i * step] < 0;
        }
        if (s->verify && !padici_num_verify(s, m, side, 1)) *wrong = 1;
        *bits |= padici_num_side_write(s, m, index, side, 1);
    }
    m->x[0] = padici_num_magnitude(det);
    if (s->det.data) *bits |= padici_num_integer_set(&s->det, index, m->x, 1, det < 0);
    if (s->rank.data) ((uint32_t *)s->rank.data)[index] = n;
    return 1;
}

PADICI_FN void padici_num_solve_chunk(void *arg, uint32_t index)
{
    padici_num_solving *s = (padici_num_solving *)arg;
    padic_num_call call = s->call;
    padic_num_systems k;
    padici_num_solve_room m;
    uint64_t i = index * s->chunk, end = i + s->chunk < s->batch ? i + s->chunk : s->batch;
    uint32_t at = 0, count = 0, bits;
    int block = 0;
    for (; s->bound && i < end; i++)
        ((uint32_t *)s->rank.data)[i] =
            padici_num_hadamard(s->matrix.data, s->dtype, i * s->n * s->n, s->n, 0);
    if (s->bound) return;
    padici_num_solve_lay(s, s->workspace + index * s->each, &m);
    for (; i < end; i++, at++) {
        if (at == count) {
            count = end - i < PADIC_NUM_SYSTEMS ? (uint32_t)(end - i) : PADIC_NUM_SYSTEMS;
            block = padici_num_solve_block(s, &m, i, count, &k);
            at = 0;
        }
        if (!block || !padici_num_solve_done(s, &m, i, &k, at, &call, &bits, &s->wrong[index]))
            bits = padici_num_solve_one(s, &m, i, &call, &s->wrong[index]);
        if (s->status.data) ((uint8_t *)s->status.data)[i] = (uint8_t)bits;
        s->bits[index] |= bits;
    }
}

#endif
