#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "best.h"
#include "entries.h"
#include "rows.h"

#if PADICI_IMPLEMENT_PQ

// What lists hold of the attention over all keys.

PADICI_FN uint32_t padici_pq_quality_operands(void *desc_, padici_operand *operands)
{
    padic_pq_quality_desc *desc = (padic_pq_quality_desc *)desc_;
    uint32_t n = padici_pq_operand(operands, 0, "queries", &desc->queries, 0);
    n = padici_pq_operand(operands, n, "keys", &desc->keys, 0);
    n = padici_pq_optional(operands, n, "pages", &desc->pages, 0);
    n = padici_pq_optional(operands, n, "values", &desc->values, 0);
    n = padici_pq_operand(operands, n, "lists", &desc->lists, 0);
    n = padici_pq_optional(operands, n, "list_lengths", &desc->list_lengths, 0);
    n = padici_pq_optional(operands, n, "key_counts", &desc->key_counts, 0);
    n = padici_pq_optional(operands, n, "query_counts", &desc->query_counts, 0);
    n = padici_pq_optional(operands, n, "recall", &desc->recall, 1);
    n = padici_pq_optional(operands, n, "mass", &desc->mass, 1);
    n = padici_pq_optional(operands, n, "error", &desc->error, 1);
    return padici_pq_optional(operands, n, "status", &desc->status, 1);
}

// Entries; the query; both sums of values; logits; orders; bins.
static uint64_t padici_pq_quality_each(const padic_pq_quality_desc *desc)
{
    const int paged = padici_pq_here(&desc->pages);
    const uint64_t n = desc->lists.shape[3];
    const uint64_t keys = desc->keys.shape[2] * (paged ? desc->pages.shape[1] : 1);
    const uint64_t d_v = padici_pq_here(&desc->values) ? desc->values.shape[3] : 0;
    if (n >> 31 || keys >> 31 || d_v > PADICI_PQ_COMPONENTS) return 0;
    return (n + desc->queries.shape[3] + 2 * d_v) * 8 + keys * 12 + PADICI_PQ_BINS * 4;
}

PADIC_API uint64_t padic_pq_quality_workspace(padic_context *context,
                                              const padic_pq_quality_desc *desc)
{
    padici_pq_space space;
    const uint64_t *n = desc ? desc->queries.shape : NULL;
    if (!desc || desc->queries.rank != 4 || desc->lists.rank != 4 || desc->keys.rank != 4 ||
        n[3] > PADICI_PQ_COMPONENTS)
        return 0;
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL, n[0] * n[1] * n[2],
                                 padici_pq_quality_each(desc), &space);
}

static padic_result padici_pq_quality_values(padic_context *context,
                                             const padic_pq_quality_desc *desc)
{
    const uint64_t *s = desc->keys.shape;
    padic_result result;
    if (!padici_pq_here(&desc->values))
        return padici_pq_here(&desc->error)
                   ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, "values",
                                       "is missing: `error` needs it")
                   : PADIC_OK;
    result = padici_pq_check(context, "values", &desc->values, PADIC_DTYPE_NONE, 4, s[0], s[1],
                             s[2], UINT64_MAX);
    if (!result && desc->values.shape[3] > PADICI_PQ_COMPONENTS)
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "values",
                                   "have a d_v above 1,024");
    return result;
}

PADICI_FN padic_result padici_pq_quality_check(padic_context *context, const void *desc_)
{
    const padic_pq_quality_desc *desc = (const padic_pq_quality_desc *)desc_;
    static const char *const name[4] = {"recall", "mass", "error", "status"};
    const padic_tensor *const out[4] = {&desc->recall, &desc->mass, &desc->error, &desc->status};
    const uint64_t *n = desc->queries.shape;
    uint32_t i;
    padic_result result =
        padici_pq_check_keys(context, &desc->queries, &desc->keys, &desc->pages);
    if (!result) result = padici_pq_quality_values(context, desc);
    if (!result)
        result = padici_pq_check_lists(context, "lists", &desc->lists, n[0], n[1], n[2]);
    if (!result)
        result = padici_pq_check_optional(context, "list_lengths", &desc->list_lengths, PADIC_U32,
                                          3, n[0], n[1], n[2], 0);
    if (!result)
        result = padici_pq_seen_check(context, n[0], desc->key_count, &desc->key_counts,
                                      &desc->query_counts);
    if (!result && (desc->sink >> 31 || desc->window >> 31 || desc->lists.shape[3] >> 31))
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "sink",
                                   "or `window` or a list is 2^31 or more");
    if (!result && desc->scale - desc->scale != 0)
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "scale", "is not finite");
    for (i = 0; i < 4 && !result; i++)
        result = padici_pq_check_optional(context, name[i], out[i], i < 3 ? PADIC_F32 : PADIC_U32,
                                          3, n[0], n[1], n[2], 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_quality_workspace(context, desc));
}

