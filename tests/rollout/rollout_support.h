// rollout_support.h: evaluations of lists of nodes in F64 and F32, and their errors against
// rollout_oracle.h. Include it after padic.h, padic_test.h and contexts.h.
#pragma once

#include "rollout_oracle.h"
#include "rollout_lists.h"

typedef struct run_of {
    padic_rollout_operator op;
    uint64_t parameters, in, out; // numbers of a state, of an output
    uint64_t n, b;
    double *weights, *state, *got;
    float *weights_f, *state_f, *got_f;
} run_of;

static run_of run_new(const padic_rollout_operator *op, uint64_t n, uint64_t b)
{
    padic_rollout_operator_report report = PADIC_ZERO;
    run_of r;
    memset(&r, 0, sizeof r);
    report.shapes = shapes;
    if (padic_rollout_operator_info(NULL, op, &report)) {
        CHECK(0);
        exit(1);
    }
    r.op = *op;
    r.n = n, r.b = b;
    r.parameters = report.parameters;
    r.in = (uint64_t)(op->channels ? op->channels : 3) * op->height * op->width;
    r.out = (uint64_t)report.output_channels * report.output_height * report.output_width;
    r.weights = (double *)fresh(n * r.parameters, 8);
    r.state = (double *)fresh(n * b * r.in, 8);
    r.got = (double *)fresh(n * b * r.out, 8);
    r.weights_f = (float *)fresh(n * r.parameters, 4);
    r.state_f = (float *)fresh(n * b * r.in, 4);
    r.got_f = (float *)fresh(n * b * r.out, 4);
    for (uint64_t i = 0; i < n * r.parameters; i++) r.weights[i] = 0.3 * uniform();
    for (uint64_t i = 0; i < n * r.parameters; i++)
        r.weights_f[i] = (float)r.weights[i], r.weights[i] = (double)r.weights_f[i];
    for (uint32_t i = 0; i < op->count; i++) // variances are positive
        if (nodes[i].flags & PADIC_ROLLOUT_STATISTICS)
            for (uint64_t k = 0; k < n; k++)
                for (uint64_t j = shapes[i].count - shapes[i].channels; j < shapes[i].count; j++) {
                    const uint64_t at = k * r.parameters + shapes[i].weights + j;
                    r.weights_f[at] = 0.5f + r.weights_f[at];
                    r.weights[at] = (double)r.weights_f[at];
                }
    for (uint64_t i = 0; i < n * b * r.in; i++)
        r.state[i] = uniform(), r.state_f[i] = (float)r.state[i];
    return r;
}

static void run_end(run_of *r)
{
    free(r->weights), free(r->state), free(r->got);
    free(r->weights_f), free(r->state_f), free(r->got_f);
}

static inline padic_result run_do(padic_context *context, run_of *r, padic_dtype dtype,
                                  uint64_t max_bytes)
{
    const uint64_t in[5] = {r->n, r->b, r->op.channels ? r->op.channels : 3, r->op.height,
                            r->op.width};
    const padic_rollout_shape *last = &shapes[r->op.count - 1];
    const uint64_t out[5] = {r->n, r->b, last->channels, last->height, last->width};
    padic_rollout_apply_desc desc = PADIC_ZERO;
    desc.op = r->op;
    desc.max_bytes = max_bytes;
    if (dtype == PADIC_F64) {
        desc.weights = padic_tensor_2d(PADIC_F64, r->weights, r->n, r->parameters);
        desc.state = padic_tensor_nd(PADIC_F64, r->state, 5, in);
        desc.out = padic_tensor_nd(PADIC_F64, r->got, 5, out);
    } else {
        desc.weights = padic_tensor_2d(PADIC_F32, r->weights_f, r->n, r->parameters);
        desc.state = padic_tensor_nd(PADIC_F32, r->state_f, 5, in);
        desc.out = padic_tensor_nd(PADIC_F32, r->got_f, 5, out);
    }
    return padic_rollout_apply(context, &desc);
}

// Relative to the root mean square of the output: that of the error, and its largest.
static inline void run_error(const run_of *r, const double *want, uint64_t b, int is_float,
                             double *rms, double *most)
{
    double square = 0, error = 0;
    *most = 0;
    for (uint64_t i = 0; i < r->out; i++) {
        const double got = is_float ? (double)r->got_f[b * r->out + i] : r->got[b * r->out + i];
        square += want[i] * want[i];
        error += (got - want[i]) * (got - want[i]);
        if (!(fabs(got - want[i]) <= *most)) *most = fabs(got - want[i]);
    }
    square = sqrt(square / (double)r->out) + 1e-300;
    *rms = sqrt(error / (double)r->out) / square;
    *most /= square;
}

// The page's R2 for f32; f64 to 1e-12.
static inline void run_check(run_of *r)
{
    for (uint64_t b = 0; b < r->n * r->b; b++) {
        oracle_field want = oracle_run(&r->op, shapes, r->weights + b / r->b * r->parameters,
                                       r->state + b * r->in);
        double rms, most;
        if (!b) CHECK_EQ(run_do(NULL, r, PADIC_F64, 0), PADIC_OK);
        run_error(r, want.at, b, 0, &rms, &most);
        CHECK(rms <= 1e-13 && most <= 1e-12);
        for (uint32_t with = 0; with < context_count; with++) {
            CHECK_EQ(run_do(contexts[with], r, PADIC_F32, 0), PADIC_OK);
            run_error(r, want.at, b, 1, &rms, &most);
            CHECK(rms <= 5e-6 && most <= 5e-5);
        }
        oracle_end(&want);
    }
}
