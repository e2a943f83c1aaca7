// padic_gpu_factor.h: factorisations on devices, kernels/factor.cl: up to 64 columns, as many rows
// as fit into local memory. padic_gpu.h includes it; of no use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_FACTOR) && !defined(PADIC_NO_TENSOR)
#define PADICI_GPU_FACTOR

// The kernel's.
#define PADICI_GPU_FACTOR_LEFT 1u
#define PADICI_GPU_FACTOR_RIGHT 2u
#define PADICI_GPU_FACTOR_VALUES 4u
#define PADICI_GPU_FACTOR_ADJOINT 8u

typedef struct padici_gpu_factor {
    padici_factor f;
    padici_k_factor_params k;
    const char *defines[2];
    uint32_t kernel, unit, parts;       // unit: bytes of a real number
    const padici_operand *operands[4];  // of the tensors of f; NULL: absent
} padici_gpu_factor;

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
    g->kernel = svd                             ? PADICI_KERNEL_FACTOR_SVD
                : g->f.kind == PADICI_FACTOR_QR ? PADICI_KERNEL_FACTOR_QR
                                                : PADICI_KERNEL_FACTOR_EIGH;
    if (g->f.r > 64 || m > 8192 || n > 8192 ||
        g->parts * (m | 1) * n * g->unit > (local >= 49152 ? 33280u : 11264u))
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
    return PADIC_OK;
}

// The kernel's words about each matrix, as results.
static padic_result padici_gpu_factor_info(padici_gpu *gpu, padic_mem mem, uint32_t batch,
                                           int32_t *info)
{
    static const padic_result results[3] = {PADIC_OK, PADIC_ERROR_NOT_FINITE, PADIC_ERROR_DOMAIN};
    char sentence[96];
    uint32_t i;
    padic_result result;
    int32_t *words = info;
    if (!words)
        words = (int32_t *)padici_alloc(&gpu->context->allocator, (size_t)batch * 4, 16);
    if (!words) return padici_fail(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_download(gpu, mem, 0, words, (uint64_t)batch * 4);
    for (i = 0; i < batch && !result; i++)
        words[i] = results[words[i] > 0 && words[i] < 3 ? words[i] : 0];
    if (!result) {
        result = padici_factor_say(words, batch, sentence, sizeof sentence);
        if (result) result = padici_fail(gpu->context, result, sentence);
    }
    if (!info) padici_free(&gpu->context->allocator, words, (size_t)batch * 4);
    return result;
}

static padic_result padici_gpu_factor_run(padici_gpu *gpu, const padici_gpu_factor *g,
                                          int32_t *info)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const uint64_t groups = g->k.batch < 8 * units ? g->k.batch : 8 * units;
    const int turn = (g->k.flags & PADICI_GPU_FACTOR_ADJOINT) != 0;
    padici_gpu_block words, space;
    padici_gpu_work work;
    padic_mem mem[4];
    uint32_t i;
    padic_result result;
    space.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, (uint64_t)g->k.batch * 4, &words);
    if (!result && g->f.kind != PADICI_FACTOR_QR) // V of each group
        result = padici_gpu_scratch(gpu, groups * g->parts * g->k.n * g->k.n * g->unit, &space);
    if (!result) {
        memset(&work, 0, sizeof work);
        for (i = 0; i < 4; i++) mem[i] = g->operands[i] ? g->operands[i]->now.mem : words.mem;
        i = 0;
        work.mem[i++] = mem[0];
        work.mem[i++] = mem[turn ? 2 : 1];
        if (g->f.kind != PADICI_FACTOR_EIGH) work.mem[i++] = mem[turn ? 1 : 2];
        if (g->f.kind != PADICI_FACTOR_QR)
            work.mem[i++] = mem[g->f.kind == PADICI_FACTOR_SVD ? 3 : 2];
        work.mem[i++] = words.mem;
        if (g->f.kind != PADICI_FACTOR_QR) work.mem[i++] = space.mem;
        work.mem_count = i;
        work.kernel = g->kernel;
        work.defines = g->defines;
        work.define_count = 2;
        work.params = &g->k;
        work.params_size = sizeof g->k;
        work.groups[0] = (uint32_t)groups;
        result = padici_gpu_launch(gpu, &work);
    }
    if (!result) result = padici_gpu_factor_info(gpu, words.mem, g->k.batch, info);
    padici_gpu_scratch_end(gpu, &space);
    padici_gpu_scratch_end(gpu, &words);
    return result;
}

