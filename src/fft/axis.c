#include "line.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_FFT

// All lines of an axis: blocks of neighbouring ones, or one line at a time.

typedef struct padici_fft_axis_job {
    const padic_fft_plan *plan;
    const padici_fft_sweep *sweep;
    const padic_jobs *jobs; // of a line's parts; NULL: a worker does whole lines
    uint32_t tasks;
} padici_fft_axis_job;

// Memory to be read soon; the address need not exist.
#if defined(__GNUC__) || defined(__clang__)
#define PADICI_FFT_AHEAD(address) __builtin_prefetch((const void *)(address))
#else
#define PADICI_FFT_AHEAD(address) ((void)(address))
#endif

// Where part number `part` of the lines begins, which are cut into parts of `step` along the
// fastest of the other axes, and how many lines it has.
static void padici_fft_place(const padici_fft_sweep *sweep, uint64_t part, uint32_t step,
                             padici_fft_view *from, padici_fft_view *to)
{
    const uint64_t blocks = (sweep->count[0] + step - 1) / step, first = part % blocks * step;
    uint64_t outer = part / blocks;
    uint32_t i;
    *from = sweep->from;
    *to = sweep->to;
    from->at += (int64_t)first * from->line;
    to->at += (int64_t)first * to->line;
    for (i = 1; i < sweep->rank; i++) {
        const int64_t at = (int64_t)(outer % sweep->count[i]);
        outer /= sweep->count[i];
        from->at += at * sweep->from_step[i];
        to->at += at * sweep->to_step[i];
    }
    from->lines = (uint32_t)(sweep->count[0] - first < step ? sweep->count[0] - first : step);
    to->lines = from->lines;
}

// Pairs of reals as complex numbers.
static void padici_fft_pairs(padici_fft_view *view, uint64_t n)
{
    view->imaginary = view->element;
    view->element *= 2;
    view->count = n / 2;
}

// The other half of a spectrum of n odd reals: conjugates. Its parts change places.
static void padici_fft_mirror(uint64_t n, uint32_t lanes, uint32_t is_double, void *block)
{
    const size_t real = is_double ? 8 : 4, vector = 2 * lanes * real;
    uint64_t k;
    uint32_t l;
    for (k = 0; k <= n / 2; k++) {
        char *a = (char *)block + k * vector, *b = (char *)block + (n - k) % n * vector;
        for (l = 0; l < lanes; l++, a += real, b += real) {
            const double re = padici_fft_get(a, is_double);
            const double im = k ? padici_fft_get(a + lanes * real, is_double) : 0;
            padici_fft_put(b, is_double, k ? -im : im);
            padici_fft_put(b + lanes * real, is_double, re);
            if (!k) continue;
            padici_fft_put(a, is_double, im);
            padici_fft_put(a + lanes * real, is_double, re);
        }
    }
}

// What lies in memory becomes what is transformed, and back: of reals their spectrum.
static void padici_fft_views(padici_fft_sweep *sweep)
{
    const uint64_t n = sweep->axis->n;
    padici_fft_view *from = &sweep->from, *to = &sweep->to;
    from->line = sweep->from_step[0];
    to->line = sweep->to_step[0];
    from->lines = to->lines = 1;
    from->count = to->count = n;
    if (sweep->real == PADICI_FFT_FROM_REALS) {
        to->count = n / 2 + 1;
        if (n % 2 == 0) padici_fft_pairs(from, n);
    } else if (sweep->real == PADICI_FFT_TO_REALS) {
        from->count = n / 2 + 1;
        from->swapped = 0; // merge() and mirror() do that
        if (n % 2 == 0) padici_fft_pairs(to, n);
    }
}

// Between loading and transforming a spectrum of reals, and between transforming and storing.
static void padici_fft_before(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                              uint32_t lanes, void *block)
{
    const padici_fft_axis *axis = sweep->axis;
    if (sweep->real != PADICI_FFT_TO_REALS) return;
    if (axis->n % 2 == 0) (*plan->kernels->merge)(axis->n, lanes, axis->roots, block);
    else padici_fft_mirror(axis->n, lanes, plan->kernels->is_double, block);
}

