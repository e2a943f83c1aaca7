#include "block_encode.h"
#include "../core/words.h"
#include "bytes_repeats.h"
#include "choose_prediction.h"
#include "choose_repeats.h"
#include "choose_sizes.h"
#include "choose_weights.h"
#include "constants.h"
#include "contexts.h"
#include "representation.h"
#include "prediction.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- one block, packed

static void padici_codec_put_taps(padici_codec_writer *out, const padici_codec_predictor *predictor)
{
    uint32_t t, k;
    const int floats = predictor->dtype != PADIC_DTYPE_NONE;
    padici_codec_put_u8(out, predictor->taps);
    padici_codec_put_u8(out, predictor->shift | (floats ? PADICI_CODEC_TAP_FLOATS : 0));
    for (t = 0; t < predictor->taps; t++) {
        const uint32_t weight = (uint32_t)(int32_t)predictor->weight[t];
        for (k = 0; k < predictor->count; k++)
            padici_codec_put_u8(out, (uint32_t)(int32_t)predictor->back[t][k]);
        padici_codec_put_u8(out, weight);
        padici_codec_put_u8(out, weight >> 8);
        if (floats) padici_codec_put_u8(out, weight >> 16), padici_codec_put_u8(out, weight >> 24);
    }
}

PADICI_FN void padici_codec_put_plan(padici_codec_writer *out, const padici_codec_plan *plan)
{
    uint32_t k;
    padici_codec_put_u8(out, plan->transform.kind);
    padici_codec_put_u8(out, plan->flags);
    if (plan->flags & PADICI_CODEC_BLOCK_WINDOW) padici_codec_put_u8(out, plan->reach);
    padici_codec_put_u8(out, plan->predictor.kind);
    padici_codec_put_u8(out, plan->pattern);
    padici_codec_put_u8(out, plan->representation);
    if (plan->transform.kind == PADICI_CODEC_TRANSFORM_BITS)
        padici_codec_put_u8(out, plan->transform.shift);
    if (plan->transform.kind >= PADICI_CODEC_TRANSFORM_SCALE)
        padici_codec_put_u64(out, plan->transform.g);
    if (plan->transform.kind == PADICI_CODEC_TRANSFORM_AFFINE)
        padici_codec_put_u64(out, plan->transform.o);
    if (plan->flags & PADICI_CODEC_BLOCK_COSET) {
        padici_codec_put_u64(out, plan->transform.step);
        padici_codec_put_u64(out, plan->transform.first);
    }
    if (plan->flags & PADICI_CODEC_BLOCK_SPLIT) padici_codec_put_u8(out, plan->split);
    if (plan->flags & PADICI_CODEC_BLOCK_REFERENCE) padici_codec_put_u64(out, plan->digest);
    if (plan->pattern == PADICI_CODEC_PATTERN_CONSTANT)
        padici_codec_put_u64(out, plan->constant);
    else if (plan->pattern != PADICI_CODEC_PATTERN_NONE)
        padici_codec_put_u32(out, (uint32_t)plan->m);
    if (plan->predictor.kind == PADICI_CODEC_PREDICTOR_NONE) return;
    padici_codec_put_u8(out, plan->predictor.count);
    if (plan->predictor.kind == PADICI_CODEC_PREDICTOR_INTERPOLATE)
        padici_codec_put_u8(out, plan->predictor.scale);
    for (k = 0; k < plan->predictor.count; k++) {
        padici_codec_put_u8(out, plan->predictor.op[k].axis);
        if (plan->predictor.op[k].axis == PADICI_CODEC_FLAT)
            padici_codec_put_u32(out, plan->predictor.op[k].stride);
        if (plan->predictor.kind == PADICI_CODEC_PREDICTOR_INTERPOLATE)
            padici_codec_put_u32(out, plan->predictor.op[k].cubic);
    }
    if (plan->predictor.kind == PADICI_CODEC_PREDICTOR_LINEAR)
        padici_codec_put_taps(out, &plan->predictor);
}

// Samples runs of words from the whole block; returns how many, and their trailing zero bits.
static uint32_t padici_codec_sample_words(const uint64_t *z, size_t n, uint64_t *sample,
                                          uint64_t *low_bits)
{
    uint32_t k, at = 0;
    size_t i;
    *low_bits = 0;
    for (k = 0; k < PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN; k++) {
        i = n <= PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN
                ? k
                : (size_t)((uint64_t)(n - PADICI_CODEC_SAMPLE_RUN) * (k / PADICI_CODEC_SAMPLE_RUN) /
                           (PADICI_CODEC_SAMPLE_RUNS - 1)) +
                      k % PADICI_CODEC_SAMPLE_RUN;
        if (i >= n) break;
        sample[at++] = z[i];
        *low_bits += z[i] ? padici_ctz64(z[i]) : 0;
    }
    return at;
}

