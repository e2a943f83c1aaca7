#include "kernels.h"
#include "../../rollout/apply.h"
#include "../../rollout/plan.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_ROLLOUT)

// --------------------------------------------------------------------------------- >>rollout, simd

// The kernels of the device's level.
PADICI_FN padic_result padici_simd_rollout_kernels(padici_simd *simd, void *choice_)
{
    padici_rollout_choice *choice = (padici_rollout_choice *)choice_;
#if PADICI_SIMD_X86
    choice->kernels = simd->level >= PADICI_SIMD_AVX512 ? padici_simd_rollout_kernels_avx512()
                                                        : padici_simd_rollout_kernels_avx2();
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    choice->kernels = padici_simd_rollout_kernels_neon();
    return PADIC_OK;
#else
    (void)simd, (void)choice;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
PADICI_FN padic_result padici_simd_rollout_apply(padici_simd *simd,
                                                 const padic_rollout_apply_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_apply_run(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rollout_compare(padici_simd *simd,
                                                   const padic_rollout_compare_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_compare_with(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rollout_probe(padici_simd *simd,
                                                 const padic_rollout_probe_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_probe_with(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rollout_run(padici_simd *simd,
                                               const padic_rollout_run_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_run_with(&simd->env, choice.kernels, desc);
}

// Plans have their kernels.
PADICI_FN padic_result padici_simd_rollout_plan_step(padici_simd *simd,
                                                     const padic_rollout_plan_step_desc *desc)
{
    return padici_rollout_plan_step_run(&simd->env, desc);
}

PADICI_FN padic_result padici_simd_rollout_plan_run(padici_simd *simd,
                                                    const padic_rollout_plan_run_desc *desc)
{
    return padici_rollout_plan_run_run(&simd->env, desc);
}

PADICI_FN padic_result padici_simd_rollout_plan_reset(padici_simd *simd,
                                                      const padic_rollout_plan_reset_desc *desc)
{
    return padici_rollout_plan_reset_run(&simd->env, desc);
}

PADICI_FN padic_result padici_simd_rollout_plan_status(padici_simd *simd,
                                                       const padic_rollout_plan_status_desc *desc)
{
    return padici_rollout_plan_status_run(&simd->env, desc);
}
#endif

#endif
