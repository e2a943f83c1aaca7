#pragma once

// Parts of a selection by themselves, and what its lists are worth.

// Tables of queries: what padic_pq_score() writes as `tables`. NaN where a query has a NaN or an
// infinity. D0.
typedef struct padic_pq_lut_desc {
    padic_pq_codebook codebook;
    padic_tensor queries;   // F32, F16 or BF16 (b, h, s_q, d)
    padic_tensor out;       // F32 (b, h, s_q, m, K): T
    padic_tensor workspace; // U8, padic_pq_lut_workspace() bytes of host memory, on 64 bytes; zero:
                            // from the allocator
} padic_pq_lut_desc;
PADIC_API padic_result padic_pq_lut(padic_context *context, const padic_pq_lut_desc *desc);
PADIC_API uint64_t padic_pq_lut_workspace(padic_context *context, const padic_pq_lut_desc *desc);

// Lists of positions that something else chose, by padic_pq_topk() say: with sink and window, each
// position once. Query i of s_q in a row of s_k keys sees the first L = s_k - s_q + i + 1;
// positions from there on are skipped. Where L <= max(sink + n + window, full_below) the list is
// 0 ... L - 1. D0.
typedef struct padic_pq_lists_desc {
    padic_tensor chosen;       // I32 or I64 (b, h, s_q, n): positions; -1 is skipped
    padic_tensor chosen_lengths; // U32 (b, h, s_q); zero: n
    uint64_t key_count;        // s_k, below 2^31, if key_counts is not given
    padic_tensor key_counts;   // U32 (b), dense: s_k of each row
    padic_tensor query_counts; // U32 (b), dense: s_q of each row; zero: all. Lists of other queries
                               // are empty
    uint64_t sink, window;
    uint64_t full_below;
    padic_pq_order order;      // BEST: between sink and window as in `chosen`
    padic_tensor lists;        // I32 or I64 (b, h, s_q, max(sink + n + window, full_below) or
                               // more): -1 from a list's length on
    padic_tensor lengths;      // U32 (b, h, s_q); may be left out
    padic_tensor status;       // U32 (b, h, s_q): ENTRY, LENGTH; may be left out
    padic_tensor workspace;    // U8, padic_pq_lists_workspace() bytes, as above
} padic_pq_lists_desc;
PADIC_API padic_result padic_pq_lists(padic_context *context, const padic_pq_lists_desc *desc);
PADIC_API uint64_t padic_pq_lists_workspace(padic_context *context,
                                            const padic_pq_lists_desc *desc);

// Of each list the best by the keys themselves: entries in the sink or the window stay, of the
// others the best min(heavy, their number) by <q, k>, ties by position. A list with k' > heavy keys
// by codes loses little of what the best heavy keys have.
//
// Queries and keys are scaled below 2 by powers of two, each key by its own largest component, and
// components below 2^-40 of that become 0; sums are f32, one product after the other in ascending
// dimension. A key with a NaN or an infinity, or in a page that is none, counts as -infinity. D0.
typedef struct padic_pq_rerank_desc {
    padic_tensor queries;      // F32, F16 or BF16 (b, h, s_q, d), d at most 1,024
    padic_tensor keys;         // F32, F16 or BF16 (b, g, s, d); with pages (pages, g, s of a page,
                               // d)
    padic_tensor pages;        // U32 (b, n), dense: of a row's positions; zero: none
    padic_tensor lists;        // I32 or I64 (b, h, s_q, n): positions, in any order; -1 is skipped
    padic_tensor list_lengths; // U32 (b, h, s_q); zero: n
    uint64_t key_count;        // s_k; 0: s, or all of the row's pages
    padic_tensor key_counts;   // U32 (b), dense: s_k of each row instead
    padic_tensor query_counts; // U32 (b), dense: s_q of each row; zero: all
    uint64_t sink, window, heavy;
    padic_pq_tie tie;
    padic_pq_order order;      // BEST: between sink and window the best first
    padic_tensor out;          // I32 or I64 (b, h, s_q, min(n, sink + heavy + window) or more):
                               // positions; -1 from a list's length on
    padic_tensor lengths;      // U32 (b, h, s_q); may be left out
    padic_tensor status;       // U32 (b, h, s_q): NOT_FINITE, PAGE, ENTRY, LENGTH; may be left out
    padic_tensor workspace;    // U8, padic_pq_rerank_workspace() bytes, as above
} padic_pq_rerank_desc;
PADIC_API padic_result padic_pq_rerank(padic_context *context, const padic_pq_rerank_desc *desc);
PADIC_API uint64_t padic_pq_rerank_workspace(padic_context *context,
                                             const padic_pq_rerank_desc *desc);

// What a list holds of the attention over all keys that its query sees, in f64. Entries that occur
// twice count once.
//
//     recall = of the c entries outside sink and window, the share that is among the best c keys
//              there by <q, k>; of equal keys any may be; 1 if c = 0
//     mass   = sum over the list of e^(l_j - lse), l_j = scale <q, k_j>, lse over all keys
//     error  = |o' - o| / |o|, o' over the list, o over all keys; 0 where both are 0
//
// D1.
typedef struct padic_pq_quality_desc {
    padic_tensor queries, keys, pages; // as of padic_pq_rerank()
    padic_tensor values;       // F32, F16 or BF16, like keys with d_v at most 1,024; for `error`
    double scale;              // 0: 1 / sqrt(d)
    padic_tensor lists;        // I32 or I64 (b, h, s_q, n)
    padic_tensor list_lengths; // U32 (b, h, s_q); zero: n
    uint64_t key_count;
    padic_tensor key_counts, query_counts; // as of padic_pq_rerank()
    uint64_t sink, window;
    padic_tensor recall, mass, error; // F32 (b, h, s_q); may be left out
    padic_tensor status;       // U32 (b, h, s_q): PAGE, ENTRY, LENGTH; may be left out
    padic_tensor workspace;    // U8, padic_pq_quality_workspace() bytes, as above
} padic_pq_quality_desc;
PADIC_API padic_result padic_pq_quality(padic_context *context, const padic_pq_quality_desc *desc);
PADIC_API uint64_t padic_pq_quality_workspace(padic_context *context,
                                              const padic_pq_quality_desc *desc);
