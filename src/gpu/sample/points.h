#pragma once
#include "../../core/platform.h"
#include "../../sample/driver.h"
#include "../../sample/sample.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_SAMPLE

PADICI_FN void padici_gpu_sample_params(const padici_sample_job *job, const padici_sample_radix *x,
                                        padici_k_sample_points_params *k);
PADICI_FN padic_result padici_gpu_sample(padici_gpu *gpu, uint32_t kernel, void *call, int query);
PADICI_FN padic_result padici_warm_sample(padici_gpu *gpu);

#define PADICI_GPU_FAMILIES_SAMPLE(X) X(PADIC_AREA_SAMPLE, sample)
#define PADICI_GPU_LAYERS_SAMPLE(X) X(PADIC_KERNEL_SAMPLE, sample)

#endif
