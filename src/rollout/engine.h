#pragma once
#include "../core/platform.h"
#include "kernels.h"
#include "nodes.h"
#include "../fft/plan.h"
#include "../context/operation.h"

#ifndef PADIC_NO_ROLLOUT

#define PADICI_ROLLOUT_WORKERS 64u
#define PADICI_ROLLOUT_CELLS 1024u // about so many cells of a tile: a tile is whole rows

// Where a node's things lie: bytes in the memory of a trajectory, reals in the packed weights.
typedef struct padici_rollout_place {
    uint64_t field;     // its output, before a norm that needs all of it
    uint64_t moments;   // (tile, channel, 2) doubles
    uint64_t map;       // mu, a, beta of each channel, reals: of the trajectory, or
    uint64_t packed;    // of FROZEN; w: (block of outputs, block of inputs, dy, dx, inputs, 16)
    uint64_t start;     // biases, or zeros
    uint64_t affine;    // gamma, beta
    uint32_t rows, tiles; // of a tile; how many
    uint32_t pending;   // its norm and activation are done where it is read
    struct padici_rollout_spectral *correlated; // NOISE with a length: one of each worker
    padic_fft_plan **plans; // SPECTRAL: one of each worker; that of an earlier node of its grid
    uint32_t shared;        // is not freed
} padici_rollout_place;

// Where NOISE nodes have their random numbers from. Tensors of host memory, checked; NULL: none.
typedef struct padici_rollout_chance {
    uint32_t quiet;  // there is no noise
    uint32_t frames; // T
    uint64_t seed;
    const padic_tensor *ids, *noise_ids, *noise_scale; // (N); (I, M) or (M); (N)
    uint64_t realisations;                             // M, the same for each of I
} padici_rollout_chance;

// Evaluates an operator for `batch` trajectories at a time. Nothing of a result depends on the
// batch, the workers or the trajectories beside.
typedef struct padici_rollout_engine {
    const padici_rollout_kernels *kernels;
    const padic_jobs *jobs;
    const padic_allocator *allocator;
    padic_rollout_operator op;
    padici_rollout_node node[PADIC_ROLLOUT_NODES + 1];
    padici_rollout_place place[PADIC_ROLLOUT_NODES + 1];
    uint64_t parameters;
    uint64_t packed;     // reals of an operator's packed weights
    uint64_t operators;  // N
    uint64_t trajectory; // bytes of one
    uint64_t spectra;    // of them, those before the modes of SPECTRAL nodes
    uint64_t scratch;    // bytes of a worker
    uint64_t batch;
    uint64_t mark;  // of a trajectory's bytes `marks`, one for each item of a node that works on
    uint64_t marks; // it: whether it has met a 16-bit number that is not finite. Then byte 0 is for
                    // all of them
    padic_rollout_precision precision; // F16, BF16, or another
    uint32_t workers;
    char *faulty; // of each operator: whether it has a weight that is not finite
    char *weights, *fields, *pads; // in one block of memory, which begins with this struct
    char *extra;                   // of the caller, for each of a batch
    uint64_t extra_size;
    uint64_t size;
    uint64_t more; // bytes beside it
    void *user; // of the caller, for its own work
    const padic_rollout_tap *taps; // PADIC_ROLLOUT_TAPS of all trajectories; NULL: none
    const padic_rollout_tap *tap;  // in hand
    padici_rollout_chance chance;
    uint32_t step; // t of noise, of the caller
    // of the evaluation in hand
    uint32_t at;             // node
    uint64_t first, count;   // trajectories
    uint64_t per_operator;   // of them
    const void *state;       // (trajectory, C, H, W) of state_dtype, from trajectory `first` on
    void *out;               // the same
    padic_dtype state_dtype;
} padici_rollout_engine;

PADICI_INLINE uint32_t padici_rollout_blocks(uint32_t channels)
{
    return (channels + PADICI_ROLLOUT_LANES - 1) / PADICI_ROLLOUT_LANES;
}

