#pragma once
#include "../device.h"
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_tensor_product_loop(padici_simd *simd, const void *product);

#endif
