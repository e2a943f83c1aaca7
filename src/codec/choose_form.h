#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "forms.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

#define PADICI_SAMPLE 256u // elements that lattices are looked for in
#define PADICI_RUNS 32u    // stretches of 32 elements that sizes are estimated on
#define PADICI_RUN 32u

// What an element may differ by. `pointwise` keeps that many mantissa bits instead.
typedef struct padici_bound {
    padic_bound_mode mode;
    double absolute; // of one scalar; 0: lossless
    double pointwise;
} padici_bound;

PADICI_FN int padici_within(double x, double y, double bound);
PADICI_FN PADICI_NOINLINE size_t padici_convert_from(const padici_form *form,
                                                     const padici_bound *bound, padic_dtype dtype,
                                                     uint32_t size, const uint8_t *raw, size_t from,
                                                     size_t n, uint64_t *words, uint32_t *off,
                                                     size_t count, size_t most);
PADICI_FN size_t padici_elements_to_words(const padici_form *form, const padici_bound *bound,
                                          padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                          size_t n, uint64_t *words, uint32_t *off, size_t most);
PADICI_FN const padici_codec_loops *padici_plain(void);
PADICI_FN void padici_codec_pick(padic_context *context, padici_codec_loops *loops);
PADICI_FN void padici_add_reference(const padici_form *form, padic_dtype dtype, const uint8_t *raw,
                                    uint64_t *words, size_t n, int pack);

// Lattices that a block may lie on. Each finder looks at up to 256 finite values, not 0.
typedef struct padici_lattice_sample {
    double value[PADICI_SAMPLE], sorted[PADICI_SAMPLE];
    uint64_t words[PADICI_SAMPLE];
    uint8_t raw[8 * PADICI_SAMPLE], left[8 * PADICI_SAMPLE]; // as elements; some of them
    uint32_t off[PADICI_SAMPLE], place[PADICI_SAMPLE], power[PADICI_SAMPLE];
    const padici_codec_loops *loops;
    uint32_t count;
    int single; // f64 elements of which at least two thirds are f32 values
} padici_lattice_sample;

PADICI_FN PADICI_NOINLINE void padici_lattice_pick(const padici_codec_loops *loops,
                                                   const padici_box *box, const uint8_t *raw,
                                                   uint32_t most, padici_lattice_sample *sample);
PADICI_FN int padici_find_binary(padici_lattice_sample *sample, uint32_t longest,
                                 padici_form *form);
PADICI_FN int padici_find_decimal(padic_dtype dtype, uint32_t size, padici_lattice_sample *sample,
                                  padici_form *form);
PADICI_FN PADICI_NOINLINE int padici_find_fraction(padic_dtype dtype, uint32_t size,
                                                   const padici_lattice_sample *sample,
                                                   padici_form *form);
PADICI_FN PADICI_NOINLINE int padici_find_affine(padic_dtype dtype, uint32_t size,
                                                 padici_lattice_sample *sample, padici_form *form);

#endif
