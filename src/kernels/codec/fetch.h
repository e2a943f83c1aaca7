// fetch.h: elements of an array packed in the profile PADIC_CODEC_PROFILE_FETCH, inside kernels of
// your own.
//
// Text for OpenCL C 1.2, CUDA, HIP and C: put dialect.h in front of it (or include both). The
// packed bytes lie in a buffer, at any offset; it is read in words of 32 bits. Find a block, then
// read its elements in any order; a block is `count` consecutive scalars, as padic_codec_info()
// gives its shape (1-D: block[0] of them, the last one shorter).
//
//     padic_codec_block b;
//     if (padic_codec_block_find(stream, at, size, number, count, 4u, &b))
//         x = PD_AS_F32((pd_u32)padic_codec_fetch(stream, b, i, 4u, PADIC_FETCH_FLOAT));
//
// Whatever the bytes are, nothing outside the stream is read: an invalid block is not found.
// Checksums are not verified; padic_codec_unpack() or padic_codec_verify() do that once for all.
#ifndef PADIC_CODEC_FETCH_H
#define PADIC_CODEC_FETCH_H

#define PADIC_FETCH_UNSIGNED 0u // kinds of scalars
#define PADIC_FETCH_SIGNED 1u
#define PADIC_FETCH_FLOAT 2u

typedef struct {
    pd_u64 bits;        // bit of the buffer with which element 0 begins
    pd_u64 first, step; // word n makes first + step n
    pd_u32 width, shift, raw, count;
    pd_f32 scale; // not 0: within a bound, word n makes n times this
} padic_codec_block;

// `width` bits from bit `at` on; 12 bytes from its word on must exist.
PD_FN pd_u64 padic_fetch_bits(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 width)
{
    PD_GPTR(const pd_u32) p = stream + (at >> 5);
    const pd_u32 s = (pd_u32)at & 31u;
    pd_u64 x = PD_U64(p[0], p[1]) >> s;
    if (64u - s < width) x |= (pd_u64)p[2] << (64u - s);
    return width < 64u ? x & (((pd_u64)1u << width) - 1u) : x;
}

// Finds block `number`, of `count` scalars of `bytes` (1, 2, 4, 8) bytes, in the stream of `size`
// bytes that starts with byte `at` of the buffer. 0: there is no such block that can be read like
// this.
PD_FN pd_u32 padic_codec_block_find(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 size,
                                    pd_u32 number, pd_u32 count, pd_u32 bytes,
                                    padic_codec_block *b)
{
    pd_u64 index, frame, payload, head, used, g, from, most;
    b->scale = 0.0f;
    b->bits = b->first = 0u;
    b->step = 1u;
    b->width = b->shift = b->raw = b->count = 0u;
    if (size < 88u || count == 0u || count > 1048576u) return 0u;
    index = padic_fetch_bits(stream, 8u * (at + size - 24u), 64u);
    if (index < 40u || index > size - 48u || (size - index - 48u) / 8u <= number) return 0u;
    frame = padic_fetch_bits(stream, 8u * (at + index + 24u + 8u * (pd_u64)number), 64u);
    if (frame < 40u || frame > index - 16u) return 0u;
    payload = padic_fetch_bits(stream, 8u * (at + frame), 32u); // bytes of the payload
    if (payload < 22u || payload > index - frame - 16u) return 0u;
    at += frame + 16u;
    head = padic_fetch_bits(stream, 8u * at, 48u);
    if ((head & 255u) == 5u) { // raw elements
        if (payload != (pd_u64)count * bytes + 9u) return 0u;
        b->raw = 1u;
        b->width = 8u * bytes;
        b->bits = 8u * (at + 1u);
    } else if (head == PD_U64(0x03000000u, 0u)) { // all are equal
        if (payload != 22u) return 0u;
        b->first = padic_fetch_bits(stream, 8u * (at + 6u), 64u);
        b->bits = 8u * at;
    } else {
        if ((head & PD_U64(0xffffffffu, 0xffu)) == PD_U64(0x1002u, 2u) && bytes >= 4u) {
            g = padic_fetch_bits(stream, 8u * (at + 5u), 64u); // 24 bits from 2^-100 to 2^101
            if (g >> 52 < 923u || g >> 52 > 1123u || (pd_u32)g & 0x1fffffffu || payload < 47u)
                return 0u;
            b->scale = PD_AS_F32((pd_u32)((g - PD_U64(0u, 896u << 20)) >> 29));
            head = PD_U64(0x1000u, 2u);
            at += 7u;
            payload -= 7u;
        }
        if ((head & PD_U64(0xffffffffu, 0xffu)) != PD_U64(0x1000u, 2u) || payload < 40u) return 0u;
        b->shift = (pd_u32)(head >> 40);
        b->step = padic_fetch_bits(stream, 8u * (at + 6u), 64u);
        b->first = padic_fetch_bits(stream, 8u * (at + 14u), 64u);
        head = padic_fetch_bits(stream, 8u * (at + 22u), 48u); // coder, width, no exceptions
        b->width = (pd_u32)(head >> 8);
        if ((head & 255u) != 1u || head >> 16 || b->width > 64u || b->shift > 63u) return 0u;
        used = ((pd_u64)count * b->width + 7u) / 8u;
        if (payload != 40u + used || padic_fetch_bits(stream, 8u * (at + 28u), 32u) != used)
            return 0u;
        b->bits = 8u * (at + 32u);
        // words of a scale are below 2^24, those of f64 up to 2^40
        most = bytes == 8u ? PD_U64(0u, 512u) : 0x1ffffffu;
        from = b->first + (bytes == 8u ? PD_U64(0u, 256u) : 0x1000000u);
        used = b->width < 64u ? ((pd_u64)1u << b->width) - 1u : most + 1u; // the largest digit
        if (b->scale != 0.0f && (from > most || used > most || PD_MULHI64(b->step, used) ||
                                 b->step * used > most - from))
            return 0u;
    }
    b->count = count;
    return 1u;
}

