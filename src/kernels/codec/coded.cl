// coded.cl: the bytes of coded blocks: table of frequencies, chain, plain bits.

#if PD_HAS_WARPS
// Frequencies as bytes, one item each, if `writing`.
PD_FN void codec_put_table(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u32 f, pd_u32 writing,
                           PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) share)
{
    const pd_u32 l = PD_LID;
    pd_u32 last, size, run = 1u, value = f;
    share[l] = f;
    last = (pd_u32)codec_all(each, f ? l : 0u, CODEC_MOST);
    size = f >= 128u ? 2u : f ? 1u : l < last && (l == 0u || share[l - 1u]) ? 2u : 0u;
    if (f >= 128u) value = (f & 127u) | 128u | f >> 7 << 8;
    if (f == 0u && size) {
        while (share[l + run] == 0u) run++;
        value = (run - 1u) << 8;
    }
    PD_BARRIER();
    at += codec_before32(each, part, size) + 1u;
    if (writing) codec_put(bytes, at, value, size);
    if (writing && l == 0u) bytes[at - 1u] = (pd_u8)last;
    PD_BARRIER();
}
#else // fewer scalar registers
// Frequencies as bytes. Returns how many.
PD_FN pd_u32 codec_put_table(PD_GPTR(pd_u8) bytes, pd_u64 at, PD_GPTR(const pd_u32) t)
{
    pd_u32 last = 255u, s, f, run, p = 1u;
    while (last && t[last] >> 16 == 0u) last--;
    bytes[at] = (pd_u8)last;
    for (s = 0u; s <= last; s++) {
        f = t[s] >> 16;
        if (f == 0u) {
            for (run = 1u; t[s + run] >> 16 == 0u;) run++;
            codec_put(bytes, at + p, (run - 1u) << 8, 2u);
            s += run - 1u;
            p += 2u;
        } else if (f < 128u) {
            bytes[at + p] = (pd_u8)f;
            p++;
        } else {
            codec_put(bytes, at + p, (f & 127u) | 128u | f >> 7 << 8, 2u);
            p += 2u;
        }
    }
    return p;
}
#endif

// The words of the chain as bytes, in whole words of the stream except at the ends.
PD_FN void codec_put_chain(PD_GPTR(pd_u32) stream, pd_u64 at, PD_GPTR(const pd_u16) from,
                           pd_u32 words)
{
#ifdef __AMDGCN__ // fewer scalar registers
    pd_u32 i;
    for (i = PD_LID; i < words; i += 256u)
        codec_put((PD_GPTR(pd_u8))stream, at + 2u * i, from[i], 2u);
#else
    PD_GPTR(pd_u32) to = stream + (at >> 2);
    const pd_u32 over = (pd_u32)at & 3u, most = over + 2u * words;
    pd_u32 i, j;
    for (i = PD_LID; 4u * i < most; i += 1024u) {
        pd_u64 x[4];
        for (j = 0u; j < 4u; j++) { // 6 bytes from the half on in which the word begins
            const pd_u32 half_at = (4u * (i + 256u * j) - over) >> 1;
            const pd_u32 h = half_at < words ? half_at : words; // there is room after the chain
            x[j] = PD_U64(from[h] | (pd_u32)from[h + 1u] << 16, from[h + 2u]);
        }
        for (j = 0u; j < 4u; j++) {
            const pd_u32 u = i + 256u * j;
            const pd_u32 y = (pd_u32)(x[j] >> (8u * (over & 1u)));
            if (4u * u >= over && 4u * u + 4u <= most)
                to[u] = y;
            else if (4u * u < over) // the first word
                codec_put_some((PD_GPTR(pd_u8))to, 0u, from[0] | (pd_u32)from[words > 1u] << 16,
                               over, most);
            else if (4u * u < most)
                codec_put_some((PD_GPTR(pd_u8))to, 4u * u, y, 0u, most - 4u * u);
        }
    }
#endif
}

// The coder's data: its table, states and chain, from byte `at` on. Returns the offset of the count
// of plain bits. `share`: of 256 words.
PD_FN pd_u64 codec_put_coder(PD_GPTR(pd_u32) stream, pd_u64 at, PD_GPTR(const pd_u32) t,
                             PD_GPTR(const pd_u16) chain, PD_LPTR(pd_u64) each,
                             PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) share)
{
    const pd_u32 l = PD_LID, how = t[CODEC_HOW], words = t[CODEC_WORDS16];
    PD_GPTR(pd_u8) bytes = (PD_GPTR(pd_u8))stream;
#if PD_HAS_WARPS
    codec_put_table(bytes, at + 3u, t[l] >> 16, how & 2u ? 0u : 1u, each, part, share);
#else
    (void)each;
    (void)part;
    (void)share;
#endif
    if (l == 0u) {
        codec_put(bytes, at, 2u | t[CODEC_WIDEST] << 8 | (how & 2u ? 1u : 4u) << 16, 3u);
        if (how & 2u)
            bytes[at + 3u] = (pd_u8)(how >> 8);
        else
#if PD_HAS_WARPS
            codec_put(bytes, at + 3u + t[CODEC_TABLES], words, 4u);
#else
            codec_put(bytes, at + 3u + codec_put_table(bytes, at + 3u, t), words, 4u);
#endif
    }
    at += how & 2u ? 4u : 7u + t[CODEC_TABLES];
    if (!(how & 2u)) {
        if (l < 32u) codec_put(bytes, at + 4u * l, t[CODEC_STATES + l], 4u);
        at += 128u;
        codec_put_chain(stream, at, chain, words);
        at += 2u * (pd_u64)words;
    }
    return at;
}

