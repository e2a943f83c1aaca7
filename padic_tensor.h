// padic_tensor.h: tensors. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>tensor API          matrix products, contractions of labelled axes, factorisations
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

// Factorisations of a matrix A (m x n), or of each matrix of a batch (one more axis in front), F32,
// F64, C64 or C128; r is the smaller of m and n. What is read may have any strides. The work is
// done in F64 and rounded once, a matrix by one worker: D1. A result that is absent (dtype NONE) is
// not made. All tensors must lie in host memory or a host buffer: NOT_SUPPORTED otherwise. Working
// memory comes from the context's allocator (malloc without one): about 64 r max(m, n)
// bytes a worker.
//
// `info`, optional, takes one result for each matrix of the batch: PADIC_OK; NOT_FINITE when A has
// a NaN or an infinity, then nothing is written for it; DOMAIN when 30 sweeps were not enough, then
// the values so far are. The others are done all the same; the call returns the first that is not
// OK, and the context's message names the matrix. Other errors, before anything is written: DTYPE,
// MISMATCH, ARGUMENT, OVERLAP, MEMORY, LIMIT.

// A = U diag(S) Vh: U (m x r) has orthonormal columns, Vh (r x n) orthonormal rows, S (r) descends.
// One-sided Jacobi, after a QR when one side is longer than 1.2 r. The largest entry of each column
// of U is real and positive (of several, the first within 2^-20). Columns of U for which S <=
// max(m, n) eps S_0 are completed to an orthonormal set. Golub and Van Loan 8.6.
typedef struct padic_tensor_svd_desc {
    padic_tensor a;
    padic_tensor u, vh; // dtype of a; optional
    padic_tensor s;     // F32 for F32 and C64, else F64; optional
    int32_t *info;
} padic_tensor_svd_desc;
PADIC_API padic_result padic_tensor_svd(padic_context *context, const padic_tensor_svd_desc *desc);

// A = Q R by Householder reflections: Q (m x r) has orthonormal columns, R (r x n) is upper
// triangular, its diagonal real and >= 0, so that the Q of a Gaussian matrix is Haar distributed.
typedef struct padic_tensor_qr_desc {
    padic_tensor a;
    padic_tensor q, r; // dtype of a; optional
    int32_t *info;
} padic_tensor_qr_desc;
PADIC_API padic_result padic_tensor_qr(padic_context *context, const padic_tensor_qr_desc *desc);

// A = V diag(W) V^dagger, A Hermitian (n x n): its lower triangle is read, the imaginary part of
// the diagonal ignored. W (n) ascends; the largest entry of each column of V is real and positive,
// as above. Jacobi rotations up to n = 64, tridiagonal form and implicit QL steps above.
typedef struct padic_tensor_eigh_desc {
    padic_tensor a;
    padic_tensor v; // n x n, dtype of a; optional
    padic_tensor w; // as s above; optional
    int32_t *info;
} padic_tensor_eigh_desc;
PADIC_API padic_result padic_tensor_eigh(padic_context *context,
                                         const padic_tensor_eigh_desc *desc);
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

// Factorisations. A matrix is F64, complex, interleaved, its columns one after another; of real
// ones the imaginary parts stay 0.

#define PADICI_EPS 1.1102230246251565e-16 // 2^-53

// x^dagger y
static void padici_z_dot(uint64_t n, const double *x, const double *y, double out[2])
{
    double re = 0, im = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        re += x[i] * y[i];
        re += x[i + 1] * y[i + 1];
        im += x[i] * y[i + 1];
        im -= x[i + 1] * y[i];
    }
    out[0] = re;
    out[1] = im;
}

static double padici_z_norm2(uint64_t n, const double *x)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i++) sum += x[i] * x[i];
    return sum;
}

// y += (re + i im) x
static void padici_z_add(uint64_t n, double *y, double re, double im, const double *x)
{
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        double a = y[i], b = y[i + 1];
        a += re * x[i];
        a -= im * x[i + 1];
        b += re * x[i + 1];
        b += im * x[i];
        y[i] = a;
        y[i + 1] = b;
    }
}

// x *= re + i im
static void padici_z_scale(uint64_t n, double *x, double re, double im)
{
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        x[i] = a * re;
        x[i] -= b * im;
        x[i + 1] = a * im;
        x[i + 1] += b * re;
    }
}

// (x, y) <- (c x - s conj(e) y, s x + c conj(e) y), |e| = 1: a rotation after y's phase is turned.
static void padici_z_rotate(uint64_t n, double *x, double *y, double c, double s, const double e[2])
{
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        double p = y[i] * e[0], q = y[i + 1] * e[0];
        p += y[i + 1] * e[1];
        q -= y[i] * e[1];
        x[i] = c * a + -s * p;
        x[i + 1] = c * b + -s * q;
        y[i] = s * a + c * p;
        y[i + 1] = s * b + c * q;
    }
}

