#include "calls.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/splitmix.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_FIELD

// Steps of all methods.

// ---- the potential's phase

// The integral over `time` of |psi|^(p - 2), where psi falls as e^(-W t): (1 - e^-r)/r of the time,
// for small r by a quotient in which the rounding of e^-r cancels (Kahan).
static double padici_field_faded(double density, double half, double absorber, double time)
{
    const double power = padici_field_power(density, half), rate = 2 * absorber * half * time;
    const double rest = exp(-rate);
    if (rate > 0.5 || rate < -0.5) return power * time * ((1 - rest) / rate);
    return rest == 1 ? power * time : power * time * ((rest - 1) / log(rest));
}

static double padici_field_angle(const padici_field_pass *pass, const padici_field_piece *piece,
                                 uint64_t i, double density)
{
    const padic_field_plan *plan = pass->plan;
    const double time = pass->value[0];
    double angle;
    uint32_t j;
    if (!plan->absorber) return -time * padici_field_rate(plan, piece, i, density);
    angle = padici_field_potential(plan, piece, i) * time;
    for (j = 0; j < plan->rules.terms; j++)
        angle += plan->rules.g[j] * padici_field_faded(density, plan->rules.half[j],
                                                       plan->absorber[piece->at + i], time);
    return -angle;
}

// What the backend's loop can do of `n` points from point `at` of a piece on, 64 of them at most:
// the number of points, from the first on.
static uint64_t padici_field_phase_fast(const padici_field_pass *pass,
                                        const padici_field_piece *piece, uint64_t at, uint64_t n)
{
    const padic_field_plan *plan = pass->plan;
    const padici_field_rules *rules = &plan->rules;
    padici_field_phase_row row;
    padici_field_angle_row angles;
    double angle[64], base;
    uint32_t j;
    if (!plan->kernels || plan->absorber) return 0;
    for (j = 0; j < rules->terms; j++) {
        const double half = rules->half[j];
        if (half != 1 && half != 2 && half != 0.5) return 0;
        row.power[j] = half == 1 ? 1 : half == 2 ? 2 : 0;
        row.scale[j] = -pass->value[0] * rules->g[j];
    }
    angles.trap = plan->trap[2] + piece->i[2] + at;
    angles.potential = plan->potential ? plan->potential + piece->at + at : NULL;
    angles.time = pass->value[0];
    angles.count = n;
    angles.out = angle;
    (*plan->kernels->angles)(&angles);
    base = -pass->value[0] * (plan->trap[0][piece->i[0]] + plan->trap[1][piece->i[1]]);
    row.base = &base;
    row.angle = angle;
    row.psi = pass->out + 2 * (piece->at + at);
    row.count = n;
    row.terms = rules->terms;
    return (*plan->kernels->phase)(&row);
}

static void padici_field_phase_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    double *out = pass->out + 2 * piece->at, angle[64], factor[128];
    uint64_t i, j, n;
    (void)sums;
    for (i = 0; i < piece->count; i += n, out += 2 * n) {
        const uint64_t left = piece->count - i < 64 ? piece->count - i : 64;
        n = padici_field_phase_fast(pass, piece, i, left);
        if (n) continue;
        n = left;
        for (j = 0; j < n; j++)
            angle[j] = padici_field_angle(
                pass, piece, i + j, out[2 * j] * out[2 * j] + out[2 * j + 1] * out[2 * j + 1]);
        padici_field_turn(n, angle, factor);
        for (j = 0; j < n; j++) {
            const double c = factor[2 * j], s = factor[2 * j + 1];
            const double re = out[2 * j], im = out[2 * j + 1];
            out[2 * j] = c * re + -s * im;
            out[2 * j + 1] = c * im + s * re;
        }
        for (j = 0; plan->absorber && j < n; j++) {
            const double loss = exp(-pass->value[0] * plan->absorber[piece->at + i + j]);
            out[2 * j] *= loss;
            out[2 * j + 1] *= loss;
        }
    }
}

