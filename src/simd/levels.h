#pragma once
#include "../codec/bytes.h"
#include "../codec/choose_transform.h"
#include "../codec/constants.h"
#include "../codec/contexts.h"
#include "../codec/differences.h"
#include "../codec/representation.h"
#include "../codec/transforms.h"
#include "../codec/loops.h"
#include "../codec/prediction.h"
#include "../codec/rans.h"
#include "../codec/streams.h"
#include "../core/words.h"
#include "../num/cell.h"
#include "../num/digits.h"
#include "../num/floats.h"
#include "../num/horner.h"
#include "../num/limbs.h"
#include "../num/rational.h"
#include "../num/residue.h"
#include "../num/ring_tables.h"
#include "../num/root.h"
#include "../num/series.h"
#include "../num/series_loops.h"
#include "../num/word_loops.h"
#include "../wave/vortex.h"
#include "codec/all.h"
#include "codec/avx512.h"
#include "codec/transforms.h"
#include "codec/stretches.h"
#include "fft/kernels.h"
#include "field/kernels.h"
#include "level.h"
#include "num/calls.h"
#include "pq/kernels.h"
#include "rnn/kernels.h"
#include "rollout/kernels.h"
#include "sample.h"
#include "tensor/factor.h"
#include "tensor/kernels.h"
#include "wave/kernels.h"
#include "words.h"

// Tables of each level's shared kernels: see levels.c.

#ifndef PADIC_NO_NUM
#define PADICI_LEVEL_NUM(L) PADICI_FN padic_result padici_simd_num_call_##L(padic_num_call *call);
#define PADICI_LEVEL_SYSTEMS(L) \
    PADICI_FN padic_result padici_simd_num_systems_##L(const padic_num_systems *s);
#else
#define PADICI_LEVEL_NUM(L)
#define PADICI_LEVEL_SYSTEMS(L)
#endif
#ifndef PADIC_NO_WAVE
#define PADICI_LEVEL_WAVE(L) \
    PADICI_FN void padici_wave_tile_direct_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_mid_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_wide_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_series_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_rows_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_frame_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_direct_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_mid_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_wide_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_double_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_double_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_field_observe_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_squares_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_scale_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_slope_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_charge_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_pixels_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_vortex_##L(padici_wave_vortex_block *b); \
    PADICI_FN void padici_wave_tile_lines_##L( \
        padic_wave_core core, const padici_wave_line *lines, uint32_t n, \
        const padici_wave_places *places, uint32_t first, uint32_t end, padici_complex *products);
#else
#define PADICI_LEVEL_WAVE(L)
#endif
#ifndef PADIC_NO_CODEC
#define PADICI_LEVEL_CODEC(L) PADICI_FN void padici_simd_codec_loops_##L(padici_codec_loops *loops);
#else
#define PADICI_LEVEL_CODEC(L)
#endif
#ifndef PADIC_NO_SAMPLE
#define PADICI_LEVEL_SAMPLE(L) \
    PADICI_FN const padici_simd_sample_kernels *padici_simd_sample_kernels_##L(void);
#else
#define PADICI_LEVEL_SAMPLE(L)
#endif
#ifndef PADIC_NO_TENSOR
#define PADICI_LEVEL_TENSOR(L) \
    PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_kernels_##L##_float(void); \
    PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_kernels_##L##_double(void); \
    PADICI_FN const padici_simd_tensor_factor_kernels * \
        padici_simd_tensor_factor_kernels_##L##_float(void); \
    PADICI_FN const padici_simd_tensor_factor_kernels * \
        padici_simd_tensor_factor_kernels_##L##_double(void);
#else
#define PADICI_LEVEL_TENSOR(L)
#endif

#ifndef PADIC_NO_RNN
#define PADICI_LEVEL_RNN(L) PADICI_FN const padici_rnn_kernels *padici_simd_rnn_kernels_##L(void);
#else
#define PADICI_LEVEL_RNN(L)
#endif
#ifndef PADIC_NO_ROLLOUT
#define PADICI_LEVEL_ROLLOUT(L) \
    PADICI_FN const padici_rollout_kernels *padici_simd_rollout_kernels_##L(void);