static void padici_fft_after(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                             uint32_t lanes, void *block)
{
    const padici_fft_axis *axis = sweep->axis;
    if (sweep->real == PADICI_FFT_FROM_REALS && axis->n % 2 == 0)
        (*plan->kernels->split)(axis->n, lanes, axis->roots, block);
}

// Parts [first, end) of a sweep in blocks, by worker number `worker`.
static void padici_fft_blocks(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                              uint64_t first, uint64_t end, uint32_t worker)
{
    const padici_fft_kernels *kernels = plan->kernels;
    const padici_fft_scratch *scratch = &plan->scratch[worker];
    for (; first < end; first++) {
        padici_fft_view from, to;
        void *block;
        const padici_fft_stages *stages = sweep->axis->block;
        padici_fft_place(sweep, first, kernels->lanes, &from, &to);
        if (!sweep->real) {
            const uint32_t count = stages->count > 1 ? stages->count - 1 : stages->count;
            block = padici_fft_stages_load(kernels, stages, &from, count, scratch->x, scratch->y);
            padici_fft_stages_store(kernels, stages, &to, count, block,
                                    block == scratch->x ? scratch->y : scratch->x);
            continue;
        }
        (*kernels->load)(&from, scratch->x);
        padici_fft_before(plan, sweep, kernels->lanes, scratch->x);
        block = padici_fft_stages_run(kernels, sweep->axis->block, scratch->x, scratch->y);
        padici_fft_after(plan, sweep, kernels->lanes, block);
        (*kernels->store)(&to, block);
    }
}

// Blocks of complex lines, which another function works on between two transforms, or before or
// after one.
PADICI_FN void padici_fft_axis_twice(const padic_fft_plan *plan, const padici_fft_twice *twice,
                                     uint64_t first, uint64_t end, uint32_t worker)
{
    const padici_fft_kernels *kernels = plan->kernels;
    const padici_fft_scratch *scratch = &plan->scratch[worker];
    const padici_fft_stages *stages = twice->sweep.axis->block;
    for (; first < end; first++) {
        padici_fft_view from, to;
        void *block, *other;
        padici_fft_place(&twice->sweep, first, kernels->lanes, &from, &to);
        block = padici_fft_stages_load(kernels, stages, &from, twice->before ? stages->count : 0,
                                       scratch->x, scratch->y);
        (*twice->between)(twice->argument, first, from.lines, block);
        other = block == scratch->x ? scratch->y : scratch->x;
        padici_fft_stages_store(kernels, stages, &to, twice->after ? 0 : stages->count, block,
                                other);
    }
}

// One line, whose views are these, by worker number `worker`; `jobs`: by all of them.
static void padici_fft_one_line(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                                const padici_fft_view *from, const padici_fft_view *to,
                                uint32_t worker, const padic_jobs *jobs)
{
    const padici_fft_axis *axis = sweep->axis;
    const uint32_t is_double = plan->kernels->is_double;
    padici_fft_view line;
    if (!sweep->real) {
        padici_fft_line_run(plan, axis->line, from, to, worker, jobs);
        return;
    }
    memset(&line, 0, sizeof line);
    line.at = (char *)plan->scratch[worker].reals;
    line.is_double = is_double;
    line.imaginary = is_double ? 8 : 4;
    line.element = 2 * line.imaginary;
    line.lines = 1;
    line.scale = 1;
    if (sweep->real == PADICI_FFT_FROM_REALS) {
        line.count = axis->m;
        padici_fft_line_run(plan, axis->line, from, &line, worker, jobs);
        padici_fft_after(plan, sweep, 1, line.at);
        padici_fft_store_any(to, 1, is_double, line.at);
    } else {
        padici_fft_load_any(from, 1, is_double, line.at);
        padici_fft_before(plan, sweep, 1, line.at);
        line.count = axis->m;
        padici_fft_line_run(plan, axis->line, &line, to, worker, jobs);
    }
}

