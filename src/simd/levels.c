#include "levels.h"

#if PADICI_IMPLEMENT_SIMD

// The kernels that are alike for all levels stand once in this file, over words of vectors, and are
// compiled for each: the file includes itself. Residues modulo P < 2^49 are integers where the CPU
// multiplies 52-bit integers (IFMA), else doubles, whose fused multiply-add gives both halves of a
// product. Every kernel gives the bytes of the plain loop, or is not here. Products of matrices are
// compiled for each precision, too; level 4 has nothing of its own for them.

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
