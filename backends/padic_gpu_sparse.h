// padic_gpu_sparse.h: part of padic_gpu.h, which includes it after padic_num.h: dense to CSR in one
// pass (CUDA) or two, and CSR to dense.
#if defined(PADIC_GPU_IMPLEMENTED) && defined(PADIC_NUM_IMPLEMENTED) && !defined(PADICI_GPU_SPARSE)
#define PADICI_GPU_SPARSE

// room: src/gpu/sparse/job.c
// A call on a device: its method, its variants of kernels, what these are told.

#define PADICI_SPARSE_GROUP 128u   // PD_WG
#define PADICI_SPARSE_SMALL 65536u // elements that one group does
#define PADICI_SPARSE_TILE_BYTES 32768u // of the one-pass kernel
#define PADICI_SPARSE_PART_BYTES 8192u // of a warp's part of a tile where groups do tile after tile
#define PADICI_SPARSE_MANY 0.25 // density from which groups that need less memory are faster
#define PADICI_SPARSE_DENSE 0.125 // density from which all keys are read a second time
#define PADICI_SPARSE_LOOKS 32u          // of such a group at how many have begun
enum { // flags of the kernels
    PADICI_SPARSE_K_FILL = 1,
    PADICI_SPARSE_K_ROWS = 2,
    PADICI_SPARSE_K_WIDE = 4,
    PADICI_SPARSE_K_SIMPLE = 8,
    PADICI_SPARSE_K_BITMAP = 16,
    PADICI_SPARSE_K_SIGNED = 32,
    PADICI_SPARSE_K_KEYS = 64
};

enum { // scratch of a call
    PADICI_SPARSE_B_TOTALS = 0,
    PADICI_SPARSE_B_STATE = 1,  // of tiles: one pass
    PADICI_SPARSE_B_COUNT = 1,  // two passes
    PADICI_SPARSE_B_BITMAP = 2,
    PADICI_SPARSE_B_START = 3,
    PADICI_SPARSE_B_REPORT = 4,
    PADICI_SPARSE_B_ROW_PTR = 5, // of a batch
    PADICI_SPARSE_B_FIRSTS = 6
};

typedef struct padici_gpu_sparse_job {
    padici_gpu *gpu;
    padici_sparse_drive *d;
    const char *defines[5];
    uint32_t define_count, simple;
    uint32_t many, lines;      // bytes known to be dense: one pass, two passes
    uint32_t groups;           // one pass: tile after tile by so many; 0: a group a tile
    uint64_t elements;         // of all matrices
    padici_k_sparse_encode_params k;
    padici_place row_ptr;      // of all rows: scratch for a batch
    padici_gpu_block block[7]; // see PADICI_SPARSE_B_...
} padici_gpu_sparse_job;

static void padici_sparse_halves(uint32_t half[2], uint64_t x)
{
    half[0] = (uint32_t)x;
    half[1] = (uint32_t)(x >> 32);
}

// A test modulo 2^(8 size), as the kernels want it.
static void padici_sparse_test_set(uint32_t factor[2], uint32_t bias[2], uint32_t mask[2],
                                   uint32_t limit[2], const padici_sparse_test *test, uint32_t size)
{
    const uint64_t full = UINT64_MAX >> (64 - 8 * size);
    padici_sparse_halves(factor, test->factor & full);
    padici_sparse_halves(bias, test->bias & full);
    padici_sparse_halves(mask, test->mask & full);
    padici_sparse_halves(limit, test->limit & full);
}

#define PADICI_SPARSE_PAIR(k, name, x) ((k).name##_lo = (uint32_t)(x), \
                                        (k).name##_hi = (uint32_t)((uint64_t)(x) >> 32))

static uint32_t padici_sparse_tile(uint32_t size) // elements, of sparse.cl
{
    return PADICI_SPARSE_GROUP * 32u * (size == 1 ? 4u : size == 2 ? 2u : 1u);
}

// The defines of a program; those of one-pass kernels have SIMPLE, or the local memory, too.
static void padici_gpu_sparse_defines(padici_gpu_sparse_job *job, uint32_t kernel)
{
    const padici_sparse_drive *d = job->d;
    job->define_count = 0;
    job->defines[job->define_count++] = d->size == 1   ? "PD_SPARSE_SIZE=1"
                                        : d->size == 2 ? "PD_SPARSE_SIZE=2"
                                        : d->size == 4 ? "PD_SPARSE_SIZE=4"
                                                       : "PD_SPARSE_SIZE=8";
    if (d->report) job->defines[job->define_count++] = "PD_SPARSE_REPORT=1";
    if (d->unit_size)
        job->defines[job->define_count++] =
            d->unit_size == 4 ? "PD_SPARSE_UNITS=1" : "PD_SPARSE_UNITS=2";
    if (kernel == PADICI_KERNEL_SPARSE_EMIT && job->lines)
        job->defines[job->define_count++] = "PD_SPARSE_LINES=1";
    if (kernel == PADICI_KERNEL_CUDA_SPARSE_ENCODE && job->simple)
        job->defines[job->define_count++] = "PD_SPARSE_SIMPLE=1";
    if (kernel == PADICI_KERNEL_CUDA_SPARSE_ENCODE && job->many)
        job->defines[job->define_count++] = "PD_SPARSE_SHORT=1";
    if (kernel != PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE) return;
    job->defines[job->define_count++] = "PD_DYNAMIC_BYTES=231424";
    if (d->size == 1) job->defines[job->define_count++] = "PD_SPARSE_THREADS=704"; // see below
}

// Bytes of a tile where groups do tile after tile: 20 warps work on keys of a byte, by which these
// are 2 to 4 % faster on an H200, 16 on others; two add up.
static uint32_t padici_gpu_sparse_ring_bytes(uint32_t size)
{
    return (size == 1 ? 20u : 16u) * PADICI_SPARSE_PART_BYTES;
}

static padic_result padici_gpu_sparse_need(padici_gpu_sparse_job *job, uint32_t kernel)
{
    padici_gpu_sparse_defines(job, kernel);
    return padici_gpu_need(job->gpu, kernel, job->defines, job->define_count);
}

// Do the chip's multiprocessors have the local memory for what a few tiles hold, and bulk copies?
static int padici_gpu_sparse_rings(const padici_gpu *gpu)
{
    return !strcmp(gpu->info->arch, "sm_90") || !strcmp(gpu->info->arch, "sm_100");
}

