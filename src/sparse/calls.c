#include "calls.h"
#include "../context/messages.h"
#include "../context/cpu.h"
#include "../context/launch.h"
#include "../context/place.h"
#include "../context/pool.h"
#include "../context/state.h"
#include "../context/target.h"
#include "../core/log.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../num/array.h"
#include "../num/space.h"
#include "../num/task.h"
#include "bytes.h"
#include "combine.h"
#include "decode.h"
#include "device.h"
#include "matrix.h"
#include "product.h"
#include "source.h"
#include "validate.h"
#include "view.h"

#if PADICI_IMPLEMENT_SPARSE

// Copies of planes on a device, for what only the host does

#define PADICI_SPARSE_LENT 12u // three matrices

typedef struct padici_sparse_loan {
    padic_context *context;
    uint32_t count;
    struct {
        padici_place home, now;
        uint64_t bytes;
        uint32_t block, part; // part: 1 + number of the plane of the matrix that is made
        const padic_sparse_csr *made;
    } lent[PADICI_SPARSE_LENT];
} padici_sparse_loan;

// *t comes to lie in host memory: as it is (`in`), or to be written, for padici_sparse_repay().
static padic_result padici_sparse_lend(padici_sparse_loan *loan, padic_tensor *t, int in, int out)
{
    padic_context *const context = loan->context;
    uint64_t count, before, bytes;
    int dense;
    uint32_t block;
    padici_place home;
    padic_result result;
    if (!context || t->data || !t->buffer.id) return PADIC_OK;
    if ((result = padici_operand_place(context, t, &home)) != PADIC_OK || home.host) return result;
    if ((result = padici_tensor_check_shape(t, &count)) != PADIC_OK) return result;
    if (context->strict || loan->count == PADICI_SPARSE_LENT) return PADIC_ERROR_NOT_SUPPORTED;
    bytes = count ? padici_tensor_span(t, &dense, &before) : 0;
    result = padici_pool_take(context, &context->pools[1], bytes ? bytes : 1, &block);
    if (result) return result;
    loan->lent[loan->count].home = home;
    loan->lent[loan->count].now.mem = context->pools[1].blocks[block].mem;
    loan->lent[loan->count].now.at = 0;
    loan->lent[loan->count].now.host = 1;
    loan->lent[loan->count].bytes = out ? bytes : 0;
    loan->lent[loan->count].block = block;
    loan->lent[loan->count].made = NULL;
    t->data = padici_mem_at(loan->lent[loan->count].now.mem, 0);
    t->buffer.id = 0;
    t->offset = 0;
    if (in) {
        context->stats.kernels.staged_bytes += bytes;
        result = padici_target_move(context, &context->targets[0], &loan->lent[loan->count].now,
                                    &home, bytes);
    }
    loan->count++;
    return result;
}

// The same with a matrix: *csr becomes *copy if there is something to lend. `made`: a matrix to be
// made, of which only what it then has goes home.
static PADICI_NOINLINE padic_result padici_sparse_lend_csr(padici_sparse_loan *loan,
                                                           const padic_sparse_csr **csr,
                                                           padic_sparse_csr *copy, int made)
{
    const uint32_t first = loan->count;
    padic_result result = PADIC_OK;
    uint32_t i, had;
    if (!*csr) return PADIC_OK;
    *copy = **csr;
    for (i = 0; i < 4 && !result; i++) {
        if (i == 3 && !padici_sparse_tensor(copy, 3)->dtype) break;
        had = loan->count;
        result = padici_sparse_lend(loan, padici_sparse_tensor(copy, i), !made, made);
        if (loan->count == had || !made) continue;
        loan->lent[had].made = copy;
        loan->lent[had].part = i;
    }
    if (loan->count > first) *csr = copy;
    return result;
}

// The planes of a matrix that was made are at home again in its struct.
static void padici_sparse_return(padic_sparse_csr *csr, const padic_sparse_csr *lent)
{
    padic_sparse_csr next = *lent;
    if (csr == lent) return;
    next.row_ptr = csr->row_ptr;
    next.col = csr->col;
    next.value = csr->value;
    next.val = csr->val;
    *csr = next;
}

