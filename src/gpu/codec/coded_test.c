#include "coded_test.h"
#include "../../codec/bytes.h"
#include "../../codec/choose_profiles.h"
#include "../../codec/constants.h"
#include "../../codec/rans.h"
#include "../../codec/streams.h"
#include "../../core/words.h"
#include "job.h"
#include "look_test.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC)

// Tests of the kernels that pack coded blocks.

// What `measure` notes for blocks that may be coded, and what the choice needs.
static void padici_codec_known_plan(padici_codec_known *x, uint32_t b, uint32_t *r)
{
    const uint8_t *p = padici_codec_known_frame(x, b) + 16;
    uint32_t scale;
    const uint32_t which = padici_codec_known_scale(x, b, &scale);
    const uint64_t least = x->spread.least;
    r[PADICI_CODEC_R_MODE] =
        p[3] == PADICI_CODEC_PATTERN_CONSTANT ? PADICI_CODEC_M_CONSTANT : PADICI_CODEC_M_PLAIN;
    // a size that every second block, if it is not raw in the stream, stays below when it is coded
    r[PADICI_CODEC_R_SIZE] = b % 2 ? 60 : padici_codec_known_extent(b) * x->size + 9;
    r[PADICI_CODEC_R_AT + 1] = x->spread.shift | x->spread.step << 8;
    r[PADICI_CODEC_R_BODY] = (uint32_t)least;
    r[PADICI_CODEC_R_BODY + 1] = (uint32_t)(least >> 32);
    r[PADICI_CODEC_R_SCALE] = scale;
    r[PADICI_CODEC_R_EXCEPTIONS] = r[PADICI_CODEC_R_EXCEPTIONS + 1] = 0;
    r[PADICI_CODEC_R_FACTOR] = scale ? x->d.scales.inverse[which] : 0;
    r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)least;
    if (x->size == 8) padici_codec_known_wide(least, r);
}

// Tokens of block b, its table without words and states, and its frequencies; z has room for two
// arrays of words. 0: all tokens are equal.
static int padici_codec_known_classes(padici_codec_known *x, uint32_t b, uint64_t *z,
                                      uint8_t *tokens, uint32_t *t, uint16_t freq[256])
{
    uint64_t *words = z + PADICI_CODEC_KNOWN_STEP, cost[2] = {0, 0}, total = 0, first;
    const uint32_t n = padici_codec_known_block(x, b, words);
    uint32_t counts[256], delta, round, i, widest = 0, used = 0, one = 256, size = 0, start = 0;
    uint8_t bytes[2 * 256 + 1];
    padici_codec_writer out;
    for (round = 0; round < 3; round++) {
        delta = round < 2 ? round : cost[1] < cost[0];
        memset(counts, 0, sizeof counts);
        padici_codec_profile_words(&x->spread, words, z, n, (int)delta);
        total = padici_codec_make_tokens(z, n, 2, tokens, &widest);
        for (i = 0; i < n; i++) counts[tokens[i]]++;
        if (round < 2) cost[round] = 256 * total + padici_codec_entropy(counts, 256, n);
    }
    for (i = 256; i-- > 0;)
        if (counts[i]) used++, one = i;
    memset(freq, 0, 256 * sizeof *freq);
    if (used > 1) padici_codec_rans_frequencies(counts, n, freq);
    out.start = out.at = bytes;
    out.end = bytes + sizeof bytes;
    out.full = 0;
    if (used > 1) padici_codec_rans_put_table(&out, freq);
    size = (uint32_t)(out.at - bytes);
    for (i = 0; i < 256 && used > 1; i++) {
        t[i] = start | (uint32_t)freq[i] << 16;
        start += freq[i];
    }
    first = delta ? words[0] : padici_codec_shift_right(x->spread.least, x->spread.shift);
    t[PADICI_CODEC_T_HOW] = delta | (used > 1 ? 0 : 2 | one << 8);
    t[PADICI_CODEC_T_WIDEST] = widest;
    t[PADICI_CODEC_T_PLAINS] = (uint32_t)((total + 7) / 8);
    if (used > 1) t[PADICI_CODEC_T_TABLES] = size;
    t[PADICI_CODEC_T_STAGE] = delta             ? x->spread.step << 8
                              : x->spread.shift ? x->spread.shift
                                                : x->spread.step << 8;
    t[PADICI_CODEC_T_STAGE + 1] = (uint32_t)first;
    t[PADICI_CODEC_T_STAGE + 2] = (uint32_t)(first >> 32);
    return used > 1;
}

