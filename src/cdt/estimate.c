#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/view_task.h"
#include "arrays.h"

#if PADICI_IMPLEMENT_CDT

// Series: means with errors, autocorrelation times, slopes.

static padic_result padici_cdt_finite(padic_context *context, const char *field, const double *x,
                                      uint64_t n)
{
    uint64_t i;
    for (i = 0; i < n; i++)
        if (!(x[i] - x[i] == 0))
            return padici_fail_field(context, PADIC_ERROR_NOT_FINITE, field,
                                     "have a value that is not finite");
    return PADIC_OK;
}

// ---- one series

typedef struct padici_cdt_series { // deviations from `mean`
    const double *x;
    uint64_t n, blocks, length; // of each block
    double mean, sum, square;   // over whole blocks
    padic_cdt_statistic statistic;
} padici_cdt_series;

// The statistic of `count` values with these sums.
static double padici_cdt_statistic_of(const padici_cdt_series *s, double sum, double square,
                                      uint64_t count)
{
    const double mean = sum / (double)count;
    if (s->statistic == PADIC_CDT_STATISTIC_MEAN) return s->mean + mean;
    return square / (double)count - mean * mean;
}

static void padici_cdt_block(const padici_cdt_series *s, uint64_t block, double *sum,
                             double *square)
{
    uint64_t i;
    *sum = *square = 0;
    for (i = 0; i < s->length; i++) {
        const double d = s->x[block * s->length + i] - s->mean;
        *sum += d;
        *square += d * d;
    }
}

static void padici_cdt_jackknife(padici_cdt_series *s, padic_cdt_estimate_report *report)
{
    const uint64_t count = s->blocks * s->length;
    double sum, square, first = 0, second = 0;
    uint64_t i;
    s->sum = s->square = 0;
    for (i = 0; i < s->blocks; i++) {
        padici_cdt_block(s, i, &sum, &square);
        s->sum += sum;
        s->square += square;
    }
    report->value = padici_cdt_statistic_of(s, s->sum, s->square, count);
    for (i = 0; i < s->blocks; i++) { // without block i
        double d;
        padici_cdt_block(s, i, &sum, &square);
        d = padici_cdt_statistic_of(s, s->sum - sum, s->square - square, count - s->length) -
            report->value;
        first += d;
        second += d * d;
    }
    second -= first * first / (double)s->blocks;
    if (second < 0) second = 0;
    report->error = sqrt(second * (double)(s->blocks - 1) / (double)s->blocks);
}

static double padici_cdt_covariance(const padici_cdt_series *s, uint64_t t)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i + t < s->n; i++) sum += (s->x[i] - s->mean) * (s->x[i + t] - s->mean);
    return sum / (double)(s->n - t);
}

static void padici_cdt_autocorrelation(const padici_cdt_series *s,
                                       padic_cdt_estimate_report *report)
{
    const double all = padici_cdt_covariance(s, 0);
    double tau = 0.5;
    uint64_t w = 0;
    while (w + 1 < s->n && (w == 0 || (double)w < 6 * tau)) {
        w++;
        if (all > 0) tau += padici_cdt_covariance(s, w) / all;
    }
    report->tau = tau;
    report->window = w;
    report->tau_error = fabs(tau) * sqrt((4 * (double)w + 2) / (double)s->n);
}

typedef struct padici_cdt_estimate_task {
    padici_view_task task;
    padic_cdt_estimate_desc desc;
} padici_cdt_estimate_task;

static padic_result padici_cdt_estimate_inspect(padici_view_task *task)
{
    padic_cdt_estimate_desc *d = &((padici_cdt_estimate_task *)(void *)task)->desc;
    const uint64_t n = d->series.rank == 1 ? d->series.shape[0] : 0;
    padic_result result;
    if (!task->view[0].tensor || n < 2)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "series",
                                 "is no array of two or more values");
    result = padici_cdt_array_check(task->context, "series", &d->series, PADIC_F64, 1, &n);
    if (result) return result;
    if (!d->blocks) d->blocks = n < 20 ? n : 20;
    if (d->blocks < 2 || d->blocks > n)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "blocks",
                                 "are fewer than 2, or more than values");
    if ((uint32_t)d->statistic > PADIC_CDT_STATISTIC_VARIANCE)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "statistic",
                                 "is no padic_cdt_statistic");
    if (!d->report)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "report", "is NULL");
    return PADIC_OK;
}

static padic_result padici_cdt_estimate_work(padici_view_task *task)
{
    const padic_cdt_estimate_desc *d = &((padici_cdt_estimate_task *)(void *)task)->desc;
    padici_cdt_series s;
    uint64_t i;
    padic_result result;
    s.x = (const double *)d->series.data;
    s.n = d->series.shape[0];
    s.blocks = d->blocks;
    s.length = s.n / s.blocks;
    s.statistic = d->statistic;
    s.mean = 0;
    result = padici_cdt_finite(task->context, "series", s.x, s.n);
    if (result) return result;
    for (i = 0; i < s.n; i++) s.mean += s.x[i] / (double)s.n;
    padici_cdt_jackknife(&s, d->report);
    padici_cdt_autocorrelation(&s, d->report);
    return PADIC_OK;
}

PADICI_VIEW_TASK(cdt_estimate)

PADIC_API padic_result padic_cdt_estimate(padic_context *context,
                                          const padic_cdt_estimate_desc *desc)
{
    padici_cdt_estimate_task call;
    if (!desc) return padici_cdt_no_desc(context, "cdt_estimate");
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    call.desc = *desc;
    padici_view_task_begin(&call.task, context, padici_cdt_estimate_inspect,
                           padici_cdt_estimate_work);
    padici_view_add(&call.task, "series", &call.desc.series, 0);
    return padici_run_task(context, PADIC_OP_CDT_ESTIMATE, &call);
}

