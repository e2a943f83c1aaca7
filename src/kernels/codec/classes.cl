// classes.cl: tokens of each block, and their frequencies.

// An item's tokens, from e on, one byte each.
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

PD_FN pd_u32 codec_log2(pd_u32 x) // in 1/256 bits, as on the host
{
    const pd_u32 whole = codec_length(x) - 1u;
    const pd_u32 f = (pd_u32)(((pd_u64)x << 32 >> whole) >> 16) & 0xffffu;
    const pd_u32 bow = (pd_u32)((pd_u64)f * (65536u - f) >> 16);
    return whole << 8 | (f + (bow * 22479u >> 16)) >> 8;
}

// The size of `count` of `n` tokens, in 1/256 bits.
PD_FN pd_u64 codec_cost(pd_u32 count, pd_u32 token, pd_u32 n)
{
    const pd_u64 entropy =
        count ? (pd_u64)count * (pd_u32)(codec_log2(n) - codec_log2(count)) : 0u;
    return (pd_u64)count * codec_extra(token) * 256u + entropy;
}

// Which of two symbols a single step of frequency is taken from (or given to); 256: neither.
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

// Tokens of an item's elements, one byte each: of words and of differences.
typedef struct {
    pd_u64 flat, steep;
} codec_both;

#if CODEC_BY_WARP // an item has 8
// Tokens of words, a, and of differences, b; in 32 bits where both have fewer (`slim`).
PD_FN void codec_token_pairs(pd_u32 a[8], pd_u32 b[8], const codec_num y[8], codec_num before,
                             pd_u32 common, pd_u32 slim, const codec_stages s)
{
    pd_u32 i;
#if CODEC_SHORT
    if (slim) {
        for (i = 0u; i < 8u; i++) {
            const pd_i32 d = (pd_i32)((pd_u32)y[i] - (pd_u32)before) >> common;
            a[i] = codec_class32(codec_flat(y[i], s.lower, s.shift, s.step));
            b[i] = codec_class32((pd_u32)d << 1 ^ (pd_u32)(d >> 31));
            before = y[i];
        }
        return;
    }
#else
    (void)slim;
#endif
    for (i = 0u; i < 8u; i++) {
        a[i] = codec_flat_token(y[i], s.lower, s.shift, s.step);
        b[i] = codec_steep_token(y[i], before, common);
        before = y[i];
    }
}

// Counts the tokens of an item's elements.
PD_FN codec_both codec_both_tokens(PD_LPTR(pd_u32) counts, PD_GPTR(const codec_key) keys,
                                   PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n,
                                   pd_u32 common, pd_u32 slim, const codec_stages s,
                                   const codec_rule rule)
{
    pd_u64 word[8u / CODEC_PER];
    pd_u32 a[8], b[8], i;
    codec_num y[8], before;
    codec_both both;
    both.flat = both.steep = 0u;
    codec_item(word, keys, pairs, base, e, n);
    before = codec_eight_words(y, word, keys, base, e, e < n, rule);
    codec_token_pairs(a, b, y, before, common, slim, s);
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
        both.flat |= (pd_u64)a[i] << (8u * i);
        both.steep |= (pd_u64)b[i] << (8u * i);
    }
    return both;
}
#else
// Counts the tokens of an item's elements.
PD_FN codec_both codec_both_tokens(PD_LPTR(pd_u32) counts, PD_GPTR(const codec_key) keys,
                                   PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n,
                                   pd_u32 common, pd_u32 slim, const codec_stages s,
                                   const codec_rule rule)
{
    pd_u64 word[CODEC_WORDS];
    codec_num before, y[CODEC_EACH];
    codec_both both;
    pd_u32 i;
    both.flat = both.steep = 0u;
    (void)slim;
    if (e >= n) return both;
    before = codec_word_before(keys, base, e, rule);
    codec_load(word, keys, pairs, base, e, n);
    codec_words_of(y, word, rule);
    for (i = 0u; i < CODEC_EACH; i++) {
        const pd_u32 a = codec_flat_token(y[i], s.lower, s.shift, s.step);
        const pd_u32 b = codec_steep_token(y[i], before, common);
        before = y[i];
        if (e + i < n) {
            PD_ATOMIC_ADD_L(&counts[a], 1u);
            PD_ATOMIC_ADD_L(&counts[256u + b], 1u);
        }
        both.flat |= (pd_u64)a << (8u * i);
        both.steep |= (pd_u64)b << (8u * i);
    }
    return both;
}
#endif

