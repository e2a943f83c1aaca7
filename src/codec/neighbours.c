#include "neighbours.h"
#include "bytes.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- prediction: weighted neighbours

PADICI_FN void padici_codec_find_taps(const padici_codec_predictor *predictor,
                                      const padici_codec_point *point,
                                      padici_codec_tap_places *taps)
{
    int64_t sum = 0;
    uint32_t t, k;
    taps->count = 0;
    for (t = 0; t < predictor->taps; t++) {
        int64_t distance = 0;
        int there = 1;
        for (k = 0; k < predictor->count; k++) {
            const int64_t back = predictor->back[t][k], at = point->at[k] - back;
            there &= at >= 0 && at < point->extent[k];
            distance += back * (int64_t)predictor->op[k].stride;
        }
        sum += predictor->weight[t];
        if (!there) continue;
        taps->distance[taps->count] = (uint32_t)distance;
        taps->weight[taps->count] = predictor->weight[t];
        if (taps->count++) sum -= predictor->weight[t];
    }
    if (taps->count == 0) return;
    taps->weight[0] = sum;
    for (t = taps->count; t % 4; t++) {
        taps->distance[t] = taps->distance[0];
        taps->weight[t] = 0;
    }
}

// The reach of neighbours on the axis of op k: back, and ahead.
PADICI_FN void padici_codec_tap_reach(const padici_codec_predictor *predictor, uint32_t k,
                                      int64_t reach[2])
{
    uint32_t t;
    reach[0] = reach[1] = 0;
    for (t = 0; t < predictor->taps; t++) {
        const int64_t back = predictor->back[t][k];
        if (back > reach[0]) reach[0] = back;
        if (-back > reach[1]) reach[1] = -back;
    }
}

PADICI_INLINE void padici_codec_linear_run(const padici_codec_tap_places *taps, uint32_t shift,
                                           uint64_t *x, uint64_t *z, size_t from, size_t to,
                                           int what)
{
    const uint64_t half = (uint64_t)1 << shift >> 1;
    size_t i;
    if (taps->count == 0) {
        for (i = from; i < to && what != PADICI_CODEC_LINEAR_UNDO; i++) {
            if (what == PADICI_CODEC_LINEAR_DO)
                z[i - from] = x[i];
            else
                x[i] = padici_codec_unfold(x[i]);
        }
        return;
    }
    for (i = from; i < to; i++) {
        uint64_t sum = half, about;
        uint32_t t;
        for (t = (taps->count + 3) & ~3u; t > 0; t -= 4) { // nearest last: it is known last
            const uint32_t *d = taps->distance + t - 4;
            const int64_t *weight = taps->weight + t - 4;
            sum += (uint64_t)weight[3] * x[i - d[3]] + (uint64_t)weight[2] * x[i - d[2]];
            sum += (uint64_t)weight[1] * x[i - d[1]];
            sum += (uint64_t)weight[0] * x[i - d[0]];
        }
        about = x[i - taps->distance[0]] + (uint64_t)((int64_t)sum >> shift);
        if (what == PADICI_CODEC_LINEAR_DO)
            z[i - from] = x[i] - about;
        else
            x[i] = about + (what == PADICI_CODEC_LINEAR_UNFOLD ? padici_codec_unfold(x[i]) : x[i]);
    }
}

PADICI_FN void padici_codec_linear_words(const padici_codec_tap_places *taps, uint32_t shift,
                                         uint64_t *x, uint64_t *z, size_t from, size_t to, int what)
{
    if (what == PADICI_CODEC_LINEAR_DO)
        padici_codec_linear_run(taps, shift, x, z, from, to, PADICI_CODEC_LINEAR_DO);
    else if (what == PADICI_CODEC_LINEAR_UNFOLD)
        padici_codec_linear_run(taps, shift, x, NULL, from, to, PADICI_CODEC_LINEAR_UNFOLD);
    else
        padici_codec_linear_run(taps, shift, x, NULL, from, to, PADICI_CODEC_LINEAR_UNDO);
}

PADICI_FN void padici_codec_outer_loop(double *sums, size_t row, const double *y, uint32_t m,
                                       double counts)
{
    uint32_t j, k;
    for (j = 0; j <= m; j++, sums += row) {
        const double f = y[j] * counts;
        for (k = j; k <= m; k++) sums[k] += f * y[k];
    }
}

// A float from its word (BITS); 0 if it is not finite.
PADICI_INLINE double padici_codec_word_value(padic_dtype dtype, uint64_t word)
{
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    const double x = padici_codec_value(dtype, padici_codec_from_ordered_low(dtype, word, size));
    return x - x == 0 ? x : 0;
}

