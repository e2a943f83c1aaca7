#include "apply.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "random.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// How an operator answers to changes of its state.

enum { PADICI_ROLLOUT_PROBE_EPS = 3, PADICI_ROLLOUT_PROBE_GAINS = 4 };

static const double padici_rollout_probe_eps[PADICI_ROLLOUT_PROBE_EPS] = {1e-4, 1e-3, 1e-2};
static const double padici_rollout_probe_s[PADICI_ROLLOUT_PROBE_GAINS] = {0.5, 0.75, 1.25, 1.5};

PADICI_FN uint32_t padici_rollout_probe_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_probe_desc *desc = (padic_rollout_probe_desc *)desc_;
    operands[0].name = "weights";
    operands[0].tensor = &desc->weights;
    operands[0].any_stride = 1;
    operands[1].name = "state";
    operands[1].tensor = &desc->state;
    operands[2].name = "out";
    operands[2].tensor = &desc->out;
    operands[2].out = 1;
    return padici_rollout_chance_operands(operands, 3, &desc->ids, &desc->noise_ids,
                                          &desc->noise_scale);
}

PADICI_FN padic_result padici_rollout_probe_check(padic_context *context, const void *desc_)
{
    const padic_rollout_probe_desc *desc = (const padic_rollout_probe_desc *)desc_;
    const padic_tensor *out = &desc->out;
    padici_rollout_node *all = NULL;
    padic_rollout_shape in;
    uint64_t parameters = 0;
    padic_result result = padici_rollout_nodes_make(context, &desc->op, &all, &parameters);
    if (result) return result;
    in = all[0].shape;
    padici_rollout_nodes_free(context, all);
    if (desc->draws > 256)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "draws", "are more than 256");
    if (desc->common > 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "common", "is neither 0 nor 1");
    result = padici_rollout_weights_check(context, &desc->weights, parameters);
    if (!result)
        result = padici_rollout_field_check(context, "state", &desc->state, 5, &in,
                                            desc->state.dtype);
    if (!result)
        result = padici_rollout_precision_check(context, desc->precision, desc->state.dtype);
    if (result) return result;
    if (desc->state.shape[0] != desc->weights.shape[0])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "state",
                                 "has other operators than weights");
    if (desc->state.shape[1] > 1u << 20)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "state", "has more than 2^20 of each");
    if (out->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not F64");
    if (out->rank != 3 || out->shape[0] != desc->state.shape[0] ||
        out->shape[1] != desc->state.shape[1] || out->shape[2] != PADIC_ROLLOUT_PROBE_COLUMNS)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out", "is not (N, B, 13)");
    if (!padici_rollout_is_dense(out))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out", "is not dense");
    return padici_rollout_chance_check(context, &desc->ids, &desc->noise_ids, &desc->noise_scale,
                                       desc->state.shape[0], 1, 1, desc->state.shape[1]);
}

typedef struct padici_rollout_probing {
    const padic_rollout_probe_desc *desc;
    padici_rollout_engine *e;
    uint64_t in, out; // numbers of a state, of an output
    size_t size;
    char *x, *o, *changed; // (batch, ..): changed states, their outputs; outputs of the states
    double *length;        // of the changes, or of the outputs
    double factor;         // s, or eps
    uint32_t draw, column, draws;
} padici_rollout_probing;

static const char *padici_rollout_probe_state(const padici_rollout_probing *p, uint64_t item)
{
    return (const char *)p->desc->state.data + (p->e->first + item) * p->in * p->size;
}

// x = s x
static void padici_rollout_probe_scale(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_probing *p = (const padici_rollout_probing *)e->user;
    const char *from = padici_rollout_probe_state(p, item);
    uint64_t i;
    (void)scratch;
    for (i = 0; i < p->in; i++)
        padici_rollout_put(p->x + item * p->in * p->size, i, p->size,
                           p->factor * padici_rollout_get(from, i, p->size));
}