// The cheapest representation of these words, estimated from a quarter of them; *m for buckets.
static PADICI_NOINLINE uint32_t padici_codec_choose_representation(padici_codec_work *w,
                                                                   const uint64_t *z, size_t n,
                                                                   uint32_t *m)
{
    const uint32_t mask = w->stages.representations;
    uint64_t *sample = w->hold, cost, low_bits, least = UINT64_MAX;
    uint32_t best = PADICI_CODEC_REPRESENTATION_BUCKETS, k, at;
    size_t i;
    *m = 0;
    if (w->policy->coders.packed && mask == 0 && w->prime == 0)
        return PADICI_CODEC_REPRESENTATION_PACKED;
    *m = padici_codec_choose_mantissa(w->loops, z, n, n > 8192 ? 4 : 1, &cost);
    cost = cost * (n > 8192 ? 4 : 1);
    if (padici_codec_allowed(mask, PADICI_CODEC_REPRESENTATION_BUCKETS)) least = cost;
    at = padici_codec_sample_words(z, n, sample, &low_bits);
    if (at == 0) return best;
    if (padici_codec_allowed(mask, PADICI_CODEC_REPRESENTATION_BYTES)) {
        cost = padici_codec_bytes_cost(w->loops, sample, at) * n / at;
        if (cost < least) least = cost, best = PADICI_CODEC_REPRESENTATION_BYTES;
    }
    if (padici_codec_allowed(mask, PADICI_CODEC_REPRESENTATION_PACKED)) {
        for (cost = 0, i = 0; i < at; i += PADICI_CODEC_SAMPLE_RUN) {
            uint64_t all = 0;
            for (k = 0; k < PADICI_CODEC_SAMPLE_RUN && i + k < at; k++) all |= sample[i + k];
            cost += 256 * (uint64_t)k * padici_codec_bit_length(all);
        }
        cost = cost * n / at;
        if (cost < least) least = cost, best = PADICI_CODEC_REPRESENTATION_PACKED;
    }
    // odd words have no trailing zero bits, random ones have one each on average
    if (padici_codec_allowed(mask, PADICI_CODEC_REPRESENTATION_UNIT) &&
        (mask || low_bits > PADICI_CODEC_UNIT_BITS * (uint64_t)at)) {
        uint32_t counts[65];
        uint64_t units;
        memset(counts, 0, sizeof counts);
        for (k = 0; k < at; k++) counts[sample[k] ? padici_ctz64(sample[k]) : 64]++;
        cost = (*w->loops->entropy)(counts, 65, at);
        for (k = 0; k < at; k++)
            sample[k] = sample[k] ? sample[k] >> padici_ctz64(sample[k]) >> 1 : 0;
        (void)padici_codec_choose_mantissa(w->loops, sample, at, 1, &units);
        cost = (cost + units) * n / at;
        if (cost < least) best = PADICI_CODEC_REPRESENTATION_UNIT, least = cost;
    }
    // few distinct words, as residuals of coarse sensors are
    if (padici_codec_allowed(mask, PADICI_CODEC_REPRESENTATION_TABLE) &&
        (mask || w->policy->coders.table) && n >= PADICI_CODEC_TABLE_LEAST) {
        const uint32_t used =
            padici_codec_make_word_table(w, z, n, padici_codec_word_table_most(n), w->hold);
        if (used) {
            (void)padici_codec_choose_mantissa(w->loops, w->hold, n, 1, &cost);
            cost += padici_codec_bucket_cost(w->loops, w->gaps, used);
            if (cost < least) best = PADICI_CODEC_REPRESENTATION_TABLE, least = cost;
        }
    }
    if (mask && !(mask >> best & 1)) { // forced representations that are never estimated
        for (k = 0; k < PADICI_CODEC_REPRESENTATIONS; k++)
            if (mask >> k & 1) best = k;
    }
    if (w->prime && padici_codec_allowed(mask, PADICI_CODEC_REPRESENTATION_PRIME))
        best = PADICI_CODEC_REPRESENTATION_PRIME;
    return best;
}

