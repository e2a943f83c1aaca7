// padic_gpu_factor.h: factorisations on devices, kernels/factor.cl: up to 64 columns, as many rows
// as fit into local memory; entropies by way of them. On NVIDIA's devices cuda/factor.cu does
// singular values and eigenvalues in F32. padic_gpu.h includes it; of no use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_FACTOR) && !defined(PADIC_NO_TENSOR)
#define PADICI_GPU_FACTOR

#include "gpu/factor/factor.c"
#include "gpu/factor/entropy.c"
#include "gpu/factor/factor_test.c"
#include "gpu/factor/entropy_test.c"
#endif // PADICI_GPU_FACTOR
