#pragma once
#include "../core/platform.h"
#include "../core/words.h"

#ifndef PADIC_NO_NUM

// The block of padic_num_ring_tables(): this, then the tables, each at an offset in 64-bit words
// from here, 0 if it is absent. Seeds (u32) are indexed by u mod q = p^digits: the inverse of u
// modulo q, and 1 / sqrt(u), of the root with the smaller residue, 0 if there is none.
typedef struct padici_num_tables {
    uint64_t modulus, reciprocal, p_reciprocal; // q; floor((2^64 - 1) / q); the same for p
    uint32_t digits, root_digits;
    uint32_t inverse, root, teichmueller, series[2]; // of exp, log
} padici_num_tables;

#define PADICI_NUM_SERIES_TERMS 160u // at most, up to W128: exp, p = 3, N = 80

PADICI_FN const padici_num_tables *padici_num_tables_of(const padic_num_ring *r);
PADICI_FN const uint64_t *padici_num_table(const padici_num_tables *t, uint32_t offset);

// a mod m, reciprocal = floor((2^64 - 1) / m): the quotient is at most one too small.
PADICI_INLINE uint64_t padici_num_table_mod(uint64_t a, uint64_t m, uint64_t reciprocal)
{
    const uint64_t x = a - padici_mulhi64(a, reciprocal) * m;
    return x >= m ? x - m : x;
}

PADICI_FN uint64_t padici_num_table_index(const padic_num_ring *r, const padici_num_tables *t,
                                      const uint64_t *u);
PADICI_FN uint64_t padici_num_seed_inverse(const padic_num_ring *r, const uint64_t *a,
                                           uint32_t *known);
PADICI_FN const padic_num_ring *padici_num_ring_short(const padic_num_ring *r, padic_num_ring *low,
                                                  uint32_t digits);
PADICI_FN void padici_num_ring_teichmueller(const padic_num_ring *r, uint64_t *x, uint64_t residue,
                                        uint64_t *t);

#endif
