// program: num
// num.cl: operations on arrays of p-adic numbers, one number a work-item at a time.
//
// One kernel. A variant is made for one operation, one model and one way to store units:
//
//     PD_NUM_OP     what is done, NUM_OP_... below
//     PD_NUM_MODEL  0 RING, 1 FLOAT, 2 BALL (padic_num.h, >>num API)
//     PD_NUM_BITS   32, 64: bits of a stored unit
//     PD_NUM_TWO    1: p = 2, units modulo 2^N. 0: odd p, Montgomery products
//     PD_NUM_VAL    32, 16: bits of a valuation in the planes
//     PD_NUM_KNOWN  8, 16: bits of a precision in the planes
//     PD_NUM_SIZE   bytes of an element of other[0]: digits, integers, exponents; 0: there are none
//     PD_NUM_KIND   of digits: 0 standard, 1 balanced, 2 Teichmueller; of fractions: 0 bounds for
//                   all, 1 for each precision, 2 common, 3 fixed denominator, 4 largest quotient;
//                   of a change of the prime: the model of a; to floats: 0 p^v is a power of two
//                   or 1, 1 integers u p^v, 2 fractions; of n-th roots the sum of 1 if p is too
//                   large for a table of those modulo p, and 2 if p divides n, but for p = n = 2
//
// Planes lie in up to 8 memories. Residues are canonical, so the bytes are those of the CPU.
//
// variant: PD_NUM_OP=1 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=4 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=4 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=4 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=1 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=1 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=1
// variant: PD_NUM_OP=2 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=5 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=7 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=9 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=13 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=13 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=11 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=29 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=14 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=0 PD_NUM_SIZE=2
// variant: PD_NUM_OP=15 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2 PD_NUM_SIZE=2
// variant: PD_NUM_OP=16 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=17 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=4
// variant: PD_NUM_OP=20 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=21 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=21 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=1 PD_NUM_KIND=1
// variant: PD_NUM_OP=21 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2
// variant: PD_NUM_OP=21 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0 PD_NUM_KIND=3
// variant: PD_NUM_OP=21 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=4
// variant: PD_NUM_OP=30 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2
// variant: PD_NUM_OP=22 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=23 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=23 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=1 PD_NUM_SIZE=4
// variant: PD_NUM_OP=23 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8 PD_NUM_KIND=1
// variant: PD_NUM_OP=23 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8 PD_NUM_KIND=2
// variant: PD_NUM_OP=25 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=25 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=25 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=1
// variant: PD_NUM_OP=25 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=1
// variant: PD_NUM_OP=25 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2
// variant: PD_NUM_OP=25 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=3
// variant: PD_NUM_OP=25 PD_NUM_MODEL=1 PD_NUM_BITS=32 PD_NUM_TWO=1 PD_NUM_KIND=2
// variant: PD_NUM_OP=31 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=26 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=27 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=32 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=1
// variant: PD_NUM_OP=32 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=33 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=1
// variant: PD_NUM_OP=33 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=35 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=35 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=35 PD_NUM_MODEL=1 PD_NUM_BITS=32 PD_NUM_TWO=1
// variant: PD_NUM_OP=34 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0 PD_NUM_SIZE=4
// variant: PD_NUM_OP=34 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=34 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=1 PD_NUM_SIZE=8
// variant: PD_NUM_OP=18 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=19 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=1

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
#define NUM_OP_VALUATION 11 // of a - b where there is a b
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
#define NUM_OP_ROOT 25 // square roots, too
#define NUM_OP_EXP 26
#define NUM_OP_LOG 27
#define NUM_OP_SET_PRECISION 28
#define NUM_OP_TROPICAL 29
#define NUM_OP_CHANGE_PRIME 30
#define NUM_OP_POW_PADIC 31
#define NUM_OP_HENSEL 33 // a: seeds, c: k coefficients, as of HORNER
#define NUM_OP_SOLVE 34  // A X = B modulo P, a system an item; over the rationals: solve.cl
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

// Sums and products of residues, polynomials: what they need of the ring is little, so that a group
// begins at once. Each item has several elements in flight.
#define NUM_PLAIN (PD_NUM_MODEL == 0 && PD_NUM_OP >= NUM_OP_ADD && PD_NUM_OP <= NUM_OP_FMA)
#define NUM_POLYNOMIAL (PD_NUM_MODEL == 0 && PD_NUM_OP == NUM_OP_HORNER)
#ifndef PD_NUM_POINTS
#define PD_NUM_POINTS (PD_NUM_BITS == 32 ? 4 : 2)
#endif

// Where a plane lies: byte, low half; byte, high 24 bits, and the number of its memory from 1.
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

// ---- residues

// A member called spare stands where padding would be, which a gate reports.
typedef struct {
    PD_LPTR(num_u) rung; // p^(2^j) for each j < 6, then their inverses, then their limits
    num_u base, inverse; // p = 2: base is the mask P - 1
    pd_u32 n, spare;     // n: N
} num_ring;

#if PD_NUM_TWO
#define NUM_P(r) ((num_u)2u)
#else
#define NUM_P(r) ((r).rung[0])
#endif
#define NUM_P_INVERSE(r) ((r).rung[6]) // modulo 2^PD_NUM_BITS
#define NUM_LIMIT(r) ((r).rung[12])    // floor((2^PD_NUM_BITS - 1) / p)
#define NUM_ONE(r) ((r).rung[18])      // R modulo P
#define NUM_LESS_ONE(r) ((r).rung[19]) // R / (p - 1) modulo P, where it is wanted
#define NUM_SQUARE(r) ((r).rung[20])   // R^2 modulo P

PD_FN pd_u32 num_ctz(pd_u64 x) // x not 0
{
    const pd_u32 low = (pd_u32)x, high = (pd_u32)(x >> 32);
    return low ? PD_POPCOUNT((low & (0u - low)) - 1u)
               : 32u + PD_POPCOUNT((high & (0u - high)) - 1u);
}

// a^-1 modulo 2^64, a odd: 5 bits, doubled four times.
PD_FN pd_u64 num_inverse64(pd_u64 a)
{
    pd_u64 x = (3u * a) ^ 2u;
    x *= 2u - a * x;
    x *= 2u - a * x;
    x *= 2u - a * x;
    return x * (2u - a * x);
}

// The constants of the ring. What is needed less often lies in local memory: registers are few.
#define NUM_RUNG_SET(j)                                              \
    do {                                                             \
        rung[j] = power;                                             \
        rung[6 + j] = inverse;                                       \
        rung[12 + j] = NUM_PAIR(k.limit[2 * j], k.limit[2 * j + 1]); \
        power *= power;                                              \
        inverse *= inverse;                                          \
    } while (0)
PD_FN num_ring num_ring_of(const padic_k_num_each_params k, PD_LPTR(num_u) rung)
{
    num_ring r;
    r.base = NUM_PAIR(k.base[0], k.base[1]);
    r.inverse = NUM_PAIR(k.inverse[0], k.inverse[1]);
    r.rung = rung;
    r.n = k.precision;
    r.spare = 0u;
    if (PD_LID == 0u) {
#if !NUM_PLAIN && !NUM_POLYNOMIAL
        num_u power = NUM_PAIR(k.p[0], k.p[1]), inverse = (num_u)num_inverse64((pd_u64)power);
        NUM_RUNG_SET(0);
        NUM_RUNG_SET(1);
        NUM_RUNG_SET(2);
        NUM_RUNG_SET(3);
        NUM_RUNG_SET(4);
        NUM_RUNG_SET(5);
#endif
        rung[18] = NUM_PAIR(k.one[0], k.one[1]);
        rung[20] = NUM_PAIR(k.square[0], k.square[1]);
    }
    PD_BARRIER();
    return r;
}

PD_FN num_u num_add(const num_ring r, num_u a, num_u b)
{
#if PD_NUM_TWO
    return (a + b) & r.base;
#else
    const num_u d = r.base - b; // the sum may not fit
    return a >= d ? a - d : a + b;
#endif
}

PD_FN num_u num_sub(const num_ring r, num_u a, num_u b)
{
#if PD_NUM_TWO
    return (a - b) & r.base;
#else
    return a - b + (a < b ? r.base : 0u);
#endif
}

// a b / R modulo P for any a and b < P. p = 2: a b.
PD_FN num_u num_mont(const num_ring r, num_u a, num_u b)
{
#if PD_NUM_TWO
    return (a * b) & r.base;
#elif PD_NUM_BITS == 32
    const pd_u64 x = (pd_u64)a * b;
    const pd_u32 high = (pd_u32)(x >> 32), h = PD_MULHI32((pd_u32)x * r.inverse, r.base);
    return high >= h ? high - h : high + r.base - h;
#else
    const pd_u64 high = PD_MULHI64(a, b), h = PD_MULHI64(a * b * r.inverse, r.base);
    return high >= h ? high - h : high + r.base - h;
#endif
}

// Into Montgomery form and back: a R, a / R.
PD_FN num_u num_enter(const num_ring r, num_u a)
{
    (void)r;
#if PD_NUM_TWO
    return a;
#else
    return num_mont(r, NUM_SQUARE(r), a);
#endif
}

PD_FN num_u num_leave(const num_ring r, num_u a)
{
    (void)r;
#if PD_NUM_TWO
    return a;
#else
    return num_mont(r, a, 1u);
#endif
}

PD_FN num_u num_mul(const num_ring r, num_u a, num_u b)
{
    return num_mont(r, num_enter(r, a), b);
}

// a^e, both in Montgomery form.
PD_FN num_u num_pow(const num_ring r, num_u a, pd_u64 e)
{
    num_u x = NUM_ONE(r);
    for (; e; e >>= 1) {
        if (e & 1u) x = num_mont(r, x, a);
        a = num_mont(r, a, a);
    }
    return x;
}

// p^k, k < N.
PD_FN num_u num_power(const num_ring r, pd_u32 k)
{
    (void)r;
#if PD_NUM_TWO
    return (num_u)1u << k;
#else
    num_u x = 1u;
    for (pd_u32 j = 0u; k >> j; j++)
        if (k >> j & 1u) x *= r.rung[j];
    return x;
#endif
}

// a p^k mod P; floor(a / p^k); a mod p^k: k >= 0.
PD_FN num_u num_up(const num_ring r, num_u a, pd_i64 k)
{
    if (k >= (pd_i64)r.n) return 0u;
#if PD_NUM_TWO
    return (a << (pd_u32)k) & r.base;
#else
    return k ? num_mul(r, a, num_power(r, (pd_u32)k)) : a;
#endif
}

PD_FN num_u num_down(const num_ring r, num_u a, pd_i64 k)
{
    const pd_u32 n = (pd_u32)k;
    if (k >= (pd_i64)r.n) return 0u;
#if PD_NUM_TWO
    return a >> n;
#else
    for (pd_u32 j = 0u; n >> j; j++)
        if (n >> j & 1u) {
            const num_u q = NUM_MULHI(a, r.rung[12u + j]), p = r.rung[j]; // q: at most 1 too small
            a = a - q * p >= p ? q + 1u : q;
        }
    return a;
#endif
}

PD_FN num_u num_low(const num_ring r, num_u a, pd_u32 n)
{
    if (n >= r.n) return a;
#if PD_NUM_TWO
    return a & (((num_u)1u << n) - 1u);
#else
    return a - num_down(r, a, (pd_i64)n) * num_power(r, n);
#endif
}

// floor(u / p): what is above the lowest digit.
PD_FN num_u num_above(const num_ring r, num_u u)
{
    (void)r;
#if PD_NUM_TWO
    return u >> 1;
#else
    const num_u q = NUM_MULHI(u, NUM_LIMIT(r)); // at most one too small
    return u - q * NUM_P(r) >= NUM_P(r) ? q + 1u : q;
#endif
}

// Is a, not 0, a unit?
PD_FN pd_u32 num_unit(const num_ring r, num_u a)
{
    (void)r;
#if PD_NUM_TWO
    return (pd_u32)a & 1u;
#else
    return a * NUM_P_INVERSE(r) > NUM_LIMIT(r) ? 1u : 0u;
#endif
}

typedef struct {
    num_u u;
    pd_u32 v, spare;
} num_parts;

// x = p^v u, x not 0. Odd p: p^(2^j) divides x iff x p^-(2^j) modulo 2^bits is no larger than any
// quotient can be.
PD_FN num_parts num_split(const num_ring r, num_u x)
{
    (void)r;
    num_parts s;
    s.spare = 0u;
#if PD_NUM_TWO
    s.v = num_ctz((pd_u64)x);
    s.u = x >> s.v;
#else
    s.v = 0u;
    s.u = x;
    if (x * NUM_P_INVERSE(r) <= NUM_LIMIT(r)) {
        for (pd_u32 j = PD_NUM_BITS == 64 ? 6u : 5u; j > 0u; j--) {
            const num_u q = s.u * r.rung[5u + j];
            if (q <= r.rung[11u + j]) {
                s.u = q;
                s.v += 1u << (j - 1u);
            }
        }
    }
#endif
    return s;
}

PD_FN pd_u32 num_valuation(const num_ring r, num_u a) // N for 0
{
    num_parts s;
    if (!a) return r.n;
    s = num_split(r, a);
    return s.v;
}

// a^-1 of a unit, in Montgomery form. Odd p: a^(p-2) is right modulo p; each step doubles digits.
PD_FN num_u num_inv_mont(const num_ring r, num_u a)
{
    (void)r;
#if PD_NUM_TWO
    return (num_u)num_inverse64((pd_u64)a) & r.base;
#else
    const num_u two = num_add(r, NUM_ONE(r), NUM_ONE(r));
    num_u x = num_pow(r, a, (pd_u64)(NUM_P(r) - 2u));
    for (pd_u32 known = 1u; known < r.n; known *= 2u)
        x = num_mont(r, x, num_sub(r, two, num_mont(r, a, x)));
    return x;
#endif
}

// m modulo P for any 64-bit m.
PD_FN num_u num_reduce(const num_ring r, pd_u64 m)
{
#if PD_NUM_TWO
    return (num_u)m & r.base;
#elif PD_NUM_BITS == 32
    return (num_u)(m % r.base);
#else
    return num_mont(r, num_mont(r, m, NUM_SQUARE(r)), 1u);
#endif
}

// ---- numbers

typedef struct {
    num_u u;
    pd_i32 v; // NUM_ZERO, NUM_NAN as in a plane
    pd_u32 n, bits, spare;
} num_cell;

typedef struct { // planes of one operand
    PD_GPTR(num_u) unit;
    PD_GPTR(void) val;
    PD_GPTR(void) known;
    pd_u32 mask, spare; // of element numbers: 0 where there is one element for all
} num_planes;

#define NUM_MEMS                                                                                \
    PD_GPTR(pd_u32) m0, PD_GPTR(pd_u32) m1, PD_GPTR(pd_u32) m2, PD_GPTR(pd_u32) m3,             \
        PD_GPTR(pd_u32) m4, PD_GPTR(pd_u32) m5, PD_GPTR(pd_u32) m6, PD_GPTR(pd_u32) m7
#define NUM_PASS m0, m1, m2, m3, m4, m5, m6, m7

PD_FN PD_GPTR(void) num_place(NUM_MEMS, pd_u32 low, pd_u32 high)
{
    const pd_u32 i = high >> 24;
    PD_GPTR(pd_u32) m = i < 2u   ? m0
                        : i < 3u ? m1
                        : i < 4u ? m2
                        : i < 5u ? m3
                        : i < 6u ? m4
                        : i < 7u ? m5
                        : i < 8u ? m6
                                 : m7;
    return (PD_GPTR(pd_u8))m + PD_U64(low, high & 0xffffffu);
}
typedef PD_GPTR(void) num_pointer;
#define NUM_PLACE(q) num_place(NUM_PASS, k.place[2u * (q)], k.place[2u * (q) + 1u])
#define NUM_HAS(q) (k.place[2u * (q) + 1u] >> 24)

// The planes of operand q: 0 to 3 for out, a, b, c.
PD_FN num_planes num_planes_of(NUM_MEMS, const padic_k_num_each_params k, pd_u32 q)
{
    const pd_u32 at = 3u * q;
    num_planes x;
    x.unit = (PD_GPTR(num_u))NUM_PLACE(at);
#if PD_NUM_MODEL != 0
    x.val = NUM_PLACE(at + 1u);
#else
    x.val = m0;
#endif
#if PD_NUM_MODEL == 2
    x.known = NUM_PLACE(at + 2u);
#else
    x.known = m0;
#endif
    x.mask = k.flags & NUM_SCALAR(q) ? 0u : 0xffffffffu;
    x.spare = 0u;
    return x;
}

