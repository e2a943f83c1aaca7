#pragma once
#include "net.h"
#include "../../rollout/going.h"

#ifndef PADIC_NO_ROLLOUT

// What a rollout on a device measures of its frames.
typedef struct padici_gpu_rollout_meter {
    uint32_t on, pairs, single; // pairs: with the frame before; single: of one step
    uint32_t metrics, every, rows, columns, parts; // columns: of a part
    uint32_t channels, cells, chunks, bins, ranged;
    uint32_t old, sums;     // of a trajectory's numbers
    float low, high;
    uint32_t bands, height, width; // of SPECTRUM; bands 0: it is not wanted
    uint32_t units, modes;         // of a trajectory's numbers
    uint32_t turns;                // among the weights
} padici_gpu_rollout_meter;

// Of a checked desc with so many columns, 0: none are wanted. NOT_SUPPORTED: more than 2,048 bins,
// SPECTRUM of more than 2,048 rows or columns.
PADICI_FN padic_result padici_gpu_rollout_meter_begin(padici_gpu_rollout *n,
                                                      const padic_rollout_run_desc *desc,
                                                      uint32_t columns,
                                                      padici_gpu_rollout_meter *m);
// What is as long as the rollout, after memory.
PADICI_FN padic_result padici_gpu_rollout_meter_fill(const padici_gpu_rollout *n,
                                                     const padici_gpu_rollout_meter *m);
// Before X_t takes the place of the frame before; after that.
PADICI_FN padic_result padici_gpu_rollout_meter_before(const padici_gpu_rollout *n,
                                                       const padici_gpu_rollout_meter *m,
                                                       uint32_t t);
PADICI_FN padic_result padici_gpu_rollout_meter_after(const padici_gpu_rollout *n,
                                                      const padici_gpu_rollout_meter *m,
                                                      const padic_tensor *metrics, uint32_t t);

#endif
