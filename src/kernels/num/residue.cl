// residue.cl: residues modulo P = p^N: products, powers, valuations, inverses.

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
#define NUM_LESS_ONE(r) ((r).rung[19]) // R / (p - 1) modulo P, if needed
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

// The constants of the ring. Rarely needed ones lie in local memory: registers are scarce.
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

// To Montgomery form and back: a R, a / R.
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

// floor(u / p): drops the lowest digit.
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

// 1 if a, not 0, is a unit.
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

// x = p^v u, x not 0. Odd p: p^(2^j) divides x iff x p^-(2^j) modulo 2^bits is at most the largest
// possible quotient.
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

// a^-1 of a unit, in Montgomery form. Odd p: a^(p-2) is right modulo p; each step doubles the
// digits.
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
