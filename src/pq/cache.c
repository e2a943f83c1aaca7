#include "cache.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"

#if PADICI_IMPLEMENT_PQ

// Caches: shortened, shared, and as flat arrays.

static padic_result padici_pq_unsound(const padic_env *env)
{
    return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                           "cache has a length beyond its capacity, or a page that is none");
}

// Counts of the keys from..to of a row: one more or less of each.
static void padici_pq_recount(const padici_pq_store *store, uint64_t row, uint64_t from,
                              uint64_t to, uint32_t by)
{
    uint64_t head, i;
    for (head = 0; head < store->groups && store->cells; head++) {
        uint32_t *counts = store->counts + (row * store->groups + head) * store->cells;
        for (i = from; i < to; i++)
            counts[padici_pq_cell(store, padici_pq_tile(store, row, head, i / PADICI_PQ_TILE),
                                  (uint32_t)(i % PADICI_PQ_TILE))] += by;
    }
}

// padic_pq_truncate()

PADICI_FN uint32_t padici_pq_truncate_operands(void *desc_, padici_operand *operands)
{
    padic_pq_truncate_desc *desc = (padic_pq_truncate_desc *)desc_;
    uint32_t n = padici_pq_store_operands(operands, 0, &desc->cache, 2);
    operands[0].out = 0;
    return padici_pq_operand(operands, n, "lengths", &desc->lengths, 0);
}

PADICI_FN padic_result padici_pq_truncate_check(padic_context *context, const void *desc_)
{
    const padic_pq_truncate_desc *desc = (const padic_pq_truncate_desc *)desc_;
    const padic_result result = padici_pq_check_store(context, &desc->cache, NULL);
    return result ? result
                  : padici_pq_check(context, "lengths", &desc->lengths, PADIC_U32, 1,
                                    desc->cache.lengths.shape[0], 0, 0, 0);
}

PADICI_FN padic_result padici_pq_truncate_host(const padic_env *env, const void *desc_)
{
    const padic_pq_truncate_desc *desc = (const padic_pq_truncate_desc *)desc_;
    const padici_pq_view view = padici_pq_view_of(&desc->lengths);
    padici_pq_store store;
    uint64_t row;
    padici_pq_store_of(&desc->cache, NULL, &store);
    if (!padici_pq_store_sound(&store)) return padici_pq_unsound(env);
    for (row = 0; row < store.rows; row++)
        if (*(const uint32_t *)(const void *)(view.at + (int64_t)row * view.step[0]) >
            store.lengths[row])
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT, "lengths has one above the row's");
    for (row = 0; row < store.rows; row++) {
        const uint32_t to =
            *(const uint32_t *)(const void *)(view.at + (int64_t)row * view.step[0]);
        padici_pq_recount(&store, row, to, store.lengths[row], UINT32_MAX);
        store.lengths[row] = to;
    }
    return PADIC_OK;
}

// padic_pq_fork()

PADICI_FN uint32_t padici_pq_fork_operands(void *desc_, padici_operand *operands)
{
    padic_pq_fork_desc *desc = (padic_pq_fork_desc *)desc_;
    uint32_t n = padici_pq_store_operands(operands, 0, &desc->cache, 2), i;
    for (i = 0; i < n; i++) operands[i].out = 2, operands[i].any_stride = 0;
    return n;
}

