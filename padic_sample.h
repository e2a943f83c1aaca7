// padic_sample.h: low-discrepancy points. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>sample API        Halton, Hammersley, Owen scrambling by index
//     >>sample impl       the plain reference

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_SAMPLE_H
#define PADIC_SAMPLE_H

// room: src/sample/api.h
// --------------------------------------------------------------------------------- >>sample API
//
// Low-discrepancy points by index: van der Corput, Halton and Hammersley in any base from 2 to
// 65,537, with digit permutations and Owen (nested uniform) scrambling. All of it is D0: the same
// bits on every machine, for any split of the work.
//
// An index i = sum d_k b^k has D digits, d_0 first; its digit reversal is R = sum d_k b^(D-1-k) and
// its radical inverse R / b^D in [0, 1). D is the largest with b^D <= 2^32 (SHORT) or 2^64 (LONG).
// Values are x = R / b^D cut off once, exactly, to the grid of the output's dtype, and so below 1:
//
//     U32 floor(2^32 x)    U64 floor(2^64 x)    F32 floor(2^24 x) 2^-24    F64 floor(2^53 x) 2^-53
//
// Every function works on the caller's memory and allocates nothing. The context may be NULL; it
// keeps the message of a failure, and its jobs and backends in host memory share the work, with the
// same result. Tensors have any positive strides; all of a call lie in host memory, or all in
// buffers of the context's device, whose kernels do the work then. There a call with indices or
// keys waits for the device, and is not recorded.
// Common errors: ARGUMENT (NULL, base < 2, a mode or stride that makes no sense, tensors here and
// on a device), LIMIT (base above 65,537, dimension above 1,023, an index outside [0, b^D)),
// MISMATCH (shapes), DTYPE, ALIGNMENT, OVERLAP, CAPACITY (too few keys), NOT_SUPPORTED (a device
// without the kernel). Then nothing is written, with one exception: an index >= b^D in an array
// makes its element 0, the others right, the code LIMIT. No value of an index or a key leads
// outside of a table.

typedef enum padic_sample_digits {
    PADIC_SAMPLE_SHORT = 0, // b^D <= 2^32: D = 32, 20, 13, 11 for b = 2, 3, 5, 7
    PADIC_SAMPLE_LONG = 1   // b^D <= 2^64: D = 64, 40, 27, 22
} padic_sample_digits;

typedef enum padic_sample_layout {
    PADIC_SAMPLE_PLANES = 0, // shape (dimensions, points)
    PADIC_SAMPLE_POINTS = 1  // shape (points, dimensions)
} padic_sample_layout;

// A scrambling maps digit d_k of an index to s_k by a permutation that is drawn from a hash h of
// the level k and, for OWEN, of the digits before it: h = mix(key[k] ^ (s_0 b^(k-1) + ... +
// s_(k-1))). Indices that agree in k low digits still do after it: it is an isometry of the b-adic
// integers, and the first b^m points still hit each of the b^m cells once.
typedef enum padic_sample_mode {
    PADIC_SAMPLE_NONE = 0,
    PADIC_SAMPLE_PERMUTE = 1, // one permutation a level: 0 instead of the digits before it
    PADIC_SAMPLE_OWEN = 2,    // one a node; prime b: d -> (a d + c) mod b, a != 0, whose second
                              // moments are those of all permutations; composite b: OWEN_FULL
    PADIC_SAMPLE_OWEN_FULL = 3 // a uniform permutation (Fisher-Yates) a node; b <= 1,021; slow
} padic_sample_mode;

// All zero: none. Composite bases above 1,021 cannot be scrambled: LIMIT.
typedef struct padic_sample_scrambling {
    padic_sample_mode mode;
    const uint64_t *keys; // of padic_sample_scramble_init(): D each dimension, one after the other
    size_t keys_size;     // in bytes; too small is CAPACITY
} padic_sample_scrambling;

// The base of a Halton dimension: 2, 3, 5, ..., 8161 for 0 to 1,023, and 0 beyond.
PADIC_API uint32_t padic_sample_prime(uint32_t dimension);
// D, the digits of an index; *last (if not NULL) becomes b^D - 1, the largest index. 0 and 0 for a
// base outside 2 to 65,537.
PADIC_API uint32_t padic_sample_levels(uint32_t base, padic_sample_digits digits, uint64_t *last);

// Keys of a scrambling: key[k] = w0 + 2^32 w1, w the Philox block (seed, stream = dimension,
// step = k, block 0). They depend on neither mode nor base; SHORT and b <= 1,021 use w0 only.
typedef struct padic_sample_scramble_init_desc {
    uint64_t seed;
    uint32_t base; // of one dimension of any number; 0: the primes of Halton dimensions
    padic_sample_digits digits;
    uint32_t dimension;  // the first
    uint32_t dimensions; // how many; 0: 1
} padic_sample_scramble_init_desc;
// Bytes of all keys; 0 if the desc makes no sense.
PADIC_API size_t padic_sample_scramble_bound(const padic_sample_scramble_init_desc *desc);
// Writes them. CAPACITY, and nothing written, if keys_size is smaller than the bound.
PADIC_API padic_result padic_sample_scramble_init(const padic_sample_scramble_init_desc *desc,
                                                  uint64_t *keys, size_t keys_size);

// out[j] = radical inverse of index[j], or of first + j. `out` has rank 0 or 1.
typedef struct padic_sample_radical_inverse_desc {
    padic_tensor out; // U32, U64, F32, F64
    uint32_t base;
    padic_sample_digits digits;
    uint64_t first;     // a range that reaches beyond b^D is LIMIT
    padic_tensor index; // instead of first: U32 or U64, one for each element; may be `out` itself
    padic_sample_scrambling scrambling;
    int reversed; // 1: R itself instead of R / b^D, as U32 (SHORT) or U64
} padic_sample_radical_inverse_desc;
PADIC_API padic_result padic_sample_radical_inverse(padic_context *context,
                                                    const padic_sample_radical_inverse_desc *desc);

// The inverse of digit reversal: R in, index out (U32 for SHORT, or U64; `out` may be `in`).
typedef struct padic_sample_radical_index_desc {
    padic_tensor in, out;
    uint32_t base;
    padic_sample_digits digits;
} padic_sample_radical_index_desc;
PADIC_API padic_result padic_sample_radical_index(padic_context *context,
                                                  const padic_sample_radical_index_desc *desc);

// Halton points: coordinate c of point j is the radical inverse of its index in base
// padic_sample_prime(dimension + c). `out` has rank 2; its shape says how many of both.
typedef struct padic_sample_halton_desc {
    padic_tensor out; // U32, U64, F32, F64
    padic_sample_layout layout;
    padic_sample_digits digits;
    uint32_t dimension; // the first
    uint64_t first;
    padic_tensor index; // instead of first
    padic_sample_scrambling scrambling; // keys from `dimension` on
} padic_sample_halton_desc;
PADIC_API padic_result padic_sample_halton(padic_context *context,
                                           const padic_sample_halton_desc *desc);

// Hammersley points, a set of n: coordinate 0 is i / n, cut off to the grid like all values and
// never scrambled; coordinate c >= 1 is Halton's dimension c - 1, with its keys. An index >= n is
// LIMIT in every coordinate.
typedef struct padic_sample_hammersley_desc {
    padic_tensor out;
    padic_sample_layout layout;
    padic_sample_digits digits;
    uint32_t dimension; // the first
    uint64_t n;         // 0: ARGUMENT
    uint64_t first;
    padic_tensor index; // instead of first
    padic_sample_scrambling scrambling; // keys from Halton's dimension max(dimension, 1) - 1 on
} padic_sample_hammersley_desc;
PADIC_API padic_result padic_sample_hammersley(padic_context *context,
                                               const padic_sample_hammersley_desc *desc);

// Which points of the Halton sequence fall into pixel (x, y), when the unit square is cut into
// 2^exponent2 columns and 3^exponent3 rows: index number s, in growing order, by the Chinese
// remainder theorem. The next one is 2^exponent2 3^exponent3 further. Plain sequence, dimensions 0
// and 1. ARGUMENT: x or y outside the grid. LIMIT: grid or index of 2^64 or more.
typedef struct padic_sample_halton_index_desc {
    uint32_t exponent2, exponent3;
    uint64_t x, y, s;
} padic_sample_halton_index_desc;
PADIC_API padic_result padic_sample_halton_index(const padic_sample_halton_index_desc *desc,
                                                 uint64_t *index);

