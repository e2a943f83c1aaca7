// fill.cl: widths and bits of uncoded blocks.

#if PD_HAS_WARPS
#define CODEC_DIGITS PD_LPTR(pd_u32) // strings.cl: one per warp
#else
#define CODEC_DIGITS PD_LPTR(pd_u64) // joined
#endif

#if PD_CODEC_SIZE == 4
// The folded difference of an element and the one before it, which may have 33 bits.
PD_FN pd_u64 codec_difference(PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 e, pd_u32 step,
                              codec_bare flip, codec_bare fold)
{
    const pd_i32 y = codec_number(keys[base + e], flip, fold);
    const pd_i32 before = codec_number(keys[base + (e ? e - 1u : 0u)], flip, fold);
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    return (pd_u64)((((pd_u32)y - (pd_u32)before) ^ less) >> step) << 1 | (less & 1u);
}
#endif

// The number of digits that an item joins, the most that fit 64 bits.
PD_FN pd_u32 codec_joined(pd_u32 width)
{
    return width > 32u ? 1u : width > 16u ? 2u : width > CODEC_OCTS ? 4u : 8u;
}

// The stored form of a group's width.
PD_FN pd_u32 codec_wide_word(pd_u32 width)
{
#if PD_HAS_WARPS
    return width;
#else
    // 2^20 / bits of joined digits, rounded up: divides less than 2^14 exactly
    const pd_u32 joined = width ? width * codec_joined(width) : 1u;
    return (1048575u + joined) / joined << 7 | width;
#endif
}

// An item's digits, joined, in local memory; those of a group start at place `origin`.
#define CODEC_PLACES (4u * CODEC_ITEMS) // of a group
PD_FN void codec_join_digits(PD_LPTR(pd_u64) to, const pd_u64 z[CODEC_EACH], pd_u32 width)
{
    const pd_u32 l = PD_LID % CODEC_ITEMS, origin = PD_LID / CODEC_ITEMS * CODEC_PLACES;
    pd_u64 x[CODEC_EACH];
    pd_u32 i;
    if (width > 32u) { // only where an item has 4
        for (i = 0u; i < 4u; i++) to[CODEC_SPREAD(origin + l * 4u + i)] = z[i];
        return;
    }
    for (i = 0u; i < CODEC_EACH / 2u; i++) x[i] = z[2u * i] | z[2u * i + 1u] << width;
    if (width > 16u) {
        for (i = 0u; i < CODEC_EACH / 2u; i++)
            to[CODEC_SPREAD(origin + l * (CODEC_EACH / 2u) + i)] = x[i];
        return;
    }
    for (i = 0u; i < CODEC_EACH / 4u; i++) x[i] = x[2u * i] | x[2u * i + 1u] << (2u * width);
    if (width > CODEC_OCTS) {
        for (i = 0u; i < CODEC_EACH / 4u; i++)
            to[CODEC_SPREAD(origin + l * (CODEC_EACH / 4u) + i)] = x[i];
        return;
    }
    to[CODEC_SPREAD(origin + l)] = x[0] | x[CODEC_EACH / 8u] << (4u * width);
}

#if PD_HAS_WARPS
// The digits of an item of a group of width w; 0 past the block's end.
PD_FN void codec_item_digits(pd_u32 low[8], pd_u32 high[8], PD_GPTR(const codec_key) keys,
                             PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n,
                             pd_u32 is_there, pd_u32 w, codec_bare lower, pd_u32 mode, pd_u32 shift,
                             pd_u32 step, const codec_rule rule)
{
    pd_u64 word[8u / CODEC_PER];
    codec_num y[8], before;
    pd_u32 i;
    codec_item(word, keys, pairs, base, e, n);
    before = codec_eight_words(y, word, keys, base, e, mode == CODEC_DELTA && is_there, rule);
    if (mode == CODEC_RAW)
        codec_raw_digits(low, high, word);
    else
        codec_digits(low, high, y, before, lower, shift, step, mode == CODEC_DELTA ? 1u : 0u,
                     w + step > 32u ? 1u : 0u);
    if (e + 8u > n)
        for (i = 0u; i < 8u; i++)
            if (e + i >= n) low[i] = high[i] = 0u;
}
#else
// The digits of an item, 0 past the block's end, if they have no more bits than words.
PD_FN void codec_item_digits(pd_u64 z[CODEC_EACH], PD_GPTR(const codec_key) keys,
                             PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n,
                             codec_bare lower, pd_u32 mode, pd_u32 shift, pd_u32 step,
                             const codec_rule rule)
{
    pd_u64 word[CODEC_WORDS];
    codec_num before = 0;
    pd_u32 i;
    codec_load(word, keys, pairs, base, e, n);
    if (mode == CODEC_DELTA) before = codec_word_before(keys, base, e, rule);
    for (i = 0u; i < CODEC_EACH; i++) {
        const codec_bare bits =
            (codec_key)(word[i / CODEC_PER] >> (i % CODEC_PER * (CODEC_BITS & 63u)));
        const codec_num y = codec_word_of(bits, rule);
        codec_bare x = bits;
        if (mode == CODEC_PLAIN) x = ((codec_bare)(y >> shift) - lower) >> step;
        if (mode == CODEC_DELTA) {
            const codec_bare d = (codec_bare)y - (codec_bare)before;
#if PD_CODEC_SIZE == 8
            const codec_bare less = (codec_bare)((codec_num)d >> 63);
#else
            const codec_bare less = y < before ? 0xffffffffu : 0u;
#endif
            x = (d ^ less) >> step << 1 | (less & 1u); // less than 33 bits
            before = y;
        }
        z[i] = e + i < n ? x : 0u;
    }
}

