#pragma once
#include "../core/platform.h"
#include "../core/words.h"

#ifndef PADIC_NO_CODEC

// A reader never passes `end`; after a failure every read gives 0 and `bad` stays set. The 8 bytes
// after `end` may be loaded (they are the payload's padding), but are never used.
typedef struct padici_codec_reader {
    const uint8_t *at, *end;
    int bad;
} padici_codec_reader;

PADICI_FN const uint8_t *padici_codec_take(padici_codec_reader *in, size_t size);
PADICI_FN uint32_t padici_codec_take_u8(padici_codec_reader *in);
PADICI_FN uint32_t padici_codec_take_u32(padici_codec_reader *in);
PADICI_FN uint64_t padici_codec_take_u64(padici_codec_reader *in);

// A full writer drops further bytes and sets `full`.
typedef struct padici_codec_writer {
    uint8_t *start, *at, *end;
    int full;
} padici_codec_writer;

PADICI_FN uint8_t *padici_codec_room(padici_codec_writer *out, size_t size);
PADICI_FN void padici_codec_put_u8(padici_codec_writer *out, uint32_t value);
PADICI_FN void padici_codec_put_u32(padici_codec_writer *out, uint32_t value);
PADICI_FN void padici_codec_put_u64(padici_codec_writer *out, uint64_t value);
PADICI_FN void padici_codec_put_bytes(padici_codec_writer *out, const void *data, size_t size);

// Bits, lowest first, into reserved memory.
typedef struct padici_codec_bits {
    uint8_t *at;
    uint64_t held;
    uint32_t count; // below 8 after each put
} padici_codec_bits;

PADICI_INLINE void padici_codec_put_bits(padici_codec_bits *bits, uint64_t value, uint32_t count)
{
    // count <= 56, and 8 spare bytes after the memory
    bits->held |= value << bits->count;
    bits->count += count;
    padici_store64(bits->at, bits->held);
    bits->at += bits->count >> 3;
    bits->held >>= bits->count & ~7u;
    bits->count &= 7;
}

PADICI_INLINE void padici_codec_put_bits64(padici_codec_bits *bits, uint64_t value, uint32_t count)
{
    if (count > 32) {
        padici_codec_put_bits(bits, value & 0xffffffffu, 32);
        value >>= 32;
        count -= 32;
    }
    padici_codec_put_bits(bits, value, count);
}

// `count` <= 57 bits at bit `at` of p; 8 bytes must be loadable there.
PADICI_INLINE uint64_t padici_codec_peek(const uint8_t *p, uint64_t at)
{
    return padici_load64(p + (at >> 3)) >> (at & 7);
}

PADICI_FN int padici_codec_ends(const uint8_t *p, uint64_t at, uint64_t end);

PADICI_INLINE size_t padici_codec_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

PADICI_FN uint32_t padici_codec_bit_length(uint64_t x);
PADICI_FN uint32_t padici_codec_log2(uint32_t x);
PADICI_FN uint64_t padici_codec_entropy(const uint32_t *counts, uint32_t symbols, uint32_t total);

#endif
