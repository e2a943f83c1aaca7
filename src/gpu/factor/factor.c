#include "factor.h"
#include "../../context/messages.h"
#include "../../context/target.h"
#include "../../core/memory.h"
#include "../../core/tensor.h"
#include "../../tensor/plan.h"
#include "../launch.h"
#include "../tuner.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Singular values, QR and eigenvalues of batches of small matrices.

// 1 if a matrix of m x n numbers of `bytes` fits into the kernels' local memory.
PADICI_FN int padici_gpu_tensor_factor_fits(uint64_t local, uint64_t m, uint64_t n, uint64_t bytes)
{
    return m <= 8192 && n <= 8192 && (m | 1) * n * bytes <= (local >= 49152 ? 33280u : 11264u);
}

// The kernel of cuda/tensor/factor.cu for m x n numbers in F32, its second and third define; 0:
// none.
PADICI_FN uint32_t padici_gpu_tensor_factor_cuda(const padici_gpu *gpu, uint64_t m, uint64_t n,
                                                 int vectors, const char **defines)
{
    if (m > 64 || n > 64 || !padici_gpu_is_sm(gpu, 75)) return 0;
    defines[1] = vectors ? "PD_FACTOR_VECTORS=1" : "PD_FACTOR_VECTORS=0";
    defines[2] = m > 32 || n > 32 ? "PD_FACTOR_ITEMS=256" : "PD_FACTOR_ITEMS=128";
    return m > 16 || n > 16 ? PADICI_KERNEL_CUDA_FACTOR_COLUMNS : PADICI_KERNEL_CUDA_FACTOR_SMALL;
}

static uint32_t padici_gpu_tensor_factor_first(const padici_gpu_tensor_factor *g, uint32_t i)
{
    return g->operands[i] ? (uint32_t)(g->operands[i]->now.at / g->unit) : 0;
}

// The layout of tensor i, transposed when `turn`: first part, steps of batch, row, column.
static void padici_gpu_tensor_factor_steps(const padici_gpu_tensor_factor *g, uint32_t i, int turn,
                                           uint32_t *first, int32_t *batch, int32_t *row,
                                           int32_t *column)
{
    const int64_t *stride = g->f.stride[i];
    *first = padici_gpu_tensor_factor_first(g, i);
    *batch = (int32_t)stride[0];
    *row = (int32_t)stride[turn ? 2 : 1];
    *column = (int32_t)stride[turn ? 1 : 2];
}

// Strides fit 31 bits wherever an axis is longer than 1; the others do not matter.
static int padici_gpu_tensor_factor_near(padici_gpu_tensor_factor *g, uint32_t i)
{
    const padici_operand *o = g->operands[i];
    int64_t *stride = g->f.stride[i];
    uint32_t j;
    if (!o) return 1;
    if (o->now.at % g->unit || (o->bytes + (o->now.host ? 0 : o->now.at)) / g->unit >> 31) return 0;
    for (j = 0; j < 3; j++)
        if (stride[j] > INT32_MAX || stride[j] < -INT32_MAX) stride[j] = 0;
    return 1;
}

// The position and kind of the kernel's status per matrix: padic_result, as in info.
PADICI_FN void padici_gpu_tensor_factor_words(padici_k_tensor_factor_params *k, uint32_t first,
                                              int32_t step)
{
    k->i_first = first;
    k->i_step = step;
    k->not_finite = (uint32_t)PADIC_ERROR_NOT_FINITE;
    k->not_done = (uint32_t)PADIC_ERROR_DOMAIN;
}

