#pragma once
#include "../level.h"
#include "../words.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_SIMD_TENSOR_DEPTH 384u // rows of the packed b: a panel of it fills the first cache
#define PADICI_SIMD_TENSOR_ROWS 128u  // of packed a at a time, which fit the second cache
#define PADICI_SIMD_TENSOR_WIDE 1024u // columns of the packed b, in real numbers; half with workers
#define PADICI_SIMD_TENSOR_MOST 1024u // rows of c that one task computes with a packed b
#define PADICI_SIMD_TENSOR_THIN 2048u // columns at a time when c has one row
#define PADICI_SIMD_TENSOR_LINES 32   // most lines of a panel
#define PADICI_SIMD_TENSOR_SMALL 128u // real numbers per line of c in an unpacked product

// Lines (rows of a, columns of b) of a panel to be packed: the positions of these and of the places
// of the sum, in elements; `flat`: the lines are contiguous.
typedef struct padici_simd_tensor_pack {
    const char *from;
    const int64_t *sum;
    uint32_t depth, flat;
    uint32_t paired, negate; // complex; to be conjugated
    uint32_t adjacent;       // of a: places of the sum are contiguous
    uint32_t twice;          // b combined with a complex a
    int64_t line[PADICI_SIMD_TENSOR_LINES]; // beyond the last one it is repeated
} padici_simd_tensor_pack;

// An unpacked product: lines of b and c are used in place, in whole vectors. Steps in real numbers.
typedef struct padici_simd_tensor_direct {
    uint32_t depth, rows, columns, paired, add; // columns: real numbers
    int64_t a_row, a_sum, b_sum, c_row;
} padici_simd_tensor_direct;

// The kernels of a level and a precision.
typedef struct padici_simd_tensor_kernels {
    uint32_t mr, nr; // rows and real columns of c in a product of two panels
    uint32_t lanes;  // of a vector: a power of two
    // Packs a panel of a. For each place of the sum the real parts of the lines, then the imaginary
    // parts.
    void (*pack_a)(const padici_simd_tensor_pack *pack, void *to);
    // Packs a panel of b. For each place of the sum the lines; after them, for a complex a, i times
    // the lines.
    void (*pack_b)(const padici_simd_tensor_pack *pack, void *to);
    // Rows of c are `row` apart from `c`, in real numbers; `add`: to the previous contents.
    // `factor`: NULL, or four numbers as below that multiply the product, complex with `twice`.
    void (*product)(uint32_t depth, const void *a, const void *b, void *c, const int64_t *row,
                    const void *factor, uint32_t twice, int add);
    // sum += lines of b at `place`, in bytes, each times its factor: four numbers, for even and odd
    // places, then, if b and the factor are complex (`twice`), for their neighbours.
    void (*line)(uint32_t count, uint32_t lines, const char *b, const int64_t *place,
                 const void *factor, uint32_t twice, void *sum);
    void (*direct)(const padici_simd_tensor_direct *d, const void *a, const void *b, void *c);
} padici_simd_tensor_kernels;

// Prefetches memory; the address need not exist.
#if defined(__GNUC__) || defined(__clang__)
#define PADICI_SIMD_TENSOR_AHEAD(address) __builtin_prefetch((const void *)(address))
#else
#define PADICI_SIMD_TENSOR_AHEAD(address) ((void)(address))
#endif

#define PADICI_GPASTE(a, b, c) padici_simd_tensor_##a##_##b##_##c
#define PADICI_GNAME(a, b, c) PADICI_GPASTE(a, b, c)
#define PADICI_GK(name) PADICI_GNAME(name, PADICI_ISA, PADICI_REAL) // .._name_avx2_float

PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_of(uint32_t longest,
                                                                  uint32_t is_double);

#endif
