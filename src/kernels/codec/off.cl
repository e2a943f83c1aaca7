// off.cl: packs exceptions: elements that have no word within the bound.

// One list of exceptions, one item each: returns its size; with `bytes` it is written from `at` on.
PD_FN pd_u32 codec_put_list(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u64 z, pd_u32 count,
                            pd_u32 writing, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                            PD_LPTR(pd_u32) plain)
{
    const pd_u32 l = PD_LID, token = codec_class(z), extra = l < count ? codec_extra(token) : 0u;
    const pd_u32 widest = (pd_u32)codec_all(each, extra, CODEC_MOST);
    pd_u32 bit, all, i;
    pd_u64 x = extra ? z & (((pd_u64)1u << extra) - 1u) : 0u;
    for (i = l; i < 512u; i += 256u) plain[i] = 0u;
    PD_BARRIER();
    bit = (pd_u32)codec_before(each, part, extra);
    all = ((pd_u32)CODEC_TOTAL(part) + 7u) / 8u;
    if (writing) {
        for (i = 0u; i < extra;) { // up to the next word
            const pd_u32 at_bit = bit & 31u;
            PD_ATOMIC_OR_L(&plain[bit >> 5], (pd_u32)x << at_bit);
            x >>= 32u - at_bit;
            i += 32u - at_bit;
            bit += 32u - at_bit;
        }
        if (l < count) bytes[at + 3u + l] = (pd_u8)token;
        if (l == 0u) {
            codec_put(bytes, at, 2u | widest << 8, 3u); // tokens in coder 0
            codec_put(bytes, at + 3u + count, all, 4u);
        }
    }
    PD_BARRIER(); // outside of any condition, as PoCL requires
    for (i = l; i < all && writing; i += 256u)
        bytes[at + 7u + count + i] = (pd_u8)(plain[i >> 2] >> (8u * (i & 3u)));
    PD_BARRIER();
    return 7u + count + all;
}

// Exceptions: their sizes, or (writing) their bytes after those of `fill`.
PD_KERNEL_WG(padic_k_codec_off, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_BUF(pd_u32, record), PD_CBUF(pd_u64, totals), PD_BUF(pd_u8, bytes),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[CODEC_OFF_MOST];
    PD_LOCAL pd_u32 plain[512];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    if (k.writing && totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), count = r[CODEC_OFF];
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) +
                    PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) + r[CODEC_BYTES];
        pd_u64 gap = 0u, value = 0u;
        pd_u32 tile, found = 0u, size = 5u, j;
        if (count == 0u) continue;
        for (tile = 0u; tile < n; tile += 256u * 8u) {
            const pd_u32 e = tile + l * 8u;
            pd_u32 mine = 0u, to;
            for (j = 0u; j < 8u; j++)
                if (e + j < n)
                    mine |= codec_is_off((codec_bare)keys[base + e + j], CODEC_MOST_SCALED) << j;
            to = found + (pd_u32)codec_before(each, part, PD_POPCOUNT(mine));
            found += (pd_u32)CODEC_TOTAL(part);
            for (j = 0u; j < 8u; j++)
                if (mine >> j & 1u) {
                    if (to < CODEC_OFF_MOST) place[to] = e + j;
                    to++;
                }
            PD_BARRIER();
        }
        if (l < count) {
            gap = place[l] - (l ? place[l - 1u] + 1u : 0u);
            value = keys[base + place[l]];
        }
        PD_BARRIER();
        for (j = 0u; j < 2u; j++)
            size += codec_put_list(bytes, at + size, j ? value : gap, count, k.writing, each, part,
                                   plain);
        if (l == 0u) {
            if (k.writing) {
                codec_put(bytes, at, count, 5u);
            } else {
                r[CODEC_SIZE] = r[CODEC_AT] + size;
                r[CODEC_OFF + 1u] = size;
            }
        }
    }
}
