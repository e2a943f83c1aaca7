#include "ops.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/log.h"
#include "contract.h"
#include "entropy.h"
#include "factor.h"
#include "gemm.h"
#include "plan.h"
#include "product.h"
#include "schmidt.h"
#include "small.h"

#if PADICI_IMPLEMENT_TENSOR

// ---------------------------------------------------------------------------- >>tensor operations

// tensor_gemm, tensor_contract

PADICI_FN padic_result padici_tensor_gemm_check(padic_context *context, const void *desc)
{
    const padic_tensor_gemm_desc *gemm = (const padic_tensor_gemm_desc *)desc;
    padici_tensor_plan plan;
    if (gemm->groups || gemm->group_count) return padici_tensor_gemm_groups(context, gemm);
    return padici_tensor_gemm_plan(context, gemm, &plan);
}

PADICI_FN padic_result padici_tensor_contract_check(padic_context *context, const void *desc)
{
    padici_tensor_plan plan;
    return padici_tensor_contract_plan(context, (const padic_tensor_contract_desc *)desc, &plan);
}

// A small product of host memory: by the loop of a backend where there is one, which does what it
// does in a long call, else plainly.
static padic_result padici_tensor_small_do(padic_context *context, padici_tensor_small *s)
{
    const padici_loop loop = padici_loop_of(context, PADIC_OP_TENSOR_PRODUCT_LOOP);
    if (!loop.op) return padici_tensor_small_run(s);
    if (!s->plain || s->conj || s->step[0][1] != 1 || s->step[1][1] != 1 || s->step[2][1] != 1)
        return PADIC_ERROR_NOT_SUPPORTED;
    s->of.line_a = s->step[0][0];
    s->of.line_b = s->step[1][0];
    s->of.line_c = s->step[2][0];
    return padici_loop_run(loop, &s->of);
}

PADICI_FN padic_result padici_tensor_gemm_quick(padic_context *context, const void *desc)
{
    padici_tensor_small s;
    if (!padici_tensor_small_gemm((const padic_tensor_gemm_desc *)desc, &s))
        return PADIC_ERROR_NOT_SUPPORTED;
    return padici_tensor_small_do(context, &s);
}

PADICI_FN padic_result padici_tensor_contract_quick(padic_context *context, const void *desc)
{
    padici_tensor_small s;
    if (!padici_tensor_small_contract((const padic_tensor_contract_desc *)desc, &s))
        return PADIC_ERROR_NOT_SUPPORTED;
    return padici_tensor_small_do(context, &s);
}

static uint32_t padici_tensor_operands(padic_tensor *a, padic_tensor *b, padic_tensor *c,
                                       const double *beta, padici_operand *operands)
{
    operands[0].name = "a";
    operands[0].tensor = a;
    operands[1].name = "b";
    operands[1].tensor = b;
    operands[2].name = "c";
    operands[2].tensor = c;
    operands[0].any_stride = operands[1].any_stride = 1;
    operands[2].out = beta[0] != 0 || beta[1] != 0 ? 2 : 1; // c is read, too
    return 3;
}

PADICI_FN uint32_t padici_tensor_gemm_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_gemm_desc *desc = (padic_tensor_gemm_desc *)desc_;
    padici_tensor_operands(&desc->a, &desc->b, &desc->c, desc->beta, operands);
    if (desc->groups) operands[2].out = 2; // what lies between its matrices stays
    return padici_operand_host(operands, 3, desc->groups);
}

PADICI_FN uint32_t padici_tensor_contract_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_contract_desc *desc = (padic_tensor_contract_desc *)desc_;
    return padici_tensor_operands(&desc->a, &desc->b, &desc->c, desc->beta, operands);
}

PADICI_FN padic_result padici_tensor_gemm_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_gemm_desc *desc = (const padic_tensor_gemm_desc *)desc_;
    const uint32_t count = desc->groups ? desc->group_count : 1;
    padici_tensor_plan plan;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < count && !result; i++) {
        padic_tensor_gemm_desc one = *desc;
        if (desc->groups) padici_tensor_gemm_group_at(desc, i, &one);
        if (desc->groups && (!one.c.shape[0] || !one.c.shape[1])) continue;
        result = padici_tensor_gemm_plan(NULL, &one, &plan);
        if (!result)
            padici_tensor_run(padici_env_jobs(env), &plan, one.a.data, one.b.data, one.c.data);
    }
    return result;
}

PADICI_FN padic_result padici_tensor_contract_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_contract_desc *desc = (const padic_tensor_contract_desc *)desc_;
    padici_tensor_plan plan;
    padic_result result = padici_tensor_contract_plan(NULL, desc, &plan);
    if (!result)
        padici_tensor_run(padici_env_jobs(env), &plan, desc->a.data, desc->b.data,
                          desc->c.data);
    return result;
}

// tensor_svd, tensor_qr, tensor_eigh. What is written is read, too: where a matrix has a NaN its
// results stay as they were.

