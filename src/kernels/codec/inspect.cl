// inspect.cl: the first pass of unpacking: reads the frames, and compares offsets before using
// them.

// 1 if an index of all blocks starts at byte `room`. Only item 0 of a group gets the answer.
PD_FN pd_u32 codec_is_index(PD_GPTR(const pd_u32) stream, PD_LPTR(pd_u64) each, pd_u64 packed,
                            pd_u64 room, pd_u64 length, pd_u32 blocks)
{
    const pd_u64 at = packed + room, end = at + 24u + 8u * (pd_u64)blocks;
    // the last bytes one by one: the buffer may end in the middle of a word
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

// The contents of a block's frame.
typedef struct {
    pd_u64 at, end;       // next byte to read; then the bits
    pd_u64 first, step;   // of words
    pd_u64 off;           // offset of exceptions; 1: after the plain bits
    pd_u32 mode, shift, width, scale;
    pd_u32 size; // of the payload, then of the bits
    pd_u32 good; // 0: damaged, or not of the profiles
} codec_frame;

// Raw elements.
PD_FN codec_frame codec_raw_frame(pd_u64 at, pd_u32 size, pd_u32 good)
{
    codec_frame f;
    f.at = at;
    f.end = at + (good ? size : 9u) - 8u;
    f.first = f.off = 0u;
    f.step = 1u;
    f.mode = CODEC_RAW;
    f.shift = f.scale = 0u;
    f.width = CODEC_BITS;
    f.size = size;
    f.good = good;
    return f;
}

// A scale instead of a shift, if the frame has one; without it the head is like any other.
PD_FN pd_u64 codec_inspect_scale(codec_frame *f, PD_GPTR(const pd_u32) stream, pd_u64 head,
                                 PD_GPTR(pd_u32) status)
{
#if PD_CODEC_BOUND
    if ((head & 255u) == 2u) {
        f->scale = codec_scale_of(codec_take(stream, f->at + 5u, 8u));
        if (f->scale == 0u || f->size < 45u) f->good = 0u;
        f->off = head >> 11 & 1u;
        if (f->good && f->off) PD_ATOMIC_OR_G(status + 1, CODEC_SOME_OFF);
        head &= PD_U64(0xfffff700u, 0xffu);
        f->shift = 0u;
        f->at += 7u;
    }
#else
    (void)f;
    (void)stream;
    (void)status;
#endif
    return head;
}

// Stages: shift or scale, step, first word, differences. Returns whether the block is coded.
PD_FN pd_u32 codec_inspect_stages(codec_frame *f, PD_GPTR(const pd_u32) stream, pd_u64 head,
                                  pd_u32 kind, PD_GPTR(pd_u32) status)
{
    f->mode = (head >> 8 & 1u) ? CODEC_DELTA : CODEC_PLAIN;
    f->shift = (pd_u32)(head >> 40);
    head = codec_inspect_scale(f, stream, head, status);
    if ((head & PD_U64(0xffffffffu, 0xfdu)) !=
            (f->mode == CODEC_DELTA ? PD_U64(0x00011100u, 0u) : PD_U64(0x00001000u, 0u)) ||
        f->shift > 63u || (f->shift && kind != CODEC_FLOAT) || f->size < 38u)
        f->good = 0u;
    f->step = codec_take(stream, f->at + 6u, 8u);
    f->first = codec_take(stream, f->at + 14u, 8u);
    f->at += 22u;
    if (f->mode == CODEC_DELTA) {
        if (codec_take(stream, f->at, 6u) != PD_U64(0x00018001u, 0u)) f->good = 0u;
        f->at += 6u;
    }
    return (head >> 32 & 2u) ? 0u : 1u;
}

// The coder of the widths, and a single width; or the coder of tokens.
PD_FN void codec_inspect_coder(codec_frame *f, PD_GPTR(const pd_u32) stream, pd_u32 is_coded,
                               pd_u32 groups, PD_GPTR(pd_u32) status)
{
    const pd_u64 head = codec_take(stream, f->at, 2u);
    f->width = is_coded ? CODEC_CODED : 65u;
    if (is_coded) { // two bits below the leading one; the bits of a word at most 63
        if ((head & 255u) != 2u || head >> 8 > 63u || f->at + 4u > f->end) f->good = 0u;
        if (f->good) PD_ATOMIC_OR_G(status + 1, CODEC_SOME_CODED);
        return;
    }
    if ((head & 255u) == 1u) f->width = (pd_u32)(head >> 8);
    if ((head & 255u) > 1u || ((head & 255u) == 1u && f->width > 64u)) f->good = 0u;
    f->at += (head & 255u) == 1u ? 2u : 1u + groups;
    if (f->at + 8u > f->end) f->good = 0u;
    if (f->good && codec_take(stream, f->at, 4u)) f->good = 0u;
    f->size = f->good ? (pd_u32)codec_take(stream, f->at + 4u, 4u) : 0u;
    f->at += 8u;
    if (f->good && (f->off ? f->size > f->end - f->at : f->size != f->end - f->at)) f->good = 0u;
    if (f->good && f->off) {
        f->off = f->at + f->size;
        f->end = f->off;
    }
}

// The payload of a frame, n elements.
PD_FN void codec_inspect_payload(codec_frame *f, PD_GPTR(const pd_u32) stream, pd_u32 n,
                                 pd_u32 kind, PD_GPTR(pd_u32) status)
{
    const pd_u64 head = codec_take(stream, f->at, 6u);
    pd_u32 is_coded;
    if (!f->good || codec_take(stream, f->end, 8u)) {
        f->good = 0u;
    } else if ((head & 255u) == 5u) {
        if (f->size != (pd_u64)n * PD_CODEC_SIZE + 9u) f->good = 0u;
        f->at += 1u;
    } else if (head == PD_U64(0x03000000u, 0u)) {
        if (f->size != 22u) f->good = 0u;
        f->mode = CODEC_CONSTANT;
        f->first = codec_take(stream, f->at + 6u, 8u);
        f->width = 0u;
        f->at = f->end;
    } else {
        is_coded = codec_inspect_stages(f, stream, head, kind, status);
        codec_inspect_coder(f, stream, is_coded, (n + CODEC_GROUP - 1u) / CODEC_GROUP, status);
    }
    if (f->good && f->width != CODEC_CODED) PD_ATOMIC_OR_G(status + 1, 16u);
}

PD_FN void codec_note_frame(PD_GPTR(pd_u32) r, const codec_frame f, pd_u64 frame, pd_u64 stored,
                            pd_u64 packed)
{
    const pd_u64 at = f.at - packed, off = f.good ? f.off : 0u;
    r[CODEC_SIZE] = 0u;
    r[CODEC_MODE] = f.good ? f.mode : CODEC_BAD;
    r[CODEC_SHIFT] = f.shift;
    r[CODEC_STEP] = 0u;
    r[CODEC_FIRST] = (pd_u32)f.first;
    r[CODEC_FIRST + 1u] = (pd_u32)(f.first >> 32);
    r[CODEC_SUM] = (pd_u32)stored;
    r[CODEC_SUM + 1u] = (pd_u32)(stored >> 32);
    r[CODEC_WIDTH] = f.width;
    r[CODEC_BYTES] = (pd_u32)(f.end - f.at);
    r[CODEC_AT] = (pd_u32)frame;
    r[CODEC_AT + 1u] = (pd_u32)(frame >> 32);
    r[CODEC_BODY] = (pd_u32)at;
    r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
    r[CODEC_FACTOR] = (pd_u32)f.step;
    r[CODEC_FACTOR + 1u] = (pd_u32)(f.step >> 32);
    r[CODEC_SCALE] = f.scale;
    r[CODEC_OFF] = (pd_u32)off;
    r[CODEC_OFF + 1u] = (pd_u32)(off >> 32);
    r[CODEC_OFF + 2u] = 0u;
}

// Reads the frames, one item each; with k.coded the last group checks the index. Every place that
// is read lies before byte `room` + 48: the index is as long. status[0] becomes 2^32 - 1 - the
// number of the first block that is not of the profiles, or damaged.
PD_KERNEL_WG(padic_k_codec_inspect, PD_CODEC_WG)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi), room = PD_U64(k.room_lo, k.room_hi);
    const pd_u32 most = PD_NGRP - (k.coded ? 1u : 0u); // groups that check blocks
    pd_u32 block;
    if (PD_GRP == most) {
        if (!codec_is_index(stream, each, packed, room, PD_U64(k.length_lo, k.length_hi),
                            k.blocks) &&
            PD_LID == 0u)
            status[2] = 1u;
        return;
    }
    for (block = PD_GRP + most * PD_LID; block < k.blocks; block += most * 256u) {
        const pd_u32 n = codec_count(block, k);
        const pd_u64 index = packed + room + 24u + 8u * (pd_u64)block;
        const pd_u64 frame = codec_take(stream, index, 8u);
        const pd_u64 next = block + 1u < k.blocks ? codec_take(stream, index + 8u, 8u)
                                                  : room; // frames are consecutive
        pd_u32 good =
            frame >= k.header && frame <= room - 16u && (block || frame == k.header) ? 1u : 0u;
        const pd_u64 at = packed + (good ? frame : k.header);
        pd_u64 stored, size = 9u;
        codec_frame f;
        if (good) {
            size = codec_take(stream, at, 4u);
            good = size <= room - frame - 16u && size >= 9u && frame + 16u + size == next &&
                           size <= (pd_u64)n * PD_CODEC_SIZE + 9u &&
                           codec_take(stream, at + 4u, 4u) == codec_rows(n, k)
                       ? 1u
                       : 0u;
        }
        stored = codec_take(stream, at + 8u, 8u);
        f = codec_raw_frame(at + 16u, (pd_u32)size, good);
        codec_inspect_payload(&f, stream, n, k.kind, status);
        codec_note_frame(record + (pd_u64)block * CODEC_RECORD, f, frame, stored, packed);
        if (!f.good) codec_bad(status, block);
    }
}
