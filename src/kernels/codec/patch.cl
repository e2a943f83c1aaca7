// patch.cl: restores exceptions.

// One list of `count` words, one item each, from `at` on, which is advanced past it. 0: invalid, or
// not as a packer of the profiles writes it.
PD_FN pd_u32 codec_take_list(PD_GPTR(const pd_u32) stream, PD_LPTR(pd_u64) each,
                             PD_LPTR(pd_u64) part, pd_u64 *place, pd_u64 end, pd_u32 count,
                             pd_u64 *z)
{
    const pd_u32 l = PD_LID;
    const pd_u64 at = *place;
    const pd_u32 widest = codec_byte(stream, at + 1u, end);
    const pd_u32 token = l < count ? codec_byte(stream, at + 3u + l, end) : 0u;
    const pd_u32 extra = codec_extra(token);
    const pd_u64 from = at + 7u + count;
    const pd_u32 most = (pd_u32)codec_all(each, extra, CODEC_MOST);
    pd_u64 before;
    pd_u32 all, size, good;
    PD_BARRIER();
    before = codec_before(each, part, extra);
    all = (pd_u32)CODEC_TOTAL(part);
    PD_BARRIER();
    good = from <= end && codec_byte(stream, at, end) == 2u &&
                   codec_byte(stream, at + 2u, end) == 0u && most <= widest && widest < 62u
               ? 1u
               : 0u;
    size = good ? (pd_u32)codec_take(stream, at + 3u + count, 4u) : 0u;
    if (size != (all + 7u) / 8u || from + size > end) good = 0u;
    if (good && codec_bits(stream, 8u * from + all, 8u * size - all)) good = 0u;
    *place = from + size;
    *z = 0u;
    if (good && l < count) {
        *z = token;
        if (token >= 8u)
            *z = ((pd_u64)((token & 3u) | 4u) << extra) +
                 codec_bits(stream, 8u * from + before, extra);
    }
    return good;
}

// Restores them and compares the checksum of the block.
PD_KERNEL_WG(padic_k_codec_patch, PD_CODEC_WG)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_GPTR(codec_key) keys = (PD_GPTR(codec_key))pairs;
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 frame = PD_U64(k.packed_lo, k.packed_hi) +
                             PD_U64(r[CODEC_AT], r[CODEC_AT + 1u]);
        pd_u64 at = PD_U64(r[CODEC_OFF], r[CODEC_OFF + 1u]), end, gap = 0u, value = 0u, e, sum = 0u;
        pd_u32 count, good, q, j;
        if (r[CODEC_MODE] == CODEC_BAD || (r[CODEC_OFF] | r[CODEC_OFF + 1u]) == 0u) continue;
        end = frame + 8u + codec_take(stream, frame, 4u);
        good = at + 5u <= end ? 1u : 0u;
        count = good ? (pd_u32)codec_take(stream, at, 4u) : 0u;
        if (count == 0u || count > CODEC_OFF_MOST || codec_byte(stream, at + 4u, end)) good = 0u;
        if (!good) count = 0u;
        at += 5u;
        PD_BARRIER();
        for (j = 0u; j < 2u; j++) { // of gaps, of elements
            gap = value;
            if (!codec_take_list(stream, each, part, &at, end, count, &value)) {
                good = count = 0u;
                at = end;
            }
            PD_BARRIER();
        }
        if (at != end) good = 0u;
        if (codec_all(each, gap >= n ? 1u : 0u, CODEC_MOST)) {
            good = 0u;
            gap = 0u;
        }
        PD_BARRIER();
        e = codec_before(each, part, gap + 1u) + gap;
        if (codec_all(each, l < count && e >= n ? 1u : 0u, CODEC_MOST)) good = 0u;
        if (good && l < count) keys[base + e] = (codec_key)value;
        PD_BARRIER_ALL();
        for (q = l; q * CODEC_PER < n; q += 256u) {
            pd_u64 x = 0u;
            for (j = 0u; j < CODEC_PER; j++)
                if (q * CODEC_PER + j < n)
                    x |= (pd_u64)keys[base + q * CODEC_PER + j] << (j * (CODEC_BITS & 63u));
            sum += codec_mix(x ^ (codec_seed(block) + q * CODEC_GOLDEN));
        }
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && (!good || sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u])))
            codec_bad(status, block);
        PD_BARRIER();
    }
}