// Scrambles digit reversals: R of an index in, R of the scrambled index out; and back. U32 (SHORT)
// or U64; `out` may be `in`.
typedef struct padic_sample_scramble_desc {
    padic_tensor in, out;
    uint32_t base;
    padic_sample_digits digits;
    padic_sample_scrambling scrambling;
} padic_sample_scramble_desc;
PADIC_API padic_result padic_sample_scramble(padic_context *context,
                                             const padic_sample_scramble_desc *desc);
PADIC_API padic_result padic_sample_unscramble(padic_context *context,
                                               const padic_sample_scramble_desc *desc);

// The same isometry on the index: out[j] = sum s_k b^k. A shuffle of 0 .. b^levels - 1 that keeps
// b-adic blocks together; digits from `levels` on stay, so every aligned block is shuffled alike.
typedef struct padic_sample_shuffle_index_desc {
    padic_tensor out; // U32 (SHORT) or U64
    uint32_t base;
    padic_sample_digits digits;
    uint32_t levels; // 0: D
    uint64_t first;
    padic_tensor index; // instead of first; may be `out` itself
    padic_sample_scrambling scrambling;
} padic_sample_shuffle_index_desc;
PADIC_API padic_result padic_sample_shuffle_index(padic_context *context,
                                                  const padic_sample_shuffle_index_desc *desc);

// The hash of Laine and Karras with the constants of Burley (Practical hash-based Owen scrambling,
// 2020): a bijection of 32 bits in which bit k depends on bits 0 to k only, so an Owen-like
// scrambling in base 2 of an index, or of the reversed bits of a value.
PADIC_API uint32_t padic_sample_laine_karras(uint32_t x, uint32_t seed);
// room: src/padic_sample.in.h:17

#endif // PADIC_SAMPLE_H

// ================================================================================================
#ifdef PADICI_AREAS_IMPLEMENTATION

// room: src/sample/sample.c
// -------------------------------------------------------------------------------- >>sample impl

// Points go through in blocks of this many, so that the digit loops run over independent values.
#define PADICI_SAMPLE_BLOCK 64
#define PADICI_SAMPLE_TABLE 512   // reversals of several digits at once
#define PADICI_SAMPLE_CHUNK 4096u // points of one dimension before the next one's turn

PADIC_API uint32_t padic_sample_prime(uint32_t dimension)
{
    // Half the gaps between the odd primes up to 8161, A for 1.
    static const char gaps[] =
        "AABABABCACBABCCACBACBCDBABABGBCAEACCBCCAEABAFFBABCAECCCACBAEGBABGCEABCDCCBCDBDEAEACBCDBABF"
        "DBDBCFAICECCACECCACCBAFEABCCAFBCDEDEDCCBDCBDBGEFAEABAEGBABGBABJBDEDBCCGBCCDCFBCAEACEAEACIB"
        "ABCCDCCKAEDECCDFBCCACFEIABCACBABFACQCCDIEGBABCDBACFEABABCFFDFCBCDBDBGBCABCACEJCBALBAEFAEDC"
        "CCICBAFEFDHGCBABAEFCCIAHAKCDCBABDCEAEGECFABAEFAHACBAEDILBCDHABDHABDCCBFAKCACBCGCBACBCFCCGB"
        "CFDCBMIEDBCACKFAHDBFGEABDCCBABCDBACEAEDBGEFACBAHGBCDCBIDECCDEFGBCCANAEDBGBDFCFBCJEAHMBAFCB"
        "FCDBDKABAFNACCCBCAFBFAEAHAHCJHDBABAKDFCEABCACEAFEAEGCBCDCCHFABGCBDEDCCKCAEGBCIAEGBAEGBDIBC"
        "ABCAFBJKFABCCACKACHCFACFHABCGBAILECAEAEAECAEAECDOEAEDCEICFFAICBCCIAEGCBABLAFCHDCCIHABCACCE"
        "CFFIACBIDLBABCAFBGOECFGCEFABCDCEABGCCBCAEAHFDIBCFACCCNCGBDEDFIBABLFCAHCCGEGBOCCCDCBAFCBACK"
        "CABIABFACBMCCBDEPHACBABAEGCBDECJBACOBDECCDCFBCACBCAEAHCJBFGNCJBIDCBCGCCEAEFDEAEDFELABDCBDI"
        "ECCACEFAECCCDCECACCCEDLCKAIBDEODIBAECACBIDFIHCAFCEAEACEGBLAHAEAEJBABDHCCAFHDBCOAEACBCCDCBF"
        "CDFBGFELCFCAKDIECGBACEDCBCOGEAFEAHAILICHICAIBCAEDECCDBCAEAFBCCAFBGIBCJBDCBDBGCBGFBAOBLCCFF"
        "GCBABICFDCBFAFOHACKGCEFCABDECCLG";
    uint32_t prime = 3, i;
    if (dimension == 0) return 2;
    if (dimension > 1023) return 0;
    for (i = 1; i < dimension; i++) prime += 2u * (uint32_t)(gaps[i - 1] - 'A' + 1);
    return prime;
}

// One base with what its loops need. Division by b is by multiplication: with m = floor((2^64 - 1)
// / b), q = mulhi(x, m) is floor(x / b) or one less for every x, and mulhi(x, m + 1) is
// floor(x / b) for x < 2^46, since (m + 1) b - 2^64 < b <= 65,537.
typedef struct padici_sample_radix {
    uint32_t base, levels;
    uint32_t wide;     // 64-bit hashes
    uint32_t full;     // Fisher-Yates instead of a d + c
    uint32_t together; // digits that one look into the table reverses: b^together = span
    uint32_t span;
    uint64_t last; // b^levels - 1
    uint64_t inverse;
    padic_sample_mode mode;
    const uint64_t *keys;
} padici_sample_radix;

static void padici_sample_radix_make(padici_sample_radix *x, uint32_t base, int is_long)
{
    uint64_t power = 1, limit;
    memset(x, 0, sizeof *x);
    x->base = base;
    x->wide = is_long || base > 1021;
    x->inverse = UINT64_MAX / base;
    limit = is_long ? x->inverse : x->inverse >> 32; // as long as b power <= 2^64 - 1 or 2^32 - 1
    while (power <= limit) {
        power *= base;
        x->levels++;
    }
    if (power == limit + 1 && !(base & (base - 1))) { // one more reaches 2^64 or 2^32
        power *= base;
        x->levels++;
    }
    x->last = power - 1;
    x->together = 1;
    x->span = base;
    while (x->span <= PADICI_SAMPLE_TABLE / base) {
        x->span *= base;
        x->together++;
    }
}

PADIC_API uint32_t padic_sample_levels(uint32_t base, padic_sample_digits digits, uint64_t *last)
{
    padici_sample_radix x;
    if (last) *last = 0;
    if (base < 2 || base > 65537 || (uint32_t)digits > 1) return 0;
    padici_sample_radix_make(&x, base, digits == PADIC_SAMPLE_LONG);
    if (last) *last = x.last;
    return x.levels;
}

// room: src/sample/hashes.c
// ---- hashes and digit maps