// The bits as f64 of n times a scale, |n| up to 2^40, rounded once.
PD_FN pd_u64 padic_fetch_scaled(pd_u64 n, pd_f32 scale)
{
    const pd_u32 g = PD_AS_U32(scale);
    const pd_u64 negative = 0u - (n >> 63);
    pd_u64 x = ((n ^ negative) - negative) * ((g & 0x7fffffu) | 0x800000u);
    const pd_u32 high = (pd_u32)(x >> 32);
    const pd_u32 up = high ? PD_CLZ(high) : 32u + PD_CLZ((pd_u32)x | 1u);
    if (x == 0u) return 0u;
    x <<= up;
    x = ((pd_u64)((g >> 23) + 935u - up) << 52) + (x >> 11) +
        (((x & 2047u) + 1023u + (x >> 11 & 1u)) >> 11);
    return x | (negative & (pd_u64)1u << 63);
}

// The bits of element i (in the lowest `bytes` bytes); 0 if there is none.
PD_FN pd_u64 padic_codec_fetch(PD_GPTR(const pd_u32) stream, const padic_codec_block b, pd_u32 i,
                               pd_u32 bytes, pd_u32 kind)
{
    pd_u64 z, n, negative;
    if (i >= b.count) return 0u;
    z = padic_fetch_bits(stream, b.bits + (pd_u64)i * b.width, b.width);
    if (b.raw) return z;
    n = b.first + b.step * z;
    if ((b.scale != 0.0f || b.shift) && kind != PADIC_FETCH_FLOAT) return 0u;
    if (b.scale != 0.0f && bytes == 8u) return padic_fetch_scaled(n, b.scale);
    if (b.scale != 0.0f) return PD_AS_U32((pd_f32)(pd_i32)n * b.scale);
    if (kind == PADIC_FETCH_FLOAT) {
        negative = 0u - (n >> (8u * bytes - 1u) & 1u);
        n = ((n ^ negative) << b.shift) ^ negative << (8u * bytes - 1u);
    }
    return bytes < 8u ? n & (((pd_u64)1u << (8u * bytes)) - 1u) : n;
}

#endif // PADIC_CODEC_FETCH_H
