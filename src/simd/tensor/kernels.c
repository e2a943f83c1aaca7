#include "kernels.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// The kernels with vectors of half the possible length, or of the full one; of f32 or f64.
PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_of(uint32_t longest,
                                                                  uint32_t is_double)
{
#if PADICI_SIMD_X86
    if (longest)
        return is_double ? padici_simd_tensor_kernels_avx512_double()
                         : padici_simd_tensor_kernels_avx512_float();
    return is_double ? padici_simd_tensor_kernels_avx2_double()
                     : padici_simd_tensor_kernels_avx2_float();
#else
    (void)longest;
    return is_double ? padici_simd_tensor_kernels_neon_double()
                     : padici_simd_tensor_kernels_neon_float();
#endif
}

#endif
