// static_b.c: the second private copy; see static_a.c.
#define PADIC_STATIC
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_threads.h"

const char *static_b_text(padic_result result);

const char *static_b_text(padic_result result)
{
    return padic_result_text(result);
}
