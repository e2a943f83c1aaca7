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
    const uint32_t last = walk->group->count - 1;
    uint32_t i, j, run;
    for (; count; count -= run, at_x += run, at_y += run) { // to the end of the last axis
        const padici_tensor_axis *axis = walk->group->count ? &walk->group->axis[last] : NULL;
        const int64_t step_x = axis ? axis->step[x] : 0, step_y = axis ? axis->step[y] : 0;
        run = count;
        if (axis && axis->size - walk->digit[last] < run)
            run = (uint32_t)(axis->size - walk->digit[last]);
        for (i = 0; i < run; i++) {
            at_x[i] = walk->at[x] + (int64_t)i * step_x;
            at_y[i] = walk->at[y] + (int64_t)i * step_y;
        }
        if (!axis) continue;
        walk->digit[last] += run - 1;
        for (j = 0; j < 3; j++) walk->at[j] += (int64_t)(run - 1) * axis->step[j];
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
#ifndef PADICI_SWEEPS // tests/test_sweeps.c has fewer, so that they do not do
#define PADICI_SWEEPS 30u
#endif

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
    const double minus = -im;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        double a = y[i], b = y[i + 1];
        a += re * x[i];
        a += minus * x[i + 1];
        b += re * x[i + 1];
        b += im * x[i];
        y[i] = a;
        y[i + 1] = b;
    }
}

// x *= re + i im; sums only, as in a plan's products
static void padici_z_scale(uint64_t n, double *x, double re, double im)
{
    const double minus = -im;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        x[i] = a * re;
        x[i] += b * minus;
        x[i + 1] = a * im;
        x[i + 1] += b * re;
    }
}

// (x, y) <- (c x - s conj(e) y, s x + c conj(e) y), |e| = 1: a rotation after y's phase is turned.
static void padici_z_rotate(uint64_t n, double *x, double *y, double c, double s, const double e[2])
{
    const double minus = -e[1];
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        double p = y[i] * e[0], q = y[i + 1] * e[0];
        p += y[i + 1] * e[1];
        q += y[i] * minus;
        x[i] = c * a + -s * p;
        x[i + 1] = c * b + -s * q;
        y[i] = s * a + c * p;
        y[i + 1] = s * b + c * q;
    }
}

// |re + i im|, of numbers whose squares F64 does not hold, too.
static double padici_z_size(double re, double im)
{
    const double x = fabs(re), y = fabs(im), large = x > y ? x : y, square = re * re + im * im;
    const double ratio = (x > y ? y : x) / (large > 0 ? large : 1);
    if (square > 1e-280 && square < 1e300) return sqrt(square);
    return large * sqrt(1 + ratio * ratio);
}

// The phase of z, 1 for 0.
static void padici_z_phase(const double z[2], double phase[2])
{
    const double up = fabs(z[0]) + fabs(z[1]) < 1e-290 ? 1e300 : 1; // a size needs all its digits
    const double size = padici_z_size(z[0] * up, z[1] * up);
    phase[0] = size > 0 ? z[0] * up / size : 1;
    phase[1] = size > 0 ? z[1] * up / size : 0;
}