// Ends a loan, after moving home what was written if the call was a success.
static padic_result padici_sparse_repay(padici_sparse_loan *loan, padic_result result)
{
    padic_context *const context = loan->context;
    const uint32_t count = loan->count;
    while (loan->count) {
        const uint32_t i = --loan->count;
        uint64_t bytes = loan->lent[i].bytes;
        padici_sparse m;
        if (loan->lent[i].made && !padici_sparse_head(loan->lent[i].made, &m) &&
            m.bytes[loan->lent[i].part] < bytes)
            bytes = m.bytes[loan->lent[i].part];
        if (bytes && !result) {
            context->stats.kernels.staged_bytes += bytes;
            result = padici_target_move(context, &context->targets[0], &loan->lent[i].home,
                                        &loan->lent[i].now, bytes);
        }
        padici_pool_give(context, &context->pools[1], loan->lent[i].block);
    }
    if (count && !result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "sparse: an operation on buffers was done on the host (said once)");
    if (count && !result) context->stats.kernels.calls++;
    return result;
}

// An operation that reads one matrix.
#define PADICI_SPARSE_READER(name, call)                                          \
    padici_sparse_loan loan;                                                      \
    padic_sparse_csr copy;                                                        \
    padic_result result;                                                          \
    loan.context = context;                                                       \
    loan.count = 0;                                                               \
    result = padici_sparse_lend_csr(&loan, &csr, &copy, 0);                       \
    result = result ? padici_sparse_end(context, name, result) : (call);          \
    return padici_sparse_repay(&loan, result)

PADIC_API padic_result padic_sparse_validate(padic_context *context,
                                             const padic_sparse_validate_desc *desc)
{
    const padic_sparse_csr *csr = desc ? desc->matrix : NULL;
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_result result;
    uint64_t bad_row = 0;
    if (!desc) return padici_sparse_no_desc(context, "sparse_validate");
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &csr, &copy, 0);
    if (result)
        result = padici_sparse_end(context, "sparse_validate", result);
    else if (csr == desc->matrix)
        result = padici_sparse_validate_host(context, desc->matrix, desc->level, &bad_row);
    else
        result = padici_sparse_validate_host(context, &copy, desc->level, &bad_row);
    if (!result) desc->matrix->trusted = desc->level;
    if (desc->report) desc->report->bad_row = bad_row;
    return padici_sparse_repay(&loan, result);
}

PADIC_API padic_result padic_sparse_row(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t *first, uint64_t *count)
{
    PADICI_SPARSE_READER("sparse_row", padici_sparse_row_host(context, csr, row, first, count));
}

PADIC_API padic_result padic_sparse_get(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t col, int64_t *entry)
{
    PADICI_SPARSE_READER("sparse_get", padici_sparse_get_host(context, csr, row, col, entry));
}

PADIC_API padic_result padic_sparse_col(padic_context *context, const padic_sparse_col_desc *desc)
{
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_sparse_col_desc local;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_col");
    local = *desc;
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &local.matrix, &copy, 0);
    if (!result) result = padici_sparse_lend(&loan, &local.out, 0, 1);
    result = result ? padici_sparse_end(context, "sparse_col", result)
                    : padici_sparse_col_host(context, &local);
    return padici_sparse_repay(&loan, result);
}

// Bytes as a view.
static padic_tensor padici_sparse_bytes_view(const padic_bytes *bytes, uint64_t size)
{
    padic_tensor t = padic_tensor_1d(PADIC_U8, bytes->data, size);
    t.buffer = bytes->buffer;
    t.offset = bytes->offset;
    return t;
}

PADIC_API padic_result padic_sparse_write(padic_context *context,
                                          const padic_sparse_write_desc *desc)
{
    const padic_sparse_csr *csr = desc ? desc->matrix : NULL;
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_tensor to;
    void *data = NULL;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_write");
    if (desc->report) desc->report->size = 0;
    loan.context = context;
    loan.count = 0;
    to = padici_sparse_bytes_view(&desc->out, csr ? padic_sparse_write_size_bound(csr) : 0);
    if (to.shape[0] > desc->out.capacity) to.shape[0] = desc->out.capacity;
    result = padici_sparse_lend_csr(&loan, &csr, &copy, 0);
    if (!result) result = padici_sparse_lend(&loan, &to, 0, 1);
    if (!result) result = padici_host_pointer(context, &to, &data);
    result = result ? padici_sparse_end(context, "sparse_write", result)
                    : padici_sparse_write_host(context, csr, data, desc->out.capacity,
                                               desc->report);
    return padici_sparse_repay(&loan, result);
}

