#include "einsum_path.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_TENSOR

// Paths: what one costs and where its results lie, whether it is valid, and the order of its steps.

static uint64_t padici_tensor_einsum_plus(uint64_t a, uint64_t b) // or the most there is
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

PADICI_FN uint64_t padici_tensor_einsum_bytes(double elements, uint64_t exact, uint32_t size)
{
    if (elements >= 144115188075855872.0) return UINT64_MAX; // 2^57
    return (exact * size + 63) / 64 * 64;
}

// The lowest place for a node among the live ones.
static uint64_t padici_tensor_einsum_find_place(const padici_tensor_einsum *e, uint32_t node,
                                                uint32_t nodes)
{
    uint64_t place = 0;
    uint32_t i;
    for (i = e->count; i < nodes; i++)
        if (e->live[i] && place < e->place[i] + e->bytes[i] &&
            e->place[i] < place + e->bytes[node]) {
            place = e->place[i] + e->bytes[i];
            i = e->count - 1;
        }
    return place;
}

// The set of a step's result: what the result of all or an operand not yet used has.
static padici_tensor_label_set padici_tensor_einsum_result(const padici_tensor_einsum *e,
                                                           uint32_t node, uint32_t a, uint32_t b,
                                                           padici_tensor_label_set *all)
{
    padici_tensor_label_set rest = e->out;
    uint32_t i;
    *all = b == PADIC_TENSOR_NO_OPERAND ? e->set[a]
                                        : padici_tensor_label_set_or(e->set[a], e->set[b]);
    for (i = 0; i < node; i++)
        if (e->live[i] && i != a && i != b) rest = padici_tensor_label_set_or(rest, e->set[i]);
    return padici_tensor_label_set_and(*all, rest);
}

// Walks through a valid path: sets, sizes and places of its results, and its cost for one slice.
PADICI_FN void padici_tensor_einsum_measure(padici_tensor_einsum *e, const padic_tensor_path *path,
                                            padici_tensor_einsum_cost *cost)
{
    uint64_t live = 0, exact;
    uint32_t s;
    memset(cost, 0, sizeof *cost);
    memset(e->vanish, 0, sizeof e->vanish);
    memset(e->live, 1, e->count);
    for (s = 0; s < path->steps; s++) {
        const uint32_t a = path->left[s], b = path->right[s], node = e->count + s;
        const int paired = e->paired[a] || (b != PADIC_TENSOR_NO_OPERAND && e->paired[b]);
        padici_tensor_label_set all, gone;
        double volume;
        e->set[node] = padici_tensor_einsum_result(e, node, a, b, &all);
        e->paired[node] = (uint8_t)paired;
        gone.w[0] = all.w[0] & ~e->set[node].w[0];
        gone.w[1] = all.w[1] & ~e->set[node].w[1];
        for (; gone.w[0]; gone.w[0] &= gone.w[0] - 1)
            e->vanish[padici_ctz64(gone.w[0])] = (uint8_t)(s + 1);
        for (; gone.w[1]; gone.w[1] &= gone.w[1] - 1)
            e->vanish[64 + padici_ctz64(gone.w[1])] = (uint8_t)(s + 1);
        volume = padici_tensor_einsum_volume(e, all, &exact);
        cost->flops += volume * (paired ? 8 : 2);
        if (!padici_mul_u64(exact, paired ? 8 : 2, &exact)) exact = UINT64_MAX;
        cost->whole_flops = padici_tensor_einsum_plus(cost->whole_flops, exact);
        volume = padici_tensor_einsum_volume(e, e->set[node], &exact);
        cost->writes += volume;
        cost->whole_writes = padici_tensor_einsum_plus(cost->whole_writes, exact);
        e->bytes[node] = 0; // the last one is the result
        if (s + 1 < path->steps)
            e->bytes[node] =
                padici_tensor_einsum_bytes(volume, exact, paired ? 2 * e->unit : e->unit);
        if (e->bytes[node] > cost->widest) cost->widest = e->bytes[node];
        live = padici_tensor_einsum_plus(live, e->bytes[node]);
        if (live > cost->peak) cost->peak = live;
        if (cost->peak >> 62) { // places would not fit
            cost->workspace = UINT64_MAX;
            e->place[node] = 0;
        } else {
            e->place[node] = padici_tensor_einsum_find_place(e, node, node);
            if (e->place[node] + e->bytes[node] > cost->workspace)
                cost->workspace = e->place[node] + e->bytes[node];
            live -= (a < e->count ? 0 : e->bytes[a]) +
                    (b == PADIC_TENSOR_NO_OPERAND || b < e->count ? 0 : e->bytes[b]);
        }
        e->live[node] = 1;
        e->live[a] = 0;
        if (b != PADIC_TENSOR_NO_OPERAND) e->live[b] = 0;
    }
    cost->score = e->desc->objective == PADIC_TENSOR_OBJECTIVE_PEAK     ? (double)cost->peak
                  : e->desc->objective == PADIC_TENSOR_OBJECTIVE_WRITES
                      ? cost->flops + 64 * cost->writes
                                                              : cost->flops;
    cost->tie = e->desc->objective == PADIC_TENSOR_OBJECTIVE_PEAK ? cost->flops : 0;
}

