// rollout_world.h: what programs of rollouts on devices share: operators with weights and states,
// evaluations and rollouts in buffers of their own. Include it after gpu_devices.h and
// rollout_lists.h.
#pragma once

#include <math.h>

// An operator with weights and states, in f64 and in f32 alike.
typedef struct world {
    padic_rollout_operator op;
    padic_rollout_operator_report report;
    uint64_t n, b, in, out;
    double *weights, *state, *want;
    float *weights_f, *state_f, *got;
} world;

static inline world world_new(const padic_rollout_operator *op, uint64_t n, uint64_t b)
{
    world w;
    memset(&w, 0, sizeof w);
    w.report.shapes = shapes;
    CHECK_EQ(padic_rollout_operator_info(NULL, op, &w.report), PADIC_OK);
    w.op = *op;
    w.n = n, w.b = b;
    w.in = (uint64_t)op->channels * op->height * op->width;
    w.out = (uint64_t)w.report.output_channels * w.report.output_height * w.report.output_width;
    w.weights = (double *)fresh(n * w.report.parameters, 8);
    w.state = (double *)fresh(n * b * w.in, 8);
    w.want = (double *)fresh(n * b * w.out, 8);
    w.weights_f = (float *)fresh(n * w.report.parameters, 4);
    w.state_f = (float *)fresh(n * b * w.in, 4);
    w.got = (float *)fresh(n * b * w.out, 4);
    for (uint64_t i = 0; i < n * w.report.parameters; i++) w.weights[i] = 0.3 * uniform();
    for (uint32_t i = 0; i < op->count; i++) // variances are positive
        for (uint64_t k = 0; k < n && (nodes[i].flags & PADIC_ROLLOUT_STATISTICS); k++)
            for (uint64_t j = shapes[i].count - shapes[i].channels; j < shapes[i].count; j++)
                w.weights[k * w.report.parameters + shapes[i].weights + j] += 0.5;
    for (uint64_t i = 0; i < n * w.report.parameters; i++)
        w.weights_f[i] = (float)w.weights[i], w.weights[i] = (double)w.weights_f[i];
    for (uint64_t i = 0; i < n * b * w.in; i++)
        w.state[i] = uniform(), w.state_f[i] = (float)w.state[i];
    return w;
}

static inline void world_end(world *w)
{
    free(w->weights), free(w->state), free(w->want);
    free(w->weights_f), free(w->state_f), free(w->got);
}

static inline padic_rollout_apply_desc apply_of(const world *w, padic_dtype dtype)
{
    const uint64_t in[5] = {w->n, w->b, w->op.channels, w->op.height, w->op.width};
    const uint64_t out[5] = {w->n, w->b, w->report.output_channels, w->report.output_height,
                             w->report.output_width};
    padic_rollout_apply_desc desc = PADIC_ZERO;
    const int is_double = dtype == PADIC_F64;
    desc.op = w->op;
    desc.weights = padic_tensor_2d(dtype, is_double ? (void *)w->weights : (void *)w->weights_f,
                                   w->n, w->report.parameters);
    desc.state = padic_tensor_nd(dtype, is_double ? (void *)w->state : (void *)w->state_f, 5, in);
    desc.out = padic_tensor_nd(dtype, is_double ? (void *)w->want : (void *)w->got, 5, out);
    return desc;
}

// The same evaluation by the reference, and on a device in buffers of its own; whether nothing
// around them was written.
static inline int apply_on(padic_context *context, const padic_rollout_apply_desc *host, float *got)
{
    padic_rollout_apply_desc desc = *host;
    const uint64_t count = padic_tensor_count(&host->out);
    plane weights = plane_new(context, &host->weights, 3, host->weights.data);
    plane state = plane_new(context, &host->state, 5, host->state.data);
    plane out = plane_new(context, &host->out, 1, NULL);
    int fine;
    desc.weights = weights.tensor;
    desc.state = state.tensor;
    desc.out = out.tensor;
    CHECK_EQ(padic_rollout_apply(context, &desc), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, out.tensor.buffer, out.at, got, count * 4), PADIC_OK);
    fine = plane_is(context, &out, got, count * 4) &&
           plane_is(context, &state, host->state.data, state.bytes);
    plane_end(context, &weights), plane_end(context, &state), plane_end(context, &out);
    return fine;
}

// Largest error of each number relative to `bound` of it; 1 would be all of it.
static inline double against(const float *got, const double *want, const double *bound,
                             uint64_t count)
{
    double most = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double part = fabs((double)got[i] - want[i]) / bound[i];
        if (!(part <= most)) most = part;
    }
    return most;
}

// The page's R2, relative to the root mean square of the output; twice that, as for nets of its
// U-AFNO, since norms of a few cells stand one after another here.
static inline void apply_near(const world *w)
{
    for (uint64_t b = 0; b < w->n * w->b; b++) {
        double square = 0, error = 0, most = 0;
        for (uint64_t i = b * w->out; i < (b + 1) * w->out; i++) {
            const double d = fabs((double)w->got[i] - w->want[i]);
            square += w->want[i] * w->want[i];
            error += d * d;
            if (!(d <= most)) most = d;
        }
        square = sqrt(square / (double)w->out) + 1e-30;
        CHECK(sqrt(error / (double)w->out) <= 1e-5 * square);
        CHECK(most <= 1e-4 * square);
    }
}

