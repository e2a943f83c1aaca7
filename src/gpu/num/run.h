#pragma once
#include "../../core/platform.h"
#include "../../num/task.h"
#include "../frame.h"
#include "../texts.h"
#include "params.h"

#ifndef PADIC_NO_NUM

// One call on the device: its variant of the kernel and the memories.
typedef struct padici_gpu_num_run {
    padici_gpu *gpu;
    padici_gpu_work work;
    char text[8][20];
    const char *defines[8];
    uint32_t bits, mems;
    uint64_t terms;
    uint64_t coefficients; // address of a series' coefficients, and how many: terms; another table
    padici_gpu_num_places places;
    uint32_t beyond; // 1: the planes are out of the kernels' reach
} padici_gpu_num_run;

PADICI_FN void padici_gpu_num_define(padici_gpu_num_run *run, uint32_t i, const char *name,
                                     uint32_t x);
PADICI_FN void padici_gpu_num_begin(padici_gpu_num_run *run, padici_gpu *gpu,
                                    const padici_call *call, uint32_t kernel, uint32_t op);
PADICI_FN const padici_operand *padici_gpu_num_operand(const padici_call *call, void **pointer);
PADICI_FN uint64_t padici_gpu_num_find(padici_gpu_num_run *run, const padici_call *call,
                                       void **pointer);
PADICI_FN void padici_gpu_num_move(padici_gpu_num_places *places, uint32_t slot, uint64_t bytes);
PADICI_FN uint64_t padici_gpu_num_memory(padici_gpu_num_run *run, const padici_gpu_block *block);
PADICI_FN padic_result padici_gpu_num_launch(padici_gpu_num_run *run,
                                             const padici_k_num_each_params *k, uint32_t groups);
PADICI_FN padic_result padici_gpu_num_reduce(padici_gpu_num_run *run, padici_num_task *task);
PADICI_FN uint32_t padici_gpu_num_tables(padici_num_task *task, uint32_t kernel);
PADICI_FN padic_result padici_gpu_num_table(padici_gpu *gpu, padici_num_task *task,
                                            uint32_t kernel, padici_gpu_block *block,
                                            uint64_t *terms);
PADICI_FN padic_result padici_gpu_num_parts(padici_gpu_num_run *run, padici_num_task *task,
                                            uint32_t kernel);

#endif
