#include "view.h"
#include "../../context/operation.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Lists of positions that something else chose, and the best of them by the keys themselves:
// kernels/pq/entries.cl.

#define PADICI_GPU_PQ_ENTRY_WORDS (UINT64_C(1) << 26) // of a call's memory, but for one query
#define PADICI_GPU_PQ_ENTRY_RECORD 8u                 // words
#define PADICI_GPU_PQ_ENTRY_GROUP 128u                // entries whose scores a group finds
// flags of kernels/pq/entries.cl
#define PADICI_GPU_PQ_ENTRY_WIDE 1u
#define PADICI_GPU_PQ_ENTRY_LENGTHS 2u
#define PADICI_GPU_PQ_ENTRY_COUNTS 4u
#define PADICI_GPU_PQ_ENTRY_QUERIES 8u
#define PADICI_GPU_PQ_ENTRY_BEST 16u
#define PADICI_GPU_PQ_ENTRY_RECENT 32u
#define PADICI_GPU_PQ_ENTRY_OUT_WIDE 64u
#define PADICI_GPU_PQ_ENTRY_OUT_LENGTHS 128u
#define PADICI_GPU_PQ_ENTRY_STATUS 256u
#define PADICI_GPU_PQ_ENTRY_INSIDE 512u
#define PADICI_GPU_PQ_ENTRY_PAGES 1024u

typedef struct padici_gpu_pq_listing {
    padici_gpu *gpu;
    padici_gpu_pq_space space;
    padici_gpu_pq_view chosen, chosen_lengths, key_counts, query_counts, lists, lengths, status;
    padici_gpu_pq_view queries, keys, pages;
    padici_k_pq_entries_lists_params k;
    padici_k_pq_entries_score_params s;
    padici_k_pq_entries_best_params b;
    padic_mem memory;
    uint64_t all, each, batch; // queries; words of one; queries at a time
} padici_gpu_pq_listing;

// The list of each query that is read.
static void padici_gpu_pq_listing_read(padici_gpu_pq_listing *a, const padici_call *call,
                                       const padic_tensor *chosen, const padic_tensor *lengths,
                                       const padic_tensor *key_counts,
                                       const padic_tensor *query_counts)
{
    padici_gpu_pq_view_of(call, chosen, &a->chosen);
    padici_gpu_pq_view_of(call, lengths, &a->chosen_lengths);
    padici_gpu_pq_view_of(call, key_counts, &a->key_counts);
    padici_gpu_pq_view_of(call, query_counts, &a->query_counts);
    a->all = chosen->shape[0] * chosen->shape[1] * chosen->shape[2];
    a->k.heads = (uint32_t)chosen->shape[1];
    a->k.queries = (uint32_t)chosen->shape[2];
    a->k.n = (uint32_t)chosen->shape[3];
    a->k.flags = (chosen->dtype == PADIC_I64 ? PADICI_GPU_PQ_ENTRY_WIDE : 0u) |
                 (a->chosen_lengths.here ? PADICI_GPU_PQ_ENTRY_LENGTHS : 0u) |
                 (a->key_counts.here ? PADICI_GPU_PQ_ENTRY_COUNTS : 0u) |
                 (a->query_counts.here ? PADICI_GPU_PQ_ENTRY_QUERIES : 0u);
    padici_gpu_pq_place(&a->chosen, &a->k.list_at, a->k.list_step, sizeof a->k.list_step);
    padici_gpu_pq_place(&a->chosen_lengths, &a->k.length_at, a->k.length_step,
                        sizeof a->k.length_step);
    a->k.keys_at = (uint32_t)a->key_counts.at;
    a->k.keys_step = a->key_counts.step[0];
    a->k.counts_at = (uint32_t)a->query_counts.at;
    a->k.counts_step = a->query_counts.step[0];
}

