// padic_gpu_sample.h: part of padic_gpu.h, which includes it: low-discrepancy points in a device's
// memory, kernels/sample.cl.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADIC_NO_SAMPLE) && !defined(PADICI_GPU_SAMPLE)
#define PADICI_GPU_SAMPLE

// room: src/gpu/sample/points.c
// Points by index and maps of numbers: what the kernels are told; the driver and its rows.

static void padici_gpu_sample_pair(uint32_t *to, uint64_t x)
{
    to[0] = (uint32_t)x;
    to[1] = (uint32_t)(x >> 32);
}

// floor(i / d) = (i m + a) >> s for i < 2^32.
static void padici_gpu_sample_divide(uint32_t *to, uint32_t d)
{
    uint64_t m, a, s;
    padici_sample_reciprocal32(d, &m, &a, &s);
    to[0] = (uint32_t)m;
    to[1] = (uint32_t)a;
    to[2] = (uint32_t)s;
}

// Params but for places and counts.
static void padici_gpu_sample_params(const padici_sample_job *job, const padici_sample_radix *x,
                                     padici_k_sample_points_params *k)
{
    padici_sample_fraction f;
    memset(k, 0, sizeof *k);
    k->kind = job->dtype == PADIC_F32 || job->dtype == PADIC_F64 ? 2 : 0;
    k->kind += job->dtype == PADIC_U64 || job->dtype == PADIC_F64;
    k->task = (uint32_t)job->task;
    k->integers = job->integers;
    k->base = x->base;
    k->levels = x->levels;
    k->mode = (uint32_t)x->mode;
    k->full = x->full;
    k->wide = x->wide;
    k->is_long = x->last > UINT32_MAX;
    k->first_lo = (uint32_t)job->first;
    k->first_hi = (uint32_t)(job->first >> 32);
    padici_gpu_sample_pair(k->last, job->last);
    padici_gpu_sample_pair(k->group, job->group);
    if (x->base) {
        k->together = x->together;
        k->span = x->span;
        padici_gpu_sample_divide(k->divide, x->base);
        padici_gpu_sample_divide(k->divide_span, x->span);
        padici_gpu_sample_pair(k->inverse, x->inverse);
        padici_gpu_sample_pair(k->inverse_span, UINT64_MAX / x->span);
    }
    if (job->integers) return;
    padici_sample_fraction_make(&f, job->scale, 1);
    padici_gpu_sample_pair(k->ratio, f.n);
    padici_gpu_sample_pair(k->scaled, f.d);
    padici_gpu_sample_pair(k->reciprocal, f.v);
    padici_gpu_sample_pair(k->ratio_inverse, f.inverse);
    k->shift = f.shift;
}

static uint32_t padici_gpu_sample_kernel(const padici_sample_drive *d)
{
    const padici_sample_task task = d->job->task;
    if (task == PADICI_SAMPLE_RATIO ||
        (task == PADICI_SAMPLE_VALUE && d->radix->mode == PADIC_SAMPLE_NONE))
        return PADICI_KERNEL_SAMPLE_POINTS;
    return PADICI_KERNEL_SAMPLE_MAPS;
}

// 1: the slow variant of PADICI_KERNEL_SAMPLE_MAPS.
static uint32_t padici_gpu_sample_nodes(const padici_sample_drive *d)
{
    return padici_gpu_sample_kernel(d) == PADICI_KERNEL_SAMPLE_MAPS &&
           (d->radix->full || d->job->task == PADICI_SAMPLE_UNSCRAMBLE);
}

static const char *const padici_gpu_sample_define[] = {"PD_SAMPLE_NODES=1"};

// Where the views lie, in their elements. 0: not as the kernels want them.
static int padici_gpu_sample_places(const padici_gpu *gpu, const padici_sample_drive *d,
                                    padici_k_sample_points_params *k)
{
    const padici_sample_job *job = d->job;
    const uint32_t size = padic_dtype_size(job->dtype);
    const int handles = !strcmp(gpu->target->backend->name, "opencl"); // no addresses
    if (job->to.at % size || (!handles && job->to.mem.bits % 4)) return 0;
    padici_gpu_sample_pair(k->out_at, job->to.at / size + d->offset);
    padici_gpu_sample_pair(k->out_stride, job->out_stride);
    k->n_lo = (uint32_t)d->count;
    k->n_hi = (uint32_t)(d->count >> 32);
    if (!job->index) return 1;
    k->index = padic_dtype_size(job->index_dtype);
    if (job->from.at % k->index || (!handles && job->from.mem.bits % 4)) return 0;
    padici_gpu_sample_pair(k->index_at, job->from.at / k->index);
    padici_gpu_sample_pair(k->index_stride, job->index_stride);
    return 1;
}