PD_FN num_cell num_cell_of(const num_ring r) // what a result begins with
{
    num_cell x;
    x.u = 0u;
    x.v = 0;
    x.n = r.n;
    x.bits = 0u;
    x.spare = 0u;
    return x;
}

// Beyond the limits a valuation is what a result there would have become, so that no sum overflows.
PD_FN pd_i32 num_val_load(PD_GPTR(void) val, pd_u64 i)
{
#if PD_NUM_VAL == 32
    const pd_i32 v = ((PD_GPTR(pd_i32))val)[i];
    return v > NUM_MOST ? NUM_ZERO : v < -NUM_MOST ? NUM_NAN : v;
#else
    const pd_u32 w = ((PD_GPTR(pd_u16))val)[i];
    return w == 32767u   ? NUM_ZERO
           : w == 32768u ? NUM_NAN
                         : (pd_i32)w - (w > 32767u ? 65536 : 0);
#endif
}

// Element i but for its unit u, which was read. A plane may hold anything, but tables end at N.
PD_FN num_cell num_load_val(const num_ring r, const num_planes p, pd_u64 i, num_u u)
{
    (void)p, (void)i;
    num_cell x = num_cell_of(r);
    x.u = u;
#if PD_NUM_MODEL != 0
    x.v = num_val_load(p.val, i);
    if (x.v == NUM_NAN) x.bits = (pd_u32)x.u & 255u;
#endif
#if PD_NUM_MODEL == 2
    x.n = ((PD_GPTR(num_known))p.known)[i];
    if (x.n > r.n) x.n = r.n;
#endif
    return x;
}

PD_FN num_cell num_load(const num_ring r, const num_planes p, pd_u64 i)
{
    i &= p.mask;
    return num_load_val(r, p, i, p.unit[i]);
}

// Writes a result: specials for hard bits and for valuations beyond the limits. Its bits. `narrow`:
// units of 32 bits, whatever PD_NUM_BITS is.
PD_FN pd_u32 num_store_as(const num_planes p, pd_u64 i, num_cell given, pd_u32 narrow)
{
    num_cell x = given;
#if PD_NUM_MODEL != 0
    const pd_i32 most = PD_NUM_VAL == 16 ? 16383 : NUM_MOST;
    if (x.v != NUM_ZERO && x.v != NUM_NAN) {
        if (x.v > most) {
            x.v = NUM_ZERO;
            x.bits |= NUM_INEXACT;
        } else if (x.v < -most) {
            x.bits |= NUM_RANGE;
        }
    }
    if (x.bits & NUM_HARD) x.v = NUM_NAN;
    if (x.v == NUM_NAN || x.v == NUM_ZERO) {
        x.u = x.v == NUM_NAN ? (num_u)x.bits : 0u;
        x.n = 0u;
    }
#if PD_NUM_VAL == 32
    ((PD_GPTR(pd_i32))p.val)[i] = x.v;
#else
    ((PD_GPTR(pd_u16))p.val)[i] = x.v == NUM_ZERO  ? (pd_u16)32767u
                                  : x.v == NUM_NAN ? (pd_u16)32768u
                                                   : (pd_u16)((pd_u32)x.v & 65535u);
#endif
#else
    if (x.bits & NUM_HARD) x.u = 0u;
#endif
#if PD_NUM_MODEL == 2
    ((PD_GPTR(num_known))p.known)[i] = (num_known)x.n;
#endif
    if (narrow)
        ((PD_GPTR(pd_u32))p.unit)[i] = (pd_u32)x.u;
    else
        p.unit[i] = x.u;
    return x.bits;
}

PD_FN pd_u32 num_store(const num_planes p, pd_u64 i, num_cell x)
{
    return num_store_as(p, i, x, 0u);
}

// Makes p^v u canonical, u any residue of which n digits are known.
PD_FN num_cell num_normal(const num_ring r, num_cell given)
{
    num_cell x = given;
    (void)r;
#if PD_NUM_MODEL != 0
    if (x.v == NUM_ZERO || x.v == NUM_NAN || (x.bits & NUM_HARD)) return x;
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    if (x.u) {
        const num_parts s = num_split(r, x.u);
        x.u = s.u;
        x.v += (pd_i32)s.v;
        x.n -= s.v;
        return x;
    }
#if PD_NUM_MODEL == 1
    x.v = NUM_ZERO;
#else
    if (!x.n) return x; // O(p^v) as it came
    x.v += (pd_i32)x.n;
#endif
    x.n = 0u;
    x.bits |= NUM_PRECLOSS;
#endif
    return x;
}

// A valuation that may lie far outside: num_store() then sees that it does.
PD_FN pd_i32 num_clamp(pd_i64 v)
{
    const pd_i64 most = NUM_MOST + 1;
    return (pd_i32)(v > most ? most : v < -most ? -most : v);
}

// The limits of valuations for an intermediate result.
PD_FN num_cell num_limit(num_cell given)
{
    num_cell x = given;
    if (x.v == NUM_NAN || x.v == NUM_ZERO) return x;
    if (x.v > NUM_MOST) {
        x.v = NUM_ZERO;
        x.bits |= NUM_INEXACT;
    } else if (x.v < -NUM_MOST) {
        x.v = NUM_NAN;
        x.bits |= NUM_RANGE;
    }
    return x;
}

// If an operand is NaN, the result is, with its bits.
#if PD_NUM_MODEL != 0
#define NUM_NAN_OF(x, a)        \
    if ((a).v == NUM_NAN) {     \
        (x).v = NUM_NAN;        \
        (x).bits = (a).bits;    \
        return x;               \
    }
#else
#define NUM_NAN_OF(x, a)
#endif

// a + b, or a - b.
PD_FN num_cell num_cell_sum(const num_ring r, num_cell a, num_cell given, pd_u32 minus)
{
    num_cell b = given;
    num_cell x = num_cell_of(r);
#if PD_NUM_MODEL == 0
    x.u = minus ? num_sub(r, a.u, b.u) : num_add(r, a.u, b.u);
#else
    pd_i64 d;
    NUM_NAN_OF(x, a)
    NUM_NAN_OF(x, b)
    if (b.v == NUM_ZERO) return a;
    if (minus) b.u = num_low(r, num_sub(r, 0u, b.u), b.n);
    if (a.v == NUM_ZERO) return b;
    x.v = a.v < b.v ? a.v : b.v;
    d = (pd_i64)b.v - a.v;
#if PD_NUM_MODEL == 2
    {
        const pd_i64 end_a = (pd_i64)a.v + a.n, end_b = (pd_i64)b.v + b.n;
        const pd_i64 known = end_a < end_b ? end_a : end_b;
        if (known <= x.v) { // not a digit left
            x.v = (pd_i32)known;
            x.n = 0u;
            x.bits = NUM_PRECLOSS;
            return x;
        }
        x.n = (pd_u32)(known - x.v);
    }
#endif
    if (d >= 0)
        x.u = num_add(r, a.u, num_up(r, b.u, d));
    else
        x.u = num_add(r, num_up(r, a.u, -d), b.u);
    x = num_normal(r, x);
#endif
    return x;
}

PD_FN num_cell num_cell_mul(const num_ring r, num_cell a, num_cell b)
{
    num_cell x = num_cell_of(r);
#if PD_NUM_MODEL != 0
    NUM_NAN_OF(x, a)
    NUM_NAN_OF(x, b)
    if (a.v == NUM_ZERO || b.v == NUM_ZERO) {
        x.v = NUM_ZERO;
        return x;
    }
    x.v = a.v + b.v;
    x.n = a.n < b.n ? a.n : b.n;
#endif
    x.u = num_mul(r, a.u, b.u);
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    return x;
}

PD_FN num_cell num_cell_fma(const num_ring r, num_cell a, num_cell b, num_cell c)
{
    const num_cell product = num_limit(num_cell_mul(r, a, b));
    num_cell x = num_cell_sum(r, product, c, 0u);
    if (x.v != NUM_NAN) x.bits |= product.bits;
    return x;
}

// a / b; without `whole` 1 / b.
PD_FN num_cell num_cell_div(const num_ring r, num_cell a, num_cell b, pd_u32 whole)
{
    num_cell x = num_cell_of(r);
    num_u inverse;
#if PD_NUM_MODEL == 0
    if (!b.u)
        x.bits = NUM_DIV0;
    else if (!num_unit(r, b.u))
        x.bits = NUM_NONUNIT;
    if (x.bits) return x;
#else
    if (whole) {
        NUM_NAN_OF(x, a)
    }
    NUM_NAN_OF(x, b)
    if (b.v == NUM_ZERO || !b.n)
        x.bits = NUM_DIV0;
    else if (whole && a.v == NUM_ZERO)
        x.v = NUM_ZERO;
    else
        x.v = whole ? a.v - b.v : -b.v;
    x.n = whole && a.n < b.n ? a.n : b.n;
    if (x.bits || x.v == NUM_ZERO) return x;
#endif
    inverse = num_inv_mont(r, num_enter(r, b.u));
    x.u = whole ? num_mont(r, inverse, a.u) : num_leave(r, inverse);
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    return x;
}

// a p^s.
PD_FN num_cell num_cell_shift(const num_ring r, num_cell given, pd_i64 s)
{
    num_cell a = given;
    (void)r;
#if PD_NUM_MODEL != 0
    const pd_i64 wide = 0x7fffffff;
    if (a.v == NUM_NAN || a.v == NUM_ZERO) return a;
    a.v = num_clamp(s > wide ? wide : s < -wide - 1 ? -wide - 1 : a.v + s);
#else
    if (s >= 0) {
        a.u = num_up(r, a.u, s);
    } else if (a.u && (pd_u64)num_valuation(r, a.u) < 0u - (pd_u64)s) {
        a.bits = NUM_NONUNIT;
        a.u = 0u;
    } else {
        a.u = num_down(r, a.u, 0u - (pd_u64)s > 64u ? 64 : -s);
        a.bits = NUM_PRECLOSS;
    }
#endif
    return a;
}

// a^k for an exponent of sign and magnitude.
PD_FN num_cell num_cell_pow(const num_ring r, num_cell a, pd_u32 negative, pd_u64 e)
{
    num_cell x = num_cell_of(r);
    num_u base;
#if PD_NUM_MODEL == 0
    if (e && negative) {
        if (!a.u)
            x.bits = NUM_DIV0;
        else if (!num_unit(r, a.u))
            x.bits = NUM_NONUNIT;
        if (x.bits) return x;
    }
#else
    NUM_NAN_OF(x, a)
    if (e && negative && (a.v == NUM_ZERO || !a.n)) {
        x.bits = NUM_DIV0;
        return x;
    }
    if (e) {
        if (a.v == NUM_ZERO) {
            x.v = NUM_ZERO;
            return x;
        }
        if (a.v) {
            const pd_i64 most = NUM_MOST + 1, m = e > (pd_u64)most ? most : (pd_i64)e;
            x.v = num_clamp(negative ? -(a.v * m) : a.v * m);
        }
        x.n = a.n;
        if (!a.n) return x; // O(p^v)^k = O(p^(v k))
#if PD_NUM_TWO
        for (pd_u64 rest = e; x.n < r.n && !(rest & 1u); rest >>= 1) x.n++;
        if (a.n == 1u && !(e & 1u) && x.n < r.n) x.n++; // any odd x: x^2 is 1 modulo 8
#elif PD_NUM_BITS == 64
        for (pd_u64 q = e * NUM_P_INVERSE(r); x.n < r.n && q <= NUM_LIMIT(r);) {
            q *= NUM_P_INVERSE(r);
            x.n++;
        }
#else
        for (pd_u64 rest = e; x.n < r.n && rest % NUM_P(r) == 0u; rest /= NUM_P(r)) x.n++;
#endif
    }
#endif
    base = num_enter(r, a.u);
    if (e && negative) base = num_inv_mont(r, base);
    x.u = num_leave(r, num_pow(r, base, e));
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    return x;
}

// The valuation of a cell; what there is to say of it goes to its bits.
PD_FN num_cell num_cell_valuation(const num_ring r, num_cell given)
{
    num_cell a = given;
    (void)r;
#if PD_NUM_MODEL == 0
    const pd_u32 v = num_valuation(r, a.u);
    a.v = v < r.n ? (pd_i32)v : NUM_ZERO;
#else
    if (a.v != NUM_ZERO && a.v != NUM_NAN && !a.n) a.bits |= NUM_PRECLOSS;
#endif
    return a;
}

// w(digit) for a digit that is not 0; NUM_LESS_ONE must have been set. Newton for x^p = x; of e
// right digits it makes 2 e + 1. p = 2: 1.
PD_FN num_u num_teichmueller(const num_ring r, num_u digit)
{
    (void)r;
#if PD_NUM_TWO
    return digit;
#else
    num_u x = num_enter(r, digit);
    const num_u p = r.n > 1u ? num_enter(r, NUM_P(r)) : 0u;
    for (pd_u32 known = 1u; known < r.n; known = 2u * known + 1u) {
        const num_u power = num_pow(r, x, (pd_u64)NUM_P(r));
        x = num_mont(r, num_sub(r, num_mont(r, p, x), power), NUM_LESS_ONE(r));
    }
    return num_leave(r, x);
#endif
}

// 1 / (p - 1) in Montgomery form, odd p.
PD_FN num_u num_less_one(const num_ring r)
{
    return num_inv_mont(r, num_enter(r, NUM_P(r) - 1u));
}

// c_0 + c_1 y + ..., `terms` coefficients.
PD_FN num_u num_series(const num_ring r, PD_GPTR(num_u) c, pd_u32 terms, num_u y)
{
    const num_u point = num_enter(r, y);
    num_u x = c[terms - 1u];
    for (pd_u32 t = terms - 1u; t > 0u; t--) x = num_add(r, num_mont(r, point, x), c[t - 1u]);
    return x;
}

#define NUM_SERIES_C (PD_NUM_TWO ? 2u : 1u) // the least v of x for exp

PD_FN num_cell num_cell_exp(const num_ring r, num_cell a, PD_GPTR(num_u) c, pd_u32 terms)
{
    num_cell x = num_cell_of(r);
    pd_i64 v = a.v;
    NUM_NAN_OF(x, a)
    x.u = 1u;
#if PD_NUM_MODEL == 0
    v = a.u ? (pd_i64)num_valuation(r, a.u) : NUM_ZERO;
#endif
    if (v < (pd_i64)NUM_SERIES_C) {
        x.bits = NUM_OUTSIDE;
        return x;
    }
    if (a.u) {
        const num_u y = PD_NUM_MODEL ? num_up(r, a.u, v) : a.u;
        x.u = num_series(r, c, terms, num_down(r, y, NUM_SERIES_C));
    }
#if PD_NUM_MODEL == 2
    if (v + (pd_i64)a.n < (pd_i64)r.n) {
        x.n = (pd_u32)v + a.n;
        x.u = num_low(r, x.u, x.n);
    }
#endif
    return x;
}

// `any` 1: of every number but 0, log p = 0 (Iwasawa). NUM_LESS_ONE must have been set.
PD_FN num_cell num_cell_log(const num_ring r, num_cell a, PD_GPTR(num_u) c, pd_u32 terms,
                            pd_u32 any)
{
    num_cell x = num_cell_of(r);
    num_u t, digit;
#if PD_NUM_MODEL == 1
    pd_u32 one;
#endif
    NUM_NAN_OF(x, a)
    x.v = a.v;
    x.u = a.u;
    x.n = a.n;
#if PD_NUM_MODEL == 0
    x.v = NUM_ZERO;
    if (a.u) {
        const num_parts s = num_split(r, a.u);
        x.v = (pd_i32)s.v;
        x.u = s.u;
        x.n = r.n - s.v;
    }
#endif
    if (x.v == NUM_ZERO) x.n = 0u;
    digit = x.u - num_above(r, x.u) * NUM_P(r);
    if (!x.n || (!any && (x.v || digit != 1u))) {
        x.bits = NUM_OUTSIDE;
        return x;
    }
#if PD_NUM_TWO && PD_NUM_MODEL == 2
    if (x.n == 1u) { // logarithms of odd numbers are all of 4 Z_2
        x.v = 2;
        x.u = 0u;
        x.n = 0u;
        x.bits = NUM_PRECLOSS;
        return x;
    }
#endif
    x.v = 0;
#if PD_NUM_MODEL == 1
    one = x.u == 1u ? 1u : 0u;
#endif
    t = x.u;
#if PD_NUM_TWO
    if (t & 2u) t = num_sub(r, 0u, t);
#else
    if (digit != 1u) t = num_leave(r, num_pow(r, num_enter(r, t), (pd_u64)(NUM_P(r) - 1u)));
#endif
    x.u = num_series(r, c, terms, num_down(r, num_sub(r, t, 1u), NUM_SERIES_C));
#if !PD_NUM_TWO
    if (digit != 1u) x.u = num_mont(r, x.u, NUM_LESS_ONE(r));
#endif
#if PD_NUM_MODEL == 0
    if (x.n < r.n) {
        x.u = num_low(r, x.u, x.n);
        x.bits = NUM_PRECLOSS;
    }
#elif PD_NUM_MODEL == 1
    if (one) {
        x.v = NUM_ZERO;
        x.u = 0u;
    } else {
        x = num_normal(r, x);
    }
#else
    x = num_normal(r, x);
#endif
    return x;
}

