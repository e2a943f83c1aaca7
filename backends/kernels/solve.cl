// solve.cl: small exact linear algebra over the rationals: batches of n x n systems of integers,
// n <= 30, and determinants. Jordan's elimination without fractions (Bareiss 1968): every entry is
// a minor of (A B), so a division by the pivot before is exact. Results are unique, so the bytes
// are those of the CPU, which solves large systems in another way.
//
//     PD_SOLVE_KIND  0: minors below 2^62: a work-item does a system in words of 64 bits. Systems
//                    that are larger go to a list.
//                    1: those of the list, a group for each, in limbs of 32 bits.
//
// Matrices at work lie in global scratch, the entries of neighbours side by side.
//
// variant: PD_SOLVE_KIND=1

#ifndef PD_SOLVE_KIND
#define PD_SOLVE_KIND 0
#endif

#define SOLVE_WG 64u
#define SOLVE_MOST 30u  // n of kind 1
#define SOLVE_LIMBS 64u // of a minor of order 30 of words of 64 bits: 1,995 bits; as many as items

#define SOLVE_DIV0 1u
#define SOLVE_RANGE 32u

typedef struct {
    pd_u32 count, n, sides;
    pd_u32 wide;    // 1: I64, 0: I32
    pd_u32 items;   // of kind 0; groups of kind 1
    pd_u32 limbs;   // of kind 1, the most
    pd_u32 type[3]; // numerators, denominators, determinants: log2 of an element's bytes, 4: signed
    pd_u32 words[3]; // of integers in planes of words; 0: none
    pd_u32 place[16]; // of SOLVE_MATRIX ...: byte in its memory, low half and high 24 bits; 1 << 24
} padic_k_solve_systems_params;

// Each has a memory of its own here, which may be the same.
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

// Does +-m of `bits` bits fit? `power`: m is a power of two.
PD_FN pd_u32 solve_fits(pd_u32 type, pd_u32 words, pd_u32 bits, pd_u32 negative, pd_u32 power)
{
    const pd_u32 room = words ? 64u * words : 8u << (type & 3u);
    const pd_u32 sign = words || (type & 4u) ? 1u : 0u;
    if (!sign) return bits <= room && (!negative || !bits) ? 1u : 0u;
    return bits < room || (bits == room && negative && power) ? 1u : 0u;
}

PD_FN void solve_put(PD_GPTR(void) to, pd_u32 type, pd_u32 words, pd_u32 i, pd_u64 x)
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
PD_FN void solve_put_all(PD_GPTR(void) to, pd_u32 type, pd_u32 words, pd_u32 count, pd_u32 i,
                         pd_u64 m, pd_u32 negative)
{
    const pd_u64 sign = negative && m ? 0u - (pd_u64)1u : 0u;
    solve_put(to, type, words, i, negative ? 0u - m : m);
    for (pd_u32 j = 1u; j < words; j++) solve_put(to, type, words, j * count + i, sign);
}

#if PD_SOLVE_KIND == 0
PD_FN pd_u32 solve_ctz64(pd_u64 x) // x not 0
{
    const pd_u32 low = (pd_u32)x, high = (pd_u32)(x >> 32);
    return low ? solve_ctz32(low) : 32u + solve_ctz32(high);
}

PD_FN pd_u64 solve_inverse64(pd_u64 a) // a odd
{
    pd_u64 x = (3u * a) ^ 2u;
    x *= 2u - a * x;
    x *= 2u - a * x;
    x *= 2u - a * x;
    return x * (2u - a * x);
}

// The high word of a b in two's complement.
PD_FN pd_u64 solve_mulhi(pd_u64 a, pd_u64 b)
{
    return PD_MULHI64(a, b) - (a >> 63 ? b : 0u) - (b >> 63 ? a : 0u);
}

PD_FN pd_u64 solve_gcd(pd_u64 a, pd_u64 given) // a not 0
{
    pd_u64 b = given;
    pd_u32 shift;
    pd_u64 odd;
    if (!b) return a;
    shift = solve_ctz64(a | b);
    odd = a >> solve_ctz64(a);
    while (b) {
        pd_u64 less;
        b >>= solve_ctz64(b);
        less = odd < b ? odd : b;
        b = odd < b ? b - odd : odd - b;
        odd = less;
    }
    return odd << shift;
}

#define SOLVE_AT(i, j) w[((i) * cols + (j)) * k.items + item]

