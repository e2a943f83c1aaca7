// solve_system.cl: systems of equations over the rationals: the params of a launch, words and sums.

#ifndef PD_SOLVE_KIND
#define PD_SOLVE_KIND 0
#endif

#define SOLVE_WG 64u
#define SOLVE_MOST 64u   // unknowns, and sides of a launch: no more than items
#define SOLVE_LIMBS 138u // of the product of primes for minors of order 64 of words of 64 bits

#define SOLVE_DIV0 1u
#define SOLVE_RANGE 32u
#define SOLVE_WRONG 0x80000000u // of all status bits: A x is not d b

typedef struct {
    pd_u32 count, n, sides; // of this launch
    pd_u32 step;            // sides of a system, also those of other launches
    pd_u32 batch;           // systems of all launches
    pd_u32 again;           // 1: other sides were done before
    pd_u32 wide;            // 1: I64, 0: I32
    pd_u32 items;           // of kind 0; groups of kind 1
    pd_u32 each, part;      // of kind 1: words of a group's room, and those before limbs
    pd_u32 type[3]; // numerators, denominators, determinants: log2 of an element's bytes, 4: signed
    pd_u32 words[3]; // of integers in planes of words; 0: none
    pd_u32 place[16]; // of SOLVE_MATRIX ...: byte in its memory, low half, high 24 bits; 1 << 24
} padic_k_solve_systems_params;

// Each has its own memory here, which may be the same.
#define SOLVE_MATRIX 0
#define SOLVE_RIGHT 1
#define SOLVE_NUMERATOR 2
#define SOLVE_DENOMINATOR 3
#define SOLVE_DET 4
#define SOLVE_RANK 5
#define SOLVE_STATUS 6
#define SOLVE_ROOM 7 // u32: all status bits, length of the list, the list, even: room

PD_FN PD_GPTR(void) solve_place(PD_GPTR(void) memory, pd_u32 low, pd_u32 high)
{
    return (PD_GPTR(pd_u8))memory + PD_U64(low, high & 0xffffffu);
}
#define SOLVE_PLACE(q, m) solve_place(m, k.place[2 * (q)], k.place[2 * (q) + 1])
#define SOLVE_HAS(q) (k.place[2 * (q) + 1] >> 24)

PD_FN pd_u32 solve_bits64(pd_u64 x)
{
    const pd_u32 high = (pd_u32)(x >> 32), low = (pd_u32)x;
    return high ? 64u - PD_CLZ(high) : 32u - PD_CLZ(low);
}

PD_FN pd_u32 solve_ctz32(pd_u32 x) // x not 0
{
    return PD_POPCOUNT((x & (0u - x)) - 1u);
}

PD_FN pd_u64 solve_load(PD_GPTR(void) from, pd_u32 wide, pd_u32 i) // in two's complement
{
    const pd_u32 x = wide ? 0u : ((PD_GPTR(pd_u32))from)[i];
    if (wide) return ((PD_GPTR(pd_u64))from)[i];
    return PD_U64(x, 0u - (x >> 31));
}

PD_FN pd_u64 solve_magnitude(pd_u64 x)
{
    return x >> 63 ? 0u - x : x;
}

// Minors of order `order` are below 2^this, entries of A and of B having a and b bits at most.
PD_FN pd_u32 solve_bound(pd_u32 n, pd_u32 order, pd_u32 a, pd_u32 b)
{
    const pd_u32 log = 32u - PD_CLZ(n - 1u);
    return (order - 1u) * a + (a > b ? a : b) + (order * log + 1u) / 2u;
}

// 1 if +-m of `bits` bits fits. `power`: m is a power of two.
PD_FN pd_u32 solve_fits(pd_u32 type, pd_u32 words, pd_u32 bits, pd_u32 negative, pd_u32 power)
{
    const pd_u32 room = words ? 64u * words : 8u << (type & 3u);
    const pd_u32 sign = words || (type & 4u) ? 1u : 0u;
    if (!sign) return bits <= room && (!negative || !bits) ? 1u : 0u;
    return bits < room || (bits == room && negative && power) ? 1u : 0u;
}

PD_FN void solve_put(PD_GPTR(void) to, pd_u32 type, pd_u32 words, pd_u64 i, pd_u64 x)
{
    if (words || (type & 3u) == 3u)
        ((PD_GPTR(pd_u64))to)[i] = x;
    else if ((type & 3u) == 2u)
        ((PD_GPTR(pd_u32))to)[i] = (pd_u32)x;
    else if ((type & 3u) == 1u)
        ((PD_GPTR(pd_u16))to)[i] = (pd_u16)((pd_u32)x & 65535u);
    else
        ((PD_GPTR(pd_u8))to)[i] = (pd_u8)((pd_u32)x & 255u);
}

// Element i of `count` is +-m; 0: it is 0.
PD_FN void solve_put_all(PD_GPTR(void) to, pd_u32 type, pd_u32 words, pd_u64 count, pd_u64 i,
                         pd_u64 m, pd_u32 negative)
{
    const pd_u64 sign = negative && m ? 0u - (pd_u64)1u : 0u;
    solve_put(to, type, words, i, negative ? 0u - m : m);
    for (pd_u32 j = 1u; j < words; j++) solve_put(to, type, words, j * count + i, sign);
}

