#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "calls.h"
#include "number.h"
#include "rows.h"

#if PADICI_IMPLEMENT_PQ

// Attention over lists of keys, or over all of them.

typedef struct padici_pq_attention {
    const padic_tensor *queries, *keys, *values, *pages, *workspace;
    const padic_tensor *lists, *lengths, *weights; // NULL: over all keys,
    const padic_tensor *key_counts, *query_counts; // of these
    const padic_tensor *out, *lse, *status;
    uint64_t key_count;
    double scale;
} padici_pq_attention;

// Fields of both descs.
#define PADICI_PQ_ATTENTION_BEGIN(a, desc)                                                   \
    (memset(a, 0, sizeof *(a)), (a)->queries = &(desc)->queries, (a)->keys = &(desc)->keys,  \
     (a)->values = &(desc)->values, (a)->pages = &(desc)->pages, (a)->out = &(desc)->out,    \
     (a)->lse = &(desc)->lse, (a)->status = &(desc)->status, (a)->scale = (desc)->scale,     \
     (a)->workspace = &(desc)->workspace)

static void padici_pq_attention_of(const padic_pq_attend_desc *desc, padici_pq_attention *a)
{
    PADICI_PQ_ATTENTION_BEGIN(a, desc);
    a->lists = &desc->lists;
    a->lengths = &desc->lengths;
    a->weights = &desc->weights;
}

static void padici_pq_attention_full(const padic_pq_attend_full_desc *desc, padici_pq_attention *a)
{
    PADICI_PQ_ATTENTION_BEGIN(a, desc);
    a->key_counts = &desc->key_counts;
    a->query_counts = &desc->query_counts;
    a->key_count = desc->key_count;
}

#undef PADICI_PQ_ATTENTION_BEGIN

// Operands of one of the two descs. They are views in the desc, which the caller may change.
static uint32_t padici_pq_attention_operands(const padici_pq_attention *a, padici_operand *operands)
{
    static const char *const name[12] = {"queries", "keys",    "values",     "pages",
                                         "lists",   "lengths", "weights",    "key_counts",
                                         "query_counts", "out", "lse",       "status"};
    const padic_tensor *const view[12] = {a->queries, a->keys,    a->values,     a->pages,
                                          a->lists,   a->lengths, a->weights,    a->key_counts,
                                          a->query_counts, a->out, a->lse,       a->status};
    const uint32_t needed = 1 | 2 | 4 | 16 | 512; // bits of the views above
    uint32_t n = 0, i;
    for (i = 0; i < 12; i++)
        if (view[i] && ((needed >> i & 1) || padici_pq_here(view[i])))
            n = padici_pq_operand(operands, n, name[i], (padic_tensor *)(uintptr_t)view[i],
                                  (uint8_t)(i >= 9));
    return n;
}

PADICI_FN uint32_t padici_pq_attend_operands(void *desc, padici_operand *operands)
{
    padici_pq_attention a;
    padici_pq_attention_of((const padic_pq_attend_desc *)desc, &a);
    return padici_pq_attention_operands(&a, operands);
}

PADICI_FN uint32_t padici_pq_attend_full_operands(void *desc, padici_operand *operands)
{
    padici_pq_attention a;
    padici_pq_attention_full((const padic_pq_attend_full_desc *)desc, &a);
    return padici_pq_attention_operands(&a, operands);
}

static uint64_t padici_pq_attend_items(const padici_pq_attention *a)
{
    return a->queries->shape[0] * a->queries->shape[1] * a->queries->shape[2];
}

static uint64_t padici_pq_attend_each(const padici_pq_attention *a)
{
    return (a->queries->shape[3] + a->values->shape[3]) * sizeof(double);
}

static uint64_t padici_pq_attend_bytes(padic_context *context, const padici_pq_attention *a)
{
    padici_pq_space space;
    if (a->queries->rank != 4 || a->values->rank != 4) return 0;
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL, padici_pq_attend_items(a),
                                 padici_pq_attend_each(a), &space);
}

