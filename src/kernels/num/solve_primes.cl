// solve_primes.cl: larger systems, one group for each, modulo primes.

#if PD_SOLVE_KIND == 1
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

// Replaces x, modulo the product of primes, by the magnitude of the number below 2^bound that it
// represents. Returns 1 if that is negative.
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

// Zeros below the lowest set bit of x; for 0 more than any other number has.
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

// Negates x, if requested.
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

// x / (divisor 2^shift), exactly, in place: of `limbs` limbs. The divisor has `size` limbs, which
// are `apart`.
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

// As solve_fits() and solve_put_all(), for limbs.
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

// A group's data of a system: the residues of (A B) at w, later divisors and their like; at y the
// limbs of the answers, det A times the unknowns and det A, interleaved.
typedef struct {
    PD_GPTR(pd_u32) w;
    PD_GPTR(pd_u32) y;
    PD_LPTR(pd_u32) most;    // of A and B, two limbs each
    PD_LPTR(pd_u32) before;  // products of the pivots before each
    PD_LPTR(pd_u32) product; // of the primes done
    PD_LPTR(pd_u32) found;   // of a side: limbs of the common divisor, its shift; 1: a result does
                             // not fit
    pd_u32 lid, n, sides, s, used, rank, size, bound; // used, size: limbs of an answer, of product
} solve_group;

// The results of a prime: the products of pivots and of those products, the rank.
typedef struct {
    pd_u32 pivots, others, flip, row;
} solve_pivots;

// The bound of the minors, in bits.
PD_FN pd_u32 solve_group_bound(SOLVE_ARGS, const solve_group g)
{
    PD_GPTR(pd_u32) const y = g.y;
    PD_LPTR(pd_u32) const product = g.product;
    PD_LPTR(pd_u32) const found = g.found;
    const pd_u32 lid = g.lid, n = g.n, cols = g.n + g.sides, cells = g.n * (g.n + g.sides);
    const pd_u32 answers = g.n * g.sides + 1u, s = g.s;
    SOLVE_ANY;
    if (lid < 4u) g.most[lid] = 0u;
    found[2u * SOLVE_MOST + lid] = 0u;
    for (pd_u32 l = lid; l < SOLVE_LIMBS; l += SOLVE_WG) product[l] = l ? 0u : 1u;
    for (pd_u32 e = lid; e < answers; e += SOLVE_WG) y[e] = 0u;
    PD_BARRIER();
    for (pd_u32 e = lid; e < cells; e += SOLVE_WG) {
        const pd_u32 i = e / cols, j = e - i * cols, at = j < n ? 0u : 2u;
        const pd_u64 x = SOLVE_INPUT(i, j);
        const pd_u64 a = solve_magnitude(x);
        (void)PD_ATOMIC_OR_L(&g.most[at], (pd_u32)a);
        (void)PD_ATOMIC_OR_L(&g.most[at + 1u], (pd_u32)(a >> 32));
    }
    PD_BARRIER();
    return solve_bound(n, n, solve_bits64(PD_U64(g.most[0] | 1u, g.most[1])),
                       solve_bits64(PD_U64(g.most[2] | 1u, g.most[3])));
}

PD_FN solve_pivots solve_group_eliminate(SOLVE_ARGS, const solve_group g, const solve_field f)
{
    PD_GPTR(pd_u32) const w = g.w;
    PD_LPTR(pd_u32) const before = g.before;
    const pd_u32 lid = g.lid, n = g.n, sides = g.sides, cols = g.n + g.sides;
    const pd_u32 cells = g.n * (g.n + g.sides), s = g.s;
    pd_u32 row = 0u, pivots = SOLVE_ONE(f), others = pivots, flip = 0u;
    solve_pivots left;
    SOLVE_ANY;
    PD_BARRIER_ALL();
    for (pd_u32 e = lid; e < cells; e += SOLVE_WG) {
        const pd_u32 i = e / cols, j = e - i * cols;
        const pd_u64 x = SOLVE_INPUT(i, j);
        w[e] = solve_residue(f, x);
    }
    PD_BARRIER_ALL();
    // Jordan's elimination without divisions: row i of another column is multiplied by each pivot,
    // so the product of the earlier ones is the excess factor.
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
    left.pivots = pivots;
    left.others = others;
    left.flip = flip;
    left.row = row;
    return left;
}

