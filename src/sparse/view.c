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

PADIC_API padic_result padic_sparse_row(padic_context *context, const padic_sparse_row_desc *desc)
{
    padici_sparse m;
    uint64_t end = 0, begin = 0;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!desc) return padici_sparse_no_desc(context, "sparse_row");
    if (desc->report)
        result = padici_sparse_planes(context, desc->matrix, 0, &m);
    else
        padici_blame(context, result, "report", NULL, "is NULL");
    if (!result) result = padici_sparse_find_row(context, desc->matrix, desc->row, &begin, &end);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, "row", NULL, "must be below matrix.rows");
    if (desc->report) desc->report->first = result ? 0 : begin;
    if (desc->report) desc->report->count = result ? 0 : end - begin;
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

PADIC_API padic_result padic_sparse_get(padic_context *context, const padic_sparse_get_desc *desc)
{
    padici_sparse m;
    int64_t entry = -1;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!desc) return padici_sparse_no_desc(context, "sparse_get");
    if (desc->report)
        result = padici_sparse_planes(context, desc->matrix, 0, &m);
    else
        padici_blame(context, result, "report", NULL, "is NULL");
    if (!result)
        result = padici_sparse_find(context, desc->matrix, desc->row, desc->col, &entry);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, desc->row < m.rows ? "col" : "row", NULL,
                     "must be below matrix.rows or matrix.cols");
    if (desc->report) desc->report->entry = result ? -1 : entry;
    return padici_sparse_end(context, "sparse_get", result);
}

PADICI_FN padic_result padici_sparse_col(padic_context *context, const padic_sparse_col_desc *desc)
{
    const padic_sparse_csr *csr = desc->matrix;
    padici_num_range list[5];
    padici_sparse m;
    uint64_t r;
    int64_t entry;
    uint32_t n = 0;
    void *p = NULL;
    padic_result result = padici_sparse_open(context, csr, &m);
    if (!result && desc->col >= m.cols)
        result = padici_blame(context, PADIC_ERROR_REGION, "col", NULL, "must be below csr.cols");
    if (result) return result;
    result = padici_sparse_view(&desc->out, m.rows, 1u << PADIC_I64, &p);
    padici_sparse_ranges(&m, 0, 0, list, &n);
    padici_num_range_add(list, &n, p, 8 * m.rows, 0, 1);
    if (!result) result = padici_num_overlap(list, n);
    padici_blame(context, result, "out", NULL, NULL);
    for (r = 0; !result && r < m.rows; r++) {
        result = padici_sparse_find(NULL, csr, r, desc->col, &entry);
        if (!result) memcpy((char *)p + 8 * r, &entry, 8);
    }
    return result;
}

#endif
