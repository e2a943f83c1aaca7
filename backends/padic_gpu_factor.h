// padic_gpu_factor.h: factorisations on devices, kernels/factor.cl: up to 64 columns, as many rows
// as fit into local memory; entropies by way of them. On NVIDIA's devices cuda/factor.cu does
// singular values and eigenvalues in F32. padic_gpu.h includes it; of no use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_FACTOR) && !defined(PADIC_NO_TENSOR)
#define PADICI_GPU_FACTOR

// room: src/gpu/factor/factor.c
// Singular values, QR and eigenvalues of batches of small matrices.

// The kernel's.
#define PADICI_GPU_FACTOR_LEFT 1u
#define PADICI_GPU_FACTOR_RIGHT 2u
#define PADICI_GPU_FACTOR_VALUES 4u
#define PADICI_GPU_FACTOR_ADJOINT 8u
#define PADICI_GPU_FACTOR_RELATIVE 16u
#define PADICI_GPU_FACTOR_HERMITIAN 32u // cuda/factor.cu

typedef struct padici_gpu_factor {
    padici_factor f;
    padici_k_factor_params k;
    const char *defines[3];
    uint32_t define_count;
    uint32_t kernel, unit, parts;       // unit: bytes of a real number
    const padici_operand *operands[4];  // of the tensors of f; NULL: absent
    const padici_operand *status;       // NULL: absent
} padici_gpu_factor;

// Whether a matrix of m x n numbers of `bytes` fits into the kernels' local memory.
static int padici_gpu_factor_fits(uint64_t local, uint64_t m, uint64_t n, uint64_t bytes)
{
    return m <= 8192 && n <= 8192 && (m | 1) * n * bytes <= (local >= 49152 ? 33280u : 11264u);
}

// The kernel of cuda/factor.cu for m x n numbers in F32, its second and third define. 0: none.
static uint32_t padici_gpu_factor_cuda(const padici_gpu *gpu, uint64_t m, uint64_t n, int vectors,
                                       const char **defines)
{
    if (m > 64 || n > 64 || !padici_gpu_is_sm(gpu, 75)) return 0;
    defines[1] = vectors ? "PD_FACTOR_VECTORS=1" : "PD_FACTOR_VECTORS=0";
    defines[2] = m > 32 || n > 32 ? "PD_FACTOR_ITEMS=256" : "PD_FACTOR_ITEMS=128";
    return m > 16 || n > 16 ? PADICI_KERNEL_CUDA_FACTOR_COLUMNS : PADICI_KERNEL_CUDA_FACTOR_SMALL;
}

static uint32_t padici_gpu_factor_first(const padici_gpu_factor *g, uint32_t i)
{
    return g->operands[i] ? (uint32_t)(g->operands[i]->now.at / g->unit) : 0;
}

// Where tensor i lies, transposed when `turn`: first part, steps of batch, row, column.
static void padici_gpu_factor_steps(const padici_gpu_factor *g, uint32_t i, int turn,
                                    uint32_t *first, int32_t *batch, int32_t *row, int32_t *column)
{
    const int64_t *stride = g->f.stride[i];
    *first = padici_gpu_factor_first(g, i);
    *batch = (int32_t)stride[0];
    *row = (int32_t)stride[turn ? 2 : 1];
    *column = (int32_t)stride[turn ? 1 : 2];
}

// Strides fit 31 bits wherever an axis is longer than 1; of others they do not matter.
static int padici_gpu_factor_near(padici_gpu_factor *g, uint32_t i)
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

// Where and what the kernel writes about each matrix: padic_result, as info has it.
static void padici_gpu_factor_words(padici_k_factor_params *k, uint32_t first, int32_t step)
{
    k->i_first = first;
    k->i_step = step;
    k->not_finite = (uint32_t)PADIC_ERROR_NOT_FINITE;
    k->not_done = (uint32_t)PADIC_ERROR_DOMAIN;
}

