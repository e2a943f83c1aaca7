#include "../context/profile.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "matrix.h"
#include "source.h"

#if PADICI_IMPLEMENT_SPARSE

// Calibration

// The median time of five encodings after one to warm up.
static padic_result padici_sparse_measure(padic_context *context, const padic_sparse_csr *out,
                                          const padic_sparse_encode_desc *desc, double *ns)
{
    padic_sparse_csr to = *out;
    padic_sparse_report report;
    double t[6];
    uint32_t i, j;
    for (i = 0; i < 6; i++) {
        const uint64_t begin = padici_profile_now(context);
        const padic_result result = padic_sparse_encode(context, &to, desc, &report);
        double took = (double)(padici_profile_now(context) - begin);
        if (result) return result;
        for (j = i; j > 1 && t[j - 1] > took; j--) t[j] = t[j - 1]; // t[1] to t[5] in order
        t[i ? j : 0] = took;
    }
    *ns = t[3];
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_calibrate(padic_context *context, padic_sparse_csr *out,
                                              const padic_sparse_encode_desc *desc,
                                              padic_sparse_calibration *table)
{
    const padic_jobs *jobs = padici_jobs(context);
    padic_sparse_encode_desc one;
    padici_sparse_source s;
    uint32_t c, m;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (table) memset(table, 0, sizeof *table);
    if (context && out && table && desc && !desc->numbers.ring)
        result = padici_sparse_source_of(context, &s, desc, 0, NULL);
    if (result) return padici_sparse_end(context, "sparse_calibrate", result);
    one = *desc;
    one.calibration = NULL;
    for (c = 0; c < PADIC_SPARSE_CLASSES; c++) {
        const uint64_t most = UINT64_C(1) << (12 + 4 * c);
        for (m = 0; m < PADIC_SPARSE_METHODS; m++) table->ns[c][m] = -1;
        if (!s.cols || s.rows * s.cols < most) continue;
        if (one.dense.rank == 2) one.dense.shape[0] = s.cols > most ? 1 : most / s.cols;
        one.dense.shape[one.dense.rank - 1] = s.cols > most ? most : s.cols;
        for (m = PADIC_SPARSE_SCALAR; m < PADIC_SPARSE_METHODS; m++) {
            if (m == PADIC_SPARSE_THREADS && (!jobs || jobs->workers < 2)) continue;
            one.method = (padic_sparse_method)m;
            result = padici_sparse_measure(context, out, &one, &table->ns[c][m]);
            if (result == PADIC_ERROR_NOT_SUPPORTED) continue;
            if (result) {
                memset(table, 0, sizeof *table);
                return result;
            }
            if (!table->best[c] || table->ns[c][m] < table->ns[c][table->best[c]])
                table->best[c] = (padic_sparse_method)m;
        }
    }
    return PADIC_OK;
}

#endif