typedef struct padici_pq_judging {
    const padici_pq_kernels *kernels;
    const padic_pq_quality_desc *desc;
    padici_pq_view queries, keys, values, recall, mass, error, status;
    padici_pq_places places;
    padici_pq_listed listed;
    padici_pq_seen seen;
    double scale;
    padici_pq_space space;
} padici_pq_judging;

typedef struct padici_pq_judged { // a query, and memory of its worker
    uint64_t row, head, group, i, visible, count;
    uint64_t *entries;
    double *q, *whole, *part, *logit;
    uint32_t *order, *bins;
    double most, sum, held; // of e^(logit - most): over all, over the list
    uint32_t status;
} padici_pq_judged;

// Logits of the keys that the query sees; -infinity where a page is none.
static void padici_pq_judge_logits(const padici_pq_judging *work, padici_pq_judged *s)
{
    const uint64_t d = work->desc->queries.shape[3];
    const char *at = work->queries.at + padici_pq_at3(&work->queries, s->row, s->head, s->i);
    uint64_t k;
    for (k = 0; k < d; k++, at += work->queries.step[3])
        s->q[k] = (double)padici_pq_float(padici_pq_load(at, work->queries.dtype));
    s->most = -1.7e308;
    for (k = 0; k < s->visible; k++) {
        const char *key = padici_pq_place(&work->places, &work->keys, s->row, s->group, k);
        if (key) {
            padici_pq_rows_dots(work->kernels, s->q, &work->keys, &key, 1, d, &s->logit[k]);
            s->logit[k] = work->scale * s->logit[k];
        } else {
            s->logit[k] = (double)padici_pq_float(0xff800000u);
            s->status |= PADIC_PQ_STATUS_PAGE;
        }
        if (s->logit[k] > s->most) s->most = s->logit[k];
    }
}

// The sums over all keys and over the list. Weights replace logits.
static void padici_pq_judge_sums(const padici_pq_judging *work, padici_pq_judged *s)
{
    const uint64_t d_v = work->values.at ? work->desc->values.shape[3] : 0;
    uint64_t k, i, entry = 0;
    memset(s->whole, 0, (size_t)(2 * d_v) * sizeof *s->whole); // part is behind it
    s->sum = s->held = 0;
    for (k = 0; k < s->visible; k++) {
        const int listed = entry < s->count && s->entries[entry] >> 32 == k;
        const double e = exp(s->logit[k] - s->most);
        const char *value = d_v ? padici_pq_place(&work->places, &work->values, s->row, s->group, k)
                                : NULL;
        s->sum = s->sum + e;
        if (listed) s->held = s->held + e;
        entry += (uint64_t)listed;
        if (!value) continue;
        padici_pq_rows_add(work->kernels, &e, &work->values, &value, 1, d_v, s->whole);
        if (listed) padici_pq_rows_add(work->kernels, &e, &work->values, &value, 1, d_v, s->part);
    }
    for (i = 0; i < d_v; i++) {
        s->whole[i] = s->sum > 0 ? s->whole[i] / s->sum : 0;
        s->part[i] = s->held > 0 ? s->part[i] / s->held : 0;
    }
}

static float padici_pq_judge_recall(const padici_pq_judging *work, padici_pq_judged *s)
{
    const uint64_t window = work->desc->window, sink = work->desc->sink;
    const uint64_t last = s->visible > window ? s->visible - window : 0;
    const uint64_t from = padici_pq_entries_from(s->entries, s->count, sink);
    const uint64_t end = padici_pq_entries_from(s->entries, s->count, last);
    const uint64_t c = end > from ? end - from : 0;
    padici_pq_threshold t;
    uint64_t k, hits = 0;
    if (!c) return 1;
    for (k = sink; k < last; k++) s->order[k - sink] = padici_pq_order((float)s->logit[k]);
    padici_pq_threshold_find(s->order, last - sink, c, s->bins, &t);
    for (k = from; k < end; k++) hits += s->order[(s->entries[k] >> 32) - sink] >= t.value;
    return (float)((double)hits / (double)c);
}

