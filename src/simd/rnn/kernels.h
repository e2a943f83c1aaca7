#pragma once
#include "../../core/platform.h"
#include "../../rnn/kernels.h"
#include "../device.h"
#include "../level.h"

#define PADICI_RPASTE(a, b) padici_simd_rnn_##a##_##b
#define PADICI_RNAME(a, b) PADICI_RPASTE(a, b)
#define PADICI_RK(name) PADICI_RNAME(name, PADICI_ISA) // .._name_avx2

#ifndef PADIC_NO_RNN

PADICI_FN padic_result padici_simd_rnn_kernels(padici_simd *simd, void *choice);

#endif