// The exceptions listed in w->off and w->fix. Relative to the lattice they are small where a value
// is off by an ulp; stored raw, equal ones (holes) stay equal.
static void padici_codec_put_exceptions(padici_codec_work *w, const padici_codec_box *box,
                                        size_t count)
{
    uint64_t *gaps = w->list, *values = w->other, close = 0, apart = 0;
    size_t i;
    int relative;
    for (i = 0; i < count; i++) {
        gaps[i] = w->off[i] - (i ? w->off[i - 1] + 1 : 0);
        values[i] = padici_codec_element(w->raw, w->off[i], box->size);
        close += padici_codec_bit_length(w->fix[i]);
        apart += i && values[i] == values[i - 1] ? 1 : 8 * box->size;
    }
    relative = close < apart;
    padici_codec_put_u32(&w->out, (uint32_t)count);
    padici_codec_put_u8(&w->out, (uint32_t)relative);
    padici_codec_put_buckets(w, gaps, count, 2, w->symbols, 0);
    padici_codec_put_buckets(w, relative ? w->fix : values, count, 2, w->symbols, 0);
}

// The `split` lowest bits of all elements; for copied ones relative to their sources.
static PADICI_NOINLINE void padici_codec_low_bits(const padici_codec_work *w,
                                                  const padici_codec_box *box,
                                                  const padici_codec_plan *plan, size_t repeats,
                                                  uint64_t *low)
{
    const size_t third = w->capacity + 1;
    const uint64_t mask = (UINT64_C(1) << plan->split) - 1;
    size_t at = 0, q, i, last = 0, before = 0;
    for (i = 0; i < box->n; i++) low[i] = padici_codec_fields(box, w->raw, i) & mask;
    for (q = 0; q < repeats && plan->pattern == PADICI_CODEC_PATTERN_MATCH; q++) {
        const uint64_t code = w->list[2 * third + q];
        const size_t distance = code == 0 ? last : code == 1 ? before : (size_t)code - 1;
        const size_t stop = at + (size_t)w->list[q] + (size_t)w->list[third + q] + 1;
        if (code) before = last, last = distance;
        for (i = at + (size_t)w->list[q]; i < stop; i++) {
            const uint64_t source =
                distance > i ? padici_codec_fields(box, w->history, w->behind + i - distance)
                             : padici_codec_fields(box, w->raw, i - distance);
            low[i] =
                padici_codec_low_apart((uint32_t)low[i], (uint32_t)(source & mask), plan->split);
        }
        at = stop;
    }
}

// Writes a payload: z holds the predicted and folded words, or those that a pattern left, with the
// pattern's lists in w->list.
PADICI_FN void padici_codec_put_payload(padici_codec_work *w, const padici_codec_box *box,
                                        padici_codec_plan *plan, const uint64_t *z, size_t repeats,
                                        size_t exceptions)
{
    const size_t third = w->capacity + 1;
    uint32_t i, m = 0;
    if (exceptions) plan->flags |= PADICI_CODEC_BLOCK_EXCEPTIONS;
    if (plan->pattern != PADICI_CODEC_PATTERN_CONSTANT)
        plan->representation = padici_codec_choose_representation(w, z, plan->m, &m);
    padici_codec_put_plan(&w->out, plan);
    if (plan->pattern != PADICI_CODEC_PATTERN_CONSTANT) {
        padici_codec_put_words(w, plan->representation, z, plan->m, m, w->hold);
    }
    if (plan->pattern == PADICI_CODEC_PATTERN_RUNS) {
        padici_codec_put_buckets(w, w->list, plan->m, 2, w->symbols, 0);
    } else if (plan->pattern == PADICI_CODEC_PATTERN_LZ ||
               plan->pattern == PADICI_CODEC_PATTERN_MATCH) {
        padici_codec_put_u32(&w->out, (uint32_t)repeats);
        for (i = 0; i < 3; i++)
            padici_codec_put_buckets(w, w->list + i * third, repeats, 2, w->symbols, 0);
    }
    if (plan->split) padici_codec_low_bits(w, box, plan, repeats, w->hold);
    for (i = 0; i < plan->split; i += 8) {
        (*w->loops->plane)(w->hold, box->n, i, w->symbols);
        padici_codec_put_stream(w, w->symbols, box->n, 0);
    }
    if (exceptions) padici_codec_put_exceptions(w, box, exceptions);
    for (i = 0; i < PADICI_CODEC_PAYLOAD_PAD; i++) padici_codec_put_u8(&w->out, 0);
}

