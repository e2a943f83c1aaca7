// mera_args.h: the fields of all calls of a MERA in one struct, for tests that try them alike. Each
// function makes the desc of its call from those it has.
typedef struct mera_args {
    padic_tensor_mera_layer layer;
    padic_tensor op, rho, out;
    double tolerance;
    uint32_t count; // iterations, eigenvalues, sites, or which part of the layer
    uint64_t seed;
    double *result; // of what goes to a report; eigenvalues, then dimensions
} mera_args;

static inline padic_result mera_ascend(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_ascend_desc desc = PADIC_ZERO;
    desc.layer = a->layer, desc.op = a->op, desc.out = a->out;
    return padic_tensor_mera_ascend(context, &desc);
}

static inline padic_result mera_descend(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_descend_desc desc = PADIC_ZERO;
    desc.layer = a->layer, desc.rho = a->rho, desc.out = a->out;
    return padic_tensor_mera_descend(context, &desc);
}

static inline padic_result mera_expect(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_expect_report report = PADIC_ZERO;
    padic_tensor_mera_expect_desc desc = PADIC_ZERO;
    padic_result result;
    desc.op = a->op, desc.rho = a->rho, desc.report = a->result ? &report : NULL;
    result = padic_tensor_mera_expect(context, &desc);
    if (!result) a->result[0] = report.re, a->result[1] = report.im;
    return result;
}

static inline padic_result mera_fixed_point(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_fixed_point_report report = PADIC_ZERO;
    padic_tensor_mera_fixed_point_desc desc = PADIC_ZERO;
    padic_result result;
    desc.layer = a->layer, desc.tolerance = a->tolerance, desc.iterations = a->count;
    desc.out = a->out, desc.report = a->result ? &report : NULL;
    result = padic_tensor_mera_fixed_point(context, &desc);
    if (a->result && (!result || result == PADIC_ERROR_DOMAIN)) a->result[0] = report.change;
    return result;
}

static inline padic_result mera_scaling(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_scaling_desc desc = PADIC_ZERO;
    desc.layer = a->layer, desc.tolerance = a->tolerance, desc.seed = a->seed;
    desc.eigenvalues = padic_tensor_1d(PADIC_F64, a->result, a->count);
    desc.dimensions = padic_tensor_1d(PADIC_F64, a->result + a->count, a->count);
    return padic_tensor_mera_scaling(context, &desc);
}

static inline padic_result mera_environment(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_environment_desc desc = PADIC_ZERO;
    desc.layer = a->layer, desc.op = a->op, desc.rho = a->rho, desc.out = a->out;
    desc.part = (padic_tensor_mera_part)a->count;
    return padic_tensor_mera_environment(context, &desc);
}

static inline padic_result mera_update(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_update_report report = PADIC_ZERO;
    padic_tensor_mera_update_desc desc = PADIC_ZERO;
    padic_result result;
    desc.layer = a->layer, desc.op = a->op, desc.rho = a->rho, desc.iterations = a->count;
    desc.report = a->result ? &report : NULL;
    result = padic_tensor_mera_update(context, &desc);
    if (!result && a->result) a->result[0] = report.energy;
    return result;
}

static inline padic_result mera_random(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_random_desc desc = PADIC_ZERO;
    desc.layer = a->layer, desc.seed = a->seed;
    return padic_tensor_mera_random(context, &desc);
}

static inline padic_result mera_check(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_check_report report = PADIC_ZERO;
    padic_tensor_mera_check_desc desc = PADIC_ZERO;
    padic_result result;
    desc.layer = a->layer, desc.report = a->result ? &report : NULL;
    result = padic_tensor_mera_check(context, &desc);
    if (!result) a->result[0] = report.deviation;
    return result;
}

static inline padic_result mera_state(padic_context *context, const mera_args *a)
{
    padic_tensor_mera_state_desc desc = PADIC_ZERO;
    desc.layer = a->layer, desc.state = a->rho, desc.out = a->out, desc.sites = a->count;
    return padic_tensor_mera_state(context, &desc);
}
