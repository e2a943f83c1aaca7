// ------------------------------------------------------------------------------------- >>config
//
//     PADIC_IMPLEMENTATION   compile the functions here, in one translation unit
//     PADIC_STATIC           make every function static (a private copy in each unit)
//     PADIC_API              your own linkage words instead (__declspec(dllexport), ...)
//     PADIC_NO_CODEC         leave the codec out
//     PADIC_NO_SAMPLE        leave the samplers out
//     PADIC_NO_WAVE          leave the waves out
//     PADIC_NO_TENSOR        leave matrix products and contractions out
//     PADIC_NO_MALLOC        no default allocator: every call must be given one, or scratch
//     PADIC_NO_INT128        do not use __int128 (the results are the same)

#ifndef PADIC_API
#ifdef PADIC_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define PADIC_API static __attribute__((unused))
#else
#define PADIC_API static
#endif
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

// An area whose file does not lie beside this one is left out.
#ifdef __has_include
#if !defined(PADIC_NO_SAMPLE) && !__has_include("padic_sample.h")
#define PADIC_NO_SAMPLE
#endif
#if !defined(PADIC_NO_WAVE) && !__has_include("padic_wave.h")
#define PADIC_NO_WAVE
#endif
#if !defined(PADIC_NO_TENSOR) && !__has_include("padic_tensor.h")
#define PADIC_NO_TENSOR
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