// The memory for one payload: the plain elements and a margin for coders that reserve space.
PADICI_FN size_t padici_codec_payload_room(size_t elements)
{
    return 8 * elements + elements / 4 + 4096;
}

// Keeps the payload just written if it is smaller than the best one, which precedes it.
PADICI_FN PADICI_NOINLINE void padici_codec_keep_payload(padici_codec_work *w)
{
    const size_t size = (size_t)(w->out.at - w->out.start);
    if (!w->out.full && size && (w->best == 0 || size < w->best)) {
        if (w->out.start != w->payload) memmove(w->payload, w->out.start, size);
        w->best = size;
    }
    w->out.start = w->out.at = w->payload + w->best;
    w->out.end = w->out.start + padici_codec_payload_room(w->capacity);
    w->out.full = 0;
}

static PADICI_NOINLINE uint64_t padici_codec_transform_cost(padici_codec_work *w,
                                                            const padici_codec_box *box,
                                                            const padici_codec_transform *transform,
                                                            const padici_codec_tolerance *tolerance)
{
    uint64_t x[2][PADICI_CODEC_SAMPLE_RUN + 1];
    uint64_t *plain = w->trial, *delta = plain + PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN;
    uint64_t *lorenzo = delta + PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN, low = 0, best,
             cost;
    uint64_t *fourth = lorenzo + PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN;
    const size_t stretch = box->n > PADICI_CODEC_SAMPLE_RUN ? PADICI_CODEC_SAMPLE_RUN : box->n - 1;
    const int deep = w->policy->predictors.fourth && stretch == PADICI_CODEC_SAMPLE_RUN;
    // backends do not support rounded words
    size_t (*const words)(const padici_codec_transform *, const padici_codec_tolerance *,
                          padic_dtype, uint32_t, const uint8_t *, size_t, uint64_t *, uint32_t *,
                          size_t) =
        transform->round ? padici_codec_elements_to_words : w->loops->words;
    size_t row = 1, exceptions = 0, at = 0, i, flat = 0, deeper = 0;
    uint32_t k, run;
    for (k = box->rank; k-- > 0 && row == 1;) row = box->extent[k]; // the fastest axis
    if (stretch == 0) return 0;
    for (run = 0; run < PADICI_CODEC_SAMPLE_RUNS; run++) {
        const size_t from =
            1 + (size_t)((uint64_t)(box->n - 1 - stretch) * run / PADICI_CODEC_SAMPLE_RUNS);
        const int above = from > row && row > 1;
        exceptions += (*words)(transform, tolerance, box->dtype, box->size,
                               w->raw + (from - 1) * box->size, stretch + 1, x[0], NULL, box->n);
        if (above)
            (void)(*words)(transform, tolerance, box->dtype, box->size,
                           w->raw + (from - 1 - row) * box->size, stretch + 1, x[1], NULL, box->n);
        for (i = 1; i <= stretch; i++, at++) {
            plain[at] = x[0][i];
            if (at == 0 || (int64_t)plain[at] < (int64_t)low) low = plain[at];
            delta[at] = padici_codec_fold(x[0][i] - x[0][i - 1]);
            lorenzo[at] = above ? padici_codec_fold(x[0][i] - x[0][i - 1] - x[1][i] + x[1][i - 1])
                                : delta[at];
        }
        if (!above) flat++;
        for (i = 5; i <= stretch && deep; i++)
            fourth[deeper++] = padici_codec_fold(x[0][i] - 4 * x[0][i - 1] + 6 * x[0][i - 2] -
                                                 4 * x[0][i - 3] + x[0][i - 4]);
    }
    for (i = 0; i < at; i++) plain[i] -= low;
    best = UINT64_MAX;
    if (w->policy->coders.packed)
        best = padici_codec_words_cost(w, plain, at);
    else if (transform->kind <= PADICI_CODEC_TRANSFORM_FIELDS)
        best = padici_codec_bytes_cost(w->loops, plain, at);
    if (transform->kind != PADICI_CODEC_TRANSFORM_FIELDS) { // differences of FIELDS are meaningless
        cost = padici_codec_words_cost(w, delta, at);
        if (cost < best) best = cost;
        cost = w->policy->coders.packed ? best : padici_codec_bucket_cost(w->loops, plain, at);
        if (cost < best) best = cost;
        cost = flat < PADICI_CODEC_SAMPLE_RUNS ? padici_codec_words_cost(w, lorenzo, at) : best;
        if (cost < best) best = cost;
        cost = deep ? padici_codec_bucket_cost(w->loops, fourth, deeper) * PADICI_CODEC_SAMPLE_RUN /
                          (PADICI_CODEC_SAMPLE_RUN - 4)
                    : best;
        if (cost < best) best = cost;
    }
    if (exceptions * PADICI_CODEC_EXCEPTIONS > (stretch + 1) * PADICI_CODEC_SAMPLE_RUNS)
        return UINT64_MAX;
    return best + exceptions * 256 * PADICI_CODEC_EXCEPTION_BITS;
}

