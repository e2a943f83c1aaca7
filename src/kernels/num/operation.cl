// operation.cl: what a kernel variant is built for (operation, model, words), and its params.

#ifndef PD_NUM_OP
#define PD_NUM_OP 1
#endif
#ifndef PD_NUM_MODEL
#define PD_NUM_MODEL 1
#endif
#ifndef PD_NUM_BITS
#define PD_NUM_BITS 64
#endif
#ifndef PD_NUM_TWO
#define PD_NUM_TWO 0
#endif

#ifndef PD_NUM_VAL
#define PD_NUM_VAL 32
#endif
#ifndef PD_NUM_KNOWN
#define PD_NUM_KNOWN 8
#endif
#ifndef PD_NUM_SIZE
#define PD_NUM_SIZE 0
#endif
#ifndef PD_NUM_KIND
#define PD_NUM_KIND 0
#endif

#define NUM_OP_ADD 1
#define NUM_OP_SUB 2
#define NUM_OP_NEG 3
#define NUM_OP_MUL 4
#define NUM_OP_FMA 5
#define NUM_OP_INV 6
#define NUM_OP_DIV 7
#define NUM_OP_SHIFT 8
#define NUM_OP_POW 9
#define NUM_OP_SPLIT 10
#define NUM_OP_VALUATION 11 // of a - b if b is given
#define NUM_OP_EQUAL 12
#define NUM_OP_HORNER 13
#define NUM_OP_TO_DIGITS 14
#define NUM_OP_FROM_DIGITS 15
#define NUM_OP_FROM_INT 16
#define NUM_OP_TO_INT 17
#define NUM_OP_REDUCE 18 // chunks of elements to cells
#define NUM_OP_FOLD 19   // cells to half as many, or to the result
#define NUM_OP_FROM_RATIONAL 20
#define NUM_OP_TO_RATIONAL 21
#define NUM_OP_FROM_FLOAT 22
#define NUM_OP_TO_FLOAT 23
#define NUM_OP_TEICHMUELLER 24
#define NUM_OP_ROOT 25 // including square roots
#define NUM_OP_EXP 26
#define NUM_OP_LOG 27
#define NUM_OP_SET_PRECISION 28
#define NUM_OP_TROPICAL 29
#define NUM_OP_CHANGE_PRIME 30
#define NUM_OP_POW_PADIC 31
#define NUM_OP_HENSEL 33 // a: seeds, c: k coefficients, as of HORNER
#define NUM_OP_SOLVE 34  // A X = B modulo P, one system per item; over the rationals: solve.cl
#define NUM_OP_HENSEL_ALL 35 // all roots of polynomials, a group for each; c: coefficients
#define NUM_OP_RANDOM 32 // k: seed, stride: stream; the first number stands where other[0] would

// Fractions, floats by powers, norms, deep roots: pointers lie in local memory, but for CUDA.
#define NUM_HEAVY                                                                            \
    ((PD_NUM_OP == NUM_OP_CHANGE_PRIME || (PD_NUM_OP == NUM_OP_VALUATION && PD_NUM_SIZE) ||  \
      PD_NUM_OP == NUM_OP_POW_PADIC || PD_NUM_OP == NUM_OP_HENSEL ||                         \
      PD_NUM_OP == NUM_OP_HENSEL_ALL ||                                                      \
      ((PD_NUM_OP == NUM_OP_TO_RATIONAL || PD_NUM_OP == NUM_OP_TO_FLOAT ||                   \
        PD_NUM_OP == NUM_OP_ROOT) &&                                                         \
       PD_NUM_KIND)) &&                                                                      \
     !PD_IS_CUDA)

// Sums and products of residues, polynomials: they need little of the ring, so a group starts at
// once. Each item has several elements in flight.
#define NUM_PLAIN (PD_NUM_MODEL == 0 && PD_NUM_OP >= NUM_OP_ADD && PD_NUM_OP <= NUM_OP_FMA)
#define NUM_POLYNOMIAL (PD_NUM_MODEL == 0 && PD_NUM_OP == NUM_OP_HORNER)
#ifndef PD_NUM_POINTS
#define PD_NUM_POINTS (PD_NUM_BITS == 32 ? 4 : 2)
#endif

// 1 if 1 / (p - 1) is needed.
#define NUM_WANTS_LESS_ONE                                                                       \
    ((PD_NUM_OP == NUM_OP_TEICHMUELLER || PD_NUM_OP == NUM_OP_LOG ||                             \
      (PD_NUM_KIND == 2 &&                                                                       \
       (PD_NUM_OP == NUM_OP_TO_DIGITS || PD_NUM_OP == NUM_OP_FROM_DIGITS)) ||                    \
      ((PD_NUM_KIND & 2) && PD_NUM_OP == NUM_OP_ROOT)) &&                                        \
     !PD_NUM_TWO)

// Functions of an element that write status bytes themselves, or none.
#define NUM_ITEM_REPORTS                                              \
    (PD_NUM_OP == NUM_OP_EQUAL || PD_NUM_OP == NUM_OP_TROPICAL ||     \
     (PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND == 2))

// Address of a plane: byte, low half; byte, high 24 bits, and the number of its memory from 1.
#define NUM_OUT 0 // unit, val, known
#define NUM_A 3
#define NUM_B 6
#define NUM_C 9
#define NUM_STATUS 12
#define NUM_STICKY 13
#define NUM_OTHER 14

typedef struct {
    pd_u32 count, flags, precision;
    pd_u32 mode;              // of digits, integers, floats
    pd_u32 p[2], base[2];     // base: P
    pd_u32 inverse[2];        // P^-1 modulo 2^PD_NUM_BITS; p = 2: none
    pd_u32 one[2], square[2]; // R and R^2 modulo P, R = 2^PD_NUM_BITS
    pd_u32 limit[12];         // floor((2^PD_NUM_BITS - 1) / p^(2^j)); 0 where that is not below P
    pd_u32 k[2];              // an exponent, a shift, terms, ...
    pd_u32 stride[2];
    pd_u32 place[34]; // of NUM_OUT ...
} padic_k_num_each_params;

// Bits of flags: one element for all of a, b, c.
#define NUM_SCALAR(q) (1u << (q)) // q = 1, 2, 3: a, b, c

#define NUM_ZERO 0x7fffffff
#define NUM_NAN (-0x7fffffff - 1)
#define NUM_MOST 0x20000000
#define NUM_DIV0 1u
#define NUM_NONUNIT 2u
#define NUM_NOPOWER 4u
#define NUM_OUTSIDE 8u
#define NUM_RATREC 16u
#define NUM_RANGE 32u
#define NUM_PRECLOSS 64u
#define NUM_INEXACT 128u
#define NUM_HARD 63u
#define NUM_NOTHING 0x80000000u // of all bits: a polynomial is 0

#if PD_NUM_BITS == 32
typedef pd_u32 num_u;
#define NUM_MULHI(a, b) PD_MULHI32(a, b)
#define NUM_PAIR(low, high) (low)
#else
typedef pd_u64 num_u;
#define NUM_MULHI(a, b) PD_MULHI64(a, b)
#define NUM_PAIR(low, high) PD_U64(low, high)
#endif

#if PD_NUM_KNOWN == 8
typedef pd_u8 num_known;
#else
typedef pd_u16 num_known;
#endif