static uint32_t padici_tensor_factor_operands(padic_tensor *const *tensors,
                                              const char *const *names, uint32_t count,
                                              padici_operand *operands)
{
    uint32_t i, n = 1;
    operands[0].name = names[0];
    operands[0].tensor = tensors[0];
    operands[0].any_stride = 1;
    for (i = 1; i < count; i++) {
        if (tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = tensors[i];
        operands[n++].out = 2;
    }
    return n;
}

// The operand after the others, which is only written.
static uint32_t padici_tensor_factor_operand_status(padic_tensor *status, padici_operand *operands,
                                                    uint32_t n)
{
    if (status->dtype == PADIC_DTYPE_NONE) return n;
    operands[n].name = "status";
    operands[n].tensor = status;
    operands[n].out = 1;
    return n + 1;
}

PADICI_FN uint32_t padici_tensor_svd_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[4] = {"a", "u", "vh", "s"};
    padic_tensor_svd_desc *desc = (padic_tensor_svd_desc *)desc_;
    padic_tensor *tensors[4];
    uint32_t n;
    tensors[0] = &desc->a;
    tensors[1] = &desc->u;
    tensors[2] = &desc->vh;
    tensors[3] = &desc->s;
    n = padici_tensor_factor_operand_status(
        &desc->status, operands, padici_tensor_factor_operands(tensors, names, 4, operands));
    if (desc->ranks.dtype != PADIC_DTYPE_NONE) { // what is written is read, too, as above
        operands[n].name = "ranks";
        operands[n].tensor = &desc->ranks;
        operands[n++].out = 2;
    }
    if (desc->discarded.dtype != PADIC_DTYPE_NONE) {
        operands[n].name = "discarded";
        operands[n].tensor = &desc->discarded;
        operands[n++].out = 2;
    }
    return n;
}

PADICI_FN uint32_t padici_tensor_qr_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[3] = {"a", "q", "r"};
    padic_tensor_qr_desc *desc = (padic_tensor_qr_desc *)desc_;
    padic_tensor *tensors[3];
    tensors[0] = &desc->a;
    tensors[1] = &desc->q;
    tensors[2] = &desc->r;
    return padici_tensor_factor_operand_status(
        &desc->status, operands, padici_tensor_factor_operands(tensors, names, 3, operands));
}

PADICI_FN uint32_t padici_tensor_eigh_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[3] = {"a", "v", "w"};
    padic_tensor_eigh_desc *desc = (padic_tensor_eigh_desc *)desc_;
    padic_tensor *tensors[3];
    tensors[0] = &desc->a;
    tensors[1] = &desc->v;
    tensors[2] = &desc->w;
    return padici_tensor_factor_operand_status(
        &desc->status, operands, padici_tensor_factor_operands(tensors, names, 3, operands));
}

PADICI_FN padic_result padici_tensor_svd_check(padic_context *context, const void *desc)
{
    padici_tensor_factor f;
    return padici_tensor_factor_of_svd(context, (const padic_tensor_svd_desc *)desc, &f);
}

PADICI_FN padic_result padici_tensor_qr_check(padic_context *context, const void *desc)
{
    padici_tensor_factor f;
    return padici_tensor_factor_of_qr(context, (const padic_tensor_qr_desc *)desc, &f);
}

PADICI_FN padic_result padici_tensor_eigh_check(padic_context *context, const void *desc)
{
    padici_tensor_factor f;
    return padici_tensor_factor_of_eigh(context, (const padic_tensor_eigh_desc *)desc, &f);
}

PADICI_FN padic_result padici_tensor_svd_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_svd_desc *desc = (const padic_tensor_svd_desc *)desc_;
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_svd(NULL, desc, &f);
    return result ? result : padici_tensor_factor_run(env, &f);
}

PADICI_FN padic_result padici_tensor_qr_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_qr_desc *desc = (const padic_tensor_qr_desc *)desc_;
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_qr(NULL, desc, &f);
    return result ? result : padici_tensor_factor_run(env, &f);
}

PADICI_FN padic_result padici_tensor_eigh_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_eigh_desc *desc = (const padic_tensor_eigh_desc *)desc_;
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_eigh(NULL, desc, &f);
    return result ? result : padici_tensor_factor_run(env, &f);
}

// tensor_entropy. Its results lie in host memory: of the first `rank` p; NULL, or what is wrong.
PADICI_FN const char *padici_tensor_entropy_give(const padic_tensor_entropy_desc *desc,
                                                 const double *p, uint64_t rank)
{
    if (desc->report) desc->report->rank = rank;
    if (desc->spectrum.dtype && padic_tensor_count(&desc->spectrum) < rank)
        return "spectrum is too small: the report has the rank";
    padici_tensor_entropy_write(desc, p, rank);
    return NULL;
}

PADICI_FN uint32_t padici_tensor_entropy_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_entropy_desc *desc = (padic_tensor_entropy_desc *)desc_;
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    if (rho == (desc->state.dtype != PADIC_DTYPE_NONE)) return 0; // for the check to say
    operands[0].name = rho ? "rho" : "state";
    operands[0].tensor = rho ? &desc->rho : &desc->state;
    operands[0].any_stride = 1;
    return 1;
}

PADICI_FN padic_result padici_tensor_entropy_check(padic_context *context, const void *desc)
{
    padici_tensor_cut cut;
    const padic_result result =
        padici_tensor_entropy_of((const padic_tensor_entropy_desc *)desc, &cut);
    return result ? padici_fail_here(context, result, cut.fault) : PADIC_OK;
}

PADICI_FN padic_result padici_tensor_entropy_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_entropy_desc *desc = (const padic_tensor_entropy_desc *)desc_;
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    padici_tensor_cut cut;
    double drop;
    uint64_t rank = 0;
    padic_result result = padici_tensor_entropy_of(desc, &cut);
    if (result) return padici_env_fail(env, result, cut.fault);
    cut.allocator = env ? env->allocator : NULL;
    drop = padici_tensor_entropy_drop(desc, cut.tensor.dtype);
    result = rho ? padici_tensor_cut_run_rho(&cut, drop, &rank)
                 : padici_tensor_cut_run(&cut, desc->part, drop, &rank);
    if (result) return padici_env_fail(env, result, cut.fault);
    cut.fault = padici_tensor_entropy_give(desc, cut.p, rank);
    padici_tensor_cut_end(&cut);
    return cut.fault ? padici_env_fail(env, PADIC_ERROR_CAPACITY, cut.fault) : PADIC_OK;
}

#endif
