#include "apply.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/view.h"
#include "step.h"

#if PADICI_IMPLEMENT_ROLLOUT

// One node alone: an operator of it; one update; one normalisation.

// With one more axis in front, of 1.
static padic_tensor padici_rollout_fronted(const padic_tensor *t, uint32_t rank)
{
    padic_tensor to = *t;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t a;
    if (t->rank != rank) return to; // refused later
    to.rank = rank + 1;
    to.shape[0] = 1;
    padici_tensor_dense(t, stride);
    to.stride[0] = stride[0];
    for (a = rank; a > 0; a--) {
        to.shape[a] = t->shape[a - 1];
        to.stride[a] = stride[a - 1];
    }
    return to;
}

static padic_result padici_rollout_single(padic_context *context, const padic_rollout_node *node,
                                          const padic_tensor *in, const padic_tensor *weights,
                                          const padic_tensor *out)
{
    padic_rollout_apply_desc apply;
    if (in->rank != 4 || out->rank != 4)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "in", "or out is not (B, C, H, W)");
    if (in->shape[1] > PADIC_ROLLOUT_CHANNELS || in->shape[2] > 65536 || in->shape[3] > 65536)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "in",
                                 "has more than 65,536 channels, rows or columns");
    if (!in->shape[1])
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "in", "has no channels");
    memset(&apply, 0, sizeof apply);
    apply.op.nodes = node;
    apply.op.count = 1;
    apply.op.channels = (uint32_t)in->shape[1];
    apply.op.height = (uint32_t)in->shape[2];
    apply.op.width = (uint32_t)in->shape[3];
    apply.state = padici_rollout_fronted(in, 4);
    apply.out = padici_rollout_fronted(out, 4);
    if (padici_rollout_here(weights)) {
        apply.weights = padici_rollout_fronted(weights, 1);
    } else { // of no node that has any
        apply.weights = padic_tensor_2d(in->dtype, NULL, 1, 0);
    }
    return padic_rollout_apply(context, &apply);
}

static uint32_t padici_rollout_channels_of(const padic_tensor *out)
{
    return out->rank == 4 && out->shape[1] <= PADIC_ROLLOUT_CHANNELS ? (uint32_t)out->shape[1]
                                                                     : PADIC_ROLLOUT_CHANNELS + 1;
}

PADIC_API padic_result padic_rollout_conv(padic_context *context,
                                          const padic_rollout_conv_desc *desc)
{
    padic_rollout_node node;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    memset(&node, 0, sizeof node);
    node.channels = padici_rollout_channels_of(&desc->out);
    node.kernel = desc->kernel;
    node.stride = desc->stride;
    node.boundary = desc->boundary;
    node.norm = desc->norm;
    node.groups = desc->groups;
    node.act = desc->act;
    node.flags = desc->flags;
    node.eps = desc->eps;
    return padici_rollout_single(context, &node, &desc->in, &desc->weights, &desc->out);
}

PADIC_API padic_result padic_rollout_norm_act(padic_context *context,
                                              const padic_rollout_norm_act_desc *desc)
{
    padic_rollout_node node;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    memset(&node, 0, sizeof node);
    node.kind = PADIC_ROLLOUT_KIND_NORM;
    node.norm = desc->norm;
    node.groups = desc->groups;
    node.act = desc->act;
    node.flags = desc->flags;
    node.eps = desc->eps;
    return padici_rollout_single(context, &node, &desc->in, &desc->weights, &desc->out);
}

PADIC_API padic_result padic_rollout_resample(padic_context *context,
                                              const padic_rollout_resample_desc *desc)
{
    padic_rollout_node node;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    if (desc->halve > 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "halve", "is neither 0 nor 1");
    memset(&node, 0, sizeof node);
    node.kind = desc->halve ? PADIC_ROLLOUT_KIND_MEAN : PADIC_ROLLOUT_KIND_UP;
    node.up = desc->up;
    node.boundary = desc->boundary;
    if (!desc->halve && desc->up == PADIC_ROLLOUT_UP_TRANSPOSED)
        node.channels = padici_rollout_channels_of(&desc->out);
    return padici_rollout_single(context, &node, &desc->in, &desc->weights, &desc->out);
}

PADIC_API padic_result padic_rollout_spectral_mix(padic_context *context,
                                                  const padic_rollout_spectral_mix_desc *desc)
{
    padic_rollout_node node;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    memset(&node, 0, sizeof node);
    node.kind = PADIC_ROLLOUT_KIND_SPECTRAL;
    node.channels = padici_rollout_channels_of(&desc->out);
    node.modes = desc->modes;
    node.flags = desc->flags;
    return padici_rollout_single(context, &node, &desc->in, &desc->weights, &desc->out);
}

// ---- update

// dt or alpha of operator n.
PADICI_FN double padici_rollout_parameter(padic_rollout_policy policy, const padic_tensor *p,
                                          uint64_t n)
{
    int64_t stride[PADIC_MAX_RANK];
    size_t size;
    if (!p->data) return policy == PADIC_ROLLOUT_POLICY_CONVEX ? 0.5 : 0.01;
    size = padic_dtype_size(p->dtype);
    padici_tensor_dense(p, stride);
    return padici_rollout_get((const char *)p->data + (int64_t)n * stride[0] * (int64_t)size, 0,
                              size);
}

PADICI_FN padic_result padici_rollout_parameters_fit(const padic_env *env,
                                                     padic_rollout_policy policy,
                                                     const padic_tensor *parameter, uint64_t count)
{
    uint64_t n;
    for (n = 0; n < count; n++) {
        const double p = padici_rollout_parameter(policy, parameter, n);
        if (policy == PADIC_ROLLOUT_POLICY_CONVEX ? !(p >= 0 && p <= 1)
                                                  : !(p >= -1.7e308 && p <= 1.7e308))
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                                   "parameter: an alpha is outside [0, 1], or a dt not finite");
    }
    return PADIC_OK;
}

