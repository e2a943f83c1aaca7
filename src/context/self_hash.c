#include "../core/philox.h"
#include "../core/platform.h"
#include "../core/tensor.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// The self hash: one number over what every machine must compute alike.

// FNV-1a over the value, low byte first.
static uint64_t padici_hash_u64(uint64_t hash, uint64_t value)
{
    uint32_t i;
    for (i = 0; i < 8; i++, value >>= 8) hash = (hash ^ (value & 0xff)) * 0x100000001b3u;
    return hash;
}

// A word of 1, 2, 4 or 8 bytes in this machine's byte order.
static uint64_t padici_self_word(const void *from, uint32_t size)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t u;
    switch (size) {
    case 1: memcpy(&b, from, 1); return b;
    case 2: memcpy(&h, from, 2); return h;
    case 4: memcpy(&w, from, 4); return w;
    default: memcpy(&u, from, 8); return u;
    }
}

// Philox, and every conversion of its words.
PADICI_NOINLINE static uint64_t padici_random_self_hash(void)
{
    uint64_t hash = 0xcbf29ce484222325u, i, values[2 * 37];
    uint32_t dtype, block[4];
    for (i = 0; i < 64; i++) {
        padic_random_block(i * 0x0123456789abcdefu, ~i, (uint32_t)i, (uint32_t)(i * i), block);
        hash = padici_hash_u64(hash, (uint64_t)block[1] << 32 | block[0]);
        hash = padici_hash_u64(hash, (uint64_t)block[3] << 32 | block[2]);
    }
    for (dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_random_fill_desc desc = PADIC_ZERO;
        const uint32_t parts = dtype >= PADIC_C64 ? 2 : 1;
        const uint32_t size = padic_dtype_size((padic_dtype)dtype) / parts;
        desc.tensor = padic_tensor_1d((padic_dtype)dtype, values, 37);
        desc.seed = dtype;
        if (padic_random_fill(NULL, &desc)) return 0;
        // As integers of the element's size (of its parts, when complex), so in no byte order.
        for (i = 0; i < 37u * parts; i++)
            hash = padici_hash_u64(hash, padici_self_word((const char *)values + i * size, size));
    }
    return hash;
}

PADIC_API uint64_t padic_self_hash(void)
{
    uint64_t hash = padici_random_self_hash();
#ifndef PADIC_NO_CODEC_PACK
    hash = padici_hash_u64(hash, padici_codec_self_hash());
#endif
    return hash;
}

#endif