static padic_result padici_gpu_sample_launch(padici_gpu *gpu, padici_sample_drive *d,
                                             padici_gpu_block *block)
{
    const padici_sample_job *job = d->job;
    const padici_sample_radix *x = d->radix;
    const uint32_t kernel = padici_gpu_sample_kernel(d), zero = 0;
    const int keys = x->mode != PADIC_SAMPLE_NONE && kernel == PADICI_KERNEL_SAMPLE_MAPS;
    const uint64_t at = 8 * (uint64_t)x->levels; // of the word that says "outside"
    padici_k_sample_points_params k;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    padici_gpu_sample_params(job, x, &k);
    if (!padici_gpu_sample_places(gpu, d, &k)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.mem_count = kernel == PADICI_KERNEL_SAMPLE_MAPS ? 4 : 3;
    work.defines = padici_gpu_sample_define;
    work.define_count = padici_gpu_sample_nodes(d);
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = padici_gpu_groups(gpu, d->count, 128);
    work.mem[0] = job->index ? job->from.mem : job->to.mem;
    work.mem[1] = job->to.mem;
    work.mem[2] = work.mem[3] = job->to.mem; // not touched
    if (keys || job->index) {
        result = padici_gpu_scratch(gpu, 4, &block[0]);
        if (!result) result = padici_gpu_scratch(gpu, at + 8, &block[1]);
        if (!result) result = padici_gpu_upload(gpu, block[0].mem, 0, &zero, 4);
        if (!result && keys) result = padici_gpu_upload(gpu, block[1].mem, 0, x->keys, at);
        if (result) return result;
        work.mem[2] = block[0].mem;
        work.mem[3] = block[1].mem;
    }
    result = padici_gpu_launch(gpu, &work);
    if (result || !job->index) return result;
    return padici_gpu_download(gpu, block[0].mem, 0, &d->outside, 4);
}

static padic_result padici_gpu_sample(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    padici_sample_drive *d = (padici_sample_drive *)call;
    padici_gpu_block block[2];
    padic_result result;
    if (kernel != PADICI_KERNEL_SAMPLE_DEVICE) return PADIC_ERROR_NOT_SUPPORTED;
    if (gpu->context->recording && (d->job->index || d->radix->mode != PADIC_SAMPLE_NONE))
        return PADIC_ERROR_NOT_SUPPORTED; // keys go up, an answer comes back
    result = padici_gpu_need(gpu, padici_gpu_sample_kernel(d), padici_gpu_sample_define,
                             padici_gpu_sample_nodes(d));
    if (query || result || !d->count) return result;
    memset(block, 0, sizeof block);
    block[0].block = block[1].block = PADICI_NO_BLOCK;
    result = padici_gpu_sample_launch(gpu, d, block);
    padici_gpu_scratch_end(gpu, &block[0]);
    padici_gpu_scratch_end(gpu, &block[1]);
    if (!result) gpu->context->stats.kernels.calls++;
    return result;
}

static padic_result padici_warm_sample(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_SAMPLE_POINTS, NULL, 0);
}

#define PADICI_GPU_WARM_SAMPLE(X) X(PADIC_AREA_SAMPLE, sample)
#define PADICI_GPU_TESTS_SAMPLE(X) X(SAMPLE_POINTS, sample_points) X(SAMPLE_MAPS, sample_maps)
#define PADICI_GPU_LAYERS_SAMPLE(X) X(PADIC_KERNEL_SAMPLE, sample)

// room: src/gpu/sample/points_test.c
// Known answers: 301 numbers by the host, one of them outside, in every task, of short and of long
// indices, to all four types.

#define PADICI_SAMPLE_KNOWN 301u

