// padic_gpu_sample.h: part of padic_gpu.h, which includes it: low-discrepancy points in a device's
// memory, kernels/sample.cl.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADIC_NO_SAMPLE) && !defined(PADICI_GPU_SAMPLE)
#define PADICI_GPU_SAMPLE

#include "gpu/sample/points.c"
#include "gpu/sample/points_test.c"

#endif // PADICI_GPU_SAMPLE
