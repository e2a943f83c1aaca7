#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "number.h"
#include "shape.h"

#if PADICI_IMPLEMENT_PQ

// Two parts of an attention as one; lists as weights of all positions.

PADICI_FN uint32_t padici_pq_merge_operands(void *desc_, padici_operand *operands)
{
    padic_pq_merge_desc *desc = (padic_pq_merge_desc *)desc_;
    uint32_t n = padici_pq_operand(operands, 0, "first", &desc->first, 0);
    n = padici_pq_operand(operands, n, "second", &desc->second, 0);
    n = padici_pq_operand(operands, n, "first_lse", &desc->first_lse, 0);
    n = padici_pq_operand(operands, n, "second_lse", &desc->second_lse, 0);
    n = padici_pq_operand(operands, n, "out", &desc->out, 1);
    return padici_pq_optional(operands, n, "lse", &desc->lse, 1);
}

PADICI_FN padic_result padici_pq_merge_check(padic_context *context, const void *desc_)
{
    const padic_pq_merge_desc *desc = (const padic_pq_merge_desc *)desc_;
    const uint64_t *n = desc->first.shape;
    padic_result result = padici_pq_check(context, "first", &desc->first, PADIC_F32, 4, UINT64_MAX,
                                          UINT64_MAX, UINT64_MAX, UINT64_MAX);
    if (!result)
        result = padici_pq_check(context, "second", &desc->second, PADIC_F32, 4, n[0], n[1], n[2],
                                 n[3]);
    if (!result)
        result = padici_pq_check(context, "out", &desc->out, PADIC_F32, 4, n[0], n[1], n[2], n[3]);
    if (!result)
        result = padici_pq_check(context, "first_lse", &desc->first_lse, PADIC_F32, 3, n[0], n[1],
                                 n[2], 0);
    if (!result)
        result = padici_pq_check(context, "second_lse", &desc->second_lse, PADIC_F32, 3, n[0], n[1],
                                 n[2], 0);
    return result ? result
                  : padici_pq_check_optional(context, "lse", &desc->lse, PADIC_F32, 3, n[0], n[1],
                                             n[2], 0);
}

static char *padici_pq_at(const padici_pq_view *view, const int64_t *at)
{
    return view->at + at[0] * view->step[0] + at[1] * view->step[1] + at[2] * view->step[2];
}

// The weights of two parts, of which the larger is 1, and the logarithm of both.
static float padici_pq_merge_weights(float first, float second, double *a, double *b)
{
    const float none = padici_pq_float(0xff800000u);
    const double most = first > second ? (double)first : (double)second;
    *a = first == none ? 0 : exp((double)first - most);
    *b = second == none ? 0 : exp((double)second - most);
    return first == none && second == none ? none : (float)(most + log(*a + *b));
}

PADICI_FN padic_result padici_pq_merge_host(const padic_env *env, const void *desc_)
{
    const padic_pq_merge_desc *desc = (const padic_pq_merge_desc *)desc_;
    const padici_pq_view first = padici_pq_view_of(&desc->first);
    const padici_pq_view second = padici_pq_view_of(&desc->second);
    const padici_pq_view one = padici_pq_view_of(&desc->first_lse);
    const padici_pq_view two = padici_pq_view_of(&desc->second_lse);
    const padici_pq_view out = padici_pq_view_of(&desc->out), lse = padici_pq_view_of(&desc->lse);
    const uint64_t *n = desc->first.shape;
    uint64_t row, k;
    (void)env;
    for (row = 0; row < n[0] * n[1] * n[2]; row++) {
        const int64_t at[3] = {(int64_t)(row / n[2] / n[1]), (int64_t)(row / n[2] % n[1]),
                               (int64_t)(row % n[2])};
        double a, b;
        const float both = padici_pq_merge_weights(
            *(const float *)(const void *)padici_pq_at(&one, at),
            *(const float *)(const void *)padici_pq_at(&two, at), &a, &b);
        const char *x = padici_pq_at(&first, at), *y = padici_pq_at(&second, at);
        char *to = padici_pq_at(&out, at);
        for (k = 0; k < n[3]; k++, x += first.step[3], y += second.step[3], to += out.step[3]) {
            const double p = a * (double)*(const float *)(const void *)x;
            const double q = b * (double)*(const float *)(const void *)y;
            *(float *)(void *)to = a + b == 0 ? 0 : (float)((p + q) / (a + b));
        }
        if (lse.at) *(float *)(void *)padici_pq_at(&lse, at) = both;
    }
    return PADIC_OK;
}

