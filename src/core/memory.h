#pragma once
#include "platform.h"

PADICI_FN PADICI_NOINLINE void *padici_alloc(const padic_allocator *a, size_t size, size_t align);
PADICI_FN int padici_allocator_whole(const padic_allocator *a);
PADICI_FN PADICI_NOINLINE void padici_free(const padic_allocator *a, void *p, size_t size);
