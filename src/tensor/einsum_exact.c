#include "einsum_exact.h"
#include "einsum_path.h"

#if PADICI_IMPLEMENT_TENSOR

// The best path for few operands. All orders: the best for each connected set of operands, from
// those for its two parts.

// The score of contracting x with y, if it is below that of `best`.
static void padici_tensor_einsum_try(const padici_tensor_einsum *e, padici_tensor_einsum_best *best,
                                     const padici_tensor_einsum_best *x,
                                     const padici_tensor_einsum_best *y, uint32_t left)
{
    // Less by what rounding may add: whatever passes is computed exactly.
    const double least = x->root * y->root * best->root * (best->paired ? 8 : 2) * (1 - 1e-12);
    double score, tie = 0, flops, low;
    if (e->desc->objective == PADIC_TENSOR_OBJECTIVE_PEAK) {
        const double xy = x->score > x->bytes + y->score ? x->score : x->bytes + y->score;
        const double yx = y->score > y->bytes + x->score ? y->score : y->bytes + x->score;
        score = xy < yx ? xy : yx;
        if (score < x->bytes + y->bytes + best->bytes) score = x->bytes + y->bytes + best->bytes;
        low = x->tie + y->tie;
        if (best->left &&
            (score > best->score || (score >= best->score && low + least >= best->tie)))
            return;
    } else {
        score = low = x->score + y->score;
        if (best->left && score + least >= best->score) return;
    }
    flops = padici_tensor_einsum_volume(e, padici_tensor_label_set_or(x->keep, y->keep), NULL) *
            (best->paired ? 8 : 2);
    if (e->desc->objective == PADIC_TENSOR_OBJECTIVE_PEAK) {
        tie = low + flops;
        if (best->left && score >= best->score && tie >= best->tie) return;
    } else {
        score += flops;
        if (e->desc->objective == PADIC_TENSOR_OBJECTIVE_WRITES)
            score += 64 * padici_tensor_einsum_volume(e, best->keep, NULL);
        if (best->left && score >= best->score) return;
    }
    best->score = score;
    best->tie = tie;
    best->left = (uint16_t)left;
}

// The labels that the comment of `root` names, none when something is empty.
static padici_tensor_label_set padici_tensor_einsum_plain(const padici_tensor_einsum *e)
{
    padici_tensor_label_set once = {{0, 0}}, twice = {{0, 0}}, more = {{0, 0}}, empty = {{0, 0}};
    uint32_t i;
    for (i = 0; i < e->count; i++) {
        const padici_tensor_label_set s = e->set[i];
        more = padici_tensor_label_set_or(more, padici_tensor_label_set_and(twice, s));
        twice = padici_tensor_label_set_or(twice, padici_tensor_label_set_and(once, s));
        once = padici_tensor_label_set_or(once, s);
    }
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++)
        if (padici_tensor_label_set_has(&once, i) && !e->extent[i]) return empty;
    for (i = 0; i < 2; i++)
        once.w[i] = (twice.w[i] & ~more.w[i] & ~e->out.w[i]) |
                    (once.w[i] & ~twice.w[i] & e->out.w[i]);
    return once;
}

static void padici_tensor_einsum_best_begin(const padici_tensor_einsum *e,
                                            padici_tensor_einsum_best *best, uint32_t full)
{
    const padici_tensor_label_set plain = padici_tensor_einsum_plain(e);
    uint32_t s, i, j;
    memset(best, 0, (size_t)(full + 1) * sizeof *best);
    for (i = 0; i < e->count; i++) {
        padici_tensor_einsum_best *one = &best[1u << i];
        one->left = (uint16_t)(1u << i);
        one->set = e->set[i];
        one->paired = e->paired[i];
        for (j = 0; j < e->count; j++) {
            const padici_tensor_label_set common =
                padici_tensor_label_set_and(e->set[i], e->set[j]);
            if (i != j && (common.w[0] | common.w[1])) one->beside |= (uint16_t)(1u << j);
        }
    }
    for (s = 1; s <= full; s++) {
        const uint32_t low = s & (0 - s);
        if (s == low) continue;
        best[s].set = padici_tensor_label_set_or(best[low].set, best[s ^ low].set);
        best[s].beside = (uint16_t)(best[low].beside | best[s ^ low].beside);
        best[s].paired = (uint8_t)(best[low].paired | best[s ^ low].paired);
    }
    for (s = 1; s <= full; s++) {
        uint64_t exact;
        if (!(s & (s - 1))) {
            best[s].keep = best[s].set;
            best[s].root = sqrt(padici_tensor_einsum_volume(
                e, padici_tensor_label_set_and(best[s].set, plain), NULL));
            continue;
        }
        best[s].keep = padici_tensor_label_set_and(
            best[s].set, padici_tensor_label_set_or(e->out, best[full ^ s].set));
        best[s].root = sqrt(
            padici_tensor_einsum_volume(e, padici_tensor_label_set_and(best[s].keep, plain), NULL));
        best[s].bytes = padici_tensor_einsum_volume(e, best[s].keep, &exact);
        best[s].bytes = (double)padici_tensor_einsum_bytes(best[s].bytes, exact,
                                                           best[s].paired ? 2 * e->unit : e->unit);
        if (s == full) best[s].bytes = 0;
    }
}

