#include "all.h"
#include "../../core/splitmix.h"
#include "../../core/words.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ------------------------------------------------------------------------------- >>codec, all CPUs

// What is left of a checksum behind `words` words, and the mix of the size.
PADICI_FN uint64_t padici_codec_checksum_remainder(const uint8_t *data, size_t size, size_t words,
                                                   uint64_t seed)
{
    uint64_t key = (seed + 1) * UINT64_C(0xd1342543de82ef95), sum = 0;
    key += words * UINT64_C(0x9e3779b97f4a7c15);
    for (; words < size / 8; words++, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += padici_mix(padici_load64(data + 8 * words) ^ key);
    if (size % 8) {
        uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        memcpy(last, data + 8 * words, size % 8);
        sum += padici_mix(padici_load64(last) ^ key);
    }
    return sum + padici_mix(size ^ ~seed);
}

PADICI_FN void padici_codec_pairs_make(padici_codec_pairs *pairs, uint32_t width)
{
    uint32_t k, b;
    for (k = 0; k < 4; k++) {
        const uint32_t first = 2 * k * width % 8, second = first + width;
        pairs->at[k] = (uint8_t)(2 * k * width / 8);
        pairs->shift[2 * k] = first;
        pairs->shift[2 * k + 1] = second % 8;
        for (b = 0; b < 8; b++) {
            pairs->take[k][b] = (uint8_t)b;
            pairs->take[k][8 + b] = (uint8_t)(second / 8 + b);
        }
    }
}

#endif
