#include "einsum_steps.h"
#include "../context/messages.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_TENSOR

// Does the steps of a path: each is a contraction of two views, for each slice.

// Labels of results in memory, slowest first: those that stay longest, so that what one step sums
// over, and what goes on together, lies together and joins to one axis.
static void padici_tensor_einsum_sort(padici_tensor_einsum *e, uint32_t steps)
{
    const int64_t *out = e->step[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t i, j;
    e->ordered = 0;
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) {
        if (e->extent[i] < 2) continue;
        if (padici_tensor_label_set_has(&e->out, i)) e->vanish[i] = (uint8_t)(steps + 1);
        for (j = e->ordered++; j > 0; j--) {
            const uint8_t before = e->order[j - 1];
            if (e->vanish[before] > e->vanish[i] ||
                (e->vanish[before] == e->vanish[i] && out[before] >= out[i]))
                break;
            e->order[j] = before;
        }
        e->order[j] = (uint8_t)i;
    }
}

// The steps of a node along its labels, in e->row[k].
static void padici_tensor_einsum_row(padici_tensor_einsum *e, uint32_t k, uint32_t node, int last)
{
    int64_t step = 1;
    uint32_t i;
    if (last || node < e->count) {
        memcpy(e->row[k], e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node], sizeof e->row[k]);
        return;
    }
    memset(e->row[k], 0, sizeof e->row[k]);
    for (i = e->ordered; i-- > 0;) {
        const uint32_t label = e->order[i];
        if (!padici_tensor_label_set_has(&e->set[node], label)) continue;
        e->row[k][label] = step;
        step *= (int64_t)e->extent[label];
    }
}

// Whether axis y goes on where x ends: x is joined to it.
static int padici_tensor_einsum_join(padici_tensor_einsum_axis *x,
                                     const padici_tensor_einsum_axis *y)
{
    uint32_t k;
    if (x->has != y->has) return 0;
    for (k = 0; k < 3; k++) // y is the inner one; sizes are 2 at least
        if (x->step[k] % (int64_t)y->size || x->step[k] / (int64_t)y->size != y->step[k]) return 0;
    x->size *= y->size;
    for (k = 0; k < 3; k++) x->step[k] = y->step[k];
    return 1;
}

// The axes of a step: its labels, joined where they can be.
static void padici_tensor_einsum_axes_make(padici_tensor_einsum *e, const uint32_t node[3],
                                           int last)
{
    uint32_t i, j, k;
    e->axes = 0;
    for (i = 0; i < e->ordered; i++) {
        const uint32_t label = e->order[i];
        padici_tensor_einsum_axis *axis = &e->axis[e->axes];
        axis->has = axis->loop = 0;
        axis->size = e->extent[label];
        axis->digit = 0;
        for (k = 0; k < 3; k++) {
            if (node[k] == PADIC_TENSOR_NO_OPERAND) {
                axis->step[k] = 0;
                continue;
            }
            axis->step[k] = e->row[k][label];
            if (padici_tensor_label_set_has(k == 2 && last ? &e->out : &e->set[node[k]], label))
                axis->has |= 1u << k;
        }
        e->axes += axis->has != 0;
    }
    for (i = 0; i < e->axes; i++)
        for (j = 0; j < e->axes; j++)
            if (i != j && padici_tensor_einsum_join(&e->axis[i], &e->axis[j])) {
                e->axis[j] = e->axis[--e->axes];
                if (i == e->axes) i = j; // it was the last one and has moved
                j = UINT32_MAX;          // from the begin again
            }
}

// Until no tensor has more than 8 axes, the shortest of them becomes a loop around the calls. A
// tensor that does not move along any takes an axis of 1, since strides all 0 mean dense.
static void padici_tensor_einsum_loops(padici_tensor_einsum *e)
{
    for (;;) {
        uint32_t count[3] = {0, 0, 0}, moves = 4, i, k, over = 0, chosen = PADIC_TENSOR_NO_OPERAND;
        for (i = 0; i < e->axes; i++)
            for (k = 0; k < 3 && !e->axis[i].loop; k++) {
                count[k] += e->axis[i].has >> k & 1;
                if (e->axis[i].step[k]) moves |= 1u << k;
            }
        for (k = 0; k < 3; k++)
            if (count[k] + (moves >> k & 1 ? 0u : 1u) > PADIC_MAX_RANK) over |= 1u << k;
        if (!over) return;
        for (i = 0; i < e->axes; i++)
            if (!e->axis[i].loop && (e->axis[i].has & over) &&
                (chosen == PADIC_TENSOR_NO_OPERAND || e->axis[i].size < e->axis[chosen].size))
                chosen = i;
        e->axis[chosen].loop = 1;
    }
}

// The view of tensor k in a call: the axes that are no loops, from element `at` on.
static PADICI_NOINLINE void padici_tensor_einsum_view(const padici_tensor_einsum *e, uint32_t k,
                                                      const padic_tensor *base, int64_t at,
                                                      padic_tensor *view, uint8_t *labels)
{
    uint32_t i, moves = 0;
    memset(view, 0, sizeof *view);
    memset(labels, 0, PADIC_MAX_RANK);
    view->dtype = base->dtype;
    view->buffer = base->buffer;
    view->data = base->data;
    view->offset = base->offset;
    if (view->data)
        view->data = (char *)view->data + at * (int64_t)padic_dtype_size(view->dtype);
    else
        view->offset += (uint64_t)at;
    for (i = 0; i < e->axes; i++) {
        if (e->axis[i].loop || !(e->axis[i].has >> k & 1)) continue;
        labels[view->rank] = (uint8_t)(i + 1);
        view->shape[view->rank] = e->axis[i].size;
        view->stride[view->rank++] = e->axis[i].step[k];
        moves |= e->axis[i].step[k] != 0;
    }
    if (!view->rank || moves) return;
    labels[view->rank] = (uint8_t)(200 + k);
    view->shape[view->rank] = 1;
    view->stride[view->rank++] = 1;
}

