#include "measure.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../context/view_task.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "../core/philox.h"
#include "../core/splitmix.h"
#include "arrays.h"
#include "check.h"
#include "graph.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Observables of replicas, into the rows of arrays.

PADICI_FN padic_tensor *padici_cdt_out(padici_cdt_measure *m, uint32_t i)
{
    padic_tensor *const out[PADICI_CDT_OUTS] = {
        &m->desc.counts, &m->desc.profile, &m->desc.profile_sum, &m->desc.profile_product,
        &m->desc.order,  &m->desc.shells,  &m->desc.returns};
    return out[i];
}

PADIC_API uint64_t padic_cdt_measure_workspace(const padic_cdt_plan *plan)
{
    uint64_t check, nodes;
    if (!plan) return 0;
    check = padici_cdt_check_bytes(&plan->rules, plan->rules.most);
    nodes = padici_cdt_nodes_bytes(&plan->rules);
    return (check > nodes ? check : nodes) + 63;
}

// The shape that output i must have, but for its rows and what is free.
static padic_result padici_cdt_out_check(padici_cdt_measure *m, uint32_t i)
{
    static const char *const name[PADICI_CDT_OUTS] = {
        "counts", "profile", "profile_sum", "profile_product", "order", "shells", "returns"};
    const padici_cdt_rules *rules = &m->desc.plan->rules;
    const padic_tensor *t = m->task.view[i].tensor;
    const uint32_t rank = i == PADICI_CDT_OUT_PRODUCT ? 3 : 2;
    const uint32_t slices = i >= PADICI_CDT_OUT_PROFILE && i <= PADICI_CDT_OUT_PRODUCT;
    const padic_dtype dtype = i == PADICI_CDT_OUT_PROFILE   ? PADIC_U32
                              : i == PADICI_CDT_OUT_RETURNS ? PADIC_F64
                                                            : PADIC_U64;
    uint64_t shape[3];
    if (!t) return PADIC_OK;
    if (slices && rules->sphere)
        return padici_fail_field(m->task.context, PADIC_ERROR_ARGUMENT, name[i],
                                 "is of slices, which a sphere has not");
    shape[0] = t->rank && t->shape[0] == 1 && i != PADICI_CDT_OUT_PROFILE ? 1
                                                                          : rules->desc.replicas;
    shape[1] = t->rank == 2 && t->shape[1] ? t->shape[1] : 1;
    if (slices) shape[1] = rules->desc.slices;
    if (i == PADICI_CDT_OUT_COUNTS) shape[1] = PADIC_CDT_COUNTS;
    shape[2] = rules->desc.slices;
    if (shape[0] != rules->desc.replicas) m->together = 1;
    return padici_cdt_array_check(m->task.context, name[i], t, dtype, rank, shape);
}

static padic_result padici_cdt_measure_inspect(padici_view_task *task)
{
    padici_cdt_measure *m = (padici_cdt_measure *)(void *)task;
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!m->desc.plan)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    if ((uint32_t)m->desc.graph > PADIC_CDT_GRAPH_VERTICES)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "graph",
                                 "is no padic_cdt_graph");
    for (i = 0; i < PADICI_CDT_OUTS && !result; i++) result = padici_cdt_out_check(m, i);
    if (!result)
        result = padici_workspace_check(task->context, &m->desc.workspace,
                                        padic_cdt_measure_workspace(m->desc.plan));
    return result ? result : padici_cdt_views_apart(task);
}

// Row of an output for a replica, in elements from its first; NULL: not asked for.
static void *padici_cdt_row(const padic_tensor *t, uint64_t replica, uint64_t *n)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    *n = t->rank > 1 ? t->shape[1] * (t->rank > 2 ? t->shape[2] : 1) : 0;
    if (!t->data) return NULL;
    return (char *)t->data + (t->shape[0] == 1 ? 0 : replica) * *n * size;
}

