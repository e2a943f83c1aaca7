#pragma once
#include "../../codec/choose_profiles.h"
#include "../../codec/buffers.h"
#include "../../core/platform.h"
#include "../tests.h"
#include "../texts.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_KNOWN_STEP 1100u
#define PADICI_CODEC_KNOWN_BLOCKS 5u
#define PADICI_CODEC_KNOWN_COUNT 4537u
#define PADICI_CODEC_KNOWN_GROUPS 5u // of a block
#define PADICI_CODEC_KNOWN_SKIP 5u   // bytes before the stream

typedef struct padici_codec_known {
    padic_dtype dtype;
    uint32_t size, skip; // skip: elements before the array
    int bounded;         // within a bound: blocks of a scale, exceptions in the last one
    padici_codec_drive d;
    padici_k_codec_stream_params k;
    uint8_t *elements, *stream;
    uint8_t *back, *made; // what the stream holds; the same without its exceptions
    uint64_t bytes, index; // of the stream; where its index begins
    padici_spread spread;  // of the block seen last
    uint64_t top[PADICI_CODEC_KNOWN_GROUPS], apart[PADICI_CODEC_KNOWN_GROUPS];
} padici_codec_known;

PADICI_FN uint8_t *padici_codec_known_space(padici_gpu_case *c, size_t size);
PADICI_FN const uint8_t *padici_codec_known_frame(const padici_codec_known *x, uint32_t b);
PADICI_FN uint32_t padici_codec_known_extent(uint32_t b);
PADICI_FN uint32_t padici_codec_known_scale(const padici_codec_known *x, uint32_t b,
                                            uint32_t *scale);
PADICI_FN int padici_codec_known_off(const padici_codec_known *x, uint32_t i);
PADICI_FN padic_result padici_codec_known_begin(padici_gpu_case *c, padici_codec_known *x,
                                                uint32_t rounds, int coded);
PADICI_FN uint32_t padici_codec_known_block(padici_codec_known *x, uint32_t b, uint64_t *words);

// How much of a record a kernel finds, or makes.
enum { PADICI_CODEC_MEASURED, PADICI_CODEC_PLACED, PADICI_CODEC_FRAMED, PADICI_CODEC_LOOKED };

PADICI_FN void padici_codec_known_wide(uint64_t word, uint32_t *r);
PADICI_FN void padici_codec_known_record(padici_codec_known *x, uint32_t b, uint32_t n,
                                         const uint64_t *words, int stage, uint32_t *r,
                                         uint8_t *width);
PADICI_FN padic_result padici_codec_known_records(padici_gpu_case *c, padici_codec_known *x,
                                                  int stage, uint32_t *record, uint8_t *width);
PADICI_FN padic_result padici_codec_known_image(padici_gpu_case *c, const padici_codec_known *x,
                                                uint32_t buffer);

#endif