// The reflection I - 2 v v^dagger / |v|^2 that takes x to (beta, 0, ...): v in place of x, beta =
// -phase(x_0) |x|. Returns 2/|v|^2, or 0 when x is 0.
static double padici_z_reflector(uint64_t n, double *x, double beta[2])
{
    double norm2 = padici_z_norm2(n, x), largest = 0, norm, phase[2];
    uint64_t i;
    int power = 0;
    if (norm2 < 1e-270) { // squares lose digits: of 2^-power x, about 1, with the same reflection
        for (i = 0; i < 2 * n; i++)
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        if (largest > 0) frexp(largest, &power);
        for (i = 0; i < 2 * n; i++) x[i] = ldexp(x[i], -power);
        norm2 = padici_z_norm2(n, x);
    }
    norm = sqrt(norm2);
    beta[0] = beta[1] = 0;
    if (!(norm2 > 0)) return 0;
    padici_z_phase(x, phase);
    norm2 += norm * padici_z_size(x[0], x[1]);
    x[0] += phase[0] * norm;
    x[1] += phase[1] * norm;
    beta[0] = -phase[0] * norm;
    beta[1] = -phase[1] * norm;
    if (power) beta[0] = ldexp(beta[0], power);
    if (power) beta[1] = ldexp(beta[1], power);
    return 1 / norm2;
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

// One-sided Jacobi: columns of w (m x n) are rotated until they are orthogonal, and with them those
// of v (n x n; NULL is fine). 0 when 30 sweeps do not do it. Sums of few numbers leave more than
// `tolerance` for ever: what is below `rounding` is rotated, but asks for no other sweep.
static int padici_z_jacobi(uint64_t m, uint64_t n, double *w, double *v, double tolerance)
{
    const double rounding = tolerance + 8 * PADICI_EPS;
    uint32_t sweep;
    for (sweep = 0; sweep < PADICI_SWEEPS; sweep++) {
        uint64_t p, q, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = w + 2 * p * m, *y = w + 2 * q * m, g[2], e[2], z, t, c;
                const double a = padici_z_norm2(m, x), b = padici_z_norm2(m, y);
                double size;
                padici_z_dot(m, x, y, g);
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > tolerance * sqrt(a) * sqrt(b)) || !(size > 1e-100)) continue;
                turned += size > rounding * sqrt(a) * sqrt(b);
                e[0] = g[0] / size;
                e[1] = g[1] / size;
                z = (b - a) / (2 * size);
                // Of the two tangents that which puts the longer column first: where singular
                // values fall far, the small angle alone needs many more sweeps.
                t = z > 0 ? -(z + sqrt(1 + z * z)) : -1 / (sqrt(1 + z * z) - z);
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
    for (sweep = 0; sweep < PADICI_SWEEPS; sweep++) {
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
        e[k] = padici_z_size(beta[0], beta[1]);
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
// fine) turn along. Bowdler, Martin, Reinsch, Wilkinson 1968. A coupling within the rounding of the
// whole matrix counts as none: between small entries steps would only move that rounding about.
static int padici_z_ql(uint64_t n, double *d, double *e, double *v)
{
    static const double one[2] = {1, 0};
    double least = 0;
    uint64_t l, k, i;
    for (k = 0; k < n; k++) {
        const double size = fabs(d[k]) + (k + 1 < n ? fabs(e[k]) : 0);
        if (size > least) least = size;
    }
    least = 1e-290 + PADICI_EPS * least;
    for (l = 0; l < n; l++) {
        uint32_t step;
        for (step = 0;; step++) {
            double g, r, s = 1, c = 1, p = 0;
            for (k = l; k + 1 < n; k++)
                if (fabs(e[k]) <= least) break;
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
    padic_tensor tensors[4];
    padic_tensor status;   // dtype NONE: none
    int64_t status_step;
    uint32_t kind;         // below
    uint64_t batch, m, n, r;
    int64_t stride[4][3];  // batch, row, column; a vector has only the row
    int32_t *info;
    double *space;
    size_t each;    // doubles for one task
    uint64_t tasks;
    padici_steps steps; // matrices
} padici_factor;

enum { PADICI_FACTOR_SVD, PADICI_FACTOR_QR, PADICI_FACTOR_EIGH };

static padic_result padici_operand_find(padic_context *context, padici_operand *o, uint64_t count);
static int padici_operands_overlap(const padici_operand *a, const padici_operand *b);
static padic_result padici_fail_overlap(padic_context *context, const padici_operand *out,
                                        const padici_operand *other);

// Finds host tensors (an absent one has dtype NONE), sets their data; the first `in` are read.
static padic_result padici_tensor_host(padic_context *context, padic_tensor *tensors,
                                       const char *const *names, padici_operand *operands,
                                       uint32_t count, uint32_t in)
{
    uint32_t i, j;
    memset(operands, 0, count * sizeof *operands);
    for (i = 0; i < count; i++) {
        padici_operand *o = &operands[i];
        uint64_t elements;
        padic_result result;
        if (tensors[i].dtype == PADIC_DTYPE_NONE) continue;
        o->tensor = &tensors[i];
        o->name = names[i];
        o->out = i >= in;
        result = padici_tensor_check_view(o->tensor, i < in, &elements);
        if (result) return padici_fail_view(context, result, o->name, o->tensor);
        result = padici_operand_find(context, o, elements);
        if (result) return result;
        if (!o->home.host)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, o->name,
                                     "is in a device's memory: download it first");
        for (j = 0; j < i; j++)
            if (o->out && o->bytes && operands[j].bytes && padici_operands_overlap(o, &operands[j]))
                return padici_fail_overlap(context, o, &operands[j]);
    }
    for (i = 0; i < count; i++)
        if (operands[i].tensor && operands[i].bytes)
            tensors[i].data = (void *)(uintptr_t)(operands[i].home.mem.bits + operands[i].home.at);
    return PADIC_OK;
}

// The field of a desc that tensor i is.
static const char *padici_factor_name(const padici_factor *f, uint32_t i)
{
    static const char *const names[3][4] = {
        {"a", "u", "vh", "s"}, {"a", "q", "r", ""}, {"a", "v", "w", ""}};
    return names[f->kind][i];
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
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, padici_factor_name(f, i),
                                 vector ? "has not the real dtype of a" : "has not the dtype of a");
    if (t->rank != rank || (batched && t->shape[0] != f->batch) || t->shape[batched] != rows ||
        (!vector && t->shape[batched + 1] != columns))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, padici_factor_name(f, i),
                                 "has not the shape that a asks for");
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
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "a is F32, F64, C64 or C128");
    if (a->rank != 2 && a->rank != 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "a has rank 2 or 3");
    f->batch = a->rank == 3 ? a->shape[0] : 1;
    f->m = a->shape[a->rank - 2];
    f->n = a->shape[a->rank - 1];
    f->r = f->m < f->n ? f->m : f->n;
    if (f->kind == PADICI_FACTOR_EIGH && f->m != f->n)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a is not square");
    if (f->m >> 24 || f->n >> 24 || f->batch >> 31)
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "a has an extent of 2^24 or more, or 2^31 matrices");
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

