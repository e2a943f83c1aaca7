#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "../texts.h"

#ifndef PADIC_NO_NUM

PADICI_FN int64_t padici_test_solve_entry(uint32_t kind, uint32_t system, uint32_t at);
PADICI_FN padic_result padici_test_solve_image(padici_gpu_case *c,
                                               padici_k_solve_systems_params *k);
PADICI_FN padic_result padici_test_solve_part(padici_gpu_case *c,
                                              const padici_k_solve_systems_params *k,
                                              uint32_t first, uint32_t count);
PADICI_FN padic_result padici_test_solve_check(padici_gpu_case *c,
                                               const padici_k_solve_systems_params *k);
PADICI_FN padic_result padici_test_solve_bounds(padici_gpu_case *c,
                                                const padici_k_solve_systems_params *k);
PADICI_FN padic_result padici_test_solve_systems(padici_gpu_case *c);

#endif
