#pragma once
#include "net.h"
#include "../../rollout/going.h"

#ifndef PADIC_NO_ROLLOUT

// Frames of a rollout for its stream. A step leaves its frame in one of two slots of the device,
// which is copied to the host while the next step computes; the stream gets it after that has been
// launched. The host has two rings: one is filled while the stream may still read the other. For a
// record with a profile the device has those of a block, which are packed before the next step.
typedef struct padici_gpu_rollout_stream {
    const padic_rollout_run_desc *desc; // NULL: there is none
    const padici_gpu_rollout *n;
    uint64_t numbers, frames; // of a frame; F
    uint32_t ring;
    uint32_t beside;          // copies are beside the queue
    uint32_t packs;           // `buffer` has `ring` frames of each trajectory, to be packed
    padic_buffer buffer;
    padici_gpu_block block;   // the slots; of `buffer` only its memory
    char *host;
    uint64_t size, bytes;     // of the frames of n->batch trajectories; of `host`
    uint32_t waits, t;        // a frame has been copied, or is being, of step t
    uint64_t frame;
    padic_result failed; // the record that frames go to has said so
} padici_gpu_rollout_stream;

// Of a checked desc: what it takes of each trajectory, before memory; then memory. What it has
// taken is given back by the end, whatever the result was.
PADICI_FN void padici_gpu_rollout_stream_lay(padici_gpu_rollout_stream *s, padici_gpu_rollout *n,
                                             const padic_rollout_run_desc *desc);
PADICI_FN padic_result padici_gpu_rollout_stream_begin(padici_gpu_rollout_stream *s);
PADICI_FN void padici_gpu_rollout_stream_end(padici_gpu_rollout_stream *s);
// Where frame `frame` goes: frame *own of *frames, from a place in s->block on, in numbers, of
// trajectory 0 of the rollout (less than 0, modulo 2^64, where that is not in hand).
PADICI_FN uint64_t padici_gpu_rollout_stream_place(const padici_gpu_rollout_stream *s,
                                                   uint64_t frame, uint64_t *own,
                                                   uint64_t *frames);
// After the launches of step t, which has made `frame` if `wanted`. *stop: the stream said so.
PADICI_FN padic_result padici_gpu_rollout_stream_step(padici_gpu_rollout_stream *s, uint32_t t,
                                                      int wanted, uint64_t frame, int *stop);
// After the last step of the trajectories in hand; or when they are given up, `hand` 0.
PADICI_FN padic_result padici_gpu_rollout_stream_rest(padici_gpu_rollout_stream *s, int hand,
                                                      int *stop);

#endif