// The reflection I - 2 v v^dagger / |v|^2 that takes x to (beta, 0, ...): v in place of x, beta =
// -phase(x_0) |x|. Returns 2/|v|^2, or 0 when x is 0.
static double padici_z_reflector(uint64_t n, double *x, double beta[2])
{
    const double norm2 = padici_z_norm2(n, x), first = sqrt(x[0] * x[0] + x[1] * x[1]);
    const double norm = sqrt(norm2);
    double phase[2];
    beta[0] = beta[1] = 0;
    if (!(norm2 > 0)) return 0;
    phase[0] = first > 0 ? x[0] / first : 1;
    phase[1] = first > 0 ? x[1] / first : 0;
    beta[0] = -phase[0] * norm;
    beta[1] = -phase[1] * norm;
    x[0] += phase[0] * norm;
    x[1] += phase[1] * norm;
    return 1 / (norm2 + norm * first);
}

// y <- (I - tau v v^dagger) y
static void padici_z_reflect(uint64_t n, const double *v, double tau, double *y)
{
    double g[2];
    if (tau == 0) return;
    padici_z_dot(n, v, y, g);
    padici_z_add(n, y, -tau * g[0], -tau * g[1], v);
}

// a (m x n) becomes the vectors v below and on the diagonal and R above it; tau[k], and diag: R's
// diagonal (complex).
static void padici_z_qr(uint64_t m, uint64_t n, double *a, double *tau, double *diag)
{
    const uint64_t r = m < n ? m : n;
    uint64_t j, k;
    for (k = 0; k < r; k++) {
        double *column = a + 2 * (k * m + k);
        tau[k] = padici_z_reflector(m - k, column, diag + 2 * k);
        for (j = k + 1; j < n; j++)
            padici_z_reflect(m - k, column, tau[k], a + 2 * (j * m + k));
    }
}

// x (m x columns) <- Q x, of the reflections in a.
static void padici_z_qr_apply(uint64_t m, uint64_t r, const double *a, const double *tau,
                              uint64_t columns, double *x)
{
    uint64_t j, k;
    for (k = r; k-- > 0;)
        for (j = 0; j < columns; j++)
            padici_z_reflect(m - k, a + 2 * (k * m + k), tau[k], x + 2 * (j * m + k));
}

// The phase of z, 1 for 0.
static void padici_z_phase(const double z[2], double phase[2])
{
    const double size = sqrt(z[0] * z[0] + z[1] * z[1]);
    phase[0] = size > 0 ? z[0] / size : 1;
    phase[1] = size > 0 ? z[1] / size : 0;
}

// One-sided Jacobi: columns of w (m x n) are rotated until they are orthogonal, and with them those
// of v (n x n; NULL is fine). 0 when 30 sweeps do not do it.
static int padici_z_jacobi(uint64_t m, uint64_t n, double *w, double *v, double tolerance)
{
    uint32_t sweep;
    for (sweep = 0; sweep < 30; sweep++) {
        uint64_t p, q, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = w + 2 * p * m, *y = w + 2 * q * m, g[2], e[2], z, t, c;
                const double a = padici_z_norm2(m, x), b = padici_z_norm2(m, y);
                double size;
                padici_z_dot(m, x, y, g);
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > tolerance * sqrt(a) * sqrt(b)) || !(size > 1e-100)) continue;
                turned++;
                e[0] = g[0] / size;
                e[1] = g[1] / size;
                z = (b - a) / (2 * size);
                t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                c = 1 / sqrt(1 + t * t);
                padici_z_rotate(m, x, y, c, c * t, e);
                if (v) padici_z_rotate(n, v + 2 * p * n, v + 2 * q * n, c, c * t, e);
            }
        if (!turned) return 1;
    }
    return n < 2;
}

static void padici_z_swap(uint64_t n, double *x, double *y)
{
    uint64_t i;
    for (i = 0; i < 2 * n; i++) {
        const double a = x[i];
        x[i] = y[i];
        y[i] = a;
    }
}

// Sorts values (descending, or ascending) and the columns of x and y (NULL is fine) with them.
static void padici_z_sort(uint64_t n, double *values, int ascending, uint64_t m, double *x,
                          uint64_t k, double *y)
{
    uint64_t i, j;
    for (i = 0; i + 1 < n; i++) {
        uint64_t best = i;
        double value;
        for (j = i + 1; j < n; j++)
            if (ascending ? values[j] < values[best] : values[j] > values[best]) best = j;
        if (best == i) continue;
        value = values[i];
        values[i] = values[best];
        values[best] = value;
        if (x) padici_z_swap(m, x + 2 * i * m, x + 2 * best * m);
        if (y) padici_z_swap(k, y + 2 * i * k, y + 2 * best * k);
    }
}

