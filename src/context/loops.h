#pragma once
#include "../core/platform.h"
#include "state.h"

// A backend's way of a LOOP row; `op` NULL: the plain loop does it. It is looked up once per public
// call.
typedef struct padici_loop {
    const padic_backend_op *op;
    padic_device *device;
} padici_loop;

PADICI_FN padici_loop padici_loop_of(const padic_context *context, uint32_t op);

// NOT_SUPPORTED: nothing was touched, the plain loop is to do it.
PADICI_INLINE padic_result padici_loop_run(padici_loop loop, void *desc)
{
    return loop.op ? (*loop.op->run)(loop.device, loop.op->op, desc, NULL)
                   : PADIC_ERROR_NOT_SUPPORTED;
}
