#include "line.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_FFT

// A line as a matrix of n1 rows and n2 columns, element j1 n2 + j2 in row j1 (Cooley and Tukey):
//
//     X[k1 + n1 k2] = sum_j2 w2^(j2 k2) (w^(j2 k1) sum_j1 w1^(j1 k1) x[j1 n2 + j2])
//
// Columns are transformed a block of neighbours at a time, multiplied by w^(j2 k1), and put down
// transposed, as blocks of neighbouring k1: the rows to come, which are stored in order.

// Stages [first, end) of a block, between two memories; which of them has the result.
static void *padici_fft_stages_between(const padici_fft_kernels *kernels,
                                       const padici_fft_stages *stages, uint32_t first,
                                       uint32_t end, void *x, void *y)
{
    for (; first < end; first++) {
        void *swap = x;
        (*kernels->stage)(&stages->stage[first], x, y);
        x = y;
        y = swap;
    }
    return x;
}

// The first `count` stages of what is loaded to x.
PADICI_FN void *padici_fft_stages_load(const padici_fft_kernels *kernels,
                                       const padici_fft_stages *stages,
                                       const padici_fft_view *view, uint32_t count, void *x,
                                       void *y)
{
    if (count) {
        (*kernels->load_stage)(view, &stages->stage[0], x, y);
        return padici_fft_stages_between(kernels, stages, 1, count, y, x);
    }
    (*kernels->load)(view, x);
    return x;
}

// The stages from `first` on of what lies in x, which are then stored.
PADICI_FN void padici_fft_stages_store(const padici_fft_kernels *kernels,
                                       const padici_fft_stages *stages,
                                       const padici_fft_view *view, uint32_t first, void *x,
                                       void *y)
{
    const uint32_t count = stages->count;
    if (first < count) {
        void *last = padici_fft_stages_between(kernels, stages, first, count - 1, x, y);
        (*kernels->stage_store)(view, &stages->stage[count - 1], last, last == x ? y : x);
    } else {
        (*kernels->store)(view, x);
    }
}

PADICI_FN void *padici_fft_stages_run(const padici_fft_kernels *kernels,
                                      const padici_fft_stages *stages, void *x, void *y)
{
    return padici_fft_stages_between(kernels, stages, 0, stages->count, x, y);
}

typedef struct padici_fft_line_job {
    const padic_fft_plan *plan;
    const padici_fft_line *line;
    const padici_fft_view *from, *to;
    char *matrix;
    uint32_t worker, tasks; // worker: whose scratch task 0 has
} padici_fft_line_job;

// Bytes of an element of a block.
static size_t padici_fft_vector(const padici_fft_kernels *kernels)
{
    return (size_t)kernels->lanes * (kernels->is_double ? 16 : 8);
}

// The share of a task: parts [*first, *end) of so many.
static void padici_fft_share(uint64_t parts, uint32_t tasks, uint32_t task, uint64_t *first,
                             uint64_t *end)
{
    *first = 0;
    *end = parts;
    if (tasks == 1) return;
    *first = parts / tasks * task + (task < parts % tasks ? task : parts % tasks);
    *end = *first + parts / tasks + (task < parts % tasks);
}

static void padici_fft_columns_task(void *arg, uint32_t task)
{
    const padici_fft_line_job *job = (const padici_fft_line_job *)arg;
    const padici_fft_line *line = job->line;
    const padici_fft_kernels *kernels = job->plan->kernels;
    const padici_fft_scratch *scratch = &job->plan->scratch[job->worker + task];
    const uint64_t lanes = kernels->lanes;
    const size_t vector = padici_fft_vector(kernels), number = kernels->is_double ? 16 : 8;
    padici_fft_view view = *job->from;
    padici_fft_twist twist;
    uint64_t block, end;
    padici_fft_share(line->columns, job->tasks, task, &block, &end);
    view.line = job->from->element;
    view.element = job->from->element * (int64_t)line->n2;
    view.count = line->n1;
    twist.rows = line->n1;
    twist.next = line->n2 * vector;
    for (; block < end; block++) {
        const uint64_t left = line->n2 - block * lanes;
        view.at = job->from->at + (int64_t)(block * lanes) * job->from->element;
        view.lines = (uint32_t)(left < lanes ? left : lanes);
        twist.columns = view.lines;
        twist.factor = line->factor && block
                           ? (const char *)line->factor + (block - 1) * line->n1 * number
                           : NULL;
        twist.twiddle = (const char *)line->twiddle +
                        (line->factor ? 0 : block * line->n1 * vector);
        twist.to = job->matrix + block * lanes * vector;
        (*kernels->twist)(&twist, padici_fft_stages_load(kernels, line->first, &view,
                                                         line->first->count, scratch->x,
                                                         scratch->y));
    }
}

static void padici_fft_rows_task(void *arg, uint32_t task)
{
    const padici_fft_line_job *job = (const padici_fft_line_job *)arg;
    const padici_fft_line *line = job->line;
    const padici_fft_kernels *kernels = job->plan->kernels;
    const uint64_t lanes = kernels->lanes;
    padici_fft_view view = *job->to;
    uint64_t block, end;
    padici_fft_share(line->rows, job->tasks, task, &block, &end);
    view.line = job->to->element;
    view.element = job->to->element * (int64_t)line->n1;
    view.count = line->n2;
    for (; block < end; block++) {
        const uint64_t left = line->n1 - block * lanes;
        char *rows = job->matrix + block * line->n2 * padici_fft_vector(kernels);
        view.at = job->to->at + (int64_t)(block * lanes) * job->to->element;
        view.lines = (uint32_t)(left < lanes ? left : lanes);
        padici_fft_stages_store(kernels, line->second, &view, 0, rows,
                                job->plan->scratch[job->worker + task].y);
    }
}

