#include "determinant.h"
#include "../core/words.h"
#include "convert.h"
#include "euclid.h"
#include "integers.h"
#include "residue.h"

#if PADICI_IMPLEMENT_NUM

// Linear algebra

// Checks a tensor of `count` integers of the allowed dtypes; an all-zero tensor is absent.
PADICI_FN padic_result padici_num_integers_of(padic_context *context, padici_num_memory *memory,
                                          const padic_tensor *t, uint64_t count, uint32_t allowed,
                                          uint32_t out, padici_num_integers *x)
{
    uint64_t all = count;
    if (!t->dtype && !t->data && !t->buffer.id) return PADIC_OK;
    x->dtype = t->dtype;
    x->step = count;
    if (t->dtype == PADIC_U64) {
        if (t->rank < 2) return PADIC_ERROR_DTYPE;
        if (!t->shape[0] || t->shape[0] > PADIC_NUM_MAX_BITS) return PADIC_ERROR_LIMIT;
        x->limbs = (uint32_t)t->shape[0];
        if (!padici_mul_u64(all, x->limbs, &all)) return PADIC_ERROR_LIMIT;
    }
    x->wanted = 1;
    return padici_num_tensor_add(context, memory, t, all, allowed, out, &x->data);
}

// Integer i = +-x, n words; 0 and RANGE if it is too wide.
PADICI_FN uint32_t padici_num_integer_set(const padici_num_integers *out, uint64_t i, uint64_t *x,
                                      uint32_t n, int negative)
{
    padici_num_big b;
    if (n == 1 && out->dtype == PADIC_I64 && !(x[0] >> 63)) { // the common case
        ((int64_t *)out->data)[i] = (int64_t)(negative ? 0 - x[0] : x[0]);
        return 0;
    }
    b.w = x;
    b.n = b.room = n;
    padici_num_big_trim(&b);
    return padici_num_big_store(out->data, out->dtype, out->limbs, out->step, i, &b,
                                negative && b.n);
}

// The largest primes below 2^49, descending: 2^49 minus these. Their product exceeds 2^4409, and
// the square of any determinant here is below 2^(2 4225).
static const uint16_t padici_num_primes[90] = {
    81,   111,  123,  139,  181,  201,  213,  265,  283,  339,  441,  445,  475,  519,  565,
    571,  579,  585,  703,  741,  753,  759,  789,  805,  855,  909,  939,  943,  969,  1009,
    1015, 1083, 1123, 1131, 1165, 1173, 1215, 1245, 1281, 1323, 1399, 1405, 1441, 1453, 1489,
    1519, 1581, 1611, 1621, 1693, 1749, 1771, 1795, 1911, 1929, 1993, 1995, 2001, 2023, 2083,
    2101, 2103, 2115, 2185, 2215, 2269, 2295, 2353, 2413, 2421, 2475, 2505, 2545, 2623, 2629,
    2661, 2703, 2709, 2799, 2835, 2869, 2881, 2911, 2913, 2959, 3003, 3073, 3151, 3165, 3205};

PADICI_FN padici_num_prime padici_num_prime_make(uint32_t index)
{
    padici_num_prime f;
    f.q = (UINT64_C(1) << 49) - padici_num_primes[index];
    f.reciprocal = padici_num_reciprocal(f.q << 15);
    return f;
}

// Sum a_i b_i, below 2^128.
PADICI_FN padici_num_wide padici_num_dot(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    uint32_t i;
#if PADICI_INT128
    padici_u128 c = 0;
    for (i = 0; i < n; i++) c += (padici_u128)a[i] * b[i];
    return padici_num_wide_make((uint64_t)c, (uint64_t)(c >> 64));
#else
    padici_num_wide c = {0, 0};
    for (i = 0; i < n; i++) c = padici_num_wide_add(c, padici_num_wide_mul(a[i], b[i]));
    return c;
#endif
}

static padici_num_scale padici_num_scale_of(padici_num_wide x, int32_t e)
{
    padici_num_scale s = {0, 0};
    const uint32_t bits = padici_num_wide_bits(x);
    if (!bits) return s;
    s.e = e + (int32_t)bits - 64;
    s.m = bits > 64 ? padici_num_wide_shr(x, bits - 64).low : x.low << (64 - bits);
    if (bits > 64 && padici_num_wide_shl(x, 128 - bits).low && !++s.m) { // rounded up
        s.m = UINT64_C(1) << 63;
        s.e++;
    }
    return s;
}

PADICI_FN padici_num_scale padici_num_scale_mul(padici_num_scale a, padici_num_scale b)
{
    return padici_num_scale_of(padici_num_wide_mul(a.m, b.m), a.e + b.e);
}

// b with sqrt(x) < 2^b.
PADICI_FN uint32_t padici_num_scale_bits(padici_num_scale x)
{
    return x.m ? (uint32_t)(x.e + 65) / 2 : 0;
}

// The square of the Euclidean norm of n <= 64 integers, `step` apart from `first` on; at least 1 if
// `one`.
PADICI_FN padici_num_scale padici_num_norm(const void *a, padic_dtype dtype, uint64_t first,
                                           uint32_t n, uint32_t step, int one)
{
    padici_num_wide sum = {0, 0};
    uint64_t all = 0, x;
    uint32_t i, shift;
    for (i = 0; i < n; i++)
        all |= padici_num_magnitude(padici_num_integer(a, dtype, first + i * step));
    if (!all && one) sum.low = 1;
    shift = all >> 60 ? 8 : 0; // keeps the sum below 2^128
    for (i = 0; i < n; i++) {
        x = padici_num_magnitude(padici_num_integer(a, dtype, first + i * step));
        sum = padici_num_wide_add(sum, padici_num_wide_shr(padici_num_wide_mul(x, x), shift));
        if (shift) sum = padici_num_wide_add(sum, padici_num_wide_make(1, 0));
    }
    return padici_num_scale_of(sum, (int32_t)shift);
}

