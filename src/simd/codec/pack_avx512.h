#pragma once
#include "../level.h"
#include "../../codec/differences.h"
#include "../../codec/transforms.h"
#include "../../codec/neighbours.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN PADICI_AVX512 void padici_codec_difference_avx512(const uint64_t *x, uint64_t *to,
                                                            size_t n, const padici_codec_op *op,
                                                            int zigzag, int exclusive);
PADICI_FN PADICI_AVX512 uint64_t padici_codec_least_avx512(const uint64_t *x, size_t n,
                                                           uint64_t *differ);
PADICI_FN PADICI_AVX512 void padici_codec_lower_avx512(uint64_t *x, size_t n, uint64_t first,
                                                       uint32_t shift);
PADICI_FN PADICI_AVX512 size_t padici_codec_runs_avx512(const uint64_t *z, size_t n);
PADICI_FN PADICI_AVX512 size_t padici_codec_group_avx512(const uint64_t *z, size_t from, size_t to,
                                                         uint8_t *chosen, uint64_t *gaps,
                                                         uint64_t *high, size_t count,
                                                         size_t *before);
PADICI_FN PADICI_AVX512 uint64_t padici_codec_tokens_avx512(const uint64_t *z, size_t n, uint32_t m,
                                                            uint8_t *tokens, uint32_t *widest);
PADICI_FN PADICI_AVX512 void padici_codec_put_plain_avx512(const uint64_t *z, const uint8_t *tokens,
                                                           size_t n, uint32_t m, uint32_t widest,
                                                           uint8_t *p);
PADICI_FN PADICI_AVX512 uint64_t padici_codec_packed_avx512(const uint64_t *z, size_t n);
PADICI_FN PADICI_AVX512 size_t padici_codec_pick_avx512(const uint8_t *raw, size_t n, uint32_t size,
                                                        uint32_t split, uint32_t share,
                                                        uint32_t *picks);
PADICI_FN PADICI_AVX512 void padici_codec_plane_avx512(const uint64_t *z, size_t n, uint32_t shift,
                                                       uint8_t *to);
PADICI_FN PADICI_AVX512 void padici_codec_join_avx512(const padici_codec_transform *transform,
                                                      uint32_t split, uint64_t *words,
                                                      const uint8_t *low, size_t plane, size_t n);
PADICI_FN PADICI_AVX512 void padici_codec_outer_avx512(double *sums, size_t row, const double *y,
                                                       uint32_t m, double counts);
PADICI_FN PADICI_AVX512 void padici_codec_between_avx512(const padici_codec_predictor *predictor,
                                                         uint64_t *x, size_t n, int zigzag);
PADICI_FN PADICI_AVX512 void padici_codec_linear_avx512(const padici_codec_tap_places *taps,
                                                        uint32_t shift, uint64_t *x, uint64_t *z,
                                                        size_t from, size_t to, int what);
PADICI_FN PADICI_AVX512 void padici_codec_float_steps_avx512(const padici_codec_float_taps *taps,
                                                             padic_dtype dtype, uint64_t *x,
                                                             double *values, size_t segment,
                                                             size_t lag, size_t from, size_t to,
                                                             size_t rows, int zigzag);
PADICI_FN PADICI_AVX512 void padici_codec_put_fixed_avx512(const uint64_t *z, size_t n,
                                                           uint32_t width, uint8_t *p, size_t room);

#endif
