#pragma once
#include "../device.h"
#include "../level.h"
#include "../../core/platform.h"
#include "../../num/packs.h"

#ifndef PADIC_NO_NUM

typedef uint32_t (*padici_simd_num_kernel)(const padic_num_call *call); // returns the status bits

#define PADICI_SIMD_NUM_TAIL 48 // elements of a tail at a time, divisible by two vectors
#define PADICI_SIMD_BLOCK 144   // elements that share an inversion

PADICI_FN int padici_simd_num_kind(const padic_num_ring *r);
PADICI_FN void padici_simd_num_tail_in(const padic_num_call *call, padic_num_planes *p,
                                       uint64_t first, uint32_t n, uint32_t lanes, uint64_t *unit,
                                       int32_t *val);
PADICI_FN uint32_t padici_simd_num_drive(const padic_num_call *call, uint32_t lanes,
                                         padici_simd_num_kernel kernel);
PADICI_FN uint32_t padici_simd_num_plain(const padic_num_call *call, uint64_t first, uint64_t n,
                                         void (*loop)(padic_num_call *call));
PADICI_FN void padici_simd_num_ends(padic_num_call *call, uint32_t lanes,
                                    padici_simd_num_kernel kernel, void (*loop)(padic_num_call *));
PADICI_FN void padici_simd_num_tiles(padic_num_call *call, padici_simd_num_kernel kernel,
                                     void (*loop)(padic_num_call *));

typedef int (*padici_simd_num_lanes)(const padic_num_call *call, uint64_t first, uint64_t end,
                                     uint64_t *unit, int32_t *val, uint32_t *bits);

PADICI_FN padic_result padici_simd_num_dot(padic_num_call *call, padici_simd_num_lanes lanes);

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_UNROLL _Pragma("GCC unroll 4")
#define PADICI_UNROLL8 _Pragma("GCC unroll 8")
#define PADICI_UNROLL16 _Pragma("GCC unroll 16")
#else
#define PADICI_UNROLL
#define PADICI_UNROLL8
#define PADICI_UNROLL16
#endif

static const uint8_t padici_simd_num_bits_of5[32] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                            1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5};

// With gcc 12 -O2, arrays indexed in a loop stay in memory; these unrolled ones do not.
#define PADICI_FOUR(step) step(0) step(1) step(2) step(3)
#define PADICI_EIGHT(step) PADICI_FOUR(step) step(4) step(5) step(6) step(7)

#define PADICI_SIMD_PASTE(a, b) padici_simd_num_##a##_##b
#define PADICI_SIMD_NAME(a, b) PADICI_SIMD_PASTE(a, b)
#define PADICI_K(name) PADICI_SIMD_NAME(name, PADICI_ISA) // padici_simd_num_name_avx2

PADICI_FN padic_result padici_simd_num_systems_loop(padici_simd *simd, const void *systems);
PADICI_FN padic_result padici_simd_num_loop(padici_simd *simd, void *call_);

#endif
