#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/recording.h"
#include "../launch.h"
#include "../variants.h"
#include "lines.h"
#include "norm.h"
#include "record.h"
#include "step.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Steps of fields in a device's memory. Split steps take a launch for each pass of
// kernels/field/field.cl.

// {k^2, the phase over `time`, k^2} along an axis; before, after: 1 + which.
static padic_result padici_gpu_field_around(padici_gpu_field_steps *s, uint32_t axis,
                                            uint32_t before, double time, uint32_t after)
{
    padici_gpu_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.axis = axis;
    pass.before = before;
    pass.middle = time != 0 ? PADICI_GPU_FIELD_PHASE : PADICI_GPU_FIELD_NOTHING;
    pass.time = time;
    pass.after = after;
    return padici_gpu_field_lines(&s->x, &pass);
}

// The phase over `time`, and first what is owed along an axis.
static padic_result padici_gpu_field_potential(padici_gpu_field_steps *s, double time)
{
    const uint32_t before = s->behind;
    const uint32_t axis = before ? s->along : s->x.axis[s->x.axes - 1];
    s->behind = 0;
    s->owed = 0;
    return padici_gpu_field_around(s, axis, before, time, 0);
}

// With rotation: K k_x^2 + Omega y k_x, or K (k_y^2 + k_z^2) - Omega x k_y.
static padic_result padici_gpu_field_swirl(padici_gpu_field_steps *s, double time, uint32_t part)
{
    const uint32_t first = s->x.rules->first, z = part && !first;
    padic_result result = PADIC_OK;
    if (z)
        result = padici_gpu_field_along(&s->x, 2, PADICI_GPU_FIELD_FORWARD,
                                        PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE, 0);
    if (!result)
        result = padici_gpu_field_along(&s->x, first + part, PADICI_GPU_FIELD_FORWARD,
                                        PADICI_GPU_FIELD_SWIRL, PADICI_GPU_FIELD_INVERSE, time);
    if (!result && z)
        result = padici_gpu_field_along(&s->x, 2, PADICI_GPU_FIELD_INVERSE,
                                        PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE, 0);
    return result;
}

// The kinetic part with rotation: x half, the others, x half.
static padic_result padici_gpu_field_turned(padici_gpu_field_steps *s, double time)
{
    padic_result result = padici_gpu_field_swirl(s, time / 2, 0);
    if (!result) result = padici_gpu_field_swirl(s, time, 1);
    if (!result) result = padici_gpu_field_swirl(s, time / 2, 0);
    return result;
}

// The kinetic part of what lies at s->x.psi.
PADICI_FN padic_result padici_gpu_field_drift(padici_gpu_field_steps *s, double time)
{
    uint32_t i;
    padic_result result = PADIC_OK;
    if (s->x.rules->desc.rotation != 0) return padici_gpu_field_turned(s, time);
    for (i = 0; i < s->x.axes && !result; i++)
        result = padici_gpu_field_around(s, s->x.axis[i], 1, 0, 0);
    return result;
}

// A substep, up to half a phase and, of several axes, the last one. The next substep begins with
// that axis, so they take turns; the first one begins so that records find the fastest axis owed.
static padic_result padici_gpu_field_split(padici_gpu_field_steps *s, double time, uint32_t which)
{
    const padici_field_rules *rules = s->x.rules;
    const uint32_t axes = s->x.axes, *axis = s->x.axis;
    const uint64_t every = rules->desc.measure_every, step = s->call->desc.plan->step;
    uint32_t first = s->along, i;
    double phase = s->owed + time / 2;
    padic_result result;
    if (rules->desc.rotation != 0) {
        result = padici_gpu_field_potential(s, phase);
        s->owed = time / 2;
        return result ? result : padici_gpu_field_turned(s, time);
    }
    if (!s->behind) first = axis[every && (every - step % every) % 2 ? 0 : axes - 1];
    result = padici_gpu_field_around(s, first, s->behind, phase, 1 + which);
    for (i = 1; i + 1 < axes && !result; i++)
        result = padici_gpu_field_around(s, axis[i], 1 + which, 0, 0);
    s->behind = axes > 1 ? 1 + which : 0;
    s->along = first == axis[0] ? axis[axes - 1] : axis[0];
    s->owed = time / 2;
    return result;
}

