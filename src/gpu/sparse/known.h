#pragma once
#include "../../core/platform.h"
#include "../../sparse/device.h"
#include "../tests.h"
#include "job.h"

#ifndef PADIC_NO_SPARSE

#define PADICI_SPARSE_KNOWN_COLS 97u

typedef struct padici_sparse_known {
    uint32_t size, tile, tiles, n, rows, nnz;
    padic_dtype dtype;
    unsigned char *keys;   // image of buffer `keys`
    uint32_t *row_ptr, *col;
    unsigned char *value;
    uint32_t bitmap_words; // of a tile
    padic_sparse_encode_report report;
    padici_gpu_sparse_job job; // its params
    padici_sparse_drive d;
} padici_sparse_known;

PADICI_FN padic_result padici_sparse_known_begin(padici_gpu_case *c, padici_sparse_known *x,
                                                 uint32_t buffer, uint32_t tile_bytes);
PADICI_FN void padici_sparse_known_tiles(const padici_sparse_known *x, uint32_t *bitmap,
                                         uint32_t *count, uint64_t *start, uint64_t *report);
PADICI_FN padic_result padici_sparse_known_planes(padici_gpu_case *c, padici_sparse_known *x,
                                                  uint32_t i);
PADICI_FN void *padici_sparse_known_words(padici_gpu_case *c, const padici_sparse_known *x,
                                          uint32_t i);
PADICI_FN padic_result padici_sparse_known_totals(padici_gpu_case *c, const padici_sparse_known *x,
                                                  uint32_t i);

#endif
