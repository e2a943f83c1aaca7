#include "view_task.h"
#include "messages.h"
#include "place.h"

#if PADICI_IMPLEMENT_CORE

// Tasks whose operands are views.

PADICI_FN void padici_view_task_begin(padici_view_task *task, padic_context *context,
                                      padic_result (*check)(padici_view_task *task),
                                      padic_result (*host)(padici_view_task *task))
{
    task->context = context;
    task->check = check;
    task->host = host;
    task->count = 0;
    task->on_device = task->in_buffer = 0;
}

PADICI_FN padici_task_view *padici_view_add(padici_view_task *task, const char *name,
                                            padic_tensor *tensor, uint8_t out)
{
    padici_task_view *view = &task->view[task->count++];
    view->tensor = tensor && (tensor->data || tensor->buffer.id) ? tensor : NULL;
    view->pointer = NULL;
    view->name = name;
    view->written = NULL;
    view->out = out;
    view->kind = 0;
    return view;
}

// A plane of `bytes` at *pointer, or if that is NULL from byte `at` of the buffer on.
PADICI_FN void padici_view_add_plane(padici_view_task *task, const char *name, void **pointer,
                                     padic_buffer buffer, uint64_t at, uint64_t bytes, uint8_t out)
{
    padici_task_view *view = padici_view_add(task, name, NULL, out);
    if (bytes && (*pointer || buffer.id)) view->pointer = pointer;
    view->buffer = buffer;
    view->at = at;
    view->bytes = bytes;
}

static int padici_view_in_buffer(const padici_task_view *view)
{
    return (view->tensor && !view->tensor->data) || (view->pointer && !*view->pointer);
}

// Where a plane lies.
static padic_result padici_view_find(padic_context *context, const padici_task_view *view,
                                     padici_place *place)
{
    place->mem.bits = (uint64_t)(uintptr_t)*view->pointer;
    place->at = 0;
    place->host = 1;
    if (*view->pointer) return PADIC_OK;
    return padici_buffer_part(context, view->name, view->buffer, view->at, view->bytes, place);
}

PADICI_FN padic_result padici_view_task_check(padic_context *context, const void *task_)
{
    padici_view_task *task = (padici_view_task *)(uintptr_t)task_;
    padici_place place;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < task->count && !result; i++) {
        const padici_task_view *view = &task->view[i];
        if (!padici_view_in_buffer(view)) continue;
        task->in_buffer = 1;
        if (!context) return PADIC_ERROR_ARGUMENT;
        if (view->pointer) result = padici_view_find(context, view, &place);
    }
    return !result && task->check ? (*task->check)(task) : result;
}

PADICI_FN uint32_t padici_view_task_operands(void *task_, padici_operand *operands)
{
    padici_view_task *task = (padici_view_task *)task_;
    const uint32_t any = task->on_device | task->in_buffer;
    uint32_t i, n = task->count;
    if (!any || !operands) return any;
    for (i = 0; i < task->count; i++) {
        operands[i].tensor = task->view[i].tensor;
        operands[i].name = task->view[i].name;
        operands[i].written = task->view[i].written;
        operands[i].out = task->view[i].out;
        operands[i].kind = task->view[i].kind;
        operands[i].home.host = 1;
        if (!task->view[i].pointer) continue;
        operands[i].pointer = task->view[i].pointer;
        operands[i].bytes = task->view[i].bytes;
        operands[i].dense = 1;
        (void)padici_view_find(task->context, &task->view[i], &operands[i].home); // checked
    }
    if (task->on_device) operands[n++].home.host = 0; // nothing, but on the device
    return n;
}

PADICI_FN padic_result padici_view_task_host(const padic_env *env, const void *task_)
{
    padici_view_task *task = (padici_view_task *)(uintptr_t)task_;
    (void)env;
    return (*task->host)(task);
}

#endif
