#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "floats.h"
#include "task.h"

#ifndef PADIC_NO_NUM

// A loop over dense tensors of equal count, as padici_num_run() is a loop over arrays of numbers.
#define PADICI_NUM_SWEEP_TENSORS 5

typedef struct padici_num_sweep {
    const void *desc; // of the operation
    const char *name;
    const char *field[PADICI_NUM_SWEEP_TENSORS];
    void (*loop)(struct padici_num_sweep *sweep, uint32_t piece, uint64_t first, uint64_t end);
    const padic_tensor *tensor[PADICI_NUM_SWEEP_TENSORS]; // NULL: none; status is the last one
    uint32_t allowed[PADICI_NUM_SWEEP_TENSORS];           // dtypes, 1 << dtype
    uint32_t out;                                    // bit j: tensor j is written
    void *data[PADICI_NUM_SWEEP_TENSORS];
    uint32_t size[PADICI_NUM_SWEEP_TENSORS]; // of an element, in bytes
    uint32_t *sticky;
    padici_num_range range[PADICI_NUM_SWEEP_TENSORS + 4]; // of memory; more may be added
    uint32_t ranges;
    uint64_t count, chunk;
    uint32_t bits[PADICI_NUM_CHUNKS]; // of each chunk
    uint64_t tally[PADICI_NUM_CHUNKS][2];
} padici_num_sweep;

#define PADICI_NUM_SWEEP_STATUS (PADICI_NUM_SWEEP_TENSORS - 1)
#define PADICI_NUM_FLOATS (1u << PADIC_F16 | 1u << PADIC_BF16 | 1u << PADIC_F32 | 1u << PADIC_F64)

PADICI_FN void padici_num_sweep_begin(padici_num_sweep *sweep, const char *name, const void *desc,
                                      void (*loop)(padici_num_sweep *sweep, uint32_t piece,
                                                   uint64_t first, uint64_t end));
PADICI_FN void padici_num_sweep_tensor(padici_num_sweep *sweep, uint32_t j, const char *field,
                                   const padic_tensor *tensor, uint32_t allowed, uint32_t out);
PADICI_FN void padici_num_sweep_status(padici_num_sweep *sweep, const padic_tensor *status,
                                   uint32_t *sticky);
PADICI_FN padic_result padici_num_sweep_check(padic_context *context, padici_num_sweep *sweep,
                                          uint32_t alike);
PADICI_FN padic_result padici_num_sweep_run(padic_context *context, padici_num_sweep *sweep);

PADICI_INLINE void padici_num_sweep_note(padici_num_sweep *sweep, uint32_t piece, uint64_t i,
                                         uint32_t bits)
{
    uint8_t *status = (uint8_t *)sweep->data[PADICI_NUM_SWEEP_STATUS];
    if (status) status[i] = (uint8_t)bits;
    sweep->bits[piece] |= bits;
}

PADICI_INLINE int padici_num_float_finite(padic_dtype dtype, uint64_t bits)
{
    const padici_num_format f = padici_num_format_of(dtype);
    return (~bits >> f.mantissa & ((UINT64_C(1) << f.exponent) - 1)) != 0;
}

// |x| = m 2^e for finite bits, and the sign bit.
PADICI_INLINE uint32_t padici_num_float_parts(padic_dtype dtype, uint64_t bits, uint64_t *m,
                                              int32_t *e)
{
    const padici_num_format f = padici_num_format_of(dtype);
    const uint32_t biased = (uint32_t)(bits >> f.mantissa) & ((1u << f.exponent) - 1);
    *m = (bits & ((UINT64_C(1) << f.mantissa) - 1)) | (uint64_t)(biased != 0) << f.mantissa;
    *e = (int32_t)(biased + (biased == 0)) - (int32_t)((1u << (f.exponent - 1)) - 1 + f.mantissa);
    return (uint32_t)(bits >> (f.mantissa + f.exponent)) & 1;
}

#endif
