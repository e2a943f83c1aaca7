#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN PADICI_NOINLINE const char *padici_tensor_happy_fault(const padic_tensor_happy *happy,
                                                                const uint64_t *part);

#endif
