// solve_check.cl: checks A x = d b.

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

// One group for each system.
PD_FN void solve_check(SOLVE_ARGS)
{
    PD_GPTR(pd_u32) const room = (PD_GPTR(pd_u32))SOLVE_SPOT(7);
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
}
#endif
