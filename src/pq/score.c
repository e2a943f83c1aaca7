#include "score.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "calls.h"

#if PADICI_IMPLEMENT_PQ

// Tables of queries, and scores from them.

PADICI_FN uint64_t padici_pq_query_floats(const padici_pq_book *book)
{
    return book->m * (book->ds + book->cells);
}

PADICI_FN void padici_pq_query_space(const padici_pq_book *book, float *space,
                                     padici_pq_query *query)
{
    query->x = space;
    query->tables = space + book->m * book->ds;
}

PADICI_FN void padici_pq_query_load(const padici_pq_kernels *kernels, const padici_pq_book *book,
                                    uint64_t row, uint64_t head, const padici_pq_view *queries,
                                    const char *at, padici_pq_query *query)
{
    const uint64_t d = book->m * book->ds;
    uint32_t largest = 0;
    uint64_t i, j;
    int32_t e;
    query->finite = 1;
    for (i = 0; i < d; i++, at += queries->step[3]) {
        const uint32_t bits = padici_pq_load(at, queries->dtype);
        query->finite &= (uint32_t)padici_pq_finite(bits);
        if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
        query->x[i] = padici_pq_float(bits);
    }
    if (!query->finite) return;
    e = largest ? padici_pq_exponent(largest) : 0;
    for (i = 0; i < d; i++) query->x[i] = padici_pq_scaled(padici_pq_bits(query->x[i]), e);
    query->exponent = e + padici_pq_book_exponent(book, row, head);
    for (j = 0; j < book->m; j++)
        (*kernels->dots)(query->x + j * book->ds, padici_pq_book_scaled(book, row, head, j),
                         book->ds, book->cells, query->tables + j * book->cells);
}

PADICI_FN void padici_pq_tile_scores(const padici_pq_store *store, const float *tables,
                                     const uint8_t *tile, float out[PADICI_PQ_TILE])
{
    const uint32_t mask = ((uint32_t)1 << store->bits) - 1;
    const uint32_t packed = store->tile_bytes == PADICI_PQ_PACKED;
    uint8_t bytes[PADICI_PQ_TILE];
    uint64_t j;
    uint32_t i;
    for (j = 0; j < store->m; j++, tables += (uint64_t)1 << store->bits) {
        const uint8_t *codes = tile + j * store->tile_bytes;
        if (packed) {
            padici_pq_unpack(codes, 1, bytes);
            codes = bytes;
        }
        if ((store->tile_bytes == 64 || packed) && j) {
            for (i = 0; i < PADICI_PQ_TILE; i++) out[i] = out[i] + tables[codes[i] & mask];
        } else if (store->tile_bytes == 64 || packed) {
            for (i = 0; i < PADICI_PQ_TILE; i++) out[i] = tables[codes[i] & mask];
        } else {
            for (i = 0; i < PADICI_PQ_TILE; i++) {
                const float t = tables[padici_pq_code(store, tile, j, i)];
                out[i] = j ? out[i] + t : t;
            }
        }
    }
}

// padic_pq_score()

PADICI_FN uint32_t padici_pq_score_operands(void *desc_, padici_operand *operands)
{
    padic_pq_score_desc *desc = (padic_pq_score_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 0);
    n = padici_pq_store_operands(operands, n, &desc->cache, 0);
    n = padici_pq_operand(operands, n, "queries", &desc->queries, 0);
    n = padici_pq_optional(operands, n, "tables", &desc->tables, 1);
    return padici_pq_optional(operands, n, "out", &desc->out, 1);
}

PADIC_API uint64_t padic_pq_score_workspace(padic_context *context, const padic_pq_score_desc *desc)
{
    padici_pq_book book;
    padici_pq_space space;
    if (!desc || padici_pq_check_book(NULL, &desc->codebook)) return 0;
    padici_pq_book_of(&desc->codebook, &book);
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL,
                                 desc->queries.shape[0] * desc->queries.shape[1],
                                 padici_pq_query_floats(&book) * 4, &space);
}

