// padic_tensor.h: tensors. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>tensor API          matrix products, contractions of labelled axes
//     >>tensor impl         the plain reference
//     >>tensor operations   their rows of the op table in padic.h

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_TENSOR_H
#define PADIC_TENSOR_H

// ----------------------------------------------------------------------------------- >>tensor API
//
// Matrix products and contractions of tensors of any strides. All operands are F32, F64, C64 or
// C128 and of one precision; `c` is complex when `a` or `b` is. What is read (a, b) may have any
// strides: negative, or 0, which repeats an axis (not all of them 0, which means dense: give an
// axis of 1 a stride of 1). `c` has positive strides and shares no memory with a or b.
//
// The reference adds in F64, in the order of k, and rounds once. A device adds in the precision of
// the operands, in fixed blocks of k. D1. With u = 2^-24 (2^-53 for F64 and C128), k the number of
// products in a sum and |A| |B| the product of the absolute values:

typedef enum padic_tensor_math {
    PADIC_TENSOR_EXACT = 0, // 4 real products: |error of c| <= 4 (k + 2) u |A| |B|
    PADIC_TENSOR_GAUSS = 1, // 3 real products: Frobenius norm <= 8 (k + 2) u ||A|| ||B||
    // Tensor cores, each number in two pieces of 11 bits, three products, small ones first.
    // Relative in the Frobenius norm <= 1e-6 for N(0,1) data, k <= 1024.
    PADIC_TENSOR_SPLIT = 2,
    PADIC_TENSOR_TF32 = 3 // tensor cores, one piece: relative 2e-3. Only ever by this name.
} padic_tensor_math;
// GAUSS, SPLIT and TF32 say what is good enough: where there is no faster way (real numbers, F64,
// no tensor cores, narrow matrices, the reference) they are EXACT. Tensor cores take memory for the
// pieces of a and b: up to 256 MiB from the pool, or what the matrices of one batch fill if larger.

typedef enum padic_tensor_op {
    PADIC_TENSOR_N = 0,   // as it is
    PADIC_TENSOR_T = 1,   // transposed
    PADIC_TENSOR_C = 2,   // transposed and conjugated
    PADIC_TENSOR_CONJ = 3 // conjugated
} padic_tensor_op;

// C = alpha op(A) op(B) + beta C: op(A) is m x k, op(B) k x n, C m x n, all of one dtype. With one
// more axis in front, C is a batch of products, and so is A or B, or it is the same for all of them
// (rank 2, or stride 0). k = 0: C = beta C.
// Errors: DTYPE; MISMATCH of shapes or dtypes; ARGUMENT: rank, op, math, imaginary alpha or beta of
// real numbers; OVERLAP; DOMAIN: alpha or beta not finite; LIMIT.
typedef struct padic_tensor_gemm_desc {
    padic_tensor a, b, c;
    uint32_t op_a, op_b; // padic_tensor_op
    uint32_t math;       // padic_tensor_math
    double alpha[2];     // real, imaginary; both 0: 1
    double beta[2];      // 0: c is only written, whatever it held
} padic_tensor_gemm_desc;
PADIC_API padic_result padic_tensor_gemm(padic_context *context,
                                         const padic_tensor_gemm_desc *desc);

// Two tensors contracted by labels: every axis has one, and
//
//     c[labels_c] = alpha sum a[labels_a] b[labels_b] + beta c[labels_c],
//
// summed over all values of the labels that are not in labels_c. So a label of a, b and c is a
// batch axis, of a and c a row, of b and c a column; one of a and b only is contracted, one of a
// alone or of b alone summed. A label that a tensor has twice takes its diagonal. Sizes of one
// label agree. Nothing is permuted to memory: it is a matrix product that reads through strides.
// c may have no label twice and none that neither a nor b has. Real with complex is complex.
// Errors: as above; ARGUMENT: labels that are missing, too many, unknown or twice in c.
typedef struct padic_tensor_contract_desc {
    padic_tensor a, b, c;
    uint8_t labels_a[PADIC_MAX_RANK]; // one an axis, 1 to 255; 0 after the last
    uint8_t labels_b[PADIC_MAX_RANK];
    uint8_t labels_c[PADIC_MAX_RANK];
    uint32_t conj; // 1: conjugate a, 2: b, 3: both
    uint32_t math; // padic_tensor_math
    double alpha[2], beta[2];
} padic_tensor_contract_desc;
PADIC_API padic_result padic_tensor_contract(padic_context *context,
                                             const padic_tensor_contract_desc *desc);

