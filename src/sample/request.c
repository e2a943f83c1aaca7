#include "request.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/tensor.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- requests: what all calls have in common

PADICI_FN padici_sample_keys padici_sample_request_keys(const padici_sample_request *q)
{
    padici_sample_keys keys;
    keys.given = q->scrambling.keys.data || q->scrambling.keys.buffer.id;
    keys.next = (const uint64_t *)q->scrambling.keys.data;
    keys.at = 0;
    keys.left = keys.given ? padic_tensor_count(&q->scrambling.keys) : 0;
    return keys;
}

// Where coordinate c of the points begins, in elements of `out`.
PADICI_FN uint64_t padici_sample_offset(const padici_sample_request *q, uint64_t c)
{
    return q->single ? 0 : c * padici_sample_step(&q->out, q->axis);
}

// The base of coordinate c, its keys and its limits.
PADICI_FN padic_result padici_sample_coordinate(const padici_sample_request *q, uint64_t c,
                                                padici_sample_job *job, padici_sample_radix *x,
                                                padici_sample_keys *keys)
{
    const uint32_t at = q->dimension + (uint32_t)c;
    uint32_t k;
    padic_result result;
    *job = q->job;
    if (q->n && !at) { // i / n
        memset(x, 0, sizeof *x);
        job->last = job->scale = q->n - 1;
        job->task = PADICI_SAMPLE_RATIO;
        return PADIC_OK;
    }
    if (q->single) { // found by the check; the keys may have moved
        *x = q->radix;
        x->keys = x->mode ? keys->next : NULL;
        result = PADIC_OK;
    } else {
        result = padici_sample_check_base(x, padic_sample_prime(q->n ? at - 1 : at), q->digits,
                                          q->scrambling.mode, keys);
    }
    job->last = job->scale = x->last;
    if (q->n && job->last > q->n - 1) job->last = q->n - 1;
    if (!q->levels || q->levels >= x->levels) return result;
    job->group = 1;
    for (k = 0; k < q->levels; k++) job->group *= q->base;
    x->levels = q->levels;
    return result;
}

// Output and index: `points` of both. `alone`: each point is read once, right before it is written,
// so both may be the same view.
static padic_result padici_sample_check_index(padici_sample_request *q)
{
    const padic_tensor *index = &q->index, *out = &q->out;
    padic_context *const context = q->task.context;
    uint64_t count, a, b;
    padic_result result;
    if (!q->needs_index && index->dtype == PADIC_DTYPE_NONE && !index->data && !index->buffer.id)
        return PADIC_OK;
    result = padici_sample_check_tensor(index, 1, &count);
    if (result)
        return padici_blame(context, result, q->index_name, NULL, padici_sample_why(result));
    if (index->rank > 1 || (index->rank ? index->shape[0] : 1) != q->points)
        return padici_blame(context, PADIC_ERROR_MISMATCH, q->index_name, NULL,
                            "must have one element for each of `out`");
    q->job.has_index = 1;
    q->job.index_dtype = index->dtype;
    q->job.index_stride = padici_sample_step(index, 0);
    if (!count || !padic_tensor_count(out) || !out->data || !index->data) return PADIC_OK;
    a = (uint64_t)(uintptr_t)index->data;
    b = (uint64_t)(uintptr_t)out->data;
    if (q->dimensions == 1 && a == b &&
        padic_dtype_size(index->dtype) == padic_dtype_size(out->dtype) &&
        (q->points < 2 || q->job.index_stride == q->job.out_stride))
        return PADIC_OK;
    if (a < b + padici_sample_extent(out) && b < a + padici_sample_extent(index))
        return PADIC_ERROR_OVERLAP;
    return PADIC_OK;
}

// `out` lies apart from all the keys, which are read until the end.
static padic_result padici_sample_check_apart(const padici_sample_request *q)
{
    const padic_tensor *keys = &q->scrambling.keys, *out = &q->out;
    const uint64_t a = (uint64_t)(uintptr_t)keys->data, b = (uint64_t)(uintptr_t)out->data;
    if (q->scrambling.mode == PADIC_SAMPLE_MODE_NONE || !a || !b || !padic_tensor_count(keys) ||
        !padic_tensor_count(out) || a >= b + padici_sample_extent(out) ||
        b >= a + padici_sample_extent(keys))
        return PADIC_OK;
    return padici_blame(q->task.context, PADIC_ERROR_OVERLAP, "out", NULL,
                        "shares memory with scrambling.keys");
}