// Extends the answers and the product by one prime.
PD_FN void solve_group_extend(const solve_group g, const solve_field f,
                              const solve_pivots left)
{
    PD_GPTR(pd_u32) const w = g.w;
    PD_GPTR(pd_u32) const y = g.y;
    PD_LPTR(pd_u32) const before = g.before;
    PD_LPTR(pd_u32) const product = g.product;
    const pd_u32 lid = g.lid, n = g.n, sides = g.sides, cols = g.n + g.sides;
    const pd_u32 answers = g.n * g.sides + 1u, size = g.size;
    pd_u32 scale, share = 0u; // the product of the earlier primes
    for (pd_u32 l = size; l > 0u; l--)
        share = solve_reduce(f, PD_MULWIDE(share, SOLVE_SQUARE(f)) +
                                    PD_MULWIDE(product[l - 1u], SOLVE_ONE(f)));
    scale = solve_invert(f, solve_mont(f, left.others, solve_mont(f, share, SOLVE_SQUARE(f))));
    scale = solve_mont(f, scale, 1u);
    for (pd_u32 e = lid; e < answers; e += SOLVE_WG) {
        const pd_u32 i = sides ? e / sides : 0u, j = n + e - i * sides;
        pd_u32 x = 0u, z;
        pd_u64 carry = 0u;
        for (pd_u32 l = size; l > 0u; l--)
            x = solve_reduce(f, PD_MULWIDE(x, SOLVE_SQUARE(f)) +
                                    PD_MULWIDE(y[(l - 1u) * answers + e], SOLVE_ONE(f)));
        z = e + 1u < answers ? before[i] : SOLVE_ONE(f);
        x = solve_cross(f, e + 1u < answers ? w[i * cols + j] : left.pivots,
                        left.flip ? f.q - z : z, solve_mont(f, x, SOLVE_SQUARE(f)), left.others);
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
}

// Limb `used` of an answer: its sign.
PD_FN void solve_group_signs(const solve_group g)
{
    const pd_u32 answers = g.n * g.sides + 1u;
    for (pd_u32 e = g.lid; e < answers && g.rank == g.n; e += SOLVE_WG)
        g.y[g.used * answers + e] = solve_absolute(g.y + e, answers, g.product, g.size, g.bound);
}

// The greatest common divisor of side `lid`: divisor 2^shift.
PD_FN void solve_group_divisor(const solve_group g)
{
    PD_GPTR(pd_u32) const w = g.w;
    PD_GPTR(pd_u32) const y = g.y;
    PD_LPTR(pd_u32) const found = g.found;
    const pd_u32 lid = g.lid, n = g.n, sides = g.sides, answers = g.n * g.sides + 1u;
    const pd_u32 used = g.used;
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
    found[lid] = solve_size(divisor, sides, used);
    found[SOLVE_MOST + lid] = shift;
    for (pd_u32 l = 0u; l < used; l++) // the denominator, next
        other[l * sides] = det[l * answers];
}

// Divides, and checks whether all fit; then writes.
PD_FN void solve_group_put(SOLVE_ARGS, const solve_group g, pd_u32 turn)
{
    PD_GPTR(pd_u32) const w = g.w;
    PD_GPTR(pd_u32) const y = g.y;
    PD_LPTR(pd_u32) const found = g.found;
    const pd_u32 lid = g.lid, n = g.n, sides = g.sides, answers = g.n * g.sides + 1u;
    const pd_u32 used = g.used, rank = g.rank, s = g.s;
    SOLVE_ANY;
    for (pd_u32 e = lid; e < (n + 1u) * sides; e += SOLVE_WG) {
        const pd_u32 i = e / sides, side = e - i * sides;
        PD_GPTR(pd_u32) const x = i < n ? y + e : w + used * sides + side;
        const pd_u32 step = i < n ? answers : sides;
        const pd_u32 negative = i < n && rank == n
                                    ? y[used * answers + e] ^ y[used * answers + n * sides]
                                    : 0u;
        if (turn) {
            const pd_u32 fits = rank == n && !found[2u * SOLVE_MOST + side] ? 1u : 0u;
            if (i < n)
                solve_put_limbs(SOLVE_TO_0, (s * n + i) * SOLVE_STEP + side, x, step,
                                fits ? used : 0u, fits ? negative : 0u);
            else
                solve_put_limbs(SOLVE_TO_1, s * SOLVE_STEP + side, x, step,
                                fits ? used : 0u, 0u);
        } else if (rank == n) {
            PD_GPTR(pd_u32) const divisor = w + side;
            if (found[side] > 1u || divisor[0] > 1u || found[SOLVE_MOST + side])
                solve_divide(x, step, used, divisor, sides, found[side],
                             found[SOLVE_MOST + side]);
            if (!solve_fits_limbs(i < n ? SOLVE_TYPE(0) : SOLVE_TYPE(1),
                                  i < n ? SOLVE_WORDS(0) : SOLVE_WORDS(1), x, step, used,
                                  negative))
                (void)PD_ATOMIC_OR_L(&found[2u * SOLVE_MOST + side], 1u);
        }
    }
}

// The determinant, the rank, the status.
PD_FN void solve_group_note(SOLVE_ARGS, const solve_group g)
{
    PD_GPTR(pd_u32) const y = g.y;
    PD_LPTR(pd_u32) const found = g.found;
    const pd_u32 n = g.n, sides = g.sides, answers = g.n * g.sides + 1u, used = g.used;
    const pd_u32 rank = g.rank, s = g.s;
    pd_u32 bits = 0u;
    SOLVE_ANY;
    for (pd_u32 side = 0u; side < sides; side++)
        if (found[2u * SOLVE_MOST + side]) bits |= SOLVE_RANGE;
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

// One group for each system of the list.
PD_FN void solve_listed(SOLVE_ARGS, PD_LPTR(pd_u32) most, PD_LPTR(pd_u32) before,
                        PD_LPTR(pd_u32) product, PD_LPTR(pd_u32) found)
{
    PD_GPTR(pd_u32) const room = (PD_GPTR(pd_u32))SOLVE_SPOT(7);
    solve_group g;
    g.w = room + 2u + ((k.count + 1u) & 0xfffffffeu) + PD_GRP * k.each;
    g.y = g.w + k.part;
    g.most = most;
    g.before = before;
    g.product = product;
    g.found = found;
    g.used = g.bound = 0u;
    for (pd_u32 turn = PD_GRP; turn < SOLVE_LISTED; turn += SOLVE_ITEMS) {
        // A compiler does not see that `more` is 0, so it keeps nothing for all systems.
        const pd_u32 more = turn >> 31;
        pd_u32 primes, done = 0u;
        g.lid = PD_LID + more;
        g.n = SOLVE_N + more;
        g.sides = SOLVE_SIDES + more;
        g.s = ((PD_GPTR(pd_u32))SOLVE_SPOT(7))[2u + turn];
        g.rank = 0u;
        g.size = 1u;
        g.bound = solve_group_bound(SOLVE_PASS, g);
        g.used = g.bound / 32u + 1u;
        primes = (g.bound + 2u) / 31u + 1u; // twice the answers, and more
        for (pd_u32 t = 0u; done < primes && (g.rank == g.n || t < primes); t++) {
            solve_pivots left;
            solve_field f;
            f.q = 0x80000000u - solve_primes[t];
            f.inverse = solve_inverse32(f.q);
            left = solve_group_eliminate(SOLVE_PASS, g, f);
            if (left.row > g.rank) g.rank = left.row;
            if (left.row < g.n) continue; // the prime divides det A
            solve_group_extend(g, f, left);
            if (product[g.size]) g.size++;
            done++;
        }
        PD_BARRIER_ALL();
        solve_group_signs(g);
        PD_BARRIER_ALL();
        if (g.lid < g.sides && g.rank == g.n) solve_group_divisor(g);
        PD_BARRIER_ALL();
        for (pd_u32 pass = 0u; pass < 2u; pass++) {
            solve_group_put(SOLVE_PASS, g, pass);
            PD_BARRIER_ALL();
        }
        if (g.lid == 0u) solve_group_note(SOLVE_PASS, g);
        PD_BARRIER_ALL(); // before the next system reuses the memory
    }
}
#endif
