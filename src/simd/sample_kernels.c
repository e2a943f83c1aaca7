// @per-level
#if !defined(PADIC_NO_SAMPLE) && PADICI_ISA_LEVEL <= 3

// U32 indices, contiguous; returns whether one is above `last`.
PADICI_TARGET static int PADICI_SK(fetch)(const padici_simd_sample_plan *p, const char *from,
                                          uint64_t *v)
{
    const PADICI_V last = PADICI_L(all)(p->call->last);
    PADICI_V bad = PADICI_L(all)(0);
    uint64_t any[PADICI_LANES], all = 0;
    uint32_t j;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
        const PADICI_V i = PADICI_L(load32)(from + 4 * j);
        bad = PADICI_L(bit_or)(bad, PADICI_L(above)(i, last));
        PADICI_L(store)(v + j, i);
    }
    PADICI_L(store)(any, bad);
    for (j = 0; j < PADICI_LANES; j++) all |= any[j];
    return all != 0;
}

PADICI_TARGET static void PADICI_SK(bits)(const padici_simd_sample_plan *p, uint64_t *v)
{
    static const uint64_t masks[6] = {
        0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
        0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
    const PADICI_V rest = PADICI_L(all)(64 - p->radix.levels);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
        PADICI_V x = PADICI_L(load)(v + j);
        for (k = 0; k < 6; k++) {
            const PADICI_V mask = PADICI_L(all)(masks[k]), n = PADICI_L(all)(1u << k);
            x = PADICI_L(bit_or)(PADICI_L(bit_and)(PADICI_L(srl)(x, n), mask),
                             PADICI_L(sll)(PADICI_L(bit_and)(x, mask), n));
        }
        PADICI_L(store)(v + j, PADICI_L(srl)(x, rest));
    }
}

PADICI_TARGET static void PADICI_SK(plain)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V top = PADICI_L(all)(p->u.by.top), mask = PADICI_L(all)(0xffffffffu);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += 2 * PADICI_LANES) {
        const PADICI_V i = PADICI_L(load)(v + j), h = PADICI_L(load)(v + j + PADICI_LANES);
        PADICI_V r = PADICI_L(mul)(i, top), s = PADICI_L(mul)(h, top);
        for (k = 1; k < p->radix.levels; k++) {
            const PADICI_V m = PADICI_L(all)(p->u.by.m[k]), a = PADICI_L(all)(p->u.by.a[k]);
            const PADICI_V n = PADICI_L(all)(p->u.by.s[k]), c = PADICI_L(all)(p->u.by.c[k]);
            PADICI_V q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(i, m), a), n);
            r = PADICI_L(add)(r, PADICI_L(mul)(q, c));
            q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(h, m), a), n);
            s = PADICI_L(add)(s, PADICI_L(mul)(q, c));
        }
        PADICI_L(store)(v + j, PADICI_L(bit_and)(r, mask));
        PADICI_L(store)(v + j + PADICI_LANES, PADICI_L(bit_and)(s, mask));
    }
}

// One affine map per node (OWEN) or per level: see padici_sample_owen32() and _permute().
PADICI_TARGET static void PADICI_SK(map)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V base = PADICI_L(all)(p->radix.base), less = PADICI_L(all)(p->radix.base - 1);
    const PADICI_V m = PADICI_L(all)(p->u.by.m[1]), a = PADICI_L(all)(p->u.by.a[1]);
    const PADICI_V n = PADICI_L(all)(p->u.by.s[1]), mix1 = PADICI_L(all)(0x7feb352du);
    const PADICI_V mix2 = PADICI_L(all)(0x846ca68bu), mix3 = PADICI_L(all)(0x01000193u);
    const PADICI_V inverse = PADICI_L(all)(UINT32_MAX / p->radix.base + 1);
    const PADICI_V prefixes = PADICI_L(all)(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0 : ~0ull);
    uint64_t r[PADICI_SAMPLE_WORDS];
    uint32_t j, k;
    memset(r, 0, sizeof r);
    for (k = 0; k < p->radix.levels; k++) {
        const PADICI_V key = PADICI_L(all)(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
            const PADICI_V i = PADICI_L(load)(v + j), prefix = PADICI_L(load)(r + j);
            const PADICI_V q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(i, m), a), n);
            const PADICI_V d = PADICI_L(sub)(i, PADICI_L(mul)(q, base));
            PADICI_V h = PADICI_L(bit_xor)(PADICI_L(bit_and)(prefix, prefixes), key), t;
            h = PADICI_L(mul)(PADICI_L(bit_xor)(h, PADICI_L(half16)(h)), mix1);
            h = PADICI_L(mul)(PADICI_L(bit_xor)(h, PADICI_L(half15)(h)), mix2);
            h = PADICI_L(bit_xor)(h, PADICI_L(half16)(h));
            t = PADICI_L(high)(PADICI_L(mul)(PADICI_L(mul)(h, mix3), less));
            t = PADICI_L(add)(PADICI_L(add)(PADICI_L(mul)(t, d), d),
                              PADICI_L(high)(PADICI_L(mul)(h, base)));
            h = PADICI_L(high)(PADICI_L(mul)(t, inverse));
            t = PADICI_L(sub)(t, PADICI_L(mul)(h, base));
            PADICI_L(store)(v + j, q);
            PADICI_L(store)(r + j, PADICI_L(add)(PADICI_L(mul)(prefix, base), t));
        }
    }
    memcpy(v, r, sizeof r);
}

