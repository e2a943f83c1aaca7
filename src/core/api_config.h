#pragma once
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------------------------------- >>config
//
//     PADIC_IMPLEMENTATION   compile the functions here, in one translation unit
//     PADIC_STATIC           make every function static (a private copy in each unit)
//     PADIC_API              your own linkage words instead (__declspec(dllexport), ...)
//     PADIC_NO_CODEC         leave an area out: also PADIC_NO_NUM, _SPARSE, _SAMPLE, _WAVE,
//                            _TENSOR, _FFT, _CDT, _FIELD, _RNN, _ROLLOUT, _PQ. Types stay the
//                            same; a call of it is an error that names the switch.
//     PADIC_ONLY_CODEC       leave out all but this area and what it needs: also PADIC_ONLY_NUM,
//                            _SPARSE (with num), _SAMPLE, _WAVE, _TENSOR, _FFT, _CDT, _FIELD (with
//                            fft), _RNN, _ROLLOUT (with fft, codec), _PQ; several keep all of
//                            them
//     PADIC_SPLIT            in every file of a build: the implementation is compiled in parts,
//                            chosen by PADIC_IMPLEMENT_CORE, _CODEC, _NUM, _SPARSE, _SAMPLE, _WAVE,
//                            _TENSOR, _FFT, _CDT, _FIELD, _RNN, _ROLLOUT, _PQ, and with backends
//                            _SIMD, _GPU (what the two devices share), _OPENCL, _CUDA, _THREADS,
//                            _CACHE, _NULL. One file for each part, or several in one; switches
//                            and flags the same
//     PADIC_NO_CODEC_PACK    of the codec only what reads: info, verify, unpack, pull. Devices
//                            leave that to the host; no rollouts, no self hash of the codec
//     PADIC_NO_MALLOC        no default allocator: every call must be given one, or scratch
//     PADIC_NO_INT128        do not use __int128 (the results are the same)

#ifndef PADIC_API
#ifdef PADIC_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define PADICI_STATIC_API static __attribute__((unused))
#else
#define PADICI_STATIC_API static
#endif
#define PADIC_API PADICI_STATIC_API
#else
#define PADIC_API extern
#endif
#endif

#ifdef __cplusplus
#define PADIC_ZERO {} // initialises every field of a desc to zero, in C and in C++
#else
#define PADIC_ZERO {0}
#endif

#define PADIC_MAX_RANK 8

// One of PADIC_ONLY_AREA leaves out the others.
#if defined(PADIC_ONLY_CODEC) || \
    defined(PADIC_ONLY_NUM) || \
    defined(PADIC_ONLY_SPARSE) || \
    defined(PADIC_ONLY_SAMPLE) || \
    defined(PADIC_ONLY_WAVE) || \
    defined(PADIC_ONLY_TENSOR) || \
    defined(PADIC_ONLY_FFT) || \
    defined(PADIC_ONLY_CDT) || \
    defined(PADIC_ONLY_FIELD) || \
    defined(PADIC_ONLY_RNN) || \
    defined(PADIC_ONLY_ROLLOUT) || \
    defined(PADIC_ONLY_PQ)
#if !defined(PADIC_ONLY_CODEC) && !defined(PADIC_ONLY_ROLLOUT) && !defined(PADIC_NO_CODEC)
#define PADIC_NO_CODEC
#endif
#if !defined(PADIC_ONLY_NUM) && !defined(PADIC_ONLY_SPARSE) && !defined(PADIC_NO_NUM)
#define PADIC_NO_NUM
#endif
#if !defined(PADIC_ONLY_SPARSE) && !defined(PADIC_NO_SPARSE)
#define PADIC_NO_SPARSE
#endif
#if !defined(PADIC_ONLY_SAMPLE) && !defined(PADIC_NO_SAMPLE)
#define PADIC_NO_SAMPLE
#endif
#if !defined(PADIC_ONLY_WAVE) && !defined(PADIC_NO_WAVE)
#define PADIC_NO_WAVE
#endif
#if !defined(PADIC_ONLY_TENSOR) && !defined(PADIC_NO_TENSOR)
#define PADIC_NO_TENSOR
#endif
#if !defined(PADIC_ONLY_FFT) && !defined(PADIC_ONLY_FIELD) && !defined(PADIC_ONLY_ROLLOUT) && \
    !defined(PADIC_NO_FFT)
#define PADIC_NO_FFT
#endif
#if !defined(PADIC_ONLY_CDT) && !defined(PADIC_NO_CDT)
#define PADIC_NO_CDT
#endif
#if !defined(PADIC_ONLY_FIELD) && !defined(PADIC_NO_FIELD)
#define PADIC_NO_FIELD
#endif
#if !defined(PADIC_ONLY_RNN) && !defined(PADIC_NO_RNN)
#define PADIC_NO_RNN
#endif
#if !defined(PADIC_ONLY_ROLLOUT) && !defined(PADIC_NO_ROLLOUT)
#define PADIC_NO_ROLLOUT
#endif
#if !defined(PADIC_ONLY_PQ) && !defined(PADIC_NO_PQ)
#define PADIC_NO_PQ
#endif
#endif
#if defined(PADIC_NO_NUM) && !defined(PADIC_NO_SPARSE) // whose matrices may hold numbers
#define PADIC_NO_SPARSE
#endif
#if defined(PADIC_NO_FFT) && !defined(PADIC_NO_FIELD) // whose steps are transforms
#define PADIC_NO_FIELD
#endif
#if defined(PADIC_NO_CODEC) && !defined(PADIC_NO_CODEC_PACK)
#define PADIC_NO_CODEC_PACK
#endif
// whose nodes are transforms, and whose records are packed
#if (defined(PADIC_NO_FFT) || defined(PADIC_NO_CODEC_PACK)) && !defined(PADIC_NO_ROLLOUT)
#define PADIC_NO_ROLLOUT
#endif
