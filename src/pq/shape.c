#include "shape.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_PQ

// ------------------------------------------------------------------------------------- >>pq impl
//
// Descs as plain numbers and addresses: checks, tiles and pages, memory of a call.

PADICI_FN int padici_pq_here(const padic_tensor *t)
{
    return t->data || t->buffer.id;
}

PADICI_FN padici_pq_view padici_pq_view_of(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_pq_view view;
    uint32_t i;
    memset(&view, 0, sizeof view);
    if (!t->data) return view;
    padici_tensor_dense(t, stride);
    view.at = (char *)t->data;
    view.dtype = t->dtype;
    for (i = 0; i < 5 && i < t->rank; i++)
        view.step[i] =
            t->shape[i] > 1 ? (int64_t)((uint64_t)stride[i] * padic_dtype_size(t->dtype)) : 0;
    return view;
}

// Operands

PADICI_FN uint32_t padici_pq_operand(padici_operand *operands, uint32_t n, const char *name,
                                     padic_tensor *t, uint8_t out)
{
    operands[n].name = name;
    operands[n].tensor = t;
    operands[n].out = out;
    operands[n].any_stride = (uint8_t)!out;
    return n + 1;
}

PADICI_FN uint32_t padici_pq_optional(padici_operand *operands, uint32_t n, const char *name,
                                      padic_tensor *t, uint8_t out)
{
    return padici_pq_here(t) ? padici_pq_operand(operands, n, name, t, out) : n;
}

PADICI_FN uint32_t padici_pq_book_operands(padici_operand *operands, padic_pq_codebook *book,
                                           uint8_t out)
{
    uint32_t n = padici_pq_operand(operands, 0, "codebook.centroids", &book->centroids, out);
    n = padici_pq_operand(operands, n, "codebook.scaled", &book->scaled, out ? 1 : 0);
    return padici_pq_operand(operands, n, "codebook.info", &book->info, out ? 1 : 0);
}

PADICI_FN uint32_t padici_pq_store_operands(padici_operand *operands, uint32_t n,
                                            padic_pq_cache *cache, uint8_t out)
{
    n = padici_pq_operand(operands, n, "cache.codes", &cache->codes, out);
    n = padici_pq_operand(operands, n, "cache.lengths", &cache->lengths, out);
    n = padici_pq_optional(operands, n, "cache.pages", &cache->pages, 0);
    return padici_pq_optional(operands, n, "cache.counts", &cache->counts, out);
}

// Checks

static padic_result padici_pq_check_dtype(padic_context *context, const char *name,
                                          const padic_tensor *t, padic_dtype dtype)
{
    if (dtype == PADIC_DTYPE_NONE) {
        if (t->dtype == PADIC_F32 || t->dtype == PADIC_F16 || t->dtype == PADIC_BF16)
            return PADIC_OK;
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "is not f32, f16 or bf16");
    }
    if (t->dtype == dtype) return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "has another dtype than is wanted");
}

PADICI_FN padic_result padici_pq_check(padic_context *context, const char *name,
                                       const padic_tensor *t, padic_dtype dtype, uint32_t rank,
                                       uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3)
{
    const uint64_t n[4] = {n0, n1, n2, n3};
    uint32_t i;
    padic_result result = padici_pq_check_dtype(context, name, t, dtype);
    if (result) return result;
    for (i = 0; i < rank && t->rank == rank; i++)
        if (n[i] != UINT64_MAX && t->shape[i] != n[i]) break;
    if (t->rank == rank && i == rank) return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                             "has another shape than goes with the other fields");
}

PADICI_FN padic_result padici_pq_check_optional(padic_context *context, const char *name,
                                                const padic_tensor *t, padic_dtype dtype,
                                                uint32_t rank, uint64_t n0, uint64_t n1,
                                                uint64_t n2, uint64_t n3)
{
    return padici_pq_here(t) ? padici_pq_check(context, name, t, dtype, rank, n0, n1, n2, n3)
                             : PADIC_OK;
}

PADICI_FN padic_result padici_pq_check_lists(padic_context *context, const char *name,
                                             const padic_tensor *t, uint64_t n0, uint64_t n1,
                                             uint64_t n2)
{
    return padici_pq_check(context, name, t, t->dtype == PADIC_I64 ? PADIC_I64 : PADIC_I32, 4, n0,
                           n1, n2, UINT64_MAX);
}