// floor(h b / 2^64), b < 2^32.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(part)(PADICI_V h, PADICI_V b)
{
    const PADICI_V low = PADICI_L(high)(PADICI_L(mul)(h, b));
    const PADICI_V high = PADICI_L(mul)(PADICI_L(high)(h), b);
    return PADICI_L(high)(PADICI_L(add)(high, low));
}

// floor(x / b) of x < 2^32; *rest: x mod b.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(div)(const padici_simd_sample_plan *p, PADICI_V x,
                                                    PADICI_V *rest)
{
    const PADICI_V m = PADICI_L(all)(p->u.by.m[1]), a = PADICI_L(all)(p->u.by.a[1]);
    const PADICI_V n = PADICI_L(all)(p->u.by.s[1]), base = PADICI_L(all)(p->radix.base);
    const PADICI_V q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(x, m), a), n);
    *rest = PADICI_L(sub)(x, PADICI_L(mul)(q, base));
    return q;
}

// The same as map with 64-bit words and hashes, b < 2^16. i is divided from the top down, 16 bits
// at a time after the upper half: see padici_sample_owen64().
PADICI_TARGET static void PADICI_SK(map64)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V base = PADICI_L(all)(p->radix.base), less = PADICI_L(all)(p->radix.base - 1);
    const PADICI_V mix1 = PADICI_L(all)(0xbf58476d1ce4e5b9u);
    const PADICI_V mix2 = PADICI_L(all)(0x94d049bb133111ebu);
    const PADICI_V mix3 = PADICI_L(all)(0x9e3779b97f4a7c15u), half = PADICI_L(all)(0xffff);
    const PADICI_V by16 = PADICI_L(all)(16), by27 = PADICI_L(all)(27);
    const PADICI_V by30 = PADICI_L(all)(30), by31 = PADICI_L(all)(31);
    const PADICI_V by32 = PADICI_L(all)(32);
    const PADICI_V prefixes = PADICI_L(all)(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0 : ~0ull);
    uint64_t r[PADICI_SAMPLE_WORDS];
    uint32_t j, k;
    memset(r, 0, sizeof r);
    for (k = 0; k < p->radix.levels; k++) {
        const PADICI_V key = PADICI_L(all)(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
            const PADICI_V i = PADICI_L(load)(v + j), prefix = PADICI_L(load)(r + j);
            PADICI_V h = PADICI_L(bit_xor)(PADICI_L(bit_and)(prefix, prefixes), key), d, q, a, c;
            q = PADICI_L(sll)(PADICI_SK(div)(p, PADICI_L(high)(i), &d), by32);
            a = PADICI_L(bit_and)(PADICI_L(srl)(i, by16), half);
            a = PADICI_L(bit_or)(PADICI_L(sll)(d, by16), a);
            a = PADICI_SK(div)(p, a, &d);
            q = PADICI_L(add)(q, PADICI_L(sll)(a, by16));
            a = PADICI_L(bit_or)(PADICI_L(sll)(d, by16), PADICI_L(bit_and)(i, half));
            q = PADICI_L(add)(q, PADICI_SK(div)(p, a, &d));
            PADICI_L(store)(v + j, q);
            h = PADICI_L(bit_xor)(h, PADICI_L(srl)(h, by30));
            h = PADICI_L(mul64)(h, mix1);
            h = PADICI_L(bit_xor)(h, PADICI_L(srl)(h, by27));
            h = PADICI_L(mul64)(h, mix2);
            h = PADICI_L(bit_xor)(h, PADICI_L(srl)(h, by31));
            c = PADICI_SK(part)(h, base);
            a = PADICI_SK(part)(PADICI_L(mul64)(h, mix3), less);
            a = PADICI_L(add)(PADICI_L(add)(PADICI_L(mul)(a, d), d), c);
            (void)PADICI_SK(div)(p, a, &d);
            PADICI_L(store)(r + j, PADICI_L(add)(PADICI_L(mul64)(prefix, base), d));
        }
    }
    memcpy(v, r, sizeof r);
}

