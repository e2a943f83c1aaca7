// look.cl: the first pass of unpacking: reads the frames, and compares before it follows.

// Whether an index of all blocks begins at byte `room`. Of a group, item 0 knows.
PD_FN pd_u32 codec_is_index(PD_GPTR(const pd_u32) stream, PD_LPTR(pd_u64) each, pd_u64 packed,
                            pd_u64 room, pd_u64 length, pd_u32 blocks)
{
    const pd_u64 at = packed + room, end = at + 24u + 8u * (pd_u64)blocks;
    // the last bytes one by one: the buffer may end with them, in the middle of a word
    PD_GPTR(const pd_u8) tail = (PD_GPTR(const pd_u8))stream + (end + 16u);
    pd_u64 sum = 0u, mark = 0u;
    pd_u32 b;
    for (b = 0u; b < 8u; b++) mark |= (pd_u64)tail[b] << (8u * b);
    for (b = PD_LID; b < blocks; b += 256u)
        sum += codec_mix(codec_take(stream, at + 24u + 8u * (pd_u64)b, 8u) ^
                         (codec_seed(CODEC_SEED_INDEX + 1u) + b * CODEC_GOLDEN));
    sum = codec_all(each, sum, CODEC_ADD);
    return codec_take(stream, at, 8u) == 0xffffffffu &&
                   codec_take(stream, at + 8u, 8u) == blocks &&
                   codec_take(stream, at + 16u, 8u) == length &&
                   codec_take(stream, end, 8u) == room &&
                   codec_take(stream, end + 8u, 8u) ==
                       codec_index_sum(sum, blocks, length, room) &&
                   mark == CODEC_END
               ? 1u
               : 0u;
}

