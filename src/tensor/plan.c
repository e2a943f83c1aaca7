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
    for (i = 0; i < 4; i++) { // axes are written as they come; of none the first is looked at
        plan->group[i].count = 0;
        plan->group[i].size = 0;
        memset(&plan->group[i].axis[0], 0, sizeof plan->group[i].axis[0]);
    }
    plan->conj = 0;
    for (i = 0; i < 3; i++) {
        plan->dtype[i] = t[i]->dtype;
        if (t[i]->dtype != PADIC_F32 && !padici_tensor_is_double(t[i]->dtype) &&
            !padici_tensor_is_complex(t[i]->dtype))
            return padici_fail_here(context, PADIC_ERROR_DTYPE,
                                    "a, b and c are F32, F64, C64 or C128");
        if (padici_tensor_is_double(t[i]->dtype) != padici_tensor_is_double(t[0]->dtype))
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "a, b and c are of one precision");
        if (i < 2) paired |= (uint32_t)padici_tensor_is_complex(t[i]->dtype);
    }
    if (paired != (uint32_t)padici_tensor_is_complex(t[2]->dtype))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "c is complex when a or b is, and only then");
    if (math > PADIC_TENSOR_TF32)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "math is no padic_tensor_math");
    for (i = 0; i < 2; i++) // a difference of infinities, and of a NaN, is a NaN
        if (!(alpha[i] - alpha[i] == 0) || !(beta[i] - beta[i] == 0))
            return padici_fail_here(context, PADIC_ERROR_DOMAIN, "alpha or beta is not finite");
    if (!paired && (alpha[1] != 0 || beta[1] != 0))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "alpha and beta of real tensors have no imaginary part");
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
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a, b and c are of one dtype");
    batched = t[2]->rank == 3;
    for (i = 0; i < 3; i++) {
        const uint32_t rank = t[i]->rank;
        const uint32_t turned = op[i] == PADIC_TENSOR_T || op[i] == PADIC_TENSOR_C;
        if (op[i] > PADIC_TENSOR_CONJ)
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
        if (op[i] == PADIC_TENSOR_C || op[i] == PADIC_TENSOR_CONJ) plan->conj |= 1u << i;
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

// Rows and columns of a matrix of a group as it lies in memory, its first element and its line:
// operand 0, 1 or 2.
typedef struct padici_tensor_place {
    uint64_t rows, columns, first, line;
} padici_tensor_place;

static void padici_tensor_group_place(const padic_tensor_gemm_desc *desc, uint32_t group,
                                      uint32_t operand, padici_tensor_place *place)
{
    const padic_tensor_gemm_group *g = &desc->groups[group];
    const uint32_t op = operand == 0 ? desc->op_a : operand == 1 ? desc->op_b : 0;
    const int turned = op == PADIC_TENSOR_T || op == PADIC_TENSOR_C;
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

PADICI_NOINLINE static padic_result padici_tensor_gemm_groups(padic_context *context,
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
    if (desc->op_a > PADIC_TENSOR_CONJ || desc->op_b > PADIC_TENSOR_CONJ)
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
static void padici_tensor_gemm_group_at(const padic_tensor_gemm_desc *desc, uint32_t group,
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
                return i == 0   ? "labels_a has one label an axis of a, then 0"
                       : i == 1 ? "labels_b has one label an axis of b, then 0"
                                : "labels_c has one label an axis of c, then 0";
    for (j = 0; j < t[2]->rank; j++)
        for (k = 0; k < j; k++)
            if (labels[2][j] == labels[2][k]) return "labels_c has a label twice";
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
