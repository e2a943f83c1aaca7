#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "cache.h"
#include "calls.h"
#include "codebook.h"

#if PADICI_IMPLEMENT_PQ

// New keys of a cache. A head of a row is written by one worker; lengths are set at the end.

PADICI_FN uint32_t padici_pq_append_operands(void *desc_, padici_operand *operands)
{
    padic_pq_append_desc *desc = (padic_pq_append_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 0);
    n = padici_pq_store_operands(operands, n, &desc->cache, 2);
    n = padici_pq_operand(operands, n, "keys", &desc->keys, 0);
    n = padici_pq_optional(operands, n, "key_counts", &desc->key_counts, 0);
    n = padici_pq_optional(operands, n, "key_pages", &desc->key_pages, 0);
    n = padici_pq_optional(operands, n, "not_finite", &desc->not_finite, 1);
    return padici_pq_optional(operands, n, "clamped", &desc->clamped, 1);
}

static uint64_t padici_pq_append_each(const padici_pq_book *book)
{
    return padici_pq_key_floats(book) * 4 + book->m * 2;
}

PADIC_API uint64_t padic_pq_append_workspace(padic_context *context,
                                             const padic_pq_append_desc *desc)
{
    padici_pq_book book;
    padici_pq_space space;
    if (!desc || padici_pq_check_book(NULL, &desc->codebook)) return 0;
    padici_pq_book_of(&desc->codebook, &book);
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL,
                                 desc->keys.shape[0] * book.groups, padici_pq_append_each(&book),
                                 &space);
}

static padic_result padici_pq_append_deferred_check(padic_context *context,
                                                    const padic_pq_append_desc *desc)
{
    const padic_tensor *pages = &desc->key_pages;
    uint64_t positions;
    padic_result result;
    if (desc->deferred > 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "deferred", "is not 0 or 1");
    if (!desc->deferred && (desc->window || padici_pq_here(pages)))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "deferred",
                                 "is 0, but `window` or `key_pages` is given");
    if (!padici_pq_here(pages)) return PADIC_OK;
    result = padici_pq_check(context, "key_pages", pages, PADIC_U32, 2,
                             desc->cache.lengths.shape[0], UINT64_MAX, 0, 0);
    if (!result) result = padici_pq_check_dense(context, "key_pages", pages);
    if (!result && (!padici_mul_u64(pages->shape[1], desc->keys.shape[2], &positions) ||
                    positions >> 31))
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "key_pages",
                                   "has 2^31 positions or more");
    return result;
}

PADICI_FN padic_result padici_pq_append_check(padic_context *context, const void *desc_)
{
    const padic_pq_append_desc *desc = (const padic_pq_append_desc *)desc_;
    const uint64_t rows = desc->cache.lengths.shape[0];
    padici_pq_book book;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result) result = padici_pq_check_store(context, &desc->cache, &desc->codebook);
    if (result) return result;
    padici_pq_book_of(&desc->codebook, &book);
    result = padici_pq_check(context, "keys", &desc->keys, PADIC_DTYPE_NONE, 4,
                             padici_pq_here(&desc->key_pages) ? UINT64_MAX : rows, book.groups,
                             UINT64_MAX, book.m * book.ds);
    if (!result) result = padici_pq_append_deferred_check(context, desc);
    if (!result)
        result = padici_pq_check_optional(context, "key_counts", &desc->key_counts, PADIC_U32, 1,
                                          rows, 0, 0, 0);
    if (!result)
        result = padici_pq_check_optional(context, "not_finite", &desc->not_finite, PADIC_U32, 2,
                                          rows, book.groups, 0, 0);
    if (!result)
        result = padici_pq_check_optional(context, "clamped", &desc->clamped, PADIC_U32, 2, rows,
                                          book.groups, 0, 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_append_workspace(context, desc));
}

typedef struct padici_pq_appending {
    const padici_pq_kernels *kernels;
    padici_pq_book book;
    padici_pq_store store;
    padici_pq_view keys, key_counts, not_finite, clamped;
    const uint32_t *pages;
    uint64_t most; // keys of a row
    uint64_t page, page_count, row_pages, window;
    uint32_t deferred;
    padici_pq_space space;
} padici_pq_appending;

// The keys that are given for a row.
static uint64_t padici_pq_append_given(const padici_pq_appending *work, uint64_t row)
{
    if (!work->key_counts.at) return work->most;
    return *(const uint32_t *)(const void *)(work->key_counts.at +
                                             (int64_t)row * work->key_counts.step[0]);
}

// Of them, the first that gets a code.
static uint64_t padici_pq_append_first(const padici_pq_appending *work, uint64_t row)
{
    return work->deferred ? work->store.start + work->store.lengths[row] : 0;
}

// How many get a code.
static uint64_t padici_pq_append_count(const padici_pq_appending *work, uint64_t row)
{
    const uint64_t given = padici_pq_append_given(work, row);
    const uint64_t first = padici_pq_append_first(work, row);
    if (!work->deferred) return given;
    return given > work->window && given - work->window > first ? given - work->window - first : 0;
}