// Sets `power` so that 2^-power brings the largest part of a tensor to about 1, as far as such a
// factor is a number. 0 when a part is not finite.
static int padici_tensor_power(const padic_tensor *t, int *power)
{
    const uint64_t count = padic_tensor_count(t);
    int64_t step[PADIC_MAX_RANK];
    double largest = 0;
    uint64_t e;
    uint32_t i;
    padici_tensor_dense(t, step);
    for (e = 0; e < count; e++) {
        uint64_t rest = e;
        int64_t at = 0;
        double re, im;
        for (i = t->rank; i-- > 0; rest /= t->shape[i])
            at += (int64_t)(rest % t->shape[i]) * step[i];
        padici_tensor_read(t->dtype, (const char *)t->data, at, &re, &im);
        if (!(re - re == 0) || !(im - im == 0)) return 0;
        if (fabs(re) > largest) largest = fabs(re);
        if (fabs(im) > largest) largest = fabs(im);
    }
    *power = 0;
    if (largest > 0) frexp(largest, power);
    if (*power > 1000) *power = 1000;
    if (*power < -1000) *power = -1000;
    return 1;
}

// Whether a number is finite, and stays so when it is written to a tensor.
static int padici_tensor_holds(padic_dtype dtype, double x)
{
    // Half a step above the largest F32, numbers are rounded up to infinity.
    return padici_tensor_is_double(dtype) ? x - x == 0 : fabs(x) < 3.40282356779733661638e38;
}

