#pragma once
#include "../../core/platform.h"
#include "view.h"

#ifndef PADIC_NO_PQ

// Of kernels/pq/record.cl.
#define PADICI_GPU_PQ_COUNTS 1u
#define PADICI_GPU_PQ_QUERIES 2u
#define PADICI_GPU_PQ_BEST 4u
#define PADICI_GPU_PQ_RECENT 8u
#define PADICI_GPU_PQ_TABLES 16u
#define PADICI_GPU_PQ_BINS 32u
#define PADICI_GPU_PQ_LENGTHS 64u
#define PADICI_GPU_PQ_STATUS 128u
#define PADICI_GPU_PQ_SCORES 256u
#define PADICI_GPU_PQ_ALONE 512u
#define PADICI_GPU_PQ_RECORD 16u // words

// Queries, and what is found of them, as many at a time as memory of the call allows.
typedef struct padici_gpu_pq_search {
    padici_gpu *gpu;
    padici_gpu_pq_space space;
    padici_gpu_pq_view queries, scaled, info, lengths, pages, key_counts, query_counts, codes;
    padici_gpu_pq_view counts, lists, list_lengths, status, tables, out;
    padic_mem memory;
    padici_k_pq_select_tables_params t;
    padici_k_pq_select_find_params k;
    uint64_t all, each; // queries; words of one
    uint32_t batch, cells;
    const char *defines[2];
    uint32_t define_count;
} padici_gpu_pq_search;

// Keys and where their codes go.
typedef struct padici_gpu_pq_coding {
    padici_gpu *gpu;
    padici_gpu_pq_space space;
    padici_pq_book book;
    padici_gpu_pq_view keys, scaled, info, counts, lengths, pages, out;
    padic_mem found;
    padici_k_pq_keys_params k;
    uint64_t all; // keys of all rows and heads
} padici_gpu_pq_coding;

// All of a selection in one launch: groups of a query, or 0; what that needs; the launch.
PADICI_FN uint32_t padici_gpu_pq_once(const padici_gpu *gpu, const padic_pq_select_desc *desc);
PADICI_FN padic_result padici_gpu_pq_once_need(padici_gpu *gpu, const padic_pq_select_desc *desc,
                                               uint32_t groups);
PADICI_FN padic_result padici_gpu_pq_once_run(padici_gpu_pq_search *s, uint32_t groups);
PADICI_FN int padici_gpu_pq_once_waits(const padici_gpu *gpu);
// One key of each head in one launch, or with the selection after it.
PADICI_FN padic_result padici_gpu_pq_once_append(padici_gpu_pq_coding *c, const padici_call *call,
                                                 const padic_pq_append_desc *desc);

#endif