static void padici_field_simple(padic_field_plan *plan, double time, double *psi,
                                void (*piece)(const padici_field_pass *pass,
                                              const padici_field_piece *piece, double *sums))
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = psi;
    pass.value[0] = time;
    pass.piece = piece;
    padici_field_run(&pass, NULL);
}

static void padici_field_phase(padic_field_plan *plan, double time, double *psi)
{
    padici_field_simple(plan, time, psi, padici_field_phase_piece);
}

// ---- SPLIT2, SPLIT4, CAYLEY2 in real time. `owed`: half a phase that is still to be done.

// Substeps of a step, and their times: of most, of the middle one.
PADICI_FN uint32_t padici_field_substeps(const padic_field_plan_desc *desc, double time[2])
{
    uint32_t count = 1;
    double outer = 1;
    if (desc->method == PADIC_FIELD_METHOD_SPLIT4) {
        count = desc->flags & PADIC_FIELD_YOSHIDA ? 3 : 5;
        outer = count == 3 ? 1 / (2 - 1.2599210498948731648) : 1 / (4 - 1.5874010519681994748);
    }
    time[0] = desc->dt * outer;
    time[1] = desc->dt * (1 - (count - 1) * outer);
    return count;
}

static void padici_field_split(padic_field_plan *plan, padici_field_fused *fused, double *owed)
{
    const padic_field_plan_desc *desc = &plan->rules.desc;
    double *psi = plan->array[0], times[2];
    const uint32_t count = padici_field_substeps(desc, times);
    uint32_t i;
    for (i = 0; i < count; i++) {
        const uint32_t which = count > 1 && i == count / 2;
        const double time = times[which];
        if (fused->plan) {
            padici_field_fused_step(fused, time, which);
            continue;
        }
        padici_field_phase(plan, *owed + time / 2, psi);
        if (desc->method == PADIC_FIELD_METHOD_CAYLEY2)
            padici_field_cayley(plan, time, 0, psi, plan->array[1]);
        else
            padici_field_drift(plan, time, which, 0, psi);
        *owed = time / 2;
    }
}

// ---- LEAPFROG2

// value[0]: time; number[0]: 0 of the real parts, 1 of the imaginary ones; the kinetic term of the
// other parts is in `in`. The density is that of the mean of old and new, by two corrections.
static void padici_field_kick_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    const uint64_t mine = pass->number[0], other = 1 - mine;
    const double time = mine ? -pass->value[0] : pass->value[0];
    double *out = pass->out + 2 * piece->at;
    const double *in = pass->in + 2 * piece->at;
    uint64_t i;
    uint32_t round;
    (void)sums;
    for (i = 0; i < piece->count; i++, out += 2, in += 2) {
        const double old = out[mine], partner = out[other];
        double fresh = old;
        for (round = 0; round < 3; round++) {
            const double mean = (old + fresh) / 2;
            const double u = padici_field_rate(pass->plan, piece, i,
                                               mean * mean + partner * partner);
            fresh = old + time * (in[other] + u * partner);
        }
        out[mine] = fresh;
    }
}

static void padici_field_kick(padic_field_plan *plan, double time, uint64_t part)
{
    padici_field_pass pass;
    padici_field_kinetic(plan, plan->array[0], plan->array[1]);
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = plan->array[0];
    pass.in = plan->array[1];
    pass.value[0] = time;
    pass.number[0] = part;
    pass.piece = padici_field_kick_piece;
    padici_field_run(&pass, NULL);
}

static void padici_field_fade_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++) {
        const double loss = exp(-pass->value[0] * pass->plan->absorber[piece->at + i]);
        out[2 * i] *= loss;
        out[2 * i + 1] *= loss;
    }
}

