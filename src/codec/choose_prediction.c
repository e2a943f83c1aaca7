#include "choose_prediction.h"
#include "bytes.h"
#include "choose_transform.h"
#include "choose_sizes.h"
#include "interpolation.h"
#include "neighbours.h"
#include "prediction.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: prediction

// Residual of element i, straight from the definition; depth is at most the length of the chain.
static uint64_t padici_codec_residual(const padici_codec_predictor *predictor, uint32_t ops,
                                      const uint64_t *x, size_t i)
{
    const padici_codec_op *op;
    if (ops == 0) return x[i];
    op = &predictor->op[ops - 1];
    if (i % op->segment < op->stride) return padici_codec_residual(predictor, ops - 1, x, i);
    if (predictor->kind == PADICI_CODEC_PREDICTOR_XOR)
        return padici_codec_residual(predictor, ops - 1, x, i) ^
               padici_codec_residual(predictor, ops - 1, x, i - op->stride);
    return padici_codec_residual(predictor, ops - 1, x, i) -
           padici_codec_residual(predictor, ops - 1, x, i - op->stride);
}

static uint64_t padici_codec_residual_median(const padici_codec_predictor *predictor,
                                             const uint64_t *x, size_t i)
{
    const uint32_t column = predictor->op[0].stride, row = predictor->op[1].stride;
    const size_t place = i % predictor->op[1].segment;
    const int has_left = place % row >= column, has_above = place >= row;
    const uint64_t left = has_left ? x[i - column] : 0, above = has_above ? x[i - row] : 0;
    if (has_left && has_above) return x[i] - padici_codec_median(left, above, x[i - row - column]);
    return x[i] - left - above;
}

// Folded sums of terms, for elements that have all of them.
static void padici_codec_sum_terms(const uint64_t *x, size_t from, size_t to,
                                   const uint32_t *offset, const int32_t *factor, uint32_t terms,
                                   uint64_t *z)
{
    size_t i;
    uint32_t t;
    if (terms == 2) {
        for (i = from; i < to; i++) *z++ = padici_codec_fold(x[i] - x[i - offset[1]]);
        return;
    }
    for (i = from; i < to; i++) {
        uint64_t r = 0;
        for (t = 0; t < terms; t++) r += (uint64_t)(int64_t)factor[t] * x[i - offset[t]];
        *z++ = padici_codec_fold(r);
    }
}

// Residuals of x[from..from + count), folded if signed. Away from the edges a chain of differences
// is a sum of few terms, expanded once; near them the definition is used.
PADICI_FN void padici_codec_stretch_residuals(const padici_codec_predictor *predictor, uint64_t *x,
                                              size_t from, size_t count, size_t n, uint64_t *z)
{
    uint32_t offset[256];
    int32_t factor[256];
    uint32_t terms = 1, k, t,
             reach[PADICI_CODEC_MAX_OPS]; // how far all differences along an axis look back
    const int fold =
        predictor->kind != PADICI_CODEC_PREDICTOR_NONE &&
        predictor->kind != PADICI_CODEC_PREDICTOR_XOR;
    size_t i;
    if (predictor->kind == PADICI_CODEC_PREDICTOR_LINEAR) {
        padici_codec_linear(padici_codec_plain_loops(), predictor, x, z, from, from + count, n,
                            PADICI_CODEC_LINEAR_DO);
        for (i = 0; i < count; i++) z[i] = padici_codec_fold(z[i]);
        return;
    }
    offset[0] = 0;
    factor[0] = 1;
    for (k = 0; k < predictor->count; k++) {
        for (reach[k] = 0, t = 0; t <= k; t++)
            if (predictor->op[t].axis == predictor->op[k].axis) reach[k] += predictor->op[t].stride;
        for (t = 0; t < terms; t++) {
            offset[terms + t] = offset[t] + predictor->op[k].stride;
            factor[terms + t] = -factor[t];
        }
        terms *= 2;
    }
    if (predictor->kind == PADICI_CODEC_PREDICTOR_NONE) {
        memcpy(z, x + from, count * sizeof *z);
        return;
    }
    for (i = from; i < from + count;) {
        size_t stop = from + count;
        int inside = predictor->kind != PADICI_CODEC_PREDICTOR_XOR &&
                     predictor->kind != PADICI_CODEC_PREDICTOR_MEDIAN;
        for (k = 0; k < predictor->count && inside; k++) {
            const size_t segment = predictor->op[k].segment, place = i % segment;
            inside = place >= reach[k];
            stop = padici_codec_least(stop, i + (segment - place));
        }
        if (inside) {
            padici_codec_sum_terms(x, i, stop, offset, factor, terms, z);
            z += stop - i;
            i = stop;
            continue;
        }
        if (predictor->kind == PADICI_CODEC_PREDICTOR_MEDIAN)
            *z = padici_codec_residual_median(predictor, x, i);
        else
            *z = padici_codec_residual(predictor, predictor->count, x, i);
        if (fold) *z = padici_codec_fold(*z);
        i++, z++;
    }
}

