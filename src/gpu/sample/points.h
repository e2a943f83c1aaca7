#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../../sample/driver.h"
#include "../../sample/sample.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_SAMPLE

PADICI_FN void padici_gpu_sample_params(const padici_sample_job *job, const padici_sample_radix *x,
                                        padici_k_sample_points_params *k);

#endif
