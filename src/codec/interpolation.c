#include "interpolation.h"
#include "constants.h"

#if PADICI_IMPLEMENT_CODEC

// ---- prediction: interpolation, level by level

PADICI_INLINE void padici_codec_interpolate_point(uint64_t *x, uint64_t *z, size_t i,
                                                  uint64_t between, int64_t scale, int what)
{
    if (what == PADICI_CODEC_INTERPOLATE_UNDO) {
        x[i] = x[i] * (uint64_t)scale + between;
    } else if (what == PADICI_CODEC_INTERPOLATE_DO) {
        const int64_t apart = (int64_t)(x[i] - between);
        z[i] = (uint64_t)(scale == 1 ? apart : apart / scale);
    } else {
        padici_codec_close_point(x, z, i, between);
    }
}

// The points of one level and axis: odd multiples of `step` on op[which]; multiples of step on the
// axes before it, of 2 step on those after.
PADICI_INLINE void padici_codec_interpolate_axis(const padici_codec_predictor *predictor,
                                                 uint32_t which, uint32_t level, uint64_t *x,
                                                 uint64_t *z, int64_t scale, int what)
{
    const padici_codec_op *op = predictor->op;
    const size_t step = (size_t)1 << level, stride = op[which].stride;
    const size_t extent = op[which].segment / stride, d = step * stride;
    const int cubic = op[which].cubic >> level & 1;
    size_t at[PADICI_CODEC_MAX_OPS], c;
    uint32_t k;
    for (k = 0; k < predictor->count; k++) at[k] = 0;
    for (;;) {
        size_t base = 0;
        for (k = 0; k < predictor->count; k++) base += at[k] * op[k].stride;
        for (c = step; c < extent; c += 2 * step) {
            const size_t i = base + c * stride;
            uint32_t order = 0;
            if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
            padici_codec_interpolate_point(x, z, i, padici_codec_between_words(x, i, d, order),
                                           scale, what);
        }
        for (k = predictor->count; k-- > 0;) {
            if (k == which) continue;
            at[k] += k < which ? step : 2 * step;
            if (at[k] < op[k].segment / op[k].stride) break;
            at[k] = 0;
        }
        if (k == UINT32_MAX) return;
    }
}

// Level by level, from the distance that spans all axes down to 1; each axis in turn. The first
// word is its own residual.
PADICI_FN void padici_codec_interpolate(const padici_codec_predictor *predictor, uint64_t *x,
                                        uint64_t *z, int what)
{
    const int64_t scale = (int64_t)predictor->scale;
    uint32_t level = 0, k;
    for (k = 0; k < predictor->count; k++)
        while ((size_t)1 << level < predictor->op[k].segment / predictor->op[k].stride) level++;
    padici_codec_interpolate_point(x, z, 0, 0, scale, what);
    while (level-- > 0) {
        for (k = 0; k < predictor->count; k++) {
            if (what == PADICI_CODEC_INTERPOLATE_UNDO)
                padici_codec_interpolate_axis(predictor, k, level, x, z, scale,
                                              PADICI_CODEC_INTERPOLATE_UNDO);
            else if (what == PADICI_CODEC_INTERPOLATE_DO)
                padici_codec_interpolate_axis(predictor, k, level, x, z, scale,
                                              PADICI_CODEC_INTERPOLATE_DO);
            else
                padici_codec_interpolate_axis(predictor, k, level, x, z, scale,
                                              PADICI_CODEC_INTERPOLATE_CLOSE);
        }
    }
}

PADICI_FN void padici_codec_close_loop(const padici_codec_predictor *predictor, uint64_t *x,
                                       uint64_t *z, size_t n)
{
    if (n) padici_codec_interpolate(predictor, x, z, PADICI_CODEC_INTERPOLATE_CLOSE);
}

PADICI_FN void padici_codec_between_loop(const padici_codec_predictor *predictor, uint64_t *x,
                                         size_t n, int zigzag)
{
    size_t i;
    for (i = 0; zigzag && i < n; i++) x[i] = padici_codec_unfold(x[i]);
    padici_codec_interpolate(predictor, x, NULL, PADICI_CODEC_INTERPOLATE_UNDO);
}

#endif
