#pragma once
#include "../core/platform.h"
#include "operation.h"
#include "state.h"

PADICI_FN padic_result padici_buffer_part(padic_context *context, const char *field,
                                          padic_buffer buffer, uint64_t at, uint64_t size,
                                          padici_place *place);
PADICI_FN padic_result padici_buffer_range(padic_context *context, padic_buffer buffer, uint64_t at,
                                           uint64_t size, padici_place *place);
PADICI_FN padic_result padici_field_place(padic_context *context, const char *field,
                                          const padic_tensor *tensor, padici_place *place);
PADICI_FN padic_result padici_operand_place(padic_context *context, const padic_tensor *tensor,
                                            padici_place *place);
PADICI_FN padic_result padici_host_pointer(padic_context *context, const padic_tensor *tensor,
                                           void **pointer);
PADICI_FN PADICI_NOINLINE int padici_places_overlap(const padici_place *a, uint64_t a_size,
                                                    const padici_place *b, uint64_t b_size);
