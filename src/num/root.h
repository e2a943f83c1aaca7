#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "cell.h"
#include "words.h"

#ifndef PADIC_NO_NUM

// n-th roots modulo p. A root of u is assembled from the Sylow subgroups of the residues: where a
// prime q divides n and p - 1, by the discrete logarithm to a generator, digit by digit; outside of
// these, raising to n has an inverse. If there are more roots than p / roots, they are so dense
// that a search finds the smallest.
typedef struct padici_num_sylow {
    uint64_t q, order, share;  // order = q^e divides p - 1 exactly, share = gcd(n, order)
    uint64_t generator, unity; // of the subgroup; of order q
    uint64_t project;          // u^project is in the subgroup, u / u^project has no component in it
    uint64_t inverse;          // (n / share)^-1 mod q^e
} padici_num_sylow;

typedef struct padici_root {
    uint64_t n, m, p, inverse, one, square; // n = p^e m; residues modulo p are scaled by 2^64
    uint64_t count, outside, zeta; // roots; exponent of 1 / root outside the subgroups; root of
                                   // unity
    uint32_t e, sylows, search;
    uint32_t alone; // 1: only root number `turn` of all roots
    uint64_t turn;
    padici_num_sylow sylow[15];
} padici_root;

// a b 2^-64 mod p (Montgomery).
PADICI_INLINE uint64_t padici_num_mod_mul(const padici_root *s, uint64_t a, uint64_t b)
{
    const padici_num_wide x = padici_num_wide_mul(a, b);
    const uint64_t h = padici_mulhi64(x.low * s->inverse, s->p);
    return x.high - h + (x.high < h ? s->p : 0);
}

PADICI_FN uint64_t padici_num_gcd(uint64_t a, uint64_t b);
PADICI_FN void padici_num_root_init(padici_root *s, const padic_num_ring *r, uint64_t n,
                                    int all_roots);
PADICI_FN uint64_t padici_num_seed_root(const padic_num_ring *r, const padici_root *s,
                                    const uint64_t *u, uint32_t *known);
PADICI_FN int padici_num_root_begin(const padic_num_call *call, const padici_root *s,
                                    padici_num_cell *x, const padici_num_cell *a, uint64_t *u,
                                    uint64_t *y, uint64_t *seed, uint32_t *known);
PADICI_FN int padici_num_root_unit(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, uint64_t *t);
PADICI_FN void padici_num_root_finish(const padic_num_call *call, padici_num_cell *x,
                                      const uint64_t *u);
PADICI_FN void padici_num_sqrt_one(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b,
                                   const padici_num_cell *c, uint64_t *temp);

#endif