PADICI_INLINE size_t padici_rollout_real(const padici_rollout_engine *e)
{
    return e->kernels->is_double ? 8 : 4;
}

// A real as a double, and back.
PADICI_INLINE double padici_rollout_get(const void *p, uint64_t i, size_t size)
{
    return size == 8 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

PADICI_INLINE void padici_rollout_put(void *p, uint64_t i, size_t size, double value)
{
    if (size == 8) ((double *)p)[i] = value;
    else ((float *)p)[i] = (float)value;
}

PADICI_INLINE char *padici_rollout_field(const padici_rollout_engine *e, uint64_t slot,
                                         uint32_t node)
{
    return e->fields + slot * e->trajectory + e->place[node].field;
}

// Row y of block b of a field, by its shape.
PADICI_INLINE uint64_t padici_rollout_row_at(const padic_rollout_shape *shape, uint32_t b,
                                             uint32_t y)
{
    return ((uint64_t)b * shape->height + y) * shape->width * PADICI_ROLLOUT_LANES;
}

// Packed weights of the operator of a trajectory of the batch.
PADICI_INLINE const char *padici_rollout_weights_of(const padici_rollout_engine *e, uint64_t slot)
{
    return e->weights +
           (e->first + slot) / e->per_operator * e->packed * padici_rollout_real(e);
}

// Which of them has this scratch.
PADICI_INLINE uint32_t padici_rollout_worker(const padici_rollout_engine *e, const char *scratch)
{
    return (uint32_t)((uint64_t)(scratch - e->pads) / e->scratch);
}

PADICI_FN uint32_t padici_rollout_workers(const padic_jobs *jobs);

PADICI_INLINE int padici_rollout_is_half(const padici_rollout_engine *e)
{
    return e->precision == PADIC_ROLLOUT_PRECISION_F16 ||
           e->precision == PADIC_ROLLOUT_PRECISION_BF16;
}

PADICI_INLINE char *padici_rollout_mark(const padici_rollout_engine *e, uint64_t slot, uint64_t i)
{
    return e->fields + slot * e->trajectory + e->mark + i;
}

// The nearest F16 or BF16.
PADICI_FN float padici_rollout_half(padic_rollout_precision precision, float x);
// `count` reals, if the precision has 16 bits; *mark is set by one that is not finite.
PADICI_FN void padici_rollout_halve(const padici_rollout_engine *e, void *reals, uint64_t count,
                                    char *mark);

// Runs fn(e, item, scratch) for all items, whatever worker takes them.
typedef void (*padici_rollout_work)(padici_rollout_engine *e, uint64_t item, char *scratch);
PADICI_FN void padici_rollout_each(padici_rollout_engine *e, uint64_t items,
                                   padici_rollout_work fn);

typedef struct padici_rollout_wish {
    const padic_rollout_operator *op; // checked
    const padic_tensor *weights;      // (N, P), F32 or F64, in host memory
    uint64_t per_operator;            // trajectories
    uint64_t max_bytes;               // 0: none
    uint64_t extra;                   // bytes that the caller needs for each of a batch
    uint64_t beside, fixed;           // that it has elsewhere, for each of a batch, and in all:
                                      // counted only
    uint32_t outputs;                 // and so many outputs beside
    padic_dtype dtype;                // of states
    const padici_rollout_kernels *kernels;
    padic_rollout_precision precision;
    padici_rollout_chance chance;
} padici_rollout_wish;

// Fields share memory where no node needs both: at[i], which is the size of the output of node i
// (0: the state), becomes its place. Returns what all of them take.
PADICI_FN uint64_t padici_rollout_place_fields(const padici_rollout_node *node, uint32_t nodes,
                                               uint64_t *at);

// Lays out, allocates and packs. Errors: MEMORY.
PADICI_FN padic_result padici_rollout_engine_begin(const padic_env *env,
                                                   const padici_rollout_wish *wish,
                                                   padici_rollout_engine **engine);
// The bytes that it would take; 0: more than memory can be, or none to find out.
PADICI_FN uint64_t padici_rollout_engine_size(const padic_env *env,
                                              const padici_rollout_wish *wish);
PADICI_FN void padici_rollout_engine_end(padici_rollout_engine *e);
// Trajectories first to first + count - 1, count <= batch: out = F(state).
PADICI_FN void padici_rollout_evaluate(padici_rollout_engine *e, uint64_t first, uint64_t count,
                                       const void *state, void *out);

// One tile of node e->at: item = trajectory * tiles + tile.
PADICI_FN void padici_rollout_tile(padici_rollout_engine *e, uint64_t item, char *scratch);
// Norms of the node from the moments of its tiles.
PADICI_FN void padici_rollout_norms(padici_rollout_engine *e, uint64_t slot, char *scratch);
// Reals of scratch that a tile of a node needs.
PADICI_FN uint64_t padici_rollout_scratch(const padici_rollout_engine *e, uint32_t at);
// Row y of block b of an earlier node, with its norm and activation, to `to`.
PADICI_FN void padici_rollout_read_row(const padici_rollout_engine *e, uint64_t slot,
                                       uint32_t from, uint32_t b, uint32_t y, void *to,
                                       char *mark);
// NOISE: all cells of a block of channels, item = trajectory * blocks + block.
PADICI_FN void padici_rollout_disturb(padici_rollout_engine *e, uint64_t item, char *scratch);
// SPECTRAL, one step after another, and items of each trajectory in it: blocks of inputs; rows of
// modes; blocks of outputs.
PADICI_FN void padici_rollout_modes_in(padici_rollout_engine *e, uint64_t item, char *scratch);
PADICI_FN void padici_rollout_modes_mix(padici_rollout_engine *e, uint64_t item, char *scratch);
PADICI_FN void padici_rollout_modes_out(padici_rollout_engine *e, uint64_t item, char *scratch);
PADICI_FN padic_result padici_rollout_modes_begin(padici_rollout_engine *e, const padic_env *env);
PADICI_FN void padici_rollout_modes_end(padici_rollout_engine *e);
// What NOISE nodes need beside the engine's memory. Errors: MEMORY.
PADICI_FN padic_result padici_rollout_disturb_begin(padici_rollout_engine *e,
                                                    const padic_env *env);
PADICI_FN void padici_rollout_disturb_end(padici_rollout_engine *e);
// Dtypes and shapes of ids (N), noise_ids (M) or (I, M), by its rank, and noise_scale (N).
PADICI_FN padic_result padici_rollout_chance_check(padic_context *context,
                                                   const padic_tensor *ids,
                                                   const padic_tensor *noise_ids,
                                                   const padic_tensor *noise_scale, uint64_t n,
                                                   uint32_t rank, uint64_t initials,
                                                   uint64_t realisations);
// Their values, against the operator's nodes. ARGUMENT, LIMIT.
PADICI_FN padic_result padici_rollout_chance_values(const padic_env *env,
                                                    const padici_rollout_engine *e);
// s of a NOISE node and an operator, before its schedule.
PADICI_FN double padici_rollout_scale_of(const padici_rollout_engine *e,
                                         const padici_rollout_node *node, uint64_t n);
// Id and realisation of a trajectory.
PADICI_FN uint32_t padici_rollout_operator_id(const padici_rollout_engine *e, uint64_t trajectory);
PADICI_FN uint32_t padici_rollout_realisation(const padici_rollout_engine *e, uint64_t trajectory);
PADICI_FN uint32_t padici_rollout_chance_operands(padici_operand *operands, uint32_t n,
                                                  padic_tensor *ids, padic_tensor *noise_ids,
                                                  padic_tensor *noise_scale);
PADICI_FN void padici_rollout_pack(padici_rollout_engine *e, const padic_tensor *weights);

#endif
