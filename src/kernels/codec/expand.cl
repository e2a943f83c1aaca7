// expand.cl: unpacks coded blocks, from their tokens and plain bits.

// The word of a token whose plain bits start at bit `at`.
PD_FN pd_u64 codec_value(PD_GPTR(const pd_u32) stream, pd_u32 token, pd_u64 at)
{
    const pd_u32 extra = codec_extra(token);
    return ((pd_u64)(token - 4u * extra) << extra) + codec_bits(stream, at, extra);
}

#if PD_HAS_WARPS
// An item's digits, from their tokens (low, high: plain bits of each) and the plain bits from bit
// `at` on; returns their sum. Those of differences (`delta`: 1, else 0) are unfolded.
#if CODEC_SHORT // each has at most 16 plain bits, otherwise the result is undefined
PD_FN pd_u32 codec_digits_of(pd_u32 d[8], PD_GPTR(const pd_u32) p, pd_u32 at, pd_u64 some,
                             pd_u32 low, pd_u32 high, pd_u32 delta)
{
    const pd_u32 leads[2] = {(pd_u32)some - (low << 2), (pd_u32)(some >> 32) - (high << 2)};
    pd_u64 window = codec_window(p, at), other = codec_window(p, at + codec_bytes_sum(low));
    pd_u32 sum = 0u, i;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 lead = leads[i / 4u] >> (8u * (i & 3u)) & 255u;
        const pd_u32 extra = (i < 4u ? low : high) >> (8u * (i & 3u)) & 255u;
        pd_u32 z;
        if (i == 4u) window = other;
        z = lead * (1u << extra) + ((pd_u32)window & ((1u << extra) - 1u));
        window >>= extra;
        d[i] = z >> delta;
        if (z & delta) d[i] = ~d[i];
        sum += d[i];
    }
    return sum;
}
#else // widest: of those of the block
PD_FN pd_u64 codec_digits_of(pd_u64 d[8], PD_GPTR(const pd_u32) p, pd_u32 at, pd_u64 some,
                             pd_u32 low, pd_u32 high, pd_u32 delta, pd_u32 widest)
{
    const pd_u32 few = widest > 32u ? 0u : widest > 16u ? 1u : 3u; // of a window, less 1
    pd_u64 window = 0u, sum = 0u;
    pd_u32 i;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 t = (pd_u32)(some >> (8u * i)) & 255u;
        const pd_u32 extra = ((i < 4u ? low : high) >> (8u * (i & 3u))) & 255u;
        if ((i & few) == 0u) window = codec_window(p, at);
        d[i] = (pd_u64)(t - 4u * extra) << extra | (window & (((pd_u64)1u << extra) - 1u));
        window >>= extra;
        at += extra;
        if (delta) d[i] = codec_unfold(d[i]);
        sum += d[i];
    }
    return sum;
}
#endif
#endif

// The plain bits of an item's tokens from bit `at` on: the sum of the differences that they encode.
// `each`: the number of tokens, not to be unrolled.
PD_FN pd_u64 codec_sum_values(PD_GPTR(const pd_u32) p, pd_u64 some, pd_u32 at, pd_u32 each)
{
    pd_u64 x = 0u;
    pd_u32 j;
    for (j = 0u; j < each; j++) {
        const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
        x += codec_unfold(codec_value(p, t, at));
        at += codec_extra(t);
    }
    return x;
}

// The element of a digit, or of a sum of differences, if it exists.
PD_FN pd_u64 codec_expand_one(pd_u64 z, pd_u32 is_there, pd_u64 *wild, pd_u32 kind,
                              const codec_maker m)
{
#if PD_CODEC_BOUND
    if (m.scale != 0.0f) {
        z = m.first + m.step * z;
        if (is_there) *wild |= codec_wild(z);
        z = codec_unscaled((codec_num)z, m.scale);
    } else
#else
    (void)wild;
#endif
        z = codec_element(z, m.first, m.step, CODEC_PLAIN, m.shift, kind);
    return is_there ? z : 0u;
}

