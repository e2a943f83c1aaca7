// program: solve
// solve.cl: small exact linear algebra over the rationals: batches of n x n systems of integers,
// n <= 64, and determinants. Results are unique, so the bytes are those of the CPU, which may solve
// a system in another way.
//
//     PD_SOLVE_KIND  0: minors below 2^62: a work-item does a system in words of 64 bits, by
//                    Jordan's elimination without fractions (Bareiss 1968): every entry is a minor
//                    of (A B), so a division by the pivot before is exact. Larger systems go to a
//                    list.
//                    1: those of the list, a group for each: det A and det A times the unknowns,
//                    which are minors too, modulo as many primes below 2^31 as their bound asks
//                    for, and from residues to limbs of 32 bits (Garner's steps). A prime that
//                    divides det A is left out; if all do, det A = 0.
//                    2: Hadamard's bounds instead, in the place of ranks: a group for a matrix.
//                    3: is A x = d b, for all systems? A group for each.
//
// What is at work lies in global scratch, the numbers of neighbours side by side.
//
// variant: PD_SOLVE_KIND=1
// variant: PD_SOLVE_KIND=2
// variant: PD_SOLVE_KIND=3

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

#elif PD_SOLVE_KIND == 1
// 2^31 less the largest primes below it. Fewer than half of those in use may divide det A.
PD_TABLE pd_u32 solve_primes[280] = {
    1u, 19u, 61u, 69u, 85u, 99u, 105u, 151u, 159u, 171u, 225u, 249u, 295u, 325u, 379u, 399u, 411u,
    469u, 477u, 511u, 525u, 571u, 579u, 589u, 595u, 615u, 619u, 697u, 699u, 705u, 711u, 727u, 771u,
    775u, 781u, 789u, 829u, 831u, 837u, 847u, 885u, 909u, 951u, 955u, 967u, 985u, 987u, 1027u,
    1057u, 1065u, 1071u, 1141u, 1147u, 1167u, 1231u, 1239u, 1281u, 1287u, 1299u, 1305u, 1321u,
    1357u, 1375u, 1411u, 1417u, 1425u, 1527u, 1555u, 1557u, 1567u, 1585u, 1627u, 1651u, 1681u,
    1699u, 1711u, 1741u, 1747u, 1749u, 1755u, 1765u, 1785u, 1821u, 1837u, 1851u, 1855u, 1975u,
    2019u, 2077u, 2085u, 2119u, 2139u, 2149u, 2157u, 2161u, 2275u, 2281u, 2289u, 2295u, 2311u,
    2331u, 2337u, 2365u, 2379u, 2385u, 2401u, 2439u, 2449u, 2469u, 2475u, 2497u, 2505u, 2509u,
    2577u, 2595u, 2617u, 2629u, 2659u, 2677u, 2679u, 2691u, 2707u, 2721u, 2727u, 2749u, 2751u,
    2755u, 2799u, 2805u, 2811u, 2857u, 2901u, 2905u, 2925u, 2941u, 2965u, 2971u, 2997u, 3007u,
    3025u, 3037u, 3057u, 3097u, 3121u, 3129u, 3141u, 3177u, 3189u, 3211u, 3219u, 3279u, 3321u,
    3337u, 3349u, 3351u, 3421u, 3429u, 3441u, 3451u, 3487u, 3609u, 3637u, 3639u, 3657u, 3711u,
    3741u, 3751u, 3757u, 3769u, 3825u, 3829u, 3861u, 3867u, 3891u, 3895u, 3897u, 3967u, 3991u,
    4005u, 4011u, 4029u, 4047u, 4059u, 4075u, 4099u, 4101u, 4117u, 4131u, 4135u, 4141u, 4159u,
    4201u, 4227u, 4245u, 4267u, 4287u, 4299u, 4309u, 4341u, 4375u, 4389u, 4417u, 4459u, 4477u,
    4515u, 4519u, 4527u, 4551u, 4557u, 4569u, 4585u, 4591u, 4617u, 4635u, 4651u, 4681u, 4687u,
    4689u, 4711u, 4729u, 4737u, 4749u, 4759u, 4785u, 4789u, 4827u, 4857u, 4885u, 4915u, 4917u,
    4921u, 4927u, 4929u, 4945u, 4947u, 4975u, 4987u, 4989u, 4995u, 4999u, 5001u, 5037u, 5047u,
    5067u, 5079u, 5085u, 5127u, 5131u, 5145u, 5151u, 5157u, 5167u, 5187u, 5275u, 5299u, 5317u,
    5349u, 5355u, 5389u, 5395u, 5499u, 5515u, 5521u, 5559u, 5565u, 5569u, 5599u, 5631u, 5635u,
    5659u, 5695u, 5715u, 5767u, 5769u, 5775u, 5787u, 5797u, 5815u, 5839u, 5841u};