// Whether a line's elements lie side by side, in the precision of blocks.
static int padici_fft_side_by_side(const padici_fft_view *view, uint32_t is_double)
{
    const int64_t real = is_double ? 8 : 4;
    return view->is_double == is_double && view->imaginary == real && view->element == 2 * real;
}

static int padici_fft_whole_run(const padic_fft_plan *plan, const padici_fft_line *line,
                                const padici_fft_view *from, const padici_fft_view *to,
                                uint32_t worker)
{
    const padici_fft_kernels *kernels = plan->kernels;
    padici_fft_whole_line whole;
    if (!padici_fft_side_by_side(from, kernels->is_double) ||
        !padici_fft_side_by_side(to, kernels->is_double) || from->swapped != to->swapped)
        return 0;
    whole.n = line->n;
    whole.in = from->at;
    if (line->n1 > 8) {
        padici_fft_view view = *from;
        view.line = from->element;
        view.element = from->element * (int64_t)line->n2;
        view.count = line->n1;
        view.lines = (uint32_t)line->n2;
        whole.in = padici_fft_stages_load(kernels, line->first, &view, line->first->count,
                                          plan->scratch[worker].x, plan->scratch[worker].y);
    }
    whole.out = to->at;
    whole.twiddle = line->twiddle;
    whole.scale = to->scale;
    whole.swapped = to->swapped;
    (*kernels->whole)(&whole);
    return 1;
}

static void padici_fft_matrix_run(const padic_fft_plan *plan, const padici_fft_line *line,
                                  const padici_fft_view *from, const padici_fft_view *to,
                                  uint32_t worker, const padic_jobs *jobs)
{
    padici_fft_line_job job;
    const uint64_t least = line->columns < line->rows ? line->columns : line->rows;
    if (line->whole && padici_fft_whole_run(plan, line, from, to, worker)) return;
    job.plan = plan;
    job.line = line;
    job.from = from;
    job.to = to;
    job.matrix = (char *)plan->scratch[worker].matrix;
    job.worker = worker;
    job.tasks = jobs ? plan->workers : 1;
    if (job.tasks > least) job.tasks = (uint32_t)least;
    if (job.tasks == 1) { // without the way through the jobs, which takes longer than short lines
        padici_fft_columns_task(&job, 0);
        padici_fft_rows_task(&job, 0);
        return;
    }
    padici_parallel(jobs, job.tasks, padici_fft_columns_task, &job);
    padici_parallel(jobs, job.tasks, padici_fft_rows_task, &job);
}

// A whole line of complex numbers in a plan's precision.
static padici_fft_view padici_fft_whole(const padic_fft_plan *plan, void *at, uint64_t n,
                                        uint32_t swapped)
{
    padici_fft_view view;
    memset(&view, 0, sizeof view);
    view.at = (char *)at;
    view.is_double = plan->kernels->is_double;
    view.imaginary = view.is_double ? 8 : 4;
    view.element = 2 * view.imaginary;
    view.count = n;
    view.lines = 1;
    view.swapped = swapped;
    view.scale = 1;
    return view;
}

// With jk = (j^2 + k^2 - (k - j)^2)/2 a transform is a convolution: x times the chirp
// c_j = exp(-pi i j^2/n), convolved with its conjugate, times the chirp (Bluestein). Convolutions
// are products of spectra.
static void padici_fft_chirp_run(const padic_fft_plan *plan, const padici_fft_line *line,
                                 const padici_fft_view *from, const padici_fft_view *to,
                                 uint32_t worker, const padic_jobs *jobs)
{
    const padici_fft_kernels *kernels = plan->kernels;
    const padici_fft_scratch *scratch = &plan->scratch[worker];
    const uint64_t n = line->n, length = line->chirped->n;
    const size_t number = kernels->is_double ? 16 : 8;
    char *x = (char *)scratch->chirp;
    padici_fft_view a = padici_fft_whole(plan, x, length, 0), b, view;
    view = *from;
    view.count = n;
    view.lines = 1;
    padici_fft_load_any(&view, 1, kernels->is_double, x);
    memset(x + n * number, 0, (size_t)(length - n) * number);
    (*kernels->multiply)(n, line->chirp, x);
    b = padici_fft_whole(plan, scratch->convolved, length, 0);
    padici_fft_matrix_run(plan, line->chirped, &a, &b, worker, jobs);
    (*kernels->multiply)(length, line->spectrum, scratch->convolved);
    a.swapped = b.swapped = 1; // the inverse: forward, the parts of numbers exchanged
    padici_fft_matrix_run(plan, line->chirped, &b, &a, worker, jobs);
    (*kernels->multiply)(n, line->chirp, x);
    view = *to;
    view.count = n;
    view.lines = 1;
    padici_fft_store_any(&view, 1, kernels->is_double, x);
}

// One line, by worker number `worker`; `jobs`: by all of them.
PADICI_FN void padici_fft_line_run(const padic_fft_plan *plan, const padici_fft_line *line,
                                   const padici_fft_view *from, const padici_fft_view *to,
                                   uint32_t worker, const padic_jobs *jobs)
{
    if (line->chirped) padici_fft_chirp_run(plan, line, from, to, worker, jobs);
    else padici_fft_matrix_run(plan, line, from, to, worker, jobs);
}

#endif