PADIC_API uint64_t padic_pq_attend_workspace(padic_context *context,
                                             const padic_pq_attend_desc *desc)
{
    padici_pq_attention a;
    if (!desc) return 0;
    padici_pq_attention_of(desc, &a);
    return padici_pq_attend_bytes(context, &a);
}

PADIC_API uint64_t padic_pq_attend_full_workspace(padic_context *context,
                                                  const padic_pq_attend_full_desc *desc)
{
    padici_pq_attention a;
    if (!desc) return 0;
    padici_pq_attention_full(desc, &a);
    return padici_pq_attend_bytes(context, &a);
}

// Queries, keys, values, pages.
static padic_result padici_pq_attend_inputs(padic_context *context, const padici_pq_attention *a)
{
    const int paged = padici_pq_here(a->pages);
    const uint64_t *n = a->queries->shape, *s = a->keys->shape;
    padic_result result = padici_pq_check(context, "queries", a->queries, PADIC_DTYPE_NONE, 4,
                                          UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    if (!result)
        result = padici_pq_check(context, "keys", a->keys, PADIC_DTYPE_NONE, 4,
                                 paged ? UINT64_MAX : n[0], UINT64_MAX, UINT64_MAX, n[3]);
    if (!result)
        result = padici_pq_check(context, "values", a->values, PADIC_DTYPE_NONE, 4, s[0], s[1],
                                 s[2], UINT64_MAX);
    if (!result)
        result = padici_pq_check_optional(context, "pages", a->pages, PADIC_U32, 2, n[0],
                                          UINT64_MAX, 0, 0);
    if (!result) result = padici_pq_check_dense(context, "pages", a->pages);
    if (result) return result;
    if (!n[3] || n[3] > PADICI_PQ_COMPONENTS || a->values->shape[3] > PADICI_PQ_COMPONENTS)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "queries",
                                 "have a d that is not from 1 to 1,024, or values a d_v above it");
    if (s[1] ? n[1] % s[1] : n[1])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "queries",
                                 "has heads that are no multiple of those of the keys");
    if (a->scale - a->scale != 0)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "scale", "is not finite");
    if (s[2] >> 31 || (paged && a->pages->shape[1] >> 31) ||
        (paged && s[2] * a->pages->shape[1] >> 31))
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "keys", "has 2^31 positions or more");
    return PADIC_OK;
}

static padic_result padici_pq_attend_checks(padic_context *context, const padici_pq_attention *a)
{
    const uint64_t *n = a->queries->shape;
    const uint64_t heads = a->lists && a->lists->shape[1] == a->keys->shape[1] ? a->keys->shape[1]
                                                                               : n[1];
    padic_result result = padici_pq_attend_inputs(context, a);
    if (!result && a->lists)
        result = padici_pq_check_lists(context, "lists", a->lists, n[0], heads, n[2]);
    if (!result && a->lists)
        result = padici_pq_check_optional(context, "lengths", a->lengths, PADIC_U32, 3, n[0], heads,
                                          n[2], 0);
    if (!result && a->lists)
        result = padici_pq_check_optional(context, "weights", a->weights, PADIC_F32, 4, n[0], heads,
                                          n[2], a->lists->shape[3]);
    if (!result && a->key_counts)
        result = padici_pq_check_optional(context, "key_counts", a->key_counts, PADIC_U32, 1, n[0],
                                          0, 0, 0);
    if (!result && a->query_counts)
        result = padici_pq_check_optional(context, "query_counts", a->query_counts, PADIC_U32, 1,
                                          n[0], 0, 0, 0);
    if (!result)
        result = padici_pq_check(context, "out", a->out, PADIC_F32, 4, n[0], n[1], n[2],
                                 a->values->shape[3]);
    if (!result)
        result = padici_pq_check_optional(context, "lse", a->lse, PADIC_F32, 3, n[0], n[1], n[2],
                                          0);
    if (!result)
        result = padici_pq_check_optional(context, "status", a->status, PADIC_U32, 3, n[0], n[1],
                                          n[2], 0);
    return result ? result
                  : padici_workspace_check(context, a->workspace,
                                           padici_pq_attend_bytes(context, a));
}