static void padici_codec_float_taps_make(const padici_codec_predictor *predictor,
                                         const padici_codec_tap_places *taps,
                                         padici_codec_float_taps *made)
{
    const double unit = padici_codec_double_of((uint64_t)(1023 - predictor->shift) << 52);
    uint32_t t;
    made->count = taps->count;
    for (t = 0; t < taps->count; t++) {
        made->factor[t] = (double)taps->weight[t] * unit;
        made->back[t] = -(int32_t)taps->distance[t];
    }
}

// The word that neighbours predict; `value` points to its float.
PADICI_INLINE uint64_t padici_codec_float_about(const padici_codec_float_taps *taps,
                                                padic_dtype dtype, const double *value)
{
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    uint32_t t;
    double sum = 0;
    if (taps->count == 0) return 0;
    for (t = taps->count; t-- > 0;) sum += taps->factor[t] * value[taps->back[t]];
    sum += value[taps->back[0]];
    return sum == sum ? padici_codec_to_ordered(dtype, padici_codec_rounded(dtype, sum, 0), size)
                      : 0;
}

PADICI_INLINE void padici_codec_float_undo(const padici_codec_float_taps *taps, padic_dtype dtype,
                                           uint64_t *x, double *value, int zigzag)
{
    const uint64_t apart = zigzag ? padici_codec_unfold(*x) : *x;
    const uint64_t word = padici_codec_float_about(taps, dtype, value) + apart;
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    const double v = padici_codec_value(dtype, padici_codec_from_ordered_low(dtype, word, size));
    *x = word;
    *value = v;
    if (!(v - v == 0)) *value = 0; // a branch: nothing waits for it
}

PADICI_INLINE void padici_codec_linear_float_run(const padici_codec_predictor *predictor,
                                                 const padici_codec_tap_places *taps,
                                                 padic_dtype dtype, uint64_t *x, uint64_t *z,
                                                 size_t from, size_t to, int what)
{
    double *values = predictor->values;
    padici_codec_float_taps made;
    size_t i;
    padici_codec_float_taps_make(predictor, taps, &made);
    for (i = from; i < to; i++) {
        if (what == PADICI_CODEC_LINEAR_DO)
            z[i - from] = x[i] - padici_codec_float_about(&made, dtype, values + i);
        else
            padici_codec_float_undo(&made, dtype, x + i, values + i,
                                    what == PADICI_CODEC_LINEAR_UNFOLD);
    }
}

static void padici_codec_linear_float(const padici_codec_predictor *predictor,
                                      const padici_codec_tap_places *taps, uint64_t *x, uint64_t *z,
                                      size_t from, size_t to, int what)
{
    if (predictor->dtype == PADIC_F64) {
        if (what == PADICI_CODEC_LINEAR_DO)
            padici_codec_linear_float_run(predictor, taps, PADIC_F64, x, z, from, to,
                                          PADICI_CODEC_LINEAR_DO);
        else
            padici_codec_linear_float_run(predictor, taps, PADIC_F64, x, z, from, to, what);
    } else if (what == PADICI_CODEC_LINEAR_DO) {
        padici_codec_linear_float_run(predictor, taps, PADIC_F32, x, z, from, to,
                                      PADICI_CODEC_LINEAR_DO);
    } else {
        padici_codec_linear_float_run(predictor, taps, PADIC_F32, x, z, from, to, what);
    }
}

// The values of all words, before prediction.
PADICI_FN void padici_codec_find_values(const padici_codec_predictor *predictor, const uint64_t *x,
                                        size_t n)
{
    double *values = predictor->values;
    size_t i;
    if (predictor->dtype == PADIC_F64)
        for (i = 0; i < n; i++) values[i] = padici_codec_word_value(PADIC_F64, x[i]);
    else
        for (i = 0; i < n; i++) values[i] = padici_codec_word_value(PADIC_F32, x[i]);
}

#define PADICI_CODEC_TAP_LISTS 8u

// The lists of neighbours along the last op's axis: one for the inside, one for each coordinate at
// the ends; made on demand, and kept while the other axes need the same.
typedef struct padici_codec_tap_lists {
    padici_codec_tap_places list[PADICI_CODEC_TAP_LISTS];
    uint64_t like;
    uint32_t made; // a bit set
} padici_codec_tap_lists;