// Residues are in Montgomery form, a 2^32.
typedef struct {
    pd_u32 q, inverse; // q^-1 modulo 2^32
} solve_field;
#define SOLVE_ONE(f) (0u - 2u * (f).q)               // 2^32 modulo q
#define SOLVE_SQUARE(f) (SOLVE_ONE(f) * SOLVE_ONE(f)) // 2^64

// x / 2^32 modulo q, x < 2^32 q.
PD_FN pd_u32 solve_reduce(const solve_field f, pd_u64 x)
{
    const pd_u32 high = (pd_u32)(x >> 32), h = PD_MULHI32((pd_u32)x * f.inverse, f.q);
    return high >= h ? high - h : high + f.q - h;
}

PD_FN pd_u32 solve_mont(const solve_field f, pd_u32 a, pd_u32 b)
{
    return solve_reduce(f, PD_MULWIDE(a, b));
}

// a b - c d.
PD_FN pd_u32 solve_cross(const solve_field f, pd_u32 a, pd_u32 b, pd_u32 c, pd_u32 d)
{
    return solve_reduce(f, PD_MULWIDE(a, b) + PD_MULWIDE(f.q - c, d));
}

PD_FN pd_u32 solve_residue(const solve_field f, pd_u64 a) // in two's complement
{
    const pd_u64 m = solve_magnitude(a);
    const pd_u32 cube = solve_mont(f, SOLVE_SQUARE(f), SOLVE_SQUARE(f)), high = (pd_u32)(m >> 32);
    const pd_u32 x = solve_reduce(f, PD_MULWIDE((pd_u32)m, SOLVE_SQUARE(f))) +
                     solve_reduce(f, PD_MULWIDE(high, cube));
    const pd_u32 y = x >= f.q ? x - f.q : x;
    return a >> 63 && y ? f.q - y : y;
}

PD_FN pd_u32 solve_invert(const solve_field f, pd_u32 a) // a^(q - 2)
{
    pd_u32 x = SOLVE_ONE(f);
    for (pd_u32 bit = 0x40000000u; bit; bit >>= 1) {
        x = solve_mont(f, x, x);
        if ((f.q - 2u) & bit) x = solve_mont(f, x, a);
    }
    return x;
}

// a^-1 modulo 2^32, a odd.
PD_FN pd_u32 solve_inverse32(pd_u32 a)
{
    pd_u32 x = (3u * a) ^ 2u;
    x *= 2u - a * x;
    x *= 2u - a * x;
    return x * (2u - a * x);
}

// Limbs lo and hi as one, shifted to the right by less than 32.
PD_FN pd_u32 solve_shifted(pd_u32 low, pd_u32 high, pd_u32 shift)
{
    return (pd_u32)(PD_U64(low, high) >> shift);
}