// And what is written.
static void padici_gpu_pq_listing_write(padici_gpu_pq_listing *a, const padici_call *call,
                                        const padic_tensor *lists, const padic_tensor *lengths,
                                        const padic_tensor *status, padic_pq_order order)
{
    padici_gpu_pq_view_of(call, lists, &a->lists);
    padici_gpu_pq_view_of(call, lengths, &a->lengths);
    padici_gpu_pq_view_of(call, status, &a->status);
    a->k.cap = (uint32_t)lists->shape[3];
    a->k.flags |= (lists->dtype == PADIC_I64 ? PADICI_GPU_PQ_ENTRY_OUT_WIDE : 0u) |
                  (a->lengths.here ? PADICI_GPU_PQ_ENTRY_OUT_LENGTHS : 0u) |
                  (a->status.here ? PADICI_GPU_PQ_ENTRY_STATUS : 0u) |
                  (order == PADIC_PQ_ORDER_BEST ? PADICI_GPU_PQ_ENTRY_BEST : 0u);
    padici_gpu_pq_place(&a->lists, &a->k.out_at, a->k.out_step, sizeof a->k.out_step);
    padici_gpu_pq_place(&a->lengths, &a->k.out_length_at, a->k.out_length_step,
                        sizeof a->k.out_length_step);
    padici_gpu_pq_place(&a->status, &a->k.status_at, a->k.status_step, sizeof a->k.status_step);
}

// Memory for some of the queries, `arrays` of as many words as a list has entries. 0: too much.
static int padici_gpu_pq_listing_sizes(padici_gpu_pq_listing *a, uint64_t n, uint64_t arrays)
{
    uint64_t size = 1;
    while (size < n) size *= 2;
    a->each = PADICI_GPU_PQ_ENTRY_RECORD + arrays * size;
    if (a->each >> 31) return 0;
    a->batch = PADICI_GPU_PQ_ENTRY_WORDS / a->each;
    if (a->batch < 1) a->batch = 1;
    if (a->gpu->tested && a->batch > 3) a->batch = 3;
    if (a->batch > a->all) a->batch = a->all;
    a->k.size = (uint32_t)size;
    a->k.position_at = (uint32_t)(a->batch * PADICI_GPU_PQ_ENTRY_RECORD);
    a->k.place_at = (uint32_t)(a->k.position_at + a->batch * size);
    return 1;
}

// Queries from k.first on that are done at a time.
static uint64_t padici_gpu_pq_listing_now(const padici_gpu_pq_listing *a)
{
    return a->all - a->k.first < a->batch ? a->all - a->k.first : a->batch;
}

// The kernel that reads entries, or makes lists of them.
static padic_result padici_gpu_pq_listing_entries(padici_gpu_pq_listing *a, uint32_t kernel)
{
    padic_mem mem[8];
    mem[0] = a->chosen.mem;
    mem[1] = a->chosen_lengths.mem;
    mem[2] = a->key_counts.mem;
    mem[3] = a->query_counts.mem;
    mem[4] = a->memory;
    mem[5] = a->lists.mem;
    mem[6] = a->lengths.mem;
    mem[7] = a->status.mem;
    return padici_gpu_pq_launch(a->gpu, kernel, NULL, 0, mem,
                                kernel == PADICI_KERNEL_PQ_ENTRIES_READ ? 5 : 8, &a->k,
                                sizeof a->k, padici_gpu_pq_listing_now(a));
}

// padic_pq_lists()

