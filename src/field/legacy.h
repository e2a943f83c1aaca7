#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

#define PADICI_FIELD_LEGACY_TASKS 64

typedef struct padici_field_legacy_job {
    const padic_tensor *phi, *out;
    uint64_t count[3], rows, tasks; // the last axis of phi is axis 2
    int64_t stride[3], out_stride[3];
    double mass, lambda, dt;
    double sum[PADICI_FIELD_LEGACY_TASKS][3]; // kinetic, norm, interaction
    uint32_t power;
} padici_field_legacy_job;

PADICI_FN void padici_field_legacy_begin(padici_field_legacy_job *job, const padic_tensor *phi,
                                         const padic_tensor *out, double mass, double lambda,
                                         uint32_t power);
PADICI_FN void padici_field_legacy_share(const padici_field_legacy_job *job, uint32_t task,
                                         uint64_t *first, uint64_t *end);
PADICI_FN void padici_field_legacy_euler_rows(const padici_field_legacy_job *job, uint64_t row,
                                              uint64_t end);
PADICI_FN void padici_field_legacy_sums(const padici_field_legacy_job *job,
                                        const padic_field_legacy_energy_desc *desc);

#endif
