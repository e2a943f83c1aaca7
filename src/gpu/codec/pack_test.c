#include "pack_test.h"
#include "../../codec/constants.h"
#include "../../codec/transforms.h"
#include "../../core/words.h"
#include "job.h"
#include "known.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC)

// Tests of the kernels that pack plain blocks.

// Within a tolerance all blocks are left, with what the last pass needs.
PADICI_FN padic_result padici_test_codec_measure(padici_gpu_case *c)
{
    const uint32_t groups = PADICI_CODEC_KNOWN_BLOCKS * PADICI_CODEC_KNOWN_GROUPS;
    padici_codec_known x;
    uint64_t *words, *top, *apart;
    uint8_t *width;
    uint32_t *record, b;
    padic_result result = padici_codec_known_begin(c, &x, 3, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (result) return result;
    words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    if (!words || !padici_gpu_image(c, 2, 8 * groups) || !padici_gpu_image(c, 3, 8 * groups) ||
        !padici_gpu_image(c, 4, groups) ||
        !padici_gpu_image(c, 5, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS))
        return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && x.bounded; b++) {
        uint32_t *r = (uint32_t *)(void *)c->buffers[5].image + b * PADICI_CODEC_RECORD;
        uint32_t scale;
        (void)padici_codec_known_block(&x, b, words);
        r[PADICI_CODEC_R_SCALE] = padici_codec_known_scale(&x, b, &scale);
        r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)x.spread.least;
        if (x.size == 8) padici_codec_known_wide(x.spread.least, r);
        r[PADICI_CODEC_R_EXCEPTIONS + 2] = 3;
    }
    x.k.writing = (uint32_t)x.bounded;
    memcpy(&c->params, &x.k, sizeof x.k);
    top = (uint64_t *)padici_gpu_answer(c, 2);
    apart = (uint64_t *)padici_gpu_answer(c, 3);
    width = (uint8_t *)padici_gpu_answer(c, 4);
    record = (uint32_t *)padici_gpu_answer(c, 5);
    if (!top || !apart || !width || !record) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t n = padici_codec_known_block(&x, b, words);
        const size_t used = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
        memcpy(top + b * PADICI_CODEC_KNOWN_GROUPS, x.top, 8 * used);
        memcpy(apart + b * PADICI_CODEC_KNOWN_GROUPS, x.apart, 8 * used);
    }
    return padici_codec_known_records(c, &x, PADICI_CODEC_MEASURED, record, width);
}

PADICI_FN padic_result padici_test_codec_scan(padici_gpu_case *c)
{
    const uint32_t blocks = c->round ? 3 : 700;
    padici_k_codec_stream_params k;
    uint64_t at = 77, *totals;
    uint32_t *record, b;
    memset(&k, 0, sizeof k);
    k.blocks = blocks;
    k.header = 77;
    memcpy(&c->params, &k, sizeof k);
    c->again = c->round == 0;
    record = (uint32_t *)padici_gpu_image(c, 0, 4 * PADICI_CODEC_RECORD * blocks);
    if (!record || !padici_gpu_image(c, 1, 16)) return PADIC_ERROR_MEMORY;
    for (b = 0; b < blocks; b++)
        record[b * PADICI_CODEC_RECORD] = (b * 2654435761u) >> (b % 3 ? 9 : 1);
    record = (uint32_t *)padici_gpu_answer(c, 0);
    totals = (uint64_t *)padici_gpu_answer(c, 1);
    if (!record || !totals) return PADIC_ERROR_MEMORY;
    for (b = 0; b < blocks; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        r[PADICI_CODEC_R_AT] = (uint32_t)at;
        r[PADICI_CODEC_R_AT + 1] = (uint32_t)(at >> 32);
        at += (uint64_t)r[0] + 16;
    }
    totals[0] = at;
    totals[1] = at + 48 + 8 * (uint64_t)blocks;
    return PADIC_OK;
}