static void padici_fft_line_ahead(const padici_fft_sweep *sweep, uint64_t part, uint64_t bytes)
{
    const uintptr_t from =
        (uintptr_t)sweep->from.at + (uintptr_t)(part * (uint64_t)sweep->from_step[0]);
    const uintptr_t to = (uintptr_t)sweep->to.at + (uintptr_t)(part * (uint64_t)sweep->to_step[0]);
    uint64_t i;
    for (i = 0; i < bytes; i += 64) {
        PADICI_FFT_AHEAD(from + i);
        PADICI_FFT_AHEAD(to + i);
    }
}

// The same line by line; `jobs`: each line by all workers.
static void padici_fft_lines(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                             uint64_t first, uint64_t end, uint32_t worker, const padic_jobs *jobs)
{
    const uint64_t bytes = sweep->axis->n * (sweep->from.is_double ? 16 : 8);
    for (; first < end; first++) {
        padici_fft_view from, to;
        if (first + 1 < end && bytes < 8192) // the next line, where it most likely lies
            padici_fft_line_ahead(sweep, first + 1, bytes);
        padici_fft_place(sweep, first, 1, &from, &to);
        padici_fft_one_line(plan, sweep, &from, &to, worker, jobs);
    }
}

// Parts of a sweep by one worker.
PADICI_FN void padici_fft_axis_parts(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                                     uint64_t first, uint64_t end, uint32_t worker)
{
    if (sweep->blocks) padici_fft_blocks(plan, sweep, first, end, worker);
    else padici_fft_lines(plan, sweep, first, end, worker, NULL);
}

static void padici_fft_axis_task(void *arg, uint32_t task)
{
    const padici_fft_axis_job *job = (const padici_fft_axis_job *)arg;
    const uint64_t parts = job->sweep->parts;
    const uint64_t first = parts * task / job->tasks, end = parts * (task + 1) / job->tasks;
    if (job->jobs) padici_fft_lines(job->plan, job->sweep, first, end, task, job->jobs);
    else padici_fft_axis_parts(job->plan, job->sweep, first, end, task);
}

// Whether lines go side by side: where their elements lie apart, and where lines are short and
// many. Only what is transformed decides, so that workers change no bit. `worked`: work is done
// between two transforms.
static int padici_fft_in_blocks(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                                int worked)
{
    const uint64_t lanes = plan->kernels->lanes, count = sweep->count[0];
    const uint64_t blocks = (count + lanes - 1) / lanes;
    if (!sweep->axis->block) return 0;
    if (sweep->from.element <= 16 && sweep->from.element > 0 &&
        (sweep->axis->m >= 16 * lanes || (sweep->axis->line->whole && !worked)))
        return 0;
    return 4 * count >= blocks * lanes;
}

// How the lines of a sweep are done.
PADICI_FN void padici_fft_axis_begin(const padic_fft_plan *plan, padici_fft_sweep *sweep,
                                     int worked)
{
    const uint64_t lanes = plan->kernels->lanes;
    uint32_t i;
    sweep->blocks = (uint32_t)padici_fft_in_blocks(plan, sweep, worked);
    sweep->shared = !sweep->blocks && sweep->axis->line->n >= PADICI_FFT_WIDE;
    sweep->parts = sweep->blocks ? (sweep->count[0] + lanes - 1) / lanes : sweep->count[0];
    for (i = 1; i < sweep->rank; i++) sweep->parts *= sweep->count[i];
    padici_fft_views(sweep);
}

PADICI_FN void padici_fft_axis_run(const padic_fft_plan *plan, const padic_jobs *jobs,
                                   const padici_fft_sweep *sweep)
{
    padici_fft_axis_job job;
    job.jobs = sweep->shared && plan->workers > 1 ? jobs : NULL;
    if (sweep->parts == 1 && !sweep->blocks) {
        padici_fft_one_line(plan, sweep, &sweep->from, &sweep->to, 0, job.jobs);
        return;
    }
    job.plan = plan;
    job.sweep = sweep;
    job.tasks = sweep->shared ? 1 : plan->workers;
    if (job.tasks > sweep->parts) job.tasks = (uint32_t)sweep->parts;
    padici_parallel(jobs, job.tasks, padici_fft_axis_task, &job);
}

#undef PADICI_FFT_AHEAD

#endif
