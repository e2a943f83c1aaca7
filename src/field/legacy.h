#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

#define PADICI_FIELD_LEGACY_TASKS 64

// A row of the last axis, in numbers of the loop's own precision where it has one: pointers to re
// of the first element, elements next to each other. Neighbours along the other axes are rows.
typedef struct padici_field_legacy_row {
    const void *at, *below[2], *above[2]; // of axes 0 and 1; at where there is none
    void *out;                            // of the step
    uint64_t count;
    uint32_t power;
    double mass, lambda, dt;
    double weight[2]; // of |above - below|^2 in the energy; 0, 1/4 or 1
    double sum[3];    // kinetic, norm, interaction: added to
} padici_field_legacy_row;

typedef void (*padici_field_legacy_loop)(padici_field_legacy_row *rows, uint32_t count);

typedef struct padici_field_legacy_job {
    const padic_tensor *phi, *out;
    uint64_t count[3], rows, tasks; // the last axis of phi is axis 2
    int64_t stride[3], out_stride[3];
    padici_field_legacy_row row; // what all have
    padici_field_legacy_loop loop; // of vectors
    double sum[PADICI_FIELD_LEGACY_TASKS][3];
} padici_field_legacy_job;

PADICI_FN void padici_field_legacy_begin(padici_field_legacy_job *job, const padic_tensor *phi,
                                         const padic_tensor *out, double mass, double lambda,
                                         uint32_t power);
PADICI_FN void padici_field_legacy_share(const padici_field_legacy_job *job, uint32_t task,
                                         uint64_t *first, uint64_t *end);
PADICI_FN void padici_field_legacy_sums(const padici_field_legacy_job *job,
                                        const padic_field_legacy_energy_desc *desc);

#endif