// 32 bits of a group from bit `skip` of joined digit q on; its `count` joined digits, of `together`
// bits, start at place `origin`.
PD_FN pd_u32 codec_joined_bits(PD_LPTR(const pd_u64) digit, pd_u32 origin, pd_u32 q, pd_u32 count,
                               pd_u32 skip, pd_u32 together)
{
    pd_u32 x = (pd_u32)(digit[CODEC_SPREAD(origin + q)] >> skip), have = together - skip, f;
    for (f = q + 1u; have < 32u && f < count; f++, have += together)
        x |= (pd_u32)digit[CODEC_SPREAD(origin + f)] << have;
    return x;
}

#if PD_CODEC_SIZE == 4
// The same for differences of 33 bits, which are not in local memory; e: the group's first element.
PD_FN pd_u32 codec_wide_bits(PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 e, pd_u32 q,
                             pd_u32 left, pd_u32 skip, pd_u32 w, pd_u32 step, codec_bare flip,
                             codec_bare fold)
{
    pd_u32 have = 0u, x = 0u, f;
    for (f = q; have < 32u && f < left; f++) {
        const pd_u64 y = codec_difference(keys, base, e + f, step, flip, fold);
        x |= (pd_u32)(have ? y << have : y >> skip);
        have = have ? 32u : w - skip;
    }
    return x;
}
#endif

// Writes the bits of a group, from digits in local memory to byte `begin` of the stream on, with
// its items. `inverted`: see codec_wide_word.
PD_FN void codec_put_digits(PD_GPTR(pd_u32) words, PD_LPTR(const pd_u64) digit,
                            PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 row, pd_u64 begin,
                            pd_u32 left, pd_u32 w, pd_u32 inverted, pd_u32 step,
                            const codec_rule rule)
{
    const pd_u32 over = (pd_u32)begin & 3u, most = over + (left * w + 7u) / 8u;
    const pd_u32 origin = PD_LID / CODEC_ITEMS * CODEC_PLACES, together = w * codec_joined(w);
    PD_GPTR(pd_u32) to = words + (begin >> 2);
    pd_u32 unit;
    for (unit = PD_LID % CODEC_ITEMS; 4u * unit < most; unit += CODEC_ITEMS) {
        const pd_u32 ahead = unit ? 0u : over;
        const pd_u32 bit = (4u * unit + ahead - over) * 8u;
        const pd_u32 q = bit * inverted >> 20, skip = bit - q * together;
        pd_u32 x;
#if PD_CODEC_SIZE == 4
        if (w > 32u)
            x = codec_wide_bits(keys, base, row * CODEC_GROUP, q, left, skip, w, step, rule.flip,
                                rule.fold);
        else
#endif
            x = codec_joined_bits(digit, origin, q, CODEC_GROUP / codec_joined(w), skip, together);
        if (ahead == 0u && 4u * unit + 4u <= most)
            to[unit] = x;
        else
            codec_put_some((PD_GPTR(pd_u8))to, 4u * unit, x, ahead, most - 4u * unit);
    }
#if PD_CODEC_SIZE != 4
    (void)keys;
    (void)base;
    (void)row;
    (void)step;
    (void)rule;
#endif
}
#endif