PADICI_FN padic_result padici_pq_check_dense(padic_context *context, const char *name,
                                             const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t step = 1;
    uint32_t i;
    if (!padici_pq_here(t) || !padic_tensor_count(t)) return PADIC_OK;
    padici_tensor_dense(t, stride);
    for (i = t->rank; i-- > 0;) {
        if (t->shape[i] > 1 && stride[i] != (int64_t)step)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name, "is not dense");
        step *= t->shape[i];
    }
    return PADIC_OK;
}

// Codes as flat arrays: bits of each that count; I64 only where bits is 0.
PADICI_FN padic_result padici_pq_check_codes(padic_context *context, const char *name,
                                             const padic_tensor *t, uint32_t bits)
{
    if (t->dtype == PADIC_U16 || t->dtype == PADIC_I32 || (t->dtype == PADIC_I64 && !bits) ||
        (t->dtype == PADIC_U8 && bits <= 8))
        return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_DTYPE, name,
                             "is not u8, u16 or i32, or narrower than the codes");
}

static uint32_t padici_pq_log2(uint64_t n)
{
    return n ? 63u - padici_clz64(n) : 0;
}

PADICI_FN padic_result padici_pq_check_book(padic_context *context, const padic_pq_codebook *book)
{
    const padic_tensor *c = &book->centroids;
    const uint64_t extra = book->metric == PADIC_PQ_METRIC_IP;
    const char *why = NULL;
    uint64_t cells, ds;
    padic_result result;
    if ((uint32_t)book->metric > PADIC_PQ_METRIC_IP)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "codebook.metric", "is unknown");
    result = padici_pq_check_dtype(context, "codebook.centroids", c, PADIC_F32);
    if (result) return result;
    if (c->rank != 5)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "codebook.centroids",
                                 "is not (B, g, m, K, D)");
    cells = c->shape[3];
    ds = c->shape[4] - extra;
    if (cells < 2 || cells > (uint64_t)1 << PADICI_PQ_BITS || (cells & (cells - 1)))
        why = "has a K that is not 2^bits, bits from 1 to 12";
    else if (!c->shape[2] || c->shape[2] > PADICI_PQ_SUBVECTORS)
        why = "has an m that is not from 1 to 256";
    else if (c->shape[4] <= extra || ds > PADICI_PQ_COMPONENTS / c->shape[2])
        why = "has d = m ds components that are not from 1 to 1,024";
    if (why) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "codebook.centroids", why);
    result = padici_pq_check_dense(context, "codebook.centroids", c);
    if (!result)
        result = padici_pq_check_dtype(context, "codebook.scaled", &book->scaled, PADIC_F32);
    if (!result && (book->scaled.rank != 5 || book->scaled.shape[0] != c->shape[0] ||
                    book->scaled.shape[1] != c->shape[1] || book->scaled.shape[2] != c->shape[2] ||
                    book->scaled.shape[3] != c->shape[4] + 1 || book->scaled.shape[4] != cells))
        result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "codebook.scaled",
                                   "is not (B, g, m, D + 1, K)");
    if (!result) result = padici_pq_check_dense(context, "codebook.scaled", &book->scaled);
    if (!result)
        result = padici_pq_check(context, "codebook.info", &book->info, PADIC_I32, 4, c->shape[0],
                                 c->shape[1], c->shape[2], PADICI_PQ_INFO);
    return result ? result : padici_pq_check_dense(context, "codebook.info", &book->info);
}

// Bits of a cache's codes, and whether its tiles hold so many.
static uint32_t padici_pq_store_bits(const padic_pq_cache *cache, const padic_pq_codebook *book)
{
    if (book) return padici_pq_log2(book->centroids.shape[3]);
    if (cache->bits) return cache->bits;
    if (cache->codes.dtype == PADIC_U16) return 12;
    return cache->codes.shape[4] == 32 ? 4 : cache->codes.shape[4] == PADICI_PQ_PACKED ? 6 : 8;
}

static padic_result padici_pq_check_tiles(padic_context *context, const padic_pq_cache *cache,
                                          const padic_pq_codebook *book, uint32_t bits)
{
    const padic_tensor *c = &cache->codes;
    if (bits > PADICI_PQ_BITS || (cache->bits && cache->bits != bits))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "cache.bits",
                                 "is above 12, or not the codebook's");
    if (c->dtype != (bits > 8 ? PADIC_U16 : PADIC_U8))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "cache.codes",
                                 "is not u8 with up to 8 bits, or u16 with more");
    if (c->shape[4] != (bits <= 4 ? 32u : 64u) &&
        !(c->shape[4] == PADICI_PQ_PACKED && (bits == 5 || bits == 6)))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "cache.codes",
                                 "has not tiles of 64 codes: of 32 bytes with up to 4 bits, 48 "
                                 "with 5 or 6 if they are packed");
    if (!c->shape[3] || c->shape[3] > PADICI_PQ_SUBVECTORS ||
        (book && (c->shape[1] != book->centroids.shape[1] ||
                  c->shape[3] != book->centroids.shape[2])))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "cache.codes",
                                 "has other heads or sub-vectors than the codebook");
    return padici_pq_check_dense(context, "cache.codes", c);
}

