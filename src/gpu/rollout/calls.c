#include "calls.h"
#include "wide.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/ops.h"
#include "../../context/recording.h"
#include "../../context/state.h"
#include "../../core/jobs.h"
#include "../../core/memory.h"
#include "../../rollout/going.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// rollout_apply and rollout_run. A rollout's states stay on the device: a step is the launches of
// the nodes, then three of what follows them.

#define PADICI_GPU_ROLLOUT_DECIDED 5u // numbers of rollout/rollout.cl
#define PADICI_GPU_ROLLOUT_POLICY 5u

// Whether kernels count the elements of all operands.
PADICI_FN int padici_gpu_rollout_reach(const padici_call *call, const padic_tensor *large)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++) {
        const padici_operand *o = &call->operands[i];
        const uint64_t size = padic_dtype_size(o->tensor->dtype);
        const uint64_t at = o->home.host ? 0 : o->home.at;
        if (at % size || (o->tensor != large && (at + o->bytes) / size >> 31)) return 0;
    }
    return 1;
}

static void padici_gpu_rollout_env(const padici_gpu_rollout *n, char message[256], padic_env *env)
{
    memset(env, 0, sizeof *env);
    message[0] = 0;
    env->message = message;
    env->message_size = 256;
    env->allocator = n->gpu->context->env.allocator;
}

static padic_result padici_gpu_rollout_said(const padici_gpu_rollout *n, padic_result result,
                                            const char *message)
{
    return result && message[0] ? padici_fail_here(n->gpu->context, result, message) : result;
}

// Random numbers of NOISE nodes, checked: their ids and scales come to host memory.
static padic_result padici_gpu_rollout_chance(padici_gpu_rollout *n, const padic_tensor *ids,
                                              const padic_tensor *noise_ids,
                                              const padic_tensor *noise_scale,
                                              padic_tensor fetched[3])
{
    char message[256];
    padic_env env;
    padic_result result;
    if (!n->noisy) return PADIC_OK;
    if (n->gpu->context->recording)
        return padici_refuse(n->gpu->context, "a NOISE node, whose numbers are moved,");
    result = padici_gpu_rollout_fetch(n, ids, &fetched[0]);
    if (!result) result = padici_gpu_rollout_fetch(n, noise_ids, &fetched[1]);
    if (!result) result = padici_gpu_rollout_fetch(n, noise_scale, &fetched[2]);
    if (result) return result;
    if (fetched[0].data) n->e.chance.ids = &fetched[0];
    if (fetched[1].data) n->e.chance.noise_ids = &fetched[1];
    if (fetched[2].data) n->e.chance.noise_scale = &fetched[2];
    padici_gpu_rollout_env(n, message, &env);
    result = padici_rollout_chance_values(&env, &n->e);
    return padici_gpu_rollout_said(n, result, message);
}

// ---- rollout_apply

static padic_result padici_gpu_rollout_taps(const padici_gpu_rollout *n,
                                            const padic_rollout_apply_desc *desc, uint32_t node)
{
    const padic_rollout_shape *shape = &n->e.node[node].shape;
    const uint32_t numbers = shape->channels * shape->height * shape->width;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < PADIC_ROLLOUT_TAPS && !result; i++) {
        const padici_operand *o = padici_gpu_rollout_operand(n->call, &desc->taps[i].out);
        if (desc->taps[i].node != node || !o) continue;
        result = padici_gpu_rollout_copy(n, node, o->now.mem,
                                         (uint32_t)(o->now.at / 4) + n->first * numbers, numbers);
    }
    return result;
}