// x, modulo the product of primes, becomes the magnitude of the number below 2^bound that it stands
// for. Is that negative?
PD_FN pd_u32 solve_absolute(PD_GPTR(pd_u32) x, pd_u32 step, PD_LPTR(pd_u32) product, pd_u32 size,
                            pd_u32 bound)
{
    pd_u32 negative = x[bound / 32u * step] >> (bound & 31u), borrow = 0u;
    for (pd_u32 i = bound / 32u + 1u; i < size; i++) negative |= x[i * step];
    for (pd_u32 i = 0u; i < size && negative; i++) {
        const pd_u32 a = product[i], b = x[i * step];
        x[i * step] = a - b - borrow;
        borrow = a < b || (a == b && borrow) ? 1u : 0u;
    }
    return negative ? 1u : 0u;
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

PD_FN pd_u32 solve_size(PD_GPTR(const pd_u32) x, pd_u32 step, pd_u32 given) // without zeros on top
{
    pd_u32 n = given;
    while (n && !x[(n - 1u) * step]) n--;
    return n;
}

// 32 bits of x from bit `at` on.
PD_FN pd_u32 solve_window(PD_GPTR(const pd_u32) x, pd_u32 step, pd_u32 limbs, pd_u32 at)
{
    const pd_u32 i = at / 32u;
    return solve_shifted(i < limbs ? x[i * step] : 0u,
                         i + 1u < limbs ? x[(i + 1u) * step] : 0u, at & 31u);
}

// x becomes -x, if asked for.
PD_FN void solve_negate(PD_GPTR(pd_u32) x, pd_u32 step, pd_u32 limbs, pd_u32 negative)
{
    pd_u32 carry = negative;
    for (pd_u32 i = 0u; i < limbs; i++) {
        const pd_u32 limb = (x[i * step] ^ (0u - negative)) + carry;
        carry = limb < carry ? 1u : 0u;
        x[i * step] = limb;
    }
}

// A step of solve_gcd(): a becomes |f0 a + g0 b| / 2^30, b becomes |f1 a + g1 b| / 2^30.
typedef struct {
    pd_i64 a, b; // carries
    pd_u32 low_a, low_b;
    pd_i32 f0, g0, f1, g1;
} solve_step;

// gcd(a, b) to b, b odd, `given` limbs each (Pornin 2020): 30 steps of the binary algorithm at a
// time, on the highest 32 and the lowest 30 bits.
PD_FN void solve_gcd(PD_GPTR(pd_u32) a, PD_GPTR(pd_u32) b, pd_u32 step, pd_u32 given)
{
    pd_u32 limbs = given;
    for (;;) {
        const pd_u32 in_a = solve_size(a, step, limbs), in_b = solve_size(b, step, limbs);
        pd_u64 x, y;
        pd_u32 top;
        solve_step s;
        if (!in_a) return;
        limbs = in_a > in_b ? in_a : in_b;
        if (in_b == 1u && in_a > 1u) { // one remainder
            pd_u64 rest = 0u;
            for (pd_u32 i = in_a; i > 0u; i--) {
                rest = (rest << 32 | a[(i - 1u) * step]) % b[0];
                a[(i - 1u) * step] = 0u;
            }
            a[0] = (pd_u32)rest;
            continue;
        }
        top = 32u * limbs - PD_CLZ(a[(limbs - 1u) * step] | b[(limbs - 1u) * step]);
        if (top < 62u) top = 62u;
        x = (pd_u64)solve_window(a, step, limbs, top - 32u) << 30 | (a[0] & 0x3fffffffu);
        y = (pd_u64)solve_window(b, step, limbs, top - 32u) << 30 | (b[0] & 0x3fffffffu);
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
            const pd_i64 u = i < limbs ? (pd_i64)a[i * step] : 0;
            const pd_i64 v = i < limbs ? (pd_i64)b[i * step] : 0;
            s.a += u * s.f0 + v * s.g0;
            s.b += u * s.f1 + v * s.g1;
            if (i) {
                a[(i - 1u) * step] =
                    solve_shifted(s.low_a, (pd_u32)((pd_u64)s.a & 0xffffffffu), 30u);
                b[(i - 1u) * step] =
                    solve_shifted(s.low_b, (pd_u32)((pd_u64)s.b & 0xffffffffu), 30u);
            }
            s.low_a = (pd_u32)((pd_u64)s.a & 0xffffffffu);
            s.low_b = (pd_u32)((pd_u64)s.b & 0xffffffffu);
            s.a >>= 32;
            s.b >>= 32;
        }
        solve_negate(a, step, limbs, s.a < 0 ? 1u : 0u);
        solve_negate(b, step, limbs, s.b < 0 ? 1u : 0u);
    }
}

