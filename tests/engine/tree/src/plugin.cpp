// plugin.cpp: a shared library with a copy of its own inside; only studio_... may be seen outside.
#define PADIC_IMPLEMENTATION
#include "padic.h"
#include "padic_threads.h"

#include "checks.h"

#define STUDIO_API extern "C" __attribute__((visibility("default")))

STUDIO_API const char *studio_plugin(unsigned long long *hash)
{
    (void)studio_report;
    *hash = padic_self_hash();
    return studio_check();
}