// The range from `first`, without an index.
static padic_result padici_sample_check_range(const padici_sample_request *q, uint64_t last)
{
    if (q->job.has_index || !q->points) return PADIC_OK;
    if (q->first > last || q->points - 1 > last - q->first)
        return padici_blame(q->task.context, PADIC_ERROR_LIMIT, "first", NULL,
                            "and the points after it reach beyond sample_last_index");
    return PADIC_OK;
}

// One base.
static padic_result padici_sample_check_single(padici_sample_request *q)
{
    padic_context *const context = q->task.context;
    padici_sample_keys keys = padici_sample_request_keys(q);
    padic_result result = padici_sample_check_keys(context, &q->scrambling);
    if (result) return result;
    result =
        padici_sample_check_base(&q->radix, q->base, q->digits, q->scrambling.mode, &keys);
    if (result)
        return padici_sample_blame_base(context, result, q->base, q->digits, q->scrambling.mode,
                                        &keys);
    if (q->levels > q->radix.levels)
        return padici_blame(context, PADIC_ERROR_LIMIT, "levels", NULL,
                            "is more than an index has digits: see sample_levels");
    result = padici_sample_check_tensor(&q->out, (int)q->job.integers, &q->points);
    if (result) return padici_blame(context, result, "out", NULL, padici_sample_why(result));
    if (q->job.integers && q->out.dtype == PADIC_U32 && q->digits == PADIC_SAMPLE_DIGITS_LONG)
        return padici_blame(context, PADIC_ERROR_DTYPE, "out", NULL, "must be U64 for LONG digits");
    if (q->out.rank > 1)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL, "must have rank 0 or 1");
    q->dimensions = 1;
    q->job.out_stride = padici_sample_step(&q->out, 0);
    result = padici_sample_check_index(q);
    if (!result) result = padici_sample_check_apart(q);
    return result ? result : padici_sample_check_range(q, q->radix.last);
}

// Every coordinate of points, so that an error comes before anything is written.
static padic_result padici_sample_check_points(padici_sample_request *q)
{
    padic_context *const context = q->task.context;
    padici_sample_keys keys = padici_sample_request_keys(q);
    padici_sample_job job;
    padici_sample_radix x;
    uint64_t count, c;
    padic_result result = padici_sample_check_tensor(&q->out, 0, &count);
    if (result) return padici_blame(context, result, "out", NULL, padici_sample_why(result));
    if ((uint32_t)q->layout > 1 || (uint32_t)q->digits > 1 || (uint32_t)q->scrambling.mode > 3)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            "layout, digits or scrambling.mode is none that there is");
    if (q->out.rank != 2)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                            "must have rank 2: points and dimensions");
    q->axis = q->layout == PADIC_SAMPLE_LAYOUT_POINTS ? 1 : 0;
    q->points = q->out.shape[1 - q->axis];
    if (q->dimension > 1023 || q->out.shape[q->axis] > 1024u - q->dimension)
        return padici_blame(context, PADIC_ERROR_LIMIT, "dimension", NULL,
                            "and those of `out` after it must be below 1,024");
    q->dimensions = (uint32_t)q->out.shape[q->axis];
    q->job.out_stride = padici_sample_step(&q->out, 1 - q->axis);
    result = padici_sample_check_index(q);
    if (!result) result = padici_sample_check_keys(context, &q->scrambling);
    if (!result) result = padici_sample_check_apart(q);
    for (c = 0; !result && count && c < q->dimensions; c++) {
        result = padici_sample_coordinate(q, c, &job, &x, &keys);
        padici_sample_blame_base(context, result, padic_sample_prime(q->dimension + (uint32_t)c),
                                 q->digits, q->scrambling.mode, &keys);
        if (!result) result = padici_sample_check_range(q, job.last);
    }
    if (!count) q->points = 0;
    return result;
}

