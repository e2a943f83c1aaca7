#include "tasks.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/words.h"
#include "../num/ring.h"

#if PADICI_IMPLEMENT_SPARSE

// Calls on matrices, wherever their planes lie

PADICI_VIEW_TASK(sparse_count)
PADICI_VIEW_TASK(sparse_encode)
PADICI_VIEW_TASK(sparse_encode_batch)
PADICI_VIEW_TASK(sparse_decode)
PADICI_VIEW_TASK(sparse_validate)
PADICI_VIEW_TASK(sparse_col)
PADICI_VIEW_TASK(sparse_product)
PADICI_VIEW_TASK(sparse_transpose)
PADICI_VIEW_TASK(sparse_add)
PADICI_VIEW_TASK(sparse_scale)
PADICI_VIEW_TASK(sparse_write)
PADICI_VIEW_TASK(sparse_read)
PADICI_VIEW_TASK(sparse_from_num)
PADICI_VIEW_TASK(sparse_to_num)

static padic_result padici_sparse_task_host(padici_view_task *task)
{
    padici_sparse_task *t = (padici_sparse_task *)(void *)task;
    const padic_result result = (*t->work)(t);
    padici_sparse m;
    if (t->makes && (!result || result == PADIC_ERROR_DOMAIN) && !padici_sparse_head(&t->out, &m))
        memcpy(t->written, m.bytes, sizeof t->written);
    return result ? padici_sparse_end(task->context, t->name, result) : PADIC_OK;
}

PADICI_FN void padici_sparse_task_begin(padici_sparse_task *t, padic_context *context,
                                        const char *name,
                                        padic_result (*work)(padici_sparse_task *t))
{
    padici_view_task_begin(&t->task, context, NULL, padici_sparse_task_host);
    t->name = name;
    t->work = work;
    t->makes = 0;
}

static void padici_sparse_add_planes(padici_sparse_task *t, padic_sparse_csr *csr, uint8_t out)
{
    static const char *const name[4] = {"row_ptr", "col", "value", "val"};
    uint32_t i;
    for (i = 0; i < 4; i++) {
        // _place gives an address to valuations that there are none of
        const int there = i < 3 || (csr->val.dtype && (csr->val_of || out));
        padici_task_view *view = padici_view_add(
            &t->task, name[i], there ? padici_sparse_tensor(csr, i) : NULL, out);
        if (out) view->written = &t->written[i];
    }
}

// The copy of a matrix that is read; NULL for none.
PADICI_FN const padic_sparse_csr *padici_sparse_reads(padici_sparse_task *t, padic_sparse_csr *copy,
                                                      const padic_sparse_csr *csr)
{
    if (!csr) return NULL;
    *copy = *csr;
    padici_sparse_add_planes(t, copy, 0);
    return copy;
}

// The copy of the matrix that is made.
PADICI_FN padic_sparse_csr *padici_sparse_makes(padici_sparse_task *t, const padic_sparse_csr *out)
{
    if (!out) return NULL;
    t->out = *out;
    t->makes = 1;
    memset(t->written, 0, sizeof t->written);
    padici_sparse_add_planes(t, &t->out, 1);
    return &t->out;
}

static void padici_sparse_add_plane(padici_sparse_task *t, const char *field,
                                    padic_num_plane *plane, uint64_t count, uint8_t out)
{
    const uint64_t size = padic_dtype_size(plane->dtype);
    uint64_t at, bytes;
    if (!padici_mul_u64(plane->offset, size, &at)) at = UINT64_MAX;
    if (!padici_mul_u64(count, size, &bytes)) bytes = UINT64_MAX;
    padici_view_add_plane(&t->task, field, &plane->data, plane->buffer, at, bytes, out);
}

// The planes of an array of numbers, a copy in the task; none without a ring, which the work
// refuses. `out`: it is made, with its status.
PADICI_FN void padici_sparse_add_numbers(padici_sparse_task *t, const char *field,
                                         padic_num_array *numbers, uint8_t out)
{
    const padic_num_ring *r = numbers->ring;
    const uint64_t count = numbers->count;
    uint64_t words;
    if (!padici_num_ring_is(r) || !count) return;
    words = padici_num_words(r, count);
    if (r->form == PADIC_NUM_W128) words = (numbers->high ? numbers->high : count) + count;
    // what lies between the words of the elements stays as it is
    padici_sparse_add_plane(t, field, &numbers->unit, words, out && words != count ? 2 : out);
    if (numbers->model != PADIC_NUM_RING)
        padici_sparse_add_plane(t, field, &numbers->val, count, out);
    if (!out) return;
    padici_sparse_add_plane(t, "status", &numbers->status, count, 1);
    padici_sparse_add_plane(t, "sticky_word", &numbers->sticky_word, 1, 2);
}

// Does it. *out becomes what was made, in its own planes.
PADICI_FN padic_result padici_sparse_task_run(padici_sparse_task *t, uint32_t op,
                                              padic_sparse_csr *out)
{
    const padic_result result = padici_run_task(t->task.context, op, t);
    if (t->makes) padici_sparse_made(out, &t->out);
    return result;
}

#endif
