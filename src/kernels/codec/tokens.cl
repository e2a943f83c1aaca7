// tokens.cl: decodes the tokens of coded blocks from their chain.

// Bytes 4 i to 4 i + 3 after bit `lead` of a word; no word after the last is read.
PD_FN pd_u32 codec_pair(PD_GPTR(const pd_u32) from, pd_u32 i, pd_u32 last, pd_u32 lead)
{
    return (pd_u32)(PD_U64(from[i < last ? i : last], from[i < last ? i + 1u : last]) >> lead);
}

// One symbol of each active (`on`) item, by its state x; returns the words taken from the chain.
PD_FN pd_u32 codec_turn(PD_LPTR(const pd_u8) symbol, PD_LPTR(const pd_u32) code,
                        PD_LPTR(const pd_u16) chained, PD_LPTR(pd_u32) mask, pd_u32 turn, pd_u32 on,
                        pd_u32 *x, pd_u32 *taken)
{
    const pd_u32 slot = *x & 4095u, s = symbol[slot], c = code[s];
    pd_u32 y = (c >> 16) * (*x >> 12) + slot - (c & 65535u), low, all, next;
    low = on && y < 65536u ? 1u : 0u;
    all = codec_votes(mask, turn, low);
    next = chained[(*taken + PD_POPCOUNT(all & ((1u << PD_LID) - 1u))) & 255u];
    y = low ? y << 16 | next : y;
    *x = on ? y : *x;
    *taken += PD_POPCOUNT(all);
    return s;
}

// Reads the table of frequencies after byte at + 2, with a single item. found: its end, whether it
// is valid, its symbols.
PD_FN void codec_take_table(PD_LPTR(pd_u32) code, PD_LPTR(pd_u32) found,
                            PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 end, pd_u32 coder)
{
    const pd_u32 last = codec_byte(stream, at + 3u, end);
    pd_u32 sum = 0u, p = 4u, s, i;
    for (s = 0u; s <= last && sum <= 4096u;) {
        pd_u32 f = codec_byte(stream, at + p, end);
        p++;
        if (f == 0u) {
            f = codec_byte(stream, at + p, end) + 1u;
            p++;
            for (i = 0u; i < f && s < 256u; i++) code[s++] = sum;
            continue;
        }
        if (f & 128u) {
            f = (f & 127u) | codec_byte(stream, at + p, end) << 7;
            p++;
        }
        code[s++] = sum | f << 16;
        sum += f;
    }
    found[0] = p;
    found[1] = s == last + 1u && sum == 4096u && coder == 4u ? 1u : 0u;
    found[2] = s;
}

// The first 256 words of the chain, in pairs from the word `from` of the stream on, whose bit
// `lead` is the chain's first; prefetches the following ones.
PD_FN void codec_fill_ring(PD_LPTR(pd_u32) ring, pd_u32 next[4], PD_GPTR(const pd_u32) from,
                           pd_u32 last, pd_u32 lead, pd_u32 good)
{
    pd_u32 i, j;
    for (j = 0u; j < 4u; j++) {
        i = 32u * j + PD_LID;
        ring[i] = good ? codec_pair(from, i, last, lead) : 0u;
    }
    for (j = 0u; j < 2u; j++) {
        i = 128u + 32u * j + PD_LID;
        next[2u * j] = good ? from[i < last ? i : last] : 0u;
        next[2u * j + 1u] = good ? from[i < last ? i + 1u : last] : 0u;
    }
}

// Stores those in the ring and loads others. `filled`: words that are or were in the ring.
PD_FN void codec_feed_ring(PD_LPTR(pd_u32) ring, pd_u32 next[4], PD_GPTR(const pd_u32) from,
                           pd_u32 last, pd_u32 lead, pd_u32 filled)
{
    pd_u32 s, j;
    for (j = 0u; j < 2u; j++) {
        s = filled / 2u + 32u * j + PD_LID;
        ring[s & 127u] = (pd_u32)(PD_U64(next[2u * j], next[2u * j + 1u]) >> lead);
        s += 64u;
        next[2u * j] = from[s < last ? s : last];
        next[2u * j + 1u] = from[s < last ? s + 1u : last];
    }
}

// Decodes n tokens with the items' states *x. Returns how many words of the chain it took.
PD_FN pd_u32 codec_run_chain(PD_GPTR(pd_u8) to, pd_u32 n, PD_LPTR(const pd_u8) symbol,
                             PD_LPTR(const pd_u32) code, PD_LPTR(pd_u32) ring,
                             PD_LPTR(pd_u32) mask, PD_GPTR(const pd_u32) from, pd_u32 last,
                             pd_u32 lead, pd_u32 next[4], pd_u32 *x)
{
    PD_LPTR(const pd_u16) chained = (PD_LPTR(const pd_u16))ring;
    pd_u32 filled = 256u, taken = 0u, turn = 0u, i, j, s;
    for (i = 0u; i < n; i += 128u) {
#if PD_HAS_WARPS // otherwise a barrier in a condition, which PoCL does not support
        if (i + 128u <= n) {
            for (j = 0u; j < 4u; j++)
                to[i + 32u * j + PD_LID] =
                    (pd_u8)codec_turn(symbol, code, chained, mask, turn, 1u, x, &taken);
        } else
#endif
            for (j = 0u; j < 4u; j++) {
                const pd_u32 e = i + 32u * j + PD_LID;
                s = codec_turn(symbol, code, chained, mask, turn, e < n ? 1u : 0u, x, &taken);
                turn = turn < 2u ? turn + 1u : 0u;
                if (e < n) to[e] = (pd_u8)s;
            }
        CODEC_TEAM_BARRIER(); // the replaced words were read
        if (filled - taken <= 128u) {
            codec_feed_ring(ring, next, from, last, lead, filled);
            filled += 128u;
        }
#if PD_HAS_WARPS
        PD_BARRIER_WARP(); // otherwise the next vote begins with one
#endif
    }
    return taken;
}

