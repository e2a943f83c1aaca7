#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ----------------------------------------------------------------------------------- >>num impl
//
// From the bottom up: 128-bit words, residues of one and two words, limbs, any residue by pointer,
// elements (padici_num_cell), and padici_num_run(), which checks arrays and runs loops over them.

// floor(a / b), b not 0; *remainder may be NULL.
PADICI_FN padici_num_wide padici_num_wide_div(padici_num_wide a, padici_num_wide b,
                                              padici_num_wide *remainder)
{
    padici_num_wide q = {0, 0};
#if PADICI_INT128
    const padici_u128 x = (padici_u128)a.high << 64 | a.low, y = (padici_u128)b.high << 64 | b.low;
    const padici_u128 z = x / y, r = x - z * y;
    q = padici_num_wide_make((uint64_t)z, (uint64_t)(z >> 64));
    a = padici_num_wide_make((uint64_t)r, (uint64_t)(r >> 64));
#else
    if (!padici_num_wide_less(a, b)) {
        uint32_t k = padici_num_wide_bits(a) - padici_num_wide_bits(b) + 1;
        while (k-- > 0) {
            const padici_num_wide c = padici_num_wide_shl(b, k);
            q = padici_num_wide_shl(q, 1);
            if (!padici_num_wide_less(a, c)) {
                a = padici_num_wide_sub(a, c);
                q.low |= 1;
            }
        }
    }
#endif
    if (remainder) *remainder = a;
    return q;
}

// floor((2^128 - 1) / d) - 2^64 for a d with its top bit set.
PADICI_FN uint64_t padici_num_reciprocal(uint64_t d)
{
    return padici_num_wide_div(padici_num_wide_make(UINT64_MAX, ~d), padici_num_wide_make(d, 0),
                               NULL)
        .low;
}

// One word: `form` is B2, W32, W49 or W64, a constant where the loop is made for one form, so that
// the code of the others disappears.

// Two words.

// P even: a power of two, or of an even radix, where no loop is time-critical.
PADICI_FN padici_num_wide padici_num_mul2_even(const padic_num_ring *r, padici_num_wide a,
                                               padici_num_wide b)
{
    const padici_num_wide mask =
        padici_num_wide_sub(padici_num_modulus(r), padici_num_wide_make(1, 0));
    padici_num_wide x = padici_num_wide_mul_low(a, b);
    uint32_t i;
    if (!(mask.low & r->modulus[0]) && !(mask.high & r->modulus[1]))
        return padici_num_wide_make(x.low & mask.low, x.high & mask.high);
    x = padici_num_wide_make(0, 0);
    for (i = padici_num_wide_bits(b); i-- > 0;) { // from the top bit of b down
        x = padici_num_add2(r, x, x);
        if (padici_num_wide_shr(b, i).low & 1) x = padici_num_add2(r, x, a);
    }
    return x;
}

#endif
