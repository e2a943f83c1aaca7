#include "small.h"
#include "product.h"

#if PADICI_IMPLEMENT_TENSOR

// Small products in host memory: checked in one pass over three matrices and computed at once, with
// the reference's sums. What is not so simple, or wrong, is left to the checks that have a sentence
// for it.

// Bytes from the first to after the last element.
typedef struct padici_tensor_small_range {
    uintptr_t first, end;
} padici_tensor_small_range;

// The two axes of a matrix (a vector has one more of 1): sizes, steps and what it covers, its
// elements of `bytes`. A matrix that is written has positive strides, and rows that do not meet.
PADICI_INLINE int padici_tensor_small_view(const padic_tensor *t, int64_t bytes, int written,
                                           uint64_t size[2], int64_t step[2],
                                           padici_tensor_small_range *range)
{
    const uint32_t matrix = t->rank == 2;
    int64_t low = 0, high, reach[2];
    if (!t->data || t->rank - 1 > 1) return 0;
    size[0] = t->shape[0];
    size[1] = matrix ? t->shape[1] : 1;
    if (size[0] - 1 >= PADICI_TENSOR_SMALL_SIDE || size[1] - 1 >= PADICI_TENSOR_SMALL_SIDE)
        return 0;
    step[0] = t->stride[0];
    step[1] = matrix ? t->stride[1] : 0;
    if (!(step[0] | step[1])) {
        step[0] = (int64_t)size[1];
        step[1] = matrix;
        high = (int64_t)(size[0] * size[1]) - 1;
    } else {
        if (step[0] != (int32_t)step[0] || step[1] != (int32_t)step[1]) return 0;
        reach[0] = (int64_t)(size[0] - 1) * step[0];
        reach[1] = (int64_t)(size[1] - 1) * step[1];
        if (written && (step[0] <= 0 || step[1] < (int64_t)matrix ||
                        (reach[0] && reach[1] && step[0] <= reach[1] && step[1] <= reach[0])))
            return 0;
        low = (reach[0] < 0 ? reach[0] : 0) + (reach[1] < 0 ? reach[1] : 0);
        high = reach[0] + reach[1] - low;
    }
    range->first = (uintptr_t)t->data + (uintptr_t)(low * bytes);
    range->end = (uintptr_t)t->data + (uintptr_t)((high + 1) * bytes);
    return 1;
}

static int padici_tensor_small_apart(const padici_tensor_small_range *x,
                                     const padici_tensor_small_range *y)
{
    return x->end <= y->first || y->end <= x->first;
}

// Factors that are not all 0.
static int padici_tensor_small_factors(padici_tensor_small *s, int paired, const double alpha[2],
                                       const double beta[2])
{
    uint32_t i;
    for (i = 0; i < 2; i++) { // a difference of infinities, and of a NaN, is a NaN
        if (!(alpha[i] - alpha[i] == 0) || !(beta[i] - beta[i] == 0)) return 0;
        s->alpha[i] = alpha[i];
        s->beta[i] = beta[i];
    }
    if (!paired && (alpha[1] != 0 || beta[1] != 0)) return 0;
    if (alpha[0] == 0 && alpha[1] == 0) s->alpha[0] = 1;
    if (s->alpha[0] != 1 || s->alpha[1] != 0 || beta[0] != 0 || beta[1] != 0) s->plain = 0;
    return 1;
}