PADICI_FN padic_result padici_pq_fork_check(padic_context *context, const void *desc_)
{
    const padic_pq_fork_desc *desc = (const padic_pq_fork_desc *)desc_;
    const padic_result result = padici_pq_check_store(context, &desc->cache, NULL);
    const uint64_t rows = desc->cache.lengths.shape[0];
    if (result) return result;
    if (!padici_pq_here(&desc->cache.pages))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "cache.pages", "is missing");
    if (desc->from >= rows || desc->to >= rows || desc->from == desc->to)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "to",
                                 "and `from` are not two rows of the cache");
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_fork_host(const padic_env *env, const void *desc_)
{
    const padic_pq_fork_desc *desc = (const padic_pq_fork_desc *)desc_;
    padici_pq_store store;
    uint64_t length, whole, page, head;
    uint32_t *pages;
    padici_pq_store_of(&desc->cache, NULL, &store);
    if (!padici_pq_store_sound(&store)) return padici_pq_unsound(env);
    length = desc->length ? desc->length : store.lengths[desc->from];
    page = store.page_tiles * PADICI_PQ_TILE;
    whole = length / page;
    if (length > store.lengths[desc->from] ||
        (length % page && desc->page >= store.page_count))
        return padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                               "length is above the row's, or page is none of the cache");
    pages = (uint32_t *)(uintptr_t)store.pages;
    memcpy(pages + desc->to * store.row_pages, pages + desc->from * store.row_pages,
           (size_t)whole * sizeof *pages);
    if (length % page) {
        const uint64_t bytes = store.page_tiles * store.groups * store.m * store.tile_bytes;
        memmove(store.codes + desc->page * bytes,
                store.codes + pages[desc->from * store.row_pages + whole] * bytes, (size_t)bytes);
        pages[desc->to * store.row_pages + whole] = (uint32_t)desc->page;
    }
    for (head = 0; head < store.groups && store.cells; head++)
        memset(store.counts + (desc->to * store.groups + head) * store.cells, 0,
               (size_t)store.cells * sizeof *store.counts);
    padici_pq_recount(&store, desc->to, 0, length, 1);
    store.lengths[desc->to] = (uint32_t)length;
    return PADIC_OK;
}

// padic_pq_import()

PADICI_FN uint32_t padici_pq_import_operands(void *desc_, padici_operand *operands)
{
    padic_pq_import_desc *desc = (padic_pq_import_desc *)desc_;
    uint32_t n = padici_pq_store_operands(operands, 0, &desc->cache, 2);
    n = padici_pq_operand(operands, n, "codes", &desc->codes, 0);
    return padici_pq_optional(operands, n, "key_counts", &desc->key_counts, 0);
}

PADICI_FN padic_result padici_pq_import_check(padic_context *context, const void *desc_)
{
    const padic_pq_import_desc *desc = (const padic_pq_import_desc *)desc_;
    const padic_tensor *c = &desc->cache.codes;
    const uint64_t rows = desc->cache.lengths.shape[0];
    padic_result result = padici_pq_check_store(context, &desc->cache, NULL);
    if (!result) result = padici_pq_check_codes(context, "codes", &desc->codes, 0);
    if (!result)
        result = padici_pq_check(context, "codes", &desc->codes, desc->codes.dtype, 4, rows,
                                 c->shape[1], UINT64_MAX, c->shape[3]);
    return result ? result
                  : padici_pq_check_optional(context, "key_counts", &desc->key_counts, PADIC_U32, 1,
                                             rows, 0, 0, 0);
}

static uint64_t padici_pq_import_count(const padic_pq_import_desc *desc, uint64_t row)
{
    const padici_pq_view view = padici_pq_view_of(&desc->key_counts);
    if (!view.at) return desc->codes.shape[2];
    return *(const uint32_t *)(const void *)(view.at + (int64_t)row * view.step[0]);
}

// What is wrong with a row; the first code that is none by the message.
static padic_result padici_pq_import_row_check(const padic_env *env, const padici_pq_store *store,
                                               const padici_pq_view *codes, uint64_t row,
                                               uint64_t count)
{
    uint64_t head, i, j;
    for (head = 0; head < store->groups; head++)
        for (i = 0; i < count; i++) {
            const char *at = codes->at + (int64_t)row * codes->step[0] +
                             (int64_t)head * codes->step[1] + (int64_t)i * codes->step[2];
            for (j = 0; j < store->m; j++, at += codes->step[3])
                if (padici_pq_get_code(at, codes->dtype) >> store->bits)
                    return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                                           "codes has one that is not below 2^bits");
        }
    return PADIC_OK;
}