// The call for the kernel: NOT_SUPPORTED when it is too large. Of a wide matrix the singular values
// of its adjoint, whose first result is the tensor `vh`, turned.
static padic_result padici_gpu_factor_begin(padici_gpu_factor *g, uint64_t local)
{
    const padic_dtype dtype = g->f.tensors[0].dtype;
    const int is_double = padici_tensor_is_double(dtype), both = padici_tensor_is_complex(dtype);
    const int svd = g->f.kind == PADICI_FACTOR_SVD, turn = svd && g->f.m < g->f.n;
    const uint64_t m = turn ? g->f.n : g->f.m, n = turn ? g->f.m : g->f.n;
    const uint32_t last = svd ? 3 : 2;
    uint32_t i;
    g->unit = is_double ? 8 : 4;
    g->parts = both ? 2 : 1;
    g->defines[0] = both ? "PD_FACTOR_PARTS=2" : "PD_FACTOR_PARTS=1";
    g->defines[1] = is_double ? "PD_FACTOR_F64=1" : "PD_FACTOR_F64=0";
    g->define_count = 2;
    g->kernel = svd                             ? PADICI_KERNEL_FACTOR_SVD
                : g->f.kind == PADICI_FACTOR_QR ? PADICI_KERNEL_FACTOR_QR
                                                : PADICI_KERNEL_FACTOR_EIGH;
    if (g->f.r > 64 || !padici_gpu_factor_fits(local, m, n, g->parts * g->unit))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i <= last; i++)
        if (!padici_gpu_factor_near(g, i)) return PADIC_ERROR_NOT_SUPPORTED;
    g->k.batch = (uint32_t)g->f.batch;
    g->k.m = (uint32_t)m;
    g->k.n = (uint32_t)n;
    padici_gpu_factor_steps(g, 0, turn, &g->k.a_first, &g->k.a_batch, &g->k.a_row, &g->k.a_column);
    // x: m x r; y: n x n of svd, which is written conjugated and turned to vh, or r x n of qr.
    padici_gpu_factor_steps(g, turn ? 2 : 1, turn, &g->k.x_first, &g->k.x_batch, &g->k.x_row,
                            &g->k.x_column);
    padici_gpu_factor_steps(g, turn ? 1 : 2, svd && !turn, &g->k.y_first, &g->k.y_batch,
                            &g->k.y_row, &g->k.y_column);
    g->k.w_first = padici_gpu_factor_first(g, last);
    g->k.w_batch = (int32_t)g->f.stride[last][0];
    g->k.w_row = (int32_t)g->f.stride[last][1];
    g->k.flags = turn ? PADICI_GPU_FACTOR_ADJOINT : 0;
    if (g->operands[turn ? 2 : 1]) g->k.flags |= PADICI_GPU_FACTOR_LEFT;
    if (g->f.kind != PADICI_FACTOR_EIGH && g->operands[turn ? 1 : 2])
        g->k.flags |= PADICI_GPU_FACTOR_RIGHT;
    if (g->f.kind != PADICI_FACTOR_QR && g->operands[last])
        g->k.flags |= PADICI_GPU_FACTOR_VALUES;
    padici_gpu_factor_words(&g->k, 0, 1);
    if (g->status) {
        if (g->status->now.at % 4 || g->status->bytes >> 31) return PADIC_ERROR_NOT_SUPPORTED;
        if (g->status->now.at >> 33) return PADIC_ERROR_NOT_SUPPORTED;
        padici_gpu_factor_words(&g->k, (uint32_t)(g->status->now.at / 4),
                                g->k.batch > 1 ? (int32_t)g->f.status_step : 0);
    }
    return PADIC_OK;
}

// What the kernel wrote about each matrix.
static padic_result padici_gpu_factor_info(padici_gpu *gpu, padic_mem mem, uint32_t batch,
                                           int32_t *info)
{
    char sentence[96];
    padic_result result;
    int32_t *words = info;
    if (!words)
        words = (int32_t *)padici_alloc(&gpu->context->allocator, (size_t)batch * 4, 16);
    if (!words) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_download(gpu, mem, 0, words, (uint64_t)batch * 4);
    if (!result) {
        result = padici_factor_say(words, batch, sentence, sizeof sentence);
        if (result) result = padici_fail_here(gpu->context, result, sentence);
    }
    if (!info) padici_free(&gpu->context->allocator, words, (size_t)batch * 4);
    return result;
}

// Matrices without elements: there is only `status` to write.
static padic_result padici_gpu_factor_none(padici_gpu *gpu, const padici_gpu_factor *g,
                                           int32_t *info)
{
    padic_result result = PADIC_OK;
    uint64_t b;
    for (b = 0; info && b < g->k.batch; b++) info[b] = PADIC_OK;
    for (b = 0; g->status && b < g->k.batch && !result; b++)
        result = padici_target_fill(gpu->context, gpu->target, g->status->now.mem,
                                    4 * (g->k.i_first + b * (uint64_t)g->k.i_step), 0, 4);
    return result;
}

static int padici_example_factor_groups(padici_any_desc *desc, uint32_t size_class)
{
    const uint64_t batch = UINT64_C(8) << 4 * size_class;
    desc->tensor_svd.a = padic_tensor_3d(PADIC_F32, NULL, batch, 16, 16);
    desc->tensor_svd.s = padic_tensor_2d(PADIC_F32, NULL, batch, 16);
    return size_class < 3;
}

// By numbers of A. Choices: groups of items a unit, each with matrices one after the other.
static const padici_gpu_tunable padici_tunable_factor_groups = {
    "factor_groups", PADIC_AREA_TENSOR, PADIC_OP_TENSOR_SVD, PADICI_PROGRAM_FACTOR, 4,
    {{{NULL, NULL, NULL, NULL}, 0, 8},
     {{NULL, NULL, NULL, NULL}, 0, 4},
     {{NULL, NULL, NULL, NULL}, 0, 16},
     {{NULL, NULL, NULL, NULL}, 0, 32}},
    padici_example_factor_groups, 1e-5};

