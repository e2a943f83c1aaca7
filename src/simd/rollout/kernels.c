#include "kernels.h"
#include "../../rollout/apply.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_ROLLOUT)

// --------------------------------------------------------------------------------- >>rollout, simd

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
// The kernels of the device's level.
static const padici_rollout_kernels *padici_simd_rollout_kernels(const padici_simd *simd)
{
#if PADICI_SIMD_X86
    return simd->level >= PADICI_SIMD_AVX512 ? padici_simd_rollout_kernels_avx512()
                                             : padici_simd_rollout_kernels_avx2();
#else
    (void)simd;
    return padici_simd_rollout_kernels_neon();
#endif
}

PADICI_FN padic_result padici_simd_rollout_apply(padici_simd *simd,
                                                 const padic_rollout_apply_desc *desc)
{
    return padici_rollout_apply_run(&simd->env, padici_simd_rollout_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_rollout_run(padici_simd *simd,
                                               const padic_rollout_run_desc *desc)
{
    return padici_rollout_run_with(&simd->env, padici_simd_rollout_kernels(simd), desc);
}
#endif

#endif
