#include "view_task.h"
#include "messages.h"

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
    task->on_device = 0;
}

PADICI_FN padici_task_view *padici_view_add(padici_view_task *task, const char *name,
                                            padic_tensor *tensor, uint8_t out)
{
    padici_task_view *view = &task->view[task->count++];
    view->tensor = tensor && (tensor->data || tensor->buffer.id) ? tensor : NULL;
    view->name = name;
    view->written = NULL;
    view->out = out;
    view->kind = 0;
    return view;
}

static int padici_view_in_buffer(const padici_task_view *view)
{
    return view->tensor && !view->tensor->data;
}

PADICI_FN padic_result padici_view_task_check(padic_context *context, const void *task_)
{
    padici_view_task *task = (padici_view_task *)(uintptr_t)task_;
    uint32_t i;
    for (i = 0; !context && i < task->count; i++)
        if (padici_view_in_buffer(&task->view[i])) return PADIC_ERROR_ARGUMENT;
    return task->check ? (*task->check)(task) : PADIC_OK;
}

PADICI_FN uint32_t padici_view_task_operands(void *task_, padici_operand *operands)
{
    padici_view_task *task = (padici_view_task *)task_;
    uint32_t i, n = task->count, any = task->on_device;
    for (i = 0; i < task->count; i++) any |= (uint32_t)padici_view_in_buffer(&task->view[i]);
    if (!any || !operands) return any;
    for (i = 0; i < task->count; i++) {
        operands[i].tensor = task->view[i].tensor;
        operands[i].name = task->view[i].name;
        operands[i].written = task->view[i].written;
        operands[i].out = task->view[i].out;
        operands[i].kind = task->view[i].kind;
        operands[i].home.host = 1;
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
