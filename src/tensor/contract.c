#include "contract.h"
#include "../context/messages.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_TENSOR

// Contractions of two tensors as plans: labels of axes, read from expressions or given as arrays.

// The axis of a label: its size, and what each operand steps along it. 0 when sizes differ.
static int padici_tensor_label_axis(const padic_tensor *const t[3], const uint8_t *const labels[3],
                                    uint8_t label, padici_tensor_axis *axis, uint32_t *has)
{
    uint32_t i, j;
    *has = 0;
    memset(axis, 0, sizeof *axis);
    for (i = 0; i < 3; i++) {
        int64_t stride[PADIC_MAX_RANK];
        padici_tensor_dense(t[i], stride);
        for (j = 0; j < t[i]->rank; j++) {
            if (labels[i][j] != label) continue;
            if (*has && axis->size != t[i]->shape[j]) return 0;
            axis->size = t[i]->shape[j];
            axis->step[i] += stride[j];
            *has |= 1u << i;
        }
    }
    return 1;
}

// One label per axis, no more, and in c none twice.
static const char *padici_tensor_labels_fault(const padic_tensor *const t[3],
                                              const uint8_t *const labels[3])
{
    uint32_t i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < PADIC_MAX_RANK; j++)
            if ((labels[i][j] != 0) != (j < t[i]->rank))
                return i == 0   ? "labels_a has one label per axis of a, then 0"
                       : i == 1 ? "labels_b has one label per axis of b, then 0"
                                : "labels_c has one label per axis of c, then 0";
    for (j = 0; j < t[2]->rank; j++)
        for (k = 0; k < j; k++)
            if (labels[2][j] == labels[2][k]) return "labels_c has a label twice";
    return NULL;
}

PADICI_FN padic_result padici_tensor_contract_plan(padic_context *context,
                                                   const padic_tensor_contract_desc *desc,
                                                   padici_tensor_plan *plan)
{
    // By the operands that have a label (a 1, b 2, c 4); a label of c alone is refused.
    static const uint8_t group_of[8] = {0,
                                        PADICI_TENSOR_SUM,
                                        PADICI_TENSOR_SUM,
                                        PADICI_TENSOR_SUM,
                                        0,
                                        PADICI_TENSOR_ROW,
                                        PADICI_TENSOR_COLUMN,
                                        PADICI_TENSOR_BATCH};
    const padic_tensor *t[3];
    const uint8_t *labels[3];
    uint8_t seen[256];
    uint32_t i, j, has;
    const char *fault;
    padic_result result;
    t[0] = &desc->a, labels[0] = desc->labels_a;
    t[1] = &desc->b, labels[1] = desc->labels_b;
    t[2] = &desc->c, labels[2] = desc->labels_c;
    result = padici_tensor_plan_begin(context, plan, t, desc->math, desc->alpha, desc->beta);
    if (result) return result;
    if (desc->conj > 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "conj is 0 to 3");
    plan->conj = desc->conj;
    fault = padici_tensor_labels_fault(t, labels);
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    memset(seen, 0, sizeof seen);
    for (i = 3; i-- > 0;) // from c on, so that its labels decide the order
        for (j = 0; j < t[i]->rank; j++) {
            padici_tensor_axis axis;
            if (seen[labels[i][j]]) continue;
            seen[labels[i][j]] = 1;
            if (!padici_tensor_label_axis(t, labels, labels[i][j], &axis, &has))
                return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                        "labels_a, labels_b and labels_c give axes of different "
                                        "sizes one label");
            if (has == 4)
                return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                        "labels_c has a label that neither a nor b has");
            padici_tensor_group_add(&plan->group[group_of[has]], axis.size, axis.step[0],
                                    axis.step[1], axis.step[2]);
        }
    if (!padici_tensor_plan_tidy(plan))
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "labels_a and labels_b make more than 2^64 products");
    return PADIC_OK;
}

// The labels of one tensor, up to the next ',' or "->"; -1, or how many there were.
static int padici_tensor_labels_read(const char *text, uint32_t *at, uint8_t labels[PADIC_MAX_RANK])
{
    int n = 0;
    memset(labels, 0, PADIC_MAX_RANK);
    for (;; ++*at) {
        const char c = text[*at];
        if (c == ' ') continue;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return n;
        if (n == PADIC_MAX_RANK) return -1;
        labels[n++] = (uint8_t)c;
    }
}

