#include "view.h"
#include "../context/messages.h"
#include "../num/array.h"
#include "index.h"
#include "matrix.h"

#if PADICI_IMPLEMENT_SPARSE

// Views

static padic_result padici_sparse_find_row(const padici_sparse *m, uint64_t row, uint64_t *first,
                                           uint64_t *end)
{
    if (row >= m->rows) return PADIC_ERROR_REGION;
    *first = padici_sparse_index(m->row_ptr, m->wide, row);
    *end = padici_sparse_index(m->row_ptr, m->wide, row + 1);
    return *first > *end || *end > m->nnz ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

PADICI_FN padic_result padici_sparse_row_host(padic_context *context, const padic_sparse_csr *csr,
                                              uint64_t row, uint64_t *first, uint64_t *count)
{
    padici_sparse m;
    uint64_t end = 0, begin = 0;
    padic_result result = first && count ? padici_sparse_planes(context, csr, 0, &m)
                                         : PADIC_ERROR_ARGUMENT;
    if (!result) result = padici_sparse_find_row(&m, row, &begin, &end);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, "row", NULL, "must be below csr.rows");
    if (first) *first = result ? 0 : begin;
    if (count) *count = result ? 0 : end - begin;
    return padici_sparse_end(context, "sparse_row", result);
}

// The entry at (row, col), or -1.
static padic_result padici_sparse_find(const padici_sparse *m, uint64_t row, uint64_t col,
                                       int64_t *entry)
{
    uint64_t first, end, last;
    padic_result result = padici_sparse_find_row(m, row, &first, &end);
    if (result || col >= m->cols) return result ? result : PADIC_ERROR_REGION;
    for (last = end; first < end;) {
        const uint64_t middle = first + (end - first) / 2;
        if (padici_sparse_index(m->col, m->wide, middle) < col)
            first = middle + 1;
        else
            end = middle;
    }
    *entry = first < last && padici_sparse_index(m->col, m->wide, first) == col ? (int64_t)first
                                                                                : -1;
    return PADIC_OK;
}

PADICI_FN padic_result padici_sparse_get_host(padic_context *context, const padic_sparse_csr *csr,
                                              uint64_t row, uint64_t col, int64_t *entry)
{
    padici_sparse m;
    padic_result result = entry ? padici_sparse_planes(context, csr, 0, &m) : PADIC_ERROR_ARGUMENT;
    if (entry) *entry = -1;
    if (!result) result = padici_sparse_find(&m, row, col, entry);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, row < m.rows ? "col" : "row", NULL,
                     "must be below csr.rows or csr.cols");
    return padici_sparse_end(context, "sparse_get", result);
}

PADICI_FN padic_result padici_sparse_col_host(padic_context *context,
                                              const padic_sparse_col_desc *desc)
{
    padici_sparse m;
    uint64_t r;
    int64_t entry;
    void *p = NULL;
    padic_result result = padici_sparse_open(context, desc->matrix, &m);
    if (!result && desc->col >= m.cols) result = PADIC_ERROR_REGION;
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, "col", NULL, "must be below csr.cols");
    if (!result) {
        result = padici_num_plane(context, &desc->out, m.rows, 1u << PADIC_I64, &p);
        padici_blame(context, result, "out", NULL, NULL);
    }
    for (r = 0; !result && r < m.rows; r++) {
        result = padici_sparse_find(&m, r, desc->col, &entry);
        if (!result) memcpy((char *)p + 8 * r, &entry, 8);
    }
    return padici_sparse_end(context, "sparse_col", result);
}

#endif
