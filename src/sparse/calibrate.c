#include "../context/profile.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "matrix.h"
#include "source.h"

#if PADICI_IMPLEMENT_SPARSE

// Calibration

// The median time of five encodings after one to warm up.
static padic_result padici_sparse_measure(padic_context *context, const padic_sparse_csr *out,
                                          padic_sparse_encode_desc *desc, double *ns)
{
    padic_sparse_csr to = *out;
    double t[6];
    padic_result result = PADIC_OK;
    uint32_t i, j;
    desc->out = &to;
    for (i = 0; i < 6; i++) {
        const uint64_t begin = padici_profile_now(context);
        double took;
        result = padic_sparse_encode(context, desc);
        took = (double)(padici_profile_now(context) - begin);
        if (result) break;
        for (j = i; j > 1 && t[j - 1] > took; j--) t[j] = t[j - 1]; // t[1] to t[5] in order
        t[i ? j : 0] = took;
    }
    desc->out = NULL;
    if (!result) *ns = t[3];
    return result;
}

// Every method on the first `most` elements of one->source.dense, number c of the table.
static padic_result padici_sparse_calibrate_size(padic_context *context,
                                                 const padic_sparse_csr *matrix,
                                                 padic_sparse_encode_desc *one, uint32_t c,
                                                 padic_sparse_calibration *table)
{
    const padic_jobs *jobs = padici_jobs(context);
    padic_result result;
    uint32_t m;
    for (m = PADIC_SPARSE_METHOD_SCALAR; m < PADIC_SPARSE_METHOD_COUNT; m++) {
        if (m == PADIC_SPARSE_METHOD_THREADS && (!jobs || jobs->workers < 2)) continue;
        one->method = (padic_sparse_method)m;
        result = padici_sparse_measure(context, matrix, one, &table->ns[c][m]);
        if (result == PADIC_ERROR_NOT_SUPPORTED) continue;
        if (result) return result;
        if (!table->best[c] || table->ns[c][m] < table->ns[c][table->best[c]])
            table->best[c] = (padic_sparse_method)m;
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_calibrate(padic_context *context,
                                              const padic_sparse_calibrate_desc *desc)
{
    padic_sparse_calibration *table = desc ? desc->out : NULL;
    padic_sparse_encode_desc one;
    padic_tensor *dense = &one.source.dense;
    padici_sparse_source s;
    uint32_t c, m;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!desc) return padici_sparse_no_desc(context, "sparse_calibrate");
    if (table) memset(table, 0, sizeof *table);
    if (context && desc->matrix && table && !desc->source.numbers.ring)
        result = padici_sparse_source_of(context, &s, &desc->source, 0, NULL);
    if (result) return padici_sparse_end(context, "sparse_calibrate", result);
    memset(&one, 0, sizeof one);
    one.source = desc->source;
    for (c = 0; c < PADIC_SPARSE_CALIBRATION_SIZES && !result; c++) {
        const uint64_t most = UINT64_C(1) << (12 + 4 * c);
        for (m = 0; m < PADIC_SPARSE_METHOD_COUNT; m++) table->ns[c][m] = -1;
        if (!s.cols || s.rows * s.cols < most) continue;
        if (dense->rank == 2) dense->shape[0] = s.cols > most ? 1 : most / s.cols;
        dense->shape[dense->rank - 1] = s.cols > most ? most : s.cols;
        result = padici_sparse_calibrate_size(context, desc->matrix, &one, c, table);
    }
    if (result) memset(table, 0, sizeof *table);
    return result;
}

#endif
