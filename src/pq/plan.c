#include "../context/buffer.h"
#include "../context/messages.h"
#include "../context/operands.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../context/workspace.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/words.h"
#include "shape.h"

#if PADICI_IMPLEMENT_PQ

// A step as one call: the descs of its three calls with workspaces, in one piece of memory.

struct padic_pq_plan {
    padic_context *context;
    padic_allocator allocator;
    uint64_t size;
    uint32_t placed, parts; // placed: in the caller's memory
    uint32_t same_queries;  // attention has the queries of the selection
    padic_buffer device;    // lists, lengths and status on a device
    padic_pq_append_desc append;
    padic_pq_select_desc select;
    padic_pq_attend_desc attend;
    padic_pq_append_desc append_now; // of a step
    padic_pq_select_desc select_now;
    padic_pq_attend_desc attend_now;
};

// A desc's descs, each with what it takes from the one before.
static void padici_pq_plan_descs(const padic_pq_plan_desc *desc, padic_pq_plan *plan)
{
    const uint32_t all = PADIC_PQ_PLAN_APPEND | PADIC_PQ_PLAN_SELECT | PADIC_PQ_PLAN_ATTEND;
    plan->parts = desc->parts ? desc->parts : all;
    plan->append = desc->append;
    plan->select = desc->select;
    plan->attend = desc->attend;
    if (plan->parts & PADIC_PQ_PLAN_APPEND) {
        if (!padici_pq_here(&plan->select.codebook.centroids))
            plan->select.codebook = plan->append.codebook;
        if (!padici_pq_here(&plan->select.cache.codes)) plan->select.cache = plan->append.cache;
    }
    if (!(plan->parts & PADIC_PQ_PLAN_SELECT)) return;
    plan->same_queries = !padici_pq_here(&plan->attend.queries);
    if (plan->same_queries) plan->attend.queries = plan->select.queries;
}

// Views of the plan's own lists; `bytes` of them all.
static padic_result padici_pq_plan_lists(padic_context *context, padic_pq_plan *plan,
                                         uint64_t *bytes)
{
    const padic_pq_select_desc *select = &plan->select;
    const uint64_t *n = select->queries.shape;
    const uint64_t heads = select->reduce && select->codebook.centroids.rank == 5
                               ? select->codebook.centroids.shape[1]
                               : n[1];
    const uint64_t parts = select->sink + select->heavy + select->window;
    uint64_t shape[4], rows, size;
    *bytes = 0;
    if (!(plan->parts & PADIC_PQ_PLAN_SELECT) || padici_pq_here(&select->lists)) return PADIC_OK;
    if (padici_pq_here(&select->lengths) || padici_pq_here(&select->status))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "select.lists",
                                 "is missing, but `lengths` or `status` is given");
    shape[0] = n[0], shape[1] = heads, shape[2] = n[2];
    shape[3] = parts > select->full_below ? parts : select->full_below;
    if (select->queries.rank != 4 || select->sink >> 31 || select->heavy >> 31 ||
        select->window >> 31 || select->full_below >> 31 || !padici_mul_u64(n[0], heads, &rows) ||
        !padici_mul_u64(rows, n[2], &rows) || !padici_mul_u64(rows, shape[3] + 2, &size) ||
        size >> 60)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "select.lists",
                                 "would have more entries than memory can hold");
    plan->select.lists = padic_tensor_nd(PADIC_I32, NULL, 4, shape);
    plan->select.lengths = padic_tensor_nd(PADIC_U32, NULL, 3, shape);
    plan->select.status = padic_tensor_nd(PADIC_U32, NULL, 3, shape);
    plan->select.lengths.offset = rows * shape[3]; // all have elements of 4 bytes
    plan->select.status.offset = rows * (shape[3] + 1);
    *bytes = size * 4;
    return PADIC_OK;
}