static const padici_codec_tap_places *padici_codec_taps_at(const padici_codec_predictor *predictor,
                                                           const padici_codec_point *point,
                                                           const int64_t reach[2], uint64_t like,
                                                           padici_codec_tap_lists *lists)
{
    const uint32_t last = predictor->count - 1;
    const int64_t at = point->at[last], from_end = point->extent[last] - at;
    int64_t which = at < reach[0] ? 1 + at : from_end <= reach[1] ? reach[0] + from_end : 0;
    const int keep =
        reach[0] + reach[1] < PADICI_CODEC_TAP_LISTS && reach[0] + reach[1] <= point->extent[last];
    if (!keep) which = 0;
    if (!keep || like != lists->like) lists->made = 0;
    lists->like = like;
    if (!(lists->made >> which & 1)) padici_codec_find_taps(predictor, point, &lists->list[which]);
    lists->made |= 1u << which;
    return &lists->list[which];
}

#define PADICI_CODEC_TAP_ROWS 8u

// Steps [from, to) of `rows` interior rows of floats: at step s row k is at its word s - k lag, so
// that the dependency chains of the rows overlap.
PADICI_INLINE void padici_codec_float_steps_loop(const padici_codec_float_taps *taps,
                                                 padic_dtype dtype, uint64_t *x, double *values,
                                                 size_t segment, size_t lag, size_t from, size_t to,
                                                 size_t rows, int zigzag)
{
    size_t s, k;
    for (s = from; s < to; s++) {
        for (k = 0; k < rows; k++) {
            const size_t i = k * segment + s - k * lag;
            padici_codec_float_undo(taps, dtype, x + i, values + i, zigzag);
        }
    }
}

PADICI_FN void padici_codec_float_steps(const padici_codec_float_taps *taps, padic_dtype dtype,
                                        uint64_t *x, double *values, size_t segment, size_t lag,
                                        size_t from, size_t to, size_t rows, int zigzag)
{
    if (dtype == PADIC_F64)
        padici_codec_float_steps_loop(taps, PADIC_F64, x, values, segment, lag, from, to, rows,
                                      zigzag);
    else
        padici_codec_float_steps_loop(taps, PADIC_F32, x, values, segment, lag, from, to, rows,
                                      zigzag);
}

// Rows of `segment` words with the same neighbours, one after the other. `taps` are those of the
// inside, of the `edge[0]` places at the start and of the `edge[1]` at the end.
static void padici_codec_float_rows(const padici_codec_loops *loops,
                                    const padici_codec_float_taps *taps, const size_t edge[2],
                                    const padici_codec_op *op, size_t lag, size_t rows,
                                    padic_dtype dtype, uint64_t *x, double *values, int zigzag)
{
    const size_t segment = op->segment, stride = op->stride, behind = (rows - 1) * lag;
    const size_t begin = behind + edge[0] * stride, end = segment - edge[1] * stride;
    size_t s, k;
    for (s = 0; s < segment + behind; s++) {
        if (s == begin) { // all are inside
            (*loops->float_steps)(taps, dtype, x, values, segment, lag, s, end, rows, zigzag);
            s = end;
        }
        for (k = 0; k < rows; k++) {
            const size_t c = s - k * lag, i = k * segment + c;
            size_t which = 0;
            if (s < k * lag || c >= segment) continue;
            if (c < edge[0] * stride)
                which = 1 + c / stride;
            else if (c >= end)
                which = edge[0] + (segment - c + stride - 1) / stride;
            if (dtype == PADIC_F64)
                padici_codec_float_undo(&taps[which], PADIC_F64, x + i, values + i, zigzag);
            else
                padici_codec_float_undo(&taps[which], PADIC_F32, x + i, values + i, zigzag);
        }
    }
}

// The neighbours differ at the start and end of an axis: equal numbers mean equal neighbours.
static uint64_t padici_codec_taps_like(const padici_codec_predictor *predictor, size_t begin,
                                       int64_t reach[PADICI_CODEC_TAP_AXES][2],
                                       padici_codec_point *point)
{
    uint64_t like = 0;
    uint32_t k;
    for (k = 0; k + 1 < predictor->count; k++) {
        const padici_codec_op *op = &predictor->op[k];
        int64_t c;
        point->at[k] = (int64_t)(begin % op->segment / op->stride);
        point->extent[k] = op->segment / op->stride;
        c = point->extent[k] - 1 - point->at[k];
        like = like << 16 | (uint64_t)(point->at[k] < reach[k][0] ? point->at[k] : reach[k][0]) |
               (uint64_t)(c < reach[k][1] ? c : reach[k][1]) << 8;
    }
    return like;
}

