#include "factor_test.h"
#include "../../core/tensor.h"
#include "../../tensor/factor.h"
#include "../../tensor/ops.h"
#include "../../tensor/plan.h"
#include "../../context/ops.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Tests: three matrices in two groups, square (or tall) and then wide, whose values lie far apart,
// against the reference.

PADICI_FN PADICI_NOINLINE void *padici_test_factor_tensor(padici_gpu_case *c, padici_test_factor *t,
                                                          uint32_t buffer, uint32_t i,
                                                          uint64_t rows, uint64_t columns)
{
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const int both = padici_gpu_define(c, "PD_FACTOR_PARTS", 2) == 2 && columns;
    const padic_dtype dtype = is_double ? both ? PADIC_C128 : PADIC_F64
                                        : both ? PADIC_C64 : PADIC_F32;
    padic_tensor *tensor = &t->tensors[i];
    void *image;
    *tensor = padic_tensor_3d(dtype, NULL, t->batch, rows, columns ? columns : 1);
    if (!columns) tensor->rank = 2;
    if (!columns) tensor->shape[2] = 0;
    image = padici_gpu_image(c, buffer, padic_tensor_count(tensor) * padic_dtype_size(dtype));
    if (!image) return NULL;
    tensor->data = image;
    t->answers[i] = *tensor;
    t->operands[i].tensor = tensor;
    t->operands[i].bytes = c->buffers[buffer].size;
    t->g.operands[i] = &t->operands[i];
    c->buffers[buffer].dtype = is_double ? PADIC_F64 : PADIC_F32;
    c->buffers[buffer].bound = is_double ? 1e-13 : t->bound;
    if (i) t->answers[i].data = padici_gpu_answer(c, buffer);
    return t->answers[i].data;
}

PADICI_FN void padici_test_factor_numbers(const padici_test_factor *t)
{
    const padic_tensor *a = &t->tensors[0];
    const uint64_t parts = padici_tensor_is_complex(a->dtype) ? 2 : 1;
    uint64_t e;
    uint32_t random = 7;
    for (e = 0; e < padic_tensor_count(a) * parts; e++) {
        const uint64_t i = e / parts / t->n % t->m, j = e / parts % t->n;
        double z;
        random = random * 1664525u + 1013904223u;
        z = ((double)(int32_t)(random >> 16) - 32768) / 262144;
        if (i == j && (parts == 1 || !(e & 1))) z += 1.5 * (double)(i + 1);
        if (padici_tensor_is_double(a->dtype))
            ((double *)a->data)[e] = z;
        else
            ((float *)a->data)[e] = (float)z;
    }
}

// The reference's answers, and what the kernel is told.
PADICI_FN PADICI_NOINLINE padic_result padici_test_factor_answers(padici_test_factor *t)
{
    padic_tensor_svd_desc svd;
    padic_tensor_qr_desc qr;
    padic_tensor_eigh_desc eigh;
    padic_result result;
    memset(&svd, 0, sizeof svd);
    memset(&qr, 0, sizeof qr);
    memset(&eigh, 0, sizeof eigh);
    svd.a = qr.a = eigh.a = t->tensors[0];
    svd.u = qr.q = eigh.v = t->answers[1];
    svd.vh = qr.r = eigh.w = t->answers[2];
    svd.s = t->answers[3];
    if (t->kind == PADICI_FACTOR_SVD) {
        result = padici_tensor_svd_host(NULL, &svd);
        return result ? result : padici_factor_of_svd(NULL, &svd, &t->g.f);
    }
    if (t->kind == PADICI_FACTOR_QR) {
        result = padici_tensor_qr_host(NULL, &qr);
        return result ? result : padici_factor_of_qr(NULL, &qr, &t->g.f);
    }
    result = padici_tensor_eigh_host(NULL, &eigh);
    return result ? result : padici_factor_of_eigh(NULL, &eigh, &t->g.f);
}

