#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "constants.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

typedef struct padici_codec_context_plan {
    uint32_t count;   // number of tables
    uint32_t a, b;    // distances, b may be 0: none; or a = 0 and b columns
    size_t length;    // of a stretch
    uint16_t from[PADICI_CODEC_CONTEXTS]; // first sum or column of context k
} padici_codec_context_plan;

#define PADICI_CODEC_CONTEXT_BINS 48u // a candidate's contexts before merging
#define PADICI_CODEC_COLUMNS 256u     // most columns
#define PADICI_CODEC_STEP_ROOM 16384u // after the bytes of a block: columns lengthen stretches

PADICI_FN int padici_codec_bounded_fast(const padici_codec_work *w);
PADICI_FN uint64_t padici_codec_context_choose(padici_codec_work *w, const uint8_t *data, size_t n,
                                               uint32_t symbols, uint64_t alone,
                                               padici_codec_context_plan *best);
PADICI_FN void padici_codec_context_put(padici_codec_work *w, const uint8_t *data, size_t n,
                                        const padici_codec_context_plan *plan);
PADICI_FN size_t padici_codec_context_none(const padici_codec_context_plan *plan,
                                           const uint32_t *table, const uint8_t *map,
                                           uint32_t *state, uint8_t *data, size_t n,
                                           const uint8_t **p, const uint8_t *end, uint8_t *rows,
                                           size_t room);
PADICI_FN void padici_codec_context_take(padici_codec_work *w, padici_codec_reader *in,
                                         uint8_t *data, size_t n);

#endif