// Sets the labels from "abc,cbd->ad": letters, spaces ignored. Without "->" c has the labels that
// occur once, in the order of the alphabet, capitals first. Nothing else of the desc is touched.
// Errors: ARGUMENT (*position is the character where reading stopped; NULL is fine), LIMIT above
// 8 labels for one tensor. On an error the desc is as it was.
PADIC_API padic_result padic_tensor_labels(const char *expression,
                                           padic_tensor_contract_desc *desc, uint32_t *position);
#endif // PADIC_TENSOR_H

#ifdef PADICI_AREAS_IMPLEMENTATION

// ---------------------------------------------------------------------------------- >>tensor impl
//
// Every product is one plan: four groups of axes. Along an axis of the group
//
//     BATCH  a, b and c step;  ROW  a and c;  COLUMN  b and c;  SUM  a and b.
//
// An operand that lacks a label stays (step 0), one that has it twice takes both its steps.

#define PADICI_TENSOR_AXES 16 // SUM: 8 labels of a alone and 8 of b alone

enum { PADICI_TENSOR_BATCH, PADICI_TENSOR_ROW, PADICI_TENSOR_COLUMN, PADICI_TENSOR_SUM };

typedef struct padici_tensor_axis {
    uint64_t size;
    int64_t step[3]; // of a, b, c, in elements
} padici_tensor_axis;

typedef struct padici_tensor_group {
    uint32_t count;
    uint64_t size; // product of the sizes
    padici_tensor_axis axis[PADICI_TENSOR_AXES]; // slowest first
} padici_tensor_group;

typedef struct padici_tensor_plan {
    padici_tensor_group group[4];
    padic_dtype dtype[3];
    uint32_t conj, math; // conj: 1 a, 2 b
    double alpha[2], beta[2];
} padici_tensor_plan;

PADICI_INLINE int padici_tensor_is_complex(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128;
}

PADICI_INLINE int padici_tensor_is_double(padic_dtype dtype)
{
    return dtype == PADIC_F64 || dtype == PADIC_C128;
}

static void padici_tensor_group_add(padici_tensor_group *group, uint64_t size, int64_t a, int64_t b,
                                    int64_t c)
{
    padici_tensor_axis *axis = &group->axis[group->count++];
    axis->size = size;
    axis->step[0] = a;
    axis->step[1] = b;
    axis->step[2] = c;
}

// Whether going once around the inner axis is one step of the outer one, for all operands.
static int padici_tensor_axes_join(const padici_tensor_axis *outer, const padici_tensor_axis *inner)
{
    uint32_t i;
    for (i = 0; i < 3; i++) // by division: the product may not fit
        if (outer->step[i] % (int64_t)inner->size ||
            outer->step[i] / (int64_t)inner->size != inner->step[i])
            return 0;
    return 1;
}

// Sorts the axes, largest step first, drops those of size 1 and joins neighbours: fewer axes, the
// same set of elements. Sums change their order, the same for every device and worker count.
static int padici_tensor_group_tidy(padici_tensor_group *group, uint32_t key)
{
    uint32_t i, j, n = 0;
    group->size = 1;
    for (i = 0; i < group->count; i++) {
        const padici_tensor_axis axis = group->axis[i];
        const int64_t step = axis.step[key] < 0 ? -axis.step[key] : axis.step[key];
        if (!padici_mul_u64(group->size, axis.size, &group->size)) return 0;
        if (axis.size == 1) continue;
        for (j = n; j > 0; j--) {
            const int64_t before = group->axis[j - 1].step[key];
            if ((before < 0 ? -before : before) >= step) break;
            group->axis[j] = group->axis[j - 1];
        }
        group->axis[j] = axis;
        n++;
    }
    group->count = n;
    for (i = 0, j = 1; j < n && group->size; j++) {
        if (padici_tensor_axes_join(&group->axis[i], &group->axis[j])) {
            const uint64_t size = group->axis[i].size * group->axis[j].size;
            group->axis[i] = group->axis[j];
            group->axis[i].size = size;
        } else {
            group->axis[++i] = group->axis[j];
        }
    }
    if (n) group->count = i + 1;
    return 1;
}

