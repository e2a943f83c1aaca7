#include "prove_test.h"
#include "../../core/splitmix.h"
#include "coded_test.h"
#include "job.h"
#include "known.h"
#include "look_test.h"
#include "unpack.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC)

// Tests of the proof.

// An array, and what came back of it: in round 0 but for the last element of block 2; in round 1 of
// the bound's floats, but for one of block 3, and a header that is another.
PADICI_FN padic_result padici_test_codec_prove(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *back, *stream;
    uint32_t *status, at, wrong;
    padic_result result = padici_codec_known_begin(c, &x, 2, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (result) return result;
    back = (uint8_t *)padici_gpu_image(c, 2, (PADICI_CODEC_KNOWN_COUNT * x.size + 7u) & ~7u);
    stream = (uint8_t *)padici_gpu_image(c, 4, (PADICI_CODEC_KNOWN_SKIP + x.bytes + 7) &
                                                   ~UINT64_C(3));
    status = (uint32_t *)padici_gpu_image(c, 5, PADICI_CODEC_KNOWN_STATUS);
    if (!back || !stream || !status) return PADIC_ERROR_MEMORY;
    memset(status, 0, PADICI_CODEC_KNOWN_STATUS);
    memcpy(stream + PADICI_CODEC_KNOWN_SKIP, x.stream, (size_t)x.bytes);
    memcpy(back, x.back, PADICI_CODEC_KNOWN_COUNT * x.size);
    wrong = c->round ? 3 : 2;
    at = 3 * PADICI_CODEC_KNOWN_STEP - (c->round ? 0 : 1);
    back[(at + 1) * x.size - 1] ^= 0x10;
    if (c->round) stream[PADICI_CODEC_KNOWN_SKIP + 33] ^= 2;
    if (!padici_gpu_image(c, 3, c->buffers[2].size)) return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[3].image, back, PADICI_CODEC_KNOWN_COUNT * x.size);
    status = (uint32_t *)padici_gpu_answer(c, 5);
    if (!status) return PADIC_ERROR_MEMORY;
    padici_codec_known_bad(status, wrong);
    if (c->round) status[2] = 1;
    return PADIC_OK;
}

// Blocks 1 and 4 become raw.
PADICI_FN padic_result padici_test_codec_redo(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *width;
    uint32_t *record, *status, b, g;
    padic_result result = padici_codec_known_begin(c, &x, 2, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (!result) result = padici_codec_known_plans(c, &x, 3);
    if (result) return result;
    if (!padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_BLOCKS * PADICI_CODEC_KNOWN_GROUPS))
        return PADIC_ERROR_MEMORY;
    status = (uint32_t *)padici_gpu_image(c, 4, PADICI_CODEC_KNOWN_STATUS);
    if (!status) return PADIC_ERROR_MEMORY;
    memset(status, 0, PADICI_CODEC_KNOWN_STATUS);
    status[PADICI_CODEC_STATUS + 1] = status[PADICI_CODEC_STATUS + 4] = 1;
    width = (uint8_t *)padici_gpu_answer(c, 2);
    record = (uint32_t *)padici_gpu_answer(c, 3);
    status = (uint32_t *)padici_gpu_answer(c, 4);
    if (!width || !record || !status) return PADIC_ERROR_MEMORY;
    status[2] = 2;
    for (b = 1; b < PADICI_CODEC_KNOWN_BLOCKS; b += 3) {
        const uint32_t n = padici_codec_known_extent(b);
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        const uint64_t sum = padici_checksum(
            x.elements + b * PADICI_CODEC_KNOWN_STEP * x.size, n * x.size, b);
        memset(r, 0, PADICI_CODEC_RECORD * sizeof *r);
        r[PADICI_CODEC_R_SIZE] = n * x.size + 9;
        r[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_RAW;
        r[PADICI_CODEC_R_SUM] = (uint32_t)sum;
        r[PADICI_CODEC_R_SUM + 1] = (uint32_t)(sum >> 32);
        r[PADICI_CODEC_R_WIDTH] = 8 * x.size;
        r[PADICI_CODEC_R_BYTES] = n * x.size;
        for (g = 0; g * 256 < n; g++)
            width[b * PADICI_CODEC_KNOWN_GROUPS + g] = (uint8_t)(8 * x.size);
    }
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_codec(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_CODEC_MEASURE, 0, 0, padici_test_codec_measure, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_SCAN, 0, 0, padici_test_codec_scan, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_FRAMES, 0, 0, padici_test_codec_frames, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_FILL, 0, 0, padici_test_codec_fill, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_OFF, 0, 0, padici_test_codec_off, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_CLASSES, 0, 0, padici_test_codec_classes, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_RANS, 0, 0, padici_test_codec_rans, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_CODED, 0, 0, padici_test_codec_coded, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_RANGE, 0, 0, padici_test_codec_range, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_MEND, 0, 0, padici_test_codec_mend, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_LOOK, 0, 0, padici_test_codec_look, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_UNPACK, 0, 0, padici_test_codec_unpack, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_SWIFT, 0, 0, padici_test_codec_swift, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_REST, 0, 0, padici_test_codec_rest, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_TOKENS, 0, 0, padici_test_codec_tokens, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_EXPAND, 0, 0, padici_test_codec_expand, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_PROVE, 0, 0, padici_test_codec_prove, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CODEC_REDO, 0, 0, padici_test_codec_redo, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
