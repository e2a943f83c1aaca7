#include "reduction.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "array.h"
#include "element.h"
#include "few.h"
#include "task.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

PADICI_FN void padici_num_reduce_merge(const padic_num_call *call, padici_num_reduction *f,
                                       uint64_t *temp)
{
    padici_num_cell *a = &f->level[f->depth - 2], *b = &f->level[f->depth - 1], x;
    x.u = temp;
    x.v = 0;
    x.n = call->ring->precision;
    x.bits = 0;
    padici_num_cell_sum(call, &x, a, b, 0, temp + call->ring->words);
    padici_num_cell_limit(&x);
    if (x.v != PADIC_NUM_NAN) x.bits |= a->bits | b->bits;
    padici_num_cell_copy(call->ring, a, &x);
    f->depth--;
}

PADICI_FN void padici_num_reduce_push(const padic_num_call *call, padici_num_reduction *f,
                                  const padici_num_cell *x, uint64_t *temp)
{
    uint64_t n = ++f->count;
    padici_num_cell_copy(call->ring, &f->level[f->depth++], x);
    for (; !(n & 1); n >>= 1) padici_num_reduce_merge(call, f, temp);
}

// Elements first to end - 1 (at most 4,096) of a, or of a b: 32 lanes, then pairwise.
PADICI_FN void padici_num_reduce_chunk(const padic_num_call *call, uint64_t first, uint64_t end,
                                   padici_num_reduction *f, padici_num_cell *x, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t lane, i;
    padici_num_cell a, b, sum;
    a.u = temp;
    b.u = temp + r->words;
    sum.u = temp + 2 * r->words;
    f->count = f->depth = 0;
    for (lane = first; lane < end && lane < first + 32; lane++) {
        for (i = lane; i < end; i += 32) {
            padici_num_cell_load(call, &call->a, i, &a);
            if (call->b.unit) {
                padici_num_cell_load(call, &call->b, i, &b);
                sum.v = 0;
                sum.n = r->precision;
                sum.bits = 0;
                padici_num_cell_mul(call, &sum, &a, &b);
                padici_num_cell_limit(&sum);
                padici_num_cell_copy(r, &a, &sum);
            }
            if (i == lane) {
                padici_num_cell_copy(r, x, &a);
            } else {
                sum.v = 0;
                sum.n = r->precision;
                sum.bits = 0;
                padici_num_cell_sum(call, &sum, x, &a, 0, temp + 3 * r->words);
                if (sum.v != PADIC_NUM_NAN) sum.bits |= x->bits | a.bits;
                padici_num_cell_copy(r, x, &sum);
            }
        }
        padici_num_reduce_push(call, f, x, temp);
    }
    while (f->depth > 1) padici_num_reduce_merge(call, f, temp);
    padici_num_cell_copy(r, x, &f->level[0]);
}

// c, one element, becomes the sum of a, or of a b. `temp` holds the residues of a fold, then
// scratch of the sums.
static void padici_num_reduce_loop(padic_num_call *call)
{
    enum { CHUNK = 4096, LEVELS = 38, LANES = 7 };
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], first, i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    uint64_t *const temp = words + (1 + LEVELS + LANES) * r->words;
    padici_num_reduction chunks, lanes;
    padici_num_cell x;
    for (i = 0; i < LEVELS; i++) chunks.level[i].u = words + (1 + i) * r->words;
    for (i = 0; i < LANES; i++) lanes.level[i].u = words + (1 + LEVELS + i) * r->words;
    chunks.count = chunks.depth = 0;
    x.u = words;
    memset(x.u, 0, r->words * sizeof *x.u);
    x.v = call->model == PADIC_NUM_RING ? 0 : PADIC_NUM_ZERO;
    x.n = x.bits = 0;
    if (call->model == PADIC_NUM_RING && r->form < PADIC_NUM_W128) { // in any order
        uint64_t sum = 0;
        for (i = 0; i < call->count; i++) {
            uint64_t y = padici_num_word(r, call->a.unit, call->a.scalar ? 0 : i);
            if (call->b.unit)
                y = padici_num_mul1(r, r->form, y,
                                padici_num_word(r, call->b.unit, call->b.scalar ? 0 : i));
            sum = padici_num_add1(r, r->form, sum, y);
        }
        x.u[0] = sum;
    } else if (call->count) {
        for (first = 0; first < call->count; first += CHUNK) {
            const uint64_t end = call->count - first < CHUNK ? call->count : first + CHUNK;
            padici_num_reduce_chunk(call, first, end, &lanes, &x, temp);
            padici_num_reduce_push(call, &chunks, &x, temp);
        }
        while (chunks.depth > 1) padici_num_reduce_merge(call, &chunks, temp);
        padici_num_cell_copy(r, &x, &chunks.level[0]);
    }
    call->out = call->c;
    padici_num_cell_store(call, 0, &x);
}

static padic_result padici_num_reduce(padic_context *context, const char *name, uint32_t kernel,
                                      const padic_num_array *out, const padic_num_array *a,
                                      const padic_num_array *b)
{
    padici_num_task task;
    if (padici_num_few(context, kernel, kernel, out, a, b)) return PADIC_OK;
    padici_num_task_begin(&task, name, kernel, padici_num_reduce_loop, NULL, a, b, out);
    task.field[3] = "out";
    task.c_count = 1;
    task.c_out = 1;
    if (out && out->count != 1)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, name, "out.count must be 1");
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_sum(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    if (!out || !a)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_sum",
                              !out ? "out is NULL" : "a is NULL");
    return padici_num_reduce(context, "num_sum", PADIC_OP_NUM_SUM, out, a, NULL);
}

PADIC_API padic_result padic_num_dot(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    if (!out || !a || !b)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_dot",
                              !out ? "out is NULL" : !a ? "a is NULL" : "b is NULL");
    if (a->count != b->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_dot",
                              "a.count and b.count differ");
    return padici_num_reduce(context, "num_dot", PADIC_OP_NUM_DOT, out, a, b);
}

#endif
