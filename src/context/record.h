#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN padici_recording *padici_recording_find(padic_context *context, padic_record record);
PADICI_FN void padici_recording_free(padic_context *context, padici_recording *r);
PADICI_FN padic_result padici_record_bad(padic_context *context);
