#include "apply.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "step.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// One precision against another, from the same states.

PADICI_FN uint32_t padici_rollout_compare_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_compare_desc *desc = (padic_rollout_compare_desc *)desc_;
    uint32_t n = 3;
    operands[0].name = "weights";
    operands[0].tensor = &desc->run.weights;
    operands[0].any_stride = 1;
    operands[1].name = "initial";
    operands[1].tensor = &desc->run.initial;
    operands[2].name = "out";
    operands[2].tensor = &desc->out;
    operands[2].out = 1;
    if (padici_rollout_here(&desc->run.parameter)) {
        operands[n].name = "parameter";
        operands[n].tensor = &desc->run.parameter;
        operands[n++].any_stride = 1;
    }
    return padici_rollout_chance_operands(operands, n, &desc->run.ids, &desc->run.noise_ids,
                                          &desc->run.noise_scale);
}

PADICI_FN padic_result padici_rollout_compare_check(padic_context *context, const void *desc_)
{
    const padic_rollout_compare_desc *desc = (const padic_rollout_compare_desc *)desc_;
    const padic_rollout_run_desc *run = &desc->run;
    const padic_tensor *out = &desc->out;
    padic_result result = padici_rollout_run_check(context, run);
    if (!result)
        result = padici_rollout_precision_check(context, desc->against, run->initial.dtype);
    if (result) return result;
    if (run->output != PADIC_ROLLOUT_OUTPUT_NONE || padici_rollout_here(&run->status) ||
        padici_rollout_here(&run->metrics) ||
        run->failure != PADIC_ROLLOUT_FAILURE_REPORT || run->limit > 0)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "run",
                                 "has an output, a status, a failure policy or a limit");
    if (out->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not F64");
    if (out->rank != 5 || out->shape[0] != run->weights.shape[0] ||
        out->shape[1] != (run->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR
                              ? 1
                              : run->initial.shape[0]) ||
        out->shape[2] != (run->realisations ? run->realisations : 1) ||
        out->shape[3] != run->steps - 1 || out->shape[4] != 2)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                 "is not (N, I, M, T - 1, 2)");
    return padici_rollout_is_dense(out)
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out", "is not dense");
}

typedef struct padici_rollout_comparison {
    const padic_rollout_compare_desc *desc;
    padici_rollout_engine *e[2]; // of both precisions
    padici_rollout_finishing finish;
    uint64_t initials, realisations;
    char *x, *o[2]; // (batch, C, H, W)
    uint32_t t;
} padici_rollout_comparison;

static void padici_rollout_compare_errors(const char *a, const char *b, uint64_t numbers,
                                          size_t size, double *out)
{
    double error = 0, square = 0, most = 0;
    uint64_t i;
    for (i = 0; i < numbers; i++) {
        const double want = padici_rollout_get(b, i, size);
        const double d = fabs(padici_rollout_get(a, i, size) - want);
        square += want * want;
        error += d * d;
        if (!(d <= most)) most = d; // NaN, too
    }
    out[0] = !(error > 0 || error < 0) && error <= 0 ? 0 : sqrt(error / square);
    out[1] = most <= 0 ? 0 : most / sqrt(square / (double)numbers);
}

// After both evaluations of step t, or of step 0 with the initial condition in o[0].
static void padici_rollout_compare_follow(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_comparison *c = (const padici_rollout_comparison *)e->user;
    const padic_rollout_run_desc *run = &c->desc->run;
    const size_t size = c->finish.size;
    const uint64_t at = item * c->finish.numbers * size, trajectory = e->first + item;
    (void)scratch;
    if (c->t) {
        padici_rollout_compare_errors(c->o[0] + at, c->o[1] + at, c->finish.numbers, size,
                                      (double *)c->desc->out.data +
                                          (trajectory * (run->steps - 1) + c->t - 1) * 2);
        padici_rollout_step(run->policy,
                            padici_rollout_parameter(run->policy, &run->parameter,
                                                     trajectory / e->per_operator),
                            c->finish.numbers, size, c->x + at, c->o[0] + at);
    }
    padici_rollout_finish(&c->finish, c->o[0] + at);
    memcpy(c->x + at, c->o[0] + at, (size_t)c->finish.numbers * size);
}

