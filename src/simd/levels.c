#include "levels.h"

#if PADICI_IMPLEMENT_SIMD

// The kernels that all levels share are written once, over words of vectors, and compiled for each
// level: the file includes itself. Residues modulo P < 2^49 are integers where the CPU multiplies
// 52-bit integers (IFMA), otherwise doubles, whose fused multiply-add gives both halves of a
// product. Every kernel gives the bytes of the generic loop, or does not exist. Products of
// matrices are also compiled for each precision; level 4 has none of its own.

#if PADICI_SIMD_X86
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#include PADICI_SIMD_FILE
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#define PADICI_REAL float
#define PADICI_REAL_SIZE 4
#include PADICI_SIMD_FILE
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#define PADICI_REAL double
#define PADICI_REAL_SIZE 8
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#define PADICI_REAL float
#define PADICI_REAL_SIZE 4
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#define PADICI_REAL double
#define PADICI_REAL_SIZE 8
#include PADICI_SIMD_FILE
#define PADICI_ISA ifma
#define PADICI_ISA_LEVEL 4
#include PADICI_SIMD_FILE
#elif PADICI_SIMD_ARM
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#include PADICI_SIMD_FILE
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#define PADICI_REAL float
#define PADICI_REAL_SIZE 4
#include PADICI_SIMD_FILE
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#define PADICI_REAL double
#define PADICI_REAL_SIZE 8
#include PADICI_SIMD_FILE
#endif

#undef PADICI_SIMD_FILE
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
#undef PADICI_REAL
#undef PADICI_REAL_SIZE

#endif
