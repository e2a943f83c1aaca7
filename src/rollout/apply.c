#include "apply.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_ROLLOUT

// One evaluation.

PADICI_FN int padici_rollout_is_dense(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK], step = 1;
    uint32_t a;
    padici_tensor_dense(t, stride);
    for (a = t->rank; a > 0; a--) {
        if (t->shape[a - 1] > 1 && stride[a - 1] != step) return 0;
        step *= (int64_t)t->shape[a - 1];
    }
    return 1;
}

PADICI_FN padic_result padici_rollout_weights_check(padic_context *context,
                                                    const padic_tensor *weights,
                                                    uint64_t parameters)
{
    if (weights->dtype != PADIC_F32 && weights->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "weights", "are not F32 or F64");
    if (weights->rank != 2 || weights->shape[1] != parameters)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "weights",
                                 "are not (N, P): see padic_rollout_operator_info()");
    return PADIC_OK;
}

// A field (.., C, H, W) of so many axes, dense.
PADICI_FN padic_result padici_rollout_field_check(padic_context *context, const char *name,
                                                  const padic_tensor *t, uint32_t rank,
                                                  const padic_rollout_shape *shape,
                                                  padic_dtype dtype)
{
    if (t->dtype != dtype || (dtype != PADIC_F32 && dtype != PADIC_F64))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name,
                                 "is not F32 or F64, or not as the state is");
    if (t->rank != rank || t->shape[rank - 3] != shape->channels ||
        t->shape[rank - 2] != shape->height || t->shape[rank - 1] != shape->width)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 "has not the operator's channels, rows and columns as last axes");
    if (!padici_rollout_is_dense(t))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name, "is not dense");
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_precision_check(padic_context *context,
                                                      padic_rollout_precision precision,
                                                      padic_dtype dtype)
{
    if ((uint32_t)precision > PADIC_ROLLOUT_PRECISION_F64)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "precision", "is unknown");
    if (dtype == PADIC_F64 && (precision == PADIC_ROLLOUT_PRECISION_F16 ||
                               precision == PADIC_ROLLOUT_PRECISION_BF16))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "precision",
                                 "has 16 bits, but states are F64");
    return PADIC_OK;
}

PADICI_FN const padici_rollout_kernels *
padici_rollout_kernels_of(padic_rollout_precision precision, padic_dtype dtype,
                          const padici_rollout_kernels *kernels)
{
    return dtype == PADIC_F64 || precision == PADIC_ROLLOUT_PRECISION_F64 ? padici_rollout_plain()
                                                                          : kernels;
}

PADICI_FN uint32_t padici_rollout_apply_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_apply_desc *desc = (padic_rollout_apply_desc *)desc_;
    uint32_t n = 3, k;
    operands[0].name = "weights";
    operands[0].tensor = &desc->weights;
    operands[0].any_stride = 1;
    operands[1].name = "state";
    operands[1].tensor = &desc->state;
    operands[2].name = "out";
    operands[2].tensor = &desc->out;
    operands[2].out = 1;
    for (k = 0; k < PADIC_ROLLOUT_TAPS; k++) {
        if (!desc->taps[k].node) continue;
        operands[n].name = "taps";
        operands[n].tensor = &desc->taps[k].out;
        operands[n++].out = 1;
    }
    return padici_rollout_chance_operands(operands, n, &desc->ids, &desc->noise_ids,
                                          &desc->noise_scale);
}

