// failing.h: an allocator that fails after so many calls and counts the blocks that are out.
// Include it after padic.h.
#ifndef FAILING_H
#define FAILING_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct failing {
    int left; // calls until it fails
    long live;
} failing;

static inline void *failing_alloc(size_t size, size_t align, void *user)
{
    failing *f = (failing *)user;
    char *whole, *block;
    if (f->left-- <= 0) return NULL;
    whole = (char *)malloc(size + align + sizeof whole);
    if (!whole) return NULL;
    block = whole + sizeof whole;
    block += (align - (uintptr_t)block % align) % align;
    memcpy(block - sizeof whole, &whole, sizeof whole);
    f->live++;
    return block;
}

static inline void failing_free(void *pointer, size_t size, void *user)
{
    char *whole;
    (void)size;
    memcpy(&whole, (char *)pointer - sizeof whole, sizeof whole);
    free(whole);
    ((failing *)user)->live--;
}

#endif