// The tokens of a block by table, states and chain, from byte *place on, which is advanced past
// them. 0: they are damaged.
PD_FN pd_u32 codec_take_tokens(PD_GPTR(pd_u8) to, pd_u32 n, PD_GPTR(const pd_u32) stream,
                               pd_u64 *place, pd_u64 end, pd_u32 coder, PD_LPTR(pd_u32) code,
                               PD_LPTR(pd_u8) symbol, PD_LPTR(pd_u32) ring, PD_LPTR(pd_u32) found,
                               PD_LPTR(pd_u32) mask)
{
    const pd_u32 l = PD_LID;
    pd_u64 at = *place;
    pd_u32 good, words, x, lead, last, taken, s, i, next[4];
    PD_GPTR(const pd_u32) from;
    if (l == 0u) {
        codec_take_table(code, found, stream, at, end, coder);
        found[3] = 0u;
        mask[0] = mask[1] = mask[2] = 0u;
    }
    PD_BARRIER();
    good = found[1];
    if (good)
        for (s = 0u; s < found[2]; s++)
            for (i = l; i < code[s] >> 16; i += 32u) symbol[(code[s] & 65535u) + i] = (pd_u8)s;
    at += found[0];
    // u32 words, 32 states of u32
    if (at + 132u > end) good = 0u;
    words = good ? (pd_u32)codec_take(stream, at, 4u) : 0u;
    x = good ? (pd_u32)codec_take(stream, at + 4u + 4u * l, 4u) : 65536u;
    at += 132u;
    if (x < 65536u) PD_ATOMIC_OR_L(&found[3], 1u);
    if (good && 2u * (pd_u64)words > end - at) good = 0u;
    from = stream + (at >> 2);
    lead = ((pd_u32)at & 3u) * 8u;
    last = good ? ((pd_u32)(at & 3u) + 2u * words) / 4u : 0u;
    codec_fill_ring(ring, next, from, last, lead, good);
    PD_BARRIER();
    taken = codec_run_chain(to, good ? n : 0u, symbol, code, ring, mask, from, last, lead, next,
                            &x);
    if (taken > words) good = 0u;
    *place = at + 2u * (pd_u64)taken;
    if (good && x != 65536u) PD_ATOMIC_OR_L(&found[3], 1u);
    PD_BARRIER();
    return words == taken && !found[3] ? good : 0u;
}

// 1 if the count of plain bits is at byte `at`, and they end at `end` (or before it, if exceptions
// follow): *their end, else `end`.
PD_FN pd_u32 codec_is_plain(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 end, pd_u32 has_off,
                            pd_u64 *plain)
{
    *plain = end;
    if (at + 4u > end) return 0u;
    *plain = at + 4u + codec_take(stream, at, 4u);
    if (*plain > end) return 0u;
    return has_off || *plain == end ? 1u : 0u;
}

// Tokens of the coded blocks: rANS, symbol i by state i % 32. The record gets the offset and size
// of the plain bits that follow.
PD_KERNEL_WG(padic_k_codec_tokens, 32)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u8, tokens), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u32 code[256]; // start | frequency << 16
    PD_LOCAL pd_u8 symbol[4096];
    PD_LOCAL pd_u32 ring[128]; // words of the chain, two in each
    PD_LOCAL pd_u32 found[4]; // the table's end, its validity, its symbols; bad states
    PD_LOCAL pd_u32 mask[3];
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi);
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u8) to = tokens + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        pd_u64 at = packed + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        const pd_u64 end = at + r[CODEC_BYTES];
        pd_u64 plain = end; // after the plain bits
        pd_u32 coder, i, good = 1u;
        if (r[CODEC_MODE] == CODEC_BAD || r[CODEC_WIDTH] != 66u) continue;
        coder = codec_byte(stream, at + 2u, end);
        PD_BARRIER_ALL(); // the record was read
        if (coder == 1u) {
            for (i = l; i < n; i += 32u) to[i] = (pd_u8)codec_byte(stream, at + 3u, end);
            at += 4u;
        } else {
            good = codec_take_tokens(to, n, stream, &at, end, coder, code, symbol, ring, found,
                                     mask);
        }
        if (good) good = codec_is_plain(stream, at, end, codec_has_off(r), &plain);
        at += 4u - packed;
#if PD_CODEC_BOUND
        PD_BARRIER_ALL(); // the record was read
#endif
        if (l == 0u) {
#if PD_CODEC_BOUND
            if (codec_has_off(r)) {
                r[CODEC_OFF] = (pd_u32)plain;
                r[CODEC_OFF + 1u] = (pd_u32)(plain >> 32);
            }
#endif
            r[CODEC_SIZE] = codec_byte(
                stream, packed + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) + 1u, end); // widest
            r[CODEC_BYTES] = good ? (pd_u32)(plain - packed - at) : 0u;
            r[CODEC_BODY] = (pd_u32)at;
            r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
            if (!good) {
                r[CODEC_MODE] = CODEC_BAD;
                codec_bad(status, block);
            }
        }
        PD_BARRIER_ALL();
    }
}