static padic_result padici_gpu_factor_run(padici_gpu *gpu, const padici_gpu_factor *g,
                                          int32_t *info)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const int cuda = g->define_count == 3, little = g->kernel == PADICI_KERNEL_CUDA_FACTOR_SMALL;
    const uint64_t most =
        (little ? 4 : 1) * units *
        padici_gpu_choose(gpu, &padici_tunable_factor_groups,
                          (uint64_t)g->k.batch * g->k.m * g->k.n)->number;
    const uint64_t groups = g->k.batch < most ? g->k.batch : most;
    const int turn = (g->k.flags & PADICI_GPU_FACTOR_ADJOINT) != 0;
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
    if (!result && g->f.kind != PADICI_FACTOR_QR && !cuda) // V of each group
        result = padici_gpu_scratch(gpu, groups * g->parts * g->k.n * g->k.n * g->unit, &space);
    if (!result) {
        memset(&work, 0, sizeof work);
        for (i = 0; i < 4; i++) mem[i] = g->operands[i] ? g->operands[i]->now.mem : words.mem;
        i = 0;
        work.mem[i++] = mem[0];
        work.mem[i++] = mem[turn ? 2 : 1];
        if (g->f.kind != PADICI_FACTOR_EIGH || cuda) work.mem[i++] = mem[turn ? 1 : 2];
        if (g->f.kind != PADICI_FACTOR_QR)
            work.mem[i++] = mem[g->f.kind == PADICI_FACTOR_SVD ? 3 : 2];
        work.mem[i++] = words.mem;
        if (g->f.kind != PADICI_FACTOR_QR && !cuda) work.mem[i++] = space.mem;
        work.mem_count = i;
        work.kernel = g->kernel;
        work.defines = g->defines;
        work.define_count = g->define_count;
        work.params = &g->k;
        work.params_size = sizeof g->k;
        work.groups[0] = (uint32_t)groups;
        result = padici_gpu_launch(gpu, &work);
    }
    if (!result && !g->status) result = padici_gpu_factor_info(gpu, words.mem, g->k.batch, info);
    padici_gpu_scratch_end(gpu, &space);
    padici_gpu_scratch_end(gpu, &words);
    return result;
}

// By cuda/factor.cu, where it is for this matrix and this device.
static void padici_gpu_factor_take_cuda(padici_gpu *gpu, padici_gpu_factor *g)
{
    const int eigh = g->f.kind == PADICI_FACTOR_EIGH;
    const int vectors = (g->k.flags & (PADICI_GPU_FACTOR_LEFT | PADICI_GPU_FACTOR_RIGHT)) && !eigh;
    const char *defines[3];
    uint32_t kernel = 0;
    defines[0] = g->defines[0];
    if (g->unit == 4 && g->f.kind != PADICI_FACTOR_QR)
        kernel = padici_gpu_factor_cuda(gpu, g->k.m, g->k.n, vectors, defines);
    if (!kernel || padici_gpu_need(gpu, kernel, defines, 3)) return;
    memcpy(g->defines, defines, sizeof defines);
    g->define_count = 3;
    g->kernel = kernel;
    if (eigh) g->k.flags |= PADICI_GPU_FACTOR_HERMITIAN;
}

static padic_result padici_gpu_factor_call(padici_gpu *gpu, const padici_call *call, int query,
                                           padici_gpu_factor *g, int32_t *info)
{
    uint32_t i, next = 0;
    padic_result result;
    for (i = 0; i < 4; i++)
        g->operands[i] = g->f.tensors[i].dtype == PADIC_DTYPE_NONE ? NULL : &call->operands[next++];
    if (g->f.status.dtype != PADIC_DTYPE_NONE) g->status = &call->operands[next];
    if (padici_tensor_is_double(g->f.tensors[0].dtype) &&
        !(gpu->info->features & PADIC_FEATURE_F64))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_factor_begin(g, gpu->info->local_bytes);
    if (!result) padici_gpu_factor_take_cuda(gpu, g);
    if (!result && g->define_count == 2) result = padici_gpu_need(gpu, g->kernel, g->defines, 2);
    if (query || result) return result;
    gpu->context->method = g->define_count == 2 ? "a matrix a group" : "columns in registers";
    return g->f.r ? padici_gpu_factor_run(gpu, g, info) : padici_gpu_factor_none(gpu, g, info);
}

static padic_result padici_gpu_tensor_svd(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_tensor_svd_desc *desc = &call->desc.tensor_svd;
    padici_gpu_factor g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_factor_of_svd(gpu->context, desc, &g.f);
    return result ? result : padici_gpu_factor_call(gpu, call, query, &g, desc->info);
}

