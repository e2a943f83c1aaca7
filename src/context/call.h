#pragma once
#include "../core/platform.h"
#include "operation.h"

PADICI_FN int padici_call_choose(padici_call *call, int asked, uint32_t *index, uint32_t *first);
PADICI_FN padic_result padici_call_refused(const padici_call *call);
PADICI_FN padic_result padici_call_run(padici_call *call, uint32_t *index);
PADICI_FN padic_result padici_run_in(padici_call *call);