// Hadamard's bound in bits for the matrix from `first` on: of |det|, or with `one` of every minor.
PADICI_FN uint32_t padici_num_hadamard(const void *a, padic_dtype dtype, uint64_t first, uint32_t n,
                                   int one)
{
    padici_num_scale rows = {UINT64_C(1) << 63, -63}, cols = rows;
    uint32_t i, by_rows, by_cols;
    for (i = 0; i < n; i++) {
        rows = padici_num_scale_mul(rows, padici_num_norm(a, dtype, first + i * n, n, 1, one));
        cols = padici_num_scale_mul(cols, padici_num_norm(a, dtype, first + i, n, n, one));
    }
    by_rows = padici_num_scale_bits(rows);
    by_cols = padici_num_scale_bits(cols);
    return by_rows < by_cols ? by_rows : by_cols;
}

// Bounds in bits for the minors of (A b): without b, and with b but without the factor |b|.
PADICI_FN uint32_t padici_num_solve_bits(const int64_t *a, uint32_t n, padici_num_scale *others)
{
    padici_num_scale all = {UINT64_C(1) << 63, -63}, least = {0, 0}, x;
    uint32_t i;
    *others = all;
    for (i = 0; i < n; i++) {
        x = padici_num_norm(a, PADIC_I64, i, n, n, 1);
        all = padici_num_scale_mul(all, x);
        if (!i) {
            least = x;
        } else if (x.e < least.e || (x.e == least.e && x.m < least.m)) {
            *others = padici_num_scale_mul(*others, least);
            least = x;
        } else {
            *others = padici_num_scale_mul(*others, x);
        }
    }
    return padici_num_scale_bits(all);
}

// Fraction-free row echelon form (Bareiss) of n rows of `cols` integers: every entry is a minor,
// all of them below 2^63, so products fit in 128 bits, and the division by the previous pivot is
// exact: by its inverse modulo 2^64. Pivots are in the first n columns. Returns the rank; *sign is
// that of the row exchanges.
PADICI_FN uint32_t padici_num_bareiss(int64_t *w, uint32_t n, uint32_t cols, int *sign)
{
    uint32_t row = 0, c, i, j, shift = 0;
    uint64_t inverse = 1;
    *sign = 1;
    for (c = 0; c < n && row < n; c++) {
        int64_t *const top = w + row * cols, pivot;
        for (i = row; i < n && !w[i * cols + c]; i++) {}
        if (i == n) continue;
        padici_num_words_swap((uint64_t *)top, (uint64_t *)(w + i * cols), cols);
        if (i != row) *sign = -*sign;
        pivot = top[c];
        for (i = row + 1; i < n; i++) {
            int64_t *const x = w + i * cols, factor = x[c];
            for (j = c + 1; j < cols; j++) {
                const padici_num_wide d =
                    padici_num_wide_sub(padici_num_wide_mul_signed(pivot, x[j]),
                                        padici_num_wide_mul_signed(factor, top[j]));
                x[j] = (int64_t)(padici_num_wide_shr(d, shift).low * inverse);
            }
            x[c] = 0;
        }
        shift = padici_ctz64((uint64_t)pivot);
        inverse = padici_num_inverse64((uint64_t)(pivot / (int64_t)(UINT64_C(1) << shift)));
        row++;
    }
    return row;
}

// LU of A modulo q with row exchanges, left-looking, so that an entry costs one dot product and one
// reduction; columns without a pivot are skipped. `inverse` holds those of the pivots, order[i] is
// the row of A that became row i. Returns the rank; *det is det A mod q if the rank is n.
PADICI_FN uint32_t padici_num_lu(const padici_num_prime *f, const int64_t *a, uint32_t n,
                                 uint64_t *lu, uint64_t *inverse, uint64_t *order, uint64_t *column,
                                 uint64_t *det)
{
    uint32_t row = 0, i, c;
    uint64_t x;
    *det = 1;
    for (i = 0; i < n * n; i++) lu[i] = padici_num_prime_of(f, padici_num_wide_signed(a[i]));
    for (i = 0; i < n; i++) order[i] = i;
    for (c = 0; c < n; c++) {
        uint32_t pivot = n;
        for (i = 0; i < n; i++) column[i] = lu[i * n + c];
        for (i = 0; i < n; i++) {
            x = padici_num_prime_mod(f, padici_num_dot(lu + i * n, column, i < row ? i : row));
            column[i] = padici_num_prime_sub(f, column[i], x);
            if (i >= row && pivot == n && column[i]) pivot = i;
        }
        if (pivot == n) continue; // U is no longer needed, and L is in the earlier columns
        inverse[row] = padici_num_inverse_mod(column[pivot], f->q);
        *det = padici_num_prime_mod(f, padici_num_wide_mul(*det, column[pivot]));
        if (pivot != row) *det = f->q - *det;
        padici_num_words_swap(column + row, column + pivot, 1);
        padici_num_words_swap(order + row, order + pivot, 1);
        padici_num_words_swap(lu + row * n, lu + pivot * n, n);
        for (i = 0; i < n; i++)
            lu[i * n + row] = i <= row ? column[i]
                                       : padici_num_prime_mod(f, padici_num_wide_mul(column[i],
                                                                             inverse[row]));
        row++;
    }
    return row;
}

// How many of the primes have a product above 2^bits.
PADICI_FN uint32_t padici_num_primes_for(uint32_t bits)
{
    return bits / 49 + 1; // the product is above 2^(49 k) (1 - 2^-30)
}

#endif
