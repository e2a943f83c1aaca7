// unit_a.c with unit_b.c: the implementation in one translation unit, its use in two; two includes
// in one unit are one. Compiles as C and as C++.
#include "../../padic.h"
#define PADIC_IMPLEMENTATION
#include "../../backends/padic_cache.h"
#include "../../backends/padic_threads.h"

uint32_t unit_b_size(padic_dtype dtype);
const char *unit_b_text(padic_result result);

int main(void)
{
    // A function has one address in the whole program, and so has its text.
    if (unit_b_size(PADIC_C128) != 16 || padic_dtype_size(PADIC_C128) != 16) return 1;
    if (unit_b_text(PADIC_ERROR_CORRUPT) != padic_result_text(PADIC_ERROR_CORRUPT)) return 2;
    return 0;
}
