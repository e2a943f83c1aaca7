#include "calls.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../context/state.h"
#include "../context/target.h"
#include "../core/view.h"
#include "bytes.h"
#include "combine.h"
#include "decode.h"
#include "index.h"
#include "matrix.h"
#include "product.h"
#include "validate.h"
#include "view.h"

#if PADICI_IMPLEMENT_SPARSE

// Calls that read matrices, or make one of others

typedef struct padici_sparse_validate_task {
    padici_sparse_task t;
    padic_sparse_validate_desc desc;
    uint64_t bad_row;
} padici_sparse_validate_task;

static padic_result padici_sparse_validate_work(padici_sparse_task *t)
{
    padici_sparse_validate_task *call = (padici_sparse_validate_task *)(void *)t;
    return padici_sparse_validate(t->task.context, call->desc.matrix ? &t->a : NULL,
                                  call->desc.level, &call->bad_row);
}

PADIC_API padic_result padic_sparse_validate(padic_context *context,
                                             const padic_sparse_validate_desc *desc)
{
    padici_sparse_validate_task call;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_validate");
    padici_sparse_task_begin(&call.t, context, "sparse_validate", padici_sparse_validate_work);
    call.desc = *desc;
    call.bad_row = 0;
    padici_sparse_reads(&call.t, &call.t.a, desc->matrix);
    result = padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_VALIDATE, NULL);
    if (!result) desc->matrix->trusted = desc->level;
    if (desc->report) desc->report->bad_row = call.bad_row;
    return result;
}

typedef struct padici_sparse_col_task {
    padici_sparse_task t;
    padic_sparse_col_desc desc;
} padici_sparse_col_task;

static padic_result padici_sparse_col_work(padici_sparse_task *t)
{
    return padici_sparse_col(t->task.context, &((padici_sparse_col_task *)(void *)t)->desc);
}

PADIC_API padic_result padic_sparse_col(padic_context *context, const padic_sparse_col_desc *desc)
{
    padici_sparse_col_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_col");
    padici_sparse_task_begin(&call.t, context, "sparse_col", padici_sparse_col_work);
    call.desc = *desc;
    call.desc.matrix = padici_sparse_reads(&call.t, &call.t.a, desc->matrix);
    padici_view_add(&call.t.task, "out", &call.desc.out, 1);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_COL, NULL);
}

static padic_result padici_sparse_decode_work(padici_sparse_task *t)
{
    return padici_sparse_decode(t->task.context, &((padici_sparse_decode_task *)(void *)t)->desc);
}

PADIC_API padic_result padic_sparse_decode(padic_context *context,
                                           const padic_sparse_decode_desc *desc)
{
    padici_sparse_decode_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_decode");
    padici_sparse_task_begin(&call.t, context, "sparse_decode", padici_sparse_decode_work);
    call.desc = *desc;
    call.desc.matrix = padici_sparse_reads(&call.t, &call.t.a, desc->matrix);
    if (desc->matrix) padici_view_add(&call.t.task, "out", &call.desc.out, 1);
    padici_sparse_add_numbers(&call.t, "out_numbers", &call.desc.out_numbers, 1);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_DECODE, NULL);
}

typedef struct padici_sparse_product_task {
    padici_sparse_task t;
    padic_sparse_product_desc desc;
} padici_sparse_product_task;

static padic_result padici_sparse_product_work(padici_sparse_task *t)
{
    return padici_sparse_product(t->task.context, &((padici_sparse_product_task *)(void *)t)->desc);
}

PADIC_API padic_result padic_sparse_product(padic_context *context,
                                            const padic_sparse_product_desc *desc)
{
    padici_sparse_product_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_product");
    padici_sparse_task_begin(&call.t, context, "sparse_product", padici_sparse_product_work);
    call.desc = *desc;
    call.desc.a = padici_sparse_reads(&call.t, &call.t.a, desc->a);
    padici_view_add(&call.t.task, "x", &call.desc.x, 0);
    padici_view_add(&call.t.task, "y", &call.desc.y, 1);
    padici_sparse_add_numbers(&call.t, "x_numbers", &call.desc.x_numbers, 0);
    padici_sparse_add_numbers(&call.t, "y_numbers", &call.desc.y_numbers, 1);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_PRODUCT, NULL);
}

PADIC_API padic_result padic_sparse_multiply(padic_context *context, const padic_sparse_csr *a,
                                             padic_tensor x, padic_tensor y)
{
    padic_sparse_product_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.a = a;
    desc.x = x;
    desc.y = y;
    return padic_sparse_product(context, &desc);
}

typedef struct padici_sparse_transpose_task {
    padici_sparse_task t;
    padic_sparse_transpose_desc desc;
} padici_sparse_transpose_task;

static padic_result padici_sparse_transpose_work(padici_sparse_task *t)
{
    const padici_sparse_transpose_task *call = (const padici_sparse_transpose_task *)(void *)t;
    return padici_sparse_transpose(t->task.context, call->desc.out, call->desc.a);
}

PADIC_API padic_result padic_sparse_transpose(padic_context *context,
                                              const padic_sparse_transpose_desc *desc)
{
    padici_sparse_transpose_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_transpose");
    padici_sparse_task_begin(&call.t, context, "sparse_transpose", padici_sparse_transpose_work);
    call.desc.a = padici_sparse_reads(&call.t, &call.t.a, desc->a);
    call.desc.out = padici_sparse_makes(&call.t, desc->out);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_TRANSPOSE, desc->out);
}

typedef struct padici_sparse_add_task {
    padici_sparse_task t;
    padic_sparse_add_desc desc;
} padici_sparse_add_task;