#else
#define PADICI_LEVEL_ROLLOUT(L)
#endif
#ifndef PADIC_NO_PQ
#define PADICI_LEVEL_PQ(L)                                                              \
    PADICI_FN void padici_simd_pq_dots_##L(const float *x, const float *c, uint64_t n, \
                                           uint64_t cells, float *out);
#else
#define PADICI_LEVEL_PQ(L)
#endif
#ifndef PADIC_NO_FFT
#define PADICI_LEVEL_FFT(L) \
    PADICI_FN const padici_fft_kernels *padici_simd_fft_kernels_##L##_float(void); \
    PADICI_FN const padici_fft_kernels *padici_simd_fft_kernels_##L##_double(void);
#else
#define PADICI_LEVEL_FFT(L)
#endif

#ifndef PADIC_NO_FIELD
#define PADICI_LEVEL_FIELD(L) \
    PADICI_FN void padici_simd_field_euler_##L(padici_field_legacy_plane *p); \
    PADICI_FN void padici_simd_field_energy_##L(padici_field_legacy_plane *p); \
    PADICI_FN const padici_field_kernels *padici_simd_field_kernels_##L##_float(void); \
    PADICI_FN const padici_field_kernels *padici_simd_field_kernels_##L##_double(void);
#else
#define PADICI_LEVEL_FIELD(L)
#endif

#if PADICI_SIMD_X86
PADICI_LEVEL_NUM(avx2)
PADICI_LEVEL_NUM(avx512)
PADICI_LEVEL_NUM(ifma)
PADICI_LEVEL_SAMPLE(ifma)
PADICI_LEVEL_SYSTEMS(avx2)
PADICI_LEVEL_SYSTEMS(avx512)
PADICI_LEVEL_WAVE(avx2)
PADICI_LEVEL_CODEC(avx2)
PADICI_LEVEL_SAMPLE(avx2)
PADICI_LEVEL_TENSOR(avx2)
PADICI_LEVEL_FFT(avx2)
PADICI_LEVEL_FIELD(avx2)
PADICI_LEVEL_RNN(avx2)
PADICI_LEVEL_ROLLOUT(avx2)
PADICI_LEVEL_PQ(avx2)
PADICI_LEVEL_WAVE(avx512)
PADICI_LEVEL_CODEC(avx512)
PADICI_LEVEL_SAMPLE(avx512)
PADICI_LEVEL_TENSOR(avx512)
PADICI_LEVEL_FFT(avx512)
PADICI_LEVEL_FIELD(avx512)
PADICI_LEVEL_RNN(avx512)
PADICI_LEVEL_ROLLOUT(avx512)
PADICI_LEVEL_PQ(avx512)
#elif PADICI_SIMD_ARM
PADICI_LEVEL_NUM(neon)
PADICI_LEVEL_SYSTEMS(neon)
PADICI_LEVEL_WAVE(neon)
PADICI_LEVEL_CODEC(neon)
PADICI_LEVEL_SAMPLE(neon)
PADICI_LEVEL_TENSOR(neon)
PADICI_LEVEL_FFT(neon)
PADICI_LEVEL_FIELD(neon)
PADICI_LEVEL_RNN(neon)
PADICI_LEVEL_ROLLOUT(neon)
PADICI_LEVEL_PQ(neon)
#endif

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86
PADICI_FN PADICI_AVX2 void padici_simd_codec_elements_avx2(const padici_codec_transform *transform,
                                                           padic_dtype dtype, const uint64_t *words,
                                                           uint8_t *raw, size_t n);
PADICI_FN PADICI_AVX512 void padici_simd_codec_elements_avx512(
    const padici_codec_transform *transform, padic_dtype dtype, const uint64_t *words, uint8_t *raw,
    size_t n);
PADICI_FN PADICI_AVX512 size_t padici_simd_codec_scaled_avx512(const uint8_t *x, size_t i,
    size_t to, const padici_codec_transform *transform, padic_dtype dtype, uint8_t *raw);
#endif
#undef PADICI_LEVEL_NUM
#undef PADICI_LEVEL_SYSTEMS
#undef PADICI_LEVEL_WAVE
#undef PADICI_LEVEL_CODEC
#undef PADICI_LEVEL_SAMPLE
#undef PADICI_LEVEL_TENSOR
#undef PADICI_LEVEL_FFT
#undef PADICI_LEVEL_FIELD
#undef PADICI_LEVEL_RNN