// By way of a kernel of cuda/tensor/factor.cu, which has no memory for V, or of factor.cl.
PADICI_FN padic_result padici_test_factor_case(padici_gpu_case *c, uint32_t kind, int cuda,
                                               uint32_t longer)
{
    const int turn = c->round && kind == PADICI_FACTOR_SVD;
    const uint32_t last = kind == PADICI_FACTOR_SVD ? 5 : 4;
    padici_test_factor t;
    uint32_t r, at = 2;
    uint32_t *info;
    int good;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    t.batch = 3;
    t.bound = 5e-5 / 7 * longer;
    t.m = c->round ? longer - 3 : longer;
    t.n = kind == PADICI_FACTOR_EIGH ? t.m : c->round ? longer - 1 : longer - 2;
    r = t.m < t.n ? t.m : t.n;
    good = padici_test_factor_tensor(c, &t, 0, 0, t.m, t.n) != NULL;
    if (kind == PADICI_FACTOR_EIGH && cuda) // y is not looked at
        good = good && padici_gpu_image(c, at++, 16) != NULL;
    good = good && padici_test_factor_tensor(c, &t, turn ? 2 : 1, 1, t.m, r);
    good = good && padici_test_factor_tensor(c, &t, turn ? 1 : at++, 2, r,
                                             kind == PADICI_FACTOR_EIGH ? 0 : t.n);
    if (turn) at++;
    if (kind == PADICI_FACTOR_SVD) good = good && padici_test_factor_tensor(c, &t, at++, 3, r, 0);
    info = (uint32_t *)padici_gpu_image(c, at, 4 * t.batch);
    if (good && info) info = (uint32_t *)padici_gpu_answer(c, at);
    if (!good || !info) return PADIC_ERROR_MEMORY;
    memset(info, 0, 4 * t.batch);
    if (kind != PADICI_FACTOR_QR && !cuda) { // V: whatever it holds then
        c->buffers[last].dtype = c->buffers[0].dtype;
        c->buffers[last].bound = 1e30;
        if (!padici_gpu_image(c, last, 2 * 2 * 8 * 49) || !padici_gpu_answer(c, last))
            return PADIC_ERROR_MEMORY;
    }
    padici_test_factor_numbers(&t);
    if (padici_test_factor_answers(&t)) return PADIC_ERROR_MEMORY;
    if (padici_gpu_factor_begin(&t.g, cuda ? 49152 : 16384)) return PADIC_ERROR_SELF_TEST;
    if (cuda && kind == PADICI_FACTOR_EIGH) t.g.k.flags |= PADICI_GPU_FACTOR_HERMITIAN;
    memcpy(&c->params, &t.g.k, sizeof t.g.k);
    c->groups[0] = 2;
    c->again = !c->round;
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_factor_svd(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_SVD, 0, 7);
}

PADICI_FN padic_result padici_test_factor_qr(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_QR, 0, 7);
}

PADICI_FN padic_result padici_test_factor_eigh(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_EIGH, 0, 7);
}

// Singular values with vectors; Hermitian matrices where the kernel has no V.
PADICI_FN padic_result padici_test_cuda_factor(padici_gpu_case *c, uint32_t longer)
{
    const int vectors = padici_gpu_define(c, "PD_FACTOR_VECTORS", 1) != 0;
    return padici_test_factor_case(c, vectors ? PADICI_FACTOR_SVD : PADICI_FACTOR_EIGH, 1, longer);
}

PADICI_FN padic_result padici_test_cuda_factor_columns(padici_gpu_case *c)
{
    const uint32_t items = padici_gpu_define(c, "PD_FACTOR_ITEMS", 256);
    return padici_test_cuda_factor(c, items == 256 ? 40 : 20);
}

PADICI_FN padic_result padici_test_cuda_factor_small(padici_gpu_case *c)
{
    return padici_test_cuda_factor(c, 14);
}

#endif
