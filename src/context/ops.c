#include "ops.h"
#include "operation.h"

#if PADICI_IMPLEMENT_CORE

// The table of all operations, made of the rows of src/ops.def.

#define PADICI_OP_ROW_OF(name, size, rules)                                                  \
    static const padici_op_row padici_op_row_##name = {                                      \
        #name, size,  (uint32_t)(rules),  padici_##name##_check, padici_##name##_operands,   \
        padici_##name##_host};
#define PADICI_OP_ROW_CALL(name, rules) \
    PADICI_OP_ROW_OF(name, sizeof(padic_##name##_desc), rules)
#define PADICI_OP_ROW_QUICK(name, rules) PADICI_OP_ROW_CALL(name, rules)
#define PADICI_OP_ROW_TASK(name, rules) PADICI_OP_ROW_OF(name, 0, rules)
#define PADICI_OP_ROW_NUM(name, rules)                                                       \
    static const padici_op_row padici_op_row_##name = {#name,                                \
                                                       0,                                    \
                                                       rules,                                \
                                                       padici_num_task_check,                \
                                                       padici_num_task_operands,             \
                                                       padici_num_task_host};
#define PADICI_OP_ROW_LOOP(name, rules)
#define PADICI_OP_ROW(number, NAME, name, kind, by, rules) PADICI_OP_ROW_##kind(name, rules)
PADICI_OPS_HERE(PADICI_OP_ROW)
#undef PADICI_OP_ROW
#undef PADICI_OP_ROW_CALL
#undef PADICI_OP_ROW_QUICK
#undef PADICI_OP_ROW_TASK
#undef PADICI_OP_ROW_OF
#undef PADICI_OP_ROW_NUM
#undef PADICI_OP_ROW_LOOP

// The row of an operation; NULL: there is none of that number, it is a loop, or its area is
// switched off.
PADICI_FN const padici_op_row *padici_op_row_of(uint32_t op)
{
    switch (op) {
#define PADICI_OP_CASE_CALL(number, name) \
    case number: return &padici_op_row_##name;
#define PADICI_OP_CASE_QUICK(number, name) PADICI_OP_CASE_CALL(number, name)
#define PADICI_OP_CASE_TASK(number, name) PADICI_OP_CASE_CALL(number, name)
#define PADICI_OP_CASE_NUM(number, name) PADICI_OP_CASE_CALL(number, name)
#define PADICI_OP_CASE_LOOP(number, name)
#define PADICI_OP_CASE(number, NAME, name, kind, by, rules) PADICI_OP_CASE_##kind(number, name)
        PADICI_OPS_HERE(PADICI_OP_CASE)
#undef PADICI_OP_CASE
#undef PADICI_OP_CASE_CALL
#undef PADICI_OP_CASE_QUICK
#undef PADICI_OP_CASE_TASK
#undef PADICI_OP_CASE_NUM
#undef PADICI_OP_CASE_LOOP
    default: return NULL;
    }
}

// Its name, also where it is switched off; "" for no operation.
PADICI_FN PADICI_NOINLINE const char *padici_op_name(uint32_t op)
{
    switch (op) {
#define PADICI_OP_CASE(number, NAME, name, kind, by, rules) \
    case number: return #name;
        PADIC_OPS(PADICI_OP_CASE)
#undef PADICI_OP_CASE
    default: return "";
    }
}

#endif
