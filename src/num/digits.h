#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint64_t padici_num_ring_next_digit(const padic_num_ring *r, uint64_t *u, uint32_t k);
PADICI_FN void padici_num_ring_set_digit(const padic_num_ring *r, uint64_t *u, uint32_t k,
                                         uint64_t d);
PADICI_FN void padici_num_to_digits_loop(padic_num_call *call);
PADICI_FN void padici_num_from_digits_loop(padic_num_call *call);

#endif