// What is still owed, before somebody looks.
static padic_result padici_gpu_field_settle(padici_gpu_field_steps *s)
{
    const double owed = s->owed;
    if (padici_gpu_field_explicit(&s->x)) return padici_gpu_field_explicit_settle(s);
    if (s->x.rules->desc.method == PADIC_FIELD_METHOD_CAYLEY2) {
        s->owed = 0;
        return owed != 0 ? padici_gpu_field_each(s, PADICI_KERNEL_FIELD_POINTS_PHASE, owed, 0)
                         : PADIC_OK;
    }
    if (!s->behind && s->owed == 0) return PADIC_OK;
    return padici_gpu_field_potential(s, s->owed);
}

static padic_result padici_gpu_field_cayley_step(padici_gpu_field_steps *s)
{
    const double dt = s->x.rules->desc.dt;
    padic_result result =
        padici_gpu_field_each(s, PADICI_KERNEL_FIELD_POINTS_PHASE, s->owed + dt / 2, 0);
    s->owed = dt / 2;
    return result ? result : padici_gpu_field_cayley(s, &s->x.psi);
}

static padic_result padici_gpu_field_one(padici_gpu_field_steps *s)
{
    double time[2];
    const uint32_t substeps = padici_field_substeps(&s->x.rules->desc, time);
    uint32_t j;
    padic_result result = PADIC_OK;
    if (padici_gpu_field_explicit(&s->x)) return padici_gpu_field_explicit_step(s);
    if (s->x.rules->desc.method == PADIC_FIELD_METHOD_FLOW)
        return padici_gpu_field_flow(&s->flow, 0);
    if (s->x.rules->desc.time == PADIC_FIELD_TIME_IMAGINARY) return padici_gpu_field_cool(s);
    if (s->x.rules->desc.method == PADIC_FIELD_METHOD_CAYLEY2)
        return padici_gpu_field_cayley_step(s);
    for (j = 0; j < substeps && !result; j++) {
        const uint32_t which = substeps > 1 && j == substeps / 2;
        result = padici_gpu_field_split(s, time[which], which);
    }
    return result;
}

// NORM_LOCK: psi gets the norm that the call began with.
static padic_result padici_gpu_field_relock(padici_gpu_field_steps *s)
{
    const padic_result result = padici_gpu_field_norm(
        &s->x, &s->x.psi, PADICI_GPU_FIELD_DENSITY, PADICI_GPU_FIELD_NOW);
    return result ? result : padici_gpu_field_rescale(&s->x, &s->x.psi, 0);
}

// Records of all fields, and what NORM_LOCK does then.
static padic_result padici_gpu_field_look(padici_gpu_field_steps *s)
{
    padici_field_step_call *call = s->call;
    const padic_field_plan *plan = call->desc.plan;
    const padic_tensor *t = s->records->tensor;
    const uint64_t number = call->report.records++;
    const uint32_t last = s->x.axis[s->x.axes - 1];
    const uint32_t ahead = s->behind && s->along == last &&
                           padici_gpu_field_record_whole(&s->x) &&
                           padici_gpu_field_leaves(&s->x, last);
    padici_gpu_field_record record;
    padic_result result = ahead ? padici_gpu_field_record_ahead(&s->x, s->behind, s->owed)
                                : padici_gpu_field_settle(s);
    if (ahead) {
        s->behind = 0;
        s->owed = 0;
    }
    memset(&record, 0, sizeof record);
    record.ahead = ahead;
    record.time = plan->time;
    record.step = plan->step;
    record.number = number + 1;
    if (t) {
        record.mem = s->records->now.mem;
        record.at = s->records->now.at / 8 +
                    number % t->shape[0] * plan->rules.fields * PADIC_FIELD_COLUMNS;
    }
    if (!result) result = padici_gpu_field_record_make(&s->x, &record);
    if (!result && call->lock > 0) result = padici_gpu_field_rescale(&s->x, &s->x.psi, 0);
    return result;
}

