#pragma once
#include "../level.h"
#include "../../codec/loops.h"
#include "../../codec/streams.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_IFMA PADICI_INLINE __m512i padici_simd_codec_window(__m512i window, __m512i bit)
{
    const __m512i spread = _mm512_set_epi64(
        0x3838383838383838, 0x3030303030303030, 0x2828282828282828, 0x2020202020202020,
        0x1818181818181818, 0x1010101010101010, 0x0808080808080808, 0x0000000000000000);
    const __m512i byte = _mm512_permutexvar_epi8(spread, _mm512_srli_epi64(bit, 3));
    const __m512i eight = _mm512_set1_epi64(0x0706050403020100);
    const __m512i v = _mm512_permutexvar_epi8(_mm512_add_epi8(byte, eight), window);
    return _mm512_srlv_epi64(v, _mm512_and_si512(bit, _mm512_set1_epi64(7)));
}

PADICI_FN PADICI_IFMA void padici_simd_codec_fixed_ifma(const uint8_t *p, const uint8_t *end,
                                                        uint32_t width, uint64_t *z, size_t n);
PADICI_FN void padici_simd_codec_unpack_vbmi(padici_codec_loops *loops);

#endif
