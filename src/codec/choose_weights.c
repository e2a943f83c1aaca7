#include "choose_weights.h"
#include "bytes.h"
#include "choose_transform.h"
#include "choose_sizes.h"
#include "constants.h"
#include "loops.h"
#include "neighbours.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: weighted neighbours
//
// The weights are a least-squares fit over some stretches of the block. A word is weighted by the
// inverse square of another predictor's residual, so that rough parts do not spoil smooth ones:
// nearly the fewest digits, not the least energy. Sums of doubles in one order, rounded after each
// operation: the same on every machine.

#define PADICI_CODEC_TAP_STRETCH 64u
#define PADICI_CODEC_TAP_ROW (PADICI_CODEC_MAX_TAPS + 1)

// Neighbours on three axes from slow to fast: on one of them only those of the third kind, on two
// the first 12.
static const int8_t padici_codec_neighbours[23][PADICI_CODEC_TAP_AXES] = {
    {0, 0, 1},  {0, 1, 0},  {0, 1, 1},   {0, 1, -1}, {0, 0, 2},  {0, 2, 0},  {0, 1, 2}, {0, 2, 1},
    {0, 1, -2}, {0, 2, -1}, {0, 0, 3},   {0, 3, 0},  {1, 0, 0},  {1, 0, 1},  {1, 1, 0}, {1, 0, -1},
    {1, -1, 0}, {1, 1, 1},  {1, -1, -1}, {2, 0, 0},  {1, 1, -1}, {1, -1, 1}, {3, 0, 0},
};

// `taps` neighbours along one axis, or the first of the table on two or three; axis[0] is the
// fastest.
static PADICI_NOINLINE void padici_codec_set_taps(const padici_codec_box *box, const uint32_t *axis,
                                                  uint32_t axes, uint32_t taps,
                                                  padici_codec_predictor *p)
{
    uint32_t k, t;
    memset(p, 0, sizeof *p);
    p->kind = PADICI_CODEC_PREDICTOR_LINEAR;
    p->count = axes;
    p->taps = taps;
    for (k = 0; k < axes; k++) p->op[k] = padici_codec_axis_op(box, axis[axes - 1 - k]);
    for (t = 0; t < taps; t++)
        for (k = 0; k < axes; k++)
            p->back[t][k] = axes == 1
                                ? (int8_t)(t + 1)
                                : padici_codec_neighbours[t][PADICI_CODEC_TAP_AXES - axes + k];
}

// The start and length of a stretch whose neighbours all exist. 0: none.
static size_t padici_codec_tap_stretch(const padici_codec_predictor *p, size_t n, uint32_t turn,
                                       uint32_t turns, size_t *length)
{
    size_t from = (size_t)((uint64_t)n * turn / turns), inside;
    const uint32_t last = p->count - 1;
    const size_t segment = padici_codec_least(p->op[last].segment, n), stride = p->op[last].stride;
    const size_t place = segment < n ? (size_t)turn * 40503u % segment : from;
    int64_t reach[2];
    uint32_t k;
    for (k = 0; k < last; k++) {
        const size_t step = p->op[k].stride, extent = p->op[k].segment / step;
        const size_t at = from % p->op[k].segment / step;
        padici_codec_tap_reach(p, k, reach);
        if ((size_t)(reach[0] + reach[1]) >= extent) return 0;
        if (at < (size_t)reach[0]) from += ((size_t)reach[0] - at) * step;
        if (at + (size_t)reach[1] >= extent) from -= (at + (size_t)reach[1] + 1 - extent) * step;
    }
    padici_codec_tap_reach(p, last, reach);
    if ((size_t)(reach[0] + reach[1]) >= segment / stride) return 0;
    inside = segment - (size_t)(reach[0] + reach[1]) * stride;
    *length = padici_codec_least(inside, PADICI_CODEC_TAP_STRETCH);
    return from - from % segment + (size_t)reach[0] * stride +
           padici_codec_least(place, inside - *length);
}

