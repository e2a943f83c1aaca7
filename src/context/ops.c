// The table of all operations, those of the areas in files of their own among them.

// The operations of the areas in files of their own.
#define PADICI_AREAS_IMPLEMENTATION
#ifndef PADIC_NO_SAMPLE
#include "padic_sample.h"
#endif
#ifndef PADIC_NO_WAVE
#include "padic_wave.h"
#endif
#ifndef PADIC_NO_TENSOR
#include "padic_tensor.h"
#endif
#undef PADICI_AREAS_IMPLEMENTATION

static const padici_op_row padici_op_rows[PADIC_OP_COUNT] = {
    {"", 0, 0, 0, NULL, NULL, NULL, NULL, NULL},
#define PADICI_OP_DRIVER_0(name) NULL, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_1(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_2(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_3(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_DRIVER_4(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_ROW(NAME, name, driver)                                        \
    {#name,                                                                      \
     sizeof(padic_##name##_desc),                                                \
     driver == 2,                                                                \
     driver == 3,                                                                \
     padici_##name##_check,                                                      \
     padici_##name##_operands,                                                   \
     PADICI_OP_DRIVER_##driver(name)},
    PADIC_OPS(PADICI_OP_ROW)
#undef PADICI_OP_ROW
};

// The plain reference; env NULL: no context.
static padic_result padici_op_host(uint32_t op, const padic_env *env, const void *desc)
{
    const padici_op_row *row = &padici_op_rows[op];
    if (row->host_env) return (*row->host_env)(env, desc);
    return (*row->host)(env ? env->jobs : NULL, desc);
}

