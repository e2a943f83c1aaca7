#include "bytes.h"

#if PADICI_IMPLEMENT_CODEC

// ---- bytes in, bytes out

PADICI_FN const uint8_t *padici_codec_take(padici_codec_reader *in, size_t size)
{
    const uint8_t *at = in->at;
    if (in->bad || (size_t)(in->end - at) < size) {
        in->bad = 1;
        return NULL;
    }
    in->at = at + size;
    return at;
}

PADICI_FN uint32_t padici_codec_take_u8(padici_codec_reader *in)
{
    const uint8_t *p = padici_codec_take(in, 1);
    return p ? *p : 0;
}

PADICI_FN uint32_t padici_codec_take_u32(padici_codec_reader *in)
{
    const uint8_t *p = padici_codec_take(in, 4);
    return p ? padici_load32(p) : 0;
}

PADICI_FN uint64_t padici_codec_take_u64(padici_codec_reader *in)
{
    const uint8_t *p = padici_codec_take(in, 8);
    return p ? padici_load64(p) : 0;
}

PADICI_FN uint8_t *padici_codec_room(padici_codec_writer *out, size_t size)
{
    uint8_t *at = out->at;
    if (out->full || (size_t)(out->end - at) < size) {
        out->full = 1;
        return NULL;
    }
    out->at = at + size;
    return at;
}

PADICI_FN void padici_codec_put_u8(padici_codec_writer *out, uint32_t value)
{
    uint8_t *p = padici_codec_room(out, 1);
    if (p) *p = (uint8_t)value;
}

PADICI_FN void padici_codec_put_u32(padici_codec_writer *out, uint32_t value)
{
    uint8_t *p = padici_codec_room(out, 4);
    if (p) padici_store32(p, value);
}

PADICI_FN void padici_codec_put_u64(padici_codec_writer *out, uint64_t value)
{
    uint8_t *p = padici_codec_room(out, 8);
    if (p) padici_store64(p, value);
}

PADICI_FN void padici_codec_put_bytes(padici_codec_writer *out, const void *data, size_t size)
{
    uint8_t *p = padici_codec_room(out, size);
    if (p && size) memcpy(p, data, size);
}

// 1 if a bit stream that ends at byte `end` may end at `at`: the remaining bits are zeros.
PADICI_FN int padici_codec_ends(const uint8_t *p, uint64_t at, uint64_t end)
{
    return at <= end && end - at < 8 && (padici_codec_peek(p, at) & ((1u << (end - at)) - 1)) == 0;
}

PADICI_FN uint32_t padici_codec_bit_length(uint64_t x)
{
    return x ? 64 - padici_clz64(x) : 0;
}

// log2(x) in 1/256 bits, with an error of at most 3: log2(1 + f) is about f + 0.343 f (1 - f).
// Integers only, so that every machine makes the same decisions.
PADICI_FN uint32_t padici_codec_log2(uint32_t x)
{
    const uint32_t whole = padici_codec_bit_length(x) - 1;
    const uint32_t f = (uint32_t)(((uint64_t)x << 32 >> whole) >> 16 & 0xffff);
    const uint32_t bow = (uint32_t)((uint64_t)f * (65536 - f) >> 16);
    return whole << 8 | (f + (bow * 22479 >> 16)) >> 8;
}

// Size in 1/256 bits of `total` symbols with these counts, coded at their entropy.
PADICI_FN uint64_t padici_codec_entropy(const uint32_t *counts, uint32_t symbols, uint32_t total)
{
    uint64_t sum = 0;
    uint32_t all = total ? padici_codec_log2(total) : 0, i;
    for (i = 0; i < symbols; i++)
        if (counts[i]) sum += (uint64_t)counts[i] * (all - padici_codec_log2(counts[i]));
    return sum;
}

#endif
