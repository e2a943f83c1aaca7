#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "best.h"

#if PADICI_IMPLEMENT_PQ

// The k best of scores. A device finds the same by the same steps: integers, whose histogram of
// 11, 11 and 10 bits leads to the k-th largest; then positions in order, counted by a scan.

PADICI_FN void padici_pq_threshold_find(const uint32_t *order, uint64_t n, uint64_t k,
                                        uint32_t bins[PADICI_PQ_BINS], padici_pq_threshold *t)
{
    static const uint32_t shift[3] = {21, 10, 0}, width[3] = {11, 11, 10};
    uint64_t above = 0, i;
    uint32_t value = 0, round;
    t->equal = 0;
    for (round = 0; round < 3; round++) {
        const uint32_t low = shift[round], mask = ((uint32_t)1 << width[round]) - 1;
        uint32_t bin = mask;
        memset(bins, 0, PADICI_PQ_BINS * sizeof *bins);
        if (!round) {
            for (i = 0; i < n; i++) bins[order[i] >> 21]++;
        } else {
            for (i = 0; i < n; i++)
                if (order[i] >> (low + width[round]) == value >> (low + width[round]))
                    bins[order[i] >> low & mask]++;
        }
        while (bin && above + bins[bin] < k) above += bins[bin--];
        value |= bin << low;
        t->equal = bins[bin];
    }
    t->value = value;
    t->above = above;
}

PADICI_FN void padici_pq_best(const uint32_t *order, uint64_t n, uint64_t k, padic_pq_tie tie,
                              uint32_t bins[PADICI_PQ_BINS], uint32_t *out)
{
    padici_pq_threshold t;
    uint64_t i, skip, take, found = 0;
    if (!k) return;
    padici_pq_threshold_find(order, n, k, bins, &t);
    take = k - t.above;
    skip = tie == PADIC_PQ_TIE_RECENT ? t.equal - take : 0;
    for (i = 0; i < n && found < k; i++) {
        if (order[i] < t.value) continue;
        if (order[i] == t.value) {
            if (skip) {
                skip--;
                continue;
            }
            if (!take) continue;
            take--;
        }
        out[found++] = (uint32_t)i;
    }
}

// Moves the key at `at` down a heap whose largest is at the top.
static void padici_pq_sift(uint64_t *keys, uint64_t at, uint64_t n)
{
    const uint64_t key = keys[at];
    uint64_t child;
    for (; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && keys[child + 1] > keys[child]) child++;
        if (keys[child] <= key) break;
        keys[at] = keys[child];
    }
    keys[at] = key;
}

PADICI_FN void padici_pq_sort(uint64_t *keys, uint64_t n)
{
    uint64_t i;
    for (i = n / 2; i-- > 0;) padici_pq_sift(keys, i, n);
    for (i = n; i-- > 1;) {
        const uint64_t largest = keys[0];
        keys[0] = keys[i];
        keys[i] = largest;
        padici_pq_sift(keys, 0, i);
    }
}

PADICI_FN void padici_pq_best_first(const uint32_t *order, uint64_t k, padic_pq_tie tie,
                                    uint64_t *keys, uint32_t *out)
{
    const uint32_t turn = tie == PADIC_PQ_TIE_RECENT ? UINT32_MAX : 0;
    uint64_t i;
    for (i = 0; i < k; i++) keys[i] = (uint64_t)~order[i] << 32 | (out[i] ^ turn);
    padici_pq_sort(keys, k);
    for (i = 0; i < k; i++) out[i] = (uint32_t)keys[i] ^ turn;
}

// padic_pq_topk()

PADICI_FN uint32_t padici_pq_topk_operands(void *desc_, padici_operand *operands)
{
    padic_pq_topk_desc *desc = (padic_pq_topk_desc *)desc_;
    const uint32_t n = padici_pq_operand(operands, 0, "scores", &desc->scores, 0);
    return padici_pq_operand(operands, n, "out", &desc->out, 1);
}