// Tables of queries of the shape `n`.
static padic_result padici_pq_tables_check(padic_context *context, const char *name,
                                           const padic_tensor *t, const uint64_t *n,
                                           const padic_pq_codebook *codebook)
{
    const uint64_t *c = codebook->centroids.shape;
    if (t->dtype == PADIC_F32 && t->rank == 5 && t->shape[0] == n[0] && t->shape[1] == n[1] &&
        t->shape[2] == n[2] && t->shape[3] == c[2] && t->shape[4] == c[3])
        return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_MISMATCH, name, "is not f32 (b, h, s_q, m, K)");
}

PADICI_FN padic_result padici_pq_score_check(padic_context *context, const void *desc_)
{
    const padic_pq_score_desc *desc = (const padic_pq_score_desc *)desc_;
    const uint64_t *n = desc->queries.shape;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result) result = padici_pq_check_store(context, &desc->cache, &desc->codebook);
    if (!result) result = padici_pq_check_queries(context, &desc->queries, &desc->codebook,
                                                  desc->cache.lengths.shape[0]);
    if (result) return result;
    if (padici_pq_here(&desc->tables))
        result = padici_pq_tables_check(context, "tables", &desc->tables, n, &desc->codebook);
    if (result) return result;
    result = padici_pq_check_optional(context, "out", &desc->out, PADIC_F32, 4, n[0], n[1], n[2],
                                      UINT64_MAX);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_score_workspace(context, desc));
}

typedef struct padici_pq_scoring {
    const padici_pq_kernels *kernels;
    const padic_pq_score_desc *desc;
    padici_pq_book book;
    padici_pq_store store;
    padici_pq_view queries, tables, out;
    padici_pq_space space;
} padici_pq_scoring;

static void padici_pq_score_tables(const padici_pq_scoring *work, char *to,
                                   const padici_pq_query *query)
{
    uint64_t j, k;
    for (j = 0; j < work->book.m; j++, to += work->tables.step[3])
        for (k = 0; k < work->book.cells; k++)
            *(float *)(void *)(to + (int64_t)k * work->tables.step[4]) =
                query->finite ? padici_pq_unscaled(query->tables[j * work->book.cells + k],
                                                   query->exponent)
                              : padici_pq_float(0x7fc00000u);
}

static void padici_pq_score_row(const padici_pq_scoring *work, char *to, uint64_t row,
                                uint64_t head, const padici_pq_query *query)
{
    const padici_pq_store *store = &work->store;
    const uint64_t n = work->desc->out.shape[3];
    uint64_t there = query->finite ? padici_pq_readable(store, row, store->lengths[row]) : 0, i;
    float scores[PADICI_PQ_TILE];
    for (i = 0; i < n; i++, to += work->out.step[3]) {
        const uint32_t at = (uint32_t)(i % PADICI_PQ_TILE);
        if (!at && i < there)
            padici_pq_tile_scores(store, query->tables,
                                  padici_pq_tile(store, row, head, i / PADICI_PQ_TILE), scores);
        *(float *)(void *)to = i < there ? padici_pq_unscaled(scores[at], query->exponent)
                                         : padici_pq_float(0xff800000u);
    }
}

