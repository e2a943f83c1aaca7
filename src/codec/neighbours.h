#pragma once
#include "../core/platform.h"
#include "constants.h"
#include "differences.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

// The existing weighted neighbours of a word; the missing part of the sum of all weights goes to
// the first. Weights of 0 follow, to a multiple of four.
typedef struct padici_codec_tap_places {
    uint32_t count;
    uint32_t distance[PADICI_CODEC_MAX_TAPS];
    int64_t weight[PADICI_CODEC_MAX_TAPS];
} padici_codec_tap_places;

// A word's coordinates on the axes of the ops.
typedef struct padici_codec_point {
    int64_t at[PADICI_CODEC_TAP_AXES], extent[PADICI_CODEC_TAP_AXES];
} padici_codec_point;

PADICI_FN void padici_codec_find_taps(const padici_codec_predictor *predictor,
                                      const padici_codec_point *point,
                                      padici_codec_tap_places *taps);
PADICI_FN void padici_codec_tap_reach(const padici_codec_predictor *predictor, uint32_t k,
                                      int64_t reach[2]);

// The direction: residuals become words, or folded ones do, or words become residuals in z.
enum { PADICI_CODEC_LINEAR_UNDO, PADICI_CODEC_LINEAR_UNFOLD, PADICI_CODEC_LINEAR_DO };

PADICI_FN void padici_codec_linear_words(const padici_codec_tap_places *taps, uint32_t shift,
                                         uint64_t *x, uint64_t *z, size_t from, size_t to,
                                         int what);
PADICI_FN void padici_codec_outer_loop(double *sums, size_t row, const double *y, uint32_t m,
                                       double counts);

// The same with floats: sums of doubles from the last tap to the first, each operation rounded; the
// word is that of the nearest float.
typedef struct padici_codec_float_taps {
    double factor[PADICI_CODEC_MAX_TAPS];
    int32_t back[PADICI_CODEC_MAX_TAPS];
    uint32_t count;
} padici_codec_float_taps;

PADICI_FN void padici_codec_find_values(const padici_codec_predictor *predictor, const uint64_t *x,
                                        size_t n);
// Rows of floats in 8 lanes, one after the other: row r is in lane r mod 8 and begins at step
// r lag + r / 8, so that its word c has value r (8 lag + 1) + 8 c: every neighbour is at the same
// distance for all lanes.
typedef struct padici_codec_wave {
    double factor[PADICI_CODEC_MAX_TAPS][8]; // of each tap, in each lane
    int64_t place[PADICI_CODEC_MAX_TAPS];    // of its values, from those of the step
    int64_t nearest[8];                      // of the nearest one in each lane; 0: there is none
    uint64_t at[8], end[8];                  // the lane's word at the first step; its row's end
    uint64_t *x;
    uint32_t taps, use; // `use`: a bit for each that some lane has
    uint32_t first;     // a bit for each lane whose nearest one is tap 0
    uint32_t recent;    // tap `recent` and all after it are more than 3 steps behind
    int zigzag;
    padic_dtype dtype;
} padici_codec_wave;

PADICI_FN void padici_codec_wave_steps(const padici_codec_wave *wave, double *values, size_t steps);
PADICI_FN void padici_codec_linear(const padici_codec_loops *loops,
                                   const padici_codec_predictor *predictor, uint64_t *x,
                                   uint64_t *z, size_t from, size_t to, size_t n, int what);

#endif
