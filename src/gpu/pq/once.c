#include "select.h"
#include "../../context/operation.h"
#include "../../pq/best.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// padic_pq_select() in one launch, of clusters of groups: kernels/cuda/pq/lists.cu.

#define PADICI_GPU_PQ_GROUP_KEYS 131072u // candidates that a group has bits for

// Tests of other programs do without this one.
static int padici_gpu_pq_once_may(const padici_gpu *gpu)
{
    const uint32_t program = PADICI_KERNEL_CUDA_PQ_LISTS >> 16;
    return !gpu->tested || gpu->state->variants[gpu->tested - 1].program == program;
}

// Groups of a query, so that all multiprocessors have work; 0: more keys than they have bits for.
static uint32_t padici_gpu_pq_once_groups(const padici_gpu *gpu, uint64_t queries, uint64_t keys)
{
    const uint64_t units = gpu->info->compute_units;
    uint32_t groups = 1;
    if (queries * 4 <= 2 * units) groups = queries * 8 <= units ? 8 : 4;
    while ((uint64_t)groups * PADICI_GPU_PQ_GROUP_KEYS < keys + 32 && groups < 16)
        groups = groups == 1 ? 4 : 2 * groups;
    return groups > 8 ? 0 : padici_gpu_tested(gpu, "PD_PQ_CTAS", groups);
}

static const char *padici_gpu_pq_once_define(uint32_t groups)
{
    return groups == 1 ? "PD_PQ_CTAS=1" : groups == 8 ? "PD_PQ_CTAS=8" : "PD_PQ_CTAS=4";
}

// How many groups each query has; 0: it is not for this kernel.
PADICI_FN uint32_t padici_gpu_pq_once(const padici_gpu *gpu, const padic_pq_select_desc *desc)
{
    padici_pq_book book;
    padici_pq_store store;
    if (!padici_gpu_is_sm(gpu, 90) || !padici_gpu_pq_once_may(gpu)) return 0;
    padici_pq_book_of(&desc->codebook, &book);
    padici_pq_store_of(&desc->cache, &book, &store);
    if (book.m != 2 || book.bits != 6 || book.ds > 128 || !padici_pq_here(&desc->cache.counts) ||
        padici_pq_here(&desc->cache.pages) || padici_pq_here(&desc->key_counts) ||
        padici_pq_here(&desc->query_counts) || desc->order != PADIC_PQ_ORDER_POSITION ||
        (desc->method != PADIC_PQ_METHOD_AUTO && desc->method != PADIC_PQ_METHOD_CELLS) ||
        store.tiles >> 24)
        return 0;
    return padici_gpu_pq_once_groups(gpu, desc->queries.shape[0] * desc->queries.shape[1] *
                                              desc->queries.shape[2],
                                     store.tiles * PADICI_PQ_TILE);
}

PADICI_FN padic_result padici_gpu_pq_once_need(padici_gpu *gpu, uint32_t groups)
{
    const char *const defines[1] = {padici_gpu_pq_once_define(groups)};
    return padici_gpu_need(gpu, PADICI_KERNEL_CUDA_PQ_LISTS, defines, 1);
}

// Where a tensor's first element is, as the kernel has it; 0: there is none.
static void padici_gpu_pq_address_of(const padici_gpu_pq_view *view, uint32_t *lo, uint32_t *hi,
                                     uint32_t *step, size_t size)
{
    const uint64_t at = view->here && view->mem.bits ? view->mem.bits + view->at * 4 : 0;
    *lo = (uint32_t)at;
    *hi = (uint32_t)(at >> 32);
    memcpy(step, view->step, size);
}

// NOT_SUPPORTED: codes or counts do not begin where the kernel can read 16 bytes at a time.
PADICI_FN padic_result padici_gpu_pq_once_run(padici_gpu_pq_search *s, uint32_t groups)
{
    const char *const defines[1] = {padici_gpu_pq_once_define(groups)};
    padici_k_cuda_pq_lists_params k;
    padic_mem mem[7];
    if ((s->codes.mem.bits + s->codes.at) % 16 || (s->counts.mem.bits + s->counts.at * 4) % 16 ||
        s->codes.at % 16 || s->counts.at % 4 || s->codes.at >> 35)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    k.heads = s->t.heads;
    k.queries = s->t.queries;
    k.per = s->t.per;
    k.groups = s->t.groups;
    k.ds = s->t.ds;
    k.extra = s->t.extra;
    k.book_rows = s->t.book_rows;
    k.recent = (s->t.flags & PADICI_GPU_PQ_RECENT) != 0;
    k.dtype = s->t.dtype;
    k.query_lo = s->t.query_lo;
    k.query_hi = s->t.query_hi;
    memcpy(k.query_step, s->t.query_step, sizeof k.query_step);
    k.scaled_at = s->t.scaled_at;
    k.info_at = s->t.info_at;
    k.lengths_at = s->t.lengths_at;
    k.codes_at = (uint32_t)(s->codes.at / 16);
    k.counts_at = (uint32_t)(s->counts.at / 4);
    k.tiles = s->k.tiles;
    k.start = s->t.start;
    k.keys = s->t.keys;
    k.sink = s->t.sink;
    k.window = s->t.window;
    k.heavy = s->t.heavy;
    k.least = s->t.least;
    k.cap = s->k.cap;
    padici_gpu_pq_place(&s->lists, &k.list_at, k.list_step, sizeof k.list_step);
    padici_gpu_pq_address_of(&s->list_lengths, &k.length_lo, &k.length_hi, k.length_step,
                             sizeof k.length_step);
    padici_gpu_pq_address_of(&s->status, &k.status_lo, &k.status_hi, k.status_step,
                             sizeof k.status_step);
    mem[0] = s->queries.mem;
    mem[1] = s->scaled.mem;
    mem[2] = s->info.mem;
    mem[3] = s->lengths.mem;
    mem[4] = s->codes.mem;
    mem[5] = s->counts.mem;
    mem[6] = s->lists.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_CUDA_PQ_LISTS, defines, 1, mem, 7, &k,
                                sizeof k, s->all * groups);
}

#undef PADICI_GPU_PQ_GROUP_KEYS

#endif