// Records, totals and the place of the stream, from buffer i on.
static padic_result padici_codec_known_tail(padici_gpu_case *c, padici_codec_known *x, uint32_t i,
                                            int stage, uint8_t *width)
{
    uint32_t *record =
        (uint32_t *)padici_gpu_image(c, i, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS);
    uint64_t *totals = (uint64_t *)padici_gpu_image(c, i + 1, 16);
    if (!record || !totals ||
        !padici_gpu_image(c, i + 2, (PADICI_CODEC_KNOWN_SKIP + x->bytes + 7) & ~UINT64_C(3)))
        return PADIC_ERROR_MEMORY;
    totals[0] = x->index;
    totals[1] = x->bytes;
    return padici_codec_known_records(c, x, stage, record, width);
}

// Bytes that `frames` writes of a block, as parts of the stream: {from, to} each; returns how many.
static uint32_t padici_codec_known_parts(const padici_codec_known *x, uint32_t b,
                                         uint64_t part[3][2])
{
    const uint64_t at = padici_load64(x->stream + x->index + 24 + 8 * b);
    const uint8_t *p = x->stream + at + 16;
    const uint64_t end = at + 16 + padici_load32(x->stream + at);
    const uint32_t n = padici_codec_known_extent(b);
    const uint32_t groups = (n + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP;
    part[0][0] = at;
    part[0][1] = at + 17;
    part[1][0] = end - 8;
    part[1][1] = end;
    if (p[0] == PADICI_CODEC_TRANSFORM_RAW) return 2;
    part[0][1] = end;
    if (p[3] != PADICI_CODEC_PATTERN_NONE) return 1;
    part[0][1] = at + 16 + (p[2] ? 28 : 22) + (p[0] == PADICI_CODEC_TRANSFORM_SCALE ? 7 : 0);
    part[0][1] += x->stream[part[0][1]] ? 2 : 1; // one width is written, others are not
    part[2][0] = x->stream[part[0][1] - 2] == 1 && x->d.fetch ? part[0][1] : part[0][1] + groups;
    part[2][1] = part[2][0] + 8;
    return 3;
}

PADICI_FN padic_result padici_test_codec_frames(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *stream;
    uint32_t *record, b, i;
    padic_result result = padici_codec_known_begin(c, &x, 3, 0);
    if (!result) result = padici_codec_known_tail(c, &x, 0, PADICI_CODEC_PLACED, NULL);
    if (result) return result;
    if (c->round == 1) x.k.head_size = 0; // then it is there already
    memcpy(&c->params, &x.k, sizeof x.k);
    record = (uint32_t *)padici_gpu_answer(c, 0);
    stream = (uint8_t *)padici_gpu_answer(c, 2);
    if (!record || !stream) return PADIC_ERROR_MEMORY;
    stream += PADICI_CODEC_KNOWN_SKIP;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint64_t part[3][2];
        const uint32_t parts = padici_codec_known_parts(&x, b, part);
        for (i = 0; i < parts; i++)
            memcpy(stream + part[i][0], x.stream + part[i][0],
                   (size_t)(part[i][1] - part[i][0]));
    }
    memcpy(stream, x.stream, x.k.head_size);
    memcpy(stream + x.index, x.stream + x.index, (size_t)(x.bytes - x.index));
    return padici_codec_known_records(c, &x, PADICI_CODEC_FRAMED, record, NULL);
}

// Exceptions of a stream that is framed: where they begin and end, or 0.
static uint64_t padici_codec_known_list(const uint32_t *r, uint64_t *end)
{
    const uint64_t at = r[PADICI_CODEC_R_BODY];
    *end = at + r[PADICI_CODEC_R_BYTES] + r[PADICI_CODEC_R_EXCEPTIONS + 1];
    return r[PADICI_CODEC_R_EXCEPTIONS] ? at + r[PADICI_CODEC_R_BYTES] : 0;
}

