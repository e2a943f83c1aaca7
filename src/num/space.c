#include "space.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_NUM

static padic_result padici_space_ranges(padici_num_space *space, const padici_num_memory *memory)
{
    uint32_t i, j;
    for (j = 0; j < memory->count; j++) {
        const padici_num_range *const range = &memory->range[j];
        if (!range->mem.bits) {
            if (space) space->host = 1;
            continue;
        }
        if (!space || sizeof(void *) < 8) return PADIC_ERROR_NOT_SUPPORTED;
        for (i = 0; i < space->mems && space->mem[i].bits != range->mem.bits;) i++;
        if (i == PADICI_NUM_PLANES || range->begin >> 55) return PADIC_ERROR_LIMIT;
        if (i == space->mems) space->mem[space->mems++] = range->mem;
        *range->pointer = (void *)(uintptr_t)((uint64_t)(i + 1) << 56 | range->begin);
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_space_pointer(padic_context *context, padici_num_space *space,
                                            const padic_tensor *t, uint64_t count, void **pointer)
{
    padic_num_plane plane = padic_num_plane_in(t->dtype, t->buffer, t->offset);
    padici_num_memory memory;
    padic_result result;
    memory.count = memory.host = memory.device = 0;
    plane.data = t->data;
    *pointer = NULL;
    if (!t->data && !t->buffer.id) return PADIC_OK;
    result = padici_num_plane_add(context, space ? &memory : NULL, &plane, count, UINT32_MAX, 0, 0,
                                  pointer);
    return result ? result : padici_space_ranges(space, &memory);
}

PADICI_FN padic_result padici_num_plane_in(padic_context *context, padici_num_space *space,
                                           const padic_tensor *t, uint64_t count, uint32_t allowed,
                                           void **pointer)
{
    padici_num_memory memory;
    padic_result result;
    memory.count = memory.host = memory.device = 0;
    result = padici_num_tensor_add(context, space ? &memory : NULL, t, count, allowed, 0, pointer);
    return result ? result : padici_space_ranges(space, &memory);
}

PADICI_FN padic_result padici_num_planes_in(padic_context *context, padici_num_space *space,
                                            const padic_num_array *a, padic_num_planes *planes)
{
    padici_num_memory memory;
    padic_result result;
    memory.count = memory.host = memory.device = 0;
    result = padici_num_planes_add(context, space ? &memory : NULL, a, 0, planes);
    return result ? result : padici_space_ranges(space, &memory);
}

#endif
