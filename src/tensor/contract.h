#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_contract_plan(padic_context *context,
                                                   const padic_tensor_contract_desc *desc,
                                                   padici_tensor_plan *plan);

#endif
