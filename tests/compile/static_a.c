// static_a.c with static_b.c: two private copies of the library in one program.
#define PADIC_STATIC
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_threads.h"

const char *static_b_text(padic_result result);

int main(void)
{
    const char *mine = padic_result_text(PADIC_ERROR_CORRUPT);
    return !mine || !static_b_text(PADIC_ERROR_CORRUPT) || padic_dtype_size(PADIC_F16) != 2;
}