#if CODEC_SHORT || !PD_HAS_WARPS
// An item's elements, one after the other, in local memory; x: the sum of the earlier differences.
PD_FN void codec_expand_slowly(PD_LPTR(codec_key) element, PD_GPTR(const pd_u32) p, pd_u64 some,
                               pd_u32 at, pd_u64 x, pd_u32 e, pd_u32 n, pd_u32 each, pd_u64 *wild,
                               pd_u32 kind, const codec_maker m)
{
    pd_u32 j;
    for (j = 0u; j < each; j++) {
        const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
        pd_u64 z = codec_value(p, t, at);
        at += codec_extra(t);
        if (m.mode == CODEC_DELTA) {
            x += codec_unfold(z);
            z = x;
        }
        element[CODEC_PLACE(j)] =
            (codec_key)codec_expand_one(z, e + j < n ? 1u : 0u, wild, kind, m);
    }
}
#endif

#if PD_HAS_WARPS
// The largest first word of an item for which no word exceeds 32 bits; or 0.
PD_FN pd_u32 codec_slim_limit(pd_u32 widest, const codec_maker m)
{
    const pd_u64 limit = (pd_u64)1u << (m.scale != 0.0f ? 24u : 31u);
    const pd_u64 reach = widest <= 16u && m.shift < 32u && m.step >> 32 == 0u
                             ? m.step * 8u << (widest + 3u)
                             : limit;
    return reach < limit ? (pd_u32)(limit - reach) : 0u;
}

// Decodes a tile to local memory, an item's elements from e on by their tokens and the plain bits
// from bit `at` on; low, high: the bits of each. *sum: of the earlier differences, then including
// these. Sums of items are in `part` and `sums`, which tiles use in turn. The last word of `held`:
// codec_slim_limit.
#if CODEC_SHORT
PD_FN void codec_expand_tile(PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) sums,
                             PD_LPTR(const pd_u32) held, pd_u32 turn, PD_GPTR(const pd_u32) p,
                             pd_u64 some, pd_u32 low, pd_u32 high, pd_u32 at, pd_u32 e, pd_u32 n,
                             pd_u32 count, pd_u32 slim, pd_u64 *sum, pd_u64 *wild, pd_u32 kind,
                             const codec_maker m)
{
    codec_maker here = m;
    pd_u64 x = 0u, all;
    pd_u32 d[8], own;
    if (slim) {
        low &= 0x1f1f1f1fu; // keeps shifts valid for any token
        high &= 0x1f1f1f1fu;
        own = codec_digits_of(d, p, at, some, low, high, m.mode == CODEC_DELTA ? 1u : 0u);
        if (m.mode == CODEC_DELTA) {
            pd_u32 total;
            x = (pd_u64)(pd_i64)(pd_i32)codec_tile_before32(sums + turn, own, &total) + *sum;
            *sum += (pd_u64)(pd_i64)(pd_i32)total;
        }
    } else if (m.mode == CODEC_DELTA) {
        x = codec_sum_values(p, some, at, count);
        x = codec_tile_before(part + 36u + turn, x, &all) + *sum;
        *sum += all;
    }
    here.first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]); // as registers are scarce
    here.step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
    own = held[CODEC_RECORD];
    if (own && e + 8u <= n && here.first + here.step * x + own < 2u * (pd_u64)own)
        codec_make(tile, d, (pd_u32)(here.first + here.step * x), (pd_u32)here.step,
                   m.mode == CODEC_DELTA ? 1u : 0u, m.shift, m.keep, m.scale);
    else
        codec_expand_slowly((PD_LPTR(codec_key))tile, p, some, at, x, e, n, count, wild, kind,
                            here);
}
#else
PD_FN void codec_expand_tile(PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) sums,
                             PD_LPTR(const pd_u32) held, pd_u32 turn, PD_GPTR(const pd_u32) p,
                             pd_u64 some, pd_u32 low, pd_u32 high, pd_u32 at, pd_u32 e, pd_u32 n,
                             pd_u32 count, pd_u32 slim, pd_u64 *sum, pd_u64 *wild, pd_u32 kind,
                             const codec_maker m)
{
    codec_maker here = m;
    pd_u64 d[8], x, all;
    pd_u32 i;
    (void)sums;
    (void)count;
    (void)slim;
    x = codec_digits_of(d, p, at, some, low, high, m.mode == CODEC_DELTA ? 1u : 0u,
                        held[CODEC_SIZE]);
    if (m.mode == CODEC_DELTA) {
        x = codec_tile_before(part + 36u + turn, x, &all) + *sum;
        *sum += all;
    }
    here.first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]); // as registers are scarce
    here.step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
    for (i = 0u; i < 8u; i++) {
        pd_u64 z = d[i];
        if (m.mode == CODEC_DELTA) {
            x += z;
            z = x;
        }
        tile[CODEC_SPREAD(8u * PD_LID + i)] =
            codec_expand_one(z, e + i < n ? 1u : 0u, wild, kind, here);
    }
}
#endif