static padic_result padici_pq_check_counts(padic_context *context, const padic_pq_cache *cache,
                                           uint64_t rows, uint32_t bits)
{
    const uint64_t m = cache->codes.shape[3];
    if (!padici_pq_here(&cache->counts)) return PADIC_OK;
    if (m * bits > 13)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "cache.counts",
                                 "are of more than 8,192 cells");
    return padici_pq_check(context, "cache.counts", &cache->counts, PADIC_U32, 3, rows,
                           cache->codes.shape[1], (uint64_t)1 << m * bits, 0);
}

PADICI_FN padic_result padici_pq_check_store(padic_context *context, const padic_pq_cache *cache,
                                             const padic_pq_codebook *book)
{
    const padic_tensor *c = &cache->codes;
    const uint32_t paged = (uint32_t)padici_pq_here(&cache->pages);
    uint64_t rows, tiles;
    uint32_t bits;
    padic_result result;
    if (c->rank != 5)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "cache.codes",
                                 "is not (b, g, tiles, m, 64)");
    bits = padici_pq_store_bits(cache, book);
    result = padici_pq_check_tiles(context, cache, book, bits);
    if (result) return result;
    rows = cache->lengths.rank == 1 ? cache->lengths.shape[0] : 0;
    result = padici_pq_check(context, "cache.lengths", &cache->lengths, PADIC_U32, 1,
                             paged ? UINT64_MAX : c->shape[0], 0, 0, 0);
    if (!result) result = padici_pq_check_dense(context, "cache.lengths", &cache->lengths);
    if (!result)
        result = padici_pq_check_optional(context, "cache.pages", &cache->pages, PADIC_U32, 2, rows,
                                          UINT64_MAX, 0, 0);
    if (!result) result = padici_pq_check_dense(context, "cache.pages", &cache->pages);
    if (!result) result = padici_pq_check_counts(context, cache, rows, bits);
    if (!result) result = padici_pq_check_dense(context, "cache.counts", &cache->counts);
    if (result) return result;
    if (paged && !c->shape[2])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "cache.codes",
                                 "has pages without tiles");
    if (book && book->centroids.shape[0] != 1 && book->centroids.shape[0] != rows)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "codebook.centroids",
                                 "has neither one row nor those of the cache");
    if (!padici_mul_u64(c->shape[2], paged ? cache->pages.shape[1] : 1, &tiles) ||
        tiles > (uint64_t)1 << 25 || cache->start > ((uint64_t)1 << 31) - tiles * PADICI_PQ_TILE)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "cache.codes",
                                 "has positions above 2^31");
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_check_queries(padic_context *context, const padic_tensor *queries,
                                               const padic_pq_codebook *book, uint64_t rows)
{
    padici_pq_book is;
    padic_result result;
    padici_pq_book_of(book, &is);
    result = padici_pq_check(context, "queries", queries, PADIC_DTYPE_NONE, 4, rows, UINT64_MAX,
                             UINT64_MAX, is.m * is.ds);
    if (!result && (is.groups ? queries->shape[1] % is.groups : queries->shape[1]))
        result = padici_fail_field(context, PADIC_ERROR_MISMATCH, "queries",
                                   "has heads that are no multiple of those of the codebook");
    return result;
}

PADICI_FN void padici_pq_book_of(const padic_pq_codebook *codebook, padici_pq_book *book)
{
    const uint64_t *shape = codebook->centroids.shape;
    book->batch = shape[0];
    book->groups = shape[1];
    book->m = shape[2];
    book->cells = shape[3];
    book->components = shape[4];
    book->ds = shape[4] - (codebook->metric == PADIC_PQ_METRIC_IP);
    book->bits = padici_pq_log2(shape[3]);
    book->centroids = (const float *)codebook->centroids.data;
    book->scaled = (const float *)codebook->scaled.data;
    book->info = (const int32_t *)codebook->info.data;
}