static padic_result padici_gpu_tensor_qr(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_tensor_qr_desc *desc = &call->desc.tensor_qr;
    padici_gpu_factor g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_factor_of_qr(gpu->context, desc, &g.f);
    return result ? result : padici_gpu_factor_call(gpu, call, query, &g, desc->info);
}

static padic_result padici_gpu_tensor_eigh(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_tensor_eigh_desc *desc = &call->desc.tensor_eigh;
    padici_gpu_factor g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_factor_of_eigh(gpu->context, desc, &g.f);
    return result ? result : padici_gpu_factor_call(gpu, call, query, &g, desc->info);
}

// room: src/gpu/factor/entropy.c
// Entropies: the state as a dense matrix, columns of its shorter side, which is at most 2048. Then
// its singular values; or of its Gram matrix in F64 the eigenvalues, here or, when it is too large
// for local memory, on the host.

enum { PADICI_GPU_CUT_SVD, PADICI_GPU_CUT_EIGH, PADICI_GPU_CUT_HOST };

typedef struct padici_gpu_cut {
    padici_cut cut;
    uint32_t route, rho, parts, unit; // unit: bytes of a real number
    uint64_t mask[3];                 // axes of rows, of high and of low places of columns
    uint64_t size[3];
    const char *defines[2], *values[3]; // values: of cuda/factor.cu
    uint32_t cuda;                      // its kernel for the singular values; 0: none
    padici_k_factor_cut_params c;
    padici_gpu_block places, matrix, gram, answer;
    double *p, few[64]; // p: as many as the shorter side has
} padici_gpu_cut;

// Low places: the last axes of the longer side, 4096 of them or one axis.
static void padici_gpu_cut_masks(padici_gpu_cut *g, uint64_t part)
{
    const padici_cut *cut = &g->cut;
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

// NOT_SUPPORTED: too large, or in need of F64 where there is none.
static padic_result padici_gpu_cut_route(const padici_gpu *gpu, padici_gpu_cut *g,
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
        g->route = PADICI_GPU_CUT_HOST;
    } else if (wide && (!is_double || g->rho) &&
               padici_gpu_factor_fits(local, r, r, 8 * g->parts)) {
        g->route = PADICI_GPU_CUT_EIGH;
    } else if (!g->rho && padici_gpu_factor_fits(local, c, r, (is_double ? 8 : 4) * g->parts)) {
        g->route = PADICI_GPU_CUT_SVD;
        g->unit = is_double ? 8 : 4;
    } else if (!g->rho && wide && !is_double) {
        g->route = PADICI_GPU_CUT_HOST;
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

static padic_result padici_gpu_cut_need(padici_gpu *gpu, padici_gpu_cut *g)
{
    const int svd = g->route == PADICI_GPU_CUT_SVD;
    padic_result result = padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_CUT, g->defines, 2);
    if (!result && !svd && !g->rho)
        result = padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_GRAM, g->defines, 2);
    if (!result && !svd && !g->rho)
        result = padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_ADD, g->defines, 2);
    if (!result && svd && g->unit == 4) {
        const char *defines[3];
        const uint32_t kernel = padici_gpu_factor_cuda(gpu, g->c.columns, g->c.rows, 0, defines);
        defines[0] = g->defines[0];
        if (kernel && !padici_gpu_need(gpu, kernel, defines, 3)) {
            g->cuda = kernel;
            g->values[0] = defines[0];
            g->values[1] = defines[1];
            g->values[2] = defines[2];
            return PADIC_OK;
        }
    }
    if (!result && g->route != PADICI_GPU_CUT_HOST)
        result = padici_gpu_need(
            gpu, svd ? PADICI_KERNEL_FACTOR_SVD : PADICI_KERNEL_FACTOR_EIGH, g->defines, 2);
    return result;
}

// A launch of one of the kernels here, its buffers in `work` already.
static padic_result padici_gpu_cut_launch(padici_gpu *gpu, const padici_gpu_cut *g,
                                          padici_gpu_work *work, uint32_t kernel,
                                          uint32_t mem_count, const void *params, size_t size,
                                          uint64_t groups)
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

