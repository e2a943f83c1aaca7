#include "plan.h"
#include "../context/messages.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_TENSOR

// ---------------------------------------------------------------------------------- >>tensor impl
//
// Every product is one plan: four groups of axes. Along an axis of the group
//
//     BATCH  a, b and c step;  ROW  a and c;  COLUMN  b and c;  SUM  a and b.
//
// An operand that lacks a label stays (step 0), one that has it twice takes both its steps.

PADICI_FN void padici_tensor_group_add(padici_tensor_group *group, uint64_t size, int64_t a,
                                       int64_t b, int64_t c)
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
PADICI_FN int padici_tensor_plan_tidy(padici_tensor_plan *plan)
{
    return padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_BATCH], 2) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_ROW], 0) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_COLUMN], 1) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_SUM], 0);
}

// What gemm and contract share: dtypes, math, factors.
PADICI_FN padic_result padici_tensor_plan_begin(padic_context *context, padici_tensor_plan *plan,
                                                const padic_tensor *const t[3],
                                                padic_tensor_math math, const double alpha[2],
                                                const double beta[2])
{
    uint32_t i, paired = 0;
    for (i = 0; i < 4; i++) { // axes are written as they come; of none the first is read
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
    if ((uint32_t)math > PADIC_TENSOR_MATH_TF32)
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

PADICI_FN int padici_tensor_factors_fit(const padici_tensor_plan *plan)
{
    const double x[4] = {plan->alpha[0], plan->alpha[1], plan->beta[0], plan->beta[1]};
    uint32_t i;
    for (i = 0; i < 4 && !padici_tensor_is_double(plan->dtype[2]); i++)
        if (x[i] != 0 && !(fabs(x[i]) >= (double)FLT_MIN && fabs(x[i]) <= (double)FLT_MAX))
            return 0;
    return 1;
}

#endif
