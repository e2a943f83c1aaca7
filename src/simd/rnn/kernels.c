#include "kernels.h"
#include "../../rnn/plan.h"
#include "../../rnn/step.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_RNN)

// ------------------------------------------------------------------------------------- >>rnn, simd

// The kernels of the device's level.
PADICI_FN padic_result padici_simd_rnn_kernels(padici_simd *simd, void *choice_)
{
    padici_rnn_choice *choice = (padici_rnn_choice *)choice_;
#if PADICI_SIMD_X86
    choice->kernels = simd->level >= PADICI_SIMD_AVX512 ? padici_simd_rnn_kernels_avx512()
                                                        : padici_simd_rnn_kernels_avx2();
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    choice->kernels = padici_simd_rnn_kernels_neon();
    return PADIC_OK;
#else
    (void)simd, (void)choice;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
PADICI_FN padic_result padici_simd_rnn_gru_step(padici_simd *simd,
                                                const padic_rnn_gru_step_desc *desc)
{
    padici_rnn_choice choice;
    (void)padici_simd_rnn_kernels(simd, &choice);
    return padici_rnn_gru_step_run(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rnn_lstm_step(padici_simd *simd,
                                                 const padic_rnn_lstm_step_desc *desc)
{
    padici_rnn_choice choice;
    (void)padici_simd_rnn_kernels(simd, &choice);
    return padici_rnn_lstm_step_run(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rnn_linear(padici_simd *simd, const padic_rnn_linear_desc *desc)
{
    padici_rnn_choice choice;
    (void)padici_simd_rnn_kernels(simd, &choice);
    return padici_rnn_linear_run(&simd->env, choice.kernels, desc);
}

// The plan has its kernels.
PADICI_FN padic_result padici_simd_rnn_run(padici_simd *simd, const padic_rnn_run_desc *desc)
{
    return padici_rnn_run_plan(&simd->env, desc);
}
#endif

#endif
