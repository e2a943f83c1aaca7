#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "encode.h"
#include "index.h"
#include "kept.h"
#include "matrix.h"
#include "source.h"

#if PADICI_IMPLEMENT_SPARSE

// The threshold for a size

PADIC_API padic_result padic_sparse_fit(padic_context *context, const padic_tensor *dense,
                                        uint64_t nnz, uint64_t bytes, uint32_t index_size,
                                        double *threshold, padic_sparse_report *report)
{
    padic_sparse_encode_desc desc;
    padici_sparse_source s;
    padic_sparse_csr a;
    padic_sparse_report local;
    uint64_t low = 0, high, limit;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!report) report = &local;
    if (threshold) *threshold = 0;
    memset(&desc, 0, sizeof desc);
    desc.mode = PADIC_SPARSE_THRESHOLD;
    if (dense) desc.dense = *dense;
    if (threshold && dense && (!index_size || index_size == 4 || index_size == 8))
        result = padici_sparse_source_of(context, &s, &desc, 0, NULL);
    else
        padici_blame(context, result, NULL, NULL,
                     threshold && dense ? "index_size must be 0, 4 or 8"
                                        : "threshold or dense is NULL");
    if (result) return padici_sparse_end(context, "sparse_fit", result);
    high = padici_sparse_limit(s.dtype, 1.7976931348623157e308);
    if (padici_sparse_is(s.dtype, PADICI_SPARSE_SIGNED)) high = high / 2 + 1;
    for (limit = high; low <= high; limit = low + (high - low) / 2) { // the largest one first
        memset(&a, 0, sizeof a);
        if (index_size) a.row_ptr.dtype = index_size == 8 ? PADIC_I64 : PADIC_I32;
        s.most = limit;
        s.test = padici_sparse_above(s.dtype, limit);
        result = padici_sparse_count(context, &s, &desc, NULL, &a, report);
        if (result) return padici_sparse_end(context, "sparse_fit", result);
        if ((nnz && report->nnz > nnz) || (bytes && report->bytes > bytes)) {
            if (limit == high)
                return padici_fail_in(context, PADIC_ERROR_LIMIT, "sparse_fit",
                                      "bytes is below what an empty matrix takes");
            low = limit + 1;
        } else if (low == limit) {
            break;
        } else {
            high = limit;
        }
    }
    *threshold = padici_sparse_magnitude(s.dtype, limit);
    return PADIC_OK;
}

#endif