// Whether tensor i holds n numbers x times the scale; one that is absent holds any.
static int padici_factor_holds(const padici_factor *f, uint32_t i, const double *x, uint64_t n,
                               double scale)
{
    uint64_t k;
    if (f->tensors[i].dtype == PADIC_DTYPE_NONE) return 1;
    for (k = 0; k < n; k++)
        if (!padici_tensor_holds(f->tensors[i].dtype, x[k] * scale)) return 0;
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
    if (!padici_factor_holds(f, 3, s, n, scale)) return PADIC_ERROR_NOT_FINITE;
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
    if (!padici_factor_holds(f, 2, rr, 2 * r * n, 1)) return PADIC_ERROR_NOT_FINITE;
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
    if (!padici_factor_holds(f, 2, values, n, scale)) return PADIC_ERROR_NOT_FINITE;
    for (j = 0; vectors && j < n; j++) padici_z_sign(n, v + 2 * j * n, 0, NULL);
    padici_factor_write(f, 1, b, v, n, n, 0);
    padici_factor_values(f, 2, b, values, n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

static void padici_factor_task(void *arg, uint32_t task)
{
    padici_factor *f = (padici_factor *)arg;
    double *space = f->space + task * f->each;
    uint64_t b;
    for (b = task; b < f->batch; b += f->tasks) {
        f->info[b] = f->kind == PADICI_FACTOR_SVD  ? padici_factor_svd(f, b, space)
                     : f->kind == PADICI_FACTOR_QR ? padici_factor_qr(f, b, space)
                                                   : padici_factor_eigh(f, b, space);
        if (padici_steps_more(&f->steps, 1)) return;
    }
}

// The first result that is not OK, and the sentence about it.
static padic_result padici_factor_say(const int32_t *info, uint64_t batch, char *to, size_t size)
{
    padici_text text;
    uint64_t b;
    for (b = 0; b < batch && !info[b]; b++) continue;
    if (b == batch) return PADIC_OK;
    padici_text_begin(&text, to, size);
    padici_text_add(&text, "a: matrix ");
    padici_text_number(&text, b, 1);
    padici_text_add(&text, info[b] == PADIC_ERROR_NOT_FINITE
                               ? " has a NaN or an infinity, or results beyond its dtype"
                               : " did not converge");
    return (padic_result)info[b];
}

// Doubles that the tasks need together; 0: too many.
static int padici_factor_space(padici_factor *f, size_t *bytes)
{
    const uint64_t longer = f->m < f->n ? f->n : f->m;
    if (!padici_mul_size((size_t)(longer + 1), (size_t)(f->r + 1), &f->each) ||
        !padici_mul_size(f->each, 8 * 8, bytes) ||
        !padici_mul_size(*bytes, (size_t)f->tasks, bytes) || *bytes > ((size_t)-1) / 2)
        return 0;
    f->each *= 8;
    return 1;
}

// Runs a call that is checked: memory, tasks, what they said.
static padic_result padici_factor_run(const padic_env *env, padici_factor *f, int32_t *info)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const size_t infos = info ? 0 : ((size_t)f->batch * 4 + 63) / 64 * 64;
    size_t bytes;
    uint64_t b;
    padic_result result;
    char *memory, space[96];
    f->tasks = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (f->tasks > f->batch) f->tasks = f->batch;
    if (!padici_factor_space(f, &bytes))
        return padici_env_fail(env, PADIC_ERROR_LIMIT, "a has matrices too large for memory");
    if (!f->batch) return PADIC_OK;
    bytes += infos;
    memory = (char *)padici_alloc(allocator, bytes, 64);
    if (!memory) return padici_env_fail(env, PADIC_ERROR_MEMORY, "out of host memory");
    f->info = info ? info : (int32_t *)(void *)memory;
    f->space = (double *)(void *)(memory + infos);
    padici_steps_begin(&f->steps, NULL, env ? env->progress : NULL, f->batch);
    padici_parallel(jobs, (uint32_t)f->tasks, padici_factor_task, f);
    if (padici_steps_end(&f->steps)) {
        padici_free(allocator, memory, bytes);
        return padici_env_fail(env, PADIC_ERROR_CANCELLED,
                               "the progress hook stopped it midway");
    }
    if (f->status.dtype != PADIC_DTYPE_NONE) {
        for (b = 0; b < f->batch; b++)
            ((int32_t *)f->status.data)[(int64_t)b * f->status_step] = f->info[b];
        result = PADIC_OK;
    } else {
        result = padici_factor_say(f->info, f->batch, space, sizeof space);
        if (result) result = padici_env_fail(env, result, space);
    }
    padici_free(allocator, memory, bytes);
    return result;
}

// Where the results of the matrices go, besides info.
static padic_result padici_factor_status(padic_context *context, padici_factor *f,
                                         const padic_tensor *status, const int32_t *info)
{
    int64_t stride[PADIC_MAX_RANK];
    f->status = *status;
    if (status->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (info)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "info or status, not both");
    if (status->dtype != PADIC_I32 || status->rank != 1 || status->shape[0] != f->batch)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "status has one I32 for each matrix");
    padici_tensor_dense(status, stride);
    f->status_step = stride[0];
    return PADIC_OK;
}

