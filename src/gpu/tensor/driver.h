#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_gpu_tensor_gemm(padici_gpu *gpu, const padici_call *call, int query);
PADICI_FN padic_result padici_gpu_tensor_contract(padici_gpu *gpu, const padici_call *call,
                                                  int query);

#endif
