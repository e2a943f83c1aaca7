#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN const char *padici_recording_method(const padici_recording *r);
PADICI_FN padic_result padici_recording_replay(padic_context *context, padici_recording *r,
                                               uint32_t times);
