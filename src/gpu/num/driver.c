#include "../frame.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../../num/array.h"
#include "../../num/hensel.h"
#include "../../num/task.h"
#include "../launch.h"
#include "../variants.h"
#include "params.h"
#include "run.h"
#include "solve.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// Roots of polynomials; the driver of all operations and what it builds in advance.

// All roots of polynomials: one group for each.
static PADICI_NOINLINE padic_result padici_gpu_polynomial_roots(padici_gpu *gpu,
                                                                const padici_call *all, int query)
{
    padici_num_task *const task = (padici_num_task *)all->task;
    const padici_num_hensel *const h = (const padici_num_hensel *)task->call.options;
    const padic_num_polynomial_roots_desc *const desc = h->desc;
    const padic_num_ring *const r = task->call.ring;
    const uint32_t kernel = PADIC_OP_NUM_POLYNOMIAL_ROOTS;
    const uint32_t words = 3 * desc->terms + 2 * desc->branches;
    padici_k_num_each_params k;
    padici_gpu_num_run run;
    padici_gpu_block room;
    padic_result result;
    uint64_t first, n, base;
    uint32_t groups, i;
    if (!padici_gpu_num_can(task, kernel)) return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_num_begin(&run, gpu, all, kernel, padici_gpu_num_op(kernel));
    if (run.beyond || run.mems > 7) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
    if (result || query) return result;
    groups = padici_gpu_num_groups(gpu, task->count, 1, 16, (uint64_t)words * r->unit_size);
    result = padici_gpu_scratch(gpu, 256 + (uint64_t)groups * words * r->unit_size, &room);
    if (result) return result;
    base = padici_gpu_num_memory(&run, &room);
    result = padici_target_fill(gpu->context, gpu->target, room.mem, 0, 0, 4);
    for (first = 0; first < task->count && !result; first += n) {
        padici_gpu_num_places places = run.places;
        padic_num_call call = task->call;
        n = task->count - first < UINT64_C(1) << 30 ? task->count - first : UINT64_C(1) << 30;
        for (i = 0; i < 3; i++) {
            padici_gpu_num_move(&places, i,
                                first * desc->root_limit * padici_num_slot_step(task, i));
            if (h->own)
                padici_gpu_num_move(&places, 9 + i, first * padici_num_slot_step(task, 9 + i));
        }
        padici_gpu_num_move(&places, PADICI_NUM_STATUS, first * desc->root_limit);
        padici_gpu_num_move(&places, PADICI_NUM_OTHER, first * 4);
        padici_gpu_num_move(&places, PADICI_NUM_OTHER + 1, first);
        places.at[PADICI_NUM_OTHER + 2] = base + 256;
        places.at[PADICI_NUM_STICKY] = base;
        call.count = n;
        call.k = (int64_t)(desc->terms | (uint64_t)desc->branches << 32);
        call.stride = (h->own ? desc->polynomials : 0) | (uint64_t)words << 32;
        padici_gpu_num_params(&k, &call, &places, run.bits);
        k.mode = desc->root_limit;
        result = padici_gpu_num_launch(&run, &k, groups);
    }
    if (!result) result = padici_gpu_num_report(gpu, task, room.mem);
    padici_gpu_scratch_end(gpu, &room);
    return result;
}

// Every operation of numbers that has kernels.
static padic_result padici_gpu_num(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_num_task *const task = (padici_num_task *)call->task;
    const uint32_t kernel = task->call.op;
    const uint32_t reduce = kernel == PADIC_OP_NUM_DOT || kernel == PADIC_OP_NUM_SUM;
    const uint32_t tables = padici_gpu_num_tables(task, kernel);
    padici_gpu_num_run run;
    padici_gpu_block word, coefficients;
    padic_result result;
    if (kernel == PADIC_OP_NUM_SOLVE) return padici_gpu_solve(gpu, call, query);
    if (kernel == PADIC_OP_NUM_POLYNOMIAL_ROOTS)
        return padici_gpu_polynomial_roots(gpu, call, query);
    if (!padici_gpu_num_can(task, kernel)) return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_num_begin(&run, gpu, call, kernel, padici_gpu_num_op(kernel));
    if (run.beyond || run.mems + reduce + tables + task->report > 8)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
    if (!result && reduce) {
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", PADICI_GPU_NUM_FOLD);
        result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", padici_gpu_num_op(kernel));
    }
    if (result || query) return result;
    if (task->report) {
        result = padici_gpu_scratch(gpu, 4, &word);
        if (result) return result;
        run.places.at[PADICI_NUM_STICKY] = padici_gpu_num_memory(&run, &word);
        result = padici_target_fill(gpu->context, gpu->target, word.mem, 0, 0, 4);
    }
    if (!result && tables) {
        result = padici_gpu_num_table(gpu, task, kernel, &coefficients, &run.terms);
        run.coefficients = padici_gpu_num_memory(&run, &coefficients);
    }
    if (!result)
        result = reduce ? padici_gpu_num_reduce(&run, task)
                        : padici_gpu_num_parts(&run, task, kernel);
    if (run.coefficients) padici_gpu_scratch_end(gpu, &coefficients);
    if (task->report) {
        if (!result) result = padici_gpu_num_report(gpu, task, word.mem);
        padici_gpu_scratch_end(gpu, &word);
    }
    return result;
}

// The rows of src/ops.def.
#define PADICI_GPU_NUM_0(name)
#define PADICI_GPU_NUM_1(name)                                                                  \
    PADICI_FN padic_result padici_gpu_##name(padici_gpu *gpu, const padici_call *call, int query) \
    {                                                                                           \
        return padici_gpu_num(gpu, call, query);                                                \
    }
#define PADICI_GPU_NUM_2(name)
#define PADICI_GPU_NUM(number, NAME, name, kind, by, rules) PADICI_GPU_NUM_##by(name)
PADICI_OPS_NUM(PADICI_GPU_NUM)
#undef PADICI_GPU_NUM
#undef PADICI_GPU_NUM_0
#undef PADICI_GPU_NUM_1
#undef PADICI_GPU_NUM_2

// The most used: sums, products and sums of products in words of 64 bits, in a ring and as floats;
// systems over the rationals.
PADICI_FN padic_result padici_warm_num(padici_gpu *gpu)
{
    static const uint32_t ops[] = {1, 4, 5, 18, PADICI_GPU_NUM_FOLD};
    static const char *const large = "PD_SOLVE_KIND=1";
    padici_gpu_num_run run;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&run, 0, sizeof run);
    for (i = 0; i < 10 && !result; i++) {
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", ops[i % 5]);
        padici_gpu_num_define(&run, 1, "PD_NUM_MODEL=",
                              (uint32_t)(i < 5 ? PADIC_NUM_RING : PADIC_NUM_FLOAT));
        padici_gpu_num_define(&run, 2, "PD_NUM_BITS=", 64);
        padici_gpu_num_define(&run, 3, "PD_NUM_TWO=", 0);
        result = padici_gpu_need(gpu, PADICI_KERNEL_NUM_EACH, run.defines, 4);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    for (i = 0; i < 2 && !result; i++) {
        result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &large, i);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    return result;
}

#endif
