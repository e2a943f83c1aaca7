#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint64_t padici_num_mulmod(uint64_t a, uint64_t b, uint64_t m);
PADICI_FN uint32_t padici_num_power_bits(uint64_t p, uint32_t precision);
PADICI_FN padic_result padici_num_ring_make(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                        const padic_num_ring_options *options, uint32_t composite);
PADICI_FN int padici_num_ring_is(const padic_num_ring *ring);
PADICI_FN int padici_num_ring_equal(const padic_num_ring *a, const padic_num_ring *b);

#endif
