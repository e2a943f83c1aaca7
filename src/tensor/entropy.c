#include "entropy.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "plan.h"

#if PADICI_IMPLEMENT_TENSOR

// Entropies of these probabilities, and mutual information.

static double padici_tensor_entropy_von_neumann(const double *p, uint64_t n)
{
    double sum = 0;
    uint64_t i;
    for (i = n; i-- > 0;) sum -= p[i] * log(p[i]);
    return sum > 0 ? sum : 0;
}

static double padici_tensor_entropy_renyi(const double *p, uint64_t n, double order)
{
    double sum = 0;
    uint64_t i;
    if (order == 1) return padici_tensor_entropy_von_neumann(p, n);
    if (order == 0) return log((double)n);
    if (order - order != 0) return -log(p[0]) + 0.0;
    for (i = n; i-- > 0;) sum += pow(p[i] / p[0], order); // p^a may vanish for all of them
    return (order * log(p[0]) + log(sum)) / (1 - order);
}

// Elements of an array that the desc may have.
static uint64_t padici_tensor_entropy_count(const padic_tensor *t)
{
    return t->dtype ? padic_tensor_count(t) : 0;
}

PADICI_FN void padici_tensor_entropy_write(const padic_tensor_entropy_desc *desc, const double *p,
                                           uint64_t n)
{
    const double unit = desc->unit || desc->legacy ? 1.4426950408889634 : 1;
    padic_tensor_entropy_report *report = desc->report;
    double sum = 0;
    uint64_t i;
    for (i = 0; i < padici_tensor_entropy_count(&desc->orders); i++)
        ((double *)desc->renyi.data)[i] =
            unit * padici_tensor_entropy_renyi(p, n, ((const double *)desc->orders.data)[i]);
    for (i = 0; desc->spectrum.dtype && i < n; i++)
        ((double *)desc->spectrum.data)[i] = unit * -log(p[i]);
    if (!report) return;
    report->von_neumann = unit * padici_tensor_entropy_von_neumann(p, n);
    report->gap = p[0] - (n > 1 ? p[1] : 0);
    for (i = n; i-- > 0;) sum += sqrt(p[i]);
    report->negativity =
        n > 1 && desc->rho.dtype == PADIC_DTYPE_NONE ? (sum * sum - 1) / 2 : 0;
}

// What p must be above.
PADICI_FN double padici_tensor_entropy_drop(const padic_tensor_entropy_desc *desc,
                                            padic_dtype dtype)
{
    return desc->legacy || !padici_tensor_is_double(dtype) ? 1e-12 : 1e-14;
}

static const char *padici_tensor_entropy_fault(const padic_tensor_entropy_desc *desc)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    uint64_t i;
    if (rho == (desc->state.dtype != PADIC_DTYPE_NONE)) return "state or rho: one of them is given";
    if (rho && (desc->part || desc->dims.dtype)) return "part and dims are for a state";
    if ((uint32_t)desc->unit > PADIC_TENSOR_UNIT_BITS || desc->legacy > 1)
        return "unit is no padic_tensor_unit, or legacy is above 1";
    if (desc->legacy && (desc->part & (desc->part + 1)))
        return "part has other than leading axes, but legacy is set";
    for (i = 0; i < padici_tensor_entropy_count(&desc->orders); i++)
        if (!(((const double *)desc->orders.data)[i] >= 0)) return "orders has one below 0";
    return NULL;
}

// The arrays that lie in host memory: dense, of their dtypes.
static padic_result padici_tensor_entropy_arrays(const padic_tensor_entropy_desc *desc,
                                                 padici_tensor_cut *cut)
{
    static const char *const faults[4][3] = {
        {"dims is no dense array", "dims is not U64", "dims is not in host memory"},
        {"orders is no dense array", "orders is not F64", "orders is not in host memory"},
        {"renyi is no dense array", "renyi is not F64", "renyi is not in host memory"},
        {"spectrum is no dense array", "spectrum is not F64", "spectrum is not in host memory"}};
    const padic_tensor *arrays[4];
    uint64_t count[4];
    uint32_t i;
    padic_result result;
    arrays[0] = &desc->dims;
    arrays[1] = &desc->orders;
    arrays[2] = &desc->renyi;
    arrays[3] = &desc->spectrum;
    for (i = 0; i < 4; i++) {
        const padic_tensor *t = arrays[i];
        count[i] = 0;
        if (!t->dtype) continue;
        if (t->dtype != (i ? PADIC_F64 : PADIC_U64))
            return padici_tensor_cut_fail(cut, PADIC_ERROR_DTYPE, faults[i][1]);
        result = padici_tensor_check_view(t, 0, &count[i]);
        if (!result && (t->rank != 1 || t->stride[0] >> 1)) result = PADIC_ERROR_ARGUMENT;
        if (result) return padici_tensor_cut_fail(cut, result, faults[i][0]);
        if (count[i] && !t->data)
            return padici_tensor_cut_fail(cut, PADIC_ERROR_NOT_SUPPORTED, faults[i][2]);
    }
    if (count[1] != count[2])
        return padici_tensor_cut_fail(cut, PADIC_ERROR_MISMATCH,
                                      "renyi has not one element for each of orders");
    return PADIC_OK;
}

// Everything about a call but its memory.
PADICI_FN padic_result padici_tensor_entropy_of(const padic_tensor_entropy_desc *desc,
                                                padici_tensor_cut *cut)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    padic_result result = padici_tensor_entropy_arrays(desc, cut);
    if (result) return result;
    cut->fault = padici_tensor_entropy_fault(desc);
    if (cut->fault) return PADIC_ERROR_ARGUMENT;
    result = padici_tensor_cut_axes(cut, rho ? &desc->rho : &desc->state,
                                    padici_tensor_entropy_count(&desc->dims),
                                    (const uint64_t *)desc->dims.data);
    if (!result && rho && (cut->axes != 2 || cut->extent[1] != cut->extent[0]))
        result = padici_tensor_cut_fail(cut, PADIC_ERROR_MISMATCH, "rho is a square matrix");
    return result ? result : padici_tensor_cut_sizes(cut, rho ? 1 : desc->part);
}

static padic_result padici_tensor_mutual_information_named(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    padic_tensor_entropy_desc one;
    padic_tensor_entropy_report s[3];
    uint32_t i;
    padic_result result = PADIC_OK;
    if (!desc || !desc->report)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or report is NULL");
    if ((uint32_t)desc->unit > PADIC_TENSOR_UNIT_BITS || (desc->part_a & desc->part_b))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "part_a and part_b overlap, or unit is no padic_tensor_unit");
    memset(&one, 0, sizeof one);
    one.state = desc->state;
    one.dims = desc->dims;
    one.unit = desc->unit;
    for (i = 0; i < 3 && !result; i++) {
        one.part = i == 0 ? desc->part_a : i == 1 ? desc->part_b : desc->part_a | desc->part_b;
        one.report = &s[i];
        result = padic_tensor_entropy(context, &one);
    }
    if (result) return result;
    desc->report->entropy_a = s[0].von_neumann;
    desc->report->entropy_b = s[1].von_neumann;
    desc->report->entropy_ab = s[2].von_neumann;
    desc->report->information = s[0].von_neumann + s[1].von_neumann - s[2].von_neumann;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_mutual_information(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    const char *before = padici_enter(context, "tensor_mutual_information");
    const padic_result result = padici_tensor_mutual_information_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
