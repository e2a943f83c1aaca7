#pragma once
#include "../../core/platform.h"
#include "../../pq/number.h"
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
#define PADICI_GPU_PQ_VALUES 1024u
#define PADICI_GPU_PQ_LEAST 2048u
#define PADICI_GPU_PQ_UNSCALE 4096u
#define PADICI_GPU_PQ_HEAVY 8192u
#define PADICI_GPU_PQ_PLACES 16384u
#define PADICI_GPU_PQ_RECORD 16u // words
#define PADICI_GPU_PQ_HEAD 8u    // words of a query head, where values are made

// Queries, and what is found of them, as many at a time as memory of the call allows.
typedef struct padici_gpu_pq_search {
    padici_gpu *gpu;
    padici_gpu_pq_space space;
    padici_gpu_pq_view queries, scaled, info, lengths, pages, key_counts, query_counts, codes;
    padici_gpu_pq_view counts, lists, list_lengths, status, tables, out;
    padici_gpu_pq_view heavy_counts, bias, slopes;
    padic_mem memory;
    padici_k_pq_select_tables_params t;
    padici_k_pq_select_find_params k;
    uint64_t all, each, words; // lists; words of one, and in all
    uint32_t batch, cells;
    padic_pq_reduce reduce;
    uint32_t bias_n; // positions that have one
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

// Lists from k.first on that are done at a time.
PADICI_INLINE uint64_t padici_gpu_pq_now(const padici_gpu_pq_search *s)
{
    return s->all - s->k.first < s->batch ? s->all - s->k.first : s->batch;
}

// What is compared instead of scores, and the part of a softmax that is kept: kernels/pq/values.cl.
PADICI_FN int padici_gpu_pq_valued(const padic_pq_select_desc *desc);
PADICI_FN padic_result padici_gpu_pq_values_need(padici_gpu *gpu, const char *const *defines,
                                                 uint32_t count, const padic_pq_select_desc *desc);
PADICI_FN padic_result padici_gpu_pq_values(padici_gpu_pq_search *s);
PADICI_FN padic_result padici_gpu_pq_mass(padici_gpu_pq_search *s);
// Parameters of heavy_counts, heavy_fraction, limits and groups of heads.
PADICI_FN void padici_gpu_pq_options(padici_gpu_pq_search *s, const padici_call *call,
                                     const padic_pq_select_desc *desc);

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
