#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_tensor_entropy(padici_gpu *gpu,
                                                                 const padici_call *call,
                                                                 int query);

#endif