// ---- slopes of curves

typedef struct padici_cdt_dimension_task {
    padici_view_task task;
    padic_cdt_dimension_desc desc;
} padici_cdt_dimension_task;

static padic_result padici_cdt_dimension_inspect(padici_view_task *task)
{
    padic_cdt_dimension_desc *d = &((padici_cdt_dimension_task *)(void *)task)->desc;
    padic_result result;
    if ((uint32_t)d->slope > PADIC_CDT_SLOPE_SPECTRAL)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "slope",
                                 "is no padic_cdt_slope");
    if (!d->reach) d->reach = d->slope == PADIC_CDT_SLOPE_SPECTRAL ? 10 : 1;
    if (d->slope == PADIC_CDT_SLOPE_SPECTRAL && d->reach % 2)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "reach", "is odd");
    if (!task->view[0].tensor || d->curves.rank != 2 || !d->curves.shape[0])
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "curves",
                                 "are no array of one or more rows");
    if (!task->view[1].tensor)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "out", "has no memory");
    result = padici_cdt_array_check(task->context, "curves", &d->curves, PADIC_F64, 2,
                                    d->curves.shape);
    if (!result)
        result = padici_cdt_array_check(task->context, "out", &d->out, PADIC_F64, 1,
                                        &d->curves.shape[1]);
    if (!result && task->view[2].tensor)
        result = padici_cdt_array_check(task->context, "error", &d->error, PADIC_F64, 1,
                                        &d->curves.shape[1]);
    return result ? result : padici_cdt_views_apart(task);
}

// The slope between two points of a curve; 0 where it has none.
static double padici_cdt_slope_of(padic_cdt_slope slope, double low, double high, uint64_t from,
                                  uint64_t to)
{
    double rise;
    if (!(low > 0) || !(high > 0) || !from) return 0;
    rise = (log(high) - log(low)) / (log((double)to) - log((double)from));
    return slope == PADIC_CDT_SLOPE_SPECTRAL ? -2 * rise : rise;
}

// Of all curves together, and the jackknife error over leaving out one; low and high have the
// curves' values at the two points.
static void padici_cdt_slope_error(const padic_cdt_dimension_desc *d, uint64_t r,
                                   const double *low, const double *high)
{
    const uint64_t curves = d->curves.shape[0], from = r - d->reach, to = r + d->reach;
    double all[2], first = 0, second = 0, value, *error = (double *)d->error.data;
    uint64_t i;
    all[0] = all[1] = 0;
    for (i = 0; i < curves; i++) {
        all[0] += low[i];
        all[1] += high[i];
    }
    value = padici_cdt_slope_of(d->slope, all[0], all[1], from, to);
    ((double *)d->out.data)[r] = value;
    for (i = 0; i < curves && error && curves > 1; i++) {
        const double x =
            padici_cdt_slope_of(d->slope, all[0] - low[i], all[1] - high[i], from, to) - value;
        first += x;
        second += x * x;
    }
    second -= first * first / (double)curves;
    if (error && second > 0) error[r] = sqrt(second * (double)(curves - 1) / (double)curves);
}

static padic_result padici_cdt_dimension_work(padici_view_task *task)
{
    const padic_cdt_dimension_desc *d = &((padici_cdt_dimension_task *)(void *)task)->desc;
    const uint64_t curves = d->curves.shape[0], n = d->curves.shape[1];
    const uint32_t sums = d->slope == PADIC_CDT_SLOPE_HAUSDORFF;
    const double *x = (const double *)d->curves.data;
    double *low, *high;
    padici_cdt_scratch scratch;
    uint64_t r, i, k;
    padic_result result = padici_cdt_finite(task->context, "curves", x, curves * n);
    if (!result) result = padici_cdt_scratch_take(task->context, NULL, 16 * curves, &scratch);
    if (result) return result;
    low = (double *)scratch.memory;
    high = low + curves;
    for (i = 0; i < 2 * curves; i++) low[i] = 0;
    for (r = 0; r < n; r++) {
        ((double *)d->out.data)[r] = 0;
        if (d->error.data) ((double *)d->error.data)[r] = 0;
    }
    for (r = d->reach; r < n && d->reach < n - r; r++) {
        for (i = 0; i < curves; i++) { // shells are summed up
            const double *c = x + i * n;
            low[i] = (sums ? low[i] : 0) + c[r - d->reach];
            for (k = 0; sums && r == d->reach && k < 2 * r; k++) high[i] += c[k];
            high[i] = (sums ? high[i] : 0) + c[r + d->reach];
        }
        if (sums || r % 2 == 0) padici_cdt_slope_error(d, r, low, high);
    }
    padici_cdt_scratch_give(task->context, &scratch);
    return PADIC_OK;
}

PADICI_VIEW_TASK(cdt_dimension)

PADIC_API padic_result padic_cdt_dimension(padic_context *context,
                                           const padic_cdt_dimension_desc *desc)
{
    padici_cdt_dimension_task call;
    if (!desc) return padici_cdt_no_desc(context, "cdt_dimension");
    call.desc = *desc;
    padici_view_task_begin(&call.task, context, padici_cdt_dimension_inspect,
                           padici_cdt_dimension_work);
    padici_view_add(&call.task, "curves", &call.desc.curves, 0);
    padici_view_add(&call.task, "out", &call.desc.out, 1);
    padici_view_add(&call.task, "error", &call.desc.error, 1);
    return padici_run_task(context, PADIC_OP_CDT_DIMENSION, &call);
}

#endif
