#include "known.h"
#include "../../codec/bytes.h"
#include "../../codec/constants.h"
#include "../../codec/transforms.h"
#include "../../codec/grid.h"
#include "../../codec/header.h"
#include "../../codec/pack.h"
#include "../../codec/pack_check.h"
#include "../../codec/unpack.h"
#include "../../core/philox.h"
#include "../../core/tensor.h"
#include "../../core/words.h"
#include "job.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC)

// Known answers: an array in blocks of every mode, packed by the host.

PADICI_FN uint8_t *padici_codec_known_space(padici_gpu_case *c, size_t size)
{
    uint8_t *space = c->space + c->used;
    size = (size + 15u) & ~(size_t)15u;
    if (size > PADICI_GPU_CASE_BYTES - c->used) return NULL;
    c->used += size;
    return space;
}

// Blocks: smooth, constant, of few bits with a common factor, noise, of both signs.
static void padici_codec_known_elements(const padici_codec_known *x)
{
    const uint32_t bits = 8 * x->size, half = bits / 2;
    uint64_t walk = UINT64_C(3) << (bits - 3);
    uint32_t i;
    for (i = 0; i < PADICI_CODEC_KNOWN_COUNT; i++) {
        uint32_t r[4];
        uint64_t v;
        padic_random_block(23, 4, 2, i, r);
        v = (uint64_t)r[1] << 32 | r[0];
        switch (i / PADICI_CODEC_KNOWN_STEP) {
        case 0: v = walk += r[0] % 16 ? r[0] >> 8 & 1 : r[2] & 63; break;
        case 1: v = 0x4141414141414141u; break;
        case 2:
            v = (UINT64_C(1) << (bits - 2)) + ((r[0] % 16 ? r[0] >> 8 & 1 : r[2] & 63) << 2);
            break;
        case 3: break;
        default:
            v = (uint64_t)(r[0] & 1) << (bits - 1) | (r[0] >> 1 & 3) << (half - 2);
            break;
        }
        padici_codec_set_element(x->elements, i, x->size, v);
    }
}

// The same for a tolerance of 1/50; the last block has exceptions.
static void padici_codec_known_floats(const padici_codec_known *x)
{
    const uint32_t up = 8 * x->size - 32;
    uint32_t i, walk = 4000;
    for (i = 0; i < PADICI_CODEC_KNOWN_COUNT; i++) {
        uint32_t r[4];
        uint64_t bits;
        double v;
        padic_random_block(23, 4, 2, i, r);
        switch (i / PADICI_CODEC_KNOWN_STEP) {
        case 0: v = (double)(walk += r[0] & 7) / 64; break;
        case 1: v = (double)0.3f; break;
        case 2: v = (double)(r[0] % 16 ? r[0] >> 8 & 15 : r[2] & 4095) / 16; break;
        case 3: v = 0; break;
        default: v = (double)(int32_t)(r[0] % 60000) / 32 - 900; break;
        }
        // of f64 with 32 lower bits, and words of more than 32
        if (up && i / PADICI_CODEC_KNOWN_STEP == 4) v = (v + r[3] / 4294967296.) * 16777216;
        bits = padici_codec_rounded(x->dtype, v, 0);
        if (i / PADICI_CODEC_KNOWN_STEP == 3) bits = (uint64_t)r[0] << up | (r[1] & (up ? ~0u : 0));
        if (i / PADICI_CODEC_KNOWN_STEP == 4 && i % 41 == 3)
            bits = (uint64_t)(r[1] | 0x7f000000u) << up;
        padici_codec_set_element(x->elements, i, x->size, bits);
    }
}

// An element's size, as bits.
static uint64_t padici_codec_known_size(const padici_codec_known *x, uint32_t i)
{
    return padici_codec_element(x->elements, i, x->size) & ~(UINT64_C(1) << (8 * x->size - 1));
}

PADICI_FN const uint8_t *padici_codec_known_frame(const padici_codec_known *x, uint32_t b)
{
    return x->stream + padici_load64(x->stream + x->index + 24 + 8 * b);
}

PADICI_FN uint32_t padici_codec_known_extent(uint32_t b) // its elements
{
    const uint32_t left = PADICI_CODEC_KNOWN_COUNT - b * PADICI_CODEC_KNOWN_STEP;
    return left < PADICI_CODEC_KNOWN_STEP ? left : PADICI_CODEC_KNOWN_STEP;
}

