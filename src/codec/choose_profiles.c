#include "choose_profiles.h"
#include "../core/words.h"
#include "block_decode.h"
#include "block_encode.h"
#include "bytes.h"
#include "choose_columns.h"
#include "constants.h"
#include "transforms.h"
#include "pack_block.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: profiles
//
// All integers, so that a GPU makes the same decisions (src/kernels/codec); FORMAT.md has the rule.
// `shift`: the trailing zero bits common to all magnitudes, for floats of both signs; otherwise
// `step`: a power of 2 that divides all differences.
//
// Within a tolerance words are multiples of a scale of 24 bits, so that a GPU can do in f32 (f64:
// in integers) what FORMAT.md defines in f64. An element without a word is an exception.

#define PADICI_CODEC_PROFILE_EXCEPTIONS 256u // exceptions of a block

// 0: the tolerance is too small (or NONE's, 0); larger ones are clamped to 2^99.
PADICI_FN int padici_codec_scales_of(double tolerance, uint32_t size, padici_codec_scales *s)
{
    uint64_t bits = padici_codec_bits_of(tolerance);
    uint32_t c, m, exponent;
    memset(s, 0, sizeof *s);
    if (!(tolerance >= 1.5777218104420236e-30)) return 0; // 2^-99
    if (tolerance > 6.338253001141147e29) bits = padici_codec_bits_of(6.338253001141147e29);
    exponent = (uint32_t)(bits >> 52) - 1023 + 127;
    m = (uint32_t)(bits >> 29 & 0x7fffff) | 0x800000u;
    s->within = (exponent << 23) + (m - 0x800000u);
    for (c = 0; c < 3; c++) {
        const uint64_t scaled = (uint64_t)m * (2048u - (size == 8 ? 1u : 8u << 3 * c));
        const uint32_t high = (uint32_t)(scaled >> 34), e = exponent + high;
        const uint32_t g = (uint32_t)(scaled >> (10 + high));
        const uint32_t q = (uint32_t)(((UINT64_C(1) << 48) / g + 1) / 2); // at most 2^24
        s->step[c] = (e << 23) + (g - 0x800000u);
        s->inverse[c] = ((253u - e) << 23) + (q - 0x800000u);
        s->most[c] = s->step[c] + ((13 + 3 * c) << 23);
        if (size != 8) continue;
        s->wide = ((UINT64_C(1) << 63) / g << 23) + ((UINT64_C(1) << 63) % g << 23) / g;
        s->most[c] =
            padici_codec_bits_of(padici_codec_value(PADIC_F32, s->step[c])) + (UINT64_C(38) << 52);
    }
    return 1;
}

// The integer nearest to x inverse as f32, ties to even; |x inverse| < 2^20. Of f64: to x / step.
PADICI_FN uint64_t padici_codec_scaled_word(uint64_t bits, const padici_codec_scales *s, uint32_t c)
{
    if (s->wide) { // 2^k of h are 1
        const uint64_t h = padici_mulhi64(bits << 11 | UINT64_C(1) << 63, s->wide);
        const uint32_t k = (s->step[0] >> 23) + 958 - (uint32_t)(bits >> 52 & 2047);
        const uint64_t n = k > 63 ? 0 : (h + (UINT64_C(1) << (k - 1))) >> k;
        return bits >> 63 ? 0 - n : n;
    } else {
        const float y = (float)(padici_codec_value(PADIC_F32, bits) *
                                padici_codec_value(PADIC_F32, s->inverse[c]));
        const int32_t n = (int32_t)y, way = y < 0 ? -1 : 1;
        const double left = way * ((double)y - n);
        return (uint64_t)(int64_t)(left > 0.5 || (left == 0.5 && (n & 1)) ? n + way : n);
    }
}

// The words of a block within a tolerance; exceptions get the least word of the others. Returns the
// bits of its scale, or 0: it has none.
static uint32_t padici_codec_scaled_words(padici_codec_work *w, const padici_codec_box *box,
                                          double tolerance, uint64_t *x, uint32_t *off)
{
    const uint32_t allowed =
        w->profile == PADIC_CODEC_PROFILE_FETCH ? 0 : PADICI_CODEC_PROFILE_EXCEPTIONS;
    padici_codec_scales s;
    uint64_t least = 0, most = 0;
    uint32_t count = 0, c;
    size_t i;
    if (!padici_codec_scales_of(tolerance, box->size, &s)) return 0;
    for (i = 0; i < box->n; i++) {
        const uint64_t size =
            padici_codec_element(w->raw, i, box->size) & ~(UINT64_C(1) << (8 * box->size - 1));
        const int is_off = size > s.most[2];
        if (is_off && count == allowed) return 0;
        if (is_off) w->off[count++] = (uint32_t)i;
        if (!is_off && size > most) most = size;
    }
    if (count == box->n) return 0;
    c = most > s.most[1] ? 2 : most > s.most[0];
    for (i = 0, *off = 0; i < box->n; i++) {
        if (*off < count && w->off[*off] == i) {
            ++*off;
            continue;
        }
        x[i] = padici_codec_scaled_word(padici_codec_element(w->raw, i, box->size), &s, c);
        if (i == *off || (int64_t)x[i] < (int64_t)least) least = x[i]; // the first one, or less
    }
    for (i = 0; i < count; i++) x[w->off[i]] = least;
    return s.step[c];
}