// 0 when a size does not fit 64 bits.
static int padici_tensor_plan_tidy(padici_tensor_plan *plan)
{
    return padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_BATCH], 2) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_ROW], 0) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_COLUMN], 1) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_SUM], 0);
}

// What gemm and contract share: dtypes, math, factors.
static padic_result padici_tensor_plan_begin(padic_context *context, padici_tensor_plan *plan,
                                             const padic_tensor *const t[3], uint32_t math,
                                             const double alpha[2], const double beta[2])
{
    uint32_t i, paired = 0;
    memset(plan, 0, sizeof *plan);
    for (i = 0; i < 3; i++) {
        plan->dtype[i] = t[i]->dtype;
        if (t[i]->dtype != PADIC_F32 && !padici_tensor_is_double(t[i]->dtype) &&
            !padici_tensor_is_complex(t[i]->dtype))
            return padici_fail(context, PADIC_ERROR_DTYPE,
                               "tensor: a, b and c are F32, F64, C64 or C128");
        if (padici_tensor_is_double(t[i]->dtype) != padici_tensor_is_double(t[0]->dtype))
            return padici_fail(context, PADIC_ERROR_MISMATCH,
                               "tensor: a, b and c are of one precision");
        if (i < 2) paired |= (uint32_t)padici_tensor_is_complex(t[i]->dtype);
    }
    if (paired != (uint32_t)padici_tensor_is_complex(t[2]->dtype))
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "tensor: c is complex when a or b is, and only then");
    if (math > PADIC_TENSOR_TF32)
        return padici_fail(context, PADIC_ERROR_ARGUMENT, "tensor: math is no padic_tensor_math");
    for (i = 0; i < 2; i++) // a difference of infinities, and of a NaN, is a NaN
        if (!(alpha[i] - alpha[i] == 0) || !(beta[i] - beta[i] == 0))
            return padici_fail(context, PADIC_ERROR_DOMAIN, "tensor: alpha or beta is not finite");
    if (!paired && (alpha[1] != 0 || beta[1] != 0))
        return padici_fail(context, PADIC_ERROR_ARGUMENT,
                           "tensor: alpha and beta of real tensors have no imaginary part");
    plan->math = math;
    for (i = 0; i < 2; i++) {
        plan->alpha[i] = alpha[i];
        plan->beta[i] = beta[i];
    }
    if (alpha[0] == 0 && alpha[1] == 0) plan->alpha[0] = 1;
    return PADIC_OK;
}

