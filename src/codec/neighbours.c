#include "neighbours.h"
#include "bytes.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- prediction: weighted neighbours

// Whether a word has neighbour t.
PADICI_INLINE int padici_codec_tap_there(const padici_codec_predictor *predictor,
                                         const padici_codec_point *point, uint32_t t)
{
    uint32_t k;
    int there = 1;
    for (k = 0; k < predictor->count; k++) {
        const int64_t at = point->at[k] - predictor->back[t][k];
        there &= at >= 0 && at < point->extent[k];
    }
    return there;
}

PADICI_INLINE int64_t padici_codec_tap_distance(const padici_codec_predictor *predictor, uint32_t t)
{
    int64_t distance = 0;
    uint32_t k;
    for (k = 0; k < predictor->count; k++)
        distance += predictor->back[t][k] * (int64_t)predictor->op[k].stride;
    return distance;
}

PADICI_FN void padici_codec_find_taps(const padici_codec_predictor *predictor,
                                      const padici_codec_point *point,
                                      padici_codec_tap_places *taps)
{
    int64_t sum = 0;
    uint32_t t;
    taps->count = 0;
    for (t = 0; t < predictor->taps; t++) {
        const int64_t distance = padici_codec_tap_distance(predictor, t);
        sum += predictor->weight[t];
        if (!padici_codec_tap_there(predictor, point, t)) continue;
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

// The same for a decoder, which waits for the value but not for the branch.
PADICI_INLINE void padici_codec_set_value(padic_dtype dtype, uint64_t word, double *value)
{
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    const double v = padici_codec_value(dtype, padici_codec_from_ordered_low(dtype, word, size));
    *value = v;
    if (!(v - v == 0)) *value = 0;
}

// What a weight of 1 is.
PADICI_INLINE double padici_codec_weight_unit(const padici_codec_predictor *predictor)
{
    return padici_codec_double_of((uint64_t)(1023 - predictor->shift) << 52);
}

static void padici_codec_float_taps_make(const padici_codec_predictor *predictor,
                                         const padici_codec_tap_places *taps,
                                         padici_codec_float_taps *made)
{
    const double unit = padici_codec_weight_unit(predictor);
    uint32_t t;
    made->count = taps->count;
    for (t = 0; t < taps->count; t++) {
        made->factor[t] = (double)taps->weight[t] * unit;
        made->back[t] = -(int32_t)taps->distance[t];
    }
}

// The word of the float nearest to a sum; 0 if it is not a number.
PADICI_INLINE uint64_t padici_codec_sum_word(padic_dtype dtype, double sum)
{
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    return sum == sum ? padici_codec_to_ordered(dtype, padici_codec_rounded(dtype, sum, 0), size)
                      : 0;
}

// The word that neighbours predict; `value` points to its float.
PADICI_INLINE uint64_t padici_codec_float_about(const padici_codec_float_taps *taps,
                                                padic_dtype dtype, const double *value)
{
    uint32_t t;
    double sum = 0;
    if (taps->count == 0) return 0;
    for (t = taps->count; t-- > 0;) sum += taps->factor[t] * value[taps->back[t]];
    return padici_codec_sum_word(dtype, sum + value[taps->back[0]]);
}

PADICI_INLINE void padici_codec_float_undo(const padici_codec_float_taps *taps, padic_dtype dtype,
                                           uint64_t *x, double *value, int zigzag)
{
    const uint64_t apart = zigzag ? padici_codec_unfold(*x) : *x;
    *x = padici_codec_float_about(taps, dtype, value) + apart;
    padici_codec_set_value(dtype, *x, value);
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
        point->at[k] = (uint32_t)begin % op->segment / op->stride;
        point->extent[k] = op->segment / op->stride;
        c = point->extent[k] - 1 - point->at[k];
        like = like << 16 | (uint64_t)(point->at[k] < reach[k][0] ? point->at[k] : reach[k][0]) |
               (uint64_t)(c < reach[k][1] ? c : reach[k][1]) << 8;
    }
    return like;
}

// ---- a wavefront

PADICI_INLINE void padici_codec_wave_loop(const padici_codec_wave *wave, padic_dtype dtype,
                                          double *values, size_t steps)
{
    size_t s;
    uint32_t t, k;
    for (s = 0; s < steps; s++, values += 8) {
        double sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (t = wave->taps; t-- > 0;) {
            const double *factor = wave->factor[t];
            if (!(wave->use >> t & 1)) continue;
            for (k = 0; k < 8; k++) sum[k] += factor[k] * values[(int64_t)k + wave->place[t]];
        }
        for (k = 0; k < 8; k++) {
            double *value = values + k;
            uint64_t *x = wave->x + wave->at[k] + s, word = 0;
            if (wave->at[k] + s >= wave->end[k]) { // between rows
                *value = 0;
                continue;
            }
            if (wave->nearest[k])
                word = padici_codec_sum_word(dtype, sum[k] + value[wave->nearest[k]]);
            *x = word += wave->zigzag ? padici_codec_unfold(*x) : *x;
            padici_codec_set_value(dtype, word, value);
        }
    }
}

PADICI_FN void padici_codec_wave_steps(const padici_codec_wave *wave, double *values, size_t steps)
{
    if (wave->dtype == PADIC_F64)
        padici_codec_wave_loop(wave, PADIC_F64, values, steps);
    else
        padici_codec_wave_loop(wave, PADIC_F32, values, steps);
}

#define PADICI_CODEC_TAP_CLASSES 64u

// The factors of words that have the same neighbours.
typedef struct padici_codec_tap_class {
    double factor[PADICI_CODEC_MAX_TAPS]; // 0 for those that they have not
    uint32_t use, made;                   // a bit for each that they have; whether this is filled
} padici_codec_tap_class;

// Where the lanes are. Rows with the same neighbours on the other axes (`like`) share a slot of
// classes: the inside, the places at the start, those at the end.
typedef struct padici_codec_wavefront {
    padici_codec_wave wave;
    const padici_codec_predictor *predictor;
    int64_t (*reach)[2];
    size_t rows, segment, stride, begin, end; // of a row; the inside is [begin, end)
    size_t period; // steps of a row
    size_t row[8], column[8], next[8]; // `next`: steps until something changes
    uint32_t slot[8], use[8];
    uint64_t like[PADICI_CODEC_TAP_CLASSES];
    uint32_t each, most, full, turn; // classes in a slot; slots at most, filled, to be next
    padici_codec_tap_class classes[PADICI_CODEC_TAP_CLASSES];
} padici_codec_wavefront;

static void padici_codec_wavefront_class(const padici_codec_predictor *predictor,
                                         const padici_codec_point *point,
                                         padici_codec_tap_class *to)
{
    const double unit = padici_codec_weight_unit(predictor);
    int64_t sum = 0;
    uint32_t t, first = predictor->taps;
    to->use = 0;
    to->made = 1;
    for (t = 0; t < predictor->taps; t++) {
        to->factor[t] = 0;
        sum += predictor->weight[t];
        if (!padici_codec_tap_there(predictor, point, t)) continue;
        to->use |= (uint32_t)1 << t;
        if (first == predictor->taps) {
            first = t;
            continue;
        }
        to->factor[t] = (double)predictor->weight[t] * unit;
        sum -= predictor->weight[t];
    }
    if (to->use) to->factor[first] = (double)sum * unit;
}

// A lane begins its row: the slot of rows like it.
static void padici_codec_wavefront_row(padici_codec_wavefront *f, uint32_t k)
{
    padici_codec_point point;
    const uint64_t like =
        padici_codec_taps_like(f->predictor, f->row[k] * f->segment, f->reach, &point);
    uint32_t slot = 0, i;
    f->wave.at[k] = f->row[k] * f->segment;
    f->wave.end[k] = f->wave.at[k] + f->segment;
    while (slot < f->full && f->like[slot] != like) slot++;
    if (slot == f->full) {
        if (f->full < f->most)
            f->full++;
        else
            do { // the next one that no other lane has
                slot = f->turn++ % f->most;
                for (i = 0; i < 8 && (i == k || f->slot[i] != slot); i++) {}
            } while (i < 8);
        f->like[slot] = like;
        for (i = 0; i < f->each; i++) f->classes[slot * f->each + i].made = 0;
    }
    f->slot[k] = slot;
}

// A lane comes to other neighbours, or to its next row.
static void padici_codec_wavefront_turn(padici_codec_wavefront *f, uint32_t k)
{
    padici_codec_wave *wave = &f->wave;
    const uint32_t last = f->predictor->count - 1;
    const size_t stride = f->stride;
    padici_codec_tap_class *from;
    size_t c, which = 0;
    uint32_t t;
    if (f->column[k] == f->period) {
        f->column[k] = 0;
        f->row[k] += 8;
        f->next[k] = SIZE_MAX;
        f->use[k] = 0;
        if (f->row[k] >= f->rows) return;
        padici_codec_wavefront_row(f, k);
    }
    c = f->column[k];
    if (c < f->begin)
        which = 1 + c / stride;
    else if (c >= f->end)
        which = (f->begin + f->segment - c) / stride;
    f->next[k] = which ? stride : f->end - c;
    if (c + f->next[k] == f->segment) f->next[k] = f->period - c;
    from = &f->classes[f->slot[k] * f->each + which];
    if (!from->made) {
        padici_codec_point point;
        padici_codec_taps_like(f->predictor, f->row[k] * f->segment, f->reach, &point);
        point.at[last] = (int64_t)(c / stride);
        point.extent[last] = (int64_t)(f->segment / stride);
        padici_codec_wavefront_class(f->predictor, &point, from);
    }
    f->use[k] = from->use;
    for (t = 0; t < wave->taps; t++) wave->factor[t][k] = from->factor[t];
    for (t = 0; from->use && !(from->use >> t & 1); t++) {}
    wave->nearest[k] = from->use ? wave->place[t] : 0;
    wave->first = (wave->first & ~(1u << k)) | (from->use & 1) << k;
}

static void padici_codec_wavefront_run(const padici_codec_loops *loops, padici_codec_wavefront *f,
                                       double *values, size_t steps)
{
    size_t s, run;
    uint32_t k;
    for (s = 0; s < steps; s += run) {
        f->wave.use = 0;
        run = steps - s;
        for (k = 0; k < 8; k++) {
            if (f->next[k] == 0) padici_codec_wavefront_turn(f, k);
            f->wave.use |= f->use[k];
            run = padici_codec_least(run, f->next[k]);
        }
        (*loops->wave_steps)(&f->wave, values + 8 * s, run);
        for (k = 0; k < 8; k++) {
            f->next[k] -= run;
            f->column[k] += run;
            f->wave.at[k] += run;
        }
    }
}

// All words of a block of floats; 0: not possible.
PADICI_NOINLINE static int padici_codec_wavefront_undo(const padici_codec_loops *loops,
                                                       const padici_codec_predictor *predictor,
                                                       uint64_t *x, size_t n,
                                                       int64_t reach[PADICI_CODEC_TAP_AXES][2],
                                                       int zigzag)
{
    padici_codec_wavefront *f = (padici_codec_wavefront *)(void *)predictor->values;
    const uint32_t last = predictor->count - 1;
    const padici_codec_op *op = &predictor->op[last];
    const size_t segment = op->segment, rows = n / segment, stride = op->stride;
    const size_t edges = (size_t)(reach[last][0] + reach[last][1]);
    const size_t eighth = (segment + 6) / 8, room = ((size_t)reach[last][1] + 3) * stride;
    const size_t lag = eighth > room ? eighth : room;
    const size_t steps = (rows - 1) * lag + (rows - 1) / 8 + segment;
    const size_t head = (sizeof *f + 63) / 64 * 8;
    double *values = predictor->values + head;
    uint32_t k, t;
    if (rows < 4 || n % segment || segment % stride || edges > 7 || edges * stride > segment ||
        head + 8 + 8 * steps > 3 * n)
        return 0;
    memset(f, 0, offsetof(padici_codec_wavefront, classes));
    f->predictor = predictor;
    f->reach = reach;
    f->rows = rows;
    f->segment = segment;
    f->stride = stride;
    f->begin = (size_t)reach[last][0] * stride;
    f->end = segment - (size_t)reach[last][1] * stride;
    f->period = 8 * lag + 1;
    f->each = (uint32_t)edges + 1;
    f->most = PADICI_CODEC_TAP_CLASSES / f->each;
    f->wave.x = x;
    f->wave.taps = predictor->taps;
    f->wave.zigzag = zigzag;
    f->wave.dtype = predictor->dtype;
    for (t = 0; t < predictor->taps; t++) {
        const int64_t ahead = predictor->back[t][last] * (int64_t)stride;
        const int64_t row = (padici_codec_tap_distance(predictor, t) - ahead) / (int64_t)segment;
        f->wave.place[t] = -(row * (int64_t)f->period + 8 * ahead);
        if (f->wave.place[t] > -32) f->wave.recent = t + 1;
    }
    for (k = 0; k < 8; k++) {
        f->row[k] = (size_t)k - 8; // before its first
        f->column[k] = f->period - k * lag;
        f->next[k] = k * lag;
    }
    for (k = 0; k < 8; k++) values[k] = 0; // before the first step
    padici_codec_wavefront_run(loops, f, values + 8, steps);
    return 1;
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
    if (predictor->dtype != PADIC_DTYPE_NONE && what != PADICI_CODEC_LINEAR_DO && from == 0 &&
        to == n &&
        padici_codec_wavefront_undo(loops, predictor, x, n, reach,
                                    what == PADICI_CODEC_LINEAR_UNFOLD))
        return;
    while (i < to) {
        const size_t begin = i - i % segment, end = padici_codec_least(begin + segment, n);
        const padici_codec_tap_places *taps;
        const uint64_t like = padici_codec_taps_like(predictor, begin, reach, &point);
        size_t stop;
        int64_t c;
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
#undef PADICI_CODEC_TAP_CLASSES

#endif