// Residuals of the sampled stretches.
PADICI_FN size_t padici_codec_sample_residuals(const padici_codec_predictor *predictor, uint64_t *x,
                                               size_t n, uint64_t *z)
{
    const size_t stretch =
        n < PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN ? n : PADICI_CODEC_SAMPLE_RUN;
    const uint32_t runs =
        n < PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN ? 1 : PADICI_CODEC_SAMPLE_RUNS;
    uint64_t low = x[0];
    size_t at = 0, i;
    uint32_t run;
    for (run = 0; run < runs; run++, at += stretch) {
        const size_t from = runs == 1 ? 0 : (size_t)((uint64_t)(n - stretch) * run / (runs - 1));
        padici_codec_stretch_residuals(predictor, x, from, stretch, n, z + at);
    }
    if (predictor->kind == PADICI_CODEC_PREDICTOR_NONE) { // the coset's effect on the block
        for (i = 0; i < at; i++)
            if ((int64_t)z[i] < (int64_t)low) low = z[i];
        for (i = 0; i < at; i++) z[i] -= low;
    }
    return at;
}

// Keeps the `room` cheapest in order.
PADICI_FN uint32_t padici_codec_keep_predictor(padici_codec_choice *best, uint32_t count,
                                               uint32_t room,
                                               const padici_codec_predictor *predictor,
                                               uint64_t cost)
{
    uint32_t at = count < room ? count : room - 1;
    if (count == room && cost >= best[at].cost) return count;
    for (; at > 0 && best[at - 1].cost > cost; at--) best[at] = best[at - 1];
    best[at].predictor = *predictor;
    best[at].cost = cost;
    return count < room ? count + 1 : room;
}

// The cost of words on the sampled stretches, folded; `sample` has room for them.
static uint64_t padici_codec_stretch_cost(const padici_codec_loops *loops, const uint64_t *z,
                                          size_t n, uint64_t *sample)
{
    const size_t stretch = padici_codec_least(PADICI_CODEC_SAMPLE_RUN, n);
    const uint32_t runs = n <= PADICI_CODEC_SAMPLE_RUN ? 1 : PADICI_CODEC_SAMPLE_RUNS;
    size_t at = 0, i;
    uint32_t run;
    for (run = 0; run < runs; run++) {
        const size_t from =
            runs == 1 ? 0 : (size_t)((uint64_t)(n - stretch) * run / (runs - 1));
        for (i = from; i < from + stretch; i++) sample[at++] = padici_codec_fold(z[i]);
    }
    return padici_codec_bucket_cost(loops, sample, at) *
           (n < PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN ? n : 1024) / at;
}