static uint32_t padici_codec_keep_transform(padici_codec_work *w, const padici_codec_box *box,
                                            const padici_codec_tolerance *tolerance,
                                            padici_codec_transform_choice *best, uint32_t count,
                                            const padici_codec_transform *transform)
{
    padici_codec_transform_choice here;
    uint32_t at;
    if (!padici_codec_allowed(w->stages.transforms, transform->kind)) return count;
    here.transform = *transform;
    here.cost = padici_codec_transform_cost(w, box, transform, tolerance);
    // 16-bit floats convert slowly: their lattice must pay for that
    if (box->size == 2 && transform->kind >= PADICI_CODEC_TRANSFORM_SCALE &&
        padici_codec_is_float(box->dtype) && w->policy->transforms.half_price &&
        tolerance->mode == PADIC_CODEC_TOLERANCE_NONE && here.cost != UINT64_MAX)
        here.cost += here.cost >> w->policy->transforms.half_price;
    if (here.cost == UINT64_MAX && !(w->stages.transforms >> transform->kind & 1)) return count;
    for (at = count; at > 0 && best[at - 1].cost > here.cost; at--) best[at] = best[at - 1];
    best[at] = here;
    return count + 1;
}

static uint64_t padici_codec_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

// The smallest word and the common step of all words above it.
PADICI_FN void padici_codec_find_coset(const padici_codec_loops *loops, const uint64_t *x, size_t n,
                                       padici_codec_transform *transform)
{
    uint64_t differ, step = 0;
    const uint64_t low = (*loops->least)(x, n, &differ);
    size_t i;
    differ &= 0 - differ; // the power of 2 in every difference
    for (i = 0; i < n && step != differ; i++)
        if (x[i] != low) step = padici_codec_gcd(x[i] - low, step);
    transform->first = low;
    transform->step = step ? step : 1;
}

// Transforms of integers: the quantised one, multiples of a step, the integers themselves.
static uint32_t padici_codec_integer_transforms(padici_codec_work *w, const padici_codec_box *box,
                                                const padici_codec_tolerance *tolerance,
                                                padici_codec_transform_choice best[8])
{
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    padici_codec_transform transform, coset;
    uint32_t count = 0;
    memset(&transform, 0, sizeof transform);
    (void)(*w->loops->words)(&transform, &exact, box->dtype, box->size, w->raw, box->n, w->words,
                             NULL, 0);
    padici_codec_find_coset(w->loops, w->words, box->n, &coset);
    if (tolerance->mode != PADIC_CODEC_TOLERANCE_NONE && tolerance->absolute >= 1) {
        transform.kind = PADICI_CODEC_TRANSFORM_SCALE;
        transform.g = 2 * (uint64_t)(tolerance->absolute < 4e18 ? tolerance->absolute : 4e18) + 1;
        count = padici_codec_keep_transform(w, box, tolerance, best, count, &transform);
    }
    if (coset.step > 1 ||
        !padici_codec_allowed(w->stages.transforms, PADICI_CODEC_TRANSFORM_BITS)) {
        transform.g = coset.step;
        transform.o = 0;
        transform.kind = PADICI_CODEC_TRANSFORM_SCALE;
        if (coset.first % coset.step ||
            !padici_codec_allowed(w->stages.transforms, PADICI_CODEC_TRANSFORM_SCALE)) {
            transform.kind = PADICI_CODEC_TRANSFORM_AFFINE;
            transform.o = coset.first;
        }
        count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
        if (count && w->stages.transforms == 0) return count;
    }
    memset(&transform, 0, sizeof transform);
    return padici_codec_keep_transform(w, box, &exact, best, count, &transform);
}

