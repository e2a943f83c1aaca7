#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_test_wave_frame_params(padici_k_wave_frame_params *k, uint32_t listed,
                                             uint32_t n, uint32_t groups, uint32_t frames);
PADICI_FN void padici_test_wave_frame_answer(const float *wave, uint32_t step, uint32_t there,
                                             const float *factors, uint32_t frames, uint32_t at,
                                             uint32_t n, float *answer);
PADICI_FN padic_result padici_test_wave_frame(padici_gpu_case *c);
PADICI_FN padic_result padici_test_wave_mean(padici_gpu_case *c);
PADICI_FN double padici_test_wave_rate(uint32_t i);
PADICI_FN uint32_t padici_test_wave_rank_of(uint32_t i);
PADICI_FN double *padici_test_wave_rates(padici_gpu_case *c);
PADICI_FN padic_result padici_test_wave_rank(padici_gpu_case *c);
PADICI_FN padic_result padici_test_wave_ends(padici_gpu_case *c);
PADICI_FN padic_result padici_test_wave_factors(padici_gpu_case *c);

#endif
