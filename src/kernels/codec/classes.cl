// classes.cl: tokens of each block, and the frequencies they are coded with.

// An item's tokens, from e on, a byte each.
PD_FN void codec_put_tokens(PD_GPTR(pd_u8) to, pd_u32 whole, pd_u32 e, pd_u32 n, pd_u64 some)
{
    PD_GPTR(pd_u32) four = (PD_GPTR(pd_u32))(PD_GPTR(void))(to + e);
    pd_u32 i;
    if (whole && e + CODEC_EACH <= n) {
        for (i = 0u; i < CODEC_EACH / 4u; i++) four[i] = (pd_u32)(some >> (32u * i));
    } else {
        for (i = 0u; i < CODEC_EACH; i++)
            if (e + i < n) to[e + i] = (pd_u8)(some >> (8u * i));
    }
}

PD_FN pd_u32 codec_log2(pd_u32 x) // in 1/256 bits, as the host has it
{
    const pd_u32 whole = codec_length(x) - 1u;
    const pd_u32 f = (pd_u32)(((pd_u64)x << 32 >> whole) >> 16) & 0xffffu;
    const pd_u32 bow = (pd_u32)((pd_u64)f * (65536u - f) >> 16);
    return whole << 8 | (f + (bow * 22479u >> 16)) >> 8;
}

// What `count` of `n` tokens take, in 1/256 bits.
PD_FN pd_u64 codec_cost(pd_u32 count, pd_u32 token, pd_u32 n)
{
    const pd_u64 entropy =
        count ? (pd_u64)count * (pd_u32)(codec_log2(n) - codec_log2(count)) : 0u;
    return (pd_u64)count * codec_extra(token) * 256u + entropy;
}

// Which of two symbols a single step of frequency is taken from (or given to); 256: none.
PD_FN pd_u32 codec_fitter(PD_LPTR(const pd_u32) count, PD_LPTR(const pd_u32) share, pd_u32 a,
                          pd_u32 b, pd_u32 over)
{
    pd_u64 here, there;
    if (b > 255u || count[b] == 0u || (over && share[b] < 2u)) return a;
    if (a > 255u) return b;
    here = (pd_u64)count[b] * share[a];
    there = (pd_u64)count[a] * share[b];
    return (over ? here < there : here > there) ? b : a;
}

// Tokens of each block that is not constant, and their frequencies in 2^12.
PD_KERNEL_MIN(padic_k_codec_classes, PD_CODEC_WG, CODEC_CLASSES)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u32, record), PD_BUF(pd_u8, tokens), PD_BUF(pd_u32, table),
 PD_CBUF(pd_u64, pairs), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 counts[512];
    PD_LOCAL pd_u32 share[256];
    PD_LOCAL pd_u32 best[16];
    const pd_u32 l = PD_LID;
    const pd_u32 kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    const codec_bare flip = codec_flip(kind), fold = codec_fold_of(kind);
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        PD_GPTR(pd_u8) to = tokens + codec_start(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
        const pd_u32 n = codec_count(block, k), shift = r[CODEC_AT + 1u] & 255u;
        const pd_u32 common = r[CODEC_AT + 1u] >> 8, step = shift ? 0u : common;
        const pd_u64 first = codec_right(PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]), shift);
        const codec_bare lower = (codec_bare)(first - codec_bias(kind));
        pd_u32 e, i, tile, guess, delta, mine, plain, widest, used, one, f, sum, last, size, start;
#if PD_CODEC_BOUND
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
        const codec_inverse inverse = CODEC_INVERSE;
        const codec_num instead = CODEC_INSTEAD(r);
        const codec_bare highest = CODEC_MOST_SCALED;
#endif
#if PD_HAS_WARPS && CODEC_SHORT
        const pd_u32 slim = r[CODEC_WIDTH] + r[CODEC_SHIFT] + r[CODEC_STEP] <= 30u ? 1u : 0u;
