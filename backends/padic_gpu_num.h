// padic_gpu_num.h: p-adic numbers in buffers of a device, kernels/num.cl. padic_gpu.h includes it
// where padic_num.h was included before; of no use alone.

// The kernel's NUM_OP_... for an operation of padic_num_kernel; 0: there is none.
static uint32_t padici_gpu_num_op(uint32_t kernel)
{
    static const uint8_t op[] = {
        1,  2,  3,  4, 5, 6, 7, // ADD, SUB, NEG, MUL, FMA, INV, DIV
        10, 11, 13, // SPLIT, VALUATION, HORNER
        25, 26, 27, 24, // SQRT, EXP, LOG, TEICHMUELLER
        14, 15, 21, 22, // TO_DIGITS, FROM_DIGITS, TO_RATIONAL, FROM_FLOAT
        18, 18, // DOT, SUM
        8,  9,  9,  12, 29, // SHIFT, POW, POW_ARRAY, EQUAL, TROPICAL
        16, 17, 20, 23, // FROM_INT, TO_INT, FROM_RATIONAL, TO_FLOAT
        0,  0,  28 // ROOT, POW_PADIC, SET_PRECISION
    };
    const uint32_t i = kernel - PADIC_KERNEL_NUM_ADD;
    return i < sizeof op ? op[i] : 0;
}

#define PADICI_GPU_NUM_FOLD 19u

// Does the kernel do this call?
static int padici_gpu_num_can(const padici_num_task *task, uint32_t kernel)
{
    const padic_num_call *call = &task->call;
    const padic_num_ring *r = call->ring;
    const uint32_t op = padici_gpu_num_op(kernel);
    if (!op || r->form > PADIC_NUM_W64 || r->composite) return 0;
    if (task->report && task->sticky_word) return 0;
    switch (kernel) {
    case PADIC_KERNEL_NUM_POW_ARRAY: return call->dtype != PADIC_U64;
    case PADIC_KERNEL_NUM_VALUATION: return call->other[0] && !call->other[1];
    case PADIC_KERNEL_NUM_TROPICAL: return call->dtype == PADIC_I32;
    case PADIC_KERNEL_NUM_FROM_INT:
    case PADIC_KERNEL_NUM_TO_INT:
    case PADIC_KERNEL_NUM_FROM_RATIONAL: return !(uint32_t)call->k; // no limbs
    case PADIC_KERNEL_NUM_SET_PRECISION: return task->a->ring->form <= PADIC_NUM_W64;
    case PADIC_KERNEL_NUM_DOT:
    case PADIC_KERNEL_NUM_SUM: return task->count >> 31 == 0;
    case PADIC_KERNEL_NUM_FROM_FLOAT:
    case PADIC_KERNEL_NUM_TO_FLOAT:
    case PADIC_KERNEL_NUM_SQRT:
    case PADIC_KERNEL_NUM_EXP:
    case PADIC_KERNEL_NUM_LOG: return 0;
    default: return 1;
    }
}

static void padici_gpu_num_pair(uint32_t *to, uint64_t x)
{
    to[0] = (uint32_t)x;
    to[1] = (uint32_t)(x >> 32);
}

// The constants of a ring for units of `bits`.
static void padici_gpu_num_ring(padici_k_num_each_params *k, const padic_num_ring *r, uint32_t bits)
{
    const uint64_t most = bits == 32 ? UINT32_MAX : UINT64_MAX, p = r->base;
    uint32_t j;
    k->precision = r->precision;
    padici_gpu_num_pair(k->p, r->p);
    if (r->p == 2) {
        padici_gpu_num_pair(k->base, p - 1);
        padici_gpu_num_pair(k->one, 1);
        return;
    }
    padici_gpu_num_pair(k->base, p);
    padici_gpu_num_pair(k->inverse, padici_inverse64(p));
    padici_gpu_num_pair(k->one, (most % p + 1) % p);
    padici_gpu_num_pair(k->square, bits == 32 ? (UINT64_MAX % p + 1) % p : r->mont_square[0]);
    padici_gpu_num_pair(k->limit, most / r->p);
    for (j = 1; j < r->ladder && j < 6; j++)
        padici_gpu_num_pair(k->limit + 2 * j, most / r->ladder_power[j]);
}

static void padici_gpu_num_place(padici_k_num_each_params *k, uint32_t at, const void *pointer)
{
    padici_gpu_num_pair(k->place + 2 * at, (uint64_t)(uintptr_t)pointer);
}

static void padici_gpu_num_planes(padici_k_num_each_params *k, uint32_t q,
                                  const padic_num_planes *planes)
{
    padici_gpu_num_place(k, 3 * q, planes->unit);
    padici_gpu_num_place(k, 3 * q + 1, planes->val);
    padici_gpu_num_place(k, 3 * q + 2, planes->known);
    if (planes->scalar) k->flags |= 1u << q;
    if (planes->val16) k->flags |= 16u << q;
    if (planes->known16) k->flags |= 256u << q;
}