PADICI_FN padic_result padici_pq_attend_check(padic_context *context, const void *desc)
{
    padici_pq_attention a;
    padici_pq_attention_of((const padic_pq_attend_desc *)desc, &a);
    return padici_pq_attend_checks(context, &a);
}

PADICI_FN padic_result padici_pq_attend_full_check(padic_context *context, const void *desc)
{
    padici_pq_attention a;
    padici_pq_attention_full((const padic_pq_attend_full_desc *)desc, &a);
    return padici_pq_attend_checks(context, &a);
}

// Work

typedef struct padici_pq_attending {
    const padici_pq_kernels *kernels; // of dense rows
    const padici_pq_attention *is;
    padici_pq_view queries, keys, values, lists, lengths, weights, key_counts, query_counts;
    padici_pq_view out, lse, status;
    const uint32_t *pages;
    uint64_t row_pages, positions; // of a row
    uint32_t shared; // lists are of heads of keys
    double scale;
    padici_pq_space space;
} padici_pq_attending;

typedef struct padici_pq_sums { // over the splits so far
    double *q, *o;
    double most, sum;
    uint32_t any, status;
    uint64_t row, head, group, i, list; // list: the head whose list it is
} padici_pq_sums;

// Entries of a split.
typedef struct padici_pq_split {
    const char *key[PADICI_PQ_SPLIT], *value[PADICI_PQ_SPLIT];
    double logit[PADICI_PQ_SPLIT], weight[PADICI_PQ_SPLIT]; // logit: ln w at first
    uint32_t n;
} padici_pq_split;

// Byte of the row of keys or values at a position; -1 where its page is none.
static int64_t padici_pq_position(const padici_pq_attending *work, const padici_pq_view *view,
                                  const padici_pq_sums *s, uint64_t position)
{
    const uint64_t length = work->is->keys->shape[2];
    uint64_t row = s->row;
    if (work->pages) {
        row = work->pages[s->row * work->row_pages + position / length];
        position %= length;
    }
    return padici_pq_at3(view, row, s->group, position);
}

static int padici_pq_position_there(const padici_pq_attending *work, const padici_pq_sums *s,
                                    uint64_t position)
{
    return !work->pages || work->pages[s->row * work->row_pages +
                                       position / work->is->keys->shape[2]] <
                               work->is->keys->shape[0];
}

// Logits, the largest, and what the entries add. Rows with gaps between components go through
// `space`, which has room for one.
static void padici_pq_attend_split(const padici_pq_attending *work, padici_pq_sums *s,
                                   padici_pq_split *split)
{
    const uint64_t d = work->is->queries->shape[3], d_v = work->is->values->shape[3];
    double dots[PADICI_PQ_SPLIT], most = s->most, factor;
    uint32_t j;
    uint64_t k;
    padici_pq_rows_dots(work->kernels, s->q, &work->keys, split->key, split->n, d, dots);
    for (j = 0; j < split->n; j++) {
        split->logit[j] = work->scale * dots[j] + split->logit[j];
        if (!s->any || split->logit[j] > most) most = split->logit[j];
        s->any = 1;
    }
    factor = s->sum > 0 ? exp(s->most - most) : 1;
    s->most = most;
    s->sum = s->sum * factor;
    for (k = 0; k < d_v; k++) s->o[k] = s->o[k] * factor;
    for (j = 0; j < split->n; j++) {
        const double e = split->logit[j] < -1.7e308 ? 0 : exp(split->logit[j] - most);
        split->weight[j] = e;
        s->sum = s->sum + e;
    }
    padici_pq_rows_add(work->kernels, split->weight, &work->values, split->value, split->n, d_v,
                       s->o);
    split->n = 0;
}

