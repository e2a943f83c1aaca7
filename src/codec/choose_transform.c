#include "choose_transform.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "block_decode.h"
#include "constants.h"
#include "contexts.h"
#include "representation.h"
#include "interpolation.h"
#include "neighbours.h"
#include "rans.h"
#include "repeats.h"
#include "streams.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: transform
//
// Every decision uses integers or single IEEE operations, so that each machine makes the same one.
// Sizes are estimated in 1/256 bits.

// |x - y| <= bound, exactly: the difference may round down to the tolerance, so its error decides.
PADICI_FN int padici_codec_is_within(double x, double y, double tolerance)
{
    const double d = x - y;
    if (d < tolerance && d > -tolerance) return 1;
    if (d == tolerance || d == -tolerance) {
        // the part of x - y that d lost (Knuth's two-sum of x and -y)
        const double z = d - x, e = (x - (d - z)) + (-y - z);
        return d > 0 ? e <= 0 : e >= 0;
    }
    return 0;
}

// Nearest integer to v, |v| < 2^62; halves go away from zero, which no lattice value meets. From
// 2^52 on v is an integer.
PADICI_INLINE int64_t padici_codec_nearest(double v)
{
    if (!(v > -4503599627370496.0 && v < 4503599627370496.0)) return (int64_t)v;
    return (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

// The same for any v, as a double; 0 for NaN or too large values.
static double padici_codec_whole(double v)
{
    return v > -9e15 && v < 9e15 ? (double)padici_codec_nearest(v) : 0;
}

// The word of one element. Returns 1 if the transform reproduces the element, exactly or within
// bound; 0: not, and -1: not, but an exception can be stored relative to the word.
PADICI_INLINE int padici_codec_convert(const padici_codec_transform *transform, uint32_t kind,
                                       const padici_codec_tolerance *tolerance, padic_dtype dtype,
                                       uint32_t size, uint64_t bits, double g, double o,
                                       double inverse, int single, uint64_t *word)
{
    uint64_t again;
    if (kind == PADICI_CODEC_TRANSFORM_BITS) {
        uint64_t n = padici_codec_to_ordered(dtype, bits, size), negative;
        *word = n;
        if (transform->shift == 0 && transform->round == 0) return 1;
        negative = (uint64_t)((int64_t)n >> 63);
        n ^= negative;
        n = transform->round ? (n + transform->round / 2) / transform->round
                             : (n + (UINT64_C(1) << (transform->shift - 1))) >> transform->shift;
        *word = transform->round && negative ? 0 - n : n ^ negative;
    } else if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * size);
        *word = (bits << 1 & mask) | bits >> (8 * size - 1);
        return 1;
    } else if (!padici_codec_is_float(dtype)) {
        // the multiple of g nearest to x - o
        const uint64_t x = padici_codec_to_ordered(dtype, bits, size) - transform->o;
        const int64_t half = (int64_t)(transform->g / 2);
        if (padici_codec_is_signed(dtype) && !transform->o) {
            const int64_t q = (int64_t)x / (int64_t)transform->g,
                          r = (int64_t)x % (int64_t)transform->g;
            *word = (uint64_t)(q + (r > half) - (r < -half));
        } else {
            const uint64_t q = x / transform->g, r = x % transform->g;
            *word = q + (r > transform->g / 2);
        }
    } else {
        double v = padici_codec_value(dtype, bits);
        if (kind == PADICI_CODEC_TRANSFORM_AFFINE) v -= o;
        v *= kind == PADICI_CODEC_TRANSFORM_DECIMAL ? g : inverse;
        if (!(v > -4611686018427387904.0 && v < 4611686018427387904.0)) return 0;
        *word = (uint64_t)padici_codec_nearest(v);
    }
    again = padici_codec_transform_apply(transform, kind, dtype, size,
                                         transform->round ? *word * transform->round : *word, g, o,
                                         single);
    if (size < 8) again &= (UINT64_C(1) << (8 * size)) - 1;
    if (again == bits) return 1;
    if (tolerance->mode == PADIC_CODEC_TOLERANCE_NONE) {
        const uint64_t apart = padici_codec_to_ordered(dtype, again, size) -
                               padici_codec_to_ordered(dtype, bits, size) + 64;
        return apart <= 128 ? -1 : 0;
    }
    if (padici_codec_is_float(dtype)) {
        const double x = padici_codec_value(dtype, bits), y = padici_codec_value(dtype, again);
        if (tolerance->mode == PADIC_CODEC_TOLERANCE_POINTWISE) {
            const double most = (x < 0 ? -x : x) * tolerance->pointwise;
            // a tiny product may have been rounded up
            return most >= 1e-280 && padici_codec_is_within(x, y, most * (1 - 4.5e-16));
        }
        return padici_codec_is_within(x, y, tolerance->absolute);
    } else {
        const uint64_t x = padici_codec_to_ordered(dtype, bits, size);
        const uint64_t y = padici_codec_to_ordered(dtype, again, size);
        const int above = padici_codec_is_signed(dtype) ? (int64_t)y > (int64_t)x : y > x;
        const uint64_t apart = above ? y - x : x - y;
        return (double)apart <= tolerance->absolute && apart <= transform->g / 2;
    }
}

