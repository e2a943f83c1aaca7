#pragma once
#include "../core/platform.h"
#include "going.h"

#ifndef PADIC_NO_ROLLOUT

#define PADICI_ROLLOUT_FILE_HEAD 48u // bytes before a block's own
#define PADICI_ROLLOUT_FILE_MOST ((uint64_t)1 << 40) // of any extent, of bytes of a frame block
#define PADICI_ROLLOUT_FILE_CHOICES 1024u
#define PADICI_ROLLOUT_FILE_ARRAYS 8u

// What a block is, by its first four bytes.
enum {
    PADICI_ROLLOUT_FILE_WHAT = 0x44414548,   // "HEAD"
    PADICI_ROLLOUT_FILE_ARRAY = 0x41525241,  // "ARRA"
    PADICI_ROLLOUT_FILE_FRAMES = 0x4d415246, // "FRAM"
    PADICI_ROLLOUT_FILE_RESULT = 0x4c534552, // "RESL": metrics and the status of a trajectory
    PADICI_ROLLOUT_FILE_INDEX = 0x58444e49,  // "INDX"
    PADICI_ROLLOUT_FILE_END = 0x20444e45     // "END "
};

// Numbers one after another, little-endian: written, counted, or read. One list of fields serves
// all three.
typedef struct padici_rollout_file_bytes {
    uint8_t *at; // NULL: counted
    uint64_t used, size;
    int reading, wrong; // wrong: read past the end
} padici_rollout_file_bytes;

typedef struct padici_rollout_file_block {
    uint32_t tag, count;
    uint64_t size, trajectory, frame, checksum;
} padici_rollout_file_block;

// All that the first block says, and what follows from it.
typedef struct padici_rollout_file_what {
    padic_rollout_run_desc run; // tensors without memory
    padic_rollout_node node[PADIC_ROLLOUT_NODES];
    padic_rollout_noise_law law[PADIC_ROLLOUT_NODES];
    double scale[PADIC_ROLLOUT_NODES];
    float range[2];
    padic_rollout_parameter parameter[PADIC_ROLLOUT_SOBOL_DIMENSIONS];
    double choice[PADICI_ROLLOUT_FILE_CHOICES];
    uint32_t measures, flags, parameters;
    uint32_t block, level, mode, profile, columns;
    double tolerance;
    padic_tensor unit, physical;
    uint64_t weights_seed, hash;
    uint64_t operators, initials, realisations, trajectories;
    uint64_t count;            // P
    uint64_t frames, rows;     // F, F_r
    uint64_t numbers, blocks;  // of a frame; of frames of a trajectory
    uint64_t pieces;           // of all trajectories: blocks and a result of each
} padici_rollout_file_what;

PADICI_FN void padici_rollout_file_u32(padici_rollout_file_bytes *b, uint32_t *value);
PADICI_FN void padici_rollout_file_u64(padici_rollout_file_bytes *b, uint64_t *value);
PADICI_FN void padici_rollout_file_f64(padici_rollout_file_bytes *b, double *value);
PADICI_FN void padici_rollout_file_block_put(const padici_rollout_file_block *block,
                                              uint8_t *head);
PADICI_FN int padici_rollout_file_block_get(padici_rollout_file_block *block, const uint8_t *head);
// The first block's own bytes, and back. CORRUPT: no record that this library could have made.
PADICI_FN void padici_rollout_file_fields(padici_rollout_file_bytes *b,
                                          padici_rollout_file_what *what);
PADICI_FN padic_result padici_rollout_file_follow(padici_rollout_file_what *what);
// Array i of the record: its view. dtype NONE: it is not there.
PADICI_FN padic_tensor *padici_rollout_file_array_of(padici_rollout_file_what *what, uint32_t i);
// An array's, or a block's, bytes: OK if it holds what it must, and `out` has it then.
PADICI_FN padic_result padici_rollout_file_unpack(padic_context *context, const uint8_t *bytes,
                                            uint64_t size, const padic_tensor *holds,
                                            const uint64_t *begin, const padic_tensor *out);
PADICI_FN uint64_t padici_rollout_file_result_bytes(const padici_rollout_file_what *what);
PADICI_FN uint64_t padici_rollout_file_frames_of(const padici_rollout_file_what *what,
                                                 uint64_t block);

// Of rollouts that stream to a record. Frames of a block; how they are packed.
PADICI_FN uint32_t padici_rollout_record_block(const padic_rollout_record *record);
PADICI_FN padic_codec_profile padici_rollout_record_profile(const padic_rollout_record *record,
                                                            padic_codec_tolerance_mode *mode);
// Whether it has the frames of that rollout; whether it was begun with this context.
PADICI_FN padic_result padici_rollout_record_fits(padic_context *context,
                                                  const padic_rollout_run_desc *run);
PADICI_FN padic_result padici_rollout_record_own(padic_context *context,
                                                 const padic_rollout_record *record);
// Frames of a view, once they are a whole block or the last one.
PADICI_FN padic_result padici_rollout_record_take(const padic_rollout_stream *stream,
                                                  const padic_rollout_view *view);

#endif
