#pragma once
#include "../level.h"
#include "../../codec/prediction.h"
#include "../words.h"
#include "all.h"
#include "../../codec/streams.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_CODEC_WORDS(avx512, PADICI_AVX512, __m512i, 8)

// Places of 8 words within their segments, and of those 8 behind or before them: `by` is 8 mod the
// segment.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_places(size_t i, size_t segment)
{
    uint64_t lanes[8], k, place = i % segment;
    for (k = 0; k < 8; k++) {
        lanes[k] = place;
        if (++place == segment) place = 0;
    }
    return padici_avx512_load(lanes);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_behind(__m512i places, __m512i by, __m512i segment)
{
    const __m512i v = _mm512_add_epi64(places, by);
    return _mm512_min_epu64(v, _mm512_sub_epi64(v, segment));
}

PADICI_FN PADICI_AVX512 void padici_codec_planes_avx512(const padici_codec_decoder *decoder,
                                                        uint64_t *z, size_t from, size_t to);

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_gather16(const uint32_t *table, __m512i at)
{
    return _mm512_i32gather_epi32(at, (const void *)table, 4);
}

// Words and doubles at p[at].
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_fetch(__m512i at, const uint64_t *p)
{
    return _mm512_i64gather_epi64(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE __m512d padici_codec_fetch_doubles(__m512i at, const double *p)
{
    return _mm512_i64gather_pd(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_codec_scatter(__m512i at, uint64_t *p, __m512i v)
{
    _mm512_i64scatter_epi64((void *)p, at, v, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_codec_scatter_doubles(__m512i at, double *p, __m512d v)
{
    _mm512_i64scatter_pd((void *)p, at, v, 8);
}

PADICI_FN PADICI_AVX512 const uint8_t *padici_codec_rans_avx512(uint32_t state[32],
                                                                const uint32_t *table,
                                                                const uint8_t *p,
                                                                const uint8_t *end, uint8_t *data,
                                                                size_t n, size_t *done);
PADICI_FN void padici_codec_sum_avx512(uint64_t *x, size_t from, size_t to,
                                       const padici_codec_op *op, uint64_t carry[8], int zigzag,
                                       int exclusive);

#endif
