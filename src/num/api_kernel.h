#pragma once
// --------------------------------------------------------------------------------- >>kernel API
//
// A backend in host memory (backends/padic_simd.h) may do the inner loops: its `run` gets one of
// the numbers below with a padic_num_call or padic_sparse_call, from any thread. It answers
// NOT_SUPPORTED before it touches memory, or computes the same bytes as the plain loop.

typedef enum padic_num_kernel { // after PADIC_KERNEL_NUM of padic.h
    PADIC_KERNEL_NUM_ADD = 2000,
    PADIC_KERNEL_NUM_SUB,
    PADIC_KERNEL_NUM_NEG,
    PADIC_KERNEL_NUM_MUL,
    PADIC_KERNEL_NUM_FMA,
    PADIC_KERNEL_NUM_INV,
    PADIC_KERNEL_NUM_DIV,
    PADIC_KERNEL_NUM_SPLIT,     // out, a; other[0]: i32 valuations or NULL
    PADIC_KERNEL_NUM_VALUATION, // of a, or a - b; other[0], [1]: i32 valuations, norms
    PADIC_KERNEL_NUM_HORNER,    // a: points, b: coefficients, k: terms, stride: from term to term
    PADIC_KERNEL_NUM_SQRT,
    PADIC_KERNEL_NUM_EXP,
    PADIC_KERNEL_NUM_LOG,
    PADIC_KERNEL_NUM_TEICHMUELLER,
    PADIC_KERNEL_NUM_TO_DIGITS,   // a; other[0]: digits, see >>convert impl
    PADIC_KERNEL_NUM_FROM_DIGITS,
    PADIC_KERNEL_NUM_TO_RATIONAL, // a below 2^64; other[0], [1]: i64 results; k: Nmax, stride: Dmax
    PADIC_KERNEL_NUM_FROM_FLOAT,
    PADIC_KERNEL_NUM_DOT,
    PADIC_KERNEL_NUM_SUM, // as DOT without b; from here on only devices are asked
    PADIC_KERNEL_NUM_SHIFT,
    PADIC_KERNEL_NUM_POW,
    PADIC_KERNEL_NUM_POW_ARRAY,
    PADIC_KERNEL_NUM_EQUAL,
    PADIC_KERNEL_NUM_TROPICAL,
    PADIC_KERNEL_NUM_FROM_INT,
    PADIC_KERNEL_NUM_TO_INT,
    PADIC_KERNEL_NUM_FROM_RATIONAL,
    PADIC_KERNEL_NUM_TO_FLOAT,
    PADIC_KERNEL_NUM_ROOT,
    PADIC_KERNEL_NUM_POW_PADIC,
    PADIC_KERNEL_NUM_SET_PRECISION,
    PADIC_KERNEL_NUM_RATIONAL, // all that TO_RATIONAL is not; options: padici_rational
    PADIC_KERNEL_NUM_CHANGE_PRIME,
    PADIC_KERNEL_NUM_RANDOM, // options: padic_num_random_desc
    PADIC_KERNEL_NUM_HENSEL, // a: seeds, c: coefficients as of HORNER
    PADIC_KERNEL_NUM_SYSTEMS,   // in host memory: a padic_num_systems
    PADIC_KERNEL_NUM_SOLVE,     // on a device; options: padici_solving
    PADIC_KERNEL_NUM_HENSEL_ALL // c: coefficients; other[0], [1]: u32 numbers of roots, u8
                                // guarantees; options: padici_hensel
} padic_num_kernel;

// Planes of one operand, from the first element of the call on. RX: from a tile on.
typedef struct padic_num_planes {
    void *unit;      // words of ring->unit_size bytes; NULL: no such operand
    void *val;       // FLOAT, BALL
    void *known;     // BALL
    uint64_t high;   // W128: words from a low word to its high word
    uint32_t val16, known16;
    uint32_t scalar; // one element for all
} padic_num_planes;

typedef struct padic_num_call {
    const padic_num_ring *ring;
    padic_num_model model;
    uint32_t kernel;  // padic_num_kernel
    uint64_t count;
    padic_num_planes out, a, b, c;
    uint8_t *status;  // may be NULL; else every element's byte is written
    void *other[4];   // digits, numerators and denominators, floats, valuations
    padic_dtype dtype; // of those
    uint64_t stride;
    int64_t k;        // exponent, shift, terms, options
    void *workspace;    // of this thread (RX)
    uint32_t bits;    // out: all status bits
    uint64_t first;      // the number of the first element in the whole array
    const void *options; // what else an operation wants, the same for all chunks
} padic_num_call;

// Systems A x = b of integers, exactly: det A, and for each right side numerators over a positive
// denominator, in lowest terms, or (`reduce` 0) over |det A|. det = 0 says that a system is not
// done: A is singular, or its minors are not below 2^50. Results of system k are at [k], those of
// the next row or side PADIC_NUM_SYSTEMS further on; what is there beyond `count` may change.
#define PADIC_NUM_SYSTEMS 32
typedef struct padic_num_systems {
    const void *matrix, *right; // dense: (count, n, n), (count, n, sides)
    padic_dtype dtype;          // I32, I64
    uint32_t n, sides, count;   // 3 to 8; 0: only det; at most PADIC_NUM_SYSTEMS
    uint32_t reduce;
    int64_t *det, *denominator, *numerator; // (1), (sides), (n, sides)
    void *work; // 64-byte aligned: (n (n + 1) + 2 2^n) 64 bytes
} padic_num_systems;