// Dtypes, factors and memory of a product whose matrices have these sizes.
static int padici_tensor_small_begin(padici_tensor_small *s, const padic_tensor *const t[3],
                                     padic_tensor_math math, const double alpha[2],
                                     const double beta[2], uint64_t size[3][2])
{
    const int paired = padici_tensor_is_complex(t[0]->dtype);
    const int64_t part = padici_tensor_is_double(t[0]->dtype) ? 8 : 4;
    padici_tensor_small_range range[3];
    uintptr_t at;
    s->of.dtype = t[0]->dtype;
    if (t[1]->dtype != s->of.dtype || t[2]->dtype != s->of.dtype ||
        (uint32_t)math > PADIC_TENSOR_MATH_TF32 ||
        (s->of.dtype != PADIC_F32 && !padici_tensor_is_double(s->of.dtype) && !paired))
        return 0;
    s->alpha[0] = 1;
    s->alpha[1] = alpha[1]; // 0 of either sign, like beta
    s->beta[0] = beta[0];
    s->beta[1] = beta[1];
    s->plain = math == PADIC_TENSOR_MATH_EXACT;
    if ((alpha[0] != 0 || alpha[1] != 0 || beta[0] != 0 || beta[1] != 0) &&
        !padici_tensor_small_factors(s, paired, alpha, beta))
        return 0;
    at = (uintptr_t)t[0]->data | (uintptr_t)t[1]->data | (uintptr_t)t[2]->data;
    if ((at & (uintptr_t)(part - 1)) ||
        !padici_tensor_small_view(t[0], part << paired, 0, size[0], s->step[0], &range[0]) ||
        !padici_tensor_small_view(t[1], part << paired, 0, size[1], s->step[1], &range[1]) ||
        !padici_tensor_small_view(t[2], part << paired, 1, size[2], s->step[2], &range[2]))
        return 0;
    s->of.a = t[0]->data;
    s->of.b = t[1]->data;
    s->of.c = t[2]->data;
    s->conj = 0;
    return padici_tensor_small_apart(&range[0], &range[2]) &&
           padici_tensor_small_apart(&range[1], &range[2]);
}

static void padici_tensor_small_turn(uint64_t size[2], int64_t step[2])
{
    const uint64_t rows = size[0];
    const int64_t row = step[0];
    size[0] = size[1];
    size[1] = rows;
    step[0] = step[1];
    step[1] = row;
}

// Whether the sizes fit each other: then those of the product.
static int padici_tensor_small_sizes(padici_tensor_small *s, uint64_t size[3][2])
{
    if (size[0][0] != size[2][0] || size[1][1] != size[2][1] || size[0][1] != size[1][0]) return 0;
    s->of.rows = (uint32_t)size[2][0];
    s->of.columns = (uint32_t)size[2][1];
    s->of.depth = (uint32_t)size[0][1];
    return 1;
}

PADICI_FN int padici_tensor_small_gemm(const padic_tensor_gemm_desc *desc, padici_tensor_small *s)
{
    const padic_tensor *const t[3] = {&desc->a, &desc->b, &desc->c};
    const padic_tensor_op op[2] = {desc->op_a, desc->op_b};
    uint64_t size[3][2];
    uint32_t i;
    if (desc->groups || desc->group_count || t[0]->rank != 2 || t[1]->rank != 2 ||
        t[2]->rank != 2 ||
        !padici_tensor_small_begin(s, t, desc->math, desc->alpha, desc->beta, size))
        return 0;
    for (i = 0; i < 2; i++) {
        if (op[i] == PADIC_TENSOR_OP_N) continue;
        if ((uint32_t)op[i] > PADIC_TENSOR_OP_CONJ) return 0;
        if (op[i] != PADIC_TENSOR_OP_CONJ) padici_tensor_small_turn(size[i], s->step[i]);
        if (op[i] != PADIC_TENSOR_OP_T) s->conj |= 1u << i;
    }
    return padici_tensor_small_sizes(s, size);
}

// Where a tensor of at most two axes has a label; 2: nowhere.
static uint32_t padici_tensor_small_find(const uint8_t *labels, uint8_t label)
{
    return labels[0] == label ? 0 : labels[1] == label ? 1 : 2;
}

// Which axis of each tensor comes first where the product is one of matrices: a has rows and sums,
// b sums and columns, c rows and columns. A vector's missing axis is its second one.
static int padici_tensor_small_axes(const padic_tensor_contract_desc *desc, int turned[3])
{
    const uint8_t *const labels[3] = {desc->labels_a, desc->labels_b, desc->labels_c};
    const uint32_t rank[3] = {desc->a.rank, desc->b.rank, desc->c.rank};
    uint32_t sum, row, column, i, j;
    for (i = 0; i < 3; i++) {
        if (rank[i] - 1 > 1 || labels[i][0] == labels[i][1]) return 0;
        for (j = 0; j < PADIC_MAX_RANK; j++)
            if ((labels[i][j] != 0) != (j < rank[i])) return 0;
    }
    for (sum = 0; sum < rank[0]; sum++) // the label of a and b
        if (padici_tensor_small_find(labels[1], labels[0][sum]) < 2) break;
    if (sum == rank[0]) return 0;
    j = padici_tensor_small_find(labels[1], labels[0][sum]);
    row = labels[0][1 - sum];    // 0: there is none
    column = labels[1][1 - j];
    if (row && row == column) return 0;
    if (rank[2] != (row != 0) + (uint32_t)(column != 0)) return 0;
    turned[0] = sum == 0;
    turned[1] = j == 1;
    turned[2] = row ? labels[2][1] == row : 1;
    return (!row || labels[2][turned[2]] == row) && (!column || labels[2][1 - turned[2]] == column);
}

