#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/recording.h"
#include "../launch.h"
#include "../variants.h"
#include "norm.h"
#include "record.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Calls that look at fields in a device's memory: padic_field_measure(), padic_field_energy(),
// padic_field_hamiltonian().

// Whether there are kernels for the plan and psi; *x then.
static int padici_gpu_field_seen(padici_gpu_field *x, padici_gpu *gpu, padic_field_plan *plan,
                                 const padici_operand *psi)
{
    if (!padici_gpu_field_begin(x, gpu, plan, psi)) return 0;
    x->copies = 1;
    return 1;
}

// A record of each field; waits for them.
PADICI_FN padic_result padici_gpu_field_report(padici_gpu_field *x, padic_field_record *report)
{
    padici_gpu_field_record record;
    padic_result result = padici_gpu_field_ready(x);
    memset(&record, 0, sizeof record);
    record.time = x->plan->time;
    record.step = x->plan->step;
    record.number = 1;
    if (!result) result = padici_gpu_field_record_begin(x);
    if (!result) result = padici_gpu_field_record_make(x, &record);
    return result ? result
                  : padici_gpu_download(x->gpu, record.mem, record.at * 8, report,
                                        x->rules->fields * sizeof *report);
}

PADICI_FN padic_result padici_gpu_field_measure(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_field_measure_call *c = (padici_field_measure_call *)call->task;
    padici_gpu_field x;
    padic_result result;
    if (!padici_gpu_field_seen(&x, gpu, c->desc.plan, &call->operands[0]))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_field_need_record(&x);
    if (query || result) return result;
    result = padici_refuse(gpu->context, "a report, for which the host waits,");
    return result ? result : padici_gpu_field_report(&x, c->desc.report);
}

// The plan lives for the call.
PADICI_FN padic_result padici_gpu_field_energy(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_field_energy_call *c = (padici_field_energy_call *)call->task;
    padic_field_plan asked, *plan = &asked; // that its rules are those of the call is enough
    padici_gpu_field x;
    padic_result result;
    memset(&asked, 0, sizeof asked);
    asked.rules = c->rules;
    if (!padici_gpu_field_seen(&x, gpu, plan, &call->operands[0])) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_field_need_record(&x);
    if (query || result) return result;
    result = padici_refuse(gpu->context, "a report, for which the host waits,");
    if (!result) result = padici_field_plan_make(gpu->context, &c->field, &plan);
    if (result) return result;
    x.plan = plan;
    x.rules = &plan->rules;
    result = padici_gpu_field_report(&x, c->report);
    padici_field_plan_end(plan);
    return result;
}

PADICI_FN padic_result padici_gpu_field_hamiltonian(padici_gpu *gpu, const padici_call *call,
                                                    int query)
{
    padici_field_hamiltonian_call *c = (padici_field_hamiltonian_call *)call->task;
    padici_gpu_field_place out;
    padici_gpu_field x;
    padic_result result;
    if (!padici_gpu_field_seen(&x, gpu, c->desc.plan, &call->operands[0]) ||
        !padici_gpu_field_reach(&x, &call->operands[1], &out) || out.planar != x.psi.planar)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_field_need_record(&x);
    if (query || result) return result;
    result = padici_gpu_field_ready(&x);
    return result ? result : padici_gpu_field_hamilton(&x, &out, c->desc.kinetic_only);
}

#endif