// After the last step, where records may have ended those of some fields: waits for them.
static padic_result padici_gpu_field_ended(padici_gpu_field_steps *s)
{
    double state[PADICI_GPU_FIELD_STATES][PADICI_GPU_FIELD_STATE];
    padici_field_step_call *call = s->call;
    padic_field_plan *plan = call->desc.plan;
    const uint64_t fields = plan->rules.fields, every = plan->rules.desc.measure_every;
    const uint64_t first = every - call->first % every; // steps before the first record
    uint64_t i, steps = call->report.steps;
    uint32_t j, count, status = 0;
    padic_result result = PADIC_OK;
    for (i = 0; i < fields && !result; i += count) {
        count = fields - i < PADICI_GPU_FIELD_STATES ? (uint32_t)(fields - i)
                                                     : (uint32_t)PADICI_GPU_FIELD_STATES;
        result = padici_gpu_field_states(&s->x, i, count, state);
        for (j = 0; j < count && !result; j++) {
            const double ended = state[j][PADICI_GPU_FIELD_ENDED];
            const uint64_t after = ended > 0 ? first + ((uint64_t)ended - 1) * every : steps;
            if (ended > 0 && !status) status = (uint32_t)state[j][PADICI_GPU_FIELD_STATUS];
            if (after < steps) steps = after;
        }
    }
    if (result || !status) return result;
    call->report.steps = steps;
    plan->step = call->first + steps;
    plan->time = call->start + (double)steps * plan->rules.desc.dt;
    return padici_field_fail_status(call->task.context, status);
}

static padic_result padici_gpu_field_run(padici_gpu_field_steps *s)
{
    padici_field_step_call *call = s->call;
    padic_field_plan *plan = call->desc.plan;
    const padic_field_plan_desc *desc = &plan->rules.desc;
    uint64_t i;
    padic_result result = PADIC_OK;
    for (i = 0; i < call->desc.count && !result; i++) {
        result = padici_gpu_field_one(s);
        if (result) break;
        plan->step++;
        if (plan->rules.desc.noise > 0) {
            result = padici_gpu_field_settle(s);
            if (!result) result = padici_gpu_field_noise(s);
            if (result) break;
        }
        plan->time = call->start + (double)(i + 1) * plan->rules.desc.dt;
        call->report.steps = i + 1;
        if (desc->measure_every && plan->step % desc->measure_every == 0)
            result = padici_gpu_field_look(s);
        if (padici_steps_more(&call->steps, plan->rules.fields)) break;
    }
    if (!result) result = padici_gpu_field_settle(s);
    if (!result && call->lock > 0 && call->report.steps && !desc->measure_every)
        result = padici_gpu_field_relock(s);
    if (!result && call->report.records && !call->task.context->recording)
        result = padici_gpu_field_ended(s);
    call->report.time = plan->time;
    if (padici_steps_end(&call->steps) && !result)
        result = padici_fail_here(call->task.context, PADIC_ERROR_CANCELLED,
                                  "the progress hook said so");
    return result;
}

// Whether kernels reach all rows of the records.
static int padici_gpu_field_rows(const padici_gpu_field *x, const padici_operand *records)
{
    return !x->rules->desc.measure_every || !records->tensor ||
           !(records->now.at % 8 || (records->now.at + records->bytes) >> 34);
}

// 0: there are no kernels for its extents.
static int padici_gpu_field_extents(const padici_gpu_field *x)
{
    const padic_field_plan_desc *desc = &x->rules->desc;
    if (desc->method == PADIC_FIELD_METHOD_CAYLEY2) return padici_gpu_field_cayley_fit(x);
    return desc->method == PADIC_FIELD_METHOD_FLOW ||
           (x->rules->spectral && desc->noise == 0 && desc->time == PADIC_FIELD_TIME_REAL) ||
           padici_gpu_field_points_fit(x);
}

