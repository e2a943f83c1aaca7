#pragma once
#include "../core/platform.h"
#include "root.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_series_run(padic_num_call *call, const padici_root *root, int exp, int log,
                                 void (*loop)(padic_num_call *call));
PADICI_FN void padici_exp_loop(padic_num_call *call);
PADICI_FN void padici_log_loop(padic_num_call *call);
PADICI_FN void padici_pow_padic_loop(padic_num_call *call);
PADICI_FN void padici_teichmueller_loop(padic_num_call *call);
PADICI_FN void padici_root_loop(padic_num_call *call);
PADICI_FN void padici_root_unity(const padic_num_ring *r, const padici_root *root, uint64_t *unity,
                                 uint64_t *temp);
PADICI_FN void padici_roots_loop(padic_num_call *call);
PADICI_FN void padici_exp_words(padic_num_call *call);
PADICI_FN void padici_log_words(padic_num_call *call);
PADICI_FN void padici_sqrt_words(padic_num_call *call);
PADICI_FN void padici_teichmueller_words(padic_num_call *call);

#endif
