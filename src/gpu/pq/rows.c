#include "view.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Rows of caches: shortened, shared, set from flat arrays and read as such: kernels/pq/rows.cl. In
// a recording nothing waits: a call that would fail leaves all as it is.

enum { PADICI_GPU_PQ_CUT, PADICI_GPU_PQ_SET, PADICI_GPU_PQ_READ, PADICI_GPU_PQ_FORK };

typedef struct padici_gpu_pq_row_call {
    padici_gpu *gpu;
    padici_gpu_pq_space space;
    padici_gpu_pq_view codes, lengths, pages, counts, given, flat;
    padic_mem found;
    padici_k_pq_rows_check_params k;
    uint64_t groups; // heads of all rows
} padici_gpu_pq_row_call;

// Whether the kernels of a mode are there, and reach the operands.
static padic_result padici_gpu_pq_rows_need(padici_gpu *gpu, const padici_call *call, uint32_t mode,
                                            const padic_pq_cache *cache)
{
    static const uint32_t kernel[4][3] = {
        {PADICI_KERNEL_PQ_ROWS_CHECK, PADICI_KERNEL_PQ_ROWS_COUNT, PADICI_KERNEL_PQ_ROWS_CHECK},
        {PADICI_KERNEL_PQ_ROWS_INSPECT, PADICI_KERNEL_PQ_ROWS_COUNT, PADICI_KERNEL_PQ_ROWS_SET},
        {PADICI_KERNEL_PQ_ROWS_CHECK, PADICI_KERNEL_PQ_ROWS_READ, PADICI_KERNEL_PQ_ROWS_CHECK},
        {PADICI_KERNEL_PQ_ROWS_CHECK, PADICI_KERNEL_PQ_ROWS_COUNT, PADICI_KERNEL_PQ_ROWS_FORK}};
    const uint64_t rows = cache->lengths.shape[0], groups = cache->codes.shape[1];
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!padici_gpu_pq_reach(call, &cache->codes, NULL, NULL) || !groups || rows >> 24 ||
        groups >> 31 || rows * groups >> 24)
        return PADIC_ERROR_NOT_SUPPORTED; // rows without heads have lengths
    for (i = 0; i < 3 && !result; i++) result = padici_gpu_need(gpu, kernel[mode][i], NULL, 0);
    return result;
}

static void padici_gpu_pq_rows_begin(padici_gpu_pq_row_call *a, padici_gpu *gpu,
                                     const padici_call *call, uint32_t mode,
                                     const padic_pq_cache *cache, const padic_tensor *flat)
{
    padici_pq_store store;
    memset(a, 0, sizeof *a);
    a->gpu = a->space.gpu = gpu;
    padici_pq_store_of(cache, NULL, &store);
    padici_gpu_pq_view_of(call, &cache->codes, &a->codes);
    padici_gpu_pq_view_of(call, &cache->lengths, &a->lengths);
    padici_gpu_pq_view_of(call, &cache->pages, &a->pages);
    padici_gpu_pq_view_of(call, &cache->counts, &a->counts);
    a->codes.at *= padic_dtype_size(cache->codes.dtype);
    a->groups = store.rows * store.groups;
    a->k.mode = mode;
    a->k.rows = (uint32_t)store.rows;
    a->k.groups = (uint32_t)store.groups;
    a->k.parts = 1;
    a->k.m = (uint32_t)store.m;
    a->k.bits = store.bits;
    a->k.bytes = store.tile_bytes;
    a->k.codes_lo = (uint32_t)a->codes.at;
    a->k.codes_hi = (uint32_t)(a->codes.at >> 32);
    a->k.tiles = (uint32_t)store.tiles;
    a->k.page_tiles = (uint32_t)store.page_tiles;
    a->k.page_count = (uint32_t)store.page_count;
    a->k.row_pages = (uint32_t)store.row_pages;
    a->k.pages_at = (uint32_t)a->pages.at;
    a->k.lengths_at = (uint32_t)a->lengths.at;
    a->k.cells = a->counts.here ? (uint32_t)cache->counts.shape[2] : 0;
    a->k.counts_at = (uint32_t)a->counts.at;
    if (!flat) return;
    padici_gpu_pq_view_of(call, flat, &a->flat);
    a->k.count = (uint32_t)flat->shape[2];
    a->k.width = padic_dtype_size(flat->dtype);
    padici_gpu_pq_place(&a->flat, &a->k.flat_at, a->k.flat_step, sizeof a->k.flat_step);
}

static void padici_gpu_pq_rows_given(padici_gpu_pq_row_call *a, const padici_call *call,
                                     const padic_tensor *given)
{
    padici_gpu_pq_view_of(call, given, &a->given);
    a->k.given = a->given.here;
    a->k.given_at = (uint32_t)a->given.at;
    a->k.given_step = a->given.step[0];
}

