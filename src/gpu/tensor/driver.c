#include "driver.h"
#include "../../tensor/contract.h"
#include "../../tensor/gemm.h"
#include "../variants.h"
#include "groups.h"
#include "product.h"
#include "tile.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// The drivers of tensor_gemm and tensor_contract; what is built in advance.

PADICI_FN padic_result padici_gpu_tensor_gemm(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_gpu_tensor t;
    padic_result result;
    if (call->desc->tensor_gemm.groups) return padici_gpu_tensor_groups_run(gpu, call, query);
    memset(&t, 0, sizeof t);
    result = padici_tensor_gemm_plan(gpu->context, &call->desc->tensor_gemm, &t.plan);
    return result ? result : padici_gpu_tensor_call(gpu, call, query, &t);
}

PADICI_FN padic_result padici_gpu_tensor_contract(padici_gpu *gpu, const padici_call *call,
                                                  int query)
{
    padici_gpu_tensor t;
    padic_result result;
    memset(&t, 0, sizeof t);
    result = padici_tensor_contract_plan(gpu->context, &call->desc->tensor_contract, &t.plan);
    return result ? result : padici_gpu_tensor_call(gpu, call, query, &t);
}

// The most used: single-precision complex products of large and of small matrices.
PADICI_FN padic_result padici_warm_tensor(padici_gpu *gpu)
{
    static const uint32_t tiles[3] = {64, 32, 16};
    padici_gpu_tensor t;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < 3 && !result; i++) {
        memset(&t, 0, sizeof t);
        t.tile = tiles[i];
        t.group = padici_gpu_tensor_group(gpu);
        t.plan.dtype[0] = t.plan.dtype[1] = t.plan.dtype[2] = PADIC_C64;
        padici_gpu_tensor_defines(&t);
        result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_PRODUCT, t.defines, 7);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    return result;
}

#endif
