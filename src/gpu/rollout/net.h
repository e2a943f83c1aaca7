#pragma once
#include "../../core/platform.h"
#include "../../rollout/engine.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_ROLLOUT

#define PADICI_GPU_ROLLOUT_CELLS 1024u // of a channel, of a group: rollout/number.cl
#define PADICI_GPU_ROLLOUT_FETCHED 4u
#define PADICI_GPU_ROLLOUT_PARTIAL 7u // numbers of rollout/rollout.cl

enum { // kinds of rollout/each.cl
    PADICI_GPU_ROLLOUT_COPY = 0,
    PADICI_GPU_ROLLOUT_ADD = 1,
    PADICI_GPU_ROLLOUT_CONCAT = 2,
    PADICI_GPU_ROLLOUT_MEAN = 3,
    PADICI_GPU_ROLLOUT_NEAREST = 4,
    PADICI_GPU_ROLLOUT_BILINEAR = 5
};

// Where a node's things are among the numbers of a trajectory, and how its kernel goes over it.
typedef struct padici_gpu_rollout_place {
    uint64_t field, moments, map;
    uint32_t acts, norms, counts; // it has an activation, a norm; the norm has statistics
    uint32_t settles; // they are done to its field once, else by each reader
    uint32_t wide, tall, sides, chunk, lines, single, ahead; // tiles of CONV: rollout/conv.cl
    uint32_t tiles, count;                    // of a row; all
    uint32_t up, rows, columns;               // modes, and turns of W and of H cells, among the
    uint32_t cells[2], turns[2], fresh[2];    // weights; fresh: no earlier node has these
    uint32_t amplitudes;                      // among n->spectra
} padici_gpu_rollout_place;

// How a node of 16 bits is done: wide.c. A convolution (span not 0) reads node `from`, 8 `blocks`
// channels at a time, `chunks` times; `n` channels of the output are a group's. w: place of its
// weights in `halves`, in 16 bytes.
typedef struct padici_gpu_rollout_wide_node {
    uint32_t span, from, n, blocks, chunks, groups, w;
    uint32_t ring, more, bytes; // variants: ring.cu; tile.cu
    uint32_t plain;              // its norm and activation are done in place
    uint32_t late;               // the map of its norm is made by a launch of its own
} padici_gpu_rollout_wide_node;

// An operator on a device, for one call.
typedef struct padici_gpu_rollout {
    padici_gpu *gpu;
    const padici_call *call;
    padici_rollout_engine e; // what the host says of the nodes, without memory
    padici_gpu_rollout_place place[PADIC_ROLLOUT_NODES + 1];
    padici_gpu_rollout_wide_node wide[PADIC_ROLLOUT_NODES + 1];
    uint64_t each;    // numbers of a trajectory's memory
    uint64_t modes;   // of them, those before modes: spectral.c
    uint64_t packed;  // numbers of `weights`: packed weights and turns
    uint64_t batch;   // trajectories in it
    uint64_t size;    // bytes of all
    uint32_t noisy;   // NOISE nodes that do something
    padici_gpu_block memory, weights, tables, faulty;
    padici_gpu_block halves, marks; // in 16 bits: weights; words of trajectories
    uint32_t halves_each;           // of an operator, in 16 bytes
    uint32_t beside;                // numbers of a trajectory's words
    uint64_t apart;                 // of its frames that wait for their copy
    padic_mem state;  // node 0: of trajectory 0 of the evaluation,
    uint32_t state_at, state_step;
    uint32_t first, count; // of the evaluation: trajectories
    // words of `tables`; scales: of each NOISE node, of each of `times` steps, two of each operator
    uint32_t words, quantiles, ids, realisations, policy, scales, times;
    uint32_t spectra, amplitudes; // those of noise with a length, and how many
    uint32_t time; // of them
    uint32_t now;  // word of tables with t of a plan; after the words of `faulty` it is as well
    uint32_t ticks; // whether kernels take t from there
    struct {
        void *memory;
        size_t size;
    } fetched[PADICI_GPU_ROLLOUT_FETCHED];
    uint32_t fetched_count;
} padici_gpu_rollout;

