// parts.h: which parts this file compiles, and how they call each other.
#pragma once
#include "api_config.h"

#if defined(PADIC_SPLIT) && defined(PADIC_STATIC)
#error "PADIC_SPLIT joins functions of several files, PADIC_STATIC hides them: choose one"
#endif

// One file has all of them, static; with PADIC_SPLIT, and when a room is compiled by itself, they
// are functions that a linker joins and that no shared object shows.
#if defined(PADIC_SPLIT) || !defined(PADIC_IMPLEMENTED)
#ifdef __cplusplus
#define PADICI_EXTERN extern "C"
#else
#define PADICI_EXTERN extern
#endif
#if (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define PADICI_FN PADICI_EXTERN __attribute__((visibility("hidden")))
#else
#define PADICI_FN PADICI_EXTERN
#endif
#elif defined(__GNUC__) || defined(__clang__)
#define PADICI_FN static __attribute__((unused))
#else
#define PADICI_FN static
#endif

#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_CORE)
#define PADICI_IMPLEMENT_CORE 0
#else
#define PADICI_IMPLEMENT_CORE 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_CODEC)
#define PADICI_IMPLEMENT_CODEC 0
#elif defined(PADIC_NO_CODEC)
#define PADICI_IMPLEMENT_CODEC 0
#else
#define PADICI_IMPLEMENT_CODEC 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_NUM)
#define PADICI_IMPLEMENT_NUM 0
#elif defined(PADIC_NO_NUM)
#define PADICI_IMPLEMENT_NUM 0
#else
#define PADICI_IMPLEMENT_NUM 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_SPARSE)
#define PADICI_IMPLEMENT_SPARSE 0
#elif defined(PADIC_NO_SPARSE)
#define PADICI_IMPLEMENT_SPARSE 0
#else
#define PADICI_IMPLEMENT_SPARSE 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_SAMPLE)
#define PADICI_IMPLEMENT_SAMPLE 0
#elif defined(PADIC_NO_SAMPLE)
#define PADICI_IMPLEMENT_SAMPLE 0
#else
#define PADICI_IMPLEMENT_SAMPLE 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_WAVE)
#define PADICI_IMPLEMENT_WAVE 0
#elif defined(PADIC_NO_WAVE)
#define PADICI_IMPLEMENT_WAVE 0
#else
#define PADICI_IMPLEMENT_WAVE 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_TENSOR)
#define PADICI_IMPLEMENT_TENSOR 0
#elif defined(PADIC_NO_TENSOR)
#define PADICI_IMPLEMENT_TENSOR 0
#else
#define PADICI_IMPLEMENT_TENSOR 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_FFT)
#define PADICI_IMPLEMENT_FFT 0
#elif defined(PADIC_NO_FFT)
#define PADICI_IMPLEMENT_FFT 0
#else
#define PADICI_IMPLEMENT_FFT 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_CDT)
#define PADICI_IMPLEMENT_CDT 0
#elif defined(PADIC_NO_CDT)
#define PADICI_IMPLEMENT_CDT 0
#else
#define PADICI_IMPLEMENT_CDT 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_FIELD)
#define PADICI_IMPLEMENT_FIELD 0
#elif defined(PADIC_NO_FIELD)
#define PADICI_IMPLEMENT_FIELD 0
#else
#define PADICI_IMPLEMENT_FIELD 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_RNN)
#define PADICI_IMPLEMENT_RNN 0
#elif defined(PADIC_NO_RNN)
#define PADICI_IMPLEMENT_RNN 0
#else
#define PADICI_IMPLEMENT_RNN 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_ROLLOUT)
#define PADICI_IMPLEMENT_ROLLOUT 0
#elif defined(PADIC_NO_ROLLOUT)
#define PADICI_IMPLEMENT_ROLLOUT 0
#else
#define PADICI_IMPLEMENT_ROLLOUT 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_PQ)
#define PADICI_IMPLEMENT_PQ 0
#elif defined(PADIC_NO_PQ)
#define PADICI_IMPLEMENT_PQ 0
#else
#define PADICI_IMPLEMENT_PQ 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_SIMD)
#define PADICI_IMPLEMENT_SIMD 0
#else
#define PADICI_IMPLEMENT_SIMD 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_GPU)
#define PADICI_IMPLEMENT_GPU 0
#else
#define PADICI_IMPLEMENT_GPU 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_OPENCL)
#define PADICI_IMPLEMENT_OPENCL 0
#else
#define PADICI_IMPLEMENT_OPENCL 1
#endif
#if defined(PADIC_SPLIT) && !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENT_CUDA)
#define PADICI_IMPLEMENT_CUDA 0
#else
#define PADICI_IMPLEMENT_CUDA 1
#endif