// Everything about a call but its memory.

static padic_result padici_factor_of_svd(padic_context *context, const padic_tensor_svd_desc *desc,
                                         padici_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_FACTOR_SVD;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->u;
    f->tensors[2] = desc->vh;
    f->tensors[3] = desc->s;
    result = padici_factor_begin(context, f);
    if (!result) result = padici_factor_shape(context, f, 1, f->m, f->r, 0);
    if (!result) result = padici_factor_shape(context, f, 2, f->r, f->n, 0);
    if (!result) result = padici_factor_shape(context, f, 3, f->r, 0, 1);
    return result ? result : padici_factor_status(context, f, &desc->status, desc->info);
}

static padic_result padici_factor_of_qr(padic_context *context, const padic_tensor_qr_desc *desc,
                                        padici_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_FACTOR_QR;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->q;
    f->tensors[2] = desc->r;
    result = padici_factor_begin(context, f);
    if (!result) result = padici_factor_shape(context, f, 1, f->m, f->r, 0);
    if (!result) result = padici_factor_shape(context, f, 2, f->r, f->n, 0);
    return result ? result : padici_factor_status(context, f, &desc->status, desc->info);
}

static padic_result padici_factor_of_eigh(padic_context *context,
                                          const padic_tensor_eigh_desc *desc, padici_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_FACTOR_EIGH;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->v;
    f->tensors[2] = desc->w;
    result = padici_factor_begin(context, f);
    if (!result) result = padici_factor_shape(context, f, 1, f->n, f->n, 0);
    if (!result) result = padici_factor_shape(context, f, 2, f->n, 0, 1);
    return result ? result : padici_factor_status(context, f, &desc->status, desc->info);
}

// Entropies.

// A state by its axes, cut in two: where the `size` places of each side lie.
typedef struct padici_cut {
    padic_tensor tensor;
    uint32_t axes;
    uint64_t extent[64];
    int64_t step[64];
    uint64_t size[2]; // sides, the shorter one first
    uint32_t shorter; // 1: that of the axes in `part`
    int64_t *at[2];
    double *p; // the shorter side's p_i, descending
    double *space;
    const padic_allocator *allocator;
    const char *fault; // after an error
    char *memory;
    size_t bytes;
} padici_cut;

static padic_result padici_cut_fail(padici_cut *cut, padic_result result, const char *sentence)
{
    cut->fault = sentence;
    return result;
}

static void padici_cut_end(padici_cut *cut)
{
    padici_free(cut->allocator, cut->memory, cut->bytes);
    cut->memory = NULL;
}

// The axes: the tensor's, or `dims` of a dense one.
static padic_result padici_cut_axes(padici_cut *cut, const padic_tensor *state, uint32_t dims_count,
                                    const uint64_t *dims)
{
    uint64_t count = 1, step = 1, before;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    int dense = 1;
    memset(cut, 0, sizeof *cut);
    cut->tensor = *state;
    if (!padici_tensor_is_complex(state->dtype) && !padici_tensor_is_double(state->dtype) &&
        state->dtype != PADIC_F32)
        return padici_cut_fail(cut, PADIC_ERROR_DTYPE, "state or rho is not F32, F64, C64 or C128");
    padici_tensor_dense(state, stride);
    cut->axes = dims_count ? dims_count : state->rank;
    if (dims_count > 64 || (dims_count && !dims))
        return padici_cut_fail(cut, PADIC_ERROR_ARGUMENT, "dim_count is above 64, or dims is NULL");
    for (i = cut->axes; i-- > 0;) {
        cut->extent[i] = dims_count ? dims[i] : state->shape[i];
        cut->step[i] = dims_count ? (int64_t)step : stride[i];
        if (!padici_mul_u64(count, cut->extent[i], &count)) count = 0;
        step *= cut->extent[i];
    }
    if (dims_count && padic_tensor_count(state)) (void)padici_tensor_span(state, &dense, &before);
    if (dims_count && (!dense || count != padic_tensor_count(state)))
        return padici_cut_fail(cut, PADIC_ERROR_MISMATCH,
                               "dims do not split state, which must be dense");
    if (!count) return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    return PADIC_OK;
}

