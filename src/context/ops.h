#pragma once
#include "operation.h"
#include "../core/platform.h"

PADICI_FN padic_result padici_op_host(uint32_t op, const padic_env *env, const void *desc);

// Operations of the areas that are here.
#ifdef PADIC_NO_WAVE
#define PADICI_OPS_WAVE_HERE(X)
#else
#define PADICI_OPS_WAVE_HERE(X) PADICI_OPS_WAVE(X)
#endif
#ifdef PADIC_NO_TENSOR
#define PADICI_OPS_TENSOR_HERE(X)
#else
#define PADICI_OPS_TENSOR_HERE(X) PADICI_OPS_TENSOR(X)
#endif
#define PADICI_OPS_HERE(X) PADICI_OPS_BASE(X) PADICI_OPS_WAVE_HERE(X) PADICI_OPS_TENSOR_HERE(X)

#define PADICI_OP_HOST_JOBS(name) \
    PADICI_FN padic_result padici_##name##_host(const padic_jobs *jobs, const void *desc);
#define PADICI_OP_HOST_ENV(name) \
    PADICI_FN padic_result padici_##name##_host(const padic_env *env, const void *desc);
#define PADICI_OP_OWN(name)                                                                      \
    PADICI_FN padic_result padici_##name##_driver(const padici_call *call, padici_target *target, \
                                                  int query);                                    \
    PADICI_OP_HOST_JOBS(name)
#define PADICI_OP_DECLARE_0 PADICI_OP_HOST_JOBS
#define PADICI_OP_DECLARE_1 PADICI_OP_OWN
#define PADICI_OP_DECLARE_2 PADICI_OP_OWN
#define PADICI_OP_DECLARE_3 PADICI_OP_HOST_ENV
#define PADICI_OP_DECLARE_4 PADICI_OP_HOST_ENV
#define PADICI_OP_DECLARE(number, NAME, name, driver)                                          \
    PADICI_FN padic_result padici_##name##_check(padic_context *context, const void *desc);    \
    PADICI_FN uint32_t padici_##name##_operands(void *desc, padici_operand *operands);         \
    PADICI_OP_DECLARE_##driver(name)
PADICI_OPS_HERE(PADICI_OP_DECLARE)
#undef PADICI_OP_DECLARE

PADICI_FN const padici_op_row *padici_op_row_of(uint32_t op);
PADICI_FN PADICI_NOINLINE const char *padici_op_name(uint32_t op);
