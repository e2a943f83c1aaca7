#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "encode.h"
#include "index.h"
#include "kept.h"
#include "matrix.h"

#if PADICI_IMPLEMENT_SPARSE

// The threshold for a size

// The least magnitude that keeps to the limits as a threshold, by bisection; the largest one first.
static padic_result padici_sparse_fit(padic_context *context, const padic_sparse_fit_desc *desc,
                                      const padic_sparse_count_desc *count, uint64_t *limit)
{
    const padic_dtype dtype = desc->dense.dtype;
    padic_sparse_encode_report *report = &desc->report->encoding;
    uint64_t low = 0, high = padici_sparse_limit(dtype, 1.7976931348623157e308);
    padic_sparse_csr a;
    padic_result result;
    if (padici_sparse_is(dtype, PADICI_SPARSE_SIGNED)) high = high / 2 + 1;
    for (*limit = high; low <= high; *limit = low + (high - low) / 2) {
        memset(&a, 0, sizeof a);
        if (desc->index_size) a.row_ptr.dtype = desc->index_size == 8 ? PADIC_I64 : PADIC_I32;
        result = padici_sparse_count(context, "sparse_fit", count, limit, &a, report);
        if (result) return result;
        if ((desc->nnz_limit && report->nnz > desc->nnz_limit) ||
            (desc->size_limit && report->size > desc->size_limit)) {
            if (*limit == high) {
                padici_blame(context, PADIC_ERROR_LIMIT, "size_limit", NULL,
                             "is below what an empty matrix takes");
                return padici_sparse_end(context, "sparse_fit", PADIC_ERROR_LIMIT);
            }
            low = *limit + 1;
        } else if (low == *limit) {
            break;
        } else {
            high = *limit;
        }
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_fit(padic_context *context, const padic_sparse_fit_desc *desc)
{
    padic_sparse_count_desc count;
    uint64_t limit = 0;
    padic_result result = PADIC_OK;
    if (!desc) return padici_sparse_no_desc(context, "sparse_fit");
    if (!desc->report || (desc->index_size && desc->index_size != 4 && desc->index_size != 8)) {
        result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, desc->report ? "index_size" : "report", NULL,
                     desc->report ? "must be 0, 4 or 8" : "is NULL");
    } else if (!padici_sparse_is(desc->dense.dtype,
                                 PADICI_SPARSE_INTEGERS | PADICI_SPARSE_FLOATS)) {
        result = padici_blame(context, PADIC_ERROR_DTYPE, "dense", NULL, NULL);
    }
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (result) return padici_sparse_end(context, "sparse_fit", result);
    memset(&count, 0, sizeof count);
    count.source.mode = PADIC_SPARSE_MODE_THRESHOLD;
    count.source.dense = desc->dense;
    count.report = &desc->report->encoding;
    result = padici_sparse_fit(context, desc, &count, &limit);
    if (!result) desc->report->threshold = padici_sparse_magnitude(desc->dense.dtype, limit);
    return result;
}

#endif