// The imaginary parts owe half a step, between steps that nobody looks at.
static void padici_field_leapfrog(padic_field_plan *plan, double *owed)
{
    const double dt = plan->rules.desc.dt;
    if (plan->absorber) padici_field_simple(plan, dt / 2, plan->array[0], padici_field_fade_piece);
    padici_field_kick(plan, *owed + dt / 2, 1);
    padici_field_kick(plan, dt, 0);
    *owed = dt / 2;
    if (!plan->absorber) return;
    padici_field_kick(plan, *owed, 1);
    *owed = 0;
    padici_field_simple(plan, dt / 2, plan->array[0], padici_field_fade_piece);
}

// ---- RK4, LEGACY_EULER

// With f = -i H psi - W psi of `other`, H psi in `in`: out += value[0] f, and the next stage is
// psi + value[1] f, in `other`.
static void padici_field_stage_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const double *h = pass->in + 2 * piece->at, *now = pass->psi + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    double *stage = plan->array[pass->number[0]] + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++, h += 2, now += 2, out += 2, stage += 2) {
        const double loss = plan->absorber ? plan->absorber[piece->at + i] : 0;
        const double re = h[1] - loss * stage[0], im = -h[0] - loss * stage[1];
        out[0] += pass->value[0] * re;
        out[1] += pass->value[0] * im;
        if (pass->value[1] == 0) continue;
        stage[0] = now[0] + pass->value[1] * re;
        stage[1] = now[1] + pass->value[1] * im;
    }
}

static void padici_field_stage(padic_field_plan *plan, uint64_t stage, double *out, double add,
                               double next)
{
    padici_field_pass pass;
    padici_field_hamilton(plan, plan->array[stage], NULL, plan->array[1]);
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.psi = plan->array[0];
    pass.in = plan->array[1];
    pass.out = out;
    pass.number[0] = stage;
    pass.value[0] = add;
    pass.value[1] = next;
    pass.piece = padici_field_stage_piece;
    padici_field_run(&pass, NULL);
}

static void padici_field_runge_kutta(padic_field_plan *plan)
{
    const double dt = plan->rules.desc.dt;
    double *sum = plan->array[2];
    padici_field_copy(plan, plan->array[0], sum);
    padici_field_copy(plan, plan->array[0], plan->array[3]);
    padici_field_stage(plan, 3, sum, dt / 6, dt / 2);
    padici_field_stage(plan, 3, sum, dt / 3, dt / 2);
    padici_field_stage(plan, 3, sum, dt / 3, dt);
    padici_field_stage(plan, 3, sum, dt / 6, 0);
    padici_field_copy(plan, sum, plan->array[0]);
}

// ---- noise

static void padici_field_noise_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const uint64_t seed = plan->rules.desc.seed;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++) { // Box, Muller
        double size, turn[2], angle;
        uint32_t counter[4], word[4];
        counter[0] = (uint32_t)(piece->at + i);
        counter[1] = (uint32_t)plan->step;
        counter[2] = (uint32_t)(plan->step >> 32);
        counter[3] = (uint32_t)pass->number[0];
        padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, word);
        size = sqrt(-log(1 - padic_random_f64(word[0], word[1]))) * pass->value[0];
        angle = 6.28318530717958647692 * padic_random_f64(word[2], word[3]);
        padici_field_turn(1, &angle, turn);
        out[2 * i] += size * turn[0];
        out[2 * i + 1] += size * turn[1];
    }
}

static void padici_field_noise(padic_field_plan *plan, uint64_t field)
{
    const padic_field_plan_desc *desc = &plan->rules.desc;
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = plan->array[0];
    pass.number[0] = field;
    pass.value[0] = sqrt(desc->noise * (desc->dt < 0 ? -desc->dt : desc->dt) / plan->rules.volume);
    pass.piece = padici_field_noise_piece;
    padici_field_run(&pass, NULL);
}

// ---- steps of one field