// Counts the tokens of a block and writes those of words or of differences: the choice is guessed
// from the first tile, and returned.
PD_FN pd_u32 codec_count_tokens(PD_LPTR(pd_u32) counts, PD_LPTR(pd_u64) each, PD_GPTR(pd_u8) to,
                                pd_u32 whole, PD_GPTR(const codec_key) keys,
                                PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 n, pd_u32 common,
                                pd_u32 slim, const codec_stages s, const codec_rule rule)
{
    pd_u32 guess = 2u, tile;
    for (tile = 0u; tile < n; tile += CODEC_TILE) {
        const pd_u32 e = tile + PD_LID * CODEC_EACH;
        const codec_both both =
            codec_both_tokens(counts, keys, pairs, base, e, n, common, slim, s, rule);
        if (guess == 2u) {
            const pd_u64 sums = codec_all(
                each, PD_U64(codec_extras_sum(both.flat), codec_extras_sum(both.steep)), CODEC_ADD);
            guess = sums >> 32 < (pd_u32)sums ? 1u : 0u;
        }
        codec_put_tokens(to, whole, e, n, guess ? both.steep : both.flat);
    }
    return guess;
}

// Writes the tokens again if the guess was wrong.
PD_FN void codec_put_others(PD_GPTR(pd_u8) to, pd_u32 whole, PD_GPTR(const codec_key) keys,
                            PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 n, pd_u32 common,
                            pd_u32 delta, const codec_stages s, const codec_rule rule)
{
    pd_u32 tile, i;
    for (tile = 0u; tile < n; tile += CODEC_TILE) {
        const pd_u32 e = tile + PD_LID * CODEC_EACH;
        pd_u64 some = 0u;
        if (e < n) {
            codec_num before = codec_word_before(keys, base, e, rule), y[CODEC_EACH];
            pd_u64 word[CODEC_WORDS];
            codec_load(word, keys, pairs, base, e, n);
            codec_words_of(y, word, rule);
            for (i = 0u; i < CODEC_EACH; i++) {
                const pd_u32 a = delta ? codec_steep_token(y[i], before, common)
                                       : codec_flat_token(y[i], s.lower, s.shift, s.step);
                before = y[i];
                some |= (pd_u64)a << (8u * i);
            }
        }
        codec_put_tokens(to, whole, e, n, some);
    }
}

// The frequency of an item's token in 2^12, which occurs `mine` times of n: 0 only if it does not
// occur. The sum is 4096 if there is more than one.
PD_FN pd_u32 codec_frequency(PD_LPTR(const pd_u32) counts, PD_LPTR(pd_u32) share,
                             PD_LPTR(pd_u32) best, PD_LPTR(pd_u64) each, pd_u32 mine, pd_u32 used,
                             pd_u32 n)
{
    const pd_u32 l = PD_LID;
    // (4096 mine + n / 2) / n, in 32 bits
    pd_u32 f = 64u * (64u * mine / n) + (64u * (64u * mine % n) + n / 2u) / n, sum, i;
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
                fittest = codec_fitter(counts, share, fittest, i, over);
            best[l] = fittest;
        }
        PD_BARRIER();
        fittest = 256u;
        for (i = 0u; i < 16u; i++) fittest = codec_fitter(counts, share, fittest, best[i], over);
        if (fittest == l) f = over ? f - 1u : f + 1u;
        sum = fittest > 255u ? 4096u : over ? sum - 1u : sum + 1u;
    }
    return f;
}