// Columns `done` and on of u (m x n) become unit vectors orthogonal to all before: of the axes the
// one that those before cover least, orthogonalised twice.
static void padici_z_complete(uint64_t m, uint64_t n, uint64_t done, double *u)
{
    uint64_t i, j, k, pass;
    for (k = done; k < n; k++) {
        double *x = u + 2 * k * m, least = 2, g[2], norm;
        uint64_t at = 0;
        for (i = 0; i < m; i++) {
            double covered = 0;
            for (j = 0; j < k; j++) covered += padici_z_norm2(1, u + 2 * (j * m + i));
            if (covered < least) {
                least = covered;
                at = i;
            }
        }
        memset(x, 0, (size_t)(16 * m));
        x[2 * at] = 1;
        for (pass = 0; pass < 2; pass++)
            for (j = 0; j < k; j++) {
                padici_z_dot(m, u + 2 * j * m, x, g);
                padici_z_add(m, x, -g[0], -g[1], u + 2 * j * m);
            }
        norm = sqrt(padici_z_norm2(m, x));
        padici_z_scale(m, x, 1 / norm, 0);
    }
}

// Turns column x so that its largest entry is real and positive, and y by the same phase.
static void padici_z_sign(uint64_t m, double *x, uint64_t n, double *y)
{
    double largest = 0, phase[2];
    uint64_t i, at = 0;
    for (i = 0; i < m; i++) {
        const double size = padici_z_norm2(1, x + 2 * i);
        if (size <= largest * (1 + 1.9073486328125e-6)) continue;
        largest = size;
        at = i;
    }
    padici_z_phase(x + 2 * at, phase);
    padici_z_scale(m, x, phase[0], -phase[1]);
    if (phase[1] != 0) x[2 * at + 1] = 0;
    if (y) padici_z_scale(n, y, phase[0], -phase[1]);
}

// w (m x n, m >= n) = U diag(s) V^dagger: U in place of w, s, V (n x n; NULL: s alone is made, and
// w is lost). work: 2 m n + 2 n n + 3 n doubles. `single`: the numbers came from F32.
static int padici_z_svd(uint64_t m, uint64_t n, double *w, double *s, double *v, double *work,
                        int single)
{
    const double eps = single ? 1.1920928955078125e-7 : 2 * PADICI_EPS;
    const double tolerance = (double)n * (single ? 9.094947017729282e-13 : PADICI_EPS);
    const int tall = (double)m > 1.2 * (double)n;
    const uint64_t rows = tall ? n : m;
    double *x = w, *tau = work, *diag = work + n, *q = work + 3 * n, limit;
    uint64_t i, j, rank;
    int good;
    if (tall) { // of R instead
        padici_z_qr(m, n, w, tau, diag);
        x = q + 2 * m * n;
        memset(x, 0, (size_t)(16 * n * n));
        for (j = 0; j < n; j++) {
            memcpy(x + 2 * j * n, w + 2 * j * m, (size_t)(16 * j));
            x[2 * (j * n + j)] = diag[2 * j];
            x[2 * (j * n + j) + 1] = diag[2 * j + 1];
        }
    }
    if (v) memset(v, 0, (size_t)(16 * n * n));
    for (j = 0; v && j < n; j++) v[2 * (j * n + j)] = 1;
    good = padici_z_jacobi(rows, n, x, v, tolerance);
    for (j = 0; j < n; j++) s[j] = sqrt(padici_z_norm2(rows, x + 2 * j * rows));
    padici_z_sort(n, s, 0, rows, v ? x : NULL, n, v);
    if (!v) return good;
    limit = (double)m * eps * (n ? s[0] : 0);
    for (rank = 0; rank < n && s[rank] > limit; rank++)
        padici_z_scale(rows, x + 2 * rank * rows, 1 / s[rank], 0);
    padici_z_complete(rows, n, rank, x);
    if (!tall) return good;
    memset(q, 0, (size_t)(16 * m * n));
    for (j = 0; j < n; j++) memcpy(q + 2 * j * m, x + 2 * j * n, (size_t)(16 * n));
    padici_z_qr_apply(m, n, w, tau, n, q);
    for (i = 0; i < 2 * m * n; i++) w[i] = q[i];
    return good;
}

