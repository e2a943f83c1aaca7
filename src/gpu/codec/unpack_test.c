#include "unpack_test.h"
#include "job.h"
#include "known.h"
#include "look_test.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC)

// Tests of the kernels that make elements.

// In round 1 the sum of block 2, which is coded, is wrong.
PADICI_FN padic_result padici_test_codec_expand(padici_gpu_case *c)
{
    padici_codec_known x;
    uint32_t *record, *status;
    uint8_t *tokens, *elements;
    padic_result result = padici_codec_known_input(c, &x, 1, 4, 1);
    if (result) return result;
    tokens = (uint8_t *)padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_COUNT);
    record = (uint32_t *)(void *)c->buffers[1].image;
    if (!tokens) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_FRAMES_SCANNED, record, NULL);
    if (!result) result = padici_codec_known_tokens(c, &x, record, tokens);
    if (result) return result;
    if (!padici_codec_known_coded(&x, 2)) return PADIC_ERROR_SELF_TEST;
    if (c->round == 1) record[2 * PADICI_CODEC_RECORD + PADICI_CODEC_R_SUM] ^= 1;
    if (!padici_gpu_image(c, 3, ((x.skip + PADICI_CODEC_KNOWN_COUNT) * x.size + 7u) & ~7u))
        return PADIC_ERROR_MEMORY;
    elements = (uint8_t *)padici_gpu_answer(c, 3);
    status = (uint32_t *)padici_gpu_answer(c, 4);
    if (!elements || !status) return PADIC_ERROR_MEMORY;
    padici_codec_known_answer(&x, PADICI_CODEC_BY_EXPAND, record, elements);
    if (c->round == 1) padici_codec_known_bad(status, 2);
    return PADIC_OK;
}

// In round 1 the sum of block 3, or of one that `rest` makes, is wrong.
static padic_result padici_codec_known_unpack(padici_gpu_case *c, int kernel)
{
    padici_codec_known x;
    uint8_t *elements;
    uint32_t *status, *record, *answer, b, wrong = 3;
    padic_result result = padici_codec_known_input(c, &x, 1, 3, 0);
    if (result) return result;
    if (kernel == PADICI_CODEC_BY_SWIFT ||
        (kernel == PADICI_CODEC_BY_UNPACK && c->round > 1 && x.size < 8))
        x.k.writing = (c->gpu->info->features & PADIC_FEATURE_SUBGROUPS) != 0;
    PADICI_CODEC_PAIR(x.k, room, x.index);
    memcpy(&c->params, &x.k, sizeof x.k);
    record = (uint32_t *)(void *)c->buffers[1].image;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_FRAMES_SCANNED, record, NULL);
    if (result) return result;
    if (kernel == PADICI_CODEC_BY_REST) ((uint32_t *)(void *)c->buffers[3].image)[1] = 2;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && kernel != PADICI_CODEC_BY_UNPACK; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        if (padici_codec_known_kernel(&x, b, r) != kernel) continue;
        if (kernel == PADICI_CODEC_BY_REST) r[PADICI_CODEC_R_STEP] = 1;
        wrong = b;
    }
    if (c->round == 1) record[wrong * PADICI_CODEC_RECORD + PADICI_CODEC_R_SUM] ^= 1;
    elements = (uint8_t *)padici_gpu_image(
        c, 2, ((x.skip + PADICI_CODEC_KNOWN_COUNT) * x.size + 7u) & ~7u);
    if (!elements) return PADIC_ERROR_MEMORY;
    elements = (uint8_t *)padici_gpu_answer(c, 2);
    status = (uint32_t *)padici_gpu_answer(c, 3);
    answer = kernel == PADICI_CODEC_BY_REST ? record : (uint32_t *)padici_gpu_answer(c, 1);
    if (!elements || !status || !answer) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && kernel != PADICI_CODEC_BY_REST; b++) {
        const uint32_t *r = record + b * PADICI_CODEC_RECORD;
        const int delta = r[PADICI_CODEC_R_MODE] == PADICI_CODEC_M_DELTA;
        if (padici_codec_known_kernel(&x, b, r) != PADICI_CODEC_BY_REST ||
            (delta && x.k.writing) != (kernel == PADICI_CODEC_BY_SWIFT))
            continue;
        answer[b * PADICI_CODEC_RECORD + PADICI_CODEC_R_STEP] = 1;
        status[1] |= 2;
    }
    padici_codec_known_answer(&x, kernel, record, elements);
    if (c->round == 1 &&
        padici_codec_known_kernel(&x, wrong, record + wrong * PADICI_CODEC_RECORD) == kernel)
        padici_codec_known_bad(status, wrong);
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_codec_unpack(padici_gpu_case *c)
{
    return padici_codec_known_unpack(c, PADICI_CODEC_BY_UNPACK);
}

PADICI_FN padic_result padici_test_codec_swift(padici_gpu_case *c)
{
    if (padici_gpu_define(c, "PD_CODEC_SIZE", 4) == 8 ||
        !(c->gpu->info->features & PADIC_FEATURE_SUBGROUPS))
        return PADIC_ERROR_NOT_SUPPORTED; // it is not used there
    return padici_codec_known_unpack(c, PADICI_CODEC_BY_SWIFT);
}

PADICI_FN padic_result padici_test_codec_rest(padici_gpu_case *c)
{
    return padici_codec_known_unpack(c, PADICI_CODEC_BY_REST);
}

// In round 1 a sum is wrong.
PADICI_FN padic_result padici_test_codec_mend(padici_gpu_case *c)
{
    const uint32_t round = c->round;
    padici_codec_known x;
    uint8_t *elements;
    uint32_t *status, *record, b;
    padic_result result;
    c->round = 1;
    result = padici_codec_known_input(c, &x, 1, 3, 0);
    c->round = round;
    c->again = !round;
    if (result) return result;
    record = (uint32_t *)(void *)c->buffers[1].image;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_FRAMES_SCANNED, record, NULL);
    elements = (uint8_t *)padici_gpu_image(
        c, 2, ((x.skip + PADICI_CODEC_KNOWN_COUNT) * x.size + 7u) & ~7u);
    if (result || !elements) return result ? result : PADIC_ERROR_MEMORY;
    memcpy(elements + x.skip * x.size, x.made, PADICI_CODEC_KNOWN_COUNT * x.size);
    elements = (uint8_t *)padici_gpu_answer(c, 2);
    status = (uint32_t *)padici_gpu_answer(c, 3);
    if (!elements || !status) return PADIC_ERROR_MEMORY;
    memcpy(elements + x.skip * x.size, x.back, PADICI_CODEC_KNOWN_COUNT * x.size);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && round; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        if (!r[PADICI_CODEC_R_EXCEPTIONS]) continue;
        r[PADICI_CODEC_R_SUM] ^= 1;
        padici_codec_known_bad(status, b);
    }
    return PADIC_OK;
}

#endif
