#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_plane_loop(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to);
PADICI_FN void padici_next_planes(const padici_digits *digits, uint64_t *z, size_t from, size_t to);
PADICI_FN void padici_fixed_loop(const uint8_t *p, const uint8_t *end, uint32_t width, uint64_t *z,
                                 size_t n);
PADICI_FN void padici_put_fixed_loop(const uint64_t *z, size_t n, uint32_t width, uint8_t *p,
                                     size_t room);
PADICI_FN size_t padici_fixed_group(const uint64_t *z, size_t from, size_t to, uint8_t *chosen,
                                    uint64_t *gaps, uint64_t *high, size_t count, size_t *before);
PADICI_FN uint64_t padici_packed_cost(const uint64_t *z, size_t n);
PADICI_FN uint32_t padici_make_table(padici_work *w, const uint64_t *z, size_t n, uint32_t most,
                                     uint64_t *ranks);
PADICI_FN uint32_t padici_table_most(size_t n);
PADICI_FN PADICI_NOINLINE void padici_put_digits(padici_work *w, uint32_t digits, const uint64_t *z,
                                                 size_t n, uint32_t m, uint64_t *space);
PADICI_FN PADICI_NOINLINE void padici_begin_digits(padici_work *w, padici_reader *in, uint32_t kind,
                                                   uint64_t *z, size_t n, padici_census *census,
                                                   padici_digits *digits);
PADICI_FN void padici_next_digits(const padici_work *w, uint32_t kind, padici_digits *digits,
                                  padici_reader *in, uint64_t *z, size_t from, size_t to, size_t n);

#endif