static void padici_field_one(padici_field_step_call *call, double *owed)
{
    padic_field_plan *plan = call->desc.plan;
    const padic_field_plan_desc *desc = &plan->rules.desc;
    if (desc->time == PADIC_FIELD_TIME_IMAGINARY) {
        if (desc->method == PADIC_FIELD_METHOD_FLOW)
            padici_field_flow(plan, desc->dt, call->norm);
        else
            padici_field_split_imaginary(plan, desc->dt, call->norm);
    } else if (desc->method == PADIC_FIELD_METHOD_LEAPFROG2) {
        padici_field_leapfrog(plan, owed);
    } else if (desc->method == PADIC_FIELD_METHOD_RK4) {
        padici_field_runge_kutta(plan);
    } else if (desc->method == PADIC_FIELD_METHOD_LEGACY_EULER) {
        padici_field_copy(plan, plan->array[0], plan->array[2]);
        padici_field_stage(plan, 2, plan->array[0], desc->dt, 0);
    } else {
        padici_field_split(plan, &call->fused, owed);
    }
}

// What is still owed, before somebody looks.
static void padici_field_settle(padici_field_step_call *call, double *owed)
{
    padic_field_plan *plan = call->desc.plan;
    if (call->fused.plan) padici_field_fused_settle(&call->fused);
    if (*owed != 0) {
        if (plan->rules.desc.method == PADIC_FIELD_METHOD_LEAPFROG2)
            padici_field_kick(plan, *owed, 1);
        else
            padici_field_phase(plan, *owed, plan->array[0]);
    }
    *owed = 0;
}

// A record of the field, where one is due. Returns its status.
static uint32_t padici_field_look(padici_field_step_call *call, uint64_t field, uint64_t number)
{
    padic_field_plan *plan = call->desc.plan;
    const padic_tensor *t = &call->desc.records;
    padic_field_record record;
    if (call->fused.plan) padici_field_fused_out(&call->fused);
    padici_field_record(plan, plan->array[0], plan->array[1], plan->array[2], &record);
    if (t->data) {
        const uint64_t row = number % t->shape[0] * plan->rules.fields + field;
        memcpy((char *)t->data + row * sizeof record, &record, sizeof record);
    }
    if (number + 1 > call->report.records) call->report.records = number + 1;
    if (call->lock > 0 && record.norm > 0)
        padici_field_scale(plan, sqrt(call->norm / record.norm), plan->array[0]);
    if (call->fused.plan && (call->lock > 0 || call->fused.own))
        padici_field_fused_in(&call->fused); // the record used the plan's other arrays
    return (uint32_t)record.status;
}

PADICI_FN padic_result padici_field_fail_status(padic_context *context, uint32_t status)
{
    return padici_fail_field(context, PADIC_ERROR_DOMAIN, "psi",
                             status == PADIC_FIELD_STATUS_DENSE
                                 ? "has a density above density_limit"
                                 : "is not finite");
}

// NORM_LOCK where there are no records: at the end of a call.
static void padici_field_relock(padici_field_step_call *call)
{
    padic_field_plan *plan = call->desc.plan;
    double norm;
    if (call->fused.plan) padici_field_fused_out(&call->fused);
    norm = padici_field_norm(plan, plan->array[0]);
    if (norm > 0 && norm - norm == 0)
        padici_field_scale(plan, sqrt(call->norm / norm), plan->array[0]);
    if (call->fused.plan) padici_field_fused_in(&call->fused);
}

static padic_result padici_field_steps(padici_field_step_call *call, uint64_t field)
{
    padic_field_plan *plan = call->desc.plan;
    const padic_field_plan_desc *desc = &plan->rules.desc;
    uint64_t i, records = 0;
    uint32_t status = 0;
    double owed = 0;
    plan->time = call->start;
    plan->step = call->first;
    for (i = 0; i < call->desc.count && !status; i++) {
        padici_field_one(call, &owed);
        plan->step++;
        plan->time = call->start + (double)(i + 1) * desc->dt;
        if (desc->noise > 0) {
            padici_field_settle(call, &owed);
            padici_field_noise(plan, field);
        }
        if (desc->measure_every && plan->step % desc->measure_every == 0) {
            padici_field_settle(call, &owed);
            status = padici_field_look(call, field, records++);
        }
        if (padici_steps_more(&call->steps, 1)) {
            i++;
            break;
        }
    }
    padici_field_settle(call, &owed);
    if (call->lock > 0 && !desc->measure_every && i) padici_field_relock(call);
    if (i < call->report.steps || !field) call->report.steps = i;
    return status ? padici_field_fail_status(call->task.context, status) : PADIC_OK;
}

