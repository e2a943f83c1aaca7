#include "look_test.h"
#include "../../codec/choose_profiles.h"
#include "../../codec/constants.h"
#include "../../codec/transforms.h"
#include "../../codec/streams.h"
#include "../../core/words.h"
#include "job.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC)

// Tests of the kernels that read frames, and tokens of the records.

// The status when block b was not taken.
PADICI_FN void padici_codec_known_bad(uint32_t *status, uint32_t b)
{
    if (status[0] < UINT32_MAX - b) status[0] = UINT32_MAX - b;
    status[PADICI_CODEC_STATUS + b] = 1;
}

// The stream as buffer 0, params, records as `buffer`, a status of 0 as `status`.
PADICI_FN padic_result padici_codec_known_input(padici_gpu_case *c, padici_codec_known *x,
                                                uint32_t buffer, uint32_t status, int coded)
{
    padici_k_codec_stream_params k;
    uint8_t *stream;
    uint32_t *word;
    padic_result result = padici_codec_known_begin(c, x, coded ? 2 : 4, coded);
    if (result) return result;
    k = x->k;
    PADICI_CODEC_PAIR(k, room, x->index);
    memcpy(&c->params, &k, sizeof k);
    stream = (uint8_t *)padici_gpu_image(
        c, 0, (PADICI_CODEC_KNOWN_SKIP + x->bytes + 7) & ~UINT64_C(3));
    word = (uint32_t *)padici_gpu_image(c, status, PADICI_CODEC_KNOWN_STATUS);
    if (!stream || !word ||
        !padici_gpu_image(c, buffer, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS))
        return PADIC_ERROR_MEMORY;
    memcpy(stream + PADICI_CODEC_KNOWN_SKIP, x->stream, (size_t)x->bytes);
    memset(word, 0, PADICI_CODEC_KNOWN_STATUS);
    return PADIC_OK;
}

PADICI_FN int padici_codec_known_coded(const padici_codec_known *x, uint32_t b)
{
    const uint8_t *p = x->stream + padici_load64(x->stream + x->index + 24 + 8 * b) + 16;
    return p[0] != PADICI_CODEC_TRANSFORM_RAW && p[3] == PADICI_CODEC_PATTERN_NONE &&
           p[4] == PADICI_CODEC_REPRESENT_BUCKETS;
}

// In round 1 block 3 has another number of rows; from round 2 on the index is looked at, and in
// round 3 it is wrong.
PADICI_FN padic_result padici_test_codec_look(padici_gpu_case *c)
{
    padici_codec_known x;
    uint32_t *record, *status;
    uint32_t b;
    padic_result result = padici_codec_known_input(c, &x, 1, 2, 0);
    if (result) return result;
    c->groups[0] = c->round < 2 ? 1 : 2;
    x.k.coded = c->round >= 2;
    PADICI_CODEC_PAIR(x.k, room, x.index);
    memcpy(&c->params, &x.k, sizeof x.k);
    if (c->round == 3)
        c->buffers[0].image[PADICI_CODEC_KNOWN_SKIP + x.bytes - 16] ^= 1;
    if (c->round == 1)
        c->buffers[0].image[PADICI_CODEC_KNOWN_SKIP +
                            padici_load64(x.stream + x.index + 24 + 8 * 3) + 4] ^= 1;
    record = (uint32_t *)padici_gpu_answer(c, 1);
    status = (uint32_t *)padici_gpu_answer(c, 2);
    if (!record || !status) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_FRAMES_SCANNED, record, NULL);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++)
        status[1] |=
            (padici_codec_known_coded(&x, b) ? PADICI_CODEC_SOME_CODED : PADICI_CODEC_SOME_PLAIN) |
            (record[b * PADICI_CODEC_RECORD + PADICI_CODEC_R_EXCEPTIONS]
                 ? PADICI_CODEC_SOME_EXCEPTIONS
                 : 0u);
    if (c->round == 3) status[2] = 1;
    if (result || c->round != 1) return result;
    padici_codec_known_bad(status, 3);
    record += 3 * PADICI_CODEC_RECORD; // as plain elements, none of which is there
    record[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_BAD;
    record[PADICI_CODEC_R_SHIFT] = record[PADICI_CODEC_R_FIRST] = 0;
    record[PADICI_CODEC_R_FIRST + 1] = record[PADICI_CODEC_R_FACTOR + 1] = 0;
    record[PADICI_CODEC_R_FACTOR] = 1;
    record[PADICI_CODEC_R_SCALE] = record[PADICI_CODEC_R_EXCEPTIONS] = 0;
    record[PADICI_CODEC_R_WIDTH] = 8 * x.size;
    record[PADICI_CODEC_R_BYTES] = 1;
    record[PADICI_CODEC_R_BODY] = record[PADICI_CODEC_R_AT] + 16;
    return PADIC_OK;
}