// The chain of block b: words in `chain` (which ends where the block's place does) and states.
static padic_result padici_codec_known_chain(padici_gpu_case *c, uint32_t b, const uint8_t *tokens,
                                             const uint16_t freq[256], uint16_t *chain, uint32_t *t)
{
    const uint32_t n = padici_codec_known_extent(b), start = b * PADICI_CODEC_KNOWN_STEP;
    const uint32_t end = start - start / 4 + 64 * b + (n - n / 4 + 48);
    const size_t room = 4 * PADICI_CODEC_KNOWN_STEP + 1024;
    uint8_t *bytes = padici_codec_known_space(c, room);
    uint16_t *space = (uint16_t *)(void *)padici_codec_known_space(c, room);
    uint32_t words, i;
    padici_codec_writer out;
    const uint8_t *p;
    if (!bytes || !space) return PADIC_ERROR_MEMORY;
    out.start = out.at = bytes;
    out.end = bytes + room;
    out.full = 0;
    padici_codec_rans_put(&out, tokens, n, freq, space, room / 2);
    if (out.full) return PADIC_ERROR_SELF_TEST;
    p = bytes + t[PADICI_CODEC_T_TABLES];
    words = padici_load32(p);
    t[PADICI_CODEC_T_WORDS] = words;
    for (i = 0; i < 32; i++) t[PADICI_CODEC_T_STATES + i] = padici_load32(p + 4 + 4 * i);
    for (i = 0; i < words; i++) chain[end - words + i] = padici_load16(p + 132 + 2 * i);
    return PADIC_OK;
}

#define PADICI_CODEC_KNOWN_CHAIN (PADICI_CODEC_KNOWN_COUNT + 64 * PADICI_CODEC_KNOWN_BLOCKS)

// Everything that is known of coded blocks; NULL: not wanted.
static padic_result padici_codec_known_all(padici_gpu_case *c, padici_codec_known *x,
                                           uint8_t *tokens, uint32_t *table, uint16_t *chain,
                                           int whole)
{
    uint64_t *z = (uint64_t *)(void *)padici_codec_known_space(c, 16 * PADICI_CODEC_KNOWN_STEP);
    uint8_t *spare = padici_codec_known_space(c, PADICI_CODEC_KNOWN_STEP);
    padic_result result = PADIC_OK;
    uint32_t b, i;
    if (!z || !spare) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && !result; b++) {
        uint32_t *t = table + b * PADICI_CODEC_TABLE;
        uint16_t freq[256];
        if (padici_codec_known_frame(x, b)[16 + 3] == PADICI_CODEC_PATTERN_CONSTANT) continue;
        if (padici_codec_known_classes(
                x, b, z, tokens ? tokens + b * PADICI_CODEC_KNOWN_STEP : spare, t, freq)) {
            if (whole)
                result = padici_codec_known_chain(
                    c, b, tokens ? tokens + b * PADICI_CODEC_KNOWN_STEP : spare, freq, chain, t);
        } else if (whole) {
            t[PADICI_CODEC_T_WORDS] = 0;
            for (i = 0; i < 32; i++) t[PADICI_CODEC_T_STATES + i] = 65536;
        }
    }
    return result;
}

// Records that are framed, totals, the place of the stream: buffers 1, 2 and 5.
static padic_result padici_codec_known_coded_tail(padici_gpu_case *c, padici_codec_known *x)
{
    uint32_t *record =
        (uint32_t *)padici_gpu_image(c, 1, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS);
    uint64_t *totals = (uint64_t *)padici_gpu_image(c, 2, 16);
    if (!record || !totals ||
        !padici_gpu_image(c, 5, (PADICI_CODEC_KNOWN_SKIP + x->bytes + 7) & ~UINT64_C(3)))
        return PADIC_ERROR_MEMORY;
    totals[0] = x->index;
    totals[1] = x->bytes;
    return padici_codec_known_records(c, x, PADICI_CODEC_FRAMED, record, NULL);
}

// Records as `measure` leaves them, buffer i.
PADICI_FN padic_result padici_codec_known_plans(padici_gpu_case *c, padici_codec_known *x,
                                                uint32_t i)
{
    uint32_t *record =
        (uint32_t *)padici_gpu_image(c, i, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS);
    uint64_t *words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    uint32_t b;
    if (!record || !words) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        (void)padici_codec_known_block(x, b, words);
        padici_codec_known_plan(x, b, record + b * PADICI_CODEC_RECORD);
    }
    return PADIC_OK;
}

// Integers, then floats. Frequencies of blocks whose tokens are equal are not looked at: there are
// none here.
PADICI_FN padic_result padici_test_codec_classes(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *tokens;
    uint32_t *table;
    padic_result result = padici_codec_known_begin(c, &x, 2, 1);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 4);
    if (!result) result = padici_codec_known_plans(c, &x, 1);
    if (result) return result;
    if (!padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_COUNT) ||
        !padici_gpu_image(c, 3, 4 * PADICI_CODEC_TABLE * PADICI_CODEC_KNOWN_BLOCKS))
        return PADIC_ERROR_MEMORY;
    tokens = (uint8_t *)padici_gpu_answer(c, 2);
    table = (uint32_t *)padici_gpu_answer(c, 3);
    if (!tokens || !table) return PADIC_ERROR_MEMORY;
    return padici_codec_known_all(c, &x, tokens, table, NULL, 0);
}

