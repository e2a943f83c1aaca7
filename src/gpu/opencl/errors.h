#pragma once
#include "../../core/log.h"
#include "../../core/platform.h"
#include "handles.h"

PADICI_FN void padici_cl_text_code(padici_text *text, int32_t code);
PADICI_FN padic_result padici_cl_say(const padici_cl *cl, padic_result result, const char *words,
                                     const char *more);
PADICI_FN padic_result padici_cl_lost(const padici_cl *cl);
PADICI_FN padic_result padici_cl_check(padici_cl *cl, const char *call, int32_t code);
PADICI_FN padic_result padici_cl_check_wait(padici_cl *cl, const char *call, int32_t code);
PADICI_FN padic_result padici_cl_no_memory(const padici_cl *cl);
