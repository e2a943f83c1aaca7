#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Coordinates of the unit cube to values of parameters.

// The first choice whose weights up to it sum to more than u times the sum of all.
static double padici_rollout_map_choice(const padic_rollout_parameter *p, double u)
{
    double all = 0, sum = 0;
    uint64_t k, last = 0;
    if (!p->weights) {
        const double k_th = floor(u * (double)p->count);
        return k_th < (double)p->count ? k_th : (double)p->count - 1;
    }
    for (k = 0; k < p->count; k++) all += p->weights[k];
    for (k = 0; k < p->count; k++) {
        sum += p->weights[k];
        if (sum > u * all) return (double)k;
        if (p->weights[k] > 0) last = k;
    }
    return (double)last;
}

static double padici_rollout_map_value(const padic_rollout_parameter *p, double u)
{
    double x;
    switch (p->kind) {
    case PADIC_ROLLOUT_PARAMETER_LOG10: x = p->lo * pow(p->hi / p->lo, u); break;
    case PADIC_ROLLOUT_PARAMETER_INTEGER: x = p->lo + floor(u * (p->hi - p->lo + 1)); break;
    case PADIC_ROLLOUT_PARAMETER_ROUND: x = p->lo + floor(u * (p->hi - p->lo) + 0.5); break;
    case PADIC_ROLLOUT_PARAMETER_CHOICE: return padici_rollout_map_choice(p, u);
    case PADIC_ROLLOUT_PARAMETER_BOOLEAN: return u >= 0.5;
    default: x = p->lo + u * (p->hi - p->lo); break;
    }
    return x < p->lo ? p->lo : x > p->hi ? p->hi : x; // the product may be rounded up
}

// What is wrong with a parameter; NULL: nothing.
static const char *padici_rollout_map_fault(const padic_rollout_parameter *p)
{
    const double most = 4503599627370496.0, largest = 1.7976931348623157e308;
    double sum = 0;
    uint64_t k;
    if ((uint32_t)p->kind > PADIC_ROLLOUT_PARAMETER_BOOLEAN)
        return "has a kind that is no padic_rollout_parameter_kind";
    if (p->kind == PADIC_ROLLOUT_PARAMETER_BOOLEAN) return NULL;
    if (p->kind == PADIC_ROLLOUT_PARAMETER_CHOICE) {
        if (!p->count || p->count > (uint64_t)1 << 32)
            return "has a CHOICE whose count is not 1 to 2^32";
        for (k = 0; p->weights && k < p->count; k++) {
            if (!(p->weights[k] >= 0)) return "has a weight that is negative or not a number";
            sum += p->weights[k];
        }
        return !p->weights || (sum > 0 && sum <= largest)
                   ? NULL
                   : "has weights whose sum is 0 or infinite";
    }
    if (!(p->lo <= p->hi) || !(p->hi - p->lo <= largest)) return "has no finite lo <= hi";
    if (p->kind == PADIC_ROLLOUT_PARAMETER_LOG10 && !(p->lo > 0))
        return "has a LOG10 whose lo is not above 0";
    if (p->kind == PADIC_ROLLOUT_PARAMETER_INTEGER || p->kind == PADIC_ROLLOUT_PARAMETER_ROUND)
        if (p->lo < -most || p->hi > most || p->lo != floor(p->lo) || p->hi != floor(p->hi))
            return "has an INTEGER or ROUND whose lo or hi is no integer up to 2^52 in size";
    return NULL;
}

PADICI_FN padic_result padici_rollout_map_params_check(padic_context *context, const void *desc_)
{
    const padic_rollout_map_params_desc *desc = (const padic_rollout_map_params_desc *)desc_;
    uint32_t j;
    if (desc->points.dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "points", "is not f64");
    if (desc->out.dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not f64");
    if (desc->points.rank != 2)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "points", "is not (n, d)");
    if (desc->out.rank != 2 || desc->out.shape[0] != desc->points.shape[0] ||
        desc->out.shape[1] != desc->points.shape[1])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                 "has another shape than points");
    if (desc->count != desc->points.shape[1])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "count",
                                 "is not the number of coordinates of points");
    if (desc->count && !desc->parameters)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "parameters", "is NULL");
    for (j = 0; j < desc->count; j++) {
        const char *fault = padici_rollout_map_fault(&desc->parameters[j]);
        if (fault) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "parameters", fault);
    }
    if (desc->points.data == desc->out.data && desc->points.buffer.id == desc->out.buffer.id &&
        desc->points.offset == desc->out.offset) {
        int64_t from[PADIC_MAX_RANK], to[PADIC_MAX_RANK];
        padici_tensor_dense(&desc->points, from);
        padici_tensor_dense(&desc->out, to);
        if (from[0] != to[0] || from[1] != to[1])
            return padici_fail_field(context, PADIC_ERROR_OVERLAP, "out",
                                     "lies where points lies, with other strides");
    }
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_map_params_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_map_params_desc *desc = (padic_rollout_map_params_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    operands[0].kind = 1;
    operands[1].name = "points";
    operands[1].tensor = &desc->points;
    operands[1].any_stride = 1;
    operands[1].kind = 1;
    return 2;
}

PADICI_FN padic_result padici_rollout_map_params_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_map_params_desc *desc = (const padic_rollout_map_params_desc *)desc_;
    int64_t from[PADIC_MAX_RANK], to[PADIC_MAX_RANK];
    uint64_t i;
    uint32_t j, write;
    padici_tensor_dense(&desc->points, from);
    padici_tensor_dense(&desc->out, to);
    for (write = 0; write < 2; write++)
        for (i = 0; i < desc->points.shape[0]; i++)
            for (j = 0; j < desc->count; j++) {
                const double u = ((const double *)desc->points.data)[(int64_t)i * from[0] +
                                                                     (int64_t)j * from[1]];
                if (!(u >= 0 && u < 1))
                    return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                                           "points has a coordinate outside [0, 1)");
                if (!write) continue;
                ((double *)desc->out.data)[(int64_t)i * to[0] + (int64_t)j * to[1]] =
                    padici_rollout_map_value(&desc->parameters[j], u);
            }
    return PADIC_OK;
}

#endif