// Bytes of the table of frequencies, which are written to `share`. Begins and ends with a barrier.
PD_FN pd_u32 codec_table_size(PD_LPTR(pd_u32) share, PD_LPTR(pd_u64) each, pd_u32 f)
{
    const pd_u32 l = PD_LID;
    pd_u32 last, size;
    PD_BARRIER();
    share[l] = f;
    last = (pd_u32)codec_all(each, f ? l : 0u, CODEC_MOST);
    size = f >= 128u ? 2u : f ? 1u : l < last && (l == 0u || share[l - 1u]) ? 2u : 0u;
    size = (pd_u32)codec_all(each, size, CODEC_ADD) + 1u;
    PD_BARRIER();
    return size;
}

// Statistics of a block's tokens, whose counts are those of the words or differences that were
// chosen. One item writes `x`, the word `first`.
PD_FN void codec_put_known(PD_GPTR(pd_u32) t, PD_LPTR(const pd_u32) counts, PD_LPTR(pd_u32) share,
                           PD_LPTR(pd_u32) best, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                           pd_u32 n, pd_u32 delta, pd_u32 stage, pd_u64 x)
{
    const pd_u32 l = PD_LID, mine = counts[l];
    const pd_u32 plain =
        (pd_u32)((codec_all(each, (pd_u64)mine * codec_extra(l), CODEC_ADD) + 7u) / 8u);
    const pd_u32 widest = (pd_u32)codec_all(each, mine ? codec_extra(l) : 0u, CODEC_MOST);
    const pd_u32 used = (pd_u32)codec_all(each, mine ? 1u : 0u, CODEC_ADD);
    const pd_u32 one = (pd_u32)codec_all(each, mine ? l : 256u, CODEC_LEAST);
    const pd_u32 f = codec_frequency(counts, share, best, each, mine, used, n);
    const pd_u32 size = codec_table_size(share, each, f);
    t[l] = (pd_u32)codec_before(each, part, f) | f << 16;
    if (l == 0u) {
        t[CODEC_HOW] = delta | (used < 2u ? 2u | one << 8 : 0u);
        t[CODEC_WIDEST] = widest;
        t[CODEC_PLAINS] = plain;
        t[CODEC_TABLES] = size;
        t[CODEC_STAGE] = stage;
        t[CODEC_STAGE + 1u] = (pd_u32)x;
        t[CODEC_STAGE + 2u] = (pd_u32)(x >> 32);
    }
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
    const pd_u32 l = PD_LID, kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        PD_GPTR(pd_u8) to = tokens + codec_start(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
        const pd_u32 n = codec_count(block, k), common = r[CODEC_AT + 1u] >> 8;
        const codec_rule rule = codec_rule_of(r, kind, k);
        const pd_u32 slim = r[CODEC_WIDTH] + r[CODEC_SHIFT] + r[CODEC_STEP] <= 30u ? 1u : 0u;
        codec_stages s;
        pd_u64 first;
        pd_u32 guess, delta;
        if (r[CODEC_MODE] == CODEC_CONSTANT) continue;
        s.shift = r[CODEC_AT + 1u] & 255u;
        s.step = s.shift ? 0u : common;
        s.delta = s.widest = 0u;
        first = codec_right(PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]), s.shift);
        s.lower = (codec_bare)(first - codec_bias(kind));
        counts[l] = counts[l + 256u] = 0u;
        PD_BARRIER();
        guess = codec_count_tokens(counts, each, to, whole, keys, pairs, base, n, common, slim, s,
                                   rule);
        PD_BARRIER();
        {
            const pd_u64 flat = codec_all(each, codec_cost(counts[l], l, n), CODEC_ADD);
            const pd_u64 steep = codec_all(each, codec_cost(counts[l + 256u], l, n), CODEC_ADD);
            delta = steep < flat ? 1u : 0u;
        }
        if (guess != delta)
            codec_put_others(to, whole, keys, pairs, base, n, common, delta, s, rule);
        if (delta) first = (pd_u64)(pd_i64)codec_word_of(keys[base], rule) + codec_bias(kind);
        codec_put_known(t, counts + 256u * delta, share, best, each, part, n, delta,
                        delta ? common << 8 : s.shift | s.step << 8, first);
        PD_BARRIER();
    }
}