// Keys, ordered integers, bins, indices.
static uint64_t padici_pq_topk_each(const padic_pq_topk_desc *desc)
{
    const uint64_t n = desc->scores.shape[1], k = desc->out.shape[1] < n ? desc->out.shape[1] : n;
    return n >> 31 ? 0 : k * 12 + n * 4 + PADICI_PQ_BINS * 4;
}

PADIC_API uint64_t padic_pq_topk_workspace(padic_context *context, const padic_pq_topk_desc *desc)
{
    padici_pq_space space;
    if (!desc || desc->scores.rank != 2 || desc->out.rank != 2) return 0;
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL, desc->scores.shape[0],
                                 padici_pq_topk_each(desc), &space);
}

PADICI_FN padic_result padici_pq_topk_check(padic_context *context, const void *desc_)
{
    const padic_pq_topk_desc *desc = (const padic_pq_topk_desc *)desc_;
    padic_result result;
    if ((uint32_t)desc->tie > PADIC_PQ_TIE_RECENT || (uint32_t)desc->order > PADIC_PQ_ORDER_BEST)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "tie", "or `order` is unknown");
    result = padici_pq_check(context, "scores", &desc->scores, PADIC_F32, 2, UINT64_MAX,
                             UINT64_MAX, 0, 0);
    if (!result)
        result = padici_pq_check(context, "out", &desc->out, PADIC_I32, 2, desc->scores.shape[0],
                                 UINT64_MAX, 0, 0);
    if (!result && desc->scores.shape[1] >> 31)
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "scores",
                                   "has rows of 2^31 or more");
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_topk_workspace(context, desc));
}

typedef struct padici_pq_topk {
    const padic_pq_topk_desc *desc;
    padici_pq_view scores, out;
    padici_pq_space space;
} padici_pq_topk;

static void padici_pq_topk_work(void *work_, uint32_t worker)
{
    const padici_pq_topk *work = (const padici_pq_topk *)work_;
    const padic_pq_topk_desc *desc = work->desc;
    const uint64_t n = desc->scores.shape[1], all = desc->out.shape[1], k = all < n ? all : n;
    uint64_t *keys = (uint64_t *)(void *)(work->space.at + worker * work->space.each);
    uint32_t *bins = (uint32_t *)(void *)(keys + k), *out = bins + PADICI_PQ_BINS, *order = out + k;
    uint64_t row, i;
    for (row = worker; all && row < desc->scores.shape[0]; row += work->space.workers) {
        const char *score = n ? work->scores.at + (int64_t)row * work->scores.step[0] : NULL;
        char *to = work->out.at + (int64_t)row * work->out.step[0];
        for (i = 0; i < n; i++, score += work->scores.step[1])
            order[i] = padici_pq_order(*(const float *)(const void *)score);
        padici_pq_best(order, n, k, desc->tie, bins, out);
        if (desc->order == PADIC_PQ_ORDER_BEST) {
            for (i = 0; i < k; i++) order[i] = order[out[i]]; // out ascends: never overtaken
            padici_pq_best_first(order, k, desc->tie, keys, out);
        }
        for (i = 0; i < all; i++, to += work->out.step[1])
            *(int32_t *)(void *)to = i < k ? (int32_t)out[i] : -1;
    }
}

PADICI_FN padic_result padici_pq_topk_host(const padic_env *env, const void *desc_)
{
    const padic_pq_topk_desc *desc = (const padic_pq_topk_desc *)desc_;
    padici_pq_topk work;
    padic_result result;
    work.desc = desc;
    work.scores = padici_pq_view_of(&desc->scores);
    work.out = padici_pq_view_of(&desc->out);
    result = padici_pq_space_begin(env, &desc->workspace, desc->scores.shape[0],
                                   padici_pq_topk_each(desc), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_topk_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

#endif
