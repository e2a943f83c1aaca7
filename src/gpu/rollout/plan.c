#include "calls.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/ops.h"
#include "../../context/recording.h"
#include "../../context/state.h"
#include "../../context/target.h"
#include "../../core/jobs.h"
#include "../../core/memory.h"
#include "../../core/view.h"
#include "../../rollout/plan.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Plans on devices: a rollout of all trajectories whose packed weights, tables, states and statuses
// stay there between calls, with t beside them, so that a recorded step is the next one whenever it
// is replayed. The reset that makes a plan makes this too.

enum { // operands of a plan's own call
    PADICI_GPU_PLAN_WEIGHTS = 0, // then views that the plan has copied
    PADICI_GPU_PLAN_INITIAL = 1,
    PADICI_GPU_PLAN_OUT = 6,     // of the call in hand
    PADICI_GPU_PLAN_METRICS = 7,
    PADICI_GPU_PLAN_OPERANDS = 8
};

typedef struct padici_gpu_rollout_plan {
    padici_gpu_rollout_going r;
    padici_call call;
    padici_gpu_block initial;
    padici_target *target;
} padici_gpu_rollout_plan;

static void padici_gpu_rollout_plan_end(padic_rollout_plan *plan)
{
    padici_gpu_rollout_plan *p = (padici_gpu_rollout_plan *)plan->device;
    padici_gpu gpu;
    memset(&gpu, 0, sizeof gpu);
    gpu.context = plan->context;
    gpu.target = p->target;
    if (p->r.n) p->r.n->gpu = &gpu;
    padici_gpu_rollout_stream_end(&p->r.stream);
    padici_gpu_scratch_end(&gpu, &p->initial);
    padici_gpu_scratch_end(&gpu, &p->r.block);
    padici_gpu_rollout_end(p->r.n);
    padici_free(plan->context->env.allocator, p, sizeof *p);
    plan->device = NULL;
    plan->device_end = NULL;
}

static int padici_gpu_rollout_plan_suits(const padic_rollout_run_desc *desc)
{
    return desc->initial.dtype == PADIC_F32 && desc->precision != PADIC_ROLLOUT_PRECISION_F64 &&
           !desc->max_bytes && desc->failure != PADIC_ROLLOUT_FAILURE_FAIL;
}

// The plan's views as operands in host memory, of which `weights` are the caller's still.
static void padici_gpu_rollout_plan_operands(padic_rollout_plan *plan, padici_gpu_rollout_plan *p)
{
    padic_rollout_run_desc *desc = &plan->desc;
    padic_tensor *const view[PADICI_GPU_PLAN_OPERANDS] = {
        &desc->weights,   &desc->initial,     &desc->parameter, &desc->ids,
        &desc->noise_ids, &desc->noise_scale, &desc->out,       &desc->metrics};
    uint32_t i, axis;
    p->call.context = plan->context;
    p->call.op = PADIC_OP_ROLLOUT_RUN;
    p->call.operand_count = PADICI_GPU_PLAN_OPERANDS;
    for (i = 0; i < PADICI_GPU_PLAN_OPERANDS; i++) {
        padici_operand *o = &p->call.operands[i];
        const uint64_t size = padic_dtype_size(view[i]->dtype);
        int64_t stride[PADIC_MAX_RANK], low = 0, high = 0;
        o->tensor = view[i];
        o->block = PADICI_NO_BLOCK;
        if (!view[i]->data) continue;
        padici_tensor_dense(view[i], stride);
        for (axis = 0; axis < view[i]->rank; axis++) {
            const int64_t way = (int64_t)(view[i]->shape[axis] - 1) * stride[axis];
            if (way < 0) low += way;
            else high += way;
        }
        o->before = (uint64_t)-low * size;
        o->bytes = (uint64_t)(high - low + 1) * size;
        o->home.host = 1;
    }
}