static padic_result padici_rollout_taps_check(padic_context *context,
                                              const padic_rollout_apply_desc *desc,
                                              const padici_rollout_node *all)
{
    uint32_t k;
    for (k = 0; k < PADIC_ROLLOUT_TAPS; k++) {
        const padic_rollout_tap *tap = &desc->taps[k];
        padic_result result;
        if (!tap->node && !padici_rollout_here(&tap->out)) continue;
        if (!tap->node || tap->node > desc->op.count)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "taps",
                                     "has a node that is none of the list");
        result = padici_rollout_field_check(context, "taps", &tap->out, 5, &all[tap->node].shape,
                                            desc->state.dtype);
        if (result) return result;
        if (tap->out.shape[0] != desc->state.shape[0] || tap->out.shape[1] != desc->state.shape[1])
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "taps",
                                     "has other operators or batches than state");
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_apply_check(padic_context *context, const void *desc_)
{
    const padic_rollout_apply_desc *desc = (const padic_rollout_apply_desc *)desc_;
    padici_rollout_node *all = NULL;
    padic_rollout_shape in, out;
    uint64_t parameters = 0;
    padic_result result = padici_rollout_nodes_make(context, &desc->op, &all, &parameters);
    if (result) return result;
    in = all[0].shape;
    out = all[desc->op.count].shape;
    result = padici_rollout_taps_check(context, desc, all);
    padici_rollout_nodes_free(context, all);
    if (!result) result = padici_rollout_weights_check(context, &desc->weights, parameters);
    if (!result)
        result = padici_rollout_field_check(context, "state", &desc->state, 5, &in,
                                            desc->state.dtype);
    if (!result)
        result = padici_rollout_field_check(context, "out", &desc->out, 5, &out,
                                            desc->state.dtype);
    if (!result && (desc->state.shape[0] != desc->weights.shape[0] ||
                    desc->out.shape[0] != desc->weights.shape[0] ||
                    desc->out.shape[1] != desc->state.shape[1]))
        result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "state",
                                   "or out has other operators than weights, or other batches");
    if (!result)
        result = padici_rollout_precision_check(context, desc->precision, desc->state.dtype);
    if (!result && (desc->flags & ~(uint32_t)PADIC_ROLLOUT_QUIET))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "flags", "has an unknown bit");
    if (!result)
        result = padici_rollout_chance_check(context, &desc->ids, &desc->noise_ids,
                                             &desc->noise_scale, desc->state.shape[0], 1, 1,
                                             desc->state.shape[1]);
    return result;
}

PADICI_FN padic_result padici_rollout_apply_run(const padic_env *env,
                                                const padici_rollout_kernels *kernels,
                                                const padic_rollout_apply_desc *desc)
{
    const size_t size = padic_dtype_size(desc->state.dtype);
    const uint64_t count = desc->state.shape[0] * desc->state.shape[1];
    padici_rollout_engine *e = NULL;
    padici_rollout_wish wish;
    uint64_t first, in, out;
    padic_result result;
    if (!count) return PADIC_OK;
    memset(&wish, 0, sizeof wish);
    wish.op = &desc->op;
    wish.weights = &desc->weights;
    wish.per_operator = desc->state.shape[1];
    wish.max_bytes = desc->max_bytes;
    wish.dtype = desc->state.dtype;
    wish.kernels = padici_rollout_kernels_of(desc->precision, wish.dtype, kernels);
    wish.precision = desc->precision;
    wish.chance.quiet = desc->flags & PADIC_ROLLOUT_QUIET;
    wish.chance.frames = desc->frames;
    wish.chance.seed = desc->seed;
    wish.chance.ids = desc->ids.data ? &desc->ids : NULL;
    wish.chance.noise_ids = desc->noise_ids.data ? &desc->noise_ids : NULL;
    wish.chance.noise_scale = desc->noise_scale.data ? &desc->noise_scale : NULL;
    wish.chance.realisations = desc->state.shape[1];
    result = padici_rollout_engine_begin(env, &wish, &e);
    if (result) return result;
    e->step = desc->step;
    e->taps = desc->taps;
    in = padic_tensor_count(&desc->state) / count * size;
    out = padic_tensor_count(&desc->out) / count * size;
    for (first = 0; first < count; first += e->batch)
        padici_rollout_evaluate(e, first, count - first < e->batch ? count - first : e->batch,
                                (const char *)desc->state.data + first * in,
                                (char *)desc->out.data + first * out);
    padici_rollout_engine_end(e);
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_apply_host(const padic_env *env, const void *desc)
{
    return padici_rollout_apply_run(env, padici_rollout_plain(),
                                    (const padic_rollout_apply_desc *)desc);
}

#endif