// The transforms that need a tolerance: a step of twice the tolerance, or fewer bits.
static uint32_t padici_codec_keep_tolerant(padici_codec_work *w, const padici_codec_box *box,
                                           const padici_codec_tolerance *tolerance,
                                           const padici_codec_lattice_sample *sample,
                                           padici_codec_transform_choice best[8], uint32_t count)
{
    padici_codec_transform transform;
    if (tolerance->mode == PADIC_CODEC_TOLERANCE_ABSOLUTE ||
        tolerance->mode == PADIC_CODEC_TOLERANCE_RANGE) {
        const double ulp = box->dtype == PADIC_F64   ? 1.2e-16
                           : box->dtype == PADIC_F32 ? 6e-8
                           : box->dtype == PADIC_F16 ? 5e-4
                                                     : 4e-3;
        double largest = 0, step = tolerance->absolute;
        uint32_t i;
        for (i = 0; i < sample->count; i++) {
            const double x = sample->value[i] < 0 ? -sample->value[i] : sample->value[i];
            if (x > largest) largest = x;
        }
        // margin for the rounding of the result, if any
        if (largest * ulp < 0.5 * step) step -= largest * ulp;
        // 13 bits of it: the same in most blocks, so similar blocks stay similar
        step = padici_codec_double_of(padici_codec_bits_of(step) & ~UINT64_C(0) << 40);
        step += step < 8e307 ? step : 0;
        memset(&transform, 0, sizeof transform);
        transform.kind = PADICI_CODEC_TRANSFORM_SCALE;
        transform.g = padici_codec_bits_of(step);
        if (step > 0 && 1 / step < 1e300)
            count = padici_codec_keep_transform(w, box, tolerance, best, count, &transform);
    } else if (tolerance->mode == PADIC_CODEC_TOLERANCE_POINTWISE) {
        const int32_t mantissa = box->dtype == PADIC_F64   ? 52
                                 : box->dtype == PADIC_F32 ? 23
                                 : box->dtype == PADIC_F16 ? 10
                                                           : 7;
        const int32_t power = (int32_t)(padici_codec_bits_of(tolerance->pointwise) >> 52) - 1023;
        const int32_t shift = mantissa + 1 + power;
        memset(&transform, 0, sizeof transform);
        transform.shift = shift < 1 ? 0 : shift > mantissa ? (uint32_t)mantissa : (uint32_t)shift;
        if (transform.shift)
            count = padici_codec_keep_transform(w, box, tolerance, best, count, &transform);
        // any multiple, with as many bits dropped as the tolerance allows where they weigh most: up
        // to one bit less
        // less
        transform.shift = 0;
        transform.round = (uint64_t)(tolerance->pointwise * (1 - 1e-12) *
                                     (double)(UINT64_C(2) << (uint32_t)mantissa));
        if (transform.round > 1)
            count = padici_codec_keep_transform(w, box, tolerance, best, count, &transform);
    }
    return count;
}

// All transforms suitable for this block, cheapest first; at most 8.
PADICI_FN PADICI_NOINLINE uint32_t padici_codec_choose_transforms(
    padici_codec_work *w, const padici_codec_box *box, const padici_codec_tolerance *tolerance,
    padici_codec_transform_choice best[8])
{
    padici_codec_lattice_sample *sample = (padici_codec_lattice_sample *)(void *)w->hash;
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    const uint32_t enough = w->policy->transforms.binary;
    padici_codec_transform transform;
    uint32_t count = 0;
    int found;
    memset(&transform, 0, sizeof transform);
    if (!padici_codec_is_float(box->dtype))
        return padici_codec_integer_transforms(w, box, tolerance, best);
    count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
    transform.kind = PADICI_CODEC_TRANSFORM_FIELDS;
    count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
    padici_codec_lattice_pick(w->loops, box, w->raw,
                              PADICI_CODEC_SAMPLE / (w->column ? w->policy->transforms.sample : 1u),
                              sample);
    count = padici_codec_keep_tolerant(w, box, tolerance, sample, best, count);
    memset(&transform, 0, sizeof transform);
    if (padici_codec_find_binary(sample, w->policy->transforms.lattice, &transform)) {
        const uint64_t plain = count ? best[0].cost : UINT64_MAX;
        count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
        // nothing beats a binary lattice that is much coarser than the floats
        if (count && enough && w->stages.transforms == 0 && best[0].cost < plain - plain / enough)
            return count;
    }
    // 16-bit floats have few digits: other lattices hardly shorten them
    if (box->size == 2 && !w->policy->transforms.half && w->stages.transforms == 0) return count;
    found = padici_codec_find_decimal(box->dtype, box->size, sample, &transform);
    if (found) count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
    if ((!found || padici_codec_double_of(transform.g) > PADICI_CODEC_DECIMAL_LONG) &&
        padici_codec_find_fraction(box->dtype, box->size, sample, &transform))
        count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
    memset(&transform, 0, sizeof transform);
    // the search for a general step is slower, and needless where the block lies on another lattice
    if ((count == 0 || w->stages.transforms ||
         best[0].transform.kind == PADICI_CODEC_TRANSFORM_BITS ||
         best[0].transform.kind == PADICI_CODEC_TRANSFORM_FIELDS) &&
        padici_codec_find_affine(box->dtype, box->size, sample, &transform))
        count = padici_codec_keep_transform(w, box, &exact, best, count, &transform);
    if (count == 0) { // the forced lattice does not exist
        memset(&transform, 0, sizeof transform);
        best[count].transform = transform;
        best[count++].cost = 0;
    }
    return count;
}