// An operand's bytes to memory of the device.
static padic_result padici_gpu_rollout_plan_move(padici_gpu *gpu, padici_operand *o,
                                                 padici_gpu_block *block)
{
    padic_result result = padici_gpu_scratch(gpu, o->bytes, block);
    o->now.mem = block->mem;
    o->now.at = o->before;
    o->now.host = 0;
    return result ? result
                  : padici_gpu_upload(gpu, block->mem, 0, (const char *)o->tensor->data - o->before,
                                      o->bytes);
}

static padic_result padici_gpu_rollout_plan_fill(padici_gpu *gpu, padic_rollout_plan *plan,
                                                 padici_gpu_rollout_plan *p)
{
    padici_gpu_rollout_going *r = &p->r;
    const uint64_t bytes = plan->going.trajectories * sizeof(padic_rollout_status);
    padici_gpu_block given;
    padic_tensor fetched[4];
    padic_result result;
    given.block = PADICI_NO_BLOCK;
    result = padici_gpu_rollout_plan_move(gpu, &p->call.operands[PADICI_GPU_PLAN_WEIGHTS], &given);
    if (!result)
        result = padici_gpu_rollout_plan_move(gpu, &p->call.operands[PADICI_GPU_PLAN_INITIAL],
                                              &p->initial);
    if (!result) result = padici_gpu_rollout_prepare(r, fetched);
    if (!result) result = padici_gpu_rollout_memory(r->n, &plan->desc.weights, r->trajectories, 0);
    if (!result && r->n->batch < r->trajectories) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result) result = padici_gpu_rollout_meter_fill(r->n, &r->meter);
    if (!result) result = padici_gpu_rollout_stream_begin(&r->stream);
    if (!result) result = padici_gpu_scratch(gpu, bytes, &r->block);
    padici_gpu_scratch_end(gpu, &given);
    if (result) return result;
    r->status = r->block.mem;
    r->n->count = r->trajectories;
    r->n->state = r->n->memory.mem;
    r->n->state_at = r->x;
    r->n->state_step = (uint32_t)r->n->each;
    r->n->ticks = 1;
    memset(p->call.operands, 0, PADICI_GPU_PLAN_INITIAL * sizeof *p->call.operands);
    plan->device_size = r->n->size + bytes + p->call.operands[PADICI_GPU_PLAN_INITIAL].bytes;
    return PADIC_OK;
}

// In a query: only the kernels, with a part of its own, since another may be in the making.
static padic_result padici_gpu_rollout_plan_make(padici_gpu *gpu, padic_rollout_plan *plan)
{
    void *const device = plan->device;
    padici_gpu_rollout_plan *p =
        (padici_gpu_rollout_plan *)padici_alloc(gpu->context->env.allocator, sizeof *p, 16);
    padici_gpu_rollout_going *r;
    padic_result result;
    if (!p) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    gpu->context->stats.host_allocations++;
    memset(p, 0, sizeof *p);
    p->target = gpu->target;
    r = &p->r;
    r->desc = &plan->desc;
    r->block.block = p->initial.block = PADICI_NO_BLOCK;
    plan->device = p;
    plan->device_end = padici_gpu_rollout_plan_end;
    padici_gpu_rollout_plan_operands(plan, p);
    result = padici_gpu_rollout_begin(gpu, &p->call, &plan->desc.op, &plan->desc.weights,
                                      plan->desc.flags & PADIC_ROLLOUT_QUIET,
                                      plan->desc.precision, &r->n);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_STEP, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_JUDGE, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_KEEP, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_TICK, NULL, 0);
    if (!result && !padici_gpu_rollout_lay(r)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result)
        result = padici_gpu_rollout_meter_begin(
            r->n, &plan->desc, plan->going.measures ? plan->going.columns : 0, &r->meter);
    if (!result && !gpu->query) result = padici_gpu_rollout_plan_fill(gpu, plan, p);
    if (result || gpu->query) padici_gpu_rollout_plan_end(plan);
    if (device) {
        plan->device = device;
        plan->device_end = padici_gpu_rollout_plan_end;
    }
    return result;
}

