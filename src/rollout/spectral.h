#pragma once
#include "../core/platform.h"
#include "../fft/plan.h"
#include "../context/api_backend.h"

#ifndef PADIC_NO_ROLLOUT

// Draws of Gaussian fields with a spectrum on one grid: tables and scratch, for one thread. Made
// once; a draw allocates nothing.
typedef struct padici_rollout_spectral {
    const padic_allocator *allocator;
    uint64_t height, width, columns; // columns: of the half plane, width / 2 + 1
    double *memory;
    uint64_t bytes;
    double *amplitude; // (height, columns)
    double *spectrum;  // (height, columns), re, im
    double *field;     // (height, width): what a draw makes, of unit variance
    padic_fft_plan *plan;
    padic_fft_transform_desc fft;
} padici_rollout_spectral;

PADICI_FN const char *padici_rollout_spectrum_fault(const padic_rollout_spectrum *spectrum);
PADICI_FN int padici_rollout_spectral_fits(uint64_t height, uint64_t width, uint64_t channels);
PADICI_FN padic_result padici_rollout_spectral_begin(padici_rollout_spectral *s,
                                                     const padic_env *env, uint64_t height,
                                                     uint64_t width);
PADICI_FN void padici_rollout_spectral_end(padici_rollout_spectral *s);
PADICI_FN int padici_rollout_spectral_set(padici_rollout_spectral *s,
                                          const padic_rollout_spectrum *spectrum);
PADICI_FN void padici_rollout_spectral_draw(padici_rollout_spectral *s, uint64_t seed,
                                            uint64_t stream, uint32_t step, uint32_t channels,
                                            uint32_t channel);
// spectrum = the transform of `field`, without a factor.
PADICI_FN void padici_rollout_spectral_forward(padici_rollout_spectral *s);

#endif
