#pragma once
#include "../../core/platform.h"
#include "../../pq/calls.h"
#include "../device.h"
#include "../level.h"

#ifndef PADIC_NO_PQ

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd);

#define PADICI_PQNAME_(name, level) padici_simd_pq_##name##_##level
#define PADICI_PQNAME(name, level) PADICI_PQNAME_(name, level)
#define PADICI_PQK(name) PADICI_PQNAME(name, PADICI_ISA) // .._name_avx2

#endif