// 1 if cubics are closer than means on the finest level of an axis: by the total length of both
// residuals, on some of its points. Coarser levels use the same.
static uint32_t padici_codec_choose_cubic(const padici_codec_op *op, const uint64_t *x, size_t n)
{
    const size_t stride = op->stride, extent = op->segment / stride, step = n / 509 + 1;
    uint64_t linear = 0, cubic = 0;
    size_t i;
    for (i = 0; i < n; i += step) {
        const size_t c = i % op->segment / stride;
        if (c < 3 || c + 3 >= extent) continue;
        linear += padici_codec_bit_length(
            padici_codec_fold(x[i] - padici_codec_between_words(x, i, stride, 1)));
        cubic += padici_codec_bit_length(
            padici_codec_fold(x[i] - padici_codec_between_words(x, i, stride, 2)));
    }
    return cubic < linear ? UINT32_MAX : 0;
}

// Interpolation over all axes, from slow to fast or reversed.
PADICI_FN padici_codec_predictor padici_codec_interpolation(const padici_codec_box *box,
                                                            const uint64_t *x, int back)
{
    padici_codec_predictor p;
    uint32_t k;
    memset(&p, 0, sizeof p);
    p.kind = PADICI_CODEC_PREDICTOR_INTERPOLATE;
    p.scale = 1;
    for (k = 0; k < box->rank; k++) {
        const uint32_t axis = back ? box->rank - 1 - k : k;
        if (box->extent[axis] < 2) continue;
        p.op[p.count] = padici_codec_axis_op(box, axis);
        p.op[p.count].cubic = padici_codec_choose_cubic(&p.op[p.count], x, box->n);
        p.count++;
    }
    return p;
}

PADICI_FN uint32_t padici_codec_choose_interpolation(const padici_codec_loops *loops,
                                                     const padici_codec_box *box, uint64_t *x,
                                                     uint64_t *z, padici_codec_choice *best,
                                                     uint32_t count, uint32_t room)
{
    int back;
    for (back = 0; back < 2; back++) {
        const padici_codec_predictor p = padici_codec_interpolation(box, x, back);
        if (p.count == 0 || (back && p.count < 2)) return count;
        padici_codec_predict(NULL, &p, x, z, box->n, 0);
        count = padici_codec_keep_predictor(
            best, count, room, &p, padici_codec_stretch_cost(loops, z, box->n, z + box->n));
    }
    return count;
}

// Smooth fields need differences of higher orders: one on whichever axis helps most is added to the
// chain as long as that saves a fiftieth. Residuals of the whole block are in z, followed by the
// sample.
PADICI_FN void padici_codec_lengthen_chain(const padici_codec_loops *loops,
                                           const padici_codec_box *box, uint64_t *x, uint64_t *z,
                                           padici_codec_choice *best)
{
    uint64_t *sample = z + box->n;
    const size_t stretch = padici_codec_least(PADICI_CODEC_SAMPLE_RUN, box->n);
    for (;;) {
        padici_codec_choice found = *best;
        uint32_t axis, run;
        for (axis = 0; axis < box->rank && best->predictor.count < PADICI_CODEC_MAX_OPS; axis++) {
            padici_codec_choice trial = *best;
            size_t i, at = 0;
            if (box->extent[axis] < 16) continue;
            trial.predictor.op[trial.predictor.count++] = padici_codec_axis_op(box, axis);
            trial.predictor.kind = PADICI_CODEC_PREDICTOR_LORENZO;
            padici_codec_predict(loops, &trial.predictor, x, z, box->n, 0);
            for (run = 0; run < PADICI_CODEC_SAMPLE_RUNS; run++) {
                const size_t from =
                    (size_t)((uint64_t)(box->n - stretch) * run / (PADICI_CODEC_SAMPLE_RUNS - 1));
                for (i = from; i < from + stretch; i++) sample[at++] = padici_codec_fold(z[i]);
            }
            trial.cost = padici_codec_bucket_cost(loops, sample, at);
            if (trial.cost < found.cost) found = trial;
        }
        if (found.cost >= best->cost - best->cost / 50) return;
        *best = found;
    }
}

#endif
