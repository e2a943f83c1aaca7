#include "entropy.h"
#include "../../context/messages.h"
#include "../../core/memory.h"
#include "../../tensor/eigh.h"
#include "../../tensor/entropy.h"
#include "../../tensor/ops.h"
#include "../../tensor/plan.h"
#include "../../tensor/schmidt.h"
#include "../../tensor/svd.h"
#include "../launch.h"
#include "../variants.h"
#include "factor.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Entropies: the state as a dense matrix, columns of its shorter side, which is at most 2048. Then
// its singular values; or the eigenvalues of its Gram matrix in F64, here or, when it is too large
// for local memory, on the host.

enum { PADICI_GPU_TENSOR_CUT_SVD, PADICI_GPU_TENSOR_CUT_EIGH, PADICI_GPU_TENSOR_CUT_HOST };

typedef struct padici_gpu_tensor_cut {
    padici_tensor_cut cut;
    uint32_t route, rho, parts, unit; // unit: bytes of a real number
    uint64_t mask[3];                 // axes of rows, of high and of low places of columns
    uint64_t size[3];
    const char *defines[2], *values[3]; // values: of cuda/tensor/factor.cu
    uint32_t cuda;                      // its kernel for the singular values; 0: none
    padici_k_factor_cut_params c;
    padici_gpu_block places, matrix, gram, answer;
    double *p, few[64]; // p: as many as the shorter side has
} padici_gpu_tensor_cut;

// Low places: the last axes of the longer side, 4096 of them or one axis.
static void padici_gpu_tensor_cut_masks(padici_gpu_tensor_cut *g, uint64_t part)
{
    const padici_tensor_cut *cut = &g->cut;
    const uint64_t all = cut->axes == 64 ? UINT64_MAX : (UINT64_C(1) << cut->axes) - 1;
    const uint64_t longer = cut->shorter ? all & ~part : part;
    uint32_t axis;
    g->mask[0] = all & ~longer;
    g->size[0] = cut->size[0];
    g->mask[2] = 0;
    g->size[2] = 1;
    for (axis = cut->axes; axis-- > 0;) {
        if (!(longer >> axis & 1)) continue;
        if (g->mask[2] && g->size[2] * cut->extent[axis] > 4096) break;
        g->mask[2] |= UINT64_C(1) << axis;
        g->size[2] *= cut->extent[axis];
    }
    g->mask[1] = longer & ~g->mask[2];
    g->size[1] = cut->size[1] / g->size[2];
}

// NOT_SUPPORTED: too large, or F64 is needed but missing.
static padic_result padici_gpu_tensor_cut_route(const padici_gpu *gpu, padici_gpu_tensor_cut *g,
                                                const padici_operand *o)
{
    const int is_double = padici_tensor_is_double(g->cut.tensor.dtype);
    const int wide = (gpu->info->features & PADIC_FEATURE_F64) != 0;
    const uint64_t local = gpu->info->local_bytes, r = g->cut.size[0], c = g->cut.size[1];
    g->parts = padici_tensor_is_complex(g->cut.tensor.dtype) ? 2 : 1;
    if (r > 2048 || o->now.at % 4 || (o->bytes + o->now.at) >> 33 || r * c * g->parts >> 31 ||
        (is_double && !wide))
        return PADIC_ERROR_NOT_SUPPORTED;
    g->unit = 8;
    if (r > 64) {
        if (g->rho || !wide) return PADIC_ERROR_NOT_SUPPORTED;
        g->route = PADICI_GPU_TENSOR_CUT_HOST;
    } else if (wide && (!is_double || g->rho) &&
               padici_gpu_tensor_factor_fits(local, r, r, 8 * g->parts)) {
        g->route = PADICI_GPU_TENSOR_CUT_EIGH;
    } else if (!g->rho &&
               padici_gpu_tensor_factor_fits(local, c, r, (is_double ? 8 : 4) * g->parts)) {
        g->route = PADICI_GPU_TENSOR_CUT_SVD;
        g->unit = is_double ? 8 : 4;
    } else if (!g->rho && wide && !is_double) {
        g->route = PADICI_GPU_TENSOR_CUT_HOST;
    } else {
        return PADIC_ERROR_NOT_SUPPORTED;
    }
    g->defines[0] = g->parts == 2 ? "PD_FACTOR_PARTS=2" : "PD_FACTOR_PARTS=1";
    g->defines[1] = g->unit == 8 ? "PD_FACTOR_F64=1" : "PD_FACTOR_F64=0";
    g->c.first = (uint32_t)(o->now.at / 4);
    g->c.rows = (uint32_t)r;
    g->c.columns = (uint32_t)c;
    g->c.low = (uint32_t)g->size[2];
    g->c.wide = is_double ? 1 : 0;
    return PADIC_OK;
}

