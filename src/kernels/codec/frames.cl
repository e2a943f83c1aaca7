// frames.cl: the bytes of a stream except widths and bits: header, frames, index.

// The header, and the index except its offsets. One group.
PD_FN void codec_finish(PD_GPTR(const pd_u32) record, PD_GPTR(pd_u8) bytes, PD_LPTR(pd_u64) each,
                        pd_u64 index, const padic_k_codec_stream_params k)
{
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi), at = packed + index;
    const pd_u64 length = PD_U64(k.length_lo, k.length_hi);
    const pd_u64 key = codec_seed(CODEC_SEED_INDEX + 1u);
    const pd_u32 l = PD_LID;
    pd_u64 sum = 0u;
    pd_u32 b;
    for (b = l; b < k.blocks; b += 256u) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)b * CODEC_RECORD;
        sum += codec_mix(PD_U64(r[CODEC_AT], r[CODEC_AT + 1u]) ^ (key + b * CODEC_GOLDEN));
    }
    sum = codec_all(each, sum, CODEC_ADD);
    if (l == 32u)
        for (b = 0u; b < CODEC_HEAD; b++)
            if (4u * b < k.head_size) codec_put(bytes, packed + 4u * b, k.head[b], 4u);
    if (l) return;
    sum = codec_index_sum(sum, k.blocks, length, index);
    codec_put(bytes, at, 0xffffffffu, 8u);
    codec_put(bytes, at + 8u, k.blocks, 8u);
    codec_put(bytes, at + 16u, length, 8u);
    b = k.blocks;
    codec_put(bytes, at + 24u + 8u * (pd_u64)b, index, 8u);
    codec_put(bytes, at + 32u + 8u * (pd_u64)b, sum, 8u);
    codec_put(bytes, at + 40u + 8u * (pd_u64)b, CODEC_END, 8u);
}

// The stages of a block that is neither raw nor constant, from byte `at` on. Returns their size.
PD_FN pd_u32 codec_put_stages(PD_GPTR(const pd_u32) r, PD_GPTR(pd_u8) bytes, pd_u64 at,
                              pd_u32 delta, pd_u32 coded)
{
    pd_u32 scaled = 0u;
    codec_put(bytes, at,
              PD_U64(0x1000u | delta << 8 | delta << 16,
                     (coded ? 0u : 2u) | r[CODEC_SHIFT] << 8), 6u);
#if PD_CODEC_BOUND
    if (r[CODEC_SCALE]) {
        bytes[at] = 2;
        bytes[at + 1u] = (pd_u8)(16u + delta + (r[CODEC_OFF] ? 8u : 0u));
        codec_put(bytes, at + 5u, codec_scale_wide(r[CODEC_SCALE]), 8u);
        scaled = 7u;
    }
#endif
    at += scaled;
    codec_put(bytes, at + 6u, (pd_u64)1u << r[CODEC_STEP], 8u);
    codec_put(bytes, at + 14u, PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]), 8u);
    if (delta) codec_put(bytes, at + 22u, PD_U64(0x00018001u, 0u), 6u);
    return scaled + 22u + 6u * delta;
}

// The payload except widths and bits, from byte `at` on. Returns the offset of the bits.
PD_FN pd_u64 codec_put_payload(PD_GPTR(const pd_u32) r, PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u32 n,
                               const padic_k_codec_stream_params k)
{
    const pd_u32 mode = r[CODEC_MODE], coded = k.coded && r[CODEC_WIDTH] == CODEC_CODED ? 1u : 0u;
    if (mode == CODEC_RAW) {
        bytes[at] = 5;
        return at + 1u;
    }
    if (mode == CODEC_CONSTANT) {
        codec_put(bytes, at, PD_U64(0x03000000u, 0u), 6u);
        codec_put(bytes, at + 6u, PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]), 8u);
        return at;
    }
    at += codec_put_stages(r, bytes, at, mode == CODEC_DELTA ? 1u : 0u, coded);
    if (coded) return at;
    if (k.fetch)
        codec_put(bytes, at, 1u | r[CODEC_WIDTH] << 8, 2u);
    else
        bytes[at] = 0;
    at += k.fetch ? 2u : 1u + (n + CODEC_GROUP - 1u) / CODEC_GROUP;
    codec_put(bytes, at, (pd_u64)r[CODEC_BYTES] << 32, 8u);
    return at + 8u;
}

// One item per block. There are many groups, each with few: bytes are stored one by one. The last
// group writes the rest of the index.
PD_KERNEL_WG(padic_k_codec_frames, PD_CODEC_WG)
(PD_BUF(pd_u32, record), PD_CBUF(pd_u64, totals), PD_BUF(pd_u8, bytes),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi);
    const pd_u32 most = PD_NGRP - 1u;
    pd_u32 block;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    if (PD_GRP == most) {
        codec_finish(record, bytes, each, totals[0], k);
        return;
    }
    for (block = PD_GRP + most * PD_LID; block < k.blocks; block += most * 256u) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u32 n = codec_count(block, k);
        const pd_u64 frame = PD_U64(r[CODEC_AT], r[CODEC_AT + 1u]);
        pd_u64 at = packed + frame;
        codec_put(bytes, at, r[CODEC_SIZE], 4u);
        codec_put(bytes, at + 4u, codec_rows(n, k), 4u);
        codec_put(bytes, at + 8u, PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]), 8u);
        codec_put(bytes, packed + totals[0] + 24u + 8u * (pd_u64)block, frame, 8u);
        codec_put(bytes, at + 8u + r[CODEC_SIZE], 0u, 8u); // zeros at the end of the payload
        at = codec_put_payload(r, bytes, at + 16u, n, k) - packed;
        r[CODEC_BODY] = (pd_u32)at;
        r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
    }
}