// Words of elements [from, n); where the transform does not hold, the previous word is repeated and
// the place noted. `count` places precede; returns the new count, or stops beyond `most`.
PADICI_INLINE size_t padici_codec_convert_loop(const padici_codec_transform *given, uint32_t kind,
                                               const padici_codec_tolerance *tolerance,
                                               padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                               size_t from, size_t n, uint64_t *words,
                                               uint32_t *off, size_t count, size_t most)
{
    const padici_codec_transform copy = *given,
                                 *transform = &copy; // a copy: stores to words cannot alias it
    const double g = padici_codec_double_of(transform->g), o = padici_codec_double_of(transform->o);
    const double inverse =
        kind == PADICI_CODEC_TRANSFORM_SCALE || kind == PADICI_CODEC_TRANSFORM_AFFINE ? 1.0 / g
                                                                                      : 0.0;
    const int single = dtype == PADIC_F64 && transform->single;
    uint64_t before = from ? words[from - 1] : 0;
    size_t i;
    if (kind == PADICI_CODEC_TRANSFORM_BITS && transform->shift == 0 && transform->round == 0) {
        for (i = from; i < n; i++)
            words[i] = padici_codec_to_ordered(dtype, padici_codec_element(raw, i, size), size);
        return 0;
    }
    for (i = from; i < n; i++) {
        uint64_t word = 0;
        const int fits =
            padici_codec_convert(transform, kind, tolerance, dtype, size,
                                 padici_codec_element(raw, i, size), g, o, inverse, single, &word);
        if (fits != 1) {
            if (count == most) return count + 1;
            if (off) off[count] = (uint32_t)i;
            count++;
        }
        if (fits) before = word;
        words[i] = before;
    }
    return count;
}

PADICI_FN PADICI_NOINLINE size_t padici_codec_convert_from(const padici_codec_transform *transform,
                                                           const padici_codec_tolerance *tolerance,
                                                           padic_dtype dtype, uint32_t size,
                                                           const uint8_t *raw, size_t from,
                                                           size_t n, uint64_t *words, uint32_t *off,
                                                           size_t count, size_t most)
{
#define PADICI_CODEC_LOOP(KIND, DTYPE, SIZE) \
    if (transform->kind == (KIND) && dtype == (DTYPE)) \
        return padici_codec_convert_loop(transform, KIND, tolerance, DTYPE, SIZE, raw, from, n, \
                                         words, off, count, most);
    PADICI_CODEC_COMMON_LOOPS
#undef PADICI_CODEC_LOOP
    return padici_codec_convert_loop(transform, transform->kind, tolerance, dtype, size, raw, from,
                                     n, words, off, count, most);
}

PADICI_FN size_t padici_codec_elements_to_words(const padici_codec_transform *transform,
                                                const padici_codec_tolerance *tolerance,
                                                padic_dtype dtype, uint32_t size,
                                                const uint8_t *raw, size_t n, uint64_t *words,
                                                uint32_t *off, size_t most)
{
    return padici_codec_convert_from(transform, tolerance, dtype, size, raw, 0, n, words, off, 0,
                                     most);
}