static padic_result padici_gpu_tensor_cut_need(padici_gpu *gpu, padici_gpu_tensor_cut *g)
{
    const int svd = g->route == PADICI_GPU_TENSOR_CUT_SVD;
    padic_result result = padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_CUT, g->defines, 2);
    if (!result && !svd && !g->rho)
        result = padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_GRAM, g->defines, 2);
    if (!result && !svd && !g->rho)
        result = padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_ADD, g->defines, 2);
    if (!result && svd && g->unit == 4) {
        const char *defines[3];
        const uint32_t kernel =
            padici_gpu_tensor_factor_cuda(gpu, g->c.columns, g->c.rows, 0, defines);
        defines[0] = g->defines[0];
        if (kernel && !padici_gpu_need(gpu, kernel, defines, 3)) {
            g->cuda = kernel;
            g->values[0] = defines[0];
            g->values[1] = defines[1];
            g->values[2] = defines[2];
            return PADIC_OK;
        }
    }
    if (!result && g->route != PADICI_GPU_TENSOR_CUT_HOST)
        result = padici_gpu_need(
            gpu, svd ? PADICI_KERNEL_FACTOR_SVD : PADICI_KERNEL_FACTOR_EIGH, g->defines, 2);
    return result;
}

// A launch of one of the kernels here, with its buffers already in `work`.
static padic_result padici_gpu_tensor_cut_launch(padici_gpu *gpu, const padici_gpu_tensor_cut *g,
                                                 padici_gpu_work *work, uint32_t kernel,
                                                 uint32_t mem_count, const void *params,
                                                 size_t size, uint64_t groups)
{
    work->kernel = kernel;
    work->mem_count = mem_count;
    work->params = params;
    work->params_size = (uint32_t)size;
    work->groups[0] = (uint32_t)groups;
    work->defines = kernel == g->cuda ? g->values : g->defines;
    work->define_count = kernel == g->cuda ? 3 : 2;
    return padici_gpu_launch(gpu, work);
}

// Uploads the tables of places.
static padic_result padici_gpu_tensor_cut_places(padici_gpu *gpu, padici_gpu_tensor_cut *g)
{
    const uint64_t count = g->size[0] + g->size[1] + g->size[2];
    const padic_allocator *allocator = &gpu->context->allocator;
    int64_t *at = (int64_t *)padici_alloc(allocator, (size_t)count * 8, 16);
    padic_result result;
    uint64_t i, first = 0;
    if (!at) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    for (i = 0; i < 3; first += g->size[i], i++)
        padici_tensor_cut_places(&g->cut, g->mask[i], at + first);
    for (i = 0; i < count; i++) {
        const int32_t place = (int32_t)at[i];
        memcpy((char *)(void *)at + 4 * i, &place, 4);
    }
    result = padici_gpu_scratch(gpu, 4 * count, &g->places);
    if (!result) result = padici_gpu_upload(gpu, g->places.mem, 0, at, 4 * count);
    padici_free(allocator, at, (size_t)count * 8);
    return result;
}

// The matrix; of a state its Gram matrix.
static padic_result padici_gpu_tensor_cut_matrix(padici_gpu *gpu, padici_gpu_tensor_cut *g,
                                                 padic_mem state)
{
    const uint64_t r = g->c.rows, c = g->c.columns, count = r * r * g->parts;
    const uint64_t tiles = (r + 15) / 16, fit = (UINT64_C(256) << 20) / (count * 8);
    const uint64_t most = fit > 256 ? 256 : fit, least = (c + most - 1) / most;
    const uint64_t share = least < 512 ? 512 : least; // parts of the sum: at most 256 MiB
    padici_k_factor_gram_params k;
    padici_k_factor_add_params add;
    padici_gpu_block sums;
    padici_gpu_work work;
    padic_result result = padici_gpu_scratch(gpu, r * c * g->parts * g->unit, &g->matrix);
    memset(&work, 0, sizeof work);
    work.mem[0] = state;
    work.mem[1] = g->places.mem;
    work.mem[2] = g->matrix.mem;
    if (!result)
        result = padici_gpu_tensor_cut_launch(gpu, g, &work, PADICI_KERNEL_FACTOR_CUT, 3, &g->c,
                                              sizeof g->c, padici_gpu_groups(gpu, r * c, 128));
    if (result || g->rho || g->route == PADICI_GPU_TENSOR_CUT_SVD) return result;
    k.rows = g->c.rows;
    k.columns = g->c.columns;
    k.part = ((uint32_t)share + 15) / 16 * 16;
    add.count = (uint32_t)count;
    add.parts = (k.columns + k.part - 1) / k.part;
    result = padici_gpu_scratch(gpu, count * 8 * add.parts, &sums);
    if (!result) result = padici_gpu_scratch(gpu, count * 8, &g->gram);
    work.mem[0] = g->matrix.mem;
    work.mem[1] = sums.mem;
    work.groups[1] = add.parts;
    if (!result)
        result = padici_gpu_tensor_cut_launch(gpu, g, &work, PADICI_KERNEL_FACTOR_GRAM, 2, &k,
                                              sizeof k, tiles * (tiles + 1) / 2);
    work.mem[0] = sums.mem;
    work.mem[1] = g->gram.mem;
    work.groups[1] = 1;
    if (!result)
        result = padici_gpu_tensor_cut_launch(gpu, g, &work, PADICI_KERNEL_FACTOR_ADD, 2, &add,
                                              sizeof add, padici_gpu_groups(gpu, count, 128));
    padici_gpu_scratch_end(gpu, &sums);
    return result;
}

