#include "tasks.h"
#include "../context/messages.h"
#include "../context/ops.h"

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
        padici_task_view *view =
            padici_view_add(&t->task, name[i],
                            i < 3 || csr->val_of || out ? padici_sparse_tensor(csr, i) : NULL, out);
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

// Does it. *out becomes what was made, in its own planes.
PADICI_FN padic_result padici_sparse_task_run(padici_sparse_task *t, uint32_t op,
                                              padic_sparse_csr *out)
{
    const padic_result result = padici_run_task(t->task.context, op, t);
    if (t->makes) padici_sparse_made(out, &t->out);
    return result;
}

#endif