static padic_result padici_tensor_gemm_plan(padic_context *context,
                                            const padic_tensor_gemm_desc *desc,
                                            padici_tensor_plan *plan)
{
    const padic_tensor *t[3];
    const uint32_t op[3] = {desc->op_a, desc->op_b, PADIC_TENSOR_N};
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
        return padici_fail(context, PADIC_ERROR_MISMATCH, "gemm: a, b and c are of one dtype");
    batched = t[2]->rank == 3;
    for (i = 0; i < 3; i++) {
        const uint32_t rank = t[i]->rank;
        const uint32_t turned = op[i] == PADIC_TENSOR_T || op[i] == PADIC_TENSOR_C;
        if (op[i] > PADIC_TENSOR_CONJ)
            return padici_fail(context, PADIC_ERROR_ARGUMENT, "gemm: op is no padic_tensor_op");
        if (rank != 2 && (rank != 3 || !batched))
            return padici_fail(context, PADIC_ERROR_ARGUMENT,
                               "gemm: a, b and c have rank 2, or 3 when c has");
        if (rank == 3 && t[i]->shape[0] != t[2]->shape[0])
            return padici_fail(context, PADIC_ERROR_MISMATCH,
                               "gemm: a, b and c differ in the size of the batch");
        padici_tensor_dense(t[i], stride[i]);
        size[i][0] = t[i]->shape[rank - 2 + turned];
        size[i][1] = t[i]->shape[rank - 1 - turned];
        step[i][0] = rank == 3 ? stride[i][0] : 0;
        step[i][1] = stride[i][rank - 2 + turned];
        step[i][2] = stride[i][rank - 1 - turned];
        if (op[i] == PADIC_TENSOR_C || op[i] == PADIC_TENSOR_CONJ) plan->conj |= 1u << i;
    }
    if (size[0][0] != size[2][0] || size[1][1] != size[2][1] || size[0][1] != size[1][0])
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "gemm: op(a) is m x k, op(b) k x n and c m x n");
    if (batched)
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], t[2]->shape[0], step[0][0],
                                step[1][0], step[2][0]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], size[2][0], step[0][1], 0, step[2][1]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], size[2][1], 0, step[1][2],
                            step[2][2]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], size[0][1], step[0][2], step[1][1], 0);
    if (!padici_tensor_plan_tidy(plan))
        return padici_fail(context, PADIC_ERROR_LIMIT, "gemm: a size beyond 2^64");
    return PADIC_OK;
}

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

// One label an axis, no more, and in c none twice.
static const char *padici_tensor_labels_fault(const padic_tensor *const t[3],
                                              const uint8_t *const labels[3])
{
    uint32_t i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < PADIC_MAX_RANK; j++)
            if ((labels[i][j] != 0) != (j < t[i]->rank))
                return i == 0   ? "contract: labels_a has one label an axis of a, then 0"
                       : i == 1 ? "contract: labels_b has one label an axis of b, then 0"
                                : "contract: labels_c has one label an axis of c, then 0";
    for (j = 0; j < t[2]->rank; j++)
        for (k = 0; k < j; k++)
            if (labels[2][j] == labels[2][k]) return "contract: labels_c has a label twice";
    return NULL;
}

static padic_result padici_tensor_contract_plan(padic_context *context,
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
        return padici_fail(context, PADIC_ERROR_ARGUMENT, "contract: conj is 0 to 3");
    plan->conj = desc->conj;
    fault = padici_tensor_labels_fault(t, labels);
    if (fault) return padici_fail(context, PADIC_ERROR_ARGUMENT, fault);
    memset(seen, 0, sizeof seen);
    for (i = 3; i-- > 0;) // from c on, so that its labels decide the order
        for (j = 0; j < t[i]->rank; j++) {
            padici_tensor_axis axis;
            if (seen[labels[i][j]]) continue;
            seen[labels[i][j]] = 1;
            if (!padici_tensor_label_axis(t, labels, labels[i][j], &axis, &has))
                return padici_fail(context, PADIC_ERROR_MISMATCH,
                                   "contract: axes of one label differ in size");
            if (has == 4)
                return padici_fail(context, PADIC_ERROR_ARGUMENT,
                                   "contract: labels_c has a label that neither a nor b has");
            padici_tensor_group_add(&plan->group[group_of[has]], axis.size, axis.step[0],
                                    axis.step[1], axis.step[2]);
        }
    if (!padici_tensor_plan_tidy(plan))
        return padici_fail(context, PADIC_ERROR_LIMIT, "contract: more than 2^64 products");
    return PADIC_OK;
}

// A place in a group, and where each operand stands there.
typedef struct padici_tensor_walk {
    const padici_tensor_group *group;
    uint64_t digit[PADICI_TENSOR_AXES];
    int64_t at[3];
} padici_tensor_walk;

static void padici_tensor_walk_to(padici_tensor_walk *walk, const padici_tensor_group *group,
                                  uint64_t index)
{
    uint32_t i, j;
    walk->group = group;
    for (j = 0; j < 3; j++) walk->at[j] = 0;
    for (i = group->count; i-- > 0;) {
        walk->digit[i] = index % group->axis[i].size;
        index /= group->axis[i].size;
        for (j = 0; j < 3; j++) walk->at[j] += (int64_t)walk->digit[i] * group->axis[i].step[j];
    }
}