// Key i of those given; NULL where its page is none.
static const char *padici_pq_append_key(const padici_pq_appending *work, uint64_t row,
                                        uint64_t head, uint64_t i)
{
    if (work->pages) {
        row = work->pages[row * work->row_pages + i / work->page];
        if (row >= work->page_count) return NULL;
        i %= work->page;
    }
    return work->keys.at + padici_pq_at3(&work->keys, row, head, i);
}

static void padici_pq_append_head(const padici_pq_appending *work, uint64_t row, uint64_t head,
                                  float *space)
{
    const padici_pq_store *store = &work->store;
    const uint64_t count = padici_pq_append_count(work, row);
    const uint64_t first = padici_pq_append_first(work, row);
    uint16_t *codes = (uint16_t *)(void *)(space + padici_pq_key_floats(&work->book));
    uint32_t clamped = 0, bad = 0;
    uint64_t i, j;
    for (i = 0; i < count; i++) {
        const uint64_t at = store->lengths[row] + i;
        uint8_t *tile = padici_pq_tile(store, row, head, at / PADICI_PQ_TILE);
        bad += (uint32_t)!padici_pq_encode_key(
            work->kernels, &work->book, row, head,
            padici_pq_append_key(work, row, head, first + i), work->keys.dtype, work->keys.step[3],
            space, codes, &clamped);
        for (j = 0; j < store->m; j++)
            padici_pq_code_set(store, tile, j, (uint32_t)(at % PADICI_PQ_TILE), codes[j]);
        if (store->cells)
            store->counts[(row * store->groups + head) * store->cells +
                          padici_pq_cell(store, tile, (uint32_t)(at % PADICI_PQ_TILE))]++;
    }
    if (work->not_finite.at)
        *(uint32_t *)(void *)(work->not_finite.at + (int64_t)row * work->not_finite.step[0] +
                              (int64_t)head * work->not_finite.step[1]) = bad;
    if (work->clamped.at)
        *(uint32_t *)(void *)(work->clamped.at + (int64_t)row * work->clamped.step[0] +
                              (int64_t)head * work->clamped.step[1]) = clamped;
}

static void padici_pq_append_work(void *work_, uint32_t worker)
{
    const padici_pq_appending *work = (const padici_pq_appending *)work_;
    float *space = (float *)(void *)(work->space.at + worker * work->space.each);
    uint64_t i;
    for (i = worker; i < work->store.rows * work->store.groups; i += work->space.workers)
        padici_pq_append_head(work, i / work->store.groups, i % work->store.groups, space);
}

// Whether all keys are there and find room, in pages that are there.
static padic_result padici_pq_append_room(const padic_env *env, const padici_pq_appending *work)
{
    const padici_pq_store *store = &work->store;
    uint64_t row, i;
    for (row = 0; row < store->rows; row++) {
        const uint64_t add = padici_pq_append_count(work, row), was = store->lengths[row];
        const uint64_t first = padici_pq_append_first(work, row);
        if (padici_pq_append_given(work, row) > work->most)
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT, "key_counts has one above c");
        if (was + add > store->tiles * PADICI_PQ_TILE)
            return padici_env_fail(env, was > store->tiles * PADICI_PQ_TILE ? PADIC_ERROR_DOMAIN
                                                                            : PADIC_ERROR_CAPACITY,
                                   "the tiles of a row have no room for its keys");
        if (padici_pq_readable(store, row, was + add) != was + add)
            return padici_env_fail(env, PADIC_ERROR_DOMAIN, "pages has one that is none");
        if (!work->pages || !add) continue;
        for (i = first / work->page; i <= (first + add - 1) / work->page; i++)
            if (work->pages[row * work->row_pages + i] >= work->page_count)
                return padici_env_fail(env, PADIC_ERROR_DOMAIN, "key_pages has one that is none");
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_append_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_append_desc *desc)
{
    padici_pq_appending work;
    uint64_t row;
    padic_result result;
    work.kernels = kernels;
    padici_pq_book_of(&desc->codebook, &work.book);
    padici_pq_store_of(&desc->cache, &work.book, &work.store);
    work.keys = padici_pq_view_of(&desc->keys);
    work.key_counts = padici_pq_view_of(&desc->key_counts);
    work.not_finite = padici_pq_view_of(&desc->not_finite);
    work.clamped = padici_pq_view_of(&desc->clamped);
    work.deferred = desc->deferred;
    work.window = desc->window;
    work.pages = (const uint32_t *)desc->key_pages.data;
    work.page = desc->keys.shape[2];
    work.page_count = desc->keys.shape[0];
    work.row_pages = work.pages ? desc->key_pages.shape[1] : 0;
    work.most = desc->keys.shape[2] * (work.pages ? work.row_pages : 1);
    result = padici_pq_append_room(env, &work);
    if (!result)
        result = padici_pq_space_begin(env, &desc->workspace, work.store.rows * work.store.groups,
                                       padici_pq_append_each(&work.book), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_append_work, &work);
    padici_pq_space_end(env, &work.space);
    for (row = 0; row < work.store.rows; row++)
        work.store.lengths[row] += (uint32_t)padici_pq_append_count(&work, row);
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_append_host(const padic_env *env, const void *desc)
{
    return padici_pq_append_run(env, padici_pq_plain(), (const padic_pq_append_desc *)desc);
}

#endif
