#pragma once
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/platform.h"
#include "driver.h"
#include "sample.h"

#ifndef PADIC_NO_SAMPLE

// Keys that no dimension has taken yet.
typedef struct padici_sample_keys {
    const uint64_t *next;
    uint64_t left;
} padici_sample_keys;

PADICI_FN int padici_sample_is_prime(uint32_t n);
PADICI_FN padic_result padici_sample_check_base(padici_sample_radix *x, uint32_t base,
                                                padic_sample_digits digits, padic_sample_mode mode,
                                                padici_sample_keys *keys);
PADICI_FN padic_result padici_sample_blame_base(padic_context *context, padic_result result,
                                                uint32_t base, padic_sample_digits digits,
                                                padic_sample_mode mode,
                                                const padici_sample_keys *keys);
PADICI_FN padic_result padici_sample_keys_of(padic_context *context,
                                             const padic_sample_scrambling *scrambling,
                                             padici_sample_keys *keys);
PADICI_FN const char *padici_sample_why(padic_result result);
PADICI_FN padic_result padici_sample_check_tensor(const padic_tensor *t, int integer,
                                                  uint64_t *count);
PADICI_FN uint64_t padici_sample_step(const padic_tensor *t, uint32_t axis);
PADICI_FN padic_result padici_sample_check_in(padic_context *context, padici_sample_job *job,
                                              const padic_tensor *index, uint64_t first,
                                              const padic_tensor *out, uint64_t points, int given,
                                              int alone);
PADICI_FN padic_result padici_sample_device(padic_context *context, padici_sample_drive *d,
                                            int query);
PADICI_FN padic_result padici_sample_check_range(padic_context *context,
                                                 const padici_sample_job *job, uint64_t points);

// One call cut into tasks. A task's slot of `bad` is no one else's until it has been waited for.
typedef struct padici_sample_split {
    padic_context *context;
    const padic_sample_hammersley_desc *points; // several coordinates,
    padici_sample_keys keys;                    // with their keys, or:
    const padici_sample_radix *radix;
    padici_sample_job *job;
    uint64_t count, step;
    uint8_t bad[PADICI_JOBS_AT_ONCE];
} padici_sample_split;

PADICI_FN padic_result padici_sample_split_run(padici_sample_split *split, void (*fn)(void *arg,
                                               uint32_t task));
PADICI_FN padic_result padici_sample_single(padic_context *context, padici_sample_job *job,
                                            const padic_tensor *out, const padic_tensor *in,
                                            uint64_t first, int given, uint32_t base,
                                            padic_sample_digits digits, uint32_t levels,
                                            const padic_sample_scrambling *scrambling);

#endif