// x = x + eps n
static void padici_rollout_probe_move(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_probing *p = (const padici_rollout_probing *)e->user;
    const char *from = padici_rollout_probe_state(p, item);
    char *to = p->x + item * p->in * p->size;
    const uint64_t trajectory = e->first + item;
    const uint64_t stream =
        padici_rollout_stream(padici_rollout_operator_id(e, trajectory),
                              padici_rollout_realisation(e, trajectory), p->draw,
                              PADICI_ROLLOUT_PROBE);
    uint32_t words[4] = {0, 0, 0, 0};
    double square = 0;
    uint64_t i;
    (void)scratch;
    for (i = 0; i < p->in; i++) {
        const double x = padici_rollout_get(from, i, p->size);
        double d;
        if (i % 4 == 0) padici_rollout_words(p->desc->seed, stream, 0, (uint32_t)(i / 4), words);
        padici_rollout_put(to, i, p->size,
                           x + p->factor * (double)padic_random_normal(words[i % 4]));
        d = padici_rollout_get(to, i, p->size) - x;
        square += d * d;
    }
    p->length[item] = sqrt(square);
}

static double padici_rollout_ratio(double a, double b)
{
    return a > 0 || a < 0 || b > 0 || b < 0 ? (b > 0 || b < 0 ? a / b : 0) : a * b;
}

// The quotient of one draw, or the gain of one s.
static void padici_rollout_probe_note(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_probing *p = (const padici_rollout_probing *)e->user;
    const char *o = p->o + item * p->out * p->size, *q = p->changed + item * p->out * p->size;
    double *row = (double *)p->desc->out.data +
                  (e->first + item) * (uint64_t)PADIC_ROLLOUT_PROBE_COLUMNS;
    double square = 0, all = 0, ratio;
    uint64_t i;
    (void)scratch;
    for (i = 0; i < p->out; i++) {
        const double before = padici_rollout_get(o, i, p->size);
        const double v = padici_rollout_get(q, i, p->size);
        const double d = p->column < PADIC_ROLLOUT_PROBE_GAIN ? v - before : v;
        square += d * d;
        all += before * before;
    }
    if (p->column >= PADIC_ROLLOUT_PROBE_GAIN) {
        row[p->column] = padici_rollout_ratio(sqrt(square), sqrt(all));
        return;
    }
    ratio = padici_rollout_ratio(sqrt(square), p->length[item]);
    if (!p->draw) row[p->column] = row[p->column + 1] = 0;
    row[p->column] += ratio / (double)p->draws;
    if (!(ratio <= row[p->column + 1])) row[p->column + 1] = ratio; // NaN, too
}

// Columns that follow from the gains.
static void padici_rollout_probe_fit(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_probing *p = (const padici_rollout_probing *)e->user;
    double *row = (double *)p->desc->out.data +
                  (e->first + item) * (uint64_t)PADIC_ROLLOUT_PROBE_COLUMNS;
    const double *g = row + (uint32_t)PADIC_ROLLOUT_PROBE_GAIN;
    double mean_s = 0, mean_g = 0, ss = 0, sg = 0, gg = 0;
    uint32_t i;
    (void)scratch;
    for (i = 0; i < PADICI_ROLLOUT_PROBE_GAINS; i++) {
        mean_s += padici_rollout_probe_s[i] / 4;
        mean_g += g[i] / 4;
    }
    for (i = 0; i < PADICI_ROLLOUT_PROBE_GAINS; i++) {
        const double s = padici_rollout_probe_s[i] - mean_s;
        ss += s * s;
        sg += s * (g[i] - mean_g);
        gg += (g[i] - mean_g) * (g[i] - mean_g);
    }
    row[PADIC_ROLLOUT_PROBE_FIT] = gg <= 0 ? 1 : sg * sg / (ss * gg);
    row[PADIC_ROLLOUT_PROBE_SATURATION] = 1.5 - g[3];
    row[PADIC_ROLLOUT_PROBE_COMPRESSION] = padici_rollout_ratio(g[0], g[3]);
}

