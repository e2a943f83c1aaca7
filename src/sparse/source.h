#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "../num/array.h"
#include "kept.h"

#ifndef PADIC_NO_SPARSE

typedef struct padici_sparse_source {
    const uint8_t *key; // NULL: made, or in a buffer
    uint64_t rows, cols, stride, offset; // offset: where element (0, 0) lies, in elements
    padic_dtype dtype;  // of values
    uint32_t size;      // of keys
    padici_sparse_test test, other; // other: what `negative_zeros` and `dropped` are told by
    uint32_t has_other, has_largest;
    uint64_t most;              // THRESHOLD: limit as a magnitude
    const padic_num_ring *ring; // of numbers
    padic_num_planes planes;
    padic_dtype val_dtype;
    uint32_t gather; // units are collected by column
    int64_t below;   // the t of made keys
    uint32_t made;   // 1: keys are made from numbers of several words
} padici_sparse_source;

PADICI_FN uint8_t padici_sparse_number_key(const padici_sparse_source *s, uint64_t i);
PADICI_FN padic_result padici_sparse_dense(padici_sparse_source *s, const padic_tensor *t,
                                           uint64_t batch, uint64_t *step);
PADICI_FN padic_result padici_sparse_source_find(padic_context *context, padici_sparse_source *s,
                                                 const padic_sparse_source *source);
PADICI_FN padic_result padici_sparse_source_of(padic_context *context, padici_sparse_source *s,
                                               const padic_sparse_source *source, uint64_t batch,
                                               uint64_t *step);
PADICI_FN padic_result padici_sparse_check_method(padic_context *context,
                                                  padic_sparse_method method);

#endif
