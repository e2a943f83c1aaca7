#pragma once
#include "../core/platform.h"
#include "cell.h"

#ifndef PADIC_NO_NUM

// Long residues side by side: limb k of number j at k lanes + j, so that a step for all of them is
// one of vectors. The top limb is cut to its digits only at the end.
#define PADICI_NUM_PACK_LANES 8u  // at most
#define PADICI_NUM_PACK_SLOTS 13u // packs of padici_num_packs_run()

// Up to this many limbs, what is left of a number is one part of its series; beyond, parts begin
// at limbs 1, 4, 16, ...
#define PADICI_NUM_PACK_WHOLE 24u

typedef struct padici_num_packs padici_num_packs;

// x = the n lowest limbs of add + a b, or of add - a b; a has `an` limbs, b `bn`. `add`: NULL, or n
// limbs, the same for all (step 1) or of each (step = lanes). x aliases none of them.
typedef void (*padici_num_packs_mul)(const padici_num_packs *p, uint64_t *x, uint32_t n,
                                     const uint64_t *a, uint32_t an, const uint64_t *b,
                                     uint32_t bn, const uint64_t *add, uint32_t step, int minus);

struct padici_num_packs {
    const padic_num_ring *ring;
    uint32_t lanes;
    padici_num_packs_mul product;
    uint64_t *temp; // of product: 2 packs
    uint32_t key;   // of the part whose common denominator `inverse` undoes
    uint64_t *inverse;
};

// The limbs of a pack's number, with those that series need beyond the ring's.
PADICI_INLINE uint32_t padici_num_pack_limbs(const padic_num_ring *r)
{
    return r->words + r->words / 16 + 2;
}

// Where packs may begin: at the next cache line.
PADICI_INLINE uint64_t *padici_num_pack_memory(void *at)
{
    return (uint64_t *)at + (0u - (uintptr_t)at) % 64 / 8;
}

PADICI_FN void padici_num_packs_plain(const padici_num_packs *p, uint64_t *x, uint32_t n,
                                      const uint64_t *a, uint32_t an, const uint64_t *b,
                                      uint32_t bn, const uint64_t *add, uint32_t step, int minus);
PADICI_FN void padici_num_packs_cut(const padici_num_packs *p, uint64_t *x);
PADICI_FN uint32_t padici_num_windows(const padic_num_ring *r, uint32_t *bits);
PADICI_FN uint32_t padici_num_limb_terms(const padic_num_ring *r);
PADICI_FN int padici_num_packs_can(const padic_num_ring *r);
PADICI_FN void padici_num_packs_one(const padic_num_ring *r, int log, uint64_t *x,
                                    const uint64_t *a, uint64_t *t);
PADICI_FN void padici_num_packs_exp(padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                    uint64_t *t);
PADICI_FN void padici_num_packs_log(padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                    uint64_t *t);
PADICI_FN void padici_num_packs_inv(padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                    uint32_t len, uint64_t *t);
PADICI_FN void padici_num_packs_sqrt(padici_num_packs *p, uint64_t *x, const uint64_t *u,
                                     uint64_t *z, uint64_t *t);
PADICI_FN uint64_t padici_num_packs_words(const padic_num_ring *r);
PADICI_FN int padici_num_packs_has(uint32_t op);
PADICI_FN padic_result padici_num_packs_run(padic_num_call *call, uint32_t lanes,
                                            padici_num_packs_mul product);

#endif
