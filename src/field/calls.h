#pragma once
#include "../core/jobs.h"
#include "../core/platform.h"
#include "fused.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

// Calls as the backends get them.

typedef struct padici_field_step_task {
    padici_view_task task;
    padic_field_step_desc desc;
    padic_field_step_report report;
    padici_steps steps;
    padici_field_fused fused; // the field, where its steps are
    double norm;      // of the field when the call began
    double lock;      // 1: records give it back
    double start;     // the plan's time when the call began
    uint64_t first;   // and its step
} padici_field_step_call;

typedef struct padici_field_ground_task {
    padici_view_task task;
    padic_field_ground_desc desc;
} padici_field_ground_call;

typedef struct padici_field_energy_task {
    padici_view_task task;
    padic_field_plan_desc field;
    padic_tensor psi;
    padic_field_record *report;
    padici_field_rules rules;
} padici_field_energy_call;

typedef struct padici_field_measure_task {
    padici_view_task task;
    padic_field_measure_desc desc;
} padici_field_measure_call;

typedef struct padici_field_hamiltonian_task {
    padici_view_task task;
    padic_field_hamiltonian_desc desc;
} padici_field_hamiltonian_call;

PADICI_FN void padici_field_step_prepare(padici_field_step_call *call, padic_context *context);
PADICI_FN void padici_field_ground_prepare(padici_field_ground_call *call, padic_context *context);
PADICI_FN void padici_field_measure_prepare(padici_field_measure_call *call,
                                            padic_context *context);
PADICI_FN void padici_field_hamiltonian_prepare(padici_field_hamiltonian_call *call,
                                                padic_context *context);
PADICI_FN void padici_field_step_begin(padici_field_step_call *call);
PADICI_FN uint32_t padici_field_substeps(const padic_field_plan_desc *desc, double time[2]);
PADICI_FN padic_result padici_field_fail_status(padic_context *context, uint32_t status);

#endif
