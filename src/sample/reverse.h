#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "sample.h"

#ifndef PADIC_NO_SAMPLE

PADICI_INLINE uint64_t padici_sample_bits(uint64_t v) // bit 0 to place 63
{
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
    return padici_swap64(v);
}

PADICI_FN uint64_t padici_sample_reverse(const padici_sample_radix *x, uint32_t levels, uint64_t i);
PADICI_FN void padici_sample_table(const padici_sample_radix *x, uint16_t *table);
PADICI_FN void padici_sample_plain(const padici_sample_radix *x, const uint16_t *table,
                                   const uint64_t *in, uint64_t *out, uint32_t n);
PADICI_FN void padici_sample_range(const padici_sample_radix *x, const uint16_t *table,
                                   uint64_t first, uint64_t *out, uint32_t n);
PADICI_FN void padici_sample_owen32(const padici_sample_radix *x, uint64_t *v, uint32_t n);
PADICI_FN void padici_sample_owen64(const padici_sample_radix *x, uint64_t *v, uint32_t n);
PADICI_FN void padici_sample_forward(const padici_sample_radix *x, const uint16_t *table,
                                     uint64_t *v, uint32_t n);
PADICI_FN void padici_sample_backward(const padici_sample_radix *x, uint64_t *v, uint32_t n);

#endif