// Two-sided Jacobi on the Hermitian a (n x n), whole; its diagonal becomes the eigenvalues. v may
// be NULL.
static int padici_z_eigh_jacobi(uint64_t n, double *a, double *v)
{
    const double tiny = 8.673617379884035e-19 * sqrt(padici_z_norm2(n * n, a)); // 2^-60
    uint32_t sweep;
    for (sweep = 0; sweep < 30; sweep++) {
        uint64_t p, q, i, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = a + 2 * p * n, *y = a + 2 * q * n, g[2], e[2], z, t, c, s, size;
                const double app = x[2 * p], aqq = y[2 * q];
                g[0] = y[2 * p]; // a_pq
                g[1] = y[2 * p + 1];
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > PADICI_EPS * sqrt(fabs(app)) * sqrt(fabs(aqq))) || !(size > tiny))
                    continue;
                turned++;
                padici_z_phase(g, e);
                z = (aqq - app) / (2 * size);
                t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                c = 1 / sqrt(1 + t * t);
                s = c * t;
                padici_z_rotate(n, x, y, c, s, e);
                for (i = 0; i < n; i++) { // rows, as the conjugates of columns
                    if (i == p || i == q) continue;
                    a[2 * (i * n + p)] = x[2 * i];
                    a[2 * (i * n + p) + 1] = -x[2 * i + 1];
                    a[2 * (i * n + q)] = y[2 * i];
                    a[2 * (i * n + q) + 1] = -y[2 * i + 1];
                }
                x[2 * p] = app - t * size;
                y[2 * q] = aqq + t * size;
                x[2 * p + 1] = y[2 * q + 1] = 0;
                x[2 * q] = x[2 * q + 1] = y[2 * p] = y[2 * p + 1] = 0;
                if (v) padici_z_rotate(n, v + 2 * p * n, v + 2 * q * n, c, s, e);
            }
        if (!turned) return 1;
    }
    return n < 2;
}

// a (Hermitian, n x n, whole) to a real tridiagonal matrix d, e (e[k] couples k and k + 1), with
// the transformation in v (NULL is fine): a = v T v^dagger. work: 2 n + n.
static void padici_z_tridiagonal(uint64_t n, double *a, double *v, double *d, double *e,
                                 double *work)
{
    double *p = work, *tau = work + 2 * n, phase[2], turn[2], beta[2];
    uint64_t i, j, k;
    if (v) memset(v, 0, (size_t)(16 * n * n));
    if (v) v[0] = 1;
    turn[0] = 1;
    turn[1] = 0;
    for (k = 0; k + 1 < n; k++) {
        double *x = a + 2 * (k * n + k + 1), g[2], t;
        const uint64_t m = n - k - 1;
        d[k] = a[2 * (k * n + k)];
        tau[k] = padici_z_reflector(m, x, beta);
        e[k] = sqrt(beta[0] * beta[0] + beta[1] * beta[1]);
        padici_z_phase(beta, phase); // of the entry below the diagonal
        t = turn[0] * phase[0] - turn[1] * phase[1];
        turn[1] = turn[0] * phase[1] + turn[1] * phase[0];
        turn[0] = t;
        if (v) {
            v[2 * ((k + 1) * n + k + 1)] = turn[0];
            v[2 * ((k + 1) * n + k + 1) + 1] = turn[1];
        }
        if (tau[k] == 0) continue;
        memset(p, 0, (size_t)(16 * m));
        for (j = 0; j < m; j++) // p = tau A x
            padici_z_add(m, p, tau[k] * x[2 * j], tau[k] * x[2 * j + 1],
                         a + 2 * ((k + 1 + j) * n + k + 1));
        padici_z_dot(m, x, p, g);
        padici_z_add(m, p, -0.5 * tau[k] * g[0], -0.5 * tau[k] * g[1], x);
        for (j = 0; j < m; j++) { // A -= x p^dagger + p x^dagger
            double *column = a + 2 * ((k + 1 + j) * n + k + 1);
            padici_z_add(m, column, -p[2 * j], p[2 * j + 1], x);
            padici_z_add(m, column, -x[2 * j], x[2 * j + 1], p);
        }
    }
    if (n) d[n - 1] = a[2 * (n * n - 1)];
    for (k = n; v && k-- > 1;)
        for (i = 0; i < n; i++)
            padici_z_reflect(n - k, a + 2 * ((k - 1) * n + k), tau[k - 1], v + 2 * (i * n + k));
}

