#pragma once
#include "../core/platform.h"
#include "differences.h"
#include "grid.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_HEADER_MOST (52u + 12u * PADIC_MAX_RANK)
#define PADICI_CODEC_INDEX_FIXED 48u
#define PADICI_CODEC_SEED_HEAD 0x44414548u
#define PADICI_CODEC_SEED_INDEX 0x58444e49u
#define PADICI_CODEC_UNKNOWN_LENGTH 1u
#define PADICI_CODEC_FEATURE_REFERENCE 1u
#define PADICI_CODEC_FEATURE_LAYERS 2u
#define PADICI_CODEC_FEATURE_CONTEXT 256u // streams coded with contexts
#define PADICI_CODEC_FEATURE_MATCH 512u   // the pattern MATCH
#define PADICI_CODEC_FEATURE_WINDOW 1024u // u32 blocks of a super-block, after block[] and layers
#define PADICI_CODEC_FEATURE_LINEAR 2048u // the predictor LINEAR
#define PADICI_CODEC_FEATURE_FLOATS 4096u // which sums floats
#define PADICI_CODEC_FEATURE_REPEAT 8192u // streams with repeats of bytes, the transform PLAIN
#define PADICI_CODEC_FEATURES 16131u
#define PADICI_CODEC_MAX_LAYERS 8u

typedef struct padici_codec_header {
    padici_codec_grid grid;
    uint32_t version, level, flags, size;
    uint32_t features, layers; // layers: 1 without the feature
    padic_codec_tolerance_mode tolerance_mode;
    double tolerance, error_bound;
    const char *fault; // why a desc or stream is refused, and what would be right
    uint64_t need;     // the bytes it mentions, or 0
} padici_codec_header;

PADICI_FN padic_result padici_codec_reject(padici_codec_header *header, padic_result result,
                                           const char *sentence);
PADICI_FN const char *padici_codec_view_fault(const padic_tensor *t, padic_result result);
PADICI_FN size_t padici_codec_header_size(uint32_t rank, uint32_t features);
PADICI_FN void padici_codec_put_header(uint8_t *p, const padici_codec_header *header);
PADICI_FN padic_result padici_codec_take_header(const uint8_t *p, size_t size,
                                                padici_codec_header *header);
PADICI_FN uint64_t padici_codec_index_sum(const void *head, const void *offsets, size_t blocks,
                                          const void *at);
PADICI_FN padic_result padici_codec_index_check(const uint8_t *index, uint64_t length,
                                                padici_codec_header *header);
PADICI_FN padic_result padici_codec_take_index(const uint8_t *p, size_t size,
                                               padici_codec_header *header,
                                               const uint8_t **offsets);

// A block is stored in a frame: u32 size of the payload, u32 extent along axis 0, u64 checksum of
// the elements (little-endian, seed: the block's number), payload.
typedef struct padici_codec_frame {
    const uint8_t *payload;
    size_t size;
    uint32_t rows;
    uint64_t checksum;
} padici_codec_frame;

PADICI_FN int padici_codec_take_frame(const uint8_t *p, uint64_t size, uint64_t at,
                                      padici_codec_frame *frame);
PADICI_FN int padici_codec_frame_of(const uint8_t *p, uint64_t size,
                                    const padici_codec_header *header, const uint8_t *offsets,
                                    uint64_t number, padici_codec_frame *frame);
PADICI_FN void padici_codec_window_enter(padici_codec_work *w, uint64_t super);
PADICI_FN size_t padici_codec_slot_size(const padici_codec_grid *grid);
PADICI_FN int padici_codec_decode_block(const padici_codec_grid *grid, padici_codec_work *w,
                                        const padici_codec_box *box, uint64_t index,
                                        const padici_codec_frame *frame, int move);

#endif
