#pragma once
#include "../core/platform.h"

// -------------------------------------------------------------------------------- >>op table
//
// An operation is a row of src/ops.def, X(number, NAME, name, kind, by, rules). It makes
// PADIC_OP_NAME and finds what else there is by name:
//
// kind   CALL  a public function with a desc: padic_name(context, &desc), which the row makes, and
//              padici_name_check(), _operands() and _host()
//        QUICK the same, and padici_name_quick(context, desc), which does small calls in host
//              memory, checks included, or answers NOT_SUPPORTED; the entry asks it first, where
//              the context lets it: see PADICI_AT_ONCE_CALLS
//        TASK  the same three for a struct of the library's own, padici_name_task, that the public
//              function fills before it calls padici_run_task()
//        NUM   a TASK by the three functions of all numbers, padici_num_task_check() and so on, for
//              a padici_num_task; the public function has positional operands or a desc
//        LOOP  an inner loop of other operations: a struct of plain fields, host memory, any
//              thread, the same bytes. Only backends in host memory have one, and they may refuse;
//              see padici_loop_of()
// by     1     there is padici_gpu_name(): by kernels in a device's memory
//        2     there is padici_simd_name(): by vectors
//        3     both; 0 neither
// rules        PADICI_OP_..., below
//
// The three functions of an operation:
//
//     padici_NAME_check(context, desc)     says what is wrong with the desc beyond its views
//     padici_NAME_operands(desc, operands) its operands: where they stand in the desc, in or out
//     padici_NAME_host(env, desc)          the plain reference: operands in host memory, checked;
//                                          env NULL: no context
//
// Of a TASK check() comes first and checks everything, and operands() returns 0 when all of them
// lie in host memory; with NULL it only says whether. Kernels are launched by padici_gpu_NAME() of
// src/gpu.
//
// padici_run() and padici_run_task() do the rest, the same for all: validation, choice of backend,
// moving operands between host and device, statistics, profile.

// Rules of a row.
enum {
    PADICI_OP_PARTIAL = 1, // NOT_FINITE and DOMAIN keep what was done so far
    PADICI_OP_MIXED = 2,   // a device's copy and fill take operands in host memory, too
    // A call whose operands all lie on the device is the same work whenever its desc has the same
    // bytes: LOW_OVERHEAD may replay it. What else a desc points at is an operand of host memory.
    PADICI_OP_REPLAY = 4,
    PADICI_OP_AGAIN = 8, // what kernels wrote before they refused is written again by the next
    PADICI_OP_LISTS = 16, // CAPACITY keeps the rows there is room for
    PADICI_OP_HELD = 32 // works on what it holds, also where no operand has an element
};

#define PADICI_MAX_OPERANDS 20
#define PADICI_NO_BLOCK UINT32_MAX

typedef struct padici_place {
    padic_mem mem;
    uint64_t at;   // byte of the first element
    uint32_t host; // mem is a host pointer
} padici_place;

// Memory that a call reads or writes: a view in the desc, or a pointer in a task. When the work is
// done on the host, the view or the pointer is set to where that finds it.
typedef struct padici_operand {
    padic_tensor *tensor;
    void **pointer;          // or this; operands() has set bytes and home then. Neither: memory of
                             // the host that stays where it is (results, a table)
    const char *name;        // of its field, for sentences; NULL: a tensor
    const uint64_t *written; // how many bytes of it move home after the work; NULL: all
    uint64_t bytes;          // from the lowest element to the end of the highest
    uint64_t before;         // of them, those before element 0, where the places point
    padici_place home, now;  // where it lies; where the work finds it
    uint32_t block;          // the pool's block that `now` is in, when it was moved
    uint8_t out;             // 1 written; 2 read and written; else read
    uint8_t any_stride;      // only read, so strides may be 0 or negative
    uint8_t dense;           // no gaps, in C order
    uint8_t kind;            // not 0: may be exactly the memory of another operand of this kind
} padici_operand;

typedef union padici_any_desc {
#define PADICI_OP_DESC_CALL(name) padic_##name##_desc name;
#define PADICI_OP_DESC_QUICK(name) PADICI_OP_DESC_CALL(name)
#define PADICI_OP_DESC_TASK(name)
#define PADICI_OP_DESC_NUM(name)
#define PADICI_OP_DESC_LOOP(name)
#define PADICI_OP_DESC(number, NAME, name, kind, by, rules) PADICI_OP_DESC_##kind(name)
    PADIC_OPS(PADICI_OP_DESC)
#undef PADICI_OP_DESC
#undef PADICI_OP_DESC_CALL
#undef PADICI_OP_DESC_QUICK
#undef PADICI_OP_DESC_TASK
#undef PADICI_OP_DESC_NUM
#undef PADICI_OP_DESC_LOOP
} padici_any_desc;

typedef struct padici_target padici_target;

// What `drive` is asked besides operations.
#define PADICI_DRIVE_CLOSE 900u // free context->gpu; the device still lives
#define PADICI_DRIVE_PREWARM 901u // a uint32_t of padic_area bits
#define PADICI_DRIVE_TUNE 902u    // a padici_drive_tune

typedef struct padici_drive_tune {
    uint32_t areas, ms;
} padici_drive_tune;

typedef struct padici_op_row {
    const char *name;
    uint32_t desc_size; // 0: of a TASK, which is the library's own and not copied
    uint32_t rules;
    padic_result (*check)(padic_context *context, const void *desc);
    uint32_t (*operands)(void *desc, padici_operand *operands);
    padic_result (*host)(const padic_env *env, const void *desc);
} padici_op_row;

typedef struct padici_call {
    padic_context *context;
    const padici_op_row *row;
    padici_any_desc *desc; // a copy, in which views are redirected
    void *task;            // the same address, when the row is a TASK
    uint64_t count;        // elements of the largest operand
    uint32_t op, operand_count;
    padici_operand operands[PADICI_MAX_OPERANDS];
} padici_call;

// An operand of host memory beside the views: where a result goes, a table. None when it is NULL.
PADICI_INLINE uint32_t padici_operand_host(padici_operand *operands, uint32_t n, const void *memory)
{
    if (!memory) return n;
    operands[n].home.mem.bits = (uint64_t)(uintptr_t)memory;
    operands[n].home.host = 1;
    return n + 1;
}

PADICI_INLINE const padic_jobs *padici_env_jobs(const padic_env *env)
{
    return env ? env->jobs : NULL;
}
