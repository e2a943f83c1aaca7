#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "nodes.h"
#include "random.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Weights from the ids of operators.

// 1/sqrt(n), rounded to F32, in integers: the largest m with (2 m - 1)^2 n <= 4^(s + 1) is
// 2^s/sqrt(n) to the nearest, and s is such that it has 24 bits. n below 2^41.
static float padici_rollout_inverse_root(uint64_t n)
{
    uint32_t low = 1u << 23, high = 1u << 24, s = 23;
    while ((n - 1) >> (2 * (s - 23))) s++; // 4^(s - 23) >= n: 2^s/sqrt(n) >= 2^23
    if (n == 1) return 1.0f;
    while (high - low > 1) {
        const uint32_t m = low + (high - low) / 2;
        const uint64_t odd = 2 * (uint64_t)m - 1, square = odd * odd;
        const uint64_t upper = padici_mulhi64(square, n), lower = square * n;
        const uint32_t power = 2 * s + 2;
        const int above = power >= 64 ? upper > (uint64_t)1 << (power - 64) ||
                                            (upper == (uint64_t)1 << (power - 64) && lower)
                                      : upper || lower > (uint64_t)1 << power;
        if (above) high = m;
        else low = m;
    }
    {
        float value = (float)low; // times 2^-s, a power of 2 at a time
        while (s--) value *= 0.5f;
        return value;
    }
}

// `count` numbers of element 0 on.
static void padici_rollout_uniform(char *to, int64_t step, uint64_t count, uint64_t seed,
                                   uint64_t stream, float limit)
{
    uint32_t words[4] = {0, 0, 0, 0};
    uint64_t i;
    for (i = 0; i < count; i++) {
        if (i % 4 == 0) padici_rollout_words(seed, stream, 0, (uint32_t)(i / 4), words);
        *(float *)(void *)(to + (int64_t)i * step) = padic_random_symmetric(words[i % 4]) * limit;
    }
}

static void padici_rollout_constant(char *to, int64_t step, uint64_t count, float value)
{
    uint64_t i;
    for (i = 0; i < count; i++) *(float *)(void *)(to + (int64_t)i * step) = value;
}

// 1/n is rounded to F32: n is a double without error, and so much is left of it that its rounding
// does not matter.
static void padici_rollout_spectral_init(char *to, int64_t step,
                                         const padic_rollout_weights_init_desc *desc,
                                         const padici_rollout_node *node, uint32_t site,
                                         uint32_t id)
{
    const float scale = node->is.scale > 0
                            ? node->is.scale
                            : (float)(1 / ((double)node->inputs * (double)node->is.channels));
    const uint64_t stream = padici_rollout_stream(id, 0, site, PADICI_ROLLOUT_SPECTRAL_WEIGHT);
    uint32_t words[4] = {0, 0, 0, 0};
    uint64_t i;
    for (i = 0; i < node->spectral; i++) {
        if (i % 4 == 0) padici_rollout_words(desc->seed, stream, 0, (uint32_t)(i / 4), words);
        *(float *)(void *)(to + (int64_t)i * step) = padic_random_normal(words[i % 4]) * scale;
    }
}

static void padici_rollout_node_init(const padic_rollout_weights_init_desc *desc,
                                     const padici_rollout_node *node, uint32_t site, uint32_t id,
                                     char *row, int64_t step)
{
    const uint64_t w = node->w + node->skip_w;
    char *to = row + (int64_t)node->shape.weights * step;
    if (node->spectral && desc->rule != PADIC_ROLLOUT_WEIGHT_ZERO) {
        padici_rollout_spectral_init(to, step, desc, node, site, id);
    } else if (desc->rule == PADIC_ROLLOUT_WEIGHT_ZERO || !node->fan_in) {
        padici_rollout_constant(to, step, w + node->bias, 0);
    } else {
        const float limit = padici_rollout_inverse_root(node->fan_in);
        padici_rollout_uniform(to, step, w, desc->seed,
                               padici_rollout_stream(id, 0, site, PADICI_ROLLOUT_WEIGHT), limit);
        padici_rollout_uniform(to + (int64_t)w * step, step, node->bias, desc->seed,
                               padici_rollout_stream(id, 0, site, PADICI_ROLLOUT_BIAS), limit);
    }
    to += (int64_t)(w + node->bias) * step;
    padici_rollout_constant(to, step, node->affine / 2, 1);
    to += (int64_t)(node->affine / 2) * step;
    padici_rollout_constant(to, step, node->affine / 2, 0);
    to += (int64_t)(node->affine / 2) * step;
    padici_rollout_constant(to, step, node->statistics / 2, 0);
    to += (int64_t)(node->statistics / 2) * step;
    padici_rollout_constant(to, step, node->statistics / 2, 1);
}

PADICI_FN uint32_t padici_rollout_weights_init_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_weights_init_desc *desc = (padic_rollout_weights_init_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    if (!padici_rollout_here(&desc->ids)) return 1;
    operands[1].name = "ids";
    operands[1].tensor = &desc->ids;
    operands[1].any_stride = 1;
    return 2;
}

PADICI_FN padic_result padici_rollout_weights_init_check(padic_context *context, const void *desc_)
{
    const padic_rollout_weights_init_desc *desc = (const padic_rollout_weights_init_desc *)desc_;
    padici_rollout_node *all = NULL;
    uint64_t parameters = 0;
    padic_result result = padici_rollout_nodes_make(context, &desc->op, &all, &parameters);
    padici_rollout_nodes_free(context, all);
    if (result) return result;
    if ((uint32_t)desc->rule > PADIC_ROLLOUT_WEIGHT_ZERO)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "rule", "is unknown");
    if (desc->out.dtype != PADIC_F32)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not F32");
    if (desc->out.rank != 2 || desc->out.shape[1] != parameters)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                 "is not (N, P): see padic_rollout_operator_info()");
    if (!padici_rollout_here(&desc->ids)) return PADIC_OK;
    if (desc->ids.dtype != PADIC_U32)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "ids", "is not U32");
    if (desc->ids.rank != 1 || desc->ids.shape[0] != desc->out.shape[0])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "ids", "is not (N)");
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_weights_init_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_weights_init_desc *desc = (const padic_rollout_weights_init_desc *)desc_;
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const size_t size = (PADIC_ROLLOUT_NODES + 1) * sizeof(padici_rollout_node);
    padici_rollout_node *all = (padici_rollout_node *)padici_alloc(allocator, size, 16);
    int64_t stride[PADIC_MAX_RANK], id_stride[PADIC_MAX_RANK];
    uint64_t n, parameters;
    uint32_t i;
    if (!all) return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for the nodes");
    (void)padici_rollout_nodes_find(NULL, &desc->op, all, &parameters); // was checked
    padici_tensor_dense(&desc->out, stride);
    padici_tensor_dense(&desc->ids, id_stride);
    for (n = 0; n < desc->out.shape[0]; n++) {
        const uint32_t id = desc->ids.data ? ((const uint32_t *)desc->ids.data)[(int64_t)n *
                                                                               id_stride[0]]
                                           : (uint32_t)n;
        for (i = 1; i <= desc->op.count; i++)
            padici_rollout_node_init(desc, &all[i], i, id,
                                     (char *)desc->out.data + (int64_t)n * stride[0] * 4,
                                     stride[1] * 4);
    }
    padici_free(allocator, all, size);
    return PADIC_OK;
}

#endif