static padic_result padici_sparse_add_work(padici_sparse_task *t)
{
    return padici_sparse_add(t->task.context, &((padici_sparse_add_task *)(void *)t)->desc);
}

PADIC_API padic_result padic_sparse_add(padic_context *context, const padic_sparse_add_desc *desc)
{
    padici_sparse_add_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_add");
    padici_sparse_task_begin(&call.t, context, "sparse_add", padici_sparse_add_work);
    call.desc = *desc;
    call.desc.a = padici_sparse_reads(&call.t, &call.t.a, desc->a);
    call.desc.b = padici_sparse_reads(&call.t, &call.t.b, desc->b);
    call.desc.out = padici_sparse_makes(&call.t, desc->out);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_ADD, desc->out);
}

typedef struct padici_sparse_scale_task {
    padici_sparse_task t;
    padic_sparse_scale_desc desc;
} padici_sparse_scale_task;

static padic_result padici_sparse_scale_work(padici_sparse_task *t)
{
    return padici_sparse_scale(t->task.context, &((padici_sparse_scale_task *)(void *)t)->desc);
}

PADIC_API padic_result padic_sparse_scale(padic_context *context,
                                          const padic_sparse_scale_desc *desc)
{
    padici_sparse_scale_task call;
    uint32_t i;
    if (!desc) return padici_sparse_no_desc(context, "sparse_scale");
    padici_sparse_task_begin(&call.t, context, "sparse_scale", padici_sparse_scale_work);
    call.desc = *desc;
    call.desc.a = padici_sparse_reads(&call.t, &call.t.a, desc->a);
    call.desc.out = padici_sparse_makes(&call.t, desc->out);
    for (i = 0; i < call.t.task.count; i++) // a plane of `out` may be that of `a`
        call.t.task.view[i].kind = (uint8_t)(i % 4 + 1);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_SCALE, desc->out);
}

// Bytes as a view.
static padic_tensor padici_sparse_bytes_view(const padic_bytes *bytes, uint64_t size)
{
    padic_tensor t = padic_tensor_1d(PADIC_U8, bytes->data, size);
    t.buffer = bytes->buffer;
    t.offset = bytes->offset;
    return t;
}

typedef struct padici_sparse_write_task {
    padici_sparse_task t;
    const padic_sparse_csr *matrix;
    padic_tensor bytes;
    uint64_t capacity, size;
} padici_sparse_write_task;

static padic_result padici_sparse_write_work(padici_sparse_task *t)
{
    padici_sparse_write_task *call = (padici_sparse_write_task *)(void *)t;
    return padici_sparse_write(t->task.context, call->matrix, (uint8_t *)call->bytes.data,
                               call->capacity, &call->size);
}

PADIC_API padic_result padic_sparse_write(padic_context *context,
                                          const padic_sparse_write_desc *desc)
{
    padici_sparse_write_task call;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_write");
    padici_sparse_task_begin(&call.t, context, "sparse_write", padici_sparse_write_work);
    call.matrix = padici_sparse_reads(&call.t, &call.t.a, desc->matrix);
    call.capacity = desc->out.capacity;
    call.size = desc->matrix ? padic_sparse_write_size_bound(desc->matrix) : 0;
    call.bytes = padici_sparse_bytes_view(&desc->out, call.size < call.capacity ? call.size
                                                                                : call.capacity);
    call.size = 0;
    padici_view_add(&call.t.task, "out", &call.bytes, 1);
    result = padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_WRITE, NULL);
    if (desc->report) desc->report->size = call.size;
    return result;
}

typedef struct padici_sparse_read_task {
    padici_sparse_task t;
    padic_sparse_csr *out;
    padic_tensor bytes;
} padici_sparse_read_task;

static padic_result padici_sparse_read_work(padici_sparse_task *t)
{
    const padici_sparse_read_task *call = (const padici_sparse_read_task *)(void *)t;
    return padici_sparse_read(t->task.context, call->out, call->bytes.data, call->bytes.shape[0]);
}

PADIC_API padic_result padic_sparse_read(padic_context *context, const padic_sparse_read_desc *desc)
{
    padici_sparse_read_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_read");
    padici_sparse_task_begin(&call.t, context, "sparse_read", padici_sparse_read_work);
    call.bytes = padici_sparse_bytes_view(&desc->bytes, desc->bytes.size);
    padici_view_add(&call.t.task, "bytes", &call.bytes, 0);
    call.out = padici_sparse_makes(&call.t, desc->out);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_READ, desc->out);
}

PADIC_API padic_result padic_sparse_info(padic_context *context, const padic_bytes *bytes,
                                         padic_sparse_csr *csr)
{
    uint8_t head[PADIC_SPARSE_HEADER];
    const uint64_t size = bytes && bytes->size < sizeof head ? bytes->size : sizeof head;
    padici_place from, to;
    padic_result result;
    if (csr) memset(csr, 0, sizeof *csr);
    if (!bytes || !csr) return PADIC_ERROR_ARGUMENT;
    if (bytes->data || !bytes->buffer.id)
        return padici_sparse_info_of(bytes->data, bytes->size, csr);
    if (!context) return PADIC_ERROR_ARGUMENT;
    result = padici_buffer_part(context, "bytes", bytes->buffer, bytes->offset, size, &from);
    to.mem.bits = (uint64_t)(uintptr_t)head;
    to.at = 0;
    to.host = 1;
    if (!result) result = padici_target_move(context, &context->targets[0], &to, &from, size);
    return result ? result : padici_sparse_info_of(head, bytes->size, csr);
}

#endif