// A plan's rollout for a call on it; out and metrics are that call's, or none.
static padici_gpu_rollout_going *padici_gpu_rollout_plan_take(padici_gpu *gpu,
                                                              const padici_call *call,
                                                              padic_rollout_plan *plan,
                                                              const padic_tensor *out,
                                                              const padic_tensor *metrics)
{
    padici_gpu_rollout_plan *p = (padici_gpu_rollout_plan *)plan->device;
    const padic_tensor *const view[2] = {out, metrics};
    uint32_t i;
    p->r.n->gpu = gpu;
    for (i = 0; i < 2; i++) {
        padici_operand *to = &p->call.operands[PADICI_GPU_PLAN_OUT + i];
        padic_tensor *own = to->tensor;
        const padici_operand *o = view[i] ? padici_gpu_rollout_operand(call, view[i]) : NULL;
        memset(to, 0, sizeof *to);
        if (o) *to = *o;
        to->tensor = own;
    }
    return &p->r;
}

// Statuses to the memory of a call.
static padic_result padici_gpu_rollout_plan_tell(const padici_gpu_rollout_going *r,
                                                 const padici_call *call,
                                                 const padic_tensor *status)
{
    const padici_operand *o = padici_gpu_rollout_operand(call, status);
    padici_gpu *gpu = r->n->gpu;
    padici_place from;
    if (!o || !o->bytes) return PADIC_OK;
    memset(&from, 0, sizeof from);
    from.mem = r->status;
    return padici_target_move(gpu->context, gpu->target, &o->now, &from, o->bytes);
}

PADICI_FN padic_result padici_gpu_rollout_plan_reset(padici_gpu *gpu, const padici_call *call,
                                                     int query)
{
    const padic_rollout_plan_reset_desc *desc = &call->desc->rollout_plan_reset;
    const padici_operand *initial = padici_gpu_rollout_operand(call, &desc->initial);
    padic_rollout_plan *plan = desc->plan;
    padici_gpu_rollout_going *r;
    padici_place to;
    padic_result result = PADIC_OK;
    if (!plan->device && (!plan->making || !padici_gpu_rollout_plan_suits(&plan->desc)))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query && !gpu->gathers) return PADIC_OK;
    if (query || !plan->device) result = padici_gpu_rollout_plan_make(gpu, plan);
    if (result || query) return result;
    r = padici_gpu_rollout_plan_take(gpu, call, plan, NULL, NULL);
    if (initial && initial->bytes) {
        memset(&to, 0, sizeof to);
        to.mem = ((padici_gpu_rollout_plan *)plan->device)->initial.mem;
        result = padici_target_move(gpu->context, gpu->target, &to, &initial->now, initial->bytes);
    }
    r->g.t = 0;
    r->single = r->meter.single = 1;
    if (!result) result = padici_gpu_rollout_step(r);
    if (!result && !gpu->context->recording) plan->going.t = 0;
    return result;
}