// Which scale a block's words have. `scale`: of the words in its stream, or 0.
PADICI_FN uint32_t padici_codec_known_scale(const padici_codec_known *x, uint32_t b,
                                            uint32_t *scale)
{
    const uint8_t *p = padici_codec_known_frame(x, b) + 16;
    const uint32_t n = padici_codec_known_extent(b);
    uint64_t most = 0;
    uint32_t i;
    *scale = 0;
    if (!x->bounded ||
        (p[0] != PADICI_CODEC_TRANSFORM_SCALE && p[3] != PADICI_CODEC_PATTERN_CONSTANT))
        return PADICI_CODEC_UNSCALED;
    for (i = 0; i < n; i++) {
        const uint64_t size = padici_codec_known_size(x, b * PADICI_CODEC_KNOWN_STEP + i);
        if (size > most && size <= x->d.scales.most[2]) most = size;
    }
    i = most > x->d.scales.most[1] ? 2 : most > x->d.scales.most[0];
    if (p[0] == PADICI_CODEC_TRANSFORM_SCALE) *scale = x->d.scales.step[i];
    return i;
}

PADICI_FN int padici_codec_known_off(const padici_codec_known *x, uint32_t i) // an exception
{
    return x->bounded && padici_codec_known_size(x, i) > x->d.scales.most[2];
}

// Words of block b; returns how many.
static uint32_t padici_codec_known_words(const padici_codec_known *x, uint32_t b, uint64_t *words)
{
    const uint32_t from = b * PADICI_CODEC_KNOWN_STEP, n = padici_codec_known_extent(b);
    uint32_t scale, i;
    const uint32_t which = padici_codec_known_scale(x, b, &scale);
    int64_t least = INT64_MAX;
    for (i = 0; i < n; i++) {
        const uint64_t bits = padici_codec_element(x->elements, from + i, x->size);
        if (which == PADICI_CODEC_UNSCALED) {
            words[i] = padici_codec_to_ordered(x->dtype, bits, x->size);
        } else if (!padici_codec_known_off(x, from + i)) {
            words[i] = padici_codec_scaled_word(bits, &x->d.scales, which);
            if ((int64_t)words[i] < least) least = (int64_t)words[i];
        }
    }
    for (i = 0; i < n && which != PADICI_CODEC_UNSCALED; i++)
        if (padici_codec_known_off(x, from + i)) words[i] = (uint64_t)least;
    return n;
}

// What comes back.
static padic_result padici_codec_known_back(padici_gpu_case *c, padici_codec_known *x)
{
    const size_t size = PADICI_CODEC_KNOWN_COUNT * x->size;
    uint64_t *words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    padic_codec_unpack_desc unpack;
    uint32_t b, i;
    padic_result result;
    x->back = padici_codec_known_space(c, size);
    x->made = padici_codec_known_space(c, size);
    if (!words || !x->back || !x->made) return PADIC_ERROR_MEMORY;
    memset(&unpack, 0, sizeof unpack);
    unpack.tensor = padic_tensor_1d(x->dtype, x->back, PADICI_CODEC_KNOWN_COUNT);
    unpack.allocator = &c->gpu->context->allocator;
    result = padic_codec_unpack(NULL, &unpack, x->stream, (size_t)x->bytes);
    if (result) return result;
    padici_codec_swap_elements(x->back, PADICI_CODEC_KNOWN_COUNT, x->size); // little-endian
    memcpy(x->made, x->back, size);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t from = b * PADICI_CODEC_KNOWN_STEP;
        const uint32_t n = padici_codec_known_words(x, b, words);
        uint32_t scale;
        (void)padici_codec_known_scale(x, b, &scale);
        for (i = 0; i < n && scale; i++)
            if (padici_codec_known_off(x, from + i))
                padici_codec_set_element(
                    x->made, from + i, x->size,
                    padici_codec_rounded(
                        x->dtype, (double)(int64_t)words[i] * padici_codec_value(PADIC_F32, scale),
                        0));
    }
    return PADIC_OK;
}