// 64 consecutive indices, as padici_sample_range(); the table is read beyond its end.
PADICI_TARGET static void PADICI_SK(range)(padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V scale = PADICI_L(all)(p->scale);
    uint32_t j = 0, i, run;
    while (j < PADICI_SAMPLE_WORDS) {
        const PADICI_V low = PADICI_L(all)(p->low);
        run = PADICI_SAMPLE_WORDS - j;
        if (run > p->radix.span - p->t) run = (uint32_t)(p->radix.span - p->t);
        for (i = 0; i < run; i += PADICI_LANES) { // less than a vector beyond the end, also in v
            const PADICI_V t =
                p->radix.together > 1 ? PADICI_L(load16)(p->u.table + p->t + i)
                                      : PADICI_L(add)(PADICI_L(lanes)(), PADICI_L(all)(p->t + i));
            PADICI_L(store)(v + j + i, PADICI_L(add)(PADICI_L(mul)(t, scale), low));
        }
        j += run;
        p->t += run;
        if (p->t == p->radix.span) padici_simd_sample_next(p);
    }
}

// *rest 2^32 over n, truncated; *rest becomes the remainder.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(cut)(const padici_simd_sample_plan *p,
                                                    PADICI_V *rest)
{
    const PADICI_V n = PADICI_L(all)(p->n), last = PADICI_L(all)(p->n - 1);
    const PADICI_V q = PADICI_L(srl)(PADICI_L(mul)(*rest, PADICI_L(all)(p->cut)),
                                     PADICI_L(all)(p->shift));
    const PADICI_V r = PADICI_L(sub)(PADICI_L(sll)(*rest, PADICI_L(all)(32)), PADICI_L(mul)(q, n));
    const PADICI_V more = PADICI_L(above)(r, last);
    const PADICI_V s = PADICI_L(sub)(r, PADICI_L(bit_and)(more, n));
    const PADICI_V again = PADICI_L(above)(s, last);
    *rest = PADICI_L(sub)(s, PADICI_L(bit_and)(again, n));
    return PADICI_L(sub)(PADICI_L(sub)(q, more), again);
}

// r 2^24 over n, truncated.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(cut24)(const padici_simd_sample_plan *p, PADICI_V r)
{
    const PADICI_V n = PADICI_L(all)(p->n), up = PADICI_L(all)(24), by = PADICI_L(all)(8);
    const PADICI_V cut = PADICI_L(all)(p->cut), shift = PADICI_L(all)(p->shift + 8);
    const PADICI_V q = PADICI_L(srl)(PADICI_L(mul)(r, cut), shift);
    const PADICI_V rest = PADICI_L(sub)(PADICI_L(sll)(r, up), PADICI_L(mul)(q, n));
    if (p->n >> 32) return PADICI_L(srl)(r, by);
    return PADICI_L(sub)(q, PADICI_L(above)(rest, PADICI_L(all)(p->n - 1)));
}

PADICI_TARGET static void PADICI_SK(write)(const padici_simd_sample_plan *p, const uint64_t *v,
                                          char *out, uint32_t words)
{
    const padic_dtype dtype = p->call->dtype;
    const PADICI_V eleven = PADICI_L(all)(11), up = PADICI_L(all)(32);
    const int whole = p->call->integers || p->n >> 32;
    uint32_t j;
    for (j = 0; dtype == PADIC_F32 && j < words; j += 2 * PADICI_LANES, out += 8 * PADICI_LANES)
        PADICI_L(put_f32)(out, PADICI_SK(cut24)(p, PADICI_L(load)(v + j)),
                          PADICI_SK(cut24)(p, PADICI_L(load)(v + j + PADICI_LANES)));
    for (j = 0; dtype == PADIC_U32 && j < words; j += 2 * PADICI_LANES, out += 8 * PADICI_LANES) {
        PADICI_V r = PADICI_L(load)(v + j), s = PADICI_L(load)(v + j + PADICI_LANES);
        if (!whole) r = PADICI_SK(cut)(p, &r);
        if (!whole) s = PADICI_SK(cut)(p, &s);
        PADICI_L(put_u32)(out, r, s);
    }
    if (dtype == PADIC_U32 || dtype == PADIC_F32) return;
    for (j = 0; j < words; j += PADICI_LANES, out += 8 * PADICI_LANES) {
        PADICI_V r = PADICI_L(load)(v + j);
        if (!whole) {
            const PADICI_V q = PADICI_SK(cut)(p, &r);
            r = PADICI_L(bit_or)(PADICI_L(sll)(q, up), PADICI_SK(cut)(p, &r));
        } else if (!p->call->integers) {
            r = PADICI_L(sll)(r, up);
        }
        if (dtype == PADIC_U64)
            PADICI_L(store)(out, r);
        else
            PADICI_L(put_f64)(out, PADICI_L(srl)(r, eleven));
    }
}

PADICI_FN const padici_simd_sample_kernels *PADICI_SK(kernels)(void)
{
    static const padici_simd_sample_kernels kernels = {
        PADICI_SK(fetch), PADICI_SK(bits),  PADICI_SK(plain), PADICI_SK(map),
        PADICI_SK(map64), PADICI_SK(map64), PADICI_SK(range), PADICI_SK(write)};
    return &kernels;
}

#endif