#if PD_NUM_OP == NUM_OP_POW_PADIC
PD_FN num_cell num_cell_pow_padic(const num_ring r, num_cell a, num_cell b, PD_GPTR(num_u) c,
                                  pd_u32 terms, pd_u32 log_terms)
{
    num_cell x = num_cell_of(r), y;
    NUM_NAN_OF(x, a)
    NUM_NAN_OF(x, b)
    if (PD_NUM_TWO && (PD_NUM_MODEL == 2 ? a.n == 1u || a.u & 2u : r.n > 1u && a.u & 2u)) {
        x.bits = NUM_OUTSIDE;
        return x;
    }
    y = num_cell_log(r, a, c + terms, log_terms, 0u);
    if (y.bits & NUM_HARD) {
        x.bits = y.bits;
        return x;
    }
    y = num_cell_mul(r, y, b);
    y.bits = 0u;
    return num_cell_exp(r, y, c, terms);
}
#endif

#if NUM_PLAIN
PD_FN num_u num_plain(const num_ring r, num_u a, num_u b, num_u c)
{
    (void)b, (void)c;
#if PD_NUM_OP == NUM_OP_ADD
    return num_add(r, a, b);
#elif PD_NUM_OP == NUM_OP_SUB
    return num_sub(r, a, b);
#elif PD_NUM_OP == NUM_OP_NEG
    return num_sub(r, 0u, a);
#elif PD_NUM_OP == NUM_OP_MUL
    return num_mul(r, a, b);
#else
    return num_add(r, num_mul(r, a, b), c);
#endif
}
#endif

#if NUM_POLYNOMIAL
// One step of Horner's rule modulo P, x y + c, by Montgomery products, y in that form. Where P
// leaves room (NUM_ROOMY) x is not brought below P. 32 bits, P < 2^31: c comes as c R, and x
// stays below 2 P. 64 bits, P < 2^62: c comes as P + c; x is below 3 P.
#if PD_NUM_TWO
#define NUM_ROOMY(r) 1
#define NUM_STEP(x, y, c) ((x) * (y) + (c))
#define NUM_STEP_ROOMY(x, y, c) NUM_STEP(x, y, c)
#elif PD_NUM_BITS == 32
#define NUM_ROOMY(r) ((r).base >> 31 == 0u)
#define NUM_STEP(x, y, c) num_step(r, x, y, c)
#define NUM_STEP_ROOMY(x, y, c) num_step_roomy(r, x, y, c)
PD_FN pd_u32 num_step(const num_ring r, pd_u32 x, pd_u32 y, pd_u64 c)
{
    const pd_u64 t = PD_MULWIDE(x, y) + c; // below P^2
    const pd_u32 high = (pd_u32)(t >> 32), h = PD_MULHI32((pd_u32)t * r.inverse, r.base);
    return high >= h ? high - h : high + r.base - h;
}

PD_FN pd_u32 num_step_roomy(const num_ring r, pd_u32 x, pd_u32 y, pd_u64 c)
{
    const pd_u64 t = PD_MULWIDE(x, y) + c; // below 2 P^2
    return (pd_u32)((PD_MULWIDE((pd_u32)t * (0u - r.inverse), r.base) + t) >> 32);
}
#else
#define NUM_ROOMY(r) ((r).base >> 62 == 0u)
#define NUM_STEP(x, y, c) num_add(r, num_mont(r, x, y), c)
#define NUM_STEP_ROOMY(x, y, c) num_step_roomy(r, x, y, c)
PD_FN pd_u64 num_step_roomy(const num_ring r, pd_u64 x, pd_u64 y, pd_u64 c)
{
    return PD_MULHI64(x, y) - PD_MULHI64(x * y * r.inverse, r.base) + c;
}
#endif

// A coefficient as the steps want it.
PD_FN num_u num_coefficient(const num_ring r, num_u c, pd_u32 roomy)
{
    (void)r, (void)roomy;
#if PD_NUM_TWO
    return c;
#elif PD_NUM_BITS == 32
    return num_enter(r, c);
#else
    return roomy ? c + r.base : c;
#endif
}

// What is left to do at the end.
PD_FN num_u num_settled(const num_ring r, num_u given)
{
    num_u x = given;
#if PD_NUM_TWO
    x &= r.base;
#else
    if (PD_NUM_BITS == 64 && x >= r.base) x -= r.base;
    if (x >= r.base) x -= r.base;
#endif
    return x;
}
#define NUM_TILE 512u // coefficients at a time in local memory
#if PD_NUM_TWO
#define NUM_SLOT num_u
#else
#define NUM_SLOT pd_u64
#endif
#endif

// ---- n-th roots

#if PD_NUM_OP == NUM_OP_ROOT && (PD_NUM_KIND & 1) && !PD_NUM_TWO
// Residues modulo p times 2^64; padici_root_mod() of padic_num.h. The table: p, its inverse, 2^64
// and 2^128, roots, the exponent for what is outside the subgroups, a root of unity, subgroups,
// (n - 1) mod (p - 1), `less`, `mode`, `turn`, n of num_cell_root(), which would take scalars; from
// 16 on 8 for each subgroup: q, order, share, generator, unity, project, inverse.
typedef struct {
    pd_u64 p, inverse;
} num_mod;

PD_FN pd_u64 num_mod_mul(const num_mod s, pd_u64 a, pd_u64 b)
{
    const pd_u64 high = PD_MULHI64(a, b), h = PD_MULHI64(a * b * s.inverse, s.p);
    return high >= h ? high - h : high + s.p - h;
}

PD_FN pd_u64 num_mod_pow(const num_mod s, PD_GPTR(pd_u64) t, pd_u64 a, pd_u64 given)
{
    pd_u64 x = t[2], square = a;
    for (pd_u64 e = given; e; e >>= 1) {
        if (e & 1u) x = num_mod_mul(s, x, square);
        square = num_mod_mul(s, square, square);
    }
    return x;
}

// a b modulo m < 2^63, a and b < m.
PD_FN pd_u64 num_mod_any(pd_u64 a, pd_u64 b, pd_u64 m)
{
    pd_u64 x = 0u;
    for (pd_u32 j = 64u; j > 0u; j--) {
        x = 2u * x >= m ? 2u * x - m : 2u * x;
        if (b >> (j - 1u) & 1u) x = x + a >= m ? x + a - m : x + a;
    }
    return x;
}

// The logarithm of x to the generator of a subgroup.
PD_FN pd_u64 num_mod_log(const num_mod s, PD_GPTR(pd_u64) t, PD_GPTR(pd_u64) y, pd_u64 x)
{
    pd_u64 log = 0u, step = 1u;
    for (pd_u64 order = y[1] / y[0]; order; order /= y[0]) {
        pd_u64 z = num_mod_pow(s, t, y[3], log ? y[1] - log : 0u), power = t[2];
        z = num_mod_pow(s, t, num_mod_mul(s, x, z), order);
        for (pd_u64 j = 0u; j < y[0] && power != z; j++) {
            power = num_mod_mul(s, power, y[4]);
            log += step;
        }
        step *= y[0];
    }
    return log;
}

// 1 / the smallest n-th root of u modulo p, 0 if there is none.
PD_FN pd_u64 num_mod_root(PD_GPTR(pd_u64) t, pd_u64 given)
{
    num_mod s;
    pd_u64 u, z, x, best, inverse, back;
    s.p = t[0];
    s.inverse = t[1];
    if (!given) return 0u;
    u = num_mod_mul(s, given, t[3]);
    z = num_mod_pow(s, t, u, s.p - 1u - t[5]);
    for (pd_u64 i = 0u; i < t[7]; i++) {
        PD_GPTR(pd_u64) const y = t + 16u + 8u * i;
        pd_u64 log;
        if (y[1] == y[2]) continue;
        log = num_mod_log(s, t, y, num_mod_pow(s, t, u, y[5]));
        if (log % y[2]) return 0u;
        log = num_mod_any(log / y[2], y[6], y[1]);
        z = num_mod_mul(s, z, num_mod_pow(s, t, y[3], y[1] - log));
    }
    x = num_mod_mul(s, u, num_mod_pow(s, t, z, t[8]));
    if (num_mod_mul(s, num_mod_pow(s, t, x, t[8]), x) != u) return 0u;
    best = num_mod_mul(s, x, 1u);
    inverse = z;
    back = num_mod_pow(s, t, t[6], t[4] - 1u);
    for (pd_u64 i = 1u; i < t[4]; i++) {
        x = num_mod_mul(s, x, t[6]);
        z = num_mod_mul(s, z, back);
        u = num_mod_mul(s, x, 1u);
        if (u < best) {
            best = u;
            inverse = z;
        }
    }
    return num_mod_mul(s, inverse, 1u);
}
#endif

