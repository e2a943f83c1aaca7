#include "choose_smooth.h"
#include "block_encode.h"
#include "bytes.h"
#include "choose_prediction.h"
#include "choose_sizes.h"
#include "constants.h"
#include "interpolation.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: smooth fields within a tolerance
//
// The step, twice the tolerance, is divided by 32, and each word may be any that differs from the
// interpolated one by a multiple of 31 of the small steps. So the rounding of one word does not
// affect the next, as it would if all were rounded to one lattice.

#define PADICI_CODEC_SMOOTH_POINTS 512u // of the finest level
#define PADICI_CODEC_SMOOTH_LEVELS 5u

// The value nearest to an element on the lattice of the large step; values that no word can be are
// exceptions.
PADICI_INLINE double padici_codec_smooth_value(const padici_codec_work *w,
                                               const padici_codec_box *box, size_t i,
                                               double inverse)
{
    const double v = padici_codec_value(box->dtype, padici_codec_element(w->raw, i, box->size)) *
                     inverse;
    return v > -1e12 && v < 1e12 ? v : 1e13;
}

PADICI_INLINE double padici_codec_smooth_round(double v)
{
    return (double)(int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

// Residuals of points along one axis at distance 2^level, by means and by cubics. Their neighbours
// are rounded to the large step. Returns how many there are.
static uint32_t padici_codec_smooth_points(const padici_codec_work *w, const padici_codec_box *box,
                                           const padici_codec_op *op, uint32_t level,
                                           double inverse, uint64_t *means, uint64_t *cubics)
{
    const uint32_t n = (uint32_t)box->n, step = n / (PADICI_CODEC_SMOOTH_POINTS >> level) + 1;
    const uint32_t extent = op->segment / op->stride, apart = 1u << level, d = op->stride << level;
    uint32_t t, i, count = 0, from;
    for (t = 0, from = 0; from < n; t++, from += step) {
        double x, mean, cubic;
        uint32_t c;
        i = from + ((t * 0x9e3779b1u) >> 16) % step;
        if (i >= n) break;
        c = i % op->segment / op->stride;
        if (c < apart || (c + apart >= extent && extent > 2)) continue;
        x = padici_codec_smooth_value(w, box, i, inverse);
        mean = padici_codec_smooth_round(padici_codec_smooth_value(w, box, i - d, inverse));
        if (c + apart < extent)
            mean = (mean + padici_codec_smooth_round(
                               padici_codec_smooth_value(w, box, i + d, inverse))) * 0.5;
        cubic = mean;
        if (c >= 3 * apart && c + 3 * apart < extent)
            cubic = mean * 1.125 - (padici_codec_smooth_round(
                                        padici_codec_smooth_value(w, box, i - 3 * d, inverse)) +
                                    padici_codec_smooth_round(
                                        padici_codec_smooth_value(w, box, i + 3 * d, inverse))) *
                                       0.0625;
        means[count] = padici_codec_fold((uint64_t)(int64_t)padici_codec_smooth_round(x - mean));
        cubics[count++] =
            padici_codec_fold((uint64_t)(int64_t)padici_codec_smooth_round(x - cubic));
    }
    return count;
}

// What 512 points of one axis take, those of coarser levels by their share, and which levels are
// cubic.
static uint64_t padici_codec_smooth_axis(const padici_codec_work *w, const padici_codec_box *box,
                                         padici_codec_op *op, double inverse, uint32_t axes)
{
    uint64_t *means = w->trial, *cubics = means + PADICI_CODEC_SMOOTH_POINTS, sum = 0, share = 256;
    const uint32_t extent = op->segment / op->stride;
    uint32_t level = 0;
    op->cubic = 0;
    for (; share && level < PADICI_CODEC_SMOOTH_LEVELS && (!level || 2u << level < extent);
         level++, share >>= axes) {
        const uint32_t count =
            padici_codec_smooth_points(w, box, op, level, inverse, means, cubics);
        uint64_t cost = padici_codec_bucket_cost(w->loops, means, count);
        const uint64_t other = padici_codec_bucket_cost(w->loops, cubics, count);
        if (other < cost) cost = other, op->cubic |= 1u << level;
        if (!count) break;
        cost = cost * PADICI_CODEC_SMOOTH_POINTS / count;
        sum += (share - (share >> axes)) * cost >> 8;
    }
    if (level && op->cubic >> (level - 1) & 1) op->cubic |= ~UINT32_C(0) << level;
    return sum;
}

// Chooses the interpolation of a smooth field and estimates what 1,024 elements take, in 1/256
// bits. The smoothest axis is the last one, which half of all points are predicted along.
// UINT64_MAX: there are no axes.
PADICI_FN uint64_t padici_codec_smooth_cost(const padici_codec_work *w, const padici_codec_box *box,
                                            const padici_codec_tolerance *tolerance,
                                            padici_codec_predictor *predictor)
{
    const double inverse = 1 / (tolerance->absolute * (0.0625 * PADICI_CODEC_SMOOTH_SCALE));
    uint64_t costs[PADIC_MAX_RANK + 1], sum = 0, share = 256;
    uint32_t k, j, axes = 0;
    memset(predictor, 0, sizeof *predictor);
    predictor->kind = PADICI_CODEC_PREDICTOR_INTERPOLATE;
    predictor->scale = PADICI_CODEC_SMOOTH_SCALE;
    if (!(inverse < 1e300)) return UINT64_MAX;
    for (k = 0; k < box->rank; k++) axes += box->extent[k] > 1;
    for (k = 0; k < box->rank; k++) {
        padici_codec_op op = padici_codec_axis_op(box, k);
        uint64_t cost;
        if (box->extent[k] < 2) continue;
        cost = padici_codec_smooth_axis(w, box, &op, inverse, axes);
        for (j = predictor->count++; j > 0 && costs[j - 1] < cost; j--) {
            costs[j] = costs[j - 1];
            predictor->op[j] = predictor->op[j - 1];
        }
        costs[j] = cost;
        predictor->op[j] = op;
    }
    if (predictor->count == 0) return UINT64_MAX;
    for (k = predictor->count; k-- > 0;) { // half, a quarter, ... of the points
        if (k) share /= 2;
        sum += costs[k] * share >> 8;
    }
    return 2 * sum + sum / 4; // the estimates of other predictors are closer to what they take
}

// The elements in w->hold, as a reader will have them, that are not within the tolerance. Returns
// how many, at most a third.
static size_t padici_codec_smooth_exceptions(padici_codec_work *w, const padici_codec_box *box,
                                             const padici_codec_tolerance *tolerance)
{
    const int floats = (box->dtype == PADIC_F32 || box->dtype == PADIC_F64) && !PADICI_BIG_ENDIAN;
    const uint8_t *decoded = (const uint8_t *)w->hold;
    size_t count = 0, i;
    for (i = 0; i < box->n && count < box->n / 3; i++) {
        uint64_t bits, again;
        if (i % 256 == 0 && floats) {
            const size_t part = padici_codec_least(256, box->n - i), at = i * box->size;
            if ((*w->loops->within)(box->dtype, w->raw + at, decoded + at, part,
                                    tolerance->absolute)) {
                i += part - 1;
                continue;
            }
        }
        bits = padici_codec_element(w->raw, i, box->size);
        again = padici_codec_element(decoded, i, box->size);
        if (again == bits ||
            padici_codec_is_within(padici_codec_value(box->dtype, bits),
                                   padici_codec_value(box->dtype, again), tolerance->absolute))
            continue;
        w->off[count] = (uint32_t)i;
        w->fix[count++] = padici_codec_fold(padici_codec_to_ordered(box->dtype, bits, box->size) -
                                            padici_codec_to_ordered(box->dtype, again, box->size));
    }
    return count;
}

// Packs the block with this interpolation.
PADICI_FN void padici_codec_try_smooth(padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_tolerance *tolerance,
                                       const padici_codec_predictor *predictor)
{
    const double g = tolerance->absolute * 0.0625;
    padici_codec_plan plan;
    size_t count;
    memset(&plan, 0, sizeof plan);
    plan.transform.kind = PADICI_CODEC_TRANSFORM_SCALE;
    plan.transform.g = padici_codec_bits_of(g);
    plan.transform.step = 1;
    plan.flags = PADICI_CODEC_BLOCK_ZIGZAG;
    if (!(g > 0) || !(1 / g < 1e300) || predictor->count == 0) return;
    if ((*w->loops->words)(&plan.transform, tolerance, box->dtype, box->size, w->raw, box->n,
                           w->words, w->off, box->n / 3) > box->n / 3)
        return;
    plan.predictor = *predictor;
    (*w->loops->close)(&plan.predictor, w->words, w->trial, box->n);
    (*w->loops->elements)(&plan.transform, box->dtype, w->words, (uint8_t *)w->hold, box->n);
    count = padici_codec_smooth_exceptions(w, box, tolerance);
    if (count == box->n / 3) return;
    w->bounded = 1;
    w->first = 0;
    padici_codec_try_patterns(w, box, &plan, count);
}

// The same, and from slow to fast and from fast to slow axes.
PADICI_FN void padici_codec_try_orders(padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_tolerance *tolerance,
                                       const padici_codec_predictor *predictor)
{
    padici_codec_predictor turned = *predictor;
    uint32_t turn, k;
    padici_codec_try_smooth(w, box, tolerance, predictor);
    for (turn = 0; turn < 2; turn++) {
        int same = 1;
        turned.count = 0;
        for (k = 0; k < predictor->count; k++) { // by axis
            uint32_t j = turned.count++;
            for (; j > 0 && (turned.op[j - 1].axis > predictor->op[k].axis) != (int)turn; j--)
                turned.op[j] = turned.op[j - 1];
            turned.op[j] = predictor->op[k];
        }
        for (k = 0; k < predictor->count; k++)
            same &= turned.op[k].axis == predictor->op[k].axis;
        if (!same) padici_codec_try_smooth(w, box, tolerance, &turned);
    }
}

#undef PADICI_CODEC_SMOOTH_POINTS
#undef PADICI_CODEC_SMOOTH_LEVELS

#endif