// Each item computes its digits of a tile; then CODEC_ITEMS items write the bits of a group, which
// start at byte at + place[..].
PD_FN void codec_fill_chunk(PD_GPTR(const codec_key) keys, PD_GPTR(const pd_u64) pairs,
                            PD_GPTR(pd_u32) words, CODEC_DIGITS digit, PD_LPTR(const pd_u32) wide,
                            PD_LPTR(const pd_u32) place, pd_u64 base, pd_u32 n, pd_u32 chunk,
                            pd_u64 at, codec_bare lower, pd_u32 mode, pd_u32 shift, pd_u32 step,
                            const codec_rule rule)
{
    const pd_u32 groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
    const pd_u32 end = n < (chunk + 256u) * CODEC_GROUP ? n : (chunk + 256u) * CODEC_GROUP;
    const pd_u32 l = PD_LID;
    pd_u32 tile;
    for (tile = chunk * CODEC_GROUP; tile < end; tile += CODEC_LOT_TILE) {
        const pd_u32 e = tile + l * CODEC_LOT;
        const pd_u32 row = tile / CODEC_GROUP + l / (CODEC_GROUP / CODEC_LOT);
        const pd_u32 left = row < groups && n - row * CODEC_GROUP < CODEC_GROUP
                                ? n - row * CODEC_GROUP
                                : CODEC_GROUP;
#if PD_HAS_WARPS
        const pd_u32 w = row < groups ? wide[row - chunk] : 0u;
        const pd_u64 begin = at + place[(row - chunk) & 255u];
        const pd_u32 over = (pd_u32)begin & 3u, most = over + (left * w + 7u) / 8u;
        pd_u32 low[8], high[8];
        codec_item_digits(low, high, keys, pairs, base, e, n, row < groups ? 1u : 0u, w, lower,
                          mode, shift, step, rule);
        codec_make_string(digit, low, high, w, over + l % 32u * w);
        if (w) codec_put_string(words + (begin >> 2), digit, over, most);
        PD_BARRIER_WARP();
#else
        const pd_u32 w = row < groups ? wide[row - chunk] & 127u : 0u;
        const pd_u32 inverted = row < groups ? wide[row - chunk] >> 7 : 0u;
        pd_u64 z[CODEC_EACH];
        pd_u32 i;
        for (i = 0u; i < CODEC_EACH; i++) z[i] = 0u;
        if (w && w <= CODEC_NUM_BITS && e < n)
            codec_item_digits(z, keys, pairs, base, e, n, lower, mode, shift, step, rule);
        if (w && w <= CODEC_NUM_BITS) codec_join_digits(digit, z, w);
        PD_BARRIER();
        if (w)
            codec_put_digits(words, digit, keys, base, row, at + place[row - chunk], left, w,
                             inverted, step, rule);
        PD_BARRIER();
#endif
    }
}

PD_KERNEL_MIN(padic_k_codec_fill, PD_CODEC_WG, PD_CODEC_FILLERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_CBUF(pd_u8, width), PD_CBUF(pd_u32, record),
 PD_CBUF(pd_u64, totals), PD_BUF(pd_u32, words),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 wide[256];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 strings[8u * CODEC_STRING];
    CODEC_DIGITS digit = strings + PD_LID / 32u * CODEC_STRING;
#else
    PD_LOCAL pd_u64 digit[CODEC_SPREAD(256u * 4u)]; // joined
#endif
    const pd_u32 l = PD_LID;
    PD_GPTR(pd_u8) bytes = (PD_GPTR(pd_u8))words;
    pd_u32 turn;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (turn = PD_GRP; turn < k.blocks; turn += PD_NGRP) {
        // in reverse order of `measure`: its last reads are still cached
        const pd_u32 block = k.blocks - 1u - turn;
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
        const pd_u64 own = (pd_u64)block * k.groups;
        const pd_u64 first = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]);
        const codec_rule rule = codec_rule_of(r, k.kind, k);
        const pd_u32 mode = r[CODEC_MODE];
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u32 chunk, g;
        if (k.coded && r[CODEC_WIDTH] == CODEC_CODED) continue;
        if (mode >= CODEC_PLAIN && !k.fetch)
            for (g = l; g < groups; g += 256u) bytes[at - 8u - groups + g] = width[own + g];
        for (chunk = 0u; chunk < groups && mode != CODEC_CONSTANT; chunk += 256u) {
            const pd_u32 here = chunk + l < groups ? width[own + chunk + l] : 0u;
            wide[l] = codec_wide_word(here);
            place[l] = (pd_u32)codec_before(
                each, part, here ? codec_group_bytes(chunk + l, n, here) : 0u);
            PD_BARRIER();
            codec_fill_chunk(keys, pairs, words, digit, wide, place, base, n, chunk, at,
                             (codec_bare)(first - codec_bias(k.kind)), mode, r[CODEC_SHIFT],
                             r[CODEC_STEP], rule);
            at += CODEC_TOTAL(part);
            PD_BARRIER();
        }
    }
}