static float padici_pq_judge_error(const padici_pq_judging *work, const padici_pq_judged *s)
{
    const uint64_t d_v = work->desc->values.shape[3];
    double apart = 0, size = 0;
    uint64_t i;
    for (i = 0; i < d_v; i++) {
        const double less = s->part[i] - s->whole[i];
        apart = apart + less * less;
        size = size + s->whole[i] * s->whole[i];
    }
    return apart > 0 || apart != apart ? (float)(sqrt(apart) / sqrt(size)) : 0;
}

static void padici_pq_judge_put(const padici_pq_view *view, const padici_pq_judged *s, float value)
{
    if (view->at)
        *(float *)(void *)(view->at + padici_pq_at3(view, s->row, s->head, s->i)) = value;
}

static void padici_pq_judge_one(const padici_pq_judging *work, padici_pq_judged *s)
{
    s->status = 0;
    s->visible = padici_pq_visible(&work->seen, s->row, s->i, &s->status);
    s->count = padici_pq_entries(&work->listed, s->row, s->head, s->i, s->visible, s->entries,
                                 &s->status);
    padici_pq_judge_logits(work, s);
    if (work->recall.at) padici_pq_judge_put(&work->recall, s, padici_pq_judge_recall(work, s));
    if (work->mass.at || work->error.at) padici_pq_judge_sums(work, s);
    padici_pq_judge_put(&work->mass, s, s->sum > 0 ? (float)(s->held / s->sum) : 0);
    if (work->error.at) padici_pq_judge_put(&work->error, s, padici_pq_judge_error(work, s));
    if (work->status.at)
        *(uint32_t *)(void *)(work->status.at +
                              padici_pq_at3(&work->status, s->row, s->head, s->i)) = s->status;
}

static void padici_pq_judge_work(void *work_, uint32_t worker)
{
    const padici_pq_judging *work = (const padici_pq_judging *)work_;
    const uint64_t *n = work->desc->queries.shape;
    const uint64_t d_v = work->values.at ? work->desc->values.shape[3] : 0;
    padici_pq_judged s;
    uint64_t item;
    s.entries = (uint64_t *)(void *)(work->space.at + worker * work->space.each);
    s.q = (double *)(void *)(s.entries + work->desc->lists.shape[3]);
    s.whole = s.q + n[3];
    s.part = s.whole + d_v;
    s.logit = s.part + d_v;
    s.order = (uint32_t *)(void *)(s.logit + work->seen.positions);
    s.bins = s.order + work->seen.positions;
    s.sum = s.held = 0;
    for (item = worker; item < n[0] * n[1] * n[2]; item += work->space.workers) {
        s.i = item % n[2];
        s.head = item / n[2] % n[1];
        s.row = item / n[2] / n[1];
        s.group = s.head / (n[1] / work->desc->keys.shape[1]);
        padici_pq_judge_one(work, &s);
    }
}

PADICI_FN padic_result padici_pq_quality_run(const padic_env *env, const padici_pq_kernels *kernels,
                                             const padic_pq_quality_desc *desc)
{
    const uint64_t *n = desc->queries.shape;
    padici_pq_judging work;
    padic_result result;
    work.kernels = kernels;
    work.desc = desc;
    work.queries = padici_pq_view_of(&desc->queries);
    work.keys = padici_pq_view_of(&desc->keys);
    work.values = padici_pq_view_of(&desc->values);
    work.places = padici_pq_places_of(&desc->keys, &desc->pages);
    work.listed.list = padici_pq_view_of(&desc->lists);
    work.listed.lengths = padici_pq_view_of(&desc->list_lengths);
    work.listed.n = desc->lists.shape[3];
    work.seen.key_counts = padici_pq_view_of(&desc->key_counts);
    work.seen.query_counts = padici_pq_view_of(&desc->query_counts);
    work.seen.positions = padici_pq_positions(&work.places);
    work.seen.keys = desc->key_count ? desc->key_count : work.seen.positions;
    work.seen.queries = n[2];
    work.recall = padici_pq_view_of(&desc->recall);
    work.mass = padici_pq_view_of(&desc->mass);
    work.error = padici_pq_view_of(&desc->error);
    work.status = padici_pq_view_of(&desc->status);
    work.scale = desc->scale != 0 ? desc->scale : 1 / sqrt((double)n[3]);
    result = padici_pq_space_begin(env, &desc->workspace, n[0] * n[1] * n[2],
                                   padici_pq_quality_each(desc), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_judge_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_quality_host(const padic_env *env, const void *desc)
{
    return padici_pq_quality_run(env, padici_pq_plain(), (const padic_pq_quality_desc *)desc);
}

#endif
