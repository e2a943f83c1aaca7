#pragma once
#include "../../core/platform.h"
#include "../../sparse/device.h"
#include "../frame.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_gpu_sparse_encode(padici_gpu *gpu, padici_sparse_drive *d, int query);

#endif
