#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_mera_scaling(padic_context *context,
                                                  const padic_tensor_mera_scaling_desc *desc);

#endif
