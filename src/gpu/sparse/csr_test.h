#pragma once
#include "../../core/platform.h"
#include "../tests.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_test_sparse_bits(padici_gpu_case *c);
PADICI_FN padic_result padici_test_sparse_scan(padici_gpu_case *c);
PADICI_FN padic_result padici_test_sparse_emit(padici_gpu_case *c);
PADICI_FN padic_result padici_test_sparse_small(padici_gpu_case *c);
PADICI_FN padic_result padici_test_sparse_segments(padici_gpu_case *c);
PADICI_FN padic_result padici_test_sparse_decode(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_sparse_encode(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_sparse_ring_encode(padici_gpu_case *c);

#endif