static padic_result padici_sample_request_check(padici_view_task *task)
{
    padici_sample_request *q = (padici_sample_request *)(void *)task;
    padic_result result;
    q->job.dtype = q->out.dtype;
    q->job.first = q->first;
    result = q->single ? padici_sample_check_single(q) : padici_sample_check_points(q);
    if (!result && q->job.has_index && q->dimensions == 1) { // in place
        task->view[PADICI_SAMPLE_OUT].kind = task->view[PADICI_SAMPLE_INDEX].kind = 1;
        task->view[PADICI_SAMPLE_OUT].out = 2;
    }
    return result ? padici_fault(task->context, result, q->name) : PADIC_OK;
}

// One call cut into tasks. A task's slot of `bad` is no one else's until it has been waited for.
typedef struct padici_sample_split {
    const padici_sample_request *request;
    uint64_t step;
    uint8_t bad[PADICI_JOBS_AT_ONCE];
} padici_sample_split;

// The points of one task, a coordinate after the other.
static void padici_sample_task_run(void *arg, uint32_t task)
{
    padici_sample_split *split = (padici_sample_split *)arg;
    const padici_sample_request *q = split->request;
    const uint64_t begin = task * split->step, left = q->points - begin;
    const uint64_t end = begin + (left < split->step ? left : split->step);
    padici_sample_keys keys = padici_sample_request_keys(q);
    padici_sample_job job;
    padici_sample_radix x;
    uint64_t c;
    for (c = 0; c < q->dimensions; c++) {
        (void)padici_sample_coordinate(q, c, &job, &x, &keys);
        job.out = (char *)q->out.data +
                  (size_t)(padici_sample_offset(q, c) * padic_dtype_size(q->out.dtype));
        job.index = job.has_index ? (const char *)q->index.data : NULL;
        if (padici_sample_run(q->task.context, &job, &x, begin, end))
            split->bad[task % PADICI_JOBS_AT_ONCE] = 1;
    }
}

static padic_result padici_sample_request_host(padici_view_task *task)
{
    padici_sample_request *q = (padici_sample_request *)(void *)task;
    padici_sample_split split;
    uint64_t tasks;
    uint32_t i;
    if (!q->points) return PADIC_OK;
    memset(&split, 0, sizeof split);
    split.request = q;
    split.step = q->single ? 4 * PADICI_SAMPLE_CHUNK : PADICI_SAMPLE_CHUNK;
    while ((tasks = (q->points + split.step - 1) / split.step) > 1u << 24) split.step *= 2;
    padici_parallel(padici_jobs(task->context), (uint32_t)tasks, padici_sample_task_run, &split);
    for (i = 0; i < PADICI_JOBS_AT_ONCE; i++) q->outside |= split.bad[i];
    return PADIC_OK;
}

PADICI_FN void padici_sample_request_begin(padici_sample_request *q, const char *name, uint32_t op)
{
    memset(&q->name, 0, sizeof *q - offsetof(padici_sample_request, name));
    q->name = name;
    q->op = op;
    q->index_name = "index";
    q->job.task = PADICI_SAMPLE_VALUE;
}

PADICI_FN padic_result padici_sample_request_run(padic_context *context, padici_sample_request *q)
{
    padic_result result;
    padici_view_task_begin(&q->task, context, padici_sample_request_check,
                           padici_sample_request_host);
    padici_view_add(&q->task, "out", &q->out, 1);
    padici_view_add(&q->task, q->index_name, &q->index, 0);
    padici_view_add(&q->task, "scrambling.keys",
                    q->scrambling.mode != PADIC_SAMPLE_MODE_NONE ? &q->scrambling.keys : NULL, 0);
    result = padici_run_task(context, q->op, q);
    if (result || !q->outside) return result;
    padici_blame(context, PADIC_ERROR_LIMIT, q->index_name, NULL,
                 "has an element above the largest: 0 stands in its place");
    return padici_fault(context, PADIC_ERROR_LIMIT, q->name);
}

#endif
