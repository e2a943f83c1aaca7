#pragma once
#include "../context/view_task.h"
#include "../core/jobs.h"
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_CDT

// A call of padic_cdt_grow() or padic_cdt_run(). Its only view is the memory of the chains.
typedef struct padici_cdt_run {
    padici_view_task task;
    padic_cdt_plan *plan;
    padic_tensor state;
    padici_steps steps;
    uint64_t attempts, discard; // discard: grow's
    uint64_t visits, more;      // of the target; most attempts for that
    uint32_t grow;
    padic_cdt_run_report report;
    uint32_t missed[PADICI_JOBS_AT_ONCE]; // 1: a replica did not get where it should
} padici_cdt_run;

// Vertices that a replica grows to.
PADICI_INLINE uint32_t padici_cdt_goal(const padici_cdt_replica *r)
{
    return r->target ? r->target : r->from;
}

// Attempts after it has grown to so many.
PADICI_INLINE uint64_t padici_cdt_discard(const padici_cdt_run *run, uint32_t vertices)
{
    if (run->discard) return run->discard == UINT64_MAX ? 0 : run->discard;
    return 100 * padici_cdt_triangles(&run->plan->rules, vertices);
}

PADICI_FN void padici_cdt_run_begin(padici_cdt_run *run);
PADICI_FN padic_result padici_cdt_run_end(padici_cdt_run *run, uint32_t missed);
PADICI_FN padic_result padici_cdt_run_work(padici_view_task *task);

#endif