PADICI_FN padic_result padici_gpu_rollout_plan_step(padici_gpu *gpu, const padici_call *call,
                                                    int query)
{
    const padic_rollout_plan_step_desc *desc = &call->desc->rollout_plan_step;
    padic_rollout_plan *plan = desc->plan;
    const uint32_t count = desc->count ? desc->count : 1, end = plan->going.t + count;
    padici_gpu_rollout_going *r;
    padic_result result = PADIC_OK;
    int stop = 0;
    if (!plan->device || !padici_gpu_rollout_reach(call, &desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    r = padici_gpu_rollout_plan_take(gpu, call, plan, NULL, NULL);
    r->single = r->meter.single = 1;
    r->g.t = plan->going.t;
    padici_steps_begin(&r->steps, padici_progress(gpu->context), NULL, count);
    while (r->g.t < end && !result && !stop) {
        r->g.t++;
        if (r->g.t == end)
            (void)padici_gpu_rollout_plan_take(gpu, call, plan, &desc->out, &desc->metrics);
        result = padici_gpu_rollout_step(r);
        if (!result) stop = padici_steps_more(&r->steps, 1);
    }
    if (!gpu->context->recording) plan->going.t = r->g.t;
    if ((padici_steps_end(&r->steps) || stop) && !result)
        return padici_fail_here(gpu->context, PADIC_ERROR_CANCELLED, "the progress hook said so");
    return result ? result : padici_gpu_rollout_plan_tell(r, call, &desc->status);
}

PADICI_FN padic_result padici_gpu_rollout_plan_run(padici_gpu *gpu, const padici_call *call,
                                                   int query)
{
    const padic_rollout_plan_run_desc *desc = &call->desc->rollout_plan_run;
    padic_rollout_plan *plan = desc->plan;
    const uint32_t steps = plan->desc.steps;
    padici_gpu_rollout_going *r;
    padic_result result = PADIC_OK;
    int stop = 0;
    if (!plan->device || !padici_gpu_rollout_reach(call, &desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    if (desc->report) result = padici_refuse(gpu->context, "a report of a rollout");
    if (!result && plan->desc.output == PADIC_ROLLOUT_OUTPUT_STREAM)
        result = padici_refuse(gpu->context, "a rollout whose frames go to a stream,");
    if (result) return result;
    r = padici_gpu_rollout_plan_take(gpu, call, plan, &desc->out, &desc->metrics);
    r->single = r->meter.single = 0;
    padici_steps_begin(&r->steps, padici_progress(gpu->context), NULL, steps);
    r->stream.failed = PADIC_OK;
    result = padici_gpu_rollout_steps(r, &stop);
    if (padici_steps_end(&r->steps)) stop = 1;
    if (!gpu->context->recording) plan->going.t = steps - 1;
    if (r->stream.failed || (!result && stop)) { // back to the beginning, as the host has it
        const padic_result failed = r->stream.failed;
        r->g.t = 0;
        r->single = r->meter.single = 1;
        (void)padici_gpu_rollout_plan_take(gpu, call, plan, NULL, NULL);
        result = padici_gpu_rollout_step(r);
        if (!gpu->context->recording) plan->going.t = 0;
        return result ? result : failed ? failed : padici_gpu_rollout_stopped(r);
    }
    if (!result) result = padici_gpu_rollout_plan_tell(r, call, &desc->status);
    plan->desc.report = desc->report;
    if (!result) result = padici_gpu_rollout_report(r);
    plan->desc.report = NULL;
    return result;
}

PADICI_FN padic_result padici_gpu_rollout_plan_status(padici_gpu *gpu, const padici_call *call,
                                                      int query)
{
    const padic_rollout_plan_status_desc *desc = &call->desc->rollout_plan_status;
    padic_rollout_plan *plan = desc->plan;
    const padici_operand *out = padici_gpu_rollout_operand(call, &desc->out);
    padic_rollout_run_report report;
    padici_gpu_rollout_going *r;
    padic_result result = PADIC_OK;
    if (!plan->device || !padici_gpu_rollout_reach(call, NULL)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    if (desc->report) result = padici_refuse(gpu->context, "a report of a rollout");
    if (result) return result;
    r = padici_gpu_rollout_plan_take(gpu, call, plan, NULL, NULL);
    if (out && out->bytes)
        result = padici_gpu_rollout_copy(r->n, 0, out->now.mem, (uint32_t)(out->now.at / 4),
                                         r->channels * r->cells);
    if (!result) result = padici_gpu_rollout_plan_tell(r, call, &desc->status);
    if (result || !desc->report) return result;
    plan->desc.report = &report;
    result = padici_gpu_rollout_report(r);
    plan->desc.report = NULL;
    if (result) return result;
    desc->report->step = plan->going.t;
    desc->report->failed = report.failed;
    desc->report->size = plan->total;
    return PADIC_OK;
}

#endif
