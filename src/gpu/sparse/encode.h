#pragma once
#include "../../core/platform.h"
#include "../../sparse/encoding.h"
#include "../frame.h"
#include "job.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN int padici_gpu_sparse_drive_of(const padici_sparse_encoding *e,
                                         padici_gpu_sparse_drive *d);
PADICI_FN padic_result padici_gpu_sparse_count(padici_gpu *gpu, const padici_call *call, int query);
PADICI_FN padic_result padici_gpu_sparse_encode(padici_gpu *gpu, const padici_call *call,
                                                int query);
PADICI_FN padic_result padici_gpu_sparse_encode_batch(padici_gpu *gpu, const padici_call *call,
                                                      int query);

#endif
