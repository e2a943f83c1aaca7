#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "array.h"
#include "determinant.h"
#include "task.h"

#ifndef PADIC_NO_NUM

// A batch of systems (or of determinants: sides = 0), the workspace of one, and its layout.
typedef struct padici_num_solving {
    uint32_t n, sides; // a large determinant gets an artificial right side
    uint32_t limbs;    // of q, as many as any system of this size and dtype needs
    uint32_t verify;
    uint32_t bound; // 1: Hadamard's bounds and ranks only
    padic_dtype dtype;
    uint64_t batch, chunk;
    padici_num_integers matrix, right, numerator, denominator, det, rank, status;
    padic_num_call call; // MODP: its ring, and out
    padic_context *context;
    uint64_t *workspace;
    uint64_t pieces; // workers that have workspace
    uint64_t each; // words of workspace of one worker
    uint32_t bits[PADICI_NUM_CHUNKS], wrong[PADICI_NUM_CHUNKS];
} padici_num_solving;

typedef struct padici_num_solve_room {
    int64_t *a, *b;     // A; B
    uint64_t *w;        // (A B) in elimination, or LU
    uint64_t *inverse, *order, *column, *residual; // n words each, residual: 2 n
    uint64_t *x, *sign; // solutions, `limbs` words each: limbs of q, then |numerator|; 1: negative
    uint64_t *d;        // the denominator
    uint64_t *temp;
    padic_num_ring *ring; // of q^k
    uint64_t *block;      // for a kernel, or NULL
} padici_num_solve_room;

PADICI_FN uint64_t padici_num_solve_lay(const padici_num_solving *s, uint64_t *base,
                                        padici_num_solve_room *m);
PADICI_FN void padici_num_solve_chunk(void *arg, uint32_t index);

#endif