static padic_result padici_gpu_rollout_apply_work(padici_gpu_rollout *n,
                                                  const padic_rollout_apply_desc *desc)
{
    const uint32_t total = (uint32_t)(n->e.operators * n->e.per_operator);
    const padici_operand *state = padici_gpu_rollout_operand(n->call, &desc->state);
    const padici_operand *out = padici_gpu_rollout_operand(n->call, &desc->out);
    const uint32_t numbers = (uint32_t)(padic_tensor_count(&desc->out) / total);
    padici_gpu_rollout_wide_end end;
    padic_tensor fetched[3];
    padic_result result = padici_gpu_rollout_chance(n, &desc->ids, &desc->noise_ids,
                                                    &desc->noise_scale, fetched);
    uint32_t first, i;
    memset(&end, 0, sizeof end);
    end.result = 1;
    if (!result) result = padici_gpu_rollout_tables(n, desc->step, 1, NULL, 0);
    if (!result) result = padici_gpu_rollout_memory(n, &desc->weights, total, desc->max_bytes);
    n->state = state->now.mem;
    n->state_step = (uint32_t)(padic_tensor_count(&desc->state) / total);
    for (first = 0; first < total && !result; first += n->count) {
        n->first = first;
        n->count = total - first < n->batch ? total - first : (uint32_t)n->batch;
        n->state_at = (uint32_t)(state->now.at / 4) + first * n->state_step;
        if (padici_rollout_is_half(&n->e)) result = padici_gpu_rollout_wide(n, &end);
        for (i = 1; i <= n->e.op.count && !padici_rollout_is_half(&n->e) && !result; i++) {
            result = padici_gpu_rollout_node(n, i);
            if (!result) result = padici_gpu_rollout_taps(n, desc, i);
        }
        if (!result)
            result = padici_gpu_rollout_copy(n, n->e.op.count, out->now.mem,
                                             (uint32_t)(out->now.at / 4) + first * numbers,
                                             numbers);
    }
    return result;
}

PADICI_FN padic_result padici_gpu_rollout_apply(padici_gpu *gpu, const padici_call *call,
                                                int query)
{
    const padic_rollout_apply_desc *desc = &call->desc->rollout_apply;
    const uint64_t per = desc->state.shape[1];
    padici_gpu_rollout *n = NULL;
    padic_result result;
    uint32_t i;
    if (desc->state.dtype != PADIC_F32 || desc->precision == PADIC_ROLLOUT_PRECISION_F64 ||
        !padici_gpu_rollout_reach(call, NULL) || per >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < PADIC_ROLLOUT_TAPS && desc->precision != PADIC_ROLLOUT_PRECISION_F32; i++)
        if (desc->taps[i].node) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_rollout_begin(gpu, call, &desc->op, &desc->weights,
                                      desc->flags & PADIC_ROLLOUT_QUIET, desc->precision, &n);
    if (!result && !query && desc->state.shape[0] && per) {
        n->e.per_operator = n->e.chance.realisations = per;
        n->e.chance.frames = desc->frames;
        n->e.chance.seed = desc->seed;
        n->e.step = desc->step;
        result = padici_gpu_rollout_apply_work(n, desc);
    }
    padici_gpu_rollout_end(n);
    return result;
}

// ---- rollout_run

// The float nearest to v from above or below; |v| is at most FLT_MAX.
static float padici_gpu_rollout_float(double v, int up)
{
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (up ? (double)f >= v : (double)f <= v) return f;
    if (!(bits & 0x7fffffffu)) bits = up ? 1u : 0x80000001u;
    else if ((bits >> 31 == 0) == (up != 0)) bits++;
    else bits--;
    memcpy(&f, &bits, 4);
    return f;
}

// X from X before and O, as sums of products by words: rollout/rollout.cl.
static void padici_gpu_rollout_policy(padic_rollout_policy policy, double p,
                                      uint32_t words[PADICI_GPU_ROLLOUT_POLICY])
{
    const int convex = policy == PADIC_ROLLOUT_POLICY_CONVEX;
    double factor[2];
    float pair[4];
    uint32_t i;
    factor[0] = convex ? p : 1;
    factor[1] = convex ? 1 - p : p;
    for (i = 0; i < 2; i++) {
        pair[2 * i] = (float)factor[i];
        pair[2 * i + 1] = (float)(factor[i] - (double)pair[2 * i]);
    }
    memcpy(words + 1, pair, sizeof pair);
    words[0] = 2;
    if (policy == PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE || (convex && !(p > 0))) words[0] = 0;
    else if (convex ? !(p < 1) : !(p < 0 || p > 0)) words[0] = 1;
}

