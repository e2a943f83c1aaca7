#pragma once
#include "../../core/platform.h"
#include "../../field/kernels.h"
#include "../../field/legacy.h"
#include "../level.h"

#ifndef PADIC_NO_FIELD

// Rows `first` to `end` of a plane of axes 1 and 2, in f32, real and imaginary parts in turn. Of
// the step `below` and `above` are the planes beside it, of the energy those of the difference.
typedef struct padici_field_legacy_plane {
    const float *at, *below, *above; // row 0
    float *out;
    int64_t row, out_row;            // floats from row to row
    uint64_t rows, first, end, count;
    uint32_t power, odd;             // odd: set where a result is not finite
    float mass, lambda, dt;
    uint32_t edge;                   // `above` and `below` are one step apart, not two
    double sum[3][16];               // four times the kinetic one, norm, interaction, in lanes:
                                     // added to
} padici_field_legacy_plane;

#define PADICI_FIELD_LEGACY_SUMMED 64 // vectors whose sums are made in f32

#define PADICI_LFPASTE(a, b) padici_simd_field_##a##_##b
#define PADICI_LFNAME(a, b) PADICI_LFPASTE(a, b)
#define PADICI_LK(name) PADICI_LFNAME(name, PADICI_ISA) // padici_simd_field_name_avx2
#define PADICI_LRPASTE(a, b, c) padici_simd_field_##a##_##b##_##c
#define PADICI_LRNAME(a, b, c) PADICI_LRPASTE(a, b, c)
#define PADICI_LRK(name) PADICI_LRNAME(name, PADICI_ISA, PADICI_REAL) // .._name_avx2_float

#endif