PADICI_FN padic_result padici_gpu_pq_lists(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_lists_desc *desc = &call->desc->pq_lists;
    const uint64_t parts = desc->sink + desc->chosen.shape[3] + desc->window;
    padici_gpu_pq_listing a;
    padic_result result;
    if (!padici_gpu_pq_reach(call, NULL, NULL, NULL) || desc->lists.shape[3] >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_ENTRIES_LISTS, NULL, 0);
    if (query || result) return result;
    memset(&a, 0, sizeof a);
    a.gpu = a.space.gpu = gpu;
    padici_gpu_pq_listing_read(&a, call, &desc->chosen, &desc->chosen_lengths, &desc->key_counts,
                               &desc->query_counts);
    padici_gpu_pq_listing_write(&a, call, &desc->lists, &desc->lengths, &desc->status,
                                desc->order);
    a.k.flags |= PADICI_GPU_PQ_ENTRY_INSIDE;
    a.k.keys = (uint32_t)desc->key_count;
    a.k.positions = INT32_MAX;
    a.k.sink = (uint32_t)desc->sink;
    a.k.window = (uint32_t)desc->window;
    a.k.least = (uint32_t)(parts > desc->full_below ? parts : desc->full_below);
    if (!a.all) return PADIC_OK;
    if (a.all >> 31 || !padici_gpu_pq_listing_sizes(&a, desc->chosen.shape[3], 2))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_pq_take(&a.space, a.batch * a.each * 4, &a.memory);
    for (; !result && a.k.first < a.all; a.k.first += (uint32_t)a.batch)
        result = padici_gpu_pq_listing_entries(&a, PADICI_KERNEL_PQ_ENTRIES_LISTS);
    padici_gpu_pq_end(&a.space);
    return result;
}

// padic_pq_rerank()

static void padici_gpu_pq_rerank_params(padici_gpu_pq_listing *a, const padici_call *call,
                                        const padic_pq_rerank_desc *desc)
{
    const uint64_t *s = desc->keys.shape;
    padici_gpu_pq_view_of(call, &desc->queries, &a->queries);
    padici_gpu_pq_view_of(call, &desc->keys, &a->keys);
    padici_gpu_pq_view_of(call, &desc->pages, &a->pages);
    a->k.positions = (uint32_t)(s[2] * (a->pages.here ? desc->pages.shape[1] : 1));
    a->k.keys = desc->key_count ? (uint32_t)desc->key_count : a->k.positions;
    a->k.sink = (uint32_t)desc->sink;
    a->k.window = (uint32_t)desc->window;
    a->s.heads = a->k.heads;
    a->s.queries = a->k.queries;
    a->s.per = s[1] ? (uint32_t)(desc->queries.shape[1] / s[1]) : 1;
    a->s.d = (uint32_t)desc->queries.shape[3];
    a->s.flags = a->pages.here ? PADICI_GPU_PQ_ENTRY_PAGES : 0;
    a->s.query_dtype = a->queries.dtype;
    a->s.key_dtype = a->keys.dtype;
    a->s.query_lo = (uint32_t)a->queries.at;
    a->s.query_hi = (uint32_t)(a->queries.at >> 32);
    a->s.key_lo = (uint32_t)a->keys.at;
    a->s.key_hi = (uint32_t)(a->keys.at >> 32);
    memcpy(a->s.query_step, a->queries.step, sizeof a->s.query_step);
    memcpy(a->s.key_step, a->keys.step, sizeof a->s.key_step);
    a->s.page = (uint32_t)s[2];
    a->s.page_count = a->pages.here ? (uint32_t)s[0] : UINT32_MAX;
    a->s.row_pages = a->pages.here ? (uint32_t)desc->pages.shape[1] : 0;
    a->s.pages_at = (uint32_t)a->pages.at;
    a->b.heads = a->k.heads;
    a->b.queries = a->k.queries;
    a->b.flags = a->k.flags | (desc->tie == PADIC_PQ_TIE_RECENT ? PADICI_GPU_PQ_ENTRY_RECENT : 0u);
    a->b.heavy = (uint32_t)desc->heavy;
    a->b.out_at = a->k.out_at;
    a->b.cap = a->k.cap;
    a->b.length_at = a->k.out_length_at;
    a->b.status_at = a->k.status_at;
    memcpy(a->b.out_step, a->k.out_step, sizeof a->b.out_step);
    memcpy(a->b.length_step, a->k.out_length_step, sizeof a->b.length_step);
    memcpy(a->b.status_step, a->k.status_step, sizeof a->b.status_step);
}

