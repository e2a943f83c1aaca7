// api.c: the header without its implementation, before and after anything else.
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_tensor tensor = PADIC_ZERO;
    padic_buffer buffer = PADIC_ZERO;
    padic_allocator allocator = PADIC_ZERO;
    padic_jobs jobs = PADIC_ZERO;
    desc.tensor = tensor;
    desc.tensor.buffer = buffer;
    desc.allocator = &allocator;
    return jobs.workers != 0 || desc.allocator->alloc != NULL;
}
