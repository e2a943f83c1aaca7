// prove.cl: the proof of a packer: its stream, unpacked, is compared with the array.

#if PD_CODEC_BOUND
// 1 if both are numbers that differ by at most `within`, exactly. The results of a scale are 0 or
// above the bound, so neither is much larger than the other.
PD_FN pd_u32 codec_is_near(codec_bare x, codec_bare y, pd_f32 within)
{
    const codec_bare a = x & CODEC_HIGHEST, b = y & CODEC_HIGHEST;
    const codec_bare large = a > b ? a : b, small = a > b ? b : a;
#if PD_CODEC_SIZE == 8
    const codec_bare unit = (codec_bare)1u << 52; // of an exponent
    pd_u32 high = (pd_u32)(large >> 52), low = (pd_u32)(small >> 52);
    const pd_u32 above = (PD_AS_U32(within) >> 23) + 925u, none = 2047u;
#else
    const codec_bare unit = (codec_bare)1u << 23;
    pd_u32 high = large >> 23, low = small >> 23;
    const pd_u32 above = PD_AS_U32(within) >> 23, none = 255u;
#endif
    const pd_u32 most = (PD_AS_U32(within) & 0x7fffffu) | 0x800000u;
    pd_u64 d = (large & (unit - 1u)) + (high ? unit : 0u);
    const pd_u64 s = (small & (unit - 1u)) + (low ? unit : 0u);
    if (high == none) return 0u;
    high = high ? high : 1u; // below the least exponent there are fewer digits
    low = s == 0u ? high : low ? low : 1u;
    if (high - low > 8u) return 0u;
    d = (x ^ y) > CODEC_HIGHEST ? (d << (high - low)) + s : (d << (high - low)) - s;
    if (above >= low) return above - low > 39u || d <= (pd_u64)most << (above - low) ? 1u : 0u;
    return low - above < 24u ? (d <= most >> (low - above) ? 1u : 0u) : (d == 0u ? 1u : 0u);
}
#endif

// Compares the array with the unpacked stream; and the header. Groups in y have a part of each
// block.
#define CODEC_PROOF 8192u // elements
PD_KERNEL_WG(padic_k_codec_prove, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_CBUF(codec_key, back),
 PD_CBUF(pd_u64, back_pairs), PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u32 head[CODEC_HEAD];
    const pd_u32 first = PD_GRP_Y * (CODEC_PROOF / CODEC_PER) + PD_LID;
    pd_u32 block, i;
    if (PD_LID == 0u) // Mesa 22.3 crashes where an index into params differs between items
        for (i = 0u; i < CODEC_HEAD; i++) head[i] = k.head[i];
    PD_BARRIER();
    if (PD_GRP == 0u && PD_GRP_Y == 0u && 4u * PD_LID < k.head_size &&
        codec_take(stream, PD_U64(k.packed_lo, k.packed_hi) + 4u * PD_LID, 4u) != head[PD_LID])
        status[2] = 1u;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        const pd_u64 start = codec_start(block, k);
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + start;
        const pd_u32 n = codec_count(block, k);
        pd_u32 q, bad = 0u;
        for (i = 0u, q = first; i < CODEC_PROOF / CODEC_PER && q * CODEC_PER < n;
             i += 256u, q += 256u) {
            const pd_u64 x = codec_word(keys, pairs, base, q, n);
            const pd_u64 y = codec_word(back, back_pairs, start, q, n);
#if PD_CODEC_BOUND
            pd_u32 j;
            for (j = 0u; j < CODEC_PER && x != y; j++) {
                const codec_bare was = (codec_key)(x >> (j * (CODEC_BITS & 63u)));
                const codec_bare is = (codec_key)(y >> (j * (CODEC_BITS & 63u)));
                if (was != is && (codec_is_off(was, CODEC_MOST_SCALED) ||
                                  !codec_is_near(was, is, k.within)))
                    bad = 1u;
            }
#else
            if (x != y) bad = 1u;
#endif
        }
        if (bad) codec_bad(status, block);
    }
}

// Makes the blocks raw that failed the proof; status[2] becomes their number.
PD_KERNEL_WG(padic_k_codec_redo, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u8, width), PD_BUF(pd_u32, record),
 PD_BUF(pd_u32, status), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        pd_u64 sum = 0u;
        pd_u32 q;
        if (!status[CODEC_STATUS + block]) continue;
        for (q = l; q * CODEC_PER < n; q += 256u)
            sum += codec_mix(codec_word(keys, pairs, base, q, n) ^
                             (codec_seed(block) + q * CODEC_GOLDEN));
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        for (q = l; q * CODEC_GROUP < n; q += 256u)
            width[(pd_u64)block * k.groups + q] = (pd_u8)CODEC_BITS;
        if (l == 0u) {
            for (q = 0u; q < CODEC_RECORD; q++) r[q] = 0u;
            r[CODEC_SIZE] = n * PD_CODEC_SIZE + 9u;
            r[CODEC_MODE] = CODEC_RAW;
            r[CODEC_SUM] = (pd_u32)sum;
            r[CODEC_SUM + 1u] = (pd_u32)(sum >> 32);
            r[CODEC_WIDTH] = CODEC_BITS;
            r[CODEC_BYTES] = n * PD_CODEC_SIZE;
            PD_ATOMIC_ADD_G(status + 2, 1u);
        }
        PD_BARRIER();
    }
}