// Scores of entries, and the best of them.
static padic_result padici_gpu_pq_rerank_now(padici_gpu_pq_listing *a)
{
    const uint64_t now = padici_gpu_pq_listing_now(a);
    padic_mem mem[4];
    padic_result result;
    mem[0] = a->queries.mem;
    mem[1] = a->keys.mem;
    mem[2] = a->pages.mem;
    mem[3] = a->memory;
    a->s.first = a->b.first = a->k.first;
    result = padici_gpu_pq_launch(a->gpu, PADICI_KERNEL_PQ_ENTRIES_SCORE, NULL, 0, mem, 4, &a->s,
                                  sizeof a->s, now * a->s.parts);
    mem[0] = a->memory;
    mem[1] = a->lists.mem;
    mem[2] = a->lengths.mem;
    mem[3] = a->status.mem;
    return result ? result
                  : padici_gpu_pq_launch(a->gpu, PADICI_KERNEL_PQ_ENTRIES_BEST, NULL, 0, mem, 4,
                                         &a->b, sizeof a->b, now);
}

PADICI_FN padic_result padici_gpu_pq_rerank(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_rerank_desc *desc = &call->desc->pq_rerank;
    padici_gpu_pq_listing a;
    padic_result result;
    if (!padici_gpu_pq_reach(call, &desc->queries, &desc->keys, NULL) ||
        padic_tensor_count(&desc->queries) >> 31 || desc->out.shape[3] >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_ENTRIES_READ, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_ENTRIES_SCORE, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_ENTRIES_BEST, NULL, 0);
    if (query || result) return result;
    memset(&a, 0, sizeof a);
    a.gpu = a.space.gpu = gpu;
    padici_gpu_pq_listing_read(&a, call, &desc->lists, &desc->list_lengths, &desc->key_counts,
                               &desc->query_counts);
    padici_gpu_pq_listing_write(&a, call, &desc->out, &desc->lengths, &desc->status, desc->order);
    padici_gpu_pq_rerank_params(&a, call, desc);
    if (!a.all) return PADIC_OK;
    if (!padici_gpu_pq_listing_sizes(&a, desc->lists.shape[3], 4)) return PADIC_ERROR_NOT_SUPPORTED;
    a.s.size = a.b.size = a.k.size;
    a.s.parts = (a.k.n + PADICI_GPU_PQ_ENTRY_GROUP - 1) / PADICI_GPU_PQ_ENTRY_GROUP;
    if (!a.s.parts) a.s.parts = 1;
    a.s.position_at = a.b.position_at = a.k.position_at;
    // Places are needed only until the entries are read, then scores are there.
    a.s.order_at = a.b.order_at = a.k.place_at;
    a.b.sort_at = (uint32_t)(a.k.place_at + a.batch * a.k.size);
    if (a.batch * a.s.parts >> 31) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_pq_take(&a.space, a.batch * a.each * 4, &a.memory);
    for (; !result && a.k.first < a.all; a.k.first += (uint32_t)a.batch) {
        result = padici_gpu_pq_listing_entries(&a, PADICI_KERNEL_PQ_ENTRIES_READ);
        if (!result) result = padici_gpu_pq_rerank_now(&a);
    }
    padici_gpu_pq_end(&a.space);
    return result;
}

#undef PADICI_GPU_PQ_ENTRY_WORDS
#undef PADICI_GPU_PQ_ENTRY_RECORD
#undef PADICI_GPU_PQ_ENTRY_GROUP
#undef PADICI_GPU_PQ_ENTRY_WIDE
#undef PADICI_GPU_PQ_ENTRY_LENGTHS
#undef PADICI_GPU_PQ_ENTRY_COUNTS
#undef PADICI_GPU_PQ_ENTRY_QUERIES
#undef PADICI_GPU_PQ_ENTRY_BEST
#undef PADICI_GPU_PQ_ENTRY_RECENT
#undef PADICI_GPU_PQ_ENTRY_OUT_WIDE
#undef PADICI_GPU_PQ_ENTRY_OUT_LENGTHS
#undef PADICI_GPU_PQ_ENTRY_STATUS
#undef PADICI_GPU_PQ_ENTRY_INSIDE
#undef PADICI_GPU_PQ_ENTRY_PAGES

#endif
