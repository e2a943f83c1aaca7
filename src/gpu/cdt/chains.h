#pragma once
#include "../../cdt/chain.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_CDT

PADICI_FN uint32_t padici_gpu_cdt_defines(const padici_cdt_rules *rules, const char *defines[2]);
PADICI_FN void padici_gpu_cdt_params(const padici_cdt_rules *rules, padici_k_cdt_run_params *k);
PADICI_FN uint32_t padici_gpu_cdt_heads(const padici_cdt_run *run);
PADICI_FN uint32_t padici_gpu_cdt_back(padici_cdt_run *run);

#endif
