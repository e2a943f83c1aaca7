// hash.c: prints the self hashes of both headers, which must be the same for every compiler, level
// and machine.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include <stdio.h>

int main(void)
{
    static uint64_t memory[PADIC_NUM_SELF_HASH / 8];
    const uint64_t hash = padic_self_hash(), num = padic_num_self_hash(memory);
    printf("%08lx%08lx %08lx%08lx\n", (unsigned long)(hash >> 32),
           (unsigned long)(hash & 0xffffffffu), (unsigned long)(num >> 32),
           (unsigned long)(num & 0xffffffffu));
    return 0;
}