// Entry n of a list, or of all keys, as the next of a split, if it is one.
static void padici_pq_attend_entry(const padici_pq_attending *work, padici_pq_sums *s, uint64_t n,
                                   padici_pq_split *split)
{
    int64_t at = (int64_t)n;
    double logit = 0;
    if (work->lists.at) {
        at = padici_pq_list_get(work->lists.at +
                                    padici_pq_at3(&work->lists, s->row, s->list, s->i) +
                                    (int64_t)n * work->lists.step[3],
                                work->lists.dtype);
        if (at == -1) return;
    }
    if (at < 0 || (uint64_t)at >= work->positions) {
        s->status |= PADIC_PQ_STATUS_ENTRY;
        return;
    }
    if (!padici_pq_position_there(work, s, (uint64_t)at)) {
        s->status |= PADIC_PQ_STATUS_PAGE;
        return;
    }
    if (work->weights.at) {
        const float w = *(const float *)(const void *)(work->weights.at +
                                                       padici_pq_at3(&work->weights, s->row,
                                                                     s->list, s->i) +
                                                       (int64_t)n * work->weights.step[3]);
        if (!(w >= 0) || !padici_pq_finite(padici_pq_bits(w))) {
            s->status |= PADIC_PQ_STATUS_ENTRY;
            return;
        }
        if (!(w > 0)) return;
        logit = log((double)w);
    }
    split->key[split->n] = work->keys.at + padici_pq_position(work, &work->keys, s, (uint64_t)at);
    split->value[split->n] =
        work->values.at + padici_pq_position(work, &work->values, s, (uint64_t)at);
    split->logit[split->n++] = logit;
}

// How many entries there are: of the list, or keys that the query sees.
static uint64_t padici_pq_attend_count(const padici_pq_attending *work, padici_pq_sums *s)
{
    const padici_pq_attention *is = work->is;
    uint64_t keys = is->key_count ? is->key_count : work->positions;
    uint64_t queries = is->queries->shape[2], count;
    if (is->lists) {
        count = is->lists->shape[3];
        if (!work->lengths.at) return count;
        keys = *(const uint32_t *)(const void *)(work->lengths.at +
                                                 padici_pq_at3(&work->lengths, s->row, s->list,
                                                               s->i));
        if (keys <= count) return keys;
        s->status |= PADIC_PQ_STATUS_LENGTH;
        return count;
    }
    if (work->key_counts.at)
        keys = *(const uint32_t *)(const void *)(work->key_counts.at +
                                                 (int64_t)s->row * work->key_counts.step[0]);
    if (work->query_counts.at)
        queries = *(const uint32_t *)(const void *)(work->query_counts.at +
                                                    (int64_t)s->row * work->query_counts.step[0]);
    if (keys > work->positions || queries > is->queries->shape[2])
        s->status |= PADIC_PQ_STATUS_LENGTH;
    if (keys > work->positions) keys = work->positions;
    if (queries > is->queries->shape[2]) queries = is->queries->shape[2];
    count = s->i;
    return count < queries && keys + count + 1 > queries ? keys + count + 1 - queries : 0;
}

static void padici_pq_attend_write(const padici_pq_attending *work, const padici_pq_sums *s)
{
    const uint64_t d_v = work->is->values->shape[3];
    char *out = work->out.at + padici_pq_at3(&work->out, s->row, s->head, s->i);
    uint64_t k;
    for (k = 0; k < d_v; k++, out += work->out.step[3])
        *(float *)(void *)out = s->any ? (float)(s->o[k] / s->sum) : 0;
    if (work->lse.at)
        *(float *)(void *)(work->lse.at + padici_pq_at3(&work->lse, s->row, s->head, s->i)) =
            s->any ? (float)(s->most + log(s->sum)) : padici_pq_float(0xff800000u);
    if (work->status.at)
        *(uint32_t *)(void *)(work->status.at +
                              padici_pq_at3(&work->status, s->row, s->head, s->i)) = s->status;
}