static void padici_cdt_measure_counts(const padici_cdt_measure *m, const padici_cdt_replica *r,
                                      uint64_t replica)
{
    uint64_t n, *row = (uint64_t *)padici_cdt_row(&m->desc.counts, replica, &n);
    uint32_t k;
    if (!row) return;
    row[PADIC_CDT_COUNT_VERTICES] += r->vertices;
    row[PADIC_CDT_COUNT_TRIANGLES] += padici_cdt_triangles(&m->desc.plan->rules, r->vertices);
    row[PADIC_CDT_COUNT_LINKS] += padici_cdt_triangles(&m->desc.plan->rules, r->vertices) / 2 * 3;
    for (k = 0; k < PADIC_CDT_MOVES; k++) {
        row[PADIC_CDT_COUNT_ATTEMPTS + k] += r->attempts[k];
        row[PADIC_CDT_COUNT_ACCEPTED + k] += r->accepted[k];
    }
    row[PADIC_CDT_COUNT_REFUSED] += r->refused;
}

static void padici_cdt_measure_profile(const padici_cdt_measure *m, const padici_cdt_replica *r,
                                       uint64_t replica)
{
    const uint32_t slices = m->desc.plan->rules.desc.slices;
    uint64_t n, *sum, *product;
    uint32_t *profile = (uint32_t *)padici_cdt_row(&m->desc.profile, replica, &n);
    uint32_t s, t;
    if (profile) memcpy(profile, r->lengths, 4 * (size_t)slices);
    sum = (uint64_t *)padici_cdt_row(&m->desc.profile_sum, replica, &n);
    for (t = 0; sum && t < slices; t++) sum[t] += r->lengths[t];
    product = (uint64_t *)padici_cdt_row(&m->desc.profile_product, replica, &n);
    for (s = 0; product && s < slices; s++)
        for (t = 0; t < slices; t++)
            product[(uint64_t)s * slices + t] += (uint64_t)r->lengths[s] * r->lengths[t];
}

static void padici_cdt_measure_order(const padici_cdt_measure *m, const padici_cdt_replica *r,
                                     uint64_t replica, padici_cdt_nodes *nodes)
{
    uint64_t n, *row = (uint64_t *)padici_cdt_row(&m->desc.order, replica, &n);
    uint32_t i;
    if (!row) return;
    padici_cdt_nodes_vertices(&m->desc.plan->rules, r, nodes);
    for (i = 0; i < nodes->count; i++) {
        const uint32_t order = nodes->first[i + 1] - nodes->first[i];
        row[order < n ? order : n - 1]++;
    }
}

// Root m of a replica, the same whenever this state is asked.
static uint32_t padici_cdt_root(const padici_cdt_measure *m, const padici_cdt_replica *r,
                                uint64_t at, uint32_t count)
{
    const uint64_t seed = m->desc.plan->rules.desc.seed;
    uint32_t counter[4], word[4];
    if (m->desc.roots == UINT64_MAX) return (uint32_t)at;
    counter[0] = (uint32_t)at;
    counter[1] = (uint32_t)(r->attempt ^ r->attempt >> 32);
    counter[2] = r->stream;
    counter[3] = PADICI_CDT_ROOT;
    padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, word);
    return padici_cdt_place((uint64_t)word[1] << 32 | word[2], count);
}

static void padici_cdt_measure_walks(const padici_cdt_measure *m, const padici_cdt_replica *r,
                                     uint64_t replica, padici_cdt_nodes *nodes)
{
    const padici_cdt_rules *rules = &m->desc.plan->rules;
    uint64_t distances, steps, i, roots = m->desc.roots ? m->desc.roots : 1;
    uint64_t *shells = (uint64_t *)padici_cdt_row(&m->desc.shells, replica, &distances);
    double *returns = (double *)padici_cdt_row(&m->desc.returns, replica, &steps), weight;
    if (!shells && !returns) return;
    if (m->desc.graph == PADIC_CDT_GRAPH_DUAL)
        padici_cdt_nodes_dual(rules, r, nodes);
    else if (!m->desc.order.data) // else it is there
        padici_cdt_nodes_vertices(rules, r, nodes);
    if (roots == UINT64_MAX) roots = nodes->count;
    weight = 1.0 / (double)roots;
    if (m->desc.returns.shape[0] == 1) weight /= (double)rules->desc.replicas;
    for (i = 0; i < roots; i++) {
        const uint32_t root = padici_cdt_root(m, r, i, nodes->count);
        if (shells) padici_cdt_nodes_shells(nodes, root, shells, distances);
        if (returns) padici_cdt_nodes_returns(nodes, root, returns, steps, weight);
    }
}

