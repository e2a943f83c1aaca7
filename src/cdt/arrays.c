#include "arrays.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_CDT

PADICI_FN padic_result padici_cdt_no_desc(padic_context *context, const char *operation)
{
    return padici_fail_in(context, PADIC_ERROR_ARGUMENT, operation, "desc is NULL");
}

// A dense array of a dtype and shape; it has memory, in a buffer or on the host.
PADICI_FN padic_result padici_cdt_array_check(padic_context *context, const char *field,
                                              const padic_tensor *t, padic_dtype dtype,
                                              uint32_t rank, const uint64_t *shape)
{
    uint64_t count, before;
    int dense = 1;
    uint32_t i;
    padic_result result = padici_tensor_check_view(t, 0, &count);
    if (result) return padici_fail_view(context, result, field, t);
    if (t->dtype != dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, field, "has another dtype");
    for (i = 0; t->rank == rank && i < rank; i++)
        if (t->shape[i] != shape[i]) break;
    if (i != rank)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, field, "has another shape");
    (void)padici_tensor_span(t, &dense, &before);
    if (count && !dense)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is not dense");
    return PADIC_OK;
}

static padici_place padici_cdt_view_place(const padici_task_view *view, uint64_t *bytes)
{
    padici_place place;
    place.mem.bits = (uint64_t)(uintptr_t)view->tensor->data;
    place.at = 0;
    place.host = 1;
    *bytes = padic_tensor_count(view->tensor) * padic_dtype_size(view->tensor->dtype);
    return place;
}

// No output on another operand, of those in host memory. (Buffers the context looks at.)
PADICI_FN padic_result padici_cdt_views_apart(padici_view_task *task)
{
    uint32_t i, j;
    for (i = 0; i < task->count; i++)
        for (j = 0; j < task->count; j++) {
            const padici_task_view *a = &task->view[i], *b = &task->view[j];
            padici_place at, other;
            uint64_t size, more;
            if (i == j || !a->out || !a->tensor || !b->tensor) continue;
            if (!a->tensor->data || !b->tensor->data) continue;
            at = padici_cdt_view_place(a, &size);
            other = padici_cdt_view_place(b, &more);
            if (size && more && padici_places_overlap(&at, size, &other, more))
                return padici_fail_field(task->context, PADIC_ERROR_OVERLAP, a->name,
                                         "shares memory with another array");
        }
    return PADIC_OK;
}

// The caller's memory for chains.
PADICI_FN padic_result padici_cdt_state_check(padic_context *context, const padic_tensor *t,
                                              uint64_t bytes)
{
    uint64_t count, before;
    padici_place place;
    int dense = 1;
    const int is_view = t->dtype == PADIC_U8 && t->rank == 1 &&
                        !padici_tensor_check_view(t, 0, &count);
    if (is_view && count) (void)padici_tensor_span(t, &dense, &before);
    if (!is_view || !dense || (!t->data && !context))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "state", "is not a dense U8 array");
    if (t->data ? (uintptr_t)t->data & 63 : t->offset & 63)
        return padici_fail_field(context, PADIC_ERROR_ALIGNMENT, "state",
                                 "is not on a multiple of 64 bytes");
    if (count < bytes)
        return padici_fail_field(context, PADIC_ERROR_CAPACITY, "state",
                                 "is below cdt_state_size_bound");
    return t->data ? PADIC_OK
                   : padici_buffer_part(context, "state", t->buffer, t->offset, bytes, &place);
}

// Working memory: the caller's, which has been checked, or the allocator's.
PADICI_FN padic_result padici_cdt_scratch_take(padic_context *context, const padic_tensor *t,
                                               uint64_t bytes, padici_cdt_scratch *scratch)
{
    scratch->memory = t ? t->data : NULL;
    scratch->own = !scratch->memory;
    scratch->size = bytes;
    if (scratch->memory) return PADIC_OK;
    if (bytes > (size_t)-1 - 64)
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "the work is larger than any memory");
    scratch->memory = padici_alloc(padici_allocator(context), (size_t)bytes, 64);
    if (scratch->memory) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory to work in");
}

PADICI_FN void padici_cdt_scratch_give(padic_context *context, padici_cdt_scratch *scratch)
{
    if (scratch->own)
        padici_free(padici_allocator(context), scratch->memory, (size_t)scratch->size);
}

#endif
