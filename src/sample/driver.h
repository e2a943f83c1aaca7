#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "fractions.h"
#include "sample.h"

#ifndef PADIC_NO_SAMPLE

typedef enum padici_sample_task {
    PADICI_SAMPLE_VALUE,     // reverse and scramble; radical_index and halton too
    PADICI_SAMPLE_SCRAMBLE,  // reversals in
    PADICI_SAMPLE_UNSCRAMBLE,
    PADICI_SAMPLE_SHUFFLE,   // indices out
    PADICI_SAMPLE_RATIO      // i / n
} padici_sample_task;

// Where numbers come from and go to; strides in elements.
typedef struct padici_sample_job {
    padici_sample_task task;
    uint32_t integers; // write R, not a fraction
    uint64_t first;
    const char *index; // NULL: first, first + 1, ...
    uint64_t index_stride;
    padic_dtype index_dtype;
    char *out;
    uint64_t out_stride;
    padic_dtype dtype;
    uint64_t group; // b^levels of a shuffle; 0: all
    uint64_t last;  // largest index allowed
    uint64_t scale; // fractions are over scale + 1
    uint32_t has_index;
} padici_sample_job;

PADICI_FN uint64_t padici_sample_fetch(const padici_sample_job *job, uint64_t at, uint64_t *v,
                                       uint32_t n);
PADICI_FN void padici_sample_emit(const padici_sample_job *job, const padici_sample_fraction *f,
                                  uint64_t at, const uint64_t *r, uint32_t n);
PADICI_FN padic_result padici_sample_run(padic_context *context, const padici_sample_job *job,
                                         const padici_sample_radix *x, uint64_t begin,
                                         uint64_t end);

#endif