// The tables of places to the device.
static padic_result padici_gpu_cut_places(padici_gpu *gpu, padici_gpu_cut *g)
{
    const uint64_t count = g->size[0] + g->size[1] + g->size[2];
    const padic_allocator *allocator = &gpu->context->allocator;
    int64_t *at = (int64_t *)padici_alloc(allocator, (size_t)count * 8, 16);
    padic_result result;
    uint64_t i, first = 0;
    if (!at) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    for (i = 0; i < 3; first += g->size[i], i++)
        padici_cut_places(&g->cut, g->mask[i], at + first);
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
static padic_result padici_gpu_cut_matrix(padici_gpu *gpu, padici_gpu_cut *g, padic_mem state)
{
    const uint64_t r = g->c.rows, c = g->c.columns, count = r * r * g->parts;
    const uint64_t tiles = (r + 15) / 16, fit = (UINT64_C(256) << 20) / (count * 8);
    const uint64_t most = fit > 256 ? 256 : fit, least = (c + most - 1) / most;
    const uint64_t share = least < 512 ? 512 : least; // parts of the sum: 256 MiB of them at most
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
        result = padici_gpu_cut_launch(gpu, g, &work, PADICI_KERNEL_FACTOR_CUT, 3, &g->c,
                                       sizeof g->c, padici_gpu_groups(gpu, r * c, 128));
    if (result || g->rho || g->route == PADICI_GPU_CUT_SVD) return result;
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
        result = padici_gpu_cut_launch(gpu, g, &work, PADICI_KERNEL_FACTOR_GRAM, 2, &k, sizeof k,
                                       tiles * (tiles + 1) / 2);
    work.mem[0] = sums.mem;
    work.mem[1] = g->gram.mem;
    work.groups[1] = 1;
    if (!result)
        result = padici_gpu_cut_launch(gpu, g, &work, PADICI_KERNEL_FACTOR_ADD, 2, &add,
                                       sizeof add, padici_gpu_groups(gpu, count, 128));
    padici_gpu_scratch_end(gpu, &sums);
    return result;
}

// p by the kernels, not yet divided by their sum, descending.
static padic_result padici_gpu_cut_values(padici_gpu *gpu, padici_gpu_cut *g)
{
    const uint32_t r = g->c.rows, svd = g->route == PADICI_GPU_CUT_SVD;
    unsigned char words[8 + 8 * 64];
    padici_k_factor_params k;
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
    k.flags = PADICI_GPU_FACTOR_VALUES | PADICI_GPU_FACTOR_RELATIVE;
    k.a_row = svd || !g->rho ? (int32_t)r : 1;
    k.a_column = svd || !g->rho ? 1 : (int32_t)r;
    k.w_first = 8 / g->unit;
    k.w_row = 1;
    padici_gpu_factor_words(&k, 0, 1);
    for (i = 0; i < 6; i++) work.mem[i] = g->answer.mem; // there are no vectors
    work.mem[0] = svd || g->rho ? g->matrix.mem : g->gram.mem;
    result = padici_gpu_cut_launch(gpu, g, &work,
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

// The same of a Gram matrix that is too large for local memory.
static padic_result padici_gpu_cut_host(padici_gpu *gpu, padici_gpu_cut *g)
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
    // Squares of F64 beyond F64, or that have lost digits: the reference scales first.
    if (!result && g->c.wide && (!finite || largest < 1e-270))
        result = PADIC_ERROR_NOT_SUPPORTED;
    else if (!result && !finite)
        result = padici_fail_here(gpu->context, PADIC_ERROR_NOT_FINITE,
                                  "the state has a NaN or an infinity");
    (void)frexp(largest, &power); // eigenvalues are found by squares once more
    for (i = 0; i < 2 * count && !result; i++) a[i] = ldexp(a[i], -power);
    if (!result && !padici_z_eigh(r, a, g->p, NULL, a + 2 * count))
        result = padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) padici_z_sort(r, g->p, 0, 0, NULL, 0, NULL);
    padici_free(allocator, a, bytes);
    return result;
}

static padic_result padici_gpu_cut_all(padici_gpu *gpu, padici_gpu_cut *g,
                                       const padic_tensor_entropy_desc *desc, padic_mem state)
{
    const char *fault;
    uint64_t rank = 0;
    padic_result result;
    g->places.block = g->matrix.block = g->gram.block = g->answer.block = PADICI_NO_BLOCK;
    result = padici_gpu_cut_places(gpu, g);
    if (!result) result = padici_gpu_cut_matrix(gpu, g, state);
    if (!result)
        result = g->route == PADICI_GPU_CUT_HOST ? padici_gpu_cut_host(gpu, g)
                                                 : padici_gpu_cut_values(gpu, g);
    padici_gpu_scratch_end(gpu, &g->answer);
    padici_gpu_scratch_end(gpu, &g->gram);
    padici_gpu_scratch_end(gpu, &g->matrix);
    padici_gpu_scratch_end(gpu, &g->places);
    if (result) return result;
    g->cut.p = g->p;
    if (!g->rho && !(g->p[0] > 0))
        return padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN, "the state is zero");
    result = padici_cut_normalise(&g->cut, padici_entropy_drop(desc, g->cut.tensor.dtype), &rank);
    if (result) return padici_fail_here(gpu->context, result, g->cut.fault);
    fault = padici_entropy_give(desc, g->p, rank);
    return fault ? padici_fail_here(gpu->context, PADIC_ERROR_CAPACITY, fault) : PADIC_OK;
}

static padic_result padici_gpu_cut_run(padici_gpu *gpu, padici_gpu_cut *g,
                                       const padic_tensor_entropy_desc *desc, padic_mem state)
{
    const size_t bytes = g->c.rows > 64 ? (size_t)g->c.rows * sizeof *g->p : 0;
    padic_result result;
    g->p = g->few;
    if (bytes) g->p = (double *)padici_alloc(&gpu->context->allocator, bytes, 16);
    if (!g->p) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_cut_all(gpu, g, desc, state);
    if (bytes) padici_free(&gpu->context->allocator, g->p, bytes);
    return result;
}