// x / (divisor 2^shift), exactly: of `limbs` limbs, and at work where x was. The divisor has `size`
// limbs, which are `apart`.
PD_FN void solve_divide(PD_GPTR(pd_u32) x, pd_u32 step, pd_u32 limbs, PD_GPTR(pd_u32) divisor,
                        pd_u32 apart, pd_u32 size, pd_u32 shift)
{
    const pd_u32 inverse = solve_inverse32(divisor[0]);
    solve_sum rest;
    rest.low = 0u;
    rest.high = rest.spare = 0u;
    for (pd_u32 j = 0u; j < limbs; j++) {
        pd_u32 digit;
        SOLVE_ADD(rest, solve_window(x, step, limbs, 32u * j + shift));
        for (pd_u32 i = j + 1u > size ? j + 1u - size : 0u; i < j; i++)
            SOLVE_SUB(rest, PD_MULWIDE(x[i * step], divisor[(j - i) * apart]));
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

PD_FN void solve_put_limbs(PD_GPTR(void) to, pd_u32 type, pd_u32 words, pd_u64 count, pd_u64 i,
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
#endif

#if PD_SOLVE_KIND == 3
// Limb l of element i of `count` results, in two's complement.
PD_FN pd_u32 solve_get(PD_GPTR(void) from, pd_u32 type, pd_u32 words, pd_u64 count, pd_u64 i,
                       pd_u32 l)
{
    const pd_u32 kind = type & 3u, bits = 8u << kind, word = l / 2u < words ? l / 2u : words - 1u;
    const pd_u64 x = words || kind == 3u ? ((PD_GPTR(pd_u64))from)[words ? word * count + i : i]
                     : kind == 2u        ? ((PD_GPTR(pd_u32))from)[i]
                     : kind == 1u        ? ((PD_GPTR(pd_u16))from)[i]
                                         : ((PD_GPTR(pd_u8))from)[i];
    const pd_u32 negative = words ? (pd_u32)(x >> 63)
                            : type & 4u ? (pd_u32)(x >> (bits - 1u)) & 1u
                                        : 0u;
    const pd_u64 all = negative && !words && kind < 3u ? x | (0u - (pd_u64)1u) << bits : x;
    if (l >= (words ? 2u * words : 2u)) return 0u - negative;
    return l & 1u ? (pd_u32)(all >> 32) : (pd_u32)all;
}
#endif

#if PD_SOLVE_KIND == 2
// An upper bound m 2^e, m with its top bit set; 0 is m = 0. As padici_scale of padic_num.h.
typedef struct {
    pd_u64 m;
    pd_i32 e, spare;
} solve_scale;

// (high, low) 2^e, rounded up.
PD_FN solve_scale solve_scale_of(pd_u64 high, pd_u64 low, pd_i32 e)
{
    const pd_u32 bits = high ? 64u + solve_bits64(high) : solve_bits64(low);
    solve_scale x;
    x.m = 0u;
    x.e = e + (pd_i32)bits - 64;
    x.spare = 0;
    if (!bits) return x;
    x.m = bits < 64u      ? low << (64u - bits)
          : bits % 64u    ? high << (128u - bits) | low >> (bits - 64u)
          : bits == 64u   ? low
                          : high;
    if (bits > 64u && low << ((128u - bits) & 63u) && !++x.m) {
        x.m = (pd_u64)1u << 63;
        x.e++;
    }
    return x;
}

PD_FN solve_scale solve_scale_mul(const solve_scale a, const solve_scale b)
{
    return solve_scale_of(PD_MULHI64(a.m, b.m), a.m * b.m, a.e + b.e);
}

// The square of the norm of n integers from `first` on, `step` apart.
PD_FN solve_scale solve_norm(PD_GPTR(void) from, pd_u32 wide, pd_u32 first, pd_u32 n, pd_u32 step)
{
    pd_u64 all = 0u, high = 0u, low = 0u;
    pd_u32 shift;
    for (pd_u32 i = 0u; i < n; i++)
        all |= solve_magnitude(solve_load(from, wide, first + i * step));
    shift = all >> 60 ? 8u : 0u; // so that the sum stays below 2^128
    for (pd_u32 i = 0u; i < n; i++) {
        const pd_u64 x = solve_magnitude(solve_load(from, wide, first + i * step));
        const pd_u64 above = PD_MULHI64(x, x), square = x * x;
        const pd_u64 add = shift ? (square >> 8 | above << 56) : square;
        low += add;
        high += (shift ? above >> 8 : above) + (low < add ? 1u : 0u);
        if (shift && !++low) high++;
    }
    return solve_scale_of(high, low, (pd_i32)shift);
}
#endif

// What is needed once a system lies in local memory, but for CUDA: scalar registers are few.
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

PD_KERNEL_MIN(padic_k_solve_systems, 64, 8)
(PD_BUF(pd_u32, m0), PD_BUF(pd_u32, m1), PD_BUF(pd_u32, m2), PD_BUF(pd_u32, m3),
 PD_BUF(pd_u32, m4), PD_BUF(pd_u32, m5), PD_BUF(pd_u32, m6), PD_BUF(pd_u32, m7),
 PD_PARAMS(padic_k_solve_systems_params, k))
{
#if !PD_IS_CUDA
    PD_LOCAL solve_pointer spot[8];
    PD_LOCAL pd_u32 fact[17];
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
        fact[7] = k.sides;
        fact[8] = k.items;
        fact[9] = PD_SOLVE_KIND ? ((PD_GPTR(pd_u32))spot[7])[1] : 0u; // of kind 0 it grows
        fact[10] = SOLVE_HAS(4);
        fact[11] = SOLVE_HAS(5);
        fact[12] = SOLVE_HAS(6);
        fact[13] = k.n;
        fact[14] = k.step;
        fact[15] = k.batch;
        fact[16] = k.again;
    }
    PD_BARRIER();
#endif
    PD_GPTR(pd_u32) const room = (PD_GPTR(pd_u32))SOLVE_SPOT(7);
#if PD_SOLVE_KIND == 0
    const pd_u32 n = SOLVE_N, sides = SOLVE_SIDES, cols = n + sides;
    const pd_u32 item = PD_GRP * SOLVE_WG + PD_LID;
    PD_GPTR(pd_u64) const w =
        (PD_GPTR(pd_u64))(PD_GPTR(void))(room + 2u + ((k.count + 1u) & 0xfffffffeu));
    pd_u32 seen = 0u;
    for (pd_u32 s = item; s < k.count; s += k.items) {
        pd_u64 most_a = 1u, most_b = 1u, inverse = 1u, d = 0u;
        pd_u32 row = 0u, shift = 0u, flip = 0u, bits = 0u;
        for (pd_u32 i = 0u; i < n; i++) {
            for (pd_u32 j = 0u; j < n; j++) {
                const pd_u64 x = SOLVE_INPUT(i, j);
                most_a |= solve_magnitude(x);
                SOLVE_AT(i, j) = x;
            }
            for (pd_u32 j = 0u; j < sides; j++) {
                const pd_u64 x = SOLVE_INPUT(i, n + j);
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
                solve_put_all(SOLVE_TO_0, (s * n + i) * SOLVE_STEP + side, x,
                              (pd_u32)((y ^ d) >> 63));
            }
            solve_put_all(SOLVE_TO_1, s * SOLVE_STEP + side,
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
            solve_put_all(SOLVE_TO_2, s, m, negative);
        }
        if (SOLVE_GIVEN(5)) ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = row;
        if (SOLVE_GIVEN(6)) SOLVE_NOTE(s, bits);
        seen |= bits;
    }
    if (seen) (void)PD_ATOMIC_OR_G(&room[0], seen);
#elif PD_SOLVE_KIND == 3
    const pd_u32 n = SOLVE_N, sides = SOLVE_SIDES;
    const pd_u32 words = SOLVE_WORDS(0) > SOLVE_WORDS(1) ? SOLVE_WORDS(0) : SOLVE_WORDS(1);
    const pd_u32 limbs = 2u * (words ? words : 1u) + 3u; // far beyond either side
    pd_u32 wrong = 0u;
    for (pd_u32 s = PD_GRP; s < k.count; s += SOLVE_ITEMS)
        for (pd_u32 e = PD_LID; e < n * sides; e += SOLVE_WG) {
            const pd_u32 i = e / sides, side = e - i * sides;
            solve_sum sum;
            sum.low = 0u;
            sum.high = sum.spare = 0u;
            for (pd_u32 l = 0u; l < limbs; l++) {
                for (pd_u32 j = 0u; j <= n; j++) {
                    const pd_u64 a = SOLVE_INPUT(i, j < n ? j : n + side), m = solve_magnitude(a);
                    const pd_u64 at = j < n ? (pd_u64)(s * n + j) * SOLVE_STEP + side
                                            : (pd_u64)s * SOLVE_STEP + side;
                    const pd_u32 x = j < n ? solve_get(SOLVE_TO_0, at, l)
                                           : solve_get(SOLVE_TO_1, at, l);
                    const pd_u32 y = l == 0u  ? 0u
                                     : j < n ? solve_get(SOLVE_TO_0, at, l - 1u)
                                             : solve_get(SOLVE_TO_1, at, l - 1u);
                    if ((pd_u32)(a >> 63) ^ (j < n ? 0u : 1u)) {
                        SOLVE_SUB(sum, PD_MULWIDE((pd_u32)m, x));
                        SOLVE_SUB(sum, PD_MULWIDE((pd_u32)(m >> 32), y));
                    } else {
                        SOLVE_ADD(sum, PD_MULWIDE((pd_u32)m, x));
                        SOLVE_ADD(sum, PD_MULWIDE((pd_u32)(m >> 32), y));
                    }
                }
                if ((pd_u32)sum.low) wrong = SOLVE_WRONG;
                SOLVE_NEXT(sum);
            }
        }
    if (wrong) (void)PD_ATOMIC_OR_G(&room[0], wrong);
#elif PD_SOLVE_KIND == 2
    PD_LOCAL solve_scale norm[2u * SOLVE_MOST]; // of rows, of columns; then their products
    const pd_u32 n = SOLVE_N;
    (void)room;
    for (pd_u32 s = PD_GRP; s < k.count; s += SOLVE_ITEMS) {
        PD_BARRIER();
        for (pd_u32 i = PD_LID; i < 2u * n; i += SOLVE_WG)
            norm[i] = i < n ? solve_norm(SOLVE_SPOT(0), SOLVE_WIDE, (s * n + i) * n, n, 1u)
                            : solve_norm(SOLVE_SPOT(0), SOLVE_WIDE, s * n * n + i - n, n, n);
        PD_BARRIER();
        if (PD_LID < 2u) { // in the order of the host: each step rounds
            solve_scale all;
            all.m = (pd_u64)1u << 63;
            all.e = -63;
            all.spare = 0;
            for (pd_u32 i = 0u; i < n; i++) all = solve_scale_mul(all, norm[PD_LID * n + i]);
            norm[PD_LID * n] = all;
        }
        PD_BARRIER();
        if (PD_LID == 0u) {
            const solve_scale rows = norm[0], cols = norm[n];
            const pd_u32 a = rows.m ? (pd_u32)(rows.e + 65) / 2u : 0u;
            const pd_u32 b = cols.m ? (pd_u32)(cols.e + 65) / 2u : 0u;
            ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = a < b ? a : b;
        }
    }
#else
    // Of a group: residues of (A B), where divisors and their like lie later; then the limbs of the
    // answers, det A times the unknowns and det A, side by side.
    PD_GPTR(pd_u32) const w = room + 2u + ((k.count + 1u) & 0xfffffffeu) + PD_GRP * k.each;
    PD_GPTR(pd_u32) const y = w + k.part;
    PD_LOCAL pd_u32 most[4];               // of A and B, two limbs each
    PD_LOCAL pd_u32 before[SOLVE_MOST];    // products of the pivots before each
    PD_LOCAL pd_u32 product[SOLVE_LIMBS];  // of the primes done
    PD_LOCAL pd_u32 found[3][SOLVE_MOST];  // of a side: limbs of the common divisor, its shift; 1:
                                           // a result does not fit
    for (pd_u32 turn = PD_GRP; turn < SOLVE_LISTED; turn += SOLVE_ITEMS) {
        // A compiler does not see that `more` is 0: it keeps nothing for all systems.
        const pd_u32 more = turn >> 31, lid = PD_LID + more;
        const pd_u32 n = SOLVE_N + more, sides = SOLVE_SIDES + more, cols = n + sides;
        const pd_u32 cells = n * cols, answers = n * sides + 1u;
        const pd_u32 s = ((PD_GPTR(pd_u32))SOLVE_SPOT(7))[2u + turn];
        pd_u32 bound, used, primes, done = 0u, rank = 0u, size = 1u, bits = 0u;
        if (lid < 4u) most[lid] = 0u;
        found[2][lid] = 0u;
        for (pd_u32 l = lid; l < SOLVE_LIMBS; l += SOLVE_WG) product[l] = l ? 0u : 1u;
        for (pd_u32 e = lid; e < answers; e += SOLVE_WG) y[e] = 0u;
        PD_BARRIER();
        for (pd_u32 e = lid; e < cells; e += SOLVE_WG) {
            const pd_u32 i = e / cols, j = e - i * cols, at = j < n ? 0u : 2u;
            const pd_u64 x = SOLVE_INPUT(i, j);
            const pd_u64 a = solve_magnitude(x);
            (void)PD_ATOMIC_OR_L(&most[at], (pd_u32)a);
            (void)PD_ATOMIC_OR_L(&most[at + 1u], (pd_u32)(a >> 32));
        }
        PD_BARRIER();
        bound = solve_bound(n, n, solve_bits64(PD_U64(most[0] | 1u, most[1])),
                            solve_bits64(PD_U64(most[2] | 1u, most[3])));
        used = bound / 32u + 1u;
        primes = (bound + 2u) / 31u + 1u; // twice the answers, and more
        for (pd_u32 t = 0u; done < primes && (rank == n || t < primes); t++) {
            pd_u32 row = 0u, pivots, others, flip = 0u, scale, share;
            solve_field f;
            f.q = 0x80000000u - solve_primes[t];
            f.inverse = solve_inverse32(f.q);
            pivots = others = SOLVE_ONE(f);
            PD_BARRIER_ALL();
            for (pd_u32 e = lid; e < cells; e += SOLVE_WG) {
                const pd_u32 i = e / cols, j = e - i * cols;
                const pd_u64 x = SOLVE_INPUT(i, j);
                w[e] = solve_residue(f, x);
            }
            PD_BARRIER_ALL();
            // Jordan's elimination without a division: row i of another column is multiplied by
            // each pivot, so the product of those before it says what is too much.
            for (pd_u32 c = 0u; c < n; c++) {
                const pd_u32 width = cols - c - 1u, down = width ? SOLVE_WG / width : 0u;
                pd_u32 top = row, i, j, pivot;
                while (top < n && !w[top * cols + c]) top++;
                if (top == n) continue; // the same for all items
                if (top != row) {
                    PD_BARRIER_ALL();
                    for (j = c + lid; j < cols; j += SOLVE_WG) {
                        const pd_u32 x = w[row * cols + j];
                        w[row * cols + j] = w[top * cols + j];
                        w[top * cols + j] = x;
                    }
                    flip ^= 1u;
                    PD_BARRIER_ALL();
                }
                pivot = w[row * cols + c];
                i = width ? lid / width : n;
                j = lid - i * width;
                for (; i < n; i += down) { // entry (i, c + 1 + j)
                    if (i != row && (i > row || sides)) {
                        const pd_u32 e = i * cols + c + 1u + j;
                        w[e] = solve_cross(f, pivot, w[e], w[i * cols + c],
                                           w[row * cols + c + 1u + j]);
                    }
                    j += SOLVE_WG - down * width;
                    if (j >= width) {
                        j -= width;
                        i++;
                    }
                }
                if (lid == 0u) before[row] = pivots;
                if (row) others = solve_mont(f, others, pivots);
                pivots = solve_mont(f, pivots, pivot);
                row++;
                PD_BARRIER_ALL();
            }
            if (row > rank) rank = row;
            if (row < n) continue; // the prime divides det A
            share = 0u; // the product of the primes before
            for (pd_u32 l = size; l > 0u; l--)
                share = solve_reduce(f, PD_MULWIDE(share, SOLVE_SQUARE(f)) +
                                            PD_MULWIDE(product[l - 1u], SOLVE_ONE(f)));
            scale = solve_invert(f, solve_mont(f, others, solve_mont(f, share, SOLVE_SQUARE(f))));
            scale = solve_mont(f, scale, 1u);
            for (pd_u32 e = lid; e < answers; e += SOLVE_WG) {
                const pd_u32 i = sides ? e / sides : 0u, j = n + e - i * sides;
                pd_u32 x = 0u, z;
                pd_u64 carry = 0u;
                for (pd_u32 l = size; l > 0u; l--)
                    x = solve_reduce(f, PD_MULWIDE(x, SOLVE_SQUARE(f)) +
                                            PD_MULWIDE(y[(l - 1u) * answers + e], SOLVE_ONE(f)));
                z = e + 1u < answers ? before[i] : SOLVE_ONE(f);
                x = solve_cross(f, e + 1u < answers ? w[i * cols + j] : pivots,
                                flip ? f.q - z : z, solve_mont(f, x, SOLVE_SQUARE(f)), others);
                x = solve_mont(f, x, scale);
                for (pd_u32 l = 0u; l < size; l++) { // more of them: the product times x
                    carry += PD_MULWIDE(product[l], x) + y[l * answers + e];
                    y[l * answers + e] = (pd_u32)carry;
                    carry >>= 32;
                }
                y[size * answers + e] = (pd_u32)carry;
            }
            PD_BARRIER();
            if (lid == 0u) {
                pd_u64 carry = 0u;
                for (pd_u32 l = 0u; l < size; l++) {
                    carry += PD_MULWIDE(product[l], f.q);
                    product[l] = (pd_u32)carry;
                    carry >>= 32;
                }
                product[size] = (pd_u32)carry;
            }
            PD_BARRIER();
            if (product[size]) size++;
            done++;
        }
        PD_BARRIER_ALL();
        for (pd_u32 e = lid; e < answers && rank == n; e += SOLVE_WG) // limb `used`: the sign
            y[used * answers + e] = solve_absolute(y + e, answers, product, size, bound);
        PD_BARRIER_ALL();
        if (lid < sides && rank == n) { // the greatest common divisor of a side: divisor 2^shift
            PD_GPTR(const pd_u32) const det = y + n * sides;
            PD_GPTR(pd_u32) const divisor = w + lid;
            PD_GPTR(pd_u32) const other = divisor + used * sides;
            const pd_u32 zeros = solve_zeros(det, answers, used);
            pd_u32 shift = zeros;
            for (pd_u32 l = 0u; l < used; l++)
                divisor[l * sides] = solve_window(det, answers, used, 32u * l + zeros);
            for (pd_u32 i = 0u; i < n; i++) {
                PD_GPTR(const pd_u32) const x = y + i * sides + lid;
                const pd_u32 here = solve_zeros(x, answers, used);
                if (here < shift) shift = here;
                if (here > 32u * used) continue; // 0
                if (divisor[0] == 1u && solve_size(divisor, sides, used) == 1u) continue;
                for (pd_u32 l = 0u; l < used; l++) other[l * sides] = x[l * answers];
                solve_gcd(other, divisor, sides, used);
            }
            found[0][lid] = solve_size(divisor, sides, used);
            found[1][lid] = shift;
            for (pd_u32 l = 0u; l < used; l++) // the denominator, next
                other[l * sides] = det[l * answers];
        }
        PD_BARRIER_ALL();
        for (pd_u32 turn_ = 0u; turn_ < 2u; turn_++) { // divide, and look whether all fit; write
            for (pd_u32 e = lid; e < (n + 1u) * sides; e += SOLVE_WG) {
                const pd_u32 i = e / sides, side = e - i * sides;
                PD_GPTR(pd_u32) const x = i < n ? y + e : w + used * sides + side;
                const pd_u32 step = i < n ? answers : sides;
                const pd_u32 negative = i < n && rank == n
                                            ? y[used * answers + e] ^ y[used * answers + n * sides]
                                            : 0u;
                if (turn_) {
                    const pd_u32 fits = rank == n && !found[2][side] ? 1u : 0u;
                    if (i < n)
                        solve_put_limbs(SOLVE_TO_0, (s * n + i) * SOLVE_STEP + side, x, step,
                                        fits ? used : 0u, fits ? negative : 0u);
                    else
                        solve_put_limbs(SOLVE_TO_1, s * SOLVE_STEP + side, x, step,
                                        fits ? used : 0u, 0u);
                } else if (rank == n) {
                    PD_GPTR(pd_u32) const divisor = w + side;
                    if (found[0][side] > 1u || divisor[0] > 1u || found[1][side])
                        solve_divide(x, step, used, divisor, sides, found[0][side],
                                     found[1][side]);
                    if (!solve_fits_limbs(i < n ? SOLVE_TYPE(0) : SOLVE_TYPE(1),
                                          i < n ? SOLVE_WORDS(0) : SOLVE_WORDS(1), x, step, used,
                                          negative))
                        (void)PD_ATOMIC_OR_L(&found[2][side], 1u);
                }
            }
            PD_BARRIER_ALL();
        }
        if (lid == 0u) {
            for (pd_u32 side = 0u; side < sides; side++)
                if (found[2][side]) bits |= SOLVE_RANGE;
            if (rank < n && sides) bits |= SOLVE_DIV0;
            if (SOLVE_GIVEN(4)) {
                PD_GPTR(const pd_u32) const det = y + n * sides;
                const pd_u32 negative = rank == n ? det[used * answers] : 0u;
                pd_u32 limbs = rank == n ? used : 0u;
                if (!solve_fits_limbs(SOLVE_FORM_2, det, answers, limbs, negative)) {
                    limbs = 0u;
                    bits |= SOLVE_RANGE;
                }
                solve_put_limbs(SOLVE_TO_2, s, det, answers, limbs,
                                limbs ? negative : 0u);
            }
            if (SOLVE_GIVEN(5)) ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = rank;
            if (SOLVE_GIVEN(6)) SOLVE_NOTE(s, bits);
            if (bits) (void)PD_ATOMIC_OR_G((PD_GPTR(pd_u32))SOLVE_SPOT(7), bits);
        }
        PD_BARRIER_ALL(); // before the next system takes the room
    }
#endif
}