#if PD_NUM_OP == NUM_OP_ROOT && (PD_NUM_KIND & 2)
// The root of a unit, n = p^e m: w(root) exp(log(u / w(u)) / n). less: 1 / m modulo P; seed: 1 /
// the root of its digit; series: the coefficients of exp, `terms`, and of log. bits: there is none.
PD_FN num_cell num_root_deep(const num_ring r, num_cell given, num_u seed, num_u less, pd_u32 e,
                             PD_GPTR(num_u) series, pd_u32 terms, pd_u32 log_terms)
{
    const pd_u32 over = e + (PD_NUM_TWO ? 1u : 0u), digits = given.n;
    num_cell x = given;
    num_u t = given.u, y, root = 1u;
#if !PD_NUM_TWO
    const num_u digit = t - num_above(r, t) * NUM_P(r);
    t = num_mont(r, num_inv_mont(r, num_enter(r, num_teichmueller(r, digit))), t);
#endif
    y = num_low(r, num_low(r, num_sub(r, t, 1u), over + 1u), digits);
    if (y) x.bits = NUM_NOPOWER;
    if (digits > over) {
        y = num_series(r, series + terms, log_terms, num_down(r, num_sub(r, t, 1u), NUM_SERIES_C));
        y = num_mul(r, num_down(r, y, (pd_i64)e), less);
        root = num_series(r, series, terms, num_down(r, y, NUM_SERIES_C));
    }
#if !PD_NUM_TWO
    root = num_mont(r, num_inv_mont(r, num_enter(r, num_teichmueller(r, seed))), root);
#endif
    (void)seed;
    x.u = root;
    x.n = digits > e ? digits - e : 1u;
    if (PD_NUM_MODEL == 2 && digits <= over && !x.bits) {
        x.u = 0u;
        x.n = 0u;
        x.bits = NUM_PRECLOSS;
    }
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_ROOT
// The root of a unit u from 1 / it modulo p: z += z (1 - u z^n) / n doubles the digits of z; the
// root is u z^(n-1). less: 1 / n modulo P. p = n = 2: from 1 modulo 4, e digits become 2 e - 1, and
// the top one is wrong.
PD_FN num_u num_root(const num_ring r, num_u u, pd_u64 n, num_u less, num_u seed)
{
    const num_u point = num_enter(r, u);
    num_u z = num_enter(r, seed);
    less = num_enter(r, less);
#if PD_NUM_TWO
    if (n == 2u) {
        for (pd_u32 known = 2u; known < r.n; known = 2u * known - 1u)
            z += z * ((1u - u * z * z) >> 1);
        return (u * z) & r.base;
    }
#endif
    for (pd_u32 known = 1u; known < r.n; known *= 2u) {
        const num_u d = num_sub(r, NUM_ONE(r), num_mont(r, point, num_pow(r, z, n)));
        z = num_add(r, z, num_mont(r, num_mont(r, z, d), less));
    }
    return num_leave(r, num_mont(r, point, num_pow(r, z, n - 1u)));
}

// mode: e, and from bits 8 and 20 on how many coefficients exp and log have, which follow seeds.
// turn: a root of unity by which the root is multiplied, or 0.
PD_FN num_cell num_cell_root(const num_ring r, num_cell a, PD_GPTR(void) seeds, pd_u64 n,
                             num_u less, pd_u32 mode, num_u turn)
{
    (void)seeds, (void)less, (void)mode;
    const pd_u32 huge = (pd_u32)(n >> 32) | (pd_u32)n >> 31; // 2^31 would take two scalars
    const pd_i32 step = huge ? 0x7fffffff : (pd_i32)n;
    const pd_u32 lossy = PD_NUM_TWO && n == 2u ? 1u : 0u;
    num_cell x = num_cell_of(r);
    num_u seed = 1u;
    (void)lossy;
    NUM_NAN_OF(x, a)
    x.v = a.v;
    x.u = a.u;
    x.n = a.n;
#if PD_NUM_MODEL == 0
    x.v = NUM_ZERO;
    if (a.u) {
        const num_parts s = num_split(r, a.u);
        x.v = (pd_i32)s.v;
        x.u = s.u;
        x.n = r.n - s.v;
    }
#endif
#if PD_NUM_KIND & 1 // before conditions, of which each takes scalars
    seed = (num_u)num_mod_root((PD_GPTR(pd_u64))seeds,
                               (pd_u64)(x.u - num_above(r, x.u) * NUM_P(r)));
#endif
    if (x.v == NUM_ZERO) return x;
    if (!x.n) {
        x.v = x.v > 0 ? (x.v - 1) / step + 1 : x.v / step;
        x.bits = NUM_PRECLOSS;
        return x;
    }
    if (x.v % step || (huge && x.v)) {
        x.bits = NUM_NOPOWER;
        return x;
    }
    x.v /= step;
#if PD_NUM_TWO
    if (lossy && num_low(r, num_sub(r, x.u, 1u), 3u)) seed = 0u;
#elif !(PD_NUM_KIND & 1)
    seed = ((PD_GPTR(pd_u32))seeds)[(pd_u32)(x.u - num_above(r, x.u) * NUM_P(r))];
#endif
    if (!seed) {
        x.bits = NUM_NOPOWER;
        return x;
    }
#if PD_NUM_MODEL == 2
    if (lossy && x.n <= 2u) {
        x.u = 0u;
        x.n = 0u;
        x.bits = NUM_PRECLOSS;
        return x;
    }
#endif
#if PD_NUM_KIND & 2
    {
#if PD_NUM_KIND & 1
        const pd_u32 room = 272u; // of num_mod_root()
#else
        const pd_u32 room = PD_NUM_TWO ? 2u : ((pd_u32)NUM_P(r) + 1u) & 0xfffffffeu;
#endif
        x = num_root_deep(r, x, seed, less, mode & 255u,
                          (PD_GPTR(num_u))(PD_GPTR(void))((PD_GPTR(pd_u8))seeds + 4u * room),
                          mode >> 8 & 4095u, mode >> 20);
        if (x.bits) return x;
    }
#else
    if (lossy && x.n > 1u) x.n -= 1u;
    x.u = num_root(r, x.u, n, less, seed);
#endif
#if PD_NUM_KIND == 1 // not before: sm_100 spilled it
    turn = (num_u)((PD_GPTR(pd_u64))seeds)[11];
#endif
    if (turn) x.u = num_mul(r, x.u, turn);
    x.u = num_low(r, x.u, x.n);
#if PD_NUM_MODEL == 0
    if ((pd_u32)x.v + x.n < r.n) x.bits = NUM_PRECLOSS;
    x.u = num_up(r, x.u, x.v);
#endif
    return x;
}
#endif

// ---- integers and digits: PD_NUM_SIZE bytes

#if PD_NUM_SIZE == 1
typedef pd_u8 num_item;
#elif PD_NUM_SIZE == 2
typedef pd_u16 num_item;
#elif PD_NUM_SIZE == 4
typedef pd_u32 num_item;
#else
typedef pd_u64 num_item;
#endif

typedef struct {
    pd_u64 m;
    pd_u32 negative, spare;
} num_int;

PD_FN num_int num_int_load(PD_GPTR(void) from, pd_u32 is_signed, pd_u64 i)
{
    num_int x;
    const pd_u64 all = 0u - (pd_u64)1u;
    x.m = ((PD_GPTR(num_item))from)[i];
    x.negative = is_signed & (pd_u32)(x.m >> (8u * sizeof(num_item) - 1u));
    x.spare = 0u;
    if (x.negative) x.m = (0u - x.m) & (all >> (64u - 8u * sizeof(num_item)));
    return x;
}

PD_FN void num_int_store(PD_GPTR(void) to, pd_u64 i, pd_u64 x)
{
    ((PD_GPTR(num_item))to)[i] = (num_item)x;
}

// +-m, split into p^v and a unit if `split`. limit: floor((2^64 - 1) / p).
PD_FN num_cell num_of_int(const num_ring r, num_int given, pd_u32 split, pd_u64 inverse,
                          pd_u64 limit)
{
    num_int x = given;
    (void)inverse, (void)limit;
    num_cell c = num_cell_of(r);
    if (split && !x.m) {
        c.v = NUM_ZERO;
    } else if (split) {
#if PD_NUM_TWO
        const pd_u32 v = num_ctz(x.m);
        c.v = (pd_i32)v;
        x.m >>= v;
#else
        for (; x.m * inverse <= limit; x.m *= inverse) c.v++;
#endif
    }
    c.u = num_reduce(r, x.m);
    if (x.negative) c.u = num_sub(r, 0u, c.u);
    return c;
}

// A split number becomes one of the model: in a ring p^v u.
PD_FN num_cell num_settle(const num_ring r, num_cell given)
{
    num_cell x = given;
    (void)r;
#if PD_NUM_MODEL == 0
    if (x.v == NUM_ZERO)
        x.u = 0u;
    else if (x.v > 0)
        x.u = num_up(r, x.u, x.v);
    else if (x.v < 0)
        x.bits |= NUM_NONUNIT;
    x.v = 0;
#endif
    return x;
}

// A float of PD_NUM_SIZE bytes as +-m 2^e, m odd or 0; `finite` 0: infinity or NaN.
typedef struct {
    pd_u64 m;
    pd_i32 e;
    pd_u32 negative, finite, spare;
} num_float;

PD_FN num_float num_float_of(pd_u64 bits, pd_u32 mantissa, pd_u32 exponent)
{
    const pd_u32 top = (1u << exponent) - 1u, field = (pd_u32)(bits >> mantissa) & top;
    num_float x;
    x.m = bits & (((pd_u64)1u << mantissa) - 1u);
    if (field) x.m |= (pd_u64)1u << mantissa;
    x.e = 0;
    x.negative = (pd_u32)(bits >> (mantissa + exponent)) & 1u;
    x.finite = field != top ? 1u : 0u;
    x.spare = 0u;
    if (x.finite && x.m) { // the lowest bit of a subnormal is worth as much as that of field 1
        const pd_u32 zeros = num_ctz(x.m);
        x.e = (pd_i32)(zeros + (field ? field : 1u)) - (pd_i32)(top / 2u + mantissa);
        x.m >>= zeros;
    }
    return x;
}

// The number of a float. `mode` 0: itself; 1: its m; 2: the integer nearest to it times 2^scale,
// below P / 2; p_bits: of P.
PD_FN num_cell num_of_float(const num_ring r, num_float f, pd_u32 mode, pd_i64 scale, pd_u32 p_bits,
                            pd_u64 inverse, pd_u64 limit)
{
    num_cell x = num_cell_of(r);
    pd_u32 bits = 0u;
    num_int m;
    m.m = f.m;
    m.negative = 0u;
    m.spare = 0u;
    if (mode == 2u && f.m) {
        const pd_u32 high = (pd_u32)(f.m >> 32);
        const pd_u32 length = high ? 64u - PD_CLZ(high) : 32u - PD_CLZ((pd_u32)f.m);
        const pd_i64 s = f.e + scale;
        if (s + (pd_i64)length >= (pd_i64)p_bits) {
            x.bits = NUM_RANGE;
            return x;
        }
        if (s >= 0) {
            m.m = f.m << (pd_u32)s;
        } else {
            const pd_u32 drop = s < -63 ? 63u : (pd_u32)-s;
            const pd_u64 middle = (pd_u64)1u << (drop - 1u), rest = f.m & (2u * middle - 1u);
            m.m = f.m >> drop;
            if (rest) bits = NUM_INEXACT;
            if (rest > middle || (rest == middle && (m.m & 1u))) m.m += 1u;
        }
    }
    x = num_of_int(r, m, 1u, inverse, limit);
    if (mode == 2u && x.v != NUM_ZERO) {
        const num_u u = num_up(r, x.u, x.v);
        if (u >= num_sub(r, 0u, u)) bits |= NUM_RANGE;
    }
    if (mode == 0u && x.v != NUM_ZERO) {
#if PD_NUM_TWO
        x.v += f.e;
#else
        const pd_u32 e = f.e < 0 ? 0u - (pd_u32)f.e : (pd_u32)f.e;
        const num_u two = num_enter(r, f.e < 0 ? (r.base >> 1) + 1u : 2u);
        x.u = num_mont(r, x.u, num_pow(r, two, (pd_u64)e));
#endif
    }
    if (f.negative) x.u = num_sub(r, 0u, x.u);
    x = num_settle(r, x);
    x.bits |= bits;
    return x;
}

// m p^v; `fits` 0 if that is 2^64 or more.
typedef struct {
    pd_u64 m;
    pd_u32 fits, spare;
} num_wide;

PD_FN num_wide num_times(const num_ring r, pd_u64 m, pd_u32 v)
{
    (void)r;
    num_wide x;
    x.spare = 0u;
    x.m = m;
    x.fits = 1u;
    if (m && v > 63u) x.fits = 0u;
    for (; x.fits && m && v; v--) {
        if (PD_MULHI64(x.m, (pd_u64)NUM_P(r))) x.fits = 0u;
        x.m *= (pd_u64)NUM_P(r);
    }
    return x;
}

// u of a cell that is no NaN as +-m: the least or the balanced residue modulo p^n.
PD_FN num_int num_residue(const num_ring r, num_cell x, pd_u32 balanced)
{
    num_int s;
    s.m = (pd_u64)x.u;
    s.negative = 0u;
    s.spare = 0u;
    if (balanced && x.u) {
        const num_u t = num_low(r, num_sub(r, 0u, x.u), x.n);
        if (x.u >= t) {
            s.m = (pd_u64)t;
            s.negative = 1u;
        }
    }
    return s;
}

#if PD_NUM_OP == NUM_OP_CHANGE_PRIME || (PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND) || \
    (PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND == 2)
#define NUM_FRACTIONS 1
#else
#define NUM_FRACTIONS 0
#endif

#if NUM_FRACTIONS
// +-n / d; `found` 0: there is none.
typedef struct {
    pd_u64 n, d;
    pd_u32 negative, found;
} num_fraction;

// A table for each precision j: p^j (0: 2^64), Nmax, Dmax, and whether 2 Nmax Dmax < p^(j - g).
// Before it, in place of p^0, p.
#define NUM_ENTRY(table, j, what) ((table)[4u * (j) + (what)])

// One row of Euclid's further.
#define NUM_EUCLID(q)                       \
    do {                                    \
        const pd_u64 rest = r0 - (q)*r1;    \
        const pd_u64 t = t0 + (q)*t1;       \
        r0 = r1;                            \
        r1 = rest;                          \
        t0 = t1;                            \
        t1 = t;                             \
        f.negative ^= 1u;                   \
    } while (0)

// floor(r0 / r1); r0 = 0: 2^64, which r1 = 1 divides too often: then 0.
PD_FN pd_u64 num_quotient(pd_u64 r0, pd_u64 r1)
{
    const pd_u64 all = 0u - (pd_u64)1u;
    const pd_u64 q = (r0 ? r0 : all) / r1;
    return !r0 && all - q * r1 == r1 - 1u ? q + 1u : q;
}

// u modulo p^n as a fraction, from (p^n, u) to the first remainder of at most Nmax.
PD_FN num_fraction num_euclid(PD_GPTR(pd_u64) table, pd_u32 n, pd_u64 u)
{
    const pd_u64 most_n = NUM_ENTRY(table, n, 1u), most_d = NUM_ENTRY(table, n, 2u);
    pd_u64 r0 = NUM_ENTRY(table, n, 0u), r1 = u, t0 = 0u, t1 = 1u;
    num_fraction f;
    f.negative = f.found = 0u;
    while (n && most_d && r1 > most_n) {
        const pd_u64 q = num_quotient(r0, r1);
        NUM_EUCLID(q);
    }
    f.n = r1;
    f.d = t1;
    if (n && t1 <= most_d && t1 % table[0]) f.found = 1u;
    return f;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND == 4
PD_FN pd_u32 num_bits(pd_u64 x) // 0 stands for 2^64
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return !x ? 65u : high ? 64u - PD_CLZ(high) : 32u - PD_CLZ((pd_u32)x);
}

// The row before the largest quotient, if that is above `given`.
PD_FN num_fraction num_largest(PD_GPTR(pd_u64) table, pd_u32 n, pd_u64 u, pd_u64 given)
{
    pd_u64 r0 = NUM_ENTRY(table, n, 0u), r1 = u, t0 = 0u, t1 = 1u, most = given;
    num_fraction f;
    pd_u32 negative = 0u;
    f.negative = f.found = 0u;
    f.n = 0u;
    f.d = 1u;
    if (n && !u) f.found = 1u;
    while (n && r1 && (!r0 || r0 > most)) {
        const pd_u64 exact = num_quotient(r0, r1);
        const pd_u64 q = num_bits(r0) - num_bits(r1) > 62u ? 0u - (pd_u64)1u : exact;
        if (q > most) {
            most = q;
            f.n = r1;
            f.d = t1;
            negative = f.negative;
            f.found = 1u;
        }
        NUM_EUCLID(exact);
    }
    f.negative = negative;
    if (f.d % table[0] == 0u) f.found = 0u;
    return f;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && (PD_NUM_KIND == 2 || PD_NUM_KIND == 3)
// u d modulo p^n, balanced and at most Nmax; d a residue.
PD_FN num_fraction num_joint(const num_ring r, PD_GPTR(pd_u64) table, pd_u32 n, num_u u, num_u d)
{
    const pd_u64 most = NUM_ENTRY(table, n, 1u);
    num_fraction f;
    f.negative = f.found = 0u;
    f.d = 1u;
    f.n = (pd_u64)num_low(r, num_mul(r, u, d), n);
    if (f.n > most) {
        f.n = (pd_u64)num_low(r, num_sub(r, 0u, (num_u)f.n), n);
        f.negative = 1u;
    }
    if (n && f.n <= most && NUM_ENTRY(table, n, 3u)) f.found = 1u;
    return f;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND
// An integer of 2^(kind & 3) bytes, signed: kind & 4. 0: it does not fit.
PD_FN pd_u32 num_fits(pd_u64 m, pd_u32 negative, pd_u32 kind)
{
    const pd_u32 is_signed = kind >> 2 & 1u, room = (8u << (kind & 3u)) - is_signed;
    const pd_u64 least = room < 64u ? (pd_u64)1u << room : 0u;
    if (negative && m && !is_signed) return 0u;
    return !least || m < least || (negative && m == least) ? 1u : 0u;
}

PD_FN void num_int_put(PD_GPTR(void) to, pd_u64 i, pd_u64 x, pd_u32 kind)
{
    const pd_u32 size = kind & 3u;
    if (size == 0u)
        ((PD_GPTR(pd_u8))to)[i] = (pd_u8)x;
    else if (size == 1u)
        ((PD_GPTR(pd_u16))to)[i] = (pd_u16)x;
    else if (size == 2u)
        ((PD_GPTR(pd_u32))to)[i] = (pd_u32)x;
    else
        ((PD_GPTR(pd_u64))to)[i] = x;
}

// +-n p^v / d, or n / (d p^-v), to element i; 0 / 0 if `bits` or if either does not fit. Its bits.
PD_FN pd_u32 num_fraction_put(const num_ring r, PD_GPTR(void) to_n, PD_GPTR(void) to_d, pd_u64 i,
                              const num_fraction f, pd_i64 v, pd_u32 given, pd_u32 mode)
{
    pd_u64 n = f.n, d = f.d;
    pd_u32 bits = given;
    if (!bits && v) {
        const pd_u64 k = v < 0 ? 0u - (pd_u64)v : (pd_u64)v;
        const num_wide m = num_times(r, v < 0 ? d : n, k > 64u ? 64u : (pd_u32)k);
        if (!m.fits) bits = NUM_RANGE;
        if (v < 0)
            d = m.m;
        else
            n = m.m;
    }
    if (!bits && (!num_fits(n, f.negative, mode) || (mode & 64u && !num_fits(d, 0u, mode >> 3))))
        bits = NUM_RANGE;
    if (bits) n = d = 0u;
    num_int_put(to_n, i, f.negative ? 0u - n : n, mode);
    if (mode & 64u) num_int_put(to_d, i, d, mode >> 3);
    return bits;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT || (PD_NUM_OP == NUM_OP_TROPICAL && PD_NUM_SIZE == 8)
// m 2^e as the nearest float, ties to even, without a sign; as padici_float_round(). `more`: there
// is something below the lowest bit of m.
typedef struct {
    pd_u64 bits;
    pd_u32 status, spare;
} num_rounded;

PD_FN num_rounded num_round(pd_u64 m, pd_i64 given, pd_u32 more, pd_u32 mantissa, pd_u32 exponent)
{
    const pd_i64 t = (pd_i64)mantissa + 1, bias = ((pd_i64)1 << (exponent - 1u)) - 1;
    const pd_u32 high = (pd_u32)(m >> 32);
    const pd_i64 length = high ? 64 - (pd_i64)PD_CLZ(high) : 32 - (pd_i64)PD_CLZ((pd_u32)m);
    pd_i64 drop = length - t; // bits below the significand
    pd_i64 e = given;
    pd_u64 q, rest = 0u, middle = 0u;
    num_rounded x;
    x.bits = 0u;
    x.status = x.spare = 0u;
    if (!m) return x;
    if (e + drop < 2 - bias - t) drop = 2 - bias - t - e; // subnormal
    if (drop <= 0) {
        q = m << (pd_u32)-drop;
    } else if (drop > 64) {
        q = 0u;
        rest = 1u;
        middle = 2u;
    } else {
        middle = (pd_u64)1u << (pd_u32)(drop - 1);
        q = drop > 63 ? 0u : m >> (pd_u32)drop;
        rest = drop > 63 ? m : m & (2u * middle - 1u);
    }
    if (rest || more) x.status = NUM_INEXACT;
    if (middle && (rest > middle || (rest == middle && (more || (q & 1u))))) q++;
    e += drop; // the value is q 2^e, q <= 2^t
    if (q >> (pd_u32)t) {
        q >>= 1;
        e++;
    }
    x.bits = q;
    if (!(q >> mantissa)) return x; // subnormal or zero
    e += bias + t - 1;
    if (e >= ((pd_i64)1 << exponent) - 1) {
        x.status = NUM_RANGE;
        x.bits = (((pd_u64)1u << exponent) - 1u) << mantissa;
        return x;
    }
    x.bits = (pd_u64)e << mantissa | (q & (((pd_u64)1u << mantissa) - 1u));
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND
// Powers of p in words, lowest first: K, the highest; where in `powers` that of each v <= K begins,
// and where the last ends.
typedef struct {
    pd_u64 high, low; // the value is (high 2^64 + low) 2^e and, if `more`, a part of 2^e above
    pd_i64 e;
    pd_u32 words, more;
} num_long;

PD_FN pd_u32 num_clz64(pd_u64 x)
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return high ? PD_CLZ(high) : 32u + PD_CLZ((pd_u32)x);
}

// m p^v, m not 0, v <= K, with the highest bit of `high` set.
PD_FN num_long num_long_of(PD_GPTR(pd_u64) powers, pd_u32 v, pd_u64 m)
{
    const pd_u32 end = (pd_u32)powers[2u + v];
    pd_u64 carry = 0u, third = 0u, rest = 0u;
    pd_u32 shift;
    num_long x;
    x.high = x.low = 0u;
    x.words = 0u;
    for (pd_u32 j = (pd_u32)powers[1u + v]; j <= end; j++) {
        pd_u64 word = carry;
        if (j < end) {
            const pd_u64 w = powers[j];
            word += m * w;
            carry = PD_MULHI64(m, w) + (word < carry ? 1u : 0u);
        } else if (!carry) {
            break;
        }
        rest |= third;
        third = x.low;
        x.low = x.high;
        x.high = word;
        x.words++;
    }
    shift = num_clz64(x.high);
    x.e = 64 * ((pd_i64)x.words - 2) - (pd_i64)shift;
    if (shift) {
        x.high = x.high << shift | x.low >> (64u - shift);
        x.low = x.low << shift | third >> (64u - shift);
        third <<= shift;
    }
    x.more = (rest | third) ? 1u : 0u;
    return x;
}

// floor((high 2^64 + low) / d), high < d, and whether something is left.
typedef struct {
    pd_u64 q;
    pd_u32 more, spare;
} num_ratio;

PD_FN num_ratio num_ratio_of(pd_u64 high, pd_u64 low, pd_u64 d)
{
    pd_u64 rest = high;
    num_ratio x;
    x.q = 0u;
    x.spare = 0u;
    for (pd_u32 j = 0u; j < 64u; j++) {
        const pd_u32 carry = (pd_u32)(rest >> 63);
        rest = rest << 1 | (low >> (63u - j) & 1u);
        x.q <<= 1;
        if (carry || rest >= d) {
            rest -= d;
            x.q |= 1u;
        }
    }
    x.more = rest ? 1u : 0u;
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND == 2
// q d p^k > n 2^s?
PD_FN pd_u32 num_above_ratio(PD_GPTR(pd_u64) powers, pd_u32 k, pd_u64 d, pd_u64 q, pd_u64 n,
                             pd_u32 s)
{
    const pd_u32 begin = (pd_u32)powers[1u + k], end = (pd_u32)powers[2u + k];
    const pd_u32 at = s / 64u, part = s & 63u;
    pd_u64 first = 0u, second = 0u;
    pd_u32 borrow = 0u;
    for (pd_u32 j = 0u; j < end - begin + 2u || j < at + 2u; j++) {
        const pd_u64 w = begin + j < end ? powers[begin + j] : 0u;
        const pd_u64 x = d * w + first, y = q * x + second; // words of d p^k, of q d p^k
        const pd_u64 right = j == at                ? n << part
                             : j == at + 1u && part ? n >> (64u - part)
                                                    : 0u;
        first = PD_MULHI64(d, w) + (x < first ? 1u : 0u);
        second = PD_MULHI64(q, x) + (y < second ? 1u : 0u);
        borrow = right < y || (right == y && borrow) ? 1u : 0u;
    }
    return borrow;
}

// n p^v / d to the nearest float times 2^e.
PD_FN num_rounded num_round_fraction(PD_GPTR(pd_u64) powers, pd_u64 n, pd_u64 d, pd_i32 v,
                                     pd_u32 mantissa, pd_u32 exponent)
{
    const pd_u32 k = v < 0 ? 0u - (pd_u32)v : (pd_u32)v;
    num_rounded y;
    if ((pd_u64)k > powers[0]) // far above all floats, or below
        return num_round(1u, v < 0 ? -(pd_i64)1048576 : (pd_i64)1048576, 0u, mantissa, exponent);
    if (v >= 0) {
        const num_long x = num_long_of(powers, k, n);
        const pd_u64 whole = x.high / d;
        const num_ratio low = num_ratio_of(x.high - whole * d, x.low, d);
        const pd_u32 shift = whole ? num_clz64(whole) : num_clz64(low.q);
        if (!whole) { // d is above 2^63
            y = num_round(low.q, x.e, low.more | x.more, mantissa, exponent);
        } else {
            const pd_u64 m = shift ? whole << shift | low.q >> (64u - shift) : whole;
            const pd_u32 more = shift ? low.q << shift != 0u : low.q != 0u;
            y = num_round(m, x.e + 64 - (pd_i64)shift, low.more | x.more | more, mantissa,
                          exponent);
        }
    } else { // never without a rest; the estimate is at most 3 too large
        const num_long x = num_long_of(powers, k, d);
        const pd_u32 shift = num_clz64(n), s = (pd_u32)(x.e + 64) + 63u;
        const pd_u64 top = n << shift;
        pd_u64 q = num_ratio_of(top >> 1, top << 63, x.high).q;
        while (num_above_ratio(powers, k, d, q, top, s)) q--;
        y = num_round(q, -(pd_i64)s - (pd_i64)shift, 1u, mantissa, exponent);
    }
    return y;
}
#endif

// ---- the kernel

#if PD_NUM_OP == NUM_OP_HENSEL || PD_NUM_OP == NUM_OP_HENSEL_ALL
typedef struct {
#if PD_NUM_OP == NUM_OP_HENSEL
    num_planes planes;
    pd_u64 at, stride; // of the coefficients
#else
    PD_GPTR(num_u) words; // residues
#endif
    pd_u32 terms, spare;
} num_polynomial;

// y = f(x), slope = f'(x).
typedef struct {
    num_u y, slope;
} num_value;

// The digits known of p^v u modulo P, at most N; -1 if it is no integer.
PD_FN pd_i32 num_cell_known(const num_ring r, const num_cell c)
{
    (void)c;
#if PD_NUM_MODEL != 0
    if (c.v < 0) return -1;
#endif
    if (PD_NUM_MODEL == 2 && c.v < (pd_i32)r.n - (pd_i32)c.n) return c.v + (pd_i32)c.n;
    return (pd_i32)r.n;
}

PD_FN num_u num_cell_residue(const num_ring r, const num_cell c)
{
    (void)r;
#if PD_NUM_MODEL != 0
    return num_up(r, c.u, c.v); // of zero 0: its valuation is above all
#else
    return c.u;
#endif
}

PD_FN num_value num_polynomial_value(const num_ring r, const num_polynomial f, num_u x)
{
    const num_u point = num_enter(r, x);
    num_value value = {0u, 0u};
    for (pd_u32 t = f.terms; t > 0u; t--) {
#if PD_NUM_OP == NUM_OP_HENSEL
        const num_u c = num_cell_residue(r, num_load(r, f.planes, f.at + (t - 1u) * f.stride));
#else
        const num_u c = f.words[t - 1u];
#endif
        value.slope = num_add(r, num_mont(r, point, value.slope), value.y);
        value.y = num_add(r, num_mont(r, point, value.y), c);
    }
    return value;
}

// The root near x by Newton's steps, if v(f(x)) > 2 v(f'(x)), `known` digits of f being known: its
// digits, and how many of them are right; else none is.
typedef struct {
    num_u u;
    pd_u32 n, spare;
} num_lifted;
PD_FN num_lifted num_lift(const num_ring r, const num_polynomial f, num_u x, pd_u32 known)
{
    num_lifted root;
    num_value value = num_polynomial_value(r, f, x);
    pd_u32 v = num_valuation(r, value.y), step = 0u;
    const pd_u32 s = num_valuation(r, value.slope);
    root.u = x;
    root.n = root.spare = 0u;
    if ((v < known ? v : known) <= 2u * s) return root;
    while (v < known && ++step < 20u) {
        const num_u inverse = num_inv_mont(r, num_enter(r, num_down(r, value.slope, s)));
        root.u = num_sub(r, root.u, num_mont(r, inverse, num_down(r, value.y, s)));
        value = num_polynomial_value(r, f, root.u);
        v = num_valuation(r, value.y);
    }
    root.n = known - s;
    root.u = num_low(r, root.u, root.n);
    return root;
}

// Such a root as a number.
PD_FN num_cell num_lifted_cell(const num_ring r, const num_lifted root)
{
    num_cell x = num_cell_of(r);
    x.u = root.u;
    x.n = root.n;
#if PD_NUM_MODEL == 0
    if (x.n < r.n) x.bits = NUM_PRECLOSS;
    return x;
#else
    return num_normal(r, x);
#endif
}
#endif

#if PD_NUM_OP == NUM_OP_HENSEL
PD_FN num_cell num_hensel(const num_ring r, const num_polynomial f, num_cell a)
{
    num_cell x = num_cell_of(r);
    pd_i32 known = (pd_i32)r.n;
    num_lifted root;
    NUM_NAN_OF(x, a)
    x.bits = NUM_OUTSIDE;
    for (pd_u32 t = 0u; t < f.terms; t++) {
        const pd_i32 n = num_cell_known(r, num_load(r, f.planes, f.at + t * f.stride));
        if (n < known) known = n;
    }
    if (known <= 0 || a.v < 0) return x;
    root = num_lift(r, f, num_cell_residue(r, a), (pd_u32)known);
    return root.n ? num_lifted_cell(r, root) : x;
}
#endif

#if PD_NUM_OP == NUM_OP_HENSEL_ALL
// The lowest of the bits in two words, or `most` if that is less.
PD_FN pd_u32 num_lowest(pd_u32 low, pd_u32 high, pd_u32 most)
{
    const pd_u64 all = PD_U64(low, high);
    const pd_u32 lowest = all ? num_ctz(all) : most;
    return lowest < most ? lowest : most;
}

// a b / 2^32 modulo p. p = 2: a b.
PD_FN pd_u32 num_digit_mul(const num_ring r, pd_u32 a, pd_u32 b)
{
#if PD_NUM_TWO
    (void)r;
    return a & b;
#else
    const pd_u32 p = (pd_u32)NUM_P(r), low = a * b * (pd_u32)NUM_P_INVERSE(r);
    const pd_u32 high = PD_MULHI32(a, b), h = PD_MULHI32(low, p);
    return high >= h ? high - h : high + p - h;
#endif
}

PD_FN pd_u32 num_digit_add(const num_ring r, pd_u32 a, pd_u32 b)
{
    const pd_u32 p = (pd_u32)NUM_P(r), sum = a + b;
    (void)r;
    return sum >= p ? sum - p : sum;
}

// 2^64 modulo p; p = 2: 1.
PD_FN pd_u32 num_digit_square(const num_ring r)
{
#if PD_NUM_TWO
    (void)r;
    return 1u;
#else
    const pd_u32 p = (pd_u32)NUM_P(r), one = (0xffffffffu % p + 1u) % p;
    return (pd_u32)((pd_u64)one * one % p);
#endif
}
#endif

#if PD_NUM_OP == NUM_OP_RANDOM
// floor(P w / 2^128), w the 128 bits of block `index` of (seed, stream): Philox4x32-10.
PD_FN num_u num_random(const num_ring r, pd_u64 seed, pd_u64 stream, pd_u64 index)
{
    pd_u32 w0 = (pd_u32)index, w1 = (pd_u32)(index >> 32), w2 = (pd_u32)stream;
    pd_u32 w3 = (pd_u32)(stream >> 32), k0 = (pd_u32)seed, k1 = (pd_u32)(seed >> 32);
    for (pd_u32 round = 0u; round < 10u; round++) {
        const pd_u32 p_hi = PD_MULHI32(0xd2511f53u, w0), p_lo = 0xd2511f53u * w0;
        const pd_u32 q_hi = PD_MULHI32(0xcd9e8d57u, w2), q_lo = 0xcd9e8d57u * w2;
        w0 = q_hi ^ w1 ^ k0;
        w2 = p_hi ^ w3 ^ k1;
        w1 = q_lo;
        w3 = p_lo;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
#if PD_NUM_TWO
    return (num_u)(PD_U64(w2, w3) >> (64u - r.n));
#else
    const pd_u64 high = PD_U64(w2, w3), carry = PD_MULHI64(PD_U64(w0, w1), (pd_u64)r.base);
    const pd_u64 low = high * r.base + carry;
    return (num_u)(PD_MULHI64(high, (pd_u64)r.base) + (low < carry ? 1u : 0u));
#endif
}
#endif

#if PD_NUM_OP == NUM_OP_REDUCE || PD_NUM_OP == NUM_OP_FOLD
// A cell between the launches of a sum: four words.
PD_FN void num_cell_put(PD_GPTR(pd_u32) to, pd_u64 i, num_cell given)
{
    num_cell x = given;
    if (x.v == NUM_NAN) x.u = 0u; // it is in the bits
    to[4u * i] = (pd_u32)x.u;
    to[4u * i + 1u] = (pd_u32)((pd_u64)x.u >> 32);
    to[4u * i + 2u] = (pd_u32)x.v;
    to[4u * i + 3u] = x.n | x.bits << 16;
}

PD_FN num_cell num_cell_get(PD_GPTR(pd_u32) from, pd_u64 i)
{
    num_cell x;
    x.u = (num_u)PD_U64(from[4u * i], from[4u * i + 1u]);
    x.v = (pd_i32)from[4u * i + 2u];
    x.n = from[4u * i + 3u] & 65535u;
    x.bits = from[4u * i + 3u] >> 16;
    x.spare = 0u;
    return x;
}

PD_FN num_cell num_merge(const num_ring r, num_cell a, num_cell b)
{
    num_cell x = num_limit(num_cell_sum(r, a, b, 0u));
    if (x.v != NUM_NAN) x.bits |= a.bits | b.bits;
    return x;
}
#endif


// A result: its status byte and the bits of all.
#define NUM_REPORT(i, b)                              \
    do {                                              \
        const pd_u32 happened = (b);                  \
        if (has_status) status[i] = (pd_u8)happened;  \
        seen |= happened;                             \
    } while (0)

// ptxas would rather spill than have fewer groups at once.
#if PD_NUM_OP == NUM_OP_SOLVE || PD_NUM_OP == NUM_OP_HENSEL_ALL
#define NUM_GROUPS 4
#else
#define NUM_GROUPS 0 // as many as it likes
#endif
PD_KERNEL_MIN(padic_k_num_each, PD_WG, NUM_GROUPS)
(PD_BUF(pd_u32, m0), PD_BUF(pd_u32, m1), PD_BUF(pd_u32, m2), PD_BUF(pd_u32, m3),
 PD_BUF(pd_u32, m4), PD_BUF(pd_u32, m5), PD_BUF(pd_u32, m6), PD_BUF(pd_u32, m7),
 PD_PARAMS(padic_k_num_each_params, k))
{
    PD_LOCAL pd_u32 together[1];
    PD_LOCAL num_u rung[21];
    const num_ring r = num_ring_of(k, rung);
#if NUM_HEAVY // scalar registers are few
    PD_LOCAL num_pointer spot[5];
    PD_LOCAL num_planes plane[4];
    PD_LOCAL pd_u64 held[3];
    if (PD_LID == 0u) {
        plane[0] = num_planes_of(NUM_PASS, k, 0u);
        plane[1] = num_planes_of(NUM_PASS, k, 1u);
        plane[2] = num_planes_of(NUM_PASS, k, 2u);
        plane[3] = num_planes_of(NUM_PASS, k, 3u);
        held[0] = PD_U64(k.k[0], k.k[1]);
        held[1] = PD_U64(k.stride[0], k.stride[1]);
        held[2] = NUM_HAS(NUM_STICKY);
        spot[0] = NUM_PLACE(NUM_STATUS);
        spot[1] = NUM_PLACE(NUM_OTHER);
        spot[2] = NUM_PLACE(NUM_OTHER + 1u);
        spot[3] = NUM_PLACE(NUM_OTHER + 2u);
        spot[4] = NUM_PLACE(NUM_STICKY);
    }
    PD_BARRIER();
    const num_planes out = plane[0], pa = plane[1], pb = plane[2], pc = plane[3];
    const pd_u64 wide_k = held[0], stride = held[1];
    PD_GPTR(pd_u8) const status = (PD_GPTR(pd_u8))spot[0];
    PD_GPTR(void) const other0 = spot[1];
    PD_GPTR(void) const other1 = spot[2];
    PD_GPTR(void) const other2 = spot[3];
#define NUM_WORD spot[4]
#define NUM_HAS_WORD held[2]
#else
    const num_planes out = num_planes_of(NUM_PASS, k, 0u), pa = num_planes_of(NUM_PASS, k, 1u);
    const num_planes pb = num_planes_of(NUM_PASS, k, 2u), pc = num_planes_of(NUM_PASS, k, 3u);
    const pd_u64 stride = PD_U64(k.stride[0], k.stride[1]), wide_k = PD_U64(k.k[0], k.k[1]);
    PD_GPTR(pd_u8) const status = (PD_GPTR(pd_u8))NUM_PLACE(NUM_STATUS);
    PD_GPTR(void) const other0 = NUM_PLACE(NUM_OTHER);
    PD_GPTR(void) const other1 = NUM_PLACE(NUM_OTHER + 1u);
    PD_GPTR(void) const other2 = NUM_PLACE(NUM_OTHER + 2u);
#define NUM_WORD NUM_PLACE(NUM_STICKY)
#define NUM_HAS_WORD NUM_HAS(NUM_STICKY)
#endif
    const pd_u32 has_status = NUM_HAS(NUM_STATUS);
    const pd_u32 step = PD_NGRP * (pd_u32)PD_WG;
    pd_u32 seen = 0u;
#if PD_NUM_OP == NUM_OP_FROM_INT || PD_NUM_OP == NUM_OP_FROM_RATIONAL || \
    PD_NUM_OP == NUM_OP_FROM_FLOAT || PD_NUM_OP == NUM_OP_CHANGE_PRIME
    const pd_u64 inverse64 = num_inverse64((pd_u64)NUM_P(r));
    const pd_u64 limit64 = PD_NUM_TWO ? 0u : (0u - (pd_u64)1u) / NUM_P(r);
#endif
#if (PD_NUM_OP == NUM_OP_TEICHMUELLER || PD_NUM_OP == NUM_OP_LOG ||                     \
     (PD_NUM_KIND == 2 && (PD_NUM_OP == NUM_OP_TO_DIGITS || PD_NUM_OP == NUM_OP_FROM_DIGITS)) || \
     ((PD_NUM_KIND & 2) && PD_NUM_OP == NUM_OP_ROOT)) &&                                 \
    !PD_NUM_TWO
    {
        const num_u less_one = num_less_one(r);
        if (PD_LID == 0u) rung[19] = less_one;
        PD_BARRIER();
    }
#endif

    // No operation needs all of these.
    (void)out, (void)pa, (void)pb, (void)pc, (void)status, (void)other0, (void)other1;
    (void)other2, (void)has_status, (void)stride, (void)wide_k, (void)step;

#if PD_NUM_OP == NUM_OP_POW
    PD_LOCAL pd_u64 held[1];
    if (PD_LID == 0u) held[0] = wide_k;
    PD_BARRIER();
#endif

#if PD_NUM_OP == NUM_OP_REDUCE
    // Chunks of 4,096: lane j of 32 adds elements j, j + 32, ..., then neighbours pairwise.
    PD_LOCAL num_cell cells[PD_WG];
    const pd_u32 chunks = (k.count + 4095u) >> 12, lane = PD_LID & 31u;
    for (pd_u32 base = PD_GRP * (PD_WG / 32u); base < chunks; base += PD_NGRP * (PD_WG / 32u)) {
        const pd_u32 chunk = base + PD_LID / 32u, first = chunk << 12;
        const pd_u32 rest = chunk < chunks ? k.count - first : 0u, n = rest < 4096u ? rest : 4096u;
        num_cell x = num_cell_of(r);
        for (pd_u32 i = lane; i < n; i += 32u) {
            num_cell y = num_load(r, pa, first + i);
            if (k.mode) y = num_limit(num_cell_mul(r, y, num_load(r, pb, first + i)));
            if (i == lane) {
                x = y;
            } else {
                const num_cell sum = num_cell_sum(r, x, y, 0u);
                const pd_u32 bits = x.bits | y.bits;
                x = sum;
                if (x.v != NUM_NAN) x.bits |= bits;
            }
        }
        cells[PD_LID] = x;
        PD_BARRIER();
        for (pd_u32 s = 1u; s < 32u; s *= 2u) {
            if (!(lane & (2u * s - 1u)) && lane + s < n)
                cells[PD_LID] = num_merge(r, cells[PD_LID], cells[PD_LID + s]);
            PD_BARRIER();
        }
        if (lane == 0u && chunk < chunks)
            num_cell_put((PD_GPTR(pd_u32))other0, chunk, cells[PD_LID]);
        PD_BARRIER();
    }
#elif PD_NUM_OP == NUM_OP_FOLD
    // One group: cells pairwise in order, back and forth between two places, to the result.
    PD_GPTR(pd_u32) from = (PD_GPTR(pd_u32))other0;
    PD_GPTR(pd_u32) to = (PD_GPTR(pd_u32))other1;
    pd_u32 n = k.count;
    for (; n > 1u; n = (n + 1u) / 2u) {
        for (pd_u32 i = PD_LID; i < (n + 1u) / 2u; i += PD_WG) {
            num_cell x = num_cell_get(from, 2u * i);
            if (2u * i + 1u < n) x = num_merge(r, x, num_cell_get(from, 2u * i + 1u));
            num_cell_put(to, i, x);
        }
        PD_BARRIER_ALL();
        {
            PD_GPTR(pd_u32) const swap = from;
            from = to;
            to = swap;
        }
    }
    if (PD_LID == 0u) {
        num_cell x = num_cell_of(r);
        if (n) {
            x = num_cell_get(from, 0u);
        } else {
            x.v = PD_NUM_MODEL ? NUM_ZERO : 0;
            x.n = 0u;
        }
        NUM_REPORT(0u, num_store(out, 0u, x));
    }
#elif PD_NUM_OP == NUM_OP_HENSEL_ALL
    // other0, other1: numbers of roots, guarantees; other2: room, of a group the residues of f,
    // those of g, its lowest digits, classes that wait; k: terms, and how many may wait; stride:
    // polynomials (0: all have one's coefficients), and the words of a group; mode: roots kept of
    // each. The host does the same one after the other: padici_hensel_roots().
    PD_LOCAL num_u root[PD_WG], next[1];
    PD_LOCAL pd_u32 right[PD_WG], hit[2u * ((PD_WG + 31u) / 32u)], word[4];
    const pd_u32 square = num_digit_square(r), hits = (PD_WG + 31u) / 32u;
    for (pd_u32 i = PD_GRP; i < k.count; i += PD_NGRP) {
        const pd_u32 terms = (pd_u32)wide_k, branches = (pd_u32)(wide_k >> 32);
        const pd_u32 own = (pd_u32)stride;
        PD_GPTR(num_u) const f = (PD_GPTR(num_u))other2 + PD_GRP * (stride >> 32);
        PD_GPTR(num_u) const digits = f + 2u * terms;
        PD_GPTR(num_u) const queue = digits + terms;
        num_polynomial g;
        pd_u32 level = 0u, known, waiting = 0u, head = 0u, found = 0u, lower = 0u;
        num_u x = 0u;
        g.words = f + terms;
        g.terms = terms;
        g.spare = 0u;
        if (PD_LID < 4u) word[PD_LID] = 0u;
        PD_BARRIER_ALL();
        for (pd_u32 t = PD_LID; t < terms; t += PD_WG) {
            const num_cell c = num_load(r, pc, own ? (pd_u64)t * own + i : (pd_u64)t);
            const pd_i32 n = num_cell_known(r, c);
            const num_u u = n < 0 ? 0u : num_cell_residue(r, c);
            f[t] = u;
            if (n < 0 || u) (void)PD_ATOMIC_OR_L(&word[2], n < 0 ? 1u : 2u);
            if (n >= 0 && n < (pd_i32)r.n)
                (void)PD_ATOMIC_OR_L(&word[(pd_u32)n / 32u], 1u << ((pd_u32)n & 31u));
        }
        PD_BARRIER_ALL();
        known = word[2] & 1u ? 0u : num_lowest(word[0], word[1], r.n);
        if (!word[2]) seen |= NUM_NOTHING;
        for (pd_u32 more = known; more; more = level) { // the class x + p^level Z_p
            pd_u32 m, top = terms;
            for (pd_u32 t = PD_LID; t < terms; t += PD_WG) g.words[t] = f[t];
            PD_BARRIER_ALL();
            if (PD_LID < 2u) word[PD_LID] = 0u;
            // g = f(x + t): coefficient j of round h needs j + 1 of it and j of the one before.
            for (pd_u32 t = 0u; x && t + 4u <= 2u * terms; t++) {
                const pd_u32 last = terms - 2u, first = t > last ? t - last : 0u;
                const num_u point = num_enter(r, x);
                for (pd_u32 h = first + PD_LID; 2u * h <= t; h += PD_WG) {
                    const pd_u32 j = last + 2u * h - t;
                    g.words[j] = num_add(r, g.words[j], num_mont(r, point, g.words[j + 1u]));
                }
                PD_BARRIER_ALL();
            }
            PD_BARRIER();
            for (pd_u32 t = PD_LID; t < terms; t += PD_WG) { // f(x + p^level t)
                const num_u u = num_up(r, g.words[t], (pd_i64)t * level);
                const pd_u32 v = num_valuation(r, u);
                g.words[t] = u;
                if (v < r.n) (void)PD_ATOMIC_OR_L(&word[v / 32u], 1u << (v & 31u));
            }
            PD_BARRIER_ALL();
            m = num_lowest(word[0], word[1], known);
            for (pd_u32 t = PD_LID; t < terms; t += PD_WG) { // divided by p^m
                const num_u u = num_down(r, g.words[t], m);
                g.words[t] = u;
                digits[t] = u - num_above(r, u) * NUM_P(r);
            }
            PD_BARRIER_ALL();
            if (m == known) {
                lower = 1u;
                top = 0u;
            }
            while (top && !digits[top - 1u]) top--;
            for (pd_u32 base = 0u; base < (pd_u32)NUM_P(r) && top > 1u; base += PD_WG) {
                const pd_u32 residue = base + PD_LID;
                const pd_u32 point = num_digit_mul(r, residue, square);
                pd_u32 y = 0u, slope = 0u;
                for (pd_u32 j = PD_LID; j < 2u * hits; j += PD_WG) hit[j] = 0u;
                PD_BARRIER();
                for (pd_u32 t = top; t > 0u; t--) {
                    slope = num_digit_add(r, num_digit_mul(r, slope, point), y);
                    y = num_digit_add(r, num_digit_mul(r, y, point), (pd_u32)digits[t - 1u]);
                }
                if (!y && residue < (pd_u32)NUM_P(r)) {
                    (void)PD_ATOMIC_OR_L(&hit[PD_LID / 32u], 1u << (PD_LID & 31u));
                    if (!slope)
                        (void)PD_ATOMIC_OR_L(&hit[hits + PD_LID / 32u], 1u << (PD_LID & 31u));
                    if (slope || !branches) {
                        num_lifted one = num_lift(r, g, residue, known - m);
                        if (one.n) one.n += level;
                        root[PD_LID] =
                            num_low(r, num_add(r, num_up(r, one.u, level), x), one.n);
                        right[PD_LID] = one.n;
                    }
                }
                PD_BARRIER();
                for (pd_u32 j = 0u; j < hits && PD_LID == 0u; j++)
                    for (pd_u32 left = hit[j]; left; left &= left - 1u) {
                        const pd_u32 at = num_ctz((pd_u64)left), here = 32u * j + at;
                        const pd_u32 full = waiting == branches || level + 1u >= known ? 1u : 0u;
                        const pd_u32 several = hit[hits + j] >> at & 1u;
                        if (several && full) lower = 1u;
                        if (several && branches) {
                            const pd_u32 last = head + waiting;
                            const pd_u32 place = 2u * (last < branches ? last : last - branches);
                            if (full) continue;
                            queue[place] = num_add(r, num_up(r, base + here, level), x);
                            queue[place + 1u] = level + 1u;
                            waiting++;
                        } else if (right[here] && found++ < k.mode) {
                            const pd_u64 to = (pd_u64)i * k.mode + found - 1u;
                            num_lifted one;
                            one.u = root[here];
                            one.n = right[here];
                            one.spare = 0u;
                            NUM_REPORT(to, num_store(out, to, num_lifted_cell(r, one)));
                        }
                    }
                PD_BARRIER();
            }
            if (PD_LID == 0u) {
                word[3] = 0u;
                next[0] = 0u;
                if (waiting) {
                    next[0] = queue[2u * head];
                    word[3] = (pd_u32)queue[2u * head + 1u];
                    head = head + 1u < branches ? head + 1u : 0u;
                    waiting--;
                }
            }
            PD_BARRIER();
            x = next[0];
            level = word[3];
        }
        PD_BARRIER();
        if (PD_LID == 0u) {
            word[3] = found < k.mode ? found : k.mode;
            ((PD_GPTR(pd_u32))other0)[i] = found;
            if (NUM_HAS(NUM_OTHER + 1u)) ((PD_GPTR(pd_u8))other1)[i] = (pd_u8)lower;
        }
        PD_BARRIER();
        for (pd_u32 j = word[3] + PD_LID; j < k.mode; j += PD_WG) { // the unused ones
            const pd_u64 to = (pd_u64)i * k.mode + j;
            num_cell zero = num_cell_of(r);
            if (PD_NUM_MODEL) zero.v = NUM_ZERO;
            zero.bits = word[2] & 1u ? NUM_OUTSIDE : 0u;
            NUM_REPORT(to, num_store(out, to, zero));
        }
        PD_BARRIER();
    }
#elif NUM_PLAIN
    for (pd_u32 i = PD_GID; i < k.count;) {
        const pd_u32 most = k.count - i > 3u * step ? 4u : 1u;
        num_u a[4], b[4], c[4];
        if (most == 4u) { // all reads, then all that is written
            for (pd_u32 j = 0u; j < 4u; j++) {
                const pd_u32 at = i + j * step;
                a[j] = pa.unit[at & pa.mask];
                b[j] = PD_NUM_OP == NUM_OP_NEG ? 0u : pb.unit[at & pb.mask];
                c[j] = PD_NUM_OP == NUM_OP_FMA ? pc.unit[at & pc.mask] : 0u;
            }
            for (pd_u32 j = 0u; j < 4u; j++)
                out.unit[i + j * step] = num_plain(r, a[j], b[j], c[j]);
        } else {
            a[0] = pa.unit[i & pa.mask];
            b[0] = PD_NUM_OP == NUM_OP_NEG ? 0u : pb.unit[i & pb.mask];
            c[0] = PD_NUM_OP == NUM_OP_FMA ? pc.unit[i & pc.mask] : 0u;
            out.unit[i] = num_plain(r, a[0], b[0], c[0]);
        }
        for (pd_u32 j = 0u; j < most && has_status; j++) status[i + j * step] = (pd_u8)0u;
        i += most * step;
    }
#elif NUM_POLYNOMIAL
    // Coefficients: k of them, shared or `stride` elements apart. Shared ones lie in local memory,
    // each is read once for several points.
    PD_LOCAL pd_u64 tile[NUM_TILE]; // so that a product and a sum are one instruction
    const pd_u32 terms = (pd_u32)wide_k, roomy = NUM_ROOMY(r) ? 1u : 0u;
    for (pd_u32 first = 0u; first < k.count && !stride;) { // the same for all items
        const pd_u32 points = k.count - first > (PD_NUM_POINTS - 1u) * step ? PD_NUM_POINTS : 1u;
        num_u x[PD_NUM_POINTS], y[PD_NUM_POINTS];
        for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++) {
            const pd_u32 at = first + j * step + PD_GID;
            x[j] = 0u;
            y[j] = j < points && at < k.count ? num_enter(r, pa.unit[at & pa.mask]) : 0u;
        }
        for (pd_u32 top = terms; top > 0u;) {
            const pd_u32 n = top < NUM_TILE ? top : NUM_TILE;
            PD_BARRIER();
            for (pd_u32 t = PD_LID; t < n; t += PD_WG)
                tile[t] = num_coefficient(r, pc.unit[top - 1u - t], roomy);
            PD_BARRIER();
            top -= n;
            if (points > 1u && roomy) {
                for (pd_u32 t = 0u; t < n; t++) {
                    const NUM_SLOT c = (NUM_SLOT)tile[t];
                    for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++)
                        x[j] = NUM_STEP_ROOMY(x[j], y[j], c);
                }
            } else if (points > 1u) {
                for (pd_u32 t = 0u; t < n; t++) {
                    const NUM_SLOT c = (NUM_SLOT)tile[t];
                    for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++) x[j] = NUM_STEP(x[j], y[j], c);
                }
            } else if (roomy) {
                for (pd_u32 t = 0u; t < n; t++)
                    x[0] = NUM_STEP_ROOMY(x[0], y[0], (NUM_SLOT)tile[t]);
            } else {
                for (pd_u32 t = 0u; t < n; t++) x[0] = NUM_STEP(x[0], y[0], (NUM_SLOT)tile[t]);
            }
        }
        for (pd_u32 j = 0u; j < PD_NUM_POINTS; j++) {
            const pd_u32 at = first + j * step + PD_GID;
            if (j >= points || at >= k.count) continue;
            out.unit[at] = num_settled(r, x[j]);
            if (has_status) status[at] = (pd_u8)0u;
        }
        first += points * step;
    }
    for (pd_u32 i = PD_GID; i < k.count && stride; i += step) {
        const num_u point = num_enter(r, pa.unit[i & pa.mask]);
        pd_u32 t = terms - 1u;
        num_u x = pc.unit[t * stride + i];
        for (; t > 0u; t--)
            x = num_add(r, num_mont(r, point, x), pc.unit[(t - 1u) * stride + i]);
        out.unit[i] = x;
        if (has_status) status[i] = (pd_u8)0u;
    }
#else
    for (pd_u32 i = PD_GID; i < k.count; i += step) {
#if PD_NUM_OP == NUM_OP_ADD || PD_NUM_OP == NUM_OP_SUB
        const num_cell a = num_load(r, pa, i), b = num_load(r, pb, i);
        NUM_REPORT(i, num_store(out, i, num_cell_sum(r, a, b, PD_NUM_OP == NUM_OP_SUB ? 1u : 0u)));
#elif PD_NUM_OP == NUM_OP_NEG
        num_cell a = num_load(r, pa, i);
        a.u = num_low(r, num_sub(r, 0u, a.u), a.n);
        NUM_REPORT(i, num_store(out, i, a));
#elif PD_NUM_OP == NUM_OP_MUL
        NUM_REPORT(i, num_store(out, i, num_cell_mul(r, num_load(r, pa, i), num_load(r, pb, i))));
#elif PD_NUM_OP == NUM_OP_FMA
        const num_cell a = num_load(r, pa, i), b = num_load(r, pb, i);
        NUM_REPORT(i, num_store(out, i, num_cell_fma(r, a, b, num_load(r, pc, i))));
#elif PD_NUM_OP == NUM_OP_INV
        const num_cell a = num_load(r, pa, i);
        NUM_REPORT(i, num_store(out, i, num_cell_div(r, a, a, 0u)));
#elif PD_NUM_OP == NUM_OP_DIV
        const num_cell a = num_load(r, pa, i), b = num_load(r, pb, i);
        NUM_REPORT(i, num_store(out, i, num_cell_div(r, a, b, 1u)));
#elif PD_NUM_OP == NUM_OP_SHIFT
        NUM_REPORT(i, num_store(out, i, num_cell_shift(r, num_load(r, pa, i), (pd_i64)wide_k)));
#elif PD_NUM_OP == NUM_OP_POW
        // Exponents: k, or for each element its own.
        num_int e;
        e.m = held[0];
        e.negative = (pd_u32)(e.m >> 63);
        if (e.negative) e.m = 0u - e.m;
        e.spare = 0u;
        if (PD_NUM_SIZE) e = num_int_load(other0, 1u, i);
        NUM_REPORT(i, num_store(out, i, num_cell_pow(r, num_load(r, pa, i), e.negative, e.m)));
#elif PD_NUM_OP == NUM_OP_SPLIT
        num_cell x = num_cell_valuation(r, num_load(r, pa, i));
        const pd_i32 v = x.v;
#if PD_NUM_MODEL == 0
        if (v != NUM_ZERO && v) {
            const num_parts s = num_split(r, x.u);
            x.u = s.u;
            x.bits |= NUM_PRECLOSS;
        }
        x.v = 0;
#endif
        if (NUM_HAS(NUM_OTHER)) ((PD_GPTR(pd_i32))other0)[i] = v;
        if (x.v != NUM_ZERO && x.v != NUM_NAN) x.v = 0;
        NUM_REPORT(i, num_store(out, i, x));
#elif PD_NUM_OP == NUM_OP_VALUATION || PD_NUM_OP == NUM_OP_EQUAL || \
    PD_NUM_OP == NUM_OP_TROPICAL
        num_cell x = num_load(r, pa, i);
        if (NUM_HAS(NUM_B)) x = num_cell_sum(r, x, num_load(r, pb, i), 1u);
        x = num_cell_valuation(r, x);
#if PD_NUM_OP == NUM_OP_VALUATION
        if (NUM_HAS(NUM_OTHER)) ((PD_GPTR(pd_i32))other0)[i] = x.v;
#if PD_NUM_SIZE
        { // other1: norms, floats of PD_NUM_SIZE bytes. other2: p^-v for |v| <= k, from v = -k on
            const pd_u64 top = PD_NUM_SIZE == 8 ? (pd_u64)0x7ff00000u << 32 : (pd_u64)0x7f800000u;
            const pd_i32 most = (pd_i32)wide_k;
            pd_u64 norm = 0u;
            if (x.v == NUM_NAN)
                norm = top | top >> 1;
            else if (x.v < -most)
                norm = top;
            else if (x.v <= most)
                norm = ((PD_GPTR(num_item))other2)[(pd_u32)(x.v + most)];
            if (norm == top) x.bits |= NUM_RANGE;
            num_int_store(other1, i, norm);
        }
#endif
        NUM_REPORT(i, x.bits);
#elif PD_NUM_OP == NUM_OP_TROPICAL && PD_NUM_SIZE == 8
        // -v ln p as a double; k, stride: ln p in units of 2^-122
        {
            const pd_u64 v = x.v < 0 ? 0u - (pd_u64)(pd_i64)x.v : (pd_u64)x.v;
            const pd_u64 product = stride * v, low = product + PD_MULHI64(wide_k, v);
            const pd_u32 high = (pd_u32)PD_MULHI64(stride, v) + (low < product ? 1u : 0u);
            const pd_u32 down = 32u - PD_CLZ(high); // to 64 bits; below them there is more
            const pd_u64 m = down ? low >> down | (pd_u64)high << (64u - down) : low;
            num_rounded y = num_round(m, (pd_i64)down + 64 - 122, 1u, 52u, 11u);
            if (x.v > 0) y.bits |= (pd_u64)1u << 63;
            if (x.v == NUM_ZERO) y.bits = (pd_u64)0xfff00000u << 32;
            if (x.v == NUM_NAN) y.bits = (pd_u64)0x7ff80000u << 32;
            num_int_store(other0, i, y.bits);
        }
#elif PD_NUM_OP == NUM_OP_TROPICAL
        ((PD_GPTR(pd_i32))other0)[i] = x.v == NUM_NAN ? x.v : -x.v;
#else
        ((PD_GPTR(pd_u8))other0)[i] = x.v == NUM_NAN ? (pd_u8)0u
                    : (pd_i64)x.v >= (pd_i64)wide_k ? (pd_u8)1u
                    : PD_NUM_MODEL == 2 && !x.n     ? (pd_u8)2u
                                                    : (pd_u8)0u;
#endif
#elif PD_NUM_OP == NUM_OP_HORNER
        // Coefficients: k of them, shared or `stride` elements apart.
        const num_cell y = num_load(r, pa, i);
        pd_u32 t = (pd_u32)wide_k - 1u;
        num_cell x = num_load(r, pc, stride ? t * stride + i : t);
        for (; t > 0u; t--) {
            const num_cell c = num_load(r, pc, stride ? (t - 1u) * stride + i : t - 1u);
            const pd_u32 bits = x.bits;
            x = num_cell_fma(r, x, y, c);
            if (x.v != NUM_NAN) x.bits |= bits;
        }
        NUM_REPORT(i, num_store(out, i, x));
#elif PD_NUM_OP == NUM_OP_TEICHMUELLER
        num_cell a = num_load(r, pa, i), x = num_cell_of(r);
        const num_u residue = PD_NUM_TWO ? a.u & 3u : a.u - num_above(r, a.u) * NUM_P(r);
#if PD_NUM_MODEL != 0
        if (a.v == NUM_NAN) {
            x.v = NUM_NAN;
            x.bits = a.bits;
        } else {
            x.v = NUM_ZERO;
            if (a.v < 0) {
                x.bits = NUM_OUTSIDE;
            } else if (a.v == 0 && PD_NUM_MODEL == 2 && !a.n) {
                x.v = 0;
                x.n = 0u;
                x.bits = NUM_PRECLOSS;
            } else if (a.v == 0) {
                x.v = 0;
                x.n = r.n;
            }
        }
        if (x.v == 0 && !x.bits)
#endif
        {
#if PD_NUM_TWO
            x.u = residue & 1u;
            if (residue == 3u) x.u = num_sub(r, 0u, x.u);
            if (PD_NUM_MODEL == 2 && a.n == 1u && r.n > 1u) {
                x.n = 1u;
                x.bits = NUM_PRECLOSS;
            }
#else
            x.u = residue ? num_teichmueller(r, residue) : 0u;
#endif
        }
        NUM_REPORT(i, num_store(out, i, x));
#elif PD_NUM_OP == NUM_OP_TO_DIGITS
        // mode 16: other2 is u16. Without a stride a number has a row.
        num_cell x = num_load(r, pa, i);
        pd_u64 at = stride ? i : (pd_u64)i * r.n;
        num_u carry = 0u, u = x.v == NUM_NAN ? num_reduce(r, x.bits) : x.u;
        for (pd_u32 j = 0u; j < r.n; j++, at += stride ? stride : 1u) {
            num_u above = num_above(r, u), digit = u - above * NUM_P(r);
            pd_u64 shown;
            if (PD_NUM_KIND == 2 && digit) {
                u = num_sub(r, u, num_teichmueller(r, digit));
                above = num_above(r, u);
            }
            shown = (pd_u64)digit;
            if (PD_NUM_KIND == 1) { // digit + carry may reach p, which is 0 and a carry
                shown += carry;
                carry = shown > (pd_u64)(NUM_P(r) >> 1) ? 1u : 0u;
                if (carry) shown -= (pd_u64)NUM_P(r);
            }
            num_int_store(other0, at, shown);
            u = above;
        }
        if (NUM_HAS(NUM_OTHER + 1u)) ((PD_GPTR(pd_i32))other1)[i] = x.v;
        if (NUM_HAS(NUM_OTHER + 2u)) {
            if (k.mode & 16u)
                ((PD_GPTR(pd_u16))other2)[i] = (pd_u16)x.n;
            else
                ((PD_GPTR(pd_u8))other2)[i] = (pd_u8)x.n;
        }
        NUM_REPORT(i, x.bits);
#elif PD_NUM_OP == NUM_OP_FROM_DIGITS
        num_cell x = num_cell_of(r);
        pd_u64 at = stride ? i : (pd_u64)i * r.n, borrow = 0u;
        num_u power = 1u;
        for (pd_u32 j = 0u; j < r.n; j++, at += stride ? stride : 1u, power *= NUM_P(r)) {
            num_int d = num_int_load(other0, PD_NUM_KIND == 1 ? 1u : 0u, at);
            const pd_u64 p = (pd_u64)NUM_P(r);
            const pd_u64 top = d.negative ? (p - 1u) >> 1 : p >> 1;
            if (d.m > (PD_NUM_KIND == 1 ? top : p - 1u)) {
                x.bits = NUM_OUTSIDE;
                d.m = 0u;
            }
            if (PD_NUM_KIND == 1) {
                if (borrow && !d.m) d.negative = 1u;
                d.m = d.negative ? p - d.m - borrow : d.m - borrow;
                borrow = d.negative;
            }
            if (PD_NUM_KIND != 2)
                x.u += (num_u)d.m * power;
            else if (d.m)
                x.u = num_add(
                    r, x.u, num_mul(r, num_teichmueller(r, (num_u)d.m), power));
        }
#if PD_NUM_MODEL != 0
        if (NUM_HAS(NUM_OTHER + 1u)) x.v = ((PD_GPTR(pd_i32))other1)[i];
#endif
#if PD_NUM_MODEL == 2
        if (NUM_HAS(NUM_OTHER + 2u))
            x.n = k.mode & 16u ? ((PD_GPTR(pd_u16))other2)[i] : ((PD_GPTR(pd_u8))other2)[i];
#endif
        if (!x.bits && x.v == NUM_NAN)
            x.bits = (pd_u32)x.u & NUM_HARD ? (pd_u32)x.u & 255u : NUM_OUTSIDE;
        else if (x.n > r.n)
            x.bits = NUM_OUTSIDE;
        if (x.v != NUM_ZERO && x.v != NUM_NAN) {
            x.v = num_clamp(x.v);
            x = num_normal(r, x);
            if (PD_NUM_MODEL == 1) x.bits &= 0xffffffffu - NUM_PRECLOSS;
        }
        NUM_REPORT(i, num_store(out, i, x));
#elif PD_NUM_OP == NUM_OP_FROM_INT
        const num_int m = num_int_load(other0, k.mode & 1u, i);
        NUM_REPORT(i, num_store(out, i, num_of_int(r, m, PD_NUM_MODEL ? 1u : 0u, inverse64,
                                                   limit64)));
#elif PD_NUM_OP == NUM_OP_HENSEL
        num_polynomial f;
        f.planes = pc;
        f.at = stride ? i : 0u;
        f.stride = stride ? stride : 1u;
        f.terms = (pd_u32)wide_k;
        f.spare = 0u;
        NUM_REPORT(i, num_store(out, i, num_hensel(r, f, num_load(r, pa, i))));
#elif PD_NUM_OP == NUM_OP_SOLVE
        // other0, other1: A and B, integers of PD_NUM_SIZE bytes; other2: room, the entries of
        // neighbours side by side; b: ranks; k: n, stride: sides here, and those of a system.
        // Gauss and Jordan, with units as pivots.
        const pd_u32 n = (pd_u32)wide_k, sides = (pd_u32)stride, all = (pd_u32)(stride >> 32);
        const pd_u32 cols = n + sides;
        PD_GPTR(num_u) const w = (PD_GPTR(num_u))other2 + PD_GID;
        pd_u32 row = 0u;
        for (pd_u32 e = 0u; e < n * cols; e++) {
            const pd_u32 h = e / cols, j = e - h * cols;
            const num_int m = j < n ? num_int_load(other0, 1u, (i * n + h) * n + j)
                                    : num_int_load(other1, 1u, (i * n + h) * all + j - n);
            const num_u u = num_enter(r, num_reduce(r, m.m));
            w[e * step] = m.negative ? num_sub(r, 0u, u) : u;
        }
        for (pd_u32 c = 0u; c < n; c++) {
            pd_u32 top = row;
            num_u inverse;
            while (top < n && !num_unit(r, w[(top * cols + c) * step])) top++;
            if (top == n) continue;
            inverse = num_inv_mont(r, w[(top * cols + c) * step]);
            for (pd_u32 j = c; j < cols; j++) {
                const num_u x = w[(top * cols + j) * step];
                if (top != row) w[(top * cols + j) * step] = w[(row * cols + j) * step];
                w[(row * cols + j) * step] = num_mont(r, x, inverse);
            }
            for (pd_u32 h = 0u; h < n; h++) {
                const num_u factor = w[(h * cols + c) * step];
                if (h == row || !factor) continue;
                for (pd_u32 j = c + 1u; j < cols; j++) {
                    const num_u x = num_mont(r, factor, w[(row * cols + j) * step]);
                    w[(h * cols + j) * step] = num_sub(r, w[(h * cols + j) * step], x);
                }
            }
            row++;
        }
        for (pd_u32 e = 0u; e < n * sides; e++) {
            const pd_u32 h = e / sides, j = e - h * sides;
            out.unit[(i * n + h) * all + j] =
                row < n ? 0u : num_leave(r, w[(h * cols + n + j) * step]);
        }
        if (NUM_HAS(NUM_B)) ((PD_GPTR(pd_u32))NUM_PLACE(NUM_B))[i] = row;
        NUM_REPORT(i, row < n ? NUM_NONUNIT : 0u);
#elif PD_NUM_OP == NUM_OP_RANDOM
        num_cell x = num_cell_of(r);
        x.u = num_random(r, wide_k, stride, PD_U64(k.place[28], k.place[29]) + i);
        if (PD_NUM_MODEL) x = num_normal(r, x);
        x.bits = 0u;
        NUM_REPORT(i, num_store(out, i, x));
#elif PD_NUM_OP == NUM_OP_TO_INT
        // mode: 1 signed, 2 balanced.
        const num_cell x = num_load(r, pa, i);
        const pd_u32 is_signed = k.mode & 1u;
        num_wide m;
        num_int s;
        pd_u32 bits = 0u;
        m.m = 0u;
        m.fits = m.spare = 0u;
        s.m = 0u;
        s.negative = s.spare = 0u;
        if (x.v == NUM_NAN) {
            bits = x.bits;
        } else if (x.v == NUM_ZERO) {
            bits = 0u;
        } else if (x.v < 0) {
            bits = NUM_OUTSIDE;
        } else if (!x.n) {
            bits = NUM_PRECLOSS;
        } else {
            const pd_u32 room = 8u * PD_NUM_SIZE - is_signed; // of the magnitude
            s = num_residue(r, x, k.mode & 2u);
            m = num_times(r, s.m, (pd_u32)x.v);
            const pd_u64 least = room < 64u ? (pd_u64)1u << room : 0u; // its negative still fits
            if (least && m.m >= least && !(s.negative && is_signed && m.m == least))
                m.fits = 0u;
            if (s.negative && !is_signed && m.m) m.fits = 0u;
            if (!m.fits) {
                bits = NUM_RANGE;
                m.m = 0u;
            }
        }
        num_int_store(other0, i, s.negative ? 0u - m.m : m.m);
        NUM_REPORT(i, bits);
#elif PD_NUM_OP == NUM_OP_FROM_RATIONAL
        num_int n = num_int_load(other0, k.mode & 1u, i);
        num_int d = num_int_load(other1, k.mode & 1u, i);
        num_cell x = num_cell_of(r), a, b;
        n.negative ^= d.negative;
        d.negative = 0u;
        a = num_of_int(r, n, 1u, inverse64, limit64);
        b = num_of_int(r, d, 1u, inverse64, limit64);
        if (b.v == NUM_ZERO) {
            x.bits = NUM_DIV0;
        } else if (a.v == NUM_ZERO) {
            x.v = NUM_ZERO;
        } else {
            x.v = a.v - b.v;
            x.u = num_mont(r, num_inv_mont(r, num_enter(r, b.u)), a.u);
        }
        NUM_REPORT(i, num_store(out, i, num_settle(r, x)));
#elif PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND == 2
        // mode: see num_fraction_put(); other2: a table; stride: elements of a vector, of which an
        // item does all.
        PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))other2;
        const pd_u32 begin = i * (pd_u32)stride, end = begin + (pd_u32)stride;
        pd_i32 low = 0; // the lowest valuation
        pd_u64 d = 1u;
        pd_u32 found = 1u;
        for (pd_u32 turn = 0u; turn < 3u; turn++) // find d, look at all again, write
            for (pd_u32 j = begin; j < end && (found || turn == 2u); j++) {
                const num_cell x = num_load(r, pa, j);
                const pd_u32 plain = x.v != NUM_ZERO && x.v != NUM_NAN ? 1u : 0u;
                const num_u over = num_reduce(r, d);
                pd_u32 bits = found ? 0u : NUM_RATREC;
                num_fraction f;
                f.negative = 0u;
                f.found = 1u;
                f.n = 0u;
                if (plain) f = num_joint(r, table, x.n, x.u, over);
                if (turn < 2u) {
                    if (plain && x.v < low) low = x.v;
                    if (!f.found && !turn && x.n && NUM_ENTRY(table, x.n, 3u)) { // a larger d
                        const num_u w = num_low(r, num_mul(r, x.u, over), x.n);
                        f = num_euclid(table, x.n, (pd_u64)w);
                        if (PD_MULHI64(d, f.d) || d * f.d > NUM_ENTRY(table, x.n, 2u)) f.found = 0u;
                        if (f.found) d *= f.d;
                    }
                    found = f.found;
                } else {
                    const pd_i32 up = plain ? x.v - low : 0;
                    const num_wide m = num_times(r, f.n, up > 64 ? 64u : (pd_u32)up);
                    const num_wide e = num_times(r, d, low < -64 ? 64u : (pd_u32)-low);
                    if (x.v == NUM_NAN) bits = x.bits;
                    if (!bits && !(m.fits && e.fits)) bits = NUM_RANGE;
                    f.n = m.m;
                    f.d = e.m;
                    bits = num_fraction_put(r, other0, other1, j, f, 0, bits, k.mode);
                    NUM_REPORT(j, bits);
                }
            }
#elif PD_NUM_OP == NUM_OP_TO_RATIONAL && PD_NUM_KIND
        // mode: see num_fraction_put(), from bit 8 on the valuation of a fixed denominator, which
        // is stride, its unit k; k: the largest quotient; other2: a table.
        PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))other2;
        const num_cell x = num_load(r, pa, i);
        pd_i64 v = x.v == NUM_ZERO ? 0 : x.v;
        pd_u32 bits = 0u;
        num_fraction f;
        f.n = 0u;
        f.d = 1u;
        f.negative = 0u;
        f.found = 1u;
        if (x.v == NUM_NAN) {
            bits = x.bits;
        } else if (x.v != NUM_ZERO) {
#if PD_NUM_KIND == 3
            v += (pd_i64)(k.mode >> 8);
            f = num_joint(r, table, x.n, x.u, (num_u)wide_k);
            if (v < 0) f.found = 0u;
#elif PD_NUM_KIND == 4
            f = num_largest(table, x.n, (pd_u64)x.u, wide_k);
#else
            f = num_euclid(table, x.n, (pd_u64)x.u);
#endif
            if (!f.found) bits = NUM_RATREC;
        }
