// unit_b.c: a translation unit that only uses the library; see unit_a.c.
#include "../../padic.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_threads.h"

uint32_t unit_b_size(padic_dtype dtype);
const char *unit_b_text(padic_result result);

uint32_t unit_b_size(padic_dtype dtype)
{
    return padic_dtype_size(dtype);
}

const char *unit_b_text(padic_result result)
{
    return padic_result_text(result);
}