static const padici_codec_loops padici_codec_plain_table = {padici_checksum,
                                                            padici_codec_fixed_loop,
                                                            padici_codec_put_fixed_loop,
                                                            padici_codec_buckets_loop,
                                                            padici_codec_next_planes,
                                                            padici_codec_rans_rounds,
                                                            padici_codec_context_none,
                                                            padici_codec_slots,
                                                            padici_codec_sum,
                                                            padici_codec_words_to_elements,
                                                            padici_codec_elements_to_words,
                                                            padici_codec_difference,
                                                            padici_codec_least_word,
                                                            padici_codec_lower,
                                                            padici_codec_count_runs,
                                                            padici_codec_fixed_group,
                                                            padici_codec_pick_plain,
                                                            padici_codec_packed_cost,
                                                            padici_codec_make_tokens,
                                                            padici_codec_put_plain_loop,
                                                            padici_codec_plane_loop,
                                                            padici_codec_entropy,
                                                            padici_codec_join_split,
                                                            padici_codec_packed_bytes,
                                                            padici_codec_linear_words,
                                                            padici_codec_wave_steps,
                                                            padici_codec_between_loop,
                                                            padici_codec_close_loop,
                                                            padici_codec_outer_loop,
                                                            NULL,
                                                            padici_codec_range_loop,
                                                            padici_codec_within_loop,
                                                            NULL};

PADICI_FN const padici_codec_loops *padici_codec_plain_loops(void)
{
    return &padici_codec_plain_table;
}

// The generic loops, or those of the context's backends.
PADICI_FN void padici_codec_pick(padic_context *context, padici_codec_loops *loops)
{
    *loops = padici_codec_plain_table;
    (void)padici_loop_run(padici_loop_of(context, PADIC_OP_CODEC_LOOPS), loops);
}

// Adds the words nearest to a reference to differences (given in their coset), or subtracts them
// when packing. A value that has no word counts as 0.
PADICI_INLINE void padici_codec_reference_loop(const padici_codec_transform *given, uint32_t kind,
                                               padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                               uint64_t *words, size_t n, int pack)
{
    const padici_codec_transform copy = *given, *transform = &copy;
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    const double g = padici_codec_double_of(transform->g), o = padici_codec_double_of(transform->o);
    const double inverse =
        kind == PADICI_CODEC_TRANSFORM_SCALE || kind == PADICI_CODEC_TRANSFORM_AFFINE ? 1.0 / g
                                                                                      : 0.0;
    size_t i;
    // a step of integers that would not divide: only damaged streams have one
    const int none = !padici_codec_is_float(dtype) && kind >= PADICI_CODEC_TRANSFORM_SCALE &&
                     (transform->g == 0 || transform->g >> 63);
    for (i = 0; i < n; i++) {
        uint64_t word = 0;
        if (!none)
            (void)padici_codec_convert(transform, kind, &exact, dtype, size,
                                       padici_codec_element(raw, i, size), g, o, inverse, 0, &word);
        words[i] = pack ? words[i] - word : transform->first + transform->step * words[i] + word;
    }
}

PADICI_FN void padici_codec_add_reference(const padici_codec_transform *transform,
                                          padic_dtype dtype, const uint8_t *raw, uint64_t *words,
                                          size_t n, int pack)
{
#define PADICI_CODEC_LOOP(KIND, DTYPE, SIZE) \
    if (transform->kind == (KIND) && dtype == (DTYPE)) { \
        padici_codec_reference_loop(transform, KIND, DTYPE, SIZE, raw, words, n, pack); \
        return; \
    }
    PADICI_CODEC_COMMON_LOOPS
#undef PADICI_CODEC_LOOP
    padici_codec_reference_loop(transform, transform->kind, dtype, padic_dtype_size(dtype), raw,
                                words, n, pack);
}

// 1 if a transform reproduces an element exactly.
static int padici_codec_holds(const padici_codec_transform *transform, padic_dtype dtype,
                              uint32_t size, uint64_t bits)
{
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    const double g = padici_codec_double_of(transform->g), o = padici_codec_double_of(transform->o);
    uint64_t word;
    return padici_codec_convert(transform, transform->kind, &exact, dtype, size, bits, g, o, 1 / g,
                                transform->single, &word) == 1;
}

