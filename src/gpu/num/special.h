#pragma once
#include "../../core/platform.h"
#include "../../num/task.h"
#include "../texts.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_gpu_num_special(padici_k_num_each_params *k, padici_num_task *task,
                                      uint32_t kernel);

#endif