// Policies of all operators, and what noise needs, to the device.
PADICI_FN padic_result padici_gpu_rollout_prepare(padici_gpu_rollout_going *r,
                                                 padic_tensor fetched[4])
{
    const padic_rollout_run_desc *desc = r->desc;
    padici_gpu_rollout *n = r->n;
    const size_t size = (size_t)n->e.operators * PADICI_GPU_ROLLOUT_POLICY * 4;
    const padic_allocator *allocator = n->gpu->context->env.allocator;
    char message[256];
    padic_env env;
    uint32_t *words, i;
    padic_result result = padici_gpu_rollout_fetch(n, &desc->parameter, &fetched[3]);
    if (result) return result;
    padici_gpu_rollout_env(n, message, &env);
    result = padici_rollout_parameters_fit(&env, desc->policy, &fetched[3], n->e.operators);
    if (result) return padici_gpu_rollout_said(n, result, message);
    result = padici_gpu_rollout_chance(n, &desc->ids, &desc->noise_ids, &desc->noise_scale,
                                       fetched);
    if (result) return result;
    words = (uint32_t *)padici_alloc(allocator, size, 16);
    if (!words) return padici_fail_here(n->gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    n->gpu->context->stats.host_allocations++;
    for (i = 0; i < n->e.operators && !result; i++) {
        const double p = padici_rollout_parameter(desc->policy, &fetched[3], i);
        if (!(p >= -3e38 && p <= 3e38)) result = PADIC_ERROR_NOT_SUPPORTED;
        else padici_gpu_rollout_policy(desc->policy, p, words + PADICI_GPU_ROLLOUT_POLICY * i);
    }
    if (!result)
        result = padici_gpu_rollout_tables(n, 0, desc->steps, words, PADICI_GPU_ROLLOUT_POLICY);
    padici_free(allocator, words, size);
    return result;
}

static padic_result padici_gpu_rollout_update(const padici_gpu_rollout_going *r)
{
    const padici_gpu_rollout *n = r->n;
    const padici_operand *initial = padici_gpu_rollout_operand(n->call, &r->desc->initial);
    padici_gpu_rollout_source a;
    padici_k_rollout_step_params k;
    padic_mem mem[4];
    padici_gpu_rollout_read(n, n->e.op.count, &a);
    memset(&k, 0, sizeof k);
    k.channels = r->channels;
    k.cells = r->cells;
    k.chunks = r->chunks;
    k.begin = !r->g.t;
    k.initial = (uint32_t)(initial->now.at / 4);
    k.initials = r->initials;
    k.realisations = (uint32_t)n->e.chance.realisations;
    k.own = r->desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    memcpy(k.a, a.word, sizeof k.a);
    k.x = r->x;
    k.o = r->o;
    k.partial = r->partial;
    k.step = (uint32_t)n->each;
    mem[0] = n->memory.mem;
    mem[1] = initial->now.mem;
    mem[2] = n->tables.mem;
    mem[3] = n->memory.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_STEP, mem, 4, &k, sizeof k,
                                     r->chunks, r->channels, n->count);
}

static padic_result padici_gpu_rollout_judge(const padici_gpu_rollout_going *r)
{
    const padici_gpu_rollout *n = r->n;
    padici_k_rollout_judge_params k;
    padic_mem mem[3];
    memset(&k, 0, sizeof k);
    k.parts = r->parts;
    k.each = r->channels / r->parts * r->chunks;
    k.chunks = r->chunks;
    k.cells = r->cells;
    k.t = r->g.t;
    k.failure = (uint32_t)r->desc->failure;
    k.post = (uint32_t)r->desc->post;
    k.status = r->status_at;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    k.o = r->o;
    k.partial = r->partial;
    k.decided = r->decided;
    k.step = (uint32_t)n->each;
    k.clock = n->ticks ? (uint32_t)n->e.operators + 1 : 0;
    k.limit = r->limit;
    mem[0] = n->memory.mem;
    mem[1] = r->status;
    mem[2] = n->faulty.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_JUDGE, mem, 3, &k, sizeof k,
                                     n->count, 1, 1);
}

// Where X_t goes, if anywhere: a place of frame 0 of trajectory 0, in numbers.
typedef struct padici_gpu_rollout_frame {
    uint32_t wanted;
    uint64_t frame, frames, at;
    padic_mem mem;
} padici_gpu_rollout_frame;

static void padici_gpu_rollout_frame_of(const padici_gpu_rollout_going *r,
                                        padici_gpu_rollout_frame *f)
{
    const padici_operand *out = padici_gpu_rollout_operand(r->n->call, &r->desc->out);
    uint64_t frame = 0;
    memset(f, 0, sizeof *f);
    f->frames = r->single ? 1 : r->g.frames;
    if (r->stream.desc && !r->single && padici_rollout_wants(&r->g, &frame)) {
        f->wanted = 1;
        f->mem = r->stream.block.mem;
        f->at = padici_gpu_rollout_stream_place(&r->stream, frame, &f->frame, &f->frames);
    } else if (out && out->bytes && (r->single || padici_rollout_wants(&r->g, &frame))) {
        f->wanted = 1;
        f->frame = frame;
        f->mem = out->now.mem;
        f->at = out->now.at / 4;
    }
}