PADICI_FN PADICI_NOINLINE void padici_codec_lattice_pick(const padici_codec_loops *loops,
                                                         const padici_codec_box *box,
                                                         const uint8_t *raw, uint32_t most,
                                                         padici_codec_lattice_sample *sample)
{
    const size_t step = box->n / most + 1;
    size_t i, k, at = 0;
    uint32_t singles = 0;
    sample->loops = loops;
    sample->count = 0;
    for (i = 0; i < box->n && sample->count < most; i += step) {
        // varies the place within the step, so that no column of a table is missed
        k = i + (at++ * 7) % step;
        if (k < box->n) {
            const double x =
                padici_codec_value(box->dtype, padici_codec_element(raw, k, box->size));
            if (x == 0 || !(x - x == 0)) continue;
            singles += x < 3e38 && x > -3e38 && (double)(float)x == x;
            sample->value[sample->count++] = x;
        }
    }
    // mostly zeros: all other values
    for (i = 0; i < box->n && sample->count < most / 4 && at >= most / 2; i++) {
        const double x = padici_codec_value(box->dtype, padici_codec_element(raw, i, box->size));
        if (x == 0 || !(x - x == 0)) continue;
        singles += x < 3e38 && x > -3e38 && (double)(float)x == x;
        sample->value[sample->count++] = x;
    }
    for (i = 0; i < sample->count; i++)
        padici_codec_set_element(sample->raw, i, box->size,
                                 padici_codec_rounded(box->dtype, sample->value[i], 0));
    sample->single = box->dtype == PADIC_F64 && singles >= sample->count - sample->count / 3;
}

// Sorts doubles: shell sort, at most 256 of them.
static void padici_codec_sort(double *x, uint32_t n)
{
    uint32_t gap, i, k;
    for (gap = 121; gap; gap /= 3) {
        for (i = gap; i < n; i++) {
            const double v = x[i];
            for (k = i; k >= gap && x[k - gap] > v; k -= gap) x[k] = x[k - gap];
            x[k] = v;
        }
    }
}

// x = n 2^k: k is the smallest exponent of the lowest one bit, ignoring the most extreme 1/32 of
// the sample. Returns 0 if the integers would have more than `longest` bits.
PADICI_FN int padici_codec_find_binary(padici_codec_lattice_sample *sample, uint32_t longest,
                                       padici_codec_transform *transform)
{
    double *low = sample->sorted;
    double largest = 0, g;
    uint32_t i;
    if (sample->count < 8) return 0;
    for (i = 0; i < sample->count; i++) {
        const double x = sample->value[i] < 0 ? -sample->value[i] : sample->value[i];
        const uint64_t bits = padici_codec_bits_of(x), e = bits >> 52;
        const uint64_t m = (bits & (~UINT64_C(0) >> 12)) | (e ? UINT64_C(1) << 52 : 0);
        low[i] = (double)(int64_t)(e ? e : 1) + (double)padici_ctz64(m); // + 1075: of 2^k
        if (x > largest) largest = x;
    }
    padici_codec_sort(low, sample->count);
    i = (uint32_t)low[sample->count / 32]; // g = 2^(i - 1075)
    if (i <= 52)
        g = padici_codec_double_of(UINT64_C(1) << (i - 1));
    else if (i - 52 < 2047)
        g = padici_codec_double_of((uint64_t)(i - 52) << 52);
    else
        return 0;
    // results of spectral codes lie on an absolute lattice, of more bits than a mantissa has
    if (!(largest / g < (double)(UINT64_C(1) << longest))) return 0;
    transform->kind = PADICI_CODEC_TRANSFORM_SCALE;
    transform->g = padici_codec_bits_of(g);
    return 1;
}

static double padici_codec_power_of_ten(uint32_t k)
{
    double p = 1;
    while (k--) p *= 10; // exact up to 10^22
    return p;
}