PADIC_API padic_result padic_sparse_info(padic_context *context, const padic_bytes *bytes,
                                         padic_sparse_csr *csr)
{
    padici_sparse_loan loan;
    padic_tensor from;
    void *data = NULL;
    padic_result result;
    if (csr) memset(csr, 0, sizeof *csr);
    if (!bytes || !csr) return PADIC_ERROR_ARGUMENT;
    loan.context = context;
    loan.count = 0;
    from = padici_sparse_bytes_view(bytes, bytes->size < PADIC_SPARSE_HEADER ? bytes->size
                                                                             : PADIC_SPARSE_HEADER);
    result = padici_sparse_lend(&loan, &from, 1, 0);
    if (!result) result = padici_host_pointer(context, &from, &data);
    if (!result) result = padici_sparse_info_of(data, bytes->size, csr);
    return padici_sparse_repay(&loan, result);
}

// NOT_SUPPORTED where the host has to do it.
static padic_result padici_sparse_decode_device(padic_context *context, const padic_tensor *dense,
                                                const padic_sparse_csr *csr)
{
    padici_num_space space;
    padici_sparse_decode_drive d;
    padici_sparse_source to;
    padici_sparse_stage stage;
    padici_sparse m;
    padici_num_range list[8];
    uint32_t n = 0;
    padic_result result;
    memset(&space, 0, sizeof space);
    memset(&to, 0, sizeof to);
    memset(&d, 0, sizeof d);
    result = padici_sparse_dense(context, &space, &to, dense, 0, NULL);
    if (!result) result = padici_sparse_planes_in(context, &space, csr, 0, &m);
    if (result) return result;
    if (!space.mems || csr->kind != PADIC_SPARSE_PLAIN || !csr->trusted ||
        (to.rows > 1 && to.stride != to.cols))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (to.rows != csr->rows || to.cols != csr->cols || to.dtype != csr->value.dtype)
        return PADIC_ERROR_MISMATCH;
    padici_sparse_ranges(&m, 0, 0, list, &n);
    padici_num_range_add(list, &n, to.key, to.rows * to.cols * to.size, 0, 1);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    d.size = to.size;
    d.wide = m.wide;
    d.rows = m.rows;
    d.cols = m.cols;
    d.nnz = m.nnz;
    result = padici_drive(context, PADIC_KERNEL_SPARSE_DECODE, &d, 1);
    if (result || !m.rows || !m.cols) return result;
    padici_sparse_stage_begin(&stage, context, &space, 0);
    result = padici_sparse_reach(&stage, m.row_ptr, m.bytes[0], 1, &d.row_ptr);
    if (!result) result = padici_sparse_reach(&stage, m.col, m.bytes[1], 1, &d.col);
    if (!result) result = padici_sparse_reach(&stage, m.value, m.bytes[2], 1, &d.value);
    if (!result)
        result = padici_sparse_reach(&stage, to.key, to.rows * to.cols * to.size, 0, &d.dense);
    if (!result) result = padici_drive(context, PADIC_KERNEL_SPARSE_DECODE, &d, 0);
    if (!result) result = padici_sparse_home(&stage, &d.dense, to.rows * to.cols * to.size);
    padici_sparse_stage_end(&stage);
    if (!result) context->stats.kernels.calls++;
    return result;
}

PADIC_API padic_result padic_sparse_decode(padic_context *context,
                                           const padic_sparse_decode_desc *desc)
{
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_sparse_decode_desc local;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    if (!desc) return padici_sparse_no_desc(context, "sparse_decode");
    if (context && desc->out.dtype && !desc->out_numbers.ring && desc->matrix &&
        (desc->out.buffer.id || desc->matrix->row_ptr.buffer.id)) {
        result = padici_sparse_decode_device(context, &desc->out, desc->matrix);
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            return padici_sparse_end(context, "sparse_decode", result);
    }
    local = *desc;
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &local.matrix, &copy, 0);
    if (!result && local.out.dtype) result = padici_sparse_lend(&loan, &local.out, 0, 1);
    result = result ? padici_sparse_end(context, "sparse_decode", result)
                    : padici_sparse_decode_host(context, &local);
    return padici_sparse_repay(&loan, result);
}