static void padici_rollout_compare_batch(padici_rollout_comparison *c, uint64_t first,
                                         uint64_t count)
{
    const padic_rollout_run_desc *run = &c->desc->run;
    const uint64_t bytes = c->finish.numbers * c->finish.size;
    uint64_t i;
    for (i = 0; i < count; i++) {
        const uint64_t of = run->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR
                                ? (first + i) / c->e[0]->per_operator
                                : (first + i) / c->realisations % c->initials;
        memcpy(c->o[0] + i * bytes, (const char *)run->initial.data + of * bytes, (size_t)bytes);
    }
    c->e[0]->first = first;
    for (c->t = 0; c->t < run->steps; c->t++) {
        for (i = 0; i < 2 && c->t; i++) {
            c->e[i]->step = c->t;
            padici_rollout_evaluate(c->e[i], first, count, c->x, c->o[i]);
        }
        padici_rollout_each(c->e[0], count, padici_rollout_compare_follow);
    }
}

static padic_result padici_rollout_compare_begin(const padic_env *env,
                                                 const padici_rollout_kernels *kernels,
                                                 padici_rollout_comparison *c)
{
    const padic_rollout_run_desc *run = &c->desc->run;
    padici_rollout_wish wish;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&wish, 0, sizeof wish);
    wish.op = &run->op;
    wish.weights = &run->weights;
    wish.per_operator = c->initials * c->realisations;
    wish.max_bytes = run->max_bytes / 2 + (run->max_bytes == 1);
    wish.dtype = run->initial.dtype;
    wish.extra = 3 * c->finish.numbers * c->finish.size;
    wish.chance.quiet = run->flags & PADIC_ROLLOUT_QUIET;
    wish.chance.frames = run->steps;
    wish.chance.seed = run->seed;
    wish.chance.ids = run->ids.data ? &run->ids : NULL;
    wish.chance.noise_ids = run->noise_ids.data ? &run->noise_ids : NULL;
    wish.chance.noise_scale = run->noise_scale.data ? &run->noise_scale : NULL;
    wish.chance.realisations = c->realisations;
    for (i = 0; i < 2 && !result; i++) {
        wish.precision = i ? c->desc->against : run->precision;
        wish.kernels = padici_rollout_kernels_of(wish.precision, wish.dtype, kernels);
        result = padici_rollout_engine_begin(env, &wish, &c->e[i]);
        wish.extra = 0;
    }
    return result;
}

PADICI_FN padic_result padici_rollout_compare_with(const padic_env *env,
                                                   const padici_rollout_kernels *kernels,
                                                   const padic_rollout_compare_desc *desc)
{
    const padic_rollout_run_desc *run = &desc->run;
    padici_rollout_comparison c;
    uint64_t count, batch, first;
    padic_result result = padici_rollout_parameters_fit(env, run->policy, &run->parameter,
                                                        run->weights.shape[0]);
    memset(&c, 0, sizeof c);
    c.desc = desc;
    c.initials = run->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : run->initial.shape[0];
    c.realisations = run->realisations ? run->realisations : 1;
    count = run->weights.shape[0] * c.initials * c.realisations;
    if (result || !count || run->steps < 2) return result;
    c.finish.post = run->post;
    c.finish.flags = run->flags;
    c.finish.lo = run->lo;
    c.finish.hi = run->hi;
    c.finish.numbers = padic_tensor_count(&run->initial) / run->initial.shape[0];
    c.finish.channels = run->initial.shape[1];
    c.finish.size = padic_dtype_size(run->initial.dtype);
    result = padici_rollout_compare_begin(env, kernels, &c);
    if (!result) {
        batch = c.e[0]->batch < c.e[1]->batch ? c.e[0]->batch : c.e[1]->batch;
        c.e[0]->user = &c;
        c.x = c.e[0]->extra;
        c.o[0] = c.x + c.e[0]->batch * c.finish.numbers * c.finish.size;
        c.o[1] = c.o[0] + c.e[0]->batch * c.finish.numbers * c.finish.size;
        for (first = 0; first < count; first += batch)
            padici_rollout_compare_batch(&c, first, count - first < batch ? count - first : batch);
    }
    padici_rollout_engine_end(c.e[0]);
    padici_rollout_engine_end(c.e[1]);
    return result;
}

PADICI_FN padic_result padici_rollout_compare_host(const padic_env *env, const void *desc)
{
    return padici_rollout_compare_with(env, padici_rollout_plain(),
                                       (const padic_rollout_compare_desc *)desc);
}

#endif