// A node as a tensor of any shape: an operand, the result or a part of the workspace.
static void padici_tensor_einsum_base(const padici_tensor_einsum *e, const padic_tensor *workspace,
                                      uint32_t node, int last, padic_tensor *base)
{
    static const double one = 1;
    static const float single = 1;
    const uint32_t paired = node == PADIC_TENSOR_NO_OPERAND ? 0u : e->paired[node];
    uint64_t at;
    if (last || node < e->count) {
        *base = last ? e->desc->out.tensor : e->desc->operands[node].tensor;
        return;
    }
    memset(base, 0, sizeof *base);
    base->dtype = e->unit == 8 ? (paired ? PADIC_C128 : PADIC_F64) : paired ? PADIC_C64 : PADIC_F32;
    if (node == PADIC_TENSOR_NO_OPERAND) {
        base->data = (void *)(uintptr_t)(e->unit == 8 ? (const void *)&one : (const void *)&single);
        return;
    }
    at = e->place[node];
    base->buffer = workspace->buffer;
    if (workspace->data)
        base->data = (char *)workspace->data + at;
    else
        base->offset = (workspace->offset + at) / padic_dtype_size(base->dtype);
}

// Where an operand, or the result, stands in this slice.
static int64_t padici_tensor_einsum_offset(const padici_tensor_einsum *e,
                                           const padic_tensor_path *path, uint32_t node, int last)
{
    const int64_t *steps;
    int64_t at = 0;
    uint32_t i;
    if (!last && node >= e->count) return 0;
    steps = e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node];
    for (i = 0; i < path->slice_count; i++)
        at += (int64_t)e->digit[i] * steps[path->slice[i]];
    return at;
}

static padic_result padici_tensor_einsum_step(padici_tensor_einsum *e, padic_context *context,
                                              const padic_tensor_path *path, uint32_t s,
                                              const padic_tensor *workspace, int more)
{
    const int last = s + 1 == path->steps;
    const uint32_t node[3] = {path->left[s], path->right[s], e->count + s};
    padic_tensor_contract_desc call;
    padic_tensor base[3];
    int64_t at[3];
    padic_result result;
    uint32_t i, k;
    memset(&call, 0, sizeof call);
    call.math = e->desc->math;
    for (k = 0; k < 3; k++) {
        const int out = k == 2 && last;
        if (node[k] != PADIC_TENSOR_NO_OPERAND) padici_tensor_einsum_row(e, k, node[k], out);
        padici_tensor_einsum_base(e, workspace, node[k], out, &base[k]);
        at[k] = padici_tensor_einsum_offset(e, path, node[k], out);
        if (k < 2 && node[k] < e->count && e->paired[node[k]] && e->desc->operands[node[k]].conj)
            call.conj |= 1u << k;
    }
    padici_tensor_einsum_axes_make(e, node, last);
    padici_tensor_einsum_loops(e);
    do {
        int again = more && last; // something has been written there
        for (i = 0; i < e->axes; i++)
            again |= e->axis[i].digit && !(e->axis[i].has & 4);
        call.beta[0] = again;
        padici_tensor_einsum_view(e, 0, &base[0], at[0], &call.a, call.labels_a);
        padici_tensor_einsum_view(e, 1, &base[1], at[1], &call.b, call.labels_b);
        padici_tensor_einsum_view(e, 2, &base[2], at[2], &call.c, call.labels_c);
        result = padic_tensor_contract(context, &call);
        for (i = 0; i < e->axes; i++) { // the loops go on
            padici_tensor_einsum_axis *axis = &e->axis[i];
            if (!axis->loop) continue;
            axis->digit++;
            for (k = 0; k < 3; k++) at[k] += axis->step[k];
            if (axis->digit < axis->size) break;
            for (k = 0; k < 3; k++) at[k] -= (int64_t)axis->size * axis->step[k];
            axis->digit = 0;
        }
    } while (!result && i < e->axes);
    return result;
}

// All slices. Of what a result's element is the sum of, the first slice writes, later ones add.
PADICI_FN padic_result padici_tensor_einsum_run(padici_tensor_einsum *e, padic_context *context,
                                                const padic_tensor_path *path,
                                                const padic_tensor *workspace)
{
    padici_steps steps;
    padic_result result = PADIC_OK;
    uint32_t s, i;
    padici_steps_begin(&steps, NULL, padici_progress(context), path->slices * path->steps);
    padici_tensor_einsum_sort(e, path->steps);
    memset(e->digit, 0, sizeof e->digit);
    do {
        int more = 0;
        for (i = 0; i < path->slice_count; i++)
            more |= e->digit[i] && !padici_tensor_label_set_has(&e->out, path->slice[i]);
        for (s = 0; s < path->steps && !result; s++) {
            result = padici_tensor_einsum_step(e, context, path, s, workspace, more);
            if (!result && padici_steps_more(&steps, 1))
                result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it midway");
        }
        for (i = 0; i < path->slice_count; i++) {
            if (++e->digit[i] < e->size[path->slice[i]]) break;
            e->digit[i] = 0;
        }
    } while (!result && i < path->slice_count);
    return result;
}

#endif