PADICI_FN void padici_pq_store_of(const padic_pq_cache *cache, const padici_pq_book *book,
                                  padici_pq_store *store)
{
    const uint64_t *shape = cache->codes.shape;
    const int paged = padici_pq_here(&cache->pages);
    store->bits = book ? book->bits : padici_pq_store_bits(cache, NULL);
    store->rows = cache->lengths.shape[0];
    store->groups = shape[1];
    store->m = shape[3];
    store->page_tiles = paged ? shape[2] : 0;
    store->page_count = shape[0];
    store->row_pages = paged ? cache->pages.shape[1] : 0;
    store->tiles = paged ? shape[2] * store->row_pages : shape[2];
    store->start = cache->start;
    store->tile_bytes = store->bits <= 8 ? (uint32_t)shape[4] : 128;
    store->codes = (uint8_t *)cache->codes.data;
    store->lengths = (uint32_t *)cache->lengths.data;
    store->counts = (uint32_t *)cache->counts.data;
    store->pages = (const uint32_t *)cache->pages.data;
    store->cells = store->counts ? cache->counts.shape[2] : 0;
}

// Tiles and pages

PADICI_FN uint8_t *padici_pq_tile(const padici_pq_store *store, uint64_t row, uint64_t head,
                                  uint64_t tile)
{
    uint64_t tiles = store->tiles;
    if (store->page_tiles) {
        row = store->pages[row * store->row_pages + tile / store->page_tiles];
        if (row >= store->page_count) return NULL;
        tile %= store->page_tiles;
        tiles = store->page_tiles;
    }
    return store->codes +
           ((row * store->groups + head) * tiles + tile) * store->m * store->tile_bytes;
}

PADICI_FN void padici_pq_unpack(const uint8_t *packed, uint64_t runs, uint8_t *out)
{
    uint32_t i;
    for (; runs; runs--, packed += PADICI_PQ_PACKED, out += PADICI_PQ_TILE) {
        uint8_t low[32], high[16]; // what `out` is surely not
        memcpy(low, packed, sizeof low);
        memcpy(high, packed + sizeof low, sizeof high);
        for (i = 0; i < 16; i++) out[i] = (uint8_t)((low[i] & 15) | (high[i] & 3) << 4);
        for (i = 0; i < 16; i++) out[16 + i] = (uint8_t)((low[16 + i] & 15) | (high[i] & 12) << 2);
        for (i = 0; i < 16; i++) out[32 + i] = (uint8_t)(low[i] >> 4 | (high[i] & 48));
        for (i = 0; i < 16; i++) out[48 + i] = (uint8_t)(low[16 + i] >> 4 | (high[i] & 192) >> 2);
    }
}

PADICI_FN uint64_t padici_pq_readable(const padici_pq_store *store, uint64_t row, uint64_t length)
{
    const uint64_t page = store->page_tiles * PADICI_PQ_TILE;
    uint64_t i;
    if (length > store->tiles * PADICI_PQ_TILE) length = store->tiles * PADICI_PQ_TILE;
    for (i = 0; page && i * page < length; i++)
        if (store->pages[row * store->row_pages + i] >= store->page_count) return i * page;
    return length;
}

PADICI_FN int padici_pq_store_sound(const padici_pq_store *store)
{
    uint64_t row;
    for (row = 0; row < store->rows; row++)
        if (padici_pq_readable(store, row, store->lengths[row]) != store->lengths[row]) return 0;
    return 1;
}

// Memory of a call

PADICI_FN uint64_t padici_pq_space_bytes(const padic_jobs *jobs, uint64_t tasks, uint64_t each,
                                         padici_pq_space *space)
{
    space->workers = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (space->workers > tasks) space->workers = tasks ? (uint32_t)tasks : 1;
    space->each = (each + 63) & ~(uint64_t)63;
    return padici_mul_u64(space->each, space->workers, &space->size) && space->size >> 62 == 0
               ? space->size
               : UINT64_MAX;
}

PADICI_FN padic_result padici_pq_space_begin(const padic_env *env, const padic_tensor *workspace,
                                             uint64_t tasks, uint64_t each, padici_pq_space *space)
{
    const uint64_t bytes = padici_pq_space_bytes(padici_env_jobs(env), tasks, each, space);
    space->at = workspace ? (char *)workspace->data : NULL;
    space->owned = !space->at;
    if (space->at) return PADIC_OK;
    if (bytes <= (uint64_t)(SIZE_MAX / 2))
        space->at = (char *)padici_alloc(env ? env->allocator : NULL, (size_t)bytes, 64);
    return space->at ? PADIC_OK
                     : padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for the work");
}

PADICI_FN void padici_pq_space_end(const padic_env *env, padici_pq_space *space)
{
    if (space->owned) padici_free(env ? env->allocator : NULL, space->at, (size_t)space->size);
}

#endif
