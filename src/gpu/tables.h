#pragma once
#include "../core/platform.h"
#include "base/driver.h"
#include "codec/driver.h"
#include "sample/points.h"
#include "sparse/driver.h"
#include "tests.h"

#ifndef PADIC_NO_SAMPLE
#else
#define PADICI_GPU_LAYERS_SAMPLE(X)
#define PADICI_GPU_TESTS_SAMPLE(X)
#define PADICI_GPU_WARM_SAMPLE(X)
#endif

#ifndef PADIC_NO_NUM
#define PADICI_GPU_LAYERS_NUM(X) X(PADIC_KERNEL_NUM, num)
#define PADICI_GPU_TESTS_NUM(X) X(NUM_EACH, num_each) X(SOLVE_SYSTEMS, solve_systems)
#define PADICI_GPU_WARM_NUM(X) X(PADIC_AREA_NUM, num)
#else
#define PADICI_GPU_WARM_NUM(X)
#define PADICI_GPU_LAYERS_NUM(X)
#define PADICI_GPU_TESTS_NUM(X)
#endif

#ifndef PADIC_NO_WAVE
#define PADICI_GPU_TESTS_WAVE(X)  \
    X(WAVE_SOURCES, wave_sources) \
    X(WAVE_SMALL, wave_small) \
    X(WAVE_FIELD, wave_field)     \
    X(WAVE_FACTORS, wave_factors) \
    X(WAVE_RANK, wave_rank)       \
    X(WAVE_ENDS, wave_ends)       \
    X(WAVE_FRAME, wave_frame)     \
    X(WAVE_MEAN, wave_mean)       \
    X(VORTEX_WINDING, vortex_winding) \
    X(VORTEX_OBSERVE, vortex_observe) \
    X(VORTEX_TONEMAP, vortex_tonemap) \
    X(VORTEX_NORM, vortex_norm)       \
    X(VORTEX_NORM_TOTAL, vortex_norm_total) \
    X(VORTEX_MULTIPLY, vortex_multiply)     \
    X(VORTEX_GRADIENT, vortex_gradient)     \
    X(VORTEX_LINES, vortex_lines)           \
    X(VORTEX_FIELD, vortex_field)
#define PADICI_GPU_WARM_WAVE(X) X(PADIC_AREA_WAVE, wave) X(PADIC_AREA_WAVE, vortex)
#define PADICI_GPU_TUNABLES_WAVE(X) X(wave_few) X(wave_frames) X(wave_observe)
#else
#define PADICI_GPU_TUNABLES_WAVE(X)
#define PADICI_GPU_TESTS_WAVE(X)
#define PADICI_GPU_WARM_WAVE(X)
#endif

#ifndef PADIC_NO_TENSOR
#define PADICI_GPU_TESTS_TENSOR(X)              \
    X(TENSOR_PRODUCT, tensor_product)           \
    X(TENSOR_ADD, tensor_add)                   \
    X(TENSOR_SHAPE, tensor_shape)               \
    X(CUDA_TENSOR_SCALE, cuda_tensor_scale)     \
    X(CUDA_TENSOR_CUT, cuda_tensor_cut)         \
    X(CUDA_TENSOR_PRODUCT, cuda_tensor_product) \
    X(CUDA_TENSOR_EXACT, cuda_tensor_exact)     \
    X(CUDA_TENSOR_ASYNC_PRODUCT, cuda_tensor_async_product) \
    X(CUDA_FACTOR_COLUMNS, cuda_factor_columns) \
    X(CUDA_FACTOR_SMALL, cuda_factor_small)     \
    X(FACTOR_SVD, factor_svd)                   \
    X(FACTOR_QR, factor_qr)                     \
    X(FACTOR_EIGH, factor_eigh)                 \
    X(FACTOR_CUT, factor_cut)                   \
    X(FACTOR_GRAM, factor_gram)                 \
    X(FACTOR_ADD, factor_add)
#define PADICI_GPU_WARM_TENSOR(X) X(PADIC_AREA_TENSOR, tensor) X(PADIC_AREA_TENSOR, factor)
#define PADICI_GPU_TUNABLES_TENSOR(X) X(tensor_tile) X(factor_groups)
#else
#define PADICI_GPU_TESTS_TENSOR(X)
#define PADICI_GPU_WARM_TENSOR(X)
#define PADICI_GPU_TUNABLES_TENSOR(X)
#endif


#ifndef PADIC_NO_SPARSE
#else
#define PADICI_GPU_LAYERS_SPARSE(X)
#define PADICI_GPU_TESTS_SPARSE(X)
#define PADICI_GPU_WARM_SPARSE(X)
#endif

#ifndef PADIC_NO_CODEC
#else
#define PADICI_GPU_LAYERS_CODEC(X)
#define PADICI_GPU_TESTS_CODEC(X)
#define PADICI_GPU_WARM_CODEC(X)
#endif

#define PADICI_GPU_TESTS(X)                             \
    PADICI_GPU_TESTS_BASE(X) PADICI_GPU_TESTS_NUM(X)    \
    PADICI_GPU_TESTS_WAVE(X) PADICI_GPU_TESTS_SPARSE(X) \
    PADICI_GPU_TESTS_TENSOR(X) PADICI_GPU_TESTS_CODEC(X) PADICI_GPU_TESTS_SAMPLE(X)
#define PADICI_GPU_LAYERS(X)                              \
    PADICI_GPU_LAYERS_NUM(X) PADICI_GPU_LAYERS_SPARSE(X)  \
    PADICI_GPU_LAYERS_CODEC(X) PADICI_GPU_LAYERS_SAMPLE(X)

// Tunables: X(name) for padici_tunable_name. What padic_prewarm() builds: X(area, name) for
// padici_warm_name(gpu), which calls padici_gpu_need() for the kernels that most calls use.
#define PADICI_GPU_TUNABLES(X) \
    PADICI_GPU_TUNABLES_BASE(X) PADICI_GPU_TUNABLES_WAVE(X) PADICI_GPU_TUNABLES_TENSOR(X)
#define PADICI_GPU_WARM(X)                            \
    PADICI_GPU_WARM_BASE(X) PADICI_GPU_WARM_NUM(X)    \
    PADICI_GPU_WARM_SPARSE(X) PADICI_GPU_WARM_WAVE(X) \
    PADICI_GPU_WARM_TENSOR(X) PADICI_GPU_WARM_CODEC(X) PADICI_GPU_WARM_SAMPLE(X)

PADICI_FN padici_gpu_test_fn padici_gpu_test_of(uint32_t kernel);