static padic_result padici_gpu_pq_rows_launch(padici_gpu_pq_row_call *a, uint32_t kernel,
                                              const padici_gpu_pq_view *one,
                                              const padici_gpu_pq_view *two,
                                              const padici_gpu_pq_view *three,
                                              const padici_gpu_pq_view *four, uint64_t groups)
{
    const padici_gpu_pq_view *const view[4] = {one, two, three, four};
    padic_mem mem[5];
    uint32_t count = 1, i;
    mem[0] = a->found;
    for (i = 0; i < 4 && view[i]; i++) mem[count++] = view[i]->mem;
    if (kernel == PADICI_KERNEL_PQ_ROWS_CHECK || kernel == PADICI_KERNEL_PQ_ROWS_INSPECT) {
        for (i = 0; i + 1 < count; i++) mem[i] = mem[i + 1]; // what is found is written
        mem[count - 1] = a->found;
    }
    return padici_gpu_pq_launch(a->gpu, kernel, NULL, 0, mem, count, &a->k, sizeof a->k, groups);
}

// Groups that share the keys of a head.
static void padici_gpu_pq_rows_parts(padici_gpu_pq_row_call *a, uint64_t keys)
{
    const uint64_t most = keys / 2048 + 1, wanted = 2048 / (a->groups ? a->groups : 1) + 1;
    a->k.parts = (uint32_t)(most < wanted ? most : wanted);
    if (a->gpu->tested) a->k.parts = 3;
}

// What is wrong with a row, before anything is written.
static padic_result padici_gpu_pq_rows_check(padici_gpu_pq_row_call *a)
{
    padic_result result = padici_gpu_pq_take(&a->space, (1 + 2 * (uint64_t)a->k.rows) * 4,
                                             &a->found);
    if (!result)
        result = padici_target_fill(a->gpu->context, a->gpu->target, a->found, 0, 0,
                                    (1 + 2 * (uint64_t)a->k.rows) * 4);
    if (result) return result;
    return padici_gpu_pq_rows_launch(a, PADICI_KERNEL_PQ_ROWS_CHECK, &a->lengths, &a->pages,
                                     &a->given, NULL, padici_gpu_groups(a->gpu, a->k.rows, 128));
}

static padic_result padici_gpu_pq_rows_count(padici_gpu_pq_row_call *a)
{
    return padici_gpu_pq_rows_launch(a, PADICI_KERNEL_PQ_ROWS_COUNT, &a->codes, &a->pages,
                                     &a->counts, &a->lengths, a->groups * a->k.parts);
}

// Ends the call, and answers with the number of what was wrong, or 0.
static uint32_t padici_gpu_pq_rows_end(padici_gpu_pq_row_call *a, padic_result *result)
{
    uint32_t found = 0;
    if (!*result && !a->gpu->context->recording)
        *result = padici_gpu_download(a->gpu, a->found, 0, &found, 4);
    padici_gpu_pq_end(&a->space);
    return *result || !found ? 0 : UINT32_MAX - found;
}

static padic_result padici_gpu_pq_rows_unsound(const padici_gpu *gpu)
{
    return padici_fail(gpu->context, PADIC_ERROR_DOMAIN,
                       "cache has a length beyond its capacity, or a page that is none");
}

// padic_pq_truncate()

PADICI_FN padic_result padici_gpu_pq_truncate(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_truncate_desc *desc = &call->desc->pq_truncate;
    padici_gpu_pq_row_call a;
    uint32_t wrong;
    padic_result result = padici_gpu_pq_rows_need(gpu, call, PADICI_GPU_PQ_CUT, &desc->cache);
    if (query || result) return result;
    padici_gpu_pq_rows_begin(&a, gpu, call, PADICI_GPU_PQ_CUT, &desc->cache, NULL);
    padici_gpu_pq_rows_given(&a, call, &desc->lengths);
    if (!a.groups) return PADIC_OK;
    padici_gpu_pq_rows_parts(&a, a.k.cells ? (uint64_t)a.k.tiles * PADICI_PQ_TILE : 0);
    result = padici_gpu_pq_rows_check(&a);
    if (!result) result = padici_gpu_pq_rows_count(&a);
    wrong = padici_gpu_pq_rows_end(&a, &result);
    if (wrong == 1) return padici_gpu_pq_rows_unsound(gpu);
    return wrong ? padici_fail(gpu->context, PADIC_ERROR_ARGUMENT,
                               "lengths has one above the row's")
                 : result;
}

// padic_pq_fork()