PADICI_FN uint64_t padici_codec_shift_right(uint64_t x, uint32_t shift)
{
    return (uint64_t)((int64_t)x >> shift);
}

// `top`: the largest word of each group; `apart`: its folded differences, all or'ed.
PADICI_FN void padici_codec_measure_spread(const uint64_t *x, size_t n, int is_float, uint64_t *top,
                                           uint64_t *apart, padici_codec_word_spread *s)
{
    size_t i;
    memset(s, 0, sizeof *s);
    s->least = s->most = x[0];
    for (i = 0; i < n; i++) {
        const size_t g = i / PADICI_CODEC_GROUP;
        if (i % PADICI_CODEC_GROUP == 0) top[g] = x[i], apart[g] = 0;
        if ((int64_t)x[i] > (int64_t)top[g]) top[g] = x[i];
        if (i) apart[g] |= padici_codec_fold(x[i] - x[i - 1]);
        if ((int64_t)x[i] < (int64_t)s->least) s->least = x[i];
        if ((int64_t)x[i] > (int64_t)s->most) s->most = x[i];
        s->magnitudes |= x[i] ^ padici_codec_shift_right(x[i], 63);
        s->differences |= x[i] - x[0];
    }
    if (is_float && (int64_t)s->least < 0 && (int64_t)s->most >= 0 && s->magnitudes)
        s->shift = padici_ctz64(s->magnitudes);
    s->step = s->differences ? padici_ctz64(s->differences) : 0;
}

// Widths of all groups, and the bytes of their bits.
static uint64_t padici_codec_group_widths(const uint64_t *top, const uint64_t *apart, size_t n,
                                          const padici_codec_word_spread *s, int delta,
                                          uint8_t *width)
{
    uint64_t bytes = 0;
    size_t g;
    for (g = 0; g * PADICI_CODEC_GROUP < n; g++) {
        const uint64_t most = delta ? (apart[g] >> 1 >> s->step) << 1 | (apart[g] & 1)
                                    : (padici_codec_shift_right(top[g], s->shift) -
                                       padici_codec_shift_right(s->least, s->shift)) >>
                                          (s->shift ? 0 : s->step);
        width[g] = (uint8_t)padici_codec_bit_length(most);
        bytes +=
            (padici_codec_least(n - g * PADICI_CODEC_GROUP, PADICI_CODEC_GROUP) * width[g] + 7) / 8;
    }
    return bytes;
}

// The packed words of a block, as its plan's representation.
PADICI_FN void padici_codec_profile_words(const padici_codec_word_spread *s, const uint64_t *x,
                                          uint64_t *z, size_t n, int delta)
{
    const uint32_t shift = delta ? 0 : s->shift, step = shift ? 0 : s->step;
    const uint64_t first = padici_codec_shift_right(s->least, shift);
    size_t i;
    for (i = 0; i < n; i++)
        z[i] = delta ? padici_codec_fold(padici_codec_shift_right(i ? x[i] - x[i - 1] : 0, step))
                     : (padici_codec_shift_right(x[i], shift) - first) >> step;
}

static void padici_codec_profile_plan(padici_codec_work *w, const padici_codec_word_spread *s,
                                      const uint64_t *x, size_t n, int delta,
                                      uint32_t representation)
{
    padici_codec_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.flags = PADICI_CODEC_BLOCK_COSET | (delta ? PADICI_CODEC_BLOCK_ZIGZAG : 0) |
                 (s->off ? PADICI_CODEC_BLOCK_EXCEPTIONS : 0);
    plan.representation = representation;
    plan.transform.kind = s->scale ? PADICI_CODEC_TRANSFORM_SCALE : PADICI_CODEC_TRANSFORM_BITS;
    plan.transform.g = padici_codec_bits_of(padici_codec_value(PADIC_F32, s->scale));
    plan.transform.shift = delta ? 0 : s->shift;
    plan.transform.step = UINT64_C(1) << (plan.transform.shift ? 0 : s->step);
    plan.transform.first = delta ? x[0] : padici_codec_shift_right(s->least, plan.transform.shift);
    if (delta) {
        plan.predictor.kind = PADICI_CODEC_PREDICTOR_DELTA;
        plan.predictor.count = 1;
        plan.predictor.op[0] = padici_codec_flat_op(1, n);
    }
    padici_codec_put_plan(&w->out, &plan);
}