// All elements of a block whose plain bits, *left of them, start at bit `bit`. *sum becomes the
// item's part of the checksum. Returns the end of the plain bits; *most becomes 64 if a token has
// more of them than the block states.
PD_FN pd_u64 codec_expand_block(PD_GPTR(pd_u64) pairs, PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) each,
                                PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) sums, PD_LPTR(pd_u32) begins,
                                PD_LPTR(pd_u32) held, PD_GPTR(const pd_u32) stream, pd_u64 bit,
                                PD_GPTR(const pd_u8) token, pd_u32 whole, pd_u64 base, pd_u32 n,
                                pd_u64 key, pd_u32 count, pd_u32 kind, pd_u64 *left, pd_u64 *sum,
                                pd_u32 *most, const codec_maker m)
{
    pd_u64 before = 0u, wild = 0u, next;
    pd_u32 chunk, from, turn = 0u, above = 0u, slim, i;
#if CODEC_SHORT
    if (PD_LID == 0u) held[CODEC_RECORD] = codec_slim_limit(held[CODEC_SIZE], m);
    PD_BARRIER();
#endif
    slim = CODEC_SHORT ? held[CODEC_RECORD] : 0u;
    for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
        const pd_u32 end = n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
        PD_GPTR(const pd_u32) p = stream + (bit >> 5);
        codec_begins(token, whole, chunk, n, (pd_u32)bit & 31u, each, part, begins);
        i = begins[256] - ((pd_u32)bit & 31u);
        if (i > *left) {
            *left = 8u; // more than byte padding
            break;
        }
        *left -= i;
        bit += i;
        next = codec_eight_tokens(token, whole, chunk + 8u * PD_LID, n);
        for (from = chunk; from < end; from += 2048u) {
            const pd_u32 e = from + 8u * PD_LID;
            const pd_u64 some = next;
            const pd_u32 low = codec_extras((pd_u32)some);
            const pd_u32 high = codec_extras((pd_u32)(some >> 32));
            pd_u32 at = codec_bytes_sum(low) + codec_bytes_sum(high), own = at;
            for (i = 1u; i < 32u; i *= 2u) own = PD_SUM_UP(own, i);
            at = begins[(from - chunk) / CODEC_GROUP + PD_LID / 32u] + own - at;
            next = codec_eight_tokens(token, whole, e + 2048u, n); // prefetched
            i = 0x01010101u * (127u - (held[CODEC_SIZE] & 63u));
            above |= (low + i) | (high + i); // its bits 7, 15, 23, 31
            codec_expand_tile(tile, part, sums, held, turn, p, some, low, high, at, e, n, count,
                              slim, &before, &wild, kind, m);
            turn = 8u - turn;
            *sum += codec_store_tile(pairs, tile, base, from, n, &key);
        }
        PD_BARRIER(); // the offsets were read
    }
    if (above & 0x80808080u || wild) *most = 64u;
    return bit;
}
#else
// An item's tokens from e on, one byte each; past the end 0, without plain bits.
PD_FN pd_u64 codec_item_tokens(PD_GPTR(const pd_u8) token, pd_u32 whole, pd_u32 e, pd_u32 n,
                               pd_u32 each)
{
    PD_GPTR(const pd_u32) four = (PD_GPTR(const pd_u32))(PD_GPTR(const void))(token + e);
    pd_u64 some = 0u;
    pd_u32 j;
    if (whole && e + CODEC_EACH <= n)
        return CODEC_EACH > 4u ? PD_U64(four[0], four[CODEC_EACH / 4u - 1u]) : four[0];
    for (j = 0u; j < each; j++)
        if (e + j < n) some |= (pd_u64)token[e + j] << (8u * j);
    return some;
}

