#include "rows.h"
#include "number.h"

#if PADICI_IMPLEMENT_PQ

// Rows of keys or values whose components may have gaps between them.

static double padici_pq_component(const padici_pq_view *view, const char *row, uint64_t i)
{
    return (double)padici_pq_float(padici_pq_load(row + (int64_t)i * view->step[3], view->dtype));
}

static int padici_pq_rows_dense(const padici_pq_view *view, uint64_t d)
{
    return d < 2 || view->step[3] == (view->dtype == PADIC_F32 ? 4 : 2);
}

PADICI_FN void padici_pq_rows_dots(const padici_pq_kernels *kernels, const double *q,
                                   const padici_pq_view *view, const char *const *row, uint64_t n,
                                   uint64_t d, double *out)
{
    uint64_t j, i;
    if (padici_pq_rows_dense(view, d)) {
        (*kernels->rows_dots)(q, row, n, d, view->dtype, out);
        return;
    }
    for (j = 0; j < n; j++) {
        double sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (i = 0; i < d; i++)
            sum[i & 7] = sum[i & 7] + q[i] * padici_pq_component(view, row[j], i);
        out[j] = padici_pq_eight(sum);
    }
}

PADICI_FN void padici_pq_rows_add(const padici_pq_kernels *kernels, const double *w,
                                  const padici_pq_view *view, const char *const *row, uint64_t n,
                                  uint64_t d, double *o)
{
    uint64_t j, i;
    if (padici_pq_rows_dense(view, d)) {
        (*kernels->rows_add)(w, row, n, d, view->dtype, o);
        return;
    }
    for (j = 0; j < n; j++)
        for (i = 0; i < d; i++) o[i] = o[i] + w[j] * padici_pq_component(view, row[j], i);
}

#endif
