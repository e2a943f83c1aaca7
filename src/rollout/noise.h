#pragma once
#include "../core/platform.h"
#include "spectral.h"

#ifndef PADIC_NO_ROLLOUT

#define PADICI_ROLLOUT_NOISE_RUN 128u // values at a time

// Noise of one channel of one trajectory at one frame, ready to be added anywhere in it. Correlated
// noise has drawn `spectral` before, which then belongs to this.
typedef struct padici_rollout_noise {
    padic_rollout_noise_type type;
    float scale; // s; of a channel that DROPOUT keeps 1 / (1 - s), of others 0
    double kept; // 1 / (1 - s) of a channel that DROPOUT keeps
    uint64_t seed, stream, first; // first: element of the channel's first cell
    uint32_t step;
    const double *field; // NULL: white
    // As padici_rollout_kernels; NULL: none.
    void (*normals)(uint64_t seed, uint64_t stream, uint32_t step, uint32_t block, uint32_t count,
                    float *out);
} padici_rollout_noise;

PADICI_FN const char *padici_rollout_noise_fault(const padic_rollout_noise_law *law,
                                                 uint32_t frames);
PADICI_FN double padici_rollout_noise_scale(const padic_rollout_noise_law *law, uint32_t step,
                                            uint32_t frames);
PADICI_FN void padici_rollout_noise_begin(padici_rollout_noise *noise,
                                          const padic_rollout_noise_law *law, double scale,
                                          uint64_t seed, uint32_t id, uint32_t realisation,
                                          uint32_t site, uint32_t step, uint32_t channels,
                                          uint32_t channel, uint64_t cells,
                                          padici_rollout_spectral *spectral);
// n of `count` cells from cell `cell` on; not of DROPOUT.
PADICI_FN void padici_rollout_noise_draw(const padici_rollout_noise *noise, uint64_t cell,
                                         uint64_t count, float *n);
PADICI_FN void padici_rollout_noise_add(const padici_rollout_noise *noise, uint64_t cell,
                                        uint64_t count, float *x);
PADICI_FN void padici_rollout_normals(uint64_t seed, uint64_t stream, uint32_t step,
                                      uint64_t element, uint32_t count, float *out);
PADICI_FN void padici_rollout_fields_of(const padic_tensor *t, uint64_t shape[4],
                                        int64_t stride[4]);
PADICI_FN padici_rollout_spectral *padici_rollout_spectrals_begin(const padic_env *env,
                                                                  uint32_t workers,
                                                                  uint64_t height, uint64_t width);
PADICI_FN void padici_rollout_spectrals_end(padici_rollout_spectral *all, uint32_t workers);

#endif