static void padici_tensor_walk_on(padici_tensor_walk *walk)
{
    uint32_t i, j;
    for (i = walk->group->count; i-- > 0;) {
        const padici_tensor_axis *axis = &walk->group->axis[i];
        for (j = 0; j < 3; j++) walk->at[j] += axis->step[j];
        if (++walk->digit[i] < axis->size) return;
        walk->digit[i] = 0;
        for (j = 0; j < 3; j++) walk->at[j] -= (int64_t)axis->size * axis->step[j];
    }
}

// The reference: tiles of 8 x 8 results, sums in F64 over blocks of 4.
#define PADICI_TENSOR_TILE 8
#define PADICI_TENSOR_BLOCK 4

typedef struct padici_tensor_work {
    const padici_tensor_plan *plan;
    char *data[3];
    uint64_t rows, columns, tiles, share; // tiles down, across, in all, and of one task
} padici_tensor_work;

typedef struct padici_tensor_panel { // some numbers of a and b, as F64
    double re[PADICI_TENSOR_BLOCK][PADICI_TENSOR_TILE], im[PADICI_TENSOR_BLOCK][PADICI_TENSOR_TILE];
} padici_tensor_panel;

PADICI_INLINE void padici_tensor_read(padic_dtype dtype, const char *data, int64_t at, double *re,
                                      double *im)
{
    float f[2];
    double d[2];
    *im = 0;
    if (dtype == PADIC_F32) {
        memcpy(f, data + at * 4, 4);
        *re = (double)f[0];
    } else if (dtype == PADIC_C64) {
        memcpy(f, data + at * 8, 8);
        *re = (double)f[0];
        *im = (double)f[1];
    } else if (dtype == PADIC_F64) {
        memcpy(re, data + at * 8, 8);
    } else {
        memcpy(d, data + at * 16, 16);
        *re = d[0];
        *im = d[1];
    }
}

PADICI_INLINE void padici_tensor_write(padic_dtype dtype, char *data, int64_t at, double re,
                                       double im)
{
    float f[2];
    double d[2];
    if (padici_tensor_is_double(dtype)) {
        d[0] = re;
        d[1] = im;
        memcpy(data + at * (dtype == PADIC_F64 ? 8 : 16), d, dtype == PADIC_F64 ? 8 : 16);
    } else {
        f[0] = (float)re;
        f[1] = (float)im;
        memcpy(data + at * (dtype == PADIC_F32 ? 4 : 8), f, dtype == PADIC_F32 ? 4 : 8);
    }
}

// Fills a panel from operand i: `depth` places of the sum, `width` rows or columns. Places beyond
// are 0.
static void padici_tensor_gather(const padici_tensor_work *work, uint32_t i, const int64_t *sum,
                                 uint32_t depth, const int64_t *line, uint32_t width,
                                 padici_tensor_panel *panel)
{
    const padic_dtype dtype = work->plan->dtype[i];
    const double sign = work->plan->conj >> i & 1 ? -1.0 : 1.0;
    uint32_t k, l;
    memset(panel, 0, sizeof *panel);
    for (k = 0; k < depth; k++)
        for (l = 0; l < width; l++) {
            padici_tensor_read(dtype, work->data[i], sum[k] + line[l], &panel->re[k][l],
                               &panel->im[k][l]);
            panel->im[k][l] *= sign;
        }
}

// sum += a b for a block of the sum.
static void padici_tensor_block(const padici_tensor_panel *a, const padici_tensor_panel *b,
                                int paired, double re[][PADICI_TENSOR_TILE],
                                double im[][PADICI_TENSOR_TILE])
{
    uint32_t k, i, j;
    for (k = 0; k < PADICI_TENSOR_BLOCK; k++)
        for (i = 0; i < PADICI_TENSOR_TILE; i++) {
            const double ar = a->re[k][i], ai = a->im[k][i];
            for (j = 0; j < PADICI_TENSOR_TILE; j++) re[i][j] += ar * b->re[k][j];
            if (!paired) continue;
            for (j = 0; j < PADICI_TENSOR_TILE; j++) {
                re[i][j] -= ai * b->im[k][j];
                im[i][j] += ar * b->im[k][j] + ai * b->re[k][j];
            }
        }
}