PADICI_FN padic_result padici_gpu_pq_fork(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_fork_desc *desc = &call->desc->pq_fork;
    padici_gpu_pq_row_call a;
    uint32_t wrong;
    padic_result result = padici_gpu_pq_rows_need(gpu, call, PADICI_GPU_PQ_FORK, &desc->cache);
    if (query || result) return result;
    padici_gpu_pq_rows_begin(&a, gpu, call, PADICI_GPU_PQ_FORK, &desc->cache, NULL);
    a.k.from = (uint32_t)desc->from;
    a.k.to = (uint32_t)desc->to;
    a.k.length = desc->length < UINT32_MAX ? (uint32_t)desc->length : UINT32_MAX;
    a.k.page = desc->page < UINT32_MAX ? (uint32_t)desc->page : UINT32_MAX;
    padici_gpu_pq_rows_parts(&a, a.k.cells ? (uint64_t)a.k.tiles * PADICI_PQ_TILE : 0);
    result = padici_gpu_pq_rows_check(&a);
    if (!result)
        result = padici_gpu_pq_rows_launch(&a, PADICI_KERNEL_PQ_ROWS_FORK, &a.codes, &a.pages,
                                           &a.counts, NULL, padici_gpu_groups(gpu, 8192, 128));
    if (!result) result = padici_gpu_pq_rows_count(&a);
    wrong = padici_gpu_pq_rows_end(&a, &result);
    if (wrong == 1) return padici_gpu_pq_rows_unsound(gpu);
    return wrong ? padici_fail(gpu->context, PADIC_ERROR_ARGUMENT,
                               "length is above the row's, or page is none of the cache")
                 : result;
}

// padic_pq_import()

static padic_result padici_gpu_pq_import_wrong(const padici_gpu *gpu, uint32_t wrong)
{
    if (wrong % 8 == 1)
        return padici_fail(gpu->context, PADIC_ERROR_ARGUMENT, "key_counts has one above n");
    if (wrong % 8 == 2)
        return padici_fail(gpu->context, PADIC_ERROR_CAPACITY,
                           "the tiles of a row have no room for its keys");
    if (wrong % 8 == 3) return padici_gpu_pq_rows_unsound(gpu);
    return padici_fail(gpu->context, PADIC_ERROR_DOMAIN, "codes has one that is not below 2^bits");
}

PADICI_FN padic_result padici_gpu_pq_import(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_import_desc *desc = &call->desc->pq_import;
    padici_gpu_pq_row_call a;
    uint32_t wrong;
    padic_result result = padici_gpu_pq_rows_need(gpu, call, PADICI_GPU_PQ_SET, &desc->cache);
    if (!result && desc->codes.shape[2] >> 31) result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result) return result;
    padici_gpu_pq_rows_begin(&a, gpu, call, PADICI_GPU_PQ_SET, &desc->cache, &desc->codes);
    padici_gpu_pq_rows_given(&a, call, &desc->key_counts);
    if (!a.groups) return PADIC_OK;
    padici_gpu_pq_rows_parts(&a, desc->codes.shape[2]);
    result = padici_gpu_pq_rows_check(&a);
    if (!result)
        result = padici_gpu_pq_rows_launch(&a, PADICI_KERNEL_PQ_ROWS_INSPECT, &a.flat, NULL, NULL,
                                           NULL, a.groups * a.k.parts);
    if (!result)
        result = padici_gpu_pq_rows_launch(&a, PADICI_KERNEL_PQ_ROWS_SET, &a.flat, &a.codes,
                                           &a.pages, &a.counts, a.groups * a.k.parts);
    if (!result) result = padici_gpu_pq_rows_count(&a);
    wrong = padici_gpu_pq_rows_end(&a, &result);
    return wrong ? padici_gpu_pq_import_wrong(gpu, wrong) : result;
}

// padic_pq_export()

PADICI_FN padic_result padici_gpu_pq_export(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_export_desc *desc = &call->desc->pq_export;
    padici_gpu_pq_row_call a;
    padic_result result = padici_gpu_pq_rows_need(gpu, call, PADICI_GPU_PQ_READ, &desc->cache);
    if (!result && (desc->out.shape[2] >> 31 || desc->out.shape[2] * desc->out.shape[3] >> 31))
        result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result) return result;
    padici_gpu_pq_rows_begin(&a, gpu, call, PADICI_GPU_PQ_READ, &desc->cache, &desc->out);
    if (!a.groups) return PADIC_OK;
    padici_gpu_pq_rows_parts(&a, desc->out.shape[2] * desc->out.shape[3]);
    result = padici_gpu_pq_rows_check(&a);
    if (!result)
        result = padici_gpu_pq_rows_launch(&a, PADICI_KERNEL_PQ_ROWS_READ, &a.codes, &a.pages,
                                           &a.lengths, &a.flat, a.groups * a.k.parts);
    return padici_gpu_pq_rows_end(&a, &result) ? padici_gpu_pq_rows_unsound(gpu) : result;
}

#endif