PADICI_FN padic_result padici_test_codec_rans(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *tokens;
    uint16_t *chain;
    uint32_t *record, *table, b;
    padic_result result = padici_codec_known_begin(c, &x, 2, 1);
    if (!result) result = padici_codec_known_plans(c, &x, 1);
    if (result) return result;
    tokens = (uint8_t *)padici_gpu_image(c, 0, PADICI_CODEC_KNOWN_COUNT);
    table = (uint32_t *)padici_gpu_image(c, 2, 4 * PADICI_CODEC_TABLE * PADICI_CODEC_KNOWN_BLOCKS);
    if (!tokens || !table || !padici_gpu_image(c, 3, 2 * PADICI_CODEC_KNOWN_CHAIN))
        return PADIC_ERROR_MEMORY;
    result = padici_codec_known_all(c, &x, tokens, table, NULL, 0);
    record = (uint32_t *)padici_gpu_answer(c, 1);
    table = (uint32_t *)padici_gpu_answer(c, 2);
    chain = (uint16_t *)padici_gpu_answer(c, 3);
    if (result || !record || !table || !chain) return result ? result : PADIC_ERROR_MEMORY;
    result = padici_codec_known_all(c, &x, NULL, table, chain, 1);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && !result; b++) {
        const uint32_t *t = table + b * PADICI_CODEC_TABLE;
        uint32_t *r = record + b * PADICI_CODEC_RECORD, size, stages;
        if (r[PADICI_CODEC_R_MODE] == PADICI_CODEC_M_CONSTANT) continue;
        stages = 22 + 6 * (t[PADICI_CODEC_T_HOW] & 1) + (r[PADICI_CODEC_R_SCALE] ? 7u : 0u);
        size = (t[PADICI_CODEC_T_HOW] & 2
                    ? 8
                    : 139 + t[PADICI_CODEC_T_TABLES] + 2 * t[PADICI_CODEC_T_WORDS]) +
               t[PADICI_CODEC_T_PLAINS];
        if (stages + size + 8 >= r[PADICI_CODEC_R_SIZE]) continue;
        r[PADICI_CODEC_R_SIZE] = stages + size + 8;
        r[PADICI_CODEC_R_MODE] =
            t[PADICI_CODEC_T_HOW] & 1 ? PADICI_CODEC_M_DELTA : PADICI_CODEC_M_PLAIN;
        r[PADICI_CODEC_R_SHIFT] = t[PADICI_CODEC_T_STAGE] & 255;
        r[PADICI_CODEC_R_STEP] = t[PADICI_CODEC_T_STAGE] >> 8;
        r[PADICI_CODEC_R_FIRST] = t[PADICI_CODEC_T_STAGE + 1];
        r[PADICI_CODEC_R_FIRST + 1] = t[PADICI_CODEC_T_STAGE + 2];
        r[PADICI_CODEC_R_WIDTH] = PADICI_CODEC_CODED;
        r[PADICI_CODEC_R_BYTES] = size;
    }
    return result;
}

// The bytes of the stream.
PADICI_FN padic_result padici_test_codec_coded(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *stream, *tokens;
    uint16_t *chain;
    uint32_t *record, *table, b, coded = 0;
    padic_result result = padici_codec_known_begin(c, &x, 2, 1);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 6);
    if (result) return result;
    table = (uint32_t *)padici_gpu_image(c, 3, 4 * PADICI_CODEC_TABLE * PADICI_CODEC_KNOWN_BLOCKS);
    chain = (uint16_t *)padici_gpu_image(c, 4, 2 * PADICI_CODEC_KNOWN_CHAIN);
    tokens = (uint8_t *)padici_gpu_image(c, 7, PADICI_CODEC_KNOWN_COUNT);
    if (!table || !chain || !tokens) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_all(c, &x, tokens, table, chain, 1);
    if (!result) result = padici_codec_known_coded_tail(c, &x);
    if (result) return result;
    record = (uint32_t *)(void *)c->buffers[1].image;
    stream = (uint8_t *)padici_gpu_answer(c, 5);
    if (!stream) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        const uint32_t from = r[PADICI_CODEC_R_BODY];
        uint64_t end = from + r[PADICI_CODEC_R_BYTES];
        if (!padici_codec_known_coded(&x, b)) continue;
        if (r[PADICI_CODEC_R_EXCEPTIONS]) end = padici_codec_known_lists(&x, b, end);
        memcpy(stream + PADICI_CODEC_KNOWN_SKIP + from, x.stream + from, (size_t)(end - from));
        r[PADICI_CODEC_R_WIDTH] = PADICI_CODEC_CODED;
        coded++;
    }
    return coded ? PADIC_OK : PADIC_ERROR_SELF_TEST;
}

#undef PADICI_CODEC_KNOWN_CHAIN

#endif
