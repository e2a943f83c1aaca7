#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_mera_update(padic_context *context,
                                                 const padic_tensor_mera_update_desc *desc);

#endif
