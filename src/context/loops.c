#include "loops.h"

#if PADICI_IMPLEMENT_CORE

// Inner loops that a backend in host memory does instead of the plain ones.

PADICI_FN padici_loop padici_loop_of(const padic_context *context, uint32_t op)
{
    padici_loop loop;
    uint32_t i;
    loop.op = NULL;
    loop.device = NULL;
    for (i = 0; context && i < context->target_count && !loop.op; i++) {
        loop.op = context->targets[i].ops[op];
        loop.device = context->targets[i].device;
    }
    return loop;
}

#endif
