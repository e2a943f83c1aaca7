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

#define PADICI_CODEC_SMOOTH_SCALE 31 // of smooth fields: small steps in a large one

// The direction of interpolation: residuals become words (UNDO), or words become residuals in z
// (DO), or, in the order of a reader, each word is moved to the nearest that differs from its
// prediction by a multiple of 31, which goes to z, folded (CLOSE).
enum { PADICI_CODEC_INTERPOLATE_UNDO, PADICI_CODEC_INTERPOLATE_DO, PADICI_CODEC_INTERPOLATE_CLOSE };

PADICI_FN void padici_codec_interpolate(const padici_codec_predictor *predictor, uint64_t *x,
                                        uint64_t *z, int what);
PADICI_INLINE void padici_codec_close_point(uint64_t *x, uint64_t *z, size_t i, uint64_t between)
{
    const int64_t scale = PADICI_CODEC_SMOOTH_SCALE, apart = (int64_t)(x[i] - between);
    const int64_t remainder = apart % scale;
    const int64_t q = apart / scale + (remainder > scale / 2) - (remainder < -scale / 2);
    x[i] = between + (uint64_t)q * (uint64_t)scale;
    z[i] = padici_codec_fold((uint64_t)q);
}

PADICI_FN void padici_codec_close_loop(const padici_codec_predictor *predictor, uint64_t *x,
                                       uint64_t *z, size_t n);
PADICI_FN void padici_codec_between_loop(const padici_codec_predictor *predictor, uint64_t *x,
                                         size_t n, int zigzag);

#endif