// ---- the call

static void padici_field_finite_piece(const padici_field_pass *pass,
                                      const padici_field_piece *piece, double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    uint64_t i;
    for (i = 0; i < 2 * piece->count; i++)
        if (!(in[i] - in[i] == 0)) sums[0] += 1;
}

// Whether psi may be begun with: finite where that is asked, of a norm above 0 in imaginary time.
static padic_result padici_field_begin(padici_field_step_call *call)
{
    padic_field_plan *plan = call->desc.plan;
    const padic_field_plan_desc *desc = &plan->rules.desc;
    const int imaginary = desc->time == PADIC_FIELD_TIME_IMAGINARY;
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    uint64_t i;
    if (!imaginary && !(desc->flags & PADIC_FIELD_CHECK_FINITE)) return PADIC_OK;
    for (i = 0; i < plan->rules.fields; i++) {
        double norm;
        padici_field_load(plan, &call->desc.psi, i, plan->array[0]);
        memset(&pass, 0, sizeof pass);
        pass.plan = plan;
        pass.in = plan->array[0];
        pass.piece = padici_field_finite_piece;
        padici_field_run(&pass, sums);
        if (sums[0] > 0) return padici_field_fail_status(call->task.context, 1);
        norm = padici_field_norm(plan, plan->array[0]);
        if (imaginary && !(norm > 0 && norm - norm == 0))
            return padici_fail_field(call->task.context, PADIC_ERROR_DOMAIN, "psi",
                                     "has a norm that is 0 or not finite");
    }
    return PADIC_OK;
}

static void padici_field_warn(padic_context *context, padic_field_plan *plan)
{
    const padic_field_method method = plan->rules.desc.method;
    padic_field_limits limits;
    if (plan->warned) return;
    plan->warned = 1;
    padici_field_limits_of(plan, &limits);
    if (limits.past_split)
        padici_log_write(padici_logger(context), PADIC_LOG_WARNING, 0,
                         "field_step: dt is past the split step's bound: plane waves may grow");
    if (method == PADIC_FIELD_METHOD_LEGACY_EULER)
        padici_log_write(padici_logger(context), PADIC_LOG_WARNING, 0,
                         "field_step: LEGACY_EULER is unstable for every dt");
}

// What is the same for all backends, before the first step.
PADICI_FN void padici_field_step_begin(padici_field_step_call *call)
{
    padic_field_plan *plan = call->desc.plan;
    const padic_field_plan_desc *desc = &plan->rules.desc;
    padici_field_warn(call->task.context, plan);
    if (call->desc.restart) {
        plan->time = 0;
        plan->step = 0;
    }
    memset(&call->report, 0, sizeof call->report);
    call->start = plan->time;
    call->first = plan->step;
    call->lock = desc->flags & PADIC_FIELD_NORM_LOCK ||
                 (!plan->rules.is_double && !(desc->flags & PADIC_FIELD_NORM_FREE) &&
                  desc->measure_every);
    if (desc->time != PADIC_FIELD_TIME_REAL || plan->absorber || desc->noise > 0) call->lock = 0;
    padici_steps_begin(&call->steps, NULL, padici_progress(call->task.context),
                       call->desc.count * plan->rules.fields);
}