// Reads the frames, an item each; with k.coded the last group looks at the index. Every place that
// is read lies before byte `room` + 48: the index is as long. status[0] becomes 2^32 - 1 - the
// number of the first block that is not of the profiles, or damaged.
PD_KERNEL_WG(padic_k_codec_look, PD_CODEC_WG)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi), room = PD_U64(k.room_lo, k.room_hi);
    const pd_u32 most = PD_NGRP - (k.coded ? 1u : 0u); // groups that look at blocks
    pd_u32 block;
    if (PD_GRP == most) {
        if (!codec_is_index(stream, each, packed, room, PD_U64(k.length_lo, k.length_hi),
                            k.blocks) &&
            PD_LID == 0u)
            status[2] = 1u;
        return;
    }
    for (block = PD_GRP + most * PD_LID; block < k.blocks; block += most * 256u) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u32 n = codec_count(block, k), groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
        const pd_u64 frame = codec_take(stream, packed + room + 24u + 8u * (pd_u64)block, 8u);
        pd_u64 at, end, stored, head, first = 0u, step = 1u, size = 9u;
        pd_u32 mode = CODEC_RAW, shift = 0u, one = CODEC_BITS, scale = 0u;
        pd_u64 off = 0u; // where the exceptions are; 1: behind the plain bits
        const pd_u64 next = block + 1u < k.blocks
                                ? codec_take(stream, packed + room + 32u + 8u * (pd_u64)block, 8u)
                                : room; // frames follow each other
        pd_u32 good = frame >= k.header && frame <= room - 16u && (block || frame == k.header)
                          ? 1u
                          : 0u;
        at = packed + (good ? frame : k.header);
        if (good) {
            size = codec_take(stream, at, 4u);
            good = size <= room - frame - 16u && size >= 9u && frame + 16u + size == next &&
                           size <= (pd_u64)n * PD_CODEC_SIZE + 9u &&
                           codec_take(stream, at + 4u, 4u) == codec_rows(n, k)
                       ? 1u
                       : 0u;
        }
        stored = codec_take(stream, at + 8u, 8u);
        at += 16u;
        end = at + (good ? size : 9u) - 8u;
        head = codec_take(stream, at, 6u);
        if (!good || codec_take(stream, end, 8u)) {
            good = 0u;
        } else if ((head & 255u) == 5u) {
            if (size != (pd_u64)n * PD_CODEC_SIZE + 9u) good = 0u;
            at += 1u;
        } else if (head == PD_U64(0x03000000u, 0u)) {
            if (size != 22u) good = 0u;
            mode = CODEC_CONSTANT;
            first = codec_take(stream, at + 6u, 8u);
            one = 0u;
            at = end;
        } else {
            mode = (head >> 8 & 1u) ? CODEC_DELTA : CODEC_PLAIN;
            shift = (pd_u32)(head >> 40);
#if PD_CODEC_BOUND
            if ((head & 255u) == 2u) { // a scale in place of a shift
                scale = codec_scale_of(codec_take(stream, at + 5u, 8u));
                if (scale == 0u || size < 45u) good = 0u;
                off = head >> 11 & 1u;
                if (good && off) PD_ATOMIC_OR_G(status + 1, CODEC_SOME_OFF);
                head &= PD_U64(0xfffff700u, 0xffu);
                shift = 0u;
                at += 7u;
            }
#endif
            if ((head & PD_U64(0xffffffffu, 0xfdu)) !=
                    (mode == CODEC_DELTA ? PD_U64(0x00011100u, 0u) : PD_U64(0x00001000u, 0u)) ||
                shift > 63u || (shift && k.kind != CODEC_FLOAT) || size < 38u)
                good = 0u;
            one = (head >> 32 & 2u) ? 65u : 66u;
            step = codec_take(stream, at + 6u, 8u);
            first = codec_take(stream, at + 14u, 8u);
            at += 22u;
            if (mode == CODEC_DELTA) {
                if (codec_take(stream, at, 6u) != PD_U64(0x00018001u, 0u)) good = 0u;
                at += 6u;
            }
            head = codec_take(stream, at, 2u); // the coder of the widths, and one width
            if (one == 66u) { // two bits below the leading one; the bits of a word at most 63
                if ((head & 255u) != 2u || head >> 8 > 63u || at + 4u > end) good = 0u;
                if (good) PD_ATOMIC_OR_G(status + 1, CODEC_SOME_CODED);
            } else {
                if ((head & 255u) == 1u) one = (pd_u32)(head >> 8);
                if ((head & 255u) > 1u || ((head & 255u) == 1u && one > 64u)) good = 0u;
                at += (head & 255u) == 1u ? 2u : 1u + groups;
                if (at + 8u > end) good = 0u;
                if (good && codec_take(stream, at, 4u)) good = 0u;
                size = good ? codec_take(stream, at + 4u, 4u) : 0u;
                at += 8u;
                if (good && (off ? size > end - at : size != end - at)) good = 0u;
                if (good && off) {
                    off = at + size;
                    end = off;
                }
            }
        }
        if (good && one != 66u) PD_ATOMIC_OR_G(status + 1, 16u);
        size = end - at;
        if (!good) off = 0u;
        at -= packed;
        r[CODEC_SIZE] = 0u;
        r[CODEC_MODE] = good ? mode : CODEC_BAD;
        r[CODEC_SHIFT] = shift;
        r[CODEC_STEP] = 0u;
        r[CODEC_FIRST] = (pd_u32)first;
        r[CODEC_FIRST + 1u] = (pd_u32)(first >> 32);
        r[CODEC_SUM] = (pd_u32)stored;
        r[CODEC_SUM + 1u] = (pd_u32)(stored >> 32);
        r[CODEC_WIDTH] = one;
        r[CODEC_BYTES] = (pd_u32)size;
        r[CODEC_AT] = (pd_u32)frame;
        r[CODEC_AT + 1u] = (pd_u32)(frame >> 32);
        r[CODEC_BODY] = (pd_u32)at;
        r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
        r[CODEC_FACTOR] = (pd_u32)step;
        r[CODEC_FACTOR + 1u] = (pd_u32)(step >> 32);
        r[CODEC_SCALE] = scale;
        r[CODEC_OFF] = (pd_u32)off;
        r[CODEC_OFF + 1u] = (pd_u32)(off >> 32);
        r[CODEC_OFF + 2u] = 0u;
        if (!good) codec_bad(status, block);
    }
}