#else
// Limb j of a number of `used` limbs in two's complement, `step` apart.
PD_FN pd_u32 solve_limb(PD_GPTR(const pd_u32) x, pd_u32 step, pd_u32 used, pd_u32 j)
{
    return j < used ? x[j * step] : 0u - (x[(used - 1u) * step] >> 31);
}

// a^-1 modulo 2^32, a odd.
PD_FN pd_u32 solve_inverse32(pd_u32 a)
{
    pd_u32 x = (3u * a) ^ 2u;
    x *= 2u - a * x;
    x *= 2u - a * x;
    return x * (2u - a * x);
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

// Limbs lo and hi as one, shifted to the right by less than 32.
PD_FN pd_u32 solve_shifted(pd_u32 low, pd_u32 high, pd_u32 shift)
{
    return (pd_u32)(PD_U64(low, high) >> shift);
}

// x = (pivot x - factor top) / divisor, `used` limbs each, to `limbs` limbs; the divisor is odd
// and its shift is `shift`. q: room.
PD_FN void solve_entry(PD_GPTR(pd_u32) x, PD_GPTR(const pd_u32) pivot, PD_GPTR(const pd_u32) factor,
                       PD_GPTR(const pd_u32) top, pd_u32 step, pd_u32 used, pd_u32 limbs,
                       PD_LPTR(pd_u32) divisor, pd_u32 shift, PD_GPTR(pd_u32) q)
{
    const pd_u32 skip = shift / 32u, inverse = solve_inverse32(divisor[0]);
    solve_sum sum, rest;
    pd_u32 before = 0u;
    sum.low = rest.low = 0u;
    sum.high = sum.spare = rest.high = rest.spare = 0u;
    for (pd_u32 c = 0u; c <= limbs + skip; c++) {
        pd_u32 limb;
        for (pd_u32 i = 0u; i <= c; i++) {
            SOLVE_ADD(sum, PD_MULWIDE(solve_limb(pivot, step, used, i),
                                      solve_limb(x, step, used, c - i)));
            SOLVE_SUB(sum, PD_MULWIDE(solve_limb(factor, step, used, i),
                                      solve_limb(top, step, used, c - i)));
        }
        limb = (pd_u32)sum.low;
        SOLVE_NEXT(sum);
        if (c > skip) {
            const pd_u32 at = c - skip - 1u;
            pd_u32 digit;
            SOLVE_ADD(rest, solve_shifted(before, limb, shift & 31u));
            for (pd_u32 i = 0u; i < at; i++)
                SOLVE_SUB(rest, PD_MULWIDE(q[i * SOLVE_WG], divisor[at - i]));
            digit = (pd_u32)rest.low * inverse;
            q[at * SOLVE_WG] = digit;
            SOLVE_SUB(rest, PD_MULWIDE(digit, divisor[0]));
            SOLVE_NEXT(rest);
        }
        before = limb;
    }
    for (pd_u32 i = 0u; i < limbs; i++) x[i * step] = q[i * SOLVE_WG];
}

// x becomes its magnitude. Was it negative?
PD_FN pd_u32 solve_absolute(PD_GPTR(pd_u32) x, pd_u32 step, pd_u32 limbs)
{
    const pd_u32 negative = x[(limbs - 1u) * step] >> 31;
    pd_u32 carry = 1u;
    for (pd_u32 i = 0u; i < limbs && negative; i++) {
        const pd_u32 limb = (0xffffffffu - x[i * step]) + carry;
        carry = carry && !limb ? 1u : 0u;
        x[i * step] = limb;
    }
    return negative;
}

// Zeros below the lowest bit of x; 0 has more than any.
PD_FN pd_u32 solve_zeros(PD_GPTR(const pd_u32) x, pd_u32 step, pd_u32 limbs)
{
    for (pd_u32 i = 0u; i < limbs; i++) {
        const pd_u32 limb = x[i * step];
        if (limb) return 32u * i + solve_ctz32(limb);
    }
    return 0xffffffffu;
}

PD_FN pd_u32 solve_size(PD_LPTR(pd_u32) x, pd_u32 given) // limbs without zeros on top
{
    pd_u32 n = given;
    while (n && !x[n - 1u]) n--;
    return n;
}

// 32 bits of x from bit `at` on.
PD_FN pd_u32 solve_window(PD_LPTR(pd_u32) x, pd_u32 limbs, pd_u32 at)
{
    const pd_u32 i = at / 32u;
    return solve_shifted(i < limbs ? x[i] : 0u, i + 1u < limbs ? x[i + 1u] : 0u, at & 31u);
}

// x becomes -x, if asked for.
PD_FN void solve_negate(PD_LPTR(pd_u32) x, pd_u32 limbs, pd_u32 negative)
{
    pd_u32 carry = negative;
    for (pd_u32 i = 0u; i < limbs; i++) {
        const pd_u32 limb = (x[i] ^ (0u - negative)) + carry;
        carry = limb < carry ? 1u : 0u;
        x[i] = limb;
    }
}

// Row of a step of solve_gcd(): |x a + y b| / 2^30 to `to`; a and b are read before.
typedef struct {
    pd_i64 a, b; // carries
    pd_u32 low_a, low_b;
    pd_i32 f0, g0, f1, g1;
} solve_step;

// gcd(a, b) to b, b odd, `given` limbs each (Pornin 2020): 30 steps of the binary algorithm at a
// time, on the highest 32 and the lowest 30 bits.
PD_FN void solve_gcd(PD_LPTR(pd_u32) a, PD_LPTR(pd_u32) b, pd_u32 given)
{
    pd_u32 limbs = given;
    for (;;) {
        const pd_u32 in_a = solve_size(a, limbs), in_b = solve_size(b, limbs);
        pd_u64 x, y;
        pd_u32 top;
        solve_step s;
        if (!in_a) return;
        limbs = in_a > in_b ? in_a : in_b;
        if (in_b == 1u && in_a > 1u) { // one remainder
            pd_u64 rest = 0u;
            for (pd_u32 i = in_a; i > 0u; i--) {
                rest = (rest << 32 | a[i - 1u]) % b[0];
                a[i - 1u] = 0u;
            }
            a[0] = (pd_u32)rest;
            continue;
        }
        top = 32u * limbs - PD_CLZ(a[limbs - 1u] | b[limbs - 1u]);
        if (top < 62u) top = 62u;
        x = (pd_u64)solve_window(a, limbs, top - 32u) << 30 | (a[0] & 0x3fffffffu);
        y = (pd_u64)solve_window(b, limbs, top - 32u) << 30 | (b[0] & 0x3fffffffu);
        s.f0 = s.g1 = 1;
        s.g0 = s.f1 = 0;
        for (pd_u32 i = 0u; i < 30u; i++) {
            if (x & 1u) {
                if (x < y) {
                    const pd_u64 z = x;
                    const pd_i32 f = s.f0, g = s.g0;
                    x = y;
                    y = z;
                    s.f0 = s.f1;
                    s.g0 = s.g1;
                    s.f1 = f;
                    s.g1 = g;
                }
                x -= y;
                s.f0 -= s.f1;
                s.g0 -= s.g1;
            }
            x >>= 1;
            s.f1 *= 2;
            s.g1 *= 2;
        }
        s.a = s.b = 0;
        s.low_a = s.low_b = 0u;
        for (pd_u32 i = 0u; i <= limbs; i++) {
            const pd_i64 u = i < limbs ? (pd_i64)a[i] : 0, v = i < limbs ? (pd_i64)b[i] : 0;
            s.a += u * s.f0 + v * s.g0;
            s.b += u * s.f1 + v * s.g1;
            if (i) {
                a[i - 1u] = solve_shifted(s.low_a, (pd_u32)((pd_u64)s.a & 0xffffffffu), 30u);
                b[i - 1u] = solve_shifted(s.low_b, (pd_u32)((pd_u64)s.b & 0xffffffffu), 30u);
            }
            s.low_a = (pd_u32)((pd_u64)s.a & 0xffffffffu);
            s.low_b = (pd_u32)((pd_u64)s.b & 0xffffffffu);
            s.a >>= 32;
            s.b >>= 32;
        }
        solve_negate(a, limbs, s.a < 0 ? 1u : 0u);
        solve_negate(b, limbs, s.b < 0 ? 1u : 0u);
    }
}

// x / (divisor 2^shift), exactly: of `limbs` limbs, and at work where x was.
PD_FN void solve_divide(PD_GPTR(pd_u32) x, pd_u32 step, pd_u32 limbs, PD_LPTR(pd_u32) divisor,
                        pd_u32 size, pd_u32 shift)
{
    const pd_u32 skip = shift / 32u, inverse = solve_inverse32(divisor[0]);
    solve_sum rest;
    rest.low = 0u;
    rest.high = rest.spare = 0u;
    for (pd_u32 j = 0u; j < limbs; j++) {
        const pd_u32 low = j + skip < limbs ? x[(j + skip) * step] : 0u;
        const pd_u32 high = j + skip + 1u < limbs ? x[(j + skip + 1u) * step] : 0u;
        pd_u32 digit;
        SOLVE_ADD(rest, solve_shifted(low, high, shift & 31u));
        for (pd_u32 i = j + 1u > size ? j + 1u - size : 0u; i < j; i++)
            SOLVE_SUB(rest, PD_MULWIDE(x[i * step], divisor[j - i]));
        digit = (pd_u32)rest.low * inverse;
        x[j * step] = digit;
        SOLVE_SUB(rest, PD_MULWIDE(digit, divisor[0]));
        SOLVE_NEXT(rest);
    }
}

// As solve_fits() and solve_put_all() for limbs.
PD_FN pd_u32 solve_fits_limbs(pd_u32 type, pd_u32 words, PD_GPTR(const pd_u32) x, pd_u32 step,
                              pd_u32 limbs, pd_u32 negative)
{
    pd_u32 bits = 0u, ones = 0u;
    for (pd_u32 i = 0u; i < limbs; i++) {
        const pd_u32 limb = x[i * step];
        if (limb) bits = 32u * i + 32u - PD_CLZ(limb);
        ones += PD_POPCOUNT(limb);
    }
    return solve_fits(type, words, bits, negative, ones == 1u ? 1u : 0u);
}

PD_FN void solve_put_limbs(PD_GPTR(void) to, pd_u32 type, pd_u32 words, pd_u32 count, pd_u32 i,
                           PD_GPTR(const pd_u32) x, pd_u32 step, pd_u32 limbs, pd_u32 negative)
{
    pd_u64 carry = 1u;
    for (pd_u32 j = 0u; j < words || j < 1u; j++) {
        const pd_u32 low = 2u * j < limbs ? x[2u * j * step] : 0u;
        const pd_u32 high = 2u * j + 1u < limbs ? x[(2u * j + 1u) * step] : 0u;
        pd_u64 word = PD_U64(low, high);
        if (negative) {
            word = ((0u - (pd_u64)1u) - word) + carry;
            carry = carry && !word ? 1u : 0u;
        }
        solve_put(to, type, words, j * count + i, word);
    }
}

#define SOLVE_CELL(i, j) (w + ((i) * cols + (j)))
#endif

// What is needed once a system lies in local memory, but for CUDA: scalar registers are few.
#if PD_IS_CUDA
#define SOLVE_SPOT(q) SOLVE_PLACE(q, m##q)
#define SOLVE_TYPE(q) k.type[q]
#define SOLVE_WORDS(q) k.words[q]
#define SOLVE_GIVEN(q) SOLVE_HAS(q)
#define SOLVE_WIDE k.wide
#define SOLVE_N k.n
#define SOLVE_SIDES (SOLVE_HAS(1) ? k.sides : 0u)
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
#define SOLVE_SIDES fact[7]
#define SOLVE_ITEMS fact[8]
#define SOLVE_LISTED fact[9]
#endif

// Entry (i, j) of (A B) of system s.
#define SOLVE_INPUT(i, j)                                                                 \
    ((j) < n ? solve_load(SOLVE_SPOT(0), SOLVE_WIDE, (s * n + (i)) * n + (j))             \
             : solve_load(SOLVE_SPOT(1), SOLVE_WIDE, (s * n + (i)) * sides + (j) - n))
#define SOLVE_FORM_0 SOLVE_TYPE(0), SOLVE_WORDS(0) // of numerators
#define SOLVE_FORM_1 SOLVE_TYPE(1), SOLVE_WORDS(1) // of denominators
#define SOLVE_FORM_2 SOLVE_TYPE(2), SOLVE_WORDS(2) // of determinants
#define SOLVE_TO_0 SOLVE_SPOT(2), SOLVE_FORM_0
#define SOLVE_TO_1 SOLVE_SPOT(3), SOLVE_FORM_1
#define SOLVE_TO_2 SOLVE_SPOT(4), SOLVE_FORM_2

PD_KERNEL_MIN(padic_k_solve_systems, 64, 8)
(PD_BUF(pd_u32, m0), PD_BUF(pd_u32, m1), PD_BUF(pd_u32, m2), PD_BUF(pd_u32, m3),
 PD_BUF(pd_u32, m4), PD_BUF(pd_u32, m5), PD_BUF(pd_u32, m6), PD_BUF(pd_u32, m7),
 PD_PARAMS(padic_k_solve_systems_params, k))
{
#if !PD_IS_CUDA
    PD_LOCAL solve_pointer spot[8];
    PD_LOCAL pd_u32 fact[14];
    if (PD_LID == 0u) {
        spot[0] = SOLVE_PLACE(0, m0);
        spot[1] = SOLVE_PLACE(1, m1);
        spot[2] = SOLVE_PLACE(2, m2);
        spot[3] = SOLVE_PLACE(3, m3);
        spot[4] = SOLVE_PLACE(4, m4);
        spot[5] = SOLVE_PLACE(5, m5);
        spot[6] = SOLVE_PLACE(6, m6);
        spot[7] = SOLVE_PLACE(7, m7);
        fact[0] = k.type[0];
        fact[1] = k.type[1];
        fact[2] = k.type[2];
        fact[3] = k.words[0];
        fact[4] = k.words[1];
        fact[5] = k.words[2];
        fact[6] = k.wide;
        fact[7] = SOLVE_HAS(1) ? k.sides : 0u;
        fact[8] = k.items;
        fact[9] = PD_SOLVE_KIND ? ((PD_GPTR(pd_u32))spot[7])[1] : 0u; // of kind 0 it grows
        fact[10] = SOLVE_HAS(4);
        fact[11] = SOLVE_HAS(5);
        fact[12] = SOLVE_HAS(6);
        fact[13] = k.n;
    }
    PD_BARRIER();
#endif
    PD_GPTR(pd_u32) const room = (PD_GPTR(pd_u32))SOLVE_SPOT(7);
    const pd_u32 n = SOLVE_N, sides = SOLVE_SIDES, cols = n + sides;
    const pd_u32 all = k.count * n * sides, few = k.count * sides;
#if PD_SOLVE_KIND == 0
    const pd_u32 item = PD_GRP * SOLVE_WG + PD_LID;
    PD_GPTR(pd_u64) const w =
        (PD_GPTR(pd_u64))(PD_GPTR(void))(room + 2u + ((k.count + 1u) & 0xfffffffeu));
    pd_u32 seen = 0u;
    for (pd_u32 s = item; s < k.count; s += k.items) {
        pd_u64 most_a = 1u, most_b = 1u, inverse = 1u, d = 0u;
        pd_u32 row = 0u, shift = 0u, flip = 0u, bits = 0u;
        for (pd_u32 i = 0u; i < n; i++) {
            for (pd_u32 j = 0u; j < n; j++) {
                const pd_u64 x = solve_load(SOLVE_SPOT(0), SOLVE_WIDE, (s * n + i) * n + j);
                most_a |= solve_magnitude(x);
                SOLVE_AT(i, j) = x;
            }
            for (pd_u32 j = 0u; j < sides; j++) {
                const pd_u64 x = solve_load(SOLVE_SPOT(1), SOLVE_WIDE, (s * n + i) * sides + j);
                most_b |= solve_magnitude(x);
                SOLVE_AT(i, n + j) = x;
            }
        }
        if (solve_bound(n, n, solve_bits64(most_a), solve_bits64(most_b)) > 62u) {
            room[2u + PD_ATOMIC_ADD_G(&room[1], 1u)] = s;
            continue;
        }
        for (pd_u32 c = 0u; c < n; c++) {
            pd_u32 top = row;
            while (top < n && !SOLVE_AT(top, c)) top++;
            if (top == n) continue;
            for (pd_u32 j = c; j < cols && top != row; j++) {
                const pd_u64 x = SOLVE_AT(row, j);
                SOLVE_AT(row, j) = SOLVE_AT(top, j);
                SOLVE_AT(top, j) = x;
            }
            if (top != row) flip ^= 1u;
            d = SOLVE_AT(row, c);
            for (pd_u32 i = sides ? 0u : row + 1u; i < n; i++) {
                const pd_u64 factor = i == row ? 0u : SOLVE_AT(i, c);
                for (pd_u32 j = c + 1u; j < cols && i != row; j++) {
                    const pd_u64 x = SOLVE_AT(i, j), y = SOLVE_AT(row, j);
                    const pd_u64 low = d * x, less = factor * y;
                    const pd_u64 high = solve_mulhi(d, x) - solve_mulhi(factor, y) -
                                        (low < less ? 1u : 0u);
                    const pd_u64 q = shift ? (low - less) >> shift | high << (64u - shift)
                                           : low - less;
                    SOLVE_AT(i, j) = q * inverse;
                }
            }
            shift = solve_ctz64(d);
            inverse = d >> 63 ? 0u - (solve_magnitude(d) >> shift) : d >> shift;
            inverse = solve_inverse64(inverse);
            row++;
        }
        if (row < n) d = 0u;
        for (pd_u32 side = 0u; side < sides; side++) {
            const pd_u64 m = solve_magnitude(d);
            pd_u64 g = m;
            pd_u32 fits = d ? 1u : 0u;
            for (pd_u32 i = 0u; i < n && g > 1u; i++)
                g = solve_gcd(g, solve_magnitude(SOLVE_AT(i, n + side)));
            if (!d) g = 1u;
            for (pd_u32 i = 0u; i <= n && d; i++) {
                const pd_u64 y = i < n ? SOLVE_AT(i, n + side) : d;
                const pd_u64 x = g > 1u ? solve_magnitude(y) / g : solve_magnitude(y);
                const pd_u32 negative = i < n && x ? (pd_u32)((y ^ d) >> 63) : 0u;
                if (!solve_fits(SOLVE_FORM_0, solve_bits64(x), negative,
                                x & (x - 1u) ? 0u : 1u) && i < n)
                    fits = 0u;
                if (!solve_fits(SOLVE_FORM_1, solve_bits64(x), 0u, 0u) && i == n)
                    fits = 0u;
            }
            if (d && !fits) bits |= SOLVE_RANGE;
            for (pd_u32 i = 0u; i < n; i++) {
                const pd_u64 y = SOLVE_AT(i, n + side), m_y = solve_magnitude(y);
                const pd_u64 x = !fits ? 0u : g > 1u ? m_y / g : m_y;
                solve_put_all(SOLVE_TO_0, all, (s * n + i) * sides + side, x,
                              (pd_u32)((y ^ d) >> 63));
            }
            solve_put_all(SOLVE_TO_1, few, s * sides + side,
                          !fits ? 0u : g > 1u ? m / g : m, 0u);
        }
        if (row < n && sides) bits |= SOLVE_DIV0;
        if (SOLVE_GIVEN(4)) {
            const pd_u32 negative = (pd_u32)(d >> 63) ^ flip;
            pd_u64 m = solve_magnitude(d);
            if (!solve_fits(SOLVE_FORM_2, solve_bits64(m), negative,
                            m & (m - 1u) ? 0u : 1u)) {
                m = 0u;
                bits |= SOLVE_RANGE;
            }
            solve_put_all(SOLVE_TO_2, k.count, s, m, negative);
        }
        if (SOLVE_GIVEN(5)) ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = row;
        if (SOLVE_GIVEN(6)) ((PD_GPTR(pd_u8))SOLVE_SPOT(6))[s] = (pd_u8)bits;
        seen |= bits;
    }
    if (seen) (void)PD_ATOMIC_OR_G(&room[0], seen);
#else
    const pd_u32 cells = n * cols, each = k.limbs * (cells + SOLVE_WG);
    PD_GPTR(pd_u32) const w = room + 2u + ((k.count + 1u) & 0xfffffffeu) + PD_GRP * each;
    PD_GPTR(pd_u32) const temp = w + k.limbs * cells; // limbs of the items; 0: denominator, 1: det
    PD_LOCAL pd_u32 most[4];                          // of A and B, two limbs each
    PD_LOCAL pd_u32 mark[SOLVE_MOST + 2u];
    PD_LOCAL pd_u32 divisor[SOLVE_LIMBS], other[SOLVE_LIMBS];
    PD_LOCAL pd_u32 found[3]; // limbs of a common divisor, its shift; does a result not fit?
    for (pd_u32 turn = PD_GRP; turn < SOLVE_LISTED; turn += SOLVE_ITEMS) {
        // A compiler does not see that this is PD_LID, and n: it keeps nothing for all systems.
        const pd_u32 lid = PD_LID + (turn >> 31), m = n + (turn >> 31);
        const pd_u32 s = ((PD_GPTR(pd_u32))SOLVE_SPOT(7))[2u + turn];
        pd_u32 a, b, used, row = 0u, flip = 0u, last = 0u, last_used = 1u, bits = 0u;
        if (lid < 4u) most[lid] = 0u;
        if (lid == 4u) found[2] = 0u;
        PD_BARRIER();
        for (pd_u32 e = lid; e < cells; e += SOLVE_WG) {
            const pd_u32 i = e / cols, j = e - i * cols, at = j < n ? 0u : 2u;
            const pd_u64 x = SOLVE_INPUT(i, j);
            const pd_u64 y = solve_magnitude(x);
            (void)PD_ATOMIC_OR_L(&most[at], (pd_u32)y);
            (void)PD_ATOMIC_OR_L(&most[at + 1u], (pd_u32)(y >> 32));
        }
        PD_BARRIER();
        a = solve_bits64(PD_U64(most[0] | 1u, most[1]));
        b = solve_bits64(PD_U64(most[2] | 1u, most[3]));
        used = solve_bound(m, 1u, a, b) / 32u + 1u;
        for (pd_u32 e = lid; e < cells; e += SOLVE_WG) {
            const pd_u32 i = e / cols, j = e - i * cols;
            const pd_u64 x = SOLVE_INPUT(i, j);
            for (pd_u32 l = 0u; l < used; l++)
                w[l * cells + e] = l == 0u   ? (pd_u32)x
                                   : l == 1u ? (pd_u32)(x >> 32)
                                             : 0u - (pd_u32)(x >> 63);
        }
        PD_BARRIER_ALL();
        for (pd_u32 c = 0u; c < n; c++) {
            const pd_u32 order = row + 2u < n ? row + 2u : n, width = cols - c - 1u;
            const pd_u32 limbs = solve_bound(m, order, a, b) / 32u + 1u;
            pd_u32 top = row, shift = 0u;
            if (lid < n) {
                mark[lid] = 0u;
                for (pd_u32 l = 0u; l < used && lid >= row; l++)
                    mark[lid] |= SOLVE_CELL(lid, c)[l * cells];
            }
            PD_BARRIER();
            while (top < n && !mark[top]) top++;
            PD_BARRIER_ALL();
            if (top == n) continue; // the same for all items
            for (pd_u32 e = lid; e < cols * used && top != row; e += SOLVE_WG) {
                const pd_u32 l = e / cols, j = e - l * cols;
                const pd_u32 x = SOLVE_CELL(row, j)[l * cells];
                SOLVE_CELL(row, j)[l * cells] = SOLVE_CELL(top, j)[l * cells];
                SOLVE_CELL(top, j)[l * cells] = x;
            }
            if (top != row) flip ^= 1u;
            if (row) shift = solve_zeros(w + last, cells, last_used);
            if (lid < limbs) {
                const pd_u32 at = lid + shift / 32u;
                divisor[lid] = !row ? (lid ? 0u : 1u)
                                       : solve_shifted(solve_limb(w + last, cells, last_used, at),
                                                       solve_limb(w + last, cells, last_used,
                                                                  at + 1u),
                                                       shift & 31u);
            }
            PD_BARRIER_ALL();
            for (pd_u32 e = lid; e < n * width; e += SOLVE_WG) {
                const pd_u32 i = e / width, j = c + 1u + e - i * width;
                if (i == row) {
                    for (pd_u32 l = used; l < limbs; l++)
                        SOLVE_CELL(i, j)[l * cells] =
                            0u - (SOLVE_CELL(i, j)[(used - 1u) * cells] >> 31);
                } else if (i > row || sides) {
                    solve_entry(SOLVE_CELL(i, j), SOLVE_CELL(row, c), SOLVE_CELL(i, c),
                                SOLVE_CELL(row, j), cells, used, limbs, divisor, shift,
                                temp + lid);
                }
            }
            PD_BARRIER_ALL();
            last = row * cols + c;
            last_used = used;
            used = limbs;
            row++;
        }
        if (row == n) { // |det A|
            if (lid == 0u) {
                for (pd_u32 l = 0u; l < used; l++)
                    temp[l * SOLVE_WG + 1u] = solve_limb(w + last, cells, last_used, l);
                mark[n + 1u] = solve_absolute(temp + 1u, SOLVE_WG, used);
            }
            PD_BARRIER_ALL();
        }
        for (pd_u32 side = 0u; side < sides; side++) {
            if (row == n) {
                if (lid < n) mark[lid] = solve_absolute(SOLVE_CELL(lid, n + side), cells,
                                                              used);
                for (pd_u32 l = lid; l < used; l += SOLVE_WG)
                    temp[l * SOLVE_WG] = temp[l * SOLVE_WG + 1u];
                PD_BARRIER_ALL();
                if (lid == 0u) { // the greatest common divisor: divisor 2^shift
                    const pd_u32 zeros = solve_zeros(temp, SOLVE_WG, used);
                    pd_u32 shift = zeros, size;
                    for (pd_u32 l = 0u; l < used; l++) {
                        const pd_u32 at = l + zeros / 32u;
                        divisor[l] = solve_shifted(
                            at < used ? temp[at * SOLVE_WG] : 0u,
                            at + 1u < used ? temp[(at + 1u) * SOLVE_WG] : 0u, zeros & 31u);
                    }
                    size = solve_size(divisor, used);
                    for (pd_u32 i = 0u; i < n; i++) {
                        const pd_u32 here = solve_zeros(SOLVE_CELL(i, n + side), cells, used);
                        if (here < shift) shift = here;
                        if (here > 32u * used || (size == 1u && divisor[0] == 1u)) continue;
                        for (pd_u32 l = 0u; l < used; l++)
                            other[l] = SOLVE_CELL(i, n + side)[l * cells];
                        solve_gcd(other, divisor, used);
                        size = solve_size(divisor, used);
                    }
                    found[0] = size;
                    found[1] = shift;
                    found[2] = 0u;
                }
                PD_BARRIER_ALL();
                if (lid <= n) {
                    PD_GPTR(pd_u32) const x = lid < n ? SOLVE_CELL(lid, n + side) : temp;
                    const pd_u32 step = lid < n ? cells : SOLVE_WG;
                    const pd_u32 type = lid < n ? SOLVE_TYPE(0) : SOLVE_TYPE(1);
                    const pd_u32 words = lid < n ? SOLVE_WORDS(0) : SOLVE_WORDS(1);
                    const pd_u32 negative = lid < n ? mark[lid] ^ mark[n + 1u] : 0u;
                    if (found[0] > 1u || divisor[0] > 1u || found[1])
                        solve_divide(x, step, used, divisor, found[0], found[1]);
                    if (!solve_fits_limbs(type, words, x, step, used, negative))
                        (void)PD_ATOMIC_OR_L(&found[2], 1u);
                }
                PD_BARRIER();
            }
            if (lid <= n) {
                const pd_u32 fits = row == n && !found[2] ? 1u : 0u;
                const pd_u32 size = fits ? used : 0u;
                if (lid < n)
                    solve_put_limbs(SOLVE_TO_0, all,
                                    (s * n + lid) * sides + side, SOLVE_CELL(lid, n + side),
                                    cells, size, fits ? mark[lid] ^ mark[n + 1u] : 0u);
                else
                    solve_put_limbs(SOLVE_TO_1, few, s * sides + side, temp,
                                    SOLVE_WG, size, 0u);
            }
            if (row == n && found[2]) bits |= SOLVE_RANGE;
            PD_BARRIER_ALL();
        }
        if (row < n && sides) bits |= SOLVE_DIV0;
        if (lid == 0u) {
            if (SOLVE_GIVEN(4)) {
                const pd_u32 negative = row == n ? mark[n + 1u] ^ flip : 0u;
                pd_u32 size = row == n ? used : 0u;
                if (!solve_fits_limbs(SOLVE_FORM_2, temp + 1u, SOLVE_WG, size, negative)) {
                    size = 0u;
                    bits |= SOLVE_RANGE;
                }
                solve_put_limbs(SOLVE_TO_2, k.count, s, temp + 1u, SOLVE_WG, size,
                                size ? negative : 0u);
            }
            if (SOLVE_GIVEN(5)) ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = row;
            if (SOLVE_GIVEN(6)) ((PD_GPTR(pd_u8))SOLVE_SPOT(6))[s] = (pd_u8)bits;
            if (bits) (void)PD_ATOMIC_OR_G((PD_GPTR(pd_u32))SOLVE_SPOT(7), bits);
        }
        PD_BARRIER_ALL(); // before the next system takes the room
    }
#endif
}