static PADICI_NOINLINE padic_result padici_gpu_tensor_entropy(padici_gpu *gpu,
                                                              const padici_call *call, int query)
{
    static const char *const methods[3] = {"singular values", "Gram matrix",
                                           "Gram matrix, eigenvalues on the host"};
    const padic_tensor_entropy_desc *desc = &call->desc.tensor_entropy;
    padici_gpu_cut g;
    padic_result result;
    memset(&g, 0, sizeof g);
    result = padici_entropy_of(desc, &g.cut);
    if (result) return padici_fail_here(gpu->context, result, g.cut.fault);
    g.rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    padici_gpu_cut_masks(&g, g.rho ? 1 : desc->part);
    result = padici_gpu_cut_route(gpu, &g, &call->operands[0]);
    if (!result) result = padici_gpu_cut_need(gpu, &g);
    if (query || result) return result;
    gpu->context->method = methods[g.route];
    return padici_gpu_cut_run(gpu, &g, desc, call->operands[0].now.mem);
}

static padic_result padici_warm_factor(padici_gpu *gpu)
{
    static const char *const defines[2] = {"PD_FACTOR_PARTS=2", "PD_FACTOR_F64=0"};
    return padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_SVD, defines, 2);
}

// room: src/gpu/factor/factor_test.c
// Tests: three matrices in two groups, square (or tall) and then wide, whose values lie far apart,
// against the reference.

typedef struct padici_test_factor {
    padici_gpu_factor g;
    padici_operand operands[4];
    padic_tensor tensors[4], answers[4];
    uint32_t batch, m, n, kind;
    double bound; // of errors in F32: norm by distance of values, as many as there are columns
} padici_test_factor;

PADICI_NOINLINE static void *padici_test_factor_tensor(padici_gpu_case *c, padici_test_factor *t,
                                                       uint32_t buffer, uint32_t i,
                                                       uint64_t rows, uint64_t columns)
{
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const int both = padici_gpu_define(c, "PD_FACTOR_PARTS", 2) == 2 && columns;
    const padic_dtype dtype = is_double ? both ? PADIC_C128 : PADIC_F64
                                        : both ? PADIC_C64 : PADIC_F32;
    padic_tensor *tensor = &t->tensors[i];
    void *image;
    *tensor = padic_tensor_3d(dtype, NULL, t->batch, rows, columns ? columns : 1);
    if (!columns) tensor->rank = 2;
    if (!columns) tensor->shape[2] = 0;
    image = padici_gpu_image(c, buffer, padic_tensor_count(tensor) * padic_dtype_size(dtype));
    if (!image) return NULL;
    tensor->data = image;
    t->answers[i] = *tensor;
    t->operands[i].tensor = tensor;
    t->operands[i].bytes = c->buffers[buffer].size;
    t->g.operands[i] = &t->operands[i];
    c->buffers[buffer].dtype = is_double ? PADIC_F64 : PADIC_F32;
    c->buffers[buffer].bound = is_double ? 1e-13 : t->bound;
    if (i) t->answers[i].data = padici_gpu_answer(c, buffer);
    return t->answers[i].data;
}

static void padici_test_factor_numbers(const padici_test_factor *t)
{
    const padic_tensor *a = &t->tensors[0];
    const uint64_t parts = padici_tensor_is_complex(a->dtype) ? 2 : 1;
    uint64_t e;
    uint32_t random = 7;
    for (e = 0; e < padic_tensor_count(a) * parts; e++) {
        const uint64_t i = e / parts / t->n % t->m, j = e / parts % t->n;
        double z;
        random = random * 1664525u + 1013904223u;
        z = ((double)(int32_t)(random >> 16) - 32768) / 262144;
        if (i == j && (parts == 1 || !(e & 1))) z += 1.5 * (double)(i + 1);
        if (padici_tensor_is_double(a->dtype))
            ((double *)a->data)[e] = z;
        else
            ((float *)a->data)[e] = (float)z;
    }
}

// The reference's answers, and what the kernel is told.
PADICI_NOINLINE static padic_result padici_test_factor_answers(padici_test_factor *t)
{
    padic_tensor_svd_desc svd;
    padic_tensor_qr_desc qr;
    padic_tensor_eigh_desc eigh;
    padic_result result;
    memset(&svd, 0, sizeof svd);
    memset(&qr, 0, sizeof qr);
    memset(&eigh, 0, sizeof eigh);
    svd.a = qr.a = eigh.a = t->tensors[0];
    svd.u = qr.q = eigh.v = t->answers[1];
    svd.vh = qr.r = eigh.w = t->answers[2];
    svd.s = t->answers[3];
    if (t->kind == PADICI_FACTOR_SVD) {
        result = padici_tensor_svd_host(NULL, &svd);
        return result ? result : padici_factor_of_svd(NULL, &svd, &t->g.f);
    }
    if (t->kind == PADICI_FACTOR_QR) {
        result = padici_tensor_qr_host(NULL, &qr);
        return result ? result : padici_factor_of_qr(NULL, &qr, &t->g.f);
    }
    result = padici_tensor_eigh_host(NULL, &eigh);
    return result ? result : padici_factor_of_eigh(NULL, &eigh, &t->g.f);
}

