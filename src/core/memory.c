#include "memory.h"

#if PADICI_IMPLEMENT_CORE

// ------------------------------------------------------------------------------------- >>memory

// Whether a hook has both functions or neither; NULL is no hook.
PADICI_FN int padici_allocator_whole(const padic_allocator *a)
{
    return !a || !a->alloc == !a->free;
}

// Memory from a hook, or from malloc when there is none. `align` is a power of two up to 64.
PADICI_FN PADICI_NOINLINE void *padici_alloc(const padic_allocator *a, size_t size, size_t align)
{
    if (!size) size = 1; // so that NULL always means failure
    if (a && a->alloc) return (*a->alloc)(size, align, a->user);
#ifndef PADIC_NO_MALLOC
    {
        // malloc promises no more than 8 or 16 bytes: its pointer is kept just below the block.
        size_t step = align < 16 ? 16 : align;
        char *whole, *block;
        if (size > (size_t)-1 - step) return NULL;
        whole = (char *)malloc(size + step);
        if (!whole) return NULL;
        block = whole + (step - ((uintptr_t)whole & (step - 1)));
        memcpy(block - sizeof whole, &whole, sizeof whole);
        return block;
    }
#else
    (void)align;
    return NULL;
#endif
}

// Gives back what padici_alloc() returned, with the same hook and size; NULL is fine.
PADICI_FN PADICI_NOINLINE void padici_free(const padic_allocator *a, void *p, size_t size)
{
    if (!p) return;
    if (!size) size = 1;
    if (a && a->alloc) {
        (*a->free)(p, size, a->user);
        return;
    }
#ifndef PADIC_NO_MALLOC
    {
        char *whole;
        memcpy(&whole, (char *)p - sizeof whole, sizeof whole);
        free(whole);
    }
#endif
}

#endif
