#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../context/view_task.h"
#include "arrays.h"
#include "check.h"
#include "measure.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Replicas as lists of triangles, and back.

typedef struct padici_cdt_lists {
    padici_view_task task;
    const padic_cdt_plan *plan;
    uint64_t replica;
    padic_tensor triangles, slices, state; // of that replica alone
    padic_cdt_check_report *report;
    padici_cdt_replica *target; // of an import
} padici_cdt_lists;

static padic_result padici_cdt_lists_check(padici_cdt_lists *call, uint64_t vertices)
{
    const padici_cdt_rules *rules = &call->plan->rules;
    const uint32_t given = call->task.view[1].tensor != NULL;
    uint64_t shape[2];
    padic_result result;
    if (!call->task.view[0].tensor)
        return padici_fail_field(call->task.context, PADIC_ERROR_ARGUMENT, "triangles",
                                 "have no memory");
    if (given ? rules->sphere : !rules->sphere && call->target)
        return padici_fail_field(call->task.context, PADIC_ERROR_ARGUMENT, "slices",
                                 given ? "are of the torus" : "have no memory");
    shape[0] = padici_cdt_triangles(rules, vertices);
    shape[1] = 3;
    result = padici_cdt_array_check(call->task.context, "triangles", &call->triangles, PADIC_U32, 2,
                                    shape);
    if (result || !given) return result;
    result = padici_cdt_array_check(call->task.context, "slices", &call->slices, PADIC_U32, 1,
                                    &vertices);
    return result ? result : padici_cdt_views_apart(&call->task);
}

