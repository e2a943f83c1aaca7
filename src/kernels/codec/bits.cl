// bits.cl: bits and bytes of the stream.

PD_FN void codec_put(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u64 value, pd_u32 size)
{
    pd_u32 i;
    for (i = 0u; i < size; i++) bytes[at + i] = (pd_u8)(value >> (8u * i));
}

// Bytes of a word in [ahead, most).
PD_FN void codec_put_some(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u32 x, pd_u32 ahead, pd_u32 most)
{
    pd_u32 b;
    for (b = ahead; b < 4u && b < most; b++) bytes[at + b] = (pd_u8)(x >> (8u * (b - ahead)));
}

// `width` bits from bit `at` of the stream on; 12 bytes from there on must exist.
PD_FN pd_u64 codec_bits(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 width)
{
    PD_GPTR(const pd_u32) p = stream + (at >> 5);
    const pd_u32 s = (pd_u32)at & 31u;
    pd_u64 x;
    x = PD_U64(p[0], p[1]) >> s;
    if (64u - s < width) x |= (pd_u64)p[2] << (64u - s);
    return width < 64u ? x & (((pd_u64)1u << width) - 1u) : x;
}

PD_FN pd_u64 codec_take(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 size)
{
    return codec_bits(stream, 8u * at, 8u * size);
}

// 64 bits from a bit on; 12 bytes from there on must exist.
PD_FN pd_u64 codec_window(PD_GPTR(const pd_u32) p, pd_u32 bit)
{
    const pd_u32 a = p[bit >> 5], b = p[(bit >> 5) + 1u], c = p[(bit >> 5) + 2u];
    return PD_U64((pd_u32)(PD_U64(a, b) >> (bit & 31u)), (pd_u32)(PD_U64(b, c) >> (bit & 31u)));
}

PD_FN pd_u64 codec_digit_at(PD_GPTR(const pd_u32) p, pd_u32 bit, pd_u32 f, pd_u32 width)
{
    const pd_u64 mask = width < 64u ? ((pd_u64)1u << width) - 1u : ~(pd_u64)0u;
    return mask & codec_window(p, bit + f * width);
}

// A byte before `end`, or 0.
PD_FN pd_u32 codec_byte(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 end)
{
    return at < end ? (pd_u32)(stream[at >> 2] >> (8u * ((pd_u32)at & 3u))) & 255u : 0u;
}