// The exceptions in w->off, raw tokens, and the end of the payload.
static void padici_codec_put_profile_exceptions(padici_codec_work *w, size_t count, uint32_t size)
{
    const uint32_t coders = w->stages.coders;
    uint64_t *gaps = w->list, *values = w->other;
    size_t i;
    for (i = 0; i < count; i++) {
        gaps[i] = w->off[i] - (i ? w->off[i - 1] + 1 : 0);
        values[i] = padici_codec_element(w->raw, w->off[i], size);
    }
    if (count) {
        padici_codec_put_u32(&w->out, (uint32_t)count);
        padici_codec_put_u8(&w->out, 0);
        w->stages.coders = 1u << PADICI_CODEC_CODER_RAW;
        padici_codec_put_buckets(w, gaps, count, 2, w->symbols, 0);
        padici_codec_put_buckets(w, values, count, 2, w->symbols, 0);
        w->stages.coders = coders;
    }
    for (i = 0; i < PADICI_CODEC_PAYLOAD_PAD; i++) padici_codec_put_u8(&w->out, 0);
}

// Stage bytes, widths and bits of the packed words z.
static void padici_codec_put_profile(padici_codec_work *w, const padici_codec_word_spread *s,
                                     const uint64_t *x, uint64_t *z, size_t n, int delta,
                                     const uint8_t *width)
{
    const size_t groups = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
    const int fetch = w->profile == PADIC_CODEC_PROFILE_FETCH;
    uint8_t *size, *start;
    size_t g;
    padici_codec_profile_words(s, x, z, n, delta);
    padici_codec_profile_plan(w, s, x, n, delta, PADICI_CODEC_REPRESENTATION_PACKED);
    padici_codec_put_u8(&w->out, fetch ? PADICI_CODEC_CODER_CONSTANT : PADICI_CODEC_CODER_RAW);
    padici_codec_put_bytes(&w->out, width, fetch ? 1 : groups);
    padici_codec_put_u32(&w->out, 0); // exceptions
    size = padici_codec_room(&w->out, 4);
    start = w->out.at;
    for (g = 0; g < groups; g++) {
        const size_t from = g * PADICI_CODEC_GROUP,
                     count = padici_codec_least(PADICI_CODEC_GROUP, n - from);
        uint8_t *p = padici_codec_room(&w->out, (count * width[g] + 7) / 8 + 8);
        if (!p) return;
        w->out.at -= 8;
        if (width[g])
            (*w->loops->put_fixed)(z + from, count, width[g], p, (size_t)(w->out.end - p));
    }
    if (size) padici_store32(size, (uint32_t)(w->out.at - start));
    padici_codec_put_profile_exceptions(w, s->off, s->size);
}

// Magnitude buckets with two bits below the leading one, their tokens in rANS; of differences where
// those have the smaller estimate.
static PADICI_NOINLINE void padici_codec_put_coded(padici_codec_work *w,
                                                   const padici_codec_word_spread *s,
                                                   const uint64_t *x, uint64_t *z, size_t n)
{
    const uint32_t coders = w->stages.coders;
    uint64_t cost[2];
    uint32_t counts[256], widest;
    int delta;
    for (delta = 0; delta < 2; delta++) {
        padici_codec_profile_words(s, x, z, n, delta);
        cost[delta] = 256 * (*w->loops->tokens)(z, n, 2, w->symbols, &widest);
        padici_codec_count_bytes(w->symbols, n, counts, (uint32_t *)w->table);
        cost[delta] += padici_codec_entropy(counts, 256, (uint32_t)n);
    }
    delta = cost[1] < cost[0];
    if (!delta) padici_codec_profile_words(s, x, z, n, 0);
    padici_codec_profile_plan(w, s, x, n, delta, PADICI_CODEC_REPRESENTATION_BUCKETS);
    w->stages.coders = 1u << PADICI_CODEC_CODER_RANS | 1u << PADICI_CODEC_CODER_CONSTANT;
    padici_codec_put_buckets(w, z, n, 2, w->symbols, 0);
    w->stages.coders = coders;
    padici_codec_put_profile_exceptions(w, s->off, s->size);
}

