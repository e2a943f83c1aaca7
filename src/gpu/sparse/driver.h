#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "encode.h"
#include "../frame.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_gpu_sparse_decode(padici_gpu *gpu, const padici_call *call,
                                                int query);

#endif
