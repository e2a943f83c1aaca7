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

// The least magnitude that keeps to the limits as a threshold, by bisection; the largest one first.
static padic_result padici_sparse_fit(padic_context *context, const padic_sparse_fit_desc *desc,
                                      padici_sparse_source *s,
                                      const padic_sparse_encode_desc *encode,
                                      padic_sparse_encode_report *report, uint64_t *limit)
{
    uint64_t low = 0, high = padici_sparse_limit(s->dtype, 1.7976931348623157e308);
    padic_sparse_csr a;
    padic_result result;
    if (padici_sparse_is(s->dtype, PADICI_SPARSE_SIGNED)) high = high / 2 + 1;
    for (*limit = high; low <= high; *limit = low + (high - low) / 2) {
        memset(&a, 0, sizeof a);
        if (desc->index_size) a.row_ptr.dtype = desc->index_size == 8 ? PADIC_I64 : PADIC_I32;
        s->most = *limit;
        s->test = padici_sparse_above(s->dtype, *limit);
        result = padici_sparse_count(context, s, encode, NULL, &a, report, 1);
        if (result) return result;
        if ((desc->nnz_limit && report->nnz > desc->nnz_limit) ||
            (desc->size_limit && report->size > desc->size_limit)) {
            if (*limit == high)
                return padici_blame(context, PADIC_ERROR_LIMIT, "size_limit", NULL,
                                    "is below what an empty matrix takes");
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
    padic_sparse_encode_desc encode;
    padici_sparse_source s;
    uint64_t limit = 0;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!desc) return padici_sparse_no_desc(context, "sparse_fit");
    memset(&encode, 0, sizeof encode);
    encode.source.mode = PADIC_SPARSE_THRESHOLD;
    encode.source.dense = desc->dense;
    if (!desc->report)
        padici_blame(context, result, "report", NULL, "is NULL");
    else if (desc->index_size && desc->index_size != 4 && desc->index_size != 8)
        padici_blame(context, result, "index_size", NULL, "must be 0, 4 or 8");
    else
        result = padici_sparse_source_of(context, &s, &encode.source, 0, NULL);
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (!result)
        result = padici_sparse_fit(context, desc, &s, &encode, &desc->report->encoding, &limit);
    if (!result) desc->report->threshold = padici_sparse_magnitude(s.dtype, limit);
    return padici_sparse_end(context, "sparse_fit", result);
}

#endif