#if PD_NUM_KIND == 3
        f.d = stride;
#endif
        NUM_REPORT(i, num_fraction_put(r, other0, other1, i, f, v, bits, k.mode));
#elif PD_NUM_OP == NUM_OP_CHANGE_PRIME
        // Units in words of 64 bits; of 32 bits: mode 1 of a, 2 of out. PD_NUM_KIND: the model of
        // a; k: its precision; other2: a table of its ring.
        PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))other2;
        const pd_u64 u = k.mode & 1u ? (pd_u64)((PD_GPTR(pd_u32))pa.unit)[i] : pa.unit[i];
        pd_u32 n = (pd_u32)wide_k;
        pd_i32 v = 0;
        num_cell x = num_cell_of(r);
        x.v = NUM_ZERO;
#if PD_NUM_KIND
        v = num_val_load((PD_GPTR(void))NUM_PLACE(NUM_A + 1u), i);
#endif
#if PD_NUM_KIND == 2
        n = ((PD_GPTR(num_known))NUM_PLACE(NUM_A + 2u))[i];
        if (n > (pd_u32)wide_k) n = (pd_u32)wide_k;
#endif
        if (v == NUM_NAN) {
            x.v = NUM_NAN;
            x.bits = (pd_u32)u & 255u;
        } else if (v != NUM_ZERO) {
            const num_fraction f = num_euclid(table, n, u);
            if (f.found) {
                num_int m;
                num_cell a, b;
                m.m = f.n;
                m.negative = f.negative;
                m.spare = 0u;
                a = num_of_int(r, m, 1u, inverse64, limit64);
                m.m = f.d;
                m.negative = 0u;
                b = num_of_int(r, m, 1u, inverse64, limit64);
                if (a.v != NUM_ZERO) {
                    num_u over = num_enter(r, b.u);
                    x.v = a.v - b.v;
                    x.u = a.u;
                    if (table[0] == (pd_u64)NUM_P(r)) {
                        x.v += v;
                    } else if (v) { // p^v is a unit, too
                        const pd_u64 e = v < 0 ? 0u - (pd_u64)(pd_i64)v : (pd_u64)v;
                        const num_u power = num_pow(r, num_enter(r, num_reduce(r, table[0])), e);
                        if (v < 0)
                            over = num_mont(r, over, power);
                        else
                            x.u = num_mont(r, x.u, power);
                    }
                    x.u = num_mont(r, num_inv_mont(r, over), x.u);
                }
                x = num_settle(r, x);
            } else {
                x.bits = NUM_RATREC;
            }
        }
        NUM_REPORT(i, num_store_as(out, i, x, k.mode & 2u));
