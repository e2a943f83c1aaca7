#pragma once
#include "../../core/platform.h"
#include "handles.h"

#define PADICI_CL_YIELDS 2000u // about a millisecond before the first sleep

PADICI_FN int32_t padici_cl_await(padici_cl *cl, padici_cl_event *event);
PADICI_FN void padici_cl_poll(padici_cl *cl);
PADICI_FN padic_result padici_cl_finish(padici_cl *cl);
PADICI_FN padic_result padici_cl_queued(padici_cl *cl, const char *call, int32_t code);
