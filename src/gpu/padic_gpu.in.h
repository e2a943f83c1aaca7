// padic_gpu.h: operations by kernels, the same for every device. padic_opencl.h and padic_cuda.h
// include it; a program that uses one of them need not know it.
//
// A driver of an operation is a function
//
//     static padic_result padici_gpu_NAME(padici_gpu *gpu, const padici_call *call, int query)
//
// and a row in its area's table of drivers. It looks at dtypes, shapes and strides, names the
// kernels it wants with padici_gpu_need(), returns when `query` is set, then launches. Its operands
// are call->operands[i].now.mem from byte .now.at on. NOT_SUPPORTED leaves the work to the next
// backend; after a launch it may be answered only where no input has been overwritten.
//
// Every kernel has a known-answer test, a function padici_test_KERNEL and a row in its area's table
// of tests. A program's tests run when it is first used; a kernel that fails is not used again.
#ifndef PADIC_GPU_H
#define PADIC_GPU_H
#ifndef PADIC_HEADER
#error "include padic.h before padic_gpu.h"
#endif
#if PADIC_BACKEND_VERSION != 2
#error "padic_gpu.h was made for another version of padic.h"
#endif
#endif // PADIC_GPU_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_GPU_IMPLEMENTED)
#define PADIC_GPU_IMPLEMENTED

#include "padic_gpu_cache.h"
#include "padic_kernels.h"
#include <stdio.h>
#include <string.h>

// Answers of tests are rounded like those of the kernels: no fused a * b + c.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

#include "gpu/frame.c"
#include "gpu/variants.c"
#include "gpu/launch.c"
#include "gpu/source.c"
#include "gpu/tests.c"
#include "gpu/base/axes.c"
#include "gpu/base/driver.c"
#include "gpu/base/axes_test.c"
// --------------------------------------------------------------------------------------- >>sample

#ifndef PADIC_NO_SAMPLE
#include "padic_gpu_sample.h"
#else
#define PADICI_GPU_LAYERS_SAMPLE(X)
#define PADICI_GPU_TESTS_SAMPLE(X)
#define PADICI_GPU_WARM_SAMPLE(X)
#endif

// ------------------------------------------------------------------------------------------ >>num

#ifdef PADIC_NUM_IMPLEMENTED
#include "padic_gpu_num.h"
#define PADICI_GPU_LAYERS_NUM(X) X(PADIC_KERNEL_NUM, num)
#define PADICI_GPU_TESTS_NUM(X) X(NUM_EACH, num_each) X(SOLVE_SYSTEMS, solve_systems)
#define PADICI_GPU_WARM_NUM(X) X(PADIC_AREA_NUM, num)
#else
#define PADICI_GPU_WARM_NUM(X)
#define PADICI_GPU_LAYERS_NUM(X)
#define PADICI_GPU_TESTS_NUM(X)
#endif

// ----------------------------------------------------------------------------------------- >>wave

#ifndef PADIC_NO_WAVE
#include "padic_gpu_wave.h"
#include "padic_gpu_vortex.h"
#define PADICI_GPU_DRIVERS_WAVE(X)    \
    X(WAVE_SUPERPOSE, wave_superpose) \
    X(WAVE_FRAMES, wave_frames)       \
    X(WAVE_GRADIENT, wave_gradient)   \
    X(WAVE_OBSERVE, wave_observe)     \
    X(WAVE_TONEMAP, wave_tonemap)     \
    X(WAVE_NORMALISE, wave_normalise) \
    X(WAVE_VORTEX, wave_vortex)       \
    X(WAVE_PHASE_GRADIENT, wave_phase_gradient) \
    X(WAVE_WINDING, wave_winding)
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
#define PADICI_GPU_DRIVERS_WAVE(X)
#define PADICI_GPU_TESTS_WAVE(X)
#define PADICI_GPU_WARM_WAVE(X)
#endif

// --------------------------------------------------------------------------------------- >>tensor

#ifndef PADIC_NO_TENSOR
#include "padic_gpu_tensor.h"
#include "padic_gpu_factor.h"
#define PADICI_GPU_DRIVERS_TENSOR(X)    \
    X(TENSOR_GEMM, tensor_gemm)         \
    X(TENSOR_CONTRACT, tensor_contract) \
    X(TENSOR_SVD, tensor_svd)           \
    X(TENSOR_QR, tensor_qr)             \
    X(TENSOR_EIGH, tensor_eigh)         \
    X(TENSOR_ENTROPY, tensor_entropy)
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
#define PADICI_GPU_DRIVERS_TENSOR(X)
#define PADICI_GPU_TESTS_TENSOR(X)
#define PADICI_GPU_WARM_TENSOR(X)
#define PADICI_GPU_TUNABLES_TENSOR(X)
#endif


// --------------------------------------------------------------------------------------- >>sparse

#if defined(PADIC_NUM_IMPLEMENTED) && defined(PADIC_SPARSE_H)
#include "padic_gpu_sparse.h"
#else
#define PADICI_GPU_LAYERS_SPARSE(X)
#define PADICI_GPU_TESTS_SPARSE(X)
#define PADICI_GPU_WARM_SPARSE(X)
#endif

// ---------------------------------------------------------------------------------------- >>codec

#ifndef PADIC_NO_CODEC
#include "padic_gpu_codec.h"
#else
#define PADICI_GPU_LAYERS_CODEC(X)
#define PADICI_GPU_TESTS_CODEC(X)
#define PADICI_GPU_WARM_CODEC(X)
#endif

#include "gpu/tables.c"
#include "gpu/choices.c"
#include "gpu/tuner.c"
#include "gpu/drive.c"
#endif // PADIC_IMPLEMENTATION