// The published xor-shift-multiply finalisers: bijections of 32 and 64 bits.
PADICI_INLINE uint32_t padici_sample_mix32(uint32_t h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

PADICI_INLINE uint64_t padici_sample_mix64(uint64_t h)
{
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

PADICI_INLINE uint32_t padici_sample_mulhi32(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

// floor(x / b): any x, or only x < 2^46.
PADICI_INLINE uint64_t padici_sample_divide(uint64_t x, uint64_t base, uint64_t inverse)
{
    uint64_t q = padici_mulhi64(x, inverse);
    return q + (x - q * base >= base);
}

PADICI_INLINE uint64_t padici_sample_divide46(uint64_t x, uint64_t inverse)
{
    return padici_mulhi64(x, inverse + 1);
}

// The reciprocal of d >= 2: with 2^l <= d < 2^(l + 1), m = floor(2^(32 + l) / d) or one more serves
// every i < 2^32, or m does for i + 1 (Robison, N-bit unsigned division via multiply-add, 2005):
// floor(i / d) = (i m + a) >> s.
static void padici_sample_reciprocal32(uint64_t d, uint64_t *m, uint64_t *a, uint64_t *s)
{
    const uint32_t l = 63 - padici_clz64(d);
    const uint64_t power = UINT64_C(1) << (32 + l);
    *a = 0;
    *s = 32 + l;
    if (!(d & (d - 1))) {
        *m = UINT64_C(1) << 31;
        *s = 31 + l;
        return;
    }
    *m = power / d;
    if (d * (*m + 1) - power <= UINT64_C(1) << l)
        ++*m;
    else
        *a = *m;
}

// The map d -> (a d + c) mod b of a node; `prefix` is the scrambled digits before it, reversed.
PADICI_INLINE void padici_sample_affine32(uint32_t prefix, uint32_t key, uint32_t base, uint32_t *a,
                                          uint32_t *c)
{
    uint32_t h = padici_sample_mix32(prefix ^ key);
    *c = padici_sample_mulhi32(h, base);
    *a = 1 + padici_sample_mulhi32(h * 0x01000193u, base - 1);
}

PADICI_INLINE void padici_sample_affine64(uint64_t prefix, uint64_t key, uint32_t base, uint64_t *a,
                                          uint64_t *c)
{
    uint64_t h = padici_sample_mix64(prefix ^ key);
    *c = padici_mulhi64(h, base);
    *a = 1 + padici_mulhi64(h * 0x9e3779b97f4a7c15u, base - 1);
}

// Whom Fisher-Yates swaps with place j.
PADICI_INLINE uint32_t padici_sample_partner(uint64_t h, uint32_t j, int wide)
{
    if (wide) return (uint32_t)padici_mulhi64(padici_sample_mix64(h + j * 0x9e3779b9ull), j + 1);
    return padici_sample_mulhi32(padici_sample_mix32((uint32_t)h + j * 0x9e3779b9u), j + 1);
}

static uint64_t padici_sample_node(const padici_sample_radix *x, uint64_t prefix, uint32_t level)
{
    uint64_t key = x->keys[level];
    if (x->mode == PADIC_SAMPLE_PERMUTE) prefix = 0;
    if (x->wide) return padici_sample_mix64(prefix ^ key);
    return padici_sample_mix32((uint32_t)prefix ^ (uint32_t)key);
}

// Element d of the permutation that swapping places j = b - 1, ..., 1 with their partners makes of
// 0, ..., b - 1. No array: place d is final after step d, and what lies there is followed back
// through the steps before, where it came from place j whenever it is j's partner.
static uint32_t padici_sample_full(const padici_sample_radix *x, uint64_t h, uint32_t d)
{
    uint32_t at = padici_sample_partner(h, d, (int)x->wide), j;
    for (j = d + 1; j < x->base; j++)
        if (padici_sample_partner(h, j, (int)x->wide) == at) at = j;
    return at;
}

// The place of s in that permutation, following it forward.
static uint32_t padici_sample_full_inverse(const padici_sample_radix *x, uint64_t h, uint32_t s)
{
    uint32_t j;
    for (j = x->base - 1; j > 0; j--) {
        uint32_t partner = padici_sample_partner(h, j, (int)x->wide);
        if (partner == s) return j;
        if (j == s) s = partner;
    }
    return 0;
}

// 1 / a mod a prime b, 0 < a < b, by Euclid.
static uint64_t padici_sample_reciprocal(uint64_t a, uint64_t b)
{
    int64_t s = 0, t = 1;
    uint64_t r = b;
    while (a > 1) {
        uint64_t q = r / a, rest = r % a;
        int64_t next = s - (int64_t)q * t;
        r = a;
        a = rest;
        s = t;
        t = next;
    }
    return (uint64_t)(t < 0 ? t + (int64_t)b : t);
}

// room: src/sample/reverse.c
// ---- digit loops: n <= 64 indices in, n reversals out, which may be the same array

PADICI_INLINE uint64_t padici_sample_bits(uint64_t v) // bit 0 to place 63
{
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
    return padici_swap64(v);
}

// Reverses `levels` digits of one index.
static uint64_t padici_sample_reverse(const padici_sample_radix *x, uint32_t levels, uint64_t i)
{
    uint64_t r = 0, q;
    for (; levels; levels--) {
        q = padici_sample_divide(i, x->base, x->inverse);
        r = r * x->base + (i - q * x->base);
        i = q;
    }
    return r;
}

// table[t] = t with its `together` digits reversed.
static void padici_sample_table(const padici_sample_radix *x, uint16_t *table)
{
    uint32_t size = 1, weight = x->span, t, d;
    table[0] = 0;
    while (size < x->span) {
        weight /= x->base;
        for (d = 1; d < x->base; d++)
            for (t = 0; t < size; t++) table[d * size + t] = (uint16_t)(table[t] + d * weight);
        size *= x->base;
    }
}

static void padici_sample_plain(const padici_sample_radix *x, const uint16_t *table,
                                const uint64_t *in, uint64_t *out, uint32_t n)
{
    uint32_t odd = table ? x->levels % x->together : x->levels, j, k;
    uint32_t groups = table ? x->levels / x->together : 0;
    uint64_t base = x->base, inverse = x->inverse, span = x->span, span_inverse = UINT64_MAX / span;
    if (base == 2) {
        for (j = 0; j < n; j++) out[j] = padici_sample_bits(in[j]) >> (64 - x->levels);
        return;
    }
    if (x->last >> 32) {
        for (j = 0; j < n; j++) {
            uint64_t i = in[j], r = 0, q;
            for (k = 0; k < odd; k++, i = q) {
                q = padici_sample_divide(i, base, inverse);
                r = r * base + (i - q * base);
            }
            for (k = 0; k < groups; k++, i = q) {
                q = padici_sample_divide(i, span, span_inverse);
                r = r * span + table[i - q * span];
            }
            out[j] = r;
        }
        return;
    }
    for (j = 0; j < n; j++) {
        uint64_t i = in[j], r = 0, q;
        for (k = 0; k < odd; k++, i = q) {
            q = padici_sample_divide46(i, inverse);
            r = r * base + (i - q * base);
        }
        for (k = 0; k < groups; k++, i = q) {
            q = padici_sample_divide46(i, span_inverse);
            r = r * span + table[i - q * span];
        }
        out[j] = r;
    }
}

// Consecutive indices share their high digits: out = table[low digits] b^(D - together) + reversal
// of the others, which changes once every `span` indices.
static void padici_sample_range(const padici_sample_radix *x, const uint16_t *table, uint64_t first,
                                uint64_t *out, uint32_t n)
{
    uint64_t span = table ? x->span : x->base, scale = 1, q, low;
    uint32_t rest = x->levels - (table ? x->together : 1), j = 0, k, t;
    for (k = 0; k < rest; k++) scale *= x->base;
    q = first / span;
    t = (uint32_t)(first - q * span);
    while (j < n) {
        low = padici_sample_reverse(x, rest, q++);
        for (; j < n && t < span; j++, t++) out[j] = (table ? table[t] : t) * scale + low;
        t = 0;
    }
}

// One map a level.
static void padici_sample_permute(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint64_t r[PADICI_SAMPLE_BLOCK], base = x->base, inverse = x->inverse;
    uint32_t k, j;
    memset(r, 0, sizeof r);
    for (k = 0; k < x->levels; k++) {
        uint64_t a, c;
        uint32_t a32, c32;
        if (x->wide) {
            padici_sample_affine64(0, x->keys[k], x->base, &a, &c);
        } else {
            padici_sample_affine32(0, (uint32_t)x->keys[k], x->base, &a32, &c32);
            a = a32;
            c = c32;
        }
        for (j = 0; j < n; j++) {
            uint64_t q = padici_sample_divide(v[j], base, inverse), t = a * (v[j] - q * base) + c;
            v[j] = q;
            r[j] = r[j] * base + (t - padici_sample_divide46(t, inverse) * base);
        }
    }
    memcpy(v, r, n * sizeof *v);
}

// One affine map a node, 32-bit hashes: a d + c < b^2 <= 2^20, so a 32-bit reciprocal is exact.
static void padici_sample_owen32(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint32_t r[PADICI_SAMPLE_BLOCK], i[PADICI_SAMPLE_BLOCK], base = x->base, inverse, k, j;
    const uint32_t reciprocal = UINT32_MAX / base + 1;
    uint64_t m, add, shift;
    padici_sample_reciprocal32(base, &m, &add, &shift);
    inverse = (uint32_t)m; // 32-bit factors: the loop becomes vectors
    for (j = 0; j < n; j++) {
        i[j] = (uint32_t)v[j];
        r[j] = 0;
    }
    for (k = 0; k < x->levels; k++) {
        const uint32_t key = (uint32_t)x->keys[k];
        for (j = 0; j < n; j++) {
            uint32_t a, c, t, q = (uint32_t)(((uint64_t)i[j] * inverse + add) >> shift);
            padici_sample_affine32(r[j], key, base, &a, &c);
            t = a * (i[j] - q * base) + c;
            i[j] = q;
            r[j] = r[j] * base + (t - padici_sample_mulhi32(t, reciprocal) * base);
        }
    }
    for (j = 0; j < n; j++) v[j] = r[j];
}

static void padici_sample_owen64(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint64_t r[PADICI_SAMPLE_BLOCK];
    const uint64_t base = x->base, inverse = x->inverse;
    uint32_t k, j;
    memset(r, 0, sizeof r);
    for (k = 0; k < x->levels; k++) {
        const uint64_t key = x->keys[k];
        for (j = 0; j < n; j++) {
            uint64_t a, c, t, q = padici_sample_divide(v[j], base, inverse);
            padici_sample_affine64(r[j], key, x->base, &a, &c);
            t = a * (v[j] - q * base) + c;
            v[j] = q;
            r[j] = r[j] * base + (t - padici_sample_divide46(t, inverse) * base);
        }
    }
    memcpy(v, r, n * sizeof *v);
}

static void padici_sample_fisher(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint32_t k, j;
    for (j = 0; j < n; j++) {
        uint64_t i = v[j], r = 0, q;
        for (k = 0; k < x->levels; k++, i = q) {
            q = padici_sample_divide(i, x->base, x->inverse);
            r = r * x->base +
                padici_sample_full(x, padici_sample_node(x, r, k), (uint32_t)(i - q * x->base));
        }
        v[j] = r;
    }
}

// Reverses and scrambles.
static void padici_sample_forward(const padici_sample_radix *x, const uint16_t *table, uint64_t *v,
                                  uint32_t n)
{
    if (x->mode == PADIC_SAMPLE_NONE) {
        padici_sample_plain(x, table, v, v, n);
    } else if (x->full) {
        padici_sample_fisher(x, v, n);
    } else if (x->mode == PADIC_SAMPLE_PERMUTE) {
        padici_sample_permute(x, v, n);
    } else if (x->wide) {
        padici_sample_owen64(x, v, n);
    } else {
        padici_sample_owen32(x, v, n);
    }
}

// From scrambled digits, low first, to the reversal of the plain ones. The digits before a node are
// known, so each map can be undone on its own.
static void padici_sample_backward(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint32_t k, j, a32, c32;
    for (j = 0; j < n; j++) {
        uint64_t i = v[j], r = 0, prefix = 0, base = x->base, q, s, d, a, c;
        for (k = 0; k < x->levels; k++, i = q) {
            q = padici_sample_divide(i, base, x->inverse);
            d = s = i - q * base;
            if (x->full) {
                d = padici_sample_full_inverse(x, padici_sample_node(x, prefix, k), (uint32_t)s);
            } else if (x->mode != PADIC_SAMPLE_NONE) {
                uint64_t from = x->mode == PADIC_SAMPLE_PERMUTE ? 0 : prefix;
                if (x->wide) {
                    padici_sample_affine64(from, x->keys[k], x->base, &a, &c);
                } else {
                    padici_sample_affine32((uint32_t)from, (uint32_t)x->keys[k], x->base, &a32,
                                           &c32);
                    a = a32;
                    c = c32;
                }
                d = (s + base - c) % base * padici_sample_reciprocal(a, base) % base;
            }
            prefix = prefix * base + s;
            r = r * base + d;
        }
        v[j] = r;
    }
}

// room: src/sample/fractions.c
// ---- fractions

// floor(2^64 r / n) for r < n. With n shifted up to d >= 2^63 and v = floor((2^128 - 1) / d) - 2^64
// this is the division of Moeller and Granlund (Improved division by invariant integers, 2011).
typedef struct padici_sample_fraction {
    uint64_t n, d, v; // n 0: 2^64
    uint64_t inverse; // floor((2^64 - 1) / n) for n <= 2^32, else 0
    uint32_t shift;
} padici_sample_fraction;

static void padici_sample_fraction_make(padici_sample_fraction *f, uint64_t last, int need64)
{
    uint64_t rest;
    uint32_t k;
    memset(f, 0, sizeof *f);
    f->n = last + 1;
    if (!f->n) return;
    if (last <= UINT32_MAX) f->inverse = UINT64_MAX / f->n;
    if (f->inverse && !need64) return;
    f->shift = padici_clz64(f->n);
    f->d = f->n << f->shift;
    rest = ~f->d; // of 2^128 - 1 - 2^64 d, whose upper word this is; the lower is all ones
    for (k = 0; k < 64; k++) {
        uint64_t over = rest >> 63;
        rest = rest << 1 | 1;
        f->v <<= 1;
        if (over || rest >= f->d) {
            rest -= f->d;
            f->v |= 1;
        }
    }
}

PADICI_INLINE uint64_t padici_sample_cut64(const padici_sample_fraction *f, uint64_t r)
{
    uint64_t u, q, low, rest;
    if (!f->n) return r;
    u = r << f->shift;
    q = padici_mulhi64(f->v, u) + u + 1;
    low = f->v * u;
    rest = 0 - q * f->d;
    if (rest > low) {
        q--;
        rest += f->d;
    }
    return q + (rest >= f->d);
}

// floor(2^32 r / n).
PADICI_INLINE uint32_t padici_sample_cut32(const padici_sample_fraction *f, uint64_t r)
{
    if (!f->inverse) return (uint32_t)(padici_sample_cut64(f, r) >> 32);
    return (uint32_t)padici_sample_divide(r << 32, f->n, f->inverse);
}

// room: src/sample/driver.c
// ---- driver

typedef enum padici_sample_task {
    PADICI_SAMPLE_VALUE,     // reverse and scramble; radical_index and halton too
    PADICI_SAMPLE_SCRAMBLE,  // reversals in
    PADICI_SAMPLE_UNSCRAMBLE,
    PADICI_SAMPLE_SHUFFLE,   // indices out
    PADICI_SAMPLE_RATIO      // i / n
} padici_sample_task;

// Where numbers come from and go to; strides in elements.
typedef struct padici_sample_job {
    padici_sample_task task;
    uint32_t integers; // write R, not a fraction
    uint64_t first;
    const char *index; // NULL: first, first + 1, ...
    uint64_t index_stride;
    padic_dtype index_dtype;
    char *out;
    uint64_t out_stride;
    padic_dtype dtype;
    uint64_t group; // b^levels of a shuffle; 0: all
    uint64_t last;  // largest index allowed
    uint64_t scale; // fractions are over scale + 1
    padici_place to, from; // of `out` and `index`
    uint32_t device; // 1: they are on the context's, and have no pointer
} padici_sample_job;

// What a device's driver gets with PADICI_KERNEL_SAMPLE_DEVICE: one coordinate of all points.
#define PADICI_KERNEL_SAMPLE_DEVICE (PADIC_KERNEL_SAMPLE + 100)
typedef struct padici_sample_drive {
    const padici_sample_job *job;
    const padici_sample_radix *radix;
    uint64_t count, offset; // where it begins, in elements of `out`
    uint32_t outside;       // becomes 1 when an index was above the limit
} padici_sample_drive;

PADICI_UNUSED static padic_result padici_buffer_range(padic_context *context, padic_buffer buffer,
                                                      uint64_t at, uint64_t size,
                                                      padici_place *place);

// Fetches n numbers from place `at` on. Those above the limit become 0; their bits are returned.
static uint64_t padici_sample_fetch(const padici_sample_job *job, uint64_t at, uint64_t *v,
                                    uint32_t n)
{
    uint64_t bad = 0, word;
    uint32_t j, half;
    for (j = 0; j < n; j++) {
        if (!job->index) {
            v[j] = job->first + at + j;
            continue;
        }
        if (job->index_dtype == PADIC_U32) {
            memcpy(&half, job->index + (size_t)((at + j) * job->index_stride * 4), 4);
            word = half;
        } else {
            memcpy(&word, job->index + (size_t)((at + j) * job->index_stride * 8), 8);
        }
        if (word > job->last) {
            bad |= 1ull << j;
            word = 0;
        }
        v[j] = word;
    }
    return bad;
}

static void padici_sample_emit(const padici_sample_job *job, const padici_sample_fraction *f,
                               uint64_t at, const uint64_t *r, uint32_t n)
{
    const uint64_t size = job->dtype == PADIC_U64 || job->dtype == PADIC_F64 ? 8 : 4;
    const size_t step = (size_t)(job->out_stride * size);
    char *out = job->out + (size_t)at * step;
    uint32_t j, half;
    uint64_t word;
    float single;
    double twice;
    switch (job->dtype) {
    case PADIC_U32:
        for (j = 0; j < n; j++, out += step) {
            half = job->integers ? (uint32_t)r[j] : padici_sample_cut32(f, r[j]);
            memcpy(out, &half, 4);
        }
        return;
    case PADIC_U64:
        for (j = 0; j < n; j++, out += step) {
            word = job->integers ? r[j] : padici_sample_cut64(f, r[j]);
            memcpy(out, &word, 8);
        }
        return;
    case PADIC_F32:
        for (j = 0; j < n; j++, out += step) { // through int32_t: one instruction
            single = (float)(int32_t)(padici_sample_cut32(f, r[j]) >> 8) * (1.0f / 16777216.0f);
            memcpy(out, &single, 4);
        }
        return;
    default:
        for (j = 0; j < n; j++, out += step) {
            word = padici_sample_cut64(f, r[j]) >> 11;
            twice = (double)(int64_t)word * (1.0 / 9007199254740992.0);
            memcpy(out, &twice, 8);
        }
    }
}

// Places begin to end of a job by a backend's kernel.
static padic_result padici_sample_offer(padic_context *context, const padici_sample_job *job,
                                        const padici_sample_radix *x, uint64_t begin, uint64_t end)
{
    const uint64_t size = job->dtype == PADIC_U64 || job->dtype == PADIC_F64 ? 8 : 4;
    padic_sample_call call;
    padic_result result;
    if (!context || job->task == PADICI_SAMPLE_UNSCRAMBLE || job->task == PADICI_SAMPLE_RATIO)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&call, 0, sizeof call);
    call.base = x->base;
    call.levels = x->levels;
    call.wide = x->wide;
    call.full = x->full;
    call.mode = x->mode;
    call.keys = x->keys;
    call.reversed_in = job->task == PADICI_SAMPLE_SCRAMBLE;
    call.index_out = job->task == PADICI_SAMPLE_SHUFFLE;
    call.group = job->group;
    call.first = job->first + begin;
    call.index_stride = job->index_stride;
    call.index_dtype = job->index_dtype;
    if (job->index)
        call.index = job->index + (size_t)(begin * job->index_stride *
                                           padic_dtype_size(job->index_dtype));
    call.dtype = job->dtype;
    call.out = job->out + (size_t)(begin * job->out_stride * size);
    call.out_stride = job->out_stride;
    call.integers = job->integers;
    call.last = job->last;
    call.scale = job->scale;
    call.count = end - begin;
    result = padici_kernel(context, PADIC_KERNEL_SAMPLE, &call);
    return !result && call.outside ? PADIC_ERROR_LIMIT : result;
}

// Places begin to end of a job; PADIC_ERROR_LIMIT if an index was above the limit.
static padic_result padici_sample_run(padic_context *context, const padici_sample_job *job,
                                      const padici_sample_radix *x, uint64_t begin, uint64_t end)
{
    uint64_t v[PADICI_SAMPLE_BLOCK], high[PADICI_SAMPLE_BLOCK], bad, any = 0;
    uint16_t space[PADICI_SAMPLE_TABLE];
    const uint16_t *table = NULL;
    padici_sample_fraction f;
    const int need64 = job->dtype == PADIC_U64 || job->dtype == PADIC_F64;
    uint32_t n, j;
    padic_result result = begin < end ? padici_sample_offer(context, job, x, begin, end) : PADIC_OK;
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    memset(&f, 0, sizeof f);
    if (!job->integers) padici_sample_fraction_make(&f, job->scale, need64);
    if (job->task == PADICI_SAMPLE_VALUE && x->mode == PADIC_SAMPLE_NONE && x->together > 1 &&
        end - begin >= x->span) {
        padici_sample_table(x, space);
        table = space;
    }
    for (; begin < end; begin += n) {
        n = end - begin < PADICI_SAMPLE_BLOCK ? (uint32_t)(end - begin) : PADICI_SAMPLE_BLOCK;
        if (job->task == PADICI_SAMPLE_VALUE && x->mode == PADIC_SAMPLE_NONE && !job->index) {
            padici_sample_range(x, table, job->first + begin, v, n);
            padici_sample_emit(job, &f, begin, v, n);
            continue;
        }
        bad = padici_sample_fetch(job, begin, v, n);
        switch (job->task) {
        case PADICI_SAMPLE_VALUE: padici_sample_forward(x, table, v, n); break;
        case PADICI_SAMPLE_SCRAMBLE:
            padici_sample_plain(x, NULL, v, v, n);
            padici_sample_forward(x, NULL, v, n);
            break;
        case PADICI_SAMPLE_UNSCRAMBLE:
            padici_sample_plain(x, NULL, v, v, n);
            padici_sample_backward(x, v, n);
            break;
        case PADICI_SAMPLE_SHUFFLE:
            memset(high, 0, sizeof high);
            for (j = 0; j < n && job->group; j++) {
                high[j] = v[j] - v[j] % job->group;
                v[j] -= high[j];
            }
            padici_sample_forward(x, NULL, v, n);
            padici_sample_plain(x, NULL, v, v, n);
            for (j = 0; j < n; j++) v[j] += high[j];
            break;
        default: break;
        }
        for (j = 0; bad && j < n; j++) // after the maps, which may move 0
            if (bad >> j & 1) v[j] = 0;
        any |= bad;
        padici_sample_emit(job, &f, begin, v, n);
    }
    return any ? PADIC_ERROR_LIMIT : PADIC_OK;
}

// room: src/sample/checks.c
// ---- checks

static int padici_sample_is_prime(uint32_t n)
{
    uint32_t d;
    if (n < 4 || !(n & 1)) return n == 2 || n == 3;
    for (d = 3; d * d <= n; d += 2)
        if (n % d == 0) return 0;
    return 1;
}

// Base, digits and scrambling of one dimension; keys are taken off *keys and *room.
static padic_result padici_sample_check_base(padici_sample_radix *x, uint32_t base,
                                             padic_sample_digits digits, padic_sample_mode mode,
                                             const uint64_t **keys, size_t *room)
{
    if (base < 2 || (uint32_t)digits > 1 || (uint32_t)mode > 3) return PADIC_ERROR_ARGUMENT;
    if (base > 65537) return PADIC_ERROR_LIMIT;
    padici_sample_radix_make(x, base, digits == PADIC_SAMPLE_LONG);
    if (mode == PADIC_SAMPLE_NONE) return PADIC_OK;
    if (!*keys) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(*keys, sizeof **keys)) return PADIC_ERROR_ALIGNMENT;
    x->mode = mode;
    x->full = mode == PADIC_SAMPLE_OWEN_FULL || !padici_sample_is_prime(base);
    if (x->full && base > 1021) return PADIC_ERROR_LIMIT;
    if (*room / sizeof **keys < x->levels) return PADIC_ERROR_CAPACITY;
    x->keys = *keys;
    *keys += x->levels;
    *room -= x->levels * sizeof **keys;
    return PADIC_OK;
}

// Which of its operands padici_sample_check_base() refused.
static padic_result padici_sample_blame_base(padic_context *context, padic_result result,
                                             uint32_t base, padic_sample_digits digits,
                                             padic_sample_mode mode, const uint64_t *keys)
{
    if (result == PADIC_ERROR_CAPACITY)
        return padici_blame(context, result, "scrambling", "keys_size",
                            "is too small: see sample_scramble_bound");
    if (result == PADIC_ERROR_ALIGNMENT)
        return padici_blame(context, result, "scrambling", "keys", NULL);
    if (result == PADIC_ERROR_LIMIT)
        return padici_blame(context, result, "base", NULL,
                            base > 65537 ? "must be at most 65,537"
                                         : "is above 1,021 and no prime, or the mode is OWEN_FULL: "
                                           "it cannot be scrambled");
    if (base < 2) return padici_blame(context, result, "base", NULL, "must be at least 2");
    if ((uint32_t)digits > 1)
        return padici_blame(context, result, "digits", NULL, "must be SHORT or LONG");
    if ((uint32_t)mode > 3)
        return padici_blame(context, result, "scrambling", "mode", "is none that there is");
    return padici_blame(context, result, keys ? NULL : "scrambling", keys ? NULL : "keys",
                        keys ? NULL : "is NULL: see sample_scramble_init");
}

static const char *padici_sample_why(padic_result result)
{
    return result == PADIC_ERROR_LIMIT ? "has more than 8 axes, or more bytes than 63 bits count"
                                       : NULL;
}

// A view; `integer`: only U32 and U64.
static padic_result padici_sample_check_tensor(const padic_tensor *t, int integer, uint64_t *count)
{
    padic_result result = padici_tensor_check_shape(t, count);
    if (result) return result;
    if (t->dtype != PADIC_U32 && t->dtype != PADIC_U64 &&
        (integer || (t->dtype != PADIC_F32 && t->dtype != PADIC_F64)))
        return PADIC_ERROR_DTYPE;
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    return *count && !t->data && !t->buffer.id ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}

// Bytes from the first to behind the last element.
static uint64_t padici_sample_extent(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t last = 0;
    uint32_t i;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) last += (t->shape[i] - 1) * (uint64_t)stride[i];
    return (last + 1) * padic_dtype_size(t->dtype);
}

