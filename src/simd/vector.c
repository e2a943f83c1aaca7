// @per-level
// A level's vector of 64-bit words and its names, for the words and for the kernels over them.
#if PADICI_ISA_LEVEL >= 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_V __m512i
#define PADICI_LANES 8
#define PADICI_X(op) _mm512_##op
#define PADICI_XI(op) _mm512_##op##_si512
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_V __m256i
#define PADICI_LANES 4
#define PADICI_X(op) _mm256_##op
#define PADICI_XI(op) _mm256_##op##_si256
#else
#define PADICI_TARGET
#define PADICI_V uint64x2_t
#define PADICI_LANES 2
#endif
