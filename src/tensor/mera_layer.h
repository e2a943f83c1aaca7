#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_mera_ascend(padic_context *context,
                                                 const padic_tensor_mera_ascend_desc *desc);
PADICI_FN padic_result padici_tensor_mera_descend(padic_context *context,
                                                  const padic_tensor_mera_descend_desc *desc);
PADICI_FN padic_result padici_tensor_mera_expect(padic_context *context,
                                                 const padic_tensor_mera_expect_desc *desc);
PADICI_FN padic_result padici_tensor_mera_fixed_point(
    padic_context *context, const padic_tensor_mera_fixed_point_desc *desc);
PADICI_FN padic_result padici_tensor_mera_environment(
    padic_context *context, const padic_tensor_mera_environment_desc *desc);

#endif