// A sum of products, modulo 2^96.
typedef struct {
    pd_u64 low;
    pd_u32 high, spare;
} solve_sum;
#define SOLVE_ADD(s, m)                      \
    do {                                     \
        const pd_u64 more_ = (m);            \
        (s).low += more_;                    \
        (s).high += (s).low < more_ ? 1u : 0u; \
    } while (0)
#define SOLVE_SUB(s, m)                      \
    do {                                     \
        const pd_u64 less_ = (m);            \
        (s).high -= (s).low < less_ ? 1u : 0u; \
        (s).low -= less_;                    \
    } while (0)
#define SOLVE_NEXT(s)                                         \
    do {                                                      \
        (s).low = (s).low >> 32 | (pd_u64)(s).high << 32;     \
        (s).high = 0u - ((s).high >> 31);                     \
    } while (0)

// Constants in local memory, except for CUDA: scalar registers are scarce.
#if PD_IS_CUDA
#define SOLVE_SPOT(q) SOLVE_PLACE(q, m##q)
#define SOLVE_TYPE(q) k.type[q]
#define SOLVE_WORDS(q) k.words[q]
#define SOLVE_GIVEN(q) SOLVE_HAS(q)
#define SOLVE_WIDE k.wide
#define SOLVE_N k.n
#define SOLVE_SIDES k.sides
#define SOLVE_STEP k.step
#define SOLVE_BATCH k.batch
#define SOLVE_AGAIN k.again
#define SOLVE_ITEMS k.items
#define SOLVE_LISTED room[1]
#else
typedef PD_GPTR(void) solve_pointer;
#define SOLVE_SPOT(q) spot[q]
#define SOLVE_TYPE(q) fact[q]
#define SOLVE_WORDS(q) fact[3 + (q)]
#define SOLVE_GIVEN(q) fact[6 + (q)]
#define SOLVE_WIDE fact[6]
#define SOLVE_N fact[13]
#define SOLVE_STEP fact[14]
#define SOLVE_BATCH fact[15]
#define SOLVE_AGAIN fact[16]
#define SOLVE_SIDES fact[7]
#define SOLVE_ITEMS fact[8]
#define SOLVE_LISTED fact[9]
#endif

// Entry (i, j) of (A B) of system s.
#define SOLVE_INPUT(i, j)                                                                 \
    ((j) < n ? solve_load(SOLVE_SPOT(0), SOLVE_WIDE, (s * n + (i)) * n + (j))             \
             : solve_load(SOLVE_SPOT(1), SOLVE_WIDE, (s * n + (i)) * SOLVE_STEP + (j) - n))
// The status byte of system s: also that of its other sides.
#define SOLVE_NOTE(s, bits)                                                               \
    do {                                                                                  \
        PD_GPTR(pd_u8) const byte_ = (PD_GPTR(pd_u8))SOLVE_SPOT(6) + (s);                 \
        *byte_ = (pd_u8)(SOLVE_AGAIN ? (bits) | *byte_ : (bits));                             \
    } while (0)
#define SOLVE_FORM_0 SOLVE_TYPE(0), SOLVE_WORDS(0) // of numerators
#define SOLVE_FORM_1 SOLVE_TYPE(1), SOLVE_WORDS(1) // of denominators
#define SOLVE_FORM_2 SOLVE_TYPE(2), SOLVE_WORDS(2) // of determinants
#define SOLVE_TO_0 SOLVE_SPOT(2), SOLVE_FORM_0, (pd_u64)SOLVE_BATCH * SOLVE_STEP * n
#define SOLVE_TO_1 SOLVE_SPOT(3), SOLVE_FORM_1, (pd_u64)SOLVE_BATCH * SOLVE_STEP
#define SOLVE_TO_2 SOLVE_SPOT(4), SOLVE_FORM_2, SOLVE_BATCH

// How a function of a group accesses its system.
#if PD_IS_CUDA
#define SOLVE_ARGS                                                                               \
    PD_GPTR(pd_u32) m0, PD_GPTR(pd_u32) m1, PD_GPTR(pd_u32) m2, PD_GPTR(pd_u32) m3,              \
        PD_GPTR(pd_u32) m4, PD_GPTR(pd_u32) m5, PD_GPTR(pd_u32) m6, PD_GPTR(pd_u32) m7,          \
        const padic_k_solve_systems_params k
#define SOLVE_PASS m0, m1, m2, m3, m4, m5, m6, m7, k
#define SOLVE_ANY                                                                                \
    (void)m0, (void)m1, (void)m2, (void)m3, (void)m4, (void)m5, (void)m6, (void)m7, (void)k
#else
#define SOLVE_ARGS                                                                               \
    PD_LPTR(solve_pointer) spot, PD_LPTR(pd_u32) fact, const padic_k_solve_systems_params k
#define SOLVE_PASS spot, fact, k
#define SOLVE_ANY (void)spot, (void)fact, (void)k // not all functions need all
#endif
