#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN uint32_t padici_tensor_ones(uint64_t x);

#endif
