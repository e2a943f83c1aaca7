#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN PADICI_NOINLINE padic_result
padici_tensor_happy_array(padic_context *context, const padic_tensor *t, const char *field,
                          padic_dtype dtype, uint64_t count, padic_result few, void **data);
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_happy_check(padic_context *context,
                                                                 const padic_tensor_happy *happy);
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_happy_part(padic_context *context,
                                                                const padic_tensor *t,
                                                                uint32_t bits,
                                                                const uint64_t **part);

// Links that have been checked.
PADICI_INLINE const uint32_t *padici_tensor_happy_links(const padic_tensor_happy *happy)
{
    return (const uint32_t *)happy->links.data;
}

#endif
