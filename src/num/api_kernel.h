#pragma once
// --------------------------------------------------------------------------------- >>kernel API
//
// A backend in host memory (backends/padic_simd.h) may do the inner loops: PADIC_OP_NUM_LOOP with a
// padic_num_call, whose `op` says the operation, from any thread. It returns NOT_SUPPORTED before
// it touches memory, or computes the same bytes as the plain loop. What `other` and the numbers of
// the call are:
//
//     NUM_SPLIT        other[0]: I32 valuations, or NULL
//     NUM_VALUATION    of a, or a - b; other[0]: I32 valuations, [1]: norms, or NULL
//     NUM_HORNER       a: points, b: coefficients, k: terms, stride: from term to term
//     NUM_HENSEL       a: seeds, c: coefficients, k and stride as of HORNER
//     NUM_TO_DIGITS, NUM_FROM_DIGITS    other[0]: digits, see >>convert impl
//     NUM_TO_RATIONAL  below 2^64; other[0], [1]: I64 results; k: Nmax, stride: Dmax
//     NUM_RATIONAL     all that this is not
//     NUM_SUM          NUM_DOT without b

// The planes of one operand, from the first element of the call on; RX: of a tile.
typedef struct padic_num_planes {
    void *unit;      // words of ring->unit_size bytes; NULL: no such operand
    void *val;       // FLOAT, BALL
    void *known;     // BALL
    uint64_t high;   // W128: words from a low word to its high word
    uint32_t val16, known16;
    uint32_t scalar; // 1: one element for all
} padic_num_planes;

typedef struct padic_num_call {
    const padic_num_ring *ring;
    padic_num_model model;
    uint32_t op;      // PADIC_OP_NUM_...
    uint64_t count;
    padic_num_planes out, a, b, c;
    uint8_t *status;  // may be NULL; else every element's byte is written
    void *other[4];   // digits, numerators and denominators, floats, valuations
    padic_dtype dtype; // of those
    uint64_t stride;
    int64_t k;        // exponent, shift, terms, options
    void *workspace;    // of this thread (RX)
    uint32_t bits;    // result: all status bits
    uint64_t first;      // the number of the first element in the whole array
    const void *options; // what else an operation needs, the same for all pieces
} padic_num_call;

// Systems A x = b of integers, exactly: det A, and for each right side numerators over a positive
// denominator, in lowest terms, or (`reduce` 0) over |det A|. det = 0 says that a system was not
// solved: A is singular, or its minors are not below 2^50. Results of system k are at [k], those of
// the next row or side PADIC_NUM_SYSTEMS later; what lies there beyond `count` may change.
#define PADIC_NUM_SYSTEMS 32
typedef struct padic_num_systems {
    const void *matrix, *right; // dense: (count, n, n), (count, n, sides)
    padic_dtype dtype;          // I32, I64
    uint32_t n, sides, count;   // 3 to 8; 0: only det; at most PADIC_NUM_SYSTEMS
    uint32_t reduce;
    int64_t *det, *denominator, *numerator; // (1), (sides), (n, sides)
    void *work; // 64-byte aligned: (n (n + 1) + 2 2^n) 64 bytes
} padic_num_systems;