// The steps of the best tree for the operands in `set`, their order reversed.
static uint32_t padici_tensor_einsum_unfold(const padici_tensor_einsum_best *best, uint32_t set,
                                            uint16_t *parts, uint32_t count)
{
    uint16_t stack[PADICI_TENSOR_EINSUM_EXACT + 1];
    uint32_t top = 0;
    stack[top++] = (uint16_t)set;
    while (top) {
        const uint32_t s = stack[--top], left = best[s].left;
        if (s == left) continue;
        parts[count++] = (uint16_t)s;
        stack[top++] = (uint16_t)left;
        stack[top++] = (uint16_t)(s ^ left);
    }
    return count;
}

PADICI_FN void padici_tensor_einsum_exact(padici_tensor_einsum *e, padici_tensor_einsum_best *best,
                                          padic_tensor_path *path)
{
    const uint32_t full = (1u << e->count) - 1;
    uint16_t parts[PADICI_TENSOR_EINSUM_EXACT], whole[PADICI_TENSOR_EINSUM_EXACT];
    uint32_t s, sub, count = 0, wholes = 0, i, j, left = full;
    padici_tensor_einsum_best_begin(e, best, full);
    for (s = 1; s <= full; s++) {
        const uint32_t low = s & (0 - s), rest = s ^ low;
        if (!rest) continue;
        for (sub = (rest - 1) & rest;; sub = (sub - 1) & rest) { // the part with the lowest operand
            const uint32_t x = sub | low, y = s ^ x;
            if (best[x].left && best[y].left && (best[x].beside & y))
                padici_tensor_einsum_try(e, &best[s], &best[x], &best[y], x);
            if (!sub) break;
        }
    }
    while (left) { // parts that share no label
        uint32_t now = left & (0 - left), next = now;
        do {
            now = next;
            for (i = 0, next = now; i < e->count; i++)
                if (now >> i & 1) next |= best[1u << i].beside;
        } while (next != now);
        whole[wholes++] = (uint16_t)now;
        count = padici_tensor_einsum_unfold(best, now, parts, count);
        left &= ~now;
    }
    for (i = 0; i < e->count; i++) best[1u << i].node = (uint8_t)i;
    path->steps = 0;
    for (j = count; j-- > 0; path->steps++) {
        path->left[path->steps] = best[best[parts[j]].left].node;
        path->right[path->steps] = best[parts[j] ^ best[parts[j]].left].node;
        best[parts[j]].node = (uint8_t)(e->count + path->steps);
    }
    for (; wholes > 1; path->steps++) { // outer products, the two lightest first
        uint32_t a = 0, b = 1;
        for (i = 0; i < wholes; i++)
            for (j = 0; j < i; j++)
                if (best[whole[i]].bytes + best[whole[j]].bytes <
                    best[whole[a]].bytes + best[whole[b]].bytes)
                    a = j, b = i;
        path->left[path->steps] = best[whole[a]].node;
        path->right[path->steps] = best[whole[b]].node;
        whole[a] = (uint16_t)(whole[a] | whole[b]);
        best[whole[a]].node = (uint8_t)(e->count + path->steps);
        whole[b] = whole[--wholes];
    }
    padici_tensor_einsum_reorder(e, path);
}

#endif