static void padici_cdt_measure_share(void *arg, uint32_t worker)
{
    const padici_cdt_measure *m = (const padici_cdt_measure *)arg;
    const padici_cdt_rules *rules = &m->desc.plan->rules;
    padici_cdt_nodes nodes;
    uint64_t i;
    if (m->scratch) padici_cdt_nodes_place(rules, m->scratch + worker * m->room, &nodes);
    for (i = worker; i < rules->desc.replicas; i += m->workers) {
        const padici_cdt_replica *r = &m->desc.plan->replicas[i];
        padici_cdt_measure_counts(m, r, i);
        padici_cdt_measure_profile(m, r, i);
        if (!m->scratch) continue;
        padici_cdt_measure_order(m, r, i, &nodes);
        padici_cdt_measure_walks(m, r, i, &nodes);
    }
}

PADICI_FN padic_result padici_cdt_measure_work(padici_view_task *task)
{
    padici_cdt_measure *m = (padici_cdt_measure *)(void *)task;
    const padic_cdt_plan *plan = m->desc.plan;
    const uint64_t replicas = plan->rules.desc.replicas;
    const padic_jobs *jobs = padici_jobs(task->context);
    const uint32_t nodes = m->desc.order.data || m->desc.shells.data || m->desc.returns.data;
    padici_cdt_scratch scratch;
    padic_result result;
    uint32_t i;
    padici_cdt_state_reach(plan, 0, replicas, &m->state);
    m->workers = 1;
    if (jobs && jobs->workers > 1 && !m->together && !m->desc.workspace.data)
        m->workers = jobs->workers < replicas ? jobs->workers : (uint32_t)replicas;
    m->room = (padic_cdt_measure_workspace(plan) + 63) & ~(uint64_t)63;
    if (nodes) {
        result = padici_cdt_scratch_take(task->context, &m->desc.workspace,
                                         m->workers * m->room, &scratch);
        if (result) return result;
        m->scratch = (char *)scratch.memory;
    }
    for (i = 0; i < PADICI_CDT_OUTS && !m->desc.accumulate; i++) {
        const padic_tensor *t = padici_cdt_out(m, i);
        const uint64_t bytes = padic_tensor_count(t) * padic_dtype_size(t->dtype);
        if (t->data) memset(t->data, 0, (size_t)bytes);
    }
    padici_parallel(jobs, m->workers, padici_cdt_measure_share, m);
    if (nodes) padici_cdt_scratch_give(task->context, &scratch);
    return PADIC_OK;
}

PADICI_VIEW_TASK(cdt_measure)

PADIC_API padic_result padic_cdt_measure(padic_context *context, const padic_cdt_measure_desc *desc)
{
    static const char *const name[PADICI_CDT_OUTS] = {
        "counts", "profile", "profile_sum", "profile_product", "order", "shells", "returns"};
    padici_cdt_measure call;
    uint32_t i;
    if (!desc) return padici_cdt_no_desc(context, "cdt_measure");
    memset(&call, 0, sizeof call);
    call.desc = *desc;
    padici_view_task_begin(&call.task, context, padici_cdt_measure_inspect,
                           padici_cdt_measure_work);
    for (i = 0; i < PADICI_CDT_OUTS; i++)
        padici_view_add(&call.task, name[i], padici_cdt_out(&call, i),
                        desc->accumulate && i != PADICI_CDT_OUT_PROFILE ? 2 : 1);
    for (i = 1; i < PADICI_CDT_OUTS && !call.state.rank; i++)
        if (call.task.view[i].tensor && desc->plan)
            padici_cdt_state_view(desc->plan, 0, desc->plan->rules.desc.replicas, &call.state);
    padici_view_add(&call.task, "state", &call.state, 0);
    return padici_run_task(context, PADIC_OP_CDT_MEASURE, &call);
}

#endif