// Rows of floats at once, from x[begin] on, where possible; returns how many.
PADICI_NOINLINE static size_t padici_codec_linear_rows(const padici_codec_loops *loops,
                                                       const padici_codec_predictor *predictor,
                                                       uint64_t *x, size_t begin, size_t n,
                                                       int64_t reach[PADICI_CODEC_TAP_AXES][2],
                                                       uint64_t like, padici_codec_point *point,
                                                       padici_codec_tap_lists *lists, int zigzag)
{
    const uint32_t last = predictor->count - 1;
    const padici_codec_op *op = &predictor->op[last];
    const size_t segment = op->segment, edge[2] = {(size_t)reach[last][0], (size_t)reach[last][1]};
    const size_t lag = (edge[1] + 3) * op->stride;
    padici_codec_float_taps taps[PADICI_CODEC_TAP_LISTS];
    padici_codec_point other;
    size_t rows = 1, k;
    if (predictor->dtype == PADIC_DTYPE_NONE || last == 0 || segment % op->stride ||
        edge[0] + edge[1] >= PADICI_CODEC_TAP_LISTS || segment < 8 * lag)
        return 0;
    while (rows < (segment < 10 * lag ? 4 : PADICI_CODEC_TAP_ROWS) &&
           (rows + 1) * segment <= n - begin &&
           padici_codec_taps_like(predictor, begin + rows * segment, reach, &other) == like)
        rows++;
    rows = rows >= 8 ? 8 : rows >= 4 ? 4 : rows & 2;
    if (rows == 0) return 0;
    point->extent[last] = (int64_t)(segment / op->stride);
    for (k = 0; k <= edge[0] + edge[1]; k++) {
        point->at[last] = k == 0         ? reach[last][0]
                          : k <= edge[0] ? (int64_t)k - 1
                                         : point->extent[last] - (int64_t)(k - edge[0]);
        padici_codec_float_taps_make(
            predictor, padici_codec_taps_at(predictor, point, reach[last], like, lists), &taps[k]);
    }
    padici_codec_float_rows(loops, taps, edge, op, lag, rows, predictor->dtype, x + begin,
                            predictor->values + begin, zigzag);
    return rows;
}

// Words x[from..to) of a block of n; z starts at `from`.
PADICI_FN void padici_codec_linear(const padici_codec_loops *loops,
                                   const padici_codec_predictor *predictor, uint64_t *x,
                                   uint64_t *z, size_t from, size_t to, size_t n, int what)
{
    const uint32_t last = predictor->count - 1;
    const size_t stride = predictor->op[last].stride, segment = predictor->op[last].segment;
    int64_t reach[PADICI_CODEC_TAP_AXES][2];
    padici_codec_tap_lists lists;
    padici_codec_point point;
    size_t i = from;
    uint32_t k;
    lists.made = 0;
    lists.like = 0;
    for (k = 0; k <= last; k++) padici_codec_tap_reach(predictor, k, reach[k]);
    while (i < to) {
        const size_t begin = i - i % segment, end = padici_codec_least(begin + segment, n);
        const padici_codec_tap_places *taps;
        const uint64_t like = padici_codec_taps_like(predictor, begin, reach, &point);
        size_t stop;
        int64_t c;
        if (what != PADICI_CODEC_LINEAR_DO && i == begin && to == n) {
            const size_t rows =
                padici_codec_linear_rows(loops, predictor, x, begin, n, reach, like, &point, &lists,
                                         what == PADICI_CODEC_LINEAR_UNFOLD);
            i += rows * segment;
            if (rows) continue;
        }
        point.at[last] = c = (int64_t)((i - begin) / stride);
        point.extent[last] = (int64_t)((end - begin + stride - 1) / stride);
        taps = padici_codec_taps_at(predictor, &point, reach[last], like, &lists);
        if (c >= reach[last][0] && c < point.extent[last] - reach[last][1])
            c = point.extent[last] - reach[last][1];
        else
            c++;
        stop = padici_codec_least(padici_codec_least(begin + (size_t)c * stride, end), to);
        if (predictor->dtype != PADIC_DTYPE_NONE)
            padici_codec_linear_float(predictor, taps, x, z ? z + (i - from) : NULL, i, stop, what);
        else
            (*loops->linear)(taps, predictor->shift, x, z ? z + (i - from) : NULL, i, stop, what);
        i = stop;
    }
}

#undef PADICI_CODEC_TAP_LISTS
#undef PADICI_CODEC_TAP_ROWS

#endif
