#include "check.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/view_task.h"
#include "../context/workspace.h"
#include "../core/log.h"
#include "arrays.h"
#include "measure.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Every invariant of a state, in linear time. Records may hold anything: no number is used as an
// index before it has been compared with its limit.

PADIC_API const char *padic_cdt_fault_text(padic_cdt_fault fault)
{
    static const char *const text[] = {
        "nothing is wrong",
        "a number is out of range",
        "a triangle lies between wrong slices, or a slice is too short",
        "neighbours of triangles are not inverse to each other",
        "a strip is not one ring of all of its triangles",
        "the links of a slice have different orders above and below",
        "glued edges have different ends",
        "the triangles at a vertex are not one cycle",
        "an edge leads from a vertex to itself",
        "two edges have the same ends",
        "the surface is not one sphere",
        "a length, a count or a threshold is not that of the state",
    };
    return (uint32_t)fault < sizeof text / sizeof *text ? text[fault] : "?";
}

// Working memory of a check of a state with so many vertices.
PADICI_FN uint64_t padici_cdt_check_bytes(const padici_cdt_rules *rules, uint64_t vertices)
{
    const uint64_t triangles = padici_cdt_triangles(rules, vertices);
    return 4 * (rules->sphere ? vertices + 2 * triangles
                              : vertices + 2 * (uint64_t)rules->desc.slices);
}

// Says where a fault is, and that it is one.
static inline padic_cdt_fault padici_cdt_at(uint64_t *label, uint64_t at, padic_cdt_fault fault)
{
    *label = at;
    return fault;
}

// ---- the torus

static inline uint32_t padici_cdt_strip(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                        uint32_t x)
{
    const uint32_t slice = r->places[x / 2];
    return x % 2 == 0 ? slice : slice ? slice - 1 : rules->desc.slices - 1;
}

// Numbers, slices and their lengths; `first` becomes a link of each slice.
static padic_cdt_fault padici_cdt_check_slices(const padici_cdt_rules *rules,
                                               const padici_cdt_replica *r, uint32_t *first,
                                               uint32_t *length, uint64_t *label)
{
    const uint32_t n = r->vertices, slices = rules->desc.slices;
    uint32_t i, t;
    for (t = 0; t < slices; t++) length[t] = first[t] = 0;
    for (i = 0; i < n; i++) {
        const uint32_t *record = r->records + 4 * (size_t)i;
        if (r->places[i] >= slices) return padici_cdt_at(label, 2 * i, PADIC_CDT_FAULT_LABEL);
        for (t = 0; t < 4; t++)
            if (record[t] >= 2 * n)
                return padici_cdt_at(label, 2 * i + t / 2, PADIC_CDT_FAULT_LABEL);
        first[r->places[i]] = i;
        length[r->places[i]]++;
    }
    for (t = 0; t < slices; t++) {
        if (length[t] < rules->desc.min_length)
            return padici_cdt_at(label, 2 * (uint64_t)first[t], PADIC_CDT_FAULT_SLICE);
        if (length[t] != r->lengths[t])
            return padici_cdt_at(label, 2 * (uint64_t)first[t], PADIC_CDT_FAULT_COUNTER);
    }
    return PADIC_CDT_FAULT_NONE;
}

// Strip t is one ring; next[i] becomes the link after i in the order of the ups.
static padic_cdt_fault padici_cdt_check_ring(const padici_cdt_rules *rules,
                                             const padici_cdt_replica *r, uint32_t t,
                                             const uint32_t *first, uint32_t *next, uint64_t *label)
{
    const uint32_t above = t + 1 < rules->desc.slices ? t + 1 : 0, start = 2 * first[t];
    const uint32_t count = r->lengths[t] + r->lengths[above];
    uint32_t x = start, up = start / 2, i;
    for (i = 0; i < count; i++) {
        x = r->records[2 * (size_t)x + 1];
        if (padici_cdt_strip(rules, r, x) != t)
            return padici_cdt_at(label, x, PADIC_CDT_FAULT_SLICE);
        if ((x == start) != (i + 1 == count)) return padici_cdt_at(label, x, PADIC_CDT_FAULT_RING);
        if (x % 2) continue;
        next[up] = x / 2;
        up = x / 2;
    }
    return PADIC_CDT_FAULT_NONE;
}

