#pragma once
#include "../core/platform.h"

// -------------------------------------------------------------------------------- >>op table
//
// An operation is a row of PADIC_OPS and three functions:
//
//     padici_NAME_check(context, desc)     what is wrong with the desc beyond its tensors; says it
//     padici_NAME_operands(desc, operands) its tensors: where they stand in the desc, in or out
//     padici_NAME_host(jobs, desc)         the plain reference; tensors in host memory, checked;
//                                          of a row with 3 or 4 (env, desc), env NULL without a
//                                          context
//
// and, if the row says so, padici_NAME_driver(call, target, query): by copy and fill on any device.
// Kernels are launched by padici_gpu_NAME() of src/gpu.
//
// padici_run() does the rest, the same for all: validation, choice of backend, moving operands
// between host and device, statistics, profile.

#define PADICI_MAX_OPERANDS 11
#define PADICI_NO_BLOCK UINT32_MAX

typedef struct padici_place {
    padic_mem mem;
    uint64_t at;   // byte of the first element
    uint32_t host; // mem is a host pointer
} padici_place;

typedef struct padici_operand {
    padic_tensor *tensor;
    const char *name;        // of its field, for sentences; NULL: a tensor
    uint32_t out;            // 1 written; 2 read and written; else read
    uint32_t any_stride;     // only read, so strides may be 0 or negative
    uint64_t bytes;          // from the lowest to behind the highest element
    uint64_t before;         // of them, those before element 0, where the places point
    int dense;               // no gaps, in C order
    padici_place home, now;  // where it lies; where the work finds it
    uint32_t block;          // the pool's block that `now` is in, when it was moved
} padici_operand;

typedef union padici_any_desc {
#define PADICI_OP_DESC(number, NAME, name, driver) padic_##name##_desc name;
    PADIC_OPS(PADICI_OP_DESC)
#undef PADICI_OP_DESC
} padici_any_desc;

typedef struct padici_target padici_target;

// What `drive` is asked besides operations and kernels.
#define PADICI_DRIVE_CLOSE 900u // free context->gpu; the device still lives
#define PADICI_DRIVE_PREWARM 901u // a uint32_t of padic_area bits
#define PADICI_DRIVE_TUNE 902u    // a padici_drive_tune

typedef struct padici_drive_tune {
    uint32_t areas, ms;
} padici_drive_tune;

typedef struct padici_call {
    padic_context *context;
    uint32_t op, operand_count;
    uint64_t count;       // elements of the largest operand
    padici_any_desc desc; // a copy, in which tensors are redirected
    padici_operand operands[PADICI_MAX_OPERANDS];
} padici_call;

typedef struct padici_op_row {
    const char *name;
    uint32_t desc_size, mixed, partial; // partial: errors in the data keep what was done
    padic_result (*check)(padic_context *context, const void *desc);
    uint32_t (*operands)(void *desc, padici_operand *operands);
    padic_result (*driver)(const padici_call *call, padici_target *target, int query);
    padic_result (*host)(const padic_jobs *jobs, const void *desc);
    padic_result (*host_env)(const padic_env *env, const void *desc); // one of the two
} padici_op_row;