// Implicit QL on the tridiagonal d, e (n of each, e[n - 1] is space); columns of v (n x n; NULL is
// fine) turn along. Bowdler, Martin, Reinsch, Wilkinson 1968.
static int padici_z_ql(uint64_t n, double *d, double *e, double *v)
{
    static const double one[2] = {1, 0};
    uint64_t l, k, i;
    for (l = 0; l < n; l++) {
        uint32_t step;
        for (step = 0;; step++) {
            double g, r, s = 1, c = 1, p = 0;
            for (k = l; k + 1 < n; k++)
                if (fabs(e[k]) <= 1e-290 + PADICI_EPS * (fabs(d[k]) + fabs(d[k + 1]))) break;
            if (k == l) break;
            if (step == 60) return 0;
            g = (d[l + 1] - d[l]) / (2 * e[l]);
            r = sqrt(g * g + 1);
            g = d[k] - d[l] + e[l] / (g + (g < 0 ? -r : r));
            for (i = k; i-- > l;) {
                const double f = s * e[i], b = c * e[i];
                e[i + 1] = r = sqrt(f * f + g * g);
                if (r == 0) break; // underflow: this coupling is gone
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                if (v) padici_z_rotate(n, v + 2 * i * n, v + 2 * (i + 1) * n, c, s, one);
                r = 1;
            }
            if (r == 0) {
                d[i + 1] -= p;
            } else {
                d[l] -= p;
                e[l] = g;
            }
            e[k] = 0;
        }
    }
    return 1;
}

// Eigenvalues, ascending, of the Hermitian a (n x n, whole, lost), vectors in v (NULL: none). work:
// 4 n doubles.
static int padici_z_eigh(uint64_t n, double *a, double *values, double *v, double *work)
{
    uint64_t i;
    int good;
    if (n <= 64 && v) { // values alone: fewer operations the other way
        memset(v, 0, (size_t)(16 * n * n));
        for (i = 0; i < n; i++) v[2 * (i * n + i)] = 1;
        good = padici_z_eigh_jacobi(n, a, v);
        for (i = 0; i < n; i++) values[i] = a[2 * (i * n + i)];
    } else {
        padici_z_tridiagonal(n, a, v, values, work + 3 * n, work);
        good = padici_z_ql(n, values, work + 3 * n, v);
    }
    padici_z_sort(n, values, 1, n, v, 0, NULL);
    return good;
}

// One call of svd, qr or eigh. Tensors: A, then what is made of it.
typedef struct padici_factor {
    padici_operand operands[4];
    padic_tensor tensors[4];
    uint32_t count, kind;  // of tensors; below
    uint64_t batch, m, n, r;
    int64_t stride[4][3];  // batch, row, column; a vector has only the row
    const padic_allocator *allocator;
    const padic_jobs *jobs;
    int32_t *info;
    double *space;
    size_t each;    // doubles for one task
    uint64_t tasks;
} padici_factor;

enum { PADICI_FACTOR_SVD, PADICI_FACTOR_QR, PADICI_FACTOR_EIGH };

static padic_result padici_operand_find(padic_context *context, padici_operand *o, uint64_t count);
static int padici_operands_overlap(const padici_operand *a, const padici_operand *b);

// Finds host tensors (an absent one has dtype NONE), sets their data; the first `in` are read.
static padic_result padici_tensor_host(padic_context *context, padic_tensor *tensors,
                                       padici_operand *operands, uint32_t count, uint32_t in)
{
    uint32_t i, j;
    memset(operands, 0, count * sizeof *operands);
    for (i = 0; i < count; i++) {
        padici_operand *o = &operands[i];
        uint64_t elements;
        padic_result result;
        if (tensors[i].dtype == PADIC_DTYPE_NONE) continue;
        o->tensor = &tensors[i];
        o->out = i >= in;
        result = padici_tensor_check_view(o->tensor, i < in, &elements);
        if (result) return padici_fail(context, result, padic_result_text(result));
        result = padici_operand_find(context, o, elements);
        if (result) return result;
        if (!o->home.host)
            return padici_fail(context, PADIC_ERROR_NOT_SUPPORTED,
                               "the buffer is in a device's memory: download it first");
        for (j = 0; j < i; j++)
            if (o->out && o->bytes && operands[j].bytes && padici_operands_overlap(o, &operands[j]))
                return padici_fail(context, PADIC_ERROR_OVERLAP, "an output shares memory");
    }
    for (i = 0; i < count; i++)
        if (operands[i].tensor && operands[i].bytes)
            tensors[i].data = (void *)(uintptr_t)(operands[i].home.mem.bits + operands[i].home.at);
    return PADIC_OK;
}