// The kernel's parameters; NOT_SUPPORTED if it is too large. Of a wide matrix the adjoint is
// decomposed, whose first result is the tensor `vh`, transposed.
PADICI_FN padic_result padici_gpu_tensor_factor_begin(padici_gpu_tensor_factor *g, uint64_t local)
{
    const padic_dtype dtype = g->f.tensors[0].dtype;
    const int is_double = padici_tensor_is_double(dtype), both = padici_tensor_is_complex(dtype);
    const int svd = g->f.kind == PADICI_TENSOR_FACTOR_SVD, turn = svd && g->f.m < g->f.n;
    const uint64_t m = turn ? g->f.n : g->f.m, n = turn ? g->f.m : g->f.n;
    const uint32_t last = svd ? 3 : 2;
    uint32_t i;
    g->unit = is_double ? 8 : 4;
    g->parts = both ? 2 : 1;
    g->defines[0] = both ? "PD_FACTOR_PARTS=2" : "PD_FACTOR_PARTS=1";
    g->defines[1] = is_double ? "PD_FACTOR_F64=1" : "PD_FACTOR_F64=0";
    g->define_count = 2;
    g->kernel = svd                                    ? PADICI_KERNEL_FACTOR_SVD
                : g->f.kind == PADICI_TENSOR_FACTOR_QR ? PADICI_KERNEL_FACTOR_QR
                                                       : PADICI_KERNEL_FACTOR_EIGH;
    if (g->f.r > 64 || !padici_gpu_tensor_factor_fits(local, m, n, g->parts * g->unit))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i <= last; i++)
        if (!padici_gpu_tensor_factor_near(g, i)) return PADIC_ERROR_NOT_SUPPORTED;
    g->k.batch = (uint32_t)g->f.batch;
    g->k.m = (uint32_t)m;
    g->k.n = (uint32_t)n;
    padici_gpu_tensor_factor_steps(g, 0, turn, &g->k.a_first, &g->k.a_batch, &g->k.a_row,
                                   &g->k.a_column);
    // x: m x r; y: n x n of svd, which is written conjugated and turned to vh, or r x n of qr.
    padici_gpu_tensor_factor_steps(g, turn ? 2 : 1, turn, &g->k.x_first, &g->k.x_batch, &g->k.x_row,
                                   &g->k.x_column);
    padici_gpu_tensor_factor_steps(g, turn ? 1 : 2, svd && !turn, &g->k.y_first, &g->k.y_batch,
                                   &g->k.y_row, &g->k.y_column);
    g->k.w_first = padici_gpu_tensor_factor_first(g, last);
    g->k.w_batch = (int32_t)g->f.stride[last][0];
    g->k.w_row = (int32_t)g->f.stride[last][1];
    g->k.flags = turn ? PADICI_GPU_TENSOR_FACTOR_ADJOINT : 0;
    if (g->operands[turn ? 2 : 1]) g->k.flags |= PADICI_GPU_TENSOR_FACTOR_LEFT;
    if (g->f.kind != PADICI_TENSOR_FACTOR_EIGH && g->operands[turn ? 1 : 2])
        g->k.flags |= PADICI_GPU_TENSOR_FACTOR_RIGHT;
    if (g->f.kind != PADICI_TENSOR_FACTOR_QR && g->operands[last])
        g->k.flags |= PADICI_GPU_TENSOR_FACTOR_VALUES;
    padici_gpu_tensor_factor_words(&g->k, 0, 1);
    if (g->status) {
        if (g->status->now.at % 4 || g->status->bytes >> 31) return PADIC_ERROR_NOT_SUPPORTED;
        if (g->status->now.at >> 33) return PADIC_ERROR_NOT_SUPPORTED;
        padici_gpu_tensor_factor_words(&g->k, (uint32_t)(g->status->now.at / 4),
                                       g->k.batch > 1 ? (int32_t)g->f.status_step : 0);
    }
    return PADIC_OK;
}

// The kernel's status of each matrix.
static padic_result padici_gpu_tensor_factor_info(padici_gpu *gpu, padic_mem mem, uint32_t batch)
{
    char sentence[96];
    padic_result result;
    int32_t *words = (int32_t *)padici_alloc(&gpu->context->allocator, (size_t)batch * 4, 16);
    if (!words) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_download(gpu, mem, 0, words, (uint64_t)batch * 4);
    if (!result) {
        result = padici_tensor_factor_say(words, batch, sentence, sizeof sentence);
        if (result) result = padici_fail_here(gpu->context, result, sentence);
    }
    padici_free(&gpu->context->allocator, words, (size_t)batch * 4);
    return result;
}

// Matrices without elements: only `status` is written.
static padic_result padici_gpu_tensor_factor_none(padici_gpu *gpu,
                                                  const padici_gpu_tensor_factor *g)
{
    padic_result result = PADIC_OK;
    uint64_t b;
    for (b = 0; g->status && b < g->k.batch && !result; b++)
        result = padici_target_fill(gpu->context, gpu->target, g->status->now.mem,
                                    4 * (g->k.i_first + b * (uint64_t)g->k.i_step), 0, 4);
    return result;
}

PADICI_FN int padici_example_factor_groups(padici_any_desc *desc, uint32_t size_class)
{
    const uint64_t batch = UINT64_C(8) << 4 * size_class;
    desc->tensor_svd.a = padic_tensor_3d(PADIC_F32, NULL, batch, 16, 16);
    desc->tensor_svd.s = padic_tensor_2d(PADIC_F32, NULL, batch, 16);
    return size_class < 3;
}