// Solves the positive system of m unknowns; irrelevant ones become 0.
static void padici_codec_solve_taps(double *sums, uint32_t m, double *y)
{
    uint32_t i, j, k;
    for (j = 0; j < m; j++) sums[j * PADICI_CODEC_TAP_ROW + j] *= 1 + 1e-11;
    for (j = 0; j < m; j++) {
        const double *row = sums + j * PADICI_CODEC_TAP_ROW;
        for (i = j + 1; i < m && row[j] > 0; i++) {
            const double f = row[i] / row[j];
            double *to = sums + i * PADICI_CODEC_TAP_ROW;
            for (k = i; k <= m; k++) to[k] -= f * row[k];
        }
    }
    for (j = m; j-- > 0;) {
        const double *row = sums + j * PADICI_CODEC_TAP_ROW;
        double v = row[m];
        for (k = j + 1; k < m; k++) v -= row[k] * y[k];
        y[j] = row[j] > 0 ? v / row[j] : 0;
    }
}

// The differences of the neighbours of x[i], and of the word, to the first neighbour; for floats in
// units of their last digit. 0 where they are useless.
static int padici_codec_tap_row(const padici_codec_tap_places *taps,
                                const padici_codec_predictor *p, const uint64_t *x, size_t i,
                                double *y)
{
    const uint32_t m = p->taps;
    const double *v = p->values;
    double unit;
    uint32_t k;
    if (p->dtype == PADIC_DTYPE_NONE) {
        const uint64_t first = x[i - taps->distance[0]];
        for (k = 1; k < m; k++) y[k] = (double)(int64_t)(x[i - taps->distance[k]] - first);
        y[m] = (double)(int64_t)(x[i] - first);
        y[0] = (double)(int64_t)first;
        return 1;
    }
    unit = (v[i] < 0 ? -v[i] : v[i]) * (p->dtype == PADIC_F64 ? 1.2e-16 : 6e-8);
    if (!(unit > 1e-290)) return 0;
    unit = 1 / unit;
    for (k = 1; k < m; k++) {
        y[k] = (v[i - taps->distance[k]] - v[i - taps->distance[0]]) * unit;
        if (!(y[k] < 1e20 && y[k] > -1e20)) return 0;
    }
    y[m] = (v[i] - v[i - taps->distance[0]]) * unit;
    y[0] = 0;
    return y[m] < 1e20 && y[m] > -1e20;
}

// Adds one stretch; `room` has the residuals of the predictor that decide the weight of each word,
// or `weight` does.
static void padici_codec_sum_taps(const padici_codec_loops *loops,
                                  const padici_codec_tap_places *taps,
                                  const padici_codec_predictor *p, const uint64_t *x, size_t from,
                                  size_t length, const uint64_t *room, const double *weight,
                                  double typical, int wide, double *sums)
{
    double y[PADICI_CODEC_TAP_ROW];
    const uint32_t m = p->taps;
    uint32_t k;
    size_t i;
    for (i = 0; i < length; i++) {
        double apart, counts;
        if (!padici_codec_tap_row(taps, p, x, from + i, y)) continue;
        if (wide) y[0] = 0;
        if (weight) {
            apart = y[m];
            for (k = 0; k < m; k++) apart -= weight[k] * y[k];
        } else {
            apart = (double)(int64_t)padici_codec_unfold(room[i]);
        }
        counts = 1 / (apart * apart + typical * typical);
        (*loops->outer)(sums, PADICI_CODEC_TAP_ROW, y, m, counts);
    }
}

