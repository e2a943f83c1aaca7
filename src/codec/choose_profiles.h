#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

// The statistics behind both choices.
typedef struct padici_codec_word_spread {
    uint64_t least, most, magnitudes, differences; // the latter two: of all, or'ed
    uint32_t shift, step;                          // step: its logarithm
    uint32_t scale, off, size; // within a tolerance: f32, its bits; exceptions, in w->off; bytes
} padici_codec_word_spread;

// As bits of f32: steps 2 b (1 - s) for s = 2^-8, 2^-5, 2^-2, their inverses, and the largest
// elements they are for, 2^13, 2^16, 2^19 steps. With y = x inverse, n its nearest integer, |x -
// step n| <= step / 2 + |n| step 2^-23 (the inverse and y are rounded); the product is rounded once
// more, by |n| step 2^-24. In sum no more than (1 - s) b (1 + 3/4 s) < b. Of f64: s = 2^-11 alone,
// elements up to 2^38 steps, `wide` = 2^86 / the step's 24 bits; x / step is off by 2^-60 of it.
typedef struct padici_codec_scales {
    uint32_t step[3], inverse[3];
    uint64_t most[3], wide; // bits of elements; 0: they are f32
    uint32_t within; // b
} padici_codec_scales;

PADICI_FN int padici_codec_scales_of(double tolerance, uint32_t size, padici_codec_scales *s);
PADICI_FN uint64_t padici_codec_scaled_word(uint64_t bits, const padici_codec_scales *s,
                                            uint32_t c);
PADICI_FN uint64_t padici_codec_shift_right(uint64_t x, uint32_t shift);
PADICI_FN void padici_codec_measure_spread(const uint64_t *x, size_t n, int is_float, uint64_t *top,
                                           uint64_t *apart, padici_codec_word_spread *s);
PADICI_FN void padici_codec_profile_words(const padici_codec_word_spread *s, const uint64_t *x,
                                          uint64_t *z, size_t n, int delta);
PADICI_FN size_t padici_codec_pack_block(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_tolerance *tolerance);

#endif