#if CODEC_QUICK
// An item's digits of up to 20 plain bits each, those of differences unfolded; returns their sum.
PD_FN pd_u32 codec_quick_values(pd_u32 d[CODEC_EACH], PD_GPTR(const pd_u32) p, pd_u64 some,
                                pd_u32 at, pd_u32 widest, pd_u32 mode)
{
    const pd_u32 few = widest > 16u ? 1u : 3u; // elements of a window, less 1
    pd_u64 window = 0u;
    pd_u32 all = 0u, i;
    for (i = 0u; i < CODEC_EACH; i++) {
        const pd_u32 t = (pd_u32)(some >> (8u * i)) & 255u, extra = codec_extra(t);
        if ((i & few) == 0u) window = codec_window(p, at);
        d[i] = (t - 4u * extra) << extra | ((pd_u32)window & ((1u << extra) - 1u));
        window >>= extra;
        at += extra;
        if (mode == CODEC_DELTA) d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
        all += d[i];
    }
    return all;
}
#endif

// Decodes a tile to local memory, an item's elements from e on by their tokens and the plain bits
// from bit `at` on, each with at most `widest`. *sum: of the earlier differences, then including
// these.
PD_FN void codec_expand_tile(PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                             PD_GPTR(const pd_u32) p, pd_u64 some, pd_u32 widest, pd_u32 at,
                             pd_u32 e, pd_u32 n, pd_u32 count, pd_u64 *sum, pd_u64 *wild,
                             pd_u32 kind, const codec_maker m)
{
    pd_u64 x = 0u;
#if CODEC_QUICK
    const pd_u32 quick = widest <= 20u && m.shift < 32u && e + CODEC_EACH <= n ? 1u : 0u;
    pd_u32 d[CODEC_EACH];
    if (quick)
        x = (pd_u64)(pd_i64)(pd_i32)codec_quick_values(d, p, some, at, widest, m.mode);
    else
#else
    (void)widest;
#endif
        if (m.mode == CODEC_DELTA)
        x = codec_sum_values(p, some, at, count);
    if (m.mode == CODEC_DELTA) {
        x = codec_before(each, part, x) + *sum;
        *sum += CODEC_TOTAL(part);
        CODEC_AGAIN();
    } else {
        PD_BARRIER();
        x = 0u;
    }
#if CODEC_QUICK
    if (quick && codec_tame(m.first + m.step * x, m.step, widest + 3u, m.scale)) {
        codec_make(tile, d, (pd_u32)(m.first + m.step * x), (pd_u32)m.step,
                   m.mode == CODEC_DELTA ? 1u : 0u, m.shift, m.keep, m.scale);
        return;
    }
#endif
    codec_expand_slowly((PD_LPTR(codec_key))tile, p, some, at, x, e, n, count, wild, kind, m);
}

