#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../source.h"
#include "product.h"
#include "../texts.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN int padici_example_tensor_tile(padici_any_desc *desc, uint32_t size_class);

static const padici_gpu_tunable padici_tunable_tensor_tile = {
    "tensor_tile", PADIC_AREA_TENSOR, PADIC_OP_TENSOR_GEMM, PADICI_PROGRAM_TENSOR, 3,
    {{{NULL, NULL, NULL, NULL}, 0, 0}, // number: how often the tile is halved
     {{NULL, NULL, NULL, NULL}, 0, 1},
     {{NULL, NULL, NULL, NULL}, 0, 2}},
    padici_example_tensor_tile, 1e-5};

PADICI_FN padic_result padici_gpu_tensor_call(padici_gpu *gpu, const padici_call *call, int query,
                                              padici_gpu_tensor *t);

#endif