// In a recording only what has been tested before can run.
static int padici_gpu_sparse_now(padici_gpu_sparse_job *job, uint32_t kernel)
{
    const padici_gpu *gpu = job->gpu;
    uint32_t i;
    if (!gpu->context->recording || !gpu->state) return 1;
    padici_gpu_sparse_defines(job, kernel);
    i = padici_variant_find(gpu->state, kernel >> 16, job->defines, job->define_count);
    return i < gpu->state->count && gpu->state->variants[i].state != PADICI_VARIANT_NEW;
}

// Large matrices known to be sparse are done tile after tile there. Measured on an H200.
static void padici_gpu_sparse_shape(padici_gpu_sparse_job *job)
{
    const padici_sparse_drive *d = job->d;
    const uint32_t groups = job->gpu->info->compute_units;
    const double few = d->size == 1 ? 0.025 : d->size == 2 ? 0.06 : 0.11;
    job->lines = d->size == 1 && d->density > PADICI_SPARSE_DENSE && !d->unit_size &&
                 job->elements > PADICI_SPARSE_SMALL;
    if (!padici_gpu_sparse_now(job, PADICI_KERNEL_SPARSE_EMIT)) job->lines = 0;
    job->many = d->size == 1 && d->density > PADICI_SPARSE_MANY && job->simple && !d->report &&
                !d->unit_size;
    if (!padici_gpu_sparse_now(job, PADICI_KERNEL_CUDA_SPARSE_ENCODE)) job->many = 0;
    if (d->report || d->unit_size || !job->simple || d->density < 0 || d->density > few ||
        d->cols < 256 || // it would look for where many rows begin
        !padici_gpu_sparse_rings(job->gpu) ||
        job->elements * d->size / padici_gpu_sparse_ring_bytes(d->size) < groups)
        return;
    job->groups = padici_gpu_sparse_now(job, PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE) ? groups : 0;
}

// All kernels of a method.
static padic_result padici_gpu_sparse_can(padici_gpu_sparse_job *job, padic_sparse_method method)
{
    padic_result result;
    if (job->d->batch > 1) {
        result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_SEGMENTS);
        if (result) return result;
    }
    if (method == PADIC_SPARSE_GPU_ONE_PASS && job->groups) {
        result = padici_gpu_sparse_need(job, PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
        job->groups = 0;
    }
    if (method == PADIC_SPARSE_GPU_ONE_PASS) {
        result = padici_gpu_sparse_need(job, PADICI_KERNEL_CUDA_SPARSE_ENCODE);
        if (result != PADIC_ERROR_NOT_SUPPORTED || !job->many) return result;
        job->many = 0;
        return padici_gpu_sparse_need(job, PADICI_KERNEL_CUDA_SPARSE_ENCODE);
    }
    if (job->elements <= PADICI_SPARSE_SMALL)
        return padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_SMALL);
    result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_BITS);
    if (!result) result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_SCAN);
    if (!result) result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_EMIT);
    return result;
}

// AUTO: one pass where there is one; else the bitmap until what was seen last is so dense that
// reading twice moves fewer bytes: 1 - (1 / (4 s))^(s / 32), by element size s.
static padic_result padici_gpu_sparse_method(padici_gpu_sparse_job *job,
                                             padic_sparse_method *method)
{
    const uint32_t s = job->d->size;
    const double even = s == 1 ? 0.04 : s == 2 ? 0.12 : s == 4 ? 0.29 : 0.58;
    padic_result result;
    *method = job->d->method;
    if (*method != PADIC_SPARSE_AUTO) return padici_gpu_sparse_can(job, *method);
    *method = PADIC_SPARSE_GPU_ONE_PASS;
    result = padici_gpu_sparse_can(job, *method);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    *method = job->d->density > even ? PADIC_SPARSE_GPU_REREAD : PADIC_SPARSE_GPU_BITMAP;
    return padici_gpu_sparse_can(job, *method);
}

// Params but for tiles. 0 where a view does not fit the kernels.
static int padici_gpu_sparse_params(padici_gpu_sparse_job *job)
{
    const padici_sparse_drive *d = job->d;
    padici_k_sparse_encode_params *k = &job->k;
    const padici_place *kept = d->unit_size ? &d->val : &d->value;
    const uint32_t index = d->wide ? 8 : 4;
    const uint64_t base = d->key.at & ~UINT64_C(15), rows = d->rows * d->batch;
    memset(k, 0, sizeof *k);
    if ((d->key.at | kept->at) % d->size || (d->row_ptr.at | d->col.at) % index ||
        (d->unit.at | (d->unit_size ? d->value.at : 0) | d->totals.at % 8) % 4)
        return 0;
    if (strcmp(job->gpu->target->backend->name, "opencl") && // whose handles are no addresses
        ((d->key.mem.bits & 15) || ((d->row_ptr.mem.bits | d->col.mem.bits | d->value.mem.bits |
                                     d->val.mem.bits | d->unit.mem.bits | d->totals.mem.bits) & 7)))
        return 0;
    k->pad = (uint32_t)(d->key.at - base) / d->size;
    PADICI_SPARSE_PAIR(*k, n, job->elements + k->pad);
    PADICI_SPARSE_PAIR(*k, base, base);
    PADICI_SPARSE_PAIR(*k, rows, rows);
    PADICI_SPARSE_PAIR(*k, cols, d->cols);
    PADICI_SPARSE_PAIR(*k, room, d->room);
    PADICI_SPARSE_PAIR(*k, row_ptr, job->row_ptr.at / index);
    PADICI_SPARSE_PAIR(*k, col, d->col.at / index);
    PADICI_SPARSE_PAIR(*k, kept, kept->at / d->size);
    PADICI_SPARSE_PAIR(*k, unit, d->unit.at / 4);
    PADICI_SPARSE_PAIR(*k, value, d->unit_size ? d->value.at / 4 : 0);
    PADICI_SPARSE_PAIR(*k, total, d->totals.mem.bits ? d->totals.at / 8 : 0);
    if (d->cols > 1 && d->cols < 32768)
        k->magic = (uint32_t)((UINT64_C(1) << 32) / d->cols) + 1u;
    k->flags = (d->fill && d->room ? (uint32_t)PADICI_SPARSE_K_FILL : 0u) |
               (d->row_ptr.mem.bits ? (uint32_t)PADICI_SPARSE_K_ROWS : 0u) |
               (d->wide ? (uint32_t)PADICI_SPARSE_K_WIDE : 0u) |
               (job->simple ? (uint32_t)PADICI_SPARSE_K_SIMPLE : 0u) |
               (d->is_signed ? (uint32_t)PADICI_SPARSE_K_SIGNED : 0u) |
               (d->fill && kept->mem.bits ? (uint32_t)PADICI_SPARSE_K_KEYS : 0u);
    padici_sparse_test_set(k->factor, k->bias, k->mask, k->limit, &d->test, d->size);
    padici_sparse_test_set(k->other, k->other + 2, k->other + 4, k->other + 6, &d->other, d->size);
    padici_sparse_halves(k->most, d->most);
    return 1;
}