// Gives the plan's own lists their memory, and attention what it takes from the selection.
static void padici_pq_plan_share(padic_pq_plan *plan, char *lists)
{
    padic_tensor *const own[3] = {&plan->select.lists, &plan->select.lengths, &plan->select.status};
    uint32_t i;
    for (i = 0; i < 3 && (lists || plan->device.id); i++) {
        own[i]->buffer = plan->device;
        if (plan->device.id) continue;
        own[i]->data = lists + own[i]->offset * 4;
        own[i]->offset = 0;
    }
    if (!(plan->parts & PADIC_PQ_PLAN_SELECT) || padici_pq_here(&plan->attend.lists)) return;
    plan->attend.lists = plan->select.lists;
    plan->attend.lengths = plan->select.lengths;
}

static uint64_t padici_pq_plan_round(uint64_t bytes)
{
    return (bytes + 63) & ~(uint64_t)63;
}

// Bytes of the three workspaces.
static void padici_pq_plan_spaces(padic_context *context, const padic_pq_plan *plan,
                                  uint64_t bytes[3])
{
    bytes[0] = plan->parts & PADIC_PQ_PLAN_APPEND
                   ? padic_pq_append_workspace(context, &plan->append)
                   : 0;
    bytes[1] = plan->parts & PADIC_PQ_PLAN_SELECT
                   ? padic_pq_select_workspace(context, &plan->select)
                   : 0;
    bytes[2] = plan->parts & PADIC_PQ_PLAN_ATTEND
                   ? padic_pq_attend_workspace(context, &plan->attend)
                   : 0;
}

// The whole; 0 if that is more than memory can be.
static uint64_t padici_pq_plan_bytes(const uint64_t spaces[3], uint64_t lists)
{
    const uint64_t limit = (uint64_t)1 << 60;
    uint64_t sum = padici_pq_plan_round(sizeof(padic_pq_plan));
    uint32_t i;
    for (i = 0; i < 3; i++) {
        if (spaces[i] > limit) return 0;
        sum += padici_pq_plan_round(spaces[i]);
    }
    if (lists > limit || sum + lists > limit || sum + lists > SIZE_MAX / 2) return 0;
    return sum + padici_pq_plan_round(lists);
}

static padic_result padici_pq_plan_fields(padic_context *context, const padic_pq_plan_desc *desc)
{
    const padic_tensor *const space[3] = {&desc->append.workspace, &desc->select.workspace,
                                          &desc->attend.workspace};
    uint32_t i;
    if (desc->parts > 7)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "parts", "has an unknown bit");
    for (i = 0; i < 3; i++)
        if (padici_pq_here(space[i]))
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "workspace",
                                     "of one of the three calls is given: the plan has its own");
    return PADIC_OK;
}

// Checks the desc of a call as the call would; it is copied to where views may be set.
static PADICI_NOINLINE padic_result padici_pq_plan_call(padic_context *context, uint32_t op,
                                                        void *desc)
{
    padici_call call;
    return padici_call_begin(&call, context, op, desc);
}

static padic_result padici_pq_plan_calls(padic_pq_plan *plan)
{
    padic_result result = PADIC_OK;
    plan->append_now = plan->append;
    plan->select_now = plan->select;
    plan->attend_now = plan->attend;
    if (plan->parts & PADIC_PQ_PLAN_APPEND)
        result = padici_pq_plan_call(plan->context, PADIC_OP_PQ_APPEND, &plan->append_now);
    if (!result && (plan->parts & PADIC_PQ_PLAN_SELECT))
        result = padici_pq_plan_call(plan->context, PADIC_OP_PQ_SELECT, &plan->select_now);
    if (!result && (plan->parts & PADIC_PQ_PLAN_ATTEND))
        result = padici_pq_plan_call(plan->context, PADIC_OP_PQ_ATTEND, &plan->attend_now);
    return result;
}