PADICI_FN int padici_tensor_small_contract(const padic_tensor_contract_desc *desc,
                                           padici_tensor_small *s)
{
    const padic_tensor *const t[3] = {&desc->a, &desc->b, &desc->c};
    uint64_t size[3][2];
    int turned[3];
    uint32_t i;
    if (desc->conj > 3 || !padici_tensor_small_axes(desc, turned) ||
        !padici_tensor_small_begin(s, t, desc->math, desc->alpha, desc->beta, size))
        return 0;
    s->conj = desc->conj;
    for (i = 0; i < 3; i++)
        if (turned[i]) padici_tensor_small_turn(size[i], s->step[i]);
    return padici_tensor_small_sizes(s, size);
}

// b as F64, then the sums of one row after the other; `dtype` and `width` are literals.
PADICI_INLINE void padici_tensor_small_rows(const padici_tensor_small *s, padic_dtype dtype,
                                            uint32_t width)
{
    const char *const a = (const char *)s->of.a, *const b = (const char *)s->of.b;
    const double sign_a = s->conj & 1 ? -1.0 : 1.0, sign_b = s->conj & 2 ? -1.0 : 1.0;
    double b_re[PADICI_TENSOR_SMALL][PADICI_TENSOR_SMALL];
    double b_im[PADICI_TENSOR_SMALL][PADICI_TENSOR_SMALL];
    double re[PADICI_TENSOR_SMALL], im[PADICI_TENSOR_SMALL], ar, ai;
    uint32_t i, j, k;
    for (k = 0; k < s->of.depth; k++)
        for (j = 0; j < width; j++) {
            b_re[k][j] = b_im[k][j] = 0;
            if (j >= s->of.columns) continue;
            padici_tensor_read(dtype, b, k * s->step[1][0] + j * s->step[1][1], &b_re[k][j],
                               &b_im[k][j]);
            b_im[k][j] *= sign_b;
        }
    for (i = 0; i < s->of.rows; i++) {
        for (j = 0; j < width; j++) re[j] = im[j] = 0;
        for (k = 0; k < s->of.depth; k++) {
            padici_tensor_read(dtype, a, i * s->step[0][0] + k * s->step[0][1], &ar, &ai);
            ai *= sign_a;
            for (j = 0; j < width; j++) re[j] += ar * b_re[k][j];
            if (!padici_tensor_is_complex(dtype)) continue;
            for (j = 0; j < width; j++) {
                re[j] -= ai * b_im[k][j];
                im[j] += ar * b_im[k][j] + ai * b_re[k][j];
            }
        }
        for (j = 0; j < s->of.columns; j++)
            padici_tensor_put(dtype, (char *)s->of.c, i * s->step[2][0] + j * s->step[2][1],
                              s->alpha, s->beta, re[j], im[j]);
    }
}

static void padici_tensor_small_narrow(const padici_tensor_small *s)
{
    if (s->of.dtype == PADIC_F64) padici_tensor_small_rows(s, PADIC_F64, 4);
    else if (s->of.dtype == PADIC_C128) padici_tensor_small_rows(s, PADIC_C128, 4);
    else if (s->of.dtype == PADIC_F32) padici_tensor_small_rows(s, PADIC_F32, 4);
    else padici_tensor_small_rows(s, PADIC_C64, 4);
}

// NOT_SUPPORTED: it is not as small as that.
PADICI_FN padic_result padici_tensor_small_run(const padici_tensor_small *s)
{
    if (s->of.rows > PADICI_TENSOR_SMALL || s->of.columns > PADICI_TENSOR_SMALL ||
        s->of.depth > PADICI_TENSOR_SMALL)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (s->of.columns <= 4) padici_tensor_small_narrow(s);
    else if (s->of.dtype == PADIC_F64) padici_tensor_small_rows(s, PADIC_F64, 8);
    else if (s->of.dtype == PADIC_C128) padici_tensor_small_rows(s, PADIC_C128, 8);
    else if (s->of.dtype == PADIC_F32) padici_tensor_small_rows(s, PADIC_F32, 8);
    else padici_tensor_small_rows(s, PADIC_C64, 8);
    return PADIC_OK;
}

#endif