PADICI_FN void padici_codec_apply_coset(const padici_codec_loops *loops,
                                        const padici_codec_transform *transform, uint64_t *x,
                                        size_t n)
{
    const uint64_t step = transform->step, first = transform->first;
    size_t i;
    if ((step & (step - 1)) == 0)
        (*loops->lower)(x, n, first, padici_ctz64(step));
    else
        for (i = 0; i < n; i++) x[i] = (x[i] - first) / step;
}

// z = predicted and folded words. Without a predictor the minimum is subtracted instead, unless the
// coset already did that.
PADICI_FN void padici_codec_residuals(const padici_codec_loops *loops, uint64_t *x, size_t n,
                                      padici_codec_plan *plan, uint64_t *z)
{
    const uint32_t kind = plan->predictor.kind;
    const int zigzag = kind != PADICI_CODEC_PREDICTOR_NONE && kind != PADICI_CODEC_PREDICTOR_XOR;
    padici_codec_predict(loops, &plan->predictor, x, z, n, zigzag);
    if (zigzag) plan->flags |= PADICI_CODEC_BLOCK_ZIGZAG;
    if (kind != PADICI_CODEC_PREDICTOR_NONE || plan->transform.step > 1 ||
        plan->transform.first == 0)
        return;
    plan->flags |= PADICI_CODEC_BLOCK_COSET;
    (*loops->lower)(z, n, plan->transform.first, 0);
}

// Packs the words in w->trial as runs.
static void padici_codec_try_runs(padici_codec_work *w, const padici_codec_box *box,
                                  const padici_codec_plan *start, size_t runs, size_t exceptions)
{
    const uint64_t *z = w->trial;
    padici_codec_plan plan = *start;
    size_t at = 0, from = 0, i;
    for (i = 1; i <= box->n; i++) {
        if (i < box->n && z[i] == z[from]) continue;
        w->other[at] = z[from];
        w->list[at++] = i - from - 1;
        from = i;
    }
    plan.pattern = PADICI_CODEC_PATTERN_RUNS;
    plan.m = runs;
    padici_codec_put_payload(w, box, &plan, w->other, 0, exceptions);
    padici_codec_keep_payload(w);
}

// Packs the words in w->trial as they are.
static void padici_codec_try_no_pattern(padici_codec_work *w, const padici_codec_box *box,
                                        const padici_codec_plan *start, size_t exceptions)
{
    const uint32_t linear = w->policy->predictors.linear_size;
    padici_codec_plan plan = *start;
    size_t size;
    plan.pattern = PADICI_CODEC_PATTERN_NONE;
    plan.m = box->n;
    w->spared = 0;
    padici_codec_put_payload(w, box, &plan, w->trial, 0, exceptions);
    size = (size_t)(w->out.at - w->out.start);
    if (w->plain == 0 || size + w->spared < w->plain) w->plain = size + (size_t)w->spared;
    // the decoder of weights has a third of the speed
    if (plan.predictor.kind == PADICI_CODEC_PREDICTOR_LINEAR && linear && w->best &&
        w->stages.predictors == 0 && size + size / linear > w->best)
        w->out.at = w->out.start;
    padici_codec_keep_payload(w);
}