static padic_result padici_gpu_tensor_factor_run(padici_gpu *gpu, const padici_gpu_tensor_factor *g)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const int cuda = g->define_count == 3, little = g->kernel == PADICI_KERNEL_CUDA_FACTOR_SMALL;
    const uint64_t most =
        (little ? 4 : 1) * units *
        padici_gpu_choose(gpu, &padici_tunable_factor_groups,
                          (uint64_t)g->k.batch * g->k.m * g->k.n)->number;
    const uint64_t groups = g->k.batch < most ? g->k.batch : most;
    const int turn = (g->k.flags & PADICI_GPU_TENSOR_FACTOR_ADJOINT) != 0;
    padici_gpu_block words, space;
    padici_gpu_work work;
    padic_mem mem[4];
    uint32_t i;
    padic_result result = PADIC_OK;
    words.block = space.block = PADICI_NO_BLOCK;
    if (g->status)
        words.mem = g->status->now.mem;
    else
        result = padici_gpu_scratch(gpu, (uint64_t)g->k.batch * 4, &words);
    if (!result && g->f.kind != PADICI_TENSOR_FACTOR_QR && !cuda) // V of each group
        result = padici_gpu_scratch(gpu, groups * g->parts * g->k.n * g->k.n * g->unit, &space);
    if (!result) {
        memset(&work, 0, sizeof work);
        for (i = 0; i < 4; i++) mem[i] = g->operands[i] ? g->operands[i]->now.mem : words.mem;
        i = 0;
        work.mem[i++] = mem[0];
        work.mem[i++] = mem[turn ? 2 : 1];
        if (g->f.kind != PADICI_TENSOR_FACTOR_EIGH || cuda) work.mem[i++] = mem[turn ? 1 : 2];
        if (g->f.kind != PADICI_TENSOR_FACTOR_QR)
            work.mem[i++] = mem[g->f.kind == PADICI_TENSOR_FACTOR_SVD ? 3 : 2];
        work.mem[i++] = words.mem;
        if (g->f.kind != PADICI_TENSOR_FACTOR_QR && !cuda) work.mem[i++] = space.mem;
        work.mem_count = i;
        work.kernel = g->kernel;
        work.defines = g->defines;
        work.define_count = g->define_count;
        work.params = &g->k;
        work.params_size = sizeof g->k;
        work.groups[0] = (uint32_t)groups;
        result = padici_gpu_launch(gpu, &work);
    }
    if (!result && !g->status) result = padici_gpu_tensor_factor_info(gpu, words.mem, g->k.batch);
    padici_gpu_scratch_end(gpu, &space);
    padici_gpu_scratch_end(gpu, &words);
    return result;
}

// Runs cuda/tensor/factor.cu, where it supports this matrix and this device.
static void padici_gpu_tensor_factor_take_cuda(padici_gpu *gpu, padici_gpu_tensor_factor *g)
{
    const int eigh = g->f.kind == PADICI_TENSOR_FACTOR_EIGH;
    const int vectors =
        (g->k.flags & (PADICI_GPU_TENSOR_FACTOR_LEFT | PADICI_GPU_TENSOR_FACTOR_RIGHT)) && !eigh;
    const char *defines[3];
    uint32_t kernel = 0;
    defines[0] = g->defines[0];
    if (g->unit == 4 && g->f.kind != PADICI_TENSOR_FACTOR_QR)
        kernel = padici_gpu_tensor_factor_cuda(gpu, g->k.m, g->k.n, vectors, defines);
    if (!kernel || padici_gpu_need(gpu, kernel, defines, 3)) return;
    memcpy(g->defines, defines, sizeof defines);
    g->define_count = 3;
    g->kernel = kernel;
    if (eigh) g->k.flags |= PADICI_GPU_TENSOR_FACTOR_HERMITIAN;
}

static padic_result padici_gpu_tensor_factor_call(padici_gpu *gpu, const padici_call *call,
                                                  int query, padici_gpu_tensor_factor *g)
{
    uint32_t i, next = 0;
    padic_result result;
    for (i = 0; i < 4; i++)
        g->operands[i] = g->f.tensors[i].dtype == PADIC_DTYPE_NONE ? NULL : &call->operands[next++];
    if (g->f.status.dtype != PADIC_DTYPE_NONE) g->status = &call->operands[next];
    if (padici_tensor_is_double(g->f.tensors[0].dtype) &&
        !(gpu->info->features & PADIC_FEATURE_F64))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_tensor_factor_begin(g, gpu->info->local_bytes);
    if (!result) padici_gpu_tensor_factor_take_cuda(gpu, g);
    if (!result && g->define_count == 2) result = padici_gpu_need(gpu, g->kernel, g->defines, 2);
    if (query || result) return result;
    gpu->context->method = g->define_count == 2 ? "a matrix a group" : "columns in registers";
    return g->f.r ? padici_gpu_tensor_factor_run(gpu, g) : padici_gpu_tensor_factor_none(gpu, g);
}

PADICI_FN padic_result padici_gpu_tensor_svd(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_tensor_svd_desc *desc = &call->desc->tensor_svd;
    padici_gpu_tensor_factor g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_tensor_factor_of_svd(gpu->context, desc, &g.f);
    if (!result && (desc->rank || desc->cutoff > 0 || desc->ranks.dtype || desc->discarded.dtype))
        return PADIC_ERROR_NOT_SUPPORTED;
    return result ? result : padici_gpu_tensor_factor_call(gpu, call, query, &g);
}

PADICI_FN padic_result padici_gpu_tensor_qr(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_tensor_qr_desc *desc = &call->desc->tensor_qr;
    padici_gpu_tensor_factor g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_tensor_factor_of_qr(gpu->context, desc, &g.f);
    return result ? result : padici_gpu_tensor_factor_call(gpu, call, query, &g);
}

PADICI_FN padic_result padici_gpu_tensor_eigh(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_tensor_eigh_desc *desc = &call->desc->tensor_eigh;
    padici_gpu_tensor_factor g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_tensor_factor_of_eigh(gpu->context, desc, &g.f);
    return result ? result : padici_gpu_tensor_factor_call(gpu, call, query, &g);
}

#endif
