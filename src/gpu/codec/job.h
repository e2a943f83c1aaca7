#pragma once
#include "../../codec/buffers.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_CODEC_PACK

#define PADICI_CODEC_RECORD 20u // words of a block's record; its fields:

enum {
    PADICI_CODEC_R_SIZE = 0,
    PADICI_CODEC_R_MODE = 1,
    PADICI_CODEC_R_SHIFT = 2,
    PADICI_CODEC_R_STEP = 3,
    PADICI_CODEC_R_FIRST = 4,
    PADICI_CODEC_R_SUM = 6,
    PADICI_CODEC_R_WIDTH = 8,
    PADICI_CODEC_R_BYTES = 9,
    PADICI_CODEC_R_AT = 10,
    PADICI_CODEC_R_BODY = 12,
    PADICI_CODEC_R_FACTOR = 14,
    PADICI_CODEC_R_SCALE = 16,
    PADICI_CODEC_R_EXCEPTIONS = 17
};

#define PADICI_CODEC_CODED 66u  // a width: the block is coded
#define PADICI_CODEC_TABLE 296u // words of the statistics of a block's tokens; after 256 of them:

enum {
    PADICI_CODEC_T_HOW = 256,
    PADICI_CODEC_T_WIDEST = 257,
    PADICI_CODEC_T_PLAINS = 258,
    PADICI_CODEC_T_TABLES = 259,
    PADICI_CODEC_T_WORDS = 260,
    PADICI_CODEC_T_STAGE = 261,
    PADICI_CODEC_T_STATES = 264
};

enum { PADICI_CODEC_M_RAW, PADICI_CODEC_M_CONSTANT, PADICI_CODEC_M_PLAIN, PADICI_CODEC_M_DELTA,
       PADICI_CODEC_M_BAD };

enum { // scratch of a call
    PADICI_CODEC_B_TOP,
    PADICI_CODEC_B_APART,
    PADICI_CODEC_B_WIDTH, // unpacking: tokens
    PADICI_CODEC_B_RECORD,
    PADICI_CODEC_B_TOTALS, // unpacking: the status
    PADICI_CODEC_B_TOKENS, // packing coded blocks, as are the next two
    PADICI_CODEC_B_TABLE,
    PADICI_CODEC_B_CHAIN,
    PADICI_CODEC_BLOCKS
};

typedef struct padici_gpu_codec_job {
    padici_gpu *gpu;
    padici_codec_drive *d;
    const char *defines[2];
    uint32_t define_count;
    padici_k_codec_stream_params k;
    padici_gpu_block block[PADICI_CODEC_BLOCKS];
} padici_gpu_codec_job;

PADICI_FN const char *padici_gpu_codec_define(uint32_t size);

#define PADICI_CODEC_UNSCALED 3u // replaces the number of a scale
#define PADICI_CODEC_PAIR(k, name, x) ((k).name##_lo = (uint32_t)(x), \
                                       (k).name##_hi = (uint32_t)((uint64_t)(x) >> 32))

PADICI_FN int padici_gpu_codec_params(const padici_codec_drive *d, int handles,
                                      padici_k_codec_stream_params *k);
PADICI_FN void padici_gpu_codec_work(padici_gpu_codec_job *job, padici_gpu_work *work,
                                     uint32_t kernel, uint32_t mems, uint64_t groups);

#endif