// x is the float nearest to n / 10^k: the smallest k that fits all but 1/16 of the sample (1/3 of
// f64 that are f32 values, which text parsers leave off by an ulp).
PADICI_FN int padici_codec_find_decimal(padic_dtype dtype, uint32_t size,
                                        padici_codec_lattice_sample *sample,
                                        padici_codec_transform *transform)
{
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    const uint32_t most = 2 + sample->count / (sample->single ? 3 : 16);
    const uint32_t last = dtype == PADIC_F64 && !sample->single ? 15 : 9;
    uint32_t served[17], from, to, i, k, left;
    if (sample->count < 8) return 0;
    memset(served, 0, sizeof served);
    memset(transform, 0, sizeof *transform);
    transform->kind = PADICI_CODEC_TRANSFORM_DECIMAL;
    transform->single = sample->single;
    for (from = 0; from < sample->count; from = to) { // few at first: most arrays are not decimal
        to = from || sample->count < 16 ? sample->count : 16;
        left = to - from;
        memcpy(sample->left, sample->raw + from * size, left * size);
        for (i = 0; i < left; i++) {
            sample->place[i] = from + i;
            sample->power[from + i] = last + 1;
        }
        for (k = 0; k <= last && left; k++) { // those that this power does not fit remain
            const uint32_t before = left;
            transform->g = padici_codec_bits_of(padici_codec_power_of_ten(k));
            left = (uint32_t)(*sample->loops->words)(transform, &exact, dtype, size, sample->left,
                                                     before, sample->words, sample->off, before);
            for (i = 0; i < before; i++)
                if (sample->power[sample->place[i]] > last) sample->power[sample->place[i]] = k;
            for (i = 0; i < left; i++) {
                const uint32_t at = sample->off[i];
                sample->place[i] = sample->place[at];
                sample->power[sample->place[i]] = last + 1;
                padici_codec_set_element(sample->left, i, size,
                                         padici_codec_element(sample->left, at, size));
            }
        }
        for (i = from; i < to; i++) {
            served[sample->power[i]]++;
            if (served[last + 1] > most || (i < 16 && served[last + 1] > i / 2 + 4)) return 0;
        }
    }
    for (k = last + 1, left = 0; k > 0 && left + served[k] <= most; k--) left += served[k];
    transform->g = padici_codec_bits_of(padici_codec_power_of_ten(k));
    return 1;
}

static uint32_t padici_codec_lattice_hits(const padici_codec_transform *transform,
                                          padic_dtype dtype, uint32_t size,
                                          padici_codec_lattice_sample *sample)
{
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    if (sample->count > 64 && (*sample->loops->words)(transform, &exact, dtype, size, sample->raw,
                                                      32, sample->words, NULL, 20) > 20)
        return 0; // two thirds of all are not enough
    return sample->count - (uint32_t)(*sample->loops->words)(transform, &exact, dtype, size,
                                                             sample->raw, sample->count,
                                                             sample->words, NULL, sample->count);
}

// x = n / D: D is the least common multiple of the denominators of a few values, each the first
// convergent of its continued fraction that rounds to the value.
PADICI_FN PADICI_NOINLINE int padici_codec_find_fraction(padic_dtype dtype, uint32_t size,
                                                         const padici_codec_lattice_sample *sample,
                                                         padici_codec_transform *transform)
{
    uint64_t common = 1;
    uint32_t i, failures = 0;
    if (sample->count < 8) return 0;
    memset(transform, 0, sizeof *transform);
    transform->kind = PADICI_CODEC_TRANSFORM_DECIMAL;
    transform->single = sample->single;
    for (i = 0; i < sample->count && i < 32; i++) {
        const double x = sample->value[i];
        const uint64_t bits = padici_codec_rounded(dtype, x, 0);
        double remainder = x < 0 ? -x : x;
        uint64_t q = 1, before = 0, word;
        int found = 0, k;
        remainder -= (double)(int64_t)(remainder < 9e15 ? remainder : 0);
        for (k = 0; k < 16 && !found; k++) {
            transform->g = padici_codec_bits_of((double)(int64_t)q);
            found = padici_codec_holds(transform, dtype, size, bits);
            if (found || !(remainder > 1e-9)) break;
            remainder = 1 / remainder; // at most 1e9
            word = (uint64_t)(int64_t)remainder;
            remainder -= (double)(int64_t)word;
            if (word > 65536) break;
            word = word * q + before; // the next denominator
            before = q;
            q = word;
            if (q > 65536) break;
        }
        word = q;
        for (before = common; before;) { // gcd
            const uint64_t r = word % before;
            word = before;
            before = r;
        }
        if (found && common * (q / word) <= 65536)
            common *= q / word;
        else if (++failures > 4)
            return 0;
    }
    transform->g = padici_codec_bits_of((double)(int64_t)common);
    return common > 1;
}

// The decimal of at most 12 digits nearest to x, or x if none is within 1e-9 of it.
static double padici_codec_short_decimal(double x)
{
    uint32_t k;
    for (k = 0; k <= 18; k++) {
        const double p = padici_codec_power_of_ten(k), v = x * p;
        const double n = v < 1e12 && v > -1e12 ? padici_codec_whole(v) : 0;
        const double d = v - n;
        if (n != 0 && (d < 0 ? -d : d) <= 1e-9 * (n < 0 ? -n : n)) return n / p;
    }
    return x;
}

