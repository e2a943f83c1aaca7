#include "workspace.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "messages.h"

#if PADICI_IMPLEMENT_CORE

PADICI_FN padic_result padici_workspace_check(padic_context *context, const padic_tensor *t,
                                              uint64_t bytes)
{
    uint64_t count;
    if (!t->data && !t->buffer.id) return PADIC_OK;
    if (!t->data || t->dtype != PADIC_U8 || t->rank != 1 || padici_tensor_check_view(t, 0, &count))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "workspace",
                                 "is not a dense U8 array in host memory");
    if ((uintptr_t)t->data & 63)
        return padici_fail_field(context, PADIC_ERROR_ALIGNMENT, "workspace",
                                 "is not on a multiple of 64 bytes");
    if (count < bytes)
        return padici_fail_field(context, PADIC_ERROR_CAPACITY, "workspace",
                                 "is too small: the function that says how many bytes it needs has "
                                 "`_workspace` or `_size_bound` in its name");
    return PADIC_OK;
}

#endif
