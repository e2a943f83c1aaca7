#pragma once
#include "../level.h"
#include "../../codec/contexts.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN int padici_codec_rows_fit(const padici_codec_context_plan *plan, size_t n, size_t room);
PADICI_FN PADICI_AVX2 void padici_codec_stretches(const uint8_t *rows, uint8_t *data, size_t steps,
                                                  size_t length, size_t n);

// What a class depends on: a column, the byte before, the two before, any bytes.
enum {
    PADICI_CODEC_CONTEXT_COLUMN,
    PADICI_CODEC_CONTEXT_ONE,
    PADICI_CODEC_CONTEXT_TWO,
    PADICI_CODEC_CONTEXT_ANY
};

#define PADICI_CODEC_CONTEXT(L, TARGET) \
    PADICI_FN TARGET size_t padici_codec_context_##L( \
        const padici_codec_context_plan *plan, const uint32_t *table, const uint8_t *map, \
        uint32_t state[32], uint8_t *data, size_t n, const uint8_t **words, const uint8_t *end, \
        uint8_t *rows, size_t room) \
    { \
        size_t j; \
        uint8_t *const row = rows + 64; \
        if (!padici_codec_rows_fit(plan, n, room)) return 0; \
        memset(rows, 0, 64); \
        if (plan->a == 0) \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row, \
                                             PADICI_CODEC_CONTEXT_COLUMN); \
        else if (plan->a == 1 && plan->b == 0) \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row, \
                                             PADICI_CODEC_CONTEXT_ONE); \
        else if (plan->a == 1 && plan->b == 2) \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row, \
                                             PADICI_CODEC_CONTEXT_TWO); \
        else \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row, \
                                             PADICI_CODEC_CONTEXT_ANY); \
        padici_codec_stretches(row, data, j, plan->length, n); \
        return j; \
    }

PADICI_FN PADICI_AVX2 void padici_codec_slots_avx2(const uint16_t freq[256], uint32_t *table);

PADICI_FN size_t padici_codec_context_avx2(const padici_codec_context_plan *plan,
                                           const uint32_t *table, const uint8_t *map,
                                           uint32_t state[32], uint8_t *data, size_t n,
                                           const uint8_t **words, const uint8_t *end, uint8_t *rows,
                                           size_t room);

#endif