static padic_result padici_gpu_factor_call(padici_gpu *gpu, const padici_call *call, int query,
                                           padici_gpu_factor *g, int32_t *info)
{
    uint32_t i, next = 0;
    padic_result result;
    for (i = 0; i < 4; i++)
        g->operands[i] = g->f.tensors[i].dtype == PADIC_DTYPE_NONE ? NULL : &call->operands[next++];
    if (padici_tensor_is_double(g->f.tensors[0].dtype) &&
        !(gpu->info->features & PADIC_FEATURE_F64))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_factor_begin(g, gpu->info->local_bytes);
    if (!result) result = padici_gpu_need(gpu, g->kernel, g->defines, 2);
    if (query || result) return result;
    gpu->context->method = "a matrix a group";
    return padici_gpu_factor_run(gpu, g, info);
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

static padic_result padici_warm_factor(padici_gpu *gpu)
{
    static const char *const defines[2] = {"PD_FACTOR_PARTS=2", "PD_FACTOR_F64=0"};
    return padici_gpu_need(gpu, PADICI_KERNEL_FACTOR_SVD, defines, 2);
}

// Tests: three matrices in two groups, square (or tall) and then wide, whose values lie far apart,
// against the reference.

typedef struct padici_test_factor {
    padici_gpu_factor g;
    padici_operand operands[4];
    padic_tensor tensors[4], answers[4];
    uint32_t batch, m, n, kind;
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
    c->buffers[buffer].bound = is_double ? 1e-13 : 5e-5;
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

static padic_result padici_test_factor_case(padici_gpu_case *c, uint32_t kind)
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
    t.m = c->round ? 4 : 7;
    t.n = kind == PADICI_FACTOR_EIGH ? t.m : c->round ? 6 : 5;
    r = t.m < t.n ? t.m : t.n;
    good = padici_test_factor_tensor(c, &t, 0, 0, t.m, t.n) != NULL;
    good = good && padici_test_factor_tensor(c, &t, turn ? 2 : 1, 1, t.m, r);
    good = good && padici_test_factor_tensor(c, &t, turn ? 1 : at, 2, r,
                                             kind == PADICI_FACTOR_EIGH ? 0 : t.n);
    at++;
    if (kind == PADICI_FACTOR_SVD) good = good && padici_test_factor_tensor(c, &t, at++, 3, r, 0);
    info = (uint32_t *)padici_gpu_image(c, at, 4 * t.batch);
    if (good && info) info = (uint32_t *)padici_gpu_answer(c, at);
    if (!good || !info) return PADIC_ERROR_MEMORY;
    memset(info, 0, 4 * t.batch);
    if (kind != PADICI_FACTOR_QR) { // V: whatever it holds then
        c->buffers[last].dtype = c->buffers[0].dtype;
        c->buffers[last].bound = 1e30;
        if (!padici_gpu_image(c, last, 2 * 2 * 8 * 49) || !padici_gpu_answer(c, last))
            return PADIC_ERROR_MEMORY;
    }
    padici_test_factor_numbers(&t);
    if (padici_test_factor_answers(&t)) return PADIC_ERROR_MEMORY;
    if (padici_gpu_factor_begin(&t.g, 16384)) return PADIC_ERROR_SELF_TEST;
    memcpy(&c->params, &t.g.k, sizeof t.g.k);
    c->groups[0] = 2;
    c->again = !c->round;
    return PADIC_OK;
}

static padic_result padici_test_factor_svd(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_SVD);
}
static padic_result padici_test_factor_qr(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_QR);
}
static padic_result padici_test_factor_eigh(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_FACTOR_EIGH);
}
#endif // PADICI_GPU_FACTOR
