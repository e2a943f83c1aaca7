#pragma once
#include "platform.h"

PADICI_FN void padici_tensor_dense(const padic_tensor *t, int64_t stride[PADIC_MAX_RANK]);
PADICI_FN padic_result padici_tensor_check_view(const padic_tensor *t, uint32_t any_stride,
                                                uint64_t *count);
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_check_shape(const padic_tensor *t,
                                                                 uint64_t *count);
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_check(const padic_tensor *t, uint64_t *count);
PADICI_FN int padici_aligned(const void *pointer, size_t size);
