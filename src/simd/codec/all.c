#include "all.h"
#include "../../core/splitmix.h"
#include "../../core/words.h"
#include "../levels.h"
#include "pack_avx512.h"
#include "vbmi.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ------------------------------------------------------------------------------- >>codec, all CPUs

// The end of a checksum after `words` words, mixed with the size.
PADICI_FN uint64_t padici_simd_codec_checksum_end(const uint8_t *data, size_t size, size_t words,
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

PADICI_FN void padici_simd_codec_pairs_make(padici_simd_codec_pairs *pairs, uint32_t width)
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

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC)

// Replaces the loops that a level has; the others stay generic.
PADICI_FN padic_result padici_simd_codec_loops(padici_simd *simd, void *loops_)
{
    padici_codec_loops *loops = (padici_codec_loops *)loops_;
#if PADICI_SIMD_X86
    padici_simd_codec_loops_avx2(loops);
    if (simd->level >= PADICI_SIMD_AVX512) padici_simd_codec_loops_avx512(loops);
    if (simd->level >= PADICI_SIMD_AVX512) padici_simd_codec_pack_avx512(loops);
    if (simd->level >= PADICI_SIMD_IFMA) padici_simd_codec_unpack_vbmi(loops);
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    padici_simd_codec_loops_neon(loops);
    return PADIC_OK;
#else
    (void)simd;
    (void)loops;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#endif
