#include "grow.h"
#include "../core/memory.h"
#include "../core/words.h"
#include "messages.h"

#if PADICI_IMPLEMENT_CORE

// Tables of a context that grow.

// Room for one more element in a table of the context: doubles it. Nothing changes on failure.
PADICI_FN padic_result padici_grow(padic_context *context, void **table, uint32_t *capacity,
                                   uint32_t used, size_t element)
{
    uint32_t more = *capacity ? *capacity * 2 : 16;
    size_t size;
    void *bigger;
    if (used < *capacity) return PADIC_OK;
    if (more < *capacity || !padici_mul_size(more, element, &size))
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "too many blocks of memory");
    bigger = padici_alloc(&context->allocator, size, 16);
    if (!bigger) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    if (used) memcpy(bigger, *table, used * element);
    padici_free(&context->allocator, *table, *capacity * element);
    *table = bigger;
    *capacity = more;
    return PADIC_OK;
}

#endif