static uint64_t padici_sample_step(const padic_tensor *t, uint32_t axis)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return t->rank > axis ? (uint64_t)stride[axis] : 1;
}

// Where a view lies.
static padic_result padici_sample_place(padic_context *context, const padic_tensor *t,
                                        padici_place *place)
{
    uint64_t at;
    place->mem.bits = (uint64_t)(uintptr_t)t->data;
    place->at = 0;
    place->host = 1;
    if (t->data || !padic_tensor_count(t)) return PADIC_OK;
    if (!context) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_mul_u64(t->offset, padic_dtype_size(t->dtype), &at)) at = UINT64_MAX;
    return padici_buffer_range(context, t->buffer, at, padici_sample_extent(t), place);
}

// Output and index, or the range from `first`: `points` of them, from 0 to job->last. `alone`: each
// point is read once, right before it is written, so both may be the same view.
static padic_result padici_sample_check_in(padic_context *context, padici_sample_job *job,
                                           const padic_tensor *index, uint64_t first,
                                           const padic_tensor *out, uint64_t points, int given,
                                           int alone)
{
    uint64_t count, a, b;
    padic_result result = padici_sample_place(context, out, &job->to);
    job->first = first;
    if (result) return result;
    job->device = !job->to.host;
    if (!job->device) job->out = (char *)(uintptr_t)(job->to.mem.bits + job->to.at);
    if (!given && index->dtype == PADIC_DTYPE_NONE && !index->data && !index->buffer.id)
        return PADIC_OK;
    result = padici_sample_check_tensor(index, 1, &count);
    if (!result) result = padici_sample_place(context, index, &job->from);
    if (result)
        return padici_blame(context, result, given ? "in" : "index", NULL,
                            padici_sample_why(result));
    if (index->rank > 1 || (index->rank ? index->shape[0] : 1) != points)
        return padici_blame(context, PADIC_ERROR_MISMATCH, given ? "in" : "index", NULL,
                            "must have one element for each of `out`");
    job->index_dtype = index->dtype;
    job->index_stride = padici_sample_step(index, 0);
    if (!count || !padic_tensor_count(out)) return PADIC_OK;
    if (job->from.host != job->to.host)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, given ? "in" : "index", NULL,
                            "and out lie apart, in host memory and on a device");
    a = job->from.mem.bits + job->from.at; // a device's handles are no addresses, but differ
    b = job->to.mem.bits + job->to.at;
    job->index = (const char *)(uintptr_t)(job->device ? 1 : a);
    if (job->device && job->from.mem.bits != job->to.mem.bits) return PADIC_OK;
    if (alone && a == b && padic_dtype_size(index->dtype) == padic_dtype_size(out->dtype) &&
        (points < 2 || job->index_stride == padici_sample_step(out, 0)))
        return PADIC_OK;
    if (a < b + padici_sample_extent(out) && b < a + padici_sample_extent(index))
        return PADIC_ERROR_OVERLAP;
    return PADIC_OK;
}