// The weights as integers: the differences to the first neighbour still sum to 0.
static int padici_codec_round_taps(const double *y, padici_codec_predictor *p)
{
    const int floats = p->dtype != PADIC_DTYPE_NONE;
    const double most = floats ? 2147480000.0 : 32700;
    double unit = floats ? 67108864.0 : 16384, all = 0;
    int32_t left = 0;
    uint32_t j;
    for (j = 0; j < p->taps; j++) all += y[j] < 0 ? -y[j] : y[j];
    if (!(all < 2000)) return 0;
    for (p->shift = floats ? 26 : 14; all * unit > most; p->shift--) unit *= 0.5;
    for (j = p->taps; j-- > 0;) {
        const double v = y[j] * unit;
        const int32_t whole = (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
        p->weight[j] = j ? whole : whole - left;
        left += whole;
    }
    return 1;
}

// Finds weights on `turns` stretches, starting from another predictor. `room` holds a matrix and a
// stretch. 0: there are none.
static PADICI_NOINLINE int padici_codec_fit_taps(const padici_codec_loops *loops, uint64_t *x,
                                                 size_t n, uint32_t turns, uint32_t passes,
                                                 const padici_codec_predictor *start,
                                                 uint64_t *room, padici_codec_predictor *p)
{
    double *sums = (double *)(void *)(room + PADICI_CODEC_TAP_STRETCH), y[PADICI_CODEC_TAP_ROW],
           typical;
    padici_codec_point point;
    padici_codec_tap_places taps;
    uint64_t bits = 0;
    uint32_t turn, k, pass;
    size_t i, length, count = 0;
    int wide = 0;
    for (k = 0; k < p->count; k++) {
        point.extent[k] = 1 << 20;
        point.at[k] = 1 << 10;
    }
    padici_codec_find_taps(p, &point, &taps);
    for (turn = 0; turn < turns; turn += 4) { // the typical size of residuals
        const size_t from = padici_codec_tap_stretch(p, n, turn, turns, &length);
        if (from == 0) return 0;
        padici_codec_stretch_residuals(start, x, from, length, n, room);
        for (i = 0; i < length; i++) {
            bits += padici_codec_bit_length(room[i]);
            wide |= padici_codec_bit_length(padici_codec_fold(x[from + i])) > 40;
        }
        count += length;
    }
    typical = (double)((uint64_t)1 << bits / count % 64);
    for (pass = 0; pass < passes; pass++) {
        for (i = 0; i < PADICI_CODEC_TAP_ROW * PADICI_CODEC_TAP_ROW; i++) sums[i] = 0;
        for (turn = 0; turn < turns; turn++) {
            const size_t from = padici_codec_tap_stretch(p, n, turn, turns, &length);
            if (pass == 0) padici_codec_stretch_residuals(start, x, from, length, n, room);
            padici_codec_sum_taps(loops, &taps, p, x, from, length, room, pass ? y : NULL, typical,
                                  wide, sums);
        }
        padici_codec_solve_taps(sums, p->taps, y);
    }
    return padici_codec_round_taps(y, p);
}

// The surcharge on their estimates, as a shift; 0: none.
static uint32_t padici_codec_linear_price(const padici_codec_work *w)
{
    return w->stages.predictors == 0 ? w->policy->predictors.linear_price : 0;
}

// What weights found on few stretches may cost, so that more are looked at: where they must save a
// share in the end, half of it.
static uint64_t padici_codec_taps_most(const padici_codec_work *w, const padici_codec_choice *best)
{
    const uint32_t gain = w->stages.predictors == 0 ? w->policy->predictors.linear_gain : 0;
    return gain ? best->cost - best->cost / (2 * gain) : best->cost + (best->cost >> 5);
}

// Tries weighted neighbours: with few stretches first where time is short.
static uint32_t padici_codec_try_taps(const padici_codec_work *w, const padici_codec_box *box,
                                      padici_codec_predictor *p,
                                      const padici_codec_predictor *start, uint64_t *x, uint64_t *z,
                                      padici_codec_choice *best, uint32_t count, uint32_t room)
{
    const uint32_t passes = w->policy->predictors.linear_passes;
    const uint32_t price = padici_codec_linear_price(w);
    uint32_t turns = w->stages.predictors == 0 ? w->policy->predictors.linear_turns : 64;
    for (;; turns = 64) {
        uint64_t cost;
        if (!padici_codec_fit_taps(w->loops, x, box->n, turns, passes, start, z + box->n, p))
            return count;
        cost = padici_codec_bucket_cost(w->loops, z,
                                        padici_codec_sample_residuals(p, x, box->n, z));
        if (price) cost += cost >> price; // its decoder takes longer
        if (turns == 64) return padici_codec_keep_predictor(best, count, room, p, cost);
        if (count && cost > padici_codec_taps_most(w, best)) return count;
    }
}

// (-1)^k n! / (k! (n - k)!)
static int32_t padici_codec_binomial(uint32_t n, uint32_t k)
{
    int32_t b = 1;
    uint32_t i;
    for (i = 1; i <= k; i++) b = -b * (int32_t)(n + 1 - i) / (int32_t)i;
    return b;
}

// Differences of order power[k] along axis[k], axis[0] the fastest, as weights of floats: the
// prediction that makes that difference 0. 0: too many neighbours.
static int padici_codec_chain_taps(const padici_codec_box *box, const uint32_t *axis, uint32_t axes,
                                   const uint32_t *power, padici_codec_predictor *p)
{
    uint32_t k, t, all = 1, used = 0;
    for (k = 0; k < axes; k++) {
        if (power[k] > 8 || power[k] >= box->extent[axis[k]]) return 0;
        all *= power[k] + 1;
        used += power[k] != 0;
    }
    if (all < 2 || all > PADICI_CODEC_MAX_TAPS + 1) return 0;
    p->kind = PADICI_CODEC_PREDICTOR_LINEAR;
    p->count = used;
    p->taps = all - 1;
    p->shift = 0;
    for (t = 1; t < all; t++) {
        uint32_t remainder = t, at = used;
        int32_t weight = -1;
        for (k = 0; k < axes; k++) {
            const uint32_t back = remainder % (power[k] + 1);
            remainder /= power[k] + 1;
            if (power[k] == 0) continue;
            p->back[t - 1][--at] = (int8_t)back;
            p->op[at] = padici_codec_axis_op(box, axis[k]);
            weight *= padici_codec_binomial(power[k], back);
        }
        p->weight[t - 1] = weight - (t == 1); // to the first neighbour itself
    }
    return 1;
}

static uint64_t padici_codec_taps_cost(const padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_predictor *p, uint64_t *x, uint64_t *z)
{
    const uint64_t cost =
        padici_codec_bucket_cost(w->loops, z, padici_codec_sample_residuals(p, x, box->n, z));
    const uint32_t price = padici_codec_linear_price(w);
    return price ? cost + (cost >> price) : cost;
}

// Smooth fields of floats: differences of floats are smooth, those of words (the bits) jump where
// the exponent changes. Orders grow as long as that saves a fiftieth.
static PADICI_NOINLINE uint32_t padici_codec_choose_floats(const padici_codec_work *w,
                                                           const padici_codec_box *box, uint64_t *x,
                                                           uint64_t *z, padici_codec_choice *best,
                                                           uint32_t count, uint32_t room)
{
    uint32_t axis[3] = {0, 0, 0}, axes = 0, power[3] = {0, 0, 0}, k, i;
    padici_codec_choice found, trial;
    memset(&found, 0, sizeof found);
    found.predictor.dtype = w->floats;
    found.predictor.values = (double *)(void *)w->hold;
    padici_codec_find_values(&found.predictor, x, box->n);
    for (k = box->rank; k-- > 0 && axes < 3;)
        if (box->extent[k] >= 4) axis[axes++] = k;
    if (axes == 0) return count;
    for (i = 0; count && i < best->predictor.count; i++)
        for (k = 0; k < axes; k++)
            power[k] += best->predictor.kind <= PADICI_CODEC_PREDICTOR_LORENZO && power[k] < 3 &&
                        best->predictor.op[i].axis == axis[k];
    if (power[0] + power[1] + power[2] == 0) power[0] = 1;
    if (!padici_codec_chain_taps(box, axis, axes, power, &found.predictor)) return count;
    found.cost = padici_codec_taps_cost(w, box, &found.predictor, x, z);
    for (;;) {
        const uint64_t before = found.cost;
        uint32_t longer = axes;
        for (k = 0; k < axes; k++) {
            trial = found;
            power[k]++;
            if (padici_codec_chain_taps(box, axis, axes, power, &trial.predictor)) {
                trial.cost = padici_codec_taps_cost(w, box, &trial.predictor, x, z);
                if (trial.cost < before - before / 50 && trial.cost < found.cost) {
                    found = trial;
                    longer = k;
                }
            }
            power[k]--;
        }
        if (longer == axes) break;
        power[longer]++;
    }
    // weights that are fitted rarely save much more than such a chain
    if (count && found.cost > padici_codec_taps_most(w, best)) return count;
    count = padici_codec_keep_predictor(best, count, room, &found.predictor, found.cost);
    padici_codec_set_taps(box, axis, axes, axes == 3 ? 19 : 12, &trial.predictor);
    trial.predictor.dtype = w->floats;
    trial.predictor.values = (double *)(void *)w->hold;
    return padici_codec_try_taps(w, box, &trial.predictor, &found.predictor, x, z, best, count,
                                 room);
}

// Linear extrapolation, where weights are requested and cannot be found.
static void padici_codec_plain_taps(const padici_codec_box *box, uint32_t axis,
                                    padici_codec_predictor *p)
{
    padici_codec_set_taps(box, &axis, 1, 2, p);
    p->weight[0] = 1;
    p->weight[1] = -1;
}

static PADICI_NOINLINE uint32_t padici_codec_choose_linear(const padici_codec_work *w,
                                                           const padici_codec_box *box, uint64_t *x,
                                                           uint64_t *z, padici_codec_choice *best,
                                                           uint32_t count, uint32_t room)
{
    const int all = w->policy->predictors.linear_axes || w->stages.predictors != 0;
    uint32_t axis[3] = {0, 0, 0}, axes = 0, k;
    const uint32_t before = count;
    padici_codec_predictor p, start;
    for (k = box->rank; k-- > 0 && axes < 3;)
        if (box->extent[k] >= 8) axis[axes++] = k;
    for (k = 0; k < box->rank && axes == 0 && count == 0; k++) {
        if (box->extent[k] < 2) continue;
        padici_codec_plain_taps(box, k, &p);
        return padici_codec_keep_predictor(best, count, room, &p, 0);
    }
    if (axes == 0) return count;
    if (count) start = best->predictor;
    if (count && start.count > 8) start.count = 8; // of a longer chain
    if (count == 0 || start.kind == PADICI_CODEC_PREDICTOR_INTERPOLATE ||
        start.kind == PADICI_CODEC_PREDICTOR_NONE || start.kind == PADICI_CODEC_PREDICTOR_XOR) {
        memset(&start, 0, sizeof start);
        start.kind = PADICI_CODEC_PREDICTOR_DELTA;
        start.count = 1;
        start.op[0] = padici_codec_axis_op(box, axis[0]);
    }
    if (axes == 3) {
        padici_codec_set_taps(box, axis, 3, all ? 23 : 19, &p);
        count = padici_codec_try_taps(w, box, &p, &start, x, z, best, count, room);
    }
    if (axes == 2 || (axes == 3 && all)) {
        padici_codec_set_taps(box, axis, 2, 12, &p);
        count = padici_codec_try_taps(w, box, &p, &start, x, z, best, count, room);
    }
    for (k = 0; k < axes && (axes == 1 || all); k++) {
        padici_codec_set_taps(box, axis + k, 1, k ? 8 : all ? 32 : 16, &p);
        count = padici_codec_try_taps(w, box, &p, &start, x, z, best, count, room);
    }
    if (before || count) return count;
    padici_codec_plain_taps(box, axis[0], &p);
    return padici_codec_keep_predictor(best, count, room, &p, 0);
}

// 1 if the costs of simpler candidates make candidate i promising.
static int padici_codec_is_useful(uint32_t i, const uint64_t *costs)
{
    switch (i) {
    case 2: return costs[1] < costs[0];
    case 9: return costs[8] < costs[0];
    case 12: return costs[2] < costs[1] || costs[9] < costs[8];
    case 4:
    case 13: return costs[2] < costs[1];
    case 14: return costs[9] < costs[8];
    case 17:
    case 18: return costs[15] < costs[0];
    case 19: return costs[15] < costs[1] && costs[15] < costs[8];
    default: return 1;
    }
}

// The cheapest predictors for these words, by size on the sample; `z` holds the sample.
PADICI_FN PADICI_NOINLINE uint32_t padici_codec_choose_predictors(const padici_codec_work *w,
                                                                  const padici_codec_box *box,
                                                                  uint64_t *x, uint64_t *z,
                                                                  padici_codec_choice *best,
                                                                  uint32_t room)
{
    const uint32_t mask = w->stages.predictors;
    const int all = mask != 0 || w->policy->predictors.all; // else only promising ones
    uint64_t costs[PADICI_CODEC_CANDIDATES];
    uint32_t axis[3] = {0, 0, 0}, axes = 0, k, count = 0, i;
    const int packed = w->policy->coders.packed;
    int planes = 0; // the best candidate so far is cheapest as planes of bytes
    memset(costs, 255, sizeof costs);
    for (k = box->rank; k-- > 0 && axes < 3;)
        if (box->extent[k] > 1) axis[axes++] = k;
    for (i = 0; i < PADICI_CODEC_CANDIDATES; i++) {
        padici_codec_predictor p;
        uint64_t cost, other;
        int bytes = 0, whole;
        size_t n;
        if ((i > 0 && axes == 0) || (i >= 8 && axes < 2) || (i >= 15 && axes < 3)) break;
        if (i >= 5 && i <= 7 && (axes > 1 || box->extent[axis[0]] < 16)) continue;
        memset(&p, 0, sizeof p);
        p.kind = padici_codec_candidates[i].kind;
        p.count = padici_codec_candidates[i].count;
        whole = p.kind == PADICI_CODEC_PREDICTOR_NONE || p.kind == PADICI_CODEC_PREDICTOR_XOR;
        for (k = 0; k < p.count; k++)
            p.op[k] = padici_codec_axis_op(box, axis[padici_codec_candidates[i].axis[k]]);
        if (i >= 5 && i <= 7) p.op[0] = padici_codec_flat_op(i - 3, box->n);
        if (!(all || padici_codec_is_useful(i, costs))) continue;
        if (mask ? !(mask >> p.kind & 1) : !(w->policy->predictors.candidates >> i & 1)) continue;
        n = padici_codec_sample_residuals(&p, x, box->n, z);
        if (packed && p.count == 0) // as if packed: the sample's least is not the block's
            (*w->loops->lower)(z, n, w->first - (x[0] - z[0]), 0);
        cost = padici_codec_words_cost(w, z, n);
        if (!packed && (whole || planes)) { // differences must pay for more tables
            other = padici_codec_bytes_cost(w->loops, z, n);
            if (!whole) other += other >> 5;
            bytes = other < cost;
            if (bytes) cost = other;
        }
        // its decoder has a third of the speed, or a fifth where little else is done
        if (p.kind == PADICI_CODEC_PREDICTOR_MEDIAN && w->policy->predictors.median_price)
            cost += cost >> (w->bounded ? 2 : 5);
        costs[i] = cost;
        if (count == 0 || cost < best->cost) planes = bytes;
        count = padici_codec_keep_predictor(best, count, room, &p, cost);
    }
    // smooth fields within a tolerance: most of the residual is noise, which differences double
    if (padici_codec_allowed(mask, PADICI_CODEC_PREDICTOR_INTERPOLATE) && !w->line &&
        box->n >= 64 &&
        (mask ||
         (w->policy->predictors.interpolate && w->bounded &&
          box->n > PADICI_CODEC_INTERPOLATE_LEAST &&
          best->predictor.kind >= PADICI_CODEC_PREDICTOR_DELTA2 && best->cost < 1024 * 256 * 5)))
        count = padici_codec_choose_interpolation(w->loops, box, x, z, best, count, room);
    if (w->policy->predictors.longer && mask == 0 &&
        box->n > PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN &&
        (best->predictor.kind == PADICI_CODEC_PREDICTOR_DELTA2 ||
         best->predictor.kind == PADICI_CODEC_PREDICTOR_LORENZO))
        padici_codec_lengthen_chain(w->loops, box, x, z, best);
    if (padici_codec_allowed(mask, PADICI_CODEC_PREDICTOR_LINEAR) &&
        (mask || (w->may_weigh && !w->line && box->n >= 1024 &&
                  best->cost > 2 * 256 *
                                   padici_codec_least(box->n, PADICI_CODEC_SAMPLE_RUNS *
                                                                  PADICI_CODEC_SAMPLE_RUN)))) {
        const int floats = w->floats != PADIC_DTYPE_NONE && !w->line;
        if (floats) count = padici_codec_choose_floats(w, box, x, z, best, count, room);
        if (!floats || count == 0)
            count = padici_codec_choose_linear(w, box, x, z, best, count, room);
    }
    if (count == 0) { // no allowed candidate applies
        memset(best, 0, sizeof *best);
        count = 1;
    }
    return count;
}

#undef PADICI_CODEC_TAP_STRETCH
#undef PADICI_CODEC_TAP_ROW

#endif
