#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "sample.h"

#ifndef PADIC_NO_SAMPLE

// Keys that no dimension has taken yet.
typedef struct padici_sample_keys {
    uint32_t given;
    const uint64_t *next; // NULL: they are not in host memory
    uint64_t at, left;
} padici_sample_keys;

PADICI_FN int padici_sample_is_prime(uint32_t n);
PADICI_FN padic_result padici_sample_check_base(padici_sample_radix *x, uint32_t base,
                                                padic_sample_digits digits, padic_sample_mode mode,
                                                padici_sample_keys *keys);
PADICI_FN padic_result padici_sample_blame_base(padic_context *context, padic_result result,
                                                uint32_t base, padic_sample_digits digits,
                                                padic_sample_mode mode,
                                                const padici_sample_keys *keys);
PADICI_FN padic_result padici_sample_check_keys(padic_context *context,
                                                const padic_sample_scrambling *scrambling);
PADICI_FN const char *padici_sample_why(padic_result result);
PADICI_FN padic_result padici_sample_check_tensor(const padic_tensor *t, int integer,
                                                  uint64_t *count);
PADICI_FN uint64_t padici_sample_step(const padic_tensor *t, uint32_t axis);
PADICI_FN uint64_t padici_sample_extent(const padic_tensor *t);

#endif