// Where the places of the axes in `part` lie, the last axis fastest.
static void padici_cut_places(const padici_cut *cut, uint64_t part, int64_t *at)
{
    uint64_t n = 1, i, j;
    uint32_t axis;
    at[0] = 0;
    for (axis = 0; axis < cut->axes; axis++) {
        const uint64_t extent = cut->extent[axis];
        if (!(part >> axis & 1)) continue;
        for (i = n; i-- > 0;) // from the end, so that nothing is lost
            for (j = extent; j-- > 0;) at[i * extent + j] = at[i] + (int64_t)j * cut->step[axis];
        n *= extent;
    }
}

// Whether p comes from singular values.
static int padici_cut_by_svd(const padici_cut *cut)
{
    return padici_tensor_is_double(cut->tensor.dtype) && cut->size[0] <= 64;
}

// The sides, and whether they are of a size.
static padic_result padici_cut_sizes(padici_cut *cut, uint64_t part)
{
    uint64_t size[2] = {1, 1};
    uint32_t i;
    if (cut->axes < 64 && part >> cut->axes)
        return padici_cut_fail(cut, PADIC_ERROR_ARGUMENT, "part has bits beyond the axes");
    for (i = 0; i < cut->axes; i++) size[part >> i & 1] *= cut->extent[i];
    cut->shorter = size[1] < size[0];
    cut->size[0] = size[cut->shorter];
    cut->size[1] = size[!cut->shorter];
    if (cut->size[0] > 32768 || cut->size[1] >> 40)
        return padici_cut_fail(cut, PADIC_ERROR_LIMIT,
                               "part leaves a shorter side above 32768, or a longer one of 2^40");
    return PADIC_OK;
}

// Memory for a cut, and its places.
static padic_result padici_cut_begin(padici_cut *cut, uint64_t part)
{
    const uint64_t all = cut->axes == 64 ? UINT64_MAX : (UINT64_C(1) << cut->axes) - 1;
    uint64_t doubles;
    size_t bytes;
    padic_result result = padici_cut_sizes(cut, part);
    if (result) return result;
    doubles = padici_cut_by_svd(cut)
                  ? 4 * cut->size[1] * cut->size[0] + 2 * cut->size[0] * cut->size[0]
                  : 2 * cut->size[0] * cut->size[0];
    doubles += 8 * cut->size[0] + cut->size[0] + cut->size[1];
    if (doubles > (size_t)-1 || !padici_mul_size((size_t)doubles, 8, &bytes))
        return padici_cut_fail(cut, PADIC_ERROR_LIMIT, "u and w are too large for memory");
    cut->bytes = bytes;
    cut->memory = (char *)padici_alloc(cut->allocator, bytes, 64);
    if (!cut->memory) return padici_cut_fail(cut, PADIC_ERROR_MEMORY, "out of host memory");
    cut->at[0] = (int64_t *)(void *)cut->memory;
    cut->at[1] = cut->at[0] + cut->size[0];
    cut->p = (double *)(void *)(cut->at[1] + cut->size[1]);
    cut->space = cut->p + cut->size[0];
    padici_cut_places(cut, part, cut->at[!cut->shorter]);
    padici_cut_places(cut, all & ~part, cut->at[cut->shorter]);
    return PADIC_OK;
}

// Column j (of the longer side) of the state, divided by `scale`.
static void padici_cut_read(const padici_cut *cut, uint64_t j, double scale, double *x)
{
    uint64_t i;
    for (i = 0; i < cut->size[0]; i++) {
        padici_tensor_read(cut->tensor.dtype, (const char *)cut->tensor.data,
                           cut->at[1][j] + cut->at[0][i], x + 2 * i, x + 2 * i + 1);
        x[2 * i] /= scale;
        x[2 * i + 1] /= scale;
    }
}

// A power of 2 near the largest part; 0 for a zero state, -1 for one that is not finite.
static double padici_cut_scale(const padici_cut *cut, double *x)
{
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < cut->size[1]; j++) {
        padici_cut_read(cut, j, 1, x);
        for (i = 0; i < 2 * cut->size[0]; i++) {
            if (!(x[i] - x[i] == 0)) return -1;
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        }
    }
    if (largest == 0) return 0;
    frexp(largest, &power);
    return ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power);
}

