#pragma once
#include "../core/platform.h"
#include "root.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_num_series_run(padic_num_call *call, const padici_root *root, int exp,
                                     int log, void (*loop)(padic_num_call *call));
PADICI_FN void padici_num_exp_loop(padic_num_call *call);
PADICI_FN void padici_num_log_loop(padic_num_call *call);
PADICI_FN void padici_num_pow_padic_loop(padic_num_call *call);
PADICI_FN void padici_num_teichmueller_loop(padic_num_call *call);
PADICI_FN void padici_num_root_loop(padic_num_call *call);
PADICI_FN void padici_num_root_unity(const padic_num_ring *r, const padici_root *root,
                                     uint64_t *unity, uint64_t *temp);
PADICI_FN void padici_num_roots_loop(padic_num_call *call);
PADICI_FN void padici_num_exp_words(padic_num_call *call);
PADICI_FN void padici_num_log_words(padic_num_call *call);
PADICI_FN void padici_num_sqrt_words(padic_num_call *call);
PADICI_FN void padici_num_teichmueller_words(padic_num_call *call);

#endif
