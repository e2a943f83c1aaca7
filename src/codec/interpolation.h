#pragma once
#include "../core/platform.h"
#include "differences.h"

#ifndef PADIC_NO_CODEC

// The prediction between the words at distance d on both sides of x[i]: the mean; with two more on
// each side the cubic through all four; at the end of an axis the word before. Modulo 2^64.
PADICI_INLINE uint64_t padici_codec_between_words(const uint64_t *x, size_t i, size_t d,
                                                  uint32_t order)
{
    if (order == 0) return x[i - d];
    if (order == 1) return (uint64_t)((int64_t)(x[i - d] + x[i + d]) >> 1);
    return (uint64_t)((int64_t)(9 * (x[i - d] + x[i + d]) - x[i - 3 * d] - x[i + 3 * d] + 8) >> 4);
}

// The direction of interpolation: residuals become words (UNDO), or words become residuals in z
// (DO), or each word is moved to the nearest that differs from its prediction by a multiple of the
// scale, in the order of a reader (CLOSE).
enum { PADICI_CODEC_INTERPOLATE_UNDO, PADICI_CODEC_INTERPOLATE_DO, PADICI_CODEC_INTERPOLATE_CLOSE };

PADICI_FN void padici_codec_interpolate(const padici_codec_predictor *predictor, uint64_t *x,
                                        uint64_t *z, int what);
PADICI_FN void padici_codec_between_loop(const padici_codec_predictor *predictor, uint64_t *x,
                                         size_t n, int zigzag);

#endif
