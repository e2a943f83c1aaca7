#pragma once
#include "../../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

// Where a record of each field goes: to `mem` from number `at` of f64 on, and what it is of.
typedef struct padici_gpu_field_record {
    padic_mem mem;
    uint64_t at, step, number; // number: of the record in the call, from 1 on
    double time;
    uint32_t ahead; // the copy is psi transformed along the last axis
} padici_gpu_field_record;

PADICI_FN padici_gpu_field padici_gpu_field_copied(const padici_gpu_field *x, padic_mem copy);
PADICI_FN void padici_gpu_field_record_params(const padici_gpu_field *x,
                                              padici_k_field_record_params *k);
PADICI_FN int padici_gpu_field_turns(const padici_gpu_field *x, uint32_t part);
PADICI_FN padic_result padici_gpu_field_report(padici_gpu_field *x, padic_field_record *report);
PADICI_FN padic_result padici_gpu_field_need_record(const padici_gpu_field *x);
PADICI_FN int padici_gpu_field_record_whole(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_record_ahead(padici_gpu_field *x, uint32_t before,
                                                     double owed);
PADICI_FN padic_result padici_gpu_field_record_begin(padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_record_make(padici_gpu_field *x,
                                                    padici_gpu_field_record *record);
PADICI_FN padic_result padici_gpu_field_hamilton(padici_gpu_field *x,
                                                 const padici_gpu_field_place *out,
                                                 uint32_t kinetic_only);

#endif