// The downs of strip t have the order of the ups of the slice above it.
static padic_cdt_fault padici_cdt_check_order(const padici_cdt_rules *rules,
                                              const padici_cdt_replica *r, uint32_t t,
                                              const uint32_t *first, const uint32_t *next,
                                              uint64_t *label)
{
    const uint32_t above = t + 1 < rules->desc.slices ? t + 1 : 0, start = 2 * first[above] + 1;
    uint32_t x = start, down = start / 2;
    do {
        x = r->records[2 * (size_t)x + 1];
        if (x % 2 == 0) continue;
        if (next[down] != x / 2) return padici_cdt_at(label, x, PADIC_CDT_FAULT_ORDER);
        down = x / 2;
    } while (x != start);
    return PADIC_CDT_FAULT_NONE;
}

static padic_cdt_fault padici_cdt_check_torus(const padici_cdt_rules *rules,
                                              const padici_cdt_replica *r, uint32_t *scratch,
                                              uint64_t *label)
{
    const uint32_t n = r->vertices, slices = rules->desc.slices;
    uint32_t *next = scratch, *first = scratch + n, *length = first + slices;
    uint32_t t, x;
    padic_cdt_fault fault = padici_cdt_check_slices(rules, r, first, length, label);
    if (fault) return fault;
    for (x = 0; x < 2 * n; x++) {
        const uint32_t left = r->records[2 * (size_t)x], right = r->records[2 * (size_t)x + 1];
        if (r->records[2 * (size_t)left + 1] != x || r->records[2 * (size_t)right] != x)
            return padici_cdt_at(label, x, PADIC_CDT_FAULT_NEIGHBOUR);
    }
    for (t = 0; t < slices && !fault; t++)
        fault = padici_cdt_check_ring(rules, r, t, first, next, label);
    for (t = 0; t < slices && !fault; t++)
        fault = padici_cdt_check_order(rules, r, t, first, next, label);
    return fault;
}

// ---- the sphere

static padic_cdt_fault padici_cdt_check_edges(const padici_cdt_replica *r, uint32_t triangles,
                                              uint64_t *label)
{
    const uint32_t *record = r->records;
    uint32_t h;
    for (h = 0; h < 4 * triangles; h++)
        if ((h & 3) != 3 &&
            (record[2 * (size_t)h] >= r->vertices || record[2 * (size_t)h + 1] >= 4 * triangles ||
             (record[2 * (size_t)h + 1] & 3) == 3))
            return padici_cdt_at(label, h / 4, PADIC_CDT_FAULT_LABEL);
    for (h = 0; h < 4 * triangles; h++) {
        const uint32_t g = record[2 * (size_t)h + 1];
        if ((h & 3) == 3) continue;
        if (g == h || record[2 * (size_t)g + 1] != h)
            return padici_cdt_at(label, h / 4, PADIC_CDT_FAULT_NEIGHBOUR);
        if (record[2 * (size_t)padici_cdt_next(h)] != record[2 * (size_t)g])
            return padici_cdt_at(label, h / 4, PADIC_CDT_FAULT_ENDS);
        if (record[2 * (size_t)h] == record[2 * (size_t)g])
            return padici_cdt_at(label, h / 4, PADIC_CDT_FAULT_LOOP);
    }
    return PADIC_CDT_FAULT_NONE;
}

// One cycle round each vertex, all cycles together have all half-edges, no neighbour twice.
static padic_cdt_fault padici_cdt_check_vertices(const padici_cdt_replica *r, uint32_t triangles,
                                                 uint32_t *mark, uint64_t *label)
{
    uint64_t left = 3 * (uint64_t)triangles;
    uint32_t v;
    for (v = 0; v < r->vertices; v++) mark[v] = UINT32_MAX;
    for (v = 0; v < r->vertices; v++) {
        const uint32_t start = r->places[v];
        uint32_t h = start;
        if (start >= 4 * triangles || (start & 3) == 3)
            return padici_cdt_at(label, v, PADIC_CDT_FAULT_LABEL);
        if (r->records[2 * (size_t)start] != v)
            return padici_cdt_at(label, v, PADIC_CDT_FAULT_VERTEX);
        do {
            const uint32_t to = r->records[2 * (size_t)padici_cdt_next(h)];
            if (mark[to] == v) return padici_cdt_at(label, v, PADIC_CDT_FAULT_DOUBLE);
            mark[to] = v;
            left--;
            h = r->records[2 * (size_t)padici_cdt_previous(h) + 1];
        } while (h != start);
    }
    return left ? padici_cdt_at(label, 0, PADIC_CDT_FAULT_VERTEX) : PADIC_CDT_FAULT_NONE;
}