// The labels that occur once in a and b together, in the order of the alphabet.
static int padici_tensor_labels_guess(const uint8_t *a, const uint8_t *b, uint8_t *c)
{
    uint32_t label, i, n = 0;
    memset(c, 0, PADIC_MAX_RANK);
    for (label = 'A'; label <= 'z'; label++) {
        uint32_t count = 0;
        for (i = 0; i < PADIC_MAX_RANK; i++) {
            count += a[i] == label;
            count += b[i] == label;
        }
        if (count != 1) continue;
        if (n == PADIC_MAX_RANK) return -1;
        c[n++] = (uint8_t)label;
    }
    return 0;
}

static padic_result padici_tensor_labels_named(padic_context *context,
                                               const padic_tensor_labels_desc *desc)
{
    const char *expression = desc ? desc->expression : NULL;
    uint8_t labels[3][PADIC_MAX_RANK];
    uint32_t at = 0, i;
    int good = 1, guess = 0, unknown = 0;
    padic_result result = PADIC_OK;
    if (!expression || !desc->out)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc, expression or out is NULL");
    for (i = 0; i < 3 && good && !guess; i++) {
        if (padici_tensor_labels_read(expression, &at, labels[i]) < 0) result = PADIC_ERROR_LIMIT;
        if (result) break;
        if (i == 1) {
            guess = !expression[at];
            good = guess || (expression[at] == '-' && expression[at + 1] == '>');
            if (good && !guess) at += 2;
        } else {
            good = expression[at] == (i == 0 ? ',' : 0);
            if (good && i == 0) at++;
        }
    }
    if (!result && !good) result = PADIC_ERROR_ARGUMENT;
    if (!result && guess && padici_tensor_labels_guess(labels[0], labels[1], labels[2]))
        result = PADIC_ERROR_LIMIT;
    for (i = 0; i < PADIC_MAX_RANK && !result && labels[2][i] && !unknown; i++)
        unknown = !memchr(labels[0], labels[2][i], PADIC_MAX_RANK) &&
                  !memchr(labels[1], labels[2][i], PADIC_MAX_RANK);
    if (desc->report) desc->report->position = at;
    if (unknown)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "expression has a label in the result that no tensor has");
    if (result)
        return padici_fail_here(context, result,
                                result == PADIC_ERROR_LIMIT
                                    ? "expression has more than 8 labels for one tensor"
                                    : "expression is not of two tensors and a result");
    memcpy(desc->out->labels_a, labels[0], sizeof labels[0]);
    memcpy(desc->out->labels_b, labels[1], sizeof labels[1]);
    memcpy(desc->out->labels_c, labels[2], sizeof labels[2]);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_labels(padic_context *context,
                                           const padic_tensor_labels_desc *desc)
{
    const char *before = padici_enter(context, "tensor_labels");
    const padic_result result = padici_tensor_labels_named(context, desc);
    padici_leave(context, before);
    return result;
}

PADIC_API padic_result padic_tensor_contract_as(padic_context *context, const char *expression,
                                                padic_tensor a, padic_tensor b, padic_tensor out)
{
    padic_tensor_contract_desc desc;
    padic_tensor_labels_desc labels;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    memset(&labels, 0, sizeof labels);
    desc.a = a;
    desc.b = b;
    desc.c = out;
    labels.expression = expression;
    labels.out = &desc;
    result = padic_tensor_labels(context, &labels);
    return result ? result : padic_tensor_contract(context, &desc);
}

PADIC_API padic_result padic_tensor_multiply(padic_context *context, padic_tensor a,
                                             padic_tensor b, padic_tensor out)
{
    padic_tensor_gemm_desc desc;
    if (a.rank == 2 && b.rank == 1)
        return padic_tensor_contract_as(context, "ij,j->i", a, b, out);
    memset(&desc, 0, sizeof desc);
    desc.a = a;
    desc.b = b;
    desc.c = out;
    return padic_tensor_gemm(context, &desc);
}

#endif