// By way of a kernel of cuda/factor.cu, which has no memory for V, or by the one of factor.cl.
static padic_result padici_test_factor_case(padici_gpu_case *c, uint32_t kind, int cuda,
                                            uint32_t longer)
{
    const int turn = c->round && kind == PADICI_FACTOR_SVD;
    const uint32_t last = kind == PADICI_FACTOR_SVD ? 5 : 4;
    padici_test_factor t;
    uint32_t r, at = 2;
    uint32_t *info;
    int good;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    t.batch = 3;
    t.bound = 5e-5 / 7 * longer;
    t.m = c->round ? longer - 3 : longer;
    t.n = kind == PADICI_FACTOR_EIGH ? t.m : c->round ? longer - 1 : longer - 2;
    r = t.m < t.n ? t.m : t.n;
    good = padici_test_factor_tensor(c, &t, 0, 0, t.m, t.n) != NULL;
    if (kind == PADICI_FACTOR_EIGH && cuda) // y is not looked at
        good = good && padici_gpu_image(c, at++, 16) != NULL;
    good = good && padici_test_factor_tensor(c, &t, turn ? 2 : 1, 1, t.m, r);
    good = good && padici_test_factor_tensor(c, &t, turn ? 1 : at++, 2, r,
                                             kind == PADICI_FACTOR_EIGH ? 0 : t.n);
    if (turn) at++;
    if (kind == PADICI_FACTOR_SVD) good = good && padici_test_factor_tensor(c, &t, at++, 3, r, 0);
    info = (uint32_t *)padici_gpu_image(c, at, 4 * t.batch);
    if (good && info) info = (uint32_t *)padici_gpu_answer(c, at);
    if (!good || !info) return PADIC_ERROR_MEMORY;
    memset(info, 0, 4 * t.batch);
    if (kind != PADICI_FACTOR_QR && !cuda) { // V: whatever it holds then
        c->buffers[last].dtype = c->buffers[0].dtype;
        c->buffers[last].bound = 1e30;
        if (!padici_gpu_image(c, last, 2 * 2 * 8 * 49) || !padici_gpu_answer(c, last))
            return PADIC_ERROR_MEMORY;
    }
    padici_test_factor_numbers(&t);
    if (padici_test_factor_answers(&t)) return PADIC_ERROR_MEMORY;
    if (padici_gpu_factor_begin(&t.g, cuda ? 49152 : 16384)) return PADIC_ERROR_SELF_TEST;
    if (cuda && kind == PADICI_FACTOR_EIGH) t.g.k.flags |= PADICI_GPU_FACTOR_HERMITIAN;
    memcpy(&c->params, &t.g.k, sizeof t.g.k);
    c->groups[0] = 2;
    c->again = !c->round;
    return PADIC_OK;
}

static padic_result padici_test_factor_svd(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_SVD, 0, 7);
}
static padic_result padici_test_factor_qr(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_QR, 0, 7);
}
static padic_result padici_test_factor_eigh(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_EIGH, 0, 7);
}

// Singular values with vectors; Hermitian matrices where the kernel has no V.
static padic_result padici_test_cuda_factor(padici_gpu_case *c, uint32_t longer)
{
    const int vectors = padici_gpu_define(c, "PD_FACTOR_VECTORS", 1) != 0;
    return padici_test_factor_case(c, vectors ? PADICI_FACTOR_SVD : PADICI_FACTOR_EIGH, 1, longer);
}

static padic_result padici_test_cuda_factor_columns(padici_gpu_case *c)
{
    const uint32_t items = padici_gpu_define(c, "PD_FACTOR_ITEMS", 256);
    return padici_test_cuda_factor(c, items == 256 ? 40 : 20);
}
static padic_result padici_test_cuda_factor_small(padici_gpu_case *c)
{
    return padici_test_cuda_factor(c, 14);
}

// room: src/gpu/factor/entropy_test.c
// Of the kernels of entropies: whole numbers, whose sums are exact.

static void padici_test_cut_number(unsigned char *at, uint32_t i, int wide, double x)
{
    const float single = (float)x;
    if (wide)
        memcpy(at + 8 * i, &x, 8);
    else
        memcpy(at + 4 * i, &single, 4);
}

