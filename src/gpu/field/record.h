#pragma once
#include "../../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FIELD

// Where a record of each field goes: to `mem` from number `at` of f64 on, and what it is of.
typedef struct padici_gpu_field_record {
    padic_mem mem;
    uint64_t at, step, number; // number: of the record in the call, from 1 on
    double time;
} padici_gpu_field_record;

PADICI_FN padic_result padici_gpu_field_need_record(const padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_record_begin(padici_gpu_field *x);
PADICI_FN padic_result padici_gpu_field_record_make(padici_gpu_field *x,
                                                    padici_gpu_field_record *record);
PADICI_FN padic_result padici_gpu_field_hamilton(padici_gpu_field *x,
                                                 const padici_gpu_field_place *out,
                                                 uint32_t kinetic_only);

#endif
