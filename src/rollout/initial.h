#pragma once
#include "../core/platform.h"
#include "noise.h"
#include "tails.h"

#ifndef PADIC_NO_ROLLOUT

typedef struct padici_rollout_initial_job {
    const padic_rollout_initial_desc *desc;
    uint64_t shape[4], planes, cells;
    int64_t stride[4];
    double sigma, centre[2];
    uint32_t workers;
    padici_rollout_spectral *spectral; // one of each worker, or NULL
    padici_rollout_student *student;   // or NULL
    double *plane;                     // of each worker, one after another
    uint64_t room;                     // of each worker beyond its plane, in doubles
} padici_rollout_initial_job;

// Whether a kind draws fields of `spectrum`.
PADICI_FN int padici_rollout_initial_is_spectral(const padic_rollout_initial_desc *desc);
PADICI_FN uint64_t padici_rollout_initial_stream(const padici_rollout_initial_job *job,
                                                 uint64_t field, uint32_t site);
PADICI_FN const char *padici_rollout_pattern_fault(const padic_rollout_initial_desc *desc,
                                                   const char **field);
PADICI_FN uint64_t padici_rollout_pattern_room(const padic_rollout_initial_desc *desc,
                                               uint64_t cells);
PADICI_FN void padici_rollout_plane_pattern(const padici_rollout_initial_job *job,
                                            uint32_t worker, uint64_t field, uint32_t c,
                                            double *out, double *room);

#endif