// 5 rows, 6 columns of 3 x 2; the state in F32, then, where the kernel works in F64, in that.
static padic_result padici_test_factor_cut(padici_gpu_case *c)
{
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const int wide = is_double && c->round;
    const uint32_t parts = padici_gpu_define(c, "PD_FACTOR_PARTS", 2);
    padici_k_factor_cut_params k;
    unsigned char *state =
        (unsigned char *)padici_gpu_image(c, 0, 8 + (wide ? 8u : 4u) * 97 * parts);
    unsigned char *places = (unsigned char *)padici_gpu_image(c, 1, 4 * 10);
    unsigned char *x = (unsigned char *)padici_gpu_image(c, 2, (is_double ? 8u : 4u) * 30 * parts);
    static const int32_t at[10] = {0, 3, 6, 9, 12, 0, 17, 34, 0, 50};
    uint32_t i, j, p;
    if (x) x = (unsigned char *)padici_gpu_answer(c, 2);
    if (!state || !places || !x) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 97 * parts; i++) padici_test_cut_number(state + 8, i, wide, (double)i - 50);
    memcpy(places, at, sizeof at);
    for (j = 0; j < 6; j++)
        for (i = 0; i < 5; i++)
            for (p = 0; p < parts; p++)
                padici_test_cut_number(
                    x, (j * 5 + i) * parts + p, is_double,
                    (double)((uint32_t)(at[i] + at[5 + j / 2] + at[8 + j % 2]) * parts + p) - 50);
    k.first = 2;
    k.rows = 5;
    k.columns = 6;
    k.low = 2;
    k.wide = wide ? 1 : 0;
    memcpy(&c->params, &k, sizeof k);
    c->again = is_double && !c->round;
    return PADIC_OK;
}

// 19 rows, 37 columns in parts of 32.
static padic_result padici_test_factor_gram(padici_gpu_case *c)
{
    enum { R = 19, C = 37 };
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const uint32_t parts = padici_gpu_define(c, "PD_FACTOR_PARTS", 2), unit = is_double ? 8 : 4;
    padici_k_factor_gram_params k;
    unsigned char *x = (unsigned char *)padici_gpu_image(c, 0, unit * parts * R * C);
    unsigned char *out = (unsigned char *)padici_gpu_image(c, 1, unit * parts * 2 * R * R);
    uint32_t part, i, j, s;
    if (out) out = (unsigned char *)padici_gpu_answer(c, 1);
    if (!x || !out) return PADIC_ERROR_MEMORY;
    for (i = 0; i < R * C * parts; i++)
        padici_test_cut_number(x, i, is_double, (double)(i * i % 23) - 11);
    for (part = 0; part < 2; part++)
        for (i = 0; i < R; i++)
            for (j = 0; j < R; j++) {
                double re = 0, im = 0;
                for (s = 32 * part; s < (part ? C : 32); s++) {
                    const uint32_t a = (s * R + i) * parts, b = (s * R + j) * parts;
                    const double ar = (double)(a * a % 23) - 11, br = (double)(b * b % 23) - 11;
                    const double ai = (double)((a + 1) * (a + 1) % 23) - 11;
                    const double bi = (double)((b + 1) * (b + 1) % 23) - 11;
                    re += parts == 2 ? ar * br + ai * bi : ar * br;
                    im += ai * br - ar * bi;
                }
                padici_test_cut_number(out, ((part * R + i) * R + j) * parts, is_double, re);
                if (parts == 2)
                    padici_test_cut_number(out, ((part * R + i) * R + j) * 2 + 1, is_double, im);
            }
    k.rows = R;
    k.columns = C;
    k.part = 32;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->groups[1] = 2;
    c->buffers[1].dtype = is_double ? PADIC_F64 : PADIC_F32; // a zero may be -0
    c->buffers[1].bound = 0.25;
    return PADIC_OK;
}

static padic_result padici_test_factor_add(padici_gpu_case *c)
{
    enum { COUNT = 131, PARTS = 5 };
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const uint32_t unit = is_double ? 8 : 4;
    padici_k_factor_add_params k;
    unsigned char *x = (unsigned char *)padici_gpu_image(c, 0, unit * COUNT * PARTS);
    unsigned char *out = (unsigned char *)padici_gpu_image(c, 1, unit * COUNT);
    uint32_t i, j;
    if (out) out = (unsigned char *)padici_gpu_answer(c, 1);
    if (!x || !out) return PADIC_ERROR_MEMORY;
    for (i = 0; i < COUNT * PARTS; i++) padici_test_cut_number(x, i, is_double, i % 97 + 1.0);
    for (i = 0; i < COUNT; i++) {
        double sum = 0;
        for (j = 0; j < PARTS; j++) sum += (j * COUNT + i) % 97 + 1.0;
        padici_test_cut_number(out, i, is_double, sum);
    }
    k.count = COUNT;
    k.parts = PARTS;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}
// room: src/gpu/padic_gpu_factor.in.h:11
#endif // PADICI_GPU_FACTOR
