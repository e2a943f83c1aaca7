// plain.cl: the plain bits of coded blocks.

#if PD_HAS_WARPS
// Appends `size` bits, up to 32; whole words go to local memory, where others may own a part of
// them.
PD_FN void codec_append(PD_LPTR(pd_u32) string, pd_u64 *bits, pd_u32 *have, pd_u32 *spot, pd_u32 z,
                        pd_u32 size)
{
    *bits += PD_MULWIDE(z, 1u << *have);
    *have += size;
    if (*have >= 32u) {
        PD_ATOMIC_OR_L(&string[*spot], (pd_u32)*bits);
        *bits >>= 32;
        *have -= 32u;
        *spot += 1u;
    }
}

// The plain bits of 8 digits, up to 15 each, after `have` bits of *string.
PD_FN void codec_append_8(PD_LPTR(pd_u32) string, const pd_u32 z[8], pd_u64 extras, pd_u32 have)
{
    pd_u64 quad[2], low, high;
    pd_u32 word[5], first = codec_bytes_sum((pd_u32)extras), all, i;
    for (i = 0u; i < 2u; i++) {
        const pd_u32 four = (pd_u32)(extras >> (32u * i));
        const pd_u32 a = four & 255u, b = four >> 8 & 255u, c = four >> 16 & 255u, d = four >> 24;
        const pd_u32 x = (z[4u * i] & ((1u << a) - 1u)) | (z[4u * i + 1u] & ((1u << b) - 1u)) << a;
        const pd_u32 y =
            (z[4u * i + 2u] & ((1u << c) - 1u)) | (z[4u * i + 3u] & ((1u << d) - 1u)) << c;
        quad[i] = PD_MULWIDE(y, 1u << (a + b)) + x;
    }
    low = quad[0] | quad[1] << first;
    high = quad[1] >> 1 >> (63u - first);
    all = have + first + codec_bytes_sum((pd_u32)(extras >> 32));
    word[0] = (pd_u32)low << have;
    word[1] = (pd_u32)(low << have >> 32);
    word[2] = (pd_u32)(PD_U64(low >> 32, high) << have >> 32);
    word[3] = (pd_u32)(high << have >> 32);
    word[4] = (pd_u32)(high >> 32) >> 1 >> (31u - have);
    // absent bits are 0, and a branch would cost more
    for (i = 0u; i < 3u; i++) PD_ATOMIC_OR_L(&string[i], word[i]);
    if (all > 96u)
        for (i = 3u; i < 5u; i++) PD_ATOMIC_OR_L(&string[i], word[i]);
}

// The plain bits of an item's digits, after bit `have` of word `spot` of the warp's string.
PD_FN void codec_append_item(PD_LPTR(pd_u32) string, const pd_u32 low[8], const pd_u32 high[8],
                             pd_u64 extras, pd_u32 widest, pd_u32 have, pd_u32 spot)
{
    pd_u64 bits = 0u;
    pd_u32 j;
#if CODEC_SHORT
    (void)high;
#endif
    if (widest <= 15u) {
        codec_append_8(string + spot, low, extras, have);
        return;
    }
    for (j = 0u; j < 8u; j++) {
        const pd_u32 extra = (pd_u32)(extras >> (8u * j)) & 255u;
#if CODEC_SHORT
        codec_append(string, &bits, &have, &spot, low[j] & ((1u << (extra & 31u)) - 1u), extra);
#else
        const pd_u64 z = PD_U64(low[j], high[j]) & (((pd_u64)1u << extra) - 1u);
        const pd_u32 some_bits = extra < 32u ? extra : 32u;
        codec_append(string, &bits, &have, &spot, (pd_u32)z, some_bits);
        codec_append(string, &bits, &have, &spot, (pd_u32)(z >> 32), extra - some_bits);
#endif
    }
    if ((pd_u32)bits) PD_ATOMIC_OR_L(&string[spot], (pd_u32)bits);
}

// Writes a warp's string, which starts with the word of bit `begin`, to the stream; its words
// become 0. Words shared with others go to edge[0] and edge[1].
PD_FN void codec_put_plain(PD_GPTR(pd_u32) to, PD_LPTR(pd_u32) string, PD_LPTR(pd_u32) edge,
                           pd_u32 begin, pd_u32 behind)
{
    const pd_u32 lane = PD_LID % 32u;
    pd_u32 i;
    for (i = ((begin + 31u) >> 5) + lane; i < behind >> 5; i += 32u) { // whole words
        to[i] = string[i - (begin >> 5)];
        string[i - (begin >> 5)] = 0u;
    }
    i = lane ? behind : begin; // a word shared with others
    if (lane < 2u && i & 31u && (!lane || behind >> 5 >= (begin + 31u) >> 5)) {
        i = (i >> 5) - (begin >> 5);
        PD_ATOMIC_OR_L(&edge[lane], string[i]);
        string[i] = 0u;
    }
}

