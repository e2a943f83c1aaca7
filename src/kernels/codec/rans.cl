// rans.cl: the rANS chain of each block's tokens; decides whether the block is coded.

// The end of a block's words of the chain, in halves of u32: at most 12 bits per token.
PD_FN pd_u64 codec_chain_end(pd_u32 block, pd_u32 n, const padic_k_codec_stream_params k)
{
    const pd_u64 start = codec_start(block, k);
    return start - start / 4u + 64u * (pd_u64)block + (n - n / 4u + 48u);
}

// One step of the chain; words below to[*left] are free. A token's code: 4096 less its frequency,
// its start << 16, (2^32 - 1) / its frequency << 32.
PD_FN pd_u32 codec_link(PD_GPTR(pd_u16) to, PD_LPTR(pd_u32) mask, pd_u32 turn, pd_u32 on,
                        pd_u64 code, pd_u32 x, pd_u32 *left)
{
    const pd_u32 more = (pd_u32)code & 0xffffu;
    const pd_u32 out = on && x >= (pd_u32)code * 0xfff00000u ? 1u : 0u; // frequency << 20
    const pd_u32 all = codec_votes(mask, turn, out), y = out ? x >> 16 : x;
    const pd_u32 q = PD_MULHI32(y, (pd_u32)(code >> 32)); // y / frequency, or one less
    const pd_u32 made = y + q * more;
    *left -= PD_POPCOUNT(all);
    PD_STORE16_IF(out, to, *left + PD_POPCOUNT(all & ((1u << (PD_LID % 32u)) - 1u)), x);
    // 4096 (y / frequency) + y % frequency + start
    return on ? made + ((pd_u32)code >> 16) + (made - q * 4096u + more > 4095u ? more : 0u) : x;
}

// The chain of n tokens, backwards, with the items' states *x. `room` words before `to`'s end are
// free; returns how many remain.
PD_FN pd_u32 codec_chain_tokens(PD_GPTR(pd_u16) to, pd_u32 room, PD_GPTR(const pd_u8) from,
                                pd_u32 n, PD_LPTR(const pd_u64) code, PD_LPTR(pd_u32) mask,
                                pd_u32 *x)
{
    pd_u32 left = room, turn = 0u, i = (n + 255u) / 256u, j, next[8];
    for (j = 0u; j < 8u && i; j++) { // tokens of 8 rounds
        const pd_u32 e = 256u * (i - 1u) + 32u * j + PD_LID;
        next[j] = from[e < n ? e : n - 1u];
    }
    while (i-- > 0u) {
        pd_u32 token[8];
        for (j = 0u; j < 8u; j++) token[j] = next[j];
        if (i) { // loaded 8 rounds earlier
            PD_GPTR(const pd_u8) some = from + (256u * (i - 1u) + PD_LID);
            for (j = 0u; j < 8u; j++) next[j] = some[32u * j];
        }
#if PD_HAS_WARPS // otherwise the vote's barrier would be inside a condition
        if (256u * i + 256u <= n) {
            for (j = 8u; j-- > 0u;)
                *x = codec_link(to, mask, 0u, 1u, code[token[j]], *x, &left);
            continue;
        }
#endif
        for (j = 8u; j-- > 0u;) {
            *x = codec_link(to, mask, turn, 256u * i + 32u * j + PD_LID < n ? 1u : 0u,
                            code[token[j]], *x, &left);
            turn = turn < 2u ? turn + 1u : 0u;
        }
    }
    return left;
}

// The block becomes a coded one if that is smaller; `words`: size of its chain.
PD_FN void codec_choose_coded(PD_GPTR(pd_u32) r, PD_GPTR(pd_u32) t, pd_u32 words)
{
    const pd_u32 how = t[CODEC_HOW], delta = how & 1u;
    const pd_u32 lists = r[CODEC_OFF] ? r[CODEC_OFF + 1u] : 0u;
    const pd_u32 stages = 22u + 6u * delta + (r[CODEC_SCALE] ? 7u : 0u);
    const pd_u32 size = (how & 2u ? 8u : 139u + t[CODEC_TABLES] + 2u * words) + t[CODEC_PLAINS];
    t[CODEC_WORDS16] = words;
    if (stages + size + 8u + lists < r[CODEC_SIZE]) {
        r[CODEC_SIZE] = stages + size + 8u + lists;
        r[CODEC_MODE] = delta ? CODEC_DELTA : CODEC_PLAIN;
        r[CODEC_SHIFT] = t[CODEC_STAGE] & 255u;
        r[CODEC_STEP] = t[CODEC_STAGE] >> 8;
        r[CODEC_FIRST] = t[CODEC_STAGE + 1u];
        r[CODEC_FIRST + 1u] = t[CODEC_STAGE + 2u];
        r[CODEC_WIDTH] = CODEC_CODED;
        r[CODEC_BYTES] = size;
    }
}

// The chain of each block: token i by state i % 32. Uses it where it is smaller.
PD_KERNEL_WG(padic_k_codec_rans, 32)
(PD_CBUF(pd_u8, tokens), PD_BUF(pd_u32, record), PD_BUF(pd_u32, table), PD_BUF(pd_u16, chain),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 code[256];
    PD_LOCAL pd_u32 mask[3];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u32 n = codec_count(block, k), how = t[CODEC_HOW];
        const pd_u32 room = n - n / 4u + 48u; // of the chain, at most
        pd_u32 left, x = 65536u, i;
        if (r[CODEC_MODE] == CODEC_CONSTANT) continue;
        for (i = l; i < 256u; i += 32u) {
            const pd_u32 f = t[i] >> 16;
            code[i] = f ? PD_U64(4096u - f + (t[i] << 16), 0xffffffffu / f) : 0u;
        }
        if (l < 3u) mask[l] = 0u;
        PD_BARRIER_ALL(); // the record is read
        left = codec_chain_tokens(chain + (codec_chain_end(block, n, k) - room), room,
                                  tokens + codec_start(block, k), how & 2u ? 0u : n, code, mask,
                                  &x);
        t[CODEC_STATES + l] = x;
        if (l == 0u) codec_choose_coded(r, t, room - left);
        PD_BARRIER_ALL();
    }
}