// A plane that is not wanted is another one, which the kernel then does not touch.
static padic_mem padici_sparse_mem(padic_mem mem, padic_mem otherwise)
{
    return mem.bits ? mem : otherwise;
}

// row_ptr, col, kept keys, units and value from buffer `i` of a launch on.
static void padici_gpu_sparse_planes(const padici_gpu_sparse_job *job, padici_gpu_work *work,
                                     uint32_t i, padic_mem otherwise)
{
    const padici_sparse_drive *d = job->d;
    work->mem[i] = padici_sparse_mem(job->row_ptr.mem, otherwise);
    work->mem[i + 1] = padici_sparse_mem(d->col.mem, otherwise);
    work->mem[i + 2] = padici_sparse_mem(d->unit_size ? d->val.mem : d->value.mem, otherwise);
    work->mem[i + 3] = padici_sparse_mem(d->unit.mem, otherwise);
    work->mem[i + 4] = padici_sparse_mem(d->unit_size ? d->value.mem : d->unit.mem, otherwise);
}

static void padici_gpu_sparse_work(padici_gpu_sparse_job *job, padici_gpu_work *work,
                                   uint32_t kernel, uint32_t mems, uint32_t groups)
{
    memset(work, 0, sizeof *work);
    padici_gpu_sparse_defines(job, kernel);
    work->kernel = kernel;
    work->defines = job->defines;
    work->define_count = job->define_count;
    work->mem_count = mems;
    work->params = &job->k;
    work->params_size = sizeof job->k;
    work->groups[0] = groups;
    work->mem[0] = job->d->key.mem;
}

static padic_result padici_gpu_sparse_scratch(padici_gpu_sparse_job *job, uint32_t i, uint64_t size)
{
    return padici_gpu_scratch(job->gpu, size ? size : 8, &job->block[i]);
}

static padic_result padici_gpu_sparse_zero(padici_gpu_sparse_job *job, padic_mem mem, uint64_t at,
                                           uint64_t size)
{
    return padici_target_fill(job->gpu->context, job->gpu->target, mem, at, 0, size);
}

// room: src/gpu/sparse/encode.c
// Dense to CSR, in one pass or two.

static padic_result padici_gpu_sparse_one_pass(padici_gpu_sparse_job *job)
{
    const uint32_t size = job->d->size;
    const uint64_t tile =
        (job->groups ? padici_gpu_sparse_ring_bytes(size) : PADICI_SPARSE_TILE_BYTES) / size;
    const uint64_t n = job->elements + job->k.pad, tiles = (n + tile - 1) / tile;
    const uint64_t words = job->groups ? 8 + (tiles + 5) / 2 // see cuda/sparse_ring.cu
                                       : 8 + tiles + 2 * ((tiles + 31) / 32); // cuda/sparse.cu
    padic_mem totals = job->d->totals.mem;
    padici_k_cuda_sparse_ring_encode_params k;
    padici_gpu_work work;
    padic_mem state;
    padic_result result;
    if (tiles >> 23) return PADIC_ERROR_NOT_SUPPORTED;
    result = job->groups ? padici_gpu_kept(job->gpu, words * 8, &state) : PADIC_ERROR_NOT_SUPPORTED;
    if (result == PADIC_ERROR_NOT_SUPPORTED) {
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_STATE, words * 8);
        state = job->block[PADICI_SPARSE_B_STATE].mem;
        if (!result) result = padici_gpu_sparse_zero(job, state, 0, words * 8);
    }
    if (!result && !totals.bits) {
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_TOTALS, 64);
        totals = job->block[PADICI_SPARSE_B_TOTALS].mem;
    }
    if (result) return result;
    job->k.tiles = (uint32_t)tiles;
    memcpy(&k, &job->k, sizeof job->k); // its first fields are the same
    k.looks = PADICI_SPARSE_LOOKS;
    if (job->d->report) { // else the kernel does
        result = padici_gpu_sparse_zero(job, totals,
                                        job->d->totals.mem.bits ? job->d->totals.at : 0, 32);
        if (result) return result;
    }
    padici_gpu_sparse_work(job, &work,
                           job->groups ? PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE
                                       : PADICI_KERNEL_CUDA_SPARSE_ENCODE,
                           8, job->groups ? job->groups : (uint32_t)tiles);
    if (job->groups) {
        work.params = &k;
        work.params_size = sizeof k;
    }
    work.mem[1] = state;
    padici_gpu_sparse_planes(job, &work, 2, state);
    work.mem[7] = totals;
    return padici_gpu_launch(job->gpu, &work);
}

// Pass 1, scan and pass 2.
static padic_result padici_gpu_sparse_passes(padici_gpu_sparse_job *job, int bitmap,
                                             padic_mem totals)
{
    const uint32_t tiles = job->k.tiles, scan = 8 * 256;
    const int emit = job->k.flags & (PADICI_SPARSE_K_FILL | PADICI_SPARSE_K_ROWS);
    padici_gpu_work work;
    padic_mem count, bits, start, report;
    padic_result result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_COUNT, tiles * 4u);
    if (!result)
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_START, (uint64_t)tiles * 8);
    if (!result && job->d->report)
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_REPORT, (uint64_t)tiles * 16);
    if (!result && emit && bitmap) {
        job->k.flags |= PADICI_SPARSE_K_BITMAP;
        result = padici_gpu_sparse_scratch(
            job, PADICI_SPARSE_B_BITMAP, (uint64_t)tiles * padici_sparse_tile(job->d->size) / 8);
    }
    if (result) return result;
    count = job->block[PADICI_SPARSE_B_COUNT].mem;
    start = job->block[PADICI_SPARSE_B_START].mem;
    bits = padici_sparse_mem(job->block[PADICI_SPARSE_B_BITMAP].mem, count);
    report = padici_sparse_mem(job->block[PADICI_SPARSE_B_REPORT].mem, start);
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_BITS, 5, tiles);
    work.mem[1] = work.mem[0];
    work.mem[2] = bits;
    work.mem[3] = count;
    work.mem[4] = report;
    result = padici_gpu_launch(job->gpu, &work);
    if (result) return result;
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_SCAN, 4, (tiles + scan - 1) / scan);
    work.mem[0] = count;
    work.mem[1] = report;
    work.mem[2] = start;
    work.mem[3] = totals;
    result = padici_gpu_launch(job->gpu, &work);
    if (result || !emit) return result;
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_EMIT, 8, tiles);
    work.mem[1] = job->k.flags & PADICI_SPARSE_K_BITMAP ? bits : work.mem[0];
    work.mem[2] = start;
    padici_gpu_sparse_planes(job, &work, 3, count);
    return padici_gpu_launch(job->gpu, &work);
}