// Round 0: integers, PARALLEL; 1: floats, PARALLEL; 2: floats, FETCH; 3: floats, CODED. `coded`:
// all rounds in CODED. Floats are within a tolerance where the kernels know bounds.
PADICI_FN padic_result padici_codec_known_begin(padici_gpu_case *c, padici_codec_known *x,
                                                uint32_t rounds, int coded)
{
    static const padic_dtype integers[4] = {PADIC_U8, PADIC_I16, PADIC_U32, PADIC_I64};
    static const padic_dtype floats[4] = {PADIC_I8, PADIC_BF16, PADIC_F32, PADIC_F64};
    padic_codec_desc desc;
    padici_codec_header header;
    padic_result result;
    size_t size, i;
    memset(x, 0, sizeof *x);
    memset(&desc, 0, sizeof desc);
    x->size = padici_gpu_define(c, "PD_CODEC_SIZE", 4);
    i = x->size == 8 ? 3 : x->size / 2;
    x->dtype = c->round || padici_gpu_define(c, "PD_CODEC_BOUND", 0) ? floats[i] : integers[i];
    x->skip = c->round ? 0 : 3;
    x->elements = padici_codec_known_space(c, PADICI_CODEC_KNOWN_COUNT * x->size);
    if (!x->elements) return PADIC_ERROR_MEMORY;
    x->bounded = c->round && padici_gpu_define(c, "PD_CODEC_BOUND", 0);
    if (x->bounded)
        padici_codec_known_floats(x);
    else
        padici_codec_known_elements(x);
    padici_codec_swap_elements(x->elements, PADICI_CODEC_KNOWN_COUNT, x->size);
    desc.tensor = padic_tensor_1d(x->dtype, x->elements, PADICI_CODEC_KNOWN_COUNT);
    desc.block[0] = PADICI_CODEC_KNOWN_STEP;
    desc.profile = coded || c->round == 3 ? PADIC_CODEC_PROFILE_CODED
                   : c->round == 2        ? PADIC_CODEC_PROFILE_FETCH
                                          : PADIC_CODEC_PROFILE_PARALLEL;
    desc.tolerance_mode = x->bounded ? PADIC_CODEC_TOLERANCE_ABSOLUTE : PADIC_CODEC_TOLERANCE_NONE;
    desc.tolerance = x->bounded ? 0.02 : 0;
    desc.allocator = &c->gpu->context->allocator;
    size = padic_codec_size_bound(&desc);
    x->stream = padici_codec_known_space(c, size);
    if (!x->stream) return PADIC_ERROR_MEMORY;
    result = padic_codec_pack(NULL, &desc, x->stream, size, &size);
    if (!result) result = padici_codec_check(&desc, PADICI_CODEC_CHECK_SIZES, &header);
    if (result) return result;
    padici_codec_swap_elements(x->elements, PADICI_CODEC_KNOWN_COUNT,
                               x->size); // little-endian again
    x->bytes = size;
    x->index = padici_load64(x->stream + size - 24);
    (void)padici_codec_runs(&header, &x->d);
    x->d.fetch = c->round == 2;
    x->d.array.at = x->skip * x->size;
    x->d.packed.at = PADICI_CODEC_KNOWN_SKIP;
    x->d.room = size + 3;
    if (x->bounded) x->d.bounded = padici_codec_scales_of(desc.tolerance, x->size, &x->d.scales);
    x->d.guess = 2;
    x->d.header = x->stream;
    (void)padici_gpu_codec_params(&x->d, 1, &x->k);
    memcpy(&c->params, &x->k, sizeof x->k);
    c->groups[0] = 3;
    c->again = c->round + 1 < rounds;
    return padici_codec_known_back(c, x);
}

// Words of block b and their spread; returns how many.
PADICI_FN uint32_t padici_codec_known_block(padici_codec_known *x, uint32_t b, uint64_t *words)
{
    const uint32_t n = padici_codec_known_words(x, b, words);
    uint32_t scale;
    const uint32_t which = padici_codec_known_scale(x, b, &scale);
    padici_codec_measure_spread(words, n,
                                padici_codec_is_float(x->dtype) && which == PADICI_CODEC_UNSCALED,
                                x->top, x->apart, &x->spread);
    return n;
}

// The word of exceptions, of f64.
PADICI_FN void padici_codec_known_wide(uint64_t word, uint32_t *r)
{
    r[PADICI_CODEC_R_FACTOR] = (uint32_t)word;
    r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)(word >> 32);
}

