#include "run.h"
#include "../../core/log.h"
#include "../../num/rational.h"
#include "../launch.h"
#include "params.h"
#include "special.h"
#include "tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// One call: its variant of the kernel, memories, tables and launches; sums.

PADICI_FN void padici_gpu_num_define(padici_gpu_num_run *run, uint32_t i, const char *name,
                                     uint32_t x)
{
    padici_text text;
    padici_text_begin(&text, run->text[i], sizeof run->text[i]);
    padici_text_add(&text, name);
    padici_text_number(&text, x, 1);
    run->defines[i] = run->text[i];
}

PADICI_FN void padici_gpu_num_begin(padici_gpu_num_run *run, padici_gpu *gpu,
                                    const padici_call *call, uint32_t kernel, uint32_t op)
{
    padici_num_task *const task = (padici_num_task *)call->task;
    const padic_num_ring *r = task->call.ring;
    uint32_t slot;
    memset(run, 0, sizeof *run);
    run->gpu = gpu;
    run->bits = kernel == PADIC_OP_NUM_SET_PRECISION || kernel == PADIC_OP_NUM_CHANGE_PRIME
                    ? 64
                    : 8 * r->unit_size;
    padici_gpu_num_define(run, 0, "PD_NUM_OP=", op);
    padici_gpu_num_define(run, 1, "PD_NUM_MODEL=", (uint32_t)task->call.model);
    padici_gpu_num_define(run, 2, "PD_NUM_BITS=", run->bits);
    padici_gpu_num_define(run, 3, "PD_NUM_TWO=", r->p == 2);
    run->work.kernel = PADICI_KERNEL_NUM_EACH;
    run->work.defines = run->defines;
    run->work.define_count = 4;
    if (padici_gpu_num_narrow(task, 1))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_VAL=", 16);
    if (padici_gpu_num_narrow(task, 0))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KNOWN=", 16);
    if ((kernel == PADIC_OP_NUM_VALUATION && padici_num_has(task, PADICI_NUM_OTHER + 1)) ||
        (kernel == PADIC_OP_NUM_TROPICAL && task->call.dtype == PADIC_F64))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_SIZE=",
                              kernel == PADIC_OP_NUM_TROPICAL
                                  ? 8
                                  : padic_dtype_size((padic_dtype)task->call.k));
    if (kernel == PADIC_OP_NUM_TO_DIGITS || kernel == PADIC_OP_NUM_FROM_DIGITS ||
        kernel == PADIC_OP_NUM_POW_ARRAY || kernel == PADIC_OP_NUM_FROM_INT ||
        kernel == PADIC_OP_NUM_TO_INT || kernel == PADIC_OP_NUM_FROM_RATIONAL ||
        kernel == PADIC_OP_NUM_FROM_FLOAT || kernel == PADIC_OP_NUM_TO_FLOAT)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_SIZE=",
                              padic_dtype_size(task->call.dtype));
    if (kernel == PADIC_OP_NUM_TO_DIGITS || kernel == PADIC_OP_NUM_FROM_DIGITS)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              (uint32_t)task->call.k & 15);
    if (kernel == PADIC_OP_NUM_TO_FLOAT && padici_gpu_num_float_kind(&task->call))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              padici_gpu_num_float_kind(&task->call));
    if (op == 25 && padici_gpu_num_root_kind(&task->call))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              padici_gpu_num_root_kind(&task->call));
    if (kernel == PADIC_OP_NUM_CHANGE_PRIME)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              (uint32_t)task->a->model);
    if (kernel == PADICI_NUM_RATIONAL)
        padici_gpu_num_define(
            run, run->work.define_count++,
            "PD_NUM_KIND=", 1 + (uint32_t)((const padici_num_rational *)task->call.options)->mode);
    run->work.mem_count = 8;
    for (slot = 0; slot < PADICI_NUM_SLOTS; slot++)
        run->places.at[slot] = padici_gpu_num_find(run, call, padici_num_slot(task, slot));
}

// The operand of that pointer; NULL: none.
PADICI_FN const padici_operand *padici_gpu_num_operand(const padici_call *call, void **pointer)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].pointer == pointer) return &call->operands[i];
    return NULL;
}

// Its kernel address.
PADICI_FN uint64_t padici_gpu_num_find(padici_gpu_num_run *run, const padici_call *call,
                                       void **pointer)
{
    const padici_operand *const o = padici_gpu_num_operand(call, pointer);
    uint32_t i = 0;
    if (!o) return 0;
    while (i < run->mems && run->work.mem[i].bits != o->now.mem.bits) i++;
    run->beyond |= i == 8 || o->now.at >> 55;
    if (run->beyond) return 0;
    if (i == run->mems) run->work.mem[run->mems++] = o->now.mem;
    return (uint64_t)(i + 1) << 56 | o->now.at;
}

PADICI_FN void padici_gpu_num_move(padici_gpu_num_places *places, uint32_t slot, uint64_t bytes)
{
    if (places->at[slot]) places->at[slot] += bytes;
}

// Adds a memory; returns the kernel address of its byte 0.
PADICI_FN uint64_t padici_gpu_num_memory(padici_gpu_num_run *run, const padici_gpu_block *block)
{
    run->work.mem[run->mems] = block->mem;
    return (uint64_t)++run->mems << 56;
}

PADICI_FN padic_result padici_gpu_num_launch(padici_gpu_num_run *run,
                                             const padici_k_num_each_params *k, uint32_t groups)
{
    const uint32_t units = run->gpu->info->compute_units, most = (units ? units : 64) * 32;
    uint32_t i;
    for (i = run->mems; i < 8; i++) run->work.mem[i] = run->work.mem[0]; // not read
    run->work.params = k;
    run->work.params_size = sizeof *k;
    run->work.groups[0] = groups < most ? groups : most;
    return padici_gpu_launch(run->gpu, &run->work);
}