// Params of a part of a call, but for what only one operation has.
static void padici_gpu_num_params(padici_k_num_each_params *k, const padic_num_call *call,
                                  const void *sticky, uint32_t bits)
{
    uint32_t j;
    memset(k, 0, sizeof *k);
    k->count = (uint32_t)call->count;
    padici_gpu_num_ring(k, call->ring, bits);
    padici_gpu_num_planes(k, 0, &call->out);
    padici_gpu_num_planes(k, 1, &call->a);
    padici_gpu_num_planes(k, 2, &call->b);
    padici_gpu_num_planes(k, 3, &call->c);
    padici_gpu_num_place(k, 12, call->status);
    padici_gpu_num_place(k, 13, sticky);
    for (j = 0; j < 3; j++) padici_gpu_num_place(k, 14 + j, call->other[j]);
    if (call->other[0]) k->flags |= padic_dtype_size(call->dtype) << 24;
    padici_gpu_num_pair(k->k, (uint64_t)call->k);
    padici_gpu_num_pair(k->stride, call->stride);
}

// What is special about an operation.
static void padici_gpu_num_special(padici_k_num_each_params *k, const padici_num_task *task,
                                   uint32_t kernel)
{
    const padic_num_call *call = &task->call;
    const uint32_t is_signed = PADICI_SIGNED >> call->dtype & 1;
    switch (kernel) {
    case PADIC_KERNEL_NUM_HORNER: k->flags &= ~8u; break; // shared coefficients are no scalar
    case PADIC_KERNEL_NUM_TO_DIGITS:
    case PADIC_KERNEL_NUM_FROM_DIGITS:
    case PADIC_KERNEL_NUM_FROM_INT:
    case PADIC_KERNEL_NUM_FROM_RATIONAL:
        k->mode = kernel == PADIC_KERNEL_NUM_TO_DIGITS || kernel == PADIC_KERNEL_NUM_FROM_DIGITS
                      ? (uint32_t)call->k
                      : is_signed;
        break;
    case PADIC_KERNEL_NUM_TO_INT:
        k->mode = is_signed | (uint32_t)(call->k >> 32 != 0) << 1;
        break;
    case PADIC_KERNEL_NUM_SET_PRECISION:
        k->mode = (uint32_t)(task->a->ring->unit_size == 4) |
                  (uint32_t)(call->ring->unit_size == 4) << 1;
        padici_gpu_num_pair(k->k, task->a->ring->precision);
        break;
    default: break;
    }
}

// One call on the device: its variant of the kernel and the memories.
typedef struct padici_gpu_num_run {
    padici_gpu *gpu;
    padici_gpu_work work;
    char text[4][20];
    const char *defines[4];
    uint32_t bits, mems;
} padici_gpu_num_run;

static void padici_gpu_num_define(padici_gpu_num_run *run, uint32_t i, const char *name, uint32_t x)
{
    padici_text text;
    padici_text_begin(&text, run->text[i], sizeof run->text[i]);
    padici_text_add(&text, name);
    padici_text_number(&text, x, 1);
    run->defines[i] = run->text[i];
}

static void padici_gpu_num_begin(padici_gpu_num_run *run, padici_gpu *gpu,
                                 const padici_num_task *task, uint32_t kernel, uint32_t op)
{
    const padic_num_ring *r = task->call.ring;
    memset(run, 0, sizeof *run);
    run->gpu = gpu;
    run->bits = kernel == PADIC_KERNEL_NUM_SET_PRECISION ? 64 : 8 * r->unit_size;
    padici_gpu_num_define(run, 0, "PD_NUM_OP=", op);
    padici_gpu_num_define(run, 1, "PD_NUM_MODEL=", (uint32_t)task->call.model);
    padici_gpu_num_define(run, 2, "PD_NUM_BITS=", run->bits);
    padici_gpu_num_define(run, 3, "PD_NUM_TWO=", r->p == 2);
    run->work.kernel = PADICI_KERNEL_NUM_EACH;
    run->work.defines = run->defines;
    run->work.define_count = 4;
    run->work.mem_count = 8;
    for (run->mems = 0; run->mems < task->space.mems && run->mems < 8; run->mems++)
        run->work.mem[run->mems] = task->space.mem[run->mems];
}

// One memory more; the address of its byte 0, as those of padici_num_space.
static char *padici_gpu_num_memory(padici_gpu_num_run *run, const padici_gpu_block *block)
{
    run->work.mem[run->mems] = block->mem;
    return (char *)(uintptr_t)((uint64_t)++run->mems << 56);
}