// Shape and strides of tensor i, which has `rows` x `columns` (0: a vector) a matrix.
static padic_result padici_factor_shape(padic_context *context, padici_factor *f, uint32_t i,
                                        uint64_t rows, uint64_t columns, int vector)
{
    const padic_tensor *t = &f->tensors[i];
    const uint32_t batched = f->tensors[0].rank == 3, rank = batched + (vector ? 1 : 2);
    const padic_dtype dtype = f->tensors[0].dtype;
    const padic_dtype real = padici_tensor_is_double(dtype) ? PADIC_F64 : PADIC_F32;
    int64_t stride[PADIC_MAX_RANK];
    if (t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (t->dtype != (vector ? real : dtype))
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "factorisation: results have the dtype of a, s and w its real one");
    if (t->rank != rank || (batched && t->shape[0] != f->batch) || t->shape[batched] != rows ||
        (!vector && t->shape[batched + 1] != columns))
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "factorisation: a result has the wrong shape");
    padici_tensor_dense(t, stride);
    f->stride[i][0] = batched ? stride[0] : 0;
    f->stride[i][1] = stride[batched];
    f->stride[i][2] = vector ? 0 : stride[batched + 1];
    return PADIC_OK;
}

// The size of the matrices: 0, or what is wrong with a.
static padic_result padici_factor_begin(padic_context *context, padici_factor *f)
{
    const padic_tensor *a = &f->tensors[0];
    if (a->dtype != PADIC_F32 && !padici_tensor_is_double(a->dtype) &&
        !padici_tensor_is_complex(a->dtype))
        return padici_fail(context, PADIC_ERROR_DTYPE,
                           "factorisation: a is F32, F64, C64 or C128");
    if (a->rank != 2 && a->rank != 3)
        return padici_fail(context, PADIC_ERROR_ARGUMENT, "factorisation: a has rank 2 or 3");
    f->batch = a->rank == 3 ? a->shape[0] : 1;
    f->m = a->shape[a->rank - 2];
    f->n = a->shape[a->rank - 1];
    f->r = f->m < f->n ? f->m : f->n;
    if (f->kind == PADICI_FACTOR_EIGH && f->m != f->n)
        return padici_fail(context, PADIC_ERROR_MISMATCH, "eigh: a is not square");
    if (f->m >> 24 || f->n >> 24 || f->batch >> 31)
        return padici_fail(context, PADIC_ERROR_LIMIT,
                           "factorisation: an extent of 2^24 or more, or 2^31 matrices");
    return padici_factor_shape(context, f, 0, f->m, f->n, 0);
}

// Reads matrix b, conjugated and transposed when `turn`; its scale, a power of 2 that all entries
// are divided by, so that no square overflows. 0 when an entry is not finite.
static int padici_factor_read(const padici_factor *f, uint64_t b, int turn, double *a,
                              double *scale)
{
    const padic_tensor *t = &f->tensors[0];
    const int64_t *stride = f->stride[0];
    const uint64_t m = turn ? f->n : f->m, n = turn ? f->m : f->n;
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            const int64_t row = (int64_t)(turn ? j : i), column = (int64_t)(turn ? i : j);
            double *z = a + 2 * (j * m + i);
            if (f->kind == PADICI_FACTOR_EIGH && i < j) continue;
            padici_tensor_read(t->dtype, (const char *)t->data,
                               (int64_t)b * stride[0] + row * stride[1] + column * stride[2], z,
                               z + 1);
            if (turn) z[1] = -z[1];
            if (f->kind == PADICI_FACTOR_EIGH && i == j) z[1] = 0;
            if (!(z[0] - z[0] == 0) || !(z[1] - z[1] == 0)) return 0;
            if (fabs(z[0]) > largest) largest = fabs(z[0]);
            if (fabs(z[1]) > largest) largest = fabs(z[1]);
        }
    frexp(largest, &power);
    *scale = largest > 0 ? ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power) : 1;
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            double *z = a + 2 * (j * m + i);
            if (f->kind == PADICI_FACTOR_EIGH && i < j) {
                z[0] = a[2 * (i * m + j)]; // read and divided before
                z[1] = -a[2 * (i * m + j) + 1];
            } else {
                z[0] /= *scale;
                z[1] /= *scale;
            }
        }
    return 1;
}

// Writes x (rows x columns, columns `step` entries apart) to tensor i of matrix b; or its
// conjugate transpose.
static void padici_factor_write(const padici_factor *f, uint32_t i, uint64_t b, const double *x,
                                uint64_t rows, uint64_t columns, int turn)
{
    const padic_tensor *t = &f->tensors[i];
    const int64_t *stride = f->stride[i];
    uint64_t j, k;
    if (t->dtype == PADIC_DTYPE_NONE) return;
    for (j = 0; j < columns; j++)
        for (k = 0; k < rows; k++) {
            const double *z = x + 2 * (j * rows + k);
            const int64_t row = (int64_t)(turn ? j : k), column = (int64_t)(turn ? k : j);
            padici_tensor_write(t->dtype, (char *)t->data,
                                (int64_t)b * stride[0] + row * stride[1] + column * stride[2], z[0],
                                turn ? -z[1] : z[1]);
        }
}