// A block whose words are in w->words, scaled or (0) ordered; 0: a scaled one is not smaller than
// its elements.
PADICI_NOINLINE static size_t padici_codec_pack_words(padici_codec_work *w,
                                                      const padici_codec_box *box, uint32_t scale,
                                                      uint32_t off)
{
    const size_t n = box->n, groups = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
    const uint64_t raw = n * box->size + 1 + PADICI_CODEC_PAYLOAD_PAD;
    const int fetch = w->profile == PADIC_CODEC_PROFILE_FETCH;
    uint64_t *top = w->list, *apart = w->list + groups, *x = w->words, plain, delta = UINT64_MAX;
    uint8_t *width = w->symbols, *other = w->spare;
    padici_codec_word_spread s;
    padici_codec_plan plan;
    size_t i;
    padici_codec_measure_spread(x, n, padici_codec_is_float(box->dtype) && !scale, top, apart, &s);
    s.scale = scale, s.off = off, s.size = box->size;
    w->best = 0;
    w->out.at = w->out.start = w->payload;
    padici_codec_keep_payload(w); // initialises the writer
    memset(&plan, 0, sizeof plan);
    plan.pattern = PADICI_CODEC_PATTERN_CONSTANT;
    plan.constant = x[0];
    if (scale)
        plan.constant = padici_codec_to_ordered(
            box->dtype,
            padici_codec_rounded(box->dtype,
                                 (double)(int64_t)x[0] * padici_codec_value(PADIC_F32, scale), 0),
            box->size);
    if (s.least == s.most && !off && 22 <= raw) {
        padici_codec_put_payload(w, box, &plan, NULL, 0, 0);
        padici_codec_keep_payload(w);
        return w->best;
    }
    for (i = 0; i < groups && fetch; i++) top[i] = s.most;
    // 22 bytes of stages, the widths, 8 bytes of counts, 8 zeros; 6 more for a predictor, 7 for a
    // scale, and the most for exceptions
    i = (scale ? 7 : 0) + (off ? 24 + (box->size + 4) * off : 0);
    plain = padici_codec_group_widths(top, apart, n, &s, 0, width) + (fetch ? 40 : 39 + groups) + i;
    if (!fetch) delta = padici_codec_group_widths(top, apart, n, &s, 1, other) + 45 + groups + i;
    if (scale && plain >= raw && delta >= raw) return 0;
    if ((plain < delta ? plain : delta) < raw) {
        padici_codec_put_profile(w, &s, x, w->trial, n, delta < plain,
                                 delta < plain ? other : width);
    } else {
        padici_codec_put_raw(w, box);
    }
    padici_codec_keep_payload(w);
    if (w->profile == PADIC_CODEC_PROFILE_CODED) {
        padici_codec_put_coded(w, &s, x, w->trial, n);
        padici_codec_keep_payload(w); // if it is smaller
    }
    return w->best;
}

static PADICI_NOINLINE size_t padici_codec_pack_profile(padici_codec_work *w,
                                                        const padici_codec_box *box,
                                                        const padici_codec_tolerance *tolerance)
{
    uint32_t off = 0, scale = 0;
    size_t size, i;
    if (tolerance->mode != PADIC_CODEC_TOLERANCE_NONE)
        scale = padici_codec_scaled_words(w, box, tolerance->absolute, w->words, &off);
    if (scale && (size = padici_codec_pack_words(w, box, scale, off)) != 0) return size;
    for (i = 0; i < box->n; i++)
        w->words[i] = padici_codec_to_ordered(
            box->dtype, padici_codec_element(w->raw, i, box->size), box->size);
    return padici_codec_pack_words(w, box, 0, 0);
}

PADICI_FN size_t padici_codec_pack_block(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_tolerance *tolerance)
{
    const uint32_t transforms = w->stages.transforms, apart = w->policy->transforms.columns;
    const int forced = transforms >> PADICI_CODEC_TRANSFORM_COLUMNS & 1;
    uint32_t columns = 0;
    size_t size;
    int only = forced && transforms == 1u << PADICI_CODEC_TRANSFORM_COLUMNS;
    if (w->profile) return padici_codec_pack_profile(w, box, tolerance);
    w->stages.transforms = transforms & ~(1u << PADICI_CODEC_TRANSFORM_COLUMNS);
    if ((forced || (transforms == 0 && apart)) && !w->referenced)
        columns = padici_codec_choose_columns(w, box);
    if (columns && !forced && apart > 1) {
        only = columns <= PADICI_CODEC_COLUMNS_MOST &&
               padici_codec_columns_differ(w, box, columns) > apart;
        if (!only) columns = 0;
    }
    if (forced && !columns && box->n >= 4 && !w->referenced) columns = 2;
    // columns alone: they must beat the plain elements
    if (only) w->stages.transforms = 1u << PADICI_CODEC_TRANSFORM_RAW;
    size = padici_codec_pack_whole(w, box, tolerance);
    w->stages.transforms = transforms & ~(1u << PADICI_CODEC_TRANSFORM_COLUMNS);
    if (columns) size = padici_codec_pack_columns(w, box, tolerance, columns, size);
    w->stages.transforms = transforms;
    return size;
}

#undef PADICI_CODEC_PROFILE_EXCEPTIONS

#endif