static PADICI_NOINLINE void padici_pq_attend_one(const padici_pq_attending *work,
                                                 padici_pq_sums *s)
{
    const uint64_t d = work->is->queries->shape[3], d_v = work->is->values->shape[3];
    const char *q = work->queries.at + padici_pq_at3(&work->queries, s->row, s->head, s->i);
    padici_pq_split split;
    uint64_t count, k;
    s->status = s->any = 0;
    s->most = s->sum = 0;
    split.n = 0;
    count = padici_pq_attend_count(work, s);
    for (k = 0; k < d; k++, q += work->queries.step[3])
        s->q[k] = (double)padici_pq_float(padici_pq_load(q, work->queries.dtype));
    for (k = 0; k < d_v; k++) s->o[k] = 0;
    for (k = 0; k < count; k++) {
        padici_pq_attend_entry(work, s, k, &split);
        if (split.n == PADICI_PQ_SPLIT || k + 1 == count) padici_pq_attend_split(work, s, &split);
    }
    padici_pq_attend_write(work, s);
}

static void padici_pq_attend_work(void *work_, uint32_t worker)
{
    const padici_pq_attending *work = (const padici_pq_attending *)work_;
    const uint64_t *n = work->is->queries->shape, groups = work->is->keys->shape[1];
    const uint64_t items = padici_pq_attend_items(work->is);
    padici_pq_sums s;
    uint64_t i;
    s.q = (double *)(void *)(work->space.at + worker * work->space.each);
    s.o = s.q + n[3];
    for (i = worker; i < items; i += work->space.workers) {
        s.i = i % n[2];
        s.head = i / n[2] % n[1];
        s.row = i / n[2] / n[1];
        s.group = s.head / (n[1] / groups);
        s.list = work->shared ? s.group : s.head;
        padici_pq_attend_one(work, &s);
    }
}

static padici_pq_view padici_pq_view_some(const padic_tensor *t)
{
    const padic_tensor none = {NULL, {0}, PADIC_DTYPE_NONE, 0, 0, {0}, {0}};
    return padici_pq_view_of(t ? t : &none);
}

static padic_result padici_pq_attention_run(const padic_env *env,
                                            const padici_pq_kernels *kernels,
                                            const padici_pq_attention *a)
{
    padici_pq_attending work;
    padic_result result;
    work.kernels = kernels;
    work.is = a;
    work.shared = a->lists && a->lists->shape[1] != a->queries->shape[1];
    work.queries = padici_pq_view_of(a->queries);
    work.keys = padici_pq_view_of(a->keys);
    work.values = padici_pq_view_of(a->values);
    work.lists = padici_pq_view_some(a->lists);
    work.lengths = padici_pq_view_some(a->lengths);
    work.weights = padici_pq_view_some(a->weights);
    work.key_counts = padici_pq_view_some(a->key_counts);
    work.query_counts = padici_pq_view_some(a->query_counts);
    work.out = padici_pq_view_of(a->out);
    work.lse = padici_pq_view_of(a->lse);
    work.status = padici_pq_view_of(a->status);
    work.pages = (const uint32_t *)a->pages->data;
    work.row_pages = work.pages ? a->pages->shape[1] : 1;
    work.positions = a->keys->shape[2] * work.row_pages;
    work.scale = a->scale != 0 ? a->scale : 1 / sqrt((double)a->queries->shape[3]);
    result = padici_pq_space_begin(env, a->workspace, padici_pq_attend_items(a),
                                   padici_pq_attend_each(a), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_attend_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_attend_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_attend_desc *desc)
{
    padici_pq_attention a;
    padici_pq_attention_of(desc, &a);
    return padici_pq_attention_run(env, kernels, &a);
}

PADICI_FN padic_result padici_pq_attend_full_run(const padic_env *env,
                                                 const padici_pq_kernels *kernels,
                                                 const padic_pq_attend_full_desc *desc)
{
    padici_pq_attention a;
    padici_pq_attention_full(desc, &a);
    return padici_pq_attention_run(env, kernels, &a);
}

PADICI_FN padic_result padici_pq_attend_host(const padic_env *env, const void *desc)
{
    return padici_pq_attend_run(env, padici_pq_plain(), (const padic_pq_attend_desc *)desc);
}

PADICI_FN padic_result padici_pq_attend_full_host(const padic_env *env, const void *desc)
{
    return padici_pq_attend_full_run(env, padici_pq_plain(),
                                     (const padic_pq_attend_full_desc *)desc);
}

#endif
