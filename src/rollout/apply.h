#pragma once
#include "../core/platform.h"
#include "engine.h"

#ifndef PADIC_NO_ROLLOUT

PADICI_FN int padici_rollout_is_dense(const padic_tensor *t);
PADICI_FN padic_result padici_rollout_weights_check(padic_context *context,
                                                    const padic_tensor *weights,
                                                    uint64_t parameters);
PADICI_FN padic_result padici_rollout_field_check(padic_context *context, const char *name,
                                                  const padic_tensor *t, uint32_t rank,
                                                  const padic_rollout_shape *shape,
                                                  padic_dtype dtype);
// Whether there is this precision, for these states.
PADICI_FN padic_result padici_rollout_precision_check(padic_context *context,
                                                      padic_rollout_precision precision,
                                                      padic_dtype dtype);
PADICI_FN const padici_rollout_kernels *
padici_rollout_kernels_of(padic_rollout_precision precision, padic_dtype dtype,
                          const padici_rollout_kernels *kernels);
// F64 states have the plain kernels.
PADICI_FN padic_result padici_rollout_apply_run(const padic_env *env,
                                                const padici_rollout_kernels *kernels,
                                                const padic_rollout_apply_desc *desc);
PADICI_FN padic_result padici_rollout_compare_with(const padic_env *env,
                                                   const padici_rollout_kernels *kernels,
                                                   const padic_rollout_compare_desc *desc);
PADICI_FN padic_result padici_rollout_probe_with(const padic_env *env,
                                                 const padici_rollout_kernels *kernels,
                                                 const padic_rollout_probe_desc *desc);
PADICI_FN padic_result padici_rollout_run_with(const padic_env *env,
                                               const padici_rollout_kernels *kernels,
                                               const padic_rollout_run_desc *desc);

#endif
