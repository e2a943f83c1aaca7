#include "calls.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_FIELD

// Records: norms, energies and moments of a field.

// pass: psi in `in`, -K Lap psi in `out`.
static void padici_field_record_piece(const padici_field_pass *pass,
                                      const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const padici_field_rules *rules = &plan->rules;
    const double *psi = pass->in + 2 * piece->at, *kinetic = pass->out + 2 * piece->at;
    uint64_t i;
    uint32_t j;
    for (i = 0; i < piece->count; i++, psi += 2, kinetic += 2) {
        const double density = psi[0] * psi[0] + psi[1] * psi[1];
        sums[0] += density;
        sums[1] += psi[0] * kinetic[0] + psi[1] * kinetic[1];
        sums[2] += padici_field_potential(plan, piece, i) * density;
        for (j = 0; j < rules->terms; j++)
            sums[3 + j] += padici_field_power(density, rules->half[j]) * density;
        for (j = 0; j < 3; j++)
            sums[6 + j] += plan->x[j][piece->i[j] + (j == 2 ? i : 0)] * density;
        padici_field_largest(&sums[9], density);
    }
}

static void padici_field_residual_piece(const padici_field_pass *pass,
                                        const padici_field_piece *piece, double *sums)
{
    const double *psi = pass->in + 2 * piece->at, *h = pass->out + 2 * piece->at;
    const double mu = pass->value[0];
    uint64_t i;
    for (i = 0; i < piece->count; i++, psi += 2, h += 2) {
        const double re = h[0] - mu * psi[0], im = h[1] - mu * psi[1];
        sums[0] += re * re + im * im;
    }
}

// `space` and `other` are used.
PADICI_FN void padici_field_record(const padic_field_plan *plan, double *psi, double *space,
                                   double *other, padic_field_record *record)
{
    const padici_field_rules *rules = &plan->rules;
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS], all;
    uint32_t j;
    memset(record, 0, sizeof *record);
    record->time = plan->time;
    record->step = (double)plan->step;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.in = psi;
    pass.out = space;
    padici_field_kinetic(plan, psi, space);
    pass.piece = padici_field_record_piece;
    padici_field_run(&pass, sums);
    record->norm = sums[0] * rules->volume;
    record->kinetic = sums[1] * rules->volume;
    record->potential = sums[2] * rules->volume;
    record->angular_momentum = padici_field_turning(plan, psi, other);
    if (rules->desc.rotation != 0)
        record->rotation = -rules->desc.rotation * record->angular_momentum;
    record->energy = record->kinetic + record->potential + record->rotation;
    all = record->energy;
    for (j = 0; j < rules->terms; j++) {
        const double p = 2 + 2 * rules->half[j];
        const double energy = 2 * rules->g[j] / p * sums[3 + j] * rules->volume;
        record->interaction[rules->of[j]] = energy;
        record->energy += energy;
        all += p / 2 * energy;
    }
    for (j = 0; j < rules->desc.dims; j++)
        record->centroid[j] = sums[0] > 0 ? sums[6 + rules->first + j] / sums[0] : 0;
    record->density = sums[9];
    record->mu = record->norm > 0 ? all / record->norm : 0;
    padici_field_hamilton(plan, psi, other, space);
    pass.value[0] = record->mu;
    pass.piece = padici_field_residual_piece;
    padici_field_run(&pass, sums);
    if (record->norm > 0) record->residual = sqrt(sums[0] * rules->volume / record->norm);
    if (!(record->norm - record->norm == 0))
        record->status = PADIC_FIELD_STATUS_NOT_FINITE;
    else if (rules->desc.density_limit > 0 && record->density > rules->desc.density_limit)
        record->status = PADIC_FIELD_STATUS_DENSE;
}

// ---- padic_field_energy()

static padic_result padici_field_energy_inspect(padici_view_task *task)
{
    padici_field_energy_call *call = (padici_field_energy_call *)(void *)task;
    const padic_result result = padici_field_rules_make(task->context, &call->field, &call->rules);
    if (result) return result;
    if (!call->report)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "report", "is NULL");
    return padici_field_psi_check(task->context, "psi", &call->rules, &call->psi);
}

static padic_result padici_field_energy_work(padici_view_task *task)
{
    padici_field_energy_call *call = (padici_field_energy_call *)(void *)task;
    padic_field_plan *plan;
    uint64_t i;
    const padic_result result = padici_field_plan_make(task->context, &call->field, &plan);
    if (result) return result;
    for (i = 0; i < plan->rules.fields; i++) {
        padici_field_load(plan, &call->psi, i, plan->array[0]);
        padici_field_record(plan, plan->array[0], plan->array[1], plan->array[2],
                            &call->report[i]);
    }
    padici_field_plan_end(plan);
    return PADIC_OK;
}

PADICI_VIEW_TASK(field_energy)