PADICI_FN padic_result padici_test_codec_fill(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *width, *stream;
    const uint32_t *record;
    uint64_t from, end;
    uint32_t b, i;
    padic_result result = padici_codec_known_begin(c, &x, 3, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (result) return result;
    width = (uint8_t *)padici_gpu_image(
        c, 2, PADICI_CODEC_KNOWN_BLOCKS * PADICI_CODEC_KNOWN_GROUPS);
    if (!width) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_tail(c, &x, 3, PADICI_CODEC_FRAMED, width);
    if (result) return result;
    record = (const uint32_t *)(const void *)c->buffers[3].image;
    stream = (uint8_t *)padici_gpu_answer(c, 5);
    if (!stream) return PADIC_ERROR_MEMORY;
    stream += PADICI_CODEC_KNOWN_SKIP;
    memcpy(stream + x.d.header_size, x.stream + x.d.header_size,
           (size_t)(x.index - x.d.header_size));
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) { // without what `frames` does
        uint64_t part[3][2];
        const uint32_t parts = padici_codec_known_parts(&x, b, part);
        for (i = 0; i < parts; i++)
            memset(stream + part[i][0], 0xa5, (size_t)(part[i][1] - part[i][0]));
        from = padici_codec_known_list(record + b * PADICI_CODEC_RECORD, &end);
        if (from) memset(stream + from, 0xa5, (size_t)(end - from));
    }
    return PADIC_OK;
}

// Round 0: what exceptions take; 1: their bytes.
PADICI_FN padic_result padici_test_codec_off(padici_gpu_case *c)
{
    const uint32_t writing = c->round;
    padici_codec_known x;
    uint8_t *stream;
    uint32_t *record, b;
    padic_result result;
    c->round = 1;
    result = padici_codec_known_begin(c, &x, 2, 0);
    c->round = writing;
    c->again = !writing;
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result)
        result = padici_codec_known_tail(
            c, &x, 1, writing ? PADICI_CODEC_FRAMED : PADICI_CODEC_MEASURED, NULL);
    if (result) return result;
    x.k.writing = writing;
    memcpy(&c->params, &x.k, sizeof x.k);
    record = (uint32_t *)padici_gpu_answer(c, 1);
    stream = (uint8_t *)padici_gpu_answer(c, 3);
    if (!record || !stream) return PADIC_ERROR_MEMORY;
    stream += PADICI_CODEC_KNOWN_SKIP;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint32_t framed[PADICI_CODEC_RECORD], *r = record + b * PADICI_CODEC_RECORD;
        uint64_t *words =
            (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
        uint8_t spare[PADICI_CODEC_KNOWN_GROUPS];
        uint64_t from, end;
        if (!words) return PADIC_ERROR_MEMORY;
        padici_codec_known_record(&x, b, padici_codec_known_block(&x, b, words), words,
                                  PADICI_CODEC_FRAMED, framed, spare);
        from = padici_codec_known_list(framed, &end);
        if (from && writing) memcpy(stream + from, x.stream + from, (size_t)(end - from));
        if (!writing) {
            r[PADICI_CODEC_R_SIZE] = framed[PADICI_CODEC_R_SIZE];
            r[PADICI_CODEC_R_EXCEPTIONS + 1] = framed[PADICI_CODEC_R_EXCEPTIONS + 1];
        }
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_codec_range(padici_gpu_case *c)
{
    padici_codec_known x;
    int64_t *range;
    uint32_t i;
    padic_result result;
    c->round = 1; // floats
    result = padici_codec_known_begin(c, &x, 1, 0);
    c->round = 0;
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (result) return result;
    if (!padici_gpu_image(c, 1, 16 * 3)) return PADIC_ERROR_MEMORY;
    range = (int64_t *)padici_gpu_answer(c, 1);
    if (!range) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 6; i++) range[i] = i % 2 ? INT64_MIN : INT64_MAX;
    for (i = 0; i < PADICI_CODEC_KNOWN_COUNT; i++) {
        const uint64_t bits = padici_codec_element(x.elements, i, x.size);
        const int64_t n = (int64_t)padici_codec_to_ordered(x.dtype, bits, x.size);
        int64_t *own = range + 2 * (i / 256 % 3);
        if (x.size == 4 && (bits & 0x7fffffffu) > 0x7f7fffffu) continue;
        if (x.size == 8 && (bits << 1) > UINT64_C(0xffdfffffffffffff)) continue;
        if (n < own[0]) own[0] = n;
        if (n > own[1]) own[1] = n;
    }
    return PADIC_OK;
}

#endif