// p of the cut, not yet divided by their sum.
static int padici_cut_values(padici_cut *cut, double scale)
{
    const uint64_t r = cut->size[0], n = cut->size[1];
    double *g = cut->space + 8 * r - 2 * r, *x = cut->space;
    uint64_t i, j;
    int good = 1;
    if (padici_cut_by_svd(cut)) {
        double *w = cut->space + 2 * r;
        for (j = 0; j < n; j++) {
            padici_cut_read(cut, j, scale, x);
            for (i = 0; i < r; i++) memcpy(w + 2 * (i * n + j), x + 2 * i, 16);
        }
        good = padici_z_svd(n, r, w, cut->p, NULL, w + 2 * n * r, 0);
        for (i = 0; i < r; i++) cut->p[i] *= cut->p[i];
        return good;
    }
    memset(g, 0, (size_t)(16 * r * r));
    for (j = 0; j < n; j++) { // the lower triangle of sum x x^dagger
        padici_cut_read(cut, j, scale, x);
        for (i = 0; i < r; i++)
            padici_z_add(r - i, g + 2 * (i * r + i), x[2 * i], -x[2 * i + 1], x + 2 * i);
    }
    for (i = 0; i < r; i++)
        for (j = 0; j < i; j++) {
            g[2 * (i * r + j)] = g[2 * (j * r + i)];
            g[2 * (i * r + j) + 1] = -g[2 * (j * r + i) + 1];
        }
    good = padici_z_eigh(r, g, cut->p, NULL, cut->space);
    padici_z_sort(r, cut->p, 0, 0, NULL, 0, NULL);
    return good;
}

static padic_result padici_cut_normalise(padici_cut *cut, double drop, uint64_t *rank)
{
    double sum = 0;
    uint64_t i;
    for (i = cut->size[0]; i-- > 0;) sum += cut->p[i]; // the small ones first
    if (!(sum > 0)) return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has no positive trace");
    if (cut->p[cut->size[0] - 1] < -1e-6 * sum)
        return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has a negative eigenvalue");
    for (i = 0; i < cut->size[0] && cut->p[i] / sum > drop; i++) cut->p[i] /= sum;
    *rank = i;
    return PADIC_OK;
}

// p of a state, descending, and how many are above `drop`.
static padic_result padici_cut_run(padici_cut *cut, uint64_t part, double drop, uint64_t *rank)
{
    double scale;
    padic_result result = padici_cut_begin(cut, part);
    if (result) return result;
    scale = padici_cut_scale(cut, cut->space);
    if (scale < 0)
        result = padici_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "the state has a NaN or an infinity");
    else if (scale == 0)
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    else if (!padici_cut_values(cut, scale))
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) result = padici_cut_normalise(cut, drop, rank);
    if (result) padici_cut_end(cut);
    return result;
}

// The same of a density matrix.
static padic_result padici_cut_run_rho(padici_cut *cut, double drop, uint64_t *rank)
{
    const uint64_t n = cut->extent[0];
    padici_factor f;
    double *g, scale;
    padic_result result;
    memset(&f, 0, sizeof f);
    result = padici_cut_begin(cut, 1);
    if (result) return result;
    f.kind = PADICI_FACTOR_EIGH;
    f.tensors[0] = cut->tensor;
    f.m = f.n = n;
    f.stride[0][1] = cut->step[0];
    f.stride[0][2] = cut->step[1];
    g = cut->space + 6 * n;
    if (!padici_factor_read(&f, 0, 0, g, &scale))
        result = padici_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "rho has a NaN or an infinity");
    else if (!padici_z_eigh(n, g, cut->p, NULL, cut->space))
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) padici_z_sort(n, cut->p, 0, 0, NULL, 0, NULL);
    if (!result) result = padici_cut_normalise(cut, drop, rank);
    if (result) padici_cut_end(cut);
    return result;
}

static double padici_entropy_von_neumann(const double *p, uint64_t n)
{
    double sum = 0;
    uint64_t i;
    for (i = n; i-- > 0;) sum -= p[i] * log(p[i]);
    return sum > 0 ? sum : 0;
}