static padic_result padici_gpu_sparse_two_pass(padici_gpu_sparse_job *job, int bitmap)
{
    const uint32_t tile = padici_sparse_tile(job->d->size);
    const uint64_t tiles = (job->elements + job->k.pad + tile - 1) / tile;
    padici_gpu_work work;
    padic_mem totals = job->d->totals.mem;
    padic_result result;
    if (tiles >> 24) return PADIC_ERROR_NOT_SUPPORTED;
    job->k.tiles = (uint32_t)tiles;
    result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_TOTALS, 64);
    if (result) return result;
    totals = padici_sparse_mem(totals, job->block[PADICI_SPARSE_B_TOTALS].mem);
    if (job->elements > PADICI_SPARSE_SMALL) return padici_gpu_sparse_passes(job, bitmap, totals);
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_SMALL, 8, 1);
    work.mem[1] = work.mem[0];
    work.mem[2] = totals;
    padici_gpu_sparse_planes(job, &work, 3, job->block[PADICI_SPARSE_B_TOTALS].mem);
    return padici_gpu_launch(job->gpu, &work);
}

// Nothing to look at: zeros.
static padic_result padici_gpu_sparse_empty(padici_gpu_sparse_job *job)
{
    const padici_sparse_drive *d = job->d;
    padic_result result = PADIC_OK;
    if (d->row_ptr.mem.bits)
        result = padici_gpu_sparse_zero(job, d->row_ptr.mem, d->row_ptr.at,
                                        (d->rows + 1) * d->batch * (d->wide ? 8 : 4));
    if (!result && d->totals.mem.bits)
        result = padici_gpu_sparse_zero(job, d->totals.mem, d->totals.at, 32);
    if (d->firsts) memset(d->firsts, 0, (size_t)(d->batch + 1) * 8);
    return result;
}

// row_ptr of a batch, and where the entries of each matrix begin.
static padic_result padici_gpu_sparse_segments(padici_gpu_sparse_job *job)
{
    padici_sparse_drive *d = job->d;
    const uint64_t pointers = (d->rows + 1) * d->batch;
    padici_k_sparse_segments_params k;
    padici_gpu_work work;
    padic_result result =
        padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_FIRSTS, (d->batch + 1) * 8);
    if (result) return result;
    memset(&k, 0, sizeof k);
    PADICI_SPARSE_PAIR(k, rows, d->rows);
    PADICI_SPARSE_PAIR(k, to, d->row_ptr.at / (d->wide ? 8 : 4));
    k.count = (uint32_t)d->batch;
    k.wide = d->wide ? PADICI_SPARSE_K_WIDE : 0;
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_SEGMENTS, 3,
                           padici_gpu_groups(job->gpu, pointers, PADICI_SPARSE_GROUP));
    work.params = &k;
    work.params_size = sizeof k;
    work.mem[0] = job->row_ptr.mem;
    work.mem[1] = d->row_ptr.mem;
    work.mem[2] = job->block[PADICI_SPARSE_B_FIRSTS].mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (result || !d->firsts) return result;
    return padici_gpu_download(job->gpu, work.mem[2], 0, d->firsts, (d->batch + 1) * 8);
}

static padic_result padici_gpu_sparse_run(padici_gpu_sparse_job *job, padic_sparse_method method)
{
    padici_sparse_drive *d = job->d;
    padic_mem totals;
    padic_result result = PADIC_OK;
    job->row_ptr = d->row_ptr;
    if (d->batch > 1) {
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_ROW_PTR,
                                           (d->rows * d->batch + 1) * (d->wide ? 8 : 4));
        job->row_ptr.mem = job->block[PADICI_SPARSE_B_ROW_PTR].mem;
        job->row_ptr.at = 0;
    }
    if (!result && !padici_gpu_sparse_params(job)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return result;
    result = method == PADIC_SPARSE_GPU_ONE_PASS
                 ? padici_gpu_sparse_one_pass(job)
                 : padici_gpu_sparse_two_pass(job, method == PADIC_SPARSE_GPU_BITMAP);
    if (!result && d->batch > 1) result = padici_gpu_sparse_segments(job);
    if (result || !d->wait) return result;
    totals = job->block[PADICI_SPARSE_B_TOTALS].mem;
    result = padici_gpu_download(job->gpu, padici_sparse_mem(d->totals.mem, totals),
                                 d->totals.mem.bits ? d->totals.at : 0, d->found, 32);
    if (!result && d->firsts && d->batch == 1) {
        d->firsts[0] = 0;
        d->firsts[1] = d->found[1];
    }
    return result;
}

static padic_result padici_gpu_sparse_encode(padici_gpu *gpu, padici_sparse_drive *d, int query)
{
    const uint64_t full = UINT64_MAX >> (64 - 8 * d->size);
    padici_gpu_sparse_job job;
    padic_sparse_method method;
    padic_result result;
    uint32_t i;
    memset(&job, 0, sizeof job);
    job.gpu = gpu;
    job.d = d;
    job.elements = d->rows * d->cols * d->batch;
    job.simple = (d->test.factor & full) == 1 && !(d->test.bias & full) && !(d->test.limit & full);
    padici_gpu_sparse_shape(&job);
    for (i = 0; i < 7; i++) job.block[i].block = PADICI_NO_BLOCK;
    result = padici_gpu_sparse_method(&job, &method);
    if (query || result) return result;
    result = job.elements ? padici_gpu_sparse_run(&job, method) : padici_gpu_sparse_empty(&job);
    for (i = 0; i < 7; i++) padici_gpu_scratch_end(gpu, &job.block[i]);
    d->method = method;
    return result;
}

