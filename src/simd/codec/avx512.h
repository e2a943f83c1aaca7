#pragma once
#include "../level.h"
#include "../words.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// Positions of 8 words within their segments, and of the 8 words after or before them: `by` is 8
// mod the segment.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_places(size_t i, size_t segment)
{
    uint64_t lanes[8], k, place = i % segment;
    for (k = 0; k < 8; k++) {
        lanes[k] = place;
        if (++place == segment) place = 0;
    }
    return padici_avx512_load(lanes);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_behind(__m512i places, __m512i by,
                                                             __m512i segment)
{
    const __m512i v = _mm512_add_epi64(places, by);
    return _mm512_min_epu64(v, _mm512_sub_epi64(v, segment));
}

// Words and doubles from p[at].
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_fetch(__m512i at, const uint64_t *p)
{
    return _mm512_i64gather_epi64(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE __m512d padici_simd_codec_fetch_doubles(__m512i at, const double *p)
{
    return _mm512_i64gather_pd(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_simd_codec_scatter(__m512i at, uint64_t *p, __m512i v)
{
    _mm512_i64scatter_epi64((void *)p, at, v, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_simd_codec_scatter_doubles(__m512i at, double *p, __m512d v)
{
    _mm512_i64scatter_pd((void *)p, at, v, 8);
}

#endif