// p from the kernels, not yet divided by their sum, descending.
static padic_result padici_gpu_tensor_cut_values(padici_gpu *gpu, padici_gpu_tensor_cut *g)
{
    const uint32_t r = g->c.rows, svd = g->route == PADICI_GPU_TENSOR_CUT_SVD;
    unsigned char words[8 + 8 * 64];
    padici_k_tensor_factor_params k;
    padici_gpu_work work;
    uint32_t i;
    int32_t info;
    padic_result result = padici_gpu_scratch(gpu, 8 + 8 * 64, &g->answer);
    if (result) return result;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.batch = 1;
    k.m = svd ? g->c.columns : r;
    k.n = r;
    k.flags = PADICI_GPU_TENSOR_FACTOR_VALUES | PADICI_GPU_TENSOR_FACTOR_RELATIVE;
    k.a_row = svd || !g->rho ? (int32_t)r : 1;
    k.a_column = svd || !g->rho ? 1 : (int32_t)r;
    k.w_first = 8 / g->unit;
    k.w_row = 1;
    padici_gpu_tensor_factor_words(&k, 0, 1);
    for (i = 0; i < 6; i++) work.mem[i] = g->answer.mem; // there are no vectors
    work.mem[0] = svd || g->rho ? g->matrix.mem : g->gram.mem;
    result = padici_gpu_tensor_cut_launch(gpu, g, &work,
                                          g->cuda ? g->cuda
                                          : svd   ? (uint32_t)PADICI_KERNEL_FACTOR_SVD
                                                  : (uint32_t)PADICI_KERNEL_FACTOR_EIGH,
                                          svd && !g->cuda ? 6 : 5, &k, sizeof k, 1);
    if (!result) result = padici_gpu_download(gpu, g->answer.mem, 0, words, 8 + r * g->unit);
    if (result) return result;
    for (i = 0; i < r; i++) {
        float single;
        double x;
        memcpy(&x, words + 8 + 8 * (g->unit == 8 ? i : 0), 8);
        memcpy(&single, words + 8 + 4 * i, 4);
        if (g->unit == 4) x = (double)single;
        g->p[svd ? i : r - 1 - i] = svd ? x * x : x;
    }
    memcpy(&info, words, 4);
    if (info == PADIC_ERROR_NOT_FINITE)
        return padici_fail_here(gpu->context, PADIC_ERROR_NOT_FINITE,
                                g->rho ? "rho has a NaN or an infinity"
                                       : "the state has a NaN or an infinity");
    return info ? padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN, "no convergence")
                : PADIC_OK;
}