// A sum: chunks to cells, then cells to the result.
PADICI_FN padic_result padici_gpu_num_reduce(padici_gpu_num_run *run, padici_num_task *task)
{
    const uint64_t chunks = (task->count + 4095) / 4096, half = (chunks + 1) * 16;
    padici_gpu_num_places places = run->places;
    padici_k_num_each_params k;
    padic_num_call call = task->call;
    padici_gpu_block cells;
    uint32_t i;
    padic_result result = padici_gpu_scratch(run->gpu, 2 * half, &cells);
    if (result) return result;
    for (i = 9; i <= PADICI_NUM_STICKY; i++) places.at[i] = 0;
    memset(&call.c, 0, sizeof call.c);
    call.count = task->count;
    places.at[PADICI_NUM_OTHER] = padici_gpu_num_memory(run, &cells);
    if (chunks) {
        padici_gpu_num_params(&k, &call, &places, run->bits);
        k.mode = places.at[6] != 0;
        result = padici_gpu_num_launch(run, &k, (uint32_t)((chunks + 3) / 4));
    }
    padici_gpu_num_define(run, 0, "PD_NUM_OP=", PADICI_GPU_NUM_FOLD);
    for (i = 0; i < 9; i++) places.at[i] = i < 3 ? run->places.at[9 + i] : 0;
    places.at[PADICI_NUM_STATUS] = run->places.at[PADICI_NUM_STATUS];
    places.at[PADICI_NUM_STICKY] = run->places.at[PADICI_NUM_STICKY];
    places.at[PADICI_NUM_OTHER + 1] = places.at[PADICI_NUM_OTHER] + half;
    call.out = task->call.c;
    memset(&call.a, 0, sizeof call.a);
    memset(&call.b, 0, sizeof call.b);
    call.count = chunks;
    padici_gpu_num_params(&k, &call, &places, run->bits);
    if (!result) result = padici_gpu_num_launch(run, &k, 1);
    padici_gpu_scratch_end(run->gpu, &cells);
    return result;
}

// 1 if the kernel needs a table in other[2], which the host makes and uploads.
PADICI_FN uint32_t padici_gpu_num_tables(padici_num_task *task, uint32_t kernel)
{
    return kernel == PADIC_OP_NUM_EXP || kernel == PADIC_OP_NUM_LOG ||
           kernel == PADIC_OP_NUM_SQRT || kernel == PADIC_OP_NUM_ROOT ||
           kernel == PADIC_OP_NUM_POW_PADIC || kernel == PADICI_NUM_RATIONAL ||
           kernel == PADIC_OP_NUM_CHANGE_PRIME ||
           (kernel == PADIC_OP_NUM_TO_FLOAT && padici_gpu_num_float_kind(&task->call)) ||
           (kernel == PADIC_OP_NUM_VALUATION && padici_num_has(task, PADICI_NUM_OTHER + 1));
}

PADICI_FN padic_result padici_gpu_num_table(padici_gpu *gpu, padici_num_task *task,
                                            uint32_t kernel, padici_gpu_block *block,
                                            uint64_t *terms)
{
    const padic_num_call *call = &task->call;
    switch (kernel) {
    case PADICI_NUM_RATIONAL:
    case PADIC_OP_NUM_CHANGE_PRIME: return padici_gpu_num_fractions(gpu, task, kernel, block);
    case PADIC_OP_NUM_TO_FLOAT: return padici_gpu_num_floats(gpu, call, block);
    case PADIC_OP_NUM_VALUATION: return padici_gpu_num_norms(gpu, call, block);
    case PADIC_OP_NUM_SQRT:
    case PADIC_OP_NUM_ROOT: return padici_gpu_num_root_tables(gpu, call, block);
    default:
        return padici_gpu_num_series(gpu, call->ring,
                                     kernel == PADIC_OP_NUM_EXP   ? 1
                                     : kernel == PADIC_OP_NUM_LOG ? 2
                                                                      : 3,
                                     block, terms);
    }
}

// All parts of a call of at most 2^30 elements each.
PADICI_FN padic_result padici_gpu_num_parts(padici_gpu_num_run *run, padici_num_task *task,
                                            uint32_t kernel)
{
    padici_k_num_each_params k;
    padic_result result = PADIC_OK;
    uint64_t first, n;
    uint32_t i;
    for (first = 0; first < task->count && !result; first += n) {
        padici_gpu_num_places places = run->places;
        padic_num_call part = task->call;
        n = task->count - first < UINT64_C(1) << 30 ? task->count - first : UINT64_C(1) << 30;
        part.count = n;
        for (i = 0; i < PADICI_NUM_SLOTS; i++)
            padici_gpu_num_move(&places, i, first * padici_num_slot_step(task, i));
        if (run->coefficients) places.at[PADICI_NUM_OTHER + 2] = run->coefficients;
        padici_gpu_num_params(&k, &part, &places, run->bits);
        padici_gpu_num_special(&k, task, kernel);
        if (kernel == PADIC_OP_NUM_RANDOM)
            padici_gpu_num_pair(k.place + 28,
                                ((const padic_num_random_desc *)part.options)->first + first);
        if (run->coefficients && run->terms) padici_gpu_num_pair(k.stride, run->terms);
        result = padici_gpu_num_launch(run, &k, (uint32_t)((n + 127) / 128));
    }
    return result;
}

#endif
