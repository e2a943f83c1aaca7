#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_ROLLOUT

// For tests of rollouts: a list of nodes in a case's memory, random numbers in [-1/2, 1/2).
typedef struct padici_test_rollout {
    padici_gpu_case *c;
    padic_rollout_node *nodes;
    padic_rollout_operator op;
    padic_rollout_operator_report report;
    uint32_t random;
} padici_test_rollout;

PADICI_FN padic_tensor padici_test_rollout_tensor(padici_test_rollout *t, padic_dtype dtype,
                                                  uint32_t rank, const uint64_t *shape, int filled);
PADICI_FN padic_rollout_node *padici_test_rollout_add(padici_test_rollout *t,
                                                      padic_rollout_kind kind, uint32_t input,
                                                      uint32_t channels);
PADICI_FN padic_rollout_node *padici_test_rollout_conv(padici_test_rollout *t, uint32_t channels,
                                                       uint32_t kernel, uint32_t stride,
                                                       padic_rollout_boundary boundary,
                                                       padic_rollout_norm norm);
PADICI_FN void *padici_test_rollout_begin(padici_test_rollout *t, padici_gpu_case *c,
                                          uint32_t channels, uint32_t height, uint32_t width,
                                          size_t size);

#endif