static padic_result padici_gpu_num_launch(padici_gpu_num_run *run,
                                          const padici_k_num_each_params *k, uint32_t groups)
{
    const uint32_t units = run->gpu->info->compute_units, most = (units ? units : 64) * 32;
    uint32_t i;
    for (i = run->mems; i < 8; i++) run->work.mem[i] = run->work.mem[0]; // not looked at
    run->work.params = k;
    run->work.params_size = sizeof *k;
    run->work.groups[0] = groups < most ? groups : most;
    return padici_gpu_launch(run->gpu, &run->work);
}

// A sum: chunks to cells, then cells to the result.
static padic_result padici_gpu_num_reduce(padici_gpu_num_run *run, padici_num_task *task,
                                          const void *sticky)
{
    const uint64_t chunks = (task->count + 4095) / 4096, half = (chunks + 1) * 16;
    padici_k_num_each_params k;
    padic_num_call call = task->call;
    padici_gpu_block cells;
    padic_result result = padici_gpu_scratch(run->gpu, 2 * half, &cells);
    if (result) return result;
    memset(&call.c, 0, sizeof call.c);
    call.count = task->count;
    call.status = NULL;
    call.other[0] = padici_gpu_num_memory(run, &cells);
    if (chunks) {
        padici_gpu_num_params(&k, &call, NULL, run->bits);
        k.mode = call.b.unit != NULL;
        result = padici_gpu_num_launch(run, &k, (uint32_t)((chunks + 3) / 4));
    }
    padici_gpu_num_define(run, 0, "PD_NUM_OP=", PADICI_GPU_NUM_FOLD);
    call.status = task->call.status;
    call.out = task->call.c;
    memset(&call.a, 0, sizeof call.a);
    memset(&call.b, 0, sizeof call.b);
    call.other[1] = (char *)call.other[0] + half;
    call.count = chunks;
    padici_gpu_num_params(&k, &call, sticky, run->bits);
    k.flags &= ~(1u | 0xff000000u);
    if (!result) result = padici_gpu_num_launch(run, &k, 1);
    padici_gpu_scratch_end(run->gpu, &cells);
    return result;
}

// All parts of a call of at most 2^30 elements each.
static padic_result padici_gpu_num_parts(padici_gpu_num_run *run, const padici_num_task *task,
                                         uint32_t kernel, const void *sticky)
{
    padici_k_num_each_params k;
    padic_result result = PADIC_OK;
    uint64_t first, n;
    for (first = 0; first < task->count && !result; first += n) {
        padic_num_call part;
        n = task->count - first < UINT64_C(1) << 30 ? task->count - first : UINT64_C(1) << 30;
        part = padici_num_part(task, first, n);
        padici_gpu_num_params(&k, &part, sticky, run->bits);
        padici_gpu_num_special(&k, task, kernel);
        result = padici_gpu_num_launch(run, &k, (uint32_t)((n + 127) / 128));
    }
    return result;
}

// A number from padic_num_kernel and its padici_num_task: see padici_gpu_drive().
static padic_result padici_gpu_num(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    padici_num_task *const task = (padici_num_task *)call;
    const uint32_t reduce = kernel == PADIC_KERNEL_NUM_DOT || kernel == PADIC_KERNEL_NUM_SUM;
    const void *sticky = task->sticky_word;
    padici_gpu_num_run run;
    padici_gpu_block word;
    padic_result result;
    if (!padici_gpu_num_can(task, kernel) || task->space.mems + reduce + task->report > 8)
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_num_begin(&run, gpu, task, kernel, padici_gpu_num_op(kernel));
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, 4);
    if (!result && reduce) {
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", PADICI_GPU_NUM_FOLD);
        result = padici_gpu_need(gpu, run.work.kernel, run.defines, 4);
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", padici_gpu_num_op(kernel));
    }
    if (result || query) return result;
    if (task->report) {
        result = padici_gpu_scratch(gpu, 4, &word);
        if (result) return result;
        sticky = padici_gpu_num_memory(&run, &word);
        result = padici_target_fill(gpu->context, gpu->target, word.mem, 0, 0, 4);
    }
    if (!result)
        result = reduce ? padici_gpu_num_reduce(&run, task, sticky)
                        : padici_gpu_num_parts(&run, task, kernel, sticky);
    if (task->report) {
        padici_place from = {{0}, 0, 0}, to = {{0}, 0, 1};
        from.mem = word.mem;
        to.mem.bits = (uint64_t)(uintptr_t)&task->call.bits;
        if (!result) result = padici_target_move(gpu->context, gpu->target, &to, &from, 4);
        padici_gpu_scratch_end(gpu, &word);
    }
    return result;
}

static padic_result padici_test_num_each(padici_gpu_case *c)
{
    (void)c;
    return PADIC_ERROR_NOT_SUPPORTED;
}