static void padici_factor_values(const padici_factor *f, uint32_t i, uint64_t b, const double *x,
                                 uint64_t n, double scale)
{
    const padic_tensor *t = &f->tensors[i];
    uint64_t k;
    for (k = 0; t->dtype != PADIC_DTYPE_NONE && k < n; k++)
        padici_tensor_write(t->dtype, (char *)t->data,
                            (int64_t)b * f->stride[i][0] + (int64_t)k * f->stride[i][1],
                            x[k] * scale, 0);
}

// Tensors a, u, vh, s. A wide matrix is done as its adjoint: A^dagger = V S U^dagger.
static int padici_factor_svd(const padici_factor *f, uint64_t b, double *space)
{
    const int turn = f->m < f->n;
    const int vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE ||
                        f->tensors[2].dtype != PADIC_DTYPE_NONE;
    const uint64_t m = turn ? f->n : f->m, n = f->r;
    double *w = space, *s = w + 2 * m * n, *v = s + n, *work = v + 2 * n * n, scale;
    uint64_t j;
    int good;
    if (!padici_factor_read(f, b, turn, w, &scale)) return PADIC_ERROR_NOT_FINITE;
    good = padici_z_svd(m, n, w, s, vectors ? v : NULL, work,
                        !padici_tensor_is_double(f->tensors[0].dtype));
    for (j = 0; vectors && j < n; j++) {
        if (turn)
            padici_z_sign(n, v + 2 * j * n, m, w + 2 * j * m);
        else
            padici_z_sign(m, w + 2 * j * m, n, v + 2 * j * n);
    }
    padici_factor_write(f, turn ? 2 : 1, b, w, m, n, turn);
    padici_factor_write(f, turn ? 1 : 2, b, v, n, n, !turn);
    padici_factor_values(f, 3, b, s, n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

// Tensors a, q, r.
static int padici_factor_qr(const padici_factor *f, uint64_t b, double *space)
{
    const uint64_t m = f->m, n = f->n, r = f->r;
    double *a = space, *q = a + 2 * m * n, *rr = q + 2 * m * r, *tau = rr + 2 * r * n;
    double *diag = tau + r, scale, phase[2];
    uint64_t j, k;
    if (!padici_factor_read(f, b, 0, a, &scale)) return PADIC_ERROR_NOT_FINITE;
    padici_z_qr(m, n, a, tau, diag);
    memset(q, 0, (size_t)(16 * (m * r + r * n)));
    for (j = 0; j < r; j++) q[2 * (j * m + j)] = 1;
    padici_z_qr_apply(m, r, a, tau, r, q);
    for (j = 0; j < n; j++)
        for (k = 0; k <= j && k < r; k++) {
            double *z = rr + 2 * (j * r + k);
            memcpy(z, k == j ? diag + 2 * k : a + 2 * (j * m + k), 16);
            padici_z_phase(diag + 2 * k, phase);
            padici_z_scale(1, z, phase[0] * scale, -phase[1] * scale);
            if (k == j) z[1] = 0;
        }
    for (k = 0; k < r; k++) {
        padici_z_phase(diag + 2 * k, phase);
        padici_z_scale(m, q + 2 * k * m, phase[0], phase[1]);
    }
    padici_factor_write(f, 1, b, q, m, r, 0);
    padici_factor_write(f, 2, b, rr, r, n, 0);
    return PADIC_OK;
}

// Tensors a, v, w.
static int padici_factor_eigh(const padici_factor *f, uint64_t b, double *space)
{
    const uint64_t n = f->n;
    const int vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE;
    double *a = space, *v = a + 2 * n * n, *values = v + 2 * n * n, scale;
    uint64_t j;
    int good;
    if (!padici_factor_read(f, b, 0, a, &scale)) return PADIC_ERROR_NOT_FINITE;
    good = padici_z_eigh(n, a, values, vectors ? v : NULL, values + n);
    for (j = 0; vectors && j < n; j++) padici_z_sign(n, v + 2 * j * n, 0, NULL);
    padici_factor_write(f, 1, b, v, n, n, 0);
    padici_factor_values(f, 2, b, values, n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

static void padici_factor_task(void *arg, uint32_t task)
{
    const padici_factor *f = (const padici_factor *)arg;
    double *space = f->space + task * f->each;
    uint64_t b;
    for (b = task; b < f->batch; b += f->tasks)
        f->info[b] = f->kind == PADICI_FACTOR_SVD  ? padici_factor_svd(f, b, space)
                     : f->kind == PADICI_FACTOR_QR ? padici_factor_qr(f, b, space)
                                                   : padici_factor_eigh(f, b, space);
}

static padic_result padici_factor_say(padic_context *context, const padici_factor *f)
{
    padici_text text;
    char space[96];
    uint64_t b;
    for (b = 0; b < f->batch && !f->info[b]; b++) continue;
    if (b == f->batch) return PADIC_OK;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "factorisation: matrix ");
    padici_text_number(&text, b, 1);
    padici_text_add(&text, f->info[b] == PADIC_ERROR_NOT_FINITE ? " has a NaN or an infinity"
                                                                : " did not converge");
    return padici_fail(context, (padic_result)f->info[b], space);
}

// Runs a call that is checked: memory, tasks, what they said.
static padic_result padici_factor_run(padic_context *context, padici_factor *f, int32_t *info)
{
    const uint64_t longer = f->m < f->n ? f->n : f->m;
    const padic_jobs *jobs = padici_jobs(context);
    size_t bytes, infos = info ? 0 : ((size_t)f->batch * 4 + 63) / 64 * 64;
    padic_result result;
    char *memory;
    f->tasks = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (f->tasks > f->batch) f->tasks = f->batch;
    if (!padici_mul_size((size_t)(longer + 1), (size_t)(f->r + 1), &f->each) ||
        !padici_mul_size(f->each, 8 * 8, &bytes) ||
        !padici_mul_size(bytes, (size_t)f->tasks, &bytes) || bytes > ((size_t)-1) / 2)
        return padici_fail(context, PADIC_ERROR_LIMIT, "factorisation: a matrix too large");
    f->each *= 8;
    if (!f->batch) return PADIC_OK;
    bytes += infos;
    memory = (char *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!memory) return padici_fail(context, PADIC_ERROR_MEMORY, "out of host memory");
    f->info = info ? info : (int32_t *)(void *)memory;
    f->space = (double *)(void *)(memory + infos);
    padici_parallel(jobs, (uint32_t)f->tasks, padici_factor_task, f);
    result = padici_factor_say(context, f);
    padici_free(padici_allocator(context), memory, bytes);
    return result;
}

PADIC_API padic_result padic_tensor_svd(padic_context *context, const padic_tensor_svd_desc *desc)
{
    padici_factor f;
    padic_result result;
    memset(&f, 0, sizeof f);
    if (!desc) return padici_fail(context, PADIC_ERROR_ARGUMENT, "the desc is NULL");
    f.kind = PADICI_FACTOR_SVD;
    f.tensors[0] = desc->a;
    f.tensors[1] = desc->u;
    f.tensors[2] = desc->vh;
    f.tensors[3] = desc->s;
    result = padici_tensor_host(context, f.tensors, f.operands, 4, 1);
    if (!result) result = padici_factor_begin(context, &f);
    if (!result) result = padici_factor_shape(context, &f, 1, f.m, f.r, 0);
    if (!result) result = padici_factor_shape(context, &f, 2, f.r, f.n, 0);
    if (!result) result = padici_factor_shape(context, &f, 3, f.r, 0, 1);
    return result ? result : padici_factor_run(context, &f, desc->info);
}

PADIC_API padic_result padic_tensor_qr(padic_context *context, const padic_tensor_qr_desc *desc)
{
    padici_factor f;
    padic_result result;
    memset(&f, 0, sizeof f);
    if (!desc) return padici_fail(context, PADIC_ERROR_ARGUMENT, "the desc is NULL");
    f.kind = PADICI_FACTOR_QR;
    f.tensors[0] = desc->a;
    f.tensors[1] = desc->q;
    f.tensors[2] = desc->r;
    result = padici_tensor_host(context, f.tensors, f.operands, 3, 1);
    if (!result) result = padici_factor_begin(context, &f);
    if (!result) result = padici_factor_shape(context, &f, 1, f.m, f.r, 0);
    if (!result) result = padici_factor_shape(context, &f, 2, f.r, f.n, 0);
    return result ? result : padici_factor_run(context, &f, desc->info);
}

PADIC_API padic_result padic_tensor_eigh(padic_context *context,
                                         const padic_tensor_eigh_desc *desc)
{
    padici_factor f;
    padic_result result;
    memset(&f, 0, sizeof f);
    if (!desc) return padici_fail(context, PADIC_ERROR_ARGUMENT, "the desc is NULL");
    f.kind = PADICI_FACTOR_EIGH;
    f.tensors[0] = desc->a;
    f.tensors[1] = desc->v;
    f.tensors[2] = desc->w;
    result = padici_tensor_host(context, f.tensors, f.operands, 3, 1);
    if (!result) result = padici_factor_begin(context, &f);
    if (!result) result = padici_factor_shape(context, &f, 1, f.n, f.n, 0);
    if (!result) result = padici_factor_shape(context, &f, 2, f.n, 0, 1);
    return result ? result : padici_factor_run(context, &f, desc->info);
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