// c = alpha sum + beta c, rounded once.
static void padici_tensor_store(const padici_tensor_work *work, int64_t at, double re, double im)
{
    const padici_tensor_plan *plan = work->plan;
    const double *x = plan->alpha, *y = plan->beta;
    // Sums only: gcc 12 fuses a vector of a difference and a sum, whatever the setting.
    double r = x[0] * re + -x[1] * im, i = x[0] * im + x[1] * re, cr, ci;
    if (y[0] != 0 || y[1] != 0) {
        padici_tensor_read(plan->dtype[2], work->data[2], at, &cr, &ci);
        r += y[0] * cr + -y[1] * ci;
        i += y[0] * ci + y[1] * cr;
    }
    padici_tensor_write(plan->dtype[2], work->data[2], at, r, i);
}

// Where the next `count` places of a walk lie for operands x and y.
static void padici_tensor_places(padici_tensor_walk *walk, uint32_t count, uint32_t x,
                                 int64_t *at_x, uint32_t y, int64_t *at_y)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        at_x[i] = walk->at[x];
        at_y[i] = walk->at[y];
        padici_tensor_walk_on(walk);
    }
}

PADICI_INLINE uint32_t padici_tensor_part(uint64_t size, uint64_t begin, uint32_t most)
{
    return size - begin < most ? (uint32_t)(size - begin) : most;
}

static void padici_tensor_tile(const padici_tensor_work *work, uint64_t tile)
{
    const padici_tensor_group *group = work->plan->group;
    const uint64_t column = tile % work->columns * PADICI_TENSOR_TILE;
    const uint64_t row = tile / work->columns % work->rows * PADICI_TENSOR_TILE;
    const uint32_t height = padici_tensor_part(group[PADICI_TENSOR_ROW].size, row, 8);
    const uint32_t width = padici_tensor_part(group[PADICI_TENSOR_COLUMN].size, column, 8);
    const int paired = padici_tensor_is_complex(work->plan->dtype[2]);
    double re[PADICI_TENSOR_TILE][PADICI_TENSOR_TILE], im[PADICI_TENSOR_TILE][PADICI_TENSOR_TILE];
    int64_t row_a[8], row_c[8], column_b[8], column_c[8], base[3];
    uint64_t k;
    uint32_t i, j;
    padici_tensor_walk walk;
    memset(re, 0, sizeof re);
    memset(im, 0, sizeof im);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_BATCH],
                          tile / work->columns / work->rows);
    memcpy(base, walk.at, sizeof base);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_ROW], row);
    padici_tensor_places(&walk, height, 0, row_a, 2, row_c);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_COLUMN], column);
    padici_tensor_places(&walk, width, 1, column_b, 2, column_c);
    if (group[PADICI_TENSOR_SUM].size)
        padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_SUM], 0);
    for (k = 0; k < group[PADICI_TENSOR_SUM].size; k += PADICI_TENSOR_BLOCK) {
        const uint32_t depth = padici_tensor_part(group[PADICI_TENSOR_SUM].size, k, 4);
        int64_t sum_a[PADICI_TENSOR_BLOCK], sum_b[PADICI_TENSOR_BLOCK];
        padici_tensor_panel a, b;
        padici_tensor_places(&walk, depth, 0, sum_a, 1, sum_b);
        for (i = 0; i < depth; i++) {
            sum_a[i] += base[0];
            sum_b[i] += base[1];
        }
        padici_tensor_gather(work, 0, sum_a, depth, row_a, height, &a);
        padici_tensor_gather(work, 1, sum_b, depth, column_b, width, &b);
        padici_tensor_block(&a, &b, paired, re, im);
    }
    for (i = 0; i < height; i++)
        for (j = 0; j < width; j++)
            padici_tensor_store(work, base[2] + row_c[i] + column_c[j], re[i][j], im[i][j]);
}

static void padici_tensor_task(void *arg, uint32_t task)
{
    const padici_tensor_work *work = (const padici_tensor_work *)arg;
    const uint64_t begin = task * work->share;
    uint64_t i;
    for (i = begin; i < work->tiles && i < begin + work->share; i++) padici_tensor_tile(work, i);
}