PADIC_API padic_result padic_sparse_product(padic_context *context,
                                            const padic_sparse_product_desc *desc)
{
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_sparse_product_desc local;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_product");
    local = *desc;
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &local.a, &copy, 0);
    if (!result) result = padici_sparse_lend(&loan, &local.x, 1, 0);
    if (!result) result = padici_sparse_lend(&loan, &local.y, 0, 1);
    if (!result) result = padici_sparse_product(context, &local);
    return padici_sparse_repay(&loan, padici_sparse_end(context, "sparse_product", result));
}

// An operation that makes *out of a and b.
#define PADICI_SPARSE_MAKER(name, a, b, call)                                      \
    const padic_sparse_csr *made = desc->out;                                      \
    padici_sparse_loan loan;                                                       \
    padic_sparse_csr copies[3], *to = desc->out;                                   \
    padic_result result;                                                           \
    loan.context = context;                                                        \
    loan.count = 0;                                                                \
    result = padici_sparse_lend_csr(&loan, &made, &copies[0], 1);                  \
    if (made != desc->out) to = &copies[0];                                        \
    if (!result) result = padici_sparse_lend_csr(&loan, (a), &copies[1], 0);       \
    if (!result) result = padici_sparse_lend_csr(&loan, (b), &copies[2], 0);       \
    result = result ? padici_sparse_end(context, name, result) : (call);           \
    if (desc->out) padici_sparse_return(desc->out, to);                            \
    return padici_sparse_repay(&loan, result)

PADIC_API padic_result padic_sparse_transpose(padic_context *context,
                                              const padic_sparse_transpose_desc *desc)
{
    const padic_sparse_csr *a = desc ? desc->a : NULL, *none = NULL;
    if (!desc) return padici_sparse_no_desc(context, "sparse_transpose");
    {
        PADICI_SPARSE_MAKER("sparse_transpose", &a, &none,
                            padici_sparse_end(context, "sparse_transpose",
                                              padici_sparse_transpose(context, to, a)));
    }
}

PADIC_API padic_result padic_sparse_add(padic_context *context, const padic_sparse_add_desc *desc)
{
    padic_sparse_add_desc local;
    if (!desc) return padici_sparse_no_desc(context, "sparse_add");
    local = *desc;
    {
        PADICI_SPARSE_MAKER("sparse_add", &local.a, &local.b,
                            (local.out = to, padici_sparse_add_host(context, &local)));
    }
}

PADIC_API padic_result padic_sparse_scale(padic_context *context,
                                          const padic_sparse_scale_desc *desc)
{
    const padic_sparse_csr *none = NULL;
    padic_sparse_scale_desc local;
    if (!desc) return padici_sparse_no_desc(context, "sparse_scale");
    local = *desc;
    {
        PADICI_SPARSE_MAKER("sparse_scale", &local.a, &none,
                            (local.out = to, padici_sparse_scale_host(context, &local)));
    }
}

static padic_result padici_sparse_read_lent(padic_context *context, padici_sparse_loan *loan,
                                            const padic_bytes *bytes, padic_sparse_csr *to)
{
    padic_tensor from = padici_sparse_bytes_view(bytes, bytes->size);
    void *data = NULL;
    padic_result result = padici_sparse_lend(loan, &from, 1, 0);
    if (!result) result = padici_host_pointer(context, &from, &data);
    if (!result) result = padici_sparse_read(context, to, data, bytes->size);
    return padici_sparse_end(context, "sparse_read", result);
}

PADIC_API padic_result padic_sparse_read(padic_context *context, const padic_sparse_read_desc *desc)
{
    const padic_sparse_csr *none = NULL, *nor = NULL;
    if (!desc) return padici_sparse_no_desc(context, "sparse_read");
    {
        PADICI_SPARSE_MAKER("sparse_read", &none, &nor,
                            padici_sparse_read_lent(context, &loan, &desc->bytes, to));
    }
}

#undef PADICI_SPARSE_LENT
#undef PADICI_SPARSE_READER
#undef PADICI_SPARSE_MAKER

#endif