// A field that nodes read.
typedef struct padici_gpu_rollout_source {
    padic_mem mem;
    uint32_t word[4]; // of params
} padici_gpu_rollout_source;

// One without nodes; a checked operator, NOT_SUPPORTED where kernels do not reach it. To be ended,
// whatever the result; *n is NULL where there is no memory.
PADICI_FN padic_result padici_gpu_rollout_new(padici_gpu *gpu, const padici_call *call,
                                              padici_gpu_rollout **n);
PADICI_FN padic_result padici_gpu_rollout_begin(padici_gpu *gpu, const padici_call *call,
                                                const padic_rollout_operator *op,
                                                const padic_tensor *weights, uint32_t quiet,
                                                padic_rollout_precision precision,
                                                padici_gpu_rollout **n);
PADICI_FN void padici_gpu_rollout_end(padici_gpu_rollout *n);
PADICI_FN const padici_operand *padici_gpu_rollout_operand(const padici_call *call,
                                                           const padic_tensor *t);
// Numbers of a trajectory's memory beside its nodes'.
PADICI_FN uint32_t padici_gpu_rollout_reserve(padici_gpu_rollout *n, uint64_t numbers);
// Memory for as many of `total` trajectories as there may be, and the weights there.
PADICI_FN padic_result padici_gpu_rollout_memory(padici_gpu_rollout *n,
                                                 const padic_tensor *weights, uint64_t total,
                                                 uint64_t max_bytes);
// A small tensor in host memory.
PADICI_FN padic_result padici_gpu_rollout_fetch(padici_gpu_rollout *n, const padic_tensor *t,
                                                padic_tensor *to);
// Ids and scales of noise to the device: from step `first` on, `times` of them. `policy`: words of
// each operator, `policies` of them. Random numbers are those of n->e.chance.
PADICI_FN padic_result padici_gpu_rollout_tables(padici_gpu_rollout *n, uint32_t first,
                                                 uint32_t times, const uint32_t *policy,
                                                 uint32_t policies);
PADICI_FN void padici_gpu_rollout_read(const padici_gpu_rollout *n, uint32_t node,
                                       padici_gpu_rollout_source *source);
PADICI_FN padic_result padici_gpu_rollout_launch(const padici_gpu_rollout *n, uint32_t kernel,
                                                 const padic_mem *mem, uint32_t mem_count,
                                                 const void *params, uint32_t size, uint32_t x,
                                                 uint32_t y, uint32_t z);
// A node's field, as its readers see it, to `out`, trajectories `step` apart.
PADICI_FN padic_result padici_gpu_rollout_copy(const padici_gpu_rollout *n, uint32_t node,
                                               padic_mem out, uint32_t at, uint32_t step);
// ---- spectral.c
// Whether kernels reach a node of modes; where these are, after all else of the nodes; turns.
PADICI_FN int padici_gpu_rollout_modes_fit(const padici_gpu_rollout *n, uint32_t at);
PADICI_FN void padici_gpu_rollout_modes_lay(padici_gpu_rollout *n);
PADICI_FN padic_result padici_gpu_rollout_modes_need(const padici_gpu_rollout *n);
PADICI_FN padic_result padici_gpu_rollout_turns(const padici_gpu_rollout *n);
// Amplitudes of a NOISE node, at `words` + n->place[at].amplitudes.
PADICI_FN void padici_gpu_rollout_amplitudes(const padici_gpu_rollout *n, uint32_t at,
                                             uint32_t *words);
PADICI_FN padic_result padici_gpu_rollout_spectral(const padici_gpu_rollout *n, uint32_t at);
// Normal numbers of a NOISE node with a length: *field is where they are, plus 1; 0: no length.
PADICI_FN padic_result padici_gpu_rollout_correlate(const padici_gpu_rollout *n, uint32_t at,
                                                    uint32_t *field);

// Node `at`, of trajectories n->first to n->first + n->count - 1.
PADICI_FN padic_result padici_gpu_rollout_node(const padici_gpu_rollout *n, uint32_t at);

#endif
