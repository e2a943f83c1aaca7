#include "ring_tables.h"
#include "residue.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// -------------------------------------------------------------------------------- >>series impl
//
// From the bottom up: tables, Teichmueller residues, exp and log, roots modulo p, roots, Hensel.
// The kernels of a backend: SQRT, EXP, TEICHMUELLER have out and a; LOG also k, its options.

PADICI_FN const padici_num_tables *padici_num_tables_of(const padic_num_ring *r)
{
    return (const padici_num_tables *)r->tables;
}

PADICI_FN const uint64_t *padici_num_table(const padici_num_tables *t, uint32_t offset)
{
    return t && offset ? (const uint64_t *)(const void *)t + offset : NULL;
}

// u modulo q, the index of its seeds.
PADICI_FN uint64_t padici_num_table_index(const padic_num_ring *r, const padici_num_tables *t,
                                      const uint64_t *u)
{
    padici_num_wide remainder;
    if (r->form != PADIC_NUM_W128 || !u[1])
        return padici_num_table_mod(u[0], t->modulus, t->reciprocal);
    padici_num_wide_div(padici_num_wide_load(u), padici_num_wide_make(t->modulus, 0), &remainder);
    return remainder.low;
}

// The inverse of a unit modulo p^*known, the start of Newton's method.
PADICI_FN uint64_t padici_num_seed_inverse(const padic_num_ring *r, const uint64_t *a,
                                           uint32_t *known)
{
    const padici_num_tables *t = padici_num_tables_of(r);
    *known = t && t->inverse ? t->digits : 1;
    if (t && t->inverse)
        return ((const uint32_t *)padici_num_table(t, t->inverse))[padici_num_table_index(r, t, a)];
    return padici_num_inverse_mod(padici_num_ring_digit(r, a), r->p);
}

// Long numbers: the number of limbs for `digits`. *low is the ring of that many.
PADICI_FN const padic_num_ring *padici_num_ring_short(const padic_num_ring *r, padic_num_ring *low,
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
// x^p = x, with the derivative p - 1 at the root: x = (p x - x^p) / (p - 1). It turns e right
// digits into 2 e + 1.
PADICI_FN void padici_num_ring_teichmueller(const padic_num_ring *r, uint64_t *x, uint64_t residue,
                                        uint64_t *t)
{
    const padici_num_tables *tables = padici_num_tables_of(r);
    const uint64_t *table = tables ? padici_num_table(tables, tables->teichmueller) : NULL;
    uint64_t *const inverse = t, *const p = t + r->words, *const power = t + 2 * r->words;
    const padic_num_ring *now;
    padic_num_ring low;
    uint32_t known = 1;
    low.magic = 0;
    if (r->p == 2) {
        padici_num_ring_set(r, x, residue & 1);
        if ((residue & 3) == 3) padici_num_ring_neg(r, x, x);
        return;
    }
    residue %= r->p;
    if (table) {
        padici_num_ring_copy(r, x, table + residue * r->words);
        return;
    }
    padici_num_ring_set(r, x, residue);
    if (residue < 2 || r->precision == 1) return;
    padici_num_ring_set(r, power, r->p - 1);
    padici_num_ring_inv(r, inverse, power, t + 3 * r->words);
    padici_num_ring_set(r, p, r->p);
    while (known < r->precision) {
        known = 2 * known + 1;
        now = padici_num_ring_short(r, &low, known);
        padici_num_ring_pow(now, power, x, r->p, t + 3 * r->words);
        padici_num_ring_mul(now, t + 3 * r->words, p, x);
        padici_num_ring_sub(now, power, t + 3 * r->words, power);
        padici_num_ring_mul(now, x, power, inverse);
    }
}

#endif