static padic_result padici_gpu_field_need(const padici_gpu_field *x)
{
    const padic_field_method method = x->rules->desc.method;
    const int flow = method == PADIC_FIELD_METHOD_FLOW;
    padic_result result = padici_gpu_field_explicit(x) ? padici_gpu_field_need_explicit(x)
                          : flow ? padici_gpu_field_need_ground(x, 0)
                          : method == PADIC_FIELD_METHOD_CAYLEY2
                              ? padici_gpu_field_need_cayley(x)
                              : padici_gpu_field_need_lines(x, 0);
    if (!result && x->rules->desc.noise > 0)
        result = padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_NOISE);
    if (!result && x->rules->desc.time == PADIC_FIELD_TIME_IMAGINARY && !flow)
        result = padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_DECAY);
    if (!result && (x->copies || x->rules->desc.time == PADIC_FIELD_TIME_IMAGINARY ||
                    x->rules->desc.flags & (PADIC_FIELD_NORM_LOCK | PADIC_FIELD_CHECK_FINITE)))
        result = padici_gpu_field_need_norm(x);
    if (!result && x->stops) result = padici_gpu_field_need_record(x);
    return result;
}

// Before the first step: what may fail, or needs memory.
static padic_result padici_gpu_field_step_ready(padici_gpu_field_steps *s)
{
    // of SPLIT2, SPLIT4, CAYLEY2, LEAPFROG2, RK4, LEGACY_EULER, FLOW; of the first three two more
    // in imaginary time
    static const uint32_t arrays[] = {0, 0, 1, 0, 3, 1, 0};
    const padic_field_plan_desc *desc = &s->x.rules->desc;
    const uint32_t imaginary = desc->time == PADIC_FIELD_TIME_IMAGINARY;
    const uint32_t more = imaginary && desc->method != PADIC_FIELD_METHOD_FLOW ? 2 : 0;
    padic_result result = PADIC_OK;
    if (desc->noise > 0)
        result = padici_refuse(s->x.gpu->context, "noise, which is new at each step,");
    if (!result) result = padici_gpu_field_ready(&s->x);
    if (!result && desc->flags & PADIC_FIELD_CHECK_FINITE) result = padici_gpu_field_finite(&s->x);
    if (!result && imaginary) result = padici_gpu_field_cool_begin(&s->x);
    if (result) return result;
    padici_gpu_field_search_of(&s->flow, &s->x);
    s->flow.time = 1 / desc->dt;
    return padici_gpu_field_arrays_begin(&s->x, arrays[desc->method] + more, &s->arrays);
}

PADICI_FN padic_result padici_gpu_field_step(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_gpu_field_steps s;
    padic_result result;
    memset(&s, 0, sizeof s);
    s.call = (padici_field_step_call *)call->task;
    if (!padici_gpu_field_begin(&s.x, gpu, s.call->desc.plan, &call->operands[0]))
        return PADIC_ERROR_NOT_SUPPORTED;
    s.records = &call->operands[1];
    s.x.copies = s.x.stops = s.x.rules->desc.measure_every > 0;
    if (s.x.rules->desc.method == PADIC_FIELD_METHOD_FLOW) s.x.copies = 1;
    if (!padici_gpu_field_rows(&s.x, s.records) || !padici_gpu_field_extents(&s.x))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_field_need(&s.x);
    if (query || result) return result;
    result = padici_gpu_field_step_ready(&s);
    if (result) return result;
    padici_field_step_begin(s.call);
    if (s.call->lock > 0)
        result = padici_gpu_field_norm(&s.x, &s.x.psi, PADICI_GPU_FIELD_DENSITY,
                                       PADICI_GPU_FIELD_HELD);
    if (!result && s.x.copies) result = padici_gpu_field_record_begin(&s.x);
    if (!result) result = padici_gpu_field_run(&s);
    padici_gpu_field_arrays_end(&s.x, &s.arrays);
    return result;
}

#endif