// One coordinate on the device. `query`: only whether it can.
static padic_result padici_sample_device(padic_context *context, padici_sample_drive *d, int query)
{
    padic_result result = padici_drive(context, PADICI_KERNEL_SAMPLE_DEVICE, d, query);
    return !result && d->outside ? PADIC_ERROR_LIMIT : result;
}

static padic_result padici_sample_check_range(padic_context *context, const padici_sample_job *job,
                                              uint64_t points)
{
    if (job->index || !points) return PADIC_OK;
    if (job->first > job->last || points - 1 > job->last - job->first)
        return padici_blame(context, PADIC_ERROR_LIMIT, "first", NULL,
                            "and the points after it reach beyond the largest index: see "
                            "sample_levels");
    return PADIC_OK;
}

// One call cut into tasks. A task's slot of `bad` is no one else's until it has been waited for.
typedef struct padici_sample_split {
    padic_context *context;
    const padic_sample_hammersley_desc *points; // several coordinates, or:
    const padici_sample_radix *radix;
    padici_sample_job *job;
    uint64_t count, step;
    uint8_t bad[PADICI_JOBS_AT_ONCE];
} padici_sample_split;

static padic_result padici_sample_split_run(padici_sample_split *split,
                                            void (*fn)(void *arg, uint32_t task))
{
    uint64_t tasks;
    uint32_t i;
    int bad = 0;
    while ((tasks = (split->count + split->step - 1) / split->step) > 1u << 24) split->step *= 2;
    padici_parallel(padici_jobs(split->context), (uint32_t)tasks, fn, split);
    for (i = 0; i < PADICI_JOBS_AT_ONCE; i++) bad |= split->bad[i];
    return bad ? PADIC_ERROR_LIMIT : PADIC_OK;
}

