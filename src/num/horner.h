#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_num_horner_loop(padic_num_call *call);

#endif