// The plain bits of a group, written by a warp; each item has 8 elements from e on.
PD_FN void codec_plain_group(PD_GPTR(pd_u32) to, PD_LPTR(pd_u32) string, PD_LPTR(pd_u32) edge,
                             PD_GPTR(const codec_key) keys, PD_GPTR(const pd_u64) pairs,
                             PD_GPTR(const pd_u8) tokens, pd_u32 whole, pd_u64 base, pd_u32 e,
                             pd_u32 n, pd_u32 begin, pd_u32 behind, const codec_stages s,
                             const codec_rule rule)
{
    pd_u64 word[8u / CODEC_PER], some, extras;
    codec_num y[8], before;
    pd_u32 low[8], high[8], have, spot, j;
    codec_item(word, keys, pairs, base, e, n);
    some = codec_eight_tokens(tokens, whole, e, n);
    before = codec_eight_words(y, word, keys, base, e, e < n, rule);
    codec_digits(low, high, y, before, s.lower, s.shift, s.step, s.delta,
                 s.widest + s.step > 28u ? 1u : 0u);
    extras = PD_U64(codec_extras((pd_u32)some), codec_extras((pd_u32)(some >> 32)));
    spot = codec_bytes_sum((pd_u32)extras) + codec_bytes_sum((pd_u32)(extras >> 32));
    have = spot;
    for (j = 1u; j < 32u; j *= 2u) have = PD_SUM_UP(have, j);
    spot = begin + have - spot;
    codec_append_item(string, low, high, extras, s.widest, spot & 31u,
                      (spot >> 5) - (begin >> 5));
    PD_BARRIER_WARP();
    codec_put_plain(to, string, edge, begin, behind);
    PD_BARRIER_WARP();
}

// Words where groups of a chunk start: the first of the groups that share one assembles them. The
// stream starts after byte `over` of its first word, and ends before byte `end`. If there is
// `more`, the next chunk continues in the last word. Begins and ends with a barrier.
PD_FN void codec_put_edges(PD_GPTR(pd_u32) to, PD_LPTR(const pd_u32) begins, PD_LPTR(pd_u32) edge,
                           pd_u32 groups, pd_u32 more, pd_u32 over, pd_u32 end)
{
    pd_u32 have_edge = 0u, carry = 0u, i, j;
    PD_BARRIER();
    for (i = PD_LID; i <= groups; i += 256u) {
        const pd_u32 spot = begins[i] >> 5;
        pd_u32 x = 0u;
        if ((begins[i] & 31u) == 0u ||
            (i && begins[i - 1u] >> 5 == spot && (begins[i - 1u] & 31u)))
            continue;
        for (j = i; j <= groups && begins[j] >> 5 == spot; j++) x |= edge[j];
        if (j > groups && more) {
            have_edge = 1u;
            carry = x;
        } else if (spot == 0u && over) {
            codec_put_some((PD_GPTR(pd_u8))to, 0u, x >> (8u * over), over, end);
        } else if (4u * spot + 4u <= end) {
            to[spot] = x;
        } else {
            codec_put_some((PD_GPTR(pd_u8))to, 4u * spot, x, 0u, end - 4u * spot);
        }
    }
    PD_BARRIER();
    for (i = PD_LID; i < 257u; i += 256u) edge[i] = 0u;
    PD_BARRIER();
    if (have_edge) edge[0] = carry;
    PD_BARRIER();
}

// All plain bits of a block, after byte `over` of *to; they end before byte `end`.
PD_FN void codec_put_plains(PD_GPTR(pd_u32) to, PD_LPTR(pd_u32) string, PD_LPTR(pd_u32) edge,
                            PD_LPTR(pd_u32) begins, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                            PD_GPTR(const codec_key) keys, PD_GPTR(const pd_u64) pairs,
                            PD_GPTR(const pd_u8) tokens, pd_u32 whole, pd_u64 base, pd_u32 n,
                            pd_u32 over, pd_u32 end, const codec_stages s, const codec_rule rule)
{
    pd_u32 chunk, tile, bit = 8u * over;
    for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
        const pd_u32 here = n - chunk < 256u * CODEC_GROUP ? n - chunk : 256u * CODEC_GROUP;
        codec_begins(tokens, whole, chunk, n, bit, each, part, begins);
        bit = begins[256];
        for (tile = chunk; tile < chunk + here; tile += 8u * CODEC_GROUP) {
            const pd_u32 e = tile + 8u * PD_LID, row = (e - chunk) / CODEC_GROUP;
            codec_plain_group(to, string, edge + row, keys, pairs, tokens, whole, base, e, n,
                              begins[row], begins[row + 1u], s, rule);
        }
        codec_put_edges(to, begins, edge, (here + CODEC_GROUP - 1u) / CODEC_GROUP,
                        chunk + here < n ? 1u : 0u, over, end);
    }
}
#else
#if PD_CODEC_SIZE == 8
#define CODEC_PLAIN_WORDS 1960u // plain bits of a tile, of 61 or 30 each
#else
#define CODEC_PLAIN_WORDS 1928u
#endif

