#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN PADICI_NOINLINE padici_slot *padici_slot_find(padic_context *context,
                                                        padic_buffer buffer);
PADICI_FN padic_result padici_buffer_bad(padic_context *context, const char *field);