// The same for a Gram matrix that is too large for local memory.
static padic_result padici_gpu_tensor_cut_host(padici_gpu *gpu, padici_gpu_tensor_cut *g)
{
    const uint64_t r = g->c.rows, count = r * r;
    const padic_allocator *allocator = &gpu->context->allocator;
    const size_t bytes = (size_t)(16 * count + 32 * r);
    double *a = (double *)padici_alloc(allocator, bytes, 16);
    padic_result result;
    uint64_t i;
    double largest = 0;
    int finite = 1, power;
    if (!a) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_download(gpu, g->gram.mem, 0, a, 8 * g->parts * count);
    for (i = count; i-- > 0 && g->parts == 1;) {
        a[2 * i] = a[i];
        a[2 * i + 1] = 0;
    }
    for (i = 0; i < 2 * count && !result; i++) {
        finite &= a[i] - a[i] == 0;
        if (fabs(a[i]) > largest) largest = fabs(a[i]);
    }
    // F64 squares that overflow, or that have lost digits: the reference scales first.
    if (!result && g->c.wide && (!finite || largest < 1e-270))
        result = PADIC_ERROR_NOT_SUPPORTED;
    else if (!result && !finite)
        result = padici_fail_here(gpu->context, PADIC_ERROR_NOT_FINITE,
                                  "the state has a NaN or an infinity");
    (void)frexp(largest, &power); // the eigenvalues are squared once more
    for (i = 0; i < 2 * count && !result; i++) a[i] = ldexp(a[i], -power);
    if (!result && !padici_tensor_z_eigh(r, a, g->p, NULL, a + 2 * count))
        result = padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) padici_tensor_z_sort(r, g->p, 0, 0, NULL, 0, NULL);
    padici_free(allocator, a, bytes);
    return result;
}

static padic_result padici_gpu_tensor_cut_all(padici_gpu *gpu, padici_gpu_tensor_cut *g,
                                              const padic_tensor_entropy_desc *desc,
                                              padic_mem state)
{
    const char *fault;
    uint64_t rank = 0;
    padic_result result;
    g->places.block = g->matrix.block = g->gram.block = g->answer.block = PADICI_NO_BLOCK;
    result = padici_gpu_tensor_cut_places(gpu, g);
    if (!result) result = padici_gpu_tensor_cut_matrix(gpu, g, state);
    if (!result)
        result = g->route == PADICI_GPU_TENSOR_CUT_HOST ? padici_gpu_tensor_cut_host(gpu, g)
                                                        : padici_gpu_tensor_cut_values(gpu, g);
    padici_gpu_scratch_end(gpu, &g->answer);
    padici_gpu_scratch_end(gpu, &g->gram);
    padici_gpu_scratch_end(gpu, &g->matrix);
    padici_gpu_scratch_end(gpu, &g->places);
    if (result) return result;
    g->cut.p = g->p;
    if (!g->rho && !(g->p[0] > 0))
        return padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN, "the state is zero");
    result = padici_tensor_cut_normalise(
        &g->cut, padici_tensor_entropy_drop(desc, g->cut.tensor.dtype), &rank);
    if (result) return padici_fail_here(gpu->context, result, g->cut.fault);
    fault = padici_tensor_entropy_give(desc, g->p, rank);
    return fault ? padici_fail_here(gpu->context, PADIC_ERROR_CAPACITY, fault) : PADIC_OK;
}

static padic_result padici_gpu_tensor_cut_run(padici_gpu *gpu, padici_gpu_tensor_cut *g,
                                              const padic_tensor_entropy_desc *desc,
                                              padic_mem state)
{
    const size_t bytes = g->c.rows > 64 ? (size_t)g->c.rows * sizeof *g->p : 0;
    padic_result result;
    g->p = g->few;
    if (bytes) g->p = (double *)padici_alloc(&gpu->context->allocator, bytes, 16);
    if (!g->p) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_tensor_cut_all(gpu, g, desc, state);
    if (bytes) padici_free(&gpu->context->allocator, g->p, bytes);
    return result;
}

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_tensor_entropy(padici_gpu *gpu,
                                                                 const padici_call *call, int query)
{
    static const char *const methods[3] = {"singular values", "Gram matrix",
                                           "Gram matrix, eigenvalues on the host"};
    const padic_tensor_entropy_desc *desc = &call->desc->tensor_entropy;
    padici_gpu_tensor_cut g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_tensor_entropy_of(desc, &g.cut);
    if (result) return padici_fail_here(gpu->context, result, g.cut.fault);
    g.rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    padici_gpu_tensor_cut_masks(&g, g.rho ? 1 : desc->part);
    result = padici_gpu_tensor_cut_route(gpu, &g, &call->operands[0]);
    if (!result) result = padici_gpu_tensor_cut_need(gpu, &g);
    if (query || result) return result;
    gpu->context->method = methods[g.route];
    return padici_gpu_tensor_cut_run(gpu, &g, desc, call->operands[0].now.mem);
}

PADICI_FN padic_result padici_warm_factor(padici_gpu *gpu)
{
    static const char *const defines[2] = {"PD_FACTOR_PARTS=2", "PD_FACTOR_F64=0"};
    return padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_SVD, defines, 2);
}

#endif