// The common step of a few rising values: Euclid's algorithm on their differences. Remainders are
// multiples of the step or rounding errors; the mean between the two sizes separates them. 0: no
// step.
static double padici_codec_common_step(const double *x, uint32_t n, double tolerance)
{
    double g = 0;
    uint32_t i;
    for (i = 1; i < n; i++) {
        double a = x[i] - x[i - 1], b = g, noise;
        if (a <= tolerance) continue;
        // about the geometric mean: that of the bits
        noise = padici_codec_double_of((padici_codec_bits_of(tolerance) >> 1) +
                                       (padici_codec_bits_of(a > b ? a : b) >> 1));
        while (b > noise) {
            double r = a - padici_codec_whole(a / b) * b;
            if (r < 0) r = -r;
            a = b;
            b = r;
        }
        g = a;
        if (!(g > 8 * tolerance)) return 0;
    }
    return g;
}

// Step and offset, tried in the ways they may have been written: the one that fits most of the
// sample.
static uint32_t padici_codec_try_affine(padic_dtype dtype, uint32_t size,
                                        padici_codec_lattice_sample *sample, double g, double at,
                                        uint32_t best, padici_codec_transform *transform)
{
    padici_codec_transform trial;
    uint32_t i;
    memset(&trial, 0, sizeof trial);
    trial.single = sample->single;
    for (i = 0; i < 12 && best < sample->count; i++) {
        const double inverse = 1 / g;
        double step = g, first = 0;
        uint32_t hits;
        if (i / 3 == 1) step = (double)(float)g;
        if (i / 3 == 2)
            step = padici_codec_whole(inverse) > 0 ? 1 / padici_codec_whole(inverse) : 0;
        if (i / 3 == 3) step = padici_codec_short_decimal(g);
        if (!(step > 0)) continue;
        if (i % 3 == 1) first = at;
        if (i % 3 == 2)
            first = padici_codec_short_decimal(at - padici_codec_whole(at / step) * step);
        trial.kind = i % 3 ? PADICI_CODEC_TRANSFORM_AFFINE : PADICI_CODEC_TRANSFORM_SCALE;
        trial.g = padici_codec_bits_of(step);
        trial.o = padici_codec_bits_of(first);
        hits = padici_codec_lattice_hits(&trial, dtype, size, sample);
        if (hits > best) {
            best = hits;
            *transform = trial;
        }
    }
    return best;
}

// x = n g + o for a general g, from several stretches of the sorted sample, since one value off the
// lattice spoils a stretch. g is then refined over growing spans.
PADICI_FN PADICI_NOINLINE int padici_codec_find_affine(padic_dtype dtype, uint32_t size,
                                                       padici_codec_lattice_sample *sample,
                                                       padici_codec_transform *transform)
{
    const double eps = dtype == PADIC_F64 && !sample->single      ? 1.2e-16
                       : dtype == PADIC_F64 || dtype == PADIC_F32 ? 6e-8
                       : dtype == PADIC_F16                       ? 5e-4
                                                                  : 4e-3;
    const uint32_t low = sample->count / 16, high = sample->count - 1 - low, few = 12;
    double *x = sample->sorted, tolerance;
    uint32_t trial, i, best = 0;
    if (sample->count < 32) return 0;
    memcpy(x, sample->value, sample->count * sizeof *x);
    padici_codec_sort(x, sample->count);
    tolerance = 4 * eps * (x[high] > -x[low] ? x[high] : -x[low]);
    if (!(x[high] > x[low]) || !(x[high] - x[low] < 1e300)) return 0;
    for (trial = 0; trial < 6 && best < sample->count - sample->count / 16; trial++) {
        const uint32_t from = low + (high - low - few) * trial / 5;
        double g = padici_codec_common_step(x + from, few + 1, tolerance), error = 4 * tolerance;
        if (!(g > 0) || !((x[high] - x[low]) / g < 1e9)) continue;
        for (i = from + 1; i <= high; i++) {
            const double d = x[i] - x[from], k = padici_codec_whole(d / g), remainder = d - k * g;
            if (k > 0 && (remainder < 0 ? -remainder : remainder) <= k * error + tolerance) {
                g = d / k;
                error = tolerance / k;
            }
        }
        best = padici_codec_try_affine(dtype, size, sample, g, x[from], best, transform);
    }
    return best >= sample->count - sample->count / 3;
}

#endif