// room: src/gpu/sparse/driver.c
// CSR to dense; the driver, what it builds beforehand, its rows in the tables.

static padic_result padici_gpu_sparse_decode(padici_gpu *gpu, const padici_sparse_decode_drive *d,
                                             int query)
{
    const uint64_t tile = 8192 / d->size, n = d->rows * d->cols, groups = (n + tile - 1) / tile;
    const uint32_t index = d->wide ? 8 : 4;
    padici_gpu_sparse_job job;
    padici_sparse_drive like;
    padici_k_sparse_decode_params k;
    padici_gpu_work work;
    padic_result result;
    memset(&job, 0, sizeof job);
    memset(&like, 0, sizeof like);
    like.size = d->size;
    job.gpu = gpu;
    job.d = &like;
    result = padici_gpu_sparse_need(&job, PADICI_KERNEL_SPARSE_DECODE);
    if (!result && (groups >> 24 || n >> 40)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result || !n) return result;
    if ((d->row_ptr.at | d->col.at) % index || (d->value.at | d->dense.at) % d->size)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    PADICI_SPARSE_PAIR(k, rows, d->rows);
    PADICI_SPARSE_PAIR(k, cols, d->cols);
    PADICI_SPARSE_PAIR(k, nnz, d->nnz);
    PADICI_SPARSE_PAIR(k, row_ptr, d->row_ptr.at / index);
    PADICI_SPARSE_PAIR(k, col, d->col.at / index);
    PADICI_SPARSE_PAIR(k, value, d->value.at / d->size);
    PADICI_SPARSE_PAIR(k, dense, d->dense.at / d->size);
    k.wide = d->wide ? PADICI_SPARSE_K_WIDE : 0;
    padici_gpu_sparse_work(&job, &work, PADICI_KERNEL_SPARSE_DECODE, 4, (uint32_t)groups);
    work.params = &k;
    work.params_size = sizeof k;
    work.mem[0] = d->row_ptr.mem;
    work.mem[1] = padici_sparse_mem(d->col.mem, d->row_ptr.mem); // NULL without entries
    work.mem[2] = padici_sparse_mem(d->value.mem, d->row_ptr.mem);
    work.mem[3] = d->dense.mem;
    return padici_gpu_launch(gpu, &work);
}

static padic_result padici_gpu_sparse(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    if (kernel == PADIC_KERNEL_SPARSE_DECODE)
        return padici_gpu_sparse_decode(gpu, (const padici_sparse_decode_drive *)call, query);
    if (kernel == PADIC_KERNEL_SPARSE_ENCODE)
        return padici_gpu_sparse_encode(gpu, (padici_sparse_drive *)call, query);
    return PADIC_ERROR_NOT_SUPPORTED;
}

