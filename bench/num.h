// What num.c and the p-adic peers of peers/ share.

#ifndef BENCH_NUM_H
#define BENCH_NUM_H

#include <stddef.h>
#include <stdint.h>

typedef enum num_op {
    NUM_ADD,
    NUM_MUL,
    NUM_INV,
    NUM_SQRT,
    NUM_EXP,
    NUM_LOG,
    NUM_TEICHMUELLER,
    NUM_RATREC,
    NUM_BARE_MUL, // u v mod p^N on bare residues: no valuation, no precision
    NUM_PEER_OPS, // from here on no peer has it
    NUM_SPLIT = NUM_PEER_OPS, // of bare residues: valuation and unit
    NUM_DISTANCE,             // of bare residues: the valuation of the difference
    NUM_DIGITS_OUT,           // of bare residues: planes of digits, the narrowest type
    NUM_DIGITS_IN,
    NUM_FROM_F64, // multiples of 2^-10
    NUM_BARE_ADD, // of bare residues
    NUM_HORNER,   // of bare residues: 16 shared coefficients, a step of a point
    NUM_OPS
} num_op;

// A library that has p-adic numbers of its own. Operands are p^v u with u given as `limbs` words,
// the lowest first, element after element. One run does the operation on all elements once.
typedef struct num_peer {
    const char *name;
    const char *(*version)(void);
    // NULL: this peer has no such operation.
    void *(*open)(num_op op, uint64_t p, uint32_t precision, size_t count, size_t limbs,
                  const uint64_t *a, const uint64_t *b, int32_t v);
    void (*run)(void *state);
    // 1 if the peer's result i is p^v u mod p^N, or for square roots its opposite; for RATREC the
    // fraction.
    int (*same)(void *state, size_t i, int32_t v, const uint64_t *u, size_t limbs,
                int64_t numerator, int64_t denominator);
    void (*close)(void *state);
} num_peer;

extern const num_peer num_flint; // -DBENCH_FLINT, peers/flint.c -lflint -lgmp
extern const num_peer num_pari;  // -DBENCH_PARI,  peers/pari.c  -lpari

#endif