static void padici_sample_single_task(void *arg, uint32_t task)
{
    padici_sample_split *split = (padici_sample_split *)arg;
    const uint64_t begin = task * split->step, left = split->count - begin;
    if (padici_sample_run(split->context, split->job, split->radix, begin,
                          begin + (left < split->step ? left : split->step)))
        split->bad[task % PADICI_JOBS_AT_ONCE] = 1;
}

// The functions of one base: checks everything, then runs.
static padic_result padici_sample_single(padic_context *context, padici_sample_job *job,
                                         const padic_tensor *out, const padic_tensor *in,
                                         uint64_t first, int given, uint32_t base,
                                         padic_sample_digits digits, uint32_t levels,
                                         const padic_sample_scrambling *scrambling)
{
    padici_sample_split split;
    padici_sample_radix x;
    const uint64_t *keys = scrambling ? scrambling->keys : NULL;
    size_t room = scrambling ? scrambling->keys_size : 0;
    uint64_t count;
    uint32_t k;
    padic_result result =
        padici_sample_check_base(&x, base, digits,
                                 scrambling ? scrambling->mode : PADIC_SAMPLE_NONE, &keys, &room);
    if (result)
        return padici_sample_blame_base(context, result, base, digits,
                                        scrambling ? scrambling->mode : PADIC_SAMPLE_NONE, keys);
    if (levels > x.levels)
        return padici_blame(context, PADIC_ERROR_LIMIT, "levels", NULL,
                            "is more than an index has digits: see sample_levels");
    job->last = job->scale = x.last;
    result = padici_sample_check_tensor(out, (int)job->integers, &count);
    if (result)
        return padici_blame(context, result, "out", NULL, padici_sample_why(result));
    if (job->integers && out->dtype == PADIC_U32 && digits == PADIC_SAMPLE_LONG)
        return padici_blame(context, PADIC_ERROR_DTYPE, "out", NULL, "must be U64 for LONG digits");
    if (out->rank > 1)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL, "must have rank 0 or 1");
    job->out_stride = padici_sample_step(out, 0);
    job->dtype = out->dtype;
    result = padici_sample_check_in(context, job, in, first, out, count, given, 1);
    if (!result) result = padici_sample_check_range(context, job, count);
    if (result) return result;
    if (levels && levels < x.levels) {
        job->group = 1;
        for (k = 0; k < levels; k++) job->group *= base;
        x.levels = levels;
    }
    if (job->device) {
        padici_sample_drive d;
        memset(&d, 0, sizeof d);
        d.job = job;
        d.radix = &x;
        d.count = count;
        result = padici_sample_device(context, &d, 1);
        return result ? result : padici_sample_device(context, &d, 0);
    }
    memset(&split, 0, sizeof split);
    split.context = context;
    split.job = job;
    split.radix = &x;
    split.count = count;
    split.step = 4 * PADICI_SAMPLE_CHUNK;
    return padici_sample_split_run(&split, padici_sample_single_task);
}

