#include "kernels.h"
#include "../../fft/plan.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_FFT)

// ------------------------------------------------------------------------------------- >>fft, simd

// The kernels of the device's level.
PADICI_FN padic_result padici_simd_fft_kernels(padici_simd *simd, void *choice_)
{
    padici_fft_choice *choice = (padici_fft_choice *)choice_;
#if PADICI_SIMD_X86
    if (simd->level >= PADICI_SIMD_AVX512)
        choice->kernels = choice->is_double ? padici_simd_fft_kernels_avx512_double()
                                            : padici_simd_fft_kernels_avx512_float();
    else
        choice->kernels = choice->is_double ? padici_simd_fft_kernels_avx2_double()
                                            : padici_simd_fft_kernels_avx2_float();
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    choice->kernels = choice->is_double ? padici_simd_fft_kernels_neon_double()
                                        : padici_simd_fft_kernels_neon_float();
    return PADIC_OK;
#else
    (void)simd, (void)choice;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
PADICI_FN padic_result padici_simd_fft_transform(padici_simd *simd,
                                                 const padic_fft_transform_desc *desc)
{
    padici_fft_choice choice;
    choice.is_double = desc->out.dtype == PADIC_F64 || desc->out.dtype == PADIC_C128;
    (void)padici_simd_fft_kernels(simd, &choice);
    return padici_fft_run(&simd->env, choice.kernels, desc);
}
#endif

#endif
