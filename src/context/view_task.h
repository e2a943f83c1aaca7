#pragma once
#include "../core/platform.h"
#include "operation.h"
#include "run.h"

// A TASK whose operands are views: of a copy of a desc, of a matrix's planes. It is the first
// member of the struct that its area calls the task; padici_run_task() gets that.
//
//     begin    padici_view_task_begin(), then padici_view_add() for each, in an order that the
//              kernels' driver knows: operand i of the call is view i; a plane of an array of
//              numbers, which is no tensor, by padici_view_add_plane()
//     check    by `check`, all of it; views have `data` or a buffer then
//     host     by `host`: every view has `data`
//
// Where all views lie in host memory the call has no operands: check() sees to it that they do not
// overlap.

#define PADICI_TASK_VIEWS 12

typedef struct padici_task_view {
    padic_tensor *tensor; // NULL: there is none, or it is a plane:
    void **pointer;       // its address in host memory, or where that goes; NULL: no plane
    const char *name;
    const uint64_t *written; // as padici_operand
    uint64_t at, bytes;      // of a plane: byte in the buffer, and how many
    padic_buffer buffer;
    uint8_t out, kind;
} padici_task_view;

typedef struct padici_view_task padici_view_task;
struct padici_view_task {
    padic_context *context; // NULL: none
    padic_result (*check)(padici_view_task *task);
    padic_result (*host)(padici_view_task *task);
    uint32_t count;
    uint32_t on_device; // 1: by kernels, even if all lies in host memory
    uint32_t in_buffer; // 1: a view is in a buffer, as the check found
    padici_task_view view[PADICI_TASK_VIEWS];
};

PADICI_FN void padici_view_task_begin(padici_view_task *task, padic_context *context,
                                      padic_result (*check)(padici_view_task *task),
                                      padic_result (*host)(padici_view_task *task));
PADICI_FN padici_task_view *padici_view_add(padici_view_task *task, const char *name,
                                            padic_tensor *tensor, uint8_t out);
PADICI_FN void padici_view_add_plane(padici_view_task *task, const char *name, void **pointer,
                                     padic_buffer buffer, uint64_t at, uint64_t bytes, uint8_t out);
PADICI_FN padic_result padici_view_task_check(padic_context *context, const void *task);
PADICI_FN uint32_t padici_view_task_operands(void *task, padici_operand *operands);
PADICI_FN padic_result padici_view_task_host(const padic_env *env, const void *task);

// The three functions of a row of src/ops.def.
#define PADICI_VIEW_TASK(name)                                                             \
    PADICI_FN padic_result padici_##name##_check(padic_context *context, const void *task) \
    {                                                                                      \
        return padici_view_task_check(context, task);                                      \
    }                                                                                      \
    PADICI_FN uint32_t padici_##name##_operands(void *task, padici_operand *operands)      \
    {                                                                                      \
        return padici_view_task_operands(task, operands);                                  \
    }                                                                                      \
    PADICI_FN padic_result padici_##name##_host(const padic_env *env, const void *task)    \
    {                                                                                      \
        return padici_view_task_host(env, task);                                           \
    }