static padic_result padici_field_step_work(padici_view_task *task)
{
    padici_field_step_call *call = (padici_field_step_call *)(void *)task;
    padic_field_plan *plan = call->desc.plan;
    const padic_field_plan_desc *desc = &plan->rules.desc;
    const int real = desc->time == PADIC_FIELD_TIME_REAL;
    uint64_t i;
    padic_result result = padici_field_begin(call);
    if (result) return result;
    padici_field_step_begin(call);
    padici_field_fused_begin(plan, &call->fused);
    for (i = 0; i < plan->rules.fields && call->desc.count && !result; i++) {
        if (i && call->steps.stop) break;
        if (call->fused.plan) padici_field_fused_take(&call->fused, &call->desc.psi, i);
        if (!call->fused.plan || call->lock > 0)
            padici_field_load(plan, &call->desc.psi, i, plan->array[0]);
        if (!real || call->lock > 0) call->norm = padici_field_norm(plan, plan->array[0]);
        result = padici_field_steps(call, i);
        if (call->fused.plan) padici_field_fused_give(&call->fused, &call->desc.psi, i);
        else padici_field_store(plan, &call->desc.psi, i, plan->array[0]);
    }
    call->report.time = plan->time;
    if (padici_steps_end(&call->steps) && !result)
        result = padici_fail_here(task->context, PADIC_ERROR_CANCELLED,
                                  "the progress hook said so");
    return result;
}

static padic_result padici_field_records_check(padic_context *context,
                                               const padici_field_rules *rules,
                                               const padic_tensor *t)
{
    const uint32_t rank = rules->desc.batch ? 3 : 2;
    int64_t dense[PADIC_MAX_RANK], stride = 1;
    uint64_t count;
    uint32_t i;
    padic_result result;
    if (!t->data && !t->buffer.id) return PADIC_OK;
    result = padici_tensor_check_view(t, 0, &count);
    if (result) return padici_fail_view(context, result, "records", t);
    if (t->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "records", "is not f64");
    if (t->rank != rank || !t->shape[0] || t->shape[rank - 1] != PADIC_FIELD_COLUMNS ||
        (rank == 3 && t->shape[1] != rules->desc.batch))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "records",
                                 "is not of (rows, batch, PADIC_FIELD_COLUMNS)");
    padici_tensor_dense(t, dense);
    for (i = rank; i-- > 0; stride *= (int64_t)t->shape[i])
        if (dense[i] != stride && t->shape[i] > 1)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "records", "is not dense");
    return PADIC_OK;
}

static padic_result padici_field_step_inspect(padici_view_task *task)
{
    const padici_field_step_call *call = (const padici_field_step_call *)(const void *)task;
    padic_context *context = task->context;
    const padic_field_plan *plan = call->desc.plan;
    padic_result result = padici_field_plan_check(context, plan);
    if (!result)
        result = padici_field_psi_check(context, "psi", &plan->rules, &call->desc.psi);
    if (!result)
        result = padici_field_records_check(context, &plan->rules, &call->desc.records);
    if (!result)
        result = padici_field_apart(context, "records", &call->desc.records, &call->desc.psi);
    if (!result && call->desc.count > UINT64_MAX / plan->rules.fields)
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "count", "is too large");
    return result;
}

PADICI_VIEW_TASK(field_step)

// The task of call->desc.
PADICI_FN void padici_field_step_prepare(padici_field_step_call *call, padic_context *context)
{
    padici_view_task_begin(&call->task, context, padici_field_step_inspect,
                           padici_field_step_work);
    padici_view_add(&call->task, "psi", &call->desc.psi, 2);
    padici_view_add(&call->task, "records", &call->desc.records, 2);
}

PADIC_API padic_result padic_field_step(padic_context *context, const padic_field_step_desc *desc)
{
    padici_field_step_call call;
    padic_result result;
    if (!desc) return padici_field_no_desc(context, "field_step");
    memset(&call, 0, sizeof call);
    call.desc = *desc;
    padici_field_step_prepare(&call, context);
    result = padici_run_task(context, PADIC_OP_FIELD_STEP, &call);
    if (desc->report) *desc->report = call.report;
    return result;
}

#endif