// An evaluation on every device beside that in f64.
static inline void graph_check(const world *w, uint32_t flags)
{
    padic_rollout_apply_desc desc = apply_of(w, PADIC_F64), single = apply_of(w, PADIC_F32);
    desc.flags = single.flags = flags;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    for (int d = 0; d < device_count; d++) {
        CHECK(apply_on(devices[d], &single, w->got));
        apply_near(w);
    }
}

// ---- rollouts

typedef struct rollout {
    world w;
    padic_rollout_run_desc desc; // host memory
    padic_rollout_noise_law law;
    uint64_t out, trajectories;
    float *frames;
    padic_rollout_status *status;
} rollout;

// A net of two norms and noise, C channels: N 2, I 3, M 2.
static inline rollout rollout_new(uint32_t channels, uint32_t height, uint32_t width,
                                  uint32_t steps)
{
    static const double scale = 0.05;
    padic_rollout_operator op = list(channels, height, width);
    const uint64_t initial[4] = {3, channels, height, width}, status[4] = {2, 3, 2, 4};
    rollout r;
    memset(&r, 0, sizeof r);
    nodes[0].channels = 9;
    nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    nodes[1].input = 1, nodes[1].norm = PADIC_ROLLOUT_NORM_GROUP, nodes[1].groups = 3;
    nodes[2].kind = PADIC_ROLLOUT_KIND_ADD, nodes[2].input = 2, nodes[2].skip = 1;
    nodes[3].input = 3, nodes[3].channels = channels, nodes[3].kernel = 1;
    nodes[3].norm = PADIC_ROLLOUT_NORM_NONE, nodes[3].act = PADIC_ROLLOUT_ACT_NONE;
    nodes[4].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[4].input = 4;
    op.count = 5;
    r.w = world_new(&op, 2, 3);
    r.law.scale = &scale;
    r.trajectories = 12;
    r.desc.op = r.w.op;
    r.desc.weights = padic_tensor_2d(PADIC_F32, r.w.weights_f, 2, r.w.report.parameters);
    r.desc.initial = padic_tensor_nd(PADIC_F32, r.w.state_f, 4, initial);
    r.desc.realisations = 2;
    r.desc.steps = steps;
    r.desc.seed = 99;
    r.frames = (float *)fresh(12 * steps * r.w.in, 4);
    r.status = (padic_rollout_status *)fresh(12, sizeof *r.status);
    r.desc.status = padic_tensor_nd(PADIC_U32, r.status, 4, status);
    return r;
}

// The out of the desc as it is now.
static inline void rollout_out(rollout *r)
{
    const padic_rollout_run_desc *desc = &r->desc;
    const uint32_t s = desc->every ? desc->every : 1, last = desc->steps - 1;
    uint64_t shape[7] = {2, 3, 2, 1, 0, 0, 0};
    if (desc->output == PADIC_ROLLOUT_OUTPUT_ALL) shape[3] = desc->steps;
    if (desc->output == PADIC_ROLLOUT_OUTPUT_EVERY)
        shape[3] = last / s + 1 + ((desc->flags & PADIC_ROLLOUT_WITH_LAST) && last % s);
    for (uint32_t i = 0; i < 3; i++) shape[4 + i] = desc->initial.shape[1 + i];
    r->desc.out = padic_tensor_nd(PADIC_F32, r->frames, 7, shape);
    r->out = padic_tensor_count(&r->desc.out);
}

static inline void rollout_end(rollout *r)
{
    world_end(&r->w);
    free(r->frames);
    free(r->status);
}

// On a device, all in its memory; out and status come back.
static inline padic_result rollout_on(padic_context *context, const rollout *r, float *frames,
                               padic_rollout_status *status)
{
    padic_rollout_run_desc desc = r->desc;
    plane weights = plane_new(context, &desc.weights, 1, desc.weights.data);
    plane initial = plane_new(context, &desc.initial, 2, desc.initial.data);
    plane out = plane_new(context, &desc.out, 3, NULL);
    plane is = plane_new(context, &desc.status, 4, NULL);
    padic_result result;
    desc.weights = weights.tensor, desc.initial = initial.tensor;
    desc.out = out.tensor, desc.status = is.tensor;
    result = padic_rollout_run(context, &desc);
    CHECK_EQ(padic_buffer_download(context, out.tensor.buffer, out.at, frames, out.bytes),
             PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, is.tensor.buffer, is.at, status, is.bytes), PADIC_OK);
    CHECK(plane_is(context, &out, frames, out.bytes) && plane_is(context, &is, status, is.bytes));
    plane_end(context, &weights), plane_end(context, &initial);
    plane_end(context, &out), plane_end(context, &is);
    return result;
}

static inline int alike(const float *got, const float *want, uint64_t count, double bound)
{
    for (uint64_t i = 0; i < count; i++)
        if (isnan(want[i]) ? !isnan(got[i])
                           : fabs((double)got[i] - (double)want[i]) >
                                 bound * fmax(1, fabs((double)want[i])))
            return 0;
    return 1;
}