// Copies the record, and later needed params.
PD_FN void codec_hold(PD_LPTR(pd_u32) held, PD_GPTR(const pd_u32) r,
                      const padic_k_codec_stream_params k)
{
    const pd_u32 l = PD_LID;
    if (l < CODEC_RECORD) held[l] = r[l];
#if CODEC_WIDE
    if (l == CODEC_RECORD) {
        held[l] = k.wide_lo;
        held[l + 1u] = k.wide_hi;
        held[l + 2u] = k.most2;
        held[l + 3u] = k.most_hi;
    }
#else
    (void)k;
#endif
}

PD_FN codec_rule codec_held_rule(PD_LPTR(const pd_u32) held, pd_u32 kind,
                                 const padic_k_codec_stream_params k)
{
    codec_rule rule;
    rule.flip = codec_flip(kind);
    rule.fold = codec_fold_of(kind);
#if PD_CODEC_BOUND
    rule.scale = PD_AS_F32(held[CODEC_SCALE]);
#if CODEC_WIDE
    rule.instead = (codec_num)PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
    rule.inverse = PD_U64(held[CODEC_RECORD], held[CODEC_RECORD + 1u]);
    rule.highest = PD_U64(held[CODEC_RECORD + 2u], held[CODEC_RECORD + 3u]);
#else
    rule.instead = (codec_num)held[CODEC_FACTOR + 1u];
    rule.inverse = PD_AS_F32(held[CODEC_FACTOR]);
    rule.highest = CODEC_MOST_SCALED;
#endif
#else
    (void)held;
#endif
    (void)k;
    return rule;
}

PD_FN codec_stages codec_held_stages(PD_LPTR(const pd_u32) held, pd_u32 kind, pd_u32 widest)
{
    codec_stages s;
    s.shift = held[CODEC_SHIFT];
    s.step = held[CODEC_STEP];
    s.delta = held[CODEC_MODE] == CODEC_DELTA ? 1u : 0u;
    s.lower = (codec_bare)(PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]) - codec_bias(kind));
    s.widest = widest;
    return s;
}

// Everything but stages and exceptions.
PD_KERNEL_MIN(padic_k_codec_coded, PD_CODEC_WG, PD_CODEC_CODERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u32, record), PD_CBUF(pd_u64, totals),
 PD_CBUF(pd_u32, table), PD_CBUF(pd_u16, chain), PD_BUF(pd_u32, stream), PD_CBUF(pd_u64, pairs),
 PD_CBUF(pd_u8, tokens), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 begins[257]; // offset of a group's plain bits, from `to` on
    PD_LOCAL pd_u32 edge[257];   // the word where they start, if it is shared
    PD_LOCAL pd_u32 strings[8u * CODEC_STRING];
    PD_LPTR(pd_u32) string = strings + PD_LID / 32u * CODEC_STRING;
#else
    PD_LOCAL pd_u32 plain[CODEC_PLAIN_WORDS];
    (void)tokens;
#endif
    PD_LOCAL pd_u32 held[CODEC_RECORD + 4u]; // local, as scalar registers are scarce
    const pd_u32 l = PD_LID, kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    pd_u32 block, i;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(const pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 chained = codec_chain_end(block, n, k) - t[CODEC_WORDS16];
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u32 over; // bits are counted from a whole word
        codec_stages s;
        codec_rule rule;
        if (r[CODEC_MODE] < CODEC_PLAIN || r[CODEC_WIDTH] != CODEC_CODED) continue;
#if PD_HAS_WARPS
        at = codec_put_coder(stream, at, t, chain + chained, each, part, begins);
        for (i = l; i < 8u * CODEC_STRING; i += 256u) strings[i] = 0u;
        for (i = l; i < 257u; i += 256u) edge[i] = 0u;
#else
        at = codec_put_coder(stream, at, t, chain + chained, each, part, plain);
        for (i = l; i < CODEC_PLAIN_WORDS; i += 256u) plain[i] = 0u;
#endif
        if (l == 0u) codec_put((PD_GPTR(pd_u8))stream, at, t[CODEC_PLAINS], 4u);
        codec_hold(held, r, k);
        PD_BARRIER();
        s = codec_held_stages(held, kind, t[CODEC_WIDEST]);
        rule = codec_held_rule(held, kind, k);
        at += 4u;
        over = (pd_u32)at & 3u;
#if PD_HAS_WARPS
        codec_put_plains(stream + (at >> 2), string, edge, begins, each, part, keys, pairs,
                         tokens + codec_start(block, k),
                         codec_start(block, k) % 4u == 0u ? 1u : 0u, base, n, over,
                         over + t[CODEC_PLAINS], s, rule);
#else
        codec_put_plains(stream + (at >> 2), plain, each, part, keys, pairs, base, n, over,
                         over + t[CODEC_PLAINS], s, rule);
#endif
        PD_BARRIER();
    }
}
