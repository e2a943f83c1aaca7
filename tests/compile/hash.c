// hash.c: prints padic_self_hash(), which must be the same for every compiler, level and machine.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include <stdio.h>

int main(void)
{
    const uint64_t hash = padic_self_hash();
    printf("%08lx%08lx\n", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
    return 0;
}