// room: src/sample/calls.c
// ---- calls

static padic_result padici_sample_end(padic_context *context, const char *name, padic_result result)
{
    if (result == PADIC_ERROR_LIMIT) // unless a check has said what else
        padici_blame(context, result, "index", NULL,
                     "has an element above the largest: 0 stands in its place");
    return result ? padici_fault(context, result, name) : PADIC_OK;
}

static padic_result padici_sample_no_desc(padic_context *context, const char *name)
{
    return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
}

PADIC_API padic_result padic_sample_radical_inverse(padic_context *context,
                                                    const padic_sample_radical_inverse_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_radical_inverse");
    job.task = PADICI_SAMPLE_VALUE;
    job.integers = desc->reversed != 0;
    return padici_sample_end(context, "sample_radical_inverse",
                             padici_sample_single(context, &job, &desc->out, &desc->index,
                                                  desc->first, 0, desc->base, desc->digits, 0,
                                                  &desc->scrambling));
}

// Reversal is its own inverse.
PADIC_API padic_result padic_sample_radical_index(padic_context *context,
                                                  const padic_sample_radical_index_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_radical_index");
    job.task = PADICI_SAMPLE_VALUE;
    job.integers = 1;
    return padici_sample_end(context, "sample_radical_index",
                             padici_sample_single(context, &job, &desc->out, &desc->in, 0, 1,
                                                  desc->base, desc->digits, 0, NULL));
}

static padic_result padici_sample_scrambled(padic_context *context, const char *name,
                                            const padic_sample_scramble_desc *desc,
                                            padici_sample_task task)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, name);
    job.task = task;
    job.integers = 1;
    return padici_sample_end(context, name,
                             padici_sample_single(context, &job, &desc->out, &desc->in, 0, 1,
                                                  desc->base, desc->digits, 0, &desc->scrambling));
}

PADIC_API padic_result padic_sample_scramble(padic_context *context,
                                             const padic_sample_scramble_desc *desc)
{
    return padici_sample_scrambled(context, "sample_scramble", desc, PADICI_SAMPLE_SCRAMBLE);
}

PADIC_API padic_result padic_sample_unscramble(padic_context *context,
                                               const padic_sample_scramble_desc *desc)
{
    return padici_sample_scrambled(context, "sample_unscramble", desc, PADICI_SAMPLE_UNSCRAMBLE);
}

PADIC_API padic_result padic_sample_shuffle_index(padic_context *context,
                                                  const padic_sample_shuffle_index_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_shuffle_index");
    job.task = PADICI_SAMPLE_SHUFFLE;
    job.integers = 1;
    return padici_sample_end(context, "sample_shuffle_index",
                             padici_sample_single(context, &job, &desc->out, &desc->index,
                                                  desc->first, 0, desc->base, desc->digits,
                                                  desc->levels, &desc->scrambling));
}

// One coordinate of Halton (n = 0) or Hammersley points: its base, its keys and its limits.
static padic_result padici_sample_coordinate(const padic_sample_hammersley_desc *desc, uint64_t c,
                                             padici_sample_job *job, padici_sample_radix *x,
                                             const uint64_t **keys, size_t *room)
{
    const uint32_t at = desc->dimension + (uint32_t)c;
    padic_result result;
    job->task = PADICI_SAMPLE_VALUE;
    if (!desc->n) {
        result = padici_sample_check_base(x, padic_sample_prime(at), desc->digits,
                                          desc->scrambling.mode, keys, room);
        job->last = job->scale = x->last;
        return result;
    }
    job->last = job->scale = desc->n - 1;
    if (!at) {
        memset(x, 0, sizeof *x);
        job->task = PADICI_SAMPLE_RATIO;
        return PADIC_OK;
    }
    result = padici_sample_check_base(x, padic_sample_prime(at - 1), desc->digits,
                                      desc->scrambling.mode, keys, room);
    job->scale = x->last;
    if (job->last > x->last) job->last = x->last;
    return result;
}

// The points of one task, a coordinate after the other.
static void padici_sample_points_task(void *arg, uint32_t task)
{
    padici_sample_split *split = (padici_sample_split *)arg;
    const padic_sample_hammersley_desc *desc = split->points;
    const uint64_t *keys = desc->scrambling.keys;
    const uint32_t axis = desc->layout == PADIC_SAMPLE_POINTS ? 1 : 0; // of the coordinates
    const uint64_t begin = task * split->step, left = split->count - begin;
    size_t room = desc->scrambling.keys_size;
    padici_sample_job job = *split->job;
    padici_sample_radix x;
    uint64_t c;
    for (c = 0; c < desc->out.shape[axis]; c++) {
        const uint64_t offset = c * padici_sample_step(&desc->out, axis);
        (void)padici_sample_coordinate(desc, c, &job, &x, &keys, &room);
        job.out = split->job->out + (size_t)(offset * padic_dtype_size(desc->out.dtype));
        if (padici_sample_run(split->context, &job, &x, begin,
                              begin + (left < split->step ? left : split->step)))
            split->bad[task % PADICI_JOBS_AT_ONCE] = 1;
    }
}

// All points on the device, one coordinate after the other.
static padic_result padici_sample_points_device(padic_context *context,
                                                const padic_sample_hammersley_desc *desc,
                                                padici_sample_job *job, uint64_t points)
{
    const uint64_t *keys = desc->scrambling.keys;
    const uint32_t axis = desc->layout == PADIC_SAMPLE_POINTS ? 1 : 0; // of the coordinates
    size_t room = desc->scrambling.keys_size;
    padici_sample_radix x;
    padici_sample_drive d;
    padic_result result = PADIC_OK, worst = PADIC_OK;
    uint64_t c;
    memset(&d, 0, sizeof d);
    d.job = job;
    d.radix = &x;
    d.count = points;
    for (c = 0; !result && c < desc->out.shape[axis]; c++) {
        result = padici_sample_coordinate(desc, c, job, &x, &keys, &room);
        d.offset = c * padici_sample_step(&desc->out, axis);
        if (!result && !c) result = padici_sample_device(context, &d, 1);
        if (!result) result = padici_sample_device(context, &d, 0);
        if (d.outside) worst = PADIC_ERROR_LIMIT;
        if (d.outside && result == PADIC_ERROR_LIMIT) result = PADIC_OK;
        d.outside = 0;
    }
    return result ? result : worst;
}