// The bytes of a plan, which is too large for a frame. `told` NULL: nobody is told what is wrong.
static padic_result padici_pq_plan_measure(padic_context *context, padic_context *told,
                                           const padic_pq_plan_desc *desc, uint64_t *bytes)
{
    const padic_allocator *allocator = context ? padici_allocator(context) : NULL;
    padic_pq_plan *plan;
    uint64_t spaces[3], lists;
    padic_result result = padici_pq_plan_fields(told, desc);
    *bytes = 0;
    if (result) return result;
    plan = (padic_pq_plan *)padici_alloc(allocator, sizeof *plan, 64);
    if (!plan) return padici_fail_here(told, PADIC_ERROR_MEMORY, "no memory for the plan");
    memset(plan, 0, sizeof *plan);
    padici_pq_plan_descs(desc, plan);
    result = padici_pq_plan_lists(told, plan, &lists);
    if (!result) {
        padici_pq_plan_spaces(context, plan, spaces);
        *bytes = padici_pq_plan_bytes(spaces, lists);
        if (!*bytes)
            result = padici_fail_here(told, PADIC_ERROR_LIMIT, "it is larger than any memory");
    }
    padici_free(allocator, plan, sizeof *plan);
    return result;
}

PADIC_API uint64_t padic_pq_plan_size_bound(padic_context *context, const padic_pq_plan_desc *desc)
{
    uint64_t bytes;
    return desc && !padici_pq_plan_measure(context, NULL, desc, &bytes) ? bytes : 0;
}

// The pieces of the plan's memory, in order.
static void padici_pq_plan_divide(padic_pq_plan *plan, const uint64_t spaces[3], uint64_t lists)
{
    padic_tensor *const space[3] = {&plan->append.workspace, &plan->select.workspace,
                                    &plan->attend.workspace};
    char *at = (char *)plan + padici_pq_plan_round(sizeof *plan);
    uint32_t i;
    for (i = 0; i < 3; i++) {
        if (spaces[i]) *space[i] = padic_tensor_1d(PADIC_U8, at, spaces[i]);
        at += padici_pq_plan_round(spaces[i]);
    }
    padici_pq_plan_share(plan, lists && !plan->device.id ? at : NULL);
}

static padic_result padici_pq_plan_begin(padic_context *context, const padic_pq_plan_desc *desc,
                                         padic_pq_plan *plan)
{
    uint64_t spaces[3], lists;
    padic_result result = padici_pq_plan_lists(context, plan, &lists);
    if (result) return result;
    if (lists && desc->select.queries.buffer.id) {
        padic_buffer_desc buffer;
        memset(&buffer, 0, sizeof buffer);
        buffer.size = lists;
        result = padic_buffer_create(context, &buffer, &plan->device);
        if (result) return result;
    }
    padici_pq_plan_spaces(context, plan, spaces);
    padici_pq_plan_divide(plan, spaces, lists);
    return padici_pq_plan_calls(plan);
}

static padic_result padici_pq_plan_make(padic_context *context, const padic_pq_plan_desc *desc,
                                        padic_pq_plan **out)
{
    const padic_allocator *allocator = context ? padici_allocator(context) : NULL;
    padic_pq_plan *plan;
    uint64_t bytes;
    padic_result result;
    if (!out) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *out = NULL;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_pq_plan_measure(context, context, desc, &bytes);
    if (!result) result = padici_workspace_check(context, &desc->workspace, bytes);
    if (result) return result;
    plan = (padic_pq_plan *)(void *)desc->workspace.data;
    if (!plan) plan = (padic_pq_plan *)padici_alloc(allocator, (size_t)bytes, 64);
    if (!plan) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    memset(plan, 0, sizeof *plan);
    plan->context = context;
    if (allocator) plan->allocator = *allocator;
    plan->size = bytes;
    plan->placed = desc->workspace.data != NULL;
    padici_pq_plan_descs(desc, plan);
    result = padici_pq_plan_begin(context, desc, plan);
    if (result) padic_pq_plan_destroy(plan);
    else *out = plan;
    return result;
}

PADIC_API padic_result padic_pq_plan_create(padic_context *context, const padic_pq_plan_desc *desc,
                                            padic_pq_plan **plan)
{
    const char *before = padici_enter(context, "pq_plan_create");
    const padic_result result = padici_pq_plan_make(context, desc, plan);
    padici_leave(context, before);
    return result;
}