static void padici_pq_score_work(void *work_, uint32_t worker)
{
    const padici_pq_scoring *work = (const padici_pq_scoring *)work_;
    const uint64_t *n = work->desc->queries.shape, groups = work->book.groups;
    const uint64_t per = groups ? n[1] / groups : 1;
    padici_pq_query query;
    uint64_t item, i;
    padici_pq_query_space(&work->book,
                          (float *)(void *)(work->space.at + worker * work->space.each), &query);
    for (item = worker; item < n[0] * n[1]; item += work->space.workers) {
        const int64_t row = (int64_t)(item / n[1]), head = (int64_t)(item % n[1]);
        for (i = 0; i < n[2]; i++) {
            padici_pq_query_load(work->kernels, &work->book, (uint64_t)row, (uint64_t)head / per,
                                 &work->queries,
                                 work->queries.at + row * work->queries.step[0] +
                                     head * work->queries.step[1] +
                                     (int64_t)i * work->queries.step[2],
                                 &query);
            if (work->tables.at)
                padici_pq_score_tables(work,
                                       work->tables.at + row * work->tables.step[0] +
                                           head * work->tables.step[1] +
                                           (int64_t)i * work->tables.step[2],
                                       &query);
            if (work->out.at)
                padici_pq_score_row(work,
                                    work->out.at + row * work->out.step[0] +
                                        head * work->out.step[1] + (int64_t)i * work->out.step[2],
                                    (uint64_t)row, (uint64_t)head / per, &query);
        }
    }
}

PADICI_FN padic_result padici_pq_score_run(const padic_env *env, const padici_pq_kernels *kernels,
                                           const padic_pq_score_desc *desc)
{
    padici_pq_scoring work;
    padic_result result;
    work.kernels = kernels;
    work.desc = desc;
    padici_pq_book_of(&desc->codebook, &work.book);
    padici_pq_store_of(&desc->cache, &work.book, &work.store);
    work.queries = padici_pq_view_of(&desc->queries);
    work.tables = padici_pq_view_of(&desc->tables);
    work.out = padici_pq_view_of(&desc->out);
    result = padici_pq_space_begin(env, &desc->workspace,
                                   desc->queries.shape[0] * desc->queries.shape[1],
                                   padici_pq_query_floats(&work.book) * 4, &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_score_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_score_host(const padic_env *env, const void *desc)
{
    return padici_pq_score_run(env, padici_pq_plain(), (const padic_pq_score_desc *)desc);
}

// padic_pq_lut()

static void padici_pq_lut_score(const padic_pq_lut_desc *desc, padic_pq_score_desc *score)
{
    memset(score, 0, sizeof *score);
    score->codebook = desc->codebook;
    score->queries = desc->queries;
    score->tables = desc->out;
    score->workspace = desc->workspace;
}

PADICI_FN uint32_t padici_pq_lut_operands(void *desc_, padici_operand *operands)
{
    padic_pq_lut_desc *desc = (padic_pq_lut_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 0);
    n = padici_pq_operand(operands, n, "queries", &desc->queries, 0);
    return padici_pq_operand(operands, n, "out", &desc->out, 1);
}

PADIC_API uint64_t padic_pq_lut_workspace(padic_context *context, const padic_pq_lut_desc *desc)
{
    padic_pq_score_desc score;
    if (!desc) return 0;
    padici_pq_lut_score(desc, &score);
    return padic_pq_score_workspace(context, &score);
}

PADICI_FN padic_result padici_pq_lut_check(padic_context *context, const void *desc_)
{
    const padic_pq_lut_desc *desc = (const padic_pq_lut_desc *)desc_;
    const uint64_t *n = desc->queries.shape, rows = desc->codebook.centroids.shape[0];
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result)
        result = padici_pq_check_queries(context, &desc->queries, &desc->codebook,
                                         rows == 1 ? UINT64_MAX : rows);
    if (!result) result = padici_pq_tables_check(context, "out", &desc->out, n, &desc->codebook);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_lut_workspace(context, desc));
}

PADICI_FN padic_result padici_pq_lut_run(const padic_env *env, const padici_pq_kernels *kernels,
                                         const padic_pq_lut_desc *desc)
{
    padic_pq_score_desc score;
    padici_pq_lut_score(desc, &score);
    return padici_pq_score_run(env, kernels, &score);
}

PADICI_FN padic_result padici_pq_lut_host(const padic_env *env, const void *desc)
{
    return padici_pq_lut_run(env, padici_pq_plain(), (const padic_pq_lut_desc *)desc);
}

#endif