PADIC_API padic_result padic_field_energy(padic_context *context,
                                          const padic_field_energy_desc *desc)
{
    padici_field_energy_call call;
    if (!desc) return padici_field_no_desc(context, "field_energy");
    memset(&call, 0, sizeof call);
    call.field = desc->field;
    call.field.dt = 1;
    call.field.time = PADIC_FIELD_TIME_REAL;
    call.field.noise = 0;
    if (call.field.method == PADIC_FIELD_METHOD_FLOW) call.field.method = PADIC_FIELD_METHOD_SPLIT2;
    call.psi = desc->psi;
    call.report = desc->report;
    padici_view_task_begin(&call.task, context, padici_field_energy_inspect,
                           padici_field_energy_work);
    padici_view_add(&call.task, "psi", &call.psi, 0);
    return padici_run_task(context, PADIC_OP_FIELD_ENERGY, &call);
}

// ---- padic_field_measure(), padic_field_hamiltonian()

static padic_result padici_field_measure_inspect(padici_view_task *task)
{
    const padici_field_measure_call *call = (const padici_field_measure_call *)(const void *)task;
    const padic_result result = padici_field_plan_check(task->context, call->desc.plan);
    if (result) return result;
    if (!call->desc.report)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "report", "is NULL");
    return padici_field_psi_check(task->context, "psi", &call->desc.plan->rules, &call->desc.psi);
}

static padic_result padici_field_measure_work(padici_view_task *task)
{
    const padici_field_measure_call *call = (const padici_field_measure_call *)(const void *)task;
    const padic_field_plan *plan = call->desc.plan;
    uint64_t i;
    for (i = 0; i < plan->rules.fields; i++) {
        padici_field_load(plan, &call->desc.psi, i, plan->array[0]);
        padici_field_record(plan, plan->array[0], plan->array[1], plan->array[2],
                            &call->desc.report[i]);
    }
    return PADIC_OK;
}

PADICI_VIEW_TASK(field_measure)

// The task of call->desc.
PADICI_FN void padici_field_measure_prepare(padici_field_measure_call *call,
                                            padic_context *context)
{
    padici_view_task_begin(&call->task, context, padici_field_measure_inspect,
                           padici_field_measure_work);
    padici_view_add(&call->task, "psi", &call->desc.psi, 0);
}

PADIC_API padic_result padic_field_measure(padic_context *context,
                                           const padic_field_measure_desc *desc)
{
    padici_field_measure_call call;
    if (!desc) return padici_field_no_desc(context, "field_measure");
    memset(&call, 0, sizeof call);
    call.desc = *desc;
    padici_field_measure_prepare(&call, context);
    return padici_run_task(context, PADIC_OP_FIELD_MEASURE, &call);
}

static padic_result padici_field_hamiltonian_inspect(padici_view_task *task)
{
    const padici_field_hamiltonian_call *call =
        (const padici_field_hamiltonian_call *)(const void *)task;
    const padic_field_hamiltonian_desc *desc = &call->desc;
    padic_result result = padici_field_plan_check(task->context, desc->plan);
    if (!result)
        result = padici_field_psi_check(task->context, "psi", &desc->plan->rules, &desc->psi);
    if (!result)
        result = padici_field_psi_check(task->context, "out", &desc->plan->rules, &desc->out);
    if (!result) result = padici_field_apart(task->context, "out", &desc->out, &desc->psi);
    return result;
}

static padic_result padici_field_hamiltonian_work(padici_view_task *task)
{
    const padici_field_hamiltonian_call *call =
        (const padici_field_hamiltonian_call *)(const void *)task;
    const padic_field_plan *plan = call->desc.plan;
    uint64_t i;
    for (i = 0; i < plan->rules.fields; i++) {
        padici_field_load(plan, &call->desc.psi, i, plan->array[0]);
        if (call->desc.kinetic_only)
            padici_field_kinetic(plan, plan->array[0], plan->array[1]);
        else
            padici_field_hamilton(plan, plan->array[0], plan->array[2], plan->array[1]);
        padici_field_store(plan, &call->desc.out, i, plan->array[1]);
    }
    return PADIC_OK;
}

PADICI_VIEW_TASK(field_hamiltonian)

PADICI_FN void padici_field_hamiltonian_prepare(padici_field_hamiltonian_call *call,
                                                padic_context *context)
{
    padici_view_task_begin(&call->task, context, padici_field_hamiltonian_inspect,
                           padici_field_hamiltonian_work);
    padici_view_add(&call->task, "psi", &call->desc.psi, 0);
    padici_view_add(&call->task, "out", &call->desc.out, 1);
}

PADIC_API padic_result padic_field_hamiltonian(padic_context *context,
                                               const padic_field_hamiltonian_desc *desc)
{
    padici_field_hamiltonian_call call;
    if (!desc) return padici_field_no_desc(context, "field_hamiltonian");
    memset(&call, 0, sizeof call);
    call.desc = *desc;
    padici_field_hamiltonian_prepare(&call, context);
    return padici_run_task(context, PADIC_OP_FIELD_HAMILTONIAN, &call);
}

#endif