// The most used: elements of 1, 2 and 4 bytes, kept where they are not 0; of matrices of any size.
static padic_result padici_warm_sparse(padici_gpu *gpu)
{
    padici_gpu_sparse_job job;
    padici_sparse_drive d;
    padic_result result = PADIC_OK;
    memset(&job, 0, sizeof job);
    memset(&d, 0, sizeof d);
    job.gpu = gpu;
    job.d = &d;
    job.simple = 1;
    for (d.size = 1; d.size <= 4 && !result; d.size *= 2) {
        result = padici_gpu_sparse_need(&job, PADICI_KERNEL_SPARSE_SMALL);
        if (!result) result = padici_gpu_sparse_need(&job, PADICI_KERNEL_CUDA_SPARSE_ENCODE);
        if (!result && padici_gpu_sparse_rings(gpu))
            result = padici_gpu_sparse_need(&job, PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    return result;
}

#define PADICI_GPU_WARM_SPARSE(X) X(PADIC_AREA_SPARSE, sparse)
#define PADICI_GPU_TESTS_SPARSE(X)         \
    X(SPARSE_BITS, sparse_bits)            \
    X(SPARSE_SCAN, sparse_scan)            \
    X(SPARSE_EMIT, sparse_emit)            \
    X(SPARSE_SMALL, sparse_small)          \
    X(SPARSE_SEGMENTS, sparse_segments)    \
    X(SPARSE_DECODE, sparse_decode)        \
    X(CUDA_SPARSE_ENCODE, cuda_sparse_encode) \
    X(CUDA_SPARSE_RING_ENCODE, cuda_sparse_ring_encode)
#define PADICI_GPU_LAYERS_SPARSE(X) X(PADIC_KERNEL_SPARSE, sparse)

// room: src/gpu/sparse/known.c
// Known answers: a matrix of two tiles, one sparse, one dense, and an odd tail, done by the host.

#define PADICI_SPARSE_KNOWN_COLS 97u

typedef struct padici_sparse_known {
    uint32_t size, tile, tiles, n, rows, nnz;
    padic_dtype dtype;
    unsigned char *keys;   // image of buffer `keys`
    uint32_t *row_ptr, *col;
    unsigned char *value;
    uint32_t bitmap_words; // of a tile
    padic_sparse_report report;
    padici_gpu_sparse_job job; // its params
    padici_sparse_drive d;
} padici_sparse_known;

// Memory of a test that no buffer shows.
static void *padici_sparse_known_space(padici_gpu_case *c, uint64_t size)
{
    const size_t whole = ((size_t)size + 15u) & ~(size_t)15u;
    void *space = c->space + c->used;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) return NULL;
    c->used += whole;
    return space;
}

static void padici_sparse_known_keys(const padici_sparse_known *x, unsigned char *keys)
{
    uint32_t i, j;
    for (i = 0; i < x->n; i++) {
        uint32_t block[4];
        const uint32_t dense = i / x->tile == 1;
        padic_random_block(17, 4, 2, i, block);
        for (j = 0; j < x->size; j++) keys[i * x->size + j] = 0;
        if (block[0] % 100 >= (dense ? 45u : 4u)) continue;
        keys[i * x->size + (block[1] & 3 ? 0 : x->size - 1)] = (unsigned char)(block[2] % 5 + 253);
        if (block[1] & 8) keys[i * x->size] = (unsigned char)(block[3] | 1u);
    }
}

// The job of what `desc` encoded to `csr`. (In a frame of its own.)
static padic_result padici_sparse_known_job(padici_gpu_case *c, padici_sparse_known *x,
                                            padic_sparse_encode_desc *desc, padic_sparse_csr *csr)
{
    padici_sparse_source s;
    padici_sparse_work w;
    const padic_result result = padici_sparse_source_of(NULL, &s, desc, 0, NULL);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.source = &s;
    w.fill = w.report = 1;
    w.to.room = x->nnz - 3; // the last entries have no room
    padici_sparse_drive_begin(&w, csr, PADIC_SPARSE_GPU_BITMAP, 1, &x->d);
    x->d.row_ptr.mem.bits = x->d.value.mem.bits = 1u << 20; // there are some
    x->job.gpu = c->gpu;
    x->job.d = &x->d;
    x->job.elements = x->n;
    x->job.row_ptr = x->d.row_ptr;
    x->job.simple = c->round;
    return padici_gpu_sparse_params(&x->job) ? PADIC_OK : PADIC_ERROR_SELF_TEST;
}

// `keys` is the image of buffer `buffer`. Mode THRESHOLD in round 0, NONZERO in the next.
static padic_result padici_sparse_known_begin(padici_gpu_case *c, padici_sparse_known *x,
                                              uint32_t buffer, uint32_t tile_bytes)
{
    static const padic_dtype dtypes[4] = {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64};
    padic_sparse_encode_desc desc;
    padic_sparse_csr csr;
    padic_result result;
    memset(x, 0, sizeof *x);
    memset(&desc, 0, sizeof desc);
    memset(&csr, 0, sizeof csr);
    x->size = padici_gpu_define(c, "PD_SPARSE_SIZE", 4);
    x->dtype = dtypes[x->size == 8 ? 3 : x->size / 2];
    x->tile = tile_bytes ? tile_bytes / x->size : padici_sparse_tile(x->size);
    x->rows = (2 * x->tile + 120) / PADICI_SPARSE_KNOWN_COLS;
    x->n = x->rows * PADICI_SPARSE_KNOWN_COLS;
    x->tiles = (x->n + x->tile - 1) / x->tile;
    x->keys = (unsigned char *)padici_gpu_image(c, buffer, (uint64_t)x->n * x->size);
    x->row_ptr = (uint32_t *)padici_sparse_known_space(c, (x->rows + 1u) * 4u);
    x->col = (uint32_t *)padici_sparse_known_space(c, x->tile * 4u);
    x->value = (unsigned char *)padici_sparse_known_space(c, x->tile * x->size);
    if (!x->keys || !x->row_ptr || !x->col || !x->value) return PADIC_ERROR_MEMORY;
    padici_sparse_known_keys(x, x->keys);
    desc.dense = padic_tensor_2d(x->dtype, x->keys, x->rows, PADICI_SPARSE_KNOWN_COLS);
    desc.mode = c->round ? PADIC_SPARSE_NONZERO : PADIC_SPARSE_THRESHOLD;
    desc.threshold = c->round ? 0 : 1;
    csr.row_ptr = padic_tensor_1d(PADIC_I32, x->row_ptr, x->rows + 1u);
    csr.col = padic_tensor_1d(PADIC_I32, x->col, x->tile);
    csr.value = padic_tensor_1d(x->dtype, x->value, x->tile);
    result = padic_sparse_encode(NULL, &csr, &desc, &x->report);
    if (result) return result;
    x->nnz = (uint32_t)csr.nnz;
    result = padici_sparse_known_job(c, x, &desc, &csr);
    if (result) return result;
    x->job.k.tiles = x->tiles;
    x->job.k.flags |= PADICI_SPARSE_K_SIGNED;
    x->bitmap_words = x->tile / 32;
    return PADIC_OK;
}

// The bitmap, counts (u32), starts and {others, largest} (u64) of the tiles; any may be NULL.
static void padici_sparse_known_tiles(const padici_sparse_known *x, uint32_t *bitmap,
                                      uint32_t *count, uint64_t *start, uint64_t *report)
{
    uint32_t r, e, i;
    uint64_t sum = 0;
    uint32_t counts[4] = {0, 0, 0, 0};
    if (bitmap) memset(bitmap, 0, (size_t)x->tiles * x->bitmap_words * 4u);
    for (r = 0, e = 0; r < x->rows; r++)
        for (; e < x->row_ptr[r + 1]; e++) {
            i = r * PADICI_SPARSE_KNOWN_COLS + x->col[e];
            if (bitmap) bitmap[i / 32] |= 1u << (i % 32);
            counts[i / x->tile]++;
        }
    for (i = 0; i < x->tiles; i++) {
        if (count) count[i] = counts[i];
        if (start) start[i] = sum;
        sum += counts[i];
    }
    for (i = 0; report && i < x->n; i++) { // of signed keys, as padic_sparse_report defines it
        const uint64_t key = padici_sparse_key(x->keys + i * x->size, x->size);
        const uint64_t full = padici_sparse_full(x->size);
        const uint64_t m = key >> (8 * x->size - 1) ? (0 - key) & full : key;
        uint64_t *of = report + i / x->tile * 2;
        if (i % x->tile == 0) of[0] = of[1] = 0;
        of[0] += key != 0;
        if (m <= x->d.most && m > of[1]) of[1] = m;
    }
}

// What every encoding kernel gets: its params, and from buffer i on row_ptr, columns, kept keys,
// units and value with what must become of them.
static padic_result padici_sparse_known_planes(padici_gpu_case *c, padici_sparse_known *x,
                                               uint32_t i)
{
    const uint32_t room = x->nnz - 3, units = padici_gpu_define(c, "PD_SPARSE_UNITS", 0);
    uint32_t *unit, *to, j, r, e;
    void *out[4];
    if (!padici_gpu_image(c, i, (x->rows + 1u) * 4u) ||
        !padici_gpu_image(c, i + 1, (uint64_t)x->nnz * 4) ||
        !padici_gpu_image(c, i + 2, (uint64_t)x->nnz * x->size))
        return PADIC_ERROR_MEMORY;
    unit = (uint32_t *)padici_gpu_image(c, i + 3, units ? (uint64_t)x->n * units * 4 : 4);
    if (!unit || !padici_gpu_image(c, i + 4, units ? (uint64_t)x->nnz * units * 4 : 4))
        return PADIC_ERROR_MEMORY;
    for (j = 0; j < x->n * units; j++) unit[j] = j * 2654435761u;
    for (j = 0; j < 3; j++) out[j] = padici_gpu_answer(c, i + j);
    out[3] = padici_gpu_answer(c, i + 4);
    if (!out[0] || !out[1] || !out[2] || !out[3]) return PADIC_ERROR_MEMORY;
    memcpy(out[0], x->row_ptr, (x->rows + 1u) * 4u);
    memcpy(out[1], x->col, room * 4u);
    memcpy(out[2], x->value, room * x->size);
    to = (uint32_t *)out[3];
    for (r = 0, e = 0; units && r < x->rows; r++)
        for (; e < x->row_ptr[r + 1]; e++)
            for (j = 0; e < room && j < units; j++)
                to[e * units + j] =
                    unit[(r * PADICI_SPARSE_KNOWN_COLS + x->col[e]) * units + j];
    memcpy(&c->params, &x->job.k, sizeof x->job.k);
    return PADIC_OK;
}

static void *padici_sparse_known_words(padici_gpu_case *c, const padici_sparse_known *x, uint32_t i)
{
    void *image = padici_gpu_image(c, i, (uint64_t)x->n * x->size);
    if (image) memcpy(image, x->keys, (size_t)x->n * x->size);
    return image;
}

// {0, entries, kept by the second test, largest}, as buffer i.
static padic_result padici_sparse_known_totals(padici_gpu_case *c, const padici_sparse_known *x,
                                               uint32_t i)
{
    uint64_t report[8], *totals = (uint64_t *)padici_gpu_image(c, i, 32);
    uint32_t t;
    if (!totals) return PADIC_ERROR_MEMORY;
    memset(totals, 0, 32);
    totals = (uint64_t *)padici_gpu_answer(c, i);
    if (!totals) return PADIC_ERROR_MEMORY;
    totals[1] = x->nnz;
    if (!padici_gpu_define(c, "PD_SPARSE_REPORT", 0)) return PADIC_OK;
    padici_sparse_known_tiles(x, NULL, NULL, NULL, report);
    for (t = 0; t < x->tiles; t++) {
        totals[2] += report[2 * t];
        if (report[2 * t + 1] > totals[3]) totals[3] = report[2 * t + 1];
    }
    return PADIC_OK;
}

// room: src/gpu/sparse/csr_test.c
// Tests of the kernels.

static padic_result padici_test_sparse_bits(padici_gpu_case *c)
{
    padici_sparse_known x;
    uint32_t *bitmap, *count;
    uint64_t *report;
    padic_result result = padici_sparse_known_begin(c, &x, 0, 0);
    if (result) return result;
    c->again = c->round == 0;
    c->groups[0] = x.tiles;
    x.job.k.flags |= PADICI_SPARSE_K_BITMAP;
    memcpy(&c->params, &x.job.k, sizeof x.job.k);
    if (!padici_sparse_known_words(c, &x, 1) ||
        !padici_gpu_image(c, 2, (uint64_t)x.tiles * x.bitmap_words * 4) ||
        !padici_gpu_image(c, 3, x.tiles * 4u) || !padici_gpu_image(c, 4, x.tiles * 16u))
        return PADIC_ERROR_MEMORY;
    bitmap = (uint32_t *)padici_gpu_answer(c, 2);
    count = (uint32_t *)padici_gpu_answer(c, 3);
    report = (uint64_t *)padici_gpu_answer(c, 4);
    if (!bitmap || !count || !report) return PADIC_ERROR_MEMORY;
    padici_sparse_known_tiles(&x, bitmap, count, NULL,
                              padici_gpu_define(c, "PD_SPARSE_REPORT", 0) ? report : NULL);
    return PADIC_OK;
}

static padic_result padici_test_sparse_scan(padici_gpu_case *c)
{
    const uint32_t tiles = 2u * 8u * 256u + 77u;
    const uint32_t wanted = padici_gpu_define(c, "PD_SPARSE_REPORT", 0);
    padici_k_sparse_encode_params k;
    uint32_t *count, t, block[4];
    uint64_t *report, *start, *totals, sum = 0;
    memset(&k, 0, sizeof k);
    k.tiles = tiles;
    k.total_lo = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    count = (uint32_t *)padici_gpu_image(c, 0, tiles * 4u);
    report = (uint64_t *)padici_gpu_image(c, 1, tiles * 16u);
    if (!count || !report || !padici_gpu_image(c, 2, tiles * 8u) || !padici_gpu_image(c, 3, 40))
        return PADIC_ERROR_MEMORY;
    start = (uint64_t *)padici_gpu_answer(c, 2);
    totals = (uint64_t *)padici_gpu_answer(c, 3);
    if (!start || !totals) return PADIC_ERROR_MEMORY;
    totals[1] = 0;
    if (wanted) totals[3] = totals[4] = 0;
    for (t = 0; t < tiles; t++) {
        padic_random_block(5, 5, 5, t, block);
        count[t] = 0x200000u - (block[0] & 0xfffu); // so that the sum needs more than 32 bits
        report[2 * t] = block[1];
        report[2 * t + 1] = (uint64_t)block[2] << 32 | block[3];
        start[t] = sum;
        sum += count[t];
        if (!wanted) continue;
        totals[3] += report[2 * t];
        if (report[2 * t + 1] > totals[4]) totals[4] = report[2 * t + 1];
    }
    totals[2] = sum;
    return PADIC_OK;
}

// Round 0 with the bitmap, round 1 from the keys again.
static padic_result padici_test_sparse_emit(padici_gpu_case *c)
{
    padici_sparse_known x;
    uint32_t *bitmap;
    uint64_t *start;
    padic_result result = padici_sparse_known_begin(c, &x, 0, 0);
    if (result) return result;
    c->again = c->round == 0;
    c->groups[0] = x.tiles;
    if (c->round == 0) x.job.k.flags |= PADICI_SPARSE_K_BITMAP;
    bitmap = (uint32_t *)(c->round == 0
                              ? padici_gpu_image(c, 1, (uint64_t)x.tiles * x.bitmap_words * 4)
                              : padici_sparse_known_words(c, &x, 1));
    start = (uint64_t *)padici_gpu_image(c, 2, x.tiles * 8u);
    if (!bitmap || !start) return PADIC_ERROR_MEMORY;
    padici_sparse_known_tiles(&x, c->round == 0 ? bitmap : NULL, NULL, start, NULL);
    return padici_sparse_known_planes(c, &x, 3);
}

static padic_result padici_test_sparse_small(padici_gpu_case *c)
{
    padici_sparse_known x;
    padic_result result = padici_sparse_known_begin(c, &x, 0, 0);
    if (!result && !padici_sparse_known_words(c, &x, 1)) result = PADIC_ERROR_MEMORY;
    if (!result) result = padici_sparse_known_totals(c, &x, 2);
    c->again = c->round == 0;
    return result ? result : padici_sparse_known_planes(c, &x, 3);
}

static padic_result padici_test_sparse_segments(padici_gpu_case *c)
{
    const uint32_t rows = 19, count = 23, wide = c->round;
    padici_k_sparse_segments_params k;
    uint32_t *from, *to, b, r, sum = 0;
    uint64_t *firsts;
    memset(&k, 0, sizeof k);
    k.rows_lo = rows;
    k.count = count;
    k.wide = wide ? PADICI_SPARSE_K_WIDE : 0;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->again = c->round == 0;
    from = (uint32_t *)padici_gpu_image(c, 0, (rows * count + 1u) * (wide ? 8u : 4u));
    if (!from || !padici_gpu_image(c, 1, (rows + 1u) * count * (wide ? 8u : 4u)) ||
        !padici_gpu_image(c, 2, (count + 1u) * 8u))
        return PADIC_ERROR_MEMORY;
    to = (uint32_t *)padici_gpu_answer(c, 1);
    firsts = (uint64_t *)padici_gpu_answer(c, 2);
    if (!to || !firsts) return PADIC_ERROR_MEMORY;
    for (b = 0; b < count; b++) {
        firsts[b] = sum;
        for (r = 0; r <= rows; r++) {
            const uint32_t at = b * rows + r, own = b * (rows + 1u) + r;
            padici_sparse_index_set((uint8_t *)from, wide, at, sum);
            padici_sparse_index_set((uint8_t *)to, wide, own, sum - firsts[b]);
            if (r < rows) sum += (at * 7u) % 5u;
        }
    }
    firsts[count] = sum;
    return PADIC_OK;
}

static padic_result padici_test_sparse_decode(padici_gpu_case *c)
{
    padici_k_sparse_decode_params k;
    padici_sparse_known x;
    uint32_t r, e, *row_ptr, *col;
    unsigned char *value, *dense;
    padic_result result = padici_sparse_known_begin(c, &x, 3, 0);
    if (result) return result;
    memset(&k, 0, sizeof k);
    k.rows_lo = x.rows;
    k.cols_lo = PADICI_SPARSE_KNOWN_COLS;
    k.nnz_lo = x.nnz;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = (x.n * x.size + 8191u) / 8192u;
    row_ptr = (uint32_t *)padici_gpu_image(c, 0, (x.rows + 1u) * 4u);
    col = (uint32_t *)padici_gpu_image(c, 1, (uint64_t)x.nnz * 4);
    value = (unsigned char *)padici_gpu_image(c, 2, (uint64_t)x.nnz * x.size);
    dense = (unsigned char *)padici_gpu_answer(c, 3);
    if (!row_ptr || !col || !value || !dense) return PADIC_ERROR_MEMORY;
    memcpy(row_ptr, x.row_ptr, (x.rows + 1u) * 4u);
    memcpy(col, x.col, x.nnz * 4u);
    memcpy(value, x.value, (size_t)x.nnz * x.size);
    memset(x.keys, 0xa5, (size_t)x.n * x.size); // all of it is written
    memset(dense, 0, (size_t)x.n * x.size);
    for (r = 0, e = 0; r < x.rows; r++)
        for (; e < row_ptr[r + 1]; e++)
            memcpy(dense + (r * PADICI_SPARSE_KNOWN_COLS + col[e]) * x.size, value + e * x.size,
                   x.size);
    return PADIC_OK;
}

// The state of one pass, whose image is buffer 1, and everything else.
static padic_result padici_sparse_known_one_pass(padici_gpu_case *c, padici_sparse_known *x,
                                                 uint32_t bytes, uint32_t words)
{
    padic_result result = padici_sparse_known_begin(c, x, 0, bytes);
    void *state;
    if (result) return result;
    state = padici_gpu_image(c, 1, words * 8u);
    if (!state) return PADIC_ERROR_MEMORY;
    memset(state, 0, words * 8u);
    result = padici_sparse_known_totals(c, x, 7);
    return result ? result : padici_sparse_known_planes(c, x, 2);
}

static padic_result padici_test_cuda_sparse_encode(padici_gpu_case *c)
{
    padici_sparse_known x;
    uint64_t *state;
    uint32_t t, count[4];
    const uint32_t bytes = padici_gpu_define(c, "PD_SPARSE_THREADS", 256) *
                           padici_gpu_define(c, "PD_SPARSE_VECTORS", 8) * 16;
    padic_result result;
    if (padici_gpu_define(c, "PD_SPARSE_SIMPLE", 0)) c->round = 1; // that has no threshold
    result = padici_sparse_known_one_pass(c, &x, bytes, 3 + 10);
    if (result) return result;
    c->again = c->round == 0;
    c->groups[0] = x.tiles;
    state = (uint64_t *)padici_gpu_answer(c, 1);
    if (!state) return PADIC_ERROR_MEMORY;
    padici_sparse_known_tiles(&x, NULL, count, NULL, NULL);
    for (t = 0; t < x.tiles; t++) state[8 + t] = UINT64_C(1) << 62 | count[t];
    state[4] = x.tiles;
    state[8 + x.tiles] = (uint64_t)x.tiles << 48 | x.nnz; // of all, which are fewer than 32
    return PADIC_OK;
}

// Two groups that wait for each other to begin, and two that do not.
static padic_result padici_test_cuda_sparse_ring_encode(padici_gpu_case *c)
{
    const uint32_t again = c->round;
    padici_k_cuda_sparse_ring_encode_params k;
    padici_sparse_known x;
    padic_result result;
    c->round = 1; // it has no threshold
    result = padici_sparse_known_one_pass(
        c, &x, padici_gpu_sparse_ring_bytes(padici_gpu_define(c, "PD_SPARSE_SIZE", 4)) / 2, 8 + 8);
    c->round = again;
    if (result) return result;
    c->again = !again;
    c->groups[0] = 2;
    memcpy(&k, &c->params, sizeof x.job.k);
    k.looks = again ? 0 : 1u << 30;
    memcpy(&c->params, &k, sizeof k);
    return padici_gpu_answer(c, 1) ? PADIC_OK : PADIC_ERROR_MEMORY;
}
// room: src/gpu/padic_gpu_sparse.in.h:11

#endif // PADICI_GPU_SPARSE