PADICI_FN int padici_tensor_einsum_path_valid(const padici_tensor_einsum *e,
                                              const padic_tensor_path *path)
{
    uint8_t used[PADICI_TENSOR_EINSUM_NODES];
    uint32_t s;
    memset(used, 0, sizeof used);
    if (e->count == 1)
        return path->steps == 1 && path->left[0] == 0 && path->right[0] == PADIC_TENSOR_NO_OPERAND;
    if (path->steps != e->count - 1) return 0;
    for (s = 0; s < path->steps; s++) {
        const uint32_t a = path->left[s], b = path->right[s];
        if (a >= e->count + s || b >= e->count + s || a == b || used[a] || used[b]) return 0;
        used[a] = used[b] = 1;
    }
    return 1;
}

// Orders the steps of a tree depth first, at each the operand that leaves more memory at its peak
// before the other: fewer results wait. Which are left and right stays.
PADICI_FN void padici_tensor_einsum_reorder(padici_tensor_einsum *e, padic_tensor_path *path)
{
    padici_tensor_einsum_cost cost;
    uint64_t need[PADICI_TENSOR_EINSUM_NODES];
    uint8_t stack[PADICI_TENSOR_EINSUM_NODES], seen[PADICI_TENSOR_EINSUM_NODES],
        name[PADICI_TENSOR_EINSUM_NODES];
    uint8_t left[PADIC_TENSOR_MAX_OPERANDS], right[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t s, top = 0, done = 0;
    if (e->count < 3) return;
    padici_tensor_einsum_measure(e, path, &cost);
    memset(need, 0, sizeof need);
    memset(seen, 0, sizeof seen);
    for (s = 0; s < e->count; s++) e->bytes[s] = 0, name[s] = (uint8_t)s;
    for (s = 0; s < path->steps; s++) {
        uint32_t a = path->left[s], b = path->right[s];
        const uint64_t both = padici_tensor_einsum_plus(e->bytes[a], e->bytes[b]);
        const uint64_t ab = padici_tensor_einsum_plus(e->bytes[a], need[b]);
        const uint64_t ba = padici_tensor_einsum_plus(e->bytes[b], need[a]);
        const uint64_t first = ab > need[a] ? ab : need[a], second = ba > need[b] ? ba : need[b];
        const uint64_t least = first < second ? first : second;
        const uint64_t here = padici_tensor_einsum_plus(both, e->bytes[e->count + s]);
        need[e->count + s] = least > here ? least : here;
        seen[e->count + s] = second < first ? 2 : 0; // 2: right first
    }
    stack[top++] = (uint8_t)(e->count + path->steps - 1);
    while (top) { // bit 0 of seen: its operands have been pushed
        const uint32_t node = stack[top - 1];
        uint32_t a, b;
        if (node < e->count) {
            top--;
            continue;
        }
        s = node - e->count;
        a = path->left[s], b = path->right[s];
        if (!(seen[node] & 1)) {
            stack[top++] = (uint8_t)(seen[node] & 2 ? a : b);
            stack[top++] = (uint8_t)(seen[node] & 2 ? b : a);
            seen[node] |= 1;
            continue;
        }
        left[done] = name[a], right[done] = name[b];
        name[node] = (uint8_t)(e->count + done++);
        top--;
    }
    memcpy(path->left, left, done);
    memcpy(path->right, right, done);
}

#endif