// padic_pq_weights_dense()

PADICI_FN uint32_t padici_pq_weights_dense_operands(void *desc_, padici_operand *operands)
{
    padic_pq_weights_dense_desc *desc = (padic_pq_weights_dense_desc *)desc_;
    uint32_t n = padici_pq_operand(operands, 0, "lists", &desc->lists, 0);
    n = padici_pq_optional(operands, n, "lengths", &desc->lengths, 0);
    n = padici_pq_optional(operands, n, "weights", &desc->weights, 0);
    return padici_pq_operand(operands, n, "out", &desc->out, 1);
}

PADICI_FN padic_result padici_pq_weights_dense_check(padic_context *context, const void *desc_)
{
    const padic_pq_weights_dense_desc *desc = (const padic_pq_weights_dense_desc *)desc_;
    const uint64_t *n = desc->lists.shape;
    padic_result result = padici_pq_check_lists(context, "lists", &desc->lists, UINT64_MAX,
                                                UINT64_MAX, UINT64_MAX);
    if (!result)
        result = padici_pq_check_optional(context, "lengths", &desc->lengths, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    if (!result)
        result = padici_pq_check_optional(context, "weights", &desc->weights, PADIC_F32, 4, n[0],
                                          n[1], n[2], n[3]);
    return result ? result
                  : padici_pq_check(context, "out", &desc->out, PADIC_F32, 4, n[0], n[1], n[2],
                                    UINT64_MAX);
}

PADICI_FN padic_result padici_pq_weights_dense_host(const padic_env *env, const void *desc_)
{
    const padic_pq_weights_dense_desc *desc = (const padic_pq_weights_dense_desc *)desc_;
    const padici_pq_view lists = padici_pq_view_of(&desc->lists);
    const padici_pq_view lengths = padici_pq_view_of(&desc->lengths);
    const padici_pq_view weights = padici_pq_view_of(&desc->weights);
    const padici_pq_view out = padici_pq_view_of(&desc->out);
    const uint64_t *n = desc->lists.shape, s_k = desc->out.shape[3];
    uint64_t row, k;
    (void)env;
    for (row = 0; row < n[0] * n[1] * n[2]; row++) {
        const int64_t at[3] = {(int64_t)(row / n[2] / n[1]), (int64_t)(row / n[2] % n[1]),
                               (int64_t)(row % n[2])};
        uint64_t count = n[3];
        char *to = padici_pq_at(&out, at);
        for (k = 0; k < s_k; k++) *(float *)(void *)(to + (int64_t)k * out.step[3]) = 0;
        if (lengths.at && *(const uint32_t *)(const void *)padici_pq_at(&lengths, at) < count)
            count = *(const uint32_t *)(const void *)padici_pq_at(&lengths, at);
        for (k = 0; k < count; k++) {
            const int64_t p = padici_pq_list_get(
                padici_pq_at(&lists, at) + (int64_t)k * lists.step[3], lists.dtype);
            float *sum, w = 1;
            if (p < 0 || (uint64_t)p >= s_k) continue;
            if (weights.at)
                w = padici_pq_flushed(*(const float *)(const void *)(padici_pq_at(&weights, at) +
                                                                     (int64_t)k * weights.step[3]));
            sum = (float *)(void *)(to + p * out.step[3]);
            *sum = padici_pq_flushed(*sum + w);
        }
    }
    return PADIC_OK;
}

#endif
