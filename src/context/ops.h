#pragma once
#include "operation.h"
#include "../core/platform.h"

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
#ifdef PADIC_NO_SAMPLE
#define PADICI_OPS_SAMPLE_HERE(X)
#else
#define PADICI_OPS_SAMPLE_HERE(X) PADICI_OPS_SAMPLE(X)
#endif
#ifdef PADIC_NO_NUM
#define PADICI_OPS_NUM_HERE(X)
#else
#define PADICI_OPS_NUM_HERE(X) PADICI_OPS_NUM(X)
#endif
#ifdef PADIC_NO_SPARSE
#define PADICI_OPS_SPARSE_HERE(X)
#else
#define PADICI_OPS_SPARSE_HERE(X) PADICI_OPS_SPARSE(X)
#endif
#ifdef PADIC_NO_CODEC
#define PADICI_OPS_CODEC_HERE(X)
#else
#define PADICI_OPS_CODEC_HERE(X) PADICI_OPS_CODEC(X)
#endif
#ifdef PADIC_NO_FFT
#define PADICI_OPS_FFT_HERE(X)
#else
#define PADICI_OPS_FFT_HERE(X) PADICI_OPS_FFT(X)
#endif
#ifdef PADIC_NO_CDT
#define PADICI_OPS_CDT_HERE(X)
#else
#define PADICI_OPS_CDT_HERE(X) PADICI_OPS_CDT(X)
#endif
#ifdef PADIC_NO_FIELD
#define PADICI_OPS_FIELD_HERE(X)
#else
#define PADICI_OPS_FIELD_HERE(X) PADICI_OPS_FIELD(X)
#endif
#ifdef PADIC_NO_RNN
#define PADICI_OPS_RNN_HERE(X)
#else
#define PADICI_OPS_RNN_HERE(X) PADICI_OPS_RNN(X)
#endif
#ifdef PADIC_NO_ROLLOUT
#define PADICI_OPS_ROLLOUT_HERE(X)
#else
#define PADICI_OPS_ROLLOUT_HERE(X) PADICI_OPS_ROLLOUT(X)
#endif
#ifdef PADIC_NO_PQ
#define PADICI_OPS_PQ_HERE(X)
#else
#define PADICI_OPS_PQ_HERE(X) PADICI_OPS_PQ(X)
#endif
#define PADICI_OPS_HERE(X)                                                                  \
    PADICI_OPS_BASE(X) PADICI_OPS_WAVE_HERE(X) PADICI_OPS_TENSOR_HERE(X)                    \
    PADICI_OPS_SAMPLE_HERE(X) PADICI_OPS_NUM_HERE(X) PADICI_OPS_SPARSE_HERE(X)              \
    PADICI_OPS_CODEC_HERE(X) PADICI_OPS_FFT_HERE(X) PADICI_OPS_CDT_HERE(X)                  \
    PADICI_OPS_FIELD_HERE(X) PADICI_OPS_RNN_HERE(X) PADICI_OPS_ROLLOUT_HERE(X)              \
    PADICI_OPS_PQ_HERE(X)

#define PADICI_OP_DECLARE_CALL(name)                                                        \
    PADICI_FN padic_result padici_##name##_check(padic_context *context, const void *desc); \
    PADICI_FN uint32_t padici_##name##_operands(void *desc, padici_operand *operands);      \
    PADICI_FN padic_result padici_##name##_host(const padic_env *env, const void *desc);
#define PADICI_OP_DECLARE_QUICK(name) \
    PADICI_OP_DECLARE_CALL(name)      \
    PADICI_FN padic_result padici_##name##_quick(padic_context *context, const void *desc);
#define PADICI_OP_DECLARE_TASK(name) PADICI_OP_DECLARE_CALL(name)
#define PADICI_OP_DECLARE_NUM(name)
#define PADICI_OP_DECLARE_LOOP(name)
#define PADICI_OP_DECLARE(number, NAME, name, kind, by, rules) PADICI_OP_DECLARE_##kind(name)
PADICI_OPS_HERE(PADICI_OP_DECLARE)
#undef PADICI_OP_DECLARE
#undef PADICI_OP_DECLARE_CALL
#undef PADICI_OP_DECLARE_QUICK
#undef PADICI_OP_DECLARE_TASK
#undef PADICI_OP_DECLARE_NUM
#undef PADICI_OP_DECLARE_LOOP
#ifndef PADIC_NO_NUM
PADICI_FN padic_result padici_num_task_check(padic_context *context, const void *task);
PADICI_FN uint32_t padici_num_task_operands(void *task, padici_operand *operands);
PADICI_FN padic_result padici_num_task_host(const padic_env *env, const void *task);
#endif

#ifndef PADIC_NO_CODEC_PACK
PADICI_FN PADICI_NOINLINE uint64_t padici_codec_self_hash(void); // its part of padic_self_hash()
#endif

PADICI_FN const padici_op_row *padici_op_row_of(uint32_t op);
PADICI_FN PADICI_NOINLINE const char *padici_op_name(uint32_t op);
