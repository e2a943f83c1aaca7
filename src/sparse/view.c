#include "view.h"
#include "../context/cpu.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../context/target.h"
#include "index.h"
#include "matrix.h"

#if PADICI_IMPLEMENT_SPARSE

// Views

// Index number i of a plane, wherever it lies.
static padic_result padici_sparse_fetch(padic_context *context, const padic_tensor *plane,
                                        uint64_t i, uint64_t *x)
{
    const uint32_t size = padic_dtype_size(plane->dtype);
    uint8_t word[8];
    padici_place from, to;
    padic_result result;
    if (plane->data) {
        *x = padici_sparse_index((const uint8_t *)plane->data, size == 8, i);
        return PADIC_OK;
    }
    if (!context) return PADIC_ERROR_ARGUMENT;
    result = padici_buffer_part(context, "csr", plane->buffer, (plane->offset + i) * size, size,
                                &from);
    to.mem.bits = (uint64_t)(uintptr_t)word;
    to.at = 0;
    to.host = 1;
    if (!result) result = padici_target_move(context, &context->targets[0], &to, &from, size);
    if (!result) *x = padici_sparse_index(word, size == 8, 0);
    return result;
}

static padic_result padici_sparse_find_row(padic_context *context, const padic_sparse_csr *csr,
                                           uint64_t row, uint64_t *first, uint64_t *end)
{
    padic_result result;
    if (row >= csr->rows) return PADIC_ERROR_REGION;
    result = padici_sparse_fetch(context, &csr->row_ptr, row, first);
    if (!result) result = padici_sparse_fetch(context, &csr->row_ptr, row + 1, end);
    if (result) return result;
    return *first > *end || *end > csr->nnz ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

PADIC_API padic_result padic_sparse_row(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t *first, uint64_t *count)
{
    padici_sparse m;
    uint64_t end = 0, begin = 0;
    padic_result result = first && count ? padici_sparse_planes(context, csr, 0, &m)
                                         : PADIC_ERROR_ARGUMENT;
    if (!result) result = padici_sparse_find_row(context, csr, row, &begin, &end);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, "row", NULL, "must be below csr.rows");
    if (first) *first = result ? 0 : begin;
    if (count) *count = result ? 0 : end - begin;
    return padici_sparse_end(context, "sparse_row", result);
}

// The entry at (row, col), or -1.
static padic_result padici_sparse_find(padic_context *context, const padic_sparse_csr *csr,
                                       uint64_t row, uint64_t col, int64_t *entry)
{
    uint64_t first, end, last, c = 0;
    padic_result result = padici_sparse_find_row(context, csr, row, &first, &end);
    if (result || col >= csr->cols) return result ? result : PADIC_ERROR_REGION;
    for (last = end; first < end && !result;) {
        const uint64_t middle = first + (end - first) / 2;
        result = padici_sparse_fetch(context, &csr->col, middle, &c);
        if (c < col)
            first = middle + 1;
        else
            end = middle;
    }
    if (!result && first < last) result = padici_sparse_fetch(context, &csr->col, first, &c);
    *entry = !result && first < last && c == col ? (int64_t)first : -1;
    return result;
}

PADIC_API padic_result padic_sparse_get(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t col, int64_t *entry)
{
    padici_sparse m;
    padic_result result = entry ? padici_sparse_planes(context, csr, 0, &m) : PADIC_ERROR_ARGUMENT;
    if (entry) *entry = -1;
    if (!result) result = padici_sparse_find(context, csr, row, col, entry);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, row < m.rows ? "col" : "row", NULL,
                     "must be below csr.rows or csr.cols");
    return padici_sparse_end(context, "sparse_get", result);
}

PADICI_FN padic_result padici_sparse_col(padic_context *context, const padic_sparse_col_desc *desc)
{
    const padic_sparse_csr *csr = desc->matrix;
    padici_sparse m;
    uint64_t r;
    int64_t entry;
    void *p = NULL;
    padic_result result = padici_sparse_open(context, csr, &m);
    if (!result && desc->col >= m.cols)
        result = padici_blame(context, PADIC_ERROR_REGION, "col", NULL, "must be below csr.cols");
    if (result) return result;
    result = padici_sparse_view(&desc->out, m.rows, 1u << PADIC_I64, &p);
    padici_blame(context, result, "out", NULL, NULL);
    for (r = 0; !result && r < m.rows; r++) {
        result = padici_sparse_find(NULL, csr, r, desc->col, &entry);
        if (!result) memcpy((char *)p + 8 * r, &entry, 8);
    }
    return result;
}

#endif
