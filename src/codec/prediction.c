#include "prediction.h"
#include "interpolation.h"
#include "neighbours.h"

#if PADICI_IMPLEMENT_CODEC

// ---- prediction: a block, forwards and back

// 1 if a chain can be undone piece by piece: only its last sum may look back far, and not at all if
// the words of earlier pieces are already `changed` by then.
PADICI_FN int padici_codec_streams(const padici_codec_predictor *predictor, int changed)
{
    uint32_t k;
    if (predictor->kind >= PADICI_CODEC_PREDICTOR_MEDIAN) return 0;
    for (k = 0; k + !changed < predictor->count; k++)
        if (predictor->op[k].stride >= 8) return 0;
    return 1;
}

// Residuals, folded if `zigzag`, to words: x[from..to), from 0 on. The order of sums is free.
PADICI_FN void padici_codec_unpredict(const padici_codec_loops *loops,
                                      const padici_codec_predictor *predictor, uint64_t *x,
                                      size_t from, size_t to,
                                      uint64_t carry[PADICI_CODEC_MAX_OPS][8], int zigzag)
{
    uint32_t k;
    if (predictor->kind == PADICI_CODEC_PREDICTOR_MEDIAN) {
        padici_codec_unpredict_median(predictor, x, to, zigzag);
        return;
    }
    if (predictor->kind == PADICI_CODEC_PREDICTOR_INTERPOLATE) {
        if (to) (*loops->between)(predictor, x, to, zigzag);
        return;
    }
    if (predictor->kind == PADICI_CODEC_PREDICTOR_LINEAR) {
        padici_codec_linear(loops, predictor, x, NULL, 0, to, to,
                            zigzag ? PADICI_CODEC_LINEAR_UNFOLD : PADICI_CODEC_LINEAR_UNDO);
        return;
    }
    for (k = 0; k < predictor->count; k++, zigzag = 0)
        (*loops->sum)(x, from, to, &predictor->op[k], carry[k], zigzag,
                      predictor->kind == PADICI_CODEC_PREDICTOR_XOR);
}

// Words to residuals, folded if `zigzag`; `to` may not be `x`.
PADICI_FN void padici_codec_predict(const padici_codec_loops *loops,
                                    const padici_codec_predictor *predictor, uint64_t *x,
                                    uint64_t *to, size_t n, int zigzag)
{
    size_t from, i;
    uint32_t k;
    if (predictor->kind == PADICI_CODEC_PREDICTOR_INTERPOLATE) {
        padici_codec_interpolate(predictor, x, to, PADICI_CODEC_INTERPOLATE_DO);
    } else if (predictor->kind == PADICI_CODEC_PREDICTOR_LINEAR) {
        if (predictor->dtype != PADIC_DTYPE_NONE) padici_codec_find_values(predictor, x, n);
        padici_codec_linear(loops, predictor, x, to, 0, n, n, PADICI_CODEC_LINEAR_DO);
    } else if (predictor->kind == PADICI_CODEC_PREDICTOR_MEDIAN) {
        const uint32_t column = predictor->op[0].stride, row = predictor->op[1].stride;
        const size_t plane = predictor->op[1].segment;
        for (from = 0; from < n; from += plane) {
            size_t place = 0; // in its row
            for (i = from; i < from + plane && i < n; i++) {
                const int has_left = place >= column, has_above = i - from >= row;
                const uint64_t left = has_left ? x[i - column] : 0;
                const uint64_t above = has_above ? x[i - row] : 0;
                to[i] = x[i] - (has_left && has_above
                                    ? padici_codec_median(left, above, x[i - row - column])
                                    : left + above);
                if (++place == row) place = 0;
            }
        }
    } else {
        if (predictor->count == 0) memcpy(to, x, n * sizeof *to);
        for (k = 0; k < predictor->count; k++, x = to)
            (*loops->difference)(x, to, n, &predictor->op[k], zigzag && k + 1 == predictor->count,
                                 predictor->kind == PADICI_CODEC_PREDICTOR_XOR);
        if (predictor->count) return;
    }
    for (i = 0; i < n && zigzag; i++) to[i] = padici_codec_fold(to[i]);
}

#endif