// Operands are in host memory, checked, and c has elements.
static void padici_tensor_run(const padic_jobs *jobs, const padici_tensor_plan *plan, void *a,
                              void *b, void *c)
{
    padici_tensor_work work;
    work.plan = plan;
    work.data[0] = (char *)a;
    work.data[1] = (char *)b;
    work.data[2] = (char *)c;
    work.rows = (plan->group[PADICI_TENSOR_ROW].size + PADICI_TENSOR_TILE - 1) / PADICI_TENSOR_TILE;
    work.columns =
        (plan->group[PADICI_TENSOR_COLUMN].size + PADICI_TENSOR_TILE - 1) / PADICI_TENSOR_TILE;
    work.tiles = work.rows * work.columns * plan->group[PADICI_TENSOR_BATCH].size;
    work.share = work.tiles / 4096 + 1;
    padici_parallel(jobs, (uint32_t)((work.tiles + work.share - 1) / work.share),
                    padici_tensor_task, &work);
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

PADIC_API padic_result padic_tensor_labels(const char *expression,
                                           padic_tensor_contract_desc *desc, uint32_t *position)
{
    uint8_t labels[3][PADIC_MAX_RANK];
    uint32_t at = 0, i;
    int good = 1, guess = 0;
    padic_result result = PADIC_OK;
    if (position) *position = 0;
    if (!expression || !desc) return PADIC_ERROR_ARGUMENT;
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
    if (position) *position = at;
    if (result) return result;
    memcpy(desc->labels_a, labels[0], sizeof labels[0]);
    memcpy(desc->labels_b, labels[1], sizeof labels[1]);
    memcpy(desc->labels_c, labels[2], sizeof labels[2]);
    return PADIC_OK;
}

// ---------------------------------------------------------------------------- >>tensor operations

// tensor_gemm, tensor_contract

static padic_result padici_tensor_gemm_check(padic_context *context, const void *desc)
{
    padici_tensor_plan plan;
    return padici_tensor_gemm_plan(context, (const padic_tensor_gemm_desc *)desc, &plan);
}

static padic_result padici_tensor_contract_check(padic_context *context, const void *desc)
{
    padici_tensor_plan plan;
    return padici_tensor_contract_plan(context, (const padic_tensor_contract_desc *)desc, &plan);
}

static uint32_t padici_tensor_operands(padic_tensor *a, padic_tensor *b, padic_tensor *c,
                                       const double *beta, padici_operand *operands)
{
    operands[0].tensor = a;
    operands[1].tensor = b;
    operands[2].tensor = c;
    operands[0].any_stride = operands[1].any_stride = 1;
    operands[2].out = beta[0] != 0 || beta[1] != 0 ? 2 : 1; // c is read, too
    return 3;
}

static uint32_t padici_tensor_gemm_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_gemm_desc *desc = (padic_tensor_gemm_desc *)desc_;
    return padici_tensor_operands(&desc->a, &desc->b, &desc->c, desc->beta, operands);
}

static uint32_t padici_tensor_contract_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_contract_desc *desc = (padic_tensor_contract_desc *)desc_;
    return padici_tensor_operands(&desc->a, &desc->b, &desc->c, desc->beta, operands);
}

static padic_result padici_tensor_gemm_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_tensor_gemm_desc *desc = (const padic_tensor_gemm_desc *)desc_;
    padici_tensor_plan plan;
    padic_result result = padici_tensor_gemm_plan(NULL, desc, &plan);
    if (!result) padici_tensor_run(jobs, &plan, desc->a.data, desc->b.data, desc->c.data);
    return result;
}

static padic_result padici_tensor_contract_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_tensor_contract_desc *desc = (const padic_tensor_contract_desc *)desc_;
    padici_tensor_plan plan;
    padic_result result = padici_tensor_contract_plan(NULL, desc, &plan);
    if (!result) padici_tensor_run(jobs, &plan, desc->a.data, desc->b.data, desc->c.data);
    return result;
}
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
