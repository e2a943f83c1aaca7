#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

#define PADICI_FIELD_VORTEX_TASKS 32

typedef struct padici_field_vortex_tally {
    int64_t total[3];
    uint64_t count, undefined, first; // first: its row in the lists
} padici_field_vortex_tally;

typedef struct padici_field_vortex_job {
    const padic_field_vortices_desc *desc;
    uint64_t count[3], points, tasks, rows; // rows: of the lists that are filled
    int64_t stride[3];
    double spacing[3], origin[3];
    uint32_t rank, periodic, filling, link_tasks;
    padici_field_vortex_tally tally[PADICI_FIELD_VORTEX_TASKS];
    uint64_t linked[PADICI_FIELD_VORTEX_TASKS];
} padici_field_vortex_job;

PADICI_FN void padici_field_vortex_begin(padici_field_vortex_job *job,
                                         const padic_field_vortices_desc *desc);
PADICI_FN uint64_t padici_field_vortex_rows(const padic_field_vortices_desc *desc);
PADICI_FN padic_result padici_field_vortex_end(const padic_env *env, uint64_t rows,
                                               const padic_field_vortices_report *report,
                                               const padic_field_vortices_desc *desc);

#endif
