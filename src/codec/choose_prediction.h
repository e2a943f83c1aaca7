#pragma once
#include "../core/platform.h"
#include "constants.h"
#include "differences.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_codec_stretch_residuals(const padici_codec_predictor *predictor, uint64_t *x,
                                              size_t from, size_t count, size_t n, uint64_t *z);
PADICI_FN size_t padici_codec_sample_residuals(const padici_codec_predictor *predictor, uint64_t *x,
                                               size_t n, uint64_t *z);

// Candidates, simple ones first: differences along axes, 0 the fastest that has more than one
// element. Rows 5 to 7 are differences in an unlabelled record of 2, 3 or 4 words.
#define PADICI_CODEC_CANDIDATES 20u

static const struct {
    uint8_t kind, count, axis[4];
} padici_codec_candidates[PADICI_CODEC_CANDIDATES] = {
    {PADICI_CODEC_PREDICTOR_NONE, 0, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA2, 2, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_XOR, 1, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA2, 3, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA, 1, {1, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA2, 2, {1, 1, 0, 0}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 2, {0, 1, 0, 0}},
    {PADICI_CODEC_PREDICTOR_MEDIAN, 2, {0, 1, 0, 0}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 4, {0, 0, 1, 1}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 3, {0, 0, 1, 0}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 3, {0, 1, 1, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA, 1, {2, 0, 0, 0}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 3, {0, 1, 2, 0}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 2, {0, 2, 0, 0}},
    {PADICI_CODEC_PREDICTOR_LORENZO, 2, {1, 2, 0, 0}},
    {PADICI_CODEC_PREDICTOR_DELTA2, 2, {2, 2, 0, 0}},
};

typedef struct padici_codec_choice {
    padici_codec_predictor predictor;
    uint64_t cost; // of the sample
} padici_codec_choice;

PADICI_FN uint32_t padici_codec_keep_predictor(padici_codec_choice *best, uint32_t count,
                                               uint32_t room,
                                               const padici_codec_predictor *predictor,
                                               uint64_t cost);
PADICI_FN padici_codec_predictor padici_codec_interpolation(const padici_codec_box *box,
                                                            const uint64_t *x, int back);
PADICI_FN uint32_t padici_codec_choose_interpolation(const padici_codec_loops *loops,
                                                     const padici_codec_box *box, uint64_t *x,
                                                     uint64_t *z, padici_codec_choice *best,
                                                     uint32_t count, uint32_t room);
PADICI_FN void padici_codec_lengthen_chain(const padici_codec_loops *loops,
                                           const padici_codec_box *box, uint64_t *x, uint64_t *z,
                                           padici_codec_choice *best);

#endif
