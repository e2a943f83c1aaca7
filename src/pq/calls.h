#pragma once
#include "kernels.h"
#include "shape.h"

#ifndef PADIC_NO_PQ

// Calls of descs that were checked, with the plain loops or those of vectors.
PADICI_FN padic_result padici_pq_train_run(const padic_env *env, const padici_pq_kernels *kernels,
                                           const padic_pq_train_desc *desc);
PADICI_FN padic_result padici_pq_encode_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_encode_desc *desc);
PADICI_FN padic_result padici_pq_append_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_append_desc *desc);
PADICI_FN padic_result padici_pq_score_run(const padic_env *env, const padici_pq_kernels *kernels,
                                           const padic_pq_score_desc *desc);
PADICI_FN padic_result padici_pq_select_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_select_desc *desc);

PADICI_FN padic_result padici_pq_attend_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_attend_desc *desc);
PADICI_FN padic_result padici_pq_attend_full_run(const padic_env *env,
                                                 const padici_pq_kernels *kernels,
                                                 const padic_pq_attend_full_desc *desc);
PADICI_FN padic_result padici_pq_lut_run(const padic_env *env, const padici_pq_kernels *kernels,
                                         const padic_pq_lut_desc *desc);
PADICI_FN padic_result padici_pq_quality_run(const padic_env *env, const padici_pq_kernels *kernels,
                                             const padic_pq_quality_desc *desc);

#endif