#endif
        if (r[CODEC_MODE] == CODEC_CONSTANT) continue;
        counts[l] = counts[l + 256u] = 0u;
        PD_BARRIER();
        // Which of both the tokens are, is guessed from the first tile.
        guess = 2u;
        for (tile = 0u; tile < n; tile += CODEC_TILE) {
            pd_u64 flat = 0u, steep = 0u; // tokens
            e = tile + l * CODEC_EACH;
#if PD_HAS_WARPS && (CODEC_SHORT || !PD_CODEC_BOUND) // an item has 8
            {
                pd_u64 word[8u / CODEC_PER];
                pd_u32 a[8], b[8];
                codec_num y[8], before = 0, last;
                codec_item(word, keys, pairs, base, e, n);
                if (l % 32u == 0u && e < n)
                    before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                for (i = 0u; i < 8u; i++)
                    y[i] = CODEC_NUMBER((codec_key)(word[i / CODEC_PER] >>
                                                    (i % CODEC_PER * (CODEC_BITS & 63u))));
                last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
                if (l % 32u) before = last;
#if CODEC_SHORT
                if (slim) { // in 32 bits
                    for (i = 0u; i < 8u; i++) {
                        const pd_i32 d = (pd_i32)((pd_u32)y[i] - (pd_u32)before) >> common;
                        a[i] = codec_class32(codec_flat(y[i], lower, shift, step));
                        b[i] = codec_class32((pd_u32)d << 1 ^ (pd_u32)(d >> 31));
                        before = y[i];
                    }
                } else
#endif
                    for (i = 0u; i < 8u; i++) {
                        a[i] = codec_flat_token(y[i], lower, shift, step);
                        b[i] = codec_steep_token(y[i], before, common);
                        before = y[i];
                    }
                if (e + 8u <= n) {
                    for (i = 0u; i < 8u; i++) {
                        PD_ATOMIC_ADD_L(&counts[a[i]], 1u);
                        PD_ATOMIC_ADD_L(&counts[256u + b[i]], 1u);
                    }
                } else {
                    for (i = 0u; i < 8u; i++)
                        if (e + i < n) {
                            PD_ATOMIC_ADD_L(&counts[a[i]], 1u);
                            PD_ATOMIC_ADD_L(&counts[256u + b[i]], 1u);
                        }
                }
                for (i = 0u; i < 8u; i++) {
                    flat |= (pd_u64)a[i] << (8u * i);
                    steep |= (pd_u64)b[i] << (8u * i);
                }
            }
#else
            if (e < n) {
                codec_num before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                codec_num y[CODEC_EACH];
                CODEC_LOAD_NUMBERS(y, e);
                for (i = 0u; i < CODEC_EACH; i++) {
                    const pd_u32 a = codec_flat_token(y[i], lower, shift, step);
                    const pd_u32 b = codec_steep_token(y[i], before, common);
                    before = y[i];
                    if (e + i < n) {
                        PD_ATOMIC_ADD_L(&counts[a], 1u);
                        PD_ATOMIC_ADD_L(&counts[256u + b], 1u);
                    }
                    flat |= (pd_u64)a << (8u * i);
                    steep |= (pd_u64)b << (8u * i);
                }
            }
#endif
            if (guess == 2u) {
                const pd_u64 both = codec_all(
                    each, PD_U64(codec_extras_sum(flat), codec_extras_sum(steep)), CODEC_ADD);
                guess = both >> 32 < (pd_u32)both ? 1u : 0u;
            }
            codec_put_tokens(to, whole, e, n, guess ? steep : flat);
        }
        PD_BARRIER();
        {
            const pd_u64 flat = codec_all(each, codec_cost(counts[l], l, n), CODEC_ADD);
            const pd_u64 steep = codec_all(each, codec_cost(counts[l + 256u], l, n), CODEC_ADD);
            delta = steep < flat ? 1u : 0u;
        }
        mine = counts[256u * delta + l];
        plain = (pd_u32)((codec_all(each, (pd_u64)mine * codec_extra(l), CODEC_ADD) + 7u) / 8u);
        widest = (pd_u32)codec_all(each, mine ? codec_extra(l) : 0u, CODEC_MOST);
        used = (pd_u32)codec_all(each, mine ? 1u : 0u, CODEC_ADD);
        one = (pd_u32)codec_all(each, mine ? l : 256u, CODEC_LEAST);
        // (4096 mine + n / 2) / n, in 32 bits
        f = 64u * (64u * mine / n) + (64u * (64u * mine % n) + n / 2u) / n;
        if (mine && f == 0u) f = 1u;
        if (f > 4095u) f = 4095u;
        sum = (pd_u32)codec_all(each, f, CODEC_ADD);
        if (used < 2u) sum = 4096u;
        while (sum != 4096u) {
            const pd_u32 over = sum > 4096u ? 1u : 0u;
            pd_u32 fittest = 256u;
            PD_BARRIER();
            share[l] = f;
            PD_BARRIER();
            if (l < 16u) {
                for (i = 16u * l; i < 16u * l + 16u; i++)
                    fittest = codec_fitter(counts + 256u * delta, share, fittest, i, over);
                best[l] = fittest;
            }
            PD_BARRIER();
            fittest = 256u;
            for (i = 0u; i < 16u; i++)
                fittest = codec_fitter(counts + 256u * delta, share, fittest, best[i], over);
            if (fittest == l) f = over ? f - 1u : f + 1u;
            sum = fittest > 255u ? 4096u : over ? sum - 1u : sum + 1u;
        }
        PD_BARRIER();
        share[l] = f;
        last = (pd_u32)codec_all(each, f ? l : 0u, CODEC_MOST);
        size = f >= 128u ? 2u : f ? 1u : l < last && (l == 0u || share[l - 1u]) ? 2u : 0u;
        size = (pd_u32)codec_all(each, size, CODEC_ADD) + 1u;
        PD_BARRIER();
        start = (pd_u32)codec_before(each, part, f);
        t[l] = start | f << 16;
        for (tile = 0u; tile < n && guess != delta; tile += CODEC_TILE) {
            pd_u64 some = 0u;
            e = tile + l * CODEC_EACH;
            if (e < n) {
                codec_num before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                codec_num y[CODEC_EACH];
                CODEC_LOAD_NUMBERS(y, e);
                for (i = 0u; i < CODEC_EACH; i++) {
                    const pd_u32 a = delta ? codec_steep_token(y[i], before, common)
                                           : codec_flat_token(y[i], lower, shift, step);
                    before = y[i];
                    some |= (pd_u64)a << (8u * i);
                }
            }
            codec_put_tokens(to, whole, e, n, some);
        }
        if (l == 0u) {
            const pd_u64 x =
                delta ? (pd_u64)(pd_i64)CODEC_NUMBER(keys[base]) + codec_bias(kind) : first;
            t[CODEC_HOW] = delta | (used < 2u ? 2u | one << 8 : 0u);
            t[CODEC_WIDEST] = widest;
            t[CODEC_PLAINS] = plain;
            t[CODEC_TABLES] = size;
            t[CODEC_STAGE] = delta ? common << 8 : shift | step << 8;
            t[CODEC_STAGE + 1u] = (pd_u32)x;
            t[CODEC_STAGE + 2u] = (pd_u32)(x >> 32);
        }
        PD_BARRIER();
    }
}
