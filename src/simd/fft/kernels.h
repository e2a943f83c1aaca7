#pragma once
#include "../../core/platform.h"
#include "../../fft/kernels.h"
#include "../device.h"
#include "../level.h"

#ifndef PADIC_NO_FFT

#define PADICI_HPASTE(a, b, c) padici_simd_fft_##a##_##b##_##c
#define PADICI_HNAME(a, b, c) PADICI_HPASTE(a, b, c)
#define PADICI_HK(name) PADICI_HNAME(name, PADICI_ISA, PADICI_REAL) // .._name_avx2_float

PADICI_FN padic_result padici_simd_fft_kernels(padici_simd *simd, void *choice);

#endif