static void padici_rollout_probe_batch(padici_rollout_probing *p, uint64_t first, uint64_t count)
{
    padici_rollout_engine *e = p->e;
    uint32_t k;
    padici_rollout_evaluate(e, first, count,
                            (const char *)p->desc->state.data + first * p->in * p->size, p->o);
    for (k = 0; k < PADICI_ROLLOUT_PROBE_EPS; k++)
        for (p->draw = 0; p->draw < p->draws; p->draw++) {
            p->column = 2 * k;
            p->factor = padici_rollout_probe_eps[k];
            padici_rollout_each(e, count, padici_rollout_probe_move);
            padici_rollout_evaluate(e, first, count, p->x, p->changed);
            padici_rollout_each(e, count, padici_rollout_probe_note);
        }
    for (k = 0; k < PADICI_ROLLOUT_PROBE_GAINS; k++) {
        p->column = (uint32_t)PADIC_ROLLOUT_PROBE_GAIN + k;
        p->factor = padici_rollout_probe_s[k];
        padici_rollout_each(e, count, padici_rollout_probe_scale);
        padici_rollout_evaluate(e, first, count, p->x, p->changed);
        padici_rollout_each(e, count, padici_rollout_probe_note);
    }
    padici_rollout_each(e, count, padici_rollout_probe_fit);
}

PADICI_FN padic_result padici_rollout_probe_with(const padic_env *env,
                                                 const padici_rollout_kernels *kernels,
                                                 const padic_rollout_probe_desc *desc)
{
    const uint64_t count = desc->state.shape[0] * desc->state.shape[1];
    padici_rollout_probing p;
    padici_rollout_wish wish;
    uint64_t first;
    padic_result result;
    if (!count) return PADIC_OK;
    memset(&p, 0, sizeof p);
    memset(&wish, 0, sizeof wish);
    p.desc = desc;
    p.size = padic_dtype_size(desc->state.dtype);
    p.in = padic_tensor_count(&desc->state) / count;
    p.draws = desc->draws ? desc->draws : 8;
    wish.op = &desc->op;
    wish.weights = &desc->weights;
    wish.per_operator = desc->state.shape[1];
    wish.max_bytes = desc->max_bytes;
    wish.dtype = desc->state.dtype;
    wish.outputs = 2; // of a state, of a changed one
    wish.extra = p.in * p.size + 8;
    wish.precision = desc->precision;
    wish.kernels = padici_rollout_kernels_of(desc->precision, wish.dtype, kernels);
    wish.chance.quiet = !desc->common;
    wish.chance.frames = desc->frames;
    wish.chance.seed = desc->seed;
    wish.chance.ids = desc->ids.data ? &desc->ids : NULL;
    wish.chance.noise_ids = desc->noise_ids.data ? &desc->noise_ids : NULL;
    wish.chance.noise_scale = desc->noise_scale.data ? &desc->noise_scale : NULL;
    wish.chance.realisations = desc->state.shape[1];
    result = padici_rollout_engine_begin(env, &wish, &p.e);
    if (result) return result;
    p.out = (uint64_t)p.e->node[desc->op.count].shape.channels *
            p.e->node[desc->op.count].shape.height * p.e->node[desc->op.count].shape.width;
    p.e->user = &p;
    p.e->step = desc->step;
    p.length = (double *)(void *)p.e->extra;
    p.x = p.e->extra + p.e->batch * sizeof *p.length;
    p.o = p.x + p.e->batch * p.in * p.size;
    p.changed = p.o + p.e->batch * p.out * p.size;
    for (first = 0; first < count; first += p.e->batch)
        padici_rollout_probe_batch(&p, first,
                                   count - first < p.e->batch ? count - first : p.e->batch);
    padici_rollout_engine_end(p.e);
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_probe_host(const padic_env *env, const void *desc)
{
    return padici_rollout_probe_with(env, padici_rollout_plain(),
                                     (const padic_rollout_probe_desc *)desc);
}

#endif