static void padici_pq_import_row(const padici_pq_store *store, const padici_pq_view *codes,
                                 uint64_t row, uint64_t count)
{
    uint64_t head, i, j;
    for (head = 0; head < store->groups; head++)
        for (i = 0; i < count; i++) {
            const char *at = codes->at + (int64_t)row * codes->step[0] +
                             (int64_t)head * codes->step[1] + (int64_t)i * codes->step[2];
            uint8_t *tile = padici_pq_tile(store, row, head, i / PADICI_PQ_TILE);
            for (j = 0; j < store->m; j++, at += codes->step[3])
                padici_pq_code_set(store, tile, j, (uint32_t)(i % PADICI_PQ_TILE),
                                   padici_pq_get_code(at, codes->dtype));
        }
    for (head = 0; head < store->groups && store->cells; head++)
        memset(store->counts + (row * store->groups + head) * store->cells, 0,
               (size_t)store->cells * sizeof *store->counts);
    padici_pq_recount(store, row, 0, count, 1);
    store->lengths[row] = (uint32_t)count;
}

PADICI_FN padic_result padici_pq_import_host(const padic_env *env, const void *desc_)
{
    const padic_pq_import_desc *desc = (const padic_pq_import_desc *)desc_;
    const padici_pq_view codes = padici_pq_view_of(&desc->codes);
    padici_pq_store store;
    uint64_t row;
    padici_pq_store_of(&desc->cache, NULL, &store);
    for (row = 0; row < store.rows; row++) {
        const uint64_t count = padici_pq_import_count(desc, row);
        padic_result result;
        if (count > desc->codes.shape[2])
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT, "key_counts has one above n");
        if (count > store.tiles * PADICI_PQ_TILE)
            return padici_env_fail(env, PADIC_ERROR_CAPACITY,
                                   "the tiles of a row have no room for its keys");
        if (padici_pq_readable(&store, row, count) != count) return padici_pq_unsound(env);
        result = padici_pq_import_row_check(env, &store, &codes, row, count);
        if (result) return result;
    }
    for (row = 0; row < store.rows; row++)
        padici_pq_import_row(&store, &codes, row, padici_pq_import_count(desc, row));
    return PADIC_OK;
}

// padic_pq_export()

PADICI_FN uint32_t padici_pq_export_operands(void *desc_, padici_operand *operands)
{
    padic_pq_export_desc *desc = (padic_pq_export_desc *)desc_;
    const uint32_t n = padici_pq_store_operands(operands, 0, &desc->cache, 0);
    return padici_pq_operand(operands, n, "out", &desc->out, 1);
}

PADICI_FN padic_result padici_pq_export_check(padic_context *context, const void *desc_)
{
    const padic_pq_export_desc *desc = (const padic_pq_export_desc *)desc_;
    const padic_tensor *c = &desc->cache.codes;
    const uint32_t wide = c->dtype == PADIC_U16;
    padic_result result = padici_pq_check_store(context, &desc->cache, NULL);
    if (!result && desc->out.dtype != PADIC_I64)
        result = padici_pq_check_codes(context, "out", &desc->out, wide ? 12 : 8);
    return result ? result
                  : padici_pq_check(context, "out", &desc->out, desc->out.dtype, 4,
                                    desc->cache.lengths.shape[0], c->shape[1], UINT64_MAX,
                                    c->shape[3]);
}

PADICI_FN padic_result padici_pq_export_host(const padic_env *env, const void *desc_)
{
    const padic_pq_export_desc *desc = (const padic_pq_export_desc *)desc_;
    const padici_pq_view out = padici_pq_view_of(&desc->out);
    padici_pq_store store;
    uint64_t row, head, i, j;
    padici_pq_store_of(&desc->cache, NULL, &store);
    if (!padici_pq_store_sound(&store)) return padici_pq_unsound(env);
    for (row = 0; row < store.rows; row++)
        for (head = 0; head < store.groups; head++)
            for (i = 0; i < desc->out.shape[2]; i++) {
                const int there = i < store.lengths[row];
                const uint8_t *tile =
                    there ? padici_pq_tile(&store, row, head, i / PADICI_PQ_TILE) : NULL;
                for (j = 0; j < store.m; j++)
                    padici_pq_put_code(
                        out.at + (int64_t)row * out.step[0] + (int64_t)head * out.step[1] +
                            (int64_t)i * out.step[2] + (int64_t)j * out.step[3],
                        out.dtype,
                        there ? padici_pq_code(&store, tile, j, (uint32_t)(i % PADICI_PQ_TILE))
                              : 0);
            }
    return PADIC_OK;
}

#endif
