#include "gemm.h"
#include "../context/messages.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_TENSOR

// Matrix products as plans: one product, many in a batch, and groups of different shapes.

PADICI_FN padic_result padici_tensor_gemm_plan(padic_context *context,
                                               const padic_tensor_gemm_desc *desc,
                                               padici_tensor_plan *plan)
{
    const padic_tensor *t[3];
    const uint32_t op[3] = {(uint32_t)desc->op_a, (uint32_t)desc->op_b, PADIC_TENSOR_OP_N};
    uint64_t size[3][2]; // rows, columns
    int64_t stride[3][PADIC_MAX_RANK], step[3][3]; // batch, row, column
    uint32_t i, batched;
    padic_result result;
    t[0] = &desc->a;
    t[1] = &desc->b;
    t[2] = &desc->c;
    result = padici_tensor_plan_begin(context, plan, t, desc->math, desc->alpha, desc->beta);
    if (result) return result;
    if (plan->dtype[0] != plan->dtype[1])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a, b and c are of one dtype");
    batched = t[2]->rank == 3;
    for (i = 0; i < 3; i++) {
        const uint32_t rank = t[i]->rank;
        const uint32_t turned = op[i] == PADIC_TENSOR_OP_T || op[i] == PADIC_TENSOR_OP_C;
        if (op[i] > PADIC_TENSOR_OP_CONJ)
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "op_a or op_b is no padic_tensor_op");
        if (rank != 2 && (rank != 3 || !batched))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "a, b and c have rank 2, or 3 when c has");
        if (rank == 3 && t[i]->shape[0] != t[2]->shape[0])
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "a, b and c differ in the size of the batch");
        padici_tensor_dense(t[i], stride[i]);
        size[i][0] = t[i]->shape[rank - 2 + turned];
        size[i][1] = t[i]->shape[rank - 1 - turned];
        step[i][0] = rank == 3 ? stride[i][0] : 0;
        step[i][1] = stride[i][rank - 2 + turned];
        step[i][2] = stride[i][rank - 1 - turned];
        if (op[i] == PADIC_TENSOR_OP_C || op[i] == PADIC_TENSOR_OP_CONJ) plan->conj |= 1u << i;
    }
    if (size[0][0] != size[2][0] || size[1][1] != size[2][1] || size[0][1] != size[1][0])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "op(a) is m x k, op(b) k x n and c m x n");
    if (batched)
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], t[2]->shape[0], step[0][0],
                                step[1][0], step[2][0]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], size[2][0], step[0][1], 0, step[2][1]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], size[2][1], 0, step[1][2],
                            step[2][2]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], size[0][1], step[0][2], step[1][1], 0);
    if (!padici_tensor_plan_tidy(plan))
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "a, b and c have a product of sizes beyond 2^64");
    return PADIC_OK;
}

PADICI_FN void padici_tensor_group_place(const padic_tensor_gemm_desc *desc, uint32_t group,
                                         uint32_t operand, padici_tensor_place *place)
{
    const padic_tensor_gemm_group *g = &desc->groups[group];
    const padic_tensor_op op =
        operand == 0 ? desc->op_a : operand == 1 ? desc->op_b : PADIC_TENSOR_OP_N;
    const int turned = op == PADIC_TENSOR_OP_T || op == PADIC_TENSOR_OP_C;
    const uint64_t rows = operand == 1 ? g->k : g->m, columns = operand == 0 ? g->k : g->n;
    place->rows = turned ? columns : rows;
    place->columns = turned ? rows : columns;
    place->first = operand == 0 ? g->a : operand == 1 ? g->b : g->c;
    place->line = operand == 0 ? g->line_a : operand == 1 ? g->line_b : g->line_c;
    if (!place->line) place->line = place->columns;
}

// NULL, or what is wrong with a matrix. *end: where it ends, 0 of one without elements.
static const char *padici_tensor_group_fault(const padici_tensor_place *place,
                                             const padic_tensor *t, uint64_t *end)
{
    uint64_t reach = 0;
    *end = 0;
    if (place->line < place->columns)
        return "line_a, line_b or line_c of groups is shorter than a row";
    if (!place->rows || !place->columns) return NULL;
    if (!padici_mul_u64(place->rows - 1, place->line, &reach) || reach >> 62 ||
        place->columns >> 62 || place->first > t->shape[0] ||
        reach + place->columns > t->shape[0] - place->first)
        return "groups has a matrix that ends beyond its tensor";
    *end = place->first + reach + place->columns;
    return NULL;
}

PADICI_FN PADICI_NOINLINE padic_result padici_tensor_gemm_groups(padic_context *context,
                                                                 const padic_tensor_gemm_desc *desc)
{
    const padic_tensor *t[3];
    padici_tensor_plan plan;
    uint64_t end, last = 0;
    uint32_t i, g;
    padic_result result;
    t[0] = &desc->a;
    t[1] = &desc->b;
    t[2] = &desc->c;
    if (!desc->groups || !desc->group_count)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "groups and group_count come together");
    result = padici_tensor_plan_begin(context, &plan, t, desc->math, desc->alpha, desc->beta);
    if (result) return result;
    if (plan.dtype[0] != plan.dtype[1])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a, b and c are of one dtype");
    if ((uint32_t)desc->op_a > PADIC_TENSOR_OP_CONJ || (uint32_t)desc->op_b > PADIC_TENSOR_OP_CONJ)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "op_a or op_b is no padic_tensor_op");
    for (i = 0; i < 3; i++)
        if (t[i]->rank != 1 || (t[i]->stride[0] != 0 && t[i]->stride[0] != 1))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "a, b and c are dense tensors of rank 1 when there are groups");
    for (g = 0; g < desc->group_count; g++)
        for (i = 0; i < 3; i++) {
            padici_tensor_place place;
            const char *fault;
            padici_tensor_group_place(desc, g, i, &place);
            fault = padici_tensor_group_fault(&place, t[i], &end);
            if (fault) return padici_fail_here(context, PADIC_ERROR_MISMATCH, fault);
            if (i < 2 || !end) continue;
            if (place.first < last)
                return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                        "groups has matrices of c that do not follow each other");
            last = end;
        }
    return PADIC_OK;
}

// One group as a product of its own, in host memory.
PADICI_FN void padici_tensor_gemm_group_at(const padic_tensor_gemm_desc *desc, uint32_t group,
                                           padic_tensor_gemm_desc *one)
{
    padic_tensor *t[3];
    uint32_t i;
    *one = *desc;
    one->groups = NULL;
    one->group_count = 0;
    t[0] = &one->a;
    t[1] = &one->b;
    t[2] = &one->c;
    for (i = 0; i < 3; i++) {
        padici_tensor_place place;
        padici_tensor_group_place(desc, group, i, &place);
        t[i]->rank = 2;
        t[i]->shape[0] = place.rows;
        t[i]->shape[1] = place.columns;
        t[i]->stride[0] = (int64_t)place.line;
        t[i]->stride[1] = 1;
        if (place.rows && place.columns) // else it may lie anywhere
            t[i]->data = (char *)t[i]->data + place.first * padic_dtype_size(t[i]->dtype);
    }
}

#endif