static double padici_entropy_renyi(const double *p, uint64_t n, double order)
{
    double sum = 0;
    uint64_t i;
    if (order == 1) return padici_entropy_von_neumann(p, n);
    if (order == 0) return log((double)n);
    if (order - order != 0) return -log(p[0]) + 0.0;
    for (i = n; i-- > 0;) sum += pow(p[i] / p[0], order); // p^a may vanish for all of them
    return (order * log(p[0]) + log(sum)) / (1 - order);
}

static void padici_entropy_write(const padic_tensor_entropy_desc *desc, const double *p, uint64_t n)
{
    const double unit = desc->unit || desc->legacy ? 1.4426950408889634 : 1;
    double sum = 0;
    uint64_t i;
    for (i = 0; desc->renyi && i < desc->order_count; i++)
        desc->renyi[i] = unit * padici_entropy_renyi(p, n, desc->orders[i]);
    if (desc->von_neumann) *desc->von_neumann = unit * padici_entropy_von_neumann(p, n);
    if (desc->gap) *desc->gap = p[0] - (n > 1 ? p[1] : 0);
    for (i = n; i-- > 0;) sum += sqrt(p[i]);
    if (desc->negativity) *desc->negativity = n > 1 ? (sum * sum - 1) / 2 : 0;
    for (i = 0; desc->spectrum && i < n; i++) desc->spectrum[i] = unit * -log(p[i]);
}

// What p must be above.
static double padici_entropy_drop(const padic_tensor_entropy_desc *desc, padic_dtype dtype)
{
    return desc->legacy || !padici_tensor_is_double(dtype) ? 1e-12 : 1e-14;
}

static const char *padici_entropy_fault(const padic_tensor_entropy_desc *desc)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    uint32_t i;
    if (rho == (desc->state.dtype != PADIC_DTYPE_NONE)) return "state or rho: one of them is given";
    if (rho && (desc->part || desc->dim_count || desc->negativity))
        return "part, dims and negativity are for a state";
    if (desc->unit > PADIC_TENSOR_BITS || desc->legacy > 1)
        return "unit is no padic_tensor_unit, or legacy is above 1";
    if (desc->legacy && (desc->part & (desc->part + 1)))
        return "part has other than leading axes, but legacy is set";
    if (desc->order_count && (!desc->orders || !desc->renyi))
        return "orders or renyi is NULL, but order_count is not 0";
    for (i = 0; i < desc->order_count; i++)
        if (!(desc->orders[i] >= 0)) return "orders has one below 0";
    return NULL;
}

// Everything about a call but its memory.
static padic_result padici_entropy_of(const padic_tensor_entropy_desc *desc, padici_cut *cut)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    const char *fault = padici_entropy_fault(desc);
    padic_result result;
    cut->fault = fault;
    if (fault) return PADIC_ERROR_ARGUMENT;
    result = padici_cut_axes(cut, rho ? &desc->rho : &desc->state, desc->dim_count, desc->dims);
    if (!result && rho && (cut->axes != 2 || cut->extent[1] != cut->extent[0]))
        result = padici_cut_fail(cut, PADIC_ERROR_MISMATCH, "rho is a square matrix");
    return result ? result : padici_cut_sizes(cut, rho ? 1 : desc->part);
}

static padic_result padici_tensor_mutual_information_named(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    padic_tensor_entropy_desc one;
    double s[3];
    uint32_t i;
    padic_result result = PADIC_OK;
    if (!desc || !desc->information)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or information is NULL");
    if (desc->unit > PADIC_TENSOR_BITS || (desc->part_a & desc->part_b))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "part_a and part_b overlap, or unit is no padic_tensor_unit");
    memset(&one, 0, sizeof one);
    one.state = desc->state;
    one.dim_count = desc->dim_count;
    one.dims = desc->dims;
    one.unit = desc->unit;
    for (i = 0; i < 3 && !result; i++) {
        one.part = i == 0 ? desc->part_a : i == 1 ? desc->part_b : desc->part_a | desc->part_b;
        one.von_neumann = &s[i];
        result = padic_tensor_entropy(context, &one);
    }
    if (result) return result;
    *desc->information = s[0] + s[1] - s[2];
    for (i = 0; desc->entropies && i < 3; i++) desc->entropies[i] = s[i];
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

