#include "einsum_greedy.h"
#include "../core/philox.h"
#include "einsum_path.h"

#if PADICI_IMPLEMENT_TENSOR

// A path for many operands: greedy, several rounds, all but the first of them random. Slots
// hold what is left.

#define PADICI_TENSOR_EINSUM_APART 1e300 // the score of those that share no label

// e^-x for 0 <= x < 700: (Taylor of e^(-x / 1024))^1024. No libm: paths are D0.
static double padici_tensor_einsum_exp(double x)
{
    const double y = x / 1024;
    double v = 1 - y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4)));
    uint32_t i;
    for (i = 0; i < 10; i++) v *= v;
    return v;
}

static padici_tensor_label_set padici_tensor_einsum_pair(const padici_tensor_einsum *e,
                                                         const padici_tensor_einsum_greedy *g,
                                                         uint32_t i, uint32_t j)
{
    padici_tensor_label_set rest = e->out;
    uint32_t k;
    for (k = 0; k < g->count; k++)
        if (k != i && k != j) rest = padici_tensor_label_set_or(rest, g->set[k]);
    return padici_tensor_label_set_and(padici_tensor_label_set_or(g->set[i], g->set[j]), rest);
}

static void padici_tensor_einsum_rate(const padici_tensor_einsum *e, padici_tensor_einsum_greedy *g,
                                      uint32_t i, uint32_t j)
{
    const padici_tensor_label_set common = padici_tensor_label_set_and(g->set[i], g->set[j]);
    double *score = i > j ? &g->score[i][j] : &g->score[j][i];
    *score = PADICI_TENSOR_EINSUM_APART;
    if (common.w[0] | common.w[1])
        *score = padici_tensor_einsum_volume(e, padici_tensor_einsum_pair(e, g, i, j), NULL) -
                 g->size[i] - g->size[j];
}

// Chooses a pair: the best, or one of the 8 best with the odds e^((best - score) / heat).
static void padici_tensor_einsum_choose(const padici_tensor_einsum_greedy *g, uint32_t round,
                                        uint32_t step, uint32_t *x, uint32_t *y)
{
    const uint32_t most = round ? 8 : 1;
    double low[9], weight[8], heat, sum = 0, dart;
    uint8_t at[9][2];
    uint32_t count = 0, i, j, k, word[4];
    for (i = 1; i < g->count; i++)
        for (j = 0; j < i; j++) {
            const double score = g->score[i][j];
            if (score >= PADICI_TENSOR_EINSUM_APART || (count == most && score >= low[count - 1]))
                continue;
            for (k = count < most ? count++ : most - 1; k > 0 && low[k - 1] > score; k--) {
                low[k] = low[k - 1];
                at[k][0] = at[k - 1][0], at[k][1] = at[k - 1][1];
            }
            low[k] = score;
            at[k][0] = (uint8_t)i, at[k][1] = (uint8_t)j;
        }
    if (!count) { // nothing is connected: the two lightest
        double least = 0;
        for (i = 1; i < g->count; i++)
            for (j = 0; j < i; j++)
                if (!count || g->size[i] * g->size[j] < least) {
                    least = g->size[i] * g->size[j];
                    at[0][0] = (uint8_t)i, at[0][1] = (uint8_t)j;
                    count = 1;
                }
    }
    k = 0;
    if (count > 1) {
        heat = low[0] < 0 ? -low[0] : low[0];
        if (heat < 1) heat = 1;
        for (i = 0; i < count; i++) {
            const double far_off = (low[i] - low[0]) / heat;
            sum += weight[i] = far_off < 700 ? padici_tensor_einsum_exp(far_off) : 0;
        }
        padic_random_block(0, round, step, 0, word);
        dart = padic_random_f64(word[0], word[1]) * sum;
        for (; k + 1 < count && dart >= weight[k]; k++) dart -= weight[k];
    }
    *x = at[k][1], *y = at[k][0];
}

static void padici_tensor_einsum_greedy_once(padici_tensor_einsum *e,
                                             padici_tensor_einsum_greedy *g, uint32_t round,
                                             padic_tensor_path *path)
{
    uint32_t i, j, a, b;
    g->count = e->count;
    for (i = 0; i < e->count; i++) {
        g->set[i] = e->set[i];
        g->size[i] = padici_tensor_einsum_volume(e, e->set[i], NULL);
        g->node[i] = (uint8_t)i;
    }
    for (i = 1; i < e->count; i++)
        for (j = 0; j < i; j++) padici_tensor_einsum_rate(e, g, i, j);
    for (path->steps = 0; g->count > 1; path->steps++) {
        const uint32_t last = g->count - 1;
        padici_tensor_einsum_choose(g, round, path->steps, &a, &b);
        path->left[path->steps] = g->node[a] < g->node[b] ? g->node[a] : g->node[b];
        path->right[path->steps] = g->node[a] < g->node[b] ? g->node[b] : g->node[a];
        g->set[a] = padici_tensor_einsum_pair(e, g, a, b);
        g->size[a] = padici_tensor_einsum_volume(e, g->set[a], NULL);
        g->node[a] = (uint8_t)(e->count + path->steps);
        if (b != last) { // the last one moves to the free slot
            g->set[b] = g->set[last], g->size[b] = g->size[last], g->node[b] = g->node[last];
            for (i = 0; i < last; i++)
                if (i != b) *(i > b ? &g->score[i][b] : &g->score[b][i]) = g->score[last][i];
        }
        g->count--;
        for (i = 0; i < g->count; i++)
            if (i != a) padici_tensor_einsum_rate(e, g, a, i);
    }
    padici_tensor_einsum_reorder(e, path);
}

PADICI_FN void padici_tensor_einsum_greedy_all(padici_tensor_einsum *e,
                                               padici_tensor_einsum_greedy *g,
                                               padic_tensor_path *path)
{
    padic_tensor_path now = *path;
    padici_tensor_einsum_cost cost, least;
    uint32_t round;
    memset(&least, 0, sizeof least);
    for (round = 0; round <= 32; round++) {
        padici_tensor_einsum_greedy_once(e, g, round, &now);
        padici_tensor_einsum_measure(e, &now, &cost);
        if (round && (cost.score > least.score ||
                      (cost.score >= least.score && cost.tie >= least.tie)))
            continue;
        least = cost;
        *path = now;
    }
}

#undef PADICI_TENSOR_EINSUM_APART

#endif