PADIC_API void padic_pq_plan_destroy(padic_pq_plan *plan)
{
    padic_allocator allocator;
    if (!plan) return;
    if (plan->device.id) (void)padic_buffer_destroy(plan->context, plan->device);
    plan->device.id = 0;
    if (plan->placed) return;
    allocator = plan->allocator;
    padici_free(&allocator, plan, (size_t)plan->size);
}

// A view of a step in place of the plan's; `fewer`: its axis 2 may be shorter.
static padic_result padici_pq_plan_view(padic_context *context, const char *name,
                                        const padic_tensor *is, int fewer, padic_tensor *was)
{
    uint32_t i;
    int fits = is->rank == was->rank && is->dtype == was->dtype;
    if (!padici_pq_here(is)) return PADIC_OK;
    for (i = 0; i < was->rank && fits; i++)
        fits = is->shape[i] == was->shape[i] ||
               (fewer && i == 2 && is->shape[i] < was->shape[i]);
    if (!fits)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 "has another dtype or shape than the plan's");
    *was = *is;
    return PADIC_OK;
}

static padic_result padici_pq_plan_views(padic_pq_plan *plan, const padic_pq_plan_step_desc *desc)
{
    padic_context *context = plan->context;
    padic_result result = padici_pq_plan_view(context, "new_keys", &desc->new_keys,
                                              !plan->append.deferred, &plan->append_now.keys);
    if (!result)
        result = padici_pq_plan_view(context, "queries", &desc->queries, 0,
                                     &plan->select_now.queries);
    if (!result && (plan->same_queries || !(plan->parts & PADIC_PQ_PLAN_SELECT)))
        result = padici_pq_plan_view(context, "queries", &desc->queries, 0,
                                     &plan->attend_now.queries);
    if (!result)
        result = padici_pq_plan_view(context, "keys", &desc->keys, 0, &plan->attend_now.keys);
    if (!result)
        result = padici_pq_plan_view(context, "values", &desc->values, 0,
                                     &plan->attend_now.values);
    if (!result) result = padici_pq_plan_view(context, "out", &desc->out, 0, &plan->attend_now.out);
    if (desc->key_count) plan->select_now.key_count = desc->key_count;
    return result;
}

static padic_result padici_pq_plan_step_named(padic_pq_plan *plan,
                                              const padic_pq_plan_step_desc *desc)
{
    padic_result result = PADIC_OK;
    plan->append_now = plan->append;
    plan->select_now = plan->select;
    plan->attend_now = plan->attend;
    if (desc) result = padici_pq_plan_views(plan, desc);
    if (plan->context && (plan->parts & PADIC_PQ_PLAN_APPEND) &&
        (plan->parts & PADIC_PQ_PLAN_SELECT))
        plan->context->pq_next = &plan->select_now;
    if (!result && (plan->parts & PADIC_PQ_PLAN_APPEND))
        result = padic_pq_append(plan->context, &plan->append_now);
    if (!result && (plan->parts & PADIC_PQ_PLAN_SELECT))
        result = padic_pq_select(plan->context, &plan->select_now);
    if (plan->context) plan->context->pq_next = NULL;
    if (!result && (plan->parts & PADIC_PQ_PLAN_ATTEND))
        result = padic_pq_attend(plan->context, &plan->attend_now);
    return result;
}

PADIC_API padic_result padic_pq_plan_step(padic_pq_plan *plan, const padic_pq_plan_step_desc *desc)
{
    const char *before;
    padic_result result;
    if (!plan) return PADIC_ERROR_ARGUMENT;
    before = padici_enter(plan->context, "pq_plan_step");
    result = padici_pq_plan_step_named(plan, desc);
    padici_leave(plan->context, before);
    return result;
}

PADIC_API padic_result padic_pq_plan_info(const padic_pq_plan *plan, padic_pq_plan_report *report)
{
    if (report) memset(report, 0, sizeof *report);
    if (!plan || !report) return PADIC_ERROR_ARGUMENT;
    report->size = plan->size;
    if (!(plan->parts & PADIC_PQ_PLAN_SELECT)) return PADIC_OK;
    report->lists = plan->select.lists;
    report->lengths = plan->select.lengths;
    report->status = plan->select.status;
    return PADIC_OK;
}

#endif
