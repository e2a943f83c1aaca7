#pragma once
#include "../../core/platform.h"
#include "../../num/task.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_NUM

PADICI_FN padic_result padici_gpu_num_report(padici_gpu *gpu, padici_num_task *task, padic_mem mem);
PADICI_FN uint32_t padici_gpu_num_groups(const padici_gpu *gpu, uint64_t count, uint32_t items,
                                         uint32_t most, uint64_t each);

#ifndef PADICI_GPU_SOLVE_CELLS
#define PADICI_GPU_SOLVE_CELLS (UINT64_C(1) << 30) // of A, or of B, in a launch
#endif

PADICI_FN void padici_gpu_solve_room(padici_k_solve_systems_params *k);
PADICI_FN uint64_t padici_gpu_solve_head(uint64_t count);
PADICI_FN padic_result padici_gpu_solve(padici_gpu *gpu, const padici_call *call, int query);

#endif