// Tries the applicable patterns on one predictor's view of the block, in w->trial.
PADICI_FN PADICI_NOINLINE void padici_codec_try_patterns(padici_codec_work *w,
                                                         const padici_codec_box *box,
                                                         const padici_codec_plan *start,
                                                         size_t exceptions)
{
    padici_codec_plan plan = *start;
    const uint32_t mask = w->stages.patterns;
    const uint32_t after = padici_codec_is_float(box->dtype) ? w->policy->patterns.after_share
                                                             : w->policy->patterns.after_whole;
    const uint64_t *z = w->trial;
    size_t repeats, runs = (*w->loops->runs)(z, box->n / 8);
    int try_runs, alone = 0;
    if (mask || runs < box->n / PADICI_CODEC_RUN_LENGTH) runs = (*w->loops->runs)(z, box->n);
    try_runs = padici_codec_allowed(mask, PADICI_CODEC_PATTERN_RUNS) &&
               (mask || runs < box->n / PADICI_CODEC_RUN_LENGTH);
    if (try_runs && !mask && w->policy->patterns.parse <= PADICI_CODEC_PARSE_SKIP &&
        w->policy->hints.follow != 1 &&
        runs < box->n / PADICI_CODEC_RUNS_ALONE) { // fast levels pack long ones first
        padici_codec_try_runs(w, box, &plan, runs, exceptions);
        alone = padici_codec_bucket_cost(w->loops, z, box->n) / 2048 > w->best + w->best / 4;
        try_runs = 0;
    }
    if (!alone && padici_codec_allowed(mask, PADICI_CODEC_PATTERN_NONE))
        padici_codec_try_no_pattern(w, box, &plan, exceptions);
    if (try_runs) padici_codec_try_runs(w, box, &plan, runs, exceptions);
    if (padici_codec_allowed(mask, PADICI_CODEC_PATTERN_LZ) && box->n >= 16 &&
        (mask || (after && padici_codec_repeat_share(w, z, box->n, 3) > after))) {
        plan.pattern = PADICI_CODEC_PATTERN_LZ;
        plan.m = padici_codec_find_repeats(w, z, box->n, 4, w->other, &repeats);
        padici_codec_put_payload(w, box, &plan, w->other, repeats, exceptions);
        padici_codec_keep_payload(w);
    }
}

PADICI_FN PADICI_NOINLINE void padici_codec_try_predictor(padici_codec_work *w,
                                                          const padici_codec_box *box,
                                                          const padici_codec_plan *start,
                                                          size_t exceptions)
{
    padici_codec_plan plan = *start;
    padici_codec_residuals(w->loops, w->words, box->n, &plan, w->trial);
    padici_codec_try_patterns(w, box, &plan, exceptions);
}

// Repeats removed from the words themselves; the remaining words are predicted as one sequence.
PADICI_FN PADICI_NOINLINE void padici_codec_try_repeats(padici_codec_work *w,
                                                        const padici_codec_box *box,
                                                        const padici_codec_plan *start,
                                                        size_t least, size_t exceptions)
{
    padici_codec_plan plan = *start;
    padici_codec_choice choice[1];
    padici_codec_box line = *box;
    size_t repeats;
    uint32_t k;
    plan.pattern = PADICI_CODEC_PATTERN_LZ;
    plan.flags |= PADICI_CODEC_BLOCK_FIRST;
    plan.m = padici_codec_find_repeats(w, w->words, box->n, least, w->other, &repeats);
    line.rank = 1;
    line.extent[0] = (uint32_t)plan.m;
    line.n = plan.m;
    if (plan.m > 1) {
        w->line = 1;
        (void)padici_codec_choose_predictors(w, &line, w->other, w->trial, choice, 1);
        w->line = 0;
        plan.predictor = choice[0].predictor;
        for (k = 0; k < plan.predictor.count; k++) plan.predictor.op[k].axis = PADICI_CODEC_FLAT;
    }
    padici_codec_residuals(w->loops, w->other, plan.m, &plan, w->trial);
    padici_codec_put_payload(w, box, &plan, w->trial, repeats, exceptions);
    padici_codec_keep_payload(w);
}

// 1 if a search for repeats of at least `least` words pays.
PADICI_FN int padici_codec_worth_repeats(padici_codec_work *w, const padici_codec_box *box,
                                         size_t least)
{
    if (!padici_codec_allowed(w->stages.patterns, PADICI_CODEC_PATTERN_LZ) || box->n < 16) return 0;
    if (w->stages.patterns || !w->policy->patterns.words_share) return w->stages.patterns != 0;
    if (padici_codec_bounded_fast(w) && w->best > box->n / 8) // little left: found soon
        return (*w->loops->runs)(w->words, box->n) < box->n / 2 ||
               padici_codec_repeats_promise(w, w->words, box->n);
    return padici_codec_repeat_share(w, w->words, box->n, padici_codec_least(least, 3)) >
           w->policy->patterns.words_share;
}

#endif
