#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../../sparse/encoding.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_SPARSE

#define PADICI_SPARSE_GROUP 128u   // PD_WG
#define PADICI_SPARSE_SMALL 65536u // elements of one group
#define PADICI_SPARSE_TILE_BYTES 32768u // of the one-pass kernel
#define PADICI_SPARSE_PART_BYTES 8192u // of a warp's part of a tile if groups process several
#define PADICI_SPARSE_MANY 0.25 // density from which groups with less memory are faster
#define PADICI_SPARSE_DENSE 0.125 // density from which all keys are read a second time
#define PADICI_SPARSE_POLLS 32u          // of such a group, of the number that have started

enum { // flags of the kernels
    PADICI_SPARSE_K_FILL = 1,
    PADICI_SPARSE_K_ROWS = 2,
    PADICI_SPARSE_K_WIDE = 4,
    PADICI_SPARSE_K_SIMPLE = 8,
    PADICI_SPARSE_K_BITMAP = 16,
    PADICI_SPARSE_K_SIGNED = 32,
    PADICI_SPARSE_K_KEYS = 64
};

enum { // scratch of a call
    PADICI_SPARSE_B_TOTALS = 0,
    PADICI_SPARSE_B_STATE = 1,  // of tiles: one pass
    PADICI_SPARSE_B_COUNT = 1,  // two passes
    PADICI_SPARSE_B_BITMAP = 2,
    PADICI_SPARSE_B_START = 3,
    PADICI_SPARSE_B_REPORT = 4,
    PADICI_SPARSE_B_ROW_PTR = 5, // of a batch
    PADICI_SPARSE_B_FIRSTS = 6
};

// An encoding. Absent planes have no memory (bits 0). The elements are rows x cols x batch without
// gaps; with `batch` above 1 row_ptr has a segment of rows + 1 for each matrix.
typedef struct padici_gpu_sparse_drive {
    padic_sparse_method method; // requested; becomes the one used
    uint32_t size, wide, fill, report, is_signed, has_largest;
    uint32_t unit_size; // not 0: `unit` goes to `value`, kept keys to `val`; else these to `value`
    uint32_t wait;      // 1: `found` is needed at once
    uint64_t rows, cols, batch, room, most;
    double density; // of a matrix like this seen before, or -1
    padici_sparse_test test, other;
    padici_place key, unit, row_ptr, col, value, val, totals;
    uint64_t *firsts;  // batch + 1: first entry of each matrix; or NULL
    uint64_t found[4]; // 0, entries, kept by `other`, largest
} padici_gpu_sparse_drive;

typedef struct padici_gpu_sparse_job {
    padici_gpu *gpu;
    padici_gpu_sparse_drive *d;
    const char *defines[5];
    uint32_t define_count, simple;
    uint32_t many, lines;      // bytes known to be dense: one pass, two passes
    uint32_t groups;           // one pass: groups that process several tiles; 0: one tile per group
    uint64_t elements;         // of all matrices
    padici_k_sparse_encode_params k;
    padici_place row_ptr;      // of all rows: scratch for a batch
    padici_gpu_block block[7]; // see PADICI_SPARSE_B_...
} padici_gpu_sparse_job;

#define PADICI_SPARSE_PAIR(k, name, x) ((k).name##_lo = (uint32_t)(x), \
                                        (k).name##_hi = (uint32_t)((uint64_t)(x) >> 32))

PADICI_FN uint32_t padici_sparse_tile(uint32_t size);
PADICI_FN uint32_t padici_gpu_sparse_ring_bytes(uint32_t size);
PADICI_FN padic_result padici_gpu_sparse_need(padici_gpu_sparse_job *job, uint32_t kernel);
PADICI_FN int padici_gpu_sparse_rings(const padici_gpu *gpu);
PADICI_FN void padici_gpu_sparse_shape(padici_gpu_sparse_job *job);
PADICI_FN padic_result padici_gpu_sparse_method(padici_gpu_sparse_job *job,
                                                padic_sparse_method *method);
PADICI_FN int padici_gpu_sparse_params(padici_gpu_sparse_job *job);
PADICI_FN padic_mem padici_sparse_mem(padic_mem mem, padic_mem otherwise);
PADICI_FN void padici_gpu_sparse_planes(const padici_gpu_sparse_job *job, padici_gpu_work *work,
                                        uint32_t i, padic_mem otherwise);
PADICI_FN void padici_gpu_sparse_work(padici_gpu_sparse_job *job, padici_gpu_work *work,
                                      uint32_t kernel, uint32_t mems, uint32_t groups);
PADICI_FN padic_result padici_gpu_sparse_scratch(padici_gpu_sparse_job *job, uint32_t i,
                                                 uint64_t size);
PADICI_FN padic_result padici_gpu_sparse_zero(padici_gpu_sparse_job *job, padic_mem mem,
                                              uint64_t at, uint64_t size);

#endif