// Appends bits; whole words go to local memory, where others may own a part of them.
PD_FN void codec_pour(PD_LPTR(pd_u32) plain, pd_u64 *bits, pd_u32 *have, pd_u32 *at, pd_u32 z,
                      pd_u32 extra)
{
    *bits |= (pd_u64)z << *have;
    *have += extra;
    if (*have >= 32u) {
        PD_ATOMIC_OR_L(&plain[*at], (pd_u32)*bits);
        *bits >>= 32;
        *have -= 32u;
        *at += 1u;
    }
}

// An item's digits, their plain bits only, and the number of each; returns the total.
PD_FN pd_u32 codec_plain_digits(codec_bare z[CODEC_EACH], pd_u32 extra[CODEC_EACH],
                                PD_GPTR(const codec_key) keys, PD_GPTR(const pd_u64) pairs,
                                pd_u64 base, pd_u32 e, pd_u32 n, const codec_stages s,
                                const codec_rule rule)
{
    codec_num before = codec_word_before(keys, base, e, rule), y[CODEC_EACH];
    pd_u64 word[CODEC_WORDS];
    pd_u32 here = 0u, j;
    codec_load(word, keys, pairs, base, e, n);
    codec_words_of(y, word, rule);
    for (j = 0u; j < CODEC_EACH; j++) {
        const codec_bare digit =
            codec_low_digit(y[j], before, s.lower, s.shift, s.step, s.delta);
#if CODEC_SHORT
        const pd_u32 token = s.delta ? codec_steep_token(y[j], before, s.step)
                                     : codec_flat_token(y[j], s.lower, s.shift, s.step);
#else
        const pd_u32 token = codec_class(digit);
#endif
        extra[j] = codec_extra(token) & (0u - ((e + j - n) >> 31)); // 0 past the end
        z[j] = digit & (((codec_bare)1u << extra[j]) - 1u);
        before = y[j];
        here += extra[j];
    }
    return here;
}

// Writes an item's plain bits from bit x of local memory on.
PD_FN void codec_pour_item(PD_LPTR(pd_u32) plain, const codec_bare z[CODEC_EACH],
                           const pd_u32 extra[CODEC_EACH], pd_u32 x)
{
    pd_u32 have = x & 31u, at = x >> 5, j;
    pd_u64 bits = 0u;
    for (j = 0u; j < CODEC_EACH; j++) {
#if CODEC_SHORT
        codec_pour(plain, &bits, &have, &at, (pd_u32)z[j], extra[j]);
#else
        const pd_u32 low = extra[j] < 32u ? extra[j] : 32u;
        codec_pour(plain, &bits, &have, &at, (pd_u32)z[j], low);
        codec_pour(plain, &bits, &have, &at, (pd_u32)(z[j] >> 32), extra[j] - low);
#endif
    }
    if (have) PD_ATOMIC_OR_L(&plain[at], (pd_u32)bits);
}

// Writes the `full` whole words in local memory to the stream from word `at` on; the word after
// them becomes the first. Begins with a barrier, and must be followed by one.
PD_FN void codec_put_full(PD_GPTR(pd_u32) to, PD_LPTR(pd_u32) plain, pd_u32 at, pd_u32 full,
                          pd_u32 over)
{
    pd_u32 carry, i;
    PD_BARRIER();
    for (i = PD_LID; i < full; i += 256u) {
        if (at + i == 0u && over)
            codec_put_some((PD_GPTR(pd_u8))to, 0u, plain[i] >> (8u * over), over, 4u);
        else
            to[at + i] = plain[i];
        plain[i] = 0u;
    }
    carry = plain[full];
    PD_BARRIER();
    if (PD_LID == 0u) {
        plain[full] = 0u;
        plain[0] = carry;
    }
}

// All plain bits of a block, after byte `over` of *to; they end before byte `end`.
PD_FN void codec_put_plains(PD_GPTR(pd_u32) to, PD_LPTR(pd_u32) plain, PD_LPTR(pd_u64) each,
                            PD_LPTR(pd_u64) part, PD_GPTR(const codec_key) keys,
                            PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 n, pd_u32 over,
                            pd_u32 end, const codec_stages s, const codec_rule rule)
{
    const pd_u32 l = PD_LID;
    pd_u32 tile, i, j, bit = 8u * over;
    for (tile = 0u; tile < n; tile += CODEC_TILE) {
        const pd_u32 e = tile + l * CODEC_EACH;
        codec_bare z[CODEC_EACH];
        pd_u32 extra[CODEC_EACH], here = 0u, own;
        for (j = 0u; j < CODEC_EACH; j++) extra[j] = 0u;
        if (e < n) here = codec_plain_digits(z, extra, keys, pairs, base, e, n, s, rule);
        own = codec_before32(each, part, here);
        here = (bit & 31u) + (pd_u32)CODEC_TOTAL(part);
        if (e < n) codec_pour_item(plain, z, extra, (bit & 31u) + own);
        codec_put_full(to, plain, bit >> 5, here >> 5, over);
        bit = (bit & ~31u) + here;
    }
    PD_BARRIER();
    if (l == 0u) {
        i = bit >> 5;
        j = i ? 0u : over;
        codec_put_some((PD_GPTR(pd_u8))to, 4u * i, plain[0] >> (8u * j), j, end - 4u * i);
    }
}
#endif