#elif PD_NUM_OP == NUM_OP_TO_RATIONAL
        // Euclid on (P, u) to the first rest of at most k; the denominator is at most `stride`.
        const num_cell x = num_load(r, pa, i);
#if PD_NUM_TWO
        pd_u64 r0 = (pd_u64)r.base + 1u, r1 = x.u, t0 = 0u, t1 = 1u; // P may be 2^32
#else
        num_u r0 = r.base, r1 = x.u, t0 = 0u, t1 = 1u;
#endif
        pd_u64 n, d;
        pd_u32 odd = 0u, bits = 0u;
        while ((pd_u64)r1 > wide_k) {
#if PD_NUM_TWO
            const pd_u64 q = r0 / r1, rest = r0 - q * r1, t = t0 + q * t1;
#else
            const num_u q = r0 / r1, rest = r0 - q * r1, t = t0 + q * t1;
#endif
            r0 = r1;
            r1 = rest;
            t0 = t1;
            t1 = t;
            odd ^= 1u;
        }
        n = (pd_u64)r1;
        d = (pd_u64)t1;
        if (d > stride || !num_unit(r, (num_u)t1)) bits = NUM_RATREC;
        if (x.v == NUM_NAN) {
            bits = x.bits;
        } else if (x.v && x.v != NUM_ZERO && !bits) {
            const num_wide f = num_times(r, x.v < 0 ? d : n,
                                         x.v < 0 ? 0u - (pd_u32)x.v : (pd_u32)x.v);
            if (!f.fits || f.m >> 63) bits = NUM_RANGE;
            if (x.v < 0)
                d = f.m;
            else
                n = f.m;
        }
        if (bits) n = d = 0u;
        ((PD_GPTR(pd_u64))other0)[i] = odd ? 0u - n : n;
        ((PD_GPTR(pd_u64))other1)[i] = d;
        NUM_REPORT(i, bits);
