#pragma once
#include "../device.h"
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_tensor_product_loop(padici_simd *simd, const void *product);
PADICI_FN padic_result padici_simd_tensor_gemm(padici_simd *simd,
                                               const padic_tensor_gemm_desc *desc);
PADICI_FN padic_result padici_simd_tensor_contract(padici_simd *simd,
                                                   const padic_tensor_contract_desc *desc);

#endif
