#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "constants.h"

#ifndef PADIC_NO_CODEC

// A block of elements as an array: the scalar axes, complex numbers as a last axis of two.
typedef struct padici_codec_box {
    padic_dtype dtype; // never complex
    uint32_t size;     // bytes of an element
    uint32_t rank;
    uint32_t extent[PADIC_MAX_RANK + 1];
    size_t n;
} padici_codec_box;

// Difference at distance `stride` inside segments of `segment` elements: one axis of the box.
typedef struct padici_codec_op {
    uint32_t axis; // PADICI_CODEC_FLAT: its own stride over the whole sequence
    uint32_t stride, segment;
    uint32_t cubic; // interpolation: bit l, where the distance is 2^l
} padici_codec_op;

typedef struct padici_codec_predictor {
    uint32_t kind, count;
    uint32_t scale; // interpolation: residuals are multiples of it, and divided
    padici_codec_op op[PADICI_CODEC_MAX_OPS]; // median: the column axis, then the row axis
    uint32_t taps, shift;         // linear: weights are multiples of 2^-shift
    padic_dtype dtype;            // of elements that are summed as floats, otherwise NONE
    double *values; // then memory: for all of them, and to undo it for three times as many
    int32_t weight[PADICI_CODEC_MAX_TAPS];
    int8_t back[PADICI_CODEC_MAX_TAPS][PADICI_CODEC_TAP_AXES]; // steps back on the axis of each op
} padici_codec_predictor;

PADICI_FN padici_codec_op padici_codec_axis_op(const padici_codec_box *box, uint32_t axis);
PADICI_FN padici_codec_op padici_codec_flat_op(uint32_t stride, size_t n);

PADICI_INLINE uint64_t padici_codec_fold(uint64_t residual)
{
    return residual << 1 ^ (uint64_t)((int64_t)residual >> 63);
}

PADICI_INLINE uint64_t padici_codec_unfold(uint64_t z)
{
    return z >> 1 ^ (0 - (z & 1));
}

// The prediction of the median edge predictor from left, above and corner.
PADICI_INLINE uint64_t padici_codec_median(uint64_t left, uint64_t above, uint64_t corner)
{
    const int64_t a = (int64_t)left, b = (int64_t)above, c = (int64_t)corner;
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    if (c >= high) return (uint64_t)low;
    if (c <= low) return (uint64_t)high;
    return left + above - corner;
}

PADICI_FN void padici_codec_sum(uint64_t *x, size_t from, size_t to, const padici_codec_op *op,
                                uint64_t carry[8], int zigzag, int exclusive);

// The forward transform: downwards, so that x may be `to`.
PADICI_INLINE void padici_codec_difference_plain(const uint64_t *x, uint64_t *to, size_t n,
                                                 const padici_codec_op *op, int zigzag,
                                                 int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_codec_least(from + segment, n);
        const size_t edge = padici_codec_least(from + stride, end);
        for (i = end; i > edge; i--) {
            const uint64_t before = x[i - 1 - stride];
            const uint64_t r = exclusive ? x[i - 1] ^ before : x[i - 1] - before;
            to[i - 1] = zigzag ? padici_codec_fold(r) : r;
        }
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_codec_fold(x[i]) : x[i];
    }
}

PADICI_FN void padici_codec_difference(const uint64_t *x, uint64_t *to, size_t n,
                                       const padici_codec_op *op, int zigzag, int exclusive);

PADICI_INLINE void padici_codec_lower_loop(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    size_t i;
    for (i = 0; i < n; i++) x[i] = (x[i] - first) >> shift;
}

PADICI_FN void padici_codec_lower(uint64_t *x, size_t n, uint64_t first, uint32_t shift);
PADICI_FN uint64_t padici_codec_least_word(const uint64_t *x, size_t n, uint64_t *differ);
PADICI_FN void padici_codec_range_loop(padic_dtype dtype, const uint8_t *raw, size_t n, double *low,
                                       double *high);
PADICI_FN int padici_codec_within_loop(padic_dtype dtype, const uint8_t *a, const uint8_t *b,
                                       size_t n, double tolerance);
PADICI_FN size_t padici_codec_count_runs(const uint64_t *z, size_t n);
PADICI_FN void padici_codec_unpredict_median(const padici_codec_predictor *predictor, uint64_t *x,
                                             size_t n, int zigzag);

#endif