// What a round computes: in which base, of which type.
static void padici_gpu_sample_round(uint32_t maps, uint32_t round, uint32_t nodes,
                                    padici_sample_job *job, padici_sample_radix *x)
{
    static const uint32_t bases[] = {3, 2, 5, 7, 257, 4};
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_U32, PADIC_U64, PADIC_F64};
    const uint32_t is_long = round / 2 % 2;
    const padici_sample_task task =
        maps ? round % 4 == 3 ? PADICI_SAMPLE_VALUE : (padici_sample_task)(round % 4)
             : round == 5 ? PADICI_SAMPLE_RATIO : PADICI_SAMPLE_VALUE;
    memset(job, 0, sizeof *job);
    padici_sample_radix_make(x, bases[round % 6], (int)is_long);
    job->task = maps && round == 7 ? PADICI_SAMPLE_SHUFFLE : task;
    if (maps && !nodes && job->task == PADICI_SAMPLE_UNSCRAMBLE) job->task = PADICI_SAMPLE_VALUE;
    job->integers = job->task != PADICI_SAMPLE_VALUE && job->task != PADICI_SAMPLE_RATIO;
    job->dtype = job->integers ? (is_long ? PADIC_U64 : PADIC_U32) : dtypes[(round + maps) % 4];
    job->last = job->scale = x->last;
    job->index_dtype = PADIC_U64;
    job->index_stride = job->out_stride = 1;
    if (maps) {
        x->mode = (padic_sample_mode)(1 + round % 2);
        x->full = nodes && (round == 2 || !padici_sample_is_prime(x->base));
        if (job->task == PADICI_SAMPLE_SHUFFLE) {
            job->group = (uint64_t)x->base * x->base * x->base;
            x->levels = 3;
        }
    }
}

static padic_result padici_gpu_sample_known(padici_gpu_case *c, uint32_t maps)
{
    const uint32_t n = PADICI_SAMPLE_KNOWN, round = c->round;
    const uint32_t nodes = padici_gpu_define(c, "PD_SAMPLE_NODES", 0);
    padici_k_sample_points_params k;
    padici_sample_job job;
    padici_sample_radix x;
    uint64_t keys[64], *index;
    uint32_t i, size, *bad;
    padici_gpu_sample_round(maps, round, nodes, &job, &x);
    x.keys = keys;
    for (i = 0; i < 64; i++) keys[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    size = padic_dtype_size(job.dtype);
    index = (uint64_t *)padici_gpu_image(c, 0, 8 * n);
    if (!index || !padici_gpu_image(c, 1, size * n)) return PADIC_ERROR_MEMORY;
    bad = (uint32_t *)padici_gpu_image(c, 2, 4);
    if (!bad) return PADIC_ERROR_MEMORY;
    *bad = 0;
    for (i = 0; i < n; i++)
        index[i] = i < 100                ? i
                   : x.last == UINT64_MAX ? keys[i % 64] * i
                                          : keys[i % 64] * i % (x.last + 1);
    index[n - 2] = x.last;
    if (x.last < UINT64_MAX) index[150] = x.last + 1;
    bad = (uint32_t *)padici_gpu_answer(c, 2);
    job.out = (char *)padici_gpu_answer(c, 1);
    job.index = (const char *)index;
    if (!bad || !job.out) return PADIC_ERROR_MEMORY;
    *bad = padici_sample_run(NULL, &job, &x, 0, n) == PADIC_ERROR_LIMIT;
    padici_gpu_sample_params(&job, &x, &k);
    k.n_lo = n;
    k.index = 8;
    k.index_stride[0] = k.out_stride[0] = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    if (maps) {
        index = (uint64_t *)padici_gpu_image(c, 3, sizeof keys);
        if (!index) return PADIC_ERROR_MEMORY;
        memcpy(index, keys, sizeof keys);
    }
    c->again = round < (maps ? 7 : 5);
    return PADIC_OK;
}

static padic_result padici_test_sample_points(padici_gpu_case *c)
{
    return padici_gpu_sample_known(c, 0);
}

static padic_result padici_test_sample_maps(padici_gpu_case *c)
{
    return padici_gpu_sample_known(c, 1);
}
// room: src/gpu/padic_gpu_sample.in.h:8

#endif // PADICI_GPU_SAMPLE