#elif PD_NUM_OP == NUM_OP_EXP || PD_NUM_OP == NUM_OP_LOG
        // other2: `stride` coefficients; k: Iwasawa's logarithm.
        const num_cell a = num_load(r, pa, i);
        PD_GPTR(num_u) const c = (PD_GPTR(num_u))other2;
#if PD_NUM_OP == NUM_OP_EXP
        NUM_REPORT(i, num_store(out, i, num_cell_exp(r, a, c, (pd_u32)stride)));
#else
        const pd_u32 any = (pd_u32)wide_k & 1u;
        NUM_REPORT(i, num_store(out, i, num_cell_log(r, a, c, (pd_u32)stride, any)));
#endif
#elif PD_NUM_OP == NUM_OP_ROOT
        // k: n; stride: 1 / n modulo P; other2: 1 / the root of each residue modulo p, 0: none; the
        // root of unity stands where other[0] would. Large p have it in their table; where these
        // divide n the others, too.
        // zero is 0, which a compiler does not see: it keeps no scalars for all elements.
#if PD_NUM_KIND && !PD_IS_CUDA
        const pd_u32 zero = i >> 31;
#else
        const pd_u32 zero = 0u;
#endif
        PD_GPTR(void) const seeds = (PD_GPTR(pd_u8))other2 + zero;
