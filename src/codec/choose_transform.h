#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "transforms.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_SAMPLE 256u     // elements sampled to find lattices
#define PADICI_CODEC_SAMPLE_RUNS 32u // stretches of 32 elements sampled to estimate sizes
#define PADICI_CODEC_SAMPLE_RUN 32u

// The allowed error of an element. `pointwise` keeps that many mantissa bits instead.
typedef struct padici_codec_tolerance {
    padic_codec_tolerance_mode mode;
    double absolute; // of one scalar; 0: lossless
    double pointwise;
} padici_codec_tolerance;

PADICI_FN int padici_codec_is_within(double x, double y, double tolerance);
PADICI_FN PADICI_NOINLINE size_t padici_codec_convert_from(const padici_codec_transform *transform,
                                                           const padici_codec_tolerance *tolerance,
                                                           padic_dtype dtype, uint32_t size,
                                                           const uint8_t *raw, size_t from,
                                                           size_t n, uint64_t *words, uint32_t *off,
                                                           size_t count, size_t most);
PADICI_FN size_t padici_codec_elements_to_words(const padici_codec_transform *transform,
                                                const padici_codec_tolerance *tolerance,
                                                padic_dtype dtype, uint32_t size,
                                                const uint8_t *raw, size_t n, uint64_t *words,
                                                uint32_t *off, size_t most);
PADICI_FN const padici_codec_loops *padici_codec_plain_loops(void);
PADICI_FN void padici_codec_pick(padic_context *context, padici_codec_loops *loops);
PADICI_FN void padici_codec_add_reference(const padici_codec_transform *transform,
                                          padic_dtype dtype, const uint8_t *raw, uint64_t *words,
                                          size_t n, int pack);

// Candidate lattices of a block. Each finder reads up to 256 finite nonzero values.
typedef struct padici_codec_lattice_sample {
    double value[PADICI_CODEC_SAMPLE], sorted[PADICI_CODEC_SAMPLE];
    uint64_t words[PADICI_CODEC_SAMPLE];
    uint8_t raw[8 * PADICI_CODEC_SAMPLE],
        left[8 * PADICI_CODEC_SAMPLE]; // as elements; some of them
    uint32_t off[PADICI_CODEC_SAMPLE], place[PADICI_CODEC_SAMPLE], power[PADICI_CODEC_SAMPLE];
    const padici_codec_loops *loops;
    uint32_t count;
    int single; // at least two thirds of the f64 elements are f32 values
} padici_codec_lattice_sample;

PADICI_FN PADICI_NOINLINE void padici_codec_lattice_pick(const padici_codec_loops *loops,
                                                         const padici_codec_box *box,
                                                         const uint8_t *raw, uint32_t most,
                                                         padici_codec_lattice_sample *sample);
PADICI_FN int padici_codec_find_binary(padici_codec_lattice_sample *sample, uint32_t longest,
                                       padici_codec_transform *transform);
PADICI_FN int padici_codec_find_decimal(padic_dtype dtype, uint32_t size,
                                        padici_codec_lattice_sample *sample,
                                        padici_codec_transform *transform);
PADICI_FN PADICI_NOINLINE int padici_codec_find_fraction(padic_dtype dtype, uint32_t size,
                                                         const padici_codec_lattice_sample *sample,
                                                         padici_codec_transform *transform);
PADICI_FN PADICI_NOINLINE int padici_codec_find_affine(padic_dtype dtype, uint32_t size,
                                                       padici_codec_lattice_sample *sample,
                                                       padici_codec_transform *transform);

#endif