// What is read of a frame.
typedef struct padici_codec_known_seen {
    const uint8_t *p; // behind what has been read
    uint64_t first, factor, off; // off: where exceptions are
    uint32_t one, scale, which;
} padici_codec_known_seen;

// A block that follows no pattern.
static void padici_codec_known_plain(const padici_codec_known *x, const uint8_t *frame,
                                     padici_codec_known_seen *s, uint32_t groups, uint32_t *r,
                                     uint8_t *width)
{
    const uint32_t coded = frame[16 + 4] == PADICI_CODEC_REPRESENT_BUCKETS;
    uint32_t g;
    r[PADICI_CODEC_R_MODE] = s->p[2] ? PADICI_CODEC_M_DELTA : PADICI_CODEC_M_PLAIN;
    r[PADICI_CODEC_R_SHIFT] = s->scale ? 0 : s->p[5];
    s->off = s->scale && (s->p[1] & PADICI_CODEC_BLOCK_EXCEPTIONS) != 0;
    if (s->scale) s->p += 7;
    s->factor = padici_load64(s->p + 6);
    r[PADICI_CODEC_R_STEP] = padici_ctz64(s->factor);
    s->first = padici_load64(s->p + 14);
    s->p += frame[16 + 2] ? 28 : 22;
    for (g = 0; g < groups && !coded; g++) width[g] = s->p[0] ? s->p[1] : s->p[1 + g];
    s->one = coded ? 66 : s->p[0] ? s->p[1] : 65;
    if (!coded) s->p += s->p[0] ? 2 : 1 + groups;
    r[PADICI_CODEC_R_BYTES] = coded ? (uint32_t)(frame + 8 + r[PADICI_CODEC_R_SIZE] - s->p)
                                    : padici_load32(s->p + 4);
    if (!coded) s->p += 8;
    if (!coded && s->off) s->off = (uint64_t)(s->p - x->stream) + r[PADICI_CODEC_R_BYTES];
}

// What packing knows of a block's scale and exceptions.
static void padici_codec_known_packed(const padici_codec_known *x, uint32_t b, uint32_t n,
                                      const padici_codec_known_seen *s, int stage, uint32_t *r)
{
    const uint8_t *frame = x->stream + padici_load64(x->stream + x->index + 24 + 8 * b);
    uint32_t i;
    r[PADICI_CODEC_R_FACTOR] = s->scale ? x->d.scales.inverse[s->which] : 0;
    r[PADICI_CODEC_R_FACTOR + 1] = s->scale ? (uint32_t)x->spread.least : 0;
    if (x->size == 8) padici_codec_known_wide(s->scale ? x->spread.least : 0, r);
    if (stage == PADICI_CODEC_MEASURED) r[PADICI_CODEC_R_AT] = r[PADICI_CODEC_R_SIZE];
    if (!s->off) return;
    for (i = 0; i < n; i++)
        r[PADICI_CODEC_R_EXCEPTIONS] +=
            (uint32_t)padici_codec_known_off(x, b * PADICI_CODEC_KNOWN_STEP + i);
    i = padici_load32(frame) + 8 - (uint32_t)(x->stream + s->off - frame);
    if (stage == PADICI_CODEC_MEASURED)
        r[PADICI_CODEC_R_AT] = r[PADICI_CODEC_R_SIZE] -= i;
    else
        r[PADICI_CODEC_R_EXCEPTIONS + 1] = i;
}

