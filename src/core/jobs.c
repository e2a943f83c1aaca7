#include "jobs.h"

#if PADICI_IMPLEMENT_CORE

// --------------------------------------------------------------------------------------- >>jobs

typedef struct padici_batch {
    void (*fn)(void *arg, uint32_t task);
    void *arg;
} padici_batch;

typedef struct padici_job {
    const padici_batch *batch;
    void *handle;
    uint32_t task;
} padici_job;

static void padici_job_run(void *arg)
{
    const padici_job *job = (const padici_job *)arg;
    (*job->batch->fn)(job->batch->arg, job->task);
}

// Runs fn(arg, 0) to fn(arg, tasks - 1), all done on return. Tasks are handed out in order, at most
// 64 at a time: before a slot is used again its task is waited for, so a slow one delays the others
// only when 63 more have been handed out. Without a usable hook: in order, in this thread.
PADICI_FN void padici_parallel(const padic_jobs *jobs, uint32_t tasks, void (*fn)(void *arg,
                               uint32_t task), void *arg)
{
    padici_job running[PADICI_JOBS_AT_ONCE];
    padici_batch batch;
    uint32_t i;
    if (tasks < 2 || !jobs || !jobs->enqueue || !jobs->finish || jobs->workers < 2) {
        for (i = 0; i < tasks; i++) (*fn)(arg, i);
        return;
    }
    batch.fn = fn;
    batch.arg = arg;
    for (i = 0; i < tasks; i++) {
        padici_job *job = &running[i % PADICI_JOBS_AT_ONCE];
        if (i >= PADICI_JOBS_AT_ONCE && job->handle) (*jobs->finish)(job->handle, jobs->user);
        job->batch = &batch;
        job->task = i;
        job->handle = (*jobs->enqueue)(padici_job_run, job, jobs->user);
    }
    for (i = tasks > PADICI_JOBS_AT_ONCE ? tasks - PADICI_JOBS_AT_ONCE : 0; i < tasks; i++) {
        padici_job *job = &running[i % PADICI_JOBS_AT_ONCE];
        if (job->handle) (*jobs->finish)(job->handle, jobs->user);
    }
}

PADICI_FN void padici_idle(uint32_t rounds)
{
    volatile uint32_t k;
    for (k = 0; k < rounds;) k = k + 1; // C++20 has no ++ of these
}

PADICI_FN void padici_lock(long *lock, long state)
{
#ifdef PADICI_SWAP
    while (PADICI_SWAP(lock, state) & state) padici_idle(20);
#endif
    (void)lock, (void)state;
}

PADICI_FN void padici_steps_begin(padici_steps *steps, const padic_progress *own,
                                  const padic_progress *other, uint64_t total)
{
    memset(steps, 0, sizeof *steps);
    steps->hook = own ? own : other;
    if (steps->hook && !steps->hook->step) steps->hook = NULL;
    steps->total = total;
}

// `more` steps are done. Returns nonzero to stop. One worker calls the hook at a time; the others
// go on meanwhile.
PADICI_FN int padici_steps_more(padici_steps *steps, uint64_t more)
{
    uint64_t done;
    int stop, ask;
    if (!steps->hook) return 0;
    padici_lock(&steps->lock, PADICI_LOCK);
    done = steps->done += more;
    ask = !steps->asking && !steps->stop && done > steps->said;
    if (ask) steps->asking = 1, steps->said = done;
    stop = steps->stop;
    padici_lock(&steps->lock, PADICI_UNLOCK);
    if (!ask) return stop;
    stop = (*steps->hook->step)(done, steps->total, steps->hook->user) != 0;
    padici_lock(&steps->lock, PADICI_LOCK);
    steps->asking = 0;
    steps->stop |= stop;
    stop = steps->stop;
    padici_lock(&steps->lock, PADICI_UNLOCK);
    return stop;
}

// All workers have ended: reports what none of them has reported.
PADICI_FN padic_result padici_steps_end(padici_steps *steps)
{
    return padici_steps_more(steps, 0) ? PADIC_ERROR_CANCELLED : PADIC_OK;
}

#endif