#if PD_NUM_KIND == 3
        const pd_u64 n = ((PD_GPTR(pd_u64))seeds)[12];
        const num_u less = (num_u)((PD_GPTR(pd_u64))seeds)[9];
        const num_u turn = (num_u)((PD_GPTR(pd_u64))seeds)[11];
        const pd_u32 mode = (pd_u32)((PD_GPTR(pd_u64))seeds)[10];
#else
        const pd_u64 n = wide_k + zero;
        const num_u less = (num_u)(stride + zero);
        const num_u turn =
            PD_NUM_KIND == 1 ? 0u : (num_u)(PD_U64(k.place[28], k.place[29]) + zero);
        const pd_u32 mode = k.mode + zero;
#endif
        NUM_REPORT(i, num_store(out, i, num_cell_root(r, num_load(r, pa, i), seeds,
                                                      n, less, mode, turn)));
#elif PD_NUM_OP == NUM_OP_POW_PADIC
        // exp(b log a). other2: coefficients of exp, then of log; stride: how many, in two halves
        const num_cell a = num_load(r, pa, i), b = num_load(r, pb, i);
        PD_GPTR(num_u) const c = (PD_GPTR(num_u))other2;
        NUM_REPORT(i, num_store(out, i, num_cell_pow_padic(r, a, b, c, (pd_u32)stride,
                                                           (pd_u32)(stride >> 32))));
#elif PD_NUM_OP == NUM_OP_FROM_FLOAT
        // mode: 0 to 3 that of the call, then 8 bits each for mantissa and exponent; k: scale;
        // stride: bits of P; other1: i16 exponents.
        const num_float f = num_float_of((pd_u64)((PD_GPTR(num_item))other0)[i],
                                         k.mode >> 8 & 255u, k.mode >> 16 & 255u);
        num_cell x = num_cell_of(r);
        x.bits = NUM_OUTSIDE;
        if (f.finite) {
            x = num_of_float(r, f, k.mode & 3u, (pd_i64)wide_k, (pd_u32)stride, inverse64,
                             limit64);
            if (!f.m && f.negative) x.bits |= NUM_INEXACT;
        }
        if (NUM_HAS(NUM_OTHER + 1u)) ((PD_GPTR(pd_u16))other1)[i] = (pd_u16)((pd_u32)f.e & 65535u);
        if (x.bits & NUM_HARD) x.v = NUM_NAN;
        NUM_REPORT(i, num_store(out, i, x));
#elif PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND == 2
        // mode as below; other2: a table of bounds, then one of powers.
        PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))other2;
        const pd_u32 mantissa = k.mode >> 8 & 255u, exponent = k.mode >> 16 & 255u;
        const num_cell x = num_load(r, pa, i);
        num_rounded y;
        pd_u32 bits = 0u, negative = 0u;
        y.bits = 0u;
        y.status = y.spare = 0u;
        if (x.v == NUM_NAN) {
            bits = x.bits;
        } else if (x.v != NUM_ZERO && (x.u || !x.n)) {
            const num_fraction f = num_euclid(table, x.n, (pd_u64)x.u);
            negative = f.negative;
            if (f.found && f.n) // 0: of a unit that is none
                y = num_round_fraction(table + 4u * (r.n + 1u), f.n, f.d, x.v, mantissa, exponent);
            else if (!f.found)
                bits = NUM_RATREC;
            bits |= y.status;
        }
        if (bits & NUM_HARD & (0xffffffffu - y.status))
            y.bits = (((pd_u64)2u << exponent) - 1u) << (mantissa - 1u); // NaN
        else if (negative)
            y.bits |= (pd_u64)1u << (mantissa + exponent);
        num_int_store(other0, i, y.bits);
        NUM_REPORT(i, bits);
#elif PD_NUM_OP == NUM_OP_TO_FLOAT
        // As FROM_FLOAT, the scale -k. A ring, or p = 2: then p^v is but an exponent. What is above
        // 2^4096 before 2^e is infinite, as on the host.
        const pd_u32 mantissa = k.mode >> 8 & 255u, exponent = k.mode >> 16 & 255u;
        const num_cell x = num_load(r, pa, i);
        num_rounded y;
        num_int m;
        pd_u32 bits = 0u;
        y.bits = 0u;
        y.status = y.spare = 0u;
        m.m = 0u;
        m.negative = m.spare = 0u;
        if (x.v == NUM_NAN) {
            bits = x.bits;
        } else if (x.v != NUM_ZERO) {
            pd_i64 e = k.mode & 3u ? (pd_i64)wide_k : 0;
            if (NUM_HAS(NUM_OTHER + 1u)) {
                const pd_u32 w = ((PD_GPTR(pd_u16))other1)[i];
                e = (pd_i64)w - (w > 32767u ? 65536 : 0);
            }
            if (x.v < 0 && (k.mode & 3u))
                bits = NUM_OUTSIDE;
            else if (!x.n)
                bits = NUM_PRECLOSS;
            m = num_residue(r, x, 1u);
            if (bits) m.m = 0u;
            e += x.v;
            if (!PD_NUM_KIND && (k.mode & 3u) && m.m) {
                const pd_u32 high = (pd_u32)(m.m >> 32);
                const pd_u32 low = (pd_u32)m.m;
                if (x.v + (pd_i32)(high ? 64u - PD_CLZ(high) : 32u - PD_CLZ(low)) > 4096)
                    e = (pd_i64)1 << 40;
            }
#if PD_NUM_KIND == 1
            if (!bits && m.m) { // the integer m p^v; other2: a table of powers
                PD_GPTR(pd_u64) const powers = (PD_GPTR(pd_u64))other2;
                num_long z;
                z.words = 65u;
                e -= x.v;
                if ((pd_u64)x.v <= powers[0]) z = num_long_of(powers, (pd_u32)x.v, m.m);
                if (z.words > 64u)
                    y = num_round(1u, (pd_i64)1 << 40, 0u, mantissa, exponent);
                else
                    y = num_round(z.high, e + z.e + 64, z.low || z.more ? 1u : 0u, mantissa,
                                  exponent);
            }
#else
            if (!(bits & NUM_HARD)) y = num_round(m.m, e, 0u, mantissa, exponent);
#endif
            bits |= y.status;
        }
        if (bits & NUM_HARD & (0xffffffffu - y.status))
            y.bits = (((pd_u64)2u << exponent) - 1u) << (mantissa - 1u); // NaN
        else if (m.negative && y.bits + y.status)
            y.bits |= (pd_u64)1u << (mantissa + exponent);
        num_int_store(other0, i, y.bits);
        NUM_REPORT(i, bits);
#elif PD_NUM_OP == NUM_OP_SET_PRECISION
        // PD_NUM_BITS is 64 here; units of 32 bits: mode 1 of a, 2 of out. k: the precision of a.
        const pd_u32 from = (pd_u32)wide_k;
        const pd_u64 u = k.mode & 1u ? (pd_u64)((PD_GPTR(pd_u32))pa.unit)[i] : pa.unit[i];
        num_cell x = num_load_val(r, pa, i, u);
        x.u = u;
        if (r.n < from) x.u = PD_NUM_TWO ? u & r.base : u % r.base;
        if (x.n > r.n) x.n = r.n;
        if (PD_NUM_MODEL != 2 && r.n > from && !x.bits && x.v != NUM_ZERO) x.bits = NUM_PRECLOSS;
        NUM_REPORT(i, num_store_as(out, i, x, k.mode & 2u));
#endif
    }
#endif
    if (NUM_HAS_WORD) { // one atomic a group, and only where there is something to say
        if (PD_LID == 0u) together[0] = 0u;
        PD_BARRIER();
        if (seen) (void)PD_ATOMIC_OR_L(&together[0], seen);
        PD_BARRIER();
        if (PD_LID == 0u && together[0])
            (void)PD_ATOMIC_OR_G((PD_GPTR(pd_u32))NUM_WORD, together[0]);
    }
}