// What the stream says of block b: its record and the widths of its groups.
PADICI_FN void padici_codec_known_record(padici_codec_known *x, uint32_t b, uint32_t n,
                                         const uint64_t *words, int stage, uint32_t *r,
                                         uint8_t *width)
{
    const uint64_t at = padici_load64(x->stream + x->index + 24 + 8 * b);
    const uint8_t *frame = x->stream + at;
    padici_codec_known_seen s;
    const uint32_t full = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
    const uint32_t groups = full < PADICI_CODEC_KNOWN_GROUPS ? full : PADICI_CODEC_KNOWN_GROUPS;
    uint32_t g;
    s.p = frame + 16;
    s.which = padici_codec_known_scale(x, b, &s.scale);
    s.first = words[0];
    s.factor = 1;
    s.off = 0;
    s.one = 8 * x->size;
    r[PADICI_CODEC_R_SIZE] = padici_load32(frame);
    r[PADICI_CODEC_R_SUM] = padici_load32(frame + 8);
    r[PADICI_CODEC_R_SUM + 1] = padici_load32(frame + 12);
    r[PADICI_CODEC_R_SHIFT] = r[PADICI_CODEC_R_STEP] = r[PADICI_CODEC_R_BYTES] = 0;
    r[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_CONSTANT;
    for (g = 0; g < groups; g++)
        width[g] = s.p[0] == PADICI_CODEC_TRANSFORM_RAW ? (uint8_t)(8 * x->size) : 0;
    if (s.p[0] == PADICI_CODEC_TRANSFORM_RAW) {
        r[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_RAW;
        r[PADICI_CODEC_R_BYTES] = n * x->size;
        s.p += 1;
        if (stage == PADICI_CODEC_FRAMES_SCANNED) s.first = 0;
    } else if (s.p[3] == PADICI_CODEC_PATTERN_NONE) {
        padici_codec_known_plain(x, frame, &s, groups, r, width);
    } else {
        s.one = 0;
        s.first = padici_load64(s.p + 6);
        if (stage == PADICI_CODEC_FRAMES_SCANNED) s.p += 14;
    }
    if (stage >= PADICI_CODEC_PLACED) {
        r[PADICI_CODEC_R_AT] = (uint32_t)at;
        r[PADICI_CODEC_R_AT + 1] = 0;
    }
    if (stage >= PADICI_CODEC_FRAMED) {
        r[PADICI_CODEC_R_BODY] = (uint32_t)(s.p - x->stream);
        r[PADICI_CODEC_R_BODY + 1] = 0;
    }
    r[PADICI_CODEC_R_WIDTH] = padici_codec_bit_length(
        (padici_codec_shift_right(x->spread.most, r[PADICI_CODEC_R_SHIFT]) -
         padici_codec_shift_right(x->spread.least, r[PADICI_CODEC_R_SHIFT])) >>
        r[PADICI_CODEC_R_STEP]);
    r[PADICI_CODEC_R_FIRST] = (uint32_t)s.first;
    r[PADICI_CODEC_R_FIRST + 1] = (uint32_t)(s.first >> 32);
    r[PADICI_CODEC_R_SCALE] = s.scale;
    r[PADICI_CODEC_R_EXCEPTIONS] = r[PADICI_CODEC_R_EXCEPTIONS + 1] =
        r[PADICI_CODEC_R_EXCEPTIONS + 2] = 0;
    if (stage != PADICI_CODEC_FRAMES_SCANNED) {
        padici_codec_known_packed(x, b, n, &s, stage, r);
        return;
    }
    r[PADICI_CODEC_R_EXCEPTIONS] = (uint32_t)(s.off > 1 ? s.off + PADICI_CODEC_KNOWN_SKIP : s.off);
    r[PADICI_CODEC_R_SIZE] = r[PADICI_CODEC_R_STEP] = 0;
    r[PADICI_CODEC_R_WIDTH] = s.one;
    r[PADICI_CODEC_R_FACTOR] = (uint32_t)s.factor;
    r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)(s.factor >> 32);
}

// All records, and widths unless these are NULL.
PADICI_FN padic_result padici_codec_known_records(padici_gpu_case *c, padici_codec_known *x,
                                                  int stage, uint32_t *record, uint8_t *width)
{
    uint64_t *words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    uint8_t spare[PADICI_CODEC_KNOWN_GROUPS];
    uint32_t b;
    if (!words) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t n = padici_codec_known_block(x, b, words);
        padici_codec_known_record(x, b, n, words, stage, record + b * PADICI_CODEC_RECORD,
                                  width ? width + b * PADICI_CODEC_KNOWN_GROUPS : spare);
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_codec_known_image(padici_gpu_case *c, const padici_codec_known *x,
                                                uint32_t buffer)
{
    const size_t skip = x->skip * x->size, size = PADICI_CODEC_KNOWN_COUNT * x->size;
    uint8_t *image = (uint8_t *)padici_gpu_image(c, buffer, (skip + size + 7u) & ~(size_t)7u);
    if (!image) return PADIC_ERROR_MEMORY;
    memcpy(image + skip, x->elements, size);
    return PADIC_OK;
}

#endif
