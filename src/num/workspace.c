#include "workspace.h"
#include "../context/messages.h"
#include "../core/memory.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_NUM

// 1 if the workspace of a desc is absent, or has at least `need` bytes.
PADICI_FN padic_result padici_num_workspace_check(padic_context *context, const padic_tensor *given,
                                                  uint64_t need)
{
    if (!given->data && !given->buffer.id) return PADIC_OK;
    if (!given->data)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "workspace", NULL,
                            "must be in host memory");
    if (given->dtype != PADIC_U8 || given->rank != 1 || given->stride[0] > 1 ||
        given->stride[0] < 0)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "workspace", NULL,
                            "must be U8 of rank 1, without gaps");
    if (given->shape[0] < need)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "workspace", NULL,
                            "is too small: the function with `_workspace` in its name says how "
                            "many bytes it needs");
    if (!padici_aligned(given->data, 8))
        return padici_blame(context, PADIC_ERROR_ALIGNMENT, "workspace", NULL, NULL);
    return PADIC_OK;
}

// The workspace of a desc, after _check(), or `wanted` bytes from the allocator.
PADICI_FN padic_result padici_num_workspace_take(padic_context *context, const padic_tensor *given,
                                                 uint64_t wanted, padici_num_workspace *w)
{
    w->at = given->data;
    w->size = given->data ? given->shape[0] : wanted;
    w->owned = given->data ? 0 : (size_t)wanted;
    if (given->data) return PADIC_OK;
    w->allocator = padici_allocator(context);
    if (wanted <= SIZE_MAX / 2) w->at = padici_alloc(w->allocator, w->owned, 64);
    return w->at ? PADIC_OK
                 : padici_blame(context, PADIC_ERROR_MEMORY, "workspace", NULL,
                                "is absent, and the allocator has not so many bytes");
}

PADICI_FN void padici_num_workspace_give(padici_num_workspace *w)
{
    if (w->owned) padici_free(w->allocator, w->at, w->owned);
}

#endif
