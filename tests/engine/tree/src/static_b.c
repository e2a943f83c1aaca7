#define PADIC_STATIC
#define PADIC_IMPLEMENTATION
#include "padic.h"
#include "padic_threads.h"

#include "checks.h"

const char *studio_other(unsigned long long *hash);
const char *studio_other(unsigned long long *hash)
{
    (void)studio_report;
    *hash = padic_self_hash();
    return studio_check();
}
