#pragma once
#include "../core/platform.h"
#include "operation.h"
#include "state.h"

PADICI_FN padic_result padici_operand_find(padic_context *context, padici_operand *o,
                                           uint64_t count);
PADICI_FN PADICI_NOINLINE int padici_operands_overlap(const padici_operand *a,
                                                      const padici_operand *b);
PADICI_FN padic_result padici_fail_overlap(padic_context *context, const padici_operand *out,
                                           const padici_operand *other);
PADICI_FN padic_result padici_call_begin(padici_call *call, padic_context *context, uint32_t op,
                                         void *desc);
PADICI_FN padic_result padici_operand_move(const padici_call *call, padici_operand *o,
                                           const padici_target *target);
PADICI_FN padic_result padici_operand_return(const padici_call *call, padici_operand *o, int done);
