#include "factor.h"
#include "../../core/memory.h"
#include "../../tensor/plan.h"
#include "../device.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Calls of svd, qr and eigh with vectors: a matrix by one worker, in the precision of its numbers.

static const padici_simd_tensor_factor_kernels *padici_simd_tensor_factor_kernels_of(
    const padici_simd *simd, int is_double)
{
#if PADICI_SIMD_X86
    if (simd->level > PADICI_SIMD_AVX2)
        return is_double ? padici_simd_tensor_factor_kernels_avx512_double()
                         : padici_simd_tensor_factor_kernels_avx512_float();
    return is_double ? padici_simd_tensor_factor_kernels_avx2_double()
                     : padici_simd_tensor_factor_kernels_avx2_float();
#else
    (void)simd;
    return is_double ? padici_simd_tensor_factor_kernels_neon_double()
                     : padici_simd_tensor_factor_kernels_neon_float();
#endif
}

static padic_result padici_simd_tensor_factor(padici_simd *simd, padici_tensor_factor *f)
{
    const padici_simd_tensor_factor_kernels *kernels =
        padici_simd_tensor_factor_kernels_of(simd, padici_tensor_is_double(f->tensors[0].dtype));
    if (!f->r || !f->batch) return PADIC_ERROR_NOT_SUPPORTED;
    if ((f->m + 64) >= ((uint64_t)1 << 40) / (f->n + 64)) return PADIC_ERROR_NOT_SUPPORTED;
    f->one = kernels->of[f->kind];
    f->each = ((*kernels->bytes)(f) + 7) / 8;
    return padici_tensor_factor_run(&simd->env, f);
}

PADICI_FN padic_result padici_simd_tensor_svd(padici_simd *simd, const padic_tensor_svd_desc *desc)
{
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_svd(NULL, desc, &f);
    if (desc->method == PADIC_TENSOR_SVD_METHOD_JACOBI) return PADIC_ERROR_NOT_SUPPORTED;
    return result ? result : padici_simd_tensor_factor(simd, &f);
}

PADICI_FN padic_result padici_simd_tensor_qr(padici_simd *simd, const padic_tensor_qr_desc *desc)
{
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_qr(NULL, desc, &f);
    return result ? result : padici_simd_tensor_factor(simd, &f);
}

PADICI_FN padic_result padici_simd_tensor_eigh(padici_simd *simd,
                                               const padic_tensor_eigh_desc *desc)
{
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_eigh(NULL, desc, &f);
    return result ? result : padici_simd_tensor_factor(simd, &f);
}

#endif