// All elements of a block whose plain bits, *left of them, start at bit `bit`. *sum becomes the
// item's part of the checksum. Returns the end of the plain bits; *most: plain bits of one token,
// or 64 if a scale has no such word.
PD_FN pd_u64 codec_expand_block(PD_GPTR(pd_u64) pairs, PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) each,
                                PD_LPTR(pd_u64) part, PD_GPTR(const pd_u32) stream, pd_u64 bit,
                                PD_GPTR(const pd_u8) token, pd_u32 whole, pd_u64 base, pd_u32 n,
                                pd_u64 key, pd_u32 count, pd_u32 kind, pd_u64 *left, pd_u64 *sum,
                                pd_u32 *most, const codec_maker m)
{
    pd_u64 before = 0u, wild = 0u;
    pd_u32 from, j;
    for (from = 0u; from < n; from += CODEC_TILE) {
        const pd_u32 e = from + PD_LID * CODEC_EACH;
        PD_GPTR(const pd_u32) p = stream + (bit >> 5);
        const pd_u64 some = codec_item_tokens(token, whole, e, n, count);
        pd_u32 at, here = 0u, own = 0u;
        for (j = 0u; j < CODEC_EACH; j++) {
            const pd_u32 extra = codec_extra((pd_u32)(some >> (8u * j)) & 255u);
            here += extra;
            own = extra > own ? extra : own;
        }
        *most = own > *most ? own : *most;
        at = codec_before32(each, part, here) + ((pd_u32)bit & 31u);
        here = (pd_u32)CODEC_TOTAL(part);
        CODEC_AGAIN();
        if (here > *left) {
            *left = 8u; // more than byte padding
            break;
        }
        bit += here;
        *left -= here;
        codec_expand_tile(tile, each, part + 36u, p, some, own, at, e, n, count, &before, &wild,
                          kind, m);
        *sum += codec_store_tile(pairs, tile, base, from, n, &key);
    }
    if (wild) *most = 64u;
    return bit;
}
#endif

PD_KERNEL_MIN(padic_k_codec_expand, PD_CODEC_WG, PD_CODEC_EXPANDERS)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_CBUF(pd_u32, tokens), PD_BUF(pd_u64, pairs),
 PD_BUF(pd_u32, status), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[72];
    PD_LOCAL pd_u32 held[CODEC_RECORD + 2u]; // local, as (scalar) registers are scarce
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(CODEC_LOT_TILE / CODEC_PER)];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 begins[257]; // offset of a group's plain bits, from a chunk's word on
    PD_LOCAL pd_u32 sums[16];
#endif
    const pd_u32 l = PD_LID, count = k.each * (CODEC_EACH / CODEC_SUMS); // not to be unrolled
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(const pd_u8) token = (PD_GPTR(const pd_u8))tokens + codec_start(block, k);
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
        pd_u64 bit = 8u * (PD_U64(k.packed_lo, k.packed_hi) +
                           PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]));
        pd_u64 left = 8u * (pd_u64)r[CODEC_BYTES]; // plain bits
        pd_u64 sum = 0u;
        pd_u32 most = 0u; // plain bits of one word
        codec_maker m;
        if (r[CODEC_MODE] == CODEC_BAD || r[CODEC_WIDTH] != CODEC_CODED) continue;
        if (l < CODEC_RECORD) held[l] = r[l];
        PD_BARRIER();
        m = codec_maker_of(held, k.kind);
#if PD_HAS_WARPS
        bit = codec_expand_block(pairs, tile, each, part, sums, begins, held, stream, bit, token,
                                 whole, base, n, codec_first_key(block), count, k.kind, &left, &sum,
                                 &most, m);
#else
        bit = codec_expand_block(pairs, tile, each, part, stream, bit, token, whole, base, n,
                                 codec_first_key(block), count, k.kind, &left, &sum, &most, m);
#endif
        if (left > 7u || codec_bits(stream, bit, (pd_u32)left)) most = 64u;
        most = (pd_u32)codec_all(each, most, CODEC_MOST);
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && (most > r[CODEC_SIZE] ||
                        (!codec_has_off(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}