static padic_result padici_gpu_rollout_keep(const padici_gpu_rollout_going *r)
{
    const padici_gpu_rollout *n = r->n;
    padici_gpu_rollout_frame frame;
    padici_k_rollout_keep_params k;
    padic_mem mem[2];
    padici_gpu_rollout_frame_of(r, &frame);
    memset(&k, 0, sizeof k);
    k.channels = r->channels;
    k.cells = r->cells;
    k.post = (uint32_t)r->desc->post;
    k.own = r->parts > 1;
    k.clamp = r->desc->flags & PADIC_ROLLOUT_CLAMP;
    k.wanted = frame.wanted;
    k.frame = (uint32_t)frame.frame;
    k.frames = (uint32_t)frame.frames;
    k.out_low = (uint32_t)frame.at;
    k.out_high = (uint32_t)(frame.at >> 32);
    k.first = n->first;
    k.x = r->x;
    k.o = r->o;
    k.decided = r->decided;
    k.step = (uint32_t)n->each;
    k.below = r->below;
    k.low = (float)r->desc->lo;
    k.above = r->above;
    k.high = (float)r->desc->hi;
    mem[0] = n->memory.mem;
    mem[1] = k.wanted ? frame.mem : n->memory.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_KEEP, mem, 2, &k, sizeof k,
                                     r->chunks, r->channels, n->count);
}

// t of a plan, in device memory.
static padic_result padici_gpu_rollout_tick(const padici_gpu_rollout_going *r)
{
    const padici_gpu_rollout *n = r->n;
    padici_k_rollout_tick_params k;
    padic_mem mem[2];
    if (!n->ticks) return PADIC_OK;
    memset(&k, 0, sizeof k);
    k.tables = n->now;
    k.faulty = (uint32_t)n->e.operators;
    k.begin = !r->g.t;
    mem[0] = n->tables.mem;
    mem[1] = n->faulty.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_TICK, mem, 2, &k, sizeof k, 1, 1, 1);
}

// A step in 16 bits. Where nothing follows the policy, the last kernel does all of it.
static padic_result padici_gpu_rollout_step_wide(const padici_gpu_rollout_going *r)
{
    const padici_gpu_rollout *n = r->n;
    padici_gpu_rollout_wide_end end;
    padici_gpu_rollout_frame frame;
    padic_result result;
    padici_gpu_rollout_frame_of(r, &frame);
    memset(&end, 0, sizeof end);
    end.result = r->desc->failure != PADIC_ROLLOUT_FAILURE_REPORT ||
                 r->desc->post != PADIC_ROLLOUT_POST_NONE ||
                 (r->desc->flags & PADIC_ROLLOUT_CLAMP);
    end.x = r->x;
    end.status = r->status;
    end.status_at = r->status_at;
    end.limit = r->limit;
    end.wanted = frame.wanted;
    end.frame = frame.frame;
    end.frames = frame.frames;
    end.out = frame.mem;
    end.out_at = frame.at;
    result = padici_gpu_rollout_wide(n, &end);
    if (result || !end.result) return result;
    result = padici_gpu_rollout_update(r);
    if (!result) result = padici_gpu_rollout_wide_mark(n, r->partial);
    if (!result) result = padici_gpu_rollout_judge(r);
    return result ? result : padici_gpu_rollout_keep(r);
}

PADICI_FN padic_result padici_gpu_rollout_step(padici_gpu_rollout_going *r)
{
    padici_gpu_rollout *n = r->n;
    padic_result result = padici_gpu_rollout_tick(r);
    uint32_t i;
    n->time = n->e.step = r->g.t;
    if (!result) result = padici_gpu_rollout_meter_before(n, &r->meter, r->g.t);
    if (r->g.t && padici_rollout_is_half(&n->e)) {
        if (!result) result = padici_gpu_rollout_step_wide(r);
    } else {
        for (i = 1; i <= n->e.op.count && r->g.t && !result; i++)
            result = padici_gpu_rollout_node(n, i);
        if (!result) result = padici_gpu_rollout_update(r);
        if (!result) result = padici_gpu_rollout_judge(r);
        if (!result) result = padici_gpu_rollout_keep(r);
    }
    return result ? result
                  : padici_gpu_rollout_meter_after(n, &r->meter, &r->desc->metrics, r->g.t);
}

