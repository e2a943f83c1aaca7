#pragma once
#include "../core/platform.h"
#include "base/driver.h"
#include "codec/calls.h"
#include "codec/driver.h"
#include "sample/points.h"
#include "sparse/driver.h"
#include "tests.h"

#ifdef PADIC_NO_NUM
#define PADICI_GPU_FAMILIES_NUM(X)
#else
#define PADICI_GPU_FAMILIES_NUM(X) X(PADIC_AREA_NUM, num)
#endif

#ifdef PADIC_NO_SPARSE
#define PADICI_GPU_FAMILIES_SPARSE(X)
#else
#define PADICI_GPU_FAMILIES_SPARSE(X) X(PADIC_AREA_SPARSE, sparse)
#endif

#ifdef PADIC_NO_CODEC_PACK
#define PADICI_GPU_FAMILIES_CODEC(X)
#else
#define PADICI_GPU_FAMILIES_CODEC(X) X(PADIC_AREA_CODEC, codec)
#endif

#ifdef PADIC_NO_SAMPLE
#define PADICI_GPU_FAMILIES_SAMPLE(X)
#else
#define PADICI_GPU_FAMILIES_SAMPLE(X) X(PADIC_AREA_SAMPLE, sample)
#endif

#ifdef PADIC_NO_WAVE
#define PADICI_GPU_FAMILIES_WAVE(X)
#define PADICI_GPU_TUNABLES_WAVE(X)
#else
#define PADICI_GPU_FAMILIES_WAVE(X) X(PADIC_AREA_WAVE, wave) X(PADIC_AREA_WAVE, vortex)
#define PADICI_GPU_TUNABLES_WAVE(X) X(wave_few) X(wave_frames) X(wave_observe)
#endif

#ifdef PADIC_NO_TENSOR
#define PADICI_GPU_FAMILIES_TENSOR(X)
#define PADICI_GPU_TUNABLES_TENSOR(X)
#else
#define PADICI_GPU_FAMILIES_TENSOR(X) X(PADIC_AREA_TENSOR, tensor) X(PADIC_AREA_TENSOR, factor)
#define PADICI_GPU_TUNABLES_TENSOR(X) X(tensor_tile) X(factor_groups)
#endif

#ifdef PADIC_NO_FFT
#define PADICI_GPU_FAMILIES_FFT(X)
#else
#define PADICI_GPU_FAMILIES_FFT(X) X(PADIC_AREA_FFT, fft)
#endif

#ifdef PADIC_NO_CDT
#define PADICI_GPU_FAMILIES_CDT(X)
#else
#define PADICI_GPU_FAMILIES_CDT(X) X(PADIC_AREA_CDT, cdt)
#endif

#ifdef PADIC_NO_FIELD
#define PADICI_GPU_FAMILIES_FIELD(X)
#else
#define PADICI_GPU_FAMILIES_FIELD(X) X(PADIC_AREA_FIELD, field)
#endif

#ifdef PADIC_NO_RNN
#define PADICI_GPU_FAMILIES_RNN(X)
#else
#define PADICI_GPU_FAMILIES_RNN(X) X(PADIC_AREA_RNN, rnn)
#endif

#ifdef PADIC_NO_PQ
#define PADICI_GPU_FAMILIES_PQ(X)
#else
#define PADICI_GPU_FAMILIES_PQ(X) X(PADIC_AREA_PQ, pq) X(PADIC_AREA_PQ, pq_attend)
#endif

#ifdef PADIC_NO_ROLLOUT
#define PADICI_GPU_FAMILIES_ROLLOUT(X)
#else
#define PADICI_GPU_FAMILIES_ROLLOUT(X) \
    X(PADIC_AREA_ROLLOUT, rollout) X(PADIC_AREA_ROLLOUT, rollout_half)
#endif

// Tunables: X(name) for padici_tunable_name.
#define PADICI_GPU_TUNABLES(X) \
    X(random_fill) PADICI_GPU_TUNABLES_WAVE(X) PADICI_GPU_TUNABLES_TENSOR(X)

// Families of kernels, X(area, name): padici_tests_name() returns the known-answer tests, a row for
// each kernel; padic_context_prewarm() calls padici_warm_name(gpu), which builds the kernels that
// most calls use.
#define PADICI_GPU_FAMILIES(X)                                \
    X(PADIC_AREA_BASE, base) PADICI_GPU_FAMILIES_NUM(X)       \
    PADICI_GPU_FAMILIES_SPARSE(X) PADICI_GPU_FAMILIES_WAVE(X) \
    PADICI_GPU_FAMILIES_TENSOR(X) PADICI_GPU_FAMILIES_CODEC(X) PADICI_GPU_FAMILIES_SAMPLE(X) \
    PADICI_GPU_FAMILIES_FFT(X) PADICI_GPU_FAMILIES_CDT(X) PADICI_GPU_FAMILIES_FIELD(X)      \
    PADICI_GPU_FAMILIES_RNN(X) PADICI_GPU_FAMILIES_PQ(X) PADICI_GPU_FAMILIES_ROLLOUT(X)

#define PADICI_GPU_FAMILY_ROW(area, name)                       \
    PADICI_FN const padici_gpu_test *padici_tests_##name(void); \
    PADICI_FN padic_result padici_warm_##name(padici_gpu *gpu);
PADICI_GPU_FAMILIES(PADICI_GPU_FAMILY_ROW)
#undef PADICI_GPU_FAMILY_ROW

PADICI_FN const padici_gpu_test *padici_gpu_test_of(uint32_t kernel);
