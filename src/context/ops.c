#include "ops.h"
#include "operation.h"

#if PADICI_IMPLEMENT_CORE

// The table of all operations, those of the areas in files of their own among them.

#define PADICI_OP_DRIVER_0(name) NULL, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_1(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_2(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_3(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_DRIVER_4(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_ROW(number, NAME, name, driver)                                  \
    static const padici_op_row padici_op_row_##name = {#name,                      \
                                                       sizeof(padic_##name##_desc), \
                                                       driver == 2,                \
                                                       driver == 3,                \
                                                       padici_##name##_check,      \
                                                       padici_##name##_operands,   \
                                                       PADICI_OP_DRIVER_##driver(name)};
PADICI_OPS_HERE(PADICI_OP_ROW)
#undef PADICI_OP_ROW
#undef PADICI_OP_DRIVER_0
#undef PADICI_OP_DRIVER_1
#undef PADICI_OP_DRIVER_2
#undef PADICI_OP_DRIVER_3
#undef PADICI_OP_DRIVER_4

// The row of an operation; NULL: there is none of that number, or its area is switched off.
PADICI_FN const padici_op_row *padici_op_row_of(uint32_t op)
{
    switch (op) {
#define PADICI_OP_CASE(number, NAME, name, driver) \
    case number: return &padici_op_row_##name;
        PADICI_OPS_HERE(PADICI_OP_CASE)
#undef PADICI_OP_CASE
    default: return NULL;
    }
}

// Its name, also where it is switched off; "" for no operation.
PADICI_FN PADICI_NOINLINE const char *padici_op_name(uint32_t op)
{
    switch (op) {
#define PADICI_OP_CASE(number, NAME, name, driver) \
    case number: return #name;
        PADIC_OPS(PADICI_OP_CASE)
#undef PADICI_OP_CASE
    default: return "";
    }
}

// The plain reference; env NULL: no context.
PADICI_FN padic_result padici_op_host(uint32_t op, const padic_env *env, const void *desc)
{
    const padici_op_row *row = padici_op_row_of(op);
    if (row->host_env) return (*row->host_env)(env, desc);
    return (*row->host)(env ? env->jobs : NULL, desc);
}

#endif