static padic_cdt_fault padici_cdt_check_sphere(const padici_cdt_replica *r, uint32_t *scratch,
                                               uint64_t *label)
{
    const uint32_t triangles = 2 * r->vertices - 4;
    uint32_t *mark = scratch, *seen = scratch + r->vertices, *queue = seen + triangles;
    uint32_t head = 0, tail = 1, k;
    padic_cdt_fault fault = padici_cdt_check_edges(r, triangles, label);
    if (!fault) fault = padici_cdt_check_vertices(r, triangles, mark, label);
    if (fault) return fault;
    memset(seen, 0, 4 * (size_t)triangles);
    queue[0] = 0;
    seen[0] = 1;
    for (; head < tail; head++) // in one piece: with N2 = 2 N0 - 4 a sphere
        for (k = 0; k < 3; k++) {
            const uint32_t t = r->records[2 * (4 * (size_t)queue[head] + k) + 1] / 4;
            if (seen[t]) continue;
            seen[t] = 1;
            queue[tail++] = t;
        }
    return tail == triangles ? PADIC_CDT_FAULT_NONE
                             : padici_cdt_at(label, tail, PADIC_CDT_FAULT_EULER);
}

// The first fault of a state; scratch: padici_cdt_check_bytes().
PADICI_FN padic_cdt_fault padici_cdt_check_replica(const padici_cdt_rules *rules,
                                                   const padici_cdt_replica *r, void *scratch,
                                                   uint64_t *label)
{
    *label = 0;
    if (r->vertices < rules->least || r->vertices > rules->most)
        return padici_cdt_at(label, r->vertices, PADIC_CDT_FAULT_COUNTER);
    return rules->sphere ? padici_cdt_check_sphere(r, (uint32_t *)scratch, label)
                         : padici_cdt_check_torus(rules, r, (uint32_t *)scratch, label);
}

// A sentence for a fault, and the report.
PADICI_FN padic_result padici_cdt_corrupt(padic_context *context, padic_cdt_fault fault,
                                          uint64_t replica, uint64_t label,
                                          padic_cdt_check_report *report)
{
    char space[256];
    padici_text text;
    if (report) {
        report->fault = fault;
        report->replica = replica;
        report->label = label;
    }
    if (!fault) return PADIC_OK;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padic_cdt_fault_text(fault));
    padici_text_add(&text, ": replica ");
    padici_text_number(&text, replica, 1);
    padici_text_add(&text, ", label ");
    padici_text_number(&text, label, 1);
    return padici_fail_here(context, PADIC_ERROR_CORRUPT, space);
}

typedef struct padici_cdt_check_task {
    padici_view_task task;
    const padic_cdt_check_desc *desc;
    padic_tensor state;
} padici_cdt_check_task;

static padic_result padici_cdt_check_inspect(padici_view_task *task)
{
    const padic_cdt_check_desc *desc = ((padici_cdt_check_task *)(void *)task)->desc;
    if (!desc->plan)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    return padici_workspace_check(task->context, &desc->workspace,
                                  padic_cdt_measure_workspace(desc->plan));
}

static padic_result padici_cdt_check_work(padici_view_task *task)
{
    const padici_cdt_check_task *call = (const padici_cdt_check_task *)(const void *)task;
    const padic_cdt_check_desc *desc = call->desc;
    const padici_cdt_rules *rules = &desc->plan->rules;
    padici_cdt_scratch scratch;
    padic_cdt_fault fault = PADIC_CDT_FAULT_NONE;
    uint64_t i, label = 0;
    padic_result result = padici_cdt_scratch_take(
        task->context, &desc->workspace, padici_cdt_check_bytes(rules, rules->most), &scratch);
    if (result) return result;
    padici_cdt_state_reach(desc->plan, 0, rules->desc.replicas, &call->state);
    for (i = 0; i < rules->desc.replicas && !fault; i++)
        fault = padici_cdt_check_replica(rules, &desc->plan->replicas[i], scratch.memory, &label);
    padici_cdt_scratch_give(task->context, &scratch);
    return padici_cdt_corrupt(task->context, fault, fault ? i - 1 : 0, label, desc->report);
}

PADICI_VIEW_TASK(cdt_check)

PADIC_API padic_result padic_cdt_check(padic_context *context, const padic_cdt_check_desc *desc)
{
    padici_cdt_check_task call;
    if (!desc) return padici_cdt_no_desc(context, "cdt_check");
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    call.desc = desc;
    padici_view_task_begin(&call.task, context, padici_cdt_check_inspect, padici_cdt_check_work);
    padici_cdt_state_view(desc->plan, 0, desc->plan ? desc->plan->rules.desc.replicas : 0,
                          &call.state);
    padici_view_add(&call.task, "state", &call.state, 0);
    return padici_run_task(context, PADIC_OP_CDT_CHECK, &call);
}

#endif
