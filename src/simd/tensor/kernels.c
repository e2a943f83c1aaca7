#include "kernels.h"
#include "../../core/platform.h"
#include "../level.h"
#include "kernel_texts.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// The kernels of each instruction set, made of their texts, and the tables of them.

#if PADICI_SIMD_X86
#define PADICI_GEMM_V __m256
#define PADICI_GEMM_LANES 8
#define PADICI_GEMM_NONE _mm256_setzero_ps()
#define PADICI_GEMM_SET _mm256_set1_ps
#define PADICI_GEMM_LOAD _mm256_loadu_ps
#define PADICI_GEMM_STORE _mm256_storeu_ps
#define PADICI_GEMM_ADD _mm256_add_ps
#define PADICI_GEMM_FMA(x, y, v) _mm256_fmadd_ps(x, y, v)
#define PADICI_GEMM_SWAP(x) _mm256_permute_ps(x, 0xb1)
#define PADICI_GEMM_TURN(v, w) _mm256_addsub_ps(v, w) // v + iw of turned w
#define PADICI_GEMM_PAIR(p)                                                                        \
    _mm256_castpd_ps(_mm256_broadcastsd_pd(                                                        \
        _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
PADICI_GEMM_LEVEL(avx2_f32, PADICI_AVX2, float, 6)
#undef PADICI_GEMM_V
#undef PADICI_GEMM_LANES
#undef PADICI_GEMM_NONE
#undef PADICI_GEMM_SET
#undef PADICI_GEMM_LOAD
#undef PADICI_GEMM_STORE
#undef PADICI_GEMM_ADD
#undef PADICI_GEMM_FMA
#undef PADICI_GEMM_SWAP
#undef PADICI_GEMM_TURN
#undef PADICI_GEMM_PAIR

#define PADICI_GEMM_V __m256d
#define PADICI_GEMM_LANES 4
#define PADICI_GEMM_NONE _mm256_setzero_pd()
#define PADICI_GEMM_SET _mm256_set1_pd
#define PADICI_GEMM_LOAD _mm256_loadu_pd
#define PADICI_GEMM_STORE _mm256_storeu_pd
#define PADICI_GEMM_ADD _mm256_add_pd
#define PADICI_GEMM_FMA(x, y, v) _mm256_fmadd_pd(x, y, v)
#define PADICI_GEMM_SWAP(x) _mm256_permute_pd(x, 5)
#define PADICI_GEMM_TURN(v, w) _mm256_addsub_pd(v, w) // v + iw of turned w
#define PADICI_GEMM_PAIR(p)                                                                        \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd(p), 1)
PADICI_GEMM_LEVEL(avx2_f64, PADICI_AVX2, double, 6)
#undef PADICI_GEMM_V
#undef PADICI_GEMM_LANES
#undef PADICI_GEMM_NONE
#undef PADICI_GEMM_SET
#undef PADICI_GEMM_LOAD
#undef PADICI_GEMM_STORE
#undef PADICI_GEMM_ADD
#undef PADICI_GEMM_FMA
#undef PADICI_GEMM_SWAP
#undef PADICI_GEMM_TURN
#undef PADICI_GEMM_PAIR

#define PADICI_GEMM_V __m512
#define PADICI_GEMM_LANES 16
#define PADICI_GEMM_NONE _mm512_setzero_ps()
#define PADICI_GEMM_SET _mm512_set1_ps
#define PADICI_GEMM_LOAD _mm512_loadu_ps
#define PADICI_GEMM_STORE _mm512_storeu_ps
#define PADICI_GEMM_ADD _mm512_add_ps
#define PADICI_GEMM_FMA(x, y, v) _mm512_fmadd_ps(x, y, v)
#define PADICI_GEMM_SWAP(x) _mm512_permute_ps(x, 0xb1)
#define PADICI_GEMM_TURN(v, w) _mm512_fmaddsub_ps(_mm512_set1_ps(1.f), v, w) // v + iw of turned w
#define PADICI_GEMM_PAIR(p)                                                                        \
    _mm512_castpd_ps(_mm512_broadcastsd_pd(                                                        \
        _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
PADICI_GEMM_LEVEL(avx512_f32, PADICI_AVX512, float, 8)
#undef PADICI_GEMM_V
#undef PADICI_GEMM_LANES
#undef PADICI_GEMM_NONE
#undef PADICI_GEMM_SET
#undef PADICI_GEMM_LOAD
#undef PADICI_GEMM_STORE
#undef PADICI_GEMM_ADD
#undef PADICI_GEMM_FMA
#undef PADICI_GEMM_SWAP
#undef PADICI_GEMM_TURN
#undef PADICI_GEMM_PAIR

#define PADICI_GEMM_V __m512d
#define PADICI_GEMM_LANES 8
#define PADICI_GEMM_NONE _mm512_setzero_pd()
#define PADICI_GEMM_SET _mm512_set1_pd
#define PADICI_GEMM_LOAD _mm512_loadu_pd
#define PADICI_GEMM_STORE _mm512_storeu_pd
#define PADICI_GEMM_ADD _mm512_add_pd
#define PADICI_GEMM_FMA(x, y, v) _mm512_fmadd_pd(x, y, v)
#define PADICI_GEMM_SWAP(x) _mm512_permute_pd(x, 0x55)
#define PADICI_GEMM_TURN(v, w) _mm512_fmaddsub_pd(_mm512_set1_pd(1.0), v, w) // v + iw of turned w
#define PADICI_GEMM_PAIR(p)                                                                        \
    _mm512_castps_pd(_mm512_broadcast_f32x4(_mm_castpd_ps(_mm_loadu_pd(p))))
PADICI_GEMM_LEVEL(avx512_f64, PADICI_AVX512, double, 8)
#undef PADICI_GEMM_V
#undef PADICI_GEMM_LANES
#undef PADICI_GEMM_NONE
#undef PADICI_GEMM_SET
#undef PADICI_GEMM_LOAD
#undef PADICI_GEMM_STORE
#undef PADICI_GEMM_ADD
#undef PADICI_GEMM_FMA
#undef PADICI_GEMM_SWAP
#undef PADICI_GEMM_TURN
#undef PADICI_GEMM_PAIR

static const padici_gemm_kernels padici_gemm_table[2][2] = {
    {{6, 16, padici_gemm_a_avx2_f32, padici_gemm_b_avx2_f32, padici_gemm_product_avx2_f32,
      padici_gemm_line_avx2_f32, 8, padici_gemm_direct_avx2_f32},
     {6, 8, padici_gemm_a_avx2_f64, padici_gemm_b_avx2_f64, padici_gemm_product_avx2_f64,
      padici_gemm_line_avx2_f64, 4, padici_gemm_direct_avx2_f64}},
    {{8, 32, padici_gemm_a_avx512_f32, padici_gemm_b_avx512_f32, padici_gemm_product_avx512_f32,
      padici_gemm_line_avx512_f32, 16, padici_gemm_direct_avx512_f32},
     {8, 16, padici_gemm_a_avx512_f64, padici_gemm_b_avx512_f64, padici_gemm_product_avx512_f64,
      padici_gemm_line_avx512_f64, 8, padici_gemm_direct_avx512_f64}}};
#else
#define PADICI_GEMM_ARM
PADICI_INLINE float32x4_t padici_gemm_signs_f32(void)
{
    static const float signs[4] = {-1, 1, -1, 1};
    return vld1q_f32(signs);
}
PADICI_INLINE float64x2_t padici_gemm_signs_f64(void)
{
    static const double signs[2] = {-1, 1};
    return vld1q_f64(signs);
}
#define PADICI_GEMM_V float32x4_t
#define PADICI_GEMM_LANES 4
#define PADICI_GEMM_NONE vdupq_n_f32(0)
#define PADICI_GEMM_SET vdupq_n_f32
#define PADICI_GEMM_LOAD vld1q_f32
#define PADICI_GEMM_STORE vst1q_f32
#define PADICI_GEMM_ADD vaddq_f32
#define PADICI_GEMM_FMA(x, y, v) vfmaq_f32(v, x, y)
#define PADICI_GEMM_SWAP(x) vrev64q_f32(x)
#define PADICI_GEMM_TURN(v, w) vfmaq_f32(v, w, padici_gemm_signs_f32()) // v + iw of turned w
#define PADICI_GEMM_PAIR(p) vcombine_f32(vld1_f32(p), vld1_f32(p))
PADICI_GEMM_LEVEL(neon_f32, PADICI_GEMM_ARM, float, 8)
#undef PADICI_GEMM_V
#undef PADICI_GEMM_LANES
#undef PADICI_GEMM_NONE
#undef PADICI_GEMM_SET
#undef PADICI_GEMM_LOAD
#undef PADICI_GEMM_STORE
#undef PADICI_GEMM_ADD
#undef PADICI_GEMM_FMA
#undef PADICI_GEMM_SWAP
#undef PADICI_GEMM_TURN
#undef PADICI_GEMM_PAIR

#define PADICI_GEMM_V float64x2_t
#define PADICI_GEMM_LANES 2
#define PADICI_GEMM_NONE vdupq_n_f64(0)
#define PADICI_GEMM_SET vdupq_n_f64
#define PADICI_GEMM_LOAD vld1q_f64
#define PADICI_GEMM_STORE vst1q_f64
#define PADICI_GEMM_ADD vaddq_f64
#define PADICI_GEMM_FMA(x, y, v) vfmaq_f64(v, x, y)
#define PADICI_GEMM_SWAP(x) vextq_f64(x, x, 1)
#define PADICI_GEMM_TURN(v, w) vfmaq_f64(v, w, padici_gemm_signs_f64()) // v + iw of turned w
#define PADICI_GEMM_PAIR(p) vld1q_f64(p)
PADICI_GEMM_LEVEL(neon_f64, PADICI_GEMM_ARM, double, 8)
#undef PADICI_GEMM_V
#undef PADICI_GEMM_LANES
#undef PADICI_GEMM_NONE
#undef PADICI_GEMM_SET
#undef PADICI_GEMM_LOAD
#undef PADICI_GEMM_STORE
#undef PADICI_GEMM_ADD
#undef PADICI_GEMM_FMA
#undef PADICI_GEMM_SWAP
#undef PADICI_GEMM_TURN
#undef PADICI_GEMM_PAIR

static const padici_gemm_kernels padici_gemm_table[1][2] = {
    {{8, 8, padici_gemm_a_neon_f32, padici_gemm_b_neon_f32, padici_gemm_product_neon_f32,
      padici_gemm_line_neon_f32, 4, padici_gemm_direct_neon_f32},
     {8, 4, padici_gemm_a_neon_f64, padici_gemm_b_neon_f64, padici_gemm_product_neon_f64,
      padici_gemm_line_neon_f64, 2, padici_gemm_direct_neon_f64}}};
#endif

#undef PADICI_GEMM_ARM

// Those of vectors half as long as they may be, or of the longest; of f32 or f64.
PADICI_FN const padici_gemm_kernels *padici_gemm_of(uint32_t longest, uint32_t is_double)
{
    return &padici_gemm_table[longest][is_double];
}

#endif