static padic_result padici_rollout_alike(padic_context *context, const char *name,
                                         const padic_tensor *t, const padic_tensor *as)
{
    if (t->dtype != as->dtype || (t->dtype != PADIC_F32 && t->dtype != PADIC_F64))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name,
                                 "is not F32 or F64, or not as the others are");
    if (!t->rank || t->rank != as->rank || memcmp(t->shape, as->shape, t->rank * sizeof *t->shape))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name, "has another shape");
    if (!padici_rollout_is_dense(t))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name, "is not dense");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_update_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_update_desc *desc = (padic_rollout_update_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    operands[0].kind = 1;
    operands[1].name = "output";
    operands[1].tensor = &desc->output;
    operands[1].kind = 1;
    operands[2].name = "before";
    operands[2].tensor = &desc->before;
    if (!padici_rollout_here(&desc->parameter)) return 3;
    operands[3].name = "parameter";
    operands[3].tensor = &desc->parameter;
    operands[3].any_stride = 1;
    return 4;
}

PADICI_FN padic_result padici_rollout_update_check(padic_context *context, const void *desc_)
{
    const padic_rollout_update_desc *desc = (const padic_rollout_update_desc *)desc_;
    const padic_tensor *p = &desc->parameter;
    padic_result result;
    if ((uint32_t)desc->policy > PADIC_ROLLOUT_POLICY_CONVEX)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "policy", "is unknown");
    result = padici_rollout_alike(context, "before", &desc->before, &desc->output);
    if (!result) result = padici_rollout_alike(context, "output", &desc->output, &desc->before);
    if (!result) result = padici_rollout_alike(context, "out", &desc->out, &desc->output);
    if (result || !padici_rollout_here(p)) return result;
    if (desc->policy == PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "parameter",
                                 "is given, but AUTOREGRESSIVE has none");
    if (p->dtype != PADIC_F32 && p->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "parameter", "is not F32 or F64");
    if (p->rank != 1 || p->shape[0] != desc->out.shape[0])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "parameter", "is not (N)");
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_update_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_update_desc *desc = (const padic_rollout_update_desc *)desc_;
    const size_t size = padic_dtype_size(desc->out.dtype);
    const uint64_t n = desc->out.shape[0];
    const uint64_t numbers = n ? padic_tensor_count(&desc->out) / n : 0;
    uint64_t i;
    padic_result result =
        padici_rollout_parameters_fit(env, desc->policy, &desc->parameter, n);
    if (result || !numbers) return result;
    if (desc->out.data != desc->output.data)
        memcpy(desc->out.data, desc->output.data, (size_t)(n * numbers) * size);
    for (i = 0; i < n; i++)
        padici_rollout_step(desc->policy,
                            padici_rollout_parameter(desc->policy, &desc->parameter, i), numbers,
                            size, (const char *)desc->before.data + i * numbers * size,
                            (char *)desc->out.data + i * numbers * size);
    return PADIC_OK;
}

// ---- postprocess

PADICI_FN uint32_t padici_rollout_postprocess_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_postprocess_desc *desc = (padic_rollout_postprocess_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    operands[0].kind = 1;
    operands[1].name = "state";
    operands[1].tensor = &desc->state;
    operands[1].kind = 1;
    return 2;
}

PADICI_FN padic_result padici_rollout_postprocess_check(padic_context *context, const void *desc_)
{
    const padic_rollout_postprocess_desc *desc = (const padic_rollout_postprocess_desc *)desc_;
    const uint32_t known = PADIC_ROLLOUT_POST_PER_CHANNEL | PADIC_ROLLOUT_CLAMP;
    padic_result result;
    if ((uint32_t)desc->post > PADIC_ROLLOUT_POST_ZSCORE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "post", "is unknown");
    if (desc->flags & ~known)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "flags", "has an unknown bit");
    if ((desc->flags & PADIC_ROLLOUT_CLAMP) &&
        !(desc->lo <= desc->hi && desc->lo >= -1.7e308 && desc->hi <= 1.7e308))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "lo",
                                 "is above hi, or one of them is not finite");
    if ((desc->flags & PADIC_ROLLOUT_POST_PER_CHANNEL) && desc->post == PADIC_ROLLOUT_POST_NONE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "flags",
                                 "has POST_PER_CHANNEL, but there is no post");
    result = padici_rollout_alike(context, "state", &desc->state, &desc->state);
    if (!result && desc->state.rank != 4)
        result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "state", "is not (B, C, H, W)");
    return result ? result : padici_rollout_alike(context, "out", &desc->out, &desc->state);
}

PADICI_FN padic_result padici_rollout_postprocess_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_postprocess_desc *desc = (const padic_rollout_postprocess_desc *)desc_;
    const uint64_t all = padic_tensor_count(&desc->out);
    padici_rollout_finishing how;
    uint64_t b;
    (void)env;
    if (!all) return PADIC_OK;
    how.post = desc->post;
    how.flags = desc->flags;
    how.lo = desc->lo;
    how.hi = desc->hi;
    how.channels = desc->out.shape[1];
    how.numbers = all / desc->out.shape[0];
    how.size = padic_dtype_size(desc->out.dtype);
    if (desc->out.data != desc->state.data)
        memcpy(desc->out.data, desc->state.data, (size_t)all * how.size);
    for (b = 0; b < desc->out.shape[0]; b++)
        padici_rollout_finish(&how, (char *)desc->out.data + b * how.numbers * how.size);
    return PADIC_OK;
}

#endif