// All points, after a look at every coordinate so that an error comes before anything is written.
static padic_result padici_sample_points(padic_context *context,
                                         const padic_sample_hammersley_desc *desc)
{
    const padic_tensor *out = &desc->out;
    const uint64_t *keys = desc->scrambling.keys;
    size_t room = desc->scrambling.keys_size;
    padici_sample_job job;
    padici_sample_radix x;
    padici_sample_split split;
    uint64_t count, points, dimensions, c;
    uint32_t axis;
    padic_result result = padici_sample_check_tensor(out, 0, &count);
    if (result)
        return padici_blame(context, result, "out", NULL, padici_sample_why(result));
    if ((uint32_t)desc->layout > 1 || (uint32_t)desc->digits > 1 ||
        (uint32_t)desc->scrambling.mode > 3)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            "layout, digits or scrambling.mode is none that there is");
    if (out->rank != 2)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                            "must have rank 2: points and dimensions");
    axis = desc->layout == PADIC_SAMPLE_POINTS ? 0 : 1; // of the points
    points = out->shape[axis];
    dimensions = out->shape[1 - axis];
    if (desc->dimension > 1023 || dimensions > 1024u - desc->dimension)
        return padici_blame(context, PADIC_ERROR_LIMIT, "dimension", NULL,
                            "and those of `out` after it must be below 1,024");
    memset(&job, 0, sizeof job);
    job.out_stride = padici_sample_step(out, axis);
    job.dtype = out->dtype;
    result = padici_sample_check_in(context, &job, &desc->index, desc->first, out, points, 0,
                                    dimensions == 1);
    for (c = 0; !result && count && c < dimensions; c++) {
        result = padici_sample_coordinate(desc, c, &job, &x, &keys, &room);
        padici_sample_blame_base(context, result, padic_sample_prime(desc->dimension + (uint32_t)c),
                                 desc->digits, desc->scrambling.mode, keys);
        if (!result) result = padici_sample_check_range(context, &job, points);
    }
    if (result || !count) return result;
    if (job.device) return padici_sample_points_device(context, desc, &job, points);
    memset(&split, 0, sizeof split);
    split.context = context;
    split.points = desc;
    split.job = &job;
    split.count = points;
    split.step = PADICI_SAMPLE_CHUNK;
    return padici_sample_split_run(&split, padici_sample_points_task);
}

PADIC_API padic_result padic_sample_hammersley(padic_context *context,
                                               const padic_sample_hammersley_desc *desc)
{
    if (!desc || !desc->n)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "sample_hammersley",
                              desc ? "n is 0: how many points has the set?" : "desc is NULL");
    return padici_sample_end(context, "sample_hammersley", padici_sample_points(context, desc));
}

PADIC_API padic_result padic_sample_halton(padic_context *context,
                                           const padic_sample_halton_desc *desc)
{
    padic_sample_hammersley_desc all;
    memset(&all, 0, sizeof all);
    if (!desc) return padici_sample_no_desc(context, "sample_halton");
    all.out = desc->out;
    all.layout = desc->layout;
    all.digits = desc->digits;
    all.dimension = desc->dimension;
    all.first = desc->first;
    all.index = desc->index;
    all.scrambling = desc->scrambling;
    return padici_sample_end(context, "sample_halton", padici_sample_points(context, &all));
}

// i = reverse(x) mod 2^a and i = reverse(y) mod 3^c. The base-3 digits of t in i = reverse(x) + 2^a
// t are found from the lowest up, as in a Hensel lift: each makes a digit of i that of reverse(y).
PADIC_API padic_result padic_sample_halton_index(const padic_sample_halton_index_desc *desc,
                                                 uint64_t *index)
{
    uint64_t columns, rows = 1, grid, i, y, power = 1;
    uint32_t k;
    if (index) *index = 0;
    if (!desc || !index) return PADIC_ERROR_ARGUMENT;
    if (desc->exponent2 > 63 || desc->exponent3 > 40) return PADIC_ERROR_LIMIT;
    columns = (uint64_t)1 << desc->exponent2;
    for (k = 0; k < desc->exponent3; k++) rows *= 3;
    if (!padici_mul_u64(columns, rows, &grid)) return PADIC_ERROR_LIMIT;
    if (desc->x >= columns || desc->y >= rows) return PADIC_ERROR_ARGUMENT;
    i = desc->exponent2 ? padici_sample_bits(desc->x) >> (64 - desc->exponent2) : 0;
    y = desc->y;
    for (k = 0; k < desc->exponent3; k++, power *= 3) {
        uint64_t weight = rows / power / 3;    // of digit k of i in y, from its top
        uint64_t wanted = y / weight + 3 - i / power % 3;
        y %= weight;
        if (desc->exponent2 & 1) wanted *= 2; // 1 / 2^a mod 3
        i += wanted % 3 * power << desc->exponent2;
    }
    if (desc->s > (UINT64_MAX - i) / grid) return PADIC_ERROR_LIMIT;
    *index = i + desc->s * grid;
    return PADIC_OK;
}

static uint32_t padici_sample_keys_base(const padic_sample_scramble_init_desc *desc, uint32_t d)
{
    return desc->base ? desc->base : padic_sample_prime(desc->dimension + d);
}

// Bytes of the keys, or the error of the desc.
static padic_result padici_sample_keys_check(const padic_sample_scramble_init_desc *desc,
                                             size_t *bytes)
{
    uint64_t total = 0;
    uint32_t d, n, levels = 0;
    *bytes = 0;
    if (!desc || desc->base == 1 || (uint32_t)desc->digits > 1) return PADIC_ERROR_ARGUMENT;
    if (desc->base > 65537) return PADIC_ERROR_LIMIT;
    n = desc->dimensions ? desc->dimensions : 1;
    if (n - 1 > UINT32_MAX - desc->dimension) return PADIC_ERROR_LIMIT;
    if (desc->base) {
        total = (uint64_t)n * padic_sample_levels(desc->base, desc->digits, NULL);
    } else {
        if (desc->dimension > 1023 || n > 1024 - desc->dimension) return PADIC_ERROR_LIMIT;
        for (d = 0; d < n; d++) {
            levels = padic_sample_levels(padici_sample_keys_base(desc, d), desc->digits, NULL);
            total += levels;
        }
    }
    if (total > (size_t)-1 / sizeof(uint64_t)) return PADIC_ERROR_LIMIT;
    *bytes = (size_t)total * sizeof(uint64_t);
    return PADIC_OK;
}

PADIC_API size_t padic_sample_scramble_bound(const padic_sample_scramble_init_desc *desc)
{
    size_t bytes;
    (void)padici_sample_keys_check(desc, &bytes);
    return bytes;
}

PADIC_API padic_result padic_sample_scramble_init(const padic_sample_scramble_init_desc *desc,
                                                  uint64_t *keys, size_t keys_size)
{
    size_t bytes;
    uint32_t d, k, n, word[4];
    padic_result result = padici_sample_keys_check(desc, &bytes);
    if (result) return result;
    if (!keys) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(keys, sizeof *keys)) return PADIC_ERROR_ALIGNMENT;
    if (keys_size < bytes) return PADIC_ERROR_CAPACITY;
    n = desc->dimensions ? desc->dimensions : 1;
    for (d = 0; d < n; d++) {
        const uint32_t base = padici_sample_keys_base(desc, d);
        const uint32_t levels = padic_sample_levels(base, desc->digits, NULL);
        for (k = 0; k < levels; k++) {
            padic_random_block(desc->seed, (uint64_t)desc->dimension + d, k, 0, word);
            *keys++ = word[0] | (uint64_t)word[1] << 32;
        }
    }
    return PADIC_OK;
}

PADIC_API uint32_t padic_sample_laine_karras(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    return x ^ x * 0x8d22f6e6u;
}
// room: src/padic_sample.in.h:30

#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
