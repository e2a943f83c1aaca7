#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN PADICI_NOINLINE padic_result padici_refuse(padic_context *context, const char *what);
PADICI_FN void padici_recording_break(padic_context *context, padic_result result);
PADICI_FN padic_result padici_node_new(padic_context *context, const padici_target *target,
                                       padici_node **node);
PADICI_FN void padici_recording_note(padic_context *context, padici_slot *slot, uint32_t id);
PADICI_FN void padici_recording_forget(padic_context *context, uint32_t id);