static padic_result padici_cdt_lists_plan(padici_cdt_lists *call)
{
    if (!call->plan)
        return padici_fail_field(call->task.context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    if (call->replica >= call->plan->rules.desc.replicas)
        return padici_fail_field(call->task.context, PADIC_ERROR_ARGUMENT, "replica",
                                 "is not below the replicas of the plan");
    return PADIC_OK;
}

static padic_result padici_cdt_export_inspect(padici_view_task *task)
{
    padici_cdt_lists *call = (padici_cdt_lists *)(void *)task;
    const padic_result result = padici_cdt_lists_plan(call);
    return result ? result
                  : padici_cdt_lists_check(call, call->plan->replicas[call->replica].vertices);
}

static padic_result padici_cdt_export_work(padici_view_task *task)
{
    padici_cdt_lists *call = (padici_cdt_lists *)(void *)task;
    const padici_cdt_replica *r = &call->plan->replicas[call->replica];
    padici_cdt_state_reach(call->plan, call->replica, 1, &call->state);
    padici_cdt_corners(&call->plan->rules, r, (uint32_t *)call->triangles.data);
    if (call->slices.data) memcpy(call->slices.data, r->places, 4 * (size_t)r->vertices);
    return PADIC_OK;
}

PADICI_VIEW_TASK(cdt_export)

PADIC_API padic_result padic_cdt_export(padic_context *context, const padic_cdt_export_desc *desc)
{
    padici_cdt_lists call;
    if (!desc) return padici_cdt_no_desc(context, "cdt_export");
    memset(&call, 0, sizeof call);
    call.plan = desc->plan;
    call.replica = desc->replica;
    call.triangles = desc->triangles;
    call.slices = desc->slices;
    padici_view_task_begin(&call.task, context, padici_cdt_export_inspect, padici_cdt_export_work);
    padici_view_add(&call.task, "triangles", &call.triangles, 1);
    padici_view_add(&call.task, "slices", &call.slices, 1);
    padici_cdt_state_view(desc->plan, desc->replica, 1, &call.state);
    padici_view_add(&call.task, "state", &call.state, 0);
    return padici_run_task(context, PADIC_OP_CDT_EXPORT, &call);
}

// ---- back

static inline padic_cdt_fault padici_cdt_import_at(uint64_t *label, uint64_t at,
                                                   padic_cdt_fault fault)
{
    *label = at;
    return fault;
}

// Half-edges of the sphere: of each vertex the first is `places`, the others follow by `after`. Of
// vertex a, mark[b] is the half-edge from a to b; that from b to a is the one before some half-edge
// that leaves a.
static padic_cdt_fault padici_cdt_import_sphere(padici_cdt_replica *r, const uint32_t *corner,
                                                uint32_t *scratch, uint64_t *label)
{
    const uint32_t n = r->vertices, edges = 3 * (2 * n - 4);
    uint32_t *after = scratch, *mark = scratch + edges, *owner = mark + n;
    uint32_t i, v, h;
    for (v = 0; v < n; v++) r->places[v] = owner[v] = UINT32_MAX;
    for (i = edges; i--;) {
        if (corner[i] >= n) return padici_cdt_import_at(label, i / 3, PADIC_CDT_FAULT_LABEL);
        h = i + i / 3;
        r->records[2 * (size_t)h] = corner[i];
        r->records[2 * (size_t)h + 1] = UINT32_MAX;
        after[i] = r->places[corner[i]];
        r->places[corner[i]] = h;
    }
    for (v = 0; v < n; v++) {
        for (h = r->places[v]; h != UINT32_MAX; h = after[h - h / 4]) {
            const uint32_t to = r->records[2 * (size_t)padici_cdt_next(h)];
            if (to == v) return padici_cdt_import_at(label, h / 4, PADIC_CDT_FAULT_LOOP);
            if (owner[to] == v) return padici_cdt_import_at(label, h / 4, PADIC_CDT_FAULT_DOUBLE);
            owner[to] = v;
            mark[to] = h;
        }
        for (h = r->places[v]; h != UINT32_MAX; h = after[h - h / 4]) {
            const uint32_t back = padici_cdt_previous(h); // leads to v
            const uint32_t from = r->records[2 * (size_t)back];
            if (owner[from] != v)
                return padici_cdt_import_at(label, h / 4, PADIC_CDT_FAULT_NEIGHBOUR);
            r->records[2 * (size_t)back + 1] = mark[from];
        }
    }
    return PADIC_CDT_FAULT_NONE;
}

typedef struct padici_cdt_import {
    uint32_t *apex[2];  // above a link, below it; UINT32_MAX: not seen
    uint32_t *right[2]; // end of a link, as the up and the down triangle say
} padici_cdt_import;

// Triangles of the torus: (i, right end, apex) above and (right end, i, apex) below link i, which
// may be written from any corner.
static padic_cdt_fault padici_cdt_import_triangles(const padici_cdt_rules *rules,
                                                   const padici_cdt_replica *r,
                                                   const uint32_t *corner, padici_cdt_import *to,
                                                   uint64_t *label)
{
    const uint32_t n = r->vertices, slices = rules->desc.slices;
    uint32_t x, k;
    for (x = 0; x < 2 * n; x++) {
        const uint32_t *c = corner + 3 * (size_t)x;
        uint32_t base, other, down;
        if (c[0] >= n || c[1] >= n || c[2] >= n)
            return padici_cdt_import_at(label, x, PADIC_CDT_FAULT_LABEL);
        for (k = 0; k < 3; k++) // the apex is in another slice
            if (r->places[c[(k + 1) % 3]] == r->places[c[(k + 2) % 3]]) break;
        if (k == 3) return padici_cdt_import_at(label, x, PADIC_CDT_FAULT_SLICE);
        base = r->places[c[(k + 1) % 3]];
        other = r->places[c[k]];
        down = other != (base + 1) % slices;
        if (down && base != (other + 1) % slices)
            return padici_cdt_import_at(label, x, PADIC_CDT_FAULT_SLICE);
        base = c[(k + (down ? 2 : 1)) % 3]; // the left end
        if (to->apex[down][base] != UINT32_MAX)
            return padici_cdt_import_at(label, x, PADIC_CDT_FAULT_DOUBLE);
        to->apex[down][base] = c[k];
        to->right[down][base] = c[(k + (down ? 1 : 2)) % 3];
    }
    return PADIC_CDT_FAULT_NONE;
}

// Neighbours. To the right of an edge from u up to v lies the up triangle of link u, if its apex is
// v, or the down triangle of link v, if that is u. Both only where the strip is all ups and then
// all downs: there the type changes.
static padic_cdt_fault padici_cdt_import_torus(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                               const uint32_t *corner, const uint32_t *slice,
                                               uint32_t *scratch, uint64_t *label)
{
    const uint32_t n = r->vertices, slices = rules->desc.slices;
    padici_cdt_import to;
    padic_cdt_fault fault;
    uint32_t i, x;
    for (i = 0; i < 4 * n; i++) scratch[i] = r->records[i] = UINT32_MAX;
    for (i = 0; i < 2; i++) {
        to.apex[i] = scratch + i * (size_t)n;
        to.right[i] = scratch + (2 + i) * (size_t)n;
    }
    for (i = 0; i < slices; i++) r->lengths[i] = 0;
    for (i = 0; i < n; i++) {
        if (slice[i] >= slices) return padici_cdt_import_at(label, i, PADIC_CDT_FAULT_LABEL);
        r->places[i] = slice[i];
        r->lengths[slice[i]]++;
    }
    for (i = 0; i < slices; i++)
        if (r->lengths[i] < 3) return padici_cdt_import_at(label, i, PADIC_CDT_FAULT_SLICE);
    fault = padici_cdt_import_triangles(rules, r, corner, &to, label);
    for (i = 0; i < n && !fault; i++)
        if (to.right[0][i] != to.right[1][i])
            fault = padici_cdt_import_at(label, i, PADIC_CDT_FAULT_ORDER);
    for (x = 0; x < 2 * n && !fault; x++) {
        const uint32_t link = x / 2, type = x % 2;
        const uint32_t u = type ? to.apex[1][link] : to.right[0][link]; // its right edge
        const uint32_t v = type ? to.right[1][link] : to.apex[0][link];
        const uint32_t up = to.apex[0][u] == v, down = to.apex[1][v] == u;
        const uint32_t next = up && (!down || type) ? 2 * u : 2 * v + 1;
        if ((!up && !down) || r->records[2 * (size_t)next] != UINT32_MAX)
            return padici_cdt_import_at(label, x, PADIC_CDT_FAULT_NEIGHBOUR);
        r->records[2 * (size_t)x + 1] = next;
        r->records[2 * (size_t)next] = x;
    }
    return fault;
}

static padic_result padici_cdt_import_inspect(padici_view_task *task)
{
    padici_cdt_lists *call = (padici_cdt_lists *)(void *)task;
    const padici_cdt_rules *rules = call->plan ? &call->plan->rules : NULL;
    padic_result result = padici_cdt_lists_plan(call);
    uint64_t triangles, vertices;
    if (result) return result;
    if (!rules->sphere && rules->desc.slices < 3)
        return padici_fail_field(task->context, PADIC_ERROR_NOT_SUPPORTED, "plan",
                                 "has fewer than 3 slices: its lists say too little");
    triangles = call->triangles.rank ? call->triangles.shape[0] : 0;
    if (triangles > rules->desc.capacity)
        return padici_fail_field(task->context, PADIC_ERROR_LIMIT, "triangles",
                                 "are more than the capacity");
    vertices = padici_cdt_vertices(rules, triangles);
    if (triangles % 2 || vertices < rules->least)
        return padici_fail_field(task->context, PADIC_ERROR_MISMATCH, "triangles",
                                 "are of an odd number, or fewer than the smallest state has");
    return padici_cdt_lists_check(call, vertices);
}

// In memory of its own, so that the replica stays as it is where something is wrong.
static padic_result padici_cdt_import_work(padici_view_task *task)
{
    padici_cdt_lists *call = (padici_cdt_lists *)(void *)task;
    const padici_cdt_rules *rules = &call->plan->rules;
    const uint32_t *corner = (const uint32_t *)call->triangles.data;
    padici_cdt_replica r = *call->target;
    const uint64_t n = padici_cdt_vertices(rules, call->triangles.shape[0]);
    const uint64_t records = rules->sphere ? 8 * padici_cdt_triangles(rules, n) : 4 * n;
    const uint64_t words = rules->sphere ? 8 * n : 4 * n + 2 * (uint64_t)rules->desc.slices;
    padici_cdt_scratch scratch;
    padic_cdt_fault fault;
    uint64_t label = 0;
    padic_result result = padici_cdt_scratch_take(
        task->context, NULL, 4 * (records + n + rules->desc.slices + words), &scratch);
    if (result) return result;
    r.records = (uint32_t *)scratch.memory;
    r.places = r.records + records;
    r.lengths = r.places + n;
    r.vertices = (uint32_t)n;
    {
        uint32_t *work = r.lengths + rules->desc.slices;
        fault = rules->sphere ? padici_cdt_import_sphere(&r, corner, work, &label)
                              : padici_cdt_import_torus(rules, &r, corner,
                                                        (const uint32_t *)call->slices.data, work,
                                                        &label);
        if (!fault) fault = padici_cdt_check_replica(rules, &r, work, &label);
    }
    padici_cdt_state_reach(call->plan, call->replica, 1, &call->state);
    if (!fault) {
        memcpy(call->target->records, r.records, 4 * (size_t)records);
        memcpy(call->target->places, r.places, 4 * (size_t)n);
        memcpy(call->target->lengths, r.lengths, 4 * (size_t)rules->desc.slices);
        call->target->vertices = (uint32_t)n;
        padici_cdt_law_follow(rules, call->target);
    }
    padici_cdt_scratch_give(task->context, &scratch);
    return padici_cdt_corrupt(task->context, fault, call->replica, label, call->report);
}

PADICI_VIEW_TASK(cdt_import)

PADIC_API padic_result padic_cdt_import(padic_context *context, const padic_cdt_import_desc *desc)
{
    padici_cdt_lists call;
    if (!desc) return padici_cdt_no_desc(context, "cdt_import");
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    memset(&call, 0, sizeof call);
    call.plan = desc->plan;
    call.replica = desc->replica;
    call.triangles = desc->triangles;
    call.slices = desc->slices;
    call.report = desc->report;
    if (desc->plan && desc->replica < desc->plan->rules.desc.replicas)
        call.target = &desc->plan->replicas[desc->replica];
    padici_view_task_begin(&call.task, context, padici_cdt_import_inspect, padici_cdt_import_work);
    padici_view_add(&call.task, "triangles", &call.triangles, 0);
    padici_view_add(&call.task, "slices", &call.slices, 0);
    padici_cdt_state_view(desc->plan, desc->replica, 1, &call.state);
    padici_view_add(&call.task, "state", &call.state, 2);
    return padici_run_task(context, PADIC_OP_CDT_IMPORT, &call);
}

#endif