PADICI_FN int padici_codec_known_kernel(const padici_codec_known *x, uint32_t b, const uint32_t *r)
{
    const uint32_t first = x->skip + b * PADICI_CODEC_KNOWN_STEP;
    if (padici_codec_known_coded(x, b)) return PADICI_CODEC_BY_EXPAND;
    if (first * x->size % 8) return PADICI_CODEC_BY_REST;
    if (r[PADICI_CODEC_R_MODE] != PADICI_CODEC_M_DELTA) return PADICI_CODEC_BY_UNPACK;
    return x->k.writing && first * x->size % 16 == 0 && !r[PADICI_CODEC_R_SHIFT]
               ? PADICI_CODEC_BY_SWIFT
               : PADICI_CODEC_BY_REST;
}

// Those elements of an answer that a kernel makes.
PADICI_FN void padici_codec_known_answer(const padici_codec_known *x, int kernel,
                                         const uint32_t *record, uint8_t *to)
{
    const uint32_t step = PADICI_CODEC_KNOWN_STEP * x->size;
    uint32_t b;
    to += x->skip * x->size;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t end = PADICI_CODEC_KNOWN_COUNT * x->size;
        if (padici_codec_known_kernel(x, b, record + b * PADICI_CODEC_RECORD) != kernel) continue;
        memcpy(to + b * step, x->made + b * step,
               (b + 1) * step < end ? step : end - b * step);
    }
}

// Where the exceptions of block b begin in the stream, which end there.
PADICI_FN uint64_t padici_codec_known_lists(const padici_codec_known *x, uint32_t b, uint64_t end)
{
    const uint32_t from = b * PADICI_CODEC_KNOWN_STEP, n = padici_codec_known_extent(b);
    uint64_t gaps = 0, values = 0;
    uint32_t i, extra, before = 0, count = 0;
    for (i = 0; i < n; i++) {
        if (!padici_codec_known_off(x, from + i)) continue;
        (void)padici_codec_token(i - before, 2, &extra);
        gaps += extra;
        (void)padici_codec_token(padici_codec_element(x->elements, from + i, x->size), 2, &extra);
        values += extra;
        before = i + 1;
        count++;
    }
    return end - 5 - 2 * (7 + count) - (gaps + 7) / 8 - (values + 7) / 8;
}

// What `tokens` makes of the records: the plain bits instead of all that follows the stages.
PADICI_FN padic_result padici_codec_known_tokens(padici_gpu_case *c, padici_codec_known *x,
                                                 uint32_t *record, uint8_t *tokens)
{
    uint64_t *words =
        (uint64_t *)(void *)padici_codec_known_space(c, 16 * PADICI_CODEC_KNOWN_STEP);
    uint32_t b, i;
    if (!words) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD, widest = 0;
        uint64_t *z = words + PADICI_CODEC_KNOWN_STEP, total = 0;
        uint8_t *to = tokens + b * PADICI_CODEC_KNOWN_STEP;
        const uint32_t n = padici_codec_known_block(x, b, words);
        if (!padici_codec_known_coded(x, b)) continue;
        padici_codec_profile_words(&x->spread, words, z, n,
                                   r[PADICI_CODEC_R_MODE] == PADICI_CODEC_M_DELTA);
        for (i = 0; i < n; i++) {
            uint32_t extra;
            to[i] = (uint8_t)padici_codec_token(z[i], 2, &extra);
            total += extra;
            if (extra > widest) widest = extra;
        }
        i = (uint32_t)((total + 7) / 8);
        r[PADICI_CODEC_R_SIZE] = widest;
        total = r[PADICI_CODEC_R_BODY] + r[PADICI_CODEC_R_BYTES]; // where the block ends
        if (r[PADICI_CODEC_R_EXCEPTIONS]) {
            total = padici_codec_known_lists(x, b, total);
            r[PADICI_CODEC_R_EXCEPTIONS] = (uint32_t)total + PADICI_CODEC_KNOWN_SKIP;
        }
        r[PADICI_CODEC_R_BODY] = (uint32_t)total - i;
        r[PADICI_CODEC_R_BYTES] = i;
    }
    return PADIC_OK;
}

// Integers, then floats.
PADICI_FN padic_result padici_test_codec_tokens(padici_gpu_case *c)
{
    padici_codec_known x;
    uint32_t *record, *answer;
    uint8_t *tokens;
    padic_result result = padici_codec_known_input(c, &x, 1, 3, 1);
    if (result) return result;
    if (!padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_COUNT)) return PADIC_ERROR_MEMORY;
    record = (uint32_t *)(void *)c->buffers[1].image;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_FRAMES_SCANNED, record, NULL);
    answer = (uint32_t *)padici_gpu_answer(c, 1);
    tokens = (uint8_t *)padici_gpu_answer(c, 2);
    if (!result && (!answer || !tokens)) result = PADIC_ERROR_MEMORY;
    return result ? result : padici_codec_known_tokens(c, &x, answer, tokens);
}

#endif
