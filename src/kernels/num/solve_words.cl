// solve_words.cl: systems whose minors are below 2^62, one item for each.

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

#define SOLVE_AT(i, j) w[((i) * cols + (j)) * k.items] // of the system at w

// Loads the entries of system s. Returns the bits that bound its minors.
PD_FN pd_u32 solve_words_load(SOLVE_ARGS, PD_GPTR(pd_u64) w, pd_u32 s)
{
    const pd_u32 n = SOLVE_N, sides = SOLVE_SIDES, cols = n + sides;
    pd_u64 most_a = 1u, most_b = 1u;
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
    return solve_bound(n, n, solve_bits64(most_a), solve_bits64(most_b));
}

// det A except for its sign, which `flip` changes; the rank.
typedef struct {
    pd_u64 d;
    pd_u32 rank, flip;
} solve_det;

PD_FN solve_det solve_words_eliminate(SOLVE_ARGS, PD_GPTR(pd_u64) w)
{
    const pd_u32 n = SOLVE_N, sides = SOLVE_SIDES, cols = n + sides;
    pd_u64 inverse = 1u, d = 0u;
    pd_u32 row = 0u, shift = 0u, flip = 0u;
    solve_det x;
    SOLVE_ANY;
    for (pd_u32 c = 0u; c < n; c++) {
        pd_u32 top = row;
        while (top < n && !SOLVE_AT(top, c)) top++;
        if (top == n) continue;
        for (pd_u32 j = c; j < cols && top != row; j++) {
            const pd_u64 z = SOLVE_AT(row, j);
            SOLVE_AT(row, j) = SOLVE_AT(top, j);
            SOLVE_AT(top, j) = z;
        }
        if (top != row) flip ^= 1u;
        d = SOLVE_AT(row, c);
        for (pd_u32 i = sides ? 0u : row + 1u; i < n; i++) {
            const pd_u64 factor = i == row ? 0u : SOLVE_AT(i, c);
            for (pd_u32 j = c + 1u; j < cols && i != row; j++) {
                const pd_u64 z = SOLVE_AT(i, j), y = SOLVE_AT(row, j);
                const pd_u64 low = d * z, less = factor * y;
                const pd_u64 high = solve_mulhi(d, z) - solve_mulhi(factor, y) -
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
    x.d = row < n ? 0u : d;
    x.rank = row;
    x.flip = flip;
    return x;
}

// The answers of a side, in lowest terms. Returns status bits.
PD_FN pd_u32 solve_words_side(SOLVE_ARGS, PD_GPTR(pd_u64) w, pd_u32 s, pd_u32 side, pd_u64 d)
{
    const pd_u32 n = SOLVE_N, cols = n + SOLVE_SIDES;
    pd_u32 bits = 0u;
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
    if (d && !fits) bits = SOLVE_RANGE;
    for (pd_u32 i = 0u; i < n; i++) {
        const pd_u64 y = SOLVE_AT(i, n + side), m_y = solve_magnitude(y);
        const pd_u64 x = !fits ? 0u : g > 1u ? m_y / g : m_y;
        solve_put_all(SOLVE_TO_0, (s * n + i) * SOLVE_STEP + side, x,
                      (pd_u32)((y ^ d) >> 63));
    }
    solve_put_all(SOLVE_TO_1, s * SOLVE_STEP + side,
                  !fits ? 0u : g > 1u ? m / g : m, 0u);
    return bits;
}

PD_FN pd_u32 solve_words_det(SOLVE_ARGS, pd_u32 s, const solve_det x)
{
    const pd_u32 negative = (pd_u32)(x.d >> 63) ^ x.flip;
    pd_u64 m = solve_magnitude(x.d);
    pd_u32 bits = 0u;
    SOLVE_ANY;
    if (!solve_fits(SOLVE_FORM_2, solve_bits64(m), negative, m & (m - 1u) ? 0u : 1u)) {
        m = 0u;
        bits = SOLVE_RANGE;
    }
    solve_put_all(SOLVE_TO_2, s, m, negative);
    return bits;
}

// One system per item.
PD_FN void solve_words(SOLVE_ARGS)
{
    PD_GPTR(pd_u32) const room = (PD_GPTR(pd_u32))SOLVE_SPOT(7);
    const pd_u32 n = SOLVE_N, sides = SOLVE_SIDES;
    const pd_u32 item = PD_GRP * SOLVE_WG + PD_LID;
    PD_GPTR(pd_u64) const w =
        (PD_GPTR(pd_u64))(PD_GPTR(void))(room + 2u + ((k.count + 1u) & 0xfffffffeu)) + item;
    pd_u32 seen = 0u;
    for (pd_u32 s = item; s < k.count; s += k.items) {
        pd_u32 bits = 0u;
        solve_det x;
        if (solve_words_load(SOLVE_PASS, w, s) > 62u) {
            room[2u + PD_ATOMIC_ADD_G(&room[1], 1u)] = s;
            continue;
        }
        x = solve_words_eliminate(SOLVE_PASS, w);
        for (pd_u32 side = 0u; side < sides; side++)
            bits |= solve_words_side(SOLVE_PASS, w, s, side, x.d);
        if (x.rank < n && sides) bits |= SOLVE_DIV0;
        if (SOLVE_GIVEN(4)) bits |= solve_words_det(SOLVE_PASS, s, x);
        if (SOLVE_GIVEN(5)) ((PD_GPTR(pd_u32))SOLVE_SPOT(5))[s] = x.rank;
        if (SOLVE_GIVEN(6)) SOLVE_NOTE(s, bits);
        seen |= bits;
    }
    if (seen) (void)PD_ATOMIC_OR_G(&room[0], seen);
}
#endif
