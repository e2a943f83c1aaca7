#include "product.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_RNN)

// What the drivers of steps and of runs share: views, products, the check of numbers.

// The variant of the kernels for weights of a dtype.
PADICI_FN uint32_t padici_gpu_rnn_define(padic_dtype dtype, const char **define)
{
    *define = dtype == PADIC_F16    ? "PD_RNN_W=1"
              : dtype == PADIC_BF16 ? "PD_RNN_W=2"
              : dtype == PADIC_I8   ? "PD_RNN_W=3"
                                    : NULL;
    return *define != NULL;
}

PADICI_FN uint32_t padici_gpu_rnn_flags(const padici_rnn_options *is)
{
    uint32_t flags = 0;
    if (is->kind == PADIC_RNN_KIND_GRU) {
        if (is->reset == PADIC_RNN_RESET_BEFORE) flags |= PADICI_GPU_RNN_BEFORE;
        if (is->update == PADIC_RNN_UPDATE_REPLACE) flags |= PADICI_GPU_RNN_REPLACE;
    } else if (is->kind == PADIC_RNN_KIND_LINEAR) {
        if (is->activation == PADIC_RNN_ACTIVATION_TANH) flags |= PADICI_GPU_RNN_TANH;
        if (is->activation == PADIC_RNN_ACTIVATION_SIGMOID) flags |= PADICI_GPU_RNN_SIGMOID;
        if (is->activation == PADIC_RNN_ACTIVATION_RELU) flags |= PADICI_GPU_RNN_RELU;
    }
    return flags;
}

PADICI_FN padic_result padici_gpu_rnn_need(padici_gpu *gpu, uint32_t kernel, padic_dtype dtype)
{
    const char *define;
    const uint32_t count = padici_gpu_rnn_define(dtype, &define);
    return padici_gpu_need(gpu, kernel, &define, count);
}

// Whether NVIDIA's tensor cores do it.
static int padici_gpu_rnn_by_cores(padici_gpu *gpu, padici_gpu_work *work)
{
    const uint32_t kernel = PADICI_KERNEL_CUDA_RNN_PRODUCT_RUN;
    if (!padici_gpu_is_sm(gpu, 80) || !padici_gpu_rnn_may(gpu, kernel) ||
        padici_gpu_need(gpu, kernel, work->defines, work->define_count))
        return 0;
    work->kernel = kernel;
    return 1;
}

// `few`: a step of a few rows. What decides must not depend on how many steps a call has.
PADICI_FN padic_result padici_gpu_rnn_multiply(padici_gpu *gpu, const padici_gpu_rnn_product *p,
                                               int few)
{
    const char *define;
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = few ? PADICI_KERNEL_RNN_DOTS : PADICI_KERNEL_RNN_PRODUCT;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(p->dtype, &define);
    work.mem[0] = p->x;
    work.mem[1] = p->weights;
    work.mem[2] = p->k.bias ? p->bias : p->x;
    work.mem[3] = p->dtype == PADIC_I8 ? p->scale : p->x;
    work.mem[4] = p->k.flags & PADICI_GPU_RNN_LENGTHS ? p->lengths : p->x;
    work.mem[5] = p->out;
    work.mem_count = 6;
    work.params = &p->k;
    work.params_size = sizeof p->k;
    work.groups[0] = few ? (p->k.width + 7) / 8 : (p->k.rows + 63) / 64;
    work.groups[1] = few ? p->k.rows : (p->k.width + 63) / 64;
    if (!few && padici_gpu_rnn_by_cores(gpu, &work)) work.groups[0] = (p->k.rows + 127) / 128;
    return padici_gpu_launch(gpu, &work);
}

PADICI_FN const padici_operand *padici_gpu_rnn_operand(const padici_call *call,
                                                       const padic_tensor *t)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].tensor == t) return &call->operands[i];
    return NULL;
}

// Whether kernels reach all operands: whole elements, by 32 bits; one result over its input has
// its strides.
PADICI_FN int padici_gpu_rnn_reach(const padici_call *call)
{
    uint32_t i, j;
    for (i = 0; i < call->operand_count; i++) {
        const padici_operand *o = &call->operands[i];
        const uint64_t size = padic_dtype_size(o->tensor->dtype);
        if (o->tensor->dtype == PADIC_F64) return 0;
        if ((!o->home.host && o->home.at % size) || (o->home.at + o->bytes) / size >> 32) {
            if (!o->home.host || o->bytes / size >> 32) return 0;
        }
        for (j = 0; j < call->operand_count; j++) {
            const padici_operand *in = &call->operands[j];
            int64_t a[PADIC_MAX_RANK], b[PADIC_MAX_RANK];
            if (!o->out || i == j || !o->kind || o->kind != in->kind) continue;
            if (o->home.host != in->home.host || o->home.mem.bits != in->home.mem.bits ||
                o->home.at != in->home.at)
                continue;
            padici_tensor_dense(o->tensor, a);
            padici_tensor_dense(in->tensor, b);
            if (memcmp(a, b, o->tensor->rank * sizeof *a)) return 0;
        }
    }
    return 1;
}

PADICI_FN void padici_gpu_rnn_view_of(const padici_call *call, const padic_tensor *t,
                                      padici_gpu_rnn_view *view)
{
    const padici_operand *o = padici_gpu_rnn_operand(call, t);
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(view, 0, sizeof *view);
    if (!o) return;
    padici_tensor_dense(t, stride);
    view->mem = o->now.mem;
    view->at = (uint32_t)(o->now.at / padic_dtype_size(t->dtype));
    for (i = 0; i < t->rank; i++) view->step[i] = (uint32_t)stride[i];
}

// All numbers of a view: (rows, columns), or with times, which `first` puts after the rows.
PADICI_FN void padici_gpu_rnn_check_of(const padici_gpu_rnn_view *x, uint32_t rank, uint32_t first,
                                       const uint64_t *shape, padici_k_rnn_check_params *k)
{
    const uint32_t row = rank == 3 && !first;
    memset(k, 0, sizeof *k);
    k->times = rank == 3 ? (uint32_t)shape[first ? 1 : 0] : 1;
    k->rows = (uint32_t)shape[row];
    k->columns = (uint32_t)shape[rank - 1];
    k->at = x->at;
    k->time = rank == 3 ? x->step[first ? 1 : 0] : 0;
    k->row = x->step[row];
    k->column = x->step[rank - 1];
}

// Looks for numbers that are not finite, and for lengths that are too large; `found` is made first.
PADICI_FN padic_result padici_gpu_rnn_check(padici_gpu *gpu, padic_mem x, padic_mem lengths,
                                            padici_gpu_block *found,
                                            const padici_k_rnn_check_params *k)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = PADICI_KERNEL_RNN_CHECK;
    work.mem[0] = x;
    work.mem[1] = k->flags & PADICI_GPU_RNN_LENGTHS ? lengths : x;
    work.mem[2] = found->mem;
    work.mem_count = 3;
    work.params = k;
    work.params_size = sizeof *k;
    work.groups[0] = k->rows;
    return padici_gpu_launch(gpu, &work);
}

#endif
