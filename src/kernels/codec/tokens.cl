// tokens.cl: the tokens of coded blocks, out of their chain.

// Bytes 4 i to 4 i + 3 behind bit `lead` of a word; words behind the last one are not read.
PD_FN pd_u32 codec_pair(PD_GPTR(const pd_u32) from, pd_u32 i, pd_u32 last, pd_u32 lead)
{
    return (pd_u32)(PD_U64(from[i < last ? i : last], from[i < last ? i + 1u : last]) >> lead);
}

// One symbol of the items that are `on`, each by its state x; of the chain so much is taken.
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

// Tokens of the coded blocks: rANS, symbol i by state i % 32. What follows them is noted in the
// record: the plain bits, where they begin and how many bytes.
PD_KERNEL_WG(padic_k_codec_tokens, 32)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u8, tokens), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u32 code[256]; // start | frequency << 16
    PD_LOCAL pd_u8 symbol[4096];
    PD_LOCAL pd_u32 ring[128]; // words of the chain, two in each
    PD_LOCAL pd_u32 found[4]; // where the table ends, whether it is one, its symbols; bad states
    PD_LOCAL pd_u32 mask[3];
    PD_LPTR(const pd_u16) chained = (PD_LPTR(const pd_u16))ring;
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u8) to = tokens + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        const pd_u64 end = at + r[CODEC_BYTES];
        pd_u64 plain;
        pd_u32 coder, words, x, i, j, s, filled, taken, turn, good = 1u;
        pd_u32 last, lead, next[4];
        PD_GPTR(const pd_u32) from;
        if (r[CODEC_MODE] == CODEC_BAD || r[CODEC_WIDTH] != 66u) continue;
        coder = codec_byte(stream, at + 2u, end);
        PD_BARRIER_ALL(); // the record is read
        if (coder == 1u) {
            for (i = l; i < n; i += 32u) to[i] = (pd_u8)codec_byte(stream, at + 3u, end);
            at += 4u;
        } else {
            if (l == 0u) {
                pd_u32 sum = 0u, p = 4u;
                last = codec_byte(stream, at + 3u, end);
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
                found[3] = 0u;
                mask[0] = mask[1] = mask[2] = 0u;
            }
            PD_BARRIER();
            good = found[1];
            if (good)
                for (s = 0u; s < found[2]; s++)
                    for (i = l; i < code[s] >> 16; i += 32u)
                        symbol[(code[s] & 65535u) + i] = (pd_u8)s;
            at += found[0];
            // u32 words, 32 states of u32
            if (at + 132u > end) good = 0u;
            words = good ? (pd_u32)codec_take(stream, at, 4u) : 0u;
            x = good ? (pd_u32)codec_take(stream, at + 4u + 4u * l, 4u) : 65536u;
            at += 132u;
            if (x < 65536u) PD_ATOMIC_OR_L(&found[3], 1u);
            if (good && 2u * (pd_u64)words > end - at) good = 0u;
            // words are read in pairs, from whole words of the stream on
            from = stream + (at >> 2);
            lead = ((pd_u32)at & 3u) * 8u;
            last = good ? ((pd_u32)(at & 3u) + 2u * words) / 4u : 0u;
            for (j = 0u; j < 4u; j++) {
                i = 32u * j + l;
                ring[i] = good ? codec_pair(from, i, last, lead) : 0u;
            }
            for (j = 0u; j < 2u; j++) {
                i = 128u + 32u * j + l;
                next[2u * j] = good ? from[i < last ? i : last] : 0u;
                next[2u * j + 1u] = good ? from[i < last ? i + 1u : last] : 0u;
            }
            PD_BARRIER();
            filled = 256u; // words that are, or were, in the ring
            taken = turn = 0u;
            for (i = 0u; good && i < n; i += 128u) {
#if PD_HAS_WARPS // else the vote's barrier would stand in a condition, which PoCL does not like
                if (i + 128u <= n) {
                    for (j = 0u; j < 4u; j++)
                        to[i + 32u * j + l] =
                            (pd_u8)codec_turn(symbol, code, chained, mask, turn, 1u, &x, &taken);
                } else
#endif
                    for (j = 0u; j < 4u; j++) {
                        const pd_u32 e = i + 32u * j + l;
                        s = codec_turn(symbol, code, chained, mask, turn, e < n ? 1u : 0u, &x,
                                       &taken);
                        turn = turn < 2u ? turn + 1u : 0u;
                        if (e < n) to[e] = (pd_u8)s;
                    }
                CODEC_TEAM_BARRIER(); // what is replaced was read
                if (filled - taken <= 128u) {
                    for (j = 0u; j < 2u; j++) {
                        s = filled / 2u + 32u * j + l;
                        ring[s & 127u] =
                            (pd_u32)(PD_U64(next[2u * j], next[2u * j + 1u]) >> lead);
                        s += 64u;
                        next[2u * j] = from[s < last ? s : last];
                        next[2u * j + 1u] = from[s < last ? s + 1u : last];
                    }
                    filled += 128u;
                }
#if PD_HAS_WARPS
                PD_BARRIER_WARP(); // else the next vote begins with one
#endif
            }
            if (taken > words) good = 0u;
            at += 2u * (pd_u64)taken;
            words -= taken;
            if (good && x != 65536u) PD_ATOMIC_OR_L(&found[3], 1u);
            PD_BARRIER();
            if (words || found[3]) good = 0u;
        }
        plain = end; // behind the plain bits
        if (good && at + 4u > end) good = 0u;
        if (good) {
            plain = at + 4u + codec_take(stream, at, 4u);
            if (plain > end) good = 0u;
#if PD_CODEC_BOUND
            if (!CODEC_HAS_OFF(r)) // else behind them
#endif
                if (plain != end) good = 0u;
        }
        at += 4u - PD_U64(k.packed_lo, k.packed_hi);
#if PD_CODEC_BOUND
        PD_BARRIER_ALL(); // the record is read
#endif
        if (l == 0u) {
#if PD_CODEC_BOUND
            if (CODEC_HAS_OFF(r)) {
                r[CODEC_OFF] = (pd_u32)plain;
                r[CODEC_OFF + 1u] = (pd_u32)(plain >> 32);
            }
#endif
            r[CODEC_SIZE] = codec_byte(stream, PD_U64(k.packed_lo, k.packed_hi) +
                                                   PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) + 1u,
                                       end); // most plain bits
            r[CODEC_BYTES] = good ? (pd_u32)(plain - PD_U64(k.packed_lo, k.packed_hi) - at) : 0u;
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