PADICI_FN padic_result padici_gpu_rollout_steps(padici_gpu_rollout_going *r, int *stop)
{
    padic_result result = PADIC_OK, rest;
    for (r->g.t = 0; r->g.t < r->desc->steps && !result && !*stop; r->g.t++) {
        uint64_t frame = 0;
        const int wanted = padici_rollout_wants(&r->g, &frame);
        result = padici_gpu_rollout_step(r);
        if (!result) *stop = padici_steps_more(&r->steps, 1);
        if (!result)
            result = padici_gpu_rollout_stream_step(&r->stream, r->g.t, wanted, frame, stop);
    }
    rest = padici_gpu_rollout_stream_rest(&r->stream, !result && !*stop, stop);
    return result ? result : rest;
}

PADICI_FN padic_result padici_gpu_rollout_stopped(const padici_gpu_rollout_going *r)
{
    return padici_fail_here(r->n->gpu->context, PADIC_ERROR_CANCELLED,
                            r->stream.desc ? "the progress hook or the stream said so"
                                           : "the progress hook said so");
}

// What statuses say of all trajectories: the device is waited for.
PADICI_FN padic_result padici_gpu_rollout_report(const padici_gpu_rollout_going *r)
{
    const padici_gpu_rollout *n = r->n;
    const padic_allocator *allocator = n->gpu->context->env.allocator;
    const size_t size = (size_t)r->trajectories * sizeof(padic_rollout_status);
    padic_rollout_run_report report;
    padic_rollout_status *status;
    char message[256];
    padic_env env;
    uint32_t i;
    padic_result result;
    if (!r->desc->report && r->desc->failure != PADIC_ROLLOUT_FAILURE_FAIL) return PADIC_OK;
    status = (padic_rollout_status *)padici_alloc(allocator, size, 16);
    if (!status) return padici_fail_here(n->gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    n->gpu->context->stats.host_allocations++;
    memset(&report, 0, sizeof report);
    report.batch = n->batch;
    report.size = n->size;
    result = padici_gpu_download(n->gpu, r->status, (uint64_t)r->status_at * 4, status, size);
    for (i = 0; i < r->trajectories && !result; i++) {
        if (!status[i].code || report.failed++) continue;
        report.op = i / n->e.per_operator;
        report.initial = i / n->e.chance.realisations % r->initials;
        report.realisation = i % n->e.chance.realisations;
        report.step = status[i].step;
    }
    padici_free(allocator, status, size);
    if (!result && r->desc->report) *r->desc->report = report;
    if (result || !report.failed || r->desc->failure != PADIC_ROLLOUT_FAILURE_FAIL) return result;
    padici_gpu_rollout_env(n, message, &env);
    result = padici_rollout_failed(&env, &report);
    return padici_gpu_rollout_said(n, result, message);
}

static padic_result padici_gpu_rollout_go(padici_gpu_rollout_going *r)
{
    padici_gpu_rollout *n = r->n;
    const padici_operand *status = padici_gpu_rollout_operand(n->call, &r->desc->status);
    const uint64_t bytes = (uint64_t)r->trajectories * sizeof(padic_rollout_status);
    padic_tensor fetched[4];
    padic_result result = padici_gpu_rollout_prepare(r, fetched);
    int stop = 0;
    if (!result)
        result = padici_gpu_rollout_memory(n, &r->desc->weights, r->trajectories,
                                           r->desc->max_bytes);
    if (!result) result = padici_gpu_rollout_meter_fill(n, &r->meter);
    if (!result) result = padici_gpu_rollout_stream_begin(&r->stream);
    if (result) return result;
    if (status) {
        r->status = status->now.mem;
        r->status_at = (uint32_t)(status->now.at / 4);
    } else {
        result = padici_gpu_scratch(n->gpu, bytes, &r->block);
        r->status = r->block.mem;
        n->size += bytes;
    }
    n->state = n->memory.mem;
    n->state_at = r->x;
    n->state_step = (uint32_t)n->each;
    padici_steps_begin(&r->steps, padici_progress(n->gpu->context), NULL,
                       ((r->trajectories - 1) / n->batch + 1) * r->desc->steps);
    for (n->first = 0; n->first < r->trajectories && !result && !stop; n->first += n->count) {
        const uint32_t left = r->trajectories - n->first;
        n->count = left < n->batch ? left : (uint32_t)n->batch;
        result = padici_gpu_rollout_steps(r, &stop);
    }
    if ((padici_steps_end(&r->steps) || stop) && !result) result = padici_gpu_rollout_stopped(r);
    return result ? result : padici_gpu_rollout_report(r);
}

// What a rollout has beside its nodes; 0 where kernels do not reach it.
PADICI_FN int padici_gpu_rollout_lay(padici_gpu_rollout_going *r)
{
    const padic_rollout_run_desc *desc = r->desc;
    const uint64_t *shape = desc->initial.shape, operators = desc->weights.shape[0];
    const uint64_t realisations = desc->realisations ? desc->realisations : 1;
    const double largest = 3.4028234663852886e38;
    const double limit = desc->limit > 0 && desc->limit < largest ? desc->limit : largest;
    padici_gpu_rollout *n = r->n;
    const uint64_t initials = desc->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : shape[0];
    if (initials >> 31 || initials * realisations >> 31 ||
        (operators && initials * realisations > ((uint64_t)1 << 28) / operators))
        return 0;
    if ((desc->flags & PADIC_ROLLOUT_CLAMP) && !(desc->lo >= -largest && desc->hi <= largest))
        return 0;
    r->initials = (uint32_t)initials;
    r->trajectories = (uint32_t)(operators * initials * realisations);
    r->channels = (uint32_t)shape[1];
    r->cells = (uint32_t)(shape[2] * shape[3]);
    r->chunks = (r->cells + PADICI_GPU_ROLLOUT_CELLS - 1) / PADICI_GPU_ROLLOUT_CELLS;
    r->parts = desc->flags & PADIC_ROLLOUT_POST_PER_CHANNEL ? r->channels : 1;
    r->limit = padici_gpu_rollout_float(limit, 0);
    if (desc->flags & PADIC_ROLLOUT_CLAMP) {
        r->below = padici_gpu_rollout_float(desc->lo, 1);
        r->above = padici_gpu_rollout_float(desc->hi, 0);
    }
    n->e.per_operator = initials * realisations;
    n->e.chance.realisations = realisations;
    n->e.chance.frames = desc->steps;
    n->e.chance.seed = desc->seed;
    r->x = padici_gpu_rollout_reserve(n, (uint64_t)r->channels * r->cells);
    r->o = padici_gpu_rollout_reserve(n, (uint64_t)r->channels * r->cells);
    r->partial = padici_gpu_rollout_reserve(
        n, (uint64_t)PADICI_GPU_ROLLOUT_PARTIAL * r->channels * r->chunks);
    r->decided =
        padici_gpu_rollout_reserve(n, 1 + (uint64_t)PADICI_GPU_ROLLOUT_DECIDED * r->parts);
    r->g.desc = desc;
    r->g.frames = padici_rollout_run_frames(desc);
    padici_gpu_rollout_stream_lay(&r->stream, n, desc);
    return 1;
}

PADICI_FN padic_result padici_gpu_rollout_run(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_rollout_run_desc *desc = &call->desc->rollout_run;
    padici_gpu_rollout_going r;
    padic_result result;
    memset(&r, 0, sizeof r);
    if (desc->initial.dtype != PADIC_F32 || desc->precision == PADIC_ROLLOUT_PRECISION_F64 ||
        !padici_gpu_rollout_reach(call, &desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_rollout_begin(gpu, call, &desc->op, &desc->weights,
                                      desc->flags & PADIC_ROLLOUT_QUIET, desc->precision, &r.n);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_STEP, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_JUDGE, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_KEEP, NULL, 0);
    r.desc = desc;
    r.block.block = PADICI_NO_BLOCK;
    if (!result && !padici_gpu_rollout_lay(&r)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result) {
        const int here = padici_rollout_here(&desc->metrics);
        result = padici_gpu_rollout_meter_begin(
            r.n, desc, here ? (uint32_t)desc->metrics.shape[4] : 0, &r.meter);
    }
    if (!result && !query && gpu->context->recording)
        result = padici_refuse(gpu->context, "a rollout, whose policy is moved,");
    if (!result && !query && desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (!result && !query && r.trajectories) result = padici_gpu_rollout_go(&r);
    padici_gpu_rollout_stream_end(&r.stream);
    padici_gpu_scratch_end(gpu, &r.block);
    padici_gpu_rollout_end(r.n);
    return result;
}

PADICI_FN padic_result padici_warm_rollout(padici_gpu *gpu)
{
    const padic_result result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_STEP, NULL, 0);
    return result ? result : padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_CONV_LAYER, NULL, 0);
}

#undef PADICI_GPU_ROLLOUT_DECIDED
#undef PADICI_GPU_ROLLOUT_POLICY

#endif
