#pragma once
#include "../../context/operation.h"
#include "../../context/state.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "product.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN uint32_t padici_gpu_tensor_groups_table(const padic_tensor_gemm_desc *desc,
                                                  padici_gpu_tensor *t, uint32_t *words);
PADICI_FN padic_result padici_gpu_tensor_groups_begin(padic_context *context,
                                                      const padic_tensor_gemm_desc *desc,
                                                      padici_gpu_tensor *t);
PADICI_FN PADICI_NOINLINE padic_result padici_gpu_tensor_groups_run(padici_gpu *gpu,
                                                                    const padici_call *call,
                                                                    int query);

#endif
