#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "plan.h"

#if PADICI_IMPLEMENT_TENSOR

// Pair pooling: what a few einsums make of it.

// Whether t is of a dtype, and of the precision of `like`.
static PADICI_NOINLINE padic_result padici_tensor_pair_pool_type(padic_context *context,
                                                                 const padic_tensor *t,
                                                                 const char *name, padic_dtype like)
{
    if (t->dtype != PADIC_F32 && !padici_tensor_is_double(t->dtype) &&
        !padici_tensor_is_complex(t->dtype))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "is not F32, F64, C64 or C128");
    if (t->rank > PADIC_MAX_RANK)
        return padici_fail_view(context, PADIC_ERROR_LIMIT, name, t);
    if (padici_tensor_is_double(t->dtype) == padici_tensor_is_double(like)) return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                             "is not of the others' precision");
}

// Shape of u (2d^2 columns), w or fused (any number of columns) for `pairs` and `rows`.
static int padici_tensor_pair_pool_shape(const padic_tensor *t, uint64_t pairs, uint64_t rows)
{
    return t->rank == 3 && t->shape[0] == pairs && t->shape[1] == rows;
}

// Runs the einsum; or only asks for its workspace, where `size` is not NULL.
static padic_result padici_tensor_pair_pool_named(padic_context *context,
                                                  const padic_tensor_pair_pool_desc *desc,
                                                  uint64_t *size)
{
    static const char *const texts[2] = {"pnab,pnabj,pjk->pk", "pnab,pnabk->pk"};
    padic_tensor_einsum_desc einsum;
    padic_tensor_term terms[3];
    const padic_tensor *t, *first;
    uint64_t dims[2][5], rows, d, pairs;
    uint32_t fused;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    t = &desc->tensors;
    fused = desc->fused.dtype != PADIC_DTYPE_NONE;
    first = fused ? &desc->fused : &desc->u;
    result = padici_tensor_pair_pool_type(context, t, "tensors", t->dtype);
    if (!result)
        result = padici_tensor_pair_pool_type(context, first, fused ? "fused" : "u", t->dtype);
    if (!result && !fused) result = padici_tensor_pair_pool_type(context, &desc->w, "w", t->dtype);
    if (!result) result = padici_tensor_pair_pool_type(context, &desc->out, "out", t->dtype);
    if (result) return result;
    if (t->rank != 3 || t->shape[0] % 2)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensors are (N, d, d), N is even");
    pairs = t->shape[0] / 2, d = t->shape[1];
    if (d != t->shape[2] || d >> 31)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "tensors are (N, d, d)");
    rows = 2 * d * d;
    if (!padici_tensor_pair_pool_shape(first, pairs, rows) || (!fused && first->shape[2] != rows))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                fused ? "fused is (N/2, 2d^2, d_out)" : "u is (N/2, 2d^2, 2d^2)");
    if (!fused && !padici_tensor_pair_pool_shape(&desc->w, pairs, rows))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "w is (N/2, 2d^2, d_out)");
    if (desc->out.rank != 2 || desc->out.shape[0] != pairs ||
        desc->out.shape[1] != (fused ? first : &desc->w)->shape[2])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "out is (N/2, d_out)");
    memset(&einsum, 0, sizeof einsum);
    memset(terms, 0, sizeof terms);
    dims[0][0] = dims[1][0] = pairs;
    dims[0][1] = dims[1][1] = 2;
    dims[0][2] = dims[1][2] = dims[0][3] = dims[1][3] = d;
    dims[1][4] = first->shape[2];
    terms[0].tensor = *t;
    terms[0].dims = dims[0];
    terms[0].rank = 4;
    terms[1].tensor = *first;
    terms[1].dims = dims[1];
    terms[1].rank = 5;
    terms[2].tensor = desc->w;
    einsum.expression = texts[fused];
    einsum.operands = terms;
    einsum.count = fused ? 2 : 3;
    einsum.out.tensor = desc->out;
    einsum.method = PADIC_TENSOR_METHOD_LEFT;
    einsum.workspace = desc->workspace;
    if (!size) return padic_tensor_einsum(context, &einsum);
    *size = padic_tensor_einsum_workspace(context, &einsum);
    return *size ? PADIC_OK : PADIC_ERROR_ARGUMENT;
}

PADIC_API padic_result padic_tensor_pair_pool(padic_context *context,
                                              const padic_tensor_pair_pool_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool");
    const padic_result result = padici_tensor_pair_pool_named(context, desc, NULL);
    padici_leave(context, before);
    return result;
}

PADIC_API uint64_t padic_tensor_pair_pool_workspace(padic_context *context,
                                                    const padic_tensor_pair_pool_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool_workspace");
    uint64_t size = 0;
    const padic_result result = padici_tensor_pair_pool_named(context, desc, &size);
    padici_leave(context, before);
    return result ? 0 : size;
}

static padic_result padici_tensor_pair_pool_fuse_named(padic_context *context,
                                                       const padic_tensor_pair_pool_fuse_desc *desc)
{
    padic_tensor_contract_desc contract;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_tensor_pair_pool_type(context, &desc->u, "u", desc->u.dtype);
    if (!result) result = padici_tensor_pair_pool_type(context, &desc->w, "w", desc->u.dtype);
    if (!result) result = padici_tensor_pair_pool_type(context, &desc->out, "out", desc->u.dtype);
    if (result) return result;
    if (desc->u.rank != 3)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "u is not (N/2, 2d^2, 2d^2)");
    if (!padici_tensor_pair_pool_shape(&desc->w, desc->u.shape[0], desc->u.shape[2]))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "w is not (N/2, 2d^2, d_out)");
    if (!padici_tensor_pair_pool_shape(&desc->out, desc->u.shape[0], desc->u.shape[1]) ||
        desc->out.shape[2] != desc->w.shape[2])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "out is not (N/2, 2d^2, d_out)");
    memset(&contract, 0, sizeof contract);
    memcpy(contract.labels_a, "pij", 3);
    memcpy(contract.labels_b, "pjk", 3);
    memcpy(contract.labels_c, "pik", 3);
    contract.a = desc->u;
    contract.b = desc->w;
    contract.c = desc->out;
    return padic_tensor_contract(context, &contract);
}

PADIC_API padic_result padic_tensor_pair_pool_fuse(padic_context *context,
                                                   const padic_tensor_pair_pool_fuse_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool_fuse");
    const padic_result result = padici_tensor_pair_pool_fuse_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
